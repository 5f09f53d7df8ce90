//! External programs: where they are, how they are run, what happens when they are missing.

use crate::error::SimError;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Environment variable of a folder that is searched before `PATH`.
pub const TOOLS_VARIABLE: &str = "FLITFORGE_TOOLS";

/// The program called `tool`: from `$FLITFORGE_TOOLS`, else from `PATH`.
pub fn find(tool: &str) -> Result<PathBuf, SimError> {
    let own = std::env::var_os(TOOLS_VARIABLE).map(PathBuf::from);
    let path = std::env::var_os("PATH").unwrap_or_default();
    own.into_iter()
        .chain(std::env::split_paths(&path))
        .map(|folder| folder.join(tool))
        .find(|file| file.is_file())
        .ok_or_else(|| SimError::ToolMissing { tool: tool.into() })
}

/// Runs a command, which ends with this process at the latest; its output is an error's text if it fails.
pub fn run(command: &mut Command, directory: &Path) -> Result<String, SimError> {
    let tool = command.get_program().to_string_lossy().into_owned();
    let output = flitforge_process::output(command.current_dir(directory)).map_err(SimError::io(&tool))?;
    let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.push_str(&String::from_utf8_lossy(&output.stderr));
    if output.status.success() {
        return Ok(text);
    }
    let start = text.len().saturating_sub(4000);
    let start = (start..text.len()).find(|index| text.is_char_boundary(*index)).unwrap_or(0);
    Err(SimError::ToolFailed {
        tool,
        status: output.status.to_string(),
        directory: directory.into(),
        output: text[start..].into(),
    })
}

/// Tells that a check does not run, on standard error past the test harness's capture.
pub fn announce(line: &str) {
    // Nothing can be done if standard error is closed.
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Turns a missing tool into a visible line `SKIPPED: ...` and `None`; an error where the environment
/// variable `CI` is set. Other errors pass.
pub fn skip_if_missing<T>(result: Result<T, SimError>, what: &str) -> Result<Option<T>, SimError> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(SimError::ToolMissing { tool }) if std::env::var_os("CI").is_none() => {
            announce(&format!("SKIPPED: {what}: {tool} missing"));
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// The folder for build products: `$CARGO_TARGET_DIR`, else `target` beside the workspace's lock file.
pub fn target_directory() -> PathBuf {
    if let Some(target) = std::env::var_os("CARGO_TARGET_DIR") {
        return target.into();
    }
    let start = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let start = start.or_else(|| std::env::current_dir().ok()).unwrap_or_default();
    let root = start.ancestors().find(|folder| folder.join("Cargo.lock").is_file());
    root.unwrap_or(&start).join("target")
}

/// The folder for things built once and kept: `$FLITFORGE_HOME/cache`, else the target folder.
pub fn cache_directory() -> PathBuf {
    match std::env::var_os("FLITFORGE_HOME") {
        Some(home) => PathBuf::from(home).join("cache"),
        None => target_directory(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_tool_is_named() {
        let error = find("no-such-tool").unwrap_err();
        assert!(error.to_string().contains("`no-such-tool` is missing"), "{error}");
    }

    #[test]
    fn a_failing_tool_shows_its_output() {
        let mut command = Command::new("sh");
        let error = run(command.args(["-c", "echo broken; exit 3"]), Path::new(".")).unwrap_err();
        assert!(matches!(&error, SimError::ToolFailed { output, .. } if output == "broken\n"), "{error}");
    }
}
