//! `link_ltp_tx` against its model.

use crate::link_ltp::{encode, STOCK_CLOCKS};
use flitforge_elaborate::drive::DriveBlock;
use flitforge_elaborate::Value;
use flitforge_hdl::link::ltp_tx::{LtpTx1, LtpTx2, LtpTx4};
use flitforge_sim::kit::{
    random_value, rng, seed, Agent, ClearDriver, FlowSource, Pace, Rng, StimulusFn, StreamSink, StreamSource,
    Testbench,
};
use flitforge_sim::model::PortValues;
use flitforge_sim::{Bench, CosimPlan, PortHandle, SimError, Simulator};
use flitforge_testkit::deep;
use flitforge_testkit::wide::place;
use rand::Rng as _;
use std::collections::VecDeque;

/// An LTP under way: the data beats taken so far.
struct Ltp {
    data: Value,
    bits14: bool,
    side: u64,
    /// A beat of it was wrong in the replay buffer: its CRC is inverted.
    corrupted: bool,
}

/// The cycle-exact model: a queue of LTPs, a wire beat formed two takes after its data beat.
struct Model {
    flits: u32,
    per_ltp: u32,
    /// Place of the next data beat.
    place: u32,
    original: bool,
    replayed: bool,
    /// Sideband of the LTP under way.
    side: u64,
    /// The last beat taken was a replayed one.
    corrupts: bool,
    /// The beat of an original that was just taken, and its place.
    stored: Option<(Value, u32)>,
    sequence: u64,
    ltps: VecDeque<Ltp>,
    /// Data beats taken since `clear` and wire beats made of them.
    taken: u32,
    made: u32,
    wire: Option<Value>,
    /// A wire beat that waits after `wire`; while it does, nothing is taken.
    spare: Option<Value>,
    /// tx_ltp, null_tx, tx_illegal, time_dropped, replayed.
    events: [u64; 5],
}

impl Model {
    fn new(flits: u32) -> Self {
        Self {
            flits,
            per_ltp: 16 / flits,
            place: 0,
            original: false,
            replayed: false,
            side: 0,
            corrupts: false,
            stored: None,
            sequence: 0,
            ltps: VecDeque::new(),
            taken: 0,
            made: 0,
            wire: None,
            spare: None,
            events: [0; 5],
        }
    }

    fn step(&mut self, inputs: &PortValues, outputs: &mut PortValues) -> Result<(), SimError> {
        let clear = inputs.bit("clear")?;
        let boundary = self.place == 0;
        let (null, drain) = (inputs.bit("null_in.valid")?, inputs.bit("drain")?);
        let replay_next = inputs.bit("replay_next")?;
        let (open, replays) = match boundary {
            true => (inputs.bit("active")? && !null && !replay_next, replay_next && !null),
            false => (self.original, self.replayed),
        };
        let step = self.spare.is_none() || drain;
        let moves = step && !(boundary && inputs.bit("hold")?);
        let accepts = open && !drain;
        let time = inputs.bit("time_in.valid")?;
        let hold = inputs.bit("time_mode")?;
        let flits_ready = moves && accepts && !time && !clear;
        outputs.set_bit("flits_in.ready", flits_ready)?;
        outputs.set_bit("time_in.ready", if accepts { moves } else { !hold } && !clear)?;
        outputs.set_bit("null_in.ready", moves && boundary && !clear)?;
        outputs.set_bit("replay_take", moves && replays && !clear)?;
        outputs.set_bit("tx_open", accepts && !clear)?;
        outputs.set_bit("ltp_start", moves && boundary && open && !clear)?;
        outputs.set_bit("ltp_opened", moves && boundary && !clear)?;
        outputs.set_u64("ltp_place", self.place.into())?;
        self.show(outputs)?;

        let last = self.place + 1 == self.per_ltp;
        let offered = inputs.get("flits_in.data")?;
        let illegal = flits_ready && inputs.bit("flits_in.valid")?;
        let ends = moves && last && !clear;
        self.events = [
            u64::from(ends && open),
            u64::from(ends && !open && !replays),
            if illegal { encode::mask(&offered, encode::is_illegal) } else { 0 },
            u64::from(time && !accepts && !hold && !clear),
            u64::from(ends && replays),
        ];
        self.stored = None;
        if clear {
            *self = Self { events: self.events, ..Self::new(self.flits) };
            return Ok(());
        }
        if inputs.bit("wire_out.ready")? {
            self.wire = None;
        }
        if moves {
            self.take(inputs, (open, replays))?;
        } else if self.wire.is_none() {
            self.wire = self.spare.take();
        }
        if drain {
            (self.wire, self.spare, self.taken, self.made) = (None, None, 0, 0);
            self.ltps.clear();
        }
        if inputs.bit("restart")? {
            self.sequence = 0;
        }
        Ok(())
    }

    /// The outputs that are registers.
    fn show(&self, outputs: &mut PortValues) -> Result<(), SimError> {
        outputs.set_u64("tx_seq", self.sequence)?;
        outputs.set_bit("wire_wide", false)?;
        outputs.set_bit("wire_out.valid", self.wire.is_some())?;
        if let Some(wire) = &self.wire {
            outputs.set("wire_out.data", wire.resize(68 * self.flits))?;
        }
        outputs.set_bit("stored.valid", self.stored.is_some())?;
        if let Some((beat, place)) = &self.stored {
            outputs.set("stored.data", beat.clone())?;
            outputs.set_u64("stored_place", (*place).into())?;
            outputs.set_u64("stored_side", self.side)?;
        }
        let events = ["tx_ltp", "null_tx", "tx_illegal", "time_dropped", "replayed"];
        for (name, value) in events.iter().zip(self.events) {
            outputs.set_u64(name, value)?;
        }
        Ok(())
    }

    /// A beat is taken, of an original or a replayed or a Null LTP.
    fn take(&mut self, inputs: &PortValues, (open, replays): (bool, bool)) -> Result<(), SimError> {
        let boundary = self.place == 0;
        if let Some(ltp) = self.ltps.back_mut() {
            ltp.corrupted |= self.corrupts && inputs.bit("replay_corrupt")?;
        }
        self.corrupts = replays;
        if boundary {
            self.side = match (open, replays) {
                (true, _) if inputs.bit("side_in.valid")? => inputs.u64("side_in.data")?,
                (false, true) => inputs.u64("replay_side")?,
                _ => 0,
            };
            let bits14 = inputs.u64("mode")? == 1;
            let data = Value::zero(1040);
            self.ltps.push_back(Ltp { data, bits14, side: self.side, corrupted: false });
            (self.original, self.replayed) = (open, replays);
            self.sequence = (self.sequence + u64::from(open)) % 65536;
        }
        let formed = self.wire_beat();
        if self.wire.is_none() {
            self.wire = formed;
        } else {
            self.spare = formed;
        }
        let accepts = open && !inputs.bit("drain")?;
        let beat = if accepts && inputs.bit("time_in.valid")? {
            inputs.get("time_in.data")?
        } else if accepts && inputs.bit("flits_in.valid")? {
            encode::sift(&inputs.get("flits_in.data")?, encode::is_carried)
        } else if replays {
            inputs.get("replay_beat")?
        } else if boundary && !open && inputs.bit("null_in.valid")? {
            encode::null_flit(&inputs.get("null_in.data")?)
        } else if boundary && !open {
            encode::null_flit(&Value::from_u64(56, 0x28 << 48))
        } else {
            Value::zero(1)
        };
        if let Some(ltp) = self.ltps.back_mut() {
            place(&mut ltp.data, 65 * self.flits * self.place, &beat);
        }
        self.stored = open.then(|| (beat.resize(65 * self.flits), self.place));
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
        let mut bits = encode::ltp(&ltp.data, ltp.bits14, ltp.side);
        if ltp.corrupted {
            let crc = 1040 + 2 * u32::from(ltp.bits14);
            (crc..1056).for_each(|bit| bits.set_bit(bit, !bits.bit(bit)));
        }
        self.made += 1;
        if self.made % self.per_ltp == 0 {
            self.ltps.pop_front();
        }
        Some(bits.slice(66 * self.flits * place, 66 * self.flits))
    }
}

/// What a replay buffer would say, at random; `drain` falls between two LTPs.
pub struct Replay {
    rng: Rng,
    ports: [PortHandle; 7],
    place: PortHandle,
    drains: bool,
}

impl Replay {
    pub fn new(bench: &dyn Bench, seed: u64) -> Result<Self, SimError> {
        let port = |name| bench.port(name);
        let ports = [
            port("replay_next")?,
            port("replay_beat")?,
            port("replay_side")?,
            port("replay_corrupt")?,
            port("hold")?,
            port("drain")?,
            port("restart")?,
        ];
        Ok(Self { rng: rng(seed, "replay"), ports, place: port("ltp_place")?, drains: false })
    }
}

impl Agent for Replay {
    fn drive(&mut self, _clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        let between = bench.get_u64(self.place) == 0;
        self.drains =
            if self.drains { !between || self.rng.random_bool(0.9) } else { self.rng.random_bool(0.002) };
        let beat = random_value(&mut self.rng, bench.width(self.ports[1]));
        bench.set(self.ports[1], &beat);
        let values = [
            u64::from(self.rng.random_bool(0.2)),
            0,
            self.rng.random_range(0..4),
            u64::from(self.rng.random_bool(0.03)),
            u64::from(self.rng.random_bool(0.1)),
            u64::from(self.drains),
            u64::from(self.rng.random_bool(0.0005)),
        ];
        for index in (0..7).filter(|index| *index != 1) {
            bench.set_u64(self.ports[index], values[index]);
        }
        Ok(())
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
        let (mode, active, hold) = (bench.port("mode")?, bench.port("active")?, bench.port("time_mode")?);
        let replay = Replay::new(bench, seed)?;
        let mut rng = rng(seed, "controls");
        testbench.add(clear).add(flits_in).add(time_in).add(null_in).add(side_in).add(wire);
        testbench.add(replay);
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
    deep(plan(name, flits, make), 100_000, STOCK_CLOCKS).run().expect("equal");
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
