//! Widths: Rust's typing rules, recovered from rust-hdl's syntax tree bottom-up.
//!
//! rust-hdl's types forbid mixed widths, so the width of an operand is the width of its partner; only
//! literals, loop variables and `signed_bit_cast` take theirs from the context.

use super::literal::{is_bool, literal_number};
use super::names::Names;
use crate::error::Reason;
use rust_hdl::prelude::ast::{VerilogExpression as Ast, VerilogOp as Op, VerilogOpUnary as Unary};

/// What is known of an expression from below.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Type {
    /// Width, if the expression itself decides it.
    pub width: Option<u32>,
    /// Two's complement.
    pub signed: bool,
}

impl Type {
    const BIT: Self = Self { width: Some(1), signed: false };
    const OPEN: Self = Self { width: None, signed: false };

    fn bits(width: usize) -> Self {
        Self { width: Some(width as u32), signed: false }
    }
}

impl Names {
    /// The value of an expression made only of literals and loop variables.
    pub fn fold(&self, ast: &Ast) -> Option<i128> {
        match ast {
            Ast::Literal(literal) if !is_bool(literal) => literal_number(literal),
            Ast::Signal(name) => self.loop_variable(name),
            Ast::Paren(inner) | Ast::Signed(inner) | Ast::Unsigned(inner) => self.fold(inner),
            Ast::Unary(Unary::Neg, inner) => self.fold(inner)?.checked_neg(),
            Ast::Binary(left, op, right) => {
                let (left, right) = (self.fold(left)?, self.fold(right)?);
                match op {
                    Op::Add => left.checked_add(right),
                    Op::Sub => left.checked_sub(right),
                    Op::Mul => left.checked_mul(right),
                    Op::BitXor => Some(left ^ right),
                    Op::BitAnd => Some(left & right),
                    Op::BitOr => Some(left | right),
                    Op::Shl => left.checked_shl(u32::try_from(right).ok()?),
                    Op::Shr => left.checked_shr(u32::try_from(right).ok()?),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The type of `ast`, seen from below.
    pub fn infer(&self, ast: &Ast) -> Result<Type, Reason> {
        Ok(match ast {
            _ if self.fold(ast).is_some() => Type::OPEN,
            Ast::Literal(_) => Type::BIT,
            Ast::Signal(name) => match self.variant(name) {
                Some(variant) => Type::bits(variant?.0 as usize),
                None => Type { width: Some(self.bits(name)?.width), signed: self.is_signed(name) },
            },
            Ast::Paren(inner) => self.infer(inner)?,
            Ast::Cast(_, width) => Type::bits(*width),
            Ast::Signed(inner) => {
                let inner = self.infer(inner)?;
                // of a signed operand it is `signed_bit_cast`, whose target width rust-hdl drops
                Type { width: inner.width.filter(|_| !inner.signed), signed: true }
            }
            Ast::Unsigned(inner) => Type { signed: false, ..self.infer(inner)? },
            Ast::Slice(base, width, _) => Type { signed: self.infer(base)?.signed, ..Type::bits(*width) },
            Ast::Index(..) | Ast::Unary(Unary::All | Unary::Any | Unary::Xor, _) => Type::BIT,
            Ast::IndexReplace(base, ..) => self.infer(base)?,
            Ast::Unary(_, inner) => self.infer(inner)?,
            Ast::Binary(left, op, right) => self.infer_binary(left, op, right)?,
        })
    }

    fn infer_binary(&self, left: &Ast, op: &Op, right: &Ast) -> Result<Type, Reason> {
        if is_comparison(op) || matches!(op, Op::LogicalAnd | Op::LogicalOr) {
            return Ok(Type::BIT);
        }
        let (a, b) = (self.infer(left)?, self.infer(right)?);
        let signed = a.signed || b.signed;
        let width = match op {
            Op::Shl | Op::Shr => match a.width {
                // a literal on the left of a shift is a `Bits<64>`
                None if self.fold(left).is_some() => Some(64),
                width => width,
            },
            // the products that rust-hdl has: 16 bits by 16 bits, both signed or none
            Op::Mul => Some(2 * FACTOR_BITS),
            _ => a.width.or(b.width),
        };
        Ok(Type { width, signed })
    }
}

/// Bits of the factors of a product.
pub(crate) const FACTOR_BITS: u32 = 16;

/// True for the operators that compare.
pub(crate) fn is_comparison(op: &Op) -> bool {
    matches!(op, Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge)
}

/// `ast` in Rust-like spelling, for messages.
pub(crate) fn spell(ast: &Ast) -> String {
    match ast {
        Ast::Signal(name) => name.replace('$', "."),
        Ast::Literal(literal) => literal_number(literal).map_or("?".into(), |number| number.to_string()),
        Ast::Cast(inner, width) => format!("bit_cast::<{width}, _>({})", spell(inner)),
        Ast::Signed(inner) => format!("signed_cast({})", spell(inner)),
        Ast::Unsigned(inner) => format!("unsigned_cast({})", spell(inner)),
        Ast::Paren(inner) => format!("({})", spell(inner)),
        Ast::Binary(left, op, right) => format!("{} {} {}", spell(left), symbol(op), spell(right)),
        Ast::Unary(Unary::Not, inner) => format!("!{}", spell(inner)),
        Ast::Unary(Unary::Neg, inner) => format!("-{}", spell(inner)),
        Ast::Unary(Unary::All, inner) => format!("{}.all()", spell(inner)),
        Ast::Unary(Unary::Any, inner) => format!("{}.any()", spell(inner)),
        Ast::Unary(Unary::Xor, inner) => format!("{}.xor()", spell(inner)),
        Ast::Index(base, index) => format!("{}.get_bit({})", spell(base), spell(index)),
        Ast::Slice(base, width, offset) => {
            format!("{}.get_bits::<{width}>({})", spell(base), spell(offset))
        }
        Ast::IndexReplace(base, index, bit) => {
            format!("{}.replace_bit({}, {})", spell(base), spell(index), spell(bit))
        }
    }
}

fn symbol(op: &Op) -> &'static str {
    match op {
        Op::Add => "+",
        Op::Sub => "-",
        Op::Mul => "*",
        Op::LogicalAnd => "&&",
        Op::LogicalOr => "||",
        Op::BitXor => "^",
        Op::BitAnd => "&",
        Op::BitOr => "|",
        Op::Shl => "<<",
        Op::Shr => ">>",
        Op::Eq => "==",
        Op::Lt => "<",
        Op::Le => "<=",
        Op::Ne => "!=",
        Op::Ge => ">=",
        Op::Gt => ">",
    }
}
