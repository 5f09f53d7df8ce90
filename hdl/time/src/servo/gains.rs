//! The bits of the gains, one at a time.

use super::bits::{WordParts, PARTS};
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::time_servo::GAIN_BITS;

/// The bit at `place` of the part that `part` named 2 clocks before, of the gain that the product takes; a clock later.
///
/// 0 while nothing is multiplied. No clear: it holds no state.
#[block("gain_bits")]
pub struct GainBits {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Part of the bit that is wanted 2 clocks later, one bit per part.
    part: In<Bits<PARTS>>,
    /// Bit of its part that is wanted.
    place: In<Bits<3>>,
    /// A bit is wanted.
    multiplying: In<Bit>,
    /// It is one of KP.
    slews: In<Bit>,
    /// It is one of KACQ; with neither one of KI.
    acquires: In<Bit>,
    /// KP; stable while its bits are taken, as the others.
    kp: In<Bits<GAIN_BITS>>,
    /// KI.
    ki: In<Bits<GAIN_BITS>>,
    /// KACQ.
    kacq: In<Bits<GAIN_BITS>>,
    /// The bit.
    gain_bit: Out<Bit>,
    #[wire(clock, part, word = kp)]
    kp_word: WordParts,
    #[wire(clock, part, word = ki)]
    ki_word: WordParts,
    #[wire(clock, part, word = kacq)]
    kacq_word: WordParts,
    kp_bit: Reg<Bit>,
    ki_bit: Reg<Bit>,
    kacq_bit: Reg<Bit>,
}

#[logic]
impl GainBits {
    fn update(&mut self) {
        let kp_part = kp_word.held;
        let ki_part = ki_word.held;
        let kacq_part = kacq_word.held;
        kp_bit = if multiplying & slews { kp_part[place] } else { false };
        ki_bit = if multiplying & !slews & !acquires { ki_part[place] } else { false };
        kacq_bit = if multiplying & acquires { kacq_part[place] } else { false };
        gain_bit = kp_bit | ki_bit | kacq_bit;
    }
}
