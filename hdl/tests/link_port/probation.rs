//! Whole ports with probation of lanes (chapter 10, 4.5 and goal a of 9): a lane that was removed comes back once it is clean.

use crate::link_port::rig::{Program, Rig};
use crate::link_port::{one_probation, probation, short};
use flitforge_hdl::registry::{find, Settings};
use flitforge_protocol::link::LinkState;
use flitforge_protocol::link_registers::{ctrl, degrade, event, lanes, CTRL, DEGRADE, EVENT, LANES};
use flitforge_sim::kit::seed;
use flitforge_testkit::{Cable, Clocked, Noise};

/// TH 0, in clocks: 1,024 LTPs; one of 33 words takes 11 clocks on three lanes.
const WINDOW: u64 = 1_024 * 11;
/// The first LTP time, which is never clean, one that has begun, ALN rows, and the way to Retraining.
const MORE: u64 = 11 * 2 + 60;
/// The last wrong bit came at most so many clocks before the noise ended: at 0.02 a clock, but for a chance of 4e-5.
const BEFORE: u64 = 500;
/// Clocks in which a new width is agreed on.
const RETRAIN: u64 = 1_500;

/// DEGRADE with TH 0 and the default of STAND_OUT.
fn degrade_cfg(enable: u64) -> u64 {
    enable | 2 << degrade::stand_out::LOW
}

fn up(program: &Program, number: u64) -> Rig {
    let mut rig = Rig::up(program, seed(number), 0.9);
    configure(&mut rig);
    rig
}

fn configure(rig: &mut Rig) {
    for end in 0..2 {
        rig.write(end, DEGRADE, degrade_cfg(1));
    }
}

fn noise(lane: u64) -> Noise {
    Noise { bit: 0.02, lanes: 1 << lane, ..Noise::default() }
}

/// A lane of the direction from `end` is noisy until it has been removed and both ends are up again.
fn lose(rig: &mut Rig, end: usize, lane: u64) {
    rig.noise[end] = noise(lane);
    let receiver = 1 - end;
    let gone = rig.run_until(200_000, |rig| {
        rig.is_up(0) && rig.is_up(1) && rig.get(&format!("rx_lanes[{receiver}]")) >> lane & 1 == 0
    });
    assert!(gone.is_some(), "lane {lane} from end {end} is removed");
    rig.noise[end] = Noise::default();
}

/// Clocks until `end` asks for lanes again, which leads out of Degraded; `None` if it does not for so many.
fn asks(rig: &mut Rig, end: usize, limit: u64) -> Option<u64> {
    rig.run_until(limit, |rig| !rig.is_up(end))
}

/// Everything is as at first, and nothing was lost.
fn whole(rig: &mut Rig, what: &str) {
    rig.run(200);
    rig.come_up(what);
    rig.run(RETRAIN);
    rig.drain(what);
    assert_eq!([rig.state(0), rig.state(1)], [LinkState::Active; 2], "{what}");
    assert_eq!((rig.widths(0), rig.widths(1)), ((4, 4), (4, 4)), "{what}");
    for end in 0..2 {
        assert_eq!(rig.ends[end].lost, 0, "{what}: traffic to end {end}");
        assert!(rig.ends[end].received > 0, "{what}: traffic to end {end}");
        assert_eq!(rig.read(end, LANES) >> lanes::removed::LOW & 0xF, 0, "{what}");
    }
}

fn restore(rig: &mut Rig, end: usize) {
    rig.write(end, CTRL, 1 << ctrl::enable::LOW | 1 << ctrl::restore::LOW);
}

#[test]
fn a_lane_comes_back_when_the_noise_stops_and_not_while_it_lasts() {
    let mut rig = up(probation(), 0x10_E0);
    let restarts = [rig.ends[0].restarts, rig.ends[1].restarts];
    lose(&mut rig, 0, 2);
    rig.noise[0] = noise(2);
    assert_eq!(asks(&mut rig, 1, 6 * WINDOW), None, "the lane is as bad as it was");
    assert_eq!((rig.widths(1), rig.widths(0)), ((4, 3), (3, 4)));
    assert_eq!(rig.read(1, LANES) >> lanes::removed::LOW & 0xF, 0b0100);
    rig.write(1, EVENT, 1 << event::retrain::LOW);
    rig.noise[0] = Noise::default();
    let clocks = asks(&mut rig, 1, 2 * WINDOW).expect("it comes back");
    assert!(
        (WINDOW - BEFORE..WINDOW + MORE).contains(&clocks),
        "1,024 LTPs behind the last wrong bit: {clocks}"
    );
    whole(&mut rig, "one lane");
    assert_eq!(rig.read(1, EVENT) >> event::retrain::LOW & 1, 1, "by Retraining");
    assert_eq!([rig.ends[0].restarts, rig.ends[1].restarts], restarts, "and not by Down");
    println!("back {clocks} clocks behind the last wrong bit");
}

#[test]
fn every_further_removal_doubles_the_debt_and_restore_forgets() {
    let mut rig = up(probation(), 0x10_E1);
    for factor in [1, 2, 4] {
        lose(&mut rig, 0, 1);
        let clocks = asks(&mut rig, 1, 2 * factor * WINDOW).expect("it comes back");
        let expected = factor * WINDOW - BEFORE..factor * (WINDOW + 4) + MORE;
        assert!(expected.contains(&clocks), "{factor} times: {clocks}");
        whole(&mut rig, "again");
    }
    lose(&mut rig, 0, 1);
    restore(&mut rig, 1);
    whole(&mut rig, "CTRL.restore does not wait");
    lose(&mut rig, 0, 1);
    let clocks = asks(&mut rig, 1, 2 * WINDOW).expect("it comes back");
    assert!((WINDOW - BEFORE..WINDOW + MORE).contains(&clocks), "the first time again: {clocks}");
    whole(&mut rig, "restored");
}

#[test]
fn retraining_leaves_the_debt_and_clear_forgets_it() {
    let mut rig = up(probation(), 0x10_E2);
    lose(&mut rig, 0, 3);
    assert_eq!(asks(&mut rig, 1, WINDOW - 500), None);
    rig.write(0, CTRL, 1 << ctrl::enable::LOW | 1 << ctrl::retrain::LOW);
    assert!(asks(&mut rig, 1, 200).is_some(), "Retraining of the other end");
    rig.come_up("retrained");
    assert_eq!(rig.widths(1), (4, 3));
    // What was left, and a 64th more for each LTP time in which Retraining began or ended, two at each end.
    let clocks = asks(&mut rig, 1, 2 * WINDOW).expect("it comes back");
    assert!(clocks < 500 + 4 * (WINDOW / 64) + MORE, "{clocks}");
    whole(&mut rig, "retrained");
    // `clear` goes Down, and after it all lanes are tried.
    lose(&mut rig, 0, 3);
    rig.run(WINDOW);
    rig.pulse("clear[1]");
    rig.run(200);
    rig.come_up("cleared");
    assert_eq!(rig.widths(1), (4, 4));
    configure(&mut rig);
    // What it may have lost, it has lost by now.
    rig.drain("cleared");
    lose(&mut rig, 0, 3);
    let clocks = asks(&mut rig, 1, 2 * WINDOW).expect("it comes back");
    assert!(
        (WINDOW - BEFORE..WINDOW + MORE).contains(&clocks),
        "the removals before are forgotten: {clocks}"
    );
}

#[test]
fn both_directions_and_two_lanes_of_one_come_back() {
    let mut rig = up(probation(), 0x10_E3);
    lose(&mut rig, 0, 0);
    lose(&mut rig, 1, 3);
    lose(&mut rig, 0, 2);
    assert_eq!((rig.widths(0), rig.widths(1)), ((2, 3), (3, 2)));
    let all = |rig: &mut Rig| {
        rig.is_up(0) && rig.is_up(1) && rig.get("rx_lanes[0]") == 0xF && rig.get("rx_lanes[1]") == 0xF
    };
    // Each of them leads to Retraining.
    assert!(rig.run_until(8 * WINDOW, all).is_some(), "all come back");
    whole(&mut rig, "both directions");
}

#[test]
fn without_probation_at_the_peer_lanes_come_back_by_restore_only() {
    // End 0 looks for PRBS where end 1 sends TS1; end 0 sends PRBS that end 1 does not look at.
    for (program, from, what) in [
        (one_probation(), 0, "the receiver has not built it"),
        (one_probation(), 1, "the sender has not built it"),
        (short(), 0, "nobody has built it"),
    ] {
        let mut rig = up(program, 0x10_E4);
        lose(&mut rig, from, 2);
        assert_eq!(asks(&mut rig, 1 - from, 4 * WINDOW), None, "{what}");
        assert!(rig.is_up(0) && rig.is_up(1), "{what}");
        restore(&mut rig, 1 - from);
        whole(&mut rig, what);
    }
}

#[test]
fn lanes_that_are_not_allowed_stay_out_and_one_that_was_dead_comes_in() {
    let mut rig = Rig::new(probation(), seed(0x10_E5));
    configure(&mut rig);
    rig.write(1, LANES, 0b0111 << lanes::allowed::LOW);
    rig.set("alive[0]", 0b1101);
    rig.pace(0.9);
    rig.enable(0);
    rig.enable(1);
    rig.come_up("a dead lane");
    assert_eq!((rig.get("rx_lanes[1]"), rig.get("rx_lanes[0]")), (0b0101, 0b0111));
    assert_eq!(asks(&mut rig, 1, 2 * WINDOW), None, "nothing comes on it");
    rig.set("alive[0]", 0b1111);
    // Two lanes: 1,024 LTPs of 16 and 17 rows.
    let clocks = asks(&mut rig, 1, 2 * WINDOW).expect("it comes in");
    assert!((1_024 * 33 / 2..1_024 * 33 / 2 + MORE).contains(&clocks), "{clocks}");
    rig.run(200);
    rig.come_up("all lanes allowed");
    assert_eq!((rig.get("rx_lanes[1]"), rig.get("rx_lanes[0]")), (0b0111, 0b0111));
    assert_eq!(asks(&mut rig, 1, 3 * WINDOW), None, "lane 3 is not allowed");
    rig.drain("allowed lanes");
    assert_eq!(rig.ends[0].lost + rig.ends[1].lost, 0);
}

#[test]
fn lanes_that_are_exchanged_and_inverted_come_back_as_themselves() {
    let mut rig = Rig::new(probation(), seed(0x10_E6));
    rig.relayed();
    rig.cables = [
        Some(Cable::new([2, 0, 3, 1], 0b1010, [0, 3, 1, 0])),
        Some(Cable::new([3, 2, 1, 0], 0b0001, [0; 4])),
    ];
    configure(&mut rig);
    rig.pace(0.9);
    rig.enable(0);
    rig.enable(1);
    rig.come_up("crossed");
    for (end, lane) in [(0, 1), (1, 0)] {
        lose(&mut rig, end, lane);
        let clocks = asks(&mut rig, 1 - end, 2 * WINDOW).expect("it comes back");
        assert!((WINDOW - BEFORE..WINDOW + MORE).contains(&clocks), "lane {lane} from end {end}: {clocks}");
        whole(&mut rig, "crossed");
    }
}

#[test]
fn nothing_comes_back_while_degrade_is_disabled_and_what_is_due_then_comes_at_once() {
    let mut rig = up(probation(), 0x10_E7);
    lose(&mut rig, 0, 0);
    rig.write(1, DEGRADE, degrade_cfg(0));
    assert_eq!(asks(&mut rig, 1, 3 * WINDOW), None);
    rig.write(1, DEGRADE, degrade_cfg(1));
    assert!(asks(&mut rig, 1, MORE).is_some(), "it owes nothing");
    whole(&mut rig, "enabled");
}

#[test]
fn it_is_built_on_request_and_for_some_sizes_only() {
    let entry = find("link_port").expect("registered");
    let built = |values: &[(&str, u64)]| {
        let values: Vec<(String, u64)> =
            values.iter().map(|(name, value)| (name.to_string(), *value)).collect();
        (entry.build)(&Settings::new(entry, None, &values)?).map(|_| ())
    };
    assert!(built(&[("probation", 1)]).is_ok());
    assert!(built(&[("probation", 1), ("r", 16)]).is_ok());
    for other in [("lanes", 2), ("f", 4), ("bits", 1), ("crc_modes", 7)] {
        assert!(built(&[("probation", 1), other]).is_err(), "{other:?}");
    }
}
