//! `flitforge sim`: runs a scenario.

use crate::blocks::parse_settings;
use crate::dry;
use crate::exit::Failure;
use crate::metrics;
use crate::output::Staged;
use crate::say::{self, say};
use crate::scenarios;
use crate::simulators::provide_verilator;
use anyhow::Result;
use clap::Args;
use flitforge_hdl::registry::{self, Settings};
use flitforge_sim::open;
use flitforge_sim::scenario::{Metrics, Scenario, ScenarioValues};
use flitforge_sim::waves::{WaveFormat, WaveRequest};
use flitforge_sim::{BackEnd, Recording, SimError};
use indicatif::{ProgressBar, ProgressStyle};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Run a scenario and print its metrics, or replay a recording.
#[derive(Args)]
pub struct Sim {
    /// Scenario name.
    #[arg(required_unless_present = "replay")]
    scenario: Option<String>,
    /// Seed of everything random.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Parameter of the scenario, key=value; `--KEY VALUE` means the same.
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
    /// Write a recording of all ports on all clocks, to be replayed; the name ends in .jsonl.
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Replay a recording on a block of the library instead of running a scenario; outputs must be as recorded.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["scenario", "set", "wave", "record", "out"])]
    replay: Option<PathBuf>,
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

/// `--KEY VALUE` and `--KEY=VALUE` of `sim` as `--set KEY=VALUE`, if KEY is a parameter of the scenario named.
pub fn spell_out(arguments: Vec<OsString>) -> Vec<OsString> {
    if arguments.get(1).is_none_or(|verb| verb != "sim") {
        return arguments;
    }
    let Ok(registry) = scenarios::all() else { return arguments };
    let named = arguments.iter().filter_map(|argument| argument.to_str());
    let Some(scenario) = named.skip(2).find_map(|name| registry.find(name).ok()) else { return arguments };
    let mut spelled = vec![];
    let mut rest = arguments.into_iter();
    while let Some(argument) = rest.next() {
        let option = argument.to_str().and_then(|text| text.strip_prefix("--")).unwrap_or_default();
        let (key, value) = option.split_once('=').map_or((option, None), |(key, value)| (key, Some(value)));
        let key = key.replace('-', "_");
        if !scenario.parameters().iter().any(|parameter| parameter.name == key) {
            spelled.push(argument);
            continue;
        }
        let mut setting = OsString::from(key);
        if let Some(value) = value.map(OsString::from).or_else(|| rest.next()) {
            setting.push("=");
            setting.push(value);
        }
        spelled.extend(["--set".into(), setting]);
    }
    spelled
}

/// The text of `sim SCENARIO --help`, if that is what is asked for.
pub fn help(arguments: &[OsString]) -> Option<String> {
    let words: Vec<&str> = arguments.iter().skip(1).filter_map(|argument| argument.to_str()).collect();
    if words.first() != Some(&"sim") || !words.iter().any(|word| ["--help", "-h"].contains(word)) {
        return None;
    }
    let registry = scenarios::all().ok()?;
    let scenario = words.iter().skip(1).find_map(|name| registry.find(name).ok())?;
    let (name, takes) = (scenario.name(), scenario.takes());
    let mut text = format!(
        "{}\n\nUsage: flitforge sim {name} [--PARAMETER VALUE]... [OPTIONS]\n\nWith its defaults it takes about {takes} on one core of 2.5 GHz.\n\nParameters:\n",
        scenario.summary()
    );
    for parameter in scenario.parameters() {
        let option = format!("--{} N", parameter.name.replace('_', "-"));
        let (default, min, max) = (parameter.default, parameter.min, parameter.max);
        text += &format!("  {option:<24} {} [default: {default}, {min} to {max}]\n", parameter.doc);
    }
    let writes = [("--wave FILE", scenario.has_bench()), ("--record FILE", scenario.has_recording())];
    let writes: Vec<&str> = writes.iter().filter(|(_, can)| *can).map(|(option, _)| *option).collect();
    let files = if writes.is_empty() {
        "It runs models, so there is no waveform".into()
    } else {
        format!("It can write {}", writes.join(" and "))
    };
    Some(text + &format!("\n{files}. `flitforge sim --help` has all other options.\n"))
}

impl Sim {
    /// Runs and prints.
    pub fn run(&self) -> Result<()> {
        let usage = |error: SimError| Failure::usage(error.to_string());
        if let Some(name) = &self.backend {
            if BackEnd::parse(name).map_err(usage)? == BackEnd::Verilator {
                provide_verilator()?;
            }
            // Scenarios open their benches by this variable.
            std::env::set_var(BackEnd::VARIABLE, name);
        }
        match (&self.scenario, &self.replay) {
            (Some(name), _) => {
                let registry = scenarios::all()?;
                self.scenario(registry.find(name).map_err(usage)?)
            }
            (None, Some(path)) => self.replay(path),
            (None, None) => Err(Failure::usage("a scenario or --replay FILE is needed").into()),
        }
    }

    /// Replays a recording.
    fn replay(&self, path: &Path) -> Result<()> {
        if dry::is() {
            return Ok(());
        }
        let recording = Recording::read(path)?;
        let header = recording.header();
        let entry = registry::find(&header.block)?;
        let built = (entry.build)(&Settings::new(entry, Some(&header.preset), &[])?)?;
        let mut bench = open(entry.name, built.block)?;
        recording.replay_on(bench.as_mut())?;
        let mut metrics = Metrics::new();
        metrics.insert("block".into(), header.block.clone().into());
        metrics.insert("preset".into(), header.preset.clone().into());
        metrics.insert("clocks".into(), recording.len().into());
        metrics.insert("backend".into(), bench.back_end().name().into());
        self.print(&metrics)
    }

    fn print(&self, metrics: &Metrics) -> Result<()> {
        if self.json {
            say!("{}", serde_json::to_string_pretty(metrics)?)?;
            return Ok(());
        }
        let mut shown = metrics.clone();
        ["passed", "sentence"].iter().for_each(|name| drop(shown.shift_remove(*name)));
        say::text(format_args!("{}", metrics::text(&shown)))?;
        Ok(())
    }

    /// What is to be written beside the metrics; refused if there is nothing to write.
    fn request(&self, scenario: &dyn Scenario) -> Result<WaveRequest> {
        let wanted = [("--wave", &self.wave), ("--record", &self.record)];
        if let Some((option, _)) = wanted.iter().find(|(_, path)| path.is_some() && !scenario.has_bench()) {
            let text = format!("scenario {} runs models, not hardware; leave out {option}", scenario.name());
            return Err(Failure::usage(text).into());
        }
        if self.record.is_some() && !scenario.has_recording() {
            let text = format!("scenario {} is not one block to replay; leave out --record", scenario.name());
            return Err(Failure::usage(text).into());
        }
        if let Some(path) = &self.wave {
            WaveFormat::of(path).map_err(|error| Failure::usage(error.to_string()))?;
        }
        if let Some(path) =
            self.record.as_ref().filter(|path| path.extension().is_none_or(|end| end != "jsonl"))
        {
            return Err(
                Failure::usage(format!("--record {}: the name must end in .jsonl", path.display())).into()
            );
        }
        Ok(WaveRequest {
            file: self.wave.clone(),
            signals: self.wave_signals.clone(),
            last: self.wave_last.map(|clocks| clocks as usize),
            from: self.wave_from,
            record: self.record.clone(),
        })
    }

    /// Runs a scenario.
    fn scenario(&self, scenario: &dyn Scenario) -> Result<()> {
        let usage = |error: SimError| Failure::usage(error.to_string());
        let values = ScenarioValues::new(scenario, &parse_settings(&self.set)?).map_err(usage)?;
        let waves = self.request(scenario)?;
        scenario.check(&values, &waves).map_err(usage)?;
        if dry::is() {
            return Ok(());
        }
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
            SimError::Unknown { .. } | SimError::BeyondEnd { .. } => usage(error).into(),
            other => anyhow::Error::from(other),
        })?;
        if let Some(staged) = staged {
            if files.is_empty() {
                return Err(Failure::usage(format!(
                    "scenario {} has no report; leave out --out",
                    scenario.name()
                ))
                .into());
            }
            files.iter().try_for_each(|file| staged.write(file.name, &file.content))?;
            staged.commit()?;
        }
        let verdict = scenario.verdict(&metrics);
        let sentence = scenario.sentence(&metrics);
        let mut metrics = metrics;
        metrics.insert("passed".into(), verdict.is_ok().into());
        metrics.insert("sentence".into(), sentence.clone().into());
        self.print(&metrics)?;
        if !self.json {
            let word = if verdict.is_ok() { "passed" } else { "FAILED" };
            say!("\n{word}: {sentence}")?;
        }
        Ok(verdict.map_err(Failure::check)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spelled(arguments: &[&str]) -> Vec<String> {
        let spelled = spell_out(arguments.iter().map(OsString::from).collect());
        spelled.into_iter().map(|argument| argument.to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn parameters_of_the_scenario_can_be_options() {
        let short = [
            "flitforge",
            "sim",
            "--json",
            "clock-tree",
            "--switches",
            "4",
            "--high-every=2",
            "--seed",
            "7",
            "--load",
        ];
        let long = [
            "flitforge",
            "sim",
            "--json",
            "clock-tree",
            "--set",
            "switches=4",
            "--set",
            "high_every=2",
            "--seed",
            "7",
            "--set",
            "load",
        ];
        assert_eq!(spelled(&short), long);
        for other in
            [["flitforge", "sim", "none", "--switches"], ["flitforge", "list", "clock-tree", "--switches"]]
        {
            assert_eq!(spelled(&other), other);
        }
    }

    #[test]
    fn no_parameter_has_the_name_of_an_option() {
        let command = Sim::augment_args(clap::Command::new("sim"));
        let options: Vec<&str> = command.get_arguments().filter_map(clap::Arg::get_long).collect();
        assert!(options.contains(&"seed"));
        for scenario in scenarios::all().expect("scenarios").list() {
            for parameter in scenario.parameters() {
                let option = parameter.name.replace('_', "-");
                assert!(!options.contains(&option.as_str()), "{}: {}", scenario.name(), parameter.name);
            }
        }
    }
}
