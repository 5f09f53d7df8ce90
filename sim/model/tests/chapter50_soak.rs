//! XPUs over a wire with faults: every command once, in order, unaltered, and every fault accounted for (chapter 50, 9,
//! points 2 and 3).

#![allow(clippy::expect_used)] // helpers of a test

use crate::pairs::seed;
use flitforge_model::sue::format::Framing;
use flitforge_model::sue::soak::{soak, SoakError, SoakParameters, SoakReport, WireFaults};

fn parameters() -> SoakParameters {
    SoakParameters {
        xpus: 3,
        framing: Framing::AfhGen2,
        vcs: 4,
        commands: 200_000,
        data_bytes: 64,
        flush: 20_000,
        window: 16,
        rto: 3_200,
        delay: 100,
        faults: WireFaults::default(),
        stalls: 0,
        time_limit: 50_000_000,
        capture: 0,
    }
}

fn run(parameters: &SoakParameters) -> SoakReport {
    let seed = seed();
    println!("FLITFORGE_SEED={seed:#x}");
    soak(parameters, seed, &mut |_, _| ()).expect("every command once and in order")
}

#[test]
fn a_perfect_wire_replays_nothing() {
    let report = run(&parameters());
    assert_eq!((report.commands, report.counters.get("REPLAY")), (200_000, None));
    assert_eq!(report.arrived.keys().collect::<Vec<_>>(), ["accepted", "ack-only"]);
}

#[test]
fn every_fault_is_accounted_for() {
    let every = 3_000;
    let one = |change: fn(&mut WireFaults, u32)| {
        let mut faults = WireFaults::default();
        change(&mut faults, every);
        faults
    };
    let cases = [
        (one(|faults, rate| faults.loss = rate), "GAP"),
        (one(|faults, rate| faults.duplication = rate), "DUP"),
        (one(|faults, rate| faults.corruption = rate), "FCS"),
        (one(|faults, rate| faults.device_error = rate), "RCRC"),
        (one(|faults, rate| faults.swap = 20 * rate), "GAP"),
    ];
    for (faults, name) in cases {
        let report = run(&SoakParameters { faults, ..parameters() });
        assert!(report.arrived.get(name).is_some_and(|count| *count > 3), "{name}: {report:?}");
    }
}

#[test]
fn all_faults_at_once_and_a_receiver_that_stalls_lose_nothing() {
    let (loss, duplication, corruption, device_error, swap) = (3_000, 3_000, 3_000, 3_000, 3_000);
    let faults = WireFaults { loss, duplication, corruption, device_error, swap, spread: 300 };
    let report = run(&SoakParameters { faults, stalls: 1_000, ..parameters() });
    for name in ["accepted", "ack-only", "DUP", "GAP", "FCS", "RCRC", "RX_FULL", "HDR_BAD", "AFH_BAD"] {
        assert!(report.arrived.contains_key(name), "{name}: {report:?}");
    }
    assert!(report.harmless > 0 && report.counters["REPLAY"] > 100);
}

/// Bodies of one command on one connection each way: its PSN starts again three times.
#[test]
fn psns_wrap_three_times_under_loss() {
    let faults = WireFaults { loss: 500, ..WireFaults::default() };
    let report = run(&SoakParameters {
        xpus: 2,
        vcs: 1,
        commands: 450_000,
        data_bytes: 0,
        flush: 1_000_000,
        faults,
        ..parameters()
    });
    assert!(report.most_bodies > 3 << 16, "{report:?}");
}

#[test]
fn numbers_that_cannot_work_are_refused() {
    let refused = soak(&SoakParameters { xpus: 1, ..parameters() }, 1, &mut |_, _| ());
    assert_eq!(refused, Err(SoakError::Range { name: "xpus", value: 1, least: 2, most: 64 }));
    let slow = soak(&SoakParameters { time_limit: 1_000, ..parameters() }, 1, &mut |_, _| ());
    assert!(matches!(slow, Err(SoakError::Slow { .. })), "{slow:?}");
}
