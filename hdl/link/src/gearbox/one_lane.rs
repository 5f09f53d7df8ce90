//! Words of one lane to wire beats of 66 bits, without the shifters that lanes to choose from need.

use super::{ROW_BITS, WIRE_BITS_1};
use flitforge_hdl_prim::prelude::*;

/// Bits of a wire beat in modes 0 and 1.
const NARROW_BITS: usize = 66;

/// What [`LinkGearboxRx1`](super::LinkGearboxRx1) does with `wide` and `last_lane` 0, clock for clock. The two inputs are there for the sake of
/// what takes either, and mean nothing.
///
/// Two beats are 132 bits, so pair k of an LTP begins 4k bits into word 4k and ends in word 4k + 4. Every word but word 0 is moved down by
/// 4k bits, with what is left of the word before it below, and four of them with four bits of the last are the pair.
#[block("link_gearbox_rx", f = 1, lanes = 1)]
pub struct LinkGearboxRxLane {
    /// Clock.
    clock: In<Clock>,
    /// Synchronous clear; the next row starts an LTP.
    clear: In<Bit>,
    /// 0.
    wide: In<Bit>,
    /// 0.
    last_lane: In<Bits<2>>,
    /// Rows: a word in bits 0..31, the others are ignored.
    pub rows: FlowIn<Bits<ROW_BITS>>,
    /// Bit 0: the word is bad.
    row_error: In<Bits<4>>,
    /// The next row is the first after the start row. Not with a row.
    row_start: In<Bit>,
    /// Wire beats; bits 66 and 67 are 0.
    pub wire_out: FlowOut<Bits<WIRE_BITS_1>>,
    /// A word that has bits in the beat or in its pair is bad.
    code_err: Out<Bit>,
    /// The beat is the first after the start row.
    frame_start: Out<Bit>,

    /// Word 0 has come.
    begun: Reg<Bit>,
    /// Words of the pair after its first.
    count: Reg<Bits<2>>,
    /// k.
    pair: Reg<Bits<3>>,
    #[wire(clear = false)]
    before: Register<Bits<32>>,
    /// Some word of the pair was bad.
    bad: Reg<Bit>,
    moved: [Register<Bits<32>>; 4],
    #[wire(clear = false)]
    tail: Register<Bits<4>>,
    #[wire(clear = false)]
    pair_bad: Register<Bit>,
    complete: Reg<Bit>,
    first_sent: Reg<Bit>,
    out: Reg<Bits<NARROW_BITS>>,
    #[wire(clear = false)]
    upper: Register<Bits<NARROW_BITS>>,
    out_valid: Reg<Bit>,
    /// `upper` follows.
    half: Reg<Bit>,
    out_bad: Reg<Bit>,
    out_first: Reg<Bit>,
}

#[logic]
impl LinkGearboxRxLane {
    fn update(&mut self) {
        // {word, before} >> 4k.
        let word = rows.data.bits::<32>(0);
        let is_bad = row_error[0];
        let window = (bit_cast::<64, 32>(word) << 32) | bit_cast::<64, 32>(before);
        let mut by_16 = window.bits::<52>(0);
        if pair[2] {
            by_16 = bit_cast::<52, 48>(window.bits::<48>(16));
        }
        let mut by_8 = by_16.bits::<44>(0);
        if pair[1] {
            by_8 = by_16.bits::<44>(8);
        }
        let mut by_4 = by_8.bits::<36>(0);
        if pair[0] {
            by_4 = by_8.bits::<36>(4);
        }
        before = word;
        before.enable = rows.valid;
        for i in 0..3 {
            moved[i] = In { clear: false, enable: rows.valid };
            moved[i] = moved[i + 1];
        }
        moved[3] = In { clear: false, enable: rows.valid };
        moved[3] = by_4.bits::<32>(0);
        tail = by_4.bits::<4>(32);
        tail.enable = rows.valid;

        // Where the word is in its pair, and the pair in its LTP.
        let last = begun & count.all() & rows.valid;
        complete = last;
        pair_bad = bad | is_bad;
        pair_bad.enable = last;
        if rows.valid {
            begun = true;
            bad = bad | is_bad;
            if begun {
                count = count + 1;
            } else {
                bad = is_bad;
            }
        }
        if last {
            pair = pair + 1;
            begun = !pair.all();
            bad = is_bad;
        }

        // Lower beat, then the upper one.
        let both = (bit_cast::<132, 4>(tail) << 128)
            | (bit_cast::<132, 32>(moved[3]) << 96)
            | (bit_cast::<132, 32>(moved[2]) << 64)
            | (bit_cast::<132, 32>(moved[1]) << 32)
            | bit_cast::<132, 32>(moved[0]);
        upper = both.bits::<NARROW_BITS>(66);
        upper.enable = complete;
        out = upper;
        if complete {
            out = both.bits::<NARROW_BITS>(0);
            out_bad = pair_bad;
            first_sent = true;
        }
        half = complete;
        out_valid = complete | half;
        out_first = complete & !first_sent;
        if clear | row_start {
            begun = false;
            count = 0;
            pair = 0;
            complete = false;
            first_sent = false;
            half = false;
            out_valid = false;
            out_first = false;
        }
        wire_out = In { valid: out_valid, data: bit_cast::<WIRE_BITS_1, NARROW_BITS>(out) };
        code_err = out_bad;
        frame_start = out_first;
    }
}
