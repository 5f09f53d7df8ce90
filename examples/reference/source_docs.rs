//! What a block's source says about it: the text of its module and of its ports.

use anyhow::{Context, Result};
use quote::ToTokens;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use syn::{Attribute, Expr, Item, Lit, Meta};

/// A block's folder.
pub struct Folder {
    /// From the root, with `/`.
    pub path: String,
    /// Text of `mod.rs`.
    pub text: String,
    files: Vec<Source>,
}

struct Source {
    name: String,
    text: String,
    items: Vec<Item>,
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
        let mut names = vec![];
        collect(folder, &mut names)?;
        let mut files = vec![];
        for file in names {
            let parsed = syn::parse_file(&fs::read_to_string(&file)?)
                .with_context(|| format!("{} is not Rust", file.display()))?;
            files.push(Source {
                name: file.file_name().unwrap_or_default().to_string_lossy().into_owned(),
                text: doc(&parsed.attrs),
                items: parsed.items,
            });
        }
        let module = files.iter().find(|file| file.name == "mod.rs").context("a mod.rs")?;
        let text = module.text.clone();
        Ok(Self { path, text, files })
    }

    /// Text of every port of `block`: by the first part of its path.
    pub fn ports(&self, block: &str) -> BTreeMap<String, String> {
        let Some(name) = self.struct_of(block) else { return BTreeMap::new() };
        for item in self.files.iter().flat_map(|file| &file.items) {
            let Item::Struct(item) = item else { continue };
            if item.ident == name {
                let fields = item.fields.iter();
                return fields
                    .filter_map(|field| Some((field.ident.as_ref()?.to_string(), one_line(&field.attrs))))
                    .collect();
            }
        }
        BTreeMap::new()
    }

    /// The type with the label `block`: that of its `#[block("label", ..)]`, or the one that its `timing()` gives.
    fn struct_of(&self, block: &str) -> Option<String> {
        let label = format!("block_label(\"{block}\",");
        self.files.iter().flat_map(|file| &file.items).find_map(|item| match item {
            Item::Struct(item) => {
                let labelled =
                    item.attrs.iter().any(|attribute| label_of(attribute).as_deref() == Some(block));
                labelled.then(|| item.ident.to_string())
            }
            Item::Impl(item) => {
                let text = item.to_token_stream().to_string().replace(' ', "");
                let syn::Type::Path(of) = &*item.self_ty else { return None };
                text.contains(&label).then(|| of.path.segments.last().map(|last| last.ident.to_string()))?
            }
            _ => None,
        })
    }
}

/// `label` of `#[block("label", ..)]`.
fn label_of(attribute: &Attribute) -> Option<String> {
    let Meta::List(list) = &attribute.meta else { return None };
    let first = list.tokens.clone().into_iter().next().filter(|_| list.path.is_ident("block"))?;
    syn::parse_str::<syn::LitStr>(&first.to_string()).ok().map(|label| label.value())
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

fn one_line(attributes: &[Attribute]) -> String {
    without_item_links(&lines(attributes).join(" ")).trim().replace('|', "\\|")
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
