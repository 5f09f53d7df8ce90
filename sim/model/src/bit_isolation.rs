//! Which bits of a bad LTP were wrong (chapter 10, 4.4 and 9): the bad LTP is kept and XORed with its replay.
//!
//! [`crate::isolate`] names the lane by a CRC of each group; this names every bit, since it keeps the words.

use crate::isolate::physical_lanes;
use crate::stripe::{LaneCountError, Stripe};
use flitforge_protocol::bit_isolation::{bit_report, WRONG_BITS_MAX};
use flitforge_protocol::ltp::WORD_BITS;

/// Where a wrong bit came in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BitPlace {
    /// Bit of the LTP.
    pub bit: usize,
    /// The lane it came on, by the sender's numbers.
    pub lane: usize,
    /// Bits of the same LTP before it on that lane.
    pub line_bit: usize,
}

impl BitPlace {
    /// The word of the LTP it stands in.
    #[must_use]
    pub const fn word(&self) -> usize {
        self.bit / WORD_BITS
    }

    /// Its number in that word.
    #[must_use]
    pub const fn bit_of_word(&self) -> usize {
        self.bit % WORD_BITS
    }
}

/// What the comparison of a bad LTP with its replay says.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct BitReport {
    /// Words with wrong bits, ascending: word of the LTP, and its wrong bits.
    pub masks: Vec<(usize, u32)>,
    /// Number of wrong bits.
    pub wrong_bits: u64,
    /// The first wrong bit; none if only a code error made the LTP bad.
    pub first: Option<BitPlace>,
    /// The last wrong bit.
    pub last: Option<BitPlace>,
}

impl BitReport {
    /// As layout `bit_report` has it: `wrong_bits` stays at its maximum, places are 0 if there are none.
    #[must_use]
    pub fn encode(&self) -> u64 {
        use bit_report::{
            first_bit, first_lane, first_line_bit, last_bit, last_lane, last_line_bit, wrong_bits,
        };
        let nowhere = BitPlace { bit: 0, lane: 0, line_bit: 0 };
        let (first, last) = (self.first.unwrap_or(nowhere), self.last.unwrap_or(nowhere));
        self.wrong_bits.min(WRONG_BITS_MAX) << wrong_bits::LOW
            | (first.bit as u64) << first_bit::LOW
            | (first.line_bit as u64) << first_line_bit::LOW
            | (first.lane as u64) << first_lane::LOW
            | (last.bit as u64) << last_bit::LOW
            | (last.line_bit as u64) << last_line_bit::LOW
            | (last.lane as u64) << last_lane::LOW
    }
}

/// Keeps the first bad LTP of a retry and compares it with its replay, at the receiver of a direction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BitIsolation {
    groups: Stripe,
    /// Physical lane of each logical lane.
    physical: Vec<usize>,
    kept: Option<(Vec<u32>, usize)>,
}

impl BitIsolation {
    /// For a direction on these physical lanes (bit l = lane l); nothing is kept.
    pub fn new(lanes: u8) -> Result<Self, LaneCountError> {
        let physical = physical_lanes(lanes);
        Ok(BitIsolation { groups: Stripe::groups(physical.len())?, physical, kept: None })
    }

    /// Keeps this bad LTP, received in sequence state `state`, in place of what was kept.
    pub fn latch(&mut self, words: &[u32], state: usize) {
        self.kept = Some((words.to_vec(), state));
    }

    /// Forgets what is kept: its replay does not come, or the direction starts again.
    pub fn discard(&mut self) {
        self.kept = None;
    }

    /// True while a bad LTP waits for its replay.
    #[must_use]
    pub const fn is_latched(&self) -> bool {
        self.kept.is_some()
    }

    /// The good replay of what is kept, in any sequence state.
    pub fn replayed(&mut self, words: &[u32]) -> Option<BitReport> {
        let (bad, state) = self.kept.take()?;
        let differing = bad.iter().zip(words).map(|(bad, good)| bad ^ good).enumerate();
        let masks: Vec<(usize, u32)> = differing.filter(|(_, mask)| *mask != 0).collect();
        let first = masks.first().map(|(word, mask)| (*word, mask.trailing_zeros()));
        let last = masks.last().map(|(word, mask)| (*word, mask.ilog2()));
        Some(BitReport {
            wrong_bits: masks.iter().map(|(_, mask)| u64::from(mask.count_ones())).sum(),
            first: first.map(|(word, bit)| self.place(word, bit as usize, state)),
            last: last.map(|(word, bit)| self.place(word, bit as usize, state)),
            masks,
        })
    }

    /// Bit `bit` of a word of an LTP in this sequence state.
    fn place(&self, word: usize, bit: usize, state: usize) -> BitPlace {
        let lane_of = |word: usize| self.groups.in_state(state).lane(word);
        let before = (0..word).filter(|earlier| lane_of(*earlier) == lane_of(word)).count();
        BitPlace {
            bit: WORD_BITS * word + bit,
            lane: self.physical[lane_of(word)],
            line_bit: WORD_BITS * before + bit,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isolate::{Isolate, LaneVerdict};
    use flitforge_protocol::lane_word::{sequence_state, sequence_states};
    use flitforge_protocol::ltp::{ltp_words, CrcMode};

    /// The LTP of section 8, 4.4: n = 2 on four lanes, word 5 received as 7C687071 instead of 7C787470.
    #[test]
    fn the_example_of_section_8_has_three_wrong_bits_on_lane_3() {
        let mut good = vec![0; 33];
        good[5] = 0x7C78_7470;
        let mut bad = good.clone();
        bad[5] = 0x7C68_7071;
        let mut isolation = BitIsolation::new(0xF).expect("four lanes");
        isolation.latch(&bad, sequence_state(33, 4, 2));
        let report = isolation.replayed(&good).expect("latched");
        assert_eq!(report.masks, [(5, 0x0010_0401)]);
        assert_eq!(report.wrong_bits, 3);
        // Word 5 is the second word of its group, on logical lane (1 + 2) mod 4.
        assert_eq!(report.first, Some(BitPlace { bit: 160, lane: 3, line_bit: 32 }));
        assert_eq!(report.last, Some(BitPlace { bit: 180, lane: 3, line_bit: 52 }));
        assert_eq!((report.last.map(|place| (place.word(), place.bit_of_word()))), Some((5, 20)));
        assert!(!isolation.is_latched() && isolation.replayed(&good).is_none(), "nothing is kept afterwards");
    }

    #[test]
    fn every_bit_is_named_in_every_mode_width_and_state_and_its_lane_is_that_of_the_crcs() {
        for (mode, lanes) in [CrcMode::Standard, CrcMode::Overlapping48]
            .into_iter()
            .flat_map(|mode| [0b0001u8, 0b1010, 0b1101, 0b1111].map(|lanes| (mode, lanes)))
        {
            let (words, count) = (ltp_words(mode), lanes.count_ones() as usize);
            let good: Vec<u32> = (0..words as u32).map(|word| word.wrapping_mul(0x9E37_79B9)).collect();
            for state in 0..sequence_states(words, count) {
                let state = sequence_state(words, count, state as u64);
                for bit in 0..words * WORD_BITS {
                    let mut bad = good.clone();
                    bad[bit / WORD_BITS] ^= 1 << (bit % WORD_BITS);
                    let mut isolation = BitIsolation::new(lanes).expect("lanes");
                    isolation.latch(&bad, state);
                    let report = isolation.replayed(&good).expect("latched");
                    let place = report.first.expect("one bit");
                    assert_eq!((report.wrong_bits, report.first, place.bit), (1, report.last, bit));
                    let mut isolate = Isolate::new(mode, lanes).expect("lanes");
                    isolate.bad(&bad, &[1], state, true);
                    if let Some(LaneVerdict::Lane(lane)) = isolate.replayed(&good, state) {
                        assert_eq!(lane, place.lane);
                    }
                }
            }
        }
    }

    #[test]
    fn the_count_stays_at_its_maximum_and_no_wrong_bit_has_no_place() {
        let mut isolation = BitIsolation::new(0b0110).expect("two lanes");
        isolation.latch(&[u32::MAX; 33], 1);
        let report = isolation.replayed(&[0; 33]).expect("latched");
        assert_eq!((report.wrong_bits, report.encode() & 0xFF), (1056, 255));
        isolation.latch(&[7; 33], 1);
        let report = isolation.replayed(&[7; 33]).expect("latched");
        assert_eq!((report.encode(), report.first, report.masks.len()), (0, None, 0));
        isolation.latch(&[7; 33], 1);
        isolation.discard();
        assert_eq!(isolation.replayed(&[7; 33]), None);
    }
}
