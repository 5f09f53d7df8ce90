//! Scenarios: parameters, waveforms of good and of failing runs.
#![allow(clippy::expect_used)] // helpers of tests

use crate::common::readback::readback;
use crate::common::Counter;
use flitforge_sim::kit::{StimulusFn, Testbench};
use flitforge_sim::scenario::{
    figure, Metrics, Progress, Scenario, ScenarioParameter, ScenarioRegistry, ScenarioValues,
};
use flitforge_sim::waves::{failure_folder, SignalTable, WaveRequest, Waves, FAILURE_CLOCKS, PERIOD};
use flitforge_sim::{BackEnd, Bench, SimError};

/// Counts on every second clock; fails on a clock if asked to.
struct Count;

impl Scenario for Count {
    fn name(&self) -> &str {
        "count"
    }
    fn summary(&self) -> &str {
        "a counter that counts"
    }
    fn parameters(&self) -> &[ScenarioParameter] {
        &[
            ScenarioParameter { name: "clocks", default: 10, min: 1, max: 10_000, doc: "clocks to run" },
            ScenarioParameter { name: "fail", default: 0, min: 0, max: 10_000, doc: "clock that fails" },
        ]
    }
    fn takes(&self) -> &str {
        "1 s"
    }
    fn sentence(&self, metrics: &Metrics) -> String {
        format!("counted to {}", figure(metrics, "count"))
    }
    fn run(
        &self,
        values: &ScenarioValues,
        _: u64,
        progress: &mut Progress<'_>,
        request: &WaveRequest,
    ) -> Result<Metrics, SimError> {
        let mut testbench = Testbench::new(BackEnd::Graph.open("counter", Counter::<8>::boxed())?);
        let (enable, count) = (testbench.bench().port("enable")?, testbench.bench().port("count")?);
        let fail = values.get("fail")?;
        testbench.add(StimulusFn(move |clock, bench: &mut dyn Bench| {
            bench.set_u64(enable, clock % 2);
            match fail > 0 && clock == fail {
                true => Err(SimError::Check { clock, problem: "asked to fail".into() }),
                false => Ok(()),
            }
        }));
        let table = SignalTable::of_ports(testbench.bench().ports());
        let waves = Waves::requested(request, "scenario_count", testbench.bench_mut(), table)?;
        testbench.with_waves(waves);
        testbench.run_with_progress(values.get("clocks")?, progress)?;
        testbench.finish()?;
        let mut metrics = Metrics::new();
        metrics.insert("count".into(), testbench.bench().get_u64(count).into());
        Ok(metrics)
    }
}

fn run(values: &[(&str, u64)], request: &WaveRequest) -> Result<Metrics, SimError> {
    let given: Vec<(String, u64)> = values.iter().map(|(name, value)| ((*name).into(), *value)).collect();
    Count.run(&ScenarioValues::new(&Count, &given)?, 0, &mut |_, _| {}, request)
}

#[test]
fn a_scenario_runs_and_its_waveform_shows_what_was_asked_for() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("new/count.fst");
    let metrics = run(&[("clocks", 8)], &WaveRequest::file(Some(&path))).expect("runs");
    assert_eq!(metrics["count"], 4);
    let wave = readback(&path);
    assert_eq!(wave.get("counter.count").number_at(7 * PERIOD), 3);

    let part = WaveRequest {
        signals: vec!["count".into()],
        last: Some(4),
        from: 6,
        ..WaveRequest::file(Some(&path))
    };
    run(&[("clocks", 8)], &part).expect("runs");
    let wave = readback(&path);
    assert_eq!(wave.variables.keys().collect::<Vec<_>>(), ["counter.clock", "counter.count"]);
    assert_eq!(wave.get("counter.count").changes[0].0, 6 * PERIOD, "the later of both");
}

#[test]
fn a_failing_scenario_leaves_the_last_clocks() {
    let error = run(&[("clocks", 5_000), ("fail", 3_000)], &WaveRequest::default()).expect_err("fails");
    let path = failure_folder().join("scenario_count.fst");
    assert_eq!(error.to_string(), format!("clock 3000: asked to fail; waveform: {}", path.display()));
    let first = readback(&path).get("counter.count").changes[0].0;
    assert_eq!(first, (3_000 - FAILURE_CLOCKS as u64) * PERIOD);
}

#[test]
fn progress_and_names() {
    let mut registry = ScenarioRegistry::new();
    registry.add(Count).expect("first of its name");
    assert!(registry.add(Count).is_err());
    let scenario = registry.find("count").expect("there");
    let values = ScenarioValues::new(scenario, &[("clocks".into(), 4)]).expect("allowed");
    let mut seen = vec![];
    let metrics = scenario.run(&values, 0, &mut |done, all| seen.push((done, all)), &WaveRequest::default());
    assert_eq!(metrics.expect("runs")["count"], 2);
    assert_eq!(seen, [(0, 4), (4, 4)]);
}

#[test]
fn wrong_names_and_values_are_refused_with_what_is_allowed() {
    let mut registry = ScenarioRegistry::new();
    registry.add(Count).expect("first");
    let error = registry.find("cuont").err().expect("unknown").to_string();
    assert!(error.contains("`cuont`") && error.contains("count"), "{error}");
    let values = |name: &str, value| ScenarioValues::new(&Count, &[(name.to_string(), value)]);
    assert!(values("clock", 5).unwrap_err().to_string().contains("clocks"));
    assert!(values("clocks", 0).unwrap_err().to_string().contains("1..=10000"));
    assert_eq!(values("clocks", 100).expect("allowed").get("clocks").expect("there"), 100);
    assert!(values("clocks", 100).expect("allowed").get("seeds").is_err());
}
