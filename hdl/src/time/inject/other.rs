//! What is offered beside Lows.

use crate::prim::stream::FlowIn;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;

/// Bits of a time flit's payload.
const PAYLOAD_BITS: usize = 48;

/// A marker or a lone High, chosen in the clock before it is offered: DelayResp, DelayReq, High (chapter 20, 4.5 rule 3).
/// All outputs are registers. `taken` and `clear` leave nothing for the next clock.
#[derive(LogicBlock, Default)]
pub struct OtherBeat {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// A beat is taken in this clock.
    pub taken: Signal<In, Bit>,
    /// Payload of a DelayResp.
    pub response: FlowIn<Bits<PAYLOAD_BITS>>,
    /// Payload of a DelayReq.
    pub request: FlowIn<Bits<PAYLOAD_BITS>>,
    /// There is a High that may go alone.
    pub high: Signal<In, Bit>,
    /// There is one.
    pub valid: Signal<Out, Bit>,
    /// It is a DelayResp.
    pub is_response: Signal<Out, Bit>,
    /// It is a DelayReq.
    pub is_request: Signal<Out, Bit>,
    /// It is a High.
    pub is_high: Signal<Out, Bit>,
    /// Payload of the marker.
    pub payload: Signal<Out, Bits<PAYLOAD_BITS>>,
    response_now: DFF<Bit>,
    request_now: DFF<Bit>,
    high_now: DFF<Bit>,
    payload_now: DFF<Bits<PAYLOAD_BITS>>,
    free: Signal<Local, Bit>,
}

impl Logic for OtherBeat {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, response_now, request_now, high_now, payload_now);
        self.free.next = !self.taken.val() & !self.clear.val();
        self.response_now.d.next = self.response.valid.val() & self.free.val();
        self.request_now.d.next = self.request.valid.val() & !self.response.valid.val() & self.free.val();
        self.high_now.d.next =
            self.high.val() & !self.request.valid.val() & !self.response.valid.val() & self.free.val();
        self.payload_now.d.next = self.request.data.val();
        if self.response.valid.val() {
            self.payload_now.d.next = self.response.data.val();
        }
        self.valid.next = self.response_now.q.val() | self.request_now.q.val() | self.high_now.q.val();
        self.is_response.next = self.response_now.q.val();
        self.is_request.next = self.request_now.q.val();
        self.is_high.next = self.high_now.q.val();
        self.payload.next = self.payload_now.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("other_beat", &[])
    }
}

drive_ports!(impl[] OtherBeat {
    clock, clear, taken, response, request, high, valid, is_response, is_request, is_high,
    payload,
});
