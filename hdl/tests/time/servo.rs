//! `time_servo`.

use crate::support::build;
use crate::time::support::expect_bits;
use flitforge_model::time::clocked::{Adjust, ClockedServo, ServoInputs, ServoSample};
use flitforge_model::time::ServoConfig;
use flitforge_protocol::time_servo::ServoState;
use flitforge_sim::kit::{rng, seed, StimulusFn};
use flitforge_sim::{open, Bench, CosimPlan, PortValues, SimError};
use flitforge_testkit::wide::{drive_wide, expect_wide, signed};
use flitforge_testkit::{depth, drive_all, Seen};
use rand::Rng;

/// What a run's samples are like.
#[derive(Clone, Copy)]
pub struct Case {
    pub name: &'static str,
    /// Largest |e| of an ordinary sample, 1/256 ns.
    pub error: i32,
    /// Share of samples of any size.
    pub wild: f64,
    /// Most clocks between samples.
    pub gap: u64,
    /// `clear` and new registers, per clock.
    pub clear: f64,
    /// Registers take values that make no sense too.
    pub odd: bool,
}

pub const CASES: [Case; 4] = [
    Case { name: "locks", error: 0x3000, wild: 0.02, gap: 2500, clear: 0.000_02, odd: false },
    Case { name: "outliers", error: 0x5000, wild: 0.3, gap: 900, clear: 0.000_1, odd: false },
    Case { name: "crowded", error: 0x4100, wild: 0.1, gap: 150, clear: 0.000_5, odd: false },
    Case { name: "odd", error: 0x2000, wild: 0.5, gap: 700, clear: 0.002, odd: true },
];

fn registers(random: &mut impl Rng, odd: bool) -> Vec<(&'static str, u64)> {
    let mut word = |usual: std::ops::Range<u64>| match odd && random.random_bool(0.3) {
        true => [0, 1, 2, 3, 8, 9, 10, 11, 12, 13, u64::from(u32::MAX)][random.random_range(0..11)],
        false => random.random_range(usual),
    };
    vec![
        ("settings.kp", word(0..1 << 32)),
        ("settings.ki", word(0..1 << 32)),
        ("settings.kacq", word(0..1 << 32)),
        ("settings.nclk", word(200..900)),
        ("settings.step_thr", word(0x1000..0x6000)),
        ("settings.outlier_thr", word(0x3000..0x6000)),
        ("settings.lock_thr", word(0x20..0x60) & 0xFFFF),
        ("settings.lock_n", word(1..5) & 0xFF),
        ("settings.outlier_n", word(2..6) & 0xFF),
        ("settings.hold_n", word(1..12) & 0xFF),
        ("settings.hold_max", word(0..9) & 0xFF_FFFF),
    ]
}

fn stimulus(case: Case) -> impl FnMut(u64, &mut dyn Bench) -> Result<(), SimError> {
    let mut random = rng(seed(0x5E40), case.name);
    let (mut next, mut switches) = (20, 0b011_u64);
    move |clock, bench| {
        let clear = clock == 0 || random.random_bool(case.clear);
        drive_all(bench, &[("clear", u64::from(clear))])?;
        if clear {
            drive_all(bench, &registers(&mut random, case.odd))?;
        }
        if random.random_bool(0.000_3) {
            switches = if switches == 0b011 { random.random_range(0..8) } else { 0b011 };
        }
        let switch = |bit: u64| switches >> bit & 1;
        drive_all(
            bench,
            &[
                ("settings.enable", switch(0)),
                ("settings.step_enable", switch(1)),
                ("settings.freeze", switch(2)),
            ],
        )?;
        let now = clock >= next;
        if now {
            next = clock + random.random_range(1..=case.gap);
        }
        let error = match random.random_bool(case.wild) {
            true => random.random::<i32>() >> random.random_range(0..32),
            false => random.random_range(-case.error..=case.error),
        };
        let extreme = random.random_bool(0.01);
        let error = if extreme { [i32::MIN, i32::MAX, 0, -1][random.random_range(0..4)] } else { error };
        drive_all(bench, &[("sample.valid", u64::from(now)), ("sample.data", u64::from(error as u32))])?;
        drive_all(bench, &[("changed_tree", u64::from(random.random_bool(0.1)))])?;
        drive_wide(bench, "difference", random.random())
    }
}

fn configure(config: &mut ServoConfig, inputs: &PortValues) -> Result<(), SimError> {
    let word = |path: &str| inputs.u64(path).map(|value| value as u32);
    *config = ServoConfig {
        kp: word("settings.kp")?,
        ki: word("settings.ki")?,
        kacq: word("settings.kacq")?,
        nclk: word("settings.nclk")?,
        slew_n: 0,
        step_thr: word("settings.step_thr")?,
        outlier_thr: word("settings.outlier_thr")?,
        lock_thr: word("settings.lock_thr")? as u16,
        lock_n: word("settings.lock_n")? as u8,
        outlier_n: word("settings.outlier_n")? as u8,
        hold_n: word("settings.hold_n")? as u8,
        hold_max: word("settings.hold_max")?,
        enabled: inputs.bit("settings.enable")?,
        step_en: inputs.bit("settings.step_enable")?,
        freeze: inputs.bit("settings.freeze")?,
    };
    Ok(())
}

fn model(seen: Seen) -> impl FnMut(&PortValues, &mut PortValues) -> Result<(), SimError> {
    let config = ServoConfig::new(1, 0x06_6666_6666).expect("1.05 ms");
    let mut servo = ClockedServo::new(config);
    move |inputs, outputs| {
        configure(servo.config_mut(), inputs)?;
        let now = servo.outputs();
        for state in ServoState::ALL {
            seen.count_if(state.name(), now.state == *state);
        }
        seen.count_if("step", now.step.is_some());
        seen.count_if("slew", matches!(now.adjust, Some(Adjust::Slew(_))));
        seen.count_if("move", matches!(now.adjust, Some(Adjust::Frequency(_))));
        outputs.set_bit("step.valid", now.step.is_some())?;
        if let Some(step) = now.step {
            expect_wide(outputs, "step.data", step as u128)?;
        }
        outputs.set_bit("adjust.valid", now.adjust.is_some())?;
        match now.adjust {
            Some(Adjust::Frequency(moved)) => {
                outputs.set_bit("adjust_slew", false)?;
                outputs.set_u64("adjust.data", moved as u64)?;
            }
            // A slew leaves with its sign in all 64 bits.
            Some(Adjust::Slew(slew)) => {
                outputs.set_bit("adjust_slew", true)?;
                outputs.set_u64("adjust.data", slew as u64)?;
            }
            None => {}
        }
        outputs.set_u64("state", now.state.code().into())?;
        outputs.set_u64("error", u64::from(now.error as u32))?;
        let events = now.events;
        expect_bits(
            outputs,
            &[
                ("lock", events.lock),
                ("holdover", events.holdover),
                ("invalid", events.invalid),
                ("outlier_run", events.outlier_run),
                ("outlier", now.outlier),
                ("late", now.late),
            ],
            &seen,
        )?;
        let sample = match inputs.bit("sample.valid")? {
            true => Some(ServoSample {
                error: inputs.u64("sample.data")? as u32 as i32,
                changed_tree: inputs.bit("changed_tree")?,
                difference: signed(&inputs.get("difference")?),
            }),
            false => None,
        };
        servo.clock(ServoInputs { clear: inputs.bit("clear")?, sample });
        Ok(())
    }
}

/// A co-simulation with the model.
pub fn plan(name: &str, case: Case, clocks: u64, seen: &Seen) -> CosimPlan<'static> {
    let make = || build("time_servo", &[]).block;
    let plan = CosimPlan::new(name, seed(0x5E40), make, move |testbench, _| {
        testbench.add(StimulusFn(stimulus(case)));
        Ok(())
    });
    plan.clocks(clocks).stock_limit(500, "a quick run: rust-hdl itself is slow").model(model(seen.clone()))
}

#[test]
fn servo_is_its_model_whatever_the_samples() {
    let depth = depth();
    let seen = Seen::default();
    for case in CASES {
        let name = format!("time_servo_{}", case.name);
        plan(&name, case, 100_000, &seen).to_depth(depth).run().expect("equal");
    }
    seen.require_all();
}

/// The default registers at 156.25 MHz, 1.05 ms, and a sample.
fn bench() -> Box<dyn Bench> {
    let mut bench = open("time_servo", build("time_servo", &[]).block).expect("bench");
    let config = ServoConfig::new(1, 0x06_6666_6666).expect("1.05 ms");
    let registers = [
        ("settings.kp", config.kp.into()),
        ("settings.ki", config.ki.into()),
        ("settings.kacq", config.kacq.into()),
        ("settings.nclk", config.nclk.into()),
        ("settings.step_thr", config.step_thr.into()),
        ("settings.outlier_thr", config.outlier_thr.into()),
        ("settings.lock_thr", config.lock_thr.into()),
        ("settings.lock_n", config.lock_n.into()),
        ("settings.outlier_n", config.outlier_n.into()),
        ("settings.hold_n", config.hold_n.into()),
        ("settings.hold_max", config.hold_max.into()),
        ("settings.enable", 1),
        ("settings.step_enable", 1),
    ];
    drive_all(bench.as_mut(), &registers).expect("ports");
    bench
}

/// Clocks from a sample until each of these ports is 1, and the servo's state after `clocks`.
fn after_sample(
    bench: &mut dyn Bench,
    error: i32,
    clocks: u64,
    watched: &str,
) -> (Vec<(u64, i64)>, Option<ServoState>) {
    drive_all(bench, &[("sample.valid", 1), ("sample.data", u64::from(error as u32))]).expect("ports");
    let (valid, data) =
        (bench.port(&format!("{watched}.valid")).expect("port"), bench.port("adjust.data").expect("port"));
    let mut found = vec![];
    for clock in 0..clocks {
        bench.settle().expect("settles");
        if bench.get_bit(valid) {
            found.push((clock, bench.get_u64(data) as i64));
        }
        bench.step().expect("steps");
        drive_all(bench, &[("sample.valid", 0)]).expect("ports");
    }
    bench.settle().expect("settles");
    let state = bench.get_u64(bench.port("state").expect("port"));
    (found, ServoState::from_code(state as u8))
}

/// Section 8, example 9, and the latencies of the block's documentation.
#[test]
fn the_worked_example_and_the_latencies() {
    let mut bench = bench();
    let bench = bench.as_mut();
    let (steps, state) = after_sample(bench, 1 << 20, 163_840, "step");
    assert_eq!((steps.len(), steps[0].0, state), (1, 35, Some(ServoState::Acquire)));
    let (moves, _) = after_sample(bench, 40_265, 163_840, "adjust");
    assert_eq!(moves, [(69, 40_265 * 0x66_6666)]);
    assert_eq!((moves[0].1 >> 16) as u64 >> 32, 0, "F rises by {}", moves[0].1 >> 16);
    for _ in 0..4 {
        let (_, state) = after_sample(bench, 0, 163_840, "adjust");
        assert!(state == Some(ServoState::Acquire) || state == Some(ServoState::Track));
    }
    let (adjusts, state) = after_sample(bench, 896, 163_840, "adjust");
    assert_eq!((adjusts, state), (vec![(85, 91_750), (120, 751_619_456)], Some(ServoState::Track)));
    let (adjusts, _) = after_sample(bench, -896, 163_840, "adjust");
    assert_eq!(adjusts[0], (85, -91_751));
    assert_eq!(adjusts[1].1 as u64 & 0x3F_FFFF_FFFF_FFFF, 0x3F_FFFF_D333_3280, "as 54 bits");
}

/// A sample 120 clocks after another is late, one 121 clocks after is used.
#[test]
fn a_sample_that_comes_too_soon_is_not_used() {
    for (gap, late) in [(120, true), (121, false)] {
        let mut bench = bench();
        let bench = bench.as_mut();
        for error in [1 << 20, 0, 0, 0, 0] {
            after_sample(bench, error, 163_840, "adjust");
        }
        after_sample(bench, 100, gap, "adjust");
        drive_all(bench, &[("sample.valid", 1), ("sample.data", 77)]).expect("ports");
        bench.step().expect("steps");
        bench.settle().expect("settles");
        let (late_port, error) = (bench.port("late").expect("port"), bench.port("error").expect("port"));
        assert_eq!((bench.get_bit(late_port), bench.get_u64(error) == 100), (late, late), "{gap}");
    }
}

/// `clear` while a sample is compared, multiplied, decided: no step, no change of the rate follows.
#[test]
fn clear_drops_the_sample_in_work() {
    for clear_at in [1, 10, 33, 34, 60, 67] {
        let mut bench = bench();
        let bench = bench.as_mut();
        after_sample(bench, 1 << 20, 163_840, "step");
        after_sample(bench, 5000, clear_at, "adjust");
        drive_all(bench, &[("clear", 1)]).expect("ports");
        bench.step().expect("steps");
        drive_all(bench, &[("clear", 0)]).expect("ports");
        let ports = ["step.valid", "adjust.valid"].map(|path| bench.port(path).expect("port"));
        for _ in 0..200 {
            bench.settle().expect("settles");
            assert!(ports.iter().all(|port| !bench.get_bit(*port)), "cleared after {clear_at} clocks");
            bench.step().expect("steps");
        }
        let state = bench.get_u64(bench.port("state").expect("port"));
        assert_eq!(ServoState::from_code(state as u8), Some(ServoState::Free));
    }
}

/// HOLDOVER and INVALID come in the model's clock, whatever half periods look like to a comparison in parts.
#[test]
fn periods_of_every_length_end_in_time() {
    let halves =
        [0xFFFB, 0xFFFC, 0xFFFF, 0x1_0000, 0x1_0003, 0x1_0004, 0x1_0005, 0x1_FFFF, 0x2_0000, 0x2_0004];
    for nclk in (0..24).chain(halves.map(|half| 2 * half)) {
        let mut bench = bench();
        let bench = bench.as_mut();
        let config = ServoConfig {
            nclk,
            lock_n: 1,
            hold_n: 2,
            hold_max: 1,
            ..ServoConfig::new(1, 0x06_6666_6666).expect("1.05 ms")
        };
        let registers = [
            ("settings.nclk", nclk),
            ("settings.lock_n", 1),
            ("settings.hold_n", 2),
            ("settings.hold_max", 1),
        ];
        drive_all(bench, &registers.map(|(path, value)| (path, value.into()))).expect("ports");
        let mut servo = ClockedServo::new(ServoConfig { enabled: true, step_en: true, ..config });
        let (valid, state) = (bench.port("sample.valid").expect("port"), bench.port("state").expect("port"));
        let mut seen = vec![];
        for clock in 0..4 * u64::from(nclk) + 1000 {
            let now = clock == 20 || clock == 200;
            bench.set_u64(valid, now.into());
            bench.settle().expect("settles");
            let is = bench.get_u64(state) as u8;
            assert_eq!(is, servo.outputs().state.code(), "NCLK {nclk}, clock {clock}");
            if seen.last() != Some(&is) {
                seen.push(is);
            }
            bench.step().expect("steps");
            let sample = ServoSample { error: 0, changed_tree: false, difference: 0 };
            servo.clock(ServoInputs { clear: false, sample: now.then_some(sample) });
        }
        let reached = [
            ServoState::Free,
            ServoState::Acquire,
            ServoState::Track,
            ServoState::Holdover,
            ServoState::Invalid,
        ];
        assert_eq!(seen, reached.map(ServoState::code), "NCLK {nclk}");
    }
}
