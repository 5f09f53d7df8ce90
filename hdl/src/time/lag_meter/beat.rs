//! PHASE_SRC BEAT.

use super::{LagTracker, LINE_BITS};
use crate::config::ConfigError;
use crate::prim::Synchronizer;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;

/// Follows a word clock that the core clock samples.
#[derive(LogicBlock)]
pub struct LagBeat {
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Word clock of the lane.
    pub word_clock: Signal<In, Clock>,
    /// Rate and tags are forgotten.
    pub restart: Signal<In, Bit>,
    /// Words since power-on with 12 fraction bits.
    pub line: Signal<Out, Bits<LINE_BITS>>,
    /// The phase is valid.
    pub ok: Signal<Out, Bit>,
    /// The phase is static.
    pub fixed: Signal<Out, Bit>,
    /// Event: a slip.
    pub slipped: Signal<Out, Bit>,

    half: DFF<Bit>,
    crossing: Synchronizer<2>,
    tracker: LagTracker,
}

impl LagBeat {
    /// As [`LagTracker::new`].
    pub fn new(core_fs: u64, word_fs: u64, static_log2: u32) -> Result<Self, ConfigError> {
        Ok(Self {
            clock: Default::default(),
            word_clock: Default::default(),
            restart: Default::default(),
            line: Default::default(),
            ok: Default::default(),
            fixed: Default::default(),
            slipped: Default::default(),
            half: Default::default(),
            crossing: Synchronizer::new(false)?,
            tracker: LagTracker::new(core_fs, word_fs, static_log2)?,
        })
    }
}

impl Logic for LagBeat {
    #[hdl_gen]
    fn update(&mut self) {
        self.half.clock.next = self.word_clock.val();
        clock!(self, clock, crossing, tracker);
        self.half.d.next = !self.half.q.val();
        self.crossing.d.next = self.half.q.val();
        self.tracker.sample.next = self.crossing.q.val();
        self.tracker.restart.next = self.restart.val();
        self.line.next = self.tracker.line.val();
        self.ok.next = self.tracker.ok.val();
        self.fixed.next = self.tracker.fixed.val();
        self.slipped.next = self.tracker.slipped.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("lag_beat", &[])
    }
}

drive_ports!(impl[] LagBeat { clock, word_clock, restart, line, ok, fixed, slipped });
