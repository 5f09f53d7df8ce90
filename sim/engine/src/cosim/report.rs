//! What a co-simulation compared, and what not.

use crate::kit::Coverage;
use crate::tools::announce;
use std::fmt;
use std::time::Instant;

/// A description of the block that gave the same outputs.
#[derive(Clone, Debug, PartialEq)]
pub struct Compared {
    /// Which description.
    pub what: String,
    /// Clocks compared.
    pub clocks: u64,
    /// Time it took, start-up and comparison included.
    pub seconds: f64,
}

/// What a co-simulation compared, and what not.
#[derive(Clone, Debug, PartialEq)]
pub struct CosimReport {
    /// Name of the test.
    pub name: String,
    /// Seed of the stimulus.
    pub seed: u64,
    /// Clocks of the stimulus.
    pub clocks: u64,
    /// The back end on which the stimulus ran.
    pub main: String,
    /// Each description that was compared.
    pub compared: Vec<Compared>,
    /// Simulators that are not installed.
    pub skipped: Vec<String>,
    /// Counters of the stimulus.
    pub coverage: Coverage,
}

impl CosimReport {
    pub(super) fn new(name: &str, seed: u64, clocks: u64, main: &str) -> Self {
        Self {
            name: name.into(),
            seed,
            clocks,
            main: main.into(),
            compared: vec![],
            skipped: vec![],
            coverage: Coverage::default(),
        }
    }

    pub(super) fn compared(&mut self, what: &str, clocks: usize, begun: Instant) {
        let seconds = begun.elapsed().as_secs_f64();
        self.compared.push(Compared { what: what.into(), clocks: clocks as u64, seconds });
    }

    pub(super) fn skipped(&mut self, what: &str) {
        self.skipped.push(what.into());
    }

    pub(super) fn shortened(&self, what: &str, clocks: u64, reason: &str) {
        announce(&format!("{}: {what} only for {clocks} of {} clocks: {reason}", self.name, self.clocks));
    }
}

impl fmt::Display for CosimReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} clocks on {}, seed {:#x}; equal:", self.name, self.clocks, self.main, self.seed)?;
        for Compared { what, clocks, seconds } in &self.compared {
            write!(f, " {what} ({clocks} in {seconds:.1} s)")?;
        }
        for what in &self.skipped {
            write!(f, "; {what} SKIPPED")?;
        }
        write!(f, "\n{}", self.coverage)
    }
}
