//! `fifo`: stream FIFO in block RAM with output register.
//!
//! First word falls through: `output.valid` is up when there is a word. Holds 2^A words at least (2^A + 2 at
//! most, two of them behind the RAM). Latency 4 clocks from a transfer at `words_in` into an empty FIFO to
//! `words_out.valid`; throughput one word per clock on both sides at once. `clear` empties it; words in the RAM stay
//! there but are never read before being written again. No word is read on the clock on which it is written.
//!
//! The RAM's own output register is the last stage and its array register the one before: both hold under their
//! enables, so words wait in the RAM block and cost no logic. `small_fifo` is the one for up to 32 words.

mod control;
mod small;

pub use small::{SmallFifo, SMALL_ENTRY};

use super::ram::{Ram, RamConfig};
use super::stream::{StreamIn, StreamOut};
use super::Register;
use crate::config::{check_derived, check_range, ConfigError};
use crate::registry::StreamRole::{StreamSink, StreamSource};
use crate::registry::{Allowed, BlockEntry, BuiltBlock, InterfaceInfo, ParameterInfo, Preset, Settings};
use control::FifoControl;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive::FromValue;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;

/// A stream FIFO of at least 2^`A` words `T` in block RAM, `C` = `A` + 1; see the [module](self).
#[derive(LogicBlock, Clone, Debug)]
pub struct Fifo<T: Synth, const A: usize, const C: usize> {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Empties the FIFO.
    pub clear: Signal<In, Bit>,
    /// Words in.
    pub words_in: StreamIn<T>,
    /// Words out, in the same order.
    pub words_out: StreamOut<T>,

    control: FifoControl<A, C>,
    memory: Ram<T, A>,
    array_valid: Register<Bit>,
    output_valid: Register<Bit>,
    output_moves: Signal<Local, Bit>,
    array_moves: Signal<Local, Bit>,
}

impl<T: Synth, const A: usize, const C: usize> Fifo<T, A, C> {
    /// An empty FIFO.
    pub fn new() -> Result<Self, ConfigError> {
        check_range("fifo", "A", A as u64, 4, 16)?;
        check_derived("fifo", "C", C as u64, "A + 1", A as u64 + 1)?;
        Ok(Self {
            clock: Signal::default(),
            clear: Signal::default(),
            words_in: StreamIn::default(),
            words_out: StreamOut::default(),
            control: FifoControl::default(),
            memory: Ram::new(RamConfig::block(1 << A))?,
            array_valid: Register::default(),
            output_valid: Register::default(),
            output_moves: Signal::default(),
            array_moves: Signal::default(),
        })
    }
}

impl<T: Synth, const A: usize, const C: usize> Logic for Fifo<T, A, C> {
    #[hdl_gen]
    fn update(&mut self) {
        self.control.clock.next = self.clock.val();
        self.control.clear.next = self.clear.val();
        self.memory.write_clock.next = self.clock.val();
        self.memory.read_clock.next = self.clock.val();
        self.array_valid.clock.next = self.clock.val();
        self.output_valid.clock.next = self.clock.val();
        self.array_valid.clear.next = self.clear.val();
        self.output_valid.clear.next = self.clear.val();

        self.control.valid.next = self.words_in.valid.val();
        self.words_in.ready.next = self.control.ready.val();
        self.memory.write_enable.next = self.control.push.val();
        self.memory.write_address.next = self.control.write_address.val();
        self.memory.write_data.next = self.words_in.data.val();

        // A stage moves on when it is empty or the one behind it moves on.
        self.output_moves.next = !self.output_valid.q.val() | self.words_out.ready.val();
        self.array_moves.next = !self.array_valid.q.val() | self.output_moves.val();
        self.control.room.next = self.array_moves.val();
        self.memory.read_address.next = self.control.read_address.val();
        self.memory.read_enable.next = self.array_moves.val();
        self.memory.output_enable.next = self.output_moves.val();
        self.array_valid.enable.next = self.array_moves.val();
        self.array_valid.d.next = self.control.fetch.val();
        self.output_valid.enable.next = self.output_moves.val();
        self.output_valid.d.next = self.array_valid.q.val();
        self.words_out.data.next = self.memory.read_data.val();
        self.words_out.valid.next = self.output_valid.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("fifo", &[("width", T::BITS.to_string()), ("depth", (1usize << A).to_string())])
    }
}

drive_ports!(impl[T: Synth + FromValue, const A: usize, const C: usize] Fifo<T, A, C> {
    clock, clear, words_in, words_out,
});

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "fifo",
    chapter: "00-overview",
    summary: "stream FIFO in block RAM",
    parameters: &[
        ParameterInfo {
            name: "width",
            default: 64,
            allowed: Allowed::OneOf(&[8, 32, 64, 130, 132]),
            doc: "bits of a word",
        },
        ParameterInfo {
            name: "depth",
            default: 512,
            allowed: Allowed::OneOf(&[32, 512, 1024, 2048]),
            doc: "words it holds at least",
        },
    ],
    presets: &[
        Preset { name: "default", values: &[] },
        Preset { name: "beats", values: &[("width", 130), ("depth", 1024)] },
        Preset { name: "shallow", values: &[("width", 8), ("depth", 32)] },
    ],
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
    let interface = InterfaceInfo::clocked(&streams, Some(4), "transfer in to valid out, empty");
    Ok(match settings.get("depth")? {
        32 => BuiltBlock::new(Fifo::<Bits<W>, 5, 6>::new()?, interface),
        512 => BuiltBlock::new(Fifo::<Bits<W>, 9, 10>::new()?, interface),
        1024 => BuiltBlock::new(Fifo::<Bits<W>, 10, 11>::new()?, interface),
        2048 => BuiltBlock::new(Fifo::<Bits<W>, 11, 12>::new()?, interface),
        _ => return Err(settings.unsupported("depth", "32, 512, 1024 or 2048")),
    })
}
