//! `flitforge bench`: benchmarks, whose figures are ratios measured side by side in one run.

use crate::dry;
use crate::exit::Failure;
use crate::say::say;
use crate::simulators::provide_verilator;
use anyhow::Result;
use clap::{Args, Subcommand};
use flitforge_hdl::registry::{self, BlockEntry, BuiltBlock, Settings, COMPOSITES};
use flitforge_sim::speed::{measure, SpeedPlan, SpeedRow};
use flitforge_sim::SimError;
use indicatif::{ProgressBar, ProgressStyle};
use std::time::Duration;

/// Run a benchmark.
#[derive(Args)]
pub struct Bench {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    Sim(SimBench),
}

/// Simulation speed: the compiled engine beside Verilator and rust-hdl's own simulation.
#[derive(Args)]
struct SimBench {
    /// Designs instead of all: names of blocks, or BLOCK:PRESET.
    designs: Vec<String>,
    /// Milliseconds of one measurement.
    #[arg(long, default_value_t = 300, value_parser = clap::value_parser!(u64).range(10..=60_000))]
    time: u64,
    /// Measurements of each simulator; the medians count.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..=99))]
    rounds: u64,
    /// Machine-readable.
    #[arg(long)]
    json: bool,
}

/// Inputs that keep a value other than 0, so that a block works while it is measured.
const FIXED: &[(&str, &[(&str, u64)])] = &[
    ("link_ltp_tx", &[("active", 1)]),
    ("link_ltp_rx", &[("lanes", 3)]),
    ("link_gearbox_tx", &[("last_lane", 3)]),
    ("link_gearbox_rx", &[("last_lane", 3)]),
    ("link_lane_tx", &[("active", 15)]),
    ("link_lane_rx", &[("active", 15)]),
    ("ltp_loopback", &[("lanes", 3)]),
    ("link_rack", &[("lanes", 3)]),
    ("ring_stop", &[("wait_max", 8), ("copy_trees", 15)]),
];

impl Bench {
    /// Measures and prints.
    pub fn run(&self) -> Result<()> {
        let What::Sim(bench) = &self.what;
        bench.run()
    }
}

impl SimBench {
    fn run(&self) -> Result<()> {
        let designs = self.designs()?;
        if dry::is() {
            return Ok(());
        }
        provide_verilator()?;
        let bar = ProgressBar::new(designs.len() as u64);
        if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} {msg} {elapsed_precise}") {
            bar.set_style(style);
        }
        let mut rows = vec![];
        if !self.json {
            say!("{HEADER}")?;
        }
        for (entry, settings, name) in &designs {
            bar.set_message(name.clone());
            let row = self.row(entry, settings, name)?;
            if !self.json {
                bar.suspend(|| say!("{}", line(&row)))?;
            }
            rows.push(row);
            bar.inc(1);
        }
        bar.finish_and_clear();
        if self.json {
            say!("{}", serde_json::to_string_pretty(&rows)?)?;
        }
        Ok(())
    }

    /// Blocks, their settings and the rows' names.
    fn designs(&self) -> Result<Vec<(&'static BlockEntry, Settings, String)>> {
        if self.designs.is_empty() {
            let all = registry::registry().iter().chain(COMPOSITES);
            return all
                .map(|entry| Ok((entry, Settings::new(entry, None, &[])?, entry.name.into())))
                .collect();
        }
        let named = self.designs.iter().map(|name| {
            let (block, preset) = match name.split_once(':') {
                Some((block, preset)) => (block, Some(preset)),
                None => (name.as_str(), None),
            };
            let entry = match COMPOSITES.iter().find(|entry| entry.name == block) {
                Some(entry) => entry,
                None => registry::find(block)?,
            };
            Ok((entry, Settings::new(entry, preset, &[])?, name.replace(':', "_")))
        });
        named.collect()
    }

    fn row(&self, entry: &BlockEntry, settings: &Settings, name: &str) -> Result<SpeedRow> {
        let built = (entry.build)(settings)?;
        let make = || {
            let built = (entry.build)(settings).map_err(|error| SimError::Elaborate {
                block: entry.name.into(),
                reason: error.to_string(),
            })?;
            Ok(built.block)
        };
        let plan = SpeedPlan {
            name: name.into(),
            make_block: &make,
            fixed: fixed(entry.name, &built),
            time: Duration::from_millis(self.time),
            rounds: self.rounds as usize,
        };
        measure(&plan).map_err(|error| Failure::check(format!("{name}: {error}")).into())
    }
}

/// Streams and flows are random; clears and configuration keep a value.
fn fixed(block: &str, built: &BuiltBlock) -> Vec<(String, u64)> {
    let mut ports = vec![];
    built.block.list("", &mut ports);
    let random = built.interface.stream_inputs();
    let given = FIXED.iter().find(|(name, _)| *name == block).map_or(&[][..], |(_, values)| values);
    let value = |path: &str| given.iter().find(|(name, _)| *name == path).map_or(0, |(_, value)| *value);
    let inputs = ports.iter().filter(|port| port.2 && !built.interface.clocks.contains(&port.0));
    let streams = !built.interface.streams.is_empty();
    let keeps = |path: &str| {
        built.interface.clears.iter().any(|clear| clear == path)
            || streams && !random.iter().any(|name| name == path)
    };
    inputs.filter(|port| keeps(&port.0)).map(|port| (port.0.clone(), value(&port.0))).collect()
}

const HEADER: &str =
    "design                   operations  clocks/s  vs stock  vs Verilator  2 threads  start-up  \
Verilator build  code  instance";

fn line(row: &SpeedRow) -> String {
    let ratio = |value: Option<f64>| value.map_or("-".into(), |value| format!("{value:.2}"));
    let build = row.verilator_build_ms.map_or("cached".into(), |ms| format!("{:.1} s", ms / 1e3));
    format!(
        "{:<24} {:>10} {:>9} {:>9.0} {:>13} {:>10.2} {:>6.1} ms {:>16} {:>5} {:>9}",
        row.design,
        row.operations,
        scaled(row.cycles_per_second),
        row.vs_stock,
        ratio(row.vs_verilator),
        row.two_threads,
        row.start_up_ms,
        build,
        scaled(row.code_bytes as f64),
        scaled(row.instance_bytes as f64),
    )
}

/// Three digits and a prefix.
fn scaled(value: f64) -> String {
    match value {
        value if value >= 1e6 => format!("{:.3} M", value / 1e6),
        value if value >= 1e3 => format!("{:.1} k", value / 1e3),
        value => format!("{value:.0}"),
    }
}
