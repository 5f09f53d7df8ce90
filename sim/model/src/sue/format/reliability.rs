//! Reliability header and PDUs (chapter 50, 3.2 and 3.3): PDU = RH, body, R-CRC.

use super::octets::{CutOff, FieldError, Reader, Writer};
use super::DropCounter;
use crc::{Algorithm, Crc};
use flitforge_protocol::sue::command;
use flitforge_protocol::sue::crc::{r_crc, CRC_BYTES};
use flitforge_protocol::sue::reliability::{header, Operation, HEADER_BYTES, VERSION};
use thiserror::Error;

const R_CRC: Crc<u32> = Crc::<u32>::new(&Algorithm {
    width: r_crc::WIDTH as u8,
    poly: r_crc::POLYNOMIAL,
    init: r_crc::INITIAL,
    refin: true,
    refout: true,
    xorout: r_crc::FINAL_XOR,
    check: r_crc::CHECK,
    residue: r_crc::RESIDUE,
});

/// Reliability header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReliabilityHeader {
    /// What `apsn` says.
    pub operation: Operation,
    /// Source XPU, 10 bits.
    pub source: u16,
    /// PSN of this PDU, or the next one if it has no body.
    pub psn: u16,
    /// Virtual channel of both PSNs, 2 bits.
    pub vc: u8,
    /// Partition of every command in the body, 10 bits.
    pub partition: u16,
    /// `apsn`.
    pub acknowledged: u16,
}

/// Why octets are no PDU, or a PDU cannot be sent.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PduError {
    /// Too short for header and R-CRC.
    #[error(transparent)]
    CutOff(#[from] CutOff),
    /// Another version.
    #[error(
        "reliability header of version {found}: only version {VERSION} is known; set both ends to one format"
    )]
    Version {
        /// Version in the header.
        found: u8,
    },
    /// The R-CRC is wrong.
    #[error(
        "R-CRC: the PDU has {received:08X}, its octets give {computed:08X}; it was damaged inside a device"
    )]
    RCrc {
        /// R-CRC at the end of the PDU.
        received: u32,
        /// R-CRC of what is before it.
        computed: u32,
    },
    /// A field out of range.
    #[error(transparent)]
    Field(#[from] FieldError),
}

impl PduError {
    /// The counter of a dropped PDU.
    #[must_use]
    pub const fn counter(&self) -> DropCounter {
        match self {
            PduError::RCrc { .. } => DropCounter::RCrc,
            PduError::CutOff(_) | PduError::Version { .. } | PduError::Field(_) => {
                DropCounter::ReliabilityHeaderBad
            }
        }
    }
}

impl ReliabilityHeader {
    /// The eight octets of the header; reserved bits are 0.
    pub fn encode(&self) -> Result<Vec<u8>, FieldError> {
        let mut octets = Writer::default();
        let fields = [
            (header::ver::FIELD, VERSION),
            (header::op::FIELD, self.operation.code().into()),
            (header::xpuid::FIELD, self.source.into()),
            (header::npsn::FIELD, self.psn.into()),
            (header::vc::FIELD, self.vc.into()),
            (header::partition::FIELD, self.partition.into()),
            (header::apsn::FIELD, self.acknowledged.into()),
        ];
        octets.word(&header::LAYOUT, &fields)?;
        Ok(octets.finish())
    }

    /// The header at the start of a PDU; reserved bits are ignored.
    pub fn decode(octets: &[u8]) -> Result<Self, PduError> {
        let word = Reader(octets).word(&header::LAYOUT)?;
        let found = word.get_u8(header::ver::FIELD);
        let operation = Operation::from_code(word.get_u8(header::op::FIELD));
        match operation {
            Some(operation) if u64::from(found) == VERSION => Ok(ReliabilityHeader {
                operation,
                source: word.get_u16(header::xpuid::FIELD),
                psn: word.get_u16(header::npsn::FIELD),
                vc: word.get_u8(header::vc::FIELD),
                partition: word.get_u16(header::partition::FIELD),
                acknowledged: word.get_u16(header::apsn::FIELD),
            }),
            _ => Err(PduError::Version { found }),
        }
    }
}

/// A PDU without its R-CRC.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pdu {
    /// Reliability header.
    pub header: ReliabilityHeader,
    /// Body, padding included.
    pub body: Vec<u8>,
}

impl Pdu {
    /// The octets of the PDU, R-CRC included.
    pub fn encode(&self) -> Result<Vec<u8>, FieldError> {
        let mut octets = self.header.encode()?;
        octets.extend(&self.body);
        let crc = r_crc_of(&octets);
        octets.extend(crc.to_le_bytes());
        Ok(octets)
    }

    /// The PDU in these octets: version first, then R-CRC (chapter 50, 4.6). The body is not looked at.
    pub fn decode(octets: &[u8]) -> Result<Self, PduError> {
        let header = ReliabilityHeader::decode(octets)?;
        let cut = CutOff { layout: "PDU", needed: HEADER_BYTES + CRC_BYTES, found: octets.len() };
        let (covered, crc) = octets.split_last_chunk::<CRC_BYTES>().ok_or(cut)?;
        let body = covered.get(HEADER_BYTES..).ok_or(cut)?.to_vec();
        let (received, computed) = (u32::from_le_bytes(*crc), r_crc_of(covered));
        if received != computed {
            return Err(PduError::RCrc { received, computed });
        }
        Ok(Pdu { header, body })
    }

    /// True for a PDU that only acknowledges: its body starts with END, or there is none. It consumes no PSN.
    #[must_use]
    pub fn is_ack_only(&self) -> bool {
        self.body.iter().take(command::HEADER_BYTES).all(|octet| *octet == 0)
    }
}

/// The R-CRC of header and body.
#[must_use]
pub fn r_crc_of(octets: &[u8]) -> u32 {
    R_CRC.checksum(octets)
}

/// True if the octets end with their R-CRC, found by the residue, without knowing where the R-CRC starts.
#[must_use]
pub fn has_r_crc_residue(octets: &[u8]) -> bool {
    r_crc_of(octets) ^ r_crc::FINAL_XOR == r_crc::RESIDUE
}
