//! Chapter 10, section 9, point 9 (bucket part): thresholds exact to the LTP.

#![allow(clippy::expect_used, reason = "in tests, helper functions included")]

use flitforge_model::degrade::{Degrade, DegradeAction, DegradeConfig};
use flitforge_protocol::counter::LinkCounter;

fn degrade(lanes: u8, window: u8, trigger: u8, min_lanes: u8) -> Degrade {
    Degrade::new(DegradeConfig { enabled: true, min_lanes, trigger, window }, lanes).expect("a configuration")
}

fn good(degrade: &mut Degrade, ltps: u32) {
    (0..ltps).for_each(|_| assert_eq!(degrade.good_ltp(None), None));
}

#[test]
fn a_bucket_leaks_after_exactly_one_window_of_good_ltps() {
    // from the chapter's table: 0x408 and 0x1008 LTPs on four lanes, x L/4
    for (lanes, window, ltps) in [
        (0b1111u8, 0, 1032),
        (0b0111, 0, 774),
        (0b1001, 0, 516),
        (0b0100, 0, 258),
        (0b1111, 1, 4104),
        (0b1101, 1, 3078),
    ] {
        let lane = lanes.trailing_zeros() as usize;
        let mut degrade = degrade(lanes, window, 7, 1);
        degrade.good_ltp(Some(lane));
        degrade.good_ltp(Some(lane));
        good(&mut degrade, ltps - 1);
        assert_eq!(degrade.level(lane), 2, "lanes {lanes:04b}: one LTP early");
        good(&mut degrade, 1);
        assert_eq!(degrade.level(lane), 1, "lanes {lanes:04b}: on the LTP");
        good(&mut degrade, ltps - 1);
        assert_eq!(degrade.level(lane), 1);
        good(&mut degrade, 1);
        assert_eq!(degrade.level(lane), 0);
    }
}

#[test]
fn a_verdict_restarts_the_window_of_its_lane_only() {
    let mut degrade = degrade(0xF, 0, 7, 1);
    degrade.good_ltp(Some(0));
    degrade.good_ltp(Some(1));
    good(&mut degrade, 1030);
    degrade.good_ltp(Some(0)); // LTP 1032 behind the first verdict on lane 0, 1031 behind lane 1's
    assert_eq!((degrade.level(0), degrade.level(1)), (2, 1));
    good(&mut degrade, 1);
    assert_eq!((degrade.level(0), degrade.level(1)), (2, 0));
    good(&mut degrade, 1030);
    assert_eq!(degrade.level(0), 2);
    good(&mut degrade, 1);
    assert_eq!(degrade.level(0), 1);
}

#[test]
fn the_lane_goes_with_the_verdict_that_reaches_the_trigger() {
    for trigger in 1..=7 {
        let mut degrade = degrade(0xF, 2, trigger, 1);
        for _ in 1..trigger {
            assert_eq!(degrade.good_ltp(Some(3)), None, "trigger {trigger}");
        }
        assert_eq!(degrade.good_ltp(Some(3)), Some(DegradeAction::Remove(3)), "trigger {trigger}");
        assert_eq!(degrade.lanes(), 0b0111);
    }
}

#[test]
fn verdicts_just_slower_than_the_leak_never_remove_a_lane() {
    let mut slow = degrade(0xF, 0, 2, 1);
    for _ in 0..100 {
        assert_eq!(slow.good_ltp(Some(2)), None);
        good(&mut slow, 1032);
    }
    let mut fast = degrade(0xF, 0, 2, 1);
    assert_eq!(fast.good_ltp(Some(2)), None);
    good(&mut fast, 1031);
    assert_eq!(fast.good_ltp(Some(2)), Some(DegradeAction::Remove(2)));
}

#[test]
fn four_three_two_one_and_then_refused() {
    let mut degrade = degrade(0xF, 2, 4, 1);
    for (lane, left) in [(1, 0b1101), (3, 0b0101), (0, 0b0100)] {
        let actions: Vec<_> = (0..4).filter_map(|_| degrade.good_ltp(Some(lane))).collect();
        assert_eq!((actions, degrade.lanes()), (vec![DegradeAction::Remove(lane)], left));
        assert_eq!(degrade.good_ltp(Some(lane)), None, "a removed lane is charged no more");
    }
    for round in 1..=2 {
        let actions: Vec<_> = (0..4).filter_map(|_| degrade.good_ltp(Some(2))).collect();
        assert_eq!((actions, degrade.level(2)), (vec![DegradeAction::Refused(2)], 0));
        assert_eq!(degrade.counters().get(LinkCounter::RemoveRefused), round);
    }
    degrade.set_lanes(0xF); // Down, or CTRL.RESTORE
    assert_eq!((degrade.lanes(), (0..4).map(|lane| degrade.level(lane)).sum::<u8>()), (0xF, 0));
}

#[test]
fn min_lanes_is_the_last_width() {
    for min_lanes in 1..=4 {
        let mut degrade = degrade(0xF, 2, 1, min_lanes);
        let removed =
            (0..4).filter(|&lane| degrade.good_ltp(Some(lane)) == Some(DegradeAction::Remove(lane)));
        assert_eq!(removed.count(), 4 - usize::from(min_lanes));
        assert_eq!(degrade.lanes().count_ones(), u32::from(min_lanes));
    }
}
