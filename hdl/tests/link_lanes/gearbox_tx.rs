//! `link_gearbox_tx` against a model that counts words and bits.

use crate::link_lanes::{row_value, QUICK_CLOCKS, STOCK_CLOCKS};
use flitforge_elaborate::drive::DriveBlock;
use flitforge_elaborate::Value;
use flitforge_hdl::link::gearbox::{LinkGearboxTx, LinkGearboxTx1, LinkGearboxTx4, LinkGearboxTxLane};
use flitforge_sim::kit::{rng, seed, StimulusFn, StreamMonitor, StreamSink, StreamSource, Testbench};
use flitforge_sim::model::PortValues;
use flitforge_sim::{Bench, CosimPlan, SimError, Simulator};
use flitforge_testkit::wide::place;
use flitforge_testkit::{deep, Count};
use rand::Rng as _;
use std::collections::VecDeque;

/// The core: two beats of two flits wait, as the words they complete.
#[derive(Default)]
struct Core {
    /// Bits of the last beat that fill no word yet.
    rest: Vec<bool>,
    older: Option<VecDeque<u32>>,
    newer: Option<VecDeque<u32>>,
}

impl Core {
    /// The row that is offered, of `lanes` words.
    fn row(&self, lanes: usize) -> Option<Vec<u32>> {
        let older = self.older.as_ref()?;
        if self.newer.is_none() && older.len() < lanes {
            return None;
        }
        Some(older.iter().chain(self.newer.iter().flatten()).copied().take(lanes).collect())
    }

    /// True if the beats move up in this clock.
    fn moves_up(&self, lanes: usize, row_ready: bool) -> bool {
        let Some(older) = &self.older else { return self.newer.is_some() };
        let spent = row_ready && self.row(lanes).is_some() && older.len() <= lanes;
        self.newer.is_some() && spent
    }

    /// True if a beat is taken in this clock, if one is there.
    fn has_room(&self, lanes: usize, row_ready: bool) -> bool {
        self.newer.is_none() || self.moves_up(lanes, row_ready)
    }

    fn clock(&mut self, lanes: usize, row_ready: bool, beat: Option<Value>) {
        let (moves_up, room) = (self.moves_up(lanes, row_ready), self.has_room(lanes, row_ready));
        let mut from_newer = 0;
        if row_ready && self.row(lanes).is_some() {
            if let Some(older) = &mut self.older {
                from_newer = lanes.saturating_sub(older.len());
                older.drain(..lanes.min(older.len()));
            }
        }
        if moves_up {
            self.older = self.newer.take();
            if let Some(older) = &mut self.older {
                older.drain(..from_newer);
            }
        } else if self.older.as_ref().is_some_and(VecDeque::is_empty) {
            self.older = None;
        }
        if let Some(beat) = beat.filter(|_| room) {
            self.rest.extend((0..beat.width()).map(|bit| beat.bit(bit)));
            let whole = self.rest.len() / 32 * 32;
            let bits: Vec<bool> = self.rest.drain(..whole).collect();
            let word = |bits: &[bool]| bits.iter().rev().fold(0u32, |word, bit| word << 1 | u32::from(*bit));
            self.newer = Some(bits.chunks(32).map(word).collect());
        }
    }
}

/// The core with its adapter: F = 1 pairs beats, F = 4 halves them.
struct Model {
    flits: u32,
    core: Core,
    /// F = 1: the first beat of a pair.
    first: Value,
    /// F = 1: there is a first beat; F = 4: the lower half is gone.
    half: bool,
    rows: Count,
}

impl Model {
    fn step(&mut self, inputs: &PortValues, outputs: &mut PortValues) -> Result<(), SimError> {
        let (clear, lanes) = (inputs.bit("clear")?, inputs.u64("last_lane")? as usize + 1);
        let per_flit = if inputs.bit("wide")? { 68 } else { 66 };
        let (valid, row_ready) = (inputs.bit("wire_in.valid")?, inputs.bit("rows.ready")?);
        let data = inputs.get("wire_in.data")?;
        let row = self.core.row(lanes);
        outputs.set_bit("rows.valid", row.is_some())?;
        if let Some(row) = &row {
            outputs.set("rows.data", row_value(row))?;
            self.rows.add(u64::from(row_ready && !clear));
        }
        let room = self.core.has_room(lanes, row_ready) && !clear;
        let ready = match self.flits {
            1 => (room || !self.half) && !clear,
            2 => room,
            _ => room && self.half,
        };
        outputs.set_bit("wire_in.ready", ready)?;

        let beat = match (self.flits, self.half) {
            (1, false) => None,
            (1, true) => {
                let mut beat = self.first.resize(2 * per_flit);
                place(&mut beat, per_flit, &data.slice(0, per_flit));
                Some(beat)
            }
            (4, true) => Some(data.slice(2 * per_flit, 2 * per_flit)),
            _ => Some(data.slice(0, 2 * per_flit)),
        };
        if self.flits == 1 && !self.half {
            self.first = data.slice(0, per_flit);
        }
        let steps = valid && if self.flits == 1 { ready } else { room };
        self.half ^= steps && self.flits != 2;
        self.core.clock(lanes, row_ready, beat.filter(|_| valid && !clear));
        if clear {
            (self.core, self.half) = (Core::default(), false);
        }
        Ok(())
    }
}

/// The plan, without its number of clocks; what the model sees is counted in `rows`.
pub fn plan(name: &str, flits: u32, make: fn() -> Box<dyn DriveBlock>, rows: Count) -> CosimPlan<'static> {
    plan_lanes(name, flits, 4, make, rows)
}

/// The same for a gearbox of so many lanes; with one there is no mode 2 or 3.
fn plan_lanes(
    name: &str,
    flits: u32,
    lanes: u64,
    make: fn() -> Box<dyn DriveBlock>,
    rows: Count,
) -> CosimPlan<'static> {
    let stimulus = move |testbench: &mut Testbench<'_>, seed| {
        let bench = testbench.bench();
        let wire = StreamSource::new(bench, "wire_in", seed)?;
        let rows = StreamSink::new(bench, "rows", seed)?;
        let monitor = StreamMonitor::new(bench, "rows")?.cleared_by(bench.port("clear")?);
        let (clear, wide, last) = (bench.port("clear")?, bench.port("wide")?, bench.port("last_lane")?);
        let (mut rng, mut was_cleared) = (rng(seed, "controls"), false);
        testbench.add(StimulusFn(move |clock, bench: &mut dyn Bench| {
            // Cleared for two clocks; what may change only while cleared changes in the second.
            let change = was_cleared || clock == 0;
            was_cleared = !change && rng.random_bool(0.003);
            bench.set_u64(clear, u64::from(was_cleared || change));
            if change {
                bench.set_u64(wide, rng.random_range(0..lanes.min(2)));
                bench.set_u64(last, rng.random_range(0..lanes));
            }
            Ok(())
        }));
        testbench.add(wire).add(rows).add(monitor);
        Ok(())
    };
    let mut model = Model { flits, core: Core::default(), first: Value::zero(1), half: false, rows };
    CosimPlan::new(name, seed(0x10_54), make, stimulus)
        .simulators(&[Simulator::Icarus])
        .model(move |inputs: &PortValues, outputs: &mut PortValues| model.step(inputs, outputs))
}

fn cosim(name: &str, flits: u32, make: fn() -> Box<dyn DriveBlock>) {
    cosim_lanes(name, flits, 4, make);
}

fn cosim_lanes(name: &str, flits: u32, lanes: u64, make: fn() -> Box<dyn DriveBlock>) {
    let rows = Count::default();
    let clocks = deep(plan_lanes(name, flits, lanes, make, rows.clone()), QUICK_CLOCKS, STOCK_CLOCKS)
        .run()
        .expect("equal")
        .clocks;
    rows.at_least(clocks / 5, "rows");
}

#[test]
fn two_flits_per_beat_are_equal_everywhere() {
    cosim("link_gearbox_tx", 2, || Box::new(LinkGearboxTx::default()));
}

#[test]
fn one_flit_per_beat_is_equal_everywhere() {
    cosim("link_gearbox_tx_f1", 1, || Box::new(LinkGearboxTx1::default()));
}

#[test]
fn one_lane_alone_is_equal_everywhere() {
    cosim_lanes("link_gearbox_tx_f1_lanes1", 1, 1, || Box::new(LinkGearboxTxLane::default()));
}

#[test]
fn four_flits_per_beat_are_equal_everywhere() {
    cosim("link_gearbox_tx_f4", 4, || Box::new(LinkGearboxTx4::default()));
}
