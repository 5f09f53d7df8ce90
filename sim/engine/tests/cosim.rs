//! Co-simulation of small blocks, and every kind of difference it must find.

#![allow(clippy::expect_used)] // helpers of tests

use crate::common::readback::readback;
use crate::common::{Adder, Bug, Counter, StreamRegister, TwoClocks};
use flitforge_elaborate::verilog;
use flitforge_sim::cosim::fault::{find_all, Fault};
use flitforge_sim::design_of;
use flitforge_sim::kit::{
    random_value, rng, seed, ClearDriver, SharedScoreboard, StimulusFn, StreamMonitor, StreamSink,
    StreamSource, Testbench,
};
use flitforge_sim::model::PortValues;
use flitforge_sim::schedule::ClockSchedule;
use flitforge_sim::waves::{failure_folder, PERIOD};
use flitforge_sim::{Bench, CosimPlan, Mismatch, PortKind, SimError, Simulator};
use rand::Rng;

/// `clear` for two clocks, then `enable` always.
fn always_enabled(testbench: &mut Testbench<'_>, _: u64) -> Result<(), SimError> {
    let (clear, enable) = (testbench.bench().port("clear")?, testbench.bench().port("enable")?);
    testbench.add(StimulusFn(move |clock, bench: &mut dyn Bench| {
        bench.set_u64(clear, u64::from(clock < 2));
        bench.set_u64(enable, u64::from(clock >= 2));
        Ok(())
    }));
    Ok(())
}

fn random_counter(testbench: &mut Testbench<'_>, seed: u64) -> Result<(), SimError> {
    let enable = testbench.bench().port("enable")?;
    let mut rng = rng(seed, "enable");
    let clear = ClearDriver::new(testbench.bench(), "clear", seed)?.at_random(0.01, 1..=3);
    testbench.add(clear);
    testbench.add(StimulusFn(move |_, bench: &mut dyn Bench| {
        bench.set_u64(enable, u64::from(rng.random_bool(0.7)));
        Ok(())
    }));
    Ok(())
}

/// A counter of eight bits that sticks at `limit`.
fn counter_model(limit: u64) -> impl FnMut(&PortValues, &mut PortValues) -> Result<(), SimError> {
    let mut count = 0;
    move |inputs, outputs| {
        outputs.set_u64("count", count)?;
        if inputs.bit("enable")? && count != limit {
            count = (count + 1) % 256;
        }
        if inputs.bit("clear")? {
            count = 0;
        }
        Ok(())
    }
}

fn mismatch(result: Result<flitforge_sim::CosimReport, SimError>) -> Mismatch {
    match result {
        Err(SimError::Mismatch(mismatch)) => *mismatch,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_counter_is_equal_everywhere() {
    let report = CosimPlan::new("sim_counter", seed(1), Counter::<8>::boxed, random_counter)
        .clocks(20_000)
        .model(counter_model(256))
        .cover(&["clear.pulses"])
        .run()
        .expect("equal");
    assert_eq!((report.compared[0].what.as_str(), report.compared[0].clocks), ("model", 20_000));
    assert_eq!(report.compared.len() + report.skipped.len(), 2 + flitforge_sim::BackEnd::BUILT_IN.len() - 1);
}

#[test]
fn an_adder_without_clock_is_equal_everywhere() {
    let stimulus = |testbench: &mut Testbench<'_>, seed| {
        let mut rng = rng(seed, "adder");
        testbench.add(StimulusFn(move |_, bench: &mut dyn Bench| {
            for port in bench.ports().of_kind(PortKind::Input) {
                let value = random_value(&mut rng, bench.width(port));
                bench.set(port, &value);
            }
            Ok(())
        }));
        Ok(())
    };
    CosimPlan::new("sim_adder", seed(2), || Box::new(Adder::<70>::default()), stimulus)
        .clocks(5_000)
        .run()
        .expect("equal");
}

#[test]
fn a_stream_register_is_equal_everywhere() {
    let stimulus = |testbench: &mut Testbench<'_>, seed| {
        let bench = testbench.bench();
        let board = SharedScoreboard::new("words").flushed_by(bench, "clear")?;
        let source = StreamSource::new(bench, "words_in", seed)?.feeding(&board);
        let sink = StreamSink::new(bench, "words_out", seed)?.checking(&board);
        let clear = ClearDriver::new(bench, "clear", seed)?.in_mid_transfer(bench, "words_out", 0.01)?;
        let monitors = (StreamMonitor::new(bench, "words_in")?, StreamMonitor::new(bench, "words_out")?);
        testbench.add(clear).add(source).add(sink).add(monitors.0).add(monitors.1).add(board);
        Ok(())
    };
    let make = || StreamRegister::<130>::boxed(Bug::None);
    let plan = CosimPlan::new("sim_stream_register", seed(3), make, stimulus);
    plan.clocks(20_000).stock_limit(5_000, "130 bits wide").run().expect("equal");
}

#[test]
fn two_clocks_are_equal_everywhere() {
    let stimulus = |testbench: &mut Testbench<'_>, seed| {
        let clocks = [("clock_a", 8_000), ("clock_b", 5_000)];
        let ports: Result<Vec<_>, _> = clocks
            .iter()
            .map(|(name, period)| testbench.bench().port(name).map(|port| (port, *period, 0)))
            .collect();
        testbench.set_schedule(ClockSchedule::new(&ports?));
        let d = testbench.bench().port("d")?;
        let mut rng = rng(seed, "d");
        testbench.add(StimulusFn(move |_, bench: &mut dyn Bench| {
            bench.set_u64(d, rng.random_range(0..16));
            Ok(())
        }));
        Ok(())
    };
    let plan = CosimPlan::new("sim_two_clocks", seed(4), || Box::new(TwoClocks::default()), stimulus);
    plan.clocks(5_000).run().expect("equal");
}

#[test]
fn a_wrong_model_is_found_at_the_right_clock() {
    let plan = CosimPlan::new("sim_wrong_model", seed(5), Counter::<8>::boxed, always_enabled);
    let found = mismatch(plan.clocks(1_000).model(counter_model(200)).run());
    // Counting begins on edge 2, so that clock 2 shows 0 and clock 202 shows 200; 203 would show 201.
    assert_eq!((found.clock, found.port.as_str()), (203, "count"));
    assert_eq!((found.expected.to_string().as_str(), found.got.to_string().as_str()), ("c8", "c9"));
    assert_eq!(found.expected_by, "the model");
    let wave = found.wave.expect("a waveform");
    assert_eq!(wave, failure_folder().join("sim_wrong_model.fst"));
    let wave = readback(&wave);
    assert_eq!(wave.get("sim_wrong_model.count").last(), 201);
    assert_eq!(wave.get("sim_wrong_model.other.count").last(), 200);
}

#[test]
fn a_model_that_never_sets_an_output_is_refused() {
    let silent = |_: &PortValues, _: &mut PortValues| Ok(());
    let plan = || CosimPlan::new("sim_silent_model", seed(6), Counter::<8>::boxed, always_enabled).clocks(50);
    assert!(matches!(plan().model(silent).run(), Err(SimError::NotCovered { .. })));
    plan().model(silent).model_ignores(&["count"]).run().expect("said so");
}

#[test]
fn mutated_verilog_is_found_at_the_right_clock_and_port() {
    let plan = CosimPlan::new("sim_mutant", seed(7), Counter::<8>::boxed, always_enabled);
    let mutate = |text: String| {
        assert!(text.contains(" + "), "{text}");
        Ok(text.replace(" + ", " - "))
    };
    let result = plan.clocks(100).mutate(mutate).run();
    if flitforge_sim::tools::find("iverilog").is_err() && std::env::var_os("CI").is_none() {
        return;
    }
    let found = mismatch(result);
    // The first count is on edge 2, so clock 3 is the first to show it.
    assert_eq!((found.clock, found.port.as_str()), (3, "count"));
    assert_eq!((found.expected.to_string().as_str(), found.got.to_string().as_str()), ("01", "ff"));
    assert!(found.got_by.contains("Icarus"), "{}", found.got_by);
    assert!(found.to_string().contains("FLITFORGE_SEED="), "{found}");
}

/// The text of the counter with `to` in place of `from`, as a fault.
fn fault_of_counter(what: &str, from: &str, to: &str) -> Fault {
    let design = design_of("sim_fault", Counter::<8>::boxed().as_ref()).expect("elaborates");
    let text = verilog::write(&design, &verilog::Options::default());
    assert!(text.contains(from), "{text}");
    Fault::other_text(what, text.replace(from, to))
}

#[test]
fn a_fault_is_found_at_its_clock_and_one_that_no_output_shows_is_an_error() {
    let plan = || CosimPlan::new("sim_fault", seed(7), Counter::<8>::boxed, always_enabled).clocks(3_000);
    let down = fault_of_counter("counts down", " + ", " - ");
    let table = find_all(plan, std::slice::from_ref(&down)).expect("found");
    if table.is_empty() && std::env::var_os("CI").is_none() {
        return;
    }
    assert_eq!((table[0].clocks, table[0].port.as_str()), (3, "count"));
    let none = fault_of_counter("nothing", "endmodule", "\nendmodule");
    let error = find_all(plan, &[down, none]).expect_err("no output shows it").to_string();
    assert!(error.contains("blind") && error.contains("`nothing`"), "{error}");
}

#[test]
fn a_counter_that_must_be_covered_is_an_error_if_it_is_not() {
    let plan = CosimPlan::new("sim_uncovered", seed(8), Counter::<8>::boxed, always_enabled).clocks(20);
    assert!(matches!(plan.cover(&["clear.pulses"]).run(), Err(SimError::NotCovered { .. })));
}

#[test]
fn a_broken_rule_stops_the_run_and_leaves_a_waveform() {
    let stimulus = |testbench: &mut Testbench<'_>, seed| {
        let source = StreamSource::new(testbench.bench(), "words_in", seed)?;
        let sink = StreamSink::new(testbench.bench(), "words_out", seed)?;
        let monitor = StreamMonitor::new(testbench.bench(), "words_out")?;
        testbench.add(source).add(sink).add(monitor);
        Ok(())
    };
    let make = || StreamRegister::<12>::boxed(Bug::ValidDrops);
    let result = CosimPlan::new("sim_broken_rule", seed(9), make, stimulus).clocks(5_000).run();
    let Err(SimError::Failed { error, wave }) = result else { panic!("{result:?}") };
    let SimError::Rule { clock, .. } = *error else { panic!("{error:?}") };
    assert_eq!(wave, failure_folder().join("sim_broken_rule.fst"));
    let wave = readback(&wave);
    assert_eq!(wave.get("sim_broken_rule.words_out.valid").last(), 0, "valid fell");
    assert_eq!(wave.end, (clock + 1) * PERIOD);
}

#[test]
fn verilator_is_equal_too() {
    let plan = CosimPlan::new("sim_counter_verilator", seed(10), Counter::<8>::boxed, random_counter);
    plan.simulators(&[Simulator::Verilator]).clocks(20_000).run().expect("equal");
}
