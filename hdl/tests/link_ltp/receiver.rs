//! `link_ltp_rx` against its model.

use crate::{deep, encode};
use flitforge_elaborate::drive::DriveBlock;
use flitforge_elaborate::Value;
use flitforge_hdl::link::ltp_rx::{LtpRx1, LtpRx2, LtpRx4};
use flitforge_sim::kit::{rng, seed, ClearDriver, Rng, StimulusFn, Testbench};
use flitforge_sim::model::PortValues;
use flitforge_sim::{Bench, CosimPlan, SimError};
use rand::Rng as _;

/// A complete LTP as it came.
#[derive(Clone)]
struct Ltp {
    bits: Value,
    bits14: bool,
    code_err: bool,
    state: u64,
}

impl Ltp {
    fn is_good(&self) -> bool {
        let side = self.bits.slice(1040, 2).low_u64();
        !self.code_err && encode::ltp(&self.bits.slice(0, 1040), self.bits14, side) == self.bits
    }

    fn is_null(&self) -> bool {
        encode::opcode(&self.bits.slice(0, 65)).is_some_and(|code| (0x22..=0x28).contains(&code))
    }

    fn is_unknown_null(&self) -> bool {
        self.bits.slice(56, 8).low_u64() == 0x28 && self.bits.slice(40, 4).low_u64() > 3
    }
}

/// What stands on the beat outputs.
#[derive(Clone)]
struct Beat {
    data: Value,
    late: bool,
    place: u32,
    state: u64,
}

/// The cycle-exact model: an LTP moves through three one-clock stages to its verdict, then leaves.
struct Model {
    flits: u32,
    per_ltp: u32,
    running: bool,
    place: u32,
    collecting: Ltp,
    lane_state: u64,
    ended: Option<Ltp>,
    checked: Option<Ltp>,
    verdict: Option<Ltp>,
    leaving: Option<(Ltp, bool, u32)>,
    out: Option<Beat>,
}

impl Model {
    fn new(flits: u32) -> Self {
        let collecting = Ltp { bits: Value::zero(1056), bits14: false, code_err: false, state: 0 };
        Self {
            flits,
            per_ltp: 16 / flits,
            running: false,
            place: 0,
            collecting,
            lane_state: 0,
            ended: None,
            checked: None,
            verdict: None,
            leaving: None,
            out: None,
        }
    }

    fn step(&mut self, inputs: &PortValues, outputs: &mut PortValues) -> Result<(), SimError> {
        let clear = inputs.bit("clear")?;
        let accepted = self.show_verdict(inputs.bit("accept")? && !clear, outputs)?;
        self.show_beat(outputs)?;

        if let (true, Some(ltp)) = (accepted, self.verdict.clone()) {
            self.leaving = Some((ltp, inputs.bit("late")?, 0));
        }
        self.out = self.next_beat();
        self.verdict = self.checked.take();
        self.checked = self.ended.take();
        if let Some(ltp) = &mut self.checked {
            ltp.state = self.lane_state;
            self.lane_state = match inputs.u64("lanes")? {
                3 => (self.lane_state + 1) % 4,
                1 => (self.lane_state + 1) % 2,
                _ => 0,
            };
        }
        self.take(inputs)?;
        if clear {
            let lane_state = self.lane_state;
            *self = Self { lane_state, ..Self::new(self.flits) };
        }
        Ok(())
    }

    fn take(&mut self, inputs: &PortValues) -> Result<(), SimError> {
        if inputs.bit("frame_start")? {
            (self.running, self.place, self.lane_state) = (true, 0, 0);
        }
        if !self.running || !inputs.bit("wire_in.valid")? {
            return Ok(());
        }
        if self.place == 0 {
            self.collecting.bits14 = inputs.u64("mode")? == 1;
            self.collecting.code_err = false;
        }
        let beat = inputs.get("wire_in.data")?.resize(66 * self.flits);
        encode::place(&mut self.collecting.bits, 66 * self.flits * self.place, &beat);
        self.collecting.code_err |= inputs.bit("code_err")?;
        self.place = (self.place + 1) % self.per_ltp;
        if self.place == 0 {
            self.ended = Some(self.collecting.clone());
        }
        Ok(())
    }

    /// The outputs of the verdict; true if the LTP is accepted.
    fn show_verdict(&mut self, accept: bool, outputs: &mut PortValues) -> Result<bool, SimError> {
        let good = self.verdict.as_ref().is_some_and(Ltp::is_good);
        let null = self.verdict.as_ref().is_some_and(Ltp::is_null);
        let unknown = self.verdict.as_ref().is_some_and(Ltp::is_unknown_null);
        let accepted = good && !null && accept;
        outputs.set_bit("rx_good", good)?;
        outputs.set_bit("rx_bad", self.verdict.is_some() && !good)?;
        outputs.set_bit("rx_reliable", good && !null)?;
        outputs.set_bit("rx_accepted", accepted)?;
        outputs.set_bit("illegal_null", good && null && unknown)?;
        outputs.set_bit("null_out.valid", good && null && !unknown)?;
        let Some(ltp) = &self.verdict else {
            outputs.set_bit("side_out.valid", false)?;
            return Ok(false);
        };
        outputs.set_bit("side_out.valid", accepted && ltp.bits14)?;
        outputs.set_u64("ltp_state", ltp.state)?;
        if accepted {
            outputs.set("side_out.data", ltp.bits.slice(1040, 2))?;
        }
        if good && null && !unknown {
            let mut request = ltp.bits.slice(0, 48).resize(56);
            encode::place(&mut request, 48, &ltp.bits.slice(56, 8));
            outputs.set("null_out.data", request)?;
        }
        Ok(accepted)
    }

    fn next_beat(&mut self) -> Option<Beat> {
        let (ltp, late, place) = self.leaving.take()?;
        let width = 65 * self.flits;
        let beat = Beat { data: ltp.bits.slice(width * place, width), late, place, state: ltp.state };
        if place + 1 < self.per_ltp {
            self.leaving = Some((ltp, late, place + 1));
        }
        Some(beat)
    }

    fn show_beat(&mut self, outputs: &mut PortValues) -> Result<(), SimError> {
        let Some(Beat { data, late, place, state }) = &self.out else {
            for name in ["flits_out.valid", "spc_out.valid", "illegal_flit", "late_beats", "time_stale"] {
                outputs.set_u64(name, 0)?;
            }
            return Ok(());
        };
        let is_stale = |flit: &Value| *late && encode::is_time(flit);
        let (is_flit, is_special) = (
            |flit: &Value| encode::is_carried(flit) && !encode::is_special(flit),
            |flit: &Value| encode::is_special(flit) && !is_stale(flit),
        );
        let (flits, special) = (encode::sift(data, is_flit), encode::sift(data, is_special));
        let (any_flit, any_special) = (encode::mask(data, is_flit) > 0, encode::mask(data, is_special) > 0);
        outputs.set_bit("flits_out.valid", any_flit)?;
        outputs.set_bit("spc_out.valid", any_special)?;
        if any_flit {
            outputs.set("flits_out.data", flits)?;
        }
        if any_special {
            outputs.set("spc_out.data", special)?;
        }
        if any_flit || any_special {
            outputs.set_bit("beat_late", *late)?;
            outputs.set_u64("beat_index", u64::from(*place))?;
            outputs.set_u64("beat_state", *state)?;
        }
        outputs.set_u64("illegal_flit", encode::mask(data, encode::is_illegal))?;
        outputs.set_bit("late_beats", *late && encode::mask(data, encode::is_carried) > 0)?;
        outputs.set_u64("time_stale", encode::mask(data, is_stale))?;
        Ok(())
    }
}

/// Wire beats of random LTPs: reliable, Null, with flipped bits, cut short.
struct Wire {
    flits: u32,
    ltp: Value,
    left: u32,
    place: u32,
    bits14: bool,
}

impl Wire {
    fn next(&mut self, rng: &mut Rng) -> (Value, bool) {
        let mut start = false;
        if self.left == 0 {
            start = self.place < 16 / self.flits || rng.random_bool(0.1);
            self.open(rng);
        }
        let width = 66 * self.flits;
        let beat = self.ltp.slice(width * self.place, width);
        self.place += 1;
        self.left -= 1;
        (beat, start)
    }

    fn open(&mut self, rng: &mut Rng) {
        let mut data = Value::zero(1040);
        let beats = 16 / self.flits;
        (0..beats).for_each(|k| {
            encode::place(&mut data, 65 * self.flits * k, &encode::random_beat(rng, self.flits));
        });
        if rng.random_bool(0.2) {
            let mut request = encode::random_null(rng);
            if rng.random_bool(0.2) {
                request = Value::from_u64(56, 0x28 << 48 | rng.random_range(0..16u64) << 40);
            }
            encode::place(&mut data, 0, &encode::null_flit(&request));
        }
        self.bits14 = rng.random_bool(0.5);
        self.ltp = encode::ltp(&data, self.bits14, rng.random_range(0..4));
        if rng.random_bool(0.2) {
            for _ in 0..rng.random_range(1..=3) {
                let bit = rng.random_range(0..1056);
                self.ltp.set_bit(bit, !self.ltp.bit(bit));
            }
        }
        self.left = if rng.random_bool(0.05) { rng.random_range(1..=beats) } else { beats };
        self.place = 0;
    }
}

/// The plan, without its number of clocks.
pub fn plan(name: &str, flits: u32, make: fn() -> Box<dyn DriveBlock>) -> CosimPlan<'static> {
    let stimulus = move |testbench: &mut Testbench<'_>, seed| {
        let bench = testbench.bench();
        let clear = ClearDriver::new(bench, "clear", seed)?.at_random(0.001, 1..=3);
        let port = |name: &str| bench.port(name);
        let (data, valid, code_err) = (port("wire_in.data")?, port("wire_in.valid")?, port("code_err")?);
        let (start, mode, lanes) = (port("frame_start")?, port("mode")?, port("lanes")?);
        let (accept, late) = (port("accept")?, port("late")?);
        let mut rng = rng(seed, "wire");
        let mut wire = Wire { flits, ltp: Value::zero(1056), left: 0, place: 0, bits14: false };
        testbench.add(clear);
        testbench.add(StimulusFn(move |clock, bench: &mut dyn Bench| {
            let gaps = if clock / 1000 % 2 == 0 { 0.0 } else { 0.3 };
            let given = !rng.random_bool(gaps);
            bench.set_u64(valid, u64::from(given));
            bench.set_u64(start, 0);
            bench.set_u64(code_err, u64::from(rng.random_bool(0.01)));
            bench.set_u64(mode, rng.random_range(0..4));
            if given {
                let (beat, starts) = wire.next(&mut rng);
                bench.set(data, &beat.resize(68 * flits));
                bench.set_u64(start, u64::from(starts));
                bench.set_u64(mode, u64::from(wire.bits14));
            } else if rng.random_bool(0.01) && wire.left == 0 {
                bench.set_u64(start, 1);
            }
            if rng.random_bool(0.01) {
                bench.set_u64(lanes, rng.random_range(0..4));
            }
            bench.set_u64(accept, u64::from(rng.random_bool(0.8)));
            bench.set_u64(late, u64::from(rng.random_bool(0.3)));
            Ok(())
        }));
        Ok(())
    };
    let mut model = Model::new(flits);
    CosimPlan::new(name, seed(0x10_43), make, stimulus)
        .model(move |inputs: &PortValues, outputs: &mut PortValues| model.step(inputs, outputs))
}

fn cosim(name: &str, flits: u32, make: fn() -> Box<dyn DriveBlock>) {
    deep(plan(name, flits, make), 100_000).run().expect("equal");
}

#[test]
fn two_flits_per_beat_are_equal_everywhere() {
    cosim("link_ltp_rx", 2, || Box::new(LtpRx2::new().expect("valid")));
}

#[test]
fn one_flit_per_beat_is_equal_everywhere() {
    cosim("link_ltp_rx_f1", 1, || Box::new(LtpRx1::new().expect("valid")));
}

#[test]
fn four_flits_per_beat_are_equal_everywhere() {
    cosim("link_ltp_rx_f4", 4, || Box::new(LtpRx4::new().expect("valid")));
}
