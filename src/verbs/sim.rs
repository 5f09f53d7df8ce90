//! `flitforge sim`: runs a scenario.

use crate::blocks::parse_settings;
use crate::exit::Failure;
use crate::scenarios;
use anyhow::Result;
use clap::Args;
use flitforge_sim::scenario::ScenarioValues;
use indicatif::{ProgressBar, ProgressStyle};
use std::path::PathBuf;

/// Run a scenario and print its metrics.
#[derive(Args)]
pub struct Sim {
    /// Scenario name.
    scenario: String,
    /// Seed of everything random.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Parameter of the scenario, key=value.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Write a waveform (VCD).
    #[arg(long)]
    wave: Option<PathBuf>,
    /// Machine-readable.
    #[arg(long)]
    json: bool,
}

impl Sim {
    /// Runs and prints.
    pub fn run(&self) -> Result<()> {
        let registry = scenarios::all()?;
        let usage = |error: flitforge_sim::SimError| Failure::usage(error.to_string());
        let scenario = registry.find(&self.scenario).map_err(usage)?;
        let values = ScenarioValues::new(scenario, &parse_settings(&self.set)?).map_err(usage)?;
        let bar = ProgressBar::new(0);
        if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} {elapsed_precise}") {
            bar.set_style(style);
        }
        let mut progress = |done: u64, all: u64| {
            bar.set_length(all);
            bar.set_position(done);
        };
        let metrics = scenario.run(&values, self.seed, &mut progress, self.wave.as_deref());
        bar.finish_and_clear();
        let metrics = metrics?;
        if self.json {
            println!("{}", serde_json::to_string_pretty(&metrics)?);
        } else {
            for (name, value) in &metrics {
                println!("{name:<24} {value}");
            }
        }
        Ok(())
    }
}
