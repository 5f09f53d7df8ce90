//! Blocks as a folder of Verilog for somebody else's design: text, file lists, interface descriptions, FuseSoC cores and timing
//! constraints of the clock crossings.

mod comment;
mod constraints;
mod core;
mod describe;
mod smoke;

use crate::blocks::Emitted;
use crate::exit::Failure;
use anyhow::Result;
use comment::{header, port_comments};
use flitforge_elaborate::check::{crossings, CrossingCatalogue, FoundCrossing};
use flitforge_elaborate::verilog::{self, Options, Parts, Primitive, Technology};
use std::collections::{BTreeMap, BTreeSet};

/// What the text of every file is preceded by.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
/// Licence of everything that is written, as SPDX has it.
pub const LICENCE: &str = env!("CARGO_PKG_LICENSE");
/// Folder of the technology's primitives.
const PRIMITIVES: &str = "primitives";

/// A file to write: its path in the folder, and its text.
pub type File = (String, String);

/// One block of a package.
struct Member<'a> {
    emitted: &'a Emitted,
    parts: Parts,
    crossings: Vec<FoundCrossing>,
}

/// Modules that more than one block of the package has.
struct Shared {
    /// Stem of the file, and of the core.
    name: String,
    /// Names and texts, modules before their users.
    modules: Vec<(String, String)>,
}

/// The files of a package of blocks, whose tops have different names.
pub fn files(blocks: &[Emitted], prefix: &str, technology: Technology, command: &str) -> Result<Vec<File>> {
    let catalogue = CrossingCatalogue::project()?;
    let mut members = vec![];
    for emitted in blocks {
        let options = Options { technology };
        let parts = verilog::commented(&emitted.design, &options, &port_comments(emitted));
        let crossings = crossings(&emitted.design, &catalogue)?;
        members.push(Member { emitted, parts, crossings });
    }
    let shared = shared(&members, prefix)?;
    let mut files = vec![];
    if !shared.modules.is_empty() {
        let texts = shared.modules.iter().map(|(_, text)| text.as_str());
        files.push((format!("{}.v", shared.name), header(None, command) + &verilog::file(texts)));
        files.push((format!("{}.core", shared.name), core::shared(&shared)));
    }
    let primitives: BTreeMap<&str, &Primitive> = members
        .iter()
        .flat_map(|member| &member.parts.primitives)
        .map(|primitive| (primitive.name.as_str(), primitive))
        .collect();
    for primitive in primitives.values() {
        files.extend(primitive_files(primitive, command));
    }
    for member in &members {
        files.extend(member.files(&shared, &catalogue, command)?);
    }
    Ok(files)
}

/// What members have in common. One name with two texts would be wrong hardware in silence, so it is refused.
fn shared(members: &[Member], prefix: &str) -> Result<Shared> {
    let mut known: BTreeMap<&str, (&str, usize)> = BTreeMap::new();
    for (name, text) in members.iter().flat_map(|member| &member.parts.modules) {
        let entry = known.entry(name).or_insert((text, 0));
        entry.1 += 1;
        if entry.0 != text {
            let advice = "give them names of their own with --name, or write them into folders of their own";
            return Err(Failure::usage(format!("two modules are called {name}; {advice}")).into());
        }
    }
    let tops: BTreeSet<&str> = members.iter().map(|member| member.emitted.top()).collect();
    if tops.len() < members.len() {
        return Err(Failure::usage("a block is given twice; give each once").into());
    }
    let mut modules: Vec<(String, String)> = vec![];
    for module in members.iter().flat_map(|member| &member.parts.modules) {
        let used = known.get(module.0.as_str()).map_or(0, |(_, used)| *used);
        if used > 1 && modules.iter().all(|(name, _)| *name != module.0) {
            modules.push(module.clone());
        }
    }
    let digest = comment::digest(modules.iter().map(|(_, text)| text.as_str()));
    Ok(Shared { name: format!("{prefix}shared_{digest}"), modules })
}

/// The stub of a primitive, its model if there is one, and their core.
fn primitive_files(primitive: &Primitive, command: &str) -> Vec<File> {
    let name = &primitive.name;
    let stub = header(None, command) + &verilog::file([primitive.declaration.as_str()]);
    let mut files = vec![(format!("{PRIMITIVES}/{name}_stub.v"), stub)];
    if let Some(model) = primitive.model {
        files.push((format!("{PRIMITIVES}/{name}.v"), header(None, command) + model));
    }
    files.push((format!("{PRIMITIVES}/{name}.core"), core::primitive(primitive)));
    files
}

impl Member<'_> {
    fn files(&self, shared: &Shared, catalogue: &CrossingCatalogue, command: &str) -> Result<Vec<File>> {
        let top = self.emitted.top();
        let is_shared = |name: &str| shared.modules.iter().any(|(known, _)| known == name);
        let own = self.parts.modules.iter().filter(|(name, _)| !is_shared(name));
        let text = verilog::file(own.map(|(_, text)| text.as_str()));
        let uses_shared = self.parts.modules.iter().any(|(name, _)| is_shared(name));
        let mut files = vec![
            (format!("{top}.v"), header(Some(self.emitted), command) + &text),
            (
                format!("{top}.f"),
                self.list(uses_shared.then_some(shared), |name, _| format!("{name}_stub.v")),
            ),
            (format!("{top}.json"), serde_json::to_string_pretty(&describe::describe(self)?)? + "\n"),
            (format!("{top}.core"), core::block(self, uses_shared.then_some(shared))),
            (format!("{top}_smoke.v"), header(None, command) + &smoke::bench(self.emitted)),
        ];
        if self.parts.primitives.iter().any(|primitive| primitive.model.is_some()) {
            let model = |name: &str, has_model| match has_model {
                true => format!("{name}.v"),
                false => format!("{name}_stub.v"),
            };
            files.push((format!("{top}_sim.f"), self.list(uses_shared.then_some(shared), model)));
        }
        if !self.crossings.is_empty() {
            files.push((format!("{top}.xdc"), constraints::xdc(self, catalogue)?));
            files.push((format!("{top}.sdc"), constraints::sdc(self, catalogue)?));
        }
        Ok(files)
    }

    /// A file list; `primitive` gives the file of a primitive that has a model or not.
    fn list(&self, shared: Option<&Shared>, primitive: impl Fn(&str, bool) -> String) -> String {
        let primitives = self.parts.primitives.iter();
        let mut lines: Vec<String> = primitives
            .map(|found| format!("{PRIMITIVES}/{}", primitive(&found.name, found.model.is_some())))
            .collect();
        lines.extend(shared.map(|shared| format!("{}.v", shared.name)));
        lines.push(format!("{}.v", self.emitted.top()));
        lines.join("\n") + "\n"
    }
}
