//! `sue_rel_rx`: the go-back-N receiver (chapter 50, 4.6).

use super::config::{ConfigError, Mutation, ReceiverConfig, Renack};
use super::pdu::{Acknowledgment, ConnectionKey, Counters};
use super::sequence::{Position, Psn};
use std::collections::{BTreeMap, BTreeSet};

/// Whether the RX buffer can take the body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Room {
    /// It can.
    Free,
    /// It cannot.
    Full,
}

/// What the checks of a body after its PSN find.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BodyCheck {
    /// Nothing wrong.
    Good,
    /// The partition is not in the table (4.6 rule 4).
    Partition,
    /// The commands are malformed.
    Malformed,
}

/// Which row of a body that is ahead of its turn applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum GapRow {
    /// The first of a gap: NACK due.
    First,
    /// Another one of the same attempt: silent.
    Following,
    /// A step backwards: the first PDU of a new attempt was lost too; NACK due if RENACK.
    NewAttempt,
}

/// What becomes of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// Committed to the RX buffer.
    Accepted,
    /// Its PSN is consumed, its body discarded: PART_VIOL.
    PartitionViolation,
    /// Its PSN is consumed, its body discarded: BODY_BAD.
    Malformed,
    /// In order, but without room: RX_FULL, dropped, NACK due.
    RxFull,
    /// Ahead of its turn: GAP, dropped.
    Gap(GapRow),
    /// Received before: DUP, dropped, ACK due.
    Duplicate,
    /// The connection is frozen: dropped.
    Frozen,
}

/// Why an ack-only PDU is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Due {
    /// A NACK.
    Nack,
    /// ACK_COALESCE bodies were accepted.
    Coalesced,
    /// A duplicate came.
    Duplicate,
    /// ACK_TIMER ran out.
    Timer,
}

/// What OPEN_REQ does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OpenAnswer<const BITS: u32 = 16> {
    /// exp := psn, not frozen any more; OPEN_RSP(psn).
    Opened(Psn<BITS>),
    /// `psn` is behind exp, as of an OPEN_REQ that is late or of a sender that has started anew: nothing changes, and
    /// OPEN_RSP names exp. Moving back would let bodies in a second time.
    Behind(Psn<BITS>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Gap<const BITS: u32> {
    Closed,
    Open { last: Psn<BITS> },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Flow {
    Running,
    Frozen,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Flag {
    Clear,
    Due,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum History {
    NothingAccepted,
    Accepted,
}

/// State of one connection at its receiving end.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ReceiverConnection<const BITS: u32 = 16> {
    exp: Psn<BITS>,
    gap: Gap<BITS>,
    flow: Flow,
    history: History,
    /// Accepted and not acknowledged, up to ACK_COALESCE.
    unacked: u8,
    /// Time in clocks of the first of them.
    since: u64,
    /// A duplicate wants an ACK.
    ack: Flag,
    nack: Flag,
}

impl<const BITS: u32> ReceiverConnection<BITS> {
    /// A connection that expects `psn` first.
    #[must_use]
    pub const fn new(psn: Psn<BITS>) -> Self {
        ReceiverConnection {
            exp: psn,
            gap: Gap::Closed,
            flow: Flow::Running,
            history: History::NothingAccepted,
            unacked: 0,
            since: 0,
            ack: Flag::Clear,
            nack: Flag::Clear,
        }
    }

    /// The PSN expected next.
    #[must_use]
    pub const fn exp(&self) -> Psn<BITS> {
        self.exp
    }

    /// The highest PSN of the attempt that is being dropped, while a gap is open.
    #[must_use]
    pub const fn gap(&self) -> Option<Psn<BITS>> {
        match self.gap {
            Gap::Open { last } => Some(last),
            Gap::Closed => None,
        }
    }

    /// A body with number `psn` (the table of 4.6).
    pub fn receive(
        &mut self,
        config: &ReceiverConfig,
        psn: Psn<BITS>,
        room: Room,
        check: BodyCheck,
        now: u64,
    ) -> Verdict {
        if self.flow == Flow::Frozen {
            return Verdict::Frozen;
        }
        match (psn.position(self.exp), room) {
            (Position::Same, Room::Free) => self.accept(config, psn, check, now),
            (Position::Ahead(1), Room::Free) if config.is(Mutation::AcceptAhead) => {
                self.accept(config, psn, check, now)
            }
            (Position::Behind(1), Room::Free) if config.is(Mutation::AcceptDuplicate) => {
                self.accept(config, psn, check, now)
            }
            (Position::Same, Room::Full) => {
                // Each time `exp` comes is one attempt, and each is answered (section 0, NAK storm).
                (self.gap, self.nack) = (Gap::Open { last: psn }, Flag::Due);
                Verdict::RxFull
            }
            (Position::Ahead(_), _) => Verdict::Gap(self.ahead(config, psn)),
            (Position::Behind(_), _) => {
                if !config.is(Mutation::SilentDuplicate) {
                    self.ack = Flag::Due;
                }
                Verdict::Duplicate
            }
        }
    }

    fn accept(&mut self, config: &ReceiverConfig, psn: Psn<BITS>, check: BodyCheck, now: u64) -> Verdict {
        self.exp = psn.plus(1);
        self.history = History::Accepted;
        // The gap is closed, and a NACK that is still due would ask for what has come.
        (self.gap, self.nack) = (Gap::Closed, Flag::Clear);
        if self.unacked == 0 {
            self.since = now;
        }
        self.unacked = self.unacked.saturating_add(1).min(config.ack_coalesce);
        match check {
            BodyCheck::Good => Verdict::Accepted,
            BodyCheck::Partition => Verdict::PartitionViolation,
            BodyCheck::Malformed => Verdict::Malformed,
        }
    }

    fn ahead(&mut self, config: &ReceiverConfig, psn: Psn<BITS>) -> GapRow {
        let row = match self.gap {
            Gap::Closed => GapRow::First,
            Gap::Open { last } => match psn.position(last) {
                Position::Ahead(_) => GapRow::Following,
                Position::Same | Position::Behind(_) => GapRow::NewAttempt,
            },
        };
        let answer = match row {
            GapRow::First => true,
            GapRow::Following => false,
            GapRow::NewAttempt => config.renack == Renack::Answer,
        };
        if answer {
            self.nack = Flag::Due;
        }
        self.gap = Gap::Open { last: psn };
        row
    }

    /// An ack-only PDU: done before its PSN is looked at.
    pub fn receive_empty(&mut self, config: &ReceiverConfig, psn: Psn<BITS>) {
        if config.is(Mutation::AckOnlyConsumesPsn) && psn == self.exp {
            self.exp = psn.plus(1);
        }
    }

    /// Why an ack-only PDU is due, if one is.
    #[must_use]
    pub fn due(&self, config: &ReceiverConfig, now: u64) -> Option<Due> {
        if self.flow == Flow::Frozen {
            None
        } else if self.nack == Flag::Due {
            Some(Due::Nack)
        } else if self.history == History::NothingAccepted {
            None
        } else if self.unacked >= config.ack_coalesce {
            Some(Due::Coalesced)
        } else if self.ack == Flag::Due {
            Some(Due::Duplicate)
        } else {
            self.deadline(config).is_some_and(|deadline| now >= deadline).then_some(Due::Timer)
        }
    }

    /// It has something to acknowledge that no PDU has carried yet, whether it may say so or not.
    fn owes(&self) -> bool {
        self.unacked > 0 || self.ack == Flag::Due || self.nack == Flag::Due
    }

    /// When ACK_TIMER runs out, clocks.
    #[must_use]
    pub fn deadline(&self, config: &ReceiverConfig) -> Option<u64> {
        (self.unacked > 0 && self.flow == Flow::Running).then(|| self.since.saturating_add(config.ack_timer))
    }

    /// What a PDU that is sent now carries (4.6 rule 3); sending it clears that. A NACK acknowledges what is before it.
    pub fn carry(&mut self, config: &ReceiverConfig) -> Acknowledgment<BITS> {
        let carried = if self.nack == Flag::Due && self.flow == Flow::Running {
            Acknowledgment::Nack(self.exp)
        } else if self.history == History::Accepted {
            let last = if config.is(Mutation::AckNamesNext) { self.exp } else { self.exp.minus(1) };
            Acknowledgment::Ack(last)
        } else {
            Acknowledgment::None
        };
        (self.nack, self.ack, self.unacked, self.since) = (Flag::Clear, Flag::Clear, 0, 0);
        carried
    }

    /// FREEZE_REQ: nothing is accepted from now on; FREEZE_RSP names exp.
    pub fn freeze(&mut self) -> Psn<BITS> {
        self.flow = Flow::Frozen;
        self.exp
    }

    /// OPEN_REQ(psn). An end that never accepted anything goes anywhere.
    pub fn open(&mut self, psn: Psn<BITS>) -> OpenAnswer<BITS> {
        let behind = matches!(psn.position(self.exp), Position::Behind(_));
        if behind && self.history == History::Accepted {
            return OpenAnswer::Behind(self.exp);
        }
        (self.exp, self.gap, self.flow, self.nack) = (psn, Gap::Closed, Flow::Running, Flag::Clear);
        OpenAnswer::Opened(psn)
    }
}

/// The receiver of all connections.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receiver<const BITS: u32 = 16> {
    config: ReceiverConfig,
    connections: BTreeMap<ConnectionKey, ReceiverConnection<BITS>>,
    /// Connections that owe an acknowledgment, so that not all have to be looked at.
    owing: BTreeSet<ConnectionKey>,
    counters: Counters,
}

impl<const BITS: u32> Receiver<BITS> {
    /// A receiver that expects PSN 0 on every connection.
    pub fn new(config: ReceiverConfig) -> Result<Self, ConfigError> {
        config.check()?;
        let (connections, owing) = (BTreeMap::new(), BTreeSet::new());
        Ok(Receiver { config, connections, owing, counters: Counters::default() })
    }

    /// Its counters.
    #[must_use]
    pub const fn counters(&self) -> &Counters {
        &self.counters
    }

    /// The state of a connection, if it ever had traffic.
    #[must_use]
    pub fn connection(&self, key: ConnectionKey) -> Option<&ReceiverConnection<BITS>> {
        self.connections.get(&key)
    }

    fn connection_mut(&mut self, key: ConnectionKey) -> &mut ReceiverConnection<BITS> {
        self.connections.entry(key).or_insert(ReceiverConnection::new(Psn::ZERO))
    }

    /// After every change of a connection.
    fn note(&mut self, key: ConnectionKey) {
        if self.connections.get(&key).is_some_and(ReceiverConnection::owes) {
            self.owing.insert(key);
        } else {
            self.owing.remove(&key);
        }
    }

    /// Connections that owe an acknowledgment.
    fn owing(&self) -> impl Iterator<Item = (ConnectionKey, &ReceiverConnection<BITS>)> {
        self.owing.iter().filter_map(|key| Some((*key, self.connections.get(key)?)))
    }

    /// A PDU whose R-CRC is bad: nothing in it can be trusted.
    pub fn receive_corrupted(&mut self) {
        self.counters.rcrc += 1;
    }

    /// An ack-only PDU: consumes no PSN and is not acknowledged.
    pub fn receive_empty(&mut self, key: ConnectionKey, psn: Psn<BITS>) {
        self.counters.ack_only_rx += 1;
        let config = self.config;
        self.connection_mut(key).receive_empty(&config, psn);
    }

    /// A PDU with a body: what becomes of it. `room` and `check` are what RX buffer and body walk say.
    pub fn receive(
        &mut self,
        key: ConnectionKey,
        psn: Psn<BITS>,
        room: Room,
        check: BodyCheck,
        now: u64,
    ) -> Verdict {
        let config = self.config;
        let verdict = self.connection_mut(key).receive(&config, psn, room, check, now);
        self.note(key);
        let counters = &mut self.counters;
        match verdict {
            Verdict::Accepted | Verdict::PartitionViolation | Verdict::Malformed => counters.body_rx += 1,
            Verdict::RxFull => counters.rx_full += 1,
            Verdict::Gap(_) => counters.gap += 1,
            Verdict::Duplicate => counters.dup += 1,
            Verdict::Frozen => counters.frozen += 1,
        }
        counters.part_viol += u64::from(verdict == Verdict::PartitionViolation);
        counters.body_bad += u64::from(verdict == Verdict::Malformed);
        verdict
    }

    /// A connection of this port that has to send an ack-only PDU unless something else carries it, NACKs first.
    #[must_use]
    pub fn next_due(&self, port: u8, now: u64) -> Option<(ConnectionKey, Due)> {
        let due = |(key, one): (ConnectionKey, &ReceiverConnection<BITS>)| {
            one.due(&self.config, now).filter(|_| key.port == port).map(|due| (key, due))
        };
        self.owing().filter_map(due).min_by_key(|(_, due)| *due != Due::Nack)
    }

    /// When the next ACK_TIMER runs out, clocks.
    #[must_use]
    pub fn next_deadline(&self) -> Option<u64> {
        self.owing().filter_map(|(_, connection)| connection.deadline(&self.config)).min()
    }

    /// What a PDU with a body carries that is sent to the peer of `key` now.
    pub fn carry(&mut self, key: ConnectionKey) -> Acknowledgment<BITS> {
        let config = self.config;
        let carried = self.connection_mut(key).carry(&config);
        self.note(key);
        self.counters.count_sent(carried);
        carried
    }

    /// What an ack-only PDU carries, or nothing if none is due any more.
    pub fn ack_only(&mut self, key: ConnectionKey, now: u64) -> Option<Acknowledgment<BITS>> {
        let due = self.connections.get(&key)?.due(&self.config, now)?;
        self.counters.ack_only_tx += 1;
        self.counters.ack_only_timer += u64::from(due == Due::Timer);
        Some(self.carry(key))
    }

    /// FREEZE_REQ: the PSN of FREEZE_RSP.
    pub fn freeze(&mut self, key: ConnectionKey) -> Psn<BITS> {
        self.connection_mut(key).freeze()
    }

    /// OPEN_REQ(psn): what OPEN_RSP says.
    pub fn open(&mut self, key: ConnectionKey, psn: Psn<BITS>) -> OpenAnswer<BITS> {
        let answer = self.connection_mut(key).open(psn);
        self.note(key);
        answer
    }

    /// `clear` or `conn_clr`: every connection expects PSN 0 again.
    pub fn clear(&mut self) {
        self.connections.clear();
        self.owing.clear();
    }
}
