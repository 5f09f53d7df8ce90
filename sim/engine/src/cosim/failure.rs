//! A difference becomes an error with a waveform.

use crate::error::SimError;
use crate::tools;
use crate::trace::{Difference, FourState, Mismatch, Outputs, Trace};
use crate::vcd::VcdWriter;
use flitforge_elaborate::Value;
use std::fs::File;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

/// Clocks before the failure that the waveform shows.
const WAVE_CLOCKS: usize = 5000;

pub(super) struct Failure<'a> {
    pub(super) test: &'a str,
    pub(super) seed: u64,
    /// Who made the trace.
    pub(super) main: &'a str,
    pub(super) trace: &'a Trace,
}

impl Failure<'_> {
    /// The error of a stimulus that failed, after its waveform is written.
    pub(super) fn stimulus(&self, error: SimError) -> SimError {
        let wave = self.write_wave(self.trace.len(), None);
        let at = wave.map(|path| format!("; waveform: {}", path.display())).unwrap_or_default();
        tools::announce(&format!("{}: failed with FLITFORGE_SEED={:#x}{at}", self.test, self.seed));
        error
    }

    /// An error at the first difference between the trace and what `other` gives; `other_is_right` says who
    /// is the reference.
    pub(super) fn compare(
        &self,
        outputs: &Outputs,
        other: &str,
        other_is_right: bool,
    ) -> Result<(), SimError> {
        let Some(Difference { row, port, traced, found, ignored }) = self.trace.difference(outputs) else {
            return Ok(());
        };
        let wave = self.write_wave(row + 1, Some(outputs));
        let columns = self.trace.inputs();
        let words = self.trace.input_row(row);
        let inputs = columns.ports().iter().enumerate().map(|(column, port)| {
            (port.path.clone(), Value::from_words(port.width, &words[columns.range(column)]))
        });
        let masked = |state: &FourState| FourState {
            width: state.width,
            value: state.value.iter().zip(&ignored).map(|(word, ignored)| word & !ignored).collect(),
            unknown: state.unknown.clone(),
        };
        let (traced, found) = (masked(&traced), masked(&found));
        let (expected, got, expected_by, got_by) = match other_is_right {
            true => (found, traced, other, self.main),
            false => (traced, found, self.main, other),
        };
        Err(SimError::Mismatch(Box::new(Mismatch {
            test: self.test.into(),
            clock: row,
            port,
            expected_by: expected_by.into(),
            expected,
            got_by: got_by.into(),
            got,
            seed: self.seed,
            inputs: inputs.collect(),
            wave,
        })))
    }

    /// Writes `target/failures/NAME.vcd`; a failure to do so must not hide the failure it is about.
    fn write_wave(&self, rows: usize, other: Option<&Outputs>) -> Option<PathBuf> {
        let folder = tools::target_directory().join("failures");
        let file: String = self
            .test
            .chars()
            .map(|c| if c.is_alphanumeric() || c == '_' || c == '-' { c } else { '_' })
            .collect();
        let path = folder.join(file + ".vcd");
        match std::fs::create_dir_all(&folder).and_then(|()| self.write(&path, rows, other)) {
            Ok(()) => Some(path),
            Err(error) => {
                tools::announce(&format!("no waveform of the failure: {}: {error}", path.display()));
                None
            }
        }
    }

    fn write(&self, path: &Path, rows: usize, other: Option<&Outputs>) -> io::Result<()> {
        let trace = self.trace;
        let (inputs, outputs) = (trace.inputs(), trace.outputs());
        let ports = inputs.ports().iter().chain(outputs.ports());
        let mut signals: Vec<(String, u32)> = ports.map(|port| (port.path.clone(), port.width)).collect();
        if other.is_some() {
            signals.extend(outputs.ports().iter().map(|port| (format!("other.{}", port.path), port.width)));
        }
        let clocks: Vec<String> = trace.clocks().iter().map(|port| port.path.clone()).collect();
        let first = rows.saturating_sub(WAVE_CLOCKS);
        let file = BufWriter::new(File::create(path)?);
        let mut writer = VcdWriter::new(file, trace.block(), &clocks, &signals)?.starting_at(first as u64);
        for row in first..rows.min(trace.len()) {
            let known = |columns: &crate::trace::Columns, words: &[u64]| -> Vec<FourState> {
                let list = columns.ports().iter().enumerate();
                list.map(|(column, port)| FourState::known(port.width, &words[columns.range(column)]))
                    .collect()
            };
            let mut values = known(inputs, trace.input_row(row));
            values.extend(known(outputs, trace.output_row(row)));
            if let Some(other) = other {
                values.extend((0..outputs.ports().len()).map(|column| other.value(outputs, row, column)));
            }
            let risen = if row > first { trace.edges(row - 1) } else { 0 };
            writer.row(risen, values)?;
        }
        writer.finish()
    }
}
