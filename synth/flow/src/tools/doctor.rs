//! What a machine has: one line per tool.

use super::{Finder, FoundTool, Group};
use crate::error::FlowResult;

/// One tool's state.
#[derive(Clone, Debug, serde::Serialize)]
pub struct DoctorLine {
    /// The tool's name.
    pub tool: String,
    /// Which commands need it.
    pub needed_for: String,
    /// Where and which version, when it was found.
    pub found: Option<FoundTool>,
    /// What to do, when it was not.
    pub advice: Option<String>,
    /// The group that installs it.
    pub group: Group,
    /// Building, checking and simulating do without it.
    pub optional: bool,
}

/// All tools.
#[derive(Clone, Debug, serde::Serialize)]
pub struct DoctorReport {
    /// One line per tool, in the order of `synth/tools.toml`.
    pub tools: Vec<DoctorLine>,
    /// Where the private environments lie.
    pub home: std::path::PathBuf,
}

impl DoctorReport {
    /// The tools that are not there and needed; empty when everything can be built, checked and simulated.
    pub fn missing(&self) -> Vec<&DoctorLine> {
        self.tools.iter().filter(|line| line.found.is_none() && !line.optional).collect()
    }

    /// The groups that a set-up would have to make for all tools that are not there, needed or not.
    pub fn missing_groups(&self) -> Vec<Group> {
        let missing = self.tools.iter().filter(|line| line.found.is_none() && line.group != Group::System);
        let mut groups: Vec<Group> = missing.map(|line| line.group).collect();
        groups.sort();
        groups.dedup();
        groups
    }
}

/// Looks for every tool; never installs.
pub fn doctor() -> FlowResult<DoctorReport> {
    report(&Finder::from_environment()?)
}

fn report(finder: &Finder) -> FlowResult<DoctorReport> {
    let line = |spec: &super::ToolSpec| {
        let (found, advice) = match finder.find(&spec.name) {
            Ok(found) => (Some(found), None),
            Err(error) => (None, Some(error.to_string())),
        };
        DoctorLine {
            tool: spec.name.clone(),
            needed_for: spec.needed_for.clone(),
            found,
            advice,
            group: spec.group,
            optional: spec.optional,
        }
    };
    Ok(DoctorReport { tools: finder.pins.tools.iter().map(line).collect(), home: finder.home.path.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::{Home, Pins};

    #[test]
    fn an_empty_machine_lists_every_tool_with_advice() {
        let home = tempfile::tempdir().unwrap();
        let place = Home { path: home.path().to_path_buf() };
        let finder = Finder::new(Pins::embedded().unwrap(), place, None, vec![]);
        let report = report(&finder).unwrap();
        assert_eq!(report.tools.len(), finder.pins.tools.len());
        assert!(report.tools.iter().all(|l| l.found.is_none() && l.advice.is_some()));
        assert_eq!(report.missing_groups(), [Group::Base, Group::Formal, Group::Packaging, Group::Cocotb]);
        let missing: Vec<&str> = report.missing().iter().map(|line| line.tool.as_str()).collect();
        assert!(missing.contains(&"yosys") && missing.contains(&"verilator"), "{missing:?}");
    }

    #[test]
    fn provers_icarus_and_the_programmer_are_optional() {
        let pins = Pins::embedded().unwrap();
        let optional: Vec<&str> =
            pins.tools.iter().filter(|tool| tool.optional).map(|tool| tool.name.as_str()).collect();
        let expected =
            ["sby", "yosys-smtbmc", "z3", "fusesoc", "cocotb-config", "iverilog", "vvp", "openFPGALoader"];
        assert_eq!(optional, expected);
    }
}
