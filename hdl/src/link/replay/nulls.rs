//! The Null LTP that goes out (chapter 10, 3.2).

use super::{POINTER_BITS, TOKEN_BITS};
use crate::link::ltp_tx::NULL_BITS;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::flit::{
    control, retrain_retry_req, retry_mrkr, retry_req, rnd_trip_mrkr, Opcode, RetrainKind,
};

/// Lowest bit of the opcode in a Null LTP's request; the payload's fields lie at their own places below it.
const OPCODE_LOW: usize = NULL_BITS - 8;

/// Builds flit 0 of the Null LTP that [`ReplayChoice`](super::ReplayChoice) chose, into a register. The .1 is made of
/// the .0, so that a pair always says the same.
#[derive(LogicBlock)]
pub struct ReplayNulls {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Strobe: the LTP that was chosen is decided.
    pub decide: Signal<In, Bit>,
    /// Chosen: the .1 of the pair under way.
    pub second: Signal<In, Bit>,
    /// Chosen: RetryReq.0.
    pub request: Signal<In, Bit>,
    /// Chosen: RetrainRetryReq.0.
    pub retrain: Signal<In, Bit>,
    /// Chosen: RndTripMrkr.0, reply.
    pub answer: Signal<In, Bit>,
    /// Chosen: the .0 of a pair of INIT.
    pub init: Signal<In, Bit>,
    /// Chosen: RetryMrkr.0.
    pub marker: Signal<In, Bit>,
    /// Pointer of a RetryReq: NxtRx of this clock.
    pub request_pointer: Signal<In, Bits<POINTER_BITS>>,
    /// Token of an answer.
    pub answer_token: Signal<In, Bits<TOKEN_BITS>>,
    /// With `init`: RndTripMrkr, not InitReq or InitAck.
    pub measures: Signal<In, Bit>,
    /// Token of the RndTripMrkr.
    pub token: Signal<In, Bits<TOKEN_BITS>>,
    /// InitAck, not InitReq.
    pub acknowledges: Signal<In, Bit>,
    /// This end is fresh.
    pub fresh: Signal<In, Bit>,
    /// NxtRx, for InitReq and InitAck.
    pub next_rx: Signal<In, Bits<POINTER_BITS>>,
    /// NxtTx.
    pub next_tx: Signal<In, Bits<POINTER_BITS>>,
    /// NxtWr.
    pub next_write: Signal<In, Bits<POINTER_BITS>>,
    /// The Null LTP: payload [47:0], opcode [55:48].
    pub flit: Signal<Out, Bits<NULL_BITS>>,

    sent: DFF<Bits<NULL_BITS>>,
    /// The .1 differs from the .0 by a bit of its payload, not of its opcode.
    by_payload: DFF<Bit>,
    built: Signal<Local, Bits<NULL_BITS>>,
    filler: Constant<Bits<NULL_BITS>>,
    retrain_flit: Constant<Bits<NULL_BITS>>,
    request_flit: Constant<Bits<NULL_BITS>>,
    marker_flit: Constant<Bits<NULL_BITS>>,
    trip_flit: Constant<Bits<NULL_BITS>>,
    answer_flit: Constant<Bits<NULL_BITS>>,
    init_req_flit: Constant<Bits<NULL_BITS>>,
    init_ack_flit: Constant<Bits<NULL_BITS>>,
    fresh_bit: Constant<Bits<NULL_BITS>>,
    second_of_kind: Constant<Bits<NULL_BITS>>,
    second_of_opcode: Constant<Bits<NULL_BITS>>,
}

fn flit(opcode: Opcode, payload: u128) -> Constant<Bits<NULL_BITS>> {
    Constant::new((u64::from(opcode.code()) << OPCODE_LOW | payload as u64).into())
}

fn retrain(kind: RetrainKind) -> Constant<Bits<NULL_BITS>> {
    let kind = retrain_retry_req::kind::FIELD.set(0, kind.code().into());
    flit(Opcode::RetrainRetryReq, kind)
}

// The fields that are shifted into place in `update`, where Rust takes no constants of the protocol crate.
const _: () = assert!(control::opcode::WIDTH == 8 && retry_req::next_rx_ltp::LOW == 0);
const _: () = assert!(retry_mrkr::first_replayed::LOW == 0 && retry_mrkr::next_write_ltp::LOW == 16);
const _: () = assert!(rnd_trip_mrkr::token::LOW == 32 && retrain_retry_req::next_rx_ltp::LOW == 0);

impl Default for ReplayNulls {
    fn default() -> Self {
        let bit = |low: usize| Constant::new((1u64 << low).into());
        Self {
            clock: Default::default(),
            decide: Default::default(),
            second: Default::default(),
            request: Default::default(),
            retrain: Default::default(),
            answer: Default::default(),
            init: Default::default(),
            marker: Default::default(),
            request_pointer: Default::default(),
            answer_token: Default::default(),
            measures: Default::default(),
            token: Default::default(),
            acknowledges: Default::default(),
            fresh: Default::default(),
            next_rx: Default::default(),
            next_tx: Default::default(),
            next_write: Default::default(),
            flit: Default::default(),
            sent: Default::default(),
            by_payload: Default::default(),
            built: Default::default(),
            filler: retrain(RetrainKind::Filler),
            retrain_flit: retrain(RetrainKind::RetrainRetryReq),
            request_flit: flit(Opcode::RetryReq0, 0),
            marker_flit: flit(Opcode::RetryMrkr0, 0),
            trip_flit: flit(Opcode::RndTripMrkr0, 0),
            answer_flit: flit(Opcode::RndTripMrkr0, rnd_trip_mrkr::reply::FIELD.set(0, 1)),
            init_req_flit: retrain(RetrainKind::InitReq),
            init_ack_flit: retrain(RetrainKind::InitAck),
            fresh_bit: bit(retrain_retry_req::fresh::LOW),
            second_of_kind: bit(retrain_retry_req::second::LOW),
            second_of_opcode: bit(OPCODE_LOW),
        }
    }
}

impl Logic for ReplayNulls {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, sent, by_payload);
        self.built.next = self.filler.val();
        if self.second.val() {
            self.built.next = self.sent.q.val() | self.second_of_opcode.val();
            if self.by_payload.q.val() {
                self.built.next = self.sent.q.val() | self.second_of_kind.val();
            }
        } else if self.request.val() {
            self.built.next =
                self.request_flit.val() | bit_cast::<NULL_BITS, POINTER_BITS>(self.request_pointer.val());
        } else if self.retrain.val() {
            self.built.next = self.retrain_flit.val();
        } else if self.answer.val() {
            self.built.next =
                self.answer_flit.val() | (bit_cast::<NULL_BITS, TOKEN_BITS>(self.answer_token.val()) << 32);
        } else if self.init.val() {
            self.built.next =
                self.init_req_flit.val() | bit_cast::<NULL_BITS, POINTER_BITS>(self.next_rx.val());
            if self.acknowledges.val() {
                self.built.next =
                    self.init_ack_flit.val() | bit_cast::<NULL_BITS, POINTER_BITS>(self.next_rx.val());
            }
            if self.fresh.val() {
                self.built.next = self.built.val() | self.fresh_bit.val();
            }
            if self.measures.val() {
                self.built.next =
                    self.trip_flit.val() | (bit_cast::<NULL_BITS, TOKEN_BITS>(self.token.val()) << 32);
            }
        } else if self.marker.val() {
            self.built.next = self.marker_flit.val()
                | bit_cast::<NULL_BITS, POINTER_BITS>(self.next_tx.val())
                | (bit_cast::<NULL_BITS, POINTER_BITS>(self.next_write.val()) << 16);
        }
        if self.decide.val() {
            self.sent.d.next = self.built.val();
            self.by_payload.d.next = self.retrain.val() | (self.init.val() & !self.measures.val());
        }
        self.flit.next = self.sent.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("replay_nulls", &[])
    }
}

drive_ports!(impl[] ReplayNulls { clock, decide, second, request, retrain, answer, init, marker, request_pointer, answer_token, measures, token, acknowledges, fresh, next_rx, next_tx, next_write, flit });
