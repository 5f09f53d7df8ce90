//! Results kept by digest: placing and simulating the same text with the same tools again finds the same again.
//!
//! `docs/records/kept` has a file for each test that keeps its result: the digest of all that the result depends on, which are emitted text, versions of
//! the tools, and the sources of flow, simulator, boards and of the test itself. A test whose inputs are those of its file says so and ends.
//! With `FLITFORGE_FULL=1` no file counts; with `FLITFORGE_KEEP=1` a test that passes writes its file.

#![allow(clippy::expect_used)] // helpers of tests may panic

use flitforge_flow::tools::Toolbox;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Sources that every kept result depends on, beside those that a test names.
const FOLDERS: &[&str] = &[
    "synth/flow",
    "sim/engine",
    "boards",
    "constraints",
    "src/verbs/build.rs",
    "tests/board_bench",
    "tests/kept.rs",
];

/// What a test's result depends on.
pub struct Kept {
    file: PathBuf,
    digest: String,
}

impl Kept {
    /// Of the test called `name` in the source at `source`, which looks at these texts with these tools.
    pub fn new(name: &str, source: &str, texts: &[&str], toolbox: &Toolbox) -> Self {
        let mut hash = Sha256::new();
        let mut add = |part: &[u8]| {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        };
        texts.iter().for_each(|text| add(text.as_bytes()));
        for (tool, version) in toolbox.versions() {
            add(format!("{tool} {version}").as_bytes());
        }
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut sources = BTreeMap::new();
        FOLDERS.iter().chain([&source]).for_each(|folder| collect(root, &root.join(folder), &mut sources));
        for (path, content) in &sources {
            add(path.as_bytes());
            add(content);
        }
        let digest = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        Self { file: root.join("docs/records/kept").join(name), digest }
    }

    /// Whether the result is there; says so.
    pub fn is_there(&self) -> bool {
        let full = std::env::var_os("FLITFORGE_FULL").is_some_and(|value| value != "0");
        let there = !full && std::fs::read_to_string(&self.file).is_ok_and(|kept| kept.trim() == self.digest);
        if there {
            println!(
                "KEPT: {} of inputs {}; FLITFORGE_FULL=1 finds it again",
                self.name(),
                &self.digest[..12]
            );
        }
        there
    }

    /// The test has passed.
    pub fn keep(&self) {
        if std::env::var_os("FLITFORGE_KEEP").is_some() {
            let folder = self.file.parent().expect("below the records");
            std::fs::create_dir_all(folder).expect("a folder for records");
            std::fs::write(&self.file, format!("{}\n", self.digest)).expect("the record is written");
        }
    }

    fn name(&self) -> String {
        self.file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    }
}

/// Every file at or below a path, by its path from the root.
fn collect(root: &Path, path: &Path, into: &mut BTreeMap<String, Vec<u8>>) {
    if path.is_dir() {
        let entries = std::fs::read_dir(path).expect("a folder of the project");
        entries.for_each(|entry| collect(root, &entry.expect("an entry").path(), into));
        return;
    }
    let name = path.strip_prefix(root).expect("below the root").to_string_lossy().into_owned();
    into.insert(name, std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display())));
}

/// The rest of a test, unless its result is kept.
pub fn unless_kept(kept: &Kept, finds: impl FnOnce()) {
    if !kept.is_there() {
        finds();
        kept.keep();
    }
}
