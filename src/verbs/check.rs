//! `flitforge check`: elaboration, structural checks and lint.

use crate::blocks::emit;
use crate::campaign::{Campaign, Job};
use crate::exit::Failure;
use crate::progress::Terminal;
use crate::simulators::provide_verilator;
use anyhow::Result;
use clap::Args;
use flitforge_elaborate::check::{structure, CrossingCatalogue, Severity};
use flitforge_elaborate::verilog::Technology;
use flitforge_flow::ladder::lint::{lint, LintRules};
use flitforge_flow::tools::{Home, Toolbox};
use flitforge_flow::{Level, WorkDirectory};
use flitforge_hdl::registry::{self, registry, BlockEntry, Settings};
use flitforge_sim::equality::EqualityReport;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Elaborate every preset of blocks (or of all), check its structure and lint its Verilog; on request, run it on every
/// simulator.
#[derive(Args)]
pub struct Check {
    /// Blocks, or BLOCK:PRESET; all blocks if none is given.
    blocks: Vec<String>,
    /// Leave out the lint, which needs Verilator and Yosys.
    #[arg(long)]
    no_lint: bool,
    /// Run so many random clocks on rust-hdl itself, the compiled engine and Verilator: all outputs must be equal.
    #[arg(long, value_name = "CLOCKS", value_parser = clap::value_parser!(u64).range(1..))]
    simulate: Option<u64>,
    /// Seed of these clocks.
    #[arg(long, default_value_t = 1, requires = "simulate")]
    seed: u64,
    /// Run them in parts of so many clocks, each from the start of the block and with the next seed.
    #[arg(long, value_name = "CLOCKS", requires = "simulate", value_parser = clap::value_parser!(u64).range(1..))]
    part: Option<u64>,
    /// Parts simulated at a time.
    #[arg(long, default_value_t = 1, value_name = "N", requires = "simulate")]
    jobs: usize,
    /// Keep the results of --simulate in this file, a line of JSON for each part; what it has of the same Verilog,
    /// seed and at least as many clocks is not run again.
    #[arg(long, value_name = "FILE", requires = "simulate")]
    record: Option<PathBuf>,
}

impl Check {
    /// Prints one line per preset and every problem; an error if there is one.
    pub fn run(&self) -> Result<()> {
        let chosen = self.chosen()?;
        let linter = if self.no_lint { None } else { Some(Linter::new()?) };
        let catalogue = CrossingCatalogue::project()?;
        let checked: Vec<(Job, Vec<String>)> = chosen
            .into_iter()
            .map(|(entry, preset)| {
                (Job { entry, preset }, problems(entry.name, preset, &catalogue, linter.as_ref()))
            })
            .inspect(|(job, problems)| {
                if self.simulate.is_none() || !problems.is_empty() {
                    print(job, "", problems);
                }
            })
            .collect();
        let failed = AtomicUsize::new(checked.iter().filter(|(_, problems)| !problems.is_empty()).count());
        if let Some(clocks) = self.simulate {
            provide_verilator()?;
            let (seed, record, part) = (self.seed, self.record.clone(), self.part.unwrap_or(clocks));
            let campaign = Campaign { clocks, part, seed, jobs: self.jobs, record };
            let sound = checked.into_iter().filter(|(_, problems)| problems.is_empty());
            let jobs: Vec<Job> = sound.map(|(job, _)| job).collect();
            campaign.run(&jobs, &|job, outcome| match outcome {
                Ok((report, known)) => print(job, &text(&report, known), &[]),
                Err(error) => {
                    failed.fetch_add(1, Ordering::Relaxed);
                    print(job, "", &[error]);
                }
            })?;
        }
        match failed.into_inner() {
            0 => Ok(()),
            failed => Err(Failure::check(format!("{failed} preset(s) failed")).into()),
        }
    }

    /// The presets asked for.
    fn chosen(&self) -> Result<Vec<(&'static BlockEntry, &'static str)>> {
        let all = |entry: &'static BlockEntry| entry.presets.iter().map(move |preset| (entry, preset.name));
        if self.blocks.is_empty() {
            return Ok(registry().iter().flat_map(all).collect());
        }
        let mut chosen = vec![];
        for name in &self.blocks {
            let (block, preset) = match name.split_once(':') {
                Some((block, preset)) => (block, Some(preset)),
                None => (name.as_str(), None),
            };
            let entry = registry::find(block)?;
            Settings::new(entry, preset, &[])?;
            chosen.extend(all(entry).filter(|(_, name)| preset.is_none_or(|preset| preset == *name)));
        }
        Ok(chosen)
    }
}

/// One line for a preset, and its problems.
fn print(job: &Job, note: &str, problems: &[String]) {
    let word = if problems.is_empty() { "ok" } else { "FAILED" };
    println!("{:<18} {:<14} {word}{note}", job.entry.name, job.preset);
    problems.iter().for_each(|problem| println!("    {problem}"));
}

/// What a run took.
fn text(report: &EqualityReport, known: bool) -> String {
    let verilator = match report.verilator {
        Some(seconds) => format!("Verilator {seconds:.1} s"),
        None => "Verilator is missing".into(),
    };
    format!(
        ", equal on {} clocks: rust-hdl {:.1} s, compiled {:.1} s, {verilator}{}",
        report.clocks,
        report.stock,
        report.compiled,
        if known { " (from the record)" } else { "" }
    )
}

/// Everything wrong with one preset.
fn problems(
    block: &str,
    preset: &str,
    catalogue: &CrossingCatalogue,
    linter: Option<&Linter>,
) -> Vec<String> {
    let emitted = match emit(block, Some(preset), &[]) {
        Ok(emitted) => emitted,
        Err(error) => return vec![format!("{error:#}")],
    };
    let mut problems: Vec<String> = structure(&emitted.design, catalogue)
        .iter()
        .filter(|problem| problem.severity == Severity::Error)
        .map(ToString::to_string)
        .collect();
    if let Some(linter) = linter {
        let source = emitted.source(Technology::Generic);
        if let Err(error) = lint(&source, &linter.rules, &linter.toolbox, &linter.work) {
            problems.push(error.to_string());
        }
    }
    problems
}

struct Linter {
    rules: LintRules,
    toolbox: Toolbox,
    work: WorkDirectory,
}

impl Linter {
    fn new() -> Result<Self> {
        Ok(Self {
            rules: LintRules::embedded()?,
            toolbox: Toolbox::ensure(Level::Lint.tools(), &Terminal::new())?,
            work: WorkDirectory::of_home(&Home::from_environment()?),
        })
    }
}
