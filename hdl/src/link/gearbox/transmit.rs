//! Wire beats of two flits to rows: alignment to words, then words to rows.

use super::{ROW_BITS, WIRE_BITS_2};
use crate::prim::stream::{StreamIn, StreamOut};
use crate::prim::Register;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;

/// Gearbox of the sender for F = 2; see the [module](super).
///
/// Beat k of an LTP starts 4k (wide: 8k) bits into a word. `tail` keeps the top word of the last beat, so that
/// one shift of {beat, tail} by eight positions gives four aligned words per beat (`behind`); the beat that
/// completes a fifth word has it in `tail`. Rows are cut out of the older beat (`ahead`, at word `offset`),
/// its fifth word (`extra`) and the newer beat. A fifth word that would be alone in `ahead` moves to its top
/// place, so the offset never exceeds 3.
#[derive(LogicBlock)]
pub struct LinkGearboxTx {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear; the next beat is beat 0 of an LTP.
    pub clear: Signal<In, Bit>,
    /// Beats have 136 bits (modes 2 and 3), else 132. Changes only while cleared.
    pub wide: Signal<In, Bit>,
    /// L - 1. Changes only while cleared.
    pub last_lane: Signal<In, Bits<2>>,
    /// Wire beats; bits 132..135 are ignored unless `wide`.
    pub wire_in: StreamIn<Bits<WIRE_BITS_2>>,
    /// Rows: word i in bits 32i..32i+31, words L and up are 0.
    pub rows: StreamOut<Bits<ROW_BITS>>,

    beat_index: DFF<Bits<3>>,
    behind_valid: DFF<Bit>,
    behind_fifth: DFF<Bit>,
    behind: [Register<Bits<32>>; 4],
    tail: Register<Bits<32>>,
    ahead_valid: DFF<Bit>,
    ahead_fifth: DFF<Bit>,
    ahead: [Register<Bits<32>>; 4],
    extra: Register<Bits<32>>,
    offset: DFF<Bits<2>>,
    /// Place behind the last word of the next row, `offset` + L.
    end: DFF<Bits<3>>,
    /// The next row uses up all words of `ahead`. A register, as it decides what a late `rows.ready` means for the input.
    uses_up: DFF<Bit>,
    /// `ahead` has all words of the next row. A register, as much hangs on whether a row is offered.
    enough: DFF<Bit>,

    one: Constant<Bits<3>>,
    three: Constant<Bits<2>>,
    five: Constant<Bits<3>>,
    shift: Signal<Local, Bits<3>>,
    window: Signal<Local, Bits<156>>,
    by_16: Signal<Local, Bits<140>>,
    by_8: Signal<Local, Bits<132>>,
    aligned: Signal<Local, Bits<128>>,
    line: [Signal<Local, Bits<32>>; 7],
    by_two_words: [Signal<Local, Bits<32>>; 5],
    by_one_word: [Signal<Local, Bits<32>>; 4],
    end_low: Signal<Local, Bits<2>>,
    lanes: Signal<Local, Bits<3>>,
    next_offset: Signal<Local, Bits<2>>,
    row_valid: Signal<Local, Bit>,
    row_taken: Signal<Local, Bit>,
    fifth_alone: Signal<Local, Bit>,
    end_held: Signal<Local, Bits<3>>,
    end_moved: Signal<Local, Bits<3>>,
    fifth_held: Signal<Local, Bit>,
    fifth_moved: Signal<Local, Bit>,
    empty: Signal<Local, Bit>,
    tops: Signal<Local, Bit>,
    spent: Signal<Local, Bit>,
    tuck: Signal<Local, Bit>,
    refill: Signal<Local, Bit>,
    room: Signal<Local, Bit>,
    take: Signal<Local, Bit>,
}

impl Default for LinkGearboxTx {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            clear: Default::default(),
            wide: Default::default(),
            last_lane: Default::default(),
            wire_in: Default::default(),
            rows: Default::default(),
            beat_index: Default::default(),
            behind_valid: Default::default(),
            behind_fifth: Default::default(),
            behind: Default::default(),
            tail: Default::default(),
            ahead_valid: Default::default(),
            ahead_fifth: Default::default(),
            ahead: Default::default(),
            extra: Default::default(),
            offset: Default::default(),
            one: Constant::new(1.into()),
            three: Constant::new(3.into()),
            five: Constant::new(5.into()),
            shift: Default::default(),
            window: Default::default(),
            by_16: Default::default(),
            by_8: Default::default(),
            aligned: Default::default(),
            line: Default::default(),
            by_two_words: Default::default(),
            by_one_word: Default::default(),
            end: Default::default(),
            end_low: Default::default(),
            lanes: Default::default(),
            next_offset: Default::default(),
            row_valid: Default::default(),
            enough: Default::default(),
            row_taken: Default::default(),
            fifth_alone: Default::default(),
            uses_up: Default::default(),
            end_held: Default::default(),
            end_moved: Default::default(),
            fifth_held: Default::default(),
            fifth_moved: Default::default(),
            empty: Default::default(),
            tops: Default::default(),
            spent: Default::default(),
            tuck: Default::default(),
            refill: Default::default(),
            room: Default::default(),
            take: Default::default(),
        }
    }
}

impl Logic for LinkGearboxTx {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            beat_index,
            behind_valid,
            behind_fifth,
            ahead_valid,
            ahead_fifth,
            offset,
            end,
            uses_up,
            enough
        );
        for i in 0..4 {
            self.behind[i].clock.next = self.clock.val();
            self.ahead[i].clock.next = self.clock.val();
            self.behind[i].clear.next = false;
            self.ahead[i].clear.next = false;
        }
        clock!(self, clock, tail, extra);
        self.tail.clear.next = false;
        self.extra.clear.next = false;

        // Alignment: {beat, tail} >> 32 - 4 shift, of which the last four places are always wanted.
        self.shift.next = self.beat_index.q.val();
        if self.wide.val() {
            self.shift.next = self.beat_index.q.val() << 1;
        }
        self.window.next = (bit_cast::<156, 128>(self.wire_in.data.val().get_bits::<128>(0)) << 28)
            | bit_cast::<156, 28>(self.tail.q.val().get_bits::<28>(4));
        self.by_16.next = self.window.val().get_bits::<140>(16);
        if self.shift.val().get_bit(2) {
            self.by_16.next = self.window.val().get_bits::<140>(0);
        }
        self.by_8.next = self.by_16.val().get_bits::<132>(8);
        if self.shift.val().get_bit(1) {
            self.by_8.next = self.by_16.val().get_bits::<132>(0);
        }
        self.aligned.next = self.by_8.val().get_bits::<128>(4);
        if self.shift.val().get_bit(0) {
            self.aligned.next = self.by_8.val().get_bits::<128>(0);
        }

        // Row: L words from `offset` in the line of ahead, its fifth word if any, and behind.
        for i in 0..4 {
            self.line[i].next = self.ahead[i].q.val();
        }
        self.line[4].next = self.behind[0].q.val();
        self.line[5].next = self.behind[1].q.val();
        self.line[6].next = self.behind[2].q.val();
        if self.ahead_fifth.q.val() {
            self.line[4].next = self.extra.q.val();
            self.line[5].next = self.behind[0].q.val();
            self.line[6].next = self.behind[1].q.val();
        }
        for i in 0..5 {
            self.by_two_words[i].next = self.line[i].val();
            if self.offset.q.val().get_bit(1) {
                self.by_two_words[i].next = self.line[i + 2].val();
            }
        }
        for i in 0..4 {
            self.by_one_word[i].next = self.by_two_words[i].val();
            if self.offset.q.val().get_bit(0) {
                self.by_one_word[i].next = self.by_two_words[i + 1].val();
            }
            if self.last_lane.val().index() < i {
                self.by_one_word[i].next = 0.into();
            }
        }
        self.rows.data.next = (bit_cast::<ROW_BITS, 32>(self.by_one_word[3].val()) << 96)
            | (bit_cast::<ROW_BITS, 32>(self.by_one_word[2].val()) << 64)
            | (bit_cast::<ROW_BITS, 32>(self.by_one_word[1].val()) << 32)
            | bit_cast::<ROW_BITS, 32>(self.by_one_word[0].val());

        self.row_valid.next = self.ahead_valid.q.val() & (self.behind_valid.q.val() | self.enough.q.val());
        self.rows.valid.next = self.row_valid.val();
        self.row_taken.next = self.row_valid.val() & self.rows.ready.val();

        // Where the next row starts.
        self.lanes.next = bit_cast::<3, 2>(self.last_lane.val()) + self.one.val();
        self.end_low.next = self.end.q.val().get_bits::<2>(0);
        self.fifth_alone.next =
            self.end.q.val().get_bit(2) & self.ahead_fifth.q.val() & !self.end_low.val().any();
        self.tuck.next = self.row_taken.val() & self.fifth_alone.val();
        self.spent.next = self.row_taken.val() & self.uses_up.q.val();
        // With both beats here there is a row, and so there is one with a fifth word that would be alone: whether there is
        // one need not be asked. `rows.ready` comes late, so what it decides is ready for it.
        self.empty.next = self.behind_valid.q.val() & !self.ahead_valid.q.val();
        self.refill.next =
            self.empty.val() | (self.rows.ready.val() & (self.behind_valid.q.val() & self.uses_up.q.val()));
        // What stands in an empty `ahead` means nothing.
        self.tops.next = (self.behind_valid.q.val() & self.uses_up.q.val()) | self.fifth_alone.val();
        self.room.next = (!self.behind_valid.q.val() | !self.ahead_valid.q.val())
            | (self.rows.ready.val() & self.uses_up.q.val());
        self.wire_in.ready.next = self.room.val() & !self.clear.val();
        self.take.next = self.wire_in.valid.val() & self.room.val();

        self.next_offset.next = self.end_low.val();
        if self.end.q.val().get_bit(2) & self.ahead_fifth.q.val() {
            self.next_offset.next = self.end_low.val() - 1;
        }
        // Anew in every clock: `last_lane` may come a clock behind `clear`. Both outcomes, then the late choice.
        self.end_held.next = bit_cast::<3, 2>(self.offset.q.val()) + self.lanes.val();
        self.end_moved.next = bit_cast::<3, 2>(self.next_offset.val()) + self.lanes.val();
        self.fifth_held.next = self.ahead_fifth.q.val();
        if self.empty.val() {
            self.fifth_held.next = self.behind_fifth.q.val();
        }
        self.fifth_moved.next = self.ahead_fifth.q.val() & !self.fifth_alone.val();
        if self.behind_valid.q.val() & self.uses_up.q.val() {
            self.fifth_moved.next = self.behind_fifth.q.val();
        }
        self.end.d.next = self.end_held.val();
        self.uses_up.d.next = self.end_held.val().get_bit(2)
            & (!self.fifth_held.val() | self.end_held.val().get_bits::<2>(0).any());
        self.enough.d.next = (!self.end_held.val().get_bit(2) | !self.end_held.val().get_bits::<2>(0).any())
            | (self.fifth_held.val() & (self.end_held.val() == self.five.val()));
        if self.row_taken.val() {
            self.offset.d.next = self.next_offset.val();
            self.end.d.next = self.end_moved.val();
            self.uses_up.d.next = self.end_moved.val().get_bit(2)
                & (!self.fifth_moved.val() | self.end_moved.val().get_bits::<2>(0).any());
            self.enough.d.next = (!self.end_moved.val().get_bit(2)
                | !self.end_moved.val().get_bits::<2>(0).any())
                | (self.fifth_moved.val() & (self.end_moved.val() == self.five.val()));
        }
        if self.spent.val() {
            self.ahead_valid.d.next = false;
        }
        if self.refill.val() {
            self.ahead_valid.d.next = true;
            self.ahead_fifth.d.next = self.behind_fifth.q.val();
            self.behind_valid.d.next = false;
        }
        if self.tuck.val() {
            self.ahead_fifth.d.next = false;
        }
        for i in 0..4 {
            self.ahead[i].d.next = self.behind[i].q.val();
            self.ahead[i].enable.next = self.refill.val();
            self.behind[i].enable.next = self.take.val();
        }
        self.ahead[3].enable.next = !self.ahead_valid.q.val() | (self.rows.ready.val() & self.tops.val());
        if self.fifth_alone.val() & self.ahead_valid.q.val() {
            self.ahead[3].d.next = self.extra.q.val();
        }
        self.extra.d.next = self.tail.q.val();
        self.extra.enable.next = self.refill.val();

        self.behind[0].d.next = self.aligned.val().get_bits::<32>(0);
        self.behind[1].d.next = self.aligned.val().get_bits::<32>(32);
        self.behind[2].d.next = self.aligned.val().get_bits::<32>(64);
        self.behind[3].d.next = self.aligned.val().get_bits::<32>(96);
        self.tail.d.next = self.wire_in.data.val().get_bits::<32>(100);
        if self.wide.val() {
            self.tail.d.next = self.wire_in.data.val().get_bits::<32>(104);
        }
        self.tail.enable.next = self.take.val();
        if self.take.val() {
            self.beat_index.d.next = self.beat_index.q.val() + 1;
            self.behind_valid.d.next = true;
            self.behind_fifth.d.next = (self.shift.val().get_bits::<2>(1) == self.three.val())
                & (self.wide.val() | self.shift.val().get_bit(0));
        }
        if self.clear.val() {
            self.beat_index.d.next = 0.into();
            self.behind_valid.d.next = false;
            self.ahead_valid.d.next = false;
            self.ahead_fifth.d.next = false;
            self.offset.d.next = 0.into();
            self.end.d.next = self.lanes.val();
            self.uses_up.d.next = self.lanes.val().get_bit(2);
            self.enough.d.next = true;
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("link_gearbox_tx", &[("f", "2".into())])
    }
}

drive_ports!(impl[] LinkGearboxTx { clock, clear, wide, last_lane, wire_in, rows });
