//! Independent bit errors on the lanes of one direction.

use crate::isolate::physical_lanes;
use crate::pair::BitErrorRate;
use crate::retry::{LinkLtp, Token};
use crate::train::{words_of, Direction, OnLanes};
use flitforge_protocol::lane_word::{group_lane, sequence_state, transfer_group, MAX_LANES};
use flitforge_protocol::ltp::{ltp_words, CrcMode, WORD_BITS};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Words of the longest LTP.
const MAX_WORDS: usize = ltp_words(CrcMode::PerLane);

/// The noise of one direction, at its sender.
#[derive(Debug, Clone)]
pub(super) struct BitNoise {
    /// Chance of at least one wrong bit in so many words of a lane, and of a wrong bit, in units of 2^-64.
    chances: [[u64; MAX_WORDS + 1]; MAX_LANES],
    bit: [u64; MAX_LANES],
    rng: ChaCha8Rng,
    /// LTPs since the start row.
    ltps: u64,
}

impl BitNoise {
    pub(super) fn new(rates: [BitErrorRate; MAX_LANES], seed: u64) -> Self {
        let chances = rates.map(|rate| std::array::from_fn(|words| rate.ltp_chance(words * WORD_BITS)));
        let bit = rates.map(|rate| rate.ltp_chance(1));
        BitNoise { chances, bit, rng: ChaCha8Rng::seed_from_u64(seed), ltps: 0 }
    }

    pub(super) fn start_row(&mut self) {
        self.ltps = 0;
    }

    /// At least one of so many words of a lane is hit.
    pub(super) fn hits(&mut self, lane: usize, words: usize) -> bool {
        let chance = self.chances[lane][words];
        chance > 0 && self.rng.random::<u64>() < chance
    }

    /// Puts the next LTP on the lanes.
    pub(super) fn send(&mut self, ltp: &LinkLtp<Token>, tx: Direction) -> OnLanes {
        let (count, total) = (tx.count(), ltp_words(tx.mode));
        let state = sequence_state(total, count, self.ltps);
        self.ltps += 1;
        let mut damaged = None;
        let lanes = (0..MAX_LANES).filter(|lane| tx.lanes >> lane & 1 == 1);
        for (logical, physical) in lanes.enumerate() {
            // Words i with i mod L = g ride lane (g + s) mod L.
            let group = (logical + count - state) % count;
            let words = (total - group).div_ceil(count);
            if self.chances[physical][words] > 0 && self.hits(physical, words) {
                self.spoil(damaged.get_or_insert_with(|| words_of(ltp, total)), tx, logical, state);
            }
        }
        OnLanes { state, damaged }
    }

    /// A wrong bit on this lane of an LTP, and perhaps more behind it.
    fn spoil(&mut self, ltp: &mut [u32], tx: Direction, logical: usize, state: usize) {
        let count = tx.count();
        let physical = physical_lanes(tx.lanes)[logical];
        let words: Vec<usize> = (0..ltp.len())
            .filter(|&word| group_lane(count, transfer_group(count, word), state) == logical)
            .collect();
        let bits = words.len() * WORD_BITS;
        let first = self.rng.random_range(0..bits);
        for bit in first..bits {
            if bit == first || self.rng.random::<u64>() < self.bit[physical] {
                ltp[words[bit / WORD_BITS]] ^= 1 << (bit % WORD_BITS);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_ltps_are_as_many_as_the_rate_says_and_only_on_the_noisy_lane() {
        let rates = [0, 0, 100_000, 0].map(|per_1e9| BitErrorRate { per_1e9 });
        let mut noise = BitNoise::new(rates, 0x900D);
        let tx = Direction { lanes: 0b1111, mode: CrcMode::Standard };
        let ltp = LinkLtp::Reliable(Token::new(0, 7, 0));
        let good = words_of(&ltp, 33);
        let bad = (0..100_000u64)
            .filter(|number| {
                let on_lanes = noise.send(&ltp, tx);
                assert_eq!(on_lanes.state, (number % 4) as usize);
                let Some(words) = on_lanes.damaged else { return false };
                for (word, (found, sent)) in words.iter().zip(&good).enumerate() {
                    assert!(found == sent || (word + on_lanes.state) % 4 == 2, "seed 0x900d, word {word}");
                }
                words != good
            })
            .count();
        // 1 - (1 - 1e-4)^264 = 2.605 %, standard deviation 0.05 %
        assert!((2_400..2_800).contains(&bad), "seed 0x900d: {bad}");
    }
}
