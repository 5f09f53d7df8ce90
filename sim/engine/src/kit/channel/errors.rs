//! Bit errors.

use crate::kit::random::{rng, Rng};
use rand::Rng as _;
use std::ops::RangeInclusive;

/// Bits until the next event of probability `rate` per bit: geometric, so that long good stretches cost nothing.
fn gap(rng: &mut Rng, rate: f64) -> u64 {
    if rate <= 0.0 {
        return u64::MAX;
    }
    if rate >= 1.0 {
        return 0;
    }
    let uniform: f64 = 1.0 - rng.random::<f64>();
    // A float beyond the range becomes the largest integer.
    (uniform.ln() / (1.0 - rate).ln()).floor() as u64
}

/// Flips each bit independently at a bit error rate.
#[derive(Clone, Debug)]
pub struct BitErrors {
    rng: Rng,
    rate: f64,
    left: u64,
    bits: u64,
    flipped: u64,
}

impl BitErrors {
    /// A channel with this bit error rate (0.0 to 1.0); `name` separates channels of one seed.
    pub fn new(rate: f64, seed: u64, name: &str) -> Self {
        let mut rng = rng(seed, name);
        let rate = rate.clamp(0.0, 1.0);
        let left = gap(&mut rng, rate);
        Self { rng, rate, left, bits: 0, flipped: 0 }
    }

    /// The low `width` bits (at most 64) of a word after the line, bit 0 first.
    pub fn word(&mut self, mut word: u64, width: u32) -> u64 {
        let width = u64::from(width.min(64));
        let mut at = 0;
        while self.left < width - at {
            at += self.left;
            word ^= 1 << at;
            self.flipped += 1;
            at += 1;
            self.left = gap(&mut self.rng, self.rate);
        }
        self.left = self.left.saturating_sub(width - at);
        self.bits += width;
        word
    }

    /// Bits so far.
    pub fn bits(&self) -> u64 {
        self.bits
    }

    /// Bits flipped so far.
    pub fn flipped(&self) -> u64 {
        self.flipped
    }
}

/// Bursts of errors: runs of bits in which each is wrong with a probability. First and last bit of a run are
/// always wrong, so that a run of `n` bits is a burst of length `n` in the sense of CRC theory.
#[derive(Clone, Debug)]
pub struct Bursts {
    rng: Rng,
    rate: f64,
    length: RangeInclusive<u32>,
    density: f64,
    /// Bits until the next run.
    wait: u64,
    /// Bits left of this run, and whether its first bit is next.
    run: u32,
    first: bool,
    bursts: u64,
    flipped: u64,
}

impl Bursts {
    /// Runs begin with probability `rate` at every bit outside a run; each has a length from `length`, and its
    /// inner bits are wrong with probability `density`.
    pub fn new(rate: f64, length: RangeInclusive<u32>, density: f64, seed: u64, name: &str) -> Self {
        let mut rng = rng(seed, name);
        let wait = gap(&mut rng, rate);
        let density = density.clamp(0.0, 1.0);
        Self { rng, rate, length, density, wait, run: 0, first: false, bursts: 0, flipped: 0 }
    }

    fn wrong(&mut self) -> bool {
        if self.run == 0 {
            if self.wait > 0 {
                self.wait -= 1;
                return false;
            }
            let (low, high) = (*self.length.start(), *self.length.end());
            self.run = self.rng.random_range(low..=high.max(low)).max(1);
            self.first = true;
            self.bursts += 1;
        }
        let edge = self.first || self.run == 1;
        self.first = false;
        self.run -= 1;
        if self.run == 0 {
            self.wait = gap(&mut self.rng, self.rate);
        }
        edge || self.rng.random_bool(self.density)
    }

    /// The low `width` bits (at most 64) of a word after the line, bit 0 first.
    pub fn word(&mut self, mut word: u64, width: u32) -> u64 {
        for bit in 0..width.min(64) {
            if self.wrong() {
                word ^= 1 << bit;
                self.flipped += 1;
            }
        }
        word
    }

    /// Bursts so far.
    pub fn bursts(&self) -> u64 {
        self.bursts
    }

    /// Bits flipped so far.
    pub fn flipped(&self) -> u64 {
        self.flipped
    }
}
