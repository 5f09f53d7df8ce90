//! Waveforms of a running bench: which signals, from when on, and what is left of a failure.

use super::file::{Row, WaveFile};
use super::log::{EdgeCounter, Stamp, WaveLog};
use super::signals::{Sampler, SignalTable};
use crate::bench::no_such_signal;
use crate::bench::Bench;
use crate::error::SimError;
use crate::port::PortHandle;
use crate::tools;
use flitforge_elaborate::Value;
use std::path::{Path, PathBuf};

/// Clocks before a failure that are kept where nothing else is asked for.
pub const FAILURE_CLOCKS: usize = 1000;

/// Environment variable of the folder for waveforms of failures.
const FOLDER_VARIABLE: &str = "FLITFORGE_WAVES";

/// Where waveforms of failing tests go: `FLITFORGE_WAVES`, else `target/waves`.
pub fn failure_folder() -> PathBuf {
    let given = std::env::var_os(FOLDER_VARIABLE).filter(|folder| !folder.is_empty());
    given.map_or_else(|| tools::target_directory().join("waves"), PathBuf::from)
}

/// The file for the waveform of the failing test `name`.
pub(crate) fn failure_file(name: &str) -> PathBuf {
    let fits = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    let file: String = name.chars().map(|c| if fits(c) { c } else { '_' }).collect();
    failure_folder().join(file + ".fst")
}

/// A condition on the state of a bench before an edge.
type Predicate<'a> = Box<dyn FnMut(u64, &dyn Bench) -> bool + 'a>;

/// When a waveform starts.
#[derive(Default)]
pub enum Start<'a> {
    /// At once.
    #[default]
    Now,
    /// Before this edge; the first is 0.
    Clock(u64),
    /// Once a signal, port or internal, has a value.
    Equals(String, Value),
    /// Once the closure says so; it gets the number of the edge.
    When(Predicate<'a>),
}

impl Start<'_> {
    fn check(&self, bench: &dyn Bench) -> Result<(), SimError> {
        let Self::Equals(path, value) = self else { return Ok(()) };
        let misuse = |problem: String| SimError::PortMisuse {
            block: bench.ports().block().into(),
            path: path.clone(),
            problem,
        };
        match look(bench, path) {
            None => Err(no_such_signal(bench, path)),
            Some(now) if now.width() != value.width() => Err(misuse(format!(
                "the trigger's value has {} bits, the signal {}",
                value.width(),
                now.width()
            ))),
            Some(_) => Ok(()),
        }
    }

    fn fires(&mut self, edge: u64, bench: &dyn Bench) -> bool {
        match self {
            Self::Now => true,
            Self::Clock(clock) => edge >= *clock,
            Self::Equals(path, value) => look(bench, path).as_ref() == Some(value),
            Self::When(predicate) => predicate(edge, bench),
        }
    }
}

fn look(bench: &dyn Bench, path: &str) -> Option<Value> {
    bench.ports().get(path).map(|port| bench.get(port)).or_else(|| bench.peek(path))
}

/// What `flitforge sim` is asked to write.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WaveRequest {
    /// The file; without one the last clocks are written if the scenario fails.
    pub file: Option<PathBuf>,
    /// Patterns of signals; all ports without any.
    pub signals: Vec<String>,
    /// Only so many clocks at the end.
    pub last: Option<usize>,
    /// First clock.
    pub from: u64,
    /// File of a [recording](crate::recording) of all ports and clocks; none without one.
    pub record: Option<PathBuf>,
}

impl WaveRequest {
    /// A waveform of all ports in `path`, or of a failure only.
    pub fn file(path: Option<&Path>) -> Self {
        Self { file: path.map(Path::to_path_buf), ..Self::default() }
    }
}

/// Where rows go.
enum Store {
    File(WaveFile),
    /// Kept in memory and written at the end.
    Last(WaveLog, PathBuf),
    /// Kept in memory and written only on a failure.
    Failure(WaveLog, PathBuf),
}

/// The waveform of a running bench.
pub struct Waves<'a> {
    start: Start<'a>,
    started: bool,
    sampler: Sampler,
    row: Vec<u64>,
    counter: EdgeCounter,
    store: Store,
}

impl<'a> Waves<'a> {
    /// Writes `path` (`.fst` or `.vcd`) with the signals of `table` that fit `patterns`; all ports without
    /// patterns.
    pub fn create(
        path: &Path,
        bench: &mut dyn Bench,
        table: SignalTable,
        patterns: &[String],
    ) -> Result<Self, SimError> {
        let sampler = Sampler::new(bench, table, patterns)?;
        let file = WaveFile::create(path, &sampler.table, &sampler.signals)?;
        Ok(Self::with(sampler, Store::File(file)))
    }

    /// Keeps the last `clocks` rows of all ports and writes them if the test `name` fails.
    pub fn of_failure(
        name: &str,
        bench: &mut dyn Bench,
        table: SignalTable,
        clocks: usize,
    ) -> Result<Self, SimError> {
        let sampler = Sampler::new(bench, table, &[])?;
        let log = WaveLog::of(sampler.clone(), clocks);
        Ok(Self::with(sampler, Store::Failure(log, failure_file(name))))
    }

    /// What a request asks for; without a file, the last [`FAILURE_CLOCKS`] of a failure of `name`.
    pub fn requested(
        request: &WaveRequest,
        name: &str,
        bench: &mut dyn Bench,
        table: SignalTable,
    ) -> Result<Self, SimError> {
        let sampler = Sampler::new(bench, table, &request.signals)?;
        let store = match (&request.file, request.last) {
            (Some(path), None) => Store::File(WaveFile::create(path, &sampler.table, &sampler.signals)?),
            (Some(path), Some(last)) => {
                super::WaveFormat::of(path)?;
                Store::Last(WaveLog::of(sampler.clone(), last), path.clone())
            }
            (None, last) => {
                let log = WaveLog::of(sampler.clone(), last.unwrap_or(FAILURE_CLOCKS));
                Store::Failure(log, failure_file(name))
            }
        };
        let mut waves = Self::with(sampler, store);
        waves.start = Start::Clock(request.from);
        Ok(waves)
    }

    fn with(sampler: Sampler, store: Store) -> Self {
        let row = vec![0; sampler.stride()];
        Self { start: Start::Now, started: false, sampler, row, counter: EdgeCounter::default(), store }
    }

    /// Starts at a trigger; an error if it names a signal that the bench cannot see.
    pub fn starting(mut self, start: Start<'a>, bench: &dyn Bench) -> Result<Self, SimError> {
        start.check(bench)?;
        self.start = start;
        Ok(self)
    }

    /// Keeps only the last `clocks` rows and writes them at the end.
    pub fn last(mut self, clocks: usize) -> Self {
        if let Store::File(file) = &self.store {
            let log = WaveLog::of(self.sampler.clone(), clocks);
            self.store = Store::Last(log, file.path().into());
        }
        self
    }

    /// Records the settled state before an edge of all clocks.
    pub fn record(&mut self, bench: &dyn Bench) -> Result<(), SimError> {
        let all = self.sampler.clocks().to_vec();
        self.record_edge(bench, &all, None)
    }

    /// Records the settled state before an edge of these clocks, at `time` picoseconds if there is a schedule.
    pub fn record_edge(
        &mut self,
        bench: &dyn Bench,
        rising: &[PortHandle],
        time: Option<u64>,
    ) -> Result<(), SimError> {
        let stamp = self.counter.next(self.sampler.mask(rising), time);
        self.started = self.started || self.start.fires(stamp.edge, bench);
        if !self.started {
            return Ok(());
        }
        match &mut self.store {
            Store::Last(log, _) | Store::Failure(log, _) => log.push(bench, stamp),
            Store::File(file) => {
                self.sampler.sample(bench, &mut self.row);
                let Stamp { time, risen, .. } = stamp;
                file.row(&Row { time, risen, words: &self.row, unknown: &[] })?;
            }
        }
        Ok(())
    }

    /// Ends the waveform of a good run: the file, if one was asked for. An error if the run ended before the first clock asked for.
    pub fn finish(self) -> Result<Option<PathBuf>, SimError> {
        match (&self.store, &self.start) {
            (Store::File(_) | Store::Last(..), Start::Clock(from)) if !self.started && *from > 0 => {
                return Err(SimError::BeyondEnd { from: *from, clocks: self.counter.edges() });
            }
            _ => (),
        }
        match self.store {
            Store::File(file) => file.finish().map(Some),
            Store::Last(log, path) => log.write(&path).map(Some),
            Store::Failure(..) => Ok(None),
        }
    }

    /// Ends the waveform of a run that failed: the error names the file. What cannot be written is
    /// announced, and must not hide the failure it is about.
    pub fn failed(self, error: SimError) -> SimError {
        let written = match self.store {
            Store::File(file) => file.finish(),
            Store::Last(log, path) | Store::Failure(log, path) => log.write(&path),
        };
        with_wave(error, written)
    }
}

/// The error with its waveform, or without one if that could not be written.
pub(crate) fn with_wave(error: SimError, written: Result<PathBuf, SimError>) -> SimError {
    match written {
        Ok(wave) => SimError::Failed { error: Box::new(error), wave },
        Err(problem) => {
            tools::announce(&format!("no waveform of the failure: {problem}"));
            error
        }
    }
}
