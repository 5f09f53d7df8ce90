//! `flitforge synth`: area and Fmax of a block alone.

use crate::blocks::{emit, Emitted};
use crate::exit::Failure;
use crate::progress::Terminal;
use anyhow::Result;
use clap::Args;
use flitforge_elaborate::verilog::Technology;
use flitforge_flow::tools::{Home, Toolbox};
use flitforge_flow::{measure, Device, Family, Level, MeasureRequest, SynthReport, WorkDirectory};
use std::collections::BTreeMap;

/// Synthesise a block (or a target of synth/targets.toml), place it in a harness with several seeds and report area and Fmax.
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
    /// Device, for instance lfe5u-85f-6, lfe5um5g-85f-8, xc7a35t-1.
    #[arg(long, default_value = "lfe5u-85f-6")]
    device: String,
    /// Seeds of the placer.
    #[arg(long, default_value_t = 3)]
    seeds: u64,
    /// Machine-readable.
    #[arg(long)]
    json: bool,
}

impl Synth {
    /// Measures and prints.
    pub fn run(&self) -> Result<()> {
        let device: Device = self.device.parse()?;
        if self.seeds == 0 {
            return Err(Failure::usage("--seeds 0: at least one seed is needed").into());
        }
        let emitted = emit(&self.name, self.preset.as_deref(), &self.set)?;
        let report = self.measure(&emitted, &device)?;
        if self.json {
            println!("{}", serde_json::to_string_pretty(&report)?);
        } else {
            print_plain(&report);
        }
        report.check_timing()?;
        Ok(())
    }

    fn measure(&self, emitted: &Emitted, device: &Device) -> Result<SynthReport> {
        let is_ecp5 = device.family() == Family::Ecp5;
        let technology = if is_ecp5 { Technology::Ecp5 } else { Technology::Generic };
        let source = emitted.source(technology);
        let level = if is_ecp5 { Level::Place } else { Level::Synth };
        let progress = Terminal::new();
        let toolbox = Toolbox::ensure(level.tools(), &progress)?;
        let request = MeasureRequest {
            source: &source,
            device,
            level,
            target_mhz: None,
            clock_targets: &BTreeMap::new(),
            seeds: &(1..=self.seeds).collect::<Vec<_>>(),
        };
        let work = WorkDirectory::of_home(&Home::from_environment()?);
        Ok(measure(&request, &toolbox, &work, &progress)?)
    }
}

fn print_plain(report: &SynthReport) {
    let area = &report.area;
    println!("{} on {}: {} LUT4, {} FF, {} EBR", report.block, report.device, area.lut4, area.ff, area.ebr);
    for clock in &report.clocks {
        let seeds: Vec<String> =
            clock.seeds.iter().map(|figure| format!("{}: {:.1}", figure.seed, figure.mhz)).collect();
        println!(
            "clock {}: {:.1} MHz median, {:.1} to {:.1} (seeds {})",
            clock.name,
            clock.fmax_mhz.median,
            clock.fmax_mhz.min,
            clock.fmax_mhz.max,
            seeds.join(", ")
        );
    }
    for note in &report.notes {
        println!("note: {note}");
    }
}
