//! Nodes of expressions, as the writer makes and reads them.

use crate::graph::{Expr, ExprKind};
use crate::value::Value;

/// Bits needed to index `count` items, at least 1.
pub fn index_width(count: u32) -> u32 {
    match count {
        0..=2 => 1,
        _ => 32 - (count - 1).leading_zeros(),
    }
}

/// Looks up the value of a signal that is fixed at elaboration.
pub type Constants<'c> = dyn Fn(crate::graph::SignalId) -> Option<Value> + 'c;

/// The value of a literal, a constant signal, or several of them side by side.
pub fn as_constant(expr: &Expr, constants: &Constants) -> Option<Value> {
    match &expr.kind {
        ExprKind::Const(value) => Some(value.clone()),
        ExprKind::Read(id) => constants(*id),
        ExprKind::Concat(parts) => {
            let mut all = Value::zero(expr.width);
            let mut at = 0;
            for part in parts {
                let value = as_constant(part, constants)?;
                (0..part.width).for_each(|bit| all.set_bit(at + bit, value.bit(bit)));
                at += part.width;
            }
            Some(all)
        }
        _ => None,
    }
}

pub(super) fn make(width: u32, kind: ExprKind) -> Expr {
    Expr { width, kind }
}

pub(super) fn zero(width: u32) -> Expr {
    Expr::constant(Value::zero(width))
}
