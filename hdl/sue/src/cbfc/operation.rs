//! What is done to counts, and the formats that they come and go in.

use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::sue::link_control;

/// Bits of a count of cells.
pub const CELLS_BITS: usize = link_control::CREDIT_BITS;

/// What is done to the counts of a virtual channel. Nothing, if no bit is set.
///
/// | at the sender | | at the receiver |
/// |---|---|---|
/// | cells of frames that were chosen | `main` | cells freed (CF) |
/// | cells of frames that were sent (CC) | `passed` | cells of frames that came |
/// | cells freed as far as told (CF) | `other` | CF as last told |
#[packed]
pub struct CreditOperation {
    /// At the receiver.
    receiver: Bit,
    /// Adds to `main`, and compares it with `other`.
    adds: Bit,
    /// Adds to `passed`.
    passes: Bit,
    /// A count of the peer, if it may be: `other` of the sender moves to it; how far it is ahead of `passed` of the receiver is told.
    checks: Bit,
    /// `other` of the receiver moves to `main`, and is told.
    tells: Bit,
    /// With `tells`: it is the second of its CF_Update.
    second: Bit,
    /// Takes cells from the pool, and compares `main` with `other`.
    returns: Bit,
    /// Puts zeros into all counts.
    zeroes: Bit,
    /// Only counts the cells of the largest frame.
    measures: Bit,
}

/// An operation on its way.
#[packed]
pub struct CreditRequest {
    /// What is done.
    operation: CreditOperation,
    /// To the virtual channel of this class.
    class: Bits<3>,
    /// To the virtual channel `vc` instead.
    by_vc: Bit,
    /// Virtual channel.
    vc: Bits<5>,
    /// With so many cells as a frame of `octets` costs.
    by_octets: Bit,
    /// Octets of a frame without FCS.
    octets: Bits<14>,
    /// With so many cells.
    cells: Bits<15>,
}

/// Cells of a class.
#[packed]
pub struct ClassCells {
    /// Class.
    class: Bits<3>,
    /// Cells.
    cells: Bits<15>,
}

/// What follows an operation that has moved a count.
#[packed]
pub struct CreditMove {
    /// Class.
    class: Bits<3>,
    /// By how many cells.
    cells: Bits<15>,
    /// At the receiver.
    receiver: Bit,
}

/// CF of a virtual channel, for a CF_Update.
#[packed]
pub struct CreditTold {
    /// Virtual channel.
    vc: Bits<5>,
    /// Its CF.
    cells: Bits<15>,
    /// The virtual channel has credits.
    known: Bit,
    /// It is the second one.
    second: Bit,
}

/// The ordered set CF_Update, octet 0 in the highest bits.
#[packed(link_control::cf_update)]
pub struct FreedUpdate {
    /// Not used.
    #[reserved]
    below: Bits<4>,
    /// Cells freed of `vc2`.
    cnt2: Bits<15>,
    /// Second virtual channel.
    vc2: Bits<5>,
    /// 6.
    o_code: Bits<4>,
    /// Cells freed of `vc1`.
    cnt1: Bits<15>,
    /// First virtual channel.
    vc1: Bits<5>,
    /// Type.
    kind: Bits<8>,
    /// First octet.
    start: Bits<8>,
}

/// An entry of CC_Update, octet 0 in the highest bits.
#[packed(link_control::cc_entry)]
pub struct ConsumedEntry {
    /// Not used.
    #[reserved]
    below: Bits<36>,
    /// Cells consumed.
    cnt: Bits<15>,
    /// Virtual channel.
    vc: Bits<5>,
    /// Type of the entry.
    kind: Bits<8>,
}
