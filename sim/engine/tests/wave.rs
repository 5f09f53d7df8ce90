//! Waveforms, read back by an independent reader: names, hierarchy, values, triggers, failures.
#![allow(clippy::expect_used)] // helpers of tests

use crate::common::machine::Machine;
use crate::common::readback::{readback, Readback};
use crate::common::{Bug, Counter, StreamRegister, TwoClocks};
use flitforge_elaborate::graph::Shape;
use flitforge_elaborate::Value;
use flitforge_sim::design_of;
use flitforge_sim::kit::{seed, StimulusFn, StreamMonitor, StreamSink, StreamSource, Testbench};
use flitforge_sim::schedule::ClockSchedule;
use flitforge_sim::waves::{
    failure_folder, render, SignalTable, Start, ValueWaves, WaveLog, WaveRequest, Waves, PERIOD,
};
use flitforge_sim::{BackEnd, Bench, SimError};
use std::path::{Path, PathBuf};
use wellen::ScopeType;

/// A machine that has got a word of 42 on clock 2.
struct Run {
    bench: Box<dyn Bench>,
    table: SignalTable,
}

impl Run {
    fn new() -> Self {
        Self::on(BackEnd::Graph)
    }

    fn on(back_end: BackEnd) -> Self {
        let design = design_of("machine", Machine::boxed().as_ref()).expect("elaborates");
        let bench = back_end.open("machine", Machine::boxed()).expect("bench");
        let table = SignalTable::of_design(bench.ports(), &design);
        Self { bench, table }
    }

    fn run(&mut self, clocks: u64, mut each: impl FnMut(u64, &dyn Bench)) {
        let port = |path| self.bench.port(path).expect("port");
        let (data, valid, ready) = (port("words_in.data"), port("words_in.valid"), port("words_out.ready"));
        for clock in 0..clocks {
            self.bench.set_u64(data, 42);
            self.bench.set_u64(valid, u64::from(clock % 8 == 2));
            self.bench.set_u64(ready, u64::from(clock % 8 == 6));
            self.bench.settle().expect("settles");
            each(clock, self.bench.as_ref());
            self.bench.step().expect("steps");
        }
    }
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("folder")
}

/// Writes a waveform of `clocks` clocks with these signals.
fn write(path: &Path, patterns: &[&str], clocks: u64) -> Result<PathBuf, SimError> {
    let mut run = Run::new();
    let patterns: Vec<String> = patterns.iter().map(|pattern| (*pattern).to_string()).collect();
    let mut waves = Waves::create(path, run.bench.as_mut(), run.table.clone(), &patterns)?;
    let mut result = Ok(());
    run.run(clocks, |_, bench| {
        if result.is_ok() {
            result = waves.record(bench);
        }
    });
    result?;
    Ok(waves.finish()?.expect("a file"))
}

#[test]
fn both_formats_hold_what_the_bench_had_under_the_names_it_has() {
    let folder = folder();
    for (end, back_end) in [("fst", BackEnd::Graph), ("fst", BackEnd::Compiled), ("vcd", BackEnd::Compiled)] {
        let path = folder.path().join(format!("new/machine.{end}"));
        let mut run = Run::on(back_end);
        let table = run.table.clone();
        let mut waves = Waves::create(&path, run.bench.as_mut(), table, &["**".into()]).expect("created");
        let paths: Vec<String> = run.table.paths().map(str::to_owned).collect();
        let mut expected: Vec<Vec<Value>> = vec![];
        run.run(20, |_, bench| {
            waves.record(bench).expect("written");
            let value = |path: &String| match bench.ports().get(path) {
                Some(port) => bench.get(port),
                None => bench.peek(path).expect("a signal"),
            };
            expected.push(paths.iter().map(value).collect());
        });
        waves.finish().expect("finished");
        let wave = readback(&path);
        assert_eq!(wave.end, 20 * PERIOD);
        let mut compared = 0;
        for (clock, values) in expected.iter().enumerate() {
            for (path, value) in paths.iter().zip(values) {
                // Enumerations and structs are looked at by name below.
                let Some(variable) = wave.variables.get(&format!("machine.{path}")) else { continue };
                if variable.width == Some(value.width()) && variable.states.is_empty() {
                    let bits = variable.at(clock as u64 * PERIOD);
                    assert_eq!(u64::from_str_radix(bits, 2), Ok(value.low_u64()), "{path} at {clock}");
                    compared += 1;
                }
            }
        }
        assert_eq!(compared, 20 * 12, "values of {paths:?}");
        states_fields_and_scopes(&wave, end);
    }
}

fn states_fields_and_scopes(wave: &Readback, end: &str) {
    let phase = wave.get("machine.phase.q");
    let shown: Vec<&str> = (0..8).map(|clock| phase.at(clock * PERIOD)).collect();
    assert_eq!(shown, ["Idle", "Idle", "Idle", "Load", "Busy", "Busy", "Busy", "Idle"]);
    assert_eq!(wave.get("machine.slot.q.data").number_at(3 * PERIOD), 42);
    assert_eq!(wave.get("machine.slot.q.valid").number_at(3 * PERIOD), 1);
    assert_eq!(wave.get("machine.words_in.data").width, Some(6));
    assert_eq!(wave.get("machine.counter.value.q").number_at(3 * PERIOD), 1);
    let rises = |time| wave.get("machine.clock").number_at(time);
    assert_eq!([rises(0), rises(PERIOD), rises(PERIOD + PERIOD / 2)], [0, 1, 0]);
    let scope = |path: &str| wave.scopes[path];
    assert_eq!((scope("machine"), scope("machine.counter")), (ScopeType::Module, ScopeType::Module));
    if end == "fst" {
        assert_eq!(scope("machine.words_in"), ScopeType::Interface);
        assert_eq!(scope("machine.slot.q"), ScopeType::Struct);
        let names: Vec<&str> = phase.states.iter().map(|(_, name)| name.as_str()).collect();
        assert_eq!(names, ["Idle", "Load", "Busy"]);
    }
}

#[test]
fn patterns_choose_and_ports_are_the_default() {
    let folder = folder();
    let path = folder.path().join("part.fst");
    let names = |patterns: &[&str]| {
        write(&path, patterns, 3).expect("written");
        readback(&path).variables.keys().cloned().collect::<Vec<_>>()
    };
    let ports = [
        "machine.busy",
        "machine.clock",
        "machine.words_in.data",
        "machine.words_in.ready",
        "machine.words_in.valid",
        "machine.words_out.data",
        "machine.words_out.ready",
        "machine.words_out.valid",
    ];
    assert_eq!(names(&[]), ports);
    assert_eq!(names(&["words_*.valid"]), [ports[1], ports[4], ports[7]]);
    assert_eq!(names(&["counter.value.*"]).len(), 3);
    assert_eq!(names(&["phase.q", "words_in"]).len(), 5);
}

#[test]
fn bad_names_are_refused_with_near_ones() {
    let folder = folder();
    let text = |name: &str, patterns: &[&str]| {
        write(&folder.path().join(name), patterns, 1).expect_err("refused").to_string()
    };
    let error = text("x.fst", &["counter.valeu.q"]);
    assert!(error.contains("`counter.valeu.q`") && error.contains("counter.value.q"), "{error}");
    let error = text("x.ghw", &[]);
    assert!(error.contains("x.ghw") && error.contains(".fst") && error.contains(".vcd"), "{error}");
    assert!(text("x", &[]).contains(".fst"));
    for back_end in BackEnd::BUILT_IN {
        let mut testbench = Testbench::new(back_end.open("counter", Counter::<8>::boxed()).expect("bench"));
        let path = folder.path().join("x.vcd");
        let error = testbench.wave(&path, &["value.x".into()]).err().expect("refused").to_string();
        assert!(error.contains("value.x") && error.contains(back_end.name()), "{error}");
    }
}

#[test]
fn a_full_disk_is_an_error_with_the_file() {
    let folder = folder();
    for end in ["fst", "vcd"] {
        let path = folder.path().join(format!("full.{end}"));
        std::os::unix::fs::symlink("/dev/full", &path).expect("link");
        let error = write(&path, &["**"], 5_000).expect_err("no room");
        assert!(matches!(&error, SimError::Io { path: at, .. } if *at == path), "{error:?}");
        assert!(error.to_string().contains("No space left"), "{error}");
    }
}

#[test]
fn a_long_waveform_is_written_in_parts() {
    let folder = folder();
    let path = folder.path().join("long.fst");
    let mut bench = BackEnd::Graph.open("counter", Counter::<40>::boxed()).expect("bench");
    let table = SignalTable::of_ports(bench.ports());
    let mut waves = Waves::create(&path, bench.as_mut(), table, &[]).expect("created");
    let (enable, count) = (bench.port("enable").expect("port"), bench.port("count").expect("port"));
    bench.set_u64(enable, 1);
    let clocks = 1_200_000;
    for _ in 0..clocks {
        bench.settle().expect("settles");
        waves.record(bench.as_ref()).expect("written");
        bench.step().expect("steps");
    }
    waves.finish().expect("finished");
    let wave = readback(&path);
    let shown = wave.get("counter.count");
    for clock in [0, 1, 600_000, clocks / 2 + 1, clocks - 1] {
        assert_eq!(shown.number_at(clock * PERIOD), clock);
    }
    assert_eq!(bench.get_u64(count), clocks);
}

#[test]
fn triggers_start_a_waveform() {
    let folder = folder();
    let first = |start: Start<'_>| {
        let path = folder.path().join("trigger.fst");
        let mut run = Run::new();
        let waves = Waves::create(&path, run.bench.as_mut(), run.table.clone(), &[]).expect("created");
        let mut waves = waves.starting(start, run.bench.as_ref()).expect("known");
        run.run(30, |_, bench| waves.record(bench).expect("written"));
        waves.finish().expect("finished");
        readback(&path).get("machine.busy").changes[0].0 / PERIOD
    };
    assert_eq!(first(Start::Now), 0);
    assert_eq!(first(Start::Clock(7)), 7);
    // Offered on clock 2, kept from clock 3, offered from clock 4.
    assert_eq!(first(Start::Equals("words_out.valid".into(), Value::from_u64(1, 1))), 4);
    assert_eq!(first(Start::Equals("phase.q".into(), Value::from_u64(2, 1))), 3);
    assert_eq!(first(Start::When(Box::new(|clock, _| clock * clock > 30))), 6);

    let mut run = Run::new();
    let mut waves = |path: &str, width| {
        let file = folder.path().join("refused.fst");
        let waves = Waves::create(&file, run.bench.as_mut(), run.table.clone(), &[]).expect("created");
        let start = Start::Equals(path.into(), Value::zero(width));
        waves.starting(start, run.bench.as_ref()).err().expect("refused").to_string()
    };
    assert!(waves("phase.x", 1).contains("phase.x"));
    assert!(waves("phase.q", 3).contains("3 bits"));
}

#[test]
fn the_last_clocks_are_kept() {
    let folder = folder();
    let path = folder.path().join("last.vcd");
    let mut run = Run::new();
    let waves = Waves::create(&path, run.bench.as_mut(), run.table.clone(), &["counter".into()]);
    let mut waves = waves.expect("created").last(10);
    run.run(100, |_, bench| waves.record(bench).expect("written"));
    waves.finish().expect("finished");
    let wave = readback(&path);
    let shown = wave.get("machine.counter.count");
    assert_eq!(shown.changes[0].0, 90 * PERIOD, "the first of the last ten");
    // One word is offered every eight clocks, on 2, 10, and so on up to 98.
    assert_eq!((shown.number_at(90 * PERIOD), shown.number_at(99 * PERIOD)), (11, 13));
}

#[test]
fn a_failing_test_leaves_a_waveform_that_shows_the_fault() {
    let seed = seed(0x3a7e);
    let bench = BackEnd::Graph.open("stream_register", StreamRegister::<12>::boxed(Bug::ValidDrops));
    let mut testbench = Testbench::new(bench.expect("bench"));
    let source = StreamSource::new(testbench.bench(), "words_in", seed).expect("ports");
    let sink = StreamSink::new(testbench.bench(), "words_out", seed).expect("ports");
    let monitor = StreamMonitor::new(testbench.bench(), "words_out").expect("ports");
    testbench.add(source).add(sink).add(monitor).record();
    testbench.keep_last("wave_of_failure", 50).expect("kept");
    let error = testbench.run(5_000).expect_err("valid falls");
    let SimError::Rule { clock, .. } = *error.cause() else { panic!("{error:?}") };
    let path = failure_folder().join("wave_of_failure.fst");
    assert!(error.to_string().contains(&path.display().to_string()), "{error}");

    let trace = testbench.finish().expect("finished").expect("recorded");
    assert_eq!(trace.len() as u64, clock + 1);
    let wave = readback(&path);
    let data = wave.get("stream_register.words_out.data");
    assert_eq!(data.changes[0].0, (clock - 49) * PERIOD, "the last 50 clocks");
    for row in clock - 49..=clock {
        for (column, port) in trace.outputs().ports().iter().enumerate() {
            let value = trace.output_row(row as usize)[trace.outputs().range(column)][0];
            let shown = wave.get(&format!("stream_register.{}", port.path)).number_at(row * PERIOD);
            assert_eq!(shown, value, "{} on clock {row}", port.path);
        }
    }
}

#[test]
fn unrelated_clocks_rise_at_their_times() {
    let folder = folder();
    let path = folder.path().join("clocks.fst");
    let mut testbench =
        Testbench::new(BackEnd::Graph.open("two_clocks", Box::new(TwoClocks::default())).expect("bench"));
    let port = |path| testbench.bench().port(path).expect("port");
    let clocks = [(port("clock_a"), 4_000, 0), (port("clock_b"), 6_200, 1_000)];
    testbench.set_schedule(ClockSchedule::new(&clocks));
    testbench.wave(&path, &[]).expect("created");
    testbench.run(12).expect("runs");
    testbench.finish().expect("finished");
    let wave = readback(&path);
    let rises = |path: &str| -> Vec<u64> {
        let ones = wave.get(path).changes.iter().filter(|(_, value)| value == "1");
        ones.map(|(time, _)| time - PERIOD).collect()
    };
    // The last edge is after the last row.
    assert_eq!(rises("two_clocks.clock_a"), [0, 4_000, 8_000, 12_000, 16_000, 20_000, 24_000]);
    assert_eq!(rises("two_clocks.clock_b"), [1_000, 7_200, 13_400, 19_600]);
}

#[test]
fn text_waveforms_are_as_ever() {
    let mut run = Run::new();
    let patterns = ["words_in.**", "phase.q", "slot.q", "busy"].map(String::from);
    let mut log = WaveLog::new(run.bench.as_mut(), run.table.clone(), &patterns, 8).expect("log");
    run.run(9, |_, bench| log.record(bench));
    // Offered and taken on clock 2, kept from 3, offered from 4, taken on 6.
    let expected = r"
                1     2     3     4     5     6     7     8
clock           /~~\__/~~\__/~~\__/~~\__/~~\__/~~\__/~~\__/~~\__
words_in.data   |2a
words_in.valid  ______/~~~~~\___________________________________
words_in.ready  ~~~~~~~~~~~~\_______________________/~~~~~~~~~~~
busy            ____________/~~~~~~~~~~~~~~~~~~~~~~~\___________
phase.q         |Idle       |Load |Busy             |Idle
slot.q          |0,00       |1,2a                   |0,2a
";
    assert_eq!(format!("\n{}", render(&log)), expected);
}

#[test]
fn a_testbench_writes_what_agents_do() {
    let folder = folder();
    let path = folder.path().join("count.vcd");
    let mut testbench = Testbench::new(BackEnd::Graph.open("counter", Counter::<8>::boxed()).expect("bench"));
    let enable = testbench.bench().port("enable").expect("port");
    testbench.add(StimulusFn(move |clock, bench: &mut dyn Bench| {
        bench.set_u64(enable, clock % 2);
        Ok(())
    }));
    testbench.wave(&path, &["value.q".into()]).expect("created");
    testbench.run(4).expect("runs");
    testbench.finish().expect("finished");
    let wave = readback(&path);
    let changes = |path: &str| -> Vec<(u64, u64)> {
        let list = wave.get(path).changes.iter();
        list.map(|(time, bits)| (time / 1000, u64::from_str_radix(bits, 2).expect("bits"))).collect()
    };
    // Rows at 0, 10, 20, 30; enabled in rows 1 and 3, so that the counter changes at the edges at 20 and 40.
    assert_eq!(changes("counter.enable"), [(0, 0), (10, 1), (20, 0), (30, 1)]);
    assert_eq!(changes("counter.count"), [(0, 0), (20, 1)]);
    assert_eq!(changes("counter.value.q"), [(0, 0), (20, 1)]);
    let clock = [(0, 0), (10, 1), (15, 0), (20, 1), (25, 0), (30, 1), (35, 0)];
    assert_eq!(changes("counter.clock"), clock);
}

/// Two clocks of their own, a state and a wide number; from row `from` on, the last `last` rows.
fn values(path: &Path, signals: &[&str], from: u64, last: Option<usize>) -> Readback {
    let states = ["Idle", "Busy"].map(String::from).to_vec();
    let signals_there = vec![
        ("one.state".into(), 1, Shape::Enum("State".into(), states)),
        ("two.number".into(), 100, Shape::Bits),
    ];
    let table = SignalTable::of_values("bench", &["one.clock", "two.clock"], signals_there);
    let signals = signals.iter().map(|pattern| (*pattern).to_string()).collect();
    let request = WaveRequest { signals, from, last, ..WaveRequest::file(Some(path)) };
    let mut waves = ValueWaves::requested(&request, table).expect("created").expect("asked for");
    for (time, risen, state, number) in
        [(0, 0, 0, 1), (7, 1, 1, 1), (9, 2, 1, 2), (17, 1, 0, 2), (17, 2, 0, 3)]
    {
        waves.set(0, &[state]);
        waves.set(1, &[number, number]);
        waves.row(time * 1_000, risen).expect("written");
    }
    assert_eq!(waves.finish().expect("finished"), path);
    readback(path)
}

#[test]
fn values_that_are_given_have_the_times_that_are_given() {
    let folder = folder();
    for end in ["fst", "vcd"] {
        let path = folder.path().join(format!("values.{end}"));
        let wave = values(&path, &[], 0, None);
        let at = |time: u64| wave.get("bench.one.state").at(time * 1_000).to_owned();
        assert_eq!([0, 6, 7, 16, 17].map(at), ["Idle", "Idle", "Busy", "Busy", "Idle"], "{end}");
        let number = wave.get("bench.two.number");
        assert_eq!(number.width, Some(100));
        let both = |number: u64| format!("{number:036b}{number:064b}");
        for (time, expected) in [(0, 1), (8, 1), (9, 2), (16, 2), (17, 3)] {
            let bits = number.at(time * 1_000).to_owned();
            assert_eq!(format!("{bits:0>100}"), both(expected), "{end}, {time}");
        }
        for (clock, rises) in [("one", [7, 17]), ("two", [9, 17])] {
            let changes = &wave.get(&format!("bench.{clock}.clock")).changes;
            let found: Vec<u64> =
                changes.iter().filter(|(_, to)| to == "1").map(|(at, _)| at / 1_000).collect();
            assert_eq!(found, rises, "{end}");
        }
    }
}

#[test]
fn of_values_that_are_given_a_part_can_be_asked_for() {
    let folder = folder();
    let path = folder.path().join("part.vcd");
    let wave = values(&path, &["one.**"], 0, Some(2));
    assert_eq!(
        wave.variables.keys().collect::<Vec<_>>(),
        ["bench.one.clock", "bench.one.state", "bench.two.clock"]
    );
    assert_eq!(wave.get("bench.one.state").changes, [(17_000, "Idle".to_string())]);
    let wave = values(&path, &[], 3, None);
    assert_eq!(wave.get("bench.two.number").changes[0].0, 17_000);
    let table = SignalTable::of_values("bench", &[], vec![]);
    assert!(ValueWaves::requested(&WaveRequest::default(), table).expect("no file").is_none());
}
