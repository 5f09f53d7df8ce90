//! Which lane has the next beat.

use super::ranks::{VlRanks, PRIORITIES_BITS};
use super::waits::{VlWaits, AGE_BITS};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::link_registers::{vl_en, MAX_VLS};

/// Bits of MIN_RUN.
pub const RUN_BITS: usize = vl_en::min_run::WIDTH;

/// The stack of `N` lanes and rules 1 to 4 of chapter 10, 4.9. A decision per beat time, in the clock of its `step`; what it needs of stack and
/// ranks is known when the beat time begins.
///
/// The stack is kept as its two upper lanes and who lies under whom, so that moving a lane to the top and taking it off are one step each.
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
    /// Lanes that have a beat.
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
    /// Lanes in the stack; the current one, the one under it, and those under both.
    open: DFF<Bits<N>>,
    top: DFF<Bits<N>>,
    second: DFF<Bits<N>>,
    rest: DFF<Bits<N>>,
    /// There is a current one.
    busy: DFF<Bit>,
    /// Bit j of entry v: lane j lies above lane v, if both are in the stack.
    under: [DFF<Bits<N>>; N],
    /// Lanes that may take over from the current one.
    over_may: DFF<Bits<N>>,
    kept: DFF<Bits<RUN_BITS>>,
    keeps: DFF<Bit>,

    fill_may: Signal<Local, Bits<N>>,
    over: Signal<Local, Bits<N>>,
    fillers: Signal<Local, Bits<N>>,
    able: Signal<Local, Bits<N>>,
    before: Signal<Local, Bits<N>>,
    over_any: Signal<Local, Bit>,
    fill_any: Signal<Local, Bit>,
    stays: Signal<Local, Bit>,
    some: Signal<Local, Bit>,
    fills: Signal<Local, Bit>,
    goes: Signal<Local, Bits<N>>,
    may_send: Signal<Local, Bits<N>>,
    may_push: Signal<Local, Bits<N>>,
    sent: Signal<Local, Bits<N>>,
    ended: Signal<Local, Bits<N>>,
    pushed: Signal<Local, Bits<N>>,
    pushes: Signal<Local, Bit>,
    pops: Signal<Local, Bit>,
    third: Signal<Local, Bits<N>>,
    eligible: Signal<Local, Bits<N>>,
    above_top: Signal<Local, Bits<N>>,
    above_second: Signal<Local, Bits<N>>,
    above_pushed: Signal<Local, Bits<N>>,
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
            second: Default::default(),
            rest: Default::default(),
            busy: Default::default(),
            under: defaults(),
            over_may: Default::default(),
            kept: Default::default(),
            keeps: Default::default(),
            fill_may: Default::default(),
            over: Default::default(),
            fillers: Default::default(),
            able: Default::default(),
            before: Default::default(),
            over_any: Default::default(),
            fill_any: Default::default(),
            stays: Default::default(),
            some: Default::default(),
            fills: Default::default(),
            goes: Default::default(),
            may_send: Default::default(),
            may_push: Default::default(),
            sent: Default::default(),
            ended: Default::default(),
            pushed: Default::default(),
            pushes: Default::default(),
            pops: Default::default(),
            third: Default::default(),
            eligible: Default::default(),
            above_top: Default::default(),
            above_second: Default::default(),
            above_pushed: Default::default(),
            one: Constant::new(1.into()),
            nobody: Constant::new(Bits::default()),
        }
    }
}

impl<const N: usize> Logic for VlChooser<N> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, open, top, second, rest, busy, over_may, kept, keeps);
        clock!(self, clock, ranks, waits);
        self.waits.clear.next = self.clear.val();
        self.waits.age.next = self.age.val();
        self.waits.step.next = self.step.val();
        self.waits.offers.next = self.offers.val();
        self.ranks.clear.next = self.clear.val();
        self.ranks.priorities.next = self.priorities.val();
        self.ranks.step.next = self.step.val();
        self.ranks.aged.next = self.waits.aged.val();

        // Who may fill a bubble, in which the current lane has no beat; without a current lane everybody may begin.
        self.fill_may.next = self.nobody.val();
        if !self.keeps.q.val() {
            self.fill_may.next = self.bubble.val().get_bits::<N>(0);
        }
        if !self.busy.q.val() {
            self.fill_may.next = !self.nobody.val();
        }

        // The first of those that have a beat: who may take over, the current one, who may fill. Which of two comes first is known before it is known
        // whether they have one.
        self.over.next = self.offers.val() & self.over_may.q.val();
        self.fillers.next = self.offers.val() & self.fill_may.val();
        self.over_any.next = self.over.val().any();
        self.fill_any.next = self.fillers.val().any();
        self.able.next = self.offers.val() & (self.over_may.q.val() | self.top.q.val() | self.fill_may.val());
        self.goes.next = 0.into();
        for v in 0..N {
            self.before.next = self.over_may.q.val() | self.top.q.val() | self.ranks.wins[v].val();
            if self.over_may.q.val().get_bit(v) {
                self.before.next = self.over_may.q.val() & self.ranks.wins[v].val();
            } else if self.top.q.val().get_bit(v) {
                self.before.next = self.over_may.q.val();
            }
            self.goes.next = self
                .goes
                .val()
                .replace_bit(v, self.able.val().get_bit(v) & !(self.able.val() & self.before.val()).any());
        }
        self.stays.next = (self.offers.val() & self.top.q.val()).any();
        self.some.next = self.over_any.val() | self.stays.val() | self.fill_any.val();
        self.fills.next = self.busy.q.val() & self.fill_any.val() & !self.stays.val() & !self.over_any.val();
        self.chosen.next = self.goes.val();
        self.any.next = self.some.val();
        self.marks.next = (self.goes.val() & self.open.q.val() & !self.top.q.val()).any();

        // What it is to the stack: what goes lies on top; what has sent its last beat is off it.
        self.may_send.next = !self.open.q.val() | self.top.q.val();
        self.may_push.next = !self.top.q.val() & (self.open.q.val() | !self.closes.val());
        self.sent.next = self.goes.val() & self.may_send.val();
        self.ended.next = self.sent.val() & self.closes.val();
        self.pushed.next = self.goes.val() & self.may_push.val();
        self.pushes.next = self.pushed.val().any();
        self.pops.next =
            (self.offers.val() & self.top.q.val() & self.closes.val()).any() & !self.over_any.val();
        self.taken.next = self.sent.val();
        self.waits.sent.next = self.sent.val();
        self.ranks.sent.next = self.sent.val();

        // The stack behind this beat time, and who may take over then.
        self.third.next = 0.into();
        self.above_top.next = 0.into();
        self.above_second.next = 0.into();
        self.above_pushed.next = 0.into();
        for v in 0..N {
            self.third.next = self.third.val().replace_bit(
                v,
                self.rest.q.val().get_bit(v) & !(self.under[v].q.val() & self.rest.q.val()).any(),
            );
            self.under[v].clock.next = self.clock.val();
            self.under[v].d.next = self.under[v].q.val();
            if self.step.val() {
                self.under[v].d.next = self.under[v].q.val() | self.goes.val();
                if self.goes.val().get_bit(v) {
                    self.under[v].d.next = 0.into();
                }
            }
            if self.top.q.val().get_bit(v) {
                self.above_top.next = self.above_top.val() | self.ranks.next_above[v].val();
            }
            if self.second.q.val().get_bit(v) {
                self.above_second.next = self.above_second.val() | self.ranks.next_above[v].val();
            }
            if self.pushed.val().get_bit(v) {
                self.above_pushed.next = self.above_pushed.val() | self.ranks.next_above[v].val();
            }
        }
        self.eligible.next = self.preempt.val().get_bits::<N>(0) | self.waits.aged.val();
        if self.step.val() {
            self.over_may.d.next = self.above_top.val() & self.eligible.val();
            if self.pops.val() {
                self.top.d.next = self.second.q.val();
                self.second.d.next = self.third.val();
                self.rest.d.next = self.rest.q.val() & !self.third.val();
                self.busy.d.next = self.second.q.val().any();
                self.over_may.d.next = self.above_second.val() & self.eligible.val();
            }
            if self.pushes.val() {
                self.top.d.next = self.pushed.val();
                self.second.d.next = self.top.q.val();
                self.rest.d.next = (self.rest.q.val() | self.second.q.val()) & !self.pushed.val();
                self.busy.d.next = true;
                self.over_may.d.next = self.above_pushed.val() & self.eligible.val();
            }
            self.open.d.next = (self.open.q.val() | self.sent.val()) & !self.ended.val();
            if self.keeps.q.val() {
                self.kept.d.next = self.kept.q.val() - self.one.val();
                self.keeps.d.next = self.kept.q.val() != self.one.val();
            }
            if self.fills.val() {
                self.kept.d.next = self.min_run.val() - self.one.val();
                self.keeps.d.next = self.min_run.val() > self.one.val();
            } else if self.over_any.val() | (self.fill_any.val() & !self.stays.val()) {
                self.keeps.d.next = false;
            }
            if self.ended.val().any() {
                self.keeps.d.next = false;
            }
        }
        if self.clear.val() {
            self.open.d.next = 0.into();
            self.top.d.next = 0.into();
            self.second.d.next = 0.into();
            self.rest.d.next = 0.into();
            self.busy.d.next = false;
            self.over_may.d.next = 0.into();
            self.keeps.d.next = false;
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("vl_chooser", &[("lanes", N.to_string())])
    }
}

drive_ports!(impl[const N: usize] VlChooser<N> {
    clock, clear, priorities, preempt, bubble, min_run, age, step, offers, closes, chosen, taken, any, marks,
});
