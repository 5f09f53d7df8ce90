//! The arbiter of a port: every frame whole and once, priorities, gates, no gaps.

use super::mac_control::{shared, value_of, wrong, EachClock};
use flitforge_elaborate::Value;
use flitforge_hdl_sue::arbiter::{EthArb, NO_CLASS};
use flitforge_protocol::sue::class::{ClassUse, CLASSES};
use flitforge_sim::cosim::fault::{find_all, Fault};
use flitforge_sim::cosim::FULL_CLOCKS;
use flitforge_sim::kit::{
    rng, seed, Agent, ClearDriver, Coverage, FlowMonitor, Pace, Rng, StimulusFn, StreamMonitor, StreamSink,
    Testbench,
};
use flitforge_sim::{Bench, CosimPlan, PortHandle, SimError};
use flitforge_testkit::{compiled, depth, Clocked, CompiledBlock};
use rand::Rng as _;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

const NAMES: [&str; 5] = ["control", "aux", "acknowledgment", "inject", "data"];
const ACK: usize = 2;
const INJECT: usize = 3;
const DATA: usize = 4;
/// Clocks that a choice may be old.
const OLD: u64 = 5;

/// A frame: every word carries source, class and number, and the first one the octets.
#[derive(Clone, Debug)]
struct Frame {
    class: u64,
    octets: u64,
    words: VecDeque<u128>,
}

fn frame(source: usize, number: u64, random: &mut Rng) -> Frame {
    let class = match source {
        ACK => ClassUse::Acknowledgments as u64,
        INJECT => ClassUse::Management as u64,
        DATA => random.random_range(0..4),
        _ => NO_CLASS as u64,
    };
    let octets = match random.random_range(0..10) {
        0 => random.random_range(1..=8),
        1..7 => random.random_range(9..80),
        _ => random.random_range(60..300),
    };
    let count = u64::div_ceil(octets, 8);
    let word = |place: u64| {
        let data = source as u64 | class << 3 | (number & 0xFFFF) << 8 | octets << 24 | place << 40;
        let is_last = place + 1 == count;
        let bytes = if is_last { octets - 8 * place } else { 8 };
        u128::from(data) | u128::from(bytes) << 64 | u128::from(is_last) << 68
    };
    let mut words: VecDeque<u128> = (0..count).map(word).collect();
    if let Some(last) = words.back_mut() {
        *last |= u128::from(random.random_bool(0.1)) << 69;
    }
    Frame { class, octets, words }
}

/// What is known of a source.
#[derive(Default)]
struct Source {
    /// Words that were taken and have not come out.
    taken: VecDeque<u128>,
    /// Since when a frame of two words and more is offered of which not even the first word can have gone by.
    waits_since: Option<u64>,
}

/// Offers frames at one source.
struct FrameSource {
    source: usize,
    ports: [PortHandle; 3],
    info: Vec<(PortHandle, bool)>,
    clear: PortHandle,
    random: Rng,
    number: u64,
    current: Option<Frame>,
    offers: bool,
    busy: f64,
    state: Rc<RefCell<[Source; 5]>>,
}

impl FrameSource {
    fn new(
        bench: &dyn Bench,
        source: usize,
        seed: u64,
        state: &Rc<RefCell<[Source; 5]>>,
    ) -> Result<Self, SimError> {
        let name = NAMES[source];
        let port = |part: &str| bench.port(&format!("{name}{part}"));
        let mut info = vec![];
        if source >= ACK {
            info.push((port("_octets")?, false));
        }
        if source == DATA {
            info.push((port("_class")?, true));
        }
        Ok(Self {
            source,
            ports: [port(".data")?, port(".valid")?, port(".ready")?],
            info,
            clear: bench.port("clear")?,
            random: rng(seed, name),
            number: 0,
            current: None,
            offers: false,
            busy: 0.5,
            state: state.clone(),
        })
    }
}

impl Agent for FrameSource {
    fn drive(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        if clock % 512 == 0 {
            let rare = if self.source < INJECT { [0.005, 0.02, 0.2, 0.9] } else { [0.01, 0.2, 0.9, 1.0] };
            self.busy = rare[self.random.random_range(0..4)];
        }
        if self.current.is_none() && self.random.random_bool(self.busy) {
            self.number += 1;
            self.current = Some(frame(self.source, self.number, &mut self.random));
        }
        self.offers = self.offers || (self.current.is_some() && self.random.random_bool(0.97));
        let word = self.current.as_ref().and_then(|frame| frame.words.front()).filter(|_| self.offers);
        let shown = word.copied().unwrap_or_else(|| self.random.random());
        bench.set(self.ports[0], &value_of(shown));
        bench.set_u64(self.ports[1], self.offers.into());
        for (port, is_class) in &self.info {
            let frame = self.current.as_ref();
            let value = frame.map_or(self.random.random_range(0..6), |frame| {
                if *is_class {
                    frame.class
                } else {
                    frame.octets
                }
            });
            bench.set_u64(*port, value);
        }
        Ok(())
    }

    fn observe(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        let source = &mut self.state.borrow_mut()[self.source];
        if bench.get_bit(self.clear) {
            (self.current, self.offers) = (None, false);
            *source = Source::default();
            return Ok(());
        }
        let Some(frame) = self.current.as_mut().filter(|_| self.offers) else { return Ok(()) };
        let is_first = frame.words.len() as u64 == frame.octets.div_ceil(8);
        if is_first && source.waits_since.is_none() && frame.words.len() > 1 {
            source.waits_since = Some(clock);
        }
        if bench.get_bit(self.ports[2]) {
            if !is_first || self.source == DATA {
                source.waits_since = None;
            }
            source.taken.extend(frame.words.pop_front());
            self.offers = false;
            if frame.words.is_empty() {
                self.current = None;
            }
        }
        Ok(())
    }

    fn coverage(&self, _: &mut Coverage) {}
}

/// What the rules say of gates and turns.
struct Rules {
    /// `class_ready` and `hold` of the last clocks, the newest first.
    gates: VecDeque<(u64, bool)>,
    waits: bool,
    acknowledgments: u32,
    /// Frames told of by `started` that have not come out.
    told: VecDeque<(u64, u64)>,
    /// The source whose frame comes out.
    current: Option<usize>,
    seen: Coverage,
}

impl Rules {
    fn new(waits: bool, seen: Coverage) -> Self {
        let (gates, told) = (VecDeque::new(), VecDeque::new());
        Self { gates, waits, acknowledgments: 0, told, current: None, seen }
    }

    fn open(&self, class: usize, ago: std::ops::RangeInclusive<usize>) -> bool {
        ago.clone().all(|ago| self.gates.get(ago).is_some_and(|(ready, _)| ready >> class & 1 == 1))
    }

    fn held(&self, ago: usize) -> bool {
        self.gates.get(ago).is_some_and(|(_, hold)| *hold)
    }

    /// A frame began in the clock before this one.
    fn started(
        &mut self,
        clock: u64,
        class: u64,
        octets: u64,
        sources: &[Source; 5],
    ) -> Result<(), SimError> {
        let source = match class as usize {
            0..4 => DATA,
            4 => ACK,
            _ => INJECT,
        };
        self.told.push_back((class, octets));
        // the gate is looked at three clocks ago, that of data two
        let opened = match source {
            DATA => (!self.waits || self.open(class as usize, 2..=2)) && !self.held(1),
            _ => self.open(class as usize, 3..=3) && !self.held(2),
        };
        if !opened {
            return Err(wrong(clock, format!("{} begins though its gate is closed", NAMES[source])));
        }
        let waits = |of: usize| {
            let class = [None, None, Some(4), Some(5), None][of];
            let long = sources[of].waits_since.is_some_and(|since| since + OLD < clock);
            long && class.is_none_or(|class| self.open(class, 0..=OLD as usize))
        };
        let calm = (0..=OLD as usize).all(|ago| !self.held(ago));
        let owed = self.acknowledgments >= 4;
        for higher in 0..source {
            let overtaken = source == DATA && owed && matches!(higher, ACK | INJECT);
            if waits(higher) && (higher == 0 || calm) && !overtaken {
                return Err(wrong(clock, format!("{} before {}", NAMES[source], NAMES[higher])));
            }
        }
        let data_waits = waits(DATA) && calm && !self.waits;
        match source {
            ACK if owed && data_waits => return Err(wrong(clock, "a fifth acknowledgment before data")),
            ACK => self.acknowledgments += 1,
            DATA => {
                self.seen.add("data after four acknowledgments", (self.acknowledgments >= 4).into());
                self.acknowledgments = 0;
            }
            _ => {}
        }
        self.seen.hit(NAMES[source]);
        Ok(())
    }

    /// A word comes out.
    fn word(
        &mut self,
        clock: u64,
        word: &Value,
        beside: [u64; 2],
        sources: &mut [Source; 5],
    ) -> Result<(), SimError> {
        let data = word.low_u64();
        let source = self.current.unwrap_or((data & 7) as usize);
        let expected = sources.get_mut(source).and_then(|source| source.taken.pop_front());
        if expected.map(value_of).as_ref() != Some(word) {
            return Err(wrong(clock, format!("{word:x} of source {source}, expected {expected:x?}")));
        }
        let class = data >> 3 & 7;
        if beside != [class, (source == 0).into()] {
            return Err(wrong(clock, format!("class and bypass {beside:?} of source {source}")));
        }
        if self.current.is_none() && source >= ACK {
            let told = self.told.pop_front();
            if told != Some((class, data >> 24 & 0xFFFF)) {
                return Err(wrong(clock, format!("told {told:?} of {data:x}")));
            }
        } else if self.current.is_none() {
            self.seen.hit(NAMES[source]);
        }
        self.current = (!word.bit(68)).then_some(source);
        Ok(())
    }
}

fn stimulus(
    waits: bool,
    testbench: &mut Testbench<'static>,
    seed: u64,
    seen: &Rc<RefCell<Coverage>>,
) -> Result<(), SimError> {
    let sources: Rc<RefCell<[Source; 5]>> = Rc::default();
    let rules = shared(Rules::new(waits, Coverage::default()));
    let (mut random, mut ready, mut hold) = (rng(seed, "gates"), 0x3F_u64, false);
    testbench.add(StimulusFn(move |_: u64, bench: &mut dyn Bench| {
        if random.random_bool(0.01) {
            ready ^= 1 << random.random_range(0..CLASSES);
        }
        if random.random_bool(if hold { 0.05 } else { 0.003 }) {
            hold = !hold;
        }
        for (path, value) in [("class_ready", ready), ("hold", hold.into()), ("data_waits", waits.into())] {
            let port = bench.port(path)?;
            bench.set_u64(port, value);
        }
        Ok(())
    }));
    let clears = ClearDriver::new(testbench.bench(), "clear", seed)?.at_random(0.000_3, 1..=3);
    testbench.add(clears.in_mid_transfer(testbench.bench(), "frame", 0.000_5)?);
    for source in 0..5 {
        testbench.add(FrameSource::new(testbench.bench(), source, seed, &sources)?);
        testbench.add(StreamMonitor::new(testbench.bench(), NAMES[source])?);
    }
    let port = |path| testbench.bench().port(path);
    let [clear, ready, hold] = [port("clear")?, port("class_ready")?, port("hold")?];
    let beside = [port("class")?, port("bypass")?];
    let gates = rules.clone();
    testbench.add(EachClock(move |_: u64, bench: &mut dyn Bench| {
        let mut rules = gates.borrow_mut();
        rules.gates.push_front((bench.get_u64(ready), bench.get_bit(hold)));
        rules.gates.truncate(2 * OLD as usize);
        Ok(())
    }));
    let (told, known) = (rules.clone(), sources.clone());
    testbench.add(FlowMonitor::new(testbench.bench(), "started")?.on_transfer(move |clock, value| {
        let (class, octets) = (value.slice(0, 3).low_u64(), value.slice(3, 14).low_u64());
        told.borrow_mut().started(clock, class, octets, &known.borrow())
    }));
    let words = shared(VecDeque::new());
    let came = words.clone();
    testbench.add(StreamSink::new(testbench.bench(), "frame", seed)?.pace(Pace::mixed()).on_transfer(
        move |_, word| {
            came.borrow_mut().push_back(word.clone());
            Ok(())
        },
    ));
    testbench.add(StreamMonitor::new(testbench.bench(), "frame")?);
    let seen = seen.clone();
    testbench.add(EachClock(move |clock: u64, bench: &mut dyn Bench| {
        let mut rules = rules.borrow_mut();
        if bench.get_bit(clear) {
            words.borrow_mut().clear();
            let coverage = std::mem::take(&mut rules.seen);
            *rules = Rules::new(waits, coverage);
        }
        while let Some(word) = words.borrow_mut().pop_front() {
            let beside = beside.map(|port| bench.get_u64(port));
            rules.word(clock, &word, beside, &mut sources.borrow_mut())?;
        }
        *seen.borrow_mut() = rules.seen.clone();
        Ok(())
    }));
    Ok(())
}

fn plan(name: &str, waits: bool, seen: &Rc<RefCell<Coverage>>) -> CosimPlan<'static> {
    let seen = seen.clone();
    let make = || Box::new(EthArb::default()) as _;
    CosimPlan::new(name, seed(0xa2b), make, move |testbench: &mut Testbench<'_>, seed| {
        stimulus(waits, testbench, seed, &seen)
    })
}

#[test]
fn frames_are_whole_and_in_their_turn() {
    for (name, waits) in [("eth_arb", false), ("eth_arb_waits", true)] {
        let seen = Rc::new(RefCell::new(Coverage::default()));
        plan(name, waits, &seen)
            .clocks(FULL_CLOCKS)
            .stock_limit(5_000, "a quick run: rust-hdl itself is slow")
            .to_depth(depth())
            .cover(&["clear.pulses"])
            .run()
            .expect("equal");
        let all = ["control", "aux", "acknowledgment", "inject", "data", "data after four acknowledgments"];
        seen.borrow().require(name, &all).expect("everything happened");
    }
}

#[test]
fn faults_are_found() {
    const TOP: &str = "fault_eth_arb";
    let faults = [
        Fault::replace("the gate of acknowledgments is open", TOP, "waits[2] & may_send_q[4]", "waits[2]"),
        Fault::replace(
            "data has no turn of its own",
            TOP,
            "assign owes_data = full",
            "assign owes_data = 1'b0",
        ),
        Fault::replace("data begins in spite of hold", TOP, "assign data_may = ~hold &", "assign data_may ="),
        Fault::replace("a frame is interrupted", TOP, "assign within_d = ~last;", "assign within_d = 1'b0;"),
    ];
    let plan =
        || plan(TOP, true, &Rc::default()).clocks(20_000).stock_limit(200, "the faults are in the Verilog");
    find_all(plan, &faults).expect("all are found");
}

fn block() -> CompiledBlock {
    let mut block = CompiledBlock::new(&compiled("eth_arb", &EthArb::default()));
    block.set("class_ready", 0x3F).set("frame.ready", 1);
    block
}

/// Clocks from the word at an idle arbiter to the word at its output.
#[test]
fn latency_is_one_clock_for_data_and_two_for_the_others() {
    for (source, expected) in [(DATA, 1), (0, 2), (1, 2), (ACK, 2), (INJECT, 2)] {
        let mut block = block();
        (0..10).for_each(|_| block.step());
        let name = NAMES[source];
        block.set(&format!("{name}.valid"), 1).set_wide(&format!("{name}.data"), 0x18 << 64 | 5);
        block.step();
        block.set(&format!("{name}.valid"), 0);
        let mut clocks = 1;
        while block.get("frame.valid") == 0 {
            block.step();
            clocks += 1;
            assert!(clocks < 10, "{name}");
        }
        assert_eq!(clocks, expected, "{name}");
    }
}

/// All sources always have frames: a word leaves in every clock, and all turns are as the table says.
#[test]
fn no_clock_is_lost_between_frames() {
    for (sources, expected) in [
        (vec![DATA], vec![0, 0, 0, 0, 100]),
        (vec![ACK, DATA], vec![0, 0, 80, 0, 20]),
        (vec![ACK, INJECT, DATA], vec![0, 0, 80, 0, 20]),
        (vec![INJECT, DATA], vec![0, 0, 0, 100, 0]),
        (vec![0, 1, ACK, INJECT, DATA], vec![100, 0, 0, 0, 0]),
        (vec![1, ACK], vec![0, 100, 0, 0, 0]),
    ] {
        let mut block = block();
        let mut place = [0_u64; 5];
        let (mut frames, mut words, mut first) = ([0_u64; 5], 0, true);
        for clock in 0..3100 {
            for &source in &sources {
                // frames of three words
                let word = u128::from(source as u64) | 8 << 64 | u128::from(place[source] == 2) << 68;
                block
                    .set(&format!("{}.valid", NAMES[source]), 1)
                    .set_wide(&format!("{}.data", NAMES[source]), word);
            }
            for &source in &sources {
                if block.get(&format!("{}.ready", NAMES[source])) == 1 {
                    place[source] = (place[source] + 1) % 3;
                }
            }
            if clock >= 100 {
                assert_eq!(block.get("frame.valid"), 1, "{sources:?}, clock {clock}");
                let word = block.get_wide("frame.data");
                words += 1;
                frames[(word & 7) as usize] += u64::from(first && word >> 68 & 1 == 0);
                first = word >> 68 & 1 == 1;
            }
            block.step();
        }
        assert_eq!(words, 3000);
        for (source, expected) in expected.into_iter().enumerate() {
            let share = frames[source] as f64 / 10.0;
            assert!((share - expected as f64).abs() < 1.0, "{sources:?}: {frames:?}");
        }
    }
}
