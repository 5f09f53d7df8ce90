//! Generations at a port: the gate, the notes of peers, the steps of wiping, on all simulators; and with a sender behind it.

use super::network::{value_of, words_of};
use flitforge_elaborate::drive::FromValue;
use flitforge_elaborate::Value;
use flitforge_hdl_sue::frame::FrameWord;
use flitforge_hdl_sue::generation::{SueGen, FORGIVES};
use flitforge_hdl_sue::network::NetworkSource;
use flitforge_hdl_sue::send_table::{SendKind, SendResult};
use flitforge_hdl_sue::sender_core::SueSenderCore;
use flitforge_hdl_sue::slot_store::StoredBody;
use flitforge_sim::cosim::fault::{find_all, Fault};
use flitforge_sim::kit::{rng, seed, Agent, Coverage, Rng, Testbench};
use flitforge_sim::{Bench, CosimPlan, PortHandle, SimError};
use flitforge_testkit::{compiled, deep, failed, Clocked, CompiledBlock};
use rand::Rng as _;
use rust_hdl::prelude::*;
use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

/// Address bits of the peers under test.
const PEER_BITS: usize = 3;
const PEERS: u64 = 1 << PEER_BITS;
/// Clocks for which a change of a note is on its way.
const SETTLES: u64 = 6;

type SourceBits = Bits<{ <NetworkSource as Synth>::BITS }>;
type ResultBits = Bits<{ <SendResult as Synth>::BITS }>;

/// What is known of a peer.
#[derive(Clone, Copy, Default)]
struct Peer {
    noted: bool,
    newer: bool,
    changed: u64,
}

/// Everything around the block, and the rules beside it.
struct World {
    ports: Rc<BTreeMap<String, PortHandle>>,
    random: Rng,
    seen: Rc<RefCell<Coverage>>,
    peers: [Peer; PEERS as usize],
    words: VecDeque<FrameWord>,
    /// The word of the clock before, with what has to come of it: last with error, busy.
    before: Option<(FrameWord, Value, bool)>,
    spoiled: bool,
    inside: bool,
    source: Value,
    /// Tables are cleared until then; the block itself forgets until then.
    clearing: u64,
    forgets: u64,
    apart: u64,
    expiring: (u64, u64),
    skew: Option<u64>,
    wants: bool,
    stopped: u64,
    wiped: u64,
    sending: bool,
    steps: u8,
    cleared: bool,
}

impl World {
    fn new(bench: &dyn Bench, seed: u64, seen: Rc<RefCell<Coverage>>) -> Result<Self, SimError> {
        let ports = bench.ports().list().iter();
        let ports: Result<BTreeMap<_, _>, SimError> =
            ports.map(|port| Ok((port.path.clone(), bench.port(&port.path)?))).collect();
        Ok(Self {
            ports: Rc::new(ports?),
            random: rng(seed, "generation"),
            seen,
            peers: [Peer::default(); PEERS as usize],
            words: VecDeque::new(),
            before: None,
            spoiled: false,
            inside: false,
            source: SourceBits::default().to_value(),
            clearing: 0,
            forgets: 2 * PEERS,
            apart: 0,
            expiring: (0, 0),
            skew: None,
            wants: false,
            stopped: 0,
            wiped: 0,
            sending: false,
            steps: 0,
            cleared: false,
        })
    }

    fn port(&self, path: &str) -> PortHandle {
        *self.ports.get(path).unwrap_or_else(|| panic!("no port {path}"))
    }

    fn hit(&self, what: &str) {
        self.seen.borrow_mut().hit(what);
    }

    fn forget(&mut self, clock: u64) {
        self.peers = [Peer { changed: clock, ..Peer::default() }; PEERS as usize];
        self.forgets = clock + PEERS + 4;
    }

    fn check_gate(&mut self, clock: u64, closed: bool, bench: &dyn Bench) -> Result<(), SimError> {
        let valid = bench.get_u64(self.port("passed.valid")) == 1;
        let busy = bench.get_u64(self.port("busy")) == 1;
        let before = self.before.take();
        if valid != before.is_some() || busy != before.as_ref().is_some_and(|(_, _, busy)| *busy) {
            return Err(failed(clock, format!("passed {valid}, busy {busy}")));
        }
        if let Some((word, source, is_busy)) = before {
            let found = bench.get(self.port("passed.data"));
            if found != value_of(word) || bench.get(self.port("passed_source")) != source {
                return Err(failed(clock, format!("{found:?}, expected {word:?}")));
            }
            if word.last {
                self.hit(if is_busy {
                    "busy"
                } else if word.error {
                    "error"
                } else {
                    "passed"
                });
            }
        }
        if bench.get_u64(self.port("pdus.valid")) == 1 {
            let word = self.words.pop_front().expect("a word");
            let spoils = closed || (self.inside && self.spoiled);
            let error = word.error || (word.last && spoils);
            let busy = word.last && spoils && !word.error;
            self.before = Some((FrameWord { error, ..word }, self.source.clone(), busy));
            (self.inside, self.spoiled) = (!word.last, spoils);
        }
        Ok(())
    }

    fn check_notes(&mut self, clock: u64, bench: &dyn Bench) -> Result<(), SimError> {
        let ports = self.ports.clone();
        let value = |path: &str| bench.get_u64(ports[path]);
        let enable = value("enable") == 1;
        let forgiven = value("forgiven") == 1;
        let skew = (value("skew.valid") == 1).then(|| value("skew.data"));
        if skew != self.skew.take() {
            return Err(failed(clock, format!("skew is {skew:?}")));
        }
        let (connection, since) = self.expiring;
        let peer = self.peers[(connection >> 2) as usize];
        let settled = clock >= since + u64::from(FORGIVES) && clock > peer.changed + SETTLES;
        if settled && clock > self.forgets && value("conn_clr") == 0 {
            let expected = enable && (peer.noted || peer.newer);
            if forgiven != expected {
                return Err(failed(clock, format!("forgiven {forgiven} of {connection:#x}")));
            }
            self.hit(match (expected, peer.noted, peer.newer) {
                (true, true, _) => "forgiven by a note",
                (true, ..) => "forgiven as newer",
                (false, false, false) => "counts",
                _ => "counts without GEN_EN",
            });
        }
        if value("expires") == 1 && forgiven {
            self.skew = Some(connection);
        }
        let (dropped, progress) = (value("dropped.valid") == 1, value("progress.valid") == 1);
        let (of_drop, of_progress) = (value("dropped.data"), value("progress.data") >> 2);
        let (newer, ready, told) = (value("newer.valid"), value("newer.ready"), value("newer.data"));
        if progress {
            self.peers[of_progress as usize] =
                Peer { noted: false, changed: clock, ..self.peers[of_progress as usize] };
        }
        if dropped {
            self.peers[of_drop as usize] =
                Peer { noted: true, changed: clock, ..self.peers[of_drop as usize] };
            if progress {
                self.hit("a note and its end at once");
            }
        }
        if dropped && progress && of_drop == of_progress {
            // The end comes a clock later.
            self.peers[of_drop as usize].noted = false;
        }
        if newer == 1 && ready == 1 {
            let peer = &mut self.peers[(told & 1023) as usize];
            (peer.newer, peer.changed) = (told >> 10 == 1, clock);
        }
        Ok(())
    }

    /// The steps of wiping, as who asks for it sees them.
    fn check_wiping(&mut self, clock: u64, bench: &dyn Bench) -> Result<(), SimError> {
        let value = |path: &str| bench.get_u64(self.port(path)) == 1;
        let (stop, wipe, cleared) = (value("stop"), value("wipe"), value("cleared"));
        let (sending, clearing) = (value("sending"), value("clearing"));
        let wrong = |problem: &str| Err(failed(clock, format!("{problem}: {stop} {wipe} {cleared}")));
        let step = match (stop, wipe, cleared) {
            (false, false, false) => 0,
            (true, false, false) if self.steps <= 1 => 1,
            (true, true, false) => 2,
            (true, false, false) => 3,
            (true, false, true) => 4,
            _ => return wrong("no step"),
        };
        let goes_on = step == self.steps || step == (self.steps + 1) % 5;
        if !goes_on {
            return wrong("a step is left out");
        }
        if step == 2 && self.steps == 1 {
            if self.sending {
                return wrong("a frame is on the wire");
            }
            self.wiped = clock;
            self.clearing = clock + self.random.random_range(2..60);
        }
        if step == 4 && self.steps == 3 && (self.cleared || clock <= self.wiped + PEERS) {
            return wrong("tables are being cleared");
        }
        if step == 3 && self.steps == 2 && clock != self.wiped + 2 {
            return wrong("wipe is 2 clocks long");
        }
        if step == 4 {
            self.hit("wiped");
        }
        if wipe {
            self.forget(clock);
        }
        if step == 1 && self.steps == 0 {
            self.stopped = clock;
        }
        if step == 1 && clock > self.stopped + 200 {
            return wrong("it does not go on");
        }
        (self.steps, self.sending, self.cleared) = (step, sending, clearing);
        Ok(())
    }
}

impl Agent for World {
    fn drive(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        let clear = self.random.random_bool(0.001);
        bench.set_u64(self.port("clear"), clear.into());
        if clock % 500 == 0 {
            let enable = self.random.random_bool(0.8);
            bench.set_u64(self.port("enable"), enable.into());
            self.peers.iter_mut().for_each(|peer| peer.changed = clock);
        }
        if self.words.is_empty() && self.random.random_bool(0.2) {
            let length = self.random.random_range(1..60);
            let octets: Vec<u8> = (0..length).map(|_| self.random.random()).collect();
            let error = self.random.random_bool(0.2);
            self.words = words_of(&octets, error, 0).into();
            let source: u64 = self.random.random();
            let bits: SourceBits = (source & ((1 << 42) - 1)).into();
            self.source = bits.to_value();
        }
        let gives = !self.words.is_empty() && self.random.random_bool(0.8);
        bench.set_u64(self.port("pdus.valid"), gives.into());
        if gives {
            bench.set(self.port("pdus.data"), &value_of(self.words[0]));
        }
        bench.set(self.port("source"), &self.source);

        self.apart = self.apart.saturating_sub(1);
        let (mut dropped, mut progress) = (false, false);
        if self.apart == 0 {
            // Nothing is noted while all is forgotten.
            let knows = clock > self.forgets + 2 && self.steps == 0;
            dropped = knows && self.random.random_bool(0.03);
            progress = self.random.random_bool(0.03) || (dropped && self.random.random_bool(0.5));
            if dropped || progress {
                self.apart = 2;
            }
        }
        let peer = self.random.random_range(0..PEERS);
        let other = if self.random.random_bool(0.5) { peer } else { self.random.random_range(0..PEERS) };
        let vc: u64 = self.random.random_range(0..4);
        bench.set_u64(self.port("dropped.valid"), dropped.into());
        bench.set_u64(self.port("dropped.data"), peer);
        bench.set_u64(self.port("progress.valid"), progress.into());
        bench.set_u64(self.port("progress.data"), other << 2 | vc);
        let tells = self.random.random_bool(0.02);
        let told = self.random.random_range(0..PEERS) | self.random.random_range(0..2_u64) << 10;
        bench.set_u64(self.port("newer.valid"), tells.into());
        bench.set_u64(self.port("newer.data"), told);
        if self.random.random_bool(0.05) {
            self.expiring = (self.random.random_range(0..PEERS * 4), clock);
            bench.set_u64(self.port("expiring"), self.expiring.0);
        }
        let expires = self.random.random_bool(0.1);
        bench.set_u64(self.port("expires"), expires.into());

        let ends = self.steps == 4 && self.random.random_bool(0.2);
        if ends || (!self.wants && self.steps == 0 && self.random.random_bool(0.004)) {
            self.wants = !self.wants;
        }
        bench.set_u64(self.port("conn_clr"), self.wants.into());
        let sending = self.steps < 2 && self.random.random_bool(0.7) && clock <= self.stopped + 100;
        bench.set_u64(self.port("sending"), sending.into());
        bench.set_u64(self.port("clearing"), (clock < self.clearing).into());
        Ok(())
    }

    fn observe(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        let clear = bench.get_bit(self.port("clear"));
        let closed = bench.get_bit(self.port("stop"));
        self.check_gate(clock, closed, bench)?;
        self.check_notes(clock, bench)?;
        self.check_wiping(clock, bench)?;
        if clear {
            self.forget(clock);
            (self.before, self.inside, self.spoiled, self.skew) = (None, false, false, None);
            // The rest of a PDU is one of its own.
            self.steps = 0;
            self.stopped = clock;
        }
        Ok(())
    }
}

fn plan(name: &str, seen: &Rc<RefCell<Coverage>>) -> CosimPlan<'static> {
    let seen = seen.clone();
    let make = || Box::new(SueGen::<PEER_BITS>::new().expect("valid")) as _;
    CosimPlan::new(name, seed(0x9e8), make, move |testbench: &mut Testbench<'_>, seed| {
        testbench.add(World::new(testbench.bench(), seed, seen.clone())?);
        Ok(())
    })
}

#[test]
fn notes_gate_and_wiping_follow_the_rules() {
    let seen = Rc::default();
    deep(plan("sue_gen", &seen), 60_000, 2_000).run().expect("equal");
    let all = [
        "passed",
        "error",
        "busy",
        "forgiven by a note",
        "forgiven as newer",
        "counts",
        "counts without GEN_EN",
        "a note and its end at once",
        "wiped",
    ];
    seen.borrow().require("sue_gen", &all).expect("everything happened");
}

#[test]
fn faults_are_found() {
    const TOP: &str = "fault_sue_gen";
    let faults = [
        Fault::replace("a PDU under way is passed", TOP, "spoiled_q & inside_q", "1'b0"),
        Fault::replace("GEN_EN is not asked for", TOP, "enable & ~forgets_q", "~forgets_q"),
        Fault::replace("the wire is not waited for", TOP, "settled & ~sending", "settled"),
        Fault::replace("tables are not waited for", TOP, "settled & ~clearing", "settled"),
        Fault::replace("progress beside a note is lost", TOP, "takes_away & dropped_valid", "1'b0"),
    ];
    let plan = || plan(TOP, &Rc::default()).clocks(20_000).stock_limit(200, "the faults are in the Verilog");
    find_all(plan, &faults).expect("all are found");
}

/// A sender of 16 connections, and the generations of its four peers.
struct Port {
    generations: CompiledBlock,
    core: CompiledBlock,
    skews: u32,
    /// Expiries that were carried out; backoff of the timer after the last.
    expiries: u32,
    backoff: u64,
    fails: u32,
}

const RETRY_MAX: u64 = 3;
/// Peer 2, VC 1.
const CONNECTION: u64 = 2 << 2 | 1;

impl Port {
    fn new() -> Self {
        let core = SueSenderCore::<4, 4, 4, 5, 2, 3, 5>::new().expect("valid");
        let generations = SueGen::<2>::new().expect("valid");
        let mut port = Self {
            generations: CompiledBlock::new(&compiled("skew_gen", &generations)),
            core: CompiledBlock::new(&compiled("skew_core", &core)),
            skews: 0,
            expiries: 0,
            backoff: 0,
            fails: 0,
        };
        port.generations.set("enable", 1);
        port.core
            .set("settings.window", 8)
            .set("settings.retry_max", RETRY_MAX)
            .set("settings.backoff", 2)
            .set("settings.nack_max", 255)
            .set("rto", 300)
            .set("ready", 15)
            .set("reads.ready", 1);
        (0..200).for_each(|_| port.step());
        // One body.
        port.core.set("slots.ready", 1);
        while port.core.get("slots.valid") == 0 {
            port.step();
        }
        let slot = port.core.get("slots.data");
        port.step();
        port.core.set("slots.ready", 0);
        port.core.set("begins.valid", 1).set("begins.data", 1);
        port.step();
        port.core.set("begins.valid", 0);
        let body = StoredBody {
            slot: slot.into(),
            destination: 2_u64.into(),
            vc: 1_u64.into(),
            ..StoredBody::default()
        };
        port.core.set("stored.valid", 1).set_value("stored.data", &value_of(body));
        port.step();
        port.core.set("stored.valid", 0);
        port
    }

    fn step(&mut self) {
        let Self { generations, core, .. } = self;
        core.set("forgiven", generations.get("forgiven"));
        generations.set("expiring", core.get("expiring")).set("expires", core.get("expires"));
        self.skews += generations.get("skew.valid") as u32;
        let reads = core.get("reads.valid");
        if core.get("results.valid") == 1 {
            let result: SendResult = ResultBits::from_value(&core.get_value("results.data")).into();
            if result.kind == SendKind::Expire {
                self.expiries += 1;
                self.backoff = result.backoff.into();
            }
            self.fails += u32::from(result.fails);
        }
        generations.step();
        core.step();
        core.set("left", reads);
    }

    fn run_until(&mut self, expiries: u32) {
        for _ in 0..20_000 {
            if self.expiries == expiries {
                return;
            }
            self.step();
        }
        panic!("{} expiries", self.expiries);
    }

    fn pulse(&mut self, path: &str, data: u64) {
        self.generations.set(&format!("{path}.valid"), 1).set(&format!("{path}.data"), data);
        self.step();
        self.generations.set(&format!("{path}.valid"), 0);
        (0..6).for_each(|_| self.step());
    }
}

/// A peer of another generation never makes a connection fail: GEN_SKEW each time; without it the connection fails after RETRY_MAX.
#[test]
fn skew_raises_its_event_and_no_failure() {
    let mut port = Port::new();
    port.pulse("dropped", 2);
    port.run_until(10);
    assert_eq!((port.skews, port.fails, port.backoff), (10, 0, 0));
    // Another peer's progress changes nothing; its own ends it.
    port.pulse("progress", 1 << 2);
    port.run_until(12);
    assert_eq!((port.skews, port.fails), (12, 0));
    port.pulse("progress", CONNECTION);
    port.run_until(14);
    assert_eq!((port.skews, port.fails, port.backoff), (12, 0, 2));
    // The peer is ahead.
    port.pulse("newer", 2 | 1 << 10);
    port.run_until(20);
    assert_eq!((port.skews, port.fails, port.backoff), (18, 0, 2));
    port.pulse("newer", 2);
    port.run_until(22);
    assert_eq!((port.skews, port.fails), (18, 1), "expiries 3 and 4 that count");
}

#[test]
fn without_skew_the_connection_fails() {
    let mut port = Port::new();
    port.run_until(RETRY_MAX as u32 + 1);
    assert_eq!((port.skews, port.fails), (0, 1));
}

#[test]
fn what_cannot_be_built_is_refused() {
    let error = SueGen::<11>::new().err().expect("peers").to_string();
    assert!(error.contains("sue_gen"), "{error}");
}
