//! Chapter 10, section 9, points 2 to 4: round trips, detection, and the weight counts, as far as they need no retry.
//!
//! Seeds are fixed and printed; `FLITFORGE_SEED` sets another one. `FLITFORGE_FULL=1` makes 10^5 round trips per mode.

#![allow(clippy::expect_used, reason = "in tests, helper functions included")]

use crate::support;
use flitforge_model::ltp::Sideband;
use flitforge_model::search::{HammingDistance, WeightCounts};
use flitforge_model::{CrcSearch, Flit, Ltp, LtpBits, LtpFormat, NullLtp};
use flitforge_protocol::crc::{self, Polynomial};
use flitforge_protocol::flit::Opcode;
use flitforge_protocol::ltp::CrcMode;
use rand::seq::index;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn random(test: &str) -> ChaCha8Rng {
    let seed = match std::env::var("FLITFORGE_SEED") {
        Ok(text) => text.parse().expect("FLITFORGE_SEED: a number"),
        Err(_) => 0x1056_1088,
    };
    println!("{test}: seed {seed}");
    ChaCha8Rng::seed_from_u64(seed)
}

/// Every mode with every number of lanes that changes the bits.
fn formats() -> Vec<LtpFormat> {
    let cases = [
        (CrcMode::Standard, 4),
        (CrcMode::Bits14, 4),
        (CrcMode::Overlapping48, 4),
        (CrcMode::PerLane, 4),
        (CrcMode::PerLane, 3),
    ];
    cases.map(|(mode, lanes)| LtpFormat::new(mode, lanes).expect("a format of the chapter")).to_vec()
}

/// A random reliable LTP, or one time in eight a Null LTP.
fn random_ltp(rng: &mut ChaCha8Rng, mode: CrcMode) -> Ltp {
    if rng.random_range(0..8) == 0 {
        let opcodes = [Opcode::RetryReq0, Opcode::RetryMrkr1, Opcode::RndTripMrkr0, Opcode::RetrainRetryReq];
        let flit = Flit::control(opcodes[rng.random_range(0..4)], rng.random());
        return NullLtp::new(flit).expect("a link-transfer flit").ltp();
    }
    let mut ltp = Ltp::idle();
    for flit in &mut ltp.flits {
        *flit = if rng.random() { Flit::body(rng.random()) } else { Flit::other(rng.random()) };
    }
    if mode == CrcMode::Bits14 {
        ltp.sideband = Sideband { c0: rng.random(), c1: rng.random() };
    }
    ltp
}

#[test]
fn ltps_of_every_mode_come_back_over_beats_of_every_width() {
    let mut rng = random("round trips");
    let ltps = support::count(10_000, 100_000) as usize;
    for format in formats() {
        let mut nulls = 0;
        for number in 0..ltps {
            let ltp = random_ltp(&mut rng, format.mode());
            let wire = format.encode(&ltp);
            let beats = wire.wire_beats([1, 2, 4][number % 3]).expect("F is allowed");
            let received = LtpBits::from_wire_beats(&beats).expect("an LTP's beats");
            let decoded = format.decode(&received).expect("an LTP");
            assert!(decoded.is_good() && decoded.ltp == ltp, "{:?}, LTP {number}", format.mode());
            nulls += usize::from(decoded.ltp.null().is_some());
        }
        assert!(nulls > ltps / 10, "only {nulls} Null LTPs were tried");
    }
}

/// The shortcut the tests below rest on: residues of a damaged LTP are the XOR of its bits' syndromes.
#[test]
fn syndromes_add_up_to_the_residues_of_the_full_decoder() {
    let mut rng = random("linearity");
    for format in formats() {
        let search = CrcSearch::format(&format).expect("syndromes");
        for weight in (0..=6).cycle().take(2_000) {
            let mut wire = format.encode(&random_ltp(&mut rng, format.mode()));
            let bits = wire.bits().len();
            let pattern = index::sample(&mut rng, bits, weight).into_vec();
            pattern.iter().for_each(|&bit| assert!(wire.flip(bit)));
            let seen = !format.decode(&wire).expect("an LTP").is_good();
            assert_eq!(seen, search.detects(&pattern), "{:?}: {pattern:?}", format.mode());
        }
    }
}

#[test]
fn ten_thousand_patterns_each_of_one_two_and_three_bits_are_detected() {
    let mut rng = random("weights 1 to 3");
    for format in formats() {
        for weight in 1..=3 {
            for _ in 0..10_000 {
                let mut wire = format.encode(&Ltp::idle());
                let pattern = index::sample(&mut rng, wire.bits().len(), weight).into_vec();
                pattern.iter().for_each(|&bit| assert!(wire.flip(bit)));
                assert!(!format.decode(&wire).expect("an LTP").is_good(), "{:?}: {pattern:?}", format.mode());
            }
        }
    }
}

#[test]
fn a_million_patterns_of_one_to_six_bits_are_detected_in_mode_2() {
    let mut rng = random("weights 1 to 6");
    let format = LtpFormat::new(CrcMode::Overlapping48, 4).expect("mode 2");
    let search = CrcSearch::format(&format).expect("syndromes");
    for number in 0..1_000_000 {
        let pattern = index::sample(&mut rng, 1088, 1 + number % 6).into_vec();
        assert!(search.detects(&pattern), "{pattern:?}");
    }
}

/// Every pattern whose first and last wrong bit are less than r apart, at every offset, r the width of the CRC.
#[test]
fn every_burst_up_to_the_width_of_the_crc_is_detected_at_every_offset() {
    for format in formats() {
        let syndromes = CrcSearch::format(&format).expect("syndromes").syndromes().to_vec();
        let width = format.polynomials()[0].width();
        for first in 0..syndromes.len() {
            let window = &syndromes[first..syndromes.len().min(first + width)];
            // in Gray code, each burst that starts at `first` differs from the one before in one bit
            let mut sum = window[0];
            assert_ne!(sum, 0, "{:?}: bit {first}", format.mode());
            for number in 1u32..1 << (window.len() - 1) {
                sum ^= window[1 + number.trailing_zeros() as usize];
                assert_ne!(sum, 0, "{:?}: burst {number} (Gray code) at bit {first}", format.mode());
            }
        }
    }
}

#[test]
fn all_zero_and_all_one_ltps_fail_in_every_mode() {
    for format in formats() {
        let words = format.encode(&Ltp::idle()).words().len();
        for pattern in [0, u32::MAX] {
            let wire = LtpBits::from_words(&vec![pattern; words]).expect("an LTP's words");
            let received = format.decode(&wire).expect("an LTP");
            assert!(!received.is_good(), "{:?}, {pattern:08X}", format.mode());
        }
    }
}

fn counts(polynomial: Polynomial, bits: usize) -> WeightCounts {
    CrcSearch::polynomial(polynomial, bits).weight_counts()
}

#[test]
fn weight_counts_at_1056_bits() {
    assert_eq!(counts(crc::LANE_ISOLATION, 1056).three, 3_207);
    assert_eq!(counts(crc::STANDARD, 1056), WeightCounts { one: 0, two: 0, three: 0, four: 809_155 });
    assert_eq!(counts(crc::BITS14, 1056), WeightCounts { one: 0, two: 0, three: 0, four: 4_204_595 });
}

#[test]
fn weight_counts_of_the_per_lane_groups() {
    let tried = Polynomial::new(0x1D9DF).expect("valid");
    assert_eq!(counts(tried, 384).three, 21);
    let WeightCounts { one, two, three, .. } = counts(crc::PER_LANE_3, 384);
    assert_eq!((one, two, three), (0, 0, 0));
}

/// HD 4 up to this length and less one bit further.
fn has_distance_4_up_to(polynomial: Polynomial, bits: usize) {
    let distance = |bits: usize| CrcSearch::polynomial(polynomial, bits).hamming_distance();
    assert_eq!(distance(bits), HammingDistance::Exactly(4), "{polynomial:X?} at {bits} bits");
    assert!(matches!(distance(bits + 1), HammingDistance::Exactly(1..=3)), "{polynomial:X?} one bit longer");
}

#[test]
fn lengths_to_which_the_distance_is_4() {
    has_distance_4_up_to(crc::STANDARD, 1161);
    has_distance_4_up_to(crc::LANE_ISOLATION, 567);
    has_distance_4_up_to(Polynomial::new(0x1D9DF).expect("valid"), 363);
}

#[test]
fn the_per_lane_codewords_have_distance_4() {
    let distance =
        |polynomial: Polynomial, bits: usize| CrcSearch::polynomial(polynomial, bits).hamming_distance();
    for (polynomial, bits) in
        [(crc::PER_LANE_4, 272), (crc::PER_LANE_4, 288), (crc::PER_LANE_3, 352), (crc::PER_LANE_3, 384)]
    {
        assert_eq!(distance(polynomial, bits), HammingDistance::Exactly(4), "{bits} bits");
    }
}
