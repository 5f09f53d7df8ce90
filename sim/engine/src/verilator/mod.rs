//! The emitted Verilog in Verilator behind [`Bench`]: compiled once into a shared library, loaded, called in process.

mod build;
mod library;

pub use build::{build, Interface, Optimise};
pub use library::Model;

use crate::bench::{BackEnd, Bench};
use crate::design::design_of;
use crate::error::SimError;
use crate::exercise::Exercise;
use crate::port::{PortHandle, PortKind, Ports};
use crate::replay::VerilogSource;
use flitforge_elaborate::drive::DriveBlock;
use flitforge_elaborate::Value;
use flitforge_elaborate::{verilog, Design};
use std::cell::RefCell;

/// Seed of the random start values where the caller gives none.
const START_SEED: u64 = 1;

/// A block simulated from its emitted Verilog by Verilator. Only ports can be looked at.
pub struct VerilatorBench {
    ports: Ports,
    interface: Interface,
    /// Per port: its number among the clocks, or its first word among inputs or outputs.
    places: Vec<usize>,
    /// Settles lazily, so that reading changes it.
    running: RefCell<Running>,
    /// Inputs as set, which show from the next settle on.
    inputs: Vec<u64>,
    misuse: Option<SimError>,
}

struct Running {
    model: Model,
    /// Inputs of the last settle.
    inputs: Vec<u64>,
    outputs: Vec<u64>,
    settled: bool,
}

impl Running {
    fn settle(&mut self) {
        if !self.settled {
            self.model.settle(&self.inputs, &mut self.outputs);
            self.settled = true;
        }
    }
}

impl VerilatorBench {
    /// Elaborates `block` (which must be fresh), emits its Verilog as module `name`, builds and settles it with
    /// all inputs 0.
    pub fn new(name: &str, block: Box<dyn DriveBlock>) -> Result<Self, SimError> {
        Self::of_design(name, &design_of(name, block.as_ref())?)
    }

    /// A bench for an elaborated design.
    pub fn of_design(name: &str, design: &Design) -> Result<Self, SimError> {
        let text = verilog::write(design, &verilog::Options::default());
        let source = VerilogSource { top: design.top_module().name.clone(), text };
        Self::of_source(Ports::of_design(name, design), &source, Optimise::Quick, START_SEED)
    }

    /// A bench for Verilog text whose top has these ports; `seed` chooses the start values of everything that
    /// has no initial value.
    pub fn of_source(
        ports: Ports,
        source: &VerilogSource,
        optimise: Optimise,
        seed: u64,
    ) -> Result<Self, SimError> {
        let interface = Interface::new(&ports);
        let library = build(source, &interface, optimise)?;
        let model = Model::load(&library, &interface, seed)?;
        let (mut clocks, mut inputs, mut outputs) = (0, 0, 0);
        let places = ports.list().iter().map(|port| {
            let (next, step) = match port.kind {
                PortKind::Clock => (&mut clocks, 1),
                PortKind::Input => (&mut inputs, port.words()),
                PortKind::Output => (&mut outputs, port.words()),
            };
            *next += step;
            *next - step
        });
        let places = places.collect();
        let inputs = vec![0; inputs];
        let running = Running { model, inputs: inputs.clone(), outputs: vec![0; outputs], settled: false };
        Ok(Self { ports, interface, places, running: RefCell::new(running), inputs, misuse: None })
    }

    /// How the model's words are laid out.
    pub fn interface(&self) -> &Interface {
        &self.interface
    }

    /// [`Exercise::run`] in C++, without a call per clock: Verilator's own speed.
    pub fn exercise(&mut self, exercise: &mut Exercise, clocks: u64) -> u64 {
        let running = self.running.get_mut();
        running.settled = false;
        running.model.exercise(clocks, exercise.seed, &exercise.random, &mut exercise.inputs)
    }

    fn misuse(&mut self, port: PortHandle, problem: &str) {
        let error = SimError::PortMisuse {
            block: self.ports.block().into(),
            path: self.ports.port(port).path.clone(),
            problem: problem.into(),
        };
        self.misuse.get_or_insert(error);
    }
}

impl Bench for VerilatorBench {
    fn ports(&self) -> &Ports {
        &self.ports
    }

    fn set_words(&mut self, port: PortHandle, words: &[u64]) {
        let (width, kind, count) = {
            let port = self.ports.port(port);
            (port.width, port.kind, port.words())
        };
        match kind {
            PortKind::Input => {}
            PortKind::Output => return self.misuse(port, "cannot be set: it is no input"),
            PortKind::Clock => return self.misuse(port, "cannot be set: a clock moves by `step`"),
        }
        let place = self.places[port.index()];
        let own = &mut self.inputs[place..place + count];
        own.fill(0);
        own.iter_mut().zip(words).for_each(|(to, from)| *to = *from);
        if let (Some(last), used @ 1..) = (own.last_mut(), width % 64) {
            *last &= u64::MAX >> (64 - used);
        }
    }

    fn read_words(&self, port: PortHandle, into: &mut [u64]) {
        into.fill(0);
        let info = self.ports.port(port);
        let mut running = self.running.borrow_mut();
        let words = match info.kind {
            PortKind::Clock => return,
            PortKind::Input => &self.inputs,
            PortKind::Output => {
                running.settle();
                &running.outputs
            }
        };
        let place = self.places[port.index()];
        let words = &words[place..place + info.words()];
        into.iter_mut().zip(words).for_each(|(to, from)| *to = *from);
    }

    fn settle(&mut self) -> Result<(), SimError> {
        if let Some(misuse) = self.misuse.take() {
            return Err(misuse);
        }
        let running = self.running.get_mut();
        if running.inputs != self.inputs {
            running.inputs.copy_from_slice(&self.inputs);
            running.settled = false;
        }
        running.settle();
        Ok(())
    }

    fn step_clocks(&mut self, clocks: &[PortHandle]) -> Result<(), SimError> {
        let mut mask = 0;
        for clock in clocks {
            if self.ports.port(*clock).kind == PortKind::Clock {
                mask |= 1 << self.places[clock.index()];
            } else {
                self.misuse(*clock, "cannot step: it is no clock");
            }
        }
        self.settle()?;
        let running = self.running.get_mut();
        running.model.rise(mask);
        // Settles on the next read or edge.
        running.settled = false;
        Ok(())
    }

    fn peek(&self, path: &str) -> Option<Value> {
        self.ports.find(path).ok().map(|port| self.get(port))
    }

    fn back_end(&self) -> BackEnd {
        BackEnd::Verilator
    }
}
