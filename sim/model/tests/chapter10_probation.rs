//! Chapter 10, section 9, goal a: a removed lane carries PRBS and comes back once it has worked off its debt.

#![allow(clippy::expect_used, reason = "in tests, helper functions included")]

use flitforge_model::degrade::DegradeConfig;
use flitforge_model::pair::BitErrorRate;
use flitforge_model::train::{
    check, lane_fault, Cable, CheckBounds, LaneFaultParameters, LaneFaultReport, ModeOffer, TrainConfig,
    TrainEvent, TrainPair, TrainTimes,
};

/// TH 0, typed in from 4.5: 2^10 LTPs.
const DEBT: u64 = 1024;
/// Steps in which a new width is agreed on.
const RETRAIN: u64 = 200;
/// 23 % of a lane's LTP times are bad, where one in 16 would keep it out.
const NOISY: BitErrorRate = BitErrorRate { per_1e9: 1_000_000 };
/// Every LTP time is bad.
const HOPELESS: BitErrorRate = BitErrorRate { per_1e9: 200_000_000 };
const QUIET: BitErrorRate = BitErrorRate { per_1e9: 0 };

fn config(probation: bool) -> TrainConfig {
    let modes = ModeOffer { capabilities: 1, preferred: 1, bonded: false };
    TrainConfig { modes, probation, ..TrainConfig::default() }
}

const DEGRADE: DegradeConfig =
    DegradeConfig { enabled: true, min_lanes: 1, threshold: 0, stand_out: 2, safe: 0 };

fn pair(configs: [TrainConfig; 2]) -> TrainPair {
    let mut pair = TrainPair::new(configs, [Cable::straight(); 2]).expect("a configuration");
    pair.watch_lanes(DEGRADE, Default::default(), 0x10_45).expect("a policy");
    assert!(pair.run_until(1_000, TrainPair::is_active).expect("exactly once").is_some());
    pair
}

fn steps(pair: &mut TrainPair, steps: u64) {
    (0..steps).for_each(|_| pair.step().expect("exactly once"));
}

/// Steps until a lane of the direction from end 0 has come back.
fn returned(pair: &mut TrainPair, limit: u64) -> Option<u64> {
    (1..=limit).find(|_| {
        pair.step().expect("exactly once");
        !pair.take_returns().is_empty()
    })
}

/// Noise on lane 2 from end 0 until end 1 removes it; then it is hopeless for a while, and then quiet.
fn lose_lane_2(pair: &mut TrainPair) {
    pair.set_noise(0, 2, NOISY);
    let removed = (0..20_000).any(|_| {
        pair.step().expect("exactly once");
        pair.take_removals() == [(1, 2)]
    });
    assert!(removed, "the noisy lane is removed");
    pair.set_noise(0, 2, HOPELESS);
    steps(pair, RETRAIN);
    assert_eq!(pair.train(0).tx().map(|tx| tx.lanes), Some(0b1011));
    pair.set_noise(0, 2, QUIET);
}

fn fault(noise_steps: u64, steps: u64, probation: bool) -> LaneFaultReport {
    let parameters = LaneFaultParameters {
        train: config(probation),
        degrade: DEGRADE,
        noise: [[QUIET, QUIET, NOISY, QUIET], Default::default()],
        steps,
        noise_steps,
    };
    let report = lane_fault(&parameters, 0x1045, &mut |_, _| ()).expect("exactly once");
    println!("{report:?}");
    assert_eq!((report.removals.len(), report.lost_on_reset), (1, 0));
    assert_eq!(
        report.lane_errors[0].iter().sum::<u64>(),
        report.lane_errors[0][2],
        "a healthy lane is charged"
    );
    assert!(report.flits > 16 * 2 * steps / 2, "traffic goes on: {} flits", report.flits);
    report
}

#[test]
fn a_lane_comes_back_when_the_noise_stops_and_not_while_it_lasts() {
    let noisy = fault(0, 40_000, true);
    assert_eq!((noisy.returns.len(), noisy.lanes), (0, [0b1011, 0xF]));
    let quiet = fault(20_000, 40_000, true);
    let [back] = quiet.returns[..] else { panic!("one return: {quiet:?}") };
    assert_eq!((back.by, back.lane, quiet.lanes), (1, 2, [0xF, 0xF]));
    assert!(
        (20_000 + DEBT - 50..20_000 + DEBT + 8).contains(&back.step),
        "1,024 LTPs after the last wrong bit: {back:?}"
    );
    let without = fault(20_000, 40_000, false);
    assert_eq!((without.returns.len(), without.lanes), (0, [0b1011, 0xF]));
    assert!(quiet.flits > without.flits / 100 * 99, "the way back costs no more than two Retrainings");
}

#[test]
fn every_further_removal_doubles_the_debt_and_restore_forgets_it() {
    let mut pair = pair([config(true); 2]);
    for factor in [1, 2, 4] {
        lose_lane_2(&mut pair);
        let back = returned(&mut pair, 10 * factor * DEBT).expect("it comes back");
        assert!((factor * DEBT..factor * DEBT + 8).contains(&back), "{factor} times: {back}");
        steps(&mut pair, RETRAIN);
        assert_eq!(pair.train(0).tx().map(|tx| tx.lanes), Some(0xF), "all lanes are used again");
    }
    lose_lane_2(&mut pair);
    pair.send(1, TrainEvent::Restore);
    steps(&mut pair, RETRAIN);
    assert_eq!(pair.train(0).tx().map(|tx| tx.lanes), Some(0xF), "CTRL.restore does not wait");
    lose_lane_2(&mut pair);
    let back = returned(&mut pair, 2 * DEBT).expect("it comes back");
    assert!((DEBT..DEBT + 8).contains(&back), "the first time again: {back}");
}

#[test]
fn retraining_leaves_the_debt() {
    let mut pair = pair([config(true); 2]);
    lose_lane_2(&mut pair);
    steps(&mut pair, DEBT - 50);
    pair.send(0, TrainEvent::Retrain);
    // The first LTP time after it is a bad one: 16 more.
    let back = returned(&mut pair, 10 * DEBT).expect("it comes back");
    assert!((50 + 16..50 + 16 + RETRAIN).contains(&back), "{back}");
}

#[test]
fn an_end_without_probation_keeps_its_peer_from_bringing_lanes_back() {
    // End 1 looks for PRBS where end 0 sends TS1; end 0 sends PRBS that end 1 does not look at.
    for built in [[false, true], [true, false], [false, false]] {
        let mut pair = pair(built.map(config));
        lose_lane_2(&mut pair);
        assert_eq!(returned(&mut pair, 10 * DEBT), None, "built: {built:?}");
        assert!(pair.is_active());
        pair.send(1, TrainEvent::Restore);
        steps(&mut pair, RETRAIN);
        assert_eq!(pair.train(0).tx().map(|tx| tx.lanes), Some(0xF), "CTRL.restore works");
    }
}

#[test]
fn a_lane_that_is_not_allowed_stays_out_and_one_that_was_dead_comes_in() {
    let without_3 = TrainConfig { allowed: 0b0111, ..config(true) };
    for configs in [[config(true), without_3], [without_3, config(true)]] {
        let mut pair = pair(configs);
        assert_eq!(returned(&mut pair, 10 * DEBT), None);
        assert_eq!(pair.train(0).tx().map(|tx| tx.lanes), Some(0b0111));
    }
    let mut dead = Cable::straight();
    dead.dead[1] = true;
    let mut pair = TrainPair::new([config(true); 2], [dead, Cable::straight()]).expect("a configuration");
    pair.watch_lanes(DEGRADE, Default::default(), 1).expect("a policy");
    assert!(pair.run_until(20_000, TrainPair::is_active).expect("exactly once").is_some());
    assert_eq!(returned(&mut pair, 2 * DEBT), None, "nothing comes on it");
    pair.cables[0] = Cable::straight();
    let back = returned(&mut pair, 2 * DEBT).expect("it comes in");
    assert!((DEBT..DEBT + 8).contains(&back), "{back}");
    steps(&mut pair, RETRAIN);
    assert_eq!(pair.train(0).tx().map(|tx| tx.lanes), Some(0xF));
}

#[test]
fn a_lane_that_does_not_lock_on_its_return_is_lost_once_more() {
    let mut pair = pair([config(true); 2]);
    lose_lane_2(&mut pair);
    returned(&mut pair, 2 * DEBT).expect("it comes back");
    // It dies before the sets of Retraining come over it, and lives again afterwards.
    pair.cables[0].dead[2] = true;
    steps(&mut pair, 20);
    let up = pair.run_until(20_000, TrainPair::is_active).expect("exactly once");
    assert!(up.is_some() && pair.train(0).tx().map(|tx| tx.lanes) == Some(0b1011), "left out");
    pair.cables[0].dead[2] = false;
    let back = returned(&mut pair, 10 * DEBT).expect("it comes back");
    assert!((2 * DEBT..2 * DEBT + 8).contains(&back), "twice as much: {back}");
}

/// No state without a way out, with lanes that go and come back at any time.
#[test]
fn returns_at_any_step_leave_no_state_without_exit() {
    let times = TrainTimes {
        lock: 1,
        hold: 0,
        stable: 1,
        ts2_seen: 1,
        ts2_sent: 1,
        call: 2,
        poll_wait: 1,
        agree: 8,
        tries: 2,
    };
    let config = TrainConfig { lanes: 2, allowed: 0b11, times, ..config(true) };
    let events = &[TrainEvent::RemoveLane(1), TrainEvent::ReturnLanes(0b10)];
    let bounds = CheckBounds { events, troubles: 2, states: 1_000_000 };
    let checked = check(config, bounds).expect("no state without exit");
    println!("{checked:?}");
    assert!(checked.states > 1_000, "{checked:?}");
}
