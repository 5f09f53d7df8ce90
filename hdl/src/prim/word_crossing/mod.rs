//! `word_crossing`: a word from one clock to another, held still until it has been taken.
//!
//! `send` with `ready` takes `data`; `valid` is high for one clock of `clock_out` 3 to 4 of its clocks later, and `word` keeps the
//! word until the next one. `ready` comes back 2 to 3 clocks of `clock_in` after that. `send` without `ready` is ignored. A clock
//! that stands still delays the word, and loses nothing. No clear: cleared on one side alone it would send or lose a word.

use super::synchronizer::Synchronizer;
use super::Register;
use crate::config::ConfigError;
use crate::registry::{BlockEntry, BuiltBlock, InterfaceInfo, Preset, Settings};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;

/// `W` bits across clocks; see the [module](self).
#[derive(LogicBlock, Clone, Debug)]
pub struct WordCrossing<const W: usize> {
    /// Clock of `send`, `data` and `ready`.
    pub clock_in: Signal<In, Clock>,
    /// A word is to cross.
    pub send: Signal<In, Bit>,
    /// The word.
    pub data: Signal<In, Bits<W>>,
    /// The word before has been taken.
    pub ready: Signal<Out, Bit>,
    /// Clock of `valid` and `word`.
    pub clock_out: Signal<In, Clock>,
    /// A word has arrived, one clock.
    pub valid: Signal<Out, Bit>,
    /// The word that arrived last.
    pub word: Signal<Out, Bits<W>>,
    held: Register<Bits<W>>,
    level: DFF<Bit>,
    acknowledge: Synchronizer<2>,
    request: Synchronizer<2>,
    seen: DFF<Bit>,
    taken: Register<Bits<W>>,
    arrived: DFF<Bit>,
    sends: Signal<Local, Bit>,
    comes: Signal<Local, Bit>,
}

impl<const W: usize> WordCrossing<W> {
    /// A crossing with no word in it.
    pub fn new() -> Result<Self, ConfigError> {
        Ok(Self {
            clock_in: Signal::default(),
            send: Signal::default(),
            data: Signal::default(),
            ready: Signal::default(),
            clock_out: Signal::default(),
            valid: Signal::default(),
            word: Signal::default(),
            held: Register::default(),
            level: DFF::default(),
            acknowledge: Synchronizer::new(false)?,
            request: Synchronizer::new(false)?,
            seen: DFF::default(),
            taken: Register::default(),
            arrived: DFF::default(),
            sends: Signal::default(),
            comes: Signal::default(),
        })
    }
}

impl<const W: usize> Logic for WordCrossing<W> {
    #[hdl_gen]
    fn update(&mut self) {
        self.held.clock.next = self.clock_in.val();
        self.level.clock.next = self.clock_in.val();
        self.acknowledge.clock.next = self.clock_in.val();
        self.request.clock.next = self.clock_out.val();
        self.seen.clock.next = self.clock_out.val();
        self.taken.clock.next = self.clock_out.val();
        self.arrived.clock.next = self.clock_out.val();

        self.acknowledge.d.next = self.seen.q.val();
        self.sends.next = self.send.val() & (self.level.q.val() == self.acknowledge.q.val());
        self.ready.next = self.level.q.val() == self.acknowledge.q.val();
        self.held.clear.next = false;
        self.held.enable.next = self.sends.val();
        self.held.d.next = self.data.val();
        self.level.d.next = self.level.q.val() ^ self.sends.val();

        self.request.d.next = self.level.q.val();
        self.comes.next = self.request.q.val() ^ self.seen.q.val();
        self.seen.d.next = self.request.q.val();
        self.taken.clear.next = false;
        self.taken.enable.next = self.comes.val();
        self.taken.d.next = self.held.q.val();
        self.arrived.d.next = self.comes.val();
        self.valid.next = self.arrived.q.val();
        self.word.next = self.taken.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("word_crossing", &[("bits", W.to_string())])
    }
}

drive_ports!(impl[const W: usize] WordCrossing<W> { clock_in, send, data, ready, clock_out, valid, word });

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "word_crossing",
    chapter: "00-overview",
    summary: "a word from one clock to another, held still until it is taken",
    parameters: &[],
    presets: &[Preset { name: "default", values: &[] }],
    build,
};

fn build(_: &Settings) -> Result<BuiltBlock, ConfigError> {
    let interface = InterfaceInfo {
        clocks: vec!["clock_in".into(), "clock_out".into()],
        latency_note: "3 to 4 clocks of `clock_out`".into(),
        ..Default::default()
    };
    Ok(BuiltBlock::new(WordCrossing::<32>::new()?, interface))
}
