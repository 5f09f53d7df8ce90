//! Random blocks in the language, written from a seed into `blocks.rs`. `FLITFORGE_BLESS=1` writes the file, with
//! `FLITFORGE_SEED=N` from another seed.
//!
//! Each block alone: rust-hdl's own simulation against the graph, before and after every edge. All of them side by side
//! in one block: these two, the compiled engine, Icarus and Verilator on the emitted text, every output on every clock. A model of
//! each block for Verilator would take 40 builds.

#[rustfmt::skip]
#[allow(clippy::all)]
mod blocks;
mod write;

use crate::support::{ready, same_in_both, seed};
use flitforge_elaborate::drive::DriveBlock;
use flitforge_sim::cosim::{standard, CosimPlan, StandardInterface};
use flitforge_sim::Simulator;

/// The seed and the number of the blocks that are there.
const SEED: u64 = 1;
const COUNT: usize = 40;
/// Clocks of each block alone.
const ALONE: u64 = 250;
/// Clocks of all blocks together.
const TOGETHER: u64 = 500;

/// Runs every block.
macro_rules! all {
    ($($name:ident),*) => {
        /// Runs every block.
        pub fn run() {
            $(super::same_in_both(stringify!($name), $name::default, super::ALONE);)*
        }
    };
}
use all;

#[test]
fn random_blocks() {
    blocks::run();
}

#[test]
fn random_blocks_in_verilog() {
    let make = || -> Box<dyn DriveBlock> { Box::new(ready(blocks::Together::default())) };
    let interface = StandardInterface::default();
    CosimPlan::new("random_blocks", seed(), make, |testbench, seed| standard(&interface, testbench, seed))
        .clocks(TOGETHER)
        .simulators(&[Simulator::Icarus, Simulator::Verilator])
        .run()
        .unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn the_random_blocks_are_those_of_their_seed() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/random/blocks.rs");
    if std::env::var_os("FLITFORGE_BLESS").is_some() {
        let seed = std::env::var("FLITFORGE_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(SEED);
        std::fs::write(&path, write::file(seed, COUNT)).expect("written");
    }
    if std::env::var_os("FLITFORGE_SEED").is_none() {
        let there = std::fs::read_to_string(&path).expect("the blocks");
        assert!(there == write::file(SEED, COUNT), "FLITFORGE_BLESS=1 writes the random blocks");
    }
}
