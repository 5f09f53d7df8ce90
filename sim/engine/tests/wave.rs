//! Waveforms and scenarios, read back by an independent reader.
#![allow(clippy::expect_used)] // helpers of tests

mod common;

use common::Counter;
use flitforge_sim::kit::{StimulusFn, Testbench};
use flitforge_sim::scenario::{
    Metrics, Progress, Scenario, ScenarioParameter, ScenarioRegistry, ScenarioValues,
};
use flitforge_sim::{BackEnd, Bench, SimError};
use std::collections::BTreeMap;
use std::path::Path;

/// Counts on every second clock.
struct Count;

impl Scenario for Count {
    fn name(&self) -> &str {
        "count"
    }
    fn summary(&self) -> &str {
        "a counter that counts"
    }
    fn parameters(&self) -> &[ScenarioParameter] {
        &[ScenarioParameter { name: "clocks", default: 10, min: 1, max: 100, doc: "clocks to run" }]
    }
    fn run(
        &self,
        values: &ScenarioValues,
        _: u64,
        progress: &mut Progress<'_>,
        wave: Option<&Path>,
    ) -> Result<Metrics, SimError> {
        let mut testbench = Testbench::new(BackEnd::Graph.open("counter", Counter::<8>::boxed())?);
        let (enable, count) = (testbench.bench().port("enable")?, testbench.bench().port("count")?);
        testbench.add(StimulusFn(move |clock, bench: &mut dyn Bench| {
            bench.set_u64(enable, clock % 2);
            Ok(())
        }));
        if let Some(path) = wave {
            testbench.wave(path, &["value.q".into()])?;
        }
        testbench.run_with_progress(values.get("clocks")?, progress)?;
        testbench.finish()?;
        let mut metrics = Metrics::new();
        metrics.insert("count".into(), testbench.bench().get_u64(count).into());
        Ok(metrics)
    }
}

/// All changes of a VCD: scope path of the variable to (time, value).
fn changes(path: &Path) -> BTreeMap<String, Vec<(u64, u64)>> {
    fn names(prefix: &str, items: &[vcd::ScopeItem], into: &mut BTreeMap<vcd::IdCode, String>) {
        for item in items {
            match item {
                vcd::ScopeItem::Scope(scope) => {
                    names(&format!("{prefix}{}.", scope.identifier), &scope.children, into);
                }
                vcd::ScopeItem::Var(variable) => {
                    into.insert(variable.code, format!("{prefix}{}", variable.reference));
                }
            }
        }
    }
    let mut parser = vcd::Parser::new(std::io::BufReader::new(std::fs::File::open(path).expect("file")));
    let header = parser.parse_header().expect("header");
    let mut codes = BTreeMap::new();
    names("", &header.items, &mut codes);
    let (mut time, mut all) = (0, BTreeMap::<String, Vec<(u64, u64)>>::new());
    for command in parser {
        let (code, bits) = match command.expect("command") {
            vcd::Command::Timestamp(now) => {
                assert!(now >= time);
                time = now;
                continue;
            }
            vcd::Command::ChangeScalar(code, bit) => (code, vec![bit]),
            vcd::Command::ChangeVector(code, bits) => (code, bits.to_vec()),
            _ => continue,
        };
        let value = bits.iter().fold(0, |value, bit| value << 1 | u64::from(*bit == vcd::Value::V1));
        all.entry(codes[&code].clone()).or_default().push((time, value));
    }
    all
}

#[test]
fn a_scenario_runs_and_its_waveform_shows_ports_and_registers() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("new/count.vcd");
    let mut registry = ScenarioRegistry::new();
    registry.add(Count).expect("first of its name");
    assert!(registry.add(Count).is_err());
    let scenario = registry.find("count").expect("there");
    let values = ScenarioValues::new(scenario, &[("clocks".into(), 4)]).expect("allowed");
    let mut seen = vec![];
    let metrics = scenario.run(&values, 0, &mut |done, all| seen.push((done, all)), Some(&path));
    assert_eq!(metrics.expect("runs")["count"], 2);
    assert_eq!(seen, [(0, 4), (4, 4)]);

    let changes = changes(&path);
    // Rows at 0, 10, 20, 30; enabled in rows 1 and 3, so that the counter changes at the edges at 20 and 40.
    assert_eq!(changes["counter.enable"], [(0, 0), (10, 1), (20, 0), (30, 1)]);
    assert_eq!(changes["counter.count"], [(0, 0), (20, 1)]);
    assert_eq!(changes["counter.value.q"], [(0, 0), (20, 1)]);
    let clock = [(0, 0), (10, 1), (15, 0), (20, 1), (25, 0), (30, 1), (35, 0)];
    assert_eq!(changes["counter.clock"], clock);
}

#[test]
fn wrong_names_and_values_are_refused_with_what_is_allowed() {
    let mut registry = ScenarioRegistry::new();
    registry.add(Count).expect("first");
    let error = registry.find("cuont").err().expect("unknown").to_string();
    assert!(error.contains("`cuont`") && error.contains("count"), "{error}");
    let values = |name: &str, value| ScenarioValues::new(&Count, &[(name.to_string(), value)]);
    assert!(values("clock", 5).unwrap_err().to_string().contains("clocks"));
    assert!(values("clocks", 0).unwrap_err().to_string().contains("1..=100"));
    assert_eq!(values("clocks", 100).expect("allowed").get("clocks").expect("there"), 100);
    assert!(values("clocks", 100).expect("allowed").get("seeds").is_err());
}

#[test]
fn an_unknown_internal_signal_is_refused() {
    let folder = tempfile::tempdir().expect("folder");
    for back_end in BackEnd::BUILT_IN {
        let mut testbench = Testbench::new(back_end.open("counter", Counter::<8>::boxed()).expect("bench"));
        let path = folder.path().join("x.vcd");
        let error = testbench.wave(&path, &["value.x".into()]).err().expect("refused").to_string();
        assert!(error.contains("value.x") && error.contains(back_end.name()), "{error}");
    }
}
