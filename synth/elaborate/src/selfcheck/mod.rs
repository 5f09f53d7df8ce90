//! The gate of every block's test: the evaluator against rust-hdl's own `update_all`, with random inputs.
//!
//! The typing rules of the walker are a second reading of rust-hdl; this comparison is what makes them
//! trustworthy. It also holds hand-written text with a marker against its `update()`.
//!
//! Where rust-hdl's simulation panics, the check ends with the place and the inputs, as it does where `signed_bit_cast` would
//! recurse until the stack is full. Inputs that cannot occur are kept away by a [`Stimulus`].

mod casts;
mod panics;
mod stimulus;

pub use stimulus::{Inputs, Stimulus};

use crate::check;
use crate::drive::DriveBlock;
use crate::evaluate::{EvaluateError, Evaluator};
use crate::graph::Shape;
use crate::models::{with_models, SharedWire};
use crate::value::Value;
use crate::{elaborate, ElaborateError};
use casts::Casts;
use stimulus::Random;
use thiserror::Error;

/// What the check found.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Mismatch {
    /// The block cannot be elaborated.
    #[error(transparent)]
    Elaborate(#[from] ElaborateError),
    /// The design cannot be evaluated.
    #[error(transparent)]
    Evaluate(#[from] EvaluateError),
    /// A wire that several blocks drive.
    #[error(transparent)]
    SharedWire(#[from] SharedWire),
    /// `drive_ports!` does not list a port.
    #[error("port {path} is missing in `drive_ports!` or `driven!`")]
    PortNotListed {
        /// Port.
        path: String,
    },
    /// The stock simulation does not settle.
    #[error("cycle {cycle}: rust-hdl's simulation does not settle in {passes} passes")]
    Unsettled {
        /// Cycle.
        cycle: u64,
        /// Passes tried.
        passes: u32,
    },
    /// The stock simulation panics, or would not end.
    #[error(transparent)]
    Stopped(Box<Stopped>),
    /// A rule for the inputs that cannot be kept.
    #[error("`{path}` {why}")]
    Stimulus {
        /// Input.
        path: String,
        /// What is wrong with the rule, and what to do.
        why: String,
    },
    /// The two differ.
    #[error(transparent)]
    Output(Box<Difference>),
    /// The structural check found an error.
    #[error("{0}")]
    Structure(check::Problem),
}

/// Where the stock simulation stops.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("cycle {cycle}, {when} the edge, seed {seed}: rust-hdl's simulation stops in {place}: {message}; inputs {inputs}. Mend the block, or keep such inputs away with a `Stimulus`")]
pub struct Stopped {
    /// Cycle.
    pub cycle: u64,
    /// `before`, `at` or `after`.
    pub when: &'static str,
    /// Seed.
    pub seed: u64,
    /// Block and line of the `update`, or the signal.
    pub place: String,
    /// Why.
    pub message: String,
    /// Inputs of the cycle.
    pub inputs: String,
}

/// An output that differs.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("cycle {cycle}, {when} the edge, seed {seed}: {path} is {stock:x} in rust-hdl and {graph:x} in the graph; inputs {inputs}. If the block calculates with `.index()` or calls functions named like casts, `lint::sources` names the line")]
pub struct Difference {
    /// Cycle.
    pub cycle: u64,
    /// `before` or `after`.
    pub when: &'static str,
    /// Seed.
    pub seed: u64,
    /// Output.
    pub path: String,
    /// Value in rust-hdl.
    pub stock: Value,
    /// Value in the evaluator.
    pub graph: Value,
    /// Inputs of the cycle.
    pub inputs: String,
}

/// Passes after which a stock simulation counts as not settling.
const PASSES: u32 = 1000;

struct Port {
    path: String,
    width: u32,
    input: bool,
    clock: bool,
}

struct Pair {
    stock: Box<dyn DriveBlock>,
    graph: Evaluator,
    casts: Casts,
    ports: Vec<Port>,
    inputs: Option<Inputs>,
    stimulus: Stimulus,
    random: Random,
    seed: u64,
    cycle: u64,
}

/// Drives a block made by `make` for `cycles` clocks with random inputs, in rust-hdl and in the evaluator, and
/// compares all outputs before and after every edge. With several clock inputs, a random set of them rises in
/// each cycle. `FLITFORGE_SEED` in the environment overrides `seed`.
pub fn against_stock<B: DriveBlock + 'static>(
    make: impl Fn() -> B,
    cycles: u64,
    seed: u64,
) -> Result<(), Mismatch> {
    against_stock_boxed(|| Box::new(make()), cycles, seed)
}

/// As [`against_stock`], with inputs that `stimulus` allows.
pub fn against_stock_with<B: DriveBlock + 'static>(
    make: impl Fn() -> B,
    cycles: u64,
    seed: u64,
    stimulus: Stimulus,
) -> Result<(), Mismatch> {
    run(&|| Box::new(make()), cycles, seed, stimulus)
}

/// As [`against_stock`], for a block whose type is not known.
pub fn against_stock_boxed(
    make: impl Fn() -> Box<dyn DriveBlock>,
    cycles: u64,
    seed: u64,
) -> Result<(), Mismatch> {
    run(&make, cycles, seed, Stimulus::default())
}

/// As [`against_stock_with`], for a block whose type is not known.
pub fn against_stock_boxed_with(
    make: impl Fn() -> Box<dyn DriveBlock>,
    cycles: u64,
    seed: u64,
    stimulus: Stimulus,
) -> Result<(), Mismatch> {
    run(&make, cycles, seed, stimulus)
}

fn run(
    make: &dyn Fn() -> Box<dyn DriveBlock>,
    cycles: u64,
    seed: u64,
    stimulus: Stimulus,
) -> Result<(), Mismatch> {
    let seed = std::env::var("FLITFORGE_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(seed);
    let mut pair = Pair::new(make, seed, stimulus)?;
    for cycle in 0..cycles {
        pair.cycle = cycle;
        pair.randomise();
        pair.settle("before")?;
        pair.compare("before")?;
        pair.edge()?;
        pair.compare("after")?;
        pair.fall()?;
    }
    Ok(())
}

impl Pair {
    fn new(
        make: &dyn Fn() -> Box<dyn DriveBlock>,
        seed: u64,
        mut stimulus: Stimulus,
    ) -> Result<Self, Mismatch> {
        let design = elaborate(make().as_ref(), "top")?;
        if let Some(problem) = check::structure(&design, &check::CrossingCatalogue::permit_all())
            .into_iter()
            .find(|problem| problem.severity == check::Severity::Error)
        {
            return Err(Mismatch::Structure(problem));
        }
        let mut design = with_models(design)?;
        let casts = Casts::flag(&mut design);
        let graph = Evaluator::new(&design)?;
        let mut stock = make();
        // top inputs are driven from outside
        stock.connect_all();
        let mut listed = vec![];
        stock.list("", &mut listed);
        let top = design.top_module();
        let mut ports = vec![];
        for (_, signal) in top.ports() {
            let Some((path, width, input)) = listed.iter().find(|(path, ..)| *path == signal.path) else {
                return Err(Mismatch::PortNotListed { path: signal.path.clone() });
            };
            let clock = signal.shape == Shape::Clock;
            if let (Shape::Enum(_, variants), true) = (&signal.shape, *input) {
                stimulus.keep_below(path, variants.len() as u64);
            }
            ports.push(Port { path: path.clone(), width: *width, input: *input, clock });
        }
        stimulus.check(&driven(&ports))?;
        let random = Random::new(seed);
        Ok(Self { stock, graph, casts, ports, inputs: None, stimulus, random, seed, cycle: 0 })
    }

    fn randomise(&mut self) {
        let inputs = self.stimulus.inputs(&mut self.random, self.cycle, &driven(&self.ports));
        for (path, value) in &inputs.values {
            self.stock.drive(path, value);
            self.graph.set(path, value);
        }
        self.inputs = Some(inputs);
    }

    /// Settles the stock simulation; the evaluator has the same inputs and registers already.
    fn settle(&mut self, when: &'static str) -> Result<(), Mismatch> {
        if let Some(place) = self.casts.endless(&mut self.graph) {
            let message = "`signed_bit_cast` of the most negative number recurses until the stack is full";
            return Err(self.stopped(when, format!("`{place}`"), message.into()));
        }
        let Self { stock, .. } = self;
        let settled = panics::caught(|| {
            (0..PASSES).any(|_| {
                stock.update_all();
                !stock.has_changed()
            })
        });
        match settled {
            Ok(true) => Ok(()),
            Ok(false) => Err(Mismatch::Unsettled { cycle: self.cycle, passes: PASSES }),
            Err(panic) => Err(self.stopped(when, panic.place, panic.message)),
        }
    }

    fn stopped(&self, when: &'static str, place: String, message: String) -> Mismatch {
        let (cycle, seed, inputs) = (self.cycle, self.seed, self.listed_inputs());
        Mismatch::Stopped(Box::new(Stopped { cycle, when, seed, place, message, inputs }))
    }

    fn listed_inputs(&self) -> String {
        self.inputs.as_ref().map(Inputs::list).unwrap_or_default()
    }

    fn compare(&mut self, when: &'static str) -> Result<(), Mismatch> {
        for port in self.ports.iter().filter(|port| !port.input && !port.clock) {
            let (Some(stock), Some(graph)) = (self.stock.sample(&port.path), self.graph.get(&port.path))
            else {
                return Err(Mismatch::PortNotListed { path: port.path.clone() });
            };
            if stock != graph {
                return Err(Mismatch::Output(Box::new(Difference {
                    cycle: self.cycle,
                    when,
                    seed: self.seed,
                    path: port.path.clone(),
                    stock,
                    graph,
                    inputs: self.listed_inputs(),
                })));
            }
        }
        Ok(())
    }

    fn edge(&mut self) -> Result<(), Mismatch> {
        let clocks: Vec<String> =
            self.ports.iter().filter(|port| port.input && port.clock).map(|port| port.path.clone()).collect();
        let mut rising: Vec<&str> = clocks.iter().map(String::as_str).collect();
        if rising.len() > 1 {
            let pick = self.random.next();
            let bits = (0u32..).map(|bit| pick >> (bit % 64) & 1 == 1);
            rising = rising.into_iter().zip(bits).filter(|(_, pick)| *pick).map(|(path, _)| path).collect();
        }
        for path in &rising {
            self.stock.drive(path, &Value::ones(1));
        }
        self.graph.clock(&rising);
        self.settle("at")
    }

    fn fall(&mut self) -> Result<(), Mismatch> {
        for port in self.ports.iter().filter(|port| port.clock && port.input) {
            self.stock.drive(&port.path, &Value::zero(1));
        }
        self.settle("after")
    }
}

/// The inputs that are no clocks.
fn driven(ports: &[Port]) -> Vec<(&str, u32)> {
    let driven = ports.iter().filter(|port| port.input && !port.clock);
    driven.map(|port| (port.path.as_str(), port.width)).collect()
}
