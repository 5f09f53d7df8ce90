//! The kit finds every deliberate mistake of a stream register, and none in the right one.

#![allow(clippy::expect_used)] // helpers of tests

use crate::common::{Adder, Bug, Counter, Oscillator, StreamRegister};
use flitforge_elaborate::Value;
use flitforge_sim::kit::{
    power_on, seed, ClearDriver, Coverage, Pace, Rule, SharedScoreboard, StreamMonitor, StreamSink,
    StreamSource, Testbench,
};
use flitforge_sim::{BackEnd, Bench, SimError, StockBench};

/// Runs a stream register with random traffic and clears under all monitors.
fn run(bug: Bug, back_end: BackEnd, sink: Pace, clocks: u64) -> Result<Coverage, SimError> {
    let seed = seed(0x5eed_0001);
    let bench = back_end.open("stream_register", StreamRegister::<12>::boxed(bug))?;
    let mut testbench = Testbench::new(bench);
    let board = SharedScoreboard::new("words").flushed_by(testbench.bench(), "clear")?;
    let starved = sink == Pace::Never;
    let source = StreamSource::new(testbench.bench(), "words_in", seed)?
        .pace(if starved { Pace::Always } else { Pace::mixed() })
        .feeding(&board);
    let sink = StreamSink::new(testbench.bench(), "words_out", seed)?.pace(sink).checking(&board);
    let mut clear = ClearDriver::new(testbench.bench(), "clear", seed)?;
    if !starved {
        clear = clear
            .at_random(0.002, 1..=4)
            .in_mid_transfer(testbench.bench(), "words_in", 0.02)?
            .in_mid_transfer(testbench.bench(), "words_out", 0.02)?;
    }
    let monitor_in = StreamMonitor::new(testbench.bench(), "words_in")?;
    let mut monitor_out = StreamMonitor::new(testbench.bench(), "words_out")?;
    if starved {
        // Without flips of ready, so that only the never-ready rule can find the mistake.
        monitor_out = monitor_out.probing_every(0).valid_within(4);
    }
    testbench.add(clear).add(source).add(sink).add(monitor_in).add(monitor_out).add(board);
    testbench.run(clocks)?;
    Ok(testbench.coverage())
}

fn broken_rule(bug: Bug, sink: Pace) -> Rule {
    let found = BackEnd::BUILT_IN.map(|back_end| broken_rule_on(bug, back_end, sink.clone()));
    assert_eq!(found[0], found[1], "rule and clock on both back ends");
    found[0].0
}

fn broken_rule_on(bug: Bug, back_end: BackEnd, sink: Pace) -> (Rule, u64) {
    match run(bug, back_end, sink, 5_000) {
        Err(SimError::Rule { rule, stream, clock, .. }) => {
            assert_eq!(stream, if rule == Rule::ReadyLowWhileCleared { "words_in" } else { "words_out" });
            (rule, clock)
        }
        other => panic!("{bug:?}: {other:?}"),
    }
}

#[test]
fn a_right_stream_register_passes_and_everything_is_covered() {
    let coverage = run(Bug::None, BackEnd::Graph, Pace::mixed(), 20_000).expect("no mistake");
    let stock = run(Bug::None, BackEnd::Stock, Pace::mixed(), 20_000).expect("no mistake");
    assert_eq!(coverage, stock, "the same traffic on both back ends");
    println!("{coverage}");
    let all = [
        "words.items",
        "words.flushed_by_clear",
        "words_in.stalls",
        "words_in.withdrawn_on_clear",
        "words_in.held",
        "words_in.cleared",
        "words_out.stalls",
        "words_out.idle",
        "words_out.held",
        "words_out.ready_flipped",
        "clear.pulses",
        "clear.while_words_in_waits",
        "clear.while_words_out_waits",
    ];
    coverage.require("stream register", &all).expect("covered");
    assert!(coverage.require("stream register", &["words.itms"]).is_err());
}

#[test]
fn every_broken_rule_is_found() {
    assert_eq!(broken_rule(Bug::ValidDrops, Pace::mixed()), Rule::ValidHolds);
    assert_eq!(broken_rule(Bug::PayloadChanges, Pace::mixed()), Rule::PayloadHolds);
    assert_eq!(broken_rule(Bug::ValidFollowsReady, Pace::mixed()), Rule::ValidIgnoresReady);
    assert_eq!(broken_rule(Bug::ReadyWhileCleared, Pace::mixed()), Rule::ReadyLowWhileCleared);
}

#[test]
fn valid_that_waits_for_ready_is_found_by_never_giving_ready() {
    assert_eq!(broken_rule(Bug::ValidAfterReady, Pace::Never), Rule::ValidIgnoresReady);
    assert_eq!(broken_rule(Bug::ValidFollowsReady, Pace::Never), Rule::ValidIgnoresReady);
    run(Bug::None, BackEnd::Stock, Pace::Never, 1_000).expect("no mistake");
}

#[test]
fn lost_and_repeated_items_are_found() {
    for (bug, word) in [(Bug::LosesItems, "lost items"), (Bug::RepeatsItems, "invented")] {
        match run(bug, BackEnd::Stock, Pace::mixed(), 5_000) {
            Err(SimError::Scoreboard { board, problem, .. }) => {
                assert_eq!(board, "words");
                assert!(problem.contains(word), "{bug:?}: {problem}");
            }
            other => panic!("{bug:?}: {other:?}"),
        }
    }
}

#[test]
fn throughput_and_latency_are_measured() {
    let bench =
        BackEnd::Stock.open("stream_register", StreamRegister::<12>::boxed(Bug::None)).expect("bench");
    let mut testbench = Testbench::new(bench);
    power_on(testbench.bench_mut(), "clear", 2).expect("clear");
    let board = SharedScoreboard::new("words");
    let items = (0..100).map(|number| Value::from_u64(12, number)).collect();
    let source = StreamSource::new(testbench.bench(), "words_in", 1).expect("ports");
    let sink = StreamSink::new(testbench.bench(), "words_out", 1).expect("ports");
    let sink = sink.pace(Pace::Always).checking(&board);
    let throughput = sink.throughput();
    testbench.add(source.pace(Pace::Always).list(items).feeding(&board)).add(sink);
    let done = throughput.clone();
    testbench.run_until(200, "100 items", |_| done.transfers() == 100).expect("all come out");
    assert_eq!(throughput.first(), Some(1), "one clock of latency after the first item on edge 0");
    assert_eq!(throughput.per_clock(), 1.0);
    board.with(|board| {
        board.expect_empty(testbench.clock()).expect("nothing left");
        assert_eq!((board.latency().min, board.latency().max), (1, 1));
        board.push(500, Value::zero(12));
        assert!(board.expect_empty(501).is_err());
    });
}

#[test]
fn a_counter_counts_and_its_registers_can_be_seen() {
    for back_end in BackEnd::BUILT_IN {
        let mut bench = back_end.open("counter", Counter::<40>::boxed()).expect("bench");
        let (enable, count) = (bench.port("enable").expect("port"), bench.port("count").expect("port"));
        for clock in 0..20u64 {
            bench.set_u64(enable, clock % 2);
            bench.settle().expect("settles");
            assert_eq!(bench.get_u64(count), clock / 2);
            bench.step().expect("steps");
        }
        assert_eq!(bench.get_u64(count), 10, "after a step, without a settle");
        assert_eq!(bench.peek("value.q"), Some(Value::from_u64(40, 10)));
        assert_eq!(bench.peek("value.p"), None);
    }
}

#[test]
fn outputs_show_the_last_settle_only() {
    for back_end in BackEnd::BUILT_IN {
        let mut bench = back_end.open("adder", Box::new(Adder::<70>::default())).expect("bench");
        let (a, sum) = (bench.port("a").expect("port"), bench.port("sum").expect("port"));
        let value = Value::from_words(70, &[5, 3]);
        bench.set(a, &value);
        assert_eq!(bench.get(sum), Value::zero(70));
        bench.settle().expect("settles");
        assert_eq!(bench.get(sum), value);
    }
}

#[test]
fn misuse_is_reported_with_the_port() {
    for back_end in BackEnd::BUILT_IN {
        let mut bench = back_end.open("counter", Counter::<8>::boxed()).expect("bench");
        let error = bench.port("counted").unwrap_err().to_string();
        assert!(error.contains("counted") && error.contains("enable"), "{error}");
        let count = bench.port("count").expect("port");
        bench.set_u64(count, 1);
        assert!(matches!(bench.settle(), Err(SimError::PortMisuse { path, .. }) if path == "count"));
        let clock = bench.port("clock").expect("port");
        bench.set_u64(clock, 1);
        assert!(matches!(bench.step(), Err(SimError::PortMisuse { path, .. }) if path == "clock"));
        assert!(bench.step_clocks(&[count]).is_err());
    }
}

#[test]
fn a_block_that_does_not_settle_is_an_error_that_names_its_signals() {
    let mut bench = StockBench::new("oscillator", Box::new(Oscillator::default())).expect("at rest");
    let enable = bench.port("enable").expect("port");
    bench.set_u64(enable, 1);
    match bench.settle() {
        Err(SimError::DoesNotSettle { changing, .. }) => {
            assert!(changing.iter().any(|path| path.starts_with("inverter.")), "{changing:?}");
        }
        other => panic!("{other:?}"),
    }
}
