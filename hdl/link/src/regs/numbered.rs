//! The words of which there are several: a lane's, a virtual lane's.

use super::WORD_ADDRESS_BITS;
use crate::degrade::DEBT_BITS;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::lane_word::MAX_LANES;
use flitforge_protocol::link_registers::{lane, CRED, LANE};
use flitforge_protocol::register::BYTES;

/// Bits of the number of a lane.
const LANE_BITS: usize = 2;
/// Bits of the number of a virtual lane.
const VL_BITS: usize = 4;

/// What LANE and CRED show besides counters; 0 for another word. Combinational.
#[block("regs_numbered", new)]
pub struct RegsNumbered {
    /// Word of the page.
    word: In<Bits<WORD_ADDRESS_BITS>>,
    /// Levels of the buckets.
    debt: [In<Bits<DEBT_BITS>>; MAX_LANES],
    /// Virtual lane whose credits are wanted.
    credit_select: Out<Bits<VL_BITS>>,
    /// Register CRED of that virtual lane.
    credit_word: In<Bits<48>>,
    /// The word's value.
    value: Out<Bits<64>>,
    /// Number of the first LANE and CRED in words of their kind.
    lane_words: Constant<Bits<5>>,
    credit_words: Constant<Bits<3>>,
}

#[logic]
impl RegsNumbered {
    /// At the places of the table.
    pub fn of_page() -> Self {
        let group = |offset: u32, bits: usize| u64::from(offset / BYTES) >> bits;
        Self {
            lane_words: Constant::new(group(LANE, LANE_BITS).into()),
            credit_words: Constant::new(group(CRED, VL_BITS).into()),
            ..
        }
    }

    fn update(&mut self) {
        credit_select = word.bits::<VL_BITS>(0);
        let number = word.bits::<LANE_BITS>(0);
        let mut debt_now = debt[0];
        for i in 1..MAX_LANES {
            if number == i {
                debt_now = debt[i];
            }
        }
        value = 0;
        if word.bits::<5>(LANE_BITS) == lane_words {
            value = bit_cast::<64, DEBT_BITS>(debt_now) << lane::debt::LOW;
        }
        if word.bits::<3>(VL_BITS) == credit_words {
            value = bit_cast::<64, 48>(credit_word);
        }
    }
}

const _: () = assert!(MAX_LANES == 1 << LANE_BITS);
