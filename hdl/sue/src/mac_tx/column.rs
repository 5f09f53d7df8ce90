//! What columns are made of.

use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::sue::link_control::llr_preamble;

/// What the sender does.
#[packed]
pub enum Phase {
    /// Counts the idle columns that are owed.
    Gap,
    /// The column before may become a preamble: a frame may begin.
    Open,
    /// Takes words of a frame.
    Frame,
    /// Pads a short frame with zeros.
    Pad,
    /// The clock after the last word: the rest of the FCS, and how long the gap is.
    After,
    /// Drops what is left of a frame that has broken off.
    Drain,
}

/// What a column is, eight octets of one clock.
#[packed]
pub enum Column {
    /// Between frames.
    Idle,
    /// Eight octets of a frame.
    Data,
    /// The last octets of a frame, and what fits of FCS and end.
    Last,
    /// What is left of FCS and end.
    Tail,
    /// An ordered set.
    Control,
    /// A preamble.
    Preamble,
    /// A frame breaks off.
    Abort,
}

/// Where the parts of a column end, counted in octets.
#[packed]
pub struct Extent {
    /// Octets of the frame.
    data: Bits<4>,
    /// Those and the FCS.
    used: Bits<4>,
    /// The end follows.
    ends: Bit,
    /// An error comes first.
    aborts: Bit,
    /// The first octet is a control character.
    marks: Bit,
}

/// By octet of a column.
#[packed]
pub struct Lanes {
    /// Octets of the frame and of the FCS.
    used: Bits<8>,
    /// Octets of the FCS.
    fcs: Bits<8>,
    /// The end.
    end: Bits<8>,
    /// An error comes first.
    aborts: Bit,
    /// The first octet is a control character.
    marks: Bit,
}

/// Preamble of a numbered frame, octet 0 in the uppermost bits.
#[packed(llr_preamble)]
pub struct NumberedPreamble {
    /// 0.
    flags: Bits<8>,
    /// Sequence number.
    seq: Bits<20>,
    /// 0.
    reserved: Bits<4>,
    /// Tells it from the standard preamble.
    mark: Bits<8>,
    /// As in the standard preamble.
    fill: Bits<16>,
    /// Start character.
    start: Bits<8>,
}
