//! One thing at a time: which step the transmit side takes next.

use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;

/// Picks one step at a time. A step takes three clocks: in the first (`pick_...`) the other parts compare and choose
/// into registers, in the second its strobe is up and the state changes, in the third what hangs on the new state
/// settles. Events go first, so that none is overtaken by a later decision; they come at least 4 clocks apart.
#[derive(LogicBlock, Default)]
pub struct ReplaySequencer {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// The link is in Init, Active or Degraded.
    pub run: Signal<In, Bit>,
    /// State OFF.
    pub is_off: Signal<In, Bit>,
    /// No LTP is under way and none is decided.
    pub drained: Signal<In, Bit>,
    /// Events wait.
    pub pending: Signal<In, Bit>,
    /// The Init exchange is over, but not yet acted on.
    pub init_over: Signal<In, Bit>,
    /// The next LTP is to be decided.
    pub due: Signal<In, Bit>,
    /// LTPs go out: from the start of Init until `run` falls.
    pub running: Signal<Out, Bit>,
    /// Events are dealt with next.
    pub pick_event: Signal<Out, Bit>,
    /// Strobe: enter INIT.
    pub start: Signal<Out, Bit>,
    /// Strobe: enter OFF.
    pub stop: Signal<Out, Bit>,
    /// Strobe: enter MARK from INIT. The step behind it is `decide`.
    pub activate: Signal<Out, Bit>,
    /// Strobe: the events count.
    pub event: Signal<Out, Bit>,
    /// Strobe: the next LTP is decided.
    pub decide: Signal<Out, Bit>,

    runs: DFF<Bit>,
    starts: DFF<Bit>,
    stops: DFF<Bit>,
    activates: DFF<Bit>,
    counts: DFF<Bit>,
    decides: DFF<Bit>,
    acts: DFF<Bit>,
    settles: DFF<Bit>,
    entering: DFF<Bit>,
    idle: Signal<Local, Bit>,
    /// The step that is picked in this clock.
    pick_stop: Signal<Local, Bit>,
    pick_start: Signal<Local, Bit>,
    pick_now: Signal<Local, Bit>,
    pick_activate: Signal<Local, Bit>,
    pick_decide: Signal<Local, Bit>,
}

impl Logic for ReplaySequencer {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, runs, starts, stops, activates, counts, decides, acts, settles, entering);
        self.idle.next = !self.acts.q.val() & !self.settles.q.val();
        self.pick_stop.next = self.idle.val() & !self.runs.q.val() & !self.is_off.val() & self.drained.val();
        self.pick_start.next = self.idle.val() & self.is_off.val() & self.run.val();
        self.pick_now.next =
            self.idle.val() & self.runs.q.val() & self.pending.val() & !self.entering.q.val();
        self.pick_activate.next = self.idle.val()
            & self.runs.q.val()
            & self.due.val()
            & self.init_over.val()
            & !self.pick_now.val();
        self.pick_decide.next = self.idle.val()
            & self.runs.q.val()
            & self.due.val()
            & !self.init_over.val()
            & !self.pick_now.val();

        self.stops.d.next = self.pick_stop.val();
        self.starts.d.next = self.pick_start.val();
        self.counts.d.next = self.pick_now.val();
        self.activates.d.next = self.pick_activate.val();
        self.decides.d.next = self.pick_decide.val();
        self.acts.d.next = self.pick_stop.val()
            | self.pick_start.val()
            | self.pick_now.val()
            | self.pick_activate.val()
            | self.pick_decide.val();
        self.settles.d.next = self.acts.q.val();
        self.entering.d.next = (self.entering.q.val() | self.activates.q.val()) & !self.decides.q.val();
        self.runs.d.next = self.run.val() & (self.runs.q.val() | self.starts.q.val());
        if self.clear.val() {
            self.runs.d.next = false;
            self.starts.d.next = false;
            self.stops.d.next = false;
            self.activates.d.next = false;
            self.counts.d.next = false;
            self.decides.d.next = false;
            self.acts.d.next = false;
            self.settles.d.next = false;
        }
        if self.clear.val() | self.starts.q.val() {
            self.entering.d.next = false;
        }
        self.running.next = self.runs.q.val();
        self.pick_event.next = self.pick_now.val();
        self.start.next = self.starts.q.val();
        self.stop.next = self.stops.q.val();
        self.activate.next = self.activates.q.val();
        self.event.next = self.counts.q.val();
        self.decide.next = self.decides.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("replay_sequencer", &[])
    }
}

drive_ports!(impl[] ReplaySequencer { clock, clear, run, is_off, drained, pending, init_over, due, running, pick_event, start, stop, activate, event, decide });
