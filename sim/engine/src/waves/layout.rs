//! The scopes and variables of a waveform file.

use super::signals::{offsets, SignalTable, WaveSignal};
use flitforge_elaborate::graph::Shape;

/// What a scope stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScopeKind {
    /// A block.
    Module,
    /// A stream, a register, or another group of signals.
    Bundle,
    /// A signal with fields.
    Struct,
}

/// How a variable's value is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum VariableKind {
    Bits,
    Enum { name: String, variants: Vec<String> },
}

/// One variable of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Variable {
    pub(super) name: String,
    pub(super) width: u32,
    pub(super) kind: VariableKind,
    /// First word of its signal in a row, and the lowest bit there; a clock has none.
    pub(super) place: Option<(usize, u32)>,
}

/// A scope with what is in it, in the order of the block's fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Scope {
    pub(super) name: String,
    pub(super) kind: ScopeKind,
    /// Indices into [`Layout::variables`].
    pub(super) variables: Vec<usize>,
    pub(super) scopes: Vec<Scope>,
}

/// All scopes and variables; the clocks come first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) top: Scope,
    pub(super) variables: Vec<Variable>,
    pub(super) clocks: usize,
}

impl Scope {
    fn new(name: &str, kind: ScopeKind) -> Self {
        Self { name: name.into(), kind, variables: vec![], scopes: vec![] }
    }

    fn child(&mut self, name: &str, kind: ScopeKind) -> &mut Self {
        let index = self.scopes.iter().position(|scope| scope.name == name).unwrap_or_else(|| {
            self.scopes.push(Self::new(name, kind));
            self.scopes.len() - 1
        });
        &mut self.scopes[index]
    }
}

impl Layout {
    /// The layout for these signals of a table.
    pub(super) fn new(table: &SignalTable, signals: &[WaveSignal]) -> Self {
        let mut top = Scope::new(table.block(), ScopeKind::Module);
        let mut variables = vec![];
        for path in table.clocks() {
            let (scope, name) = descend(&mut top, path, table);
            scope.variables.push(variables.len());
            variables.push(Variable { name: name.into(), width: 1, kind: VariableKind::Bits, place: None });
        }
        let clocks = variables.len();
        let (offsets, _) = offsets(signals);
        for (signal, word) in signals.iter().zip(offsets) {
            let (scope, name) = descend(&mut top, &signal.path, table);
            add(scope, name, signal.width, &signal.shape, (word, 0), &mut variables);
        }
        Self { top, variables, clocks }
    }
}

/// The scope of a path, made on the way, and the name in it.
fn descend<'s, 'p>(top: &'s mut Scope, path: &'p str, table: &SignalTable) -> (&'s mut Scope, &'p str) {
    let mut scope = top;
    let mut start = 0;
    while let Some(length) = path[start..].find('.') {
        let end = start + length;
        let kind = match table.is_instance(&path[..end]) {
            true => ScopeKind::Module,
            false => ScopeKind::Bundle,
        };
        scope = scope.child(&path[start..end], kind);
        start = end + 1;
    }
    (scope, &path[start..])
}

fn add(
    scope: &mut Scope,
    name: &str,
    width: u32,
    shape: &Shape,
    place: (usize, u32),
    into: &mut Vec<Variable>,
) {
    let kind = match shape {
        Shape::Struct(fields) => {
            let inner = scope.child(name, ScopeKind::Struct);
            for field in fields {
                let (word, bit) = place;
                add(inner, &field.name, field.width, &field.shape, (word, bit + field.offset), into);
            }
            return;
        }
        Shape::Enum(name, variants) => VariableKind::Enum { name: name.clone(), variants: variants.clone() },
        Shape::Bits | Shape::Signed | Shape::Clock => VariableKind::Bits,
    };
    scope.variables.push(into.len());
    into.push(Variable { name: name.into(), width, kind, place: Some(place) });
}
