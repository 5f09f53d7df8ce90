//! Random errors in both directions, closed loop: hardware and model in step, every LTP delivered exactly once.

use crate::link_replay::hardware::Hardware;
use crate::link_replay::pair::Pair;
use flitforge_model::retry::{Fault, RetryConfig};
use flitforge_protocol::counter::LinkCounter;
use flitforge_sim::cosim::Depth;
use flitforge_sim::kit::seed;
use flitforge_testkit::depth;

/// Eight times as many, or eighty, on request.
fn deep(ltps: u64) -> u64 {
    match depth() {
        Depth::Quick => ltps,
        Depth::Full => 8 * ltps,
        Depth::Campaign => 80 * ltps,
    }
}

pub fn config(slots: usize) -> RetryConfig {
    RetryConfig { slots, retry_limit: 255, bad_run: 12, ..RetryConfig::default() }
}

/// Runs and prints what came about.
fn run(name: &str, mut pair: Pair, bad: [f64; 2], ltps: u64) -> Pair {
    pair.bad = bad;
    pair.run(ltps);
    pair.rig.finish();
    let counts = counts(&pair.rig.hardware);
    println!(
        "{name}: {} LTPs delivered in {} clocks, {} Retrainings; {}",
        pair.delivered,
        pair.rig.clock,
        pair.retrainings,
        counts.join(" ")
    );
    pair
}

fn counts(hardware: &Hardware) -> Vec<String> {
    let counts = Hardware::counters().map(|counter| (counter, hardware.count(counter)));
    counts
        .filter(|(_, count)| *count > 0)
        .map(|(counter, count)| format!("{} {count}", counter.name()))
        .collect()
}

#[test]
fn without_errors_every_ltp_is_an_original() {
    let seed = seed(0x42_01);
    let pair = run("no errors", Pair::new(config(128), false, 40, seed), [0.0; 2], deep(2_000));
    let replayed = pair.rig.hardware.count(LinkCounter::Replayed);
    assert_eq!((pair.retrainings, replayed), (0, 0));
}

#[test]
fn errors_in_both_directions_lose_nothing() {
    for (number, (slots, delay, bad)) in
        [(16, 30, 0.05), (16, 8, 0.3), (128, 100, 0.02), (128, 400, 0.05)].into_iter().enumerate()
    {
        let seed = seed(0x42_10 + number as u64);
        let pair = Pair::new(config(slots), number % 2 == 1, delay, seed);
        let pair = run(&format!("R = {slots}, {delay} clocks, {bad}"), pair, [bad; 2], deep(2_000));
        for counter in
            [LinkCounter::Replayed, LinkCounter::RetryTx, LinkCounter::RetryRx, LinkCounter::Freeze]
        {
            assert!(pair.rig.hardware.count(counter) > 0, "{} stayed 0", counter.name());
        }
    }
}

/// The round trip is longer than the buffer: pads. 16 slots, one-way delay 40 LTP times.
#[test]
fn pads_keep_every_slot_until_its_request_can_have_come() {
    let seed = seed(0x42_20);
    let pair = run("pads", Pair::new(config(16), false, 330, seed), [0.01; 2], deep(3_000));
    let counters = pair.rig.near.counters();
    assert!(counters.get(LinkCounter::NullTx) > 3 * counters.get(LinkCounter::Replayed));
}

#[test]
fn sequence_numbers_wrap() {
    let seed = seed(0x42_30);
    run("wrap", Pair::new(config(16), false, 16, seed), [0.002; 2], 67_000);
}

/// Limits small enough that the link is retrained and goes Down.
#[test]
fn limits_lead_to_retraining_and_down() {
    let limits = RetryConfig { retry_limit: 2, reinit_limit: 2, bad_run: 12, toss_ltps: 200, ..config(16) };
    let mut pair = Pair::new(limits, false, 60, seed(0x42_40));
    pair.bad = [0.4, 0.02];
    (0..deep(100_000)).for_each(|_| pair.step());
    pair.rig.finish();
    let limit = pair.rig.faults.iter().filter(|fault| **fault == Fault::ReplayLimit).count();
    println!("{} Retrainings, {limit} by the limit, {} times Down", pair.retrainings, pair.rig.downs);
    assert!(limit > 5 && pair.rig.downs > 1, "{:?}", pair.rig.faults);
}
