//! `flitforge synth`: area and Fmax of a block alone.

use crate::blocks::{emit, Emitted};
use crate::dry;
use crate::exit::Failure;
use crate::progress::Terminal;
use crate::say::say;
use crate::targets::{budgets, targets};
use anyhow::Result;
use clap::Args;
use flitforge_elaborate::verilog::Technology;
use flitforge_flow::targets::{drift, DriftKind};
use flitforge_flow::tools::{Home, Toolbox};
use flitforge_flow::{measure, Device, Effort, Family, Level, MeasureRequest, SynthReport, WorkDirectory};
use std::collections::BTreeMap;

/// Device where neither the command line nor a target names one.
const DEFAULT_DEVICE: &str = "lfe5u-85f-6";

/// Synthesise a block (or a target of its figures.toml), place it in a harness with several seeds and report area and Fmax.
#[derive(Args)]
pub struct Synth {
    /// Block or target name.
    name: String,
    /// Preset of the block.
    #[arg(long)]
    preset: Option<String>,
    /// Parameter of the block, key=value.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Device, for instance lfe5u-85f-6, lfe5um5g-85f-8, xc7a35t-1; without a speed its slowest. By default the target's, or
    /// lfe5u-85f-6. 7-series are synthesised, not placed.
    #[arg(long)]
    device: Option<String>,
    /// What the tools work for: standard, or on ECP5 delay (short paths in large designs, some 5 % more LUTs), narrow (no function
    /// wider than a LUT4), shallow (and as few LUTs deep as can be), area (few LUTs, at a slow clock) or dense (and a placer for
    /// full devices); by default the target's, or standard.
    #[arg(long)]
    effort: Option<String>,
    /// Seeds of the placer.
    #[arg(long, default_value_t = 3)]
    seeds: u64,
    /// Machine-readable.
    #[arg(long)]
    json: bool,
}

/// A name of the command line, resolved.
struct Subject {
    emitted: Emitted,
    device: Device,
    effort: Effort,
    target_mhz: Option<f64>,
    target: Option<String>,
}

impl Synth {
    /// Measures and prints.
    pub fn run(&self) -> Result<()> {
        if self.seeds == 0 {
            return Err(Failure::usage("--seeds 0: at least one seed is needed").into());
        }
        let subject = self.subject()?;
        if dry::is() {
            return Ok(());
        }
        let report = self.measure(&subject)?;
        if self.json {
            say!("{}", serde_json::to_string_pretty(&report)?)?;
        } else {
            print_plain(&report)?;
        }
        report.check_timing()?;
        match &subject.target {
            Some(name) => self.check_budget(name, &report),
            None => Ok(()),
        }
    }

    /// A target, or a block.
    fn subject(&self) -> Result<Subject> {
        let targets = targets()?;
        let target = targets.targets.iter().find(|target| target.name == self.name);
        let device = self.device.as_deref().or(target.map(|target| target.device.as_str()));
        let given = device.unwrap_or(DEFAULT_DEVICE);
        let device: Device = given.parse()?;
        if device.name() != given {
            eprintln!("{given}: speed {} taken, the slowest", device.speed());
        }
        let effort = self.effort.as_deref().map(str::parse::<Effort>).transpose()?;
        let effort = effort.or(target.map(|target| target.effort)).unwrap_or_default();
        let Some(target) = target else {
            let emitted = emit(&self.name, self.preset.as_deref(), &self.set)?;
            return Ok(Subject { emitted, device, effort, target_mhz: None, target: None });
        };
        let preset = self.preset.as_deref().unwrap_or(&target.preset);
        let emitted = emit(&target.block, Some(preset), &self.set)?;
        // What a target asks holds for its own device and parameters.
        let as_given = self.preset.is_none()
            && self.set.is_empty()
            && device.name() == target.device
            && effort == target.effort;
        Ok(Subject {
            emitted,
            device,
            effort,
            target_mhz: target.mhz.filter(|_| as_given),
            target: as_given.then(|| target.name.clone()),
        })
    }

    fn measure(&self, subject: &Subject) -> Result<SynthReport> {
        let is_ecp5 = subject.device.family() == Family::Ecp5;
        let technology = if is_ecp5 { Technology::Ecp5 } else { Technology::Xilinx };
        let source = subject.emitted.source(technology);
        let level = if is_ecp5 { Level::Place } else { Level::Synth };
        let progress = Terminal::new();
        let toolbox = Toolbox::ensure(level.tools(), &progress)?;
        let request = MeasureRequest {
            source: &source,
            device: &subject.device,
            level,
            effort: subject.effort,
            target_mhz: subject.target_mhz,
            clock_targets: &BTreeMap::new(),
            seeds: &(1..=self.seeds).collect::<Vec<_>>(),
        };
        let work = WorkDirectory::of_home(&Home::from_environment()?);
        Ok(measure(&request, &toolbox, &work, &progress)?)
    }

    /// Prints what is outside the budget; an error if something is worse.
    fn check_budget(&self, target: &str, report: &SynthReport) -> Result<()> {
        let budgets = budgets(&targets()?)?;
        let Some(budget) = budgets.find(target) else {
            eprintln!("no budget for target {target} in the figures.toml of its block");
            return Ok(());
        };
        let drifts = drift(report, budget);
        for line in &drifts {
            eprintln!("drift: {}", line.text());
        }
        match drifts.iter().filter(|line| line.kind == DriftKind::Worse).count() {
            0 => Ok(()),
            worse => {
                let message = format!("target {target}: {worse} figure(s) worse than its budget allows");
                Err(Failure::check(message).into())
            }
        }
    }
}

fn print_plain(report: &SynthReport) -> Result<()> {
    let area = &report.area;
    say!("{} on {}: {} LUT4, {} FF, {} EBR", report.block, report.device, area.lut4, area.ff, area.ebr)?;
    for clock in &report.clocks {
        let seeds: Vec<String> =
            clock.seeds.iter().map(|figure| format!("{}: {:.1}", figure.seed, figure.mhz)).collect();
        say!(
            "clock {}: {:.1} MHz median, {:.1} to {:.1} (seeds {})",
            clock.name,
            clock.fmax_mhz.median,
            clock.fmax_mhz.min,
            clock.fmax_mhz.max,
            seeds.join(", ")
        )?;
    }
    for note in &report.notes {
        say!("note: {note}")?;
    }
    Ok(())
}
