//! What goes in and out of the load balance beside bodies.

use flitforge_hdl_prim::prelude::*;

/// What changes in the tables.
#[packed]
pub enum ChangeKind {
    /// The port reaches the peer; without effect while the port is down.
    Reach,
    /// It does not.
    Lose,
    /// STRICT_MAP: the peer's port.
    Home,
    /// Nothing.
    Spare,
}

/// A change of the tables.
#[packed]
pub struct RouteChange {
    /// The peer.
    destination: Bits<10>,
    /// What changes.
    kind: ChangeKind,
    /// The port.
    port: Bits<2>,
}

/// A body that no port can reach the peer of: its commands get status 1.
#[packed]
pub struct RefusedBody {
    /// The peer.
    destination: Bits<10>,
    /// Virtual channel.
    vc: Bits<2>,
    /// Commands in the body.
    commands: Bits<10>,
}

/// What a port offers for a body: the larger one wins. No two are equal.
#[packed]
pub(super) struct Offer {
    /// Larger the earlier the port comes after the rotating pointer.
    turn: Bits<2>,
    /// Octets of credit less octets that wait, with an offset.
    available: Bits<22>,
    /// The port may have the body.
    eligible: Bit,
}
