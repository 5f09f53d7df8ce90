//! `link_regs` against its model, rust-hdl itself, the graph and the emitted Verilog; and against the description of the
//! page, by what the bus shows.

#![allow(clippy::expect_used)] // tests

mod adapter;
mod described;
mod mutations;
mod stimulus;

use adapter::Adapter;
use flitforge_hdl::link::regs::{
    LinkRegs, LinkRegsConfig, MANY_BITS, SEVERAL_BITS, SEVERAL_MOST, SINGLE_BITS,
};
use flitforge_model::link_registers::ACK_CLOCKS;
use flitforge_protocol::counter::COUNTER_MAX;
use flitforge_protocol::lane_word::MAX_LANES;
use flitforge_protocol::link_registers::{COUNTERS, LANE};
use flitforge_sim::cosim::CosimPlan;
use flitforge_sim::kit::{seed, StimulusFn};
use flitforge_sim::model::PortValues;
use flitforge_sim::Bench;
use flitforge_testkit::{deep, Count};
use stimulus::{Load, Stimulus};

/// Clocks of a quick run that rust-hdl itself runs.
const STOCK_CLOCKS: u64 = 500;

/// Counters just below where they stay: TX_LTP, CODE_ERR, both of lane 2.
fn nearly_full() -> LinkRegsConfig {
    let lane = (u64::from(u32::MAX) - 300) | (0xFF_FFFF - 200) << 40;
    let started = vec![
        (COUNTERS.offset, COUNTER_MAX - 1_000),
        (COUNTERS.offset_of("CODE_ERR").expect("a counter"), COUNTER_MAX - 3_000),
        (LANE + 16, lane),
    ];
    LinkRegsConfig { started, guid: 0x1122_3344_5566_7788, ..LinkRegsConfig::default() }
}

fn plan(name: &'static str, config: LinkRegsConfig, load: Load) -> CosimPlan<'static> {
    plan_counting(name, config, load, Count::default())
}

/// The same; `full` counts reads of a counter at its largest value.
fn plan_counting(name: &'static str, config: LinkRegsConfig, load: Load, full: Count) -> CosimPlan<'static> {
    let mut stimulus = Stimulus::new(name, load);
    let mut model = Adapter::new(&config);
    let make = move || Box::new(LinkRegs::new(&config).expect("valid")) as Box<_>;
    CosimPlan::new(name, seed(0x4e65), make, move |testbench, _| {
        testbench.add(StimulusFn(move |clock: u64, bench: &mut dyn Bench| stimulus.clock(clock, bench)));
        Ok(())
    })
    .model(move |inputs: &PortValues, outputs: &mut PortValues| {
        model.step(inputs, outputs)?;
        full.add(u64::from(outputs.u64("rdata")? == COUNTER_MAX));
        Ok(())
    })
}

#[test]
fn the_page_is_equal_everywhere_under_mixed_load() {
    deep(plan("link_regs_mixed", LinkRegsConfig::default(), Load::Mixed), 60_000, STOCK_CLOCKS)
        .run()
        .expect("equal");
}

/// Clocks that an accumulator waits at most: the sweep visits 43 words in turn, one per clock, and lets the bus go first,
/// which can ask in one clock of five.
fn longest_wait() -> u64 {
    let words = (COUNTERS.names.len() + MAX_LANES) as u64;
    let clocks_of = |first_request: u64| {
        let mut visits = 0;
        (1..).find(|clock| {
            visits += u64::from(clock % (u64::from(ACK_CLOCKS) + 1) != first_request);
            visits == words
        })
    };
    (0..=u64::from(ACK_CLOCKS)).filter_map(clocks_of).max().expect("it comes round")
}

#[test]
fn no_accumulator_can_run_over() {
    assert_eq!(longest_wait(), 54);
    for (bits, most) in [(SINGLE_BITS, 1), (SEVERAL_BITS, SEVERAL_MOST), (MANY_BITS, 257)] {
        assert!(longest_wait() * most < 1 << bits, "{bits} bits for {most} events per clock");
    }
}

/// Every counter at its most events on every clock, the bus never idle: the accumulators are as full as they can be.
#[test]
fn nothing_is_lost_when_everything_counts_on_every_clock() {
    deep(plan("link_regs_full", LinkRegsConfig::default(), Load::Full), 30_000, STOCK_CLOCKS)
        .run()
        .expect("equal");
}

#[test]
fn counters_stay_at_their_largest_value() {
    let full = Count::default();
    let plan = plan_counting("link_regs_saturating", nearly_full(), Load::Full, full.clone());
    deep(plan, 30_000, STOCK_CLOCKS).run().expect("equal");
    full.at_least(11, "reads of a counter at its largest value");
}
