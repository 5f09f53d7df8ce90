//! Frames: frame check sequence (FCS), poisoned frames, and where a received frame goes (chapter 50, 0, 3.3, 3.5, 3.7).

use super::link_control::Sequence;
use super::network::{Framing, Network};
use super::octets::{pack, CutOff, FieldError, Reader};
use crc::{Algorithm, Crc};
use flitforge_protocol::sue::crc::{fcs, CRC_BYTES};
use flitforge_protocol::sue::link_control::{llr_sequence, MAC_CONTROL_ETHERTYPE};
use flitforge_protocol::sue::network::{
    addresses, afh2_compressed, afh_key, ethertype, tag, HeaderFormat, TAG_TPID,
};
use thiserror::Error;

const FCS: Crc<u32> = Crc::<u32>::new(&Algorithm {
    width: fcs::WIDTH as u8,
    poly: fcs::POLYNOMIAL,
    init: fcs::INITIAL,
    refin: true,
    refout: true,
    xorout: fcs::FINAL_XOR,
    check: fcs::CHECK,
    residue: fcs::RESIDUE,
});

/// What the FCS runs over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FcsCover {
    /// The frame.
    Frame,
    /// `LLR_FCS_SEQ`: the sequence number and the flags of the preamble, then the frame.
    SequenceAndFrame {
        /// Sequence number.
        sequence: Sequence,
        /// Flags.
        flags: u8,
    },
}

/// Whether a sender lets a frame stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrameState {
    /// A good frame.
    Good,
    /// Marked bad by its sender: the FCS is inverted.
    Poisoned,
}

/// Why a frame is not taken.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum FcsError {
    /// Shorter than an FCS.
    #[error(transparent)]
    CutOff(#[from] CutOff),
    /// A sequence number out of range.
    #[error(transparent)]
    Field(#[from] FieldError),
    /// The FCS is inverted: accepted by link-layer retry, dropped above it, no NACK.
    #[error("poisoned frame: its FCS {received:08X} is inverted, its sender has marked it bad")]
    Poisoned {
        /// FCS of the frame.
        received: u32,
    },
    /// The FCS is wrong.
    #[error("FCS: the frame has {received:08X}, its octets give {computed:08X}; it was damaged on the wire")]
    Wrong {
        /// FCS of the frame.
        received: u32,
        /// FCS of its octets.
        computed: u32,
    },
}

/// The FCS of a frame.
pub fn fcs_of(frame: &[u8], cover: FcsCover) -> Result<u32, FieldError> {
    let mut digest = FCS.digest();
    if let FcsCover::SequenceAndFrame { sequence, flags } = cover {
        let fields =
            [(llr_sequence::seq::FIELD, sequence.value().into()), (llr_sequence::flags::FIELD, flags.into())];
        digest.update(&(pack(&llr_sequence::LAYOUT, &fields)? as u32).to_be_bytes());
    }
    digest.update(frame);
    Ok(digest.finalize())
}

/// The frame with its FCS, as it goes to the wire.
pub fn seal(frame: &[u8], cover: FcsCover, state: FrameState) -> Result<Vec<u8>, FieldError> {
    let fcs = fcs_of(frame, cover)?;
    let sent = match state {
        FrameState::Good => fcs,
        FrameState::Poisoned => !fcs,
    };
    Ok([frame, &sent.to_le_bytes()].concat())
}

/// The frame without its FCS.
pub fn open(wire: &[u8], cover: FcsCover) -> Result<&[u8], FcsError> {
    let cut = CutOff { layout: "FCS", needed: CRC_BYTES, found: wire.len() };
    let (frame, fcs) = wire.split_last_chunk::<CRC_BYTES>().ok_or(cut)?;
    let received = u32::from_le_bytes(*fcs);
    let computed = fcs_of(frame, cover)?;
    match received {
        fcs if fcs == computed => Ok(frame),
        fcs if fcs == !computed => Err(FcsError::Poisoned { received }),
        _ => Err(FcsError::Wrong { received, computed }),
    }
}

/// Where a received frame goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrameFor {
    /// MAC control: PFC and CC_Update.
    FlowControl,
    /// Event frames of chapter 40, `aux_rx`.
    Events,
    /// Decapsulation.
    Decapsulation,
    /// Everything else: extracted if the address is the own one or a group, else dropped.
    Extraction,
}

/// Where a frame without FCS goes. The first octet decides where the Ethertype is.
pub fn demultiplex(frame: &[u8], network: &Network) -> Result<FrameFor, CutOff> {
    let config = network.config();
    let is_compressed = Reader(frame).word(&afh_key::LAYOUT)?.get(afh_key::w::FIELD) == 1;
    let mut reader = Reader(frame);
    reader.word(if is_compressed { &afh2_compressed::LAYOUT } else { &addresses::LAYOUT })?;
    let mut after_tag = reader;
    let first = reader.word(&ethertype::LAYOUT)?.get_u16(ethertype::value::FIELD);
    let takes_tags = matches!(config.framing, Framing::Standard { .. } | Framing::AfhGen1 { .. });
    let found = if !is_compressed && takes_tags && u64::from(first) == TAG_TPID {
        after_tag.word(&tag::LAYOUT)?;
        after_tag.word(&ethertype::LAYOUT)?.get_u16(ethertype::value::FIELD)
    } else {
        first
    };
    let wants_compressed = config.framing.format() == HeaderFormat::AfhGen2Compressed;
    Ok(match found {
        _ if !is_compressed && first == MAC_CONTROL_ETHERTYPE => FrameFor::FlowControl,
        _ if !is_compressed && first == config.ethertypes.event => FrameFor::Events,
        found
            if found == config.ethertype()
                && (is_compressed == wants_compressed || is_afh2(config.framing)) =>
        {
            FrameFor::Decapsulation
        }
        _ => FrameFor::Extraction,
    })
}

/// AFH Gen 2 frames with the other key go to decapsulation, too, which counts them.
const fn is_afh2(framing: Framing) -> bool {
    matches!(framing, Framing::AfhGen2 | Framing::AfhGen2Compressed)
}
