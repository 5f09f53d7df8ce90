//! Faults put into the emitted Verilog, to show that a co-simulation finds them.

use super::reference::Reference;
use super::{CosimPlan, CosimReport, Depth};
use crate::error::SimError;
use flitforge_elaborate::verilog::DIGEST_BYTES;
use std::fmt;
use std::ops::Range;

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
    /// In `module`, the text `from`, which must stand there exactly once, becomes `to`. A module is named without the digest
    /// of its contents that its name ends in; of several of that name it is the first with the text.
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
                let bodies = bodies(verilog, module).map_err(error)?;
                let count = |body: &Range<usize>| verilog[body.clone()].matches(from.as_str()).count();
                let body = bodies.iter().find(|body| count(body) > 0).unwrap_or(&bodies[0]);
                match count(body) {
                    1 => {
                        let changed = verilog[body.clone()].replace(from.as_str(), to);
                        format!("{}{changed}{}", &verilog[..body.start], &verilog[body.end..])
                    }
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

/// True for `module` itself, and for it with the digest of its contents.
fn is_called(name: &str, module: &str) -> bool {
    let Some(rest) = name.strip_prefix(module) else { return false };
    let is_digest = |digits: &str| {
        digits.len() == 2 * DIGEST_BYTES
            && digits.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'))
    };
    rest.is_empty() || rest.strip_prefix('_').is_some_and(is_digest)
}

/// Where the bodies of the modules of this name are, one at least.
fn bodies(verilog: &str, module: &str) -> Result<Vec<Range<usize>>, String> {
    const HEAD: &str = "\nmodule ";
    let heads = verilog.match_indices(HEAD).map(|(start, _)| start);
    let called = heads.filter(|start| {
        let head = verilog[start + HEAD.len()..].split_once(" (");
        head.is_some_and(|(name, _)| is_called(name, module))
    });
    let end =
        |start: usize| verilog[start..].find("\nendmodule").map_or(verilog.len(), |length| start + length);
    let bodies: Vec<_> = called.map(|start| start..end(start)).collect();
    match bodies.is_empty() {
        true => Err(format!("the Verilog has no module `{module}`")),
        false => Ok(bodies),
    }
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
    fn a_module_is_found_without_its_digest() {
        let text = TEXT.replace("module b (", "module b_0123abcd (");
        let changed = Fault::replace("inverted", "b", "x = y", "x = ~y").apply(&text).expect("there");
        assert_eq!(changed, text.replacen("x = y", "x = ~y", 2).replacen("x = ~y", "x = y", 1));
        let text = text.replacen("x = y", "x = z", 1).replace("module a (", "module b_01234567 (");
        let changed = Fault::replace("inverted", "b", "x = y", "x = ~y").apply(&text).expect("in the second");
        assert_eq!(changed, text.replace("x = y", "x = ~y"));
        let other = TEXT.replace("module b (", "module b_width4 (");
        let refused =
            Fault::replace("inverted", "b", "x = y", "x = ~y").apply(&other).unwrap_err().to_string();
        assert!(refused.contains("no module `b`"), "{refused}");
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
