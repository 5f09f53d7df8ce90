//! `async_fifo`: stream FIFO between two clocks, pointers in Gray code.
//!
//! Holds 2^A + 1 words. A word given on a write clock is valid at the output 4 to 5 read clocks later; room
//! comes back 3 to 4 write clocks after a read. Throughput one word per clock of the slower side (A at least 4).
//! Both clears must be up together for at least 4 clocks of the slower clock, and no word may be offered until both are
//! down: a pointer that is cleared alone tells the other side nonsense.
//!
//! Safe because one bit of a Gray pointer changes per clock, so a pointer taken in mid-change is the old or the
//! new one; a word is written a synchronizer's delay before its pointer is seen; and the word being written is never read.

use super::ram::{Ram, RamConfig};
use super::stream::{StreamIn, StreamOut};
use super::synchronizer::Synchronizer;
use super::Register;
use crate::config::{check_derived, check_range, ConfigError};
use crate::registry::StreamRole::{StreamSink, StreamSource};
use crate::registry::{
    Allowed, BlockEntry, BuiltBlock, InterfaceInfo, ParameterInfo, Preset, Settings, StreamInfo,
};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive::FromValue;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;

/// A stream FIFO between two clocks, `C` = `A` + 1; see the [module](self).
#[derive(LogicBlock, Clone, Debug)]
pub struct AsyncFifo<T: Synth, const A: usize, const C: usize> {
    /// Clock of `words_in`.
    pub write_clock: Signal<In, Clock>,
    /// Empties the write side.
    pub write_clear: Signal<In, Bit>,
    /// Words in.
    pub words_in: StreamIn<T>,
    /// Clock of `words_out`.
    pub read_clock: Signal<In, Clock>,
    /// Empties the read side.
    pub read_clear: Signal<In, Bit>,
    /// Words out, in the same order.
    pub words_out: StreamOut<T>,

    memory: Ram<T, A>,
    one: Constant<Bits<C>>,
    two_top: Constant<Bits<C>>,

    write_pointer: Register<Bits<C>>,
    write_gray: Register<Bits<C>>,
    write_next: Signal<Local, Bits<C>>,
    write_gray_next: Signal<Local, Bits<C>>,
    full: Register<Bit>,
    push: Signal<Local, Bit>,
    read_gray_bit: [Synchronizer<2>; C],
    read_gray_seen: Signal<Local, Bits<C>>,

    read_pointer: Register<Bits<C>>,
    read_gray: Register<Bits<C>>,
    read_next: Signal<Local, Bits<C>>,
    read_gray_next: Signal<Local, Bits<C>>,
    empty: Register<Bit>,
    moves: Signal<Local, Bit>,
    fetch: Signal<Local, Bit>,
    output_valid: Register<Bit>,
    write_gray_bit: [Synchronizer<2>; C],
    write_gray_seen: Signal<Local, Bits<C>>,
    none: Constant<Bits<C>>,
}

fn synchronizers<const C: usize>() -> Result<[Synchronizer<2>; C], ConfigError> {
    let bit = Synchronizer::new(false)?;
    Ok(std::array::from_fn(|_| bit.clone()))
}

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
            write_clock: Signal::default(),
            write_clear: Signal::default(),
            words_in: StreamIn::default(),
            read_clock: Signal::default(),
            read_clear: Signal::default(),
            words_out: StreamOut::default(),
            memory: Ram::new(memory)?,
            one: Constant::new(Bits::from(1)),
            two_top: Constant::new(Bits::from(3 << (C - 2))),
            write_pointer: Register::default(),
            write_gray: Register::default(),
            write_next: Signal::default(),
            write_gray_next: Signal::default(),
            full: Register::default(),
            push: Signal::default(),
            read_gray_bit: synchronizers()?,
            read_gray_seen: Signal::default(),
            read_pointer: Register::default(),
            read_gray: Register::default(),
            read_next: Signal::default(),
            read_gray_next: Signal::default(),
            empty: Register::new(true),
            moves: Signal::default(),
            fetch: Signal::default(),
            output_valid: Register::default(),
            write_gray_bit: synchronizers()?,
            write_gray_seen: Signal::default(),
            none: Constant::new(Bits::default()),
        })
    }
}

impl<T: Synth, const A: usize, const C: usize> Logic for AsyncFifo<T, A, C> {
    #[hdl_gen]
    fn update(&mut self) {
        self.memory.write_clock.next = self.write_clock.val();
        self.write_pointer.clock.next = self.write_clock.val();
        self.write_gray.clock.next = self.write_clock.val();
        self.full.clock.next = self.write_clock.val();
        self.write_pointer.clear.next = self.write_clear.val();
        self.write_gray.clear.next = self.write_clear.val();
        self.full.clear.next = self.write_clear.val();
        self.memory.read_clock.next = self.read_clock.val();
        self.read_pointer.clock.next = self.read_clock.val();
        self.read_gray.clock.next = self.read_clock.val();
        self.empty.clock.next = self.read_clock.val();
        self.output_valid.clock.next = self.read_clock.val();
        self.read_pointer.clear.next = self.read_clear.val();
        self.read_gray.clear.next = self.read_clear.val();
        self.empty.clear.next = self.read_clear.val();
        self.output_valid.clear.next = self.read_clear.val();

        // Pointers across.
        self.read_gray_seen.next = self.none.val();
        self.write_gray_seen.next = self.none.val();
        for i in 0..C {
            self.read_gray_bit[i].clock.next = self.write_clock.val();
            self.read_gray_bit[i].d.next = self.read_gray.q.val().get_bit(i);
            self.read_gray_seen.next =
                self.read_gray_seen.val().replace_bit(i, self.read_gray_bit[i].q.val());
            self.write_gray_bit[i].clock.next = self.read_clock.val();
            self.write_gray_bit[i].d.next = self.write_gray.q.val().get_bit(i);
            self.write_gray_seen.next =
                self.write_gray_seen.val().replace_bit(i, self.write_gray_bit[i].q.val());
        }

        // Write side.
        self.words_in.ready.next = !self.full.q.val() & !self.write_clear.val();
        self.push.next = self.words_in.valid.val() & !self.full.q.val() & !self.write_clear.val();
        self.memory.write_enable.next = self.push.val();
        self.memory.write_address.next = bit_cast::<A, C>(self.write_pointer.q.val());
        self.memory.write_data.next = self.words_in.data.val();
        self.write_next.next = self.write_pointer.q.val();
        if self.push.val() {
            self.write_next.next = self.write_pointer.q.val() + self.one.val();
        }
        self.write_gray_next.next = self.write_next.val() ^ (self.write_next.val() >> 1);
        self.write_pointer.enable.next = true;
        self.write_pointer.d.next = self.write_next.val();
        self.write_gray.enable.next = true;
        self.write_gray.d.next = self.write_gray_next.val();
        self.full.enable.next = true;
        self.full.d.next = self.write_gray_next.val() == (self.read_gray_seen.val() ^ self.two_top.val());

        // Read side.
        self.moves.next = !self.output_valid.q.val() | self.words_out.ready.val();
        self.fetch.next = self.moves.val() & !self.empty.q.val();
        self.memory.read_enable.next = self.moves.val();
        self.memory.output_enable.next = true;
        self.memory.read_address.next = bit_cast::<A, C>(self.read_pointer.q.val());
        self.read_next.next = self.read_pointer.q.val();
        if self.fetch.val() {
            self.read_next.next = self.read_pointer.q.val() + self.one.val();
        }
        self.read_gray_next.next = self.read_next.val() ^ (self.read_next.val() >> 1);
        self.read_pointer.enable.next = true;
        self.read_pointer.d.next = self.read_next.val();
        self.read_gray.enable.next = true;
        self.read_gray.d.next = self.read_gray_next.val();
        self.empty.enable.next = true;
        self.empty.d.next = self.read_gray_next.val() == self.write_gray_seen.val();
        self.output_valid.enable.next = self.moves.val();
        self.output_valid.d.next = self.fetch.val();
        self.words_out.data.next = self.memory.read_data.val();
        self.words_out.valid.next = self.output_valid.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("async_fifo", &[("width", T::BITS.to_string()), ("depth", (1usize << A).to_string())])
    }
}

drive_ports!(impl[T: Synth + FromValue, const A: usize, const C: usize] AsyncFifo<T, A, C> {
    write_clock, write_clear, words_in, read_clock, read_clear, words_out,
});

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "async_fifo",
    chapter: "00-overview",
    summary: "stream FIFO between two clocks",
    parameters: &[ParameterInfo {
        name: "width",
        default: 33,
        allowed: Allowed::OneOf(&[8, 33, 64]),
        doc: "bits of a word; 32 words",
    }],
    presets: &[Preset { name: "default", values: &[] }],
    build,
};

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
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
    Ok(match settings.get("width")? {
        8 => BuiltBlock::new(AsyncFifo::<Bits<8>, 5, 6>::new()?, interface),
        33 => BuiltBlock::new(AsyncFifo::<Bits<33>, 5, 6>::new()?, interface),
        64 => BuiltBlock::new(AsyncFifo::<Bits<64>, 5, 6>::new()?, interface),
        _ => return Err(settings.unsupported("width", "8, 33 or 64")),
    })
}
