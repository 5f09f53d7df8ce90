//! What the source of a block says of it: the text of its module.

use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};
use syn::{Attribute, Expr, Lit, Meta};

/// A block's folder.
pub struct Folder {
    /// From the root, with `/`.
    pub path: String,
    /// Text of `mod.rs`.
    pub text: String,
}

/// The folder in the crate of a family whose sources declare the entry called `block`.
pub fn folder_of(root: &Path, block: &str) -> Result<Folder> {
    let mut files = vec![];
    collect(&root.join("hdl"), &mut files)?;
    let quoted = format!("name: \"{block}\",");
    let is_entry = |text: &str| text.contains("ENTRY: BlockEntry = BlockEntry {") && text.contains(&quoted);
    for file in files {
        if is_entry(&fs::read_to_string(&file)?) {
            let folder = file.parent().context("a folder")?;
            let path = folder.strip_prefix(root)?.to_string_lossy().replace('\\', "/");
            return Folder::read(folder, path);
        }
    }
    anyhow::bail!("no file below hdl declares the entry of {block}")
}

fn collect(folder: &Path, into: &mut Vec<PathBuf>) -> Result<()> {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    entries.sort();
    for path in entries {
        if path.is_dir() {
            collect(&path, into)?;
        } else if path.extension().is_some_and(|end| end == "rs") {
            into.push(path);
        }
    }
    Ok(())
}

impl Folder {
    fn read(folder: &Path, path: String) -> Result<Self> {
        let file = folder.join("mod.rs");
        let parsed = syn::parse_file(&fs::read_to_string(&file)?)
            .with_context(|| format!("{} is not Rust", file.display()))?;
        Ok(Self { path, text: doc(&parsed.attrs) })
    }
}

/// The lines of a doc comment.
fn lines(attributes: &[Attribute]) -> Vec<String> {
    attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("doc"))
        .filter_map(|attribute| match &attribute.meta {
            Meta::NameValue(pair) => match &pair.value {
                Expr::Lit(literal) => match &literal.lit {
                    Lit::Str(text) => Some(text.value()),
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        })
        .map(|line| line.strip_prefix(' ').unwrap_or(&line).to_owned())
        .collect()
}

/// A doc comment as Markdown: links to items become their names, headings go below the document's.
fn doc(attributes: &[Attribute]) -> String {
    let text: Vec<String> = lines(attributes)
        .iter()
        .map(|line| if line.starts_with('#') { format!("###{line}") } else { line.clone() })
        .collect();
    without_item_links(&text.join("\n"))
}

/// ``[`Name`](path)`` and ``[`Name`]`` become `` `Name` ``; links to files stay.
fn without_item_links(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(start) = rest.find("[`") {
        let Some(length) = rest[start..].find("`]") else { break };
        let (inside, mut after) = (&rest[start + 1..start + length + 1], &rest[start + length + 2..]);
        if let Some(target) = after.strip_prefix('(').and_then(|target| target.split(')').next()) {
            after = &after[target.len() + 2..];
        }
        out += &rest[..start];
        out += inside;
        rest = after;
    }
    out + rest
}
