//! The pinned tools as data: `synth/tools.toml`, embedded when the crate is built.

use crate::error::{FlowError, FlowResult};
use serde::Deserialize;
use sha2::{Digest, Sha256};

/// The text of `synth/tools.toml`.
pub const TOOLS_TOML: &str = include_str!("../../../tools.toml");
const LAUNCHER: &str = include_str!("launch.py");

/// The group of packages that is installed together, in its own environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Group {
    /// Synthesis, placement, bitstreams, lint.
    Base,
    /// Model checking and its solver.
    Formal,
    /// What runs the cores of emitted Verilog.
    Packaging,
    /// Models of other projects that tests put beside emitted Verilog.
    Cocotb,
    /// Not installed by this project: the user's system brings it.
    System,
}

impl Group {
    /// The name used in directories and messages.
    pub fn name(self) -> &'static str {
        match self {
            Group::Base => "base",
            Group::Formal => "formal",
            Group::Packaging => "packaging",
            Group::Cocotb => "cocotb",
            Group::System => "system",
        }
    }
}

/// One tool: where it comes from and which versions will do.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolSpec {
    /// The program's name.
    pub name: String,
    /// The lowest version accepted from PATH; absent: any.
    pub minimum: Option<String>,
    /// The environment that brings it.
    pub group: Group,
    /// The Python package that brings it.
    pub package: Option<String>,
    /// For system tools: the command that installs it.
    pub install: Option<String>,
    /// True when nothing that is built or tested needs it: its absence is no error.
    #[serde(default)]
    pub optional: bool,
    /// Arguments that make it print its version.
    pub version_arguments: Vec<String>,
    /// Which commands need it.
    pub needed_for: String,
}

/// One Python package at one version, with the hashes of its wheels.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PackagePin {
    /// The package's name in the index.
    pub name: String,
    /// The exact version.
    pub version: String,
    /// The environments it belongs to.
    pub groups: Vec<Group>,
    /// True when a platform without a wheel can do without it.
    #[serde(default)]
    pub optional: bool,
    /// SHA-256 of every accepted wheel.
    pub hashes: Vec<String>,
}

impl PackagePin {
    /// The package's line of a requirements file, with hashes.
    pub fn requirement(&self) -> String {
        let hashes: String = self.hashes.iter().map(|h| format!(" --hash=sha256:{h}")).collect();
        format!("{}=={}{hashes}\n", self.name, self.version)
    }
}

/// The wheel of pip that is fetched when python3 has no pip of its own.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BootstrapPip {
    /// Always "pip".
    pub name: String,
    /// The exact version.
    pub version: String,
    /// The wheel's file name.
    pub wheel: String,
    /// SHA-256 of the wheel.
    pub sha256: String,
}

/// The Python versions the wheels exist for: minimum inclusive, below exclusive.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PythonRange {
    /// Lowest version.
    pub minimum: String,
    /// First version that is too new.
    pub below: String,
}

/// All pins.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pins {
    /// Accepted Python versions.
    pub python: PythonRange,
    /// The tools.
    #[serde(rename = "tool")]
    pub tools: Vec<ToolSpec>,
    /// The packages.
    #[serde(rename = "package")]
    pub packages: Vec<PackagePin>,
    /// pip, when python3 has none.
    pub bootstrap_pip: BootstrapPip,
}

impl Pins {
    /// Reads the embedded data.
    pub fn embedded() -> FlowResult<Pins> {
        Pins::parse("synth/tools.toml", TOOLS_TOML)
    }

    /// Reads pins from text; `file` is named in errors.
    pub fn parse(file: &str, text: &str) -> FlowResult<Pins> {
        let pins: Pins = crate::data::parse(file, text)?;
        for package in &pins.packages {
            let bad =
                package.hashes.iter().find(|h| h.len() != 64 || !h.bytes().all(|b| b.is_ascii_hexdigit()));
            if bad.is_some() || package.hashes.is_empty() {
                let shown = bad.map_or("no hash", String::as_str);
                return Err(FlowError::Data {
                    file: file.to_string(),
                    line: crate::data::line_containing(text, &format!("name = \"{}\"", package.name)),
                    message: format!(
                        "package `{}`: expected SHA-256 in 64 hex digits, found {shown}",
                        package.name
                    ),
                });
            }
        }
        Ok(pins)
    }

    /// The tool of this name.
    pub fn tool(&self, name: &str) -> FlowResult<&ToolSpec> {
        self.tools.iter().find(|t| t.name == name).ok_or_else(|| FlowError::ToolMissing {
            tool: name.to_string(),
            looked_in: "synth/tools.toml".to_string(),
            advice: format!(
                "known tools: {}",
                self.tools.iter().map(|t| t.name.as_str()).collect::<Vec<_>>().join(", ")
            ),
        })
    }

    /// The packages of one group, in installation order.
    pub fn packages_of(&self, group: Group) -> impl Iterator<Item = &PackagePin> {
        self.packages.iter().filter(move |p| p.groups.contains(&group))
    }

    /// The tools of one group.
    pub fn tools_of(&self, group: Group) -> impl Iterator<Item = &ToolSpec> {
        self.tools.iter().filter(move |t| t.group == group)
    }

    /// The name of the group's directory: hash of its pins, the launcher and the Python tag (`cp311-linux-x86_64`).
    pub fn directory_name(&self, group: Group, python_tag: &str) -> String {
        let mut hash = Sha256::new();
        for package in self.packages_of(group) {
            hash.update(package.requirement());
        }
        for tool in self.tools_of(group) {
            hash.update(&tool.name);
        }
        hash.update(LAUNCHER);
        hash.update(python_tag);
        format!("{}-{}", group.name(), &crate::data::hex(&hash.finalize())[..16])
    }

    /// The launcher program text that goes into every environment.
    pub fn launcher() -> &'static str {
        LAUNCHER
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_of_an_environment_has_its_package_in_that_environment() {
        let pins = Pins::embedded().unwrap();
        for tool in pins.tools.iter().filter(|t| t.group != Group::System) {
            let package = tool.package.as_deref().unwrap_or_else(|| panic!("{}: no package", tool.name));
            assert!(pins.packages_of(tool.group).any(|p| p.name == package), "{}: {package}", tool.name);
        }
        for tool in pins.tools_of(Group::System) {
            assert!(tool.install.is_some(), "{} needs install advice", tool.name);
        }
    }

    #[test]
    fn a_bad_hash_is_refused_with_its_line() {
        let text = TOOLS_TOML.replacen("603820acce3b2b0e", "zz3820acce3b2b0e", 1);
        let line = TOOLS_TOML.lines().position(|l| l == "name = \"pyosys\"").unwrap() + 1;
        let message = Pins::parse("tools.toml", &text).unwrap_err().to_string();
        assert!(message.starts_with(&format!("tools.toml:{line}: package `pyosys`")), "{message}");
    }

    #[test]
    fn another_pin_or_python_is_another_directory() {
        let pins = Pins::embedded().unwrap();
        let mut changed = pins.clone();
        changed.packages[0].version = "0.71".into();
        let name = pins.directory_name(Group::Base, "cp311");
        assert_ne!(name, changed.directory_name(Group::Base, "cp311"));
        assert_ne!(name, pins.directory_name(Group::Base, "cp312"));
        assert_eq!(
            pins.directory_name(Group::Formal, "cp311"),
            changed.directory_name(Group::Formal, "cp311")
        );
    }
}
