//! Chapter 10, section 9, point 2: the golden model's LTPs, beats and lane words are those of a second computation that
//! shares nothing with it, in every mode, at every F and on every number of lanes.
//!
//! `FLITFORGE_FULL=1` compares the 10^5 LTPs of each that the chapter asks for; the hardware is held to the model in
//! `hdl/tests/link_ltp_model.rs` and in every co-simulation.

#![allow(clippy::expect_used, reason = "in tests, helper functions included")]

use crate::bits::{ltp_bits, words, Flits, Lanes};
use crate::support;
use flitforge_model::lanes::{LaneSetup, LaneWord};
use flitforge_model::ltp::Sideband;
use flitforge_model::{Flit, LaneCollector, LaneDistributor, Ltp, LtpBits, LtpFormat, NullLtp};
use flitforge_protocol::crc::Polynomial;
use flitforge_protocol::ltp::CrcMode;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

/// Modes by number, with the lanes each is sent on.
fn setups() -> impl Iterator<Item = (u8, CrcMode, Vec<usize>)> {
    const LANES: [&[usize]; 4] = [&[2], &[1, 3], &[0, 2, 3], &[0, 1, 2, 3]];
    let modes = [CrcMode::Standard, CrcMode::Bits14, CrcMode::Overlapping48, CrcMode::PerLane];
    (0..).zip(modes).flat_map(|(number, mode)| {
        let lanes = LANES.into_iter().filter(move |lanes| mode.allows_lanes(lanes.len()));
        lanes.map(move |lanes| (number, mode, lanes.to_vec()))
    })
}

/// A random LTP as numbers; one time in eight a Null LTP: flit 0 of an LT opcode, zeros after it.
fn random_flits(rng: &mut ChaCha8Rng) -> (Flits, bool) {
    if rng.random_range(0..8) == 0 {
        let opcode = rng.random_range(0x22..=0x28u64);
        let mut flits = [0; 16];
        flits[0] = u128::from(opcode << 56 | rng.random::<u64>() >> 8);
        return (flits, true);
    }
    let mut flits: Flits = std::array::from_fn(|_| rng.random::<u128>() & ((1 << 65) - 1));
    // A reliable LTP does not begin with an LT flit.
    flits[0] |= 1 << 64;
    (flits, false)
}

/// The same as the model takes it.
fn model_ltp(flits: &Flits, null: bool, side: [bool; 2]) -> Ltp {
    let flit = |bits: u128| Flit::from_bits(bits).expect("65 bits");
    if null {
        return NullLtp::new(flit(flits[0])).expect("a link-transfer flit").ltp();
    }
    Ltp { flits: flits.map(flit), sideband: Sideband { c0: side[0], c1: side[1] } }
}

/// Beats of B bits at each F, both ways, and the model's decoder.
fn check_beats(format: &LtpFormat, ltp: &Ltp, null: bool, bits: &[bool], context: &str) {
    let wire = format.encode(ltp);
    let bits_of_model: Vec<bool> = wire.bits().iter().by_vals().collect();
    assert_eq!(bits_of_model, bits, "{context}: bits of {ltp:?}");
    for f in [1, 2, 4] {
        let width = bits.len() / 16 * f;
        let beats = wire.wire_beats(f).expect("F is allowed");
        assert_eq!(beats.len(), 16 / f, "{context}, F = {f}");
        for (beat, expected) in beats.iter().zip(bits.chunks(width)) {
            assert!(beat.bits().iter().by_vals().eq(expected.iter().copied()), "{context}, F = {f}");
        }
        assert_eq!(LtpBits::from_wire_beats(&beats), Ok(wire.clone()), "{context}, F = {f}");
    }
    let decoded = format.decode(&wire).expect("an LTP");
    assert!(decoded.is_good() && decoded.ltp == *ltp, "{context}: {decoded:?}");
    assert_eq!(decoded.ltp.null().is_some(), null, "{context}");
}

#[test]
fn every_mode_beat_width_and_number_of_lanes_is_the_second_computations() {
    let mut rng = support::random("golden model");
    let ltps = support::count(300, 100_000);
    for (number, mode, physical) in setups() {
        let lanes = physical.len();
        let format = LtpFormat::new(mode, lanes).expect("a format");
        let setup = LaneSetup::new(&physical, mode).expect("lanes");
        let mut distributor = LaneDistributor::new(setup.clone()).expect("a distributor");
        let mut collector = LaneCollector::new(setup).expect("a collector");
        let mut second = Lanes::new(&physical);
        let (mut rows_due, mut back, mut nulls) = (vec![], vec![], 0);
        for ltp in 0..ltps {
            let context = format!("mode {number}, {lanes} lanes, LTP {ltp}");
            let (flits, null) = random_flits(&mut rng);
            let side = [rng.random(), rng.random()].map(|bit: bool| bit && number == 1 && !null);
            let bits = ltp_bits(number, lanes, &flits, side);
            check_beats(&format, &model_ltp(&flits, null, side), null, &bits, &context);
            nulls += u64::from(null);
            // The words on the lanes, in rows, and back.
            let ltp_words = words(&bits);
            distributor.push(&ltp_words);
            rows_due.extend(second.deal(&ltp_words));
            back.extend(ltp_words);
            for row in distributor.rows().expect("rows") {
                back = take_row(&row, &mut rows_due, &mut collector, back, &context);
            }
        }
        assert!(rows_due.len() < lanes && back.len() < lanes, "everything but an open row went out");
        assert!(nulls > ltps / 16, "only {nulls} Null LTPs");
        println!("mode {number}, {lanes} lanes, F = 1, 2, 4: {ltps} LTPs, {nulls} of them Null, equal");
    }
}

/// One row of the dealer: the start row, or the next words due. Gives what the collector still owes.
fn take_row(
    row: &[LaneWord],
    due: &mut Vec<(usize, bool, u32)>,
    collector: &mut LaneCollector,
    back: Vec<u32>,
    context: &str,
) -> Vec<u32> {
    let start = matches!(row[0], LaneWord::Control(word) if word & 0xFFFF == 0x2DBC);
    if !start {
        let expected: Vec<_> = due.drain(..row.len()).collect();
        let found = row.iter().enumerate().map(|(lane, word)| match *word {
            LaneWord::Control(word) => (lane, true, word),
            LaneWord::Data(word) => (lane, false, word),
        });
        assert!(found.eq(expected.iter().copied()), "{context}: {row:X?}, expected {expected:X?}");
    }
    let collected = collector.push(row).expect("a good row");
    assert!(back.starts_with(&collected), "{context}: {collected:X?}");
    back[collected.len()..].to_vec()
}

/// The comparison is one that can fail: with any bit of a polynomial turned, no LTP is equal.
#[test]
fn another_polynomial_is_not_equal() {
    let mut rng = support::random("other polynomials");
    for (number, mode, physical) in setups() {
        let format = LtpFormat::new(mode, physical.len()).expect("a format");
        let (flits, _) = random_flits(&mut rng);
        let expected = ltp_bits(number, physical.len(), &flits, [false; 2]);
        for bit in 1..format.polynomials()[0].width() {
            let mut polynomials = format.polynomials().to_vec();
            let Some(other) = Polynomial::new(polynomials[0].coefficients() ^ 1 << bit) else { continue };
            polynomials[0] = other;
            let Ok(other) = format.clone().with_polynomials(&polynomials) else { continue };
            let wire = other.encode(&model_ltp(&flits, false, [false; 2]));
            assert!(!wire.bits().iter().by_vals().eq(expected.iter().copied()), "mode {number}, bit {bit}");
        }
    }
}
