//! `docs/reading.md` shows blocks as they are. `FLITFORGE_BLESS=1` writes what has changed.

#![allow(clippy::expect_used)] // tests

use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Marks a text and says of which file it is.
const MARK: (&str, &str) = ("<!-- text of ", " -->");

/// The document with the text and the size of every file that it marks as they are, and how many these are.
fn current(document: &str) -> (String, usize) {
    let (mut out, mut count) = (String::new(), 0);
    let mut lines = document.lines();
    while let Some(line) = lines.next() {
        out.push_str(line);
        out.push('\n');
        let file = line.strip_prefix(MARK.0).and_then(|rest| rest.strip_suffix(MARK.1));
        let Some(file) = file else { continue };
        let text = std::fs::read_to_string(root().join(file)).expect(file);
        let (length, characters) = (text.lines().count(), text.chars().count());
        out.push_str(&format!("{length} lines, {characters} characters:\n\n```rust\n{text}```\n"));
        assert!(lines.any(|line| line == "```"), "{file}: its text ends");
        count += 1;
    }
    (out, count)
}

#[test]
fn the_blocks_to_read_are_current() {
    let path = root().join("docs/reading.md");
    let there = std::fs::read_to_string(&path).expect("docs/reading.md");
    let (text, count) = current(&there);
    assert!(count >= 2, "{count} texts");
    if std::env::var_os("FLITFORGE_BLESS").is_some() {
        std::fs::write(&path, &text).expect("written");
    } else {
        assert!(there == text, "docs/reading.md is not current: run this test with FLITFORGE_BLESS=1");
    }
}

#[test]
fn another_text_is_seen() {
    let document =
        "a\n<!-- text of hdl/src/lib.rs -->\n1 lines, 2 characters:\n\n```rust\nwas here\n```\nb\n";
    let (text, count) = current(document);
    assert_eq!(count, 1);
    assert!(text.starts_with("a\n") && text.ends_with("```\nb\n") && !text.contains("was here"));
    assert!(text.contains("pub mod registry;"));
}
