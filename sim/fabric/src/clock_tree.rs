//! The clock tree of one board: a master, two switches and two slaves, programmed and watched through their registers.
//!
//! | device | is | links |
//! |---|---|---|
//! | 0 | master, HFI | port 0 of device 1 |
//! | 1 | switch | ports: 0 master, 1 slave 4, 2 the other switch |
//! | 2 | switch | ports: 0 slave 3, 1 the other switch |
//! | 3, 4 | slaves, HFIs | |
//!
//! The way to slave 3 has two switches and three links, that to slave 4 one switch and two links.

use crate::manager::program::{Generation, Manager, TreePlan};
use crate::manager::tables::LinkMeasurement;
use crate::manager::tree::TreePolicy;
use crate::manager::{AccessError, ManagerError, RegisterAccess};
use crate::topology::{DeviceId, DeviceKind, Port, Topology, TopologyError};
use flitforge_model::time::delay::RingShape;
use flitforge_protocol::time::FINE_BITS;
use flitforge_protocol::time_registers::{
    self as regs, f_acc, servo_stat, set_cmd, sync_info, time_id, PAGE_VERSION,
};
use flitforge_protocol::time_servo::{ServoState, F_ACC_BITS, F_ACC_FRAC, INC_FRAC};
use flitforge_protocol::Field;
use std::fmt;
use thiserror::Error;

/// The master.
pub const MASTER: DeviceId = 0;
/// The switches, that of the master first.
pub const SWITCHES: [DeviceId; 2] = [1, 2];
/// The slaves, the far one first.
pub const SLAVES: [DeviceId; 2] = [3, 4];
/// Devices.
pub const DEVICES: DeviceId = 5;
/// The tree that is used.
const TREE: u8 = 0;
/// The era it starts with.
const ERA: u8 = 1;
/// A second in nanoseconds.
const NS_PER_S: f64 = 1e9;

/// Why a clock tree does not run.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ClockTreeError {
    /// A register could not be reached, a link not be measured, a value was refused.
    #[error(transparent)]
    Manager(#[from] ManagerError),
    /// Other hardware than a clock tree.
    #[error("device {device}: TIME_ID is {found:#x}, no device of a clock tree with version {PAGE_VERSION} of the time page; is another design loaded?")]
    Hardware {
        /// Device.
        device: DeviceId,
        /// Its TIME_ID.
        found: u64,
    },
    /// The devices cannot be connected as a clock tree.
    #[error(transparent)]
    Topology(#[from] TopologyError),
    /// The slaves do not lock.
    #[error("the slaves are not locked after {seconds} s: {states}; are the links up, and does the master generate?")]
    NotLocked {
        /// Seconds.
        seconds: u64,
        /// States by device.
        states: String,
    },
}

impl From<AccessError> for ClockTreeError {
    fn from(error: AccessError) -> Self {
        Self::Manager(error.into())
    }
}

/// How a tree is started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// The master's time at the start, ns.
    pub time: u64,
    /// GEN_PERIOD, 2^20 ns.
    pub period: u64,
    /// How links are measured.
    pub links: LinkMeasurement,
}

fn get(value: u64, field: Field) -> u64 {
    field.get(value.into())
}

/// The devices that answer, as their TIME_ID describes them.
pub fn topology(access: &mut impl RegisterAccess) -> Result<Topology, ClockTreeError> {
    let mut topology = Topology::new();
    for device in 0..DEVICES {
        let found = access.read(device, regs::TIME_ID)?;
        if get(found, time_id::version::FIELD) != PAGE_VERSION {
            return Err(ClockTreeError::Hardware { device, found });
        }
        let field = |field| get(found, field) as u32;
        let shape = RingShape {
            stops: field(time_id::stops::FIELD),
            hop_registers: field(time_id::hop::FIELD),
            ratio: field(time_id::ratio::FIELD),
        };
        let is_switch = SWITCHES.contains(&device);
        if is_switch && (shape.stops < 2 || shape.ratio == 0) {
            return Err(ClockTreeError::Hardware { device, found });
        }
        topology.add(if is_switch { DeviceKind::Switch(shape) } else { DeviceKind::Hfi });
    }
    let [first, second] = SWITCHES;
    let links = [
        ((MASTER, 0), (first, 0)),
        ((first, 2), (second, 1)),
        ((second, 0), (SLAVES[0], 0)),
        ((first, 1), (SLAVES[1], 0)),
    ];
    for ((device, port), (peer, peer_port)) in links {
        topology.connect(Port { device, port }, Port { device: peer, port: peer_port })?;
    }
    Ok(topology)
}

/// Measures the links, sets the master's time, programs offsets, paths and roles, and starts the master.
pub fn start(
    access: &mut impl RegisterAccess,
    settings: &Settings,
) -> Result<(Manager, TreePlan), ClockTreeError> {
    let topology = topology(access)?;
    let increment = access.read(MASTER, regs::INC_NOM)?;
    let mut manager = Manager::new(topology, increment, TreePolicy::ShortestDelay);
    manager.measure(access, &settings.links)?;
    manager.read_increments(access)?;
    let plan = manager.plan(MASTER, TREE)?;
    access.write(MASTER, regs::SET_TIME, settings.time)?;
    access.write(MASTER, regs::SET_CMD, set_cmd::set::FIELD.mask() as u64)?;
    let generation = Generation { period: settings.period, phase: 0, high_every: 1, quality: 1 };
    manager.start(access, &plan, ERA, &generation)?;
    Ok((manager, plan))
}

/// What the table shows of a device.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row {
    /// Device.
    pub device: DeviceId,
    /// State of its servo; `None` for a code that is none.
    pub state: Option<ServoState>,
    /// Its time less the master's at the last sample, 1/256 ns; `None` for the master.
    pub error: Option<i64>,
    /// F_ACC by INC_NOM, parts per 10^9: how much faster than its oscillator its time runs.
    pub drift_ppb: f64,
    /// Steps of its time so far, modulo 256.
    pub epoch: u64,
    /// Samples used; `None` for the master.
    pub samples: Option<u64>,
}

/// What the table shows of a device.
pub fn row(access: &mut impl RegisterAccess, device: DeviceId) -> Result<Row, ClockTreeError> {
    // Loads the shadow set, of which SYNC_INFO is.
    access.read(device, regs::LOCAL_TIME)?;
    let info = access.read(device, regs::SYNC_INFO)?;
    let frequency = get(access.read(device, regs::F_ACC)?, f_acc::value::FIELD);
    let frequency = (frequency << (64 - F_ACC_BITS)) as i64 >> (64 - F_ACC_BITS);
    let increment = access.read(device, regs::INC_NOM)?.max(1);
    let per_increment = (increment as f64) * f64::from(1u32 << (F_ACC_FRAC - INC_FRAC));
    let follows = device != MASTER;
    let (mut error, mut samples) = (None, None);
    if follows {
        let status = access.read(device, regs::SERVO_STAT)?;
        // SERVO_STAT has the sample's V + ClockOffset less the time here.
        error = Some(-i64::from(get(status, servo_stat::error::FIELD) as u32 as i32));
        if let Some(counter) = regs::TREE_COUNTERS.offset_of("SMP_OK") {
            samples = Some(access.read(device, regs::tree(TREE.into()) - regs::TREE + counter)?);
        }
    }
    Ok(Row {
        device,
        state: ServoState::ALL
            .iter()
            .copied()
            .find(|state| u64::from(state.code()) == get(info, sync_info::state::FIELD)),
        error,
        drift_ppb: frequency as f64 / per_increment * NS_PER_S,
        epoch: get(info, sync_info::epoch::FIELD),
        samples,
    })
}

/// Master and slaves.
pub fn table(access: &mut impl RegisterAccess) -> Result<Table, ClockTreeError> {
    let rows = [MASTER, SLAVES[0], SLAVES[1]].into_iter().map(|device| row(access, device));
    Ok(Table { rows: rows.collect::<Result<_, _>>()? })
}

/// Rows of master and slaves; shown as text with a head.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// Master, then slaves.
    pub rows: Vec<Row>,
}

impl Table {
    /// All slaves are in TRACK.
    #[must_use]
    pub fn is_locked(&self) -> bool {
        self.rows.iter().filter(|row| row.device != MASTER).all(|row| row.state == Some(ServoState::Track))
    }

    /// States by device.
    #[must_use]
    pub fn states(&self) -> String {
        let name = |row: &Row| format!("device {} {}", row.device, state_name(row));
        self.rows.iter().filter(|row| row.device != MASTER).map(name).collect::<Vec<_>>().join(", ")
    }
}

fn state_name(row: &Row) -> &'static str {
    match row.state {
        _ if row.device == MASTER => "MASTER",
        Some(state) => state.name(),
        None => "?",
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "device  state     offset ns  drift ppb  epoch  samples")?;
        for row in &self.rows {
            let fine = f64::from(1u32 << FINE_BITS);
            let offset = row.error.map_or("-".into(), |error| format!("{:.3}", error as f64 / fine));
            let samples = row.samples.map_or("-".into(), |samples| samples.to_string());
            let (device, state, drift, epoch) = (row.device, state_name(row), row.drift_ppb, row.epoch);
            writeln!(f, "{device:<6}  {state:<8} {offset:>10} {drift:>10.1} {epoch:>6} {samples:>8}")?;
        }
        Ok(())
    }
}

/// Asks until all slaves are in TRACK, every `every_us` microseconds, for `seconds`.
pub fn wait_for_lock(
    access: &mut impl RegisterAccess,
    every_us: u64,
    seconds: u64,
) -> Result<Table, ClockTreeError> {
    let mut asked = 0;
    loop {
        let table = table(access)?;
        if table.is_locked() {
            return Ok(table);
        }
        if asked >= seconds * 1_000_000 {
            return Err(ClockTreeError::NotLocked { seconds, states: table.states() });
        }
        access.wait_us(every_us);
        asked += every_us.max(1);
    }
}
