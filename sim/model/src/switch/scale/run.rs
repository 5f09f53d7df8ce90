//! The run.

use super::host::{ArriveError, Host};
use super::ledger::{Broken, Ledger};
use super::topology::{End, Plan, Topology, HOSTS};
use super::wire::Wire;
use crate::control::Control;
use crate::counters::Counters;
use crate::packet::PacketRules;
use crate::pair::{BitErrorRate, Violation};
use crate::switch::{SentBeat, Switch, SwitchError, SwitchRules};
use flitforge_protocol::counter::LinkCounter;
use flitforge_protocol::lane_word::MAX_LANES;
use flitforge_protocol::packet::MAX_PAYLOAD_BYTES;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::Serialize;
use std::collections::BTreeMap;
use thiserror::Error;

/// What to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScaleParameters {
    /// How the switches are connected.
    pub plan: Plan,
    /// Flits to deliver to endpoints.
    pub flits: u64,
    /// Load of every endpoint in percent of its clocks.
    pub load: u32,
    /// Largest payload in bytes; sizes are random up to it.
    pub payload: usize,
    /// Lanes that become noisy.
    pub faults: usize,
    /// Bit error rate of such a lane.
    pub noise: BitErrorRate,
    /// Packets may take two ways; then they come once, but not in order.
    pub adapt: bool,
    /// MARK_AU of all switches.
    pub mark_units: u16,
}

/// What came of it. Serialises to the metrics of the scenario.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ScaleReport {
    /// Flits of packets that came to endpoints.
    pub flits: u64,
    /// Packets that were sent, and that came.
    pub packets: [u64; 2],
    /// Core clocks.
    pub clocks: u64,
    /// Links.
    pub links: usize,
    /// Lanes that became noisy.
    pub faults: usize,
    /// Lanes removed.
    pub removed: u64,
    /// LTPs with errors that were found.
    pub bad_ltps: u64,
    /// LTPs given up because a link started afresh.
    pub lost_on_reset: u64,
    /// Packets that came with fecn.
    pub marked: u64,
    /// Packets that took the other way, at all switches.
    pub alt_taken: u64,
    /// NO_ROUTE and LIFE_DROP of all switches.
    pub dropped: u64,
    /// Times that the credits of all links were added up.
    pub audits: u64,
    /// Counters of all links together, those that are not zero.
    pub counters: BTreeMap<String, u64>,
}

/// A run that failed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ScaleError {
    /// Something that cannot be built, or credits that cannot be.
    #[error("clock {clock}, seed {seed:#x}: {error}")]
    Switch {
        /// The seed, to repeat the run.
        seed: u64,
        /// When.
        clock: u64,
        /// What.
        error: SwitchError,
    },
    /// A promise of a link was broken.
    #[error("clock {clock}, seed {seed:#x}, link {link}: {violation}")]
    Link {
        /// The seed, to repeat the run.
        seed: u64,
        /// When.
        clock: u64,
        /// Number of the link.
        link: usize,
        /// The broken promise.
        violation: Violation,
    },
    /// A promise of the fabric was broken.
    #[error("clock {clock}, seed {seed:#x}: {broken}")]
    Broken {
        /// The seed, to repeat the run.
        seed: u64,
        /// When.
        clock: u64,
        /// The broken promise.
        broken: Broken,
    },
    /// Credits do not add up to the buffer.
    #[error(
        "clock {clock}, seed {seed:#x}, link {link} from end {from}, lane {vl}: {found} AU of {expected}"
    )]
    Credits {
        /// The seed, to repeat the run.
        seed: u64,
        /// When.
        clock: u64,
        /// Number of the link.
        link: usize,
        /// Which end sends.
        from: usize,
        /// Lane.
        vl: usize,
        /// AU found.
        found: u32,
        /// AU of the buffer.
        expected: u32,
    },
    /// Nothing moves any more.
    #[error(
        "clock {clock}, seed {seed:#x}: no packet came for {STUCK_CLOCKS} clocks, {missing} are missing"
    )]
    Stuck {
        /// The seed, to repeat the run.
        seed: u64,
        /// When.
        clock: u64,
        /// Packets missing.
        missing: u64,
    },
}

/// Clocks without a packet that mean that nothing moves: much longer than a link takes to train again.
pub const STUCK_CLOCKS: u64 = 30_000;
/// Clocks between two audits of all credits.
const AUDIT_CLOCKS: u64 = 1_000;
/// Clocks at the end in which the last credits come back.
const LAST_CLOCKS: u64 = 2_000;
/// Virtual lanes; the highest is the management's and carries nothing here.
const LANES: usize = 4;

/// All devices and links.
struct Fabric {
    topology: Topology,
    hosts: Vec<Host>,
    switches: Vec<Switch>,
    wires: Vec<Wire>,
    ledger: Ledger,
    clock: u64,
    audits: u64,
}

/// Something went wrong; [`Fabric::failed`] adds when.
enum Wrong {
    Switch(SwitchError),
    Broken(Broken),
    Link(usize, Violation),
    Credits { link: usize, from: usize, vl: usize, found: u32, expected: u32 },
}

impl From<SwitchError> for Wrong {
    fn from(error: SwitchError) -> Self {
        Wrong::Switch(error)
    }
}

impl From<ArriveError> for Wrong {
    fn from(error: ArriveError) -> Self {
        match error {
            ArriveError::Switch(error) => Wrong::Switch(error),
            ArriveError::Broken(broken) => Wrong::Broken(broken),
        }
    }
}

/// How the switches of a run are built.
fn rules(topology: &Topology) -> SwitchRules {
    let packets = PacketRules { flits: 2, mtu: MAX_PAYLOAD_BYTES, lanes: LANES, management: true };
    SwitchRules::new(topology.ports, packets)
}

impl Fabric {
    fn new(parameters: &ScaleParameters, seed: u64) -> Result<Self, SwitchError> {
        let topology = Topology::new(parameters.plan, parameters.adapt);
        let rules = rules(&topology);
        let mut switches = Vec::new();
        for routes in &topology.routes {
            let mut switch = Switch::new(rules.clone())?;
            for (index, entry) in routes.iter().enumerate() {
                switch.routes_mut().set(index, *entry)?;
            }
            switch.settings_mut().mark_units = parameters.mark_units;
            switch.settings_mut().adapt_lanes = u16::MAX * u16::from(parameters.adapt);
            switches.push(switch);
        }
        for end in topology.links.iter().flatten() {
            if let End::Port { switch, port } = *end {
                switches[switch].set_link(port, true)?;
            }
        }
        let wire = |link: usize| Wire::new(rules.packets.flits, seed.wrapping_add(2 * link as u64));
        Ok(Fabric {
            hosts: (0..HOSTS).map(|host| Host::new(host, &rules, seed)).collect::<Result<_, _>>()?,
            wires: (0..topology.links.len()).map(wire).collect::<Result<_, _>>()?,
            ledger: Ledger::new(HOSTS, LANES, !parameters.adapt, parameters.payload, seed),
            switches,
            topology,
            clock: 0,
            audits: 0,
        })
    }

    fn clock(&mut self, load: u32) -> Result<(), Wrong> {
        for link in 0..self.wires.len() {
            self.wires[link].clock(self.clock).map_err(|violation| Wrong::Link(link, violation))?;
            for from in 0..2 {
                if let Some(sent) = self.wires[link].receive(from) {
                    self.arrive(self.topology.links[link][1 - from], &sent)?;
                }
            }
        }
        for host in &mut self.hosts {
            host.clock(load, HOSTS, &mut self.ledger)?;
        }
        for switch in &mut self.switches {
            switch.clock()?;
        }
        for link in 0..self.wires.len() {
            for from in 0..2 {
                if !self.wires[link].has_room(from) {
                    continue;
                }
                let beat = match self.topology.links[link][from] {
                    End::Host(host) => self.hosts[host].send()?,
                    End::Port { switch, port } => self.switches[switch].send(port)?,
                };
                if let Some(beat) = beat {
                    self.wires[link].send(from, beat);
                }
            }
        }
        self.clock += 1;
        if self.clock % AUDIT_CLOCKS == 0 {
            self.audit()?;
        }
        Ok(())
    }

    fn arrive(&mut self, to: End, sent: &SentBeat) -> Result<(), Wrong> {
        match to {
            End::Host(host) => {
                self.hosts[host].arrive(&sent.flits, &mut self.ledger)?;
            }
            End::Port { switch, port } => {
                self.switches[switch].arrive(port, &sent.flits)?;
            }
        }
        Ok(())
    }

    /// AU that the sender at an end has.
    fn available(&self, end: End, vl: usize) -> Result<u32, SwitchError> {
        match end {
            End::Host(host) => Ok(self.hosts[host].transmit.available(vl)),
            End::Port { switch, port } => self.switches[switch].available(port, vl),
        }
    }

    /// AU in the buffer at an end, occupied and pending together.
    fn buffered(&self, end: End, vl: usize) -> Result<u32, SwitchError> {
        match end {
            End::Host(host) => Ok(self.hosts[host].credit.occupied(vl) + self.hosts[host].credit.pending(vl)),
            End::Port { switch, port } => {
                self.switches[switch].buffer(port, vl).map(|(held, free)| held + free)
            }
        }
    }

    /// Sender, on the way, occupied, pending and on the way back: the buffer, for every lane of every link.
    fn audit(&mut self) -> Result<(), Wrong> {
        let rules = rules(&self.topology);
        let (credits, expected) = (rules.credits(), rules.buffer_units());
        for (link, (ends, wire)) in self.topology.links.iter().zip(&self.wires).enumerate() {
            for from in 0..2 {
                let mut sums = [0; LANES];
                for (vl, sum) in sums.iter_mut().enumerate() {
                    *sum = self.available(ends[from], vl)? + self.buffered(ends[1 - from], vl)?;
                }
                for beat in wire.in_flight(from) {
                    if let Some(vl) = beat.vl {
                        sums[vl] += beat.units;
                    }
                }
                for flit in wire.in_flight(1 - from).flat_map(|beat| &beat.flits) {
                    if let Ok(Control::CrdtRet { codes }) = Control::decode(*flit) {
                        (0..LANES).for_each(|vl| sums[vl] += credits.units_of(codes[vl]));
                    }
                }
                if let Some(vl) = (0..LANES).find(|vl| sums[*vl] != expected) {
                    return Err(Wrong::Credits { link, from, vl, found: sums[vl], expected });
                }
            }
        }
        self.audits += 1;
        Ok(())
    }

    fn failed(&self, seed: u64, wrong: Wrong) -> ScaleError {
        let clock = self.clock;
        match wrong {
            Wrong::Switch(error) => ScaleError::Switch { seed, clock, error },
            Wrong::Broken(broken) => ScaleError::Broken { seed, clock, broken },
            Wrong::Link(link, violation) => ScaleError::Link { seed, clock, link, violation },
            Wrong::Credits { link, from, vl, found, expected } => {
                ScaleError::Credits { seed, clock, link, from, vl, found, expected }
            }
        }
    }

    fn report(&self, faults: usize) -> ScaleReport {
        let mut counters = Counters::new();
        let mut lost_on_reset = 0;
        for wire in &self.wires {
            for end in 0..2 {
                counters.merge(&wire.pair().port(end).counters());
                lost_on_reset += wire.pair().monitor(end).lost_on_reset;
                if let Some(watch) = wire.pair().watch(end) {
                    counters.merge(watch.isolate().counters());
                    counters.merge(watch.degrade().counters());
                }
            }
        }
        let sum = |of: &dyn Fn(&Switch) -> u64| self.switches.iter().map(of).sum();
        let dropped = |switch: &Switch| {
            let counters = switch.counters();
            counters.no_route.iter().chain(&counters.life_drop).sum()
        };
        ScaleReport {
            flits: self.ledger.flits,
            packets: [self.ledger.sent, self.ledger.delivered],
            clocks: self.clock,
            links: self.wires.len(),
            faults,
            removed: self.wires.iter().map(|wire| wire.removals.len() as u64).sum(),
            bad_ltps: counters.get(LinkCounter::RxBad),
            lost_on_reset,
            marked: self.ledger.marked,
            alt_taken: sum(&|switch| switch.counters().alt_taken),
            dropped: sum(&dropped),
            audits: self.audits,
            counters: counters.nonzero().map(|(name, value)| (name.to_string(), value)).collect(),
        }
    }
}

/// Runs until `flits` flits have come to endpoints and everything sent has come. Lanes fail at random links, one after
/// the other, while the first three quarters come. `progress` is called with flits that came and were asked for.
pub fn scale(
    parameters: &ScaleParameters,
    seed: u64,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<ScaleReport, ScaleError> {
    let first = |error| ScaleError::Switch { seed, clock: 0, error };
    let mut fabric = Fabric::new(parameters, seed).map_err(first)?;
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (mut faults, mut last) = (0, (0, 0));
    while fabric.ledger.flits < parameters.flits || fabric.ledger.delivered < fabric.ledger.sent {
        let due = |fault: usize| parameters.flits / 4 * 3 * fault as u64 / parameters.faults.max(1) as u64;
        if faults < parameters.faults && fabric.ledger.flits >= due(faults) {
            let link = rng.random_range(0..fabric.wires.len());
            let (from, lane) = (rng.random_range(0..2), rng.random_range(0..MAX_LANES));
            fabric.wires[link].disturb(from, lane, parameters.noise);
            faults += 1;
        }
        let load = if fabric.ledger.flits < parameters.flits { parameters.load } else { 0 };
        fabric.clock(load).map_err(|wrong| fabric.failed(seed, wrong))?;
        if fabric.ledger.delivered > last.1 {
            last = (fabric.clock, fabric.ledger.delivered);
        } else if fabric.clock - last.0 > STUCK_CLOCKS {
            let missing = fabric.ledger.sent - fabric.ledger.delivered;
            return Err(ScaleError::Stuck { seed, clock: fabric.clock, missing });
        }
        if fabric.clock % AUDIT_CLOCKS == 0 {
            progress(fabric.ledger.flits.min(parameters.flits), parameters.flits);
        }
    }
    for _ in 0..LAST_CLOCKS {
        fabric.clock(0).map_err(|wrong| fabric.failed(seed, wrong))?;
    }
    progress(parameters.flits, parameters.flits);
    Ok(fabric.report(faults))
}
