//! The pair behaves alike everywhere: compiled engine, evaluator, rust-hdl itself and the emitted Verilog in Icarus.

use crate::link_port::pair::{PortPairNarrow, PortPairSmall};
use flitforge_elaborate::drive::DriveBlock;
use flitforge_protocol::link_registers::{ctrl, CTRL, PAGE_BYTES};
use flitforge_sim::kit::{rng, seed, Agent, FlowMonitor, Pace, Rng, StimulusFn, StreamSource, Testbench};
use flitforge_sim::{Bench, CosimPlan, PortHandle, SimError, Simulator};
use flitforge_testkit::depth;
use rand::Rng as _;

/// Clocks between two requests on the register bus.
const REQUEST_CLOCKS: u64 = 8;

/// One end's inputs that are no streams.
struct End {
    addr: PortHandle,
    wdata: PortHandle,
    we: PortHandle,
    re: PortHandle,
    clear: PortHandle,
    damage: PortHandle,
    elastic: PortHandle,
    error: [PortHandle; 3],
}

impl End {
    fn new(bench: &dyn Bench, end: usize) -> Result<Self, SimError> {
        let port = |name: &str| bench.port(&format!("{name}[{end}]"));
        Ok(Self {
            addr: port("addr")?,
            wdata: port("wdata")?,
            we: port("we")?,
            re: port("re")?,
            clear: port("clear")?,
            damage: port("damage")?,
            elastic: port("elastic_error")?,
            error: [port("error_enable")?, port("error_lanes")?, port("error_mask")?],
        })
    }

    /// Enabled at first; then now and then any command, any register read, wrong bits, a reset, a fault.
    fn drive(&self, bench: &mut dyn Bench, clock: u64, rng: &mut Rng) {
        let (mut we, mut re) = (0, 0);
        if clock % REQUEST_CLOCKS == 1 {
            let first = clock < 2 * REQUEST_CLOCKS;
            let command = first || rng.random_bool(0.01);
            (we, re) = (u64::from(command), u64::from(!command));
            let address = if command { CTRL } else { rng.random_range(0..PAGE_BYTES) };
            bench.set_u64(self.addr, u64::from(address / 8));
            let other = if first { 0 } else { 1u64 << rng.random_range(1..6) };
            bench.set_u64(self.wdata, 1 << ctrl::enable::LOW | other);
        }
        bench.set_u64(self.we, we);
        bench.set_u64(self.re, re);
        bench.set_u64(self.clear, u64::from(rng.random_bool(0.0001)));
        bench.set_u64(self.damage, u64::from(rng.random_bool(0.002)));
        bench.set_u64(self.elastic, u64::from(rng.random_bool(0.0003)));
        let hit = rng.random_bool(0.004);
        let mask = 1u64 << rng.random_range(0..34);
        for (port, value) in self.error.iter().zip([u64::from(hit), rng.random_range(1..16), mask]) {
            bench.set_u64(*port, value);
        }
    }
}

fn faults(bench: &dyn Bench, seed: u64) -> Result<impl Agent, SimError> {
    let ends = [End::new(bench, 0)?, End::new(bench, 1)?];
    let mut steady = vec![];
    for end in 0..2 {
        steady.push(bench.port(&format!("signal_ok[{end}]"))?);
        steady.push(bench.port(&format!("alive[{end}]"))?);
    }
    let (mut rng, mut clock) = (rng(seed, "faults"), 0);
    Ok(StimulusFn(move |_, bench: &mut dyn Bench| {
        for port in &steady {
            bench.set_u64(*port, 0xF);
        }
        for end in &ends {
            end.drive(bench, clock, &mut rng);
        }
        clock += 1;
        Ok(())
    }))
}

pub fn plan(name: &str, make: fn() -> Box<dyn DriveBlock>) -> CosimPlan<'static> {
    let stimulus = |testbench: &mut Testbench<'_>, seed| {
        let bench = testbench.bench();
        let agent = faults(bench, seed)?;
        let mut streams = vec![];
        for end in 0..2 {
            let flits = StreamSource::new(bench, &format!("flits_in[{end}]"), seed)?.pace(Pace::Random(0.8));
            let time = StreamSource::new(bench, &format!("time_in[{end}]"), seed)?.pace(Pace::Random(0.02));
            streams.push((flits, time, FlowMonitor::new(bench, &format!("flits_out[{end}]"))?));
        }
        testbench.add(agent);
        for (flits, time, monitor) in streams {
            testbench.add(flits).add(time).add(monitor);
        }
        Ok(())
    };
    CosimPlan::new(name, seed(0x10_B0), make, stimulus)
        .simulators(&[Simulator::Icarus])
        .cover(&["flits_out[0].items", "flits_out[1].items"])
}

fn equal(name: &str, clocks: u64, stock: u64, make: fn() -> Box<dyn DriveBlock>) {
    let depth = depth();
    let plan =
        plan(name, make).clocks(clocks).stock_limit(stock, "a quick run: two whole ports in rust-hdl itself");
    plan.to_depth(depth).run().expect("equal");
}

#[test]
fn one_lane_is_equal_everywhere() {
    equal("link_port_pair_narrow", 8_000, 100, || Box::new(PortPairNarrow::new()));
}

#[test]
fn four_lanes_are_equal_everywhere() {
    equal("link_port_pair_small", 8_000, 30, || Box::new(PortPairSmall::new()));
}
