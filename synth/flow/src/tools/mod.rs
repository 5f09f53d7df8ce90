//! The tools: pinned as data, installed privately, found in a fixed order.
//!
//! Order: `$FLITFORGE_TOOLS/<tool>`, then PATH when the version is new enough, then the private environment.

mod doctor;
mod environment;
mod pins;
mod progress;
mod python;
mod version;

pub use doctor::{doctor, DoctorLine, DoctorReport};
pub use environment::{set_up, Home};
pub use pins::{BootstrapPip, Group, PackagePin, Pins, PythonRange, ToolSpec, TOOLS_TOML};
pub use progress::{Event, Lines, Progress, Silent};
pub use python::{Pip, PipFailure, Python};
pub use version::{at_least, find_version};

use crate::error::{FlowError, FlowResult};
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where a tool was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// The directory in `FLITFORGE_TOOLS`.
    FlitforgeTools,
    /// A directory of PATH.
    Path,
    /// The private environment.
    Environment,
}

/// A tool that is there.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct FoundTool {
    /// The program.
    pub path: PathBuf,
    /// The version it prints; "unknown" when it prints none.
    pub version: String,
    /// Where it was found.
    pub source: Source,
}

/// The tools a piece of work uses, each found once.
#[derive(Clone, Debug, Default)]
pub struct Toolbox {
    tools: BTreeMap<String, FoundTool>,
    path_front: Vec<PathBuf>,
}

impl Toolbox {
    /// Finds the named tools without installing anything.
    pub fn locate(names: &[&str]) -> FlowResult<Toolbox> {
        Toolbox::gather(names, &Finder::from_environment()?)
    }

    /// Finds the named tools and makes the private environment when one is missing.
    pub fn ensure(names: &[&str], progress: &dyn Progress) -> FlowResult<Toolbox> {
        let finder = Finder::from_environment()?;
        for name in names {
            if let Err(FlowError::ToolMissing { .. }) = finder.find(name) {
                let group = finder.pins.tool(name)?.group;
                if group != Group::System {
                    set_up(&finder.home, &finder.pins, group, progress)?;
                }
            }
        }
        Toolbox::gather(names, &finder)
    }

    fn gather(names: &[&str], finder: &Finder) -> FlowResult<Toolbox> {
        let mut toolbox = Toolbox::default();
        for name in names {
            let found = finder.find(name)?;
            if let (Source::FlitforgeTools | Source::Environment, Some(bin)) =
                (found.source, found.path.parent())
            {
                if !toolbox.path_front.iter().any(|p| p == bin) {
                    toolbox.path_front.push(bin.to_path_buf());
                }
            }
            toolbox.tools.insert((*name).to_string(), found);
        }
        Ok(toolbox)
    }

    /// A tool of this box.
    pub fn tool(&self, name: &str) -> FlowResult<&FoundTool> {
        self.tools.get(name).ok_or_else(|| FlowError::ToolMissing {
            tool: name.to_string(),
            looked_in: "the tools this command asked for".into(),
            advice: "add it to the list given to Toolbox::ensure".into(),
        })
    }

    /// The program of a tool of this box.
    pub fn path(&self, name: &str) -> FlowResult<&Path> {
        Ok(&self.tool(name)?.path)
    }

    /// Directories to put in front of PATH, so that tools find each other.
    pub fn path_front(&self) -> &[PathBuf] {
        &self.path_front
    }

    /// Tool names with versions.
    pub fn versions(&self) -> BTreeMap<String, String> {
        self.tools.iter().map(|(name, tool)| (name.clone(), tool.version.clone())).collect()
    }
}

/// Looks for tools in the fixed order.
#[derive(Clone, Debug)]
pub struct Finder {
    /// The pins.
    pub pins: Pins,
    /// Where environments lie.
    pub home: Home,
    /// `FLITFORGE_TOOLS`.
    pub first: Option<PathBuf>,
    /// The directories of PATH.
    pub search: Vec<PathBuf>,
    /// The interpreter, once found.
    python: OnceCell<Python>,
}

impl Finder {
    /// From the process environment.
    pub fn from_environment() -> FlowResult<Finder> {
        let search =
            std::env::var_os("PATH").map(|p| std::env::split_paths(&p).collect()).unwrap_or_default();
        let first = std::env::var_os("FLITFORGE_TOOLS").filter(|v| !v.is_empty()).map(PathBuf::from);
        Ok(Finder::new(Pins::embedded()?, Home::from_environment()?, first, search))
    }

    /// From its parts.
    pub fn new(pins: Pins, home: Home, first: Option<PathBuf>, search: Vec<PathBuf>) -> Finder {
        Finder { pins, home, first, search, python: OnceCell::new() }
    }

    /// The tool, or an error that says where it was looked for and what to do.
    pub fn find(&self, name: &str) -> FlowResult<FoundTool> {
        let spec = self.pins.tool(name)?;
        let mut looked = Vec::new();
        if let Some(directory) = &self.first {
            let path = directory.join(name);
            if path.is_file() {
                return Ok(FoundTool {
                    version: version_of(&path, spec),
                    path,
                    source: Source::FlitforgeTools,
                });
            }
            looked.push(format!("FLITFORGE_TOOLS={}", directory.display()));
        }
        match self.on_path(spec) {
            Ok(found) => return Ok(found),
            Err(why) => looked.push(why),
        }
        if let Some(path) = self.own(spec)? {
            if path.is_file() {
                return Ok(self.in_environment(spec, path));
            }
            looked.push(path.display().to_string());
        }
        Err(FlowError::ToolMissing {
            tool: name.to_string(),
            looked_in: looked.join(", "),
            advice: match &spec.install {
                Some(command) => format!("install it: {command}"),
                None => "run `flitforge doctor --fix`".to_string(),
            },
        })
    }

    /// Where the private environment has the tool; nothing if the system is to bring it.
    fn own(&self, spec: &ToolSpec) -> FlowResult<Option<PathBuf>> {
        if spec.group == Group::System {
            return Ok(None);
        }
        let environment = self.home.environment(&self.pins, spec.group, self.python()?);
        Ok(Some(environment.join("bin").join(&spec.name)))
    }

    /// A tool of the private environment, with the version of the package that brings it: exact, and known without
    /// starting anything.
    fn in_environment(&self, spec: &ToolSpec, path: PathBuf) -> FoundTool {
        let pin = self.pins.packages.iter().find(|p| Some(&p.name) == spec.package.as_ref());
        let version = pin.map_or("unknown", |pin| &pin.version).to_string();
        FoundTool { version, path, source: Source::Environment }
    }

    fn python(&self) -> FlowResult<&Python> {
        if let Some(found) = self.python.get() {
            return Ok(found);
        }
        let found = Python::find(&self.pins.python)?;
        Ok(self.python.get_or_init(|| found))
    }

    fn on_path(&self, spec: &ToolSpec) -> Result<FoundTool, String> {
        let Some(path) = self.search.iter().map(|d| d.join(&spec.name)).find(|p| p.is_file()) else {
            return Err("PATH".into());
        };
        // The private environment may stand on PATH: it is the same tool, and runs made with it are found again.
        if path.starts_with(&self.home.path) && self.own(spec).is_ok_and(|own| own.as_ref() == Some(&path)) {
            return Ok(self.in_environment(spec, path));
        }
        let version = version_of(&path, spec);
        match &spec.minimum {
            Some(minimum) if !at_least(&version, minimum) => {
                Err(format!("PATH ({} is version {version}, {minimum} or later is needed)", path.display()))
            }
            _ => Ok(FoundTool { path, version, source: Source::Path }),
        }
    }
}

fn version_of(path: &Path, spec: &ToolSpec) -> String {
    let output = Command::new(path).args(&spec.version_arguments).stdin(std::process::Stdio::null()).output();
    let Ok(output) = output else { return "unknown".into() };
    let text =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    find_version(&text).unwrap_or_else(|| "unknown".into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn fake_tool(directory: &Path, name: &str, prints: &str) {
        let path = directory.join(name);
        std::fs::write(&path, format!("#!/bin/sh\necho '{prints}'\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn finder(first: Option<&Path>, search: &Path, home: &Path) -> Finder {
        let home = Home { path: home.to_path_buf() };
        Finder::new(Pins::embedded().unwrap(), home, first.map(Path::to_path_buf), vec![search.to_path_buf()])
    }

    #[test]
    fn flitforge_tools_wins_then_a_new_enough_path() {
        let (first, path, home) =
            (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fake_tool(path.path(), "yosys", "Yosys 0.99 (git)");
        let found = finder(Some(first.path()), path.path(), home.path()).find("yosys").unwrap();
        assert_eq!((found.source, found.version.as_str()), (Source::Path, "0.99"));
        fake_tool(first.path(), "yosys", "Yosys 0.1 (git)");
        let found = finder(Some(first.path()), path.path(), home.path()).find("yosys").unwrap();
        assert_eq!((found.source, found.version.as_str()), (Source::FlitforgeTools, "0.1"));
    }

    #[test]
    fn the_private_environment_on_path_is_the_same_tool() {
        let (nowhere, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let probe = finder(None, nowhere.path(), home.path());
        let own = probe.own(probe.pins.tool("yosys").unwrap()).unwrap().unwrap();
        let folder = own.parent().unwrap();
        std::fs::create_dir_all(folder).unwrap();
        fake_tool(folder, "yosys", "Yosys 0.99 (git)");
        let from_home = finder(None, nowhere.path(), home.path()).find("yosys").unwrap();
        let from_path = finder(None, folder, home.path()).find("yosys").unwrap();
        assert_eq!(from_path.source, Source::Environment);
        assert_eq!((&from_path.path, &from_path.version), (&from_home.path, &from_home.version));
        assert_ne!(from_path.version, "0.99", "the version of the package, without starting it");
    }

    #[test]
    fn an_old_or_missing_tool_is_an_error_that_says_what_to_do() {
        let (path, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fake_tool(path.path(), "yosys", "Yosys 0.23");
        let error = finder(None, path.path(), home.path()).find("yosys").unwrap_err();
        let message = error.to_string();
        assert!(message.contains("0.23") && message.contains("0.60 or later"), "{message}");
        assert!(message.contains("flitforge doctor"), "{message}");
        assert_eq!(error.exit_code(), 3);
        let message = finder(None, path.path(), home.path()).find("iverilog").unwrap_err().to_string();
        assert!(message.contains("apt install iverilog"), "{message}");
    }
}
