//! `clear_crossing`: one clear for both sides of a clock crossing, also while the far clock stands still.
//!
//! An `async_fifo` must be cleared on both sides together. `clear`, of any length, raises `near_clear` at once and
//! `far_clear` 2 to 3 far clocks later. The far side answers after 8 of its clocks, the near side holds on for 8 of its own
//! behind the answer, then `far_clear` falls, then `near_clear`: both are up together for at least 8 clocks of either. A far
//! clock that stands still does not answer, so `near_clear` stays up until it runs. A `clear` that comes meanwhile
//! makes it last longer. Powers on with both low.
//!
//! From an answered `clear` of one clock, `near_clear` is up for about 15 far and 13 near clocks.

use super::synchronizer::Synchronizer;
use super::Register;
use crate::config::ConfigError;
use crate::registry::{BlockEntry, BuiltBlock, InterfaceInfo, Preset, Settings};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;

/// Bits of a count of 8 clocks.
const WAIT_BITS: usize = 3;

/// See the [module](self).
#[derive(LogicBlock, Clone, Debug)]
pub struct ClearCrossing {
    /// Near clock.
    pub clock: Signal<In, Clock>,
    /// Clear both sides; near clock.
    pub clear: Signal<In, Bit>,
    /// Far clock; may stand still.
    pub far_clock: Signal<In, Clock>,
    /// Clear of the near side.
    pub near_clear: Signal<Out, Bit>,
    /// Clear of the far side; far clock.
    pub far_clear: Signal<Out, Bit>,
    asking: DFF<Bit>,
    waiting: DFF<Bit>,
    near_wait: Register<Bits<WAIT_BITS>>,
    request: Synchronizer<2>,
    far_wait: Register<Bits<WAIT_BITS>>,
    answering: DFF<Bit>,
    answer: Synchronizer<2>,
    one: Constant<Bits<WAIT_BITS>>,
    wanted: Signal<Local, Bit>,
}

impl ClearCrossing {
    /// A crossing that clears nothing yet.
    pub fn new() -> Result<Self, ConfigError> {
        Ok(Self {
            clock: Signal::default(),
            clear: Signal::default(),
            far_clock: Signal::default(),
            near_clear: Signal::default(),
            far_clear: Signal::default(),
            asking: DFF::default(),
            waiting: DFF::default(),
            near_wait: Register::default(),
            request: Synchronizer::new(false)?,
            far_wait: Register::default(),
            answering: DFF::default(),
            answer: Synchronizer::new(false)?,
            one: Constant::new(Bits::from(1)),
            wanted: Signal::default(),
        })
    }
}

impl Logic for ClearCrossing {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, asking, waiting);
        self.near_wait.clock.next = self.clock.val();
        self.request.clock.next = self.far_clock.val();
        self.far_wait.clock.next = self.far_clock.val();
        self.answering.clock.next = self.far_clock.val();
        self.answer.clock.next = self.clock.val();

        // Near side: ask until the answer has stood for 8 clocks; again only when it has gone.
        self.near_wait.clear.next = !self.answer.q.val() | !self.asking.q.val() | self.clear.val();
        self.near_wait.enable.next = true;
        self.near_wait.d.next = self.near_wait.q.val() + self.one.val();
        self.wanted.next = self.clear.val() | self.waiting.q.val();
        if self.near_wait.q.val().all() & !self.clear.val() {
            self.asking.d.next = false;
        }
        self.waiting.d.next = self.wanted.val() & !self.asking.q.val() & self.answer.q.val();
        if self.wanted.val() & !self.answer.q.val() {
            self.asking.d.next = true;
        }
        self.near_clear.next = (self.wanted.val() | self.asking.q.val()) | self.answer.q.val();

        // Far side: answer after 8 clocks.
        self.request.d.next = self.asking.q.val();
        self.far_clear.next = self.request.q.val();
        self.far_wait.clear.next = !self.request.q.val();
        self.far_wait.enable.next = !self.far_wait.q.val().all();
        self.far_wait.d.next = self.far_wait.q.val() + self.one.val();
        self.answering.d.next = self.request.q.val() & self.far_wait.q.val().all();
        self.answer.d.next = self.answering.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("clear_crossing", &[])
    }
}

drive_ports!(impl[] ClearCrossing { clock, clear, far_clock, near_clear, far_clear });

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
