//! Rows to wire beats of two flits: rows to words in their places, then the beat out of five words.

use super::{ROW_BITS, WIRE_BITS_2};
use flitforge_hdl_prim::prelude::*;

/// Gearbox of the receiver for F = 2; see the [module](super).
///
/// Word 0 of an LTP (wide: also word 17) is a *lead* word; after it come groups of four words, one group per
/// beat. Beat k is cut, 4k (wide: 8k) bits in, out of its group and the word before it. A row is rotated so
/// that each word stands at its place in the group; words of an unfinished group wait in `held`. Every word
/// carries its error flag as bit 32.
#[block("link_gearbox_rx", f = 2)]
pub struct LinkGearboxRx {
    /// Clock.
    clock: In<Clock>,
    /// Synchronous clear; the next row starts an LTP.
    clear: In<Bit>,
    /// Beats have 136 bits (modes 2 and 3), else 132. Changes only before a start or while cleared.
    wide: In<Bit>,
    /// L - 1. Changes only before a start or while cleared.
    last_lane: In<Bits<2>>,
    /// Rows: word i in bits 32i..32i+31, words L and up are ignored.
    pub rows: FlowIn<Bits<ROW_BITS>>,
    /// Bit i: word i of the row is bad.
    row_error: In<Bits<4>>,
    /// The next row is the first after the start row. Not with a row.
    row_start: In<Bit>,
    /// Wire beats; bits 132..135 are 0 unless `wide`.
    pub wire_out: FlowOut<Bits<WIRE_BITS_2>>,
    /// A word that has bits in the beat is bad.
    code_err: Out<Bit>,
    /// The beat is the first after the start row.
    frame_start: Out<Bit>,

    offset: Reg<Bits<2>>,
    /// Place after the last word of the next row.
    end: Reg<Bits<3>>,
    in_group: Reg<Bit>,
    group_index: Reg<Bits<3>>,
    #[wire(clear = false)]
    lead: Register<Bits<33>>,
    held: [Register<Bits<33>>; 3],
    #[wire(clear = false)]
    before: Register<Bits<33>>,
    group: [Register<Bits<33>>; 4],
    group_valid: Reg<Bit>,
    shift: Reg<Bits<3>>,
    first_sent: Reg<Bit>,
    out_valid: Reg<Bit>,
    out_data: Reg<Bits<WIRE_BITS_2>>,
    out_error: Reg<Bit>,
    out_first: Reg<Bit>,

    #[init(1)]
    one: Constant<Bits<3>>,
    #[init(7)]
    seven: Constant<Bits<3>>,
    column: [Local<Bits<33>>; 4],
    half_turned: [Local<Bits<33>>; 4],
    turned: [Local<Bits<33>>; 4],
    end_after: Local<Bits<3>>,
}

#[logic]
impl LinkGearboxRx {
    fn update(&mut self) {
        for i in 0..4 {
            group[i].clear = false;
        }
        for i in 0..3 {
            held[i].clear = false;
        }

        self.rotate();

        // Place after the row's last word, a row ahead. A lead word takes none.
        let end_low = end.bits::<2>(0);
        let last_group = (group_index == seven) | (wide & (group_index.bits::<2>(0).all()));
        let complete = end[2];
        end_after = bit_cast::<3, 2>(end_low) + bit_cast::<3, 2>(last_lane);
        let lead_passed = !in_group | (complete & last_group);

        lead = turned[0];
        lead.enable = rows.valid & lead_passed;
        for i in 0..3 {
            held[i] = turned[i];
            if lead_passed {
                held[i] = turned[i + 1];
            }
            held[i].enable = rows.valid & (complete | (offset <= i));
            group[i] = turned[i];
            if i < offset {
                group[i] = held[i];
            }
        }
        group[3] = turned[3];
        before = group[3];
        if !group_index.any() {
            before = lead;
        }
        before.enable = rows.valid & complete;
        for i in 0..4 {
            group[i].enable = rows.valid & complete;
        }
        group_valid = rows.valid & complete;
        shift = group_index;
        if wide {
            shift = group_index << 1;
        }

        self.find_end(end_low, last_group, complete);
        self.form_beat();
        out_valid = group_valid;
        out_error = before[32] | group[0][32] | group[1][32] | group[2][32] | group[3][32];
        out_first = !first_sent & group_valid;
        if group_valid {
            first_sent = true;
        }
        if clear | row_start {
            offset = 0;
            end = bit_cast::<3, 2>(last_lane);
            in_group = false;
            group_index = 0;
            group_valid = false;
            out_valid = false;
            out_first = false;
            first_sent = false;
        }
        wire_out = In { valid: out_valid, data: out_data };
        code_err = out_error;
        frame_start = out_first;
    }

    /// Rotation by `offset` places.
    fn rotate(&mut self) {
        column[0] =
            (bit_cast::<33, 1>(row_error.bits::<1>(0)) << 32) | bit_cast::<33, 32>(rows.data.bits::<32>(0));
        column[1] =
            (bit_cast::<33, 1>(row_error.bits::<1>(1)) << 32) | bit_cast::<33, 32>(rows.data.bits::<32>(32));
        column[2] =
            (bit_cast::<33, 1>(row_error.bits::<1>(2)) << 32) | bit_cast::<33, 32>(rows.data.bits::<32>(64));
        column[3] =
            (bit_cast::<33, 1>(row_error.bits::<1>(3)) << 32) | bit_cast::<33, 32>(rows.data.bits::<32>(96));
        for i in 0..4 {
            half_turned[i] = column[i];
            if offset[1] {
                half_turned[i] = column[(i + 2) % 4];
            }
        }
        for i in 0..4 {
            turned[i] = half_turned[i];
            if offset[0] {
                turned[i] = half_turned[(i + 3) % 4];
            }
        }
    }

    /// Anew in every clock: `last_lane` may come a clock after `clear`.
    fn find_end(&mut self, end_low: Bits<2>, last_group: Bit, complete: Bit) {
        end = bit_cast::<3, 2>(offset) + bit_cast::<3, 2>(last_lane);
        if in_group {
            end = (bit_cast::<3, 2>(offset) + bit_cast::<3, 2>(last_lane)) + one;
        }
        if rows.valid {
            offset = end_low;
            in_group = true;
            end = end_after + one;
            if complete {
                group_index = group_index + 1;
                if last_group {
                    group_index = 0;
                    end = end_after;
                    in_group = end_low.any();
                    if end_low.any() {
                        offset = end_low - 1;
                    }
                }
            }
        }
    }

    /// The beat: {group, before} >> 4 shift.
    fn form_beat(&mut self) {
        let window = (bit_cast::<160, 32>(group[3].bits::<32>(0)) << 128)
            | (bit_cast::<160, 32>(group[2].bits::<32>(0)) << 96)
            | (bit_cast::<160, 32>(group[1].bits::<32>(0)) << 64)
            | (bit_cast::<160, 32>(group[0].bits::<32>(0)) << 32)
            | bit_cast::<160, 32>(before.bits::<32>(0));
        let mut by_16 = window.bits::<144>(0);
        if shift[2] {
            by_16 = window.bits::<144>(16);
        }
        let mut by_8 = by_16.bits::<136>(0);
        if shift[1] {
            by_8 = by_16.bits::<136>(8);
        }
        let mut by_4 = by_8.bits::<132>(0);
        if shift[0] {
            by_4 = by_8.bits::<132>(4);
        }
        let mut top: Bits<4> = 0;
        if wide {
            top = by_8.bits::<4>(132);
        }
        out_data = (bit_cast::<WIRE_BITS_2, 4>(top) << 132) | bit_cast::<WIRE_BITS_2, 132>(by_4);
    }
}
