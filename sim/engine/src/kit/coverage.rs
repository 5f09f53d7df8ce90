//! Counters of the situations a test has produced.

use crate::error::SimError;
use std::collections::BTreeMap;
use std::fmt;

/// Named counters, printed at the end of a test: a test that never produced the hard case shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    counters: BTreeMap<String, u64>,
}

impl Coverage {
    /// Adds `amount` to a counter, which is thereby declared even if `amount` is 0.
    pub fn add(&mut self, name: impl Into<String>, amount: u64) {
        *self.counters.entry(name.into()).or_default() += amount;
    }

    /// Counts one event.
    pub fn hit(&mut self, name: impl Into<String>) {
        self.add(name, 1);
    }

    /// A counter's value; 0 for an unknown one.
    pub fn count(&self, name: &str) -> u64 {
        self.counters.get(name).copied().unwrap_or(0)
    }

    /// All counters by name.
    pub fn counters(&self) -> impl Iterator<Item = (&str, u64)> {
        self.counters.iter().map(|(name, count)| (name.as_str(), *count))
    }

    /// Adds another set of counters.
    pub fn merge(&mut self, other: &Self) {
        for (name, count) in &other.counters {
            self.add(name.as_str(), *count);
        }
    }

    /// An error that lists those of `names` that never happened.
    pub fn require(&self, test: &str, names: &[&str]) -> Result<(), SimError> {
        let missing: Vec<String> =
            names.iter().filter(|name| self.count(name) == 0).map(|name| (*name).to_string()).collect();
        if missing.is_empty() {
            return Ok(());
        }
        Err(SimError::NotCovered { test: test.into(), missing })
    }
}

/// One line per counter.
impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, count) in &self.counters {
            writeln!(f, "  {name}: {count}")?;
        }
        Ok(())
    }
}
