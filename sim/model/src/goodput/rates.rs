//! What rates and times are reckoned with.

/// Words per second of a lane of 5 Gb/s with 8b10b.
pub const WORD_HZ: u64 = 125_000_000;

/// Seconds of 10^4 years.
pub(super) const SECONDS_1E4_YEARS: f64 = 1e4 * 365.25 * 86_400.0;
