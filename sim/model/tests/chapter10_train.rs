//! Chapter 10, section 9, point 10: training over every permutation, polarity, skew, dead lane, restart and capability.

#![allow(clippy::expect_used, reason = "in tests, helper functions included")]

use crate::training_times::TIMES;
use flitforge_model::train::{
    check, choose_mode, Announce, Cable, CheckBounds, CheckError, ModeOffer, TrainConfig, TrainEvent,
    TrainMutation, TrainPair, TrainTimes,
};
use flitforge_protocol::link::LinkState;
use flitforge_protocol::ltp::CrcMode;
use flitforge_protocol::retry::INIT_SILENCE_LTPS;

/// Steps in which a link without trouble is up: lock 8, stable 8, TS2 16, Init and the way, with room.
const BRING_UP: u64 = 120;
/// Steps in which it is up again whatever happened before: a whole round of timeouts and a bring-up.
const RECOVER: u64 = 2 * 400 + 40 + BRING_UP;

fn config() -> TrainConfig {
    TrainConfig { times: TIMES, ..TrainConfig::default() }
}

fn with_modes(capabilities: u8, preferred: u8) -> TrainConfig {
    TrainConfig { modes: ModeOffer { capabilities, preferred, bonded: false }, ..config() }
}

fn pair(cables: [Cable; 2]) -> TrainPair {
    TrainPair::new([config(), config()], cables).expect("a pair")
}

/// Brings the link up and lets traffic run; both ends must agree on both directions.
fn come_up(pair: &mut TrainPair, limit: u64, context: &str) {
    let up = pair.run_until(limit, TrainPair::is_active).unwrap_or_else(|error| panic!("{context}: {error}"));
    assert!(up.is_some(), "{context}: not up after {limit} steps: {:?}", pair.states());
    assert_eq!(pair.train(0).tx(), pair.train(1).rx(), "{context}: direction 0 to 1");
    assert_eq!(pair.train(1).tx(), pair.train(0).rx(), "{context}: direction 1 to 0");
    let before = [0, 1].map(|from| pair.monitor(from).delivered());
    pair.run_until(40, |_| false).unwrap_or_else(|error| panic!("{context}: {error}"));
    assert!(pair.is_active(), "{context}: stays up: {:?}", pair.states());
    for (from, before) in before.into_iter().enumerate() {
        assert!(pair.monitor(from).delivered() > before + 10, "{context}: traffic from {from}");
    }
}

fn permutations() -> Vec<[usize; 4]> {
    let mut all = Vec::new();
    for code in 0..256usize {
        let lanes = [code & 3, code >> 2 & 3, code >> 4 & 3, code >> 6];
        if (0..4).all(|lane| lanes.contains(&lane)) {
            all.push(lanes);
        }
    }
    all
}

#[test]
fn all_24_permutations_with_16_polarities_come_up() {
    let permutations = permutations();
    assert_eq!(permutations.len(), 24);
    for to in permutations {
        for polarity in 0..16u8 {
            let inverted = [0, 1, 2, 3].map(|lane| polarity >> lane & 1 == 1);
            let cable = Cable { to, inverted, ..Cable::straight() };
            // the other direction is crossed differently
            let back = Cable { to: [to[1], to[2], to[3], to[0]], ..cable };
            let mut pair = pair([cable, back]);
            let context = format!("lanes {to:?}, polarity {polarity:04b}");
            come_up(&mut pair, BRING_UP, &context);
            assert_eq!(pair.states(), [LinkState::Active; 2], "{context}");
            let map = pair.train(1).lane_map();
            for lane in 0..4 {
                assert_eq!(map[to[lane]], Some(lane as u8), "{context}: identity");
                assert_eq!(pair.train(1).inverted()[to[lane]], inverted[lane], "{context}: polarity");
            }
        }
    }
}

#[test]
fn skews_of_seven_words_either_way_are_lined_up() {
    for lane in 0..4 {
        for skew in -7..=7 {
            for other in [-7, 0, 7] {
                let mut skews = [0; 4];
                skews[lane] = skew;
                skews[(lane + 1) % 4] = other;
                let mut pair = pair([Cable { skew: skews, ..Cable::straight() }, Cable::straight()]);
                let context = format!("skew {skews:?}");
                come_up(&mut pair, BRING_UP, &context);
                let delays = pair.train(1).deskew().unwrap_or_else(|| panic!("{context}: no deskew"));
                let lined_up: Vec<i64> = (0..4).map(|lane| skews[lane] + i64::from(delays[lane])).collect();
                let latest = skews.iter().max().expect("four lanes");
                assert!(lined_up.iter().all(|at| at == latest), "{context}: {delays:?}");
            }
        }
    }
}

#[test]
fn a_lane_beyond_the_fifo_is_left_out_and_restore_brings_it_back() {
    for (skew, lanes) in [([-7, 0, 0, 8], 0b0111), ([-7, 8, 8, 8], 0b1110), ([0, 4, 15, 0], 0b1011)] {
        let mut pair = pair([Cable { skew, ..Cable::straight() }, Cable::straight()]);
        let context = format!("skew {skew:?}");
        come_up(&mut pair, BRING_UP, &context);
        assert_eq!(pair.train(1).rx().map(|rx| rx.lanes), Some(lanes), "{context}");
        assert_eq!(pair.train(0).rx().map(|rx| rx.lanes), Some(0xF), "{context}");
        let epochs = [0, 1].map(|end| pair.train(end).epoch());
        pair.cables[0].skew = [0; 4];
        pair.send(1, TrainEvent::Restore);
        (0..8).for_each(|_| pair.step().expect("sound"));
        come_up(&mut pair, BRING_UP, "restored");
        assert_eq!(pair.train(1).rx().map(|rx| rx.lanes), Some(0xF), "{context}");
        assert_eq!([0, 1].map(|end| pair.train(end).epoch()), epochs, "{context}: never Down");
    }
}

/// A lane dies at every step of a Retraining, in either direction: the link goes on without it and loses nothing.
#[test]
fn a_lane_that_dies_in_retraining_is_left_out() {
    for from in 0..2 {
        for step in 0..80 {
            let mut pair = pair([Cable::straight(); 2]);
            come_up(&mut pair, BRING_UP, "first");
            let epochs = [0, 1].map(|end| pair.train(end).epoch());
            pair.send(0, TrainEvent::Retrain);
            (0..step).for_each(|_| pair.step().expect("sound"));
            pair.cables[from].dead[2] = true;
            let context = format!("lane 2 from end {from} dies at step {step}");
            (0..8).for_each(|_| pair.step().expect("sound"));
            come_up(&mut pair, RECOVER, &context);
            assert_eq!([0, 1].map(|end| pair.train(end).epoch()), epochs, "{context}: Down");
        }
    }
}

#[test]
fn a_dead_lane_is_left_out_in_its_direction_only() {
    for dead in 0..4 {
        for direction in 0..2 {
            let mut cables = [Cable::straight(); 2];
            cables[direction].dead[dead] = true;
            let mut pair = pair(cables);
            come_up(
                &mut pair,
                BRING_UP + 2 * u64::from(TIMES.poll_wait),
                &format!("lane {dead} of {direction} dead"),
            );
            assert_eq!(pair.states(), [LinkState::Degraded; 2]);
            let lanes = |end: usize| pair.train(end).tx().expect("a direction").lanes;
            assert_eq!((lanes(direction), lanes(1 - direction)), (0xF & !(1 << dead), 0xF));
        }
    }
}

#[test]
fn a_lane_that_dies_under_traffic_is_left_out_and_nothing_is_lost() {
    for dead in 0..4 {
        let mut pair = pair([Cable::straight(); 2]);
        come_up(&mut pair, BRING_UP, "four lanes");
        pair.cables[0].dead[dead] = true;
        let gone = pair.run_until(200, |pair| !pair.is_active()).expect("no violation");
        assert!(gone.is_some(), "BAD_RUN notices");
        come_up(&mut pair, RECOVER, &format!("lane {dead} died"));
        assert_eq!(pair.train(0).tx().map(|tx| tx.lanes), Some(0xF & !(1 << dead)));
        assert_eq!(pair.train(1).tx().map(|tx| tx.lanes), Some(0xF));
        assert_eq!(pair.monitor(0).lost_on_reset + pair.monitor(1).lost_on_reset, 0, "state is kept");
        assert_eq!(pair.train(0).epoch(), 1);
        // RESTORE brings it back once it works
        pair.cables[0].dead[dead] = false;
        pair.send(1, TrainEvent::Restore);
        pair.run_until(20, |pair| !pair.is_active()).expect("no violation");
        come_up(&mut pair, RECOVER, "restored");
        assert_eq!(pair.states(), [LinkState::Active; 2]);
    }
}

#[test]
fn lanes_are_removed_one_by_one_in_each_direction_separately_without_loss() {
    let mut pair = pair([Cable::straight(); 2]);
    come_up(&mut pair, BRING_UP, "four lanes");
    for (end, lane, left) in
        [(1, 2, [0b1011, 0xF]), (0, 0, [0b1011, 0b1110]), (1, 0, [0b1010, 0b1110]), (1, 3, [0b0010, 0b1110])]
    {
        pair.send(end, TrainEvent::RemoveLane(lane));
        pair.run_until(20, |pair| !pair.is_active()).expect("no violation");
        come_up(&mut pair, RECOVER, &format!("lane {lane} removed by {end}"));
        assert_eq!([0, 1].map(|end| pair.train(end).tx().expect("a direction").lanes), left);
        assert_eq!(pair.states(), [LinkState::Degraded; 2]);
    }
    assert_eq!(pair.monitor(0).lost_on_reset + pair.monitor(1).lost_on_reset, 0);
}

#[test]
fn without_a_lane_left_the_link_goes_down_and_starts_afresh() {
    let mut pair = pair([Cable { dead: [false, true, true, true], ..Cable::straight() }, Cable::straight()]);
    come_up(&mut pair, RECOVER, "one lane");
    pair.send(1, TrainEvent::RemoveLane(0));
    let down = pair.run_until(20, |pair| pair.states()[1] == LinkState::Down).expect("no violation");
    assert!(down.is_some(), "no lane left");
    come_up(&mut pair, 2 * RECOVER, "Down brings removed lanes back");
    assert_eq!(pair.train(1).epoch(), 2);
}

/// Steps to a state of end 0, and what has to be done for it.
fn reach(pair: &mut TrainPair, state: LinkState) {
    match state {
        LinkState::Retraining => {
            come_up(pair, BRING_UP, "before");
            pair.send(0, TrainEvent::Retrain);
        }
        LinkState::Bist => {
            come_up(pair, BRING_UP, "before");
            pair.send(0, TrainEvent::BistStart);
        }
        LinkState::Degraded => pair.cables[1].dead[3] = true,
        _ => (),
    }
    let reached = pair.run_until(RECOVER, |pair| pair.states()[0] == state).expect("no violation");
    assert!(reached.is_some(), "{state:?} not reached: {:?}", pair.states());
}

#[test]
fn either_end_may_restart_in_every_state_and_at_every_step_of_it() {
    for &state in LinkState::ALL {
        for restarted in 0..2 {
            for later in 0..40 {
                let mut pair = pair([Cable::straight(); 2]);
                reach(&mut pair, state);
                pair.run_until(later, |_| false).expect("no violation");
                let epoch = pair.train(restarted).epoch();
                pair.restart(restarted);
                pair.run_until(4, |_| false).expect("no violation");
                if state == LinkState::Bist {
                    pair.send(0, TrainEvent::BistEnd); // the watchdog of the lane test
                }
                let context = format!("end {restarted} restarted {later} steps into {state:?}");
                come_up(&mut pair, 2 * RECOVER, &context);
                assert!(pair.train(restarted).epoch() > epoch, "{context}");
            }
        }
    }
}

#[test]
fn both_ends_restarting_with_any_offset_come_up() {
    for offset in 0..80 {
        let mut pair = pair([Cable::straight(); 2]);
        come_up(&mut pair, BRING_UP, "before");
        pair.restart(0);
        pair.run_until(offset, |_| false).expect("no violation");
        pair.restart(1);
        pair.run_until(4, |_| false).expect("no violation");
        come_up(&mut pair, 2 * RECOVER, &format!("restarts {offset} steps apart"));
    }
}

/// Both ends restore their lanes, the second some steps after the first, over lines of every length; one lane of a direction
/// is too late to be used. The line lengths and offsets at which the
/// link does not come up and stay up.
fn out_of_step(config: TrainConfig) -> Vec<(usize, usize)> {
    let mut flapping = Vec::new();
    for delay in 1..=16 {
        for offset in 0..=3 * delay {
            let late = Cable { skew: [16, 0, 0, 0], ..Cable::straight() };
            let cables = [late, Cable::straight()];
            let mut pair = TrainPair::new([config; 2], cables).expect("a pair").with_delay(delay);
            let run = |pair: &mut TrainPair, steps, done: fn(&TrainPair) -> bool| {
                pair.run_until(steps, done)
                    .unwrap_or_else(|error| panic!("line {delay}, offset {offset}: {error}"))
            };
            let came_up = run(&mut pair, RECOVER, TrainPair::is_active);
            pair.send(0, TrainEvent::Restore);
            run(&mut pair, offset as u64, |_| false);
            pair.send(1, TrainEvent::Restore);
            run(&mut pair, 1, |_| false);
            let up = run(&mut pair, RECOVER, TrainPair::is_active);
            run(&mut pair, 10 * delay as u64, |_| false);
            if came_up.is_none() || up.is_none() || !pair.is_active() {
                flapping.push((delay, offset));
            }
        }
    }
    flapping
}

/// An end that leaves a lane out asks for something else, and TS2 that the peer sent for what was asked before are still on the
/// line.
#[test]
fn ends_that_train_out_of_step_come_together_over_any_line() {
    let two = TrainConfig { lanes: 2, allowed: 3, ..config() };
    assert_eq!(out_of_step(two), []);
    assert_eq!(out_of_step(config()), []);
    let mutation = Some(TrainMutation::AnyAnswerCounts);
    let flapping = out_of_step(TrainConfig { mutation, ..two });
    println!("without rule 9: {} cases flap", flapping.len());
    assert!(!flapping.is_empty(), "without rule 9 some flap for ever");
}

#[test]
fn the_cable_may_be_pulled_at_any_time() {
    for time in 0..110 {
        let mut pair = pair([Cable::straight(); 2]);
        pair.run_until(time, |_| false).expect("no violation");
        pair.cables.iter_mut().for_each(|cable| cable.dead = [true; 4]);
        pair.run_until(60, |_| false).expect("no violation");
        pair.cables.iter_mut().for_each(|cable| cable.dead = [false; 4]);
        // an end whose peer's start row was lost waits this long in Init before it trains again
        come_up(
            &mut pair,
            u64::from(INIT_SILENCE_LTPS) + 4 * RECOVER,
            &format!("cable pulled at step {time}"),
        );
    }
}

#[test]
fn every_pair_of_capabilities_agrees_on_the_mode_of_the_rule() {
    for mine in 0..8 {
        for yours in 0..8 {
            let (first, second) = (with_modes(mine, 3), with_modes(yours, 3));
            let mut pair = TrainPair::new([first, second], [Cable::straight(); 2]).expect("a pair");
            come_up(&mut pair, BRING_UP, &format!("capabilities {mine:03b} and {yours:03b}"));
            let common = mine & yours;
            // equal preference for mode 3, else 1 > 2 > 3 > 0
            let expected = match common {
                _ if common & 0b100 != 0 => CrcMode::PerLane,
                _ if common & 0b001 != 0 => CrcMode::Bits14,
                _ if common & 0b010 != 0 => CrcMode::Overlapping48,
                _ => CrcMode::Standard,
            };
            for end in 0..2 {
                assert_eq!(
                    pair.train(end).tx().map(|tx| tx.mode),
                    Some(expected),
                    "{mine:03b} and {yours:03b}"
                );
            }
        }
    }
}

#[test]
fn the_choice_is_the_same_from_both_sides() {
    let offers = || {
        (0..8u8).flat_map(|capabilities| {
            (0..8u8).flat_map(move |preferred| {
                [false, true].map(|bonded| ModeOffer { capabilities, preferred, bonded })
            })
        })
    };
    for mine in offers() {
        for yours in offers() {
            for lanes in 1..=4 {
                let mode = choose_mode(mine, yours, lanes);
                assert_eq!(mode, choose_mode(yours, mine, lanes), "{mine:?} {yours:?} {lanes}");
                assert!(mode.is_none_or(|mode| mode.allows_lanes(lanes)));
            }
        }
    }
}

#[test]
fn mode_3_falls_back_when_lanes_go() {
    let config = with_modes(0b110, 3);
    let mut pair = TrainPair::new([config, config], [Cable::straight(); 2]).expect("a pair");
    come_up(&mut pair, BRING_UP, "mode 3");
    for (lane, mode) in [(0, CrcMode::PerLane), (1, CrcMode::Overlapping48)] {
        pair.send(1, TrainEvent::RemoveLane(lane));
        pair.run_until(20, |pair| !pair.is_active()).expect("no violation");
        come_up(&mut pair, RECOVER, "lane removed");
        assert_eq!(pair.train(0).tx().map(|tx| tx.mode), Some(mode));
        assert_eq!(
            pair.train(1).tx().map(|tx| tx.mode),
            Some(CrcMode::PerLane),
            "the other direction has four lanes"
        );
    }
}

#[test]
fn bonded_ends_without_mode_1_in_common_do_not_come_up() {
    let bonded = TrainConfig { modes: ModeOffer { capabilities: 7, preferred: 1, bonded: true }, ..config() };
    let mut pair = TrainPair::new([bonded, with_modes(6, 1)], [Cable::straight(); 2]).expect("a pair");
    assert_eq!(pair.run_until(3 * RECOVER, TrainPair::is_active), Ok(None));
}

#[test]
fn parameters_that_cannot_work_are_refused_by_name() {
    let refused = |config: TrainConfig| config.check().expect_err("refused").parameter;
    assert_eq!(refused(TrainConfig { lanes: 5, ..config() }), "LANES");
    assert_eq!(refused(TrainConfig { lanes: 2, ..config() }), "LANES.allowed");
    assert_eq!(refused(TrainConfig { allowed: 0, ..config() }), "LANES.allowed");
    assert_eq!(refused(with_modes(8, 0)), "CRC capabilities");
    assert_eq!(refused(with_modes(7, 8)), "preferred CRC mode");
    let announce = Announce { log2_replay_slots: 3, ..Announce::default() };
    assert_eq!(refused(TrainConfig { announce, ..config() }), "log2 of REPLAY_LTPS");
    let bonded = ModeOffer { capabilities: 6, preferred: 1, bonded: true };
    assert_eq!(refused(TrainConfig { modes: bonded, ..config() }), "bonded, CRC capabilities");
}

/// Counts of one or two: few enough states to visit all of them.
const SHORT: TrainTimes = TrainTimes {
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

fn short(lanes: usize) -> TrainConfig {
    TrainConfig { lanes, allowed: (1 << lanes) - 1, times: SHORT, ..config() }
}

const FAULTS: &[TrainEvent] = &[TrainEvent::GiveUp, TrainEvent::Retrain];
const LANES: &[TrainEvent] = &[TrainEvent::GiveUp, TrainEvent::RemoveLane(1), TrainEvent::Restore];
const LANE_TEST: &[TrainEvent] = &[TrainEvent::GiveUp, TrainEvent::BistStart, TrainEvent::BistEnd];

#[test]
fn no_state_of_both_ends_is_without_exit() {
    for (lanes, troubles, events) in [(1, 4, FAULTS), (1, 3, LANE_TEST), (2, 2, LANES)] {
        let bounds = CheckBounds { events, troubles, states: 1_000_000 };
        let checked = check(short(lanes), bounds).unwrap_or_else(|error| panic!("{lanes} lanes: {error}"));
        println!("{lanes} lanes, up to {troubles} troubles, {events:?}: {checked:?}");
        assert!(checked.states > 1_000 && checked.state_pairs > 20, "{checked:?}");
    }
}

/// The chapter's "fresh = 0" in Retraining, taken literally, loses the news of a restart when Init is interrupted.
#[test]
fn the_check_notices_that_fresh_is_forgotten() {
    let config = TrainConfig { mutation: Some(TrainMutation::RetrainingForgetsFresh), ..short(1) };
    let bounds = CheckBounds { events: FAULTS, troubles: 3, states: 1_000_000 };
    let found = check(config, bounds);
    assert!(matches!(found, Err(CheckError::Pointers { .. })), "{found:?}");
}
