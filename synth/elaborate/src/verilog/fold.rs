//! Folding of literals: operations on them, and comparisons whose outcome the known bits decide.
//!
//! A linter folds too and then finds comparisons that cannot be otherwise and bits that nothing reads; what is
//! written has none of that left.

use super::node::{as_constant, make, zero, Constants};
use crate::evaluate::wide;
use crate::graph::{BinaryOp, CompareOp, Expr, ExprKind, ReduceOp, ShiftOp};
use crate::value::{words_for, Value};

fn computed(width: u32, compute: impl FnOnce(&mut [u64])) -> Value {
    let mut words = vec![0; words_for(width)];
    compute(&mut words);
    Value::from_words(width, &words)
}

fn inverted(a: &Value) -> Value {
    let words: Vec<u64> = a.words().iter().map(|word| !word).collect();
    Value::from_words(a.width(), &words)
}

fn bitwise(op: BinaryOp, a: &Value, b: &Value) -> Value {
    computed(a.width(), |out| wide::binary(op, out, a.words(), b.words()))
}

fn is_ones(value: &Value) -> bool {
    *value == Value::ones(value.width())
}

/// `~a`.
pub fn not(a: Expr, constants: &Constants) -> Expr {
    match (as_constant(&a, constants), a.kind) {
        (Some(value), _) => Expr::constant(inverted(&value)),
        (None, ExprKind::Not(inner)) => *inner,
        (None, kind) => {
            let a = make(a.width, kind);
            make(a.width, ExprKind::Not(Box::new(a)))
        }
    }
}

/// `-a`.
pub fn negate(a: Expr, constants: &Constants) -> Expr {
    match as_constant(&a, constants) {
        Some(value) => Expr::constant(computed(a.width, |out| wide::negate(out, value.words()))),
        None => make(a.width, ExprKind::Negate(Box::new(a))),
    }
}

/// The bits of `value` reduced to one.
pub fn reduce(op: ReduceOp, value: Expr, constants: &Constants) -> Expr {
    if value.width == 1 {
        return value;
    }
    let known = Known::of(&value, constants);
    let outcome = match op {
        ReduceOp::Or if !known.value.is_zero() => Some(true),
        ReduceOp::And if known.highest() != Value::ones(value.width) => Some(false),
        _ if is_ones(&known.mask) => Some(wide::reduce(op, known.value.words(), value.width)),
        _ => None,
    };
    match outcome {
        Some(bit) => Expr::constant(Value::from_u64(1, bit.into())),
        None => make(1, ExprKind::Reduce(op, Box::new(value))),
    }
}

/// `left op right` where an operand is a literal that leaves nothing to compute.
pub fn binary(op: BinaryOp, left: &Expr, right: &Expr, constants: &Constants) -> Option<Expr> {
    let (a, b) = (as_constant(left, constants), as_constant(right, constants));
    if let (Some(a), Some(b)) = (&a, &b) {
        return Some(Expr::constant(bitwise(op, a, b)));
    }
    let width = left.width;
    if left == right {
        match op {
            BinaryOp::And | BinaryOp::Or => return Some(left.clone()),
            BinaryOp::Sub | BinaryOp::Xor => return Some(zero(width)),
            BinaryOp::Add | BinaryOp::Mul => {}
        }
    }
    if op == BinaryOp::Sub {
        return b.filter(Value::is_zero).map(|_| left.clone());
    }
    let (value, other) = a.map(|a| (a, right)).or_else(|| b.map(|b| (b, left)))?;
    match op {
        BinaryOp::And | BinaryOp::Mul if value.is_zero() => Some(zero(width)),
        BinaryOp::Or | BinaryOp::Xor | BinaryOp::Add if value.is_zero() => Some(other.clone()),
        BinaryOp::And if is_ones(&value) => Some(other.clone()),
        BinaryOp::Or if is_ones(&value) => Some(Expr::constant(value)),
        BinaryOp::Xor if is_ones(&value) => Some(not(other.clone(), constants)),
        BinaryOp::Mul if value == Value::from_u64(width, 1) => Some(other.clone()),
        _ => None,
    }
}

/// True if every shift of `value` gives `value`: zero, and what consists of its sign only.
pub fn is_fixed_by_shift(op: ShiftOp, value: &Expr, constants: &Constants) -> bool {
    let signs = value.width == 1 || as_constant(value, constants).is_some_and(|value| is_ones(&value));
    let zero = as_constant(value, constants).is_some_and(|value| value.is_zero());
    zero || (op == ShiftOp::ArithmeticRight && signs)
}

/// `value` shifted by a literal, if the value is a literal too.
pub fn shift(op: ShiftOp, value: &Expr, by: u32, constants: &Constants) -> Option<Expr> {
    let constant = as_constant(value, constants)?;
    let width = value.width;
    Some(Expr::constant(computed(width, |out| wide::shift(op, out, constant.words(), by, width))))
}

/// `condition ? then : otherwise`.
pub fn mux(condition: Expr, then: Expr, otherwise: Expr, constants: &Constants) -> Expr {
    match as_constant(&condition, constants) {
        Some(value) if value.bit(0) => then,
        Some(_) => otherwise,
        None if then == otherwise => then,
        None => make(then.width, ExprKind::Mux(condition.into(), then.into(), otherwise.into())),
    }
}

/// A comparison, or its outcome where the bits that are known decide it (`x < 0`, `{4'h0, x} > 8'h20`).
pub fn compare(op: CompareOp, signed: bool, left: Expr, right: Expr, constants: &Constants) -> Expr {
    let (a, b) = (Known::of(&left, constants), Known::of(&right, constants));
    let (a, b) = if signed { (a.with_sign_inverted(), b.with_sign_inverted()) } else { (a, b) };
    let outcome = if left == right { Some(reflexive(op)) } else { decided(op, &a, &b) };
    match outcome {
        Some(bit) => Expr::constant(Value::from_u64(1, bit.into())),
        None => make(1, ExprKind::Compare { op, signed, left: left.into(), right: right.into() }),
    }
}

/// `x op x`.
fn reflexive(op: CompareOp) -> bool {
    matches!(op, CompareOp::Equal | CompareOp::LessEqual | CompareOp::GreaterEqual)
}

fn less(a: &Value, b: &Value) -> bool {
    wide::compare(CompareOp::Less, false, a.words(), b.words(), a.width())
}

/// The outcome of an unsigned comparison, if the known bits fix it.
fn decided(op: CompareOp, a: &Known, b: &Known) -> Option<bool> {
    let surely_less = |a: &Known, b: &Known| less(&a.highest(), &b.lowest());
    let never_less = |a: &Known, b: &Known| !less(&a.lowest(), &b.highest());
    let order = |a: &Known, b: &Known| match (surely_less(a, b), never_less(a, b)) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    };
    match op {
        CompareOp::Less => order(a, b),
        CompareOp::Greater => order(b, a),
        CompareOp::LessEqual => order(b, a).map(|greater| !greater),
        CompareOp::GreaterEqual => order(a, b).map(|less| !less),
        CompareOp::Equal => a.equals(b),
        CompareOp::NotEqual => a.equals(b).map(|equal| !equal),
    }
}

/// What is known of a value whatever the signals are.
struct Known {
    /// Bits that are fixed.
    mask: Value,
    /// Their values; 0 elsewhere.
    value: Value,
}

impl Known {
    fn nothing(width: u32) -> Self {
        Self { mask: Value::zero(width), value: Value::zero(width) }
    }

    fn of(expr: &Expr, constants: &Constants) -> Self {
        let go = |inner: &Expr| Self::of(inner, constants);
        let width = expr.width;
        if let Some(value) = as_constant(expr, constants) {
            return Self { mask: Value::ones(width), value };
        }
        match &expr.kind {
            ExprKind::Concat(parts) => {
                let mut all = Self::nothing(width);
                let mut at = 0;
                for part in parts {
                    let known = go(part);
                    for bit in 0..part.width {
                        all.mask.set_bit(at + bit, known.mask.bit(bit));
                        all.value.set_bit(at + bit, known.value.bit(bit));
                    }
                    at += part.width;
                }
                all
            }
            ExprKind::Slice { value, offset } => {
                let known = go(value);
                Self { mask: known.mask.slice(*offset, width), value: known.value.slice(*offset, width) }
            }
            ExprKind::Not(a) => go(a).inverse(),
            ExprKind::Binary(BinaryOp::And, a, b) => Self::and(&go(a), &go(b)),
            ExprKind::Binary(BinaryOp::Or, a, b) => Self::and(&go(a).inverse(), &go(b).inverse()).inverse(),
            ExprKind::Mux(_, a, b) => {
                let (a, b) = (go(a), go(b));
                let same = inverted(&bitwise(BinaryOp::Xor, &a.value, &b.value));
                let mask = bitwise(BinaryOp::And, &bitwise(BinaryOp::And, &a.mask, &b.mask), &same);
                Self { value: bitwise(BinaryOp::And, &a.value, &mask), mask }
            }
            _ => Self::nothing(width),
        }
    }

    fn inverse(&self) -> Self {
        let value = bitwise(BinaryOp::And, &inverted(&self.value), &self.mask);
        Self { value, mask: self.mask.clone() }
    }

    /// A bit of `a & b` is known if it is 0 in either or known in both.
    fn and(a: &Self, b: &Self) -> Self {
        let value = bitwise(BinaryOp::And, &a.value, &b.value);
        let zeros = bitwise(BinaryOp::Or, &a.inverse().value, &b.inverse().value);
        Self { mask: bitwise(BinaryOp::Or, &value, &zeros), value }
    }

    /// The sign inverted, so that two's complement sorts as unsigned.
    fn with_sign_inverted(mut self) -> Self {
        let top = self.mask.width() - 1;
        self.value.set_bit(top, self.mask.bit(top) && !self.value.bit(top));
        self
    }

    fn lowest(&self) -> Value {
        self.value.clone()
    }

    fn highest(&self) -> Value {
        bitwise(BinaryOp::Or, &self.value, &inverted(&self.mask))
    }

    fn equals(&self, other: &Self) -> Option<bool> {
        let both = bitwise(BinaryOp::And, &self.mask, &other.mask);
        let differ = bitwise(BinaryOp::And, &bitwise(BinaryOp::Xor, &self.value, &other.value), &both);
        if !differ.is_zero() {
            return Some(false);
        }
        is_ones(&both).then_some(true)
    }
}
