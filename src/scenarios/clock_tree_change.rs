//! `clock-tree-change`: masters, switches and links are lost and trees change in operation (chapter 20, T15).

use super::clock_tree::{failed, metrics_of, network, NETWORK};
use flitforge_fabric::failover::{run, Change, FailoverConfig, FailoverResult};
use flitforge_fabric::network::NetworkConfig;
use flitforge_fabric::report::failover_html;
use flitforge_fabric::statistics::ErrorStatistics;
use flitforge_sim::scenario::{
    figure, Metrics, Progress, Scenario, ScenarioFile, ScenarioParameter, ScenarioValues,
};
use flitforge_sim::waves::WaveRequest;
use flitforge_sim::SimError;
use serde_json::json;

/// The scenario.
pub struct ClockTreeChangeScenario;

const PARAMETERS: &[ScenarioParameter] = &[
    ScenarioParameter {
        name: "change",
        default: 0,
        min: 0,
        max: 4,
        doc: "0 master lost, cold backup; 1 hot backup; 2 switch lost; 3 link lost; 4 tree changed",
    },
    ScenarioParameter { name: "rungs", default: 6, min: 2, max: 128, doc: "rungs of the ladder of switches" },
    ScenarioParameter {
        name: "pause",
        default: 20,
        min: 0,
        max: 1000,
        doc: "periods until the manager acts",
    },
    ScenarioParameter { name: "runs", default: 20, min: 1, max: 10_000, doc: "runs, each at a random time" },
    NETWORK[0],
    NETWORK[1],
    NETWORK[2],
    NETWORK[3],
    NETWORK[4],
    NETWORK[5],
    NETWORK[6],
    NETWORK[7],
];

impl Scenario for ClockTreeChangeScenario {
    fn name(&self) -> &str {
        "clock-tree-change"
    }

    fn summary(&self) -> &str {
        "fabric time while a master, a switch or a link is lost, or the tree changes"
    }

    fn parameters(&self) -> &[ScenarioParameter] {
        PARAMETERS
    }

    fn takes(&self) -> &str {
        "10 s"
    }

    fn sentence(&self, metrics: &Metrics) -> String {
        let of = |path: &str| figure(metrics, path);
        format!(
            "{} runs in which the clock tree changes: {} readings of slaves, none off by more than {} ps, {} steps after lock, {} readings \
             backward, {} updates of an old era refused",
            of("runs"),
            of("errors.samples"),
            of("errors.worst_ps"),
            of("steps_after_lock"),
            of("backward"),
            of("old_era_refused")
        )
    }

    fn run(
        &self,
        values: &ScenarioValues,
        seed: u64,
        progress: &mut Progress<'_>,
        waves: &WaveRequest,
    ) -> Result<Metrics, SimError> {
        Ok(self.run_with_files(values, seed, progress, waves)?.0)
    }

    fn run_with_files(
        &self,
        values: &ScenarioValues,
        seed: u64,
        progress: &mut Progress<'_>,
        _waves: &WaveRequest,
    ) -> Result<(Metrics, Vec<ScenarioFile>), SimError> {
        let base = FailoverConfig {
            change: Change::ALL[values.get("change")? as usize],
            rungs: values.get("rungs")? as u32,
            pause_periods: values.get("pause")?,
            network: network(values, seed)?,
        };
        let runs = values.get("runs")?;
        let mut all = ErrorStatistics::default();
        let mut worst: Option<(FailoverConfig, FailoverResult)> = None;
        let (mut backward, mut steps, mut old_era) = (0, 0, 0);
        for number in 0..runs {
            progress(number, runs);
            let network = NetworkConfig { seed: seed + number, ..base.network };
            let config = FailoverConfig { network, ..base };
            let result = run(&config).map_err(failed(self.name()))?;
            all.merge(&result.statistics);
            (backward, steps) = (backward + result.backward, steps + result.steps);
            old_era += result.old_era;
            let error = result.statistics.worst_fs().abs();
            if worst.as_ref().is_none_or(|(_, worst)| error > worst.statistics.worst_fs().abs()) {
                worst = Some((config, result));
            }
        }
        let files = worst.as_ref().map(|(config, result)| ScenarioFile {
            name: "report.html",
            content: failover_html(config, result).into(),
        });
        let metrics = json!({
            "config": base,
            "runs": runs,
            "errors": all.summary(),
            "worst_seed": worst.as_ref().map(|(config, _)| config.network.seed),
            "stranded_in_worst_run": worst.as_ref().map(|(_, result)| &result.stranded),
            "backward": backward,
            "steps_after_lock": steps,
            "old_era_refused": old_era,
        });
        Ok((metrics_of(metrics), files.into_iter().collect()))
    }
}
