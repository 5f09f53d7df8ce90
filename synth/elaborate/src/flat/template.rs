//! One module symbolically executed: for every signal its driver, for every signal the body drives its value
//! as a function of the signals the body does not drive.

use super::node::{NodeId, Nodes, Op};
use crate::graph::{CompareOp, Expr, ExprKind, Module, SignalId, SignalKind, Statement};
use crate::value::Value;
use std::collections::{BTreeSet, HashSet};

/// What drives a signal of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Driver {
    /// Nothing.
    None,
    /// The module's input port of this number.
    Port(u32),
    /// The body.
    Body,
    /// Port of an instance.
    Instance(u32, u32),
    /// Register.
    Register(u32),
    /// Read port of a memory.
    Read(u32, u32),
    /// A constant field.
    Constant,
    /// Foreign text.
    Foreign,
}

/// A fault found while executing a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    /// Some path through the body leaves the signal unassigned.
    Latch(u32),
    /// The signal is read before it is assigned.
    ReadBeforeAssignment(u32),
    /// The signal has two drivers.
    SeveralDrivers(u32),
    /// Nothing drives the signal.
    Undriven(u32),
}

/// A module, executed. Node `i` is the read of signal `i`, for `i` below the number of signals.
#[derive(Clone, Debug)]
pub struct Template {
    /// Nodes; [`Op::Source`] is the read of a signal.
    pub nodes: Nodes,
    /// Driver of each signal.
    pub drivers: Vec<Driver>,
    /// Value of each signal the body drives.
    pub roots: Vec<Option<NodeId>>,
    /// Faults, each once.
    pub faults: BTreeSet<Fault>,
    /// Signals read by the body, an instance, a register or a memory.
    pub used: HashSet<SignalId>,
    /// Signals that are read as they are in the end, not as assigned so far.
    settled: Vec<bool>,
}

/// Which bits of a signal are assigned so far, and their value.
#[derive(Clone)]
struct Assigned {
    value: NodeId,
    mask: Value,
}

type Environment = Vec<Option<Assigned>>;

impl Template {
    /// Executes a module.
    pub fn new(module: &Module) -> Self {
        let mut nodes = Nodes::default();
        for (index, signal) in module.signals.iter().enumerate() {
            nodes.intern(signal.width, Op::Source(index as u32));
        }
        let count = module.signals.len();
        let mut template = Self {
            nodes,
            drivers: vec![Driver::None; count],
            roots: vec![None; count],
            faults: BTreeSet::new(),
            used: HashSet::new(),
            settled: module.signals.iter().map(|signal| !signal.kind.is_read_in_order()).collect(),
        };
        template.find_drivers(module);
        template.find_uses(module);
        template.execute(module);
        template
    }

    fn drive(&mut self, signal: SignalId, driver: Driver) {
        let slot = &mut self.drivers[signal.0 as usize];
        if *slot != Driver::None && *slot != driver {
            self.faults.insert(Fault::SeveralDrivers(signal.0));
        }
        *slot = driver;
    }

    fn find_drivers(&mut self, module: &Module) {
        for (port, (id, signal)) in module.ports().enumerate() {
            match signal.kind {
                SignalKind::Input => self.drive(id, Driver::Port(port as u32)),
                SignalKind::InOut => self.drive(id, Driver::Foreign),
                _ if module.foreign.is_some() => self.drive(id, Driver::Foreign),
                _ => {}
            }
        }
        for (id, signal) in (0u32..).map(SignalId).zip(&module.signals) {
            if matches!(signal.kind, SignalKind::Constant(_)) {
                self.drive(id, Driver::Constant);
            }
        }
        for (number, instance) in (0u32..).zip(&module.instances) {
            for (port, id) in (0u32..).zip(&instance.ports) {
                if module.signal(*id).kind == SignalKind::InstanceOutput {
                    self.drive(*id, Driver::Instance(number, port));
                }
            }
        }
        for (number, register) in (0u32..).zip(&module.registers) {
            self.drive(register.q, Driver::Register(number));
        }
        for (number, memory) in (0u32..).zip(&module.memories) {
            for (port, read) in (0u32..).zip(&memory.reads) {
                self.drive(read.data, Driver::Read(number, port));
            }
        }
        let mut targets = BTreeSet::new();
        collect_targets(&module.body, &mut targets);
        for target in targets {
            self.drive(target, Driver::Body);
        }
        for (id, signal) in (0u32..).map(SignalId).zip(&module.signals) {
            if self.drivers[id.0 as usize] == Driver::None && signal.kind != SignalKind::InOut {
                self.faults.insert(Fault::Undriven(id.0));
            }
        }
    }

    fn find_uses(&mut self, module: &Module) {
        for register in &module.registers {
            self.used.extend([register.clock, register.d]);
            self.used.extend(register.enable.into_iter().chain(register.clear));
        }
        for memory in &module.memories {
            for read in &memory.reads {
                self.used.insert(read.address);
                self.used.extend(read.clock.into_iter().chain(read.enable).chain(read.output_enable));
            }
            for write in &memory.writes {
                self.used.extend([write.clock, write.address, write.data]);
                self.used.extend(write.enable);
            }
        }
        for instance in &module.instances {
            self.used.extend(
                instance.ports.iter().filter(|id| module.signal(**id).kind != SignalKind::InstanceOutput),
            );
        }
    }

    fn execute(&mut self, module: &Module) {
        let mut environment: Environment = vec![None; module.signals.len()];
        let mut written = vec![];
        self.run(&module.body, &mut environment, &mut written);
        for target in written.into_iter().collect::<BTreeSet<_>>() {
            let index = target.0 as usize;
            let width = module.signals[index].width;
            match &environment[index] {
                Some(assigned) if assigned.mask == Value::ones(width) => {
                    self.roots[index] = Some(assigned.value)
                }
                _ => {
                    self.faults.insert(Fault::Latch(target.0));
                    self.roots[index] = Some(self.nodes.constant(Value::zero(width)));
                }
            }
        }
    }

    fn run(&mut self, body: &[Statement], environment: &mut Environment, written: &mut Vec<SignalId>) {
        for statement in body {
            match statement {
                Statement::Assign { target, value } => {
                    let value = self.value(value, environment);
                    let mask = Value::ones(self.nodes.width(value));
                    environment[target.0 as usize] = Some(Assigned { value, mask });
                    written.push(*target);
                }
                Statement::AssignSlice { target, offset, value } => {
                    let value = self.value(value, environment);
                    self.assign_slice(*target, *offset, value, environment);
                    written.push(*target);
                }
                Statement::If { condition, then, otherwise } => {
                    let condition = self.value(condition, environment);
                    let mut other = environment.clone();
                    let mut changed = vec![];
                    self.run(then, environment, &mut changed);
                    self.run(otherwise, &mut other, &mut changed);
                    self.merge(condition, environment, &other, &changed);
                    written.extend(changed);
                }
                Statement::Case { selector, arms, default } => {
                    self.run_case(selector, arms, default, environment, written);
                }
            }
        }
    }

    fn run_case(
        &mut self,
        selector: &Expr,
        arms: &[(Value, Vec<Statement>)],
        default: &[Statement],
        environment: &mut Environment,
        written: &mut Vec<SignalId>,
    ) {
        let selector = self.value(selector, environment);
        let before = environment.clone();
        let mut changed = vec![];
        self.run(default, environment, &mut changed);
        for (value, body) in arms.iter().rev() {
            let mut arm = before.clone();
            self.run(body, &mut arm, &mut changed);
            let value = self.nodes.constant(value.clone());
            let hit = self.nodes.intern(1, Op::Compare(CompareOp::Equal, false, selector, value));
            let rest = std::mem::replace(environment, arm);
            self.merge(hit, environment, &rest, &changed);
        }
        written.extend(changed);
    }

    /// `environment` (if the condition holds) with `other` (if not), for the signals that changed.
    fn merge(
        &mut self,
        condition: NodeId,
        environment: &mut Environment,
        other: &Environment,
        changed: &[SignalId],
    ) {
        for id in changed.iter().collect::<BTreeSet<_>>() {
            let index = id.0 as usize;
            let merged = match (&environment[index], &other[index]) {
                (Some(a), Some(b)) => {
                    let mut mask = a.mask.clone();
                    (0..mask.width())
                        .filter(|bit| !b.mask.bit(*bit))
                        .collect::<Vec<_>>()
                        .into_iter()
                        .for_each(|bit| mask.set_bit(bit, false));
                    Some(Assigned { value: self.nodes.mux(condition, a.value, b.value), mask })
                }
                _ => None,
            };
            environment[index] = merged;
        }
    }

    fn assign_slice(&mut self, target: SignalId, offset: u32, part: NodeId, environment: &mut Environment) {
        let slot = &mut environment[target.0 as usize];
        let width = self.nodes.width(NodeId(target.0));
        let old = match slot.take() {
            Some(old) => old,
            None => Assigned { value: self.nodes.constant(Value::zero(width)), mask: Value::zero(width) },
        };
        let mut mask = old.mask;
        (offset..offset + self.nodes.width(part)).for_each(|bit| mask.set_bit(bit, true));
        let value = self.nodes.replace(old.value, offset, part);
        *slot = Some(Assigned { value, mask });
    }

    fn read(&mut self, id: SignalId, bits: std::ops::Range<u32>, environment: &Environment) -> NodeId {
        self.used.insert(id);
        // a child's input has one value, that of its last assignment, wherever it is read
        if self.drivers[id.0 as usize] != Driver::Body || self.settled[id.0 as usize] {
            return NodeId(id.0);
        }
        match &environment[id.0 as usize] {
            Some(assigned) => {
                if !bits.clone().all(|bit| assigned.mask.bit(bit)) {
                    self.faults.insert(Fault::ReadBeforeAssignment(id.0));
                }
                assigned.value
            }
            None => {
                self.faults.insert(Fault::ReadBeforeAssignment(id.0));
                let width = self.nodes.width(NodeId(id.0));
                self.nodes.constant(Value::zero(width))
            }
        }
    }

    fn value(&mut self, expr: &Expr, environment: &Environment) -> NodeId {
        let width = expr.width;
        let of = |template: &mut Self, expr: &Expr| template.value(expr, environment);
        match &expr.kind {
            ExprKind::Const(value) => self.nodes.constant(value.clone()),
            ExprKind::Read(id) => self.read(*id, 0..width, environment),
            ExprKind::Slice { value, offset } => {
                let whole = match &value.kind {
                    ExprKind::Read(id) => self.read(*id, *offset..*offset + width, environment),
                    _ => of(self, value),
                };
                self.nodes.slice(whole, *offset, width)
            }
            ExprKind::Not(a) => {
                let a = of(self, a);
                self.nodes.not(a)
            }
            ExprKind::Negate(a) => {
                let a = of(self, a);
                self.nodes.intern(width, Op::Negate(a))
            }
            ExprKind::Reduce(op, a) => {
                let a = of(self, a);
                self.nodes.intern(1, Op::Reduce(*op, a))
            }
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (of(self, a), of(self, b));
                self.nodes.binary(*op, a, b)
            }
            ExprKind::Compare { op, signed, left, right } => {
                let (a, b) = (of(self, left), of(self, right));
                self.nodes.intern(1, Op::Compare(*op, *signed, a, b))
            }
            ExprKind::Shift(op, a, b) => {
                let (a, b) = (of(self, a), of(self, b));
                self.nodes.shift(*op, a, b)
            }
            ExprKind::Resize { signed, value } => {
                let value = of(self, value);
                self.nodes.resize(*signed, value, width)
            }
            ExprKind::SelectDynamic { value, offset } => {
                let (a, b) = (of(self, value), of(self, offset));
                self.nodes.select(a, b, width)
            }
            ExprKind::ReplaceBit { value, index, bit } => {
                let (a, b, c) = (of(self, value), of(self, index), of(self, bit));
                self.nodes.replace_bit(a, b, c)
            }
            ExprKind::Concat(parts) => {
                let parts = parts.iter().map(|part| of(self, part)).collect();
                self.nodes.concat(parts)
            }
            ExprKind::Mux(a, b, c) => {
                let (a, b, c) = (of(self, a), of(self, b), of(self, c));
                self.nodes.mux(a, b, c)
            }
        }
    }
}

/// Adds every signal that `body` assigns to `into`.
pub(crate) fn collect_targets(body: &[Statement], into: &mut BTreeSet<SignalId>) {
    for statement in body {
        match statement {
            Statement::Assign { target, .. } | Statement::AssignSlice { target, .. } => {
                into.insert(*target);
            }
            Statement::If { then, otherwise, .. } => {
                collect_targets(then, into);
                collect_targets(otherwise, into);
            }
            Statement::Case { arms, default, .. } => {
                arms.iter().for_each(|(_, body)| collect_targets(body, into));
                collect_targets(default, into);
            }
        }
    }
}
