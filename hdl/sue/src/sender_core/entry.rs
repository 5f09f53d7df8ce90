//! What the sender is told and tells beside what its parts define.

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

/// A connection is opened or stopped.
#[packed]
pub struct SendChange {
    /// Connection.
    connection: Bits<12>,
    /// With `opens`: the first PSN.
    psn: Bits<16>,
    /// It starts, empty; else it sends nothing more.
    opens: Bit,
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
