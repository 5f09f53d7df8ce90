//! Master time at plane X.

use crate::slave::TIME_WORD_BITS;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::time::{FRAC_BITS, LAG_BITS};
use flitforge_protocol::time_servo::{INC_FRAC, LAG_LOOK_AHEAD_CLOCKS, LOOK_AHEAD_CLOCKS};

/// Bits of a time in 1/16 ns.
pub const NOW_BITS: usize = 68;
/// Half of them.
const HALF: usize = 34;
/// Half, the carry that comes in below it and the one that leaves it.
const WIDE: usize = 36;

/// SyncTime rounded to 1/16 ns, plus tx lag (chapter 20, 4.6 rule 2). `now` is that of the clock in which it stands, as
/// `look_ahead` comes two clocks before and `lag` three. No clear: it holds no state.
#[block("time_now")]
pub struct TimeNow {
    /// Rising edge counts.
    clock: In<Clock>,
    /// SyncTime two clocks from now, 64.32 ns.
    look_ahead: In<Bits<TIME_WORD_BITS>>,
    /// tx lag of a flit taken three clocks from now, signed, 1/256 ns.
    lag: In<Bits<LAG_BITS>>,
    /// Time of plane X in this clock, 1/16 ns.
    now: Out<Bits<NOW_BITS>>,
    correction: Reg<Bits<17>>,
    low: Reg<Bits<35>>,
    high: Reg<Bits<HALF>>,
    negative: Reg<Bit>,
    low_late: Reg<Bits<HALF>>,
    total: Reg<Bits<HALF>>,
    #[init(8)]
    half: Constant<Bits<21>>,
    #[init((1_u64 << HALF) - 1)]
    ones: Constant<Bits<HALF>>,
}

#[logic]
impl TimeNow {
    fn update(&mut self) {
        // The lag in 1/16 ns.
        let rounded = bit_cast::<21, LAG_BITS>(lag).with(20, lag[19]) + half;
        correction = rounded.bits::<17>(4);

        // The lower half; half a unit rounds up.
        let mut wide_correction = bit_cast::<HALF, 17>(correction);
        let mut sign: Bits<HALF> = 0;
        if correction[16] {
            wide_correction = bit_cast::<HALF, 17>(correction) | (ones << 17);
        }
        let sum = (bit_cast::<WIDE, HALF>(look_ahead.bits::<HALF>(28)) << 1).with(0, true)
            + (bit_cast::<WIDE, HALF>(wide_correction) << 1).with(0, look_ahead[27]);
        low = sum.bits::<35>(1);
        high = look_ahead.bits::<HALF>(62);
        negative = correction[16];

        // The upper half.
        if negative {
            sign = ones;
        }
        let top = (bit_cast::<WIDE, HALF>(high) << 1).with(0, true)
            + (bit_cast::<WIDE, HALF>(sign) << 1).with(0, low[34]);
        total = top.bits::<HALF>(1);
        low_late = low.bits::<HALF>(0);
        now = bit_cast::<NOW_BITS, HALF>(low_late) | (bit_cast::<NOW_BITS, HALF>(total) << 34);
    }
}

const _: () = assert!(LAG_BITS == 20 && FRAC_BITS == 4 && INC_FRAC - FRAC_BITS == 28);
const _: () = assert!(LOOK_AHEAD_CLOCKS == 2 && LAG_LOOK_AHEAD_CLOCKS == 3 && NOW_BITS == 2 * HALF);
