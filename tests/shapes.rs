//! What is built in is what presets need, and what somebody names beside it; and every builder can be called by a program that
//! is compiled on demand.

#![allow(clippy::expect_used)] // helpers of a test

use flitforge_hdl::registry::shapes::observe;
use flitforge_hdl::registry::{registry, Settings, COMPOSITES};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn sources(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("readable folder") {
        let path = entry.expect("readable entry").path();
        match path.is_dir() {
            true => sources(&path, into),
            false if path.extension().is_some_and(|end| end == "rs") => into.push(path),
            false => (),
        }
    }
}

/// One `shapes!` of the sources, as text.
struct Written {
    file: String,
    line: u32,
    text: String,
}

impl Written {
    fn all() -> Vec<Self> {
        let mut files = vec![];
        for family in fs::read_dir(root().join("hdl")).expect("the crates of the blocks") {
            let folder = family.expect("readable").path().join("src");
            if folder.is_dir() {
                sources(&folder, &mut files);
            }
        }
        let mut all = vec![];
        for path in files.into_iter().filter(|path| !path.ends_with("registry/src/shapes.rs")) {
            let text = fs::read_to_string(&path).expect("readable source");
            let file = path.strip_prefix(root()).expect("below").to_string_lossy().into_owned();
            for (at, _) in text.match_indices("shapes! {") {
                let line = text[..at].matches('\n').count() as u32 + 1;
                all.push(Self { file: file.clone(), line, text: braced(&text[at..]).to_owned() });
            }
        }
        all
    }

    /// The lists of values after `word`.
    fn list(&self, word: &str) -> &str {
        let place = self.text.find(&format!("{word} {{"));
        place.map_or("", |at| braced(&self.text[at..]).trim())
    }

    /// Public path of the builder, without the crate.
    fn builder(&self) -> Option<String> {
        let (_, rest) = self.text.split_once("=>")?;
        let mut words = rest.split(|letter: char| letter.is_whitespace() || letter == '[');
        let mut words = words.by_ref().filter(|word| !word.is_empty());
        let name = words.next()?;
        let module = match words.next() {
            Some("of") => words.next()?.to_owned(),
            _ => {
                let path =
                    self.file.trim_start_matches("hdl/").trim_end_matches(".rs").trim_end_matches("/mod");
                let (family, path) = path.split_once("/src/")?;
                format!("{}::{}", family.trim_end_matches("-types"), path.replace('/', "::"))
            }
        };
        (!name.starts_with('$')).then(|| format!("{module}::{name}"))
    }
}

/// What the first pair of braces in `text` holds.
fn braced(text: &str) -> &str {
    let start = text.find('{').expect("a brace") + 1;
    let mut depth = 1;
    for (at, letter) in text[start..].char_indices() {
        depth += match letter {
            '{' => 1,
            '}' => -1,
            _ => 0,
        };
        if depth == 0 {
            return &text[start..start + at];
        }
    }
    panic!("no closing brace in {text}");
}

/// By place: the block, what is built in for presets, and what presets need.
type Needed = BTreeMap<(String, u32), (&'static str, BTreeSet<String>, BTreeSet<String>)>;

fn needed() -> Needed {
    let mut needed = Needed::new();
    for entry in registry().iter().chain(COMPOSITES) {
        for preset in entry.presets {
            let settings = Settings::new(entry, Some(preset.name), &[]).expect("a preset");
            let (built, visits) = observe(|| (entry.build)(&settings).map(drop));
            built.unwrap_or_else(|error| panic!("{} {}: {error}", entry.name, preset.name));
            for visit in visits {
                let template = visit.template;
                let built_in = template.presets.iter().map(|values| (*values).to_owned()).collect();
                let place = (template.file.to_owned(), template.line);
                let known = needed.entry(place).or_insert((entry.name, built_in, BTreeSet::new()));
                known.2.insert(visit.values);
            }
        }
    }
    needed
}

#[test]
fn presets_are_built_in_and_nothing_else_without_a_user() {
    let needed = needed();
    assert!(needed.len() > 30, "{} templates", needed.len());
    for ((file, line), (block, built_in, needed)) in &needed {
        assert_eq!(built_in, needed, "{block}, {file}:{line}: built in for presets, and what they need");
    }
    for written in Written::all() {
        let place = (written.file.clone(), written.line);
        let presets = written.list("presets");
        // What a macro of the block fills in stands at another line.
        if !presets.is_empty() && !presets.contains('$') {
            assert!(
                needed.contains_key(&place),
                "{place:?}: no preset comes here, and {presets} is built in"
            );
        }
        let users: Vec<&str> = written.list("others").split('"').skip(1).step_by(2).collect();
        assert_eq!(users.len(), written.list("others").matches(" in ").count(), "{place:?}");
        let names = block_names(&written.file);
        for user in users {
            let text = fs::read_to_string(root().join(user)).expect("a user's file");
            let named = names.iter().any(|name| text.contains(&format!("\"{name}\"")));
            assert!(named, "{place:?}: {user} names none of {names:?}");
        }
    }
}

/// Names of the blocks with an entry in the file.
fn block_names(file: &str) -> Vec<String> {
    let text = fs::read_to_string(root().join(file)).expect("readable source");
    let entries = text.match_indices("BlockEntry = BlockEntry {").map(|(at, _)| &text[at..]);
    entries.filter_map(|entry| Some(entry.split('"').nth(1)?.to_owned())).collect()
}

/// A program that names them all is compiled, not linked: they are public, at the path that their templates say.
#[test]
fn every_builder_can_be_named() {
    let builders: BTreeSet<String> = Written::all().iter().filter_map(Written::builder).collect();
    let of_visits: BTreeSet<String> = registry()
        .iter()
        .flat_map(|entry| {
            let settings = Settings::new(entry, None, &[]).expect("defaults");
            observe(|| (entry.build)(&settings).map(drop)).1
        })
        .map(|visit| visit.shape.builder.trim_start_matches("flitforge_hdl::").to_owned())
        .collect();
    assert!(builders.len() > 30 && of_visits.len() > 30, "{builders:?}");
    let missing: Vec<_> =
        of_visits.difference(&builders).filter(|path| !path.starts_with("time::")).collect();
    assert!(missing.is_empty(), "not found in the sources: {missing:?}");
    let uses: String = builders
        .union(&of_visits)
        .enumerate()
        .map(|(number, path)| format!("pub use flitforge::flitforge_hdl::{path} as builder_{number};\n"))
        .collect();
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("main.rs"), uses).expect("written");
    let deps = Path::new(env!("CARGO_BIN_EXE_flitforge")).parent().expect("a folder").join("deps");
    let library = newest(&deps, "libflitforge-");
    let mut command = Command::new("rustc");
    command.current_dir(&folder).args(["main.rs", "--edition=2021", "--crate-type=lib", "--emit=metadata"]);
    command.arg("--extern").arg(format!("flitforge={}", library.display()));
    command.arg("-L").arg(format!("dependency={}", deps.display()));
    let output = command.output().expect("rustc");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn newest(folder: &Path, front: &str) -> PathBuf {
    let files = fs::read_dir(folder).expect("readable").map(|entry| entry.expect("readable").path());
    let ours = files.filter(|path| {
        let name = path.file_name().expect("a name").to_string_lossy();
        name.starts_with(front) && name.ends_with(".rlib")
    });
    ours.max_by_key(|path| fs::metadata(path).and_then(|meta| meta.modified()).expect("a time"))
        .expect("a library")
}
