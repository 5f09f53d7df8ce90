//! What becomes of one block: elaborated and checked, linted, and simulated in every way there is.

use crate::Entry;
use flitforge_elaborate::check::{structure, CrossingCatalogue, Severity};
use flitforge_elaborate::graph::Shape;
use flitforge_elaborate::models::with_models;
use flitforge_elaborate::selfcheck::{against_stock_boxed_with, Mismatch, Stimulus};
use flitforge_elaborate::{elaborate, verilog, Design, Evaluator, Value};
use flitforge_flow::ladder::lint::{lint, LintRules};
use flitforge_flow::tools::{Home, Toolbox};
use flitforge_flow::{FlowResult, Source, WorkDirectory};
use flitforge_sim::cosim::CosimPlan;
use flitforge_sim::kit::{random_value, rng, Agent, Pace, Pacer, Rng, Testbench};
use flitforge_sim::replay::Simulator;
use flitforge_sim::schedule::ClockSchedule;
use flitforge_sim::{Bench, PortHandle, PortKind, SimError};
use std::collections::HashMap;
use std::panic::{catch_unwind, AssertUnwindSafe};

/// Clocks of every simulation.
pub const CLOCKS: u64 = 2_000;
/// Start of the random inputs.
pub const SEED: u64 = 46;

/// What became of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// All simulations had the same outputs on all clocks.
    Equal,
    /// All simulations but rust-hdl's own had the same outputs on all clocks, and why that one differs.
    StockDiffers(String),
    /// It can be emitted but not simulated, and why.
    Emitted(String),
    /// It is refused, and why.
    Refused(String),
    /// Two differ.
    Differs(String),
}

/// One block's result.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Equal, refused or different.
    pub verdict: Verdict,
    /// What a linter says: empty if nothing; `None` without text or linter.
    pub findings: Option<Vec<String>>,
}

/// The tools that are used besides rust-hdl and this project's own simulators.
pub struct Tools {
    /// Simulators for the emitted Verilog.
    pub simulators: Vec<Simulator>,
    /// The linter, if it is to run.
    pub linter: Option<Linter>,
}

/// `verilator --lint-only -Wall` and yosys' checks, as the blocks of this project pass them.
pub struct Linter {
    rules: LintRules,
    toolbox: Toolbox,
    work: WorkDirectory,
}

impl Linter {
    /// With the tools that are installed.
    pub fn new() -> FlowResult<Self> {
        Ok(Self {
            rules: LintRules::embedded()?,
            toolbox: Toolbox::locate(flitforge_flow::Level::Lint.tools())?,
            work: WorkDirectory::of_home(&Home::from_environment()?),
        })
    }

    fn findings(&self, design: &Design) -> Vec<String> {
        let text = verilog::write(design, &verilog::Options::default());
        let source = Source { verilog: text, top: design.top_module().name.clone(), ports: vec![] };
        match lint(&source, &self.rules, &self.toolbox, &self.work) {
            Ok(()) => vec![],
            Err(flitforge_flow::FlowError::Lint { findings, .. }) => findings,
            Err(error) => vec![error.to_string()],
        }
    }
}

/// Elaborates, lints and simulates a block.
pub fn measure(entry: &Entry, tools: &Tools) -> Outcome {
    let design = match elaborated(entry) {
        Ok(design) => design,
        Err(reason) => return Outcome { verdict: Verdict::Refused(reason), findings: None },
    };
    let findings = tools.linter.as_ref().map(|linter| linter.findings(&design));
    Outcome { verdict: simulated(entry, design, &tools.simulators), findings }
}

/// The design, or why there is none.
pub fn elaborated(entry: &Entry) -> Result<Design, String> {
    let design = elaborate(entry.make().as_ref(), "top").map_err(|error| error.to_string())?;
    let problems = structure(&design, &CrossingCatalogue::permit_all());
    match problems.into_iter().find(|problem| problem.severity == Severity::Error) {
        Some(problem) => Err(problem.to_string()),
        None => Ok(design),
    }
}

fn simulated(entry: &Entry, design: Design, simulators: &[Simulator]) -> Verdict {
    let design = match with_models(design) {
        Ok(design) => design,
        Err(error) => return Verdict::Emitted(error.to_string()),
    };
    if let Err(error) = Evaluator::new(&design) {
        return Verdict::Emitted(error.to_string());
    }
    let run = || compared(entry, &design, simulators);
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(Ok(())) => entry.stock_fault.map_or(Verdict::Equal, |why| Verdict::StockDiffers(why.into())),
        Ok(Err(reason)) => Verdict::Differs(reason),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).into()));
            Verdict::Differs(format!("rust-hdl panics: {}", text.unwrap_or_default()))
        }
    }
}

fn compared(entry: &Entry, design: &Design, simulators: &[Simulator]) -> Result<(), String> {
    against_stock(entry)?;
    let enumerations = design.top_module().ports().filter_map(|(_, signal)| match &signal.shape {
        Shape::Enum(_, variants) => Some((signal.path.clone(), (0, variants.len() as u64 - 1))),
        _ => None,
    });
    let limited = entry.limits.iter().map(|(path, least, most)| ((*path).to_owned(), (*least, *most)));
    let limits: Limits = enumerations.chain(limited).collect();
    let name: String = entry.name.chars().filter(char::is_ascii_alphanumeric).collect();
    let stimulus = move |testbench: &mut Testbench<'_>, seed| stimulus(testbench, seed, limits);
    let mut plan =
        CosimPlan::new(name, SEED, || entry.make(), stimulus).clocks(CLOCKS).simulators(simulators);
    if let Some(why) = entry.stock_fault {
        plan = plan.stock_limit(1, why);
    }
    plan.run().map(drop).map_err(|error| error.to_string())
}

/// rust-hdl's own simulation against the graph; a difference that is known must be there.
fn against_stock(entry: &Entry) -> Result<(), String> {
    let rules = entry
        .limits
        .iter()
        .fold(Stimulus::default(), |rules, (path, least, most)| rules.range(path, *least..=*most));
    match (against_stock_boxed_with(|| entry.make(), CLOCKS, SEED, rules), entry.stock_fault) {
        (Ok(()), None) | (Err(Mismatch::Output(_)), Some(_)) => Ok(()),
        (Ok(()), Some(why)) => Err(format!("rust-hdl's own simulation does not differ any more: {why}")),
        (Err(error), _) => Err(error.to_string()),
    }
}

/// The range of each input that has one.
type Limits = HashMap<String, Range>;
/// Least and greatest value.
type Range = (u64, u64);

fn stimulus(testbench: &mut Testbench<'_>, seed: u64, limits: Limits) -> Result<(), SimError> {
    let bench = testbench.bench();
    let inputs = bench.ports().iter().filter(|(_, port)| port.kind == PortKind::Input);
    let inputs = inputs
        .map(|(handle, port)| (handle, Pacer::new(Pace::mixed()), limits.get(&port.path).copied()))
        .collect();
    testbench.add(Inputs { inputs, rng: rng(seed, "inputs"), begun: false });
    let clocks = testbench.bench().ports().of_kind(PortKind::Clock);
    if clocks.len() > 1 {
        let periods: Vec<_> = (0u64..)
            .zip(&clocks)
            .map(|(number, clock)| (*clock, 5000 + 1370 * number, 700 * number))
            .collect();
        testbench.set_schedule(ClockSchedule::new(&periods));
    }
    Ok(())
}

/// Random values on all inputs, each changing at its own changing pace.
struct Inputs {
    inputs: Vec<(PortHandle, Pacer, Option<Range>)>,
    rng: Rng,
    begun: bool,
}

impl Agent for Inputs {
    fn drive(&mut self, _: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        for (port, pacer, limit) in &mut self.inputs {
            let first = !self.begun && limit.is_some();
            if pacer.next(&mut self.rng) || first {
                let width = bench.width(*port);
                let value = random_value(&mut self.rng, width);
                bench.set(
                    *port,
                    &match limit {
                        Some((least, most)) => {
                            Value::from_u64(width, *least + value.low_u64() % (*most - *least + 1))
                        }
                        None => value,
                    },
                );
            }
        }
        self.begun = true;
        Ok(())
    }
}
