//! The example crate outside the workspace builds, runs and says what docs/outside.md says; the crates that it needs can be packaged.
#![allow(clippy::expect_used)] // helpers of tests

use std::path::{Path, PathBuf};
use std::process::Command;

/// The crates that outsiders need, each after those that it needs.
const CRATES: [&str; 6] = [
    "flitforge-names",
    "flitforge-process",
    "flitforge-macros",
    "flitforge-base",
    "flitforge-elaborate",
    "flitforge-sim",
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The folder of the workspace's build products.
fn products() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    target.map_or_else(|| root().join("target"), |folder| root().join(folder))
}

/// A folder for build products that the next run finds again.
fn target() -> PathBuf {
    products().join("outside")
}

fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO"));
    command.args(arguments).arg("--offline").env("CARGO_TARGET_DIR", target());
    command
}

/// Standard output of a command that must succeed.
fn output(command: &mut Command) -> String {
    let output = command.output().expect("cargo runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}:\n{errors}");
    String::from_utf8(output.stdout).expect("text")
}

/// The profiles of the workspace, as a file for `cargo --config`.
fn profiles() -> String {
    let manifest = std::fs::read_to_string(root().join("Cargo.toml")).expect("readable");
    manifest[manifest.find("[profile.").expect("profiles")..].to_owned()
}

/// It is compiled with the profile of the workspace beside its products, so that most libraries are there already; its own
/// and the two crates that it stands on are not optimised.
#[test]
fn the_example_outside_checks_simulates_and_emits() {
    let folder = tempfile::tempdir().expect("a folder");
    let manifest = root().join("examples/outside/Cargo.toml").display().to_string();
    std::fs::write(folder.path().join("profiles.toml"), profiles()).expect("written");
    let mut run = cargo(&["run", "--release", "--quiet", "--locked", "--manifest-path", &manifest]);
    run.args(["--config", "profiles.toml"]).env("CARGO_TARGET_DIR", products());
    for name in ["ticker", "flitforge-elaborate", "flitforge-sim"] {
        run.args(["--config", &format!("profile.release.package.{name}.opt-level=0")]);
    }
    let sent = output(run.current_dir(folder.path()));
    let wanted: String = (0u8..=255).map(|byte| format!("{byte:08b}")).collect();
    assert!(sent.len() >= 100 && wanted.starts_with(&sent), "{sent}");
    let text = std::fs::read_to_string(folder.path().join("ticker.v")).expect("written");
    assert!(text.contains("\nmodule ticker (\n") && text.contains("output wire spi_mosi"), "{text}");
}

#[test]
fn the_glue_is_short_and_shown() {
    let read = |path: &str| std::fs::read_to_string(root().join(path)).expect("readable");
    let (main, page) = (read("examples/outside/src/main.rs"), read("docs/outside.md"));
    let (_, glue) = main.split_once("fn main()").expect("a main");
    assert!(glue.lines().filter(|line| !line.trim().is_empty()).count() < 20, "{glue}");
    for file in [&main, &read("examples/outside/src/ticker.rs")] {
        let (_, shown) = file.split_once("\n\n").expect("text after the first line");
        assert!(page.contains(shown.trim_end()), "docs/outside.md does not show:\n{shown}");
    }
}

#[test]
fn the_crates_for_others_can_be_packaged() {
    let mut command = cargo(&["package", "--no-verify", "--allow-dirty", "--quiet"]);
    for name in CRATES {
        command.args(["-p", name]);
    }
    output(command.current_dir(root()));
    for name in CRATES {
        let files = output(cargo(&["package", "--list", "--allow-dirty", "-p", name]).current_dir(root()));
        for file in ["Cargo.toml", "README.md", "src/lib.rs"] {
            assert!(files.lines().any(|line| line == file), "{name} has no {file}:\n{files}");
        }
        assert!(target().join(format!("package/{name}-0.1.0.crate")).is_file(), "{name}");
    }
}

/// `cargo package` copies each crate away; what is read from outside the crate would not be there.
#[test]
fn the_crates_for_others_read_no_file_of_the_workspace() {
    let metadata = output(cargo(&["metadata", "--no-deps", "--format-version", "1"]).current_dir(root()));
    let metadata: serde_json::Value = serde_json::from_str(&metadata).expect("JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    for name in CRATES {
        let package = packages.iter().find(|package| package["name"] == name).expect("a package");
        for key in ["description", "license", "readme", "documentation"] {
            assert!(package[key].is_string(), "{name} has no {key}");
        }
        let manifest = PathBuf::from(package["manifest_path"].as_str().expect("a path"));
        let folder = manifest.parent().expect("a folder");
        for (file, text) in sources(&folder.join("src")) {
            for part in text.split("include_").skip(1) {
                let Some((_, path)) = part.split_once("!(\"") else { continue };
                let path = path.split('"').next().unwrap_or_default();
                let place = file.parent().expect("a folder").join(path);
                let depth =
                    place.strip_prefix(folder).expect("inside").components().try_fold(0i32, |depth, part| {
                        let depth =
                            if part == std::path::Component::ParentDir { depth - 1 } else { depth + 1 };
                        (depth >= 0).then_some(depth)
                    });
                assert!(depth.is_some() && place.exists(), "{}: {path} is outside {name}", file.display());
            }
        }
    }
}

fn sources(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut found = vec![];
    for entry in std::fs::read_dir(folder).expect("readable folder") {
        let path = entry.expect("readable entry").path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|kind| kind == "rs") {
            let text = std::fs::read_to_string(&path).expect("readable source");
            found.push((path, text));
        }
    }
    found
}
