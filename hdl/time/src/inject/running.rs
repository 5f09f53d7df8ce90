//! The sum that all waiting Lows share.

use super::RUNNING_BITS;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::time::{LAG_BITS, VALUE_BITS, WPER_LATE_CLOCKS};
use flitforge_protocol::time_servo::{LAG_LOOK_AHEAD_CLOCKS, PERIOD_BITS, PERIOD_FRAC};

/// WPER summed over all clocks, modulo 2^60 of 2^-20 ns, and the tx lag (chapter 20, 4.5 rule 1).
///
/// With `total` = R(t) + lag(t) in the clock t, a Low whose value is V in t0 is stored as V - total(t0) and offered in t as
/// that + total(t), so no waiting Low needs an adder of its own. No clear: only differences of R count.
#[block("running_wait")]
pub struct RunningWait {
    /// Rising edge counts.
    clock: In<Clock>,
    /// WPER, 6.20 ns; counts for the clock [`WPER_LATE_CLOCKS`] later.
    wper: In<Bits<PERIOD_BITS>>,
    /// tx lag of a flit taken three clocks later, signed, 1/256 ns.
    lag: In<Bits<LAG_BITS>>,
    /// tx lag of a flit taken in the next clock, signed, 1/16 ns.
    lag_next: Out<Bits<VALUE_BITS>>,
    /// Sum and tx lag of this clock.
    total: Out<Bits<RUNNING_BITS>>,
    rounded: Reg<Bits<17>>,
    rounded_late: Reg<Bits<17>>,
    sum: Reg<Bits<RUNNING_BITS>>,
    total_now: Reg<Bits<RUNNING_BITS>>,
    #[init(8)]
    half: Constant<Bits<21>>,
    #[init((1_u64 << VALUE_BITS) - 1)]
    ones: Constant<Bits<VALUE_BITS>>,
}

#[logic]
impl RunningWait {
    fn update(&mut self) {
        let wide_lag = bit_cast::<21, LAG_BITS>(lag).with(20, lag[19]) + half;
        rounded = wide_lag.bits::<17>(4);
        rounded_late = rounded;
        sum = sum + bit_cast::<RUNNING_BITS, PERIOD_BITS>(wper);

        let mut early = bit_cast::<VALUE_BITS, 17>(rounded_late);
        if rounded_late[16] {
            early = bit_cast::<VALUE_BITS, 17>(rounded_late) | (ones << 17);
        }
        total_now = sum + (bit_cast::<RUNNING_BITS, VALUE_BITS>(early) << 16);
        total = total_now;
        lag_next = early;
    }
}

const _: () = assert!(LAG_BITS == 20 && RUNNING_BITS == VALUE_BITS + 16 && PERIOD_FRAC == 20);
const _: () = assert!(LAG_LOOK_AHEAD_CLOCKS == 3 && WPER_LATE_CLOCKS == 1);
