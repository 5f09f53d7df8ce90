//! The main experiment (chapter 20, T12 and T13): a chain of switches with a slave at every one, brought up by the
//! manager library, and the error of every slave against the master.

use crate::fabric::{ExperimentError, Fabric, LOCK_PERIODS};
use crate::network::{Losses, Network, NetworkConfig};
use crate::record::Recorder;
use crate::statistics::{kolmogorov_smirnov, ErrorStatistics, SameDistribution, Summary};
use crate::topology::{Chain, Topology};
use flitforge_model::time::TimeConfig;
use flitforge_protocol::time::GEN_PERIOD_SHIFT;
use serde::Serialize;

/// What is run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ChainConfig {
    /// Switches.
    pub switches: u32,
    /// Ring edges per core clock M of every switch.
    pub ring_ratio: u32,
    /// Devices, links, seed.
    pub network: NetworkConfig,
    /// Periods that are recorded.
    pub periods: u64,
    /// Every so many errors one is kept with its time, for plots (0: none).
    pub series_every: u64,
}

impl Default for ChainConfig {
    /// Sixteen switches, 200 periods.
    fn default() -> Self {
        Self { switches: 16, ring_ratio: 2, network: NetworkConfig::default(), periods: 200, series_every: 0 }
    }
}

/// Result for one slave.
#[derive(Debug, Clone)]
pub struct HopResult {
    /// Switches the time passes on its way.
    pub switches: u32,
    /// Errors after lock.
    pub statistics: ErrorStatistics,
    /// Independent errors, femtoseconds.
    pub independent: Vec<i64>,
    /// (time ps, error fs).
    pub series: Vec<(i64, i64)>,
    /// Periods from the first sample to lock; of several runs the slowest.
    pub lock_periods: f64,
    /// Runs in which it took longer than [`LOCK_PERIODS`] allow at 70 % loss.
    pub late_locks: u32,
    /// Share of the Lows sent in the recorded time that were lost on the way.
    pub lost: f64,
}

/// Result of a run, or of several merged.
#[derive(Debug, Clone)]
pub struct ChainResult {
    /// By hop count.
    pub hops: Vec<HopResult>,
    /// Flits lost.
    pub losses: Losses,
    /// Times any SyncTime ran backward without a new SYNC_EPOCH.
    pub backward: u32,
    /// Steps of any SyncTime after its lock.
    pub steps_after_lock: u32,
    /// Runs in this result.
    pub runs: u32,
    /// Largest difference of two clocks at the same moment, by the switches between them.
    pub pairs: [PairError; 3],
}

/// Two clocks of the chain, the master or slaves, looked at in the same picosecond.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct PairError {
    /// Switches between them: the master and the slave behind so many, or two slaves at switches so far apart.
    pub switches: u32,
    /// Largest difference, femtoseconds.
    pub worst_fs: i64,
}

/// Distances at which pairs are looked at.
const PAIR_DISTANCES: [u32; 3] = [1, 6, 16];

/// A row of the per-hop table.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct HopRow {
    /// Switches passed.
    pub switches: u32,
    /// Links passed.
    pub links: u32,
    /// Errors.
    #[serde(flatten)]
    pub errors: Summary,
    /// Slowest lock, periods.
    pub lock_periods: f64,
    /// Share of lost updates.
    pub lost: f64,
}

impl ChainResult {
    /// The per-hop table.
    #[must_use]
    pub fn table(&self) -> Vec<HopRow> {
        let row = |hop: &HopResult| HopRow {
            switches: hop.switches,
            links: hop.switches + 1,
            errors: hop.statistics.summary(),
            lock_periods: hop.lock_periods,
            lost: hop.lost,
        };
        self.hops.iter().map(row).collect()
    }

    /// Largest error of any slave, femtoseconds.
    #[must_use]
    pub fn worst_fs(&self) -> i64 {
        self.hops.iter().map(|hop| hop.statistics.worst_fs()).max_by_key(|error| error.abs()).unwrap_or(0)
    }

    /// Adds another run of the same chain.
    pub fn merge(&mut self, other: Self) {
        let runs = f64::from(self.runs);
        for (mine, theirs) in self.hops.iter_mut().zip(other.hops) {
            mine.statistics.merge(&theirs.statistics);
            mine.independent.extend(theirs.independent);
            mine.lock_periods = mine.lock_periods.max(theirs.lock_periods);
            mine.late_locks += theirs.late_locks;
            mine.lost =
                (mine.lost * runs + theirs.lost * f64::from(other.runs)) / (runs + f64::from(other.runs));
        }
        let losses = [
            (&mut self.losses.offered, other.losses.offered),
            (&mut self.losses.stale, other.losses.stale),
            (&mut self.losses.dropped, other.losses.dropped),
            (&mut self.losses.waited_too_long, other.losses.waited_too_long),
            (&mut self.losses.gone, other.losses.gone),
        ];
        losses.into_iter().for_each(|(mine, theirs)| *mine += theirs);
        for (mine, theirs) in self.pairs.iter_mut().zip(other.pairs) {
            mine.worst_fs = mine.worst_fs.max(theirs.worst_fs);
        }
        self.backward += other.backward;
        self.steps_after_lock += other.steps_after_lock;
        self.runs += other.runs;
    }
}

/// Compares the errors of each hop count under two loads.
#[must_use]
pub fn compare(first: &ChainResult, second: &ChainResult) -> Vec<SameDistribution> {
    let pairs = first.hops.iter().zip(&second.hops);
    pairs.map(|(a, b)| kolmogorov_smirnov(&mut a.independent.clone(), &mut b.independent.clone())).collect()
}

/// Brings a chain up.
pub fn start(config: &ChainConfig) -> Result<(Chain, Fabric), ExperimentError> {
    let time = TimeConfig { ring_ratio: (config.ring_ratio, 1), ..TimeConfig::default() };
    let chain = Topology::chain(config.switches, &time)?;
    let fabric = Fabric::start(chain.topology.clone(), chain.master, config.network)?;
    Ok((chain, fabric))
}

/// Brings a chain up and records it.
pub fn run(config: &ChainConfig) -> Result<ChainResult, ExperimentError> {
    let (chain, Fabric { mut network, .. }) = start(config)?;
    network.recorder = Recorder::of(&chain.slaves, config.series_every);
    let before: Vec<u64> = chain.slaves.iter().map(|slave| network.history(*slave).received).collect();
    let mut pairs = PAIR_DISTANCES.map(|switches| PairError { switches, worst_fs: 0 });
    for _ in 0..config.periods {
        network.run_periods(1);
        compare_pairs(&network, &chain, &mut pairs);
    }
    let period_ps = (config.network.gen_period << GEN_PERIOD_SHIFT) as f64 * 1000.0;
    let mut hops = vec![];
    for (place, &slave) in chain.slaves.iter().enumerate() {
        let Some(record) = network.recorder.record(slave).cloned() else { continue };
        let history = network.history(slave);
        let lock_ps = history.locked.unwrap_or(0) - history.first_sample.unwrap_or(0);
        hops.push(HopResult {
            switches: place as u32 + 1,
            statistics: record.statistics,
            independent: record.independent,
            series: record.series,
            lock_periods: lock_ps as f64 / period_ps,
            late_locks: u32::from(lock_ps as f64 / period_ps > LOCK_PERIODS.1 as f64),
            // One update more or less may fall into the recorded time.
            lost: (1.0 - (history.received - before[place]) as f64 / config.periods.max(1) as f64).max(0.0),
        });
    }
    let clocks = || chain.slaves.iter().chain(&chain.switches).map(|device| network.history(*device));
    Ok(ChainResult {
        hops,
        losses: network.losses(),
        backward: clocks().map(|history| history.backward).sum(),
        steps_after_lock: clocks().map(|history| history.steps_after_lock).sum(),
        runs: 1,
        pairs,
    })
}

/// Looks at all pairs now; the master is the first clock, with error 0.
fn compare_pairs(network: &Network, chain: &Chain, pairs: &mut [PairError]) {
    let slaves = chain.slaves.iter().map(|slave| network.error_fs(*slave));
    let clocks: Vec<i64> = std::iter::once(0).chain(slaves).collect();
    for pair in pairs {
        let apart = clocks.iter().zip(clocks.iter().skip(pair.switches as usize));
        let worst = apart.map(|(a, b)| (a - b).abs()).max().unwrap_or(0);
        pair.worst_fs = pair.worst_fs.max(worst);
    }
}

/// Runs with seeds `first..first + runs` and merges them.
pub fn run_seeds(
    config: &ChainConfig,
    first: u64,
    runs: u32,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<ChainResult, ExperimentError> {
    let with = |seed| ChainConfig { network: NetworkConfig { seed, ..config.network }, ..*config };
    let mut all = run(&with(first))?;
    for number in 1..runs {
        progress(number.into(), runs.into());
        all.merge(run(&with(first + u64::from(number)))?);
    }
    progress(runs.into(), runs.into());
    Ok(all)
}

/// One case of T12.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChainCase {
    /// Name, with period, bit error rate, ramp and mode.
    pub name: &'static str,
    /// GEN_PERIOD, 2^20 ns.
    pub gen_period: u64,
    /// Bit error rate.
    pub ber: f64,
    /// Ramp of every oscillator, parts per 10^12 per second.
    pub ramp_ppt_per_s: i64,
    /// ADVANCE instead of DROP.
    pub advance: bool,
    /// HIGH_EVERY. Where half of the updates are lost it is 1, which costs nothing as High shares Low's beat: with one
    /// High in ten a slave may find no High of a new era for 60 periods, and drift by more than a clock.
    pub high_every: u64,
}

/// The cases of T12; each is run at load 0, 50 and 100 %.
pub const CASES: [ChainCase; 7] = [
    ChainCase { name: "1.05 ms", gen_period: 1, ber: 0.0, ramp_ppt_per_s: 0, advance: false, high_every: 10 },
    ChainCase {
        name: "1.05 ms, 1 ppm/s",
        gen_period: 1,
        ber: 0.0,
        ramp_ppt_per_s: 1_000_000,
        advance: false,
        high_every: 10,
    },
    ChainCase {
        name: "1.05 ms, BER 1e-6, DROP",
        gen_period: 1,
        ber: 1e-6,
        ramp_ppt_per_s: 0,
        advance: false,
        high_every: 1,
    },
    ChainCase {
        name: "1.05 ms, BER 1e-6, ADVANCE",
        gen_period: 1,
        ber: 1e-6,
        ramp_ppt_per_s: 0,
        advance: true,
        high_every: 1,
    },
    ChainCase {
        name: "99.6 ms",
        gen_period: 95,
        ber: 0.0,
        ramp_ppt_per_s: 0,
        advance: false,
        high_every: 10,
    },
    ChainCase {
        name: "99.6 ms, 5 ppb/s",
        gen_period: 95,
        ber: 0.0,
        ramp_ppt_per_s: 5_000,
        advance: false,
        high_every: 10,
    },
    ChainCase {
        name: "99.6 ms, BER 1e-8, DROP",
        gen_period: 95,
        ber: 1e-8,
        ramp_ppt_per_s: 0,
        advance: false,
        high_every: 10,
    },
];

/// Loads of T12 in percent.
pub const LOADS: [u32; 3] = [0, 50, 100];

impl ChainCase {
    /// The case's configuration at a load.
    #[must_use]
    pub fn config(&self, base: &ChainConfig, load_percent: u32) -> ChainConfig {
        let line = crate::line::LineConfig {
            ber: self.ber,
            advance: self.advance,
            load_percent,
            ..base.network.line
        };
        let network = NetworkConfig {
            line,
            gen_period: self.gen_period,
            high_every: self.high_every,
            ramp_ppt_per_s: self.ramp_ppt_per_s,
            ..base.network
        };
        ChainConfig { network, ..*base }
    }
}
