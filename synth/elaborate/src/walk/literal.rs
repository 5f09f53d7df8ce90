//! Numbers in rust-hdl's syntax tree: literals, match patterns, index texts.

use crate::value::Value;
use rust_hdl::prelude::VerilogLiteral;

/// Digits of a literal, and whether it is negative.
fn digits(literal: &VerilogLiteral) -> (bool, String) {
    let text = format!("{literal:x}");
    let digits = text.split_once("'h").map_or("0", |(_, digits)| digits);
    match digits.strip_prefix('-') {
        Some(digits) => (true, digits.into()),
        None => (false, digits.into()),
    }
}

/// `text` in radix 2^`bits_per_digit` as a value of `width` bits; higher bits are cut off.
fn from_digits(text: &str, bits_per_digit: u32, width: u32) -> Value {
    let mut value = Value::zero(width);
    for (index, digit) in text.chars().rev().enumerate() {
        let digit = digit.to_digit(1 << bits_per_digit).unwrap_or(0);
        for bit in 0..bits_per_digit {
            value.set_bit(bits_per_digit * index as u32 + bit, digit >> bit & 1 == 1);
        }
    }
    value
}

/// `digits` (hexadecimal) as a value of `width` bits, if they are digits and fit.
pub(crate) fn hex_value(digits: &str, width: u32) -> Option<Value> {
    let legal = !digits.is_empty() && digits.chars().all(|digit| digit.is_ascii_hexdigit());
    let wide = from_digits(digits, 4, width.max(4 * digits.len() as u32));
    (legal && wide.slice(width, wide.width().saturating_sub(width).max(1)).is_zero())
        .then(|| wide.resize(width))
}

/// The literal as a value of `width` bits (two's complement if negative).
pub(crate) fn literal_value(literal: &VerilogLiteral, width: u32) -> Value {
    let (negative, digits) = digits(literal);
    let value = from_digits(&digits, 4, width);
    if negative {
        negate(&value)
    } else {
        value
    }
}

/// Two's complement negation.
pub(crate) fn negate(value: &Value) -> Value {
    let mut out = Value::zero(value.width());
    let mut carry = true;
    for index in 0..value.width() {
        let flipped = !value.bit(index);
        out.set_bit(index, flipped ^ carry);
        carry &= flipped;
    }
    out
}

/// The literal as a number; `None` beyond 127 bits.
pub(crate) fn literal_number(literal: &VerilogLiteral) -> Option<i128> {
    let (negative, digits) = digits(literal);
    let number = i128::from_str_radix(&digits, 16).ok()?;
    Some(if negative { -number } else { number })
}

/// True if the literal was a `bool`: rust-hdl gives only those one bit.
pub(crate) fn is_bool(literal: &VerilogLiteral) -> bool {
    format!("{literal:x}").starts_with("1'h")
}

/// A literal of Verilog with a base: `8'h1f`. `None` if it has other digits, or does not fit.
pub(crate) fn verilog_value(text: &str, width: u32) -> Option<Value> {
    let (_, digits) = text.trim().split_once('\'')?;
    match digits.split_at_checked(1)? {
        ("h", digits) => hex_value(digits, width),
        ("b", digits) if !digits.is_empty() && digits.chars().all(|digit| matches!(digit, '0' | '1')) => {
            let highest = digits.trim_start_matches('0').len();
            (highest <= width as usize).then(|| {
                let mut value = Value::zero(width);
                for (index, digit) in digits.chars().rev().take(width as usize).enumerate() {
                    value.set_bit(index as u32, digit == '1');
                }
                value
            })
        }
        _ => None,
    }
}

/// A Rust integer token: `12`, `0xA_u8`, `1_000`.
pub(crate) fn rust_number(text: &str) -> Option<i128> {
    const SUFFIXES: [&str; 10] = ["usize", "isize", "u128", "i128", "u64", "i64", "u32", "i32", "u16", "u8"];
    let text = text.replace('_', "");
    let text = SUFFIXES.iter().find_map(|suffix| text.strip_suffix(suffix)).unwrap_or(&text);
    let (radix, digits) = match text.split_at_checked(2) {
        Some(("0x", digits)) => (16, digits),
        Some(("0b", digits)) => (2, digits),
        Some(("0o", digits)) => (8, digits),
        _ => (10, text),
    };
    i128::from_str_radix(digits, radix).ok()
}

/// The value of an index expression such as `(i + 1) % 8`, with `variable` giving loop variables.
/// Rust's precedence; `None` for anything that is not integer arithmetic, or overflows.
pub(crate) fn index_value(text: &str, variable: &dyn Fn(&str) -> Option<i128>) -> Option<i128> {
    let mut parser = IndexParser { rest: text, variable };
    let value = parser.binary(0)?;
    (parser.rest.is_empty() && value >= 0).then_some(value)
}

struct IndexParser<'a> {
    rest: &'a str,
    variable: &'a dyn Fn(&str) -> Option<i128>,
}

/// Operators, weakest first.
const LEVELS: [&[&str]; 6] = [&["|"], &["^"], &["&"], &["<<", ">>"], &["+", "-"], &["*", "/", "%"]];

impl IndexParser<'_> {
    fn binary(&mut self, level: usize) -> Option<i128> {
        let Some(operators) = LEVELS.get(level) else { return self.atom() };
        let mut left = self.binary(level + 1)?;
        while let Some(operator) = operators.iter().find(|operator| self.rest.starts_with(**operator)) {
            self.rest = &self.rest[operator.len()..];
            let right = self.binary(level + 1)?;
            left = apply(operator, left, right)?;
        }
        Some(left)
    }

    fn atom(&mut self) -> Option<i128> {
        if let Some(rest) = self.rest.strip_prefix('(') {
            self.rest = rest;
            let value = self.binary(0)?;
            self.rest = self.rest.strip_prefix(')')?;
            return Some(value);
        }
        let end = self
            .rest
            .find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')
            .unwrap_or(self.rest.len());
        let (token, rest) = self.rest.split_at(end);
        self.rest = rest;
        if token.starts_with(|first: char| first.is_ascii_digit()) {
            rust_number(token)
        } else {
            (self.variable)(token)
        }
    }
}

fn apply(operator: &str, left: i128, right: i128) -> Option<i128> {
    let value = match operator {
        "|" => left | right,
        "^" => left ^ right,
        "&" => left & right,
        "<<" => left.checked_shl(u32::try_from(right).ok()?)?,
        ">>" => left.checked_shr(u32::try_from(right).ok()?)?,
        "+" => left.checked_add(right)?,
        "-" => left.checked_sub(right)?,
        "*" => left.checked_mul(right)?,
        "/" => left.checked_div(right)?,
        _ => left.checked_rem(right)?,
    };
    (value >= 0).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_follow_rust_precedence() {
        let variable = |name: &str| (name == "i").then_some(6);
        assert_eq!(index_value("(i+1)%8", &variable), Some(7));
        assert_eq!(index_value("i*2+1", &variable), Some(13));
        assert_eq!(index_value("1+i<<1", &variable), Some(14));
        assert_eq!(index_value("i-7", &variable), None);
        assert_eq!(index_value("N-1", &variable), None);
        assert_eq!(index_value("i)", &variable), None);
    }

    #[test]
    fn tokens_of_every_radix_and_suffix() {
        for text in ["10", "0xA", "0b1010_u8", "1_0usize", "0o12"] {
            assert_eq!(rust_number(text), Some(10), "{text}");
        }
        assert_eq!(rust_number("x"), None);
        assert_eq!(hex_value("1f", 5), Some(Value::from_u64(5, 31)));
        assert_eq!(hex_value("3f", 5), None);
        assert_eq!(verilog_value("3'b101", 3), Some(Value::from_u64(3, 5)));
    }
}
