//! 8b10b, from the standard's tables as printed (chapter 10, 4.7): a coder and a decoder, symbol by symbol.
//!
//! The tables hold both forms of each sub-code, so that nothing here is made by rule.

use std::collections::BTreeMap;
use std::sync::OnceLock;

/// K28.5's byte.
const COMMA: u8 = 0xBC;

/// abcdei of D.0 to D.31: at negative, at positive running disparity.
const SIX: [(&str, &str); 32] = [
    ("100111", "011000"),
    ("011101", "100010"),
    ("101101", "010010"),
    ("110001", "110001"),
    ("110101", "001010"),
    ("101001", "101001"),
    ("011001", "011001"),
    ("111000", "000111"),
    ("111001", "000110"),
    ("100101", "100101"),
    ("010101", "010101"),
    ("110100", "110100"),
    ("001101", "001101"),
    ("101100", "101100"),
    ("011100", "011100"),
    ("010111", "101000"),
    ("011011", "100100"),
    ("100011", "100011"),
    ("010011", "010011"),
    ("110010", "110010"),
    ("001011", "001011"),
    ("101010", "101010"),
    ("011010", "011010"),
    ("111010", "000101"),
    ("110011", "001100"),
    ("100110", "100110"),
    ("010110", "010110"),
    ("110110", "001001"),
    ("001110", "001110"),
    ("101110", "010001"),
    ("011110", "100001"),
    ("101011", "010100"),
];
/// fghj of x.0 to x.6 and x.P7.
const FOUR: [(&str, &str); 8] = [
    ("1011", "0100"),
    ("1001", "1001"),
    ("0101", "0101"),
    ("1100", "0011"),
    ("1101", "0010"),
    ("1010", "1010"),
    ("0110", "0110"),
    ("1110", "0001"),
];
/// fghj of x.A7.
const ALTERNATE: (&str, &str) = ("0111", "1000");
/// K28.5.
const K28_5: (&str, &str) = ("0011111010", "1100000101");

/// A byte, data or K28.5.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Character {
    /// The byte.
    pub byte: u8,
    /// It is K28.5.
    pub control: bool,
}

/// What a decoder says of a symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decoded {
    /// The byte; `None` if no character has this symbol at any disparity.
    pub character: Option<Character>,
    /// No character has it at the running disparity.
    pub bad: bool,
}

/// Running disparity: -1 or +1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Disparity(pub i8);

fn excess(printed: &str) -> i8 {
    printed.chars().map(|bit| if bit == '1' { 1 } else { -1 }).sum()
}

/// The symbol as printed, and the disparity after it.
fn printed(character: Character, running: Disparity) -> (String, Disparity) {
    let form = |(negative, positive): (&'static str, &'static str), running: i8| {
        if running < 0 {
            negative
        } else {
            positive
        }
    };
    let after = |running: i8, code: &str| if excess(code) == 0 { running } else { excess(code).signum() };
    if character.control {
        let code = form(K28_5, running.0);
        return (code.into(), Disparity(after(running.0, code)));
    }
    let (low, high) = (character.byte % 32, character.byte / 32);
    let six = form(SIX[usize::from(low)], running.0);
    let middle = after(running.0, six);
    let alternate = match middle {
        -1 => matches!(low, 17 | 18 | 20),
        _ => matches!(low, 11 | 13 | 14),
    };
    let four = form(if high == 7 && alternate { ALTERNATE } else { FOUR[usize::from(high)] }, middle);
    (format!("{six}{four}"), Disparity(after(middle, four)))
}

/// The symbol, bit a in bit 0, and the disparity after it. Of control characters only K28.5 has one here; others are
/// coded as data.
pub fn encode(character: Character, running: Disparity) -> (u16, Disparity) {
    let control = character.control && character.byte == COMMA;
    let (text, after) = printed(Character { control, ..character }, running);
    (text.chars().rev().fold(0, |symbol, bit| symbol << 1 | u16::from(bit == '1')), after)
}

/// Every symbol with its character, at each disparity at which it is legal, and the disparity after it.
fn symbols() -> &'static BTreeMap<(u16, Disparity), (Character, Disparity)> {
    static SYMBOLS: OnceLock<BTreeMap<(u16, Disparity), (Character, Disparity)>> = OnceLock::new();
    SYMBOLS.get_or_init(|| {
        let mut symbols = BTreeMap::new();
        let data = (0..=255).map(|byte| Character { byte, control: false });
        for character in data.chain([Character { byte: COMMA, control: true }]) {
            for running in [Disparity(-1), Disparity(1)] {
                let (symbol, after) = encode(character, running);
                symbols.insert((symbol, running), (character, after));
            }
        }
        symbols
    })
}

/// A decoder's view of a symbol, and the disparity it goes on with: after a symbol of the other disparity that of the symbol,
/// after one that does not exist that of its bits.
pub fn decode(symbol: u16, running: Disparity) -> (Decoded, Disparity) {
    let at = |running: Disparity| symbols().get(&(symbol, running)).copied();
    match (at(running), at(Disparity(-running.0))) {
        (Some((character, after)), _) => (Decoded { character: Some(character), bad: false }, after),
        (None, Some((character, after))) => (Decoded { character: Some(character), bad: true }, after),
        (None, None) => {
            let ones = (symbol & 0x3FF).count_ones();
            let after = if ones == 5 { running } else { Disparity(if ones > 5 { 1 } else { -1 }) };
            (Decoded { character: None, bad: true }, after)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flitforge_protocol::code_8b10b::{comma_symbol, data_symbol};

    #[test]
    fn every_character_is_coded_as_the_rules_code_it_and_decoded_again() {
        for running in [Disparity(-1), Disparity(1)] {
            for byte in 0..=255 {
                let character = Character { byte, control: false };
                let (symbol, after) = encode(character, running);
                assert_eq!((symbol, after.0 > 0), data_symbol(byte, running.0 > 0), "{byte:02X} {running:?}");
                let good = Decoded { character: Some(character), bad: false };
                assert_eq!(decode(symbol, running), (good, after));
            }
            let comma = Character { byte: COMMA, control: true };
            let (symbol, after) = encode(comma, running);
            assert_eq!((symbol, after.0 > 0), comma_symbol(running.0 > 0));
            assert_eq!(decode(symbol, running).0, Decoded { character: Some(comma), bad: false });
        }
    }

    #[test]
    fn the_code_is_balanced_and_has_no_run_of_six() {
        // 256 data symbols, K28.5, each at two disparities; balanced ones of one form are shared.
        let mut legal: Vec<u16> = symbols().keys().map(|(symbol, _)| *symbol).collect();
        legal.sort_unstable();
        legal.dedup();
        assert!(legal.iter().all(|symbol| (4..=6).contains(&symbol.count_ones())));
        // The comma, five alike after two others, is in no data symbol and in no two of them.
        let comma = |bits: u32, at: u32| matches!(bits >> at & 0x7F, 0b1111100 | 0b0000011);
        let data = |byte, running| encode(Character { byte, control: false }, running);
        for running in [Disparity(-1), Disparity(1)] {
            for (first, second) in (0..=255).flat_map(|first| (0..=255).map(move |second| (first, second))) {
                let (one, middle) = data(first, running);
                let (two, _) = data(second, middle);
                let bits = u32::from(one) | u32::from(two) << 10;
                assert!((0..=13).all(|at| !comma(bits, at)), "{first:02X} {second:02X}");
            }
            let (comma_itself, _) = encode(Character { byte: COMMA, control: true }, running);
            assert!(comma(comma_itself.into(), 0), "{comma_itself:010b}");
        }
    }

    #[test]
    fn an_inverted_line_turns_training_bytes_over() {
        // 4A and B5, 45 and BA, and K28.5 itself (chapter 10, 4.6 rule 1).
        for (sent, seen) in [(0x4A, 0xB5), (0x45, 0xBA)] {
            for running in [Disparity(-1), Disparity(1)] {
                let (symbol, _) = encode(Character { byte: sent, control: false }, running);
                let (decoded, _) = decode(!symbol & 0x3FF, Disparity(-running.0));
                assert_eq!(decoded.character.map(|character| character.byte), Some(seen));
            }
        }
    }
}
