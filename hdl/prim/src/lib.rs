//! Building blocks: streams, registers, memories, FIFOs, clock crossings; register pages ([`registers`]).
//!
//! rust-hdl's derives of interfaces and structs (`LogicInterface` with `join`, `LogicStruct`) add public
//! methods without documentation. The files that hold such types, and only those, start with
//! `#![allow(missing_docs)]`; `hdl/tests/documentation.rs` sees to it that their own items are documented all the same.

// What `#[register_page]` makes names this crate, also inside of it.
extern crate self as flitforge_hdl_prim;

pub mod ast;
pub mod async_fifo;
pub mod clear_crossing;
pub mod counter;
pub mod debounce;
pub mod delay;
pub mod fifo;
pub mod literal;
pub mod packet_fifo;
pub mod prelude;
pub mod ram;
pub mod register;
pub mod registers;
pub mod rom;
pub mod skid;
pub mod stream;
pub mod synchronizer;
pub mod uart;
pub mod word_crossing;
pub mod xor_matrix;

pub use async_fifo::AsyncFifo;
pub use clear_crossing::ClearCrossing;
pub use counter::Counter;
pub use delay::{ClearedDelay, Delay};
pub use fifo::{Fifo, SmallFifo};
pub use packet_fifo::PacketFifo;
pub use ram::{LutRam, Ram, RamConfig};
pub use register::Register;
pub use rom::Rom;
pub use skid::Skid;
pub use synchronizer::{PulseSynchronizer, ResetSynchronizer, Synchronizer};
pub use word_crossing::WordCrossing;
pub use xor_matrix::XorMatrix;

use crate::prelude::*;

/// Registry entries. To add a block, add its `ENTRY` here, and its module above.
///
/// A static, not a constant: a constant is compiled again, with all the blocks it builds, by every crate that names it.
#[rustfmt::skip] // one line each, so that lists merge
pub static ENTRIES: &[BlockEntry] = &[
    register::ENTRY,
    ram::ENTRY,
    rom::ENTRY,
    fifo::ENTRY,
    fifo::SMALL_ENTRY,
    packet_fifo::ENTRY,
    skid::ENTRY,
    counter::ENTRY,
    synchronizer::ENTRY,
    synchronizer::RESET_ENTRY,
    synchronizer::PULSE_ENTRY,
    clear_crossing::ENTRY,
    word_crossing::ENTRY,
    async_fifo::ENTRY,
    debounce::ENTRY,
    uart::TX_ENTRY,
    uart::RX_ENTRY,
];
