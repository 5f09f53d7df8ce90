//! What the sender is told and tells beside what its parts define.

use crate::send_table::SendKind;
use flitforge_hdl_prim::prelude::*;

/// An acknowledgment from a peer.
#[packed]
pub struct PeerAnswer {
    /// Connection.
    connection: Bits<12>,
    /// ACK: the last PSN that the peer has; NACK: the one that it wants next.
    psn: Bits<16>,
    /// NACK.
    nack: Bit,
}

/// An event of the table that an order leads to.
#[packed]
pub struct OwnEvent {
    /// `Stop`, `Open` or `Ack`.
    kind: SendKind,
    /// Connection.
    connection: Bits<12>,
    /// With `Open` and `Ack`.
    psn: Bits<16>,
}

/// A body that is to be read and sent.
#[packed]
pub struct SendRead {
    /// Its slot.
    slot: Bits<8>,
    /// Its PSN.
    psn: Bits<16>,
    /// Its connection.
    connection: Bits<12>,
    /// It was sent before.
    replay: Bit,
}

/// A body that the table does not know yet.
#[packed]
pub struct PendingBody {
    /// Its slot.
    slot: Bits<8>,
    /// Its connection.
    connection: Bits<12>,
}
