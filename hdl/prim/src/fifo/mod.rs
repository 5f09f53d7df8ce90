//! `fifo`: stream FIFO in block RAM with output register.
//!
//! First word falls through: `output.valid` is up when there is a word. Holds 2^A words at least (2^A + 2 at most, two of them
//! after the RAM). Latency 4 clocks from a transfer at `words_in` into an empty FIFO to `words_out.valid`; throughput one word
//! per clock on both sides at once.
//!
//! `clear` empties it; words in the RAM stay there but are never read before being written again. No word is read on the clock on
//! which it is written.
//!
//! The RAM's own output register is the last stage and its array register the one before: both hold under their
//! enables, so words wait in the RAM block and cost no logic. `small_fifo` is the one for up to 32 words.

mod control;
mod small;

pub use small::{build_small_as, SmallFifo, SMALL_ENTRY};

use super::ram::{Ram, RamConfig};
use super::stream::{StreamIn, StreamOut};
use super::Register;
use crate::prelude::*;
use control::FifoControl;

/// A stream FIFO of at least 2^`A` words `T` in block RAM, `C` = `A` + 1; see the [module](self).
#[block("fifo", new, width = T::BITS, depth = 1usize << A)]
#[derive(Clone, Debug)]
pub struct Fifo<T: Synth, const A: usize, const C: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Empties the FIFO.
    clear: In<Bit>,
    /// Words in.
    pub words_in: StreamIn<T>,
    /// Words out, in the same order.
    pub words_out: StreamOut<T>,

    #[wire(clock, clear)]
    control: FifoControl<A, C>,
    #[wire(write_clock = clock, read_clock = clock)]
    memory: Ram<T, A>,
    array_valid: Register<Bit>,
    output_valid: Register<Bit>,
}

#[logic]
impl<T: Synth, const A: usize, const C: usize> Fifo<T, A, C> {
    /// An empty FIFO.
    pub fn new() -> Result<Self, ConfigError> {
        check_range("fifo", "A", A as u64, 4, 16)?;
        check_derived("fifo", "C", C as u64, "A + 1", A as u64 + 1)?;
        Ok(Self { memory: Ram::new(RamConfig::block(1 << A))?, .. })
    }

    fn update(&mut self) {
        control.valid = words_in.valid;
        words_in.ready = control.ready;
        memory = In { write_enable: control.push, write_address: control.write_address };
        memory.write_data = words_in.data;

        // A stage moves on when it is empty or the one after it moves on.
        let output_moves = !output_valid | words_out.ready;
        let array_moves = !array_valid | output_moves;
        control.room = array_moves;
        memory = In { read_address: control.read_address, read_enable: array_moves };
        memory.output_enable = output_moves;
        array_valid.enable = array_moves;
        array_valid = control.fetch;
        output_valid.enable = output_moves;
        output_valid = array_valid;
        words_out = In { data: memory.read_data, valid: output_valid };
    }
}

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "fifo",
    chapter: "00-overview",
    summary: "stream FIFO in block RAM",
    parameters: &[
        ParameterInfo::new("width", 64, WIDTHS, "bits of a word"),
        ParameterInfo::new("depth", 512, Allowed::PowerOfTwo(16, 1 << 16), "words it holds at least"),
    ],
    presets: &[
        Preset { name: "default", values: &[] },
        Preset { name: "beats", values: &[("width", 130), ("depth", 1024)] },
        Preset { name: "shallow", values: &[("width", 8), ("depth", 32)] },
    ],
    build,
};

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    shapes! {
        settings: (width, depth) => build_as [width, log2(depth), log2(depth) + 1];
        presets { (64, 512) (130, 1024) (8, 32) }
    }
}

/// Builds the block for words of `W` bits; see [`Fifo`].
pub fn build_as<const W: usize, const A: usize, const C: usize>(
    _: &Settings,
) -> Result<BuiltBlock, ConfigError> {
    let streams = [("words_in", StreamSink), ("words_out", StreamSource)];
    let interface = InterfaceInfo::clocked(&streams, Some(4), "transfer in to valid out, empty");
    Ok(BuiltBlock::new(Fifo::<Bits<W>, A, C>::new()?, interface))
}
