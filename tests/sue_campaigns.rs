//! The campaigns of chapter 50, 9 as the command line runs them, in short. `docs/sue-evidence.md` has the long commands.

#![allow(clippy::expect_used)] // helpers of a test

use crate::link_campaigns::{metrics, number};
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
