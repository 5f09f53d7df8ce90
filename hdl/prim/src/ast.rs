//! Shorthand for the few blocks whose structure is data and that therefore write their rust-hdl syntax tree
//! by hand. Names are spelled as `#[hdl_gen]` spells them: `stage[2]$q`, targets with `$next`.

use rust_hdl::prelude::ast::{VerilogExpression, VerilogOp, VerilogOpUnary, VerilogStatement};

/// A read of `name`.
pub fn read(name: &str) -> VerilogExpression {
    VerilogExpression::Signal(name.into())
}

/// A number whose width is that of its partner.
pub fn number(value: usize) -> VerilogExpression {
    VerilogExpression::Literal((value as i32).into())
}

/// `target.next = value`.
pub fn assign(target: &str, value: VerilogExpression) -> VerilogStatement {
    VerilogStatement::Assignment(VerilogExpression::Signal(format!("{target}$next")), value)
}

/// Bit `index` of `name`.
pub fn bit(name: &str, index: usize) -> VerilogExpression {
    VerilogExpression::Index(Box::new(read(name)), Box::new(number(index)))
}

/// `name` with bit `index` replaced.
pub fn with_bit(name: &str, index: usize, value: VerilogExpression) -> VerilogExpression {
    VerilogExpression::IndexReplace(Box::new(read(name)), Box::new(number(index)), Box::new(value))
}

/// Parity of the bits of `name` that the signal `mask` has.
pub fn parity(name: &str, mask: &str) -> VerilogExpression {
    let masked = VerilogExpression::Binary(Box::new(read(name)), VerilogOp::BitAnd, Box::new(read(mask)));
    VerilogExpression::Unary(VerilogOpUnary::Xor, Box::new(masked))
}

/// Exclusive or of two expressions.
pub fn xor(left: VerilogExpression, right: VerilogExpression) -> VerilogExpression {
    VerilogExpression::Binary(Box::new(left), VerilogOp::BitXor, Box::new(right))
}
