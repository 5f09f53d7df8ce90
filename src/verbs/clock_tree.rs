//! `flitforge clock-tree`: programs and watches the clock tree of a board over its serial port.

use crate::dry;
use crate::exit::Failure;
use crate::say::{self, say};
use anyhow::Result;
use clap::Args;
use flitforge_fabric::clock_tree::{start, table, topology, wait_for_lock, Settings};
use flitforge_fabric::manager::tables::LinkMeasurement;
use flitforge_fabric::register_line::{sleep, RegisterLine};
use serialport::SerialPort;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Time limit of the serial port for a character: far more than an answer takes, and the silence that `RegisterLine` waits for.
const PATIENCE: Duration = Duration::from_millis(250);
/// K of a link measurement.
const ROUNDS_LOG2: u32 = 4;
/// The two ends of a link may differ by so much, 1/256 ns.
const TOLERANCE: i64 = 64;
/// Time between two looks at tables of slaves that are not locked yet, microseconds.
const LOOK_US: u64 = 100_000;

/// Program the clock tree of a board over its serial port, and show its slaves' offset and drift again and again.
///
/// Links are measured, the master's time is set to that of this computer, and offsets, paths and roles are written.
#[derive(Args)]
pub struct ClockTree {
    /// Serial port of the board, for instance /dev/ttyUSB0.
    #[arg(long, value_name = "FILE")]
    serial: String,
    /// Bits per second of the port, as the design was built for.
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    baud: u32,
    /// Show one table, once the slaves are locked, and end; an error if they are not within a minute.
    #[arg(long)]
    once: bool,
    /// Write nothing: show a tree that runs.
    #[arg(long)]
    watch: bool,
    /// Time between two tables, milliseconds.
    #[arg(long, value_name = "MS", default_value_t = 1000)]
    interval: u64,
    /// Time between two messages of the master, 2^20 ns, as the slaves' servos were built for.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=4095))]
    period: u64,
}

/// Seconds that slaves have to lock.
const LOCK_SECONDS: u64 = 60;

impl ClockTree {
    /// Runs until it is stopped, or to the first table.
    pub fn run(&self) -> Result<()> {
        if dry::is() {
            return Ok(());
        }
        let mut line = self.open()?;
        let result = self.serve(&mut line);
        match line.take_failure() {
            Some(error) => Err(Failure::files(format!("{}: {error}", self.serial)).into()),
            None => result,
        }
    }

    fn open(&self) -> Result<RegisterLine<Box<dyn SerialPort>>, Failure> {
        let fail = |error: &dyn std::fmt::Display| {
            let (port, baud) = (&self.serial, self.baud);
            Failure::files(format!("{port} at {baud} baud: {error}; choose another --serial or --baud"))
        };
        let port = serialport::new(&self.serial, self.baud).timeout(PATIENCE).open();
        let port = port.map_err(|error| fail(&error))?;
        RegisterLine::new(port, sleep).map_err(|error| fail(&error))
    }

    fn serve(&self, line: &mut RegisterLine<Box<dyn SerialPort>>) -> Result<()> {
        if self.watch {
            topology(line)?;
        } else {
            self.start(line)?;
        }
        if self.once {
            say::text(format_args!("{}", wait_for_lock(line, LOOK_US, LOCK_SECONDS)?))?;
            return Ok(());
        }
        loop {
            say!("{}", table(line)?)?;
            std::thread::sleep(Duration::from_millis(self.interval));
        }
    }

    fn start(&self, line: &mut RegisterLine<Box<dyn SerialPort>>) -> Result<()> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let settings = Settings {
            time: now.as_nanos() as u64,
            period: self.period,
            links: LinkMeasurement { rounds_log2: ROUNDS_LOG2, asymmetry: 0, tolerance: TOLERANCE },
        };
        let (_, plan) = start(line, &settings)?;
        for (device, offset) in plan.offsets.rows {
            say!("device {device}: {:.3} ns behind the master", offset as f64 / 256.0)?;
        }
        say!("")?;
        Ok(())
    }
}
