//! Whether a frame goes to the port.

use crate::frame::FrameWord;
use flitforge_hdl_prim::prelude::*;

/// Lets frames go to the Ethernet port.
///
/// | the next frame | then |
/// |---|---|
/// | the port is up, `stop` low | it goes |
/// | the port is up, `stop` high | it waits |
/// | the port is down | it is taken and forgotten |
///
/// - A frame whose port goes down meanwhile ends with `error`, and its rest is forgotten: so the sender never waits for a port that is down.
/// - `sending` is high while a frame has begun to go to the port and not ended. No latency. `clear` cuts the frame under way the same way.
#[block("sue_port_gate")]
pub struct PortGate {
    /// Rising edge counts.
    clock: In<Clock>,
    /// The frame under way is gone.
    clear: In<Bit>,
    /// The port is up.
    up: In<Bit>,
    /// No frame may begin.
    stop: In<Bit>,
    /// Frames.
    pub frame: StreamIn<FrameWord>,
    /// Those that go.
    pub passed: StreamOut<FrameWord>,
    /// One is under way.
    sending: Out<Bit>,

    /// A frame goes, or is forgotten.
    goes: Reg<Bit>,
    forgets: Reg<Bit>,
    /// The end that it lacks is offered.
    closes: Reg<Bit>,
}

#[logic]
impl PortGate {
    fn update(&mut self) {
        let word = frame.data;
        let is_first = !goes & !forgets;
        let passes = (goes | (is_first & up & !stop)) & !closes & !clear;
        let drops = (forgets | (is_first & !up)) & !clear;
        let end = FrameWord { data: bits::<64>(0), bytes: 8, last: true, error: true };
        passed.valid = closes | (frame.valid & passes);
        passed.data = if closes { end } else { word };
        frame.ready = drops | (passes & passed.ready);
        let moves = frame.valid & frame.ready;
        let cut = goes & (clear | !up) & !closes & !(moves & passes & word.last);
        if moves {
            goes = passes & !word.last;
            forgets = drops & !word.last;
        }
        if clear {
            goes = false;
            forgets = false;
        }
        if cut {
            closes = true;
            goes = false;
            forgets = !clear & !(moves & word.last);
        }
        if closes & passed.ready {
            closes = false;
        }
        sending = goes | closes;
    }
}
