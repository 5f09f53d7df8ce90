//! 8b10b, two symbols per clock.

use crate::config::ConfigError;
use crate::prim::{RamConfig, Rom};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::graph::MemoryStyle;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::code_8b10b::{comma_symbol, data_symbol, SYMBOL_BITS};
use flitforge_protocol::lane_word::COMMA;

/// Bits of a byte with its control flag.
const CHARACTER_BITS: usize = 9;
/// Bits of the coder's table: the symbol at negative and at positive disparity, and whether it changes the disparity.
const CODER_BITS: usize = 21;
/// Bits of the decoder's table: byte, control, bad at negative and at positive disparity, disparity behind it at either.
const DECODER_BITS: usize = 13;

fn coder_table() -> Vec<Bits<CODER_BITS>> {
    let entry = |address: u64| {
        let (byte, control) = (address as u8, address >> 8 == 1 && address as u8 == COMMA);
        let code = |positive| if control { comma_symbol(positive) } else { data_symbol(byte, positive) };
        let ((negative, behind), (positive, _)) = (code(false), code(true));
        let word = u64::from(negative) | u64::from(positive) << SYMBOL_BITS;
        Bits::from(word | u64::from(behind) << (2 * SYMBOL_BITS))
    };
    (0..1 << CHARACTER_BITS).map(entry).collect()
}

fn decoder_table() -> Vec<Bits<DECODER_BITS>> {
    // Per symbol its character, and the disparity behind it at either disparity at which it is legal.
    let mut legal: Vec<(u64, [Option<bool>; 2])> = vec![(0, [None; 2]); 1 << SYMBOL_BITS];
    for positive in [false, true] {
        let mut put = |character: u64, (symbol, behind): (u16, bool)| {
            let (known, at) = &mut legal[usize::from(symbol)];
            *known = character;
            at[usize::from(positive)] = Some(behind);
        };
        (0..=255).for_each(|byte| put(byte.into(), data_symbol(byte, positive)));
        put(1 << 8 | u64::from(COMMA), comma_symbol(positive));
    }
    let entry = |(symbol, (character, at)): (usize, (u64, [Option<bool>; 2]))| {
        let behind = |positive: bool| {
            let by_bits = match symbol.count_ones() as usize {
                ones if 2 * ones == SYMBOL_BITS => positive,
                ones => 2 * ones > SYMBOL_BITS,
            };
            at[usize::from(positive)].or(at[usize::from(!positive)]).unwrap_or(by_bits)
        };
        let flags = u64::from(at[0].is_none())
            | u64::from(at[1].is_none()) << 1
            | u64::from(behind(false)) << 2
            | u64::from(behind(true)) << 3;
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
#[derive(LogicBlock)]
pub struct CodeTx {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Two bytes, the first in bits 7..0.
    pub bytes: Signal<In, Bits<16>>,
    /// They are control bytes.
    pub control: Signal<In, Bits<2>>,
    /// Two symbols, the first in bits 9..0; bit 0 leaves first.
    pub symbols: Signal<Out, Bits<20>>,
    first: Rom<Bits<CODER_BITS>, CHARACTER_BITS>,
    second: Rom<Bits<CODER_BITS>, CHARACTER_BITS>,
    positive: DFF<Bit>,
    coded: DFF<Bits<20>>,
    middle: Signal<Local, Bit>,
    one: Signal<Local, Bits<SYMBOL_BITS>>,
    two: Signal<Local, Bits<SYMBOL_BITS>>,
}

impl CodeTx {
    /// A coder.
    pub fn new() -> Result<Self, ConfigError> {
        let rom = Rom::new(table(coder_table()))?;
        Ok(Self {
            clock: Default::default(),
            bytes: Default::default(),
            control: Default::default(),
            symbols: Default::default(),
            first: rom.clone(),
            second: rom,
            positive: Default::default(),
            coded: Default::default(),
            middle: Default::default(),
            one: Default::default(),
            two: Default::default(),
        })
    }
}

impl Logic for CodeTx {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, positive, coded);
        clock!(self, clock, first, second);
        self.first.enable.next = true;
        self.first.output_enable.next = true;
        self.second.enable.next = true;
        self.second.output_enable.next = true;
        self.first.address.next = bit_cast::<9, 8>(self.bytes.val().get_bits::<8>(0))
            | (bit_cast::<9, 1>(self.control.val().get_bits::<1>(0)) << 8);
        self.second.address.next = bit_cast::<9, 8>(self.bytes.val().get_bits::<8>(8))
            | (bit_cast::<9, 1>(self.control.val().get_bits::<1>(1)) << 8);

        self.middle.next = self.positive.q.val() ^ self.first.data.val().get_bit(20);
        self.positive.d.next = self.middle.val() ^ self.second.data.val().get_bit(20);
        self.one.next = self.first.data.val().get_bits::<10>(0);
        if self.positive.q.val() {
            self.one.next = self.first.data.val().get_bits::<10>(10);
        }
        self.two.next = self.second.data.val().get_bits::<10>(0);
        if self.middle.val() {
            self.two.next = self.second.data.val().get_bits::<10>(10);
        }
        self.coded.d.next = bit_cast::<20, 10>(self.one.val()) | (bit_cast::<20, 10>(self.two.val()) << 10);
        self.symbols.next = self.coded.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("code_8b10b_tx", &[])
    }
}

drive_ports!(impl[] CodeTx { clock, bytes, control, symbols });

/// `code_8b10b_rx`: two symbols per clock to two bytes, 3 clocks, with a flag for what no character has at the running disparity.
///
/// Behind a symbol of the other disparity, the running disparity is that of the symbol; behind one that does not exist, that of its
/// bits. So one wrong bit is flagged once or twice. Negative at power-on.
#[derive(LogicBlock)]
pub struct CodeRx {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Two symbols, the first in bits 9..0; bit 0 came first.
    pub symbols: Signal<In, Bits<20>>,
    /// Two bytes, the first in bits 7..0; of a symbol that does not exist, 0.
    pub bytes: Signal<Out, Bits<16>>,
    /// They are K28.5.
    pub control: Signal<Out, Bits<2>>,
    /// Their symbols are none, or of the other disparity.
    pub bad: Signal<Out, Bits<2>>,
    first: Rom<Bits<DECODER_BITS>, SYMBOL_BITS>,
    second: Rom<Bits<DECODER_BITS>, SYMBOL_BITS>,
    positive: DFF<Bit>,
    out_bytes: DFF<Bits<16>>,
    out_control: DFF<Bits<2>>,
    out_bad: DFF<Bits<2>>,
    middle: Signal<Local, Bit>,
    first_bad: Signal<Local, Bit>,
    second_bad: Signal<Local, Bit>,
}

impl CodeRx {
    /// A decoder.
    pub fn new() -> Result<Self, ConfigError> {
        let rom = Rom::new(table(decoder_table()))?;
        Ok(Self {
            clock: Default::default(),
            symbols: Default::default(),
            bytes: Default::default(),
            control: Default::default(),
            bad: Default::default(),
            first: rom.clone(),
            second: rom,
            positive: Default::default(),
            out_bytes: Default::default(),
            out_control: Default::default(),
            out_bad: Default::default(),
            middle: Default::default(),
            first_bad: Default::default(),
            second_bad: Default::default(),
        })
    }
}

impl Logic for CodeRx {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, positive, out_bytes, out_control, out_bad);
        clock!(self, clock, first, second);
        self.first.enable.next = true;
        self.first.output_enable.next = true;
        self.second.enable.next = true;
        self.second.output_enable.next = true;
        self.first.address.next = self.symbols.val().get_bits::<10>(0);
        self.second.address.next = self.symbols.val().get_bits::<10>(10);

        self.middle.next = self.first.data.val().get_bit(11);
        self.first_bad.next = self.first.data.val().get_bit(9);
        if self.positive.q.val() {
            self.middle.next = self.first.data.val().get_bit(12);
            self.first_bad.next = self.first.data.val().get_bit(10);
        }
        self.positive.d.next = self.second.data.val().get_bit(11);
        self.second_bad.next = self.second.data.val().get_bit(9);
        if self.middle.val() {
            self.positive.d.next = self.second.data.val().get_bit(12);
            self.second_bad.next = self.second.data.val().get_bit(10);
        }
        self.out_bytes.d.next = bit_cast::<16, 8>(self.first.data.val().get_bits::<8>(0))
            | (bit_cast::<16, 8>(self.second.data.val().get_bits::<8>(0)) << 8);
        self.out_control.d.next = bit_cast::<2, 1>(self.first.data.val().get_bits::<1>(8))
            | (bit_cast::<2, 1>(self.second.data.val().get_bits::<1>(8)) << 1);
        self.out_bad.d.next = bit_cast::<2, 1>(self.first_bad.val().into())
            | (bit_cast::<2, 1>(self.second_bad.val().into()) << 1);
        self.bytes.next = self.out_bytes.q.val();
        self.control.next = self.out_control.q.val();
        self.bad.next = self.out_bad.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("code_8b10b_rx", &[])
    }
}

drive_ports!(impl[] CodeRx { clock, symbols, bytes, control, bad });
