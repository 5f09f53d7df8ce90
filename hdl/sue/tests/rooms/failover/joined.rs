//! Connection management, load balance and two whole senders together, against golden receivers: ports go down at random moments, and every body arrives once at most, with one true
//! status. Word for word in clocks, in one simulator.

use super::rig::{octets_of, record_of, record_value};
use flitforge_elaborate::drive::FromValue;
use flitforge_elaborate::Value;
use flitforge_hdl_sue::failover::SueFailover;
use flitforge_hdl_sue::frame::{BodyHead, FrameWord, PduHead};
use flitforge_hdl_sue::load_balance::{RefusedBody, SueLb};
use flitforge_hdl_sue::rel_tx::SueRelTx;
use flitforge_hdl_sue::send_table::SendResult;
use flitforge_hdl_sue::sender_core::PeerAnswer;
use flitforge_hdl_sue::slot_walker::{BodyStatus, Completion};
use flitforge_model::sue::format::{CmRecord, Pdu};
use flitforge_model::sue::{
    Acknowledgment, BodyCheck, OpenAnswer, Psn, ReceiverConfig, ReceiverConnection, Room, Verdict,
};
use flitforge_protocol::sue::reliability::{CmCode, Operation};
use flitforge_sim::kit::{rng, seed, Rng};
use flitforge_testkit::{compiled, is_full, Clocked, CompiledBlock};
use rand::Rng as _;
use rust_hdl::prelude::*;
use std::collections::{BTreeMap, VecDeque};

type Sender = SueRelTx<4, 4, 4, 5, 2, 3, 5, 6, 10, 7>;

const PORTS: usize = 2;
const PEERS: usize = 4;
/// Clocks on the way to a peer, and back, most.
const WAY: std::ops::Range<u64> = 20..100;
/// Clocks from a question to its answer.
const ANSWER: u64 = 10;

fn value<T: Into<Bits<N>>, const N: usize>(packed: T) -> Value {
    let bits: Bits<N> = packed.into();
    bits.to_value()
}

/// A body, and what became of it.
#[derive(Clone, Copy, Default, Debug)]
struct Body {
    destination: u64,
    vc: u64,
    words: u64,
    deliveries: u64,
    status: Option<u64>,
}

/// What comes to this end.
enum Coming {
    Answer { connection: u64, answer: Acknowledgment },
    Record { source: u64, record: CmRecord },
}

struct Joined {
    random: Rng,
    now: u64,
    failover: CompiledBlock,
    balance: CompiledBlock,
    senders: [CompiledBlock; PORTS],
    up: [bool; PORTS],
    bodies: Vec<Body>,
    /// Where the words that come to the balance are from: a sender, or the packer; its word.
    source: Option<Option<usize>>,
    place: u64,
    asked: [VecDeque<u64>; PORTS],
    octets: [Vec<u8>; PORTS],
    /// Frames on their way: when, through which port, what.
    to_peers: Vec<(u64, usize, Vec<u8>, PduHead)>,
    to_here: Vec<(u64, usize, Coming)>,
    answers: [VecDeque<(u64, Acknowledgment)>; PORTS],
    failures: VecDeque<u64>,
    commands: VecDeque<u64>,
    receivers: BTreeMap<(usize, u64), ReceiverConnection>,
    seen: BTreeMap<&'static str, u64>,
}

impl Joined {
    fn new() -> Self {
        let mut failover = SueFailover::<2, 4, 6>::new().expect("allowed");
        failover.connect_all();
        let mut failover = CompiledBlock::new(&compiled("joined_failover", &failover));
        let mut balance = SueLb::<2>::new().expect("allowed");
        balance.connect_all();
        let mut balance = CompiledBlock::new(&compiled("joined_balance", &balance));
        let program = compiled("joined_sender", &Sender::new().expect("allowed"));
        let mut senders = [CompiledBlock::new(&program), CompiledBlock::new(&program)];
        failover.set("settings.ports", 3).set("settings.fails_over", 1).set("settings.cm_rto", 400);
        failover.set("settings.cm_tries", 3).set("settings.rest", 600).set("receiver_changes.ready", 1);
        balance.set("unordered", 1);
        for (port, sender) in senders.iter_mut().enumerate() {
            sender.set("settings.window", 32_767).set("settings.retry_max", 3).set("settings.backoff", 1);
            sender.set("rto", 2_500).set("slot_min", 2).set("ready", 15).set("pdus.own", 0);
            sender.set("pdus.least", 34).set("pdus.port", port as u64);
            sender.set("asks.ready", 1).set("pdu.ready", 1);
        }
        let reach = |port: u64, peer: u64| 2 | peer << 4 | port << 14;
        let commands =
            (0..PORTS as u64).flat_map(|port| (1..PEERS as u64).map(move |peer| reach(port, peer)));
        let mut joined = Self {
            random: rng(seed(0x301), "joined"),
            now: 0,
            failover,
            balance,
            senders,
            up: [true; PORTS],
            bodies: vec![],
            source: None,
            place: 0,
            asked: [const { VecDeque::new() }; PORTS],
            octets: [vec![], vec![]],
            to_peers: vec![],
            to_here: vec![],
            answers: [const { VecDeque::new() }; PORTS],
            failures: VecDeque::new(),
            commands: commands.collect(),
            receivers: BTreeMap::new(),
            seen: BTreeMap::new(),
        };
        joined.up = [true; PORTS];
        joined.drive_up();
        for _ in 0..200 {
            joined.failover.clock();
            joined.balance.clock();
            joined.senders.iter_mut().for_each(|sender| sender.clock());
        }
        joined
    }

    fn hit(&mut self, name: &'static str) {
        *self.seen.entry(name).or_default() += 1;
    }

    fn drive_up(&mut self) {
        let up = u64::from(self.up[0]) | u64::from(self.up[1]) << 1;
        self.failover.set("up", up);
        self.balance.set("up", up);
    }

    fn status(&mut self, commands: u64, destination: u64, vc: u64, status: u64) {
        let same = |body: &Body| body.status.is_none() && (body.destination, body.vc) == (destination, vc);
        let number = (0..self.bodies.len()).rev().filter(|number| *number as u64 % 1024 == commands);
        let number = number.into_iter().find(|number| same(&self.bodies[*number]));
        let number = number.unwrap_or_else(|| panic!("clock {}: {commands} has no body", self.now));
        let body = &mut self.bodies[number];
        body.status = Some(status);
        let right = match status {
            0 => body.deliveries == 1,
            1 => body.deliveries == 0,
            _ => true,
        };
        assert!(right, "clock {}: body {number} {body:?} has status {status}", self.now);
        self.hit(["delivered", "failed", "flushed", "unknown"][status as usize]);
    }

    /// Bodies to the balance: those that move first.
    fn bodies(&mut self, feeds: bool) {
        if self.source.is_none() {
            let moves = (0..PORTS).find(|port| self.senders[*port].get("moved.valid") == 1);
            let waits = self.bodies.iter().rev().take(400).filter(|body| body.status.is_none()).count() < 300;
            if moves.is_some() {
                self.source = Some(moves);
            } else if feeds && waits && self.commands.is_empty() && self.random.random_bool(0.05) {
                let body = Body {
                    destination: self.random.random_range(1..PEERS as u64),
                    vc: self.random.random_range(0..4),
                    words: self.random.random_range(1..12),
                    ..Body::default()
                };
                self.bodies.push(body);
                self.source = Some(None);
            }
        }
        self.balance.set("body.valid", self.source.is_some().into());
        let (word, head, commands) = match self.source {
            None => return,
            Some(Some(port)) => {
                let sender = &mut self.senders[port];
                self.balance.set("body.valid", sender.get("moved.valid"));
                (sender.get_value("moved.data"), sender.get_value("moved_head"), sender.get("moved_commands"))
            }
            Some(None) => {
                let number = self.bodies.len() as u64 - 1;
                let body = self.bodies[number as usize];
                let head = BodyHead {
                    destination: body.destination.into(),
                    vc: body.vc.into(),
                    ..Default::default()
                };
                let last = self.place + 1 == body.words;
                let data = number << 16 | 0x0101;
                let word = FrameWord { data: data.into(), bytes: 8u64.into(), last, error: false };
                (value::<FrameWord, 70>(word), value::<BodyHead, 22>(head), number % 1024)
            }
        };
        self.balance.set_value("body.data", &word).set_value("head", &head).set("commands", commands);
        for sender in &mut self.senders {
            sender.set_value("head", &head).set("commands", commands);
        }
    }

    /// Words through the balance into senders.
    fn lead(&mut self) {
        for port in 0..PORTS {
            let able = self.senders[port].get("obtainable");
            self.balance.set(&format!("ready[{port}]"), able);
            let valid = self.balance.get(&format!("bodies[{port}].valid"));
            let data = self.balance.get_value(&format!("bodies[{port}].data"));
            self.senders[port].set("body.valid", valid).set_value("body.data", &data);
            let ready = self.senders[port].get("body.ready");
            self.balance.set(&format!("bodies[{port}].ready"), ready);
        }
        let taken = self.balance.get("body.valid") & self.balance.get("body.ready");
        let last = self.balance.get_value("body.data").bit(68);
        for port in 0..PORTS {
            let here = self.source == Some(Some(port));
            self.senders[port].set("moved.ready", u64::from(here) & self.balance.get("body.ready"));
        }
        if taken == 1 {
            self.place += 1;
            if last {
                if self.source != Some(None) {
                    self.hit("moved");
                }
                (self.source, self.place) = (None, 0);
            }
        }
    }

    /// What connection management and the others tell one another.
    fn manage(&mut self) {
        let order = self.failover.get_value("orders.data");
        let (order_valid, to) =
            (self.failover.get("orders.valid"), order.slice(14, 2).low_u64() as usize % PORTS);
        let record = self.failover.get_value("management.data");
        let (record_valid, through) =
            (self.failover.get("management.valid"), record.slice(12, 2).low_u64() as usize % PORTS);
        let mut answered = None;
        for port in 0..PORTS {
            let sender = &mut self.senders[port];
            sender.set_value("orders.data", &order).set("orders.valid", order_valid & u64::from(to == port));
            sender.set_value("management.data", &record);
            sender.set("management.valid", record_valid & u64::from(through == port));
            if sender.get("answered.valid") == 1 {
                answered = Some(sender.get_value("answered.data"));
            }
        }
        let ready = self.senders[to].get("orders.ready");
        self.failover.set("orders.ready", ready);
        let ready = self.senders[through].get("management.ready");
        self.failover.set("management.ready", ready);
        self.failover.set("answered.valid", answered.is_some().into());
        if let Some(answer) = answered {
            self.failover.set_value("answered.data", &answer);
        }
        let route = self.failover.get_value("routes.data");
        let valid = self.failover.get("routes.valid");
        self.balance.set_value("changes.data", &route).set("changes.valid", valid);
        let ready = self.balance.get("changes.ready");
        self.failover.set("routes.ready", ready);
        let settling = self.failover.get("settling");
        self.balance.set("settling", settling);
        for (name, queue) in [("failures", &mut self.failures), ("commands", &mut self.commands)] {
            self.failover.set(&format!("{name}.valid"), (!queue.is_empty()).into());
            self.failover.set(&format!("{name}.data"), queue.front().copied().unwrap_or(0));
            if !queue.is_empty() && self.failover.get(&format!("{name}.ready")) == 1 {
                queue.pop_front();
            }
        }
        for (port, hit) in [("failed_over", "failed over"), ("peer_lost", "peer lost"), ("opened", "opened")]
        {
            if self.failover.get(&format!("events.{port}")) == 1 {
                self.hit(hit);
            }
        }
    }

    /// A sender: acknowledgments in, PDUs and what it says out.
    fn serve(&mut self, port: usize) {
        let now = self.now;
        let asks = self.senders[port].get("asks.valid");
        if asks == 1 {
            self.asked[port].push_back(now + ANSWER);
        }
        let due = self.asked[port].front() == Some(&now);
        if due {
            self.asked[port].pop_front();
        }
        self.senders[port].set("acknowledgments.valid", due.into());
        let first = self.answers[port].front().copied();
        self.senders[port].set("answers.valid", first.is_some().into());
        if let Some((connection, answer)) = first {
            let (psn, nack) = match answer {
                Acknowledgment::Nack(psn) => (psn, true),
                Acknowledgment::Ack(psn) => (psn, false),
                Acknowledgment::None => unreachable!("not sent"),
            };
            let answer =
                PeerAnswer { connection: connection.into(), psn: u64::from(psn.value()).into(), nack };
            self.senders[port].set_value("answers.data", &value::<PeerAnswer, 29>(answer));
            if self.senders[port].get("answers.ready") == 1 {
                self.answers[port].pop_front();
            }
        }
        let sender = &mut self.senders[port];
        if sender.get("results.valid") == 1 {
            let bits = Bits::<{ <SendResult as Synth>::BITS }>::from_value(&sender.get_value("results.data"));
            let result: SendResult = bits.into();
            if result.fails {
                self.failures.push_back(u64::from(result.connection) | (port as u64) << 12);
            }
        }
        if sender.get("pdu.valid") == 1 {
            let word: FrameWord = Bits::<70>::from_value(&sender.get_value("pdu.data")).into();
            let head: PduHead = Bits::<30>::from_value(&sender.get_value("pdu_head")).into();
            let bytes = u64::from(word.bytes) as usize;
            self.octets[port].extend(&u64::from(word.data).to_le_bytes()[..bytes]);
            if word.last {
                let octets = std::mem::take(&mut self.octets[port]);
                if self.up[port] && self.random.random_bool(0.97) {
                    let at = now + self.random.random_range(WAY);
                    self.to_peers.push((at, port, octets, head));
                }
            }
        }
        if self.senders[port].get("completions.valid") == 1 {
            let bits = Bits::<36>::from_value(&self.senders[port].get_value("completions.data"));
            let told: Completion = bits.into();
            let status = match told.status {
                BodyStatus::Delivered => 0,
                BodyStatus::Failed => 1,
                BodyStatus::Flushed => 2,
                BodyStatus::Unknown => 3,
            };
            self.status(told.commands.into(), told.destination.into(), told.vc.into(), status);
        }
    }

    /// A frame comes to a peer.
    fn arrive(&mut self, port: usize, octets: &[u8], head: PduHead) {
        let pdu = Pdu::decode(octets).expect("a PDU");
        let (peer, vc) = (u64::from(head.destination), u64::from(head.vc));
        if pdu.header.operation == Operation::ConnectionManagement {
            let bits = pdu.body[2..8].iter().fold(0_u64, |sum, octet| sum << 8 | u64::from(*octet));
            let record = record_of(bits);
            let key = (usize::from(record.port), peer << 2 | u64::from(record.vc));
            let receiver = self.receivers.entry(key).or_insert_with(|| ReceiverConnection::new(Psn::ZERO));
            let (code, psn) = match record.code {
                CmCode::FreezeRequest => (CmCode::FreezeResponse, receiver.freeze()),
                CmCode::OpenRequest => {
                    let (OpenAnswer::Opened(psn) | OpenAnswer::Behind(psn)) =
                        receiver.open(Psn::new(record.psn));
                    (CmCode::OpenResponse, psn)
                }
                _ => return,
            };
            let record = CmRecord { code, psn: psn.value(), ..record };
            return self.reply(port, Coming::Record { source: peer, record });
        }
        let key = (port, peer << 2 | vc);
        let receiver = self.receivers.entry(key).or_insert_with(|| ReceiverConnection::new(Psn::ZERO));
        let config = ReceiverConfig { ack_coalesce: 3, ack_timer: 60, ..Default::default() };
        let psn = Psn::new(pdu.header.psn);
        if receiver.receive(&config, psn, Room::Free, BodyCheck::Good, self.now) == Verdict::Accepted {
            let number = pdu.body[2..8].iter().rev().fold(0_u64, |sum, octet| sum << 8 | u64::from(*octet));
            let body = &mut self.bodies[number as usize];
            body.deliveries += 1;
            let fits = (body.destination, body.vc) == (peer, vc) && body.deliveries == 1;
            assert!(fits, "clock {}: body {number} {body:?} arrives at {peer}, {vc}", self.now);
        }
    }

    fn reply(&mut self, port: usize, coming: Coming) {
        if self.up[port] {
            let at = self.now + self.random.random_range(WAY);
            self.to_here.push((at, port, coming));
        }
    }

    /// Peers and the network.
    fn network(&mut self) {
        let now = self.now;
        let config = ReceiverConfig { ack_coalesce: 3, ack_timer: 60, ..Default::default() };
        let all = std::mem::take(&mut self.to_peers);
        let (arrived, later): (Vec<_>, Vec<_>) = all.into_iter().partition(|one| one.0 <= now);
        self.to_peers = later;
        for (_, port, octets, head) in arrived {
            self.arrive(port, &octets, head);
        }
        let mut replies = vec![];
        for ((port, connection), receiver) in &mut self.receivers {
            if receiver.due(&config, now).is_some() {
                replies.push((
                    *port,
                    Coming::Answer { connection: *connection, answer: receiver.carry(&config) },
                ));
            }
        }
        for (port, coming) in replies {
            self.reply(port, coming);
        }
        let mut records = [const { None }; PORTS];
        let mut later = vec![];
        for (at, port, coming) in std::mem::take(&mut self.to_here) {
            match coming {
                Coming::Answer { connection, answer } if at <= now => {
                    if answer != Acknowledgment::None {
                        self.answers[port].push_back((connection, answer));
                    }
                }
                Coming::Record { source, record } if at <= now && records[port].is_none() => {
                    records[port] = Some(record_value(source, octets_of(record)));
                }
                coming => later.push((at, port, coming)),
            }
        }
        self.to_here = later;
        for (port, record) in records.into_iter().enumerate() {
            self.failover.set(&format!("records[{port}].valid"), record.is_some().into());
            if let Some(record) = record {
                self.failover.set_value(&format!("records[{port}].data"), &record);
            }
        }
        if self.balance.get("refused.valid") == 1 {
            let told: RefusedBody = Bits::<22>::from_value(&self.balance.get_value("refused.data")).into();
            self.hit("refused");
            self.status(told.commands.into(), told.destination.into(), told.vc.into(), 1);
        }
    }

    fn clock(&mut self, feeds: bool) {
        self.now += 1;
        self.network();
        self.manage();
        (0..PORTS).for_each(|port| self.serve(port));
        self.bodies(feeds);
        self.lead();
        self.failover.clock();
        self.balance.clock();
        self.senders.iter_mut().for_each(|sender| sender.clock());
    }
}

/// Ports go down at random moments, also both, also while bodies of the other one are on their way over.
#[test]
fn ports_that_die_lose_no_body() {
    let kills = if is_full() { 1_000 } else { 40 };
    let mut joined = Joined::new();
    let mut killed = 0;
    while killed < kills {
        let port = joined.random.random_range(0..PORTS);
        if !joined.up[port] || joined.random.random_bool(0.5) {
            joined.up[port] = !joined.up[port];
            killed += u64::from(!joined.up[port]);
            joined.drive_up();
        }
        for _ in 0..joined.random.random_range(50..3_000) {
            joined.clock(true);
        }
    }
    joined.up = [true; PORTS];
    joined.drive_up();
    for _ in 0..60_000 {
        joined.clock(false);
    }
    let lost: Vec<_> = joined.bodies.iter().enumerate().filter(|(_, body)| body.status.is_none()).collect();
    eprintln!("{killed} kills, {} bodies, {:?}", joined.bodies.len(), joined.seen);
    assert!(lost.is_empty(), "without a status: {lost:?}");
    for name in ["delivered", "moved", "failed over", "opened", "peer lost", "unknown", "refused"] {
        assert!(joined.seen.contains_key(name), "{name} never happened: {:?}", joined.seen);
    }
}
