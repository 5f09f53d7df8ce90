//! Free replay slots, shares of virtual channels and the walk along the links, against a model of them, on all simulators.

use flitforge_elaborate::drive::FromValue;
use flitforge_elaborate::Value;
use flitforge_hdl_sue::slot_store::StoredBody;
use flitforge_hdl_sue::slot_walker::{
    BodyStatus, Completion, FreeRequest, FreedSlots, SlotLink, SueSlotWalker, LATENCY, READING,
};
use flitforge_sim::cosim::fault::{find_all, Fault};
use flitforge_sim::kit::{
    rng, seed, Agent, ClearDriver, Coverage, Pace, Rng as KitRng, StreamMonitor, StreamSink, Testbench,
};
use flitforge_sim::{Bench, CosimPlan, PortHandle, SimError};
use flitforge_testkit::deep;
use rand::Rng;
use rust_hdl::prelude::*;
use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

const CONNECTIONS: usize = 5;
const VCS: usize = 4;
/// Clocks from one body to the next.
const APART: u64 = 8;
/// Clocks after which the shares are settled.
const SETTLED: u64 = 9;

type Walker<const S: usize, const P: usize, const C: usize> = SueSlotWalker<S, P, C>;

/// A body in its slot.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Body {
    slot: u8,
    destination: u64,
    vc: u64,
    commands: u64,
    damaged: bool,
}

/// What a connection holds.
#[derive(Clone, Default)]
struct Connection {
    /// Bodies that nobody has asked to free, the oldest first.
    bodies: VecDeque<Body>,
    /// The newest slot of those that are not free.
    tail: Option<u8>,
    /// Slots that are to be freed.
    asked: bool,
}

/// A request of the walker.
struct Request {
    at: u64,
    connection: u64,
    bodies: VecDeque<Body>,
    status: BodyStatus,
    count: u64,
    last: u8,
}

struct Ports(BTreeMap<&'static str, PortHandle>);

impl Ports {
    fn find(bench: &dyn Bench) -> Result<Self, SimError> {
        let names = [
            "clear",
            "slot_min",
            "obtainable",
            "slots.valid",
            "slots.ready",
            "slots.data",
            "begins.valid",
            "begins.data",
            "returns.valid",
            "returns.data",
            "stored.valid",
            "stored.data",
            "links.valid",
            "links.data",
            "damaged.valid",
            "damaged.data",
            "frees.valid",
            "frees.data",
            "freed.valid",
            "freed.ready",
            "freed.data",
            "completions.valid",
            "completions.data",
            "reading.valid",
            "reading.data",
            "left",
            "completions_wait",
        ];
        let ports: Result<_, _> = names.iter().map(|name| Ok((*name, bench.port(name)?))).collect();
        ports.map(Self)
    }

    fn bit(&self, bench: &dyn Bench, name: &str) -> bool {
        bench.get_bit(self.0[name])
    }
}

/// Plays store, table and frames around the walker, and knows what it should do.
struct Probe {
    random: KitRng,
    ports: Ports,
    slots: usize,
    slot_min: u64,
    /// Free slots in the order in which they are offered.
    free: VecDeque<u8>,
    /// A body that has begun: its virtual channel.
    begun: Option<u64>,
    last_begin: u64,
    /// When the shares changed last.
    changed: u64,
    used: [u64; VCS],
    connections: Vec<Connection>,
    requests: VecDeque<Request>,
    /// The answer that is due.
    answer: Option<(u64, u8, u64)>,
    reading: VecDeque<u8>,
    /// No completion may come in this clock.
    waits: bool,
    /// What is done in this clock.
    takes: Option<(Body, usize)>,
    /// The oldest request met a slot that was being read, or a busy answer.
    held: bool,
    began: u64,
    seen: Rc<RefCell<Coverage>>,
}

impl Probe {
    fn new(
        bench: &dyn Bench,
        seed: u64,
        (slots, slot_min): (usize, u64),
        seen: Rc<RefCell<Coverage>>,
    ) -> Result<Self, SimError> {
        let mut probe = Self {
            random: rng(seed, "walker"),
            ports: Ports::find(bench)?,
            slots,
            slot_min,
            free: VecDeque::new(),
            begun: None,
            last_begin: 0,
            changed: 0,
            used: [0; VCS],
            connections: vec![],
            requests: VecDeque::new(),
            answer: None,
            reading: VecDeque::new(),
            waits: false,
            takes: None,
            held: false,
            began: 0,
            seen,
        };
        probe.clear(0);
        Ok(probe)
    }

    fn clear(&mut self, clock: u64) {
        self.free = (0..self.slots as u8).collect();
        (self.begun, self.answer, self.held) = (None, None, false);
        (self.used, self.changed, self.began) = ([0; VCS], clock, clock);
        self.connections = vec![Connection::default(); CONNECTIONS];
        self.requests.clear();
        self.reading.clear();
        self.takes = None;
    }

    fn hit(&self, name: &str) {
        self.seen.borrow_mut().hit(name);
    }

    /// Virtual channels that may have one more slot: the rule of the chapter.
    fn obtainable(&self) -> u64 {
        let common: u64 = self.used.iter().map(|used| used.saturating_sub(self.slot_min)).sum();
        let limit = self.slots as u64 - VCS as u64 * self.slot_min;
        let may = |vc: usize| self.used[vc] < self.slot_min || common < limit;
        (0..VCS).map(|vc| u64::from(may(vc)) << vc).sum()
    }

    /// A body begins, returns, or is stored.
    fn drive_store(&mut self, clock: u64, bench: &mut dyn Bench) {
        let p = &self.ports.0;
        let obtainable = bench.get_u64(p["obtainable"]);
        let offered = bench.get_bit(p["slots.valid"]);
        let (mut begins, mut returns) = (None, None);
        self.takes = None;
        match self.begun {
            None if clock > self.last_begin + APART && clock > self.changed + APART => {
                let vc = self.random.random_range(0..VCS as u64);
                let may = obtainable >> vc & 1 == 1 && offered;
                begins = (may && self.random.random_bool(0.7)).then_some(vc);
            }
            Some(vc) if clock > self.last_begin && self.random.random_bool(0.4) => {
                if self.random.random_bool(0.1) {
                    returns = Some(vc);
                } else if offered {
                    let slot = bench.get_u64(p["slots.data"]) as u8;
                    let body = Body {
                        slot,
                        destination: self.random.random_range(0..1024),
                        vc,
                        commands: self.random.random_range(0..1024),
                        damaged: false,
                    };
                    self.takes = Some((body, self.random.random_range(0..CONNECTIONS)));
                }
            }
            _ => {}
        }
        let idle = self.random.random_range(0..VCS as u64);
        bench.set_u64(p["begins.valid"], begins.is_some().into());
        bench.set_u64(p["begins.data"], begins.unwrap_or(idle));
        bench.set_u64(p["returns.valid"], returns.is_some().into());
        bench.set_u64(p["returns.data"], returns.unwrap_or(idle));
        bench.set_u64(p["slots.ready"], self.takes.is_some().into());
        bench.set_u64(p["stored.valid"], self.takes.is_some().into());
        let body = self.takes.map(|(body, _)| StoredBody {
            slot: u64::from(body.slot).into(),
            destination: body.destination.into(),
            vc: body.vc.into(),
            commands: body.commands.into(),
        });
        bench.set(p["stored.data"], &value_of::<StoredBody, 30>(body.unwrap_or_default()));
        let link = self.takes.and_then(|(body, number)| {
            let before = self.connections[number].tail?;
            Some(SlotLink { before: u64::from(before).into(), slot: u64::from(body.slot).into() })
        });
        bench.set_u64(p["links.valid"], link.is_some().into());
        bench.set(p["links.data"], &value_of::<SlotLink, 16>(link.unwrap_or_default()));
    }

    /// Slots are read, and found to be damaged; some are to be freed.
    fn drive_frames(&mut self, bench: &mut dyn Bench) {
        let held: Vec<(usize, usize)> = (0..CONNECTIONS)
            .flat_map(|number| (0..self.connections[number].bodies.len()).map(move |place| (number, place)))
            .collect();
        let any = |random: &mut KitRng, often: f64| {
            (!held.is_empty() && random.random_bool(often)).then(|| held[random.random_range(0..held.len())])
        };
        let read = if self.reading.len() < READING { any(&mut self.random, 0.2) } else { None };
        let read = read.map(|(number, place)| self.connections[number].bodies[place].slot);
        let left = !self.reading.is_empty() && self.random.random_bool(0.1);
        let damaged = any(&mut self.random, 0.01);
        let p = &self.ports.0;
        bench.set_u64(p["reading.valid"], read.is_some().into());
        bench.set_u64(p["reading.data"], read.unwrap_or(7).into());
        bench.set_u64(p["left"], left.into());
        bench.set_u64(p["damaged.valid"], damaged.is_some().into());
        let slot = damaged.map_or(3, |(number, place)| {
            let body = &mut self.connections[number].bodies[place];
            body.damaged = true;
            body.slot
        });
        bench.set_u64(p["damaged.data"], slot.into());
    }

    fn drive_frees(&mut self, clock: u64, bench: &mut dyn Bench) {
        let number = self.random.random_range(0..CONNECTIONS);
        let held = self.connections[number].bodies.len();
        let reading =
            bench.get_bit(self.ports.0["reading.valid"]) || bench.get_bit(self.ports.0["damaged.valid"]);
        let asks = held > 0 && !self.connections[number].asked && !reading && self.random.random_bool(0.1);
        let p = &self.ports.0;
        bench.set_u64(p["frees.valid"], asks.into());
        if !asks {
            return;
        }
        let count = self.random.random_range(1..=held);
        let connection = &mut self.connections[number];
        connection.asked = true;
        let bodies: VecDeque<Body> = connection.bodies.drain(..count).collect();
        let status = match self.random.random_range(0..4) {
            0 => BodyStatus::Flushed,
            1 => BodyStatus::Unknown,
            _ => BodyStatus::Delivered,
        };
        let (first, last) = (bodies[0].slot, bodies[count - 1].slot);
        let request = FreeRequest {
            connection: (number as u64).into(),
            slot: u64::from(first).into(),
            count: (count as u64).into(),
            status,
            moves: false,
        };
        bench.set(p["frees.data"], &value_of::<FreeRequest, 32>(request));
        self.hit(if count > 1 { "frees several" } else { "frees one" });
        let alone = self.requests.is_empty() && self.answer.is_none();
        self.held |= !alone;
        self.requests.push_back(Request {
            at: clock,
            connection: number as u64,
            bodies,
            status,
            count: count as u64,
            last,
        });
    }

    fn complete(&mut self, clock: u64, came: Completion) -> Result<(), String> {
        let request = self.requests.front_mut().ok_or("a completion of no request")?;
        let first = request.bodies.len() as u64 == request.count;
        let body = request.bodies.pop_front().ok_or("one completion too many")?;
        let status = if body.damaged { BodyStatus::Failed } else { request.status };
        let wanted = Completion {
            connection: request.connection.into(),
            destination: body.destination.into(),
            vc: body.vc.into(),
            commands: body.commands.into(),
            status,
        };
        if came != wanted {
            return Err(format!("{came:?}, expected {wanted:?}"));
        }
        let soonest = request.at + u64::from(LATENCY);
        if first && !self.held && clock != soonest {
            return Err(format!("the first completion at {clock}, expected {soonest}"));
        }
        let last = request.bodies.is_empty();
        if last {
            self.answer = Some((request.connection, request.last, request.count));
            self.requests.pop_front();
            self.held = !self.requests.is_empty();
        }
        self.used[body.vc as usize] -= 1;
        self.changed = clock;
        if !last {
            self.free.push_back(body.slot);
        }
        self.hit(if body.damaged { "damaged" } else { "completed" });
        // the decision was a clock before
        match self.reading.iter().any(|slot| *slot == body.slot) {
            true => Err(format!("slot {} is free while it is read", body.slot)),
            false => Ok(()),
        }
    }

    fn check(&mut self, clock: u64, bench: &dyn Bench) -> Result<(), String> {
        let p = &self.ports.0;
        if bench.get_bit(p["completions.valid"]) {
            if self.waits {
                return Err("a completion that had to wait".into());
            }
            let bits: Bits<36> = Bits::from_value(&bench.get(p["completions.data"]));
            self.complete(clock, bits.into())?;
        }
        let p = &self.ports.0;
        if bench.get_bit(p["slots.valid"]) {
            let (came, wanted) = (bench.get_u64(p["slots.data"]) as u8, self.free.front());
            if wanted != Some(&came) {
                return Err(format!("slot {came} is offered, expected {wanted:?}"));
            }
        }
        let settled = clock > self.changed + SETTLED && clock > self.began + self.slots as u64 + 4;
        if settled && bench.get_u64(p["obtainable"]) != self.obtainable() {
            let came = bench.get_u64(p["obtainable"]);
            return Err(format!(
                "obtainable {came:04b}, expected {:04b}: {:?}",
                self.obtainable(),
                self.used
            ));
        }
        if settled {
            self.hit(if self.obtainable() == 15 { "all may" } else { "not all may" });
        }
        if bench.get_bit(p["freed.valid"]) {
            let bits: Bits<29> = Bits::from_value(&bench.get(p["freed.data"]));
            let came: FreedSlots = bits.into();
            let came = (u64::from(came.connection), u64::from(came.slot) as u8, u64::from(came.count));
            if self.answer != Some(came) {
                return Err(format!("{came:?} is freed, expected {:?}", self.answer));
            }
            if bench.get_bit(p["freed.ready"]) {
                let connection = &mut self.connections[came.0 as usize];
                connection.asked = false;
                if connection.tail == Some(came.1) {
                    connection.tail = None;
                }
                self.answer = None;
                self.free.push_back(came.1);
                self.hit("freed");
            }
        } else if self.answer.is_some() {
            return Err(format!("{:?} is not told", self.answer));
        }
        Ok(())
    }

    fn act(&mut self, clock: u64, bench: &dyn Bench) {
        let p = &self.ports;
        let vc = bench.get_u64(p.0["begins.data"]);
        if p.bit(bench, "begins.valid") {
            self.used[vc as usize] += 1;
            (self.begun, self.last_begin, self.changed) = (Some(vc), clock, clock);
        }
        if self.ports.bit(bench, "returns.valid") {
            let vc = self.begun.take().expect("begun");
            self.used[vc as usize] -= 1;
            self.changed = clock;
            self.hit("returned");
        }
        if let Some((body, number)) = self.takes.take() {
            self.begun = None;
            self.free.pop_front();
            let connection = &mut self.connections[number];
            connection.bodies.push_back(body);
            connection.tail = Some(body.slot);
        }
        if self.ports.bit(bench, "left") {
            self.reading.pop_front();
        }
        if self.ports.bit(bench, "reading.valid") {
            self.reading.push_back(bench.get_u64(self.ports.0["reading.data"]) as u8);
        }
        self.waits = self.ports.bit(bench, "completions_wait");
        if self.waits && !self.requests.is_empty() {
            self.held = true;
            self.hit("completions wait");
        }
        // the walker may wait for these
        let front = self.requests.front().and_then(|request| request.bodies.front());
        if front.is_some_and(|body| self.reading.contains(&body.slot)) {
            self.held = true;
            self.hit("waits for a frame");
        }
    }
}

impl Agent for Probe {
    fn drive(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        bench.set_u64(self.ports.0["slot_min"], self.slot_min);
        // Long ones and short ones, and none for a while.
        let often = [0.0, 0.05, 0.5, 0.95][(clock / 512) as usize % 4];
        bench.set_u64(self.ports.0["completions_wait"], self.random.random_bool(often).into());
        self.drive_store(clock, bench);
        self.drive_frames(bench);
        self.drive_frees(clock, bench);
        Ok(())
    }

    fn observe(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        self.check(clock, bench).map_err(|problem| SimError::Check { clock, problem })?;
        self.act(clock, bench);
        if self.ports.bit(bench, "clear") {
            self.clear(clock + 1);
            self.hit("cleared");
        }
        Ok(())
    }
}

fn value_of<T: Into<Bits<N>>, const N: usize>(packed: T) -> Value {
    let bits: Bits<N> = packed.into();
    bits.to_value()
}

fn plan<const S: usize, const P: usize, const C: usize>(
    name: &str,
    slot_min: u64,
    seen: &Rc<RefCell<Coverage>>,
) -> CosimPlan<'static> {
    let make = || Box::new(Walker::<S, P, C>::new().expect("valid")) as _;
    let seen = seen.clone();
    CosimPlan::new(name, seed(0x3a1), make, move |testbench: &mut Testbench<'_>, seed| {
        testbench.add(ClearDriver::new(testbench.bench(), "clear", seed)?.at_random(0.000_5, 1..=3));
        testbench.add(Probe::new(testbench.bench(), seed, (1 << S, slot_min), seen.clone())?);
        let pace = Pace::Phases(vec![(500, Pace::Always), (300, Pace::Random(0.1))]);
        testbench.add(StreamSink::new(testbench.bench(), "freed", seed)?.pace(pace));
        testbench.add(StreamMonitor::new(testbench.bench(), "freed")?);
        testbench.add(StreamMonitor::new(testbench.bench(), "slots")?);
        Ok(())
    })
}

const ALL: [&str; 12] = [
    "completions wait",
    "frees one",
    "frees several",
    "damaged",
    "completed",
    "all may",
    "not all may",
    "freed",
    "returned",
    "waits for a frame",
    "cleared",
    "clear.pulses",
];

#[test]
fn slots_are_shared_linked_and_freed() {
    let seen = Rc::new(RefCell::new(Coverage::default()));
    deep(plan::<4, 4, 5>("sue_slot_walker", 2, &seen), 40_000, 1_500).run().expect("equal");
    seen.borrow().require("sue_slot_walker", &ALL[..11]).expect("everything happened");
    for (name, slot_min) in [("sue_slot_walker_none", 0), ("sue_slot_walker_all", 1)] {
        let seen = Rc::new(RefCell::new(Coverage::default()));
        deep(plan::<2, 4, 5>(name, slot_min, &seen), 20_000, 1_000).run().expect("equal");
        seen.borrow().require(name, &["completed", "not all may", "freed", "cleared"]).expect("all happened");
    }
}

#[test]
fn faults_are_found() {
    const TOP: &str = "fault_sue_slot_walker";
    let faults = [
        Fault::replace("a slot is free while it is read", TOP, "& ~in_flight", ""),
        Fault::replace(
            "a completion does not wait",
            TOP,
            "& ~divert_waits_q & ~completions_wait",
            "& ~divert_waits_q",
        ),
        Fault::replace(
            "a damaged body counts as delivered",
            TOP,
            "if (is_damaged_q) begin",
            "if (1'b0) begin",
        ),
        Fault::replace(
            "the last slot is not known",
            TOP,
            "is_last_d = (remaining_q == 9'h001)",
            "is_last_d = (remaining_q <= 9'h002)",
        ),
        Fault::replace(
            "a slot beyond SLOT_MIN is not common",
            "sue_slot_share_slots16",
            "(held_q >= threshold_q)",
            "(held_q > threshold_q)",
        ),
    ];
    let plan = || {
        plan::<4, 4, 5>(TOP, 2, &Rc::default())
            .clocks(20_000)
            .stock_limit(200, "the faults are in the Verilog")
    };
    find_all(plan, &faults).expect("all are found");
}

#[test]
fn numbers_that_do_not_fit_are_refused() {
    let error = SueSlotWalker::<9, 9, 10>::new().err().expect("S").to_string();
    assert!(error.contains("sue_slot_walker") && error.contains('8'), "{error}");
    let error = SueSlotWalker::<2, 2, 3>::new().err().expect("P").to_string();
    assert!(error.contains("sue_slot_walker") && error.contains("4 at least"), "{error}");
}
