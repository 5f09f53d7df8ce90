//! Link transfer packets: CRC modes, lengths and positions (chapter 10, 3.5).
//!
//! Bit b of an LTP, b = 0 sent first. Flit i bit j is data bit D[65 i + j]. A CRC of width r is sent highest
//! coefficient first: its first bit on the wire is crc[r-1].

use crate::crc::{self, Polynomial};
use crate::flit::FLIT_BITS;

/// Flits of an LTP.
pub const FLITS_PER_LTP: usize = 16;
/// Data bits of an LTP, D[0] to D[1039].
pub const DATA_BITS: usize = FLITS_PER_LTP * FLIT_BITS;
/// Bits of a lane word.
pub const WORD_BITS: usize = 32;
/// Bits of an LTP in modes 0 and 1.
pub const BITS_1056: usize = 1056;
/// Bits of an LTP in modes 2 and 3.
pub const BITS_1088: usize = 1088;
/// Position of the CRC in mode 0.
pub const STANDARD_CRC_LOW: usize = 1040;
/// Positions of the sideband bits c0 and c1 in mode 1.
pub const SIDEBAND_LOW: usize = 1040;
/// Number of sideband bits in mode 1.
pub const SIDEBAND_BITS: usize = 2;
/// Position of the CRC in mode 1.
pub const BITS14_CRC_LOW: usize = 1042;
/// Positions of CRC A, B, C, D in mode 2.
pub const OVERLAPPING48_CRC_LOW: [usize; 4] = [1040, 1052, 1064, 1076];
/// Data bits after flit 0 of a Null LTP: reserved, sent as zero, covered by the CRC, ignored by the receiver.
pub const NULL_RESERVED_BITS: usize = DATA_BITS - FLIT_BITS;

coded_enum! {
    /// CRC mode of a direction (chapter 10, 3.5). The code is the one in the start row (3.6).
    CrcMode: u8, {
        Standard = 0, "standard", "1056 bits, one CRC of 16 bits";
        Bits14 = 1, "14-bit", "1056 bits, two credit sideband bits and one CRC of 14 bits";
        Overlapping48 = 2, "48b overlapping", "1088 bits, four CRCs of 12 bits over all data";
        PerLane = 3, "per lane", "1088 bits, one CRC per transfer group; three or four lanes";
    }
}

impl CrcMode {
    /// True if the mode can run on this number of lanes: mode 3 needs 3 or 4, the others 1 to 4.
    #[must_use]
    pub const fn allows_lanes(self, lanes: usize) -> bool {
        match self {
            CrcMode::PerLane => lanes == 3 || lanes == 4,
            _ => lanes >= 1 && lanes <= 4,
        }
    }

    /// The default polynomials: one in modes 0 and 1, four in mode 2, one for all groups in mode 3.
    ///
    /// In mode 3 with fewer than three lanes there is none: the slice is empty.
    #[must_use]
    pub const fn polynomials(self, lanes: usize) -> &'static [Polynomial] {
        match self {
            CrcMode::Standard => &[crc::STANDARD],
            CrcMode::Bits14 => &[crc::BITS14],
            CrcMode::Overlapping48 => &crc::OVERLAPPING48,
            CrcMode::PerLane if lanes == 4 => &[crc::PER_LANE_4],
            CrcMode::PerLane if lanes == 3 => &[crc::PER_LANE_3],
            CrcMode::PerLane => &[],
        }
    }
}

/// Bits of an LTP: 1056 or 1088.
#[must_use]
pub const fn ltp_bits(mode: CrcMode) -> usize {
    match mode {
        CrcMode::Standard | CrcMode::Bits14 => BITS_1056,
        CrcMode::Overlapping48 | CrcMode::PerLane => BITS_1088,
    }
}

/// Lane words of an LTP, N: 33 or 34.
#[must_use]
pub const fn ltp_words(mode: CrcMode) -> usize {
    ltp_bits(mode) / WORD_BITS
}

/// Data bits the CRC covers besides its own bits: D, in mode 1 with the two sideband bits.
#[must_use]
pub const fn covered_bits(mode: CrcMode) -> usize {
    match mode {
        CrcMode::Bits14 => DATA_BITS + SIDEBAND_BITS,
        _ => DATA_BITS,
    }
}

/// Mode 3: bits of each group's CRC, 12 on four lanes and 16 on three; 0 where mode 3 cannot run.
#[must_use]
pub const fn per_lane_crc_width(lanes: usize) -> usize {
    match lanes {
        4 => crc::PER_LANE_4.width(),
        3 => crc::PER_LANE_3.width(),
        _ => 0,
    }
}

/// Mode 3: the last word of group `group`, whose top bits hold the group's CRC.
#[must_use]
pub const fn per_lane_crc_word(lanes: usize, group: usize) -> usize {
    let last = ltp_words(CrcMode::PerLane) - 1;
    last - (last + lanes - group) % lanes
}

/// Mode 3: LTP position of the first bit of the CRC of group `group`.
#[must_use]
pub const fn per_lane_crc_low(lanes: usize, group: usize) -> usize {
    WORD_BITS * per_lane_crc_word(lanes, group) + WORD_BITS - per_lane_crc_width(lanes)
}

/// Mode 3: true if LTP bit `bit` belongs to a group's CRC and not to the data.
#[must_use]
pub const fn is_per_lane_crc_bit(lanes: usize, bit: usize) -> bool {
    let word = bit / WORD_BITS;
    word + lanes >= ltp_words(CrcMode::PerLane) && bit % WORD_BITS >= WORD_BITS - per_lane_crc_width(lanes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn per_lane_crc_stands_in_the_last_word_of_its_group() {
        let words = |lanes: usize| (0..lanes).map(|g| per_lane_crc_word(lanes, g)).collect::<Vec<_>>();
        assert_eq!(words(4), [32, 33, 30, 31]);
        assert_eq!(words(3), [33, 31, 32]);
    }

    #[test]
    fn per_lane_data_positions_hold_exactly_the_data() {
        for lanes in [3, 4] {
            let data = (0..BITS_1088).filter(|&bit| !is_per_lane_crc_bit(lanes, bit)).count();
            assert_eq!(data, DATA_BITS, "{lanes} lanes");
        }
    }

    #[test]
    fn crcs_end_with_the_ltp() {
        assert_eq!(STANDARD_CRC_LOW + crc::STANDARD.width(), BITS_1056);
        assert_eq!(BITS14_CRC_LOW + crc::BITS14.width(), BITS_1056);
        assert_eq!(OVERLAPPING48_CRC_LOW[3] + crc::OVERLAPPING48[3].width(), BITS_1088);
        assert_eq!(NULL_RESERVED_BITS, 975);
    }
}
