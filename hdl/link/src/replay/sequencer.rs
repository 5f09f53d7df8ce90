//! One thing at a time: which step the transmit side takes next.

use flitforge_hdl_prim::prelude::*;

/// Picks one step at a time. A step takes three clocks: in the first (`pick_...`) the other parts compare and choose
/// into registers, in the second its strobe is up and the state changes, in the third what hangs on the new state
/// settles. Events go first, so that none is overtaken by a later decision; they come at least 4 clocks apart.
#[block("replay_sequencer")]
pub struct ReplaySequencer {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// The link is in Init, Active or Degraded.
    run: In<Bit>,
    /// State OFF.
    is_off: In<Bit>,
    /// No LTP is under way and none is decided.
    drained: In<Bit>,
    /// Events wait.
    pending: In<Bit>,
    /// The Init exchange is over, but not yet acted on.
    init_over: In<Bit>,
    /// The next LTP is to be decided.
    due: In<Bit>,
    /// LTPs go out: from the start of Init until `run` falls.
    running: Out<Bit>,
    /// Events are dealt with next.
    pick_event: Out<Bit>,
    /// Strobe: enter INIT.
    start: Out<Bit>,
    /// Strobe: enter OFF.
    stop: Out<Bit>,
    /// Strobe: enter MARK from INIT. The step after it is `decide`.
    activate: Out<Bit>,
    /// Strobe: the events count.
    event: Out<Bit>,
    /// Strobe: the next LTP is decided.
    decide: Out<Bit>,

    runs: Reg<Bit>,
    starts: Reg<Bit>,
    stops: Reg<Bit>,
    activates: Reg<Bit>,
    counts: Reg<Bit>,
    decides: Reg<Bit>,
    acts: Reg<Bit>,
    settles: Reg<Bit>,
    entering: Reg<Bit>,
}

#[logic]
impl ReplaySequencer {
    fn update(&mut self) {
        let idle = !acts & !settles;
        // The step that is picked in this clock.
        let pick_stop = idle & !runs & !is_off & drained;
        let pick_start = idle & is_off & run;
        let pick_now = idle & runs & pending & !entering;
        let pick_activate = idle & runs & due & init_over & !pick_now;
        let pick_decide = idle & runs & due & !init_over & !pick_now;

        stops = pick_stop;
        starts = pick_start;
        counts = pick_now;
        activates = pick_activate;
        decides = pick_decide;
        acts = pick_stop | pick_start | pick_now | pick_activate | pick_decide;
        settles = acts;
        entering = (entering | activates) & !decides;
        runs = run & (runs | starts);
        if clear {
            runs = false;
            starts = false;
            stops = false;
            activates = false;
            counts = false;
            decides = false;
            acts = false;
            settles = false;
        }
        if clear | starts {
            entering = false;
        }
        running = runs;
        pick_event = pick_now;
        start = starts;
        stop = stops;
        activate = activates;
        event = counts;
        decide = decides;
    }
}
