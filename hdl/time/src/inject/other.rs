//! What is offered beside Lows.

use flitforge_hdl_prim::prelude::*;

/// Bits of a time flit's payload.
const PAYLOAD_BITS: usize = 48;

/// A marker or a lone High, chosen in the clock before it is offered: DelayResp, DelayReq, High (chapter 20, 4.5 rule 3).
/// All outputs are registers. `taken` and `clear` leave nothing for the next clock.
#[block("other_beat")]
pub struct OtherBeat {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// A beat is taken in this clock.
    taken: In<Bit>,
    /// Payload of a DelayResp.
    pub response: FlowIn<Bits<PAYLOAD_BITS>>,
    /// Payload of a DelayReq.
    pub request: FlowIn<Bits<PAYLOAD_BITS>>,
    /// There is a High that may go alone.
    high: In<Bit>,
    /// There is one.
    valid: Out<Bit>,
    /// It is a DelayResp.
    is_response: Out<Bit>,
    /// It is a DelayReq.
    is_request: Out<Bit>,
    /// It is a High.
    is_high: Out<Bit>,
    /// Payload of the marker.
    payload: Out<Bits<PAYLOAD_BITS>>,
    response_now: Reg<Bit>,
    request_now: Reg<Bit>,
    high_now: Reg<Bit>,
    payload_now: Reg<Bits<PAYLOAD_BITS>>,
}

#[logic]
impl OtherBeat {
    fn update(&mut self) {
        let free = !taken & !clear;
        response_now = response.valid & free;
        request_now = request.valid & !response.valid & free;
        high_now = high & !request.valid & !response.valid & free;
        payload_now = request.data;
        if response.valid {
            payload_now = response.data;
        }
        valid = response_now | request_now | high_now;
        is_response = response_now;
        is_request = request_now;
        is_high = high_now;
        payload = payload_now;
    }
}
