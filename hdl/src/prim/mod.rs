//! Building blocks: streams, registers, memories, FIFOs, clock crossings.

pub mod ast;
pub mod debounce;
pub mod delay;
pub mod fifo;
pub mod literal;
pub mod ram;
pub mod register;
pub mod rom;
pub mod stream;
pub mod uart;

pub use delay::{ClearedDelay, Delay};
pub use fifo::{Fifo, SmallFifo};
pub use ram::{LutRam, Ram, RamConfig};
pub use register::Register;
pub use rom::Rom;
