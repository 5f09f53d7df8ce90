//! The host's side of scale-up Ethernet (chapter 50, 7): an instance through its registers, and the pair of a board.
//!
//! The same code runs on boards and on simulations: it needs [`RegisterAccess`] only.

mod config;
pub mod pair;

pub use config::{Config, ConfigError};

use flitforge_protocol::register::{AccessError, DeviceId, RegisterAccess, RegisterValue};
use flitforge_protocol::sue::command::COMMAND_CELL_BYTES;
use flitforge_protocol::sue_port_registers::{self as port, PortCounter};
use flitforge_protocol::sue_registers::{self as page, port_page, Event, Sizes, SueCounter, Table};
use std::collections::BTreeMap;
use thiserror::Error;

/// Why an instance cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SueError {
    /// A register could not be reached.
    #[error(transparent)]
    Access(#[from] AccessError),
    /// Other hardware than an instance of this version.
    #[error(
        "device {device}: ID is {found:#x}, no instance of Scale-Up Ethernet with version {} of its page; is another design loaded?",
        page::PAGE_VERSION
    )]
    Hardware {
        /// Device.
        device: DeviceId,
        /// Its ID.
        found: u64,
    },
    /// A configuration that cannot work; nothing was written.
    #[error("device {device}: {problem}")]
    Config {
        /// Device.
        device: DeviceId,
        /// What is wrong, and what would do.
        problem: ConfigError,
    },
    /// The hardware has refused a write that should have been legal.
    #[error("device {device}: a write of the configuration was refused (CFG_BAD); was it enabled by somebody else meanwhile?")]
    Refused {
        /// Device.
        device: DeviceId,
    },
}

/// What happened, as EVENT and the capture registers have it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Events {
    /// Events since the last look.
    pub events: Vec<Event>,
    /// The first of them, with the reliability header of its PDU if it has one.
    pub first: Option<(Event, Option<u64>)>,
}

/// An instance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sue {
    device: DeviceId,
    sizes: Sizes,
    peers: u64,
}

/// Number of a port, from 0 on.
pub type PortNumber = u32;

impl Sue {
    /// Reads ID and CAP; refuses what is no instance, or one of another version.
    pub fn open(access: &mut impl RegisterAccess, device: DeviceId) -> Result<Self, SueError> {
        let found = access.read(device, page::ID)?;
        let id = page::id::Value::decode(found);
        if (id.magic, id.version) != (page::PAGE_ID, page::PAGE_VERSION) {
            return Err(SueError::Hardware { device, found });
        }
        let cap = page::cap::Value::decode(access.read(device, page::CAP)?);
        let credits = page::qth::Value::decode(access.read(device, page::QTH)?).initial_credits;
        let sizes = Sizes {
            ports: cap.ports,
            slots: cap.slots + 1,
            slot_bytes: cap.slot_cells * COMMAND_CELL_BYTES as u64,
            // Cells are not in CAP: as many as the initial credits after power-on allow, at least.
            cells: (credits + page::CELLS_KEPT) * cap.virtual_channels,
            lite: id.lite == 1,
        };
        Ok(Self { device, sizes, peers: 1 << cap.peer_bits })
    }

    /// What was built.
    #[must_use]
    pub const fn sizes(&self) -> Sizes {
        self.sizes
    }

    /// XPUs that it can have connections with, itself included.
    #[must_use]
    pub const fn peers(&self) -> u64 {
        self.peers
    }

    /// Turns instance and port off, writes all settings, and turns both on. What cannot work is refused before the first write.
    ///
    /// Peers have to be started anew with it: PSNs begin at 0. Partitions that were allowed before stay so.
    pub fn configure(&self, access: &mut impl RegisterAccess, config: &Config) -> Result<(), SueError> {
        let device = self.device;
        let plan = config.plan(self).map_err(|problem| SueError::Config { device, problem })?;
        let control = page::ctrl::Value::decode(access.read(device, page::CTRL)?);
        let off = page::ctrl::Value { enable: 0, ..control };
        access.write(device, page::CTRL, encode(&off))?;
        access.write(
            device,
            port_page(0) + port::P_CTRL,
            encode(&port::p_ctrl::Value { enable: 0, ..plan.port_control }),
        )?;
        access.write(device, page::EVENT, u64::MAX)?;
        for (offset, value) in &plan.writes {
            access.write(device, *offset, *value)?;
        }
        for partition in &config.partitions {
            self.allow(access, *partition, true)?;
        }
        access.write(device, port_page(0) + port::P_CTRL, encode(&plan.port_control))?;
        access.write(device, page::CTRL, encode(&page::ctrl::Value { enable: 1, ..plan.control }))?;
        let refused = page::event::Value::decode(access.read(device, page::EVENT)?).configuration_bad;
        if refused == 1 {
            return Err(SueError::Refused { device });
        }
        Ok(())
    }

    /// Allows or forbids a partition.
    pub fn allow(
        &self,
        access: &mut impl RegisterAccess,
        partition: u16,
        allowed: bool,
    ) -> Result<(), SueError> {
        let address = page::tbl_addr::Value { index: partition.into(), table: Table::Partitions as u64 };
        access.write(self.device, page::TBL_ADDR, encode(&address))?;
        access.write(self.device, page::TBL_DATA, allowed.into())?;
        Ok(())
    }

    /// The counters of the instance that are not 0, by name.
    pub fn counters(
        &self,
        access: &mut impl RegisterAccess,
    ) -> Result<BTreeMap<&'static str, u64>, SueError> {
        let read = |counter: &SueCounter| {
            Ok((counter.name(), access.read(self.device, page::counter_offset(*counter))?))
        };
        let all = SueCounter::ALL.iter().map(read).collect::<Result<Vec<_>, AccessError>>()?;
        Ok(all.into_iter().filter(|(_, value)| *value > 0).collect())
    }

    /// The counters of a port that are not 0, by name.
    pub fn port_counters(
        &self,
        access: &mut impl RegisterAccess,
        number: PortNumber,
    ) -> Result<BTreeMap<&'static str, u64>, SueError> {
        let read = |counter: &PortCounter| {
            let offset = port_page(number) + port::counter_offset(*counter);
            Ok((counter.name(), access.read(self.device, offset)?))
        };
        let all = PortCounter::ALL.iter().map(read).collect::<Result<Vec<_>, AccessError>>()?;
        Ok(all.into_iter().filter(|(_, value)| *value > 0).collect())
    }

    /// One counter of the instance.
    pub fn counter(&self, access: &mut impl RegisterAccess, counter: SueCounter) -> Result<u64, SueError> {
        Ok(access.read(self.device, page::counter_offset(counter))?)
    }

    /// One counter of a port.
    pub fn port_counter(
        &self,
        access: &mut impl RegisterAccess,
        number: PortNumber,
        counter: PortCounter,
    ) -> Result<u64, SueError> {
        Ok(access.read(self.device, port_page(number) + port::counter_offset(counter))?)
    }

    /// Whether a port is up.
    pub fn is_up(&self, access: &mut impl RegisterAccess, number: PortNumber) -> Result<bool, SueError> {
        let status = access.read(self.device, port_page(number) + port::P_STAT)?;
        Ok(port::p_stat::Value::decode(status).up == 1)
    }

    /// Reads and clears the events.
    pub fn events(&self, access: &mut impl RegisterAccess) -> Result<Events, SueError> {
        let word = access.read(self.device, page::EVENT)?;
        let cause = page::capture_cause::Value::decode(access.read(self.device, page::CAPTURE_CAUSE)?);
        let header = access.read(self.device, page::CAPTURE_HEADER)?;
        access.write(self.device, page::EVENT, word)?;
        let events = Event::ALL.iter().copied().filter(|event| word >> event.code() & 1 == 1).collect();
        let named = Event::ALL.iter().copied().find(|event| u64::from(event.code()) == cause.cause);
        let first = named.filter(|_| cause.full == 1);
        Ok(Events { events, first: first.map(|event| (event, (cause.has_header == 1).then_some(header))) })
    }
}

/// Values that were checked, or are made of constants, fit their fields.
fn encode(value: &impl RegisterValue) -> u64 {
    value.encode().unwrap_or_default()
}
