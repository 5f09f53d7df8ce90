//! The Null LTP that goes out (chapter 10, 3.2).

use super::{POINTER_BITS, TOKEN_BITS};
use crate::ltp_tx::NULL_BITS;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::flit::{
    control, retrain_retry_req, retry_mrkr, retry_req, rnd_trip_mrkr, Opcode, RetrainKind,
};

/// Lowest bit of the opcode in a Null LTP's request; the payload's fields lie at their own places below it.
const OPCODE_LOW: usize = NULL_BITS - 8;

/// Builds flit 0 of the Null LTP that [`ReplayChoice`](super::ReplayChoice) chose, into a register. The .1 is made of
/// the .0, so that a pair always says the same.
#[block("replay_nulls")]
pub struct ReplayNulls {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Strobe: the LTP that was chosen is decided.
    decide: In<Bit>,
    /// Chosen: the .1 of the pair under way.
    second: In<Bit>,
    /// Chosen: RetryReq.0.
    request: In<Bit>,
    /// Chosen: RetrainRetryReq.0.
    retrain: In<Bit>,
    /// Chosen: RndTripMrkr.0, reply.
    answer: In<Bit>,
    /// Chosen: the .0 of a pair of INIT.
    init: In<Bit>,
    /// Chosen: RetryMrkr.0.
    marker: In<Bit>,
    /// Pointer of a RetryReq: NxtRx of this clock.
    request_pointer: In<Bits<POINTER_BITS>>,
    /// Token of an answer.
    answer_token: In<Bits<TOKEN_BITS>>,
    /// With `init`: RndTripMrkr, not InitReq or InitAck.
    measures: In<Bit>,
    /// Token of the RndTripMrkr.
    token: In<Bits<TOKEN_BITS>>,
    /// InitAck, not InitReq.
    acknowledges: In<Bit>,
    /// This end is fresh.
    fresh: In<Bit>,
    /// NxtRx, for InitReq and InitAck.
    next_rx: In<Bits<POINTER_BITS>>,
    /// NxtTx.
    next_tx: In<Bits<POINTER_BITS>>,
    /// NxtWr.
    next_write: In<Bits<POINTER_BITS>>,
    /// The Null LTP: payload [47:0], opcode [55:48].
    flit: Out<Bits<NULL_BITS>>,

    sent: Reg<Bits<NULL_BITS>>,
    /// The .1 differs from the .0 by a bit of its payload, not of its opcode.
    by_payload: Reg<Bit>,
    #[init(retrain(RetrainKind::Filler))]
    filler: Constant<Bits<NULL_BITS>>,
    #[init(retrain(RetrainKind::RetrainRetryReq))]
    retrain_flit: Constant<Bits<NULL_BITS>>,
    #[init(flit(Opcode::RetryReq0, 0))]
    request_flit: Constant<Bits<NULL_BITS>>,
    #[init(flit(Opcode::RetryMrkr0, 0))]
    marker_flit: Constant<Bits<NULL_BITS>>,
    #[init(flit(Opcode::RndTripMrkr0, 0))]
    trip_flit: Constant<Bits<NULL_BITS>>,
    #[init(flit(Opcode::RndTripMrkr0, rnd_trip_mrkr::reply::FIELD.set(0, 1)))]
    answer_flit: Constant<Bits<NULL_BITS>>,
    #[init(retrain(RetrainKind::InitReq))]
    init_req_flit: Constant<Bits<NULL_BITS>>,
    #[init(retrain(RetrainKind::InitAck))]
    init_ack_flit: Constant<Bits<NULL_BITS>>,
    #[init(1u64 << retrain_retry_req::fresh::LOW)]
    fresh_bit: Constant<Bits<NULL_BITS>>,
    #[init(1u64 << retrain_retry_req::second::LOW)]
    second_of_kind: Constant<Bits<NULL_BITS>>,
    #[init(1u64 << OPCODE_LOW)]
    second_of_opcode: Constant<Bits<NULL_BITS>>,
}

fn flit(opcode: Opcode, payload: u128) -> Bits<NULL_BITS> {
    (u64::from(opcode.code()) << OPCODE_LOW | payload as u64).into()
}

fn retrain(kind: RetrainKind) -> Bits<NULL_BITS> {
    let kind = retrain_retry_req::kind::FIELD.set(0, kind.code().into());
    flit(Opcode::RetrainRetryReq, kind)
}

// The fields that are shifted into place in `update`.
const _: () = assert!(control::opcode::WIDTH == 8 && retry_req::next_rx_ltp::LOW == 0);
const _: () = assert!(retry_mrkr::first_replayed::LOW == 0 && retry_mrkr::next_write_ltp::LOW == 16);
const _: () = assert!(rnd_trip_mrkr::token::LOW == 32 && retrain_retry_req::next_rx_ltp::LOW == 0);

#[logic]
impl ReplayNulls {
    fn update(&mut self) {
        let mut built = filler;
        if second {
            built = sent | second_of_opcode;
            if by_payload {
                built = sent | second_of_kind;
            }
        } else if request {
            built = request_flit | bit_cast::<NULL_BITS, POINTER_BITS>(request_pointer);
        } else if retrain {
            built = retrain_flit;
        } else if answer {
            built = answer_flit | (bit_cast::<NULL_BITS, TOKEN_BITS>(answer_token) << 32);
        } else if init {
            built = init_req_flit | bit_cast::<NULL_BITS, POINTER_BITS>(next_rx);
            if acknowledges {
                built = init_ack_flit | bit_cast::<NULL_BITS, POINTER_BITS>(next_rx);
            }
            if fresh {
                built = built | fresh_bit;
            }
            if measures {
                built = trip_flit | (bit_cast::<NULL_BITS, TOKEN_BITS>(token) << 32);
            }
        } else if marker {
            built = marker_flit
                | bit_cast::<NULL_BITS, POINTER_BITS>(next_tx)
                | (bit_cast::<NULL_BITS, POINTER_BITS>(next_write) << 16);
        }
        if decide {
            sent = built;
            by_payload = retrain | (init & !measures);
        }
        flit = sent;
    }
}
