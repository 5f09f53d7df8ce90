//! The sender of link-layer retry beside the golden model, for `llr_tx`.
//!
//! What the hardware tells (`events`) says when something was decided; the model is asked at that moment, has to come to the same, and has
//! the same state in every clock. A probe of the model, some clocks back, shows that nothing is decided late.

use flitforge_elaborate::drive::FromValue;
use flitforge_hdl_sue::frame::{FramePreamble, FrameWord};
use flitforge_hdl_sue::llr_set::{LlrSet, LlrSetKind};
use flitforge_hdl_sue::llr_tx::{LlrFlush, LlrFlushCause};

use flitforge_model::sue::format::Sequence;
use flitforge_model::sue::link::LlrTxState as ModelState;
use flitforge_model::sue::link::{
    Abandoned, AckCheck, FlushCause, LlrTx, LlrTxConfig, LlrTxEvent, Offered, ReplayCause,
};

use flitforge_sim::kit::{rng, Coverage, Rng};
use flitforge_sim::{Bench, PortHandle, SimError};
use rand::Rng as _;
use rust_hdl::prelude::*;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

pub(super) type WordBits = Bits<{ <FrameWord as Synth>::BITS }>;
pub type SetBits = Bits<{ <LlrSet as Synth>::BITS }>;
type HeadBits = Bits<{ <FramePreamble as Synth>::BITS }>;
type FlushBits = Bits<{ <LlrFlush as Synth>::BITS }>;

/// Words of a longest frame.
pub const LONGEST: u64 = 12;
/// Most words in the buffer when a frame begins: 64 less a longest frame and what is in flight when it is found full.
pub const ROOM: u64 = 48;
/// Clocks that the hardware may be later than the model.
const LATE: u64 = 4;
/// Clocks from one ordered set to the next, so that each is judged by itself.
pub(super) const APART: u64 = 8;

#[derive(Clone, Debug)]
pub(super) struct Frame {
    pub(super) class: u64,
    pub(super) bypass: bool,
    pub(super) words: Vec<WordBits>,
}

/// What the registers say, and how hard the test is.
#[derive(Clone, Copy)]
pub struct Setup {
    pub model: LlrTxConfig,
    pub twice: bool,
    /// The host switches it off and on, and starts it anew.
    pub host: f64,
}

pub struct Rig {
    pub(super) setup: Setup,
    pub(super) random: Rng,
    pub(super) ports: Vec<(&'static str, PortHandle)>,
    pub(super) model: LlrTx<u64>,
    pub(super) nonce: u16,
    pub(super) next: u64,
    /// Frames by their place in time.
    pub(super) frames: Vec<Frame>,
    pub(super) head: Option<Frame>,
    pub(super) place: usize,
    /// The frame under way is numbered, dropped.
    pub(super) numbered: bool,
    pub(super) expected: VecDeque<(bool, u64, VecDeque<WordBits>)>,
    pub(super) asked: VecDeque<LlrSet>,
    pub(super) asked_at: u64,
    pub(super) flush: Option<(u64, Abandoned)>,
    pub(super) told: [u64; 3],
    /// A word was taken one clock ago, and not dropped; the frame under way is dropped.
    pub(super) entered: bool,
    pub(super) dropping: bool,
    pub(super) first_copy: Option<u64>,
    pub(super) init: Option<u64>,
    pub(super) enable: bool,
    pub(super) was_enabled: bool,
    pub(super) restart: bool,
    pub(super) restarted: bool,
    pub(super) restarting: bool,
    pub(super) seen: Rc<RefCell<Coverage>>,
}

const PORTS: [&str; 48] = [
    "clear",
    "enable",
    "restart",
    "pcs_up",
    "class",
    "bypass",
    "frame.valid",
    "frame.data",
    "frame.ready",
    "sets.valid",
    "sets.data",
    "answers.valid",
    "answers.data",
    "answers.ready",
    "credits.valid",
    "credits.data",
    "credits.ready",
    "frames.valid",
    "frames.data",
    "frames.ready",
    "preamble",
    "control.valid",
    "control.data",
    "control.ready",
    "state",
    "empty",
    "flushed.valid",
    "flushed.data",
    "events.started",
    "events.sent",
    "events.resent",
    "events.replay_nack",
    "events.replay_timer",
    "events.discarded",
    "events.too_long",
    "events.init_sent",
    "events.control_taken",
    "events.control_bad",
    "settings.first",
    "settings.replay_timer",
    "settings.init_interval",
    "settings.replays_max",
    "settings.frames_max",
    "settings.room_words",
    "settings.waiting",
    "settings.automatic",
    "settings.eligible",
    "settings.twice",
];

pub(super) fn wrong(clock: u64, problem: impl Into<String>) -> SimError {
    SimError::Check { clock, problem: problem.into() }
}

pub(super) fn ensure(clock: u64, holds: bool, problem: impl FnOnce() -> String) -> Result<(), SimError> {
    if holds {
        Ok(())
    } else {
        Err(wrong(clock, problem()))
    }
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
            entered: false,
            dropping: false,
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

    pub(super) fn port(&self, name: &str) -> PortHandle {
        self.ports.iter().find(|(known, _)| *known == name).expect("a port of the list").1
    }

    pub(super) fn hit(&self, what: &str) {
        self.seen.borrow_mut().hit(what);
    }

    /// After a clear: all but the nonce is forgotten.
    pub(super) fn reset(&mut self) {
        self.model = LlrTx::new(self.setup.model, self.nonce);
        (self.head, self.place, self.numbered) = (None, 0, false);
        (self.entered, self.dropping) = (false, false);
        (self.flush, self.first_copy, self.init) = (None, None, None);
        (self.was_enabled, self.restarted, self.restarting) = (false, false, false);
        self.told = [0; 3];
        self.expected.clear();
        self.asked.clear();
    }

    pub(super) fn new_frame(&mut self) -> Frame {
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
    pub(super) fn new_set(&mut self) -> LlrSet {
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
    pub(super) fn decided(&mut self, clock: u64, bench: &dyn Bench) -> Result<(), SimError> {
        let bit = |name: &str| bench.get_bit(self.port(name));
        let (before, state) = (clock - 1, self.state(bench));
        let [started, nack, timer] = ["events.started", "events.replay_nack", "events.replay_timer"].map(bit);
        let (taken, ignored, resent) =
            (bit("events.control_taken"), bit("events.control_bad"), bit("events.resent"));
        let told = [bit("events.sent"), resent, bit("events.discarded")];
        for (count, now) in self.told.iter_mut().zip(told) {
            *count += u64::from(now);
        }
        let bits = u8::from(started) | u8::from(nack) << 1 | u8::from(timer) << 2;
        if resent {
            let sent = self.model.replay(before);
            let (sequence, frame, _) =
                sent.ok_or_else(|| wrong(clock, "a frame is sent again, by itself"))?;
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
            ensure(clock, (check == AckCheck::Taken) == taken, || {
                format!("{set:?}: the model says {check:?}")
            })?;
            events.into_iter().try_for_each(|event| self.model_event(clock, event, bits))?;
        }
        let stops = !self.was_enabled || self.restarted;
        if timer || (state == ModelState::Flush && self.model.state() != state && !stops && !self.restarting)
        {
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

    pub(super) fn check_late(&mut self, clock: u64, bench: &dyn Bench) -> Result<(), SimError> {
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
    pub(super) fn transfers(&mut self, clock: u64, bench: &dyn Bench) -> Result<(), SimError> {
        let leaves = bench.get_bit(self.port("frames.valid"));
        ensure(clock, leaves || !self.entered, || "a word takes more than a clock".into())?;
        self.entered = bench.get_bit(self.port("frame.valid")) && bench.get_bit(self.port("frame.ready"));
        if self.entered {
            let frame = self.head.clone().ok_or_else(|| wrong(clock, "no frame"))?;
            if self.place == 0 {
                self.begin(clock, &frame)?;
            }
            self.entered = !self.dropping;
            self.place += 1;
            if self.place == frame.words.len() {
                (self.head, self.place) = (None, 0);
            }
        }
        if leaves && bench.get_bit(self.port("frames.ready")) {
            let word = WordBits::from_value(&bench.get(self.port("frames.data")));
            let head: FramePreamble = HeadBits::from_value(&bench.get(self.port("preamble"))).into();
            let frame = self.expected.front_mut().ok_or_else(|| wrong(clock, "a word of no frame"))?;
            let (numbered, sequence, words) = frame;
            let right =
                head.numbered == *numbered && (!head.numbered || u64::from(head.sequence) == *sequence);
            let expected = words.pop_front();
            ensure(clock, right && expected == Some(word), || {
                format!("{head:?} {word:?}, expected {expected:?}")
            })?;
            if words.is_empty() {
                self.expected.pop_front();
            }
        }
        Ok(())
    }

    fn begin(&mut self, clock: u64, frame: &Frame) -> Result<(), SimError> {
        let eligible = 0x77 >> frame.class & 1 == 1;
        let words: VecDeque<WordBits> = frame.words.clone().into();
        (self.numbered, self.dropping) = (false, false);
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
            Ok(Offered::Discarded) => {
                self.hit("discarded");
                self.dropping = true;
            }
            Err(refusal) => return Err(wrong(clock, format!("a frame begins, but {refusal}"))),
        }
        Ok(())
    }
}
