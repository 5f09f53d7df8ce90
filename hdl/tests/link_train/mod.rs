//! Link training: its parts and the whole against models, and two ends that train with each other.

#![allow(clippy::expect_used)] // tests

mod bench;
mod channel;
mod mutations;
mod pair;
mod peer;
mod set_rx;
mod set_tx;
mod whole;

/// Clocks of a quick run.
const QUICK_CLOCKS: u64 = 20_000;
/// Clocks of a quick run that rust-hdl itself runs.
const STOCK_CLOCKS: u64 = 500;
