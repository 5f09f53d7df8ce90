//! Building graphs by hand.

use flitforge_elaborate::graph::*;
use flitforge_elaborate::Value;

/// An empty module.
pub fn module(name: &str) -> Module {
    Module {
        name: name.into(),
        label: None,
        signals: vec![],
        instances: vec![],
        registers: vec![],
        memories: vec![],
        body: vec![],
        notes: vec![],
        foreign: None,
    }
}

/// A design of one module.
pub fn design(module: Module) -> Design {
    Design { modules: vec![module], top: ModuleId(0) }
}

/// Adds a signal.
pub fn signal(module: &mut Module, path: &str, width: u32, kind: SignalKind, shape: Shape) -> SignalId {
    let name = path.replace(['.', '['], "_").replace(']', "");
    module.signals.push(Signal { path: path.into(), name, width, kind, shape });
    SignalId(module.signals.len() as u32 - 1)
}

/// Adds plain bits.
pub fn bits(module: &mut Module, path: &str, width: u32, kind: SignalKind) -> SignalId {
    signal(module, path, width, kind, Shape::Bits)
}

/// Adds a clock input.
pub fn clock(module: &mut Module, path: &str) -> SignalId {
    signal(module, path, 1, SignalKind::Input, Shape::Clock)
}

/// An expression.
pub fn expr(width: u32, kind: ExprKind) -> Expr {
    Expr { width, kind }
}

/// A literal.
pub fn constant(width: u32, value: u64) -> Expr {
    Expr::constant(Value::from_u64(width, value))
}

/// `a op b`.
pub fn binary(op: BinaryOp, a: Expr, b: Expr) -> Expr {
    expr(a.width, ExprKind::Binary(op, a.into(), b.into()))
}

/// `a op b`, unsigned.
pub fn compare(op: CompareOp, a: Expr, b: Expr) -> Expr {
    expr(1, ExprKind::Compare { op, signed: false, left: a.into(), right: b.into() })
}

/// `target = value`.
pub fn assign(target: SignalId, value: Expr) -> Statement {
    Statement::Assign { target, value }
}
