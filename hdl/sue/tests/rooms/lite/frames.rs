//! The writer of SUE Lite against the golden frames: gaps in bodies, a link that waits, bodies with an error, `drops`, `stops`, `port_off`.

use crate::rooms::body_check::word_value;
use crate::rooms::network::{random_config, settings_of, value_of, words_of};
use flitforge_elaborate::drive::FromValue;
use flitforge_hdl_sue::frame::{BodyHead, FrameWord};
use flitforge_hdl_sue::lite::{LiteFrame, SueLiteWriter, WRITER_LATENCY};
use flitforge_hdl_sue::network::NetworkSettings;
use flitforge_hdl_sue::pack::{QueueTurn, QueueWindow};
use flitforge_model::sue::format::{Framing, Network};
use flitforge_model::sue::lite::frame_of;
use flitforge_sim::compiled::Compiled;
use flitforge_sim::kit::{rng, seed, Coverage, Rng};
use flitforge_testkit::{compiled, is_full, Clocked, CompiledBlock};
use rand::Rng as _;
use rust_hdl::prelude::*;
use std::collections::VecDeque;
use std::panic::catch_unwind;
use std::sync::{Arc, OnceLock};

fn program() -> &'static Arc<Compiled> {
    static PROGRAM: OnceLock<Arc<Compiled>> = OnceLock::new();
    PROGRAM.get_or_init(|| compiled("sue_lite_writer", &SueLiteWriter::new().expect("valid")))
}

/// A body on its way.
#[derive(Clone, Debug)]
struct Body {
    octets: Vec<u8>,
    destination: u16,
    vc: u8,
    commands: u64,
    error: bool,
    /// The word that is stored with a wrong parity.
    spoiled: Option<usize>,
}

/// A frame that came: octets, class, octets as told, error.
type Came = (Vec<u8>, u64, u64, bool);

/// A fault of the writer as it would show at its ports.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Planted {
    /// A frame has the class of another virtual channel.
    Class,
    /// It is told with other octets than it has.
    Octets,
    /// One of its words is altered.
    Altered,
    /// A poisoned frame is told as a good one.
    Unpoisoned,
    /// A body with an error is sent as a good one.
    Trusted,
    /// A wrong parity is not seen.
    Unseen,
    /// A queue is not answered.
    Unanswered,
    /// Another queue is.
    Misled,
    /// A frame is told to the ledger with other commands.
    Miscounted,
    /// Short frames are padded by a word more.
    Padded,
    /// A body that is not sent is not counted.
    Uncounted,
}

const ALL: [Planted; 11] = [
    Planted::Class,
    Planted::Octets,
    Planted::Altered,
    Planted::Unpoisoned,
    Planted::Trusted,
    Planted::Unseen,
    Planted::Unanswered,
    Planted::Misled,
    Planted::Miscounted,
    Planted::Padded,
    Planted::Uncounted,
];
/// A planted fault shows at one of so many.
const RARE: u64 = 13;

struct Rig {
    planted: Option<Planted>,
    /// Words, answers and frames that have come.
    words: u64,
    block: CompiledBlock,
    network: Network,
    minimum: usize,
    random: Rng,
    /// Chances that the packer gives a word, that the link and the ledger take one.
    gives: f64,
    takes: f64,
    notes: f64,
    queue: VecDeque<Body>,
    at: usize,
    turned: bool,
    /// Bodies taken whole, whose fate is not told.
    taken: VecDeque<Body>,
    /// Frames begun.
    begun: VecDeque<Body>,
    unsent: u64,
    open: Vec<u8>,
    came: Vec<Came>,
    windows: u64,
    discarded: u64,
    parity: u64,
    answers: VecDeque<(u64, u64)>,
}

impl Rig {
    fn new(name: &str) -> Self {
        let mut random = rng(seed(0x830), name);
        let config = random_config(&mut random, Framing::Lite, false);
        let minimum = random.random_range(8..=60);
        let mut block = CompiledBlock::new(program());
        block.set_value(
            "settings",
            &value_of::<_, { <NetworkSettings as Synth>::BITS }>(settings_of(&config)),
        );
        block.set("port", config.own.port.into()).set("minimum", minimum as u64);
        block.run(10);
        let network = Network::new(config).expect("settings");
        Self {
            planted: None,
            words: 0,
            block,
            network,
            minimum,
            random,
            gives: 1.0,
            takes: 1.0,
            notes: 1.0,
            queue: VecDeque::new(),
            at: 0,
            turned: false,
            taken: VecDeque::new(),
            begun: VecDeque::new(),
            unsent: 0,
            open: vec![],
            came: vec![],
            windows: 0,
            discarded: 0,
            parity: 0,
            answers: VecDeque::new(),
        }
    }

    /// Whether this fault is planted, and shows here.
    fn shows(&self, planted: Planted) -> bool {
        self.planted == Some(planted) && self.words % RARE == 0
    }

    fn plant(&mut self, planted: Option<Planted>) {
        self.planted = planted;
        if planted == Some(Planted::Padded) {
            self.block.set("minimum", self.minimum as u64 + 8);
            self.block.run(10);
        }
    }

    fn body(&mut self, most: usize) -> Body {
        let units = if self.random.random_bool(0.4) { 40 } else { most / 2 };
        let count = 2 * self.random.random_range(1..=units.min(most / 2));
        Body {
            octets: (0..count).map(|_| self.random.random()).collect(),
            destination: self.random.random_range(0..1024),
            vc: self.random.random_range(0..4),
            commands: self.random.random_range(1..1024),
            error: false,
            spoiled: None,
        }
    }

    fn wanted(&self, body: &Body) -> Came {
        let minimum = self.minimum.next_multiple_of(2);
        let frame =
            frame_of(&self.network, body.destination, body.vc, &body.octets, minimum).expect("a frame");
        let octets = frame.len() as u64;
        (frame, body.vc.into(), octets, body.spoiled.is_some())
    }

    fn clock(&mut self) {
        let (notes, takes) = (self.random.random_bool(self.notes), self.random.random_bool(self.takes));
        self.block.set("begun.ready", notes.into()).set("frame.ready", takes.into());
        self.give();
        self.note(notes);
        self.take(takes);
        if self.block.get("windows.valid") == 1 && !self.shows(Planted::Unanswered) {
            self.windows += 1;
            let window: QueueWindow = Bits::<13>::from_value(&self.block.get_value("windows.data")).into();
            assert!(window.open);
            let misled = u64::from(self.shows(Planted::Misled));
            let told = (u64::from(window.destination), u64::from(window.vc) ^ misled);
            assert_eq!(self.answers.pop_front(), Some(told));
        }
        self.discarded +=
            if self.planted == Some(Planted::Uncounted) { 0 } else { self.block.get("discarded") };
        self.parity += self.block.get("parity");
        self.words += 1;
        self.block.step();
    }

    fn give(&mut self) {
        let more = self.block.get("more") == 1;
        let stops = self.block.get("stops") == 1;
        self.block.set("turns.valid", 0);
        let Some(body) = self.queue.front().cloned() else {
            self.block.set("body.valid", 0);
            return;
        };
        if !self.turned {
            self.block.set("body.valid", 0);
            if more && !stops {
                let turn = QueueTurn {
                    destination: u64::from(body.destination).into(),
                    vc: u64::from(body.vc).into(),
                };
                self.block.set_value("turns.data", &value_of::<_, 12>(turn)).set("turns.valid", 1);
                self.turned = true;
            }
            return;
        }
        let error = body.error && self.planted != Some(Planted::Trusted);
        let words = words_of(&body.octets, error, 0x5A);
        let spoils = body.spoiled == Some(self.at) && self.planted != Some(Planted::Unseen);
        let offers = self.random.random_bool(self.gives);
        let head = BodyHead {
            destination: u64::from(body.destination).into(),
            vc: u64::from(body.vc).into(),
            partition: 7.into(),
        };
        self.block.set("body.valid", offers.into());
        self.block.set_value("body.data", &word_value(words[self.at]));
        self.block.set_value("head", &value_of::<_, 22>(head)).set("commands", body.commands);
        self.block.set("spoils", spoils.into());
        if offers && self.block.get("body.ready") == 1 {
            self.at += 1;
            if self.at == words.len() {
                self.answers.push_back((body.destination.into(), body.vc.into()));
                self.taken.extend(self.queue.pop_front());
                (self.at, self.turned) = (0, false);
            }
        }
    }

    fn note(&mut self, notes: bool) {
        if notes && self.block.get("begun.valid") == 1 {
            let frame: LiteFrame = Bits::<23>::from_value(&self.block.get_value("begun.data")).into();
            let body = self.taken.pop_front().expect("a body was taken");
            assert_eq!(u64::from(frame.destination), u64::from(body.destination));
            let commands = u64::from(frame.commands) ^ u64::from(self.shows(Planted::Miscounted));
            assert_eq!((u64::from(frame.vc), commands), (body.vc.into(), body.commands));
            let forgotten = body.error || body.octets.len() > 1024;
            assert!(frame.failed || !forgotten);
            if frame.failed {
                self.unsent += 1;
            } else {
                self.begun.push_back(body);
            }
        }
    }

    fn take(&mut self, takes: bool) {
        let valid = self.block.get("frame.valid") == 1;
        assert!(valid || self.open.is_empty() || self.block.get("port_off") == 1, "a gap in a frame");
        if !takes || !valid {
            return;
        }
        let word: FrameWord = Bits::<70>::from_value(&self.block.get_value("frame.data")).into();
        self.open.extend(&u64::from(word.data).to_le_bytes()[..u64::from(word.bytes) as usize]);
        if word.last {
            let mut octets = std::mem::take(&mut self.open);
            if self.shows(Planted::Altered) {
                *octets.last_mut().expect("a frame has octets") ^= 0x40;
            }
            let class = self.block.get("class") ^ u64::from(self.shows(Planted::Class));
            let told = self.block.get("octets") + u64::from(self.shows(Planted::Octets));
            let error = word.error && self.planted != Some(Planted::Unpoisoned);
            self.came.push((octets, class, told, error));
        }
    }

    /// Until nothing moves any more; the frames that came are those begun.
    fn settle(&mut self) {
        let mut clocks = 0;
        while self.block.get("idle") == 0 || !self.queue.is_empty() || self.turned {
            self.clock();
            clocks += 1;
            assert!(clocks < 50_000, "{} bodies left", self.queue.len());
        }
        (0..4).for_each(|_| self.clock());
        let begun: Vec<Body> = self.begun.drain(..).collect();
        let wanted: Vec<Came> = begun.iter().map(|body| self.wanted(body)).collect();
        let came = std::mem::take(&mut self.came);
        assert_eq!(came.len(), wanted.len());
        for (came, wanted) in came.into_iter().zip(wanted) {
            if wanted.3 {
                assert!(came.3, "poisoned");
                assert_eq!((came.1, came.2), (wanted.1, wanted.2));
            } else {
                assert_eq!(came, wanted);
            }
        }
        assert!(self.taken.is_empty() && self.open.is_empty());
    }
}

#[test]
fn frames_are_those_of_the_model() {
    let seen = frames_as_wanted(if is_full() { 60 } else { 12 }, None);
    let all = ["error", "parity", "too long", "the largest", "the least", "any"];
    seen.require("bodies", &all).expect("everything happened");
}

/// Faults at the ports of the block: the comparison finds each.
#[test]
fn planted_faults_are_found() {
    frames_as_wanted(2, None);
    for planted in ALL {
        let found = catch_unwind(|| frames_as_wanted(2, Some(planted)));
        assert!(found.is_err(), "{planted:?} is not found");
    }
}

/// Bodies of all kinds against the golden frames.
fn frames_as_wanted(rounds: usize, planted: Option<Planted>) -> Coverage {
    let mut seen = Coverage::default();
    for round in 0..rounds {
        let mut rig = Rig::new(&format!("frames {round}"));
        rig.plant(planted);
        rig.gives = [1.0, 0.5, 0.2][round % 3];
        rig.takes = [1.0, 0.6, 0.9, 0.3][round % 4];
        rig.notes = [1.0, 0.2][round % 2];
        let (mut bad, mut spoiled, count) = (0, 0, 60);
        for _ in 0..count {
            let mut body = rig.body(1024);
            match rig.random.random_range(0..12) {
                0 => {
                    seen.hit("error");
                    body.error = true;
                    bad += 1;
                }
                1 => {
                    seen.hit("parity");
                    let words = body.octets.len().div_ceil(8);
                    body.spoiled = Some(rig.random.random_range(0..words));
                    spoiled += 1;
                }
                2 => {
                    seen.hit("too long");
                    let more = 2 * rig.random.random_range(1..1000);
                    body.octets.resize(1024 + more, 1);
                    bad += 1;
                }
                3 => {
                    seen.hit("the largest");
                    body.octets.resize(1024, 2);
                }
                4 => {
                    seen.hit("the least");
                    body.octets.truncate(2);
                }
                _ => seen.hit("any"),
            }
            rig.queue.push_back(body);
        }
        rig.settle();
        assert_eq!((rig.windows, rig.unsent, rig.discarded, rig.parity), (count, bad, bad, spoiled));
    }
    seen
}

/// While `drops` is high nothing is begun; a frame under way is finished.
#[test]
fn what_is_dropped_is_told() {
    let mut rig = Rig::new("drops");
    for round in 0..40 {
        for _ in 0..10 {
            let body = rig.body(300);
            rig.queue.push_back(body);
        }
        (0..20 + 11 * round).for_each(|_| rig.clock());
        rig.block.set("drops", 1);
        (0..rig.random.random_range(1..200)).for_each(|_| rig.clock());
        rig.block.set("drops", 0);
        rig.settle();
    }
    assert!(rig.unsent > 40, "{} were dropped", rig.unsent);
    assert_eq!(rig.windows, 400);
}

/// The packer stops in the middle of a body, or the port is switched off in the middle of a frame: what comes later is whole.
#[test]
fn what_is_torn_goes_away() {
    let mut rig = Rig::new("torn");
    rig.gives = 0.7;
    for round in 0..60 {
        for _ in 0..4 {
            let body = rig.body(400);
            rig.queue.push_back(body);
        }
        (0..15 + 7 * round % 400).for_each(|_| rig.clock());
        let stops = round % 2 == 0;
        rig.block.set(if stops { "stops" } else { "port_off" }, 1).set("drops", 1);
        if stops {
            // The packer is cleared; a body under way is told with `failed`.
            let torn = rig.queue.pop_front().filter(|_| rig.at > 0);
            rig.queue.clear();
            rig.block.set("body.valid", 0).set("turns.valid", 0);
            if let Some(torn) = torn {
                let words = torn.octets.len().div_ceil(8);
                assert!(rig.at < words);
                rig.taken.push_back(Body { error: true, ..torn });
            }
            (rig.at, rig.turned) = (0, false);
        } else {
            // A frame that was begun may not come to its end.
            rig.block.set("frame.ready", 0);
            rig.takes = 0.0;
        }
        (0..300).for_each(|_| rig.clock());
        if !stops {
            let torn = !rig.open.is_empty() || rig.begun.len() > rig.came.len();
            if torn {
                rig.begun.pop_back();
            }
            rig.open.clear();
            rig.takes = 1.0;
        }
        rig.block.set("stops", 0).set("port_off", 0).set("drops", 0);
        rig.settle();
    }
    assert!(rig.unsent > 10, "{}", rig.unsent);
}

#[test]
fn a_clear_forgets_everything() {
    let mut rig = Rig::new("clear");
    for round in 0..30 {
        for _ in 0..4 {
            let body = rig.body(600);
            rig.queue.push_back(body);
        }
        (0..10 + 9 * round).for_each(|_| rig.clock());
        rig.queue.clear();
        rig.block.set("clear", 1).set("body.valid", 0).set("turns.valid", 0);
        rig.block.run(3);
        rig.block.set("clear", 0);
        (rig.at, rig.turned) = (0, false);
        rig.taken.clear();
        rig.begun.clear();
        rig.came.clear();
        rig.open.clear();
        rig.answers.clear();
        assert_eq!((rig.block.get("idle"), rig.block.get("frame.valid")), (1, 0));
        let body = rig.body(100);
        rig.queue.push_back(body);
        rig.settle();
    }
}

#[test]
fn latency_is_as_stated() {
    for count in [2, 8, 100, 1024] {
        let mut rig = Rig::new("latency");
        let mut body = rig.body(100);
        body.octets.resize(count, 3);
        rig.queue.push_back(body);
        while !rig.queue.is_empty() {
            rig.clock();
        }
        let mut clocks = 1;
        while rig.block.get("frame.valid") == 0 {
            rig.clock();
            clocks += 1;
        }
        assert_eq!(clocks, WRITER_LATENCY, "{count} octets");
    }
}
