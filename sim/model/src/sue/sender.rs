//! `sue_rel_tx`: the go-back-N sender of all connections (chapter 50, 4.5).

use super::config::{ConfigError, SenderConfig};
use super::connection::{
    AckVerdict, ConnectionState, Expiry, HandedOver, Patience, Progress, SenderConnection, Slot,
};
use super::pdu::{Acknowledgment, ConnectionKey, Counters, Status};
use super::sequence::Psn;
use super::slots::SlotPool;
use std::collections::{BTreeMap, BTreeSet};
use thiserror::Error;

/// What happens at the sender.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SenderEvent<B, const BITS: u32 = 16> {
    /// `cpl`: what became of a body, in PSN order.
    Completed {
        /// The connection.
        key: ConnectionKey,
        /// PSN of the PDU.
        psn: Psn<BITS>,
        /// Its body.
        body: B,
        /// What became of it.
        status: Status,
    },
    /// ACK_WILD: an acknowledgment of what was never sent was ignored.
    AckWild {
        /// The connection.
        key: ConnectionKey,
    },
    /// STUCK: the PDU `una` was refused NACK_MAX times.
    Stuck {
        /// The connection.
        key: ConnectionKey,
        /// The PDU.
        una: Psn<BITS>,
    },
    /// CONN_FAIL: the peer has been silent for RETRY_MAX replays, or STUCK with STUCK_FAIL.
    ConnectionFailed {
        /// The connection.
        key: ConnectionKey,
        /// The oldest PDU that it holds.
        una: Psn<BITS>,
    },
    /// The timer ran out: everything from `una` on is sent again.
    TimedOut {
        /// The connection.
        key: ConnectionKey,
        /// Timer expiries since the peer gave a sign of life, this one included.
        retry: u8,
    },
    /// GEN_SKEW: the same, but the peer is of another generation, and the expiry does not count.
    GenerationSkew {
        /// The connection.
        key: ConnectionKey,
    },
}

/// Why a body is not taken. [`Sender::accept`] gives it back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Error)]
pub enum Refusal {
    /// nxt - una = WIN.
    #[error("the window of the connection is closed")]
    WindowClosed,
    /// No replay slot for this VC.
    #[error("no replay slot is free for this virtual channel")]
    NoSlot,
    /// The connection is not open.
    #[error("the connection is not open")]
    NotOpen,
    /// There is no such VC.
    #[error("there is no such virtual channel")]
    UnknownVc,
}

/// A body that was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Refused<B> {
    /// Why.
    pub reason: Refusal,
    /// The body.
    pub body: B,
}

/// A body to be sent, with its PSN.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Turn<B, const BITS: u32 = 16> {
    /// Its PSN.
    pub psn: Psn<BITS>,
    /// The body.
    pub body: B,
    /// Whether it had been sent before: then this is a replay.
    pub before: Progress,
}

/// Why an answer to FREEZE_REQ or OPEN_REQ is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Error)]
pub enum FailoverError {
    /// The connection is not in the state that asks.
    #[error("the connection did not ask")]
    NotAsked,
    /// The PSN of FREEZE_RSP is outside una..nxt.
    #[error("the peer names a PSN outside the window")]
    OutsideWindow,
}

/// What OPEN_RSP leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Opening<const BITS: u32 = 16> {
    /// The connection is open.
    Open,
    /// The peer expects a later PSN: this end has moved there and must ask again with it.
    AskAgain(Psn<BITS>),
}

/// The sender.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sender<B, const BITS: u32 = 16> {
    config: SenderConfig,
    pool: SlotPool,
    connections: BTreeMap<ConnectionKey, SenderConnection<B, BITS>>,
    /// Connections that have something to send, so that not all have to be looked at.
    ready: BTreeSet<ConnectionKey>,
    /// The connection that sent last, for each {port, VC}: the turn is the next one's.
    last: BTreeMap<(u8, u8), ConnectionKey>,
    /// Peers of which it is known that they are ahead.
    newer: BTreeSet<u16>,
    /// {port, peer} of which a frame of another generation came since the last progress.
    skewed: BTreeSet<(u8, u16)>,
    counters: Counters,
}

impl<B: Clone, const BITS: u32> Sender<B, BITS> {
    /// A sender without traffic, all connections open at PSN 0.
    pub fn new(config: SenderConfig) -> Result<Self, ConfigError> {
        config.check(Psn::<BITS>::WINDOW_MAX)?;
        Ok(Sender {
            config,
            pool: SlotPool::new(&config),
            connections: BTreeMap::new(),
            ready: BTreeSet::new(),
            last: BTreeMap::new(),
            newer: BTreeSet::new(),
            skewed: BTreeSet::new(),
            counters: Counters::default(),
        })
    }

    /// Its settings.
    #[must_use]
    pub const fn config(&self) -> &SenderConfig {
        &self.config
    }

    /// Its counters.
    #[must_use]
    pub const fn counters(&self) -> &Counters {
        &self.counters
    }

    /// The state of a connection, if it ever had traffic.
    #[must_use]
    pub fn connection(&self, key: ConnectionKey) -> Option<&SenderConnection<B, BITS>> {
        self.connections.get(&key)
    }

    /// Replay slots that a VC uses at time `now`.
    #[must_use]
    pub fn slots_used(&self, vc: u8, now: u64) -> usize {
        self.pool.used(vc, now)
    }

    fn connection_mut(&mut self, key: ConnectionKey) -> &mut SenderConnection<B, BITS> {
        self.connections.entry(key).or_insert_with(|| SenderConnection::new(Psn::ZERO))
    }

    /// After every change of a connection.
    fn note(&mut self, key: ConnectionKey) {
        if self.connections.get(&key).is_some_and(|connection| connection.ready().is_some()) {
            self.ready.insert(key);
        } else {
            self.ready.remove(&key);
        }
    }

    /// Whether a new body would be taken, as the packer asks before it builds one.
    pub fn may_accept(&self, key: ConnectionKey, now: u64) -> Result<(), Refusal> {
        if key.vc >= self.config.vcs {
            return Err(Refusal::UnknownVc);
        }
        let connection = self.connections.get(&key);
        if connection.is_some_and(|connection| connection.state() != ConnectionState::Open) {
            return Err(Refusal::NotOpen);
        }
        if connection.is_some_and(|connection| !connection.has_window(&self.config)) {
            return Err(Refusal::WindowClosed);
        }
        if !self.pool.has_slot(key.vc, now) {
            return Err(Refusal::NoSlot);
        }
        Ok(())
    }

    /// Row "new body": its PSN, or the body back.
    pub fn accept(&mut self, key: ConnectionKey, body: B, now: u64) -> Result<Psn<BITS>, Refused<B>> {
        if let Err(reason) = self.may_accept(key, now) {
            return Err(Refused { reason, body });
        }
        self.pool.take(key.vc, now);
        let psn = self.connection_mut(key).push(body, now);
        self.note(key);
        Ok(psn)
    }

    /// The connection of {port, VC} whose turn it is: replays before new bodies, peers in rotation.
    #[must_use]
    pub fn next_turn(&self, port: u8, vc: u8) -> Option<ConnectionKey> {
        let last = self.last.get(&(port, vc)).map_or(0, |key| key.peer);
        let ready = |progress| {
            let keys = self.ready.iter().copied().filter(|key| key.port == port && key.vc == vc);
            let keys = keys.filter(|key| {
                self.connections.get(key).is_some_and(|connection| connection.ready() == Some(progress))
            });
            // after the last one, and round
            keys.min_by_key(|key| (key.peer <= last, key.peer))
        };
        ready(Progress::Sent).or_else(|| ready(Progress::Waiting))
    }

    /// Row "send turn" of a connection. The frame has left at time `leaves`, clocks.
    pub fn send(&mut self, key: ConnectionKey, leaves: u64) -> Option<Turn<B, BITS>> {
        let (psn, body, before) = self.connections.get_mut(&key)?.send(leaves)?;
        let turn = Turn { psn, body: body.clone(), before };
        match before {
            Progress::Waiting => self.counters.body_tx += 1,
            Progress::Sent => self.counters.replay += 1,
        }
        self.last.insert((key.port, key.vc), key);
        self.note(key);
        Some(turn)
    }

    /// Rows "ACK" and "NACK": what a PDU from the peer of `key` acknowledges, whatever becomes of its body.
    pub fn acknowledge(
        &mut self,
        key: ConnectionKey,
        acknowledgment: Acknowledgment<BITS>,
        now: u64,
    ) -> Vec<SenderEvent<B, BITS>> {
        self.counters.count_received(acknowledgment);
        let config = self.config;
        let outcome = self.connection_mut(key).acknowledge(&config, acknowledgment, now);
        let una = self.connection_mut(key).una();
        self.note(key);
        if !outcome.freed.is_empty() {
            self.skewed.remove(&(key.port, key.peer));
        }
        let mut events = self.complete(key, outcome.freed, |_| Status::Delivered);
        match outcome.verdict {
            AckVerdict::Stale => self.counters.ack_stale += 1,
            AckVerdict::Wild => {
                self.counters.ack_wild += 1;
                events.push(SenderEvent::AckWild { key });
            }
            AckVerdict::None | AckVerdict::Valid => {}
        }
        if outcome.patience != Patience::Left {
            events.push(SenderEvent::Stuck { key, una });
        }
        if outcome.patience == Patience::Failed {
            events.push(SenderEvent::ConnectionFailed { key, una });
        }
        events
    }

    fn complete(
        &mut self,
        key: ConnectionKey,
        freed: Vec<(Psn<BITS>, Slot<B>)>,
        status: impl Fn(Progress) -> Status,
    ) -> Vec<SenderEvent<B, BITS>> {
        let pool = &mut self.pool;
        let complete = |(psn, slot): (Psn<BITS>, Slot<B>)| {
            pool.free(key.vc, slot.leaves);
            SenderEvent::Completed { key, psn, body: slot.body, status: status(slot.progress) }
        };
        freed.into_iter().map(complete).collect()
    }

    /// Rows "timer" and "retry > RETRY_MAX", for every connection.
    pub fn expire(&mut self, now: u64) -> Vec<SenderEvent<B, BITS>> {
        let (mut events, mut changed) = (Vec::new(), Vec::new());
        for (&key, connection) in &mut self.connections {
            let is_skewed = self.newer.contains(&key.peer) || self.skewed.contains(&(key.port, key.peer));
            let expiry = if is_skewed {
                connection.expire_uncounted(&self.config, now)
            } else {
                connection.expire(&self.config, now)
            };
            match expiry {
                Expiry::NotYet => continue,
                Expiry::Replay if is_skewed => events.push(SenderEvent::GenerationSkew { key }),
                Expiry::Replay => events.push(SenderEvent::TimedOut { key, retry: connection.retry() }),
                Expiry::Failed => {
                    events.push(SenderEvent::ConnectionFailed { key, una: connection.una() });
                }
            }
            self.counters.rto_cnt += 1;
            changed.push(key);
        }
        changed.into_iter().for_each(|key| self.note(key));
        events
    }

    /// `peer_newer` of chapter 40: it is known that the peer is of a later generation, or not any more.
    pub fn set_peer_newer(&mut self, peer: u16, is_newer: bool) {
        if is_newer {
            self.newer.insert(peer);
        } else {
            self.newer.remove(&peer);
        }
    }

    /// GEN_DROP: a frame of the peer was of another generation. No connection is touched; expiries do not count until the next progress.
    pub fn generation_dropped(&mut self, port: u8, peer: u16) {
        self.skewed.insert((port, peer));
    }

    /// When the next timer runs out, clocks.
    #[must_use]
    pub fn next_expiry(&self) -> Option<u64> {
        self.connections.values().filter_map(|connection| connection.deadline(&self.config)).min()
    }

    /// Failover: nothing more is sent on this connection; the caller sends FREEZE_REQ (4.4 rule 4).
    pub fn freeze(&mut self, key: ConnectionKey) {
        self.connection_mut(key).freeze();
        self.note(key);
    }

    /// FREEZE_RSP(psn): completes what was delivered and gives back, in order, what stays undelivered.
    pub fn freeze_response(
        &mut self,
        key: ConnectionKey,
        psn: Psn<BITS>,
    ) -> Result<(Vec<SenderEvent<B, BITS>>, Vec<B>), FailoverError> {
        let connection = self.connection_mut(key);
        if connection.state() != ConnectionState::Frozen {
            return Err(FailoverError::NotAsked);
        }
        let Some(HandedOver { delivered, undelivered }) = connection.freeze_response(psn) else {
            return Err(FailoverError::OutsideWindow);
        };
        self.note(key);
        self.counters.failover += 1;
        let events = self.complete(key, delivered, |_| Status::Delivered);
        undelivered.iter().for_each(|(_, slot)| self.pool.free(key.vc, slot.leaves));
        Ok((events, undelivered.into_iter().map(|(_, slot)| slot.body).collect()))
    }

    /// No answer to FREEZE_REQ on any port: status 3 for what was sent, 1 for the rest (4.4 rule 4).
    pub fn abandon(&mut self, key: ConnectionKey) -> Vec<SenderEvent<B, BITS>> {
        let held = self.connection_mut(key).close();
        self.note(key);
        self.complete(key, held, |progress| match progress {
            Progress::Sent => Status::Unknown,
            Progress::Waiting => Status::Failed,
        })
    }

    /// The PSN of OPEN_REQ: `nxt`. Only a closed connection is opened.
    pub fn open_request(&self, key: ConnectionKey) -> Result<Psn<BITS>, FailoverError> {
        self.closed(key).map(SenderConnection::nxt)
    }

    fn closed(&self, key: ConnectionKey) -> Result<&SenderConnection<B, BITS>, FailoverError> {
        let connection = self.connections.get(&key).ok_or(FailoverError::NotAsked)?;
        match connection.state() {
            ConnectionState::Closed => Ok(connection),
            _ => Err(FailoverError::NotAsked),
        }
    }

    /// OPEN_RSP(psn): the connection may be used if the peer expects its `nxt`.
    pub fn open_response(
        &mut self,
        key: ConnectionKey,
        psn: Psn<BITS>,
    ) -> Result<Opening<BITS>, FailoverError> {
        let asked = self.closed(key)?.nxt();
        if psn == asked {
            self.connection_mut(key).restart(psn, ConnectionState::Open);
            self.note(key);
            return Ok(Opening::Open);
        }
        self.connection_mut(key).restart(psn, ConnectionState::Closed);
        self.note(key);
        Ok(Opening::AskAgain(psn))
    }

    /// `clear` or `conn_clr`: every body is flushed (status 2), every connection starts at PSN 0 (4.8).
    pub fn clear(&mut self) -> Vec<SenderEvent<B, BITS>> {
        let mut events = Vec::new();
        for (key, mut connection) in std::mem::take(&mut self.connections) {
            events.extend(self.complete(key, connection.close(), |_| Status::Flushed));
        }
        self.pool.clear();
        self.ready.clear();
        events
    }

    /// Closes a connection that holds nothing, so that it has to be opened before use, and sets its `nxt`: a port that
    /// returns (4.4 rule 5), or an end that starts anew.
    pub fn reconnect(&mut self, key: ConnectionKey, psn: Psn<BITS>) -> Vec<SenderEvent<B, BITS>> {
        let events = self.abandon(key);
        self.connection_mut(key).restart(psn, ConnectionState::Closed);
        self.note(key);
        events
    }
}
