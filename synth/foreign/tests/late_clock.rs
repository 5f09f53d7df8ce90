//! A fault of rust-hdl's own simulation, on two registers of one clock: the clock of one of them passes through a child block and
//! arrives a pass later, when the other register has its new value already.
#![allow(clippy::expect_used)] // helpers of tests may panic

use flitforge_elaborate::driven;
use flitforge_sim::cosim::CosimPlan;
use flitforge_sim::replay::Simulator;
use flitforge_sim::{BackEnd, SimError};
use rust_hdl::prelude::*;

/// Gives its clock on.
#[derive(LogicBlock, Default)]
struct Buffer {
    clock: Signal<In, Clock>,
    clock_out: Signal<Out, Clock>,
}

impl Logic for Buffer {
    #[hdl_gen]
    fn update(&mut self) {
        self.clock_out.next = self.clock.val();
    }
}

/// Two registers in a row.
#[derive(LogicBlock, Default)]
struct Row {
    clock: Signal<In, Clock>,
    d: Signal<In, Bit>,
    q: Signal<Out, Bit>,
    buffer: Buffer,
    first: DFF<Bit>,
    second: DFF<Bit>,
}

impl Logic for Row {
    #[hdl_gen]
    fn update(&mut self) {
        self.buffer.clock.next = self.clock.val();
        self.first.clock.next = self.clock.val();
        self.second.clock.next = self.buffer.clock_out.val();
        self.first.d.next = self.d.val();
        self.second.d.next = self.first.q.val();
        self.q.next = self.second.q.val();
    }
}

/// The output after the first edge with a 1 at the input.
fn after_one_edge(back_end: BackEnd) -> Result<bool, SimError> {
    let block = driven!(Row::default(), |top| top.clock, top.d);
    let mut bench = back_end.open("row", Box::new(block))?;
    let (d, q) = (bench.port("d")?, bench.port("q")?);
    bench.set_u64(d, 1);
    bench.step()?;
    Ok(bench.get_bit(q))
}

#[test]
fn rust_hdl_lets_a_late_clock_take_a_value_of_after_the_edge() {
    // Two registers are two clocks of delay; rust-hdl's simulation has one.
    assert!(after_one_edge(BackEnd::Stock).expect("runs"));
    assert!(!after_one_edge(BackEnd::Graph).expect("runs"));
    assert!(!after_one_edge(BackEnd::Compiled).expect("runs"));
}

#[test]
fn the_emitted_verilog_has_two_registers() {
    let make = || -> Box<dyn flitforge_elaborate::drive::DriveBlock> {
        Box::new(driven!(Row::default(), |top| top.clock, top.d))
    };
    let stimulus = |testbench: &mut flitforge_sim::kit::Testbench<'_>, _| {
        let d = testbench.bench().port("d")?;
        testbench.bench_mut().set_u64(d, 1);
        Ok(())
    };
    let plan = CosimPlan::new("late_clock", 1, make, stimulus).clocks(8).stock_limit(1, "it differs");
    plan.simulators(&[Simulator::Icarus]).run().expect("graph, compiled engine and Icarus are equal");
}
