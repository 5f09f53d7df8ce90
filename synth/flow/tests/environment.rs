//! Makes the real environment in a fresh home: only on request, since it fetches 150 MB.

use flitforge_flow::tools::{set_up, Group, Home, Lines, Pins};

#[test]
#[ignore = "fetches about 150 MB; run with --ignored"]
fn a_fresh_home_gets_both_groups() {
    let room = tempfile::tempdir().unwrap();
    let kept = std::env::var_os("FLITFORGE_HOME").map(std::path::PathBuf::from);
    let home = Home { path: kept.unwrap_or_else(|| room.path().join("home")) };
    let pins = Pins::embedded().unwrap();
    for group in [Group::Base, Group::Formal] {
        let path = set_up(&home, &pins, group, &Lines).unwrap();
        for tool in pins.tools_of(group) {
            assert!(path.join("bin").join(&tool.name).is_file(), "{} missing", tool.name);
        }
        assert_eq!(
            set_up(&home, &pins, group, &Lines).unwrap(),
            path,
            "the second call finds the first's work"
        );
    }
}
