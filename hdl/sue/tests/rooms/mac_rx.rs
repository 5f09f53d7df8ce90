//! The receiving MAC against the golden decoder of XGMII, on all simulators.

use super::mac_line::{frame_transfers, Expected, Line, Transfer, IDLES};
use flitforge_elaborate::drive::{DriveBlock, FromValue};
use flitforge_elaborate::Value;
use flitforge_hdl_sue::frame::{FramePreamble, FrameVerdict, FrameWord};
use flitforge_hdl_sue::mac_rx::{EthMacRx, LATENCY};
use flitforge_model::sue::format::frame::FrameState;
use flitforge_model::sue::format::{Preamble, Sequence};
use flitforge_model::sue::link::xgmii::{Column, FrameEnd, XgmiiConfig, XgmiiDecoder, XgmiiItem};
use flitforge_protocol::sue::MAX_FRAME_BYTES;
use flitforge_sim::cosim::fault::{find_all, Fault};
use flitforge_sim::cosim::FULL_CLOCKS;
use flitforge_sim::kit::{rng, seed, Agent, ClearDriver, Coverage, StimulusFn, Testbench};
use flitforge_sim::{Bench, CosimPlan, PortHandle, SimError};
use flitforge_testkit::{depth, random, BenchBlock, Clocked};
use rand::Rng as _;
use rust_hdl::prelude::*;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

type WordBits = Bits<{ <FrameWord as Synth>::BITS }>;
type VerdictBits = Bits<{ <FrameVerdict as Synth>::BITS }>;
type PreambleBits = Bits<{ <FramePreamble as Synth>::BITS }>;

/// Clocks from the column that ends a frame to its verdict, at the most.
const VERDICT_CLOCKS: u64 = 7;

/// Drives the line, decodes it, and holds what comes out against that.
struct Receiver {
    ports: Ports,
    line: Line,
    column: Column,
    decoder: XgmiiDecoder,
    frames: VecDeque<Expected>,
    verdicts: VecDeque<Expected>,
    sets: VecDeque<(u64, [u8; 8])>,
    fragments: VecDeque<u64>,
    words: Vec<u8>,
    preamble: Option<FramePreamble>,
    lasts: u64,
    judged: u64,
    seen: Rc<RefCell<Coverage>>,
}

struct Ports {
    rxd: PortHandle,
    rxc: PortHandle,
    clear: PortHandle,
    frames: [PortHandle; 2],
    preamble: PortHandle,
    verdicts: [PortHandle; 2],
    octets: PortHandle,
    fragment: PortHandle,
    control: [PortHandle; 2],
}

impl Ports {
    fn find(bench: &dyn Bench) -> Result<Self, SimError> {
        let flow = |name: &str| -> Result<_, SimError> {
            Ok([bench.port(&format!("{name}.valid"))?, bench.port(&format!("{name}.data"))?])
        };
        Ok(Self {
            rxd: bench.port("rxd")?,
            rxc: bench.port("rxc")?,
            clear: bench.port("clear")?,
            frames: flow("frames")?,
            preamble: bench.port("preamble")?,
            verdicts: flow("verdicts")?,
            octets: bench.port("octets")?,
            fragment: bench.port("fragment")?,
            control: flow("control")?,
        })
    }
}

fn wrong(clock: u64, problem: String) -> SimError {
    SimError::Check { clock, problem }
}

impl Receiver {
    fn forget(&mut self) {
        self.decoder = XgmiiDecoder::default();
        self.frames.clear();
        self.verdicts.clear();
        self.sets.clear();
        self.fragments.clear();
        self.words.clear();
        (self.preamble, self.lasts, self.judged) = (None, 0, 0);
    }

    fn hit(&self, what: impl Into<String>) {
        self.seen.borrow_mut().hit(what.into());
    }

    /// What the column in this clock ends.
    fn enter(&mut self, clock: u64) {
        for item in self.decoder.column(self.column) {
            match item {
                XgmiiItem::NoFrame => self.fragments.push_back(clock),
                XgmiiItem::Set(set) => {
                    self.hit(if self.decoder.octets_so_far().is_some() { "set inside" } else { "set" });
                    self.sets.push_back((clock, set));
                }
                XgmiiItem::Frame { preamble, octets, end } => {
                    let preamble = preamble.ok();
                    let made = || Expected { clock, preamble, wire: octets.clone(), end };
                    if made().octets() == 0 {
                        self.hit("fragment");
                        self.fragments.push_back(clock);
                    } else {
                        self.frames.push_back(made());
                        self.verdicts.push_back(made());
                    }
                }
            }
        }
    }

    fn take_word(&mut self, clock: u64, bench: &dyn Bench) -> Result<(), SimError> {
        let word: FrameWord = WordBits::from_value(&bench.get(self.ports.frames[1])).into();
        let preamble: FramePreamble = PreambleBits::from_value(&bench.get(self.ports.preamble)).into();
        let first = *self.preamble.get_or_insert(preamble);
        if first != preamble {
            return Err(wrong(clock, format!("the preamble changes inside a frame to {preamble:?}")));
        }
        let bytes = u64::from(word.bytes) as usize;
        if !word.last && bytes != 8 {
            return Err(wrong(clock, format!("{bytes} octets in a word that is not the last")));
        }
        self.words.extend(&u64::from(word.data).to_le_bytes()[..bytes]);
        if !word.last {
            return Ok(());
        }
        let words = std::mem::take(&mut self.words);
        self.preamble = None;
        self.lasts += 1;
        let expected =
            self.frames.pop_front().ok_or_else(|| wrong(clock, "a frame that did not come".into()))?;
        let exact = match expected.end {
            FrameEnd::Long => words.len() > MAX_FRAME_BYTES - 8 && words.len() <= MAX_FRAME_BYTES,
            _ => words.len() == expected.octets(),
        };
        if !exact || words[..] != expected.wire[..words.len()] || word.error == expected.is_good() {
            return Err(wrong(clock, format!("{word:?} ends {words:02X?}, expected {expected:02X?}")));
        }
        if let Some(Preamble::Llr { sequence, .. }) = expected.preamble {
            if !preamble.numbered || u64::from(preamble.sequence) != u64::from(sequence.value()) {
                return Err(wrong(clock, format!("{preamble:?}, expected {:?}", expected.preamble)));
            }
        } else if preamble.numbered {
            return Err(wrong(clock, format!("{preamble:?} of a frame without number")));
        }
        Ok(())
    }

    fn take_verdict(&mut self, clock: u64, bench: &dyn Bench) -> Result<(), SimError> {
        let verdict: FrameVerdict = VerdictBits::from_value(&bench.get(self.ports.verdicts[1])).into();
        self.judged += 1;
        if self.judged > self.lasts {
            return Err(wrong(clock, "a verdict before the last word".into()));
        }
        let expected =
            self.verdicts.pop_front().ok_or_else(|| wrong(clock, "a verdict of nothing".into()))?;
        let wanted = expected.verdict(&self.line.config);
        let octets = bench.get(self.ports.octets).low_u64() as usize;
        let right_octets = expected.end != FrameEnd::Clean || octets == expected.wire.len();
        if verdict != wanted || !right_octets {
            let problem = format!("{verdict:?}, {octets} octets, expected {wanted:?} of {expected:02X?}");
            return Err(wrong(clock, problem));
        }
        for (name, there) in [
            ("good", verdict.good),
            ("fcs", verdict.fcs),
            ("runt", verdict.runt),
            ("long", verdict.long),
            ("code", verdict.code),
            ("poisoned", verdict.poisoned),
        ] {
            if there {
                self.hit(name);
            }
        }
        Ok(())
    }

    /// Nothing is later than it may be.
    fn nothing_is_late(&self, clock: u64) -> Result<(), SimError> {
        let late = |since: Option<u64>, clocks: u64| since.is_some_and(|since| clock > since + clocks);
        let checks = [
            ("a last word", late(self.frames.front().map(|frame| frame.clock), u64::from(LATENCY) + 1)),
            ("a verdict", late(self.verdicts.front().map(|frame| frame.clock), VERDICT_CLOCKS)),
            ("an ordered set", late(self.sets.front().map(|(clock, _)| *clock), u64::from(LATENCY))),
            ("a fragment", late(self.fragments.front().copied(), u64::from(LATENCY))),
        ];
        checks.iter().find(|(_, late)| *late).map_or(Ok(()), |(what, _)| {
            Err(wrong(clock, format!("{what} does not come: {:02X?}", self.verdicts.front())))
        })
    }
}

impl Agent for Receiver {
    fn drive(&mut self, _: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        self.column = self.line.column();
        bench.set_u64(self.ports.rxd, self.column.word());
        bench.set_u64(self.ports.rxc, self.column.control.into());
        Ok(())
    }

    fn observe(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        if bench.get_bit(self.ports.frames[0]) {
            self.take_word(clock, bench)?;
        }
        if bench.get_bit(self.ports.verdicts[0]) {
            self.take_verdict(clock, bench)?;
        }
        if bench.get_bit(self.ports.control[0]) {
            let set = bench.get_u64(self.ports.control[1]).to_le_bytes();
            match self.sets.pop_front() {
                Some((_, expected)) if expected == set => {}
                other => return Err(wrong(clock, format!("set {set:02X?}, expected {other:02X?}"))),
            }
        }
        if bench.get_bit(self.ports.fragment) {
            let since =
                self.fragments.pop_front().ok_or_else(|| wrong(clock, "a fragment of nothing".into()))?;
            // Two in one column are told once.
            while self.fragments.front() == Some(&since) {
                self.fragments.pop_front();
            }
        }
        self.nothing_is_late(clock)?;
        if bench.get_bit(self.ports.clear) {
            self.forget();
        }
        self.enter(clock);
        Ok(())
    }
}

fn plan(name: &str, config: XgmiiConfig, faults: f64, seen: &Rc<RefCell<Coverage>>) -> CosimPlan<'static> {
    let make = || Box::new(EthMacRx::new().expect("valid")) as _;
    let seen = seen.clone();
    CosimPlan::new(name, seed(0x3ac), make, move |testbench: &mut Testbench<'_>, seed| {
        let ports = Ports::find(testbench.bench())?;
        let (minimum, over) = (
            testbench.bench().port("settings.minimum")?,
            testbench.bench().port("settings.fcs_over_sequence")?,
        );
        testbench.add(ClearDriver::new(testbench.bench(), "clear", seed)?.at_random(0.000_5, 1..=3));
        testbench.add(StimulusFn(move |_: u64, bench: &mut dyn Bench| {
            bench.set(minimum, &Value::from_u64(6, config.minimum as u64));
            bench.set(over, &Value::from_u64(1, config.fcs_over_sequence.into()));
            Ok(())
        }));
        let random = rng(seed, "line");
        testbench.add(Receiver {
            ports,
            line: Line::new(random, config, faults),
            column: Column::IDLE,
            decoder: XgmiiDecoder::default(),
            frames: VecDeque::new(),
            verdicts: VecDeque::new(),
            sets: VecDeque::new(),
            fragments: VecDeque::new(),
            words: vec![],
            preamble: None,
            lasts: 0,
            judged: 0,
            seen,
        });
        Ok(())
    })
}

#[test]
fn everything_on_the_line_comes_out_as_it_should() {
    for (name, minimum, fcs_over_sequence, faults) in
        [("eth_mac_rx", 60, true, 0.3), ("eth_mac_rx_plain", 8, false, 0.1)]
    {
        let seen = Rc::new(RefCell::new(Coverage::default()));
        let config = XgmiiConfig { minimum, fcs_over_sequence, ..Default::default() };
        plan(name, config, faults, &seen)
            .clocks(FULL_CLOCKS)
            .stock_limit(4_000, "a quick run: rust-hdl itself is slow")
            .to_depth(depth())
            .run()
            .expect("equal");
        let all = ["good", "fcs", "runt", "long", "code", "poisoned", "set", "set inside", "fragment"];
        seen.borrow().require(name, &all).expect("everything happened");
    }
}

#[test]
fn faults_are_found() {
    const TOP: &str = "fault_eth_mac_rx";
    let faults = [
        Fault::replace(
            "a frame that breaks off goes on",
            TOP,
            "assign decide_closes = (place_q[0] & ~decide_stays) | decide_breaks;",
            "assign decide_closes = decide_clean | decide_breaks;",
        ),
        Fault::replace(
            "short frames are good",
            TOP,
            "assign runt = ~broken & last_2[2];",
            "assign runt = 1'b0;",
        ),
        Fault::replace(
            "a poisoned frame is wrong",
            TOP,
            "assign inverted = ~broken & ~(|not_zero_q);",
            "assign inverted = 1'b0;",
        ),
        Fault::replace(
            "the FCS leaves the sequence number out",
            TOP,
            "assign register_replaces = ~covers_q;",
            "assign register_replaces = 1'b1;",
        ),
        Fault::replace(
            "an ordered set loses the word before it",
            TOP,
            "assign half_set = place_q[2] & ~low_q[1] & (~place_q[3] | high_q[2]);",
            "assign half_set = 1'b0;",
        ),
        Fault::replace(
            "octets of two words in the last column",
            TOP,
            "assign decide_tail = decide_clean_high & high_q[6] & (place_q[3] ^ place_q[2]);",
            "assign decide_tail = 1'b0;",
        ),
    ];
    let plan = || {
        plan(TOP, XgmiiConfig::default(), 0.3, &Rc::default())
            .clocks(20_000)
            .stock_limit(200, "the faults are in the Verilog")
    };
    find_all(plan, &faults).expect("all are found");
}

/// What a receiver tells.
#[derive(Debug, Clone, PartialEq)]
pub enum Heard {
    Frame { number: Option<u64>, octets: Vec<u8>, error: bool },
    Verdict(FrameVerdict),
    Set(u64),
    Fragment,
}

/// A receiver, column by column.
pub struct Listener {
    bench: BenchBlock,
    clock: u64,
    octets: Vec<u8>,
    heard: Vec<Heard>,
    /// Of the first word, of the last word, of the verdict.
    at: [Option<u64>; 3],
    /// An ordered set came between two words of a frame.
    pub set_inside: bool,
}

impl Listener {
    pub fn new(config: &XgmiiConfig) -> Self {
        let block: Box<dyn DriveBlock> = Box::new(EthMacRx::new().expect("valid"));
        let mut bench = BenchBlock::boxed("eth_mac_rx", block);
        bench.set("settings.minimum", config.minimum as u64);
        bench.set("settings.fcs_over_sequence", config.fcs_over_sequence.into());
        Listener { bench, clock: 0, octets: vec![], heard: vec![], at: [None; 3], set_inside: false }
    }

    pub fn column(&mut self, column: Column) {
        self.bench.set("rxd", column.word()).set("rxc", column.control.into());
        if self.bench.get("frames.valid") == 1 {
            let word: FrameWord = WordBits::from_value(&self.bench.get_value("frames.data")).into();
            self.octets.extend(&u64::from(word.data).to_le_bytes()[..u64::from(word.bytes) as usize]);
            self.at[0] = self.at[0].or(Some(self.clock));
            if word.last {
                let preamble: FramePreamble =
                    PreambleBits::from_value(&self.bench.get_value("preamble")).into();
                let number = preamble.numbered.then(|| u64::from(preamble.sequence));
                let octets = std::mem::take(&mut self.octets);
                self.heard.push(Heard::Frame { number, octets, error: word.error });
                self.at[1] = Some(self.clock);
            }
        }
        if self.bench.get("verdicts.valid") == 1 {
            let verdict = VerdictBits::from_value(&self.bench.get_value("verdicts.data")).into();
            self.heard.push(Heard::Verdict(verdict));
            self.at[2] = Some(self.clock);
        }
        self.set_inside = self.bench.get("control.valid") == 1 && !self.octets.is_empty();
        if self.bench.get("control.valid") == 1 {
            self.heard.push(Heard::Set(self.bench.get("control.data")));
        }
        if self.bench.get("fragment") == 1 {
            self.heard.push(Heard::Fragment);
        }
        self.bench.clock();
        self.clock += 1;
    }

    /// What it has told since it was asked before.
    pub fn take(&mut self) -> Vec<Heard> {
        self.at = [None; 3];
        std::mem::take(&mut self.heard)
    }

    /// Clocks of the first word, the last word and the verdict since then.
    pub fn clocks(&self) -> [u64; 3] {
        self.at.map(|at| at.expect("a frame"))
    }

    /// Sends transfers and then idles; the clock of the last column.
    fn send(&mut self, transfers: &[Transfer], starts_in: usize) -> u64 {
        let mut all = vec![IDLES; starts_in / 4];
        all.extend(transfers);
        if all.len() % 2 == 1 {
            all.push(IDLES);
        }
        for pair in all.chunks(2) {
            let mut octets = [0; 8];
            octets[..4].copy_from_slice(&pair[0].0);
            octets[4..].copy_from_slice(&pair[1].0);
            self.column(Column { octets, control: pair[0].1 | pair[1].1 << 4 });
        }
        let end = self.clock - 1;
        (0..9).for_each(|_| self.column(Column::IDLE));
        end
    }
}

/// Every length from 1 to 130, start in octet 0 and 4, with and without a number; and when last word and verdict come.
#[test]
fn every_length_from_both_starts_and_how_long_it_takes() {
    let config = XgmiiConfig { minimum: 8, ..Default::default() };
    let mut listener = Listener::new(&config);
    let mut random = random();
    let (mut last_clocks, mut verdict_clocks) = (Coverage::default(), Coverage::default());
    for length in 1..=130_usize {
        for starts_in in [0, 4] {
            let sequence = Sequence::new(random.random_range(0..1 << 20)).expect("20 bits");
            let preamble =
                if length % 2 == 0 { Preamble::Standard } else { Preamble::Llr { sequence, flags: 0 } };
            let frame: Vec<u8> = (0..length).map(|_| random.random()).collect();
            let unpadded = XgmiiConfig { minimum: 0, ..config };
            let wire = unpadded.seal(preamble, &frame, FrameState::Good).expect("fits");
            let end = listener.send(&frame_transfers(preamble, &wire), starts_in);
            let [_, last, verdict] = listener.clocks();
            last_clocks.hit((last - end).to_string());
            verdict_clocks.hit((verdict - end).to_string());
            let heard = listener.take();
            let [Heard::Frame { octets, error: false, .. }, Heard::Verdict(verdict)] = &heard[..] else {
                panic!("{length} octets from {starts_in}: {heard:02X?}")
            };
            assert_eq!(octets, &frame, "{length} octets from {starts_in}");
            let wanted = FrameVerdict { good: length >= 8, runt: length < 8, ..Default::default() };
            assert_eq!(verdict, &wanted, "{length} octets from {starts_in}");
        }
    }
    let found = |coverage: &Coverage| {
        (0..20).filter(|clocks| coverage.count(&clocks.to_string()) > 0).collect::<Vec<_>>()
    };
    assert_eq!(found(&last_clocks), [2, 3]);
    assert_eq!(found(&verdict_clocks), [6, 7]);
}

/// Exactly 9,216 octets are a frame; what goes beyond, by one octet or by many, is too long.
#[test]
fn the_longest_frame_and_one_octet_more() {
    let config = XgmiiConfig { fcs_over_sequence: false, ..Default::default() };
    let mut listener = Listener::new(&config);
    for starts_in in [0, 4] {
        for length in [9215, 9216, 9217, 9218, 9219, 9220, 9221, 9224, 9300] {
            let frame: Vec<u8> = (0..length - 4).map(|index| (index % 251) as u8).collect();
            let wire = config.seal(Preamble::Standard, &frame, FrameState::Good).expect("fits");
            listener.send(&frame_transfers(Preamble::Standard, &wire), starts_in);
            let heard = listener.take();
            let [Heard::Frame { octets, error, .. }, Heard::Verdict(verdict)] = &heard[..] else {
                panic!("{length} octets from {starts_in}: {} items", heard.len())
            };
            let long = length > MAX_FRAME_BYTES;
            assert_eq!(*verdict, FrameVerdict { good: !long, long, ..Default::default() }, "{length}");
            assert_eq!(*error, long, "{length}");
            assert!(octets.len() <= MAX_FRAME_BYTES && wire.starts_with(octets), "{length}");
            assert!(long || octets == &frame, "{length}");
        }
    }
}
