//! `word_crossing`: a word from one clock to another, held still until it has been taken.
//!
//! `send` with `ready` takes `data`; `valid` is high for one clock of `clock_out` 3 to 4 of its clocks later, and `word` keeps the
//! word until the next one. `ready` comes back 2 to 3 clocks of `clock_in` after that. `send` without `ready` is ignored. A clock
//! that stands still delays the word, and loses nothing. No clear: cleared on one side alone it would send or lose a word.

use super::synchronizer::Synchronizer;
use super::Register;
use crate::prelude::*;

/// `W` bits across clocks; see the [module](self).
#[block("word_crossing", new, bits = W)]
#[derive(Clone, Debug)]
pub struct WordCrossing<const W: usize> {
    /// Clock of `send`, `data` and `ready`.
    clock_in: In<Clock>,
    /// A word is to cross.
    send: In<Bit>,
    /// The word.
    data: In<Bits<W>>,
    /// The word before has been taken.
    ready: Out<Bit>,
    /// Clock of `valid` and `word`.
    clock_out: In<Clock>,
    /// A word has arrived, one clock.
    valid: Out<Bit>,
    /// The word that arrived last.
    word: Out<Bits<W>>,
    #[wire(clock = clock_in, clear = false)]
    held: Register<Bits<W>>,
    #[wire(d = _, clock = clock_in)]
    level: Reg<Bit>,
    #[wire(clock = clock_in)]
    acknowledge: Synchronizer<2>,
    #[wire(clock = clock_out)]
    request: Synchronizer<2>,
    #[wire(d = _, clock = clock_out)]
    seen: Reg<Bit>,
    #[wire(clock = clock_out, clear = false)]
    taken: Register<Bits<W>>,
    #[wire(d = _, clock = clock_out)]
    arrived: Reg<Bit>,
}

#[logic]
impl<const W: usize> WordCrossing<W> {
    /// A crossing with no word in it.
    pub fn new() -> Result<Self, ConfigError> {
        Ok(Self { acknowledge: Synchronizer::new(false)?, request: Synchronizer::new(false)?, .. })
    }

    fn update(&mut self) {
        acknowledge.d = seen;
        let sends = send & (level == acknowledge.q);
        ready = level == acknowledge.q;
        held.enable = sends;
        held = data;
        level = level ^ sends;

        request.d = level;
        let comes = request.q ^ seen;
        seen = request.q;
        taken.enable = comes;
        taken = held;
        arrived = comes;
        valid = arrived;
        word = taken;
    }
}

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
