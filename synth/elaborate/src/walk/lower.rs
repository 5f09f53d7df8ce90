//! Typed expressions from rust-hdl's syntax tree, top-down with the width the context asks for.

use super::literal::negate;
use super::names::Names;
use super::typing::{is_comparison, spell, Type, FACTOR_BITS};
use crate::error::Reason;
use crate::graph::{BinaryOp, Expr, ExprKind, ReduceOp, ShiftOp};
use crate::value::Value;
use rust_hdl::prelude::ast::{VerilogExpression as Ast, VerilogOp as Op, VerilogOpUnary as Unary};

impl Names {
    /// `ast` as an expression of exactly `width` bits.
    pub fn lower(&mut self, ast: &Ast, width: u32) -> Result<Expr, Reason> {
        let expr = self.lower_any(ast, Some(width))?;
        if expr.width == width {
            return Ok(expr);
        }
        Err(Reason::Width { at: spell(ast), expected: width, found: expr.width })
    }

    /// `ast` as an expression of its own width; `wanted` is for those that have none.
    pub fn lower_any(&mut self, ast: &Ast, wanted: Option<u32>) -> Result<Expr, Reason> {
        if let Some(number) = self.fold(ast) {
            let width = wanted.ok_or_else(|| Reason::UndecidedWidth { at: spell(ast) })?;
            return constant(number, width, ast);
        }
        match ast {
            Ast::Literal(literal) => Ok(Expr::constant(super::literal::literal_value(literal, 1))),
            Ast::Signal(name) => match self.variant(name) {
                Some(variant) => {
                    let (width, value) = variant?;
                    Ok(Expr::constant(Value::from_u64(width, value)))
                }
                None => self.read(name),
            },
            Ast::Paren(inner) | Ast::Unsigned(inner) => self.lower_any(inner, wanted),
            Ast::Cast(inner, width) => self.lower_cast(inner, *width as u32),
            Ast::Signed(inner) => self.lower_signed(ast, inner, wanted),
            Ast::Binary(left, op, right) => self.lower_binary(ast, left, op, right, wanted),
            Ast::Unary(op, inner) => self.lower_unary(op, inner, wanted),
            Ast::Index(base, index) => self.lower_select(ast, base, index, 1),
            Ast::Slice(base, width, offset) => self.lower_select(ast, base, offset, *width as u32),
            Ast::IndexReplace(base, index, bit) => self.lower_replace(ast, base, index, bit, wanted),
        }
    }

    fn lower_cast(&mut self, inner: &Ast, width: u32) -> Result<Expr, Reason> {
        if let Some(number) = self.fold(inner) {
            return constant(number, width, inner);
        }
        // kept even if it changes nothing: a cast to the own width may be a user's `bits_...` function,
        // which rust-hdl mistakes for a cast; the structural check warns of it
        let value = Box::new(self.lower_any(inner, None)?);
        Ok(Expr { width, kind: ExprKind::Resize { signed: false, value } })
    }

    fn lower_signed(&mut self, ast: &Ast, inner: &Ast, wanted: Option<u32>) -> Result<Expr, Reason> {
        if !self.infer(inner)?.signed {
            return self.lower_any(inner, wanted);
        }
        let width = wanted.ok_or_else(|| Reason::UndecidedWidth { at: spell(ast) })?;
        let value = Box::new(self.lower_any(inner, None)?);
        Ok(Expr { width, kind: ExprKind::Resize { signed: true, value } })
    }

    fn lower_unary(&mut self, op: &Unary, inner: &Ast, wanted: Option<u32>) -> Result<Expr, Reason> {
        let reduce = match op {
            Unary::All => ReduceOp::And,
            Unary::Any => ReduceOp::Or,
            Unary::Xor => ReduceOp::Xor,
            Unary::Not | Unary::Neg => {
                let value = self.lower_any(inner, wanted)?;
                let width = value.width;
                let value = Box::new(value);
                let negate = matches!(op, Unary::Neg);
                return Ok(Expr {
                    width,
                    kind: if negate { ExprKind::Negate(value) } else { ExprKind::Not(value) },
                });
            }
        };
        let value = Box::new(self.lower_any(inner, None)?);
        Ok(Expr { width: 1, kind: ExprKind::Reduce(reduce, value) })
    }

    fn lower_binary(
        &mut self,
        ast: &Ast,
        left: &Ast,
        op: &Op,
        right: &Ast,
        wanted: Option<u32>,
    ) -> Result<Expr, Reason> {
        if is_comparison(op) {
            return self.lower_compare(ast, left, op, right);
        }
        let operator = match op {
            Op::LogicalAnd | Op::LogicalOr => {
                let operator = if matches!(op, Op::LogicalAnd) { BinaryOp::And } else { BinaryOp::Or };
                let (left, right) = (Box::new(self.lower(left, 1)?), Box::new(self.lower(right, 1)?));
                return Ok(Expr { width: 1, kind: ExprKind::Binary(operator, left, right) });
            }
            Op::Shl | Op::Shr => return self.lower_shift(ast, left, op, right, wanted),
            Op::Mul => return self.lower_product(ast, left, right),
            Op::Add => BinaryOp::Add,
            Op::Sub => BinaryOp::Sub,
            Op::BitAnd => BinaryOp::And,
            Op::BitOr => BinaryOp::Or,
            _ => BinaryOp::Xor,
        };
        let (a, b) = (self.infer(left)?.width, self.infer(right)?.width);
        let width = a.or(b).or(wanted).ok_or_else(|| Reason::UndecidedWidth { at: spell(ast) })?;
        let left = Box::new(self.lower(left, width)?);
        let right = match (operator, b) {
            // Bits<N> + bool
            (BinaryOp::Add, Some(1)) if width > 1 => {
                let value = Box::new(self.lower(right, 1)?);
                Expr { width, kind: ExprKind::Resize { signed: false, value } }
            }
            _ => self.lower(right, width)?,
        };
        Ok(Expr { width, kind: ExprKind::Binary(operator, left, Box::new(right)) })
    }

    fn lower_shift(
        &mut self,
        ast: &Ast,
        left: &Ast,
        op: &Op,
        right: &Ast,
        wanted: Option<u32>,
    ) -> Result<Expr, Reason> {
        let width = self.infer(ast)?.width.or(wanted);
        let value = match width {
            Some(width) => self.lower(left, width)?,
            None => return Err(Reason::UndecidedWidth { at: spell(ast) }),
        };
        if self.infer(left)?.signed {
            let what = format!("the shift of a signed value in `{}`", spell(ast));
            return Err(Reason::Unsupported { what, hint: "rust-hdl defines none".into() });
        }
        let amount = match self.fold(right) {
            Some(number) => constant(number, 64 - (number.max(1) as u64).leading_zeros(), right)?,
            None => self.lower_any(right, None)?,
        };
        if amount.width > 64 {
            return Err(Reason::IndexTooWide { at: spell(right), width: amount.width });
        }
        let shift = if matches!(op, Op::Shl) { ShiftOp::Left } else { ShiftOp::Right };
        Ok(Expr { width: value.width, kind: ExprKind::Shift(shift, Box::new(value), Box::new(amount)) })
    }

    /// `Signed<16> * Signed<16>` and `Bits<16> * Bits<16>` are the products of rust-hdl; they are 32 bits wide. The width of
    /// a `signed_bit_cast`, which rust-hdl drops, can only be 16 here.
    fn lower_product(&mut self, ast: &Ast, left: &Ast, right: &Ast) -> Result<Expr, Reason> {
        let (a, b) = (self.infer(left)?, self.infer(right)?);
        let signed = a.signed && b.signed;
        let fits = |factor: &Type| factor.width.map_or(factor.signed, |width| width == FACTOR_BITS);
        if a.signed != b.signed || !fits(&a) || !fits(&b) {
            let what = format!("the product `{}`", spell(ast));
            let hint = "rust-hdl has Bits<16> * Bits<16> and Signed<16> * Signed<16>".into();
            return Err(Reason::Unsupported { what, hint });
        }
        let width = 2 * FACTOR_BITS;
        let mut extended = |ast: &Ast| -> Result<Box<Expr>, Reason> {
            let value = Box::new(self.lower(ast, FACTOR_BITS)?);
            Ok(Box::new(Expr { width, kind: ExprKind::Resize { signed, value } }))
        };
        let (left, right) = (extended(left)?, extended(right)?);
        Ok(Expr { width, kind: ExprKind::Binary(BinaryOp::Mul, left, right) })
    }

    fn lower_select(&mut self, ast: &Ast, base: &Ast, offset: &Ast, width: u32) -> Result<Expr, Reason> {
        if width == 0 {
            return Err(Reason::ZeroWidth { name: spell(ast) });
        }
        let value = self.lower_any(base, None)?;
        let Some(number) = self.fold(offset) else {
            let offset = Box::new(self.lower_index(offset)?);
            return Ok(Expr { width, kind: ExprKind::SelectDynamic { value: Box::new(value), offset } });
        };
        let out_of_range = || {
            let offset = u64::try_from(number).unwrap_or(u64::MAX);
            let end = offset.saturating_add(u64::from(width));
            Reason::SelectOutOfRange { at: spell(ast), offset, end, width: value.width }
        };
        let offset = u32::try_from(number).map_err(|_| out_of_range())?;
        if offset >= value.width {
            return Err(out_of_range());
        }
        let inside = width.min(value.width - offset);
        if inside == value.width {
            return Ok(zero_extended(value, width));
        }
        let slice = Expr { width: inside, kind: ExprKind::Slice { value: Box::new(value), offset } };
        Ok(zero_extended(slice, width))
    }

    fn lower_replace(
        &mut self,
        ast: &Ast,
        base: &Ast,
        index: &Ast,
        bit: &Ast,
        wanted: Option<u32>,
    ) -> Result<Expr, Reason> {
        let value = self.lower_any(base, wanted)?;
        let width = value.width;
        let index = match self.fold(index) {
            Some(number) if !(0..i128::from(width)).contains(&number) => {
                let offset = u64::try_from(number).unwrap_or(u64::MAX);
                let end = offset.saturating_add(1);
                return Err(Reason::SelectOutOfRange { at: spell(ast), offset, end, width });
            }
            _ => self.lower_index(index)?,
        };
        let bit = Box::new(self.lower(bit, 1)?);
        Ok(Expr { width, kind: ExprKind::ReplaceBit { value: Box::new(value), index: Box::new(index), bit } })
    }

    /// An expression in the place of a `usize`: nothing wraps, so it is as wide as its largest value.
    pub fn lower_index(&mut self, ast: &Ast) -> Result<Expr, Reason> {
        Ok(self.lower_usize(ast)?.0)
    }

    fn lower_usize(&mut self, ast: &Ast) -> Result<(Expr, u128), Reason> {
        if let Some(number) = self.fold(ast) {
            let largest = u128::try_from(number).unwrap_or(0);
            return Ok((constant(number, bits_for(largest), ast)?, largest));
        }
        match ast {
            Ast::Paren(inner) if wraps(inner) => Err(Reason::AmbiguousIndexArithmetic { at: spell(ast) }),
            Ast::Paren(inner) => self.lower_usize(inner),
            Ast::Binary(left, op, right) if !is_comparison(op) => {
                self.lower_usize_binary(ast, left, op, right)
            }
            Ast::Unary(Unary::Not, _) => Err(Reason::AmbiguousIndexArithmetic { at: spell(ast) }),
            _ => {
                let expr = self.lower_any(ast, None)?;
                if expr.width > 32 {
                    return Err(Reason::IndexTooWide { at: spell(ast), width: expr.width });
                }
                let largest = (1u128 << expr.width) - 1;
                Ok((expr, largest))
            }
        }
    }

    fn lower_usize_binary(
        &mut self,
        ast: &Ast,
        left: &Ast,
        op: &Op,
        right: &Ast,
    ) -> Result<(Expr, u128), Reason> {
        let too_wide = || Reason::IndexTooWide { at: spell(ast), width: 64 };
        let (a, a_largest) = self.lower_usize(left)?;
        let (b, b_largest) = self.lower_usize(right)?;
        let shift_factor = || 1u128.checked_shl(u32::try_from(b_largest).unwrap_or(u32::MAX));
        let (operator, largest) = match op {
            Op::Add => (BinaryOp::Add, a_largest + b_largest),
            Op::Mul => (BinaryOp::Mul, a_largest.checked_mul(b_largest).ok_or_else(too_wide)?),
            // below zero Rust panics, so any value will do
            Op::Sub => (BinaryOp::Sub, a_largest.max(b_largest)),
            Op::BitAnd => (BinaryOp::And, a_largest.max(b_largest)),
            Op::BitOr => (BinaryOp::Or, (1 << bits_for(a_largest.max(b_largest))) - 1),
            Op::BitXor => (BinaryOp::Xor, (1 << bits_for(a_largest.max(b_largest))) - 1),
            Op::Shl => {
                let factor = shift_factor().filter(|factor| *factor < 1 << 32).ok_or_else(too_wide)?;
                let largest = a_largest.checked_mul(factor).ok_or_else(too_wide)?;
                let value = Box::new(zero_extended(a, bits_for(largest)));
                let kind = ExprKind::Shift(ShiftOp::Left, value, Box::new(b));
                return Ok((Expr { width: bits_for(largest), kind }, largest));
            }
            Op::Shr => {
                let kind = ExprKind::Shift(ShiftOp::Right, Box::new(a), Box::new(b));
                return Ok((Expr { width: bits_for(a_largest), kind }, a_largest));
            }
            _ => return Err(Reason::UndecidedWidth { at: spell(ast) }),
        };
        let width = bits_for(largest);
        if width > 64 {
            return Err(too_wide());
        }
        let (a, b) = (Box::new(zero_extended(a, width)), Box::new(zero_extended(b, width)));
        Ok((Expr { width, kind: ExprKind::Binary(operator, a, b) }, largest))
    }
}

/// True for arithmetic whose result depends on whether it wraps.
pub(super) fn wraps(ast: &Ast) -> bool {
    match ast {
        Ast::Paren(inner) => wraps(inner),
        Ast::Binary(left, op, right) => {
            matches!(op, Op::Add | Op::Sub | Op::Mul | Op::Shl) || wraps(left) || wraps(right)
        }
        Ast::Unary(Unary::Not | Unary::Neg, _) => true,
        _ => false,
    }
}

fn bits_for(largest: u128) -> u32 {
    (128 - largest.leading_zeros()).max(1)
}

fn zero_extended(value: Expr, width: u32) -> Expr {
    if value.width == width {
        return value;
    }
    if let ExprKind::Const(constant) = &value.kind {
        return Expr::constant(constant.resize(width));
    }
    Expr { width, kind: ExprKind::Resize { signed: false, value: Box::new(value) } }
}

fn constant(number: i128, width: u32, ast: &Ast) -> Result<Expr, Reason> {
    let magnitude = number.unsigned_abs();
    let words = [magnitude as u64, (magnitude >> 64) as u64];
    let fits = if number < 0 {
        bits_for(magnitude - 1) < width || magnitude == 1
    } else {
        bits_for(magnitude) <= width
    };
    if !fits {
        return Err(Reason::LiteralDoesNotFit { at: spell(ast), value: number.to_string(), width });
    }
    let value = Value::from_words(width, &words);
    Ok(Expr::constant(if number < 0 { negate(&value) } else { value }))
}
