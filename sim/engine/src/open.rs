//! A bench of any back end for a block.

use crate::bench::{BackEnd, Bench};
use crate::compiled::CompiledBench;
use crate::error::SimError;
use crate::graph::GraphBench;
use crate::stock::StockBench;
use crate::verilator::VerilatorBench;
use flitforge_elaborate::drive::DriveBlock;

impl BackEnd {
    /// A bench for `block`; `name` is used in messages and as the name of the Verilog top.
    pub fn open(self, name: &str, block: Box<dyn DriveBlock>) -> Result<Box<dyn Bench>, SimError> {
        Ok(match self {
            Self::Stock => Box::new(StockBench::new(name, block)?),
            Self::Graph => Box::new(GraphBench::new(name, block)?),
            Self::Verilator => Box::new(VerilatorBench::new(name, block)?),
            Self::Compiled => Box::new(CompiledBench::new(name, block)?),
        })
    }
}

/// A bench for `block` on the back end that `FLITFORGE_BACKEND` names (compiled without it).
pub fn open(name: &str, block: Box<dyn DriveBlock>) -> Result<Box<dyn Bench>, SimError> {
    BackEnd::from_environment()?.open(name, block)
}
