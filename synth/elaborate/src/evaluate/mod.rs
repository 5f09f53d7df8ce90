//! The evaluator: runs a design cycle by cycle, two-state, with any number of clocks. It is the oracle of the
//! other simulators.

mod program;
pub(crate) mod wide;

use crate::flat::{Flat, FlatClock, FlatMemory, FlattenError, Source};
use crate::graph::Design;
use crate::value::Value;
use program::{Instruction, Program, Slot};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use thiserror::Error;
use wide::Store;

/// Why a design cannot be evaluated.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EvaluateError {
    /// It cannot be flattened.
    #[error(transparent)]
    Flatten(#[from] FlattenError),
    /// It contains foreign text.
    #[error(
        "{path} is foreign text and cannot be simulated; replace it by a model or simulate what is around it"
    )]
    Foreign {
        /// Instance.
        path: String,
    },
    /// More clocks than fit a mask.
    #[error("{count} clocks; at most 64 are possible")]
    Clocks {
        /// Clocks found.
        count: usize,
    },
}

/// A signal, looked up once.
#[derive(Clone, Copy, Debug)]
pub struct Handle {
    slot: Slot,
    live: bool,
    input: bool,
}

impl Handle {
    /// Width in bits.
    pub fn width(self) -> u32 {
        self.slot.width
    }
}

/// A set of clocks, looked up once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockSet(u64);

/// What does not change while a design runs.
#[derive(Debug)]
struct Plan {
    program: Program,
    handles: BTreeMap<String, Handle>,
    clocks: Vec<String>,
    registers: Vec<RegisterPlan>,
    reads: Vec<ReadPlan>,
    writes: Vec<WritePlan>,
}

#[derive(Debug)]
struct RegisterPlan {
    domain: u64,
    q: Slot,
    d: Slot,
    enable: Option<Slot>,
    clear: Option<Slot>,
    initial: Value,
}

#[derive(Debug)]
struct ReadPlan {
    domain: u64,
    memory: usize,
    address: Slot,
    data: Slot,
    enable: Option<Slot>,
    /// Place of the first register in the state, if there are two.
    stage: Option<usize>,
    output_enable: Option<Slot>,
}

#[derive(Debug)]
struct WritePlan {
    domain: u64,
    memory: usize,
    address: Slot,
    data: Slot,
    enable: Option<Slot>,
}

/// A running design. `Clone` takes a snapshot.
#[derive(Clone, Debug)]
pub struct Evaluator {
    plan: Arc<Plan>,
    words: Vec<u64>,
    /// First registers of read ports with two.
    stages: Vec<u64>,
    memories: Vec<Store>,
    /// Values that registers take on this edge, in a row.
    pending: Vec<u64>,
    settled: bool,
    observed: bool,
}

impl Evaluator {
    /// Prepares a design; registers and memories have their power-on values, inputs are 0.
    pub fn new(design: &Design) -> Result<Self, EvaluateError> {
        Self::of(&Flat::new(design)?)
    }

    /// Prepares a flat design.
    pub fn of(flat: &Flat) -> Result<Self, EvaluateError> {
        if let Some(path) = flat.foreign.first() {
            return Err(EvaluateError::Foreign { path: path.clone() });
        }
        if flat.clocks.len() > 64 {
            return Err(EvaluateError::Clocks { count: flat.clocks.len() });
        }
        let program = Program::new(flat);
        let slot = |node: crate::flat::node::NodeId| program.slots[node.0 as usize];
        let registers = flat.registers.iter().map(|register| RegisterPlan {
            domain: 1 << register.clock,
            q: slot(register.q),
            d: slot(register.d),
            enable: register.enable.map(slot),
            clear: register.clear.map(slot),
            initial: register.initial.clone(),
        });
        let registers = registers.collect();
        let (reads, writes, stages) = memory_plans(flat, &slot);
        let inputs: HashMap<&str, ()> = flat
            .sources
            .iter()
            .filter_map(|source| match source {
                Source::Input(path) => Some((path.as_str(), ())),
                _ => None,
            })
            .collect();
        let handle = |(path, node): (&String, &crate::flat::node::NodeId)| {
            let input = inputs.contains_key(path.as_str());
            (path.clone(), Handle { slot: slot(*node), live: (node.0 as usize) < flat.live, input })
        };
        let handles = flat.signals.iter().map(handle).collect();
        let clocks = flat.clocks.iter().map(|FlatClock { path, .. }| path.clone()).collect();
        let words = vec![0; program.size];
        let plan = Arc::new(Plan { program, handles, clocks, registers, reads, writes });
        let mut evaluator = Self {
            plan,
            words,
            stages: vec![0; stages],
            memories: flat.memories.iter().map(store).collect(),
            pending: vec![],
            settled: false,
            observed: false,
        };
        evaluator.power_on();
        Ok(evaluator)
    }

    fn power_on(&mut self) {
        for (slot, value) in &self.plan.program.constants {
            self.words[slot.range()].copy_from_slice(value.words());
        }
        for register in &self.plan.registers {
            self.words[register.q.range()].copy_from_slice(register.initial.words());
        }
    }

    /// Paths of all signals that can be read, in order.
    pub fn signals(&self) -> impl Iterator<Item = (&str, Handle)> {
        self.plan.handles.iter().map(|(path, handle)| (path.as_str(), *handle))
    }

    /// The clocks, by top port path.
    pub fn clocks(&self) -> &[String] {
        &self.plan.clocks
    }

    /// The signal at `path`.
    pub fn handle(&self, path: &str) -> Option<Handle> {
        self.plan.handles.get(path).copied()
    }

    /// The set of these clocks; `None` if one is unknown.
    pub fn clock_set(&self, paths: &[&str]) -> Option<ClockSet> {
        paths.iter().try_fold(ClockSet(0), |set, path| {
            let number = self.plan.clocks.iter().position(|clock| clock == path)?;
            Some(ClockSet(set.0 | 1 << number))
        })
    }

    /// Sets the top input at `path`; false if there is no such input of this width.
    pub fn set(&mut self, path: &str, value: &Value) -> bool {
        self.handle(path).is_some_and(|handle| self.set_handle(handle, value))
    }

    /// Sets a top input; false if it is none or has another width.
    pub fn set_handle(&mut self, handle: Handle, value: &Value) -> bool {
        self.set_words(handle, value.words(), value.width())
    }

    /// Sets a top input of at most 64 bits.
    pub fn set_u64(&mut self, handle: Handle, value: u64) -> bool {
        let width = handle.slot.width;
        width <= 64 && self.set_words(handle, &[value & (u64::MAX >> (64 - width))], width)
    }

    fn set_words(&mut self, handle: Handle, words: &[u64], width: u32) -> bool {
        if !handle.input || handle.slot.width != width {
            return false;
        }
        self.words[handle.slot.range()].copy_from_slice(words);
        self.settled = false;
        true
    }

    /// The settled value of any signal.
    pub fn get(&mut self, path: &str) -> Option<Value> {
        let handle = self.handle(path)?;
        Some(self.get_handle(handle))
    }

    /// The settled value of a signal.
    pub fn get_handle(&mut self, handle: Handle) -> Value {
        self.look(handle);
        Value::from_words(handle.slot.width, &self.words[handle.slot.range()])
    }

    /// The low 64 bits of a signal.
    pub fn get_u64(&mut self, handle: Handle) -> u64 {
        self.look(handle);
        self.words[handle.slot.at as usize]
    }

    fn look(&mut self, handle: Handle) {
        self.settle();
        if !handle.live && !self.observed {
            let plan = self.plan.clone();
            run(&plan.program.instructions[plan.program.live..], &mut self.words, &self.memories);
            self.observed = true;
        }
    }

    /// Lets the combinational logic settle.
    pub fn settle(&mut self) {
        if self.settled {
            return;
        }
        let plan = &self.plan;
        run(&plan.program.instructions[..plan.program.live], &mut self.words, &self.memories);
        self.settled = true;
        self.observed = false;
    }

    /// A rising edge of these top clocks at the same time; false if one of them clocks nothing.
    pub fn clock(&mut self, clocks: &[&str]) -> bool {
        let Some(set) = self.clock_set(clocks) else { return false };
        self.clock_set_edge(set);
        true
    }

    /// A rising edge of these clocks at the same time.
    pub fn clock_set_edge(&mut self, clocks: ClockSet) {
        self.settle();
        let plan = self.plan.clone();
        self.sample_registers(&plan, clocks.0);
        let memory_data = self.sample_memories(&plan, clocks.0);
        self.write_memories(&plan, clocks.0);
        self.commit(&plan, clocks.0, memory_data);
        self.settled = false;
    }

    fn on(&self, condition: Option<Slot>) -> bool {
        condition.is_none_or(|slot| self.words[slot.at as usize] & 1 == 1)
    }

    fn sample_registers(&mut self, plan: &Plan, clocks: u64) {
        self.pending.clear();
        for register in plan.registers.iter().filter(|register| register.domain & clocks != 0) {
            if register.clear.is_some() && self.on(register.clear) {
                self.pending.extend_from_slice(register.initial.words());
            } else {
                let from = if self.on(register.enable) { register.d } else { register.q };
                self.pending.extend_from_slice(&self.words[from.range()]);
            }
        }
    }

    /// New words of the clocked read ports, old contents.
    fn sample_memories(&mut self, plan: &Plan, clocks: u64) -> Vec<(Slot, Vec<u64>)> {
        let mut out = vec![];
        for read in plan.reads.iter().filter(|read| read.domain & clocks != 0) {
            let stage = read.stage.map(|at| at..at + read.data.words());
            if let (Some(stage), true) = (&stage, self.on(read.output_enable)) {
                out.push((read.data, self.stages[stage.clone()].to_vec()));
            }
            if !self.on(read.enable) {
                continue;
            }
            let address = wide::to_u64(&self.words[read.address.range()]);
            let word = address.and_then(|address| self.memories[read.memory].word(address));
            let word = word.map_or_else(|| vec![0; read.data.words()], <[u64]>::to_vec);
            match stage {
                Some(stage) => self.stages[stage].copy_from_slice(&word),
                None => out.push((read.data, word)),
            }
        }
        out
    }

    fn write_memories(&mut self, plan: &Plan, clocks: u64) {
        for write in plan.writes.iter().filter(|write| write.domain & clocks != 0) {
            let address = wide::to_u64(&self.words[write.address.range()]);
            let store = &mut self.memories[write.memory];
            let enabled = write.enable.is_none_or(|slot| self.words[slot.at as usize] & 1 == 1);
            if let Some(address) = address.filter(|address| enabled && *address < store.depth) {
                let at = address as usize * store.stride;
                store.words[at..at + store.stride].copy_from_slice(&self.words[write.data.range()]);
            }
        }
    }

    fn commit(&mut self, plan: &Plan, clocks: u64, memory_data: Vec<(Slot, Vec<u64>)>) {
        let mut at = 0;
        for register in plan.registers.iter().filter(|register| register.domain & clocks != 0) {
            let words = register.q.words();
            self.words[register.q.range()].copy_from_slice(&self.pending[at..at + words]);
            at += words;
        }
        for (slot, words) in memory_data {
            self.words[slot.range()].copy_from_slice(&words);
        }
    }
}

fn memory_plans(
    flat: &Flat,
    slot: &dyn Fn(crate::flat::node::NodeId) -> Slot,
) -> (Vec<ReadPlan>, Vec<WritePlan>, usize) {
    let (mut reads, mut writes, mut stages) = (vec![], vec![], 0);
    for (memory, item) in flat.memories.iter().enumerate() {
        for read in &item.reads {
            let data = slot(read.data);
            let stage = read.output_register.then_some(stages);
            stages += if read.output_register { data.words() } else { 0 };
            reads.push(ReadPlan {
                domain: 1 << read.clock,
                memory,
                address: slot(read.address),
                data,
                enable: read.enable.map(slot),
                stage,
                output_enable: read.output_enable.map(slot),
            });
        }
        for write in &item.writes {
            writes.push(WritePlan {
                domain: 1 << write.clock,
                memory,
                address: slot(write.address),
                data: slot(write.data),
                enable: write.enable.map(slot),
            });
        }
    }
    (reads, writes, stages)
}

fn store(memory: &FlatMemory) -> Store {
    let stride = crate::value::words_for(memory.width);
    let mut words = vec![0; stride * memory.depth as usize];
    for (to, value) in words.chunks_mut(stride).zip(&memory.initial) {
        to.copy_from_slice(value.words());
    }
    Store { words, depth: u64::from(memory.depth), stride }
}

fn run(instructions: &[Instruction], words: &mut [u64], memories: &[Store]) {
    use Instruction as I;
    for instruction in instructions {
        let at = |index: &u32| words[*index as usize];
        let (to, value) = match instruction {
            I::Not { to, a, mask } => (to, !at(a) & mask),
            I::Negate { to, a, mask } => (to, at(a).wrapping_neg() & mask),
            I::All { to, a, mask } => (to, u64::from(at(a) == *mask)),
            I::Any { to, a } => (to, u64::from(at(a) != 0)),
            I::Parity { to, a } => (to, u64::from(at(a).count_ones() & 1)),
            I::Add { to, a, b, mask } => (to, at(a).wrapping_add(at(b)) & mask),
            I::Sub { to, a, b, mask } => (to, at(a).wrapping_sub(at(b)) & mask),
            I::Mul { to, a, b, mask } => (to, at(a).wrapping_mul(at(b)) & mask),
            I::And { to, a, b } => (to, at(a) & at(b)),
            I::Or { to, a, b } => (to, at(a) | at(b)),
            I::Xor { to, a, b } => (to, at(a) ^ at(b)),
            I::Equal { to, a, b } => (to, u64::from(at(a) == at(b))),
            I::NotEqual { to, a, b } => (to, u64::from(at(a) != at(b))),
            I::Less { to, a, b } => (to, u64::from(at(a) < at(b))),
            I::LessEqual { to, a, b } => (to, u64::from(at(a) <= at(b))),
            I::Left { to, a, b, width } => {
                let amount = at(b).min(u64::from(*width)) as u32;
                let mask = u64::MAX >> (64 - width);
                (to, at(a).checked_shl(amount).unwrap_or(0) & mask)
            }
            I::Right { to, a, b, width } => {
                let amount = at(b).min(u64::from(*width)) as u32;
                (to, at(a).checked_shr(amount).unwrap_or(0))
            }
            I::Slice { to, a, shift, mask } => (to, at(a) >> shift & mask),
            I::Join { to, a, b, shift } => (to, at(a) | at(b) << shift),
            I::Mux { to, c, a, b } => (to, if at(c) & 1 == 1 { at(a) } else { at(b) }),
            I::MuxWide { to, c, a, b, words: count } => {
                let from = if at(c) & 1 == 1 { *a } else { *b } as usize;
                words.copy_within(from..from + *count as usize, *to as usize);
                continue;
            }
            I::Wide(instruction) => {
                wide::run(instruction, words, memories);
                continue;
            }
        };
        words[*to as usize] = value;
    }
}
