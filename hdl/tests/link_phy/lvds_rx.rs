//! `lvds_rx` against the model of the line.

use crate::link_phy::line::Line;
use crate::link_phy::STOCK_CLOCKS;
use flitforge_testkit::{deep, Count};

use flitforge_elaborate::drive::DriveBlock;
use flitforge_hdl::link::phy_lvds::LvdsRx;
use flitforge_model::lvds::{LvdsInputs, LvdsReceiver, LvdsRow, LvdsSender};
use flitforge_sim::kit::{rng, seed, Rng, StimulusFn, Testbench};
use flitforge_sim::model::PortValues;
use flitforge_sim::{Bench, CosimPlan, SimError, Simulator};
use rand::Rng as _;

/// What a run came across.
#[derive(Clone, Default)]
pub struct Found {
    words: Count,
    errors: Count,
    locks: Count,
}

/// Rows from a sender over a line that slides, with bad frame bits now and then, alone and in bursts.
fn line_stimulus(testbench: &mut Testbench<'_>, seed: u64, lanes: usize) -> Result<(), SimError> {
    let bench = testbench.bench();
    let pairs =
        (0..lanes).map(|lane| bench.port(&format!("pairs[{lane}]"))).collect::<Result<Vec<_>, _>>()?;
    let frame = bench.port("frame")?;
    let (invert, slip, clear) = (bench.port("invert")?, bench.port("slip")?, bench.port("clear")?);
    let mut random = rng(seed, "line");
    let mut sender = LvdsSender::new(lanes);
    let mut line = Line::new(&vec![random.random_range(0..70); lanes + 1]);
    let (mut polarity, mut burst) = (0u64, 0u32);
    testbench.add(StimulusFn(move |clock, bench: &mut dyn Bench| {
        let (mut sent, sent_frame) = sender.pairs();
        sent.push(sent_frame);
        line.push(&sent);
        // Stretches of quiet, of single errors, of bursts, of none.
        let wild = clock / 4_000 % 4;
        if wild == 3 && random.random_bool(0.002) {
            line.slide(&mut random);
        }
        burst = if wild == 2 && random.random_bool(0.003) { 80 } else { burst.saturating_sub(1) };
        let mut got = line.pop();
        if (wild == 1 && random.random_bool(0.01)) || (burst > 0 && random.random_bool(0.3)) {
            got[lanes] ^= random.random_range(1..4);
        }
        for (lane, pair) in pairs.iter().enumerate() {
            bench.set_u64(*pair, got[lane].into());
        }
        bench.set_u64(frame, got[lanes].into());
        if random.random_bool(0.002) {
            polarity = random.random_range(0..16);
        }
        bench.set_u64(invert, polarity);
        bench.set_u64(slip, if random.random_bool(0.002) { random.random_range(0..16) } else { 0 });
        bench.set_u64(clear, u64::from(random.random_bool(0.0007)));
        let quiet = random.random_bool(0.003);
        let row = (sender.takes() && !quiet).then(|| random_row(&mut random, lanes));
        sender.step(row, false);
        Ok(())
    }));
    Ok(())
}

fn random_row(random: &mut Rng, lanes: usize) -> LvdsRow {
    let control = random.random_bool(0.2);
    LvdsRow { words: (0..lanes).map(|_| random.random()).collect(), control }
}

fn step(
    (receiver, lanes): (&mut LvdsReceiver, usize),
    found: &Found,
    inputs: &PortValues,
    outputs: &mut PortValues,
) -> Result<(), SimError> {
    let words = receiver.words();
    outputs.set_bit("locked", receiver.locked())?;
    for lane in 0..lanes {
        outputs.set_bit(&format!("words[{lane}].valid"), words.is_some())?;
        let Some(word) = words.as_ref().and_then(|words| words[lane]) else { continue };
        found.words.add(1);
        found.errors.add(u64::from(word.code_err));
        let flags = u64::from(word.code_err) << 33 | u64::from(word.control) << 32;
        outputs.set_u64(&format!("words[{lane}].data"), flags | u64::from(word.word))?;
    }
    let mut told = LvdsInputs {
        frame: inputs.u64("frame")? as u8,
        invert: inputs.u64("invert")? as u8,
        slip: inputs.u64("slip")? as u8,
        clear: inputs.bit("clear")?,
        pairs: vec![],
    };
    for lane in 0..lanes {
        told.pairs.push(inputs.u64(&format!("pairs[{lane}]"))? as u8);
    }
    let was = receiver.locked();
    receiver.step(&told);
    found.locks.add(u64::from(receiver.locked() && !was));
    Ok(())
}

pub fn plan(name: &str, lanes: usize, make: fn() -> Box<dyn DriveBlock>, found: Found) -> CosimPlan<'static> {
    let stimulus = move |testbench: &mut Testbench<'_>, seed| line_stimulus(testbench, seed, lanes);
    let mut model = LvdsReceiver::new(lanes);
    CosimPlan::new(name, seed(0x1_7d6), make, stimulus).simulators(&[Simulator::Icarus]).model(
        move |inputs: &PortValues, outputs: &mut PortValues| {
            step((&mut model, lanes), &found, inputs, outputs)
        },
    )
}

fn cosim(name: &str, lanes: usize, make: fn() -> Box<dyn DriveBlock>) {
    let found = Found::default();
    let clocks =
        deep(plan(name, lanes, make, found.clone()), 60_000, STOCK_CLOCKS).run().expect("equal").clocks;
    found.words.at_least(clocks / 100, "words");
    found.errors.at_least(clocks / 2_000, "words with code errors");
    found.locks.at_least(clocks / 2_000, "locks");
}

#[test]
fn four_lanes_are_equal_everywhere() {
    cosim("lvds_rx", 4, || Box::new(LvdsRx::<4>::new().expect("valid")));
}

#[test]
fn one_lane_is_equal_everywhere() {
    cosim("lvds_rx_1", 1, || Box::new(LvdsRx::<1>::new().expect("valid")));
}
