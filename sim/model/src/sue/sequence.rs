//! Packet sequence numbers (PSN) and their serial comparison (chapter 50, 4.5).

use std::fmt;

/// A packet sequence number of `BITS` bits, 2 to 16; the wire has 16. Fewer bits make proofs small and wraps frequent.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Psn<const BITS: u32 = 16>(u16);

/// Where one number lies as seen from another (chapter 50, 4.5: ahead if 1..32767, behind if 32768 or more).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Position {
    /// The same number.
    Same,
    /// After it, by so many.
    Ahead(u16),
    /// Before it, by so many.
    Behind(u16),
}

impl<const BITS: u32> Psn<BITS> {
    /// Refuses other widths when the program is compiled.
    const MASK: u16 = {
        assert!(BITS >= 2 && BITS <= 16, "a PSN has 2 to 16 bits");
        ((1_u32 << BITS) - 1) as u16
    };
    /// Half of the numbers: the first distance that is behind.
    pub const HALF: u16 = 1 << (BITS - 1);
    /// Largest window for which every comparison is unambiguous: 32767 with 16 bits.
    pub const WINDOW_MAX: u16 = Self::HALF - 1;
    /// Number 0, where every connection starts.
    pub const ZERO: Self = Psn(0);

    /// The number, modulo 2^`BITS`.
    #[must_use]
    pub const fn new(value: u16) -> Self {
        Psn(value & Self::MASK)
    }

    /// Its value.
    #[must_use]
    pub const fn value(self) -> u16 {
        self.0
    }

    /// The number `count` after it.
    #[must_use]
    pub const fn plus(self, count: u16) -> Self {
        Self::new(self.0.wrapping_add(count))
    }

    /// The number `count` before it.
    #[must_use]
    pub const fn minus(self, count: u16) -> Self {
        Self::new(self.0.wrapping_sub(count))
    }

    /// d = (self - from) modulo 2^`BITS`.
    #[must_use]
    pub const fn distance(self, from: Self) -> u16 {
        self.0.wrapping_sub(from.0) & Self::MASK
    }

    /// Serial comparison with `from`.
    #[must_use]
    pub const fn position(self, from: Self) -> Position {
        match self.distance(from) {
            0 => Position::Same,
            ahead if ahead < Self::HALF => Position::Ahead(ahead),
            _ => Position::Behind(from.distance(self)),
        }
    }
}

impl<const BITS: u32> fmt::Debug for Psn<BITS> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:04X}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_of_four_bits_is_on_one_side() {
        for (from, steps) in (0..16).flat_map(|from| (0..16).map(move |steps| (from, steps))) {
            let (start, end) = (Psn::<4>::new(from), Psn::<4>::new(from + steps));
            let expected = match steps {
                0 => Position::Same,
                1..=7 => Position::Ahead(steps),
                _ => Position::Behind(16 - steps),
            };
            assert_eq!(end.position(start), expected, "{from} {steps}");
            assert_eq!(start.plus(steps), end);
            assert_eq!(end.minus(steps), start);
        }
    }

    #[test]
    fn sixteen_bits_change_sides_at_32768() {
        let start = Psn::<16>::new(0xFFF0);
        assert_eq!(start.plus(32767).position(start), Position::Ahead(32767));
        assert_eq!(start.plus(32768).position(start), Position::Behind(32768));
        assert_eq!(Psn::<16>::WINDOW_MAX, 32767);
    }
}
