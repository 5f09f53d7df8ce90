//! The sender of link-layer retry against the golden model, on all simulators.
//!
//! What the hardware tells (`events`) says when something was decided; the model is asked at that moment, has to come to the same, and has
//! the same state in every clock. A probe of the model, some clocks back, shows that nothing is decided late.

use flitforge_elaborate::drive::FromValue;
use flitforge_elaborate::Value;
use flitforge_hdl_sue::frame::{FramePreamble, FrameWord};
use flitforge_hdl_sue::llr::{LlrSet, LlrSetKind};
use flitforge_hdl_sue::llr_tx::{EthLlrTx, LlrFlush, LlrFlushCause};

use flitforge_model::sue::format::link_control::CreditCount;
use flitforge_model::sue::format::{OrderedSet, Sequence};
use flitforge_model::sue::link::{
    Abandoned, AckCheck, FlushCause, LlrTx, LlrTxConfig, LlrTxEvent, Offered, Reinit, ReplayCause,
    ReplayLimit, WaitingFrames,
};
use flitforge_model::sue::link::LlrTxState as ModelState;

use flitforge_sim::cosim::fault::{find_all, Fault};
use flitforge_sim::cosim::FULL_CLOCKS;
use flitforge_sim::kit::{
    rng, seed, Agent, ClearDriver, Coverage, Pace, Rng, StreamMonitor, StreamSink, StreamSource, Testbench,
};
use flitforge_sim::{Bench, CosimPlan, PortHandle, SimError};
use flitforge_testkit::depth;
use rand::Rng as _;
use rust_hdl::prelude::*;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

type Sender = EthLlrTx<6, 7>;
type WordBits = Bits<{ <FrameWord as Synth>::BITS }>;
type SetBits = Bits<{ <LlrSet as Synth>::BITS }>;
type HeadBits = Bits<{ <FramePreamble as Synth>::BITS }>;
type FlushBits = Bits<{ <LlrFlush as Synth>::BITS }>;

/// Words of a longest frame.
const LONGEST: u64 = 12;
/// Most words in the buffer when a frame begins: 64 less a longest frame and what is in flight when it is found full.
const ROOM: u64 = 48;
/// Clocks that the hardware may be later than the model.
const LATE: u64 = 4;
/// Clocks from one ordered set to the next, so that each is judged by itself.
const APART: u64 = 8;

#[derive(Clone, Debug)]
struct Frame {
    class: u64,
    bypass: bool,
    words: Vec<WordBits>,
}

/// What the registers say, and how hard the test is.
#[derive(Clone, Copy)]
struct Setup {
    model: LlrTxConfig,
    twice: bool,
    /// The host switches it off and on, and starts it anew.
    host: f64,
}

struct Rig {
    setup: Setup,
    random: Rng,
    ports: Vec<(&'static str, PortHandle)>,
    model: LlrTx<u64>,
    nonce: u16,
    next: u64,
    /// Frames by their place in time.
    frames: Vec<Frame>,
    head: Option<Frame>,
    place: usize,
    /// The frame under way is numbered, dropped.
    numbered: bool,
    expected: VecDeque<(bool, u64, VecDeque<WordBits>)>,
    asked: VecDeque<LlrSet>,
    asked_at: u64,
    flush: Option<(u64, Abandoned)>,
    told: [u64; 3],
    first_copy: Option<u64>,
    init: Option<u64>,
    enable: bool,
    was_enabled: bool,
    restart: bool,
    restarted: bool,
    restarting: bool,
    seen: Rc<RefCell<Coverage>>,
}

const PORTS: [&str; 48] = [
    "clear", "enable", "restart", "pcs_up", "class", "bypass", "frame.valid", "frame.data", "frame.ready",
    "sets.valid", "sets.data", "answers.valid", "answers.data", "answers.ready", "credits.valid", "credits.data",
    "credits.ready", "frames.valid", "frames.data", "frames.ready", "preamble", "control.valid", "control.data",
    "control.ready", "state", "empty", "flushed.valid", "flushed.data", "events.started", "events.sent",
    "events.resent", "events.replay_nack", "events.replay_timer", "events.discarded", "events.too_long",
    "events.init_sent", "events.control_taken", "events.control_bad", "settings.first",
    "settings.replay_timer", "settings.init_interval", "settings.replays_max", "settings.frames_max",
    "settings.room_words", "settings.waiting", "settings.automatic", "settings.eligible", "settings.twice",
];

fn wrong(clock: u64, problem: impl Into<String>) -> SimError {
    SimError::Check { clock, problem: problem.into() }
}

fn ensure(clock: u64, holds: bool, problem: impl FnOnce() -> String) -> Result<(), SimError> {
    if holds { Ok(()) } else { Err(wrong(clock, problem())) }
}

impl Rig {
    fn new(setup: Setup, bench: &dyn Bench, seed: u64, seen: Rc<RefCell<Coverage>>) -> Result<Self, SimError> {
        let ports =
            PORTS.iter().map(|name| Ok((*name, bench.port(name)?))).collect::<Result<_, SimError>>()?;
        Ok(Self {
            setup,
            random: rng(seed, "llr_tx"),
            ports,
            model: LlrTx::new(setup.model, 0),
            nonce: 0,
            next: 0,
            frames: vec![],
            head: None,
            place: 0,
            numbered: false,
            expected: VecDeque::new(),
            asked: VecDeque::new(),
            asked_at: 0,
            flush: None,
            told: [0; 3],
            first_copy: None,
            init: None,
            enable: false,
            was_enabled: false,
            restart: false,
            restarted: false,
            restarting: false,
            seen,
        })
    }

    fn port(&self, name: &str) -> PortHandle {
        self.ports.iter().find(|(known, _)| *known == name).expect("a port of the list").1
    }

    fn hit(&self, what: &str) {
        self.seen.borrow_mut().hit(what);
    }

    /// After a clear: all but the nonce is forgotten.
    fn reset(&mut self) {
        self.model = LlrTx::new(self.setup.model, self.nonce);
        (self.head, self.place, self.numbered) = (None, 0, false);
        (self.flush, self.first_copy, self.init) = (None, None, None);
        (self.was_enabled, self.restarted, self.restarting) = (false, false, false);
        self.told = [0; 3];
        self.expected.clear();
        self.asked.clear();
    }

    fn new_frame(&mut self) -> Frame {
        let random = &mut self.random;
        let count = random.random_range(1..=LONGEST);
        let words = (1..=count).map(|place| {
            let last = place == count;
            let bytes = if last { random.random_range(1..=8) } else { 8 };
            FrameWord {
                data: random.random::<u64>().into(),
                bytes: bytes.into(),
                last,
                error: last && random.random_bool(0.1),
            }
            .into()
        });
        let words = words.collect();
        Frame { class: random.random_range(0..8), bypass: random.random_bool(0.1), words }
    }

    /// Acknowledgments near the window, echoes, and sets that are none of either.
    fn new_set(&mut self) -> LlrSet {
        let held = self.model.outstanding() as u64;
        let oldest = self.next.wrapping_sub(held);
        let complete = held - u64::from(self.numbered && self.place > 0 && held > 0);
        let random = &mut self.random;
        let far = random.random_bool(0.15);
        let inside = random.random_range(0..=complete);
        let (kind, sequence) = match random.random_range(0..20) {
            0..10 => (LlrSetKind::Ack, oldest.wrapping_add(inside).wrapping_sub(1)),
            10..15 => (LlrSetKind::Nack, oldest.wrapping_add(inside)),
            15..19 => (LlrSetKind::Echo, u64::from(self.setup.model.first.value())),
            _ => (LlrSetKind::Init, random.random()),
        };
        let off = if far { random.random_range(70..1 << 20) } else { 0 };
        let right = random.random_bool(0.8);
        let data = if right { u64::from(self.nonce) } else { random.random_range(0..1 << 16) };
        let sequence = sequence.wrapping_add(off) & 0xF_FFFF;
        LlrSet { kind, sequence: sequence.into(), data: data.into() }
    }

    fn model_event(&mut self, clock: u64, event: LlrTxEvent, bits: u8) -> Result<(), SimError> {
        let stops = !self.was_enabled || self.restarted;
        let ok = match event {
            LlrTxEvent::Started => bits & 1 != 0,
            LlrTxEvent::Acknowledged(_) => true,
            LlrTxEvent::Replaying { cause: ReplayCause::Nack, .. } => bits & 2 != 0 || stops,
            LlrTxEvent::Replaying { cause: ReplayCause::Timer, .. } => bits & 4 != 0,
            LlrTxEvent::Flushed(mut abandoned) => {
                if stops {
                    abandoned.cause = FlushCause::Host;
                }
                self.flush = Some((clock + 1, abandoned));
                true
            }
        };
        self.hit(match event {
            LlrTxEvent::Started => "started",
            LlrTxEvent::Acknowledged(_) => "acknowledged",
            LlrTxEvent::Replaying { cause: ReplayCause::Nack, .. } => "replay by NACK",
            LlrTxEvent::Replaying { cause: ReplayCause::Timer, .. } => "replay by timer",
            LlrTxEvent::Flushed(Abandoned { cause: FlushCause::Host, .. }) => "flush by host",
            LlrTxEvent::Flushed(_) => "flush by replays",
        });
        ensure(clock, ok, || format!("the model says {event:?}"))
    }

    fn state(&self, bench: &dyn Bench) -> ModelState {
        match bench.get_u64(self.port("state")) {
            0 => ModelState::Off,
            1 => ModelState::Init,
            2 => ModelState::Advance,
            3 => ModelState::Replay,
            _ => ModelState::Flush,
        }
    }

    /// What was decided on the edge before this clock.
    fn decided(&mut self, clock: u64, bench: &dyn Bench) -> Result<(), SimError> {
        let bit = |name: &str| bench.get_bit(self.port(name));
        let (before, state) = (clock - 1, self.state(bench));
        let [started, nack, timer] =
            ["events.started", "events.replay_nack", "events.replay_timer"].map(bit);
        let (taken, ignored, resent) = (bit("events.control_taken"), bit("events.control_bad"), bit("events.resent"));
        let told = [bit("events.sent"), resent, bit("events.discarded")];
        for (count, now) in self.told.iter_mut().zip(told) {
            *count += u64::from(now);
        }
        let bits = u8::from(started) | u8::from(nack) << 1 | u8::from(timer) << 2;
        if resent {
            let sent = self.model.replay(before);
            let (sequence, frame, _) = sent.ok_or_else(|| wrong(clock, "a frame is sent again, by itself"))?;
            let words = self.frames[frame as usize].words.clone().into();
            self.expected.push_back((true, sequence.value().into(), words));
        }
        if taken || ignored {
            let set = self.asked.pop_front().ok_or_else(|| wrong(clock, "a judgement of nothing"))?;
            let sequence = Sequence::new(u64::from(set.sequence) as u32).expect("20 bits");
            let (check, events) = match set.kind {
                LlrSetKind::Ack => self.model.receive_ack(sequence, before),
                LlrSetKind::Nack => self.model.receive_nack(sequence, before),
                _ => self.model.receive_echo(sequence, u64::from(set.data) as u16, before),
            };
            self.hit(if taken { "taken" } else { "ignored" });
            ensure(clock, (check == AckCheck::Taken) == taken, || format!("{set:?}: the model says {check:?}"))?;
            events.into_iter().try_for_each(|event| self.model_event(clock, event, bits))?;
        }
        let stops = !self.was_enabled || self.restarted;
        if timer || (state == ModelState::Flush && self.model.state() != state && !stops && !self.restarting) {
            let event = self.model.expire(before);
            let event = event.ok_or_else(|| wrong(clock, "a timer of the hardware, none of the model"))?;
            self.model_event(clock, event, bits)?;
        }
        self.host(clock, before, state)
    }

    /// What the host has asked for, and the end of FLUSH.
    fn host(&mut self, clock: u64, before: u64, state: ModelState) -> Result<(), SimError> {
        if !self.was_enabled {
            if std::mem::take(&mut self.restarting) {
                // the model has a new nonce, the hardware has not begun
                (self.model, self.told) = (LlrTx::new(self.setup.model, self.nonce), [0; 3]);
            }
            if let Some(event) = self.model.disable() {
                self.model_event(clock, event, 0)?;
            }
        } else if self.restarted && self.model.state() != ModelState::Off {
            if let Some(event) = self.model.reinit(before) {
                self.model_event(clock, event, 0)?;
            }
            self.restarting = true;
        }
        if state == ModelState::Init && (self.restarting || self.model.state() != state) {
            match self.model.state() {
                ModelState::Off => self.model.enable(before),
                ModelState::Flush => drop(self.model.expire(before)),
                _ => self.hit("restart"),
            }
            self.restarting = false;
            self.nonce = self.nonce.checked_add(1).unwrap_or(1);
            self.next = self.setup.model.first.value().into();
        }
        let equal = self.restarting || state == self.model.state();
        self.hit(&format!("{state:?}"));
        ensure(clock, equal, || format!("{state:?}, the model is in {:?}", self.model.state()))
    }

    fn check_late(&mut self, clock: u64, bench: &dyn Bench) -> Result<(), SimError> {
        if !self.restarting {
            let mut probe = self.model.clone();
            if clock > LATE && self.model.state() == ModelState::Advance {
                let late = probe.expire(clock - LATE);
                ensure(clock, late.is_none(), || format!("late: {late:?}"))?;
            }
            let empty = bench.get_bit(self.port("empty"));
            ensure(clock, empty == (self.model.outstanding() == 0), || format!("empty: {empty}"))?;
        }
        let counters = self.model.counters();
        let expected = [counters.frames_tx, counters.frames_replayed, counters.discarded];
        let told = self.told;
        ensure(clock, told == expected, || format!("told {told:?}, the model {expected:?}"))?;
        if bench.get_bit(self.port("flushed.valid")) {
            let flush: LlrFlush = FlushBits::from_value(&bench.get(self.port("flushed.data"))).into();
            let cause = match flush.cause {
                LlrFlushCause::Replays => FlushCause::Replays,
                LlrFlushCause::Age => FlushCause::Age,
                LlrFlushCause::PcsLost => FlushCause::PcsLost,
                LlrFlushCause::Host => FlushCause::Host,
            };
            let came = Some((clock, Abandoned { frames: u64::from(flush.frames) as usize, cause }));
            let expected = self.flush.take();
            return ensure(clock, came == expected, || format!("{came:?}, expected {expected:?}"));
        }
        ensure(clock, self.flush.is_none_or(|(at, _)| at > clock), || format!("not told: {:?}", self.flush))
    }

    /// Frames in, and to the MAC.
    fn transfers(&mut self, clock: u64, bench: &dyn Bench) -> Result<(), SimError> {
        if bench.get_bit(self.port("frame.valid")) && bench.get_bit(self.port("frame.ready")) {
            let frame = self.head.clone().ok_or_else(|| wrong(clock, "no frame"))?;
            if self.place == 0 {
                self.begin(clock, &frame)?;
            }
            self.place += 1;
            if self.place == frame.words.len() {
                (self.head, self.place) = (None, 0);
            }
        }
        if bench.get_bit(self.port("frames.valid")) && bench.get_bit(self.port("frames.ready")) {
            let word = WordBits::from_value(&bench.get(self.port("frames.data")));
            let head: FramePreamble = HeadBits::from_value(&bench.get(self.port("preamble"))).into();
            let frame = self.expected.front_mut().ok_or_else(|| wrong(clock, "a word of no frame"))?;
            let (numbered, sequence, words) = frame;
            let right = head.numbered == *numbered && (!head.numbered || u64::from(head.sequence) == *sequence);
            let expected = words.pop_front();
            ensure(clock, right && expected == Some(word), || format!("{head:?} {word:?}, expected {expected:?}"))?;
            if words.is_empty() {
                self.expected.pop_front();
            }
        }
        Ok(())
    }

    fn begin(&mut self, clock: u64, frame: &Frame) -> Result<(), SimError> {
        let eligible = 0x77 >> frame.class & 1 == 1;
        let words: VecDeque<WordBits> = frame.words.clone().into();
        self.numbered = false;
        if frame.bypass || !eligible {
            self.hit(if self.model.state() == ModelState::Replay { "between replays" } else { "plain" });
            self.expected.push_back((false, 0, words));
            return Ok(());
        }
        let number = self.frames.len() as u64;
        self.frames.push(frame.clone());
        match self.model.offer(&number, 8 * frame.words.len(), clock) {
            Ok(Offered::Stored(sequence)) => {
                self.next = u64::from(sequence.value()) + 1;
                self.numbered = true;
                self.expected.push_back((true, sequence.value().into(), words));
            }
            Ok(Offered::Unprotected) => {
                self.hit("unprotected");
                self.expected.push_back((false, 0, words));
            }
            Ok(Offered::Discarded) => self.hit("discarded"),
            Err(refusal) => return Err(wrong(clock, format!("a frame begins, but {refusal}"))),
        }
        Ok(())
    }

    /// Ordered sets to the MAC.
    fn control(&mut self, clock: u64, bench: &dyn Bench) -> Result<(), SimError> {
        let [valid, ready, answered, credited] =
            ["control.valid", "control.ready", "answers.ready", "credits.ready"]
                .map(|name| bench.get_bit(self.port(name)));
        if !(valid && ready) {
            return ensure(clock, !answered && !credited, || "taken and not sent".into());
        }
        let word = bench.get_u64(self.port("control.data"));
        let second = self.first_copy.take();
        ensure(clock, second.is_none_or(|first| first == word), || "two copies differ".into())?;
        let ends = second.is_some() || !self.setup.twice;
        if !ends {
            self.first_copy = Some(word);
        }
        let credits = bench.get_u64(self.port("credits.data"));
        let set = OrderedSet::decode(word.to_le_bytes());
        let (is_answer, is_credits, right) = match set {
            Ok(OrderedSet::CfUpdate(_)) => (false, true, word == credits),
            Ok(init @ OrderedSet::LlrInit { data, .. }) => {
                let known = self.init == Some(word);
                if ends {
                    let expected = self.model.ordered_set(clock);
                    self.init = Some(word);
                    self.hit("LLR_INIT");
                    let late = expected.is_none() && self.model.state() != ModelState::Init;
                    (false, false, expected == Some(init) || late || known)
                } else {
                    (false, false, data == self.nonce || known)
                }
            }
            Ok(answer) => {
                let set: LlrSet = SetBits::from_value(&bench.get(self.port("answers.data"))).into();
                (true, false, encoded(set) == Some(answer))
            }
            Err(problem) => return Err(wrong(clock, problem.to_string())),
        };
        self.hit(if is_answer { "answer" } else if is_credits { "CF_Update" } else { "start" });
        let taken = answered == (is_answer && ends) && credited == (is_credits && ends);
        ensure(clock, right && taken, || format!("{set:?}: {right}, {answered}, {credited}"))
    }
}

fn encoded(set: LlrSet) -> Option<OrderedSet> {
    let sequence = Sequence::new(u64::from(set.sequence) as u32).ok()?;
    let data = u64::from(set.data) as u16;
    Some(match set.kind {
        LlrSetKind::Ack => OrderedSet::LlrAck(sequence),
        LlrSetKind::Nack => OrderedSet::LlrNack(sequence),
        LlrSetKind::Init => OrderedSet::LlrInit { sequence, data },
        LlrSetKind::Echo => OrderedSet::LlrInitEcho { sequence, data },
    })
}

impl Agent for Rig {
    fn drive(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        let model = self.setup.model;
        let max = match model.replay_limit {
            ReplayLimit::Max(max) => max,
            ReplayLimit::Unlimited => u8::MAX,
        };
        let waiting = match model.waiting {
            WaitingFrames::Block => 0,
            WaitingFrames::BestEffort => 1,
            WaitingFrames::Discard => 2,
        };
        self.restart = false;
        if self.random.random_bool(self.setup.host) || clock < 5 {
            self.enable = self.random.random_bool(0.7) || clock == 4;
            self.restart = self.random.random_bool(0.5) && !self.restarting && !self.restarted;
        }
        if self.head.is_none() && self.random.random_bool(0.4) {
            self.head = Some(self.new_frame());
        }
        let gives = clock >= self.asked_at && self.random.random_bool(0.3);
        let set = self.new_set();
        for (name, value) in [
            ("settings.first", model.first.value().into()),
            ("settings.replay_timer", model.replay_timer),
            ("settings.init_interval", model.init_interval),
            ("settings.replays_max", max.into()),
            ("settings.frames_max", model.frames_max as u64),
            ("settings.room_words", ROOM),
            ("settings.waiting", waiting),
            ("settings.automatic", (model.reinit == Reinit::Automatic).into()),
            ("settings.eligible", 0x77),
            ("settings.twice", self.setup.twice.into()),
            ("pcs_up", 1),
            ("enable", self.enable.into()),
            ("restart", self.restart.into()),
            ("sets.valid", gives.into()),
            ("frame.valid", self.head.is_some().into()),
            ("class", self.head.as_ref().map_or(0, |frame| frame.class)),
            ("bypass", self.head.as_ref().is_some_and(|frame| frame.bypass).into()),
        ] {
            bench.set_u64(self.port(name), value);
        }
        let bits: SetBits = set.into();
        bench.set(self.port("sets.data"), &bits.to_value());
        if let Some(frame) = &self.head {
            bench.set(self.port("frame.data"), &frame.words[self.place].to_value());
        }
        if gives {
            self.asked_at = clock + APART;
            if set.kind != LlrSetKind::Init {
                self.asked.push_back(set);
            }
        }
        Ok(())
    }

    fn observe(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        if bench.get_bit(self.port("clear")) {
            self.hit("clear");
            self.reset();
            return Ok(());
        }
        if clock > 0 {
            self.decided(clock, bench)?;
            self.check_late(clock, bench)?;
        }
        self.transfers(clock, bench)?;
        self.control(clock, bench)?;
        (self.was_enabled, self.restarted) = (self.enable, self.restart);
        Ok(())
    }
}

fn stimulus(
    testbench: &mut Testbench<'_>,
    setup: Setup,
    seed: u64,
    seen: &Rc<RefCell<Coverage>>,
) -> Result<(), SimError> {
    testbench.add(Rig::new(setup, testbench.bench(), seed, seen.clone())?);
    testbench.add(ClearDriver::new(testbench.bench(), "clear", seed)?.at_random(0.000_3, 1..=3));
    let answer = |random: &mut Rng, _| {
        let kind = match random.random_range(0..3) {
            0 => LlrSetKind::Ack,
            1 => LlrSetKind::Nack,
            _ => LlrSetKind::Echo,
        };
        let data = if kind == LlrSetKind::Echo { random.random_range(0..1 << 16) } else { 0 };
        let sequence = random.random_range(0..1_u64 << 20);
        let bits: SetBits = LlrSet { kind, sequence: sequence.into(), data: data.into() }.into();
        Some(bits.to_value())
    };
    let credit = |random: &mut Rng, _| {
        let mut count = || CreditCount { vc: random.random_range(0..32), cells: random.random_range(0..1 << 15) };
        let octets = OrderedSet::CfUpdate([count(), count()]).encode().ok()?;
        Some(Value::from_u64(64, u64::from_le_bytes(octets)))
    };
    let seldom = Pace::Random(0.05);
    testbench.add(StreamSource::new(testbench.bench(), "answers", seed)?.pace(seldom.clone()).items(answer));
    testbench.add(StreamSource::new(testbench.bench(), "credits", seed)?.pace(seldom).items(credit));
    testbench.add(StreamSink::new(testbench.bench(), "frames", seed)?);
    testbench.add(StreamSink::new(testbench.bench(), "control", seed)?);
    for stream in ["frame", "answers", "credits", "frames", "control"] {
        testbench.add(StreamMonitor::new(testbench.bench(), stream)?);
    }
    Ok(())
}

fn plan(name: &str, setup: Setup, seen: &Rc<RefCell<Coverage>>) -> CosimPlan<'static> {
    let make = || Box::new(Sender::new().expect("valid")) as _;
    let seen = seen.clone();
    CosimPlan::new(name, seed(0x11e), make, move |testbench: &mut Testbench<'_>, seed| {
        stimulus(testbench, setup, seed, &seen)
    })
}

/// Timers of tens of clocks; sequence numbers begin before their wrap.
fn setup(waiting: WaitingFrames, reinit: Reinit) -> Setup {
    let model = LlrTxConfig {
        first: Sequence::new(0xF_FFF0).expect("20 bits"),
        init_interval: 60,
        replay_timer: 90,
        replay_limit: ReplayLimit::Max(2),
        frames_max: 6,
        bytes_max: 8 * (ROOM + LONGEST) as usize,
        waiting,
        reinit,
        ..LlrTxConfig::default()
    };
    Setup { model, twice: false, host: 0.002 }
}

const SEEN: [&str; 19] = [
    "Off", "Init", "Advance", "Replay", "Flush", "started", "acknowledged", "replay by NACK", "replay by timer",
    "flush by replays", "flush by host", "taken", "ignored", "plain", "between replays", "LLR_INIT", "answer",
    "CF_Update", "clear",
];

#[test]
fn every_transition_is_that_of_the_model() {
    let discard = Setup { twice: true, ..setup(WaitingFrames::Discard, Reinit::Automatic) };
    let mut effort = setup(WaitingFrames::BestEffort, Reinit::ByHost);
    effort.model.replay_limit = ReplayLimit::Unlimited;
    for (name, setup, waits, never) in [
        ("eth_llr_tx", setup(WaitingFrames::Block, Reinit::ByHost), "clear", ""),
        ("eth_llr_tx_discard", discard, "discarded", ""),
        ("eth_llr_tx_best_effort", effort, "unprotected", "flush by replays"),
    ] {
        let seen = Rc::new(RefCell::new(Coverage::default()));
        plan(name, setup, &seen)
            .clocks(FULL_CLOCKS)
            .stock_limit(3_000, "a quick run: rust-hdl itself is slow")
            .to_depth(depth())
            .run()
            .expect("equal");
        let wanted: Vec<&str> =
            SEEN.into_iter().filter(|what| *what != never).chain([waits]).collect();
        seen.borrow().require(name, &wanted).expect("everything happened");
    }
}

#[test]
fn faults_are_found() {
    const TOP: &str = "fault_eth_llr_tx";
    let faults: [Fault; 0] = [];
    let plan = || {
        plan(TOP, setup(WaitingFrames::Block, Reinit::Automatic), &Rc::default())
            .clocks(20_000)
            .stock_limit(200, "the faults are in the Verilog")
    };
    find_all(plan, &faults).expect("all are found");
}

#[test]
fn buffers_that_are_too_large_are_refused() {
    let error = EthLlrTx::<13, 14>::new().err().expect("A").to_string();
    assert!(error.contains("eth_llr"), "{error}");
}
