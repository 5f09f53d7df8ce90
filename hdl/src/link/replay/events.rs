//! What the receiver has found, kept until its turn comes.

use super::{INIT_BITS, POINTER_BITS, TOKEN_BITS};
use crate::prim::stream::FlowIn;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;

/// Keeps the events of one received LTP: they come in one clock, and the next LTP's at least 4 clocks later. They stand
/// on the outputs from the next clock until `take`.
#[derive(LogicBlock, Default)]
pub struct ReplayEvents {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// Events count; else they are forgotten.
    pub running: Signal<In, Bit>,
    /// A good RetryReq, a pair once: its pointer.
    pub request_in: FlowIn<Bits<POINTER_BITS>>,
    /// A good RndTripMrkr to be answered, a pair once: its token.
    pub answer_in: FlowIn<Bits<TOKEN_BITS>>,
    /// A good answer to a RndTripMrkr: its token.
    pub reply_in: FlowIn<Bits<TOKEN_BITS>>,
    /// A good InitReq or InitAck: {ack, fresh, NxtRx}.
    pub init_in: FlowIn<Bits<INIT_BITS>>,
    /// Two or more consecutive bad LTPs.
    pub double_bad_in: Signal<In, Bit>,
    /// The LTP shows that the peer is Active.
    pub peer_active_in: Signal<In, Bit>,
    /// The events are dealt with on this edge.
    pub take: Signal<In, Bit>,
    /// There are events.
    pub pending: Signal<Out, Bit>,
    /// A RetryReq; its pointer is in `data`.
    pub is_request: Signal<Out, Bit>,
    /// A RndTripMrkr; its token is in `data`.
    pub is_answer: Signal<Out, Bit>,
    /// An answer; its token is in `data`.
    pub is_reply: Signal<Out, Bit>,
    /// InitReq or InitAck; all of `data`.
    pub is_init: Signal<Out, Bit>,
    /// Two or more consecutive bad LTPs.
    pub is_double_bad: Signal<Out, Bit>,
    /// The peer is Active.
    pub is_peer_active: Signal<Out, Bit>,
    /// Pointer, token or Init message.
    pub data: Signal<Out, Bits<INIT_BITS>>,
    /// `data` of the next clock.
    pub data_next: Signal<Out, Bits<INIT_BITS>>,

    waits: DFF<Bit>,
    request: DFF<Bit>,
    answer: DFF<Bit>,
    reply: DFF<Bit>,
    init: DFF<Bit>,
    double_bad: DFF<Bit>,
    peer_active: DFF<Bit>,
    content: DFF<Bits<INIT_BITS>>,
    arrives: Signal<Local, Bit>,
    chosen: Signal<Local, Bits<INIT_BITS>>,
}

impl Logic for ReplayEvents {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, waits, request, answer, reply, init, double_bad, peer_active, content);
        self.arrives.next = self.request_in.valid.val()
            | self.answer_in.valid.val()
            | self.reply_in.valid.val()
            | self.init_in.valid.val()
            | self.double_bad_in.val()
            | self.peer_active_in.val();
        self.chosen.next = self.init_in.data.val();
        if self.request_in.valid.val() {
            self.chosen.next = bit_cast::<INIT_BITS, POINTER_BITS>(self.request_in.data.val());
        }
        if self.answer_in.valid.val() {
            self.chosen.next = bit_cast::<INIT_BITS, TOKEN_BITS>(self.answer_in.data.val());
        }
        if self.reply_in.valid.val() {
            self.chosen.next = bit_cast::<INIT_BITS, TOKEN_BITS>(self.reply_in.data.val());
        }
        if self.take.val() {
            self.waits.d.next = false;
        }
        if self.arrives.val() {
            self.waits.d.next = true;
            self.request.d.next = self.request_in.valid.val();
            self.answer.d.next = self.answer_in.valid.val();
            self.reply.d.next = self.reply_in.valid.val();
            self.init.d.next = self.init_in.valid.val();
            self.double_bad.d.next = self.double_bad_in.val();
            self.peer_active.d.next = self.peer_active_in.val();
            self.content.d.next = self.chosen.val();
        }
        if self.clear.val() | !self.running.val() {
            self.waits.d.next = false;
        }
        self.pending.next = self.waits.q.val();
        self.is_request.next = self.request.q.val();
        self.is_answer.next = self.answer.q.val();
        self.is_reply.next = self.reply.q.val();
        self.is_init.next = self.init.q.val();
        self.is_double_bad.next = self.double_bad.q.val();
        self.is_peer_active.next = self.peer_active.q.val();
        self.data.next = self.content.q.val();
        self.data_next.next = self.content.d.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("replay_events", &[])
    }
}

drive_ports!(impl[] ReplayEvents { clock, clear, running, request_in, answer_in, reply_in, init_in, double_bad_in, peer_active_in, take, pending, is_request, is_answer, is_reply, is_init, is_double_bad, is_peer_active, data, data_next });
