//! Connections as TBL_DATA shows them (chapter 50, 5): [`connections`](flitforge_protocol::sue_registers::connections).

use crate::receive_table::ReceiveEntry;
use crate::send_table::{SendEntry, SendState};
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::sue_registers::connections;

/// An entry of a sender or of a receiver, never of both in a clock, and what the host reads of it. Without registers.
#[block("sue_connection_shown")]
pub struct ConnectionShown {
    /// An entry of the sender.
    pub sender: FlowIn<SendEntry>,
    /// An entry of the receiver.
    pub receiver: FlowIn<ReceiveEntry>,
    /// What the host reads.
    pub looked: FlowOut<Bits<64>>,
}

#[logic]
impl ConnectionShown {
    fn update(&mut self) {
        let sent = sender.data;
        let failed = sent.state == SendState::Failed;
        let stopped = sent.state == SendState::Stopped;
        let closed = sent.state == SendState::Closed;
        let of_sender: Bits<{ connections::sender::WIDTH }> = cat(
            sent.unacknowledged,
            sent.next_psn,
            sent.send,
            sent.retry,
            failed,
            stopped,
            closed,
            sent.freeing,
            sent.rewinds,
        );
        let came = receiver.data;
        let of_receiver: Bits<{ connections::receiver::WIDTH }> =
            cat(came.expected, came.last, came.gap, came.frozen);
        let sent_word: Bits<64> = bit_cast::<64, { connections::sender::WIDTH }>(of_sender);
        let came_word: Bits<64> = bit_cast::<64, { connections::receiver::WIDTH }>(of_receiver);
        looked.data = if sender.valid { sent_word } else { came_word };
        looked.valid = sender.valid | receiver.valid;
    }
}
