//! CrdtRet among the beats of packets.

use super::transmit::CODES_BITS;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::flit::{control, crdt_ret, Opcode, FLIT_BITS};

/// Puts a CrdtRet into the last slot of the next beat if that slot is Idle, else into a beat of its own ahead of it. Beats of `F` flits,
/// `FLITS_W` = 65 `F` bits.
#[block("credit_inserter", f = F)]
pub struct CreditInserter<const F: usize, const FLITS_W: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// The beat at the output is gone.
    clear: In<Bit>,
    /// Beats of packets.
    pub beats_in: StreamIn<Bits<FLITS_W>>,
    /// Codes to send.
    pub codes_in: StreamIn<Bits<CODES_BITS>>,
    /// Both.
    pub beats_out: StreamOut<Bits<FLITS_W>>,

    there: Reg<Bit>,
    beat: Reg<Bits<FLITS_W>>,
    moves: Local<Bit>,
    slot: Local<Bits<9>>,
    has_room: Local<Bit>,
    passes: Local<Bit>,
    next_beat: Local<Bits<FLITS_W>>,
    flit: Local<Bits<FLIT_BITS>>,
    #[init(0)]
    no_beat: Constant<Bits<FLITS_W>>,
    #[init(bits_where(|bit| bit < (F - 1) * FLIT_BITS))]
    others: Constant<Bits<FLITS_W>>,
    #[init((control::opcode::FIELD.set(0, Opcode::CrdtRet.code().into()) as u64).into())]
    return_flit: Constant<Bits<FLIT_BITS>>,
    #[init((F - 1) * FLIT_BITS + control::opcode::LOW)]
    opcode_shift: Constant<Bits<9>>,
    #[init((F - 1) * FLIT_BITS)]
    last_shift: Constant<Bits<9>>,
}

#[logic]
impl<const F: usize, const FLITS_W: usize> CreditInserter<F, FLITS_W> {
    fn update(&mut self) {
        moves = (!there | beats_out.ready) & !clear;
        let shifted = beats_in.data >> opcode_shift;
        slot = shifted.bits::<9>(0);
        has_room = !slot.any();
        passes = beats_in.valid & (!codes_in.valid | has_room);
        beats_in.ready = moves & (!codes_in.valid | has_room);
        codes_in.ready = moves;
        flit = return_flit | bit_cast::<FLIT_BITS, CODES_BITS>(codes_in.data);
        next_beat = no_beat;
        if passes {
            next_beat = beats_in.data;
        }
        if codes_in.valid {
            next_beat = (next_beat & others) | (bit_cast::<FLITS_W, FLIT_BITS>(flit) << last_shift);
        }
        if moves {
            there = beats_in.valid | codes_in.valid;
            beat = next_beat;
        }
        if clear {
            there = false;
        }
        beats_out = In { data: beat, valid: there };
    }
}

const _: () = assert!(crdt_ret::codes::LOW == 0 && control::opcode::LOW + 9 == FLIT_BITS);
