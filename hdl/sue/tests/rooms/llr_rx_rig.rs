//! The receiver of link-layer retry beside the golden model, clock by clock. For `llr_rx`.

use flitforge_elaborate::drive::FromValue;
use flitforge_hdl_sue::frame::{FramePreamble, FrameVerdict, FrameWord};
use flitforge_hdl_sue::llr_rx::{LlrFrameVerdict, LlrVerdict, LATENCY};
use flitforge_hdl_sue::llr_set::{LlrSet, LlrSetKind};

use flitforge_model::sue::format::link_control::CreditCount;
use flitforge_model::sue::format::{OrderedSet, Profile, Sequence};
use flitforge_model::sue::link::LlrVerdict as ModelVerdict;
use flitforge_model::sue::link::{
    CtlTwice, FrameCheck, LlrRx, LlrRxConfig, LlrRxState, OrderedSetFilter, PoisonRule,
};

use flitforge_sim::kit::{rng, Agent, Coverage, Rng};
use flitforge_sim::{Bench, PortHandle, SimError};
use rand::Rng as _;
use rust_hdl::prelude::*;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

type WordBits = Bits<{ <FrameWord as Synth>::BITS }>;
type SetBits = Bits<{ <LlrSet as Synth>::BITS }>;
type HeadBits = Bits<{ <FramePreamble as Synth>::BITS }>;
type VerdictBits = Bits<{ <FrameVerdict as Synth>::BITS }>;
type SaidBits = Bits<{ <LlrFrameVerdict as Synth>::BITS }>;

/// CTL_TWICE: within so many clocks.
const WITHIN: u64 = 12;
/// After so many clocks two never count together.
const FAR: u64 = 2 * WITHIN + 6;
/// Clocks from an ordered set to what it does.
const SET_LATENCY: u64 = 2;
/// Clocks from NACK_T to the state that it leads to.
const TIMER_LATENCY: u64 = 3;

#[derive(Clone, Copy)]
pub struct Setup {
    pub profile: Profile,
    pub twice: bool,
    /// The host switches it off and on.
    pub host: f64,
}

#[derive(Clone, Copy, Debug)]
struct Frame {
    numbered: bool,
    sequence: u64,
    words: u64,
    found: FrameVerdict,
}

pub struct Rig {
    setup: Setup,
    random: Rng,
    ports: Vec<(&'static str, PortHandle)>,
    model: LlrRx,
    filter: OrderedSetFilter,
    enable: bool,
    /// The frame that comes, and words of it that are left.
    frame: Option<(Frame, u64)>,
    waiting: VecDeque<(u64, Frame)>,
    next_verdict: u64,
    /// Ordered sets to be driven, with their clock; copies of one of CTL_TWICE.
    sets: VecDeque<(u64, u64)>,
    /// The next pair may begin.
    last_set: u64,
    given: Option<u64>,
    judging: Option<Frame>,
    /// LLR_INIT that waits to be judged, from this clock on.
    init: Option<(u64, Sequence, u16)>,
    /// In this clock an LLR_INIT was judged.
    judged_init: u64,
    moved: bool,
    verdicts: VecDeque<(u64, LlrFrameVerdict)>,
    passed: VecDeque<(u64, LlrSet)>,
    credits: VecDeque<(u64, u64)>,
    answer: Option<OrderedSet>,
    bad: Option<u64>,
    init_bad: Option<u64>,
    seen: Rc<RefCell<Coverage>>,
}

const PORTS: [&str; 28] = [
    "clear",
    "enable",
    "frames_in.valid",
    "frames_in.data",
    "preamble",
    "verdicts_in.valid",
    "verdicts_in.data",
    "control.valid",
    "control.data",
    "frames_out.valid",
    "frames_out.data",
    "verdicts_out.valid",
    "verdicts_out.data",
    "answers.valid",
    "answers.data",
    "answers.ready",
    "sets.valid",
    "sets.data",
    "credits.valid",
    "credits.data",
    "state",
    "settings.nack_timer",
    "settings.accepts_poison",
    "settings.twice",
    "settings.twice_within",
    "events.control_bad",
    "events.init_bad",
    "events.replay_seen",
];

fn ensure(clock: u64, holds: bool, problem: impl FnOnce() -> String) -> Result<(), SimError> {
    if holds {
        Ok(())
    } else {
        Err(SimError::Check { clock, problem: problem() })
    }
}

fn config(profile: Profile) -> LlrRxConfig {
    LlrRxConfig { nack_timer: 150, ..LlrRxConfig::new(profile) }
}

fn filter(setup: Setup) -> OrderedSetFilter {
    OrderedSetFilter::new(if setup.twice { CtlTwice::Twice { within: WITHIN } } else { CtlTwice::Once })
}

fn set_of(set: OrderedSet) -> Option<LlrSet> {
    let (kind, sequence, data) = match set {
        OrderedSet::LlrAck(sequence) => (LlrSetKind::Ack, sequence, 0),
        OrderedSet::LlrNack(sequence) => (LlrSetKind::Nack, sequence, 0),
        OrderedSet::LlrInit { sequence, data } => (LlrSetKind::Init, sequence, data),
        OrderedSet::LlrInitEcho { sequence, data } => (LlrSetKind::Echo, sequence, data),
        OrderedSet::CfUpdate(_) => return None,
    };
    let (sequence, data) = (u64::from(sequence.value()), u64::from(data));
    Some(LlrSet { kind, sequence: sequence.into(), data: data.into() })
}

impl Rig {
    pub fn new(
        setup: Setup,
        bench: &dyn Bench,
        seed: u64,
        seen: Rc<RefCell<Coverage>>,
    ) -> Result<Self, SimError> {
        let ports =
            PORTS.iter().map(|name| Ok((*name, bench.port(name)?))).collect::<Result<_, SimError>>()?;
        Ok(Self {
            setup,
            random: rng(seed, "llr_rx"),
            ports,
            model: LlrRx::new(config(setup.profile)),
            filter: filter(setup),
            enable: false,
            frame: None,
            waiting: VecDeque::new(),
            next_verdict: 0,
            sets: VecDeque::new(),
            last_set: 0,
            given: None,
            judging: None,
            init: None,
            judged_init: 0,
            moved: false,
            verdicts: VecDeque::new(),
            passed: VecDeque::new(),
            credits: VecDeque::new(),
            answer: None,
            bad: None,
            init_bad: None,
            seen,
        })
    }

    fn port(&self, name: &str) -> PortHandle {
        self.ports.iter().find(|(known, _)| *known == name).expect("a port of the list").1
    }

    fn hit(&self, what: impl Into<String>) {
        self.seen.borrow_mut().hit(what.into());
    }

    fn reset(&mut self) {
        (self.model, self.filter) = (LlrRx::new(config(self.setup.profile)), filter(self.setup));
        (self.frame, self.init, self.answer, self.moved) = (None, None, None, false);
        (self.bad, self.init_bad, self.judging) = (None, None, None);
        self.waiting.clear();
        self.verdicts.clear();
        self.passed.clear();
        self.credits.clear();
        self.sets.clear();
    }

    fn new_frame(&mut self) -> Frame {
        let expected = u64::from(self.model.expected().value());
        let random = &mut self.random;
        // frames that wait for their verdict may be accepted, too
        let ahead = self.waiting.len() as u64;
        let sequence = match random.random_range(0..20) {
            0..12 => expected + if random.random_bool(0.7) { ahead } else { 0 },
            12..15 => expected + random.random_range(1..5),
            15..18 => expected.wrapping_sub(random.random_range(1..5)),
            _ => random.random(),
        };
        let flag = |random: &mut Rng| random.random_bool(0.5);
        let good = random.random_bool(0.85);
        let poisoned = !good && flag(random);
        let other = !good && random.random_bool(0.3);
        let found = FrameVerdict {
            good,
            fcs: !good && (poisoned || flag(random)),
            runt: other && flag(random),
            long: other && flag(random),
            code: other && flag(random),
            poisoned,
        };
        let numbered = random.random_bool(0.85);
        Frame { numbered, sequence: sequence & 0xF_FFFF, words: random.random_range(1..5), found }
    }

    /// Octets of an ordered set, a good one or not.
    fn new_set(&mut self) -> u64 {
        let expected = self.model.expected().value();
        let random = &mut self.random;
        let near = random.random_range(0..3_u32);
        let near = Sequence::new(expected.wrapping_sub(near) & 0xF_FFFF).expect("20 bits");
        let any = Sequence::new(random.random_range(0..1 << 20)).expect("20 bits");
        let nonce = random.random_range(0..4);
        let mut count =
            || CreditCount { vc: random.random_range(0..32), cells: random.random_range(0..1 << 15) };
        let counts = [count(), count()];
        let set = match random.random_range(0..9) {
            0 | 1 => OrderedSet::LlrAck(any),
            2 | 3 => OrderedSet::LlrNack(any),
            4 | 5 => OrderedSet::LlrInit { sequence: near, data: nonce },
            6 => OrderedSet::LlrInitEcho { sequence: any, data: nonce },
            _ => OrderedSet::CfUpdate(counts),
        };
        let word = set.encode().map_or(0, u64::from_le_bytes);
        let flip = if random.random_bool(0.1) { 1 << random.random_range(0..64) } else { 0 };
        word ^ flip
    }

    /// CTL_TWICE: pairs, near or far apart; else LLR_INIT keep a distance.
    fn schedule(&mut self, clock: u64) {
        if !self.sets.is_empty() || clock < self.last_set || self.random.random_bool(0.8) {
            return;
        }
        let word = self.new_set();
        self.sets.push_back((clock, word));
        let again = self.random.random_bool(if self.setup.twice { 0.8 } else { 0.3 });
        if again {
            let near = self.random.random_range(if self.setup.twice { 1 } else { 4 }..=WITHIN);
            let far = FAR + self.random.random_range(0..30);
            let gap = if self.random.random_bool(0.8) { near } else { far };
            self.sets.push_back((clock + gap, word));
        } else {
            // a far one
            self.sets.push_back((clock + FAR, self.random.random()));
        }
    }

    /// What a verdict of the MAC makes of a frame.
    fn judge(&mut self, clock: u64, frame: Frame) {
        let found = frame.found;
        let check = match (found.good, found.poisoned && !(found.runt || found.long || found.code)) {
            (true, _) => FrameCheck::Good,
            (_, true) => FrameCheck::Poisoned,
            _ => FrameCheck::Bad,
        };
        let sequence = Sequence::new(frame.sequence as u32).expect("20 bits");
        let before = self.model.expected();
        let verdict = match (frame.numbered, self.enable, found.good) {
            (true, true, _) => self.model.receive(sequence, check),
            (true, false, true) => ModelVerdict::Off,
            (_, _, true) => ModelVerdict::Delivered,
            _ => ModelVerdict::BadFcs,
        };
        self.moved |= self.model.expected() != before;
        self.hit(format!("{verdict:?}"));
        let verdict = match verdict {
            ModelVerdict::Delivered => LlrVerdict::Delivered,
            ModelVerdict::Poisoned => LlrVerdict::Poisoned,
            ModelVerdict::Duplicate => LlrVerdict::Duplicate,
            ModelVerdict::Ahead => LlrVerdict::Ahead,
            ModelVerdict::BadFcs => LlrVerdict::Bad,
            ModelVerdict::Off => LlrVerdict::Off,
        };
        let delivers = verdict == LlrVerdict::Delivered;
        self.verdicts.push_back((clock + u64::from(LATENCY), LlrFrameVerdict { delivers, verdict }));
    }

    /// An ordered set of the MAC.
    fn control(&mut self, clock: u64, word: u64) {
        let at = clock + SET_LATENCY;
        let set = match OrderedSet::decode(word.to_le_bytes()) {
            Ok(set) => set,
            Err(_) => {
                self.bad = Some(clock + 1);
                self.hit("unknown set");
                return;
            }
        };
        let Some(set) = self.filter.pass(set, clock) else {
            self.hit("a single one");
            return;
        };
        match set {
            OrderedSet::LlrInit { sequence, data } => self.init = Some((at + 1, sequence, data)),
            OrderedSet::CfUpdate(_) => {
                self.hit("CF_Update");
                self.credits.push_back((at, word));
            }
            set => {
                let mut passed = set_of(set).expect("no CF_Update");
                let bits = word.swap_bytes();
                // octets that a type does not use go through
                passed.data = (bits >> 16 & 0xff | (bits >> 8 & 0xff) << 8).into();
                self.passed.push_back((at, passed));
            }
        }
    }

    /// LLR_INIT is judged in a clock without a verdict.
    fn take_init(&mut self, clock: u64) {
        let Some((at, sequence, data)) = self.init else { return };
        if clock < at || self.judging.is_some() {
            return;
        }
        self.init = None;
        self.judged_init = clock;
        if data == 0 || !self.enable {
            self.hit("LLR_INIT ignored");
            self.init_bad = Some(clock + 1);
            return;
        }
        let before = self.model.expected();
        self.model.receive_init(sequence, data);
        self.hit(if self.model.expected() == before { "LLR_INIT" } else { "LLR_INIT moves" });
    }

    fn check(&mut self, clock: u64, bench: &dyn Bench) -> Result<(), SimError> {
        let bit = |name: &str| bench.get_bit(self.port(name));
        let due = |at: Option<u64>| at == Some(clock);
        ensure(clock, bit("events.control_bad") == due(self.bad), || "control_bad".into())?;
        ensure(clock, bit("events.init_bad") == due(self.init_bad), || "init_bad".into())?;
        let is_due = |at: Option<&u64>| at.is_some_and(|at| *at == clock);
        let said: LlrFrameVerdict = SaidBits::from_value(&bench.get(self.port("verdicts_out.data"))).into();
        let expected = self.verdicts.front().filter(|(at, _)| is_due(Some(at))).map(|(_, said)| *said);
        let came = bit("verdicts_out.valid").then_some(said);
        ensure(clock, came == expected, || format!("{came:?}, expected {expected:?}"))?;
        let set: LlrSet = SetBits::from_value(&bench.get(self.port("sets.data"))).into();
        let passed = self.passed.front().filter(|(at, _)| is_due(Some(at))).map(|(_, set)| *set);
        let came = bit("sets.valid").then_some(set);
        ensure(clock, came == passed, || format!("{came:?}, expected {passed:?}"))?;
        let credits = self.credits.front().filter(|(at, _)| is_due(Some(at))).map(|(_, word)| *word);
        let came = bit("credits.valid").then(|| bench.get_u64(self.port("credits.data")));
        ensure(clock, came == credits, || format!("{came:x?}, expected {credits:x?}"))?;
        let answer: LlrSet = SetBits::from_value(&bench.get(self.port("answers.data"))).into();
        let came = bit("answers.valid").then_some(answer);
        let wanted = self.answer.and_then(set_of);
        ensure(clock, came == wanted, || format!("{came:?}, expected {wanted:?}"))?;
        let same = ["valid", "data"].iter().all(|part| {
            let [inward, outward] = ["frames_in", "frames_out"].map(|name| format!("{name}.{part}"));
            bench.get(self.port(&inward)) == bench.get(self.port(&outward))
        });
        ensure(clock, same, || "words go on at once".into())?;
        self.verdicts.retain(|(at, _)| *at > clock);
        self.passed.retain(|(at, _)| *at > clock);
        self.credits.retain(|(at, _)| *at > clock);
        let state = [LlrRxState::Off, LlrRxState::SendAcks, LlrRxState::SendNack, LlrRxState::NackSent]
            [bench.get_u64(self.port("state")) as usize];
        self.hit(format!("{state:?}"));
        ensure(clock, state == self.model.state(), || format!("{state:?}, expected {:?}", self.model.state()))
    }
}

impl Agent for Rig {
    fn drive(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        if self.random.random_bool(self.setup.host) || clock < 5 {
            self.enable = self.random.random_bool(0.8) || clock == 4;
        }
        if self.frame.is_none() && self.waiting.len() < 4 && self.random.random_bool(0.2) {
            let frame = self.new_frame();
            self.frame = Some((frame, frame.words));
        }
        let comes = self.frame.is_some() && self.random.random_bool(0.8);
        let frame = self.frame.map_or_else(|| self.new_frame(), |(frame, _)| frame);
        let last = self.frame.is_some_and(|(_, left)| left == 1);
        let word =
            FrameWord { data: self.random.random::<u64>().into(), bytes: 8_u64.into(), last, error: false };
        let head = FramePreamble { numbered: frame.numbered, sequence: frame.sequence.into() };
        let ready = self.waiting.front().is_some_and(|(at, _)| *at <= clock);
        // a frame right after an LLR_INIT is the case of a test of its own
        let judges = ready && clock >= self.next_verdict && self.judged_init + 1 != clock;
        self.judging = if judges { self.waiting.pop_front().map(|(_, frame)| frame) } else { None };
        let found = self.judging.map_or(frame.found, |frame| frame.found);
        if judges {
            self.next_verdict = clock + 2;
        }
        self.schedule(clock);
        self.given = self.sets.front().filter(|(at, _)| *at <= clock).map(|(_, word)| *word);
        if self.given.is_some() {
            self.last_set = clock + if self.setup.twice { FAR } else { 4 };
            self.sets.pop_front();
        }
        for (name, value) in [
            ("enable", self.enable.into()),
            ("frames_in.valid", comes.into()),
            ("verdicts_in.valid", judges.into()),
            ("control.valid", self.given.is_some().into()),
            ("control.data", self.given.unwrap_or_else(|| self.random.random())),
            ("settings.nack_timer", config(self.setup.profile).nack_timer),
            ("settings.accepts_poison", (config(self.setup.profile).poison == PoisonRule::Accept).into()),
            ("settings.twice", self.setup.twice.into()),
            ("settings.twice_within", WITHIN),
        ] {
            bench.set_u64(self.port(name), value);
        }
        let (word, head, found): (WordBits, HeadBits, VerdictBits) = (word.into(), head.into(), found.into());
        bench.set(self.port("frames_in.data"), &word.to_value());
        bench.set(self.port("preamble"), &head.to_value());
        bench.set(self.port("verdicts_in.data"), &found.to_value());
        if comes {
            let delay = self.random.random_range(2..10);
            if let Some((frame, left)) = self.frame.take() {
                if left == 1 {
                    self.waiting.push_back((clock + delay, frame));
                } else {
                    self.frame = Some((frame, left - 1));
                }
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
        if clock >= TIMER_LATENCY {
            self.model.expire(clock - TIMER_LATENCY);
        }
        self.check(clock, bench)?;
        // What is to be sent is as it was before this clock.
        let moved = std::mem::take(&mut self.moved);
        if self.answer.is_some() {
            if bench.get_bit(self.port("answers.ready")) {
                self.answer = None;
            }
        } else if self.model.state() != LlrRxState::Off {
            let is_ack = matches!(self.model.clone().ordered_set(clock), Some(OrderedSet::LlrAck(_)));
            if !(is_ack && moved) {
                self.answer = self.model.ordered_set(clock);
                self.hit(self.answer.map_or("nothing".into(), |answer| format!("{:?}", answer.kind())));
            }
        }
        if let Some(frame) = self.judging {
            self.judge(clock, frame);
        }
        self.take_init(clock);
        if let Some(word) = self.given {
            self.control(clock, word);
        }
        if !self.enable {
            self.model = LlrRx::new(config(self.setup.profile));
        }
        Ok(())
    }
}
