//! `time_source`.

use crate::support::build;
use crate::time::support::expect_bits;
use flitforge_elaborate::Value;
use flitforge_hdl::registry::{find, Settings};
use flitforge_model::time::clocked::{Adjust, ClockedSource, SourceInputs, SourceWrite};
use flitforge_protocol::time_servo::{SourceWriteCode, F_ACC_BITS, INC_FRAC, SLEW_P_BITS};
use flitforge_sim::kit::{rng, seed, StimulusFn};
use flitforge_sim::{open, Bench, CosimPlan, PortValues, SimError};
use flitforge_testkit::wide::{drive_wide, expect_wide, signed, wide};
use flitforge_testkit::{depth, drive_all, Seen};
use rand::Rng;

const INC: u64 = 0x06_6666_6666;

#[test]
fn increments_that_cannot_work_are_refused() {
    let entry = find("time_source").expect("registered");
    for value in [0, 1 << 38] {
        let error =
            Settings::new(entry, None, &[("inc_nom".into(), value)]).expect_err("refused").to_string();
        assert!(error.contains("inc_nom") && error.contains("time_source"), "{error}");
    }
}

/// What writes ask for: ordinary values, or anything.
#[derive(Clone, Copy)]
pub struct Case {
    pub name: &'static str,
    pub anything: f64,
    /// Writes, steps and adjustments per clock.
    pub rate: f64,
    pub clear: f64,
}

pub const CASES: [Case; 2] = [
    Case { name: "ordinary", anything: 0.05, rate: 0.004, clear: 0.000_1 },
    Case { name: "anything", anything: 0.6, rate: 0.08, clear: 0.002 },
];

fn data(random: &mut impl Rng, code: u64, anything: f64) -> u64 {
    if random.random_bool(anything) {
        return random.random::<u64>() >> random.random_range(0..64);
    }
    match SourceWriteCode::from_code(code as u8) {
        Some(SourceWriteCode::IncNom) => INC + random.random_range(0..1 << 24),
        Some(SourceWriteCode::Limits) => {
            let limit = |random: &mut dyn rand::RngCore| random.random_range(0..INC >> 10);
            limit(random) | limit(random) << 32
        }
        Some(SourceWriteCode::FAcc) => random.random_range(-(1_i64 << 40)..1 << 40) as u64,
        Some(SourceWriteCode::SlewP) => random.random_range(-(1_i64 << 24)..1 << 24) as u64,
        Some(SourceWriteCode::SlewCnt) => random.random_range(0..300),
        // Around wraps of 64 bits, too.
        _ => random.random::<u64>() | if random.random() { !0 << 33 } else { 0 },
    }
}

fn stimulus(case: Case) -> impl FnMut(u64, &mut dyn Bench) -> Result<(), SimError> {
    let mut random = rng(seed(0x50C0), case.name);
    let mut waiting = false;
    move |_, bench| {
        // A write holds until it is taken.
        let taken = waiting && bench.get_bit(bench.port("write.ready")?);
        if taken || !waiting {
            waiting = random.random_bool(case.rate);
            let code = random.random_range(0..8);
            let data = data(&mut random, code, case.anything);
            let port = bench.port("write.data")?;
            bench.set(port, &Value::from_words(67, &[data, code]));
        }
        let one = |random: &mut dyn rand::RngCore, share: f64| u64::from(random.random_bool(share));
        drive_all(bench, &[("write.valid", u64::from(waiting)), ("clear", one(&mut random, case.clear))])?;
        drive_all(
            bench,
            &[("step.valid", one(&mut random, case.rate / 2.0)), ("read", one(&mut random, 0.02))],
        )?;
        drive_all(bench, &[("adjust.valid", one(&mut random, case.rate))])?;
        drive_all(bench, &[("adjust_slew", one(&mut random, 0.5)), ("slew_n", random.random_range(0..200))])?;
        let moved = random.random::<i64>() >> random.random_range(0..60);
        drive_all(bench, &[("adjust.data", moved as u64)])?;
        drive_wide(bench, "step.data", (random.random::<i128>() >> random.random_range(56..128)) as u128)
    }
}

fn write_of(value: &Value) -> SourceWrite {
    let (data, code) = (value.words()[0], value.words()[1]);
    match SourceWriteCode::from_code(code as u8) {
        Some(SourceWriteCode::IncNom) => SourceWrite::IncNom(data),
        Some(SourceWriteCode::Limits) => SourceWrite::Limits(data as u32, (data >> 32) as u32),
        Some(SourceWriteCode::FAcc) => SourceWrite::FAcc(data),
        Some(SourceWriteCode::SlewP) => SourceWrite::SlewP(data),
        Some(SourceWriteCode::SlewCnt) => SourceWrite::SlewCnt(data as u32),
        Some(SourceWriteCode::Set) => SourceWrite::Set(data),
        Some(SourceWriteCode::Add) => SourceWrite::Add(data as i64),
        None => SourceWrite::Nothing,
    }
}

fn inputs_of(inputs: &PortValues) -> Result<SourceInputs, SimError> {
    let adjust = inputs.u64("adjust.data")? as i64;
    let adjust = if inputs.bit("adjust_slew")? { Adjust::Slew(adjust) } else { Adjust::Frequency(adjust) };
    Ok(SourceInputs {
        clear: inputs.bit("clear")?,
        write: if inputs.bit("write.valid")? { Some(write_of(&inputs.get("write.data")?)) } else { None },
        step: if inputs.bit("step.valid")? { Some(signed(&inputs.get("step.data")?)) } else { None },
        adjust: inputs.bit("adjust.valid")?.then_some(adjust),
        slew_n: inputs.u64("slew_n")? as u32,
        read: inputs.bit("read")?,
    })
}

fn model(seen: Seen) -> impl FnMut(&PortValues, &mut PortValues) -> Result<(), SimError> {
    let mut source = ClockedSource::new(INC).expect("156.25 MHz");
    move |inputs, outputs| {
        let now = source.outputs();
        let given = inputs_of(inputs)?;
        outputs.set_bit("write.ready", now.ready && !given.clear)?;
        expect_wide(outputs, "local", now.local)?;
        expect_wide(outputs, "sync", now.sync)?;
        expect_wide(outputs, "look_ahead", now.look_ahead)?;
        outputs.set_u64("epoch", now.epoch.into())?;
        outputs.set_u64("wper", now.wper.into())?;
        let (local, sync, epoch) = now.shadow;
        expect_wide(outputs, "shadow_local", local)?;
        expect_wide(outputs, "shadow_sync", sync)?;
        outputs.set_u64("shadow_epoch", epoch.into())?;
        expect_bits(
            outputs,
            &[("stepped", now.stepped), ("clamped", now.clamped), ("refused", now.refused)],
            &seen,
        )?;
        let registers = source.source();
        outputs.set_u64("inc_nom", registers.inc_nom())?;
        outputs.set_u64("limits", registers.limits().0 | registers.limits().1 << 32)?;
        expect_wide(outputs, "f_acc", registers.f_acc() as u128)?;
        expect_wide(outputs, "slew_p", registers.slew().0 as u128)?;
        outputs.set_u64("slew_left", registers.slew().1.into())?;
        source.clock(given);
        Ok(())
    }
}

/// A co-simulation with the model.
pub fn plan(name: &str, case: Case, clocks: u64, seen: &Seen) -> CosimPlan<'static> {
    let make = || build("time_source", &[]).block;
    let plan = CosimPlan::new(name, seed(0x50C0), make, move |testbench, _| {
        testbench.add(StimulusFn(stimulus(case)));
        Ok(())
    });
    plan.clocks(clocks)
        .stock_limit(300, "a quick run: many wide values are slow in rust-hdl itself")
        .model(model(seen.clone()))
}

/// T2, exactly: every clock against big integers, with random writes.
#[test]
fn t02_source_is_its_model_with_random_writes() {
    let depth = depth();
    let seen = Seen::default();
    for case in CASES {
        let name = format!("time_source_{}", case.name);
        plan(&name, case, 100_000, &seen).to_depth(depth).run().expect("equal");
    }
    seen.require_all();
}

fn bench() -> Box<dyn Bench> {
    open("time_source", build("time_source", &[]).block).expect("bench")
}

/// Offers a write until it is taken.
fn write(bench: &mut dyn Bench, code: SourceWriteCode, data: u64) {
    let ports = ["write.valid", "write.data", "write.ready"].map(|path| bench.port(path).expect("port"));
    bench.set_u64(ports[0], 1);
    bench.set(ports[1], &Value::from_words(67, &[data, code.code().into()]));
    bench.settle().expect("settles");
    while !bench.get_bit(ports[2]) {
        bench.step().expect("steps");
    }
    bench.step().expect("steps");
    bench.set_u64(ports[0], 0);
}

fn steps(bench: &mut dyn Bench, clocks: u64) {
    (0..clocks).for_each(|_| bench.step().expect("steps"));
    bench.settle().expect("settles");
}

fn value(bench: &dyn Bench, path: &str) -> u128 {
    wide(&bench.get(bench.port(path).expect("port")))
}

/// T2: with limits and rates as wild as they may be, SyncTime rises in every clock without SET_CMD, and each SET_CMD
/// raises SYNC_EPOCH by one.
#[test]
fn t02_sync_time_rises_and_every_step_is_counted() {
    let clocks = depth().clocks(100_000);
    let mut random = rng(seed(0x50C1), "rises");
    let mut bench = bench();
    let bench = bench.as_mut();
    let (sync, epoch) = (bench.port("sync").expect("port"), bench.port("epoch").expect("port"));
    let at = |bench: &dyn Bench| (wide(&bench.get(sync)), bench.get_u64(epoch));
    steps(bench, 10);
    let mut before = at(bench);
    let (mut sets, mut seen) = (0_u64, 0_u64);
    let mut clock = 0;
    while clock < clocks {
        let code = [1, 2, 3, 4, 5, 6, 7][random.random_range(0..7)];
        let wild = data(&mut random, code, 0.5);
        let code = SourceWriteCode::from_code(code as u8).expect("a code");
        sets += u64::from(matches!(code, SourceWriteCode::Set | SourceWriteCode::Add));
        write(bench, code, wild);
        for _ in 0..random.random_range(24..60) {
            bench.step().expect("steps");
            bench.settle().expect("settles");
            clock += 1;
            let now = at(bench);
            if now.1 == before.1 {
                let risen = now.0.wrapping_sub(before.0) & ((1 << 96) - 1);
                assert!((1..1 << 40).contains(&risen), "clock {clock}: {:x} after {:x}", now.0, before.0);
            } else {
                assert_eq!(now.1, (before.1 + 1) % 256, "clock {clock}");
                seen += 1;
            }
            before = now;
        }
    }
    assert!(seen > 100 && seen == sets, "{seen} of {sets} steps seen");
}

/// Section 8, example 4: 156.25 MHz after 3 and 1000 clocks.
#[test]
fn the_worked_example() {
    for (clocks, expected) in [(3, 0x13_3333_3332_u128), (1000, 0x18FF_FFFF_FE70)] {
        let mut bench = bench();
        // Seven clocks until the first increment shows.
        steps(bench.as_mut(), 7 + clocks);
        assert_eq!(value(bench.as_ref(), "sync"), expected);
        assert_eq!(value(bench.as_ref(), "local"), expected);
    }
}

/// Rule 3: limits whose sum reaches INC_NOM, and an INC_NOM they reach, leave everything as it was.
#[test]
fn impossible_limits_are_refused_and_counted() {
    let mut bench = bench();
    let bench = bench.as_mut();
    let refused = bench.port("refused").expect("port");
    let most = u64::from(u32::MAX);
    let asked = [
        (SourceWriteCode::IncNom, 0, true),
        (SourceWriteCode::IncNom, 1 << 38, true),
        (SourceWriteCode::Limits, most | most << 32, false),
        (SourceWriteCode::IncNom, 2 * most, true),
        (SourceWriteCode::IncNom, 2 * most + 1, false),
        (SourceWriteCode::Limits, 1 | 1 << 32, false),
        (SourceWriteCode::IncNom, 3, false),
        (SourceWriteCode::Limits, 2 | 1 << 32, true),
        (SourceWriteCode::Limits, 2 << 32, false),
    ];
    for (code, data, is_refused) in asked {
        write(bench, code, data);
        let mut count = 0;
        for _ in 0..30 {
            bench.step().expect("steps");
            bench.settle().expect("settles");
            count += u32::from(bench.get_bit(refused));
        }
        assert_eq!(count, u32::from(is_refused), "{code:?} {data:x}");
    }
    assert_eq!((value(bench, "inc_nom"), value(bench, "limits")), (3, 2 << 32));
}

/// A move beyond F_LIMIT stops at it, on either side; new limits clamp what is there.
#[test]
fn frequency_and_slew_stop_at_their_limits() {
    let mut bench = bench();
    let bench = bench.as_mut();
    let limit = INC >> 11;
    let at_limit = |sign: i64| (sign * ((limit as i64) << 16)) as u64 & ((1 << F_ACC_BITS) - 1);
    for (data, expected) in [(i64::MAX >> 10, at_limit(1)), (i64::MIN >> 10, at_limit(-1))] {
        write(bench, SourceWriteCode::FAcc, data as u64);
        steps(bench, 8);
        assert_eq!(value(bench, "f_acc") as u64, expected);
    }
    write(bench, SourceWriteCode::SlewP, (-5_i64) as u64);
    write(bench, SourceWriteCode::Limits, 100 | 3 << 32);
    steps(bench, 30);
    assert_eq!(value(bench, "f_acc") as u64, (-100_i64 << 16) as u64 & ((1 << F_ACC_BITS) - 1));
    assert_eq!(value(bench, "slew_p") as u64, (-3_i64) as u64 & ((1 << SLEW_P_BITS) - 1));
}

/// T8: a shadow set is of one edge whatever goes on meanwhile: LocalTime and SyncTime of a read differ by what a step
/// left, and carries of all parts are in.
#[test]
fn t08_shadow_reads_are_never_torn() {
    let reads = depth().clocks(100_000);
    let mut random = rng(seed(0x50C2), "shadow");
    let mut bench = bench();
    let bench = bench.as_mut();
    let step = (1_u64 << 40) - 1;
    write(bench, SourceWriteCode::Set, step);
    steps(bench, 20);
    let (read, local, sync) = (
        bench.port("read").expect("port"),
        bench.port("shadow_local").expect("port"),
        bench.port("shadow_sync").expect("port"),
    );
    let read_once = |bench: &mut dyn Bench, wait: u64| {
        bench.set_u64(read, 1);
        bench.step().expect("steps");
        bench.set_u64(read, 0);
        steps(bench, wait);
        let pair = [local, sync].map(|port| wide(&bench.get(port)));
        pair[1].wrapping_sub(pair[0]) & ((1 << 96) - 1)
    };
    let first = read_once(bench, 1);
    for _ in 0..reads {
        assert_eq!(read_once(bench, random.random_range(1..4)), first);
    }
    assert_eq!(first >> INC_FRAC >> 32, u128::from(step >> 32));
}
