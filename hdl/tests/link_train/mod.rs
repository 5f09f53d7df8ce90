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

use flitforge_sim::cosim::{CosimPlan, Depth};
use std::cell::Cell;
use std::rc::Rc;

/// The plan as deep as `FLITFORGE_COSIM` asks for; a quick run has fewer clocks on rust-hdl itself.
fn deep(plan: CosimPlan<'_>) -> CosimPlan<'_> {
    let depth = Depth::from_environment().expect("FLITFORGE_COSIM");
    let quick = plan.clocks(20_000).stock_limit(500, "a quick run: rust-hdl itself is slow with wide values");
    quick.to_depth(depth)
}

/// True if `FLITFORGE_COSIM` asks for more than a quick run.
fn is_full() -> bool {
    Depth::from_environment().expect("FLITFORGE_COSIM") != Depth::Quick
}

/// Counts what a model saw, to be looked at when the run is over.
#[derive(Clone, Default)]
struct Seen(Rc<Cell<u64>>);

impl Seen {
    fn add(&self, count: u64) {
        self.0.set(self.0.get() + count);
    }

    fn at_least(&self, least: u64, what: &str) {
        assert!(self.0.get() >= least, "{what}: {} times, expected {least} at least", self.0.get());
    }
}
