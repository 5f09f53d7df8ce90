//! `sue-loss`: goodput of go-back-N on a wire that loses, and of packing, on the models of scale-up Ethernet (chapter 50, 9, points 1
//! and 4).

use super::clock_tree::metrics_of;
use flitforge_model::sue::loss::{loss, LossParameters};
use flitforge_sim::scenario::{figure, Metrics, Progress, Scenario, ScenarioParameter, ScenarioValues};
use flitforge_sim::waves::WaveRequest;
use flitforge_sim::SimError;

/// The scenario.
pub struct SueLossScenario;

const PARAMETERS: &[ScenarioParameter] = &[
    ScenarioParameter {
        name: "losses",
        default: 50,
        min: 1,
        max: 1_000_000,
        doc: "losses to wait for at each point, on the average",
    },
    ScenarioParameter {
        name: "smallest",
        default: 5,
        min: 2,
        max: 6,
        doc: "rates of loss from 1e-2 down to 10 to the power of minus this",
    },
    ScenarioParameter {
        name: "slots",
        default: 200_000,
        min: 100_000,
        max: 1_000_000_000,
        doc: "least PDU times of a point",
    },
    ScenarioParameter {
        name: "commands",
        default: 10_000,
        min: 1_000,
        max: 100_000_000,
        doc: "commands of each stream that is packed",
    },
];

impl Scenario for SueLossScenario {
    fn name(&self) -> &str {
        "sue-loss"
    }

    fn summary(&self) -> &str {
        "scale-up Ethernet: goodput of go-back-N under loss against E15, efficiency of packing against E14"
    }

    fn parameters(&self) -> &[ScenarioParameter] {
        PARAMETERS
    }

    fn takes(&self) -> &str {
        "6 s"
    }

    fn sentence(&self, metrics: &Metrics) -> String {
        let of = |path: &str| figure(metrics, path);
        let percent = |name: &str| metrics.get(name).and_then(serde_json::Value::as_f64).unwrap_or(f64::NAN);
        format!(
            "{} PDU times with {} losses: goodput within {:.2} % of E15 at every point, 5 % are allowed; frames within {:.3} % of E14, 0.5 % are allowed",
            of("slots"),
            of("losses"),
            percent("worst_goodput_percent"),
            percent("worst_packing_percent")
        )
    }

    fn run(
        &self,
        values: &ScenarioValues,
        seed: u64,
        progress: &mut Progress<'_>,
        _waves: &WaveRequest,
    ) -> Result<Metrics, SimError> {
        let parameters = LossParameters {
            losses: values.get("losses")?,
            least_slots: values.get("slots")?,
            smallest: values.get("smallest")? as u32,
            commands: values.get("commands")?,
        };
        let report = loss(&parameters, seed, progress).map_err(|error| SimError::Format {
            what: "scenario `sue-loss`".into(),
            problem: format!("seed {seed:#x}: {error}"),
        })?;
        Ok(metrics_of(serde_json::to_value(&report).unwrap_or_default()))
    }
}
