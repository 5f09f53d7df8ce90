//! The emitted text in Icarus against rust-hdl's own `update_all`, on random vectors.

use super::{clocks, generate, icarus_edges, port_widths, random};
use flitforge_elaborate::drive::DriveBlock;
use flitforge_elaborate::graph::{Design, Shape, SignalKind};
use flitforge_elaborate::verilog::{self, Options};
use flitforge_elaborate::{elaborate, Value};
use rand::Rng;

/// Passes after which rust-hdl's simulation counts as not settling.
const PASSES: u32 = 1000;

/// A block under rust-hdl's own simulation.
struct Stock {
    block: Box<dyn DriveBlock>,
    inputs: Vec<String>,
    clocks: Vec<String>,
    outputs: Vec<String>,
}

impl Stock {
    fn new(mut block: Box<dyn DriveBlock>, design: &Design) -> Self {
        block.connect_all();
        let top = design.top_module();
        let ports = |kind: SignalKind, clock: bool| -> Vec<String> {
            top.ports()
                .filter(|(_, port)| port.kind == kind && (port.shape == Shape::Clock) == clock)
                .map(|(_, port)| port.path.clone())
                .collect()
        };
        Self {
            inputs: ports(SignalKind::Input, false),
            clocks: ports(SignalKind::Input, true),
            outputs: ports(SignalKind::Output, false),
            block,
        }
    }

    fn settle(&mut self) {
        for _ in 0..PASSES {
            self.block.update_all();
            if !self.block.has_changed() {
                return;
            }
        }
        panic!("rust-hdl's simulation does not settle");
    }

    /// Outputs for these inputs, then the edges.
    fn step(&mut self, vector: &[Value], edges: &Value) -> Vec<Value> {
        for (path, value) in self.inputs.iter().zip(vector) {
            assert!(self.block.drive(path, value), "{path}");
        }
        self.settle();
        let outputs = self
            .outputs
            .iter()
            .map(|path| self.block.sample(path).expect("an output of the block"))
            .collect();
        for (clock, path) in (0u32..).zip(&self.clocks) {
            assert!(self.block.drive(path, &edges.slice(clock, 1)), "{path}");
        }
        self.settle();
        for path in &self.clocks {
            assert!(self.block.drive(path, &Value::zero(1)), "{path}");
        }
        self.settle();
        outputs
    }
}

/// Stock rust-hdl and the emitted text give the same outputs on `count` random vectors; with several clocks a
/// random set of them rises each time. Returns the design and how often an output changed.
pub fn same<B: DriveBlock + 'static>(block: B, name: &str, count: usize) -> (Design, usize) {
    same_with(block, name, count, &|_| {})
}

/// [`same`] with a hook that may change each random vector.
pub fn same_with<B: DriveBlock + 'static>(
    block: B,
    name: &str,
    count: usize,
    adjust: &dyn Fn(&mut Vec<Value>),
) -> (Design, usize) {
    same_boxed(Box::new(block), name, count, adjust)
}

/// [`same_with`] for a block whose type is not known.
pub fn same_boxed(
    block: Box<dyn DriveBlock>,
    name: &str,
    count: usize,
    adjust: &dyn Fn(&mut Vec<Value>),
) -> (Design, usize) {
    let mut random = random(name, 7);
    let design = elaborate(block.as_ref(), name).unwrap_or_else(|error| panic!("{name}: {error}"));
    let (widths, _) = port_widths(&design);
    let mut vectors = generate::vectors(&mut random, &widths, count);
    vectors.iter_mut().for_each(adjust);
    let clocks = clocks(&design).max(1);
    let edges: Vec<Value> = (0..count)
        .map(|_| match clocks {
            1 => Value::ones(1),
            _ => Value::from_u64(clocks, random.random()),
        })
        .collect();
    let mut stock = Stock::new(block, &design);
    let expected: Vec<Vec<Value>> =
        vectors.iter().zip(&edges).map(|(vector, edges)| stock.step(vector, edges)).collect();
    let changes = expected.windows(2).filter(|pair| pair[0] != pair[1]).count();
    let text = verilog::write(&design, &Options::default());
    if let Some(actual) = icarus_edges(&design, &text, &vectors, &edges) {
        for (at, (wanted, got)) in expected.iter().zip(&actual).enumerate() {
            assert_eq!(got, wanted, "{name}, vector {at}: {:?}\n{text}", vectors[at]);
        }
    }
    (design, changes)
}
