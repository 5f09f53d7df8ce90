//! How two descriptions of one block differ.

use flitforge_elaborate::value::words_for;
use flitforge_elaborate::Value;
use std::fmt;
use std::path::PathBuf;

/// A value some of whose bits may be unknown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FourState {
    /// Width in bits.
    pub width: u32,
    /// The known bits, least significant word first.
    pub value: Vec<u64>,
    /// Ones where a bit is X or Z.
    pub unknown: Vec<u64>,
}

impl FourState {
    /// A value without unknown bits.
    pub fn known(width: u32, words: &[u64]) -> Self {
        Self { width, value: words.to_vec(), unknown: vec![0; words_for(width)] }
    }

    /// True if any bit is X or Z.
    pub fn has_unknown(&self) -> bool {
        self.unknown.iter().any(|word| *word != 0)
    }
}

/// Hexadecimal; a digit with an unknown bit is `x`.
impl fmt::Display for FourState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = Value::from_words(self.width, &self.value);
        let unknown = Value::from_words(self.width, &self.unknown);
        for digit in (0..self.width.div_ceil(4)).rev() {
            if unknown.slice(4 * digit, 4).is_zero() {
                write!(f, "{:x}", value.slice(4 * digit, 4).low_u64())?;
            } else {
                write!(f, "x")?;
            }
        }
        Ok(())
    }
}

/// A difference with everything needed to find and repeat it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// Name of the test.
    pub test: String,
    /// Clock, the first is 0.
    pub clock: usize,
    /// Path of the output.
    pub port: String,
    /// Who is right by definition.
    pub expected_by: String,
    /// What it says.
    pub expected: FourState,
    /// Who differs.
    pub got_by: String,
    /// What it says.
    pub got: FourState,
    /// Seed of the stimulus.
    pub seed: u64,
    /// The inputs of that clock.
    pub inputs: Vec<(String, Value)>,
    /// Waveform of the run up to there, if it could be written.
    pub wave: Option<PathBuf>,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = if self.got.has_unknown() { " (unknown bits)" } else { "" };
        writeln!(
            f,
            "{}: clock {}, port `{}`: expected {} ({}), got {} ({}){state}",
            self.test, self.clock, self.port, self.expected, self.expected_by, self.got, self.got_by
        )?;
        write!(f, "  inputs:")?;
        for (path, value) in &self.inputs {
            write!(f, " {path}={value:x}")?;
        }
        write!(f, "\n  repeat with FLITFORGE_SEED={:#x}", self.seed)?;
        match &self.wave {
            Some(path) => write!(f, "; waveform: {}", path.display()),
            None => Ok(()),
        }
    }
}
