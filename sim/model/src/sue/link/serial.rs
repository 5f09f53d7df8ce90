//! Serial arithmetic of sequence numbers and credit counts (chapter 50, 3.7).

use super::super::format::Sequence;
use flitforge_protocol::sue::link_control::{CREDIT_BITS, SEQUENCE_BITS};

/// (`to` - `from`) modulo 2^20.
pub(super) const fn distance(to: Sequence, from: Sequence) -> usize {
    (to.value().wrapping_sub(from.value()) & ((1 << SEQUENCE_BITS) - 1)) as usize
}

/// The sequence number before this one.
pub(super) const fn previous(of: Sequence) -> Sequence {
    plus(of, (1 << SEQUENCE_BITS) - 1)
}

/// The sequence number `count` after this one.
pub(super) const fn plus(of: Sequence, count: usize) -> Sequence {
    let value = (of.value() as usize + count) & ((1 << SEQUENCE_BITS) - 1);
    match Sequence::new(value as u32) {
        Ok(sequence) => sequence,
        // cannot be: the value is masked
        Err(_) => of,
    }
}

/// First distance between sequence numbers that is a step backward.
pub(super) const SEQUENCE_HALF: usize = 1 << (SEQUENCE_BITS - 1);

/// (`to` - `from`) modulo 2^15, cells.
pub(super) const fn cells_between(to: u16, from: u16) -> u16 {
    to.wrapping_sub(from) & ((1 << CREDIT_BITS) - 1)
}

/// The count `cells` after this one, modulo 2^15.
pub(super) const fn cells_after(count: u16, cells: u16) -> u16 {
    count.wrapping_add(cells) & ((1 << CREDIT_BITS) - 1)
}
