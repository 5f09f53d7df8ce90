//! Words of a layout to and from octets, most significant octet first (chapter 50, 3).

use flitforge_protocol::{Field, Layout};
use thiserror::Error;

/// A value that does not fit its field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("{layout}: `{field}` is {value:#x}, but at most {largest:#x} fits; give a smaller value")]
pub struct FieldError {
    /// Name of the layout.
    pub layout: &'static str,
    /// Name of the field.
    pub field: &'static str,
    /// Value given.
    pub value: u64,
    /// Largest value that fits.
    pub largest: u64,
}

/// Octets that end inside a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("{layout}: expected {needed} octets, but only {found} are left; the data end too early")]
pub struct CutOff {
    /// Name of the layout.
    pub layout: &'static str,
    /// Octets of the word.
    pub needed: usize,
    /// Octets that are left.
    pub found: usize,
}

/// A word read by its fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Word(u128);

impl Word {
    /// A word with this value.
    pub(crate) fn of(value: impl Into<u128>) -> Self {
        Word(value.into())
    }

    /// All bits.
    pub(crate) const fn value(self) -> u128 {
        self.0
    }

    /// The value of a field.
    pub(crate) const fn get(self, field: Field) -> u64 {
        field.get(self.0)
    }

    /// The value of a field of at most 16 bits.
    pub(crate) const fn get_u16(self, field: Field) -> u16 {
        self.get(field) as u16
    }

    /// The value of a field of at most eight bits.
    pub(crate) const fn get_u8(self, field: Field) -> u8 {
        self.get(field) as u8
    }
}

/// A word with these fields, the others 0.
pub(crate) fn pack(layout: &Layout, fields: &[(Field, u64)]) -> Result<u128, FieldError> {
    fields.iter().try_fold(0, |word, &(field, value)| {
        let largest = field.ones();
        if value > largest {
            return Err(FieldError { layout: layout.name, field: field.name, value, largest });
        }
        Ok(field.set(word, value))
    })
}

/// Octets in sending order.
#[derive(Debug, Clone, Default)]
pub(crate) struct Writer(Vec<u8>);

impl Writer {
    /// Appends a word with these fields, the others 0.
    pub(crate) fn word(&mut self, layout: &Layout, fields: &[(Field, u64)]) -> Result<(), FieldError> {
        let word = pack(layout, fields)?.to_be_bytes();
        self.0.extend(&word[word.len() - octets_of(layout)..]);
        Ok(())
    }

    /// Appends octets.
    pub(crate) fn octets(&mut self, octets: &[u8]) {
        self.0.extend(octets);
    }

    /// Appends zeros up to `total` octets.
    pub(crate) fn pad_to(&mut self, total: usize) {
        self.0.resize(total.max(self.0.len()), 0);
    }

    /// What was written.
    pub(crate) fn finish(self) -> Vec<u8> {
        self.0
    }
}

/// Octets that are still to be read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reader<'a>(pub(crate) &'a [u8]);

impl<'a> Reader<'a> {
    /// The next word.
    pub(crate) fn word(&mut self, layout: &Layout) -> Result<Word, CutOff> {
        let octets = self.octets(octets_of(layout), layout.name)?;
        Ok(Word(octets.iter().fold(0, |word, octet| word << 8 | u128::from(*octet))))
    }

    /// The next octets; `name` is what they are called if too few are left.
    pub(crate) fn octets(&mut self, count: usize, name: &'static str) -> Result<&'a [u8], CutOff> {
        let (octets, rest) = self.0.split_at_checked(count).ok_or(CutOff {
            layout: name,
            needed: count,
            found: self.0.len(),
        })?;
        self.0 = rest;
        Ok(octets)
    }
}

/// Octets of a word of this layout.
pub(crate) const fn octets_of(layout: &Layout) -> usize {
    layout.width.div_ceil(8)
}
