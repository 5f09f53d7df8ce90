//! Symbols to words.

use super::code::CodeRx;
use crate::config::ConfigError;
use crate::link::lane::LANE_IN_BITS;
use crate::prim::stream::FlowOut;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::code_8b10b::{IDLE_WORD, SILENT_WORDS, STRAY_WORDS};

/// Bits of a search's patience: 128 clocks, 64 words, without a comma.
const PATIENCE_BITS: usize = 7;
/// Bits of the time after which a stray comma is forgotten, in clocks: a word takes two.
const CALM_BITS: usize = 7;
/// Bits of the count of idle words.
const SILENT_BITS: usize = 6;
const _: () = assert!(1 << CALM_BITS == 2 * STRAY_WORDS, "the count is full when a stray comma is old");
const _: () = assert!(1 << SILENT_BITS == SILENT_WORDS, "the count is full when the line is silent");

/// Turns the bits of symbols to their boundary: `offset` bits later than they come. 2 clocks.
#[derive(LogicBlock, Default)]
pub struct SymbolShift {
    /// Clock of symbol pairs.
    pub clock: Signal<In, Clock>,
    /// Twenty bits, bit 0 came first.
    pub symbols: Signal<In, Bits<20>>,
    /// The lane's two wires are exchanged.
    pub invert: Signal<In, Bit>,
    /// Pulse: the boundary is one bit later.
    pub step: Signal<In, Bit>,
    /// Twenty bits from the boundary on.
    pub shifted: Signal<Out, Bits<20>>,
    past: DFF<Bits<9>>,
    window: DFF<Bits<29>>,
    turn: DFF<Bit>,
    offset: DFF<Bits<4>>,
    out: DFF<Bits<20>>,
    chosen: Signal<Local, Bits<20>>,
}

impl Logic for SymbolShift {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, past, window, turn, offset, out);
        self.past.d.next = self.symbols.val().get_bits::<9>(11);
        self.window.d.next =
            bit_cast::<29, 9>(self.past.q.val()) | (bit_cast::<29, 20>(self.symbols.val()) << 9);
        self.turn.d.next = self.invert.val();
        if self.step.val() {
            self.offset.d.next = self.offset.q.val() + 1;
            if self.offset.q.val() == 9 {
                self.offset.d.next = 0.into();
            }
        }
        self.chosen.next = self.window.q.val().get_bits::<20>(self.offset.q.val().index());
        self.out.d.next = self.chosen.val();
        if self.turn.q.val() {
            self.out.d.next = !self.chosen.val();
        }
        self.shifted.next = self.out.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("symbol_shift", &[])
    }
}

drive_ports!(impl[] SymbolShift { clock, symbols, invert, step, shifted });

/// Words from pairs of bytes, by their commas: a word begins with the byte that is K28.5. 2 clocks from its last pair.
///
/// Four words with a comma where one is expected lock. Four bad words in a row unlock, as do four commas elsewhere with neither a
/// comma in its place nor 64 words without any between two of them. A word is bad if a byte of it is, or if a comma stands behind its
/// first byte. Without a lock, 64 words without a comma in its place ask for another bit boundary (`step`). 64 idle words without two
/// others in a row between them make the line `silent`, until two others come in a row; bad words count for neither.
#[derive(LogicBlock)]
pub struct WordAlign {
    /// Clock of symbol pairs.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear: searches.
    pub clear: Signal<In, Bit>,
    /// Two bytes, the first in bits 7..0.
    pub bytes: Signal<In, Bits<16>>,
    /// They are K28.5.
    pub control: Signal<In, Bits<2>>,
    /// They are bad.
    pub bad: Signal<In, Bits<2>>,
    /// Word in bits 31..0, ctl in bit 32, code_err in bit 33.
    pub words: FlowOut<Bits<LANE_IN_BITS>>,
    /// The word boundary is known.
    pub locked: Signal<Out, Bit>,
    /// Only idle words come.
    pub silent: Signal<Out, Bit>,
    /// Pulse: the bit boundary is to be one bit later.
    pub step: Signal<Out, Bit>,
    kept_byte: DFF<Bits<8>>,
    kept_flags: DFF<Bits<2>>,
    late: DFF<Bit>,
    // A pair from the word's side of the symbol boundary.
    pair: DFF<Bits<16>>,
    pair_comma: DFF<Bits<2>>,
    pair_bad: DFF<Bit>,
    // The first pair of the word.
    first: DFF<Bits<16>>,
    first_comma: DFF<Bit>,
    first_bad: DFF<Bit>,
    second_half: DFF<Bit>,
    found: DFF<Bit>,
    is_locked: DFF<Bit>,
    good: DFF<Bits<2>>,
    stray: DFF<Bits<2>>,
    calm: DFF<Bits<CALM_BITS>>,
    idles: DFF<Bits<SILENT_BITS>>,
    is_silent: DFF<Bit>,
    /// The last good word was not idle.
    spoke: DFF<Bit>,
    bad_words: DFF<Bits<2>>,
    patience: DFF<Bits<PATIENCE_BITS>>,
    steps: DFF<Bit>,
    idle: Constant<Bits<32>>,
    word: Signal<Local, Bits<32>>,
    ends: Signal<Local, Bit>,
    proper: Signal<Local, Bit>,
    astray: Signal<Local, Bit>,
    is_bad: Signal<Local, Bit>,
    lose: Signal<Local, Bit>,
    is_idle: Signal<Local, Bit>,
}

impl Default for WordAlign {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            clear: Default::default(),
            bytes: Default::default(),
            control: Default::default(),
            bad: Default::default(),
            words: Default::default(),
            locked: Default::default(),
            silent: Default::default(),
            step: Default::default(),
            kept_byte: Default::default(),
            kept_flags: Default::default(),
            late: Default::default(),
            pair: Default::default(),
            pair_comma: Default::default(),
            pair_bad: Default::default(),
            first: Default::default(),
            first_comma: Default::default(),
            first_bad: Default::default(),
            second_half: Default::default(),
            found: Default::default(),
            is_locked: Default::default(),
            good: Default::default(),
            stray: Default::default(),
            calm: Default::default(),
            idles: Default::default(),
            is_silent: Default::default(),
            spoke: Default::default(),
            bad_words: Default::default(),
            patience: Default::default(),
            steps: Default::default(),
            idle: Constant::new(u64::from(IDLE_WORD).into()),
            word: Default::default(),
            ends: Default::default(),
            proper: Default::default(),
            astray: Default::default(),
            is_bad: Default::default(),
            lose: Default::default(),
            is_idle: Default::default(),
        }
    }
}

impl Logic for WordAlign {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, kept_byte, kept_flags, late, pair, pair_comma, pair_bad, first, first_comma);
        dff_setup!(self, clock, first_bad, second_half, found, is_locked, good, stray, bad_words, patience);
        dff_setup!(self, clock, steps, calm, idles, is_silent, spoke);

        // Pairs of bytes, whichever of the two the words begin with.
        self.kept_byte.d.next = self.bytes.val().get_bits::<8>(8);
        self.kept_flags.d.next = bit_cast::<2, 1>(self.control.val().get_bits::<1>(1))
            | (bit_cast::<2, 1>(self.bad.val().get_bits::<1>(1)) << 1);
        self.pair.d.next = self.bytes.val();
        self.pair_comma.d.next = self.control.val() & !self.bad.val();
        self.pair_bad.d.next = self.bad.val().any();
        if self.late.q.val() {
            self.pair.d.next = bit_cast::<16, 8>(self.kept_byte.q.val())
                | (bit_cast::<16, 8>(self.bytes.val().get_bits::<8>(0)) << 8);
            self.pair_comma.d.next = bit_cast::<2, 1>((self.kept_flags.q.val() == 1).into())
                | (bit_cast::<2, 1>(self.control.val().get_bits::<1>(0) & !self.bad.val().get_bits::<1>(0))
                    << 1);
            self.pair_bad.d.next = self.kept_flags.q.val().get_bit(1) | self.bad.val().get_bit(0);
        }

        // Where the word begins.
        self.proper.next =
            self.pair_comma.q.val().get_bit(0) & (!self.second_half.q.val() | !self.found.q.val());
        self.astray.next = self.pair_comma.q.val().get_bit(1)
            | (self.pair_comma.q.val().get_bit(0) & self.second_half.q.val());
        self.second_half.d.next = !self.second_half.q.val();
        if !self.found.q.val() {
            self.second_half.d.next = false;
            if self.pair_comma.q.val().get_bit(0) {
                self.found.d.next = true;
                self.second_half.d.next = true;
            }
            if self.pair_comma.q.val() == 2 {
                self.late.d.next = !self.late.q.val();
            }
        }
        self.first.d.next = self.pair.q.val();
        self.first_comma.d.next = self.pair_comma.q.val().get_bit(0);
        self.first_bad.d.next = self.pair_bad.q.val() | self.pair_comma.q.val().get_bit(1);
        self.ends.next = self.second_half.q.val() & self.found.q.val();
        self.is_bad.next = (self.first_bad.q.val() | self.pair_bad.q.val()) | self.pair_comma.q.val().any();

        // Locking.
        self.lose.next = false;
        self.calm.d.next = self.calm.q.val() + 1;
        if self.calm.q.val().all() {
            self.stray.d.next = 0.into();
        }
        if self.proper.val() {
            self.stray.d.next = 0.into();
            if !self.is_locked.q.val() {
                self.good.d.next = self.good.q.val() + 1;
                if self.good.q.val().all() {
                    self.is_locked.d.next = true;
                }
            }
        }
        if self.found.q.val() & self.astray.val() {
            self.stray.d.next = self.stray.q.val() + 1;
            self.calm.d.next = 0.into();
            self.lose.next = self.stray.q.val().all() | !self.is_locked.q.val();
        }
        if self.ends.val() {
            self.bad_words.d.next = 0.into();
            if self.is_bad.val() {
                self.bad_words.d.next = self.bad_words.q.val() + 1;
                if self.bad_words.q.val().all() | !self.is_locked.q.val() {
                    self.lose.next = true;
                }
            }
        }
        self.patience.d.next = self.patience.q.val() + 1;
        self.steps.d.next = self.patience.q.val().all();
        if self.proper.val() | self.is_locked.q.val() {
            self.patience.d.next = 0.into();
            self.steps.d.next = false;
        }
        self.step.next = self.steps.q.val();
        if self.lose.val() | self.clear.val() {
            self.found.d.next = false;
            self.is_locked.d.next = false;
            self.good.d.next = 0.into();
            self.stray.d.next = 0.into();
            self.bad_words.d.next = 0.into();
        }
        self.locked.next = self.is_locked.q.val();
        self.word.next =
            bit_cast::<32, 16>(self.first.q.val()) | (bit_cast::<32, 16>(self.pair.q.val()) << 16);
        self.is_idle.next =
            (self.first_comma.q.val() & !self.is_bad.val()) & (self.word.val() == self.idle.val());
        if self.ends.val() & !self.is_bad.val() {
            self.spoke.d.next = !self.is_idle.val();
            if self.is_idle.val() {
                self.idles.d.next = self.idles.q.val() + 1;
                self.is_silent.d.next = self.is_silent.q.val() | self.idles.q.val().all();
            } else if self.spoke.q.val() {
                self.idles.d.next = 0.into();
                self.is_silent.d.next = false;
            }
        }
        if self.lose.val() | self.clear.val() {
            self.is_silent.d.next = true;
        }
        self.silent.next = self.is_silent.q.val();

        self.words.valid.next = (self.ends.val() & self.is_locked.q.val()) & !self.is_idle.val();
        self.words.data.next = (bit_cast::<LANE_IN_BITS, 32>(self.word.val())
            | (bit_cast::<LANE_IN_BITS, 1>(self.first_comma.q.val().into()) << 32))
            | (bit_cast::<LANE_IN_BITS, 1>(self.is_bad.val().into()) << 33);
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("word_align", &[])
    }
}

drive_ports!(impl[] WordAlign { clock, clear, bytes, control, bad, words, locked, silent, step });

/// `serdes_rx`: two symbols per clock to the words of one lane: bit boundary, 8b10b, word boundary.
///
/// A word with a symbol that is none, or of the wrong disparity, or with a comma behind its first byte has `code_err`. Idle words are
/// dropped. Nothing comes out before four words with their comma, and none of them, nor from the fourth bad word in a row on. `slip` moves the bit
/// boundary by one, after which a lock is searched anew; so does the search itself, every 64 words without a comma. 7 clocks from
/// a word's last symbols to the word.
#[derive(LogicBlock)]
pub struct SerdesRx {
    /// Clock of symbol pairs, recovered from the lane.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear: searches the word boundary.
    pub clear: Signal<In, Bit>,
    /// Twenty bits, bit 0 came first.
    pub symbols: Signal<In, Bits<20>>,
    /// The lane's two wires are exchanged.
    pub invert: Signal<In, Bit>,
    /// Pulse: the bit boundary is one bit later.
    pub slip: Signal<In, Bit>,
    /// Words: word in bits 31..0, ctl in bit 32, code_err in bit 33.
    pub words: FlowOut<Bits<LANE_IN_BITS>>,
    /// The word boundary is known.
    pub locked: Signal<Out, Bit>,
    /// Only idle words come.
    pub silent: Signal<Out, Bit>,
    shift: SymbolShift,
    decoder: CodeRx,
    align: WordAlign,
}

impl SerdesRx {
    /// A receiver that searches.
    pub fn new() -> Result<Self, ConfigError> {
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            symbols: Default::default(),
            invert: Default::default(),
            slip: Default::default(),
            words: Default::default(),
            locked: Default::default(),
            silent: Default::default(),
            shift: Default::default(),
            decoder: CodeRx::new()?,
            align: Default::default(),
        })
    }
}

impl Logic for SerdesRx {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, shift, decoder, align);
        self.shift.symbols.next = self.symbols.val();
        self.shift.invert.next = self.invert.val();
        self.shift.step.next = self.align.step.val() | self.slip.val();
        self.decoder.symbols.next = self.shift.shifted.val();
        self.align.clear.next = self.clear.val() | self.slip.val();
        self.align.bytes.next = self.decoder.bytes.val();
        self.align.control.next = self.decoder.control.val();
        self.align.bad.next = self.decoder.bad.val();
        FlowOut::<Bits<LANE_IN_BITS>>::link(&mut self.words, &mut self.align.words);
        self.locked.next = self.align.locked.val();
        self.silent.next = self.align.silent.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("serdes_rx", &[])
    }
}

drive_ports!(impl[] SerdesRx { clock, clear, symbols, invert, slip, words, locked, silent });
