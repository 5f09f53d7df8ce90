//! The gate of every block's test: the evaluator against rust-hdl's own `update_all`, with random inputs.
//!
//! The typing rules of the walker are a second reading of rust-hdl; this comparison is what makes them
//! trustworthy. It also holds hand-written text with a marker against its `update()`.

use crate::check;
use crate::drive::DriveBlock;
use crate::evaluate::{EvaluateError, Evaluator};
use crate::graph::Shape;
use crate::value::Value;
use crate::{elaborate, ElaborateError};
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
    /// `drive_ports!` does not list a port.
    #[error("port {path} is missing in `drive_ports!`")]
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
    /// The two differ.
    #[error(transparent)]
    Output(Box<Difference>),
    /// The structural check found an error.
    #[error("{0}")]
    Structure(check::Problem),
}

/// An output that differs.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("cycle {cycle}, {when} the edge, seed {seed}: {path} is {stock:x} in rust-hdl and {graph:x} in the graph; inputs {inputs}")]
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
    ports: Vec<Port>,
    inputs: Vec<(String, Value)>,
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

/// As [`against_stock`], for a block whose type is not known.
pub fn against_stock_boxed(
    make: impl Fn() -> Box<dyn DriveBlock>,
    cycles: u64,
    seed: u64,
) -> Result<(), Mismatch> {
    let seed = std::env::var("FLITFORGE_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(seed);
    let mut pair = Pair::new(&make, seed)?;
    for cycle in 0..cycles {
        pair.cycle = cycle;
        pair.randomise();
        pair.settle()?;
        pair.compare("before")?;
        pair.edge()?;
        pair.compare("after")?;
        pair.fall()?;
    }
    Ok(())
}

impl Pair {
    fn new(make: &impl Fn() -> Box<dyn DriveBlock>, seed: u64) -> Result<Self, Mismatch> {
        let design = elaborate(make().as_ref(), "top")?;
        if let Some(problem) = check::structure(&design, &check::CrossingCatalogue::permit_all())
            .into_iter()
            .find(|problem| problem.severity == check::Severity::Error)
        {
            return Err(Mismatch::Structure(problem));
        }
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
            ports.push(Port { path: path.clone(), width: *width, input: *input, clock });
        }
        let random = Random::new(seed);
        Ok(Self { stock, graph, ports, inputs: vec![], random, seed, cycle: 0 })
    }

    fn randomise(&mut self) {
        self.inputs.clear();
        for port in self.ports.iter().filter(|port| port.input && !port.clock) {
            let value = self.random.value(port.width);
            self.stock.drive(&port.path, &value);
            self.graph.set(&port.path, &value);
            self.inputs.push((port.path.clone(), value));
        }
    }

    fn settle(&mut self) -> Result<(), Mismatch> {
        for _ in 0..PASSES {
            self.stock.update_all();
            if !self.stock.has_changed() {
                return Ok(());
            }
        }
        Err(Mismatch::Unsettled { cycle: self.cycle, passes: PASSES })
    }

    fn compare(&mut self, when: &'static str) -> Result<(), Mismatch> {
        for port in self.ports.iter().filter(|port| !port.input && !port.clock) {
            let (Some(stock), Some(graph)) = (self.stock.sample(&port.path), self.graph.get(&port.path))
            else {
                return Err(Mismatch::PortNotListed { path: port.path.clone() });
            };
            if stock != graph {
                let inputs: Vec<String> =
                    self.inputs.iter().map(|(path, value)| format!("{path}={value:x}")).collect();
                return Err(Mismatch::Output(Box::new(Difference {
                    cycle: self.cycle,
                    when,
                    seed: self.seed,
                    path: port.path.clone(),
                    stock,
                    graph,
                    inputs: inputs.join(" "),
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
        self.settle()?;
        self.graph.clock(&rising);
        Ok(())
    }

    fn fall(&mut self) -> Result<(), Mismatch> {
        for port in self.ports.iter().filter(|port| port.clock && port.input) {
            self.stock.drive(&port.path, &Value::zero(1));
        }
        self.settle()
    }
}

/// xorshift64*: enough for stimulus, and the library needs no generator of its own for tests.
struct Random {
    state: u64,
}

impl Random {
    fn new(seed: u64) -> Self {
        Self { state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1 }
    }

    fn next(&mut self) -> u64 {
        self.state ^= self.state >> 12;
        self.state ^= self.state << 25;
        self.state ^= self.state >> 27;
        self.state.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A value; one in eight is all zeros, all ones or a single bit, where faults hide.
    fn value(&mut self, width: u32) -> Value {
        match self.next() >> 32 & 31 {
            0 => Value::zero(width),
            1 => Value::ones(width),
            2 | 3 => {
                let mut value = Value::zero(width);
                value.set_bit((self.next() >> 32) as u32 % width, true);
                value
            }
            _ => {
                let words: Vec<u64> = (0..crate::value::words_for(width)).map(|_| self.next()).collect();
                Value::from_words(width, &words)
            }
        }
    }
}
