//! Error bound of a slave: the budget of section 9 summed for its path (chapter 20, 7 rules 8 and 10).

use super::tree::ClockTree;
use crate::topology::DeviceId;
use serde::Serialize;

/// Contributions in 1/256 ns, rounded up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ErrorBound {
    /// Two meters of T/128 per link.
    pub meters: i64,
    /// 1/32 ns for each of two corrections per link.
    pub rounding: i64,
    /// T/128 per measured link.
    pub measurement: i64,
    /// Cycles and link delays counted by clocks that are off.
    pub rates: i64,
    /// Steady error of the servo under a frequency ramp.
    pub ramp: i64,
}

impl ErrorBound {
    /// The sum.
    #[must_use]
    pub const fn total(&self) -> i64 {
        self.meters + self.rounding + self.measurement + self.rates + self.ramp
    }
}

/// 0.05 ns over 17 links, in 1/256 ns per link times 17.
const RATES_OVER_17_LINKS: i64 = 13;

/// The bound of a slave behind so many links, with the core clock period and the servo's ramp error in 1/256 ns.
#[must_use]
pub const fn bound_of_links(links: i64, period: i64, ramp: i64) -> ErrorBound {
    ErrorBound {
        meters: ceil(2 * links * period, 128),
        rounding: ceil(2 * links * 256, 32),
        measurement: ceil(links * period, 128),
        rates: ceil(links * RATES_OVER_17_LINKS, 17),
        ramp,
    }
}

/// The bound of a slave of a tree; `None` without a path.
#[must_use]
pub fn error_bound(tree: &ClockTree, slave: DeviceId, period: i64, ramp: i64) -> Option<ErrorBound> {
    Some(bound_of_links(tree.path(slave)?.len() as i64, period, ramp))
}

/// Error a slave in hold-over may have gathered: |f error| * t + a * t^2 / 2, in 1/256 ns. The frequency error is in
/// 2^-32, the ramp in parts per 10^12 per second, the time in ns.
#[must_use]
pub fn holdover_bound(frequency_error: i64, ramp_ppt_per_s: i64, time_ns: i64) -> i64 {
    let linear = (i128::from(frequency_error.abs()) * i128::from(time_ns) * 256) >> 32;
    let square = i128::from(time_ns) * i128::from(time_ns) / 1_000_000_000;
    let quadratic = i128::from(ramp_ppt_per_s.abs()) * square * 128 / 1_000_000_000_000;
    (linear + quadratic + 2) as i64
}

/// Division that rounds up, for values that are not negative.
const fn ceil(value: i64, by: i64) -> i64 {
    (value + by - 1) / by
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_budget_of_sixteen_switches_is_the_chapters() {
        // ns: meters 1.70, rounding 1.06, link measurement 0.85, rates 0.05, ramp 0.4; together 4.06.
        let bound = bound_of_links(17, 1638, 102);
        let hundredths = |fine: i64| (fine * 100 + 128) / 256;
        let parts =
            [bound.meters, bound.rounding, bound.measurement, bound.rates, bound.ramp].map(hundredths);
        assert_eq!(parts, [170, 106, 85, 5, 40]);
        // Every part is rounded up.
        assert!((406..=408).contains(&hundredths(bound.total())));
        assert!(bound.total() < 1638, "below one core clock");
    }

    #[test]
    fn holdover_grows_with_time_and_ramp() {
        // 100 ppb for 1 s: 100 ns. 1 ppm/s for 2 s: 2000 ns.
        assert_eq!(holdover_bound(429, 0, 1_000_000_000), 25_570 + 2);
        assert_eq!(holdover_bound(0, 1_000_000, 2_000_000_000), 512_000 + 2);
    }
}
