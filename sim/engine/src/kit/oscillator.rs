//! Clock sources: rising edges in whole picoseconds, with frequency offset, drift and jitter.

use super::random::{rng, Rng};
use rand::Rng as _;

/// Attoseconds of a picosecond: periods are kept this fine, so that a million edges add up right.
const FINE: i128 = 1_000_000;
/// Parts per billion of one.
const BILLION: i128 = 1_000_000_000;
/// Attoseconds of a second.
const SECOND: i128 = 1_000_000_000_000 * FINE;

/// Rising edges of an oscillator, one after the other, for ever. Times are picoseconds from 0 on and always rise.
///
/// The frequency is `nominal * (1 + offset)`; the offset is given in parts per billion (1 ppm = 1000) and may
/// change linearly. Jitter moves each edge alone and does not add up; wander moves the period and does.
#[derive(Clone, Debug)]
pub struct Oscillator {
    /// Nominal period in attoseconds.
    period: i128,
    /// Frequency offset in parts per billion.
    offset: i128,
    /// Change of the offset per second, and where it stops.
    ramp: i128,
    target: i128,
    /// Largest deviation of an edge in picoseconds.
    jitter: i64,
    /// Largest change of the offset per period in parts per billion, and its bound.
    wander: i64,
    wander_limit: i64,
    walked: i64,
    rng: Rng,
    /// Ideal time of the next edge in attoseconds.
    next: i128,
    /// Part of a ppb of the ramp that is not yet in the offset, times [`SECOND`].
    rest: i128,
    last: Option<u64>,
}

impl Oscillator {
    /// An ideal oscillator with this period in picoseconds (at least 1) and its first edge at `phase`; `name`
    /// separates oscillators of one seed.
    pub fn new(period: u64, phase: u64, seed: u64, name: &str) -> Self {
        Self {
            period: i128::from(period.max(1)) * FINE,
            offset: 0,
            ramp: 0,
            target: 0,
            jitter: 0,
            wander: 0,
            wander_limit: 0,
            walked: 0,
            rng: rng(seed, name),
            next: i128::from(phase) * FINE,
            rest: 0,
            last: None,
        }
    }

    /// Sets the frequency offset in parts per billion (within plus or minus one half).
    pub fn offset_ppb(mut self, offset: i64) -> Self {
        self.offset = limited(offset);
        self.target = self.offset;
        self
    }

    /// Moves the offset by `per_second` parts per billion each second until it is `target`.
    pub fn ramp_ppb(mut self, per_second: u64, target: i64) -> Self {
        self.target = limited(target);
        self.ramp = i128::from(per_second) * (self.target - self.offset).signum();
        self
    }

    /// Moves each edge by up to `picoseconds` to either side, uniformly; less than half a period.
    pub fn jitter(mut self, picoseconds: u64) -> Self {
        let half = (self.period / FINE - 1) / 2;
        self.jitter = i128::from(picoseconds).min(half) as i64;
        self
    }

    /// Lets the offset walk by up to `step` parts per billion per period, within `limit` around its value.
    pub fn wander_ppb(mut self, step: u32, limit: u32) -> Self {
        self.wander = i64::from(step);
        self.wander_limit = i64::from(limit);
        self
    }

    /// The frequency offset now, in parts per billion.
    pub fn offset_now(&self) -> i64 {
        (self.offset + i128::from(self.walked)) as i64
    }

    fn advance(&mut self) {
        let offset = self.offset + i128::from(self.walked);
        let period = self.period * BILLION / (BILLION + offset);
        self.next += period;
        if self.offset != self.target {
            self.rest += self.ramp * period;
            let moved = self.rest / SECOND;
            self.rest -= moved * SECOND;
            self.offset += moved;
            let beyond = (self.offset - self.target) * self.ramp.signum() >= 0;
            if beyond {
                self.offset = self.target;
            }
        }
        if self.wander > 0 {
            let step = self.rng.random_range(-self.wander..=self.wander);
            self.walked = (self.walked + step).clamp(-self.wander_limit, self.wander_limit);
        }
    }
}

fn limited(offset: i64) -> i128 {
    i128::from(offset).clamp(-BILLION / 2, BILLION / 2)
}

impl Iterator for Oscillator {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        let ideal = self.next.div_euclid(FINE);
        let moved = if self.jitter > 0 { self.rng.random_range(-self.jitter..=self.jitter) } else { 0 };
        let time = u64::try_from(ideal + i128::from(moved)).unwrap_or(0);
        let time = self.last.map_or(time, |last| time.max(last + 1));
        self.last = Some(time);
        self.advance();
        Some(time)
    }
}
