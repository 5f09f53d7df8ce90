//! The scenarios of fabric time on the command line: text, JSON and reports hold the same figures.

#![allow(clippy::expect_used)] // helpers of a test

use std::path::Path;
use std::process::Command;

fn sim(arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_flitforge"));
    let output = command.arg("sim").args(arguments).output().expect("started");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).expect("JSON")
}

fn read(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(name)).expect(name)
}

#[test]
fn the_chain_has_a_row_for_every_hop_with_and_without_phase() {
    let root = tempfile::tempdir().expect("temporary folder");
    let folder = root.path().join("report");
    let size = ["clock-tree", "--switches", "3", "--runs", "2", "--periods=20", "--seed", "5"];
    let text = sim(&[&size[..], &["--out", folder.to_str().expect("a path")]].concat());
    let same = sim(&[
        "clock-tree",
        "--set",
        "switches=3",
        "--set",
        "runs=2",
        "--set",
        "periods=20",
        "--seed",
        "5",
        "--json",
    ]);
    let mut same = json(&same);
    // What the run is judged by is not of the report.
    let judged = same.as_object_mut().expect("an object");
    assert_eq!(judged.shift_remove("passed"), Some(true.into()));
    let sentence = judged.shift_remove("sentence").expect("a sentence");
    let sentence = sentence.as_str().expect("a text");
    assert!(sentence.contains("off by more than") && !sentence.contains('-'), "{sentence}");
    assert_eq!(json(&read(&folder, "report.json")), same);
    let page = read(&folder, "report.html");
    assert_eq!((page.matches("<svg").count(), page.matches("<table>").count()), (2, 2));

    let head = "| switches | links | samples | worst_ps | mean_ps | rms_ps | p99_ps |";
    assert_eq!(text.matches(head).count(), 2, "{text}");
    let rows: Vec<Vec<&str>> = text
        .lines()
        .map(|line| line.split('|').map(str::trim).collect())
        .filter(|row: &Vec<_>| row.len() == 11)
        .collect();
    let figures = rows.iter().filter(|row| row[1].parse::<u32>().is_ok());
    let hops =
        same["results"].as_array().expect("two").iter().flat_map(|run| run["hops"].as_array().expect("hops"));
    let pairs: Vec<_> = figures.zip(hops).collect();
    assert_eq!(pairs.len(), 6, "{text}");
    for (row, hop) in pairs {
        for (cell, name) in [(1, "switches"), (4, "worst_ps"), (5, "mean_ps"), (6, "rms_ps"), (7, "p99_ps")] {
            let shown: f64 = row[cell].parse().expect("a figure");
            let exact = hop[name].as_f64().expect("a figure");
            assert!((shown - exact).abs() <= 0.0005, "{name}: {shown} of {exact}");
        }
    }
}

#[test]
fn changes_and_scale_are_text_too() {
    let change = sim(&["clock-tree-change", "--change", "2", "--pause", "5", "--runs", "2"]);
    for part in [
        "config.change  ",
        "SwitchLoss",
        "errors.worst_ps  ",
        "stranded_in_worst_run:",
        "| device | error_fs |",
    ] {
        assert!(change.contains(part), "`{part}` is missing in {change}");
    }
    let scale = sim(&["clock-tree-scale", "--levels", "2", "--fan-out", "3"]);
    assert!(scale.contains("slaves  ") && scale.contains("| id | links |"), "{scale}");
}
