//! A flat design from the resolved values: registers, memories, clocks and every signal.
//!
//! A signal whose bits depend on other bits of itself only *looks* like a loop. When one is met, the signals
//! on it are cut at their struct fields, then into bits, and resolution starts again; what still loops then
//! is a loop.

use super::hierarchy::{Hierarchy, Place};
use super::resolve::{Cuts, Failure, Key, Resolver};
use super::template::Fault;
use super::{Flat, FlatClock, FlatMemory, FlatRead, FlatRegister, FlatWrite, FlattenError};
use crate::graph::{Design, Shape, SignalId, SignalKind};
use std::collections::BTreeMap;

impl Flat {
    /// Flattens a design.
    pub fn new(design: &Design) -> Result<Self, FlattenError> {
        Self::of(&Hierarchy::new(design))
    }

    /// Flattens a design whose modules are executed already.
    pub fn of(hierarchy: &Hierarchy) -> Result<Self, FlattenError> {
        faults(hierarchy)?;
        let mut cuts = Cuts::new();
        loop {
            let mut resolver = Resolver::new(hierarchy, &cuts);
            match resolver.flatten() {
                Ok(parts) => return Ok(parts),
                Err(Failure::Error(error)) => return Err(error),
                Err(Failure::Cycle(cycle)) => refine(hierarchy, &mut cuts, &cycle)?,
            }
        }
    }
}

fn faults(hierarchy: &Hierarchy) -> Result<(), FlattenError> {
    for (number, _) in hierarchy.occurrences.iter().enumerate() {
        for fault in &hierarchy.template(number as u32).faults {
            let (signal, what) = match *fault {
                Fault::Latch(id) => (id, "not assigned on every path; assign a default first"),
                Fault::ReadBeforeAssignment(id) => (id, "read before it is assigned; assign it first"),
                Fault::SeveralDrivers(id) => (id, "has several drivers; keep one"),
                Fault::Undriven(_) => continue,
            };
            let place = Place { instance: number as u32, signal: SignalId(signal) };
            return Err(FlattenError::Body { path: hierarchy.path(place), what });
        }
    }
    Ok(())
}

/// Cuts the signals of a cycle one step finer; an error if all are single bits.
fn refine(hierarchy: &Hierarchy, cuts: &mut Cuts, cycle: &[Key]) -> Result<(), FlattenError> {
    let mut progress = false;
    let mut path = vec![];
    for key in cycle {
        let module = hierarchy.module(key.instance);
        if key.node.0 as usize >= module.signals.len() {
            continue;
        }
        let signal = SignalId(key.node.0);
        path.push(hierarchy.path(Place { instance: key.instance, signal }));
        let width = module.signal(signal).width;
        let id = hierarchy.occurrences[key.instance as usize].module;
        let finer: Vec<u32> = match (cuts.get(&(id, signal)), &module.signal(signal).shape) {
            (None, Shape::Struct(fields)) => fields.iter().map(|field| field.offset).collect(),
            _ => (0..width).collect(),
        };
        if width > 1 && cuts.get(&(id, signal)).is_none_or(|known| known.len() < finer.len()) {
            cuts.insert((id, signal), finer);
            progress = true;
        }
    }
    path.dedup();
    if progress {
        Ok(())
    } else {
        Err(FlattenError::Loop { path })
    }
}

impl Resolver<'_> {
    fn flatten(&mut self) -> Result<Flat, Failure> {
        let top = self.hierarchy.module(0);
        for (signal, _) in top.ports() {
            self.place(Place { instance: 0, signal })?;
        }
        let mut clocks = vec![];
        for (_, signal) in top.ports().filter(|(_, signal)| signal.shape == Shape::Clock) {
            if signal.kind == SignalKind::Input {
                clocks.push(FlatClock { path: signal.path.clone(), foreign: false });
            }
        }
        let (mut registers, mut memories, mut foreign) = (vec![], vec![], vec![]);
        for number in 0..self.hierarchy.occurrences.len() as u32 {
            self.registers(number, &mut clocks, &mut registers)?;
            self.memories(number, &mut clocks, &mut memories)?;
            if self.hierarchy.module(number).foreign.is_some() {
                let path = self.hierarchy.occurrences[number as usize].prefix.trim_end_matches('.');
                foreign.push(if path.is_empty() { top.name.clone() } else { path.into() });
            }
        }
        let live = self.nodes.len();
        let mut signals = BTreeMap::new();
        for number in 0..self.hierarchy.occurrences.len() as u32 {
            for index in 0..self.hierarchy.module(number).signals.len() as u32 {
                let place = Place { instance: number, signal: SignalId(index) };
                signals.insert(self.hierarchy.path(place), self.place(place)?);
            }
        }
        let nodes = std::mem::take(&mut self.nodes);
        let sources = std::mem::take(&mut self.sources);
        Ok(Flat { nodes, live, sources, registers, memories, clocks, signals, foreign })
    }

    fn registers(
        &mut self,
        number: u32,
        clocks: &mut Vec<FlatClock>,
        into: &mut Vec<FlatRegister>,
    ) -> Result<(), Failure> {
        for register in &self.hierarchy.module(number).registers {
            let at = |signal| Place { instance: number, signal };
            let path = format!("{}{}", self.hierarchy.occurrences[number as usize].prefix, register.path);
            into.push(FlatRegister {
                instance: number,
                clock: self.clock(&path, at(register.clock), clocks)?,
                q: self.place(at(register.q))?,
                d: self.place(at(register.d))?,
                enable: register.enable.map(|signal| self.place(at(signal))).transpose()?,
                clear: register.clear.map(|signal| self.place(at(signal))).transpose()?,
                initial: register.initial.clone(),
                path,
            });
        }
        Ok(())
    }

    fn memories(
        &mut self,
        number: u32,
        clocks: &mut Vec<FlatClock>,
        into: &mut Vec<FlatMemory>,
    ) -> Result<(), Failure> {
        for memory in &self.hierarchy.module(number).memories {
            let at = |signal| Place { instance: number, signal };
            let path = format!("{}{}", self.hierarchy.occurrences[number as usize].prefix, memory.path);
            let (mut reads, mut writes) = (vec![], vec![]);
            for read in &memory.reads {
                let Some(clock) = read.clock else { continue };
                reads.push(FlatRead {
                    clock: self.clock(&path, at(clock), clocks)?,
                    address: self.place(at(read.address))?,
                    data: self.place(at(read.data))?,
                    enable: read.enable.map(|signal| self.place(at(signal))).transpose()?,
                    output_register: read.output_register,
                    output_enable: read.output_enable.map(|signal| self.place(at(signal))).transpose()?,
                });
            }
            for write in &memory.writes {
                writes.push(FlatWrite {
                    clock: self.clock(&path, at(write.clock), clocks)?,
                    address: self.place(at(write.address))?,
                    data: self.place(at(write.data))?,
                    enable: write.enable.map(|signal| self.place(at(signal))).transpose()?,
                });
            }
            let (depth, width, style) = (memory.depth, memory.width, memory.style);
            let initial = memory.initial.clone();
            into.push(FlatMemory { path, instance: number, depth, width, initial, style, reads, writes });
        }
        Ok(())
    }

    /// The number of the clock that `place` is a copy of.
    fn clock(&self, element: &str, place: Place, clocks: &mut Vec<FlatClock>) -> Result<u32, Failure> {
        let (at, found) = self.hierarchy.clock_origin(place);
        let path = self.hierarchy.path(at);
        let Some(foreign) = found else {
            return Err(Failure::Error(FlattenError::Clock { element: element.into(), from: path }));
        };
        let clock = FlatClock { path, foreign };
        let known = clocks.iter().position(|known| *known == clock);
        Ok(known.unwrap_or_else(|| {
            clocks.push(clock);
            clocks.len() - 1
        }) as u32)
    }
}
