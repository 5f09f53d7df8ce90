//! Where `missing_docs` is switched off for the sake of rust-hdl's derives, this test takes its place.

#![allow(clippy::expect_used)] // helpers of tests may panic

use std::fs;
use std::path::{Path, PathBuf};

const SWITCH: &str = "#![allow(missing_docs)]";

fn sources(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("readable folder") {
        let path = entry.expect("readable entry").path();
        if path.is_dir() {
            sources(&path, into);
        } else if path.extension().is_some_and(|end| end == "rs") {
            into.push(path);
        }
    }
}

/// Public items of `text` without a doc comment, as `line: text`.
fn undocumented(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let documented = |mut index: usize| {
        while index > 0 && (lines[index - 1].starts_with("#[") || lines[index - 1] == ")]") {
            index -= 1;
        }
        index > 0 && lines[index - 1].starts_with("///")
    };
    let is_item = |line: &str| line.starts_with("pub ") && !line.starts_with("pub use");
    (0..lines.len())
        .filter(|index| is_item(lines[*index]) && !documented(*index))
        .map(|index| format!("{}: {}", index + 1, lines[index]))
        .collect()
}

#[test]
fn the_check_finds_what_is_missing() {
    let text =
        "/// Yes.\n#[derive(Debug)]\npub struct A {\n    pub b: u8,\n    /// Yes.\n    pub c: u8,\n}\n";
    assert_eq!(undocumented(text), ["4: pub b: u8,"]);
}

#[test]
fn files_with_the_lint_off_are_documented() {
    let mut files = vec![];
    for family in ["prim", "link-types", "link", "fabric", "time", "sue", "node"] {
        sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join(family).join("src"), &mut files);
    }
    let mut seen = 0;
    for file in files {
        let text = fs::read_to_string(&file).expect("readable source");
        if text.lines().any(|line| line == SWITCH) {
            seen += 1;
            assert_eq!(undocumented(&text), [""; 0], "{}", file.display());
            let derives =
                ["LogicInterface", "LogicStruct", "#[interface"].iter().any(|name| text.contains(name));
            assert!(derives, "{}: no derive that needs the lint off", file.display());
        }
    }
    assert!(seen > 0, "no file with {SWITCH}: has it moved?");
}
