//! `lane-fault`: noisy lanes until they are removed, on the models of training, isolation and degrade (chapter 10, 9,
//! points 8 and 9).

use super::clock_tree::metrics_of;
use flitforge_model::degrade::DegradeConfig;
use flitforge_model::pair::BitErrorRate;
use flitforge_model::train::{lane_fault, LaneFaultParameters, ModeOffer, TrainConfig};
use flitforge_sim::scenario::{figure, Metrics, Progress, Scenario, ScenarioParameter, ScenarioValues};
use flitforge_sim::waves::WaveRequest;
use flitforge_sim::SimError;
use serde_json::Value;

/// The scenario.
pub struct LaneFaultScenario;

const fn noise(name: &'static str, default: u64) -> ScenarioParameter {
    ScenarioParameter {
        name,
        default,
        min: 0,
        max: 1_000_000_000,
        doc: "bit error rate of the lane, from end 0 to end 1, in units of 10^-9",
    }
}

const PARAMETERS: &[ScenarioParameter] = &[
    ScenarioParameter {
        name: "steps",
        default: 200_000,
        min: 1_000,
        max: 1_000_000_000,
        doc: "time in training sets, which is LTP times",
    },
    noise("lane0", 0),
    noise("lane1", 500_000),
    noise("lane2", 0),
    noise("lane3", 0),
    ScenarioParameter { name: "min_lanes", default: 1, min: 1, max: 4, doc: "MIN_LANES" },
    ScenarioParameter {
        name: "threshold",
        default: 2,
        min: 0,
        max: 7,
        doc: "TH: a debt of 2^(10 + TH) LTP times removes a lane",
    },
    ScenarioParameter {
        name: "safe",
        default: 0,
        min: 0,
        max: 7,
        doc: "SAFE: a verdict is charged 2^(7 + SAFE) LTP times at least; 0: what it cost",
    },
    ScenarioParameter {
        name: "probation",
        default: 0,
        min: 0,
        max: 1,
        doc: "1: a removed lane carries PRBS and comes back once its debt is worked off",
    },
    ScenarioParameter {
        name: "noise_steps",
        default: 0,
        min: 0,
        max: 1_000_000_000,
        doc: "time after which the noise stops; 0: never",
    },
];

impl Scenario for LaneFaultScenario {
    fn name(&self) -> &str {
        "lane-fault"
    }

    fn summary(&self) -> &str {
        "noisy lanes are found, removed and trained around while traffic goes on: every flit once and in order"
    }

    fn parameters(&self) -> &[ScenarioParameter] {
        PARAMETERS
    }

    fn takes(&self) -> &str {
        "2 s"
    }

    fn sentence(&self, metrics: &Metrics) -> String {
        let of = |path: &str| figure(metrics, path);
        let count = |name: &str| metrics.get(name).and_then(Value::as_array).map_or(0, Vec::len);
        format!(
            "two ends with noisy lanes for {} LTP times: {} flits delivered, none altered, none twice, {} LTPs given up at fresh starts, \
             {} lanes removed, {} returned",
            of("steps"),
            of("flits"),
            of("lost_on_reset"),
            count("removals"),
            count("returns")
        )
    }

    fn run(
        &self,
        values: &ScenarioValues,
        seed: u64,
        progress: &mut Progress<'_>,
        _waves: &WaveRequest,
    ) -> Result<Metrics, SimError> {
        let rate = |name: &str| Ok::<_, SimError>(BitErrorRate { per_1e9: values.get(name)? as u32 });
        let noisy = [rate("lane0")?, rate("lane1")?, rate("lane2")?, rate("lane3")?];
        let train = TrainConfig::default();
        let parameters = LaneFaultParameters {
            // The model follows residues in modes 0 and 1.
            train: TrainConfig {
                modes: ModeOffer { capabilities: 1, ..train.modes },
                probation: values.get("probation")? == 1,
                ..train
            },
            degrade: DegradeConfig {
                min_lanes: values.get("min_lanes")? as u8,
                threshold: values.get("threshold")? as u8,
                safe: values.get("safe")? as u8,
                ..DegradeConfig::default()
            },
            noise: [noisy, Default::default()],
            steps: values.get("steps")?,
            noise_steps: values.get("noise_steps")?,
        };
        let report = lane_fault(&parameters, seed, progress).map_err(|error| SimError::Format {
            what: "scenario `lane-fault`".into(),
            problem: error.to_string(),
        })?;
        Ok(metrics_of(serde_json::to_value(&report).unwrap_or_default()))
    }
}
