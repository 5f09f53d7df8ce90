//! `link_probation` against the golden model, exact to the LTP.

use crate::link_isolation::STOCK_CLOCKS;
use flitforge_hdl::link::probation::{LinkProbation, PrbsCheck as Block};
use flitforge_model::prbs::PrbsCheck;
use flitforge_model::probation::Probation;
use flitforge_model::Scrambler;
use flitforge_protocol::lane_word::{ControlWordKind, COMMA, MAX_LANES};
use flitforge_protocol::link::LinkState;
use flitforge_sim::kit::{rng, seed, Rng, StimulusFn};
use flitforge_sim::model::PortValues;
use flitforge_sim::{Bench, CosimPlan, SimError};
use flitforge_testkit::{deep, Seen};
use rand::Rng as _;
use std::collections::VecDeque;

/// Clocks between two LTPs at least, as the block asks for.
const SPACING: u64 = 8;
/// Clocks from `ltp` to the end of the visits: 2 for the last word, 8 for the lanes, 1 for what they gave.
const VISITS: u64 = 11;
/// Clocks from the first lane's visit to that end.
const FIRST_VISIT: u64 = 7;
const CTL: u64 = 1 << 32;
const CODE_ERR: u64 = 1 << 33;
const ALN: u64 = CTL | COMMA as u64 | (ControlWordKind::Aln.code() as u64) << 8;

/// The first episodes: clocks, lanes that are allowed, input without words, and whether CTRL.restore comes before. One lane is used; a
/// debt of TH 0 takes less than 11,000 clocks.
const SCRIPT: [(u64, u64, Option<usize>, bool); 6] = [
    (11_000, 0xF, None, false),
    (11_000, 0xF, None, false),
    (22_000, 0xF, None, false),
    (11_000, 0xF, None, true),
    (11_000, 0b0011, None, false),
    (11_000, 0xF, Some(2), false),
];

fn is_up(state: u64) -> bool {
    [LinkState::Active, LinkState::Degraded].iter().any(|up| state == u64::from(up.code()))
}

/// A lane's words: mostly its PRBS, now and then something else.
struct Line {
    stream: Scrambler,
    quiet: u64,
    /// It stands still, or nothing comes at all.
    stuck: Option<Option<u64>>,
    /// Its ALN words are marked.
    marked: bool,
}

/// Episodes of being up, on lanes of all kinds; between them Retraining, at times Down, and other lanes; the configuration changes with a clear.
struct Stimulus {
    random: Rng,
    lines: Vec<Line>,
    up: bool,
    left: u64,
    wait: u64,
    noise: f64,
    state: u64,
    sources: [u64; MAX_LANES],
    episode: usize,
    held: [(&'static str, u64); 6],
}

impl Stimulus {
    fn new(name: &str) -> Self {
        let line = |lane| Line {
            stream: Scrambler::new(lane).expect("a lane"),
            quiet: 0,
            stuck: None,
            marked: false,
        };
        Stimulus {
            random: rng(seed(0x10_E8), name),
            lines: (0..MAX_LANES).map(line).collect(),
            up: false,
            left: 20,
            wait: 0,
            noise: 0.0,
            state: 0,
            sources: [0, 1, 2, 3],
            episode: 0,
            held: [
                ("enabled", 1),
                ("threshold", 0),
                ("allowed", 0xF),
                ("rx_lanes", 1),
                ("tx_lanes", 0),
                ("safe", 0),
            ],
        }
    }

    /// Down or Retraining, or up again.
    fn turn(&mut self) {
        let random = &mut self.random;
        self.up = !self.up;
        if !self.up {
            self.left = random.random_range(15..30);
            let state = if random.random_bool(0.03) { LinkState::Down } else { LinkState::Retraining };
            self.state = state.code().into();
        } else {
            self.episode += 1;
            self.left = [60, 3_000, 11_000, 11_000, 22_000][random.random_range(0..5)];
            self.noise = [0.0, 0.0, 0.0, 0.000_05, 0.002][random.random_range(0..5)];
            let state = if random.random_bool(0.5) { LinkState::Active } else { LinkState::Degraded };
            self.state = state.code().into();
        }
        if let Some((clocks, ..)) = SCRIPT.get(self.episode.wrapping_sub(1)).filter(|_| self.up) {
            (self.left, self.noise) = (*clocks, 0.0);
        } else if self.episode < SCRIPT.len() {
            self.state = LinkState::Retraining.code().into();
        }
    }

    /// Training has agreed on other lanes.
    fn agree(&mut self) {
        if let Some((_, allowed, dead, _)) = SCRIPT.get(self.episode) {
            self.held[2].1 = *allowed;
            for (lane, line) in self.lines.iter_mut().enumerate() {
                line.stuck = (*dead == Some(lane)).then_some(None);
            }
            return;
        }
        let random = &mut self.random;
        for line in &mut self.lines {
            let kind = random.random_range(0..12);
            line.stuck = [None, Some(0)].get(kind).copied();
            line.marked = kind == 2;
        }
        // The same again, so that lanes are lost again.
        if random.random_bool(0.5) {
            return;
        }
        let used = [1 << random.random_range(0..2), random.random_range(1..16u64)]
            [usize::from(random.random_bool(0.2))];
        self.held[2].1 = if random.random_bool(0.6) { 0xF } else { random.random_range(1..16) };
        (self.held[3].1, self.held[4].1) = (used, random.random_range(0..16));
        let turn = random.random_range(0..MAX_LANES as u64);
        self.sources = std::array::from_fn(|lane| (lane as u64 + turn) % MAX_LANES as u64);
        for lane in 0..MAX_LANES {
            // Not seen.
            if used >> lane & 1 == 0 && random.random_bool(0.15) {
                self.sources[lane] = 0;
            }
        }
    }

    fn word(&mut self, lane: usize) -> Option<u64> {
        let (random, line) = (&mut self.random, &mut self.lines[lane]);
        if random.random_bool(self.noise / 10.0) {
            line.quiet = random.random_range(1..40);
        }
        line.quiet = line.quiet.saturating_sub(1);
        if line.quiet > 0 || random.random_bool(0.1) {
            return None;
        }
        if let Some(word) = line.stuck {
            return word;
        }
        if random.random_bool(0.01) {
            let mark = if line.marked { CODE_ERR } else { 0 };
            return Some(ALN | mark | random.random_range(0..0x1_0000) << 16);
        }
        let mut word = u64::from(line.stream.next_word());
        if random.random_bool(self.noise) {
            word = match random.random_range(0..7) {
                0 => word | CODE_ERR,
                1 => word | CTL,
                2 => 0,
                3 => word & 0x1FF,
                4 => ALN | CODE_ERR,
                _ => word ^ 1 << random.random_range(0..32),
            };
        }
        Some(word)
    }

    fn clock(&mut self, bench: &mut dyn Bench, first: bool) -> Result<(), SimError> {
        let scripted = SCRIPT.get(self.episode);
        // The last of them is over when its clocks are.
        let in_script = self.episode < SCRIPT.len() + usize::from(self.up);
        let clear = first || !in_script && self.random.random_bool(0.000_02);
        let restore = match scripted {
            Some((.., restore)) => *restore && !self.up && self.left == 10,
            None if in_script => false,
            None => self.random.random_bool(if self.up { 0.000_02 } else { 0.002 }),
        };
        if clear {
            self.held[0].1 = u64::from(first || self.random.random_bool(0.8));
            self.held[1].1 = u64::from(!first && self.random.random_bool(0.1));
            self.held[5].1 =
                self.random.random_range(0..8) * u64::from(!first && self.random.random_bool(0.3));
        }
        self.left -= 1;
        if self.left == 0 {
            self.turn();
        }
        if !self.up && self.left == 12 {
            self.agree();
        }
        let ltp = self.wait == 0;
        if ltp {
            self.wait = if self.random.random_bool(0.95) { SPACING } else { self.random.random_range(8..40) };
        }
        self.wait -= 1;
        let mut values: Vec<(String, u64)> = self.held.map(|(path, value)| (path.to_string(), value)).into();
        for (path, value) in [("clear", u64::from(clear)), ("restore", u64::from(restore))] {
            values.push((path.to_string(), value));
        }
        values.extend([("ltp".to_string(), u64::from(ltp)), ("state".to_string(), self.state)]);
        for lane in 0..MAX_LANES {
            let word = self.word(lane);
            values.push((format!("lanes[{lane}].valid"), u64::from(word.is_some())));
            values.push((format!("lanes[{lane}].data"), word.unwrap_or(0)));
            values.push((format!("source[{lane}]"), self.sources[lane]));
        }
        for (path, value) in values {
            let port = bench.port(&path)?;
            bench.set_u64(port, value);
        }
        Ok(())
    }
}

/// The golden model, one clock at a time.
struct Model {
    probation: Probation,
    checks: [PrbsCheck; MAX_LANES],
    seen_word: [bool; MAX_LANES],
    failed: [bool; MAX_LANES],
    was_up: bool,
    /// LTP times that are over, with the clock of their verdict and the good lanes.
    ltps: VecDeque<(u64, u8)>,
    clock: u64,
    probe: u64,
    returned: u8,
    retrain: bool,
    seen: Seen,
}

/// The input of each of the sender's lanes: as it was seen in training, if no other lane comes in there.
fn inputs_of(sources: [usize; MAX_LANES], used: u64) -> [usize; MAX_LANES] {
    let mut taken: Vec<usize> =
        (0..MAX_LANES).filter(|lane| used >> lane & 1 == 1).map(|l| sources[l]).collect();
    std::array::from_fn(|lane| {
        if used >> lane & 1 == 1 {
            return sources[lane];
        }
        let left = |taken: &[usize]| (0..MAX_LANES).find(|input| !taken.contains(input));
        let input =
            if taken.contains(&sources[lane]) { left(&taken).unwrap_or_default() } else { sources[lane] };
        taken.push(input);
        input
    })
}

/// Is a word good? `None` if it is ALN.
fn judge(check: &mut PrbsCheck, word: u64) -> Option<bool> {
    match word & (CTL | CODE_ERR) {
        CTL if word & 0xFFFF == ALN & 0xFFFF => None,
        0 => Some(check.word(word as u32)),
        _ => {
            check.restart();
            Some(false)
        }
    }
}

impl Model {
    fn word(&mut self, lane: usize, word: u64) {
        let Some(good) = judge(&mut self.checks[lane], word) else { return };
        self.seen_word[lane] = true;
        self.failed[lane] |= !good;
        self.seen.add("bad word", u64::from(!good));
    }

    /// The lanes, by the sender's numbers, without a bad word since the last LTP time.
    fn good(&mut self, sources: [usize; MAX_LANES], used: u64) -> u8 {
        let inputs = inputs_of(sources, used);
        let clean = |input: usize| self.seen_word[input] && !self.failed[input];
        let good = (0..MAX_LANES).filter(|lane| clean(inputs[*lane])).fold(0, |good, lane| good | 1 << lane);
        (self.seen_word, self.failed) = Default::default();
        good
    }

    fn step(&mut self, inputs: &PortValues, outputs: &mut PortValues) -> Result<(), SimError> {
        outputs.set_u64("probe", self.probe)?;
        outputs.set_u64("returned", self.returned.into())?;
        outputs.set_bit("retrain", self.retrain)?;
        let (state, clear) = (inputs.u64("state")?, inputs.bit("clear")?);
        let (used, allowed) = (inputs.u64("rx_lanes")?, inputs.u64("allowed")?);
        let up = is_up(state);
        let forgets = clear || inputs.bit("restore")? || state == 0;
        self.probe = if up { allowed & !inputs.u64("tx_lanes")? } else { 0 };
        self.retrain = false;
        if self.was_up {
            for lane in 0..MAX_LANES {
                if inputs.bit(&format!("lanes[{lane}].valid"))? {
                    self.word(lane, inputs.u64(&format!("lanes[{lane}].data"))?);
                }
            }
        } else {
            self.checks = Default::default();
            (self.seen_word, self.failed) = ([false; MAX_LANES], [true; MAX_LANES]);
        }
        if forgets || !self.was_up {
            self.seen.add("flushed", u64::from(!self.ltps.is_empty()));
            // Lanes that have been visited by now have had their LTP time.
            for (end, good) in std::mem::take(&mut self.ltps) {
                let visited =
                    (0..MAX_LANES).filter(|lane| end - FIRST_VISIT + 2 * *lane as u64 <= self.clock);
                visited.for_each(|lane| self.probation.work_off(lane, good >> lane & 1 == 1));
            }
            self.returned = 0;
        } else {
            self.ltp(inputs, used)?;
        }
        if forgets {
            self.probation.forget();
        } else if up && !self.was_up {
            self.probation.start(used as u8, allowed as u8);
        }
        if clear {
            let [threshold, safe] = [inputs.u64("threshold")? as u8, inputs.u64("safe")? as u8];
            self.probation = Probation::new(inputs.bit("enabled")?, threshold, safe);
        }
        self.was_up = up;
        self.clock += 1;
        Ok(())
    }

    fn ltp(&mut self, inputs: &PortValues, used: u64) -> Result<(), SimError> {
        if inputs.bit("ltp")? {
            let mut sources = [0; MAX_LANES];
            for (lane, source) in sources.iter_mut().enumerate() {
                *source = inputs.u64(&format!("source[{lane}]"))? as usize;
            }
            let good = self.good(sources, used);
            self.ltps.push_back((self.clock + VISITS, good));
        }
        if let Some((_, good)) = self.ltps.front().copied().filter(|(clock, _)| *clock == self.clock) {
            self.ltps.pop_front();
            let debts: Vec<u32> = (0..MAX_LANES).map(|lane| self.probation.first_debt(lane)).collect();
            let least = debts.iter().min().copied().unwrap_or_default();
            let doubled: Vec<usize> = (0..MAX_LANES).filter(|lane| debts[*lane] > least).collect();
            let back = self.probation.ltp_time(good);
            self.seen.add("returned", back.count_ones().into());
            self.seen.add("several", u64::from(back.count_ones() > 1));
            self.seen.add("doubled", u64::from(doubled.iter().any(|lane| back >> lane & 1 == 1)));
            self.returned |= back;
            self.retrain = back != 0;
        }
        Ok(())
    }
}

pub fn plan(name: &str, seen: Seen) -> CosimPlan<'static> {
    let mut stimulus = Stimulus::new(name);
    let mut model = Model {
        probation: Probation::new(false, 0, 0),
        checks: Default::default(),
        seen_word: Default::default(),
        failed: [true; MAX_LANES],
        was_up: false,
        ltps: VecDeque::new(),
        clock: 0,
        probe: 0,
        returned: 0,
        retrain: false,
        seen,
    };
    CosimPlan::new(
        name,
        seed(0x10_E8),
        || Box::new(LinkProbation::<4>::new().expect("valid")),
        move |testbench, _| {
            testbench
                .add(StimulusFn(move |clock: u64, bench: &mut dyn Bench| stimulus.clock(bench, clock == 0)));
            Ok(())
        },
    )
    .model(move |inputs: &PortValues, outputs: &mut PortValues| model.step(inputs, outputs))
}

#[test]
fn probation_is_equal_everywhere() {
    let seen = Seen::default();
    deep(plan("link_probation_random", seen.clone()), 200_000, STOCK_CLOCKS).run().expect("equal");
    seen.require_each(&["bad word", "flushed", "returned", "several", "doubled"]);
}

/// The check of one lane: its PRBS with all that can be wrong, one word in thirty.
pub fn plan_check(name: &str, seen: Seen) -> CosimPlan<'static> {
    let mut random = rng(seed(0x10_E9), name);
    let mut stream = Scrambler::new(1).expect("a lane");
    let mut still = 0u32;
    let stimulus = move |_: u64, bench: &mut dyn Bench| {
        let mut word = u64::from(stream.next_word());
        // A line that stands still at 0, for some words.
        still = if still > 0 { still - 1 } else { u32::from(random.random_bool(0.005)) * 6 };
        if still > 0 {
            word = 0;
        } else if random.random_bool(1.0 / 30.0) {
            word = [
                word | CODE_ERR,
                word | CTL,
                0,
                word & 0x1FF,
                ALN,
                ALN | CODE_ERR,
                word ^ 1 << random.random_range(0..32),
            ][random.random_range(0..7)];
        }
        let values = [
            ("restart", u64::from(random.random_bool(0.005))),
            ("lane.valid", u64::from(random.random_bool(0.97))),
            ("lane.data", word),
        ];
        for (path, value) in values {
            let port = bench.port(path)?;
            bench.set_u64(port, value);
        }
        Ok(())
    };
    let mut check = PrbsCheck::default();
    let mut verdicts = [None; 2];
    CosimPlan::new(
        name,
        seed(0x10_E9),
        || Box::new(Block::new().expect("valid")),
        move |testbench, _| {
            testbench.add(StimulusFn(stimulus));
            Ok(())
        },
    )
    .model(move |inputs: &PortValues, outputs: &mut PortValues| {
        outputs.set_bit("received", verdicts[1].is_some())?;
        outputs.set_bit("bad", verdicts[1] == Some(false))?;
        let word = if inputs.bit("lane.valid")? { Some(inputs.u64("lane.data")?) } else { None };
        verdicts = [word.and_then(|word| judge(&mut check, word)), verdicts[0]];
        if inputs.bit("restart")? {
            check.restart();
            verdicts = [None; 2];
        }
        seen.add("good", u64::from(verdicts[0] == Some(true)));
        seen.add("bad", u64::from(verdicts[0] == Some(false)));
        Ok(())
    })
}

#[test]
fn the_check_of_a_lane_is_equal_everywhere() {
    let seen = Seen::default();
    deep(plan_check("prbs_check_random", seen.clone()), 50_000, STOCK_CLOCKS).run().expect("equal");
    seen.require_each(&["good", "bad"]);
}
