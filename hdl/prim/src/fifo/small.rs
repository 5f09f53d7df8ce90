//! The FIFO for a few words, in LUT RAM.

use crate::prelude::*;
use crate::ram::{Ram, RamConfig};

/// `small_fifo`: a stream FIFO of 2^`A` + 1 words `T` in LUT RAM, `C` = `A` + 1, `A` 2 to 5.
///
/// Exact flags: it takes 2^`A` words into the RAM and one into the output register. Latency 2 clocks from a
/// transfer into the empty FIFO to `words_out.valid`, throughput one word per clock. `clear` empties it. No
/// word is read on the clock on which it is written.
#[block("small_fifo", new, width = T::BITS, depth = 1usize << A)]
#[derive(Clone, Debug)]
pub struct SmallFifo<T: Synth, const A: usize, const C: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Empties the FIFO.
    clear: In<Bit>,
    /// Words in.
    pub words_in: StreamIn<T>,
    /// Words out, in the same order.
    pub words_out: StreamOut<T>,

    #[wire(write_clock = clock, read_clock = clock, output_enable = true)]
    memory: Ram<T, A>,
    write_pointer: Register<Bits<A>>,
    read_pointer: Register<Bits<A>>,
    // Two counters of the same events, so that either flag is one of their bits:
    // words + 2^A - 1, top bit: there is a word; and words, top bit: full.
    words: Register<Bits<C>>,
    fill: Register<Bits<C>>,
    output_valid: Register<Bit>,
    #[init(1)]
    one: Constant<Bits<A>>,
    #[init(1)]
    plus_one: Constant<Bits<C>>,
    minus_one: Constant<Bits<C>>,
    #[init(0)]
    zero: Constant<Bits<C>>,
    top: Constant<Bits<C>>,
}

#[logic]
impl<T: Synth, const A: usize, const C: usize> SmallFifo<T, A, C> {
    /// An empty FIFO.
    pub fn new() -> Result<Self, ConfigError> {
        check_range("small_fifo", "A", A as u64, 2, 5)?;
        check_derived("small_fifo", "C", C as u64, "A + 1", A as u64 + 1)?;
        let size: LiteralType = 1 << A;
        Ok(Self {
            memory: Ram::new(RamConfig::distributed(1 << A))?,
            words: Register::new(Bits::from(size - 1)),
            minus_one: Constant::new(Bits::from(2 * size - 1)),
            top: Constant::new(Bits::from(size)),
            ..
        })
    }

    fn update(&mut self) {
        // Words in.
        words_in.ready = !(fill & top).any() & !clear;
        let push = words_in.valid & !(fill & top).any() & !clear;
        memory = In { write_enable: push, write_address: write_pointer, write_data: words_in.data };
        write_pointer.enable = push;
        write_pointer = write_pointer + one;

        // Words out.
        let moves = !output_valid | words_out.ready;
        let fetch = moves & (words & top).any();
        memory = In { read_enable: moves, read_address: read_pointer };
        read_pointer.enable = fetch;
        read_pointer = read_pointer + one;
        output_valid.enable = moves;
        output_valid = fetch;
        words_out = In { data: memory.read_data, valid: output_valid };

        // The counts.
        let mut change = zero;
        if push & !fetch {
            change = plus_one;
        }
        if fetch & !push {
            change = minus_one;
        }
        words = words + change;
        fill = fill + change;
    }
}

/// Registry entry.
pub const SMALL_ENTRY: BlockEntry = BlockEntry {
    name: "small_fifo",
    chapter: "00-overview",
    summary: "stream FIFO of a few words in LUT RAM",
    parameters: &[
        ParameterInfo::new("width", 64, WIDTHS, "bits of a word"),
        ParameterInfo::new(
            "depth",
            16,
            Allowed::PowerOfTwo(4, 32),
            "words in the RAM; one more waits at the output",
        ),
    ],
    presets: &[Preset { name: "default", values: &[] }, Preset { name: "four", values: &[("depth", 4)] }],
    build,
};

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    shapes! {
        settings: (width, depth) => build_small_as of prim::fifo [width, log2(depth), log2(depth) + 1];
        presets { (64, 16) (64, 4) }
    }
}

/// Builds the block for words of `W` bits; see [`SmallFifo`].
pub fn build_small_as<const W: usize, const A: usize, const C: usize>(
    _: &Settings,
) -> Result<BuiltBlock, ConfigError> {
    let streams = [("words_in", StreamSink), ("words_out", StreamSource)];
    let interface = InterfaceInfo::clocked(&streams, Some(2), "transfer in to valid out, empty");
    Ok(BuiltBlock::new(SmallFifo::<Bits<W>, A, C>::new()?, interface))
}
