//! Building blocks: streams, registers, memories, FIFOs, clock crossings.

pub mod literal;
pub mod register;
pub mod stream;
pub mod uart;

pub use register::Register;
