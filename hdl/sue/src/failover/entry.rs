//! What is kept of a connection, what is asked of senders and receivers, and what goes between the parts.

use crate::rel_rx::ConnectionChange;
use crate::sender_orders::PortConnection;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::sue::reliability::CmCode;

/// Codes of the records of connection management.
pub(super) const FREEZE_REQUEST: u64 = CmCode::FreezeRequest.code() as u64;
pub(super) const FREEZE_RESPONSE: u64 = CmCode::FreezeResponse.code() as u64;
pub(super) const OPEN_REQUEST: u64 = CmCode::OpenRequest.code() as u64;
pub(super) const OPEN_RESPONSE: u64 = CmCode::OpenResponse.code() as u64;

/// Bits of an entry.
pub const ENTRY_BITS: usize = 18;

/// What the sender's side of a connection does.
#[packed]
pub enum Condition {
    /// It is in use.
    Open,
    /// It is closed, not yet for long.
    Rests,
    /// It is closed, for half of the time at least: it is opened when the next round of rests comes.
    Rested,
    /// Nothing.
    Spare,
}

/// A connection at this end's sender.
#[packed]
pub struct ConnectionEntry {
    /// Of a closed connection: the PSN that it starts from.
    psn: Bits<16>,
    /// What it does.
    condition: Condition,
}

/// What the host wants.
#[packed]
pub enum HostKind {
    /// The connection fails over (CMD bit 0).
    FailOver,
    /// The connection is opened (CMD bit 1), without waiting until it has rested.
    Open,
    /// The port is to reach the peer, by all virtual channels (table of reachability).
    Reach,
    /// It is not to reach it any more; what is under way goes on.
    Lose,
}

/// A command of the host.
#[packed]
pub struct HostCommand {
    /// What it wants.
    kind: HostKind,
    /// Of which connection; with `Reach` and `Lose` of all of the peer.
    of: PortConnection,
}

/// A change of a connection at the receiver of a port.
#[packed]
pub struct PortChange {
    /// The port.
    port: Bits<2>,
    /// What changes there.
    change: ConnectionChange,
}

/// A record of connection management that makes sense.
#[packed]
pub struct PeerRecord {
    /// XPU that sent it.
    source: Bits<10>,
    /// Port that it came through.
    through: Bits<2>,
    /// Port of the connection.
    port: Bits<2>,
    /// Virtual channel of the connection.
    vc: Bits<2>,
    /// OPEN, not FREEZE.
    opens: Bit,
    /// PSN, by kind.
    psn: Bits<16>,
}

/// Bodies of a virtual channel at the receiver of a port.
#[packed]
pub struct PortMark {
    /// The port.
    port: Bits<2>,
    /// The virtual channel.
    vc: Bits<2>,
}

/// A record to be sent.
#[packed]
pub struct OwnRecord {
    /// XPU that it goes to.
    destination: Bits<10>,
    /// Port that it leaves from.
    through: Bits<2>,
    /// Port of the connection.
    port: Bits<2>,
    /// Virtual channel of the connection.
    vc: Bits<2>,
    /// OPEN, not FREEZE.
    opens: Bit,
    /// An answer, not a request.
    answers: Bit,
    /// PSN, by kind.
    psn: Bits<16>,
}

/// Where the machine stands.
#[packed]
pub(super) enum Step {
    /// Looks for something to do.
    Idle,
    /// The entry is read.
    Read,
    /// The entry comes.
    Comes,
    /// What is to be done with it.
    Judge,
    /// The load balance is told that the port does not reach the peer.
    Lose,
    /// The sender is told to stop.
    Stop,
    /// It has not stopped yet.
    Stopping,
    /// Whether there is something to ask for.
    Weigh,
    /// Bodies still move from other ports.
    Drain,
    /// Which port to ask through.
    Pick,
    /// Whether that port reaches the peer.
    Look,
    /// A request goes out.
    Send,
    /// Its answer is waited for.
    Wait,
    /// STRICT_MAP becomes the port that had the answer.
    Home,
    /// The sender is told what came of it.
    Settle,
    /// It has not done so yet.
    Settling,
    /// The entry is written.
    Store,
    /// The next virtual channel of the same port and peer.
    Next,
    /// The load balance is told.
    Tell,
}
