//! From bodies to commands, against the golden model, on all simulators: what is committed comes out once, in order per virtual channel, and nothing else.

use super::body_check::{
    any_head, good_body, head_value, some_types, types_value, word_value, words_of, CELL, RULES_CLOCKS, WORD,
};
use flitforge_elaborate::drive::FromValue;
use flitforge_elaborate::Value;
use flitforge_hdl_sue::body_check::BodyVerdict;
use flitforge_hdl_sue::frame::{FrameWord, ReceivedHead, VERDICTS};
use flitforge_hdl_sue::receive_bodies::{SueReceiveBodies, LATENCY};
use flitforge_hdl_sue::receive_buffer::{GRANULE_WORDS, VCS};
use flitforge_hdl_sue::unpack::OutCredit;
use flitforge_model::sue::format::body::walk;
use flitforge_model::sue::format::TypeTable;
use flitforge_sim::cosim::fault::{find_all, Fault};
use flitforge_sim::cosim::FULL_CLOCKS;
use flitforge_sim::kit::{
    rng, seed, Agent, ClearDriver, Coverage, FlowMonitor, FlowSource, Pace, Rng, StimulusFn, StreamMonitor,
    StreamSink, Testbench,
};
use flitforge_sim::{Bench, CosimPlan, PortHandle, SimError};
use flitforge_testkit::{compiled, deep, failed, random, Clocked, CompiledBlock, OnBit};
use rand::Rng as _;
use rust_hdl::prelude::*;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

/// The smallest buffer: rings of 32 granules.
type Small = SueReceiveBodies<9, 7, 5, 6>;
const RING_GRANULES: usize = 32;
/// Room of the XPU per virtual channel, in cells.
const XPU_CELLS: u64 = 12;
/// Clocks between two bodies, and from a room to its decision, at least.
const GAP_CLOCKS: u64 = 3;
const DECISION_CLOCKS: u64 = 2;
/// Clocks after which a released body has given back its room.
const RELEASE_CLOCKS: u64 = 60;
/// Clocks in which a command that may move has to.
const PATIENCE: u32 = 700;

type FrameBits = Bits<{ <FrameWord as Synth>::BITS }>;
type HeadBits = Bits<{ <ReceivedHead as Synth>::BITS }>;
type VerdictBits = Bits<{ <BodyVerdict as Synth>::BITS }>;
type CreditBits = Bits<{ <OutCredit as Synth>::BITS }>;

/// A body that has come.
#[derive(Clone)]
struct Sent {
    number: u64,
    /// Clock of the first word.
    began: u64,
    octets: Vec<u8>,
    head: ReceivedHead,
    error: bool,
    well_formed: bool,
    /// With a verdict on the room: whether there was, and from when on it may be decided.
    fits: bool,
    from: u64,
}

/// A body that has room in a ring.
struct Kept {
    number: u64,
    granules: usize,
    gone: Option<u64>,
    dropped: bool,
}

/// A command that is to come out.
struct Wanted {
    body: u64,
    octets: Vec<u8>,
    head: ReceivedHead,
    ends_body: bool,
}

/// The XPU on both sides of the blocks.
struct Rig {
    types: TypeTable,
    clock: u64,
    left: VecDeque<FrameWord>,
    /// Clocks until the next body may begin.
    gap: u64,
    sending: Option<Sent>,
    head: ReceivedHead,
    numbers: u64,
    /// Bodies that have come and are not decided, and how many of them have a verdict and a room.
    undecided: VecDeque<Sent>,
    judged: usize,
    roomed: usize,
    rings: [Vec<Kept>; VCS],
    wanted: [VecDeque<Wanted>; VCS],
    /// Cells free at the XPU that the block knows of, and those that it does not.
    credits: [u64; VCS],
    freed: [u64; VCS],
    came: Vec<u8>,
    shown: ReceivedHead,
    waiting: u32,
    starved: usize,
    seen: Coverage,
}

fn vc_of(head: ReceivedHead) -> usize {
    u64::from(head.vc) as usize
}

impl Rig {
    fn new(types: TypeTable) -> Self {
        let none: ReceivedHead = HeadBits::from(0u64).into();
        Self {
            types,
            clock: 0,
            left: VecDeque::new(),
            gap: 0,
            sending: None,
            head: none,
            numbers: 0,
            undecided: VecDeque::new(),
            judged: 0,
            roomed: 0,
            rings: Default::default(),
            wanted: Default::default(),
            credits: [0; VCS],
            freed: [XPU_CELLS; VCS],
            came: vec![],
            shown: none,
            waiting: 0,
            starved: VCS,
            seen: Coverage::default(),
        }
    }

    fn word(&mut self, random: &mut Rng) -> Option<Value> {
        if self.clock < RULES_CLOCKS || self.clock < self.gap {
            return None;
        }
        if self.left.is_empty() {
            if self.undecided.len() >= VERDICTS {
                return None;
            }
            let most = if random.random_bool(0.1) { 1024 } else { 150 };
            let mut octets = good_body(random, &self.types, most);
            if random.random_bool(0.1) {
                let place = random.random_range(0..octets.len());
                octets[place] = random.random();
            }
            let error = random.random_bool(0.05);
            self.left = words_of(&octets, error, random).into();
            self.head = any_head(random);
            if random.random_bool(0.4) {
                self.head.vc = 1u64.into();
            }
            self.numbers += 1;
            let well_formed = walk(&octets, &self.types).is_ok();
            let (number, head, began) = (self.numbers, self.head, self.clock);
            self.sending =
                Some(Sent { number, began, octets, head, error, well_formed, fits: false, from: 0 });
        }
        let word = self.left.pop_front()?;
        if word.last {
            self.gap = self.clock + 1 + GAP_CLOCKS;
            self.undecided.extend(self.sending.take());
        }
        Some(word_value(word))
    }

    fn judge(&mut self, clock: u64, verdict: BodyVerdict) -> Result<(), SimError> {
        let body = &self.undecided[self.judged];
        self.judged += 1;
        (body.well_formed == verdict.well_formed)
            .then_some(())
            .ok_or_else(|| failed(clock, format!("{verdict:?} of {:02x?}", body.octets)))
    }

    /// The room of a body: it is refused only if the ring may be full of bodies that are not certainly gone.
    fn room(&mut self, clock: u64, fits: bool) -> Result<(), SimError> {
        let body = &mut self.undecided[self.roomed];
        self.roomed += 1;
        body.fits = fits;
        body.from = clock + DECISION_CLOCKS;
        let granules = body.octets.len().div_ceil(WORD * GRANULE_WORDS);
        let ring = &mut self.rings[vc_of(body.head)];
        // What was there when it began may be in its way to the end, and a dropped one may be a hole before others.
        let began = body.began;
        while let Some(first) = ring.first() {
            let old = |kept: &Kept| kept.gone.is_some_and(|gone| gone + RELEASE_CLOCKS < began);
            if !old(first) || (first.dropped && !ring.iter().all(old)) {
                break;
            }
            ring.remove(0);
        }
        let used: usize = ring.iter().map(|kept| kept.granules).sum();
        if body.error {
            self.seen.hit("error");
        } else if !fits {
            self.seen.hit("no room");
            if used + granules <= RING_GRANULES {
                return Err(failed(clock, format!("no room for {granules} beside {used} granules")));
            }
        }
        if fits {
            ring.push(Kept { number: body.number, granules, gone: None, dropped: false });
        }
        if fits && body.error {
            return Err(failed(clock, "room for a body with an error".into()));
        }
        Ok(())
    }

    fn decision(&mut self, random: &mut Rng) -> Option<Value> {
        if self.judged == 0 || self.roomed == 0 {
            return None;
        }
        let body = self.undecided.front().filter(|body| self.clock >= body.from)?;
        let commit = body.well_formed && body.fits && random.random_bool(0.75);
        self.seen.hit(if commit { "committed" } else { "dropped" });
        Some(Value::from_u64(1, commit.into()))
    }

    fn decided(&mut self, clock: u64, commit: bool) {
        let Some(body) = self.undecided.pop_front() else { return };
        self.judged -= 1;
        self.roomed -= 1;
        let vc = vc_of(body.head);
        let later = self.undecided.iter().any(|other| vc_of(other.head) == vc);
        if !commit {
            if body.fits && later {
                self.seen.hit("dropped before another of its ring");
            }
            if let Some(kept) = self.rings[vc].iter_mut().find(|kept| kept.number == body.number) {
                (kept.gone, kept.dropped) = (Some(clock), true);
            }
            return;
        }
        let walked = walk(&body.octets, &self.types).expect("well formed");
        let count = walked.commands.len();
        for (index, command) in walked.commands.into_iter().enumerate() {
            let octets = command.encode(&self.types).expect("taken");
            let ends_body = index + 1 == count;
            self.wanted[vc].push_back(Wanted { body: body.number, octets, head: body.head, ends_body });
        }
    }

    /// Credits go to all virtual channels but, for some time, one.
    fn credit(&mut self, random: &mut Rng) -> Option<Value> {
        if random.random_bool(0.002) {
            self.starved = random.random_range(0..=VCS);
        }
        let vc = random.random_range(0..VCS);
        if vc == self.starved || self.freed[vc] == 0 {
            return None;
        }
        let count = random.random_range(1..=self.freed[vc]);
        let credit = OutCredit { vc: (vc as u64).into(), count: count.into() };
        let bits: CreditBits = credit.into();
        Some(bits.to_value())
    }

    fn credited(&mut self, credit: OutCredit) {
        let (vc, count) = (u64::from(credit.vc) as usize, u64::from(credit.count));
        self.freed[vc] -= count;
        self.credits[vc] += count;
    }

    fn comes(&mut self, clock: u64, word: FrameWord) -> Result<(), SimError> {
        let vc = vc_of(self.shown);
        let wanted =
            self.wanted[vc].front().ok_or_else(|| failed(clock, format!("{word:?} of nothing, {vc}")))?;
        if self.came.is_empty() {
            let cells = wanted.octets.len().div_ceil(CELL) as u64;
            self.credits[vc] = self.credits[vc]
                .checked_sub(cells)
                .ok_or_else(|| failed(clock, format!("{cells} cells, and {} credits", self.credits[vc])))?;
            self.freed[vc] += cells;
        }
        let bytes = u64::from(word.bytes) as usize;
        self.came.extend(&u64::from(word.data).to_le_bytes()[..bytes]);
        let full = bytes == WORD || word.last;
        if wanted.head != self.shown || !full || word.error {
            return Err(failed(clock, format!("{word:?} of {:?}, expected {:?}", self.shown, wanted.head)));
        }
        self.waiting = 0;
        if word.last {
            let came = std::mem::take(&mut self.came);
            if came != wanted.octets {
                return Err(failed(clock, format!("{came:02x?}, expected {:02x?}", wanted.octets)));
            }
            let (body, ends_body) = (wanted.body, wanted.ends_body);
            self.wanted[vc].pop_front();
            for kept in &mut self.rings[vc] {
                let gone = kept.number < body || (kept.number == body && ends_body);
                kept.gone = kept.gone.or(gone.then_some(clock));
            }
            self.seen.hit(format!("command of {vc}"));
        }
        Ok(())
    }

    /// What may move has to.
    fn watch(&mut self, clock: u64) -> Result<(), SimError> {
        let may = |vc: &usize| {
            let wanted = self.wanted[*vc].front();
            wanted.is_some_and(|wanted| wanted.octets.len().div_ceil(CELL) as u64 <= self.credits[*vc])
        };
        let movable = (0..VCS).any(|vc| may(&vc));
        let blocked = (0..VCS).any(|vc| !self.wanted[vc].is_empty() && !may(&vc));
        if movable && blocked {
            self.seen.hit("one waits for credits, another moves");
        }
        self.waiting = if movable { self.waiting + 1 } else { 0 };
        (self.waiting < PATIENCE).then_some(()).ok_or_else(|| failed(clock, "nothing moves".into()))
    }

    fn clear(&mut self) {
        let types = self.types;
        let (clock, numbers, seen) = (self.clock, self.numbers, std::mem::take(&mut self.seen));
        let in_body = self.sending.is_some();
        *self = Self { clock, numbers, seen, ..Self::new(types) };
        if in_body {
            self.seen.hit("a clear in a body");
        }
    }
}

/// Looks at the head of commands, and at whether anything moves.
struct Watch {
    head: PortHandle,
    rig: Rc<RefCell<Rig>>,
}

impl Agent for Watch {
    fn observe(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        let mut rig = self.rig.borrow_mut();
        rig.clock = clock + 1;
        rig.shown = HeadBits::from_value(&bench.get(self.head)).into();
        rig.watch(clock)
    }
}

fn stimulus(rig: &Rc<RefCell<Rig>>, testbench: &mut Testbench<'static>, seed: u64) -> Result<(), SimError> {
    let ports = testbench.bench();
    let (types, head, shown) = (ports.port("types")?, ports.port("head")?, ports.port("command_head")?);
    let types_bits = types_value(&rig.borrow().types);
    testbench.add(Watch { head: shown, rig: rig.clone() });
    let asked = rig.clone();
    let mut random = rng(seed, "bodies");
    let words = FlowSource::new(testbench.bench(), "body", seed)?
        .pace(Pace::Phases(vec![(400, Pace::Always), (200, Pace::Random(0.5)), (300, Pace::Random(0.9))]))
        .items(move |_, _| asked.borrow_mut().word(&mut random));
    testbench.add(words);
    let settings = rig.clone();
    testbench.add(StimulusFn(move |_: u64, bench: &mut dyn Bench| {
        bench.set(types, &types_bits);
        bench.set(head, &head_value(settings.borrow().head));
        Ok(())
    }));
    let judged = rig.clone();
    testbench.add(FlowMonitor::new(testbench.bench(), "verdicts")?.on_transfer(move |clock, value| {
        judged.borrow_mut().judge(clock, VerdictBits::from_value(value).into())
    }));
    let (asked, told) = (rig.clone(), rig.clone());
    let mut random = rng(seed, "decisions");
    let decisions = FlowSource::new(testbench.bench(), "decisions", seed)?
        .items(move |_, _| asked.borrow_mut().decision(&mut random))
        .on_transfer(move |clock, value| {
            told.borrow_mut().decided(clock, value.low_u64() == 1);
            Ok(())
        });
    testbench.add(decisions);
    let roomed = rig.clone();
    testbench.add(
        FlowMonitor::new(testbench.bench(), "rooms")?
            .on_transfer(move |clock, value| roomed.borrow_mut().room(clock, value.low_u64() == 1)),
    );
    let (asked, told) = (rig.clone(), rig.clone());
    let mut random = rng(seed, "credits");
    let credits = FlowSource::new(testbench.bench(), "credits", seed)?
        .items(move |_, _| asked.borrow_mut().credit(&mut random))
        .on_transfer(move |_, value| {
            told.borrow_mut().credited(CreditBits::from_value(value).into());
            Ok(())
        });
    testbench.add(credits);
    let came = rig.clone();
    let commands = StreamSink::new(testbench.bench(), "commands", seed)?
        .on_transfer(move |clock, value| came.borrow_mut().comes(clock, FrameBits::from_value(value).into()));
    testbench.add(commands);
    let clear = testbench.bench().port("clear")?;
    testbench.add(StreamMonitor::new(testbench.bench(), "commands")?.cleared_by(clear));
    testbench.add(ClearDriver::new(testbench.bench(), "clear", seed)?.at_random(0.000_3, 1..=3));
    let cleared = rig.clone();
    testbench.add(OnBit::new(testbench.bench(), "clear", move |_| {
        cleared.borrow_mut().clear();
        Ok(())
    })?);
    Ok(())
}

/// Random bodies through a small buffer.
fn plan(name: &str, types: TypeTable, seen: &Rc<RefCell<Coverage>>) -> CosimPlan<'static> {
    let make = || Box::new(Small::new().expect("valid")) as _;
    let seen = seen.clone();
    CosimPlan::new(name, seed(0x4ec), make, move |testbench: &mut Testbench<'_>, seed| {
        let rig = Rc::new(RefCell::new(Rig::new(types)));
        stimulus(&rig, testbench, seed)?;
        testbench.add(StimulusFn(move |_: u64, _: &mut dyn Bench| {
            *seen.borrow_mut() = rig.borrow().seen.clone();
            Ok(())
        }));
        Ok(())
    })
}

#[test]
fn what_is_committed_comes_out_once_and_in_order() {
    let mut random = random();
    for (name, types) in
        [("sue_receive_bodies", TypeTable::default()), ("sue_receive_bodies_types", some_types(&mut random))]
    {
        let seen = Rc::new(RefCell::new(Coverage::default()));
        deep(plan(name, types, &seen), FULL_CLOCKS / 2, 1_500).cover(&["clear.pulses"]).run().expect("equal");
        let all = [
            "committed",
            "dropped",
            "dropped before another of its ring",
            "no room",
            "error",
            "a clear in a body",
            "one waits for credits, another moves",
            "command of 0",
            "command of 1",
            "command of 2",
            "command of 3",
        ];
        seen.borrow().require(name, &all).expect("everything happened");
    }
}

#[test]
fn faults_are_found() {
    const BUFFER: &str = "sue_receive_buffer_octets4096";
    const UNPACK: &str = "sue_unpack";
    let faults = [
        Fault::replace("a full ring has room", BUFFER, "away[5] & ~(|low_away) & ~(|offset_q)", "1'b0"),
        Fault::replace(
            "the room of a body that is dropped is lost",
            BUFFER,
            "gains_1 | goes_back_1",
            "gains_1",
        ),
        Fault::replace("a dropped body is no hole", BUFFER, "_d = commits_now | drops", "_d = commits_now"),
        Fault::replace("credits go to another channel, too", UNPACK, "arrival[1:0] == 2'h1", "arrival[1]"),
        Fault::replace("a body that was left begins anew", UNPACK, "left_q | own", "left_q"),
        Fault::replace("a hole is delivered", UNPACK, "trusted_q & hole_q", "1'b0"),
    ];
    let plan = || {
        plan("fault_sue_receive_bodies", TypeTable::default(), &Rc::default())
            .clocks(15_000)
            .stock_limit(100, "the faults are in the Verilog")
    };
    find_all(plan, &faults).expect("all are found");
}

/// A body that is alone is opened before its decision: then its first word comes after the latency that is promised, and its words without a gap.
#[test]
fn words_come_soon_after_the_decision() {
    let types = TypeTable::default();
    let (mut random, mut measured) = (random(), 0);
    for _ in 0..12 {
        let octets = good_body(&mut random, &types, 300);
        let walked = walk(&octets, &types).expect("well formed");
        let first = walked.commands.first().map(|command| command.encode(&types).expect("taken"));
        let Some(first) = first.filter(|first| octets.starts_with(first)) else { continue };
        measured += 1;
        let mut bench = CompiledBlock::new(&compiled("receive_bodies", &Small::new().expect("valid")));
        bench.set_value("types", &types_value(&types)).set("commands.ready", 1).run(RULES_CLOCKS);
        let credit = OutCredit { vc: 1u64.into(), count: XPU_CELLS.into() };
        let credit: CreditBits = credit.into();
        bench.set_value("credits.data", &credit.to_value()).set("credits.valid", 1).run(1);
        let head = ReceivedHead { vc: 1u64.into(), ..Default::default() };
        bench.set("credits.valid", 0).set_value("head", &head_value(head));
        for word in words_of(&octets, false, &mut random) {
            bench.set_value("body.data", &word_value(word)).set("body.valid", 1).run(1);
        }
        bench.set("body.valid", 0).run(30);
        bench.set("decisions.data", 1).set("decisions.valid", 1).run(1);
        bench.set("decisions.valid", 0);
        for _ in 1..LATENCY {
            assert_eq!(bench.get("commands.valid"), 0, "too soon");
            bench.run(1);
        }
        for _ in 0..first.len().div_ceil(8) {
            assert_eq!(bench.get("commands.valid"), 1, "a gap in {first:02x?}");
            bench.run(1);
        }
    }
    assert!(measured > 0, "all begin with NOP");
}
