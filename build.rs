//! Notes which compiler this is built with, since only the same one can compile for it on demand, and gathers the targets and budgets
//! that stand beside the blocks.

use std::env;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What stands beside a block: its targets and their budgets.
const FIGURES: &str = "figures.toml";
/// Where the crates of the blocks are.
const BLOCKS: &str = "hdl";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=build.rs");
    let rustc = env::var("RUSTC")?;
    let output = Command::new(rustc).arg("--version").output()?;
    println!("cargo:rustc-env=BUILT_WITH_RUSTC={}", String::from_utf8(output.stdout)?.trim());

    let mut beside = vec![];
    for family in fs::read_dir(BLOCKS)? {
        let sources = family?.path().join("src");
        if sources.is_dir() {
            println!("cargo:rerun-if-changed={}", sources.display());
            figures(&sources, &mut beside)?;
        }
    }
    beside.sort();
    for (file, table) in [("targets.toml", "target"), ("budgets.toml", "budget")] {
        let mut text = String::new();
        for path in &beside {
            text += &format!("\n# {}\n", path.display());
            text += &tables(&fs::read_to_string(path)?, table);
        }
        fs::write(Path::new(&env::var("OUT_DIR")?).join(file), text)?;
    }
    Ok(())
}

fn figures(folder: &Path, into: &mut Vec<PathBuf>) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            figures(&path, into)?;
        } else if path.ends_with(FIGURES) {
            into.push(path);
        }
    }
    Ok(())
}

/// The tables of this name in a file of figures.
fn tables(text: &str, name: &str) -> String {
    let head = format!("[[{name}]]");
    let mut inside = false;
    let mut found = String::new();
    for line in text.lines() {
        if line.starts_with('[') {
            inside = line.trim() == head;
        }
        if inside {
            found += line;
            found.push('\n');
        }
    }
    found
}
