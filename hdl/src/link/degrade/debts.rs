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
/// `start` is clock 0. Lane l leaves the ring in clock 1 + l, has its new debt in clock 2 + l and is judged in clock 3 + l; `due` comes
/// in clock 7, `worst` changes behind clock 8. At least 8 clocks lie from one `start` to the next.
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
    /// `due` may come in this clock.
    pub deciding: Signal<Out, Bit>,
    /// `due` is not 0.
    pub some_due: Signal<Out, Bit>,
    /// `worst` is not 0.
    pub some_worst: Signal<Out, Bit>,
    /// Debts in 1,024 LTP times.
    pub debt: [Signal<Out, Bits<DEBT_BITS>>; MAX_LANES],

    step: DFF<Bits<STEP_BITS>>,
    /// The lane that leaves the ring, the one outside it, and the one before.
    turn: DFF<Bits<4>>,
    outside: DFF<Bits<4>>,
    judged: DFF<Bits<4>>,
    /// The lane that is judged is the one that is charged.
    own_judged: DFF<Bit>,
    /// What has left the ring.
    old_debt: DFF<Bits<BITS>>,
    old_count: DFF<Bits<COUNT_BITS>>,
    /// What it may be charged up to TH.
    room: DFF<Bits<SUM_BITS>>,
    /// It is that of the lane that is charged.
    own: DFF<Bit>,
    /// TH.
    limit: DFF<Bits<BITS>>,
    /// The fewest verdicts times the factor.
    bar: DFF<Bits<BAR_BITS>>,
    decides: DFF<Bit>,
    debts: [Register<Bits<BITS>>; MAX_LANES],
    counts: [Register<Bits<COUNT_BITS>>; MAX_LANES],
    shown: [Register<Bits<DEBT_BITS>>; MAX_LANES],
    to_drop: DFF<Bits<4>>,
    charged_now: DFF<Bits<4>>,
    /// Counts are halved as they come by.
    halves: DFF<Bit>,
    is_full: DFF<Bit>,
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
    term: Signal<Local, Bits<SUM_BITS>>,
    sum: Signal<Local, Bits<SUM_BITS>>,
    over: Signal<Local, Bit>,
    next_debt: Signal<Local, Bits<BITS>>,
    count: Signal<Local, Bits<COUNT_BITS>>,
    next_count: Signal<Local, Bits<COUNT_BITS>>,
    used: Signal<Local, Bit>,
    more: Signal<Local, Bit>,
    bar_now: Signal<Local, Bits<BAR_BITS>>,
    beyond_new: Signal<Local, Bit>,
    beyond_old: Signal<Local, Bit>,
    beyond_now: Signal<Local, Bit>,
    beyond: Signal<Local, Bit>,
    lowers: Signal<Local, Bit>,
    stands_out: DFF<Bit>,
    /// In clock 7: the lane that was charged has come to TH.
    over_now: DFF<Bit>,
    is_due: Signal<Local, Bit>,
    /// A lane is the worst.
    has_worst: DFF<Bit>,
    worst_stands_out: Signal<Local, Bit>,
    enough: Signal<Local, Bit>,
    codes: [Constant<Bits<3>>; HIGH_BITS],
    limits: [Constant<Bits<BITS>>; HIGH_BITS],
    minus_one: Constant<Bits<SUM_BITS>>,
    one_step: Constant<Bits<STEP_BITS>>,
    one: Constant<Bits<COUNT_BITS>>,
    most: Constant<Bits<COUNT_BITS>>,
}

impl Default for DegradeDebts {
    fn default() -> Self {
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
            deciding: Default::default(),
            some_due: Default::default(),
            some_worst: Default::default(),
            debt: Default::default(),
            step: Default::default(),
            turn: Default::default(),
            judged: Default::default(),
            own_judged: Default::default(),
            debts: Default::default(),
            counts: Default::default(),
            shown: Default::default(),
            to_drop: Default::default(),
            charged_now: Default::default(),
            halves: Default::default(),
            is_full: Default::default(),
            outside: Default::default(),
            old_debt: Default::default(),
            old_count: Default::default(),
            limit: Default::default(),
            bar_now: Default::default(),
            worst_stands_out: Default::default(),
            room: Default::default(),
            decides: Default::default(),
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
            bar: Default::default(),
            beyond_new: Default::default(),
            beyond_old: Default::default(),
            beyond_now: Default::default(),
            beyond: Default::default(),
            lowers: Default::default(),
            stands_out: Default::default(),
            over_now: Default::default(),
            is_due: Default::default(),
            has_worst: Default::default(),
            enough: Default::default(),
            codes: std::array::from_fn(|code| Constant::new((code as u64).into())),
            limits: std::array::from_fn(|code| Constant::new(u64::from(threshold_ltps(code as u8)).into())),
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
        dff_setup!(self, clock, step, turn, outside, judged, to_drop, charged_now, halves, is_full, is_over);
        dff_setup!(self, clock, old_debt, old_count, room, own, limit, bar, decides);
        dff_setup!(
            self, clock, own_count, fewest, found, skips, worst_now, has_worst, stands_out, over_now,
            own_judged
        );
        clock!(self, clock, most_debt, most_count, most_lane);

        // The clocks of an LTP.
        self.step.d.next = 0.into();
        if self.step.q.val().any() & !self.step.q.val().get_bit(3) {
            self.step.d.next = self.step.q.val() + self.one_step.val();
        }
        self.turn.d.next = self.turn.q.val() << 1;
        self.outside.d.next = self.turn.q.val();
        self.judged.d.next = self.outside.q.val();
        self.own_judged.d.next = (self.outside.q.val() & self.charged_now.q.val()).any();
        self.rotates.next = (self.turn.q.val() | self.outside.q.val()).any();
        self.calm.next = !(self.turn.q.val() | self.outside.q.val()).any();
        self.decides.d.next = self.step.q.val() == 6;
        if self.start.val() {
            self.step.d.next = 1.into();
            self.turn.d.next = 1.into();
            self.charged_now.d.next = self.charged.val();
        }

        // The lane outside: 1 less, or the charge more, TH at most.
        self.own.d.next = (self.charged_now.q.val() & self.turn.q.val()).any();
        self.old_debt.d.next = self.debts[0].q.val();
        self.old_count.d.next = self.counts[0].q.val();
        self.term.next = self.minus_one.val();
        if self.own.q.val() {
            self.term.next = bit_cast::<SUM_BITS, CHARGE_BITS>(self.charge.val());
        }
        self.sum.next = bit_cast::<SUM_BITS, BITS>(self.old_debt.q.val()) + self.term.val();
        self.limit.d.next = 0.into();
        for i in 0..8 {
            if self.threshold.val() == self.codes[i].val() {
                self.limit.d.next = self.limits[i].val();
            }
        }
        // Beside the sum, not behind it. Below 0 if TH has become less than a debt.
        self.room.d.next = bit_cast::<SUM_BITS, BITS>(self.limit.q.val())
            - bit_cast::<SUM_BITS, BITS>(self.debts[0].q.val());
        self.over.next = self.own.q.val()
            & (self.room.q.val().get_bit(18)
                | (bit_cast::<BITS, CHARGE_BITS>(self.charge.val())
                    >= self.room.q.val().get_bits::<BITS>(0)));
        self.next_debt.next = self.sum.val().get_bits::<BITS>(0);
        if self.sum.val().get_bit(18) {
            self.next_debt.next = 0.into();
        }
        if self.over.val() {
            self.next_debt.next = self.limit.q.val();
        }
        self.count.next = self.old_count.q.val();
        if self.halves.q.val() {
            self.count.next = self.old_count.q.val() >> 1;
        }
        self.next_count.next = self.count.val();
        if self.own.q.val() {
            self.next_count.next = self.count.val() + self.one.val();
        }
        if self.step.q.val() == 1 {
            self.is_full.d.next = false;
            self.is_over.d.next = false;
        }
        if self.outside.q.val().any() & self.next_count.val().get_bit(6) {
            self.is_full.d.next = true;
        }
        if self.outside.q.val().any() & self.over.val() {
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
            self.shown[i].clear.next = self.clear.val() | (self.calm.val() & self.to_drop.q.val().get_bit(i));
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

        // The lane that is back: is its debt the largest, are its verdicts the fewest?
        self.bar_now.next = bit_cast::<BAR_BITS, COUNT_BITS>(self.counts[3].q.val()) << 1;
        if self.stand_out.val().get_bit(1) {
            self.bar_now.next = bit_cast::<BAR_BITS, COUNT_BITS>(self.counts[3].q.val()) << 2;
            if self.stand_out.val().get_bit(0) {
                self.bar_now.next = bit_cast::<BAR_BITS, COUNT_BITS>(self.counts[3].q.val()) << 3;
            }
        }
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
                self.bar.d.next = self.bar_now.val();
            }
        }
        if self.own_judged.q.val() {
            self.own_count.d.next = self.counts[3].q.val();
        }
        if self.step.q.val() == 2 {
            self.found.d.next = false;
            self.fewest.d.next = self.most.val();
        }

        // Whether the lane that was charged stands out is known a clock ahead, for both bars that may come; if that lane
        // has the fewest verdicts itself, it does not.
        self.beyond_new.next = bit_cast::<BAR_BITS, COUNT_BITS>(self.own_count.q.val()) > self.bar_now.val();
        self.beyond_old.next = bit_cast::<BAR_BITS, COUNT_BITS>(self.own_count.q.val()) > self.bar.q.val();
        self.beyond_now.next = bit_cast::<BAR_BITS, COUNT_BITS>(self.counts[3].q.val()) > self.bar.q.val();
        self.lowers.next = self.used.val() & (self.counts[3].q.val() < self.fewest.q.val());
        self.beyond.next = self.beyond_old.val();
        if self.own_judged.q.val() {
            self.beyond.next = self.beyond_now.val() & !self.lowers.val();
        } else if self.lowers.val() {
            self.beyond.next = self.beyond_new.val();
        }
        self.stands_out.d.next = !self.stand_out.val().any() | self.beyond.val();

        // Clock 7: the lane that was charged. Clock 8: the worst.
        self.worst_stands_out.next = !self.stand_out.val().any()
            | (bit_cast::<BAR_BITS, COUNT_BITS>(self.most_count.q.val()) > self.bar.q.val());
        self.enough.next =
            self.most_count.q.val().get_bits::<5>(2).any() | self.most_count.q.val().get_bits::<2>(0).all();
        self.due.next = 0.into();
        self.over_now.d.next = ((self.step.q.val() == 6) & self.is_over.q.val()) & !self.clear.val();
        self.is_due.next = self.over_now.q.val() & self.stands_out.q.val();
        if self.is_due.val() {
            self.due.next = self.charged_now.q.val() & self.in_use.val();
        }
        self.some_due.next = self.is_due.val() & (self.charged_now.q.val() & self.in_use.val()).any();
        self.skips.d.next = self.forget.val();
        if self.step.q.val().get_bit(3) {
            self.worst_now.d.next = 0.into();
            self.has_worst.d.next = false;
            if (self.found.q.val() & self.enough.val()) & (self.worst_stands_out.val() & !self.skips.q.val())
            {
                self.worst_now.d.next = self.most_lane.q.val();
                self.has_worst.d.next = true;
            }
        }
        if self.forget.val() {
            self.worst_now.d.next = 0.into();
            self.has_worst.d.next = false;
        }
        self.worst.next = self.worst_now.q.val();
        self.deciding.next = self.decides.q.val();
        self.some_worst.next = self.has_worst.q.val();
        if self.clear.val() {
            self.step.d.next = 0.into();
            self.turn.d.next = 0.into();
            self.outside.d.next = 0.into();
            self.decides.d.next = false;
            self.judged.d.next = 0.into();
            self.to_drop.d.next = 0.into();
            self.halves.d.next = false;
            self.worst_now.d.next = 0.into();
            self.has_worst.d.next = false;
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("degrade_debts", &[])
    }
}

drive_ports!(impl[] DegradeDebts {
    clock, clear, start, charged, charge, in_use, drop_lanes, forget, threshold, stand_out, due, worst, deciding, some_due, some_worst, debt,
});
