//! One block on rust-hdl's own simulation, on the compiled engine and in Verilator: equal outputs on every clock of a
//! long random run.
//!
//! Streams are random on every clock; other inputs keep a value for [`SEGMENT`] clocks, single bits among them
//! mostly 0, so that a block works between two clears. All clocks rise together.

use crate::compiled::{Compiled, CompiledBench};
use crate::design::design_of;
use crate::error::SimError;
use crate::exercise::Exercise;
use crate::kit;
use crate::port::{PortKind, Ports};
use crate::replay::VerilogSource;
use crate::stock::StockBench;
use crate::tools::skip_if_missing;
use crate::verilator::{Optimise, VerilatorBench};
use flitforge_elaborate::drive::DriveBlock;
use flitforge_elaborate::{verilog, Design};
use rand::Rng;
use serde::{Deserialize, Serialize};
use std::time::Instant;

/// Clocks between two changes of the inputs that are no streams, and between two comparisons.
pub const SEGMENT: u64 = 250;

/// What is compared.
pub struct EqualityPlan<'a> {
    /// Name of the block and preset, and of the Verilog top.
    pub name: String,
    /// Makes a fresh block.
    pub make_block: &'a dyn Fn() -> Result<Box<dyn DriveBlock>, SimError>,
    /// Inputs that are random on every clock; all others keep a value for a segment.
    pub streams: Vec<String>,
    /// Clocks to run, rounded up to whole segments.
    pub clocks: u64,
    /// Seed of everything random.
    pub seed: u64,
}

/// What a comparison took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EqualityReport {
    /// Clocks on which all outputs were equal.
    pub clocks: u64,
    /// Seconds of rust-hdl's own simulation.
    pub stock: f64,
    /// Seconds of the compiled engine.
    pub compiled: f64,
    /// Seconds of Verilator without its build; nothing if it is missing.
    pub verilator: Option<f64>,
}

/// A stimulus of one segment: streams random on every clock, all other inputs fixed at random values.
pub fn segment(ports: &Ports, streams: &[String], random: &mut impl Rng) -> Result<Exercise, SimError> {
    let inputs = ports.list().iter().filter(|port| port.kind == PortKind::Input);
    let kept = inputs.filter(|port| !streams.contains(&port.path));
    let kept: Vec<(&str, u64)> = kept
        .map(|port| {
            let value = match port.width {
                1 => u64::from(random.random_bool(0.2)),
                width => random.random::<u64>() & u64::MAX >> (64 - width.min(64)),
            };
            (port.path.as_str(), value)
        })
        .collect();
    let mut exercise = Exercise::new(ports, &kept)?;
    exercise.seed = random.random::<u64>() | 1;
    Ok(exercise)
}

/// Runs a block everywhere. The first segment in which the outputs differ is an error that names its clocks, the
/// simulators and the seed.
pub fn compare(plan: &EqualityPlan<'_>, progress: &mut dyn FnMut(u64)) -> Result<EqualityReport, SimError> {
    let block = (plan.make_block)()?;
    let design = design_of(&plan.name, block.as_ref())?;
    let ports = Ports::of_design(&plan.name, &design);
    let program = Compiled::new(&design)
        .map_err(|error| SimError::Elaborate { block: plan.name.clone(), reason: error.to_string() })?;
    let mut compiled = CompiledBench::of_program(ports.clone(), &program)?;
    let mut stock = StockBench::new(&plan.name, block)?;
    let mut verilator = skip_if_missing(verilated(plan, &design, &ports), &plan.name)?;
    let mut report = EqualityReport { verilator: verilator.is_some().then_some(0.0), ..Default::default() };
    let mut random = kit::rng(plan.seed, &plan.name);
    while report.clocks < plan.clocks {
        let exercise = segment(&ports, &plan.streams, &mut random)?;
        let mut at = Instant::now();
        let mut lap = || std::mem::replace(&mut at, Instant::now()).elapsed().as_secs_f64();
        let expected = exercise.clone().run(&mut stock, SEGMENT)?;
        report.stock += lap();
        let found = compiled.exercise(&mut exercise.clone(), SEGMENT)?;
        report.compiled += lap();
        equal(plan, report.clocks, "the compiled engine", (expected, found))?;
        if let (Some(bench), Some(seconds)) = (&mut verilator, &mut report.verilator) {
            let found = bench.exercise(&mut exercise.clone(), SEGMENT);
            *seconds += lap();
            equal(plan, report.clocks, "Verilator", (expected, found))?;
        }
        report.clocks += SEGMENT;
        progress(report.clocks);
    }
    Ok(report)
}

fn verilated(plan: &EqualityPlan<'_>, design: &Design, ports: &Ports) -> Result<VerilatorBench, SimError> {
    let text = verilog::write(design, &verilog::Options::default());
    let source = VerilogSource { top: plan.name.clone(), text };
    VerilatorBench::of_source(ports.clone(), &source, Optimise::Quick, plan.seed)
}

fn equal(
    plan: &EqualityPlan<'_>,
    clock: u64,
    who: &str,
    (expected, found): (u64, u64),
) -> Result<(), SimError> {
    if expected == found {
        return Ok(());
    }
    Err(SimError::Check {
        clock,
        problem: format!(
            "{}: the outputs of {who} differ from those of rust-hdl in clocks {clock}..{} (seed {:#x}); \
             run its co-simulation to see where",
            plan.name,
            clock + SEGMENT,
            plan.seed,
        ),
    })
}
