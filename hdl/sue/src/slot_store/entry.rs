//! What is kept of a body in a replay slot, and what is said of it.

use flitforge_hdl_prim::prelude::*;

/// Bits of a [`SlotEntry`].
pub const ENTRY_BITS: usize = 46;

/// What is kept of a body beside its words.
#[packed]
pub struct SlotEntry {
    /// XPU that it goes to.
    destination: Bits<10>,
    /// Virtual channel.
    vc: Bits<2>,
    /// Partition of all its commands.
    partition: Bits<10>,
    /// Commands in it.
    commands: Bits<10>,
    /// Place of its last word; the first is 0.
    last_word: Bits<9>,
    /// Octets of the last word, 1 to 8.
    last_bytes: Bits<4>,
    /// Makes the number of ones even.
    parity: Bit,
}

/// What goes with a body that is read.
#[packed]
pub struct SlotHead {
    /// Its slot.
    slot: Bits<8>,
    /// XPU that it goes to.
    destination: Bits<10>,
    /// Virtual channel.
    vc: Bits<2>,
    /// Partition of all its commands.
    partition: Bits<10>,
    /// Octets of the body.
    bytes: Bits<13>,
    /// Commands in it.
    commands: Bits<10>,
}

/// A body that stands in its slot.
#[packed]
pub struct StoredBody {
    /// The slot.
    slot: Bits<8>,
    /// XPU that it goes to.
    destination: Bits<10>,
    /// Virtual channel.
    vc: Bits<2>,
    /// Commands in it.
    commands: Bits<10>,
}

/// A word in the memory.
#[packed]
pub struct SlotWord {
    /// Its octets.
    data: Bits<64>,
    /// A bit for each that makes the number of ones even.
    parity: Bits<8>,
}
