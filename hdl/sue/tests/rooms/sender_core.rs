//! A whole sender but for its data, in a loop with golden receivers over a network that loses: every body arrives once and in order, and every event does what the
//! golden sender does. On all simulators.

use flitforge_elaborate::drive::FromValue;
use flitforge_elaborate::Value;
use flitforge_hdl_sue::failover::{OrderKind, PortConnection, SenderAnswer, SenderOrder};
use flitforge_hdl_sue::send_table::{SendKind, SendResult, SendTimer};
use flitforge_hdl_sue::sender_core::{PeerAnswer, SendRead, SueSenderCore, LATENCY};
use flitforge_hdl_sue::slot_store::StoredBody;
use flitforge_hdl_sue::slot_walker::{BodyStatus, Completion, ReturnedSlot};
use flitforge_model::sue::{
    Acknowledgment, BodyCheck, ConnectionKey, ConnectionState, Progress, Psn, ReceiverConfig,
    ReceiverConnection, RetryLimit, Room, Sender, SenderConfig, SenderEvent, Status, Verdict,
};
use flitforge_sim::cosim::fault::{find_all, Fault};
use flitforge_sim::kit::{
    rng, seed, Agent, Coverage, FlowMonitor, Pace, Rng as KitRng, StimulusFn, StreamMonitor, StreamSink,
    StreamSource, Testbench,
};
use flitforge_sim::{Bench, CosimPlan, PortHandle, SimError};
use flitforge_testkit::{compiled, deep, Clocked, CompiledBlock};
use rand::Rng;
use rust_hdl::prelude::*;
use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

const ADDRESS: usize = 4;
const CONNECTIONS: usize = 1 << ADDRESS;
const SLOT_BITS: usize = 4;
const SLOTS: usize = 1 << SLOT_BITS;
const RTO: u64 = 1_500;
/// Clocks that a frame takes, and the bounds of its way.
const FRAME: u64 = 12;
const WAY: std::ops::Range<u64> = 20..120;
/// Nobody waits longer for what became of a body.
const PATIENCE: u64 = 40_000;
/// An expiry and a restart of the timer are this close when they meet.
const RACE: u64 = 60;

type Core = SueSenderCore<ADDRESS, SLOT_BITS, 4, 5, 2, 3, 5>;

fn bits_of<T: Into<Bits<N>>, const N: usize>(packed: T) -> Value {
    let bits: Bits<N> = packed.into();
    bits.to_value()
}

/// How far a connection is, as connection management sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    Open,
    Stopping,
    Stopped,
    /// Handed over, or given up.
    Settling(OrderKind),
    Closed,
}

/// What the sender is told.
#[derive(Clone, Copy, Debug)]
struct Order {
    number: usize,
    kind: OrderKind,
    psn: u16,
}

/// A connection: its golden ends, and what is on its way.
struct Connection {
    key: ConnectionKey,
    sender: Sender<u64>,
    peer: ReceiverConnection,
    /// Bodies that the peer has not accepted, the oldest first.
    undelivered: VecDeque<u64>,
    /// Bodies that are acknowledged and not completed, and those that are not acknowledged, with their time.
    completes: VecDeque<(u64, BodyStatus)>,
    outstanding: VecDeque<(u64, u64)>,
    /// Frames on their way: when they arrive.
    frames: VecDeque<(u64, Psn, u64)>,
    window: bool,
    /// When its timer started last, and how far its golden sender's time is ahead.
    restarted: Option<u64>,
    ahead: u64,
    /// A body is being stored, or its result has not come.
    pending: bool,
    stage: Stage,
    /// It was given up while an acknowledgment was on its way.
    races: bool,
    /// Where it stood when it stopped.
    stood: (u16, u16),
    /// Bodies that came when it was stopped; bodies that go elsewhere.
    late: Vec<u64>,
    moving: VecDeque<u64>,
}

impl Connection {
    fn new(config: SenderConfig, number: usize) -> Self {
        let key = ConnectionKey { port: 0, peer: (number / 4) as u16, vc: (number % 4) as u8 };
        Self {
            key,
            sender: Sender::new(config).expect("valid"),
            peer: ReceiverConnection::new(Psn::ZERO),
            undelivered: VecDeque::new(),
            completes: VecDeque::new(),
            outstanding: VecDeque::new(),
            frames: VecDeque::new(),
            window: true,
            restarted: None,
            ahead: 0,
            pending: false,
            stage: Stage::Open,
            races: false,
            stood: (0, 0),
            late: vec![],
            moving: VecDeque::new(),
        }
    }

    fn open(&mut self, psn: Psn) {
        self.sender.reconnect(self.key, psn);
        self.sender.open_response(self.key, psn).expect("it was closed");
        self.peer = ReceiverConnection::new(psn);
        self.undelivered.clear();
    }

    fn nxt(&self) -> u16 {
        self.sender.connection(self.key).map_or(0, |one| one.nxt().value())
    }

    /// A body that the golden sender does not take: the connection is stopped, or closed.
    fn late(&mut self, body: u64, diverts: bool) -> Result<&'static str, String> {
        match (self.stage, diverts) {
            (Stage::Stopping | Stage::Stopped, false) => {
                self.late.push(body);
                Ok("a late body")
            }
            (Stage::Settling(OrderKind::Abandon), false) => {
                self.completes.push_back((body, BodyStatus::Failed));
                Ok("a late body")
            }
            (Stage::Settling(OrderKind::HandOver), false) => {
                self.moving.push_back(body);
                Ok("a late body")
            }
            (Stage::Settling(_) | Stage::Closed | Stage::Stopping, true) => {
                self.moving.push_back(body);
                Ok("a body of a closed connection")
            }
            (stage, _) => Err(format!("{body} comes, {stage:?}, diverts {diverts}")),
        }
    }

    /// The sender takes an order: what becomes of bodies.
    fn ordered(&mut self, order: Order) -> Result<(), String> {
        let late = std::mem::take(&mut self.late);
        let events = match order.kind {
            OrderKind::Stop => {
                self.stage = Stage::Stopping;
                return Ok(());
            }
            OrderKind::Open => return Ok(()),
            OrderKind::HandOver => {
                let (events, bodies) = self
                    .sender
                    .freeze_response(self.key, Psn::new(order.psn))
                    .map_err(|error| error.to_string())?;
                if bodies.iter().ne(&self.undelivered) {
                    return Err(format!("{bodies:?} go elsewhere, not delivered are {:?}", self.undelivered));
                }
                self.moving.extend(bodies);
                self.moving.extend(late);
                events
            }
            OrderKind::Abandon => {
                let mut events = self.sender.abandon(self.key);
                let psn = Psn::ZERO;
                let failed =
                    |body| SenderEvent::Completed { key: self.key, psn, body, status: Status::Failed };
                events.extend(late.into_iter().map(failed));
                events
            }
        };
        self.complete(events);
        self.stage = Stage::Settling(order.kind);
        Ok(())
    }

    /// What the golden sender has completed.
    fn complete(&mut self, events: Vec<SenderEvent<u64>>) {
        for event in events {
            if let SenderEvent::Completed { body, status, .. } = event {
                let status = match status {
                    Status::Delivered => BodyStatus::Delivered,
                    Status::Failed => BodyStatus::Failed,
                    Status::Flushed => BodyStatus::Flushed,
                    Status::Unknown => BodyStatus::Unknown,
                };
                self.completes.push_back((body, status));
            }
        }
    }
}

/// The sender's surroundings.
struct World {
    config: SenderConfig,
    receiver: ReceiverConfig,
    random: KitRng,
    now: u64,
    connections: Vec<Connection>,
    /// What stands in slots.
    memory: [Option<u64>; SLOTS],
    /// Bodies in the order in which they were stored.
    stored: VecDeque<(usize, u64)>,
    /// Acknowledgments that arrive, those that arrived, those that the sender took.
    returning: Vec<(u64, usize, Acknowledgment)>,
    arrived: VecDeque<(usize, Acknowledgment)>,
    taken: VecDeque<(usize, Acknowledgment)>,
    /// Connections to be opened, and those whose result has not come.
    to_open: VecDeque<usize>,
    /// What is offered, and what is not done yet.
    wish: Option<Order>,
    order: Option<Order>,
    /// Slots whose bodies have left: when, body, whether it was wrong; the one at hand; bodies that are to fail.
    away: VecDeque<(u64, u64, u64, bool)>,
    back: Option<(u64, u64, bool)>,
    failing: Vec<u64>,
    /// Bodies that the table has given a turn.
    turns: VecDeque<(usize, Psn, u64)>,
    /// Frames that leave: when.
    leaving: VecDeque<(u64, usize)>,
    /// An acknowledgment is offered.
    answers: bool,
    bodies: u64,
    /// Whose bodies they are.
    owners: Vec<usize>,
    /// How often there is an order.
    orders: f64,
    seen: Coverage,
}

impl World {
    fn new(config: SenderConfig, seed: u64) -> Self {
        let mut world = Self {
            config,
            receiver: ReceiverConfig { ack_coalesce: 3, ack_timer: 60, ..Default::default() },
            random: rng(seed, "world"),
            now: 0,
            connections: vec![],
            memory: [None; SLOTS],
            stored: VecDeque::new(),
            returning: vec![],
            arrived: VecDeque::new(),
            taken: VecDeque::new(),
            to_open: VecDeque::new(),
            wish: None,
            order: None,
            away: VecDeque::new(),
            back: None,
            failing: vec![],
            turns: VecDeque::new(),
            leaving: VecDeque::new(),
            answers: false,
            bodies: 0,
            owners: vec![],
            orders: 0.0,
            seen: Coverage::default(),
        };
        world.clear();
        world
    }

    fn clear(&mut self) {
        self.connections = (0..CONNECTIONS).map(|number| Connection::new(self.config, number)).collect();
        self.memory = [None; SLOTS];
        self.stored.clear();
        self.returning.clear();
        self.arrived.clear();
        self.taken.clear();
        // a wish that is offered outlives a clear
        (self.order, self.back) = (None, None);
        self.away.clear();
        self.failing.clear();
        self.turns.clear();
        self.leaving.clear();
        // close to the end of the numbers
        self.to_open = (0..CONNECTIONS).step_by(2).collect();
    }

    fn opened(&self) -> bool {
        let opens = |order: Option<Order>| order.is_some_and(|order| order.kind == OrderKind::Open);
        self.to_open.is_empty() && !opens(self.wish) && !opens(self.order)
    }

    /// What connection management wants next.
    fn choose(&mut self) -> Option<Order> {
        if self.wish.is_some() || self.order.is_some() {
            return None;
        }
        if let Some(number) = self.to_open.pop_front() {
            return Some(Order { number, kind: OrderKind::Open, psn: 0xFFF8 });
        }
        if self.orders == 0.0 || !self.random.random_bool(self.orders) {
            return None;
        }
        let number = self.random.random_range(0..CONNECTIONS);
        let connection = &mut self.connections[number];
        let (kind, psn) = match connection.stage {
            Stage::Open => (OrderKind::Stop, 0),
            Stage::Closed => {
                let nxt = connection.nxt();
                (OrderKind::Open, if self.random.random_bool(0.7) { nxt } else { self.random.random() })
            }
            Stage::Stopped => {
                // the peer accepts nothing from now on
                connection.frames.clear();
                self.returning.retain(|(_, of, _)| *of != number);
                let psn = connection.peer.exp().value();
                let gives_up = self.random.random_bool(0.4);
                (if gives_up { OrderKind::Abandon } else { OrderKind::HandOver }, psn)
            }
            Stage::Stopping | Stage::Settling(_) => return None,
        };
        Some(Order { number, kind, psn })
    }

    /// An order is done.
    fn answered(&mut self, answer: SenderAnswer) -> Result<(), String> {
        let order = self.order.take().ok_or("an answer to no order")?;
        let Order { number, kind, .. } = order;
        let came = (u64::from(answer.oldest) as u16, u64::from(answer.following) as u16);
        let on_the_way = self.turns.iter().any(|(of, ..)| *of == number)
            || self.leaving.iter().any(|(_, of)| *of == number);
        let connection = &mut self.connections[number];
        let hit = match kind {
            OrderKind::Stop => {
                if came != connection.stood || on_the_way {
                    return Err(format!("{order:?}: {came:?}, stood {:?}, {on_the_way}", connection.stood));
                }
                let holds = came.0 != came.1;
                connection.stage = if holds { Stage::Stopped } else { Stage::Closed };
                if holds {
                    "stopped"
                } else {
                    "stopped empty"
                }
            }
            OrderKind::Open => {
                connection.stage = Stage::Open;
                if came != (order.psn, order.psn) {
                    return Err(format!("{order:?}: {came:?}"));
                }
                "opened"
            }
            _ => {
                let complete = connection.completes.is_empty();
                connection.stage = Stage::Closed;
                if came.0 != came.1 || !complete {
                    return Err(format!("{order:?}: {came:?}, completed {complete}"));
                }
                if kind == OrderKind::HandOver {
                    "handed over"
                } else {
                    "given up"
                }
            }
        };
        self.seen.hit(hit);
        Ok(())
    }

    /// A body leaves for another port.
    fn moves(&mut self, slot: u64) -> Result<(), String> {
        let body = self.memory[slot as usize].ok_or("a slot without a body moves")?;
        let connection = self.connections.iter_mut().find(|one| one.moving.front() == Some(&body));
        let connection = connection.ok_or_else(|| format!("{body} moves, and is not next"))?;
        connection.moving.pop_front();
        connection.outstanding.retain(|(other, _)| *other != body);
        let wrong = self.random.random_bool(0.1);
        let at = self.now + self.random.random_range(5..200);
        self.away.push_back((at, slot, body, wrong));
        self.seen.hit("moved");
        Ok(())
    }

    fn result(&mut self, result: SendResult) -> Result<(), String> {
        let number = u64::from(result.connection) as usize;
        let connection = &mut self.connections[number];
        let (key, ahead) = (connection.key, connection.ahead);
        let now = self.now + ahead;
        match result.kind {
            SendKind::Body => {
                let (of, body) = self.stored.pop_front().ok_or("a result of no body")?;
                connection.pending = false;
                if connection.sender.connection(key).is_some_and(|one| one.state() != ConnectionState::Open) {
                    connection.outstanding.push_back((body, self.now));
                    let hit = connection.late(body, result.diverts)?;
                    self.seen.hit(hit);
                    return Ok(());
                }
                let psn =
                    connection.sender.accept(key, body, now).map_err(|refused| format!("{refused:?}"))?;
                if result.diverts || of != number || u64::from(psn.value()) != u64::from(result.psn) {
                    return Err(format!("body {body} of {of} as {psn:?}: {result:?}"));
                }
                connection.undelivered.push_back(body);
                connection.outstanding.push_back((body, self.now));
            }
            SendKind::Turn if result.sends => {
                let turn = connection.sender.send(key, now).ok_or("a turn of nothing")?;
                let replays = turn.before == Progress::Sent;
                if replays != result.replays || u64::from(turn.psn.value()) != u64::from(result.psn) {
                    return Err(format!("{turn:?}, but {result:?}"));
                }
                self.seen.hit(if replays { "replayed" } else { "sent" });
                self.turns.push_back((number, turn.psn, turn.body));
            }
            SendKind::Turn => self.seen.hit("a turn of nothing"),
            SendKind::Ack | SendKind::Nack => {
                let (of, answer) = self.taken.pop_front().ok_or("a result of no acknowledgment")?;
                let events = connection.sender.acknowledge(key, answer, now);
                connection.complete(events);
                let is_nack = matches!(answer, Acknowledgment::Nack(_));
                if of != number || is_nack != (result.kind == SendKind::Nack) {
                    return Err(format!("{answer:?} of {of}, but {result:?}"));
                }
                self.seen.hit(if is_nack { "nack" } else { "ack" });
            }
            SendKind::Expire => {
                let due = connection.sender.next_expiry();
                if let Some(early) = due.and_then(|due| due.checked_sub(now)).filter(|early| *early > 0) {
                    // an acknowledgment has just restarted the timer: the expiry was on its way already
                    let since = connection.restarted.ok_or("it never started")?;
                    if now > since + RACE {
                        return Err(format!("{number} expires at {now}, due at {due:?}"));
                    }
                    connection.ahead += early;
                    self.seen.hit("an expiry meets an acknowledgment");
                }
                connection.sender.expire(now + connection.ahead - ahead);
                self.seen.hit(if due.is_some() { "expired" } else { "expired in vain" });
            }
            SendKind::Freed => self.seen.hit("freed"),
            SendKind::Open => {
                let order = self.order.filter(|order| order.number == number).ok_or("nothing was opened")?;
                connection.open(Psn::new(order.psn));
            }
            SendKind::Stop => {
                self.order.filter(|order| order.number == number).ok_or("nobody stops")?;
                let nxt = connection.nxt();
                if connection.stage == Stage::Stopping {
                    let una = connection.sender.connection(key).map_or(0, |one| one.una().value());
                    connection.stood = (una, nxt);
                    connection.sender.freeze(key);
                    if una == nxt {
                        connection.sender.abandon(key);
                    }
                }
            }
        }
        let connection = &mut self.connections[number];
        if result.timer == SendTimer::Starts {
            connection.restarted = Some(self.now + connection.ahead);
        }
        let state = connection.sender.connection(key);
        connection.window = result.window;
        let window = state
            .is_none_or(|state| state.state() == ConnectionState::Open && state.has_window(&self.config));
        if window != result.window {
            return Err(format!("window {window}, but {result:?}"));
        }
        Ok(())
    }

    fn complete(&mut self, completion: Completion) -> Result<(), String> {
        let wrong = |body: &u64| {
            body % 1024 == u64::from(completion.commands) && completion.status == BodyStatus::Failed
        };
        if let Some(place) = self.failing.iter().position(wrong) {
            self.failing.remove(place);
            self.seen.hit("a body that was wrong fails");
            return Ok(());
        }
        let connection = &mut self.connections[u64::from(completion.connection) as usize];
        let (body, status) = connection.completes.pop_front().ok_or("a completion too many")?;
        let (commands, destination) = (u64::from(completion.commands), u64::from(completion.destination));
        let races = connection.races && status == BodyStatus::Unknown;
        let status = if races { completion.status } else { status };
        // those that go elsewhere may be older
        let place = connection.outstanding.iter().position(|(other, _)| *other == body);
        place.and_then(|place| connection.outstanding.remove(place)).ok_or("nobody waits")?;
        if commands != body % 1024
            || destination != u64::from(connection.key.peer)
            || completion.status != status
        {
            return Err(format!("{completion:?} of body {body}"));
        }
        let waits = connection.undelivered.front().is_some_and(|waits| *waits <= body);
        if waits && status == BodyStatus::Delivered {
            return Err(format!("{body} is completed and was not delivered"));
        }
        let slot = self.memory.iter().position(|held| *held == Some(body)).ok_or("no slot has it")?;
        self.memory[slot] = None;
        self.seen.hit("completed");
        Ok(())
    }

    /// A body goes out.
    fn read(&mut self, read: SendRead) -> Result<(), String> {
        let (number, psn, body) = self.turns.pop_front().ok_or("nothing is to be read")?;
        let held = self.memory[u64::from(read.slot) as usize];
        if held != Some(body)
            || u64::from(read.connection) as usize != number
            || u64::from(read.psn) != u64::from(psn.value())
        {
            return Err(format!("{read:?} with {held:?}, expected {body} as {psn:?}"));
        }
        let free = self.leaving.back().map_or(self.now, |(last, _)| *last.max(&self.now));
        self.leaving.push_back((free + FRAME, number));
        if self.random.random_bool(0.06) {
            self.seen.hit("frame lost");
            return Ok(());
        }
        let connection = &mut self.connections[number];
        let soonest = connection.frames.back().map_or(0, |(arrives, ..)| *arrives + 1);
        let arrives = soonest.max(free + FRAME + self.random.random_range(WAY));
        connection.frames.push_back((arrives, psn, body));
        Ok(())
    }

    /// Frames and acknowledgments arrive.
    fn deliver(&mut self) -> Result<(), String> {
        let (now, config) = (self.now, self.receiver);
        for number in 0..CONNECTIONS {
            let connection = &mut self.connections[number];
            while connection.frames.front().is_some_and(|(arrives, ..)| *arrives <= now) {
                let Some((_, psn, body)) = connection.frames.pop_front() else { break };
                let room = if self.random.random_bool(0.98) { Room::Free } else { Room::Full };
                if connection.peer.receive(&config, psn, room, BodyCheck::Good, now) == Verdict::Accepted {
                    let wanted = connection.undelivered.pop_front();
                    if wanted != Some(body) {
                        return Err(format!("body {body} arrives at {number}, expected {wanted:?}"));
                    }
                    self.seen.hit("delivered");
                }
            }
            let answers = matches!(connection.stage, Stage::Open | Stage::Stopping | Stage::Stopped);
            if answers && connection.peer.due(&config, now).is_some() {
                let answer = connection.peer.carry(&config);
                if answer != Acknowledgment::None && self.random.random_bool(0.92) {
                    self.returning.push((now + self.random.random_range(WAY), number, answer));
                }
            }
            let oldest = connection.outstanding.front();
            if oldest.is_some_and(|(_, since)| now > since + PATIENCE) {
                return Err(format!("{oldest:?} of {number} is never completed"));
            }
        }
        let arrived = &mut self.arrived;
        self.returning.retain(|(at, number, answer)| {
            let here = *at <= now;
            if here {
                arrived.push_back((*number, *answer));
            }
            !here
        });
        Ok(())
    }
}

/// Plays the store: bodies for connections with a window, in slots that are offered.
struct Store {
    world: Rc<RefCell<World>>,
    ports: BTreeMap<&'static str, PortHandle>,
    begun: Option<(usize, u64)>,
    last: u64,
    takes: Option<(usize, u64)>,
}

impl Store {
    fn new(bench: &dyn Bench, world: Rc<RefCell<World>>) -> Result<Self, SimError> {
        let names = [
            "clear",
            "obtainable",
            "slots.valid",
            "slots.ready",
            "slots.data",
            "begins.valid",
            "begins.data",
            "stored.valid",
            "stored.data",
            "left",
            "ready",
            "no_timer",
            "returned.valid",
            "returned.ready",
            "returned.data",
        ];
        let ports: Result<_, SimError> = names.iter().map(|name| Ok((*name, bench.port(name)?))).collect();
        Ok(Self { world, ports: ports?, begun: None, last: 0, takes: None })
    }
}

impl Agent for Store {
    fn drive(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        let p = &self.ports;
        let mut world = self.world.borrow_mut();
        world.now = clock;
        let obtainable = bench.get_u64(p["obtainable"]);
        let number = world.random.random_range(0..CONNECTIONS);
        let connection = &world.connections[number];
        let may_come = connection.window || (connection.stage != Stage::Open && clock % 16 == 0);
        let may = may_come && !connection.pending && obtainable >> (number % 4) & 1 == 1;
        let apart = clock > self.last + 9;
        let begins = self.begun.is_none() && may && apart && world.opened() && world.random.random_bool(0.3);
        bench.set_u64(p["begins.valid"], begins.into());
        bench.set_u64(p["begins.data"], (number % 4) as u64);
        if begins {
            self.begun = Some((number, clock + world.random.random_range(5..20)));
            self.last = clock;
            world.connections[number].pending = true;
        }
        let offered = bench.get_bit(p["slots.valid"]);
        let ready = self.begun.filter(|(_, at)| *at <= clock && offered);
        self.takes = ready.map(|(number, _)| (number, bench.get_u64(p["slots.data"])));
        bench.set_u64(p["slots.ready"], self.takes.is_some().into());
        bench.set_u64(p["stored.valid"], self.takes.is_some().into());
        if let Some((number, slot)) = self.takes {
            let body = StoredBody {
                slot: slot.into(),
                destination: (number as u64 / 4).into(),
                vc: (number as u64 % 4).into(),
                commands: (world.bodies % 1024).into(),
            };
            bench.set(p["stored.data"], &bits_of::<StoredBody, 30>(body));
        }
        if clock % 256 == 0 {
            let all = clock % 2048 < 1280;
            let ready = if all { 15 } else { world.random.random_range(0..16) };
            bench.set_u64(p["ready"], ready);
        }
        let left = world.leaving.front().is_some_and(|(at, _)| *at <= clock);
        if left {
            world.leaving.pop_front();
        }
        bench.set_u64(p["left"], left.into());
        if world.back.is_none() && world.away.front().is_some_and(|(at, ..)| *at <= clock) {
            world.back = world.away.pop_front().map(|(_, slot, body, wrong)| (slot, body, wrong));
        }
        bench.set_u64(p["returned.valid"], world.back.is_some().into());
        if let Some((slot, body, failed)) = world.back {
            let number = world.owners[body as usize] as u64;
            let back = ReturnedSlot {
                slot: slot.into(),
                destination: (number / 4).into(),
                vc: (number % 4).into(),
                commands: (body % 1024).into(),
                failed,
            };
            bench.set(p["returned.data"], &bits_of::<ReturnedSlot, 31>(back));
        }
        Ok(())
    }

    fn observe(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        let wrong = |problem: String| SimError::Check { clock, problem };
        let mut world = self.world.borrow_mut();
        if let Some((number, slot)) = self.takes.take() {
            self.begun = None;
            let body = world.bodies;
            world.bodies += 1;
            let place = &mut world.memory[slot as usize];
            if place.is_some() {
                return Err(wrong(format!("slot {slot} is offered with body {place:?}")));
            }
            *place = Some(body);
            world.stored.push_back((number, body));
            world.owners.push(number);
        }
        if bench.get_bit(self.ports["returned.valid"]) && bench.get_bit(self.ports["returned.ready"]) {
            if let Some((slot, body, failed)) = world.back.take() {
                world.memory[slot as usize] = None;
                if failed {
                    world.failing.push(body);
                }
            }
        }
        world.deliver().map_err(wrong)?;
        if bench.get_bit(self.ports["no_timer"]) {
            return Err(wrong("a connection has no timer".into()));
        }
        if bench.get_bit(self.ports["clear"]) {
            self.begun = None;
            world.clear();
            world.seen.hit("cleared");
        }
        Ok(())
    }
}

fn settings(testbench: &mut Testbench<'static>, config: SenderConfig) -> Result<(), SimError> {
    let ports = testbench.bench();
    let RetryLimit::Max(retry_max) = config.retry_limit else { unreachable!("a limit") };
    let values = [
        (ports.port("settings.window")?, u64::from(config.window)),
        (ports.port("settings.retry_max")?, retry_max.into()),
        (ports.port("settings.backoff")?, config.backoff.into()),
        (ports.port("settings.nack_max")?, config.nack_max.into()),
        (ports.port("settings.stuck_fail")?, 0),
        (ports.port("rto")?, config.rto),
        (ports.port("slot_min")?, config.slot_min as u64),
        (ports.port("returns.valid")?, 0),
        (ports.port("damaged.valid")?, 0),
    ];
    testbench.add(StimulusFn(move |_: u64, bench: &mut dyn Bench| {
        values.iter().for_each(|(port, value)| bench.set_u64(*port, *value));
        Ok(())
    }));
    Ok(())
}

fn sources(
    testbench: &mut Testbench<'static>,
    seed: u64,
    world: &Rc<RefCell<World>>,
) -> Result<(), SimError> {
    let (asked, told) = (world.clone(), world.clone());
    testbench.add(
        StreamSource::new(testbench.bench(), "answers", seed)?
            .pace(Pace::Always)
            .items(move |_, _| {
                let mut world = asked.borrow_mut();
                let (number, answer) = world.arrived.pop_front()?;
                world.answers = true;
                let (psn, nack) = match answer {
                    Acknowledgment::Nack(psn) => (psn, true),
                    Acknowledgment::Ack(psn) => (psn, false),
                    Acknowledgment::None => return None,
                };
                let answer = PeerAnswer {
                    connection: (number as u64).into(),
                    psn: u64::from(psn.value()).into(),
                    nack,
                };
                Some(bits_of::<PeerAnswer, 29>(answer))
            })
            .on_transfer(move |_, value| {
                let answer: PeerAnswer = Bits::<29>::from_value(value).into();
                let psn = Psn::new(u64::from(answer.psn) as u16);
                let kind = if answer.nack { Acknowledgment::Nack(psn) } else { Acknowledgment::Ack(psn) };
                let mut world = told.borrow_mut();
                world.answers = false;
                world.taken.push_back((u64::from(answer.connection) as usize, kind));
                Ok(())
            }),
    );
    let (asked, told) = (world.clone(), world.clone());
    testbench.add(
        StreamSource::new(testbench.bench(), "orders", seed)?
            .items(move |_, _| {
                let mut world = asked.borrow_mut();
                let order = world.choose()?;
                world.wish = Some(order);
                let connection = (order.number as u64).into();
                let of = PortConnection { connection, port: 2u64.into() };
                let order = SenderOrder { kind: order.kind, of, psn: u64::from(order.psn).into() };
                Some(bits_of::<SenderOrder, 32>(order))
            })
            .on_transfer(move |clock, _| {
                let mut world = told.borrow_mut();
                world.order = world.wish.take();
                let order = world.order.expect("it was offered");
                let races = world.taken.iter().any(|(of, _)| *of == order.number);
                world.connections[order.number].races = races;
                let done = world.connections[order.number].ordered(order);
                done.map_err(|problem| SimError::Check { clock, problem })
            }),
    );
    Ok(())
}

fn stimulus(
    testbench: &mut Testbench<'static>,
    seed: u64,
    world: &Rc<RefCell<World>>,
    clears: f64,
) -> Result<(), SimError> {
    settings(testbench, world.borrow().config)?;
    // what is offered outlives a clear, so it waits for a clock without
    let (clear, of_clear, mut random) = (testbench.bench().port("clear")?, world.clone(), rng(seed, "clear"));
    testbench.add(StimulusFn(move |clock: u64, bench: &mut dyn Bench| {
        let world = of_clear.borrow();
        let idle = world.wish.is_none() && world.order.is_none() && world.back.is_none();
        let may = world.arrived.is_empty() && !world.answers && world.opened() && idle;
        bench.set_u64(clear, (clock < 2 || (may && random.random_bool(clears))).into());
        Ok(())
    }));
    sources(testbench, seed, world)?;
    let (of_results, of_completions, of_reads) = (world.clone(), world.clone(), world.clone());
    let wrong = |clock: u64| move |problem: String| SimError::Check { clock, problem };
    testbench.add(FlowMonitor::new(testbench.bench(), "results")?.on_transfer(move |clock, value| {
        let bits = Bits::<{ <SendResult as Synth>::BITS }>::from_value(value);
        of_results.borrow_mut().result(bits.into()).map_err(wrong(clock))
    }));
    testbench.add(FlowMonitor::new(testbench.bench(), "completions")?.on_transfer(move |clock, value| {
        of_completions.borrow_mut().complete(Bits::<36>::from_value(value).into()).map_err(wrong(clock))
    }));
    let (of_answers, of_moves) = (world.clone(), world.clone());
    testbench.add(FlowMonitor::new(testbench.bench(), "answered")?.on_transfer(move |clock, value| {
        of_answers.borrow_mut().answered(Bits::<32>::from_value(value).into()).map_err(wrong(clock))
    }));
    testbench.add(
        StreamSink::new(testbench.bench(), "moves", seed)?.on_transfer(move |clock, value| {
            of_moves.borrow_mut().moves(value.low_u64()).map_err(wrong(clock))
        }),
    );
    testbench.add(StreamSink::new(testbench.bench(), "reads", seed)?.on_transfer(move |clock, value| {
        let bits = Bits::<{ <SendRead as Synth>::BITS }>::from_value(value);
        of_reads.borrow_mut().read(bits.into()).map_err(wrong(clock))
    }));
    testbench.add(Store::new(testbench.bench(), world.clone())?);
    for stream in ["answers", "orders", "moves", "returned", "reads", "slots"] {
        testbench.add(StreamMonitor::new(testbench.bench(), stream)?);
    }
    Ok(())
}

fn config(window: u16) -> SenderConfig {
    SenderConfig {
        window,
        slots: 256,
        slot_min: 2,
        vcs: 4,
        rto: RTO,
        backoff: 2,
        retry_limit: RetryLimit::Max(15),
        nack_max: 0,
        ..Default::default()
    }
}

fn plan(
    name: &str,
    window: u16,
    [clears, orders]: [f64; 2],
    seen: &Rc<RefCell<Coverage>>,
) -> CosimPlan<'static> {
    let make = || Box::new(Core::new().expect("valid")) as _;
    let seen = seen.clone();
    CosimPlan::new(name, seed(0xc0e), make, move |testbench: &mut Testbench<'_>, seed| {
        let world = Rc::new(RefCell::new(World::new(config(window), seed)));
        world.borrow_mut().orders = orders;
        stimulus(testbench, seed, &world, clears)?;
        let seen = seen.clone();
        testbench.add(StimulusFn(move |_: u64, _: &mut dyn Bench| {
            *seen.borrow_mut() = world.borrow().seen.clone();
            Ok(())
        }));
        Ok(())
    })
}

#[test]
fn every_body_arrives_once_and_in_order() {
    for (name, window) in
        [("sue_sender_core", 8), ("sue_sender_core_one", 1), ("sue_sender_core_wide", 32_767)]
    {
        let seen = Rc::new(RefCell::new(Coverage::default()));
        deep(plan(name, window, [0.000_05, 0.0], &seen), 60_000, 500).run().expect("equal");
        let all = ["sent", "replayed", "ack", "expired", "freed", "completed", "delivered", "frame lost"];
        seen.borrow().require(name, &all).expect("everything happened");
        if window > 1 {
            seen.borrow().require(name, &["nack"]).expect("and this");
        }
    }
}

/// Connections are stopped, handed over or given up, and opened again, in the middle of everything.
#[test]
fn orders_do_what_the_golden_sender_does() {
    for (name, window) in [("sue_sender_core_orders", 8), ("sue_sender_core_orders_one", 1)] {
        let seen = Rc::new(RefCell::new(Coverage::default()));
        deep(plan(name, window, [0.000_05, 0.02], &seen), 60_000, 500).run().expect("equal");
        let all = [
            "sent",
            "replayed",
            "stopped",
            "stopped empty",
            "handed over",
            "given up",
            "opened",
            "moved",
            "a late body",
            "a body of a closed connection",
            "a body that was wrong fails",
        ];
        seen.borrow().require(name, &all).expect("everything happened");
    }
}

/// From `stored` to `reads.valid`, nothing waiting.
#[test]
fn a_body_is_asked_for_soon_after_it_is_stored() {
    let mut bench = CompiledBlock::new(&compiled("core", &Core::new().expect("valid")));
    bench.set("settings.window", 8).set("settings.retry_max", 7).set("rto", 3200).set("slot_min", 2);
    bench.set("ready", 15).run(100);
    let slot = bench.get("slots.data");
    bench.set("begins.data", 1).pulse("begins.valid");
    bench.run(10);
    let body =
        StoredBody { slot: slot.into(), destination: 2u64.into(), vc: 1u64.into(), commands: 5u64.into() };
    bench.set_value("stored.data", &bits_of::<StoredBody, 30>(body)).set("slots.ready", 1);
    bench.pulse("stored.valid");
    bench.set("slots.ready", 0);
    let more = bench.until("a read", 60, |bench| bench.get("reads.valid") == 1);
    assert_eq!(more + 1, u64::from(LATENCY));
    let read: SendRead = Bits::<37>::from_value(&bench.get_value("reads.data")).into();
    assert_eq!((u64::from(read.slot), u64::from(read.connection), read.replay), (slot, 9, false));
}

#[test]
fn faults_are_found() {
    const TOP: &str = "fault_sue_sender_core";
    let faults = [
        Fault::replace("the lists hear nothing", TOP, ".results_valid(says),", ".results_valid(1'b0),"),
        Fault::replace("slots are not linked", TOP, "walker_links_valid = ", "walker_links_valid = 1'b0 & "),
        Fault::replace(
            "turns are not counted",
            TOP,
            "turns_d = (turns_q + more) - fewer",
            "turns_d = (turns_q + more)",
        ),
    ];
    let plan = || {
        plan(TOP, 8, [0.0, 0.01], &Rc::default())
            .clocks(20_000)
            .stock_limit(100, "the faults are in the Verilog")
    };
    find_all(plan, &faults).expect("all are found");
}

#[test]
fn numbers_that_do_not_fit_are_refused() {
    let error = SueSenderCore::<13, 4, 4, 5, 11, 12, 14>::new().err().expect("A").to_string();
    assert!(error.contains("sue_sender_core") && error.contains("12"), "{error}");
}
