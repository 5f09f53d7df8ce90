//! 8b10b, two symbols per clock.

use flitforge_elaborate::graph::MemoryStyle;
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::{RamConfig, Rom};
use flitforge_protocol::code_8b10b::{comma_symbol, data_symbol, SYMBOL_BITS};
use flitforge_protocol::lane_word::COMMA;

/// Bits of a byte with its control flag.
const CHARACTER_BITS: usize = 9;
/// Bits of the coder's table: the symbol at negative and at positive disparity, and whether it changes the disparity.
const CODER_BITS: usize = 21;
/// Bits of the decoder's table: byte, control, bad at negative and at positive disparity, disparity after it at either.
const DECODER_BITS: usize = 13;

fn coder_table() -> Vec<Bits<CODER_BITS>> {
    let entry = |address: u64| {
        let (byte, control) = (address as u8, address >> 8 == 1 && address as u8 == COMMA);
        let code = |positive| if control { comma_symbol(positive) } else { data_symbol(byte, positive) };
        let ((negative, after), (positive, _)) = (code(false), code(true));
        let word = u64::from(negative) | u64::from(positive) << SYMBOL_BITS;
        Bits::from(word | u64::from(after) << (2 * SYMBOL_BITS))
    };
    (0..1 << CHARACTER_BITS).map(entry).collect()
}

fn decoder_table() -> Vec<Bits<DECODER_BITS>> {
    // Per symbol its character, and the disparity after it at either disparity at which it is legal.
    let mut legal: Vec<(u64, [Option<bool>; 2])> = vec![(0, [None; 2]); 1 << SYMBOL_BITS];
    for positive in [false, true] {
        let mut put = |character: u64, (symbol, after): (u16, bool)| {
            let (known, at) = &mut legal[usize::from(symbol)];
            *known = character;
            at[usize::from(positive)] = Some(after);
        };
        (0..=255).for_each(|byte| put(byte.into(), data_symbol(byte, positive)));
        put(1 << 8 | u64::from(COMMA), comma_symbol(positive));
    }
    let entry = |(symbol, (character, at)): (usize, (u64, [Option<bool>; 2]))| {
        let after = |positive: bool| {
            let by_bits = match symbol.count_ones() as usize {
                ones if 2 * ones == SYMBOL_BITS => positive,
                ones => 2 * ones > SYMBOL_BITS,
            };
            at[usize::from(positive)].or(at[usize::from(!positive)]).unwrap_or(by_bits)
        };
        let flags = u64::from(at[0].is_none())
            | u64::from(at[1].is_none()) << 1
            | u64::from(after(false)) << 2
            | u64::from(after(true)) << 3;
        Bits::from(character | flags << CHARACTER_BITS)
    };
    legal.into_iter().enumerate().map(entry).collect()
}

fn table<T: Synth>(initial: Vec<T>) -> RamConfig<T> {
    RamConfig { depth: initial.len() as u32, style: MemoryStyle::Block, output_register: true, initial }
}

/// `code_8b10b_tx`: two bytes per clock to two symbols, 3 clocks. Running disparity is kept from power-on, where it is negative.
///
/// Of control bytes only K28.5 has a symbol; another is sent as data.
#[block("code_8b10b_tx", new)]
pub struct CodeTx {
    /// Clock.
    clock: In<Clock>,
    /// Two bytes, the first in bits 7..0.
    bytes: In<Bits<16>>,
    /// They are control bytes.
    control: In<Bits<2>>,
    /// Two symbols, the first in bits 9..0; bit 0 leaves first.
    symbols: Out<Bits<20>>,
    #[wire(clock, enable = true, output_enable = true)]
    first: Rom<Bits<CODER_BITS>, CHARACTER_BITS>,
    #[wire(clock, enable = true, output_enable = true)]
    second: Rom<Bits<CODER_BITS>, CHARACTER_BITS>,
    positive: Reg<Bit>,
    coded: Reg<Bits<20>>,
}

#[logic]
impl CodeTx {
    /// A coder.
    pub fn new() -> Result<Self, ConfigError> {
        let rom = Rom::new(table(coder_table()))?;
        Ok(Self { first: rom.clone(), second: rom, .. })
    }

    fn update(&mut self) {
        first.address = bit_cast::<9, 8>(bytes.bits::<8>(0)) | (bit_cast::<9, 1>(control.bits::<1>(0)) << 8);
        second.address = bit_cast::<9, 8>(bytes.bits::<8>(8)) | (bit_cast::<9, 1>(control.bits::<1>(1)) << 8);

        let middle = positive ^ first.data[20];
        positive = middle ^ second.data[20];
        let mut one = first.data.bits::<10>(0);
        if positive {
            one = first.data.bits::<10>(10);
        }
        let mut two = second.data.bits::<10>(0);
        if middle {
            two = second.data.bits::<10>(10);
        }
        coded = bit_cast::<20, 10>(one) | (bit_cast::<20, 10>(two) << 10);
        symbols = coded;
    }
}

/// `code_8b10b_rx`: two symbols per clock to two bytes, 3 clocks, with a flag for what no character has at the running disparity.
///
/// Behind a symbol of the other disparity, the running disparity is that of the symbol; behind one that does not exist, that of its
/// bits. So one wrong bit is flagged once or twice. Negative at power-on.
#[block("code_8b10b_rx", new)]
pub struct CodeRx {
    /// Clock.
    clock: In<Clock>,
    /// Two symbols, the first in bits 9..0; bit 0 came first.
    symbols: In<Bits<20>>,
    /// Two bytes, the first in bits 7..0; of a symbol that does not exist, 0.
    bytes: Out<Bits<16>>,
    /// They are K28.5.
    control: Out<Bits<2>>,
    /// Their symbols are none, or of the other disparity.
    bad: Out<Bits<2>>,
    #[wire(clock, enable = true, output_enable = true)]
    first: Rom<Bits<DECODER_BITS>, SYMBOL_BITS>,
    #[wire(clock, enable = true, output_enable = true)]
    second: Rom<Bits<DECODER_BITS>, SYMBOL_BITS>,
    positive: Reg<Bit>,
    out_bytes: Reg<Bits<16>>,
    out_control: Reg<Bits<2>>,
    out_bad: Reg<Bits<2>>,
}

#[logic]
impl CodeRx {
    /// A decoder.
    pub fn new() -> Result<Self, ConfigError> {
        let rom = Rom::new(table(decoder_table()))?;
        Ok(Self { first: rom.clone(), second: rom, .. })
    }

    fn update(&mut self) {
        first.address = symbols.bits::<10>(0);
        second.address = symbols.bits::<10>(10);

        let mut middle = first.data[11];
        let mut first_bad = first.data[9];
        if positive {
            middle = first.data[12];
            first_bad = first.data[10];
        }
        positive = second.data[11];
        let mut second_bad = second.data[9];
        if middle {
            positive = second.data[12];
            second_bad = second.data[10];
        }
        out_bytes =
            bit_cast::<16, 8>(first.data.bits::<8>(0)) | (bit_cast::<16, 8>(second.data.bits::<8>(0)) << 8);
        out_control =
            bit_cast::<2, 1>(first.data.bits::<1>(8)) | (bit_cast::<2, 1>(second.data.bits::<1>(8)) << 1);
        out_bad = bit_cast::<2, 1>(first_bad.into()) | (bit_cast::<2, 1>(second_bad.into()) << 1);
        bytes = out_bytes;
        control = out_control;
        bad = out_bad;
    }
}
