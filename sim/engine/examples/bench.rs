//! Clocks per second of every way of simulating one block of medium size: eight stream registers of 130 bits.
//!
//! `cargo run --release -p flitforge-sim --example bench`
#![allow(clippy::expect_used)] // an example that cannot run should say so at once

#[path = "../tests/common/mod.rs"]
mod common;

use common::Chain;
use flitforge_elaborate::verilog;
use flitforge_sim::design_of;
use flitforge_sim::kit::{StreamSink, StreamSource, Testbench};
use flitforge_sim::tools::skip_if_missing;
use flitforge_sim::{BackEnd, PortKind, Simulator, Trace, VerilogSource};
use rust_hdl::prelude::*;
use std::time::Instant;

const CLOCKS: u64 = 100_000;
const STOCK_CLOCKS: usize = 10_000;

fn main() {
    let make = || Box::new(Chain::<130>::default());
    let bench = BackEnd::Graph.open("chain", make()).expect("graph");
    let mut testbench = Testbench::new(bench);
    let source = StreamSource::new(testbench.bench(), "words_in", 1).expect("ports");
    let sink = StreamSink::new(testbench.bench(), "words_out", 1).expect("ports");
    testbench.record().add(source).add(sink);
    let trace = timed("graph, with drivers and recording", CLOCKS, || {
        testbench.run(CLOCKS).expect("runs");
        testbench.finish().expect("ends").expect("trace")
    });
    for (back_end, rows) in [(BackEnd::Graph, CLOCKS as usize), (BackEnd::Stock, STOCK_CLOCKS)] {
        let part = trace.prefix(rows);
        let mut bench = back_end.open("chain", make()).expect("bench");
        let name = format!("{}, replayed and compared", back_end.name());
        let outputs = timed(&name, part.len() as u64, || part.replay_on(bench.as_mut()).expect("runs"));
        assert_eq!(part.difference(&outputs), None);
    }
    bare("graph, bare steps, one input changes", BackEnd::Graph, CLOCKS);
    bare("stock, bare steps, one input changes", BackEnd::Stock, STOCK_CLOCKS as u64);
    timed("rust-hdl's Simulation, one input changes", STOCK_CLOCKS as u64, stock_simulation);

    let design = design_of("chain", make().as_ref()).expect("elaborates");
    let text = verilog::write(&design, &verilog::Options::default());
    let source = VerilogSource { top: design.top_module().name.clone(), text };
    external("Icarus, with start-up and files", Simulator::Icarus, &trace, &source);
    external("Verilator, first time (may build)", Simulator::Verilator, &trace, &source);
    let long = lengthened(make());
    external("Verilator, again, with files", Simulator::Verilator, &long, &source);
}

fn timed<T>(name: &str, clocks: u64, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = work();
    let seconds = start.elapsed().as_secs_f64();
    println!("{name}: {clocks} clocks, {seconds:.2} s, {:.0} k clocks/s", clocks as f64 / seconds / 1000.0);
    result
}

fn bare(name: &str, back_end: BackEnd, clocks: u64) {
    let mut bench = back_end.open("chain", Box::new(Chain::<130>::default())).expect("bench");
    let port = |path: &str| bench.port(path).expect("port");
    let (valid, data, ready) = (port("words_in.valid"), port("words_in.data"), port("words_out.ready"));
    let out = port("words_out.data");
    bench.set_u64(valid, 1);
    bench.set_u64(ready, 1);
    let clock = bench.ports().of_kind(PortKind::Clock);
    let mut sum = 0;
    timed(name, clocks, || {
        for number in 0..clocks {
            bench.set_u64(data, number);
            bench.step_clocks(&clock).expect("steps");
            sum ^= bench.get_u64(out);
        }
    });
    assert_ne!(sum, 1);
}

/// rust-hdl's own scheduler with one clock thread and one test-bench thread.
fn stock_simulation() {
    let mut simulation = Simulation::new();
    simulation.add_clock(5, |x: &mut Box<Chain<130>>| x.clock.next = !x.clock.val());
    simulation.add_testbench(|mut sim: Sim<Chain<130>>| {
        let mut x = sim.init()?;
        x.words_in.valid.next = true;
        x.words_out.ready.next = true;
        for number in 0..STOCK_CLOCKS as u64 {
            x.words_in.data.next = number.to_bits();
            wait_clock_cycle!(sim, clock, x);
        }
        sim.done(x)
    });
    let mut block = Chain::<130>::default();
    block.clock.connect();
    block.clear.connect();
    block.words_in.link_connect_dest();
    block.words_out.link_connect_dest();
    block.connect_all();
    simulation.run(Box::new(block), u64::MAX).expect("runs");
}

/// A million clocks, so that starting the program counts little.
fn lengthened(block: Box<Chain<130>>) -> Trace {
    let mut testbench = Testbench::new(BackEnd::Graph.open("chain", block).expect("graph"));
    let source = StreamSource::new(testbench.bench(), "words_in", 2).expect("ports");
    let sink = StreamSink::new(testbench.bench(), "words_out", 2).expect("ports");
    testbench.record().add(source).add(sink);
    testbench.run(10 * CLOCKS).expect("runs");
    testbench.finish().expect("ends").expect("trace")
}

fn external(name: &str, simulator: Simulator, trace: &Trace, source: &VerilogSource) {
    let outputs = timed(name, trace.len() as u64, || simulator.replay(trace, source, 1));
    if let Some(outputs) = skip_if_missing(outputs, name).expect("simulates") {
        assert_eq!(trace.difference(&outputs), None);
    }
}
