//! What the lists hold and offer.

use flitforge_hdl_prim::prelude::*;

/// A connection whose turn it is to send.
#[packed]
pub struct SendTurn {
    /// The connection; its virtual channel is in the lowest two bits.
    connection: Bits<12>,
    /// It waits to send again.
    replay: Bit,
}

/// Bits of a connection that change when it enters a list.
#[packed]
pub struct ListMarks {
    /// In the list of new bodies.
    new: Bit,
    /// In the list of replays.
    replay: Bit,
}

/// A place in a list.
#[packed]
pub struct ListPlace {
    /// The connection, without its virtual channel.
    peer: Bits<10>,
    /// The bit of the connection in this list, as it became.
    mark: Bit,
}

/// A connection that may enter a list.
#[packed]
pub struct ListEntry {
    /// The connection.
    connection: Bits<12>,
    /// Into the list of those that go back.
    replay: Bit,
    /// If it is in neither list.
    either: Bit,
}
