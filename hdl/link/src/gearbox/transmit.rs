//! Wire beats of two flits to rows: alignment to words, then words to rows.

use super::{ROW_BITS, WIRE_BITS_2};
use flitforge_hdl_prim::prelude::*;

/// Gearbox of the sender for F = 2; see the [module](super).
///
/// Beat k of an LTP starts 4k (wide: 8k) bits into a word. `tail` keeps the top word of the last beat, so that
/// one shift of {beat, tail} by eight positions gives four aligned words per beat (`newer`); the beat that
/// completes a fifth word has it in `tail`. Rows are cut out of the older beat (`older`, at word `offset`),
/// its fifth word (`extra`) and the newer beat. A fifth word that would be alone in `older` moves to its top
/// place, so the offset never exceeds 3.
#[block("link_gearbox_tx", f = 2)]
pub struct LinkGearboxTx {
    /// Clock.
    clock: In<Clock>,
    /// Synchronous clear; the next beat is beat 0 of an LTP.
    clear: In<Bit>,
    /// Beats have 136 bits (modes 2 and 3), else 132. Changes only while cleared.
    wide: In<Bit>,
    /// L - 1. Changes only while cleared.
    last_lane: In<Bits<2>>,
    /// Wire beats; bits 132..135 are ignored unless `wide`.
    pub wire_in: StreamIn<Bits<WIRE_BITS_2>>,
    /// Rows: word i in bits 32i..32i+31, words L and up are 0.
    pub rows: StreamOut<Bits<ROW_BITS>>,

    beat_index: Reg<Bits<3>>,
    newer_valid: Reg<Bit>,
    newer_fifth: Reg<Bit>,
    newer: [Register<Bits<32>>; 4],
    #[wire(clear = false)]
    tail: Register<Bits<32>>,
    older_valid: Reg<Bit>,
    older_fifth: Reg<Bit>,
    older: [Register<Bits<32>>; 4],
    #[wire(clear = false)]
    extra: Register<Bits<32>>,
    offset: Reg<Bits<2>>,
    /// Place after the last word of the next row, `offset` + L.
    end: Reg<Bits<3>>,
    /// The next row uses up all words of `older`. A register, as it decides what a late `rows.ready` means for the input.
    uses_up: Reg<Bit>,
    /// `older` has all words of the next row. A register, as much hangs on whether a row is offered.
    enough: Reg<Bit>,

    #[init(1)]
    one: Constant<Bits<3>>,
    #[init(3)]
    three: Constant<Bits<2>>,
    #[init(5)]
    five: Constant<Bits<3>>,
    shift: Local<Bits<3>>,
    window: Local<Bits<156>>,
    by_16: Local<Bits<140>>,
    by_8: Local<Bits<132>>,
    aligned: Local<Bits<128>>,
    line: [Local<Bits<32>>; 7],
    by_two_words: [Local<Bits<32>>; 5],
    by_one_word: [Local<Bits<32>>; 4],
    end_low: Local<Bits<2>>,
    lanes: Local<Bits<3>>,
    next_offset: Local<Bits<2>>,
    row_valid: Local<Bit>,
    row_taken: Local<Bit>,
    fifth_alone: Local<Bit>,
    end_held: Local<Bits<3>>,
    end_moved: Local<Bits<3>>,
    fifth_held: Local<Bit>,
    fifth_moved: Local<Bit>,
    empty: Local<Bit>,
    tops: Local<Bit>,
    spent: Local<Bit>,
}

#[logic]
impl LinkGearboxTx {
    fn update(&mut self) {
        for i in 0..4 {
            newer[i].clear = false;
            older[i].clear = false;
        }

        self.align();
        self.form_row();
        let (tuck, refill, take) = self.move_row();
        self.find_end();
        if spent {
            older_valid = false;
        }
        if refill {
            older_valid = true;
            older_fifth = newer_fifth;
            newer_valid = false;
        }
        if tuck {
            older_fifth = false;
        }
        for i in 0..4 {
            older[i] = newer[i];
            older[i].enable = refill;
            newer[i].enable = take;
        }
        older[3].enable = !older_valid | (rows.ready & tops);
        if fifth_alone & older_valid {
            older[3] = extra;
        }
        extra = tail;
        extra.enable = refill;

        newer[0] = aligned.bits::<32>(0);
        newer[1] = aligned.bits::<32>(32);
        newer[2] = aligned.bits::<32>(64);
        newer[3] = aligned.bits::<32>(96);
        tail = wire_in.data.bits::<32>(100);
        if wide {
            tail = wire_in.data.bits::<32>(104);
        }
        tail.enable = take;
        if take {
            beat_index = beat_index + 1;
            newer_valid = true;
            newer_fifth = (shift.bits::<2>(1) == three) & (wide | shift[0]);
        }
        if clear {
            beat_index = 0;
            newer_valid = false;
            older_valid = false;
            older_fifth = false;
            offset = 0;
            end = lanes;
            uses_up = lanes[2];
            enough = true;
        }
    }

    /// Alignment: {beat, tail} >> 32 - 4 shift, of which the last four places are always wanted.
    fn align(&mut self) {
        shift = beat_index;
        if wide {
            shift = beat_index << 1;
        }
        window = (bit_cast::<156, 128>(wire_in.data.bits::<128>(0)) << 28)
            | bit_cast::<156, 28>(tail.bits::<28>(4));
        by_16 = window.bits::<140>(16);
        if shift[2] {
            by_16 = window.bits::<140>(0);
        }
        by_8 = by_16.bits::<132>(8);
        if shift[1] {
            by_8 = by_16.bits::<132>(0);
        }
        aligned = by_8.bits::<128>(4);
        if shift[0] {
            aligned = by_8.bits::<128>(0);
        }
    }

    /// Row: L words from `offset` in the line of ahead, its fifth word if any, and behind.
    fn form_row(&mut self) {
        for i in 0..4 {
            line[i] = older[i];
        }
        line[4] = newer[0];
        line[5] = newer[1];
        line[6] = newer[2];
        if older_fifth {
            line[4] = extra;
            line[5] = newer[0];
            line[6] = newer[1];
        }
        for i in 0..5 {
            by_two_words[i] = line[i];
            if offset[1] {
                by_two_words[i] = line[i + 2];
            }
        }
        for i in 0..4 {
            by_one_word[i] = by_two_words[i];
            if offset[0] {
                by_one_word[i] = by_two_words[i + 1];
            }
            if last_lane < i {
                by_one_word[i] = 0;
            }
        }
        rows.data = (bit_cast::<ROW_BITS, 32>(by_one_word[3]) << 96)
            | (bit_cast::<ROW_BITS, 32>(by_one_word[2]) << 64)
            | (bit_cast::<ROW_BITS, 32>(by_one_word[1]) << 32)
            | bit_cast::<ROW_BITS, 32>(by_one_word[0]);

        row_valid = older_valid & (newer_valid | enough);
        rows.valid = row_valid;
        row_taken = row_valid & rows.ready;
    }

    /// Where the next row starts.
    fn move_row(&mut self) -> (Bit, Bit, Bit) {
        lanes = bit_cast::<3, 2>(last_lane) + one;
        end_low = end.bits::<2>(0);
        fifth_alone = end[2] & older_fifth & !end_low.any();
        let tuck = row_taken & fifth_alone;
        spent = row_taken & uses_up;
        // With both beats here there is a row, and so there is one with a fifth word that would be alone: whether there is
        // one need not be asked. `rows.ready` comes late, so what it decides is ready for it.
        empty = newer_valid & !older_valid;
        let refill = empty | (rows.ready & (newer_valid & uses_up));
        // What stands in an empty `older` means nothing.
        tops = (newer_valid & uses_up) | fifth_alone;
        let room = (!newer_valid | !older_valid) | (rows.ready & uses_up);
        wire_in.ready = room & !clear;
        let take = wire_in.valid & room;
        (tuck, refill, take)
    }

    /// Where the row after this one ends.
    fn find_end(&mut self) {
        next_offset = end_low;
        if end[2] & older_fifth {
            next_offset = end_low - 1;
        }
        // Anew in every clock: `last_lane` may come a clock after `clear`. Both outcomes, then the late choice.
        end_held = bit_cast::<3, 2>(offset) + lanes;
        end_moved = bit_cast::<3, 2>(next_offset) + lanes;
        fifth_held = older_fifth;
        if empty {
            fifth_held = newer_fifth;
        }
        fifth_moved = older_fifth & !fifth_alone;
        if newer_valid & uses_up {
            fifth_moved = newer_fifth;
        }
        end = end_held;
        uses_up = end_held[2] & (!fifth_held | end_held.bits::<2>(0).any());
        enough = (!end_held[2] | !end_held.bits::<2>(0).any()) | (fifth_held & (end_held == five));
        if row_taken {
            offset = next_offset;
            end = end_moved;
            uses_up = end_moved[2] & (!fifth_moved | end_moved.bits::<2>(0).any());
            enough = (!end_moved[2] | !end_moved.bits::<2>(0).any()) | (fifth_moved & (end_moved == five));
        }
    }
}
