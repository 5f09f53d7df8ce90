//! `link-soak`: two ends of a link under random bit errors, on the models of the retry protocol (chapter 10, 9, point 5).

use super::clock_tree::metrics_of;
use flitforge_model::pair::{soak, soak_grid, BitErrorRate, SoakError, SoakParameters};
use flitforge_model::retry::RetryConfig;
use flitforge_protocol::link::REPLAY_LTPS;
use flitforge_sim::scenario::{figure, Metrics, Progress, Scenario, ScenarioParameter, ScenarioValues};
use flitforge_sim::waves::WaveRequest;
use flitforge_sim::SimError;

/// The scenario.
pub struct LinkSoakScenario;

const PARAMETERS: &[ScenarioParameter] = &[
    ScenarioParameter {
        name: "flits",
        default: 1_000_000,
        min: 1_000,
        max: 1_000_000_000_000,
        doc: "flits to deliver, both directions together",
    },
    ScenarioParameter {
        name: "ber",
        default: 10_000,
        min: 0,
        max: 1_000_000_000,
        doc: "bit error rate of both directions in units of 10^-9; 10000 is 10^-5",
    },
    ScenarioParameter {
        name: "slots",
        default: 128,
        min: 16,
        max: 256,
        doc: "replay slots R: 16, 32, 64, 128 or 256",
    },
    ScenarioParameter { name: "rtt", default: 30, min: 1, max: 1_000, doc: "round trip in LTP times" },
    ScenarioParameter {
        name: "retry_limit",
        default: 255,
        min: 1,
        max: 255,
        doc: "requests for one pointer before Retraining",
    },
    ScenarioParameter {
        name: "bad_run",
        default: 8,
        min: 1,
        max: 255,
        doc: "consecutive bad LTPs that mean lost framing",
    },
    ScenarioParameter {
        name: "grid",
        default: 0,
        min: 0,
        max: 1,
        doc: "1: the 40 runs of the campaign, R 16 and 128, RTT 3 to 300, BER 1e-6 to 5e-4, `flits` each; of the others none counts",
    },
];

/// LTP times for one flit, beyond which a run is given up.
const PATIENCE: u64 = 1_000;

/// A model's error: what the user gave, or a promise broken.
fn failed(error: SoakError) -> SimError {
    SimError::Format { what: "scenario `link-soak`".into(), problem: error.to_string() }
}

impl Scenario for LinkSoakScenario {
    fn name(&self) -> &str {
        "link-soak"
    }

    fn summary(&self) -> &str {
        "retry under random bit errors in both directions: every flit once and in order, or an error"
    }

    fn parameters(&self) -> &[ScenarioParameter] {
        PARAMETERS
    }

    fn takes(&self) -> &str {
        "2 s"
    }

    fn sentence(&self, metrics: &Metrics) -> String {
        let of = |path: &str| figure(metrics, path);
        format!(
            "two ends of a link under bit errors for {} LTP times: {} flits delivered, none lost, none altered, none twice, {} fresh starts",
            of("ltp_times"),
            of("flits"),
            of("downs")
        )
    }

    fn run(
        &self,
        values: &ScenarioValues,
        seed: u64,
        progress: &mut Progress<'_>,
        _waves: &WaveRequest,
    ) -> Result<Metrics, SimError> {
        let (flits, slots) = (values.get("flits")?, values.get("slots")?);
        if values.get("grid")? == 1 {
            let report = soak_grid(flits, seed, progress).map_err(failed)?;
            return Ok(metrics_of(serde_json::to_value(&report).unwrap_or_default()));
        }
        if !REPLAY_LTPS.contains(&(slots as usize)) {
            return Err(SimError::Unknown {
                kind: "number of replay slots",
                name: slots.to_string(),
                available: REPLAY_LTPS.iter().map(usize::to_string).collect(),
            });
        }
        let parameters = SoakParameters {
            retry: RetryConfig {
                slots: slots as usize,
                retry_limit: values.get("retry_limit")? as u32,
                bad_run: values.get("bad_run")? as u32,
                ..RetryConfig::default()
            },
            round_trip: values.get("rtt")?,
            error_rate: BitErrorRate { per_1e9: values.get("ber")? as u32 },
            flits,
            time_limit: flits.saturating_mul(PATIENCE),
        };
        let report = soak(&parameters, seed, progress).map_err(failed)?;
        Ok(metrics_of(serde_json::to_value(&report).unwrap_or_default()))
    }
}
