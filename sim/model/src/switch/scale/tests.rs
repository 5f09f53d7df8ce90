use super::run::STUCK_CLOCKS;
use super::*;
use crate::pair::BitErrorRate;

fn parameters(plan: Plan) -> ScaleParameters {
    ScaleParameters {
        plan,
        flits: 100_000,
        load: 60,
        payload: 256,
        faults: 8,
        noise: BitErrorRate { per_1e9: 2_000_000 },
        adapt: false,
        mark_units: 0,
    }
}

fn run(parameters: ScaleParameters, seed: u64) -> ScaleReport {
    let report = scale(&parameters, seed, &mut |_, _| ()).unwrap_or_else(|error| panic!("{error}"));
    println!("{report:?}");
    assert!(report.flits >= parameters.flits);
    assert_eq!(report.packets[0], report.packets[1]);
    assert_eq!((report.dropped, report.lost_on_reset), (0, 0));
    assert!(report.audits > 0);
    report
}

/// Chapter 10, 9, points 15 and 17, in short: the scenario `switch-64` runs as long as you like.
#[test]
fn lanes_fail_and_every_packet_comes_once_and_in_order() {
    for plan in [Plan::FatTree, Plan::Tree] {
        let report = run(parameters(plan), 1);
        assert_eq!(report.faults, 8);
        assert!(report.removed > 0 && report.bad_ltps > 10, "{plan:?}");
    }
}

#[test]
fn without_faults_no_ltp_is_bad() {
    let report = run(ScaleParameters { faults: 0, ..parameters(Plan::FatTree) }, 2);
    assert_eq!((report.removed, report.bad_ltps, report.alt_taken, report.marked), (0, 0, 0, 0));
}

#[test]
fn with_two_ways_every_packet_comes_once() {
    let adaptive = ScaleParameters { adapt: true, mark_units: 40, ..parameters(Plan::FatTree) };
    let report = run(ScaleParameters { load: 90, ..adaptive }, 3);
    assert!(report.alt_taken > 100 && report.marked > 0);
}

/// Packets that are never delivered do not go unnoticed.
#[test]
fn a_fabric_that_stands_still_is_an_error() {
    // Every lane of some links is so noisy that nothing gets through.
    let noisy = ScaleParameters {
        faults: 1_000,
        noise: BitErrorRate { per_1e9: 10_000_000 },
        flits: 200_000,
        ..parameters(Plan::Tree)
    };
    let error = scale(&noisy, 4, &mut |_, _| ()).expect_err("nothing gets through");
    assert!(
        matches!(error, ScaleError::Stuck { clock, missing, .. } if clock > STUCK_CLOCKS && missing > 0),
        "{error}"
    );
}
