//! The compiled engine behind [`Bench`].

use super::instance::Instance;
use super::program::{Clocks, Compiled, Handle};
use crate::bench::no_such_signal;
use crate::bench::{BackEnd, Bench};
use crate::design::design_of;
use crate::error::SimError;
use crate::exercise::Exercise;
use crate::port::{PortHandle, PortKind, Ports};
use crate::watch::Watch;
use flitforge_elaborate::drive::DriveBlock;
use flitforge_elaborate::{Design, Value};
use std::cell::RefCell;
use std::sync::Arc;

/// A block simulated by native code made from its elaborated graph.
pub struct CompiledBench {
    /// Settles when read, so that reading changes it.
    instance: RefCell<Instance>,
    ports: Ports,
    /// The instance's handle of every port; `None` for a clock.
    handles: Vec<Option<Handle>>,
    /// Inputs as they were set: they show with the next settle.
    staged: Vec<u64>,
    /// First word in `staged` and width of every port.
    places: Vec<(usize, u32)>,
    /// Ports set since the last settle.
    changed: Vec<PortHandle>,
    edges: Vec<(Vec<PortHandle>, Clocks)>,
    misuse: Option<SimError>,
}

impl CompiledBench {
    /// Elaborates and compiles `block` (which must be fresh), all inputs 0; `name` is the name of its module.
    pub fn new(name: &str, block: Box<dyn DriveBlock>) -> Result<Self, SimError> {
        Self::of_design(name, &design_of(name, block.as_ref())?)
    }

    /// A bench for an elaborated design.
    pub fn of_design(name: &str, design: &Design) -> Result<Self, SimError> {
        let program = Compiled::new(design).map_err(|error| refusal(name, error.to_string()))?;
        Self::of_program(Ports::of_design(name, design), &program)
    }

    /// A bench on a new instance of a compiled design with these ports.
    pub fn of_program(ports: Ports, program: &Arc<Compiled>) -> Result<Self, SimError> {
        let (mut handles, mut places, mut words) = (vec![], vec![], 0);
        for port in ports.list() {
            let handle = match port.kind {
                PortKind::Clock => None,
                _ => {
                    let handle = program.handle(&port.path);
                    Some(handle.map_err(|error| refusal(ports.block(), error.to_string()))?)
                }
            };
            handles.push(handle);
            places.push((words, port.width));
            words += port.words();
        }
        Ok(Self {
            instance: RefCell::new(program.instance()),
            ports,
            handles,
            staged: vec![0; words],
            places,
            changed: vec![],
            edges: vec![],
            misuse: None,
        })
    }

    /// What all instances of the block share.
    pub fn program(&self) -> Arc<Compiled> {
        self.instance.borrow().program().clone()
    }

    /// [`Exercise::run`] without a call of the bench per port and clock: the engine's own speed.
    pub fn exercise(&mut self, exercise: &mut Exercise, clocks: u64) -> Result<u64, SimError> {
        self.apply()?;
        let words = |kind| {
            let ports = self.ports.of_kind(kind).into_iter();
            ports
                .filter_map(|port| self.handles[port.index()])
                .flat_map(Handle::range)
                .collect::<Vec<usize>>()
        };
        let (inputs, outputs) = (words(PortKind::Input), words(PortKind::Output));
        let hash = self.instance.get_mut().exercise(exercise, (&inputs, &outputs), clocks);
        // what the bench would set next is compared with what it set last: that is what the exercise left
        let mut at = 0;
        for port in self.ports.of_kind(PortKind::Input) {
            let range = self.staged(port);
            let words = range.len();
            self.staged[range].copy_from_slice(&exercise.inputs[at..at + words]);
            at += words;
        }
        Ok(hash)
    }

    fn misuse(&mut self, port: PortHandle, problem: &str) {
        let error = SimError::PortMisuse {
            block: self.ports.block().into(),
            path: self.ports.port(port).path.clone(),
            problem: problem.into(),
        };
        self.misuse.get_or_insert(error);
    }

    fn staged(&self, port: PortHandle) -> std::ops::Range<usize> {
        let (at, width) = self.places[port.index()];
        at..at + flitforge_elaborate::value::words_for(width)
    }

    /// Gives the staged inputs to the instance.
    fn apply(&mut self) -> Result<(), SimError> {
        if let Some(misuse) = self.misuse.take() {
            return Err(misuse);
        }
        let instance = self.instance.get_mut();
        for port in self.changed.drain(..) {
            if let Some(handle) = self.handles[port.index()] {
                let (at, _) = self.places[port.index()];
                instance.put(handle, &self.staged[at..at + handle.range().len()]);
            }
        }
        Ok(())
    }

    fn clock_set(&mut self, clocks: &[PortHandle]) -> Result<Clocks, SimError> {
        if let Some((_, set)) = self.edges.iter().find(|(known, _)| known == clocks) {
            return Ok(*set);
        }
        for clock in clocks {
            if self.ports.port(*clock).kind != PortKind::Clock {
                self.misuse(*clock, "cannot step: it is no clock");
            }
        }
        if let Some(misuse) = self.misuse.take() {
            return Err(misuse);
        }
        let paths: Vec<&str> = clocks.iter().map(|clock| self.ports.port(*clock).path.as_str()).collect();
        let set = self.program().clocks(&paths);
        let set = set.map_err(|error| refusal(self.ports.block(), error.to_string()))?;
        self.edges.push((clocks.to_vec(), set));
        Ok(set)
    }
}

fn refusal(block: &str, reason: String) -> SimError {
    SimError::Elaborate { block: block.into(), reason }
}

impl Bench for CompiledBench {
    fn ports(&self) -> &Ports {
        &self.ports
    }

    fn set_words(&mut self, port: PortHandle, words: &[u64]) {
        match self.ports.port(port).kind {
            PortKind::Input => {}
            PortKind::Output => return self.misuse(port, "cannot be set: it is no input"),
            PortKind::Clock => return self.misuse(port, "cannot be set: a clock moves by `step`"),
        }
        let width = self.places[port.index()].1;
        let range = self.staged(port);
        let mut changed = false;
        for (index, to) in self.staged[range].iter_mut().enumerate() {
            let word = words.get(index).copied().unwrap_or(0) & super::word::word_mask(width, index);
            changed |= *to != word;
            *to = word;
        }
        if changed {
            self.changed.push(port);
        }
    }

    fn read_words(&self, port: PortHandle, into: &mut [u64]) {
        let Some(handle) = self.handles[port.index()] else { return into.fill(0) };
        let mut instance = self.instance.borrow_mut();
        let words = instance.words(handle);
        for (index, to) in into.iter_mut().enumerate() {
            *to = words.get(index).copied().unwrap_or(0);
        }
    }

    /// Inputs count from here on; the logic itself settles when an output is read.
    fn settle(&mut self) -> Result<(), SimError> {
        self.apply()
    }

    fn step_clocks(&mut self, clocks: &[PortHandle]) -> Result<(), SimError> {
        let set = self.clock_set(clocks)?;
        self.apply()?;
        self.instance.get_mut().step(set);
        Ok(())
    }

    fn peek(&self, path: &str) -> Option<Value> {
        self.instance.borrow_mut().peek(path)
    }

    fn back_end(&self) -> BackEnd {
        BackEnd::Compiled
    }

    fn signals(&self) -> Vec<String> {
        self.instance.borrow().program().signals().map(str::to_string).collect()
    }

    fn watch(&mut self, paths: &[&str]) -> Result<Watch, SimError> {
        let program = self.program();
        if let Some(path) = paths.iter().find(|path| program.signals().all(|signal| signal != **path)) {
            return Err(no_such_signal(self, path));
        }
        program.watch(paths).map_err(|error| refusal(self.ports.block(), error.to_string()))
    }

    fn read_watch(&self, watch: &Watch, into: &mut Vec<u64>) {
        self.instance.borrow_mut().read_watch(watch, into);
    }
}
