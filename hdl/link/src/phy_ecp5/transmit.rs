//! Words to symbols.

use super::code::CodeTx;
use crate::lane::LANE_BITS;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::code_8b10b::IDLE_WORD;

/// `serdes_tx`: words of one lane to two symbols per clock.
///
/// A word takes two clocks; one is taken every second clock, if there is one, and its first symbols leave 4 clocks later. Without a
/// word an idle word leaves, which the receiver drops, and `starved` tells it, 1 clock later, if a word went before. While cleared no
/// word is taken.
#[block("serdes_tx", new)]
pub struct SerdesTx {
    /// Clock of symbol pairs.
    clock: In<Clock>,
    /// Synchronous clear: idle words.
    clear: In<Bit>,
    /// Words: word in bits 31..0, ctl in bit 32.
    pub words: StreamIn<Bits<LANE_BITS>>,
    /// Two symbols, the first in bits 9..0; bit 0 leaves first.
    symbols: Out<Bits<20>>,
    /// Pulse: after a word came none.
    starved: Out<Bit>,
    second_half: Reg<Bit>,
    word: Reg<Bits<LANE_BITS>>,
    sends: Reg<Bit>,
    starves: Reg<Bit>,
    #[wire(clock)]
    coder: CodeTx,
    idle: Constant<Bits<LANE_BITS>>,
}

#[logic]
impl SerdesTx {
    /// A sender of idle words.
    pub fn new() -> Result<Self, ConfigError> {
        Ok(Self { coder: CodeTx::new()?, idle: Constant::new((u64::from(IDLE_WORD) | 1 << 32).into()), .. })
    }

    fn update(&mut self) {
        second_half = !second_half;
        words.ready = second_half & !clear;
        let goes = words.valid & !clear;
        starves = false;
        coder = In { bytes: word.bits::<16>(0), control: bit_cast::<2, 1>(word.bits::<1>(32)) };
        if second_half {
            coder = In { bytes: word.bits::<16>(16), control: 0 };
            word = idle;
            if goes {
                word = words.data;
            }
            sends = goes;
            starves = sends & !(words.valid | clear);
        }
        symbols = coder.symbols;
        starved = starves;
    }
}
