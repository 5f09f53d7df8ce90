//! One XPU: packer, go-back-N and the choice of ports.

use super::super::format::CmRecord;
use super::super::{
    BodyCheck, Command, ConnectionKey, Content, Endpoint, Flush, Gate, OpenAnswer, Opening, Packer,
    PackerConfig, Psn, QueueKey, ReceiverConfig, RetryLimit, Room, SenderConfig, SenderEvent, Status,
};
use super::ledger::Ledger;
use super::management::{Managed, Phase, Step};
use super::wire::{Arrival, Body, Item};
use super::{FailoverError, FailoverMode, FailoverParameters};
use flitforge_protocol::sue::reliability::CmCode;
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Commands that may wait in the packer of one XPU.
const WAITING: usize = 24;
/// Octets of a command: few, so that bodies hold several.
const COMMAND_BYTES: u32 = 64;
/// PACK_MAX.
const PACK_MAX: u32 = 320;

/// What happened at one end.
#[derive(Debug, Clone, Copy, Default)]
pub struct Tally {
    pub handed_over: u64,
    pub connections_failed: u64,
    pub peer_lost: u64,
    pub reopened: u64,
    pub records: u64,
}

pub struct End {
    number: u16,
    parameters: FailoverParameters,
    endpoint: Endpoint<Body>,
    packer: Packer,
    up: Vec<bool>,
    managed: BTreeMap<ConnectionKey, Managed>,
    /// Bodies of failed connections, which go before those of the packer.
    handed: BTreeMap<QueueKey, VecDeque<Body>>,
    /// The port that each queue uses in strict mode.
    current: BTreeMap<QueueKey, u8>,
    /// Queues without any port since PEER_LOST: their commands fail.
    lost: BTreeSet<QueueKey>,
    /// Queues that send nothing until then, so that what an unanswered port still delivers cannot come after it.
    held: BTreeMap<QueueKey, u64>,
    /// CM records to be sent, by port.
    outbox: Vec<VecDeque<(u16, CmRecord)>>,
    waiting: usize,
    tally: Tally,
    random: ChaCha8Rng,
}

impl End {
    pub fn new(
        number: u16,
        parameters: FailoverParameters,
        random: ChaCha8Rng,
    ) -> Result<Self, FailoverError> {
        let ports = usize::from(parameters.ports);
        let sender = SenderConfig {
            window: 8,
            slots: 64,
            vcs: parameters.vcs,
            rto: 60,
            backoff: 2,
            retry_limit: RetryLimit::Max(3),
            ..SenderConfig::default()
        };
        let receiver = ReceiverConfig { ack_timer: 6, ..ReceiverConfig::default() };
        let weights = vec![1; parameters.vcs.into()];
        let packer = PackerConfig { pack_max: PACK_MAX, weights, peers: parameters.xpus };
        Ok(End {
            number,
            parameters,
            endpoint: Endpoint::new(number, sender, receiver)?,
            packer: Packer::new(packer)?,
            up: vec![true; ports],
            managed: BTreeMap::new(),
            handed: BTreeMap::new(),
            current: BTreeMap::new(),
            lost: BTreeSet::new(),
            held: BTreeMap::new(),
            outbox: vec![VecDeque::new(); ports],
            waiting: 0,
            tally: Tally::default(),
            random,
        })
    }

    pub const fn number(&self) -> u16 {
        self.number
    }

    pub const fn endpoint(&self) -> &Endpoint<Body> {
        &self.endpoint
    }

    pub const fn tally(&self) -> &Tally {
        &self.tally
    }

    /// A random command, if there is room for it.
    pub fn offer(&mut self, ledger: &mut Ledger) -> Result<(), FailoverError> {
        if self.waiting >= WAITING {
            return Ok(());
        }
        let step = self.random.random_range(1..self.parameters.xpus);
        let destination = (self.number + step) % self.parameters.xpus;
        let vc = self.random.random_range(0..self.parameters.vcs);
        let id = ledger.offer((self.number, destination, vc));
        let flush = if self.random.random_bool(0.02) { Flush::Yes } else { Flush::No };
        self.packer.arrive(Command { destination, vc, partition: 1, bytes: COMMAND_BYTES, flush, id })?;
        self.waiting += 1;
        Ok(())
    }

    fn is_up(&self, port: u8) -> bool {
        self.up.get(usize::from(port)).copied().unwrap_or(false)
    }

    /// The port is down: whatever uses it fails.
    pub fn port_down(&mut self, port: u8, now: u64) {
        if let Some(up) = self.up.get_mut(usize::from(port)) {
            *up = false;
        }
        if let Some(records) = self.outbox.get_mut(usize::from(port)) {
            records.clear();
        }
        for queue in self.queues() {
            self.fail(ConnectionKey { port, peer: queue.destination, vc: queue.vc }, now);
        }
    }

    pub fn port_up(&mut self, port: u8) {
        if let Some(up) = self.up.get_mut(usize::from(port)) {
            *up = true;
        }
    }

    /// A connection that cannot be used any more: failover, or with STRICT_FO = 0 the end of what it holds.
    fn fail(&mut self, key: ConnectionKey, now: u64) {
        match self.managed.get_mut(&key) {
            None => {
                self.endpoint.sender_mut().freeze(key);
                self.managed.insert(key, Managed::freezing(now));
            }
            Some(managed) if matches!(managed.phase, Phase::Opening { .. }) => {
                *managed = Managed::resting(now + self.parameters.quiet);
            }
            Some(_) => {}
        }
    }

    fn is_usable(&self, key: ConnectionKey) -> bool {
        self.is_up(key.port) && !self.managed.contains_key(&key)
    }

    /// STRICT_MAP.
    const fn home(&self, queue: QueueKey) -> u8 {
        (queue.destination % self.parameters.ports as u16) as u8
    }

    /// The port of the next body of a queue.
    fn route(&self, queue: QueueKey) -> Option<u8> {
        let key = |port| ConnectionKey { port, peer: queue.destination, vc: queue.vc };
        let outstanding =
            |port| self.endpoint.sender().connection(key(port)).map_or(0, |one| one.outstanding());
        let ports = 0..self.parameters.ports;
        let usable = ports.clone().filter(|port| self.is_usable(key(*port)));
        let home = self.home(queue);
        match self.parameters.mode {
            FailoverMode::Unordered => usable.min_by_key(|port| outstanding(*port)),
            FailoverMode::Strict => Some(home).filter(|port| self.is_usable(key(*port))),
            FailoverMode::StrictFailover => {
                // what one port holds goes before what another one would send
                if self.is_freezing(queue) || self.held.contains_key(&queue) {
                    return None;
                }
                let current = self.current.get(&queue).copied().unwrap_or(home);
                let is_empty = ports.clone().all(|port| outstanding(port) == 0);
                if self.is_usable(key(current)) && (current == home || !is_empty) {
                    return Some(current);
                }
                let turns = ports.map(|step| (home + step) % self.parameters.ports);
                turns.into_iter().find(|port| self.is_usable(key(*port)))
            }
        }
    }

    fn queues(&self) -> impl Iterator<Item = QueueKey> + use<> {
        let (xpus, vcs, own) = (self.parameters.xpus, self.parameters.vcs, self.number);
        let others = (0..xpus).filter(move |peer| *peer != own);
        others.flat_map(move |destination| (0..vcs).map(move |vc| QueueKey { destination, vc }))
    }

    /// Timers, connection management, and bodies for the sender.
    pub fn work(&mut self, now: u64, ledger: &mut Ledger) -> Result<(), FailoverError> {
        let events = self.endpoint.expire(now);
        self.take(events, now, ledger)?;
        self.manage(now, ledger)?;
        for queue in self.queues() {
            self.resend(queue, now);
        }
        self.fail_lost(ledger)?;
        self.pack(now);
        Ok(())
    }

    fn manage(&mut self, now: u64, ledger: &mut Ledger) -> Result<(), FailoverError> {
        self.held.retain(|_, until| now < *until);
        let keys: Vec<ConnectionKey> = self.managed.keys().copied().collect();
        for key in keys {
            let Some(managed) = self.managed.get_mut(&key) else { continue };
            let gives_up = self.parameters.mode == FailoverMode::Strict
                && matches!(managed.phase, Phase::Freezing { .. });
            let step = match gives_up {
                true => Step::GiveUp,
                false => managed.step(key, &self.up, self.parameters.quiet, now),
            };
            let ConnectionKey { port, vc, .. } = key;
            match step {
                Step::Wait => {}
                Step::Freeze(through) => {
                    let record = CmRecord { code: CmCode::FreezeRequest, port, vc, psn: 0 };
                    self.post(through, key.peer, record);
                }
                Step::Open => {
                    if let Ok(psn) = self.endpoint.sender().open_request(key) {
                        let record = CmRecord { code: CmCode::OpenRequest, port, vc, psn: psn.value() };
                        self.post(port, key.peer, record);
                    }
                }
                Step::GiveUp => {
                    let events = self.endpoint.sender_mut().abandon(key);
                    self.tally.peer_lost += 1;
                    self.managed.insert(key, Managed::resting(now + self.parameters.quiet));
                    self.take(events, now, ledger)?;
                    let queue = QueueKey { destination: key.peer, vc: key.vc };
                    self.held.insert(queue, now + self.parameters.quiet);
                    if !self.has_port(queue) && !self.is_freezing(queue) {
                        self.lost.insert(queue);
                    }
                }
            }
        }
        Ok(())
    }

    /// Whether a connection to this peer can be used.
    fn has_port(&self, queue: QueueKey) -> bool {
        let key = |port| ConnectionKey { port, peer: queue.destination, vc: queue.vc };
        let mut ports = match self.parameters.mode {
            FailoverMode::Strict => self.home(queue)..self.home(queue) + 1,
            FailoverMode::Unordered | FailoverMode::StrictFailover => 0..self.parameters.ports,
        };
        ports.any(|port| self.is_usable(key(port)))
    }

    fn is_freezing(&self, queue: QueueKey) -> bool {
        let of = |port| ConnectionKey { port, peer: queue.destination, vc: queue.vc };
        (0..self.parameters.ports).any(|port| {
            let phase = self.managed.get(&of(port)).map(|managed| &managed.phase);
            matches!(phase, Some(Phase::Freezing { .. }))
        })
    }

    fn post(&mut self, port: u8, peer: u16, record: CmRecord) {
        if let Some(records) = self.outbox.get_mut(usize::from(port)) {
            records.push_back((peer, record));
            self.tally.records += 1;
        }
    }

    /// Bodies that were handed over, as far as another port takes them.
    fn resend(&mut self, queue: QueueKey, now: u64) {
        while let Some(body) = self.handed.get_mut(&queue).and_then(VecDeque::pop_front) {
            let taken = match self.route(queue) {
                Some(port) => self.accept(queue, port, body, now),
                None => Err(body),
            };
            if let Err(body) = taken {
                self.handed.entry(queue).or_default().push_front(body);
                return;
            }
        }
    }

    fn accept(&mut self, queue: QueueKey, port: u8, body: Body, now: u64) -> Result<(), Body> {
        let key = ConnectionKey { port, peer: queue.destination, vc: queue.vc };
        self.endpoint.accept(key, body, now).map_err(|refused| refused.body)?;
        self.current.insert(queue, port);
        Ok(())
    }

    /// No port is left to a peer that nobody could ask: what waits for it fails, status 1.
    fn fail_lost(&mut self, ledger: &mut Ledger) -> Result<(), FailoverError> {
        let lost: Vec<QueueKey> = self.lost.iter().copied().collect();
        for queue in lost {
            if self.has_port(queue) {
                self.lost.remove(&queue);
                continue;
            }
            for command in self.handed.remove(&queue).into_iter().flatten().flatten() {
                ledger.complete(command, Status::Failed)?;
            }
            let only =
                |other: QueueKey, _| if other == queue { Gate::Open { port: 0 } } else { Gate::NoSlot };
            while let Some(body) = self.packer.build(only) {
                self.waiting -= body.commands.len();
                body.commands.iter().try_for_each(|one| ledger.complete(one.id, Status::Failed))?;
            }
        }
        Ok(())
    }

    /// Whether a body of this queue could go out, and where. What was handed over goes first.
    fn gate(&self, queue: QueueKey, now: u64) -> Gate {
        let waits = self.handed.get(&queue).is_some_and(|bodies| !bodies.is_empty());
        let route = if waits { None } else { self.route(queue) };
        let Some(port) = route else { return Gate::NoSlot };
        let key = ConnectionKey { port, peer: queue.destination, vc: queue.vc };
        match self.endpoint.sender().may_accept(key, now) {
            Ok(()) => Gate::Open { port },
            Err(_) => Gate::NoSlot,
        }
    }

    /// One body from the packer for each port.
    fn pack(&mut self, now: u64) {
        for _ in 0..self.parameters.ports {
            let gates: BTreeMap<QueueKey, Gate> =
                self.queues().map(|queue| (queue, self.gate(queue, now))).collect();
            let gate = |queue: QueueKey, _| gates.get(&queue).copied().unwrap_or(Gate::NoSlot);
            let Some(packed) = self.packer.build(gate) else { return };
            self.waiting -= packed.commands.len();
            let body: Body = packed.commands.iter().map(|command| command.id).collect();
            if let Err(body) = self.accept(packed.queue, packed.port, body, now) {
                self.handed.entry(packed.queue).or_default().push_back(body);
            }
        }
    }

    /// What a port sends in this slot.
    pub fn transmit(&mut self, port: u8, now: u64) -> Option<(u16, Item)> {
        if !self.is_up(port) {
            return None;
        }
        if let Some((peer, record)) = self.outbox.get_mut(usize::from(port)).and_then(VecDeque::pop_front) {
            return Some((peer, Item::Record(record)));
        }
        let pdu = self.endpoint.transmit(port, now, now + 1)?;
        Some((pdu.destination, Item::Pdu(pdu)))
    }

    /// Something has come, if the port is up.
    pub fn receive(&mut self, arrival: Arrival, now: u64, ledger: &mut Ledger) -> Result<(), FailoverError> {
        if !self.is_up(arrival.port) {
            return Ok(());
        }
        match arrival.item {
            Item::Record(record) => self.manage_record(arrival.from, arrival.port, record, now, ledger),
            Item::Pdu(pdu) => {
                let flow = (pdu.source, self.number, pdu.vc);
                let content = pdu.content.clone();
                let reception = self.endpoint.receive(pdu, Room::Free, BodyCheck::Good, now);
                if let (Some(_), Content::Body(commands)) = (&reception.delivered, content) {
                    commands.into_iter().try_for_each(|command| ledger.deliver(command, flow))?;
                }
                self.take(reception.events, now, ledger)
            }
        }
    }

    fn manage_record(
        &mut self,
        peer: u16,
        through: u8,
        record: CmRecord,
        now: u64,
        ledger: &mut Ledger,
    ) -> Result<(), FailoverError> {
        let key = ConnectionKey { port: record.port, peer, vc: record.vc };
        let psn = Psn::new(record.psn);
        match record.code {
            CmCode::FreezeRequest => {
                let psn = self.endpoint.receiver_mut().freeze(key).value();
                let answer = CmRecord { code: CmCode::FreezeResponse, psn, ..record };
                self.post(through, peer, answer);
            }
            CmCode::OpenRequest => {
                let (OpenAnswer::Opened(psn) | OpenAnswer::Behind(psn)) =
                    self.endpoint.receiver_mut().open(key, psn);
                let answer = CmRecord { code: CmCode::OpenResponse, psn: psn.value(), ..record };
                self.post(through, peer, answer);
            }
            CmCode::FreezeResponse => return self.hand_over(key, psn, now, ledger),
            CmCode::OpenResponse => self.open(key, psn, now),
        }
        Ok(())
    }

    fn hand_over(
        &mut self,
        key: ConnectionKey,
        psn: Psn,
        now: u64,
        ledger: &mut Ledger,
    ) -> Result<(), FailoverError> {
        let Ok((events, bodies)) = self.endpoint.sender_mut().freeze_response(key, psn) else {
            return Ok(());
        };
        self.managed.insert(key, Managed::resting(now + self.parameters.quiet));
        self.tally.handed_over += bodies.len() as u64;
        let handed = self.handed.entry(QueueKey { destination: key.peer, vc: key.vc }).or_default();
        bodies.into_iter().rev().for_each(|body| handed.push_front(body));
        self.take(events, now, ledger)
    }

    fn open(&mut self, key: ConnectionKey, psn: Psn, now: u64) {
        let is_opening = |managed: &Managed| matches!(managed.phase, Phase::Opening { .. });
        if !self.managed.get(&key).is_some_and(is_opening) {
            return;
        }
        match self.endpoint.sender_mut().open_response(key, psn) {
            Ok(Opening::Open) => {
                self.managed.remove(&key);
                self.tally.reopened += 1;
            }
            Ok(Opening::AskAgain(_)) => {
                self.managed.insert(key, Managed { phase: Phase::Opening { tries: 0 }, at: now });
            }
            Err(_) => {}
        }
    }

    /// What the sender tells.
    fn take(
        &mut self,
        events: Vec<SenderEvent<Body>>,
        now: u64,
        ledger: &mut Ledger,
    ) -> Result<(), FailoverError> {
        for event in events {
            match event {
                SenderEvent::Completed { body, status, .. } => {
                    body.into_iter().try_for_each(|command| ledger.complete(command, status))?;
                }
                SenderEvent::ConnectionFailed { key, .. } => {
                    self.tally.connections_failed += 1;
                    self.fail(key, now);
                }
                SenderEvent::AckWild { .. }
                | SenderEvent::Stuck { .. }
                | SenderEvent::TimedOut { .. }
                | SenderEvent::GenerationSkew { .. } => {}
            }
        }
        Ok(())
    }
}
