//! Lock of the lanes.

use super::LinkTrainConfig;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::training::HOLD_SETS;

/// Bits of a count of good sets.
pub(super) const LOCK_BITS: usize = 4;

/// Counts the good sets of each lane: locked after so many in a row that name the same lane number, and then until it has lost
/// HOLD_SETS more than came good, or another number comes.
#[block(new)]
pub struct TrainLocks {
    /// Clock.
    clock: In<Clock>,
    /// All lanes start over; wins.
    forget: In<Bit>,
    /// A training-set time is over.
    step: In<Bit>,
    /// Lanes (by the receiver's numbers) that a set came on.
    valid: In<Bits<4>>,
    /// Lane number that it names.
    numbers: [In<Bits<2>>; 4],
    /// Locked lanes by the sender's numbers; 2 clocks after `step`.
    locked: Out<Bits<4>>,
    #[wire(d = _)]
    good: [Reg<Bits<LOCK_BITS>>; 4],
    #[wire(d = _)]
    named: [Reg<Bits<2>>; 4],
    is_locked: Reg<Bits<4>>,
    needed: Constant<Bits<LOCK_BITS>>,
    /// One good set less.
    before: Constant<Bits<LOCK_BITS>>,
    /// What a lane has when it locks, and at most.
    most: Constant<Bits<LOCK_BITS>>,
}

#[logic]
impl TrainLocks {
    pub(super) fn new(config: &LinkTrainConfig) -> Self {
        Self {
            needed: Constant::new(u64::from(config.lock_sets).into()),
            before: Constant::new(u64::from(config.lock_sets - 1).into()),
            most: Constant::new(u64::from(config.lock_sets + HOLD_SETS).into()),
            ..
        }
    }

    fn update(&mut self) {
        let mut full: Bits<4> = 0;
        for i in 0..4 {
            good[i] = good[i];
            named[i] = named[i];
            full = full.with(i, good[i] >= needed);
            if step {
                named[i] = numbers[i];
                if good[i] != most {
                    good[i] = good[i] + 1;
                }
                if good[i] == before {
                    good[i] = most;
                }
                if numbers[i] != named[i] {
                    good[i] = 1;
                }
                if !valid[i] {
                    named[i] = named[i];
                    good[i] = 0;
                    if good[i] > needed {
                        good[i] = good[i] - 1;
                    }
                }
            }
            if forget {
                good[i] = 0;
            }
        }
        let mut found: Bits<4> = 0;
        for i in 0..4 {
            for j in 0..4 {
                if full[i] & (named[i] == j) {
                    found = found.with(j, true);
                }
            }
        }
        is_locked = found;
        locked = is_locked;
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("train_locks", &[("lock", self.needed.val().index().to_string())])
    }
}
