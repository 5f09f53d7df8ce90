//! One stimulus, every description of a block: model, elaborated graph, rust-hdl itself, emitted Verilog.
//!
//! The stimulus runs once, reactively, on the graph (or on the back end that `FLITFORGE_BACKEND` names) and
//! is recorded. Everything else gets the recorded inputs, and its outputs are compared clock by clock.

mod depth;
mod failure;
pub mod fault;
mod reference;
mod report;
mod standard;

pub use depth::{Depth, CAMPAIGN_CLOCKS, FULL_CLOCKS, QUICK_VERILOG_CLOCKS};
pub use report::{Compared, CosimReport};
pub use standard::{standard, StandardInterface};

use crate::error::SimError;
use crate::kit::Testbench;
use crate::model::ClockedModel;
use crate::replay::Simulator;
use crate::trace::Trace;
use flitforge_elaborate::drive::DriveBlock;

use reference::Reference;

/// Makes a fresh block.
pub type MakeBlock<'a> = Box<dyn Fn() -> Box<dyn DriveBlock> + 'a>;
/// Adds agents to the test bench; the number is the seed.
pub type Stimulus<'a> = Box<dyn FnOnce(&mut Testbench<'a>, u64) -> Result<(), SimError> + 'a>;
/// Changes the Verilog before it is simulated: for tests of the comparison itself.
pub type Mutation<'a> = Box<dyn Fn(String) -> Result<String, SimError> + 'a>;

/// A co-simulation.
pub struct CosimPlan<'a> {
    /// Name of the test, also of the waveform of a failure.
    pub name: String,
    /// Makes the block.
    pub make_block: MakeBlock<'a>,
    /// Clocks to run.
    pub clocks: u64,
    /// Clocks to run on rust-hdl itself, if fewer, and why.
    pub stock_limit: Option<(u64, String)>,
    /// Clocks to run the emitted Verilog for, if fewer.
    pub verilog_limit: Option<u64>,
    /// Seed of the stimulus; see [`crate::kit::seed`].
    pub seed: u64,
    /// Adds agents to the test bench.
    pub stimulus: Stimulus<'a>,
    /// The model, if there is one.
    pub model: Option<Box<dyn ClockedModel + 'a>>,
    /// Outputs that the model says nothing about.
    pub model_ignores: Vec<String>,
    /// Simulators for the emitted Verilog.
    pub simulators: Vec<Simulator>,
    /// Coverage counters that must not stay 0.
    pub cover: Vec<String>,
    /// Changes the Verilog, to test that a difference is found.
    pub mutation: Option<Mutation<'a>>,
}

impl<'a> CosimPlan<'a> {
    /// 100 000 clocks, all of them also on rust-hdl itself and in Icarus, without a model.
    pub fn new(
        name: impl Into<String>,
        seed: u64,
        make_block: impl Fn() -> Box<dyn DriveBlock> + 'a,
        stimulus: impl FnOnce(&mut Testbench<'a>, u64) -> Result<(), SimError> + 'a,
    ) -> Self {
        Self {
            name: name.into(),
            make_block: Box::new(make_block),
            clocks: 100_000,
            stock_limit: None,
            verilog_limit: None,
            seed,
            stimulus: Box::new(stimulus),
            model: None,
            model_ignores: vec![],
            simulators: vec![Simulator::Icarus],
            cover: vec![],
            mutation: None,
        }
    }

    /// Sets the number of clocks.
    pub fn clocks(mut self, clocks: u64) -> Self {
        self.clocks = clocks;
        self
    }

    /// Runs rust-hdl itself for fewer clocks, and says why; it is printed.
    pub fn stock_limit(mut self, clocks: u64, reason: &str) -> Self {
        self.stock_limit = Some((clocks, reason.into()));
        self
    }

    /// Goes as far as `depth` says: the clocks set so far, here and for rust-hdl itself, are those of a quick run, in
    /// which the emitted Verilog runs for [`QUICK_VERILOG_CLOCKS`] at most.
    pub fn to_depth(mut self, depth: Depth) -> Self {
        self.verilog_limit = (depth == Depth::Quick).then_some(QUICK_VERILOG_CLOCKS);
        self.clocks = depth.clocks(self.clocks);
        self.stock_limit = self.stock_limit.map(|(clocks, reason)| (depth.clocks(clocks), reason));
        self
    }

    /// Compares with a model.
    pub fn model(mut self, model: impl ClockedModel + 'a) -> Self {
        self.model = Some(Box::new(model));
        self
    }

    /// Names outputs that the model never sets. Any other output that it never sets is an error.
    pub fn model_ignores(mut self, ports: &[&str]) -> Self {
        self.model_ignores = ports.iter().map(|port| (*port).into()).collect();
        self
    }

    /// Sets the simulators for the emitted Verilog.
    pub fn simulators(mut self, simulators: &[Simulator]) -> Self {
        self.simulators = simulators.to_vec();
        self
    }

    /// Coverage counters that must not stay 0.
    pub fn cover(mut self, counters: &[&str]) -> Self {
        self.cover = counters.iter().map(|counter| (*counter).into()).collect();
        self
    }

    /// Changes the Verilog before it is simulated.
    pub fn mutate(mut self, mutation: impl Fn(String) -> Result<String, SimError> + 'a) -> Self {
        self.mutation = Some(Box::new(mutation));
        self
    }

    /// Runs it; see [`run`].
    pub fn run(self) -> Result<CosimReport, SimError> {
        run(self)
    }
}

/// Runs a co-simulation and prints its report. The error of a difference names clock, port, both values and
/// the seed, and the waveform, `NAME.fst` in `FLITFORGE_WAVES` (else `target/waves`).
pub fn run(mut plan: CosimPlan<'_>) -> Result<CosimReport, SimError> {
    let mutation = plan.mutation.take();
    let (reference, mut report) = Reference::record(plan)?;
    let mut text = reference.verilog();
    if let Some(mutation) = mutation {
        text = mutation(text)?;
    }
    reference.compare(text, reference.clocks(), &mut report)?;
    println!("{report}");
    Ok(report)
}

fn model_covers(test: &str, trace: &Trace, set: &[u64], ignores: &[String]) -> Result<(), SimError> {
    let never = trace.outputs().ports().iter().zip(set).filter(|(_, count)| **count == 0);
    let missing: Vec<String> = never
        .filter(|(port, _)| !ignores.contains(&port.path))
        .map(|(port, _)| format!("the model's value of `{}`", port.path))
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    Err(SimError::NotCovered { test: test.into(), missing })
}
