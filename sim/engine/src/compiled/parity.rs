//! Exclusive-or of many single bits as one parity of masked words: what makes CRC and scrambler logic small.

use super::mutation::Mutation;
use super::word::{Word, WordOp, Words};

/// Masked words at most; beyond it, sharing of partial sums is worth more.
const MOST_TERMS: usize = 24;

impl Words {
    /// The exclusive-or of two one-bit words, if it is better than the plain operation, or now known as one
    /// that may become better.
    pub(super) fn xor_bits(&mut self, a: Word, b: Word) -> Option<Word> {
        let terms = merge(self.bit_terms(a), self.bit_terms(b));
        if terms.len() > MOST_TERMS {
            return None;
        }
        if terms.is_empty() {
            return Some(self.zero());
        }
        if let [(word, mask)] = terms[..] {
            if mask.is_power_of_two() {
                return Some(self.field(word, mask.trailing_zeros(), 1));
            }
        }
        let (mut plain, mut parity) = (0, 2);
        for (word, mask) in &terms {
            let whole = self.bits(*word) & !mask == 0;
            plain += if self.bits(*word) == 1 { 1 } else { 3 * mask.count_ones() };
            parity += if whole { 1 } else { 2 };
        }
        if parity < plain {
            return Some(self.parity_of(terms));
        }
        let word = self.intern(WordOp::Xor(a.min(b), a.max(b)), 1);
        self.parities.insert(word, terms.into());
        Some(word)
    }

    /// The parity of all bits of several words together.
    pub fn parity(&mut self, words: &[Word]) -> Word {
        let terms = words.iter().fold(vec![], |terms, word| merge(terms, vec![self.term(*word)]));
        self.parity_of(terms)
    }

    /// A word as word and mask.
    fn term(&self, word: Word) -> (Word, u64) {
        match self.op(word) {
            WordOp::And(inner, constant) => match self.as_constant(constant) {
                Some(mask) => (inner, mask),
                None => (word, self.bits(word)),
            },
            _ => (word, self.bits(word)),
        }
    }

    /// A one-bit word as the parity of masked words.
    pub(super) fn bit_terms(&self, word: Word) -> Vec<(Word, u64)> {
        if let Some(terms) = self.parities.get(&word) {
            return terms.to_vec();
        }
        let one = |shifted: Word| match self.op(shifted) {
            WordOp::ShiftRight(inner, by) => (inner, 1 << by),
            _ => (shifted, 1),
        };
        vec![match self.op(word) {
            WordOp::And(inner, constant) if self.as_constant(constant) == Some(1) => one(inner),
            WordOp::ShiftRight(..) => one(word),
            _ => (word, 1),
        }]
    }

    fn parity_of(&mut self, terms: Vec<(Word, u64)>) -> Word {
        let mut sum = None;
        let kept = match self.mutation {
            Some(Mutation::ParityLosesWord) => terms.len().max(2) - 1,
            _ => terms.len(),
        };
        for (word, mask) in &terms[..kept.min(terms.len())] {
            let part = self.and_constant(*word, *mask);
            sum = Some(match sum {
                None => part,
                Some(sum) if sum == part => self.zero(),
                Some(sum) => {
                    let bits = self.bits(sum) | self.bits(part);
                    self.intern(WordOp::Xor(part.min(sum), part.max(sum)), bits)
                }
            });
        }
        let Some(sum) = sum else { return self.zero() };
        match (self.as_constant(sum), self.bits(sum)) {
            (Some(value), _) => self.constant(u64::from(value.count_ones() % 2)),
            (None, 1) => sum,
            _ => {
                let word = self.intern(WordOp::Parity(sum), 1);
                self.parities.insert(word, terms.into());
                word
            }
        }
    }
}

/// Both lists together; what is in both cancels.
fn merge(mut a: Vec<(Word, u64)>, b: Vec<(Word, u64)>) -> Vec<(Word, u64)> {
    for (word, mask) in b {
        match a.iter_mut().find(|(known, _)| *known == word) {
            Some((_, known)) => *known ^= mask,
            None => a.push((word, mask)),
        }
    }
    a.retain(|(_, mask)| *mask != 0);
    a.sort_unstable();
    a
}
