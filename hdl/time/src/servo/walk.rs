//! Which bit of a word it is.

use super::bits::PARTS;
use super::INDEX_BITS;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::time_servo::{GAIN_BITS, KP_SHIFT};

/// The last bit but one of a word.
const LAST: usize = GAIN_BITS - 2;
/// The last bit but one of a slew, which is shifted by KP_SHIFT.
const LAST_OF_SLEW: usize = LAST + KP_SHIFT as usize;
/// Bits of a place in a part.
const PLACE_BITS: usize = 3;
/// The place whose clock is the last of a part's name: the parts need 2 clocks.
const PART_ENDS: usize = 5;

/// Goes through the bits of a word, from 0 up, one per clock with `run`.
///
/// A word has 32 bits; a product that is shifted to the right takes as many zeros more. `part` names the part of the bit that comes 2 clocks
/// later; after the last part none. `ending` is set in the last clock of a word.
#[block("bit_walk")]
pub struct BitWalk {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// A bit is worked on.
    run: In<Bit>,
    /// The next word is KP.
    slews: In<Bit>,
    /// The next word is KACQ.
    acquires: In<Bit>,
    /// Places by which the product with KACQ is shifted.
    shift: In<Bits<2>>,
    /// The next word is not shifted.
    rests: In<Bit>,
    /// Part of the bit that comes 2 clocks later, one bit per part.
    part: Out<Bits<PARTS>>,
    /// Place of the bit in its part.
    place: Out<Bits<PLACE_BITS>>,
    /// This bit is the last.
    ending: Out<Bit>,
    index: Reg<Bits<INDEX_BITS>>,
    named: Reg<Bits<PARTS>>,
    last: Reg<Bits<INDEX_BITS>>,
    ends: Reg<Bit>,
}

#[logic]
impl BitWalk {
    fn update(&mut self) {
        let here = index.bits::<PLACE_BITS>(0);
        ends = run & (index == last);
        index = 0;
        named = 1;
        if run & !ends {
            index = index + 1;
            named = if here == PART_ENDS { named << 1 } else { named };
        }
        if clear {
            named = 1;
        }

        if slews {
            last = LAST_OF_SLEW;
        } else if acquires {
            last = match shift {
                0 => LAST,
                1 => LAST + 1,
                2 => LAST + 2,
                _ => LAST + 3,
            };
        } else if rests {
            last = LAST;
        }

        part = named;
        place = here;
        ending = ends;
    }
}
