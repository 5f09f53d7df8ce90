//! Which lane has the next beat.

use super::ranks::{VlRanks, PRIORITIES_BITS};
use super::waits::{VlWaits, AGE_BITS};
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::link_registers::{vl_en, MAX_VLS};
use rust_hdl::prelude::*;

/// Bits of MIN_RUN.
pub const RUN_BITS: usize = vl_en::min_run::WIDTH;

/// The stack of `N` lanes and rules 1 to 4 of chapter 10, 4.9. A decision per beat time, in the clock of its `step`.
///
/// The stack is kept as who lies under whom, so that moving a lane to the top and taking it off are one step each.
#[derive(LogicBlock)]
pub struct VlChooser<const N: usize> {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// The stack is empty, nobody has waited.
    pub clear: Signal<In, Bit>,
    /// PRIO, register VL_ARB.
    pub priorities: Signal<In, Bits<PRIORITIES_BITS>>,
    /// PREEMPT of all lanes.
    pub preempt: Signal<In, Bits<MAX_VLS>>,
    /// BUBBLE of all lanes.
    pub bubble: Signal<In, Bits<MAX_VLS>>,
    /// MIN_RUN.
    pub min_run: Signal<In, Bits<RUN_BITS>>,
    /// AGE.
    pub age: Signal<In, Bits<AGE_BITS>>,
    /// A beat time ends on this edge.
    pub step: Signal<In, Bit>,
    /// Lanes that have a beat and the credit for it.
    pub offers: Signal<In, Bits<N>>,
    /// Lanes whose beat ends a packet.
    pub closes: Signal<In, Bits<N>>,
    /// The lane that is chosen, or none.
    pub chosen: Signal<Out, Bits<N>>,
    /// The lane whose beat goes; none if it has a marker first.
    pub taken: Signal<Out, Bits<N>>,
    /// A lane is chosen.
    pub any: Signal<Out, Bit>,
    /// The chosen lane has a VlMrkr first; its beat stays.
    pub marks: Signal<Out, Bit>,

    ranks: VlRanks<N>,
    waits: VlWaits<N>,
    /// Lanes in the stack, and the current one.
    open: DFF<Bits<N>>,
    top: DFF<Bits<N>>,
    /// Bit j of entry v: lane j lies above lane v, if both are in the stack.
    under: [DFF<Bits<N>>; N],
    kept: DFF<Bits<RUN_BITS>>,
    keeps: DFF<Bit>,
    /// Bit k: the lane that had the last beat is below k.
    below: DFF<Bits<N>>,

    over_may: Signal<Local, Bits<N>>,
    fill_may: Signal<Local, Bits<N>>,
    second: Signal<Local, Bits<N>>,
    over: Signal<Local, Bits<N>>,
    fillers: Signal<Local, Bits<N>>,
    over_first: Signal<Local, Bits<N>>,
    fill_first: Signal<Local, Bits<N>>,
    stays: Signal<Local, Bit>,
    some: Signal<Local, Bit>,
    fills: Signal<Local, Bit>,
    goes: Signal<Local, Bits<N>>,
    sent: Signal<Local, Bits<N>>,
    ended: Signal<Local, Bits<N>>,
    passed: Signal<Local, Bits<N>>,
    seen: Signal<Local, Bit>,
    one: Constant<Bits<RUN_BITS>>,
    nobody: Constant<Bits<N>>,
}

impl<const N: usize> Default for VlChooser<N> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            clear: Default::default(),
            priorities: Default::default(),
            preempt: Default::default(),
            bubble: Default::default(),
            min_run: Default::default(),
            age: Default::default(),
            step: Default::default(),
            offers: Default::default(),
            closes: Default::default(),
            chosen: Default::default(),
            taken: Default::default(),
            any: Default::default(),
            marks: Default::default(),
            ranks: Default::default(),
            waits: Default::default(),
            open: Default::default(),
            top: Default::default(),
            under: std::array::from_fn(|_| Default::default()),
            kept: Default::default(),
            keeps: Default::default(),
            below: Default::default(),
            over_may: Default::default(),
            fill_may: Default::default(),
            second: Default::default(),
            over: Default::default(),
            fillers: Default::default(),
            over_first: Default::default(),
            fill_first: Default::default(),
            stays: Default::default(),
            some: Default::default(),
            fills: Default::default(),
            goes: Default::default(),
            sent: Default::default(),
            ended: Default::default(),
            passed: Default::default(),
            seen: Default::default(),
            one: Constant::new(1.into()),
            nobody: Constant::new(Bits::default()),
        }
    }
}

impl<const N: usize> Logic for VlChooser<N> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, open, top, kept, keeps, below);
        clock!(self, clock, ranks, waits);
        self.waits.clear.next = self.clear.val();
        self.waits.age.next = self.age.val();
        self.waits.step.next = self.step.val();
        self.waits.offers.next = self.offers.val();
        self.ranks.priorities.next = self.priorities.val();
        self.ranks.aged.next = self.waits.aged.val();
        self.ranks.last.next = !self.below.q.val();

        // Who may take over from the current lane, and who may fill a bubble; without a current lane everybody may.
        self.over_may.next = 0.into();
        self.second.next = 0.into();
        for v in 0..N {
            if self.top.q.val().get_bit(v) {
                self.over_may.next = self.ranks.above[v].val();
            }
            self.second.next = self.second.val().replace_bit(
                v,
                self.open.q.val().get_bit(v)
                    & !self.top.q.val().get_bit(v)
                    & !(self.under[v].q.val() & self.open.q.val() & !self.top.q.val()).any(),
            );
        }
        self.over_may.next = self.over_may.val()
            & !self.top.q.val()
            & (self.preempt.val().get_bits::<N>(0) | self.waits.aged.val());
        self.fill_may.next = !self.top.q.val() & self.bubble.val().get_bits::<N>(0);
        if !self.top.q.val().any() {
            self.fill_may.next = !self.nobody.val();
        }

        // The first of those that have a beat.
        self.over.next = self.offers.val() & self.over_may.val();
        self.fillers.next = self.offers.val() & self.fill_may.val();
        self.over_first.next = 0.into();
        self.fill_first.next = 0.into();
        for v in 0..N {
            self.over_first.next = self.over_first.val().replace_bit(
                v,
                self.over.val().get_bit(v) & !(self.over.val() & self.ranks.wins[v].val()).any(),
            );
            self.fill_first.next = self.fill_first.val().replace_bit(
                v,
                self.fillers.val().get_bit(v) & !(self.fillers.val() & self.ranks.wins[v].val()).any(),
            );
        }
        self.stays.next = (self.offers.val() & self.top.q.val()).any();
        self.goes.next = self.nobody.val();
        self.fills.next = false;
        if !self.stays.val() & !self.keeps.q.val() {
            self.goes.next = self.fill_first.val();
            self.fills.next = self.top.q.val().any() & self.fillers.val().any();
        }
        if self.stays.val() {
            self.goes.next = self.top.q.val();
        }
        if self.over.val().any() {
            self.goes.next = self.over_first.val();
            self.fills.next = false;
        }
        self.some.next =
            self.over.val().any() | self.stays.val() | (self.fillers.val().any() & !self.keeps.q.val());
        self.chosen.next = self.goes.val();
        self.any.next = self.some.val();
        self.marks.next = (self.goes.val() & self.open.q.val() & !self.top.q.val()).any();

        // The stack: what goes lies on top; what has sent its last beat is off it.
        self.sent.next = self.goes.val() & (!self.open.q.val() | self.top.q.val());
        self.taken.next = self.sent.val();
        self.waits.sent.next = self.sent.val();
        self.ended.next = self.sent.val() & self.closes.val();
        self.seen.next = false;
        self.passed.next = 0.into();
        for v in 0..N {
            self.passed.next = self.passed.val().replace_bit(v, !self.seen.val());
            self.seen.next = self.seen.val() | self.sent.val().get_bit(v);
        }
        for v in 0..N {
            self.under[v].clock.next = self.clock.val();
            self.under[v].d.next = self.under[v].q.val();
            if self.step.val() {
                self.under[v].d.next = self.under[v].q.val() | self.goes.val();
                if self.goes.val().get_bit(v) {
                    self.under[v].d.next = 0.into();
                }
            }
        }
        if self.step.val() & self.some.val() {
            self.top.d.next = self.goes.val();
            if self.ended.val().any() {
                self.top.d.next = self.top.q.val();
                if self.stays.val() & !self.over.val().any() {
                    self.top.d.next = self.second.val();
                }
            }
        }
        if self.step.val() {
            self.open.d.next = (self.open.q.val() | self.sent.val()) & !self.ended.val();
            if self.sent.val().any() {
                // Bit k: no lane from k on has sent.
                self.below.d.next = !self.passed.val();
            }
            if self.keeps.q.val() {
                self.kept.d.next = self.kept.q.val() - self.one.val();
                self.keeps.d.next = self.kept.q.val() != self.one.val();
            }
            if self.fills.val() {
                self.kept.d.next = self.min_run.val() - self.one.val();
                self.keeps.d.next = self.min_run.val() > self.one.val();
            } else if (self.goes.val() & !self.top.q.val()).any() {
                self.keeps.d.next = false;
            }
            if self.ended.val().any() {
                self.keeps.d.next = false;
            }
        }
        if self.clear.val() {
            self.open.d.next = 0.into();
            self.top.d.next = 0.into();
            self.keeps.d.next = false;
            self.below.d.next = 0.into();
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("vl_chooser", &[("lanes", N.to_string())])
    }
}

drive_ports!(impl[const N: usize] VlChooser<N> {
    clock, clear, priorities, preempt, bubble, min_run, age, step, offers, closes, chosen, taken, any, marks,
});
