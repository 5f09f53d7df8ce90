//! `link_isolate` against the golden model: damaged LTPs and their replays in every mode, width and sequence state.

use crate::link_isolation::STOCK_CLOCKS;
use flitforge_elaborate::Value;
use flitforge_hdl::link::isolate::LinkIsolate;
use flitforge_model::isolate::{Isolate, LaneVerdict};
use flitforge_protocol::counter::LinkCounter;
use flitforge_protocol::lane_word::{sequence_state, MAX_LANES};
use flitforge_protocol::ltp::{ltp_words, CrcMode};
use flitforge_protocol::retry::IsolateAction;
use flitforge_sim::kit::{rng, seed, Rng, StimulusFn};
use flitforge_sim::model::PortValues;
use flitforge_sim::{Bench, CosimPlan, SimError};
use flitforge_testkit::{deep, Seen};
use rand::seq::IndexedRandom;
use rand::Rng as _;
use std::collections::VecDeque;

const MODES: [CrcMode; 4] = [CrcMode::Standard, CrcMode::Bits14, CrcMode::Overlapping48, CrcMode::PerLane];
/// Clocks between two verdicts, and from an LTP's last row to its verdict, as the block asks for.
const SPACING: u64 = 4;
const AFTER_ROW: u64 = 3;

/// What the receiver will say about an LTP.
#[derive(Clone, Copy, Default)]
struct Judgement {
    due: u64,
    good: bool,
    failed: u64,
    action: Option<IsolateAction>,
}

/// A receiver's view of a lossy link: rows, and some clocks after each LTP its verdict and an action.
pub struct Stimulus {
    random: Rng,
    /// For `link_bit_isolate`: bursts too, and no port `failed`.
    bits: bool,
    mode: CrcMode,
    active: u64,
    /// Words of the LTP that is arriving, and how many of them have come.
    words: Vec<u32>,
    arrived: usize,
    judgement: Judgement,
    /// The undamaged words of the LTP that is latched.
    kept: Option<Vec<u32>>,
    judgements: VecDeque<Judgement>,
    last_due: u64,
    action: Option<(u64, IsolateAction)>,
    start: bool,
}

impl Stimulus {
    /// For `link_bit_isolate`.
    pub fn of_bits(name: &str) -> Self {
        Stimulus { bits: true, ..Stimulus::new(name) }
    }

    fn new(name: &str) -> Self {
        Stimulus {
            random: rng(seed(0x150_1a7e), name),
            bits: false,
            mode: CrcMode::Standard,
            active: 0xF,
            words: vec![],
            arrived: 0,
            judgement: Judgement::default(),
            kept: None,
            judgements: VecDeque::new(),
            last_due: 0,
            action: None,
            start: true,
        }
    }

    fn lanes(&self) -> usize {
        self.active.count_ones() as usize
    }

    /// Another mode and other lanes.
    fn choose(&mut self) {
        self.active = self.random.random_range(1..16);
        let lanes = self.lanes();
        let modes: Vec<CrcMode> = MODES.into_iter().filter(|mode| mode.allows_lanes(lanes)).collect();
        self.mode = *modes.choose(&mut self.random).expect("mode 0 always");
        (self.arrived, self.kept) = (0, None);
        self.start = true;
        self.next_ltp();
    }

    fn next_ltp(&mut self) {
        let (total, lanes) = (ltp_words(self.mode), self.lanes());
        let random = &mut self.random;
        let mut fresh: Vec<u32> = (0..total).map(|_| random.random()).collect();
        let mut judgement = Judgement { good: true, ..Judgement::default() };
        match (self.kept.take(), random.random_range(0..10)) {
            (Some(kept), 0..4) => {
                judgement.action = Some(IsolateAction::Compare);
                // Now and then the wrong LTP.
                if random.random_bool(0.95) {
                    fresh = kept;
                }
            }
            (Some(_), 4) => judgement.action = Some(IsolateAction::Unknown),
            (Some(_), 5) => judgement.action = Some(IsolateAction::Discard),
            (_, 6..10) => {
                judgement = Judgement { good: false, failed: random.random_range(0..16), ..judgement };
                if random.random_bool(0.6) {
                    judgement.action = Some(IsolateAction::Latch);
                    self.kept = Some(fresh.clone());
                    let groups: u64 = *[0, 1, 1, 1, 2, 3, 15].choose(random).expect("not empty");
                    let groups = groups.rotate_left(random.random_range(0..4));
                    let hit = |word: &usize| groups >> (word % lanes) & 1 == 1;
                    for word in (0..total).filter(hit) {
                        if word < lanes || random.random_bool(0.1) {
                            fresh[word] ^= 1 << random.random_range(0..32);
                        }
                    }
                    if self.bits && random.random_bool(0.6) {
                        burst(random, &mut fresh);
                    }
                    if random.random_bool(0.8) {
                        judgement.failed = groups & 15;
                    }
                }
            }
            // An action that has nothing to act on.
            (None, 0) => judgement.action = Some(IsolateAction::Compare),
            (None, 1) => judgement.action = Some(IsolateAction::Unknown),
            (kept, _) => self.kept = kept,
        }
        (self.words, self.judgement, self.arrived) = (fresh, judgement, 0);
    }

    /// The words of a row; its LTPs' verdicts are planned.
    fn row(&mut self, clock: u64) -> [u32; MAX_LANES] {
        let mut row = [0; MAX_LANES];
        for (lane, word) in row.iter_mut().enumerate() {
            if lane >= self.lanes() {
                *word = self.random.random(); // ignored
                continue;
            }
            *word = self.words[self.arrived];
            self.arrived += 1;
            if self.arrived == self.words.len() {
                let due = clock + AFTER_ROW + self.random.random_range(0..6);
                self.last_due = due.max(self.last_due + SPACING);
                self.judgements.push_back(Judgement { due: self.last_due, ..self.judgement });
                self.next_ltp();
            }
        }
        row
    }

    pub fn clock(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        let mut set = |path: &str, value: u64| -> Result<(), SimError> {
            let port = bench.port(path)?;
            bench.set_u64(port, value);
            Ok(())
        };
        let clear = clock == 0 || self.random.random_bool(0.000_3);
        let changes = clear || self.random.random_bool(0.001);
        if changes {
            self.choose();
        }
        set("clear", u64::from(clear))?;
        set("row_start", u64::from(self.start && !clear))?;
        match self.bits {
            true => set("wide", u64::from(self.mode.code() >> 1))?,
            false => set("mode", self.mode.code().into())?,
        }
        set("active", self.active)?;
        set("last_lane", self.lanes() as u64 - 1)?;
        let valid = !clear && !self.start && self.random.random_bool(0.9);
        self.start &= clear;
        set("rows.valid", u64::from(valid))?;

        // Verdicts of LTPs from before a start may still come.
        let judgement = match self.judgements.front() {
            Some(front) if front.due <= clock && !changes => self.judgements.pop_front(),
            _ => None,
        };
        set("ltp_good", u64::from(judgement.is_some_and(|judgement| judgement.good)))?;
        set("ltp_bad", u64::from(judgement.is_some_and(|judgement| !judgement.good)))?;
        let failed = judgement.map_or(self.random.random(), |judgement| judgement.failed) & 15;
        if !self.bits {
            set("failed", failed)?;
        }
        let (due, data) = self.action.unwrap_or((0, IsolateAction::Latch));
        let acts = self.action.is_some() && due == clock;
        set("action.valid", u64::from(acts))?;
        set("action.data", data.code().into())?;
        if let Some(action) = judgement.and_then(|judgement| judgement.action) {
            self.action = Some((clock + self.random.random_range(1..3), action));
        }
        let words = if valid { self.row(clock) } else { self.random.random() };
        let value = [0, 2].map(|low| u64::from(words[low]) | u64::from(words[low + 1]) << 32);
        let port = bench.port("rows.data")?;
        bench.set(port, &Value::from_words(128, &value));
        Ok(())
    }
}

/// A burst of up to 300 bits, at the ends of the LTP too.
fn burst(random: &mut Rng, words: &mut [u32]) {
    let bits = words.len() * 32;
    let length = *[1, 2, 16, 33, 300].choose(random).expect("not empty");
    let first = *[0, bits - 1, random.random_range(0..bits)].choose(random).expect("not empty");
    for bit in (first..bits).take(length) {
        words[bit / 32] ^= u32::from(random.random_bool(0.7)) << (bit % 32);
    }
}

/// Events by the names of the outputs.
#[derive(Clone, Copy, Default)]
struct Events {
    lane_errors: u64,
    multi_lane: bool,
    unknown: bool,
    none: bool,
    disagree: bool,
}

/// The golden model, one clock at a time.
struct Model {
    isolate: Isolate,
    mode: CrcMode,
    lanes: usize,
    words: Vec<u32>,
    waiting: VecDeque<Vec<u32>>,
    evaluated: u64,
    current: Option<(Vec<u32>, Vec<u32>, usize)>,
    /// Outputs of the next clock and the one after it.
    events: [Events; 2],
    good: [bool; 3],
    crc48: u64,
    seen: Seen,
}

impl Model {
    fn new(seen: Seen) -> Self {
        Model {
            isolate: Isolate::new(CrcMode::Standard, 0xF).expect("four lanes"),
            mode: CrcMode::Standard,
            lanes: MAX_LANES,
            words: vec![],
            waiting: VecDeque::new(),
            evaluated: 0,
            current: None,
            events: Default::default(),
            good: [false; 3],
            crc48: 0,
            seen,
        }
    }

    fn step(&mut self, inputs: &PortValues, outputs: &mut PortValues) -> Result<(), SimError> {
        let events = self.events[0];
        outputs.set_u64("lane_errors", events.lane_errors)?;
        outputs.set_bit("multi_lane", events.multi_lane)?;
        outputs.set_bit("iso_unknown", events.unknown)?;
        outputs.set_bit("iso_none", events.none)?;
        outputs.set_bit("iso_disagree", events.disagree)?;
        outputs.set_u64("crc48_bad", self.crc48)?;
        outputs.set_bit("good_ltp", self.good[0])?;

        let acted = self.act(inputs)?;
        self.events = [self.events[1], acted];
        self.judge(inputs)?;
        self.good = [self.good[1], self.good[2], inputs.bit("ltp_good")?];
        self.take_row(inputs)?;
        if inputs.bit("clear")? || inputs.bit("row_start")? {
            self.restart(inputs)?;
        }
        if inputs.bit("clear")? {
            (self.good, self.crc48) = ([false; 3], 0);
        }
        Ok(())
    }

    fn restart(&mut self, inputs: &PortValues) -> Result<(), SimError> {
        self.mode = CrcMode::from_code(inputs.u64("mode")? as u8).expect("two bits");
        let active = inputs.u64("active")? as u8;
        self.lanes = active.count_ones() as usize;
        self.isolate.restart(self.mode, active).expect("1 to 4 lanes");
        self.words.clear();
        self.waiting.clear();
        (self.evaluated, self.current, self.events) = (0, None, Default::default());
        Ok(())
    }

    fn take_row(&mut self, inputs: &PortValues) -> Result<(), SimError> {
        if inputs.bit("rows.valid")? {
            let row = inputs.get("rows.data")?;
            (0..self.lanes)
                .for_each(|lane| self.words.push(row.slice(32 * lane as u32, 32).low_u64() as u32));
            if self.words.len() >= ltp_words(self.mode) {
                let rest = self.words.split_off(ltp_words(self.mode));
                self.waiting.push_back(std::mem::replace(&mut self.words, rest));
            }
        }
        Ok(())
    }

    /// The residues that these failed CRCs stand for.
    fn residues(&self, failed: u64) -> Vec<u32> {
        match self.mode {
            CrcMode::Standard | CrcMode::Bits14 => vec![1],
            CrcMode::Overlapping48 => (0..4).map(|crc| (failed >> crc & 1) as u32).collect(),
            CrcMode::PerLane => (0..self.lanes).map(|group| (failed >> group & 1) as u32).collect(),
        }
    }

    fn judge(&mut self, inputs: &PortValues) -> Result<(), SimError> {
        self.crc48 = 0;
        let (good, bad) = (inputs.bit("ltp_good")?, inputs.bit("ltp_bad")?);
        if !good && !bad {
            return Ok(());
        }
        let residues = self.residues(inputs.u64("failed")?);
        let state = sequence_state(ltp_words(self.mode), self.lanes, self.evaluated);
        if bad {
            let before = self.isolate.counters().clone();
            self.isolate.bad(&[], &residues, state, false);
            let counters = [
                LinkCounter::Crc48Bad1,
                LinkCounter::Crc48Bad2,
                LinkCounter::Crc48Bad3,
                LinkCounter::Crc48Bad4,
            ];
            for (index, counter) in counters.into_iter().enumerate() {
                self.crc48 |= (self.isolate.counters().get(counter) - before.get(counter)) << index;
            }
            self.seen.add("crc48", self.crc48.count_ones().into());
        }
        self.current = self.waiting.pop_front().map(|words| (words, residues, state));
        match self.current {
            Some(_) => self.evaluated += 1,
            None => self.seen.add("verdict without LTP", 1),
        }
        Ok(())
    }

    fn act(&mut self, inputs: &PortValues) -> Result<Events, SimError> {
        let mut events = Events::default();
        let Some((words, residues, state)) = &self.current else { return Ok(events) };
        if !inputs.bit("action.valid")? {
            return Ok(events);
        }
        let before = self.isolate.counters().clone();
        let action = IsolateAction::from_code(inputs.u64("action.data")? as u8).expect("two bits");
        let verdict = match action {
            IsolateAction::Latch => self.isolate.bad(words, residues, *state, true),
            IsolateAction::Compare => self.isolate.replayed(words, *state),
            IsolateAction::Unknown => {
                self.isolate.give_up();
                None
            }
            IsolateAction::Discard => {
                self.isolate.discard();
                None
            }
        };
        let after = self.isolate.counters();
        let counted = |counter| after.get(counter) > before.get(counter);
        if let Some(LaneVerdict::Lane(lane)) = verdict {
            events.lane_errors = 1 << lane;
            self.seen.add(["lane 0", "lane 1", "lane 2", "lane 3"][lane], 1);
        }
        events.multi_lane = counted(LinkCounter::MultiLane);
        events.unknown = counted(LinkCounter::IsoUnknown);
        events.none = counted(LinkCounter::IsoNone);
        events.disagree = counted(LinkCounter::IsoDisagree);
        self.seen.add("multi", events.multi_lane.into());
        self.seen.add("unknown", events.unknown.into());
        self.seen.add("none", events.none.into());
        self.seen.add("disagree", events.disagree.into());
        Ok(events)
    }
}

pub fn plan(name: &str, seen: Seen) -> CosimPlan<'static> {
    let mut stimulus = Stimulus::new(name);
    let mut model = Model::new(seen);
    CosimPlan::new(
        name,
        seed(0x150_1a7e),
        || Box::new(LinkIsolate::new().expect("valid")),
        move |testbench, _| {
            testbench.add(StimulusFn(move |clock: u64, bench: &mut dyn Bench| stimulus.clock(clock, bench)));
            Ok(())
        },
    )
    .model(move |inputs: &PortValues, outputs: &mut PortValues| model.step(inputs, outputs))
}

#[test]
fn verdicts_are_equal_everywhere() {
    let seen = Seen::default();
    deep(plan("link_isolate_random", seen.clone()), 100_000, STOCK_CLOCKS).run().expect("equal");
    seen.require_each(&[
        "lane 0",
        "lane 1",
        "lane 2",
        "lane 3",
        "multi",
        "unknown",
        "none",
        "disagree",
        "crc48",
        "verdict without LTP",
    ]);
}
