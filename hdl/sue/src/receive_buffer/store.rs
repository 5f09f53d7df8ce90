//! What a receive buffer and the unpacker say to each other.

#![allow(missing_docs)]

use crate::body_check::MARK_BITS;
use flitforge_hdl_prim::prelude::*;

/// Virtual channels, a ring each.
pub const VCS: usize = 4;
/// Bits of a word's place in the largest ring.
pub const PLACE_BITS: usize = 11;
/// Words of a granule: bodies begin at multiples of it.
pub const GRANULE_WORDS: usize = 4;
/// Bits of a granule's place in the largest ring, and one that tells one round from the next.
pub const POINTER_BITS: usize = 10;
/// Bits of the marks of a word.
pub const MARKS_BITS: usize = 4 * MARK_BITS;

/// A word of the memory.
#[packed]
pub struct StoredWord {
    /// The octets, octet 0 in bits 7:0.
    data: Bits<64>,
    /// The mark of each unit of two octets, the first in the lowest bits.
    marks: Bits<MARKS_BITS>,
    /// The word is the last of its body.
    last: Bit,
}

/// What is kept of a body.
#[packed]
pub struct StoredBody {
    /// Where the next body may begin.
    end: Bits<POINTER_BITS>,
    /// XPU that it comes from.
    source: Bits<10>,
    /// Port that it came by.
    port: Bits<2>,
    /// Partition of all its commands.
    partition: Bits<10>,
}

/// What is read.
#[packed]
pub struct StoreRead {
    /// Virtual channel.
    vc: Bits<2>,
    /// Place of the word in its ring.
    place: Bits<PLACE_BITS>,
    /// Where the body begins.
    start: Bits<POINTER_BITS>,
}

/// The store at the receive buffer.
#[interface(join = StoreReader)]
pub struct StorePort {
    /// The virtual channel has a committed body.
    waiting: Out<Bits<VCS>>,
    /// It has none, but the body to be decided next would be its first one.
    hopeful: Out<Bits<VCS>>,
    /// A body was decided.
    settled: Out<Bit>,
    /// With `settled`: it was committed.
    committed: Out<Bit>,
    /// Where the first body of each virtual channel begins.
    start_0: Out<Bits<POINTER_BITS>>,
    start_1: Out<Bits<POINTER_BITS>>,
    start_2: Out<Bits<POINTER_BITS>>,
    start_3: Out<Bits<POINTER_BITS>>,
    /// What is to be read; a word is read on every clock.
    read: In<StoreRead>,
    /// What was read 2 clocks ago.
    word: Out<StoredWord>,
    /// What is kept of its body.
    body: Out<StoredBody>,
    /// The body was dropped: there is nothing but a hole.
    hole: Out<Bit>,
    /// The first body of a virtual channel has been delivered, or was a hole.
    release: In<Bit>,
    /// With `release`: the virtual channel.
    release_vc: In<Bits<2>>,
    /// With `release`: `end` of the body.
    release_end: In<Bits<POINTER_BITS>>,
}

/// The store at the unpacker.
#[interface(join = StorePort)]
pub struct StoreReader {
    /// The virtual channel has a committed body.
    waiting: In<Bits<VCS>>,
    /// It has none, but the body to be decided next would be its first one.
    hopeful: In<Bits<VCS>>,
    /// A body was decided.
    settled: In<Bit>,
    /// With `settled`: it was committed.
    committed: In<Bit>,
    /// Where the first body of each virtual channel begins.
    start_0: In<Bits<POINTER_BITS>>,
    start_1: In<Bits<POINTER_BITS>>,
    start_2: In<Bits<POINTER_BITS>>,
    start_3: In<Bits<POINTER_BITS>>,
    /// What is to be read; a word is read on every clock.
    read: Out<StoreRead>,
    /// What was read 2 clocks ago.
    word: In<StoredWord>,
    /// What is kept of its body.
    body: In<StoredBody>,
    /// The body was dropped: there is nothing but a hole.
    hole: In<Bit>,
    /// The first body of a virtual channel has been delivered, or was a hole.
    release: Out<Bit>,
    /// With `release`: the virtual channel.
    release_vc: Out<Bits<2>>,
    /// With `release`: `end` of the body.
    release_end: Out<Bits<POINTER_BITS>>,
}

/// A body that waits for its decision.
#[packed]
pub struct Undecided {
    /// All of it is stored.
    fits: Bit,
    /// No other body of its ring was undecided when it began: it stands where the committed ones end.
    front: Bit,
    /// Virtual channel.
    vc: Bits<2>,
    /// Where it begins.
    start: Bits<POINTER_BITS>,
    /// Where the next body may begin.
    end: Bits<POINTER_BITS>,
}
