//! A small accumulator of events.

use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;

/// Adds up `count` until it is taken; events of the clock in which it is taken are the first of the next sum.
///
/// It wraps: whoever takes must come before `W` bits are full.
#[derive(LogicBlock, Default)]
pub struct Tally<const W: usize, const C: usize> {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Events of this clock.
    pub count: Signal<In, Bits<C>>,
    /// The sum is taken.
    pub take: Signal<In, Bit>,
    /// Events since the sum was taken, up to the clock before.
    pub value: Signal<Out, Bits<W>>,
    sum: DFF<Bits<W>>,
    kept: Signal<Local, Bits<W>>,
}

impl<const W: usize, const C: usize> Logic for Tally<W, C> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, sum);
        self.kept.next = self.sum.q.val();
        if self.take.val() {
            self.kept.next = 0.into();
        }
        self.sum.d.next = self.kept.val() + bit_cast::<W, C>(self.count.val());
        self.value.next = self.sum.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("tally", &[("bits", W.to_string()), ("count", C.to_string())])
    }
}

drive_ports!(impl[const W: usize, const C: usize] Tally<W, C> { clock, count, take, value });
