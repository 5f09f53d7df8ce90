//! Rows become value changes at their times.

use super::layout::Layout;
use super::signals::{SignalTable, WaveSignal};
use super::sink::Sink;
use super::{fst::FstFile, vcd::VcdFile, PERIOD};
use crate::error::SimError;
use crate::mismatch::FourState;
use flitforge_elaborate::Value;
use std::io;
use std::path::{Path, PathBuf};

/// The formats of waveform files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaveFormat {
    /// Fast signal trace (GTKWave, Surfer): compressed; enumerations as tables.
    Fst,
    /// Value change dump (IEEE 1364-2005, chapter 18): text; enumerations as strings.
    Vcd,
}

impl WaveFormat {
    /// The format that a file's name asks for.
    pub fn of(path: &Path) -> Result<Self, SimError> {
        match path.extension().and_then(|end| end.to_str()) {
            Some("fst") => Ok(Self::Fst),
            Some("vcd") => Ok(Self::Vcd),
            _ => Err(SimError::Format {
                what: path.display().to_string(),
                problem: "no waveform format of this name; the name must end in `.fst` or `.vcd`".into(),
            }),
        }
    }
}

/// The file before it is whole. What a run does not finish is removed, at the latest by the next one of the same name. A link, a
/// pipe or a device is the user's: it is written as it is, and neither removed nor replaced.
struct Partial {
    path: PathBuf,
    is_own: bool,
}

impl Partial {
    fn of(path: &Path) -> io::Result<Self> {
        if std::fs::symlink_metadata(path).is_ok_and(|found| !found.is_file()) {
            return Ok(Partial { path: path.into(), is_own: false });
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let front = format!(".{name}.partial-");
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        flitforge_process::sweep(folder, &front, |_| true)?;
        Ok(Partial { path: folder.join(format!("{front}{}", std::process::id())), is_own: true })
    }

    /// Gives the file its name.
    fn put(&self, path: &Path) -> io::Result<()> {
        if self.is_own {
            std::fs::rename(&self.path, path)?;
        }
        Ok(())
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        if self.is_own {
            // It has its name, or nobody can do anything about it.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// One row of values: those just before an edge.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row<'a> {
    /// Time of the edge before, in picoseconds.
    pub(crate) time: u64,
    /// Which clocks rose on that edge.
    pub(crate) risen: u64,
    /// The values, signal after signal.
    pub(crate) words: &'a [u64],
    /// Ones where a bit is unknown; empty if none is.
    pub(crate) unknown: &'a [u64],
}

/// A waveform file being written, under a name of its own until it is whole.
pub(crate) struct WaveFile {
    path: PathBuf,
    partial: Partial,
    sink: Box<dyn Sink>,
    layout: Layout,
    last: Vec<Option<FourState>>,
    time: Option<u64>,
    /// Last rising edge of each clock, and when it falls.
    clocks: Vec<(Option<u64>, Option<u64>)>,
}

impl WaveFile {
    /// Creates the file, and its folder.
    pub(crate) fn create(path: &Path, table: &SignalTable, signals: &[WaveSignal]) -> Result<Self, SimError> {
        let format = WaveFormat::of(path)?;
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(SimError::io(folder))?;
        }
        let layout = Layout::new(table, signals);
        let partial = Partial::of(path).map_err(SimError::io(path))?;
        let sink: Result<Box<dyn Sink>, io::Error> = match format {
            WaveFormat::Fst => FstFile::create(&partial.path, &layout).map(|file| Box::new(file) as _),
            WaveFormat::Vcd => VcdFile::create(&partial.path, &layout).map(|file| Box::new(file) as _),
        };
        let sink = sink.map_err(SimError::io(path))?;
        let last = vec![None; layout.variables.len()];
        let clocks = vec![(None, None); layout.clocks];
        Ok(Self { path: path.into(), partial, sink, layout, last, time: None, clocks })
    }

    /// The file.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a row; times rise from row to row.
    pub(crate) fn row(&mut self, row: &Row<'_>) -> Result<(), SimError> {
        self.write(row).map_err(SimError::io(&self.path))
    }

    fn write(&mut self, row: &Row<'_>) -> io::Result<()> {
        self.falls_before(row)?;
        self.move_to(row.time)?;
        for clock in 0..self.clocks.len() {
            if row.risen >> clock & 1 == 1 {
                let half = self.clocks[clock].0.map_or(PERIOD, |last| row.time - last) / 2;
                self.clocks[clock] = (Some(row.time), Some(row.time + half.max(1)));
                self.set(clock, FourState::known(1, &[1]))?;
            } else if self.last[clock].is_none() {
                self.set(clock, FourState::known(1, &[0]))?;
            }
        }
        for variable in self.layout.clocks..self.layout.variables.len() {
            let value = self.value(variable, row);
            self.set(variable, value)?;
        }
        Ok(())
    }

    /// The falling edges up to a row. A clock that rises again before its fall was due falls just before.
    fn falls_before(&mut self, row: &Row<'_>) -> io::Result<()> {
        let mut falls: Vec<(u64, usize)> = vec![];
        for (clock, (_, fall)) in self.clocks.iter_mut().enumerate() {
            let rises = row.risen >> clock & 1 == 1;
            if let Some(time) = fall.filter(|time| *time < row.time || rises) {
                falls.push((time.min(row.time.saturating_sub(1)), clock));
                *fall = None;
            }
        }
        falls.sort_unstable();
        for (time, clock) in falls {
            self.move_to(time)?;
            self.set(clock, FourState::known(1, &[0]))?;
        }
        Ok(())
    }

    fn move_to(&mut self, time: u64) -> io::Result<()> {
        if self.time.is_none_or(|last| last < time) {
            self.sink.time(time)?;
            self.time = Some(time);
        }
        Ok(())
    }

    fn value(&self, variable: usize, row: &Row<'_>) -> FourState {
        let variable = &self.layout.variables[variable];
        let (word, bit) = variable.place.unwrap_or_default();
        let part = |words: &[u64]| {
            let words = words.get(word..).unwrap_or_default();
            let all = bit + variable.width;
            Value::from_words(all, words).slice(bit, variable.width).words().to_vec()
        };
        FourState { width: variable.width, value: part(row.words), unknown: part(row.unknown) }
    }

    fn set(&mut self, variable: usize, value: FourState) -> io::Result<()> {
        if self.last[variable].as_ref() != Some(&value) {
            self.sink.change(variable, &value)?;
            self.last[variable] = Some(value);
        }
        Ok(())
    }

    /// Ends the file one period after its last row and gives it its name.
    pub(crate) fn finish(mut self) -> Result<PathBuf, SimError> {
        let path = self.path.clone();
        let end = self.time.unwrap_or(0) + PERIOD;
        let row = Row { time: end, risen: 0, words: &[], unknown: &[] };
        let falls = self.falls_before(&row);
        let Self { sink, partial, .. } = self;
        let whole = falls.and_then(|()| sink.finish(end));
        whole.and_then(|()| partial.put(&path)).map_err(SimError::io(&path))?;
        Ok(path)
    }
}
