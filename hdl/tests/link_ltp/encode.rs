//! LTPs bit by bit, as chapter 10, 3.5 words them, and random flits.

use flitforge_elaborate::Value;
use flitforge_protocol::crc::{Polynomial, BITS14, STANDARD};
use flitforge_protocol::flit::{is_reliable_code, Opcode};
use flitforge_sim::kit::Rng;
use flitforge_testkit::wide::place;
use rand::Rng as _;

/// Bits of a flit.
pub const FLIT: u32 = 65;

/// The register after `bits`, `start` before them.
pub fn crc_register(polynomial: Polynomial, start: u32, bits: impl Iterator<Item = bool>) -> u32 {
    let (width, mask) = (polynomial.width(), polynomial.initial());
    bits.fold(start, |register, bit| {
        let feedback = (register >> (width - 1) & 1 == 1) != bit;
        (register << 1 & mask) ^ if feedback { polynomial.mask() } else { 0 }
    })
}

/// The CRC of `bits`, highest coefficient first.
fn crc(polynomial: Polynomial, bits: impl Iterator<Item = bool>) -> Vec<bool> {
    let register = crc_register(polynomial, polynomial.initial(), bits);
    (0..polynomial.width()).rev().map(|bit| register >> bit & 1 == 1).collect()
}

/// The 1056 bits of an LTP with these 1040 data bits.
pub fn ltp(data: &Value, bits14: bool, side: u64) -> Value {
    let mut ltp = data.resize(1056);
    let (polynomial, covered) = if bits14 { (BITS14, 1042) } else { (STANDARD, 1040) };
    if bits14 {
        place(&mut ltp, 1040, &Value::from_u64(2, side));
    }
    let register = crc(polynomial, (0..covered).map(|bit| ltp.bit(bit)));
    (covered..).zip(register).for_each(|(bit, value)| ltp.set_bit(bit, value));
    ltp
}

/// Kind of a flit: its control opcode, if it is one.
pub fn opcode(flit: &Value) -> Option<u8> {
    (flit.slice(62, 3).is_zero()).then(|| flit.slice(56, 6).low_u64() as u8)
}

/// A flit that a reliable LTP may carry and that is not Idle.
pub fn is_carried(flit: &Value) -> bool {
    opcode(flit).is_none_or(|code| is_reliable_code(code) && code != Opcode::Idle.code())
}

/// True for a flit that is neither carried nor Idle.
pub fn is_illegal(flit: &Value) -> bool {
    !is_carried(flit) && opcode(flit) != Some(Opcode::Idle.code())
}

/// True for an SPC flit.
pub fn is_special(flit: &Value) -> bool {
    opcode(flit) == Some(Opcode::Spc.code())
}

/// True for a time flit: SPC with subtype 1 to 4.
pub fn is_time(flit: &Value) -> bool {
    is_special(flit) && (1..=4).contains(&flit.slice(48, 8).low_u64())
}

/// A flit: data, a legal or an illegal control flit, an Idle with or without a payload; SPC subtypes are mostly
/// small.
pub fn random_flit(rng: &mut Rng) -> Value {
    let words = [rng.random(), rng.random_range(0..2)];
    let mut flit = Value::from_words(FLIT, &words);
    let mut control = |code: u64, subtype: Option<u64>| {
        place(&mut flit, 56, &Value::from_u64(9, code));
        if let Some(subtype) = subtype {
            place(&mut flit, 48, &Value::from_u64(8, subtype));
        }
    };
    match rng.random_range(0..9) {
        0 => control(rng.random_range(0..64), None),
        1 => control(6, Some(rng.random_range(0..8))),
        2 => control([2, 4, 5, 8, 9, 10][rng.random_range(0..6)], None),
        3 | 4 => flit = Value::zero(FLIT),
        5 => control(u64::from(Opcode::Idle.code()), None),
        _ => {}
    }
    flit
}

/// A beat of random flits; one in four is all Idle.
pub fn random_beat(rng: &mut Rng, flits: u32) -> Value {
    let mut beat = Value::zero(FLIT * flits);
    if rng.random_range(0..4) > 0 {
        (0..flits).for_each(|slot| place(&mut beat, FLIT * slot, &random_flit(rng)));
    }
    beat
}

/// Each flit of a beat by itself.
pub fn flits(beat: &Value) -> Vec<Value> {
    (0..beat.width() / FLIT).map(|slot| beat.slice(FLIT * slot, FLIT)).collect()
}

/// The beat with only those flits that `keep` likes, Idle for the others; and the mask of the others.
pub fn sift(beat: &Value, keep: impl Fn(&Value) -> bool) -> Value {
    let mut sifted = Value::zero(beat.width());
    for (slot, flit) in (0..).zip(flits(beat)) {
        if keep(&flit) {
            place(&mut sifted, FLIT * slot, &flit);
        }
    }
    sifted
}

/// One bit per slot: does `is` hold for its flit?
pub fn mask(beat: &Value, is: impl Fn(&Value) -> bool) -> u64 {
    flits(beat).iter().enumerate().fold(0, |mask, (slot, flit)| mask | u64::from(is(flit)) << slot)
}

/// A Null LTP's request: payload [47:0], opcode [55:48], all of them defined.
pub fn random_null(rng: &mut Rng) -> Value {
    let code = rng.random_range(0x22..=0x28u64);
    let payload = rng.random::<u64>() & 0xFFFF_FFFF_FFFF;
    let kind_mask = if code == 0x28 { !(0xC << 40) } else { !0 };
    Value::from_u64(56, code << 48 | (payload & kind_mask))
}

/// Flit 0 of the Null LTP.
pub fn null_flit(request: &Value) -> Value {
    let mut flit = request.slice(0, 48).resize(FLIT);
    place(&mut flit, 56, &request.slice(48, 8));
    flit
}
