//! The manager library of the link (chapter 10, section 7): brings ports up, reads counters as differences, keeps a
//! history of every lane, proposes removal and restoring of lanes, writes routing tables.
//!
//! It reaches devices through [`RegisterAccess`] only, so the same code runs on simulations and on boards. It holds no
//! thread and no clock: [`LinkManager::poll`] is called as often as its user wants a sample.
//!
//! | module | content |
//! |---|---|
//! | [`sample`] | counters of a port as differences |
//! | [`history`] | what each lane did over the last samples, and what that proposes |
//! | [`routes`] | routing tables of switches |

pub mod history;
pub mod routes;
pub mod sample;

use flitforge_protocol::lane_word::MAX_LANES;
use flitforge_protocol::link::LinkState;
use flitforge_protocol::link_registers::{self as page, cap, ctrl, id, lanes, status, PAGE_BYTES, PAGE_ID};
use flitforge_protocol::register::{PageAccess, RegisterValue};
use sample::Counted;
use std::collections::BTreeMap;
use std::fmt;
use thiserror::Error;

pub use flitforge_protocol::register::{AccessError, DeviceId, RegisterAccess};
pub use history::{Action, LaneHistory, LaneRules, Proposal};
pub use sample::{LaneSample, PortSample};

/// A port of a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PortId {
    /// Device.
    pub device: DeviceId,
    /// Number of the port, and of its register page.
    pub port: u32,
}

impl fmt::Display for PortId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "device {}, port {}", self.device, self.port)
    }
}

/// Times and thresholds.
#[derive(Debug, Clone, PartialEq)]
pub struct LinkManagerConfig {
    /// Microseconds a port may take to come up.
    pub up_limit_us: u64,
    /// Microseconds between two looks at its state meanwhile.
    pub up_poll_us: u64,
    /// When lanes are proposed for removal and for restoring.
    pub lanes: LaneRules,
}

impl Default for LinkManagerConfig {
    /// A second to come up, looked at every millisecond; the default lane rules.
    fn default() -> Self {
        LinkManagerConfig { up_limit_us: 1_000_000, up_poll_us: 1_000, lanes: LaneRules::default() }
    }
}

impl LinkManagerConfig {
    /// Refuses times and thresholds that make no sense.
    pub fn check(&self) -> Result<(), LinkManagerError> {
        let wrong = |parameter, expected| Err(LinkManagerError::Config { parameter, expected });
        match self {
            _ if self.up_poll_us == 0 => wrong("up_poll_us", "at least 1"),
            _ if self.up_limit_us < self.up_poll_us => wrong("up_limit_us", "at least up_poll_us"),
            _ if self.lanes.samples == 0 => wrong("lanes.samples", "at least 1"),
            _ if self.lanes.min_ltps == 0 => wrong("lanes.min_ltps", "at least 1"),
            _ if self.lanes.restore_after == 0 => wrong("lanes.restore_after", "at least 1"),
            _ => Ok(()),
        }
    }
}

/// Why the manager could not do what it was asked to, or what it has to report.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum LinkManagerError {
    /// A register could not be reached.
    #[error(transparent)]
    Access(#[from] AccessError),
    /// A setting of the manager.
    #[error("link manager: {parameter}: give {expected}")]
    Config {
        /// Name.
        parameter: &'static str,
        /// What it may be.
        expected: &'static str,
    },
    /// No page of a link port there.
    #[error("{port}: register ID reads {found:#x} where a port has {PAGE_ID:#x}; check device, port number and bus")]
    NoPort {
        /// Port.
        port: PortId,
        /// What ID reads.
        found: u64,
    },
    /// The link does not come up.
    #[error("{port}: the link is {} after {waited_us} us; check cable, peer and the lanes both ends allow", .state.map_or("in no known state", LinkState::name))]
    NotUp {
        /// Port.
        port: PortId,
        /// The last state, if it is one.
        state: Option<LinkState>,
        /// How long it had.
        waited_us: u64,
    },
    /// LTPs may be lost; the sample with everything else is [`LinkManager::last`].
    #[error("{port}: the link started afresh with {ltps} LTPs not known to be delivered; what they carried must be sent again")]
    LostOnReset {
        /// Port.
        port: PortId,
        /// LTPs.
        ltps: u64,
    },
    /// A lane that is not there, or the last one.
    #[error("{port}: lane {lane} cannot be removed: {problem}")]
    Lane {
        /// Port.
        port: PortId,
        /// Lane, by the sender's number.
        lane: usize,
        /// Why.
        problem: &'static str,
    },
    /// No page of a switch there.
    #[error("device {device}: register ID of the switch page reads {found:#x}; check the device and its number of ports")]
    NoSwitch {
        /// Device.
        device: DeviceId,
        /// What ID reads.
        found: u64,
    },
    /// A route that the switch cannot have.
    #[error("device {device}, route {index}: {parameter} is {value}; give {expected}")]
    Route {
        /// Device.
        device: DeviceId,
        /// Destination.
        index: u32,
        /// What is wrong.
        parameter: &'static str,
        /// Given.
        value: u32,
        /// What it may be.
        expected: String,
    },
    /// A register does not hold what was written.
    #[error("device {device}, {what}: {written:#x} was written, {read:#x} is there")]
    Refused {
        /// Device.
        device: DeviceId,
        /// What.
        what: String,
        /// Written.
        written: u64,
        /// Found.
        read: u64,
    },
}

/// What a port is and does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PortStatus {
    /// State; `None` for a code that is none.
    pub state: Option<LinkState>,
    /// Lanes in use, transmit and receive direction.
    pub lanes: [u64; 2],
    /// Starts of the link, modulo 2^16.
    pub epoch: u64,
    /// The peer's GUID; 0 before training.
    pub peer: u64,
}

impl PortStatus {
    /// Carries traffic.
    #[must_use]
    pub fn is_up(&self) -> bool {
        matches!(self.state, Some(LinkState::Active | LinkState::Degraded))
    }
}

/// What the manager remembers of a port.
#[derive(Debug, Clone, Default)]
struct Record {
    counted: Counted,
    last: Option<PortSample>,
    lanes: [LaneHistory; MAX_LANES],
}

/// The manager of any number of ports.
#[derive(Debug, Clone)]
pub struct LinkManager {
    config: LinkManagerConfig,
    ports: BTreeMap<PortId, Record>,
}

pub(crate) fn access<A: RegisterAccess + ?Sized>(bus: &mut A, port: PortId) -> PageAccess<'_, A> {
    PageAccess::new(bus, port.device, port.port * PAGE_BYTES)
}

impl LinkManager {
    /// A manager that knows no port yet.
    pub fn new(config: LinkManagerConfig) -> Result<Self, LinkManagerError> {
        config.check()?;
        Ok(LinkManager { config, ports: BTreeMap::new() })
    }

    /// Reads state, widths, epoch and peer.
    pub fn status<A: RegisterAccess + ?Sized>(
        &self,
        bus: &mut A,
        port: PortId,
    ) -> Result<PortStatus, LinkManagerError> {
        let mut registers = access(bus, port);
        let now: status::Value = registers.read()?;
        let peer: page::peer_guid::Value = registers.read()?;
        let state = u8::try_from(now.state).ok().and_then(LinkState::from_code);
        Ok(PortStatus { state, lanes: [now.tx_lanes, now.rx_lanes], epoch: now.epoch, peer: peer.value })
    }

    /// Enables a port, unless it carries traffic already, and does not wait: the other end may be enabled next. Counters count from
    /// here.
    pub fn enable<A: RegisterAccess + ?Sized>(
        &mut self,
        bus: &mut A,
        port: PortId,
    ) -> Result<PortStatus, LinkManagerError> {
        self.begin(bus, port)?;
        let now = self.status(bus, port)?;
        if !now.is_up() {
            access(bus, port).write(ctrl::Value { enable: 1, ..Default::default() })?;
        }
        Ok(now)
    }

    /// Enables a port and waits until it carries traffic; the other end has to be enabled by then.
    pub fn bring_up<A: RegisterAccess + ?Sized>(
        &mut self,
        bus: &mut A,
        port: PortId,
    ) -> Result<PortStatus, LinkManagerError> {
        let mut now = self.enable(bus, port)?;
        if now.is_up() {
            return Ok(now);
        }
        let mut waited_us = 0;
        while waited_us < self.config.up_limit_us {
            bus.wait_us(self.config.up_poll_us);
            waited_us += self.config.up_poll_us;
            now = self.status(bus, port)?;
            if now.is_up() {
                return Ok(now);
            }
        }
        Err(LinkManagerError::NotUp { port, state: now.state, waited_us })
    }

    /// Makes sure that a page is there, and remembers its counters as they are.
    fn begin<A: RegisterAccess + ?Sized>(
        &mut self,
        bus: &mut A,
        port: PortId,
    ) -> Result<(), LinkManagerError> {
        let found: id::Value = access(bus, port).read()?;
        if found.magic != PAGE_ID {
            return Err(LinkManagerError::NoPort { port, found: found.magic });
        }
        if let std::collections::btree_map::Entry::Vacant(entry) = self.ports.entry(port) {
            let counted = Counted::read(&mut access(bus, port))?;
            entry.insert(Record { counted, ..Record::default() });
        }
        Ok(())
    }

    /// Takes a sample: events (they are cleared), counters since the sample before, lanes. The first sample of a port that was
    /// not brought up here counts from now on.
    ///
    /// LTPs lost when the link started afresh are [`LinkManagerError::LostOnReset`]; the sample is [`last`](Self::last) all the same.
    pub fn poll<A: RegisterAccess + ?Sized>(
        &mut self,
        bus: &mut A,
        port: PortId,
    ) -> Result<&PortSample, LinkManagerError> {
        self.begin(bus, port)?;
        let status = self.status(bus, port)?;
        let rules = &self.config.lanes;
        let record = self.ports.entry(port).or_default();
        let sample = PortSample::take(&mut access(bus, port), status, &mut record.counted)?;
        for (lane, history) in record.lanes.iter_mut().enumerate() {
            history.add(&sample, lane, rules);
        }
        let lost = sample.lost_on_reset();
        let sample = record.last.insert(sample);
        match lost {
            0 => Ok(sample),
            ltps => Err(LinkManagerError::LostOnReset { port, ltps }),
        }
    }

    /// The last sample of a port.
    #[must_use]
    pub fn last(&self, port: PortId) -> Option<&PortSample> {
        self.ports.get(&port)?.last.as_ref()
    }

    /// What a lane of a port did, by the sender's number; `None` before the port's first sample.
    #[must_use]
    pub fn history(&self, port: PortId, lane: usize) -> Option<&LaneHistory> {
        self.ports.get(&port)?.lanes.get(lane)
    }

    /// What the histories propose, port by port; nothing is done.
    #[must_use]
    pub fn proposals(&self) -> Vec<Proposal> {
        let rules = &self.config.lanes;
        let of_port = |(port, record): (&PortId, &Record)| {
            let sample = record.last.as_ref()?;
            Some(history::proposals(*port, sample, &record.lanes, rules))
        };
        self.ports.iter().filter_map(of_port).flatten().collect()
    }

    /// Does what was proposed, by LANES.allowed and CTRL.restore, which makes the port ask for exactly the allowed lanes: lanes that
    /// it has removed by itself go out of LANES.allowed too, or they would come back. The link retrains; nothing is lost.
    pub fn apply<A: RegisterAccess + ?Sized>(
        &mut self,
        bus: &mut A,
        proposal: &Proposal,
    ) -> Result<(), LinkManagerError> {
        let Proposal { port, lane, action, .. } = *proposal;
        self.begin(bus, port)?;
        let mut registers = access(bus, port);
        let built: cap::Value = registers.read()?;
        let wrong = |problem| Err(LinkManagerError::Lane { port, lane, problem });
        if lane as u64 >= built.lanes {
            return wrong("the port does not have it");
        }
        let mut now: lanes::Value = registers.read()?;
        let (bit, kept) = (1 << lane, now.allowed & !now.removed);
        now.allowed = match action {
            Action::Remove => kept & !bit,
            Action::Restore => kept | bit,
        };
        if now.allowed & ((1 << built.lanes) - 1) == 0 {
            return wrong("it is the last one that is allowed");
        }
        let command: ctrl::Value = registers.read()?;
        registers.write(now)?;
        let found: lanes::Value = registers.read()?;
        if found.allowed != now.allowed {
            let what = format!("port {}, {}.allowed", port.port, lanes::Value::REGISTER.name);
            let (written, read) = (now.allowed, found.allowed);
            return Err(LinkManagerError::Refused { device: port.device, what, written, read });
        }
        registers.write(ctrl::Value { restore: 1, ..command })?;
        if let Some(record) = self.ports.get_mut(&port) {
            let taken = record.lanes.iter_mut().enumerate().filter(|(lane, _)| now.removed >> lane & 1 == 1);
            taken.for_each(|(_, history)| history.take());
            record.lanes[lane].acted(action);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
