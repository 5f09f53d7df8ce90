//! `flitforge sim line` as a user meets it: what a failing case prints, writes and exits with.

#![allow(clippy::expect_used)] // helpers of a test

use serde_json::Value;
use std::process::Command;

/// Two ports over `phy_ecp5` whose core clock is slower than the chapter allows (4.7): they train again and again.
const FAILS: [&str; 6] = ["ports=1", "phy=2", "event=6", "lanes=4", "ratio=1000500", "straight=1"];
/// A bond that goes Down with beats at its ingress, which LOST_ON_RESET counts.
const GOOD: [&str; 6] = ["ports=2", "phy=1", "event=1", "lanes=1", "first=11", "straight=1"];

/// Runs one case with these values and options: exit code, metrics if there are any, standard error.
fn line(values: &[&str], options: &[&str]) -> (Option<i32>, Value, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_flitforge"));
    command.args(["sim", "line", "--json", "--set", "jobs=1"]).args(options);
    if !values.iter().any(|value| value.starts_with("cases=")) {
        command.args(["--set", "cases=1"]);
    }
    values.iter().for_each(|value| {
        command.args(["--set", value]);
    });
    let output = command.output().expect("started");
    let metrics = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
    (output.status.code(), metrics, String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn a_new_failure_is_told_of_and_ends_with_an_error() {
    let (code, metrics, error) = line(&FAILS, &[]);
    assert_eq!(code, Some(1), "{error}");
    assert_eq!((&metrics["failures"], &metrics["new_failures"]), (&1.into(), &1.into()), "{metrics}");
    assert_eq!(metrics["failing_cases"][0]["known"], "none");
    let command = metrics["failing_cases"][0]["command"].as_str().expect("command");
    assert!(command.contains("ratio=1000500"), "{command}");
    assert_eq!(metrics["failing_cases"][0]["waveform"], format!("{command} --wave case.fst"));
    assert!(error.contains("not known: 1"), "{error}");
}

#[test]
fn good_cases_are_no_error() {
    let (code, metrics, error) = line(&GOOD, &[]);
    assert_eq!(code, Some(0), "{error}");
    assert_eq!((&metrics["failures"], &metrics["new_failures"]), (&0.into(), &0.into()), "{metrics}");
    let good = FAILS.map(|value| if value.starts_with("ratio") { "ratio=2000000" } else { value });
    let (code, metrics, error) = line(&good, &[]);
    assert_eq!(code, Some(0), "{error}");
    assert_eq!(metrics["failures"], 0);
}

#[test]
fn the_waveform_of_a_failing_case_is_written() {
    let room = tempfile::tempdir().expect("temporary folder");
    for end in ["vcd", "fst"] {
        let path = room.path().join(format!("case.{end}"));
        let (code, metrics, error) = line(&FAILS, &["--wave", &path.display().to_string()]);
        assert_eq!((code, &metrics["new_failures"]), (Some(1), &1.into()), "{error}");
        assert!(std::fs::metadata(&path).expect("written").len() > 100_000, "{}", path.display());
    }
    let path = room.path().join("states.vcd").display().to_string();
    let options = ["--wave", &path, "--wave-signals", "*.link0.state", "--wave-last", "2000"];
    let (code, ..) = line(&FAILS, &options);
    assert_eq!(code, Some(1));
    let text = std::fs::read_to_string(&path).expect("written");
    assert!(text.contains("state") && text.contains("Retraining") && !text.contains("flits_in"), "{path}");
    let nowhere = "/proc/none/case.vcd";
    let (code, _, error) = line(&FAILS, &["--wave", nowhere]);
    assert_eq!(code, Some(4), "{error}");
    assert!(error.contains("/proc/none"), "{error}");
}

#[test]
fn what_cannot_be_asked_for_is_refused() {
    for (values, options, words) in [
        (&["ratio=900000"][..], &[][..], ["`ratio`", "1000000"]),
        (&["cases=2"], &["--wave", "a.vcd"], ["--wave", "one case"]),
        (&[], &["--record", "a.jsonl"], ["line", "--record"]),
        (&["flits=5"], &[], ["`flits`", "0..=4"]),
    ] {
        let (code, _, error) = line(values, options);
        assert_eq!(code, Some(2), "{error}");
        words.iter().for_each(|word| assert!(error.contains(word), "`{word}` is missing in: {error}"));
    }
}
