//! Events from outside the lanes, one per training-set time.

use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;

/// Keeps events until training takes them: one per step, the most urgent first.
///
/// Order: GiveUp, RemoveLane, Restore, Retrain, InitDone, BistEnd, BistStart. Of several lanes to be removed the last
/// one counts. Retrain waits while the end confirms, for the peer's rows may already be coming: a fault in them
/// counts once the end is in Init.
#[derive(LogicBlock, Default)]
pub struct TrainEvents {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Forgets all.
    pub clear: Signal<In, Bit>,
    /// Pulse: retries did not help.
    pub give_up: Signal<In, Bit>,
    /// Pulse: `remove_lane` (sender's number) is to go.
    pub remove: Signal<In, Bit>,
    /// The lane.
    pub remove_lane: Signal<In, Bits<2>>,
    /// Pulse: removed lanes are tried again.
    pub restore: Signal<In, Bit>,
    /// Pulse: software or a fault wants Retraining.
    pub retrain: Signal<In, Bit>,
    /// Pulse: round trip known, InitAck seen.
    pub init_done: Signal<In, Bit>,
    /// Pulse: the lane test is over.
    pub bist_end: Signal<In, Bit>,
    /// Pulse: the lane test begins.
    pub bist_start: Signal<In, Bit>,
    /// The end confirms: Retrain is not taken.
    pub confirming: Signal<In, Bit>,
    /// Events that mean something in the present state; the others are taken and forgotten.
    pub heeded: Signal<In, Bits<7>>,
    /// One event is taken.
    pub take: Signal<In, Bit>,
    /// The event that was taken one clock ago, one bit: 0 GiveUp, 1 RemoveLane, 2 Restore, 3 Retrain, 4 InitDone, 5 BistEnd,
    /// 6 BistStart.
    pub event: Signal<Out, Bits<7>>,
    /// With `event`: one that leads to Retraining.
    pub retrains: Signal<Out, Bit>,
    /// Lane of RemoveLane.
    pub lane: Signal<Out, Bits<2>>,
    waiting: DFF<Bits<7>>,
    event_now: DFF<Bits<7>>,
    retrains_now: DFF<Bit>,
    lane_to_go: DFF<Bits<2>>,
    came: Signal<Local, Bits<7>>,
    first: Signal<Local, Bits<7>>,
    taken: Signal<Local, Bits<7>>,
    counts: Signal<Local, Bits<7>>,
}

impl Logic for TrainEvents {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, waiting, event_now, retrains_now, lane_to_go);
        self.came.next = 0.into();
        self.came.next = self.came.val().replace_bit(0, self.give_up.val());
        self.came.next = self.came.val().replace_bit(1, self.remove.val());
        self.came.next = self.came.val().replace_bit(2, self.restore.val());
        self.came.next = self.came.val().replace_bit(3, self.retrain.val());
        self.came.next = self.came.val().replace_bit(4, self.init_done.val());
        self.came.next = self.came.val().replace_bit(5, self.bist_end.val());
        self.came.next = self.came.val().replace_bit(6, self.bist_start.val());
        self.first.next = 0.into();
        for i in 0..7 {
            if self.waiting.q.val().get_bit(i) & !self.first.val().any() {
                self.first.next = self.first.val().replace_bit(i, true);
            }
        }
        self.taken.next = 0.into();
        if self.take.val() {
            self.taken.next = self.first.val();
            if self.confirming.val() {
                self.taken.next = self.first.val().replace_bit(3, false);
            }
        }
        self.counts.next = self.taken.val() & self.heeded.val();
        self.event_now.d.next = self.counts.val();
        self.retrains_now.d.next = self.counts.val().get_bits::<3>(1).any() | self.counts.val().get_bit(5);
        self.retrains.next = self.retrains_now.q.val();
        self.event.next = self.event_now.q.val();
        self.waiting.d.next = (self.waiting.q.val() & !self.taken.val()) | self.came.val();
        if self.remove.val() {
            self.lane_to_go.d.next = self.remove_lane.val();
        }
        self.lane.next = self.lane_to_go.q.val();
        if self.clear.val() {
            self.waiting.d.next = 0.into();
            self.event_now.d.next = 0.into();
            self.retrains_now.d.next = false;
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("train_events", &[])
    }
}

drive_ports!(impl[] TrainEvents {
    clock, clear, give_up, remove, remove_lane, restore, retrain, init_done, bist_end, bist_start, confirming, heeded, take,
    event, retrains, lane,
});
