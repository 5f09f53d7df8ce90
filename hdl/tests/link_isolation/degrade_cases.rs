//! Directed cases of `link_degrade`: what it must not react to, clears, thresholds exact to the LTP.

use crate::link_isolation::Directed;
use flitforge_hdl::link::degrade::LinkDegrade;

fn degrade(active: u64, min_lanes: u64, trigger: u64) -> Directed {
    let mut bench = Directed::new("link_degrade", LinkDegrade::default());
    bench.set("enabled", 1).set("min_lanes", min_lanes - 1).set("trigger", trigger).set("window", 0);
    bench.set("active", active).set("enter", 1);
    bench.clock();
    bench.set("enter", 0);
    (0..3).for_each(|_| bench.clock());
    bench
}

/// One event, then what it leads to: {remove, refused}.
fn event(bench: &mut Directed, good: u64, lane_errors: u64) -> (u64, u64) {
    bench.set("good_ltp", good).set("lane_errors", lane_errors);
    bench.clock();
    bench.set("good_ltp", 0).set("lane_errors", 0);
    let found = (bench.get("remove"), bench.get("refused"));
    (0..3).for_each(|_| bench.clock());
    assert_eq!((bench.get("remove"), bench.get("refused")), (0, 0), "pulses last one clock");
    found
}

fn levels(bench: &mut Directed) -> [u64; 4] {
    std::array::from_fn(|lane| bench.get(&format!("level[{lane}]")))
}

#[test]
fn verdicts_on_lanes_that_are_not_there_change_nothing() {
    let mut bench = degrade(0b0111, 1, 1);
    assert_eq!(event(&mut bench, 1, 0b1000), (0, 0));
    bench.set("clear", 1);
    bench.clock();
    bench.set("clear", 0);
    assert_eq!(event(&mut bench, 1, 0b0001), (0, 0), "no lane is in use behind clear");
    assert_eq!(levels(&mut bench), [0; 4]);
}

#[test]
fn clear_empties_the_buckets_and_a_trigger_of_0_is_one_of_1() {
    let mut bench = degrade(0b1111, 1, 7);
    (0..6).for_each(|_| assert_eq!(event(&mut bench, 0, 0b0100), (0, 0)));
    assert_eq!(levels(&mut bench), [0, 0, 6, 0]);
    bench.set("clear", 1);
    bench.clock();
    bench.set("clear", 0);
    assert_eq!(levels(&mut bench), [0; 4]);
    let mut bench = degrade(0b1111, 1, 0);
    assert_eq!(event(&mut bench, 0, 0b0100), (0b0100, 0));
}

#[test]
fn a_disabled_bucket_fills_to_seven_and_removes_nothing() {
    let mut bench = degrade(0b1111, 1, 3);
    bench.set("enabled", 0);
    (0..20).for_each(|_| assert_eq!(event(&mut bench, 1, 0b0010), (0, 0)));
    assert_eq!(levels(&mut bench), [0, 7, 0, 0]);
}

/// Chapter 10, 9.9: 4 -> 3 -> 2 -> 1 and the refusal at MIN_LANES.
#[test]
fn lanes_go_one_after_the_other_and_the_last_is_refused() {
    for min_lanes in 1..=4u64 {
        let mut bench = degrade(0b1111, min_lanes, 2);
        let mut left = 0b1111u64;
        for lane in [2u64, 0, 3, 1] {
            let may_go = u64::from(left.count_ones()) > min_lanes;
            assert_eq!(event(&mut bench, 1, 1 << lane), (0, 0));
            let expected = if may_go { (1 << lane, 0) } else { (0, 1) };
            assert_eq!(event(&mut bench, 1, 1 << lane), expected, "{left:04b} at least {min_lanes}");
            assert_eq!(levels(&mut bench)[lane as usize], 0);
            if may_go {
                left &= !(1 << lane);
            }
            // Retraining, then Active on what is left.
            bench.set("active", left).set("enter", 1);
            bench.clock();
            bench.set("enter", 0);
            (0..3).for_each(|_| bench.clock());
        }
    }
}

/// The chapter's first window: 0x408 LTPs on four lanes, times L/4.
#[test]
fn a_bucket_leaks_after_exactly_one_window() {
    for (active, ltps) in [(0b1111, 1032), (0b0111, 774), (0b1001, 516), (0b0100, 258)] {
        let mut bench = degrade(active, 1, 7);
        let lane = active.trailing_zeros();
        event(&mut bench, 1, 1 << lane);
        event(&mut bench, 1, 1 << lane);
        for expected in [1, 0] {
            (1..ltps).for_each(|_| assert_eq!(event(&mut bench, 1, 0), (0, 0)));
            assert_eq!(levels(&mut bench)[lane as usize], expected + 1, "{active:04b}: one LTP early");
            event(&mut bench, 1, 0);
            assert_eq!(levels(&mut bench)[lane as usize], expected, "{active:04b}: on the LTP");
        }
    }
}
