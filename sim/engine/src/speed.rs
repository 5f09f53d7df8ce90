//! How fast a block simulates: the compiled engine beside Verilator and rust-hdl itself, same stimulus, same
//! machine, rounds interleaved.
//!
//! Every way runs [`Exercise`]; the hashes of all outputs on all clocks must be equal, or there is no figure.

use crate::compiled::{Compiled, CompiledBench};
use crate::design::design_of;
use crate::error::SimError;
use crate::exercise::Exercise;
use crate::port::Ports;
use crate::replay::VerilogSource;
use crate::stock::StockBench;
use crate::verilator::{Optimise, VerilatorBench};
use flitforge_elaborate::drive::DriveBlock;
use flitforge_elaborate::{verilog, Design};
use serde::Serialize;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What is measured.
pub struct SpeedPlan<'a> {
    /// Name of the row, and of the Verilog top.
    pub name: String,
    /// Makes a fresh block.
    pub make_block: &'a dyn Fn() -> Result<Box<dyn DriveBlock>, SimError>,
    /// Inputs that keep a value; all others are random on every clock.
    pub fixed: Vec<(String, u64)>,
    /// How long one measurement of one simulator takes about.
    pub time: Duration,
    /// Measurements of each; the medians count. At least 1.
    pub rounds: usize,
}

/// The figures of one design.
#[derive(Clone, Debug, Serialize)]
pub struct SpeedRow {
    /// Name of the design.
    pub design: String,
    /// Word operations of one clock in the compiled engine, outputs included.
    pub operations: usize,
    /// Clocks per second of the compiled engine, one thread, stimulus and hash of all outputs included.
    pub cycles_per_second: f64,
    /// The same over rust-hdl's own simulation.
    pub vs_stock: f64,
    /// The same over Verilator's, `-O3 -march=native`; nothing if Verilator is missing.
    pub vs_verilator: Option<f64>,
    /// Clocks per second of rust-hdl's own simulation.
    pub stock_cycles_per_second: f64,
    /// Clocks per second of Verilator, without a call per clock.
    pub verilator_cycles_per_second: Option<f64>,
    /// Two instances on two threads over one instance on one.
    pub two_threads: f64,
    /// Milliseconds from the Rust block to running code: elaboration, lowering, compilation.
    pub start_up_ms: f64,
    /// Milliseconds that Verilator took to build its model, when it was built.
    pub verilator_build_ms: Option<f64>,
    /// Bytes of machine code, shared by all instances.
    pub code_bytes: usize,
    /// Bytes of state of one instance.
    pub instance_bytes: usize,
}

/// Measures one design.
pub fn measure(plan: &SpeedPlan<'_>) -> Result<SpeedRow, SimError> {
    let started = Instant::now();
    let block = (plan.make_block)()?;
    let design = design_of(&plan.name, block.as_ref())?;
    let program = compile(&plan.name, &design)?;
    let start_up = started.elapsed();
    let ports = Ports::of_design(&plan.name, &design);
    let fixed: Vec<(&str, u64)> = plan.fixed.iter().map(|(path, value)| (path.as_str(), *value)).collect();
    let exercise = Exercise::new(&ports, &fixed)?;
    let stock_clocks = same_start(plan, &program, &ports, &exercise)?;
    let mut verilator = verilator(plan, &design, &ports)?;

    let clocks = calibrate(plan.time, |clocks| run_compiled(&program, &ports, &exercise, clocks))?;
    let verilator_clocks = match &mut verilator {
        Some((bench, _)) => calibrate(plan.time, |n| Ok(bench.exercise(&mut exercise.clone(), n)))?,
        None => 0,
    };
    let (mut compiled, mut other, mut stock, mut pairs) = (vec![], vec![], vec![], vec![]);
    for _ in 0..plan.rounds.max(1) {
        compiled.push(rate(clocks, || run_compiled(&program, &ports, &exercise, clocks))?);
        if let Some((bench, _)) = &mut verilator {
            let run = || Ok(bench.exercise(&mut exercise.clone(), verilator_clocks));
            other.push(rate(verilator_clocks, run)?);
        }
        pairs.push(2.0 * rate(clocks, || two_threads(&program, &ports, &exercise, clocks))?);
        stock.push(rate(stock_clocks, || run_stock(plan, &exercise, stock_clocks))?);
    }
    let (compiled, stock, pairs) = (median(compiled), median(stock), median(pairs));
    let other = (!other.is_empty()).then(|| median(other));
    let (settle, step) = (program.settle_report(), program.step_report(program.all_clocks()));
    Ok(SpeedRow {
        design: plan.name.clone(),
        operations: settle.operations + step.operations,
        cycles_per_second: compiled,
        vs_stock: compiled / stock,
        vs_verilator: other.map(|other| compiled / other),
        stock_cycles_per_second: stock,
        verilator_cycles_per_second: other,
        two_threads: pairs / compiled,
        start_up_ms: start_up.as_secs_f64() * 1e3,
        verilator_build_ms: verilator.and_then(|(_, build)| build).map(|build| build.as_secs_f64() * 1e3),
        code_bytes: settle.code + step.code,
        instance_bytes: program.instance().bytes(),
    })
}

/// Compiles everything a run needs.
fn compile(name: &str, design: &Design) -> Result<Arc<Compiled>, SimError> {
    let fail = |reason: String| SimError::Elaborate { block: name.into(), reason };
    let program = Compiled::new(design).map_err(|error| fail(error.to_string()))?;
    program.settle_report();
    program.step_report(program.all_clocks());
    Ok(program)
}

/// Holds the compiled engine against rust-hdl itself; returns the clocks that rust-hdl makes in the time of a
/// measurement.
fn same_start(
    plan: &SpeedPlan<'_>,
    program: &Arc<Compiled>,
    ports: &Ports,
    exercise: &Exercise,
) -> Result<u64, SimError> {
    let clocks = calibrate(plan.time, |clocks| run_stock(plan, exercise, clocks))?;
    let (theirs, ours) =
        (run_stock(plan, exercise, clocks)?, run_compiled(program, ports, exercise, clocks)?);
    equal_hashes(&plan.name, "rust-hdl", clocks, theirs, ours)?;
    Ok(clocks)
}

fn equal_hashes(name: &str, other: &str, clocks: u64, theirs: u64, ours: u64) -> Result<(), SimError> {
    if theirs == ours {
        return Ok(());
    }
    Err(SimError::Check {
        clock: clocks,
        problem: format!(
            "{name}: the outputs of {other} and of the compiled engine differ; run its co-simulation to see where"
        ),
    })
}

fn run_compiled(
    program: &Arc<Compiled>,
    ports: &Ports,
    exercise: &Exercise,
    clocks: u64,
) -> Result<u64, SimError> {
    CompiledBench::of_program(ports.clone(), program)?.exercise(&mut exercise.clone(), clocks)
}

fn run_stock(plan: &SpeedPlan<'_>, exercise: &Exercise, clocks: u64) -> Result<u64, SimError> {
    let mut bench = StockBench::new(&plan.name, (plan.make_block)()?)?;
    exercise.clone().run(&mut bench, clocks)
}

fn two_threads(
    program: &Arc<Compiled>,
    ports: &Ports,
    exercise: &Exercise,
    clocks: u64,
) -> Result<u64, SimError> {
    let run = || run_compiled(program, ports, exercise, clocks);
    let (own, other) = std::thread::scope(|scope| {
        let other = scope.spawn(run);
        (run(), other.join())
    });
    let other = other.unwrap_or_else(|_| {
        Err(SimError::Check { clock: clocks, problem: "the second thread panicked; see above".into() })
    });
    let (own, other) = (own?, other?);
    equal_hashes(ports.block(), "the other thread", clocks, other, own)?;
    Ok(own)
}

/// A Verilator bench that has shown equal outputs, and how long it took to build; nothing if Verilator is missing.
fn verilator(
    plan: &SpeedPlan<'_>,
    design: &Design,
    ports: &Ports,
) -> Result<Option<(VerilatorBench, Option<Duration>)>, SimError> {
    let text = verilog::write(design, &verilog::Options::default());
    let source = VerilogSource { top: plan.name.clone(), text };
    let bench = || VerilatorBench::of_source(ports.clone(), &source, Optimise::Native, 1);
    let started = Instant::now();
    let Some(_) = crate::tools::skip_if_missing(bench(), &format!("{}: vs_verilator", plan.name))? else {
        return Ok(None);
    };
    let build = started.elapsed();
    let fixed: Vec<(&str, u64)> = plan.fixed.iter().map(|(path, value)| (path.as_str(), *value)).collect();
    let exercise = Exercise::new(ports, &fixed)?;
    let program = compile(&plan.name, design)?;
    let clocks = 20_000;
    let theirs = bench()?.exercise(&mut exercise.clone(), clocks);
    equal_hashes(&plan.name, "Verilator", clocks, theirs, run_compiled(&program, ports, &exercise, clocks)?)?;
    // From the cache it takes some milliseconds; that is no build.
    let build = (build > Duration::from_millis(500)).then_some(build);
    Ok(Some((bench()?, build)))
}

/// The number of clocks that take about `time`.
fn calibrate(time: Duration, mut run: impl FnMut(u64) -> Result<u64, SimError>) -> Result<u64, SimError> {
    let mut clocks = 16;
    loop {
        let started = Instant::now();
        run(clocks)?;
        let taken = started.elapsed();
        if taken * 2 > time || clocks > 1 << 40 {
            let more = time.as_secs_f64() / taken.as_secs_f64().max(1e-9);
            return Ok(((clocks as f64 * more) as u64).max(16));
        }
        clocks *= if taken * 20 < time { 8 } else { 2 };
    }
}

fn rate(clocks: u64, run: impl FnOnce() -> Result<u64, SimError>) -> Result<f64, SimError> {
    let started = Instant::now();
    std::hint::black_box(run()?);
    Ok(clocks as f64 / started.elapsed().as_secs_f64())
}

fn median(mut list: Vec<f64>) -> f64 {
    list.sort_by(f64::total_cmp);
    list[list.len() / 2]
}
