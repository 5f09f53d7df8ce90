//! Waveforms of values that the caller gives: of a bench with several blocks, whose clocks have times of their own.

use super::file::{Row, WaveFile, WaveFormat};
use super::recorder::WaveRequest;
use super::signals::{offsets, SignalTable, WaveSignal};
use crate::error::SimError;
use flitforge_elaborate::value::words_for;
use std::collections::VecDeque;
use std::path::PathBuf;

/// One row that is kept.
#[derive(Clone, Debug)]
struct Kept {
    time: u64,
    risen: u64,
    words: Vec<u64>,
}

enum Store {
    File(Box<WaveFile>),
    /// The last rows, written at the end.
    Last(VecDeque<Kept>, usize, PathBuf),
}

/// A waveform of values that the caller gives.
///
/// A row's values stand from its time on, and its clocks rise then: what is loaded by an edge stands from that edge on.
pub struct ValueWaves {
    table: SignalTable,
    /// Signals that are shown, and of every signal of the table where its words are in a row.
    shown: Vec<WaveSignal>,
    places: Vec<Option<(usize, usize)>>,
    words: Vec<u64>,
    from: u64,
    rows: u64,
    store: Store,
}

impl ValueWaves {
    /// The waveform that a request asks for, of the signals of a table that fit its patterns; none without a file. Its clocks are rows.
    pub fn requested(request: &WaveRequest, table: SignalTable) -> Result<Option<Self>, SimError> {
        let Some(path) = &request.file else { return Ok(None) };
        let shown = table.select(&request.signals)?;
        let (starts, stride) = offsets(&shown);
        let place = |signal: &WaveSignal| {
            let at = shown.iter().position(|other| other.path == signal.path)?;
            Some((starts[at], words_for(signal.width)))
        };
        let places = table.signals().iter().map(place).collect();
        let store = match request.last {
            Some(last) => {
                WaveFormat::of(path)?;
                Store::Last(VecDeque::new(), last.max(1), path.clone())
            }
            None => Store::File(Box::new(WaveFile::create(path, &table, &shown)?)),
        };
        let words = vec![0; stride];
        Ok(Some(Self { table, shown, places, words, from: request.from, rows: 0, store }))
    }

    /// Sets signal `index` of the table, for this row and those after it.
    pub fn set(&mut self, index: usize, value: &[u64]) {
        let Some(Some((at, count))) = self.places.get(index).copied() else { return };
        for (place, word) in self.words[at..at + count].iter_mut().enumerate() {
            *word = value.get(place).copied().unwrap_or(0);
        }
    }

    /// A row at this time in picoseconds, not before the last one's: bit `n` of `risen` is the `n`-th clock of the table.
    pub fn row(&mut self, time: u64, risen: u64) -> Result<(), SimError> {
        let number = self.rows;
        self.rows += 1;
        if number < self.from {
            return Ok(());
        }
        match &mut self.store {
            Store::File(file) => file.row(&Row { time, risen, words: &self.words, unknown: &[] }),
            Store::Last(rows, last, _) => {
                if rows.len() == *last {
                    rows.pop_front();
                }
                rows.push_back(Kept { time, risen, words: self.words.clone() });
                Ok(())
            }
        }
    }

    /// Writes what is left. An error if the first row asked for did not come.
    pub fn finish(self) -> Result<PathBuf, SimError> {
        if self.from > 0 && self.rows <= self.from {
            return Err(SimError::BeyondEnd { from: self.from, clocks: self.rows });
        }
        match self.store {
            Store::File(file) => file.finish(),
            Store::Last(rows, _, path) => {
                let mut file = WaveFile::create(&path, &self.table, &self.shown)?;
                for Kept { time, risen, words } in &rows {
                    file.row(&Row { time: *time, risen: *risen, words, unknown: &[] })?;
                }
                file.finish()
            }
        }
    }
}
