//! Words to symbols.

use super::code::CodeTx;
use crate::config::ConfigError;
use crate::link::lane::LANE_BITS;
use crate::prim::stream::StreamIn;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::code_8b10b::IDLE_WORD;

/// `serdes_tx`: words of one lane to two symbols per clock.
///
/// A word takes two clocks; one is taken every second clock, if there is one, and its first symbols leave 4 clocks later. Without a
/// word an idle word leaves, which the receiver drops, and `starved` tells it, 1 clock later, if a word went before. While cleared no
/// word is taken.
#[derive(LogicBlock)]
pub struct SerdesTx {
    /// Clock of symbol pairs.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear: idle words.
    pub clear: Signal<In, Bit>,
    /// Words: word in bits 31..0, ctl in bit 32.
    pub words: StreamIn<Bits<LANE_BITS>>,
    /// Two symbols, the first in bits 9..0; bit 0 leaves first.
    pub symbols: Signal<Out, Bits<20>>,
    /// Pulse: behind a word came none.
    pub starved: Signal<Out, Bit>,
    second_half: DFF<Bit>,
    word: DFF<Bits<LANE_BITS>>,
    sends: DFF<Bit>,
    starves: DFF<Bit>,
    coder: CodeTx,
    idle: Constant<Bits<LANE_BITS>>,
    goes: Signal<Local, Bit>,
}

impl SerdesTx {
    /// A sender of idle words.
    pub fn new() -> Result<Self, ConfigError> {
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            words: Default::default(),
            symbols: Default::default(),
            starved: Default::default(),
            second_half: Default::default(),
            word: Default::default(),
            sends: Default::default(),
            starves: Default::default(),
            coder: CodeTx::new()?,
            idle: Constant::new((u64::from(IDLE_WORD) | 1 << 32).into()),
            goes: Default::default(),
        })
    }
}

impl Logic for SerdesTx {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, second_half, word, sends, starves);
        clock!(self, clock, coder);
        self.second_half.d.next = !self.second_half.q.val();
        self.words.ready.next = self.second_half.q.val() & !self.clear.val();
        self.goes.next = self.words.valid.val() & !self.clear.val();
        self.starves.d.next = false;
        self.coder.bytes.next = self.word.q.val().get_bits::<16>(0);
        self.coder.control.next = bit_cast::<2, 1>(self.word.q.val().get_bits::<1>(32));
        if self.second_half.q.val() {
            self.coder.bytes.next = self.word.q.val().get_bits::<16>(16);
            self.coder.control.next = 0.into();
            self.word.d.next = self.idle.val();
            if self.goes.val() {
                self.word.d.next = self.words.data.val();
            }
            self.sends.d.next = self.goes.val();
            self.starves.d.next = self.sends.q.val() & !(self.words.valid.val() | self.clear.val());
        }
        self.symbols.next = self.coder.symbols.val();
        self.starved.next = self.starves.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("serdes_tx", &[])
    }
}

drive_ports!(impl[] SerdesTx { clock, clear, words, symbols, starved });
