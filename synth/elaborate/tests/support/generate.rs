//! Random typed expressions and programs.

use super::build::{self, expr};
use flitforge_elaborate::graph::*;
use flitforge_elaborate::Value;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

/// Largest width.
const WIDEST: u32 = 150;

/// A width: often small, sometimes at a word boundary, up to 150.
pub fn width(random: &mut ChaCha8Rng) -> u32 {
    match random.random_range(0..6) {
        0 => 1,
        1 | 2 => random.random_range(1..=9),
        3 => random.random_range(30..=34),
        4 => random.random_range(62..=66),
        _ => random.random_range(1..=WIDEST),
    }
}

/// A value: mostly random bits, often extreme ones.
pub fn value(random: &mut ChaCha8Rng, width: u32) -> Value {
    match random.random_range(0..8) {
        0 => Value::zero(width),
        1 => Value::ones(width),
        2 => Value::from_u64(width, random.random_range(0..8)),
        3 => {
            let mut value = Value::zero(width);
            value.set_bit(width - 1, true);
            value
        }
        _ => Value::from_words(width, &[random.random(), random.random(), random.random()]),
    }
}

/// Vectors for the inputs of a design.
pub fn vectors(random: &mut ChaCha8Rng, widths: &[u32], count: usize) -> Vec<Vec<Value>> {
    (0..count).map(|_| widths.iter().map(|width| value(random, *width)).collect()).collect()
}

/// Writes random expressions over the signals it may read.
pub struct Generator<'g> {
    /// Random numbers.
    pub random: &'g mut ChaCha8Rng,
    /// Signals with their widths.
    pub readable: Vec<(SignalId, u32)>,
    /// Whether literals may be operands.
    pub literals: bool,
}

impl Generator<'_> {
    fn leaf(&mut self, width: u32) -> Expr {
        let fitting: Vec<SignalId> =
            self.readable.iter().filter(|(_, wide)| *wide == width).map(|(id, _)| *id).collect();
        if !fitting.is_empty() && self.random.random_bool(0.8) {
            return Expr::read(fitting[self.random.random_range(0..fitting.len())], width);
        }
        if self.readable.is_empty() || (self.literals && self.random.random_bool(0.2)) {
            return Expr::constant(value(self.random, width));
        }
        let (id, wide) = self.readable[self.random.random_range(0..self.readable.len())];
        let value = Box::new(Expr::read(id, wide));
        if wide > width {
            return expr(
                width,
                ExprKind::Slice { value, offset: self.random.random_range(0..=wide - width) },
            );
        }
        expr(width, ExprKind::Resize { signed: self.random.random(), value })
    }

    /// An expression of `width` bits.
    pub fn expression(&mut self, width: u32, depth: u32) -> Expr {
        if depth == 0 {
            return self.leaf(width);
        }
        let depth = depth - 1;
        let kind = match self.random.random_range(0..if width == 1 { 18 } else { 15 }) {
            0 => return self.leaf(width),
            1 => ExprKind::Not(self.boxed(width, depth)),
            2 => ExprKind::Negate(self.boxed(width, depth)),
            3..=5 => {
                let op =
                    [BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul, BinaryOp::And, BinaryOp::Or, BinaryOp::Xor]
                        [self.random.random_range(0..6)];
                ExprKind::Binary(op, self.boxed(width, depth), self.boxed(width, depth))
            }
            6 | 7 => {
                let op =
                    [ShiftOp::Left, ShiftOp::Right, ShiftOp::ArithmeticRight][self.random.random_range(0..3)];
                let by = self.index(width, depth);
                ExprKind::Shift(op, self.boxed(width, depth), by)
            }
            8 | 9 => {
                let from = self::width(self.random);
                ExprKind::Resize { signed: self.random.random(), value: self.boxed(from, depth) }
            }
            10 => {
                let offset = self.random.random_range(0..20);
                let wide = width + offset + self.random.random_range(0..8);
                ExprKind::Slice { value: self.boxed(wide, depth), offset }
            }
            11 => {
                let wide = match self.random.random_range(0..3) {
                    0 => width + self.random.random_range(0..40),
                    _ => self::width(self.random),
                };
                let offset = self.index(wide, depth);
                ExprKind::SelectDynamic { value: self.boxed(wide, depth), offset }
            }
            12 => ExprKind::ReplaceBit {
                value: self.boxed(width, depth),
                index: self.index(width, depth),
                bit: self.boxed(1, depth),
            },
            13 if width > 1 => {
                let low = self.random.random_range(1..width);
                ExprKind::Concat(vec![self.expression(low, depth), self.expression(width - low, depth)])
            }
            13 | 14 => {
                ExprKind::Mux(self.boxed(1, depth), self.boxed(width, depth), self.boxed(width, depth))
            }
            15 => {
                let op = [ReduceOp::And, ReduceOp::Or, ReduceOp::Xor][self.random.random_range(0..3)];
                let wide = self::width(self.random);
                ExprKind::Reduce(op, self.boxed(wide, depth))
            }
            _ => {
                let op = [
                    CompareOp::Equal,
                    CompareOp::NotEqual,
                    CompareOp::Less,
                    CompareOp::LessEqual,
                    CompareOp::Greater,
                    CompareOp::GreaterEqual,
                ][self.random.random_range(0..6)];
                let wide = self::width(self.random);
                let (left, right) = (self.boxed(wide, depth), self.boxed(wide, depth));
                ExprKind::Compare { op, signed: self.random.random(), left, right }
            }
        };
        expr(width, kind)
    }

    fn boxed(&mut self, width: u32, depth: u32) -> Box<Expr> {
        Box::new(self.expression(width, depth))
    }

    /// An index or amount for something `wide` bits wide: narrow, fitting, too wide, or constant.
    fn index(&mut self, wide: u32, depth: u32) -> Box<Expr> {
        let fitting = 32 - wide.leading_zeros();
        let width = match self.random.random_range(0..5) {
            0 => self.random.random_range(1..=fitting),
            1 => fitting + 1,
            2 => self::width(self.random),
            3 => return Box::new(build::constant(9, self.random.random_range(0..u64::from(wide) + 3))),
            _ => fitting,
        };
        self.boxed(width, depth.min(1))
    }
}
