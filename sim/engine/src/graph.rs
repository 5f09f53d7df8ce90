//! The elaborated graph behind [`Bench`]: what is simulated is what the Verilog writer writes.

use crate::bench::{BackEnd, Bench};
use crate::design::design_of;
use crate::error::SimError;
use crate::port::{Port, PortHandle, PortKind, Ports};
use flitforge_elaborate::drive::DriveBlock;
use flitforge_elaborate::evaluate::{ClockSet, Evaluator, Handle};
use flitforge_elaborate::{Design, Value};
use std::cell::RefCell;

/// A block simulated from its elaborated graph.
pub struct GraphBench {
    /// Evaluates lazily, so that reading changes it.
    evaluator: RefCell<Evaluator>,
    ports: Ports,
    /// The evaluator's handle of every port; `None` for a clock, or an input that nothing reads.
    handles: Vec<Option<Handle>>,
    inputs: Vec<Value>,
    /// Inputs set since the last settle.
    changed: Vec<PortHandle>,
    edges: Vec<(Vec<PortHandle>, ClockSet)>,
    misuse: Option<SimError>,
}

impl GraphBench {
    /// Elaborates `block` (which must be fresh) and settles it with all inputs 0; `name` is the name of its
    /// module.
    pub fn new(name: &str, block: Box<dyn DriveBlock>) -> Result<Self, SimError> {
        Self::of_design(name, &design_of(name, block.as_ref())?)
    }

    /// A bench for an elaborated design.
    pub fn of_design(name: &str, design: &Design) -> Result<Self, SimError> {
        let reason = |reason: String| SimError::Elaborate { block: name.into(), reason };
        let evaluator = Evaluator::new(design).map_err(|error| reason(error.to_string()))?;
        let ports = Ports::of_design(name, design);
        let mut handles = vec![];
        for port in ports.list() {
            let handle = evaluator.handle(&port.path).filter(|_| port.kind != PortKind::Clock);
            match handle {
                Some(handle) if handle.width() != port.width => {
                    let widths = (handle.width(), port.width);
                    return Err(reason(format!(
                        "`{}` has {} bits in the evaluator, {} as a port",
                        port.path, widths.0, widths.1
                    )));
                }
                None if port.kind == PortKind::Output => {
                    return Err(reason(format!("output `{}` is unknown to the evaluator", port.path)));
                }
                _ => handles.push(handle),
            }
        }
        let inputs = ports.list().iter().map(|port| Value::zero(port.width)).collect();
        let mut bench = Self {
            evaluator: RefCell::new(evaluator),
            ports,
            handles,
            inputs,
            changed: vec![],
            edges: vec![],
            misuse: None,
        };
        bench.settle()?;
        Ok(bench)
    }

    fn misuse(&mut self, port: PortHandle, problem: &str) {
        let error = SimError::PortMisuse {
            block: self.ports.block().into(),
            path: self.ports.port(port).path.clone(),
            problem: problem.into(),
        };
        self.misuse.get_or_insert(error);
    }

    /// The evaluator's set of these clocks. A clock that nothing uses is no clock to it.
    fn clock_set(&mut self, clocks: &[PortHandle]) -> Option<ClockSet> {
        if let Some((_, set)) = self.edges.iter().find(|(known, _)| known == clocks) {
            return Some(*set);
        }
        let evaluator = self.evaluator.get_mut();
        let paths = clocks.iter().map(|clock| self.ports.port(*clock).path.as_str());
        let used: Vec<&str> =
            paths.filter(|path| evaluator.clocks().iter().any(|clock| clock == path)).collect();
        let set = evaluator.clock_set(&used)?;
        self.edges.push((clocks.to_vec(), set));
        Some(set)
    }
}

impl Bench for GraphBench {
    fn ports(&self) -> &Ports {
        &self.ports
    }

    fn set_words(&mut self, port: PortHandle, words: &[u64]) {
        let Port { width, kind, .. } = self.ports.port(port);
        match kind {
            PortKind::Input => {}
            PortKind::Output => return self.misuse(port, "cannot be set: it is no input"),
            PortKind::Clock => return self.misuse(port, "cannot be set: a clock moves by `step`"),
        }
        let value = Value::from_words(*width, words);
        if self.inputs[port.index()] != value {
            self.inputs[port.index()] = value;
            self.changed.push(port);
        }
    }

    fn read_words(&self, port: PortHandle, into: &mut [u64]) {
        into.fill(0);
        let Some(handle) = self.handles[port.index()] else {
            let words = self.inputs[port.index()].words();
            return into.iter_mut().zip(words).for_each(|(to, from)| *to = *from);
        };
        let mut evaluator = self.evaluator.borrow_mut();
        if let ([word], 0..=64) = (&mut *into, handle.width()) {
            *word = evaluator.get_u64(handle);
        } else {
            let value = evaluator.get_handle(handle);
            into.iter_mut().zip(value.words()).for_each(|(to, from)| *to = *from);
        }
    }

    fn settle(&mut self) -> Result<(), SimError> {
        if let Some(misuse) = self.misuse.take() {
            return Err(misuse);
        }
        let evaluator = self.evaluator.get_mut();
        for port in self.changed.drain(..) {
            if let Some(handle) = self.handles[port.index()] {
                evaluator.set_handle(handle, &self.inputs[port.index()]);
            }
        }
        evaluator.settle();
        Ok(())
    }

    fn step_clocks(&mut self, clocks: &[PortHandle]) -> Result<(), SimError> {
        for clock in clocks {
            if self.ports.port(*clock).kind != PortKind::Clock {
                self.misuse(*clock, "cannot step: it is no clock");
            }
        }
        self.settle()?;
        if let Some(set) = self.clock_set(clocks) {
            self.evaluator.get_mut().clock_set_edge(set);
        }
        // Settles on the next read or edge.
        Ok(())
    }

    fn peek(&self, path: &str) -> Option<Value> {
        self.evaluator.borrow_mut().get(path)
    }

    fn back_end(&self) -> BackEnd {
        BackEnd::Graph
    }

    fn signals(&self) -> Vec<String> {
        self.evaluator.borrow().signals().map(|(path, _)| path.to_string()).collect()
    }
}
