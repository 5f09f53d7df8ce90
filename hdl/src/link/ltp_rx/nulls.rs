//! What a Null LTP says, and whether it belongs to the LTP before it (chapter 10, 3.2 and 4.2 rule 3).

use crate::link::ltp_tx::NULL_BITS;
use crate::prim::stream::FlowOut;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::flit::{retrain_retry_req, retry_mrkr, rnd_trip_mrkr, Opcode, RetrainKind};

/// Lowest bit of the opcode in `request`.
const OPCODE_LOW: usize = NULL_BITS - 8;
/// A message that comes twice: {pointer or token} 16, {reply or fresh, kind} 3.
const MESSAGE_BITS: usize = 19;

/// Reads `request` as a Null LTP and hands it on, in the clock behind its verdict. What it is stands 3 clocks behind
/// `request`: there are at least 4 clocks from flit 0 to the verdict, and 4 from one verdict to the next.
#[derive(LogicBlock)]
pub struct LtpRxNulls {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Forgets the LTP before; nothing is handed on.
    pub clear: Signal<In, Bit>,
    /// Of flit 0: payload [47:0], opcode [55:48]. Holds until the verdict.
    pub request: Signal<In, Bits<NULL_BITS>>,
    /// Verdict: a good LTP.
    pub good: Signal<In, Bit>,
    /// Verdict: a bad LTP.
    pub bad: Signal<In, Bit>,
    /// With `good`: a Null LTP.
    pub null_ltp: Signal<In, Bit>,
    /// With the verdict: a good Null LTP that stands for itself.
    pub alone: Signal<In, Bit>,
    /// With the verdict: the LTP is taken for a RetryMrkr.1.
    pub second_half: Signal<In, Bit>,
    /// If it is a Null LTP: a RetryMrkr.
    pub is_marker: Signal<Out, Bit>,
    /// With `is_marker`: the .1.
    pub second: Signal<Out, Bit>,
    /// If it is a Null LTP: a RetrainRetryReq, and not the .1 behind its .0.
    pub retrain: Signal<Out, Bit>,
    /// If it is a Null LTP: opcode 0x28 of a kind that does not exist.
    pub is_unknown: Signal<Out, Bit>,
    /// First replayed LTP of the last RetryMrkr that stood for itself.
    pub marker_first: Signal<Out, Bits<16>>,
    /// NxtWr of that RetryMrkr.
    pub marker_write: Signal<Out, Bits<16>>,
    /// RetryReq, a pair once: the peer's NxtRx.
    pub peer_request: FlowOut<Bits<16>>,
    /// RndTripMrkr, a pair once: token [7:0], reply [8].
    pub round_trip: FlowOut<Bits<9>>,
    /// InitReq or InitAck, each of a pair: NxtRx [15:0], fresh [16], InitAck [17].
    pub init: FlowOut<Bits<18>>,
    /// Event: an LTP that only an Active end sends.
    pub peer_active: Signal<Out, Bit>,
    /// Event: a Null LTP of unknown kind, or a good LTP that is not the RetryMrkr.1 it is taken for.
    pub illegal_null: Signal<Out, Bit>,

    request_found: DFF<Bit>,
    marker_found: DFF<Bit>,
    trip_found: DFF<Bit>,
    init_found: DFF<Bit>,
    retrain_found: DFF<Bit>,
    unknown_found: DFF<Bit>,
    second_found: DFF<Bit>,
    message: DFF<Bits<MESSAGE_BITS>>,
    first_message: DFF<Bits<MESSAGE_BITS>>,
    same_message: DFF<Bit>,
    marker: DFF<Bits<32>>,
    equal_marker: DFF<Bit>,
    pointer: DFF<Bits<16>>,
    trip: DFF<Bits<9>>,
    init_bits: DFF<Bits<2>>,
    event_request: DFF<Bit>,
    event_trip: DFF<Bit>,
    event_init: DFF<Bit>,
    event_active: DFF<Bit>,
    event_illegal: DFF<Bit>,

    pair_code: Signal<Local, Bits<7>>,
    retrain_code: Signal<Local, Bit>,
    kind: Signal<Local, Bits<4>>,
    half_part: Signal<Local, Bits<1>>,
    fresh_part: Signal<Local, Bits<1>>,
    token_part: Signal<Local, Bits<8>>,
    low_part: Signal<Local, Bits<16>>,
    tag: Signal<Local, Bits<3>>,
    pair_low: Constant<Bits<16>>,
    token_low: Constant<Bits<16>>,
    kind_low: Constant<Bits<16>>,
    half_low: Constant<Bits<16>>,
    fresh_low: Constant<Bits<16>>,
    opcode_low: Constant<Bits<16>>,
    write_low: Constant<Bits<16>>,
    request_pair: Constant<Bits<7>>,
    marker_pair: Constant<Bits<7>>,
    trip_pair: Constant<Bits<7>>,
    retrain_opcode: Constant<Bits<8>>,
    retrain_kind: Constant<Bits<4>>,
    init_kind: Constant<Bits<4>>,
    ack_kind: Constant<Bits<4>>,
}

impl Default for LtpRxNulls {
    fn default() -> Self {
        let at = |bit: usize| Constant::new((bit as u64).into());
        let pair = |first: Opcode| Constant::new(u64::from(first.code() >> 1).into());
        let kind = |kind: RetrainKind| Constant::new(u64::from(kind.code()).into());
        Self {
            clock: Default::default(),
            clear: Default::default(),
            request: Default::default(),
            good: Default::default(),
            bad: Default::default(),
            null_ltp: Default::default(),
            alone: Default::default(),
            second_half: Default::default(),
            is_marker: Default::default(),
            second: Default::default(),
            retrain: Default::default(),
            is_unknown: Default::default(),
            marker_first: Default::default(),
            marker_write: Default::default(),
            peer_request: Default::default(),
            round_trip: Default::default(),
            init: Default::default(),
            peer_active: Default::default(),
            illegal_null: Default::default(),
            request_found: Default::default(),
            marker_found: Default::default(),
            trip_found: Default::default(),
            init_found: Default::default(),
            retrain_found: Default::default(),
            unknown_found: Default::default(),
            second_found: Default::default(),
            message: Default::default(),
            first_message: Default::default(),
            same_message: Default::default(),
            marker: Default::default(),
            equal_marker: Default::default(),
            pointer: Default::default(),
            trip: Default::default(),
            init_bits: Default::default(),
            event_request: Default::default(),
            event_trip: Default::default(),
            event_init: Default::default(),
            event_active: Default::default(),
            event_illegal: Default::default(),
            pair_code: Default::default(),
            retrain_code: Default::default(),
            kind: Default::default(),
            half_part: Default::default(),
            fresh_part: Default::default(),
            token_part: Default::default(),
            low_part: Default::default(),
            tag: Default::default(),
            pair_low: at(OPCODE_LOW + 1),
            token_low: at(rnd_trip_mrkr::token::LOW),
            kind_low: at(retrain_retry_req::kind::LOW),
            half_low: at(retrain_retry_req::second::LOW),
            fresh_low: at(retrain_retry_req::fresh::LOW),
            opcode_low: at(OPCODE_LOW),
            write_low: at(retry_mrkr::next_write_ltp::LOW),
            request_pair: pair(Opcode::RetryReq0),
            marker_pair: pair(Opcode::RetryMrkr0),
            trip_pair: pair(Opcode::RndTripMrkr0),
            retrain_opcode: Constant::new(u64::from(Opcode::RetrainRetryReq.code()).into()),
            retrain_kind: kind(RetrainKind::RetrainRetryReq),
            init_kind: kind(RetrainKind::InitReq),
            ack_kind: kind(RetrainKind::InitAck),
        }
    }
}

// The pointers of RetryReq, RetryMrkr and opcode 0x28 stand at bit 0; the reply bit of a RndTripMrkr stands where
// opcode 0x28 has the bit for the second of a pair.
const _: () = assert!(rnd_trip_mrkr::reply::LOW == retrain_retry_req::second::LOW);
const _: () = assert!(retrain_retry_req::next_rx_ltp::LOW == 0 && retry_mrkr::first_replayed::LOW == 0);

impl Logic for LtpRxNulls {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, request_found, marker_found, trip_found, init_found, retrain_found);
        dff_setup!(self, clock, unknown_found, second_found, message, first_message, same_message);
        dff_setup!(self, clock, marker, equal_marker, pointer, trip, init_bits);
        dff_setup!(self, clock, event_request, event_trip, event_init, event_active, event_illegal);

        // Kind and fields.
        self.pair_code.next = bit_cast::<7, NULL_BITS>(self.request.val() >> self.pair_low.val());
        self.retrain_code.next = bit_cast::<8, NULL_BITS>(self.request.val() >> self.opcode_low.val())
            == self.retrain_opcode.val();
        self.kind.next = bit_cast::<4, NULL_BITS>(self.request.val() >> self.kind_low.val());
        self.half_part.next = bit_cast::<1, NULL_BITS>(self.request.val() >> self.half_low.val());
        self.fresh_part.next = bit_cast::<1, NULL_BITS>(self.request.val() >> self.fresh_low.val());
        self.token_part.next = bit_cast::<8, NULL_BITS>(self.request.val() >> self.token_low.val());
        self.request_found.d.next = self.pair_code.val() == self.request_pair.val();
        self.marker_found.d.next = self.pair_code.val() == self.marker_pair.val();
        self.trip_found.d.next = self.pair_code.val() == self.trip_pair.val();
        self.init_found.d.next = self.retrain_code.val()
            & ((self.kind.val() == self.init_kind.val()) | (self.kind.val() == self.ack_kind.val()));
        self.retrain_found.d.next = self.retrain_code.val() & (self.kind.val() == self.retrain_kind.val());
        self.unknown_found.d.next = self.retrain_code.val() & (self.kind.val() > self.ack_kind.val());
        self.second_found.d.next =
            bit_cast::<1, NULL_BITS>(self.request.val() >> self.opcode_low.val()).any();
        if self.retrain_code.val() {
            self.second_found.d.next = self.half_part.val().any();
        }

        // The message without its half: equal in both of a pair. Tag 0: it does not count once for both.
        self.low_part.next = bit_cast::<16, NULL_BITS>(self.request.val());
        self.tag.next = 0.into();
        if self.pair_code.val() == self.request_pair.val() {
            self.tag.next = 1.into();
        }
        if self.pair_code.val() == self.trip_pair.val() {
            self.low_part.next = bit_cast::<16, 8>(self.token_part.val());
            self.tag.next = bit_cast::<3, 1>(self.half_part.val()) | 2;
        }
        if self.retrain_code.val() & (self.kind.val() == self.retrain_kind.val()) {
            self.tag.next = bit_cast::<3, 1>(self.fresh_part.val()) | 4;
        }
        self.message.d.next = bit_cast::<MESSAGE_BITS, 16>(self.low_part.val())
            | (bit_cast::<MESSAGE_BITS, 3>(self.tag.val()) << 16);

        // Against the LTP before.
        self.same_message.d.next =
            self.second_found.q.val() & (self.message.q.val() == self.first_message.q.val());
        self.equal_marker.d.next = self.marker_found.q.val()
            & self.second_found.q.val()
            & (bit_cast::<32, NULL_BITS>(self.request.val()) == self.marker.q.val());
        if self.good.val() | self.bad.val() {
            self.first_message.d.next = 0.into();
        }
        if self.alone.val() {
            if !self.second_found.q.val() {
                self.first_message.d.next = self.message.q.val();
            }
            if self.marker_found.q.val() {
                self.marker.d.next = bit_cast::<32, NULL_BITS>(self.request.val());
            }
        }

        // What is handed on.
        self.pointer.d.next = bit_cast::<16, NULL_BITS>(self.request.val());
        self.trip.d.next =
            bit_cast::<9, 8>(self.token_part.val()) | (bit_cast::<9, 1>(self.half_part.val()) << 8);
        self.init_bits.d.next = bit_cast::<2, 1>(self.fresh_part.val());
        if self.kind.val() == self.ack_kind.val() {
            self.init_bits.d.next = bit_cast::<2, 1>(self.fresh_part.val()) | 2;
        }
        self.event_request.d.next =
            self.alone.val() & self.request_found.q.val() & !self.same_message.q.val();
        self.event_trip.d.next = self.alone.val() & self.trip_found.q.val() & !self.same_message.q.val();
        self.event_init.d.next = self.alone.val() & self.init_found.q.val();
        self.event_active.d.next = self.good.val()
            & !self.clear.val()
            & (!self.null_ltp.val()
                | self.request_found.q.val()
                | self.marker_found.q.val()
                | self.retrain_found.q.val());
        self.event_illegal.d.next = self.good.val() & self.null_ltp.val() & self.unknown_found.q.val();
        if self.second_half.val() & !self.clear.val() {
            self.event_illegal.d.next = self.good.val() & !(self.null_ltp.val() & self.equal_marker.q.val());
        }
        if self.clear.val() {
            self.first_message.d.next = 0.into();
            self.event_request.d.next = false;
            self.event_trip.d.next = false;
            self.event_init.d.next = false;
        }

        self.is_marker.next = self.marker_found.q.val();
        self.second.next = self.second_found.q.val();
        self.retrain.next = self.retrain_found.q.val() & !self.same_message.q.val();
        self.is_unknown.next = self.unknown_found.q.val();
        self.marker_first.next = bit_cast::<16, 32>(self.marker.q.val());
        self.marker_write.next = bit_cast::<16, 32>(self.marker.q.val() >> self.write_low.val());
        self.peer_request.data.next = self.pointer.q.val();
        self.peer_request.valid.next = self.event_request.q.val();
        self.round_trip.data.next = self.trip.q.val();
        self.round_trip.valid.next = self.event_trip.q.val();
        self.init.data.next =
            bit_cast::<18, 16>(self.pointer.q.val()) | (bit_cast::<18, 2>(self.init_bits.q.val()) << 16);
        self.init.valid.next = self.event_init.q.val();
        self.peer_active.next = self.event_active.q.val();
        self.illegal_null.next = self.event_illegal.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("ltp_rx_nulls", &[])
    }
}

drive_ports!(impl[] LtpRxNulls {
    clock, clear, request, good, bad, null_ltp, alone, second_half, is_marker, second, retrain, is_unknown,
    marker_first, marker_write, peer_request, round_trip, init, peer_active, illegal_null,
});
