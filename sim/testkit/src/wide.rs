//! Values of ports as numbers, and put together from parts.

use flitforge_elaborate::Value;
use flitforge_sim::{Bench, PortValues, SimError};

/// A value of up to 128 bits.
#[track_caller]
pub fn wide(value: &Value) -> u128 {
    assert!(value.width() <= 128, "{} bits", value.width());
    value.words().iter().rev().fold(0, |word, part| word << 64 | u128::from(*part))
}

/// A signed value of 1 to 128 bits.
#[track_caller]
pub fn signed(value: &Value) -> i128 {
    let unused = 128 - value.width();
    ((wide(value) << unused) as i128) >> unused
}

/// A number as a value of up to 128 bits; bits above `width` are cut off.
pub fn value_of(width: u32, number: u128) -> Value {
    Value::from_words(width, &[number as u64, (number >> 64) as u64])
}

/// The bits of a value from bit `low` up, at most 128.
#[track_caller]
pub fn bits_of(value: &Value, low: usize, width: usize) -> u128 {
    wide(&value.slice(low as u32, width as u32))
}

/// Puts a part into a value, from bit `low` up.
pub fn place(into: &mut Value, low: u32, part: &Value) {
    (0..part.width()).for_each(|bit| into.set_bit(low + bit, part.bit(bit)));
}

/// Puts the low `width` bits of a number into a value, from bit `low` up.
pub fn place_bits(into: &mut Value, low: usize, width: usize, bits: u128) {
    place(into, low as u32, &value_of(width as u32, bits));
}

/// Sets an input of a bench of up to 128 bits by path, for an agent of a test bench; bits above its width are cut off.
pub fn drive_wide(bench: &mut dyn Bench, path: &str, number: u128) -> Result<(), SimError> {
    let port = bench.port(path)?;
    let width = bench.width(port);
    bench.set(port, &value_of(width, number));
    Ok(())
}

/// Expects a port of up to 128 bits; bits above its width are cut off.
pub fn expect_wide(outputs: &mut PortValues, path: &str, number: u128) -> Result<(), SimError> {
    let width = outputs.get(path)?.width();
    outputs.set(path, value_of(width, number))
}

#[cfg(test)]
mod tests {
    use super::{bits_of, place_bits, signed, value_of, wide};
    use flitforge_elaborate::Value;

    #[test]
    fn numbers_come_back() {
        let number = 0x1234_5678_9ABC_DEF0_1111_2222_3333_4444;
        assert_eq!(wide(&value_of(128, number)), number);
        assert_eq!(wide(&value_of(65, number)), number & ((1 << 65) - 1));
        assert_eq!(signed(&value_of(65, 1 << 64)), -(1 << 64));
        assert_eq!(signed(&value_of(5, 15)), 15);
    }

    #[test]
    fn parts_stand_where_they_were_put() {
        let mut value = Value::ones(200);
        place_bits(&mut value, 60, 70, 0x2A_0000_0000_0000_0001);
        assert_eq!(bits_of(&value, 60, 70), 0x2A_0000_0000_0000_0001);
        assert_eq!((bits_of(&value, 0, 60), bits_of(&value, 130, 70)), ((1 << 60) - 1, (1 << 70) - 1));
    }
}
