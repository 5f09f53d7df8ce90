//! Two ends with time in clocks: the lanes carry a word in each clock, so that an LTP takes 33/L of them.

use super::noise::BitNoise;
use super::rates::{SECONDS_1E4_YEARS, WORD_HZ};
use super::spread::standard_error;
use super::undetected::chance;
use crate::counters::Counters;
use crate::degrade::{DegradeConfig, DegradeConfigError};
use crate::isolate::physical_lanes;
use crate::pair::{BitErrorRate, Monitor, Violation};
use crate::retry::{Arrival, Fault, LinkLtp, Origin, RetryConfig, RetryConfigError, RetryPort, Token};
use crate::train::{
    event_of, is_first_request, tossed, ArrivedSet, Direction, LaneOutput, LaneWatch, LinkTrain, ModeOffer,
    OnLanes, TrainConfig, TrainConfigError, TrainEvent, TrainInput,
};
use crate::training::{Polarity, StartWord};
use flitforge_protocol::lane_word::{MAX_LANES, TRAINING_SET_WORDS};
use flitforge_protocol::link::LinkState;
use flitforge_protocol::ltp::{ltp_words, CrcMode, FLITS_PER_LTP, WORD_BITS};
use flitforge_protocol::retry::INIT_SILENCE_LTPS;
use flitforge_protocol::training::CLOCKS_PER_SET;
use serde::Serialize;
use std::collections::{BTreeMap, VecDeque};
use thiserror::Error;

/// Parts of a clock: LTP times on 1 to 4 lanes are whole numbers of them.
const TICKS: u64 = 12;
/// Ticks of a training-set time.
const SET_TICKS: u64 = CLOCKS_PER_SET as u64 * TICKS;
/// Ticks from the last bit out of one end to the verdict at the other: 20 clocks. With them the rates with DEGRADE.enable = 0 are
/// those of two ports in Verilog.
const DELAY_TICKS: u64 = 20 * TICKS;
/// Ticks from a training set's first word to the step that looks at it.
const SET_DELAY_TICKS: u64 = 3 * SET_TICKS;
/// Parts of the measurement.
const PARTS: usize = 16;
/// Data bits of a flit.
const FLIT_BITS: u64 = 64;

/// What to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GoodputParameters {
    /// Lane removal of both ends.
    pub degrade: DegradeConfig,
    /// Lanes that may be used, both ways; bit l = lane l.
    pub allowed: u8,
    /// CRC mode; 3 becomes 2 below three lanes.
    pub mode: CrcMode,
    /// Retry of both ends.
    pub retry: RetryConfig,
    /// Bit error rate of each lane, both ways.
    pub rates: [BitErrorRate; MAX_LANES],
    /// Clocks before the measurement, in which lanes may go.
    pub settle: u64,
    /// Clocks of the measurement.
    pub clocks: u64,
}

/// What came of it. Shares and rates are those of the measurement, counts those of the whole run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GoodputReport {
    /// Flit bits delivered as a share of the bits that four lanes carry, both directions together.
    pub goodput: f64,
    /// Standard error of it, from 16 equal parts of the measurement.
    pub error: f64,
    /// LTPs that a CRC takes for good although they are not, in 10^4 years at 4 x 5 Gb/s, one direction: worked out from the
    /// patterns of four wrong bits (seven in mode 2), not simulated.
    pub undetected_1e4_years: f64,
    /// Lanes left in the direction from each end, bit l = lane l; 0: Down.
    pub lanes: [u8; 2],
    /// Lanes removed: clock, the end that removed it (the receiver) and the lane.
    pub removals: Vec<(u64, usize, u8)>,
    /// LTPs given up because the link started afresh.
    pub lost_on_reset: u64,
    /// Counters of both ends together, those that are not zero.
    pub counters: BTreeMap<String, u64>,
}

/// A run that failed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum GoodputError {
    /// Training parameters that cannot work.
    #[error(transparent)]
    Train(#[from] TrainConfigError),
    /// Retry parameters that cannot work.
    #[error(transparent)]
    Retry(#[from] RetryConfigError),
    /// Parameters of lane removal that cannot work.
    #[error(transparent)]
    Degrade(#[from] DegradeConfigError),
    /// A promise of the link was broken.
    #[error("goodput, seed {seed:#x}: {violation}")]
    Violation {
        /// The seed, to repeat the run.
        seed: u64,
        /// The broken promise.
        violation: Violation,
    },
}

/// What comes over the lanes.
#[derive(Debug, Clone)]
enum Item {
    Sets { lanes: [LaneOutput; MAX_LANES], corrupted: u8, at: u64 },
    Ltp { ltp: LinkLtp<Token>, on_lanes: OnLanes },
}

struct End {
    train: LinkTrain,
    port: RetryPort<Token>,
    watch: LaneWatch,
    noise: BitNoise,
    events: VecDeque<TrainEvent>,
    /// Why the last Retraining of this end was asked for.
    fault: Option<Fault>,
    /// LTP times in Init since the last row.
    silent: u32,
    inbox: VecDeque<(u64, Item)>,
    /// What has come for the next step of training.
    input: TrainInput,
    /// When the next LTP may begin.
    boundary: u64,
}

struct Bench {
    ends: [End; 2],
    monitors: [Monitor; 2],
    now: u64,
    resetting: bool,
    removals: Vec<(u64, usize, u8)>,
    /// Chance that an LTP on these lanes is wrong and taken for good.
    undetected: [f64; 1 << MAX_LANES],
    undetected_sum: f64,
}

/// Runs two ends for `settle + clocks` clocks.
pub fn goodput(parameters: &GoodputParameters, seed: u64) -> Result<GoodputReport, GoodputError> {
    let mut bench = Bench::new(parameters, seed)?;
    let failed = |violation| GoodputError::Violation { seed, violation };
    bench.run_to(parameters.settle * TICKS).map_err(failed)?;
    bench.undetected_sum = 0.0;
    let mut parts = [0; PARTS];
    for (part, delivered) in parts.iter_mut().enumerate() {
        let before = bench.delivered();
        let clocks = parameters.settle + parameters.clocks * (part as u64 + 1) / PARTS as u64;
        bench.run_to(clocks * TICKS).map_err(failed)?;
        *delivered = bench.delivered() - before;
    }
    Ok(bench.report(parameters, parts))
}

impl Bench {
    fn new(parameters: &GoodputParameters, seed: u64) -> Result<Self, GoodputError> {
        parameters.retry.check()?;
        let train = TrainConfig::default();
        let capabilities = match parameters.mode {
            CrcMode::Standard => 0,
            CrcMode::Bits14 => 1,
            _ => 7,
        };
        let modes = ModeOffer { capabilities, preferred: parameters.mode.code(), ..train.modes };
        let train = TrainConfig { allowed: parameters.allowed, modes, ..train };
        let end = |index: u64| -> Result<End, GoodputError> {
            Ok(End {
                train: LinkTrain::new(train)?,
                port: RetryPort::new(parameters.retry, ltp_ticks_of(None))?,
                watch: LaneWatch::new(parameters.degrade)?,
                noise: BitNoise::new(parameters.rates, seed.wrapping_mul(2).wrapping_add(index)),
                events: [TrainEvent::Enable].into(),
                fault: None,
                silent: 0,
                inbox: VecDeque::new(),
                input: TrainInput::default(),
                boundary: 0,
            })
        };
        Ok(Bench {
            ends: [end(0)?, end(1)?],
            monitors: [0, 1].map(|from| Monitor::new(from, parameters.retry.slots)),
            now: 0,
            resetting: true,
            removals: Vec::new(),
            undetected: std::array::from_fn(|lanes| undetected(parameters, lanes as u8)),
            undetected_sum: 0.0,
        })
    }

    fn delivered(&self) -> u64 {
        self.monitors.iter().map(Monitor::delivered).sum()
    }

    /// Runs until this tick, or to the first broken promise.
    fn run_to(&mut self, end: u64) -> Result<(), Violation> {
        while self.now < end {
            for index in 0..2 {
                self.arrive(index);
            }
            if self.now % SET_TICKS == 0 {
                for index in 0..2 {
                    self.step(index);
                }
            }
            for index in 0..2 {
                if self.is_linked(index) && self.ends[index].boundary <= self.now {
                    self.send(index);
                }
            }
            if let Some(violation) = self.monitors.iter().find_map(Monitor::first) {
                return Err(violation);
            }
            self.now = self.next_time().max(self.now + 1);
        }
        Ok(())
    }

    fn next_time(&self) -> u64 {
        let step = (self.now / SET_TICKS + 1) * SET_TICKS;
        let inboxes = self.ends.iter().filter_map(|end| end.inbox.front().map(|(time, _)| *time));
        let sends = (0..2).filter(|&index| self.is_linked(index)).map(|index| self.ends[index].boundary);
        inboxes.chain(sends).fold(step, u64::min)
    }

    fn is_linked(&self, index: usize) -> bool {
        let train = &self.ends[index].train;
        train.is_active() || train.state() == LinkState::Init
    }

    fn arrive(&mut self, index: usize) {
        while self.ends[index].inbox.front().is_some_and(|(time, _)| *time <= self.now) {
            match self.ends[index].inbox.pop_front() {
                Some((_, Item::Sets { lanes, corrupted, at })) => {
                    self.ends[index].take_sets(&lanes, corrupted, at)
                }
                Some((_, Item::Ltp { ltp, on_lanes })) => self.receive(index, ltp, &on_lanes),
                None => (),
            }
        }
    }

    fn receive(&mut self, index: usize, ltp: LinkLtp<Token>, on_lanes: &OnLanes) {
        let End { train, port, watch, events, fault, silent, .. } = &mut self.ends[index];
        if !train.is_started() || port.is_off() {
            return;
        }
        *silent = 0;
        let arrival = if on_lanes.damaged.is_some() { Arrival::Bad } else { Arrival::Good(ltp) };
        let before = tossed(port);
        let reception = port.receive(self.now, arrival);
        let by_debt = watch.receive(on_lanes, &reception, tossed(port) > before);
        let lane = by_debt.or_else(|| reception.fault.and_then(|fault| watch.fault(fault)));
        events.extend(lane.map(TrainEvent::RemoveLane));
        self.removals.extend(lane.map(|lane| (self.now / TICKS, index, lane)));
        *fault = fault.or(reception.fault);
        events.extend(reception.fault.map(event_of));
        if let Some(delivered) = reception.delivered {
            self.monitors[1 - index].deliver(self.now, &delivered.payload, delivered.late);
        }
    }

    /// A training-set time of one end. One that is linked has nothing to do unless something came up.
    fn step(&mut self, index: usize) {
        if self.ends[index].port.is_active() && self.ends[index].train.state() == LinkState::Init {
            self.ends[index].events.push_front(TrainEvent::InitDone);
            if std::mem::take(&mut self.resetting) {
                self.monitors.iter_mut().for_each(Monitor::reset);
            }
        }
        let End { train, events, input, .. } = &mut self.ends[index];
        let mut input = std::mem::take(input);
        input.event = events.pop_front();
        if train.is_active() && input == TrainInput::default() {
            return;
        }
        let before = train.state();
        let lanes = train.step(&input);
        self.follow(index, before);
        let end = &mut self.ends[index];
        let started = lanes.iter().any(|lane| matches!(lane, LaneOutput::Start(_)));
        if started {
            end.noise.start_row();
            end.boundary = self.now + SET_TICKS;
        }
        let used = end.train.tx().map_or(0, |tx| tx.lanes);
        let sets = (0..MAX_LANES).any(|lane| {
            matches!(lanes[lane], LaneOutput::Set(_)) && (!self.is_linked(index) || used >> lane & 1 == 1)
        });
        if started || sets {
            let noise = &mut self.ends[index].noise;
            let words = if started { 1 } else { TRAINING_SET_WORDS };
            let corrupted =
                (0..MAX_LANES).fold(0, |mask, lane| mask | u8::from(noise.hits(lane, words)) << lane);
            let item = Item::Sets { lanes, corrupted, at: self.now };
            self.ends[1 - index].inbox.push_back((self.now + SET_DELAY_TICKS, item));
        }
    }

    /// Retry follows the state of training.
    fn follow(&mut self, index: usize, before: LinkState) {
        let End { train, port, watch, events, fault, .. } = &mut self.ends[index];
        let linked = |state| matches!(state, LinkState::Init | LinkState::Active | LinkState::Degraded);
        match (linked(before), linked(train.state())) {
            (false, true) => {
                self.resetting |= port.is_fresh();
                port.set_ltp_time(ltp_ticks_of(train.tx()));
                port.start_init();
                if let Some(rx) = train.rx() {
                    watch.start(rx);
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
            watch.forget();
            self.resetting = true;
        }
    }

    fn send(&mut self, index: usize) {
        let End { train, port, watch, events, fault, silent, noise, boundary, .. } = &mut self.ends[index];
        let Some(tx) = train.tx() else { return };
        if train.state() == LinkState::Init {
            *silent += 1;
            if *silent >= INIT_SILENCE_LTPS {
                *silent = 0;
                events.push_back(TrainEvent::Retrain);
            }
        }
        let end = *boundary + ltp_ticks_of(Some(tx));
        *boundary = end;
        let token = Token::new(index, self.monitors[index].sent(), 0);
        let turn = port.send(self.now, || token);
        *fault = fault.or(turn.fault);
        let lane = turn.fault.and_then(|fault| watch.fault(fault));
        events.extend(lane.map(TrainEvent::RemoveLane));
        self.removals.extend(lane.map(|lane| (self.now / TICKS, index, lane)));
        events.extend(turn.fault.map(event_of));
        let Some(sent) = turn.sent else { return };
        if is_first_request(&sent) {
            watch.request();
        }
        if matches!(sent.origin, Origin::Original(_)) {
            self.monitors[index].original(self.now);
        }
        let on_lanes = noise.send(&sent.ltp, tx);
        self.undetected_sum += self.undetected[usize::from(tx.lanes)];
        self.ends[1 - index].inbox.push_back((end + DELAY_TICKS, Item::Ltp { ltp: sent.ltp, on_lanes }));
    }

    fn report(&self, parameters: &GoodputParameters, parts: [u64; PARTS]) -> GoodputReport {
        let clocks = 2.0 * parameters.clocks as f64;
        let share = |ltps: u64, clocks: f64| {
            (ltps * FLITS_PER_LTP as u64 * FLIT_BITS) as f64 / (clocks * (MAX_LANES * WORD_BITS) as f64)
        };
        let mut counters = Counters::new();
        for end in &self.ends {
            counters.merge(&end.port.counters());
            counters.merge(end.watch.isolate().counters());
            counters.merge(end.watch.degrade().counters());
        }
        GoodputReport {
            goodput: share(parts.iter().sum(), clocks),
            error: standard_error(&parts.map(|ltps| share(ltps, clocks / PARTS as f64))),
            undetected_1e4_years: self.undetected_sum / clocks * WORD_HZ as f64 * SECONDS_1E4_YEARS,
            lanes: [0, 1].map(|end| match self.ends[end].train.state() {
                LinkState::Down | LinkState::Polling => 0,
                _ => self.ends[end].train.tx().map_or(0, |tx| tx.lanes),
            }),
            removals: self.removals.clone(),
            lost_on_reset: self.monitors[0].lost_on_reset + self.monitors[1].lost_on_reset,
            counters: counters.nonzero().map(|(name, value)| (name.to_string(), value)).collect(),
        }
    }
}

impl End {
    /// Training sets and the start row, as they arrive.
    fn take_sets(&mut self, lanes: &[LaneOutput; MAX_LANES], corrupted: u8, at: u64) {
        let used = self.train.rx().map_or(0, |rx| rx.lanes);
        let (mut start, mut lost): (Option<StartWord>, bool) = (None, false);
        for (lane, output) in lanes.iter().enumerate() {
            let is_good = corrupted >> lane & 1 == 0;
            match output {
                LaneOutput::Set(set) if is_good => {
                    // A lane's arrival in word times.
                    let arrival = at / TICKS;
                    let set = ArrivedSet { set: *set, polarity: Polarity::Normal, arrival };
                    self.input.sets[lane] = Some(set);
                }
                LaneOutput::Start(word) if is_good => start = Some(*word),
                LaneOutput::Start(_) => lost |= used >> lane & 1 == 1,
                _ => (),
            }
        }
        // Start words on some of the lanes only: not the row that was agreed on.
        self.input.start = start.map(|word| StartWord { lanes: if lost { 0 } else { word.lanes }, ..word });
    }
}

/// Ticks of an LTP in this mode on so many lanes.
const fn ltp_ticks(mode: CrcMode, lanes: usize) -> u64 {
    ltp_words(mode) as u64 * TICKS / lanes as u64
}

/// Ticks of an LTP of a direction; of mode 0 on all lanes while there is none.
fn ltp_ticks_of(direction: Option<Direction>) -> u64 {
    direction.map_or(ltp_ticks(CrcMode::Standard, MAX_LANES), |found| ltp_ticks(found.mode, found.count()))
}

/// Chance that an LTP on these lanes is wrong and taken for good.
fn undetected(parameters: &GoodputParameters, lanes: u8) -> f64 {
    let physical = physical_lanes(lanes);
    // Mode 3 needs three lanes; both ends have mode 2 then.
    let is_mode = parameters.mode.allows_lanes(physical.len());
    let mode = if is_mode { parameters.mode } else { CrcMode::Overlapping48 };
    chance(mode, &physical, parameters.rates)
}
