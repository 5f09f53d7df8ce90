//! `fab_credit_rx` is the model's receiver, clock by clock.

use crate::fabric::encode::lane_flits_value;
use crate::support::build;
use flitforge_elaborate::Value;
use flitforge_model::credit::{CreditReceiver, CreditRules};
use flitforge_model::sideband::SidebandMessage;
use flitforge_model::vl::CameFlits;
use flitforge_model::Flit;
use flitforge_protocol::flit::{credit_code_low, Opcode};
use flitforge_protocol::packet::lane_flits;
use flitforge_sim::kit::{
    rng, seed, Agent, ClearDriver, Pace, Rng as KitRng, StimulusFn, StreamMonitor, StreamSink, StreamSource,
    Testbench,
};
use flitforge_sim::{Bench, CosimPlan, PortHandle, PortValues, SimError};
use flitforge_testkit::flits::{beat_value, flits_of};
use flitforge_testkit::{depth, Seen};
use rand::Rng;

/// What is built, and the registers.
#[derive(Clone)]
pub struct Case {
    pub flits: usize,
    pub lanes: usize,
    pub buffer: usize,
    pub v_au: u32,
    pub units: [u8; 8],
    pub delay: u64,
    pub sideband: bool,
}

impl Case {
    fn rules(&self) -> CreditRules {
        let size = (self.buffer / (8 << self.v_au)) as u32;
        CreditRules {
            v_au: self.v_au,
            units: self.units,
            delay: self.delay,
            ..CreditRules::new(vec![size; self.lanes])
        }
    }
}

/// Cases of the tests.
pub fn cases() -> Vec<Case> {
    let plain = [0, 1, 2, 4, 8, 16, 32, 64];
    let case = |flits, lanes, buffer, v_au, units, delay, sideband| Case {
        flits,
        lanes,
        buffer,
        v_au,
        units,
        delay,
        sideband,
    };
    vec![
        case(2, 4, 16_384, 3, plain, 64, false),
        case(2, 4, 2_000, 2, [0, 1, 64, 4, 2, 4, 16, 8], 20, true),
        case(1, 4, 4_000, 0, [0, 1, 255, 9, 9, 100, 3, 2], 5, false),
        case(4, 4, 8_000, 4, [0, 5, 5, 1, 0, 2, 0, 1], 0, true),
        case(2, 1, 1_024, 7, plain, 255, true),
        case(2, 2, 32_760, 1, plain, 30, true),
        case(2, 8, 3_000, 3, plain, 40, false),
        case(2, 8, 3_000, 3, plain, 10, true),
    ]
}

/// Flits that arrive, a reader that empties AU, LTPs that begin. Both keep to what there is, nearly always.
struct Traffic {
    case: Case,
    ports: Vec<PortHandle>,
    place: u64,
    random: KitRng,
}

impl Traffic {
    fn new(bench: &dyn Bench, case: &Case, seed: u64) -> Result<Self, SimError> {
        let names =
            ["arrived.data", "arrived.valid", "released", "ltp_start", "ltp_place", "occupied", "pending"];
        let ports = names.iter().map(|name| bench.port(name)).collect::<Result<_, _>>()?;
        Ok(Traffic { case: case.clone(), ports, place: 0, random: rng(seed, "traffic") })
    }

    fn flits(&mut self, vl: usize) -> CameFlits {
        let random = &mut self.random;
        let all = self.case.flits;
        let ends = random.random_bool(0.15);
        let flits = if ends || random.random_bool(0.05) { random.random_range(1..=all) } else { all };
        let cut = random.random_bool(0.03);
        let tossed = match cut {
            true => flits - 1,
            false if random.random_bool(0.1) => flits,
            false => 0,
        };
        CameFlits { vl, flits, opens: random.random_bool(0.1), ends, tossed, cut }
    }
}

fn field(view: &Value, vl: usize) -> u32 {
    (0..16).fold(0, |units, bit| units | u32::from(view.bit((16 * vl + bit) as u32)) << bit)
}

impl Agent for Traffic {
    fn drive(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        let (arrive, release, wrong) = [(0.9, 0.1, 0.0), (0.5, 0.5, 0.01), (0.1, 0.3, 0.05), (1.0, 0.0, 0.0)]
            [(clock / 400 % 4) as usize];
        let (occupied, pending) = (bench.get(self.ports[5]), bench.get(self.ports[6]));
        let size = self.case.rules().buffers[0];
        let vl = self.random.random_range(0..self.case.lanes);
        let granted = size.saturating_sub(field(&occupied, vl) + field(&pending, vl));
        let there = self.random.random_bool(if granted > 2 { arrive } else { wrong });
        let came = self.flits(vl);
        bench.set(self.ports[0], &Value::from_u64(lane_flits::WIDTH as u32, lane_flits_value(&came)));
        bench.set_u64(self.ports[1], there.into());
        let mut released = 0;
        for vl in 0..self.case.lanes {
            let rate = if field(&occupied, vl) > 0 { release } else { wrong };
            released |= u64::from(self.random.random_bool(rate)) << vl;
        }
        bench.set_u64(self.ports[2], released);
        let start = self.random.random_bool(0.15);
        bench.set_u64(self.ports[3], start.into());
        bench.set_u64(self.ports[4], self.place % 4);
        self.place += u64::from(start);
        Ok(())
    }
}

/// Holds the registers.
struct Registers(Vec<(&'static str, u64)>);

impl Agent for Registers {
    fn drive(&mut self, _: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        for (path, value) in &self.0 {
            let port = bench.port(path)?;
            bench.set_u64(port, *value);
        }
        Ok(())
    }
}

/// A search for codes: what was pending, by lane, when it began; lane of a message; clocks it has gone on.
struct Search {
    seen: Vec<u32>,
    message: Option<usize>,
    clocks: u32,
}

/// The model and the block's times around it.
struct Reference {
    case: Case,
    receiver: CreditReceiver,
    /// The clock after a clear, or before the first: buffers do not show yet.
    hidden: bool,
    arrived: [Option<CameFlits>; 3],
    /// What happens in a clock shows two clocks later: lanes released, flits that come.
    events: (u64, Option<CameFlits>),
    released: u64,
    due: Vec<bool>,
    search: Option<Search>,
    turn: usize,
    codes: Option<u64>,
    message: Option<u8>,
    sending: u8,
    beat: Option<Vec<Flit>>,
    overflow: bool,
    /// There was a start in the clock before, and these lanes were emptied.
    emptied: Option<u64>,
    seen: Seen,
}

impl Reference {
    fn new(case: Case, seen: Seen) -> Self {
        let receiver = CreditReceiver::new(case.rules(), case.flits).expect("rules");
        let due = vec![false; case.lanes];
        Reference {
            case,
            receiver,
            hidden: true,
            arrived: [None; 3],
            events: (0, None),
            released: 0,
            due,
            search: None,
            turn: 0,
            codes: None,
            message: None,
            sending: 0,
            beat: None,
            overflow: false,
            emptied: None,
            seen,
        }
    }

    fn step(&mut self, inputs: &PortValues, outputs: &mut PortValues) -> Result<(), SimError> {
        let (clear, restart) = (inputs.bit("clear")?, inputs.bit("restart")?);
        let free = [self.codes.is_none(), self.message.is_none()];
        self.show(inputs, outputs)?;
        self.insert(inputs, outputs, clear | restart)?;
        self.ltp(inputs)?;
        self.count(inputs, free)?;
        outputs.set_u64("overrun", self.overrun())?;
        if clear {
            *self = Reference::new(self.case.clone(), self.seen.clone());
            self.seen.count("clear");
        } else if restart {
            self.restart(inputs.u64("emptied")?);
        }
        Ok(())
    }

    /// The lane for which more is counted in this clock than there is room for.
    fn overrun(&self) -> u64 {
        let over = |came: &CameFlits| self.receiver.clone().come(came).is_err();
        self.events.1.filter(over).map_or(0, |came| 1 << came.vl)
    }

    /// A start: all that was on its way is void. What had been counted up to now still shows in the next clock.
    fn restart(&mut self, emptied: u64) {
        self.seen.count("start");
        if emptied != 0 {
            self.seen.count("emptied");
        }
        self.hidden = true;
        self.emptied = Some(emptied);
        self.arrived = [None; 3];
        self.released &= !emptied;
        self.due = vec![false; self.case.lanes];
        (self.search, self.codes, self.message, self.beat) = (None, None, None, None);
        (self.turn, self.sending) = (0, 0);
    }

    /// The clock after a start.
    fn begin_anew(&mut self, emptied: u64) {
        for vl in (0..self.case.lanes).filter(|vl| emptied >> vl & 1 == 1) {
            let all = self.receiver.occupied(vl);
            self.receiver.release(vl, all).expect("they are there");
        }
        self.receiver.restart();
    }

    fn show(&self, inputs: &PortValues, outputs: &mut PortValues) -> Result<(), SimError> {
        let view = |units: &dyn Fn(usize) -> u32| {
            let mut view = Value::zero(16 * self.case.lanes as u32);
            for vl in 0..self.case.lanes {
                (0..16).for_each(|bit| view.set_bit((16 * vl + bit) as u32, units(vl) >> bit & 1 == 1));
            }
            view
        };
        let is_emptied = |vl: usize| self.emptied.is_some_and(|emptied| emptied >> vl & 1 == 1);
        outputs.set("occupied", view(&|vl| if is_emptied(vl) { 0 } else { self.receiver.occupied(vl) }))?;
        outputs.set("pending", view(&|vl| if self.hidden { 0 } else { self.receiver.pending(vl) }))?;
        outputs.set_bit("credit_ovf", self.overflow)?;
        outputs.set_bit("side_out.valid", self.case.sideband)?;
        let bits = match inputs.u64("ltp_place")? {
            0 => self.message.unwrap_or(0),
            _ => self.sending,
        };
        outputs.set_u64("side_out.data", (bits & 3).into())?;
        outputs.set_bit("beats_out.valid", self.beat.is_some())?;
        match &self.beat {
            Some(beat) => outputs.set("beats_out.data", beat_value(beat)),
            None => Ok(()),
        }
    }

    /// CrdtRet into an Idle slot or a beat of its own.
    fn insert(&mut self, inputs: &PortValues, outputs: &mut PortValues, clear: bool) -> Result<(), SimError> {
        let moves = (self.beat.is_none() || inputs.bit("beats_out.ready")?) && !clear;
        let beat = flits_of(&inputs.get("beats_in.data")?);
        let room = beat.last().is_some_and(|flit| flit.opcode_code() == Some(0));
        let takes = moves && (self.codes.is_none() || room);
        outputs.set_bit("beats_in.ready", takes)?;
        if moves {
            let there = takes && inputs.bit("beats_in.valid")?;
            let mut next = there.then_some(beat);
            if let Some(codes) = self.codes.take() {
                self.seen.count(if there { "CrdtRet in an Idle slot" } else { "CrdtRet alone" });
                let beat = next.get_or_insert_with(|| vec![Flit::IDLE; self.case.flits]);
                *beat.last_mut().expect("flits") = Flit::control(Opcode::CrdtRet, codes);
            }
            self.beat = next;
        }
        Ok(())
    }

    fn ltp(&mut self, inputs: &PortValues) -> Result<(), SimError> {
        if inputs.bit("ltp_start")? {
            self.sending >>= 2;
            if inputs.u64("ltp_place")? == 0 {
                self.sending = self.message.take().unwrap_or(0) >> 2;
            }
        }
        Ok(())
    }

    /// `free`: there was room for a CrdtRet, for a message.
    fn count(&mut self, inputs: &PortValues, free: [bool; 2]) -> Result<(), SimError> {
        let lanes = self.case.lanes;
        let due: Vec<bool> = (0..lanes).map(|vl| !self.hidden && self.receiver.is_due(vl)).collect();
        let settled = self.search(free);
        if !self.hidden {
            self.receiver.clock();
        }
        self.overflow = false;
        let (released, came) = std::mem::take(&mut self.events);
        for vl in (0..lanes).filter(|vl| released >> vl & 1 == 1) {
            self.overflow |= self.receiver.release(vl, 1).is_err();
        }
        if let Some(came) = came {
            let is_over = self.receiver.come(&came).is_err();
            self.seen.count(if is_over { "overrun" } else { "arrived" });
            if came.tossed > 0 {
                self.seen.count("tossed");
            }
            self.overflow |= is_over;
        }
        for (vl, seen) in settled {
            self.receiver.take_of(vl, seen);
        }
        if let Some(emptied) = self.emptied.take() {
            self.begin_anew(emptied);
        }
        let [first, second, third] = self.arrived;
        self.events = (self.released, third);
        self.released = inputs.u64("released")?;
        let came = came_of(inputs.u64("arrived.data")?);
        self.arrived = [inputs.bit("arrived.valid")?.then_some(came), first, second];
        self.due = due;
        self.hidden = false;
        Ok(())
    }

    /// A clock of the search: begins it, gives what it has found, and says by lane what was pending when what was found counts.
    fn search(&mut self, free: [bool; 2]) -> Vec<(usize, u32)> {
        if let Some(search) = &mut self.search {
            search.clocks += 1;
            match search.clocks {
                9 => self.give_back(),
                11 => {
                    let seen = search.seen.iter().copied().enumerate();
                    return seen.filter(|(_, seen)| *seen > 0).collect();
                }
                13 => self.search = None,
                _ => {}
            }
        }
        if self.search.is_none() {
            self.begin(free);
        }
        vec![]
    }

    fn begin(&mut self, free: [bool; 2]) {
        let lanes = self.case.lanes;
        let waiting: Vec<usize> = (0..lanes).filter(|vl| self.due[*vl]).collect();
        let by_message = self.case.sideband && waiting.len() <= 2;
        if waiting.is_empty() || !free[usize::from(by_message)] {
            return;
        }
        let message = by_message.then(|| {
            (0..lanes).map(|step| (self.turn + step) % lanes).find(|vl| self.due[*vl]).expect("one is due")
        });
        let chosen: Vec<usize> = message.map_or(waiting, |vl| vec![vl]);
        if let Some(vl) = message {
            self.turn = (vl + 1) % lanes;
        }
        let seen = |vl| if chosen.contains(&vl) { self.receiver.pending(vl) } else { 0 };
        self.search = Some(Search { seen: (0..lanes).map(seen).collect(), message, clocks: 0 });
    }

    fn give_back(&mut self) {
        let Some(search) = &self.search else { return };
        let rules = self.case.rules();
        let codes: Vec<u8> = search.seen.iter().map(|seen| rules.largest_code(*seen).0).collect();
        match search.message {
            Some(vl) => {
                self.seen.count("message");
                self.message = SidebandMessage::new(vl as u8, codes[vl]).map(SidebandMessage::byte);
            }
            None => {
                let codes = codes.iter().enumerate();
                self.codes =
                    Some(codes.fold(0, |codes, (vl, code)| codes | u64::from(*code) << credit_code_low(vl)));
            }
        }
    }
}

fn came_of(word: u64) -> CameFlits {
    let get = |field: flitforge_protocol::Field| field.get(word.into()) as usize;
    CameFlits {
        vl: get(lane_flits::vl::FIELD),
        flits: get(lane_flits::flits::FIELD),
        opens: get(lane_flits::opens::FIELD) == 1,
        ends: get(lane_flits::ends::FIELD) == 1,
        tossed: get(lane_flits::tossed::FIELD),
        cut: get(lane_flits::cut::FIELD) == 1,
    }
}

/// Beats of packets: full ones, and such with Idle after a tail or a marker.
fn beat(random: &mut KitRng, flits: usize) -> Vec<Flit> {
    let packet = if random.random_bool(0.7) { flits } else { random.random_range(1..=flits) };
    (0..flits).map(|slot| if slot < packet { Flit::body(random.random()) } else { Flit::IDLE }).collect()
}

/// A co-simulation with the model, which is cleared at random.
pub fn plan(name: &str, case: &Case, clocks: u64, seen: &Seen) -> CosimPlan<'static> {
    plan_cleared(name, case, clocks, seen, "clear")
}

/// The same; `cleared`: by `clear`, or by `restart` with any lanes emptied.
fn plan_cleared(
    name: &str,
    case: &Case,
    clocks: u64,
    seen: &Seen,
    cleared: &'static str,
) -> CosimPlan<'static> {
    let settings = [("f", case.flits as u64), ("lanes", case.lanes as u64), ("buffer", case.buffer as u64)];
    let make = move || build("fab_credit_rx", &settings).block;
    let shape = case.clone();
    let stimulus = move |testbench: &mut Testbench<'static>, seed| {
        testbench.add(Registers(vec![
            ("v_au", shape.v_au.into()),
            ("units", u64::from_le_bytes(shape.units)),
            ("delay", shape.delay),
            ("sideband", shape.sideband.into()),
        ]));
        let clear = ClearDriver::new(testbench.bench(), "clear", seed)?.power_on(2);
        if cleared == "clear" {
            testbench.add(clear.at_random(0.001, 1..=3));
        } else {
            testbench.add(clear);
            testbench.add(ClearDriver::new(testbench.bench(), cleared, seed)?.at_random(0.003, 1..=3));
            let (emptied, mut random) = (testbench.bench().port("emptied")?, rng(seed, "emptied"));
            let lanes = shape.lanes;
            testbench.add(StimulusFn(move |_, bench: &mut dyn Bench| {
                bench.set_u64(emptied, random.random_range(0..1 << lanes));
                Ok(())
            }));
        }
        testbench.add(Traffic::new(testbench.bench(), &shape, seed)?);
        let flits = shape.flits;
        let source = StreamSource::new(testbench.bench(), "beats_in", seed)?
            .pace(Pace::mixed())
            .items(move |random, _| Some(beat_value(&beat(random, flits))));
        testbench.add(source);
        testbench.add(StreamSink::new(testbench.bench(), "beats_out", seed)?.pace(Pace::mixed()));
        let cleared_by = testbench.bench().port(cleared)?;
        testbench.add(StreamMonitor::new(testbench.bench(), "beats_out")?.cleared_by(cleared_by));
        Ok(())
    };
    let mut reference = Reference::new(case.clone(), seen.clone());
    CosimPlan::new(name, seed(0xFAB6), make, stimulus)
        .clocks(clocks)
        .stock_limit(100, "a quick run: rust-hdl itself is slow")
        .model(move |inputs: &PortValues, outputs: &mut PortValues| reference.step(inputs, outputs))
}

#[test]
fn buffers_and_returns_are_those_of_the_model_in_every_clock() {
    let depth = depth();
    let seen = Seen::default();
    for (number, case) in cases().iter().enumerate() {
        let plan = plan(&format!("fab_credit_rx_{number}"), case, 6_000, &seen);
        plan.to_depth(depth).run().unwrap_or_else(|error| panic!("case {number}: {error}"));
    }
    seen.require(&[
        ("arrived", 5_000),
        ("tossed", 500),
        ("overrun", 20),
        ("CrdtRet alone", 100),
        ("CrdtRet in an Idle slot", 50),
        ("message", 100),
        ("clear", 20),
    ]);
}

#[test]
fn a_start_keeps_what_is_occupied_and_gives_all_else_anew() {
    let depth = depth();
    let seen = Seen::default();
    for (number, case) in cases().iter().enumerate() {
        let plan = plan_cleared(&format!("fab_credit_rx_start_{number}"), case, 3_000, &seen, "restart");
        plan.to_depth(depth).run().unwrap_or_else(|error| panic!("case {number}: {error}"));
    }
    seen.require(&[
        ("arrived", 2_000),
        ("start", 40),
        ("emptied", 20),
        ("message", 20),
        ("CrdtRet alone", 20),
    ]);
}
