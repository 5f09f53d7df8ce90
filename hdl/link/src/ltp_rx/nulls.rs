//! What a Null LTP says, and whether it belongs to the LTP before it (chapter 10, 3.2 and 4.2 rule 3).

use crate::ltp_tx::NULL_BITS;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::flit::{retrain_retry_req, retry_mrkr, rnd_trip_mrkr, Opcode, RetrainKind};

/// Lowest bit of the opcode in `request`.
const OPCODE_LOW: usize = NULL_BITS - 8;
/// A message that comes twice: {pointer or token} 16, {reply or fresh, kind} 3.
const MESSAGE_BITS: usize = 19;

/// Reads `request` as a Null LTP and hands it on, in the clock after its verdict. What it is stands 3 clocks after
/// `request`: there are at least 4 clocks from flit 0 to the verdict, and 4 from one verdict to the next.
#[block("ltp_rx_nulls")]
pub struct LtpRxNulls {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets the LTP before; nothing is handed on.
    clear: In<Bit>,
    /// Of flit 0: payload [47:0], opcode [55:48]. Holds until the verdict.
    request: In<Bits<NULL_BITS>>,
    /// Verdict: a good LTP.
    good: In<Bit>,
    /// Verdict: a bad LTP.
    bad: In<Bit>,
    /// With `good`: a Null LTP.
    null_ltp: In<Bit>,
    /// With the verdict: a good Null LTP that stands for itself.
    alone: In<Bit>,
    /// With the verdict: the LTP is taken for a RetryMrkr.1.
    second_half: In<Bit>,
    /// If it is a Null LTP: a RetryMrkr.
    is_marker: Out<Bit>,
    /// With `is_marker`: the .1.
    second: Out<Bit>,
    /// If it is a Null LTP: a RetrainRetryReq, and not the .1 after its .0.
    retrain: Out<Bit>,
    /// If it is a Null LTP: opcode 0x28 of a kind that does not exist.
    is_unknown: Out<Bit>,
    /// First replayed LTP of the last RetryMrkr that stood for itself.
    marker_first: Out<Bits<16>>,
    /// NxtWr of that RetryMrkr.
    marker_write: Out<Bits<16>>,
    /// RetryReq, a pair once: the peer's NxtRx.
    pub peer_request: FlowOut<Bits<16>>,
    /// RndTripMrkr, a pair once: token [7:0], reply [8].
    pub round_trip: FlowOut<Bits<9>>,
    /// InitReq or InitAck, each of a pair: NxtRx [15:0], fresh [16], InitAck [17].
    pub init: FlowOut<Bits<18>>,
    /// Event: an LTP that only an Active end sends.
    peer_active: Out<Bit>,
    /// Event: a Null LTP of unknown kind, or a good LTP that is not the RetryMrkr.1 it is taken for.
    illegal_null: Out<Bit>,

    request_found: Reg<Bit>,
    marker_found: Reg<Bit>,
    trip_found: Reg<Bit>,
    init_found: Reg<Bit>,
    retrain_found: Reg<Bit>,
    unknown_found: Reg<Bit>,
    second_found: Reg<Bit>,
    message: Reg<Bits<MESSAGE_BITS>>,
    first_message: Reg<Bits<MESSAGE_BITS>>,
    same_message: Reg<Bit>,
    marker: Reg<Bits<32>>,
    equal_marker: Reg<Bit>,
    pointer: Reg<Bits<16>>,
    trip: Reg<Bits<9>>,
    init_bits: Reg<Bits<2>>,
    event_request: Reg<Bit>,
    event_trip: Reg<Bit>,
    event_init: Reg<Bit>,
    event_active: Reg<Bit>,
    event_illegal: Reg<Bit>,

    #[init(OPCODE_LOW + 1)]
    pair_low: Constant<Bits<16>>,
    #[init(rnd_trip_mrkr::token::LOW)]
    token_low: Constant<Bits<16>>,
    #[init(retrain_retry_req::kind::LOW)]
    kind_low: Constant<Bits<16>>,
    #[init(retrain_retry_req::second::LOW)]
    half_low: Constant<Bits<16>>,
    #[init(retrain_retry_req::fresh::LOW)]
    fresh_low: Constant<Bits<16>>,
    #[init(OPCODE_LOW)]
    opcode_low: Constant<Bits<16>>,
    #[init(retry_mrkr::next_write_ltp::LOW)]
    write_low: Constant<Bits<16>>,
    #[init(u64::from(Opcode::RetryReq0.code() >> 1).into())]
    request_pair: Constant<Bits<7>>,
    #[init(u64::from(Opcode::RetryMrkr0.code() >> 1).into())]
    marker_pair: Constant<Bits<7>>,
    #[init(u64::from(Opcode::RndTripMrkr0.code() >> 1).into())]
    trip_pair: Constant<Bits<7>>,
    #[init(Opcode::RetrainRetryReq)]
    retrain_opcode: Constant<Bits<8>>,
    #[init(RetrainKind::RetrainRetryReq)]
    retrain_kind: Constant<Bits<4>>,
    #[init(RetrainKind::InitReq)]
    init_kind: Constant<Bits<4>>,
    #[init(RetrainKind::InitAck)]
    ack_kind: Constant<Bits<4>>,
}

// The pointers of RetryReq, RetryMrkr and opcode 0x28 stand at bit 0; the reply bit of a RndTripMrkr stands where
// opcode 0x28 has the bit for the second of a pair.
const _: () = assert!(rnd_trip_mrkr::reply::LOW == retrain_retry_req::second::LOW);
const _: () = assert!(retrain_retry_req::next_rx_ltp::LOW == 0 && retry_mrkr::first_replayed::LOW == 0);

#[logic]
impl LtpRxNulls {
    fn update(&mut self) {
        // Kind and fields.
        let pair_code = bit_cast::<7, NULL_BITS>(request >> pair_low);
        let retrain_code = bit_cast::<8, NULL_BITS>(request >> opcode_low) == retrain_opcode;
        let kind = bit_cast::<4, NULL_BITS>(request >> kind_low);
        let half_part = bit_cast::<1, NULL_BITS>(request >> half_low);
        let fresh_part = bit_cast::<1, NULL_BITS>(request >> fresh_low);
        let token_part = bit_cast::<8, NULL_BITS>(request >> token_low);
        request_found = pair_code == request_pair;
        marker_found = pair_code == marker_pair;
        trip_found = pair_code == trip_pair;
        init_found = retrain_code & ((kind == init_kind) | (kind == ack_kind));
        retrain_found = retrain_code & (kind == retrain_kind);
        unknown_found = retrain_code & (kind > ack_kind);
        second_found = bit_cast::<1, NULL_BITS>(request >> opcode_low).any();
        if retrain_code {
            second_found = half_part.any();
        }

        self.match_message(pair_code, retrain_code, kind, half_part, fresh_part, token_part);

        // Against the LTP before.
        same_message = second_found & (message == first_message);
        equal_marker = marker_found & second_found & (bit_cast::<32, NULL_BITS>(request) == marker);
        if good | bad {
            first_message = 0;
        }
        if alone {
            if !second_found {
                first_message = message;
            }
            if marker_found {
                marker = bit_cast::<32, NULL_BITS>(request);
            }
        }

        // What is handed on.
        pointer = bit_cast::<16, NULL_BITS>(request);
        trip = bit_cast::<9, 8>(token_part) | (bit_cast::<9, 1>(half_part) << 8);
        init_bits = bit_cast::<2, 1>(fresh_part);
        if kind == ack_kind {
            init_bits = bit_cast::<2, 1>(fresh_part) | 2;
        }
        event_request = alone & request_found & !same_message;
        event_trip = alone & trip_found & !same_message;
        event_init = alone & init_found;
        event_active = good & !clear & (!null_ltp | request_found | marker_found | retrain_found);
        event_illegal = good & null_ltp & unknown_found;
        if second_half & !clear {
            event_illegal = good & !(null_ltp & equal_marker);
        }
        if clear {
            first_message = 0;
            event_request = false;
            event_trip = false;
            event_init = false;
        }

        is_marker = marker_found;
        second = second_found;
        retrain = retrain_found & !same_message;
        is_unknown = unknown_found;
        marker_first = bit_cast::<16, 32>(marker);
        marker_write = bit_cast::<16, 32>(marker >> write_low);
        peer_request = In { data: pointer, valid: event_request };
        round_trip = In { data: trip, valid: event_trip };
        init.data = bit_cast::<18, 16>(pointer) | (bit_cast::<18, 2>(init_bits) << 16);
        init.valid = event_init;
        peer_active = event_active;
        illegal_null = event_illegal;
    }

    /// The message without its half: equal in both of a pair. Tag 0: it does not count once for both.
    fn match_message(
        &mut self,
        pair_code: Bits<7>,
        retrain_code: Bit,
        kind: Bits<4>,
        half_part: Bits<1>,
        fresh_part: Bits<1>,
        token_part: Bits<8>,
    ) {
        let mut low_part = bit_cast::<16, NULL_BITS>(request);
        let mut tag: Bits<3> = 0;
        if pair_code == request_pair {
            tag = 1;
        }
        if pair_code == trip_pair {
            low_part = bit_cast::<16, 8>(token_part);
            tag = bit_cast::<3, 1>(half_part) | 2;
        }
        if retrain_code & (kind == retrain_kind) {
            tag = bit_cast::<3, 1>(fresh_part) | 4;
        }
        message = bit_cast::<MESSAGE_BITS, 16>(low_part) | (bit_cast::<MESSAGE_BITS, 3>(tag) << 16);
    }
}
