//! What the walker is told and tells.

use flitforge_hdl_prim::prelude::*;

/// A slot that follows another one.
#[packed]
pub struct SlotLink {
    /// The one before.
    before: Bits<8>,
    /// The one after it.
    slot: Bits<8>,
}

/// What became of a body (chapter 50, 4.1 rule 4).
#[packed]
pub enum BodyStatus {
    /// It arrived at the peer.
    Delivered,
    /// It did not.
    Failed,
    /// A generation step has flushed it.
    Flushed,
    /// Nobody knows.
    Unknown,
}

/// Slots of a connection that are to be freed.
#[packed]
pub struct FreeRequest {
    /// The connection.
    connection: Bits<12>,
    /// The first of them; the others follow along the links.
    slot: Bits<8>,
    /// How many, 1 at least.
    count: Bits<9>,
    /// What became of their bodies.
    status: BodyStatus,
    /// Their bodies leave for another port; the slots are free when they are back at `returned`.
    moves: Bit,
}

/// A slot whose body has left for another port.
#[packed]
pub struct ReturnedSlot {
    /// The slot.
    slot: Bits<8>,
    /// XPU that its body goes to.
    destination: Bits<10>,
    /// Virtual channel.
    vc: Bits<2>,
    /// Commands in it.
    commands: Bits<10>,
    /// The body was wrong and goes nowhere.
    failed: Bit,
}

/// Slots of a connection that are free.
#[packed]
pub struct FreedSlots {
    /// The connection.
    connection: Bits<12>,
    /// The last of them.
    slot: Bits<8>,
    /// How many.
    count: Bits<9>,
}

/// A body whose slot is free.
#[packed]
pub struct Completion {
    /// Its connection.
    connection: Bits<12>,
    /// XPU that it went to.
    destination: Bits<10>,
    /// Virtual channel.
    vc: Bits<2>,
    /// Commands in it.
    commands: Bits<10>,
    /// What became of them.
    status: BodyStatus,
}

/// What is kept of the body of a slot.
#[packed]
pub struct SlotRecord {
    /// XPU that it goes to.
    destination: Bits<10>,
    /// Virtual channel.
    vc: Bits<2>,
    /// Commands in it.
    commands: Bits<10>,
}
