//! `link_crc`, `flit_codec`, `link_ltp_tx` and `link_ltp_rx` against cycle-exact models, rust-hdl itself, the graph
//! and the emitted Verilog; and the last two one behind the other.

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
use flitforge_sim::cosim::{CosimPlan, Depth};

/// The plan with these clocks, or as many as `FLITFORGE_COSIM` asks for; rust-hdl itself does not run all of a
/// quick run.
fn deep(plan: CosimPlan<'_>, quick: u64) -> CosimPlan<'_> {
    let depth = Depth::from_environment().expect("FLITFORGE_COSIM");
    let quick = plan.clocks(quick).stock_limit(300, "a quick run: rust-hdl itself is slow with wide values");
    quick.to_depth(depth)
}

#[test]
fn the_graphs_equal_rust_hdl_under_random_inputs() {
    against_stock(|| FlitCodec1::new().expect("valid"), 300, 1).expect("equal");
    against_stock(|| FlitCodec2::new().expect("valid"), 300, 2).expect("equal");
    against_stock(|| FlitCodec4::new().expect("valid"), 300, 3).expect("equal");
    against_stock(|| LtpTx2::new().expect("valid"), 300, 4).expect("equal");
    against_stock(|| LtpRx2::new().expect("valid"), 300, 5).expect("equal");
}
