//! Beats and wire beats (chapter 10, 3.4, 3.5 and 4).

use crate::flit::FLIT_BITS;
use crate::ltp::{CrcMode, FLITS_PER_LTP};

/// Allowed values of `FLITS_PER_BEAT`, F.
pub const FLITS_PER_BEAT: [usize; 3] = [1, 2, 4];
/// Wire bits that go with each flit in the 1056-bit modes (0, 1).
pub const WIRE_BITS_PER_FLIT_1056: usize = 66;
/// Wire bits that go with each flit in the 1088-bit modes (2, 3).
pub const WIRE_BITS_PER_FLIT_1088: usize = 68;
/// Wire bits per flit that a wire beat's payload must have room for, whatever the mode.
pub const MAX_WIRE_BITS_PER_FLIT: usize = WIRE_BITS_PER_FLIT_1088;

/// True if F is 1, 2 or 4.
#[must_use]
pub const fn is_flits_per_beat(f: usize) -> bool {
    f == 1 || f == 2 || f == 4
}

/// Bits of a beat of F flits: 65 F.
#[must_use]
pub const fn flit_beat_bits(f: usize) -> usize {
    FLIT_BITS * f
}

/// Wire bits that go with each flit: 66 or 68.
#[must_use]
pub const fn wire_bits_per_flit(mode: CrcMode) -> usize {
    match mode {
        CrcMode::Standard | CrcMode::Bits14 => WIRE_BITS_PER_FLIT_1056,
        CrcMode::Overlapping48 | CrcMode::PerLane => WIRE_BITS_PER_FLIT_1088,
    }
}

/// Bits of a wire beat: B = 66 F in modes 0 and 1, 68 F in modes 2 and 3.
#[must_use]
pub const fn wire_beat_bits(mode: CrcMode, f: usize) -> usize {
    wire_bits_per_flit(mode) * f
}

/// Bits of the widest wire beat at F flits: 68 F, the payload width of hardware streams.
#[must_use]
pub const fn max_wire_beat_bits(f: usize) -> usize {
    MAX_WIRE_BITS_PER_FLIT * f
}

/// Beats of an LTP at F flits per beat: 16 / F, for beats and wire beats alike.
#[must_use]
pub const fn beats_per_ltp(f: usize) -> usize {
    FLITS_PER_LTP / f
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ltp::ltp_bits;

    #[test]
    fn wire_beats_fill_an_ltp_exactly() {
        for &mode in CrcMode::ALL {
            for f in FLITS_PER_BEAT {
                assert_eq!(wire_beat_bits(mode, f) * beats_per_ltp(f), ltp_bits(mode));
            }
        }
    }

    #[test]
    fn no_payload_is_wider_than_272_bits() {
        assert_eq!(max_wire_beat_bits(4), 272);
    }
}
