//! Verilator behind the bench interface: equal to the graph, misuse refused, its own speed loop does the same work.

#![allow(clippy::expect_used)] // helpers of tests

use crate::common::{Chain, Counter, TwoClocks, WideShuffle};
use flitforge_elaborate::drive::DriveBlock;
use flitforge_elaborate::drive_ports;
use flitforge_sim::exercise::Exercise;
use flitforge_sim::tools::skip_if_missing;
use flitforge_sim::{BackEnd, Bench, PortKind, SimError, VerilatorBench};
use rust_hdl::prelude::*;

fn verilator(name: &str, block: Box<dyn DriveBlock>) -> Option<VerilatorBench> {
    skip_if_missing(VerilatorBench::new(name, block), name).expect("a bench")
}

fn hashes(name: &str, make: &dyn Fn() -> Box<dyn DriveBlock>, fixed: &[(&str, u64)], clocks: u64) {
    let Some(mut bench) = verilator(name, make()) else { return };
    let exercise = Exercise::new(bench.ports(), fixed).expect("ports");
    let stepped = exercise.clone().run(&mut bench, clocks).expect("runs");
    let mut fresh = verilator(name, make()).expect("built before");
    assert_eq!(fresh.exercise(&mut exercise.clone(), clocks), stepped, "{name}: C++ loop and stepping");
    let mut graph = BackEnd::Graph.open(name, make()).expect("bench");
    assert_eq!(exercise.clone().run(graph.as_mut(), clocks).expect("runs"), stepped, "{name}: graph");
    let other = Exercise::new(bench.ports(), fixed).expect("ports").run(graph.as_mut(), clocks);
    assert_ne!(other.expect("runs"), stepped, "{name}: the hash does not see the state");
}

#[test]
fn blocks_behave_as_their_graph() {
    hashes("counter", &|| Counter::<8>::boxed(), &[("clear", 0)], 20_001);
    hashes("chain", &|| Box::new(Chain::<130>::default()), &[], 20_001);
}

#[test]
fn wide_ports_and_two_clocks() {
    let Some(mut bench) = verilator("wide", Box::<WideShuffle>::default()) else { return };
    let exercise = Exercise::new(bench.ports(), &[]).expect("ports");
    let mut graph = BackEnd::Graph.open("wide", Box::<WideShuffle>::default()).expect("bench");
    let expected = exercise.clone().run(graph.as_mut(), 5_000).expect("runs");
    assert_eq!(exercise.clone().run(&mut bench, 5_000).expect("runs"), expected);

    let mut bench = verilator("two_clocks", Box::<TwoClocks>::default()).expect("built before");
    let port = |path: &str| bench.port(path).expect("port");
    let (a, b, d) = (port("clock_a"), port("clock_b"), port("d"));
    let (out_a, out_b) = (port("a"), port("b"));
    bench.set_u64(d, 5);
    bench.step_clocks(&[b]).expect("steps");
    assert_eq!((bench.get_u64(out_a), bench.get_u64(out_b)), (0, 0), "only b rises");
    bench.step_clocks(&[a]).expect("steps");
    assert_eq!((bench.get_u64(out_a), bench.get_u64(out_b)), (5, 0));
    bench.set_u64(d, 9);
    bench.step_clocks(&[a, b]).expect("steps");
    assert_eq!((bench.get_u64(out_a), bench.get_u64(out_b)), (9, 5), "both rise at once");
}

/// Shifts of shifts whose amounts have a sum beyond the width of an amount.
#[derive(LogicBlock, Default)]
struct ShiftsOfShifts {
    pub a: Signal<In, Bits<8>>,
    pub by: Signal<In, Bits<2>>,
    pub then: Signal<In, Bits<2>>,
    pub left: Signal<Out, Bits<8>>,
    pub right: Signal<Out, Bits<8>>,
}

impl Logic for ShiftsOfShifts {
    #[hdl_gen]
    fn update(&mut self) {
        self.left.next = (self.a.val() << self.by.val()) << self.then.val();
        self.right.next = (self.a.val() >> self.by.val()) >> self.then.val();
    }
}
drive_ports!(impl[] ShiftsOfShifts { a, by, then, left, right });

/// Verilator 5.048 to 5.050 add the two amounts in the width of one unless told otherwise (verilator issue 7955).
#[test]
fn the_amounts_of_two_shifts_are_added_without_overflow() {
    let Some(mut bench) = verilator("shifts", Box::<ShiftsOfShifts>::default()) else { return };
    let [a, by, then, left, right] =
        ["a", "by", "then", "left", "right"].map(|path| bench.port(path).expect("port"));
    bench.set_u64(a, 0xff);
    for (first, second) in (0..4u64).flat_map(|first| (0..4u64).map(move |second| (first, second))) {
        bench.set_u64(by, first);
        bench.set_u64(then, second);
        bench.settle().expect("settles");
        let expected = ((0xff << (first + second)) & 0xff, 0xff >> (first + second));
        assert_eq!((bench.get_u64(left), bench.get_u64(right)), expected, "by {first}, then {second}");
    }
}

#[test]
fn outputs_show_the_last_settle_and_misuse_is_reported() {
    let Some(mut bench) = verilator("wide", Box::<WideShuffle>::default()) else { return };
    let (a, parity) = (bench.port("a").expect("a"), bench.port("parity").expect("parity"));
    bench.set_u64(a, 1);
    assert!(!bench.get_bit(parity), "set, not settled");
    bench.settle().expect("settles");
    assert!(bench.get_bit(parity));
    bench.set_u64(parity, 1);
    assert!(matches!(bench.settle(), Err(SimError::PortMisuse { path, .. }) if path == "parity"));
    assert!(matches!(bench.step_clocks(&[a]), Err(SimError::PortMisuse { path, .. }) if path == "a"));
    assert_eq!(bench.peek("no.such.signal"), None);
}

#[test]
fn a_fixed_port_must_be_an_input() {
    let bench = BackEnd::Graph.open("counter", Counter::<8>::boxed()).expect("bench");
    assert_eq!(bench.ports().of_kind(PortKind::Output).len(), 1);
    assert!(matches!(Exercise::new(bench.ports(), &[("count", 0)]), Err(SimError::PortMisuse { .. })));
    assert!(matches!(Exercise::new(bench.ports(), &[("cuont", 0)]), Err(SimError::NoSuchPort { .. })));
}
