//! `switch-64`: 64 endpoints behind 16 switches while lanes fail at random, on the models of switch, credits, virtual lanes
//! and links (chapter 10, 9, points 15 and 17).

use super::clock_tree::metrics_of;
use flitforge_model::pair::BitErrorRate;
use flitforge_model::switch::scale::{scale, Plan, ScaleParameters};
use flitforge_protocol::packet::MAX_PAYLOAD_BYTES;
use flitforge_sim::scenario::{figure, Metrics, Progress, Scenario, ScenarioParameter, ScenarioValues};
use flitforge_sim::waves::WaveRequest;
use flitforge_sim::SimError;

/// The scenario.
pub struct Switch64Scenario;

const PARAMETERS: &[ScenarioParameter] = &[
    ScenarioParameter {
        name: "flits",
        default: 1_000_000,
        min: 1_000,
        max: 1_000_000_000_000,
        doc: "flits to deliver to endpoints",
    },
    ScenarioParameter {
        name: "load",
        default: 60,
        min: 1,
        max: 100,
        doc: "what every endpoint sends, in percent of its clocks",
    },
    ScenarioParameter {
        name: "payload",
        default: 512,
        min: 0,
        max: MAX_PAYLOAD_BYTES as u64,
        doc: "largest payload in bytes; sizes are random up to it",
    },
    ScenarioParameter { name: "faults", default: 16, min: 0, max: 1_000, doc: "lanes that become noisy" },
    ScenarioParameter {
        name: "noise",
        default: 2_000_000,
        min: 0,
        max: 10_000_000,
        doc: "bit error rate of such a lane in units of 10^-9",
    },
    ScenarioParameter {
        name: "tree",
        default: 0,
        min: 0,
        max: 1,
        doc: "0: fat tree of 8 and 8 switches with 16 ports, 1: tree of 16 switches with 8 ports",
    },
    ScenarioParameter {
        name: "adapt",
        default: 0,
        min: 0,
        max: 1,
        doc: "1: packets may take two ways and need not stay in order",
    },
    ScenarioParameter { name: "mark", default: 0, min: 0, max: 65_535, doc: "MARK_AU, 0: off" },
];

impl Scenario for Switch64Scenario {
    fn name(&self) -> &str {
        "switch-64"
    }

    fn summary(&self) -> &str {
        "64 endpoints behind 16 switches while lanes fail: every packet once, unaltered and in order, every credit there"
    }

    fn parameters(&self) -> &[ScenarioParameter] {
        PARAMETERS
    }

    fn takes(&self) -> &str {
        "30 s"
    }

    fn sentence(&self, metrics: &Metrics) -> String {
        let of = |path: &str| figure(metrics, path);
        format!(
            "64 endpoints after 16 switches for {} clocks, {} noisy lanes: {} of {} packets delivered ({} flits), {} dropped, none altered, \
             none twice, none out of order, {} lanes removed",
            of("clocks"),
            of("faults"),
            of("packets.1"),
            of("packets.0"),
            of("flits"),
            of("dropped"),
            of("removed")
        )
    }

    fn run(
        &self,
        values: &ScenarioValues,
        seed: u64,
        progress: &mut Progress<'_>,
        _waves: &WaveRequest,
    ) -> Result<Metrics, SimError> {
        let parameters = ScaleParameters {
            plan: if values.get("tree")? == 1 { Plan::Tree } else { Plan::FatTree },
            flits: values.get("flits")?,
            load: values.get("load")? as u32,
            payload: values.get("payload")? as usize,
            faults: values.get("faults")? as usize,
            noise: BitErrorRate { per_1e9: values.get("noise")? as u32 },
            adapt: values.get("adapt")? == 1,
            mark_units: values.get("mark")? as u16,
        };
        let report = scale(&parameters, seed, progress).map_err(|error| SimError::Format {
            what: "scenario `switch-64`".into(),
            problem: error.to_string(),
        })?;
        Ok(metrics_of(serde_json::to_value(&report).unwrap_or_default()))
    }
}
