//! Replays a trace on Verilog text in an external simulator.

mod icarus;
mod verilator;

use crate::error::SimError;
use crate::port::Port;
use crate::trace::{Outputs, Trace};

/// Verilog text and the name of its top module, whose ports are those of the trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerilogSource {
    /// Name of the top module.
    pub top: String,
    /// The text.
    pub text: String,
}

/// External simulators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Simulator {
    /// Icarus Verilog, four-state: starts at once, thousands of clocks per second. X and Z show as such.
    Icarus,
    /// Verilator, two-state with random start values: builds for some seconds, then millions of clocks per
    /// second.
    Verilator,
}

impl Simulator {
    /// Name, as in messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Icarus => "Icarus",
            Self::Verilator => "Verilator",
        }
    }

    /// Gives the trace's inputs to the Verilog and returns its outputs: one row per row of the trace, or those up to the
    /// first that differs. `seed` chooses Verilator's random start values.
    pub fn replay(self, trace: &Trace, source: &VerilogSource, seed: u64) -> Result<Outputs, SimError> {
        let outputs = match self {
            Self::Icarus => icarus::replay(trace, source)?,
            Self::Verilator => verilator::replay(trace, source, seed)?,
        };
        let rows = outputs.len();
        if rows == trace.len() || rows > 0 && rows < trace.len() && trace.row_differs(&outputs, rows - 1) {
            return Ok(outputs);
        }
        Err(SimError::Format {
            what: format!("{} on `{}`", self.name(), source.top),
            problem: format!("{} rows of output for {} rows of input", outputs.len(), trace.len()),
        })
    }
}

/// `[7:0] `, or nothing for one bit.
fn range(port: &Port) -> String {
    if port.width > 1 {
        format!("[{}:0] ", port.width - 1)
    } else {
        String::new()
    }
}

fn workspace() -> Result<tempfile::TempDir, SimError> {
    tempfile::Builder::new().prefix("flitforge-sim").tempdir().map_err(SimError::io("temporary folder"))
}
