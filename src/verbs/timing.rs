//! `flitforge timing`: reports of what a design's timing follows from.

use crate::blocks::{emit, Emitted};
use crate::dry;
use crate::exit::Failure;
use crate::output::Staged;
use crate::progress::Terminal;
use crate::say::{self, say};
use anyhow::{Context, Result};
use clap::{Args, Subcommand};
use flitforge_elaborate::verilog::Technology;
use flitforge_flow::tools::{Event, Home, Progress, Toolbox};
use flitforge_flow::{Device, Family, Source, WorkDirectory};
use flitforge_protocol::time_ring::Embed;
use flitforge_timing::campaign::RingRows;
use flitforge_timing::report::{goal_of, RingReport, RingRequest};
use flitforge_timing::{
    markdown, picture, Columns, Floorplan, RingCampaign, RingSource, SeedRow, RING_TOOLS,
};
use std::path::{Path, PathBuf};

/// The folder that is written if none is named.
const DEFAULT_OUT: &str = "build/timing-ring";

/// Report the timing of a part of the fabric.
#[derive(Args)]
pub struct Timing {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    Ring(Ring),
}

impl Timing {
    /// Measures and writes.
    pub fn run(&self) -> Result<()> {
        let What::Ring(ring) = &self.what;
        ring.run()
    }
}

/// Place the time rings and report every hop, and the latency of every pair of stops found in three ways.
#[derive(Args)]
struct Ring {
    /// Stops of each ring; may be given several times.
    #[arg(long, value_name = "N", default_values_t = [4, 8])]
    stops: Vec<u64>,
    /// Registers per hop: 1 or 2.
    #[arg(long, value_name = "S", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=2))]
    hop_registers: u32,
    /// Device, for instance lfe5u-85f-6 or lfe5um5g-85f-8.
    #[arg(long, default_value = "lfe5u-85f-6")]
    device: String,
    /// What slots carry: the fields of a time flit, or the whole flit.
    #[arg(long, value_name = "NAME", default_value = "value", value_parser = ["value", "flit"])]
    embed: String,
    /// Who chooses the places of ring registers: this command, in rows of neighbours, or the placer; by default rows, which
    /// 85k devices have.
    #[arg(long, value_name = "NAME", value_parser = ["rows", "free"])]
    floorplan: Option<String>,
    /// Seeds of the placer.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=1000))]
    seeds: u64,
    /// Ring clock that is wanted, MHz; by default 300, and 400 at speed 8.
    #[arg(long, value_name = "MHZ")]
    target: Option<f64>,
    /// Core clock of the switch, MHz: ring clocks of one to four times as much are reported.
    #[arg(long, value_name = "MHZ", default_value_t = 156.25)]
    core: f64,
    /// Placements at a time.
    #[arg(long, value_name = "N", default_value_t = 1)]
    jobs: usize,
    /// Keep the placements in this file, a line of JSON for each; those it has of the same Verilog, device, clock, seed and tools
    /// are not made again.
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Place nothing: the record has everything, or it is an error.
    #[arg(long, requires = "record")]
    recorded: bool,
    /// Folder to write; by default build/timing-ring, replaced every time.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Replace a folder given with --out.
    #[arg(long)]
    force: bool,
    /// Print the reports as JSON.
    #[arg(long)]
    json: bool,
}

/// A ring of the command line.
struct Subject {
    stops: u32,
    source: Source,
    columns: Columns,
}

impl Ring {
    fn run(&self) -> Result<()> {
        let (device, target_mhz) = self.device()?;
        if dry::is() {
            return Ok(());
        }
        let out = self.out.clone().unwrap_or_else(|| PathBuf::from(DEFAULT_OUT));
        let staged = Staged::new(&out, self.force || self.out.is_none())?;
        let subjects = self.subjects()?;
        let floorplan = self.floorplan(&device)?;
        let source = |subject| self.source_of(subject, &device, target_mhz, floorplan);
        let rings: Vec<RingSource<'_>> = subjects.iter().map(source).collect();
        let rows = self.rows(&rings)?;
        let reports: Vec<RingReport> = subjects
            .iter()
            .zip(&rows)
            .filter_map(|(subject, rows)| {
                let request = RingRequest {
                    device: &device,
                    stops: subject.stops,
                    hop_registers: self.hop_registers,
                    embed: self.embed(),
                    target_mhz,
                    core_mhz: self.core,
                };
                RingReport::new(&request, rows, &subject.columns)
            })
            .collect();
        write(&staged, &reports)?;
        staged.commit()?;
        self.print(&reports, &out)
    }

    fn source_of<'a>(
        &self,
        subject: &'a Subject,
        device: &'a Device,
        target_mhz: f64,
        floorplan: Floorplan,
    ) -> RingSource<'a> {
        RingSource {
            stops: subject.stops,
            hop_registers: self.hop_registers,
            embed: self.embed(),
            source: &subject.source,
            device,
            target_mhz,
            floorplan,
        }
    }

    fn embed(&self) -> Embed {
        match self.embed.as_str() {
            "flit" => Embed::Flit,
            _ => Embed::Value,
        }
    }

    /// The plan that is wanted, or the device's own.
    fn floorplan(&self, device: &Device) -> Result<Floorplan> {
        let own = Floorplan::of_device(device);
        match self.floorplan.as_deref() {
            Some("rows") if own != Floorplan::Rows => {
                let text = "there is a floorplan for 85k devices only; use --floorplan free";
                Err(Failure::usage(format!("device `{}`: {text}", device.name())).into())
            }
            Some("free") => Ok(Floorplan::Free),
            _ => Ok(own),
        }
    }

    /// The device and the clock that is wanted of it.
    fn device(&self) -> Result<(Device, f64)> {
        let device: Device = self.device.parse()?;
        if device.family() != Family::Ecp5 {
            let text = "rings are placed on ECP5 only: 7-series needs tools that are in no package registry";
            return Err(Failure::usage(format!("device `{}`: {text}", device.name())).into());
        }
        let target = self.target.unwrap_or_else(|| goal_of(&device));
        for (option, mhz) in [("--target", target), ("--core", self.core)] {
            if !(1.0..=2000.0).contains(&mhz) {
                return Err(Failure::usage(format!("{option} {mhz}: expected 1 to 2000 MHz")).into());
            }
        }
        Ok((device, target))
    }

    /// The rings, elaborated, with the latencies of all pairs; these must be equal before anything is placed.
    fn subjects(&self) -> Result<Vec<Subject>> {
        let mut stops = self.stops.clone();
        stops.sort_unstable();
        stops.dedup();
        let settings = |stops: &u64| {
            let fixed = [("flit", self.embed().code().into()), ("hop_registers", self.hop_registers)];
            let mut settings = vec![format!("stops={stops}")];
            settings.extend(fixed.map(|(name, value): (&str, u32)| format!("{name}={value}")));
            settings
        };
        // A number of stops that is not built is said before the first simulation.
        let emitted = stops.iter().map(|stops| emit("time_ring", None, &settings(stops)));
        let emitted = emitted.collect::<Result<Vec<_>>>()?;
        let subject = |(stops, emitted): (&u64, &Emitted)| {
            let stops = *stops as u32;
            let columns = Columns::measure(stops, self.hop_registers, self.embed())?;
            columns.check()?;
            Ok::<_, anyhow::Error>(Subject { stops, source: emitted.source(Technology::Ecp5), columns })
        };
        stops.iter().zip(&emitted).map(subject).collect()
    }

    /// The placements.
    fn rows(&self, rings: &[RingSource<'_>]) -> Result<RingRows> {
        let campaign = RingCampaign { seeds: self.seeds, jobs: self.jobs, record: self.record.clone() };
        if self.recorded {
            return Ok(campaign.recorded(rings)?);
        }
        let progress = Terminal::new();
        let toolbox = Toolbox::ensure(RING_TOOLS, &progress)?;
        let work = WorkDirectory::of_home(&Home::from_environment()?);
        let steps = rings.len() * self.seeds as usize;
        progress.event(Event::Note(&format!("{steps} placements")));
        let each = |row: &SeedRow, known: bool| progress.event(Event::Done(&line(row, known)));
        Ok(campaign.run(rings, &toolbox, &work, &each)?)
    }

    fn print(&self, reports: &[RingReport], out: &Path) -> Result<()> {
        if self.json {
            say!("{}", serde_json::to_string_pretty(reports)?)?;
            return Ok(());
        }
        say::text(format_args!("{}", markdown::summary(reports)))?;
        for report in reports {
            report.notes.iter().try_for_each(|note| say!("N = {}: {note}", report.header.stops))?;
        }
        say!("{}", out.display())?;
        Ok(())
    }
}

/// One line for a placement.
fn line(row: &SeedRow, known: bool) -> String {
    let slowest = row.hops.iter().map(|hop| hop.path.mhz()).fold(f64::INFINITY, f64::min);
    let known = if known { " (from the record)" } else { "" };
    format!("N = {} seed {}: slowest hop {slowest:.1} MHz{known}", row.key.stops, row.key.seed)
}

fn write(staged: &Staged, reports: &[RingReport]) -> Result<()> {
    for report in reports {
        let name = format!("ring-{}", report.header.stops);
        let json = serde_json::to_string_pretty(report).context("report as JSON")? + "\n";
        staged.write(&format!("{name}.json"), &json)?;
        staged.write(&format!("{name}.md"), &report.to_markdown())?;
        staged.write(&format!("{name}.svg"), &report.to_svg())?;
    }
    staged.write("summary.md", &markdown::summary(reports))?;
    Ok(staged.write("clock.svg", &picture::plot(reports))?)
}
