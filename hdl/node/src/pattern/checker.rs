//! Checker of numbered beats.

use super::{PatternBeat, BEAT_BITS};
use flitforge_hdl_prim::prelude::*;

/// Groups of bits compared in one pipeline stage.
const GROUPS: usize = 10;
/// Bits of a group.
const GROUP_BITS: usize = BEAT_BITS / GROUPS;

/// Compares every beat with the one its number calls for, and the number with that of the beat before.
///
/// `good`, `wrong` and `gap` are pulses of one clock, three clocks after the beat: `good` a beat with the right
/// content, `wrong` one with another content, `gap` a beat whose number does not follow the one before (after
/// clear, the first must be 0). `clear` empties the pipeline and expects beat 0.
#[block("pattern_checker")]
pub struct PatternChecker {
    /// Clock.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// Beats to check.
    pub beats: FlowIn<Bits<BEAT_BITS>>,
    /// A beat with the right content.
    good: Out<Bit>,
    /// A beat with another content than its number calls for.
    wrong: Out<Bit>,
    /// A beat whose number does not follow the one before.
    gap: Out<Bit>,
    pattern: PatternBeat,
    beat: Reg<Bits<BEAT_BITS>>,
    beat_valid: Reg<Bit>,
    following: Reg<Bits<32>>,
    different: Reg<Bits<GROUPS>>,
    jump: Reg<Bits<4>>,
    compared: Reg<Bit>,
    good_now: Reg<Bit>,
    wrong_now: Reg<Bit>,
    gap_now: Reg<Bit>,
}

#[logic]
impl PatternChecker {
    fn update(&mut self) {
        Out { data: beat, valid: beat_valid } = beats;

        pattern.number = beat.bits::<32>(0);
        let difference = beat ^ pattern.beat;
        let mut different_next: Bits<GROUPS> = 0;
        for i in 0..10 {
            different_next = different_next.with(i, difference.bits::<GROUP_BITS>(i * 13).any());
        }
        different = different_next;
        let distance = following ^ beat.bits::<32>(0);
        let mut jump_next: Bits<4> = 0;
        for i in 0..4 {
            jump_next = jump_next.with(i, distance.bits::<8>(i * 8).any());
        }
        jump = jump_next;
        compared = beat_valid;
        if beat_valid {
            following = beat.bits::<32>(0) + 1;
        }

        good_now = compared & !different.any();
        wrong_now = compared & different.any();
        gap_now = compared & jump.any();
        if clear {
            beat_valid = false;
            following = 0;
            compared = false;
            good_now = false;
            wrong_now = false;
            gap_now = false;
        }
        good = good_now;
        wrong = wrong_now;
        gap = gap_now;
    }
}
