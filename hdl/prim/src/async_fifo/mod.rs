//! `async_fifo`: stream FIFO between two clocks, pointers in Gray code.
//!
//! Holds 2^A + 1 words. A word given on a write clock is valid at the output 4 to 5 read clocks later; room comes back 3 to 4
//! write clocks after a read. Throughput one word per clock of the slower side (A at least 4).
//!
//! Both clears must be up together for at least 4 clocks of the slower clock, and no word may be offered until both are down: a
//! pointer that is cleared alone tells the other side nonsense.
//!
//! Safe because one bit of a Gray pointer changes per clock, so a pointer taken in mid-change is the old or the
//! new one; a word is written a synchronizer's delay before its pointer is seen; and the word being written is never read.

use super::ram::{Ram, RamConfig};
use super::stream::{StreamIn, StreamOut};
use super::synchronizer::Synchronizer;
use super::Register;
use crate::prelude::*;

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

    #[wire(write_clock, read_clock, output_enable = true)]
    memory: Ram<T, A>,
    #[init(1)]
    one: Constant<Bits<C>>,
    #[init(3 << (C - 2))]
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
    #[wire(clock = read_clock, clear = read_clear)]
    #[init(true)]
    empty: Register<Bit>,
    moves: Local<Bit>,
    fetch: Local<Bit>,
    #[wire(clock = read_clock, clear = read_clear)]
    output_valid: Register<Bit>,
    #[wire(clock = read_clock)]
    write_gray_bit: [Synchronizer<2>; C],
    #[init(0)]
    none: Constant<Bits<C>>,
}

fn synchronizers<const C: usize>() -> Result<[Synchronizer<2>; C], ConfigError> {
    let bit = Synchronizer::new(false)?;
    Ok(std::array::from_fn(|_| bit.clone()))
}

#[logic]
impl<T: Synth, const A: usize, const C: usize> AsyncFifo<T, A, C> {
    /// An empty FIFO; LUT RAM up to 32 words, block RAM above.
    pub fn new() -> Result<Self, ConfigError> {
        check_range("async_fifo", "A", A as u64, 3, 12)?;
        check_derived("async_fifo", "C", C as u64, "A + 1", A as u64 + 1)?;
        let mut memory = RamConfig::distributed(1 << A);
        if A > 5 {
            memory.style = flitforge_elaborate::graph::MemoryStyle::Block;
        }
        Ok(Self {
            memory: Ram::new(memory)?,
            read_gray_bit: synchronizers()?,
            write_gray_bit: synchronizers()?,
            ..
        })
    }

    fn update(&mut self) {
        // Pointers across.
        read_gray_seen = none;
        let mut write_gray_seen = none;
        for i in 0..C {
            read_gray_bit[i].d = read_gray[i];
            read_gray_seen = read_gray_seen.with(i, read_gray_bit[i].q);
            write_gray_bit[i].d = write_gray[i];
            write_gray_seen = write_gray_seen.with(i, write_gray_bit[i].q);
        }

        // Write side.
        words_in.ready = !full & !write_clear;
        push = words_in.valid & !full & !write_clear;
        memory = In { write_enable: push, write_address: bit_cast::<A, C>(write_pointer) };
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
        memory = In { read_enable: moves, read_address: bit_cast::<A, C>(read_pointer) };
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
        words_out = In { data: memory.read_data, valid: output_valid };
    }
}

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "async_fifo",
    chapter: "00-overview",
    summary: "stream FIFO between two clocks",
    parameters: &[ParameterInfo::new("width", 33, WIDTHS, "bits of a word; 32 words")],
    presets: &[Preset { name: "default", values: &[] }],
    build,
};

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    shapes! {
        settings: (width) => build_as [width];
        presets { (33) }
    }
}

/// Builds the block for words of `W` bits.
pub fn build_as<const W: usize>(_: &Settings) -> Result<BuiltBlock, ConfigError> {
    let stream = |name: &str, role, clock: &str| StreamInfo { name: name.into(), role, clock: clock.into() };
    let interface = InterfaceInfo {
        streams: vec![
            stream("words_in", StreamSink, "write_clock"),
            stream("words_out", StreamSource, "read_clock"),
        ],
        clocks: vec!["write_clock".into(), "read_clock".into()],
        multiples: vec![],
        clears: vec!["write_clear".into(), "read_clear".into()],
        latency_clocks: None,
        latency_note: "4 to 5 read clocks".into(),
    };
    Ok(BuiltBlock::new(AsyncFifo::<Bits<W>, 5, 6>::new()?, interface))
}
