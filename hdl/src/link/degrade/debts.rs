//! The debts and verdicts of the lanes, one lane after the other.

use super::{CHARGE_BITS, DEBT_BITS};
use crate::prim::Register;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::degrade::{
    threshold_ltps, FAULT_VERDICTS, THRESHOLD_LOG2, THRESHOLD_MAX, VERDICTS_MAX,
};
use flitforge_protocol::lane_word::MAX_LANES;

/// Bits of a debt: the largest TH and a charge.
const BITS: usize = 18;
/// The same and a sign.
const SUM_BITS: usize = BITS + 1;
/// Bits of a count of verdicts; the top one says that all are to be halved.
const COUNT_BITS: usize = 7;
/// Bits of it times 8.
const BAR_BITS: usize = COUNT_BITS + 3;
/// Bits of a debt that TH can be.
const HIGH_BITS: usize = THRESHOLD_MAX as usize + 1;
/// Bits of the number of the clock.
const STEP_BITS: usize = 4;

const _: () = assert!(THRESHOLD_LOG2 == 10 && BITS == 18 && COUNT_BITS == 7, "bits by number below");
const _: () = assert!(VERDICTS_MAX as usize + 1 == 1 << (COUNT_BITS - 1));
const _: () = assert!(threshold_ltps(THRESHOLD_MAX) < 1 << BITS);
const _: () = assert!(FAULT_VERDICTS == 3, "two bits that are all 1, or a higher one");

/// A ring of four debts and one of four counts, which turn once for each LTP.
///
/// `start` is clock 0. Lane l is at the ring's head in clock 2 + l and judged in clock 3 + l; `due` comes in clock 7, `worst`
/// changes behind clock 8. At least 8 clocks lie from one `start` to the next.
#[derive(LogicBlock)]
pub struct DegradeDebts {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// All debts and counts are 0.
    pub clear: Signal<In, Bit>,
    /// An LTP time.
    pub start: Signal<In, Bit>,
    /// With `start`: the lane that is charged, one bit at most.
    pub charged: Signal<In, Bits<4>>,
    /// What it is charged, from 2 clocks behind `start` on.
    pub charge: Signal<In, Bits<CHARGE_BITS>>,
    /// Lanes in use.
    pub in_use: Signal<In, Bits<4>>,
    /// Debts and counts of these lanes become 0, as soon as the ring stands.
    pub drop_lanes: Signal<In, Bits<4>>,
    /// No lane is the worst until the next LTP.
    pub forget: Signal<In, Bit>,
    /// Register DEGRADE, TH.
    pub threshold: Signal<In, Bits<3>>,
    /// Register DEGRADE, STAND_OUT.
    pub stand_out: Signal<In, Bits<2>>,
    /// Pulse, one bit: this lane has come to TH and stands out.
    pub due: Signal<Out, Bits<4>>,
    /// One bit at most: the lane that goes with a fault.
    pub worst: Signal<Out, Bits<4>>,
    /// Debts in 1,024 LTP times.
    pub debt: [Signal<Out, Bits<DEBT_BITS>>; MAX_LANES],

    step: DFF<Bits<STEP_BITS>>,
    /// The lane at the head, and the one before it.
    turn: DFF<Bits<4>>,
    judged: DFF<Bits<4>>,
    debts: [Register<Bits<BITS>>; MAX_LANES],
    counts: [Register<Bits<COUNT_BITS>>; MAX_LANES],
    shown: [Register<Bits<DEBT_BITS>>; MAX_LANES],
    to_drop: DFF<Bits<4>>,
    charged_now: DFF<Bits<4>>,
    /// Counts are halved as they come by.
    halves: DFF<Bit>,
    is_full: DFF<Bit>,
    mask: DFF<Bits<HIGH_BITS>>,
    is_over: DFF<Bit>,
    own_count: DFF<Bits<COUNT_BITS>>,
    fewest: DFF<Bits<COUNT_BITS>>,
    found: DFF<Bit>,
    most_debt: Register<Bits<BITS>>,
    most_count: Register<Bits<COUNT_BITS>>,
    most_lane: Register<Bits<4>>,
    skips: DFF<Bit>,
    worst_now: DFF<Bits<4>>,

    rotates: Signal<Local, Bit>,
    calm: Signal<Local, Bit>,
    own: Signal<Local, Bit>,
    term: Signal<Local, Bits<SUM_BITS>>,
    sum: Signal<Local, Bits<SUM_BITS>>,
    over: Signal<Local, Bit>,
    next_debt: Signal<Local, Bits<BITS>>,
    count: Signal<Local, Bits<COUNT_BITS>>,
    next_count: Signal<Local, Bits<COUNT_BITS>>,
    used: Signal<Local, Bit>,
    more: Signal<Local, Bit>,
    asked: Signal<Local, Bits<COUNT_BITS>>,
    bar: Signal<Local, Bits<BAR_BITS>>,
    stands_out: Signal<Local, Bit>,
    enough: Signal<Local, Bit>,
    codes: [Constant<Bits<3>>; HIGH_BITS],
    masks: [Constant<Bits<HIGH_BITS>>; HIGH_BITS],
    minus_one: Constant<Bits<SUM_BITS>>,
    one_step: Constant<Bits<STEP_BITS>>,
    one: Constant<Bits<COUNT_BITS>>,
    most: Constant<Bits<COUNT_BITS>>,
}

impl Default for DegradeDebts {
    fn default() -> Self {
        let mask = |code: usize| Constant::new(((0xFFu64 << code) & 0xFF).into());
        Self {
            clock: Default::default(),
            clear: Default::default(),
            start: Default::default(),
            charged: Default::default(),
            charge: Default::default(),
            in_use: Default::default(),
            drop_lanes: Default::default(),
            forget: Default::default(),
            threshold: Default::default(),
            stand_out: Default::default(),
            due: Default::default(),
            worst: Default::default(),
            debt: Default::default(),
            step: Default::default(),
            turn: Default::default(),
            judged: Default::default(),
            debts: Default::default(),
            counts: Default::default(),
            shown: Default::default(),
            to_drop: Default::default(),
            charged_now: Default::default(),
            halves: Default::default(),
            is_full: Default::default(),
            mask: Default::default(),
            is_over: Default::default(),
            own_count: Default::default(),
            fewest: Default::default(),
            found: Default::default(),
            most_debt: Default::default(),
            most_count: Default::default(),
            most_lane: Default::default(),
            skips: Default::default(),
            worst_now: Default::default(),
            rotates: Default::default(),
            calm: Default::default(),
            own: Default::default(),
            term: Default::default(),
            sum: Default::default(),
            over: Default::default(),
            next_debt: Default::default(),
            count: Default::default(),
            next_count: Default::default(),
            used: Default::default(),
            more: Default::default(),
            asked: Default::default(),
            bar: Default::default(),
            stands_out: Default::default(),
            enough: Default::default(),
            codes: std::array::from_fn(|code| Constant::new((code as u64).into())),
            masks: std::array::from_fn(mask),
            minus_one: Constant::new(((1u64 << SUM_BITS) - 1).into()),
            one_step: Constant::new(1.into()),
            one: Constant::new(1.into()),
            most: Constant::new(((1u64 << COUNT_BITS) - 1).into()),
        }
    }
}

impl Logic for DegradeDebts {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, step, turn, judged, to_drop, charged_now, halves, is_full, mask, is_over);
        dff_setup!(self, clock, own_count, fewest, found, skips, worst_now);
        clock!(self, clock, most_debt, most_count, most_lane);

        // The clocks of an LTP.
        self.step.d.next = 0.into();
        if self.step.q.val().any() & !self.step.q.val().get_bit(3) {
            self.step.d.next = self.step.q.val() + self.one_step.val();
        }
        self.turn.d.next = self.turn.q.val() << 1;
        if self.step.q.val() == 1 {
            self.turn.d.next = 1.into();
        }
        self.judged.d.next = self.turn.q.val();
        self.rotates.next = self.turn.q.val().any();
        self.calm.next = !self.turn.q.val().any() & (self.step.q.val() != 1);
        if self.start.val() {
            self.step.d.next = 1.into();
            self.charged_now.d.next = self.charged.val();
        }

        // The lane at the head: 1 less, or the charge more.
        self.own.next = (self.charged_now.q.val() & self.turn.q.val()).any();
        self.term.next = self.minus_one.val();
        if self.own.val() {
            self.term.next = bit_cast::<SUM_BITS, CHARGE_BITS>(self.charge.val());
        }
        self.sum.next = bit_cast::<SUM_BITS, BITS>(self.debts[0].q.val()) + self.term.val();
        self.mask.d.next = 0.into();
        for i in 0..8 {
            if self.threshold.val() == self.codes[i].val() {
                self.mask.d.next = self.masks[i].val();
            }
        }
        self.over.next =
            (self.sum.val().get_bits::<HIGH_BITS>(10) & self.mask.q.val()).any() & self.own.val();
        self.next_debt.next = self.sum.val().get_bits::<BITS>(0);
        if self.sum.val().get_bit(18) {
            self.next_debt.next = 0.into();
        }
        if self.over.val() {
            // TH is the lowest bit of its mask.
            self.next_debt.next =
                bit_cast::<BITS, HIGH_BITS>(self.mask.q.val() & !(self.mask.q.val() << 1)) << 10;
        }
        self.count.next = self.counts[0].q.val();
        if self.halves.q.val() {
            self.count.next = self.counts[0].q.val() >> 1;
        }
        self.next_count.next = self.count.val();
        if self.own.val() {
            self.next_count.next = self.count.val() + self.one.val();
        }
        if self.step.q.val() == 1 {
            self.is_full.d.next = false;
            self.is_over.d.next = false;
        }
        if self.rotates.val() & self.next_count.val().get_bit(6) {
            self.is_full.d.next = true;
        }
        if self.over.val() {
            self.is_over.d.next = true;
        }
        if self.step.q.val() == 6 {
            self.halves.d.next = self.is_full.q.val();
        }
        self.to_drop.d.next = self.drop_lanes.val();
        if !self.calm.val() {
            self.to_drop.d.next = self.to_drop.q.val() | self.drop_lanes.val();
        }
        for i in 0..4 {
            self.debts[i].clock.next = self.clock.val();
            self.counts[i].clock.next = self.clock.val();
            self.shown[i].clock.next = self.clock.val();
            self.debts[i].clear.next = self.clear.val() | (self.calm.val() & self.to_drop.q.val().get_bit(i));
            self.counts[i].clear.next =
                self.clear.val() | (self.calm.val() & self.to_drop.q.val().get_bit(i));
            self.debts[i].enable.next = self.rotates.val();
            self.counts[i].enable.next = self.rotates.val();
            self.shown[i].clear.next = self.clear.val();
            self.shown[i].enable.next = !self.rotates.val();
            self.shown[i].d.next = self.debts[i].q.val().get_bits::<DEBT_BITS>(10);
            self.debt[i].next = self.shown[i].q.val();
        }
        for i in 0..3 {
            self.debts[i].d.next = self.debts[i + 1].q.val();
            self.counts[i].d.next = self.counts[i + 1].q.val();
        }
        self.debts[3].d.next = self.next_debt.val();
        self.counts[3].d.next = self.next_count.val();

        // The lane that was at the head: is its debt the largest, are its verdicts the fewest?
        self.used.next = (self.judged.q.val() & self.in_use.val()).any();
        self.more.next =
            self.used.val() & (!self.found.q.val() | (self.debts[3].q.val() > self.most_debt.q.val()));
        self.most_debt.clear.next = false;
        self.most_count.clear.next = false;
        self.most_lane.clear.next = false;
        self.most_debt.enable.next = self.more.val();
        self.most_count.enable.next = self.more.val();
        self.most_lane.enable.next = self.more.val();
        self.most_debt.d.next = self.debts[3].q.val();
        self.most_count.d.next = self.counts[3].q.val();
        self.most_lane.d.next = self.judged.q.val();
        if self.used.val() {
            self.found.d.next = true;
            if self.counts[3].q.val() < self.fewest.q.val() {
                self.fewest.d.next = self.counts[3].q.val();
            }
        }
        if (self.judged.q.val() & self.charged_now.q.val()).any() {
            self.own_count.d.next = self.counts[3].q.val();
        }
        if self.step.q.val() == 2 {
            self.found.d.next = false;
            self.fewest.d.next = self.most.val();
        }

        // Clock 7: the lane that was charged. Clock 8: the worst.
        self.asked.next = self.most_count.q.val();
        if self.step.q.val() == 7 {
            self.asked.next = self.own_count.q.val();
        }
        self.bar.next = bit_cast::<BAR_BITS, COUNT_BITS>(self.fewest.q.val()) << 1;
        if self.stand_out.val().get_bit(1) {
            self.bar.next = bit_cast::<BAR_BITS, COUNT_BITS>(self.fewest.q.val()) << 2;
            if self.stand_out.val().get_bit(0) {
                self.bar.next = bit_cast::<BAR_BITS, COUNT_BITS>(self.fewest.q.val()) << 3;
            }
        }
        self.stands_out.next = !self.stand_out.val().any()
            | (bit_cast::<BAR_BITS, COUNT_BITS>(self.asked.val()) > self.bar.val());
        self.enough.next =
            self.most_count.q.val().get_bits::<5>(2).any() | self.most_count.q.val().get_bits::<2>(0).all();
        self.due.next = 0.into();
        if ((self.step.q.val() == 7) & self.is_over.q.val()) & self.stands_out.val() {
            self.due.next = self.charged_now.q.val() & self.in_use.val();
        }
        self.skips.d.next = self.forget.val();
        if self.step.q.val().get_bit(3) {
            self.worst_now.d.next = 0.into();
            if (self.found.q.val() & self.enough.val()) & (self.stands_out.val() & !self.skips.q.val()) {
                self.worst_now.d.next = self.most_lane.q.val();
            }
        }
        if self.forget.val() {
            self.worst_now.d.next = 0.into();
        }
        self.worst.next = self.worst_now.q.val();
        if self.clear.val() {
            self.step.d.next = 0.into();
            self.turn.d.next = 0.into();
            self.judged.d.next = 0.into();
            self.to_drop.d.next = 0.into();
            self.halves.d.next = false;
            self.worst_now.d.next = 0.into();
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("degrade_debts", &[])
    }
}

drive_ports!(impl[] DegradeDebts {
    clock, clear, start, charged, charge, in_use, drop_lanes, forget, threshold, stand_out, due, worst, debt,
});
