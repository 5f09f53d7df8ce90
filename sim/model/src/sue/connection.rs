//! One connection of the go-back-N sender: the event table of chapter 50, 4.5.

use super::config::{Mutation, RetryLimit, SenderConfig, StuckAction};
use super::pdu::Acknowledgment;
use super::sequence::Psn;
use std::collections::VecDeque;

/// What a connection may do (chapter 50, 4.4 rules 4 and 5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ConnectionState {
    /// Takes bodies, sends, waits for acknowledgments.
    Open,
    /// RETRY_MAX or STUCK_FAIL: sends nothing more; what it holds waits for failover.
    Failed,
    /// FREEZE_REQ is on its way: sends nothing more.
    Frozen,
    /// Holds nothing; OPEN_REQ and OPEN_RSP make it usable.
    Closed,
}

/// Whether a body was ever sent. "In flight" is sent and not acknowledged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Progress {
    /// Waits for its first turn.
    Waiting,
    /// Was sent at least once.
    Sent,
}

/// A body in its replay slot.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Slot<B> {
    /// The body.
    pub body: B,
    /// Whether it was sent.
    pub progress: Progress,
    /// Time in clocks when the frame that reads it has left; the slot is not reused before (4.5 rule 2).
    pub leaves: u64,
}

/// Why an acknowledgment was taken or ignored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AckVerdict {
    /// It carried none.
    None,
    /// Inside the window.
    Valid,
    /// Before the window: ACK_STALE.
    Stale,
    /// After the window: ACK_WILD and an event.
    Wild,
}

/// Whether this NACK was one too many without progress (chapter 50, section 0, NAK storm).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Patience {
    /// Less than NACK_MAX so far, or STUCK was raised before.
    Left,
    /// The NACK number NACK_MAX: event STUCK.
    Stuck,
    /// The same with STUCK_FAIL: the connection has failed.
    Failed,
}

/// What an acknowledgment did.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct AckOutcome<B, const BITS: u32> {
    /// Taken or ignored.
    pub verdict: AckVerdict,
    /// Slots that became free, in PSN order.
    pub freed: Vec<(Psn<BITS>, Slot<B>)>,
    /// NACKs without progress.
    pub patience: Patience,
}

/// What the timer did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Expiry {
    /// It has not run out, or does not run.
    NotYet,
    /// Everything from `una` on is sent again.
    Replay,
    /// Expiry number RETRY_MAX + 1: the connection has failed.
    Failed,
}

/// State of one connection, without the pool its slots come from.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SenderConnection<B, const BITS: u32 = 16> {
    state: ConnectionState,
    una: Psn<BITS>,
    snd: Psn<BITS>,
    /// The bodies of `una` to `nxt` - 1.
    slots: VecDeque<Slot<B>>,
    retry: u8,
    /// NACKs since the last progress, up to NACK_MAX.
    refusals: u8,
    /// Time in clocks when the timer was started.
    since: u64,
}

impl<B, const BITS: u32> SenderConnection<B, BITS> {
    /// An open connection with nothing in it, its first PSN `psn`.
    #[must_use]
    pub fn new(psn: Psn<BITS>) -> Self {
        let state = ConnectionState::Open;
        SenderConnection {
            state,
            una: psn,
            snd: psn,
            slots: VecDeque::new(),
            retry: 0,
            refusals: 0,
            since: 0,
        }
    }

    /// Its state.
    #[must_use]
    pub const fn state(&self) -> ConnectionState {
        self.state
    }

    /// The oldest PSN without acknowledgment.
    #[must_use]
    pub const fn una(&self) -> Psn<BITS> {
        self.una
    }

    /// The PSN of the next send turn.
    #[must_use]
    pub const fn snd(&self) -> Psn<BITS> {
        self.snd
    }

    /// The PSN of the next new body.
    #[must_use]
    pub fn nxt(&self) -> Psn<BITS> {
        self.una.plus(self.outstanding())
    }

    /// nxt - una, at most WIN.
    #[must_use]
    pub fn outstanding(&self) -> u16 {
        self.slots.len() as u16 // WIN bounds it
    }

    /// Timer expiries since the peer gave a sign of life.
    #[must_use]
    pub const fn retry(&self) -> u8 {
        self.retry
    }

    /// True if a new body would be taken: open, and nxt - una < WIN.
    #[must_use]
    pub fn has_window(&self, config: &SenderConfig) -> bool {
        self.outstanding() < config.window
    }

    /// Row "new body". The caller has checked state, window and slot.
    pub(super) fn push(&mut self, body: B, now: u64) -> Psn<BITS> {
        let psn = self.nxt();
        if self.slots.is_empty() {
            self.since = now;
        }
        self.slots.push_back(Slot { body, progress: Progress::Waiting, leaves: 0 });
        psn
    }

    /// What the next send turn would send.
    #[must_use]
    pub fn ready(&self) -> Option<Progress> {
        let slot = self.slots.get(usize::from(self.snd.distance(self.una)))?;
        (self.state == ConnectionState::Open).then_some(slot.progress)
    }

    /// Row "send turn": PSN, body, and whether it had been sent before. Its frame has left at time `leaves`.
    pub fn send(&mut self, leaves: u64) -> Option<(Psn<BITS>, &B, Progress)> {
        let before = self.ready()?;
        let psn = self.snd;
        let slot = self.slots.get_mut(usize::from(psn.distance(self.una)))?;
        (slot.progress, slot.leaves) = (Progress::Sent, slot.leaves.max(leaves));
        self.snd = psn.plus(1);
        Some((psn, &slot.body, before))
    }

    /// Rows "ACK" and "NACK".
    pub fn acknowledge(
        &mut self,
        config: &SenderConfig,
        acknowledgment: Acknowledgment<BITS>,
        now: u64,
    ) -> AckOutcome<B, BITS> {
        let ignored = |verdict| AckOutcome { verdict, freed: Vec::new(), patience: Patience::Left };
        let next = match acknowledgment {
            Acknowledgment::None => return ignored(AckVerdict::None),
            Acknowledgment::Ack(last) => last.plus(1),
            Acknowledgment::Nack(next) if config.is(Mutation::NackFreesItself) => next.plus(1),
            Acknowledgment::Nack(next) => next,
        };
        let count = match self.window_check(config, next) {
            Ok(count) => count,
            Err(verdict) => return ignored(verdict),
        };
        let freed = self.free(count);
        if count > 0 {
            self.progress(now);
        }
        let nack = matches!(acknowledgment, Acknowledgment::Nack(_));
        let patience = if nack && !self.slots.is_empty() {
            self.snd = self.una;
            self.refused(config, count, now)
        } else {
            Patience::Left
        };
        AckOutcome { verdict: AckVerdict::Valid, freed, patience }
    }

    /// k = next - una must be at most nxt - una.
    fn window_check(&self, config: &SenderConfig, next: Psn<BITS>) -> Result<u16, AckVerdict> {
        let count = next.distance(self.una);
        if config.is(Mutation::NoWindowCheck) {
            return Ok(count.min(self.outstanding()));
        }
        if config.is(Mutation::PlainComparison) && next.value() < self.una.value() {
            return Err(AckVerdict::Stale);
        }
        match count {
            count if count <= self.outstanding() => Ok(count),
            count if count >= Psn::<BITS>::HALF => Err(AckVerdict::Stale),
            _ => Err(AckVerdict::Wild),
        }
    }

    /// Frees `count` slots, and moves `snd` along if it is behind.
    fn free(&mut self, count: u16) -> Vec<(Psn<BITS>, Slot<B>)> {
        let first = self.una;
        let count = count.min(self.outstanding());
        if self.snd.distance(self.una) < count {
            self.snd = self.una.plus(count);
        }
        self.una = self.una.plus(count);
        self.slots
            .drain(..usize::from(count))
            .zip(0..)
            .map(|(slot, index)| (first.plus(index), slot))
            .collect()
    }

    fn progress(&mut self, now: u64) {
        (self.retry, self.refusals, self.since) = (0, 0, now);
    }

    /// A NACK proves that the peer hears this end: it ends the silence that `retry` and the timer measure, and counts
    /// against NACK_MAX instead (section 0).
    fn refused(&mut self, config: &SenderConfig, count: u16, now: u64) -> Patience {
        (self.retry, self.since) = (0, now);
        if count > 0 || self.refusals >= config.nack_max || self.state != ConnectionState::Open {
            return Patience::Left;
        }
        self.refusals += 1;
        match config.stuck_action {
            _ if self.refusals < config.nack_max => Patience::Left,
            StuckAction::Report => Patience::Stuck,
            StuckAction::Fail => {
                self.state = ConnectionState::Failed;
                Patience::Failed
            }
        }
    }

    /// When the timer runs out, in clocks: RTO * 2^min(retry, BACKOFF) after its start.
    #[must_use]
    pub fn deadline(&self, config: &SenderConfig) -> Option<u64> {
        let runs = self.state == ConnectionState::Open && !self.slots.is_empty();
        let wait = config.rto.saturating_mul(1 << self.retry.min(config.backoff));
        (runs && !config.is(Mutation::NoTimer)).then(|| self.since.saturating_add(wait))
    }

    /// Rows "timer" and "retry > RETRY_MAX".
    pub fn expire(&mut self, config: &SenderConfig, now: u64) -> Expiry {
        if self.deadline(config).is_none_or(|deadline| now < deadline) {
            return Expiry::NotYet;
        }
        (self.snd, self.since) = (self.una, now);
        match config.retry_limit {
            RetryLimit::Max(max) if self.retry >= max => {
                self.state = ConnectionState::Failed;
                Expiry::Failed
            }
            RetryLimit::Max(_) => {
                self.retry += 1;
                Expiry::Replay
            }
            RetryLimit::Never => {
                self.retry = (self.retry + 1).min(config.backoff);
                Expiry::Replay
            }
        }
    }

    /// Row "timer" while the peer is of another generation (4.8): all is sent again, and the expiry does not count.
    pub fn expire_uncounted(&mut self, config: &SenderConfig, now: u64) -> Expiry {
        if self.deadline(config).is_none_or(|deadline| now < deadline) {
            return Expiry::NotYet;
        }
        (self.snd, self.since) = (self.una, now);
        Expiry::Replay
    }

    /// Stops sending: FREEZE_REQ goes out through another port.
    pub(super) fn freeze(&mut self) {
        self.state = ConnectionState::Frozen;
    }

    /// FREEZE_RSP(psn): what was delivered, and what was not. `None` if `psn` is outside una..nxt.
    pub(super) fn freeze_response(&mut self, psn: Psn<BITS>) -> Option<HandedOver<B, BITS>> {
        let count = psn.distance(self.una);
        if self.state != ConnectionState::Frozen || count > self.outstanding() {
            return None;
        }
        let delivered = self.free(count);
        Some(HandedOver { delivered, undelivered: self.close() })
    }

    /// Everything it holds, in PSN order; the connection is closed and keeps its `nxt`.
    pub(super) fn close(&mut self) -> Vec<(Psn<BITS>, Slot<B>)> {
        let held = self.free(self.outstanding());
        self.snd = self.una;
        (self.state, self.retry, self.refusals) = (ConnectionState::Closed, 0, 0);
        held
    }

    /// Opens a closed connection at this PSN, or moves its start there.
    pub(super) fn restart(&mut self, psn: Psn<BITS>, state: ConnectionState) {
        *self = SenderConnection { state, ..SenderConnection::new(psn) };
    }
}

/// What FREEZE_RSP tells the sender.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct HandedOver<B, const BITS: u32> {
    /// Delivered before the peer froze.
    pub delivered: Vec<(Psn<BITS>, Slot<B>)>,
    /// To be sent on another connection with new PSNs, in this order.
    pub undelivered: Vec<(Psn<BITS>, Slot<B>)>,
}
