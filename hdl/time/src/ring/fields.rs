//! What stops of a ring say to each other of a slot, field by field.

use super::{ID_BITS, INSERT_EXTRA_BITS, LOOK_AHEAD_BITS, WAIT_BITS};
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::time_ring;

/// Bits of a clock tree's number.
const TREE_BITS: usize = time_ring::slot_control::tree::WIDTH;

/// What a slot carries.
#[packed(time_ring::SlotKind)]
pub enum SlotKind {
    /// No content.
    None,
    /// MasterTimeLow.
    Low,
    /// MasterTimeHigh.
    High,
    /// Measures the ring.
    Token,
}

/// Control bits of a slot, chapter 20, 3.3.
#[packed(time_ring::slot_control)]
pub struct SlotControl {
    /// Stop that inserted it.
    src: Bits<ID_BITS>,
    /// Clock tree.
    tree: Bits<TREE_BITS>,
    /// What it carries.
    kind: SlotKind,
    /// The monitor has marked it.
    mon: Bit,
    /// Even parity over wait, kind, tree, source and data.
    par: Bit,
    /// It is occupied.
    v: Bit,
    /// Ring clocks that the source waited for a free slot.
    wait: Bits<WAIT_BITS>,
}

/// What a stop says of the slot that leaves it, for the stops that the slot goes to: the next, the second and the third from it. A bit for
/// each hop, so that a look-up table is enough for each.
#[packed]
pub struct LookAhead {
    /// Lower half of the slot's source is that of the third stop's number.
    low_is_third: Bit,
    /// Upper half of the slot's source is that of the third stop's number.
    high_is_third: Bit,
    /// The slot is the second stop's own.
    second_is_source: Bit,
    /// The second stop does not remove it.
    second_keeps: Bit,
    /// It is a Low or a High.
    timed: Bit,
}

/// What an insertion has below its data.
#[packed]
pub struct Offer {
    /// What it carries.
    kind: SlotKind,
    /// Clock tree.
    tree: Bits<TREE_BITS>,
    /// Even parity over data, tree and kind.
    parity: Bit,
}

const _: () = assert!(
    LOOK_AHEAD_BITS == 5 && INSERT_EXTRA_BITS == time_ring::slot_control::kind::WIDTH + TREE_BITS + 1
);
