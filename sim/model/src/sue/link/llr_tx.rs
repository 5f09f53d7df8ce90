//! `eth_llr`, sender (chapter 50, 4.7 and 0).

use super::super::format::{OrderedSet, Sequence};
use super::llr_config::{
    Abandoned, AckCheck, FlushCause, LlrTxConfig, LlrTxCounters, LlrTxEvent, LlrTxState, Offered, Pcs,
    Refusal, Reinit, ReplayCause, ReplayLimit, WaitingFrames,
};
use super::serial::{distance, plus};
use std::collections::VecDeque;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum State {
    Off,
    /// With the clock of the next LLR_INIT.
    Init {
        next: u64,
    },
    Advance,
    /// With the place in the buffer of the next frame, and what the replay began with.
    Replay {
        cursor: usize,
        from: Sequence,
    },
    Flush,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Held<F> {
    frame: F,
    bytes: usize,
    since: u64,
}

/// The sender; `F` is a frame.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct LlrTx<F> {
    config: LlrTxConfig,
    state: State,
    /// Nonce of the last LLR_INIT.
    nonce: u16,
    /// Oldest frame that is not acknowledged.
    una: Sequence,
    held: VecDeque<Held<F>>,
    bytes: usize,
    /// Replays without progress.
    replays: u8,
    /// When the replay timer began.
    timer: u64,
    pcs: Pcs,
    counters: LlrTxCounters,
}

impl<F: Clone> LlrTx<F> {
    /// A sender that is OFF. `nonce` should differ from one start of the machine to the next.
    #[must_use]
    pub fn new(config: LlrTxConfig, nonce: u16) -> Self {
        LlrTx {
            config,
            state: State::Off,
            nonce,
            una: config.first,
            held: VecDeque::new(),
            bytes: 0,
            replays: 0,
            timer: 0,
            pcs: Pcs::Up,
            counters: LlrTxCounters::default(),
        }
    }

    /// The state.
    #[must_use]
    pub const fn state(&self) -> LlrTxState {
        match self.state {
            State::Off => LlrTxState::Off,
            State::Init { .. } => LlrTxState::Init,
            State::Advance => LlrTxState::Advance,
            State::Replay { .. } => LlrTxState::Replay,
            State::Flush => LlrTxState::Flush,
        }
    }

    /// Frames sent and not acknowledged.
    #[must_use]
    pub fn outstanding(&self) -> usize {
        self.held.len()
    }

    /// Octets of them, FCS included.
    #[must_use]
    pub const fn outstanding_bytes(&self) -> usize {
        self.bytes
    }

    /// The counters.
    #[must_use]
    pub const fn counters(&self) -> &LlrTxCounters {
        &self.counters
    }

    /// OFF to INIT, by the host.
    pub fn enable(&mut self, now: u64) {
        if self.state == State::Off {
            self.begin(now);
        }
    }

    /// To OFF, by the host.
    pub fn disable(&mut self) -> Option<LlrTxEvent> {
        let event = (!self.held.is_empty()).then(|| self.flush(FlushCause::Host));
        self.state = State::Off;
        event
    }

    /// To INIT, by the host; from any state but OFF. What was outstanding is dropped.
    pub fn reinit(&mut self, now: u64) -> Option<LlrTxEvent> {
        if self.state == State::Off {
            return None;
        }
        let event = (!self.held.is_empty()).then(|| self.flush(FlushCause::Host));
        self.begin(now);
        event
    }

    /// The PCS has lost its link, or has it again.
    pub fn set_pcs(&mut self, pcs: Pcs) {
        self.pcs = match (self.pcs, pcs) {
            (down @ Pcs::Down { .. }, Pcs::Down { .. }) => down,
            (_, pcs) => pcs,
        };
    }

    fn begin(&mut self, now: u64) {
        // 0 is never sent
        self.nonce = self.nonce.checked_add(1).unwrap_or(1);
        self.una = self.config.first;
        self.replays = 0;
        self.state = State::Init { next: now };
    }

    fn flush(&mut self, cause: FlushCause) -> LlrTxEvent {
        let frames = self.held.len();
        self.counters.llr_flush += frames as u64;
        self.held.clear();
        self.bytes = 0;
        self.state = State::Flush;
        LlrTxEvent::Flushed(Abandoned { frames, cause })
    }

    /// A new frame of `bytes` octets with its FCS.
    pub fn offer(&mut self, frame: &F, bytes: usize, now: u64) -> Result<Offered, Refusal> {
        match self.state {
            State::Off => Ok(Offered::Unprotected),
            State::Init { .. } | State::Flush => match self.config.waiting {
                WaitingFrames::Block => Err(Refusal::NotRunning),
                WaitingFrames::BestEffort => Ok(Offered::Unprotected),
                WaitingFrames::Discard => {
                    self.counters.discarded += 1;
                    Ok(Offered::Discarded)
                }
            },
            State::Replay { .. } => Err(Refusal::Replaying),
            State::Advance => self.store(frame, bytes, now).map(Offered::Stored),
        }
    }

    fn store(&mut self, frame: &F, bytes: usize, now: u64) -> Result<Sequence, Refusal> {
        let bytes_max = self.config.bytes_max;
        if bytes > bytes_max {
            return Err(Refusal::TooLong { bytes, bytes_max });
        }
        if self.held.len() >= self.config.frames_max || self.bytes + bytes > bytes_max {
            return Err(Refusal::Full);
        }
        if self.held.is_empty() {
            self.timer = now;
        }
        let sequence = plus(self.una, self.held.len());
        self.held.push_back(Held { frame: frame.clone(), bytes, since: now });
        self.bytes += bytes;
        self.counters.frames_tx += 1;
        Ok(sequence)
    }

    /// The next frame of a replay, its octets with FCS, and its number.
    pub fn replay(&mut self, now: u64) -> Option<(Sequence, F, usize)> {
        let State::Replay { cursor, from } = self.state else { return None };
        let Some(held) = self.held.get(cursor) else {
            (self.state, self.timer) = (State::Advance, now);
            return None;
        };
        let sent = (plus(self.una, cursor), held.frame.clone(), held.bytes);
        self.counters.frames_replayed += 1;
        self.state = State::Replay { cursor: cursor + 1, from };
        if cursor + 1 == self.held.len() {
            (self.state, self.timer) = (State::Advance, now);
        }
        Some(sent)
    }

    /// The LLR_INIT that is to be sent now, if one is.
    pub fn ordered_set(&mut self, now: u64) -> Option<OrderedSet> {
        match self.state {
            State::Init { next } if now >= next => {
                self.state = State::Init { next: now + self.config.init_interval };
                self.counters.llr_init_tx += 1;
                Some(OrderedSet::LlrInit { sequence: self.config.first, data: self.nonce })
            }
            _ => None,
        }
    }

    /// LLR_INIT_ECHO came.
    pub fn receive_echo(&mut self, sequence: Sequence, data: u16, now: u64) -> (AckCheck, Vec<LlrTxEvent>) {
        self.counters.llr_echo_rx += 1;
        let matches = sequence == self.config.first && data == self.nonce;
        match self.state {
            State::Init { .. } if matches => {
                (self.state, self.timer) = (State::Advance, now);
                (AckCheck::Taken, vec![LlrTxEvent::Started])
            }
            // the echo of a repeated LLR_INIT
            State::Advance | State::Replay { .. } if matches => (AckCheck::Taken, Vec::new()),
            _ => (self.ignored(), Vec::new()),
        }
    }

    fn ignored(&mut self) -> AckCheck {
        self.counters.ctlos_bad += 1;
        AckCheck::Ignored
    }

    const fn is_running(&self) -> bool {
        matches!(self.state, State::Advance | State::Replay { .. })
    }

    /// LLR_ACK came: everything up to `sequence` has arrived.
    pub fn receive_ack(&mut self, sequence: Sequence, now: u64) -> (AckCheck, Vec<LlrTxEvent>) {
        self.counters.llr_ack_rx += 1;
        let count = distance(plus(sequence, 1), self.una);
        if !self.is_running() || count > self.held.len() {
            return (self.ignored(), Vec::new());
        }
        (AckCheck::Taken, self.acknowledge(count, now))
    }

    /// LLR_NACK came: `sequence` is wanted next, and everything before it has arrived.
    pub fn receive_nack(&mut self, sequence: Sequence, now: u64) -> (AckCheck, Vec<LlrTxEvent>) {
        self.counters.llr_nack_rx += 1;
        let count = distance(sequence, self.una);
        if !self.is_running() || count > self.held.len() {
            return (self.ignored(), Vec::new());
        }
        let mut events = self.acknowledge(count, now);
        // within a replay, the LLR_NACK that asked for it may come again; one for a later frame is news
        let is_known = matches!(self.state, State::Replay { from, .. } if from == sequence);
        if !self.held.is_empty() && !is_known {
            events.push(self.start_replay(ReplayCause::Nack));
        }
        (AckCheck::Taken, events)
    }

    fn acknowledge(&mut self, count: usize, now: u64) -> Vec<LlrTxEvent> {
        if count == 0 {
            return Vec::new();
        }
        self.bytes -= self.held.drain(..count).map(|held| held.bytes).sum::<usize>();
        self.una = plus(self.una, count);
        (self.replays, self.timer) = (0, now);
        if let State::Replay { cursor, from } = self.state {
            let cursor = cursor.saturating_sub(count);
            self.state =
                if cursor < self.held.len() { State::Replay { cursor, from } } else { State::Advance };
        }
        vec![LlrTxEvent::Acknowledged(count)]
    }

    fn start_replay(&mut self, cause: ReplayCause) -> LlrTxEvent {
        if self.config.replay_limit == ReplayLimit::Max(self.replays) {
            return self.flush(FlushCause::Replays);
        }
        self.replays = self.replays.saturating_add(1);
        self.counters.llr_replay += 1;
        self.state = State::Replay { cursor: 0, from: self.una };
        LlrTxEvent::Replaying { from: self.una, cause }
    }

    /// The timers: PCS_LOST_T, AGE_T, the replay timer, and the automatic end of FLUSH.
    pub fn expire(&mut self, now: u64) -> Option<LlrTxEvent> {
        let elapsed = |since: u64, limit: u64| now.saturating_sub(since) >= limit;
        if self.state == State::Flush && self.config.reinit == Reinit::Automatic && self.pcs == Pcs::Up {
            self.begin(now);
        }
        if !self.is_running() {
            return None;
        }
        if let (Pcs::Down { since }, Some(limit)) = (self.pcs, self.config.pcs_lost) {
            if elapsed(since, limit) {
                return Some(self.flush(FlushCause::PcsLost));
            }
        }
        let oldest = self.held.front()?.since;
        if self.config.age.is_some_and(|limit| elapsed(oldest, limit)) {
            return Some(self.flush(FlushCause::Age));
        }
        let is_due = self.state == State::Advance && elapsed(self.timer, self.config.replay_timer);
        is_due.then(|| self.start_replay(ReplayCause::Timer))
    }
}
