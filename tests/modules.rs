//! No module of a crate stands on itself over others: a file can be read after those that it names.
//!
//! A file and the modules inside its folder are one thing, so what a parent shows of its children (`pub use`) is no step.
#![allow(clippy::expect_used)] // helpers of tests

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use syn::visit::{self, Visit};

type Graph = BTreeMap<String, BTreeSet<String>>;

/// Paths from `crate`, `super` or `self` that a file names, tests and what it shows of others left out.
#[derive(Default)]
struct Paths(Vec<Vec<String>>);

impl Paths {
    fn tree(&mut self, front: &[String], tree: &syn::UseTree) {
        match tree {
            syn::UseTree::Path(path) => self.tree(&[front, &[path.ident.to_string()]].concat(), &path.tree),
            syn::UseTree::Group(group) => group.items.iter().for_each(|item| self.tree(front, item)),
            syn::UseTree::Name(name) => self.0.push([front, &[name.ident.to_string()]].concat()),
            syn::UseTree::Rename(name) => self.0.push([front, &[name.ident.to_string()]].concat()),
            syn::UseTree::Glob(_) => self.0.push(front.to_vec()),
        }
    }
}

fn only_for_tests(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg") && quote::quote!(#attribute).to_string().contains("test")
    })
}

impl<'ast> Visit<'ast> for Paths {
    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        if matches!(item.vis, syn::Visibility::Inherited) && !only_for_tests(&item.attrs) {
            self.tree(&[], &item.tree);
        }
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !only_for_tests(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.0.push(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        visit::visit_path(self, path);
    }
}

/// The files below `folder` as modules.
fn modules(folder: &Path, front: &str, into: &mut BTreeMap<String, String>) {
    let join = |name: &str| if front.is_empty() { name.to_owned() } else { format!("{front}::{name}") };
    for entry in fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("readable").path();
        let stem = path.file_stem().expect("a name").to_string_lossy().into_owned();
        if path.is_dir() {
            modules(&path, &join(&stem), into);
        } else if path.extension().is_some_and(|end| end == "rs") {
            let name = match stem.as_str() {
                "mod" | "lib" | "main" => front.to_owned(),
                _ => join(&stem),
            };
            into.insert(name, fs::read_to_string(&path).expect("readable source"));
        }
    }
}

/// Which modules each names.
fn graph(modules: &BTreeMap<String, String>) -> Graph {
    let mut graph = Graph::new();
    for (name, text) in modules {
        let mut paths = Paths::default();
        paths.visit_file(&syn::parse_file(text).unwrap_or_else(|error| panic!("{name}: {error}")));
        let own: Vec<String> = name.split("::").filter(|part| !part.is_empty()).map(String::from).collect();
        let named = paths.0.iter().filter_map(|path| {
            let mut base = match path.first()?.as_str() {
                "crate" => vec![],
                "self" | "super" => own.clone(),
                _ => return None,
            };
            let ups = path.iter().take_while(|part| *part == "super").count();
            base.truncate(own.len().saturating_sub(ups));
            let rest = path.iter().skip_while(|part| ["crate", "self", "super"].contains(&part.as_str()));
            base.extend(rest.cloned());
            let found = (0..=base.len()).rev().map(|length| base[..length].join("::"));
            found.into_iter().find(|found| modules.contains_key(found))
        });
        let named = named.filter(|other| other != name).collect();
        graph.insert(name.clone(), named);
    }
    graph
}

/// The modules that can be reached from `start` and lead back to it.
fn circle(graph: &Graph, start: &str) -> Vec<String> {
    let reached = |from: &str| {
        let (mut seen, mut open) = (BTreeSet::new(), vec![from.to_owned()]);
        while let Some(module) = open.pop() {
            for next in graph.get(&module).into_iter().flatten() {
                if seen.insert(next.clone()) {
                    open.push(next.clone());
                }
            }
        }
        seen
    };
    reached(start).into_iter().filter(|other| reached(other).contains(start)).collect()
}

fn circles(graph: &Graph) -> Vec<Vec<String>> {
    let all: BTreeSet<Vec<String>> =
        graph.keys().map(|module| circle(graph, module)).filter(|circle| !circle.is_empty()).collect();
    all.into_iter().collect()
}

#[test]
fn no_module_stands_on_itself() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let manifest = fs::read_to_string(root.join("Cargo.toml")).expect("Cargo.toml");
    let (_, members) = manifest.split_once("members = [").expect("members");
    let (members, _) = members.split_once(']').expect("members end");
    let folders = members.split('"').skip(1).step_by(2).chain(["."]);
    let mut seen = 0;
    for folder in folders {
        let mut files = BTreeMap::new();
        modules(&root.join(folder).join("src"), "", &mut files);
        seen += files.len();
        assert_eq!(circles(&graph(&files)), [[""; 0]; 0], "{folder}");
    }
    assert!(seen > 700, "{seen} files");
}

#[test]
fn a_circle_is_found_and_a_parent_that_shows_its_children_is_none() {
    let files = |texts: &[(&str, &str)]| {
        texts.iter().map(|(name, text)| (name.to_string(), text.to_string())).collect()
    };
    let sound =
        files(&[("", "pub use crate::a::X;"), ("a", "use super::b::Y; struct X;"), ("b", "struct Y;")]);
    assert!(circles(&graph(&sound)).is_empty());
    let round = files(&[
        ("", ""),
        ("a", "use crate::b::{c::Z, Y};"),
        ("b", "struct Y;"),
        ("b::c", "fn f() { super::super::d::g() }"),
        ("d", "fn g(_: crate::a::X) {}\n#[cfg(test)]\nmod tests { use crate::e::E; }"),
        ("e", "use crate::d::g;"),
    ]);
    assert_eq!(circles(&graph(&round)), [["a", "b::c", "d"]]);
}
