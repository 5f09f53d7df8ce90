//! The instance tree, and where a signal's value comes from across it.

use super::node::Op;
use super::template::{Driver, Template};
use crate::graph::{Design, Module, ModuleId, SignalId};
use std::collections::HashSet;

/// A signal of one instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// Instance number; 0 is the top.
    pub instance: u32,
    /// Signal of its module.
    pub signal: SignalId,
}

/// One instance of a module.
#[derive(Clone, Debug)]
pub(crate) struct Occurrence {
    pub module: ModuleId,
    /// Path from the top, with a trailing dot unless it is the top.
    pub prefix: String,
    /// Instance that holds it, and its number there.
    parent: Option<(u32, u32)>,
    children: Vec<u32>,
}

/// All instances of a design, and its modules executed.
#[derive(Clone, Debug)]
pub struct Hierarchy<'a> {
    pub(crate) design: &'a Design,
    pub(crate) templates: Vec<Template>,
    pub(crate) occurrences: Vec<Occurrence>,
    /// Signals that are ports, per module.
    ports: Vec<Vec<SignalId>>,
}

/// What a signal's value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// That of another signal.
    Copy(Place),
    /// What the body of its own instance computes.
    Body,
    /// The driver itself: top input, register, memory, constant, foreign or nothing.
    Driver(Driver),
}

impl<'a> Hierarchy<'a> {
    /// Executes the modules and lists the instances.
    pub fn new(design: &'a Design) -> Self {
        let ports = design.modules.iter().map(|module| module.ports().map(|(id, _)| id).collect());
        let mut hierarchy = Self {
            design,
            templates: design.modules.iter().map(Template::new).collect(),
            occurrences: vec![],
            ports: ports.collect(),
        };
        hierarchy.add(design.top, String::new(), None);
        hierarchy
    }

    fn add(&mut self, module: ModuleId, prefix: String, parent: Option<(u32, u32)>) -> u32 {
        let number = self.occurrences.len() as u32;
        self.occurrences.push(Occurrence { module, prefix: prefix.clone(), parent, children: vec![] });
        for (index, instance) in (0u32..).zip(&self.design.module(module).instances) {
            let child =
                self.add(instance.module, format!("{prefix}{}.", instance.path), Some((number, index)));
            self.occurrences[number as usize].children.push(child);
        }
        number
    }

    pub(crate) fn module(&self, instance: u32) -> &'a Module {
        self.design.module(self.occurrences[instance as usize].module)
    }

    pub(crate) fn instances(&self) -> u32 {
        self.occurrences.len() as u32
    }

    pub(crate) fn module_id(&self, instance: u32) -> ModuleId {
        self.occurrences[instance as usize].module
    }

    pub(crate) fn template(&self, instance: u32) -> &Template {
        &self.templates[self.occurrences[instance as usize].module.0 as usize]
    }

    /// Path of a signal from the top.
    pub fn path(&self, place: Place) -> String {
        self.inside(place.instance, &self.module(place.instance).signal(place.signal).path)
    }

    /// Path from the top of `item` of an instance.
    pub(crate) fn inside(&self, instance: u32, item: &str) -> String {
        format!("{}{item}", self.occurrences[instance as usize].prefix)
    }

    /// Path of an instance from the top; empty for the top.
    pub(crate) fn instance_path(&self, instance: u32) -> String {
        self.occurrences[instance as usize].prefix.trim_end_matches('.').to_owned()
    }

    /// Verilog names of the instances from the top to this one; empty for the top.
    pub(crate) fn instance_names(&self, instance: u32) -> Vec<String> {
        let mut names = vec![];
        let mut next = instance;
        while let Some((parent, number)) = self.occurrences[next as usize].parent {
            names.push(self.module(parent).instances[number as usize].name.clone());
            next = parent;
        }
        names.reverse();
        names
    }

    pub(crate) fn origin(&self, place: Place) -> Origin {
        let occurrence = &self.occurrences[place.instance as usize];
        match self.template(place.instance).drivers[place.signal.0 as usize] {
            Driver::Body => Origin::Body,
            Driver::Port(port) => match occurrence.parent {
                Some((parent, number)) => {
                    let signal = self.module(parent).instances[number as usize].ports[port as usize];
                    Origin::Copy(Place { instance: parent, signal })
                }
                None => Origin::Driver(Driver::Port(port)),
            },
            Driver::Instance(number, port) => {
                let instance = occurrence.children[number as usize];
                let module = self.occurrences[instance as usize].module;
                let signal = self.ports[module.0 as usize][port as usize];
                Origin::Copy(Place { instance, signal })
            }
            driver => Origin::Driver(driver),
        }
    }

    /// Where a clock comes from: a port of the top (false), an output of a foreign instance (true), or else nothing that is a clock.
    pub(crate) fn clock_origin(&self, place: Place) -> (Place, Option<bool>) {
        let mut at = place;
        let mut seen = HashSet::new();
        loop {
            if !seen.insert(at) {
                return (at, None);
            }
            match self.origin(at) {
                Origin::Copy(next) => at = next,
                Origin::Body => {
                    let template = self.template(at.instance);
                    let root = template.roots[at.signal.0 as usize].map(|root| &template.nodes.node(root).op);
                    match root {
                        Some(Op::Source(signal)) => at.signal = SignalId(*signal),
                        _ => return (at, None),
                    }
                }
                Origin::Driver(Driver::Port(_)) => return (at, Some(false)),
                Origin::Driver(Driver::Foreign) => return (at, Some(true)),
                Origin::Driver(_) => return (at, None),
            }
        }
    }

    /// The instance and all around it, innermost first.
    pub(crate) fn around(&self, instance: u32) -> Vec<u32> {
        let mut all = vec![instance];
        let mut next = instance;
        while let Some((parent, _)) = self.occurrences[next as usize].parent {
            all.push(parent);
            next = parent;
        }
        all
    }

    /// Labels of the instance and of all around it, innermost first.
    pub fn labels(&self, instance: u32) -> Vec<&'a str> {
        let label = |number: u32| self.module(number).label.as_ref().map(|label| label.name.as_str());
        self.around(instance).into_iter().filter_map(label).collect()
    }
}
