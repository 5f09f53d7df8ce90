//! Two-state bit vectors of any width, least significant word first.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A bit vector of `width` bits. Bits above `width` in the last word are always zero.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Value {
    width: u32,
    words: Vec<u64>,
}

/// Words of 64 bits needed for `width` bits.
pub const fn words_for(width: u32) -> usize {
    width.div_ceil(64) as usize
}

impl Value {
    /// All bits zero.
    pub fn zero(width: u32) -> Self {
        Self { width, words: vec![0; words_for(width)] }
    }

    /// All bits one.
    pub fn ones(width: u32) -> Self {
        Self::from_words(width, &vec![u64::MAX; words_for(width)])
    }

    /// The low `width` bits of `value`; higher bits are cut off.
    pub fn from_u64(width: u32, value: u64) -> Self {
        Self::from_words(width, &[value])
    }

    /// The low `width` bits of `words` (least significant word first), zero-extended.
    pub fn from_words(width: u32, words: &[u64]) -> Self {
        let mut own = vec![0; words_for(width)];
        for (to, from) in own.iter_mut().zip(words) {
            *to = *from;
        }
        if let (Some(last), used @ 1..) = (own.last_mut(), width % 64) {
            *last &= (1u64 << used) - 1;
        }
        Self { width, words: own }
    }

    /// Width in bits.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// The words, least significant first.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// The low 64 bits.
    pub fn low_u64(&self) -> u64 {
        self.words.first().copied().unwrap_or(0)
    }

    /// The value as `u64`, if it fits.
    pub fn to_u64(&self) -> Option<u64> {
        self.words.iter().skip(1).all(|word| *word == 0).then(|| self.low_u64())
    }

    /// Bit `index`; `false` beyond the width.
    pub fn bit(&self, index: u32) -> bool {
        index < self.width && self.words[(index / 64) as usize] >> (index % 64) & 1 == 1
    }

    /// Sets bit `index`; ignored beyond the width.
    pub fn set_bit(&mut self, index: u32, bit: bool) {
        if index < self.width {
            let mask = 1u64 << (index % 64);
            let word = &mut self.words[(index / 64) as usize];
            *word = if bit { *word | mask } else { *word & !mask };
        }
    }

    /// `width` bits from `offset` up, zero beyond the end.
    pub fn slice(&self, offset: u32, width: u32) -> Self {
        let (skip, shift) = ((offset / 64) as usize, offset % 64);
        let word = |index: usize| self.words.get(index).copied().unwrap_or(0);
        let words: Vec<u64> = (0..words_for(width))
            .map(|i| {
                let low = word(skip + i) >> shift;
                if shift == 0 {
                    low
                } else {
                    low | word(skip + i + 1) << (64 - shift)
                }
            })
            .collect();
        Self::from_words(width, &words)
    }

    /// Replaces the bits from `offset` on by those of `bits`; what would be beyond the width is dropped.
    pub fn put(&mut self, offset: u32, bits: &Self) {
        let width = bits.width.min(self.width.saturating_sub(offset));
        let (mut done, mut at) = (0, offset);
        while done < width {
            let (shift, take) = (at % 64, (64 - at % 64).min(64 - done % 64).min(width - done));
            let mask = u64::MAX >> (64 - take);
            let part = bits.words[(done / 64) as usize] >> (done % 64) & mask;
            let word = &mut self.words[(at / 64) as usize];
            *word = *word & !(mask << shift) | part << shift;
            (done, at) = (done + take, at + take);
        }
    }

    /// Zero-extended or cut to `width` bits.
    pub fn resize(&self, width: u32) -> Self {
        Self::from_words(width, &self.words)
    }

    /// True if no bit is set.
    pub fn is_zero(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }
}

/// Lower-case hexadecimal digits, `ceil(width / 4)` of them, without prefix.
impl fmt::LowerHex for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for digit in (0..self.width.div_ceil(4)).rev() {
            write!(f, "{:x}", self.slice(4 * digit, 4).low_u64())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn construction_masks_the_top_word() {
        assert_eq!(Value::ones(3).words(), [7]);
        assert_eq!(Value::ones(64).words(), [u64::MAX]);
        assert_eq!(Value::ones(65).words(), [u64::MAX, 1]);
        assert_eq!(Value::from_u64(4, 0x1f).low_u64(), 15);
    }

    #[test]
    fn slices_cross_words_and_fill_with_zero() {
        let value = Value::from_words(130, &[0x8000_0000_0000_0001, 0x3, 0x2]);
        assert_eq!(value.slice(63, 3).low_u64(), 0b111);
        assert_eq!(value.slice(128, 12).low_u64(), 2);
        assert_eq!(value.slice(200, 8).low_u64(), 0);
        assert_eq!(format!("{:x}", value.slice(60, 10)), "038");
    }
    #[test]
    fn what_is_put_is_what_bits_one_by_one_would_be() {
        let (old, new) = (
            Value::from_words(200, &[0xa5a5_5a5a_0ff0_f00f; 4]),
            Value::from_words(150, &[0x1234_5678_9abc_def1; 3]),
        );
        for offset in [0, 1, 63, 64, 65, 100, 199, 200, 300] {
            for width in [0, 1, 63, 64, 65, 127, 128, 150] {
                let (mut put, mut set, part) = (old.clone(), old.clone(), new.slice(0, width));
                put.put(offset, &part);
                (0..width)
                    .filter(|bit| offset + bit < 200)
                    .for_each(|bit| set.set_bit(offset + bit, part.bit(bit)));
                assert_eq!(put, set, "{width} bits at {offset}");
            }
        }
    }
}
