//! Events from outside the lanes, one per training-set time.

use flitforge_hdl_prim::prelude::*;

/// One bit for each event from outside the lanes, the most urgent first.
#[packed]
pub struct Events {
    /// Retries did not help: to Down.
    give_up: Bit,
    /// A lane is to go: to Retraining.
    remove_lane: Bit,
    /// Removed lanes are tried again: to Retraining.
    restore: Bit,
    /// Software or a fault wants it: to Retraining.
    retrain: Bit,
    /// Round trip known, InitAck seen: to Active or Degraded.
    init_done: Bit,
    /// The lane test is over: to Retraining.
    bist_end: Bit,
    /// The lane test begins.
    bist_start: Bit,
}

/// Number of events.
const EVENTS: usize = Events::BITS;
/// Retrain, of them.
const RETRAIN: usize = 3;

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
    event_enable: In<Events>,
    /// One event is taken.
    take: In<Bit>,
    /// The event that was taken one clock ago.
    event: Out<Events>,
    /// With `event`: one that leads to Retraining.
    retrains: Out<Bit>,
    /// Lane of RemoveLane.
    lane: Out<Bits<2>>,
    waiting: Reg<Bits<EVENTS>>,
    event_now: Reg<Events>,
    retrains_now: Reg<Bit>,
    lane_to_go: Reg<Bits<2>>,
}

#[logic]
impl TrainEvents {
    fn update(&mut self) {
        let come = Events { give_up, remove_lane: remove, restore, retrain, init_done, bist_end, bist_start };
        let mut first: Bits<EVENTS> = 0;
        for i in 0..EVENTS {
            if waiting[i] & !first.any() {
                first = first.with(i, true);
            }
        }
        let mut taken: Bits<EVENTS> = 0;
        if take {
            taken = first;
            if confirming {
                taken = first.with(RETRAIN, false);
            }
        }
        let enabled: Bits<EVENTS> = event_enable.into();
        let counts: Events = (taken & enabled).into();
        event_now = counts;
        retrains_now = ((counts.remove_lane | counts.restore) | counts.retrain) | counts.bist_end;
        retrains = retrains_now;
        event = event_now;
        let received: Bits<EVENTS> = come.into();
        waiting = (waiting & !taken) | received;
        if remove {
            lane_to_go = remove_lane;
        }
        lane = lane_to_go;
        if clear {
            waiting = 0;
            event_now = Events {
                give_up: false,
                remove_lane: false,
                restore: false,
                retrain: false,
                init_done: false,
                bist_end: false,
                bist_start: false,
            };
            retrains_now = false;
        }
    }
}
