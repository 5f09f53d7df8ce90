//! `eth_llr`, receiver (chapter 50, 4.7).

use super::super::format::{OrderedSet, Profile, Sequence};
use super::serial::{distance, plus, previous, SEQUENCE_HALF};

/// What becomes of a poisoned frame, whose sender has inverted its FCS.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PoisonRule {
    /// Accepted, counted as LLR_POISON, dropped above (section 0, `ue103`).
    Accept,
    /// A bad FCS like any other: LLR_NACK (4.7 as written, `sue1`). The replay is poisoned too, so this ends in FLUSH.
    Nack,
}

/// Settings of the receiver.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LlrRxConfig {
    /// NACK_T, MAC clocks.
    pub nack_timer: u64,
    /// Poisoned frames.
    pub poison: PoisonRule,
}

impl LlrRxConfig {
    /// Reset values of a profile.
    #[must_use]
    pub const fn new(profile: Profile) -> Self {
        let poison = match profile {
            Profile::Sue1 => PoisonRule::Nack,
            Profile::Ue103 => PoisonRule::Accept,
        };
        LlrRxConfig { nack_timer: 3200, poison }
    }
}

/// What the FCS says of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FrameCheck {
    /// Good.
    Good,
    /// Inverted: the sender has marked the frame bad.
    Poisoned,
    /// Wrong; then the sequence number says nothing.
    Bad,
}

/// States of the receiver.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LlrRxState {
    /// No LLR_INIT has come.
    Off,
    /// In order.
    SendAcks,
    /// LLR_NACK is to be sent.
    SendNack,
    /// LLR_NACK was sent; all but the expected frame are dropped.
    NackSent,
}

/// What becomes of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LlrVerdict {
    /// Given to the layer above.
    Delivered,
    /// Its sequence number is consumed, and it is dropped above: LLR_POISON.
    Poisoned,
    /// Received before: LLR_DUP.
    Duplicate,
    /// After a gap: LLR_SEQ.
    Ahead,
    /// Bad FCS: FCS.
    BadFcs,
    /// Link-layer retry has not been started: LLR_SEQ.
    Off,
}

/// Counters of the receiver, by the names of the chapter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct LlrRxCounters {
    /// Frames at the expected number, poisoned ones included.
    pub expected: u64,
    /// LLR_POISON.
    pub llr_poison: u64,
    /// LLR_DUP.
    pub llr_dup: u64,
    /// LLR_SEQ: frames after a gap, and frames before LLR_INIT.
    pub llr_seq: u64,
    /// FCS: bad frames.
    pub fcs: u64,
    /// LLR ack, tx.
    pub llr_ack_tx: u64,
    /// LLR nack, tx.
    pub llr_nack_tx: u64,
    /// LLR_INIT_ECHO, tx.
    pub llr_echo_tx: u64,
    /// LLR init, rx.
    pub llr_init_rx: u64,
    /// Gaps that the expected frame has closed: replays seen.
    pub replay_rx: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum State {
    Off,
    SendAcks,
    SendNack,
    NackSent { since: u64 },
}

/// Whether an answer waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Due {
    Nothing,
    Ack,
}

/// What LLR_INIT names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Start {
    sequence: Sequence,
    data: u16,
}

/// The receiver.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct LlrRx {
    config: LlrRxConfig,
    state: State,
    expected: Sequence,
    due: Due,
    echo: Option<Start>,
    /// The LLR_INIT in force.
    start: Option<Start>,
    /// One that would start anew, seen once.
    candidate: Option<Start>,
    counters: LlrRxCounters,
}

impl LlrRx {
    /// A receiver that is OFF.
    #[must_use]
    pub fn new(config: LlrRxConfig) -> Self {
        LlrRx {
            config,
            state: State::Off,
            expected: Sequence::default(),
            due: Due::Nothing,
            echo: None,
            start: None,
            candidate: None,
            counters: LlrRxCounters::default(),
        }
    }

    /// The state.
    #[must_use]
    pub const fn state(&self) -> LlrRxState {
        match self.state {
            State::Off => LlrRxState::Off,
            State::SendAcks => LlrRxState::SendAcks,
            State::SendNack => LlrRxState::SendNack,
            State::NackSent { .. } => LlrRxState::NackSent,
        }
    }

    /// The sequence number expected next.
    #[must_use]
    pub const fn expected(&self) -> Sequence {
        self.expected
    }

    /// The counters.
    #[must_use]
    pub const fn counters(&self) -> &LlrRxCounters {
        &self.counters
    }

    /// LLR_INIT came.
    ///
    /// The first one starts the receiver. Later, one that names what is in force is answered while no frame has been
    /// accepted since; any other moves a running receiver only when it comes twice with no frame accepted in between,
    /// so that a corrupted ordered set cannot move it backward (section 0). Data 0 is never sent.
    pub fn receive_init(&mut self, sequence: Sequence, data: u16) {
        self.counters.llr_init_rx += 1;
        let start = Start { sequence, data };
        let is_fresh = self.start == Some(start) && self.expected == sequence;
        let is_running = self.state != State::Off;
        if is_running && !is_fresh && self.candidate != Some(start) {
            self.candidate = Some(start);
            return;
        }
        if !is_fresh {
            (self.expected, self.state, self.due) = (sequence, State::SendAcks, Due::Nothing);
        }
        (self.start, self.echo, self.candidate) = (Some(start), Some(start), None);
    }

    /// A frame with the preamble of link-layer retry came.
    pub fn receive(&mut self, sequence: Sequence, check: FrameCheck) -> LlrVerdict {
        if self.state == State::Off {
            self.counters.llr_seq += 1;
            return LlrVerdict::Off;
        }
        let check = match (check, self.config.poison) {
            (FrameCheck::Poisoned, PoisonRule::Nack) => FrameCheck::Bad,
            (check, _) => check,
        };
        if check == FrameCheck::Bad {
            return self.lost();
        }
        match distance(sequence, self.expected) {
            0 => self.accept(sequence, check),
            ahead if ahead < SEQUENCE_HALF => {
                self.counters.llr_seq += 1;
                self.ask();
                LlrVerdict::Ahead
            }
            _ => {
                self.counters.llr_dup += 1;
                if self.state == State::SendAcks {
                    self.due = Due::Ack;
                }
                LlrVerdict::Duplicate
            }
        }
    }

    /// A frame came whose FCS is wrong, or whose preamble cannot be read.
    pub fn lost(&mut self) -> LlrVerdict {
        self.counters.fcs += 1;
        self.ask();
        LlrVerdict::BadFcs
    }

    fn ask(&mut self) {
        if self.state == State::SendAcks {
            // LLR_NACK says what an LLR_ACK that is still due would say
            (self.state, self.due) = (State::SendNack, Due::Nothing);
        }
    }

    fn accept(&mut self, sequence: Sequence, check: FrameCheck) -> LlrVerdict {
        if self.state != State::SendAcks {
            self.counters.replay_rx += 1;
        }
        self.counters.expected += 1;
        self.expected = plus(sequence, 1);
        // an LLR_NACK that is still due would ask for what has come
        (self.state, self.due, self.candidate) = (State::SendAcks, Due::Ack, None);
        match check {
            FrameCheck::Poisoned => {
                self.counters.llr_poison += 1;
                LlrVerdict::Poisoned
            }
            _ => LlrVerdict::Delivered,
        }
    }

    /// The timer NACK_T.
    pub fn expire(&mut self, now: u64) {
        match self.state {
            State::NackSent { since } if now.saturating_sub(since) >= self.config.nack_timer => {
                self.state = State::SendNack;
            }
            _ => {}
        }
    }

    /// The ordered set that is to be sent now, if one is.
    pub fn ordered_set(&mut self, now: u64) -> Option<OrderedSet> {
        if let Some(Start { sequence, data }) = self.echo.take() {
            self.counters.llr_echo_tx += 1;
            return Some(OrderedSet::LlrInitEcho { sequence, data });
        }
        if self.state == State::SendNack {
            self.counters.llr_nack_tx += 1;
            self.state = State::NackSent { since: now };
            return Some(OrderedSet::LlrNack(self.expected));
        }
        if self.due == Due::Ack {
            self.due = Due::Nothing;
            self.counters.llr_ack_tx += 1;
            return Some(OrderedSet::LlrAck(previous(self.expected)));
        }
        None
    }
}
