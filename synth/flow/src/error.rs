//! The errors of the flow: each names the tool or file, what was expected and what to do.

use std::path::PathBuf;

/// What can go wrong between Verilog text and a bitstream.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FlowError {
    /// A tool is in none of the places where it is looked for.
    #[error("tool `{tool}` not found (looked in {looked_in}); {advice}")]
    ToolMissing {
        /// The tool's name.
        tool: String,
        /// The places searched.
        looked_in: String,
        /// What to do about it.
        advice: String,
    },
    /// A tool ran and failed.
    #[error("{tool} failed ({status}) on {subject}:\n{excerpt}\nfull log: {log}")]
    ToolFailed {
        /// The tool's name.
        tool: String,
        /// Exit status as text.
        status: String,
        /// What it worked on: a block or file.
        subject: String,
        /// The lines of its log that say why.
        excerpt: String,
        /// Where the whole log lies.
        log: String,
    },
    /// The private environment could not be set up.
    #[error("tool set-up failed at {step}: {reason}\n{advice}")]
    Setup {
        /// The step that failed.
        step: String,
        /// Why.
        reason: String,
        /// What to do about it.
        advice: String,
    },
    /// A data file (targets, budgets, tools, lint exceptions) is wrong.
    #[error("{file}:{line}: {message}")]
    Data {
        /// The file's name.
        file: String,
        /// Line, counted from 1.
        line: usize,
        /// What is wrong and what is expected.
        message: String,
    },
    /// A tool's output is not what this flow knows.
    #[error("{tool} wrote something unexpected in {file}: {message}")]
    ToolOutput {
        /// The tool's name.
        tool: String,
        /// The file.
        file: String,
        /// What was expected.
        message: String,
    },
    /// The device name is not known, or cannot do what was asked.
    #[error("device `{name}`: {message}")]
    Device {
        /// The name given.
        name: String,
        /// What is wrong, with the names that are known.
        message: String,
    },
    /// The interface given does not fit what was asked.
    #[error("block `{block}`: {message}")]
    Interface {
        /// The block's top module.
        block: String,
        /// What is wrong and what to do.
        message: String,
    },
    /// Lint findings that no exception in `synth/lint.toml` covers.
    #[error("block `{block}` does not pass lint, {} finding(s):\n{}", findings.len(), findings.join("\n"))]
    Lint {
        /// The block's top module.
        block: String,
        /// One line per finding: file, line, rule, message.
        findings: Vec<String>,
    },
    /// A clock the design uses carries no constraint.
    #[error(
        "{block}: clock(s) {} have no frequency constraint; the placer would assume a default. \
         Constrain them in the board's clock list or the block's targets",
        clocks.join(", ")
    )]
    DefaultedClock {
        /// The block or board design.
        block: String,
        /// The clocks without constraint.
        clocks: Vec<String>,
    },
    /// Ports of a board design without a pin.
    #[error("{block}: port(s) {} have no pin; give each one a place in the board's constraints", ports.join(", "))]
    UnconstrainedIo {
        /// The board design.
        block: String,
        /// Port bits without a pin.
        ports: Vec<String>,
    },
    /// The target frequency was not reached.
    #[error("{block}: timing missed: {}", misses.join("; "))]
    MissedTiming {
        /// The block or board design.
        block: String,
        /// One line per clock: reached, wanted.
        misses: Vec<String>,
    },
    /// The bitstream does not unpack to the configuration it was made from.
    #[error(
        "{block}: the packed bitstream does not read back as the placed configuration: {first_difference}"
    )]
    PackMismatch {
        /// The board design.
        block: String,
        /// The first line that differs.
        first_difference: String,
    },
    /// The flow for this device family ends before the asked step.
    #[error("{device}: {message}")]
    StopsHere {
        /// The device.
        device: String,
        /// Why, and what the user can install to go on.
        message: String,
    },
    /// The output exists already.
    #[error("{} exists and is not empty; remove it, choose another --out, or pass --force", path.display())]
    OutputExists {
        /// The path.
        path: PathBuf,
    },
    /// A file or directory could not be read or written.
    #[error("cannot {action} {}: {source}", path.display())]
    File {
        /// "read", "write", "create", ...
        action: &'static str,
        /// The path.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
}

impl FlowError {
    /// A [`FlowError::File`] maker for `map_err`.
    pub fn file(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> FlowError {
        let path = path.into();
        move |source| FlowError::File { action, path, source }
    }

    /// The exit code a command line gives for this error: 1 a check failed, 2 the request is wrong, 3 a tool is
    /// missing or cannot be set up, 4 a file cannot be read or written.
    pub fn exit_code(&self) -> u8 {
        use FlowError as E;
        match self {
            E::Data { .. } | E::Device { .. } | E::Interface { .. } => 2,
            E::ToolMissing { .. } | E::Setup { .. } | E::StopsHere { .. } => 3,
            E::File { .. } | E::OutputExists { .. } => 4,
            E::Lint { .. }
            | E::DefaultedClock { .. }
            | E::UnconstrainedIo { .. }
            | E::MissedTiming { .. }
            | E::PackMismatch { .. }
            | E::ToolFailed { .. }
            | E::ToolOutput { .. } => 1,
        }
    }
}

/// Result of the flow's functions.
pub type FlowResult<T> = Result<T, FlowError>;
