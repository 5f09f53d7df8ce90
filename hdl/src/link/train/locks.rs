//! Lock of the lanes.

use super::LinkTrainConfig;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::training::HOLD_SETS;

/// Bits of a count of good sets.
pub(super) const LOCK_BITS: usize = 4;

/// Counts the good sets of each lane: locked after so many in a row that name the same lane number, and then until it has lost
/// HOLD_SETS more than came good, or another number comes.
#[derive(LogicBlock)]
pub struct TrainLocks {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// All lanes start over; wins.
    pub forget: Signal<In, Bit>,
    /// A training-set time is over.
    pub step: Signal<In, Bit>,
    /// Lanes (by the receiver's numbers) that a set came on.
    pub valid: Signal<In, Bits<4>>,
    /// Lane number that it names.
    pub numbers: [Signal<In, Bits<2>>; 4],
    /// Locked lanes by the sender's numbers; 2 clocks behind `step`.
    pub locked: Signal<Out, Bits<4>>,
    good: [DFF<Bits<LOCK_BITS>>; 4],
    named: [DFF<Bits<2>>; 4],
    is_locked: DFF<Bits<4>>,
    needed: Constant<Bits<LOCK_BITS>>,
    /// One good set less.
    before: Constant<Bits<LOCK_BITS>>,
    /// What a lane has when it locks, and at most.
    most: Constant<Bits<LOCK_BITS>>,
    full: Signal<Local, Bits<4>>,
    found: Signal<Local, Bits<4>>,
}

impl TrainLocks {
    pub(super) fn new(config: &LinkTrainConfig) -> Self {
        Self {
            clock: Default::default(),
            forget: Default::default(),
            step: Default::default(),
            valid: Default::default(),
            numbers: Default::default(),
            locked: Default::default(),
            good: Default::default(),
            named: Default::default(),
            is_locked: Default::default(),
            needed: Constant::new(u64::from(config.lock_sets).into()),
            before: Constant::new(u64::from(config.lock_sets - 1).into()),
            most: Constant::new(u64::from(config.lock_sets + HOLD_SETS).into()),
            full: Default::default(),
            found: Default::default(),
        }
    }
}

impl Logic for TrainLocks {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, is_locked);
        self.full.next = 0.into();
        for i in 0..4 {
            self.good[i].clock.next = self.clock.val();
            self.good[i].d.next = self.good[i].q.val();
            self.named[i].clock.next = self.clock.val();
            self.named[i].d.next = self.named[i].q.val();
            self.full.next = self.full.val().replace_bit(i, self.good[i].q.val() >= self.needed.val());
            if self.step.val() {
                self.named[i].d.next = self.numbers[i].val();
                if self.good[i].q.val() != self.most.val() {
                    self.good[i].d.next = self.good[i].q.val() + 1;
                }
                if self.good[i].q.val() == self.before.val() {
                    self.good[i].d.next = self.most.val();
                }
                if self.numbers[i].val() != self.named[i].q.val() {
                    self.good[i].d.next = 1.into();
                }
                if !self.valid.val().get_bit(i) {
                    self.named[i].d.next = self.named[i].q.val();
                    self.good[i].d.next = 0.into();
                    if self.good[i].q.val() > self.needed.val() {
                        self.good[i].d.next = self.good[i].q.val() - 1;
                    }
                }
            }
            if self.forget.val() {
                self.good[i].d.next = 0.into();
            }
        }
        self.found.next = 0.into();
        for i in 0..4 {
            for j in 0..4 {
                if self.full.val().get_bit(i) & (self.named[i].q.val().index() == j) {
                    self.found.next = self.found.val().replace_bit(j, true);
                }
            }
        }
        self.is_locked.d.next = self.found.val();
        self.locked.next = self.is_locked.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("train_locks", &[("lock", self.needed.val().index().to_string())])
    }
}

drive_ports!(impl[] TrainLocks { clock, forget, step, valid, numbers, locked });
