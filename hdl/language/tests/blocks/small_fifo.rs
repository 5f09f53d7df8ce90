//! `hdl/prim/src/fifo/small.rs`.

use crate::config::{check_derived, check_range, ConfigError};
use crate::prim::ram::{Ram, RamConfig};
use crate::prim::stream::{StreamIn, StreamOut};
use crate::prim::Register;
use flitforge_base::prelude::*;

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

    #[wire(write_clock = clock, read_clock = clock)]
    memory: Ram<T, A>,
    write_pointer: Register<Bits<A>>,
    read_pointer: Register<Bits<A>>,
    // Two counters of the same events, so that either flag is one of their bits:
    // words + 2^A - 1, top bit: there is a word; and words, top bit: full.
    #[init(Bits::from((1 << A) - 1))]
    words: Register<Bits<C>>,
    fill: Register<Bits<C>>,
    output_valid: Register<Bit>,
    push: Local<Bit>,
    moves: Local<Bit>,
    fetch: Local<Bit>,
    change: Local<Bits<C>>,
    #[init(1)]
    one: Constant<Bits<A>>,
    #[init(1)]
    plus_one: Constant<Bits<C>>,
    #[init(Bits::from((2 << A) - 1))]
    minus_one: Constant<Bits<C>>,
    #[init(0)]
    zero: Constant<Bits<C>>,
    #[init(Bits::from(1 << A))]
    top: Constant<Bits<C>>,
}

#[logic]
impl<T: Synth, const A: usize, const C: usize> SmallFifo<T, A, C> {
    /// An empty FIFO.
    pub fn new() -> Result<Self, ConfigError> {
        check_range("small_fifo", "A", A as u64, 2, 5)?;
        check_derived("small_fifo", "C", C as u64, "A + 1", A as u64 + 1)?;
        Ok(Self { memory: Ram::new(RamConfig::distributed(1 << A))?, .. })
    }

    fn update(&mut self) {
        // Words in.
        words_in.ready = !(fill & top).any() & !clear;
        push = words_in.valid & !(fill & top).any() & !clear;
        memory.write_enable = push;
        memory.write_address = write_pointer;
        memory.write_data = words_in.data;
        write_pointer.enable = push;
        write_pointer = write_pointer + one;

        // Words out.
        moves = !output_valid | words_out.ready;
        fetch = moves & (words & top).any();
        memory.read_enable = moves;
        memory.output_enable = true;
        memory.read_address = read_pointer;
        read_pointer.enable = fetch;
        read_pointer = read_pointer + one;
        output_valid.enable = moves;
        output_valid = fetch;
        words_out.data = memory.read_data;
        words_out.valid = output_valid;

        // The counts.
        change = zero;
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
