//! `sue-failover`: ports that die and return, on the models of scale-up Ethernet (chapter 50, 9, point 11).

use flitforge_model::sue::failover::{failover, FailoverMode, FailoverParameters, FailoverReport};
use flitforge_sim::scenario::{figure, Metrics, Progress, Scenario, ScenarioParameter, ScenarioValues};
use flitforge_sim::waves::WaveRequest;
use flitforge_sim::SimError;
use serde_json::json;

/// The scenario.
pub struct SueFailoverScenario;

const PARAMETERS: &[ScenarioParameter] = &[
    ScenarioParameter { name: "kills", default: 200, min: 1, max: 1_000_000, doc: "kills of each run" },
    ScenarioParameter { name: "ports", default: 0, min: 0, max: 4, doc: "ports of an XPU, 2 or 4; 0: both" },
    ScenarioParameter {
        name: "mode",
        default: 0,
        min: 0,
        max: 3,
        doc: "1: unordered, 2: strict with STRICT_FO, 3: strict without it; 0: all three",
    },
    ScenarioParameter { name: "xpus", default: 3, min: 2, max: 8, doc: "XPUs; each sends to all others" },
    ScenarioParameter { name: "vcs", default: 2, min: 1, max: 4, doc: "virtual channels" },
    ScenarioParameter {
        name: "gap",
        default: 300,
        min: 1,
        max: 100_000,
        doc: "PDU times between two kills on the average",
    },
    ScenarioParameter { name: "down", default: 1_200, min: 1, max: 100_000, doc: "most PDU times that a port is down" },
    ScenarioParameter { name: "loss", default: 5_000, min: 0, max: 500_000, doc: "PDUs lost, per million" },
    ScenarioParameter {
        name: "late",
        default: 80,
        min: 0,
        max: 100_000,
        doc: "most PDU times that a dying port holds a PDU back",
    },
    ScenarioParameter {
        name: "quiet",
        default: 200,
        min: 0,
        max: 100_000,
        doc: "PDU times that a connection rests before it is opened again: longer than anything lives on the wires",
    },
];

/// Percent of the kills of the second run of each kind that take all ports of an XPU.
const BLACKOUTS: u32 = 100;

impl Scenario for SueFailoverScenario {
    fn name(&self) -> &str {
        "sue-failover"
    }

    fn summary(&self) -> &str {
        "scale-up Ethernet with ports that die and return: every command at most once, in order, with one true status"
    }

    fn parameters(&self) -> &[ScenarioParameter] {
        PARAMETERS
    }

    fn takes(&self) -> &str {
        "5 s"
    }

    fn sentence(&self, metrics: &Metrics) -> String {
        let of = |path: &str| figure(metrics, path);
        format!(
            "{} kills in {} runs: {} commands, each with one status; {} delivered once each and {} of status 1 not at all, order kept in strict mode; {} bodies went on through another port",
            of("kills"),
            of("count"),
            of("commands"),
            of("delivered"),
            of("failed"),
            of("handed_over")
        )
    }

    fn run(
        &self,
        values: &ScenarioValues,
        seed: u64,
        progress: &mut Progress<'_>,
        _waves: &WaveRequest,
    ) -> Result<Metrics, SimError> {
        let runs = plan(values)?;
        let all: u64 = runs.iter().map(|run| run.kills).sum();
        let (mut reports, mut done) = (vec![], 0);
        for parameters in &runs {
            let report = failover(parameters, seed, &mut |killed, _| progress(done + killed, all));
            reports.push(report.map_err(|error| failed(parameters, seed, &error))?);
            done += parameters.kills;
        }
        Ok(metrics(&reports, done))
    }
}

fn failed(parameters: &FailoverParameters, seed: u64, error: &dyn std::error::Error) -> SimError {
    let FailoverParameters { ports, mode, .. } = parameters;
    SimError::Format {
        what: "scenario `sue-failover`".into(),
        problem: format!("{ports} ports, {mode:?}, seed {seed:#x}: {error}"),
    }
}

/// For each number of ports and each mode, ports that die one by one, then XPUs that lose all of theirs.
fn plan(values: &ScenarioValues) -> Result<Vec<FailoverParameters>, SimError> {
    let ports = match values.get("ports")? {
        0 => vec![2, 4],
        ports => vec![ports as u8],
    };
    let modes = match values.get("mode")? as usize {
        0 => FailoverMode::ALL.to_vec(),
        mode => FailoverMode::ALL.get(mode - 1).copied().into_iter().collect(),
    };
    let base = FailoverParameters {
        xpus: values.get("xpus")? as u16,
        ports: 2,
        vcs: values.get("vcs")? as u8,
        mode: FailoverMode::Unordered,
        kills: values.get("kills")?,
        gap: values.get("gap")?,
        down: values.get("down")?,
        blackouts: 0,
        loss: values.get("loss")? as u32,
        late: values.get("late")?,
        quiet: values.get("quiet")?,
    };
    let of_mode = |ports: u8| {
        let one = move |mode: FailoverMode| {
            [0, BLACKOUTS].map(|blackouts| FailoverParameters { ports, mode, blackouts, ..base })
        };
        modes.iter().copied().flat_map(one)
    };
    Ok(ports.into_iter().flat_map(of_mode).collect())
}

fn metrics(reports: &[FailoverReport], kills: u64) -> Metrics {
    let sum = |of: fn(&FailoverReport) -> u64| reports.iter().map(of).sum::<u64>();
    let sums = [
        ("kills", kills),
        ("count", reports.len() as u64),
        ("commands", sum(|report| report.commands)),
        ("delivered", sum(|report| report.delivered)),
        ("failed", sum(|report| report.status.failed)),
        ("unknown", sum(|report| report.status.unknown)),
        ("handed_over", sum(|report| report.handed_over)),
    ];
    let mut metrics: Metrics = sums.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
    metrics.insert("runs".into(), json!(reports));
    metrics
}
