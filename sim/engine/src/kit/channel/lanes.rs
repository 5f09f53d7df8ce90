//! A link of several lanes.

use super::errors::{BitErrors, Bursts};
use crate::kit::random::{rng, Rng};
use rand::RngCore;
use std::collections::VecDeque;

/// What is wrong with one lane.
#[derive(Clone, Debug, Default)]
pub struct LaneFaults {
    /// Bit errors.
    pub errors: Option<BitErrors>,
    /// Bursts.
    pub bursts: Option<Bursts>,
    /// Words that the lane is late.
    pub skew_words: usize,
    /// Bits that the lane is late beyond whole words: its words straddle the receiver's.
    pub slip_bits: u32,
}

/// Lanes of words of `width` bits that go out together and arrive with the faults of each lane. A lane that is
/// late, or that was just shifted, gives noise first, as a receiver without lock does.
#[derive(Clone, Debug)]
pub struct Lanes {
    width: u32,
    lanes: Vec<Lane>,
}

#[derive(Clone, Debug)]
struct Lane {
    faults: LaneFaults,
    /// Bits on the way, the oldest first.
    bits: VecDeque<bool>,
    /// Noise instead of data.
    lost: bool,
    noise: Rng,
}

impl Lanes {
    /// Lanes of words of `width` bits (1 to 64) with these faults; `seed` is that of the noise of a lost lane.
    pub fn new(width: u32, faults: Vec<LaneFaults>, seed: u64) -> Self {
        let width = width.clamp(1, 64);
        let lane = |(number, faults): (usize, LaneFaults)| {
            let mut noise = rng(seed, &format!("lane {number}"));
            let late = faults.skew_words * width as usize + faults.slip_bits as usize;
            let bits = (0..late).map(|_| noise.next_u32() & 1 == 1).collect();
            Lane { faults, bits, lost: false, noise }
        };
        Self { width, lanes: faults.into_iter().enumerate().map(lane).collect() }
    }

    /// Number of lanes.
    pub fn count(&self) -> usize {
        self.lanes.len()
    }

    /// Cuts a lane off (it gives noise) or connects it again.
    pub fn set_lost(&mut self, lane: usize, lost: bool) {
        if let Some(lane) = self.lanes.get_mut(lane) {
            lane.lost = lost;
        }
    }

    /// A lane loses (negative) or gains (positive, as noise) bits: its word alignment moves. A lane cannot lose
    /// more bits than are on the way, so give it a skew first; what is not there is not lost.
    pub fn slip(&mut self, lane: usize, bits: i32) {
        let Some(lane) = self.lanes.get_mut(lane) else { return };
        for _ in 0..bits {
            let bit = lane.noise.next_u32() & 1 == 1;
            lane.bits.push_front(bit);
        }
        for _ in bits..0 {
            lane.bits.pop_front();
        }
    }

    /// One word of every lane after the link; lanes that `words` lacks send 0.
    pub fn words(&mut self, words: &[u64]) -> Vec<u64> {
        let width = self.width;
        let word =
            |(number, lane): (usize, &mut Lane)| lane.word(words.get(number).copied().unwrap_or(0), width);
        self.lanes.iter_mut().enumerate().map(word).collect()
    }
}

impl Lane {
    fn word(&mut self, mut word: u64, width: u32) -> u64 {
        if let Some(errors) = &mut self.faults.errors {
            word = errors.word(word, width);
        }
        if let Some(bursts) = &mut self.faults.bursts {
            word = bursts.word(word, width);
        }
        self.bits.extend((0..width).map(|bit| word >> bit & 1 == 1));
        let mut out = 0;
        for bit in 0..width {
            out |= u64::from(self.bits.pop_front().unwrap_or(false)) << bit;
        }
        match self.lost {
            true => self.noise.next_u64() & (u64::MAX >> (64 - width)),
            false => out,
        }
    }
}
