//! What lies between two lane PHYs: clocks of their own, cables that delay, skew, err and break, all in femtoseconds.
//!
//! | part | does |
//! |---|---|
//! | [`LineClock`] | rising edges with an offset and wander |
//! | [`BitLine`] | serial bits with a delay that may change |
//! | [`WordLine`] | words of a clock with a delay that may change |
//! | [`BitNoise`] | wrong bits, alone and in bursts |

mod bits;
mod clock;
mod noise;
mod words;

pub use bits::BitLine;
pub use clock::LineClock;
pub use noise::BitNoise;
pub use words::WordLine;

/// Femtoseconds of a picosecond.
pub const PICOSECOND: u64 = 1_000;
