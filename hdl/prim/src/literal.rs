//! Bits of any rust-hdl value, for the markers of hand-written text.

use flitforge_elaborate::Value;
use rust_hdl::prelude::{Synth, VerilogLiteral};

/// The bits of `value`, two's complement for signed types.
pub fn bits_of<T: Synth>(value: T) -> Value {
    bits_of_literal(&value.verilog(), T::BITS)
}

fn bits_of_literal(literal: &VerilogLiteral, width: usize) -> Value {
    let text = format!("{literal:x}");
    let digits = text.split_once("'h").map_or("0", |(_, digits)| digits);
    let (negative, digits) = digits.strip_prefix('-').map_or((false, digits), |digits| (true, digits));
    let mut bits = Value::zero(width as u32);
    for (index, digit) in digits.chars().rev().enumerate() {
        let nibble = digit.to_digit(16).unwrap_or(0);
        for bit in 0..4 {
            bits.set_bit(4 * index as u32 + bit, nibble >> bit & 1 == 1);
        }
    }
    if negative {
        negate(&mut bits);
    }
    bits
}

fn negate(bits: &mut Value) {
    let mut carry = true;
    for index in 0..bits.width() {
        let flipped = !bits.bit(index);
        bits.set_bit(index, flipped ^ carry);
        carry &= flipped;
    }
}

/// The bits of `value` in hexadecimal, as markers want them.
pub fn hex_of<T: Synth>(value: T) -> String {
    format!("{:x}", bits_of(value))
}
