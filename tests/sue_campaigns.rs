//! The campaigns of chapter 50, 9 as the command line runs them, in short. `docs/sue-evidence.md` has the long commands.

#![allow(clippy::expect_used)] // helpers of a test

use crate::link_campaigns::{metrics, number};
use std::path::Path;
use std::process::Command;

/// Points 2 and 3: all faults at once; the scenario itself checks that each is accounted for.
#[test]
fn sue_soak_delivers_every_command_once_and_accounts_for_every_fault() {
    let run = metrics(&["sue-soak", "--set", "commands=300000", "--set", "loss=2000"]);
    assert_eq!(number(&run, "commands"), 300_000);
    for fault in ["lost", "duplicated", "corrupted", "device_errors"] {
        assert!(number(&run["injected"], fault) > 10, "{fault}: {run}");
    }
    assert_eq!(number(&run["arrived"], "FCS"), number(&run["injected"], "corrupted"));
    let bodies = number(&run["counters"], "BODY_TX");
    assert_eq!((number(&run["arrived"], "accepted"), number(&run["counters"], "BODY_RX")), (bodies, bodies));
    assert!(number(&run["counters"], "REPLAY") > 100, "{run}");
}

#[test]
fn a_wire_that_loses_everything_is_an_error_that_names_the_connection() {
    let sim = ["sim", "sue-soak", "--set", "loss=1000000", "--seed", "9"];
    let output = Command::new(env!("CARGO_BIN_EXE_flitforge")).args(sim).output().expect("started");
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && error.contains("0x9") && error.contains("RETRY_MAX"), "{error}");
}

/// Points 1 and 4: E14 and E15.
#[test]
fn sue_loss_compares_with_both_closed_forms() {
    let run = metrics(&["sue-loss", "--set", "smallest=4", "--set", "losses=20"]);
    let worst = |name: &str| run[name].as_f64().expect("a figure");
    assert!(worst("worst_goodput_percent") < 5.0 && worst("worst_packing_percent") < 0.5, "{run}");
    let rows = |name: &str| run[name].as_array().expect("rows").len();
    // three rates and RENACK = 0 for each N; five formats, four sizes, packed and single
    assert_eq!((rows("goodput"), rows("packing")), (3 * 4, 5 * 4 * 2));
}

/// Point 11.
#[test]
fn sue_failover_gives_every_command_one_true_status() {
    let run = metrics(&["sue-failover", "--set", "kills=40", "--seed", "3"]);
    let runs = run["runs"].as_array().expect("runs");
    assert_eq!((runs.len(), number(&run, "kills")), (2 * 3 * 2, 12 * 40));
    for one in runs {
        let status = &one["status"];
        let all = ["delivered", "failed", "unknown"].map(|name| number(status, name)).iter().sum::<u64>();
        assert_eq!(all, number(one, "commands"), "{one}");
        let came = number(status, "delivered") + number(status, "unknown_delivered");
        assert_eq!(came, number(one, "delivered"), "{one}");
        assert!(one["mode"] != "strict" || number(one, "failovers") == 0, "{one}");
    }
    assert!(number(&run, "handed_over") > 100 && number(&run, "unknown") > 100, "{run}");
}

/// Points 18 and 19, and the files of `--out`.
#[test]
fn sue_incast_writes_its_page_and_its_lines() {
    let room = tempfile::tempdir().expect("temporary folder");
    let out = room.path().join("incast").display().to_string();
    let run = metrics(&["sue-incast", "--set", "window=64", "--out", &out]);
    assert_eq!((number(&run, "count"), number(&run, "dropped")), (1, 0));
    assert!(run["least_jain"].as_f64() > Some(0.95) && run["passed"] == true, "{run}");
    let html = std::fs::read_to_string(format!("{out}/sue-incast.html")).expect("the page");
    assert_eq!(html.matches("<svg").count(), 5);
    assert!(html.contains("LIMIT") && !html.contains("NaN") && !html.contains("src="), "self-contained");
    let lines = std::fs::read_to_string(format!("{out}/sue-incast.jsonl")).expect("the lines");
    let lines: Vec<serde_json::Value> =
        lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let of_kind = |kind: &str| lines.iter().filter(|line| line["kind"] == kind).count();
    assert_eq!((of_kind("run"), of_kind("sender")), (1, 63));
    assert!(of_kind("sample") > 100);

    let published = metrics(&["sue-incast", "--set", "pattern=4", "--set", "time_us=100"]);
    let shapes = &published["sue_sim"];
    assert_eq!(shapes["ours"]["most_in_body"], 8, "{shapes}");
    assert!(shapes["ours"]["full"].as_f64() > Some(0.8) && shapes["published"]["full"] == 0.86, "{shapes}");
}

/// A promise that is broken is an exit code: few commands wait, so that bodies are not full.
#[test]
fn sue_incast_fails_where_a_promise_does_not_hold() {
    let sim = |set: &[&str]| {
        let set = set.iter().flat_map(|set| ["--set", set]);
        let mut command = Command::new(env!("CARGO_BIN_EXE_flitforge"));
        let output = command.args(["sim", "sue-incast"]).args(set).output().expect("started");
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    // much shorter than what waits in the switch: whoever was first has more
    let (code, error) = sim(&["time_us=20", "vcs=1"]);
    assert!(code == Some(1) && error.contains("Jain"), "{code:?} {error}");
    let (code, error) = sim(&["limit=4"]);
    assert!(code != Some(0) && error.contains("LIMIT of 4"), "{code:?} {error}");
}

/// What tshark says of a file, with the dissector of `docs/reference`, or a visible skip; in CI it has to be there.
fn tshark(file: &Path, arguments: &[&str]) -> Option<String> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/reference/sue.lua");
    let mut command = Command::new("tshark");
    command.arg("-X").arg(format!("lua_script:{}", script.display())).arg("-r").arg(file).args(arguments);
    match command.output() {
        Ok(output) => {
            let errors = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(output.status.success() && !errors.contains("Lua"), "{errors}");
            Some(String::from_utf8_lossy(&output.stdout).into_owned())
        }
        Err(error) if std::env::var_os("CI").is_some() => panic!("tshark: {error}"),
        Err(error) => {
            eprintln!("SKIPPED: frames in tshark: {error}");
            None
        }
    }
}

/// The frames of a run open in tshark, and those that were damaged are shown so.
#[test]
fn frames_of_sue_soak_open_in_tshark() {
    let room = tempfile::tempdir().expect("temporary folder");
    let out = room.path().join("soak");
    let faults = ["--set", "corruption=20000", "--set", "device_errors=20000", "--set", "commands=20000"];
    let run = metrics(&[&["sue-soak", "--out", &out.display().to_string()], &faults[..]].concat());
    assert_eq!(number(&run, "commands"), 20_000);
    let file = out.join("sue-soak.pcapng");
    let all = ["-T", "fields", "-e", "sue.fcs.status", "-e", "sue.r_crc.status", "-e", "frame.comment"];
    let Some(text) = tshark(&file, &all) else { return };
    let mut seen = [0; 3];
    for line in text.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        match fields[2] {
            "" => {
                assert_eq!((fields[0], fields[1]), ("1", "1"), "a whole frame: {line}");
                seen[0] += 1;
            }
            comment if comment.contains("wire") => {
                assert_ne!(fields[0], "1", "its FCS is wrong: {line}");
                seen[1] += 1;
            }
            // the new FCS hides it; bits of the network header are not covered by the R-CRC
            _ => seen[2] += u64::from(fields[1] == "0"),
        }
    }
    assert_eq!(text.lines().count(), 1_000);
    assert!(seen[0] > 900 && seen[1] > 5 && seen[2] > 5, "{seen:?}");
}

fn sue(arguments: &[&str]) -> (Option<i32>, String) {
    let sue = ["sue", "latency"];
    let output =
        Command::new(env!("CARGO_BIN_EXE_flitforge")).args(sue).args(arguments).output().expect("started");
    let text = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&text).into_owned())
}

/// Point 16: the six sums, and the one that the source adds up wrongly.
#[test]
fn sue_latency_prints_the_table_of_the_source() {
    let (code, text) = sue(&[]);
    assert_eq!(code, Some(0), "{text}");
    assert_eq!(text.matches(" one way").count(), 6, "{text}");
    for sum in ["549.2", "520.0", "499.6", "485.0", "496.0", "477.6"] {
        assert!(text.contains(&format!("  {sum} ns one way")), "{sum}: {text}");
    }
    assert_eq!(text.matches("its own terms add up to 485.0").count(), 1, "{text}");

    // 40 and 22 clocks at 200 MHz, RS(544,514) in pairs: 200 + 110 + 250 + 2 * (24.8 + 54.4)
    let measured =
        ["--transmit-clocks", "40", "--receive-clocks", "22", "--fec", "rs544", "--pairs", "--json"];
    let rows: serde_json::Value = serde_json::from_str(&sue(&measured).1).expect("JSON");
    assert_eq!(rows[2]["one_way"], 718.4, "{rows}");
    assert_eq!(sue(&["--switch", "-3"]).0, Some(2));
    assert_eq!(sue(&["--transmit", "5", "--transmit-clocks", "5"]).0, Some(2));
}
