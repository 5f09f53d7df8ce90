//! `sue-incast`: many XPUs over one switch, on the models of scale-up Ethernet (chapter 50, 9, points 18 and 19).

mod page;

use flitforge_model::sue::incast::{
    campaign, incast, FlowKind, IncastParameters, IncastReport, Pattern, PlannedRun, Size, SueSimShapes,
    DIFFERENCES, PUBLISHED, SIMPLIFIED,
};
use flitforge_sim::scenario::{
    figure, Metrics, Progress, Scenario, ScenarioFile, ScenarioParameter, ScenarioValues,
};
use flitforge_sim::waves::WaveRequest;
use flitforge_sim::SimError;
use serde_json::{json, Value};

/// The scenario.
pub struct SueIncastScenario;

const fn parameter(
    name: &'static str,
    (default, min, max): (u64, u64, u64),
    doc: &'static str,
) -> ScenarioParameter {
    ScenarioParameter { name, default, min, max, doc }
}

const PARAMETERS: &[ScenarioParameter] = &[
    parameter(
        "campaign",
        (0, 0, 2),
        "1: all patterns, windows of 16 and 64, PFC and CBFC with 64 XPUs; 2: longer, with 1,024 XPUs too; of the others none counts",
    ),
    parameter(
        "pattern",
        (0, 0, 4),
        "0: all to one, 1: all to all, 2: a permutation, 3: all to all in a mesh of 4 without a switch, 4: SUE-Sim's values; then only window and time count",
    ),
    parameter("xpus", (64, 2, 1_024), "XPUs; a mesh has 4"),
    parameter("vcs", (4, 1, 4), "virtual channels"),
    parameter("window", (16, 1, 32_767), "WIN, PDUs"),
    parameter("flow", (2, 0, 2), "flow control: 0: none, frames are dropped, 1: PFC, 2: CBFC"),
    parameter("limit", (320, 1, 16_383), "LIMIT of each virtual channel, cells of 256 bytes"),
    parameter("xoff", (65_536, 1_024, 16_777_216), "XOFF of each class and port, bytes; XON is half of it"),
    parameter("data", (256, 2, 256), "data bytes of a command"),
    parameter("pack_max", (2_048, 320, 4_096), "PACK_MAX, bytes"),
    parameter("burst", (7, 1, 1_000), "commands to one destination in a row"),
    parameter("pool", (200, 1, 100_000), "commands that wait in an XPU"),
    parameter("rto_us", (4_000, 1, 1_000_000), "RTO, microseconds"),
    parameter("time_us", (3_000, 1, 1_000_000), "time in which commands are offered, microseconds"),
    parameter("gbps", (200, 8, 3_200), "rate of a link, Gb/s"),
];

/// Samples of a run.
const SAMPLES: u64 = 100;

impl Scenario for SueIncastScenario {
    fn name(&self) -> &str {
        "sue-incast"
    }

    fn summary(&self) -> &str {
        "scale-up Ethernet with many XPUs over a switch: no drop, fairness, queues and credits over time"
    }

    fn parameters(&self) -> &[ScenarioParameter] {
        PARAMETERS
    }

    fn takes(&self) -> &str {
        "2 s"
    }

    fn check(&self, values: &ScenarioValues, _waves: &WaveRequest) -> Result<(), SimError> {
        let runs = plan(values)?;
        runs.iter().try_for_each(|run| run.parameters.check().map_err(|error| failed(run, 0, &error)))
    }

    fn sentence(&self, metrics: &Metrics) -> String {
        let of = |path: &str| figure(metrics, path);
        let least = metrics.get("least_jain").and_then(Value::as_f64).unwrap_or(f64::NAN);
        format!(
            "{} runs, {} commands delivered once and in order: {} frames dropped in lossless classes, Jain's index of the senders at least {least:.4}",
            of("count"),
            of("commands"),
            of("dropped")
        )
    }

    fn verdict(&self, metrics: &Metrics) -> Result<(), String> {
        let broken = metrics.get("broken").and_then(Value::as_array).into_iter().flatten();
        let broken: Vec<&str> = broken.filter_map(Value::as_str).collect();
        if broken.is_empty() {
            Ok(())
        } else {
            Err(broken.join("; "))
        }
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
        let plan = plan(values)?;
        let count = plan.len() as u64;
        let mut runs = vec![];
        for (run, place) in plan.into_iter().zip(0..) {
            let mut progress =
                |done: u64, all: u64| progress(place * 100 + done * 100 / all.max(1), count * 100);
            let report =
                incast(&run.parameters, seed, &mut progress).map_err(|error| failed(&run, seed, &error))?;
            runs.push((run.name, report));
        }
        let files = vec![
            ScenarioFile { name: "sue-incast.html", content: page::page(&runs).into() },
            ScenarioFile { name: "sue-incast.jsonl", content: lines(&runs).into() },
        ];
        Ok((metrics(&runs), files))
    }
}

fn failed(run: &PlannedRun, seed: u64, error: &dyn std::error::Error) -> SimError {
    SimError::Format {
        what: "scenario `sue-incast`".into(),
        problem: format!("{}, seed {seed:#x}: {error}", run.name),
    }
}

fn plan(values: &ScenarioValues) -> Result<Vec<PlannedRun>, SimError> {
    match values.get("campaign")? {
        0 => {}
        1 => return Ok(campaign(Size::Short)),
        _ => return Ok(campaign(Size::Full)),
    }
    let pattern = Pattern::ALL[values.get("pattern")? as usize];
    let time = values.get("time_us")? * 1_000;
    let sample = (time / SAMPLES).max(10);
    let window = values.get("window")? as u16;
    if pattern == Pattern::Uniform {
        let parameters = IncastParameters { window, time, sample, ..IncastParameters::sue_sim() };
        return Ok(vec![PlannedRun { name: "SUE-Sim's shapes, 4 XPUs, CBFC".into(), parameters }]);
    }
    let xpus = if pattern == Pattern::Mesh { 4 } else { values.get("xpus")? as u16 };
    let (flow, flow_name) = match values.get("flow")? {
        0 => (FlowKind::None, "no flow control"),
        1 => (FlowKind::Pfc, "PFC"),
        _ => (FlowKind::Cbfc, "CBFC"),
    };
    let parameters = IncastParameters {
        pattern,
        flow,
        xpus,
        vcs: values.get("vcs")? as u8,
        window,
        data: values.get("data")? as u32,
        pack_max: values.get("pack_max")? as u32,
        burst: values.get("burst")? as u32,
        pool: values.get("pool")? as usize,
        limit: values.get("limit")? as u16,
        xoff: values.get("xoff")? as u32,
        rto: values.get("rto_us")? * 1_000,
        gigabits: values.get("gbps")?,
        time,
        sample,
        ..IncastParameters::default()
    };
    Ok(vec![PlannedRun {
        name: format!("{}, {xpus} XPUs, {flow_name}, WIN {window}", pattern.name()),
        parameters,
    }])
}

/// What a run has to say against the promises.
fn broken(name: &str, report: &IncastReport) -> Option<String> {
    let shapes = match report.parameters.pattern {
        Pattern::Uniform => SueSimShapes::of(report).verdict(),
        _ => Ok(()),
    };
    report.verdict().and(shapes).err().map(|error| format!("{name}: {error}"))
}

fn metrics(runs: &[(String, IncastReport)]) -> Metrics {
    let sum = |of: fn(&IncastReport) -> u64| runs.iter().map(|(_, report)| of(report)).sum::<u64>();
    let mut metrics = Metrics::new();
    metrics.insert("count".into(), runs.len().into());
    metrics.insert("commands".into(), sum(|report| report.commands).into());
    metrics.insert("dropped".into(), sum(|report| report.dropped).into());
    let least = runs.iter().map(|(_, report)| report.jain).fold(1.0, f64::min);
    metrics.insert("least_jain".into(), json!(least));
    let broken: Vec<String> = runs.iter().filter_map(|(name, report)| broken(name, report)).collect();
    if !broken.is_empty() {
        metrics.insert("broken".into(), json!(broken));
    }
    metrics.insert("runs".into(), runs.iter().map(|(name, report)| summary(name, report)).collect());
    let shapes = runs.iter().find(|(_, report)| report.parameters.pattern == Pattern::Uniform);
    if let Some((_, report)) = shapes {
        let sue_sim = json!({
            "ours": SueSimShapes::of(report),
            "published": PUBLISHED,
            "differences": DIFFERENCES,
        });
        metrics.insert("sue_sim".into(), sue_sim);
    }
    metrics.insert("simplified".into(), SIMPLIFIED.into());
    metrics
}

fn summary(name: &str, report: &IncastReport) -> Value {
    let mut summary = json!({ "name": name });
    if let (Some(summary), Ok(Value::Object(report))) =
        (summary.as_object_mut(), serde_json::to_value(report))
    {
        summary.extend(report);
    }
    summary
}

/// A line for each run, each sample and each sender.
fn lines(runs: &[(String, IncastReport)]) -> String {
    let mut lines = String::new();
    let mut add = |run: &str, kind: &str, value: Value| {
        let mut line = json!({ "run": run, "kind": kind });
        if let (Some(line), Value::Object(value)) = (line.as_object_mut(), value) {
            line.extend(value);
        }
        lines += &format!("{line}\n");
    };
    for (name, report) in runs {
        add(name, "run", serde_json::to_value(report).unwrap_or_default());
        for sample in &report.samples {
            add(name, "sample", serde_json::to_value(sample).unwrap_or_default());
        }
        for (xpu, goodput) in &report.by_sender {
            add(name, "sender", json!({ "xpu": xpu, "goodput": goodput }));
        }
    }
    lines
}
