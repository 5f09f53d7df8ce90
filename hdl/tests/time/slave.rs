//! `time_slave`.

use crate::support::build;
use crate::time::support::{expect_bits, payload};
use flitforge_hdl::registry::{find, Settings};
use flitforge_model::time::clocked::{ClockedSlave, SlaveInputs};
use flitforge_model::time::slave::Sample;
use flitforge_model::time::{TimeFlit, TimeHigh, TimeLow, TimeValue};
use flitforge_model::Flit;
use flitforge_protocol::flit::{spc, Opcode, SpcSubtype};
use flitforge_protocol::time_registers::{master_high, master_low};
use flitforge_sim::kit::{rng, seed, Rng as KitRng, StimulusFn};
use flitforge_sim::{Bench, CosimPlan, PortValues, SimError};
use flitforge_testkit::wide::{drive_wide, expect_wide, wide};
use flitforge_testkit::{depth, drive_all, Seen};
use rand::Rng;

#[test]
fn slaves_that_cannot_work_are_refused() {
    let entry = find("time_slave").expect("registered");
    for depth in [0, 3, 65] {
        let error =
            Settings::new(entry, None, &[("fifo_depth".into(), depth)]).expect_err("refused").to_string();
        assert!(error.contains("fifo_depth") && error.contains("time_slave"), "{error}");
    }
}

fn decoded(subtype: SpcSubtype, payload: u64) -> TimeFlit {
    let special = spc::subtype::FIELD.set(payload.into(), subtype.code().into());
    TimeFlit::decode(Flit::control(Opcode::Spc, special as u64)).expect("a time flit")
}

fn low_of(payload: u64) -> TimeLow {
    match decoded(SpcSubtype::MasterTimeLow, payload) {
        TimeFlit::Low(low) => low,
        other => unreachable!("{other:?}"),
    }
}

fn high_of(payload: u64) -> TimeHigh {
    match decoded(SpcSubtype::MasterTimeHigh, payload) {
        TimeFlit::High(high) => high,
        other => unreachable!("{other:?}"),
    }
}

/// A master's time, LocalTime and SyncTime that go on by leaps, so that bytes and words wrap.
struct World {
    random: KitRng,
    master: u128,
    local: u128,
    sync: u128,
    era: u8,
    valid: u64,
    next_low: u64,
    high_follows: bool,
}

impl World {
    /// Time goes on; LocalTime by the same.
    fn advance(&mut self) {
        let leap = match self.random.random_range(0..1000) {
            // Around multiples of 2^32 ns.
            0 => (1 << 32) + self.random.random_range(-2_000_000_i128..2_000_000),
            1 => self.random.random_range(0..1 << 41),
            2 => (1 << 40) - self.random.random_range(0..3_000_000_000),
            3..20 => self.random.random_range(0..1 << 31),
            _ => 6,
        };
        let leap = (leap as u128) << 32 | 0x6666_6666;
        self.local = self.local.wrapping_add(leap);
        self.master = self.master.wrapping_add(leap);
        self.sync = match self.random.random_range(0..2000) {
            0 => self.random.random(),
            1 => self.master.wrapping_add(self.random.random_range(0..1 << 50)),
            _ => self.sync.wrapping_add(leap),
        };
    }

    fn drive(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        self.advance();
        drive_all(bench, &[("clear", u64::from(self.random.random_bool(0.000_5)))])?;
        drive_all(bench, &[("pop", u64::from(self.random.random_bool(0.03)))])?;
        if self.random.random_bool(0.002) {
            self.valid = self.random.random_range(0..4);
            self.era = (self.era + [0, 1, 1, 1, 2, 3][self.random.random_range(0..6)]) % 4;
        } else if self.random.random_bool(0.01) {
            self.valid = 3;
        }
        drive_all(bench, &[("offset_valid", self.valid)])?;
        if clock % 64 == 0 {
            for bank in ["offset[0]", "offset[1]"] {
                let offset = self.random.random::<u64>() >> self.random.random_range(16..48);
                drive_all(bench, &[(bank, offset & ((1 << 48) - 1))])?;
            }
        }
        drive_wide(bench, "local", self.local)?;
        drive_wide(bench, "sync", self.sync)?;
        self.flits(clock, bench)
    }

    fn flits(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        let low = clock >= self.next_low;
        if low {
            self.next_low = clock + self.random.random_range(1..30);
        }
        // After a Low of the same beat, or alone; none for long enough that the last one gets too old.
        let wanted = std::mem::take(&mut self.high_follows) || self.random.random_bool(0.01);
        let high = wanted && clock % 10_000 < 6_000;
        self.high_follows = low && self.random.random_bool(0.2);
        let corrupted = self.random.random_bool(0.03);
        let bit = self.random.random_range(32..44);
        let corrupt = |word: u64| if corrupted { word ^ 1 << bit } else { word };
        let nanoseconds = (self.master >> 32) as u64;
        let value = TimeValue::new(nanoseconds, self.random.random_range(0..16));
        let low_word = payload(TimeFlit::Low(TimeLow { value, tree: 1, era: self.era }));
        let (index, quality) = (self.random.random(), self.random.random_range(0..16));
        let time = (nanoseconds >> 32) as u32;
        let high_word = payload(TimeFlit::High(TimeHigh { time, index, tree: 1, era: self.era, quality }));
        drive_all(bench, &[("low.valid", u64::from(low)), ("low.data", corrupt(low_word))])?;
        drive_all(bench, &[("high.valid", u64::from(high)), ("high.data", high_word)])
    }
}

/// A sample as the block packs it.
fn packed(sample: &Sample) -> [u64; 4] {
    let (low, error) = (sample.low, sample.error as u32);
    let low_word = master_low::time::FIELD.set(0, low.value.nanoseconds())
        | master_low::frac::FIELD.set(0, low.value.frac().into())
        | master_low::era::FIELD.set(0, low.era.into());
    let high_word = sample.high.map_or(0, |high| {
        master_high::time::FIELD.set(0, high.time.into())
            | master_high::index::FIELD.set(0, high.index.into())
            | master_high::quality::FIELD.set(0, high.quality.into())
            | master_high::era::FIELD.set(0, high.era.into())
    });
    let carry =
        sample.high.zip(sample.full).map_or(0, |(high, full)| (full >> 40) - u64::from(high.time >> 8)) & 1;
    let first = u128::from(error) | sample.local << 32;
    let second =
        high_word | low_word << 46 | u128::from(sample.full.is_some()) << 92 | u128::from(carry) << 93;
    [first as u64, (first >> 64) as u64, second as u64, (second >> 64) as u64]
}

fn expect_sample(outputs: &mut PortValues, path: &str, sample: &Sample) -> Result<(), SimError> {
    let width = outputs.get(path)?.width();
    outputs.set(path, flitforge_elaborate::Value::from_words(width, &packed(sample)))
}

fn model(depth: usize, seen: Seen) -> impl FnMut(&PortValues, &mut PortValues) -> Result<(), SimError> {
    let mut slave = ClockedSlave::new(depth).expect("depth");
    move |inputs, outputs| {
        let now = slave.outputs();
        seen.count_if("used", now.used.is_some());
        seen.count_if("saturated", now.used.is_some_and(|wide| i32::try_from(wide).is_err()));
        let carried = |sample: &Sample| Some(sample.full? >> 40 != u64::from(sample.high?.time >> 8));
        seen.count_if("carried", now.sample.and_then(|sample| carried(&sample)) == Some(true));
        outputs.set_bit("used", now.used.is_some())?;
        if let (Some(difference), Some(sample)) = (now.used, now.sample) {
            expect_wide(outputs, "difference", difference as u128)?;
            outputs.set_u64("error", u64::from(sample.error as u32))?;
        }
        if let Some(shadow) = now.shadow {
            expect_sample(outputs, "shadow", &shadow)?;
        }
        outputs.set_bit("popped", now.popped)?;
        outputs.set_u64("level", now.level as u64)?;
        outputs.set_bit("era_known", now.era.is_some())?;
        outputs.set_u64("era", now.era.unwrap_or(0).into())?;
        expect_bits(
            outputs,
            &[
                ("new_era", now.new_era),
                ("over", now.over),
                ("no_high", now.no_high),
                ("overlap_bad", now.overlap_bad),
                ("old_era", now.old_era),
                ("bad_era", now.bad_era),
                ("late", now.late),
            ],
            &seen,
        )?;
        slave.clock(slave_inputs(inputs)?);
        Ok(())
    }
}

fn slave_inputs(inputs: &PortValues) -> Result<SlaveInputs, SimError> {
    let valid = inputs.u64("offset_valid")?;
    let offset = |bank: u64| -> Result<Option<u64>, SimError> {
        let value = inputs.u64(&format!("offset[{bank}]"))?;
        Ok((valid >> bank & 1 == 1).then_some(value))
    };
    let flit = |path: &str| -> Result<Option<u64>, SimError> {
        let data = inputs.u64(&format!("{path}.data"))?;
        Ok(inputs.bit(&format!("{path}.valid"))?.then_some(data))
    };
    Ok(SlaveInputs {
        clear: inputs.bit("clear")?,
        low: flit("low")?.map(low_of),
        high: flit("high")?.map(high_of),
        local: wide(&inputs.get("local")?),
        sync: wide(&inputs.get("sync")?),
        offsets: [offset(0)?, offset(1)?],
        pop: inputs.bit("pop")?,
    })
}

/// A co-simulation with the model.
pub fn plan(name: &str, depth: u64, clocks: u64, seen: &Seen) -> CosimPlan<'static> {
    let make = move || build("time_slave", &[("fifo_depth", depth)]).block;
    let plan = CosimPlan::new(name, seed(0x51A0), make, move |testbench, seed| {
        let mut world = World {
            random: rng(seed, "slave"),
            master: u128::MAX << 74,
            local: 0,
            sync: 0,
            era: 0,
            valid: 3,
            next_low: 10,
            high_follows: false,
        };
        testbench.add(StimulusFn(move |clock, bench: &mut dyn Bench| world.drive(clock, bench)));
        Ok(())
    });
    plan.clocks(clocks)
        .stock_limit(300, "a quick run: many wide values are slow in rust-hdl itself")
        .model(model(depth as usize, seen.clone()))
}

#[test]
fn slave_is_its_model_whatever_comes() {
    let depth = depth();
    let seen = Seen::default();
    plan("time_slave_4", 4, 100_000, &seen).to_depth(depth).run().expect("equal");
    plan("time_slave_64", 64, 50_000, &seen).to_depth(depth).run().expect("equal");
    seen.require_all();
}
