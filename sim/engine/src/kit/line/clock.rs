//! A clock of a line: cheaper than an [`Oscillator`](super::super::Oscillator), since a line has a dozen of them.

use crate::kit::Rng;
use rand::Rng as _;

/// Edges between two steps of wander.
const WANDER_EDGES: u32 = 64;
/// Parts per billion of one.
const BILLION: i128 = 1_000_000_000;

/// Rising edges one after the other, in femtoseconds.
#[derive(Clone, Debug)]
pub struct LineClock {
    nominal: u64,
    offset: i64,
    period: u64,
    next: u64,
    /// Largest deviation from the offset, in parts per billion; 0 without wander.
    wander: i64,
    walked: i64,
    edges: u32,
}

impl LineClock {
    /// A clock of this nominal period whose frequency is off by `offset` parts per billion; its first edge is at `phase`.
    pub fn new(nominal: u64, offset: i64, phase: u64) -> Self {
        Self { nominal, offset, period: period(nominal, offset), next: phase, wander: 0, walked: 0, edges: 0 }
    }

    /// Lets the offset walk by up to `limit` parts per billion to either side.
    pub fn wandering(mut self, limit: u32) -> Self {
        self.wander = i64::from(limit);
        self
    }

    /// Period now.
    pub fn period(&self) -> u64 {
        self.period
    }

    /// Time of the next edge.
    pub fn next(&self) -> u64 {
        self.next
    }

    /// The next edge is past: its time.
    pub fn tick(&mut self, random: &mut Rng) -> u64 {
        let now = self.next;
        self.next += self.period;
        if self.wander > 0 {
            self.edges += 1;
            if self.edges == WANDER_EDGES {
                self.edges = 0;
                let step = random.random_range(-self.wander..=self.wander) / 16;
                self.walked = (self.walked + step).clamp(-self.wander, self.wander);
                self.period = period(self.nominal, self.offset + self.walked);
            }
        }
        now
    }
}

fn period(nominal: u64, offset: i64) -> u64 {
    let exact = i128::from(nominal) * BILLION / (BILLION + i128::from(offset));
    exact.max(1) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::rng;

    #[test]
    fn the_offset_and_its_wander_are_kept() {
        let mut random = rng(1, "clock");
        for (offset, wander) in [(0, 0), (200_000, 0), (-200_000, 0), (100_000, 50_000)] {
            let mut clock = LineClock::new(8_000_000, offset, 5).wandering(wander);
            assert_eq!(clock.tick(&mut random), 5);
            for _ in 0..100_000 {
                clock.tick(&mut random);
            }
            let mean = (clock.next() - 5) as f64 / 100_001.0;
            let found = (8_000_000.0 / mean - 1.0) * 1e9;
            let limit = f64::from(wander) + 130.0;
            assert!((found - offset as f64).abs() <= limit, "{found} for {offset} and {wander}");
        }
    }
}
