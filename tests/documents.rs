//! The documents: generated files are current, links lead somewhere, and the command line understands every
//! command that is shown.
#![allow(clippy::expect_used)] // helpers of tests

#[path = "../examples/reference/blocks.rs"]
mod blocks;
#[path = "../examples/reference/constructs.rs"]
mod constructs;
#[path = "../examples/reference/manifest.rs"]
mod manifest;
#[path = "../examples/waves/picture.rs"]
mod picture;
#[path = "../examples/pictures/scenes/mod.rs"]
mod pictures;
#[path = "../examples/reference/rows.rs"]
mod rows;
#[path = "../examples/reference/source_docs.rs"]
mod source_docs;

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every Markdown file of the project with its text.
fn documents() -> Vec<(PathBuf, String)> {
    fn collect(folder: &Path, into: &mut Vec<(PathBuf, String)>) {
        for entry in std::fs::read_dir(folder).expect("readable folder") {
            let path = entry.expect("readable entry").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_dir() && !name.starts_with('.') && name != "target" && name != "build" {
                collect(&path, into);
            } else if name.ends_with(".md") {
                let text = std::fs::read_to_string(&path).expect("readable document");
                into.push((path, text));
            }
        }
    }
    let mut found = vec![];
    collect(root(), &mut found);
    assert!(found.iter().any(|(path, _)| path.ends_with("docs/cli.md")), "documents are found");
    found
}

fn current(file: &str, text: &str) {
    let there = std::fs::read_to_string(root().join(file)).unwrap_or_default();
    let differs = there.lines().zip(text.lines()).position(|(old, new)| old != new);
    let line = differs.unwrap_or_else(|| there.lines().count().min(text.lines().count())) + 1;
    assert!(
        there == text,
        "{file} line {line} is not current: run `cargo run --release --example reference`"
    );
}

#[test]
fn the_reference_of_blocks_is_current() {
    let files = blocks::files().expect("generated");
    assert!(files.len() > 5, "a page for each family and the list");
    files.iter().for_each(|(file, text)| current(file, text));
}

#[test]
fn every_port_has_a_meaning() {
    assert_eq!(blocks::ports_without_meaning().expect("elaborated"), [""; 0]);
}

#[test]
fn the_reference_of_constructs_is_current() {
    current(constructs::FILE, &constructs::text().expect("generated"));
}

#[test]
fn the_manifest_of_verilog_is_current() {
    let there = std::fs::read_to_string(root().join(manifest::FILE)).expect(manifest::FILE);
    // The largest design takes more stack than a test's thread has.
    let worker = std::thread::Builder::new().stack_size(128 << 20).spawn(manifest::text).expect("a thread");
    let text = worker.join().expect("no panic").expect("generated");
    let changes = manifest::changes(&there, &text);
    assert!(
        there == text,
        "emitted Verilog is not that of {}: if this is meant, run `cargo run --release --example reference` and name \
         the change in CHANGELOG.md\n{}",
        manifest::FILE,
        changes.join("\n")
    );
}

#[test]
fn a_changed_text_is_named() {
    let old = "aa  block x default ecp5\nbb  block y default ecp5\n";
    let new = "ab  block x default ecp5\nbb  block z default ecp5\n";
    let said =
        ["block x default ecp5: other text", "block y default ecp5: gone", "block z default ecp5: new"];
    assert_eq!(manifest::changes(old, new), said);
    assert!(manifest::changes(old, old).is_empty());
}

#[test]
fn the_text_waveform_is_current() {
    let shown = std::fs::read_to_string(root().join("docs/simulation.md")).expect("docs/simulation.md");
    let text = picture::text().expect("simulated");
    let command = "cargo run --release --example waves";
    assert!(shown.contains(&format!("$ {command}\n{text}```")), "paste what `{command}` prints:\n{text}");
}

#[test]
fn the_pictures_of_protocols_are_current() {
    let command = "run `cargo run --release --example pictures`";
    let files = pictures::files().expect("simulated");
    let page = std::fs::read_to_string(root().join("docs/protocols.md")).expect("docs/protocols.md");
    for (file, text) in &files {
        let there = std::fs::read_to_string(root().join(file)).unwrap_or_default();
        assert!(there == *text, "{file} is not current: {command}");
        assert!(links(&page).contains(&file.trim_start_matches("docs/")), "docs/protocols.md has no {file}");
    }
    let there = std::fs::read_dir(root().join(pictures::FOLDER)).expect(pictures::FOLDER).count();
    assert_eq!(there, files.len(), "files in {}: remove what is not made any more", pictures::FOLDER);
}

/// Targets of `[text](target)` that are files, outside code blocks.
fn links(text: &str) -> Vec<&str> {
    let mut code = false;
    let prose = text.lines().filter(|line| {
        let fence = line.trim_start().starts_with("```");
        code ^= fence;
        !code && !fence
    });
    prose
        .flat_map(|line| line.split("](").skip(1))
        .filter_map(|rest| rest.split([')', '#']).next())
        .filter(|target| !target.is_empty() && !target.contains("://") && !target.starts_with("mailto:"))
        .collect()
}

#[test]
fn links_are_found() {
    let text = "[a](b.md), [c](d/e.md#f) [g](#h) [i](https://x.y)\n```\n[j](k)\n```\n[l](m)";
    assert_eq!(links(text), ["b.md", "d/e.md", "m"]);
}

#[test]
fn every_relative_link_leads_somewhere() {
    let mut broken = vec![];
    for (path, text) in documents() {
        let folder = path.parent().expect("a folder");
        let missing = links(&text).into_iter().filter(|link| !folder.join(link).exists());
        broken.extend(missing.map(|link| format!("{}: {link}", path.display())));
    }
    assert!(broken.is_empty(), "links to nothing:\n{}", broken.join("\n"));
}

/// Long options by verb, as `--help` says.
fn options() -> BTreeMap<String, BTreeSet<String>> {
    let help = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_flitforge")).args(arguments).arg("--help").output();
        String::from_utf8(output.expect("started").stdout).expect("text")
    };
    let verbs = subcommands(&help(&[]));
    assert!(!verbs.is_empty(), "a list of commands");
    let options = verbs.into_iter().map(|verb| {
        let mut text = help(&[&verb]);
        for under in subcommands(&text) {
            text += &help(&[&verb, &under]);
        }
        let words = text.split_whitespace().filter(|word| word.starts_with("--") && word.len() > 2);
        (
            verb,
            words
                .map(str::to_owned)
                .filter(|word| !["--help", "--dry-run"].contains(&word.as_str()))
                .collect(),
        )
    });
    options.collect()
}

/// The commands that a help text lists.
fn subcommands(help: &str) -> Vec<String> {
    let Some((_, list)) = help.split_once("Commands:\n") else { return vec![] };
    let names = list.lines().take_while(|line| !line.is_empty());
    let names = names.filter_map(|line| line.split_whitespace().next());
    names.filter(|name| *name != "help").map(str::to_owned).collect()
}

/// Every command shown: what follows `flitforge` or `cargo run ... --`, and the forms of `docs/cli.md`.
fn commands(text: &str) -> Vec<Vec<&str>> {
    let mut found = vec![];
    for line in text.lines() {
        let starts = ["`flitforge ", "cargo run --release -- ", "cargo run --release --quiet -- ", "| `"];
        for start in starts {
            let shown =
                line.split(start).skip(1).map(|rest| rest.split(['`', '#']).next().unwrap_or_default());
            let limit = if start == "| `" { 1 } else { usize::MAX };
            found.extend(shown.take(limit).map(|command| command.split_whitespace().collect()));
        }
        if let Some(command) = line.strip_prefix("flitforge ").or_else(|| line.strip_prefix("$ flitforge ")) {
            found.push(command.split(['#', '`']).next().unwrap_or_default().split_whitespace().collect());
        }
    }
    found
}

/// The shown commands that can be run as they stand, with no place holders like BLOCK or [DIR] or several dots.
fn whole_commands() -> BTreeSet<(PathBuf, Vec<String>)> {
    let holds_a_place = |word: &str| {
        let named = word.rsplit('=').next().unwrap_or(word);
        let capitals =
            named.len() > 1 && named.chars().all(|letter| letter.is_ascii_uppercase() || letter == '_');
        capitals
            || word.contains(['[', '\\', '<'])
            || word.ends_with("...")
            || word.ends_with(['N', 'B', 'A', 'S'])
    };
    let mut found = BTreeSet::new();
    for (path, text) in documents() {
        for command in commands(&text.replace("| `", "|  ")) {
            if command.len() > 1 && !command.iter().any(|word| holds_a_place(word)) {
                let words = command.iter().map(|word| word.trim_matches('\'').to_owned()).collect();
                found.insert((path.clone(), words));
            }
        }
    }
    found
}

/// Names, values and options of every command are right; what a run of each says is another matter.
#[test]
fn shown_commands_are_accepted() {
    let root = tempfile::tempdir().expect("temporary folder");
    let all = whole_commands();
    assert!(all.len() > 60, "{all:?}");
    let mut wrong = vec![];
    for (path, words) in all {
        let mut command = Command::new(env!("CARGO_BIN_EXE_flitforge"));
        let output =
            command.args(&words).arg("--dry-run").current_dir(root.path()).output().expect("started");
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            wrong.push(format!("{}: {}: {said}", path.display(), words.join(" ")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Runs what takes seconds: lists, Verilog, and the scenarios over hardware; in the order of the documents, in one folder.
#[test]
fn shown_commands_of_seconds_run() {
    let root = tempfile::tempdir().expect("temporary folder");
    let quick = |words: &[String]| {
        let heads =
            ["list", "verilog", "sim link-loopback", "sim ltp-loopback", "sim --replay", "completions"];
        heads.iter().any(|head| words.join(" ").starts_with(head))
    };
    let (mut last, mut first): (Vec<_>, Vec<_>) = whole_commands()
        .into_iter()
        .filter(|(_, words)| quick(words))
        .partition(|(_, words)| words.contains(&"--replay".to_owned()));
    first.append(&mut last);
    assert!(first.len() >= 8, "{first:?}");
    for (path, words) in first {
        let force = if words.contains(&"--out".to_owned()) { &["--force"][..] } else { &[] };
        let output = Command::new(env!("CARGO_BIN_EXE_flitforge"))
            .args(&words)
            .args(force)
            .current_dir(root.path())
            .output();
        let output = output.expect("started");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{}: {}: {said}", path.display(), words.join(" "));
    }
}

fn option_of(word: &str) -> Option<&str> {
    let word = word.trim_start_matches('[').trim_end_matches([']', '.', ',']);
    word.starts_with("--").then_some(word)
}

#[test]
fn shown_commands_have_the_options_they_show() {
    let (options, list) = (options(), list());
    let mut wrong = vec![];
    let mut seen = BTreeSet::new();
    for (path, text) in documents() {
        let is_table_of_verbs = path.ends_with("docs/cli.md");
        let general = text.replace("| `", "|  ");
        for command in commands(if is_table_of_verbs { &text } else { &general }) {
            let Some(verb) = command.first() else { continue };
            match options.get(*verb) {
                Some(known) => {
                    seen.insert((*verb).to_owned());
                    let given = command.iter().filter_map(|word| option_of(word));
                    let unknown = given
                        .filter(|option| !known.contains(*option) && !is_parameter(&list, &command, option));
                    wrong.extend(unknown.map(|option| format!("{}: {verb} {option}", path.display())));
                }
                // The tables of docs/cli.md hold other things too.
                None if is_table_of_verbs || verb.starts_with("VERB") => {}
                None => wrong.push(format!("{}: no verb {verb}", path.display())),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(seen.len(), options.len(), "verbs that no document shows: {seen:?} of {:?}", options.keys());
}

#[test]
fn the_table_of_verbs_is_complete() {
    let text = std::fs::read_to_string(root().join("docs/cli.md")).expect("docs/cli.md");
    let shown = commands(&text);
    let mut missing = vec![];
    for (verb, options) in options() {
        let of_verb: Vec<_> =
            shown.iter().filter(|command| command.first() == Some(&verb.as_str())).collect();
        let there: BTreeSet<&str> =
            of_verb.iter().flat_map(|c| c.iter().filter_map(|word| option_of(word))).collect();
        let lacking = options.iter().filter(|option| !there.contains(option.as_str()));
        missing.extend(lacking.map(|option| format!("{verb} {option}")));
        assert!(!of_verb.is_empty(), "docs/cli.md does not show {verb}");
    }
    assert!(missing.is_empty(), "docs/cli.md does not show {}", missing.join(", "));
}

/// What there is, as `list --json` has it.
fn list() -> Value {
    let output =
        Command::new(env!("CARGO_BIN_EXE_flitforge")).args(["list", "--json"]).output().expect("started");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// True if the option is a parameter of the scenario that this command of `sim` runs.
fn is_parameter(list: &Value, command: &[&str], option: &str) -> bool {
    let ["sim", scenario, ..] = command else { return false };
    let wanted = option.trim_start_matches("--").split('=').next().unwrap_or_default().replace('-', "_");
    let scenarios = list["scenarios"].as_array().into_iter().flatten();
    let of_this = scenarios.filter(|found| found["name"] == *scenario);
    of_this
        .flat_map(|found| found["parameters"].as_array().into_iter().flatten())
        .any(|known| known["name"] == wanted)
}

/// The first argument of a shown command names something that `list` lists.
#[test]
fn shown_names_exist() {
    let list = list();
    let names = |kinds: &[&str]| -> BTreeSet<String> {
        let items = kinds.iter().flat_map(|kind| list[*kind].as_array().into_iter().flatten());
        items.filter_map(|item| Some(item["name"].as_str()?.to_owned())).collect()
    };
    let presets = |block: &Value| -> Option<Vec<String>> {
        let name = block["name"].as_str()?;
        let presets = block["presets"].as_array()?.iter().filter_map(|preset| preset["name"].as_str());
        Some(presets.map(|preset| format!("{name}:{preset}")).collect())
    };
    let presets: BTreeSet<_> =
        list["blocks"].as_array().into_iter().flatten().filter_map(presets).flatten().collect();
    assert!(presets.contains("link_crc:fast_132"), "presets of the blocks: {presets:?}");
    let by_verb = BTreeMap::from([
        ("verilog", names(&["blocks"])),
        ("check", &names(&["blocks"]) | &presets),
        ("synth", names(&["blocks", "targets"])),
        ("build", names(&["designs"])),
        ("sim", names(&["scenarios"])),
    ]);
    let mut unknown = vec![];
    for (path, text) in documents() {
        for command in commands(&text.replace("| `", "|  ")) {
            let [verb, name, ..] = command[..] else { continue };
            // BLOCK, TARGET and so on stand for a name.
            let is_name = !name.starts_with(['-', '[']) && name.chars().any(char::is_lowercase);
            if by_verb.get(verb).is_some_and(|names| is_name && !names.contains(name)) {
                unknown.push(format!("{}: {verb} {name}", path.display()));
            }
        }
    }
    assert!(unknown.is_empty(), "unknown names:\n{}", unknown.join("\n"));
}

/// Names of the project's environment variables in a text.
fn variables(text: &str) -> BTreeSet<String> {
    let part = |letter: char| letter.is_ascii_uppercase() || letter == '_';
    let names = text.split("FLITFORGE_").skip(1).map(|rest| rest.chars().take_while(|letter| part(*letter)));
    names
        .map(|name| format!("FLITFORGE_{}", name.collect::<String>()))
        .filter(|name| !name.ends_with('_'))
        .collect()
}

#[test]
fn the_environment_variables_are_those_of_the_sources() {
    fn collect(folder: &Path, into: &mut BTreeSet<String>) {
        for entry in std::fs::read_dir(folder).expect("readable folder") {
            let path = entry.expect("readable entry").path();
            if path.is_dir() {
                collect(&path, into);
            } else if path.extension().is_some_and(|end| end == "rs" || end == "py") {
                let text = std::fs::read_to_string(&path).expect("readable source");
                // Only names in quotes are variables of the environment.
                let quoted = text.split('"').skip(1).step_by(2);
                into.extend(quoted.filter(|part| variables(part).contains(*part)).map(str::to_owned));
            }
        }
    }
    let mut read = BTreeSet::new();
    for folder in ["src", "hdl", "sim", "synth", "boards", "tests"] {
        collect(&root().join(folder), &mut read);
    }
    let text = std::fs::read_to_string(root().join("docs/cli.md")).expect("docs/cli.md");
    assert_eq!(variables(&text), read, "variables of docs/cli.md and those that the sources read");
}

/// Every Rust source below these folders.
fn sources() -> Vec<(String, String)> {
    fn collect(folder: &Path, into: &mut Vec<(String, String)>) {
        for entry in std::fs::read_dir(folder).expect("readable folder") {
            let path = entry.expect("readable entry").path();
            if path.is_dir() {
                collect(&path, into);
            } else if path.extension().is_some_and(|end| end == "rs") {
                let text = std::fs::read_to_string(&path).expect("readable source");
                into.push((path.with_extension("").to_string_lossy().into_owned(), text));
            }
        }
    }
    let mut found = vec![];
    ["src", "hdl", "sim", "tests"].into_iter().for_each(|folder| collect(&root().join(folder), &mut found));
    found
}

/// `file::test` and `folder/file::test` of the evidence are tests in files that end so.
#[test]
fn the_tests_that_the_evidence_names_are_there() {
    let sources = sources();
    for (document, least) in
        [("docs/link-evidence.md", 60), ("docs/time-evidence.md", 60), ("docs/sue-evidence.md", 5)]
    {
        let text = std::fs::read_to_string(root().join(document)).expect(document);
        let named = tests_named_in(&text);
        assert!(named.len() > least, "{document} names {} tests only", named.len());
        let missing: Vec<_> = named.iter().filter(|name| !is_there(&sources, name)).collect();
        assert!(missing.is_empty(), "{document}: tests that are not there: {missing:?}");
    }
}

fn tests_named_in(text: &str) -> Vec<(&str, &str)> {
    let is_part = |part: &str, more: char| {
        part.chars().all(|letter| {
            letter.is_ascii_lowercase() || letter.is_ascii_digit() || "_".contains(letter) || letter == more
        })
    };
    let quoted = text.split('`').skip(1).step_by(2);
    quoted
        .filter_map(|name| name.split_once("::"))
        .filter(|(file, test)| is_part(file, '/') && is_part(test, '_'))
        .collect()
}

fn is_there(sources: &[(String, String)], (file, test): &(&str, &str)) -> bool {
    let (end, start) = (format!("/{file}"), format!("#[test]\nfn {test}() {{"));
    let inner = start.replace('\n', "\n    ");
    sources
        .iter()
        .any(|(path, text)| path.ends_with(&end) && (text.contains(&start) || text.contains(&inner)))
}
