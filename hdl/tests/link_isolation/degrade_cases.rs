//! BenchBlock cases of `link_degrade`: what it must not react to, clears, thresholds exact to the LTP.

use flitforge_hdl::link::degrade::LinkDegrade;
use flitforge_testkit::{BenchBlock, Clocked};

/// Least charge of SAFE 3, and TH 1, from the chapter.
const SAFE_3: u64 = 1024;
const TH_1: u64 = 2048;

/// TH 1, SAFE 3: two verdicts in a row remove a lane.
fn degrade(active: u64, min_lanes: u64) -> BenchBlock {
    let mut bench = BenchBlock::new("link_degrade", LinkDegrade::default());
    bench
        .set("enabled", 1)
        .set("min_lanes", min_lanes - 1)
        .set("threshold", 1)
        .set("stand_out", 2)
        .set("safe", 3);
    enter(&mut bench, active);
    bench
}

fn enter(bench: &mut BenchBlock, active: u64) {
    bench.set("active", active).set("enter", 1);
    bench.clock();
    bench.set("enter", 0);
    (0..10).for_each(|_| bench.clock());
}

/// One LTP, then what it leads to: {remove, refused}.
fn ltp(bench: &mut BenchBlock, tossed: u64, lane_errors: u64) -> (u64, u64) {
    bench.set("ltp", 1).set("tossed", tossed).set("lane_errors", lane_errors);
    bench.clock();
    bench.set("ltp", 0).set("tossed", 0).set("lane_errors", 0);
    pulse(bench, 8)
}

/// What comes out in these clocks, and in three more.
fn pulse(bench: &mut BenchBlock, clocks: usize) -> (u64, u64) {
    let mut found = (0, 0);
    for clock in 1..clocks + 3 {
        let now = (bench.get("remove"), bench.get("refused"));
        assert!(now == (0, 0) || (clock == clocks && found == (0, 0)), "one pulse {clocks} clocks behind");
        found = if now == (0, 0) { found } else { now };
        bench.clock();
    }
    found
}

fn debts(bench: &mut BenchBlock) -> [u64; 4] {
    std::array::from_fn(|lane| bench.get(&format!("debt[{lane}]")))
}

#[test]
fn verdicts_on_lanes_that_are_not_there_change_nothing() {
    let mut bench = degrade(0b0111, 1);
    (0..4).for_each(|_| assert_eq!(ltp(&mut bench, 1, 0b1000), (0, 0)));
    assert_eq!(debts(&mut bench), [0; 4]);
    bench.set("clear", 1);
    bench.clock();
    bench.set("clear", 0);
    (0..4).for_each(|_| assert_eq!(ltp(&mut bench, 0, 0b0001), (0, 0), "no lane is in use behind clear"));
    assert_eq!(debts(&mut bench), [0; 4]);
}

#[test]
fn a_debt_falls_by_one_each_ltp_and_is_shown_in_units() {
    let mut bench = degrade(0b1111, 1);
    assert_eq!(ltp(&mut bench, 0, 0b0100), (0, 0));
    assert_eq!(debts(&mut bench), [0, 0, 1, 0], "1,024");
    assert_eq!(ltp(&mut bench, 0, 0), (0, 0));
    assert_eq!(debts(&mut bench), [0; 4], "1,023");
    // One LTP sooner the second verdict would have been enough.
    assert_eq!(ltp(&mut bench, 0, 0b0100), (0, 0));
    assert_eq!(debts(&mut bench), [0, 0, 1, 0], "2,047");
    assert_eq!(ltp(&mut bench, 0, 0b0100), (0b0100, 0));
    assert_eq!(debts(&mut bench), [0; 4]);
}

#[test]
fn clear_forgets_debts_and_what_is_pending() {
    let mut bench = degrade(0b1111, 1);
    bench.set("safe", 0).set("threshold", 0);
    (0..200).for_each(|_| assert_eq!(ltp(&mut bench, 1, 0), (0, 0)));
    bench.set("clear", 1);
    bench.clock();
    bench.set("clear", 0);
    enter(&mut bench, 0b1111);
    bench.set("request", 1);
    (0..51).for_each(|_| bench.clock());
    bench.set("request", 0);
    // 51 requests of 5 are all that can be pending, 255; four lanes owe 1,020, and with the next 1,019 + 4 x 5.
    assert_eq!(ltp(&mut bench, 1, 0b0010), (0, 0));
    bench.set("request", 1);
    bench.clock();
    bench.set("request", 0);
    assert_eq!(ltp(&mut bench, 0, 0b0010), (0b0010, 0));
}

#[test]
fn a_disabled_one_holds_its_debt_at_the_threshold() {
    let mut bench = degrade(0b1111, 1);
    bench.set("enabled", 0);
    (0..20).for_each(|_| assert_eq!(ltp(&mut bench, 1, 0b0010), (0, 0)));
    assert_eq!(debts(&mut bench), [0, TH_1 / SAFE_3, 0, 0]);
    bench.set("fault", 1);
    bench.clock();
    bench.set("fault", 0);
    assert_eq!(pulse(&mut bench, 1), (0, 0));
}

/// Chapter 10, 9.9: 4 -> 3 -> 2 -> 1 and the refusal at MIN_LANES.
#[test]
fn lanes_go_one_after_the_other_and_the_last_is_refused() {
    for min_lanes in 1..=4u64 {
        let mut bench = degrade(0b1111, min_lanes);
        bench.set("stand_out", 0);
        let mut left = 0b1111u64;
        for lane in [2u64, 0, 3, 1] {
            let may_go = u64::from(left.count_ones()) > min_lanes;
            assert_eq!(ltp(&mut bench, 1, 1 << lane), (0, 0));
            let expected = if may_go { (1 << lane, 0) } else { (0, 1) };
            assert_eq!(ltp(&mut bench, 1, 1 << lane), expected, "{left:04b} at least {min_lanes}");
            assert_eq!(debts(&mut bench)[lane as usize], 0);
            if may_go {
                left &= !(1 << lane);
            }
            // Retraining, then Active on what is left.
            enter(&mut bench, left);
        }
    }
}

#[test]
fn lanes_that_are_alike_stay() {
    let mut bench = degrade(0b1111, 1);
    for round in 0..30 {
        for lane in 0..4 {
            assert_eq!(ltp(&mut bench, 1, 1 << lane), (0, 0), "round {round}");
        }
    }
    assert_eq!(debts(&mut bench).iter().filter(|debt| **debt == TH_1 / SAFE_3).count(), 1, "the last one");
    // 30 verdicts each. 34 more bring one lane to 64, which halves all: 32 and 15 of the others. The 61st is beyond four times 15.
    let gone = (1..200).find(|_| ltp(&mut bench, 1, 0b1000) == (0b1000, 0));
    assert_eq!(gone, Some(34 + 29), "a lane that is worse goes");
}

#[test]
fn a_fault_takes_the_lane_with_the_largest_debt_at_once() {
    let mut bench = degrade(0b1111, 1);
    bench.set("threshold", 7).set("safe", 0);
    let fault = |bench: &mut BenchBlock| {
        bench.set("fault", 1);
        bench.clock();
        bench.set("fault", 0);
        pulse(bench, 1)
    };
    for (lane, verdicts) in [(0b0001, 2), (0b0100, 3)] {
        for _ in 0..verdicts {
            (0..lane + 4).for_each(|_| assert_eq!(ltp(&mut bench, 1, 0), (0, 0)));
            assert_eq!(ltp(&mut bench, 1, lane), (0, 0));
        }
        let expected = if verdicts == 3 { (0b0100, 0) } else { (0, 0) };
        assert_eq!(fault(&mut bench), expected, "{verdicts} verdicts");
    }
    assert_eq!(fault(&mut bench), (0, 0), "until the next LTP nobody is the worst");
}
