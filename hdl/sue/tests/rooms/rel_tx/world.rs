//! What the golden sender and its peers know.

use super::orders::{Order, Stage};
use super::released::Released;
use flitforge_hdl_sue::failover::OrderKind;
use flitforge_hdl_sue::frame::PduHead;
use flitforge_hdl_sue::receive_table::AcknowledgmentKind;
use flitforge_hdl_sue::rel_tx::{ManagementRequest, PduKind};
use flitforge_hdl_sue::reliability::Acknowledgment as Carried;
use flitforge_hdl_sue::send_table::{SendKind, SendResult, SendTimer};
use flitforge_hdl_sue::slot_walker::{BodyStatus, Completion};
use flitforge_model::sue::format::{Pdu, ReliabilityHeader};
use flitforge_model::sue::{
    Acknowledgment, BodyCheck, ConnectionKey, Progress, Psn, ReceiverConfig, ReceiverConnection, RetryLimit,
    Room, Sender, SenderConfig, Verdict,
};
use flitforge_protocol::sue::crc::CRC_BYTES;
use flitforge_protocol::sue::reliability::Operation;
use flitforge_sim::kit::{rng, Coverage, Rng as KitRng};
use rand::Rng;
use std::collections::{BTreeSet, VecDeque};

pub const CONNECTIONS: usize = 16;
pub const RTO: u64 = 2_500;
/// Number of this XPU, and what else the registers say.
pub const OWN: u16 = 5;
pub const LEAST: usize = 34;
pub const PORT: u64 = 2;
pub const CLASSES: [u64; 4] = [1, 4, 0, 5];
pub const ACKNOWLEDGMENT_CLASS: u64 = 3;
pub const ACKNOWLEDGMENT_PARTITION: u64 = 77;
/// The bounds of a frame's way.
const WAY: std::ops::Range<u64> = 20..120;
/// Nobody waits longer for what became of a body.
const PATIENCE: u64 = 60_000;
/// An expiry and a restart of the timer are this close when they meet.
const RACE: u64 = 60;
/// What the sender knows of a connection may be so old.
const OLD: u64 = 12;

pub fn config(window: u16) -> SenderConfig {
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

/// A body, its partition and its number.
#[derive(Clone, Debug, Default)]
pub struct Body {
    pub octets: Vec<u8>,
    pub destination: u64,
    pub vc: u64,
    pub partition: u64,
    pub commands: u64,
    pub number: u64,
    /// It has one wrong parity bit in its slot.
    pub spoilt: bool,
}

/// A connection: its golden ends, and what is on its way.
pub struct Connection {
    pub key: ConnectionKey,
    pub sender: Sender<Body>,
    pub peer: ReceiverConnection,
    /// Bodies that the peer has not accepted, the oldest first.
    pub undelivered: VecDeque<u64>,
    /// Bodies that are acknowledged and not completed, and those that are not acknowledged, with their time.
    pub completes: VecDeque<(u64, BodyStatus)>,
    pub outstanding: VecDeque<(Body, u64)>,
    pub frames: VecDeque<(u64, Psn, u64)>,
    /// Next PSNs, and since when.
    psns: VecDeque<(u64, u16)>,
    restarted: Option<u64>,
    ahead: u64,
    /// The packer may build a body.
    pub open: bool,
    pub stage: Stage,
    /// The peer accepts nothing.
    pub frozen: bool,
    /// It was given up while an acknowledgment was on its way.
    pub races: bool,
    /// Where it stood when it stopped.
    pub stood: (u16, u16),
    /// Bodies that came when it was stopped; bodies that go elsewhere.
    pub late: Vec<Body>,
    pub moving: VecDeque<Body>,
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
            psns: VecDeque::from([(0, 0)]),
            restarted: None,
            ahead: 0,
            open: true,
            stage: Stage::Open,
            frozen: false,
            races: false,
            stood: (0, 0),
            late: vec![],
            moving: VecDeque::new(),
        }
    }
}

/// A body that has its turn.
struct Turn {
    number: usize,
    psn: Psn,
    body: Body,
    replays: bool,
}

/// The sender's surroundings.
pub struct World {
    pub config: SenderConfig,
    receiver: ReceiverConfig,
    pub random: KitRng,
    pub now: u64,
    pub connections: Vec<Connection>,
    /// Bodies whose last word was taken, in order.
    pub stored: VecDeque<(usize, Body)>,
    /// Acknowledgments that arrive, those that arrived, those that the sender took.
    pub returning: Vec<(u64, usize, Acknowledgment)>,
    pub arrived: VecDeque<(usize, Acknowledgment)>,
    pub taken: VecDeque<(usize, Acknowledgment)>,
    pub to_open: VecDeque<(usize, Psn)>,
    /// The order that is not done, and how often there is one.
    pub order: Option<Order>,
    pub orders: f64,
    /// Bodies that were wrong when they were to go elsewhere.
    pub failing: Vec<Body>,
    turns: VecDeque<Turn>,
    /// What was asked and answered, in order; connections that were due, and since when; records.
    pub asked: VecDeque<(u64, Carried)>,
    pub due: VecDeque<(u64, u64)>,
    pub records: VecDeque<ManagementRequest>,
    /// Bodies that went out with a wrong parity bit.
    pub damaged: BTreeSet<u64>,
    /// What has begun.
    begun: VecDeque<(PduKind, u64, u64, Carried)>,
    pub released: Released,
    pub bodies: u64,
    pub seen: Coverage,
}

impl World {
    pub fn new(config: SenderConfig, seed: u64) -> Self {
        let mut world = Self {
            config,
            receiver: ReceiverConfig { ack_coalesce: 3, ack_timer: 60, ..Default::default() },
            random: rng(seed, "world"),
            now: 0,
            connections: vec![],
            stored: VecDeque::new(),
            returning: vec![],
            arrived: VecDeque::new(),
            taken: VecDeque::new(),
            to_open: VecDeque::new(),
            order: None,
            orders: 0.0,
            failing: vec![],
            turns: VecDeque::new(),
            asked: VecDeque::new(),
            due: VecDeque::new(),
            records: VecDeque::new(),
            damaged: BTreeSet::new(),
            begun: VecDeque::new(),
            released: Released::default(),
            bodies: 0,
            seen: Coverage::default(),
        };
        world.clear();
        world
    }

    pub fn clear(&mut self) {
        self.connections = (0..CONNECTIONS).map(|number| Connection::new(self.config, number)).collect();
        self.stored.clear();
        self.returning.clear();
        self.arrived.clear();
        self.taken.clear();
        self.order = None;
        self.failing.clear();
        self.turns.clear();
        self.asked.clear();
        self.due.clear();
        self.records.clear();
        self.begun.clear();
        self.released = Released::default();
        // close to the end of the numbers
        self.to_open = (0..CONNECTIONS).step_by(2).map(|number| (number, Psn::new(0xFFF8))).collect();
    }

    pub fn opened(&self) -> bool {
        self.to_open.is_empty() && self.order.is_none_or(|order| order.kind != OrderKind::Open)
    }

    /// What an event of a connection did.
    pub fn result(&mut self, result: SendResult) -> Result<(), String> {
        let number = u64::from(result.connection) as usize;
        let connection = &mut self.connections[number];
        let (key, ahead) = (connection.key, connection.ahead);
        let now = self.now + ahead;
        match result.kind {
            SendKind::Body => {
                let (of, body) = self.stored.pop_front().ok_or("a result of no body")?;
                if !connection.is_open() {
                    if !result.diverts {
                        let after = u64::from(result.psn) as u16;
                        connection.psns.push_back((self.now, after.wrapping_add(1)));
                    }
                    return self.comes_late(number, body, result.diverts);
                }
                let psn = connection.sender.accept(key, body.clone(), now);
                let psn = psn.map_err(|refused| format!("{:?}", refused.reason))?;
                if of != number || u64::from(psn.value()) != u64::from(result.psn) {
                    return Err(format!("body {body:?} of {of} as {psn:?}: {result:?}"));
                }
                connection.psns.push_back((self.now, psn.plus(1).value()));
                connection.undelivered.push_back(body.number);
                connection.outstanding.push_back((body, self.now));
            }
            SendKind::Turn if result.sends => {
                let turn = connection.sender.send(key, now).ok_or("a turn of nothing")?;
                let replays = turn.before == Progress::Sent;
                if replays != result.replays || u64::from(turn.psn.value()) != u64::from(result.psn) {
                    return Err(format!("{:?}, but {result:?}", turn.psn));
                }
                self.turns.push_back(Turn { number, psn: turn.psn, body: turn.body, replays });
            }
            SendKind::Ack | SendKind::Nack => self.acknowledged(number, result)?,
            SendKind::Expire => {
                let due = connection.sender.next_expiry();
                if let Some(early) = due.and_then(|due| due.checked_sub(now)).filter(|early| *early > 0) {
                    // an acknowledgment has just restarted the timer: the expiry was on its way already
                    let since = connection.restarted.ok_or("it never started")?;
                    if now > since + RACE {
                        return Err(format!("{number} expires at {now}, due at {due:?}"));
                    }
                    connection.ahead += early;
                }
                connection.sender.expire(now + connection.ahead - ahead);
                self.seen.hit("expired");
            }
            SendKind::Turn | SendKind::Freed => {}
            SendKind::Open => {
                let order = self.order.filter(|order| order.number == number).ok_or("nothing was opened")?;
                let psn = Psn::new(order.psn);
                connection.sender.reconnect(key, psn);
                connection.sender.open_response(key, psn).map_err(|error| error.to_string())?;
                connection.peer = ReceiverConnection::new(psn);
                connection.undelivered.clear();
                connection.frozen = false;
                connection.psns.push_back((self.now, psn.value()));
            }
            SendKind::Stop => self.stops(number)?,
        }
        let connection = &mut self.connections[number];
        if result.timer == SendTimer::Starts {
            connection.restarted = Some(self.now + connection.ahead);
        }
        Ok(())
    }

    fn acknowledged(&mut self, number: usize, result: SendResult) -> Result<(), String> {
        let connection = &mut self.connections[number];
        let (of, answer) = self.taken.pop_front().ok_or("a result of no acknowledgment")?;
        let events = connection.sender.acknowledge(connection.key, answer, self.now + connection.ahead);
        self.completed(number, events);
        let is_nack = matches!(answer, Acknowledgment::Nack(_));
        if of != number || is_nack != (result.kind == SendKind::Nack) {
            return Err(format!("{answer:?} of {of}, but {result:?}"));
        }
        self.seen.hit(if is_nack { "nack" } else { "ack" });
        Ok(())
    }

    pub fn complete(&mut self, completion: Completion) -> Result<(), String> {
        let (destination, vc) = (u64::from(completion.destination), u64::from(completion.vc));
        if completion.status == BodyStatus::Failed && self.fails(completion.commands.into(), destination, vc)
        {
            return Ok(());
        }
        let connection = &mut self.connections[u64::from(completion.connection) as usize];
        let (number, wanted) = connection.completes.pop_front().ok_or("a completion too many")?;
        // those that go elsewhere may be older
        let place = connection.outstanding.iter().position(|(body, _)| body.number == number);
        let (body, _) = place.and_then(|place| connection.outstanding.remove(place)).ok_or("nobody waits")?;
        let failed = self.damaged.contains(&number);
        let status = if failed { BodyStatus::Failed } else { wanted };
        let races = connection.races && wanted == BodyStatus::Unknown;
        let status = if races && !failed { completion.status } else { status };
        if u64::from(completion.commands) != body.commands
            || u64::from(completion.destination) != body.destination
            || completion.status != status
        {
            return Err(format!("{completion:?} of body {body:?}"));
        }
        let waits = connection.undelivered.front().is_some_and(|waits| *waits <= number);
        if waits && status == BodyStatus::Delivered {
            return Err(format!("{number} is completed and was not delivered"));
        }
        if failed {
            self.seen.hit("failed");
        }
        Ok(())
    }

    /// The packer is answered.
    pub fn window(&mut self, number: usize, open: bool) -> Result<(), String> {
        let connection = &mut self.connections[number];
        if connection.open {
            return Err(format!("{number} is answered and does not wait"));
        }
        let state = connection.sender.connection(connection.key);
        let has_window = state.is_none_or(|state| state.has_window(&self.config));
        if open && !has_window {
            return Err(format!("{number} is open, and its window is not"));
        }
        let was_told = connection.psns.back().is_some_and(|(at, _)| self.now > at + OLD);
        if open && was_told {
            self.seen.hit("window opens");
        } else if !open {
            self.seen.hit("window closed");
        }
        connection.open = open;
        Ok(())
    }

    /// A PDU has left.
    pub fn sent(&mut self, octets: &[u8], head: PduHead) -> Result<(), String> {
        let header = ReliabilityHeader::decode(octets).map_err(|error| error.to_string())?;
        if u64::from(head.bytes) as usize != octets.len() || header.source != OWN {
            return Err(format!("{header:?} of {} octets, {head:?}", octets.len()));
        }
        if header.operation == Operation::ConnectionManagement {
            return self.sent_record(octets, header, head);
        }
        let number = u64::from(head.destination) * 4 + u64::from(head.vc);
        let empty = octets[8..10] == [0, 0];
        let (kind, of, since, carried) = self.begun.pop_front().ok_or("nothing has begun")?;
        let acknowledges = kind == PduKind::Acknowledgment;
        if of != number || acknowledges != empty || (empty && !carried.was_due) {
            return Err(format!("{header:?} to {number}, but {kind:?} of {of} has begun: {carried:?}"));
        }
        let expected = match (carried.kind, header.operation) {
            (AcknowledgmentKind::None, Operation::None) => 0,
            (AcknowledgmentKind::Ack, Operation::Ack) | (AcknowledgmentKind::Nack, Operation::Nack) => {
                u64::from(carried.psn)
            }
            _ => return Err(format!("{header:?} with {carried:?}")),
        };
        if u64::from(header.acknowledged) != expected || u64::from(header.vc) != number % 4 {
            return Err(format!("{header:?} with {carried:?}"));
        }
        let (port, class) = (u64::from(head.port), u64::from(head.class));
        if empty {
            self.seen.hit("only acknowledges");
            if (port, class) != (PORT, ACKNOWLEDGMENT_CLASS) {
                return Err(format!("{head:?} of an acknowledgment"));
            }
            return self.sent_nothing(octets, header, number as usize, since);
        }
        if (port, class) != (PORT, CLASSES[number as usize % 4]) {
            return Err(format!("{head:?} of a body"));
        }
        if self.turns.front().is_some_and(|turn| turn.replays != (kind == PduKind::Replay)) {
            return Err(format!("{kind:?} is wrong of {header:?}"));
        }
        self.sent_body(octets, header, number as usize)
    }

    /// A PDU begins, or is void: what it has asked for is the oldest answer.
    pub fn begins(&mut self, kind: PduKind) -> Result<(), String> {
        self.released.begins = kind == PduKind::New;
        if kind != PduKind::Management {
            let (number, carried) = self.asked.pop_front().ok_or("nobody has asked")?;
            let acknowledges = kind == PduKind::Acknowledgment;
            let due = if acknowledges { self.due.pop_front() } else { None };
            let (of, since) = due.unwrap_or((number, 0));
            if of != number || acknowledges != due.is_some() {
                return Err(format!("{kind:?} of {number} begins, {due:?}"));
            }
            self.begun.push_back((kind, number, since, carried));
        }
        Ok(())
    }

    pub fn voids(&mut self) -> Result<(), String> {
        let (number, carried) = self.asked.pop_front().ok_or("nobody has asked")?;
        let due = self.due.pop_front();
        if carried.was_due || due.is_none_or(|(due, _)| due != number) {
            return Err(format!("{carried:?} of {number} is void, {due:?}"));
        }
        self.seen.hit("voided");
        Ok(())
    }

    fn sent_record(&mut self, octets: &[u8], header: ReliabilityHeader, head: PduHead) -> Result<(), String> {
        let record = self.records.pop_front().ok_or("a record of nobody")?;
        let pdu = Pdu::decode(octets).map_err(|error| error.to_string())?;
        let value = pdu.body[2..8].iter().fold(0_u64, |sum, octet| sum << 8 | u64::from(*octet));
        let same = value == u64::from(record.record)
            && pdu.body.len() == LEAST
            && u64::from(header.psn) == u64::from(record.psn)
            && u64::from(header.partition) == u64::from(record.partition)
            && header.acknowledged == 0
            && (head.destination, head.vc, head.port, head.class)
                == (record.destination, record.vc, record.port, record.class);
        self.seen.hit("management");
        same.then_some(()).ok_or_else(|| format!("{record:?} as {header:?} {head:?} {value:x}"))
    }

    fn sent_nothing(
        &mut self,
        octets: &[u8],
        header: ReliabilityHeader,
        number: usize,
        since: u64,
    ) -> Result<(), String> {
        let pdu = Pdu::decode(octets).map_err(|error| error.to_string())?;
        let psns = &self.connections[number].psns;
        let until = |place: usize| psns.get(place + 1).map_or(u64::MAX, |(at, _)| *at);
        let known = (0..psns.len())
            .any(|place| psns[place].1 == header.psn && until(place).saturating_add(OLD) >= since);
        let same = pdu.body == vec![0; LEAST] && u64::from(header.partition) == ACKNOWLEDGMENT_PARTITION;
        if !known || !same {
            return Err(format!("{header:?} of {number}: {psns:?} since {since}"));
        }
        Ok(())
    }

    fn sent_body(&mut self, octets: &[u8], header: ReliabilityHeader, number: usize) -> Result<(), String> {
        let Turn { number: of, psn, body, replays } = self.turns.pop_front().ok_or("no body has its turn")?;
        if of != number || header.psn != psn.value() || u64::from(header.partition) != body.partition {
            return Err(format!("{header:?} to {number}, expected {psn:?} of {of}: {body:?}"));
        }
        let was_damaged = self.damaged.contains(&body.number);
        let mut text = body.octets.clone();
        if was_damaged {
            text.fill(0);
            text[0] = 0x20;
            self.seen.hit("nop");
        }
        text.resize(text.len().max(LEAST), 0);
        let spoilt = body.spoilt && !was_damaged;
        let mut expected = Pdu { header, body: text }.encode().map_err(|error| error.to_string())?;
        let end = expected.len() - CRC_BYTES;
        if spoilt {
            expected[end..].iter_mut().for_each(|octet| *octet ^= 0xFF);
        }
        // with a wrong bit only the parity is wrong, so the octets are right
        if octets != expected {
            return Err(format!("{octets:02x?}, expected {expected:02x?}"));
        }
        self.seen.hit(if replays { "replay" } else { "new" });
        if !replays {
            self.released.sent(body.octets.len())?;
        }
        if spoilt {
            self.damaged.insert(body.number);
            self.seen.hit("inverted");
            return Ok(());
        }
        self.travel(number, psn, body.number);
        Ok(())
    }

    fn travel(&mut self, number: usize, psn: Psn, body: u64) {
        if self.connections[number].frozen || self.random.random_bool(0.05) {
            return self.seen.hit("frame lost");
        }
        let times = if self.random.random_bool(0.05) { 2 } else { 1 };
        let connection = &mut self.connections[number];
        for _ in 0..times {
            let soonest = connection.frames.back().map_or(0, |(arrives, ..)| *arrives + 1);
            let arrives = soonest.max(self.now + self.random.random_range(WAY));
            connection.frames.push_back((arrives, psn, body));
        }
        if times == 2 {
            self.seen.hit("frame doubled");
        }
    }

    /// Frames and acknowledgments arrive.
    pub fn deliver(&mut self) -> Result<(), String> {
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
            if !connection.frozen && connection.peer.due(&config, now).is_some() {
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
