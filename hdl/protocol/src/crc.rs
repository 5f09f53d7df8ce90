//! CRC polynomials and conventions (chapter 10, 3.3, 3.5, 4.4).
//!
//! LTP, training-set and isolation CRCs share one convention: bits in sending order, polynomial division with the
//! highest coefficient first, register starts all ones, no final XOR, so that a receiver that runs on over the CRC
//! ends at 0. The packet CRC is the usual reflected CRC-32C.

use serde::{Deserialize, Serialize};

/// A generator polynomial, its highest term included: `0x11753` is x^16 + x^12 + ... + 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "u32", into = "u32")]
pub struct Polynomial(u32);

/// A number that is no generator polynomial.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("CRC polynomial {coefficients:#x}: needs the constant term (bit 0) and a higher term, its highest included")]
pub struct PolynomialError {
    /// The number.
    pub coefficients: u32,
}

impl TryFrom<u32> for Polynomial {
    type Error = PolynomialError;

    fn try_from(coefficients: u32) -> Result<Self, PolynomialError> {
        Polynomial::new(coefficients).ok_or(PolynomialError { coefficients })
    }
}

impl From<Polynomial> for u32 {
    fn from(polynomial: Polynomial) -> u32 {
        polynomial.0
    }
}

impl Polynomial {
    /// The polynomial with these coefficients, bit i being x^i.
    ///
    /// `None` without the constant term or with a degree outside 1 to 31: such a CRC would miss single bits.
    #[must_use]
    pub const fn new(coefficients: u32) -> Option<Self> {
        if coefficients & 1 == 1 && coefficients > 1 {
            Some(Polynomial(coefficients))
        } else {
            None
        }
    }

    /// As [`Polynomial::new`], for tables: a bad polynomial stops the build.
    const fn table(coefficients: u32) -> Self {
        assert!(coefficients & 1 == 1 && coefficients > 1, "polynomial without its constant or highest term");
        Polynomial(coefficients)
    }

    /// All coefficients, highest term included.
    #[must_use]
    pub const fn coefficients(self) -> u32 {
        self.0
    }

    /// The degree, which is the width of the CRC in bits.
    #[must_use]
    pub const fn width(self) -> usize {
        31 - self.0.leading_zeros() as usize
    }

    /// The coefficients below the highest: what is XORed into the register.
    #[must_use]
    pub const fn mask(self) -> u32 {
        self.0 ^ (1 << self.width())
    }

    /// The register's start value: all ones in the CRC's width.
    #[must_use]
    pub const fn initial(self) -> u32 {
        (1 << self.width()) - 1
    }
}

/// Mode 0, 16 bits (chapter 10, 3.5). HD 4 at 1056 bits.
pub const STANDARD: Polynomial = Polynomial::table(0x11753);
/// Mode 1, 14 bits (chapter 10, 3.5). HD 4 at 1056 bits.
pub const BITS14: Polynomial = Polynomial::table(0x5853);
/// Mode 2, four distinct 12-bit polynomials A, B, C, D (chapter 10, 3.5). HD 7 together.
pub const OVERLAPPING48: [Polynomial; 4] = [
    Polynomial::table(0x1053),
    Polynomial::table(0x145B),
    Polynomial::table(0x104D),
    Polynomial::table(0x146B),
];
/// Mode 3 on four lanes, 12 bits (chapter 10, 3.5).
pub const PER_LANE_4: Polynomial = Polynomial::table(0x13C5);
/// Mode 3 on three lanes, 16 bits (chapter 10, 3.5 and 10).
pub const PER_LANE_3: Polynomial = Polynomial::table(0x1941F);
/// Lane isolation, 16 bits, never transmitted (chapter 10, 3.5 and 4.4).
pub const LANE_ISOLATION: Polynomial = Polynomial::table(0x1002D);
/// Training set words 0 to 6, 16 bits (chapter 10, 3.6).
pub const TRAINING_SET: Polynomial = STANDARD;

/// The packet CRC, CRC-32C (chapter 10, 3.3): reflected, start and final XOR all ones.
pub mod packet {
    /// Width in bits.
    pub const WIDTH: usize = 32;
    /// Coefficients below x^32, highest coefficient first.
    pub const POLYNOMIAL: u32 = 0x1EDC_6F41;
    /// The same mirrored, for an implementation that shifts towards bit 0.
    pub const REFLECTED: u32 = POLYNOMIAL.reverse_bits();
    /// Start value of the register.
    pub const INITIAL: u32 = 0xFFFF_FFFF;
    /// XORed into the result.
    pub const FINAL_XOR: u32 = 0xFFFF_FFFF;
    /// CRC of the nine bytes `123456789`.
    pub const CHECK: u32 = 0xE306_9283;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn width_and_mask_come_from_the_coefficients() {
        assert_eq!((STANDARD.width(), STANDARD.mask(), STANDARD.initial()), (16, 0x1753, 0xFFFF));
        assert_eq!((BITS14.width(), PER_LANE_4.width(), PER_LANE_3.width()), (14, 12, 16));
        assert!(OVERLAPPING48.iter().all(|polynomial| polynomial.width() == 12));
    }

    #[test]
    fn a_polynomial_without_constant_term_is_refused() {
        assert_eq!(Polynomial::new(0x11752), None);
        assert_eq!(Polynomial::new(1), None);
        assert_eq!(Polynomial::new(0), None);
        assert!(serde_json::from_str::<Polynomial>("71506").is_err());
        assert_eq!(serde_json::from_str::<Polynomial>("71507").unwrap(), STANDARD);
    }
}
