//! The ports of connection management: records, orders and routes, at random times.

use super::super::mac_control::wrong;
use super::world::{Doing, Order, World, LIFE, PEERS, PORTS, REST};
use flitforge_elaborate::Value;
use flitforge_model::sue::failover::{CM_RTO, CM_TRIES};
use flitforge_model::sue::format::{CmRecord, Command, Payload};
use flitforge_model::sue::{ConnectionKey, OpenAnswer, Psn};
use flitforge_protocol::sue::command::CommandType;
use flitforge_protocol::sue::reliability::CmCode;
use flitforge_sim::kit::Agent;
use flitforge_sim::{Bench, PortHandle, SimError};
use rand::Rng as _;
use std::collections::{BTreeMap, VecDeque};

const CLASS: u64 = 5;
const PARTITION: u64 = 0x155;

/// A record as octets, its first one on top.
pub fn octets_of(record: CmRecord) -> u64 {
    let command = record.command().expect("in range");
    command.control.iter().fold(0, |all, octet| all << 8 | u64::from(*octet))
}

/// A record that has come, as its port has it.
pub fn record_value(source: u64, octets: u64) -> Value {
    let word = u128::from(source) | u128::from(octets) << 28;
    Value::from_words(76, &[word as u64, (word >> 64) as u64])
}

/// A record in octets.
pub fn record_of(octets: u64) -> CmRecord {
    let control = octets.to_be_bytes()[2..].to_vec();
    let command = Command { kind: CommandType::Message, control, payload: Payload::None };
    CmRecord::from_command(&command).expect("a record")
}

pub const fn connection(key: ConnectionKey) -> u64 {
    key.vc as u64 | (key.peer as u64) << 2 | (key.port as u64) << 12
}

pub const fn key_of(bits: u64) -> ConnectionKey {
    let peer = (bits >> 2 & 0x3FF) as u16;
    ConnectionKey { port: (bits >> 12 & 3) as u8, peer, vc: (bits & 3) as u8 }
}

/// What has come through a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Came {
    Bad,
    Record(CmRecord),
}

pub struct Rig {
    ports: BTreeMap<String, PortHandle>,
    world: World,
    failure: Option<ConnectionKey>,
    command: Option<(u64, ConnectionKey)>,
    /// The answer of the sender, when, and what is counted then.
    answer: Option<(u64, [u16; 2], Option<usize>)>,
    pulse: Option<usize>,
    /// The record at the input: port, peer.
    coming: Option<(usize, u16, Came)>,
    /// What came before, if there was a place for it.
    before: Option<(usize, u16, Came)>,
    came: [VecDeque<(u16, Came)>; PORTS],
    bad: [u64; 2],
    bursts: u64,
    /// What the receiver has changed: when, connection, PSN.
    changed: Option<(u64, u64, u64)>,
    /// The answer to a peer that is due: port, peer.
    reply: Option<(u8, u16, CmRecord)>,
    is_new: bool,
}

impl Rig {
    pub fn new(bench: &dyn Bench, world: World) -> Result<Self, SimError> {
        let mut names: Vec<String> = ["clear", "up", "settling"].map(String::from).to_vec();
        for name in ["ports", "fails_over", "cm_rto", "cm_tries", "rest", "class", "partition"] {
            names.push(format!("settings.{name}"));
        }
        for name in ["failed_over", "peer_lost", "opened", "record_bad", "record_lost"] {
            names.push(format!("events.{name}"));
        }
        for name in ["failures", "commands", "orders", "routes", "receiver_changes", "management"] {
            names.extend(["valid", "ready", "data"].map(|part| format!("{name}.{part}")));
        }
        let records = (0..PORTS).map(|port| format!("records[{port}]"));
        for name in ["answered".to_string(), "changed".to_string()].into_iter().chain(records) {
            names.extend(["valid", "data"].map(|part| format!("{name}.{part}")));
        }
        let ports: Result<_, SimError> =
            names.into_iter().map(|name| bench.port(&name).map(|port| (name, port))).collect();
        Ok(Self {
            ports: ports?,
            world,
            failure: None,
            command: None,
            answer: None,
            pulse: None,
            coming: None,
            before: None,
            came: [const { VecDeque::new() }; PORTS],
            bad: [0; 2],
            bursts: 0,
            changed: None,
            reply: None,
            is_new: true,
        })
    }

    fn set(&self, bench: &mut dyn Bench, name: &str, value: u64) {
        bench.set_u64(self.ports[name], value);
    }

    fn on(&self, bench: &dyn Bench, name: &str) -> bool {
        bench.get_bit(self.ports[name])
    }

    fn taken(&self, bench: &dyn Bench, name: &str) -> Option<u64> {
        let taken = self.on(bench, &format!("{name}.valid")) && self.on(bench, &format!("{name}.ready"));
        taken.then(|| bench.get(self.ports[&format!("{name}.data")]).low_u64())
    }

    fn chance(&mut self, probability: f64) -> bool {
        self.world.random.random_bool(probability)
    }

    fn any_key(&mut self) -> ConnectionKey {
        let random = &mut self.world.random;
        ConnectionKey {
            port: random.random_range(0..PORTS as u8),
            peer: random.random_range(1..PEERS),
            vc: random.random_range(0..4),
        }
    }

    /// What the sender, and the host, want.
    fn wishes(&mut self, bench: &mut dyn Bench) {
        if self.failure.is_none() && self.chance(0.000_7) {
            self.failure = Some(self.any_key());
        }
        if self.command.is_none() && self.chance(0.01) {
            let key = self.any_key();
            let kind = [2, 2, 2, 2, 2, 2, 2, 1, 1, 0, 3][self.world.random.random_range(0..11)];
            let since = self.world.closed.get(&key).copied().flatten();
            let may_open = since.is_some_and(|since| since + 2 * LIFE < self.world.now);
            let rare = kind == 2 || self.world.random.random_bool(0.2);
            self.command = Some((kind, key)).filter(|_| rare && (kind != 1 || may_open));
        }
        self.set(bench, "failures.valid", self.failure.is_some().into());
        self.set(bench, "failures.data", self.failure.map_or(0, connection));
        self.set(bench, "commands.valid", self.command.is_some().into());
        self.set(bench, "commands.data", self.command.map_or(0, |(kind, key)| kind | connection(key) << 2));
    }

    /// The next record that comes, at most one in a clock.
    fn next_record(&mut self) -> Option<(usize, u16, Came)> {
        let now = self.world.now;
        if let Some(place) = self.world.to_here.iter().position(|one| one.0 <= now) {
            let (_, through, peer, record) = self.world.to_here.remove(place);
            let is_up = self.world.up >> through & 1 == 1;
            return is_up.then_some((through.into(), peer, Came::Record(record)));
        }
        if self.bursts > 0 {
            self.bursts -= 1;
        } else if self.chance(0.001) {
            self.bursts = 12;
        }
        if self.bursts == 0 && !self.chance(0.02) {
            return None;
        }
        let through = if self.bursts > 0 { 1 } else { self.world.random.random_range(0..PORTS) };
        let ConnectionKey { port, peer, vc } = self.any_key();
        let psn = self.world.random.random();
        let code = match self.world.random.random_range(0..8) {
            0 => return Some((through, peer, Came::Bad)),
            1..4 => CmCode::OpenRequest,
            4 => return Some(self.late_answer(through)),
            _ => CmCode::FreezeRequest,
        };
        Some((through, peer, Came::Record(CmRecord { code, port, vc, psn })))
    }

    /// FREEZE_RSP outside of the window, of the connection in question if there is one.
    fn late_answer(&mut self, through: usize) -> (usize, u16, Came) {
        let any = self.any_key();
        let key = if let Doing::Freezing { key, .. } = &self.world.doing { *key } else { any };
        let nxt = self.world.here.sender().connection(key).map_or(0, |one| one.nxt().value());
        let psn = nxt.wrapping_add(1);
        let record = CmRecord { code: CmCode::FreezeResponse, port: key.port, vc: key.vc, psn };
        (through, key.peer, Came::Record(record))
    }

    fn records(&mut self, bench: &mut dyn Bench) {
        self.coming = self.next_record();
        let mut value = record_value(0, 0);
        if let Some((_, peer, came)) = self.coming {
            let (source, octets) = match came {
                Came::Record(record) => (u64::from(peer), octets_of(record)),
                Came::Bad => self.bad_record(peer.into()),
            };
            value = record_value(source, octets);
        }
        for port in 0..PORTS {
            let here = self.coming.is_some_and(|(through, ..)| through == port);
            self.set(bench, &format!("records[{port}].valid"), here.into());
            bench.set(self.ports[&format!("records[{port}].data")], &value);
        }
    }

    /// One that makes no sense: code, port, channel or peer.
    fn bad_record(&mut self, source: u64) -> (u64, u64) {
        let good = CmRecord { code: CmCode::OpenRequest, port: 1, vc: 1, psn: 7 };
        let octets = octets_of(good);
        match self.world.random.random_range(0..5) {
            0 => (source, octets_of(CmRecord { port: 4, ..good })),
            1 => (source, octets_of(CmRecord { vc: 4, ..good })),
            2 => (source | u64::from(PEERS), octets),
            3 => (source, octets & 0xFF_FFFF_FFFF),
            _ => (source, octets | 4 << 40),
        }
    }

    /// A record that came has got its place, or has not.
    fn settle_records(&mut self, bench: &dyn Bench) -> Result<(), SimError> {
        let lost = self.on(bench, "events.record_lost");
        if lost {
            self.world.hit("a record is lost");
        }
        match self.before.take() {
            None if lost => return Err(wrong(self.world.now, "a record is lost that never came")),
            Some((through, peer, came)) if !lost => {
                if let Came::Record(record) = came {
                    self.world.answered(peer, record);
                }
                let is_answer = matches!(
                    came,
                    Came::Record(CmRecord { code: CmCode::FreezeResponse | CmCode::OpenResponse, .. })
                );
                if !is_answer {
                    self.came[through].push_back((peer, came));
                }
                self.bad[0] += u64::from(came == Came::Bad);
            }
            _ => {}
        }
        self.bad[1] += u64::from(self.on(bench, "events.record_bad"));
        if self.bad[1] > self.bad[0] {
            return Err(wrong(self.world.now, "a good record is bad"));
        }
        self.before = self.coming;
        Ok(())
    }

    /// The receiver is to change something: what a peer has asked for.
    fn change(&mut self, data: u64) -> Result<(), SimError> {
        let (freezes, psn) = (data >> 2 & 1 == 1, (data >> 15 & 0xFFFF) as u16);
        let key = key_of(data >> 3 & 0xFFF | (data & 3) << 12);
        let code = if freezes { CmCode::FreezeRequest } else { CmCode::OpenRequest };
        let wanted = CmRecord { code, port: key.port, vc: key.vc, psn };
        let of_port =
            |queue: &VecDeque<(u16, Came)>| queue.iter().find(|(_, came)| *came != Came::Bad).copied();
        let through =
            (0..PORTS).find(|port| of_port(&self.came[*port]) == Some((key.peer, Came::Record(wanted))));
        let Some(through) = through.filter(|_| self.reply.is_none()) else {
            return Err(wrong(self.world.now, format!("{wanted:?} of {} was not asked for", key.peer)));
        };
        while self.came[through].pop_front().is_some_and(|(_, came)| came == Came::Bad) {}
        self.world.hit(if freezes { "a peer freezes" } else { "a peer opens" });
        let receiver = self.world.here.receiver_mut();
        let psn = if freezes {
            receiver.freeze(key).value()
        } else {
            let (OpenAnswer::Opened(psn) | OpenAnswer::Behind(psn)) = receiver.open(key, Psn::new(psn));
            psn.value()
        };
        let code = if freezes { CmCode::FreezeResponse } else { CmCode::OpenResponse };
        self.reply = Some((through as u8, key.peer, CmRecord { code, psn, ..wanted }));
        let at = self.world.now + self.world.random.random_range(1..20);
        self.changed = Some((at, connection(key) & 0xFFF, psn.into()));
        Ok(())
    }

    /// A record to a peer.
    fn managed(&mut self, bench: &dyn Bench) -> Result<(), SimError> {
        if !self.on(bench, "management.valid") {
            self.is_new = true;
            return Ok(());
        }
        let words = bench.get(self.ports["management.data"]).words().to_vec();
        let data = u128::from(words[0]) | u128::from(words[1]) << 64;
        let field = |low: u32, width: u32| (data >> low) as u64 & ((1 << width) - 1);
        let (peer, through, record) = (field(0, 10) as u16, field(12, 2) as u8, record_of(field(43, 48)));
        let rest = [field(10, 2), field(14, 3), field(17, 16), field(33, 10)];
        if rest != [record.vc.into(), CLASS, 0, PARTITION] {
            return Err(wrong(self.world.now, format!("{record:?} with {rest:?}")));
        }
        let is_request = matches!(record.code, CmCode::FreezeRequest | CmCode::OpenRequest);
        if self.is_new && is_request {
            self.world.request(through, peer, record)?;
        } else if self.is_new {
            let reply = self.reply.take().filter(|_| self.changed.is_none());
            if reply != Some((through, peer, record)) {
                let problem = format!("{record:?} to {peer} through {through}, expected {reply:?}");
                return Err(wrong(self.world.now, problem));
            }
        }
        self.is_new = self.on(bench, "management.ready");
        if self.is_new && is_request {
            self.world.send(through, peer, record);
        }
        Ok(())
    }

    fn orders(&mut self, bench: &dyn Bench) -> Result<(), SimError> {
        let pulses =
            ["failed_over", "peer_lost", "opened"].map(|name| self.on(bench, &format!("events.{name}")));
        let due = self.pulse.take();
        if (0..3).any(|index| pulses[index] != (due == Some(index))) {
            return Err(wrong(self.world.now, format!("events {pulses:?}, expected {due:?}")));
        }
        if let Some((_, _, pulse)) = self.answer.filter(|(at, ..)| *at == self.world.now) {
            (self.pulse, self.answer) = (pulse, None);
        }
        let Some(order) = self.taken(bench, "orders") else {
            return Ok(());
        };
        let kinds = [Order::Stop, Order::HandOver, Order::Abandon, Order::Open];
        let kind = (order & 3) as usize;
        let said = self.world.order(kinds[kind], key_of(order >> 2), (order >> 16) as u16)?;
        let at = self.world.now + self.world.random.random_range(1..20);
        self.answer = Some((at, said, kind.checked_sub(1)));
        Ok(())
    }

    fn granted(&mut self, bench: &dyn Bench) -> Result<(), SimError> {
        if let Some(route) = self.taken(bench, "routes") {
            let (peer, kind, port) = ((route & 0x3FF) as u16, route >> 10 & 3, (route >> 12) as u8);
            if kind > 1 {
                return Err(wrong(self.world.now, format!("change {kind} of the load balance")));
            }
            self.world.route(kind == 0, port, peer)?;
        }
        let now = self.world.now;
        if self.taken(bench, "failures").is_some() {
            self.world.is_idle()?;
            let key = self.failure.take().expect("it was offered");
            if self.world.is_open(key) {
                self.world.failed.insert(key, now);
            }
        }
        if self.taken(bench, "commands").is_some() {
            self.world.is_idle()?;
            let (kind, key) = self.command.take().expect("it was offered");
            let pair = (key.port, key.peer);
            match kind {
                0 if self.world.is_open(key) => {
                    self.world.failed.insert(key, now);
                }
                1 if !self.world.is_open(key) => {
                    self.world.closed.insert(key, None);
                }
                2 => {
                    self.world.known.insert(pair);
                    self.world.may_reach(pair.0, pair.1);
                }
                3 => {
                    self.world.known.remove(&pair);
                    self.world.reach_due.remove(&pair);
                    self.world.lose_due.insert(pair);
                    self.world.hit("the host takes a peer away");
                }
                _ => {}
            }
        }
        Ok(())
    }
}

impl Agent for Rig {
    fn drive(&mut self, _: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        self.world.step();
        let fails_over = self.world.fails_over.into();
        let settings = [
            ("settings.ports", 0xF),
            ("settings.fails_over", fails_over),
            ("settings.cm_rto", CM_RTO),
            ("settings.cm_tries", CM_TRIES.into()),
            ("settings.rest", REST),
            ("settings.class", CLASS),
            ("settings.partition", PARTITION),
            ("up", self.world.up),
        ];
        settings.iter().for_each(|(name, value)| self.set(bench, name, *value));
        self.wishes(bench);
        self.records(bench);
        for name in ["orders", "routes", "receiver_changes", "management"] {
            let ready = self.chance(0.5);
            self.set(bench, &format!("{name}.ready"), ready.into());
        }
        let now = self.world.now;
        let answer = self.answer.filter(|(at, ..)| *at == now);
        self.set(bench, "answered.valid", answer.is_some().into());
        let said = answer.map_or(0, |(_, [una, nxt], _)| u64::from(una) | u64::from(nxt) << 16);
        self.set(bench, "answered.data", said);
        let changed = self.changed.take_if(|(at, ..)| *at == now);
        self.set(bench, "changed.valid", changed.is_some().into());
        self.set(bench, "changed.data", changed.map_or(0, |(_, of, psn)| of | psn << 12));
        Ok(())
    }

    fn observe(&mut self, _: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        if self.on(bench, "clear") {
            self.world.clear();
            (self.failure, self.command, self.answer, self.pulse) = (None, None, None, None);
            (self.coming, self.before, self.changed, self.reply) = (None, None, None, None);
            self.came = [const { VecDeque::new() }; PORTS];
            (self.bad, self.is_new) = ([0; 2], true);
            return Ok(());
        }
        let is_failing = matches!(self.world.doing, Doing::Losing { .. } | Doing::Freezing { .. });
        let settled = !self.on(bench, "settling");
        if settled && (is_failing || self.world.has_just_fallen()) {
            return Err(wrong(self.world.now, "a connection fails over, and all is said to be settled"));
        }
        if settled {
            self.world.hit("all is settled");
        }
        self.settle_records(bench)?;
        if let Some(data) = self.taken(bench, "receiver_changes") {
            self.change(data)?;
        }
        self.managed(bench)?;
        self.orders(bench)?;
        self.granted(bench)?;
        self.world.check_due()
    }
}
