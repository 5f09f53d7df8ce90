//! `flitforge check`: elaboration, structural checks and lint.

use crate::blocks::emit;
use crate::exit::Failure;
use crate::progress::Terminal;
use anyhow::Result;
use clap::Args;
use flitforge_elaborate::check::{structure, CrossingCatalogue, Severity};
use flitforge_elaborate::verilog::Technology;
use flitforge_flow::ladder::lint::{lint, LintRules};
use flitforge_flow::tools::{Home, Toolbox};
use flitforge_flow::{Level, WorkDirectory};
use flitforge_hdl::registry::{self, registry, BlockEntry, Settings};
use flitforge_hdl::ConfigError;
use flitforge_sim::equality::{compare, EqualityPlan, EqualityReport};
use flitforge_sim::SimError;
use indicatif::{ProgressBar, ProgressStyle};

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
}

impl Check {
    /// Prints one line per preset and every problem; an error if there is one.
    pub fn run(&self) -> Result<()> {
        let chosen = self.chosen()?;
        let linter = if self.no_lint { None } else { Some(Linter::new()?) };
        let catalogue = CrossingCatalogue::project()?;
        let mut failed = 0;
        for (entry, preset) in chosen {
            let mut problems = problems(entry.name, preset, &catalogue, linter.as_ref());
            let mut note = String::new();
            if let (true, Some(clocks)) = (problems.is_empty(), self.simulate) {
                match simulate(entry, preset, clocks, self.seed) {
                    Ok(report) => note = text(&report),
                    Err(error) => problems.push(format!("{error:#}")),
                }
            }
            let word = if problems.is_empty() { "ok" } else { "FAILED" };
            println!("{:<18} {preset:<14} {word}{note}", entry.name);
            problems.iter().for_each(|problem| println!("    {problem}"));
            failed += usize::from(!problems.is_empty());
        }
        match failed {
            0 => Ok(()),
            _ => Err(Failure::check(format!("{failed} preset(s) failed")).into()),
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

/// Runs one preset on every simulator.
fn simulate(entry: &BlockEntry, preset: &str, clocks: u64, seed: u64) -> Result<EqualityReport> {
    let settings = Settings::new(entry, Some(preset), &[])?;
    let streams = (entry.build)(&settings)?.interface.stream_inputs();
    let name = format!("{}_{preset}", entry.name);
    let make = || {
        let built = (entry.build)(&settings);
        let refused =
            |error: ConfigError| SimError::Elaborate { block: entry.name.into(), reason: error.to_string() };
        Ok(built.map_err(refused)?.block)
    };
    let bar = ProgressBar::new(clocks);
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} {msg} {elapsed_precise}") {
        bar.set_style(style.clone());
    }
    bar.set_message(name.clone());
    let plan = EqualityPlan { name, make_block: &make, streams, clocks, seed };
    let report = compare(&plan, &mut |done| bar.set_position(done));
    bar.finish_and_clear();
    Ok(report?)
}

/// What a run took.
fn text(report: &EqualityReport) -> String {
    let verilator = match report.verilator {
        Some(seconds) => format!("Verilator {seconds:.1} s"),
        None => "Verilator is missing".into(),
    };
    format!(
        ", equal on {} clocks: rust-hdl {:.1} s, compiled {:.1} s, {verilator}",
        report.clocks, report.stock, report.compiled
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
