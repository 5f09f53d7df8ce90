//! Beat number to beat.

use super::{BEAT_BITS, LOWER_MASK, UPPER_MASK};
use flitforge_hdl_prim::prelude::*;

/// Combinational: the beat with the given number (see the table in the module's documentation).
#[block("pattern_beat")]
pub struct PatternBeat {
    /// Beat number.
    number: In<Bits<32>>,
    /// The beat, flit 0 in the low 65 bits.
    beat: Out<Bits<BEAT_BITS>>,
    #[init(UPPER_MASK)]
    upper_mask: Constant<Bits<32>>,
    #[init(LOWER_MASK)]
    lower_mask: Constant<Bits<32>>,
    inverse: Local<Bits<32>>,
    upper: Local<Bits<32>>,
    lower: Local<Bits<32>>,
    body: Local<Bits<65>>,
    first: Local<Bits<65>>,
    #[init(Bits::<65>::default().replace_bit(63, true))]
    head_mark: Constant<Bits<65>>,
    #[init(Bits::<65>::default().replace_bit(64, true))]
    body_mark: Constant<Bits<65>>,
    #[init(Bits::<65>::default().replace_bit(62, true))]
    tail_mark: Constant<Bits<65>>,
}

#[logic]
impl PatternBeat {
    fn update(&mut self) {
        inverse = !number;
        upper = number ^ upper_mask;
        lower = inverse ^ lower_mask;
        body = body_mark | (bit_cast::<65, 32>(inverse) << 32) | bit_cast::<65, 32>(number);
        let mut second = body_mark | (bit_cast::<65, 32>(upper) << 32) | bit_cast::<65, 32>(lower);
        first = body;
        if number.bits::<4>(0) == 0 {
            first = head_mark | bit_cast::<65, 32>(number);
        }
        if number.bits::<4>(0) == 15 {
            first = tail_mark | bit_cast::<65, 32>(number);
            second = 0;
        }
        beat = (bit_cast::<BEAT_BITS, 65>(second) << 65) | bit_cast::<BEAT_BITS, 65>(first);
    }
}
