//! Values resolved through the hierarchy, on demand.

use super::hierarchy::{Hierarchy, Origin, Place};
use super::node::{NodeId, Nodes, Op};
use super::template::Driver;
use super::{FlattenError, Source};
use crate::graph::{BinaryOp, ModuleId, SignalId, SignalKind};
use crate::value::Value;
use std::collections::{HashMap, HashSet};

/// Bits `offset .. offset + width` of a node of an instance's module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    pub instance: u32,
    pub node: NodeId,
    offset: u32,
    width: u32,
}

/// Where signals are cut, by module and signal.
pub(super) type Cuts = HashMap<(ModuleId, SignalId), Vec<u32>>;

/// Resolves values on demand.
pub(super) struct Resolver<'a> {
    pub hierarchy: &'a Hierarchy<'a>,
    cuts: &'a Cuts,
    /// Per module, which nodes read a cut signal.
    touched: Vec<Vec<bool>>,
    pub nodes: Nodes,
    pub sources: Vec<Source>,
    source_ids: HashMap<Source, u32>,
    register_base: Vec<u32>,
    memory_base: Vec<u32>,
    done: HashMap<Key, NodeId>,
}

/// Why flattening stopped.
pub(super) enum Failure {
    Cycle(Vec<Key>),
    Error(FlattenError),
}

/// Why one step of the resolution stopped.
enum Stop {
    Needs(Key),
}

impl<'a> Resolver<'a> {
    pub fn new(hierarchy: &'a Hierarchy<'a>, cuts: &'a Cuts) -> Self {
        let mut resolver = Self {
            hierarchy,
            cuts,
            touched: vec![],
            nodes: Nodes::default(),
            sources: vec![],
            source_ids: HashMap::new(),
            register_base: vec![],
            memory_base: vec![],
            done: HashMap::new(),
        };
        resolver.touched =
            (0..hierarchy.templates.len()).map(|module| resolver.touched_nodes(module)).collect();
        let (mut registers, mut memories) = (0, 0);
        for number in 0..hierarchy.occurrences.len() {
            let module = hierarchy.module(number as u32);
            resolver.register_base.push(registers);
            resolver.memory_base.push(memories);
            registers += module.registers.len() as u32;
            memories += module.memories.len() as u32;
        }
        resolver
    }

    fn touched_nodes(&self, module: usize) -> Vec<bool> {
        let nodes = self.hierarchy.templates[module].nodes.as_slice();
        let mut touched = vec![false; nodes.len()];
        if self.cuts.keys().all(|(id, _)| id.0 as usize != module) {
            return touched;
        }
        for (index, node) in nodes.iter().enumerate() {
            touched[index] = match &node.op {
                Op::Source(signal) => self.cuts.contains_key(&(ModuleId(module as u32), SignalId(*signal))),
                op => operands(op).iter().any(|operand| touched[operand.0 as usize]),
            };
        }
        touched
    }

    /// The value of a signal.
    pub fn place(&mut self, place: Place) -> Result<NodeId, Failure> {
        let width = self.hierarchy.module(place.instance).signal(place.signal).width;
        self.resolve(Key { instance: place.instance, node: NodeId(place.signal.0), offset: 0, width })
    }

    /// Resolves with an explicit stack: chains may be thousands deep.
    fn resolve(&mut self, key: Key) -> Result<NodeId, Failure> {
        let mut stack = vec![key];
        let mut open: HashSet<Key> = HashSet::from([key]);
        while let Some(top) = stack.last().copied() {
            if self.done.contains_key(&top) {
                open.remove(&top);
                stack.pop();
                continue;
            }
            match self.step(top) {
                Ok(node) => {
                    self.done.insert(top, node);
                }
                Err(Stop::Needs(next)) => {
                    if !open.insert(next) {
                        let start = stack.iter().position(|key| *key == next).unwrap_or(0);
                        return Err(Failure::Cycle(stack.split_off(start)));
                    }
                    stack.push(next);
                }
            }
        }
        Ok(self.done[&key])
    }

    fn get(&self, key: Key) -> Result<NodeId, Stop> {
        self.done.get(&key).copied().ok_or(Stop::Needs(key))
    }

    fn step(&mut self, key: Key) -> Result<NodeId, Stop> {
        let hierarchy = self.hierarchy;
        let node = hierarchy.template(key.instance).nodes.node(key.node);
        let module = hierarchy.occurrences[key.instance as usize].module;
        let all = |node: NodeId| {
            let width = hierarchy.template(key.instance).nodes.width(node);
            Key { instance: key.instance, node, offset: 0, width }
        };
        let same = |node: NodeId| Key { node, ..key };
        let whole = key.offset == 0 && key.width == node.width;
        if !whole && !self.touched[module.0 as usize][key.node.0 as usize] {
            let value = self.get(all(key.node))?;
            return Ok(self.nodes.slice(value, key.offset, key.width));
        }
        match &node.op {
            Op::Const(value) => Ok(self.nodes.constant(value.slice(key.offset, key.width))),
            Op::Source(signal) => self.signal(key, SignalId(*signal)),
            Op::Not(a) => {
                let a = self.get(same(*a))?;
                Ok(self.nodes.not(a))
            }
            Op::Binary(op @ (BinaryOp::And | BinaryOp::Or | BinaryOp::Xor), a, b) => {
                let (a, b) = (self.get(same(*a))?, self.get(same(*b))?);
                Ok(self.nodes.binary(*op, a, b))
            }
            Op::Binary(op, a, b) => {
                // the low bits of a sum depend on the low bits only
                let low = |node| Key { node, offset: 0, width: key.offset + key.width, ..key };
                let (a, b) = (self.get(low(*a))?, self.get(low(*b))?);
                let value = self.nodes.binary(*op, a, b);
                Ok(self.nodes.slice(value, key.offset, key.width))
            }
            Op::Mux(c, a, b) => {
                let (c, a, b) = (self.get(all(*c))?, self.get(same(*a))?, self.get(same(*b))?);
                Ok(self.nodes.mux(c, a, b))
            }
            Op::Slice(a, below) => self.get(Key { node: *a, offset: below + key.offset, ..key }),
            Op::Concat(parts) => self.concat(key, parts),
            Op::Extend(false, a) => self.extend(key, *a),
            op => {
                let value = self.opaque(node.width, op, &all)?;
                Ok(self.nodes.slice(value, key.offset, key.width))
            }
        }
    }

    /// Operations whose every bit depends on every bit of the operands.
    fn opaque(&mut self, width: u32, op: &Op, all: &dyn Fn(NodeId) -> Key) -> Result<NodeId, Stop> {
        Ok(match op {
            Op::Negate(a) => {
                let a = self.get(all(*a))?;
                self.nodes.intern(width, Op::Negate(a))
            }
            Op::Reduce(op, a) => {
                let a = self.get(all(*a))?;
                self.nodes.intern(1, Op::Reduce(*op, a))
            }
            Op::Compare(op, signed, a, b) => {
                let (a, b) = (self.get(all(*a))?, self.get(all(*b))?);
                self.nodes.intern(1, Op::Compare(*op, *signed, a, b))
            }
            Op::Shift(op, a, b) => {
                let (a, b) = (self.get(all(*a))?, self.get(all(*b))?);
                self.nodes.shift(*op, a, b)
            }
            Op::Select(a, b) => {
                let (a, b) = (self.get(all(*a))?, self.get(all(*b))?);
                self.nodes.select(a, b, width)
            }
            Op::ReplaceBit(a, b, c) => {
                let (a, b, c) = (self.get(all(*a))?, self.get(all(*b))?, self.get(all(*c))?);
                self.nodes.replace_bit(a, b, c)
            }
            Op::Extend(signed, a) => {
                let a = self.get(all(*a))?;
                self.nodes.resize(*signed, a, width)
            }
            // the remaining operations are handled bit by bit in `step`, or do not occur in a module
            _ => self.nodes.constant(Value::zero(width)),
        })
    }

    fn concat(&mut self, key: Key, parts: &[NodeId]) -> Result<NodeId, Stop> {
        let mut below = 0;
        let mut picked = vec![];
        for part in parts {
            let width = self.hierarchy.template(key.instance).nodes.width(*part);
            let (start, end) = (key.offset.max(below), (key.offset + key.width).min(below + width));
            if start < end {
                picked.push(self.get(Key {
                    node: *part,
                    offset: start - below,
                    width: end - start,
                    ..key
                })?);
            }
            below += width;
        }
        Ok(self.nodes.concat(picked))
    }

    fn extend(&mut self, key: Key, a: NodeId) -> Result<NodeId, Stop> {
        let inside = self.hierarchy.template(key.instance).nodes.width(a);
        if key.offset >= inside {
            return Ok(self.nodes.constant(Value::zero(key.width)));
        }
        let width = key.width.min(inside - key.offset);
        let part = self.get(Key { node: a, width, ..key })?;
        Ok(self.nodes.resize(false, part, key.width))
    }

    fn signal(&mut self, key: Key, signal: SignalId) -> Result<NodeId, Stop> {
        let module = self.hierarchy.occurrences[key.instance as usize].module;
        if let Some(cuts) = self.cuts.get(&(module, signal)) {
            let end = key.offset + key.width;
            let inside: Vec<u32> =
                cuts.iter().copied().filter(|cut| *cut > key.offset && *cut < end).collect();
            if !inside.is_empty() {
                let starts = std::iter::once(key.offset).chain(inside.iter().copied());
                let ends = inside.iter().copied().chain(std::iter::once(end));
                let mut parts = vec![];
                for (offset, end) in starts.zip(ends) {
                    parts.push(self.get(Key { offset, width: end - offset, ..key })?);
                }
                return Ok(self.nodes.concat(parts));
            }
        }
        let place = Place { instance: key.instance, signal };
        match self.hierarchy.origin(place) {
            Origin::Copy(next) => {
                self.get(Key { instance: next.instance, node: NodeId(next.signal.0), ..key })
            }
            Origin::Body => match self.hierarchy.template(key.instance).roots[signal.0 as usize] {
                Some(root) => self.get(Key { node: root, ..key }),
                None => Ok(self.nodes.constant(Value::zero(key.width))),
            },
            Origin::Driver(driver) => {
                let value = self.driver(place, driver)?;
                Ok(self.nodes.slice(value, key.offset, key.width))
            }
        }
    }

    fn driver(&mut self, place: Place, driver: Driver) -> Result<NodeId, Stop> {
        let module = self.hierarchy.module(place.instance);
        let signal = module.signal(place.signal);
        let source = match driver {
            Driver::Register(number) => {
                Source::Register(self.register_base[place.instance as usize] + number)
            }
            Driver::Read(memory, port) => {
                let reads = &module.memories[memory as usize].reads;
                let number = self.memory_base[place.instance as usize] + memory;
                let read = &reads[port as usize];
                if read.clock.is_none() {
                    let width = module.signal(read.address).width;
                    let node = NodeId(read.address.0);
                    let address = self.get(Key { instance: place.instance, node, offset: 0, width })?;
                    return Ok(self.nodes.intern(signal.width, Op::MemoryRead(number, address)));
                }
                let clocked = reads[..port as usize].iter().filter(|read| read.clock.is_some()).count();
                Source::Read(number, clocked as u32)
            }
            Driver::Constant => {
                let value = match &signal.kind {
                    SignalKind::Constant(value) => value.clone(),
                    _ => Value::zero(signal.width),
                };
                return Ok(self.nodes.constant(value));
            }
            Driver::Port(_) => Source::Input(signal.path.clone()),
            Driver::Foreign => Source::Foreign(self.hierarchy.path(place)),
            Driver::None | Driver::Body | Driver::Instance(..) => {
                return Ok(self.nodes.constant(Value::zero(signal.width)))
            }
        };
        let next = self.sources.len() as u32;
        let id = *self.source_ids.entry(source.clone()).or_insert(next);
        if id == next {
            self.sources.push(source);
        }
        Ok(self.nodes.intern(signal.width, Op::Source(id)))
    }
}

/// The nodes an operation reads.
pub fn operands(op: &Op) -> Vec<NodeId> {
    match op {
        Op::Const(_) | Op::Source(_) => vec![],
        Op::Not(a) | Op::Negate(a) | Op::Reduce(_, a) | Op::Extend(_, a) | Op::Slice(a, _) => vec![*a],
        Op::MemoryRead(_, a) => vec![*a],
        Op::Binary(_, a, b) | Op::Compare(_, _, a, b) | Op::Shift(_, a, b) | Op::Select(a, b) => vec![*a, *b],
        Op::ReplaceBit(a, b, c) | Op::Mux(a, b, c) => vec![*a, *b, *c],
        Op::Concat(parts) => parts.clone(),
    }
}
