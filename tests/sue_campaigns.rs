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
