//! What the lanes that wait have to work off.

use crate::prim::LutRam;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::degrade::{
    safe_ltps, threshold_ltps, PROBATION_CHARGE_LOG2, PROBATION_DOUBLINGS, SAFE_MAX, THRESHOLD_LOG2,
    THRESHOLD_MAX,
};

/// Bits of the number of times that a lane was lost; it stays at the most.
pub const REMOVAL_BITS: usize = 3;
/// Bits of a debt.
const DEBT_BITS: usize = THRESHOLD_LOG2 as usize + SIZES;
/// The same and a sign.
const SUM_BITS: usize = DEBT_BITS + 1;
/// Debts that a lane can start with: TH, and doubled.
const SIZES: usize = THRESHOLD_MAX as usize + PROBATION_DOUBLINGS as usize + 1;
/// Bits of what a bad LTP time costs.
const CHARGE_BITS: usize = 15;

const _: () =
    assert!(PROBATION_DOUBLINGS + 2 == 1 << REMOVAL_BITS, "the last doubling is at the most removals");
const _: () = assert!(safe_ltps(SAFE_MAX) < 1 << CHARGE_BITS && DEBT_BITS == 24);

/// Works off, lane by lane, what each lane owes (chapter 10, 4.5, *Probation*, rules 3 and 4).
///
/// An LTP time that is `good` takes 1 off; another adds a 64th of TH, SAFE at least, up to what the lane started with: TH, for a
/// lane that was lost k times 2^(k-1) times that. One adder and one comparison serve all lanes: behind `ltp` the lanes are visited one
/// after the other, two clocks each. So LTP times are at least 8 clocks apart, as 33 words on four lanes are.
///
/// Latency: `back` 9 clocks behind `ltp`. `flush` forgets the visit that is going on, but no debt.
#[derive(LogicBlock)]
pub struct ProbationCount {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub flush: Signal<In, Bit>,
    /// Pulse: an LTP time is over.
    pub ltp: Signal<In, Bit>,
    /// Lanes without a bad word in it; holds for 8 clocks behind `ltp`.
    pub good: Signal<In, Bits<4>>,
    /// Lanes that may come back.
    pub waits: Signal<In, Bits<4>>,
    /// These lanes owe all that they start with again; also with `flush`.
    pub lost_lanes: Signal<In, Bits<4>>,
    /// Times each lane was lost.
    pub removals: [Signal<In, Bits<REMOVAL_BITS>>; 4],
    /// Register DEGRADE, enable.
    pub enabled: Signal<In, Bit>,
    /// Register DEGRADE, TH.
    pub threshold: Signal<In, Bits<3>>,
    /// Register DEGRADE, SAFE.
    pub safe: Signal<In, Bits<3>>,
    /// Lanes that come back, for one clock.
    pub back: Signal<Out, Bits<4>>,

    debts: LutRam<Bits<DEBT_BITS>, 2>,
    /// {busy, lane, second clock}.
    step: DFF<Bits<4>>,
    /// What a bad LTP time costs.
    charge: DFF<Bits<CHARGE_BITS>>,
    /// Lanes that owe what they start with.
    renewed: DFF<Bits<4>>,
    owed: DFF<Bits<DEBT_BITS>>,
    most: DFF<Bits<DEBT_BITS>>,
    is_new: DFF<Bit>,
    is_good: DFF<Bit>,
    may_return: DFF<Bit>,
    found: DFF<Bits<4>>,
    ended: DFF<Bit>,

    lane: Signal<Local, Bits<2>>,
    lost: Signal<Local, Bits<REMOVAL_BITS>>,
    doublings: Signal<Local, Bits<4>>,
    size: Signal<Local, Bits<4>>,
    share: Signal<Local, Bits<CHARGE_BITS>>,
    least: Signal<Local, Bits<CHARGE_BITS>>,
    before: Signal<Local, Bits<DEBT_BITS>>,
    term: Signal<Local, Bits<SUM_BITS>>,
    sum: Signal<Local, Bits<SUM_BITS>>,
    new_debt: Signal<Local, Bits<DEBT_BITS>>,
    returns: Signal<Local, Bit>,
    writes: Signal<Local, Bit>,
    codes: [Constant<Bits<3>>; 8],
    shares: [Constant<Bits<CHARGE_BITS>>; 8],
    leasts: [Constant<Bits<CHARGE_BITS>>; 8],
    numbers: [Constant<Bits<2>>; 4],
    size_codes: [Constant<Bits<4>>; SIZES],
    sizes: [Constant<Bits<DEBT_BITS>>; SIZES],
    minus_one: Constant<Bits<SUM_BITS>>,
    one: Constant<Bits<4>>,
    next_step: Constant<Bits<4>>,
    start: Constant<Bits<4>>,
}

impl Default for ProbationCount {
    fn default() -> Self {
        let share = |code: usize| threshold_ltps(code as u8) >> PROBATION_CHARGE_LOG2;
        Self {
            clock: Default::default(),
            flush: Default::default(),
            ltp: Default::default(),
            good: Default::default(),
            waits: Default::default(),
            lost_lanes: Default::default(),
            removals: Default::default(),
            enabled: Default::default(),
            threshold: Default::default(),
            safe: Default::default(),
            back: Default::default(),
            debts: Default::default(),
            step: Default::default(),
            charge: Default::default(),
            renewed: Default::default(),
            owed: Default::default(),
            most: Default::default(),
            is_new: Default::default(),
            is_good: Default::default(),
            may_return: Default::default(),
            found: Default::default(),
            ended: Default::default(),
            lane: Default::default(),
            lost: Default::default(),
            doublings: Default::default(),
            size: Default::default(),
            share: Default::default(),
            least: Default::default(),
            before: Default::default(),
            term: Default::default(),
            sum: Default::default(),
            new_debt: Default::default(),
            returns: Default::default(),
            writes: Default::default(),
            codes: std::array::from_fn(|code| Constant::new((code as u64).into())),
            shares: std::array::from_fn(|code| Constant::new(u64::from(share(code)).into())),
            leasts: std::array::from_fn(|code| Constant::new(u64::from(safe_ltps(code as u8)).into())),
            numbers: std::array::from_fn(|lane| Constant::new((lane as u64).into())),
            size_codes: std::array::from_fn(|code| Constant::new((code as u64).into())),
            sizes: std::array::from_fn(|code| {
                Constant::new((1u64 << (THRESHOLD_LOG2 as usize + code)).into())
            }),
            minus_one: Constant::new(((1u64 << SUM_BITS) - 1).into()),
            one: Constant::new(1.into()),
            next_step: Constant::new(1.into()),
            start: Constant::new(8.into()),
        }
    }
}

impl Logic for ProbationCount {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, step, charge, renewed, owed, most, is_new, is_good, may_return, found, ended);
        clock!(self, clock, debts);

        // A 64th of TH, SAFE at least.
        self.share.next = 0.into();
        self.least.next = 0.into();
        for i in 0..8 {
            if self.threshold.val() == self.codes[i].val() {
                self.share.next = self.shares[i].val();
            }
            if self.safe.val() == self.codes[i].val() {
                self.least.next = self.leasts[i].val();
            }
        }
        self.charge.d.next = self.least.val();
        if self.share.val() > self.least.val() {
            self.charge.d.next = self.share.val();
        }

        // First clock of a lane: what is known of it.
        self.lane.next = self.step.q.val().get_bits::<2>(1);
        self.debts.read_address.next = self.lane.val();
        self.owed.d.next = self.debts.read_data.val();
        self.is_new.d.next = self.renewed.q.val().get_bit(self.lane.val().index());
        self.is_good.d.next = self.good.val().get_bit(self.lane.val().index());
        self.may_return.d.next = self.enabled.val() & self.waits.val().get_bit(self.lane.val().index());
        self.lost.next = self.removals[0].val();
        for i in 1..4 {
            if self.lane.val() == self.numbers[i].val() {
                self.lost.next = self.removals[i].val();
            }
        }
        self.doublings.next = 0.into();
        if self.lost.val().any() {
            self.doublings.next = bit_cast::<4, REMOVAL_BITS>(self.lost.val()) - self.one.val();
        }
        self.size.next = self.doublings.val() + bit_cast::<4, 3>(self.threshold.val());
        self.most.d.next = 0.into();
        for i in 0..14 {
            if self.size.val() == self.size_codes[i].val() {
                self.most.d.next = self.sizes[i].val();
            }
        }

        // Second clock: what it owes now. A lane that owes nothing and may not come back stays so.
        self.before.next = self.owed.q.val();
        if self.is_new.q.val() {
            self.before.next = self.most.q.val();
        }
        self.term.next = bit_cast::<SUM_BITS, CHARGE_BITS>(self.charge.q.val());
        if self.is_good.q.val() {
            self.term.next = self.minus_one.val();
        }
        self.sum.next = bit_cast::<SUM_BITS, DEBT_BITS>(self.before.val()) + self.term.val();
        self.new_debt.next = self.sum.val().get_bits::<DEBT_BITS>(0);
        if self.sum.val() > bit_cast::<SUM_BITS, DEBT_BITS>(self.most.q.val()) {
            self.new_debt.next = self.most.q.val();
        }
        if self.is_good.q.val() & self.sum.val().get_bit(24) {
            self.new_debt.next = 0.into();
        }
        self.returns.next = (self.is_good.q.val() & self.may_return.q.val()) & !self.new_debt.val().any();
        self.writes.next = self.step.q.val().get_bit(3) & self.step.q.val().get_bit(0);
        self.debts.write_enable.next = self.writes.val();
        self.debts.write_address.next = self.lane.val();
        self.debts.write_data.next = self.new_debt.val();
        self.renewed.d.next = self.renewed.q.val() | self.lost_lanes.val();
        if self.writes.val() {
            self.renewed.d.next =
                self.renewed.q.val().replace_bit(self.lane.val().index(), false) | self.lost_lanes.val();
        }

        // From lane to lane.
        self.back.next = 0.into();
        if self.ended.q.val() {
            self.back.next = self.found.q.val();
            self.found.d.next = 0.into();
        }
        if self.writes.val() & self.returns.val() {
            self.found.d.next = self.found.q.val().replace_bit(self.lane.val().index(), true);
        }
        self.ended.d.next = self.step.q.val().all();
        if self.step.q.val().get_bit(3) {
            self.step.d.next = self.step.q.val() + self.next_step.val();
        }
        if self.ltp.val() {
            self.step.d.next = self.start.val();
        }
        if self.flush.val() {
            self.step.d.next = 0.into();
            self.found.d.next = 0.into();
            self.ended.d.next = false;
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("probation_count", &[])
    }
}

drive_ports!(impl[] ProbationCount {
    clock, flush, ltp, good, waits, lost_lanes, removals, enabled, threshold, safe, back,
});
