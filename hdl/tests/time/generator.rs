//! `time_gen`.

use crate::support::build;
use crate::time::support::expect_bits;
use flitforge_elaborate::Value;
use flitforge_model::time::clocked::{ClockedGenerator, GeneratorInputs};
use flitforge_model::time::generator::GeneratorBeat;
use flitforge_model::time::{GeneratorConfig, TimeFlit};
use flitforge_sim::kit::{rng, seed, StimulusFn};
use flitforge_sim::{Bench, CosimPlan, PortValues, SimError};
use flitforge_testkit::wide::{drive_wide, wide};
use flitforge_testkit::{depth, drive_all, Seen};
use rand::Rng;

/// A configuration, how fast time goes and how often the link is ready.
#[derive(Clone, Copy)]
pub struct Case {
    pub name: &'static str,
    pub config: GeneratorConfig,
    /// SyncTime per clock, ns, at most.
    pub leap: u64,
    pub ready: f64,
}

const CONFIG: GeneratorConfig =
    GeneratorConfig { period: 1, phase: 5, high_every: 3, separate: false, tree: 1, index: 0xA9, quality: 1 };

pub const CASES: [Case; 4] = [
    Case { name: "paired", config: CONFIG, leap: 1 << 15, ready: 0.3 },
    Case {
        name: "separate",
        config: GeneratorConfig { separate: true, high_every: 1, tree: 3, period: 2, ..CONFIG },
        leap: 1 << 18,
        ready: 0.7,
    },
    Case {
        name: "fast",
        config: GeneratorConfig { phase: 0xFFFF, high_every: 10, tree: 2, ..CONFIG },
        leap: 1 << 19,
        ready: 1.0,
    },
    Case { name: "off", config: GeneratorConfig { period: 0, ..CONFIG }, leap: 1 << 18, ready: 0.5 },
];

fn stimulus(case: Case) -> impl FnMut(u64, &mut dyn Bench) -> Result<(), SimError> {
    let mut random = rng(seed(0x6E40), case.name);
    let mut sync = u128::MAX << 62 & ((1 << 96) - 1);
    let mut enable = true;
    move |clock, bench| {
        let config = case.config;
        let fixed = [
            ("period", config.period),
            ("phase", config.phase),
            ("high_every", config.high_every),
            ("separate", config.separate.into()),
            ("tree", config.tree.into()),
            ("index", config.index.into()),
            ("quality", config.quality.into()),
        ];
        drive_all(bench, &fixed)?;
        let stepped = random.random_bool(0.002);
        sync = match stepped {
            true => random.random::<u128>() >> 32,
            false => sync.wrapping_add(u128::from(random.random_range(1..case.leap) << 32 | 0x6666_6666)),
        } & ((1 << 96) - 1);
        if random.random_bool(0.001) {
            enable = !enable;
        }
        let start = clock == 3 || random.random_bool(0.004);
        let bit = |random: &mut dyn rand::RngCore, share: f64| u64::from(random.random_bool(share));
        let changes = [
            ("clear", bit(&mut random, 0.001)),
            ("enable", enable.into()),
            ("start.valid", start.into()),
            ("start.data", random.random_range(0..4)),
            ("stepped", stepped.into()),
            ("new_era", u64::from(stepped) & bit(&mut random, 0.5)),
            ("lag", random.random_range(0..1 << 20)),
            ("time_out.ready", bit(&mut random, case.ready)),
        ];
        drive_all(bench, &changes)?;
        drive_wide(bench, "sync", sync)?;
        // What comes ahead need not fit for the block to do as its model.
        drive_wide(
            bench,
            "look_ahead",
            random.random::<u128>() | if random.random_bool(0.3) { u128::MAX >> 40 } else { 0 },
        )
    }
}

fn bits(flit: TimeFlit) -> u128 {
    flit.encode().expect("fits").bits()
}

/// Both slots of a beat as a port's value.
fn beat_value(beat: &GeneratorBeat) -> Value {
    let high = beat.high.map_or(0, |high| bits(TimeFlit::High(high)));
    let (first, second) = beat.low.map_or((high, 0), |low| (bits(TimeFlit::Low(low)), high));
    let words = [first as u64, (first >> 64) as u64 | (second << 1) as u64, (second >> 63) as u64];
    Value::from_words(130, &words)
}

fn inputs_of(inputs: &PortValues) -> Result<GeneratorInputs, SimError> {
    let lag = inputs.u64("lag")? as i32;
    let start = inputs.u64("start.data")? as u8;
    Ok(GeneratorInputs {
        clear: inputs.bit("clear")?,
        enable: inputs.bit("enable")?,
        start: inputs.bit("start.valid")?.then_some(start),
        new_era: inputs.bit("new_era")?,
        stepped: inputs.bit("stepped")?,
        sync: wide(&inputs.get("sync")?),
        look_ahead: wide(&inputs.get("look_ahead")?),
        lag: lag << 12 >> 12,
        ready: inputs.bit("time_out.ready")?,
    })
}

fn model(case: Case, seen: Seen) -> impl FnMut(&PortValues, &mut PortValues) -> Result<(), SimError> {
    let mut generator = ClockedGenerator::new(case.config).expect("a good configuration");
    let mut sent = (false, false);
    move |inputs, outputs| {
        let beat = generator.outputs();
        outputs.set_bit("time_out.valid", beat.is_some())?;
        if let Some(beat) = &beat {
            outputs.set("time_out.data", beat_value(beat))?;
        }
        expect_bits(outputs, &[("sent_low", sent.0), ("sent_high", sent.1)], &seen)?;
        let given = inputs_of(inputs)?;
        let taken = beat.filter(|_| given.ready && !given.clear);
        sent = taken.map_or((false, false), |beat| (beat.low.is_some(), beat.high.is_some()));
        generator.clock(given);
        Ok(())
    }
}

/// A co-simulation with the model.
pub fn plan(name: &str, case: Case, clocks: u64, seen: &Seen) -> CosimPlan<'static> {
    let make = || build("time_gen", &[]).block;
    let plan = CosimPlan::new(name, seed(0x6E40), make, move |testbench, _| {
        testbench.add(StimulusFn(stimulus(case)));
        Ok(())
    });
    let plan = plan.clocks(clocks).stock_limit(300, "a quick run: wide values are slow in rust-hdl itself");
    match case.config.period {
        0 => plan.model_ignores(&["time_out.data"]),
        _ => plan,
    }
    .model(model(case, seen.clone()))
}

#[test]
fn generator_is_its_model_whatever_time_does() {
    let depth = depth();
    let seen = Seen::default();
    for case in CASES {
        let name = format!("time_gen_{}", case.name);
        plan(&name, case, 100_000, &seen).to_depth(depth).run().expect("equal");
    }
    seen.require_all();
}
