//! What an XPU says to the command interface and what it is told, and what stands in the stages of the check.

use crate::frame::{CommandHead, FrameWord};
use flitforge_hdl_prim::prelude::*;

/// A word of a command from the XPU: control words first, then data words.
#[packed]
pub struct CommandWord {
    /// The octets, octet 0 in bits 7:0; octets beyond `bytes` say nothing.
    data: Bits<64>,
    /// Octets of the word, 1 to 8; 8 in all words but the last of the control and the last of the data.
    bytes: Bits<4>,
    /// The word is the first of its command; its first two octets are the header.
    first: Bit,
    /// The word is the last of its command.
    last: Bit,
    /// The octets are data (strobes included), not header or control.
    is_data: Bit,
}

/// Cells of 64 octets that the XPU may use.
#[packed]
pub struct CellCredits {
    /// The virtual channel.
    vc: Bits<2>,
    /// How many more.
    count: Bits<8>,
}

/// Whether commands of a partition are taken.
#[packed]
pub struct PartitionRule {
    /// The partition.
    partition: Bits<10>,
    /// They are.
    allowed: Bit,
}

/// A word without gaps of octets, with its command.
#[packed]
pub struct FormedWord {
    /// The word; `error` is not known yet.
    word: FrameWord,
    /// Its command.
    head: CommandHead,
}

/// The header of a command.
#[packed]
pub struct CommandHeader {
    /// The type.
    kind: Bits<4>,
    /// Control octets, in units of two.
    clen: Bits<4>,
    /// With data: data octets less one.
    dlen: Bits<8>,
    /// It is a write with strobes.
    strobed: Bit,
}

/// Octets of a command, as the header has them: so that no sum is needed to compare. Numbers below 0 are there, too.
#[packed]
pub struct CommandOctets {
    /// Header and control, less the header's two.
    control: Bits<9>,
    /// Data and strobes, less one.
    data: Bits<9>,
}

/// What happens after a clear.
#[packed]
pub enum CommandPhase {
    /// The rules of the types are read.
    Waits,
    /// Credits are announced, one virtual channel after the other.
    Announces,
    /// Commands come in.
    Runs,
    /// As `Runs`.
    Spare,
}
