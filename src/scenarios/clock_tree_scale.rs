//! `clock-tree-scale`: thousands of slaves under four clock trees (chapter 20, T16).

use super::clock_tree::{failed, metrics_of, network, NETWORK};
use flitforge_fabric::network::NetworkConfig;
use flitforge_fabric::scale::{run, ScaleConfig};
use flitforge_protocol::time::{FIFO_DEPTH, MAX_TREES};
use flitforge_sim::scenario::{figure, Metrics, Progress, Scenario, ScenarioParameter, ScenarioValues};
use flitforge_sim::waves::WaveRequest;
use flitforge_sim::SimError;
use serde_json::json;

/// The scenario.
pub struct ClockTreeScaleScenario;

const PARAMETERS: &[ScenarioParameter] = &[
    ScenarioParameter { name: "levels", default: 4, min: 1, max: 6, doc: "levels of switches" },
    ScenarioParameter { name: "fan_out", default: 10, min: 2, max: 62, doc: "links down from every switch" },
    ScenarioParameter { name: "trees", default: 4, min: 1, max: MAX_TREES as u64, doc: "clock trees" },
    ScenarioParameter { name: "periods", default: 20, min: 1, max: 10_000, doc: "update periods recorded" },
    NETWORK[0],
    NETWORK[1],
    NETWORK[2],
    NETWORK[3],
    NETWORK[4],
    NETWORK[5],
    NETWORK[6],
    NETWORK[7],
];

impl Scenario for ClockTreeScaleScenario {
    fn name(&self) -> &str {
        "clock-tree-scale"
    }

    fn summary(&self) -> &str {
        "fabric time in a tree of switches with up to 100,000 slaves and more, and the manager's computing time"
    }

    fn parameters(&self) -> &[ScenarioParameter] {
        PARAMETERS
    }

    fn takes(&self) -> &str {
        "20 s"
    }

    fn sentence(&self, metrics: &Metrics) -> String {
        let of = |path: &str| figure(metrics, path);
        format!(
            "{} slaves of {} devices: {} readings, none off by more than {} ps, {} readings backward; a table for failover took {} ms",
            of("slaves"),
            of("devices"),
            of("errors.samples"),
            of("errors.worst_ps"),
            of("backward"),
            of("failover_table_ms")
        )
    }

    fn run(
        &self,
        values: &ScenarioValues,
        seed: u64,
        progress: &mut Progress<'_>,
        _waves: &WaveRequest,
    ) -> Result<Metrics, SimError> {
        let network = NetworkConfig { fifo_depth: FIFO_DEPTH.0, ..network(values, seed)? };
        let config = ScaleConfig {
            levels: values.get("levels")? as u32,
            fan_out: values.get("fan_out")? as u32,
            trees: values.get("trees")? as u32,
            periods: values.get("periods")?,
            network,
        };
        progress(0, 1);
        let result = run(&config).map_err(failed(self.name()))?;
        progress(1, 1);
        Ok(metrics_of(json!({
            "config": config,
            "slaves": result.slaves,
            "devices": result.devices,
            "errors": result.statistics.summary(),
            "trees": result.table(),
            "losses": result.losses,
            "backward": result.backward,
            "offsets_ms": result.offsets_ms,
            "failover_table_ms": result.failover_ms,
            "run_ms": result.run_ms,
        })))
    }
}
