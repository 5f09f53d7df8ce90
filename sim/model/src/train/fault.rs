//! A long run with noisy lanes: the scenario `lane-fault` (chapter 10, 9, point 9).

use super::config::{TrainConfig, TrainConfigError};
use super::pair::{Cable, TrainPair};
use crate::degrade::{DegradeConfig, DegradeConfigError};
use crate::pair::{BitErrorRate, Violation};
use flitforge_protocol::lane_word::MAX_LANES;
use flitforge_protocol::link::LinkState;
use flitforge_protocol::ltp::FLITS_PER_LTP;
use serde::Serialize;
use std::collections::BTreeMap;
use thiserror::Error;

/// What to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LaneFaultParameters {
    /// Training of both ends. Modes 2 and 3 are refused: their residues are not simulated.
    pub train: TrainConfig,
    /// Lane removal of both ends.
    pub degrade: DegradeConfig,
    /// Bit error rate of each lane of the direction from each end.
    pub noise: [[BitErrorRate; MAX_LANES]; 2],
    /// Training-set times, which are LTP times.
    pub steps: u64,
    /// The noise stops after so many of them; 0: never.
    pub noise_steps: u64,
}

/// A lane that was removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Removal {
    /// Time.
    pub step: u64,
    /// End that removed it: the receiver.
    pub by: usize,
    /// Lane, by the sender's number.
    pub lane: u8,
}

/// A lane that came back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Return {
    /// Time.
    pub step: u64,
    /// End that asks for it: the receiver.
    pub by: usize,
    /// Lane, by the sender's number.
    pub lane: u8,
}

/// What came of it. Serialises to the metrics of the scenario.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LaneFaultReport {
    /// Flits delivered, both directions together.
    pub flits: u64,
    /// LTP times.
    pub steps: u64,
    /// Lanes removed, in order.
    pub removals: Vec<Removal>,
    /// Lanes that came back from probation, in order.
    pub returns: Vec<Return>,
    /// Lanes left in the direction from each end, bit l = lane l.
    pub lanes: [u8; 2],
    /// Verdicts charged to each lane of the direction from each end.
    pub lane_errors: [[u64; MAX_LANES]; 2],
    /// LTPs given up because the link started afresh.
    pub lost_on_reset: u64,
    /// Counters of both ends together, those that are not zero.
    pub counters: BTreeMap<String, u64>,
}

/// A run that failed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum LaneFaultError {
    /// Training parameters that cannot work.
    #[error(transparent)]
    Train(#[from] TrainConfigError),
    /// Parameters of lane removal that cannot work.
    #[error(transparent)]
    Degrade(#[from] DegradeConfigError),
    /// A promise of the link was broken.
    #[error("lane fault, seed {seed:#x}: {violation}")]
    Violation {
        /// The seed, to repeat the run.
        seed: u64,
        /// The broken promise.
        violation: Violation,
    },
}

/// Steps between two calls of `progress`.
const PROGRESS_STEPS: u64 = 1 << 14;

/// Runs two ends with noisy lanes. `progress` is called with steps done and asked for.
pub fn lane_fault(
    parameters: &LaneFaultParameters,
    seed: u64,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<LaneFaultReport, LaneFaultError> {
    let modes = parameters.train.modes;
    if modes.capabilities & 0b110 != 0 {
        let value = modes.capabilities.into();
        let expected = "modes 0 and 1 only (at most bit 0) with noisy lanes";
        return Err(TrainConfigError { parameter: "CRC capabilities", value, expected }.into());
    }
    let mut pair = TrainPair::new([parameters.train; 2], [Cable::straight(); 2])?;
    pair.watch_lanes(parameters.degrade, parameters.noise, seed)?;
    let (mut removals, mut returns) = (Vec::new(), Vec::new());
    while pair.steps() < parameters.steps {
        if pair.steps() % PROGRESS_STEPS == 0 {
            progress(pair.steps(), parameters.steps);
        }
        if pair.steps() == parameters.noise_steps {
            for (from, lane) in (0..2).flat_map(|from| (0..MAX_LANES).map(move |lane| (from, lane))) {
                if parameters.noise_steps != 0 {
                    pair.set_noise(from, lane, BitErrorRate::default());
                }
            }
        }
        pair.step().map_err(|violation| LaneFaultError::Violation { seed, violation })?;
        let step = pair.steps();
        removals.extend(pair.take_removals().into_iter().map(|(by, lane)| Removal { step, by, lane }));
        returns.extend(pair.take_returns().into_iter().map(|(by, lane)| Return { step, by, lane }));
    }
    progress(parameters.steps, parameters.steps);
    Ok(report(&pair, removals, returns))
}

fn report(pair: &TrainPair, removals: Vec<Removal>, returns: Vec<Return>) -> LaneFaultReport {
    let mut counters = pair.port(0).counters();
    counters.merge(&pair.port(1).counters());
    let mut lane_errors = [[0; MAX_LANES]; 2];
    for (from, errors) in lane_errors.iter_mut().enumerate() {
        if let Some(watch) = pair.watch(1 - from) {
            *errors = *watch.isolate().lane_errors();
            counters.merge(watch.isolate().counters());
            counters.merge(watch.degrade().counters());
        }
    }
    let delivered = pair.monitor(0).delivered() + pair.monitor(1).delivered();
    LaneFaultReport {
        flits: delivered * FLITS_PER_LTP as u64,
        steps: pair.steps(),
        removals,
        returns,
        lanes: [0, 1].map(|end| match pair.train(end).state() {
            LinkState::Down | LinkState::Polling => 0,
            _ => pair.train(end).tx().map_or(0, |tx| tx.lanes),
        }),
        lane_errors,
        lost_on_reset: pair.monitor(0).lost_on_reset + pair.monitor(1).lost_on_reset,
        counters: counters.nonzero().map(|(name, value)| (name.to_string(), value)).collect(),
    }
}
