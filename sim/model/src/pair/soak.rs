//! A long run of a link pair under random bit errors: the scenario `link-soak` (chapter 10, 9, point 5).

use super::{BitErrorRate, ErrorProcess, LinkPair, PairConfig, Violation};
use crate::counters::Counters;
use crate::retry::{Fault, RetryConfig, RetryConfigError, RxRow};
use flitforge_protocol::ltp::{BITS_1056, FLITS_PER_LTP};
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
        rows: RxRow::ALL.iter().zip(pair.rows()).map(|(row, count)| (format!("{row:?}"), count)).collect(),
        counters: counters.nonzero().map(|(name, value)| (name.to_string(), value)).collect(),
    }
}
