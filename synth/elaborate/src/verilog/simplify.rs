//! Rewriting of expressions towards what reads well in Verilog, at exactly equal value: selections are pushed
//! to the signals they select from, shifts and ors that only lay bits side by side become concatenations, and
//! literals are folded ([`fold`]).

use super::fold;
use super::node::{as_constant, index_width, make, zero, Constants};
use crate::graph::{BinaryOp, Expr, ExprKind, ShiftOp};
use crate::value::Value;

/// Largest expression that is duplicated or split to push a selection into it.
const PUSH_LIMIT: usize = 8;

/// True if nothing but a name or a literal.
fn is_leaf(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Read(_) | ExprKind::Const(_))
}

fn size(expr: &Expr) -> usize {
    1 + match &expr.kind {
        ExprKind::Const(_) | ExprKind::Read(_) => 0,
        ExprKind::Not(a) | ExprKind::Negate(a) | ExprKind::Reduce(_, a) => size(a),
        ExprKind::Binary(_, a, b) | ExprKind::Shift(_, a, b) => size(a) + size(b),
        ExprKind::Compare { left, right, .. } => size(left) + size(right),
        ExprKind::Resize { value, .. } | ExprKind::Slice { value, .. } => size(value),
        ExprKind::SelectDynamic { value, offset } => size(value) + size(offset),
        ExprKind::ReplaceBit { value, index, bit } => size(value) + size(index) + size(bit),
        ExprKind::Concat(parts) => parts.iter().map(size).sum(),
        ExprKind::Mux(a, b, c) => size(a) + size(b) + size(c),
    }
}

/// The expression in its simplest form.
pub fn simplify(expr: &Expr, constants: &Constants) -> Expr {
    let go = |inner: &Expr| Box::new(simplify(inner, constants));
    let width = expr.width;
    match &expr.kind {
        ExprKind::Const(_) | ExprKind::Read(_) => expr.clone(),
        ExprKind::Not(a) => fold::not(*go(a), constants),
        ExprKind::Negate(a) => fold::negate(*go(a), constants),
        ExprKind::Reduce(op, a) => fold::reduce(*op, *go(a), constants),
        ExprKind::Binary(op, a, b) => binary(*op, *go(a), *go(b), constants),
        ExprKind::Compare { op, signed, left, right } => {
            fold::compare(*op, *signed, *go(left), *go(right), constants)
        }
        ExprKind::Shift(op, value, amount) => shift(*op, *go(value), *go(amount), constants),
        ExprKind::Resize { signed, value } => resize(*signed, *go(value), width, constants),
        ExprKind::Slice { value, offset } => slice(*go(value), *offset, width, constants),
        ExprKind::SelectDynamic { value, offset } => {
            select_dynamic(*go(value), *go(offset), width, constants)
        }
        ExprKind::ReplaceBit { value, index, bit } => {
            replace_bit(*go(value), *go(index), *go(bit), constants)
        }
        ExprKind::Concat(parts) => concat(parts.iter().map(|part| simplify(part, constants)).collect()),
        ExprKind::Mux(condition, then, otherwise) => {
            fold::mux(*go(condition), *go(then), *go(otherwise), constants)
        }
    }
}

fn binary(op: BinaryOp, left: Expr, right: Expr, constants: &Constants) -> Expr {
    if let Some(folded) = fold::binary(op, &left, &right, constants) {
        return folded;
    }
    if matches!(op, BinaryOp::Or | BinaryOp::Xor) {
        if let Some(merged) = merge_disjoint(&left, &right) {
            return merged;
        }
    }
    make(left.width, ExprKind::Binary(op, Box::new(left), Box::new(right)))
}

fn shift(op: ShiftOp, value: Expr, amount: Expr, constants: &Constants) -> Expr {
    let width = value.width;
    if fold::is_fixed_by_shift(op, &value, constants) {
        return value;
    }
    let Some(amount_value) = as_constant(&amount, constants) else {
        return make(width, ExprKind::Shift(op, Box::new(value), Box::new(amount)));
    };
    let by = amount_value.to_u64().map_or(width, |by| by.min(width.into()) as u32);
    if by == 0 {
        return value;
    }
    if let Some(folded) = fold::shift(op, &value, by, constants) {
        return folded;
    }
    match op {
        ShiftOp::Left | ShiftOp::Right if by == width => zero(width),
        ShiftOp::Left if sliceable(&value, 0, width - by) => {
            concat(vec![zero(by), slice(value, 0, width - by, constants)])
        }
        ShiftOp::Right if sliceable(&value, by, width - by) => {
            concat(vec![slice(value, by, width - by, constants), zero(by)])
        }
        ShiftOp::ArithmeticRight if matches!(value.kind, ExprKind::Read(_)) => {
            let from = by.min(width - 1);
            resize(true, slice(value, from, width - from, constants), width, constants)
        }
        _ => {
            // Beyond the sign there is nothing left to shift in, and tools refuse amounts of many digits.
            let by = by.min(width - 1);
            let amount = Expr::constant(Value::from_u64(index_width(by + 1), by.into()));
            make(width, ExprKind::Shift(op, Box::new(value), Box::new(amount)))
        }
    }
}

/// True if a selection from `expr` needs no name of its own for `expr`.
fn sliceable(expr: &Expr, offset: u32, width: u32) -> bool {
    match &expr.kind {
        ExprKind::Const(_) | ExprKind::Read(_) => true,
        ExprKind::Slice { value, offset: from } => sliceable(value, from + offset, width),
        ExprKind::Concat(parts) => overlapping(parts, offset, width).iter().all(|(part, from, count)| {
            (*from == 0 && *count == part.width) || sliceable(part, *from, *count)
        }),
        ExprKind::Resize { value, signed: false } => {
            offset >= value.width
                || (offset == 0 && width >= value.width)
                || sliceable(value, offset, width.min(value.width - offset))
        }
        ExprKind::Not(a) => size(expr) <= PUSH_LIMIT && sliceable(a, offset, width),
        ExprKind::Binary(BinaryOp::And | BinaryOp::Or | BinaryOp::Xor, a, b) => {
            size(expr) <= PUSH_LIMIT && sliceable(a, offset, width) && sliceable(b, offset, width)
        }
        ExprKind::Mux(_, a, b) => {
            size(expr) <= PUSH_LIMIT && sliceable(a, offset, width) && sliceable(b, offset, width)
        }
        _ => false,
    }
}

/// The parts of a concatenation that `offset .. offset + width` meets: part, offset in it, bits of it.
fn overlapping(parts: &[Expr], offset: u32, width: u32) -> Vec<(&Expr, u32, u32)> {
    let mut found = vec![];
    let mut start = 0;
    for part in parts {
        let (from, to) = (offset.max(start), (offset + width).min(start + part.width));
        if from < to {
            found.push((part, from - start, to - from));
        }
        start += part.width;
    }
    found
}

/// Bits `offset .. offset + width` of `value`, in range.
pub fn slice(value: Expr, offset: u32, width: u32, constants: &Constants) -> Expr {
    if offset == 0 && width == value.width {
        return value;
    }
    if let Some(constant) = as_constant(&value, constants) {
        return Expr::constant(constant.slice(offset, width));
    }
    let cut = |inner: &Expr| Box::new(slice(inner.clone(), offset, width, constants));
    match &value.kind {
        ExprKind::Slice { value: inner, offset: from } => {
            slice((**inner).clone(), from + offset, width, constants)
        }
        ExprKind::Concat(parts) => concat(
            overlapping(parts, offset, width)
                .into_iter()
                .map(|(part, from, count)| slice(part.clone(), from, count, constants))
                .collect(),
        ),
        ExprKind::Resize { signed, value: inner } => {
            slice_of_resize(*signed, inner, offset, width, constants)
        }
        ExprKind::Not(a) if sliceable(&value, offset, width) => fold::not(*cut(a), constants),
        ExprKind::Binary(op, a, b) if sliceable(&value, offset, width) => {
            binary(*op, *cut(a), *cut(b), constants)
        }
        ExprKind::Mux(condition, a, b) if sliceable(&value, offset, width) => {
            fold::mux((**condition).clone(), *cut(a), *cut(b), constants)
        }
        _ => make(width, ExprKind::Slice { value: Box::new(value), offset }),
    }
}

fn slice_of_resize(signed: bool, inner: &Expr, offset: u32, width: u32, constants: &Constants) -> Expr {
    let inside = inner.width.saturating_sub(offset);
    if inside >= width {
        return slice(inner.clone(), offset, width, constants);
    }
    if signed {
        let from = offset.min(inner.width - 1);
        return resize(true, slice(inner.clone(), from, inner.width - from, constants), width, constants);
    }
    match inside {
        0 => zero(width),
        _ => concat(vec![slice(inner.clone(), offset, inside, constants), zero(width - inside)]),
    }
}

/// `value` extended or cut to `width`.
pub fn resize(signed: bool, value: Expr, width: u32, constants: &Constants) -> Expr {
    if width <= value.width {
        return slice(value, 0, width, constants);
    }
    if !signed {
        let fill = width - value.width;
        return concat(vec![value, zero(fill)]);
    }
    match as_constant(&value, constants) {
        Some(constant) => {
            let mut extended = constant.resize(width);
            if constant.bit(value.width - 1) {
                (value.width..width).for_each(|bit| extended.set_bit(bit, true));
            }
            Expr::constant(extended)
        }
        None => make(width, ExprKind::Resize { signed, value: Box::new(value) }),
    }
}

fn select_dynamic(value: Expr, offset: Expr, width: u32, constants: &Constants) -> Expr {
    let Some(from) = as_constant(&offset, constants) else {
        return make(width, ExprKind::SelectDynamic { value: Box::new(value), offset: Box::new(offset) });
    };
    match from.to_u64() {
        Some(from) if from < u64::from(value.width) => {
            let from = from as u32;
            let inside = width.min(value.width - from);
            resize(false, slice(value, from, inside, constants), width, constants)
        }
        _ => zero(width),
    }
}

fn replace_bit(value: Expr, index: Expr, bit: Expr, constants: &Constants) -> Expr {
    let width = value.width;
    match as_constant(&index, constants).map(|index| index.to_u64()) {
        Some(Some(at)) if at < u64::from(width) => {
            let at = at as u32;
            let mut parts = vec![];
            if at > 0 {
                parts.push(slice(value.clone(), 0, at, constants));
            }
            parts.push(bit);
            if at + 1 < width {
                parts.push(slice(value, at + 1, width - at - 1, constants));
            }
            concat(parts)
        }
        Some(_) => value,
        None => {
            let (value, index, bit) = (Box::new(value), Box::new(index), Box::new(bit));
            make(width, ExprKind::ReplaceBit { value, index, bit })
        }
    }
}

/// A concatenation, first part lowest: nested ones are opened, neighbouring literals and neighbouring
/// selections of one operand joined.
pub fn concat(parts: Vec<Expr>) -> Expr {
    let mut flat: Vec<Expr> = vec![];
    for part in parts {
        match part.kind {
            ExprKind::Concat(inner) => inner.into_iter().for_each(|part| push_joined(&mut flat, part)),
            _ => push_joined(&mut flat, part),
        }
    }
    if flat.len() == 1 {
        return flat.swap_remove(0);
    }
    make(flat.iter().map(|part| part.width).sum(), ExprKind::Concat(flat))
}

fn push_joined(parts: &mut Vec<Expr>, next: Expr) {
    let joined = parts.last().and_then(|last| join(last, &next));
    match joined {
        Some(joined) => {
            parts.pop();
            parts.push(joined);
        }
        None => parts.push(next),
    }
}

/// `low` and `high` side by side as one expression, if that is simpler.
fn join(low: &Expr, high: &Expr) -> Option<Expr> {
    let width = low.width + high.width;
    match (&low.kind, &high.kind) {
        (ExprKind::Const(a), ExprKind::Const(b)) => {
            let mut both = a.resize(width);
            (0..b.width()).for_each(|bit| both.set_bit(a.width() + bit, b.bit(bit)));
            Some(Expr::constant(both))
        }
        (ExprKind::Slice { value: a, offset: from }, ExprKind::Slice { value: b, offset: next })
            if is_leaf(a) && a == b && from + low.width == *next =>
        {
            let kind = match (*from == 0 && width == a.width, a) {
                (true, whole) => whole.kind.clone(),
                (false, _) => ExprKind::Slice { value: a.clone(), offset: *from },
            };
            Some(make(width, kind))
        }
        _ => None,
    }
}

/// `left | right` where at every bit at most one of them can be 1 and the cuts meet: a concatenation.
fn merge_disjoint(left: &Expr, right: &Expr) -> Option<Expr> {
    let (left, right) = (layout(left)?, layout(right)?);
    let mut merged = vec![];
    let (mut left, mut right) = (left.into_iter(), right.into_iter());
    let (mut a, mut b) = (left.next(), right.next());
    while let (Some(x), Some(y)) = (&a, &b) {
        let (zero_side, other, other_is_left) = match (is_zero(x), is_zero(y)) {
            (true, _) => (x.width, y.clone(), false),
            (false, true) => (y.width, x.clone(), true),
            (false, false) => return None,
        };
        // The zero must cover the whole other part; what is left of the zero meets the next part.
        let rest = if zero_side >= other.width {
            zero_side - other.width
        } else if is_zero(&other) {
            let (short, long) = (zero_side, other.width);
            merged.push(zero(short));
            let remains = Some(zero(long - short));
            (a, b) = if other_is_left { (remains, right.next()) } else { (left.next(), remains) };
            continue;
        } else {
            return None;
        };
        merged.push(other);
        let remains = (rest > 0).then(|| zero(rest));
        (a, b) = match (other_is_left, remains) {
            (true, Some(rest)) => (left.next(), Some(rest)),
            (true, None) => (left.next(), right.next()),
            (false, Some(rest)) => (Some(rest), right.next()),
            (false, None) => (left.next(), right.next()),
        };
    }
    Some(concat(merged))
}

fn is_zero(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Const(value) if value.is_zero())
}

/// The parts of a concatenation that has a zero part; `None` for anything else.
fn layout(expr: &Expr) -> Option<Vec<Expr>> {
    match &expr.kind {
        ExprKind::Concat(parts) if parts.iter().any(is_zero) => Some(parts.clone()),
        _ => None,
    }
}
