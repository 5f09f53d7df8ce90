//! `flitforge sue tap`: one XPU as a process, of the golden models or with the hardware, on a UDP socket or a TAP interface.

use super::end::{Counted, End, ModelEnd, Outcome};
use super::hardware::HardwareEnd;
use super::line::Line;
use crate::dry;
use crate::exit::Failure;
use crate::say::say;
use anyhow::Result;
use clap::Args;
use flitforge_model::sue::format::network::{Framing, InternetVersion, Tagging};
use flitforge_model::sue::soak::{SoakParameters, WireFaults};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::Serialize;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

/// Send commands to another process of this kind and take its own, in standard encapsulation (Ethernet, IPv4, UDP), each once and in order.
#[derive(Args)]
pub struct Tap {
    /// Which of the two ends this is: XPU 0 or 1.
    #[arg(long, value_name = "0|1", default_value_t = 0, value_parser = clap::value_parser!(u16).range(0..=1))]
    end: u16,
    /// Own UDP address; frames are the datagrams.
    #[arg(long, value_name = "ADDRESS", requires = "to", required_unless_present = "tap")]
    listen: Option<SocketAddr>,
    /// The other end's UDP address.
    #[arg(long, value_name = "ADDRESS", requires = "listen")]
    to: Option<SocketAddr>,
    /// A TAP interface instead (Linux, CAP_NET_ADMIN); it is made if there is none, and has to be set up with `ip link set NAME up`.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["listen", "to"])]
    tap: Option<String>,
    /// The hardware, `sue_top` in native code, in place of the golden models.
    #[arg(long)]
    hardware: bool,
    /// Commands to send, and to expect of the other end.
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    commands: u64,
    /// Most data bytes of a command.
    #[arg(long, value_name = "BYTES", default_value_t = 64, value_parser = clap::value_parser!(u16).range(0..=256))]
    data: u16,
    /// Own frames that are thrown away, per million.
    #[arg(long, value_name = "PER_MILLION", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=900_000))]
    loss: u32,
    /// Most frames to send; a run that is not done by then has failed.
    #[arg(long, value_name = "N")]
    frames: Option<u64>,
    /// Most seconds to run, after hardware is compiled; a run that is not done by then has failed.
    #[arg(long, value_name = "S", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    seconds: u64,
    /// Seed of everything random.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Machine-readable.
    #[arg(long)]
    json: bool,
}

/// RTO of the models, microseconds: processes are not scheduled in nanoseconds.
const RTO: u64 = 50_000;
/// After the last frame that came, an end waits so long for one that its peer sends again; hardware that naps takes longer for it than its RTO.
const LINGER: Duration = Duration::from_millis(500);
/// Pause when there is nothing to do.
const NAP: Duration = Duration::from_micros(100);

/// What came of a run.
#[derive(Serialize)]
struct Report {
    end: u16,
    /// Commands of the other end: each once, in order, unaltered.
    delivered: u64,
    /// Frames sent.
    frames: u64,
    /// Own frames thrown away.
    lost: u64,
    /// What the end has counted.
    #[serde(flatten)]
    outcome: Outcome,
    milliseconds: u128,
}

struct Run<'a> {
    tap: &'a Tap,
    line: Line,
    end: Box<dyn End>,
    random: ChaCha8Rng,
    started: Instant,
    last: Instant,
    frames: u64,
    lost: u64,
}

impl Tap {
    /// Runs until all commands of both ends are through, or until a bound is reached.
    pub fn run(&self) -> Result<()> {
        if dry::is() {
            return Ok(());
        }
        let mut run = Run::new(self)?;
        run.run()?;
        let report = run.report()?;
        if self.json {
            say!("{}", serde_json::to_string_pretty(&report)?)?;
        } else {
            report.print()?;
        }
        Ok(())
    }

    fn parameters(&self) -> SoakParameters {
        SoakParameters {
            xpus: 2,
            framing: Framing::Standard { version: InternetVersion::V4, tagging: Tagging::Untagged },
            vcs: 4,
            commands: self.commands,
            data_bytes: self.data,
            flush: 0,
            window: 16,
            rto: RTO,
            delay: 0,
            faults: WireFaults::default(),
            stalls: 0,
            time_limit: u64::MAX,
            capture: 0,
        }
    }
}

impl<'a> Run<'a> {
    fn new(tap: &'a Tap) -> Result<Self> {
        let line = match (&tap.tap, tap.listen, tap.to) {
            (Some(name), _, _) => Line::tap(name)?,
            (None, Some(own), Some(peer)) => Line::udp(own, peer)?,
            _ => return Err(Failure::usage("--listen and --to, or --tap, are needed").into()),
        };
        let random = |stream: u64| {
            let mut random = ChaCha8Rng::seed_from_u64(tap.seed);
            random.set_stream(2 * u64::from(tap.end) + stream);
            random
        };
        let parameters = tap.parameters();
        let end: Box<dyn End> = match tap.hardware {
            true => Box::new(HardwareEnd::new(tap.end, parameters, random(0))?),
            false => Box::new(ModelEnd::new(tap.end, parameters, random(0))?),
        };
        let now = Instant::now();
        Ok(Run { tap, line, end, random: random(1), started: now, last: now, frames: 0, lost: 0 })
    }

    fn run(&mut self) -> Result<()> {
        while !(self.is_done() && self.last.elapsed() > LINGER) {
            self.check_bounds()?;
            let worked = self.work()?;
            let came = self.receive()?;
            if !worked && !came {
                std::thread::sleep(NAP);
            }
        }
        let delivered = self.end.delivered();
        if delivered != self.tap.commands {
            let text = format!(
                "{delivered} commands came, {} were expected: set both ends to one number",
                self.tap.commands
            );
            return Err(Failure::check(text).into());
        }
        Ok(())
    }

    fn is_done(&self) -> bool {
        let commands = self.tap.commands;
        self.end.offered() >= commands && self.end.is_idle() && self.end.delivered() >= commands
    }

    fn check_bounds(&self) -> Result<()> {
        let Tap { seconds, frames, commands, .. } = self.tap;
        let bound = if self.started.elapsed() > Duration::from_secs(*seconds) {
            format!("{seconds} s")
        } else if frames.is_some_and(|frames| self.frames >= frames) && !self.is_done() {
            format!("{} frames", self.frames)
        } else {
            return Ok(());
        };
        let (delivered, offered) = (self.end.delivered(), self.end.offered());
        let text = format!("after {bound}: {delivered} of {commands} commands delivered, {offered} offered; is the other end there?");
        Err(Failure::check(text).into())
    }

    /// The end goes on, and what it sends goes to the line as far as the bound lets it.
    fn work(&mut self) -> Result<bool> {
        let mut sent = vec![];
        let worked = self.end.work(&mut sent)?;
        for frame in sent {
            if self.tap.frames.is_some_and(|frames| self.frames >= frames) {
                break;
            }
            self.frames += 1;
            if self.random.random_range(0..1_000_000) < self.tap.loss {
                self.lost += 1;
            } else {
                self.line.send(&frame)?;
            }
        }
        Ok(worked)
    }

    fn receive(&mut self) -> Result<bool> {
        if !self.end.has_room() {
            return Ok(false);
        }
        let Some(frame) = self.line.receive()? else { return Ok(false) };
        if self.end.receive(&frame)? {
            self.last = Instant::now();
        }
        Ok(true)
    }

    fn report(&mut self) -> Result<Report> {
        Ok(Report {
            end: self.tap.end,
            delivered: self.end.delivered(),
            frames: self.frames,
            lost: self.lost,
            milliseconds: self.started.elapsed().as_millis(),
            outcome: self.end.outcome()?,
        })
    }
}

impl Report {
    fn print(&self) -> Result<()> {
        let Report { end, delivered, frames, lost, milliseconds, outcome } = self;
        let Outcome { acknowledged, replayed, arrived, hardware } = outcome;
        say!(
            "end {end}: {delivered} commands delivered, each once and in order, {acknowledged} acknowledged; {frames} frames sent, {lost} of them thrown away, {replayed} bodies sent again, {milliseconds} ms"
        )?;
        for (fate, count) in arrived {
            say!("  {count:>8} frames came: {fate}")?;
        }
        let Some(Counted { clocks, timeout, counters, port }) = hardware else { return Ok(()) };
        say!("  hardware: {clocks} clocks, RTO of {timeout}")?;
        for (name, count) in counters {
            say!("  {count:>8} {name}")?;
        }
        for (name, count) in port {
            say!("  {count:>8} {name} of the port")?;
        }
        Ok(())
    }
}
