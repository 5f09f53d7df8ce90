//! Exhaustive check of training: the product of both ends, every loss and restart at every step (chapter 10, 9, point
//! 10: "no state without exit").
//!
//! The state machine is the one of [`LinkTrain`], with short counts and timeouts and few lanes. Above it stands a
//! small stand-in for Init and retry, which keeps only what training depends on: whose Init Null was seen, and to which
//! start of both ends the pointers belong.

use super::config::{TrainConfig, TrainConfigError};
use super::io::{Direction, LaneOutput, TrainEvent, TrainInput};
use super::lane::ArrivedSet;
use super::machine::LinkTrain;
use crate::explore::{explore, ExploreError, System};
use crate::training::Polarity;
use flitforge_protocol::lane_word::MAX_LANES;
use flitforge_protocol::link::LinkState;
use flitforge_protocol::training::LAST_REQUEST;
use std::collections::HashSet;
use std::hash::{Hash, Hasher};
use std::rc::Rc;
use thiserror::Error;

/// Epochs are told apart modulo this.
const EPOCHS: u16 = 3;
/// Steps of Init before its timeout.
const INIT_STEPS: u8 = 3;
/// Times in a row without an LTP after which framing counts as lost.
const BAD_RUN: u8 = 2;

/// What the stand-in sends in place of an LTP.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Message {
    Init { ack: bool, fresh: bool, session: Option<Session> },
    Traffic,
}

/// The start of both ends that the pointers of retry belong to: the epochs of end 0 and end 1.
type Session = (u16, u16);

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct End {
    train: LinkTrain,
    seen: bool,
    acknowledged: bool,
    session: Option<Session>,
    bad: u8,
    timer: u8,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Frame {
    lanes: [LaneOutput; MAX_LANES],
    message: Option<Message>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Pair {
    ends: [End; 2],
    /// What is on its way to each end.
    line: [Option<Frame>; 2],
}

/// What may happen in one step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Choice {
    /// Lanes that lose their words, by the receiving end.
    lost: [u8; 2],
    event: Option<(usize, TrainEvent)>,
}

const QUIET: Choice = Choice { lost: [0; 2], event: None };

/// What the check found out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Checked {
    /// Different states of the pair.
    pub states: usize,
    /// Steps between them.
    pub steps: usize,
    /// Different pairs of link states of the two ends, of 64.
    pub state_pairs: usize,
    /// Longest way from any state to an Active link when nothing more goes wrong, in training-set times.
    pub longest_recovery: usize,
}

/// A state that should not be.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CheckError {
    /// Parameters that cannot work.
    #[error(transparent)]
    Config(#[from] TrainConfigError),
    /// Both ends are Active and differ about a direction.
    #[error("link training, after {path:?}: both ends Active, sends on {tx:?}, receives on {rx:?}")]
    Differ {
        /// Lanes and mode of the sender.
        tx: Option<Direction>,
        /// Lanes and mode of the receiver.
        rx: Option<Direction>,
        /// States on the way.
        path: Vec<[LinkState; 2]>,
    },
    /// Neither end is fresh, but their pointers belong to different starts.
    #[error(
        "link training: an end goes on with pointers of start {mine:?}, its peer with those of {yours:?}"
    )]
    Pointers {
        /// Of this end.
        mine: Option<Session>,
        /// Of the peer.
        yours: Option<Session>,
    },
    /// With nothing more going wrong the link does not come up.
    #[error("link training: a state without a way out")]
    Stuck,
    /// The limit was reached.
    #[error("link training: more than {limit} states; raise the limit or lower the troubles")]
    TooMany {
        /// The limit.
        limit: usize,
    },
}

impl Pair {
    fn new(config: TrainConfig) -> Result<Self, TrainConfigError> {
        let end = || -> Result<End, TrainConfigError> {
            let mut train = LinkTrain::new(config)?;
            train.step(&TrainInput { event: Some(TrainEvent::Enable), ..TrainInput::default() });
            train.fold(EPOCHS);
            Ok(End { train, seen: false, acknowledged: false, session: None, bad: 0, timer: 0 })
        };
        Ok(Pair { ends: [end()?, end()?], line: [None; 2] })
    }

    fn states(&self) -> [LinkState; 2] {
        [0, 1].map(|end| self.ends[end].train.state())
    }

    fn is_active(&self) -> bool {
        self.ends.iter().all(|end| end.train.is_active())
    }

    fn step(&mut self, choice: Choice) -> Result<(), CheckError> {
        let line = std::mem::take(&mut self.line);
        for (end, frame) in line.into_iter().enumerate() {
            let event = choice.event.and_then(|(of, event)| (of == end).then_some(event));
            let frame = frame.map(|frame| frame.without(choice.lost[end]));
            self.line[1 - end] = Some(self.step_end(end, frame, event)?);
        }
        self.renumber();
        self.check_directions()
    }

    /// Counts the requests of both ends back from their last.
    fn renumber(&mut self) {
        let last = [0, 1].map(|end| self.ends[end].train.request());
        let back = |end: usize| move |request: u8| if request == 0 { 0 } else { before(last[end], request) };
        for end in 0..2 {
            self.ends[end].train.renumber(back(end), back(1 - end));
            if let Some(frame) = &mut self.line[end] {
                frame.lanes.iter_mut().for_each(|lane| lane.renumber(back(1 - end), back(end)));
            }
        }
    }

    fn step_end(
        &mut self,
        end: usize,
        frame: Option<Frame>,
        event: Option<TrainEvent>,
    ) -> Result<Frame, CheckError> {
        let mut this = self.ends[end].clone();
        let message = frame.and_then(|frame| frame.message_for(&this.train));
        let asked = this.receive(end, message)?;
        let before = this.train.state();
        let mut input = frame.map_or_else(TrainInput::default, Frame::input);
        input.event = event.or(asked);
        let lanes = this.train.step(&input);
        this.train.fold(EPOCHS);
        if before != this.train.state() {
            (this.seen, this.acknowledged, this.bad, this.timer) = (false, false, 0, 0);
        }
        if matches!(this.train.state(), LinkState::Down | LinkState::Polling) {
            this.session = None;
        }
        let started = lanes.iter().any(|lane| matches!(lane, LaneOutput::Start(_)));
        let message = (!started).then(|| this.message()).flatten();
        self.ends[end] = this;
        Ok(Frame { lanes: lanes.map(LaneOutput::folded), message })
    }

    fn check_directions(&self) -> Result<(), CheckError> {
        for from in 0..2 {
            let (tx, rx) = (self.ends[from].train.tx(), self.ends[1 - from].train.rx());
            // an end that was restarted or retrained with the other not knowing yet may differ for the moment; ends
            // that go on with the same start may not
            let same_start = self.ends[0].session.is_some() && self.ends[0].session == self.ends[1].session;
            if self.is_active() && same_start && self.is_heard() && tx != rx {
                return Err(CheckError::Differ { tx, rx, path: vec![self.states()] });
            }
        }
        Ok(())
    }

    /// Up, of one start, traffic both ways, nothing else on the line.
    fn is_at_rest(&self) -> bool {
        self.is_active()
            && self.is_heard()
            && self.ends[0].session == self.ends[1].session
            && self.line.iter().flatten().all(|frame| frame.message == Some(Message::Traffic))
    }

    /// Both ends take the other's traffic at this moment.
    fn is_heard(&self) -> bool {
        self.ends.iter().all(|end| end.bad == 0 && end.train.is_started())
    }
}

impl End {
    /// Acts on the stand-in's message; what it asks of training.
    fn receive(&mut self, end: usize, message: Option<Message>) -> Result<Option<TrainEvent>, CheckError> {
        let in_init = self.train.state() == LinkState::Init;
        if !in_init && !self.train.is_active() {
            return Ok(None);
        }
        self.bad = if message.is_some() { 0 } else { self.bad + 1 };
        match message {
            Some(Message::Init { ack, fresh, session }) if in_init => {
                self.take_init(end, fresh, session)?;
                self.acknowledged |= ack;
            }
            Some(Message::Traffic) if in_init => self.acknowledged |= self.seen,
            _ => (),
        }
        if !in_init {
            let lost = self.bad >= BAD_RUN;
            self.bad = self.bad.min(BAD_RUN);
            return Ok(lost.then_some(TrainEvent::Retrain));
        }
        self.bad = 0;
        self.timer += 1;
        Ok(match (self.acknowledged, self.timer > INIT_STEPS) {
            (true, _) => Some(TrainEvent::InitDone),
            (false, true) => Some(TrainEvent::InitTimeout),
            (false, false) => None,
        })
    }

    /// InitReq or InitAck: a fresh start of either end makes a new start of both; else the pointers must belong together.
    fn take_init(
        &mut self,
        end: usize,
        peer_fresh: bool,
        peer_session: Option<Session>,
    ) -> Result<(), CheckError> {
        if self.seen {
            return Ok(());
        }
        self.seen = true;
        if peer_fresh || self.train.is_fresh() {
            let (mine, yours) = (self.train.epoch(), self.train.peer_epoch().unwrap_or_default());
            self.session = Some(if end == 0 { (mine, yours) } else { (yours, mine) });
        } else if self.session != peer_session {
            return Err(CheckError::Pointers { mine: self.session, yours: peer_session });
        }
        Ok(())
    }

    fn message(&self) -> Option<Message> {
        match self.train.state() {
            LinkState::Init => {
                Some(Message::Init { ack: self.seen, fresh: self.train.is_fresh(), session: self.session })
            }
            LinkState::Active | LinkState::Degraded => Some(Message::Traffic),
            _ => None,
        }
    }
}

/// The number of a request if the end's last one had the highest.
const fn before(last: u8, request: u8) -> u8 {
    (request + LAST_REQUEST - last + LAST_REQUEST - 1) % LAST_REQUEST + 1
}

impl LaneOutput {
    fn renumber(&mut self, mine: impl Fn(u8) -> u8, theirs: impl Fn(u8) -> u8) {
        if let LaneOutput::Set(set) = self {
            (set.request, set.answer) = (mine(set.request), theirs(set.answer));
        }
    }

    /// With the free-running count of training sets cut short.
    fn folded(self) -> Self {
        match self {
            LaneOutput::Set(mut set) => {
                set.count = 0;
                set.epoch %= EPOCHS;
                LaneOutput::Set(set)
            }
            other => other,
        }
    }
}

impl Frame {
    fn without(mut self, lost: u8) -> Self {
        for lane in (0..MAX_LANES).filter(|lane| lost >> lane & 1 == 1) {
            self.lanes[lane] = LaneOutput::Quiet;
        }
        self
    }

    /// The message, if every lane the receiver uses carries data.
    fn message_for(&self, train: &LinkTrain) -> Option<Message> {
        let rx = train.rx().filter(|_| train.is_started())?;
        let mut used = (0..MAX_LANES).filter(|lane| rx.lanes >> lane & 1 == 1);
        self.message.filter(|_| used.all(|lane| self.lanes[lane] == LaneOutput::Data))
    }

    fn input(self) -> TrainInput {
        let mut input = TrainInput::default();
        for (lane, output) in self.lanes.into_iter().enumerate() {
            match output {
                LaneOutput::Set(set) => {
                    input.sets[lane] = Some(ArrivedSet { set, polarity: Polarity::Normal, arrival: 0 });
                }
                LaneOutput::Start(start) => input.start = Some(start),
                LaneOutput::Quiet | LaneOutput::Data | LaneOutput::Prbs => (),
            }
        }
        input
    }
}

/// Every step from a state: each combination of losses without an event, each event without a loss.
fn choices(lanes: usize, events: &[TrainEvent]) -> Vec<Choice> {
    let all = (1u8 << lanes) - 1;
    // no lane, the last lane, all lanes
    let mut losses = vec![0, 1 << (lanes - 1), all];
    losses.dedup();
    let pairs = losses.iter().flat_map(|&first| losses.iter().map(move |&second| [first, second]));
    let lost = pairs.map(|lost| Choice { lost, event: None });
    let asked =
        events.iter().flat_map(|&event| [0, 1].map(|end| Choice { lost: [0; 2], event: Some((end, event)) }));
    lost.chain(asked).collect()
}

/// The pair with what may happen to it.
#[derive(Debug, Clone)]
struct Checking {
    pair: Pair,
    choices: Rc<[Choice]>,
}

impl Hash for Checking {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.pair.hash(state);
    }
}

impl System for Checking {
    type Violation = CheckError;

    fn troubles(&self) -> usize {
        self.choices.len()
    }

    fn weight(&self, _: usize) -> usize {
        1
    }

    /// The quiet step ends a lane test, as its watchdog does.
    fn step(&mut self, trouble: Option<usize>) -> Result<(), CheckError> {
        let choice = trouble.map_or_else(
            || {
                let bist = (0..2).find(|&end| self.pair.ends[end].train.state() == LinkState::Bist);
                Choice { event: bist.map(|end| (end, TrainEvent::BistEnd)), ..QUIET }
            },
            |trouble| self.choices[trouble],
        );
        self.pair.step(choice)
    }

    fn is_at_rest(&self) -> bool {
        self.pair.is_at_rest()
    }

    fn is_good(&self) -> bool {
        self.pair.is_active()
    }
}

/// What [`check`] goes through.
#[derive(Debug, Clone, Copy)]
pub struct CheckBounds<'a> {
    /// What may happen to either end, besides losses.
    pub events: &'a [TrainEvent],
    /// Steps with a loss or an event between two times at which the link is up and at rest.
    pub troubles: usize,
    /// States.
    pub states: usize,
}

/// Visits every state that can be reached within `bounds` from Down and from every state in which the link is up and
/// at rest, and shows that both ends agree when they are Active, that pointers are never mixed, and that from every
/// state the link comes up when nothing more goes wrong (BIST, whose end is software's, is ended).
pub fn check(config: TrainConfig, bounds: CheckBounds<'_>) -> Result<Checked, CheckError> {
    let mut choices = choices(config.lanes, bounds.events);
    choices.retain(|choice| *choice != QUIET);
    let start = Checking { pair: Pair::new(config)?, choices: choices.into() };
    let mut pairs: HashSet<[LinkState; 2]> = HashSet::new();
    let explored = explore(start, bounds.troubles, bounds.states, |checking| {
        pairs.insert(checking.pair.states());
    });
    let explored = explored.map_err(|error| match error {
        ExploreError::Violation(violation) => violation,
        ExploreError::Stuck => CheckError::Stuck,
        ExploreError::TooMany { limit } => CheckError::TooMany { limit },
    })?;
    Ok(Checked {
        states: explored.states,
        steps: explored.steps,
        state_pairs: pairs.len(),
        longest_recovery: explored.longest_recovery,
    })
}
