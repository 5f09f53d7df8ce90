//! Halves of columns: four octets, in which a frame or an ordered set may begin.

use flitforge_hdl_prim::prelude::*;

/// What a half is.
#[packed]
pub struct Half {
    /// Four octets of data.
    data: Bit,
    /// A frame begins.
    start: Bit,
    /// An ordered set begins.
    set: Bit,
    /// A frame ends: after `count` octets of data comes its end.
    ends: Bit,
    /// Octets of data before the end.
    count: Bits<2>,
}

/// Where the receiver is before a column.
#[packed]
pub struct Place {
    /// In a frame or its preamble.
    inside: Bit,
    /// With `inside`: the first half of the preamble has come.
    in_preamble: Bit,
    /// The second half of an ordered set comes next.
    in_set: Bit,
    /// Four octets wait for four more.
    pending: Bit,
    /// The octets that wait are the last of a frame that has ended.
    tail: Bit,
    /// A frame has ended in octets 5 to 7 of the column before.
    too_soon: Bit,
    /// The frame has as many octets as a frame may have.
    full: Bit,
}

/// What a column does.
#[packed]
pub struct Turn {
    /// The octets that wait come first.
    join: Bit,
    /// The lower half is of a frame.
    low_kept: Bit,
    /// A half is kept and waits for another one.
    waits: Bit,
    /// Eight octets come together.
    forms: Bit,
    /// They are a preamble.
    preamble: Bit,
    /// A frame ends.
    closes: Bit,
    /// With its end character.
    clean: Bit,
    /// The end is in the lower half.
    ends_low: Bit,
    /// The octets after the end of the word that was held are more than its FCS.
    rest: Bit,
    /// Octets are left for a clock more.
    tail: Bit,
    /// A frame ends in octets 5 to 7.
    ends_late: Bit,
    /// A start is not taken.
    refused: Bit,
    /// An ordered set is there.
    set: Bit,
}

/// What is told of a frame that has ended, before its FCS is known.
#[packed]
pub struct Closing {
    /// A control character inside, or no end.
    code: Bit,
    /// Too many octets.
    long: Bit,
    /// Its words.
    words: Bits<11>,
    /// Octets after these.
    more: Bits<4>,
}

/// Parts of the verdict, a clock before it.
#[packed]
pub struct Judgement {
    /// A control character inside, or no end.
    code: Bit,
    /// Too many octets.
    long: Bit,
    /// Too few octets.
    runt: Bit,
    /// Octets with FCS.
    octets: Bits<14>,
}
