//! Bit-serial CRC (chapter 10, 3.5): sending order, highest coefficient first, start all ones, no final XOR.

use flitforge_protocol::crc::Polynomial;

/// A CRC register fed one bit at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Crc {
    polynomial: Polynomial,
    register: u32,
}

impl Crc {
    /// A register at its start value.
    #[must_use]
    pub const fn new(polynomial: Polynomial) -> Self {
        Crc { polynomial, register: polynomial.initial() }
    }

    /// Takes one bit, in sending order.
    pub const fn push(&mut self, bit: bool) {
        let top = (self.register >> (self.polynomial.width() - 1)) & 1 == 1;
        self.register = (self.register << 1) & self.polynomial.initial();
        if top != bit {
            self.register ^= self.polynomial.mask();
        }
    }

    /// Takes a sequence of bits, first sent first.
    pub fn push_all(&mut self, bits: impl IntoIterator<Item = bool>) {
        bits.into_iter().for_each(|bit| self.push(bit));
    }

    /// Takes the 32 bits of a word, bit 0 first.
    pub fn push_word(&mut self, word: u32) {
        self.push_all((0..32).map(|bit| word >> bit & 1 == 1));
    }

    /// The register: the CRC of what was pushed, or the residue once the CRC itself was pushed too (0 is good).
    #[must_use]
    pub const fn value(&self) -> u32 {
        self.register
    }

    /// The CRC of a sequence of bits.
    #[must_use]
    pub fn of(polynomial: Polynomial, bits: impl IntoIterator<Item = bool>) -> u32 {
        let mut crc = Crc::new(polynomial);
        crc.push_all(bits);
        crc.value()
    }

    /// The bits of a CRC value in sending order, highest coefficient first.
    pub fn sending_order(polynomial: Polynomial, value: u32) -> impl Iterator<Item = bool> {
        (0..polynomial.width()).rev().map(move |bit| value >> bit & 1 == 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flitforge_protocol::crc::STANDARD;

    #[test]
    fn a_receiver_that_runs_over_data_and_crc_ends_at_zero() {
        let data: Vec<bool> = (0..1040).map(|bit| bit % 7 == 3 || bit % 11 == 5).collect();
        let value = Crc::of(STANDARD, data.iter().copied());
        let whole = data.into_iter().chain(Crc::sending_order(STANDARD, value));
        assert_eq!(Crc::of(STANDARD, whole), 0);
    }

    /// CRC-16/IBM-3740 has the same convention but takes each byte's bit 7 first; its check value is published.
    #[test]
    fn agrees_with_a_published_check_value() {
        let polynomial = Polynomial::new(0x11021).expect("valid");
        let bits = b"123456789".iter().flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1 == 1));
        assert_eq!(Crc::of(polynomial, bits), 0x29B1);
    }
}
