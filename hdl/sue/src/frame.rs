//! Words of frames and bodies, and what goes with them between the blocks (chapter 50, 2: `FS(W)` with W = 64).
//!
//! - Octet 0 of a word is in bits 7:0 and goes first. All words but the last of a frame are full.
//! - Where a port carries what belongs to a whole frame (a head), it holds still from the first word of the frame to the last.
//! - What receives a frame may learn only after its last word whether the frame counts: words go on at once, a verdict for each frame comes
//!   later, in the same order. At most [`VERDICTS`] frames wait for theirs.

use flitforge_hdl_prim::prelude::*;

/// Octets of a word.
pub const WORD_BYTES: usize = 8;
/// Most frames whose words have gone by and whose verdict has not.
pub const VERDICTS: usize = 4;

/// A word of a frame, a PDU or a body.
#[packed]
pub struct FrameWord {
    /// The octets, octet 0 in bits 7:0; octets beyond `bytes` say nothing.
    data: Bits<64>,
    /// Octets of the word that belong to the frame, 1 to 8; 8 in all words but the last.
    bytes: Bits<4>,
    /// The word is the last of its frame.
    last: Bit,
    /// With `last`: the whole frame is to be discarded.
    error: Bit,
}

/// The preamble of a frame (chapter 50, 3.7).
#[packed]
pub struct FramePreamble {
    /// The frame is numbered for link-layer retry: its preamble carries `sequence`.
    numbered: Bit,
    /// Its link sequence number.
    sequence: Bits<20>,
}

/// What is found of a frame once all of it has come.
#[packed]
pub struct FrameVerdict {
    /// None of the others.
    good: Bit,
    /// The frame check sequence is wrong.
    fcs: Bit,
    /// It has fewer octets than MINF and the FCS.
    runt: Bit,
    /// It has more octets than a frame may have.
    long: Bit,
    /// An error or a wrong control character inside, or no end.
    code: Bit,
    /// With `fcs`: the frame check sequence is exactly the inverted one; its sender has marked the frame bad.
    poisoned: Bit,
}

/// What a PDU is sent with (chapter 50, 3.5 and 3.6).
#[packed]
pub struct PduHead {
    /// XPU that it goes to.
    destination: Bits<10>,
    /// Virtual channel.
    vc: Bits<2>,
    /// Port that it leaves from.
    port: Bits<2>,
    /// Class of the frame: entry of the class table.
    class: Bits<3>,
    /// Octets of the PDU: reliability header, body and R-CRC.
    bytes: Bits<13>,
}

/// What goes with the commands of a body to be sent (chapter 50, 4.3).
#[packed]
pub struct BodyHead {
    /// XPU that it goes to.
    destination: Bits<10>,
    /// Virtual channel.
    vc: Bits<2>,
    /// Partition of all its commands.
    partition: Bits<10>,
}

/// What goes with a body that was received.
#[packed]
pub struct ReceivedHead {
    /// XPU that it comes from.
    source: Bits<10>,
    /// Virtual channel.
    vc: Bits<2>,
    /// Port that it came by.
    port: Bits<2>,
    /// Partition of all its commands.
    partition: Bits<10>,
}

/// What goes with a command from the XPU.
#[packed]
pub struct CommandHead {
    /// XPU that it goes to.
    destination: Bits<10>,
    /// Virtual channel.
    vc: Bits<2>,
    /// Its partition.
    partition: Bits<10>,
    /// Nothing is packed after it.
    flush: Bit,
}
