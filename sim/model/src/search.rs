//! Hamming distance and counts of undetected error patterns (chapter 10, 3.5 and 7).
//!
//! A CRC is linear: an error pattern is missed exactly if the syndromes of its bits XOR to zero. So a code is
//! described by the syndrome of each of its positions, and undetected patterns are counted over those.

use crate::ltp::{Ltp, LtpError, LtpFormat};
use flitforge_protocol::crc::Polynomial;
use std::collections::HashMap;

/// The syndromes of a code's positions, at most 64 bits each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CrcSearch {
    syndromes: Vec<u64>,
}

/// Undetected patterns of weight 1 to 4.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WeightCounts {
    /// Patterns of one bit.
    pub one: u64,
    /// Patterns of two bits.
    pub two: u64,
    /// Patterns of three bits.
    pub three: u64,
    /// Patterns of four bits.
    pub four: u64,
}

/// The Hamming distance as far as it was searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HammingDistance {
    /// Smallest weight of an undetected pattern.
    Exactly(usize),
    /// No undetected pattern of weight 1 to 4.
    AtLeast5,
}

impl CrcSearch {
    /// One polynomial on a codeword of `bits` bits, its CRC included.
    #[must_use]
    pub fn polynomial(polynomial: Polynomial, bits: usize) -> Self {
        let mut power = 1; // x^0 is the last bit sent
        let mut syndromes = Vec::with_capacity(bits);
        for _ in 0..bits {
            syndromes.push(u64::from(power));
            power <<= 1;
            if power > polynomial.initial() {
                power ^= polynomial.coefficients();
            }
        }
        syndromes.reverse();
        CrcSearch { syndromes }
    }

    /// A whole LTP format: the residues of all its CRCs side by side, found by flipping each bit of an LTP.
    pub fn format(format: &LtpFormat) -> Result<Self, LtpError> {
        let mut wire = format.encode(&Ltp::idle());
        let mut syndromes = Vec::new();
        let mut position = 0;
        while wire.flip(position) {
            let residues = format.decode(&wire)?.residues;
            let widths = format.polynomials().iter().cycle().map(|polynomial| polynomial.width());
            let pack = |word: u64, (&residue, width): (&u32, usize)| word << width | u64::from(residue);
            syndromes.push(residues.iter().zip(widths).fold(0, pack));
            wire.flip(position);
            position += 1;
        }
        Ok(CrcSearch { syndromes })
    }

    /// The syndrome of each position, first sent first.
    #[must_use]
    pub fn syndromes(&self) -> &[u64] {
        &self.syndromes
    }

    /// True if the code sees this pattern of different positions. Positions after the end are ignored.
    #[must_use]
    pub fn detects(&self, positions: &[usize]) -> bool {
        positions.iter().filter_map(|&position| self.syndromes.get(position)).fold(0, |sum, one| sum ^ one)
            != 0
    }

    /// Counts all undetected patterns of one to four bits.
    #[must_use]
    pub fn weight_counts(&self) -> WeightCounts {
        let list = &self.syndromes;
        let all = list.iter().fold(0, |all, one| all | one);
        let mut seen = Tally::up_to(all); // syndromes left of the current position
        let mut pairs = Tally::up_to(all); // sums of pairs left of it
        let mut counts = WeightCounts { one: 0, two: 0, three: 0, four: 0 };
        for (right, &last) in list.iter().enumerate() {
            counts.one += u64::from(last == 0);
            counts.two += seen.count(last);
            counts.three += pairs.count(last);
            // patterns of four: this position is the third, any later one the fourth
            for &fourth in &list[right + 1..] {
                counts.four += pairs.count(last ^ fourth);
            }
            for &left in &list[..right] {
                pairs.add(left ^ last);
            }
            seen.add(last);
        }
        counts
    }

    /// The Hamming distance, searched up to weight 4.
    #[must_use]
    pub fn hamming_distance(&self) -> HammingDistance {
        let counts = self.weight_counts();
        let by_weight = [counts.one, counts.two, counts.three, counts.four];
        match by_weight.iter().position(|&count| count > 0) {
            Some(index) => HammingDistance::Exactly(index + 1),
            None => HammingDistance::AtLeast5,
        }
    }
}

/// How often each sum was seen: an array for a single CRC, a map for several side by side.
enum Tally {
    Dense(Vec<u64>),
    Sparse(HashMap<u64, u64>),
}

impl Tally {
    /// A tally for sums that use only the bits set in `bits`.
    fn up_to(bits: u64) -> Self {
        const DENSE_BITS: u32 = 20;
        match u64::BITS - bits.leading_zeros() {
            width @ 0..=DENSE_BITS => Tally::Dense(vec![0; 1 << width]),
            _ => Tally::Sparse(HashMap::new()),
        }
    }

    fn add(&mut self, sum: u64) {
        match self {
            Tally::Dense(counts) => counts[sum as usize] += 1,
            Tally::Sparse(counts) => *counts.entry(sum).or_insert(0) += 1,
        }
    }

    fn count(&self, sum: u64) -> u64 {
        match self {
            Tally::Dense(counts) => counts[sum as usize],
            Tally::Sparse(counts) => counts.get(&sum).copied().unwrap_or(0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flitforge_protocol::crc::STANDARD;
    use flitforge_protocol::ltp::CrcMode;

    /// x^3 + x + 1 on 7 bits is the Hamming code, whose weight distribution is 1, 7, 7, 1 at weights 0, 3, 4, 7.
    #[test]
    fn the_hamming_code_has_its_known_weights() {
        let code = CrcSearch::polynomial(Polynomial::new(0b1011).expect("valid"), 7);
        assert_eq!(code.weight_counts(), WeightCounts { one: 0, two: 0, three: 7, four: 7 });
        assert_eq!(code.hamming_distance(), HammingDistance::Exactly(3));
    }

    /// The register works ahead of the division by the CRC's width, so residues are x^16 times the syndromes.
    #[test]
    fn residues_of_the_format_are_powers_of_x() {
        let format = LtpFormat::new(CrcMode::Standard, 4).expect("mode 0");
        let residues = CrcSearch::format(&format).expect("syndromes");
        let powers = CrcSearch::polynomial(STANDARD, 1056 + 16);
        assert!(residues.syndromes() == &powers.syndromes()[..1056]);
    }
}
