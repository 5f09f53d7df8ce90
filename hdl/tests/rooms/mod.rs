//! The tests of each block by itself, on rust-hdl's own simulation: bad input, overflow and clear in mid-transfer first.
//!
//! The modules are the rooms of the library: the tests of `hdl/link/src/ltp_rx` are in `link/ltp_rx.rs`. They use what the
//! library makes public, so that the library, which is slow to compile, is compiled once and not again for its tests.

#![allow(clippy::unwrap_used, clippy::expect_used)] // tests

mod config;
mod fabric;
mod link;
mod node;
mod prim;
mod registry;
