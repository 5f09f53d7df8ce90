//! Oscillators as exact rationals: every clock edge has a picosecond.

use thiserror::Error;

/// Binary places of a rate.
const RATE_SHIFT: u32 = 50;
/// Binary places of the ramp's coefficient, in two steps so that products fit 128 bits.
const RAMP_SHIFTS: (u32, u32) = (40, 50);
/// Femtoseconds in a picosecond.
const FS_PER_PS: i64 = 1000;
/// Times up to here keep all products inside their words: 9000 s.
pub const LONGEST_PS: i64 = 9_000_000_000_000_000;

/// An oscillator that cannot be simulated.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("oscillator, {parameter} = {value}: expected {expected}")]
pub struct OscillatorError {
    /// Parameter.
    pub parameter: &'static str,
    /// Value given.
    pub value: i64,
    /// What is allowed.
    pub expected: &'static str,
}

/// How far an oscillator is off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RateError {
    /// Rate at time 0 in parts per 10^9, positive for a fast clock.
    pub ppb: i64,
    /// Change of the rate in parts per 10^12 per second.
    pub ramp_ppt_per_s: i64,
}

/// A clock whose local time is w(t) = t + rate * t + ramp * t^2 / 2, all binary rationals, so that edges neither drift
/// nor jitter from rounding: edge n is at the t with w(t) = n * period + phase, cut to a picosecond.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Oscillator {
    period_fs: i64,
    phase_fs: i64,
    rate: i64,
    ramp: i64,
}

impl Oscillator {
    /// A clock with this nominal period and phase (of edge 0), both in femtoseconds, and rate error.
    pub fn new(period_fs: u64, phase_fs: u64, error: RateError) -> Result<Self, OscillatorError> {
        let refuse = |parameter, value, expected| Err(OscillatorError { parameter, value, expected });
        let period = i64::try_from(period_fs).unwrap_or(i64::MAX);
        if !(1_000_000..=1_000_000_000).contains(&period) {
            return refuse("period", period, "10^6 to 10^9 fs (1 GHz to 1 MHz)");
        }
        if phase_fs >= period_fs {
            return refuse("phase", phase_fs as i64, "less than the period");
        }
        if error.ppb.abs() > 1_000_000 {
            return refuse("rate error", error.ppb, "at most 1000 ppm");
        }
        if error.ramp_ppt_per_s.abs() > 100_000_000 {
            return refuse("ramp", error.ramp_ppt_per_s, "at most 100 ppm per second");
        }
        let rate = (i128::from(error.ppb) << RATE_SHIFT) / 1_000_000_000;
        // In femtoseconds per square picosecond: half of 10^-12 (ppt) * 10^-12 (per second) * 10^3.
        let shift = RAMP_SHIFTS.0 + RAMP_SHIFTS.1;
        let ramp = (i128::from(error.ramp_ppt_per_s) << (shift - 1)) / 1_000_000_000_000_000_000_000;
        Ok(Self { period_fs: period, phase_fs: phase_fs as i64, rate: rate as i64, ramp: ramp as i64 })
    }

    /// Nominal period in femtoseconds.
    #[must_use]
    pub const fn period_fs(&self) -> i64 {
        self.period_fs
    }

    fn deviation(&self, t_fs: i64) -> i64 {
        let linear = (self.rate as i128 * t_fs as i128) >> RATE_SHIFT;
        if self.ramp == 0 {
            return linear as i64;
        }
        let t_ps = (t_fs / FS_PER_PS) as i128;
        let quadratic = (((t_ps * t_ps) >> RAMP_SHIFTS.0) * self.ramp as i128) >> RAMP_SHIFTS.1;
        (linear + quadratic) as i64
    }

    /// Local femtoseconds since edge 0 at time `t_ps`.
    #[must_use]
    pub fn local_fs(&self, t_ps: i64) -> i64 {
        let t_fs = t_ps * FS_PER_PS;
        t_fs + self.deviation(t_fs) - self.phase_fs
    }

    /// The picosecond at which so many local femtoseconds have passed since edge 0.
    #[must_use]
    pub fn time_of(&self, local_fs: i64) -> i64 {
        let target = local_fs + self.phase_fs;
        let mut t_fs = target - self.deviation(target);
        // The deviation changes by less than a thousandth of the step, so this converges fast.
        loop {
            let next = target - self.deviation(t_fs);
            if (next - t_fs).abs() <= 1 {
                return next.div_euclid(FS_PER_PS);
            }
            t_fs = next;
        }
    }

    /// Time of edge `n`.
    #[must_use]
    pub fn edge(&self, n: u64) -> i64 {
        self.time_of(n as i64 * self.period_fs)
    }

    /// Number and time of the first edge at or after `t_ps`; edge 0 for times before it.
    #[must_use]
    pub fn edge_from(&self, t_ps: i64) -> (u64, i64) {
        let guess = self.local_fs(t_ps).max(0) / self.period_fs;
        let mut n = (guess as u64).saturating_sub(1);
        loop {
            let time = self.edge(n);
            if time >= t_ps {
                return (n, time);
            }
            n += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(ppb: i64, ramp: i64) -> Oscillator {
        Oscillator::new(6_400_000, 1_234_567, RateError { ppb, ramp_ppt_per_s: ramp }).expect("a clock")
    }

    #[test]
    fn impossible_clocks_are_refused() {
        let error = RateError::default();
        assert!(Oscillator::new(0, 0, error).is_err());
        assert!(Oscillator::new(6_400_000, 6_400_000, error).is_err());
        assert!(Oscillator::new(6_400_000, 0, RateError { ppb: 1_000_001, ..error }).is_err());
        assert!(Oscillator::new(6_400_000, 0, RateError { ramp_ppt_per_s: i64::MAX, ..error }).is_err());
    }

    #[test]
    fn edges_are_found_again_and_rise() {
        for clock in [clock(0, 0), clock(200_000, 0), clock(-200_000, 1_000_000), clock(123, -5_000)] {
            for start in [0u64, 1, 999, 1_000_000, 15_625_000_000] {
                for n in start..start + 50 {
                    let time = clock.edge(n);
                    assert_eq!(clock.edge_from(time), (n, time));
                    assert_eq!(clock.edge_from(time + 1).0, n + 1);
                    assert!((6_397..=6_402).contains(&(clock.edge(n + 1) - time)));
                }
            }
        }
    }

    #[test]
    fn rates_and_ramps_are_what_was_asked_for() {
        // 100 s of a clock 200 ppm fast: 20 ms ahead.
        let ahead =
            |clock: &Oscillator| clock.local_fs(100_000_000_000_000) + 1_234_567 - 100_000_000_000_000_000;
        assert!((ahead(&clock(200_000, 0)) - 20_000_000_000_000).abs() < 1000);
        // 1 ppm per second for 100 s: 5 ms ahead.
        assert!((ahead(&clock(0, 1_000_000)) - 5_000_000_000_000).abs() < 1_000_000);
    }
}
