//! `link_lane_rx` against its model, fed with the streams of the model's `LaneDistributor`.

use crate::link_lanes::{crc_mode, physical, row_value, QUICK_CLOCKS, STOCK_CLOCKS};
use flitforge_elaborate::drive::DriveBlock;
use flitforge_hdl::link::lane::LinkLaneRx;
use flitforge_model::lanes::LaneSetup;
use flitforge_model::{AlignmentWord, LaneDistributor, LaneWord, Scrambler, StartWord};
use flitforge_sim::kit::{rng, seed, Agent, Rng, StimulusFn, Testbench};
use flitforge_sim::model::PortValues;
use flitforge_sim::{Bench, CosimPlan, SimError, Simulator};
use flitforge_testkit::{deep, Count};
use rand::seq::SliceRandom as _;
use rand::Rng as _;
use std::collections::VecDeque;

/// Words a lane can hold.
const DEPTH: usize = 16;
/// Control flag of a lane word.
const CTL: u64 = 1 << 32;
/// Code error flag.
const CODE_ERR: u64 = 1 << 33;

fn control_word(data: u64) -> Option<u32> {
    (data >> 32 == 1).then_some(data as u32)
}

/// The ALN number of a word, if it is an ALN.
fn aln_number(data: u64) -> Option<u16> {
    let word = control_word(data)?;
    let number = (word >> 16) as u16;
    (word == AlignmentWord { number }.encode()).then_some(number)
}

/// What the model saw: rows, ALN rows, losses and why, mismatches, code errors.
#[derive(Clone, Default)]
struct Counts {
    rows: Count,
    alignments: Count,
    losses: Count,
    overflows: Count,
    wrong_numbers: Count,
    mismatches: Count,
    errors: Count,
}

#[derive(Clone, Default)]
struct Lane {
    words: VecDeque<u64>,
    started: bool,
    /// The control word of the clock before.
    control: Option<u32>,
    scrambler: Option<Scrambler>,
}

/// What is on the output registers.
#[derive(Default)]
struct Out {
    row: Option<(Vec<u32>, u64)>,
    start: bool,
    lost: bool,
    code: u64,
    mismatch: bool,
}

/// The cycle-exact model.
struct Model {
    lanes: Vec<Lane>,
    /// Data rows since the last ALN row, and the number of that.
    rows: usize,
    number: u16,
    lost: bool,
    last_lane: u64,
    out: Out,
    counts: Counts,
}

impl Model {
    fn new(lanes: usize, counts: Counts) -> Self {
        let lanes = vec![Lane::default(); lanes];
        Self { lanes, rows: 0, number: 0, lost: false, last_lane: 0, out: Out::default(), counts }
    }

    fn forget(&mut self) {
        self.lanes.fill(Lane::default());
        (self.rows, self.number, self.lost) = (0, 0, false);
    }

    fn step(&mut self, inputs: &PortValues, outputs: &mut PortValues) -> Result<(), SimError> {
        let (clear, active) = (inputs.bit("clear")?, inputs.u64("active")?);
        let used = physical(active);
        self.show(outputs)?;
        outputs.set_u64("last_lane", self.last_lane)?;
        self.last_lane = (used.len() as u64).wrapping_sub(1) & 3;

        let (lost, running) = (self.lost, self.lanes.iter().any(|lane| lane.started));
        let forget = clear || lost;
        self.out = Out { lost: lost && !clear, ..Out::default() };
        let mode = crc_mode(inputs.u64("crc_mode")?);
        let (starts, mismatch) = self.starts(&used, mode);
        self.out.start = starts && !running && !forget;
        self.out.mismatch = mismatch && !clear;

        self.lost = false;
        let take = !used.is_empty() && used.iter().all(|lane| !self.lanes[*lane].words.is_empty());
        if take {
            let (row, code) = self.take(&used);
            if !forget {
                (self.out.row, self.out.code) = (row, code);
                self.counts.errors.add(u64::from(code != 0));
            }
        }
        for number in 0..self.lanes.len() {
            let source = inputs.u64(&format!("source[{number}]"))?;
            let valid = inputs.bit(&format!("lanes[{source}].valid"))?;
            let data = inputs.u64(&format!("lanes[{source}].data"))?;
            let lane = &mut self.lanes[number];
            lane.control = control_word(data).filter(|_| valid && active >> number & 1 == 1);
            if valid && lane.started {
                lane.words.push_back(data);
                let overflows = lane.words.len() > DEPTH;
                self.counts.overflows.add(u64::from(overflows && !forget));
                self.lost |= overflows;
            }
        }
        if forget {
            self.forget();
        }
        self.counts.losses.add(u64::from(self.out.lost));
        self.counts.mismatches.add(u64::from(self.out.mismatch));
        self.counts.rows.add(u64::from(self.out.row.is_some()));
        Ok(())
    }

    fn show(&self, outputs: &mut PortValues) -> Result<(), SimError> {
        outputs.set_bit("rows.valid", self.out.row.is_some())?;
        if let Some((words, errors)) = &self.out.row {
            outputs.set("rows.data", row_value(words))?;
            outputs.set_u64("row_error", *errors)?;
        }
        outputs.set_bit("row_start", self.out.start)?;
        outputs.set_bit("deskew_lost", self.out.lost)?;
        outputs.set_u64("code_errors", self.out.code)?;
        outputs.set_bit("start_mismatch", self.out.mismatch)
    }

    /// Looks at the control words of the clock before: does a lane start, does one start wrongly?
    fn starts(&mut self, used: &[usize], mode: flitforge_protocol::ltp::CrcMode) -> (bool, bool) {
        let (mut starts, mut mismatch) = (false, false);
        for number in used {
            let lane = &mut self.lanes[*number];
            let word = lane.control.filter(|_| !lane.started);
            // The bond index is not looked at, nor the fields of a start row that are not there yet.
            let is_start = word.filter(|word| word & 0xFF00_FFFF == 0xA500_2DBC);
            let Some(word) = is_start else { continue };
            let bond = (word >> 18 & 3) as u8;
            let right = StartWord { lane: *number as u8, bond, mode, lanes: used.len() as u8 };
            if right.encode() == Ok(word) {
                lane.started = true;
                lane.scrambler = Scrambler::new(*number).ok();
                starts = true;
            } else {
                mismatch = true;
            }
        }
        (starts, mismatch)
    }

    /// Takes the row at the front: the data row, if it is one, and the lanes' code errors.
    fn take(&mut self, used: &[usize]) -> (Option<(Vec<u32>, u64)>, u64) {
        let aln_row = self.rows == 4096;
        let (mut words, mut errors, mut code) = (vec![], 0, 0);
        if aln_row {
            self.number = self.number.wrapping_add(1);
            self.counts.alignments.add(1);
        }
        self.rows = if aln_row { 0 } else { self.rows + 1 };
        for (rank, number) in used.iter().enumerate() {
            let lane = &mut self.lanes[*number];
            let data = lane.words.pop_front().unwrap_or_default();
            let bad = if aln_row {
                let wrong = aln_number(data).is_some_and(|found| found != self.number);
                self.counts.wrong_numbers.add(u64::from(wrong));
                self.lost |= wrong;
                aln_number(data).is_none()
            } else {
                let word = data as u32;
                words.push(lane.scrambler.as_mut().map_or(word, |scrambler| scrambler.apply(word)));
                data >> 32 != 0
            };
            errors |= u64::from(bad) << rank;
            code |= u64::from(bad) << number;
        }
        ((!aln_row).then_some((words, errors)), code)
    }
}

/// Streams of the dealer to the lanes, late by turns, with faults; a new start after every loss and now and then.
struct Line {
    rng: Rng,
    lanes: usize,
    distributor: Option<LaneDistributor>,
    used: Vec<usize>,
    waiting: Vec<VecDeque<u64>>,
    /// The wire that each lane's words come on.
    source: Vec<usize>,
    left: u64,
    /// How far lanes may be apart in this episode, and the clocks for which each is held back at its start.
    spread: usize,
    held: Vec<usize>,
    /// The chance of a word per clock, of a fault per word, of a wrong number per ALN.
    pace: f64,
    faults: f64,
    wrong_numbers: f64,
}

impl Line {
    fn restart(&mut self) -> (u64, u64) {
        let rng = &mut self.rng;
        let all = (1u64 << self.lanes) - 1;
        let active = if rng.random_bool(0.5) { all } else { rng.random_range(0..=all) };
        let mode = rng.random_range(0..4);
        self.used = physical(active);
        let told = if rng.random_bool(0.7) { mode } else { rng.random_range(0..4) };
        let setup = LaneSetup::new(&self.used, crc_mode(told)).ok();
        self.distributor =
            setup.and_then(|setup| LaneDistributor::new(setup.bonded(rng.random_range(0..4))).ok());
        self.source = (0..self.lanes).collect();
        self.source.shuffle(rng);
        self.waiting = vec![VecDeque::new(); self.lanes];
        // Long ones reach ALN rows; many short ones, because most losses come in the first clocks.
        let long = rng.random_bool(0.12);
        self.left = if long { rng.random_range(5_000..9_000) } else { rng.random_range(3..150) };
        // A lane holds 16 words: 14 to 16 apart is still well, 17 and more is not.
        self.spread = [2, 14, 16, 17, 18, 20][rng.random_range(0..if long { 3 } else { 6 })];
        self.held =
            (0..self.lanes).map(|_| [0, self.spread, 3 * self.spread][rng.random_range(0..3)]).collect();
        self.pace = if long { 0.98 } else { [0.5, 0.9, 1.0][rng.random_range(0..3)] };
        self.faults = [0.0, 0.000_2, 0.02][rng.random_range(0..3)];
        self.wrong_numbers = [0.0, 0.3][rng.random_range(0..2)];
        (active, mode)
    }

    /// The word of every wire in this clock.
    fn words(&mut self) -> Vec<Option<u64>> {
        let mut wires = vec![None; self.lanes];
        let most = self.used.iter().map(|lane| self.waiting[*lane].len()).max().unwrap_or(0);
        if most < self.spread {
            let words: Vec<u32> = self.used.iter().map(|_| self.rng.random()).collect();
            let row = self.distributor.as_mut().and_then(|distributor| {
                let control = distributor.next_row().expect("row");
                control.or_else(|| {
                    distributor.push(&words);
                    distributor.next_row().expect("row")
                })
            });
            for (lane, word) in self.used.iter().zip(row.into_iter().flatten()) {
                self.waiting[*lane].push_back(match word {
                    LaneWord::Control(word) => CTL | u64::from(word),
                    LaneWord::Data(word) => u64::from(word),
                });
            }
        }
        for lane in 0..self.lanes {
            let held = self.held[lane] > 0 && !self.waiting[lane].is_empty();
            self.held[lane] -= usize::from(held);
            if held || !self.rng.random_bool(self.pace) {
                continue;
            }
            let Some(mut word) = self.waiting[lane].pop_front() else { continue };
            if self.rng.random_bool(self.faults) {
                word ^= [1 << self.rng.random_range(0..34), CTL, CODE_ERR][self.rng.random_range(0..3)];
            }
            if aln_number(word).is_some() && self.rng.random_bool(self.wrong_numbers) {
                word ^= 1 << self.rng.random_range(16..32);
            }
            wires[self.source[lane]] = Some(word);
        }
        wires
    }
}

fn line(lanes: usize, bench: &dyn Bench, seed: u64) -> Result<impl Agent, SimError> {
    let port = |name: &str| bench.port(name);
    let (clear, active, mode) = (port("clear")?, port("active")?, port("crc_mode")?);
    let lost = port("deskew_lost")?;
    let (mut wires, mut sources) = (vec![], vec![]);
    for lane in 0..lanes {
        wires.push((port(&format!("lanes[{lane}].valid"))?, port(&format!("lanes[{lane}].data"))?));
        sources.push(port(&format!("source[{lane}]"))?);
    }
    let mut line = Line {
        rng: rng(seed, "line"),
        lanes,
        distributor: None,
        used: vec![],
        waiting: vec![VecDeque::new(); lanes],
        source: (0..lanes).collect(),
        left: 0,
        spread: 0,
        held: vec![0; lanes],
        pace: 1.0,
        faults: 0.0,
        wrong_numbers: 0.0,
    };
    Ok(StimulusFn(move |clock, bench: &mut dyn Bench| {
        // Some of the lost streams run on, so that words come without a start row.
        let told = clock > 0 && bench.get_u64(lost) == 1 && line.rng.random_bool(0.5);
        let over = line.left == 0 || told;
        bench.set_u64(clear, u64::from(over));
        for ((valid, data), word) in wires.iter().zip(line.words()) {
            bench.set_u64(*valid, u64::from(word.is_some()));
            let random = line.rng.random_range(0..1 << 34);
            bench.set_u64(*data, word.unwrap_or(random));
        }
        line.left = line.left.saturating_sub(1);
        if over {
            let (lanes, told_mode) = line.restart();
            bench.set_u64(active, lanes);
            bench.set_u64(mode, told_mode);
            for (port, source) in sources.iter().zip(&line.source) {
                bench.set_u64(*port, *source as u64);
            }
        }
        Ok(())
    }))
}

/// The plan, without its number of clocks; what the model sees is counted in `counts`.
fn plan(name: &str, lanes: usize, make: fn() -> Box<dyn DriveBlock>, counts: Counts) -> CosimPlan<'static> {
    let stimulus = move |testbench: &mut Testbench<'_>, seed| {
        let agent = line(lanes, testbench.bench(), seed)?;
        testbench.add(agent);
        Ok(())
    };
    let mut model = Model::new(lanes, counts);
    CosimPlan::new(name, seed(0x10_52), make, stimulus)
        .simulators(&[Simulator::Icarus])
        .model(move |inputs: &PortValues, outputs: &mut PortValues| model.step(inputs, outputs))
}

fn cosim(name: &str, lanes: usize, make: fn() -> Box<dyn DriveBlock>) {
    let counts = Counts::default();
    let clocks = deep(plan(name, lanes, make, counts.clone()), QUICK_CLOCKS, STOCK_CLOCKS)
        .run()
        .expect("equal")
        .clocks;
    counts.rows.at_least(clocks / 5, "rows");
    counts.alignments.at_least((clocks / 50_000).max(1), "ALN rows");
    if lanes > 1 {
        counts.errors.at_least(1, "code errors");
        counts.mismatches.at_least(1, "start rows of another mode");
        counts.losses.at_least(clocks / 10_000, "losses");
        counts.overflows.at_least(clocks / 20_000, "overflows of a lane's words");
        counts.wrong_numbers.at_least(clocks / 100_000, "wrong ALN numbers");
    }
}

#[test]
fn four_lanes_are_equal_everywhere() {
    cosim("link_lane_rx", 4, || Box::new(LinkLaneRx::<4>::new().expect("valid")));
}

#[test]
fn one_lane_is_equal_everywhere() {
    cosim("link_lane_rx_1", 1, || Box::new(LinkLaneRx::<1>::new().expect("valid")));
}
