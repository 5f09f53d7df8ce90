//! The register bus (chapter 00, "register bus"; chapter 10, 5).

#![allow(missing_docs)]

use crate::prelude::*;

/// The register bus at the block that answers, with `A` bits of a word's address (byte offset / 8).
///
/// One request at a time: `request` with the rest, `ack` when it is done.
#[interface(join = RegisterMaster)]
pub struct RegisterBus<const A: usize> {
    /// Something is asked for.
    request: In<Bit>,
    /// It is a write.
    write: In<Bit>,
    /// Word of the page.
    address: In<Bits<A>>,
    /// Value of a write.
    wdata: In<Bits<64>>,
    /// It is done.
    ack: Out<Bit>,
    /// With `ack` of a read: the value; else 0.
    rdata: Out<Bits<64>>,
}

/// The register bus at the block that asks.
#[interface(join = RegisterBus)]
pub struct RegisterMaster<const A: usize> {
    /// Something is asked for.
    request: Out<Bit>,
    /// It is a write.
    write: Out<Bit>,
    /// Word of the page.
    address: Out<Bits<A>>,
    /// Value of a write.
    wdata: Out<Bits<64>>,
    /// It is done.
    ack: In<Bit>,
    /// With `ack` of a read: the value; else 0.
    rdata: In<Bits<64>>,
}
