//! Word operations with folding of constants, masks that change nothing, and shifts of shifts.

use super::word::{mask, Word, WordOp, Words};

/// Steps for which [`Words::demand`] looks through a chain of words.
const DEMAND_STEPS: usize = 80;

/// Bits that a sum can set if its operands can set these.
fn sum_bits(a: u64, b: u64) -> u64 {
    let top = 64 - (a | b).leading_zeros();
    mask(top + 1)
}

impl Words {
    /// A constant second, otherwise the older word first.
    fn ordered(&self, a: Word, b: Word) -> (Word, Word) {
        match (self.as_constant(a), self.as_constant(b)) {
            (Some(_), None) => (b, a),
            (None, Some(_)) => (a, b),
            _ => (a.min(b), a.max(b)),
        }
    }

    pub fn and(&mut self, a: Word, b: Word) -> Word {
        let (a, b) = self.ordered(a, b);
        let possible = self.bits(a) & self.bits(b);
        if a == b {
            return a;
        }
        if let Some(constant) = self.as_constant(b) {
            return self.and_constant(a, constant);
        }
        self.intern(WordOp::And(a, b), possible)
    }

    /// `a` with only the bits of `kept`.
    pub fn and_constant(&mut self, a: Word, kept: u64) -> Word {
        if let Some(value) = self.as_constant(a) {
            return self.constant(value & kept);
        }
        let a = self.demand(a, kept);
        let possible = self.bits(a);
        if possible & !kept == 0 {
            return a;
        }
        let kept = kept & possible;
        if let WordOp::And(inner, other) = self.op(a) {
            if let Some(inner_mask) = self.as_constant(other) {
                return self.and_constant(inner, inner_mask & kept);
            }
        }
        let constant = self.constant(kept);
        self.intern(WordOp::And(a, constant), kept)
    }

    pub fn or(&mut self, a: Word, b: Word) -> Word {
        let (a, b) = self.ordered(a, b);
        if a == b {
            return a;
        }
        match (self.as_constant(a), self.as_constant(b)) {
            (Some(a), Some(b)) => return self.constant(a | b),
            (None, Some(0)) => return a,
            (None, Some(ones)) if self.bits(a) & !ones == 0 => return b,
            _ => {}
        }
        if let (Some((x, low)), Some((y, high))) = (self.masked(a), self.masked(b)) {
            if x == y {
                return self.and_constant(x, low | high);
            }
        }
        let bits = self.bits(a) | self.bits(b);
        self.intern(WordOp::Or(a, b), bits)
    }

    /// The word and the mask, of a word under a fixed mask.
    fn masked(&self, word: Word) -> Option<(Word, u64)> {
        match self.op(word) {
            WordOp::And(a, b) => self.as_constant(b).map(|mask| (a, mask)),
            _ => None,
        }
    }

    pub fn xor(&mut self, a: Word, b: Word) -> Word {
        let (a, b) = self.ordered(a, b);
        if a == b {
            return self.zero();
        }
        match (self.as_constant(a), self.as_constant(b)) {
            (Some(a), Some(b)) => return self.constant(a ^ b),
            (None, Some(0)) => return a,
            (None, Some(flipped)) => return self.xor_constant(a, b, flipped),
            _ => {}
        }
        // constants move outwards, so that what is below them can meet
        for (first, second) in [(a, b), (b, a)] {
            if let WordOp::Xor(inner, constant) = self.op(first) {
                if self.as_constant(constant).is_some() {
                    let rest = self.xor(inner, second);
                    return self.xor(rest, constant);
                }
            }
        }
        let bits = self.bits(a) | self.bits(b);
        if bits == 1 {
            if let Some(word) = self.xor_bits(a, b) {
                return word;
            }
        }
        self.intern(WordOp::Xor(a, b), bits)
    }

    fn xor_constant(&mut self, a: Word, constant: Word, flipped: u64) -> Word {
        if let WordOp::Xor(inner, other) = self.op(a) {
            if let Some(already) = self.as_constant(other) {
                let both = self.constant(already ^ flipped);
                return self.xor(inner, both);
            }
        }
        let bits = self.bits(a) | flipped;
        self.intern(WordOp::Xor(a, constant), bits)
    }

    /// The complement of 0 or 1.
    pub fn not_bit(&mut self, a: Word) -> Word {
        let one = self.constant(1);
        self.xor(a, one)
    }

    pub fn add(&mut self, a: Word, b: Word) -> Word {
        let (a, b) = self.ordered(a, b);
        match (self.as_constant(a), self.as_constant(b)) {
            (Some(a), Some(b)) => return self.constant(a.wrapping_add(b)),
            (None, Some(0)) => return a,
            _ => {}
        }
        let bits = sum_bits(self.bits(a), self.bits(b));
        self.intern(WordOp::Add(a, b), bits)
    }

    pub fn sub(&mut self, a: Word, b: Word) -> Word {
        match (self.as_constant(a), self.as_constant(b)) {
            _ if a == b => self.zero(),
            (Some(a), Some(b)) => self.constant(a.wrapping_sub(b)),
            (_, Some(0)) => a,
            _ => self.intern(WordOp::Sub(a, b), u64::MAX),
        }
    }

    pub fn multiply(&mut self, a: Word, b: Word) -> Word {
        let (a, b) = self.ordered(a, b);
        match (self.as_constant(a), self.as_constant(b)) {
            (Some(a), Some(b)) => return self.constant(a.wrapping_mul(b)),
            (None, Some(factor)) if factor.is_power_of_two() => {
                return self.shift_left(a, factor.trailing_zeros())
            }
            _ => {}
        }
        let top = 128 - self.bits(a).leading_zeros() - self.bits(b).leading_zeros();
        let bits = if self.bits(a) == 0 || self.bits(b) == 0 { 0 } else { mask(top) };
        self.intern(WordOp::Multiply(a, b), bits)
    }

    pub fn multiply_high(&mut self, a: Word, b: Word) -> Word {
        let (a, b) = self.ordered(a, b);
        if let (Some(a), Some(b)) = (self.as_constant(a), self.as_constant(b)) {
            return self.constant(((u128::from(a) * u128::from(b)) >> 64) as u64);
        }
        let top = 128 - self.bits(a).leading_zeros() - self.bits(b).leading_zeros();
        self.intern(WordOp::MultiplyHigh(a, b), mask(top.saturating_sub(64)))
    }

    pub fn shift_left(&mut self, a: Word, by: u32) -> Word {
        if by == 0 {
            return a;
        }
        if by >= 64 {
            return self.zero();
        }
        let a = self.demand(a, u64::MAX >> by);
        match self.op(a) {
            WordOp::Const(value) => return self.constant(value << by),
            WordOp::ShiftLeft(inner, below) => return self.shift_left(inner, below + by),
            WordOp::ShiftRight(inner, below) if below == by => {
                return self.and_constant(inner, u64::MAX << by)
            }
            WordOp::And(inner, constant) => {
                // a field on its way from one place to another is shifted once
                if let (WordOp::ShiftRight(from, below), Some(kept)) =
                    (self.op(inner), self.as_constant(constant))
                {
                    let moved = match below > by {
                        true => self.shift_right(from, below - by),
                        false => self.shift_left(from, by - below),
                    };
                    return self.and_constant(moved, kept << by);
                }
            }
            _ => {}
        }
        let bits = self.bits(a) << by;
        self.intern(WordOp::ShiftLeft(a, by), bits)
    }

    pub fn shift_right(&mut self, a: Word, by: u32) -> Word {
        if by == 0 {
            return a;
        }
        if by >= 64 {
            return self.zero();
        }
        let a = self.demand(a, u64::MAX << by);
        match self.op(a) {
            WordOp::Const(value) => return self.constant(value >> by),
            WordOp::ShiftRight(inner, below) => return self.shift_right(inner, below + by),
            WordOp::ShiftLeft(inner, below) if self.bits(inner) << below >> below == self.bits(inner) => {
                return match by >= below {
                    true => self.shift_right(inner, by - below),
                    false => self.shift_left(inner, below - by),
                };
            }
            WordOp::And(inner, constant) => {
                if let Some(mask) = self.as_constant(constant) {
                    let shifted = self.shift_right(inner, by);
                    return self.and_constant(shifted, mask >> by);
                }
            }
            _ => {}
        }
        let bits = self.bits(a) >> by;
        self.intern(WordOp::ShiftRight(a, by), bits)
    }

    /// `a` as a signed word of 64 bits, shifted right.
    pub fn shift_signed(&mut self, a: Word, by: u32) -> Word {
        let by = by.min(63);
        match self.as_constant(a) {
            _ if by == 0 => a,
            Some(value) => self.constant(((value as i64) >> by) as u64),
            None if self.bits(a) >> 63 == 0 => self.shift_right(a, by),
            None => {
                let bits = ((self.bits(a) as i64) >> by) as u64;
                self.intern(WordOp::ShiftSigned(a, by), bits)
            }
        }
    }

    /// Shifts by a word whose low 6 bits count.
    pub fn shift_left_by(&mut self, a: Word, by: Word) -> Word {
        if let Some(by) = self.as_constant(by) {
            return self.shift_left(a, (by & 63) as u32);
        }
        let most = 64 - self.bits(a).leading_zeros() + (self.bits(by) & 63) as u32;
        let bits = mask(most) & (u64::MAX << self.bits(a).trailing_zeros().min(63));
        self.intern(WordOp::ShiftLeftBy(a, by), if self.bits(a) == 0 { 0 } else { bits })
    }

    pub fn shift_right_by(&mut self, a: Word, by: Word) -> Word {
        if let Some(by) = self.as_constant(by) {
            return self.shift_right(a, (by & 63) as u32);
        }
        let bits = mask(64 - self.bits(a).leading_zeros());
        self.intern(WordOp::ShiftRightBy(a, by), bits)
    }

    pub fn shift_signed_by(&mut self, a: Word, by: Word) -> Word {
        if let Some(by) = self.as_constant(by) {
            return self.shift_signed(a, (by & 63) as u32);
        }
        if self.bits(a) >> 63 == 0 {
            return self.shift_right_by(a, by);
        }
        self.intern(WordOp::ShiftSignedBy(a, by), u64::MAX)
    }

    pub fn equal(&mut self, a: Word, b: Word) -> Word {
        let (a, b) = self.ordered(a, b);
        if a == b {
            return self.constant(1);
        }
        let Some(value) = self.as_constant(b) else {
            return self.intern(WordOp::Equal(a, b), 1);
        };
        if let Some(other) = self.as_constant(a) {
            return self.constant(u64::from(value == other));
        }
        if value & !self.bits(a) != 0 {
            return self.zero();
        }
        match (self.op(a), value) {
            (_, 1) if self.bits(a) == 1 => a,
            (_, 0) if self.bits(a) == 1 => self.not_bit(a),
            (WordOp::Xor(x, y), 0) => self.equal(x, y),
            (WordOp::Xor(x, y), _) if self.as_constant(y).is_some() => {
                let expected = self.xor(y, b);
                self.equal(x, expected)
            }
            (WordOp::And(x, y), _) => self.equal_masked(a, x, y, value),
            _ => self.intern(WordOp::Equal(a, b), 1),
        }
    }

    /// `a = x & y` against a constant: a shift below the mask moves into mask and constant.
    fn equal_masked(&mut self, a: Word, x: Word, y: Word, value: u64) -> Word {
        if let (WordOp::ShiftRight(inner, by), Some(kept)) = (self.op(x), self.as_constant(y)) {
            let (kept, value) = (kept << by, value << by);
            if kept <= i32::MAX as u64 {
                let field = self.and_constant(inner, kept);
                let value = self.constant(value);
                return self.equal(field, value);
            }
        }
        let value = self.constant(value);
        self.intern(WordOp::Equal(a, value), 1)
    }

    /// Unsigned `a < b`.
    pub fn less(&mut self, a: Word, b: Word) -> Word {
        match (self.as_constant(a), self.as_constant(b)) {
            _ if a == b => self.zero(),
            (Some(a), Some(b)) => self.constant(u64::from(a < b)),
            (_, Some(0)) => self.zero(),
            (_, Some(limit)) if self.bits(a) < limit => self.constant(1),
            (_, Some(1)) => {
                let zero = self.zero();
                self.equal(a, zero)
            }
            (Some(0), _) => {
                let is_zero = self.equal(a, b);
                self.not_bit(is_zero)
            }
            (Some(value), _) if self.bits(b) <= value => self.zero(),
            _ => self.intern(WordOp::Less(a, b), 1),
        }
    }

    /// `then` where `condition`, a word of one bit, is 1.
    pub fn select(&mut self, condition: Word, then: Word, otherwise: Word) -> Word {
        if then == otherwise {
            return then;
        }
        match self.op(condition) {
            WordOp::Const(0) => return otherwise,
            WordOp::Const(_) => return then,
            WordOp::Xor(inner, one) if self.as_constant(one) == Some(1) => {
                return self.select(inner, otherwise, then)
            }
            _ => {}
        }
        let then = match self.op(then) {
            WordOp::Select(same, inner, _) if same == condition => inner,
            _ => then,
        };
        let otherwise = match self.op(otherwise) {
            WordOp::Select(same, _, inner) if same == condition => inner,
            _ => otherwise,
        };
        let bits = self.bits(then) | self.bits(otherwise);
        if bits == 1 {
            if let Some(word) = self.select_bit(condition, then, otherwise) {
                return word;
            }
        }
        if then == otherwise {
            return then;
        }
        self.intern(WordOp::Select(condition, then, otherwise), bits)
    }

    /// A choice between bits of which one is fixed or the condition itself.
    fn select_bit(&mut self, condition: Word, then: Word, otherwise: Word) -> Option<Word> {
        let fixed = (self.as_constant(then), self.as_constant(otherwise));
        Some(match fixed {
            (Some(0), _) => {
                let not = self.not_bit(condition);
                self.and(not, otherwise)
            }
            (Some(_), _) => self.or(condition, otherwise),
            (_, Some(0)) => self.and(condition, then),
            (_, Some(_)) => {
                let not = self.not_bit(condition);
                self.or(not, then)
            }
            _ if then == condition => self.or(condition, otherwise),
            _ if otherwise == condition => self.and(condition, then),
            _ => return None,
        })
    }

    /// A word with the same bits as `word` where `needed` has ones; elsewhere it may differ.
    fn demand(&self, mut word: Word, needed: u64) -> Word {
        for _ in 0..DEMAND_STEPS {
            word = match self.op(word) {
                WordOp::Or(a, b) if self.bits(a) & needed == 0 => b,
                WordOp::Or(a, b) if self.bits(b) & needed == 0 => a,
                WordOp::Xor(a, b) if self.bits(a) & needed == 0 => b,
                WordOp::Xor(a, b) if self.bits(b) & needed == 0 => a,
                WordOp::And(a, b) => match self.as_constant(b) {
                    Some(mask) if self.bits(a) & needed & !mask == 0 => a,
                    _ => return word,
                },
                _ => return word,
            };
        }
        word
    }

    /// Bits `low ..` of `a` that `kept` has, moved down to bit 0.
    pub fn field(&mut self, mut a: Word, mut low: u32, kept: u64) -> Word {
        if low >= 64 {
            return self.zero();
        }
        let kept = kept & u64::MAX >> low;
        for _ in 0..DEMAND_STEPS {
            a = self.demand(a, kept << low);
            (a, low) = match self.op(a) {
                WordOp::ShiftLeft(inner, by) if by <= low => (inner, low - by),
                WordOp::ShiftRight(inner, by) if by + low < 64 && kept.leading_zeros() >= by + low => {
                    (inner, low + by)
                }
                _ => break,
            };
        }
        let moved = self.shift_right(a, low);
        self.and_constant(moved, kept)
    }
}
