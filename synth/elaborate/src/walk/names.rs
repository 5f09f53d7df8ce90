//! From the names in rust-hdl's syntax tree to the signals of the module being built.

use super::literal::index_value;
use super::scope::Scope;
use crate::error::Reason;
use crate::graph::{Expr, ExprKind, Note, Shape, Signal, SignalId, SignalKind};
use std::collections::HashMap;

/// What a path means inside one block.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Entry {
    /// A signal of the module.
    Signal(SignalId),
    /// The clock input of a register or memory; it is no signal, only remembers where it comes from.
    ClockSink,
    /// A bidirectional port of a child, not linked yet.
    OpenInOut,
}

/// The names visible in one block, and its signals.
pub(crate) struct Names {
    pub signals: Vec<Signal>,
    pub entries: HashMap<String, Entry>,
    /// Where each clock sink comes from.
    pub clocks: HashMap<String, SignalId>,
    /// What was noticed and is not in the statements.
    pub notes: Vec<Note>,
    /// Loop variables, innermost last.
    pub loops: Vec<(String, i128)>,
    variants: HashMap<String, Option<(u32, u64)>>,
    /// Variants of every enum; `None` if enums of one name differ.
    enums: HashMap<String, Option<usize>>,
    children: Vec<String>,
}

/// A name taken apart: a path, and the struct fields behind it.
pub(crate) struct Reference {
    pub path: String,
    pub fields: Vec<String>,
}

/// A stretch of a signal's bits.
pub(crate) struct Bits {
    pub signal: SignalId,
    pub offset: u32,
    pub width: u32,
}

impl Names {
    pub fn new(scope: &Scope) -> Self {
        let mut names = Self {
            signals: vec![],
            entries: HashMap::new(),
            clocks: HashMap::new(),
            notes: vec![],
            loops: vec![],
            variants: HashMap::new(),
            enums: HashMap::new(),
            children: scope.children.iter().map(|child| child.field.clone()).collect(),
        };
        let below = scope.children.iter().flat_map(|child| &child.atoms);
        for wire in scope.atoms.iter().chain(below) {
            names.learn_variants(&wire.shape, wire.width);
        }
        names
    }

    fn learn_variants(&mut self, shape: &Shape, width: u32) {
        match shape {
            Shape::Enum(name, variants) => {
                let count = self.enums.entry(name.clone()).or_insert(Some(variants.len()));
                if *count != Some(variants.len()) {
                    *count = None;
                }
                for (value, variant) in (0u64..).zip(variants) {
                    let known = self.variants.entry(format!("{name}.{variant}"));
                    let known = known.or_insert(Some((width, value)));
                    if *known != Some((width, value)) {
                        *known = None;
                    }
                }
            }
            Shape::Struct(fields) => {
                for field in fields {
                    self.learn_variants(&field.shape, field.width);
                }
            }
            _ => {}
        }
    }

    /// Adds a signal and makes it known under its path.
    pub fn add(&mut self, path: &str, width: u32, kind: SignalKind, shape: &Shape) -> SignalId {
        let id = SignalId(self.signals.len() as u32);
        self.entries.insert(path.into(), Entry::Signal(id));
        self.signals.push(Signal {
            path: path.into(),
            name: String::new(),
            width,
            kind,
            shape: shape.clone(),
        });
        id
    }

    pub fn signal(&self, id: SignalId) -> &Signal {
        &self.signals[id.0 as usize]
    }

    pub fn loop_variable(&self, name: &str) -> Option<i128> {
        self.loops.iter().rev().find(|(variable, _)| variable == name).map(|(_, value)| *value)
    }

    /// Takes a name of the syntax tree apart: `stops[(i+1)%8]$cw_in$next` is `stops[3].cw_in`.
    pub fn reference(&self, name: &str) -> Result<Reference, Reason> {
        let mut parts = split_outside_brackets(name).into_iter().filter(|part| !part.is_empty());
        let mut path = vec![];
        for part in parts.by_ref() {
            if part == "next" || part == "val()" {
                break;
            }
            path.push(self.with_indices(part, name)?);
        }
        let fields = parts.filter(|part| *part != "next" && *part != "val()").map(String::from).collect();
        Ok(Reference { path: path.join("."), fields })
    }

    fn with_indices(&self, part: &str, name: &str) -> Result<String, Reason> {
        let mut out = String::new();
        let mut rest = part;
        while let Some((before, behind)) = rest.split_once('[') {
            let end = closing_bracket(behind).unwrap_or(behind.len());
            let (index, after) = behind.split_at(end);
            let value = index_value(index, &|variable| self.loop_variable(variable))
                .ok_or_else(|| Reason::Index { name: name.into(), index: index.into() })?;
            out.push_str(&format!("{before}[{value}]"));
            rest = after.strip_prefix(']').unwrap_or(after);
        }
        out.push_str(rest);
        Ok(out)
    }

    /// The enum variant `State$Idle`: width and value.
    pub fn variant(&self, name: &str) -> Option<Result<(u32, u64), Reason>> {
        let mut parts = name.rsplit('$');
        let (variant, kind) = (parts.next()?, parts.next()?);
        let known = self.variants.get(&format!("{kind}.{variant}"))?;
        Some(known.ok_or_else(|| Reason::AmbiguousVariant { name: name.replace('$', "::") }))
    }

    /// `State::Idle` for `Idle`, if the block has a signal of such an enum.
    pub fn named_with_enum(&self, variant: &str) -> Option<String> {
        let own = |known: &&String| known.split('.').nth(1) == Some(variant);
        self.variants.keys().filter(own).min().map(|known| known.replace('.', "::"))
    }

    /// How many variants the enum of `State$Idle` has.
    pub fn variant_count(&self, name: &str) -> Option<usize> {
        let kind = name.rsplit('$').nth(1)?;
        self.enums.get(kind).copied().flatten()
    }

    /// The bits of a signal that a name means.
    pub fn bits(&self, name: &str) -> Result<Bits, Reason> {
        let reference = self.reference(name)?;
        let Some(Entry::Signal(id)) = self.entries.get(&reference.path).copied() else {
            return Err(self.unresolved(name, &reference.path));
        };
        let signal = self.signal(id);
        let mut bits = Bits { signal: id, offset: 0, width: signal.width };
        let mut shape = &signal.shape;
        for wanted in &reference.fields {
            let field = match shape {
                Shape::Struct(fields) => fields.iter().find(|field| field.name == *wanted),
                _ => None,
            };
            let Some(field) = field else { return Err(self.unresolved(name, &reference.path)) };
            bits.offset += field.offset;
            bits.width = field.width;
            shape = &field.shape;
        }
        Ok(bits)
    }

    /// The shape of the bits a name means.
    pub fn is_signed(&self, name: &str) -> bool {
        let Ok(reference) = self.reference(name) else { return false };
        let Some(Entry::Signal(id)) = self.entries.get(&reference.path) else { return false };
        let mut shape = &self.signal(*id).shape;
        for wanted in &reference.fields {
            if let Shape::Struct(fields) = shape {
                if let Some(field) = fields.iter().find(|field| field.name == *wanted) {
                    shape = &field.shape;
                }
            }
        }
        *shape == Shape::Signed
    }

    /// A read of the named bits.
    pub fn read(&self, name: &str) -> Result<Expr, Reason> {
        let bits = self.bits(name)?;
        let signal = self.signal(bits.signal);
        let whole = Expr::read(bits.signal, signal.width);
        if bits.width == signal.width {
            return Ok(whole);
        }
        let kind = ExprKind::Slice { value: Box::new(whole), offset: bits.offset };
        Ok(Expr { width: bits.width, kind })
    }

    fn unresolved(&self, name: &str, path: &str) -> Reason {
        let spelled = name.replace('$', ".");
        if path.matches('.').count() > 0 {
            let child = self.children.iter().find(|child| path.starts_with(&format!("{child}.")));
            if child.is_some_and(|child| path[child.len() + 1..].contains('.')) {
                return Reason::GrandchildAccess { name: spelled };
            }
            if child.is_some() {
                return Reason::Unresolved { name: spelled, hint: "only a child's ports are visible".into() };
            }
        }
        if !path.contains(['.', '[']) && path.starts_with(|first: char| first.is_ascii_uppercase()) {
            return match self.named_with_enum(path) {
                Some(full) => Reason::VariantWithoutEnum { name: spelled, full },
                None => Reason::ConstantAsValue { name: spelled },
            };
        }
        let hint = "fields that begin with `_` and struct fields that do not exist are invisible to rust-hdl";
        Reason::Unresolved { name: spelled, hint: hint.into() }
    }
}

fn closing_bracket(text: &str) -> Option<usize> {
    let mut depth = 0;
    for (at, letter) in text.char_indices() {
        match letter {
            '[' => depth += 1,
            ']' if depth == 0 => return Some(at),
            ']' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Splits at `$` and `.` that are not inside brackets.
fn split_outside_brackets(name: &str) -> Vec<&str> {
    let mut parts = vec![];
    let (mut depth, mut start) = (0, 0);
    for (at, letter) in name.char_indices() {
        match letter {
            '[' => depth += 1,
            ']' => depth -= 1,
            '$' | '.' if depth == 0 => {
                parts.push(&name[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&name[start..]);
    parts
}
