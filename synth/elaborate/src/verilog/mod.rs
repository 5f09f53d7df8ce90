//! The Verilog writer: a [`Design`] as Verilog-2005 that reads as if written by hand.
//!
//! One module per module of the graph, ANSI headers, one `assign` or `always @(*)` per driven signal, one
//! `always @(posedge ...)` per register, instances connected by name. The text means exactly what the graph
//! means, at every width; equal designs give equal bytes.

mod body;
mod ecp5;
mod element;
mod expression;
mod fold;
mod memory;
mod module;
mod names;
mod plan;
mod simplify;
mod statement;
mod table;

use crate::graph::Design;

/// What the text is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Target technology.
    pub technology: Technology,
}

/// Target technology of the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Technology {
    /// Any: memories are arrays.
    #[default]
    Generic,
    /// Lattice ECP5: block RAM is written as `DP16KD` instances, because inference leaves the RAM's own output register unused and
    /// adds logic for reads of the word that is being written.
    Ecp5,
}

/// Head of every file.
const HEAD: &str = "`default_nettype none\n";
/// End of every file.
const TAIL: &str = "`default_nettype wire\n";

/// The whole design as one text, modules before their users, the top last.
pub fn write(design: &Design, options: &Options) -> String {
    let mut text = String::from(HEAD);
    for core in cores(design, options) {
        text.push('\n');
        text.push_str(core.trim_matches('\n'));
        text.push('\n');
    }
    for module in &design.modules {
        text.push('\n');
        text.push_str(&module::write(design, module, options));
    }
    text.push('\n');
    text.push_str(TAIL);
    text
}

/// Every module as a text of its own, with its name; the top last. Black boxes that the modules need come
/// first, in one text named `primitives`.
pub fn modules(design: &Design, options: &Options) -> Vec<(String, String)> {
    let file = |text: &str| format!("{HEAD}\n{}\n\n{TAIL}", text.trim_matches('\n'));
    let cores = cores(design, options);
    let primitives = (!cores.is_empty()).then(|| ("primitives".to_owned(), file(&cores.join("\n\n"))));
    let modules = design
        .modules
        .iter()
        .map(|module| (module.name.clone(), file(&module::write(design, module, options))));
    primitives.into_iter().chain(modules).collect()
}

/// Black-box declarations, each once.
fn cores(design: &Design, options: &Options) -> Vec<String> {
    let mut cores: Vec<String> = vec![];
    let foreign = design.modules.iter().filter_map(|module| module.foreign.as_ref());
    for core in foreign.map(|foreign| &foreign.cores).filter(|core| !core.trim().is_empty()) {
        if !cores.contains(core) {
            cores.push(core.clone());
        }
    }
    if options.technology == Technology::Ecp5 && ecp5::used(design) {
        cores.push(ecp5::black_box());
    }
    cores
}
