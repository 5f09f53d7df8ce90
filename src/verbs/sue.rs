//! `flitforge sue`: figures of scale-up Ethernet, and an end of it that talks to others.

mod board;
mod end;
mod hardware;
mod instance;
mod line;
mod pair;
mod tap;

use crate::dry;
use crate::say::say;
use anyhow::Result;
use clap::{Args, Subcommand, ValueEnum};
use flitforge_model::sue::latency::{self, Interleaving, LatencyParts, Row, ROWS};
use serde::Serialize;

/// Figures of scale-up Ethernet, and an end of it that talks to others.
#[derive(Args)]
pub struct Sue {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    Latency(Latency),
    Pair(Box<pair::Pair>),
    Tap(tap::Tap),
}

impl Sue {
    /// Runs.
    pub fn run(&self) -> Result<()> {
        match &self.what {
            What::Latency(latency) => latency.run(),
            What::Pair(pair) => pair.run(),
            What::Tap(tap) => tap.run(),
        }
    }
}

/// Print the one-way latency of the source's table: sender, two cables, one switch, receiver.
#[derive(Args)]
struct Latency {
    /// From the command to the wire, ns.
    #[arg(long, value_name = "NS", default_value_t = 100.0, value_parser = nanoseconds, conflicts_with = "transmit_clocks")]
    transmit: f64,
    /// From the wire to the command, ns.
    #[arg(long, value_name = "NS", default_value_t = 100.0, value_parser = nanoseconds, conflicts_with = "receive_clocks")]
    receive: f64,
    /// The same in clocks, for instance as a test has measured them.
    #[arg(long, value_name = "CLOCKS")]
    transmit_clocks: Option<u32>,
    /// The same in clocks.
    #[arg(long, value_name = "CLOCKS")]
    receive_clocks: Option<u32>,
    /// The clock of these, MHz.
    #[arg(long, value_name = "MHZ", default_value_t = 200.0, value_parser = megahertz)]
    mhz: f64,
    /// The switch, ns.
    #[arg(long, value_name = "NS", default_value_t = 250.0, value_parser = nanoseconds)]
    switch: f64,
    /// Forward error correction of each hop.
    #[arg(long, value_name = "CODE", value_enum, default_value_t = Fec::None)]
    fec: Fec,
    /// Its blocks are interleaved in pairs.
    #[arg(long)]
    pairs: bool,
    /// Rate of a link, Gb/s, for the time of its blocks.
    #[arg(long, value_name = "GBPS", default_value_t = 200, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    rate: u64,
    /// Machine-readable.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Fec {
    /// None.
    None,
    /// RS(544,514).
    Rs544,
    /// RS(272,257).
    Rs272,
}

/// A row as it is printed. Times in nanoseconds.
#[derive(Serialize)]
struct Line {
    metres: u64,
    cable: &'static str,
    one_way: f64,
    /// As the source prints it.
    source: f64,
}

fn number(text: &str, most: f64) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| format!("`{text}` is no number"))?;
    let fits = value.is_finite() && (0.0..=most).contains(&value);
    fits.then_some(value).ok_or(format!("{value}: expected 0 to {most}"))
}

fn nanoseconds(text: &str) -> Result<f64, String> {
    number(text, 1e6)
}

fn megahertz(text: &str) -> Result<f64, String> {
    number(text, 1e4).and_then(|mhz| if mhz < 1.0 { Err("expected 1 MHz or more".into()) } else { Ok(mhz) })
}

/// Nanoseconds as whole picoseconds.
fn picoseconds(nanoseconds: f64) -> u64 {
    (nanoseconds * 1e3).round() as u64
}

impl Latency {
    fn parts(&self) -> LatencyParts {
        let clocks = |clocks: u32| f64::from(clocks) * 1e3 / self.mhz;
        LatencyParts {
            transmit: picoseconds(self.transmit_clocks.map_or(self.transmit, clocks)),
            receive: picoseconds(self.receive_clocks.map_or(self.receive, clocks)),
            switch: picoseconds(self.switch),
            fec: match self.fec {
                Fec::None => latency::Fec::None,
                Fec::Rs544 => latency::Fec::Rs544,
                Fec::Rs272 => latency::Fec::Rs272,
            },
            interleaving: if self.pairs { Interleaving::Pairs } else { Interleaving::None },
            gigabits: self.rate,
        }
    }

    fn run(&self) -> Result<()> {
        if dry::is() {
            return Ok(());
        }
        let parts = self.parts();
        let ns = |picoseconds: u64| picoseconds as f64 / 1e3;
        let line = |row: &Row| Line {
            metres: row.metres,
            cable: row.cable.name(),
            one_way: ns(parts.one_way(row)),
            source: ns(row.printed),
        };
        let lines: Vec<Line> = ROWS.iter().map(line).collect();
        if self.json {
            say!("{}", serde_json::to_string_pretty(&lines)?)?;
            return Ok(());
        }
        say!(
            "transmit {:.1} ns, receive {:.1} ns, switch {:.1} ns, error correction {:.1} ns per hop",
            ns(parts.transmit),
            ns(parts.receive),
            ns(parts.switch),
            ns(parts.fec_of_hop())
        )?;
        for (line, row) in lines.iter().zip(&ROWS) {
            let own = LatencyParts::default().one_way(row);
            let note = if own == row.printed {
                String::new()
            } else {
                format!("; its own terms add up to {:.1}", ns(own))
            };
            say!(
                "{:>3} m {:<18} {:>7.1} ns one way (source {:.1}{note})",
                line.metres,
                line.cable,
                line.one_way,
                line.source
            )?;
        }
        Ok(())
    }
}
