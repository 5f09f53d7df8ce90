//! LTPs with four wrong bits that a CRC of distance 4 takes for good.

use super::rates::{SECONDS_1E4_YEARS, WORD_HZ};
use crate::pair::BitErrorRate;
use flitforge_protocol::crc::Polynomial;
use flitforge_protocol::lane_word::{group_lane, group_words, sequence_state, transfer_group, MAX_LANES};
use flitforge_protocol::ltp::{ltp_words, CrcMode, WORD_BITS};
use serde::Serialize;
use std::collections::HashMap;

/// Bits of the four CRCs of mode 2, and the wrong bits that they may miss.
const OVERLAPPING_BITS: i32 = 48;
const OVERLAPPING_WRONG: i32 = 7;

/// Bit error rates below which a link of four lanes at 5 Gb/s takes fewer than one bad LTP for good in 10^4 years.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct RateLimit {
    /// CRC mode.
    pub mode: u8,
    /// Rate of one noisy lane.
    pub one_lane: f64,
    /// Rate of all four.
    pub all_lanes: f64,
}

/// The limits of all CRC modes on four lanes. Modes 0, 1 and 3 by their patterns of four wrong bits, exact; mode 2, of distance 7,
/// by those of seven wrong bits as if they were spread evenly over 2^48 residues.
#[must_use]
pub fn rate_limits() -> [RateLimit; 4] {
    [CrcMode::Standard, CrcMode::Bits14, CrcMode::Overlapping48, CrcMode::PerLane].map(|mode| {
        let words = ltp_words(mode);
        let ltps = WORD_HZ as f64 * MAX_LANES as f64 / words as f64 * SECONDS_1E4_YEARS;
        let [one, all] = [false, true].map(|all| patterns(mode, all));
        let limit = |patterns: f64| (1.0 / (patterns * ltps)).powf(1.0 / f64::from(least_wrong(mode)));
        RateLimit { mode: mode.code(), one_lane: limit(one), all_lanes: limit(all) }
    })
}

/// Patterns that a mode does not see on four lanes, on all or on the first only, as a mean over the sequence states.
fn patterns(mode: CrcMode, all: bool) -> f64 {
    let states = states(mode, MAX_LANES);
    let sum: f64 =
        states.iter().map(|&state| escapes(mode, MAX_LANES, state, &|lane| all || lane == 0).0).sum();
    sum / states.len() as f64
}

/// Chance that an LTP on these physical lanes has the fewest wrong bits of which its CRCs miss some, in such a place that they do.
/// All noisy lanes have the same rate.
pub(super) fn chance(mode: CrcMode, lanes: &[usize], rates: [BitErrorRate; MAX_LANES]) -> f64 {
    let is_noisy = |logical: usize| rates[lanes[logical]] != BitErrorRate::default();
    let Some(logical) = (0..lanes.len()).find(|logical| is_noisy(*logical)) else { return 0.0 };
    let rate = f64::from(rates[lanes[logical]].per_1e9) / 1e9;
    let states = states(mode, lanes.len());
    let of = |state: &usize| {
        let (patterns, places) = escapes(mode, lanes.len(), *state, &is_noisy);
        patterns * (1.0 - rate).powi(places as i32 - least_wrong(mode))
    };
    states.iter().map(of).sum::<f64>() / states.len() as f64 * rate.powi(least_wrong(mode))
}

/// Sequence states one after the other.
fn states(mode: CrcMode, lanes: usize) -> Vec<usize> {
    (0..lanes as u64).map(|ltp| sequence_state(ltp_words(mode), lanes, ltp)).collect()
}

/// The fewest wrong bits of which the CRCs of a mode miss some.
fn least_wrong(mode: CrcMode) -> i32 {
    if mode == CrcMode::Overlapping48 {
        OVERLAPPING_WRONG
    } else {
        4
    }
}

/// In a sequence state: patterns of so many wrong bits on noisy lanes that the CRCs do not see, and bits on noisy lanes.
fn escapes(mode: CrcMode, lanes: usize, state: usize, is_noisy: &dyn Fn(usize) -> bool) -> (f64, usize) {
    let words = ltp_words(mode);
    let is_place = |bit: &usize| is_noisy(group_lane(lanes, transfer_group(lanes, bit / WORD_BITS), state));
    let places: Vec<usize> = (0..words * WORD_BITS).filter(is_place).collect();
    let patterns = match (mode, mode.polynomials(lanes)) {
        (CrcMode::Overlapping48, _) => evenly(places.len()),
        (CrcMode::PerLane, [polynomial, ..]) => (0..lanes)
            .filter(|&group| is_noisy(group_lane(lanes, group, state)))
            .map(|group| {
                // A group is a codeword of its own.
                let bits = group_words(words, lanes, group) * WORD_BITS;
                four_bit_patterns(*polynomial, bits, &(0..bits).collect::<Vec<_>>()) as f64
            })
            .sum(),
        (_, [polynomial, ..]) => four_bit_patterns(*polynomial, words * WORD_BITS, &places) as f64,
        _ => 0.0,
    };
    (patterns, places.len())
}

/// Ways to choose seven of so many bits, over 2^48.
fn evenly(bits: usize) -> f64 {
    (0..OVERLAPPING_WRONG)
        .map(|taken| (bits as f64 - f64::from(taken)) / f64::from(taken + 1))
        .product::<f64>()
        * 2f64.powi(-OVERLAPPING_BITS)
}

/// Patterns of four wrong bits, all at `places` (bit numbers of the LTP in sending order, ascending), in a codeword of
/// `length` bits that this CRC does not see. Exact: any two pairs of places whose sums of residues are equal make one, and
/// each pattern is found as three such couples. The residues must differ, which they do at distance 3 and above.
#[must_use]
pub fn four_bit_patterns(polynomial: Polynomial, length: usize, places: &[usize]) -> u64 {
    let residues = residues(polynomial, length);
    let mut pairs: HashMap<u32, u64> = HashMap::new();
    for (index, first) in places.iter().enumerate() {
        for second in &places[index + 1..] {
            *pairs.entry(residues[*first] ^ residues[*second]).or_default() += 1;
        }
    }
    pairs.values().map(|count| count * (count - 1) / 2).sum::<u64>() / 3
}

/// Residue of a single wrong bit, by its place: x^(length - 1 - place) mod the generator.
fn residues(polynomial: Polynomial, length: usize) -> Vec<u32> {
    let (generator, top) = (polynomial.coefficients(), 1u32 << polynomial.width());
    let mut power = 1u32;
    let mut residues = vec![0; length];
    for residue in residues.iter_mut().rev() {
        *residue = power;
        power <<= 1;
        if power & top != 0 {
            power ^= generator;
        }
    }
    residues
}

#[cfg(test)]
mod tests {
    use super::*;
    use flitforge_protocol::crc::{BITS14, STANDARD};

    #[test]
    fn whole_ltps_have_as_many_as_chapter_10_says() {
        let all: Vec<usize> = (0..1056).collect();
        assert_eq!(four_bit_patterns(STANDARD, 1056, &all), 809_155);
        assert_eq!(four_bit_patterns(BITS14, 1056, &all), 4_204_595);
    }

    #[test]
    fn the_limits_follow_from_the_counts_of_chapter_10() {
        let [standard, bits14, ..] = rate_limits();
        // 809,155 and 4,204,595 patterns, 125 M words/s on 4 lanes, 33 words, 10^4 years of 31,557,600 s
        let ltps = 125e6 * 4.0 / 33.0 * 3.15576e11;
        for (limit, patterns) in [(standard, 809_155.0), (bits14, 4_204_595.0)] {
            let expected: f64 = 1.0 / (patterns * ltps);
            assert!((limit.all_lanes.powi(4) / expected - 1.0).abs() < 1e-9, "{limit:?}");
            assert!(limit.one_lane > 3.0 * limit.all_lanes, "{limit:?}");
        }
    }

    #[test]
    fn the_example_of_chapter_10_is_one() {
        assert_eq!(four_bit_patterns(STANDARD, 1056, &[993, 1000, 1035, 1055]), 1);
        assert_eq!(four_bit_patterns(STANDARD, 1056, &[993, 1000, 1035, 1054]), 0);
    }
}
