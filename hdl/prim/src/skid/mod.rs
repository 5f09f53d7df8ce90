//! `skid`: breaks the paths of a stream in both directions: valid, data and ready are registers.
//!
//! Two words of room, latency 1 clock, throughput one word per clock. `clear` empties it.

use super::stream::{StreamIn, StreamOut};
use super::Register;
use crate::prelude::*;

/// A stream register with registered `ready`; see the [module](self).
#[block("skid", width = T::BITS)]
#[derive(Clone, Debug)]
pub struct Skid<T: Synth> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Empties it.
    clear: In<Bit>,
    /// Words in.
    pub words_in: StreamIn<T>,
    /// Words out.
    pub words_out: StreamOut<T>,
    /// `words_in.ready` but for `clear`, for those who are cleared with it.
    has_room: Out<Bit>,
    #[wire(clear = false)]
    word: Register<T>,
    word_valid: Register<Bit>,
    #[wire(clear = false)]
    spare: Register<T>,
    spare_valid: Register<Bit>,
    /// `spare` is free. A register of its own: what it says goes far, and `spare_valid` has all bits of `word` to serve.
    #[init(true)]
    room: Register<Bit>,
}

#[logic]
impl<T: Synth> Skid<T> {
    fn update(&mut self) {
        has_room = room;
        words_in.ready = room & !clear;
        // Without room `spare` is full, and all that this decides is cleared with `clear`: neither need be asked.
        let arrives = words_in.valid | spare_valid;
        let moves = !word_valid | words_out.ready;
        word.enable = moves;
        word = words_in.data;
        if spare_valid {
            word = spare;
        }
        word_valid.enable = moves;
        word_valid = arrives;
        spare.enable = !spare_valid;
        spare = words_in.data;
        let keeps = !moves & arrives;
        spare_valid = keeps;
        room = !keeps;
        words_out = In { data: word, valid: word_valid };
    }
}

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "skid",
    chapter: "00-overview",
    summary: "stream register with registered ready",
    parameters: &[ParameterInfo::new("width", 64, WIDTHS, "bits of a word")],
    presets: &[Preset { name: "default", values: &[] }],
    build,
};

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    shapes! {
        settings: (width) => build_as [width];
        presets { (64) }
    }
}

/// Builds the block for words of `W` bits.
pub fn build_as<const W: usize>(_: &Settings) -> Result<BuiltBlock, ConfigError> {
    let streams = [("words_in", StreamSink), ("words_out", StreamSource)];
    let interface = InterfaceInfo::clocked(&streams, Some(1), "transfer in to valid out");
    Ok(BuiltBlock::new(Skid::<Bits<W>>::default(), interface))
}
