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
use flitforge_hdl::registry::{self, registry, BlockEntry};

/// Elaborate every preset of a block (or of all), check its structure and lint its Verilog.
#[derive(Args)]
pub struct Check {
    /// Block name; all blocks if none is given.
    block: Option<String>,
    /// Leave out the lint, which needs Verilator and Yosys.
    #[arg(long)]
    no_lint: bool,
}

impl Check {
    /// Prints one line per preset and every problem; an error if there is one.
    pub fn run(&self) -> Result<()> {
        let entries: Vec<&BlockEntry> = match &self.block {
            Some(name) => vec![registry::find(name)?],
            None => registry().iter().collect(),
        };
        let linter = if self.no_lint { None } else { Some(Linter::new()?) };
        let catalogue = CrossingCatalogue::project()?;
        let mut failed = 0;
        for entry in entries {
            for preset in entry.presets {
                let problems = problems(entry.name, preset.name, &catalogue, linter.as_ref());
                let word = if problems.is_empty() { "ok" } else { "FAILED" };
                println!("{:<18} {:<14} {word}", entry.name, preset.name);
                problems.iter().for_each(|problem| println!("    {problem}"));
                failed += usize::from(!problems.is_empty());
            }
        }
        match failed {
            0 => Ok(()),
            _ => Err(Failure::check(format!("{failed} preset(s) failed")).into()),
        }
    }
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
