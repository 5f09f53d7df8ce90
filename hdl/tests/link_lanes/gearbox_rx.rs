//! `link_gearbox_rx` against a model that counts words and bits.

use crate::link_lanes::{row_words, QUICK_CLOCKS, STOCK_CLOCKS};
use flitforge_elaborate::drive::DriveBlock;
use flitforge_elaborate::Value;
use flitforge_hdl::link::gearbox::{LinkGearboxRx, LinkGearboxRx1, LinkGearboxRx4, LinkGearboxRxLane};
use flitforge_sim::kit::{rng, seed, FlowSource, Pace, StimulusFn, Testbench};
use flitforge_sim::model::PortValues;
use flitforge_sim::{Bench, CosimPlan, SimError, Simulator};
use flitforge_testkit::{deep, Count};
use rand::Rng as _;
use std::collections::VecDeque;

/// A beat: its bits, a bad word in it, the first after the start row.
#[derive(Clone)]
struct Beat {
    bits: Vec<bool>,
    bad: bool,
    first: bool,
}

impl Beat {
    fn value(&self, from: usize, count: usize, width: u32) -> Value {
        let mut value = Value::zero(width);
        for (place, bit) in self.bits[from..from + count].iter().enumerate() {
            value.set_bit(place as u32, *bit);
        }
        value
    }
}

/// The core for two flits: bits with their words' error flags, and two clocks of delay.
#[derive(Default)]
struct Core {
    bits: VecDeque<(bool, bool)>,
    started: bool,
    cut: Option<Beat>,
    out: Option<Beat>,
}

impl Core {
    fn clock(&mut self, row: Option<(Vec<u32>, u64)>, width: usize) {
        self.out = self.cut.take();
        for (index, word) in row.iter().flat_map(|(words, _)| words.iter().enumerate()) {
            let bad = row.as_ref().is_some_and(|(_, errors)| errors >> index & 1 == 1);
            self.bits.extend((0..32).map(|bit| (word >> bit & 1 == 1, bad)));
        }
        if self.bits.len() >= width {
            let taken: Vec<(bool, bool)> = self.bits.drain(..width).collect();
            let bad = taken.iter().any(|(_, bad)| *bad);
            let bits = taken.iter().map(|(bit, _)| *bit).collect();
            self.cut = Some(Beat { bits, bad, first: !self.started });
            self.started = true;
        }
    }
}

/// The core with its adapter: F = 1 halves beats, F = 4 joins them.
struct Model {
    flits: u32,
    core: Core,
    /// F = 1: beats that wait; F = 4: the first of two.
    beats: VecDeque<Beat>,
    /// F = 1: the lower half is gone.
    upper: bool,
    /// A port `overrun` is there.
    overruns: bool,
    came: Count,
    bad: Count,
}

impl Model {
    fn show(&self, out: Option<(Value, bool, bool)>, outputs: &mut PortValues) -> Result<(), SimError> {
        outputs.set_bit("wire_out.valid", out.is_some())?;
        outputs.set_bit("frame_start", out.as_ref().is_some_and(|(_, _, first)| *first))?;
        if let Some((value, bad, _)) = out {
            self.came.add(1);
            self.bad.add(u64::from(bad));
            outputs.set("wire_out.data", value)?;
            outputs.set_bit("code_err", bad)?;
        }
        Ok(())
    }

    fn step(&mut self, inputs: &PortValues, outputs: &mut PortValues) -> Result<(), SimError> {
        let per_flit = if inputs.bit("wide")? { 68 } else { 66 };
        let clear = inputs.bit("clear")? || inputs.bit("row_start")?;
        let beat = self.core.out.clone();
        let out = match self.flits {
            1 => self.halved(beat, per_flit, outputs)?,
            2 => beat.map(|beat| (beat.value(0, 2 * per_flit, 136), beat.bad, beat.first)),
            _ => self.joined(beat, per_flit),
        };
        self.show(out, outputs)?;

        let lanes = inputs.u64("last_lane")? as usize + 1;
        let row = if inputs.bit("rows.valid")? {
            Some((row_words(&inputs.get("rows.data")?, lanes), inputs.u64("row_error")?))
        } else {
            None
        };
        self.core.clock(row, 2 * per_flit);
        if clear {
            self.core = Core::default();
        }
        // Two beats that a start row parts are never joined: the second is marked as a first.
        if inputs.bit("clear")? || clear && self.flits == 1 {
            self.beats.clear();
            self.upper = false;
        }
        Ok(())
    }

    /// F = 1: two beats wait at most, a third is lost.
    fn halved(
        &mut self,
        beat: Option<Beat>,
        width: usize,
        outputs: &mut PortValues,
    ) -> Result<Option<(Value, bool, bool)>, SimError> {
        let done = self.upper && !self.beats.is_empty();
        let overrun = beat.is_some() && self.beats.len() == 2 && !done;
        if self.overruns {
            outputs.set_bit("overrun", overrun)?;
        }
        assert!(self.overruns || !overrun, "one lane does not fill the queue");
        self.beats.extend(beat.filter(|_| !overrun));
        let from = if self.upper { width } else { 0 };
        let out =
            self.beats.front().map(|beat| (beat.value(from, width, 68), beat.bad, beat.first && !self.upper));
        self.upper = out.is_some() && !self.upper;
        if done {
            self.beats.pop_front();
        }
        Ok(out)
    }

    fn joined(&mut self, beat: Option<Beat>, width: usize) -> Option<(Value, bool, bool)> {
        let beat = beat?;
        let first = self.beats.pop_front().filter(|_| !beat.first);
        let Some(low) = first else {
            self.beats.push_back(beat);
            return None;
        };
        let bits = [low.bits, beat.bits].concat();
        let both = Beat { bits, bad: low.bad || beat.bad, first: low.first };
        Some((both.value(0, 4 * width, 272), both.bad, both.first))
    }
}

fn cosim(name: &str, flits: u32, make: fn() -> Box<dyn DriveBlock>) {
    cosim_lanes(name, flits, 4, make);
}

/// With one lane to choose from, rows come as fast as they can.
fn cosim_lanes(name: &str, flits: u32, lanes: u64, make: fn() -> Box<dyn DriveBlock>) {
    let stimulus = move |testbench: &mut Testbench<'_>, seed| {
        let bench = testbench.bench();
        let rows = FlowSource::new(bench, "rows", seed)?;
        let rows = if flits == 1 && lanes > 1 { rows.pace(Pace::Random(0.5)) } else { rows };
        let valid = bench.port("rows.valid")?;
        let (clear, wide, last) = (bench.port("clear")?, bench.port("wide")?, bench.port("last_lane")?);
        let (start, error) = (bench.port("row_start")?, bench.port("row_error")?);
        let (mut rng, mut was_cleared) = (rng(seed, "controls"), false);
        testbench.add(rows);
        testbench.add(StimulusFn(move |clock, bench: &mut dyn Bench| {
            // Cleared for two clocks; what may change only while cleared changes in the second.
            let change = was_cleared || clock == 0;
            was_cleared = !change && rng.random_bool(0.003);
            bench.set_u64(clear, u64::from(was_cleared || change));
            if change && lanes > 1 {
                bench.set_u64(wide, rng.random_range(0..2));
                bench.set_u64(last, rng.random_range(0..4));
            }
            let starts = rng.random_bool(0.003);
            bench.set_u64(start, u64::from(starts));
            if starts {
                bench.set_u64(valid, 0);
            }
            bench.set_u64(error, if rng.random_bool(0.05) { rng.random_range(0..16) } else { 0 });
            Ok(())
        }));
        Ok(())
    };
    let (came, bad) = (Count::default(), Count::default());
    let mut model = Model {
        flits,
        core: Core::default(),
        beats: VecDeque::new(),
        upper: false,
        overruns: flits == 1 && lanes > 1,
        came: came.clone(),
        bad: bad.clone(),
    };
    let plan = CosimPlan::new(name, seed(0x10_55), make, stimulus)
        .simulators(&[Simulator::Icarus])
        .model(move |inputs: &PortValues, outputs: &mut PortValues| model.step(inputs, outputs));
    let clocks = deep(plan, QUICK_CLOCKS, STOCK_CLOCKS).run().expect("equal").clocks;
    came.at_least(clocks / 20, "beats");
    bad.at_least(clocks / 400, "beats with a bad word");
}

#[test]
fn two_flits_per_beat_are_equal_everywhere() {
    cosim("link_gearbox_rx", 2, || Box::new(LinkGearboxRx::default()));
}

#[test]
fn one_flit_per_beat_is_equal_everywhere() {
    cosim("link_gearbox_rx_f1", 1, || Box::new(LinkGearboxRx1::default()));
}

#[test]
fn one_lane_alone_is_equal_everywhere() {
    cosim_lanes("link_gearbox_rx_f1_lanes1", 1, 1, || Box::new(LinkGearboxRxLane::default()));
}

#[test]
fn four_flits_per_beat_are_equal_everywhere() {
    cosim("link_gearbox_rx_f4", 4, || Box::new(LinkGearboxRx4::default()));
}
