//! `fab_port` and `fab_bonded_port`: two ports with their fabric sublayer, packets on all virtual lanes exactly once, credits that add up in every clock.

#![allow(clippy::expect_used)] // tests

mod bonded;
mod bonded_equal;
mod bonded_loop;
mod bonded_pair;
mod credits;
mod equal;
mod flow;
mod lane;
mod looped;
mod mutations;
mod pair;
mod rig;
mod starts;
mod traffic;
mod wrong;

use flitforge_sim::cosim::Depth;
use flitforge_testkit::depth;
use pair::{FabPair, FabPairNarrow};
use rig::Program;
use std::sync::OnceLock;

/// Four lanes, two flits per beat, four virtual lanes.
fn wide() -> &'static Program {
    static PROGRAM: OnceLock<Program> = OnceLock::new();
    PROGRAM.get_or_init(|| Program::new("fab_port_pair", &FabPair::new(), 2, 4, 4))
}

/// One lane, one flit per beat, two virtual lanes.
fn narrow() -> &'static Program {
    static PROGRAM: OnceLock<Program> = OnceLock::new();
    PROGRAM.get_or_init(|| Program::new("fab_port_pair", &FabPairNarrow::new(), 1, 1, 2))
}

/// Clocks of a run: few, more, or as many as chapter 10, 9 asks for.
fn clocks(quick: u64) -> u64 {
    match depth() {
        Depth::Quick => quick,
        Depth::Full => 10 * quick,
        Depth::Campaign => 1_000_000.max(quick),
    }
}
