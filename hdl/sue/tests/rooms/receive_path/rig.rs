//! Everything around the receiver, clock by clock: the network, the sender that asks, the control plane, the XPU.

use super::super::body_check::{good_body, types_value, word_value};
use flitforge_elaborate::drive::FromValue;
use flitforge_elaborate::Value;
use flitforge_hdl_sue::frame::FrameWord;
use flitforge_hdl_sue::network::NetworkSource;
use flitforge_hdl_sue::receive_table::{AcknowledgmentKind, ReceiveChange};
use flitforge_hdl_sue::rel_rx::{ConnectionChange, ConnectionState, ManagementRecord, PartitionEntry};
use flitforge_hdl_sue::reliability::Acknowledgment as Carried;
use flitforge_hdl_sue::sender_core::PeerAnswer;
use flitforge_hdl_sue::unpack::OutCredit;
use flitforge_model::sue::format::body::walk;
use flitforge_model::sue::format::{CmRecord, Pdu, ReliabilityHeader, TypeTable};
use flitforge_model::sue::{
    Acknowledgment, BodyCheck, Due, OpenAnswer, Psn, ReceiverConfig, ReceiverConnection, Renack, Room,
    Verdict,
};
use flitforge_protocol::sue::reliability::{CmCode, Operation};
use flitforge_sim::kit::{Agent, Coverage, Rng as KitRng};
use flitforge_sim::{Bench, PortHandle, SimError};
use rand::Rng;
use rust_hdl::prelude::*;
use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

/// Connections with traffic, and those of the table.
const CONNECTIONS: usize = 16;
const TABLE: u64 = 32;
const VCS: usize = 4;
const CELL: usize = 64;
const XPU_CELLS: usize = 12;
/// Octets of a ring of the buffer.
const RING: usize = 1024;
/// Partitions from this one on are no members.
const MEMBERS: u64 = 6;
const PARTITIONS: u64 = 8;
/// Clocks after a clear before PDUs acknowledge: the table is cleared.
const QUIET: u64 = 60;
/// Clocks by which a timer may be late, and an entry of the list.
const LATE: u64 = 40;
const PATIENCE: u64 = 3_000;

pub fn bits_of<T: Into<Bits<N>>, const N: usize>(packed: T) -> Value {
    let bits: Bits<N> = packed.into();
    bits.to_value()
}

pub fn config(renack: Renack) -> ReceiverConfig {
    ReceiverConfig { ack_coalesce: 3, ack_timer: 150, renack, ..Default::default() }
}

/// A body with one message.
pub fn message(random: &mut KitRng) -> Vec<u8> {
    let record = CmRecord { code: CmCode::OpenRequest, port: 0, vc: random.random_range(0..4), psn: 0x1234 };
    record.command().expect("in range").encode(&TypeTable::default()).expect("taken")
}

/// The words of a PDU; octets after its end are noise.
pub fn words(octets: &[u8], error: bool) -> VecDeque<FrameWord> {
    let count = octets.len().div_ceil(8);
    let word = |(index, octets): (usize, &[u8])| {
        let mut eight = [0x5A; 8];
        eight[..octets.len()].copy_from_slice(octets);
        let last = index + 1 == count;
        let (data, bytes) = (u64::from_le_bytes(eight).into(), (octets.len() as u64).into());
        FrameWord { data, bytes, last, error: last && error }
    };
    octets.chunks(8).enumerate().map(word).collect()
}

/// What the checks before the table have to find.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Class {
    Pulse(&'static str),
    Body,
}

#[derive(Clone, Debug)]
struct Sent {
    class: Class,
    header: ReliabilityHeader,
    body: Vec<u8>,
}

impl Sent {
    fn connection(&self) -> usize {
        usize::from(self.header.source) * VCS + usize::from(self.header.vc)
    }
}

/// A connection of the model, and what its acknowledgments wait for.
struct Connection {
    model: ReceiverConnection,
    accepted: bool,
    waiting: u8,
    /// Clock in which the first of those that wait was accepted.
    armed: Option<u64>,
    ack_due: bool,
    /// When it became due and is not yet named; by a timer that may have run out.
    listed: Option<u64>,
    may_be_listed: bool,
    /// What the network sends next.
    next: u16,
}

impl Connection {
    fn new() -> Self {
        Self {
            model: ReceiverConnection::new(Psn::ZERO),
            accepted: false,
            waiting: 0,
            armed: None,
            ack_due: false,
            listed: None,
            may_be_listed: false,
            next: 0,
        }
    }

    fn due(&self, config: &ReceiverConfig) -> bool {
        self.ack_due || self.model.due(config, 0) == Some(Due::Nack)
    }
}

struct State {
    connections: Vec<Connection>,
    sent: VecDeque<Sent>,
    pulses: VecDeque<(&'static str, u64)>,
    answers: VecDeque<(u64, u64, bool)>,
    records: VecDeque<ManagementRecord>,
    asked: VecDeque<u64>,
    changing: VecDeque<ConnectionChange>,
    wanted: [VecDeque<(Vec<u8>, ReliabilityHeader)>; VCS],
    credits: [usize; VCS],
    freed: [usize; VCS],
    came: Vec<u8>,
    words: VecDeque<FrameWord>,
    coming: Option<Sent>,
    pause: u64,
    ask: Option<u64>,
    change: Option<ConnectionChange>,
    credit: Option<(usize, usize)>,
    cleared: u64,
    valid: bool,
}

impl State {
    fn new(cleared: u64) -> Self {
        Self {
            connections: (0..CONNECTIONS).map(|_| Connection::new()).collect(),
            sent: VecDeque::new(),
            pulses: VecDeque::new(),
            answers: VecDeque::new(),
            records: VecDeque::new(),
            asked: VecDeque::new(),
            changing: VecDeque::new(),
            wanted: Default::default(),
            credits: [0; VCS],
            freed: [XPU_CELLS; VCS],
            came: vec![],
            words: VecDeque::new(),
            coming: None,
            pause: 0,
            ask: None,
            change: None,
            credit: None,
            cleared,
            valid: false,
        }
    }
}

const EARLY: [&str; 9] = [
    "frame_bad",
    "header_bad",
    "crc_bad",
    "busy",
    "source_bad",
    "unknown",
    "management",
    "record_bad",
    "empty",
];
const LATER: [&str; 7] =
    ["accepted", "partition_violation", "body_bad", "no_room", "gap", "duplicate", "frozen"];

/// Plays all of them.
pub struct Rig {
    state: State,
    config: ReceiverConfig,
    types: TypeTable,
    random: KitRng,
    clears: f64,
    ports: BTreeMap<String, PortHandle>,
    seen: Rc<RefCell<Coverage>>,
    starved: usize,
    source: u16,
}

impl Rig {
    pub fn new(
        bench: &dyn Bench,
        config: ReceiverConfig,
        random: KitRng,
        clears: f64,
        seen: Rc<RefCell<Coverage>>,
    ) -> Result<Self, SimError> {
        *seen.borrow_mut() = Coverage::default();
        let settings = ["port", "coalesce", "renack", "ack_timer", "partition_check"];
        let mut names: Vec<String> = settings.map(|name| format!("settings.{name}")).into();
        names.extend(["clear", "types", "source", "command_head", "decided_header"].map(String::from));
        names.extend(["timer_early", "timer_lost", "events.answer_lost"].map(String::from));
        names.extend(EARLY.iter().chain(&LATER).map(|name| format!("events.{name}")));
        for port in ["partitions", "pdu", "committed", "acknowledgments", "changed", "management", "credits"]
        {
            names.extend(["valid", "data"].map(|part| format!("{port}.{part}")));
        }
        for port in ["answers", "asks", "due", "changes", "commands"] {
            names.extend(["valid", "ready", "data"].map(|part| format!("{port}.{part}")));
        }
        let mut ports = BTreeMap::new();
        for name in names {
            let handle = bench.port(&name)?;
            ports.insert(name, handle);
        }
        let types = TypeTable::default();
        let (state, starved, source) = (State::new(0), VCS, 0);
        Ok(Self { state, config, types, random, clears, ports, seen, starved, source })
    }

    fn hit(&self, what: impl Into<String>) {
        self.seen.borrow_mut().hit(what.into());
    }

    fn on(&self, bench: &dyn Bench, name: &str) -> bool {
        bench.get_bit(self.ports[name])
    }

    fn moves(&self, bench: &dyn Bench, name: &str) -> bool {
        self.on(bench, &format!("{name}.valid")) && self.on(bench, &format!("{name}.ready"))
    }

    fn get<const N: usize, T: From<Bits<N>>>(&self, bench: &dyn Bench, name: &str) -> T {
        Bits::<N>::from_value(&bench.get(self.ports[name])).into()
    }

    /// The body of a PDU.
    fn body(&mut self, operation: Operation) -> Vec<u8> {
        let random = &mut self.random;
        if operation == Operation::ConnectionManagement {
            let mut body = message(random);
            match random.random_range(0..6) {
                0 => body[1] ^= 1,
                1 => body.extend(message(random)),
                2 => body.truncate(6),
                _ => {}
            }
            body.resize(body.len() + 2 * random.random_range(0..14), 0);
            return body;
        }
        if random.random_bool(0.15) {
            return vec![0; 2 * random.random_range(0..18)];
        }
        let most = if random.random_bool(0.3) { 600 } else { 70 };
        let mut body = good_body(random, &self.types, most);
        if random.random_bool(0.08) {
            let place = random.random_range(0..body.len());
            body[place] = random.random();
        }
        body
    }

    fn new_pdu(&mut self, clock: u64) {
        let number = self.random.random_range(0..CONNECTIONS);
        let connection = &mut self.state.connections[number];
        let exp = connection.model.exp().value();
        if self.random.random_bool(0.25) {
            connection.next = exp;
        }
        let near: i32 = if self.random.random_bool(0.2) { self.random.random_range(-3..4) } else { 0 };
        let psn = connection.next.wrapping_add(near as u16);
        connection.next = psn.wrapping_add(1);
        let after_clear = clock < self.state.cleared + QUIET;
        let operation = if after_clear {
            Operation::None
        } else {
            Operation::ALL[[0, 0, 0, 1, 1, 2, 2, 3][self.random.random_range(0..8)]]
        };
        let unknown = self.random.random_bool(0.04);
        let source = if unknown { self.random.random_range(8..1024) } else { (number / VCS) as u16 };
        let header = ReliabilityHeader {
            operation,
            source,
            psn,
            vc: (number % VCS) as u8,
            partition: self.random.random_range(0..PARTITIONS) as u16,
            acknowledged: self.random.random(),
        };
        let body = self.body(operation);
        let mut octets = Pdu { header, body: body.clone() }.encode().expect("in range");
        self.source = source;
        let mut class = if unknown { Class::Pulse("unknown") } else { Self::class(operation, &body) };
        let error = match self.random.random_range(0..40) {
            0 => {
                class = Class::Pulse("frame_bad");
                true
            }
            1 => {
                octets.truncate(self.random.random_range(1..12));
                class = Class::Pulse("header_bad");
                false
            }
            2 => {
                octets[0] ^= 0x40;
                class = Class::Pulse("header_bad");
                false
            }
            3 => {
                let place = self.random.random_range(8..octets.len());
                octets[place] ^= 1 << self.random.random_range(0..8);
                class = Class::Pulse("crc_bad");
                false
            }
            4 => {
                self.source ^= 1 << self.random.random_range(0..12);
                class = Class::Pulse("source_bad");
                false
            }
            _ => false,
        };
        self.state.words = words(&octets, error);
        self.state.coming = Some(Sent { class, header, body });
    }

    fn class(operation: Operation, body: &[u8]) -> Class {
        if operation == Operation::ConnectionManagement {
            let is_record = CmRecord::from_body(body).is_ok();
            Class::Pulse(if is_record { "management" } else { "record_bad" })
        } else if body.len() < 2 || body[..2] == [0, 0] {
            Class::Pulse("empty")
        } else {
            Class::Body
        }
    }

    fn drive_pdu(&mut self, clock: u64, bench: &mut dyn Bench) {
        if self.state.words.is_empty() && clock >= self.state.pause && clock > self.state.cleared {
            self.new_pdu(clock);
        }
        let share = if clock / 512 % 2 == 0 { 1.0 } else { 0.7 };
        self.state.valid = !self.state.words.is_empty() && self.random.random_bool(share);
        bench.set_u64(self.ports["pdu.valid"], self.state.valid.into());
        if let Some(word) = self.state.words.front() {
            bench.set(self.ports["pdu.data"], &word_value(*word));
        }
        let from = NetworkSource { xpu: u64::from(self.source).into(), ..Default::default() };
        bench.set(self.ports["source"], &bits_of::<_, { <NetworkSource as Synth>::BITS }>(from));
    }

    fn drive_streams(&mut self, clock: u64, bench: &mut dyn Bench) {
        let random = &mut self.random;
        let number = random.random_range(0..CONNECTIONS);
        if self.state.ask.is_none() && random.random_bool(0.06) {
            self.state.ask = Some(number as u64);
        }
        if self.state.change.is_none() && random.random_bool(0.01) {
            let near = random.random_range(-3..4) as u16;
            let psn = self.state.connections[number].model.exp().value().wrapping_add(near);
            let open = random.random_bool(0.75);
            self.state.change = Some(ConnectionChange {
                change: if open { ReceiveChange::Open } else { ReceiveChange::Freeze },
                connection: (number as u64).into(),
                psn: u64::from(psn).into(),
            });
        }
        if random.random_bool(0.000_5) {
            self.starved = random.random_range(0..VCS);
        }
        let vc = random.random_range(0..VCS);
        let may = vc != self.starved && self.state.freed[vc] > 0 && clock > self.state.cleared + 1;
        self.state.credit = may.then(|| (vc, random.random_range(1..=self.state.freed[vc])));
        let p = &self.ports;
        bench.set_u64(p["asks.valid"], self.state.ask.is_some().into());
        bench.set_u64(p["asks.data"], self.state.ask.unwrap_or_default());
        bench.set_u64(p["changes.valid"], self.state.change.is_some().into());
        let change = self.state.change.unwrap_or_default();
        bench.set(p["changes.data"], &bits_of::<_, { <ConnectionChange as Synth>::BITS }>(change));
        bench.set_u64(p["credits.valid"], self.state.credit.is_some().into());
        let (vc, count) = self.state.credit.unwrap_or_default();
        let credit = OutCredit { vc: (vc as u64).into(), count: (count as u64).into() };
        bench.set(p["credits.data"], &bits_of::<_, { <OutCredit as Synth>::BITS }>(credit));
        for (name, share) in [("answers.ready", 0.5), ("due.ready", 0.3), ("commands.ready", 0.9)] {
            bench.set_u64(p[name], random.random_bool(share).into());
        }
        let entry =
            PartitionEntry { partition: (clock % PARTITIONS).into(), member: clock % PARTITIONS < MEMBERS };
        bench.set_u64(p["partitions.valid"], (clock < 40).into());
        bench.set(p["partitions.data"], &bits_of::<_, { <PartitionEntry as Synth>::BITS }>(entry));
    }

    /// The model does what the table has done to a PDU, and the pulses say so.
    fn decided(&mut self, clock: u64, bench: &dyn Bench) -> Result<(), String> {
        let sent = self.state.sent.pop_front().ok_or("a decision too many")?;
        let commits = self.on(bench, "committed.data");
        let later: Vec<&str> =
            LATER.into_iter().filter(|name| self.on(bench, &format!("events.{name}"))).collect();
        let busy = self
            .state
            .pulses
            .front()
            .is_some_and(|(name, at)| *name == "busy" && *at <= self.state.cleared + TABLE + 2);
        let counts = !matches!(sent.class, Class::Pulse("frame_bad" | "header_bad" | "crc_bad"));
        let class = if busy && counts { Class::Pulse("busy") } else { sent.class };
        if let Class::Pulse(name) = class {
            let came = self.state.pulses.pop_front().map(|(name, _)| name);
            if came != Some(name) || commits || !later.is_empty() {
                return Err(format!(
                    "{came:?}, {later:?}, commits {commits}, expected {name} of {sent:02x?}"
                ));
            }
            self.hit(name);
            return if name == "management" { self.record(&sent) } else { Ok(()) };
        }
        let check = match walk(&sent.body, &self.types) {
            _ if u64::from(sent.header.partition) >= MEMBERS => BodyCheck::Partition,
            Ok(_) => BodyCheck::Good,
            Err(_) => BodyCheck::Malformed,
        };
        let vc = usize::from(sent.header.vc);
        let held: usize = self.state.wanted[vc].iter().map(|(octets, _)| octets.len()).sum();
        let full = later.contains(&"no_room");
        if full && held + sent.body.len() < RING / 4 {
            return Err(format!("no room, and {held} octets are kept: {sent:02x?}"));
        }
        let room = if full { Room::Full } else { Room::Free };
        let config = self.config;
        let connection = &mut self.state.connections[sent.connection()];
        let was_due = connection.due(&config);
        let psn = Psn::new(sent.header.psn);
        let verdict = connection.model.receive(&config, psn, room, check, 0);
        let expected = match verdict {
            Verdict::Accepted => vec!["accepted"],
            Verdict::PartitionViolation => vec!["accepted", "partition_violation"],
            Verdict::Malformed => vec!["accepted", "body_bad"],
            Verdict::RxFull => vec!["no_room"],
            Verdict::Gap(_) => vec!["gap"],
            Verdict::Duplicate => vec!["duplicate"],
            Verdict::Frozen => vec!["frozen"],
        };
        if expected[0] == "accepted" {
            connection.accepted = true;
            if connection.waiting == 0 {
                connection.armed = Some(clock);
            }
            connection.waiting = connection.waiting.saturating_add(1);
            connection.ack_due |= connection.waiting >= config.ack_coalesce;
        }
        connection.ack_due |= verdict == Verdict::Duplicate && connection.accepted;
        if connection.due(&config) && !was_due {
            connection.listed = connection.listed.or(Some(clock));
        }
        if later != expected || commits != (verdict == Verdict::Accepted) {
            return Err(format!("{later:?}, commits {commits}, expected {verdict:?} of {sent:02x?}"));
        }
        if commits {
            let walked = walk(&sent.body, &self.types).map_err(|error| error.to_string())?;
            for command in walked.commands {
                let octets = command.encode(&self.types).map_err(|error| error.to_string())?;
                self.state.wanted[vc].push_back((octets, sent.header));
            }
        }
        let name = format!("{verdict:?}");
        self.hit(name.split('(').next().unwrap_or_default());
        Ok(())
    }

    fn record(&mut self, sent: &Sent) -> Result<(), String> {
        let came = self.state.records.pop_front().ok_or("no record")?;
        let octets = sent.body[2..8].iter().fold(0, |sum, octet| sum << 8 | u64::from(*octet));
        let wanted = ManagementRecord {
            source: u64::from(sent.header.source).into(),
            vc: u64::from(sent.header.vc).into(),
            psn: u64::from(sent.header.psn).into(),
            record: octets.into(),
        };
        (came == wanted).then_some(()).ok_or_else(|| format!("{came:?}, expected {wanted:?}"))
    }

    /// Timers run out some time after they may.
    fn expire(&mut self, clock: u64) -> Result<(), String> {
        let config = self.config;
        for (number, connection) in self.state.connections.iter_mut().enumerate() {
            if let Some(armed) = connection.armed.filter(|_| connection.waiting > 0) {
                connection.may_be_listed |= clock >= armed + config.ack_timer;
                if clock >= armed + config.ack_timer + LATE && !connection.ack_due {
                    if !connection.due(&config) && connection.may_be_listed {
                        connection.listed = connection.listed.or(Some(clock));
                    }
                    connection.ack_due = true;
                }
            }
            if connection.listed.is_some_and(|since| clock > since + PATIENCE) {
                return Err(format!("connection {number} is never named"));
            }
        }
        Ok(())
    }

    fn acknowledged(&mut self, clock: u64, came: Carried) -> Result<(), String> {
        let number = self.state.asked.pop_front().ok_or("nobody has asked")? as usize;
        let config = self.config;
        let connection = &mut self.state.connections[number];
        let due = connection.due(&config);
        let old = |armed: u64| connection.waiting > 0 && clock >= armed + config.ack_timer;
        let by_timer = connection.armed.is_some_and(old);
        (connection.waiting, connection.ack_due) = (0, false);
        let (kind, psn) = match connection.model.carry(&config) {
            Acknowledgment::None => (AcknowledgmentKind::None, None),
            Acknowledgment::Ack(psn) => (AcknowledgmentKind::Ack, Some(psn)),
            Acknowledgment::Nack(psn) => (AcknowledgmentKind::Nack, Some(psn)),
        };
        let right = came.kind == kind && psn.is_none_or(|psn| u64::from(came.psn) == u64::from(psn.value()));
        if !right || (came.was_due != due && !by_timer) {
            return Err(format!("{came:?} of {number}, expected {kind:?} {psn:?}, due {due}"));
        }
        self.hit(format!("{kind:?}"));
        if !came.was_due {
            self.hit("asked when nothing is due");
        } else if by_timer && !due {
            self.hit("due by its timer");
        }
        Ok(())
    }

    fn changed(&mut self, came: ConnectionState) -> Result<(), String> {
        let change = self.state.changing.pop_front().ok_or("nothing was to change")?;
        let connection = &mut self.state.connections[u64::from(change.connection) as usize];
        let (what, psn) = if change.change == ReceiveChange::Open {
            match connection.model.open(Psn::new(u64::from(change.psn) as u16)) {
                OpenAnswer::Opened(psn) => ("opened", psn),
                OpenAnswer::Behind(psn) => ("not opened", psn),
            }
        } else {
            ("frozen", connection.model.freeze())
        };
        self.hit(what);
        let right = came.connection == change.connection && u64::from(came.psn) == u64::from(psn.value());
        right.then_some(()).ok_or_else(|| format!("{came:?} after {change:?}, expected {psn:?}"))
    }

    fn named(&mut self, number: u64) -> Result<(), String> {
        let connection = &mut self.state.connections[number as usize];
        let by_timer = connection.may_be_listed;
        if connection.listed.is_none() && !by_timer {
            return Err(format!("nothing is due to {number}"));
        }
        if connection.listed.is_none() {
            // Its timer has run out in the time that it may take.
            connection.ack_due |= connection.waiting > 0;
        }
        (connection.listed, connection.may_be_listed) = (None, false);
        self.hit("due");
        Ok(())
    }

    fn command(&mut self, bench: &dyn Bench) -> Result<(), String> {
        let word: FrameWord = self.get::<{ <FrameWord as Synth>::BITS }, _>(bench, "commands.data");
        let head: flitforge_hdl_sue::frame::ReceivedHead =
            self.get::<{ <flitforge_hdl_sue::frame::ReceivedHead as Synth>::BITS }, _>(bench, "command_head");
        let bytes = u64::from(word.bytes) as usize;
        self.state.came.extend(&u64::from(word.data).to_le_bytes()[..bytes]);
        if !word.last {
            return Ok(());
        }
        let vc = u64::from(head.vc) as usize;
        let came = std::mem::take(&mut self.state.came);
        let (octets, of) = self.state.wanted[vc].pop_front().ok_or("a command of nothing")?;
        let heads = (u64::from(head.source), u64::from(head.partition), u64::from(head.port));
        if came != octets || heads != (of.source.into(), of.partition.into(), 1) {
            return Err(format!("{came:02x?} of {head:?}, expected {octets:02x?} of {of:?}"));
        }
        let cells = octets.len().div_ceil(CELL);
        let left = self.state.credits[vc].checked_sub(cells).ok_or("a command without credits")?;
        self.state.credits[vc] = left;
        self.state.freed[vc] += cells;
        self.hit("command");
        Ok(())
    }

    fn inputs(&mut self, clock: u64, bench: &dyn Bench) {
        if let Some((vc, count)) = self.state.credit {
            self.state.freed[vc] -= count;
            self.state.credits[vc] += count;
        }
        if self.moves(bench, "asks") {
            self.state.asked.extend(self.state.ask.take());
        }
        if self.moves(bench, "changes") {
            self.state.changing.extend(self.state.change.take());
        }
        if self.state.valid && self.state.words.pop_front().is_some_and(|word| word.last) {
            let sent = self.state.coming.take().expect("one is coming");
            let gap = if self.random.random_bool(0.5) { 3 } else { self.random.random_range(3..40) };
            self.state.pause = clock + 1 + gap;
            let answers = matches!(sent.class, Class::Body | Class::Pulse("empty"));
            if answers && matches!(sent.header.operation, Operation::Ack | Operation::Nack) {
                let nack = sent.header.operation == Operation::Nack;
                self.state.answers.push_back((
                    sent.connection() as u64,
                    sent.header.acknowledged.into(),
                    nack,
                ));
            }
            self.state.sent.push_back(sent);
        }
    }

    fn outputs(&mut self, clock: u64, bench: &dyn Bench) -> Result<(), String> {
        for name in EARLY {
            if self.on(bench, &format!("events.{name}")) {
                self.state.pulses.push_back((name, clock));
            }
        }
        for name in ["timer_early", "timer_lost", "events.answer_lost"] {
            if self.on(bench, name) {
                return Err(name.into());
            }
        }
        if self.on(bench, "management.valid") {
            let record = self.get::<{ <ManagementRecord as Synth>::BITS }, _>(bench, "management.data");
            self.state.records.push_back(record);
        }
        self.expire(clock)?;
        // What the table says of a PDU comes a clock later than what it says of others.
        if self.on(bench, "committed.valid") {
            self.decided(clock, bench)?;
        }
        if self.on(bench, "acknowledgments.valid") {
            let came = self.get::<{ <Carried as Synth>::BITS }, _>(bench, "acknowledgments.data");
            self.acknowledged(clock, came)?;
        }
        if self.on(bench, "changed.valid") {
            let came = self.get::<{ <ConnectionState as Synth>::BITS }, _>(bench, "changed.data");
            self.changed(came)?;
        }
        if self.moves(bench, "due") {
            self.named(bench.get_u64(self.ports["due.data"]))?;
        }
        if self.moves(bench, "answers") {
            let came: PeerAnswer = self.get::<{ <PeerAnswer as Synth>::BITS }, _>(bench, "answers.data");
            let came = (u64::from(came.connection), u64::from(came.psn), came.nack);
            let wanted = self.state.answers.pop_front();
            if wanted != Some(came) {
                return Err(format!("answer {came:?}, expected {wanted:?}"));
            }
            self.hit("answer");
        }
        if self.moves(bench, "commands") {
            self.command(bench)?;
        }
        Ok(())
    }
}

impl Agent for Rig {
    fn drive(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        if clock < 2 {
            let config = self.config;
            for (name, value) in [
                ("port", 1),
                ("coalesce", config.ack_coalesce.into()),
                ("renack", (config.renack == Renack::Answer).into()),
                ("ack_timer", config.ack_timer),
                ("partition_check", 1),
            ] {
                bench.set_u64(self.ports[&format!("settings.{name}")], value);
            }
            bench.set(self.ports["types"], &types_value(&self.types));
        }
        // The rules of types are written in the first clocks.
        let clears = clock < 60 || self.random.random_bool(self.clears);
        bench.set_u64(self.ports["clear"], clears.into());
        self.drive_pdu(clock, bench);
        self.drive_streams(clock, bench);
        Ok(())
    }

    fn observe(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        if self.on(bench, "clear") {
            if self.state.coming.is_some() && self.state.words.len() > 1 {
                self.hit("cleared in a pdu");
            }
            self.state = State::new(clock);
            return Ok(());
        }
        let wrong = |problem: String| SimError::Check { clock, problem };
        self.inputs(clock, bench);
        self.outputs(clock, bench).map_err(wrong)
    }
}
