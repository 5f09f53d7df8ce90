//! What can go wrong in a simulation, with the place and what to do about it.

use crate::mismatch::Mismatch;
use crate::rule::Rule;
use std::path::PathBuf;

/// Why a simulation stopped.
#[derive(Debug, thiserror::Error)]
pub enum SimError {
    /// A port path that the block does not have.
    #[error("block `{block}` has no port `{path}`; it has: {}", .available.join(", "))]
    NoSuchPort {
        /// The simulated block.
        block: String,
        /// The path asked for.
        path: String,
        /// The ports there are.
        available: Vec<String>,
    },
    /// The block's own list of ports is not what its struct holds.
    #[error("block `{block}`, port `{path}`: {problem}; list every port in `drive_ports!`")]
    PortList {
        /// The simulated block.
        block: String,
        /// The port in question.
        path: String,
        /// What differs.
        problem: String,
    },
    /// A value of the wrong width, or a value for an output.
    #[error("block `{block}`, port `{path}`: {problem}")]
    PortMisuse {
        /// The simulated block.
        block: String,
        /// The port in question.
        path: String,
        /// What was done.
        problem: String,
    },
    /// A combinational loop that oscillates, or logic deeper than the bound.
    #[error(
        "block `{block}` does not settle within {passes} passes; still changing: {}; \
         break the combinational loop, or raise the bound with `with_max_passes`", .changing.join(", ")
    )]
    DoesNotSettle {
        /// The simulated block.
        block: String,
        /// Passes tried.
        passes: usize,
        /// Signals that changed in the last pass (the first few).
        changing: Vec<String>,
    },
    /// The graph of the block cannot be made or evaluated.
    #[error("block `{block}`: {reason}")]
    Elaborate {
        /// The block.
        block: String,
        /// What the elaborator says.
        reason: String,
    },
    /// A rule of streams is broken (chapter 00, "Conventions of every block").
    #[error("clock {clock}, stream `{stream}`: {rule}: {detail}")]
    Rule {
        /// Clock of the simulation, the first is 0.
        clock: u64,
        /// Path of the stream.
        stream: String,
        /// The rule.
        rule: Rule,
        /// What was seen.
        detail: String,
    },
    /// A rule of a bus or line protocol is broken.
    #[error("clock {clock}, interface `{interface}`: {rule}: {detail}")]
    Protocol {
        /// Clock of the simulation, the first is 0.
        clock: u64,
        /// Path of the interface.
        interface: String,
        /// The rule.
        rule: &'static str,
        /// What was seen.
        detail: String,
    },
    /// A scoreboard found something lost, invented or altered.
    #[error("clock {clock}, scoreboard `{board}`: {problem}")]
    Scoreboard {
        /// Clock of the simulation.
        clock: u64,
        /// Name of the scoreboard.
        board: String,
        /// What is wrong.
        problem: String,
    },
    /// Two descriptions of one block behave differently.
    #[error("{0}")]
    Mismatch(Box<Mismatch>),
    /// A check of the test bench itself failed.
    #[error("clock {clock}: {problem}")]
    Check {
        /// Clock of the simulation.
        clock: u64,
        /// What is wrong.
        problem: String,
    },
    /// A situation that the test had to produce did not happen.
    #[error("test `{test}` never covered: {}; run more clocks or change the stimulus", .missing.join(", "))]
    NotCovered {
        /// Name of the test.
        test: String,
        /// Names of the counters that stayed 0.
        missing: Vec<String>,
    },
    /// An external tool is not there.
    #[error("tool `{tool}` is missing: put it on PATH or into $FLITFORGE_TOOLS")]
    ToolMissing {
        /// Name of the program.
        tool: String,
    },
    /// An external tool failed.
    #[error("`{tool}` failed ({status}) in {directory}:\n{output}")]
    ToolFailed {
        /// Name of the program.
        tool: String,
        /// Its exit status.
        status: String,
        /// Where it ran.
        directory: PathBuf,
        /// The end of what it printed.
        output: String,
    },
    /// A trace does not fit the bench or simulator it is replayed on, or a file is malformed.
    #[error("{what}: {problem}")]
    Format {
        /// The file or trace.
        what: String,
        /// What is wrong.
        problem: String,
    },
    /// Something unknown was asked for by name.
    #[error("unknown {kind} `{name}`: {}", hint(.name, .available))]
    Unknown {
        /// What kind of thing.
        kind: &'static str,
        /// The name given.
        name: String,
        /// The names there are.
        available: Vec<String>,
    },
    /// A waveform was to begin after the end of the run.
    #[error("the waveform was to begin with clock {from}; the run has {clocks}: choose an earlier one")]
    BeyondEnd {
        /// The clock asked for.
        from: u64,
        /// Clocks of the run.
        clocks: u64,
    },
    /// A run that failed and left a waveform.
    #[error("{error}; waveform: {}", .wave.display())]
    Failed {
        /// Why it failed.
        #[source]
        error: Box<SimError>,
        /// The waveform of the clocks before.
        wave: PathBuf,
    },
    /// Reading or writing a file.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's answer.
        source: std::io::Error,
    },
}

/// The names most like one that is unknown, else all of them.
fn hint(name: &str, available: &[String]) -> String {
    let list = format!("choose one of {}", available.join(", "));
    flitforge_names::hint(name, available.iter().map(String::as_str), &list)
}

impl SimError {
    /// Why a run failed, without its waveform.
    pub fn cause(&self) -> &Self {
        match self {
            Self::Failed { error, .. } => error.cause(),
            other => other,
        }
    }

    /// An [`SimError::Io`] for `path`, to be used with `map_err`.
    pub fn io(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { path, source }
    }
}
