//! The register of a CRC with the fewest clocks that hold 200 MHz, for the MAC.

use super::plan::{BytesPlan, GROUP_SUMS, WIDTH};
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::XorMatrix;

/// Bits of a word.
const WORD: usize = 64;
/// Sums of groups of a word.
const GROUPS: usize = WORD / 4 * GROUP_SUMS;
/// Sums of four groups each.
const QUARTERS: usize = 2 * WORD;

/// The state of a CRC, in the basis of [`BytesPlan`], two clocks after each word of 64 bits.
///
/// Octets that do not belong to the frame are zeros in `word`; the state is that after eight octets all the same. The other inputs come a clock
/// after the word.
#[block("crc_short_register", new)]
pub struct ShortCrcRegister {
    /// Rising edge counts.
    clock: In<Clock>,
    /// A word, octet 0 in bits 7:0.
    word: In<Bits<WORD>>,
    /// A clock later: the word counts, the register stands still else.
    counts: In<Bit>,
    /// With `counts`: the word is the first.
    first: In<Bit>,
    /// With `first`: `start` is the state after the word, whatever it is.
    replaces: In<Bit>,
    /// With `first`: what is added to the word's share.
    start: In<Bits<WIDTH>>,
    /// The state.
    state: Out<Bits<WIDTH>>,

    groups: XorMatrix<WORD, GROUPS>,
    quarters: XorMatrix<GROUPS, QUARTERS>,
    #[wire(d = _)]
    quarter_sum: Reg<Bits<QUARTERS>>,
    sums: XorMatrix<QUARTERS, WIDTH>,
    feedback: XorMatrix<WIDTH, WIDTH>,
    register: Reg<Bits<WIDTH>>,
}

#[logic]
impl ShortCrcRegister {
    /// With the matrices of a plan for 64 bits.
    pub fn new(plan: &BytesPlan) -> Result<Self, ConfigError> {
        Ok(Self {
            groups: XorMatrix::new(plan.groups.clone())?,
            quarters: XorMatrix::new(plan.quarters.clone())?,
            sums: XorMatrix::new(plan.sums.clone())?,
            feedback: XorMatrix::new(plan.feedback.clone())?,
            ..
        })
    }

    fn update(&mut self) {
        groups.data = word;
        quarters.data = groups.sum;
        quarter_sum = quarters.sum;
        sums.data = quarter_sum;
        feedback.data = register;
        let share = if first & replaces { 0 } else { sums.sum };
        let before = if first { start } else { feedback.sum };
        if counts {
            register = share ^ before;
        }
        state = register;
    }
}
