//! Every primitive against a model written from its documentation, rust-hdl itself, the elaborated graph and
//! the emitted Verilog.

#![allow(clippy::expect_used)] // tests

mod crossing;
mod memory;
mod simple;
mod streams;
mod uart;
mod uncertain;

use flitforge_elaborate::drive::DriveBlock;
use flitforge_sim::cosim::{standard, StandardInterface, FULL_CLOCKS};
use flitforge_sim::kit::{seed, Testbench};
use flitforge_sim::{CosimPlan, SimError};
use flitforge_testkit::depth;

/// As [`plan`] with random inputs, cleared now and then if the block has a `clear`; sources, sinks and rule
/// monitors on every stream.
fn random_plan<'a, B: DriveBlock + 'static>(name: &str, make: impl Fn() -> B + 'a) -> CosimPlan<'a> {
    let stimulus = |testbench: &mut Testbench<'a>, seed| {
        let has_clear = testbench.bench().ports().get("clear").is_some();
        let clears = if has_clear { vec!["clear".into()] } else { vec![] };
        standard(&StandardInterface { clears, ..Default::default() }, testbench, seed)
    };
    plan(name, make, stimulus)
}

/// 100 000 edges, or as many as `FLITFORGE_COSIM` asks for, with a stimulus of its own; rust-hdl itself and Verilog do not
/// run all of a quick run.
fn plan<'a, B: DriveBlock + 'static>(
    name: &str,
    make: impl Fn() -> B + 'a,
    stimulus: impl FnOnce(&mut Testbench<'a>, u64) -> Result<(), SimError> + 'a,
) -> CosimPlan<'a> {
    let depth = depth();
    CosimPlan::new(name, seed(0x9217), move || Box::new(make()), stimulus)
        .clocks(FULL_CLOCKS)
        .stock_limit(10_000, "a quick run: rust-hdl itself is slow")
        .to_depth(depth)
}
