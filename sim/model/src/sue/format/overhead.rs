//! Octets on the wire (chapter 50, 8 E14) and cells of credit-based flow control (4.7).

use super::body::{minimum_body, transport_bytes};
use super::network::Framing;
use flitforge_protocol::sue::crc::CRC_BYTES;
use flitforge_protocol::sue::link_control::{CELL_BYTES_MIN, CELL_EXPONENT_MAX, PREAMBLE_BYTES};
use flitforge_protocol::sue::{INTER_PACKET_GAP, PACKET_OVERHEAD_MIN};
use thiserror::Error;

/// Octets of a frame without FCS for a body of `body_bytes`, padded to `min_frame`.
#[must_use]
pub fn frame_bytes(framing: Framing, body_bytes: usize, min_frame: usize) -> usize {
    let body = body_bytes.max(minimum_body(min_frame, framing));
    framing.header_bytes() + transport_bytes(framing.transport()) + body
}

/// Octets that such a frame takes on the wire: preamble, frame, FCS and inter-packet gap.
#[must_use]
pub fn wire_bytes(framing: Framing, body_bytes: usize, min_frame: usize) -> usize {
    PREAMBLE_BYTES + frame_bytes(framing, body_bytes, min_frame) + CRC_BYTES + INTER_PACKET_GAP
}

/// What frames of equal commands carry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Goodput {
    /// Commands in a frame.
    pub commands: usize,
    /// Data octets in a frame.
    pub data_bytes: usize,
    /// Octets of the frame on the wire.
    pub wire_bytes: usize,
}

impl Goodput {
    /// Data octets per octet on the wire.
    #[must_use]
    pub fn efficiency(&self) -> f64 {
        self.data_bytes as f64 / self.wire_bytes as f64
    }
}

/// Commands of one size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommandSize {
    /// Octets of header and control.
    pub overhead: usize,
    /// Data octets.
    pub data: usize,
}

/// Frames of `commands` commands each.
#[must_use]
pub fn goodput(framing: Framing, size: CommandSize, commands: usize, min_frame: usize) -> Goodput {
    let wire_bytes = wire_bytes(framing, commands * (size.overhead + size.data), min_frame);
    Goodput { commands, data_bytes: commands * size.data, wire_bytes }
}

/// Most commands that a body of `pack_max` octets takes.
#[must_use]
pub const fn packed(size: CommandSize, pack_max: usize) -> usize {
    match pack_max.checked_div(size.overhead + size.data) {
        Some(commands) => commands,
        None => 0,
    }
}

/// How frames are counted in cells (P_CELL).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CellRule {
    cell_bytes: usize,
    packet_overhead: i8,
}

/// A rule that cannot be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum CellError {
    /// CELL out of range.
    #[error("CELL exponent {exponent}: has to be 0 to {CELL_EXPONENT_MAX}, for cells of 32 to 2048 octets")]
    Exponent {
        /// n of 32 · 2^n.
        exponent: u8,
    },
    /// PKT_OVHD out of range.
    #[error("PKT_OVHD {overhead}: has to be {PACKET_OVERHEAD_MIN} to 127")]
    Overhead {
        /// Octets.
        overhead: i8,
    },
}

impl CellRule {
    /// Cells of 32 · 2^`exponent` octets, and what a frame costs beyond its octets.
    pub const fn new(exponent: u8, packet_overhead: i8) -> Result<Self, CellError> {
        if exponent > CELL_EXPONENT_MAX {
            return Err(CellError::Exponent { exponent });
        }
        if packet_overhead < PACKET_OVERHEAD_MIN {
            return Err(CellError::Overhead { overhead: packet_overhead });
        }
        Ok(CellRule { cell_bytes: CELL_BYTES_MIN << exponent, packet_overhead })
    }

    /// Cells of a frame of `frame_bytes` octets with its FCS.
    #[must_use]
    pub fn cells(&self, frame_bytes: usize) -> usize {
        frame_bytes.saturating_add_signed(self.packet_overhead.into()).div_ceil(self.cell_bytes)
    }
}
