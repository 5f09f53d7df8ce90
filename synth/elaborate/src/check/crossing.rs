//! Clock crossings: found from every register's data cone, allowed only inside the catalogue's blocks.
//!
//! Clocks of one PLL, the edges of one of which are all edges of the other, are no crossing in that sense: every path between them has the time
//! of a period. The catalogue names the blocks that have such clocks, and which blocks inside may take data from one to the other.
//!
//! A memory between two clocks is a crossing, whose safety is a matter of who guards its addresses. A dual-clock
//! RAM primitive that is itself the top has nobody around it, so it is no crossing yet; the rule holds wherever
//! it is used.

use super::{Kind, Problem};
use crate::flat::node::{NodeId, Op};
use crate::flat::{operands, Flat, FlatClock, FlattenError, Hierarchy, Place, Source};
use crate::graph::{Design, Module};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// Blocks that may cross clocks.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CrossingCatalogue {
    /// Entries.
    #[serde(default)]
    pub crossing: Vec<Crossing>,
    /// Blocks with clocks of one PLL.
    #[serde(default)]
    pub synchronous: Vec<Synchronous>,
    #[serde(skip)]
    all: bool,
}

/// One kind of block that may cross clocks.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Crossing {
    /// Label of the block.
    pub block: String,
    /// What makes it safe.
    pub safe: String,
    /// Constraint template for nextpnr.
    pub nextpnr: String,
    /// Constraint template for Xilinx tools.
    pub xilinx: String,
}

/// A block with two clocks of one PLL.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Synchronous {
    /// Label of the block.
    pub block: String,
    /// Ports of its two clocks.
    pub clocks: [String; 2],
    /// Labels of the blocks inside it that take data of one clock with the other.
    pub through: Vec<String>,
    /// What makes it safe.
    pub safe: String,
    /// Constraint template for nextpnr.
    pub nextpnr: String,
    /// Constraint template for Xilinx tools.
    pub xilinx: String,
}

impl CrossingCatalogue {
    /// The project's catalogue, `constraints/crossings.toml`.
    pub fn project() -> Result<Self, toml::de::Error> {
        Self::parse(include_str!("../../crossings.toml"))
    }

    /// A catalogue from TOML.
    pub fn parse(text: &str) -> Result<Self, toml::de::Error> {
        toml::from_str(text)
    }

    /// A catalogue that allows every crossing: for tests of blocks that are no crossing themselves.
    pub fn permit_all() -> Self {
        Self { all: true, ..Self::default() }
    }

    /// True if a block with this label may cross clocks.
    pub fn permits(&self, label: &str) -> bool {
        self.all || self.crossing.iter().any(|entry| entry.block == label)
    }
}

/// A place of a design where data cross from one clock to another, as the catalogue allows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FoundCrossing {
    /// Label of the catalogue's block, the outermost if one lies inside another.
    pub block: String,
    /// Rust path of the instance from the top; empty for the top itself.
    pub path: String,
    /// Names of the instances on the way there in the Verilog text; empty for the top itself.
    pub instance: Vec<String>,
    /// Path of the clock port (or foreign output) that the data come from.
    pub from: String,
    /// Path of the clock that takes them.
    pub to: String,
}

/// Every allowed crossing of a design, in the order of its registers and memories. An error if the design cannot be flattened.
pub fn crossings(design: &Design, catalogue: &CrossingCatalogue) -> Result<Vec<FoundCrossing>, FlattenError> {
    let hierarchy = Hierarchy::new(design);
    let flat = Flat::of(&hierarchy)?;
    let mut known = HashSet::new();
    let mut found = find(&hierarchy, &flat, catalogue).found;
    found
        .retain(|crossing| known.insert((crossing.path.clone(), crossing.from.clone(), crossing.to.clone())));
    Ok(found)
}

/// The clocks a value depends on, as a mask of clock numbers.
fn domains(flat: &Flat) -> Vec<u64> {
    let bit = |clock: u32| 1u64 << clock.min(63);
    let mut masks: Vec<u64> = vec![];
    for node in flat.nodes.as_slice() {
        let mut mask = operands(&node.op).iter().fold(0, |mask, operand| mask | masks[operand.0 as usize]);
        match &node.op {
            Op::Source(source) => match &flat.sources[*source as usize] {
                Source::Register(number) => mask |= bit(flat.registers[*number as usize].clock),
                Source::Read(memory, port) => {
                    mask |= bit(flat.memories[*memory as usize].reads[*port as usize].clock);
                }
                Source::Input(_) | Source::Foreign(_) => {}
            },
            Op::MemoryRead(memory, _) => {
                let writes = &flat.memories[*memory as usize].writes;
                mask = writes.iter().fold(mask, |mask, write| mask | bit(write.clock));
            }
            _ => {}
        }
        masks.push(mask);
    }
    masks
}

/// Numbers of the registers whose data depend on another clock than their own: the first flip-flops of crossings.
pub fn foreign_registers(flat: &Flat) -> Vec<usize> {
    let masks = domains(flat);
    let foreign = |number: &usize| {
        let register = &flat.registers[*number];
        masks[register.d.0 as usize] & !(1u64 << register.clock.min(63)) != 0
    };
    (0..flat.registers.len()).filter(foreign).collect()
}

struct Finder<'a> {
    hierarchy: &'a Hierarchy<'a>,
    flat: &'a Flat,
    catalogue: &'a CrossingCatalogue,
    masks: Vec<u64>,
    problems: Vec<Problem>,
    found: Vec<FoundCrossing>,
}

pub(super) fn check(hierarchy: &Hierarchy, flat: &Flat, catalogue: &CrossingCatalogue) -> Vec<Problem> {
    let mut problems = find(hierarchy, flat, catalogue).problems;
    problems.dedup();
    problems
}

fn find<'a>(hierarchy: &'a Hierarchy<'a>, flat: &'a Flat, catalogue: &'a CrossingCatalogue) -> Finder<'a> {
    let primitive = is_bare_memory(hierarchy.module(0));
    let masks = domains(flat);
    let mut finder = Finder { hierarchy, flat, catalogue, masks, problems: vec![], found: vec![] };
    for register in &flat.registers {
        let cone = [Some(register.d), register.enable, register.clear];
        finder.port(&register.path, register.instance, register.clock, &cone);
    }
    for memory in &flat.memories {
        for read in &memory.reads {
            let cone = [Some(read.address), read.enable, read.output_enable];
            finder.port(&memory.path, memory.instance, read.clock, &cone);
            let other = memory.writes.iter().find(|write| write.clock != read.clock);
            if let Some(write) = other.filter(|_| !primitive) {
                finder.report(&memory.path, memory.instance, read.clock, write.clock, "its write port");
            }
        }
        for write in &memory.writes {
            let cone = [Some(write.address), Some(write.data), write.enable];
            finder.port(&memory.path, memory.instance, write.clock, &cone);
        }
    }
    finder
}

/// True for a memory primitive by itself: a module of one memory and nothing else.
fn is_bare_memory(module: &Module) -> bool {
    let rest = module.instances.len() + module.registers.len() + module.body.len();
    module.memories.len() == 1 && rest == 0
}

impl Finder<'_> {
    fn port(&mut self, path: &str, instance: u32, clock: u32, cone: &[Option<NodeId>]) {
        for node in cone.iter().flatten() {
            let own = 1u64 << clock.min(63);
            let mut strange = self.masks[node.0 as usize] & !own;
            if strange != 0 {
                strange &= !self.synchronous(instance, own);
            }
            if strange != 0 {
                let from = strange.trailing_zeros();
                let source = self.source(*node, from);
                self.report(path, instance, clock, from, &source);
            }
        }
    }

    /// Clocks that an element of an instance may take data of because they are of one PLL with its own: a mask, as `own` is.
    fn synchronous(&self, instance: u32, own: u64) -> u64 {
        let around = self.hierarchy.around(instance);
        let label = |number: &u32| self.hierarchy.module(*number).label.as_ref().map(|label| &label.name);
        let mut mask = 0;
        for entry in &self.catalogue.synchronous {
            let inside = around.iter().position(|number| label(number) == Some(&entry.block));
            let Some(place) = inside else { continue };
            if !around[..place].iter().filter_map(label).any(|label| entry.through.contains(label)) {
                continue;
            }
            let clocks = entry.clocks.iter().filter_map(|port| self.clock_mask(around[place], port));
            let both: u64 = clocks.fold(0, |both, clock| both | clock);
            if both & own != 0 {
                mask |= both;
            }
        }
        mask
    }

    /// The clock that an instance's port is a copy of.
    fn clock_mask(&self, instance: u32, port: &str) -> Option<u64> {
        let (signal, _) = self.hierarchy.module(instance).ports().find(|(_, signal)| signal.path == port)?;
        let (origin, foreign) = self.hierarchy.clock_origin(Place { instance, signal });
        let clock = FlatClock { path: self.hierarchy.path(origin), foreign: foreign? };
        let number = self.flat.clocks.iter().position(|known| *known == clock)?;
        Some(1u64 << number.min(63))
    }

    /// A register or memory of clock `from` that `node` depends on.
    fn source(&self, mut node: NodeId, from: u32) -> String {
        loop {
            let op = &self.flat.nodes.node(node).op;
            let next =
                operands(op).into_iter().find(|operand| self.masks[operand.0 as usize] >> from & 1 == 1);
            match (next, op) {
                (Some(next), _) => node = next,
                (None, Op::Source(source)) => {
                    return match &self.flat.sources[*source as usize] {
                        Source::Register(number) => self.flat.registers[*number as usize].path.clone(),
                        Source::Read(number, _) => self.flat.memories[*number as usize].path.clone(),
                        Source::Input(path) | Source::Foreign(path) => path.clone(),
                    }
                }
                (None, Op::MemoryRead(number, _)) => {
                    return self.flat.memories[*number as usize].path.clone()
                }
                (None, _) => return "?".into(),
            }
        }
    }

    fn report(&mut self, path: &str, instance: u32, clock: u32, from: u32, source: &str) {
        if self.catalogue.all {
            return;
        }
        let name =
            |number: u32| self.flat.clocks.get(number as usize).map_or("?", |clock| clock.path.as_str());
        // The outermost: what bounds the bits of a Gray pointer says more than what lets each of them settle.
        let permitted = self.hierarchy.around(instance).into_iter().rev().find_map(|number| {
            let label = self.hierarchy.module(number).label.as_ref()?;
            self.catalogue.permits(&label.name).then_some((number, &label.name))
        });
        if let Some((instance, block)) = permitted {
            self.found.push(FoundCrossing {
                block: block.clone(),
                path: self.hierarchy.instance_path(instance),
                instance: self.hierarchy.instance_names(instance),
                from: name(from).into(),
                to: name(clock).into(),
            });
            return;
        }
        let reason = format!(
            "runs on `{}` but takes data of `{}` from {source}; cross inside a block of constraints/crossings.toml",
            name(clock),
            name(from)
        );
        self.problems.push(Problem::error(Kind::ClockCrossing, path, reason));
    }
}
