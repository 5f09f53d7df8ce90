//! Wrong bits of a line.

use crate::kit::Rng;
use rand::Rng as _;

/// Wrong bits, alone and in bursts, by the distance to the next one: a clean word costs a comparison.
#[derive(Clone, Debug, Default)]
pub struct BitNoise {
    /// Wrong bits per bit.
    rate: f64,
    /// Bits of a burst; each of them is wrong with a chance of one half, the first is.
    burst: u32,
    /// Right bits up to the next wrong one; `None` if there is none.
    left: Option<u64>,
    /// Bits of the burst under way.
    inside: u32,
}

impl BitNoise {
    /// `rate` wrong places per bit, each the start of `burst` bits (0 and 1: one wrong bit). Rate 0 is a clean line.
    pub fn new(rate: f64, burst: u32, random: &mut Rng) -> Self {
        let mut noise = Self { rate, burst, left: None, inside: 0 };
        noise.left = noise.distance(random);
        noise
    }

    /// The wrong ones of the next `count` (up to 64) bits.
    #[inline]
    pub fn mask(&mut self, count: u32, random: &mut Rng) -> u64 {
        match &mut self.left {
            None => 0,
            Some(left) if *left >= u64::from(count) && self.inside == 0 => {
                *left -= u64::from(count);
                0
            }
            Some(_) => self.wrong(count, random),
        }
    }

    fn wrong(&mut self, count: u32, random: &mut Rng) -> u64 {
        let mut mask = 0;
        for place in 0..count {
            let begins = self.left == Some(0);
            if begins {
                self.inside = self.burst.max(1);
                self.left = self.distance(random);
            } else if let Some(left) = &mut self.left {
                *left -= 1;
            }
            if self.inside > 0 {
                self.inside -= 1;
                mask |= u64::from(begins || random.random_bool(0.5)) << place;
            }
        }
        mask
    }

    fn distance(&self, random: &mut Rng) -> Option<u64> {
        (self.rate > 0.0).then(|| {
            let chance = random.random_range(f64::MIN_POSITIVE..1.0);
            (chance.ln() / (1.0 - self.rate.min(0.5)).ln()) as u64
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::{rng, seed};

    #[test]
    fn the_rate_is_kept_and_bursts_have_their_length() {
        let mut random = rng(seed(0x015e), "noise");
        for (rate, burst, low, high) in [(0.0, 0, 0, 0), (1e-3, 1, 1_700, 2_300), (1e-4, 16, 1_300, 2_200)] {
            let mut noise = BitNoise::new(rate, burst, &mut random);
            let wrong: u32 = (0..100_000).map(|_| noise.mask(20, &mut random).count_ones()).sum();
            assert!((low..=high).contains(&wrong), "{wrong} wrong bits at rate {rate}, bursts of {burst}");
        }
    }
}
