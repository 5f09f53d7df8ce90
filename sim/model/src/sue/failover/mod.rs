//! Ports that die at random times and return: the scenario `sue-failover` (chapter 50, 4.4 rules 4 and 5; 9, point 11).
//!
//! XPUs with 2 or 4 ports send to one another, one PDU per port and slot. A kill takes one port of one XPU, a port of all XPUs, or all ports of
//! one XPU. An end knows at once that a port of its own is down; that of its peer it learns by silence. FREEZE and OPEN go
//! over the same wires as everything else, which lose PDUs and hold some of them back. Every command gets one status, and what arrived is held against it.

mod end;
mod ledger;
mod management;
mod wire;

use super::ConfigError;
use end::End;
use ledger::Ledger;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::Serialize;
use thiserror::Error;
use wire::Wires;

pub use ledger::Statuses;
pub use management::{Managed, Phase, Step, CM_RTO, CM_TRIES};

/// How ports are chosen, and what happens to a connection that fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FailoverMode {
    /// MODE = unordered: the port with the least to do; failover.
    Unordered,
    /// MODE = strict with STRICT_FO = 1: STRICT_MAP, failover, order is kept.
    StrictFailover,
    /// MODE = strict with STRICT_FO = 0: STRICT_MAP, no failover.
    Strict,
}

impl FailoverMode {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Unordered, Self::StrictFailover, Self::Strict];
}

/// What to run. Times are slots of one PDU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FailoverParameters {
    /// XPUs, 2 to 8; each sends to all others.
    pub xpus: u16,
    /// NPORT, 2 or 4.
    pub ports: u8,
    /// Virtual channels, 1 to 4.
    pub vcs: u8,
    /// How ports are chosen.
    pub mode: FailoverMode,
    /// Kills.
    pub kills: u64,
    /// Slots between two kills on the average.
    pub gap: u64,
    /// Percent of the kills that take all ports of an XPU: nothing can be asked, so commands get status 1 and 3.
    pub blackouts: u32,
    /// PDUs lost, per million.
    pub loss: u32,
    /// Most slots that a PDU is held back when a port on its way dies.
    pub late: u64,
    /// Most slots that a port is down.
    pub down: u64,
    /// Slots that a connection stays closed before OPEN_REQ: longer than anything lives in the network.
    pub quiet: u64,
}

/// What came of it. Serialises to the metrics of the scenario.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FailoverReport {
    /// NPORT.
    pub ports: u8,
    /// How ports were chosen.
    pub mode: FailoverMode,
    /// Kills of one port of one XPU, of one port of all XPUs, of all ports of one XPU.
    pub kills: [u64; 3],
    /// Slots simulated.
    pub slots: u64,
    /// Commands that got a status.
    pub commands: u64,
    /// Commands by status of `cpl`.
    pub status: Statuses,
    /// Commands delivered, each once.
    pub delivered: u64,
    /// FAILOVER: connections whose bodies were handed over.
    pub failovers: u64,
    /// Bodies that went on through another port.
    pub handed_over: u64,
    /// CONN_FAIL: connections whose peer was silent.
    pub connections_failed: u64,
    /// PEER_LOST: connections given up because no port had an answer.
    pub peer_lost: u64,
    /// Connections opened again.
    pub reopened: u64,
    /// CM records sent.
    pub records: u64,
    /// PDUs and records that were held back by a dying port and came later.
    pub late: u64,
    /// Bodies that reached a frozen connection and were dropped.
    pub frozen: u64,
}

/// Why a run failed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum FailoverError {
    /// Settings that cannot work.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A command that the packer refuses.
    #[error(transparent)]
    Command(#[from] super::CommandError),
    /// A parameter out of range.
    #[error("{name} of {value}: has to be {least} to {most}")]
    Range {
        /// The parameter.
        name: &'static str,
        /// Its value.
        value: u64,
        /// Least value.
        least: u64,
        /// Largest value.
        most: u64,
    },
    /// NPORT.
    #[error("{ports} ports: there must be 2 or 4")]
    Ports {
        /// NPORT.
        ports: u8,
    },
    /// A promise about a command is broken.
    #[error("slot {slot}, command {command} of XPU {source_xpu} to {destination}, VC {vc}: {broken}")]
    Broken {
        /// When.
        slot: u64,
        /// Its number.
        command: u64,
        /// The sender.
        source_xpu: u16,
        /// The receiver.
        destination: u16,
        /// Virtual channel.
        vc: u8,
        /// What happened.
        broken: &'static str,
    },
    /// Commands without a status.
    #[error("{count} commands have no status {slots} slots after the last kill, the first is {first}")]
    NoStatus {
        /// How many.
        count: u64,
        /// The first of them.
        first: u64,
        /// Slots since the last kill.
        slots: u64,
    },
}

/// Slots after the last kill in which all has to come to an end.
const PATIENCE: u64 = 200_000;

impl FailoverParameters {
    /// Refuses numbers that cannot work.
    pub fn check(&self) -> Result<(), FailoverError> {
        if ![2, 4].contains(&self.ports) {
            return Err(FailoverError::Ports { ports: self.ports });
        }
        let ranges = [
            ("xpus", u64::from(self.xpus), 2, 8),
            ("vcs", self.vcs.into(), 1, 4),
            ("gap", self.gap, 1, 100_000),
            ("down", self.down, 1, 100_000),
            ("blackouts", self.blackouts.into(), 0, 100),
            ("loss", self.loss.into(), 0, 500_000),
        ];
        ranges.into_iter().try_for_each(|(name, value, least, most)| {
            let fits = (least..=most).contains(&value);
            fits.then_some(()).ok_or(FailoverError::Range { name, value, least, most })
        })
    }
}

/// Runs all kills, then until every command has its status. `progress` gets kills done and to do.
pub fn failover(
    parameters: &FailoverParameters,
    seed: u64,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<FailoverReport, FailoverError> {
    parameters.check()?;
    let mut run = Run::new(*parameters, seed)?;
    let mut next_kill = run.gap();
    let mut killed = 0;
    while killed < parameters.kills {
        if run.now == next_kill {
            run.kill();
            killed += 1;
            next_kill += run.gap();
            progress(killed, parameters.kills);
        }
        run.slot(true)?;
    }
    let last = run.now;
    while !run.ledger.is_done() {
        if run.now > last + PATIENCE {
            return Err(run.ledger.no_status(run.now - last));
        }
        run.slot(false)?;
    }
    // what is still on its way must not be delivered a second time
    for _ in 0..parameters.late + parameters.quiet {
        run.slot(false)?;
    }
    Ok(run.report())
}

/// A port that is down, and until when.
#[derive(Debug, Clone, Copy)]
struct Down {
    xpu: u16,
    port: u8,
    until: u64,
}

struct Run {
    parameters: FailoverParameters,
    now: u64,
    ends: Vec<End>,
    wires: Wires,
    ledger: Ledger,
    down: Vec<Down>,
    kills: [u64; 3],
    random: ChaCha8Rng,
}

impl Run {
    fn new(parameters: FailoverParameters, seed: u64) -> Result<Self, FailoverError> {
        let random = |stream: u64| {
            let mut random = ChaCha8Rng::seed_from_u64(seed);
            random.set_stream(stream);
            random
        };
        let end = |number: u16| End::new(number, parameters, random(u64::from(number) + 2));
        Ok(Run {
            parameters,
            now: 0,
            ends: (0..parameters.xpus).map(end).collect::<Result<_, _>>()?,
            wires: Wires::new(parameters.loss, parameters.late, random(1)),
            ledger: Ledger::new(parameters.mode != FailoverMode::Unordered),
            down: vec![],
            kills: [0; 3],
            random: random(0),
        })
    }

    fn gap(&mut self) -> u64 {
        self.random.random_range(1..=2 * self.parameters.gap)
    }

    fn kill(&mut self) {
        let FailoverParameters { xpus, ports, blackouts, down, .. } = self.parameters;
        let (xpu, port) = (self.random.random_range(0..xpus), self.random.random_range(0..ports));
        let kind = match self.random.random_range(0..100) {
            chance if chance < blackouts => 2,
            chance => usize::from(chance % 3 == 0),
        };
        self.kills[kind] += 1;
        let victims: Vec<(u16, u8)> = match kind {
            0 => vec![(xpu, port)],
            1 => (0..xpus).map(|xpu| (xpu, port)).collect(),
            _ => (0..ports).map(|port| (xpu, port)).collect(),
        };
        // some return before their peers have noticed, others long after
        let until = self.now + self.random.random_range(1..=down);
        for (xpu, port) in victims {
            self.down.retain(|down| (down.xpu, down.port) != (xpu, port));
            self.down.push(Down { xpu, port, until });
            self.wires.port_down(xpu, port);
            self.ends[usize::from(xpu)].port_down(port, self.now);
        }
    }

    fn slot(&mut self, offers: bool) -> Result<(), FailoverError> {
        let now = self.now;
        self.ledger.now = now;
        let (back, down) = self.down.iter().partition(|down| down.until <= now);
        self.down = down;
        let back: Vec<Down> = back;
        back.iter().for_each(|one| self.ends[usize::from(one.xpu)].port_up(one.port));
        while let Some(arrival) = self.wires.arrival(now) {
            if let Some(end) = self.ends.get_mut(usize::from(arrival.to)) {
                end.receive(arrival, now, &mut self.ledger)?;
            }
        }
        for end in &mut self.ends {
            if offers {
                end.offer(&mut self.ledger)?;
            }
            end.work(now, &mut self.ledger)?;
            for port in 0..self.parameters.ports {
                if let Some((to, item)) = end.transmit(port, now) {
                    self.wires.send(wire::Way { from: end.number(), to, port }, item, now);
                }
            }
        }
        self.now += 1;
        Ok(())
    }

    fn report(self) -> FailoverReport {
        let sum = |of: &dyn Fn(&End) -> u64| self.ends.iter().map(of).sum::<u64>();
        FailoverReport {
            ports: self.parameters.ports,
            mode: self.parameters.mode,
            kills: self.kills,
            slots: self.now,
            commands: self.ledger.commands(),
            status: *self.ledger.statuses(),
            delivered: self.ledger.delivered(),
            failovers: sum(&|end| end.endpoint().sender().counters().failover),
            handed_over: sum(&|end| end.tally().handed_over),
            connections_failed: sum(&|end| end.tally().connections_failed),
            peer_lost: sum(&|end| end.tally().peer_lost),
            reopened: sum(&|end| end.tally().reopened),
            records: sum(&|end| end.tally().records),
            late: self.wires.late(),
            frozen: sum(&|end| end.endpoint().receiver().counters().frozen),
        }
    }
}
