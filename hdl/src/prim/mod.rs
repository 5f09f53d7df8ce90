//! Building blocks: streams, registers, memories, FIFOs, clock crossings.

pub mod ast;
pub mod async_fifo;
pub mod clear_crossing;
pub mod counter;
pub mod debounce;
pub mod delay;
pub mod fifo;
pub mod literal;
pub mod ram;
pub mod register;
pub mod rom;
pub mod skid;
pub mod stream;
pub mod synchronizer;
pub mod uart;
pub mod word_crossing;

pub use async_fifo::AsyncFifo;
pub use clear_crossing::ClearCrossing;
pub use counter::Counter;
pub use delay::{ClearedDelay, Delay};
pub use fifo::{Fifo, SmallFifo};
pub use ram::{LutRam, Ram, RamConfig};
pub use register::Register;
pub use rom::Rom;
pub use skid::Skid;
pub use synchronizer::{PulseSynchronizer, ResetSynchronizer, Synchronizer};
pub use word_crossing::WordCrossing;
