//! Words of one lane to wire beats of 66 bits, without the shifters that lanes to choose from need.

use super::{ROW_BITS, WIRE_BITS_1};
use crate::prim::stream::{FlowIn, FlowOut};
use crate::prim::Register;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;

/// Bits of a wire beat in modes 0 and 1.
const NARROW_BITS: usize = 66;

/// What [`LinkGearboxRx1`](super::LinkGearboxRx1) does with `wide` and `last_lane` 0, clock for clock. The two inputs are there for the sake of
/// what takes either, and mean nothing.
///
/// Two beats are 132 bits, so pair k of an LTP begins 4k bits into word 4k and ends in word 4k + 4. Every word but word 0 is moved down by
/// 4k bits, with what is left of the word before it below, and four of them with four bits of the last are the pair.
#[derive(LogicBlock, Default)]
pub struct LinkGearboxRxLane {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear; the next row starts an LTP.
    pub clear: Signal<In, Bit>,
    /// 0.
    pub wide: Signal<In, Bit>,
    /// 0.
    pub last_lane: Signal<In, Bits<2>>,
    /// Rows: a word in bits 0..31, the others are ignored.
    pub rows: FlowIn<Bits<ROW_BITS>>,
    /// Bit 0: the word is bad.
    pub row_error: Signal<In, Bits<4>>,
    /// The next row is the first after the start row. Not with a row.
    pub row_start: Signal<In, Bit>,
    /// Wire beats; bits 66 and 67 are 0.
    pub wire_out: FlowOut<Bits<WIRE_BITS_1>>,
    /// A word that has bits in the beat or in its pair is bad.
    pub code_err: Signal<Out, Bit>,
    /// The beat is the first after the start row.
    pub frame_start: Signal<Out, Bit>,

    /// Word 0 has come.
    begun: DFF<Bit>,
    /// Words of the pair behind its first.
    count: DFF<Bits<2>>,
    /// k.
    pair: DFF<Bits<3>>,
    before: Register<Bits<32>>,
    /// Some word of the pair was bad.
    bad: DFF<Bit>,
    moved: [Register<Bits<32>>; 4],
    tail: Register<Bits<4>>,
    pair_bad: Register<Bit>,
    complete: DFF<Bit>,
    first_sent: DFF<Bit>,
    out: DFF<Bits<NARROW_BITS>>,
    upper: Register<Bits<NARROW_BITS>>,
    out_valid: DFF<Bit>,
    /// `upper` follows.
    half: DFF<Bit>,
    out_bad: DFF<Bit>,
    out_first: DFF<Bit>,

    word: Signal<Local, Bits<32>>,
    is_bad: Signal<Local, Bit>,
    window: Signal<Local, Bits<64>>,
    by_16: Signal<Local, Bits<52>>,
    by_8: Signal<Local, Bits<44>>,
    by_4: Signal<Local, Bits<36>>,
    last: Signal<Local, Bit>,
    both: Signal<Local, Bits<132>>,
}

impl Logic for LinkGearboxRxLane {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, begun, count, pair, bad, complete, first_sent);
        dff_setup!(self, clock, out, out_valid, half, out_bad, out_first);
        clock!(self, clock, before, tail, pair_bad, upper);
        self.before.clear.next = false;
        self.tail.clear.next = false;
        self.pair_bad.clear.next = false;
        self.upper.clear.next = false;

        // {word, before} >> 4k.
        self.word.next = self.rows.data.val().get_bits::<32>(0);
        self.is_bad.next = self.row_error.val().get_bit(0);
        self.window.next =
            (bit_cast::<64, 32>(self.word.val()) << 32) | bit_cast::<64, 32>(self.before.q.val());
        self.by_16.next = self.window.val().get_bits::<52>(0);
        if self.pair.q.val().get_bit(2) {
            self.by_16.next = bit_cast::<52, 48>(self.window.val().get_bits::<48>(16));
        }
        self.by_8.next = self.by_16.val().get_bits::<44>(0);
        if self.pair.q.val().get_bit(1) {
            self.by_8.next = self.by_16.val().get_bits::<44>(8);
        }
        self.by_4.next = self.by_8.val().get_bits::<36>(0);
        if self.pair.q.val().get_bit(0) {
            self.by_4.next = self.by_8.val().get_bits::<36>(4);
        }
        self.before.d.next = self.word.val();
        self.before.enable.next = self.rows.valid.val();
        for i in 0..3 {
            self.moved[i].clock.next = self.clock.val();
            self.moved[i].clear.next = false;
            self.moved[i].enable.next = self.rows.valid.val();
            self.moved[i].d.next = self.moved[i + 1].q.val();
        }
        self.moved[3].clock.next = self.clock.val();
        self.moved[3].clear.next = false;
        self.moved[3].enable.next = self.rows.valid.val();
        self.moved[3].d.next = self.by_4.val().get_bits::<32>(0);
        self.tail.d.next = self.by_4.val().get_bits::<4>(32);
        self.tail.enable.next = self.rows.valid.val();

        // Where the word is in its pair, and the pair in its LTP.
        self.last.next = self.begun.q.val() & self.count.q.val().all() & self.rows.valid.val();
        self.complete.d.next = self.last.val();
        self.pair_bad.d.next = self.bad.q.val() | self.is_bad.val();
        self.pair_bad.enable.next = self.last.val();
        if self.rows.valid.val() {
            self.begun.d.next = true;
            self.bad.d.next = self.bad.q.val() | self.is_bad.val();
            if self.begun.q.val() {
                self.count.d.next = self.count.q.val() + 1;
            } else {
                self.bad.d.next = self.is_bad.val();
            }
        }
        if self.last.val() {
            self.pair.d.next = self.pair.q.val() + 1;
            self.begun.d.next = !self.pair.q.val().all();
            self.bad.d.next = self.is_bad.val();
        }

        // Lower beat, then the upper one.
        self.both.next = (bit_cast::<132, 4>(self.tail.q.val()) << 128)
            | (bit_cast::<132, 32>(self.moved[3].q.val()) << 96)
            | (bit_cast::<132, 32>(self.moved[2].q.val()) << 64)
            | (bit_cast::<132, 32>(self.moved[1].q.val()) << 32)
            | bit_cast::<132, 32>(self.moved[0].q.val());
        self.upper.d.next = self.both.val().get_bits::<NARROW_BITS>(66);
        self.upper.enable.next = self.complete.q.val();
        self.out.d.next = self.upper.q.val();
        if self.complete.q.val() {
            self.out.d.next = self.both.val().get_bits::<NARROW_BITS>(0);
            self.out_bad.d.next = self.pair_bad.q.val();
            self.first_sent.d.next = true;
        }
        self.half.d.next = self.complete.q.val();
        self.out_valid.d.next = self.complete.q.val() | self.half.q.val();
        self.out_first.d.next = self.complete.q.val() & !self.first_sent.q.val();
        if self.clear.val() | self.row_start.val() {
            self.begun.d.next = false;
            self.count.d.next = 0.into();
            self.pair.d.next = 0.into();
            self.complete.d.next = false;
            self.first_sent.d.next = false;
            self.half.d.next = false;
            self.out_valid.d.next = false;
            self.out_first.d.next = false;
        }
        self.wire_out.valid.next = self.out_valid.q.val();
        self.wire_out.data.next = bit_cast::<WIRE_BITS_1, NARROW_BITS>(self.out.q.val());
        self.code_err.next = self.out_bad.q.val();
        self.frame_start.next = self.out_first.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("link_gearbox_rx", &[("f", "1".into()), ("lanes", "1".into())])
    }
}

drive_ports!(impl[] LinkGearboxRxLane {
    clock, clear, wide, last_lane, rows, row_error, row_start, wire_out, code_err, frame_start,
});
