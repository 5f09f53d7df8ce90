//! DDMTD of `lag_meter` (chapter 20, 4.2; T11 of section 9): the model beside clocks whose edges are known exactly.

use flitforge_model::time::clocked::{LagDdmtd, LagEdges};
use flitforge_protocol::time_lag::{helper_period, COUNT_FRACTION_BITS};

/// Times are in 10^-6 fs.
const UNIT: i128 = 1_000_000;
const BILLION: i128 = 1_000_000_000;

/// Clocks of a run.
#[derive(Clone, Copy)]
struct Case {
    name: &'static str,
    core_fs: u64,
    word_fs: u64,
    ddmtd_k: u32,
    /// Deviations of core, word and helper clock from nominal, 10^-9.
    ppb: [i64; 3],
    static_log2: u32,
}

const CASE: Case =
    Case { name: "1/1", core_fs: 6_400_000, word_fs: 6_400_000, ddmtd_k: 7, ppb: [0; 3], static_log2: 24 };

/// Rising edges of a clock.
#[derive(Clone, Copy)]
struct Edges {
    period: i128,
    first: i128,
    next: i128,
    /// No edges from the first to the second.
    pause: (i128, i128),
}

impl Edges {
    fn new(fs: u64, ppb: i64, first: i128) -> Self {
        let period = i128::from(fs) * UNIT * BILLION / (BILLION + i128::from(ppb));
        Self { period, first, next: first, pause: (0, 0) }
    }

    /// Whether an edge is at `time`.
    fn rises(&mut self, time: i128) -> bool {
        if self.next != time {
            return false;
        }
        self.next += self.period;
        while self.pause.0 <= self.next && self.next < self.pause.1 {
            self.next += self.period;
        }
        true
    }

    /// Words with 12 fraction bits, modulo 2^16.
    fn line(&self, time: i128) -> u32 {
        let place = time - self.first + 100 * self.period;
        ((place << COUNT_FRACTION_BITS) / self.period) as u32 & 0x0FFF_FFFF
    }
}

/// A model and its three clocks.
struct World {
    core: Edges,
    word: Edges,
    helper: Edges,
    model: LagDdmtd,
}

impl World {
    fn new(case: &Case) -> Self {
        let helper_fs = helper_period(case.word_fs, case.ddmtd_k);
        Self {
            core: Edges::new(case.core_fs, case.ppb[0], 0),
            word: Edges::new(case.word_fs, case.ppb[1], 1_234_567_891_234),
            helper: Edges::new(helper_fs, case.ppb[2], 345_678_912_345),
            model: LagDdmtd::new(case.core_fs, case.word_fs, case.ddmtd_k, case.static_log2),
        }
    }

    /// All edges up to and with the next one of the core clock; its time.
    fn core_clock(&mut self, restart: bool) -> i128 {
        loop {
            let time = self.core.next.min(self.word.next).min(self.helper.next);
            let edges = LagEdges {
                core: self.core.rises(time),
                word: self.word.rises(time),
                helper: self.helper.rises(time),
            };
            self.model.clock(edges, restart);
            if edges.core {
                return time;
            }
        }
    }
}

/// Difference of two lines, 2^-12 word.
fn between(a: u32, b: u32) -> i32 {
    ((a.wrapping_sub(b) << 4) as i32) >> 4
}

/// What a run came to.
#[derive(Debug)]
struct Outcome {
    /// Smallest and largest difference from the exact line while valid, 2^-12 word.
    spread: (i32, i32),
    valid_after: Option<u64>,
    invalid_again: u64,
    slips: u64,
    fixed: bool,
    wraps: i128,
}

fn follow(case: &Case, clocks: u64) -> Outcome {
    let mut world = World::new(case);
    let mut outcome = Outcome {
        spread: (i32::MAX, i32::MIN),
        valid_after: None,
        invalid_again: 0,
        slips: 0,
        fixed: false,
        wraps: 0,
    };
    let mut time = 0;
    for clock in 0..clocks {
        time = world.core_clock(false);
        let out = world.model.outputs();
        outcome.fixed = out.fixed;
        // Before it is valid, slips are how a phase is found.
        outcome.slips += u64::from(out.slipped && outcome.valid_after.is_some());
        if out.ok {
            outcome.valid_after.get_or_insert(clock);
            let apart = between(out.line, world.word.line(time));
            outcome.spread = (outcome.spread.0.min(apart), outcome.spread.1.max(apart));
        } else if outcome.valid_after.is_some() {
            outcome.invalid_again += 1;
        }
    }
    outcome.wraps = time / world.word.period;
    outcome
}

fn is_deep() -> bool {
    std::env::var("FLITFORGE_COSIM").is_ok_and(|depth| depth != "quick")
}

/// Runs a case, and demands rule 4: the error is within +-T/128 of a constant.
fn within_a_128th(case: &Case, clocks: u64) -> Outcome {
    let outcome = follow(case, clocks);
    let clock = (case.core_fs << COUNT_FRACTION_BITS) as f64 / case.word_fs as f64;
    let half = (f64::from(outcome.spread.1) - f64::from(outcome.spread.0)) / 2.0;
    println!(
        "{}, K = {}, {:?} ppb: +-T/{:.0}, {} wraps, valid after {:?}, not for {}, fixed {}",
        case.name,
        case.ddmtd_k,
        case.ppb,
        clock / half,
        outcome.wraps,
        outcome.valid_after,
        outcome.invalid_again,
        outcome.fixed
    );
    if std::env::var("EXPLORE").is_err() {
        assert!(outcome.valid_after.is_some() && outcome.invalid_again == 0, "{}: {outcome:?}", case.name);
        assert!(half <= clock / 128.0, "{}: {outcome:?}", case.name);
    }
    outcome
}

/// Core and word clock periods near a ratio of small numbers, fs: what BEAT is refused at.
const RATIOS: [(&str, u64, u64); 4] = [
    ("1/1", 6_400_000, 6_400_000),
    ("1/2", 3_200_000, 6_400_000),
    ("2/3", 4_265_984, 6_398_976),
    ("3/2", 9_600_000, 6_400_000),
];

/// T11 of section 9: a million wraps (of ten million in the full form), without a word too many or too few, error within T/128. The
/// helper clock is off, too: of a third oscillator.
#[test]
fn the_line_is_within_a_128th_of_a_clock() {
    let clocks = if is_deep() { 20_000_000 } else { 2_100_000 };
    for (name, core_fs, word_fs) in RATIOS {
        for ppb in [[0, 200_000, -37_000], [0, -200_000, 37_000], [0, 1_000, -11_000]] {
            let outcome = within_a_128th(&Case { name, core_fs, word_fs, ppb, ..CASE }, clocks);
            assert!(outcome.wraps > 1_000_000 && outcome.slips == 0, "{name}: {outcome:?}");
        }
    }
}

/// Every DDMTD_K; the time of a static phase is short, which ends the search of [`an_unlucky_ratio_takes_a_million_clocks`] earlier.
#[test]
fn every_helper_clock_does() {
    let clocks = if is_deep() { 5_000_000 } else { 600_000 };
    for ddmtd_k in 6..=10 {
        for ppb in [[0, 200_000, -37_000], [0, -200_000, 200_000]] {
            within_a_128th(&Case { ddmtd_k, ppb, static_log2: 16, ..CASE }, clocks);
        }
    }
}

/// K = 7 and 400 ppm between word and helper clock: the phases seen stand still at 135 places within 2 ppm, and bounds leak faster than
/// that before they know the rate. It is valid late, and right.
#[test]
fn an_unlucky_ratio_takes_a_million_clocks() {
    let clocks = if is_deep() { 40_000_000 } else { 2_500_000 };
    let outcome = within_a_128th(&Case { ppb: [0, -200_000, 200_000], ..CASE }, clocks);
    assert!(outcome.valid_after < Some(2_000_000), "{outcome:?}");
}

/// The helper clock is made of core or word clock: static to it, and the other is followed.
#[test]
fn a_helper_clock_of_one_of_the_two_oscillators_does() {
    for ppb in [[0, 150_000, 0], [0, 150_000, 150_000]] {
        let case = Case { ppb, static_log2: 16, ..CASE };
        let outcome = within_a_128th(&case, 1_000_000);
        assert!(!outcome.fixed && outcome.valid_after > Some(1 << case.static_log2), "{outcome:?}");
    }
}

/// 4.2 rule 2: all clocks of one oscillator have no tags; the phase stands still.
#[test]
fn clocks_of_one_oscillator_are_static() {
    let case = Case { static_log2: 14, ..CASE };
    let before = follow(&case, 1 << 14);
    assert!(!before.fixed && before.valid_after.is_none());
    let after = within_a_128th(&case, 300_000);
    assert!(after.fixed);
}

/// A word clock or helper clock that stops is noticed, and found anew; so is a restart, and no clock counts before its tags.
#[test]
fn a_clock_that_stops_is_noticed() {
    for stops in ["word", "helper", "nothing"] {
        let case = Case { ddmtd_k: 8, ppb: [0, 200_000, -37_000], static_log2: 24, ..CASE };
        let mut world = World::new(&case);
        let at = |clock: i128| clock * world.core.period;
        let pause = (at(100_000), at(120_000));
        match stops {
            "word" => world.word.pause = pause,
            "helper" => world.helper.pause = pause,
            _ => {}
        }
        let (mut noticed, mut slips) = (None, 0);
        for clock in 0..260_000_u64 {
            world.core_clock(clock == 200_000 || stops == "nothing" && clock == 100_000);
            let out = world.model.outputs();
            // After power-on slips are how a phase is found.
            slips += u64::from(out.slipped && clock >= 99_999);
            assert!(!out.ok || clock > 3_000, "{stops}: valid at {clock}");
            if clock == 99_999 || clock == 199_999 {
                assert!(out.ok, "{stops}: not valid at {clock}");
            }
            if clock > 100_000 && !out.ok {
                noticed.get_or_insert(clock);
            }
            let dead = match stops {
                "word" => 102_300..120_000,
                "helper" => 100_130..120_000,
                _ => 100_001..103_000,
            };
            assert!(!out.ok || !dead.contains(&clock), "{stops}: valid at {clock}");
            assert!(!out.ok || !(200_001..203_000).contains(&clock), "{stops}: valid at {clock}");
        }
        println!("{stops}: noticed at {noticed:?}, {slips} slips");
        assert!(noticed.is_some() && world.model.outputs().ok, "{stops}");
        assert_eq!(slips > 0, stops != "nothing", "{stops}");
    }
}
