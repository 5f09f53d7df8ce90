//! What connection management has to do, by the golden rules: this end's sender and receiver, its peers, and what is allowed next.

use super::super::mac_control::wrong;
use flitforge_model::sue::failover::{Managed, Phase, Step, CM_RTO, CM_TRIES};
use flitforge_model::sue::format::CmRecord;
use flitforge_model::sue::{ConnectionKey, Endpoint, Opening, Psn, ReceiverConfig, SenderConfig};
use flitforge_protocol::sue::reliability::CmCode;
use flitforge_sim::kit::{Coverage, Rng};
use flitforge_sim::SimError;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

/// Peers of the block under test: this one is 0.
pub const PEERS: u16 = 4;
pub const PORTS: usize = 4;
/// Clocks of rest, and most that anything lives in the network.
pub const REST: u64 = 400;
pub const LIFE: u64 = 90;
/// Clocks in which what went down has to be stopped.
const PATIENCE: u64 = 40_000;
/// Clocks in which a failed connection has to be stopped, and a port told to reach a peer again.
const SOON: u64 = 300;

/// What the machine is at, as far as can be seen from outside.
#[derive(Debug, Clone)]
pub enum Doing {
    Nothing,
    /// The load balance was told; a sender will be stopped.
    Losing {
        port: u8,
        peer: u16,
    },
    /// FREEZE. The PSN that the peer has named; oldest and next PSN when the sender stopped.
    Freezing {
        key: ConnectionKey,
        managed: Managed,
        named: Option<u16>,
        window: [u16; 2],
    },
    /// OPEN. The PSNs that the peer has named.
    Opening {
        key: ConnectionKey,
        managed: Managed,
        named: BTreeSet<u16>,
    },
}

/// What a sender was told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    Stop,
    HandOver,
    Abandon,
    Open,
}

/// The golden side.
pub struct World {
    pub random: Rng,
    pub now: u64,
    pub here: Endpoint<u64>,
    pub(super) peers: Vec<Endpoint<u64>>,
    pub(super) bodies: u64,
    pub(super) delivered: BTreeSet<u64>,
    pub(super) moved: BTreeSet<u64>,
    pub up: u64,
    pub(super) past_up: VecDeque<u64>,
    pub(super) fell: [Option<u64>; PORTS],
    pub known: BTreeSet<(u8, u16)>,
    /// Closed connections, and since when; `None` if the host wants it open.
    pub closed: BTreeMap<ConnectionKey, Option<u64>>,
    pub(super) opened: BTreeMap<ConnectionKey, u64>,
    /// Connections that were reported to have failed, or that the host gave up.
    pub failed: BTreeMap<ConnectionKey, u64>,
    /// Pairs that the load balance has to be told to reach.
    pub reach_due: BTreeMap<(u8, u16), u64>,
    pub lose_due: BTreeSet<(u8, u16)>,
    pub doing: Doing,
    pub dead: [bool; PEERS as usize],
    pub fails_over: bool,
    /// Records on their way to peers, and back.
    pub(super) to_peers: Vec<(u64, u8, u16, CmRecord)>,
    pub to_here: Vec<(u64, u8, u16, CmRecord)>,
    /// Connections that an OPEN_REQ has reached since they were closed.
    pub(super) reached: BTreeSet<ConnectionKey>,
    pub(super) seen: Rc<RefCell<Coverage>>,
}

fn endpoint(number: u16) -> Endpoint<u64> {
    let sender = SenderConfig { window: 4, slots: 128, vcs: 4, ..SenderConfig::default() };
    Endpoint::new(number, sender, ReceiverConfig::default()).expect("allowed")
}

impl World {
    pub fn new(random: Rng, fails_over: bool, seen: Rc<RefCell<Coverage>>) -> Self {
        World {
            random,
            now: 0,
            here: endpoint(0),
            peers: (0..PEERS).map(endpoint).collect(),
            bodies: 0,
            delivered: BTreeSet::new(),
            moved: BTreeSet::new(),
            up: 0xF,
            past_up: VecDeque::new(),
            fell: [None; PORTS],
            known: BTreeSet::new(),
            closed: BTreeMap::new(),
            opened: BTreeMap::new(),
            failed: BTreeMap::new(),
            reach_due: BTreeMap::new(),
            lose_due: BTreeSet::new(),
            doing: Doing::Nothing,
            dead: [false; PEERS as usize],
            fails_over,
            to_peers: vec![],
            to_here: vec![],
            reached: BTreeSet::new(),
            seen,
        }
    }

    /// All of it starts anew.
    pub fn clear(&mut self) {
        if !matches!(self.doing, Doing::Nothing) {
            self.hit("a clear in a question");
        }
        let random = self.random.clone();
        let fresh = World::new(random, self.fails_over, self.seen.clone());
        let (now, up) = (self.now, self.up);
        *self = World { now, up, ..fresh };
    }

    pub fn hit(&self, name: &str) {
        self.seen.borrow_mut().hit(name);
    }

    fn wrong(&self, problem: &str) -> SimError {
        wrong(self.now, format!("{problem}, while {:?}", self.doing))
    }

    pub fn is_open(&self, key: ConnectionKey) -> bool {
        !self.closed.contains_key(&key)
    }

    /// A record of a peer has come here, and there was a place for it.
    pub fn answered(&mut self, peer: u16, record: CmRecord) {
        let psn = record.psn;
        match &mut self.doing {
            Doing::Freezing { key, named, window: [una, nxt], .. }
                if record.code == CmCode::FreezeResponse =>
            {
                let fits = psn.wrapping_sub(*una) <= nxt.wrapping_sub(*una);
                if (key.port, key.peer, key.vc) == (record.port, peer, record.vc) && fits {
                    *named = Some(psn);
                }
            }
            Doing::Opening { key, named, .. }
                if record.code == CmCode::OpenResponse
                    && (key.port, key.peer, key.vc) == (record.port, peer, record.vc) =>
            {
                named.insert(psn);
            }
            _ => {}
        }
    }

    /// The golden step, with the ports as they were when it was decided.
    fn golden(&self, managed: &Managed, key: ConnectionKey, wanted: Step) -> Option<Managed> {
        self.past_up.iter().find_map(|up| {
            let up: Vec<bool> = (0..PORTS).map(|port| up >> port & 1 == 1).collect();
            let mut after = managed.clone();
            (after.step(key, &up, REST, self.now) == wanted).then_some(after)
        })
    }

    /// The load balance is told.
    pub fn route(&mut self, reaches: bool, port: u8, peer: u16) -> Result<(), SimError> {
        if reaches {
            let all = (0..4).all(|vc| self.is_open(ConnectionKey { port, peer, vc }));
            return match self.reach_due.remove(&(port, peer)) {
                Some(_) if all => Ok(()),
                _ => Err(self.wrong("a port reaches a peer too soon")),
            };
        }
        if self.lose_due.remove(&(port, peer)) {
            return Ok(());
        }
        self.is_idle()?;
        self.doing = Doing::Losing { port, peer };
        Ok(())
    }

    /// The machine has turned to something else.
    pub fn is_idle(&mut self) -> Result<(), SimError> {
        match &self.doing {
            Doing::Nothing => {}
            // nobody has answered: after all tries, or as the port is down
            Doing::Opening { key, managed, .. } => {
                let gone =
                    self.fell[usize::from(key.port)].is_some_and(|fell| fell + CM_RTO + SOON >= managed.at);
                let over = managed.phase == Phase::Opening { tries: CM_TRIES } && self.now >= managed.at;
                if !gone && !over {
                    return Err(self.wrong("a connection is left in its middle"));
                }
            }
            _ => return Err(self.wrong("another connection is begun")),
        }
        self.doing = Doing::Nothing;
        Ok(())
    }

    /// A sender is told something: what it answers.
    pub fn order(&mut self, order: Order, key: ConnectionKey, psn: u16) -> Result<[u16; 2], SimError> {
        match order {
            Order::Stop => self.stop(key)?,
            Order::HandOver => self.hand_over(key, psn)?,
            Order::Abandon => self.abandon(key)?,
            Order::Open => self.open(key, psn)?,
        }
        let one = self.here.sender().connection(key).expect("it was touched");
        let (una, nxt) = (one.una().value(), one.nxt().value());
        if let (Order::Stop, true) = (order, una != nxt) {
            let managed = Managed::freezing(self.now);
            self.doing = Doing::Freezing { key, managed, named: None, window: [una, nxt] };
        }
        Ok([una, nxt])
    }

    fn stop(&mut self, key: ConnectionKey) -> Result<(), SimError> {
        match self.doing {
            Doing::Losing { port, peer } if (port, peer) == (key.port, key.peer) => {}
            _ => return Err(self.wrong("a sender is stopped")),
        }
        let opened = self.opened.get(&key).copied().unwrap_or(0);
        let port = usize::from(key.port);
        // a port that fell while its connection was opened counts, too
        let fell = self.past_up.iter().any(|up| up >> port & 1 == 0)
            || self.fell[port].is_some_and(|at| at + SOON >= opened);
        let told = self.failed.remove(&key).is_some();
        if !self.is_open(key) || !(told || fell && self.known.contains(&(key.port, key.peer))) {
            let known = self.known.contains(&(key.port, key.peer));
            let is_open = self.is_open(key);
            let fell = self.fell[port];
            return Err(self.wrong(&format!(
                "{key:?} is stopped without a reason: open {is_open} since {opened}, known {known}, port fell at {fell:?}"
            )));
        }
        self.hit(if told { "told to fail" } else { "fails with its port" });
        self.here.sender_mut().freeze(key);
        self.closed.insert(key, Some(self.now));
        self.reach_due.remove(&(key.port, key.peer));
        self.doing = Doing::Nothing;
        let empty = self.here.sender().connection(key).is_some_and(|one| one.outstanding() == 0);
        if empty {
            self.hit("holds nothing");
            self.here.sender_mut().abandon(key);
        }
        Ok(())
    }

    fn hand_over(&mut self, key: ConnectionKey, psn: u16) -> Result<(), SimError> {
        match self.doing {
            Doing::Freezing { key: asked, named: Some(named), .. } if asked == key && named == psn => {}
            _ => return Err(self.wrong("bodies are handed over")),
        }
        let Ok((events, bodies)) = self.here.sender_mut().freeze_response(key, Psn::new(psn)) else {
            return Err(self.wrong("the golden sender refuses to hand over"));
        };
        self.check_completed(events);
        for body in bodies {
            if self.delivered.contains(&body) {
                return Err(self.wrong("a body that was delivered goes elsewhere"));
            }
            self.moved.insert(body);
        }
        self.hit("handed over");
        self.closed.insert(key, Some(self.now));
        self.doing = Doing::Nothing;
        Ok(())
    }

    fn abandon(&mut self, key: ConnectionKey) -> Result<(), SimError> {
        let Doing::Freezing { key: asked, managed, .. } = &self.doing else {
            return Err(self.wrong("bodies are given up"));
        };
        let may = !self.fails_over || self.golden(managed, key, Step::GiveUp).is_some();
        if *asked != key || !may {
            return Err(self.wrong("bodies are given up too soon"));
        }
        self.hit(if self.fails_over { "nobody answers" } else { "no failover" });
        let events = self.here.sender_mut().abandon(key);
        self.check_completed(events);
        self.closed.insert(key, Some(self.now));
        self.doing = Doing::Nothing;
        Ok(())
    }

    fn open(&mut self, key: ConnectionKey, psn: u16) -> Result<(), SimError> {
        match &self.doing {
            Doing::Opening { key: asked, named, .. } if *asked == key && named.contains(&psn) => {}
            _ => return Err(self.wrong("a connection is opened")),
        }
        if self.here.sender_mut().open_response(key, Psn::new(psn)) != Ok(Opening::Open) {
            return Err(self.wrong("the golden sender does not open"));
        }
        self.hit("opened");
        self.closed.remove(&key);
        self.opened.insert(key, self.now);
        self.may_reach(key.port, key.peer);
        self.doing = Doing::Nothing;
        Ok(())
    }

    /// The load balance has to be told of a pair if all of it is open.
    pub fn may_reach(&mut self, port: u8, peer: u16) {
        let all = (0..4).all(|vc| self.is_open(ConnectionKey { port, peer, vc }));
        if all && self.known.contains(&(port, peer)) {
            self.reach_due.insert((port, peer), self.now);
        }
    }

    /// A request goes out.
    pub fn request(&mut self, through: u8, peer: u16, record: CmRecord) -> Result<(), SimError> {
        let key = ConnectionKey { port: record.port, peer, vc: record.vc };
        if record.code == CmCode::FreezeRequest {
            let Doing::Freezing { key: asked, managed, .. } = &self.doing else {
                return Err(self.wrong("FREEZE_REQ"));
            };
            let after = self.golden(managed, key, Step::Freeze(through));
            let (Some(after), true, 0, true) = (after, *asked == key, record.psn, self.fails_over) else {
                return Err(self.wrong(&format!("FREEZE_REQ {record:?} through {through}")));
            };
            if let Doing::Freezing { managed, .. } = &mut self.doing {
                *managed = after;
            }
            self.hit("FREEZE_REQ");
            return Ok(());
        }
        self.request_open(key, through, record)
    }

    fn request_open(&mut self, key: ConnectionKey, through: u8, record: CmRecord) -> Result<(), SimError> {
        let since = self.closed.get(&key).copied().flatten();
        let (managed, named) = match &self.doing {
            Doing::Opening { key: asked, managed, named } if *asked == key => {
                if self.now < managed.at - CM_RTO + REST {
                    (managed.clone(), named.clone())
                } else {
                    // it was given up meanwhile, and has rested since the last request
                    self.reached.remove(&key);
                    (Managed::resting(0), BTreeSet::new())
                }
            }
            Doing::Nothing | Doing::Opening { .. } => {
                self.hit("OPEN_REQ");
                self.reached.remove(&key);
                (Managed::resting(since.map_or(0, |at| at + REST)), BTreeSet::new())
            }
            _ => return Err(self.wrong("OPEN_REQ")),
        };
        let wanted = self.here.sender().open_request(key).map(Psn::value);
        let again = wanted != Ok(record.psn) && named.contains(&record.psn);
        let managed = if again { Managed::resting(0) } else { managed };
        if again {
            self.hit("asked again from where the peer wants");
            let moved = self.here.sender_mut().open_response(key, Psn::new(record.psn));
            if moved != Ok(Opening::AskAgain(Psn::new(record.psn))) {
                return Err(self.wrong("the golden sender does not move"));
            }
        } else if wanted != Ok(record.psn) {
            return Err(self.wrong(&format!("OPEN_REQ from {}, expected {wanted:?}", record.psn)));
        }
        let after = self.golden(&managed, key, Step::Open);
        let Some(after) = after.filter(|_| through == key.port) else {
            return Err(self.wrong(&format!("{record:?} to {} through {through}", key.peer)));
        };
        self.doing = Doing::Opening { key, managed: after, named };
        Ok(())
    }

    /// A port went down two clocks ago or a few more.
    pub fn has_just_fallen(&self) -> bool {
        self.fell.iter().flatten().any(|at| (at + 2..at + 50).contains(&self.now))
    }

    /// What is due and does not come.
    pub fn check_due(&self) -> Result<(), SimError> {
        let late = |since: u64| since + SOON < self.now;
        if let Some((key, _)) = self.failed.iter().find(|(_, since)| late(**since)) {
            return Err(self.wrong(&format!("{key:?} has failed and goes on")));
        }
        if let Some((pair, _)) = self.reach_due.iter().find(|(_, since)| late(**since)) {
            return Err(self.wrong(&format!("{pair:?} is open and not reached")));
        }
        for &(port, peer) in &self.known {
            let Some(fell) = self.fell[usize::from(port)] else { continue };
            for vc in 0..4 {
                let key = ConnectionKey { port, peer, vc };
                let opened = self.opened.get(&key).copied().unwrap_or(0);
                if self.is_open(key) && opened < fell && fell + PATIENCE < self.now {
                    return Err(self.wrong(&format!("{key:?} is open, and its port fell at {fell}")));
                }
            }
        }
        Ok(())
    }
}
