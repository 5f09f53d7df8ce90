//! Bit layouts as data: what a word's fields are called, where they stand and what they mean.

use serde::Serialize;
use std::fmt::Write;

/// One field of a [`Layout`]: bits `low .. low + width`, bit 0 being the least significant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Field {
    /// Name as used in the chapters and in the code.
    pub name: &'static str,
    /// Number of the lowest bit.
    pub low: usize,
    /// Width in bits, 1 to 64.
    pub width: usize,
    /// What the field means.
    pub meaning: &'static str,
}

impl Field {
    /// Number of the highest bit.
    #[must_use]
    pub const fn high(&self) -> usize {
        self.low + self.width - 1
    }

    /// A value of the field's width with all bits one, right-aligned.
    #[must_use]
    pub const fn ones(&self) -> u64 {
        if self.width >= 64 {
            u64::MAX
        } else {
            (1 << self.width) - 1
        }
    }

    /// The field's bits set in place.
    #[must_use]
    pub const fn mask(&self) -> u128 {
        (self.ones() as u128) << self.low
    }

    /// Reads the field out of a word.
    #[must_use]
    pub const fn get(&self, word: u128) -> u64 {
        ((word >> self.low) & self.ones() as u128) as u64
    }

    /// The word with this field replaced; bits of `value` above the field's width are cut off.
    #[must_use]
    pub const fn set(&self, word: u128, value: u64) -> u128 {
        (word & !self.mask()) | (((value & self.ones()) as u128) << self.low)
    }

    /// The field's bits as the chapters write them: `[high:low]`, or `[bit]` for a single bit.
    #[must_use]
    pub fn span(&self) -> String {
        if self.width == 1 {
            format!("[{}]", self.low)
        } else {
            format!("[{}:{}]", self.high(), self.low)
        }
    }
}

/// A word of `width` bits and its fields, lowest first. Bits in no field are reserved and sent as zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Layout {
    /// What the word is called.
    pub name: &'static str,
    /// Width of the word in bits, at most 128.
    pub width: usize,
    /// Chapter and section that fix it.
    pub source: &'static str,
    /// The fields.
    pub fields: &'static [Field],
}

impl Layout {
    /// True if every field lies inside the word and none overlaps another.
    #[must_use]
    pub const fn is_sound(&self) -> bool {
        let mut seen: u128 = 0;
        let mut index = 0;
        while index < self.fields.len() {
            let field = self.fields[index];
            if field.width == 0 || field.width > 64 || field.low + field.width > self.width {
                return false;
            }
            if seen & field.mask() != 0 {
                return false;
            }
            seen |= field.mask();
            index += 1;
        }
        self.width <= 128
    }

    /// The field with this name.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&'static Field> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// The bits that no field covers.
    #[must_use]
    pub fn reserved(&self) -> u128 {
        let all = if self.width >= 128 { u128::MAX } else { (1 << self.width) - 1 };
        self.fields.iter().fold(all, |left, field| left & !field.mask())
    }

    /// The layout as a Markdown table with its name as a heading of the given level.
    #[must_use]
    pub fn markdown(&self, heading_level: usize) -> String {
        let mut text = format!("{} {}\n\n", "#".repeat(heading_level), self.name);
        let _ = writeln!(
            text,
            "{} bits, {}.\n\n| bits | field | meaning |\n|---|---|---|",
            self.width, self.source
        );
        for field in self.fields {
            let _ = writeln!(text, "| {} | `{}` | {} |", field.span(), field.name, field.meaning);
        }
        if self.fields.is_empty() {
            text.push_str("| | | all bits are zero |\n");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAIR: [Field; 2] = [
        Field { name: "low", low: 0, width: 4, meaning: "first" },
        Field { name: "high", low: 4, width: 60, meaning: "second" },
    ];

    #[test]
    fn fields_read_and_replace_their_own_bits_only() {
        let word = PAIR[1].set(0xF, 0xABC);
        assert_eq!(word, 0xABCF);
        assert_eq!(PAIR[0].get(word), 0xF);
        assert_eq!(PAIR[0].set(word, 0x123), 0xABC3, "a value wider than its field is cut");
    }

    #[test]
    fn overlap_and_overhang_are_unsound() {
        const OVERLAP: &[Field] = &[PAIR[0], Field { name: "x", low: 3, width: 1, meaning: "" }];
        assert!(Layout { name: "", width: 64, source: "", fields: &PAIR }.is_sound());
        assert!(!Layout { name: "", width: 64, source: "", fields: OVERLAP }.is_sound());
        assert!(!Layout { name: "", width: 63, source: "", fields: &PAIR }.is_sound());
    }

    #[test]
    fn reserved_bits_are_those_without_a_field() {
        assert_eq!(Layout { name: "", width: 66, source: "", fields: &PAIR }.reserved(), 3 << 64);
    }
}
