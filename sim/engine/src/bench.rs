//! One interface to every way of simulating a block.
//!
//! A bench works clock by clock: set inputs, [`Bench::settle`], look at outputs, [`Bench::step`]. Values are
//! 64-bit words, least significant first, so that a fast back end is not slowed by its test bench.

use crate::error::SimError;
use crate::port::{PortHandle, PortKind, Ports};
use crate::watch::Watch;
use flitforge_elaborate::value::words_for;
use flitforge_elaborate::Value;

/// A block under simulation.
///
/// Outputs have the values of the last [`settle`](Bench::settle) or [`step`](Bench::step); inputs set since
/// then do not show yet. A wrong use of a port (a value for an output, a wrong width) is reported by the next
/// `settle` or `step`.
pub trait Bench {
    /// The block's ports.
    fn ports(&self) -> &Ports;

    /// Sets an input from words, least significant first; bits above the port's width are cut off.
    fn set_words(&mut self, port: PortHandle, words: &[u64]);

    /// Copies a port's value into `into`, least significant word first; missing words become 0.
    fn read_words(&self, port: PortHandle, into: &mut [u64]);

    /// Brings the combinational logic up to date with the inputs.
    fn settle(&mut self) -> Result<(), SimError>;

    /// Settles, then one rising edge of these clocks together, then settles again.
    fn step_clocks(&mut self, clocks: &[PortHandle]) -> Result<(), SimError>;

    /// The settled value of any signal by its hierarchical Rust path (`lane[2].count.q`), if there is one.
    fn peek(&self, path: &str) -> Option<Value>;

    /// Which way of simulating this is.
    fn back_end(&self) -> BackEnd;

    /// Paths of all signals that [`peek`](Bench::peek) can see, in order; empty where the back end cannot list
    /// them.
    fn signals(&self) -> Vec<String> {
        vec![]
    }

    /// Looks up signals that are to be read on every clock, which may be much faster than to
    /// [`peek`](Bench::peek) each time. An error names the first path that this back end cannot see.
    fn watch(&mut self, paths: &[&str]) -> Result<Watch, SimError> {
        let found = paths.iter().map(|path| {
            let value = self.peek(path).ok_or_else(|| no_such_signal(self, path))?;
            Ok((path.to_string(), value.width()))
        });
        Ok(Watch::new(found.collect::<Result<Vec<_>, SimError>>()?, 0))
    }

    /// Copies the settled values of watched signals into `into`, which becomes as long as
    /// [`Watch::words`]. The watch comes from this bench.
    fn read_watch(&self, watch: &Watch, into: &mut Vec<u64>) {
        into.clear();
        for signal in watch.signals() {
            let value = self.peek(&signal.path).unwrap_or_else(|| Value::zero(signal.width));
            into.extend_from_slice(value.words());
        }
    }

    /// One rising edge of all clocks together, with a settle before and after.
    fn step(&mut self) -> Result<(), SimError> {
        let clocks = self.ports().of_kind(PortKind::Clock);
        self.step_clocks(&clocks)
    }

    /// The port at `path`, or an error that lists the ports there are.
    fn port(&self, path: &str) -> Result<PortHandle, SimError> {
        self.ports().find(path)
    }

    /// Width of a port in bits.
    fn width(&self, port: PortHandle) -> u32 {
        self.ports().port(port).width
    }

    /// Sets an input.
    fn set(&mut self, port: PortHandle, value: &Value) {
        self.set_words(port, value.words());
    }

    /// Sets an input; bits above the port's width are cut off.
    fn set_u64(&mut self, port: PortHandle, value: u64) {
        self.set_words(port, &[value]);
    }

    /// The value of a port.
    fn get(&self, port: PortHandle) -> Value {
        let width = self.width(port);
        let mut words = vec![0; words_for(width)];
        self.read_words(port, &mut words);
        Value::from_words(width, &words)
    }

    /// The low 64 bits of a port.
    fn get_u64(&self, port: PortHandle) -> u64 {
        let mut word = [0];
        self.read_words(port, &mut word);
        word[0]
    }

    /// Bit 0 of a port.
    fn get_bit(&self, port: PortHandle) -> bool {
        self.get_u64(port) & 1 == 1
    }
}

/// The ways of simulating a rust-hdl block inside this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BackEnd {
    /// rust-hdl's own `update_all`.
    Stock,
    /// The elaborated graph, evaluated.
    Graph,
    /// The emitted Verilog in Verilator.
    Verilator,
    /// The elaborated graph as native code.
    Compiled,
}

impl BackEnd {
    /// Environment variable that chooses the back end of [`open`](crate::open).
    pub const VARIABLE: &'static str = "FLITFORGE_BACKEND";

    /// All, the fast one first.
    pub const ALL: [Self; 4] = [Self::Compiled, Self::Graph, Self::Stock, Self::Verilator];

    /// Those that need no tool.
    pub const BUILT_IN: [Self; 3] = [Self::Compiled, Self::Graph, Self::Stock];

    /// Name, as used in `FLITFORGE_BACKEND`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Stock => "stock",
            Self::Graph => "graph",
            Self::Verilator => "verilator",
            Self::Compiled => "compiled",
        }
    }

    /// The back end called `name`.
    pub fn parse(name: &str) -> Result<Self, SimError> {
        Self::ALL.into_iter().find(|back_end| back_end.name() == name).ok_or_else(|| SimError::Unknown {
            kind: "back end",
            name: name.into(),
            available: Self::ALL.iter().map(|back_end| back_end.name().to_string()).collect(),
        })
    }

    /// What `FLITFORGE_BACKEND` says; compiled without it.
    pub fn from_environment() -> Result<Self, SimError> {
        match std::env::var(Self::VARIABLE) {
            Ok(name) => Self::parse(&name),
            Err(_) => Ok(Self::Compiled),
        }
    }
}

/// The error for a path that `bench` cannot see.
pub(crate) fn no_such_signal(bench: &(impl Bench + ?Sized), path: &str) -> SimError {
    SimError::PortMisuse {
        block: bench.ports().block().into(),
        path: path.into(),
        problem: format!("no such signal on the {} back end", bench.back_end().name()),
    }
}
