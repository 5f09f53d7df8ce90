//! The FIFO for a few words, in LUT RAM.

use crate::config::{check_derived, check_range, ConfigError};
use crate::prim::ram::{Ram, RamConfig};
use crate::prim::stream::{StreamIn, StreamOut};
use crate::prim::Register;
use crate::registry::StreamRole::{StreamSink, StreamSource};
use crate::registry::{Allowed, BlockEntry, BuiltBlock, InterfaceInfo, ParameterInfo, Preset, Settings};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive::FromValue;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;

/// `small_fifo`: a stream FIFO of 2^`A` + 1 words `T` in LUT RAM, `C` = `A` + 1, `A` 2 to 5.
///
/// Exact flags: it takes 2^`A` words into the RAM and one into the output register. Latency 2 clocks from a
/// transfer into the empty FIFO to `words_out.valid`, throughput one word per clock. `clear` empties it. No
/// word is read on the clock on which it is written.
#[derive(LogicBlock, Clone, Debug)]
pub struct SmallFifo<T: Synth, const A: usize, const C: usize> {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Empties the FIFO.
    pub clear: Signal<In, Bit>,
    /// Words in.
    pub words_in: StreamIn<T>,
    /// Words out, in the same order.
    pub words_out: StreamOut<T>,

    memory: Ram<T, A>,
    write_pointer: Register<Bits<A>>,
    read_pointer: Register<Bits<A>>,
    // Two counters of the same events, so that either flag is one of their bits:
    // words + 2^A - 1, top bit: there is a word; and words, top bit: full.
    words: Register<Bits<C>>,
    fill: Register<Bits<C>>,
    output_valid: Register<Bit>,
    push: Signal<Local, Bit>,
    moves: Signal<Local, Bit>,
    fetch: Signal<Local, Bit>,
    change: Signal<Local, Bits<C>>,
    one: Constant<Bits<A>>,
    plus_one: Constant<Bits<C>>,
    minus_one: Constant<Bits<C>>,
    zero: Constant<Bits<C>>,
    top: Constant<Bits<C>>,
}

impl<T: Synth, const A: usize, const C: usize> SmallFifo<T, A, C> {
    /// An empty FIFO.
    pub fn new() -> Result<Self, ConfigError> {
        check_range("small_fifo", "A", A as u64, 2, 5)?;
        check_derived("small_fifo", "C", C as u64, "A + 1", A as u64 + 1)?;
        let size: LiteralType = 1 << A;
        Ok(Self {
            clock: Signal::default(),
            clear: Signal::default(),
            words_in: StreamIn::default(),
            words_out: StreamOut::default(),
            memory: Ram::new(RamConfig::distributed(1 << A))?,
            write_pointer: Register::default(),
            read_pointer: Register::default(),
            words: Register::new(Bits::from(size - 1)),
            fill: Register::default(),
            output_valid: Register::default(),
            push: Signal::default(),
            moves: Signal::default(),
            fetch: Signal::default(),
            change: Signal::default(),
            one: Constant::new(Bits::from(1)),
            plus_one: Constant::new(Bits::from(1)),
            minus_one: Constant::new(Bits::from(2 * size - 1)),
            zero: Constant::new(Bits::from(0)),
            top: Constant::new(Bits::from(size)),
        })
    }
}

impl<T: Synth, const A: usize, const C: usize> Logic for SmallFifo<T, A, C> {
    #[hdl_gen]
    fn update(&mut self) {
        self.memory.write_clock.next = self.clock.val();
        self.memory.read_clock.next = self.clock.val();
        self.write_pointer.clock.next = self.clock.val();
        self.read_pointer.clock.next = self.clock.val();
        self.words.clock.next = self.clock.val();
        self.fill.clock.next = self.clock.val();
        self.output_valid.clock.next = self.clock.val();
        self.write_pointer.clear.next = self.clear.val();
        self.read_pointer.clear.next = self.clear.val();
        self.words.clear.next = self.clear.val();
        self.fill.clear.next = self.clear.val();
        self.output_valid.clear.next = self.clear.val();

        // Words in.
        self.words_in.ready.next = !(self.fill.q.val() & self.top.val()).any() & !self.clear.val();
        self.push.next =
            self.words_in.valid.val() & !(self.fill.q.val() & self.top.val()).any() & !self.clear.val();
        self.memory.write_enable.next = self.push.val();
        self.memory.write_address.next = self.write_pointer.q.val();
        self.memory.write_data.next = self.words_in.data.val();
        self.write_pointer.enable.next = self.push.val();
        self.write_pointer.d.next = self.write_pointer.q.val() + self.one.val();

        // Words out.
        self.moves.next = !self.output_valid.q.val() | self.words_out.ready.val();
        self.fetch.next = self.moves.val() & (self.words.q.val() & self.top.val()).any();
        self.memory.read_enable.next = self.moves.val();
        self.memory.output_enable.next = true;
        self.memory.read_address.next = self.read_pointer.q.val();
        self.read_pointer.enable.next = self.fetch.val();
        self.read_pointer.d.next = self.read_pointer.q.val() + self.one.val();
        self.output_valid.enable.next = self.moves.val();
        self.output_valid.d.next = self.fetch.val();
        self.words_out.data.next = self.memory.read_data.val();
        self.words_out.valid.next = self.output_valid.q.val();

        // The counts.
        self.change.next = self.zero.val();
        if self.push.val() & !self.fetch.val() {
            self.change.next = self.plus_one.val();
        }
        if self.fetch.val() & !self.push.val() {
            self.change.next = self.minus_one.val();
        }
        self.words.enable.next = true;
        self.words.d.next = self.words.q.val() + self.change.val();
        self.fill.enable.next = true;
        self.fill.d.next = self.fill.q.val() + self.change.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("small_fifo", &[("width", T::BITS.to_string()), ("depth", (1usize << A).to_string())])
    }
}

drive_ports!(impl[T: Synth + FromValue, const A: usize, const C: usize] SmallFifo<T, A, C> {
    clock, clear, words_in, words_out,
});

/// Registry entry.
pub const SMALL_ENTRY: BlockEntry = BlockEntry {
    name: "small_fifo",
    chapter: "00-overview",
    summary: "stream FIFO of a few words in LUT RAM",
    parameters: &[
        ParameterInfo {
            name: "width",
            default: 64,
            allowed: Allowed::OneOf(&[8, 32, 64, 130, 132]),
            doc: "bits of a word",
        },
        ParameterInfo {
            name: "depth",
            default: 16,
            allowed: Allowed::OneOf(&[4, 16, 32]),
            doc: "words in the RAM; one more waits at the output",
        },
    ],
    presets: &[Preset { name: "default", values: &[] }, Preset { name: "four", values: &[("depth", 4)] }],
    build,
};

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    match settings.get("width")? {
        8 => build_width::<8>(settings),
        32 => build_width::<32>(settings),
        64 => build_width::<64>(settings),
        130 => build_width::<130>(settings),
        132 => build_width::<132>(settings),
        _ => Err(settings.unsupported("width", "8, 32, 64, 130 or 132")),
    }
}

fn build_width<const W: usize>(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    let streams = [("words_in", StreamSink), ("words_out", StreamSource)];
    let interface = InterfaceInfo::clocked(&streams, Some(2), "transfer in to valid out, empty");
    Ok(match settings.get("depth")? {
        4 => BuiltBlock::new(SmallFifo::<Bits<W>, 2, 3>::new()?, interface),
        16 => BuiltBlock::new(SmallFifo::<Bits<W>, 4, 5>::new()?, interface),
        32 => BuiltBlock::new(SmallFifo::<Bits<W>, 5, 6>::new()?, interface),
        _ => return Err(settings.unsupported("depth", "4, 16 or 32")),
    })
}
