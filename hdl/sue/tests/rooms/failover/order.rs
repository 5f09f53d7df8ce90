//! Order over a failover: MODE strict and STRICT_FO. What connection management may do, and in which order, watched from outside; peers, senders and receivers answer at random times.

mod peers;

use super::super::mac_control::wrong;
use super::rig::{connection, key_of, record_of};
use flitforge_model::sue::format::CmRecord;
use flitforge_model::sue::ConnectionKey;
use flitforge_protocol::sue::reliability::CmCode;
use flitforge_sim::kit::{Agent, Coverage, Rng};
use flitforge_sim::{Bench, PortHandle, SimError};
use rand::Rng as _;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

const PEERS: u16 = 4;
const PORTS: usize = 4;
const CM_RTO: u64 = 120;
const CM_TRIES: usize = 3;
const REST: u64 = 400;
/// Clocks without movement before a question, less what it takes to see them.
const STILL: u64 = 30;

/// A connection that fails over.
#[derive(Debug, Clone)]
struct Case {
    key: ConnectionKey,
    /// Oldest and next PSN, once the sender has stopped.
    window: Option<[u16; 2]>,
    /// STRICT_MAP named its port before the first one of the pair.
    was_home: bool,
    requests: Vec<u8>,
    /// Clocks in which no other port's bodies have moved, the most since the sender stopped, and now.
    still: [u64; 2],
    /// The PSN that the peer has named, and when.
    named: Option<(u64, u16)>,
}

/// A request of a peer.
#[derive(Debug, Clone, Copy)]
struct Request {
    source: u16,
    through: u8,
    record: CmRecord,
    /// When the receiver had changed it, and whether it was frozen before.
    changed: Option<(u64, bool)>,
    marked: bool,
}

pub struct Watch {
    ports: BTreeMap<String, PortHandle>,
    random: Rng,
    now: u64,
    seen: Rc<RefCell<Coverage>>,
    up: u64,
    fell: [Option<u64>; PORTS],
    up_at: [u64; PORTS],
    transit: u64,
    leads: bool,
    calm: u64,
    holds: bool,
    homes: [u8; PEERS as usize],
    home_peers: VecDeque<u16>,
    commands: VecDeque<u64>,
    failure: Option<ConnectionKey>,
    /// Pairs that the host has let reach one another.
    known: BTreeSet<(u8, u16)>,
    closed: BTreeSet<ConnectionKey>,
    opened: BTreeMap<ConnectionKey, u64>,
    next: BTreeMap<ConnectionKey, u16>,
    case: Option<Case>,
    /// The pair whose virtual channels follow one another, and whether it was at home.
    pair: Option<(u8, u16, bool)>,
    answer: Option<(u64, [u16; 2])>,
    coming: VecDeque<(u64, u8, u16, CmRecord)>,
    heard: Option<(u16, CmRecord)>,
    /// A peer's request, its answer.
    request: Option<Request>,
    asks_at: u64,
    changed: Option<(u64, u64)>,
    frozen: BTreeSet<ConnectionKey>,
    passed: [u64; PORTS],
    passes_at: u64,
    /// The receiver has had all since.
    given_at: Option<u64>,
    is_new: bool,
}

impl Watch {
    pub fn new(bench: &dyn Bench, random: Rng, seen: Rc<RefCell<Coverage>>) -> Result<Self, SimError> {
        let mut names: Vec<String> =
            ["clear", "up", "settling", "held", "in_transit", "leads", "home_peer", "home"]
                .map(String::from)
                .to_vec();
        for name in ["ports", "fails_over", "keeps_order", "cm_rto", "cm_tries", "rest"] {
            names.push(format!("settings.{name}"));
        }
        names.extend(["events.failed_over", "marks.valid", "marks.data"].map(String::from));
        for name in ["failures", "commands", "orders", "routes", "receiver_changes", "management"] {
            names.extend(["valid", "ready", "data"].map(|part| format!("{name}.{part}")));
        }
        let records = (0..PORTS).map(|port| format!("records[{port}]"));
        for name in ["answered".to_string(), "changed".to_string()].into_iter().chain(records) {
            names.extend(["valid", "data"].map(|part| format!("{name}.{part}")));
        }
        names.extend((0..PORTS).map(|port| format!("passed[{port}]")));
        let ports: Result<_, SimError> =
            names.into_iter().map(|name| bench.port(&name).map(|port| (name, port))).collect();
        let mut watch = Self {
            ports: ports?,
            random,
            now: 0,
            seen,
            up: 0xF,
            fell: [None; PORTS],
            up_at: [0; PORTS],
            transit: 0,
            leads: false,
            calm: 0,
            holds: false,
            homes: [0, 1, 2, 3],
            home_peers: VecDeque::from(vec![0; 3]),
            commands: VecDeque::new(),
            failure: None,
            known: BTreeSet::new(),
            closed: BTreeSet::new(),
            opened: BTreeMap::new(),
            next: BTreeMap::new(),
            case: None,
            pair: None,
            answer: None,
            coming: VecDeque::new(),
            heard: None,
            request: None,
            asks_at: 0,
            changed: None,
            frozen: BTreeSet::new(),
            passed: [0xF; PORTS],
            passes_at: 0,
            given_at: None,
            is_new: true,
        };
        watch.begin();
        Ok(watch)
    }

    /// All of it starts anew: the host lets all ports reach all peers.
    fn begin(&mut self) {
        (self.known, self.closed, self.opened, self.next, self.frozen) = Default::default();
        (self.case, self.pair, self.answer, self.heard, self.request) = (None, None, None, None, None);
        (self.failure, self.changed, self.given_at, self.is_new) = (None, None, None, true);
        (self.holds, self.calm, self.homes, self.fell) = (false, 0, [0, 1, 2, 3], [None; PORTS]);
        self.coming.clear();
        self.passed = [0xF; PORTS];
        self.asks_at = self.now + 500;
        let pairs = (0..PORTS as u8).flat_map(|port| (1..PEERS).map(move |peer| (port, peer)));
        let reach = |(port, peer)| 2 | connection(ConnectionKey { port, peer, vc: 0 }) << 2;
        self.commands = pairs.map(reach).collect();
    }

    fn hit(&self, name: &str) {
        self.seen.borrow_mut().hit(name);
    }

    fn wrong(&self, problem: &str) -> SimError {
        wrong(self.now, format!("{problem}: {:?}, pair {:?}, homes {:?}", self.case, self.pair, self.homes))
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

    fn any_key(&mut self) -> ConnectionKey {
        let random = &mut self.random;
        let (port, peer) = (random.random_range(0..PORTS as u8), random.random_range(1..PEERS));
        ConnectionKey { port, peer, vc: random.random_range(0..4) }
    }

    fn reaches(&self, port: u8, peer: u16) -> bool {
        let is_open = |vc| !self.closed.contains(&ConnectionKey { port, peer, vc });
        self.known.contains(&(port, peer)) && (0..4).all(is_open)
    }

    /// The port fell, and it may not have been dealt with for this peer.
    fn is_doubtful(&self, port: u8, peer: u16) -> bool {
        let of = |vc| self.opened.get(&ConnectionKey { port, peer, vc }).copied().unwrap_or(0);
        let opened = (0..4).map(of).max().unwrap_or(0);
        self.fell[usize::from(port)].is_some_and(|at| at + 400 >= opened)
    }

    /// What changes at random.
    fn change_inputs(&mut self) {
        for port in 0..PORTS {
            let down = self.up >> port & 1 == 0;
            if self.random.random_bool(if down { 0.000_8 } else { 0.000_12 }) {
                self.up ^= 1 << port;
                if !down {
                    self.fell[port] = Some(self.now);
                }
            }
            if self.up >> port & 1 == 1 {
                self.up_at[port] = self.now;
            }
            let moving = self.transit >> port & 1 == 1;
            if self.random.random_bool(if moving { 0.02 } else { 0.001 }) {
                self.transit ^= 1 << port;
            }
        }
        if let Some(case) = &mut self.case {
            let moves = self.transit & !(1 << case.key.port) != 0;
            let now = if moves { 0 } else { case.still[1] + 1 };
            case.still = [case.still[0].max(now), now];
        }
        self.leads = if self.leads { self.random.random_bool(0.95) } else { self.random.random_bool(0.002) };
        if self.failure.is_none() && self.random.random_bool(0.000_8) {
            self.failure = Some(self.any_key());
        }
        if self.commands.is_empty() && self.random.random_bool(0.000_1) {
            let key = self.any_key();
            self.commands.push_back(connection(key) << 2);
        }
        if self.passes_at == self.now {
            self.passed = [0xF; PORTS];
        }
    }

    fn routes(&mut self, data: u64) -> Result<(), SimError> {
        let (peer, kind, port) = ((data & 0x3FF) as u16, data >> 10 & 3, (data >> 12) as u8);
        match (kind, &self.case, self.pair) {
            (0, None, None) if self.reaches(port, peer) => Ok(()),
            (1, None, pair) if pair.is_none_or(|(own, of, _)| (own, of) == (port, peer)) => Ok(()),
            (2, Some(case), _) => {
                let right = case.was_home && self.homes[usize::from(peer)] == case.key.port;
                let fits =
                    case.key.peer == peer && case.named.is_some() && case.requests.last() == Some(&port);
                if !right || !fits {
                    return Err(self.wrong(&format!("STRICT_MAP of {peer} becomes {port}")));
                }
                self.hit("STRICT_MAP changes");
                self.homes[usize::from(peer)] = port;
                Ok(())
            }
            _ => Err(self.wrong(&format!("change {kind} of the load balance for {port}, {peer}"))),
        }
    }

    /// What a sender is told.
    fn order(&mut self, data: u64) -> Result<(), SimError> {
        let (kind, key, psn) = (data & 3, key_of(data >> 2), (data >> 16) as u16);
        let next = self.next.get(&key).copied().unwrap_or(0);
        let said = match kind {
            0 => self.stop(key, next)?,
            1 => {
                let case = self.case.take();
                let named = case.as_ref().and_then(|case| case.named).map(|(_, psn)| psn);
                let at_home = self.homes[usize::from(key.peer)] == key.port;
                let right = case.as_ref().is_some_and(|case| case.key == key) && named == Some(psn);
                if !right || at_home {
                    self.case = case;
                    return Err(self.wrong(&format!("{key:?} is handed over from {psn}")));
                }
                self.hit("handed over");
                self.end_case(key);
                [next; 2]
            }
            2 => {
                self.abandon(key)?;
                [next; 2]
            }
            _ => {
                if self.case.is_some() || self.pair.is_some() {
                    return Err(self.wrong(&format!("{key:?} is opened")));
                }
                self.closed.remove(&key);
                self.opened.insert(key, self.now);
                self.next.insert(key, psn);
                self.hit("opened");
                [psn; 2]
            }
        };
        self.answer = Some((self.now + self.random.random_range(1..30), said));
        Ok(())
    }

    fn stop(&mut self, key: ConnectionKey, next: u16) -> Result<[u16; 2], SimError> {
        let follows = self.pair.is_some_and(|(port, peer, _)| (port, peer) == (key.port, key.peer));
        if self.case.is_some() || self.closed.contains(&key) || self.pair.is_some() && !follows {
            return Err(self.wrong(&format!("{key:?} is stopped")));
        }
        let at_home = self.homes[usize::from(key.peer)] == key.port;
        let was_home = self.pair.map_or(at_home, |(.., was_home)| was_home);
        self.pair = Some((key.port, key.peer, was_home));
        if follows {
            self.hit("another virtual channel follows");
        }
        self.closed.insert(key);
        let holds = if self.random.random_bool(0.5) { self.random.random_range(1..5) } else { 0 };
        let after = next.wrapping_add(holds);
        self.next.insert(key, after);
        let window = Some([next, after]);
        if holds == 0 && !was_home {
            self.hit("not at home, and holds nothing");
            self.end_case(key);
        } else {
            let (requests, named) = (vec![], None);
            let still = [0; 2];
            self.case = Some(Case { key, window, was_home, requests, still, named });
        }
        Ok([next, after])
    }

    /// One connection is dealt with; another one of the pair follows, if it is open.
    fn end_case(&mut self, key: ConnectionKey) {
        self.case = None;
        let more = (0..4).any(|vc| !self.closed.contains(&ConnectionKey { vc, ..key }));
        if !more {
            self.pair = None;
        }
    }

    /// Ports that may carry what the connection holds.
    fn targets(&self, case: &Case) -> Vec<u8> {
        let home = self.homes[usize::from(case.key.peer)];
        let away = home != case.key.port;
        let may = |port: &u8| *port != case.key.port && (!away || *port == home);
        (0..PORTS as u8).filter(may).collect()
    }

    fn abandon(&mut self, key: ConnectionKey) -> Result<(), SimError> {
        let Some(case) = self.case.clone().filter(|case| case.key == key) else {
            return Err(self.wrong(&format!("{key:?} is given up")));
        };
        let is_out = |port: &u8| {
            let tries = case.requests.iter().filter(|through| *through == port).count();
            let was_down = self.up >> port & 1 == 0 || self.is_doubtful(*port, key.peer);
            was_down || !self.reaches(*port, key.peer) || tries >= CM_TRIES
        };
        let was_named = case.named.is_some_and(|(at, _)| at + 40 < self.now);
        if was_named || !self.targets(&case).iter().all(is_out) {
            return Err(self.wrong(&format!("{key:?} is given up too soon")));
        }
        self.hit("nobody answers");
        self.end_case(key);
        Ok(())
    }

    /// A record goes to a peer.
    fn managed(&mut self, bench: &dyn Bench) -> Result<(), SimError> {
        if !self.on(bench, "management.valid") {
            self.is_new = true;
            return Ok(());
        }
        let words = bench.get(self.ports["management.data"]).words().to_vec();
        let data = u128::from(words[0]) | u128::from(words[1]) << 64;
        let field = |low: u32, width: u32| (data >> low) as u64 & ((1 << width) - 1);
        let (peer, through, record) = (field(0, 10) as u16, field(12, 2) as u8, record_of(field(43, 48)));
        if self.is_new {
            match record.code {
                CmCode::FreezeRequest => self.freeze(peer, through, record)?,
                CmCode::OpenRequest if self.case.is_none() && self.pair.is_none() => {}
                CmCode::FreezeResponse | CmCode::OpenResponse => self.reply(peer, through, record)?,
                _ => return Err(self.wrong(&format!("{record:?}"))),
            }
        }
        self.is_new = self.on(bench, "management.ready");
        let answers = self.up >> through & 1 == 1 && self.random.random_bool(0.75);
        let at = self.now + self.random.random_range(10..80);
        if self.is_new && answers {
            let psn = match (record.code, &self.case) {
                (CmCode::FreezeRequest, Some(Case { window: Some([first, after]), .. })) => {
                    first.wrapping_add(self.random.random_range(0..=after.wrapping_sub(*first)))
                }
                _ => record.psn,
            };
            let code = match record.code {
                CmCode::FreezeRequest => CmCode::FreezeResponse,
                CmCode::OpenRequest => CmCode::OpenResponse,
                _ => return Ok(()),
            };
            self.coming.push_back((at, through, peer, CmRecord { code, psn, ..record }));
        }
        Ok(())
    }

    /// FREEZE_REQ: only through a port that carries the bodies afterwards, and while no other bodies move.
    fn freeze(&mut self, peer: u16, through: u8, record: CmRecord) -> Result<(), SimError> {
        let problem = format!("FREEZE_REQ through {through}");
        let Some(case) = self.case.clone() else {
            return Err(self.wrong(&problem));
        };
        let key = ConnectionKey { port: record.port, peer, vc: record.vc };
        let was_up = self.up_at[usize::from(through)] + 16 >= self.now;
        if key != case.key
            || !self.targets(&case).contains(&through)
            || !was_up
            || !self.reaches(through, peer)
        {
            return Err(self.wrong(&problem));
        }
        if case.requests.is_empty() && case.still[0] < STILL {
            return Err(self.wrong("FREEZE_REQ while bodies of other ports move"));
        }
        if case.window.is_some_and(|[first, after]| first == after) {
            self.hit("an empty connection is asked for");
        }
        if let Some(case) = &mut self.case {
            case.requests.push(through);
        }
        Ok(())
    }
}

impl Agent for Watch {
    fn drive(&mut self, _: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        self.now += 1;
        self.change_inputs();
        self.ask();
        self.records(bench);
        let home = self.homes[usize::from(self.home_peers[0])];
        let fixed = [
            ("settings.ports", 0xF),
            ("settings.fails_over", 1),
            ("settings.keeps_order", 1),
            ("settings.cm_rto", CM_RTO),
            ("settings.cm_tries", CM_TRIES as u64),
            ("settings.rest", REST),
            ("up", self.up),
            ("in_transit", self.transit),
            ("leads", self.leads.into()),
            ("home", home.into()),
            ("failures.valid", self.failure.is_some().into()),
            ("failures.data", self.failure.map_or(0, connection)),
            ("commands.valid", (!self.commands.is_empty()).into()),
            ("commands.data", self.commands.front().copied().unwrap_or(0)),
        ];
        fixed.iter().for_each(|(name, value)| self.set(bench, name, *value));
        for name in ["orders", "routes", "receiver_changes", "management"] {
            let ready = self.random.random_bool(0.5);
            self.set(bench, &format!("{name}.ready"), ready.into());
        }
        for port in 0..PORTS {
            self.set(bench, &format!("passed[{port}]"), self.passed[port]);
        }
        let now = self.now;
        let answer = self.answer.take_if(|(at, _)| *at <= now);
        self.set(bench, "answered.valid", answer.is_some().into());
        let said = answer.map_or(0, |(_, [una, nxt])| u64::from(una) | u64::from(nxt) << 16);
        self.set(bench, "answered.data", said);
        let changed = self.changed.take_if(|(at, _)| *at <= now);
        self.set(bench, "changed.valid", changed.is_some().into());
        self.set(bench, "changed.data", changed.map_or(0, |(_, data)| data));
        Ok(())
    }

    fn observe(&mut self, _: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        self.home_peers.pop_front();
        self.home_peers.push_back(bench.get_u64(self.ports["home_peer"]) as u16);
        if self.on(bench, "clear") {
            self.begin();
            return Ok(());
        }
        self.hear();
        self.receive(bench)?;
        self.managed(bench)?;
        if let Some(data) = self.taken(bench, "routes") {
            self.routes(data)?;
        }
        if let Some(data) = self.taken(bench, "orders") {
            self.order(data)?;
        }
        if self.taken(bench, "failures").is_some() {
            self.failure = None;
        }
        if self.taken(bench, "commands").is_some() {
            let command = self.commands.pop_front().expect("it was offered");
            let key = key_of(command >> 2);
            if command & 3 == 2 {
                self.known.insert((key.port, key.peer));
            }
        }
        self.hold(bench)
    }
}
