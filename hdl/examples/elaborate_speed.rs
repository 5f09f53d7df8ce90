//! Time from a block to its Verilog for every preset of every registered block, slowest last.
//!
//! `cargo run --release -p flitforge-hdl --example elaborate_speed`
#![allow(clippy::expect_used)] // an example that cannot run should say so at once

use flitforge_elaborate::elaborate;
use flitforge_elaborate::verilog::{write, Options};
use flitforge_hdl::registry::{registry, Settings};
use std::time::{Duration, Instant};

/// Runs of each block; the fastest counts.
const RUNS: usize = 3;

struct Row {
    name: String,
    elaborate: Duration,
    write: Duration,
    modules: usize,
    lines: usize,
}

impl Row {
    fn total(&self) -> Duration {
        self.elaborate + self.write
    }
}

fn main() {
    let mut rows = vec![];
    for entry in registry() {
        for preset in entry.presets {
            let settings = Settings::new(entry, Some(preset.name), &[]).expect("a preset fits its block");
            let run = || {
                let built = (entry.build)(&settings).expect("a preset builds");
                let start = Instant::now();
                let design = elaborate(built.block.as_ref(), entry.name).expect("elaborates");
                let elaborated = start.elapsed();
                let text = write(&design, &Options::default());
                let write = start.elapsed() - elaborated;
                let name = format!("{} {}", entry.name, preset.name);
                let (modules, lines) = (design.modules.len(), text.lines().count());
                Row { name, elaborate: elaborated, write, modules, lines }
            };
            rows.extend((0..RUNS).map(|_| run()).min_by_key(Row::total));
        }
    }
    rows.sort_by_key(Row::total);
    println!("{:34} {:>12} {:>12} {:>8} {:>8}", "block and preset", "elaborate", "write", "modules", "lines");
    for Row { name, elaborate, write, modules, lines } in &rows {
        let ms = |time: &Duration| format!("{:.2} ms", time.as_secs_f64() * 1e3);
        println!("{name:34} {:>12} {:>12} {modules:>8} {lines:>8}", ms(elaborate), ms(write));
    }
    let all: Duration = rows.iter().map(Row::total).sum();
    println!("all {} presets: {:.2} ms", rows.len(), all.as_secs_f64() * 1e3);
}
