//! The line position of beat after beat.

use super::{PLACE_BITS, POSITION_BITS};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
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
/// beat it is 2 F words, and 1 or 2 more (LTPs of 33 or 34 words) behind the last one. A change of `place` is a step. The rows of the
/// next step are a register; `line` gets them twice, to its rows and to its rows modulo 4096, whose carry is the ALN row.
#[derive(LogicBlock)]
pub struct PositionStep {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// The next beat is the first one behind a start row, at place 0. At least one clock.
    pub clear: Signal<In, Bit>,
    /// Place of the beat in its LTP; moves by one.
    pub place: Signal<In, Bits<PLACE_BITS>>,
    /// LTPs have 34 words, else 33. Changes only while cleared.
    pub wide: Signal<In, Bit>,
    /// L - 1. Changes only while cleared.
    pub last_lane: Signal<In, Bits<2>>,
    /// Position of its first bit.
    pub position: Signal<Out, Bits<POSITION_BITS>>,

    place_before: DFF<Bits<PLACE_BITS>>,
    /// Row, ALN rows among them, and data row modulo 4096, of the beat before.
    line: DFF<Bits<LINE_BITS>>,
    /// Rows to the next beat.
    gain: DFF<Bits<STEP_BITS>>,
    /// Word of its row in which the next beat begins.
    word: DFF<Bits<2>>,
    moved: Signal<Local, Bit>,
    added: Signal<Local, Bits<LINE_BITS>>,
    here: Signal<Local, Bits<LINE_BITS>>,
    from: Signal<Local, Bits<2>>,
    is_last: Signal<Local, Bit>,
    words: Signal<Local, Bits<STEP_BITS>>,
    rows: Signal<Local, Bits<STEP_BITS>>,
    left: Signal<Local, Bits<STEP_BITS>>,
    fraction: Signal<Local, Bits<LINE_POSITION_FRACTION_BITS>>,
    last_place: Constant<Bits<PLACE_BITS>>,
    step_inside: Constant<Bits<STEP_BITS>>,
    step_last: Constant<Bits<STEP_BITS>>,
    step_last_wide: Constant<Bits<STEP_BITS>>,
    parts: Constant<Bits<16>>,
    /// 3, 6, 9, 12, and how many threes these are.
    threes: [Constant<Bits<STEP_BITS>>; 4],
    numbers: [Constant<Bits<STEP_BITS>>; 4],
}

impl PositionStep {
    /// For `flits` flits per beat: 1, 2 or 4.
    pub fn new(flits: usize) -> Self {
        let number = |value: usize| Bits::<STEP_BITS>::from(value as u64);
        let last = beats_per_ltp(flits) - 1;
        let behind_last = |mode| ltp_words(mode) - 2 * flits * last;
        Self {
            clock: Default::default(),
            clear: Default::default(),
            place: Default::default(),
            wide: Default::default(),
            last_lane: Default::default(),
            position: Default::default(),
            place_before: Default::default(),
            line: Default::default(),
            gain: Default::default(),
            word: Default::default(),
            moved: Default::default(),
            added: Default::default(),
            here: Default::default(),
            from: Default::default(),
            is_last: Default::default(),
            words: Default::default(),
            rows: Default::default(),
            left: Default::default(),
            fraction: Default::default(),
            last_place: Constant::new(number(last)),
            step_inside: Constant::new(number(2 * flits)),
            step_last: Constant::new(number(behind_last(CrcMode::Standard))),
            step_last_wide: Constant::new(number(behind_last(CrcMode::Overlapping48))),
            parts: Constant::new(u64::from((BIT_PARTS * flits).ilog2()).into()),
            threes: array::from_fn(|i| Constant::new(number(3 * (i + 1)))),
            numbers: array::from_fn(|i| Constant::new(number(i + 1))),
        }
    }

    /// Flits per beat.
    pub(super) fn flits(&self) -> usize {
        self.step_inside.val().index() / 2
    }
}

impl Logic for PositionStep {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, place_before, line, gain, word);
        // Where the beat is.
        self.moved.next = self.place.val() != self.place_before.q.val();
        self.added.next = bit_cast::<LINE_BITS, STEP_BITS>(self.gain.q.val())
            | (bit_cast::<LINE_BITS, STEP_BITS>(self.gain.q.val()) << 12);
        self.here.next = self.line.q.val();
        if self.moved.val() {
            self.here.next = self.line.q.val() + self.added.val();
        }
        self.fraction.next =
            bit_cast::<LINE_POSITION_FRACTION_BITS, PLACE_BITS>(self.place.val()) << self.parts.val();
        self.position.next = (bit_cast::<POSITION_BITS, LINE_POSITION_WORD_BITS>(
            self.here.val().get_bits::<LINE_POSITION_WORD_BITS>(12),
        ) << 8)
            | bit_cast::<POSITION_BITS, LINE_POSITION_FRACTION_BITS>(self.fraction.val());

        // How far it is to the next one.
        self.from.next = self.word.q.val();
        self.is_last.next = self.place.val() == self.last_place.val();
        if self.clear.val() {
            self.from.next = 0.into();
            self.is_last.next = false;
        }
        self.words.next = bit_cast::<STEP_BITS, 2>(self.from.val()) + self.step_inside.val();
        if self.is_last.val() {
            self.words.next = bit_cast::<STEP_BITS, 2>(self.from.val()) + self.step_last.val();
            if self.wide.val() {
                self.words.next = bit_cast::<STEP_BITS, 2>(self.from.val()) + self.step_last_wide.val();
            }
        }
        // Divided by L, with what is left.
        self.rows.next = self.words.val();
        self.left.next = 0.into();
        if self.last_lane.val() == 1 {
            self.rows.next = self.words.val() >> 1;
            self.left.next = bit_cast::<STEP_BITS, 1>(self.words.val().get_bits::<1>(0));
        }
        if self.last_lane.val() == 2 {
            self.rows.next = 0.into();
            self.left.next = self.words.val();
            for i in 0..4 {
                if self.words.val() >= self.threes[i].val() {
                    self.rows.next = self.numbers[i].val();
                    self.left.next = self.words.val() - self.threes[i].val();
                }
            }
        }
        if self.last_lane.val() == 3 {
            self.rows.next = self.words.val() >> 2;
            self.left.next = bit_cast::<STEP_BITS, 2>(self.words.val().get_bits::<2>(0));
        }

        self.place_before.d.next = self.place.val();
        self.line.d.next = self.here.val();
        if self.moved.val() | self.clear.val() {
            self.gain.d.next = self.rows.val();
            self.word.d.next = self.left.val().get_bits::<2>(0);
        }
        if self.clear.val() {
            self.place_before.d.next = 0.into();
            self.line.d.next = 0.into();
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("position_step", &[("f", self.flits().to_string())])
    }
}

drive_ports!(impl[] PositionStep { clock, clear, place, wide, last_lane, position });
