//! `link_isolate`, `link_bit_isolate`, `link_degrade` and `link_probation` against cycle-exact models, rust-hdl itself, the graph and the emitted Verilog.

#![allow(clippy::expect_used)] // tests

mod bit_cases;
mod bits;
mod degrade;
mod degrade_cases;
mod isolate;
mod isolate_cases;
mod mutations;
mod probation;
mod probation_cases;

use flitforge_elaborate::selfcheck::against_stock;
use flitforge_hdl::link::bit_isolate::LinkBitIsolate;
use flitforge_hdl::link::degrade::LinkDegrade;
use flitforge_hdl::link::isolate::LinkIsolate;
use flitforge_hdl::link::probation::LinkProbation;

/// Clocks of a quick run that rust-hdl itself runs.
const STOCK_CLOCKS: u64 = 1_000;

#[test]
fn the_graphs_equal_rust_hdl_under_random_inputs() {
    against_stock(|| LinkIsolate::new().expect("valid"), 300, 1).expect("equal");
    against_stock(|| LinkBitIsolate::new().expect("valid"), 300, 3).expect("equal");
    against_stock(LinkDegrade::default, 2_000, 2).expect("equal");
    against_stock(|| LinkProbation::<4>::new().expect("valid"), 500, 4).expect("equal");
    against_stock(|| LinkProbation::<2>::new().expect("valid"), 500, 5).expect("equal");
}
