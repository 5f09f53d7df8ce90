//! `flitforge sim`: runs a scenario.

use crate::blocks::parse_settings;
use crate::exit::Failure;
use crate::output::Staged;
use crate::scenarios;
use anyhow::Result;
use clap::Args;
use flitforge_sim::scenario::ScenarioValues;
use flitforge_sim::waves::{WaveFormat, WaveRequest};
use flitforge_sim::{BackEnd, SimError};
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
    /// Write a waveform; the name ends in .fst or .vcd.
    #[arg(long, value_name = "FILE")]
    wave: Option<PathBuf>,
    /// Signals of the waveform instead of all ports: `*` is any part of a name, `**` anything.
    #[arg(long, value_name = "PATTERN", requires = "wave")]
    wave_signals: Vec<String>,
    /// Only the last N clocks of the waveform, or of that of a failure.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    wave_last: Option<u32>,
    /// First clock of the waveform.
    #[arg(long, value_name = "CLOCK", default_value_t = 0)]
    wave_from: u64,
    /// Folder for the scenario's report; refused for a scenario without one.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Replace what is in the folder.
    #[arg(long, requires = "out")]
    force: bool,
    /// How hardware is simulated: compiled, graph, stock or verilator.
    #[arg(long, value_name = "NAME")]
    backend: Option<String>,
    /// Machine-readable.
    #[arg(long)]
    json: bool,
}

impl Sim {
    /// Runs and prints.
    pub fn run(&self) -> Result<()> {
        let registry = scenarios::all()?;
        let usage = |error: SimError| Failure::usage(error.to_string());
        let scenario = registry.find(&self.scenario).map_err(usage)?;
        if let Some(name) = &self.backend {
            BackEnd::parse(name).map_err(usage)?;
            // Scenarios open their benches by this variable.
            std::env::set_var(BackEnd::VARIABLE, name);
        }
        let values = ScenarioValues::new(scenario, &parse_settings(&self.set)?).map_err(usage)?;
        if let Some(path) = &self.wave {
            WaveFormat::of(path).map_err(usage)?;
        }
        let waves = WaveRequest {
            file: self.wave.clone(),
            signals: self.wave_signals.clone(),
            last: self.wave_last.map(|clocks| clocks as usize),
            from: self.wave_from,
        };
        let bar = ProgressBar::new(0);
        if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} {elapsed_precise}") {
            bar.set_style(style);
        }
        let mut progress = |done: u64, all: u64| {
            bar.set_length(all);
            bar.set_position(done);
        };
        let staged = self.out.as_deref().map(|target| Staged::new(target, self.force)).transpose()?;
        let metrics = scenario.run_with_files(&values, self.seed, &mut progress, &waves);
        bar.finish_and_clear();
        let (metrics, files) = metrics.map_err(|error| match error {
            SimError::Unknown { .. } => usage(error).into(),
            other => anyhow::Error::from(other),
        })?;
        if let Some(staged) = staged {
            if files.is_empty() {
                return Err(Failure::usage(format!(
                    "scenario {} has no report; leave out --out",
                    self.scenario
                ))
                .into());
            }
            files.iter().try_for_each(|file| staged.write(file.name, &file.text))?;
            staged.commit()?;
        }
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
