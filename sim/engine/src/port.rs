//! The ports of a simulated block: found once by walking the block, then used by handle.

use crate::error::SimError;
use flitforge_elaborate::drive::DriveBlock;
use flitforge_elaborate::graph::{Shape, SignalKind};
use flitforge_elaborate::value::words_for;
use flitforge_elaborate::Design;
use rust_hdl::prelude::{Atom, AtomKind, Block, Probe};
use std::collections::HashMap;

/// Direction and purpose of a port, seen from the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PortKind {
    /// A clock input.
    Clock,
    /// Any other input.
    Input,
    /// An output.
    Output,
}

/// One port of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Port {
    /// Rust path: `flits_in.data`, `lane[2].valid`.
    pub path: String,
    /// Name in the emitted Verilog: `flits_in_data`, `lane_2_valid`.
    pub verilog: String,
    /// Width in bits.
    pub width: u32,
    /// Direction and purpose.
    pub kind: PortKind,
}

impl Port {
    /// A port; its Verilog name follows from the path.
    pub fn new(path: impl Into<String>, width: u32, kind: PortKind) -> Self {
        let path = path.into();
        Self { verilog: verilog_name(&path), path, width, kind }
    }

    /// Words of 64 bits that hold a value of the port.
    pub fn words(&self) -> usize {
        words_for(self.width)
    }
}

/// The Verilog name of a port: `lane[2].valid` becomes `lane_2_valid`.
pub fn verilog_name(path: &str) -> String {
    path.replace(['.', '['], "_").replace(']', "")
}

/// Handle of a port, valid for every bench of the same block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PortHandle(pub(crate) u32);

impl PortHandle {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The ports of one block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ports {
    block: String,
    ports: Vec<Port>,
    by_path: HashMap<String, PortHandle>,
}

impl Ports {
    /// A port list for a block called `block`.
    pub fn new(block: impl Into<String>, ports: Vec<Port>) -> Self {
        let by_path =
            (0u32..).map(PortHandle).zip(&ports).map(|(handle, port)| (port.path.clone(), handle)).collect();
        Self { block: block.into(), ports, by_path }
    }

    /// The ports of `block`, checked against what its `drive_ports!` lists.
    pub fn of_block(name: &str, block: &dyn DriveBlock) -> Result<Self, SimError> {
        let mut walk = PortWalk::default();
        block.accept(name, &mut walk);
        walk.ports.append(&mut walk.split);
        let problem = |path: &str, problem: String| SimError::PortList {
            block: name.into(),
            path: path.into(),
            problem,
        };
        let mut listed = vec![];
        block.list("", &mut listed);
        let listed: HashMap<&str, (u32, bool)> =
            listed.iter().map(|(path, width, input)| (path.as_str(), (*width, *input))).collect();
        for port in &walk.ports {
            match listed.get(port.path.as_str()) {
                None => return Err(problem(&port.path, "not listed".into())),
                Some((width, _)) if *width != port.width => {
                    let text = format!("listed with {width} bits, the signal has {}", port.width);
                    return Err(problem(&port.path, text));
                }
                Some(_) => {}
            }
        }
        let ports = Self::new(name, walk.ports);
        match listed.keys().find(|path| !ports.by_path.contains_key(**path)) {
            Some(path) => Err(problem(path, "listed, but no port of the block".into())),
            None => Ok(ports),
        }
    }

    /// The ports of an elaborated design, with the names its Verilog has. Bidirectional ports are left out.
    pub fn of_design(name: &str, design: &Design) -> Self {
        let ports = design.top_module().ports().filter_map(|(_, signal)| {
            let kind = match (&signal.kind, &signal.shape) {
                (SignalKind::Input, Shape::Clock) => PortKind::Clock,
                (SignalKind::Input, _) => PortKind::Input,
                (SignalKind::Output, _) => PortKind::Output,
                _ => return None,
            };
            let (path, verilog) = (signal.path.clone(), signal.name.clone());
            Some(Port { path, verilog, width: signal.width, kind })
        });
        Self::new(name, ports.collect())
    }

    /// Name of the block.
    pub fn block(&self) -> &str {
        &self.block
    }

    /// All ports, in the order of the block's fields.
    pub fn list(&self) -> &[Port] {
        &self.ports
    }

    /// A port by handle.
    pub fn port(&self, handle: PortHandle) -> &Port {
        &self.ports[handle.index()]
    }

    /// All ports with their handles.
    pub fn iter(&self) -> impl Iterator<Item = (PortHandle, &Port)> {
        (0u32..).map(PortHandle).zip(&self.ports)
    }

    /// Handles of the ports of one kind.
    pub fn of_kind(&self, kind: PortKind) -> Vec<PortHandle> {
        self.iter().filter(|(_, port)| port.kind == kind).map(|(handle, _)| handle).collect()
    }

    /// The port at `path`, if there is one.
    pub fn get(&self, path: &str) -> Option<PortHandle> {
        self.by_path.get(path).copied()
    }

    /// The port at `path`, or an error that lists the ports there are.
    pub fn find(&self, path: &str) -> Result<PortHandle, SimError> {
        self.get(path).ok_or_else(|| SimError::NoSuchPort {
            block: self.block.clone(),
            path: path.into(),
            available: self.ports.iter().map(|port| port.path.clone()).collect(),
        })
    }
}

/// Turns rust-hdl's `lane$2` into `lane[2]`.
pub(crate) fn rust_name(name: &str) -> String {
    name.split('$').enumerate().fold(String::new(), |path, (position, part)| {
        if position == 0 {
            part.to_string()
        } else {
            format!("{path}[{part}]")
        }
    })
}

/// Collects the atoms of the outermost scope that are ports.
#[derive(Default)]
struct PortWalk {
    depth: usize,
    namespaces: Vec<String>,
    ports: Vec<Port>,
    /// The outputs that bidirectional ports have in simulation; they stand after all others.
    split: Vec<Port>,
}

impl Probe for PortWalk {
    fn visit_start_scope(&mut self, _: &str, _: &dyn Block) {
        self.depth += 1;
    }
    fn visit_end_scope(&mut self, _: &str, _: &dyn Block) {
        self.depth -= 1;
    }
    fn visit_start_namespace(&mut self, name: &str, _: &dyn Block) {
        self.namespaces.push(rust_name(name));
    }
    fn visit_end_namespace(&mut self, _: &str, _: &dyn Block) {
        self.namespaces.pop();
    }
    fn visit_atom(&mut self, name: &str, atom: &dyn Atom) {
        if self.depth != 1 {
            return;
        }
        let kind = match atom.kind() {
            AtomKind::InputParameter if atom.descriptor().name == "clock" => PortKind::Clock,
            AtomKind::InputParameter => PortKind::Input,
            AtomKind::OutputParameter => PortKind::Output,
            AtomKind::InOutParameter => PortKind::Input,
            _ => return,
        };
        let mut path = self.namespaces.clone();
        path.push(rust_name(name));
        let (path, width) = (path.join("."), atom.bits() as u32);
        if atom.kind() == AtomKind::InOutParameter {
            let port = |name: &str, width| Port::new(format!("{path}.{name}"), width, PortKind::Output);
            self.split.extend([port("out", width), port("enable", 1)]);
        }
        self.ports.push(Port::new(path, width, kind));
    }
}
