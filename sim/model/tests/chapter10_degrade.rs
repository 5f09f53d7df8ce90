//! Chapter 10, section 9, point 9: buckets exact to the LTP, and lanes removed under traffic.

#![allow(clippy::expect_used, reason = "in tests, helper functions included")]

use flitforge_model::degrade::{Degrade, DegradeAction, DegradeConfig};
use flitforge_model::pair::BitErrorRate;
use flitforge_model::train::{lane_fault, LaneFaultParameters, LaneFaultReport, ModeOffer, TrainConfig};
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

/// Windows of the chapter's table, four lanes, typed in from 4.5.
const WINDOWS: [u32; 8] = [0x408, 0x1008, 0x10008, 0x80004, 0xFF000, 0x400008, 0x800004, 0xFFFFFC];

#[test]
fn every_window_is_exact_on_every_number_of_lanes() {
    for (window, ltps) in WINDOWS.into_iter().enumerate() {
        for (lanes, ltps) in
            [(0b1111u8, ltps), (0b1110, ltps / 4 * 3), (0b0101, ltps / 2), (0b1000, ltps / 4)]
        {
            let lane = lanes.trailing_zeros() as usize;
            let mut degrade = degrade(lanes, window as u8, 7, 1);
            assert_eq!(degrade.good_ltp(Some(lane)), None);
            good(&mut degrade, ltps - 1);
            assert_eq!(degrade.level(lane), 1, "WIN {window}, lanes {lanes:04b}: one LTP early");
            good(&mut degrade, 1);
            assert_eq!(degrade.level(lane), 0, "WIN {window}, lanes {lanes:04b}: on the LTP");
        }
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

/// Mode 1 on four lanes, windows of 1032 LTPs; noise on single lanes of one or both directions.
fn faulty(noise: [[u32; 4]; 2], min_lanes: u8, steps: u64) -> LaneFaultReport {
    let modes = ModeOffer { capabilities: 1, preferred: 1, bonded: false };
    let parameters = LaneFaultParameters {
        train: TrainConfig { modes, ..TrainConfig::default() },
        degrade: DegradeConfig { enabled: true, min_lanes, trigger: 4, window: 0 },
        noise: noise.map(|lanes| lanes.map(|per_1e9| BitErrorRate { per_1e9 })),
        steps,
        noise_steps: 0,
    };
    let seed = 0x1045;
    let report = lane_fault(&parameters, seed, &mut |_, _| ()).expect("exactly once");
    println!("seed {seed:#x}: {report:?}");
    assert_eq!(report.lost_on_reset, 0, "lane removal keeps what was sent");
    report
}

fn removed(report: &LaneFaultReport) -> Vec<(usize, u8)> {
    report.removals.iter().map(|removal| (removal.by, removal.lane)).collect()
}

#[test]
fn a_noisy_lane_is_found_and_removed_in_its_direction_only() {
    for lane in 0..4 {
        for from in 0..2 {
            let mut noise = [[0; 4]; 2];
            noise[from][lane] = 20_000; // 0.5 % of the LTPs
            let report = faulty(noise, 1, 20_000);
            assert_eq!(removed(&report), [(1 - from, lane as u8)]);
            assert_eq!((report.lanes[from], report.lanes[1 - from]), (0xF & !(1 << lane), 0xF));
            let charged: u64 = report.lane_errors.iter().flatten().sum();
            assert_eq!(report.lane_errors[from][lane], charged, "a healthy lane is charged");
            assert!(report.flits > 16 * 2 * 15_000, "traffic goes on: {} flits", report.flits);
        }
    }
}

#[test]
fn a_clean_or_hardly_noisy_link_keeps_its_lanes() {
    assert_eq!(faulty([[0; 4]; 2], 1, 10_000).removals, []);
    let report = faulty([[500; 4]; 2], 1, 30_000); // a verdict on a lane each 7600 LTPs, a leak each 1032
    assert_eq!((removed(&report), report.lanes), (vec![], [0xF, 0xF]));
    assert!(report.lane_errors.iter().flatten().sum::<u64>() > 10, "errors came about");
}

#[test]
fn noise_on_all_lanes_takes_them_one_by_one_down_to_one() {
    // the noisier lane goes first; on two lanes both are still told apart, on one there is no verdict
    let report = faulty([[10_000, 30_000, 100_000, 20_000], [0; 4]], 1, 40_000);
    assert_eq!(report.removals.len(), 3, "{report:?}");
    assert_eq!(removed(&report)[0], (1, 2));
    assert_eq!((report.lanes[0].count_ones(), report.lanes[1]), (1, 0xF));
    assert_eq!(report.counters.get("REMOVE_REFUSED"), None);
    assert!(report.counters["ISO_UNKNOWN"] > 0, "one lane is left, its errors name no lane");
}

#[test]
fn at_min_lanes_the_removal_is_refused_and_both_directions_degrade_on_their_own() {
    let report = faulty([[100_000, 100_000, 100_000, 0], [0, 0, 0, 50_000]], 2, 60_000);
    assert_eq!((report.lanes[0].count_ones(), report.lanes[1]), (2, 0b0111), "{report:?}");
    assert!(report.counters["REMOVE_REFUSED"] > 0, "{report:?}");
    assert_eq!(report.removals.iter().filter(|removal| removal.by == 1).count(), 2);
    assert_eq!(report.removals.iter().filter(|removal| removal.by == 0).count(), 1);
}
