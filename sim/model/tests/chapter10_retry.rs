//! Chapter 10, section 9, points 5, 6 and 7 (retry): exactly once, in order, unaltered, and no slot reused too early.
//!
//! The long campaigns are the same code with other numbers: `flitforge sim link-soak --set grid=1 --set flits=10000000`, or
//! `FLITFORGE_SOAK_FLITS=10000000` before this test; `FLITFORGE_FULL=1` puts an error at every position of a wrap of 128.

#![allow(clippy::expect_used, reason = "in tests, helper functions included")]

use crate::pairs::{active_pair, config, run_pattern, seed};
use crate::support;
use flitforge_model::control::Half;
use flitforge_model::pair::{
    soak, soak_grid, BitErrorRate, ErrorProcess, LinkPair, Loss, NullKind, PairConfig, SoakParameters,
    Target, Violation,
};
use flitforge_model::retry::{Mutation, RetryConfig};
use flitforge_protocol::counter::LinkCounter;

fn flits_of_campaign(default: u64) -> u64 {
    match std::env::var("FLITFORGE_SOAK_FLITS") {
        Ok(flits) => flits.parse().expect("FLITFORGE_SOAK_FLITS: a number of flits for each run"),
        Err(_) => default,
    }
}

#[test]
fn soak_random_errors_in_both_directions() {
    let report = soak_grid(flits_of_campaign(100_000), seed(), &mut |_, _| ()).expect("exactly once");
    println!("seed {:#x}: {report:?}", seed());
    assert_eq!((report.runs, report.downs), (40, 0), "a link went Down");
    assert!(report.fewest_bad > 0, "no errors came about");
    let never = ["ahead of NxtRx (RX_GAP)"];
    let missing: Vec<_> =
        report.rows.iter().filter(|(row, &n)| n == 0 && !never.contains(&row.as_str())).collect();
    assert!(missing.is_empty(), "rows never taken: {missing:?}");
    assert_eq!(report.rows["ahead of NxtRx (RX_GAP)"], 0, "happens by no rule");
}

/// Above 5e-4 nearly every LTP is bad: little gets through, but nothing wrong.
#[test]
fn beyond_the_rates_a_link_works_at_it_is_still_safe() {
    for (slots, round_trip, per_1e9) in [(16, 3, 1_000_000), (16, 40, 1_000_000), (128, 20, 2_000_000)] {
        let config = RetryConfig { retry_limit: 255, bad_run: 255, ..config(slots) };
        let chance = BitErrorRate { per_1e9 }.ltp_chance(1056);
        let errors = ErrorProcess::random([chance; 2], seed());
        let mut pair = LinkPair::new(PairConfig::symmetric(config, round_trip), errors).expect("a pair");
        pair.run(300_000)
            .unwrap_or_else(|violation| panic!("seed {:#x}, BER {per_1e9}e-9: {violation}", seed()));
        println!(
            "BER {per_1e9}e-9: {} and {} LTPs",
            pair.monitor(0).delivered(),
            pair.monitor(1).delivered()
        );
    }
}

/// What is lost on top of the first bad LTP, by the end that sends it: 0 sends the data, 1 asks for the replay.
fn loss_patterns() -> Vec<(&'static str, Vec<Loss>)> {
    let null = |from, kind, half, first| Loss::one(from, Target::Null(kind, half), first);
    let pair = |from, kind, first, count| -> Vec<Loss> {
        [Half::First, Half::Second]
            .map(|half| Loss { from, target: Target::Null(kind, half), first, count })
            .to_vec()
    };
    let both = |a: Vec<Loss>, b: Vec<Loss>| [a, b].concat();
    let (request, marker, retrain) = (NullKind::RetryReq, NullKind::RetryMrkr, NullKind::RetrainRetryReq);
    vec![
        ("nothing more", vec![]),
        ("RetryReq.0", vec![null(1, request, Half::First, 0)]),
        ("RetryReq.1", vec![null(1, request, Half::Second, 0)]),
        ("both RetryReq", pair(1, request, 0, 1)),
        ("both RetryReq twice", pair(1, request, 0, 2)),
        ("RetryMrkr.0", vec![null(0, marker, Half::First, 0)]),
        ("RetryMrkr.1", vec![null(0, marker, Half::Second, 0)]),
        ("both RetryMrkr", pair(0, marker, 0, 1)),
        ("both RetryMrkr twice", pair(0, marker, 0, 2)),
        (
            "both RetryReq, RetrainRetryReq.0",
            both(pair(1, request, 0, 1), vec![null(0, retrain, Half::First, 0)]),
        ),
        (
            "both RetryReq, RetrainRetryReq.1",
            both(pair(1, request, 0, 1), vec![null(0, retrain, Half::Second, 0)]),
        ),
        ("both RetryReq, both RetrainRetryReq", both(pair(1, request, 0, 1), pair(0, retrain, 0, 1))),
        ("both RetryReq, both RetryMrkr", both(pair(1, request, 0, 1), pair(0, marker, 0, 1))),
        ("first replayed", vec![Loss::one(0, Target::Replayed, 0)]),
        ("second replayed", vec![Loss::one(0, Target::Replayed, 1)]),
        ("three replayed", vec![Loss { from: 0, target: Target::Replayed, first: 0, count: 3 }]),
        (
            "replayed, then both RetryReq",
            both(vec![Loss::one(0, Target::Replayed, 0)], pair(1, request, 1, 1)),
        ),
        (
            "replayed, then both RetryMrkr",
            both(vec![Loss::one(0, Target::Replayed, 1)], pair(0, marker, 1, 1)),
        ),
        ("the peer's data too", vec![Loss { from: 1, target: Target::Any, first: 0, count: 2 }]),
        ("the peer's data later", vec![Loss { from: 1, target: Target::Any, first: 5, count: 2 }]),
    ]
}

/// End 1 stays in Init, its first RndTripMrkr lost, while end 0 is Active and its first marker is lost.
fn start_goes_wrong(config: RetryConfig) -> bool {
    let nulls =
        |from, kind| [Half::First, Half::Second].map(|half| Loss::one(from, Target::Null(kind, half), 0));
    let losses = [nulls(1, NullKind::RndTripMrkr), nulls(0, NullKind::RetryMrkr)].concat();
    let mut pair =
        LinkPair::new(PairConfig::symmetric(config, 8), ErrorProcess::forced(&losses)).expect("a pair");
    let result = pair.run(3_000);
    assert_eq!(pair.errors().outstanding(), 0, "not everything was lost that should be");
    result.is_err() || pair.monitor(0).delivered() == 0
}

#[test]
fn every_null_can_be_lost_with_an_error_at_every_position_of_a_wrap() {
    for (slots, round_trip) in [(16, 3), (16, 8), (16, 9), (16, 25), (128, 40), (128, 200)] {
        // Every position of a wrap, of the long ones a few in the quick run.
        let positions = if slots == 16 { 16 } else { support::count(4, slots as u64) };
        for first in 0..positions {
            for (name, losses) in loss_patterns() {
                let context = format!("R {slots}, RTT {round_trip}, position {first}: {name}");
                let pair = run_pattern(config(slots), round_trip, first, &losses);
                let pair = pair.unwrap_or_else(|violation| panic!("{context}: {violation}"));
                assert_eq!(
                    pair.errors().outstanding(),
                    0,
                    "{context}: not everything was lost that should be"
                );
                assert_eq!(pair.faults(), [], "{context}: no Retraining is needed");
            }
        }
    }
}

#[test]
fn an_end_that_is_active_first_writes_no_slot_before_the_other_can_ask() {
    assert!(!start_goes_wrong(config(16)));
}

#[test]
fn a_single_bad_ltp_costs_one_request_and_one_replay() {
    let pair = run_pattern(config(128), 20, 3, &[]).expect("exactly once");
    let (data, asking) = (pair.counters(0), pair.counters(1));
    assert_eq!((asking.get(LinkCounter::RetryTx), data.get(LinkCounter::RetryRx)), (1, 1));
    assert_eq!((asking.get(LinkCounter::RxBad), asking.get(LinkCounter::RxDup)), (1, 0));
    // the bad LTP and the twenty sent between its last bit and the last bit of the request
    assert_eq!(data.get(LinkCounter::Replayed), 21);
    assert_eq!((pair.latches(1).latched, pair.latches(1).compared), (1, 1));
    assert_eq!((data.get(LinkCounter::Freeze), asking.get(LinkCounter::Freeze)), (0, 0));
}

/// Point 6: R = 16, one-way delay 40 LTP times, 1 % bad LTPs.
fn long_line(mutation: Option<Mutation>, ltp_times: u64) -> (LinkPair, Result<(), Violation>) {
    let config = RetryConfig { mutation, ..config(16) };
    let ends = PairConfig { ends: [config; 2], ltp_ticks: [1; 2], delay_ticks: [39; 2] };
    let mut pair = LinkPair::new(ends, ErrorProcess::random([u64::MAX / 100; 2], seed())).expect("a pair");
    let result = pair.run(ltp_times);
    (pair, result)
}

#[test]
fn with_the_pad_no_slot_is_overwritten_before_its_acknowledgement() {
    let (pair, result) = long_line(None, 100_000);
    assert_eq!(result, Ok(()));
    assert_eq!(pair.monitor(0).overwrites() + pair.monitor(1).overwrites(), 0);
    assert!(pair.counters(0).get(LinkCounter::RetryRx) > 100, "errors came about");
    assert_eq!(pair.faults(), []);
}

#[test]
fn without_the_pad_or_with_it_on_originals_only_the_monitor_fires() {
    for mutation in [Mutation::NoPad, Mutation::PadOnOriginalsOnly] {
        let (pair, result) = long_line(Some(mutation), 100_000);
        assert!(matches!(result, Err(Violation::Overwritten { .. })), "{mutation:?}: {result:?}");
        println!(
            "{mutation:?}: seed {:#x}, {} after {} LTP times",
            seed(),
            result.expect_err("fires"),
            pair.now()
        );
    }
}

/// Four lanes out and one lane back: an LTP of the peer takes as long as four of one's own, so that the peer's pairs,
/// which GUARD_LTPS has to cover, do too.
fn unequal_widths(guard_ltps: u32) -> Result<(), Violation> {
    let config = RetryConfig { guard_ltps, retry_limit: 255, bad_run: 255, ..config(16) };
    let chance = BitErrorRate { per_1e9: 200_000 }.ltp_chance(1056);
    (4..=32).step_by(2).try_for_each(|delay| {
        let ends = PairConfig { ends: [config; 2], ltp_ticks: [3, 12], delay_ticks: [delay; 2] };
        let mut pair = LinkPair::new(ends, ErrorProcess::random([chance; 2], seed())).expect("a pair");
        pair.run(400_000)
    })
}

#[test]
fn the_default_guard_is_too_small_when_one_direction_has_a_quarter_of_the_lanes() {
    let found = unequal_widths(8);
    println!("seed {:#x}, 4 lanes out, 1 back, GUARD_LTPS 8: {found:?}", seed());
    assert!(matches!(found, Err(Violation::Overwritten { .. })), "{found:?}");
    assert_eq!(unequal_widths(16), Ok(()));
}

#[test]
fn throughput_with_the_pad_is_r_over_round_trip_plus_8() {
    for (slots, round_trip) in [(16, 9), (16, 79), (16, 300), (128, 121), (128, 300)] {
        let mut pair = active_pair(config(slots), round_trip);
        let measured = u64::from(pair.port(0).tx().round_trip());
        let (before, ltp_times) = (pair.monitor(0).delivered(), 100_000);
        pair.run(ltp_times).expect("no errors");
        let delivered = pair.monitor(0).delivered() - before;
        let expected = ltp_times * slots as u64 / (measured + 8);
        let percent = (delivered * 10_000 / expected) as f64 / 100.0;
        println!(
            "R {slots}, RTT {measured}: {delivered} LTPs in {ltp_times} LTP times, {percent} % of R/(RTT+8)"
        );
        assert!((99.0..=101.0).contains(&percent), "{percent} %");
        assert!(measured.abs_diff(round_trip) <= 1, "RTT {measured} measured, {round_trip} set");
    }
}

#[test]
fn without_a_pad_every_ltp_time_carries_an_original() {
    let mut pair = active_pair(config(128), 100);
    let before = pair.monitor(1).delivered();
    pair.run(10_000).expect("no errors");
    assert_eq!((pair.port(0).tx().pad(), pair.monitor(1).delivered() - before), (0, 10_000));
}

/// Point 7 and the other rules: the same runs on a link without the rule must fail.
fn fails_without(mutation: Mutation) -> bool {
    let patterns = loss_patterns();
    let corrupted = |slots| RetryConfig { mutation: Some(mutation), ..config(slots) };
    let forced = patterns.iter().any(|(_, losses)| {
        (0..16).any(|first| {
            run_pattern(corrupted(16), 8, first, losses).map_or(true, |pair| !pair.faults().is_empty())
        })
    });
    let random = |seed| {
        let parameters = SoakParameters {
            retry: RetryConfig { retry_limit: 255, bad_run: 12, ..corrupted(16) },
            round_trip: 8,
            error_rate: BitErrorRate { per_1e9: 300_000 },
            flits: 400_000,
            time_limit: 4_000_000,
        };
        soak(&parameters, seed, &mut |_, _| ()).is_err()
    };
    forced || start_goes_wrong(corrupted(16)) || random(seed())
}

#[test]
fn every_mutation_of_the_rules_makes_a_test_fail() {
    for &mutation in Mutation::ALL {
        let failed = match mutation {
            Mutation::NoPad | Mutation::PadOnOriginalsOnly => long_line(Some(mutation), 100_000).1.is_err(),
            _ => fails_without(mutation),
        };
        assert!(failed, "{mutation:?} went unnoticed");
    }
}

#[test]
fn a_parity_error_in_the_buffer_takes_the_link_down_and_the_loss_is_counted() {
    let mut pair = active_pair(config(16), 8);
    (0..16).for_each(|slot| pair.port_mut(0).tx_mut().damage_slot(slot));
    pair.set_errors(ErrorProcess::forced(&[Loss::one(0, Target::Original, 0)]));
    // the slot of the bad LTP is written anew; damage it in the buffer before it is asked for
    while pair.errors().outstanding() > 0 {
        pair.run(1).expect("no violation");
    }
    (0..16).for_each(|slot| pair.port_mut(0).tx_mut().damage_slot(slot));
    pair.run(20_000).expect("no violation");
    let counters = pair.counters(0);
    assert!(counters.get(LinkCounter::ReplayParity) >= 8, "{counters:?}");
    assert_eq!(pair.downs(), 1, "{:?}", pair.faults());
    assert!(counters.get(LinkCounter::LostOnReset) >= 1 && pair.monitor(0).lost_on_reset >= 1);
    assert!(pair.monitor(0).lost_on_reset <= counters.get(LinkCounter::LostOnReset));
    assert!(pair.is_active(), "the link is up again");
}

#[test]
fn a_restart_of_either_end_at_any_time_is_reported_and_harmless() {
    let seed = seed();
    println!("seed {seed:#x}");
    for end in 0..2 {
        for time in 0..120 {
            let chance = BitErrorRate { per_1e9: 50_000 }.ltp_chance(1056);
            let config = PairConfig::symmetric(config(16), 12);
            let mut pair =
                LinkPair::new(config, ErrorProcess::random([chance; 2], seed + time)).expect("a pair");
            pair.run(time).expect("no violation");
            pair.restart(end);
            pair.run(3_000).expect("no violation");
            assert!(pair.is_active() || !pair.faults().is_empty(), "end {end}, time {time}");
            assert!(pair.monitor(1 - end).delivered() > 100, "end {end}, time {time}: goes on");
            for from in 0..2 {
                let counted = pair.counters(from).get(LinkCounter::LostOnReset);
                assert!(
                    pair.monitor(from).lost_on_reset <= counted,
                    "end {end}, time {time}: loss not reported"
                );
            }
        }
    }
}
