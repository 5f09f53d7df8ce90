//! The campaigns of chapter 10, 9 as the command line runs them, in short: what their metrics have to say, and that a broken
//! promise is an error. `docs/link-evidence.md` has the long commands.

#![allow(clippy::expect_used)] // helpers of a test

use serde_json::Value;
use std::process::{Command, Output};

fn sim(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_flitforge"));
    command.arg("sim").args(arguments).arg("--json").output().expect("started")
}

/// The metrics of a run that succeeds.
pub(crate) fn metrics(arguments: &[&str]) -> Value {
    let output = sim(arguments);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{arguments:?}: {error}");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

pub(crate) fn number(metrics: &Value, name: &str) -> u64 {
    metrics[name].as_u64().unwrap_or_else(|| panic!("{name} of {metrics}"))
}

/// Point 5: rows of 4.3 and counters of a run, and of all 40 of the campaign.
#[test]
fn link_soak_reports_the_rows_of_the_rules() {
    let one = metrics(&["link-soak", "--set", "flits=50000", "--set", "ber=100000", "--set", "slots=16"]);
    assert!(number(&one, "flits") >= 50_000);
    assert!(number(&one["counters"], "RX_BAD") > 100 && number(&one["rows"], "delivered") > 3_000, "{one}");
    assert_eq!((number(&one, "downs"), number(&one["rows"], "ahead of NxtRx (RX_GAP)")), (0, 0), "{one}");

    let grid = metrics(&["link-soak", "--set", "grid=1", "--set", "flits=2000"]);
    assert_eq!((number(&grid, "runs"), number(&grid, "downs")), (40, 0), "{grid}");
    assert!(number(&grid, "flits") >= 40 * 2_000 && number(&grid["counters"], "REPLAYED") > 1_000, "{grid}");
}

#[test]
fn a_link_that_delivers_nothing_is_an_error() {
    let output = sim(&["link-soak", "--set", "flits=1000", "--set", "ber=1000000000", "--seed", "7"]);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        !output.status.success() && error.contains("0 of 1000 flits") && error.contains("0x7"),
        "{error}"
    );
}

/// Points 8 and 9: the noisy lane is charged and removed, no other.
#[test]
fn lane_fault_reports_who_was_charged_and_removed() {
    let run = metrics(&["lane-fault", "--set", "steps=20000", "--set", "lane2=1000000", "--set", "lane1=0"]);
    let removals = run["removals"].as_array().expect("a list");
    assert_eq!(removals.len(), 1, "{run}");
    assert_eq!((number(&removals[0], "lane"), number(&removals[0], "by")), (2, 1), "{run}");
    assert_eq!(run["lanes"], serde_json::json!([0b1011, 0xF]));
    let charged: Vec<u64> =
        (0..4).map(|lane| run["lane_errors"][0][lane].as_u64().expect("a count")).collect();
    assert!(charged[2] >= 3 && charged[0] + charged[1] + charged[3] == 0, "{charged:?}");
    assert_eq!(number(&run, "lost_on_reset"), 0);
}

/// Goal a: the lane comes back when the noise is over.
#[test]
fn lane_fault_reports_who_came_back() {
    let set = ["steps=20000", "lane1=0", "lane2=1000000", "threshold=0", "probation=1", "noise_steps=10000"];
    let arguments: Vec<&str> =
        std::iter::once("lane-fault").chain(set.iter().flat_map(|set| ["--set", set])).collect();
    let run = metrics(&arguments);
    let returns = run["returns"].as_array().expect("a list");
    assert_eq!(returns.len(), 1, "{run}");
    assert_eq!((number(&returns[0], "lane"), number(&returns[0], "by")), (2, 1), "{run}");
    // 1,024 LTP times after the last wrong bit.
    assert!((10_900..11_032).contains(&number(&returns[0], "step")), "{run}");
    assert_eq!((&run["lanes"], number(&run, "lost_on_reset")), (&serde_json::json!([0xF, 0xF]), 0));
}

/// Point 9: at no rate and on no number of lanes is the default much worse than the better of no removal and those lanes removed.
#[test]
fn goodput_with_the_default_is_near_the_best() {
    let run = metrics(&["goodput", "--set", "quick=1", "--set", "settle=200000", "--set", "clocks=400000"]);
    let worst = run["worst_ratio"].as_f64().expect("a ratio");
    assert!(worst >= 0.97, "{worst} at {}", run["worst_point"]);
    assert_eq!((number(&run, "runs"), number(&run, "lost_on_reset")), (6 * 15, 0));
    let points = run["points"].as_array().expect("a list");
    let goodput = |rate: u64, lanes: u64, policy: &str| -> f64 {
        let found = points
            .iter()
            .find(|point| number(point, "rate_per_1e9") == rate && number(point, "noisy_lanes") == lanes);
        let policies = found.expect("a point")["policies"].as_array().expect("a list");
        let report = policies.iter().find(|entry| entry[0] == policy).expect("a policy");
        report[1]["goodput"].as_f64().expect("a share")
    };
    // Sixteen flits of 64 bits in 1,056, and what two ports in Verilog have come to.
    assert!((goodput(0, 4, "Default") - 1024.0 / 1056.0).abs() < 0.001);
    for (rate, measured) in [(1_000, 0.956), (10_000, 0.855), (100_000, 0.349)] {
        assert!((goodput(rate, 4, "Off") - measured).abs() < 0.015, "{rate}: {}", goodput(rate, 4, "Off"));
    }
    // The safe setting takes a lane at 1e-5, the default keeps it.
    let [default, safe] = ["Default", "Safe"].map(|policy| goodput(10_000, 1, policy));
    assert!(default > 0.9 && safe < 0.73, "{default} {safe}");
}

/// Points 15 and 17: nothing lost, altered or out of order, every credit there, lanes removed.
#[test]
fn switch_64_reports_exact_delivery() {
    let run = metrics(&["switch-64", "--set", "tree=1", "--set", "flits=60000", "--set", "payload=64"]);
    assert_eq!(run["packets"][0], run["packets"][1], "{run}");
    assert!(number(&run, "flits") >= 60_000 && number(&run, "audits") > 0, "{run}");
    assert_eq!((number(&run, "dropped"), number(&run, "lost_on_reset")), (0, 0), "{run}");
}
