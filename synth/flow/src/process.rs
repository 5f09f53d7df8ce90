//! Running a tool: working directory, log file, its end with this process, and the lines of the log that say why it failed.

use crate::error::{FlowError, FlowResult};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// One run of a tool in a directory. Files are given relative to it: WebAssembly tools see no others.
#[derive(Debug)]
pub struct ToolRun<'a> {
    /// The tool's name, for messages.
    pub tool: &'a str,
    /// The program.
    pub program: &'a Path,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Working directory.
    pub directory: &'a Path,
    /// What it works on, for messages.
    pub subject: &'a str,
    /// The log's file name in `directory`.
    pub log: &'a str,
    /// Directories put in front of PATH.
    pub path_front: &'a [PathBuf],
}

impl ToolRun<'_> {
    /// Runs to the end; the log's text, or the error with the lines that matter.
    pub fn run(&self) -> FlowResult<String> {
        let (ok, status, log) = self.run_any()?;
        if ok {
            return Ok(log);
        }
        Err(FlowError::ToolFailed {
            tool: self.tool.to_string(),
            status,
            subject: self.subject.to_string(),
            excerpt: excerpt(&log),
            log: self.directory.join(self.log).display().to_string(),
        })
    }

    /// Runs to the end whatever the outcome: success, status text, log.
    pub fn run_any(&self) -> FlowResult<(bool, String, String)> {
        let log_path = self.directory.join(self.log);
        let log = std::fs::File::create(&log_path).map_err(FlowError::file("write", &log_path))?;
        let mut command = Command::new(self.program);
        command.args(&self.arguments).current_dir(self.directory).env("PATH", search_path(self.path_front));
        let status = flitforge_process::run(&command, log).map_err(FlowError::file("start", self.program))?;
        let bytes = std::fs::read(&log_path).map_err(FlowError::file("read", &log_path))?;
        Ok((status.success(), status.to_string(), String::from_utf8_lossy(&bytes).into_owned()))
    }
}

/// PATH with directories in front.
pub fn search_path(front: &[PathBuf]) -> OsString {
    let present = std::env::var_os("PATH").unwrap_or_default();
    let parts = front.iter().cloned().chain(std::env::split_paths(&present));
    std::env::join_paths(parts).unwrap_or(present)
}

/// The lines that explain a failure: those with "error", otherwise the last ones.
pub fn excerpt(log: &str) -> String {
    const MOST: usize = 8;
    let is_error = |line: &&str| {
        let lower = line.to_ascii_lowercase();
        lower.contains("error") || lower.contains("traceback") || lower.contains("exception:")
    };
    let errors: Vec<&str> = log.lines().filter(is_error).take(MOST).collect();
    if !errors.is_empty() {
        return errors.join("\n");
    }
    let all: Vec<&str> = log.lines().filter(|l| !l.trim().is_empty()).collect();
    all[all.len().saturating_sub(MOST)..].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_excerpt_prefers_error_lines() {
        assert_eq!(excerpt("a\nERROR: b\nc\n"), "ERROR: b");
        assert_eq!(excerpt("a\n\nb\n"), "a\nb");
    }

    #[test]
    fn a_failing_tool_is_an_error_with_status_and_log() {
        let room = tempfile::tempdir().unwrap();
        let run = ToolRun {
            tool: "sh",
            program: Path::new("/bin/sh"),
            arguments: vec!["-c".into(), "echo 'ERROR: broken'; exit 3".into()],
            directory: room.path(),
            subject: "counter",
            log: "sh.log",
            path_front: &[],
        };
        let message = run.run().unwrap_err().to_string();
        assert!(message.contains("ERROR: broken") && message.contains('3') && message.contains("counter"));
        assert!(room.path().join("sh.log").exists());
    }
}
