//! Where the text of the blocks goes: lines and characters of each family, by what they are for.
//!
//! `cargo run --release --example lines [FOLDER...]`; without a folder the families of the tree in the
//! current folder. Blocks may be in the block language or in rust-hdl's own (`#[hdl_gen]`), so trees of different age can be
//! compared.

mod classify;

use anyhow::{bail, Context, Result};
use classify::{classify, Class};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Families of blocks.
const FAMILIES: [&str; 8] = ["registry", "registers", "prim", "link-types", "link", "fabric", "time", "node"];

/// Where the families are: folders of one crate, or crates of their own.
fn families() -> Vec<String> {
    let places = FAMILIES.iter().flat_map(|name| [format!("hdl/src/{name}"), format!("hdl/{name}/src")]);
    places.filter(|place| Path::new(place).is_dir()).collect()
}

/// Lines and characters of each class.
#[derive(Clone, Default)]
struct Count(BTreeMap<Class, (usize, usize)>);

impl Count {
    fn add(&mut self, other: &Self) {
        for (class, (lines, characters)) in &other.0 {
            let sum = self.0.entry(*class).or_default();
            *sum = (sum.0 + lines, sum.1 + characters);
        }
    }

    fn of_text(text: &str) -> syn::Result<Self> {
        let mut count = Self::default();
        for (class, line) in classify(text)?.into_iter().zip(text.lines()) {
            let sum = count.0.entry(class).or_default();
            *sum = (sum.0 + 1, sum.1 + line.chars().count() + 1);
        }
        Ok(count)
    }

    fn of_folder(folder: &Path) -> Result<Self> {
        let mut count = Self::default();
        let mut paths: Vec<PathBuf> = fs::read_dir(folder)
            .with_context(|| folder.display().to_string())?
            .map(|entry| entry.map(|entry| entry.path()))
            .collect::<std::io::Result<_>>()?;
        paths.sort();
        for path in paths {
            if path.is_dir() {
                count.add(&Self::of_folder(&path)?);
            } else if path.extension().is_some_and(|end| end == "rs") {
                let text = fs::read_to_string(&path)?;
                count.add(&Self::of_text(&text).with_context(|| path.display().to_string())?);
            }
        }
        Ok(count)
    }

    fn row(&self, name: &str) -> String {
        let (lines, characters) = self.0.values().fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        let share = |part: usize, whole: usize| 100.0 * part as f64 / whole.max(1) as f64;
        let cells = Class::ALL.map(|class| {
            let (own_lines, own_characters) = self.0.get(&class).copied().unwrap_or_default();
            format!("{:.1} / {:.1}", share(own_lines, lines), share(own_characters, characters))
        });
        format!("| {name} | {lines} | {characters} | {} |", cells.join(" | "))
    }
}

fn main() -> Result<()> {
    let mut folders: Vec<String> = std::env::args().skip(1).collect();
    if folders.is_empty() {
        folders = families();
    }
    if let Some(option) = folders.iter().find(|folder| folder.starts_with('-')) {
        bail!("{option} is no folder; usage: lines [FOLDER...]");
    }
    let names = Class::ALL.map(Class::name);
    println!("Share of lines / of characters in %.\n");
    println!("| folder | lines | characters | {} |", names.join(" | "));
    println!("|---|---|---|{}", "---|".repeat(names.len()));
    let mut all = Count::default();
    for folder in &folders {
        let count = Count::of_folder(Path::new(folder))?;
        println!("{}", count.row(folder));
        all.add(&count);
    }
    println!("{}", all.row("all"));
    Ok(())
}
