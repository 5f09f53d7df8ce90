//! Long runs of a link pair under random bit errors: the scenario `link-soak` (chapter 10, 9, point 5).

use super::{BitErrorRate, ErrorProcess, LinkPair, PairConfig, Violation};
use crate::counters::Counters;
use crate::retry::{Fault, RetryConfig, RetryConfigError, RxRow};
use flitforge_protocol::counter::LinkCounter;
use flitforge_protocol::ltp::{BITS_1056, FLITS_PER_LTP};
use flitforge_protocol::retry::LIMIT_MAX;
use serde::Serialize;
use std::collections::BTreeMap;
use thiserror::Error;

/// What to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SoakParameters {
    /// Parameters of both ends.
    pub retry: RetryConfig,
    /// Round trip in LTP times, at least 1.
    pub round_trip: u64,
    /// Bit error rate of both directions.
    pub error_rate: BitErrorRate,
    /// Flits to deliver, both directions together.
    pub flits: u64,
    /// LTP times after which a run that has not delivered them is given up.
    pub time_limit: u64,
}

/// What came of it. Serialises to the metrics of the scenario.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SoakReport {
    /// Flits delivered, both directions together, Idle-filled LTPs included.
    pub flits: u64,
    /// LTP times simulated.
    pub ltp_times: u64,
    /// RTT_LTP as Init measured it, both ends.
    pub round_trip: [u32; 2],
    /// Times the link started afresh.
    pub downs: u64,
    /// Rows of table 4.3, both receivers together.
    pub rows: BTreeMap<String, u64>,
    /// Counters of both ends together, those that are not zero.
    pub counters: BTreeMap<String, u64>,
}

/// A run that failed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SoakError {
    /// Parameters that cannot work.
    #[error(transparent)]
    Config(#[from] RetryConfigError),
    /// A promise of the link was broken.
    #[error("link soak, seed {seed:#x}: {violation}")]
    Violation {
        /// The seed, to repeat the run.
        seed: u64,
        /// The broken promise.
        violation: Violation,
    },
    /// Too little was delivered.
    #[error(
        "link soak, seed {seed:#x}: {flits} of {wanted} flits after {time} LTP times; last faults {faults:?}"
    )]
    Slow {
        /// The seed, to repeat the run.
        seed: u64,
        /// Flits delivered.
        flits: u64,
        /// Flits asked for.
        wanted: u64,
        /// LTP times simulated.
        time: u64,
        /// Faults seen, with time and end.
        faults: Vec<(u64, usize, Fault)>,
    },
}

/// LTP times between two calls of `progress`.
const PROGRESS_LTPS: u64 = 1 << 16;

/// Runs two ends until `flits` flits are delivered. `progress` is called with flits delivered and asked for.
pub fn soak(
    parameters: &SoakParameters,
    seed: u64,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<SoakReport, SoakError> {
    let chance = parameters.error_rate.ltp_chance(BITS_1056);
    let config = PairConfig::symmetric(parameters.retry, parameters.round_trip);
    let mut pair = LinkPair::new(config, ErrorProcess::random([chance; 2], seed))?;
    loop {
        let delivered = flits(&pair);
        progress(delivered.min(parameters.flits), parameters.flits);
        if delivered >= parameters.flits {
            return Ok(report(&pair));
        }
        if pair.now() >= parameters.time_limit {
            let (wanted, time, faults) = (parameters.flits, pair.now(), pair.faults().to_vec());
            return Err(SoakError::Slow { seed, flits: delivered, wanted, time, faults });
        }
        let ltps = PROGRESS_LTPS.min(parameters.time_limit - pair.now());
        pair.run(ltps).map_err(|violation| SoakError::Violation { seed, violation })?;
    }
}

/// The campaign's replay slots, round trips in LTP times, and bit error rates in units of 10^-9.
const GRID_SLOTS: [usize; 2] = [16, 128];
const GRID_ROUND_TRIPS: [u64; 5] = [3, 10, 40, 120, 300];
const GRID_RATES_PER_1E9: [u32; 4] = [1_000, 10_000, 100_000, 500_000];
/// LTP times for one flit of the campaign, beyond which a run is given up.
const GRID_PATIENCE: u64 = 400;
/// From this rate on RETRY_LIMIT is 255. 1e-4 makes 10 % of all LTPs bad and 5e-4 41 %. Every second bad LTP in TOSS repeats the
/// request, so that a round trip of 300 LTPs can use up RETRY_LIMIT 8 without any answer, four times in a row once in some
/// 10^7 flits: a link that goes Down has kept its promises but lost what was under way.
const GRID_PATIENT_FROM_PER_1E9: u32 = 100_000;

/// What came of a campaign. Serialises to the metrics of the scenario.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct SoakGridReport {
    /// Runs, each with as many flits as asked for.
    pub runs: u64,
    /// Flits delivered in all runs, both directions together.
    pub flits: u64,
    /// LTP times simulated in all runs.
    pub ltp_times: u64,
    /// LTP times of the longest run.
    pub longest_ltp_times: u64,
    /// Times a link started afresh.
    pub downs: u64,
    /// Bad LTPs of the run that had the fewest, those of the lowest rate left out.
    pub fewest_bad: u64,
    /// Rows of table 4.3, all receivers together.
    pub rows: BTreeMap<String, u64>,
    /// Counters of all ends together, those that are not zero.
    pub counters: BTreeMap<String, u64>,
}

/// Runs [`soak`] for every buffer, round trip and rate of the campaign, until `flits` flits are delivered in each.
pub fn soak_grid(
    flits: u64,
    seed: u64,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<SoakGridReport, SoakError> {
    let mut grid = SoakGridReport { fewest_bad: u64::MAX, ..SoakGridReport::default() };
    let runs = GRID_SLOTS.len() * GRID_ROUND_TRIPS.len() * GRID_RATES_PER_1E9.len();
    let all = flits.saturating_mul(runs as u64);
    for slots in GRID_SLOTS {
        for round_trip in GRID_ROUND_TRIPS {
            for per_1e9 in GRID_RATES_PER_1E9 {
                let retry = RetryConfig { slots, ..RetryConfig::default() };
                let patient = RetryConfig { retry_limit: LIMIT_MAX, ..retry };
                let parameters = SoakParameters {
                    retry: if per_1e9 < GRID_PATIENT_FROM_PER_1E9 { retry } else { patient },
                    round_trip,
                    error_rate: BitErrorRate { per_1e9 },
                    flits,
                    time_limit: flits.saturating_mul(GRID_PATIENCE),
                };
                let before = grid.runs * flits;
                let report = soak(&parameters, seed, &mut |done, _| progress(before + done, all))?;
                grid.add(&report, per_1e9);
            }
        }
    }
    Ok(grid)
}

impl SoakGridReport {
    fn add(&mut self, report: &SoakReport, per_1e9: u32) {
        self.runs += 1;
        self.flits += report.flits;
        self.ltp_times += report.ltp_times;
        self.longest_ltp_times = self.longest_ltp_times.max(report.ltp_times);
        self.downs += report.downs;
        if per_1e9 > GRID_RATES_PER_1E9[0] {
            let bad = report.counters.get(LinkCounter::RxBad.name()).copied().unwrap_or_default();
            self.fewest_bad = self.fewest_bad.min(bad);
        }
        for (sums, counts) in [(&mut self.rows, &report.rows), (&mut self.counters, &report.counters)] {
            counts.iter().for_each(|(name, count)| *sums.entry(name.clone()).or_default() += count);
        }
    }
}

fn flits(pair: &LinkPair) -> u64 {
    (pair.monitor(0).delivered() + pair.monitor(1).delivered()) * FLITS_PER_LTP as u64
}

fn report(pair: &LinkPair) -> SoakReport {
    let mut counters = Counters::new();
    (0..2).for_each(|end| counters.merge(&pair.counters(end)));
    SoakReport {
        flits: flits(pair),
        ltp_times: pair.now(),
        round_trip: [0, 1].map(|end| pair.port(end).tx().round_trip()),
        downs: pair.downs(),
        rows: RxRow::ALL.iter().zip(pair.rows()).map(|(row, count)| (row.name().to_owned(), count)).collect(),
        counters: counters.nonzero().map(|(name, value)| (name.to_string(), value)).collect(),
    }
}
