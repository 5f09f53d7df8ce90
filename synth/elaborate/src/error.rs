//! Why a block cannot be elaborated.

use thiserror::Error;

/// An elaboration error: which block, what was found, what to do.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{block}: {reason}")]
pub struct ElaborateError {
    /// Path of the block from the top, for instance `top.lanes[2]`.
    pub block: String,
    /// What is wrong and what to do.
    pub reason: Reason,
}

/// What is wrong with a block, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[allow(missing_docs)] // the message of each variant says what its fields are
pub enum Reason {
    #[error("`{name}` names no signal of this block or port of its children; {hint}")]
    Unresolved { name: String, hint: String },
    #[error("`{name}` reaches into a child's child; give the child a port for it")]
    GrandchildAccess { name: String },
    #[error("array index `{index}` in `{name}` is not a number here: rust-hdl hands over only its text; use literals and loop variables, not constants or const generics")]
    Index { name: String, index: String },
    #[error("loop variable `{name}` has the name of a field; rust-hdl cannot tell them apart, rename the variable")]
    LoopVariableShadowsField { name: String },
    #[error("`{name}` is a constant or const generic used as a value; put it into a `Constant` field and read that")]
    ConstantAsValue { name: String },
    #[error("enum variant `{name}` exists in several visible types with different values; rename one type")]
    AmbiguousVariant { name: String },
    #[error("`{name}` is an enum variant named without its enum, which rust-hdl cannot tell from a constant; write `{full}`")]
    VariantWithoutEnum { name: String, full: String },
    #[error("`{name}` has no bits; give the enum a second variant or remove the signal")]
    ZeroWidth { name: String },
    #[error(
        "in `{at}`: {found} bits where {expected} are needed; use `bit_cast` or a `Local` of the right width"
    )]
    Width { at: String, expected: u32, found: u32 },
    #[error("in `{at}`: {value} does not fit {width} bits; use a smaller literal or a wider signal")]
    LiteralDoesNotFit { at: String, value: String, width: u32 },
    #[error("in `{at}`: the width cannot be decided; assign the operand to a `Local` first")]
    UndecidedWidth { at: String },
    #[error("in `{at}`: bits {offset}..{end} of a {width}-bit value; the select must begin inside it")]
    SelectOutOfRange { at: String, offset: u64, end: u64, width: u32 },
    #[error("in `{at}`: arithmetic in parentheses inside an index could be done in `Bits` or in `usize`, and rust-hdl does not say which; assign the index to a `Local` that is wide enough first")]
    AmbiguousIndexArithmetic { at: String },
    #[error("in `{at}`: {value} does not fit the {width} bits it is compared with, but arithmetic stands beside it. `.index()` is a `usize` in rust-hdl's simulation, wider than the bits, and rust-hdl does not say whether the arithmetic is done there or in the bits, where it wraps; compare without arithmetic, or widen first: `bit_cast::<{wide}, {width}>(x) + 1`", wide = .width + 1)]
    AmbiguousComparison { at: String, value: String, width: u32 },
    #[error("in `{at}`: a {width}-bit index; `.index()` of more than 32 bits panics, take the low bits with `get_bits` first")]
    IndexTooWide { at: String, width: u32 },
    #[error("`{name}` is {what}, which this block cannot drive; drive it in the block that owns it")]
    NotDrivable { name: String, what: &'static str },
    #[error("match pattern `{pattern}`: {why}")]
    Pattern { pattern: String, why: String },
    #[error("{what} is not supported; {hint}")]
    Unsupported { what: String, hint: String },
    #[error("the clock of `{element}` is not driven; assign it, or use `dff_setup!` or `clock!`")]
    ClockNotDriven { element: String },
    #[error("the clock of `{element}` is computed or conditional (`{from}`); a clock may only be copied from a clock input or a child's clock output, use an enable instead")]
    DerivedClock { element: String, from: String },
    #[error("the block's text is {kind} without a flitforge marker, so nothing says what it means; compose the block of marked primitives, put a `Marker` line first, or give the block to `Elaborator::primitive`")]
    UnmarkedText { kind: &'static str },
    #[error("the block has no text although it has ports or children; put #[hdl_gen] on `update`")]
    NoText,
    #[error("marker of hand-written text: {why}")]
    Marker { why: String },
    #[error("`hdl()` panicked: {message}; it runs the block's own code, for instance bit casts of literals that do not fit")]
    Panic { message: String },
    #[error("bidirectional port `{name}` is not linked; link it to a bidirectional port of this block")]
    InOutNotLinked { name: String },
    #[error("the top must be a block (derive LogicBlock), not a single signal, array or interface")]
    NotABlock,
}

impl Reason {
    /// The error at `block`.
    pub(crate) fn at(self, block: &str) -> ElaborateError {
        ElaborateError { block: block.into(), reason: self }
    }
}
