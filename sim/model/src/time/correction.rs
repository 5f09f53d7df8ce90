//! Corrections that are added to a time on its way (chapter 20, 4.3 rule 4, 4.4 rule 3, 4.5 rule 1).

use flitforge_protocol::time::{FRAC_BITS, VALUE_BITS};

/// {time\[39:0\], frac}: 44 bits of 1/16 ns, modulo 2^44.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct TimeValue(u64);

impl TimeValue {
    const MASK: u64 = (1 << VALUE_BITS) - 1;

    /// From nanoseconds and sixteenths; higher bits are cut off.
    #[must_use]
    pub const fn new(nanoseconds: u64, frac: u8) -> Self {
        Self::from_sixteenths(nanoseconds << FRAC_BITS | (frac as u64 & ((1 << FRAC_BITS) - 1)))
    }

    /// From sixteenths of a nanosecond, modulo 2^44.
    #[must_use]
    pub const fn from_sixteenths(sixteenths: u64) -> Self {
        Self(sixteenths & Self::MASK)
    }

    /// Sixteenths of a nanosecond.
    #[must_use]
    pub const fn sixteenths(self) -> u64 {
        self.0
    }

    /// Time\[39:0\].
    #[must_use]
    pub const fn nanoseconds(self) -> u64 {
        self.0 >> FRAC_BITS
    }

    /// Sixteenths above the whole nanoseconds, 0 to 15.
    #[must_use]
    pub const fn frac(self) -> u8 {
        (self.0 & ((1 << FRAC_BITS) - 1)) as u8
    }

    /// The time with signed sixteenths added, modulo 2^44.
    #[must_use]
    pub const fn plus(self, sixteenths: i64) -> Self {
        Self::from_sixteenths(self.0.wrapping_add(sixteenths as u64))
    }

    /// After an upstream port: rx lag in 1/256 ns and RX_CORR in 1/16 ns added (4.3 rule 4).
    #[must_use]
    pub const fn received(self, lag: i32, rx_corr: i32) -> Self {
        self.plus(lag_sixteenths(lag)).plus(rx_corr as i64)
    }

    /// After a ring: `wait` ring cycles of period RPER added (4.4 rule 3).
    #[must_use]
    pub const fn waited_on_ring(self, wait: u32, rper: u32) -> Self {
        self.plus(wait_sixteenths(wait as u64, rper))
    }

    /// As offered on `time_in` in a clock, after `waited` clocks, with the tx lag of a flit taken in this clock
    /// (4.5 rule 1).
    #[must_use]
    pub const fn offered(self, waited: u64, wper: u32, lag: i32) -> Self {
        self.plus(wait_sixteenths(waited, wper)).plus(lag_sixteenths(lag))
    }

    /// The same where WPER moved meanwhile: `waited` is its sum over the clocks, 2^-20 ns.
    #[must_use]
    pub const fn offered_after(self, waited: u64, lag: i32) -> Self {
        self.plus(wait_sixteenths(waited, 1)).plus(lag_sixteenths(lag))
    }
}

/// A lag of 1/256 ns, rounded to 1/16 ns.
#[must_use]
pub const fn lag_sixteenths(lag: i32) -> i64 {
    (lag as i64 + 8) >> 4
}

/// `cycles` of a 6.20 ns period (WPER or RPER), rounded to 1/16 ns.
#[must_use]
pub const fn wait_sixteenths(cycles: u64, period: u32) -> i64 {
    ((cycles as i128 * period as i128 + 32_768) >> 16) as i64
}
