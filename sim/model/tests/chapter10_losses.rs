//! Chapter 10, section 9, point 5: losses that random errors hardly ever make, each on purpose. The pairs of an Active link are
//! in `chapter10_retry`; here are those of Init, fillers of a pad, and errors in replays of replays.

#![allow(clippy::expect_used, reason = "in tests, helper functions included")]

use crate::pairs::{active_pair, config, run_pattern};
use crate::support;
use flitforge_model::control::Half;
use flitforge_model::pair::{ErrorProcess, LinkPair, Loss, NullKind, PairConfig, Target};

/// The Nulls of a start, in the order in which they are sent first.
const STARTING: [NullKind; 3] = [NullKind::Init, NullKind::RndTripMrkr, NullKind::RetryMrkr];
/// The first of a pair, the second, or both.
const HALVES: [&[Half]; 3] = [&[Half::First], &[Half::Second], &[Half::First, Half::Second]];

/// `count` pairs in a row, or so much of them.
fn losses(from: usize, kind: NullKind, halves: &[Half], count: u64) -> Vec<Loss> {
    halves.iter().map(|&half| Loss { from, target: Target::Null(kind, half), first: 0, count }).collect()
}

#[test]
fn every_null_of_a_start_can_be_lost_at_both_ends_at_once() {
    let cases = || STARTING.into_iter().flat_map(|kind| HALVES.map(|halves| (kind, halves)));
    let (mut tried, mut slowest) = (0, 0);
    for round_trip in [3, 12, 60] {
        for count in [1, 3] {
            for (here, there) in cases().flat_map(|here| cases().map(move |there| (here, there))) {
                let lost = [losses(0, here.0, here.1, count), losses(1, there.0, there.1, count)].concat();
                let context =
                    format!("RTT {round_trip}, {count} times {here:?} of end 0, {there:?} of end 1");
                let errors = ErrorProcess::forced(&lost);
                let mut pair =
                    LinkPair::new(PairConfig::symmetric(config(16), round_trip), errors).expect("a pair");
                assert!(pair.bring_up(20_000), "{context}: not Active");
                slowest = slowest.max(pair.now());
                pair.run(2_000).unwrap_or_else(|violation| panic!("{context}: {violation}"));
                // Of three pairs in a row not all are needed if one half comes through.
                let all = pair.errors().outstanding() == 0;
                assert!(all || count > 1, "{context}: not everything was lost");
                assert!(pair.is_active(), "{context}");
                for from in 0..2 {
                    assert!(pair.monitor(from).delivered() > 100, "{context}: traffic from {from}");
                }
                tried += 1;
            }
        }
    }
    println!("{tried} starts, the slowest was Active after {slowest} LTP times");
    assert_eq!(tried, 3 * 2 * 81);
}

#[test]
fn fillers_of_a_pad_can_be_lost() {
    for first in 0..20 {
        for count in [1, 2, 3, 7] {
            let mut pair = active_pair(config(16), 25);
            let filler = Target::Null(NullKind::Filler, Half::First);
            pair.set_errors(ErrorProcess::forced(&[Loss { from: 0, target: filler, first, count }]));
            let before = pair.monitor(0).delivered();
            let context = format!("{count} fillers from {first}");
            pair.run(2_000).unwrap_or_else(|violation| panic!("{context}: {violation}"));
            assert_eq!((pair.errors().outstanding(), pair.faults()), (0, &[][..]), "{context}");
            assert!(pair.monitor(0).delivered() > before + 300, "{context}");
        }
    }
}

/// A bad LTP, one in its replay, and one in the replay of that, at every position of a wrap. A replay has RTT + 1 LTPs.
#[test]
fn errors_nest_to_any_depth() {
    let (mut runs, mut thrice) = (0, 0);
    for round_trip in [3, 8, 25] {
        for first in 0..support::count(4, 16) {
            let places = |last: u64| (0..=last).flat_map(|second| (0..8).map(move |third| (second, third)));
            for (second, third) in places(round_trip.min(7)) {
                let nested = [
                    Loss::one(0, Target::Replayed, second),
                    Loss::one(0, Target::Replayed, second + 1 + third),
                ];
                let context = format!("RTT {round_trip}, position {first}, replayed {second} and {third} on");
                let pair = run_pattern(config(16), round_trip, first, &nested)
                    .unwrap_or_else(|violation| panic!("{context}: {violation}"));
                assert_eq!(pair.faults(), [], "{context}");
                let outstanding = pair.errors().outstanding();
                assert!(outstanding < 2, "{context}: the error in the replay");
                (runs, thrice) = (runs + 1, thrice + u64::from(outstanding == 0));
            }
        }
    }
    println!("{runs} runs, {thrice} with an error in the second replay");
    assert!(thrice > runs / 2);
}

/// The same run with every second LTP of every replay bad, as long as errors last: nothing is lost, and it ends.
#[test]
fn replays_that_are_bad_again_and_again_end_with_the_errors() {
    let mut pair = active_pair(config(16), 8);
    let bad: Vec<Loss> = (0..40).map(|index| Loss::one(0, Target::Replayed, 2 * index)).collect();
    pair.set_errors(ErrorProcess::forced(&bad).with(&[Loss::one(0, Target::Original, 3)]));
    pair.run(4_000).expect("no violation");
    assert_eq!((pair.errors().outstanding(), pair.is_active()), (0, true), "{:?}", pair.faults());
}
