//! `fab_credit_tx` is the model's sender, clock by clock.

use crate::support::build;
use flitforge_elaborate::Value;
use flitforge_model::credit::{CreditRules, CreditSender, SidebandReceiver};
use flitforge_model::ltp::Sideband;
use flitforge_model::Flit;
use flitforge_protocol::flit::{credit_code_low, Opcode};
use flitforge_sim::kit::{rng, seed, Agent, ClearDriver, Rng as KitRng, Testbench};
use flitforge_sim::{Bench, CosimPlan, PortHandle, PortValues, SimError};
use flitforge_testkit::flits::{beat_value, flits_of};
use flitforge_testkit::{depth, Seen};
use rand::Rng;
use std::collections::VecDeque;

/// Clocks from a CrdtRet to its credit, and from the fourth LTP of a message.
const LATENCY: usize = 4;
const MESSAGE_LATENCY: usize = 5;

/// What is built, and the registers.
#[derive(Clone)]
pub struct Case {
    pub flits: usize,
    pub lanes: usize,
    pub v_au: u32,
    pub units: [u8; 8],
}

/// Cases of the tests; the last floods the counters.
pub fn cases() -> Vec<Case> {
    let plain = [0, 1, 2, 4, 8, 16, 32, 64];
    let case = |flits, lanes, v_au, units| Case { flits, lanes, v_au, units };
    vec![
        case(2, 4, 3, plain),
        case(1, 4, 0, [0, 1, 1, 2, 2, 3, 3, 1]),
        case(4, 4, 2, plain),
        case(2, 1, 1, plain),
        case(2, 2, 7, [0, 3, 1, 2, 0, 0, 1, 1]),
        case(2, 8, 2, plain),
        case(4, 4, 4, [0, 255, 254, 1, 255, 255, 255, 255]),
    ]
}

/// Received beats, sideband, and a sender of beats that keeps to its credit.
struct Traffic {
    case: Case,
    ports: Vec<PortHandle>,
    /// Beats left of the packet of each lane.
    packets: Vec<usize>,
    place: u64,
    lane: usize,
    random: KitRng,
}

impl Traffic {
    fn new(bench: &dyn Bench, case: &Case, seed: u64) -> Result<Self, SimError> {
        let names = [
            "beats_in.data",
            "beats_in.valid",
            "side_in.data",
            "side_in.valid",
            "side_place",
            "sent",
            "sent_ends",
            "credit",
            "clear",
        ];
        let ports = names.iter().map(|name| bench.port(name)).collect::<Result<_, _>>()?;
        let (packets, random) = (vec![0; case.lanes], rng(seed, "traffic"));
        Ok(Traffic { case: case.clone(), ports, packets, place: 0, lane: 0, random })
    }

    fn beat(&mut self, returns: f64) -> Vec<Flit> {
        let random = &mut self.random;
        (0..self.case.flits)
            .map(|_| match random.random_bool(returns) {
                true => Flit::control(Opcode::CrdtRet, random.random::<u64>() >> 16),
                false if random.random() => Flit::body(random.random()),
                false => Flit::control(Opcode::ALL[random.random_range(0..3)], random.random::<u64>() >> 16),
            })
            .collect()
    }
}

impl Agent for Traffic {
    fn drive(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        let flood = self.case.units[1] == 255;
        let (returns, sending) =
            [(0.02, 0.9), (0.1, 0.5), (0.0, 1.0), (0.5, 0.9)][(clock / 200 % 4) as usize];
        let returns = if flood { 0.9 } else { returns };
        let beat = beat_value(&self.beat(returns));
        bench.set(self.ports[0], &beat);
        bench.set_u64(self.ports[1], self.random.random_bool(0.8).into());
        let valid = self.random.random_bool(0.5);
        bench.set_u64(self.ports[2], self.random.random_range(0..4));
        bench.set_u64(self.ports[3], valid.into());
        bench.set_u64(self.ports[4], self.place % 4);
        self.place += u64::from(valid);
        // One lane with credit sends; with credits to the brim none does.
        let (mut sent, mut ends) = (0, 0);
        if self.random.random_bool(0.4) {
            self.lane = self.random.random_range(0..self.case.lanes);
        }
        let vl = self.lane;
        if !flood && bench.get_u64(self.ports[7]) >> vl & 1 == 1 && self.random.random_bool(sending) {
            if self.packets[vl] == 0 {
                self.packets[vl] = if self.random.random() { 1 } else { self.random.random_range(1..40) };
            }
            self.packets[vl] -= 1;
            (sent, ends) = (1 << vl, u64::from(self.packets[vl] == 0) << vl);
        }
        bench.set_u64(self.ports[5], sent);
        bench.set_u64(
            self.ports[6],
            ends | self.random.random::<u64>() & !sent & ((1 << self.case.lanes) - 1),
        );
        Ok(())
    }

    fn observe(&mut self, _: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        if bench.get_bit(self.ports[8]) {
            self.packets.fill(0);
            self.place = 0;
        }
        Ok(())
    }
}

/// Holds the registers.
struct Registers(u64, Value);

impl Agent for Registers {
    fn drive(&mut self, _: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        let (v_au, units) = (bench.port("v_au")?, bench.port("units")?);
        bench.set_u64(v_au, self.0);
        bench.set(units, &self.1);
        Ok(())
    }
}

fn flits_of_codes(value: &Value) -> Vec<u64> {
    let is_return = |flit: &Flit| flit.opcode() == Some(Opcode::CrdtRet);
    flits_of(value).iter().filter(|flit| is_return(flit)).map(|flit| flit.data()).collect()
}

/// The model, with what comes back on its way through the block.
fn model(case: Case, seen: Seen) -> impl FnMut(&PortValues, &mut PortValues) -> Result<(), SimError> {
    let rules =
        CreditRules { v_au: case.v_au, units: case.units, ..CreditRules::new(vec![60_000; case.lanes]) };
    let start = move || {
        let sender = CreditSender::new(rules.clone(), case.flits).expect("rules");
        let way: VecDeque<Vec<(usize, u8)>> = vec![vec![]; MESSAGE_LATENCY].into();
        (sender, SidebandReceiver::default(), way, vec![0; case.lanes], [false; 2])
    };
    let (mut sender, mut sideband, mut way, mut spent, mut overflow) = start();
    move |inputs, outputs| {
        // What is spent shows in the registers a clock later.
        let mut view = Value::zero(16 * case.lanes as u32);
        let mut credit = 0;
        for (vl, spent) in spent.iter().enumerate() {
            let units = sender.available()[vl] + *spent;
            (0..16).for_each(|bit| view.set_bit((16 * vl + bit) as u32, units >> bit & 1 == 1));
            credit |= u64::from(sender.may_send(vl, 1) == Ok(true)) << vl;
        }
        outputs.set("available", view)?;
        outputs.set_u64("credit", credit)?;
        outputs.set_bit("credit_ovf", overflow[0])?;
        seen.count(if credit == 0 { "no credit" } else { "credit" });
        // Beats that go.
        let (sent, ends) = (inputs.u64("sent")?, inputs.u64("sent_ends")?);
        for (vl, spent) in spent.iter_mut().enumerate() {
            *spent = 0;
            if sent >> vl & 1 == 1 {
                let ends = ends >> vl & 1 == 1;
                *spent = sender.send(vl, if ends { 1 } else { case.flits }, ends).expect("credit");
                seen.count(if *spent == 1 { "spent" } else { "within an AU" });
            }
        }
        // What comes back.
        way.push_back(vec![]);
        if inputs.bit("beats_in.valid")? {
            for data in flits_of_codes(&inputs.get("beats_in.data")?) {
                seen.count("CrdtRet");
                way[LATENCY - 1]
                    .extend((0..case.lanes).map(|vl| (vl, (data >> credit_code_low(vl) & 7) as u8)));
            }
        }
        if inputs.bit("side_in.valid")? {
            let (bits, place) = (inputs.u64("side_in.data")?, inputs.u64("side_place")? as u16);
            let bits = Sideband { c0: bits & 1 == 1, c1: bits >> 1 == 1 };
            if let Some(message) = sideband.accept(place, bits) {
                if usize::from(message.vl()) < case.lanes {
                    seen.count("message");
                    way[MESSAGE_LATENCY - 1].push((message.vl().into(), message.code()));
                }
            }
        }
        let back = way.pop_front().expect("codes");
        overflow = [false, false];
        for vl in 0..case.lanes {
            let codes: Vec<u8> = back.iter().filter(|(lane, _)| *lane == vl).map(|(_, code)| *code).collect();
            // What comes in one clock counts together.
            let mut trial = sender.clone();
            if codes.iter().all(|code| trial.give(vl, *code).is_ok()) {
                sender = trial;
            } else {
                overflow[0] = true;
                seen.count("overflow");
            }
        }
        if inputs.bit("clear")? {
            (sender, sideband, way, spent, overflow) = start();
            seen.count("clear");
        }
        Ok(())
    }
}

/// A co-simulation with the model.
pub fn plan(name: &str, case: &Case, clocks: u64, seen: &Seen) -> CosimPlan<'static> {
    let settings = [("f", case.flits as u64), ("lanes", case.lanes as u64)];
    let make = move || build("fab_credit_tx", &settings).block;
    let shape = case.clone();
    let stimulus = move |testbench: &mut Testbench<'static>, seed| {
        let units = Value::from_u64(64, u64::from_le_bytes(shape.units));
        testbench.add(Registers(shape.v_au.into(), units));
        // The table is taken over in eight clocks.
        testbench
            .add(ClearDriver::new(testbench.bench(), "clear", seed)?.power_on(12).at_random(0.005, 1..=2));
        testbench.add(Traffic::new(testbench.bench(), &shape, seed)?);
        Ok(())
    };
    CosimPlan::new(name, seed(0xFAB5), make, stimulus)
        .clocks(clocks)
        .stock_limit(100, "a quick run: rust-hdl itself is slow")
        .model(model(case.clone(), seen.clone()))
}

#[test]
fn credit_is_what_the_model_has_in_every_clock() {
    let depth = depth();
    let seen = Seen::default();
    for (number, case) in cases().iter().enumerate() {
        let plan = plan(&format!("fab_credit_tx_{number}"), case, 6_000, &seen);
        plan.to_depth(depth).run().unwrap_or_else(|error| panic!("case {number}: {error}"));
    }
    seen.require(&[
        ("spent", 2_000),
        ("within an AU", 1_000),
        ("no credit", 1_000),
        ("CrdtRet", 2_000),
        ("message", 200),
        ("overflow", 100),
        ("clear", 20),
    ]);
}
