//! From a rust-hdl block to the typed graph.
//!
//! A probe collects the block tree ([`scope`]); each block's syntax tree is lowered with Rust's widths and
//! precedence ([`typing`], [`lower`], [`body`]); registers and memories become items of the module that owns
//! them ([`primitive`], [`module`]); modules of equal structure become one.

mod body;
mod literal;
mod lower;
mod module;
mod names;
mod primitive;
mod scope;
mod typing;

use crate::error::ElaborateError;
use crate::graph::{Design, Module, SignalKind};
use crate::identifier::Identifiers;
use module::Library;
use rust_hdl::prelude::Block;
use scope::Scope;

/// Elaborates `block`, whose module gets the name `top_name`.
///
/// The block must be fresh: rust-hdl evaluates parts of a block's code on its current values while it
/// describes itself. It need not be connected.
pub fn elaborate(block: &dyn Block, top_name: &str) -> Result<Design, ElaborateError> {
    let scope = Scope::collect(block, top_name)?;
    let mut library = Library::default();
    let top = library.build(&scope)?;
    let mut identifiers = Identifiers::default();
    let top_name = identifiers.claim(top_name);
    for (index, wish) in library.wished_names.iter().enumerate() {
        let is_top = index == top.0 as usize;
        library.modules[index].name = if is_top { top_name.clone() } else { identifiers.claim(wish) };
    }
    for module in &mut library.modules {
        name_items(module);
    }
    Ok(Design { modules: library.modules, top })
}

/// Names signals, instances and memories; ports first, so that theirs are the plainest.
fn name_items(module: &mut Module) {
    let mut identifiers = Identifiers::default();
    let rank = |kind: &SignalKind| u32::from(!kind.is_port());
    let mut order: Vec<usize> = (0..module.signals.len()).collect();
    order.sort_by_key(|index| rank(&module.signals[*index].kind));
    for index in order {
        let signal = &mut module.signals[index];
        signal.name = identifiers.claim(&signal.path);
    }
    for instance in &mut module.instances {
        instance.name = identifiers.claim(&instance.path);
    }
    for memory in &mut module.memories {
        memory.name = identifiers.claim(&memory.path);
    }
}
