//! The check of one lane that is not used.

use crate::lane::LANE_IN_BITS;
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::xor_matrix::XorMatrix;
use flitforge_protocol::lane_word::{scrambler, ControlWordKind, COMMA};

/// Bits of a word.
const WORD: usize = 32;
/// Last bits of a word, which say all of the next.
const HISTORY: usize = scrambler::WIDTH;
/// Those bits and a word.
const SEQUENCE: usize = HISTORY + WORD;
/// Bits of a word that are judged together.
const GROUP: usize = 4;
/// Groups of a word.
const GROUPS: usize = WORD / GROUP;
/// What the low half of an ALN word is.
const ALN_MARK: u64 = COMMA as u64 | (ControlWordKind::Aln.code() as u64) << 8;

/// Is each word the one that follows the word before it in the sequence of the scramblers (chapter 10, 4.5, *Probation*, rule 2)?
///
/// Bad are words that do not follow, control words other than ALN, words that the PHY marked, the first word, and words behind 23
/// bits of 0. An ALN word is overlooked. Behind a control word or a marked one, the next is the first.
///
/// A word follows if all of its bits fit the recurrence of the sequence over the 23 bits before them: as the first wrong bit of a
/// word fails for sure, this is the same as to work out the word and compare, with sums of seven bits in place of fifteen.
///
/// Latency 2 clocks; one word per clock. `restart`: the words on their way are forgotten, the next one is the first.
#[block("prbs_check", new)]
pub struct PrbsCheck {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Synchronous clear.
    restart: In<Bit>,
    /// Lane words: word in bits 31..0, ctl in bit 32, code_err in bit 33.
    pub lane: FlowIn<Bits<LANE_IN_BITS>>,
    /// A word, not ALN, has been judged.
    received: Out<Bit>,
    /// With `received`: it is bad.
    bad: Out<Bit>,

    here: Reg<Bit>,
    /// It is a data word without a mark.
    plain: Reg<Bit>,
    word: Reg<Bits<WORD>>,
    before: Reg<Bits<HISTORY>>,
    /// `before` says what follows.
    known: Reg<Bit>,
    evaluated: Reg<Bit>,
    misfit: Reg<Bit>,
    wrong: Reg<Bits<GROUPS>>,
    recurrence: XorMatrix<SEQUENCE, WORD>,
    #[init(ALN_MARK)]
    aln_mark: Constant<Bits<16>>,
}

/// Row i is the recurrence of bit i of a word, over the 23 bits before the word and the word itself.
fn rows() -> Vec<Vec<usize>> {
    // Register bit j leaves OUTPUT_BIT - j bits later, the new bit WIDTH bits later.
    let row = |bit: usize| {
        let summands = scrambler::TAPS.iter().map(|tap| bit + scrambler::OUTPUT_BIT - tap);
        summands.chain([bit + HISTORY]).collect()
    };
    (0..WORD).map(row).collect()
}

#[logic]
impl PrbsCheck {
    /// A check that waits for its first word.
    pub fn new() -> Result<Self, ConfigError> {
        Ok(Self { recurrence: XorMatrix::new(rows())?, .. })
    }

    fn update(&mut self) {
        let is_aln = (lane.data.bits::<16>(0) == aln_mark) & (lane.data.bits::<2>(32) == 1);
        here = lane.valid & !is_aln;
        plain = !lane.data.bits::<2>(32).any();
        word = lane.data.bits::<WORD>(0);

        recurrence.data = bit_cast::<SEQUENCE, HISTORY>(before) | (bit_cast::<SEQUENCE, WORD>(word) << 23);
        if here {
            before = word.bits::<HISTORY>(9);
            known = plain & word.bits::<HISTORY>(9).any();
        }
        evaluated = here;
        misfit = !(plain & known);
        let mut groups: Bits<GROUPS> = 0;
        for i in 0..8 {
            groups = groups.with(i, recurrence.sum.bits::<GROUP>(4 * i).any());
        }
        wrong = groups;

        received = evaluated;
        bad = evaluated & (misfit | wrong.any());
        if restart {
            here = false;
            known = false;
            evaluated = false;
        }
    }
}
