//! `hdl/prim/src/async_fifo`.

use crate::config::{check_derived, check_range, ConfigError};
use crate::prim::ram::{Ram, RamConfig};
use crate::prim::stream::{StreamIn, StreamOut};
use crate::prim::{Register, Synchronizer};
use flitforge_base::prelude::*;
use flitforge_elaborate::graph::MemoryStyle;

/// A stream FIFO between two clocks, `C` = `A` + 1; see the [module](self).
#[block("async_fifo", new, width = T::BITS, depth = 1usize << A)]
#[derive(Clone, Debug)]
pub struct AsyncFifo<T: Synth, const A: usize, const C: usize> {
    /// Clock of `words_in`.
    write_clock: In<Clock>,
    /// Empties the write side.
    write_clear: In<Bit>,
    /// Words in.
    pub words_in: StreamIn<T>,
    /// Clock of `words_out`.
    read_clock: In<Clock>,
    /// Empties the read side.
    read_clear: In<Bit>,
    /// Words out, in the same order.
    pub words_out: StreamOut<T>,

    #[wire(write_clock = write_clock, read_clock = read_clock)]
    memory: Ram<T, A>,
    #[init(1)]
    one: Constant<Bits<C>>,
    #[init(Bits::from(3 << (C - 2)))]
    two_top: Constant<Bits<C>>,

    #[wire(clock = write_clock, clear = write_clear)]
    write_pointer: Register<Bits<C>>,
    #[wire(clock = write_clock, clear = write_clear)]
    write_gray: Register<Bits<C>>,
    write_next: Local<Bits<C>>,
    write_gray_next: Local<Bits<C>>,
    #[wire(clock = write_clock, clear = write_clear)]
    full: Register<Bit>,
    push: Local<Bit>,
    #[wire(clock = write_clock)]
    read_gray_bit: [Synchronizer<2>; C],
    read_gray_seen: Local<Bits<C>>,

    #[wire(clock = read_clock, clear = read_clear)]
    read_pointer: Register<Bits<C>>,
    #[wire(clock = read_clock, clear = read_clear)]
    read_gray: Register<Bits<C>>,
    read_next: Local<Bits<C>>,
    read_gray_next: Local<Bits<C>>,
    #[init(true)]
    #[wire(clock = read_clock, clear = read_clear)]
    empty: Register<Bit>,
    moves: Local<Bit>,
    fetch: Local<Bit>,
    #[wire(clock = read_clock, clear = read_clear)]
    output_valid: Register<Bit>,
    #[wire(clock = read_clock)]
    write_gray_bit: [Synchronizer<2>; C],
    write_gray_seen: Local<Bits<C>>,
    #[init(0)]
    none: Constant<Bits<C>>,
}

#[logic]
impl<T: Synth, const A: usize, const C: usize> AsyncFifo<T, A, C> {
    /// An empty FIFO; LUT RAM up to 32 words, block RAM above.
    pub fn new() -> Result<Self, ConfigError> {
        check_range("async_fifo", "A", A as u64, 3, 12)?;
        check_derived("async_fifo", "C", C as u64, "A + 1", A as u64 + 1)?;
        let mut memory = RamConfig::distributed(1 << A);
        if A > 5 {
            memory.style = MemoryStyle::Block;
        }
        let bit = Synchronizer::new(false)?;
        let bits = || std::array::from_fn(|_| bit.clone());
        Ok(Self { memory: Ram::new(memory)?, read_gray_bit: bits(), write_gray_bit: bits(), .. })
    }

    fn update(&mut self) {
        // Pointers across.
        read_gray_seen = none;
        write_gray_seen = none;
        for i in 0..C {
            read_gray_bit[i].d = read_gray[i];
            read_gray_seen = read_gray_seen.with(i, read_gray_bit[i].q);
            write_gray_bit[i].d = write_gray[i];
            write_gray_seen = write_gray_seen.with(i, write_gray_bit[i].q);
        }

        // Write side.
        words_in.ready = !full & !write_clear;
        push = words_in.valid & !full & !write_clear;
        memory.write_enable = push;
        memory.write_address = bit_cast::<A, C>(write_pointer);
        memory.write_data = words_in.data;
        write_next = write_pointer;
        if push {
            write_next = write_pointer + one;
        }
        write_gray_next = write_next ^ (write_next >> 1);
        write_pointer = write_next;
        write_gray = write_gray_next;
        full = write_gray_next == (read_gray_seen ^ two_top);

        // Read side.
        moves = !output_valid | words_out.ready;
        fetch = moves & !empty;
        memory.read_enable = moves;
        memory.output_enable = true;
        memory.read_address = bit_cast::<A, C>(read_pointer);
        read_next = read_pointer;
        if fetch {
            read_next = read_pointer + one;
        }
        read_gray_next = read_next ^ (read_next >> 1);
        read_pointer = read_next;
        read_gray = read_gray_next;
        empty = read_gray_next == write_gray_seen;
        output_valid.enable = moves;
        output_valid = fetch;
        words_out.data = memory.read_data;
        words_out.valid = output_valid;
    }
}
