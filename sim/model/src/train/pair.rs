//! Two ends in training, with the lanes of a cable between them and retry above (chapter 10, 9, point 10).

use super::config::{TrainConfig, TrainConfigError};
use super::io::{LaneOutput, TrainEvent, TrainInput};
use super::lane::{inverted, ArrivedSet};
use super::machine::LinkTrain;
use crate::pair::{Monitor, Violation};
use crate::retry::{Arrival, Fault, LinkLtp, Origin, RetryConfig, RetryPort, Token};
use flitforge_protocol::lane_word::{MAX_LANES, TRAINING_SET_WORDS};
use flitforge_protocol::link::LinkState;
use std::collections::VecDeque;

/// The lanes of one direction, by the sender's numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Cable {
    /// Receiver's number of each lane.
    pub to: [usize; MAX_LANES],
    /// The lane's two wires are swapped.
    pub inverted: [bool; MAX_LANES],
    /// Words by which the lane is early (negative) or late.
    pub skew: [i64; MAX_LANES],
    /// The lane carries nothing.
    pub dead: [bool; MAX_LANES],
}

impl Cable {
    /// Straight, good, without skew.
    #[must_use]
    pub const fn straight() -> Self {
        Cable { to: [0, 1, 2, 3], inverted: [false; 4], skew: [0; 4], dead: [false; 4] }
    }
}

/// What one direction carries in one training-set time.
#[derive(Debug, Clone, Copy)]
struct Frame {
    lanes: [LaneOutput; MAX_LANES],
    ltp: Option<LinkLtp<Token>>,
}

#[derive(Debug, Clone)]
struct End {
    train: LinkTrain,
    port: RetryPort<Token>,
    events: VecDeque<TrainEvent>,
    /// Why the last Retraining of this end was asked for.
    fault: Option<Fault>,
    /// Frames on their way to this end.
    inbox: VecDeque<Frame>,
}

/// Steps from one end to the other.
const DELAY: usize = 3;
/// Word time of step 0: room for early lanes.
const FIRST_WORD: u64 = 64;

/// The simulator. One [`TrainPair::step`] is one training-set time.
#[derive(Debug, Clone)]
pub struct TrainPair {
    ends: [End; 2],
    /// Cable of the direction from each end.
    pub cables: [Cable; 2],
    monitors: [Monitor; 2],
    steps: u64,
    resetting: bool,
}

impl TrainPair {
    /// Two ends in Down, enabled.
    pub fn new(configs: [TrainConfig; 2], cables: [Cable; 2]) -> Result<Self, TrainConfigError> {
        let retry = RetryConfig { slots: 16, ..RetryConfig::default() };
        let end = |config| -> Result<End, TrainConfigError> {
            Ok(End {
                train: LinkTrain::new(config)?,
                port: RetryPort::unchecked(retry, 1),
                events: [TrainEvent::Enable].into(),
                fault: None,
                inbox: VecDeque::new(),
            })
        };
        let [first, second] = configs;
        let monitors = [0, 1].map(|from| Monitor::new(from, retry.slots));
        Ok(TrainPair { ends: [end(first)?, end(second)?], cables, monitors, steps: 0, resetting: true })
    }

    /// The state machine of one end.
    #[must_use]
    pub const fn train(&self, end: usize) -> &LinkTrain {
        &self.ends[end].train
    }

    /// The monitor of the direction from end `from`.
    #[must_use]
    pub const fn monitor(&self, from: usize) -> &Monitor {
        &self.monitors[from]
    }

    /// Training-set times so far.
    #[must_use]
    pub const fn steps(&self) -> u64 {
        self.steps
    }

    /// States of both ends.
    #[must_use]
    pub fn states(&self) -> [LinkState; 2] {
        [0, 1].map(|end| self.ends[end].train.state())
    }

    /// Both ends are Active or Degraded.
    #[must_use]
    pub fn is_active(&self) -> bool {
        self.ends.iter().all(|end| end.train.is_active())
    }

    /// Gives an end an event before its next step.
    pub fn send(&mut self, end: usize, event: TrainEvent) {
        self.ends[end].events.push_back(event);
    }

    /// Disables and enables an end: it starts afresh.
    pub fn restart(&mut self, end: usize) {
        self.send(end, TrainEvent::Disable);
        self.send(end, TrainEvent::Enable);
    }

    /// Runs until `done` or for `limit` steps; the steps it took, `None` if it was not done.
    pub fn run_until(&mut self, limit: u64, done: impl Fn(&Self) -> bool) -> Result<Option<u64>, Violation> {
        let start = self.steps;
        while self.steps - start < limit {
            if done(self) {
                return Ok(Some(self.steps - start));
            }
            self.step()?;
        }
        Ok(done(self).then_some(limit))
    }

    /// One training-set time of both ends.
    pub fn step(&mut self) -> Result<(), Violation> {
        let frames =
            [0, 1].map(|end| (self.ends[end].inbox.len() >= DELAY).then(|| self.ends[end].inbox.pop_front()));
        let sent = [0, 1].map(|end| self.step_end(end, frames[end].flatten()));
        let [from_first, from_second] = sent;
        self.ends[1].inbox.push_back(from_first);
        self.ends[0].inbox.push_back(from_second);
        self.steps += 1;
        self.monitors.iter().find_map(Monitor::first).map_or(Ok(()), Err)
    }

    fn step_end(&mut self, end: usize, frame: Option<Frame>) -> Frame {
        let mut input = frame.map_or_else(TrainInput::default, |frame| self.input(end, &frame));
        self.receive_ltp(end, frame);
        if self.ends[end].port.is_active() && self.ends[end].train.state() == LinkState::Init {
            self.ends[end].events.push_front(TrainEvent::InitDone);
            if std::mem::take(&mut self.resetting) {
                self.monitors.iter_mut().for_each(Monitor::reset);
            }
        }
        input.event = self.ends[end].events.pop_front();
        let before = self.ends[end].train.state();
        let lanes = self.ends[end].train.step(&input);
        self.follow(end, before);
        let started = lanes.iter().any(|lane| matches!(lane, LaneOutput::Start(_)));
        let ltp = if started { None } else { self.next_ltp(end) };
        Frame { lanes, ltp }
    }

    /// Retry follows the state of training.
    fn follow(&mut self, end: usize, before: LinkState) {
        let End { train, port, fault, events, .. } = &mut self.ends[end];
        let linked = |state| matches!(state, LinkState::Init | LinkState::Active | LinkState::Degraded);
        match (linked(before), linked(train.state())) {
            (false, true) => {
                self.resetting |= port.is_fresh();
                port.start_init();
            }
            (true, false) if train.state() == LinkState::Retraining => {
                let go_on = port.retrain(fault.take());
                events.extend((!go_on).then_some(TrainEvent::GiveUp));
            }
            _ => (),
        }
        if matches!(train.state(), LinkState::Down | LinkState::Polling) && !port.is_fresh() {
            port.shut_down();
            self.resetting = true;
        }
    }

    fn next_ltp(&mut self, end: usize) -> Option<LinkLtp<Token>> {
        let End { train, port, events, fault, .. } = &mut self.ends[end];
        if !(train.is_active() || train.state() == LinkState::Init) {
            return None;
        }
        let token = Token::new(end, self.monitors[end].sent(), 0);
        let turn = port.send(self.steps, || token);
        *fault = fault.or(turn.fault);
        events.extend(turn.fault.map(event_of));
        let sent = turn.sent?;
        if matches!(sent.origin, Origin::Original(_)) {
            self.monitors[end].original(self.steps);
        }
        Some(sent.ltp)
    }

    /// An LTP is good if all lanes used carry data.
    fn receive_ltp(&mut self, end: usize, frame: Option<Frame>) {
        let End { train, port, events, fault, .. } = &mut self.ends[end];
        let Some(rx) = train.rx().filter(|_| train.is_started() && !port.is_off()) else { return };
        let cable = self.cables[1 - end];
        let is_data = |frame: &Frame| {
            let mut used = (0..MAX_LANES).filter(|lane| rx.lanes >> lane & 1 == 1);
            used.all(|lane| !cable.dead[lane] && frame.lanes[lane] == LaneOutput::Data)
        };
        let ltp = frame.filter(is_data).and_then(|frame| frame.ltp);
        let reception = port.receive(self.steps, ltp.map_or(Arrival::Bad, Arrival::Good));
        if let Some(delivered) = reception.delivered {
            self.monitors[1 - end].deliver(self.steps, &delivered.payload, delivered.late);
        }
        *fault = fault.or(reception.fault);
        events.extend(reception.fault.map(event_of));
    }

    /// What the lanes of a frame show at the other end.
    fn input(&self, end: usize, frame: &Frame) -> TrainInput {
        let cable = self.cables[1 - end];
        let mut input = TrainInput::default();
        let time = (FIRST_WORD + self.steps * TRAINING_SET_WORDS as u64) as i64;
        for (lane, output) in frame.lanes.iter().enumerate().filter(|(lane, _)| !cable.dead[*lane]) {
            match output {
                LaneOutput::Set(set) => {
                    let Ok(words) = set.encode() else { continue };
                    let words = if cable.inverted[lane] { inverted(words) } else { words };
                    input.sets[cable.to[lane]] = ArrivedSet::read(words, (time + cable.skew[lane]) as u64);
                }
                LaneOutput::Start(start) => input.start = Some(*start),
                LaneOutput::Quiet | LaneOutput::Data => (),
            }
        }
        input
    }
}

/// What a fault of retry asks of training.
fn event_of(fault: Fault) -> TrainEvent {
    match fault {
        Fault::InitTimeout => TrainEvent::InitTimeout,
        _ => TrainEvent::Retrain,
    }
}
