//! A fabric in operation: a network and the manager that brought it up.

use crate::manager::program::{Generation, Manager, TreePlan};
use crate::manager::tables::LinkMeasurement;
use crate::manager::tree::TreePolicy;
use crate::manager::ManagerError;
use crate::network::{Network, NetworkConfig, NetworkError};
use crate::topology::{DeviceId, DeviceKind, Topology, TopologyError};
use flitforge_model::time::config::increment;
use flitforge_protocol::time::{PhaseSource, GEN_PERIOD_SHIFT, HIGH_SPACING_MAX_NS, LDM_ROUNDS_LOG2};
use thiserror::Error;

/// Periods within which every slave locks: without loss, and at 70 % loss (chapter 20, T13), the
/// latter with a High for every Low.
pub const LOCK_PERIODS: (u64, u64) = (12, 60);
/// Periods between the second measurement of the links and the first error that counts.
const SETTLE_PERIODS: u64 = 64;
/// Periods after which a clock that has not locked never will: with one High in ten Lows and seven of ten lost, a slave
/// may have to wait long for its first High.
const GIVE_UP_PERIODS: u64 = 1000;

/// Why an experiment could not be made.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ExperimentError {
    /// The fabric.
    #[error(transparent)]
    Topology(#[from] TopologyError),
    /// The network.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// The manager.
    #[error(transparent)]
    Manager(#[from] ManagerError),
    /// Devices that did not lock.
    #[error("{devices} devices did not lock within {periods} periods (seed {seed})")]
    NoLock {
        /// How many.
        devices: usize,
        /// Periods given.
        periods: u64,
        /// Seed.
        seed: u64,
    },
}

/// A network with its manager and one running tree, id 0.
#[derive(Debug, Clone)]
pub struct Fabric {
    /// The simulation.
    pub network: Network,
    /// The manager.
    pub manager: Manager,
    /// What runs as tree 0.
    pub plan: TreePlan,
    /// How its master generates.
    pub generation: Generation,
    /// Era that goes out.
    pub era: u8,
    /// How links are measured.
    pub measurement: LinkMeasurement,
}

/// The measurement the chapter sets as default: 16 rounds; the ends may differ by T/32.
#[must_use]
pub const fn standard_measurement(core_period_fs: u64) -> LinkMeasurement {
    let tolerance = (increment(core_period_fs) >> 24) as i64 / 32;
    LinkMeasurement { rounds_log2: LDM_ROUNDS_LOG2.0, asymmetry: 0, tolerance }
}

/// How a network's links are measured. `locked` is false before SyncTimes are locked: the ends then differ by the round
/// trip times their rate difference; without a phase source they differ by up to two words in any case.
fn measurement(config: &NetworkConfig, locked: bool) -> LinkMeasurement {
    let standard = standard_measurement(config.line.core_period_fs);
    let relaxed = match (config.line.phase_source, locked) {
        (PhaseSource::None, _) => standard.tolerance * 64,
        (_, false) => standard.tolerance * 16,
        (_, true) => standard.tolerance * 2,
    };
    LinkMeasurement { tolerance: relaxed, ..standard }
}

impl Fabric {
    /// Brings a fabric up as section 7 rule 5 says: measure, start tree 0, lock, measure again, move to the other bank.
    /// Every device with a servo has to lock.
    pub fn start(
        topology: Topology,
        master: DeviceId,
        config: NetworkConfig,
    ) -> Result<Self, ExperimentError> {
        let mut network = Network::new(topology.clone(), master, config)?;
        let increment = increment(config.line.core_period_fs);
        let mut manager = Manager::new(topology, increment, TreePolicy::ShortestDelay);
        manager.measure(&mut network, &measurement(&config, false))?;
        let between_highs = HIGH_SPACING_MAX_NS / (config.gen_period.max(1) << GEN_PERIOD_SHIFT);
        let high_every = config.high_every.min(between_highs).max(1);
        let generation = Generation { period: config.gen_period, phase: 0, high_every, quality: 0 };
        let first = manager.plan(master, 0)?;
        manager.start(&mut network, &first, 0, &generation)?;
        let measurement = measurement(&config, true);
        let mut fabric = Self { network, manager, plan: first, generation, era: 0, measurement };
        fabric.lock()?;
        fabric.refine()?;
        fabric.network.run_periods(SETTLE_PERIODS);
        Ok(fabric)
    }

    /// Devices of tree 0 that have a servo.
    #[must_use]
    pub fn clocks(&self) -> Vec<DeviceId> {
        let switch_clocks = self.network.config().switch_clocks;
        let kinds = self.network.topology().devices();
        let with_servo = |device: &DeviceId| switch_clocks || kinds[*device as usize] == DeviceKind::Hfi;
        self.plan.tree.order.iter().copied().filter(with_servo).collect()
    }

    /// Runs until all clocks have locked.
    fn lock(&mut self) -> Result<(), ExperimentError> {
        let mut open = self.clocks();
        for _ in 0..GIVE_UP_PERIODS {
            self.network.run_periods(1);
            open.retain(|device| self.network.history(*device).locked.is_none());
            if open.is_empty() {
                return Ok(());
            }
        }
        Err(ExperimentError::NoLock {
            devices: open.len(),
            periods: GIVE_UP_PERIODS,
            seed: self.network.config().seed,
        })
    }

    /// Measures all links in master time and moves all slaves to the other bank.
    fn refine(&mut self) -> Result<(), ExperimentError> {
        let how = self.measurement;
        self.manager.measure(&mut self.network, &how)?;
        self.manager.read_increments(&mut self.network)?;
        self.replan(self.plan.tree.master, true)
    }

    /// Another tree 0 for what is alive: section 7 rules 6 to 8. `old_master` is false if it cannot be reached.
    pub fn replan(&mut self, master: DeviceId, old_master: bool) -> Result<(), ExperimentError> {
        let plan = self.manager.plan(master, 0)?;
        self.install(plan, old_master)
    }

    /// Makes a plan, perhaps computed beforehand, the running tree 0.
    pub fn install(&mut self, plan: TreePlan, old_master: bool) -> Result<(), ExperimentError> {
        let era = (self.era + 1) % 4;
        self.manager.change(&mut self.network, (&self.plan, &plan), era, &self.generation, old_master)?;
        (self.plan, self.era) = (plan, era);
        Ok(())
    }
}
