//! Structural checks of a design.
//!
//! Some faults cannot get this far: the walker refuses signals without bits, literals that do not fit and
//! selects that begin outside their operand, and renames fields that are keywords.

mod crossing;
mod invariants;

pub use crossing::{crossings, foreign_registers, Crossing, CrossingCatalogue, FoundCrossing};

use crate::flat::template::{Driver, Fault};
use crate::flat::{Flat, FlattenError, Hierarchy, Place};
use crate::graph::{Design, Module, SignalId, SignalKind};
use std::collections::HashSet;
use std::fmt;

/// How bad a problem is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// The design works, but something looks unintended.
    Warning,
    /// The design must not be used.
    Error,
}

/// What kind of problem it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// A value depends on itself without a register between.
    CombinationalLoop,
    /// A signal is not assigned on every path.
    Latch,
    /// A signal is read before it is assigned.
    ReadBeforeAssignment,
    /// A signal has several drivers.
    SeveralDrivers,
    /// Nothing drives a signal.
    Undriven,
    /// Nothing reads a signal.
    Unused,
    /// A clock is not a copy of a clock input or of a foreign clock.
    DerivedClock,
    /// A clock is used as data.
    ClockAsData,
    /// Data crosses from one clock to another outside the catalogue's blocks.
    ClockCrossing,
    /// A cast that changes nothing; perhaps a function whose name begins like a cast.
    CastToOwnWidth,
    /// A comparison that has the same outcome for every value.
    ConstantComparison,
    /// A name is a keyword or occurs twice.
    Name,
    /// A select reaches beyond its operand.
    OutOfRange,
    /// Widths disagree or are zero.
    Width,
    /// A source text that rust-hdl does not hand over as written.
    Source,
}

/// A problem: where, what, why.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Problem {
    /// How bad it is.
    pub severity: Severity,
    /// Path of the signal, register or module, or file and line.
    pub path: String,
    /// What kind it is.
    pub kind: Kind,
    /// What was found and what to do.
    pub reason: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = match self.severity {
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        write!(f, "{severity}: {}: {}", self.path, self.reason)
    }
}

impl Problem {
    pub(crate) fn error(kind: Kind, path: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { severity: Severity::Error, path: path.into(), kind, reason: reason.into() }
    }

    pub(crate) fn warning(kind: Kind, path: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, path: path.into(), kind, reason: reason.into() }
    }
}

/// All problems of a design, in a fixed order. Faults inside a module are given for its first instance.
pub fn structure(design: &Design, catalogue: &CrossingCatalogue) -> Vec<Problem> {
    let hierarchy = Hierarchy::new(design);
    let mut problems = invariants::check(design);
    let mut seen = HashSet::new();
    for instance in 0..hierarchy.instances() {
        if seen.insert(hierarchy.module_id(instance)) {
            module_problems(&hierarchy, instance, &mut problems);
        }
    }
    match Flat::of(&hierarchy) {
        Ok(flat) => problems.extend(crossing::check(&hierarchy, &flat, catalogue)),
        Err(error) => problems.extend(unflattened(&error)),
    }
    // One statement may hold the same fault several times, a loop unrolled many more.
    let mut known = HashSet::new();
    problems.retain(|problem| known.insert(problem.clone()));
    problems
}

/// What keeps a design from being flattened; faults of bodies are found module by module.
fn unflattened(error: &FlattenError) -> Option<Problem> {
    let (kind, at) = match error {
        FlattenError::Body { .. } => return None,
        FlattenError::Loop { path } => (Kind::CombinationalLoop, path.first().cloned().unwrap_or_default()),
        FlattenError::Clock { element, .. } => (Kind::DerivedClock, element.clone()),
    };
    Some(Problem::error(kind, at, error.to_string()))
}

fn module_problems(hierarchy: &Hierarchy, instance: u32, problems: &mut Vec<Problem>) {
    let module = hierarchy.module(instance);
    let template = hierarchy.template(instance);
    let path = |id: u32| hierarchy.path(Place { instance, signal: SignalId(id) });
    for fault in &template.faults {
        problems.push(match *fault {
            Fault::Latch(id) => Problem::error(
                Kind::Latch,
                path(id),
                "not assigned on every path, which asks for a latch; assign a default first",
            ),
            Fault::ReadBeforeAssignment(id) => Problem::error(
                Kind::ReadBeforeAssignment,
                path(id),
                "read before it is assigned, so it would keep an old value; assign it first",
            ),
            Fault::SeveralDrivers(id) => {
                Problem::error(Kind::SeveralDrivers, path(id), "has several drivers; keep one")
            }
            Fault::Undriven(id) => undriven(module, template.used.contains(&SignalId(id)), id, path(id)),
        });
    }
    for note in &module.notes {
        let path = hierarchy.inside(instance, &note.at);
        problems.push(Problem::warning(Kind::ConstantComparison, path, note.reason.clone()));
    }
    for (id, signal) in (0u32..).map(SignalId).zip(&module.signals) {
        let driver = template.drivers[id.0 as usize];
        let candidate =
            matches!(signal.kind, SignalKind::Local | SignalKind::Input | SignalKind::ElementOutput);
        let silent = module.foreign.is_some() || driver == Driver::None || template.used.contains(&id);
        if candidate && !silent {
            let reason = "is never read; remove it or use it";
            problems.push(Problem::warning(Kind::Unused, path(id.0), reason));
        }
    }
}

fn undriven(module: &Module, used: bool, id: u32, path: String) -> Problem {
    let local = module.signal(SignalId(id)).kind == SignalKind::Local;
    if local && !used {
        return Problem::warning(Kind::Unused, path, "is neither driven nor read; remove it");
    }
    Problem::error(Kind::Undriven, path, "is not driven; assign it")
}
