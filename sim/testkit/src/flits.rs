//! Beats of flits as ports have them.

use crate::wide::{bits_of, place_bits};
use flitforge_elaborate::Value;
use flitforge_model::Flit;
use flitforge_protocol::flit::FLIT_BITS;

/// A beat: flit 0 in the lowest bits.
pub fn beat_value(flits: &[Flit]) -> Value {
    let mut value = Value::zero((flits.len() * FLIT_BITS) as u32);
    for (slot, flit) in flits.iter().enumerate() {
        place_bits(&mut value, slot * FLIT_BITS, FLIT_BITS, flit.bits());
    }
    value
}

/// The flits of a beat.
#[track_caller]
pub fn flits_of(value: &Value) -> Vec<Flit> {
    first_flits(value, value.width() as usize / FLIT_BITS)
}

/// The first flits of a value; what stands above them is left out.
#[track_caller]
pub fn first_flits(value: &Value, count: usize) -> Vec<Flit> {
    (0..count).map(|slot| flit_of(value, slot)).collect()
}

/// A flit of a beat.
#[track_caller]
pub fn flit_of(value: &Value, slot: usize) -> Flit {
    match Flit::from_bits(bits_of(value, slot * FLIT_BITS, FLIT_BITS)) {
        Ok(flit) => flit,
        Err(error) => panic!("flit {slot} of {value:x}: {error}"),
    }
}

/// A Body flit that no two numbers and no two ends of a link share.
pub fn numbered_body(end: usize, number: u64) -> Flit {
    Flit::body(number.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ end as u64)
}

#[cfg(test)]
mod tests {
    use super::{beat_value, first_flits, flits_of, numbered_body};
    use flitforge_model::Flit;

    #[test]
    fn flits_come_back() {
        let flits = [numbered_body(0, 7), Flit::IDLE, numbered_body(1, 7), numbered_body(1, 8)];
        assert_eq!(flits_of(&beat_value(&flits)), flits);
        assert_eq!(first_flits(&beat_value(&flits), 3), flits[..3]);
        assert_eq!(beat_value(&flits[..1]).words(), [flits[0].data(), (flits[0].bits() >> 64) as u64]);
    }
}
