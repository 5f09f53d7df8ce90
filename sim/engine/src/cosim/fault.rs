//! Faults put into the emitted Verilog, to show that a co-simulation finds them.

use super::reference::Reference;
use super::{CosimPlan, CosimReport, Depth};
use crate::error::SimError;
use std::fmt;

/// A fault in a description of hardware.
#[derive(Clone, Debug)]
pub struct Fault {
    /// What is wrong, in words.
    pub what: String,
    change: Change,
}

#[derive(Clone, Debug)]
enum Change {
    /// In this module, `from` becomes `to`.
    Replace { module: String, from: String, to: String },
    /// Another text altogether.
    Text(String),
}

impl Fault {
    /// In `module`, the text `from`, which must stand there exactly once, becomes `to`.
    pub fn replace(what: &str, module: &str, from: &str, to: &str) -> Self {
        let change = Change::Replace { module: module.into(), from: from.into(), to: to.into() };
        Self { what: what.into(), change }
    }

    /// The Verilog of another block with the same ports.
    pub fn other_text(what: &str, text: String) -> Self {
        Self { what: what.into(), change: Change::Text(text) }
    }

    /// The Verilog with the fault; an error if that is the same text, or if the place is not there exactly once.
    pub fn apply(&self, verilog: &str) -> Result<String, SimError> {
        let error = |problem: String| SimError::Format { what: format!("fault `{}`", self.what), problem };
        let changed = match &self.change {
            Change::Text(text) => text.clone(),
            Change::Replace { module, from, to } => {
                let (before, body, after) = split_module(verilog, module)
                    .ok_or_else(|| error(format!("the Verilog has no module `{module}`")))?;
                match body.matches(from.as_str()).count() {
                    1 => format!("{before}{}{after}", body.replace(from.as_str(), to)),
                    count => {
                        let found = format!("`{from}` stands {count} times in module `{module}`");
                        return Err(error(format!("{found}, expected once; adapt it to the block")));
                    }
                }
            }
        };
        match changed == verilog {
            true => Err(error("changes nothing".into())),
            false => Ok(changed),
        }
    }
}

/// The text before a module's body, the body, the text behind it.
fn split_module<'t>(verilog: &'t str, module: &str) -> Option<(&'t str, &'t str, &'t str)> {
    let start = verilog.find(&format!("\nmodule {module} ("))?;
    let end = start + verilog[start..].find("\nendmodule")?;
    Some((&verilog[..start], &verilog[start..end], &verilog[end..]))
}

/// How a fault was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// What was wrong.
    pub what: String,
    /// Who differed from whom: the first of them, and whoever agreed with that.
    pub by: String,
    /// The first output that differed.
    pub port: String,
    /// Clocks until then.
    pub clocks: usize,
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} | {} | {} | {}", self.what, self.by, self.port, self.clocks)
    }
}

/// Clocks of the Verilog without a fault in a quick run, if all faults are found sooner.
const LEAST_CLOCKS: usize = 1000;

/// Holds the Verilog with a fault against what was recorded: it must differ, as a fault that no output shows is an
/// error. `None` if the simulator is not installed (said visibly; an error where `CI` is set).
fn find(reference: &Reference, report: &CosimReport, fault: &Fault) -> Result<Option<Found>, SimError> {
    let mut report = report.clone();
    match reference.difference(fault.apply(&reference.verilog())?, &mut report)? {
        Some((simulator, found)) => Ok(Some(Found {
            what: fault.what.clone(),
            by: format!(
                "Verilog in {} against {} and all that agreed with it",
                simulator.name(),
                reference.made_by()
            ),
            port: found.port,
            clocks: found.row,
        })),
        None if !report.skipped.is_empty() => Ok(None),
        None => {
            let problem = format!("no output shows the fault `{}`: the check is blind to it", fault.what);
            Err(SimError::Check { clock: reference.clocks() as u64, problem })
        }
    }
}

/// Runs the plan and the Verilog with each fault by itself on the recorded stimulus, then the Verilog as it is, which must
/// pass for longer than any fault needs to be found, or for all clocks if `FLITFORGE_COSIM` asks for more than a quick run.
/// Prints a table of how the faults were found. The first fault that is not found is an error.
pub fn find_all<'a>(plan: impl FnOnce() -> CosimPlan<'a>, faults: &[Fault]) -> Result<Vec<Found>, SimError> {
    let (reference, mut report) = Reference::record(plan())?;
    let mut table = vec![];
    for fault in faults {
        table.extend(find(&reference, &report, fault)?);
    }
    let longest = table.iter().map(|found| found.clocks + 1).max().unwrap_or(0);
    let clocks = match Depth::from_environment()? {
        Depth::Quick => longest.max(LEAST_CLOCKS),
        Depth::Full | Depth::Campaign => reference.clocks(),
    };
    reference.compare(reference.verilog(), clocks, &mut report)?;
    println!("{report}");
    println!("fault | found by | output | clocks until then");
    table.iter().for_each(|found| println!("{found}"));
    Ok(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str =
        "\nmodule a (\n    assign x = y;\nendmodule\n\nmodule b (\n    assign x = y;\nendmodule\n";

    #[test]
    fn a_fault_goes_into_its_module_only() {
        let text = Fault::replace("inverted", "b", "x = y", "x = ~y").apply(TEXT).expect("there");
        assert_eq!(text.find("x = ~y").map(|at| at > TEXT.find("module b").expect("b")), Some(true));
        assert_eq!(text.matches("x = y").count(), 1);
    }

    #[test]
    fn a_fault_that_is_not_there_exactly_once_is_refused() {
        let refused =
            |module, from, to| Fault::replace("f", module, from, to).apply(TEXT).unwrap_err().to_string();
        assert!(refused("c", "x", "y").contains("no module `c`"));
        assert!(refused("a", "z = y", "").contains("0 times"));
        assert!(refused("a", "a", "b").contains("expected once"));
        assert!(refused("a", "x = y", "x = y").contains("changes nothing"));
    }
}
