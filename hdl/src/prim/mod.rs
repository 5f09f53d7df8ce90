//! Building blocks: streams, registers, memories, FIFOs, clock crossings.

pub mod literal;
pub mod register;
pub mod stream;

pub use register::Register;
