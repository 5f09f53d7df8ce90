//! `link_crc` against the bit-serial definition of chapter 10, 3.5, clock by clock.

use crate::link_ltp::{encode, STOCK_CLOCKS};
use flitforge_hdl::registry::{find, BlockEntry, BuiltBlock, Settings};
use flitforge_protocol::crc::Polynomial;
use flitforge_sim::kit::{random_value, rng, seed, ClearDriver, StimulusFn, Testbench};
use flitforge_sim::model::PortValues;
use flitforge_sim::{Bench, CosimPlan, SimError};
use flitforge_testkit::deep;
use rand::Rng as _;
use std::collections::VecDeque;

fn entry() -> &'static BlockEntry {
    find("link_crc").expect("registered")
}

/// A preset with some parameters changed.
#[derive(Clone, Copy)]
pub struct Case {
    pub preset: &'static str,
    pub changes: &'static [(&'static str, u64)],
}

impl Case {
    fn settings(&self) -> Settings {
        let changes: Vec<(String, u64)> =
            self.changes.iter().map(|(name, value)| ((*name).to_string(), *value)).collect();
        Settings::new(entry(), Some(self.preset), &changes).expect("valid settings")
    }

    /// The block.
    pub fn build(&self) -> BuiltBlock {
        crate::shapes::add();
        (entry().build)(&self.settings()).expect("builds")
    }
}

/// The cycle-exact model.
struct Model {
    polynomial: Polynomial,
    last_bits: u32,
    /// The frame's register; none outside a frame, where the output is undefined.
    frame: Option<u32>,
    /// What comes out in the next clocks: nothing, or the register of a `last` beat.
    pipe: VecDeque<Option<Option<u32>>>,
}

impl Model {
    fn new(polynomial: Polynomial, last_bits: u32, latency: u32) -> Self {
        Self { polynomial, last_bits, frame: None, pipe: vec![None; latency as usize].into() }
    }

    fn step(&mut self, inputs: &PortValues, outputs: &mut PortValues) -> Result<(), SimError> {
        let out = self.pipe.pop_front().flatten();
        outputs.set_bit("crc.valid", out.is_some())?;
        if let Some(register) = out.flatten() {
            let width = self.polynomial.width();
            let sent =
                (0..width).fold(0, |word, bit| word | u64::from(register >> (width - 1 - bit) & 1) << bit);
            outputs.set_u64("crc.data", sent)?;
            outputs.set_bit("good", register == 0)?;
        }
        let mut came = None;
        if inputs.bit("beat.valid")? {
            let last = inputs.bit("last")?;
            let start = if inputs.bit("first")? { Some(self.polynomial.initial()) } else { self.frame };
            let beat = inputs.get("beat.data")?;
            let covered = if last { self.last_bits } else { beat.width() };
            let bits = (0..covered).map(|bit| beat.bit(bit));
            let register = start.map(|start| encode::crc_register(self.polynomial, start, bits));
            self.frame = register.filter(|_| !last);
            came = last.then_some(register);
        }
        self.pipe.push_back(came);
        if inputs.bit("clear")? {
            self.frame = None;
            self.pipe.iter_mut().for_each(|out| *out = None);
        }
        Ok(())
    }
}

/// The plan, without its number of clocks: frames of 1 to 9 beats with gaps, some cut off by the next, some without
/// a beginning; of a `last` beat the bits that are not covered are 0.
pub fn plan(name: &str, case: Case) -> CosimPlan<'static> {
    let settings = case.settings();
    let get = |key| settings.get(key).expect("a parameter");
    let (width, uncovered) = (get("w") as u32, get("uncovered") as u32);
    let polynomial = Polynomial::new(get("polynomial") as u32).expect("a generator");
    let latency = case.build().interface.latency_clocks.expect("known");
    let stimulus = move |testbench: &mut Testbench<'_>, seed| {
        let bench = testbench.bench();
        let clear = ClearDriver::new(bench, "clear", seed)?.at_random(0.005, 1..=3);
        let (data, valid) = (bench.port("beat.data")?, bench.port("beat.valid")?);
        let (first, last) = (bench.port("first")?, bench.port("last")?);
        let (mut rng, mut left) = (rng(seed, "frames"), 0);
        testbench.add(clear);
        testbench.add(StimulusFn(move |_, bench: &mut dyn Bench| {
            let given = rng.random_bool(0.9);
            let starts = left == 0 || rng.random_bool(0.02);
            if given && starts {
                left = rng.random_range(1..=9);
            }
            let ends = left == 1;
            let mut beat = random_value(&mut rng, width);
            if ends {
                beat = beat.slice(0, width - uncovered).resize(width);
            }
            bench.set(data, &beat);
            bench.set_u64(valid, u64::from(given));
            bench.set_u64(first, u64::from(starts && !rng.random_bool(0.02)));
            bench.set_u64(last, u64::from(ends));
            left -= u32::from(given);
            Ok(())
        }));
        Ok(())
    };
    let mut model = Model::new(polynomial, width - uncovered, latency);
    CosimPlan::new(name, seed(0x10_35), move || case.build().block, stimulus)
        .model(move |inputs: &PortValues, outputs: &mut PortValues| model.step(inputs, outputs))
}

#[test]
fn every_preset_is_equal_everywhere() {
    for preset in entry().presets {
        let case = Case { preset: preset.name, changes: &[] };
        deep(plan(&format!("link_crc_{}", preset.name), case), 10_000, STOCK_CLOCKS).run().expect("equal");
    }
}

#[test]
fn every_width_of_the_register_is_equal_everywhere() {
    const GENERATORS: [&[(&str, u64)]; 7] = [
        &[("polynomial", 0x107), ("uncovered", 8), ("w", 66)],
        &[("polynomial", 0x259), ("uncovered", 9), ("w", 68)],
        &[("polynomial", 0x633), ("uncovered", 10), ("w", 136)],
        &[("polynomial", 0xB85), ("uncovered", 11), ("pipeline", 2)],
        &[("polynomial", 0x13C5), ("uncovered", 0), ("w", 272)],
        &[("polynomial", 0x3CF5), ("uncovered", 13), ("w", 264)],
        &[("polynomial", 0xC599), ("uncovered", 15), ("pipeline", 0)],
    ];
    for changes in GENERATORS {
        let case = Case { preset: "default", changes };
        deep(plan(&format!("link_crc_{:x}", changes[0].1), case), 10_000, STOCK_CLOCKS).run().expect("equal");
    }
}
