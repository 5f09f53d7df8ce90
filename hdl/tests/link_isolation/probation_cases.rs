//! BenchBlock cases of `link_probation`: what is never clean, debts exact to the LTP, what adds to them and what is forgotten.

use flitforge_hdl::link::probation::{LinkProbation, PrbsCheck, ProbationConfig};
use flitforge_model::Scrambler;
use flitforge_protocol::lane_word::{ControlWordKind, COMMA, MAX_LANES};
use flitforge_protocol::link::LinkState;
use flitforge_testkit::{BenchBlock, Clocked};

const CTL: u64 = 1 << 32;
const CODE_ERR: u64 = 1 << 33;
const ALN: u64 = CTL | COMMA as u64 | (ControlWordKind::Aln.code() as u64) << 8;
/// What a lane owes at TH 0, and what a bad LTP time costs, from the chapter.
const WINDOW: u64 = 1024;
const CHARGE: u64 = 16;

/// A block whose lanes all carry their PRBS, and what is to be different.
struct Lanes {
    bench: BenchBlock,
    streams: Vec<Scrambler>,
    /// Lanes that nothing comes on.
    dead: u64,
}

impl Lanes {
    /// Active on the lanes `used`, all being allowed, after Active on all of them.
    fn without(used: u64) -> Self {
        let mut lanes = Self::new();
        lanes.active(0xF);
        lanes.active(used);
        lanes
    }

    fn new() -> Self {
        let mut bench = BenchBlock::new("link_probation", LinkProbation::<4>::new().expect("valid"));
        bench.set("enabled", 1).set("threshold", 0).set("safe", 0).set("allowed", 0xF);
        (0..MAX_LANES).for_each(|lane| {
            bench.set(&format!("source[{lane}]"), lane as u64);
        });
        let streams = (0..MAX_LANES).map(|lane| Scrambler::new(lane).expect("a lane")).collect();
        Lanes { bench, streams, dead: 0 }
    }

    fn state(&mut self, state: LinkState) {
        self.bench.set("state", state.code().into());
        (0..10).for_each(|_| self.clock());
    }

    /// Retraining, then Active on the lanes `used`.
    fn active(&mut self, used: u64) {
        self.state(LinkState::Retraining);
        self.bench.set("rx_lanes", used);
        (0..10).for_each(|_| self.clock());
        self.state(LinkState::Active);
    }

    fn put(&mut self, lane: usize, word: Option<u64>) {
        self.bench.set(&format!("lanes[{lane}].valid"), u64::from(word.is_some()));
        self.bench.set(&format!("lanes[{lane}].data"), word.unwrap_or(0));
    }

    fn clock(&mut self) {
        for lane in 0..MAX_LANES {
            let word = u64::from(self.streams[lane].next_word());
            self.put(lane, (self.dead >> lane & 1 == 0).then_some(word));
        }
        self.bench.clock();
    }

    /// One LTP time of 16 clocks; the lanes that come back by it.
    fn ltp(&mut self) -> u64 {
        self.bench.set("ltp", 1);
        self.clock();
        self.bench.set("ltp", 0);
        let mut back = 0;
        for _ in 1..16 {
            if self.bench.get("retrain") == 1 {
                assert_eq!(back, 0, "it is asked for once");
                back = self.bench.get("returned");
            }
            self.clock();
        }
        back
    }

    /// LTP times until a lane comes back, and which; `None` if none does in so many.
    fn back(&mut self, limit: u64) -> Option<(u64, u64)> {
        (1..=limit).find_map(|time| Some((time, self.ltp())).filter(|(_, back)| *back != 0))
    }
}

#[test]
fn the_numbers_of_lanes_that_there_are_not_are_refused() {
    for lanes in [0, 5] {
        let error = ProbationConfig { lanes }.check().expect_err("1 to 4");
        assert!(error.to_string().contains("1 to 4"), "{error}");
    }
    assert!(LinkProbation::<0>::new().is_err() && LinkProbation::<5>::new().is_err());
}

/// TH 0: 1,024 LTPs. The first LTP time is never clean.
#[test]
fn debts_are_exact_on_every_number_of_lanes() {
    for (used, threshold) in [(0b1011, 0), (0b0110, 0), (0b1000, 1)] {
        let mut lanes = Lanes::without(used);
        lanes.bench.set("threshold", threshold);
        let ltps = WINDOW << threshold;
        assert_eq!(lanes.back(3_000), Some((ltps + 1, 0xF & !used)), "{used:04b}");
        assert_eq!(lanes.bench.get("returned"), 0xF & !used, "until the state is another");
        assert_eq!(lanes.back(ltps + 5), None, "they are asked for once");
        lanes.state(LinkState::Retraining);
        assert_eq!(lanes.bench.get("returned"), 0);
    }
}

#[test]
fn what_is_bad_adds_a_64th() {
    type Fault = fn(&mut Lanes);
    let faults: [(&str, Fault); 7] = [
        ("a wrong bit in the last word", |lanes| {
            let word = u64::from(lanes.streams[3].next_word());
            lanes.put(3, Some(word ^ 1));
            lanes.bench.clock();
        }),
        ("a word that is missing", |lanes| {
            lanes.streams[3].next_word();
        }),
        ("a word too many", |lanes| {
            lanes.bench.clock();
        }),
        ("a word that the PHY marked", |lanes| {
            let word = u64::from(lanes.streams[3].next_word());
            lanes.put(3, Some(word | CODE_ERR));
            lanes.bench.clock();
        }),
        ("a control word", |lanes| {
            lanes.put(3, Some(CTL | 0x12BC));
            lanes.bench.clock();
        }),
        ("an ALN word that the PHY marked", |lanes| {
            lanes.put(3, Some(ALN | CODE_ERR));
            lanes.bench.clock();
        }),
        ("Retraining", |lanes| lanes.active(0b0001)),
    ];
    for (what, fault) in faults {
        let mut lanes = Lanes::without(0b0001);
        lanes.bench.set("allowed", 0b1001);
        lanes.active(0b0001);
        assert_eq!(lanes.back(WINDOW), None, "{what}");
        fault(&mut lanes);
        let (ltps, back) = lanes.back(2 * WINDOW).unwrap_or_else(|| panic!("{what}: nothing came back"));
        // One LTP time was missing. That of the fault is not clean, nor is one that it reaches into.
        assert!(
            [1, 2].map(|bad| 1 + bad * (CHARGE + 1)).contains(&ltps) && back == 0b1000,
            "{what}: {back:04b} after {ltps}"
        );
    }
}

#[test]
fn an_ltp_time_without_a_word_is_not_clean() {
    let mut lanes = Lanes::without(0b0001);
    lanes.bench.set("allowed", 0b1001);
    lanes.active(0b0001);
    assert_eq!(lanes.back(WINDOW - 1), None);
    let stream = lanes.streams[3];
    lanes.dead = 0b1000;
    assert_eq!((lanes.ltp(), lanes.ltp()), (0, 0), "the second one would have been the last");
    // It goes on where it stopped, so no word is wrong. The word that comes with a pulse belongs to the time that it ends.
    (lanes.dead, lanes.streams[3]) = (0, stream);
    assert_eq!(lanes.back(2 * WINDOW), Some((CHARGE + 1, 0b1000)));
}

#[test]
fn aln_words_are_overlooked() {
    let mut lanes = Lanes::without(0b0001);
    for time in 1..=WINDOW {
        assert_eq!(lanes.ltp(), 0, "{time}");
        for lane in 0..MAX_LANES {
            lanes.put(lane, Some(ALN | time << 16));
        }
        lanes.bench.clock();
    }
    assert_eq!(lanes.ltp(), 0b1110);
}

#[test]
fn a_line_that_stands_still_and_training_sets_are_never_good() {
    let mut bench = BenchBlock::new("prbs_check", PrbsCheck::new().expect("valid"));
    bench.set("lane.valid", 1);
    for stuck in [0, 0xFFFF_FFFF, 0x0F1E_2D3C, 0xAAAA_AAAA, 0x5555_5555, 0x1FF] {
        bench.set("lane.data", stuck);
        for clock in 0..100 {
            bench.clock();
            let evaluated = bench.get("received") == 1;
            assert_eq!(evaluated, clock > 0 || stuck != 0, "two clocks behind the first word");
            assert_eq!(bench.get("bad"), u64::from(evaluated), "{stuck:#x}");
        }
    }
}

#[test]
fn every_further_removal_doubles_the_debt_up_to_64_times_and_restore_forgets() {
    let mut lanes = Lanes::new();
    lanes.bench.set("allowed", 0b0011);
    lanes.active(0b0011);
    for factor in [1, 2, 4, 8, 16, 32, 64, 64] {
        // What is not asked for is not lost again.
        lanes.active(0b0001);
        lanes.active(0b0001);
        assert_eq!(lanes.back(65 * WINDOW), Some((factor * WINDOW + 1, 0b0010)), "{factor} times");
    }
    lanes.bench.set("restore", 1);
    lanes.clock();
    lanes.bench.set("restore", 0);
    assert_eq!(lanes.back(2 * WINDOW), None, "all lanes are tried anyway");
    lanes.active(0b0011);
    lanes.active(0b0001);
    assert_eq!(lanes.back(2 * WINDOW), Some((WINDOW + 1, 0b0010)), "the first time again");
    lanes.active(0b0001);
    assert_eq!(lanes.back(3 * WINDOW), Some((2 * WINDOW + 1, 0b0010)), "it was asked for and did not lock");
    lanes.state(LinkState::Down);
    lanes.active(0b0001);
    assert_eq!(lanes.back(2 * WINDOW), Some((WINDOW + 1, 0b0010)), "Down forgets, too");
}

#[test]
fn safe_charges_a_bad_ltp_time_as_it_does_a_verdict() {
    let mut lanes = Lanes::without(0b0001);
    lanes.bench.set("allowed", 0b1001).set("safe", 1);
    lanes.active(0b0001);
    assert_eq!(lanes.back(WINDOW), None);
    lanes.bench.clock(); // a word too many
    let (ltps, back) = lanes.back(2 * WINDOW).expect("it comes back");
    // One LTP time was missing; SAFE 1 adds 256, for one or two LTP times.
    assert!([1, 2].map(|bad| 1 + bad * 257).contains(&ltps) && back == 0b1000, "{back:04b} after {ltps}");
}

#[test]
fn clear_in_mid_count_forgets_all() {
    let mut lanes = Lanes::without(0b0001);
    assert_eq!(lanes.back(WINDOW), None);
    // The visit that would be the last is on its way.
    lanes.bench.set("ltp", 1);
    lanes.clock();
    lanes.bench.set("ltp", 0);
    (0..5).for_each(|_| lanes.clock());
    lanes.bench.set("clear", 1);
    lanes.clock();
    lanes.bench.set("clear", 0);
    assert_eq!(lanes.back(2 * WINDOW), None);
    assert_eq!(lanes.bench.get("returned"), 0);
    lanes.active(0b0001);
    assert_eq!(lanes.back(2 * WINDOW), Some((WINDOW + 1, 0b1110)));
}

#[test]
fn lanes_that_are_not_allowed_and_all_while_disabled_stay_out() {
    let mut lanes = Lanes::without(0b0001);
    lanes.bench.set("allowed", 0b0101);
    lanes.active(0b0001);
    lanes.bench.set("enabled", 0);
    assert_eq!(lanes.back(2 * WINDOW), None, "disabled");
    lanes.bench.set("enabled", 1);
    assert_eq!(lanes.back(2), Some((1, 0b0100)), "what is due comes at once; lanes 1 and 3 are not allowed");
}

#[test]
fn lanes_come_in_where_they_were_seen_and_unseen_ones_where_nobody_else_does() {
    // Lane 1 comes in at input 0 and is used; 0 at 3; 2 and 3 were never seen. Inputs 1 and 2 are left.
    let mut lanes = Lanes::new();
    for (lane, source) in [3, 0, 0, 0].into_iter().enumerate() {
        lanes.bench.set(&format!("source[{lane}]"), source);
    }
    for (dead, back) in [(0b0111, 0b0001), (0b1101, 0b0100), (0b1011, 0b1000)] {
        lanes.dead = dead;
        lanes.active(0b0010);
        assert_eq!(lanes.back(2 * WINDOW), Some((WINDOW + 1, back)), "inputs without words: {dead:04b}");
        lanes.state(LinkState::Down);
    }
}

#[test]
fn allowed_lanes_that_are_not_sent_on_carry_prbs_in_active_and_degraded_only() {
    let mut lanes = Lanes::new();
    lanes.bench.set("allowed", 0b0111).set("tx_lanes", 0b0101);
    for state in LinkState::ALL {
        lanes.state(*state);
        let up = matches!(state, LinkState::Active | LinkState::Degraded);
        assert_eq!(lanes.bench.get("probe"), if up { 0b0010 } else { 0 }, "{state:?}");
    }
}
