//! The line position of beat after beat.

use super::{PLACE_BITS, POSITION_BITS};
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::beat::beats_per_ltp;
use flitforge_protocol::lane_word::{
    ALN_INTERVAL_ROWS, LINE_POSITION_FRACTION_BITS, LINE_POSITION_WORD_BITS,
};
use flitforge_protocol::ltp::{ltp_words, CrcMode, WORD_BITS};
use std::array;

/// Bits of a data row within the rows between two ALN rows.
const ROW_BITS: usize = 12;
const _: () = assert!(1 << ROW_BITS == ALN_INTERVAL_ROWS, "rows between ALN rows are counted by wrapping");
/// Bits of the count of lines: rows, ALN rows among them, over data rows modulo 4096.
const LINE_BITS: usize = LINE_POSITION_WORD_BITS + ROW_BITS;
/// Bits of the words, and of the rows, from one beat to the next.
const STEP_BITS: usize = 4;
/// 1/256 words in a bit.
const BIT_PARTS: usize = (1 << LINE_POSITION_FRACTION_BITS) / WORD_BITS;

/// Where the beat at `place` of its LTP begins, counted from `clear`; see the [module](super).
///
/// Beat k of F flits begins in bit F k of word 2 F k of its LTP, as 65 F k = 32 * 2 F k + F k, and F k is below 16. So from beat to
/// beat it is 2 F words, and 1 or 2 more (LTPs of 33 or 34 words) after the last one. A change of `place` is a step. The rows of the
/// next step are a register; `line` gets them twice, to its rows and to its rows modulo 4096, whose carry is the ALN row.
#[block(new)]
pub struct PositionStep {
    /// Rising edge counts.
    clock: In<Clock>,
    /// The next beat is the first one after a start row, at place 0. At least one clock.
    clear: In<Bit>,
    /// Place of the beat in its LTP; moves by one.
    place: In<Bits<PLACE_BITS>>,
    /// LTPs have 34 words, else 33. Changes only while cleared.
    wide: In<Bit>,
    /// L - 1. Changes only while cleared.
    last_lane: In<Bits<2>>,
    /// Position of its first bit.
    position: Out<Bits<POSITION_BITS>>,

    place_before: Reg<Bits<PLACE_BITS>>,
    /// Row, ALN rows among them, and data row modulo 4096, of the beat before.
    line: Reg<Bits<LINE_BITS>>,
    /// Rows to the next beat.
    gain: Reg<Bits<STEP_BITS>>,
    /// Word of its row in which the next beat begins.
    word: Reg<Bits<2>>,
    moved: Local<Bit>,
    added: Local<Bits<LINE_BITS>>,
    here: Local<Bits<LINE_BITS>>,
    from: Local<Bits<2>>,
    is_last: Local<Bit>,
    words: Local<Bits<STEP_BITS>>,
    rows: Local<Bits<STEP_BITS>>,
    left: Local<Bits<STEP_BITS>>,
    last_place: Constant<Bits<PLACE_BITS>>,
    step_inside: Constant<Bits<STEP_BITS>>,
    step_last: Constant<Bits<STEP_BITS>>,
    step_last_wide: Constant<Bits<STEP_BITS>>,
    parts: Constant<Bits<16>>,
    /// 3, 6, 9, 12, and how many threes these are.
    threes: [Constant<Bits<STEP_BITS>>; 4],
    numbers: [Constant<Bits<STEP_BITS>>; 4],
}

#[logic]
impl PositionStep {
    /// For `flits` flits per beat: 1, 2 or 4.
    pub fn new(flits: usize) -> Self {
        let number = |value: usize| Bits::<STEP_BITS>::from(value as u64);
        let last = beats_per_ltp(flits) - 1;
        let after_last = |mode| ltp_words(mode) - 2 * flits * last;
        Self {
            last_place: Constant::new(number(last)),
            step_inside: Constant::new(number(2 * flits)),
            step_last: Constant::new(number(after_last(CrcMode::Standard))),
            step_last_wide: Constant::new(number(after_last(CrcMode::Overlapping48))),
            parts: Constant::new(u64::from((BIT_PARTS * flits).ilog2()).into()),
            threes: array::from_fn(|i| Constant::new(number(3 * (i + 1)))),
            numbers: array::from_fn(|i| Constant::new(number(i + 1))),
            ..
        }
    }

    /// Flits per beat.
    pub(super) fn flits(&self) -> usize {
        self.step_inside.val().index() / 2
    }

    fn update(&mut self) {
        // Where the beat is.
        moved = place != place_before;
        added = bit_cast::<LINE_BITS, STEP_BITS>(gain) | (bit_cast::<LINE_BITS, STEP_BITS>(gain) << 12);
        here = line;
        if moved {
            here = line + added;
        }
        let fraction = bit_cast::<LINE_POSITION_FRACTION_BITS, PLACE_BITS>(place) << parts;
        position =
            (bit_cast::<POSITION_BITS, LINE_POSITION_WORD_BITS>(here.bits::<LINE_POSITION_WORD_BITS>(12))
                << 8)
                | bit_cast::<POSITION_BITS, LINE_POSITION_FRACTION_BITS>(fraction);

        // How far it is to the next one.
        from = word;
        is_last = place == last_place;
        if clear {
            from = 0;
            is_last = false;
        }
        words = bit_cast::<STEP_BITS, 2>(from) + step_inside;
        if is_last {
            words = bit_cast::<STEP_BITS, 2>(from) + step_last;
            if wide {
                words = bit_cast::<STEP_BITS, 2>(from) + step_last_wide;
            }
        }
        // Divided by L, with what is left.
        rows = words;
        left = 0;
        if last_lane == 1 {
            rows = words >> 1;
            left = bit_cast::<STEP_BITS, 1>(words.bits::<1>(0));
        }
        if last_lane == 2 {
            rows = 0;
            left = words;
            for i in 0..4 {
                if words >= threes[i] {
                    rows = numbers[i];
                    left = words - threes[i];
                }
            }
        }
        if last_lane == 3 {
            rows = words >> 2;
            left = bit_cast::<STEP_BITS, 2>(words.bits::<2>(0));
        }

        place_before = place;
        line = here;
        if moved | clear {
            gain = rows;
            word = left.bits::<2>(0);
        }
        if clear {
            place_before = 0;
            line = 0;
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("position_step", &[("f", self.flits().to_string())])
    }
}
