//! Finding a python3 that can run the environment, and a pip for it.

use super::pins::{BootstrapPip, PythonRange};
use super::version::at_least;
use crate::error::{FlowError, FlowResult};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A Python interpreter that is new enough.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Python {
    /// The interpreter.
    pub program: PathBuf,
    /// Its version, such as `3.11.2`.
    pub version: String,
    /// Implementation, version and platform, such as `cpython-311-linux-x86_64`.
    pub tag: String,
}

const PROBE: &str = "import sys, platform; print(sys.executable); print(platform.python_version()); \
     print('%s-%d%d-%s-%s' % (sys.implementation.name, *sys.version_info[:2], sys.platform, platform.machine()))";

impl Python {
    /// The first fitting interpreter: `FLITFORGE_PYTHON`, then `python3`, `python3.14` ... `python3.10` of PATH.
    pub fn find(range: &PythonRange) -> FlowResult<Python> {
        let mut names: Vec<PathBuf> =
            std::env::var_os("FLITFORGE_PYTHON").map(PathBuf::from).into_iter().collect();
        if names.is_empty() {
            names.push("python3".into());
            names.extend((10..=14).rev().map(|minor| PathBuf::from(format!("python3.{minor}"))));
        }
        let mut seen = Vec::new();
        for name in &names {
            match Python::probe(name) {
                Some(found)
                    if at_least(&found.version, &range.minimum)
                        && !at_least(&found.version, &range.below) =>
                {
                    return Ok(found)
                }
                Some(found) => seen.push(format!("{} is {}", name.display(), found.version)),
                None => seen.push(format!("{} does not run", name.display())),
            }
        }
        Err(FlowError::Setup {
            step: "finding python3".into(),
            reason: seen.join(", "),
            advice: format!(
                "install Python {} or later, below {} (Debian, Ubuntu: apt install python3), or set FLITFORGE_PYTHON",
                range.minimum, range.below
            ),
        })
    }

    fn probe(name: &Path) -> Option<Python> {
        let output = Command::new(name).args(["-I", "-c", PROBE]).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        let mut lines = text.lines();
        let (program, version, tag) = (lines.next()?, lines.next()?, lines.next()?);
        Some(Python { program: program.into(), version: version.into(), tag: tag.into() })
    }

    /// A pip to run: the interpreter's own, the one `ensurepip` carries (Debian leaves both out), or a pinned
    /// wheel fetched into `wheels` and checked against its hash.
    pub fn pip(&self, wheels: &Path, pin: &BootstrapPip) -> FlowResult<Pip> {
        let own = vec!["-m".to_string(), "pip".to_string()];
        let runs = |arguments: &[String]| {
            let mut command = Command::new(&self.program);
            command.args(arguments).arg("--version");
            command.output().is_ok_and(|o| o.status.success())
        };
        if runs(&own) {
            return Ok(Pip { python: self.program.clone(), front: own });
        }
        let wheel = wheels.join(&pin.wheel);
        let script = ["-I", "-c", FETCH_PIP, &pin.wheel, &pin.sha256].map(String::from);
        let output = Command::new(&self.program)
            .args(script)
            .arg(&wheel)
            .output()
            .map_err(FlowError::file("start", &self.program))?;
        let carried = vec![wheel.join("pip").display().to_string()];
        if output.status.success() && runs(&carried) {
            return Ok(Pip { python: self.program.clone(), front: carried });
        }
        let reason =
            String::from_utf8_lossy(&output.stderr).lines().last().unwrap_or("pip does not run").to_string();
        Err(FlowError::Setup {
            step: format!("fetching pip for {}", self.program.display()),
            reason,
            advice: "connect to the network, or install pip (Debian, Ubuntu: apt install python3-pip)".into(),
        })
    }
}

/// Fetches one wheel of pip from the index that PIP_INDEX_URL names, with the standard library alone.
const FETCH_PIP: &str = r#"
import hashlib, os, re, sys, urllib.parse, urllib.request
name, digest, target = sys.argv[1:]
if not (os.path.exists(target) and hashlib.sha256(open(target, 'rb').read()).hexdigest() == digest):
    index = os.environ.get('PIP_INDEX_URL', 'https://pypi.org/simple').rstrip('/') + '/pip/'
    page = urllib.request.urlopen(index, timeout=30).read().decode()
    links = [l for l in re.findall(r'href="([^"]+)"', page) if name in l]
    if not links:
        sys.exit('the index %s has no %s' % (index, name))
    data = urllib.request.urlopen(urllib.parse.urljoin(index, links[0]), timeout=60).read()
    if hashlib.sha256(data).hexdigest() != digest:
        sys.exit('%s does not have the pinned hash' % name)
    with open(target + '.part', 'wb') as file:
        file.write(data)
    os.rename(target + '.part', target)
"#;

/// A pip that runs, with the arguments that start it.
#[derive(Clone, Debug)]
pub struct Pip {
    python: PathBuf,
    front: Vec<String>,
}

impl Pip {
    /// Runs pip; on failure what it said.
    pub fn run(&self, arguments: &[&str], directory: &Path) -> FlowResult<Result<(), PipFailure>> {
        let mut command = Command::new(&self.python);
        command.args(&self.front).args(arguments).current_dir(directory);
        command.args(["--disable-pip-version-check", "--no-input", "--progress-bar", "off"]);
        let output = flitforge_process::output(&command).map_err(FlowError::file("start", &self.python))?;
        if output.status.success() {
            return Ok(Ok(()));
        }
        let said =
            String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
        Ok(Err(PipFailure { said }))
    }
}

/// What a failed pip said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PipFailure {
    said: String,
}

impl PipFailure {
    /// The lines that say why.
    pub fn reason(&self) -> String {
        let why =
            |line: &&str| line.starts_with("ERROR") || line.contains("Error:") || line.contains("rror(");
        let lines: Vec<&str> = self.said.lines().filter(why).collect();
        let chosen = if lines.is_empty() { self.said.trim().to_string() } else { lines.join("\n") };
        chosen.chars().take(1200).collect()
    }

    /// True when the index answered and simply has no wheel for this platform (an index that cannot be reached
    /// ends in the same message, after retries).
    pub fn no_wheel_for_platform(&self) -> bool {
        let trouble = ["Retrying", "Could not fetch", "onnection", "timed out", "SSLError"];
        self.said.contains("No matching distribution") && !trouble.iter().any(|t| self.said.contains(t))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_wheel_and_no_network_are_told_apart() {
        let none = "ERROR: Could not find a version that satisfies the requirement pyosys==0.70 (from versions: none)\n\
                    ERROR: No matching distribution found for pyosys==0.70\n";
        assert!(PipFailure { said: none.into() }.no_wheel_for_platform());
        let offline = format!(
            "WARNING: Retrying (Retry(total=0)) after connection broken by 'NewConnectionError(...)': /simple/pyosys/\n{none}"
        );
        let offline = PipFailure { said: offline };
        assert!(!offline.no_wheel_for_platform());
        assert!(offline.reason().contains("NewConnectionError"), "{}", offline.reason());
    }
}
