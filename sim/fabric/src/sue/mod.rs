//! The host's side of scale-up Ethernet (chapter 50, 7): an instance through its registers, and the pair of a board.
//!
//! The same code runs on boards and on simulations: it needs [`RegisterAccess`] only.
//!
//! | what | by |
//! |---|---|
//! | settings, peers | [`Sue::configure`], [`Sue::connect`], [`Sue::agree`] after LLDP |
//! | frames of the host | [`Sue::inject`], [`Sue::extract`], [`capture`] for Wireshark |
//! | what happened | [`Sue::events`], [`Sue::snapshot`] |
//! | connections | [`Sue::failover`], [`Sue::reopen`], [`Sue::flush`] |
//! | several instances | [`Balancer`] |

pub mod balancer;
pub mod capture;
mod config;
mod events;
mod frames;
mod link;
pub mod pair;
mod peers;

pub use balancer::Balancer;
pub use config::{Config, ConfigError};
pub use events::{Captured, Events, Occurrence};
pub use frames::{Extracted, FrameError};
pub use link::LinkError;
pub use peers::{Connection, Peer, PeerError};

use flitforge_protocol::register::{AccessError, DeviceId, RegisterAccess, RegisterValue, BYTES};
use flitforge_protocol::sue::command::COMMAND_CELL_BYTES;
use flitforge_protocol::sue_port_registers::{self as port, PortCounter};
use flitforge_protocol::sue_registers::{self as page, port_page, Sizes, SueCounter, Table, HISTOGRAM_BINS};
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
    /// The hardware has refused writes: what they are for was not built, or another host has written, too.
    #[error("device {device}: {what} was refused (CFG_BAD); this hardware may have been built without it")]
    Unbuilt {
        /// Device.
        device: DeviceId,
        /// What was written.
        what: &'static str,
    },
    /// Peers or connections that cannot be; nothing was written.
    #[error("device {device}: {problem}")]
    Peer {
        /// Device.
        device: DeviceId,
        /// What is wrong.
        problem: PeerError,
    },
    /// A frame that cannot be injected, or was extracted wrong.
    #[error("device {device}: {problem}")]
    Frame {
        /// Device.
        device: DeviceId,
        /// What is wrong.
        problem: FrameError,
    },
    /// An agreement that the port cannot keep; nothing was written.
    #[error("device {device}: {problem}")]
    Link {
        /// Device.
        device: DeviceId,
        /// What is wrong.
        problem: LinkError,
    },
    /// A captured event that is not known.
    #[error("device {device}: the captured event has number {cause}, which this version does not know")]
    Cause {
        /// Device.
        device: DeviceId,
        /// The number.
        cause: u64,
    },
}

/// All counters of an instance and its ports at about one time; those that are 0, too.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// COUNT, by name.
    pub counters: BTreeMap<&'static str, u64>,
    /// HIST: bodies of 1 to 32 commands, and of more.
    pub histogram: [u64; HISTOGRAM_BINS],
    /// P_COUNT of each port, by name.
    pub ports: Vec<BTreeMap<&'static str, u64>>,
}

impl Snapshot {
    /// What has been counted since an earlier one. A counter that was cleared meanwhile counts from 0.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let less = |now: u64, before: u64| now.checked_sub(before).unwrap_or(now);
        let of = |now: &BTreeMap<&'static str, u64>, before: Option<&BTreeMap<&'static str, u64>>| {
            let before = |name: &str| before.and_then(|all| all.get(name)).copied().unwrap_or(0);
            now.iter().map(|(name, value)| (*name, less(*value, before(name)))).collect()
        };
        let ports = self.ports.iter().enumerate().map(|(port, all)| of(all, earlier.ports.get(port)));
        Snapshot {
            counters: of(&self.counters, Some(&earlier.counters)),
            histogram: std::array::from_fn(|bin| less(self.histogram[bin], earlier.histogram[bin])),
            ports: ports.collect(),
        }
    }
}

/// An instance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sue {
    device: DeviceId,
    sizes: Sizes,
    peers: u64,
    channels: u64,
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
        Ok(Self { device, sizes, peers: 1 << cap.peer_bits, channels: cap.virtual_channels })
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
        // All but `enable` as it is: the rest is locked until the port is off.
        let port_control = port::p_ctrl::Value::decode(access.read(device, port_page(0) + port::P_CTRL)?);
        let port_off = port::p_ctrl::Value { enable: 0, ..port_control };
        access.write(device, port_page(0) + port::P_CTRL, encode(&port_off))?;
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

    /// A counter of the instance begins at 0.
    pub fn clear_counter(
        &self,
        access: &mut impl RegisterAccess,
        counter: SueCounter,
    ) -> Result<(), SueError> {
        Ok(access.write(self.device, page::counter_offset(counter), 0)?)
    }

    /// A counter of a port begins at 0.
    pub fn clear_port_counter(
        &self,
        access: &mut impl RegisterAccess,
        number: PortNumber,
        counter: PortCounter,
    ) -> Result<(), SueError> {
        Ok(access.write(self.device, port_page(number) + port::counter_offset(counter), 0)?)
    }

    /// Whether a port is up.
    pub fn is_up(&self, access: &mut impl RegisterAccess, number: PortNumber) -> Result<bool, SueError> {
        let status = access.read(self.device, port_page(number) + port::P_STAT)?;
        Ok(port::p_stat::Value::decode(status).up == 1)
    }

    /// All counters of the instance, its histogram and its ports.
    pub fn snapshot(&self, access: &mut impl RegisterAccess) -> Result<Snapshot, SueError> {
        let device = self.device;
        let mut counters = BTreeMap::new();
        for counter in SueCounter::ALL {
            counters.insert(counter.name(), self.counter(access, *counter)?);
        }
        let mut histogram = [0; HISTOGRAM_BINS];
        for (bin, bodies) in histogram.iter_mut().enumerate() {
            *bodies = access.read(device, page::HIST + bin as u32 * BYTES)?;
        }
        let mut ports = vec![];
        for number in 0..self.sizes.ports as PortNumber {
            let mut counters = BTreeMap::new();
            for counter in PortCounter::ALL {
                counters.insert(counter.name(), self.port_counter(access, number, *counter)?);
            }
            ports.push(counters);
        }
        Ok(Snapshot { counters, histogram, ports })
    }

    /// STATUS.load of each port, and whether it is up.
    pub fn loads(&self, access: &mut impl RegisterAccess) -> Result<Vec<(bool, u64)>, SueError> {
        let status = page::status::Value::decode(access.read(self.device, page::STATUS)?);
        let loads = [status.load_0, status.load_1, status.load_2, status.load_3];
        let ports = loads.into_iter().enumerate().take(self.sizes.ports as usize);
        Ok(ports.map(|(port, load)| (status.up >> port & 1 == 1, load)).collect())
    }

    /// Carries writes out and looks whether one was refused. A CFG_BAD from before is cleared first.
    fn guarded(
        &self,
        access: &mut impl RegisterAccess,
        what: &'static str,
        writes: impl FnOnce(&Self, &mut dyn RegisterAccess) -> Result<(), SueError>,
    ) -> Result<(), SueError> {
        let device = self.device;
        let bad = page::event::configuration_bad::FIELD.mask() as u64;
        if access.read(device, page::EVENT)? & bad != 0 {
            access.write(device, page::EVENT, bad)?;
        }
        writes(self, access)?;
        match access.read(device, page::EVENT)? & bad {
            0 => Ok(()),
            _ => Err(SueError::Unbuilt { device, what }),
        }
    }
}

/// Values that were checked, or are made of constants, fit their fields.
fn encode(value: &impl RegisterValue) -> u64 {
    value.encode().unwrap_or_default()
}
