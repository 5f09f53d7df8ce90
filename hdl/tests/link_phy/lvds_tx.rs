//! `lvds_tx` against the model of the line.

use crate::link_phy::STOCK_CLOCKS;
use flitforge_elaborate::drive::DriveBlock;
use flitforge_elaborate::Value;
use flitforge_hdl::link::phy_lvds::LvdsTx;
use flitforge_model::lvds::{LvdsRow, LvdsSender};
use flitforge_sim::kit::{seed, ClearDriver, Pace, StreamSource, Testbench};
use flitforge_sim::model::PortValues;
use flitforge_sim::{CosimPlan, SimError, Simulator};
use flitforge_testkit::{deep, Count};

fn row_of(value: &Value, lanes: usize) -> LvdsRow {
    let word = |lane: usize| value.slice(32 * lane as u32, 32).low_u64() as u32;
    LvdsRow { words: (0..lanes).map(word).collect(), control: value.bit(128) }
}

fn step(
    (sender, lanes): (&mut LvdsSender, usize),
    starved: &Count,
    inputs: &PortValues,
    outputs: &mut PortValues,
) -> Result<(), SimError> {
    let clear = inputs.bit("clear")?;
    outputs.set_bit("rows.ready", sender.takes() && !clear)?;
    outputs.set_bit("starved", sender.starved())?;
    starved.add(u64::from(sender.starved()));
    let (pairs, frame) = sender.pairs();
    for (lane, pair) in pairs.into_iter().enumerate() {
        outputs.set_u64(&format!("pairs[{lane}]"), pair.into())?;
    }
    outputs.set_u64("frame", frame.into())?;
    let row = inputs.bit("rows.valid")?.then(|| inputs.get("rows.data")).transpose()?;
    sender.step(row.map(|row| row_of(&row, lanes)), clear);
    Ok(())
}

/// Rows at all paces, with pauses that starve the line, and clears.
pub fn plan(
    name: &str,
    lanes: usize,
    make: fn() -> Box<dyn DriveBlock>,
    starved: Count,
) -> CosimPlan<'static> {
    let stimulus = |testbench: &mut Testbench<'_>, seed| {
        let clear = testbench.bench().port("clear")?;
        let source =
            StreamSource::new(testbench.bench(), "rows", seed)?.pace(Pace::mixed()).cleared_by(clear);
        let clears = ClearDriver::new(testbench.bench(), "clear", seed)?.at_random(0.002, 1..=40);
        testbench.add(clears).add(source);
        Ok(())
    };
    let mut model = LvdsSender::new(lanes);
    CosimPlan::new(name, seed(0x1_7d5), make, stimulus).simulators(&[Simulator::Icarus]).model(
        move |inputs: &PortValues, outputs: &mut PortValues| {
            step((&mut model, lanes), &starved, inputs, outputs)
        },
    )
}

fn cosim(name: &str, lanes: usize, make: fn() -> Box<dyn DriveBlock>) {
    let starved = Count::default();
    let clocks =
        deep(plan(name, lanes, make, starved.clone()), 40_000, STOCK_CLOCKS).run().expect("equal").clocks;
    starved.at_least(clocks / 2_000, "times without a row");
}

#[test]
fn four_lanes_are_equal_everywhere() {
    cosim("lvds_tx", 4, || Box::new(LvdsTx::<4>::new().expect("valid")));
}

#[test]
fn one_lane_is_equal_everywhere() {
    cosim("lvds_tx_1", 1, || Box::new(LvdsTx::<1>::new().expect("valid")));
}
