//! T5 and T10 of chapter 20 on a real link of one oscillator: PHASE_SRC NONE, whose words are exact there.

use crate::time_port::rig::{spread, Rig, CLOCK_SIXTEENTHS};
use flitforge_sim::cosim::Depth;
use flitforge_testkit::{depth, Clocked};

/// 1/8 ns, in 1/16 ns: what T5 allows between loads.
const EIGHTH: i64 = 2;

fn clocks() -> u64 {
    match depth() {
        Depth::Quick => 60_000,
        _ => 1_000_000,
    }
}

/// T5: packets are unchanged and in order, and V + constants is the same at every load, in both directions.
#[test]
fn t05_a_low_is_as_late_as_the_link_at_every_load() {
    let mut rig = Rig::new("loads", [3, 3]);
    (0..2).for_each(|end| rig.enable(end));
    rig.come_up();
    let mut all = [vec![], vec![]];
    for load in [0.0, 0.5, 1.0] {
        for way in &mut rig.ways {
            (way.pace, way.lows) = (load, 0.02);
        }
        rig.run(clocks());
        for (end, all) in all.iter_mut().enumerate() {
            let passed = std::mem::take(&mut rig.ways[end].passed);
            println!(
                "load {load}: {} Lows from end {end}, X to R {:?} / 16 ns",
                passed.len(),
                spread(&passed)
            );
            assert!(passed.len() > 100);
            all.extend(passed);
        }
    }
    rig.drain();
    for (end, all) in all.iter().enumerate() {
        let (least, most) = spread(all);
        assert!(most - least <= EIGHTH, "from end {end}: {least} to {most} / 16 ns");
        assert!(rig.flits[end].sent() > clocks() / 4, "flits went");
        let came = rig.counter(1 - end, "EXTRACTED");
        assert_eq!(rig.counter(end, "INJECTED"), came, "none is lost on a link without errors");
        assert!(rig.ways[end].highs > 100);
        assert_eq!(came, all.len() as u64 + rig.ways[end].highs);
    }
}

/// T10 without a phase source: both ends measure the way from X to R that Lows are late by, and agree; where the directions
/// differ, with the difference given as ASYM.
#[test]
fn t10_both_ends_measure_what_a_low_takes() {
    for (there, back) in [(0, 0), (3, 3), (15, 15), (3, 11), (14, 0)] {
        let mut rig = Rig::new("delays", [there, back]);
        // Words are clocks: 1/16 ns of the difference, ASYM in 1/256 ns.
        let difference = (there as i64 - back as i64) * CLOCK_SIXTEENTHS;
        for (end, sign) in [(0, 1), (1, -1)] {
            rig.set(&format!("asymmetry[{end}]"), (sign * difference * 16) as u64 & 0xFFFF_FFFF);
        }
        (0..2).for_each(|end| rig.enable(end));
        rig.come_up();
        for way in &mut rig.ways {
            (way.pace, way.lows) = (0.5, 0.02);
        }
        rig.run(20_000);
        rig.drain();
        for end in 0..2 {
            let (least, most) = spread(&rig.ways[end].passed);
            let mean = rig.signed(&format!("mean[{end}]"));
            let (min, max) = (rig.signed(&format!("min[{end}]")), rig.signed(&format!("max[{end}]")));
            println!("{there}, {back} words from end {end}: Lows {least} to {most} / 16 ns, measured {mean} ({min} to {max}) / 256 ns");
            let error = [least, most].map(|passed| (mean - 16 * passed).abs());
            assert!(error.iter().all(|error| *error <= 16 * EIGHTH), "{error:?} / 256 ns");
            assert!(max - min <= 16 * EIGHTH && rig.counter(end, "LDM_RETRY") == 0);
            assert_eq!(rig.get(&format!("failed[{end}]")), 0);
        }
        let apart = rig.signed("mean[0]") - rig.signed("mean[1]") - difference * 16;
        assert!(apart.abs() <= 16 * EIGHTH, "{apart} / 256 ns");
    }
}

/// T7 on one link: of Lows that meet errors some are lost, and none is late by anything else, in both modes.
#[test]
fn t07_no_error_on_the_line_makes_a_low_wrong() {
    for advance in [0, 1] {
        let mut rig = Rig::new("errors", [5, 5]);
        for end in 0..2 {
            rig.set(&format!("advance[{end}]"), advance);
        }
        (0..2).for_each(|end| rig.enable(end));
        rig.come_up();
        for way in &mut rig.ways {
            (way.pace, way.lows, way.errors) = (0.5, 0.02, 0.0005);
        }
        rig.run(clocks());
        rig.drain();
        for end in 0..2 {
            let (least, most) = spread(&rig.ways[end].passed);
            let (copies, came) = (rig.ways[end].copies, rig.ways[end].passed.len() as u64);
            let advanced = rig.counter(end, "ADVANCED");
            println!("advance {advance}, end {end}: {came} of {copies} Lows, {advanced} waited, {least} to {most} / 16 ns");
            assert!(most - least <= EIGHTH && came < copies && came > copies / 2);
            assert_eq!(advanced > 0, advance == 1);
        }
    }
}

/// Retraining changes LINK_EPOCH: Lows are held until the link has been measured again, and what they are late by is what was measured.
#[test]
fn a_new_epoch_holds_lows_until_the_link_is_measured() {
    let mut rig = Rig::new("epochs", [2, 2]);
    (0..2).for_each(|end| rig.enable(end));
    rig.come_up();
    for _ in 0..3 {
        let epoch = rig.get("link_epoch[0]");
        for way in &mut rig.ways {
            (way.pace, way.lows) = (0.3, 0.1);
        }
        rig.run(9_000);
        for end in 0..2 {
            let passed = std::mem::take(&mut rig.ways[end].passed);
            let (least, most) = spread(&passed);
            let mean = rig.signed(&format!("mean[{end}]"));
            assert!([least, most].iter().all(|passed| (mean - 16 * passed).abs() <= 16 * EIGHTH), "{mean}");
        }
        let held = rig.counter(0, "EPOCH_HOLD") + rig.counter(1, "EPOCH_HOLD");
        rig.retrain(0);
        rig.come_up();
        let held = rig.counter(0, "EPOCH_HOLD") + rig.counter(1, "EPOCH_HOLD") - held;
        println!("behind epoch {epoch}: {held} Lows and Highs held");
        assert!(held > 0 && rig.get("link_epoch[0]") > epoch);
        rig.ways.iter_mut().for_each(|way| way.passed.clear());
    }
}
