//! Presets on every simulator, several at a time, with a record so that a run of hours can be stopped and resumed.

use crate::exit;
use anyhow::Result;
use flitforge_elaborate::verilog::Technology;
use flitforge_flow::data::{append_record, hash_of, read_record};
use flitforge_hdl::registry::{BlockEntry, Settings};
use flitforge_hdl::ConfigError;
use flitforge_sim::equality::{compare, EqualityPlan, EqualityReport};
use flitforge_sim::SimError;
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

/// What to run.
pub struct Campaign {
    /// Clocks per preset, rounded up to whole segments.
    pub clocks: u64,
    /// Clocks of one part: a preset runs in as many as it needs, each from its start and with a seed of its own,
    /// several at a time.
    pub part: u64,
    /// Seed of the first part's stimulus; the next has the next number.
    pub seed: u64,
    /// Parts at a time.
    pub jobs: usize,
    /// Where results are kept.
    pub record: Option<PathBuf>,
}

/// One line of the record: a part of a preset's clocks on which all outputs were equal.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Row {
    /// Block.
    pub block: String,
    /// Preset.
    pub preset: String,
    /// SHA-256 of the emitted Verilog: another design is another row.
    pub verilog: String,
    /// Seed.
    pub seed: u64,
    /// Clocks and seconds.
    #[serde(flatten)]
    pub report: EqualityReport,
}

/// A preset's outcome: the sum of its parts, and whether the record had them all; or what is wrong.
pub type Outcome = Result<(EqualityReport, bool), String>;

/// One preset to run.
#[derive(Clone)]
pub struct Job {
    /// Registry entry.
    pub entry: &'static BlockEntry,
    /// Preset.
    pub preset: &'static str,
    /// Values beside it, `key=value`.
    pub set: Vec<String>,
}

/// A preset on its way.
struct Preset<'a> {
    job: &'a Job,
    emitted: OnceLock<Result<(Settings, String), String>>,
    left: AtomicUsize,
    outcome: Mutex<Outcome>,
}

impl<'a> Preset<'a> {
    fn new(job: &'a Job, parts: u64) -> Self {
        let outcome = Mutex::new(Ok((EqualityReport { verilator: Some(0.0), ..Default::default() }, true)));
        Self { job, emitted: OnceLock::new(), left: AtomicUsize::new(parts as usize), outcome }
    }

    /// Settings, and the hash of the Verilog.
    fn emitted(&self) -> Result<&(Settings, String)> {
        let emit = || {
            let emitted = crate::blocks::emit(self.job.entry.name, Some(self.job.preset), &self.job.set)
                .map_err(|error| format!("{error:#}"))?;
            let verilog = hash_of(&[emitted.verilog(Technology::Generic).as_bytes()]);
            Ok((emitted.settings, verilog))
        };
        self.emitted.get_or_init(emit).as_ref().map_err(|error| anyhow::anyhow!(error.clone()))
    }

    /// Adds a part; the outcome, if it was the last one.
    fn add(&self, part: Result<(Row, bool)>) -> Option<Outcome> {
        let mut outcome = self.outcome.lock().unwrap_or_else(PoisonError::into_inner);
        match (&mut *outcome, part) {
            (Ok((sum, known)), Ok((row, from_record))) => {
                sum.clocks += row.report.clocks;
                sum.stock += row.report.stock;
                sum.compiled += row.report.compiled;
                sum.verilator = sum.verilator.zip(row.report.verilator).map(|(sum, part)| sum + part);
                *known &= from_record;
            }
            (Ok(_), Err(error)) => *outcome = Err(format!("{error:#}")),
            (Err(_), _) => {}
        }
        (self.left.fetch_sub(1, Ordering::AcqRel) == 1).then(|| outcome.clone())
    }
}

impl Campaign {
    /// Runs the jobs; each outcome is given to `each` as soon as it is there. An error of `each`, and one of files or tools, ends
    /// the campaign.
    pub fn run(&self, jobs: &[Job], each: &(dyn Fn(&Job, Outcome) -> Result<()> + Sync)) -> Result<()> {
        let known = self.known()?;
        let (next, bars, record) = (AtomicUsize::new(0), MultiProgress::new(), Mutex::new(()));
        let told = Mutex::new(Ok(()));
        let lock = || told.lock().unwrap_or_else(PoisonError::into_inner);
        let parts = self.clocks.div_ceil(self.part);
        let presets: Vec<Preset<'_>> = jobs.iter().map(|job| Preset::new(job, parts)).collect();
        let work = || loop {
            let number = next.fetch_add(1, Ordering::Relaxed) as u64;
            let Some(preset) = presets.get((number / parts) as usize) else { break };
            let part = self.one(preset, self.seed.wrapping_add(number % parts), &known, &bars, &record);
            let part = match part {
                Err(error) if exit::code(&error) != exit::CHECK_FAILED => {
                    *lock() = Err(error);
                    break;
                }
                part => part,
            };
            if let Some(outcome) = preset.add(part) {
                let result = bars.suspend(|| each(preset.job, outcome));
                let mut told = lock();
                *told = std::mem::replace(&mut *told, Ok(())).and(result);
            }
            if lock().is_err() {
                break;
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..self.jobs.clamp(1, presets.len().saturating_mul(parts as usize).max(1)) {
                scope.spawn(work);
            }
        });
        told.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// The rows of the record.
    fn known(&self) -> Result<Vec<Row>> {
        match &self.record {
            Some(path) => Ok(read_record(path)?),
            None => Ok(vec![]),
        }
    }

    /// One part.
    fn one(
        &self,
        preset: &Preset<'_>,
        seed: u64,
        known: &[Row],
        bars: &MultiProgress,
        record: &Mutex<()>,
    ) -> Result<(Row, bool)> {
        let (job, (settings, verilog)) = (preset.job, preset.emitted()?);
        let clocks = self.clocks.min(self.part);
        let same = |row: &&Row| {
            (row.block.as_str(), row.preset.as_str()) == (job.entry.name, job.preset)
                && (row.verilog.as_str(), row.seed) == (verilog.as_str(), seed)
                && row.report.clocks >= clocks
                && row.report.verilator.is_some()
        };
        if let Some(row) = known.iter().find(same) {
            return Ok((row.clone(), true));
        }
        let report = compare_part(job, settings, (clocks, seed), bars)?;
        let (block, preset) = (job.entry.name.to_owned(), job.preset.to_owned());
        let row = Row { block, preset, verilog: verilog.clone(), seed, report };
        if let Some(path) = &self.record {
            let _one_at_a_time = record.lock().unwrap_or_else(PoisonError::into_inner);
            append_record(path, &row)?;
        }
        Ok((row, false))
    }
}

fn compare_part(
    job: &Job,
    settings: &Settings,
    (clocks, seed): (u64, u64),
    bars: &MultiProgress,
) -> Result<EqualityReport> {
    let entry = job.entry;
    let streams = (entry.build)(settings)?.interface.stream_inputs();
    let name = format!("{}_{}", entry.name, job.preset);
    let make = || {
        let refused =
            |error: ConfigError| SimError::Elaborate { block: entry.name.into(), reason: error.to_string() };
        Ok((entry.build)(settings).map_err(refused)?.block)
    };
    let bar = bars.add(ProgressBar::new(clocks));
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} {msg} {elapsed_precise}") {
        bar.set_style(style);
    }
    bar.set_message(format!("{name} seed {seed}"));
    let plan = EqualityPlan { name, make_block: &make, streams, clocks, seed };
    let report = compare(&plan, &mut |done| bar.set_position(done));
    bar.finish_and_clear();
    bars.remove(&bar);
    Ok(report?)
}
