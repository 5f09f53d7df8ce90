//! Exit codes. They are part of the interface: scripts may rely on them.

use flitforge_boards::{BoardError, DesignError};
use flitforge_flow::FlowError;
use flitforge_hdl::ConfigError;
use std::fmt;

/// Shown below `--help`.
pub const HELP: &str = "Exit codes: 0 done; 1 a check failed (structure, lint, timing, budget, scenario); \
2 a name, key or value on the command line is wrong; 3 a tool is missing or cannot be set up; \
4 a file cannot be read or written.";

/// A check failed.
pub const CHECK_FAILED: u8 = 1;
/// The command line names something that does not exist or cannot work.
pub const USAGE: u8 = 2;
/// A tool is missing.
pub const TOOL: u8 = 3;
/// A file cannot be read or written.
pub const FILES: u8 = 4;

/// A fault of this program itself, as Rust has it.
pub const PANIC: u8 = 101;

/// An error that carries its exit code.
#[derive(Debug)]
pub struct Failure {
    code: u8,
    message: String,
}

impl Failure {
    /// A failed check.
    pub fn check(message: impl Into<String>) -> Self {
        Self { code: CHECK_FAILED, message: message.into() }
    }

    /// A wrong name, key or value.
    pub fn usage(message: impl Into<String>) -> Self {
        Self { code: USAGE, message: message.into() }
    }

    /// A missing tool.
    pub fn tool(message: impl Into<String>) -> Self {
        Self { code: TOOL, message: message.into() }
    }

    /// A file that cannot be read or written.
    pub fn files(message: impl Into<String>) -> Self {
        Self { code: FILES, message: message.into() }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

/// The exit code of an error.
pub fn code(error: &anyhow::Error) -> u8 {
    for cause in error.chain() {
        if let Some(failure) = cause.downcast_ref::<Failure>() {
            return failure.code;
        }
        if cause.is::<ConfigError>() || cause.is::<BoardError>() || cause.is::<DesignError>() {
            return USAGE;
        }
        if let Some(error) = cause.downcast_ref::<FlowError>() {
            return error.exit_code();
        }
        if cause.is::<std::io::Error>() {
            return FILES;
        }
    }
    CHECK_FAILED
}

/// The error with its causes; one that says what stands there already is left out.
pub fn text(error: &anyhow::Error) -> String {
    error.chain().map(ToString::to_string).fold(String::new(), |text, cause| {
        if text.contains(&cause) {
            text
        } else if text.is_empty() {
            cause
        } else {
            format!("{text}: {cause}")
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_is_told_once() {
        let cause = std::io::Error::from_raw_os_error(20);
        let error = anyhow::Error::from(FlowError::file("read", "a.toml")(cause)).context("budgets");
        assert_eq!(text(&error), "budgets: cannot read a.toml: Not a directory (os error 20)");
        assert_eq!(code(&error), FILES);
    }
}
