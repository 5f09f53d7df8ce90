//! A difference becomes an error with a waveform.

use crate::error::SimError;
use crate::mismatch::{FourState, Mismatch};
use crate::port::Port;
use crate::tools;
use crate::trace::{Difference, Outputs, Trace};
use crate::waves::{failure_file, with_wave, Row, SignalTable, WaveFile, WaveSignal, PERIOD};
use flitforge_elaborate::Value;
use std::path::PathBuf;

/// Clocks before the failure that the waveform shows.
const WAVE_CLOCKS: usize = 5000;

pub(super) struct Failure<'a> {
    pub(super) test: &'a str,
    pub(super) seed: u64,
    /// Who made the trace.
    pub(super) main: &'a str,
    /// How the ports' bits are to be read.
    pub(super) signals: &'a SignalTable,
}

impl Failure<'_> {
    /// The error of a stimulus that failed, with its waveform.
    pub(super) fn stimulus(&self, trace: &Trace, error: SimError) -> SimError {
        tools::announce(&format!("{}: failed with FLITFORGE_SEED={:#x}", self.test, self.seed));
        with_wave(error, self.write_wave(trace, trace.len(), None))
    }

    /// An error at the first difference between the trace and what `other` gives; `other_is_right` says who
    /// is the reference.
    pub(super) fn compare(
        &self,
        trace: &Trace,
        outputs: &Outputs,
        other: &str,
        other_is_right: bool,
    ) -> Result<(), SimError> {
        let Some(Difference { row, port, traced, found, ignored }) = trace.difference(outputs) else {
            return Ok(());
        };
        let written = self.write_wave(trace, row + 1, Some(outputs));
        let wave =
            written.map_err(|problem| tools::announce(&format!("no waveform of the failure: {problem}")));
        let columns = trace.inputs();
        let words = trace.input_row(row);
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
            wave: wave.ok(),
        })))
    }

    /// Writes `NAME.fst` to the folder for failures; a failure to do so must not hide the failure it is about.
    fn write_wave(&self, trace: &Trace, rows: usize, other: Option<&Outputs>) -> Result<PathBuf, SimError> {
        let (inputs, outputs) = (trace.inputs(), trace.outputs());
        let shown = |prefix: &str, port: &Port| WaveSignal {
            path: format!("{prefix}{}", port.path),
            width: port.width,
            shape: self.signals.shape(&port.path),
        };
        let ports = inputs.ports().iter().chain(outputs.ports());
        let mut signals: Vec<WaveSignal> = ports.map(|port| shown("", port)).collect();
        if other.is_some() {
            signals.extend(outputs.ports().iter().map(|port| shown("other.", port)));
        }
        let mut file = WaveFile::create(&failure_file(self.test), self.signals, &signals)?;
        let first = rows.saturating_sub(WAVE_CLOCKS);
        for row in first..rows.min(trace.len()) {
            let mut words = [trace.input_row(row), trace.output_row(row)].concat();
            let mut unknown = vec![0; words.len()];
            if let Some(other) = other {
                for column in 0..outputs.ports().len() {
                    let value = other.value(outputs, row, column);
                    words.extend(value.value);
                    unknown.extend(value.unknown);
                }
            }
            let risen = if row > first { trace.edges(row - 1) } else { 0 };
            file.row(&Row { time: row as u64 * PERIOD, risen, words: &words, unknown: &unknown })?;
        }
        file.finish()
    }
}
