//! The bits of one LTP as sent: words and wire beats (chapter 10, 3.5).

use bitvec::prelude::{BitSlice, BitVec, Lsb0};
use flitforge_protocol::beat::{beats_per_ltp, is_flits_per_beat};
use flitforge_protocol::ltp::{BITS_1056, BITS_1088};
use std::fmt;
use thiserror::Error;

/// The 1056 or 1088 bits of an LTP; bit 0 is sent first.
#[derive(Clone, PartialEq, Eq)]
pub struct LtpBits(BitVec<u32, Lsb0>);

/// A wire beat: its bits, bit 0 first on the line. Prints with its most significant digit first.
#[derive(Clone, PartialEq, Eq)]
pub struct WireBeat(BitVec<u32, Lsb0>);

/// Why bits are no LTP or no wire beats.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum WireError {
    /// Neither 1056 nor 1088 bits.
    #[error("LTP of {bits} bits: expected {BITS_1056} or {BITS_1088}")]
    Length {
        /// Bits given.
        bits: usize,
    },
    /// F is not 1, 2 or 4.
    #[error("FLITS_PER_BEAT of {f}: expected 1, 2 or 4")]
    FlitsPerBeat {
        /// F given.
        f: usize,
    },
}

impl LtpBits {
    /// An LTP from its bits.
    pub fn new(bits: BitVec<u32, Lsb0>) -> Result<Self, WireError> {
        match bits.len() {
            BITS_1056 | BITS_1088 => Ok(LtpBits(bits)),
            bits => Err(WireError::Length { bits }),
        }
    }

    /// An LTP from bits that a mode's length has given.
    pub(crate) const fn of_mode_length(bits: BitVec<u32, Lsb0>) -> Self {
        LtpBits(bits)
    }

    /// An LTP from its 33 or 34 words.
    pub fn from_words(words: &[u32]) -> Result<Self, WireError> {
        LtpBits::new(BitVec::from_slice(words))
    }

    /// An LTP from its wire beats, in sending order.
    pub fn from_wire_beats(beats: &[WireBeat]) -> Result<Self, WireError> {
        LtpBits::new(beats.iter().flat_map(|beat| beat.0.iter().by_vals()).collect())
    }

    /// The bits.
    #[must_use]
    pub fn bits(&self) -> &BitSlice<u32, Lsb0> {
        &self.0
    }

    /// The words, first sent first.
    #[must_use]
    pub fn words(&self) -> &[u32] {
        self.0.as_raw_slice()
    }

    /// Turns one bit over; positions after the end do nothing and give `false`.
    pub fn flip(&mut self, position: usize) -> bool {
        match self.0.get_mut(position) {
            Some(mut bit) => {
                *bit = !*bit;
                true
            }
            None => false,
        }
    }

    /// The LTP cut into 16/F wire beats.
    pub fn wire_beats(&self, f: usize) -> Result<Vec<WireBeat>, WireError> {
        if !is_flits_per_beat(f) {
            return Err(WireError::FlitsPerBeat { f });
        }
        let width = self.0.len() / beats_per_ltp(f);
        Ok(self.0.chunks(width).map(|bits| WireBeat(bits.to_bitvec())).collect())
    }
}

impl WireBeat {
    /// A wire beat from its bits, bit 0 first on the line.
    #[must_use]
    pub fn new(bits: BitVec<u32, Lsb0>) -> Self {
        WireBeat(bits)
    }

    /// The bits.
    #[must_use]
    pub fn bits(&self) -> &BitSlice<u32, Lsb0> {
        &self.0
    }
}

impl fmt::Display for WireBeat {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digit = |nibble: &BitSlice<u32, Lsb0>| {
            nibble
                .iter()
                .by_vals()
                .enumerate()
                .fold(0u32, |digit, (bit, value)| digit | u32::from(value) << bit)
        };
        self.0.chunks(4).rev().try_for_each(|nibble| write!(out, "{:X}", digit(nibble)))
    }
}

impl fmt::Debug for WireBeat {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}'h{self}", self.0.len())
    }
}

impl fmt::Debug for LtpBits {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.words().iter().try_for_each(|word| write!(out, "{word:08X} "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_lengths_are_refused() {
        assert_eq!(LtpBits::from_words(&[0; 32]), Err(WireError::Length { bits: 1024 }));
        assert_eq!(LtpBits::from_words(&[0; 35]), Err(WireError::Length { bits: 1120 }));
        assert_eq!(LtpBits::from_wire_beats(&[]), Err(WireError::Length { bits: 0 }));
    }

    #[test]
    fn three_flits_per_beat_are_refused() {
        let bits = LtpBits::from_words(&[0; 33]).expect("33 words");
        assert_eq!(bits.wire_beats(3), Err(WireError::FlitsPerBeat { f: 3 }));
    }

    #[test]
    fn flips_stay_inside() {
        let mut bits = LtpBits::from_words(&[0; 33]).expect("33 words");
        assert!(bits.flip(1055) && !bits.flip(1056));
        assert_eq!(bits.words()[32], 1 << 31);
    }
}
