//! The block tree as rust-hdl's probe shows it.

use super::literal::literal_value;
use super::primitive::Primitive;
use super::scope::{rust_name, Scope, Wire};
use crate::error::{ElaborateError, Reason};
use crate::graph::{Field, Shape};
use rust_hdl::prelude::*;
use std::panic::{catch_unwind, AssertUnwindSafe};

impl Scope {
    /// The block tree below `block`.
    pub fn collect(block: &dyn Block, top: &str, primitives: &[Primitive]) -> Result<Self, ElaborateError> {
        let mut collector =
            Collector { primitives, open: vec![], namespaces: vec![], top: None, error: None };
        block.accept(top, &mut collector);
        match (collector.error, collector.top) {
            (Some(error), _) => Err(error),
            (None, Some(scope)) => Ok(scope),
            (None, None) => Err(Reason::NotABlock.at(top)),
        }
    }
}

struct Collector<'a> {
    primitives: &'a [Primitive],
    open: Vec<Scope>,
    namespaces: Vec<String>,
    top: Option<Scope>,
    error: Option<ElaborateError>,
}

impl Probe for Collector<'_> {
    fn visit_start_scope(&mut self, name: &str, node: &dyn Block) {
        // the caller of a top block chooses its name; it is not a field
        let field = if self.open.is_empty() { name.to_string() } else { rust_name(name) };
        let field = self.qualified(field);
        let path = match self.open.last() {
            Some(parent) => format!("{}.{field}", parent.path),
            None => field.clone(),
        };
        let text = catch_unwind(AssertUnwindSafe(|| node.hdl())).unwrap_or_else(|panic| {
            let message = panic
                .downcast_ref::<String>()
                .cloned()
                .or_else(|| panic.downcast_ref::<&str>().map(|text| text.to_string()))
                .unwrap_or_else(|| "no message".into());
            self.error.get_or_insert(Reason::Panic { message }.at(&path));
            Verilog::Empty
        });
        let timing = node.timing();
        self.open.push(Scope { field, path, text, timing, atoms: vec![], children: vec![], marker: None });
    }

    fn visit_end_scope(&mut self, _: &str, _: &dyn Block) {
        let Some(mut scope) = self.open.pop() else { return };
        scope.marker = self.primitives.iter().find_map(|primitive| primitive.meaning(&scope));
        match self.open.last_mut() {
            Some(parent) => parent.children.push(scope),
            None => self.top = Some(scope),
        }
    }

    fn visit_start_namespace(&mut self, name: &str, _: &dyn Block) {
        self.namespaces.push(rust_name(name));
    }

    fn visit_end_namespace(&mut self, _: &str, _: &dyn Block) {
        self.namespaces.pop();
    }

    fn visit_atom(&mut self, name: &str, atom: &dyn Atom) {
        let path = self.qualified(rust_name(name));
        let Some(scope) = self.open.last_mut() else { return };
        let width = atom.bits() as u32;
        if width == 0 {
            self.error.get_or_insert(Reason::ZeroWidth { name: path }.at(&scope.path));
            return;
        }
        let (shape, _) = shape_of(&atom.descriptor());
        let value = literal_value(&atom.verilog(), width);
        scope.atoms.push(Wire { path, kind: atom.kind(), width, shape, value });
    }
}

impl Collector<'_> {
    fn qualified(&self, name: String) -> String {
        match self.namespaces.join(".") {
            prefix if prefix.is_empty() => name,
            prefix => format!("{prefix}.{name}"),
        }
    }
}

/// Shape and width of a rust-hdl type.
fn shape_of(descriptor: &TypeDescriptor) -> (Shape, u32) {
    match &descriptor.kind {
        TypeKind::Bits(1) if descriptor.name == "clock" => (Shape::Clock, 1),
        TypeKind::Bits(width) => (Shape::Bits, *width as u32),
        TypeKind::Signed(width) => (Shape::Signed, *width as u32),
        TypeKind::Enum(variants) => {
            let names = variants.iter().map(|name| name.rsplit("::").next().unwrap_or(name).to_string());
            (Shape::Enum(descriptor.name.clone(), names.collect()), clog2(variants.len()) as u32)
        }
        TypeKind::Composite(parts) => {
            let mut fields = vec![];
            let mut offset = 0;
            for part in parts {
                let (shape, width) = shape_of(&part.kind);
                fields.push(Field { name: part.fieldname.clone(), offset, width, shape });
                offset += width;
            }
            (Shape::Struct(fields), offset)
        }
    }
}
