//! Independent bit errors on the lanes of one direction.

use crate::isolate::physical_lanes;
use crate::ltp::{Ltp, LtpFormat};
use crate::pair::BitErrorRate;
use crate::retry::{LinkLtp, Token};
use crate::train::{words_of, Direction, OnLanes};
use crate::wire::LtpBits;
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
                self.corrupt(damaged.get_or_insert_with(|| words_of(ltp, total)), tx, logical, state);
            }
        }
        let residues = match &damaged {
            Some(words) if tx.mode.code() > 1 => residues(tx, words, &words_of(ltp, total)),
            _ => Vec::new(),
        };
        OnLanes { state, damaged, residues }
    }

    /// A wrong bit on this lane of an LTP, and perhaps more after it.
    fn corrupt(&mut self, ltp: &mut [u32], tx: Direction, logical: usize, state: usize) {
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

/// Residues of the CRCs of modes 2 and 3 for these wrong bits: those of an idle LTP with the same ones, as all CRCs are linear.
fn residues(tx: Direction, arrived: &[u32], sent: &[u32]) -> Vec<u32> {
    let Ok(format) = LtpFormat::new(tx.mode, tx.count()) else { return Vec::new() };
    let idle = format.encode(&Ltp::idle());
    let words: Vec<u32> = idle
        .words()
        .iter()
        .zip(arrived)
        .zip(sent)
        .map(|((idle, arrived), sent)| idle ^ arrived ^ sent)
        .collect();
    let received = LtpBits::from_words(&words).ok().and_then(|bits| format.decode(&bits).ok());
    received.map_or_else(Vec::new, |received| received.residues)
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

    #[test]
    fn the_crcs_of_the_groups_with_wrong_bits_fail() {
        let seed = 0x3E51;
        let mut noise = BitNoise::new([0, 100_000, 0, 100_000].map(|per_1e9| BitErrorRate { per_1e9 }), seed);
        let ltp = LinkLtp::Reliable(Token::new(0, 7, 0));
        let mut checked = [0; 2];
        for (mode, total) in [(CrcMode::PerLane, 34), (CrcMode::Overlapping48, 34)] {
            let tx = Direction { lanes: 0b1111, mode };
            let good = words_of(&ltp, total);
            for _ in 0..5_000 {
                let on_lanes = noise.send(&ltp, tx);
                let Some(words) = on_lanes.damaged else {
                    assert!(on_lanes.residues.is_empty());
                    continue;
                };
                let failed: Vec<usize> = (0..4).filter(|&crc| on_lanes.residues[crc] != 0).collect();
                let groups: Vec<usize> = (0..4)
                    .filter(|&group| {
                        (0..total).any(|word| words[word] != good[word] && transfer_group(4, word) == group)
                    })
                    .collect();
                match mode {
                    CrcMode::PerLane => assert_eq!(failed, groups, "seed {seed:#x}"),
                    _ => assert!(!failed.is_empty(), "seed {seed:#x}"),
                }
                checked[usize::from(mode == CrcMode::PerLane)] += 1;
            }
        }
        assert!(checked.iter().all(|checked| *checked > 100), "seed {seed:#x}: {checked:?}");
    }
}
