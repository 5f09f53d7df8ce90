//! The 8b10b line code of `phy_ecp5` (chapter 10, 4.7): 256 data symbols and K28.5.
//!
//! A symbol's bit 0 is the standard's bit a, which is sent first. Sub-codes are written here as the standard prints them, first bit
//! in front.

/// Bits of a symbol.
pub const SYMBOL_BITS: usize = 10;
/// What a lane without a word sends: a control word that no lane word is, K28.5 D16.2 D16.2 D16.2.
pub const IDLE_WORD: u32 = 0x5050_50BC;
/// Idle words in a row after which a lane counts as silent (chapter 10, 4.7, `phy_ecp5` reading 2).
pub const SILENT_WORDS: u32 = 64;
/// Words after which a comma out of its place is forgotten (chapter 10, 4.7, `phy_ecp5` reading 3).
pub const STRAY_WORDS: u32 = 64;

/// abcdei of D.0 to D.31 at negative running disparity.
const SIX: [u16; 32] = [
    0b100111, 0b011101, 0b101101, 0b110001, 0b110101, 0b101001, 0b011001, 0b111000, 0b111001, 0b100101,
    0b010101, 0b110100, 0b001101, 0b101100, 0b011100, 0b010111, 0b011011, 0b100011, 0b010011, 0b110010,
    0b001011, 0b101010, 0b011010, 0b111010, 0b110011, 0b100110, 0b010110, 0b110110, 0b001110, 0b101110,
    0b011110, 0b101011,
];
/// fghj of x.0 to x.7 at negative running disparity.
const FOUR: [u16; 8] = [0b1011, 0b1001, 0b0101, 0b1100, 0b1101, 0b1010, 0b0110, 0b1110];
/// fghj of x.7 where x.P7 would make a run of five.
const ALTERNATE_SEVEN: u16 = 0b0111;
/// K28.5 at negative running disparity.
const K28_5: u16 = 0b00_1111_1010;
/// The balanced sub-codes that have two forms all the same: D.7 and x.3.
const TWO_FORMS: [u16; 2] = [0b111000, 0b1100];

/// A symbol and the running disparity after it (true: positive).
pub type Coded = (u16, bool);

/// A sub-code of `bits` bits at this running disparity, and the disparity after it.
fn part(code: u16, bits: u32, positive: bool) -> Coded {
    let unbalanced = 2 * code.count_ones() != bits;
    let turned = (unbalanced || code == TWO_FORMS[usize::from(bits == 4)]) && positive;
    let mask = (1 << bits) - 1;
    (if turned { !code & mask } else { code }, positive ^ unbalanced)
}

/// The data symbol of a byte at this running disparity.
pub fn data_symbol(byte: u8, positive: bool) -> Coded {
    let (low, high) = (byte & 31, byte >> 5);
    let (six, after) = part(SIX[usize::from(low)], 6, positive);
    let run_of_five = if after { [11, 13, 14].contains(&low) } else { [17, 18, 20].contains(&low) };
    let four = if high == 7 && run_of_five { ALTERNATE_SEVEN } else { FOUR[usize::from(high)] };
    let (four, after) = part(four, 4, after);
    (first_bit_low(six << 4 | four), after)
}

/// K28.5 at this running disparity.
pub fn comma_symbol(positive: bool) -> Coded {
    let mask = (1 << SYMBOL_BITS) - 1;
    (first_bit_low(if positive { !K28_5 & mask } else { K28_5 }), !positive)
}

/// The order of the standard's print turned into bit 0 first.
fn first_bit_low(printed: u16) -> u16 {
    printed.reverse_bits() >> (16 - SYMBOL_BITS)
}

#[cfg(test)]
#[allow(clippy::unusual_byte_groupings, reason = "six bits and four, as the code has them")]
mod tests {
    use super::*;

    #[test]
    fn symbols_of_the_standard() {
        // Printed abcdei fghj.
        for (byte, positive, printed) in [
            (0x00, false, 0b100111_0100u16),
            (0x00, true, 0b011000_1011),
            (0xB5, false, 0b101010_1010),
            (0x4A, true, 0b010101_0101),
            (0xF1, false, 0b100011_0111),
            (0xEB, true, 0b110100_1000),
            (0xFF, false, 0b101011_0001),
            (0x67, false, 0b111000_1100),
        ] {
            assert_eq!(data_symbol(byte, positive).0, first_bit_low(printed), "{byte:02X} {positive}");
        }
        assert_eq!(comma_symbol(false), (0b01_0111_1100, true));
        assert_eq!(comma_symbol(true).0, !0b01_0111_1100 & 0x3FF);
    }
}
