//! Rows to wire beats of two flits: rows to words in their places, then the beat out of five words.

use super::{ROW_BITS, WIRE_BITS_2};
use crate::prim::stream::{FlowIn, FlowOut};
use crate::prim::Register;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;

/// Gearbox of the receiver for F = 2; see the [module](super).
///
/// Word 0 of an LTP (wide: also word 17) is a *lead* word; behind it come groups of four words, one group per
/// beat. Beat k is cut, 4k (wide: 8k) bits in, out of its group and the word before it. A row is rotated so
/// that each word stands at its place in the group; words of an unfinished group wait in `held`. Every word
/// carries its error flag as bit 32.
#[derive(LogicBlock)]
pub struct LinkGearboxRx {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear; the next row starts an LTP.
    pub clear: Signal<In, Bit>,
    /// Beats have 136 bits (modes 2 and 3), else 132. Changes only before a start or while cleared.
    pub wide: Signal<In, Bit>,
    /// L - 1. Changes only before a start or while cleared.
    pub last_lane: Signal<In, Bits<2>>,
    /// Rows: word i in bits 32i..32i+31, words L and up are ignored.
    pub rows: FlowIn<Bits<ROW_BITS>>,
    /// Bit i: word i of the row is bad.
    pub row_error: Signal<In, Bits<4>>,
    /// The next row is the first after the start row. Not with a row.
    pub row_start: Signal<In, Bit>,
    /// Wire beats; bits 132..135 are 0 unless `wide`.
    pub wire_out: FlowOut<Bits<WIRE_BITS_2>>,
    /// A word that has bits in the beat is bad.
    pub code_err: Signal<Out, Bit>,
    /// The beat is the first after the start row.
    pub frame_start: Signal<Out, Bit>,

    offset: DFF<Bits<2>>,
    /// Place behind the last word of the next row.
    end: DFF<Bits<3>>,
    in_group: DFF<Bit>,
    group_index: DFF<Bits<3>>,
    lead: Register<Bits<33>>,
    held: [Register<Bits<33>>; 3],
    before: Register<Bits<33>>,
    group: [Register<Bits<33>>; 4],
    group_valid: DFF<Bit>,
    shift: DFF<Bits<3>>,
    first_sent: DFF<Bit>,
    out_valid: DFF<Bit>,
    out_data: DFF<Bits<WIRE_BITS_2>>,
    out_error: DFF<Bit>,
    out_first: DFF<Bit>,

    one: Constant<Bits<3>>,
    seven: Constant<Bits<3>>,
    column: [Signal<Local, Bits<33>>; 4],
    half_turned: [Signal<Local, Bits<33>>; 4],
    turned: [Signal<Local, Bits<33>>; 4],
    end_after: Signal<Local, Bits<3>>,
    end_low: Signal<Local, Bits<2>>,
    last_group: Signal<Local, Bit>,
    complete: Signal<Local, Bit>,
    lead_passed: Signal<Local, Bit>,
    window: Signal<Local, Bits<160>>,
    by_16: Signal<Local, Bits<144>>,
    by_8: Signal<Local, Bits<136>>,
    by_4: Signal<Local, Bits<132>>,
    top: Signal<Local, Bits<4>>,
}

impl Default for LinkGearboxRx {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            clear: Default::default(),
            wide: Default::default(),
            last_lane: Default::default(),
            rows: Default::default(),
            row_error: Default::default(),
            row_start: Default::default(),
            wire_out: Default::default(),
            code_err: Default::default(),
            frame_start: Default::default(),
            offset: Default::default(),
            end: Default::default(),
            in_group: Default::default(),
            group_index: Default::default(),
            lead: Default::default(),
            held: Default::default(),
            before: Default::default(),
            group: Default::default(),
            group_valid: Default::default(),
            shift: Default::default(),
            first_sent: Default::default(),
            out_valid: Default::default(),
            out_data: Default::default(),
            out_error: Default::default(),
            out_first: Default::default(),
            one: Constant::new(1.into()),
            seven: Constant::new(7.into()),
            column: Default::default(),
            half_turned: Default::default(),
            turned: Default::default(),
            end_after: Default::default(),
            end_low: Default::default(),
            last_group: Default::default(),
            complete: Default::default(),
            lead_passed: Default::default(),
            window: Default::default(),
            by_16: Default::default(),
            by_8: Default::default(),
            by_4: Default::default(),
            top: Default::default(),
        }
    }
}

impl Logic for LinkGearboxRx {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, offset, end, in_group, group_index, group_valid, shift, first_sent);
        dff_setup!(self, clock, out_valid, out_data, out_error, out_first);
        clock!(self, clock, lead, before);
        self.lead.clear.next = false;
        self.before.clear.next = false;
        for i in 0..4 {
            self.group[i].clock.next = self.clock.val();
            self.group[i].clear.next = false;
        }
        for i in 0..3 {
            self.held[i].clock.next = self.clock.val();
            self.held[i].clear.next = false;
        }

        // Rotation by `offset` places.
        self.column[0].next = (bit_cast::<33, 1>(self.row_error.val().get_bits::<1>(0)) << 32)
            | bit_cast::<33, 32>(self.rows.data.val().get_bits::<32>(0));
        self.column[1].next = (bit_cast::<33, 1>(self.row_error.val().get_bits::<1>(1)) << 32)
            | bit_cast::<33, 32>(self.rows.data.val().get_bits::<32>(32));
        self.column[2].next = (bit_cast::<33, 1>(self.row_error.val().get_bits::<1>(2)) << 32)
            | bit_cast::<33, 32>(self.rows.data.val().get_bits::<32>(64));
        self.column[3].next = (bit_cast::<33, 1>(self.row_error.val().get_bits::<1>(3)) << 32)
            | bit_cast::<33, 32>(self.rows.data.val().get_bits::<32>(96));
        for i in 0..4 {
            self.half_turned[i].next = self.column[i].val();
            if self.offset.q.val().get_bit(1) {
                self.half_turned[i].next = self.column[(i + 2) % 4].val();
            }
        }
        for i in 0..4 {
            self.turned[i].next = self.half_turned[i].val();
            if self.offset.q.val().get_bit(0) {
                self.turned[i].next = self.half_turned[(i + 3) % 4].val();
            }
        }

        // Place behind the row's last word, a row ahead. A lead word takes none.
        self.end_low.next = self.end.q.val().get_bits::<2>(0);
        self.last_group.next = (self.group_index.q.val() == self.seven.val())
            | (self.wide.val() & (self.group_index.q.val().get_bits::<2>(0).all()));
        self.complete.next = self.end.q.val().get_bit(2);
        self.end_after.next = bit_cast::<3, 2>(self.end_low.val()) + bit_cast::<3, 2>(self.last_lane.val());
        self.lead_passed.next = !self.in_group.q.val() | (self.complete.val() & self.last_group.val());

        self.lead.d.next = self.turned[0].val();
        self.lead.enable.next = self.rows.valid.val() & self.lead_passed.val();
        for i in 0..3 {
            self.held[i].d.next = self.turned[i].val();
            if self.lead_passed.val() {
                self.held[i].d.next = self.turned[i + 1].val();
            }
            self.held[i].enable.next =
                self.rows.valid.val() & (self.complete.val() | (self.offset.q.val().index() <= i));
            self.group[i].d.next = self.turned[i].val();
            if i < self.offset.q.val().index() {
                self.group[i].d.next = self.held[i].q.val();
            }
        }
        self.group[3].d.next = self.turned[3].val();
        self.before.d.next = self.group[3].q.val();
        if !self.group_index.q.val().any() {
            self.before.d.next = self.lead.q.val();
        }
        self.before.enable.next = self.rows.valid.val() & self.complete.val();
        for i in 0..4 {
            self.group[i].enable.next = self.rows.valid.val() & self.complete.val();
        }
        self.group_valid.d.next = self.rows.valid.val() & self.complete.val();
        self.shift.d.next = self.group_index.q.val();
        if self.wide.val() {
            self.shift.d.next = self.group_index.q.val() << 1;
        }

        // Anew in every clock: `last_lane` may come a clock behind `clear`.
        self.end.d.next = bit_cast::<3, 2>(self.offset.q.val()) + bit_cast::<3, 2>(self.last_lane.val());
        if self.in_group.q.val() {
            self.end.d.next = (bit_cast::<3, 2>(self.offset.q.val())
                + bit_cast::<3, 2>(self.last_lane.val()))
                + self.one.val();
        }
        if self.rows.valid.val() {
            self.offset.d.next = self.end_low.val();
            self.in_group.d.next = true;
            self.end.d.next = self.end_after.val() + self.one.val();
            if self.complete.val() {
                self.group_index.d.next = self.group_index.q.val() + 1;
                if self.last_group.val() {
                    self.group_index.d.next = 0.into();
                    self.end.d.next = self.end_after.val();
                    self.in_group.d.next = self.end_low.val().any();
                    if self.end_low.val().any() {
                        self.offset.d.next = self.end_low.val() - 1;
                    }
                }
            }
        }

        // The beat: {group, before} >> 4 shift.
        self.window.next = (bit_cast::<160, 32>(self.group[3].q.val().get_bits::<32>(0)) << 128)
            | (bit_cast::<160, 32>(self.group[2].q.val().get_bits::<32>(0)) << 96)
            | (bit_cast::<160, 32>(self.group[1].q.val().get_bits::<32>(0)) << 64)
            | (bit_cast::<160, 32>(self.group[0].q.val().get_bits::<32>(0)) << 32)
            | bit_cast::<160, 32>(self.before.q.val().get_bits::<32>(0));
        self.by_16.next = self.window.val().get_bits::<144>(0);
        if self.shift.q.val().get_bit(2) {
            self.by_16.next = self.window.val().get_bits::<144>(16);
        }
        self.by_8.next = self.by_16.val().get_bits::<136>(0);
        if self.shift.q.val().get_bit(1) {
            self.by_8.next = self.by_16.val().get_bits::<136>(8);
        }
        self.by_4.next = self.by_8.val().get_bits::<132>(0);
        if self.shift.q.val().get_bit(0) {
            self.by_4.next = self.by_8.val().get_bits::<132>(4);
        }
        self.top.next = 0.into();
        if self.wide.val() {
            self.top.next = self.by_8.val().get_bits::<4>(132);
        }
        self.out_data.d.next = (bit_cast::<WIRE_BITS_2, 4>(self.top.val()) << 132)
            | bit_cast::<WIRE_BITS_2, 132>(self.by_4.val());
        self.out_valid.d.next = self.group_valid.q.val();
        self.out_error.d.next = self.before.q.val().get_bit(32)
            | self.group[0].q.val().get_bit(32)
            | self.group[1].q.val().get_bit(32)
            | self.group[2].q.val().get_bit(32)
            | self.group[3].q.val().get_bit(32);
        self.out_first.d.next = !self.first_sent.q.val() & self.group_valid.q.val();
        if self.group_valid.q.val() {
            self.first_sent.d.next = true;
        }
        if self.clear.val() | self.row_start.val() {
            self.offset.d.next = 0.into();
            self.end.d.next = bit_cast::<3, 2>(self.last_lane.val());
            self.in_group.d.next = false;
            self.group_index.d.next = 0.into();
            self.group_valid.d.next = false;
            self.out_valid.d.next = false;
            self.out_first.d.next = false;
            self.first_sent.d.next = false;
        }
        self.wire_out.valid.next = self.out_valid.q.val();
        self.wire_out.data.next = self.out_data.q.val();
        self.code_err.next = self.out_error.q.val();
        self.frame_start.next = self.out_first.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("link_gearbox_rx", &[("f", "2".into())])
    }
}

drive_ports!(impl[] LinkGearboxRx {
    clock, clear, wide, last_lane, rows, row_error, row_start, wire_out, code_err, frame_start,
});
