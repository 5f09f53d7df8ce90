//! The sum that all waiting Lows share.

use super::RUNNING_BITS;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::time::{LAG_BITS, VALUE_BITS, WPER_LATE_CLOCKS};
use flitforge_protocol::time_servo::{LAG_AHEAD_CLOCKS, PERIOD_BITS, PERIOD_FRAC};

/// WPER summed over all clocks, modulo 2^60 of 2^-20 ns, and the tx lag (chapter 20, 4.5 rule 1).
///
/// With `total` = R(t) + lag(t) in the clock t, a Low whose value is V in t0 is stored as V - total(t0) and offered in t as
/// that + total(t), so no waiting Low needs an adder of its own. No clear: only differences of R count.
#[derive(LogicBlock)]
pub struct RunningWait {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// WPER, 6.20 ns; counts for the clock [`WPER_LATE_CLOCKS`] later.
    pub wper: Signal<In, Bits<PERIOD_BITS>>,
    /// tx lag of a flit taken three clocks later, signed, 1/256 ns.
    pub lag: Signal<In, Bits<LAG_BITS>>,
    /// tx lag of a flit taken in the next clock, signed, 1/16 ns.
    pub lag_next: Signal<Out, Bits<VALUE_BITS>>,
    /// Sum and tx lag of this clock.
    pub total: Signal<Out, Bits<RUNNING_BITS>>,
    rounded: DFF<Bits<17>>,
    rounded_late: DFF<Bits<17>>,
    sum: DFF<Bits<RUNNING_BITS>>,
    total_now: DFF<Bits<RUNNING_BITS>>,
    wide_lag: Signal<Local, Bits<21>>,
    early: Signal<Local, Bits<VALUE_BITS>>,
    half: Constant<Bits<21>>,
    ones: Constant<Bits<VALUE_BITS>>,
}

impl Default for RunningWait {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            wper: Default::default(),
            lag: Default::default(),
            lag_next: Default::default(),
            total: Default::default(),
            rounded: Default::default(),
            rounded_late: Default::default(),
            sum: Default::default(),
            total_now: Default::default(),
            wide_lag: Default::default(),
            early: Default::default(),
            half: Constant::new(8.into()),
            ones: Constant::new(((1_u64 << VALUE_BITS) - 1).into()),
        }
    }
}

impl Logic for RunningWait {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, rounded, rounded_late, sum, total_now);
        self.wide_lag.next = bit_cast::<21, LAG_BITS>(self.lag.val())
            .replace_bit(20, self.lag.val().get_bit(19))
            + self.half.val();
        self.rounded.d.next = self.wide_lag.val().get_bits::<17>(4);
        self.rounded_late.d.next = self.rounded.q.val();
        self.sum.d.next = self.sum.q.val() + bit_cast::<RUNNING_BITS, PERIOD_BITS>(self.wper.val());

        self.early.next = bit_cast::<VALUE_BITS, 17>(self.rounded_late.q.val());
        if self.rounded_late.q.val().get_bit(16) {
            self.early.next = bit_cast::<VALUE_BITS, 17>(self.rounded_late.q.val()) | (self.ones.val() << 17);
        }
        self.total_now.d.next =
            self.sum.q.val() + (bit_cast::<RUNNING_BITS, VALUE_BITS>(self.early.val()) << 16);
        self.total.next = self.total_now.q.val();
        self.lag_next.next = self.early.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("running_wait", &[])
    }
}

drive_ports!(impl[] RunningWait { clock, wper, lag, lag_next, total });

const _: () = assert!(LAG_BITS == 20 && RUNNING_BITS == VALUE_BITS + 16 && PERIOD_FRAC == 20);
const _: () = assert!(LAG_AHEAD_CLOCKS == 3 && WPER_LATE_CLOCKS == 1);
