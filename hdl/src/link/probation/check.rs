//! The check of one lane that is not used.

use crate::config::ConfigError;
use crate::link::crc::XorMatrix;
use crate::link::lane::LANE_IN_BITS;
use crate::prim::stream::FlowIn;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
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
#[derive(LogicBlock)]
pub struct PrbsCheck {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub restart: Signal<In, Bit>,
    /// Lane words: word in bits 31..0, ctl in bit 32, code_err in bit 33.
    pub lane: FlowIn<Bits<LANE_IN_BITS>>,
    /// A word, not ALN, has been judged.
    pub came: Signal<Out, Bit>,
    /// With `came`: it is bad.
    pub bad: Signal<Out, Bit>,

    here: DFF<Bit>,
    /// It is a data word without a mark.
    plain: DFF<Bit>,
    word: DFF<Bits<WORD>>,
    before: DFF<Bits<HISTORY>>,
    /// `before` says what follows.
    known: DFF<Bit>,
    judged: DFF<Bit>,
    misfit: DFF<Bit>,
    wrong: DFF<Bits<GROUPS>>,
    recurrence: XorMatrix<SEQUENCE, WORD>,
    is_aln: Signal<Local, Bit>,
    groups: Signal<Local, Bits<GROUPS>>,
    aln_mark: Constant<Bits<16>>,
}

impl PrbsCheck {
    /// A check that waits for its first word.
    pub fn new() -> Result<Self, ConfigError> {
        Ok(Self {
            clock: Default::default(),
            restart: Default::default(),
            lane: Default::default(),
            came: Default::default(),
            bad: Default::default(),
            here: Default::default(),
            plain: Default::default(),
            word: Default::default(),
            before: Default::default(),
            known: Default::default(),
            judged: Default::default(),
            misfit: Default::default(),
            wrong: Default::default(),
            recurrence: XorMatrix::new(rows())?,
            is_aln: Default::default(),
            groups: Default::default(),
            aln_mark: Constant::new(ALN_MARK.into()),
        })
    }
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

impl Logic for PrbsCheck {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, here, plain, word, before, known, judged, misfit, wrong);

        self.is_aln.next = (self.lane.data.val().get_bits::<16>(0) == self.aln_mark.val())
            & (self.lane.data.val().get_bits::<2>(32) == 1);
        self.here.d.next = self.lane.valid.val() & !self.is_aln.val();
        self.plain.d.next = !self.lane.data.val().get_bits::<2>(32).any();
        self.word.d.next = self.lane.data.val().get_bits::<WORD>(0);

        self.recurrence.data.next = bit_cast::<SEQUENCE, HISTORY>(self.before.q.val())
            | (bit_cast::<SEQUENCE, WORD>(self.word.q.val()) << 23);
        if self.here.q.val() {
            self.before.d.next = self.word.q.val().get_bits::<HISTORY>(9);
            self.known.d.next = self.plain.q.val() & self.word.q.val().get_bits::<HISTORY>(9).any();
        }
        self.judged.d.next = self.here.q.val();
        self.misfit.d.next = !(self.plain.q.val() & self.known.q.val());
        self.groups.next = 0.into();
        for i in 0..8 {
            self.groups.next =
                self.groups.val().replace_bit(i, self.recurrence.sum.val().get_bits::<GROUP>(4 * i).any());
        }
        self.wrong.d.next = self.groups.val();

        self.came.next = self.judged.q.val();
        self.bad.next = self.judged.q.val() & (self.misfit.q.val() | self.wrong.q.val().any());
        if self.restart.val() {
            self.here.d.next = false;
            self.known.d.next = false;
            self.judged.d.next = false;
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("prbs_check", &[])
    }
}

drive_ports!(impl[] PrbsCheck { clock, restart, lane, came, bad });
