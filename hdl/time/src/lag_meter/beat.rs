//! PHASE_SRC BEAT.

use super::{LagTracker, LINE_BITS};
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::Synchronizer;

/// Follows a word clock that the core clock samples.
#[block("lag_beat", new)]
pub struct LagBeat {
    /// Core clock.
    clock: In<Clock>,
    /// Word clock of the lane.
    word_clock: In<Clock>,
    /// Rate and tags are forgotten.
    restart: In<Bit>,
    /// Words since power-on with 12 fraction bits.
    line: Out<Bits<LINE_BITS>>,
    /// The phase is valid.
    ok: Out<Bit>,
    /// The phase is static.
    fixed: Out<Bit>,
    /// Event: a slip.
    slipped: Out<Bit>,

    #[wire(clock = word_clock)]
    half: Reg<Bit>,
    #[wire(clock)]
    crossing: Synchronizer<2>,
    #[wire(clock)]
    tracker: LagTracker,
}

#[logic]
impl LagBeat {
    /// As [`LagTracker::new`].
    pub fn new(core_fs: u64, word_fs: u64, static_log2: u32) -> Result<Self, ConfigError> {
        Ok(Self {
            crossing: Synchronizer::new(false)?,
            tracker: LagTracker::new(core_fs, word_fs, static_log2)?,
            ..
        })
    }

    fn update(&mut self) {
        half = !half;
        crossing.d = half;
        tracker = In { sample: crossing.q, restart };
        Out { line, ok, fixed, slipped } = tracker;
    }
}
