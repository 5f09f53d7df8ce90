//! `clear_crossing`: one clear for both sides of a clock crossing, also while the far clock stands still.
//!
//! An `async_fifo` must be cleared on both sides together. `clear`, of any length, raises `near_clear` at once and `far_clear` 2
//! to 3 far clocks later. The far side answers after 8 of its clocks, the near side holds on for 8 of its own after the answer,
//! then `far_clear` falls, then `near_clear`: both are up together for at least 8 clocks of either.
//!
//! A far clock that stands still does not answer, so `near_clear` stays up until it runs. A `clear` that comes meanwhile makes it
//! last longer. Powers on with both low.
//!
//! From an answered `clear` of one clock, `near_clear` is up for about 15 far and 13 near clocks.

use super::synchronizer::Synchronizer;
use super::Register;
use crate::prelude::*;

/// Bits of a count of 8 clocks.
const WAIT_BITS: usize = 3;

/// See the [module](self).
#[block("clear_crossing", new)]
#[derive(Clone, Debug)]
pub struct ClearCrossing {
    /// Near clock.
    clock: In<Clock>,
    /// Clear both sides; near clock.
    clear: In<Bit>,
    /// Far clock; may stand still.
    far_clock: In<Clock>,
    /// Clear of the near side.
    near_clear: Out<Bit>,
    /// Clear of the far side; far clock.
    far_clear: Out<Bit>,
    asking: Reg<Bit>,
    waiting: Reg<Bit>,
    near_wait: Register<Bits<WAIT_BITS>>,
    #[wire(clock = far_clock)]
    request: Synchronizer<2>,
    #[wire(clock = far_clock)]
    far_wait: Register<Bits<WAIT_BITS>>,
    #[wire(d = _, clock = far_clock)]
    answering: Reg<Bit>,
    #[wire(clock)]
    answer: Synchronizer<2>,
    #[init(1)]
    one: Constant<Bits<WAIT_BITS>>,
}

#[logic]
impl ClearCrossing {
    /// A crossing that clears nothing yet.
    pub fn new() -> Result<Self, ConfigError> {
        Ok(Self { request: Synchronizer::new(false)?, answer: Synchronizer::new(false)?, .. })
    }

    fn update(&mut self) {
        // Near side: ask until the answer has stood for 8 clocks; again only when it has gone.
        near_wait.clear = !answer.q | !asking | clear;
        near_wait = near_wait + one;
        let wanted = clear | waiting;
        if near_wait.all() & !clear {
            asking = false;
        }
        waiting = wanted & !asking & answer.q;
        if wanted & !answer.q {
            asking = true;
        }
        near_clear = (wanted | asking) | answer.q;

        // Far side: answer after 8 clocks.
        request.d = asking;
        far_clear = request.q;
        far_wait = In { clear: !request.q, enable: !far_wait.all() };
        far_wait = far_wait + one;
        answering = request.q & far_wait.all();
        answer.d = answering;
    }
}

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "clear_crossing",
    chapter: "00-overview",
    summary: "one clear for both sides of a clock crossing",
    parameters: &[],
    presets: &[Preset { name: "default", values: &[] }],
    build,
};

fn build(_: &Settings) -> Result<BuiltBlock, ConfigError> {
    let interface = InterfaceInfo {
        clocks: vec!["clock".into(), "far_clock".into()],
        clears: vec!["clear".into()],
        latency_note: "about 15 far and 13 near clocks".into(),
        ..Default::default()
    };
    Ok(BuiltBlock::new(ClearCrossing::new()?, interface))
}
