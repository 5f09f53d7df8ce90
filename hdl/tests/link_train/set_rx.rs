//! `link_train_rx` against a cycle-exact model around the model's decoder of training sets.

use crate::link_train::{QUICK_CLOCKS, STOCK_CLOCKS};
use flitforge_elaborate::drive::DriveBlock;
use flitforge_hdl::link::train::TrainSetRx;
use flitforge_model::training::TrainingKind;
use flitforge_model::TrainingSet;
use flitforge_sim::kit::{rng, seed, Agent, Rng, StimulusFn, Testbench};
use flitforge_sim::model::PortValues;
use flitforge_sim::{Bench, CosimPlan, SimError, Simulator};
use flitforge_testkit::{deep, Count};
use rand::Rng as _;
use std::collections::VecDeque;

/// Control flag and code error of a lane word.
const CTL: u64 = 1 << 32;
const CODE_ERR: u64 = 1 << 33;

/// What goes into the receiver of a lane in one clock.
#[derive(Clone, Copy)]
pub struct Input {
    pub clear: bool,
    pub may_turn: bool,
    pub signal_ok: bool,
    pub lane_lock: bool,
    pub word: Option<u64>,
}

#[derive(Clone, Default)]
pub struct Counts {
    pub good: Count,
    pub bad: Count,
    pub turned: Count,
    pub slipped: Count,
    pub read: Count,
}

/// The cycle-exact model.
#[derive(Clone, Default)]
pub struct Model {
    /// The word that came in the clock before.
    last: Option<u64>,
    /// The words of the set that is coming.
    coming: Vec<u32>,
    /// A whole set, to be judged.
    whole: Option<[u32; 8]>,
    pub present: bool,
    pub received: bool,
    /// The last good set and the words after it.
    pub good: Option<([u32; 8], TrainingSet)>,
    pub words_after: u64,
    /// The set that is held, and for how many clocks.
    held: Option<([u32; 8], usize)>,
    read: Option<u32>,
    pub inverted: bool,
    settling: u32,
    hunting: u32,
    pub slip: bool,
    counts: Counts,
}

impl Model {
    pub fn new(counts: Counts) -> Self {
        Model { counts, ..Model::default() }
    }

    fn begins(word: u64) -> bool {
        word >> 32 == 1 && matches!(word & 0x00F0_FFFF, 0x0010_4ABC | 0x0010_45BC)
    }

    fn is_turned(word: u64) -> bool {
        word >> 32 == 1 && matches!(word & 0xFF, 0xBC | 0x43) && matches!(word >> 8 & 0xFF, 0xB5 | 0xBA)
    }

    /// The edge.
    pub fn clock(&mut self, input: Input) {
        self.received = false;
        self.words_after += u64::from(self.last.is_some());
        if let Some(words) = self.whole.take() {
            match TrainingSet::decode(&words) {
                Ok(set) => {
                    self.counts.good.add(1);
                    (self.present, self.received) = (true, true);
                    self.good = Some((words, set));
                    self.words_after = u64::from(self.last.is_some());
                }
                Err(_) => {
                    self.counts.bad.add(1);
                    self.present = false;
                }
            }
        }
        self.slip = false;
        if let Some(word) = self.last {
            self.take(word, input);
        }
        if input.lane_lock || !input.may_turn {
            (self.hunting, self.slip) = (0, false);
        }
        self.present &= input.signal_ok;
        self.last = input.word.filter(|_| input.signal_ok);
        if input.clear {
            self.last = None;
            self.whole = None;
            self.coming.clear();
            (self.present, self.received, self.inverted, self.slip) = (false, false, false, false);
            (self.settling, self.hunting) = (0, 0);
        }
        self.counts.slipped.add(self.slip.into());
    }

    /// The word of the clock before.
    fn take(&mut self, word: u64, input: Input) {
        let goes_on = !self.coming.is_empty() && word >> 32 == 0;
        if goes_on {
            self.coming.push(word as u32);
        } else {
            self.present &= Self::begins(word) && self.coming.is_empty();
            self.coming.clear();
            if Self::begins(word) {
                self.coming.push(word as u32);
            }
        }
        if self.coming.len() == 8 {
            self.whole = self.coming.clone().try_into().ok();
            self.coming.clear();
        }
        let turned = Self::is_turned(word);
        let turns = turned && input.may_turn && self.settling == 0;
        self.settling = self.settling.saturating_sub(1);
        if turns {
            self.counts.turned.add(1);
            self.inverted = !self.inverted;
            self.settling = 31;
        }
        self.slip = self.hunting == 63;
        self.hunting = (self.hunting + 1) % 64;
        if turned || Self::begins(word) {
            (self.hunting, self.slip) = (0, false);
        }
    }

    fn step(&mut self, inputs: &PortValues, outputs: &mut PortValues) -> Result<(), SimError> {
        outputs.set_bit("present", self.present)?;
        outputs.set_bit("received", self.received)?;
        outputs.set_bit("invert", self.inverted)?;
        outputs.set_bit("slip", self.slip)?;
        if let (true, Some((_, set))) = (self.present, &self.good) {
            outputs.set_u64("number", set.lane.into())?;
            outputs.set_u64("bond", set.bond.into())?;
            outputs.set_bit("is_ts2", set.kind == TrainingKind::Ts2)?;
            outputs.set_u64("count", set.count.into())?;
            outputs.set_u64("words_after", self.words_after)?;
        }
        if let Some(word) = self.read.take() {
            outputs.set_u64("word", word.into())?;
        }
        let (read, hold) = (inputs.u64("read_word")? as usize, inputs.bit("hold")?);
        if let Some((words, clocks)) = &mut self.held {
            *clocks += 1;
            self.read = Some(words[read]).filter(|_| *clocks <= read);
            self.counts.read.add(self.read.is_some().into());
        }
        if hold {
            self.held = self.good.filter(|_| self.present).map(|(words, _)| (words, 0));
        }
        let valid = inputs.bit("lane.valid")?;
        let data = inputs.u64("lane.data")?;
        self.clock(Input {
            clear: inputs.bit("clear")?,
            may_turn: inputs.bit("may_turn")?,
            signal_ok: inputs.bit("signal_ok")?,
            lane_lock: inputs.bit("lane_lock")?,
            word: Some(data).filter(|_| valid),
        });
        Ok(())
    }
}

/// A random training set.
pub fn random_set(rng: &mut Rng) -> TrainingSet {
    TrainingSet {
        kind: if rng.random() { TrainingKind::Ts1 } else { TrainingKind::Ts2 },
        lane: rng.random_range(0..4),
        bond: rng.random_range(0..4),
        count: rng.random(),
        capabilities: rng.random_range(0..8),
        preferred: rng.random_range(0..8),
        bonded: rng.random(),
        log2_flits_per_beat: rng.random_range(0..4),
        log2_replay_slots: rng.random_range(0..16),
        v_au: rng.random_range(0..8),
        vls_minus_1: rng.random_range(0..16),
        fresh: rng.random(),
        tx_mask: rng.random_range(0..16),
        rx_ok: rng.random_range(0..16),
        request: rng.random_range(0..16),
        answer: rng.random_range(0..16),
        epoch: rng.random(),
        next_rx_ltp: rng.random(),
        guid: rng.random(),
    }
}

/// Words of a lane: sets, most of them good, and everything that may come between.
struct Line {
    rng: Rng,
    words: VecDeque<u64>,
    inverted: bool,
}

impl Line {
    fn fill(&mut self) {
        let rng = &mut self.rng;
        let mut words = random_set(rng).encode().expect("a set").map(u64::from);
        words[0] |= CTL;
        match rng.random_range(0..20) {
            0 => words[rng.random_range(0..8)] ^= 1 << rng.random_range(0..34),
            1 => words[rng.random_range(1..8)] ^= [CTL, CODE_ERR][rng.random_range(0..2)],
            2 => words[0] ^= 1 << rng.random_range(20..24), // the version, which is under the CRC
            3 => words[7] = rng.random_range(0..1 << 32),
            4 => words[7] ^= 1 << rng.random_range(16..32), // the complement alone
            5 => {
                // another pattern, with the CRC that belongs to it
                words[6] ^= 1 << rng.random_range(0..32);
                let mut crc = flitforge_model::Crc::new(flitforge_protocol::crc::TRAINING_SET);
                words[..7].iter().for_each(|word| crc.push_word(*word as u32));
                words[7] = u64::from(crc.value() | !crc.value() << 16);
            }
            _ => (),
        }
        self.words.extend(words);
        match rng.random_range(0..40) {
            0 => self.words.truncate(self.words.len() - rng.random_range(1..8)),
            1 => {
                (0..rng.random_range(1..100)).for_each(|_| self.words.push_back(rng.random_range(0..1 << 32)))
            }
            2 => self.words.push_back(CTL | rng.random_range(0..1 << 32)),
            3 => self.words.push_back(CTL | 0xA512_2DBC),
            4 => self.inverted = !self.inverted,
            _ => (),
        }
    }
}

fn line(bench: &dyn Bench, seed: u64) -> Result<impl Agent, SimError> {
    let port = |name: &str| bench.port(name);
    let (valid, data) = (port("lane.valid")?, port("lane.data")?);
    let (clear, may_turn) = (port("clear")?, port("may_turn")?);
    let (signal, lock, invert) = (port("signal_ok")?, port("lane_lock")?, port("invert")?);
    let (hold, read) = (port("hold")?, port("read_word")?);
    let mut line = Line { rng: rng(seed, "line"), words: VecDeque::new(), inverted: false };
    let (mut pace, mut reading, mut lost) = (1.0, 0usize, 0);
    Ok(StimulusFn(move |clock, bench: &mut dyn Bench| {
        if line.words.is_empty() {
            line.fill();
            pace = [0.4, 0.95, 1.0, 1.0][line.rng.random_range(0..4)];
        }
        let turned = line.inverted != (bench.get_u64(invert) == 1);
        let rng = &mut line.rng;
        bench.set_u64(clear, u64::from(clock == 0 || rng.random_bool(0.001)));
        if clock % 512 == 0 {
            bench.set_u64(may_turn, u64::from(rng.random_bool(0.8)));
            bench.set_u64(lock, u64::from(rng.random_bool(0.5)));
        }
        lost = if rng.random_bool(0.001) { rng.random_range(1..50) } else { lost.max(1) - 1 };
        bench.set_u64(signal, u64::from(lost == 0));
        let word = if rng.random_bool(pace) { line.words.pop_front() } else { None };
        bench.set_u64(valid, u64::from(word.is_some()));
        let word = word.unwrap_or(rng.random_range(0..1 << 34));
        bench.set_u64(data, if turned { word ^ 0xFFFF_FFFF } else { word });
        // words 1, 2, 4, 5 in the clocks after `hold`, or anything
        reading = if rng.random_bool(0.05) { 0 } else { reading + 1 };
        bench.set_u64(hold, u64::from(reading == 0));
        let word = [0, 1, 2, 4, 5].get(reading).copied();
        bench.set_u64(read, word.unwrap_or(rng.random_range(0..8)));
        Ok(())
    }))
}

pub fn plan(name: &str, counts: Counts) -> CosimPlan<'static> {
    let make = || -> Box<dyn DriveBlock> { Box::new(TrainSetRx::new().expect("valid")) };
    let stimulus = |testbench: &mut Testbench<'_>, seed| {
        let agent = line(testbench.bench(), seed)?;
        testbench.add(agent);
        Ok(())
    };
    let mut model = Model::new(counts);
    CosimPlan::new(name, seed(0x10_72), make, stimulus)
        .simulators(&[Simulator::Icarus])
        .model(move |inputs: &PortValues, outputs: &mut PortValues| model.step(inputs, outputs))
}

#[test]
fn the_receiver_is_equal_everywhere() {
    let counts = Counts::default();
    let clocks =
        deep(plan("link_train_rx", counts.clone()), QUICK_CLOCKS, STOCK_CLOCKS).run().expect("equal").clocks;
    counts.good.at_least(clocks / 40, "good sets");
    counts.bad.at_least(clocks / 400, "whole sets that are bad");
    counts.turned.at_least(clocks / 4_000, "changes of polarity");
    counts.slipped.at_least(1, "slips");
    counts.read.at_least(clocks / 40, "words read");
}
