//! Whether a Low's era counts.

use flitforge_hdl_prim::prelude::*;

/// ERA_CUR of a tree (chapter 20, 4.7 rule 3). Verdict and ERA_CUR follow a clock after `check`; the verdict holds until
/// the next one. `clear` forgets ERA_CUR.
#[block("era_check")]
pub struct EraCheck {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// `era_in` is that of a Low.
    check: In<Bit>,
    /// Era of a Low.
    era_in: In<Bits<2>>,
    /// Offset banks that are valid.
    offset_valid: In<Bits<2>>,
    /// ERA_CUR.
    era: Out<Bits<2>>,
    /// ERA_CUR is known.
    known: Out<Bit>,
    /// The era before ERA_CUR: OLD_ERA.
    old: Out<Bit>,
    /// Two eras ahead, or its offset is not valid: BAD_ERA.
    bad: Out<Bit>,
    /// ERA_CUR moved on.
    moved: Out<Bit>,
    current: Reg<Bits<2>>,
    is_known: Reg<Bit>,
    is_old: Reg<Bit>,
    is_bad: Reg<Bit>,
    is_moved: Reg<Bit>,
    #[init(1)]
    ahead_one: Constant<Bits<2>>,
    #[init(2)]
    ahead_two: Constant<Bits<2>>,
    #[init(3)]
    one_behind: Constant<Bits<2>>,
}

#[logic]
impl EraCheck {
    fn update(&mut self) {
        let mut step: Bits<2> = 0;
        if is_known {
            step = era_in - current;
        }
        let mut bank_valid = offset_valid[0];
        if era_in[0] {
            bank_valid = offset_valid[1];
        }
        let is_still_old = step == one_behind;
        let is_still_bad = !is_still_old & (!bank_valid | (step == ahead_two));
        if check {
            is_old = is_still_old;
            is_bad = is_still_bad;
            is_moved = !is_still_bad & (step == ahead_one);
            if !is_still_old & !is_still_bad {
                current = era_in;
                is_known = true;
            }
        }
        if clear {
            current = 0;
            is_known = false;
        }
        era = current;
        known = is_known;
        old = is_old;
        bad = is_bad;
        moved = is_moved;
    }
}
