//! The ring table and the link table (chapter 20, 7 rules 2 and 3).

use super::{ManagerError, RegisterAccess};
use crate::topology::{DeviceId, LinkId, Port, Topology};
use flitforge_model::time::delay::{clocks_to_fine, RingPath, RingShape};
use flitforge_protocol::time_registers::{self as regs, ldm_ctl, ldm_mean};
use serde::Serialize;

/// One row of a switch type's ring table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RingRow {
    /// The way.
    pub path: RingPath,
    /// Its delay in 1/256 ns.
    pub delay: i64,
}

/// The ring table of a switch type at one core clock (increment per clock in 2^-32 ns).
#[must_use]
pub fn ring_table(shape: &RingShape, increment: u64) -> Vec<RingRow> {
    shape.table().map(|path| RingRow { path, delay: clocks_to_fine(path.clocks, increment) }).collect()
}

/// Ring cycles of a way as three sources give them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct RingCycles {
    /// From stop.
    pub from: u32,
    /// To stop.
    pub to: u32,
    /// Of the static report.
    pub report: u32,
    /// Counted by a token.
    pub token: u32,
}

/// The ways on which report, token and formula do not agree: a switch with one is not to be used for trees.
#[must_use]
pub fn disagreements(shape: &RingShape, measured: &[RingCycles]) -> Vec<RingCycles> {
    let agrees = |row: &RingCycles| {
        let cycles = shape.path(row.from, row.to).ring_cycles;
        row.report == cycles && row.token == cycles
    };
    measured.iter().filter(|row| !agrees(row)).copied().collect()
}

/// A link's measured delays in 1/256 ns, by the index of the sending end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct LinkDelays {
    /// From end 0 to end 1, and from end 1 to end 0.
    pub by_end: [i64; 2],
}

/// Measured links.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LinkTable {
    rows: Vec<Option<LinkDelays>>,
}

impl LinkTable {
    /// Of so many links, none measured.
    #[must_use]
    pub fn new(links: usize) -> Self {
        Self { rows: vec![None; links] }
    }

    /// Delay of a link from one of its ends; `None` if it is not measured or not to be used.
    #[must_use]
    pub fn delay(&self, link: LinkId, end: usize) -> Option<i64> {
        self.row(link).map(|row| row.by_end[end & 1])
    }

    /// A link's delays; `None` if it is not measured or not to be used.
    #[must_use]
    pub fn row(&self, link: LinkId) -> Option<LinkDelays> {
        self.rows.get(link as usize).copied().flatten()
    }

    /// Enters a link's delays; `None` takes the link out of use.
    pub fn set(&mut self, link: LinkId, delays: Option<LinkDelays>) {
        if let Some(row) = self.rows.get_mut(link as usize) {
            *row = delays;
        }
    }
}

/// How links are measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinkMeasurement {
    /// K: 2^K rounds.
    pub rounds_log2: u32,
    /// Known delay from end 0 to end 1 less that from end 1 to end 0, 1/256 ns.
    pub asymmetry: i64,
    /// LDM_TOL, 1/256 ns: the two ends may differ by so much.
    pub tolerance: i64,
}

/// Time given to a measurement before it is asked for, and how often it is asked, in microseconds.
const MEASUREMENT_US: u64 = 100;
const MEASUREMENT_POLLS: u32 = 200;
/// Runs that are started before a link counts as not measurable: on a bad line sixteen rounds may well be void.
const MEASUREMENT_RUNS: u32 = 16;

/// One end measures the delay to its peer, 1/256 ns.
pub fn measure_end(
    access: &mut impl RegisterAccess,
    port: Port,
    link: LinkId,
    how: &LinkMeasurement,
    asymmetry: i64,
) -> Result<i64, ManagerError> {
    let device = port.device;
    access.write(device, regs::PORT_SEL, port.port.into())?;
    access.write(device, regs::LDM_ASYM, asymmetry as u32 as u64)?;
    for _ in 0..MEASUREMENT_RUNS {
        let control = access.read(device, regs::LDM_CTL)?;
        let control = ldm_ctl::rounds::FIELD.set(control.into(), how.rounds_log2.into());
        access.write(device, regs::LDM_CTL, ldm_ctl::start::FIELD.set(control, 1) as u64)?;
        if let Some(delay) = wait_for_run(access, port)? {
            return Ok(delay);
        }
    }
    Err(ManagerError::Measurement { link })
}

/// Result of the run that was started, or `None` if it failed.
fn wait_for_run(access: &mut impl RegisterAccess, port: Port) -> Result<Option<i64>, ManagerError> {
    for _ in 0..MEASUREMENT_POLLS {
        access.write(port.device, regs::PORT_SEL, port.port.into())?;
        let result = u128::from(access.read(port.device, regs::LDM_MEAN)?);
        if ldm_mean::fail::FIELD.get(result) == 1 {
            return Ok(None);
        }
        if ldm_mean::done::FIELD.get(result) == 1 {
            return Ok(Some(ldm_mean::mean::FIELD.get(result) as i64));
        }
        access.wait_us(MEASUREMENT_US);
    }
    Ok(None)
}

/// Both ends measure a link. What they find about the same direction is averaged.
pub fn measure_link(
    access: &mut impl RegisterAccess,
    topology: &Topology,
    link: LinkId,
    how: &LinkMeasurement,
) -> Result<LinkDelays, ManagerError> {
    let ends = topology.links().get(link as usize).ok_or(ManagerError::Measurement { link })?;
    let forward = measure_end(access, ends[0], link, how, how.asymmetry)?;
    let backward = measure_end(access, ends[1], link, how, -how.asymmetry)?;
    let tolerance = how.tolerance;
    if (forward - backward - how.asymmetry).abs() > tolerance {
        return Err(ManagerError::Asymmetry { link, forward, backward, tolerance });
    }
    let both = forward + backward;
    Ok(LinkDelays { by_end: [(both + how.asymmetry) >> 1, (both - how.asymmetry) >> 1] })
}

/// Measures every link whose two devices are alive.
pub fn measure_links(
    access: &mut impl RegisterAccess,
    topology: &Topology,
    alive: &[bool],
    how: &LinkMeasurement,
) -> Result<LinkTable, ManagerError> {
    let mut table = LinkTable::new(topology.links().len());
    for (link, ends) in topology.links().iter().enumerate() {
        let usable = |device: DeviceId| alive.get(device as usize) == Some(&true);
        if usable(ends[0].device) && usable(ends[1].device) {
            let delays = measure_link(access, topology, link as LinkId, how)?;
            table.set(link as LinkId, Some(delays));
        }
    }
    Ok(table)
}
