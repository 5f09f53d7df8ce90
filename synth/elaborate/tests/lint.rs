//! The source lint: what it refuses, what it leaves alone, and the project's own sources.
#![allow(clippy::expect_used)] // helpers of tests may panic

use flitforge_elaborate::lint::source;
use std::path::{Path, PathBuf};

fn lines(body: &str) -> Vec<String> {
    let text = format!(
        "struct B {{ a: u8, lane: u8 }}\nimpl Logic for B {{\n#[hdl_gen]\nfn update(&mut self) {{\n{body}\n}}\n}}"
    );
    source(&text, "b.rs").into_iter().map(|problem| format!("{} {}", problem.path, problem.reason)).collect()
}

#[test]
fn functions_that_begin_like_casts_are_refused() {
    for call in ["bits_rev(self.a.val())", "bit_cast_signed::<4>(x)", "Bits4(x)", "Bits::<4>::mask()"] {
        let found = lines(&format!("\nself.y.next = {call};"));
        assert_eq!(found.len(), 1, "{call}: {found:?}");
        assert!(found[0].starts_with("b.rs:6 ") && found[0].contains("rename"), "{found:?}");
    }
    for call in ["bits(3)", "bits::<4>(3)", "bit_cast::<9, 8>(x)", "Bits::<4>::from(x)", "signed_cast(x)"] {
        assert_eq!(lines(&format!("self.y.next = {call};")), Vec::<String>::new(), "{call}");
    }
}

#[test]
fn arithmetic_on_an_index_is_refused_outside_offsets() {
    for expression in [
        "self.a.val().index() + 1 == self.b.val().index()",
        "(self.a.val().index() & 3) << 1",
        "!self.a.val().index() == 0",
        "self.x.val().get_bit(0) & (3 - self.a.val().index() == 1)",
        "self.x.val().replace_bit(0, self.a.val().index() + 1 == 3)",
    ] {
        assert_eq!(lines(&format!("self.y.next = {expression};")).len(), 1, "{expression}");
    }
    for expression in [
        "self.a.val().index() == 3",
        "self.x.val().get_bits::<4>(self.a.val().index() * 4 + 1)",
        "self.x.val().get_bit(self.a.val().index() + i)",
        "self.a.val() + 1",
    ] {
        assert_eq!(lines(&format!("self.y.next = {expression};")), Vec::<String>::new(), "{expression}");
    }
}

#[test]
fn loop_variables_named_like_fields_and_guards_are_refused() {
    let found = lines("for lane in 0..2 { self.y.next = self.x[lane].val(); }");
    assert!(found.len() == 1 && found[0].contains("`lane`"), "{found:?}");
    assert!(lines("for i in 0..2 { self.y.next = self.x[i].val(); }").is_empty());
    let found = lines("match self.s.q.val() { S::A if self.a.val() => self.y.next = true, _ => {} }");
    assert!(found.len() == 1 && found[0].contains("guard"), "{found:?}");
}

#[test]
fn only_hdl_functions_are_looked_at() {
    assert!(source("fn f() { bits_rev(3); x.index() + 1; }", "b.rs").is_empty());
    assert_eq!(source("fn f( {", "b.rs").len(), 1);
}

fn rust_files(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        if entry.is_dir() {
            rust_files(&entry, into);
        } else if entry.extension().is_some_and(|extension| extension == "rs") {
            into.push(entry);
        }
    }
}

#[test]
fn the_projects_blocks_are_clean() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = vec![];
    for folder in ["hdl/src", "boards/src"] {
        rust_files(&root.join(folder), &mut files);
    }
    assert!(files.len() > 5, "only {} files found", files.len());
    let mut found = vec![];
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a source file");
        found.extend(source(&text, &file.to_string_lossy()).iter().map(ToString::to_string));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}
