//! How deep a run of the tests goes.

use flitforge_sim::cosim::{CosimPlan, Depth};

/// What `FLITFORGE_COSIM` asks for.
#[track_caller]
pub fn depth() -> Depth {
    Depth::from_environment().unwrap_or_else(|error| panic!("FLITFORGE_COSIM: {error}"))
}

/// True if `FLITFORGE_COSIM` asks for more than a quick run.
#[track_caller]
pub fn is_full() -> bool {
    depth() != Depth::Quick
}

/// The plan with so many clocks in a quick run, or as many as `FLITFORGE_COSIM` asks for; of a quick run rust-hdl itself runs
/// `stock` clocks.
#[track_caller]
pub fn deep(plan: CosimPlan<'_>, quick: u64, stock: u64) -> CosimPlan<'_> {
    let reason = "a quick run: rust-hdl itself is slow, and with wide values the more so";
    plan.clocks(quick).stock_limit(stock, reason).to_depth(depth())
}
