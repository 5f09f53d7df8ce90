//! The vector checks must notice a wrong model: every mutation listed here has to make a check fail.

#![allow(clippy::expect_used, reason = "in tests, helper functions included")]

use crate::vectors::{self, check_isolation, check_scrambler, FormatVector};
use flitforge_model::{LtpFormat, Scrambler, Stripe};
use flitforge_protocol::crc::{Polynomial, LANE_ISOLATION};
use flitforge_protocol::lane_word::scrambler::{TAP_MASK, WIDTH};

const FORMATS: [FormatVector; 5] =
    [vectors::STANDARD, vectors::BITS14, vectors::OVERLAPPING48, vectors::PER_LANE_4, vectors::PER_LANE_3];

/// The polynomials with one bit of the mask of polynomial `index` turned over; `None` if that is none any more.
fn with_bit_turned(format: &LtpFormat, index: usize, bit: usize) -> Option<Vec<Polynomial>> {
    let mut polynomials = format.polynomials().to_vec();
    polynomials[index] = Polynomial::new(polynomials[index].coefficients() ^ 1 << bit)?;
    Some(polynomials)
}

#[test]
fn a_changed_polynomial_bit_fails_the_vectors_of_its_mode() {
    let mut tried = 0;
    for vector in FORMATS {
        let format = vector.format();
        assert_eq!(vector.check(&format), Ok(()));
        for index in 0..format.polynomials().len() {
            assert!(with_bit_turned(&format, index, 0).is_none(), "the constant term cannot be taken away");
            for bit in 1..format.polynomials()[index].width() {
                let polynomials = with_bit_turned(&format, index, bit).expect("still a polynomial");
                // two of mode 2's polynomials may have become equal: then the format refuses them
                let Ok(mutated) = format.clone().with_polynomials(&polynomials) else { continue };
                assert!(vector.check(&mutated).is_err(), "{}: polynomial {index}, bit {bit}", vector.name);
                tried += 1;
            }
        }
    }
    let all_bits = 15 + 13 + 4 * 11 + 11 + 15;
    assert!(tried >= all_bits - 4, "only {tried} of {all_bits} mutations ran");
}

#[test]
fn a_changed_isolation_polynomial_bit_fails_the_isolation_vector() {
    let groups = Stripe::groups(4).expect("four lanes");
    assert_eq!(check_isolation(groups, LANE_ISOLATION), Ok(()));
    for bit in 1..16 {
        let mutated = Polynomial::new(LANE_ISOLATION.coefficients() ^ 1 << bit).expect("still a polynomial");
        assert!(check_isolation(groups, mutated).is_err(), "bit {bit}");
    }
}

#[test]
fn a_shifted_stripe_fails_the_isolation_and_per_lane_vectors() {
    let groups = Stripe::groups(4).expect("four lanes");
    for shift in 1..4 {
        assert!(check_isolation(groups.in_state(shift), LANE_ISOLATION).is_err(), "isolation, shift {shift}");
        let mutated = vectors::PER_LANE_4.format().with_groups_from(shift);
        assert!(vectors::PER_LANE_4.check(&mutated).is_err(), "mode 3, shift {shift}");
    }
    for shift in 1..3 {
        let mutated = vectors::PER_LANE_3.format().with_groups_from(shift);
        assert!(vectors::PER_LANE_3.check(&mutated).is_err(), "mode 3 on three lanes, shift {shift}");
    }
}

#[test]
fn a_changed_scrambler_tap_fails_the_scrambler_vectors() {
    for lane in 0..4 {
        let scrambler = Scrambler::new(lane).expect("a lane");
        assert_eq!(check_scrambler(lane, scrambler), Ok(()));
        for tap in 0..WIDTH {
            let mutated = scrambler.with_taps(TAP_MASK ^ 1 << tap);
            assert!(check_scrambler(lane, mutated).is_err(), "lane {lane}, tap {tap}");
        }
    }
}
