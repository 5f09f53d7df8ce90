//! Comparisons.

use super::lower::wraps;
use super::names::Names;
use super::typing::spell;
use crate::error::Reason;
use crate::graph::{CompareOp, Expr, ExprKind, Note};
use crate::value::Value;
use rust_hdl::prelude::ast::{VerilogExpression as Ast, VerilogOp as Op};
use std::cmp::Ordering;

impl Names {
    /// A comparison, at the width of its operands.
    pub(super) fn lower_compare(
        &mut self,
        ast: &Ast,
        left: &Ast,
        op: &Op,
        right: &Ast,
    ) -> Result<Expr, Reason> {
        if let (Some(a), Some(b)) = (self.fold(left), self.fold(right)) {
            return Ok(decided(op, a.cmp(&b)));
        }
        for (number, other, on_the_left) in [(right, left, true), (left, right, false)] {
            if let Some(expr) = self.lower_beyond(ast, op, number, other, on_the_left)? {
                return Ok(expr);
            }
        }
        let (a, b) = (self.infer(left)?, self.infer(right)?);
        let width = a.width.or(b.width).ok_or_else(|| Reason::UndecidedWidth { at: spell(ast) })?;
        let kind = ExprKind::Compare {
            op: match op {
                Op::Eq => CompareOp::Equal,
                Op::Ne => CompareOp::NotEqual,
                Op::Lt => CompareOp::Less,
                Op::Le => CompareOp::LessEqual,
                Op::Gt => CompareOp::Greater,
                _ => CompareOp::GreaterEqual,
            },
            signed: a.signed || b.signed,
            left: Box::new(self.lower(left, width)?),
            right: Box::new(self.lower(right, width)?),
        };
        Ok(Expr { width: 1, kind })
    }

    /// A comparison of `other` with a number that its bits cannot hold; `None` if they can. Rust compares such a number only
    /// with `.index()`, which is a `usize`. It is decided where a loop brings the number; a literal is a mistake.
    fn lower_beyond(
        &mut self,
        ast: &Ast,
        op: &Op,
        number: &Ast,
        other: &Ast,
        on_the_left: bool,
    ) -> Result<Option<Expr>, Reason> {
        let Some(value) = self.fold(number).filter(|value| *value >= 0) else { return Ok(None) };
        let kind = self.infer(other)?;
        let Some(width) = kind.width.filter(|width| *width < 64 && !kind.signed) else { return Ok(None) };
        if value >> width == 0 {
            return Ok(None);
        }
        if wraps(other) {
            let at = spell(ast);
            return Err(Reason::AmbiguousComparison { at, value: value.to_string(), width });
        }
        if !self.has_loop_variable(number) {
            return Ok(None);
        }
        let expr = decided(op, if on_the_left { Ordering::Less } else { Ordering::Greater });
        let holds =
            if matches!(&expr.kind, ExprKind::Const(value) if value.bit(0)) { "true" } else { "false" };
        let reason = format!(
            "`{}` is always {holds}: {value} does not fit {width} bits; shorten the loop or widen the signal",
            spell(ast)
        );
        self.notes.push(Note { at: spell(other), reason });
        Ok(Some(expr))
    }

    fn has_loop_variable(&self, ast: &Ast) -> bool {
        match ast {
            Ast::Signal(name) => self.loop_variable(name).is_some(),
            Ast::Paren(inner) | Ast::Signed(inner) | Ast::Unsigned(inner) | Ast::Unary(_, inner) => {
                self.has_loop_variable(inner)
            }
            Ast::Binary(left, _, right) => self.has_loop_variable(left) || self.has_loop_variable(right),
            _ => false,
        }
    }
}

/// A comparison whose left operand is known to be less than, equal to or greater than the right one.
fn decided(op: &Op, order: Ordering) -> Expr {
    let holds = match op {
        Op::Eq => order.is_eq(),
        Op::Ne => order.is_ne(),
        Op::Lt => order.is_lt(),
        Op::Le => order.is_le(),
        Op::Gt => order.is_gt(),
        _ => order.is_ge(),
    };
    Expr::constant(Value::from_u64(1, u64::from(holds)))
}
