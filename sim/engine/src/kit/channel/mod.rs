//! Lossy channels: what a line or a network does to words and packets. Pure Rust, between two models, two benches
//! or inside one; the same seed does the same.
//!
//! | kind | faults |
//! |---|---|
//! | [`BitErrors`] | independent bit errors at a rate |
//! | [`Bursts`] | runs of bits, each wrong with a probability |
//! | [`Lanes`] | per lane: bit errors, bursts, loss, skew, bit slips |
//! | [`PacketChannel`] | drop, duplicate, reorder, delay |

mod errors;
mod lanes;
mod packets;

pub use errors::{BitErrors, Bursts};
pub use lanes::{LaneFaults, Lanes};
pub use packets::{PacketChannel, PacketCounts, PacketFaults};
