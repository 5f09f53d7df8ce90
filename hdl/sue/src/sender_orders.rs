//! What connection management asks of the senders (chapter 50, 4.4): types that both know.

use flitforge_hdl_prim::prelude::*;

/// A connection of a port.
#[packed]
pub struct PortConnection {
    /// XPU and, in the lowest two bits, virtual channel.
    connection: Bits<12>,
    /// Port.
    port: Bits<2>,
}

/// What a sender is to do.
#[packed]
pub enum OrderKind {
    /// Send nothing more on the connection, and take nothing.
    Stop,
    /// Free what is before `psn`, with status 0; move the rest, in order, to another port; then the connection starts at `psn`.
    HandOver,
    /// Free all, with status 3 what was sent and 1 what was not.
    Abandon,
    /// Use the connection again, from `psn` on.
    Open,
}

/// An order for the sender of a port. It answers when all is done.
#[packed]
pub struct SenderOrder {
    /// What to do.
    kind: OrderKind,
    /// With which connection.
    of: PortConnection,
    /// From where.
    psn: Bits<16>,
}

/// Where the connection of an order stands.
#[packed]
pub struct SenderAnswer {
    /// Oldest PSN without acknowledgment.
    oldest: Bits<16>,
    /// PSN of the next new body.
    following: Bits<16>,
}
