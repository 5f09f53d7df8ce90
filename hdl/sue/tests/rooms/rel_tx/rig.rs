//! Everything around the sender, clock by clock: the packer, the receiver that is asked, the peers, the control plane.

use super::orders::Order;
use super::world::{Body, World, ACKNOWLEDGMENT_CLASS, ACKNOWLEDGMENT_PARTITION, CLASSES};
use super::world::{CONNECTIONS, LEAST, OWN, PORT, RTO};
use flitforge_elaborate::drive::FromValue;
use flitforge_elaborate::Value;
use flitforge_hdl_sue::failover::{OrderKind, PortConnection, SenderOrder};
use flitforge_hdl_sue::frame::{BodyHead, FrameWord, PduHead};
use flitforge_hdl_sue::pack::QueueWindow;
use flitforge_hdl_sue::receive_table::AcknowledgmentKind;
use flitforge_hdl_sue::rel_tx::{ManagementRequest, PduKind, AHEAD};
use flitforge_hdl_sue::reliability::Acknowledgment as Carried;
use flitforge_hdl_sue::send_table::SendResult;
use flitforge_hdl_sue::sender_core::PeerAnswer;
use flitforge_model::sue::{Acknowledgment, Psn};
use flitforge_sim::kit::{Agent, Rng as KitRng};
use flitforge_sim::{Bench, PortHandle, SimError};
use rand::Rng;
use rust_hdl::prelude::*;
use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

/// Words of a slot, and clocks from a question to its answer.
const WORDS: usize = 64;
const ANSWER: u64 = 10;

pub fn bits_of<T: Into<Bits<N>>, const N: usize>(packed: T) -> Value {
    let bits: Bits<N> = packed.into();
    bits.to_value()
}

/// A body on its way in.
struct Entering {
    number: usize,
    body: Body,
    error: bool,
    /// Words that were taken.
    place: usize,
    /// The word that is stored with a wrong parity.
    spoilt: Option<usize>,
}

impl Entering {
    fn words(&self) -> usize {
        self.body.octets.len().div_ceil(8)
    }

    fn word(&self) -> FrameWord {
        let octets = self.body.octets.chunks(8).nth(self.place).expect("a word");
        let mut eight = [0xA5; 8];
        eight[..octets.len()].copy_from_slice(octets);
        let last = self.place + 1 == self.words();
        FrameWord {
            data: u64::from_le_bytes(eight).into(),
            bytes: (octets.len() as u64).into(),
            last,
            error: last && self.error,
        }
    }
}

/// Plays all of them.
pub struct Rig {
    world: Rc<RefCell<World>>,
    ports: BTreeMap<&'static str, PortHandle>,
    random: KitRng,
    clears: f64,
    entering: Option<Entering>,
    answer: Option<(usize, Acknowledgment)>,
    order: Option<Order>,
    due: Option<u64>,
    record: Option<ManagementRequest>,
    /// Answers to those that have asked: when.
    carried: VecDeque<(u64, Carried)>,
    octets: Vec<u8>,
    moved: Vec<u8>,
    ready: u64,
    /// Acknowledgments and connection management may not send; so many of them have begun since.
    held: bool,
    begun: u64,
    /// A clear comes: at once, in a body, in a PDU.
    moment: Option<u8>,
}

const NAMES: [&str; 68] = [
    "clear",
    "settings.window",
    "settings.retry_max",
    "settings.backoff",
    "settings.nack_max",
    "settings.stuck_fail",
    "rto",
    "slot_min",
    "ready",
    "acknowledgments_held",
    "pdus.own",
    "pdus.least",
    "pdus.port",
    "pdus.classes",
    "pdus.acknowledgment_class",
    "pdus.acknowledgment_partition",
    "body.valid",
    "body.ready",
    "body.data",
    "head",
    "commands",
    "spoils",
    "windows.valid",
    "windows.data",
    "obtainable",
    "empty",
    "released.valid",
    "released.data",
    "answers.valid",
    "answers.ready",
    "answers.data",
    "orders.valid",
    "orders.ready",
    "orders.data",
    "answered.valid",
    "answered.data",
    "moved.valid",
    "moved.ready",
    "moved.data",
    "moved_head",
    "moved_commands",
    "due.valid",
    "due.ready",
    "due.data",
    "asks.valid",
    "asks.ready",
    "asks.data",
    "acknowledgments.valid",
    "acknowledgments.data",
    "management.valid",
    "management.ready",
    "management.data",
    "pdu.valid",
    "pdu.ready",
    "pdu.data",
    "pdu_head",
    "completions.valid",
    "completions.data",
    "results.valid",
    "results.data",
    "events.voided",
    "events.discarded",
    "events.too_long",
    "events.sent",
    "events.sent_again",
    "events.acknowledgment_only",
    "events.management_sent",
    "events.no_timer",
];

impl Rig {
    pub fn new(
        bench: &dyn Bench,
        world: Rc<RefCell<World>>,
        random: KitRng,
        clears: f64,
    ) -> Result<Self, SimError> {
        let ports: Result<_, SimError> = NAMES.iter().map(|name| Ok((*name, bench.port(name)?))).collect();
        Ok(Self {
            world,
            ports: ports?,
            random,
            clears,
            entering: None,
            answer: None,
            order: None,
            due: None,
            record: None,
            carried: VecDeque::new(),
            octets: vec![],
            moved: vec![],
            ready: 15,
            held: false,
            begun: 0,
            moment: None,
        })
    }

    fn on(&self, bench: &dyn Bench, name: &str) -> bool {
        bench.get_bit(self.ports[name])
    }

    fn taken(&self, bench: &dyn Bench, stream: [&str; 2]) -> bool {
        self.on(bench, stream[0]) && self.on(bench, stream[1])
    }

    /// A body for a connection that may have one.
    fn new_body(&mut self, obtainable: u64) -> Option<Entering> {
        let mut world = self.world.borrow_mut();
        let number = self.random.random_range(0..CONNECTIONS);
        let may = world.connections[number].open && obtainable >> (number % 4) & 1 == 1;
        if !may || !world.opened() || !self.random.random_bool(0.4) {
            return None;
        }
        let length = match self.random.random_range(0..24) {
            0 => 4 * WORDS,
            1 => 4 * WORDS + 2 * self.random.random_range(1..8),
            2..8 => 17,
            8..14 => self.random.random_range(1..=20),
            _ => self.random.random_range(21..50),
        };
        let mut octets: Vec<u8> = (0..2 * length).map(|_| self.random.random()).collect();
        octets[0] |= 1;
        let error = self.random.random_bool(0.05);
        let spoilt =
            self.random.random_bool(0.06).then(|| self.random.random_range(0..octets.len().div_ceil(8)));
        world.bodies += 1;
        world.connections[number].open = false;
        let body = Body {
            octets,
            destination: number as u64 / 4,
            vc: number as u64 % 4,
            partition: self.random.random_range(0..1024),
            commands: self.random.random_range(0..1024),
            number: world.bodies,
            spoilt: spoilt.is_some(),
        };
        Some(Entering { number, body, error, place: 0, spoilt })
    }

    fn drive_body(&mut self, bench: &mut dyn Bench) {
        if self.entering.is_none() {
            let obtainable = bench.get_u64(self.ports["obtainable"]);
            self.entering = self.new_body(obtainable);
        }
        let p = &self.ports;
        bench.set_u64(p["body.valid"], self.entering.is_some().into());
        let Some(entering) = &self.entering else {
            return;
        };
        let body = &entering.body;
        let head = BodyHead {
            destination: body.destination.into(),
            vc: body.vc.into(),
            partition: body.partition.into(),
        };
        bench.set(p["body.data"], &bits_of::<FrameWord, 70>(entering.word()));
        bench.set(p["head"], &bits_of::<BodyHead, 22>(head));
        bench.set_u64(p["commands"], body.commands);
        bench.set_u64(p["spoils"], (entering.spoilt == Some(entering.place)).into());
    }

    fn drive_streams(&mut self, bench: &mut dyn Bench) {
        let mut world = self.world.borrow_mut();
        if self.answer.is_none() {
            self.answer = world.arrived.pop_front();
        }
        if self.order.is_none() && world.order.is_none() {
            self.order = world.choose();
        }
        if self.due.is_none() && self.random.random_bool(0.02) {
            self.due = Some(self.random.random_range(0..CONNECTIONS as u64));
        }
        if self.record.is_none() && self.random.random_bool(0.004) {
            self.record = Some(ManagementRequest {
                destination: self.random.random_range(0..1024_u64).into(),
                vc: self.random.random_range(0..4_u64).into(),
                port: self.random.random_range(0..4_u64).into(),
                class: self.random.random_range(0..6_u64).into(),
                psn: self.random.random_range(0..65_536_u64).into(),
                partition: self.random.random_range(0..1024_u64).into(),
                record: self.random.random_range(0..1_u64 << 48).into(),
            });
        }
        let p = &self.ports;
        let (number, answer) = self.answer.unwrap_or((0, Acknowledgment::None));
        let (psn, nack) = match answer {
            Acknowledgment::Nack(psn) => (psn, true),
            Acknowledgment::Ack(psn) => (psn, false),
            Acknowledgment::None => (Psn::ZERO, false),
        };
        let answer =
            PeerAnswer { connection: (number as u64).into(), psn: u64::from(psn.value()).into(), nack };
        bench.set(p["answers.data"], &bits_of::<PeerAnswer, 29>(answer));
        bench.set_u64(p["answers.valid"], self.answer.is_some().into());
        let order = self.order.unwrap_or(Order { number: 0, kind: OrderKind::Stop, psn: 0 });
        let of = PortConnection { connection: (order.number as u64).into(), port: PORT.into() };
        let told = SenderOrder { kind: order.kind, of, psn: u64::from(order.psn).into() };
        bench.set(p["orders.data"], &bits_of::<SenderOrder, 32>(told));
        bench.set_u64(p["orders.valid"], self.order.is_some().into());
        bench.set_u64(p["due.data"], self.due.unwrap_or(0));
        bench.set_u64(p["due.valid"], self.due.is_some().into());
        bench.set(p["management.data"], &bits_of::<ManagementRequest, 91>(self.record.unwrap_or_default()));
        bench.set_u64(p["management.valid"], self.record.is_some().into());
    }

    fn settings(&self, bench: &mut dyn Bench) {
        let config = self.world.borrow().config;
        let classes = CLASSES.iter().rev().fold(0, |sum, class| sum << 3 | class);
        for (name, value) in [
            ("settings.window", u64::from(config.window)),
            ("settings.retry_max", 15),
            ("settings.backoff", config.backoff.into()),
            ("settings.nack_max", 0),
            ("settings.stuck_fail", 0),
            ("rto", RTO),
            ("slot_min", config.slot_min as u64),
            ("pdus.own", OWN.into()),
            ("pdus.least", LEAST as u64),
            ("pdus.port", PORT),
            ("pdus.classes", classes),
            ("pdus.acknowledgment_class", ACKNOWLEDGMENT_CLASS),
            ("pdus.acknowledgment_partition", ACKNOWLEDGMENT_PARTITION),
        ] {
            bench.set_u64(self.ports[name], value);
        }
    }

    fn forget(&mut self) {
        let mut world = self.world.borrow_mut();
        world.seen.hit("cleared");
        if self.entering.as_ref().is_some_and(|entering| entering.place > 0) {
            world.seen.hit("cleared in a body");
        }
        if !self.octets.is_empty() {
            world.seen.hit("cleared in a pdu");
        }
        world.clear();
        (self.entering, self.answer, self.order, self.due, self.record) = (None, None, None, None, None);
        self.carried.clear();
        self.octets.clear();
        self.moved.clear();
    }

    /// What was taken.
    fn inputs(&mut self, clock: u64, bench: &dyn Bench) -> Result<(), String> {
        if self.taken(bench, ["body.valid", "body.ready"]) {
            let entering = self.entering.as_mut().expect("it was offered");
            entering.place += 1;
            if entering.place == entering.words() {
                let Some(entering) = self.entering.take() else {
                    return Err("it was offered".into());
                };
                if entering.words() <= WORDS && !entering.error {
                    self.world.borrow_mut().stored.push_back((entering.number, entering.body));
                }
            }
        }
        let mut world = self.world.borrow_mut();
        if self.taken(bench, ["answers.valid", "answers.ready"]) {
            world.taken.extend(self.answer.take());
        }
        if self.taken(bench, ["orders.valid", "orders.ready"]) {
            if let Some(order) = self.order.take() {
                world.ordered(order)?;
            }
        }
        if self.taken(bench, ["due.valid", "due.ready"]) {
            world.due.extend(self.due.take().map(|connection| (connection, clock)));
        }
        if self.taken(bench, ["management.valid", "management.ready"]) {
            let record = self.record.take();
            if self.held {
                world.seen.hit("a record is forgotten");
            } else {
                world.records.extend(record);
            }
        }
        if self.taken(bench, ["asks.valid", "asks.ready"]) {
            let kinds = [AcknowledgmentKind::None, AcknowledgmentKind::Ack, AcknowledgmentKind::Nack];
            let carried = Carried {
                kind: kinds[self.random.random_range(0..3)],
                psn: self.random.random_range(0..65_536_u64).into(),
                was_due: self.random.random_bool(0.6),
            };
            world.asked.push_back((bench.get_u64(self.ports["asks.data"]), carried));
            self.carried.push_back((clock + ANSWER, carried));
        }
        Ok(())
    }

    /// What came out.
    fn outputs(&mut self, bench: &dyn Bench) -> Result<(), String> {
        let mut world = self.world.borrow_mut();
        let given = self.on(bench, "released.valid").then(|| bench.get_u64(self.ports["released.data"]));
        world.released.comes(given)?;
        let waits = !world.stored.is_empty() || world.connections.iter().any(|of| !of.outstanding.is_empty());
        world.released.holds(waits, self.on(bench, "empty"))?;
        if self.on(bench, "empty") {
            world.seen.hit("empty");
        }
        if self.on(bench, "results.valid") {
            let bits =
                Bits::<{ <SendResult as Synth>::BITS }>::from_value(&bench.get(self.ports["results.data"]));
            world.result(bits.into())?;
        }
        if self.on(bench, "completions.valid") {
            let bits = Bits::<36>::from_value(&bench.get(self.ports["completions.data"]));
            world.complete(bits.into())?;
        }
        if self.on(bench, "answered.valid") {
            let bits = Bits::<32>::from_value(&bench.get(self.ports["answered.data"]));
            world.answered(bits.into())?;
        }
        if self.taken(bench, ["moved.valid", "moved.ready"]) {
            let word: FrameWord = Bits::<70>::from_value(&bench.get(self.ports["moved.data"])).into();
            let head: BodyHead = Bits::<22>::from_value(&bench.get(self.ports["moved_head"])).into();
            self.moved.extend(&u64::from(word.data).to_le_bytes()[..u64::from(word.bytes) as usize]);
            if word.last {
                let commands = bench.get_u64(self.ports["moved_commands"]);
                world.moved(&std::mem::take(&mut self.moved), head, commands)?;
            }
        }
        if self.on(bench, "windows.valid") {
            let bits = Bits::<13>::from_value(&bench.get(self.ports["windows.data"]));
            let told: QueueWindow = bits.into();
            world.window((u64::from(told.destination) * 4 + u64::from(told.vc)) as usize, told.open)?;
        }
        for (name, hit) in [("events.discarded", "discarded"), ("events.too_long", "too long")] {
            if self.on(bench, name) {
                world.seen.hit(hit);
            }
        }
        for (name, kind) in [
            ("events.sent", PduKind::New),
            ("events.sent_again", PduKind::Replay),
            ("events.acknowledgment_only", PduKind::Acknowledgment),
            ("events.management_sent", PduKind::Management),
        ] {
            if self.on(bench, name) {
                world.begins(kind)?;
                self.begun += u64::from(matches!(kind, PduKind::Acknowledgment | PduKind::Management));
                if self.held && self.begun > AHEAD {
                    return Err(format!("{kind:?} while it is held"));
                }
            }
        }
        if self.on(bench, "events.voided") {
            world.voids()?;
        }
        if self.on(bench, "events.no_timer") {
            return Err("a connection has no timer".into());
        }
        if bench.get_u64(self.ports["obtainable"]) == 0 && world.opened() && world.bodies > 50 {
            world.seen.hit("no slot");
        }
        if self.taken(bench, ["pdu.valid", "pdu.ready"]) {
            let word: FrameWord = Bits::<70>::from_value(&bench.get(self.ports["pdu.data"])).into();
            let head: PduHead = Bits::<30>::from_value(&bench.get(self.ports["pdu_head"])).into();
            let bytes = u64::from(word.bytes) as usize;
            self.octets.extend(&u64::from(word.data).to_le_bytes()[..bytes]);
            if word.last {
                world.sent(&std::mem::take(&mut self.octets), head)?;
            }
        }
        world.deliver()
    }
}

impl Agent for Rig {
    fn drive(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        self.world.borrow_mut().now = clock;
        if clock < 2 {
            self.settings(bench);
        }
        if self.random.random_bool(self.clears) {
            self.moment = Some(self.random.random_range(0..3));
        }
        let in_a_body = self.entering.as_ref().is_some_and(|entering| entering.place > 0);
        let comes = match self.moment {
            Some(0) => true,
            Some(1) => in_a_body,
            Some(_) => !self.octets.is_empty(),
            None => false,
        };
        if comes {
            self.moment = None;
        }
        let clears = clock < 2 || comes;
        bench.set_u64(self.ports["clear"], clears.into());
        self.drive_body(bench);
        self.drive_streams(bench);
        if clock % 256 == 0 {
            let all = clock % 2048 < 1280;
            self.ready = if all { 15 } else { self.random.random_range(0..16) };
        }
        bench.set_u64(self.ports["ready"], self.ready);
        let held = clock / 512 % 8 == 5;
        if held != self.held {
            (self.held, self.begun) = (held, 0);
        }
        bench.set_u64(self.ports["acknowledgments_held"], held.into());
        let share = if clock / 1024 % 2 == 0 { 1.0 } else { 0.7 };
        bench.set_u64(self.ports["asks.ready"], self.random.random_bool(share).into());
        let takes = clock / 4096 % 4 != 3 && self.random.random_bool(share);
        bench.set_u64(self.ports["moved.ready"], takes.into());
        bench.set_u64(self.ports["pdu.ready"], self.random.random_bool(share).into());
        let comes = self.carried.front().is_some_and(|(at, _)| *at == clock);
        bench.set_u64(self.ports["acknowledgments.valid"], comes.into());
        if comes {
            let (_, carried) = self.carried.pop_front().unwrap_or_default();
            bench.set(self.ports["acknowledgments.data"], &bits_of::<Carried, 19>(carried));
        }
        Ok(())
    }

    fn observe(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        let wrong = |problem: String| SimError::Check { clock, problem };
        if self.on(bench, "clear") {
            self.forget();
            return Ok(());
        }
        self.inputs(clock, bench).map_err(wrong)?;
        self.outputs(bench).map_err(wrong)
    }
}
