//! Shapes that are not built in, from the command line: compiled once, then emitted, linted and simulated like all others.

#![allow(clippy::expect_used)] // helpers of a test

use flitforge_flow::tools::Toolbox;
use flitforge_flow::Level;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// Where the programs of these tests are kept: the next run finds them again.
fn home() -> std::path::PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("on-demand-home")
}

fn flitforge(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_flitforge"));
    command.args(arguments);
    command
}

fn ran(mut command: Command, code: i32) -> (String, String) {
    let Output { status, stdout, stderr } = command.output().expect("started");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert_eq!(status.code(), Some(code), "{command:?}: {}", text(&stderr));
    (text(&stdout), text(&stderr))
}

/// Two blocks, one of several const parameters; two programs in a row, and the second time none.
#[test]
fn a_shape_that_is_not_built_in_is_compiled_once_and_emitted() {
    let room = tempfile::tempdir().expect("a folder");
    let home = room.path().join("home");
    let out = |name: &str| room.path().join(name).display().to_string();
    let verilog = |name: &str, block: &str, set: &[&str]| {
        let out = out(name);
        let set = set.iter().flat_map(|set| ["--set", set]);
        let arguments: Vec<&str> = ["verilog", block, "--out", &out].into_iter().chain(set).collect();
        let mut command = flitforge(&arguments);
        command.env("FLITFORGE_HOME", &home);
        ran(command, 0)
    };
    let (_, said) = verilog("packets", "packet_fifo", &["width=32", "depth=1024"]);
    assert!(
        said.contains("compiling `packet_fifo` with width, depth, drop_when_full = (32, 1024, 1), once"),
        "{said}"
    );
    let text =
        fs::read_to_string(room.path().join("packets/packet_fifo_width32_depth1024.v")).expect("written");
    assert!(
        text.contains("module packet_fifo_width32_depth1024 (") && text.contains("[31:0] words_in_data"),
        "{text}"
    );
    let (_, said) = verilog("again", "packet_fifo", &["width=32", "depth=1024"]);
    assert_eq!(said, "", "compiled twice");
    let again = room.path().join("again/packet_fifo_width32_depth1024.v");
    assert_eq!(fs::read_to_string(again).expect("written"), text);
    let (_, said) = verilog("counter", "counter", &["bits=16"]);
    assert!(said.contains("compiling `counter` with bits = (16), once"), "{said}");
    let kept = fs::read_dir(home.join("on-demand")).expect("made").count();
    assert_eq!(kept, 2, "a program for each, and nothing else");
}

/// Lint, and all simulators with equal outputs.
#[test]
fn shapes_on_demand_are_linted_and_simulated() {
    if Toolbox::locate(Level::Lint.tools()).is_err() {
        eprintln!("SKIPPED: lint and simulation of shapes on demand: tools missing");
        return;
    }
    for (block, set) in [("packet_fifo", "width=9"), ("skid", "width=5")] {
        let (said, _) = ran(flitforge(&["check", block, "--set", set, "--simulate", "300"]), 0);
        assert!(said.contains("ok, equal on") && said.contains(block), "{said}");
    }
}

#[test]
fn a_dry_run_compiles_nothing() {
    let mut command = flitforge(&["verilog", "skid", "--set", "width=7", "--out", "none", "--dry-run"]);
    let home = tempfile::tempdir().expect("a folder");
    command.env("FLITFORGE_HOME", home.path());
    let (_, said) = ran(command, 0);
    assert!(said.contains("would be compiled: flitforge_hdl::prim::skid::build_as::<7>"), "{said}");
    assert_eq!(fs::read_dir(home.path()).expect("readable").count(), 0);
}

#[test]
fn what_cannot_work_is_refused_and_not_compiled() {
    let refused = |arguments: &[&str]| ran(flitforge(arguments), 2).1;
    let said = refused(&["verilog", "counter", "--set", "bits=18", "--out", "none"]);
    assert!(said.contains("4 S") && !said.contains("compiling"), "{said}");
    let said = refused(&["verilog", "fifo", "--set", "depth=100", "--out", "none"]);
    assert!(said.contains("a power of two, 16 to 65536"), "{said}");
    let said = refused(&["check", "fifo", "skid", "--set", "width=8"]);
    assert!(said.contains("--set is for one block"), "{said}");
}

/// Needs no tool, and writes nothing as it is refused.
const ASKED: [&str; 6] = ["verilog", "skid", "--set", "width=6", "--out", "none"];

#[test]
fn without_a_compiler_the_error_says_what_to_do() {
    let mut command = flitforge(&ASKED);
    command.env("RUSTC", "no-such-rustc").env("FLITFORGE_HOME", home());
    let (_, said) = ran(command, 3);
    assert!(said.contains("`no-such-rustc` is needed and not found") && said.contains("rustup"), "{said}");
}

#[test]
fn another_compiler_is_refused_with_both_versions() {
    let room = tempfile::tempdir().expect("a folder");
    let rustc = room.path().join("rustc");
    fs::write(&rustc, "#!/bin/sh\necho 'rustc 1.0.0 (a59de37e9 2015-05-13)'\n").expect("written");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(&rustc, mode).expect("executable");
    let mut command = flitforge(&ASKED);
    command.env("RUSTC", &rustc).env("FLITFORGE_HOME", home());
    let (_, said) = ran(command, 3);
    assert!(
        said.contains("1.0.0")
            && said.contains("was built with rustc 1.")
            && said.contains("build `flitforge` again"),
        "{said}"
    );
}

#[test]
fn a_copied_executable_says_where_it_would_work() {
    let room = tempfile::tempdir().expect("a folder");
    let copy = room.path().join("flitforge");
    fs::copy(env!("CARGO_BIN_EXE_flitforge"), &copy).expect("copied");
    let mut command = Command::new(&copy);
    command.args(ASKED).env("FLITFORGE_HOME", home());
    let (_, said) = ran(command, 3);
    let folder = room.path().canonicalize().expect("there");
    assert!(said.contains(&format!("{} has none", folder.display())), "{said}");
    assert!(said.contains("cargo run --release"), "{said}");
}
