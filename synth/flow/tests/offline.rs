//! Set-up without a network, in a process of its own: pip has other settings there.

use flitforge_flow::tools::{set_up, Group, Home, Lines, Pins};
use flitforge_flow::FlowError;
use std::process::Command;

/// Set in the process that the test starts.
const ALONE: &str = "OFFLINE_ALONE";

#[test]
fn no_network_is_an_error_that_says_what_to_do_and_leaves_nothing() {
    let settings = [
        ("PIP_CONFIG_FILE", "/dev/null"),
        ("PIP_INDEX_URL", "http://127.0.0.1:9/simple"),
        ("PIP_FIND_LINKS", ""),
        ("PIP_RETRIES", "1"),
        ("PIP_TIMEOUT", "2"),
        ("PIP_NO_CACHE_DIR", "1"),
    ];
    if std::env::var_os(ALONE).is_none() {
        let name = "offline::no_network_is_an_error_that_says_what_to_do_and_leaves_nothing";
        let mut command = Command::new(std::env::current_exe().unwrap());
        let output = command.args(["--exact", name]).env(ALONE, "1").envs(settings).output().unwrap();
        let shown = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
        assert!(output.status.success() && shown[0].contains("1 passed"), "{}", shown.concat());
        return;
    }
    let room = tempfile::tempdir().unwrap();
    let home = Home { path: room.path().to_path_buf() };
    let error = set_up(&home, &Pins::embedded().unwrap(), Group::Base, &Lines).unwrap_err();
    assert!(matches!(error, FlowError::Setup { .. }), "{error}");
    let message = error.to_string();
    for part in ["fetching pyosys 0.70", "PIP_INDEX_URL", "it goes on where it stopped"] {
        assert!(message.contains(part), "`{part}` is missing in: {message}");
    }
    assert_eq!(error.exit_code(), 3);
    let names: Vec<_> = std::fs::read_dir(room.path()).unwrap().flatten().map(|e| e.file_name()).collect();
    assert!(names.iter().all(|n| n == "wheels" || n == "lock"), "{names:?}");
}
