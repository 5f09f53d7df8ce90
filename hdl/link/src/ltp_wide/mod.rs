//! What modes 2 and 3 of chapter 10, 3.5 need at both ends: LTPs of 1088 bits, their CRCs, where mode 3 puts them.
//!
//! - [`CrcModes`]: which modes are built into a block.
//! - [`WideCrc`]: the four CRCs of mode 2, the three or four of mode 3, one beat per clock.
//! - [`layout`]: in mode 3 the last words of an LTP are cut up; everywhere else its bits stand as in mode 2. So the ends
//!   of LTPs are put together, and taken apart, by a few fixed maps of bits.
//!
//! LTP bit 64F k is the first of a *window* of 2F whole words. Beat k, of the sender's data or of the wire, begins inside
//! window k and ends less than two words after it; moved up by 0 to 64 bits it lies on whole words, and each bit's place
//! says which CRC it belongs to.

mod crc;
pub mod layout;
mod plan;

pub use crc::WideCrc;

use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::ltp::{CrcMode, DATA_BITS, FLITS_PER_LTP, OVERLAPPING48_CRC_LOW, WORD_BITS};

/// Bits of all CRCs of an LTP: four of 12, or three of 16.
pub const CRC_BITS: usize = CrcMode::Overlapping48.polynomials(1).len() * LOW_CRC_BITS;
/// Bits of a CRC of mode 2, and of mode 3 on four lanes.
const LOW_CRC_BITS: usize = CrcMode::PerLane.polynomials(4)[0].width();
/// Bits of the largest window from its start on: a beat's window, two words more, and the CRCs of mode 2 apart.
pub const fn window_bits(flits: usize) -> usize {
    window(flits) + BEYOND_BITS + CRC_BITS
}
/// Bits of a window of 2F words.
pub(crate) const fn window(flits: usize) -> usize {
    2 * WORD_BITS * flits
}
/// Bits after a window that a beat may reach.
pub(crate) const BEYOND_BITS: usize = 2 * WORD_BITS;
/// Data bits after the last window of an LTP.
pub(crate) const LAST_DATA_BITS: usize = OVERLAPPING48_CRC_LOW[0] - FLITS_PER_LTP * 2 * WORD_BITS;
const _: () = assert!(OVERLAPPING48_CRC_LOW[0] == DATA_BITS && LAST_DATA_BITS + CRC_BITS == BEYOND_BITS);

/// CRC modes built into a block besides mode 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CrcModes {
    /// None: what is for mode 1 has nothing to do.
    Standard,
    /// Mode 1: LTPs of 1056 bits alone.
    #[default]
    Narrow,
    /// Modes 1, 2 and 3.
    All,
}

impl CrcModes {
    /// As register CAP has them: bit 0 mode 1, bit 1 mode 2, bit 2 mode 3.
    pub const fn caps(self) -> u64 {
        match self {
            CrcModes::Standard => 0,
            CrcModes::Narrow => NARROW_CAPS,
            CrcModes::All => ALL_CAPS,
        }
    }

    /// The modes of such a number, if blocks are made for them.
    pub fn from_caps(block: &str, caps: u64) -> Result<Self, ConfigError> {
        match caps {
            0 => Ok(CrcModes::Standard),
            NARROW_CAPS => Ok(CrcModes::Narrow),
            ALL_CAPS => Ok(CrcModes::All),
            _ => Err(ConfigError::new(
                block,
                "crc_modes",
                caps,
                format!("0 (mode 0), {NARROW_CAPS} (modes 0, 1) or {ALL_CAPS} (all)"),
                "modes 2 and 3 share their parts: build both or none",
            )),
        }
    }

    /// Copies of the parts for modes 2 and 3 in a block: 0 or 1.
    pub const fn wide(self) -> usize {
        match self {
            CrcModes::Standard | CrcModes::Narrow => 0,
            CrcModes::All => 1,
        }
    }
}

/// CAP of modes 0 and 1.
pub const NARROW_CAPS: u64 = 1 << (CrcMode::Bits14.code() - 1);
/// CAP of all modes.
pub const ALL_CAPS: u64 =
    NARROW_CAPS | 1 << (CrcMode::Overlapping48.code() - 1) | 1 << (CrcMode::PerLane.code() - 1);

/// Parameter of the blocks that come with or without modes 2 and 3.
pub(crate) const CRC_MODES: ParameterInfo = ParameterInfo::new(
    "crc_modes",
    NARROW_CAPS,
    Allowed::OneOf(&[NARROW_CAPS, ALL_CAPS]),
    "CRC modes built besides mode 0, as CAP has them: bit 0 mode 1, bit 1 mode 2, bit 2 mode 3",
);

/// As many copies of a part as the type has room for.
pub(crate) fn copies<T, const WIDE: usize>(
    block: &str,
    make: impl Fn() -> Result<T, ConfigError>,
) -> Result<[T; WIDE], ConfigError> {
    let parts = (0..WIDE).map(|_| make()).collect::<Result<Vec<_>, _>>()?;
    parts
        .try_into()
        .map_err(|_| ConfigError::new(block, "WIDE", WIDE, "as many parts as asked for", "report this"))
}

/// Refuses other numbers of copies than 0 and 1, and a width that does not fit; `bits` counts only if there is a copy.
pub(crate) fn check_wide(block: &str, flits: usize, bits: usize, wide: usize) -> Result<(), ConfigError> {
    flitforge_hdl_registry::config::check_range(block, "wide", wide as u64, 0, 1)?;
    if wide == 0 {
        return Ok(());
    }
    let derived = window_bits(flits) as u64;
    flitforge_hdl_registry::config::check_derived(
        block,
        "window_bits",
        bits as u64,
        "64 * flits + 112",
        derived,
    )
}
