//! The source lint: what it refuses, what it leaves alone, and the project's own sources.
#![allow(clippy::expect_used)] // helpers of tests may panic

use flitforge_elaborate::lint::{source, sources};
use std::path::Path;

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

#[test]
fn the_projects_blocks_are_clean() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let families = ["prim", "link-types", "link", "fabric", "time", "node"];
    let folders = families.map(|family| root.join("hdl").join(family).join("src"));
    assert_eq!(sources(&folders), []);
    assert_eq!(sources(&[root.join("boards/src")]), []);
}

#[test]
fn sources_are_all_rust_files_below_a_folder() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = |name: &str| folder.path().join(name);
    std::fs::create_dir(file("deep")).expect("a folder");
    let found = sources(&[folder.path()]);
    assert!(found.len() == 1 && found[0].reason.contains("no Rust file"), "{found:?}");
    let body = "impl Logic for B {\n#[hdl_gen]\nfn update(&mut self) {\nself.y.next = bits_rev(1);\n}\n}";
    std::fs::write(file("deep/b.rs"), body).expect("written");
    std::fs::write(file("deep/b.txt"), "no Rust").expect("written");
    let found = sources(&[folder.path()]);
    assert!(found.len() == 1 && found[0].path.ends_with("deep/b.rs:4"), "{found:?}");
    let found = sources(&[file("deep/b.rs"), file("missing.rs")]);
    assert!(found.len() == 2 && found[1].reason.contains("cannot be read"), "{found:?}");
}
