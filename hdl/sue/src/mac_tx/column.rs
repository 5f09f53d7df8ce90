//! What columns are made of.

use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::sue::link_control::llr_preamble;

/// What a column is, eight octets of one clock; idle if none of these.
#[packed]
pub struct Column {
    /// Eight octets of a frame.
    data: Bit,
    /// The last octets of a frame, and what fits of FCS and end.
    last: Bit,
    /// What is left of FCS and end.
    tail: Bit,
    /// An ordered set.
    set: Bit,
    /// A preamble.
    preamble: Bit,
    /// A frame breaks off.
    abort: Bit,
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
