//! Fabric packets (chapter 10, 3.3): packet <-> head, body and tail flits, with the packet CRC; and packets on beats
//! (4.9): [`PacketSender`] and [`PacketReceiver`].

mod beats;
mod receiver;
mod sender;
#[cfg(test)]
mod tests;

pub use beats::{PacketEnd, PacketRules, Request, RulesError, Word};
pub use receiver::{PacketReceiver, ReceivedBeat};
pub use sender::{PacketSender, Sent};

use crate::flit::{Flit, FlitError};
use crc::{Algorithm, Crc};
use flitforge_protocol::crc::packet as parameters;
use flitforge_protocol::flit::{head as head_flit, FlitKind};
use flitforge_protocol::packet::{
    body_flits, head, packet_flits, tail, BYTES_PER_BODY, MAX_PAYLOAD_BYTES, MUTABLE_HEADER_BITS, VERSION,
};
use flitforge_protocol::Field;
use thiserror::Error;

const PACKET_CRC_ALGORITHM: Algorithm<u32> = Algorithm {
    width: parameters::WIDTH as u8,
    poly: parameters::POLYNOMIAL,
    init: parameters::INITIAL,
    refin: true,
    refout: true,
    xorout: parameters::FINAL_XOR,
    check: parameters::CHECK,
    residue: 0xB798_B438,
};
const PACKET_CRC: Crc<u32> = Crc::<u32>::new(&PACKET_CRC_ALGORITHM);

/// Header fields of a packet, without the length, which is the payload's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Header {
    /// Destination port address.
    pub dst: u16,
    /// Source port address.
    pub src: u16,
    /// Virtual lane, 0 to 15; a switch may change it.
    pub vl: u8,
    /// Packet type, 4 bits.
    pub ptype: u8,
    /// Forward congestion mark.
    pub fecn: bool,
    /// Backward congestion mark.
    pub becn: bool,
    /// Service level, 4 bits.
    pub sl: u8,
}

/// A fabric packet.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Packet {
    /// Header fields.
    pub header: Header,
    /// Payload, 0 to 10240 bytes.
    pub payload: Vec<u8>,
    /// The sender's tag, opaque.
    pub tag: u16,
}

/// Why a packet cannot be sent, or received flits are no good packet.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PacketError {
    /// Too much payload.
    #[error("packet payload of {bytes} bytes: at most {MAX_PAYLOAD_BYTES} fit")]
    TooLong {
        /// Bytes given.
        bytes: usize,
    },
    /// A flit of the wrong kind or a field out of range.
    #[error(transparent)]
    Flit(#[from] FlitError),
    /// The number of flits and the length in the head do not agree.
    #[error("packet of {len} bytes: {found} flits, expected {expected}")]
    FlitCount {
        /// Length field of the head.
        len: usize,
        /// Flits given.
        found: usize,
        /// Flits a packet of this length has.
        expected: usize,
    },
    /// Head and tail disagree about the length.
    #[error("packet length: head says {len}, tail says {len2}")]
    LengthCopy {
        /// Length in the head.
        len: usize,
        /// Length in the tail.
        len2: usize,
    },
    /// The packet CRC is wrong.
    #[error("packet CRC: tail has {received:08X}, flits give {computed:08X}")]
    Crc {
        /// CRC in the tail.
        received: u32,
        /// CRC of the flits.
        computed: u32,
    },
}

/// The packet CRC over a head flit and its padded body flits.
#[must_use]
pub fn packet_crc(head: Flit, bodies: &[Flit]) -> u32 {
    let mut digest = PACKET_CRC.digest();
    digest.update(&(head.data() & !MUTABLE_HEADER_BITS).to_le_bytes());
    bodies.iter().for_each(|body| digest.update(&body.data().to_le_bytes()));
    digest.finalize()
}

impl Header {
    /// The head flit of a packet of `len` bytes.
    pub fn encode(&self, len: usize) -> Result<Flit, FlitError> {
        let fields: [(Field, u64); 9] = [
            (head::dst::FIELD, self.dst.into()),
            (head::src::FIELD, self.src.into()),
            (head::vl::FIELD, self.vl.into()),
            (head::len::FIELD, len as u64),
            (head::ptype::FIELD, self.ptype.into()),
            (head::fecn::FIELD, self.fecn.into()),
            (head::becn::FIELD, self.becn.into()),
            (head::sl::FIELD, self.sl.into()),
            (head::ver::FIELD, VERSION),
        ];
        let mut word = head_flit::head_bit::FIELD.mask();
        for (field, value) in fields {
            if value > field.ones() {
                let (layout, largest) = (head::LAYOUT.name, field.ones());
                return Err(FlitError::Field { layout, field: field.name, value, largest });
            }
            word = field.set(word, value);
        }
        Ok(Flit::other(word as u64))
    }

    /// The header fields of a head flit.
    pub fn decode(flit: Flit) -> Result<Self, FlitError> {
        let word = u128::from(flit.expect(FlitKind::Head)?);
        Ok(Header {
            dst: head::dst::FIELD.get(word) as u16,
            src: head::src::FIELD.get(word) as u16,
            vl: head::vl::FIELD.get(word) as u8,
            ptype: head::ptype::FIELD.get(word) as u8,
            fecn: head::fecn::FIELD.get(word) == 1,
            becn: head::becn::FIELD.get(word) == 1,
            sl: head::sl::FIELD.get(word) as u8,
        })
    }
}

impl Packet {
    /// The packet's flits: head, body flits, tail.
    pub fn encode(&self) -> Result<Vec<Flit>, PacketError> {
        let len = self.payload.len();
        if len > MAX_PAYLOAD_BYTES {
            return Err(PacketError::TooLong { bytes: len });
        }
        let mut flits = vec![self.header.encode(len)?];
        flits.extend(self.payload.chunks(BYTES_PER_BODY).map(|chunk| {
            let mut bytes = [0; BYTES_PER_BODY];
            bytes[..chunk.len()].copy_from_slice(chunk);
            Flit::body(u64::from_le_bytes(bytes))
        }));
        let pcrc = packet_crc(flits[0], &flits[1..]);
        let trailer = tail::pcrc::FIELD.set(0, pcrc.into());
        let trailer = tail::len2::FIELD.set(tail::tag::FIELD.set(trailer, self.tag.into()), len as u64);
        flits.push(Flit::tail(trailer as u64));
        Ok(flits)
    }

    /// The packet of these flits; a wrong length, order, length copy or CRC is an error.
    pub fn decode(flits: &[Flit]) -> Result<Self, PacketError> {
        let [first, bodies @ .., last] = flits else {
            return Err(PacketError::FlitCount { len: 0, found: flits.len(), expected: packet_flits(0) });
        };
        let header = Header::decode(*first)?;
        let len = head::len::FIELD.get(first.bits()) as usize;
        if len > MAX_PAYLOAD_BYTES {
            return Err(PacketError::TooLong { bytes: len });
        }
        if bodies.len() != body_flits(len) {
            return Err(PacketError::FlitCount { len, found: flits.len(), expected: packet_flits(len) });
        }
        let mut payload = Vec::with_capacity(bodies.len() * BYTES_PER_BODY);
        for body in bodies {
            payload.extend(body.expect(FlitKind::Body)?.to_le_bytes());
        }
        payload.truncate(len);
        let trailer = u128::from(last.expect(FlitKind::Tail)?);
        let len2 = tail::len2::FIELD.get(trailer) as usize;
        if len2 != len {
            return Err(PacketError::LengthCopy { len, len2 });
        }
        let received = tail::pcrc::FIELD.get(trailer) as u32;
        let computed = packet_crc(*first, bodies);
        if received != computed {
            return Err(PacketError::Crc { received, computed });
        }
        Ok(Packet { header, payload, tag: tail::tag::FIELD.get(trailer) as u16 })
    }
}
