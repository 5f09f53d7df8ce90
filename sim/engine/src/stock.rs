//! rust-hdl's own simulation behind [`Bench`]: `update_all` until nothing changes.
//!
//! The loop of rust-hdl's `Simulation` spends most of its time handing the circuit from thread to thread;
//! this one stays in place. The clock's falling edge is settled together with the next inputs, which is
//! right for blocks whose registers all load on rising edges.

use crate::bench::{BackEnd, Bench};
use crate::error::SimError;
use crate::port::{rust_name, PortHandle, PortKind, Ports};
use flitforge_elaborate::drive::DriveBlock;
use flitforge_elaborate::Value;
use rust_hdl::prelude::{Atom, Block, Probe};

/// Passes after which a block counts as one that does not settle.
pub const MAX_PASSES: usize = 1000;

/// A block simulated by rust-hdl itself.
pub struct StockBench {
    block: Box<dyn DriveBlock>,
    ports: Ports,
    /// Last value given to each input, so that equal values cost nothing.
    driven: Vec<Value>,
    dirty: bool,
    max_passes: usize,
    passes: u64,
    misuse: Option<SimError>,
}

impl StockBench {
    /// Connects and settles `block` with all inputs 0; `name` is used in messages.
    pub fn new(name: &str, mut block: Box<dyn DriveBlock>) -> Result<Self, SimError> {
        block.connect_all();
        let ports = Ports::of_block(name, block.as_ref())?;
        let driven = ports.list().iter().map(|port| Value::zero(port.width)).collect();
        let mut bench =
            Self { block, ports, driven, dirty: true, max_passes: MAX_PASSES, passes: 0, misuse: None };
        bench.settle()?;
        Ok(bench)
    }

    /// Changes the number of passes after which the block counts as one that does not settle.
    pub fn with_max_passes(mut self, passes: usize) -> Self {
        self.max_passes = passes;
        self
    }

    /// Passes over the whole block so far: the cost of this back end.
    pub fn passes(&self) -> u64 {
        self.passes
    }

    fn misuse(&mut self, port: PortHandle, problem: &str) {
        let error = SimError::PortMisuse {
            block: self.ports.block().into(),
            path: self.ports.port(port).path.clone(),
            problem: problem.into(),
        };
        self.misuse.get_or_insert(error);
    }

    fn drive(&mut self, port: PortHandle, value: Value) {
        if self.driven[port.index()] == value {
            return;
        }
        if self.block.drive(&self.ports.port(port).path, &value) {
            self.driven[port.index()] = value;
            self.dirty = true;
        } else {
            self.misuse(port, "cannot be set: it is no input");
        }
    }

    fn run(&mut self) -> Result<(), SimError> {
        for _ in 0..self.max_passes {
            self.passes += 1;
            self.block.update_all();
            if !self.block.has_changed() {
                self.dirty = false;
                return Ok(());
            }
        }
        let mut walk = SignalWalk { path: vec![], visit: Visit::Changing(vec![]) };
        self.block.accept("", &mut walk);
        let Visit::Changing(changing) = walk.visit else { unreachable!("set above") };
        Err(SimError::DoesNotSettle { block: self.ports.block().into(), passes: self.max_passes, changing })
    }
}

impl Bench for StockBench {
    fn ports(&self) -> &Ports {
        &self.ports
    }

    fn set_words(&mut self, port: PortHandle, words: &[u64]) {
        if self.ports.port(port).kind == PortKind::Clock {
            return self.misuse(port, "cannot be set: a clock moves by `step`");
        }
        self.drive(port, Value::from_words(self.ports.port(port).width, words));
    }

    fn read_words(&self, port: PortHandle, into: &mut [u64]) {
        let value = self.block.sample(&self.ports.port(port).path);
        let words = value.as_ref().map(Value::words).unwrap_or_default();
        for (index, word) in into.iter_mut().enumerate() {
            *word = words.get(index).copied().unwrap_or(0);
        }
    }

    fn settle(&mut self) -> Result<(), SimError> {
        if let Some(misuse) = self.misuse.take() {
            return Err(misuse);
        }
        if self.dirty {
            self.run()?;
        }
        Ok(())
    }

    fn step_clocks(&mut self, clocks: &[PortHandle]) -> Result<(), SimError> {
        for clock in clocks {
            if self.ports.port(*clock).kind != PortKind::Clock {
                self.misuse(*clock, "cannot step: it is no clock");
            }
        }
        self.settle()?;
        for clock in clocks {
            self.drive(*clock, Value::ones(1));
        }
        self.settle()?;
        for clock in clocks {
            self.drive(*clock, Value::zero(1));
        }
        Ok(())
    }

    fn peek(&self, path: &str) -> Option<Value> {
        let mut walk = SignalWalk { path: vec![], visit: Visit::Find(path, None) };
        self.block.accept("", &mut walk);
        match walk.visit {
            Visit::Find(_, value) => value,
            Visit::Changing(_) => None,
        }
    }

    fn back_end(&self) -> BackEnd {
        BackEnd::Stock
    }
}

/// What a walk over all signals looks for.
enum Visit<'a> {
    /// The signals that changed in the last pass, up to eight.
    Changing(Vec<String>),
    /// One signal's value.
    Find(&'a str, Option<Value>),
}

struct SignalWalk<'a> {
    path: Vec<String>,
    visit: Visit<'a>,
}

impl SignalWalk<'_> {
    fn full_path(&self, name: &str) -> String {
        let mut parts: Vec<String> = self.path.iter().filter(|part| !part.is_empty()).cloned().collect();
        parts.push(rust_name(name));
        parts.join(".")
    }
}

impl Probe for SignalWalk<'_> {
    fn visit_start_scope(&mut self, name: &str, _: &dyn Block) {
        self.path.push(rust_name(name));
    }
    fn visit_end_scope(&mut self, _: &str, _: &dyn Block) {
        self.path.pop();
    }
    fn visit_start_namespace(&mut self, name: &str, _: &dyn Block) {
        self.path.push(rust_name(name));
    }
    fn visit_end_namespace(&mut self, _: &str, _: &dyn Block) {
        self.path.pop();
    }
    fn visit_atom(&mut self, name: &str, atom: &dyn Atom) {
        let path = self.full_path(name);
        match &mut self.visit {
            Visit::Changing(list) if atom.changed() && list.len() < 8 => list.push(path),
            Visit::Find(wanted, found) if *wanted == path => {
                *found = literal(&atom.verilog().to_string(), atom.bits() as u32);
            }
            _ => {}
        }
    }
}

/// Reads `8'hff` or `3'b101`.
fn literal(text: &str, width: u32) -> Option<Value> {
    let (_, digits) = text.split_once('\'')?;
    let (bits, radix) = match digits.split_at_checked(1)? {
        ("h", _) => (4, 16),
        ("b", _) => (1, 2),
        _ => return None,
    };
    let mut value = Value::zero(width);
    for (position, digit) in digits[1..].chars().rev().enumerate() {
        let digit = digit.to_digit(radix)?;
        for bit in 0..bits {
            value.set_bit(position as u32 * bits + bit, digit >> bit & 1 == 1);
        }
    }
    Some(value)
}
