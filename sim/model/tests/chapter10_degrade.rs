//! Chapter 10, section 9, point 9: debts exact to the LTP, and lanes removed under traffic.

#![allow(clippy::expect_used, reason = "in tests, helper functions included")]

use flitforge_model::degrade::{Degrade, DegradeAction, DegradeConfig};
use flitforge_model::pair::BitErrorRate;
use flitforge_model::train::{lane_fault, LaneFaultParameters, LaneFaultReport, ModeOffer, TrainConfig};
use flitforge_protocol::counter::LinkCounter;

/// TH, typed in from 4.5: 2^(10+n).
const THRESHOLDS: [u32; 8] = [1_024, 2_048, 4_096, 8_192, 16_384, 32_768, 65_536, 131_072];

fn degrade(lanes: u8, threshold: u8) -> Degrade {
    configured(lanes, DegradeConfig { threshold, ..DegradeConfig::default() })
}

fn configured(lanes: u8, config: DegradeConfig) -> Degrade {
    Degrade::new(config, lanes).expect("a configuration")
}

/// LTPs without a verdict, the first so many of them tossed.
fn ltps(degrade: &mut Degrade, ltps: u32, tossed: u32) {
    (0..ltps).for_each(|ltp| assert_eq!(degrade.ltp(ltp < tossed, None), None));
}

/// Verdicts on a lane, each after `tossed` tossed LTPs and `good` others, until something happens; how many, and what.
fn until(degrade: &mut Degrade, lane: usize, tossed: u32, good: u32) -> Option<(u32, DegradeAction)> {
    (1..=2_000).find_map(|verdict| {
        ltps(degrade, tossed + good, tossed);
        Some((verdict, degrade.ltp(false, Some(lane))?))
    })
}

#[test]
fn a_verdict_costs_l_times_what_was_tossed_and_five_for_each_request() {
    for (lanes, count) in [(0b1111u8, 4), (0b0111, 3), (0b1001, 2)] {
        let lane = lanes.trailing_zeros() as usize;
        let mut degrade = degrade(lanes, 2);
        ltps(&mut degrade, 20, 9);
        degrade.request();
        degrade.request();
        // Its own LTP is tossed, too: 9 + 2 x 5 + 1.
        assert_eq!(degrade.ltp(true, Some(lane)), None);
        assert_eq!((degrade.debt(lane), degrade.pending()), (count * 20, 0), "lanes {lanes:04b}");
        ltps(&mut degrade, count * 20 - 1, 0);
        assert_eq!(degrade.debt(lane), 1);
        ltps(&mut degrade, 2, 0);
        assert_eq!(degrade.debt(lane), 0, "and not below");
    }
}

#[test]
fn other_lanes_fall_with_the_ltp_of_a_verdict_and_its_own_does_not() {
    let mut degrade = degrade(0xF, 2);
    ltps(&mut degrade, 10, 10);
    degrade.ltp(false, Some(0));
    ltps(&mut degrade, 5, 5);
    degrade.ltp(false, Some(1));
    assert_eq!((degrade.debt(0), degrade.debt(1)), (40 - 5 - 1, 20));
}

#[test]
fn verdicts_that_name_no_lane_leave_what_is_pending_to_the_next() {
    let mut degrade = degrade(0xF, 2);
    ltps(&mut degrade, 50, 30);
    degrade.ltp(false, Some(2));
    assert_eq!(degrade.debt(2), 120);
}

#[test]
fn one_verdict_cannot_cost_a_lane() {
    let mut degrade = degrade(0xF, 0);
    ltps(&mut degrade, 100_000, 100_000);
    assert_eq!(degrade.ltp(true, Some(3)), None);
    assert_eq!((degrade.debt(3), degrade.lanes()), (4 * 255, 0xF));
}

#[test]
fn every_threshold_is_exact_to_the_verdict() {
    for (threshold, debt) in THRESHOLDS.into_iter().enumerate() {
        // 256 LTPs tossed: 1,020 more and 256 less with every verdict, but nothing less before the first.
        let verdicts = 1 + (debt - 1_020).div_ceil(1_020 - 256);
        let mut degrade = degrade(0xF, threshold as u8);
        let found = until(&mut degrade, 1, 256, 0);
        assert_eq!(found, Some((verdicts, DegradeAction::Remove(1))), "TH {threshold}");
        assert_eq!(degrade.lanes(), 0b1101);
    }
}

#[test]
fn a_lane_that_costs_a_quarter_of_the_time_stays_and_one_that_costs_more_goes() {
    // 10 tossed of 40 LTPs from verdict to verdict, besides those of the verdicts.
    let mut just = degrade(0xF, 0);
    assert_eq!(until(&mut just, 2, 10, 30), None);
    assert_eq!(just.debt(2), 40);
    // 10 of 39: one more each time, 40 at first.
    let mut more = degrade(0xF, 0);
    assert_eq!(until(&mut more, 2, 10, 29), Some((985, DegradeAction::Remove(2))));
    // On three lanes the same lane has to cost a third.
    assert_eq!(until(&mut degrade(0b0111, 0), 2, 10, 20), None);
    assert_eq!(until(&mut degrade(0b0111, 0), 2, 10, 19), Some((995, DegradeAction::Remove(2))));
}

#[test]
fn bursts_far_apart_cost_nothing() {
    // Four in 70,000 clocks, 8,400 LTPs: a count of errors would have taken the lane.
    let mut degrade = degrade(0xF, 2);
    assert_eq!(until(&mut degrade, 0, 12, 2_100), None);
    assert_eq!(degrade.debt(0), 48);
}

#[test]
fn safe_charges_a_verdict_at_least_so_much() {
    let safe = configured(0xF, DegradeConfig::safe_setting());
    assert_eq!(until(&mut safe.clone(), 0, 8, 1_016), None, "one verdict in 1,024 LTPs besides its own");
    // 124 more with every verdict, 1,024 at first, 16,384 at the end.
    let found = until(&mut safe.clone(), 0, 8, 892);
    assert_eq!(found, Some((1 + 15_360u32.div_ceil(124), DegradeAction::Remove(0))));
    for (code, least) in [0, 256, 512, 1_024, 2_048, 4_096, 8_192, 16_384].into_iter().enumerate() {
        let config = DegradeConfig { safe: code as u8, threshold: 7, ..DegradeConfig::default() };
        let mut degrade = configured(0xF, config);
        degrade.request();
        degrade.ltp(false, Some(3));
        assert_eq!(degrade.debt(3), least.max(20), "SAFE {code}");
        ltps(&mut degrade, 30_000, 0);
        ltps(&mut degrade, 255, 255);
        degrade.ltp(false, Some(3));
        assert_eq!(degrade.debt(3), least.max(1_020), "SAFE {code}: what it cost, if that is more");
    }
}

#[test]
fn a_lane_has_to_stand_out_by_more_than_the_factor() {
    for (code, factor) in [(1u8, 2u32), (2, 4), (3, 8)] {
        let config = DegradeConfig { threshold: 0, stand_out: code, ..DegradeConfig::default() };
        let mut degrade = configured(0b0011, config);
        // Three verdicts on lane 1, which cost nothing.
        (0..3).for_each(|_| assert_eq!(degrade.ltp(false, Some(1)), None));
        let found = until(&mut degrade, 0, 255, 0);
        assert_eq!(found, Some((3 * factor + 1, DegradeAction::Remove(0))), "STAND_OUT {code}");
    }
    // Without it the debt alone counts: 510 a verdict, 255 less.
    let config = DegradeConfig { threshold: 0, stand_out: 0, ..DegradeConfig::default() };
    let mut degrade = configured(0b0011, config);
    (0..3).for_each(|_| assert_eq!(degrade.ltp(false, Some(1)), None));
    assert_eq!(until(&mut degrade, 0, 255, 0), Some((4, DegradeAction::Remove(0))));
}

#[test]
fn lanes_that_are_alike_stay_and_owe_no_more_than_the_threshold() {
    let mut degrade = degrade(0xF, 0);
    for round in 0..1_000 {
        for lane in 0..4 {
            ltps(&mut degrade, 255, 255);
            assert_eq!(degrade.ltp(false, Some(lane)), None, "round {round}");
        }
        assert!((0..4).all(|lane| degrade.debt(lane) <= 1_024 && degrade.verdicts(lane) < 64));
    }
    assert_eq!(degrade.lanes(), 0xF);
}

#[test]
fn verdicts_are_halved_when_one_has_come_to_64() {
    let mut degrade = degrade(0xF, 7);
    (0..20).for_each(|_| assert_eq!(degrade.ltp(false, Some(2)), None));
    (0..63).for_each(|_| assert_eq!(degrade.ltp(false, Some(1)), None));
    assert_eq!([0, 1, 2].map(|lane| degrade.verdicts(lane)), [0, 63, 20]);
    assert_eq!(degrade.ltp(false, Some(1)), None);
    assert_eq!([0, 1, 2].map(|lane| degrade.verdicts(lane)), [0, 32, 10]);
}

#[test]
fn a_fault_takes_the_lane_with_the_largest_debt_if_it_has_three_verdicts_and_stands_out() {
    let charged = |verdicts: [u32; 4]| {
        let mut degrade = degrade(0xF, 7);
        for (lane, verdicts) in verdicts.into_iter().enumerate() {
            for _ in 0..verdicts {
                ltps(&mut degrade, 60, 60);
                assert_eq!(degrade.ltp(false, Some(lane)), None);
            }
        }
        degrade
    };
    assert_eq!(charged([0, 3, 0, 2]).fault(), Some(DegradeAction::Remove(1)));
    assert_eq!(charged([0, 2, 0, 0]).fault(), None, "two verdicts");
    assert_eq!(charged([1, 4, 1, 1]).fault(), None, "four is not more than four times one");
    assert_eq!(charged([1, 5, 1, 1]).fault(), Some(DegradeAction::Remove(1)));
    assert_eq!(charged([0, 0, 0, 0]).fault(), None);
    let mut removed = charged([0, 5, 5, 0]);
    assert_eq!(removed.fault(), Some(DegradeAction::Remove(2)), "the later one owes more");
    assert_eq!(removed.fault(), None, "until the next LTP says who is the worst");
    removed.ltp(false, None);
    assert_eq!(removed.fault(), Some(DegradeAction::Remove(1)));
}

#[test]
fn retraining_keeps_debts_and_down_does_not() {
    let mut degrade = degrade(0xF, 0);
    ltps(&mut degrade, 200, 200);
    degrade.ltp(false, Some(0));
    ltps(&mut degrade, 100, 100);
    degrade.set_lanes(0xF);
    assert_eq!((degrade.debt(0), degrade.pending(), degrade.verdicts(0)), (700, 100, 1));
    degrade.set_lanes(0b1110); // it did not lock
    degrade.set_lanes(0xF);
    assert_eq!((degrade.debt(0), degrade.pending(), degrade.verdicts(0)), (0, 100, 0), "it came back");
    degrade.forget();
    assert_eq!((degrade.lanes(), degrade.pending()), (0, 0));
}

#[test]
fn four_three_two_one_and_then_refused() {
    let mut degrade = degrade(0xF, 0);
    for (lane, left) in [(1, 0b1101), (3, 0b0101), (0, 0b0100)] {
        let found = until(&mut degrade, lane, 255, 0).map(|(_, action)| action);
        assert_eq!((found, degrade.lanes()), (Some(DegradeAction::Remove(lane)), left));
        assert_eq!(until(&mut degrade, lane, 255, 0), None, "a removed lane is charged no more");
    }
    // The last lane is no better than itself, so only without STAND_OUT does it come to that.
    assert_eq!(until(&mut degrade, 2, 255, 0), None);
    let config = DegradeConfig { threshold: 0, stand_out: 0, ..DegradeConfig::default() };
    let mut last = configured(0b0100, config);
    for round in 1..=2 {
        ltps(&mut last, 10, 0);
        // 255 a verdict, nothing between them.
        for verdict in 1..=5 {
            (0..51).for_each(|_| last.request());
            let expected = (verdict == 5).then_some(DegradeAction::Refused(2));
            assert_eq!(last.ltp(false, Some(2)), expected, "verdict {verdict}");
        }
        assert_eq!((last.debt(2), last.verdicts(2)), (0, 0));
        assert_eq!(last.counters().get(LinkCounter::RemoveRefused), round);
    }
}

#[test]
fn min_lanes_is_the_last_width() {
    for min_lanes in 1..=4 {
        let config = DegradeConfig { threshold: 0, stand_out: 0, min_lanes, ..DegradeConfig::default() };
        let mut degrade = configured(0xF, config);
        for lane in 0..4 {
            let left = degrade.lanes().count_ones();
            // 255 x L each, none between them.
            let action = (0..5).find_map(|_| {
                (0..51).for_each(|_| degrade.request());
                degrade.ltp(false, Some(lane))
            });
            let goes = left > min_lanes.into();
            let expected = if goes { DegradeAction::Remove(lane) } else { DegradeAction::Refused(lane) };
            assert_eq!(action, Some(expected), "{left} lanes, at least {min_lanes}");
        }
        assert_eq!(degrade.lanes().count_ones(), u32::from(min_lanes));
    }
}

/// Mode 1 on four lanes; noise on single lanes of one or both directions.
fn faulty(noise: [[u32; 4]; 2], min_lanes: u8, steps: u64) -> LaneFaultReport {
    let modes = ModeOffer { capabilities: 1, preferred: 1, bonded: false };
    let parameters = LaneFaultParameters {
        train: TrainConfig { modes, ..TrainConfig::default() },
        degrade: DegradeConfig { min_lanes, ..DegradeConfig::default() },
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
            noise[from][lane] = 1_000_000; // 23 % of the LTPs
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
fn lanes_that_carry_more_than_they_cost_are_kept() {
    assert_eq!(faulty([[0; 4]; 2], 1, 10_000).removals, []);
    // On all lanes alike, and on one: 1.6 % of its LTPs bad, where 2.5 % would cost a quarter.
    for noise in [[500; 4], [20_000; 4], [0, 60_000, 0, 0]] {
        let report = faulty([noise; 2], 1, 100_000);
        assert_eq!((removed(&report), report.lanes), (vec![], [0xF, 0xF]));
        assert!(report.lane_errors.iter().flatten().sum::<u64>() > 10, "errors came about");
    }
}

#[test]
fn noise_on_all_lanes_but_one_takes_them_one_by_one() {
    let report = faulty([[1_000_000, 1_000_000, 1_000_000, 0], [0; 4]], 1, 200_000);
    assert_eq!(report.removals.len(), 3, "{report:?}");
    assert_eq!((report.lanes[0], report.lanes[1]), (0b1000, 0xF));
    assert_eq!(report.counters.get("REMOVE_REFUSED"), None);
    assert_eq!(report.lane_errors[0][3], 0, "the healthy lane is never charged");
}

#[test]
fn noise_on_all_lanes_alike_takes_none() {
    let report = faulty([[300_000; 4], [0; 4]], 1, 200_000);
    assert_eq!((removed(&report), report.lanes), (vec![], [0xF, 0xF]), "{report:?}");
}

#[test]
fn at_min_lanes_the_removal_is_refused_and_both_directions_degrade_on_their_own() {
    let report = faulty([[1_000_000, 1_000_000, 1_000_000, 0], [0, 0, 0, 1_000_000]], 2, 300_000);
    assert_eq!((report.lanes[0].count_ones(), report.lanes[1]), (2, 0b0111), "{report:?}");
    assert!(report.counters["REMOVE_REFUSED"] > 0, "{report:?}");
    assert_eq!(report.removals.iter().filter(|removal| removal.by == 1).count(), 2);
    assert_eq!(report.removals.iter().filter(|removal| removal.by == 0).count(), 1);
}
