//! One block becomes one module: signals, children, body, registers and memories.

use super::body::{clock_copies, BodyLowering};
use super::kind::Kind;
use super::literal::hex_value;
use super::names::{Entry, Names};
use super::primitive::{classify, clock_ports, port};
use super::scope::{Scope, Wire};
use crate::error::{ElaborateError, Reason};
use crate::graph::{
    BlockLabel, Expr, Instance, Memory, Module, ModuleId, ReadPort, Register, Shape, SignalId, SignalKind,
    Statement, WritePort,
};
use crate::marker::{MemoryMarker, ReadMarker, RegisterMarker, WriteMarker, LABEL};
use crate::value::Value;
use rust_hdl::prelude::{AtomKind, TimingInfo, Verilog};
use std::collections::{HashMap, HashSet};

/// Collects modules, each structure once.
#[derive(Default)]
pub(crate) struct Library {
    pub modules: Vec<Module>,
    /// Field or label to name each module after.
    pub wished_names: Vec<String>,
    known: HashMap<Module, ModuleId>,
}

impl Library {
    fn insert(&mut self, module: Module, scope: &Scope) -> ModuleId {
        if let Some(id) = self.known.get(&module) {
            return *id;
        }
        let id = ModuleId(self.modules.len() as u32);
        self.wished_names.push(match &module.label {
            Some(label) => label_name(label),
            None => scope.field.split('[').next().unwrap_or_default().replace('.', "_"),
        });
        self.known.insert(module.clone(), id);
        self.modules.push(module);
        id
    }

    /// Builds the module of `scope` and of everything below it.
    pub fn build(&mut self, scope: &Scope) -> Result<ModuleId, ElaborateError> {
        let at = |reason: Reason| reason.at(&scope.path);
        let mut builder = Builder { names: Names::new(scope), scope, module: empty(scope) };
        match classify(scope).map_err(at)? {
            Kind::Module => {
                builder.own_signals();
                let elements = builder.children(self)?;
                builder.body(&elements).map_err(at)?;
            }
            Kind::Foreign(foreign) => {
                builder.module.foreign = Some(foreign);
                match builder.module.fixed_names() {
                    Some(_) => builder.signals(scope.atoms.iter().filter(|wire| wire.is_port())),
                    None => builder.own_signals(),
                }
            }
            kind => {
                builder.own_signals();
                builder.element("", "storage", &kind).map_err(at)?;
            }
        }
        let Builder { names, mut module, .. } = builder;
        module.signals = names.signals;
        module.notes = names.notes;
        Ok(self.insert(module, scope))
    }
}

fn empty(scope: &Scope) -> Module {
    Module { label: label(&scope.timing), ..Module::default() }
}

fn label(timing: &[TimingInfo]) -> Option<BlockLabel> {
    let info = timing.iter().find(|info| info.name == LABEL)?;
    let pair = |text: &String| {
        let (key, value) = text.split_once('=').unwrap_or((text, ""));
        (key.to_string(), value.to_string())
    };
    Some(BlockLabel { name: info.clock.clone(), parameters: info.inputs.iter().map(pair).collect() })
}

fn label_name(label: &BlockLabel) -> String {
    let parameters = label.parameters.iter().map(|(key, value)| format!("_{key}{value}"));
    label.name.clone() + &parameters.collect::<String>()
}

struct Builder<'a> {
    names: Names,
    scope: &'a Scope,
    module: Module,
}

/// A child that becomes a register or memory of this module.
struct Element<'a> {
    scope: &'a Scope,
    kind: Kind,
}

impl<'a> Builder<'a> {
    fn own_signals(&mut self) {
        let (ports, rest): (Vec<&'a Wire>, Vec<&'a Wire>) =
            self.scope.atoms.iter().partition(|wire| wire.is_port());
        self.signals(ports.into_iter().chain(rest));
    }

    fn signals(&mut self, wires: impl Iterator<Item = &'a Wire>) {
        for wire in wires {
            let kind = match wire.kind {
                AtomKind::InputParameter => SignalKind::Input,
                AtomKind::OutputParameter => SignalKind::Output,
                AtomKind::InOutParameter => SignalKind::InOut,
                AtomKind::Constant => SignalKind::Constant(wire.value.clone()),
                _ => SignalKind::Local,
            };
            self.names.add(&wire.path, wire.width, kind, &wire.shape);
        }
    }

    fn children(&mut self, library: &mut Library) -> Result<Vec<Element<'a>>, ElaborateError> {
        let mut elements = vec![];
        for child in &self.scope.children {
            let kind = classify(child).map_err(|reason| reason.at(&child.path))?;
            match kind {
                Kind::Module | Kind::Foreign(_) => {
                    let module = library.build(child)?;
                    let name = String::new();
                    let ports = self.instance_ports(child);
                    self.module.instances.push(Instance { path: child.field.clone(), name, module, ports });
                }
                kind => {
                    self.element_ports(child, &kind);
                    elements.push(Element { scope: child, kind });
                }
            }
        }
        Ok(elements)
    }

    fn instance_ports(&mut self, child: &Scope) -> Vec<SignalId> {
        let mut ports = vec![];
        for wire in child.atoms.iter().filter(|wire| wire.is_port()) {
            let path = format!("{}.{}", child.field, wire.path);
            let kind = match wire.kind {
                AtomKind::InputParameter => SignalKind::InstanceInput,
                AtomKind::OutputParameter => SignalKind::InstanceOutput,
                _ => {
                    self.names.entries.insert(path, Entry::OpenInOut);
                    ports.push(SignalId(u32::MAX));
                    continue;
                }
            };
            ports.push(self.names.add(&path, wire.width, kind, &wire.shape));
        }
        ports
    }

    fn element_ports(&mut self, child: &Scope, kind: &Kind) {
        let clocks = clock_ports(kind);
        for wire in child.atoms.iter().filter(|wire| wire.is_port()) {
            let path = format!("{}.{}", child.field, wire.path);
            if clocks.contains(&wire.path.as_str()) {
                self.names.entries.insert(path, Entry::ClockSink);
                continue;
            }
            let input = wire.kind == AtomKind::InputParameter;
            let kind = if input { SignalKind::ElementInput } else { SignalKind::ElementOutput };
            self.names.add(&path, wire.width, kind, &wire.shape);
        }
    }

    fn body(&mut self, elements: &[Element]) -> Result<(), Reason> {
        let Verilog::Combinatorial(text) = &self.scope.text else { return Ok(()) };
        let mut lowering = BodyLowering::new(&mut self.names);
        let mut body = lowering.body(text)?;
        let links = lowering.inout_links;
        self.connect_inouts(&links)?;
        self.resolve_clocks(&mut body)?;
        self.module.body = body;
        for element in elements {
            let prefix = format!("{}.", element.scope.field);
            self.element(&prefix, &element.scope.field, &element.kind)?;
        }
        Ok(())
    }

    fn connect_inouts(&mut self, links: &[(String, SignalId)]) -> Result<(), Reason> {
        for (instance, child) in self
            .module
            .instances
            .iter_mut()
            .zip(self.scope.children.iter().filter(|child| !is_element(child)))
        {
            let wires = child.atoms.iter().filter(|wire| wire.is_port());
            for (port, wire) in instance.ports.iter_mut().zip(wires) {
                if *port != SignalId(u32::MAX) {
                    continue;
                }
                let path = format!("{}.{}", child.field, wire.path);
                let link = links.iter().find(|(linked, _)| *linked == path);
                *port = link.ok_or(Reason::InOutNotLinked { name: path })?.1;
            }
        }
        Ok(())
    }

    /// Follows pure copies, so that a clock is always read from where it enters the module.
    fn resolve_clocks(&mut self, body: &mut [Statement]) -> Result<(), Reason> {
        let copies: HashMap<SignalId, SignalId> = clock_copies(&self.names, body).into_iter().collect();
        let root = |mut id: SignalId| {
            let mut seen = HashSet::new();
            while let (Some(source), true) = (copies.get(&id), seen.insert(id)) {
                id = *source;
            }
            id
        };
        for (path, clock) in &mut self.names.clocks {
            *clock = root(*clock);
            let signal = &self.names.signals[clock.0 as usize];
            let entry = matches!(signal.kind, SignalKind::Input | SignalKind::InstanceOutput);
            if !entry || signal.shape != Shape::Clock {
                return Err(Reason::DerivedClock { element: path.clone(), from: signal.path.clone() });
            }
        }
        for statement in body {
            if let Statement::Assign { target, value } = statement {
                if copies.contains_key(target) {
                    *value = Expr::read(root(*target), 1);
                }
            }
        }
        Ok(())
    }

    /// Adds the register or memory whose ports have the given path prefix.
    fn element(&mut self, prefix: &str, path: &str, kind: &Kind) -> Result<(), Reason> {
        let own = prefix.is_empty();
        let scope = match own {
            true => self.scope,
            false => self.child(path)?,
        };
        let ports = Ports { names: &self.names, scope, prefix };
        match kind {
            Kind::Register(marker) => {
                let register = ports.register(path, marker)?;
                self.module.registers.push(register);
            }
            Kind::Memory(marker) => {
                let memory = ports.memory(path, marker)?;
                self.module.memories.push(memory);
            }
            Kind::Module | Kind::Foreign(_) => {}
        }
        Ok(())
    }

    fn child(&self, field: &str) -> Result<&'a Scope, Reason> {
        let found = self.scope.children.iter().find(|child| child.field == field);
        found.ok_or_else(|| Reason::Marker { why: format!("no child `{field}`") })
    }
}

fn is_element(scope: &Scope) -> bool {
    !matches!(classify(scope), Ok(Kind::Module | Kind::Foreign(_)))
}

/// The ports of a primitive, as signals of the module that owns it.
struct Ports<'a> {
    names: &'a Names,
    scope: &'a Scope,
    prefix: &'a str,
}

impl Ports<'_> {
    fn signal(&self, name: &str, width: Option<u32>) -> Result<SignalId, Reason> {
        let wire = port(self.scope, name)?;
        if let Some(width) = width.filter(|width| *width != wire.width) {
            let why = format!("port `{name}` is {} bits wide, not {width}", wire.width);
            return Err(Reason::Marker { why });
        }
        match self.names.entries.get(&format!("{}{name}", self.prefix)) {
            Some(Entry::Signal(id)) => Ok(*id),
            _ => Err(Reason::Marker { why: format!("`{name}` is a clock and something else") }),
        }
    }

    fn bit(&self, name: &Option<String>) -> Result<Option<SignalId>, Reason> {
        name.as_deref().map(|name| self.signal(name, Some(1))).transpose()
    }

    fn clock(&self, name: &str) -> Result<SignalId, Reason> {
        let path = format!("{}{name}", self.prefix);
        if self.prefix.is_empty() {
            return self.signal(name, Some(1));
        }
        port(self.scope, name)?;
        self.names.clocks.get(&path).copied().ok_or(Reason::ClockNotDriven { element: path })
    }

    fn register(&self, path: &str, marker: &RegisterMarker) -> Result<Register, Reason> {
        let width = port(self.scope, &marker.q)?.width;
        let initial = hex_value(&marker.initial, width).ok_or_else(|| Reason::Marker {
            why: format!("initial value `{}` is not a {width}-bit hexadecimal number", marker.initial),
        })?;
        Ok(Register {
            path: path.into(),
            clock: self.clock(&marker.clock)?,
            d: self.signal(&marker.d, Some(width))?,
            q: self.signal(&marker.q, Some(width))?,
            enable: self.bit(&marker.enable)?,
            clear: self.bit(&marker.clear)?,
            initial,
            attributes: marker.attributes.iter().map(|(key, value)| (key.clone(), value.clone())).collect(),
        })
    }

    fn memory(&self, path: &str, marker: &MemoryMarker) -> Result<Memory, Reason> {
        let word = |text: &String| -> Result<Value, Reason> {
            hex_value(text, marker.width).ok_or_else(|| Reason::Marker {
                why: format!("word `{text}` is not a {}-bit hexadecimal number", marker.width),
            })
        };
        let initial: Vec<Value> = marker.initial.iter().map(word).collect::<Result<_, _>>()?;
        if initial.len() > marker.depth as usize || marker.depth == 0 {
            let why = format!("{} initial words for a depth of {}", initial.len(), marker.depth);
            return Err(Reason::Marker { why });
        }
        Ok(Memory {
            path: path.into(),
            name: String::new(),
            depth: marker.depth,
            width: marker.width,
            initial,
            reads: marker
                .reads
                .iter()
                .map(|read| self.read_port(read, marker.width))
                .collect::<Result<_, _>>()?,
            writes: marker
                .writes
                .iter()
                .map(|write| self.write_port(write, marker.width))
                .collect::<Result<_, _>>()?,
            style: marker.style,
        })
    }

    fn read_port(&self, read: &ReadMarker, width: u32) -> Result<ReadPort, Reason> {
        Ok(ReadPort {
            clock: read.clock.as_deref().map(|name| self.clock(name)).transpose()?,
            address: self.signal(&read.address, None)?,
            data: self.signal(&read.data, Some(width))?,
            enable: self.bit(&read.enable)?,
            output_register: read.output_register,
            output_enable: self.bit(&read.output_enable)?,
        })
    }

    fn write_port(&self, write: &WriteMarker, width: u32) -> Result<WritePort, Reason> {
        Ok(WritePort {
            clock: self.clock(&write.clock)?,
            address: self.signal(&write.address, None)?,
            data: self.signal(&write.data, Some(width))?,
            enable: self.bit(&write.enable)?,
        })
    }
}
