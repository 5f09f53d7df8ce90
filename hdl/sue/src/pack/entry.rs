//! What the parts of the packer tell each other, and what it tells its neighbours.

use flitforge_hdl_prim::prelude::*;

/// The answer to a body, or that a window has opened since.
#[packed]
pub struct QueueWindow {
    /// The XPU of the queue.
    destination: Bits<10>,
    /// Its virtual channel.
    vc: Bits<2>,
    /// The queue may have a turn; if not, it is parked.
    open: Bit,
}

/// Cells that can be used again.
#[packed]
pub struct CellsFreed {
    /// Virtual channel of the command that was in them.
    vc: Bits<2>,
    /// How many, 1 to 5.
    count: Bits<3>,
}

/// A queue has crossed a threshold.
#[packed]
pub struct QueueXoff {
    /// Its XPU.
    destination: Bits<10>,
    /// Its virtual channel.
    vc: Bits<2>,
    /// It has QHI cells or more; if not, it has QLO or fewer again.
    on: Bit,
}

/// A queue whose turn it is.
#[packed]
pub struct QueueTurn {
    /// Its XPU.
    destination: Bits<10>,
    /// Its virtual channel.
    vc: Bits<2>,
}

/// A command in its queue, besides the cell in which it begins.
#[packed]
pub struct Command {
    /// Its length in units of two octets, less one: last units in bits 1:0, whole words before them in bits 7:2.
    units: Bits<8>,
    /// Its partition.
    partition: Bits<10>,
    /// Nothing is packed after it.
    flush: Bit,
    /// It has one word.
    short: Bit,
}

/// Bits of a [`Command`].
pub const COMMAND_BITS: usize = 20;

/// A command that has come completely.
#[packed]
pub struct Arrival {
    /// The XPU that it goes to.
    destination: Bits<10>,
    /// Its virtual channel.
    vc: Bits<2>,
    /// What its queue keeps of it.
    command: Command,
}

/// What happens to a queue.
#[packed]
pub enum QueueEvent {
    /// A command has come.
    Arrive,
    /// The sender answers.
    Answer,
    /// A list has reached it.
    Start,
    /// Its body is complete.
    Close,
}

/// Where a queue is.
#[packed]
pub enum Place {
    /// Empty, and in no list.
    Out,
    /// In a list.
    Listed,
    /// A body of it is being built.
    Builds,
    /// A body was taken from it, and the sender has not said that it may have another.
    Waits,
}

/// What is kept of a queue, besides the cell of its last command.
#[packed]
pub struct QueueState {
    /// Where it is.
    place: Place,
    /// Commands are in it; while a body is built, also if all are taken.
    some: Bit,
    /// It is in the list of flushed queues, or is to enter that one.
    urgent: Bit,
    /// An old place of it is in the other list.
    stale: Bit,
}

/// Bits of a [`QueueState`].
pub const STATE_BITS: usize = 5;

/// A word on its way from the cells.
#[packed]
pub struct Passage {
    /// There is one.
    valid: Bit,
    /// Units of two octets in it, less one.
    units: Bits<2>,
    /// It is the last of its body.
    ends: Bit,
}
