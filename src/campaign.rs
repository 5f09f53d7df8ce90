//! Presets on every simulator, several at a time, with a record so that a run of hours can be stopped and resumed.

use crate::exit::Failure;
use anyhow::{Context, Result};
use flitforge_elaborate::verilog::Technology;
use flitforge_flow::data::hash_of;
use flitforge_hdl::registry::{BlockEntry, Settings};
use flitforge_hdl::ConfigError;
use flitforge_sim::equality::{compare, EqualityPlan, EqualityReport};
use flitforge_sim::SimError;
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use serde::{Deserialize, Serialize};
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// What to run.
pub struct Campaign {
    /// Clocks per preset, rounded up to whole segments.
    pub clocks: u64,
    /// Seed of the stimulus.
    pub seed: u64,
    /// Presets at a time.
    pub jobs: usize,
    /// Where results are kept.
    pub record: Option<PathBuf>,
}

/// One line of the record: a preset whose outputs were equal on all these clocks.
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

/// A preset's outcome: its row, and whether the record had it; or what is wrong.
pub type Outcome = Result<(Row, bool), String>;

/// One preset to run.
#[derive(Clone)]
pub struct Job {
    /// Registry entry.
    pub entry: &'static BlockEntry,
    /// Preset.
    pub preset: &'static str,
}

impl Campaign {
    /// Runs the jobs; each outcome is given to `each` as soon as it is there.
    pub fn run(&self, jobs: &[Job], each: &(dyn Fn(&Job, Outcome) + Sync)) -> Result<()> {
        let known = self.known()?;
        let (next, bars, record) = (AtomicUsize::new(0), MultiProgress::new(), Mutex::new(()));
        let work = || {
            while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                let outcome = self.one(job, &known, &bars, &record).map_err(|error| format!("{error:#}"));
                bars.suspend(|| each(job, outcome));
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..self.jobs.clamp(1, jobs.len().max(1)) {
                scope.spawn(work);
            }
        });
        Ok(())
    }

    /// The rows of the record.
    fn known(&self) -> Result<Vec<Row>> {
        let Some(path) = self.record.as_deref().filter(|path| path.exists()) else { return Ok(vec![]) };
        let text = std::fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?;
        let row = |(number, line): (usize, &str)| {
            let name = path.display();
            let wrong =
                |error| Failure::usage(format!("{name}:{}: not a line of a record: {error}", number + 1));
            Ok(serde_json::from_str(line).map_err(wrong)?)
        };
        text.lines().enumerate().map(row).collect()
    }

    fn one(&self, job: &Job, known: &[Row], bars: &MultiProgress, record: &Mutex<()>) -> Result<(Row, bool)> {
        let emitted = crate::blocks::emit(job.entry.name, Some(job.preset), &[])?;
        let verilog = hash_of(&[emitted.verilog(Technology::Generic).as_bytes()]);
        let same = |row: &&Row| {
            (row.block.as_str(), row.preset.as_str()) == (job.entry.name, job.preset)
                && (row.verilog.as_str(), row.seed) == (verilog.as_str(), self.seed)
                && row.report.clocks >= self.clocks
                && row.report.verilator.is_some()
        };
        if let Some(row) = known.iter().find(same) {
            return Ok((row.clone(), true));
        }
        let report = self.compare(job, &emitted.settings, bars)?;
        let (block, preset) = (job.entry.name.to_owned(), job.preset.to_owned());
        let row = Row { block, preset, verilog, seed: self.seed, report };
        if let Some(path) = &self.record {
            let _one_at_a_time = record.lock().unwrap_or_else(PoisonError::into_inner);
            append(path, &row).with_context(|| format!("writing {}", path.display()))?;
        }
        Ok((row, false))
    }

    fn compare(&self, job: &Job, settings: &Settings, bars: &MultiProgress) -> Result<EqualityReport> {
        let entry = job.entry;
        let streams = (entry.build)(settings)?.interface.stream_inputs();
        let name = format!("{}_{}", entry.name, job.preset);
        let make = || {
            let refused = |error: ConfigError| SimError::Elaborate {
                block: entry.name.into(),
                reason: error.to_string(),
            };
            Ok((entry.build)(settings).map_err(refused)?.block)
        };
        let bar = bars.add(ProgressBar::new(self.clocks));
        if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} {msg} {elapsed_precise}") {
            bar.set_style(style);
        }
        bar.set_message(name.clone());
        let plan = EqualityPlan { name, make_block: &make, streams, clocks: self.clocks, seed: self.seed };
        let report = compare(&plan, &mut |done| bar.set_position(done));
        bar.finish_and_clear();
        bars.remove(&bar);
        Ok(report?)
    }
}

fn append(path: &Path, row: &Row) -> Result<()> {
    let line = serde_json::to_string(row)? + "\n";
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    Ok(file.write_all(line.as_bytes())?)
}
