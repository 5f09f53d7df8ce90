//! Traces on hand-written Verilog: equal behaviour is equal, every difference is found at its clock and port.

#![allow(clippy::expect_used)] // helpers of tests

use crate::common::{Counter, TwoClocks, WideShuffle};
use flitforge_elaborate::drive::DriveBlock;
use flitforge_sim::kit::{random_value, rng, seed, StimulusFn, Testbench};
use flitforge_sim::schedule::ClockSchedule;
use flitforge_sim::tools::skip_if_missing;
use flitforge_sim::{BackEnd, PortKind, SimError, Simulator, Trace, VerilogSource};

const COUNTER: &str = "
module counter (input clock, input clear, input enable, output [7:0] count);
  reg [7:0] value = 0;
  always @(posedge clock) if (clear) value <= 0; else if (enable) value <= value + 8'd1;
  assign count = value;
endmodule
";

const WIDE: &str = "
module wide (input clock, input [129:0] a, input [2:0] amount, output [129:0] b, output [63:0] c, output parity);
  reg [129:0] held = 0;
  always @(posedge clock) held <= a;
  assign b = held << amount;
  assign c = held[128:65];
  assign parity = ^a;
endmodule
";

const TWO_CLOCKS: &str = "
module two_clocks (input clock_a, input clock_b, input [3:0] d, output [3:0] a, output [3:0] b);
  reg [3:0] qa = 0, qb = 0;
  always @(posedge clock_a) qa <= d;
  always @(posedge clock_b) qb <= qa;
  assign a = qa;
  assign b = qb;
endmodule
";

/// Random inputs on rust-hdl itself.
fn trace(name: &str, block: Box<dyn DriveBlock>, periods: &[u64], clocks: u64) -> Trace {
    let mut rng = rng(seed(7), name);
    let bench = BackEnd::Stock.open(name, block).expect("bench");
    let handles = bench.ports().of_kind(PortKind::Clock);
    let schedule: Vec<_> = handles.iter().zip(periods).map(|(clock, period)| (*clock, *period, 0)).collect();
    let mut testbench = Testbench::new(bench).with_schedule(ClockSchedule::new(&schedule));
    testbench.record().add(StimulusFn(|_, bench: &mut dyn flitforge_sim::Bench| {
        for port in bench.ports().of_kind(PortKind::Input) {
            let value = random_value(&mut rng, bench.width(port));
            bench.set(port, &value);
        }
        Ok(())
    }));
    testbench.run(clocks).expect("runs");
    testbench.finish().expect("ends").expect("recorded")
}

fn source(top: &str, text: &str) -> VerilogSource {
    VerilogSource { top: top.into(), text: text.into() }
}

fn first_difference(
    simulator: Simulator,
    trace: &Trace,
    source: &VerilogSource,
) -> Option<Option<(usize, String, bool)>> {
    let outputs =
        skip_if_missing(simulator.replay(trace, source, 5), simulator.name()).expect("simulates")?;
    let difference = trace.difference(&outputs);
    Some(difference.map(|found| (found.row, found.port, found.found.has_unknown())))
}

#[test]
fn equal_behaviour_is_equal() {
    let counter = trace("counter", Counter::<8>::boxed(), &[1], 2000);
    let wide = trace("wide", Box::new(WideShuffle::default()), &[1], 2000);
    let two = trace("two_clocks", Box::new(TwoClocks::default()), &[3, 5], 2000);
    for simulator in [Simulator::Icarus, Simulator::Verilator] {
        for (trace, source) in [
            (&counter, source("counter", COUNTER)),
            (&wide, source("wide", WIDE)),
            (&two, source("two_clocks", TWO_CLOCKS)),
        ] {
            if let Some(difference) = first_difference(simulator, trace, &source) {
                assert_eq!(difference, None, "{} {}", simulator.name(), source.top);
            }
        }
    }
}

#[test]
fn the_two_clocks_do_not_always_rise_together() {
    let trace = trace("two_clocks", Box::new(TwoClocks::default()), &[3, 5], 15);
    let edges: Vec<u64> = (0..7).map(|row| trace.edges(row)).collect();
    assert_eq!(edges, [3, 1, 2, 1, 1, 2, 1], "at 0, 3, 5, 6, 9, 10, 12");
}

#[test]
fn a_wrong_bit_is_found_at_its_clock_and_port() {
    let trace = trace("wide", Box::new(WideShuffle::default()), &[1], 1000);
    let wrong = WIDE.replace("held[128:65]", "held[128:65] ^ {(held[5:0] == 6'd42), 3'd0}");
    assert_ne!(wrong, WIDE);
    let columns = trace.inputs();
    let a = columns.ports().iter().position(|port| port.path == "a").expect("port");
    // Computed from the inputs alone: `held` is `a` of the clock before.
    let expected = (1..trace.len()).find(|row| trace.input_row(row - 1)[columns.range(a)][0] & 63 == 42);
    let expected = expected.expect("one row in 64 has it");
    if let Some(found) = first_difference(Simulator::Icarus, &trace, &source("wide", &wrong)) {
        assert_eq!(found, Some((expected, "c".into(), false)));
    }
}

#[test]
fn an_unknown_start_value_is_found() {
    let trace = trace("counter", Counter::<8>::boxed(), &[1], 100);
    let unknown = source("counter", &COUNTER.replace("value = 0", "value"));
    if let Some(found) = first_difference(Simulator::Icarus, &trace, &unknown) {
        assert_eq!(found, Some((0, "count".into(), true)));
    }
    if let Some(found) = first_difference(Simulator::Verilator, &trace, &unknown) {
        assert_eq!(found, Some((0, "count".into(), false)), "a random start value, with this seed not 0");
    }
}

#[test]
fn broken_verilog_and_early_ends_are_errors() {
    let trace = trace("counter", Counter::<8>::boxed(), &[1], 100);
    let broken = source("counter", &COUNTER.replace("endmodule", ""));
    let replay = |source| skip_if_missing(Simulator::Icarus.replay(&trace, source, 1), "Icarus");
    match replay(&broken) {
        Ok(None) => {}
        Err(SimError::ToolFailed { output, .. }) => assert!(output.contains("design.v"), "{output}"),
        other => panic!("{other:?}"),
    }
    let ends = source("counter", &COUNTER.replace("endmodule", "initial #21 $finish(0); endmodule"));
    match replay(&ends) {
        Ok(None) => {}
        Err(SimError::Format { problem, .. }) => assert!(problem.contains("for 100 rows"), "{problem}"),
        other => panic!("{other:?}"),
    }
}
