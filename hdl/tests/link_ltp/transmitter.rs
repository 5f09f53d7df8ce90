//! `link_ltp_tx` against its model.

use crate::{deep, encode};
use flitforge_elaborate::drive::DriveBlock;
use flitforge_elaborate::Value;
use flitforge_hdl::link::ltp_tx::{LtpTx1, LtpTx2, LtpTx4};
use flitforge_sim::kit::{
    rng, seed, ClearDriver, FlowSource, Pace, StimulusFn, StreamMonitor, StreamSink, StreamSource, Testbench,
};
use flitforge_sim::model::PortValues;
use flitforge_sim::{Bench, CosimPlan, SimError, Simulator};
use rand::Rng as _;
use std::collections::VecDeque;

/// An LTP under way: the data beats taken so far.
struct Ltp {
    data: Value,
    bits14: bool,
    side: u64,
}

/// The cycle-exact model: a queue of LTPs, a wire beat formed two takes after its data beat.
struct Model {
    flits: u32,
    per_ltp: u32,
    /// Place of the next data beat.
    place: u32,
    original: bool,
    sequence: u64,
    ltps: VecDeque<Ltp>,
    /// Data beats taken since `clear` and wire beats made of them.
    taken: u32,
    made: u32,
    wire: Option<Value>,
    /// A wire beat that waits behind `wire`; while it does, nothing is taken.
    spare: Option<Value>,
    /// tx_ltp, null_tx, tx_illegal, time_dropped.
    events: [u64; 4],
}

impl Model {
    fn new(flits: u32) -> Self {
        Self {
            flits,
            per_ltp: 16 / flits,
            place: 0,
            original: false,
            sequence: 0,
            ltps: VecDeque::new(),
            taken: 0,
            made: 0,
            wire: None,
            spare: None,
            events: [0; 4],
        }
    }

    fn step(&mut self, inputs: &PortValues, outputs: &mut PortValues) -> Result<(), SimError> {
        let clear = inputs.bit("clear")?;
        let boundary = self.place == 0;
        let null = inputs.bit("null_in.valid")?;
        let open = if boundary { inputs.bit("active")? && !null } else { self.original };
        let step = self.spare.is_none();
        let time = inputs.bit("time_in.valid")?;
        let hold = inputs.bit("time_mode")?;
        let time_ready = if open { step } else { !hold } && !clear;
        let flits_ready = step && open && !time && !clear;
        outputs.set_bit("flits_in.ready", flits_ready)?;
        outputs.set_bit("time_in.ready", time_ready)?;
        outputs.set_bit("null_in.ready", step && boundary && !clear)?;
        outputs.set_bit("tx_open", open && !clear)?;
        outputs.set_bit("ltp_start", step && boundary && open && !clear)?;
        outputs.set_u64("tx_seq", self.sequence)?;
        outputs.set_bit("wire_wide", false)?;
        outputs.set_bit("wire_out.valid", self.wire.is_some())?;
        if let Some(wire) = &self.wire {
            outputs.set("wire_out.data", wire.resize(68 * self.flits))?;
        }
        for (name, value) in ["tx_ltp", "null_tx", "tx_illegal", "time_dropped"].iter().zip(self.events) {
            outputs.set_u64(name, value)?;
        }

        let last = self.place + 1 == self.per_ltp;
        let offered = inputs.get("flits_in.data")?;
        let illegal = flits_ready && inputs.bit("flits_in.valid")?;
        self.events = [
            u64::from(step && last && open && !clear),
            u64::from(step && last && !open && !clear),
            if illegal { encode::mask(&offered, encode::is_illegal) } else { 0 },
            u64::from(time && !open && !hold && !clear),
        ];
        if clear {
            *self = Self { events: self.events, ..Self::new(self.flits) };
            return Ok(());
        }
        if inputs.bit("wire_out.ready")? {
            self.wire = None;
        }
        if !step {
            if self.wire.is_none() {
                self.wire = self.spare.take();
            }
            return Ok(());
        }
        if boundary {
            let side = if open && inputs.bit("side_in.valid")? { inputs.u64("side_in.data")? } else { 0 };
            let bits14 = inputs.u64("mode")? == 1;
            self.ltps.push_back(Ltp { data: Value::zero(1040), bits14, side });
            self.original = open;
            self.sequence = (self.sequence + u64::from(open)) % 65536;
        }
        let formed = self.wire_beat();
        if self.wire.is_none() {
            self.wire = formed;
        } else {
            self.spare = formed;
        }
        let beat = if open && time {
            inputs.get("time_in.data")?
        } else if open && inputs.bit("flits_in.valid")? {
            encode::sift(&offered, encode::is_carried)
        } else if boundary && !open && null {
            encode::null_flit(&inputs.get("null_in.data")?)
        } else if boundary && !open {
            encode::null_flit(&Value::from_u64(56, 0x28 << 48))
        } else {
            Value::zero(1)
        };
        if let Some(ltp) = self.ltps.back_mut() {
            encode::place(&mut ltp.data, 65 * self.flits * self.place, &beat);
        }
        self.taken += 1;
        self.place = (self.place + 1) % self.per_ltp;
        Ok(())
    }

    /// The wire beat that this step makes, before it takes its data beat.
    fn wire_beat(&mut self) -> Option<Value> {
        if self.taken < self.made + 2 {
            return None;
        }
        let place = self.made % self.per_ltp;
        let ltp = self.ltps.front()?;
        let bits = encode::ltp(&ltp.data, ltp.bits14, ltp.side);
        self.made += 1;
        if self.made % self.per_ltp == 0 {
            self.ltps.pop_front();
        }
        Some(bits.slice(66 * self.flits * place, 66 * self.flits))
    }
}

/// The plan, without its number of clocks.
pub fn plan(name: &str, flits: u32, make: fn() -> Box<dyn DriveBlock>) -> CosimPlan<'static> {
    let stimulus = move |testbench: &mut Testbench<'_>, seed| {
        let bench = testbench.bench();
        let clear = ClearDriver::new(bench, "clear", seed)?.at_random(0.002, 1..=3);
        let flits_in = StreamSource::new(bench, "flits_in", seed)?
            .items(move |rng, _| Some(encode::random_beat(rng, flits)));
        let time_in = StreamSource::new(bench, "time_in", seed)?
            .pace(Pace::Random(0.05))
            .items(move |rng, _| Some(encode::random_beat(rng, flits)));
        let null_in = StreamSource::new(bench, "null_in", seed)?
            .pace(Pace::Random(0.02))
            .items(|rng, _| Some(encode::random_null(rng)));
        let side_in = FlowSource::new(bench, "side_in", seed)?.pace(Pace::Random(0.7));
        let wire = StreamSink::new(bench, "wire_out", seed)?;
        let monitor = StreamMonitor::new(bench, "wire_out")?.cleared_by(bench.port("clear")?);
        let (mode, active, hold) = (bench.port("mode")?, bench.port("active")?, bench.port("time_mode")?);
        let mut rng = rng(seed, "controls");
        testbench.add(clear).add(flits_in).add(time_in).add(null_in).add(side_in).add(wire).add(monitor);
        testbench.add(StimulusFn(move |_, bench: &mut dyn Bench| {
            bench.set_u64(mode, rng.random_range(0..4));
            if rng.random_bool(0.02) {
                bench.set_u64(active, u64::from(rng.random_bool(0.8)));
                bench.set_u64(hold, rng.random_range(0..2));
            }
            Ok(())
        }));
        Ok(())
    };
    let mut model = Model::new(flits);
    CosimPlan::new(name, seed(0x10_41), make, stimulus)
        .simulators(&[Simulator::Icarus])
        .model(move |inputs: &PortValues, outputs: &mut PortValues| model.step(inputs, outputs))
}

fn cosim(name: &str, flits: u32, make: fn() -> Box<dyn DriveBlock>) {
    deep(plan(name, flits, make), 100_000).run().expect("equal");
}

#[test]
fn two_flits_per_beat_are_equal_everywhere() {
    cosim("link_ltp_tx", 2, || Box::new(LtpTx2::new().expect("valid")));
}

#[test]
fn one_flit_per_beat_is_equal_everywhere() {
    cosim("link_ltp_tx_f1", 1, || Box::new(LtpTx1::new().expect("valid")));
}

#[test]
fn four_flits_per_beat_are_equal_everywhere() {
    cosim("link_ltp_tx_f4", 4, || Box::new(LtpTx4::new().expect("valid")));
}
