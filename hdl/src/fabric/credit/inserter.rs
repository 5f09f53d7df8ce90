//! CrdtRet among the beats of packets.

use super::transmit::CODES_BITS;
use crate::prim::stream::{StreamIn, StreamOut};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::flit::{control, crdt_ret, Opcode, FLIT_BITS};

/// Puts a CrdtRet into the last slot of the next beat if that slot is Idle, else into a beat of its own ahead of it. Beats of `F` flits,
/// `FLITS_W` = 65 `F` bits.
#[derive(LogicBlock)]
pub struct CreditInserter<const F: usize, const FLITS_W: usize> {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// The beat at the output is gone.
    pub clear: Signal<In, Bit>,
    /// Beats of packets.
    pub beats_in: StreamIn<Bits<FLITS_W>>,
    /// Codes to send.
    pub codes_in: StreamIn<Bits<CODES_BITS>>,
    /// Both.
    pub beats_out: StreamOut<Bits<FLITS_W>>,

    there: DFF<Bit>,
    beat: DFF<Bits<FLITS_W>>,
    moves: Signal<Local, Bit>,
    slot: Signal<Local, Bits<9>>,
    has_room: Signal<Local, Bit>,
    passes: Signal<Local, Bit>,
    next_beat: Signal<Local, Bits<FLITS_W>>,
    flit: Signal<Local, Bits<FLIT_BITS>>,
    shifted: Signal<Local, Bits<FLITS_W>>,
    no_beat: Constant<Bits<FLITS_W>>,
    others: Constant<Bits<FLITS_W>>,
    return_flit: Constant<Bits<FLIT_BITS>>,
    opcode_shift: Constant<Bits<9>>,
    last_shift: Constant<Bits<9>>,
}

impl<const F: usize, const FLITS_W: usize> Default for CreditInserter<F, FLITS_W> {
    fn default() -> Self {
        let last = (F - 1) * FLIT_BITS;
        let word = control::opcode::FIELD.set(0, Opcode::CrdtRet.code().into()) as u64;
        Self {
            clock: Default::default(),
            clear: Default::default(),
            beats_in: Default::default(),
            codes_in: Default::default(),
            beats_out: Default::default(),
            there: Default::default(),
            beat: Default::default(),
            moves: Default::default(),
            slot: Default::default(),
            has_room: Default::default(),
            passes: Default::default(),
            next_beat: Default::default(),
            flit: Default::default(),
            shifted: Default::default(),
            no_beat: Constant::new(Bits::default()),
            others: Constant::new(
                (0..FLITS_W).fold(Bits::<FLITS_W>::default(), |bits, bit| bits.replace_bit(bit, bit < last)),
            ),
            return_flit: Constant::new(word.into()),
            opcode_shift: Constant::new(((last + control::opcode::LOW) as u64).into()),
            last_shift: Constant::new((last as u64).into()),
        }
    }
}

impl<const F: usize, const FLITS_W: usize> Logic for CreditInserter<F, FLITS_W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, there, beat);
        self.moves.next = (!self.there.q.val() | self.beats_out.ready.val()) & !self.clear.val();
        self.shifted.next = self.beats_in.data.val() >> self.opcode_shift.val();
        self.slot.next = self.shifted.val().get_bits::<9>(0);
        self.has_room.next = !self.slot.val().any();
        self.passes.next = self.beats_in.valid.val() & (!self.codes_in.valid.val() | self.has_room.val());
        self.beats_in.ready.next = self.moves.val() & (!self.codes_in.valid.val() | self.has_room.val());
        self.codes_in.ready.next = self.moves.val();
        self.flit.next = self.return_flit.val() | bit_cast::<FLIT_BITS, CODES_BITS>(self.codes_in.data.val());
        self.next_beat.next = self.no_beat.val();
        if self.passes.val() {
            self.next_beat.next = self.beats_in.data.val();
        }
        if self.codes_in.valid.val() {
            self.next_beat.next = (self.next_beat.val() & self.others.val())
                | (bit_cast::<FLITS_W, FLIT_BITS>(self.flit.val()) << self.last_shift.val());
        }
        if self.moves.val() {
            self.there.d.next = self.beats_in.valid.val() | self.codes_in.valid.val();
            self.beat.d.next = self.next_beat.val();
        }
        if self.clear.val() {
            self.there.d.next = false;
        }
        self.beats_out.data.next = self.beat.q.val();
        self.beats_out.valid.next = self.there.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("credit_inserter", &[("f", F.to_string())])
    }
}

drive_ports!(impl[const F: usize, const FLITS_W: usize] CreditInserter<F, FLITS_W> {
    clock, clear, beats_in, codes_in, beats_out,
});

const _: () = assert!(crdt_ret::codes::LOW == 0 && control::opcode::LOW + 9 == FLIT_BITS);
