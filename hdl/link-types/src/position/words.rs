//! Words after the start row.

use super::WORD_COUNT_BITS;
use flitforge_hdl_prim::prelude::*;

/// Counts the words of one lane after its start row, those before the clock before this one. The count stands until the
/// next start row. What came is kept for a clock, since a word says late what it is, and the count is long.
#[block("position_words")]
pub struct WordCount {
    /// Rising edge counts.
    clock: In<Clock>,
    /// A start row is waited for.
    arm: In<Bit>,
    /// A word goes by.
    word: In<Bit>,
    /// It is that of a start row.
    start: In<Bit>,
    /// The count.
    count: Out<Bits<WORD_COUNT_BITS>>,

    words: Reg<Bits<WORD_COUNT_BITS>>,
    armed: Reg<Bit>,
    arms: Reg<Bit>,
    received: Reg<Bit>,
    starts: Reg<Bit>,
}

#[logic]
impl WordCount {
    fn update(&mut self) {
        arms = arm;
        received = word;
        starts = word & start;
        if received {
            words = words + 1;
        }
        if starts & armed {
            words = 0;
            armed = false;
        }
        if arms {
            armed = true;
        }
        count = words;
    }
}
