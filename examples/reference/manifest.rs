//! `docs/records/verilog.sha256`: what every block and every board design is emitted as, so that a change of any text
//! is seen in review.

use anyhow::{Context, Result};
use flitforge_boards::{board, designs};
use flitforge_elaborate::verilog::{write, Options, Technology};
use flitforge_elaborate::{elaborate, Design};
use flitforge_hdl::registry::{registry, Settings};
use sha2::{Digest, Sha256};

/// Where the text goes, from the root.
pub const FILE: &str = "docs/records/verilog.sha256";

/// One line per block, preset and technology, then one per design and board.
pub fn text() -> Result<String> {
    let mut text = String::new();
    each(|subject, graph| {
        for technology in Technology::ALL {
            let name = technology.name();
            let verilog = write(graph, &Options { technology });
            text += &format!("{}  {subject} {name}\n", digest(&verilog));
        }
    })?;
    Ok(text)
}

/// The same lines with the digest of the typed graph in place of the text's.
#[cfg_attr(test, allow(dead_code))] // the test compares texts
pub fn graphs() -> Result<String> {
    let mut text = String::new();
    each(|subject, graph| text += &format!("{}  {subject}\n", digest(&format!("{graph:?}"))))?;
    Ok(text)
}

/// Writes each text for ECP5 to a file of `folder` that its subject names; returns how many.
#[cfg_attr(test, allow(dead_code))] // the test compares digests
pub fn write_texts(folder: &std::path::Path) -> Result<usize> {
    std::fs::create_dir_all(folder)?;
    let mut texts = Vec::new();
    each(|subject, graph| {
        let technology = Technology::Ecp5;
        texts.push((format!("{}.v", subject.replace(' ', ".")), write(graph, &Options { technology })));
    })?;
    for (name, text) in &texts {
        std::fs::write(folder.join(name), text).with_context(|| name.clone())?;
    }
    Ok(texts.len())
}

/// The lines of `new` that `old` does not have in their place, by subject.
#[cfg_attr(not(test), allow(dead_code))] // only the test compares
pub fn changes(old: &str, new: &str) -> Vec<String> {
    fn subjects(text: &str) -> std::collections::BTreeMap<&str, &str> {
        text.lines()
            .filter_map(|line| line.split_once("  "))
            .map(|(digest, subject)| (subject, digest))
            .collect()
    }
    let (old, new) = (subjects(old), subjects(new));
    let said = |subject: &&str| match (old.get(subject), new.get(subject)) {
        (Some(_), None) => Some(format!("{subject}: gone")),
        (None, Some(_)) => Some(format!("{subject}: new")),
        (before, after) => (before != after).then(|| format!("{subject}: other text")),
    };
    let all: std::collections::BTreeSet<&str> = old.keys().chain(new.keys()).copied().collect();
    all.iter().filter_map(said).collect()
}

fn each(mut visit: impl FnMut(&str, &Design)) -> Result<()> {
    for entry in registry() {
        for preset in entry.presets {
            let subject = format!("block {} {}", entry.name, preset.name);
            let settings = Settings::new(entry, Some(preset.name), &[]).context(subject.clone())?;
            let built = (entry.build)(&settings).context(subject.clone())?;
            visit(&subject, &elaborate(built.block.as_ref(), entry.name).context(subject.clone())?);
        }
    }
    for design in designs() {
        for name in design.boards {
            let subject = format!("design {} {name}", design.name);
            let top = design.build(&board(name)?).context(subject.clone())?;
            let name = design.name.replace('-', "_");
            visit(&subject, &elaborate(top.as_ref(), &name).context(subject.clone())?);
        }
    }
    Ok(())
}

fn digest(text: &str) -> String {
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}
