//! Changes in operation (chapter 20, T15): a master is lost with a cold or a hot backup, a switch or a link is lost, the
//! tree is changed while it runs. The fabric is a ladder, so that there is always another way.

use crate::fabric::{ExperimentError, Fabric};
use crate::manager::bound::{error_bound, holdover_bound};
use crate::manager::program::Generation;
use crate::manager::tables::measure_link;
use crate::network::NetworkConfig;
use crate::record::Recorder;
use crate::statistics::{ErrorStatistics, Summary};
use crate::topology::{Chain, DeviceId, LinkId, Topology};
use flitforge_model::time::TimeConfig;
use flitforge_protocol::time::{GEN_PERIOD_SHIFT, GEN_PHASE_SHIFT, GEN_PHASE_SPACING_NS};
use flitforge_protocol::time_servo::{HOLD_N_DEFAULT, KI};
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::Serialize;

/// What happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Change {
    /// The master is lost; the manager starts the backup with tables computed beforehand.
    MasterCold,
    /// The master is lost; slaves change to the tree of the backup by themselves.
    MasterHot,
    /// A switch is lost; what was behind it is re-rooted.
    SwitchLoss,
    /// A link of the tree is lost and comes back with another latency.
    LinkLoss,
    /// The manager moves the tree off a link that works, and back.
    Reconfigure,
}

impl Change {
    /// All changes.
    pub const ALL: [Change; 5] =
        [Change::MasterCold, Change::MasterHot, Change::SwitchLoss, Change::LinkLoss, Change::Reconfigure];
}

/// What is run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct FailoverConfig {
    /// What happens.
    pub change: Change,
    /// Rungs of the ladder: twice as many switches and slaves.
    pub rungs: u32,
    /// Periods until the manager acts, at most 20 by the chapter.
    pub pause_periods: u64,
    /// Devices, links, seed.
    pub network: NetworkConfig,
}

impl Default for FailoverConfig {
    /// A cold fail-over after 20 periods on six rungs.
    fn default() -> Self {
        Self { change: Change::MasterCold, rungs: 6, pause_periods: 20, network: NetworkConfig::default() }
    }
}

/// A slave without a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Stranded {
    /// The device.
    pub device: DeviceId,
    /// Its error at the end, femtoseconds.
    pub error_fs: i64,
    /// Bound of its error that the manager lists, 1/256 ns.
    pub bound: i64,
}

/// What was seen.
#[derive(Debug, Clone)]
pub struct FailoverResult {
    /// Errors of all slaves with a path, from the change on.
    pub statistics: ErrorStatistics,
    /// Slaves without a path.
    pub stranded: Vec<Stranded>,
    /// Times a SyncTime ran backward without a new SYNC_EPOCH.
    pub backward: u32,
    /// Steps of any locked SyncTime.
    pub steps: u32,
    /// Lows of an old era that slaves refused.
    pub old_era: u32,
    /// Slaves with a path that did not get a sample in the last eight periods.
    pub silent: usize,
    /// (time ps, error fs) of the slave with the largest error.
    pub series: Vec<(i64, i64)>,
    /// Time of the change and of the manager's action, ps.
    pub times: (i64, i64),
}

impl FailoverResult {
    /// The row of a table.
    #[must_use]
    pub fn summary(&self) -> Summary {
        self.statistics.summary()
    }
}

/// Probes of all errors in a period.
const PROBES: u64 = 4;
/// Periods after the manager's action that are watched.
const AFTER_PERIODS: u64 = 64;
/// A slave that saw no sample for so many periods is silent.
const SILENT_PERIODS: u64 = 8;

struct Experiment {
    fabric: Fabric,
    chain: Chain,
    rng: ChaCha8Rng,
    period_ps: i64,
    /// Slaves whose path was lost with their switch.
    without_path: Vec<DeviceId>,
}

/// Runs one change at a random time.
pub fn run(config: &FailoverConfig) -> Result<FailoverResult, ExperimentError> {
    let chain = Topology::ladder(config.rungs, &TimeConfig::default())?;
    let mut fabric = Fabric::start(chain.topology.clone(), chain.master, config.network)?;
    let period_ps = (config.network.gen_period as i64) * (1000 << GEN_PERIOD_SHIFT);
    let mut rng = ChaCha8Rng::seed_from_u64(config.network.seed ^ 0xFA11);
    if config.change == Change::MasterHot {
        start_backup(&mut fabric, chain.backup)?;
    }
    let extra = rng.random_range(0..16 * period_ps);
    fabric.network.run_until(fabric.network.now() + SILENT_PERIODS as i64 * period_ps + extra);
    fabric.network.recorder = Recorder::of(&chain.slaves, 1);
    let mut experiment = Experiment { fabric, chain, rng, period_ps, without_path: vec![] };
    let times = experiment.change(config)?;
    let before: Vec<u64> = experiment.samples();
    experiment.watch(SILENT_PERIODS);
    Ok(experiment.result(&before, times))
}

/// A hot backup generates on tree 1 all the time, half a period shifted; slaves prefer tree 0.
fn start_backup(fabric: &mut Fabric, backup: DeviceId) -> Result<(), ExperimentError> {
    let half = (fabric.generation.period << GEN_PERIOD_SHIFT) / 2;
    let phase = half.max(GEN_PHASE_SPACING_NS) >> GEN_PHASE_SHIFT;
    let generation = Generation { phase, quality: 3, ..fabric.generation };
    let plan = fabric.manager.plan(backup, 1)?;
    let devices: Vec<DeviceId> = plan.tree.order.clone();
    fabric.manager.prioritise(&mut fabric.network, &devices, [0, 1, 2, 3])?;
    fabric.manager.start(&mut fabric.network, &plan, 0, &generation)?;
    Ok(())
}

impl Experiment {
    fn samples(&self) -> Vec<u64> {
        self.chain.slaves.iter().map(|slave| self.fabric.network.history(*slave).used).collect()
    }

    /// Runs for so many periods and looks at all errors several times in each.
    fn watch(&mut self, periods: u64) {
        for _ in 0..periods * PROBES {
            let next = self.fabric.network.now() + self.period_ps / PROBES as i64;
            self.fabric.network.run_until(next);
            self.fabric.network.probe();
        }
    }

    /// Makes the change and what the manager does about it; gives the times of both.
    fn change(&mut self, config: &FailoverConfig) -> Result<(i64, i64), ExperimentError> {
        let start = self.fabric.network.now();
        let acted = match config.change {
            Change::MasterCold => self.lose_master_cold(config.pause_periods)?,
            Change::MasterHot => self.lose_master_hot(),
            Change::SwitchLoss => self.lose_switch(config.pause_periods)?,
            Change::LinkLoss => self.lose_link(config.pause_periods)?,
            Change::Reconfigure => self.reconfigure()?,
        };
        self.watch(AFTER_PERIODS);
        Ok((start, acted))
    }

    fn lose_master_cold(&mut self, pause: u64) -> Result<i64, ExperimentError> {
        let (master, backup) = (self.chain.master, self.chain.backup);
        // The table of the candidate is there before it is needed.
        self.fabric.manager.set_alive(master, false);
        let plan = self.fabric.manager.plan(backup, 0)?;
        self.fabric.network.set_device(master, false);
        self.watch(pause);
        let acted = self.fabric.network.now();
        self.fabric.network.set_reference(backup);
        self.fabric.install(plan, false)?;
        Ok(acted)
    }

    fn lose_master_hot(&mut self) -> i64 {
        self.fabric.network.set_device(self.chain.master, false);
        self.watch(u64::from(HOLD_N_DEFAULT));
        // From here on slaves follow the backup, which is the truth now.
        self.fabric.network.set_reference(self.chain.backup);
        self.fabric.network.now()
    }

    fn lose_switch(&mut self, pause: u64) -> Result<i64, ExperimentError> {
        // Not the switches of the masters.
        let lost = self.chain.switches[2..].choose(&mut self.rng).copied();
        let Some(lost) = lost else { return Ok(self.fabric.network.now()) };
        let place = self.chain.switches.iter().position(|switch| *switch == lost);
        self.without_path = place.map(|place| self.chain.slaves[place]).into_iter().collect();
        self.fabric.network.set_device(lost, false);
        self.fabric.manager.set_alive(lost, false);
        self.watch(pause);
        let acted = self.fabric.network.now();
        self.fabric.replan(self.chain.master, true)?;
        Ok(acted)
    }

    /// A link between two switches that the tree uses.
    fn link_of_tree(&mut self) -> Option<LinkId> {
        let plan = &self.fabric.plan.tree;
        let used = self.chain.switches.iter().filter_map(|switch| {
            let upstream = plan.upstream[*switch as usize]?;
            (upstream.from != plan.master).then_some(upstream.link)
        });
        used.collect::<Vec<_>>().choose(&mut self.rng).copied()
    }

    fn lose_link(&mut self, pause: u64) -> Result<i64, ExperimentError> {
        let Some(link) = self.link_of_tree() else { return Ok(self.fabric.network.now()) };
        self.fabric.network.set_link(link, false);
        self.fabric.manager.links_mut().set(link, None);
        self.watch(pause);
        let acted = self.fabric.network.now();
        self.fabric.replan(self.chain.master, true)?;
        self.watch(AFTER_PERIODS);
        // It comes back with another latency: its ports hold the time back until it is measured again.
        self.fabric.network.set_link(link, true);
        self.watch(pause);
        let how = self.fabric.measurement;
        let topology = self.chain.topology.clone();
        let delays = measure_link(&mut self.fabric.network, &topology, link, &how)?;
        self.fabric.manager.links_mut().set(link, Some(delays));
        self.fabric.replan(self.chain.master, true)?;
        Ok(acted)
    }

    fn reconfigure(&mut self) -> Result<i64, ExperimentError> {
        let Some(link) = self.link_of_tree() else { return Ok(self.fabric.network.now()) };
        let delays = self.fabric.manager.links_mut().row(link);
        for row in [None, delays] {
            self.fabric.manager.links_mut().set(link, row);
            self.fabric.replan(self.chain.master, true)?;
            self.watch(AFTER_PERIODS);
        }
        Ok(self.fabric.network.now())
    }

    fn result(&self, before: &[u64], times: (i64, i64)) -> FailoverResult {
        let network = &self.fabric.network;
        let histories = || self.chain.slaves.iter().map(|slave| network.history(*slave));
        let mut result = FailoverResult {
            statistics: ErrorStatistics::default(),
            stranded: vec![],
            backward: histories().map(|history| history.backward).sum(),
            steps: histories().map(|history| history.steps_after_lock).sum(),
            old_era: histories().map(|history| history.old_era).sum(),
            silent: 0,
            series: vec![],
            times,
        };
        let mut largest = -1;
        for (place, &slave) in self.chain.slaves.iter().enumerate() {
            let Some(record) = network.recorder.record(slave) else { continue };
            if self.without_path.contains(&slave) {
                result.stranded.push(self.stranded(slave, times.0));
                continue;
            }
            result.statistics.merge(&record.statistics);
            result.silent += usize::from(network.history(slave).used == before[place]);
            if record.statistics.worst_fs().abs() > largest {
                largest = record.statistics.worst_fs().abs();
                result.series.clone_from(&record.series);
            }
        }
        result
    }

    /// The bound the manager lists: the frequency error a locked servo may have, over the time since the loss.
    fn stranded(&self, device: DeviceId, since_ps: i64) -> Stranded {
        let period = self.fabric.network.config().line.core_period_fs as i64 * 256 / 1_000_000;
        let links = self.fabric.clocks().len() as i64;
        let locked = error_bound(&self.fabric.plan.tree, device, period, 0)
            .unwrap_or_else(|| crate::manager::bound::bound_of_links(links, period, 0));
        let period_fine = (self.period_ps / 1000) << 8;
        let frequency = (i128::from(locked.total()) * i128::from(KI.0)) << 32;
        let frequency = (frequency / (i128::from(KI.1) * i128::from(period_fine))) as i64;
        let elapsed_ns = (self.fabric.network.now() - since_ps) / 1000;
        let ramp = self.fabric.network.config().ramp_ppt_per_s;
        let bound = locked.total() + holdover_bound(frequency, 2 * ramp, elapsed_ns);
        Stranded { device, error_fs: self.fabric.network.error_fs(device), bound }
    }
}
