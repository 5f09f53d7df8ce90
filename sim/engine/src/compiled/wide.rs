//! Operations on values of several words, least significant word first.

use super::mutation::Mutation;
use super::word::{word_mask, Word, WordOp, Words};

/// A value: its words.
pub(super) type Value = Vec<Word>;

impl Words {
    /// `a` without the bits above `width`.
    pub fn cut(&mut self, a: &[Word], width: u32) -> Value {
        let width = match self.mutation {
            Some(Mutation::WrongMask) => width + 1,
            _ => width,
        };
        a.iter().enumerate().map(|(index, word)| self.and_constant(*word, word_mask(width, index))).collect()
    }

    /// Bits `offset .. offset + width` of `a`, zero beyond its end.
    pub fn slice(&mut self, a: &[Word], offset: u32, width: u32) -> Value {
        let (skip, low) = ((offset / 64) as usize, offset % 64);
        (0..width.div_ceil(64) as usize)
            .map(|index| {
                let kept = word_mask(width, index);
                let below = match a.get(skip + index) {
                    Some(word) => self.field(*word, low, kept),
                    None => self.zero(),
                };
                let above = a.get(skip + index + 1).copied().filter(|_| low > 0);
                let Some(above) = above.filter(|_| kept >> (64 - low) != 0) else { return below };
                let part = self.and_constant(above, kept >> (64 - low));
                let part = self.shift_left(part, 64 - low);
                self.or(below, part)
            })
            .collect()
    }

    /// Ors `a` into `out` from bit `offset` up.
    pub fn place(&mut self, out: &mut [Word], a: &[Word], offset: u32) {
        let (skip, low) = ((offset / 64) as usize, offset % 64);
        for (index, word) in a.iter().enumerate() {
            if let Some(to) = out.get_mut(skip + index) {
                let part = self.shift_left(*word, low);
                *to = self.or(*to, part);
            }
            if let (Some(to), 1..) = (out.get_mut(skip + index + 1), low) {
                let part = self.shift_right(*word, 64 - low);
                *to = self.or(*to, part);
            }
        }
    }

    /// Sum with a carry in; the bits above the value's width are left to the caller.
    pub fn add_wide(&mut self, a: &[Word], b: &[Word]) -> Value {
        let mut carry = self.zero();
        let mut out = vec![];
        for (a, b) in a.iter().zip(b) {
            let overflows = (self.bits(*a) | self.bits(*b)) >> 63 != 0;
            let first = self.add(*a, *b);
            let sum = self.add(first, carry);
            let from_first = if overflows { self.less(first, *a) } else { self.zero() };
            let from_carry = if overflows { self.less(sum, carry) } else { self.zero() };
            carry = self.or(from_first, from_carry);
            if self.mutation == Some(Mutation::LostCarry) {
                carry = self.zero();
            }
            out.push(sum);
        }
        out
    }

    /// Difference; the bits above the value's width are left to the caller.
    pub fn sub_wide(&mut self, a: &[Word], b: &[Word]) -> Value {
        let mut borrow = self.zero();
        let mut out = vec![];
        for (a, b) in a.iter().zip(b) {
            let first = self.sub(*a, *b);
            let difference = self.sub(first, borrow);
            let from_first = self.less(*a, *b);
            let from_borrow = self.less(first, borrow);
            borrow = self.or(from_first, from_borrow);
            out.push(difference);
        }
        out
    }

    /// Low words of the product; the bits above the value's width are left to the caller.
    pub fn multiply_wide(&mut self, a: &[Word], b: &[Word]) -> Value {
        let zero = self.zero();
        let mut out = vec![zero; a.len()];
        for (i, x) in a.iter().enumerate() {
            let mut carry = zero;
            for j in 0..a.len() - i {
                let (low, high) = (self.multiply(*x, b[j]), self.multiply_high(*x, b[j]));
                let first = self.add(low, out[i + j]);
                let first_carry = self.less(first, low);
                let second = self.add(first, carry);
                let second_carry = self.less(second, carry);
                out[i + j] = second;
                // at most 2^64 - 2 + 1: the high word of a product leaves room for both
                carry = self.add(high, first_carry);
                carry = self.add(carry, second_carry);
            }
        }
        out
    }

    /// 1 if all bits of `a` are 0.
    pub fn is_zero(&mut self, a: &[Word]) -> Word {
        let zero = self.zero();
        let any = a.iter().fold(zero, |any, word| self.or(any, *word));
        self.equal(any, zero)
    }

    /// 1 if `a` and `b` are equal.
    pub fn equal_wide(&mut self, a: &[Word], b: &[Word]) -> Word {
        if let ([a], [b]) = (a, b) {
            return self.equal(*a, *b);
        }
        let differences: Value = a.iter().zip(b).map(|(a, b)| self.xor(*a, *b)).collect();
        self.is_zero(&differences)
    }

    /// Unsigned `a < b`.
    pub fn less_wide(&mut self, a: &[Word], b: &[Word]) -> Word {
        let mut below = self.zero();
        for (a, b) in a.iter().zip(b) {
            let (less, equal) = (self.less(*a, *b), self.equal(*a, *b));
            let from_below = self.and(equal, below);
            below = self.or(less, from_below);
        }
        below
    }

    /// `a` of `width` bits, its last word filled up with the sign, and the sign as a word.
    pub fn sign_extended(&mut self, a: &[Word], width: u32) -> (Value, Word) {
        let mut out = a.to_vec();
        let used = width - 64 * (a.len() as u32 - 1);
        if let Some(last) = out.last_mut() {
            let up = self.shift_left(*last, 64 - used);
            *last = self.shift_signed(up, 64 - used);
        }
        let sign = out.last().copied().unwrap_or(Word(0));
        let sign = self.shift_signed(sign, 63);
        (out, sign)
    }

    /// `a` shifted right by `amount`; `fill` comes in from above. Amounts of all the words and more leave only
    /// `fill`.
    pub fn shift_right_wide(&mut self, a: &[Word], amount: &[Word], fill: Word, signed: bool) -> Value {
        let mut value = a.to_vec();
        let low = amount[0];
        for stage in (0..stages(a.len())).rev() {
            let condition = self.field(low, 6 + stage, 1);
            let by = 1 << stage;
            let moved = (0..value.len()).map(|index| value.get(index + by).copied().unwrap_or(fill));
            let moved: Value = moved.collect();
            value = self.select_wide(condition, &moved, &value);
        }
        let mut out = vec![];
        for index in 0..value.len() {
            let word = value[index];
            out.push(match value.get(index + 1) {
                None if signed => self.shift_signed_by(word, low),
                None => self.shift_right_by(word, low),
                Some(above) => {
                    let part = self.shift_right_by(word, low);
                    let other = self.crossing(*above, low, true);
                    self.or(part, other)
                }
            });
        }
        self.saturate(out, amount, fill)
    }

    /// `a` shifted left by `amount`; bits above the value's width are left to the caller.
    pub fn shift_left_wide(&mut self, a: &[Word], amount: &[Word]) -> Value {
        let zero = self.zero();
        let mut value = a.to_vec();
        let low = amount[0];
        for stage in (0..stages(a.len())).rev() {
            let condition = self.field(low, 6 + stage, 1);
            let by = 1 << stage;
            let moved = (0..value.len()).map(|index| if index >= by { value[index - by] } else { zero });
            let moved: Value = moved.collect();
            value = self.select_wide(condition, &moved, &value);
        }
        let mut out = vec![];
        for index in 0..value.len() {
            let part = self.shift_left_by(value[index], low);
            out.push(match index {
                0 => part,
                _ => {
                    let other = self.crossing(value[index - 1], low, false);
                    self.or(part, other)
                }
            });
        }
        self.saturate(out, amount, zero)
    }

    /// The bits of a neighbouring word that a shift by the low 6 bits of `amount` brings in: none for 0, which
    /// is why it takes two steps.
    fn crossing(&mut self, neighbour: Word, amount: Word, from_above: bool) -> Word {
        let six = self.constant(63);
        let low = self.and_constant(amount, 63);
        let rest = self.xor(low, six);
        if from_above {
            let once = self.shift_left(neighbour, 1);
            self.shift_left_by(once, rest)
        } else {
            let once = self.shift_right(neighbour, 1);
            self.shift_right_by(once, rest)
        }
    }

    /// `shifted`, or `fill` where the amount reaches beyond what the stages of the shift have seen.
    fn saturate(&mut self, shifted: Value, amount: &[Word], fill: Word) -> Value {
        if self.mutation == Some(Mutation::ShiftNotSaturated) {
            return shifted;
        }
        let seen = 6 + stages(shifted.len());
        let rest = self.field(amount[0], seen, u64::MAX >> seen);
        let rest: Value = std::iter::once(rest).chain(amount[1..].iter().copied()).collect();
        let fits = self.is_zero(&rest);
        let filled = vec![fill; shifted.len()];
        self.select_wide(fits, &shifted, &filled)
    }

    /// `then` where `condition` is 1.
    pub fn select_wide(&mut self, condition: Word, then: &[Word], otherwise: &[Word]) -> Value {
        then.iter().zip(otherwise).map(|(a, b)| self.select(condition, *a, *b)).collect()
    }

    /// `a` with the bit at `index` replaced; unchanged if there is none.
    pub fn replace_bit(&mut self, a: &[Word], index: &[Word], bit: Word, width: u32) -> Value {
        let one = self.constant(1);
        let zero = self.zero();
        let within = self.shift_left_by(one, index[0]);
        let number = self.shift_right(index[0], 6);
        let high = self.is_zero(&index[1..]);
        let mut out = vec![];
        for (place, word) in a.iter().enumerate() {
            let here = self.constant(place as u64);
            let here = self.equal(number, here);
            let here = self.and(here, high);
            let hit = self.select(here, within, zero);
            let hit = self.and_constant(hit, word_mask(width, place));
            let ones = self.constant(u64::MAX);
            let others = self.xor(hit, ones);
            let kept = self.and(*word, others);
            let set = self.select(bit, hit, zero);
            out.push(self.or(kept, set));
        }
        out
    }

    /// A value of at most 64 bits that says the same as `value`, with 2^64 - 1 for whatever is larger: an
    /// address, which no memory reaches.
    pub fn address(&mut self, value: &[Word]) -> Word {
        let fits = self.is_zero(&value[1..]);
        let beyond = self.constant(u64::MAX);
        self.select(fits, value[0], beyond)
    }

    /// True for a word that is read from the state as it is.
    pub fn as_load(&self, word: Word) -> Option<u32> {
        match self.op(word) {
            WordOp::Load(at) => Some(at),
            _ => None,
        }
    }
}

/// Bits of an amount that choose a whole number of words out of `words`.
fn stages(words: usize) -> u32 {
    words.next_power_of_two().trailing_zeros()
}
