//! Two ends of a link over two channels with delay and errors, watched by a monitor (chapter 10, 9, points 5 to 7).
//!
//! Time is counted in ticks. An LTP takes `ltp_ticks` of its direction; it is acted on when its last bit has arrived,
//! `delay_ticks` after it left. With one tick per LTP the round trip that Init measures is
//! RTT_LTP = 1 + the sum of both delays.
//!
//! Training is not simulated here: training sets arrive undamaged, and an end goes on to Init when it has seen and
//! sent enough of them. The train model covers what happens inside.

mod error;
mod monitor;
mod proof;
mod soak;

pub use error::{BitErrorRate, ErrorProcess, Loss, NullKind, Target};
pub use monitor::{Monitor, Violation};
pub(crate) use proof::{moved, Numbered};
pub use proof::{prove_exactly_once, ProofBounds, ProofViolation};
pub use soak::{soak, soak_grid, SoakError, SoakGridReport, SoakParameters, SoakReport};

use crate::counters::Counters;
use crate::retry::{
    Arrival, Fault, LatchAction, Origin, RetryConfig, RetryConfigError, RetryPort, RxRow, Sent, Token,
};
use std::collections::VecDeque;

/// Training sets of one kind that an end must see, and TS2 it must send, before it goes on (chapter 10, 4.6, state 2).
const TRAINING_SETS_SEEN: u32 = 8;
const TS2_SENT: u32 = 16;
/// Consecutive training sets that call an Active end to Retraining (chapter 10, 4.6, state 4).
const TRAINING_SETS_CALL: u32 = 2;
/// One LTP in so many carries time flits.
const TIME_FLIT_EVERY: u64 = 16;

/// Both ends and the line between them. Index 0 is the direction from end 0, or end 0 itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PairConfig {
    /// Parameters of each end.
    pub ends: [RetryConfig; 2],
    /// Ticks of one LTP of each direction, at least 1. They differ when the directions have different lane counts.
    pub ltp_ticks: [u64; 2],
    /// Ticks from the last bit out of one end to the verdict on the LTP at the other.
    pub delay_ticks: [u64; 2],
}

impl PairConfig {
    /// Two equal ends, one tick per LTP, and a line on which Init measures this round trip (at least 1).
    #[must_use]
    pub fn symmetric(config: RetryConfig, round_trip: u64) -> Self {
        let delays = round_trip.saturating_sub(1);
        PairConfig { ends: [config; 2], ltp_ticks: [1; 2], delay_ticks: [delays / 2, delays - delays / 2] }
    }
}

/// What is on the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Line {
    Ltp(Arrival<Token>),
    Ts1,
    Ts2,
    /// The start row: LTPs follow.
    Start,
}

/// What an end is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EndPhase {
    /// Polling, Training or Retraining.
    Training { seen: u32, seen_ts2: u32, sent_ts2: u32 },
    /// Init or Active. `called`: training sets in a row.
    Linked { called: u32 },
}

impl EndPhase {
    const fn training() -> Self {
        EndPhase::Training { seen: 0, seen_ts2: 0, sent_ts2: 0 }
    }
}

#[derive(Debug, Clone)]
struct End {
    port: RetryPort<Token>,
    phase: EndPhase,
    /// The peer's start row has come, and no training set since.
    started: bool,
    boundary: u64,
    inbox: VecDeque<(u64, Line)>,
    was_active: bool,
}

/// What came of the latches at one end (4.4), for a count without lanes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LatchCounts {
    /// Bad LTPs kept for comparison.
    pub latched: u64,
    /// Comparisons with a good replay.
    pub compared: u64,
    /// Latches given up, since the bad LTP was a Null.
    pub unknown: u64,
}

/// The simulator. One [`LinkPair::tick`] is one LTP time in both directions if `ltp_ticks` is 1.
#[derive(Debug, Clone)]
pub struct LinkPair {
    config: PairConfig,
    ends: [End; 2],
    errors: ErrorProcess,
    monitors: [Monitor; 2],
    now: u64,
    resetting: bool,
    downs: u64,
    faults: Vec<(u64, usize, Fault)>,
    latches: [LatchCounts; 2],
}

/// Faults that are kept with their time, so that a long run does not grow.
const FAULTS_KEPT: usize = 64;

impl LinkPair {
    /// Two ends that start afresh.
    pub fn new(config: PairConfig, errors: ErrorProcess) -> Result<Self, RetryConfigError> {
        let end = |index: usize| -> Result<End, RetryConfigError> {
            Ok(End {
                port: RetryPort::new(config.ends[index], config.ltp_ticks[index])?,
                phase: EndPhase::training(),
                started: false,
                boundary: 0,
                inbox: VecDeque::new(),
                was_active: false,
            })
        };
        Ok(LinkPair {
            config,
            ends: [end(0)?, end(1)?],
            errors,
            monitors: [0, 1].map(|from| Monitor::new(from, config.ends[from].slots)),
            now: 0,
            resetting: false,
            downs: 0,
            faults: Vec::new(),
            latches: [LatchCounts::default(); 2],
        })
    }

    /// Time in ticks.
    #[must_use]
    pub const fn now(&self) -> u64 {
        self.now
    }

    /// The retry of one end.
    #[must_use]
    pub const fn port(&self, end: usize) -> &RetryPort<Token> {
        &self.ends[end].port
    }

    /// The retry of one end, to damage a slot.
    pub fn port_mut(&mut self, end: usize) -> &mut RetryPort<Token> {
        &mut self.ends[end].port
    }

    /// The monitor of the direction from end `from`.
    #[must_use]
    pub const fn monitor(&self, from: usize) -> &Monitor {
        &self.monitors[from]
    }

    /// The error process, for what has not happened yet.
    #[must_use]
    pub const fn errors(&self) -> &ErrorProcess {
        &self.errors
    }

    /// Replaces the error process, for instance to let the link come up before errors start.
    pub fn set_errors(&mut self, errors: ErrorProcess) {
        self.errors = errors;
    }

    /// The first faults, each with its time and end.
    #[must_use]
    pub fn faults(&self) -> &[(u64, usize, Fault)] {
        &self.faults
    }

    /// How often an end went Down because Retraining did not help.
    #[must_use]
    pub const fn downs(&self) -> u64 {
        self.downs
    }

    /// Latches of the receiver at `end`.
    #[must_use]
    pub const fn latches(&self, end: usize) -> LatchCounts {
        self.latches[end]
    }

    /// Both ends are Active.
    #[must_use]
    pub fn is_active(&self) -> bool {
        self.ends.iter().all(|end| end.port.is_active())
    }

    /// Counters of one end.
    #[must_use]
    pub fn counters(&self, end: usize) -> Counters {
        self.ends[end].port.counters()
    }

    /// Rows of 4.3, both receivers together.
    #[must_use]
    pub fn rows(&self) -> [u64; RxRow::COUNT] {
        std::array::from_fn(|row| self.ends[0].port.rows()[row] + self.ends[1].port.rows()[row])
    }

    /// The first broken promise of either direction.
    #[must_use]
    pub fn violation(&self) -> Option<Violation> {
        self.monitors.iter().find_map(Monitor::first)
    }

    /// The end loses its state, as with a reset or CTRL.DISABLE and ENABLE.
    pub fn restart(&mut self, end: usize) {
        self.ends[end].port.shut_down();
        self.resetting = true;
        self.enter_training(end);
    }

    /// The end sees a fault and goes to Retraining.
    pub fn retrain(&mut self, end: usize, fault: Option<Fault>) {
        if let (Some(fault), true) = (fault, self.faults.len() < FAULTS_KEPT) {
            self.faults.push((self.now, end, fault));
        }
        if self.ends[end].port.retrain(fault) {
            self.enter_training(end);
        } else {
            self.downs += 1;
            self.restart(end);
        }
    }

    fn enter_training(&mut self, end: usize) {
        self.ends[end].phase = EndPhase::training();
        self.ends[end].started = false;
        self.ends[end].was_active = false;
    }

    /// One tick: what has arrived is acted on, then what is due is sent.
    pub fn tick(&mut self) {
        for end in 0..2 {
            while let Some(&(time, line)) = self.ends[end].inbox.front() {
                if time > self.now {
                    break;
                }
                self.ends[end].inbox.pop_front();
                self.arrive(end, line);
            }
        }
        for end in 0..2 {
            if self.ends[end].boundary <= self.now {
                self.ends[end].boundary = self.now + self.config.ltp_ticks[end];
                self.depart(end);
            }
        }
        self.now += 1;
    }

    /// Runs until both ends are Active; false if that takes more than `ticks`.
    pub fn bring_up(&mut self, ticks: u64) -> bool {
        let end = self.now + ticks;
        while !self.is_active() && self.now < end {
            self.tick();
        }
        self.is_active()
    }

    /// Runs for so many ticks or to the first broken promise.
    pub fn run(&mut self, ticks: u64) -> Result<(), Violation> {
        for _ in 0..ticks {
            self.tick();
            if self.monitors[0].violations() + self.monitors[1].violations() > 0 {
                break;
            }
        }
        self.violation().map_or(Ok(()), Err)
    }

    fn arrive(&mut self, end: usize, line: Line) {
        let End { phase, started, .. } = &mut self.ends[end];
        match (phase, line) {
            (_, Line::Start) => *started = true,
            (EndPhase::Training { seen, seen_ts2, .. }, Line::Ts1 | Line::Ts2) => {
                *started = false;
                *seen += 1;
                *seen_ts2 += u32::from(line == Line::Ts2);
            }
            (EndPhase::Training { .. }, Line::Ltp(_)) => (),
            // The last TS2 may still come after the own start row; TS1 means that the peer has begun again.
            (EndPhase::Linked { .. }, Line::Ltp(_) | Line::Ts2) if !*started => (),
            (EndPhase::Linked { called }, Line::Ts1 | Line::Ts2) => {
                *called += 1;
                if *called >= TRAINING_SETS_CALL {
                    self.retrain(end, None);
                } else if *started {
                    self.arrive_ltp(end, Arrival::Bad); // control words where data should be
                }
            }
            (EndPhase::Linked { called }, Line::Ltp(arrival)) => {
                *called = 0;
                self.arrive_ltp(end, arrival);
            }
        }
    }

    fn arrive_ltp(&mut self, end: usize, arrival: Arrival<Token>) {
        let reception = self.ends[end].port.receive(self.now, arrival);
        if let Some(delivered) = &reception.delivered {
            self.monitors[1 - end].deliver(self.now, &delivered.payload, delivered.late);
        }
        let counts = &mut self.latches[end];
        match reception.latch {
            Some(LatchAction::Latch) => counts.latched += 1,
            Some(LatchAction::Compare) => counts.compared += 1,
            Some(LatchAction::Unknown) => counts.unknown += 1,
            None => (),
        }
        if reception.fault.is_some() {
            self.retrain(end, reception.fault);
        }
    }

    fn depart(&mut self, end: usize) {
        let line = match &mut self.ends[end].phase {
            EndPhase::Training { seen, .. } if *seen < TRAINING_SETS_SEEN => Line::Ts1,
            EndPhase::Training { seen_ts2, sent_ts2, .. }
                if *seen_ts2 < TRAINING_SETS_SEEN || *sent_ts2 < TS2_SENT =>
            {
                *sent_ts2 += 1;
                Line::Ts2
            }
            EndPhase::Training { .. } => {
                self.ends[end].phase = EndPhase::Linked { called: 0 };
                self.resetting |= self.ends[end].port.is_fresh();
                self.ends[end].port.start_init();
                Line::Start
            }
            EndPhase::Linked { .. } => match self.next_ltp(end) {
                Some(line) => line,
                None => return,
            },
        };
        let arrival = self.now + self.config.ltp_ticks[end] + self.config.delay_ticks[end];
        self.ends[1 - end].inbox.push_back((arrival, line));
    }

    /// The next LTP of a linked end; `None` if a timer calls for Retraining instead.
    fn next_ltp(&mut self, end: usize) -> Option<Line> {
        let index = self.monitors[end].sent();
        let time_flits = if index % TIME_FLIT_EVERY == 0 { 2 } else { 0 };
        let turn = self.ends[end].port.send(self.now, || Token::new(end, index, time_flits));
        if turn.fault.is_some() {
            self.retrain(end, turn.fault);
            return None;
        }
        if !self.ends[end].was_active && self.ends[end].port.is_active() {
            self.ends[end].was_active = true;
            if std::mem::take(&mut self.resetting) {
                self.monitors.iter_mut().for_each(Monitor::reset);
            }
        }
        let sent: Sent<Token> = turn.sent?;
        if matches!(sent.origin, Origin::Original(_)) {
            self.monitors[end].original(self.now);
        }
        let damaged = self.errors.damages(end, &sent);
        Some(Line::Ltp(if damaged { Arrival::Bad } else { Arrival::Good(sent.ltp) }))
    }
}
