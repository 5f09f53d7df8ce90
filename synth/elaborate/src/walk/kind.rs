//! What a block is, and what its ports and its text say of that.

use super::scope::Scope;
use crate::graph::{Foreign, ForeignOrigin};
use crate::marker::{MemoryMarker, RegisterMarker};
use rust_hdl::prelude::{AtomKind, Verilog};

/// What a block is.
pub(crate) enum Kind {
    /// Logic and children.
    Module,
    /// A register.
    Register(RegisterMarker),
    /// A memory.
    Memory(MemoryMarker),
    /// Foreign text.
    Foreign(Foreign),
}

/// The text with one space between words.
pub(crate) fn single_spaced(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// True if the block has these ports and no others.
pub(super) fn has_ports(scope: &Scope, ports: &[(&str, AtomKind)]) -> bool {
    let atoms = || scope.atoms.iter().filter(|wire| wire.kind != AtomKind::Constant);
    scope.children.is_empty()
        && atoms().count() == ports.len()
        && atoms().all(|wire| ports.contains(&(wire.path.as_str(), wire.kind)))
}

pub(super) fn width(scope: &Scope, port: &str) -> u32 {
    scope.wire(port).map_or(0, |wire| wire.width)
}

/// The text of a block as it is, with what its children declare.
pub(crate) fn foreign(scope: &Scope) -> Foreign {
    let (body, mut cores, origin) = match &scope.text {
        Verilog::Custom(text) => (text.clone(), vec![], ForeignOrigin::RustHdl),
        Verilog::Wrapper(wrapper) => {
            (wrapper.code.clone(), vec![wrapper.cores.clone()], ForeignOrigin::RustHdl)
        }
        Verilog::Blackbox(core) => {
            (String::new(), vec![core.code.clone()], ForeignOrigin::BlackBox(core.name.clone()))
        }
        Verilog::Combinatorial(_) | Verilog::Empty => (String::new(), vec![], ForeignOrigin::RustHdl),
    };
    for child in &scope.children {
        if let Verilog::Blackbox(core) = &child.text {
            cores.push(core.code.clone());
        }
    }
    Foreign { body, cores: cores.join("\n"), origin, model: None }
}
