//! What the unpacker keeps.

use crate::receive_buffer::{PLACE_BITS, VCS};
use flitforge_hdl_prim::prelude::*;

/// Bits of the credits that were given to a virtual channel, and of those that are used.
pub const CREDIT_BITS: usize = 10;

/// Credits of the XPU: room for commands.
#[packed]
pub struct OutCredit {
    /// Virtual channel.
    vc: Bits<2>,
    /// Cells of 64 octets that became free.
    count: Bits<8>,
}

/// What the unpacker does.
#[packed]
pub enum UnpackMode {
    /// No body is open.
    Rests,
    /// A virtual channel is chosen.
    Opens,
    /// Its body is read and delivered.
    Runs,
}

/// Where a body goes on.
#[packed]
pub struct Position {
    /// Word in the ring.
    place: Bits<PLACE_BITS>,
    /// Unit in the word.
    unit: Bits<2>,
}

/// What comes after a unit, if a word of a command, or a NOP, begins there.
#[packed]
pub struct Ahead {
    /// The unit that comes next.
    unit: Bits<2>,
    /// The command ends before it.
    ends: Bit,
    /// Its mark.
    mark: Bits<3>,
}

/// What a mark says.
#[packed]
pub struct Kind {
    /// A command begins.
    command: Bit,
    /// A NOP.
    nop: Bit,
    /// No command follows.
    end: Bit,
    /// There are credits for the command.
    enough: Bit,
    /// Its cells.
    cells: Bits<3>,
}

/// What is done with the word at the front.
#[packed]
pub struct Step {
    /// A word of a command goes out.
    delivers: Bit,
    /// It is the first one.
    starts: Bit,
    /// The position moves on.
    moves: Bit,
    /// The next word becomes the front.
    shifts: Bit,
    /// The body is done.
    finishes: Bit,
    /// The body is left for another virtual channel.
    leaves: Bit,
}

/// One bit for each virtual channel.
pub type VcSet = Bits<VCS>;
