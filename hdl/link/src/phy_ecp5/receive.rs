//! Symbols to words.

use super::code::CodeRx;
use crate::lane::LANE_IN_BITS;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::code_8b10b::{IDLE_WORD, SILENT_WORDS, STRAY_WORDS};

/// Bits of the timeout of a search: 128 clocks, 64 words, without a comma.
const TIMEOUT_BITS: usize = 7;
/// Bits of the time after which a stray comma is forgotten, in clocks: a word takes two.
const STEADY_BITS: usize = 7;
/// Bits of the count of idle words.
const SILENT_BITS: usize = 6;
const _: () = assert!(1 << STEADY_BITS == 2 * STRAY_WORDS, "the count is full when a stray comma is old");
const _: () = assert!(1 << SILENT_BITS == SILENT_WORDS, "the count is full when the line is silent");

/// Turns the bits of symbols to their boundary: `offset` bits later than they come. 2 clocks.
#[block("symbol_shift")]
pub struct SymbolShift {
    /// Clock of symbol pairs.
    clock: In<Clock>,
    /// Twenty bits, bit 0 came first.
    symbols: In<Bits<20>>,
    /// The lane's two wires are exchanged.
    invert: In<Bit>,
    /// Pulse: the boundary is one bit later.
    step: In<Bit>,
    /// Twenty bits from the boundary on.
    shifted: Out<Bits<20>>,
    past: Reg<Bits<9>>,
    window: Reg<Bits<29>>,
    turn: Reg<Bit>,
    offset: Reg<Bits<4>>,
    out: Reg<Bits<20>>,
}

#[logic]
impl SymbolShift {
    fn update(&mut self) {
        past = symbols.bits::<9>(11);
        window = bit_cast::<29, 9>(past) | (bit_cast::<29, 20>(symbols) << 9);
        turn = invert;
        if step {
            offset = offset + 1;
            if offset == 9 {
                offset = 0;
            }
        }
        let chosen = window.bits::<20>(offset);
        out = chosen;
        if turn {
            out = !chosen;
        }
        shifted = out;
    }
}

/// Words from pairs of bytes, by their commas: a word begins with the byte that is K28.5. 2 clocks from its last pair.
///
/// Four words with a comma where one is expected lock. Four bad words in a row unlock, as do four commas elsewhere with neither a
/// comma in its place nor 64 words without any between two of them. A word is bad if a byte of it is, or if a comma stands after its
/// first byte. Without a lock, 64 words without a comma in its place ask for another bit boundary (`step`). 64 idle words without two
/// others in a row between them make the line `silent`, until two others come in a row; bad words count for neither.
#[block("word_align")]
pub struct WordAlign {
    /// Clock of symbol pairs.
    clock: In<Clock>,
    /// Synchronous clear: searches.
    clear: In<Bit>,
    /// Two bytes, the first in bits 7..0.
    bytes: In<Bits<16>>,
    /// They are K28.5.
    control: In<Bits<2>>,
    /// They are bad.
    bad: In<Bits<2>>,
    /// Word in bits 31..0, ctl in bit 32, code_err in bit 33.
    pub words: FlowOut<Bits<LANE_IN_BITS>>,
    /// The word boundary is known.
    locked: Out<Bit>,
    /// Only idle words come.
    silent: Out<Bit>,
    /// Pulse: the bit boundary is to be one bit later.
    step: Out<Bit>,
    kept_byte: Reg<Bits<8>>,
    kept_flags: Reg<Bits<2>>,
    late: Reg<Bit>,
    // A pair from the word's side of the symbol boundary.
    pair: Reg<Bits<16>>,
    pair_comma: Reg<Bits<2>>,
    pair_bad: Reg<Bit>,
    // The first pair of the word.
    first: Reg<Bits<16>>,
    first_comma: Reg<Bit>,
    first_bad: Reg<Bit>,
    second_half: Reg<Bit>,
    found: Reg<Bit>,
    is_locked: Reg<Bit>,
    good: Reg<Bits<2>>,
    stray: Reg<Bits<2>>,
    steady: Reg<Bits<STEADY_BITS>>,
    idles: Reg<Bits<SILENT_BITS>>,
    is_silent: Reg<Bit>,
    /// The last good word was not idle.
    spoke: Reg<Bit>,
    bad_words: Reg<Bits<2>>,
    timeout: Reg<Bits<TIMEOUT_BITS>>,
    steps: Reg<Bit>,
    #[init(u64::from(IDLE_WORD).into())]
    idle: Constant<Bits<32>>,
    word: Local<Bits<32>>,
    ends: Local<Bit>,
}

#[logic]
impl WordAlign {
    fn update(&mut self) {
        self.pair_bytes();

        // Where the word begins.
        let proper = pair_comma[0] & (!second_half | !found);
        let misaligned = pair_comma[1] | (pair_comma[0] & second_half);
        second_half = !second_half;
        if !found {
            second_half = false;
            if pair_comma[0] {
                found = true;
                second_half = true;
            }
            if pair_comma == 2 {
                late = !late;
            }
        }
        first = pair;
        first_comma = pair_comma[0];
        first_bad = pair_bad | pair_comma[1];
        ends = second_half & found;
        let is_bad = (first_bad | pair_bad) | pair_comma.any();

        let lose = self.lock(proper, misaligned, is_bad);
        locked = is_locked;
        word = bit_cast::<32, 16>(first) | (bit_cast::<32, 16>(pair) << 16);
        let is_idle = (first_comma & !is_bad) & (word == idle);
        if ends & !is_bad {
            spoke = !is_idle;
            if is_idle {
                idles = idles + 1;
                is_silent = is_silent | idles.all();
            } else if spoke {
                idles = 0;
                is_silent = false;
            }
        }
        if lose | clear {
            is_silent = true;
        }
        silent = is_silent;

        words.valid = (ends & is_locked) & !is_idle;
        words.data = (bit_cast::<LANE_IN_BITS, 32>(word)
            | (bit_cast::<LANE_IN_BITS, 1>(first_comma.into()) << 32))
            | (bit_cast::<LANE_IN_BITS, 1>(is_bad.into()) << 33);
    }

    /// Pairs of bytes, whichever of the two the words begin with.
    fn pair_bytes(&mut self) {
        kept_byte = bytes.bits::<8>(8);
        kept_flags = bit_cast::<2, 1>(control.bits::<1>(1)) | (bit_cast::<2, 1>(bad.bits::<1>(1)) << 1);
        pair = bytes;
        pair_comma = control & !bad;
        pair_bad = bad.any();
        if late {
            pair = bit_cast::<16, 8>(kept_byte) | (bit_cast::<16, 8>(bytes.bits::<8>(0)) << 8);
            pair_comma = bit_cast::<2, 1>((kept_flags == 1).into())
                | (bit_cast::<2, 1>(control.bits::<1>(0) & !bad.bits::<1>(0)) << 1);
            pair_bad = kept_flags[1] | bad[0];
        }
    }

    /// Locking.
    fn lock(&mut self, proper: Bit, misaligned: Bit, is_bad: Bit) -> Bit {
        let mut lose = false;
        steady = steady + 1;
        if steady.all() {
            stray = 0;
        }
        if proper {
            stray = 0;
            if !is_locked {
                good = good + 1;
                if good.all() {
                    is_locked = true;
                }
            }
        }
        if found & misaligned {
            stray = stray + 1;
            steady = 0;
            lose = stray.all() | !is_locked;
        }
        if ends {
            bad_words = 0;
            if is_bad {
                bad_words = bad_words + 1;
                if bad_words.all() | !is_locked {
                    lose = true;
                }
            }
        }
        timeout = timeout + 1;
        steps = timeout.all();
        if proper | is_locked {
            timeout = 0;
            steps = false;
        }
        step = steps;
        if lose | clear {
            found = false;
            is_locked = false;
            good = 0;
            stray = 0;
            bad_words = 0;
        }
        lose
    }
}

/// `serdes_rx`: two symbols per clock to the words of one lane: bit boundary, 8b10b, word boundary.
///
/// A word with a symbol that is none, or of the wrong disparity, or with a comma after its first byte has `code_err`. Idle words are
/// dropped. Nothing comes out before four words with their comma, and none of them, nor from the fourth bad word in a row on. `slip` moves the bit
/// boundary by one, after which a lock is searched anew; so does the search itself, every 64 words without a comma. 7 clocks from
/// a word's last symbols to the word.
#[block("serdes_rx", new)]
pub struct SerdesRx {
    /// Clock of symbol pairs, recovered from the lane.
    clock: In<Clock>,
    /// Synchronous clear: searches the word boundary.
    clear: In<Bit>,
    /// Twenty bits, bit 0 came first.
    symbols: In<Bits<20>>,
    /// The lane's two wires are exchanged.
    invert: In<Bit>,
    /// Pulse: the bit boundary is one bit later.
    slip: In<Bit>,
    /// Words: word in bits 31..0, ctl in bit 32, code_err in bit 33.
    pub words: FlowOut<Bits<LANE_IN_BITS>>,
    /// The word boundary is known.
    locked: Out<Bit>,
    /// Only idle words come.
    silent: Out<Bit>,
    #[wire(clock)]
    shift: SymbolShift,
    #[wire(clock)]
    decoder: CodeRx,
    #[wire(clock)]
    align: WordAlign,
}

#[logic]
impl SerdesRx {
    /// A receiver that searches.
    pub fn new() -> Result<Self, ConfigError> {
        Ok(Self { decoder: CodeRx::new()?, .. })
    }

    fn update(&mut self) {
        shift = In { symbols, invert, step: align.step | slip };
        decoder.symbols = shift.shifted;
        align = In { clear: clear | slip, bytes: decoder.bytes, control: decoder.control, bad: decoder.bad };
        link(words, align.words);
        Out { locked, silent } = align;
    }
}
