//! What the receiver has found, kept until its turn comes.

use super::{INIT_BITS, POINTER_BITS, TOKEN_BITS};
use flitforge_hdl_prim::prelude::*;

/// Keeps the events of one received LTP: they come in one clock, and the next LTP's at least 4 clocks later. They stand
/// on the outputs from the next clock until `take`.
#[block("replay_events")]
pub struct ReplayEvents {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// Events count; else they are forgotten.
    running: In<Bit>,
    /// A good RetryReq, a pair once: its pointer.
    pub request_in: FlowIn<Bits<POINTER_BITS>>,
    /// A good RndTripMrkr to be answered, a pair once: its token.
    pub answer_in: FlowIn<Bits<TOKEN_BITS>>,
    /// A good answer to a RndTripMrkr: its token.
    pub reply_in: FlowIn<Bits<TOKEN_BITS>>,
    /// A good InitReq or InitAck: {ack, fresh, NxtRx}.
    pub init_in: FlowIn<Bits<INIT_BITS>>,
    /// Two or more consecutive bad LTPs.
    double_bad_in: In<Bit>,
    /// The LTP shows that the peer is Active.
    peer_active_in: In<Bit>,
    /// The events are dealt with on this edge.
    take: In<Bit>,
    /// There are events.
    pending: Out<Bit>,
    /// A RetryReq; its pointer is in `data`.
    is_request: Out<Bit>,
    /// A RndTripMrkr; its token is in `data`.
    is_answer: Out<Bit>,
    /// An answer; its token is in `data`.
    is_reply: Out<Bit>,
    /// InitReq or InitAck; all of `data`.
    is_init: Out<Bit>,
    /// Two or more consecutive bad LTPs.
    is_double_bad: Out<Bit>,
    /// The peer is Active.
    is_peer_active: Out<Bit>,
    /// Pointer, token or Init message.
    data: Out<Bits<INIT_BITS>>,
    /// `data` of the next clock.
    data_next: Out<Bits<INIT_BITS>>,

    waits: Reg<Bit>,
    request: Reg<Bit>,
    answer: Reg<Bit>,
    reply: Reg<Bit>,
    init: Reg<Bit>,
    double_bad: Reg<Bit>,
    peer_active: Reg<Bit>,
    content: Reg<Bits<INIT_BITS>>,
}

#[logic]
impl ReplayEvents {
    fn update(&mut self) {
        let arrives = request_in.valid
            | answer_in.valid
            | reply_in.valid
            | init_in.valid
            | double_bad_in
            | peer_active_in;
        let mut chosen = init_in.data;
        if request_in.valid {
            chosen = bit_cast::<INIT_BITS, POINTER_BITS>(request_in.data);
        }
        if answer_in.valid {
            chosen = bit_cast::<INIT_BITS, TOKEN_BITS>(answer_in.data);
        }
        if reply_in.valid {
            chosen = bit_cast::<INIT_BITS, TOKEN_BITS>(reply_in.data);
        }
        if take {
            waits = false;
        }
        if arrives {
            waits = true;
            request = request_in.valid;
            answer = answer_in.valid;
            reply = reply_in.valid;
            init = init_in.valid;
            double_bad = double_bad_in;
            peer_active = peer_active_in;
            content = chosen;
        }
        if clear | !running {
            waits = false;
        }
        pending = waits;
        is_request = request;
        is_answer = answer;
        is_reply = reply;
        is_init = init;
        is_double_bad = double_bad;
        is_peer_active = peer_active;
        data = content;
        data_next = content.d;
    }
}
