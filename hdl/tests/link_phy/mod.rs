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

use flitforge_sim::cosim::{CosimPlan, Depth};
use std::cell::Cell;
use std::rc::Rc;

/// The plan with so many clocks, or as many as `FLITFORGE_COSIM` asks for; rust-hdl itself does not run all of a quick run.
fn deep(plan: CosimPlan<'_>, clocks: u64) -> CosimPlan<'_> {
    let depth = Depth::from_environment().expect("FLITFORGE_COSIM");
    plan.clocks(clocks).stock_limit(1_000, "a quick run: rust-hdl itself is slow").to_depth(depth)
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
