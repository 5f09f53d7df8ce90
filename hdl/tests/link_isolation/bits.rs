//! `link_bit_isolate` against the golden model: every report and every mask, to the clock.

use crate::link_isolation::isolate::Stimulus;
use crate::link_isolation::STOCK_CLOCKS;
use flitforge_hdl::link::bit_isolate::LinkBitIsolate;
use flitforge_model::bit_isolation::{BitIsolation, BitReport};
use flitforge_protocol::bit_isolation::bit_mask;
use flitforge_protocol::lane_word::{sequence_state, MAX_LANES};
use flitforge_protocol::retry::IsolateAction;
use flitforge_sim::kit::{seed, StimulusFn};
use flitforge_sim::model::PortValues;
use flitforge_sim::{Bench, CosimPlan, SimError};
use flitforge_testkit::{deep, Seen};
use std::collections::{BTreeMap, VecDeque};

/// Clocks from the first clock of a walk to the mask of word 0, and from its last word to the report.
const TO_MASK: u64 = 6;
const TO_REPORT: u64 = 9;

/// The golden model, and what the block does when.
struct Model {
    golden: BitIsolation,
    words_of_ltp: usize,
    lanes: usize,
    words: Vec<u32>,
    waiting: VecDeque<Vec<u32>>,
    evaluated: u64,
    current: Option<(Vec<u32>, usize)>,
    held: bool,
    copy_due: Option<(Vec<u32>, usize)>,
    compare_due: Option<Vec<u32>>,
    /// No walk before this clock.
    free_at: u64,
    clock: u64,
    masks: BTreeMap<u64, u64>,
    reports: BTreeMap<u64, u64>,
    missed: bool,
    seen: Seen,
}

impl Model {
    fn new(seen: Seen) -> Self {
        Model {
            golden: BitIsolation::new(0xF).expect("four lanes"),
            words_of_ltp: 33,
            lanes: MAX_LANES,
            words: vec![],
            waiting: VecDeque::new(),
            evaluated: 0,
            current: None,
            held: false,
            copy_due: None,
            compare_due: None,
            free_at: 0,
            clock: 0,
            masks: BTreeMap::new(),
            reports: BTreeMap::new(),
            missed: false,
            seen,
        }
    }

    fn step(&mut self, inputs: &PortValues, outputs: &mut PortValues) -> Result<(), SimError> {
        for (port, due) in [("masks", &self.masks), ("report", &self.reports)] {
            let value = due.get(&self.clock);
            outputs.set_bit(&format!("{port}.valid"), value.is_some())?;
            if let Some(value) = value {
                outputs.set_u64(&format!("{port}.data"), *value)?;
            }
        }
        outputs.set_bit("missed", self.missed)?;
        let compares = self.compare_due.is_some();
        self.walk();
        self.act(inputs, compares)?;
        self.judge(inputs)?;
        self.take_row(inputs)?;
        if inputs.bit("clear")? || inputs.bit("row_start")? {
            self.restart(inputs)?;
        }
        self.clock += 1;
        Ok(())
    }

    fn restart(&mut self, inputs: &PortValues) -> Result<(), SimError> {
        let active = inputs.u64("active")? as u8;
        self.lanes = active.count_ones() as usize;
        self.words_of_ltp = 33 + inputs.u64("wide")? as usize;
        self.golden = BitIsolation::new(active).expect("1 to 4 lanes");
        self.words.clear();
        self.waiting.clear();
        self.seen.add("restart in a comparison", u64::from(!self.reports.is_empty()));
        (self.evaluated, self.current, self.held, self.missed) = (0, None, false, false);
        (self.copy_due, self.compare_due, self.free_at) = (None, None, 0);
        self.masks.clear();
        self.reports.clear();
        Ok(())
    }

    fn take_row(&mut self, inputs: &PortValues) -> Result<(), SimError> {
        if inputs.bit("rows.valid")? {
            let row = inputs.get("rows.data")?;
            (0..self.lanes)
                .for_each(|lane| self.words.push(row.slice(32 * lane as u32, 32).low_u64() as u32));
            if self.words.len() >= self.words_of_ltp {
                let rest = self.words.split_off(self.words_of_ltp);
                self.waiting.push_back(std::mem::replace(&mut self.words, rest));
            }
        }
        Ok(())
    }

    fn judge(&mut self, inputs: &PortValues) -> Result<(), SimError> {
        if inputs.bit("ltp_good")? || inputs.bit("ltp_bad")? {
            let state = sequence_state(self.words_of_ltp, self.lanes, self.evaluated);
            self.current = self.waiting.pop_front().map(|words| (words, state));
            self.evaluated += u64::from(self.current.is_some());
        }
        Ok(())
    }

    fn act(&mut self, inputs: &PortValues, compares: bool) -> Result<(), SimError> {
        self.missed = false;
        let Some((words, state)) = &self.current else { return Ok(()) };
        if !inputs.bit("action.valid")? {
            return Ok(());
        }
        let action = IsolateAction::from_code(inputs.u64("action.data")? as u8).expect("two bits");
        let held = std::mem::replace(&mut self.held, false);
        match action {
            IsolateAction::Latch if compares => self.missed = true,
            IsolateAction::Latch => {
                self.held = true;
                self.copy_due = Some((words.clone(), *state));
            }
            IsolateAction::Compare if held => self.compare_due = Some(words.clone()),
            IsolateAction::Compare | IsolateAction::Unknown | IsolateAction::Discard => {}
        }
        self.seen.add("missed", self.missed.into());
        Ok(())
    }

    /// A walk begins if none goes on.
    fn walk(&mut self) {
        if self.clock < self.free_at {
            self.seen.add("waits", u64::from(self.copy_due.is_some() || self.compare_due.is_some()));
            return;
        }
        if let Some((words, state)) = self.copy_due.take() {
            self.golden.latch(&words, state);
            self.seen.add(["state 0", "state 1", "state 2", "state 3"][state], 1);
        } else if let Some(words) = self.compare_due.take() {
            let report = self.golden.replayed(&words).expect("a comparison follows a copy");
            self.give(&report);
        } else {
            return;
        }
        self.free_at = self.clock + self.words_of_ltp as u64 + 1;
    }

    fn give(&mut self, report: &BitReport) {
        for (word, mask) in &report.masks {
            let value = u64::from(*mask) << bit_mask::mask::LOW | (*word as u64) << bit_mask::word::LOW;
            self.masks.insert(self.clock + TO_MASK + *word as u64, value);
        }
        self.reports.insert(self.clock + TO_REPORT + self.words_of_ltp as u64, report.encode());
        self.seen.add("report", 1);
        self.seen.add("no wrong bit", u64::from(report.first.is_none()));
        self.seen.add("one wrong bit", u64::from(report.wrong_bits == 1));
        self.seen.add("more than 255", u64::from(report.wrong_bits > 255));
        if let (Some(first), Some(last)) = (report.first, report.last) {
            self.seen.add("several lanes", u64::from(first.lane != last.lane));
            self.seen.add("word 33", u64::from(last.word() == 33));
            self.seen.add(["lane 0", "lane 1", "lane 2", "lane 3"][first.lane], 1);
        }
    }
}

pub fn plan(name: &str, seen: Seen) -> CosimPlan<'static> {
    let mut stimulus = Stimulus::of_bits(name);
    let mut model = Model::new(seen);
    CosimPlan::new(
        name,
        seed(0xb17_150),
        || Box::new(LinkBitIsolate::new().expect("valid")),
        move |testbench, _| {
            testbench.add(StimulusFn(move |clock: u64, bench: &mut dyn Bench| stimulus.clock(clock, bench)));
            Ok(())
        },
    )
    .model(move |inputs: &PortValues, outputs: &mut PortValues| model.step(inputs, outputs))
}

#[test]
fn reports_and_masks_are_equal_everywhere() {
    let seen = Seen::default();
    deep(plan("link_bit_isolate_random", seen.clone()), 60_000, STOCK_CLOCKS).run().expect("equal");
    seen.require_each(&[
        "report",
        "no wrong bit",
        "one wrong bit",
        "more than 255",
        "several lanes",
        "word 33",
        "state 0",
        "state 1",
        "state 2",
        "state 3",
        "lane 0",
        "lane 1",
        "lane 2",
        "lane 3",
        "waits",
        "missed",
        "restart in a comparison",
    ]);
}
