//! What is known of a unit of two octets, stage by stage, and what is said of a body.

use crate::frame::ReceivedHead;
use flitforge_hdl_prim::prelude::*;

/// Bits of the mark of a unit.
pub const MARK_BITS: usize = 3;
/// No header stands here. Marks of 1 to 5: a command of so many cells of 64 octets begins.
pub const MARK_NONE: usize = 0;
/// A NOP.
pub const MARK_NOP: usize = 6;
/// END: no command follows.
pub const MARK_END: usize = 7;

/// A word of a body, with what begins in it.
#[packed]
pub struct MarkedWord {
    /// The octets, octet 0 in bits 7:0.
    data: Bits<64>,
    /// The mark of each unit of two octets, the first in the lowest bits.
    marks: Bits<12>,
    /// The word is the last of its body.
    last: Bit,
    /// With `last`: the whole frame is to be discarded.
    error: Bit,
}

/// What a body is found to be.
#[packed]
pub struct BodyVerdict {
    /// Nothing is wrong with it.
    well_formed: Bit,
    /// It begins with END: it belongs to an acknowledgment alone.
    empty: Bit,
    /// Commands to be delivered: without NOPs; it stays at 1,023.
    commands: Bits<10>,
}

/// What goes beside the stages.
#[packed]
pub struct Passing {
    /// The octets.
    data: Bits<64>,
    /// The last word.
    last: Bit,
    /// The frame is to be discarded.
    error: Bit,
    /// What goes with the body.
    head: ReceivedHead,
}

/// A rule of TYPE_CFG without the reserved bits.
#[packed]
pub struct Rule {
    /// The clen of the type, if pinned.
    clen: Bits<4>,
    /// clen has to be the one here.
    pin: Bit,
    /// Commands of the type are taken.
    valid: Bit,
}

/// What a word says of its end.
#[packed]
pub struct Ending {
    /// Units that begin inside the body.
    there: Bits<4>,
    /// The last word.
    last: Bit,
    /// The body has an odd number of octets.
    odd: Bit,
}

/// Stage 1: a unit, read as a header.
#[packed]
pub struct Looked {
    /// Octets of the data area less one, if there are strobes in it.
    strobed_area: Bits<9>,
    /// There are.
    strobes: Bit,
    /// The same, if there are none.
    dlen: Bits<8>,
    /// Units of control.
    clen: Bits<4>,
    /// There is a data area.
    has_data: Bit,
    /// Both octets are zero, or the body ends before.
    end: Bit,
    /// The second octet is not zero.
    second: Bit,
    /// The type is 0.
    untyped: Bit,
    /// A message without control: TYPE_CFG is not asked.
    free: Bit,
}

/// Stage 2: the length is known, and whether the header is one.
#[packed]
pub struct Measured {
    /// Units after the header.
    more: Bits<8>,
    /// The header is wrong.
    wrong: Bit,
    /// The last octet is padding.
    padded: Bit,
    /// END, or after the body.
    end: Bit,
    /// The second octet is not zero.
    second: Bit,
    /// A NOP, if the header is right.
    nop: Bit,
}

/// Stage 3: where the command ends.
#[packed]
pub struct Placed {
    /// Units after this word, if the command ends after it; else 0.
    rest: Bits<8>,
    /// The next header is one unit further, two, three.
    leads: Bits<3>,
    /// A body may not have a header like this here.
    wrong: Bit,
    /// The command goes on after this word, and its last octet is padding.
    pads_later: Bit,
    /// A body that ends with this word ends as it should.
    done: Bit,
    /// A command to be delivered begins.
    counts: Bit,
    /// END, or after the body.
    end: Bit,
    /// The second octet is not zero.
    second: Bit,
    /// The mark of the unit.
    mark: Bits<3>,
}

/// What does not depend on where a word begins, for the four units.
#[packed]
pub struct Facts {
    /// See [`Placed`].
    wrong: Bits<4>,
    /// See [`Placed`].
    pads_later: Bits<4>,
    /// See [`Placed`].
    done: Bits<4>,
    /// See [`Placed`].
    counts: Bits<4>,
    /// See [`Placed`].
    end: Bits<4>,
    /// See [`Placed`].
    second: Bits<4>,
    /// See [`Placed`].
    marks: Bits<12>,
    /// The fourth unit belongs to the body.
    full: Bit,
    /// The last word.
    last: Bit,
    /// The body has an odd number of octets.
    odd: Bit,
}

/// Headers in a word, and units to be left out in the next one, if the first header is at a given unit.
#[packed]
pub struct Chain {
    /// Units after this word.
    rest: Bits<8>,
    /// Units with a header.
    starts: Bits<4>,
}

/// Stage 6: what is found in a word.
#[packed]
pub struct WordJudged {
    /// Something is wrong.
    wrong: Bit,
    /// A body that ends with this word ends as it should.
    done: Bit,
    /// It begins with END.
    empty: Bit,
    /// Commands to be delivered that begin in it.
    commands: Bits<3>,
    /// The last word.
    last: Bit,
}
