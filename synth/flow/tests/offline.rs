//! Set-up without a network: one test in its own process, since it changes pip's settings.

use flitforge_flow::tools::{set_up, Group, Home, Lines, Pins};
use flitforge_flow::FlowError;

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
    for (name, value) in settings {
        std::env::set_var(name, value);
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
