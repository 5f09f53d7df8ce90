//! Master time at plane X.

use crate::time::slave::TIME_WORD_BITS;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::time::{FRAC_BITS, LAG_BITS};
use flitforge_protocol::time_servo::{AHEAD_CLOCKS, INC_FRAC, LAG_AHEAD_CLOCKS};

/// Bits of a time in 1/16 ns.
pub const NOW_BITS: usize = 68;
/// Half of them.
const HALF: usize = 34;
/// Half, the carry that comes in below it and the one that leaves it.
const WIDE: usize = 36;

/// SyncTime rounded to 1/16 ns, plus tx lag (chapter 20, 4.6 rule 2). `now` is that of the clock in which it stands, as
/// `ahead` comes two clocks before and `lag` three. No clear: it holds no state.
#[derive(LogicBlock)]
pub struct TimeNow {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// SyncTime two clocks from now, 64.32 ns.
    pub ahead: Signal<In, Bits<TIME_WORD_BITS>>,
    /// tx lag of a flit taken three clocks from now, signed, 1/256 ns.
    pub lag: Signal<In, Bits<LAG_BITS>>,
    /// Time of plane X in this clock, 1/16 ns.
    pub now: Signal<Out, Bits<NOW_BITS>>,
    correction: DFF<Bits<17>>,
    low: DFF<Bits<35>>,
    high: DFF<Bits<HALF>>,
    negative: DFF<Bit>,
    low_late: DFF<Bits<HALF>>,
    total: DFF<Bits<HALF>>,
    rounded: Signal<Local, Bits<21>>,
    wide_correction: Signal<Local, Bits<HALF>>,
    sign: Signal<Local, Bits<HALF>>,
    sum: Signal<Local, Bits<WIDE>>,
    top: Signal<Local, Bits<WIDE>>,
    half: Constant<Bits<21>>,
    ones: Constant<Bits<HALF>>,
}

impl Default for TimeNow {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            ahead: Default::default(),
            lag: Default::default(),
            now: Default::default(),
            correction: Default::default(),
            low: Default::default(),
            high: Default::default(),
            negative: Default::default(),
            low_late: Default::default(),
            total: Default::default(),
            rounded: Default::default(),
            wide_correction: Default::default(),
            sign: Default::default(),
            sum: Default::default(),
            top: Default::default(),
            half: Constant::new(8.into()),
            ones: Constant::new(((1_u64 << HALF) - 1).into()),
        }
    }
}

impl Logic for TimeNow {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, correction, low, high, negative, low_late, total);
        // The lag in 1/16 ns.
        self.rounded.next = bit_cast::<21, LAG_BITS>(self.lag.val())
            .replace_bit(20, self.lag.val().get_bit(19))
            + self.half.val();
        self.correction.d.next = self.rounded.val().get_bits::<17>(4);

        // The lower half; half a unit rounds up.
        self.wide_correction.next = bit_cast::<HALF, 17>(self.correction.q.val());
        self.sign.next = 0.into();
        if self.correction.q.val().get_bit(16) {
            self.wide_correction.next =
                bit_cast::<HALF, 17>(self.correction.q.val()) | (self.ones.val() << 17);
        }
        self.sum.next = (bit_cast::<WIDE, HALF>(self.ahead.val().get_bits::<HALF>(28)) << 1)
            .replace_bit(0, true)
            + (bit_cast::<WIDE, HALF>(self.wide_correction.val()) << 1)
                .replace_bit(0, self.ahead.val().get_bit(27));
        self.low.d.next = self.sum.val().get_bits::<35>(1);
        self.high.d.next = self.ahead.val().get_bits::<HALF>(62);
        self.negative.d.next = self.correction.q.val().get_bit(16);

        // The upper half.
        if self.negative.q.val() {
            self.sign.next = self.ones.val();
        }
        self.top.next = (bit_cast::<WIDE, HALF>(self.high.q.val()) << 1).replace_bit(0, true)
            + (bit_cast::<WIDE, HALF>(self.sign.val()) << 1).replace_bit(0, self.low.q.val().get_bit(34));
        self.total.d.next = self.top.val().get_bits::<HALF>(1);
        self.low_late.d.next = self.low.q.val().get_bits::<HALF>(0);
        self.now.next = bit_cast::<NOW_BITS, HALF>(self.low_late.q.val())
            | (bit_cast::<NOW_BITS, HALF>(self.total.q.val()) << 34);
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("time_now", &[])
    }
}

drive_ports!(impl[] TimeNow { clock, ahead, lag, now });

const _: () = assert!(LAG_BITS == 20 && FRAC_BITS == 4 && INC_FRAC - FRAC_BITS == 28);
const _: () = assert!(AHEAD_CLOCKS == 2 && LAG_AHEAD_CLOCKS == 3 && NOW_BITS == 2 * HALF);
