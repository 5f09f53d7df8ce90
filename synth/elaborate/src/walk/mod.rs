//! From a rust-hdl block to the typed graph.
//!
//! A probe collects the block tree (`scope`); each block's syntax tree is lowered with Rust's widths and
//! precedence (`typing`, `lower`, `body`); registers and memories become items of the module that owns
//! them (`primitive`, `module`); modules of equal structure become one.

mod body;
mod cells;
mod collect;
mod compare;
mod kind;
mod literal;
mod lower;
mod module;
mod names;
mod primitive;
mod scope;
mod stock;
mod typing;

use crate::error::{ElaborateError, Reason};
use crate::graph::{Design, ForeignOrigin, Module, ModuleId, SignalKind};
use crate::identifier::{identifier, plain, Identifiers};
use crate::marker::Marker;
use crate::verilog::name_modules;
pub(crate) use literal::literal_value;
use module::Library;
use primitive::Primitive;
use rust_hdl::prelude::Block;
pub(crate) use scope::rust_name;
use scope::Scope;
use std::collections::HashSet;

/// Elaborates `block`, whose module gets the name `top_name`.
///
/// The block must be fresh: rust-hdl evaluates parts of a block's code on its current values while it
/// describes itself. It need not be connected.
pub fn elaborate(block: &dyn Block, top_name: &str) -> Result<Design, ElaborateError> {
    Elaborator::new().elaborate(block, top_name)
}

/// Elaborates blocks, some of whose hand-written texts have a meaning that the caller knows.
///
/// A block of another crate cannot put a [`Marker`] line into its text. [`primitive`](Self::primitive) takes such a block as an
/// example and its marker; every block with the same text and the same ports is then taken for it.
#[derive(Debug, Default)]
pub struct Elaborator {
    primitives: Vec<Primitive>,
}

impl Elaborator {
    /// Knows the primitives of rust-hdl's own crates and those with a marker.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes every block with the text and the ports of `example` for what `marker` says. A block with generics needs an example
    /// of each kind, because its text differs.
    pub fn primitive(mut self, example: &dyn Block, marker: Marker) -> Result<Self, ElaborateError> {
        let scope = Scope::collect(example, "example", &[])?;
        self.primitives.push(Primitive::new(&scope, marker).map_err(|reason| reason.at(&scope.path))?);
        Ok(self)
    }

    /// As [`elaborate`].
    pub fn elaborate(&self, block: &dyn Block, top_name: &str) -> Result<Design, ElaborateError> {
        let scope = Scope::collect(block, top_name, &self.primitives)?;
        let mut library = Library::default();
        let top = library.build(&scope)?;
        name(library, top, top_name)
    }
}

/// Names the modules and all that is in them.
fn name(mut library: Library, top: ModuleId, top_name: &str) -> Result<Design, ElaborateError> {
    let mut outside = HashSet::new();
    for module in &library.modules {
        if let Some(ForeignOrigin::BlackBox(name)) = module.fixed_names() {
            if !outside.insert(name.clone()) {
                let what = format!("two black boxes called `{name}` with different ports or declarations");
                let hint = "give them the same declaration, or different names".into();
                return Err(Reason::Unsupported { what, hint }.at(top_name));
            }
        }
    }
    let name = identifier(top_name, MODULE);
    if outside.contains(&name) {
        let what = format!("a black box called `{name}`, as the top is");
        return Err(Reason::Unsupported { what, hint: "give the top another name".into() }.at(top_name));
    }
    library.modules[top.0 as usize].name.clone_from(&name);
    for module in &mut library.modules {
        name_items(module);
    }
    let mut design = Design { modules: library.modules, top };
    let wishes: Vec<String> = library.wished_names.iter().map(|wish| identifier(wish, MODULE)).collect();
    name_modules(&mut design, &name, &wishes);
    Ok(design)
}

/// What a module gets that is called as a reserved word.
const MODULE: &str = "module";

/// What a signal gets that is called as a reserved word.
fn ending(kind: &SignalKind) -> &'static str {
    match kind {
        SignalKind::Input => "in",
        SignalKind::Output => "out",
        SignalKind::InOut => "pin",
        _ => "signal",
    }
}

/// Names signals, instances and memories; ports first, so that theirs are the plainest. Nothing has the name of the module
/// itself, which it would hide; modules below the top have no name yet, and get one that nothing else can have.
pub(crate) fn name_items(module: &mut Module) {
    if module.fixed_names().is_some() {
        for signal in &mut module.signals {
            // as rust-hdl spells it: `lanes[2].valid` is `lanes$2$valid`
            signal.name = signal.path.replace(['.', '['], "$").replace(']', "");
        }
        return;
    }
    if module.foreign.is_some() {
        module.signals.iter_mut().for_each(|signal| signal.name = plain(&signal.path));
        return;
    }
    let mut identifiers = Identifiers::default();
    if !module.name.is_empty() {
        identifiers.claim(&module.name, MODULE);
    }
    let rank = |kind: &SignalKind| u32::from(!kind.is_port());
    let mut order: Vec<usize> = (0..module.signals.len()).collect();
    order.sort_by_key(|index| rank(&module.signals[*index].kind));
    for index in order {
        let signal = &mut module.signals[index];
        signal.name = identifiers.claim(&signal.path, ending(&signal.kind));
    }
    for instance in &mut module.instances {
        instance.name = identifiers.claim(&instance.path, "instance");
    }
    for memory in &mut module.memories {
        memory.name = identifiers.claim(&memory.path, "memory");
    }
}
