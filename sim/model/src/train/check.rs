//! Exhaustive check of training: the product of both ends, every loss and restart at every step (chapter 10, 9, point
//! 10: "no state without exit").
//!
//! The state machine is the one of [`LinkTrain`], with short counts and timeouts and few lanes. Above it stands a
//! small stand-in for Init and retry, which keeps only what training depends on: whose Init Null was seen, and to which
//! start of both ends the pointers belong.
//!
//! States are told apart by a 128-bit hash. Two different states with one hash would hide one of them; for a million
//! states the chance is 10^-26.

use super::config::{TrainConfig, TrainConfigError};
use super::io::{Direction, LaneOutput, TrainEvent, TrainInput};
use super::lane::ArrivedSet;
use super::machine::LinkTrain;
use crate::training::Polarity;
use flitforge_protocol::lane_word::MAX_LANES;
use flitforge_protocol::link::LinkState;
use std::collections::hash_map::DefaultHasher;
use std::collections::{HashMap, HashSet};
use std::hash::{Hash, Hasher};
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
pub struct Explored {
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
    #[error("link training: no way out of {states:?}")]
    Stuck {
        /// States of both ends.
        states: [LinkState; 2],
    },
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
        self.check_directions()
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

impl LaneOutput {
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
                LaneOutput::Quiet | LaneOutput::Data => (),
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

fn fingerprint(pair: &Pair) -> u128 {
    let half = |salt: u64| {
        let mut hasher = DefaultHasher::new();
        salt.hash(&mut hasher);
        pair.hash(&mut hasher);
        u128::from(hasher.finish())
    };
    half(1) << 64 | half(2)
}

/// What is known of a state: the next one when nothing goes wrong, whether the link is up in it, and how many troubled
/// steps led here since the link was last up and at rest.
#[derive(Debug, Clone, Copy)]
struct Known {
    next: u128,
    up: bool,
    troubles: usize,
    states: [LinkState; 2],
}

/// What [`explore`] goes through.
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
pub fn explore(config: TrainConfig, bounds: CheckBounds<'_>) -> Result<Explored, CheckError> {
    let choices = choices(config.lanes, bounds.events);
    let mut known: HashMap<u128, Known> = HashMap::new();
    let mut queues = vec![Vec::new(); bounds.troubles + 1];
    queues[0].push(Pair::new(config)?);
    let mut steps = 0;
    while let Some(troubles) = queues.iter().position(|queue| !queue.is_empty()) {
        let Some(pair) = queues[troubles].pop() else { continue };
        let troubles = if pair.is_at_rest() { 0 } else { troubles };
        let mark = fingerprint(&pair);
        if known.get(&mark).is_some_and(|known| known.troubles <= troubles) {
            continue;
        }
        if known.len() >= bounds.states {
            return Err(CheckError::TooMany { limit: bounds.states });
        }
        let next = quiet_step(&pair)?;
        known.insert(
            mark,
            Known { next: fingerprint(&next), up: pair.is_active(), troubles, states: pair.states() },
        );
        queues[troubles].push(next);
        steps += 1;
        if troubles < bounds.troubles {
            for &choice in choices.iter().filter(|choice| **choice != QUIET) {
                let mut next = pair.clone();
                next.step(choice)?;
                queues[troubles + 1].push(next);
                steps += 1;
            }
        }
    }
    let longest_recovery = longest_recovery(&known)?;
    let pairs: HashSet<[LinkState; 2]> = known.values().map(|known| known.states).collect();
    Ok(Explored { states: known.len(), steps, state_pairs: pairs.len(), longest_recovery })
}

/// The step in which nothing goes wrong; a lane test is ended, as its watchdog does.
fn quiet_step(pair: &Pair) -> Result<Pair, CheckError> {
    let bist = (0..2).find(|&end| pair.ends[end].train.state() == LinkState::Bist);
    let mut next = pair.clone();
    next.step(Choice { event: bist.map(|end| (end, TrainEvent::BistEnd)), ..QUIET })?;
    Ok(next)
}

/// Follows the quiet steps: all must end in a circle of states in which the link is up.
fn longest_recovery(known: &HashMap<u128, Known>) -> Result<usize, CheckError> {
    // steps to the last state that is not up, from states already followed
    let mut distance: HashMap<u128, usize> = HashMap::new();
    for &mark in known.keys() {
        let mut path = Vec::new();
        let mut on_path = HashMap::new();
        let mut at = mark;
        while !distance.contains_key(&at) && !on_path.contains_key(&at) {
            on_path.insert(at, path.len());
            path.push(at);
            at = known[&at].next;
        }
        if let Some(&circle) = on_path.get(&at) {
            if let Some(down) = path[circle..].iter().find(|mark| !known[*mark].up) {
                return Err(CheckError::Stuck { states: known[down].states });
            }
            path.drain(circle..).for_each(|mark| {
                distance.insert(mark, 0);
            });
        }
        let mut steps = distance[&at];
        for &mark in path.iter().rev() {
            if steps > 0 || !known[&mark].up {
                steps += 1;
            }
            distance.insert(mark, steps);
        }
    }
    Ok(distance.into_values().max().unwrap_or_default())
}
