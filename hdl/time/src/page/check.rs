//! May GEN_CFG be so?

use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::time::{GEN_PERIOD_SHIFT, HIGH_SPACING_MAX_NS};

/// Bits of GEN_PERIOD times HIGH_EVERY.
const PRODUCT_BITS: usize = 20;
/// The largest product of a HIGH_EVERY above 1.
const LARGEST: u64 = HIGH_SPACING_MAX_NS >> GEN_PERIOD_SHIFT;

/// Refuses a HIGH_EVERY of 0, and one above 1 that lets more than 4.0 s pass between two Highs (chapter 20, 4.6 rule 3).
///
/// One multiplication, a bit of HIGH_EVERY per clock: `done` comes 9 clocks after `start`, with it `possible` or `refused`.
/// `clear` ends it without any of these.
#[block("gen_check")]
pub struct GenCheck {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// It begins.
    start: In<Bit>,
    /// GEN_PERIOD, until `done`.
    period: In<Bits<12>>,
    /// HIGH_EVERY, until `done`.
    high_every: In<Bits<8>>,
    /// It ends.
    done: Out<Bit>,
    /// With `done`: it may be.
    possible: Out<Bit>,
    /// With `done`: it may not be.
    refused: Out<Bit>,
    place: Reg<Bits<9>>,
    rest: Reg<Bits<8>>,
    product: Reg<Bits<PRODUCT_BITS>>,
    #[init(LARGEST)]
    largest: Constant<Bits<PRODUCT_BITS>>,
}

#[logic]
impl GenCheck {
    fn update(&mut self) {
        let mut more: Bits<PRODUCT_BITS> = 0;
        if rest[7] {
            more = bit_cast::<PRODUCT_BITS, 12>(period);
        }
        product = (product << 1) + more;
        rest = rest << 1;
        place = (place << 1).with(0, start);
        if start {
            product = 0;
            rest = high_every;
        }
        if clear {
            place = 0;
        }
        let wrong = ((product > largest) & high_every.bits::<7>(1).any()) | !high_every.any();
        done = place[8];
        possible = place[8] & !wrong;
        refused = place[8] & wrong;
    }
}

const _: () = assert!(LARGEST == 3814);
