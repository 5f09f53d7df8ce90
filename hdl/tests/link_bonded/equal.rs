//! The pair behaves alike everywhere.

use crate::link_bonded::pair::BondedPair;
use flitforge_protocol::link_registers::{ctrl, CTRL, PAGE_BYTES};
use flitforge_sim::kit::{rng, seed, FlowMonitor, Pace, StimulusFn, StreamSource, Testbench};
use flitforge_sim::{Bench, CosimPlan, Simulator};
use flitforge_testkit::depth;
use rand::Rng as _;

/// All links enabled one by one, then commands, wrong bits and cut cables now and then.
fn plan(name: &str) -> CosimPlan<'static> {
    let stimulus = |testbench: &mut Testbench<'_>, seed| {
        let bench = testbench.bench();
        let port = |name: String| bench.port(&name);
        let mut bus = vec![];
        for end in 0..2 {
            let ports = ["addr", "wdata", "we"].map(|name| format!("{name}[{end}]"));
            bus.push(ports.into_iter().map(port).collect::<Result<Vec<_>, _>>()?);
        }
        let alive = bench.port("alive")?;
        let errors = (0..4)
            .map(|way| {
                Ok((bench.port(&format!("error_enable[{way}]"))?, bench.port(&format!("error_mask[{way}]"))?))
            })
            .collect::<Result<Vec<_>, flitforge_sim::SimError>>()?;
        let mut sources = vec![];
        for end in 0..2 {
            let flits = StreamSource::new(bench, &format!("flits_in[{end}]"), seed)?.pace(Pace::Random(0.5));
            sources.push((flits, FlowMonitor::new(bench, &format!("flits_out[{end}]"))?));
        }
        let mut rng = rng(seed, "faults");
        testbench.add(StimulusFn(move |clock: u64, bench: &mut dyn Bench| {
            bench.set_u64(alive, if rng.random_bool(0.000_1) { 0b0111 } else { 0xF });
            for (end, ports) in bus.iter().enumerate() {
                let first = clock < 32;
                let writes = (clock % 8 == 1) && (first || rng.random_bool(0.002));
                let link = if first { clock / 8 % 2 } else { rng.random_range(0..3) };
                let other = if first { 0 } else { 1u64 << rng.random_range(1..4) };
                bench.set_u64(ports[0], link * u64::from(PAGE_BYTES / 8) + u64::from(CTRL / 8));
                bench.set_u64(ports[1], 1 << ctrl::enable::LOW | other);
                bench.set_u64(ports[2], u64::from(writes));
                let _ = end;
            }
            for (enable, mask) in &errors {
                bench.set_u64(*enable, rng.random_bool(0.000_5).into());
                bench.set_u64(*mask, 1 << rng.random_range(0..34));
            }
            Ok(())
        }));
        for (flits, monitor) in sources {
            testbench.add(flits).add(monitor);
        }
        Ok(())
    };
    CosimPlan::new(name, seed(0x10_BE), || Box::new(BondedPair::new()), stimulus)
        .simulators(&[Simulator::Icarus])
        .cover(&["flits_out[0].items", "flits_out[1].items"])
}

#[test]
fn two_links_are_equal_everywhere() {
    let depth = depth();
    let plan =
        plan("link_bonded_pair").clocks(1_000).stock_limit(10, "a quick run: four ports in rust-hdl itself");
    plan.to_depth(depth).run().expect("equal");
}
