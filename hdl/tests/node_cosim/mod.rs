//! The blocks a node is made of (test traffic, console) against models written from their documentation, rust-hdl
//! itself, the elaborated graph and the emitted Verilog.

#![allow(clippy::expect_used)] // tests

mod console;
mod pattern;
mod register_line;

use flitforge_elaborate::drive::DriveBlock;
use flitforge_sim::cosim::FULL_CLOCKS;
use flitforge_sim::kit::{seed, Testbench};
use flitforge_sim::{CosimPlan, SimError};
use flitforge_testkit::depth;

/// 100 000 clocks, or as many as `FLITFORGE_COSIM` asks for; rust-hdl itself and Verilog do not run all of a quick run.
fn plan<'a, B: DriveBlock + 'static>(
    name: &str,
    make: impl Fn() -> B + 'a,
    stimulus: impl FnOnce(&mut Testbench<'a>, u64) -> Result<(), SimError> + 'a,
) -> CosimPlan<'a> {
    let depth = depth();
    CosimPlan::new(name, seed(0x40de), move || Box::new(make()), stimulus)
        .clocks(FULL_CLOCKS)
        .stock_limit(10_000, "a quick run: rust-hdl itself is slow")
        .to_depth(depth)
}
