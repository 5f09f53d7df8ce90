//! `link_crc`, `flit_codec`, `link_ltp_tx` and `link_ltp_rx` against cycle-exact models, rust-hdl itself, the graph
//! and the emitted Verilog; and the last two one after the other.

#![allow(clippy::expect_used)] // tests

mod codec;
mod crc;
mod encode;
mod joined;
mod mutations;
mod receiver;
mod transmitter;
mod wide;

use flitforge_elaborate::selfcheck::against_stock;
use flitforge_hdl::link::flit_codec::{FlitCodec1, FlitCodec2, FlitCodec4};
use flitforge_hdl::link::ltp_rx::LtpRx2;
use flitforge_hdl::link::ltp_tx::LtpTx2;

/// Clocks of a quick run that rust-hdl itself runs.
const STOCK_CLOCKS: u64 = 300;

#[test]
fn the_graphs_equal_rust_hdl_under_random_inputs() {
    against_stock(|| FlitCodec1::new().expect("valid"), 300, 1).expect("equal");
    against_stock(|| FlitCodec2::new().expect("valid"), 300, 2).expect("equal");
    against_stock(|| FlitCodec4::new().expect("valid"), 300, 3).expect("equal");
    against_stock(|| LtpTx2::new().expect("valid"), 300, 4).expect("equal");
    against_stock(|| LtpRx2::new().expect("valid"), 300, 5).expect("equal");
}
