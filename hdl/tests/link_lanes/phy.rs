//! `phy_loop` against its model.

use crate::link_lanes::{QUICK_CLOCKS, STOCK_CLOCKS};
use flitforge_elaborate::drive::DriveBlock;
use flitforge_hdl::link::phy_loop::PhyLoop;
use flitforge_sim::kit::{rng, seed, StimulusFn, StreamSource, Testbench};
use flitforge_sim::model::PortValues;
use flitforge_sim::{Bench, CosimPlan, SimError, Simulator};
use flitforge_testkit::{deep, Count};
use rand::Rng as _;

/// A lane: every word taken since the last clear, and what comes out.
#[derive(Clone, Default)]
struct Lane {
    words: Vec<u64>,
    out: Option<u64>,
}

fn step(
    lanes: &mut [Lane],
    hit: &Count,
    inputs: &PortValues,
    outputs: &mut PortValues,
) -> Result<(), SimError> {
    let clear = inputs.bit("clear")?;
    for (number, lane) in lanes.iter_mut().enumerate() {
        outputs.set_bit(&format!("tx[{number}].ready"), !clear)?;
        outputs.set_bit(&format!("rx[{number}].valid"), lane.out.is_some())?;
        if let Some(word) = lane.out.take() {
            outputs.set_u64(&format!("rx[{number}].data"), word)?;
        }
        if clear {
            lane.words.clear();
        } else if inputs.bit(&format!("tx[{number}].valid"))? {
            let error = inputs.bit("error_enable")? && inputs.u64("error_lanes")? >> number & 1 == 1;
            let mask = if error { inputs.u64("error_mask")? } else { 0 };
            hit.add(u64::from(error));
            lane.words.push(inputs.u64(&format!("tx[{number}].data"))? ^ mask);
            let delay = inputs.u64(&format!("delay[{number}]"))? as usize;
            lane.out = lane.words.len().checked_sub(delay + 1).map(|place| lane.words[place]);
        }
    }
    Ok(())
}

fn cosim(name: &str, lanes: usize, make: fn() -> Box<dyn DriveBlock>) {
    let stimulus = move |testbench: &mut Testbench<'_>, seed| {
        let bench = testbench.bench();
        let (clear, enable) = (bench.port("clear")?, bench.port("error_enable")?);
        let (hit, mask) = (bench.port("error_lanes")?, bench.port("error_mask")?);
        let mut delays = vec![];
        let mut sources = vec![];
        for lane in 0..lanes {
            delays.push(bench.port(&format!("delay[{lane}]"))?);
            sources.push(StreamSource::new(bench, &format!("tx[{lane}]"), seed)?);
        }
        let mut rng = rng(seed, "controls");
        testbench.add(StimulusFn(move |clock, bench: &mut dyn Bench| {
            let cleared = clock == 0 || rng.random_bool(0.01);
            bench.set_u64(clear, u64::from(cleared));
            if cleared {
                delays.iter().for_each(|delay| bench.set_u64(*delay, rng.random_range(0..16)));
            }
            bench.set_u64(enable, u64::from(rng.random_bool(0.1)));
            bench.set_u64(hit, rng.random_range(0..16));
            bench.set_u64(mask, rng.random_range(0..1 << 34));
            Ok(())
        }));
        sources.into_iter().for_each(|source| {
            testbench.add(source);
        });
        Ok(())
    };
    let (mut model, hit) = (vec![Lane::default(); lanes], Count::default());
    let seen = hit.clone();
    let plan = CosimPlan::new(name, seed(0x10_53), make, stimulus)
        .simulators(&[Simulator::Icarus])
        .model(move |inputs: &PortValues, outputs: &mut PortValues| step(&mut model, &seen, inputs, outputs));
    let clocks = deep(plan, QUICK_CLOCKS, STOCK_CLOCKS).run().expect("equal").clocks;
    hit.at_least(clocks / 100, "words with errors");
}

#[test]
fn four_lanes_are_equal_everywhere() {
    cosim("phy_loop", 4, || Box::new(PhyLoop::<4>::new().expect("valid")));
}

#[test]
fn one_lane_is_equal_everywhere() {
    cosim("phy_loop_1", 1, || Box::new(PhyLoop::<1>::new().expect("valid")));
}
