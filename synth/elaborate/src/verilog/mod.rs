//! The Verilog writer: a [`Design`] as Verilog-2005 that reads as if written by hand.
//!
//! One module per module of the graph, ANSI headers, one `assign` or `always @(*)` per driven signal, one
//! `always @(posedge ...)` per register, instances connected by name. The text means exactly what the graph
//! means, at every width; equal designs give equal bytes.

mod body;
mod content;
mod ecp5;
mod element;
mod expression;
mod fold;
mod memory;
mod module;
mod names;
mod node;
mod plan;
mod simplify;
mod statement;
mod table;

use crate::graph::{Design, Foreign, ForeignOrigin, Module, ModuleId};
use std::collections::{BTreeMap, HashSet};

pub(crate) use content::name_modules;
pub use content::DIGEST_BYTES;

/// What the text is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Target technology.
    pub technology: Technology,
}

/// Target technology of the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Technology {
    /// Any: memories are arrays, and the tool chooses the RAM where a technology may lack the kind.
    #[default]
    Generic,
    /// Lattice ECP5: block RAM is written as `DP16KD` instances, because inference leaves the RAM's own output register unused and
    /// adds logic for reads of the word that is being written. Other arrays ask for LUT RAM.
    Ecp5,
    /// Xilinx: memories are arrays, and ask for LUT RAM where that is meant.
    Xilinx,
}

impl Technology {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Generic, Self::Ecp5, Self::Xilinx];

    /// As the command line and names of modules spell it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Generic => "generic",
            Self::Ecp5 => "ecp5",
            Self::Xilinx => "xilinx",
        }
    }
}

/// Head of every file. A file holds more than one module, so its name is not that of all of them.
const HEAD: &str = "`default_nettype none\n/* verilator lint_off DECLFILENAME */\n";
/// End of every file.
const TAIL: &str = "/* verilator lint_on DECLFILENAME */\n`default_nettype wire\n";

/// The whole design as one text: declarations of the primitives it needs, then modules before their users, the top last.
pub fn write(design: &Design, options: &Options) -> String {
    let parts = parts(design, options);
    let boxes = parts.primitives.iter().map(|primitive| primitive.declaration.as_str());
    file(boxes.chain(parts.modules.iter().map(|(_, text)| text.as_str())))
}

/// A design in parts, of which files can be made with [`file()`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    /// Primitives of the technology that the modules need, each once.
    pub primitives: Vec<Primitive>,
    /// Name and text of each module, modules before their users, the top last. Modules below the top are guarded, so that several
    /// files of one compilation may have them.
    pub modules: Vec<(String, String)>,
}

/// A module that the technology has, or that the user brings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Primitive {
    /// Module name.
    pub name: String,
    /// Its declaration without contents, for tools that do not know the technology.
    pub declaration: String,
    /// What it does, for simulators, as a whole file; `None` where it is the vendor's to say.
    pub model: Option<&'static str>,
}

/// The parts of a design.
pub fn parts(design: &Design, options: &Options) -> Parts {
    commented(design, options, &BTreeMap::new())
}

/// The parts of a design, with comments at the ports of the top: by the port's Rust path, a line each.
pub fn commented(design: &Design, options: &Options, comments: &BTreeMap<String, String>) -> Parts {
    let named = content::for_technology(design, options);
    let mut parts = Parts { primitives: primitives(design, options), modules: vec![] };
    let mut known = HashSet::new();
    for (index, module) in (0u32..).zip(&named.modules) {
        // Modules with other paths may have the same text, and then they have the same name.
        if !is_written(module) || !known.insert(&module.name) {
            continue;
        }
        let text = match ModuleId(index) == named.top {
            true => module::commented(&named, module, options, comments),
            false => guarded(&module.name, &module::write(&named, module, options)),
        };
        parts.modules.push((module.name.clone(), text));
    }
    parts
}

/// Texts as a file.
pub fn file<'a>(texts: impl IntoIterator<Item = &'a str>) -> String {
    let mut file = String::from(HEAD);
    for text in texts {
        file.push('\n');
        file.push_str(text.trim_matches('\n'));
        file.push('\n');
    }
    file.push('\n');
    file.push_str(TAIL);
    file
}

/// A module that is read once, however many files of a compilation have it.
fn guarded(name: &str, text: &str) -> String {
    format!("`ifndef FLITFORGE_{name}\n`define FLITFORGE_{name}\n{text}`endif\n")
}

/// False for a module that a primitive's declaration stands for.
fn is_written(module: &Module) -> bool {
    !matches!(module.fixed_names(), Some(ForeignOrigin::BlackBox(_)))
}

/// The declaration that a foreign module needs.
fn declaration(foreign: &Foreign) -> String {
    let text = foreign.cores.trim();
    match foreign.origin {
        _ if text.is_empty() => String::new(),
        ForeignOrigin::Own => text.into(),
        // Others leave out the net types of ports.
        _ => format!("`default_nettype wire\n{text}\n`default_nettype none"),
    }
}

fn primitives(design: &Design, options: &Options) -> Vec<Primitive> {
    let mut found: Vec<Primitive> = vec![];
    let foreign = design.modules.iter().filter_map(|module| module.foreign.as_ref());
    for declaration in foreign.map(declaration).filter(|text| !text.is_empty()) {
        if found.iter().all(|known| known.declaration != declaration) {
            found.push(Primitive { name: declared(&declaration), declaration, model: None });
        }
    }
    if options.technology == Technology::Ecp5 && ecp5::used(design) {
        let (name, declaration) = (ecp5::NAME.into(), ecp5::black_box());
        found.push(Primitive { name, declaration, model: Some(ecp5::MODEL) });
    }
    found
}

/// The first module that a text declares.
fn declared(text: &str) -> String {
    let mut words = text.split_ascii_whitespace();
    let name = words.find(|word| *word == "module").and_then(|_| words.next()).unwrap_or("primitives");
    name.split(['(', ';', '#']).next().unwrap_or_default().into()
}
