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
    /// `count` is not 0.
    some: Bit,
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
    /// The frame goes on.
    stays: Bit,
    /// A frame ends,
    closes: Bit,
    /// with its end character.
    clean: Bit,
    /// More octets than its FCS come after the word that is held.
    rest: Bit,
    /// Octets are left for a clock more.
    tail: Bit,
    /// Eight octets of a frame come together.
    forms: Bit,
    /// A preamble comes together.
    preamble: Bit,
    /// The FCS runs over what comes together.
    sums: Bit,
    /// An ordered set is there.
    set: Bit,
    /// A frame ends in octets 5 to 7.
    ends_late: Bit,
    /// A start breaks off or is not taken.
    lost: Bit,
    /// Four octets wait, or the lower half is of the frame.
    either: Bit,
    /// Both.
    both: Bit,
    /// Octets before the end are some.
    some: Bit,
    /// How many, 0 to 3.
    count: Bits<2>,
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
