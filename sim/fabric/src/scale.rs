//! Large fabrics (chapter 20, T16): a tree of switches with thousands of slaves and four clock trees at once.

use crate::fabric::ExperimentError;
use crate::fabric::Fabric;
use crate::manager::program::Generation;
use crate::network::{Losses, NetworkConfig};
use crate::record::Recorder;
use crate::statistics::{ErrorStatistics, Summary};
use crate::topology::{DeviceId, Topology};
use flitforge_model::time::TimeConfig;
use flitforge_protocol::time::{FIFO_DEPTH, GEN_PHASE_SHIFT, GEN_PHASE_SPACING_NS, MAX_TREES};
use serde::Serialize;
use std::time::Instant;

/// What is run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ScaleConfig {
    /// Levels of switches.
    pub levels: u32,
    /// Links downwards of every switch; fan_out^levels slaves.
    pub fan_out: u32,
    /// Clock trees, 1 to 4. The masters of trees 1 to 3 are slaves of tree 0 in different parts of the fabric.
    pub trees: u32,
    /// Periods that are recorded.
    pub periods: u64,
    /// Devices, links, seed.
    pub network: NetworkConfig,
}

impl Default for ScaleConfig {
    /// 10,000 slaves: four levels of ten.
    fn default() -> Self {
        let network = NetworkConfig { fifo_depth: FIFO_DEPTH.0, ..NetworkConfig::default() };
        Self { levels: 4, fan_out: 10, trees: 4, periods: 20, network }
    }
}

/// The time one tree delivered.
#[derive(Debug, Clone)]
pub struct TreeResult {
    /// Tree.
    pub id: u8,
    /// Its master.
    pub master: DeviceId,
    /// Most links on the way to a slave.
    pub links: usize,
    /// Error of the delivered time at the slaves, the error of the master's own time included.
    pub delivered: ErrorStatistics,
}

/// What was seen.
#[derive(Debug, Clone)]
pub struct ScaleResult {
    /// Slaves.
    pub slaves: usize,
    /// Devices in all.
    pub devices: usize,
    /// Errors of the slaves' SyncTime.
    pub statistics: ErrorStatistics,
    /// By tree.
    pub trees: Vec<TreeResult>,
    /// Flits lost.
    pub losses: Losses,
    /// Times a SyncTime ran backward without a new SYNC_EPOCH.
    pub backward: u32,
    /// Wall time in milliseconds: tree and offsets of all slaves of tree 0.
    pub offsets_ms: f64,
    /// Wall time in milliseconds: the table of one fail-over, to another master.
    pub failover_ms: f64,
    /// Wall time in milliseconds: the whole run.
    pub run_ms: f64,
}

/// A row of the table of trees.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct TreeRow {
    /// Tree.
    pub id: u8,
    /// Most links on the way to a slave.
    pub links: usize,
    /// Errors.
    #[serde(flatten)]
    pub errors: Summary,
}

impl ScaleResult {
    /// The table of trees.
    #[must_use]
    pub fn table(&self) -> Vec<TreeRow> {
        let row =
            |tree: &TreeResult| TreeRow { id: tree.id, links: tree.links, errors: tree.delivered.summary() };
        self.trees.iter().map(row).collect()
    }
}

/// Brings the fabric up and records it.
pub fn run(config: &ScaleConfig) -> Result<ScaleResult, ExperimentError> {
    let start = Instant::now();
    let fan_out = Topology::tree(config.levels, config.fan_out, &TimeConfig::default())?;
    let mut fabric = Fabric::start(fan_out.topology.clone(), fan_out.master, config.network)?;
    let timed = |master| {
        let begin = Instant::now();
        let plan = fabric.manager.plan(master, 0);
        plan.map(|_| begin.elapsed().as_secs_f64() * 1000.0)
    };
    let slaves = &fan_out.slaves;
    let (offsets_ms, failover_ms) = (timed(fan_out.master)?, timed(slaves[slaves.len() / 2])?);

    let mut masters = vec![(fan_out.master, depth(&fabric.plan, slaves))];
    for id in 1..config.trees.clamp(1, MAX_TREES as u32) {
        // Spread over the fabric.
        let master = slaves[slaves.len() * id as usize / MAX_TREES];
        masters.push((master, start_tree(&mut fabric, master, id as u8, slaves)?));
    }
    fabric.network.run_periods(4);
    fabric.network.recorder = Recorder::shared();
    fabric.network.delivered = Some(Box::default());
    fabric.network.run_periods(config.periods);

    let network = &fabric.network;
    let statistics = network.recorder.record(0).map(|record| record.statistics.clone()).unwrap_or_default();
    let delivered = network.delivered.as_deref().cloned().unwrap_or_default();
    let trees = masters.into_iter().zip(delivered).enumerate();
    let trees =
        trees.map(|(id, ((master, links), delivered))| TreeResult { id: id as u8, master, links, delivered });
    Ok(ScaleResult {
        slaves: slaves.len(),
        devices: network.topology().devices().len(),
        statistics,
        trees: trees.collect(),
        losses: network.losses(),
        backward: slaves.iter().map(|slave| network.history(*slave).backward).sum(),
        offsets_ms,
        failover_ms,
        run_ms: start.elapsed().as_secs_f64() * 1000.0,
    })
}

/// A backup generates on a tree of its own, its phase far enough from the others.
fn start_tree(
    fabric: &mut Fabric,
    master: DeviceId,
    id: u8,
    slaves: &[DeviceId],
) -> Result<usize, ExperimentError> {
    let plan = fabric.manager.plan(master, id)?;
    let spacing = GEN_PHASE_SPACING_NS.div_ceil(1 << GEN_PHASE_SHIFT);
    let generation =
        Generation { phase: spacing * u64::from(id), quality: 3, high_every: 1, ..fabric.generation };
    let devices = plan.tree.order.clone();
    fabric.manager.prioritise(&mut fabric.network, &devices, [0, 1, 2, 3])?;
    fabric.manager.start(&mut fabric.network, &plan, 0, &generation)?;
    Ok(depth(&plan, slaves))
}

/// Most links on the way to one of these devices.
fn depth(plan: &crate::manager::program::TreePlan, devices: &[DeviceId]) -> usize {
    devices.iter().filter_map(|device| plan.tree.path(*device)).map(|path| path.len()).max().unwrap_or(0)
}
