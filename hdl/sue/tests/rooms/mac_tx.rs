//! The sending MAC against the golden encoder and decoder of XGMII, on all simulators.

use flitforge_elaborate::drive::{DriveBlock, FromValue};
use flitforge_elaborate::Value;
use flitforge_hdl_sue::frame::{FramePreamble, FrameWord};
use flitforge_hdl_sue::mac_tx::{EthMacTx, LATENCY};
use flitforge_model::sue::format::frame::FrameState;
use flitforge_model::sue::format::{Preamble, Sequence};
use flitforge_model::sue::link::xgmii::{
    Column, FrameEnd, GapDeficit, XgmiiConfig, XgmiiDecoder, XgmiiEncoder, XgmiiItem, COLUMN, DEFICIT_MAX,
};
use flitforge_protocol::sue::link_control::{
    FRAME_START, LEAST_GAP, ORDERED_SET_START, SET_IN_FRAME_AFTER, SET_IN_FRAME_SPACING,
};
use flitforge_sim::cosim::fault::{find_all, Fault};
use flitforge_sim::cosim::FULL_CLOCKS;
use flitforge_sim::kit::{
    rng, seed, Agent, ClearDriver, Coverage, Pace, StimulusFn, StreamMonitor, StreamSource, Testbench,
};
use flitforge_sim::{Bench, CosimPlan, PortHandle, SimError};
use flitforge_testkit::{depth, random, BenchBlock, Clocked};
use rand::Rng;
use rust_hdl::prelude::*;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

type WordBits = Bits<{ <FrameWord as Synth>::BITS }>;
type PreambleBits = Bits<{ <FramePreamble as Synth>::BITS }>;

/// Clocks from the last word to the end of its frame: padding, the way to the line, a column more.
const FRAME_CLOCKS: u64 = 8 + LATENCY as u64 + 1;
/// Most clocks that an ordered set waits: a long frame, and the gap after it.
const SET_CLOCKS: u64 = 450;

pub fn words_of(frame: &[u8], error: bool) -> Vec<FrameWord> {
    let count = frame.len().div_ceil(8);
    let word = |(index, octets): (usize, &[u8])| {
        // beyond the end there may be anything
        let mut eight = [0xA5; 8];
        eight[..octets.len()].copy_from_slice(octets);
        let last = index + 1 == count;
        FrameWord {
            data: u64::from_le_bytes(eight).into(),
            bytes: (octets.len() as u64).into(),
            last,
            error: last && error,
        }
    };
    frame.chunks(8).enumerate().map(word).collect()
}

pub fn value_of(word: FrameWord) -> Value {
    let bits: WordBits = word.into();
    bits.to_value()
}

pub fn preamble_value(preamble: Preamble) -> Value {
    let (numbered, sequence) = match preamble {
        Preamble::Standard => (false, 0),
        Preamble::Llr { sequence, .. } => (true, sequence.value()),
    };
    let bits: PreambleBits = FramePreamble { numbered, sequence: u64::from(sequence).into() }.into();
    bits.to_value()
}

/// A frame that was taken.
#[derive(Debug)]
struct Taken {
    clock: u64,
    preamble: Preamble,
    octets: Vec<u8>,
    /// `None`: it broke off.
    state: Option<FrameState>,
}

#[derive(Clone, Copy)]
pub struct Setup {
    pub config: XgmiiConfig,
    control_in_frame: bool,
    /// How often a word inside a frame is missing.
    stall: f64,
}

struct Reference {
    setup: Setup,
    /// Words of the frame that is offered.
    offered: VecDeque<FrameWord>,
    offered_preamble: Option<Preamble>,
    /// The frame that is being taken.
    taking: Option<(Preamble, Vec<u8>)>,
    drains: bool,
    taken: VecDeque<Taken>,
    sent: VecDeque<usize>,
    underruns: VecDeque<u64>,
    sets: VecDeque<(u64, u64)>,
    seen: Rc<RefCell<Coverage>>,
}

impl Reference {
    fn next_word(&mut self, random: &mut impl Rng) -> Option<FrameWord> {
        if let Some(word) = self.offered.front() {
            let inside = self.taking.is_some();
            if inside && random.random_bool(self.setup.stall) {
                return None;
            }
            let word = *word;
            self.offered.pop_front();
            return Some(word);
        }
        self.offered_preamble = None;
        if random.random_bool(0.1) {
            return None;
        }
        let length = match random.random_range(0..40) {
            0 => random.random_range(2040..3300),
            _ => random.random_range(1..130),
        };
        let frame: Vec<u8> = (0..length).map(|_| random.random()).collect();
        self.offered = words_of(&frame, random.random_bool(0.1)).into();
        self.offered_preamble = Some(if random.random() {
            Preamble::Llr {
                sequence: Sequence::new(random.random_range(0..1 << 20)).expect("20 bits"),
                flags: 0,
            }
        } else {
            Preamble::Standard
        });
        self.offered.pop_front()
    }

    fn transfer(&mut self, clock: u64, word: FrameWord) {
        if self.drains {
            self.drains = !word.last;
            return;
        }
        let preamble = self.offered_preamble.unwrap_or(Preamble::Standard);
        let (_, octets) = self.taking.get_or_insert((preamble, vec![]));
        octets.extend(&u64::from(word.data).to_le_bytes()[..u64::from(word.bytes) as usize]);
        if word.last {
            let (preamble, octets) = self.taking.take().unwrap_or((preamble, vec![]));
            let state = if word.error { FrameState::Poisoned } else { FrameState::Good };
            self.sent.push_back(octets.len().max(self.setup.config.minimum) + 4);
            self.taken.push_back(Taken { clock, preamble, octets, state: Some(state) });
        }
    }

    /// A word was asked for and not there.
    fn lack(&mut self, clock: u64) {
        if self.drains {
            return;
        }
        if let Some((preamble, octets)) = self.taking.take() {
            self.drains = true;
            self.underruns.push_back(clock);
            self.taken.push_back(Taken { clock, preamble, octets, state: None });
        }
    }

    fn forget(&mut self) {
        self.taking = None;
        self.drains = false;
        self.taken.clear();
        self.sent.clear();
        self.underruns.clear();
        self.sets.clear();
    }
}

/// Looks at the line.
struct Watcher {
    reference: Rc<RefCell<Reference>>,
    txd: PortHandle,
    txc: PortHandle,
    clear: PortHandle,
    ready: PortHandle,
    valid: PortHandle,
    sent: [PortHandle; 2],
    underrun: PortHandle,
    decoder: XgmiiDecoder,
    /// Octets since the last end, that one included.
    gap: Option<usize>,
    deficit: GapDeficit,
    /// Octets of the frame at the last ordered set in it.
    last_set: Option<usize>,
}

fn wrong(clock: u64, problem: String) -> SimError {
    SimError::Check { clock, problem }
}

impl Watcher {
    fn new(bench: &dyn Bench, reference: &Rc<RefCell<Reference>>) -> Result<Self, SimError> {
        Ok(Self {
            reference: reference.clone(),
            txd: bench.port("txd")?,
            txc: bench.port("txc")?,
            clear: bench.port("clear")?,
            ready: bench.port("frames.ready")?,
            valid: bench.port("frames.valid")?,
            sent: [bench.port("sent.valid")?, bench.port("sent.data")?],
            underrun: bench.port("underrun")?,
            decoder: XgmiiDecoder::default(),
            gap: None,
            deficit: GapDeficit::default(),
            last_set: None,
        })
    }

    fn take(&mut self, clock: u64, column: Column) -> Result<(), SimError> {
        let was_inside = self.decoder.octets_so_far().is_some();
        let starts = column.control == 1 && u64::from(column.octets[0]) == FRAME_START;
        if starts {
            self.check_gap(clock)?;
        }
        let items = self.decoder.column(column);
        let nothing = items.is_empty() && !was_inside && !starts;
        if nothing && column != Column::IDLE {
            return Err(wrong(clock, format!("{column:02X?} between frames")));
        }
        if nothing {
            self.gap = self.gap.map(|gap| gap + COLUMN);
        }
        for item in items {
            match item {
                XgmiiItem::NoFrame => return Err(wrong(clock, "no whole preamble".into())),
                XgmiiItem::Set(set) => self.check_set(clock, u64::from_le_bytes(set))?,
                XgmiiItem::Frame { preamble, octets, end } => {
                    let preamble = preamble.map_err(|error| wrong(clock, error.to_string()))?;
                    let lane = if end == FrameEnd::Clean { octets.len() % COLUMN } else { 1 };
                    self.gap = Some(COLUMN - lane);
                    self.last_set = None;
                    self.check_frame(clock, preamble, &octets, end)?;
                }
            }
        }
        Ok(())
    }

    fn check_gap(&mut self, clock: u64) -> Result<(), SimError> {
        let reference = self.reference.borrow();
        let Some(gap) = self.gap.take() else { return Ok(()) };
        self.deficit = self.deficit.after(gap, reference.setup.config.gap);
        if gap < LEAST_GAP || self.deficit.octets() > DEFICIT_MAX {
            return Err(wrong(clock, format!("a gap of {gap} octets, {:?}", self.deficit)));
        }
        reference.seen.borrow_mut().hit(if gap < reference.setup.config.gap { "short gap" } else { "gap" });
        Ok(())
    }

    fn check_set(&mut self, clock: u64, set: u64) -> Result<(), SimError> {
        let mut reference = self.reference.borrow_mut();
        match reference.sets.pop_front() {
            Some((_, expected)) if expected == set => {}
            other => return Err(wrong(clock, format!("set {set:016X}, expected {other:X?}"))),
        }
        let inside = self.decoder.octets_so_far();
        reference.seen.borrow_mut().hit(if inside.is_some() { "set inside" } else { "set" });
        let Some(octets) = inside else { return Ok(()) };
        let spaced = self.last_set.is_none_or(|last| octets >= last + SET_IN_FRAME_SPACING);
        self.last_set = Some(octets);
        if !reference.setup.control_in_frame || octets < SET_IN_FRAME_AFTER || !spaced {
            return Err(wrong(clock, format!("an ordered set after {octets} octets of a frame")));
        }
        Ok(())
    }

    fn check_frame(
        &self,
        clock: u64,
        preamble: Preamble,
        octets: &[u8],
        end: FrameEnd,
    ) -> Result<(), SimError> {
        let mut reference = self.reference.borrow_mut();
        let config = reference.setup.config;
        let taken = reference.taken.pop_front().ok_or_else(|| wrong(clock, "a frame of nothing".into()))?;
        let (expected, how, name) = match taken.state {
            Some(state) => {
                let wire = config.seal(taken.preamble, &taken.octets, state).expect("fits");
                (wire, FrameEnd::Clean, if state == FrameState::Good { "good" } else { "poisoned" })
            }
            None => (taken.octets.clone(), FrameEnd::Code, "broken"),
        };
        reference.seen.borrow_mut().hit(name);
        if preamble != taken.preamble || octets != expected || end != how {
            let problem =
                format!("{preamble:?} {octets:02X?} {end:?}, expected {expected:02X?} of {taken:02X?}");
            return Err(wrong(clock, problem));
        }
        Ok(())
    }

    /// What the block tells, and that nothing is late.
    fn check_pulses(&mut self, clock: u64, bench: &dyn Bench) -> Result<(), SimError> {
        let mut reference = self.reference.borrow_mut();
        if bench.get_bit(self.sent[0]) {
            let octets = bench.get_u64(self.sent[1]) as usize;
            match reference.sent.pop_front() {
                Some(expected) if expected == octets => {}
                other => return Err(wrong(clock, format!("sent {octets} octets, expected {other:?}"))),
            }
        }
        let due = reference.underruns.front().is_some_and(|since| *since + 1 == clock);
        if bench.get_bit(self.underrun) != due {
            return Err(wrong(clock, format!("underrun, expected {:?}", reference.underruns)));
        }
        if due {
            reference.underruns.pop_front();
        }
        let frame_late = reference.taken.front().is_some_and(|frame| clock > frame.clock + FRAME_CLOCKS);
        let set_late = reference.sets.front().is_some_and(|(since, _)| clock > since + SET_CLOCKS);
        if frame_late || set_late {
            let problem =
                format!("{:02X?} or {:X?} does not come", reference.taken.front(), reference.sets.front());
            return Err(wrong(clock, problem));
        }
        Ok(())
    }
}

impl Agent for Watcher {
    fn observe(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        let octets = bench.get_u64(self.txd).to_le_bytes();
        self.take(clock, Column { octets, control: bench.get_u64(self.txc) as u8 })?;
        self.check_pulses(clock, bench)?;
        if bench.get_bit(self.ready) && !bench.get_bit(self.valid) {
            self.reference.borrow_mut().lack(clock);
        }
        if bench.get_bit(self.clear) {
            self.reference.borrow_mut().forget();
            self.decoder = XgmiiDecoder::default();
            (self.gap, self.last_set) = (None, None);
            self.deficit = GapDeficit::default();
        }
        Ok(())
    }
}

fn drive_settings(testbench: &mut Testbench<'static>, setup: Setup) -> Result<(), SimError> {
    let ports = testbench.bench();
    let values = [
        ("settings.minimum", setup.config.minimum as u64),
        ("settings.gap", setup.config.gap as u64),
        ("settings.fcs_over_sequence", setup.config.fcs_over_sequence.into()),
        ("settings.control_in_frame", setup.control_in_frame.into()),
    ]
    .map(|(name, value)| ports.port(name).map(|port| (port, value)));
    let values: Vec<_> = values.into_iter().collect::<Result<_, _>>()?;
    testbench.add(StimulusFn(move |_: u64, bench: &mut dyn Bench| {
        values.iter().for_each(|(port, value)| bench.set_u64(*port, *value));
        Ok(())
    }));
    Ok(())
}

fn stimulus(
    reference: &Rc<RefCell<Reference>>,
    testbench: &mut Testbench<'static>,
    seed: u64,
) -> Result<(), SimError> {
    let setup = reference.borrow().setup;
    drive_settings(testbench, setup)?;
    testbench.add(ClearDriver::new(testbench.bench(), "clear", seed)?.at_random(0.000_5, 1..=3));
    let (asked, told) = (reference.clone(), reference.clone());
    let mut random = rng(seed, "frames");
    testbench.add(
        StreamSource::new(testbench.bench(), "frames", seed)?
            .pace(Pace::Always)
            .items(move |_, _| asked.borrow_mut().next_word(&mut random).map(value_of))
            .on_transfer(move |clock, value| {
                told.borrow_mut().transfer(clock, WordBits::from_value(value).into());
                Ok(())
            }),
    );
    let preamble = testbench.bench().port("preamble")?;
    let shown = reference.clone();
    let mut noise = rng(seed, "preamble");
    testbench.add(StimulusFn(move |_: u64, bench: &mut dyn Bench| {
        let value = match shown.borrow().offered_preamble {
            Some(preamble) => preamble_value(preamble),
            None => Value::from_u64(21, noise.random_range(0..1 << 21)),
        };
        bench.set(preamble, &value);
        Ok(())
    }));
    let entered = reference.clone();
    testbench.add(
        StreamSource::new(testbench.bench(), "control", seed)?
            .pace(Pace::Phases(vec![
                (400, Pace::Random(0.05)),
                (100, Pace::Always),
                (400, Pace::Random(0.005)),
            ]))
            .items(|random, _| Some(Value::from_u64(64, random.random::<u64>() & !0xFF | ORDERED_SET_START)))
            .on_transfer(move |clock, value| {
                entered.borrow_mut().sets.push_back((clock, value.low_u64()));
                Ok(())
            }),
    );
    testbench.add(StreamMonitor::new(testbench.bench(), "frames")?);
    testbench.add(StreamMonitor::new(testbench.bench(), "control")?);
    let watcher = Watcher::new(testbench.bench(), reference)?;
    testbench.add(watcher);
    Ok(())
}

fn plan(name: &str, setup: Setup, seen: &Rc<RefCell<Coverage>>) -> CosimPlan<'static> {
    let make = || Box::new(EthMacTx::new().expect("valid")) as _;
    let seen = seen.clone();
    CosimPlan::new(name, seed(0x3ac7), make, move |testbench: &mut Testbench<'_>, seed| {
        let reference = Rc::new(RefCell::new(Reference {
            setup,
            offered: VecDeque::new(),
            offered_preamble: None,
            taking: None,
            drains: false,
            taken: VecDeque::new(),
            sent: VecDeque::new(),
            underruns: VecDeque::new(),
            sets: VecDeque::new(),
            seen,
        }));
        stimulus(&reference, testbench, seed)
    })
}

pub fn setup(minimum: usize, gap: usize, fcs_over_sequence: bool, control_in_frame: bool) -> Setup {
    Setup { config: XgmiiConfig { minimum, gap, fcs_over_sequence }, control_in_frame, stall: 0.002 }
}

#[test]
fn everything_goes_to_the_line_as_it_should() {
    let seen = Rc::new(RefCell::new(Coverage::default()));
    for (name, setup) in [
        ("eth_mac_tx", setup(60, 12, true, true)),
        ("eth_mac_tx_short", setup(8, 8, false, false)),
        ("eth_mac_tx_wide", setup(33, 63, true, true)),
    ] {
        plan(name, setup, &seen)
            .clocks(FULL_CLOCKS)
            .stock_limit(3_000, "a quick run: rust-hdl itself is slow")
            .to_depth(depth())
            .cover(&["clear.pulses", "frames.stalls", "control.stalls"])
            .run()
            .expect("equal");
    }
    let all = ["good", "poisoned", "broken", "set", "set inside", "gap", "short gap"];
    seen.borrow().require("eth_mac_tx", &all).expect("everything happened");
}

#[test]
fn faults_are_found() {
    const TOP: &str = "fault_eth_mac_tx";
    let faults = [
        Fault::replace(
            "what stands beyond the end is sent",
            TOP,
            "if (pads_q | ends_q | (word[68] & (word[67:64] <= 4'h5))) begin",
            "if (1'b0) begin",
        ),
        Fault::replace("a poisoned frame is good", TOP, "if (~poisons_at_fcs_q) begin", "if (1'b1) begin"),
        Fault::replace(
            "a gap of less than eight octets",
            TOP,
            "assign least = ~carries & ~(|gap_columns_q) & (|end_lane);",
            "assign least = 1'b0;",
        ),
        Fault::replace(
            "gaps do not make up for short ones",
            TOP,
            "assign gap_due_d = {1'b0, gap_over_q} + {4'h0, deficit_q};",
            "assign gap_due_d = {1'b0, gap_over_q};",
        ),
        Fault::replace(
            "a missing word is not noticed",
            TOP,
            "assign lacks = asks_inside & ~frames_valid;",
            "assign lacks = 1'b0;",
        ),
        Fault::replace(
            "ordered sets inside any frame",
            TOP,
            "assign may_go = ~(|until_set_q);",
            "assign may_go = 1'b1;",
        ),
        Fault::replace(
            "the FCS leaves the sequence number out",
            TOP,
            "assign covers = preamble[0] & settings_fcs_over_sequence;",
            "assign covers = 1'b0;",
        ),
    ];
    let plan = || {
        plan(TOP, setup(60, 12, true, true), &Rc::default())
            .clocks(20_000)
            .stock_limit(200, "the faults are in the Verilog")
    };
    find_all(plan, &faults).expect("all are found");
}

/// Sends frames without a pause; the columns from the first preamble on.
pub fn columns_of(setup: Setup, frames: &[(Preamble, Vec<u8>, bool)], columns: usize) -> Vec<Column> {
    let block: Box<dyn DriveBlock> = Box::new(EthMacTx::new().expect("valid"));
    let mut bench = BenchBlock::boxed("eth_mac_tx", block);
    let config = setup.config;
    bench.set("settings.minimum", config.minimum as u64).set("settings.gap", config.gap as u64);
    bench.set("settings.fcs_over_sequence", config.fcs_over_sequence.into());
    let mut words = frames.iter().flat_map(|(preamble, frame, error)| {
        words_of(frame, *error).into_iter().map(|word| (preamble_value(*preamble), value_of(word)))
    });
    let mut offered = words.next();
    let mut found = vec![];
    let mut first = None;
    for clock in 0_u64.. {
        bench.set("frames.valid", offered.is_some().into());
        if let Some((preamble, word)) = &offered {
            bench.set_value("preamble", preamble).set_value("frames.data", word);
        }
        let moves = offered.is_some() && bench.get("frames.ready") == 1;
        if moves {
            first = first.or(Some(clock));
            offered = words.next();
        }
        let control = bench.get("txc") as u8;
        let column = Column { octets: bench.get("txd").to_le_bytes(), control };
        if !found.is_empty() || column != Column::IDLE {
            if found.is_empty() {
                assert_eq!(clock - first.expect("taken"), u64::from(LATENCY) - 1, "first word to preamble");
            }
            found.push(column);
        }
        if found.len() == columns {
            return found;
        }
        assert!(clock < 20 * columns as u64 + 100, "{found:02X?}");
        bench.clock();
    }
    found
}

/// Every length from 1 to 130 twice, in two orders, without a pause: each column is that of the model, so the gaps are the shortest allowed.
#[test]
fn every_length_column_by_column() {
    let mut random = random();
    for (minimum, gap) in [(60, 12), (60, 8), (8, 12), (8, 8), (17, 21)] {
        let setup = setup(minimum, gap, true, false);
        let mut encoder = XgmiiEncoder::new(setup.config);
        let (mut frames, mut expected) = (vec![], vec![]);
        for number in 0..260_usize {
            let length = if number < 130 { number + 1 } else { (number * 37) % 130 + 1 };
            let frame: Vec<u8> = (0..length).map(|_| random.random()).collect();
            let sequence = Sequence::new(random.random_range(0..1 << 20)).expect("20 bits");
            let preamble =
                if number % 2 == 0 { Preamble::Standard } else { Preamble::Llr { sequence, flags: 0 } };
            let poisoned = number % 7 == 3;
            let state = if poisoned { FrameState::Poisoned } else { FrameState::Good };
            expected.extend(encoder.frame(preamble, &frame, state).expect("fits"));
            frames.push((preamble, frame, poisoned));
        }
        let found = columns_of(setup, &frames, expected.len());
        for (index, (found, expected)) in found.iter().zip(&expected).enumerate() {
            assert_eq!(found, expected, "column {index}, MINF {minimum}, IPG {gap}");
        }
    }
}
