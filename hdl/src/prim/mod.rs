//! Building blocks: streams, registers, memories, FIFOs, clock crossings.

pub mod stream;
