//! The bytes of a word, one at a time.

use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::time_servo::GAIN_BITS;

/// Bits of a part of the word.
pub const PART_BITS: usize = 8;
/// Parts of the word.
pub const PARTS: usize = GAIN_BITS / PART_BITS;

/// That part of `word` which `part` named, as one of [`PARTS`], 2 clocks before; 0 if it named none.
///
/// Registers that a part's bit keeps at 0 stand for the outer half of a 32 to 1 multiplexer: they cost no LUT, and the
/// path is a third as long. `held` is a register. No clear: it holds no state.
#[block("word_parts")]
pub struct WordParts {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Part that is wanted, one bit per part.
    part: In<Bits<PARTS>>,
    /// The word; holds still while its bits are taken.
    word: In<Bits<GAIN_BITS>>,
    /// The part.
    held: Out<Bits<PART_BITS>>,
    parts: [Reg<Bits<PART_BITS>>; PARTS],
    chosen: Reg<Bits<PART_BITS>>,
}

#[logic]
impl WordParts {
    fn update(&mut self) {
        for i in 0..4 {
            parts[i] = 0;
        }

        if part[0] {
            parts[0] = word.bits::<PART_BITS>(0);
        }
        if part[1] {
            parts[1] = word.bits::<PART_BITS>(8);
        }
        if part[2] {
            parts[2] = word.bits::<PART_BITS>(16);
        }
        if part[3] {
            parts[3] = word.bits::<PART_BITS>(24);
        }
        chosen = parts[0] | parts[1] | parts[2] | parts[3];
        held = chosen;
    }
}

const _: () = assert!(PARTS == 4);
