//! Events from outside the lanes, one per training-set time.

use flitforge_hdl_prim::prelude::*;

/// Keeps events until training takes them: one per step, the most urgent first.
///
/// Order: GiveUp, RemoveLane, Restore, Retrain, InitDone, BistEnd, BistStart. Of several lanes to be removed the last
/// one counts. Retrain waits while the end confirms, for the peer's rows may already be coming: a fault in them
/// counts once the end is in Init.
#[block("train_events")]
pub struct TrainEvents {
    /// Clock.
    clock: In<Clock>,
    /// Forgets all.
    clear: In<Bit>,
    /// Pulse: retries did not help.
    give_up: In<Bit>,
    /// Pulse: `remove_lane` (sender's number) is to go.
    remove: In<Bit>,
    /// The lane.
    remove_lane: In<Bits<2>>,
    /// Pulse: removed lanes are tried again.
    restore: In<Bit>,
    /// Pulse: software or a fault wants Retraining.
    retrain: In<Bit>,
    /// Pulse: round trip known, InitAck seen.
    init_done: In<Bit>,
    /// Pulse: the lane test is over.
    bist_end: In<Bit>,
    /// Pulse: the lane test begins.
    bist_start: In<Bit>,
    /// The end confirms: Retrain is not taken.
    confirming: In<Bit>,
    /// Events that mean something in the present state; the others are taken and forgotten.
    event_enable: In<Bits<7>>,
    /// One event is taken.
    take: In<Bit>,
    /// The event that was taken one clock ago, one bit: 0 GiveUp, 1 RemoveLane, 2 Restore, 3 Retrain, 4 InitDone, 5 BistEnd,
    /// 6 BistStart.
    event: Out<Bits<7>>,
    /// With `event`: one that leads to Retraining.
    retrains: Out<Bit>,
    /// Lane of RemoveLane.
    lane: Out<Bits<2>>,
    waiting: Reg<Bits<7>>,
    event_now: Reg<Bits<7>>,
    retrains_now: Reg<Bit>,
    lane_to_go: Reg<Bits<2>>,
}

#[logic]
impl TrainEvents {
    fn update(&mut self) {
        let mut received: Bits<7> = 0;
        received = received.with(0, give_up);
        received = received.with(1, remove);
        received = received.with(2, restore);
        received = received.with(3, retrain);
        received = received.with(4, init_done);
        received = received.with(5, bist_end);
        received = received.with(6, bist_start);
        let mut first: Bits<7> = 0;
        for i in 0..7 {
            if waiting[i] & !first.any() {
                first = first.with(i, true);
            }
        }
        let mut taken: Bits<7> = 0;
        if take {
            taken = first;
            if confirming {
                taken = first.with(3, false);
            }
        }
        let counts = taken & event_enable;
        event_now = counts;
        retrains_now = counts.bits::<3>(1).any() | counts[5];
        retrains = retrains_now;
        event = event_now;
        waiting = (waiting & !taken) | received;
        if remove {
            lane_to_go = remove_lane;
        }
        lane = lane_to_go;
        if clear {
            waiting = 0;
            event_now = 0;
            retrains_now = false;
        }
    }
}
