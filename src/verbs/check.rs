//! `flitforge check`: elaboration, structural checks and lint.

use crate::blocks::{emit, parse_settings, DEFAULT_PRESET};
use crate::campaign::{Campaign, Job};
use crate::dry;
use crate::exit::{self, Failure, CHECK_FAILED};
use crate::progress::Terminal;
use crate::say::say;
use crate::simulators::provide_verilator;
use anyhow::Result;
use clap::{Args, ValueEnum};
use flitforge_elaborate::check::{structure, CrossingCatalogue, Severity};
use flitforge_elaborate::verilog::Technology;
use flitforge_flow::data::{append_record, read_record};
use flitforge_flow::ladder::families::{synthesise_for, Unit, YosysFamily};
use flitforge_flow::ladder::lint::{lint, lint_digest, LintRules};
use flitforge_flow::tools::{Home, Toolbox};
use flitforge_flow::{FlowError, FlowResult, Level, Source, WorkDirectory};
use flitforge_hdl::registry::{self, registry, BlockEntry, Settings};
use flitforge_sim::equality::EqualityReport;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Elaborate every preset of blocks (or of all), check its structure and lint its Verilog; on request, run it on every
/// simulator.
#[derive(Args)]
pub struct Check {
    /// Blocks, or BLOCK:PRESET; all blocks if none is given.
    blocks: Vec<String>,
    /// Parameter of the block, key=value, if there is one block; without a preset it is the default one.
    #[arg(long = "set", value_name = "KEY=VALUE", requires = "blocks")]
    set: Vec<String>,
    /// Leave out the lint, which needs Verilator and Yosys.
    #[arg(long)]
    no_lint: bool,
    /// Keep the digest of what passes the lint in this file, a line of JSON for each preset; what it has is not linted again.
    /// The digest is of the text, the rules, the tools' versions and how they are run.
    #[arg(long, value_name = "FILE", conflicts_with = "no_lint")]
    lint_record: Option<PathBuf>,
    /// Synthesise the text for every tool for these families with Yosys, too; all of them if none is named.
    #[arg(long, value_name = "FAMILY", value_enum, num_args = 0.., value_delimiter = ',', default_missing_value = "generic,ecp5,ice40,gowin,xilinx")]
    synthesise: Vec<FamilyName>,
    /// Synthesise each module by itself, those in it as empty boxes, instead of the whole text; a module that blocks share, once.
    #[arg(long, requires = "synthesise")]
    by_module: bool,
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

/// A family that Yosys has a synthesis for.
#[derive(Clone, Copy, ValueEnum)]
enum FamilyName {
    /// No family: gates and flip-flops.
    Generic,
    /// Lattice ECP5.
    Ecp5,
    /// Lattice iCE40.
    Ice40,
    /// Gowin.
    Gowin,
    /// Xilinx, 7 series.
    Xilinx,
}

impl From<FamilyName> for YosysFamily {
    fn from(name: FamilyName) -> Self {
        match name {
            FamilyName::Generic => Self::Generic,
            FamilyName::Ecp5 => Self::Ecp5,
            FamilyName::Ice40 => Self::Ice40,
            FamilyName::Gowin => Self::Gowin,
            FamilyName::Xilinx => Self::Xilinx,
        }
    }
}

impl Check {
    /// Prints one line per preset and every problem; an error if there is one.
    pub fn run(&self) -> Result<()> {
        let chosen = self.chosen()?;
        if dry::is() {
            return Ok(());
        }
        let mut linter = if self.no_lint { None } else { Some(Linter::new(self.lint_record.clone())?) };
        let mut families = Families::new(&self.synthesise, self.by_module)?;
        let catalogue = CrossingCatalogue::project()?;
        let mut checked: Vec<(Job, Vec<String>)> = vec![];
        for (entry, preset) in chosen {
            let job = Job { entry, preset, set: self.set.clone() };
            let (problems, known) = problems(&job, &catalogue, linter.as_mut(), families.as_mut())?;
            if self.simulate.is_none() || !problems.is_empty() {
                print(&job, if known { " (lint from the record)" } else { "" }, &problems)?;
            }
            checked.push((job, problems));
        }
        if let Some(families) = &families {
            families.say()?;
        }
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
                    print(job, "", &[error])
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
        if !self.set.is_empty() && self.blocks.len() > 1 {
            return Err(Failure::usage("--set is for one block, and several are given").into());
        }
        let mut chosen = vec![];
        for name in &self.blocks {
            let (block, preset) = match name.split_once(':') {
                Some((block, preset)) => (block, Some(preset)),
                None if !self.set.is_empty() => (name.as_str(), Some(DEFAULT_PRESET)),
                None => (name.as_str(), None),
            };
            let entry = registry::find(block)?;
            Settings::new(entry, preset, &parse_settings(&self.set)?)?;
            chosen.extend(all(entry).filter(|(_, name)| preset.is_none_or(|preset| preset == *name)));
        }
        Ok(chosen)
    }
}

/// One line for a preset, and its problems.
fn print(job: &Job, note: &str, problems: &[String]) -> Result<()> {
    let word = if problems.is_empty() { "ok" } else { "FAILED" };
    say!("{:<18} {:<14} {word}{note}", job.entry.name, job.preset)?;
    problems.iter().try_for_each(|problem| say!("    {problem}"))?;
    Ok(())
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

/// Everything wrong with one preset, and whether its lint was known; an error if that cannot be found out.
fn problems(
    job: &Job,
    catalogue: &CrossingCatalogue,
    linter: Option<&mut Linter>,
    families: Option<&mut Families>,
) -> Result<(Vec<String>, bool)> {
    let emitted = match emit(job.entry.name, Some(job.preset), &job.set) {
        Ok(emitted) => emitted,
        Err(error) if exit::code(&error) != CHECK_FAILED && !job.set.is_empty() => return Err(error),
        Err(error) => return Ok((vec![format!("{error:#}")], false)),
    };
    let mut known = false;
    let mut problems: Vec<String> = structure(&emitted.design, catalogue)
        .iter()
        .filter(|problem| problem.severity == Severity::Error)
        .map(ToString::to_string)
        .collect();
    if let Some(linter) = linter {
        match linter.lint(job, &emitted.source(Technology::Generic)) {
            Err(error) if error.exit_code() == CHECK_FAILED => problems.push(error.to_string()),
            result => known = result?,
        }
    }
    if let Some(families) = families {
        problems.extend(families.problems(&emitted.source(Technology::Generic))?);
    }
    Ok((problems, known))
}

/// Families to synthesise for.
struct Families {
    families: Vec<YosysFamily>,
    by_module: bool,
    /// What is done, by the names of modules.
    done: BTreeSet<String>,
    toolbox: Toolbox,
    work: WorkDirectory,
}

impl Families {
    fn new(names: &[FamilyName], by_module: bool) -> Result<Option<Self>> {
        if names.is_empty() {
            return Ok(None);
        }
        Ok(Some(Self {
            families: names.iter().map(|name| YosysFamily::from(*name)).collect(),
            by_module,
            done: BTreeSet::new(),
            toolbox: Toolbox::ensure(&["yosys"], &Terminal::new())?,
            work: WorkDirectory::of_home(&Home::from_environment()?),
        }))
    }

    /// Where Yosys stops.
    fn problems(&mut self, source: &Source) -> Result<Vec<String>> {
        source.check()?;
        let units = if self.by_module { Unit::by_module(source) } else { vec![Unit::whole(source)] };
        let mut problems = vec![];
        for unit in units.iter().filter(|unit| !self.done.contains(&unit.top)) {
            for family in &self.families {
                match synthesise_for(unit, *family, &self.toolbox, &self.work) {
                    Err(error @ FlowError::ToolFailed { .. }) => {
                        problems.push(format!("{}: {error}", family.name()))
                    }
                    result => result?,
                }
            }
        }
        self.done.extend(units.into_iter().map(|unit| unit.top));
        Ok(problems)
    }

    /// How many were synthesised, and for what.
    fn say(&self) -> Result<()> {
        let names: Vec<&str> = self.families.iter().map(|family| family.name()).collect();
        let what = if self.by_module { "modules, each by itself," } else { "texts" };
        say!("{} {what} synthesised for {}", self.done.len(), names.join(", "))?;
        Ok(())
    }
}

/// One line of the record of lints: a preset without findings.
#[derive(Serialize, Deserialize)]
struct LintRow {
    block: String,
    preset: String,
    /// See [`lint_digest`].
    lint: String,
}

struct Linter {
    rules: LintRules,
    toolbox: Toolbox,
    work: WorkDirectory,
    record: Option<PathBuf>,
    /// The digests of the record.
    known: BTreeSet<String>,
}

impl Linter {
    fn new(record: Option<PathBuf>) -> Result<Self> {
        let rows: Vec<LintRow> = record.as_ref().map_or(Ok(vec![]), |path| read_record(path))?;
        Ok(Self {
            rules: LintRules::embedded()?,
            toolbox: Toolbox::ensure(Level::Lint.tools(), &Terminal::new())?,
            work: WorkDirectory::of_home(&Home::from_environment()?),
            record,
            known: rows.into_iter().map(|row| row.lint).collect(),
        })
    }

    /// Lints a preset, unless the record has it; true if it has.
    fn lint(&mut self, job: &Job, source: &Source) -> FlowResult<bool> {
        let digest = lint_digest(source, &self.rules, &self.toolbox);
        if self.known.contains(&digest) {
            return Ok(true);
        }
        lint(source, &self.rules, &self.toolbox, &self.work)?;
        if let Some(path) = &self.record {
            let (block, preset) = (job.entry.name.to_owned(), job.preset.to_owned());
            append_record(path, &LintRow { block, preset, lint: digest.clone() })?;
        }
        self.known.insert(digest);
        Ok(false)
    }
}
