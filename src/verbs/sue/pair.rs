//! `flitforge sue pair`: runs the pair of a board, or its simulation, and shows what it counts.

use super::board::SimulatedPair;
use crate::dry;
use crate::exit::Failure;
use crate::say::say;
use anyhow::Result;
use clap::Args;
use flitforge_fabric::register_line::{sleep, RegisterLine, Wait};
use flitforge_fabric::sue::pair::{Pair as Host, Settings, Table};
use serialport::SerialPort;
use std::io::{Read, Write};
use std::time::Duration;

/// Time limit of the serial port for a character: far more than an answer takes, and the silence that `RegisterLine` waits for.
const PATIENCE: Duration = Duration::from_millis(250);
/// RTO, clocks: the line is short, and test traffic waits for room.
const TIMEOUT: u64 = 20_000;
/// Wrong bits are told per million columns here, and per 2^24 in hardware.
const COLUMNS: u64 = 1 << 24;
const MILLION: u64 = 1_000_000;

/// Run two XPU ports back to back on a board with the design `sue-pair`, or in simulation: set up, start traffic, show counts.
#[derive(Args)]
pub struct Pair {
    /// Serial port of the board, for instance /dev/ttyUSB0.
    #[arg(long, value_name = "FILE", required_unless_present = "simulated")]
    serial: Option<String>,
    /// Bits per second of the port, as the design was built for.
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    baud: u32,
    /// The simulated hardware instead of a board.
    #[arg(long, conflicts_with = "serial")]
    simulated: bool,
    /// Put the serial line of the simulated hardware on a terminal device, show its name, and run until interrupted: for --serial of another `flitforge`.
    #[arg(long, requires = "simulated", conflicts_with = "serial")]
    terminal: bool,
    /// Commands that each end sends; 0: without end.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u64).range(0..=4_294_967_295))]
    commands: u64,
    /// Most data bytes of a command.
    #[arg(long, value_name = "BYTES", default_value_t = 200, value_parser = clap::value_parser!(u64).range(0..=256))]
    data: u64,
    /// All commands have that many bytes, not random lengths up to it.
    #[arg(long)]
    fixed: bool,
    /// Columns of eight bytes with a wrong bit, per million.
    #[arg(long, value_name = "PER_MILLION", default_value_t = 0, value_parser = clap::value_parser!(u64).range(0..=100_000))]
    damage: u64,
    /// Link-layer retry.
    #[arg(long)]
    retry: bool,
    /// Priority flow control.
    #[arg(long)]
    pause: bool,
    /// Show a pair that runs; write nothing.
    #[arg(long)]
    watch: bool,
    /// Time between two tables, milliseconds of the board.
    #[arg(long, value_name = "MS", default_value_t = 1_000, value_parser = clap::value_parser!(u64).range(1..=3_600_000))]
    interval: u64,
    /// Tables after which it ends; 0: when all commands have come, or never without --commands.
    #[arg(long, value_name = "N", default_value_t = 0)]
    tables: u64,
}

impl Pair {
    /// Runs until all commands have come, for so many tables, or until it is stopped.
    pub fn run(&self) -> Result<()> {
        if dry::is() {
            return Ok(());
        }
        if self.terminal {
            return serve_terminal();
        }
        let Some(serial) = &self.serial else {
            let simulated = RegisterLine::new(SimulatedPair::new()?, SimulatedPair::wait as Wait<_>)?;
            return self.serve(simulated, "the simulation");
        };
        let fail = |error: &dyn std::fmt::Display| {
            Failure::files(format!(
                "{serial} at {} baud: {error}; choose another --serial or --baud",
                self.baud
            ))
        };
        let port = serialport::new(serial, self.baud).timeout(PATIENCE).open();
        let port: Box<dyn SerialPort> = port.map_err(|error| fail(&error))?;
        let line = RegisterLine::new(port, sleep).map_err(|error| fail(&error))?;
        self.serve(line, serial)
    }

    fn serve<S: Read + Write>(&self, mut line: RegisterLine<S>, name: &str) -> Result<()> {
        let result = self.show(&mut line);
        match line.take_failure() {
            Some(error) => Err(Failure::files(format!("{name}: {error}")).into()),
            None => result,
        }
    }

    fn settings(&self) -> Settings {
        Settings {
            retry: self.retry,
            pause: self.pause,
            chance: self.damage * COLUMNS / MILLION,
            most: self.data,
            fixed: self.fixed,
            commands: self.commands,
            timeout: TIMEOUT,
        }
    }

    fn show<S: Read + Write>(&self, line: &mut RegisterLine<S>) -> Result<()> {
        use flitforge_protocol::register::RegisterAccess;
        let host = Host::open(line)?;
        if !self.watch {
            host.start(line, &self.settings())?;
        }
        let mut shown = 0;
        loop {
            line.wait_us(self.interval * 1_000);
            let table = host.table(line)?;
            say!("{table}")?;
            shown += 1;
            let ended = self.commands > 0 && !self.watch && self.has_come(&table);
            if ended || shown == self.tables {
                return judge(&table, ended || self.commands == 0 || self.watch);
            }
        }
    }

    fn has_come(&self, table: &Table) -> bool {
        table.is_settled() && table.rows.iter().all(|row| row.sent == self.commands)
    }
}

/// The simulated hardware at one end of a pair of terminal devices, and whoever opens the other one.
#[cfg(unix)]
fn serve_terminal() -> Result<()> {
    let fail = |error: &dyn std::fmt::Display| Failure::files(format!("a terminal device: {error}"));
    let (mut own, other) = serialport::TTYPort::pair().map_err(|error| fail(&error))?;
    let name = other.name().ok_or_else(|| fail(&"it has no name"))?;
    // It stays open, so that one command after the other may open and close it.
    let mut pair = SimulatedPair::new()?;
    say!("{name}: serial line of the simulated hardware, until interrupted")?;
    loop {
        pair.serve(&mut own).map_err(|error| fail(&error))?;
    }
}

/// Elsewhere there are none.
#[cfg(not(unix))]
fn serve_terminal() -> Result<()> {
    Err(Failure::files("terminal devices are those of Unix; use --simulated alone".to_owned()).into())
}

/// Commands that came wrong, or did not come, are a failure.
fn judge(table: &Table, complete: bool) -> Result<()> {
    if !table.is_good() {
        return Err(Failure::check(
            "commands came wrong, or bodies were not delivered; the table says at which end",
        )
        .into());
    }
    match complete {
        true => Ok(()),
        false => {
            Err(Failure::check("not all commands have come; give it more --tables, or a longer --interval")
                .into())
        }
    }
}
