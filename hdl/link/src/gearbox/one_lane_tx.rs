//! Wire beats of 66 bits to words of one lane, shifted where a word leaves and not where a pair comes.

use super::{ROW_BITS, WIRE_BITS_1};
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::ram::Ram;

/// Bits of a wire beat in modes 0 and 1.
const NARROW_BITS: usize = 66;
/// Bits of a beat's address in the memory: eight pairs.
const ADDRESS_BITS: usize = 4;
/// Bits below a word that may belong to its row.
const BELOW_BITS: usize = 28;

/// What [`LinkGearboxTx1`](super::LinkGearboxTx1) does with `wide` and `last_lane` 0, clock for clock. The two inputs are there for the sake of
/// what takes either, and mean nothing.
///
/// Pair k of an LTP, 132 bits, begins 4k bits above a word: row j of its four is the 32 bits that end 4k bits below the top of its word j,
/// and the four bits left of pair 7 are the top of a fifth. So one shifter over {word, the 28 bits below it} makes every row. Two pairs and
/// a beat are held, as there; all of them in block RAM without output register, which is read a clock ahead.
#[block("link_gearbox_tx", f = 1, lanes = 1)]
pub struct LinkGearboxTxLane {
    /// Clock.
    clock: In<Clock>,
    /// Synchronous clear; the next beat is beat 0 of an LTP.
    clear: In<Bit>,
    /// 0.
    wide: In<Bit>,
    /// 0.
    last_lane: In<Bits<2>>,
    /// Wire beats; bits 66 and 67 are ignored.
    pub wire_in: StreamIn<Bits<WIRE_BITS_1>>,
    /// Rows: a word in bits 0..31, the others are 0.
    pub rows: StreamOut<Bits<ROW_BITS>>,

    #[init(Ram::direct())]
    #[wire(write_clock = clock, read_clock = clock, read_enable = true, output_enable = true)]
    memory: Ram<Bits<NARROW_BITS>, ADDRESS_BITS>,
    /// The first beat of a pair is there.
    half: Reg<Bit>,
    /// There is a whole pair after the one that is sent.
    newer_valid: Reg<Bit>,
    /// k of the pair that comes next, and of the one that is sent.
    pair_in: Reg<Bits<3>>,
    pair_out: Reg<Bits<3>>,
    /// A pair is sent.
    older_valid: Reg<Bit>,
    /// That pair has a fifth row; the next row is that one.
    has_fifth: Reg<Bit>,
    is_fifth: Reg<Bit>,
    /// j of the next row.
    offset: Reg<Bits<2>>,
    /// The bits below the next word.
    #[wire(clear = false)]
    below: Register<Bits<BELOW_BITS>>,
    /// The two bits of a pair's first beat that begin its third word.
    #[wire(clear = false)]
    between: Register<Bits<2>>,

    beat: Local<Bits<NARROW_BITS>>,
    pair_next: Local<Bits<3>>,
    offset_next: Local<Bits<2>>,
    room: Local<Bit>,
    accepts: Local<Bit>,
    take: Local<Bit>,
    row_taken: Local<Bit>,
}

#[logic]
impl LinkGearboxTxLane {
    fn update(&mut self) {
        // What goes on in this clock.
        let last = offset.all();
        let uses_up = last & !has_fifth;
        rows.valid = older_valid;
        row_taken = older_valid & rows.ready;
        let refill = newer_valid & (!older_valid | (rows.ready & uses_up));
        room = (!newer_valid | !older_valid) | (rows.ready & uses_up);
        accepts = !clear & (!half | room);
        wire_in.ready = accepts;
        take = half & wire_in.valid & room;

        // Beats into memory, by pair.
        memory.write_enable = wire_in.valid & accepts;
        memory.write_address = (bit_cast::<ADDRESS_BITS, 3>(pair_in) << 1).with(0, half);
        memory.write_data = wire_in.data.bits::<NARROW_BITS>(0);

        self.form_word(uses_up);
        self.hold_beats(last, uses_up, refill);
        if clear {
            half = false;
            newer_valid = false;
            older_valid = false;
            has_fifth = false;
            is_fifth = false;
            offset = 0;
            pair_in = 0;
            pair_out = 0;
        }
    }

    /// The word of the row, with what is below it.
    fn form_word(&mut self, uses_up: Bit) {
        beat = memory.read_data;
        between = beat.bits::<2>(64);
        between.enable = row_taken;
        let mut word = beat.bits::<32>(0);
        if offset[0] {
            word = beat.bits::<32>(32);
        }
        if offset[1] {
            word = (bit_cast::<32, 30>(beat.bits::<30>(0)) << 2) | bit_cast::<32, 2>(between);
            if offset[0] {
                word = beat.bits::<32>(30);
            }
        }
        below = word.bits::<BELOW_BITS>(4);
        if uses_up {
            below = beat.bits::<BELOW_BITS>(38);
        }
        below.enable = row_taken;
        let mut window = (bit_cast::<60, 32>(word) << 28) | bit_cast::<60, BELOW_BITS>(below);
        if is_fifth {
            window = (bit_cast::<60, 4>(beat.bits::<4>(62)) << 28) | bit_cast::<60, BELOW_BITS>(below);
        }
        // 28 - 4k bits down.
        let mut by_16 = window.bits::<44>(16);
        if pair_out[2] {
            by_16 = window.bits::<44>(0);
        }
        let mut by_8 = by_16.bits::<36>(8);
        if pair_out[1] {
            by_8 = by_16.bits::<36>(0);
        }
        let mut by_4 = by_8.bits::<32>(4);
        if pair_out[0] {
            by_4 = by_8.bits::<32>(0);
        }
        rows.data = bit_cast::<ROW_BITS, 32>(by_4);
    }

    /// What is here in the next clock.
    fn hold_beats(&mut self, last: Bit, uses_up: Bit, refill: Bit) {
        if wire_in.valid & accepts {
            half = !half;
        }
        offset_next = offset;
        pair_next = pair_out;
        if row_taken {
            offset_next = offset + 1;
            if last & has_fifth {
                offset_next = offset;
                has_fifth = false;
                is_fifth = true;
            }
            if uses_up {
                older_valid = false;
                is_fifth = false;
                pair_next = pair_out + 1;
            }
        }
        offset = offset_next;
        pair_out = pair_next;
        memory.read_address = (bit_cast::<ADDRESS_BITS, 3>(pair_next) << 1).with(0, offset_next[1]);
        if refill {
            older_valid = true;
            // `pair_in` is that of the pair after this one.
            has_fifth = !pair_in.any();
            newer_valid = false;
        }
        if take {
            newer_valid = true;
            pair_in = pair_in + 1;
        }
    }
}
