//! What goes from the arbiter to the link and to flow control.

use flitforge_hdl_prim::prelude::*;

/// Bits of the octets of a frame.
pub const OCTETS_BITS: usize = 14;

/// A word of a frame, and what goes with its frame.
#[packed]
pub struct LinkWord {
    /// The octets, octet 0 in bits 7:0.
    data: Bits<64>,
    /// Octets of the word that belong to the frame, 1 to 8.
    bytes: Bits<4>,
    /// The word is the last of its frame.
    last: Bit,
    /// With `last`: the whole frame is to be discarded.
    error: Bit,
    /// Class of the frame.
    class: Bits<3>,
    /// The frame is not under link-layer retry.
    bypass: Bit,
}

/// A frame, as far as credits need to know it.
#[packed]
pub struct FrameCost {
    /// Class of the frame: entry of the class table.
    class: Bits<3>,
    /// Its octets without FCS.
    octets: Bits<14>,
}
