//! The ports of the line bench, built with its timeouts and guard time.
//!
//! A crate of its own, compiled like the blocks: so what the blocks' crates have compiled of a port is used, and not compiled again.

pub mod ports;
pub mod refusal;
pub mod times;
