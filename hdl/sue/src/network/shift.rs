//! Words of a frame, shifted by whole units of 16 bits.

use super::UNIT_BITS;
use flitforge_hdl_prim::prelude::*;

/// The word that begins 1 to 4 units after the start of `before`, and where a frame ends that is shifted so. Combinational.
///
/// `by` is one less than the units. Four units are a whole word: then `shifted` is `now`, and nothing of a frame is ever left over.
#[block("sue_word_shift")]
pub struct WordShift {
    /// The word before.
    before: In<Bits<64>>,
    /// The word now.
    now: In<Bits<64>>,
    /// Units to shift by, less one.
    by: In<Bits<2>>,
    /// Octets of the last word of a frame, 1 to 8.
    bytes: In<Bits<4>>,
    /// Four units out of both words.
    shifted: Out<Bits<64>>,
    /// If the word is the last of its frame: a rest of it comes in a word of its own.
    spills: Out<Bit>,
    /// Octets that the last word has after the shift, be it this word or its rest.
    left: Out<Bits<4>>,
}

#[logic]
impl WordShift {
    fn update(&mut self) {
        let upper: Bits<48> = before.bits::<48>(UNIT_BITS);
        let both: Bits<112> = cat(upper, now);
        let two = if by[1] { both.bits::<80>(2 * UNIT_BITS) } else { both.bits::<80>(0) };
        shifted = if by[0] { two.bits::<64>(UNIT_BITS) } else { two.bits::<64>(0) };

        let whole: Bits<4> = cat(bits::<1>(0), by, bits::<1>(0)) + bits::<4>(2);
        spills = bytes > whole;
        let rest = bytes - whole;
        let low = rest[0..3];
        left = cat(low, !low.any());
    }
}
