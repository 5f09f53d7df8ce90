//! Two ends in training, with the lanes of a cable between them and retry above (chapter 10, 9, point 10).

use super::config::{TrainConfig, TrainConfigError};
use super::io::{LaneOutput, TrainEvent, TrainInput};
use super::lane::{inverted, ArrivedSet};
use super::machine::LinkTrain;
use super::probation::{LaneProbation, PrbsWords};
use super::watch::{LaneNoise, LaneWatch, OnLanes};
use crate::control::{Control, Half};
use crate::degrade::{DegradeConfig, DegradeConfigError};
use crate::pair::{BitErrorRate, Monitor, Violation};
use crate::retry::{Arrival, Fault, LinkLtp, Origin, RetryConfig, RetryPort, Sent, Token};
use flitforge_protocol::counter::LinkCounter;
use flitforge_protocol::lane_word::{MAX_LANES, TRAINING_SET_WORDS};
use flitforge_protocol::link::LinkState;
use flitforge_protocol::retry::INIT_SILENCE_LTPS;
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
#[derive(Debug, Clone)]
struct Frame {
    lanes: [LaneOutput; MAX_LANES],
    ltp: Option<LinkLtp<Token>>,
    on_lanes: OnLanes,
    /// What lanes in probation carry.
    prbs: PrbsWords,
}

#[derive(Debug, Clone)]
struct End {
    train: LinkTrain,
    port: RetryPort<Token>,
    events: VecDeque<TrainEvent>,
    /// Why the last Retraining of this end was asked for.
    fault: Option<Fault>,
    /// LTP times in Init since the last row.
    silent: u32,
    /// Noise of the lanes this end sends on.
    noise: Option<LaneNoise>,
    /// The search for noisy lanes that this end receives on.
    watch: Option<LaneWatch>,
    /// Lanes that are not used: what this end sends on them, and what it sees of the peer's.
    probation: Option<LaneProbation>,
    /// Frames on their way to this end.
    inbox: VecDeque<Frame>,
}

/// Steps from one end to the other, unless [`TrainPair::with_delay`] says other.
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
    delay: usize,
    steps: u64,
    resetting: bool,
    removals: Vec<(usize, u8)>,
    returns: Vec<(usize, u8)>,
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
                silent: 0,
                noise: None,
                watch: None,
                probation: None,
                inbox: VecDeque::new(),
            })
        };
        let [first, second] = configs;
        let monitors = [0, 1].map(|from| Monitor::new(from, retry.slots));
        Ok(TrainPair {
            ends: [end(first)?, end(second)?],
            cables,
            monitors,
            delay: DELAY,
            steps: 0,
            resetting: true,
            removals: Vec::new(),
            returns: Vec::new(),
        })
    }

    /// With another way between the ends, in training-set times, at least 1.
    #[must_use]
    pub fn with_delay(self, delay: usize) -> Self {
        TrainPair { delay: delay.max(1), ..self }
    }

    /// Gives the lanes noise, by the sending end, and the receivers isolation and debts. For modes 0 and 1.
    pub fn watch_lanes(
        &mut self,
        config: DegradeConfig,
        noise: [[BitErrorRate; MAX_LANES]; 2],
        seed: u64,
    ) -> Result<(), DegradeConfigError> {
        for (index, (end, rates)) in self.ends.iter_mut().zip(noise).enumerate() {
            end.noise = Some(LaneNoise::new(rates, seed.wrapping_add(index as u64)));
            end.watch = Some(LaneWatch::new(config)?);
            end.probation = end.train.config().probation.then(|| LaneProbation::new(config));
        }
        Ok(())
    }

    /// A lane that end `from` sends on has this noise from now on, if [`TrainPair::watch_lanes`] was called.
    pub fn set_noise(&mut self, from: usize, lane: usize, rate: BitErrorRate) {
        if let Some(noise) = &mut self.ends[from].noise {
            noise.set_rate(lane, rate);
        }
    }

    /// Isolation and debts of the receiver at `end`.
    #[must_use]
    pub const fn watch(&self, end: usize) -> Option<&LaneWatch> {
        self.ends[end].watch.as_ref()
    }

    /// Retry of one end.
    #[must_use]
    pub const fn port(&self, end: usize) -> &RetryPort<Token> {
        &self.ends[end].port
    }

    /// Lanes removed since the last call, each with the end that removed it.
    pub fn take_removals(&mut self) -> Vec<(usize, u8)> {
        std::mem::take(&mut self.removals)
    }

    /// Lanes that came back since the last call, each with the end that asks for it.
    pub fn take_returns(&mut self) -> Vec<(usize, u8)> {
        std::mem::take(&mut self.returns)
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
        let frames = [0, 1]
            .map(|end| (self.ends[end].inbox.len() >= self.delay).then(|| self.ends[end].inbox.pop_front()));
        let [first, second] = frames.map(Option::flatten);
        let (from_first, from_second) = (self.step_end(0, first), self.step_end(1, second));
        self.ends[1].inbox.push_back(from_first);
        self.ends[0].inbox.push_back(from_second);
        self.steps += 1;
        self.monitors.iter().find_map(Monitor::first).map_or(Ok(()), Err)
    }

    fn step_end(&mut self, end: usize, frame: Option<Frame>) -> Frame {
        let mut input = frame.as_ref().map_or_else(TrainInput::default, |frame| self.input(end, frame));
        self.receive_ltp(end, frame.as_ref());
        self.miss_rows(end, frame.as_ref());
        if self.ends[end].port.is_active() && self.ends[end].train.state() == LinkState::Init {
            self.ends[end].events.push_front(TrainEvent::InitDone);
            if std::mem::take(&mut self.resetting) {
                self.monitors.iter_mut().for_each(Monitor::reset);
            }
        }
        input.event = self.ends[end].events.pop_front();
        let before = self.ends[end].train.state();
        if let (Some(TrainEvent::Restore), Some(probation)) = (input.event, &mut self.ends[end].probation) {
            probation.forget();
        }
        let lanes = self.ends[end].train.step(&input);
        self.follow(end, before);
        let started = lanes.iter().any(|lane| matches!(lane, LaneOutput::Start(_)));
        let ltp = if started { None } else { self.next_ltp(end) };
        let on_lanes = self.put_on_lanes(end, started, ltp.as_ref());
        let End { probation, noise, .. } = &mut self.ends[end];
        let prbs = probation.as_mut().map(|probation| probation.send(&lanes, noise)).unwrap_or_default();
        Frame { lanes, ltp, on_lanes, prbs }
    }

    /// Retry follows the state of training.
    fn follow(&mut self, end: usize, before: LinkState) {
        let End { train, port, fault, events, watch, probation, .. } = &mut self.ends[end];
        let linked = |state| matches!(state, LinkState::Init | LinkState::Active | LinkState::Degraded);
        match (linked(before), linked(train.state())) {
            (false, true) => {
                self.resetting |= port.is_fresh();
                port.start_init();
                if let (Some(watch), Some(rx)) = (watch.as_mut(), train.rx()) {
                    watch.start(rx);
                }
                if let (Some(probation), Some(rx)) = (probation.as_mut(), train.rx()) {
                    probation.start(rx, train.config().allowed);
                }
            }
            (true, false) if train.state() == LinkState::Retraining => {
                let go_on = port.retrain(fault.take());
                events.extend((!go_on).then_some(TrainEvent::GiveUp));
            }
            _ => (),
        }
        if matches!(train.state(), LinkState::Down | LinkState::Polling) && !port.is_fresh() {
            port.shut_down();
            watch.iter_mut().for_each(LaneWatch::forget);
            probation.iter_mut().for_each(LaneProbation::forget);
            self.resetting = true;
        }
    }

    fn next_ltp(&mut self, end: usize) -> Option<LinkLtp<Token>> {
        let End { train, port, events, fault, watch, .. } = &mut self.ends[end];
        if !(train.is_active() || train.state() == LinkState::Init) {
            return None;
        }
        let token = Token::new(end, self.monitors[end].sent(), 0);
        let turn = port.send(self.steps, || token);
        *fault = fault.or(turn.fault);
        let lane = turn.fault.and_then(|fault| watch.as_mut()?.fault(fault));
        events.extend(lane.map(TrainEvent::RemoveLane));
        self.removals.extend(lane.map(|lane| (end, lane)));
        events.extend(turn.fault.map(event_of));
        let sent = turn.sent?;
        if is_first_request(&sent) {
            watch.iter_mut().for_each(LaneWatch::request);
        }
        if matches!(sent.origin, Origin::Original(_)) {
            self.monitors[end].original(self.steps);
        }
        Some(sent.ltp)
    }

    fn put_on_lanes(&mut self, end: usize, started: bool, ltp: Option<&LinkLtp<Token>>) -> OnLanes {
        let End { train, noise: Some(noise), .. } = &mut self.ends[end] else { return OnLanes::default() };
        if started {
            noise.start_row();
        }
        match (ltp, train.tx()) {
            (Some(ltp), Some(tx)) => noise.send(ltp, tx),
            _ => OnLanes::default(),
        }
    }

    /// An LTP is good if all lanes used carry data.
    fn receive_ltp(&mut self, end: usize, frame: Option<&Frame>) {
        let End { train, port, events, fault, watch, probation, .. } = &mut self.ends[end];
        let Some(rx) = train.rx().filter(|_| train.is_started() && !port.is_off()) else { return };
        let cable = self.cables[1 - end];
        let is_data = |frame: &Frame| {
            let mut used = (0..MAX_LANES).filter(|lane| rx.lanes >> lane & 1 == 1);
            used.all(|lane| !cable.dead[lane] && frame.lanes[lane] == LaneOutput::Data)
        };
        let data = frame.filter(|frame| is_data(frame));
        let good = data.filter(|frame| frame.on_lanes.damaged.is_none()).and_then(|frame| frame.ltp);
        let before = tossed(port);
        let reception = port.receive(self.steps, good.map_or(Arrival::Bad, Arrival::Good));
        if let Some(watch) = watch {
            let by_debt =
                data.and_then(|frame| watch.receive(&frame.on_lanes, &reception, tossed(port) > before));
            let lane = by_debt.or_else(|| reception.fault.and_then(|fault| watch.fault(fault)));
            events.extend(lane.map(TrainEvent::RemoveLane));
            self.removals.extend(lane.map(|lane| (end, lane)));
        }
        if let (Some(probation), true) = (probation, train.is_active()) {
            let prbs = frame.map(|frame| frame.prbs.without(cable.dead)).unwrap_or_default();
            let lanes = probation.receive(&prbs);
            if lanes != 0 {
                events.push_back(TrainEvent::ReturnLanes(lanes));
                self.returns.extend(
                    (0..MAX_LANES as u8).filter(|lane| lanes >> lane & 1 == 1).map(|lane| (end, lane)),
                );
            }
        }
        if let Some(delivered) = reception.delivered {
            self.monitors[1 - end].deliver(self.steps, &delivered.payload, delivered.late);
        }
        *fault = fault.or(reception.fault);
        events.extend(reception.fault.map(event_of));
    }

    /// An end in Init that has had no row for so long trains again: the peer's start row was lost.
    fn miss_rows(&mut self, end: usize, frame: Option<&Frame>) {
        let cable = self.cables[1 - end];
        let carries = |frame: &Frame| {
            (0..MAX_LANES).any(|lane| !cable.dead[lane] && frame.lanes[lane] == LaneOutput::Data)
        };
        let End { train, events, silent, .. } = &mut self.ends[end];
        let comes = train.is_started() && frame.is_some_and(carries);
        *silent = if comes || train.state() != LinkState::Init { 0 } else { *silent + 1 };
        if *silent >= INIT_SILENCE_LTPS {
            *silent = 0;
            events.push_back(TrainEvent::Retrain);
        }
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
                LaneOutput::Quiet | LaneOutput::Data | LaneOutput::Prbs => (),
            }
        }
        input
    }
}

/// LTPs that the receiver has tossed in TOSS.
pub(crate) fn tossed(port: &RetryPort<Token>) -> u64 {
    port.rx().counters().get(LinkCounter::RxTossed)
}

/// A RetryReq.0: what it and its .1 cost counts against a lane.
pub(crate) fn is_first_request(sent: &Sent<Token>) -> bool {
    matches!(sent.ltp, LinkLtp::Null(Control::RetryReq { half: Half::First, .. }))
}

/// What a fault of retry asks of training.
pub(crate) fn event_of(fault: Fault) -> TrainEvent {
    match fault {
        Fault::InitTimeout => TrainEvent::InitTimeout,
        _ => TrainEvent::Retrain,
    }
}
