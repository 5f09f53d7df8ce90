//! The tracker of `lag_meter`: model against the exact phase, hardware against the model.

use crate::support::build;
use crate::time::support::expect_bits;
use flitforge_model::time::clocked::LagTracker;
use flitforge_protocol::time_lag::COUNT_FRACTION_BITS;
use flitforge_sim::kit::{rng, seed, StimulusFn};
use flitforge_sim::{Bench, CosimPlan, PortValues, SimError};
use flitforge_testkit::{depth, drive_all, is_full, Seen};
use rand::Rng;

/// Core clock, fs.
const CORE_FS: u64 = 6_400_000;
/// Words per 2^96 of a clock's phase: everything below is exact.
const PHASE_BITS: u32 = 96;

/// A word clock seen by the core clock.
#[derive(Clone, Copy)]
pub struct Case {
    name: &'static str,
    word_fs: u64,
    /// Deviation of the word clock, 10^-9.
    ppb: i64,
    /// Phase at the first edge, 1/1000 word.
    phase: u64,
    static_log2: u32,
}

/// The exact phase of a word clock at core clock edges.
struct Exact {
    phase: u128,
    rate: u128,
}

impl Exact {
    fn new(case: &Case) -> Self {
        let nominal = (1_u128 << PHASE_BITS) / u128::from(case.word_fs) * u128::from(CORE_FS);
        let part = (nominal / 1_000_000_000) as i128 * i128::from(case.ppb);
        let phase = (1 << PHASE_BITS) / 1000 * u128::from(case.phase);
        Self { phase, rate: nominal.wrapping_add_signed(part) }
    }

    /// The halved word clock at the next edge.
    fn sample(&mut self) -> bool {
        self.phase = self.phase.wrapping_add(self.rate);
        self.phase >> PHASE_BITS & 1 == 1
    }

    /// Words with 12 fraction bits, modulo 2^16.
    fn line(&self) -> u32 {
        (self.phase >> (PHASE_BITS - COUNT_FRACTION_BITS as u32)) as u32 & 0x0FFF_FFFF
    }

    fn words(&self) -> u128 {
        self.phase >> PHASE_BITS
    }
}

/// Difference of two lines, 2^-12 word.
fn between(a: u32, b: u32) -> i32 {
    ((a.wrapping_sub(b) << 4) as i32) >> 4
}

/// What a run of the model came to.
struct Outcome {
    /// Largest error while valid, 2^-12 word.
    worst: i32,
    /// Clocks until the phase was valid.
    valid_after: Option<u64>,
    invalid_again: u64,
    wraps: u128,
    fixed: bool,
}

/// Follows a word clock for some clocks; a count that jumps by a word is a failure.
fn follow(case: &Case, clocks: u64) -> Outcome {
    let mut exact = Exact::new(case);
    let mut tracker = LagTracker::new(CORE_FS, case.word_fs, case.static_log2);
    let start = exact.words();
    let mut outcome = Outcome { worst: 0, valid_after: None, invalid_again: 0, wraps: 0, fixed: false };
    let mut words_off = None;
    for clock in 0..clocks {
        // The line of this clock's outputs is that of the sample in the same clock.
        let sample = exact.sample();
        let out = tracker.outputs();
        outcome.fixed = out.fixed;
        if out.ok {
            outcome.valid_after.get_or_insert(clock);
            let apart = between(out.line, exact.line());
            let off = *words_off.get_or_insert((apart + 2048) >> 12 << 12);
            let error = ((apart - off) << 4) >> 4;
            outcome.worst = outcome.worst.max(error.abs());
        } else if outcome.valid_after.is_some() {
            outcome.invalid_again += 1;
        }
        assert!(!out.slipped || outcome.valid_after.is_none(), "{}: a slip at {clock}", case.name);
        tracker.clock(false, sample);
    }
    outcome.wraps = exact.words() - start;
    outcome
}

pub const CASES: [Case; 8] = [
    Case { name: "chapter", word_fs: 6_241_000, ppb: 200_000, phase: 377, static_log2: 24 },
    Case { name: "slow", word_fs: 6_241_000, ppb: -200_000, phase: 1400, static_log2: 24 },
    Case { name: "nominal", word_fs: 6_241_000, ppb: 0, phase: 930, static_log2: 24 },
    Case { name: "25/26 and 37 ppm", word_fs: 6_656_000, ppb: 37_300, phase: 1020, static_log2: 24 },
    Case { name: "33/32 and 1 ppm", word_fs: 6_206_061, ppb: 1_000, phase: 1999, static_log2: 24 },
    Case { name: "4/7 and -10 ppm", word_fs: 11_200_000, ppb: -10_000, phase: 10, static_log2: 24 },
    Case { name: "1.0015", word_fs: 6_390_414, ppb: -37_300, phase: 930, static_log2: 24 },
    Case { name: "2.2 and 200 ppm", word_fs: 2_909_091, ppb: 200_000, phase: 500, static_log2: 24 },
];

/// T11 of section 9: a million wraps of the phase without a word too many or too few, the error within T/128.
#[test]
fn the_line_is_within_a_128th_of_a_clock() {
    let deep = is_full();
    for case in &CASES {
        let outcome = follow(case, if deep { 40_000_000 } else { 2_500_000 });
        // T/128 in words is CORE / word / 128.
        let bound = (CORE_FS << COUNT_FRACTION_BITS) as f64 / (case.word_fs as f64 * 128.0);
        let Outcome { worst, valid_after, invalid_again, wraps, .. } = outcome;
        println!(
            "{}: {wraps} wraps, worst T/{:.0}, valid after {valid_after:?}, not for {invalid_again}",
            case.name,
            128.0 * bound / f64::from(worst)
        );
        assert!(wraps > 1_000_000, "{}: {wraps}", case.name);
        assert!(f64::from(worst) <= bound, "{}: {worst} above {bound}", case.name);
        assert!(valid_after.is_some() && invalid_again == 0, "{}", case.name);
    }
}

/// 4.2 rule 2: clocks of one oscillator have no tags; the phase stands still.
#[test]
fn clocks_of_one_oscillator_are_static() {
    let case = Case { name: "25/26", word_fs: 6_656_000, ppb: 0, phase: 123, static_log2: 14 };
    let before = follow(&case, (1 << 14) - 1);
    assert!(!before.fixed && before.valid_after.is_none());
    let after = follow(&case, 200_000);
    assert!(after.fixed && after.invalid_again == 0);
    // The constant error is less than the distance of the phases that are seen, and it does not change.
    assert!(after.worst <= 4096 / 26, "{}", after.worst);
}

/// Without a word clock nothing is valid; when it comes back, what it was is found anew.
#[test]
fn a_clock_that_stops_is_noticed() {
    let case = CASES[0];
    let mut exact = Exact::new(&case);
    let mut tracker = LagTracker::new(CORE_FS, case.word_fs, 24);
    let mut noticed = None;
    for clock in 0..120_000_u64 {
        let sample = exact.sample() && !(40_000..60_000).contains(&clock);
        let ok = tracker.outputs().ok;
        if clock == 40_000 {
            assert!(ok);
        }
        if clock > 40_000 && !ok {
            noticed.get_or_insert(clock);
        }
        assert!(!ok || !(42_100..60_000).contains(&clock), "valid at {clock}");
        tracker.clock(false, sample);
    }
    assert!(noticed.is_some_and(|clock| clock < 42_100), "{noticed:?}");
    assert!(tracker.outputs().ok);
}

fn stimulus(case: Case) -> impl FnMut(u64, &mut dyn Bench) -> Result<(), SimError> {
    let mut random = rng(seed(0x1A67), case.name);
    let mut exact = Exact::new(&case);
    let mut noise = 0_u32;
    move |_, bench| {
        // Now and then another phase or a stretch of wrong samples: slips, and tags that are off.
        if random.random_bool(0.00002) {
            exact.phase = exact.phase.wrapping_add(u128::from(random.random::<u64>()) << 33);
        }
        if random.random_bool(0.00003) {
            noise = random.random_range(1..40);
        }
        noise = noise.saturating_sub(1);
        let sample = exact.sample() ^ (noise > 0 && random.random());
        drive_all(bench, &[("sample", sample.into()), ("restart", random.random_bool(0.00003).into())])
    }
}

fn model(case: Case, seen: Seen) -> impl FnMut(&PortValues, &mut PortValues) -> Result<(), SimError> {
    let mut tracker = LagTracker::new(CORE_FS, case.word_fs, case.static_log2);
    move |inputs, outputs| {
        let out = tracker.outputs();
        outputs.set_u64("line", out.line.into())?;
        expect_bits(outputs, &[("ok", out.ok), ("fixed", out.fixed), ("slipped", out.slipped)], &seen)?;
        tracker.clock(inputs.bit("restart")?, inputs.bit("sample")?);
        Ok(())
    }
}

/// Co-simulation of a tracker with its model.
pub fn plan(case: Case, clocks: u64, seen: &Seen) -> CosimPlan<'static> {
    let settings = [("word_fs", case.word_fs), ("static_log2", case.static_log2.into())];
    let make = move || build("lag_tracker", &settings).block;
    let name = format!("lag_tracker_{}", case.word_fs);
    let plan = CosimPlan::new(&name, seed(0x1A67), make, move |testbench, _| {
        testbench.add(StimulusFn(stimulus(case)));
        Ok(())
    });
    plan.clocks(clocks)
        .stock_limit(1_000, "a quick run: rust-hdl itself is slow")
        .model(model(case, seen.clone()))
}

#[test]
fn tracker_is_its_model_whatever_it_samples() {
    let depth = depth();
    let seen = Seen::default();
    let fixed = Case { name: "static", word_fs: 6_656_000, ppb: 0, phase: 1, static_log2: 13 };
    for case in [CASES[0], CASES[5], CASES[7], fixed] {
        plan(case, 150_000, &seen).to_depth(depth).run().expect("equal");
    }
    seen.require_all();
}
