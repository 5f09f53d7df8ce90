//! `tree_selector`.

use crate::support::build;
use crate::time::support::expect_bits;
use flitforge_hdl::registry::{find, Settings};
use flitforge_model::time::clocked::{ClockedSelector, SelectorInputs};
use flitforge_model::time::slave::saturate;
use flitforge_sim::kit::{rng, seed, Rng as KitRng, StimulusFn};
use flitforge_sim::{Bench, CosimPlan, PortValues, SimError};
use flitforge_testkit::wide::{drive_wide, expect_wide, signed};
use flitforge_testkit::{depth, drive_all, Seen};
use rand::Rng;
use std::array;

#[test]
fn selectors_of_no_trees_or_too_many_are_refused() {
    let entry = find("tree_selector").expect("registered");
    for trees in [0, 5] {
        let error = Settings::new(entry, None, &[("trees".into(), trees)]).expect_err("refused").to_string();
        assert!(error.contains("trees") && error.contains("tree_selector"), "{error}");
    }
}

/// Trees that fall silent and come back; lists with trees twice and trees that are not there.
struct World {
    random: KitRng,
    trees: usize,
    /// By tree: the clock of its next sample.
    next: Vec<u64>,
}

impl World {
    fn drive(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        let random = &mut self.random;
        drive_all(bench, &[("clear", u64::from(random.random_bool(0.000_5)))])?;
        if clock == 0 || random.random_bool(0.002) {
            drive_all(bench, &[("nclk", random.random_range(0..40))])?;
        }
        if clock == 0 || random.random_bool(0.005) {
            // Mostly a permutation, and all enabled.
            let order = match random.random_bool(0.8) {
                true => [0b11_10_01_00, 0b00_01_10_11, 0b10_00_11_01][random.random_range(0..3)],
                false => random.random_range(0..256),
            };
            let enabled = if random.random_bool(0.7) { 15 } else { random.random_range(0..16) };
            drive_all(bench, &[("priority", order), ("enabled", enabled & ((1 << self.trees) - 1))])?;
        }
        let due: Vec<usize> = (0..self.trees).filter(|tree| self.next[*tree] <= clock).collect();
        let used = (!due.is_empty()).then(|| due[random.random_range(0..due.len())]);
        for tree in 0..self.trees {
            let difference = random.random::<i64>() >> random.random_range(0..60);
            drive_wide(bench, &format!("whole[{tree}]"), i128::from(difference) as u128)?;
            drive_all(bench, &[(&format!("error[{tree}]"), u64::from(saturate(difference.into()) as u32))])?;
            drive_all(bench, &[(&format!("used[{tree}]"), u64::from(used == Some(tree)))])?;
        }
        if let Some(tree) = used {
            // Some periods without a sample: fewer than HOLD_N, or more.
            let pause = if random.random_bool(0.05) { 400 } else { 40 };
            self.next[tree] = clock + random.random_range(1..pause);
        }
        Ok(())
    }
}

fn inputs_of(trees: usize, inputs: &PortValues) -> Result<SelectorInputs, SimError> {
    let (priority, enabled) = (inputs.u64("priority")?, inputs.u64("enabled")?);
    let mut used = None;
    for tree in 0..trees {
        if inputs.bit(&format!("used[{tree}]"))? {
            used = Some((tree as u8, signed(&inputs.get(&format!("whole[{tree}]"))?)));
        }
    }
    Ok(SelectorInputs {
        clear: inputs.bit("clear")?,
        order: array::from_fn(|place| (priority >> (2 * place) & 3) as u8),
        enabled: array::from_fn(|tree| enabled >> tree & 1 == 1),
        hold_n: inputs.u64("hold_n")? as u8,
        nclk: inputs.u64("nclk")? as u32,
        used,
    })
}

fn model(trees: usize, seen: Seen) -> impl FnMut(&PortValues, &mut PortValues) -> Result<(), SimError> {
    let mut selector = ClockedSelector::new(trees);
    move |inputs, outputs| {
        let inputs = inputs_of(trees, inputs)?;
        let now = selector.clock(&inputs);
        seen.count_if(
            &format!("a sample for software alone, {trees} trees"),
            inputs.used.is_some() && now.sample.is_none(),
        );
        outputs.set_u64("followed", now.followed.into())?;
        let changed = format!("changed_tree of {trees}");
        seen.count_if(&changed, now.changed);
        outputs.set_bit("changed_tree", now.changed)?;
        if let Some(difference) = now.sample {
            expect_wide(outputs, "difference", difference as u128)?;
            outputs.set_u64("sample.data", u64::from(saturate(difference) as u32))?;
        }
        expect_bits(outputs, &[("sample.valid", now.sample.is_some())], &seen)
    }
}

/// A co-simulation with the model.
fn plan(trees: usize, hold_n: u64, seen: &Seen) -> CosimPlan<'static> {
    let name = format!("tree_selector_{trees}_{hold_n}");
    let make = move || build("tree_selector", &[("trees", trees as u64)]).block;
    let plan = CosimPlan::new(&name, seed(0x7255), make, move |testbench, seed| {
        let mut world = World { random: rng(seed, "trees"), trees, next: vec![20; trees] };
        testbench.add(StimulusFn(move |clock, bench: &mut dyn Bench| {
            if clock == 0 {
                drive_all(bench, &[("hold_n", hold_n)])?;
            }
            world.drive(clock, bench)
        }));
        Ok(())
    });
    plan.clocks(60_000).model(model(trees, seen.clone()))
}

#[test]
fn selector_is_its_model_whatever_comes() {
    let depth = depth();
    let seen = Seen::default();
    for (trees, hold_n) in [(4, 3), (4, 0), (3, 255), (2, 5)] {
        plan(trees, hold_n, &seen).to_depth(depth).run().expect("equal");
    }
    seen.require_all();
}

/// One tree: every sample goes on, and there is no change.
#[test]
fn of_one_tree_every_sample_goes_on() {
    let depth = depth();
    plan(1, 3, &Seen::default()).to_depth(depth).run().expect("equal");
}
