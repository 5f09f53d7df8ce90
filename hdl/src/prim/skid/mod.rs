//! `skid`: breaks the paths of a stream in both directions: valid, data and ready are registers.
//!
//! Two words of room, latency 1 clock, throughput one word per clock. `clear` empties it.

use super::stream::{StreamIn, StreamOut};
use super::Register;
use crate::config::ConfigError;
use crate::registry::StreamRole::{StreamSink, StreamSource};
use crate::registry::{Allowed, BlockEntry, BuiltBlock, InterfaceInfo, ParameterInfo, Preset, Settings};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive::FromValue;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;

/// A stream register with registered `ready`; see the [module](self).
#[derive(LogicBlock, Clone, Debug)]
pub struct Skid<T: Synth> {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Empties it.
    pub clear: Signal<In, Bit>,
    /// Words in.
    pub words_in: StreamIn<T>,
    /// Words out.
    pub words_out: StreamOut<T>,
    /// `words_in.ready` but for `clear`, for those who are cleared with it.
    pub has_room: Signal<Out, Bit>,
    word: Register<T>,
    word_valid: Register<Bit>,
    spare: Register<T>,
    spare_valid: Register<Bit>,
    /// `spare` is free. A register of its own: what it says goes far, and `spare_valid` has all bits of `word` to serve.
    room: Register<Bit>,
    arrives: Signal<Local, Bit>,
    moves: Signal<Local, Bit>,
    keeps: Signal<Local, Bit>,
}

impl<T: Synth> Default for Skid<T> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            clear: Default::default(),
            words_in: Default::default(),
            words_out: Default::default(),
            has_room: Default::default(),
            word: Default::default(),
            word_valid: Default::default(),
            spare: Default::default(),
            spare_valid: Default::default(),
            room: Register::new(true),
            arrives: Default::default(),
            moves: Default::default(),
            keeps: Default::default(),
        }
    }
}

impl<T: Synth> Logic for Skid<T> {
    #[hdl_gen]
    fn update(&mut self) {
        self.word.clock.next = self.clock.val();
        self.word_valid.clock.next = self.clock.val();
        self.spare.clock.next = self.clock.val();
        self.spare_valid.clock.next = self.clock.val();
        self.room.clock.next = self.clock.val();
        self.word.clear.next = false;
        self.spare.clear.next = false;
        self.word_valid.clear.next = self.clear.val();
        self.spare_valid.clear.next = self.clear.val();
        self.room.clear.next = self.clear.val();

        self.has_room.next = self.room.q.val();
        self.words_in.ready.next = self.room.q.val() & !self.clear.val();
        // Without room `spare` is full, and all that this decides is cleared with `clear`: neither need be asked.
        self.arrives.next = self.words_in.valid.val() | self.spare_valid.q.val();
        self.moves.next = !self.word_valid.q.val() | self.words_out.ready.val();
        self.word.enable.next = self.moves.val();
        self.word.d.next = self.words_in.data.val();
        if self.spare_valid.q.val() {
            self.word.d.next = self.spare.q.val();
        }
        self.word_valid.enable.next = self.moves.val();
        self.word_valid.d.next = self.arrives.val();
        self.spare.enable.next = !self.spare_valid.q.val();
        self.spare.d.next = self.words_in.data.val();
        self.spare_valid.enable.next = true;
        self.keeps.next = !self.moves.val() & self.arrives.val();
        self.spare_valid.d.next = self.keeps.val();
        self.room.enable.next = true;
        self.room.d.next = !self.keeps.val();
        self.words_out.data.next = self.word.q.val();
        self.words_out.valid.next = self.word_valid.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("skid", &[("width", T::BITS.to_string())])
    }
}

drive_ports!(impl[T: Synth + FromValue] Skid<T> { clock, clear, words_in, words_out, has_room });

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "skid",
    chapter: "00-overview",
    summary: "stream register with registered ready",
    parameters: &[ParameterInfo {
        name: "width",
        default: 64,
        allowed: Allowed::OneOf(&[8, 64, 130]),
        doc: "bits of a word",
    }],
    presets: &[Preset { name: "default", values: &[] }],
    build,
};

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    let streams = [("words_in", StreamSink), ("words_out", StreamSource)];
    let interface = InterfaceInfo::clocked(&streams, Some(1), "transfer in to valid out");
    Ok(match settings.get("width")? {
        8 => BuiltBlock::new(Skid::<Bits<8>>::default(), interface),
        64 => BuiltBlock::new(Skid::<Bits<64>>::default(), interface),
        130 => BuiltBlock::new(Skid::<Bits<130>>::default(), interface),
        _ => return Err(settings.unsupported("width", "8, 64 or 130")),
    })
}
