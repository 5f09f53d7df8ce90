//! Where on the line a bit goes: the line position that a port gives to chapter 20 (chapter 10, 4.7).
//!
//! The lanes of a direction go in step, so one count of words stands for all of them: word 0 is the first one after the start
//! row, and ALN rows count. A bit's position is the word of the count that carries it and how far inside that word it is sent.

use flitforge_protocol::flit::FLIT_BITS;
use flitforge_protocol::lane_word::{ALN_INTERVAL_ROWS, LINE_POSITION_FRACTION_BITS};
use flitforge_protocol::ltp::{ltp_bits, CrcMode, WORD_BITS};

/// Position of bit `bit` of LTP `ltp` on `lanes` lanes, in 1/256 words; `ltp` counts every LTP on the line from the start row on.
#[must_use]
pub const fn of_bit(mode: CrcMode, lanes: usize, ltp: u64, bit: usize) -> u64 {
    let bits = ltp * ltp_bits(mode) as u64 + bit as u64;
    let row = bits / WORD_BITS as u64 / lanes as u64;
    let words = row + row / ALN_INTERVAL_ROWS as u64;
    (words << LINE_POSITION_FRACTION_BITS)
        + ((bits % WORD_BITS as u64) << LINE_POSITION_FRACTION_BITS) / WORD_BITS as u64
}

/// Position of the first bit of a beat of `flits` flits, the `beat`-th of its LTP.
#[must_use]
pub const fn of_beat(mode: CrcMode, lanes: usize, flits: usize, ltp: u64, beat: usize) -> u64 {
    of_bit(mode, lanes, ltp, FLIT_BITS * flits * beat)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::{LaneDistributor, LaneSetup, LaneWord};
    use crate::scrambler::Scrambler;

    /// The words of so many LTPs on the lanes, every LTP with one bit set, and where that bit is found: word of the lane after the
    /// start row, and bit of the word.
    fn found(mode: CrcMode, lanes: &[usize], ltps: u64, bit: impl Fn(u64) -> usize) -> Vec<(u64, usize)> {
        let bits = ltp_bits(mode);
        let mut words = vec![0u32; (ltps as usize * bits).div_ceil(WORD_BITS)];
        for ltp in 0..ltps {
            let at = ltp as usize * bits + bit(ltp);
            words[at / WORD_BITS] |= 1 << (at % WORD_BITS);
        }
        let mut distributor = LaneDistributor::new(LaneSetup::new(lanes, mode).unwrap()).unwrap();
        distributor.push(&words);
        let mut scramblers: Vec<_> = lanes.iter().map(|lane| Scrambler::new(*lane).unwrap()).collect();
        let mut places = vec![];
        let mut row = 0u64;
        for words in distributor.rows().unwrap() {
            for (scrambler, word) in scramblers.iter_mut().zip(words) {
                let LaneWord::Data(word) = word else { continue };
                let clear = word ^ scrambler.next_word();
                places.extend((0..WORD_BITS).filter(|bit| clear >> bit & 1 == 1).map(|bit| (row - 1, bit)));
            }
            row += 1;
        }
        places
    }

    #[test]
    fn a_bit_is_where_the_lanes_carry_it() {
        let modes = [CrcMode::Standard, CrcMode::Bits14, CrcMode::Overlapping48];
        for mode in modes {
            for lanes in [&[0, 1, 2, 3][..], &[1, 2, 3], &[0, 2], &[3]] {
                // Three ALN rows.
                let ltps = (3 * ALN_INTERVAL_ROWS * lanes.len() / (ltp_bits(mode) / WORD_BITS)) as u64
                    + 3 * lanes.len() as u64;
                let bit = |ltp: u64| (ltp * 71 % 1040) as usize;
                let places = found(mode, lanes, ltps, bit);
                assert!(places.len() as u64 + 4 > ltps, "{} of {ltps}", places.len());
                for (ltp, (word, inside)) in places.into_iter().enumerate() {
                    let ltp = ltp as u64;
                    let position = of_bit(mode, lanes.len(), ltp, bit(ltp));
                    assert_eq!(position, word * 256 + inside as u64 * 8, "{mode:?}, {lanes:?}, LTP {ltp}");
                }
            }
        }
    }

    #[test]
    fn beats_begin_at_their_first_flit() {
        for (flits, beat) in [(1, 15), (2, 7), (4, 3)] {
            for mode in [CrcMode::Standard, CrcMode::Overlapping48] {
                assert_eq!(of_beat(mode, 4, flits, 5, 0), of_bit(mode, 4, 5, 0));
                assert_eq!(of_beat(mode, 3, flits, 5, beat), of_bit(mode, 3, 5, FLIT_BITS * (16 - flits)));
            }
        }
        // Flit i of an LTP begins in bit i of word 2i: 780 is bit 12 of word 24, which is in row 6 of four lanes.
        assert_eq!(of_beat(CrcMode::Standard, 4, 4, 0, 3), 6 * 256 + 12 * 8);
        // LTP 124 begins in word 4092 of one lane, and row 4096 comes after the first ALN row.
        let on_one_lane = |ltp, beat| of_beat(CrcMode::Standard, 1, 2, ltp, beat);
        assert_eq!(on_one_lane(124, 0), 4092 * 256);
        assert_eq!(on_one_lane(124, 1), (4096 + 1) * 256 + 2 * 8);
        assert_eq!(on_one_lane(125, 0), (4125 + 1) * 256);
    }
}
