//! `phy_lvds`: its sender and receiver against the model of the line, clock by clock; and two of them back to back, over a line
//! with every bit offset, clocks of their own, lost clocks, bit errors and clears in mid-transfer. `phy_ecp5` likewise, and its 8b10b.

#![allow(clippy::expect_used)] // tests

mod code;
mod crossing;
mod landing;
mod line;
mod lvds_pair;
mod lvds_rx;
mod lvds_tx;
mod mutations;
mod port;
mod serdes;

/// Clocks of a quick run that rust-hdl itself runs.
const STOCK_CLOCKS: u64 = 1_000;
