//! Operations on words of 64 bits: hash-consed, each with the bits that can be 1.

use super::mutation::Mutation;
use rustc_hash::FxHashMap;

/// A word operation by number; operands have smaller numbers than their users.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Word(pub u32);

impl Word {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a word is. Comparisons and parity give 0 or 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum WordOp {
    /// A fixed word.
    Const(u64),
    /// A word of the state, as it was when the function was called.
    Load(u32),
    And(Word, Word),
    Or(Word, Word),
    Xor(Word, Word),
    Add(Word, Word),
    Sub(Word, Word),
    Multiply(Word, Word),
    /// High half of the unsigned product.
    MultiplyHigh(Word, Word),
    /// By a fixed amount of 1 to 63.
    ShiftLeft(Word, u32),
    ShiftRight(Word, u32),
    /// With sign fill.
    ShiftSigned(Word, u32),
    /// By the low 6 bits of the second operand.
    ShiftLeftBy(Word, Word),
    ShiftRightBy(Word, Word),
    ShiftSignedBy(Word, Word),
    Equal(Word, Word),
    /// Unsigned.
    Less(Word, Word),
    /// Condition (0 or 1), value if 1, value if 0.
    Select(Word, Word, Word),
    /// 1 if an odd number of bits is 1.
    Parity(Word),
    /// One word of the memory word at an address; 0 beyond the depth.
    Read {
        memory: u32,
        address: Word,
        word: u32,
    },
    /// Entry `index` of a table that begins at entry `at` of all tables; the index is within it by its bits.
    Lookup {
        index: Word,
        at: u32,
    },
}

impl WordOp {
    /// The words it reads; unused places are `None`.
    pub fn operands(self) -> [Option<Word>; 3] {
        use WordOp::*;
        match self {
            Const(_) | Load(_) => [None; 3],
            And(a, b)
            | Or(a, b)
            | Xor(a, b)
            | Add(a, b)
            | Sub(a, b)
            | Multiply(a, b)
            | MultiplyHigh(a, b) => [Some(a), Some(b), None],
            ShiftLeftBy(a, b) | ShiftRightBy(a, b) | ShiftSignedBy(a, b) | Equal(a, b) | Less(a, b) => {
                [Some(a), Some(b), None]
            }
            ShiftLeft(a, _) | ShiftRight(a, _) | ShiftSigned(a, _) | Parity(a) => [Some(a), None, None],
            Select(a, b, c) => [Some(a), Some(b), Some(c)],
            Read { address, .. } => [Some(address), None, None],
            Lookup { index, .. } => [Some(index), None, None],
        }
    }

    /// True for what is made where it is used: constants and words of the state.
    pub fn is_leaf(self) -> bool {
        matches!(self, Self::Const(_) | Self::Load(_))
    }
}

/// Words of one program.
#[derive(Clone, Debug, Default)]
pub(super) struct Words {
    ops: Vec<WordOp>,
    /// Bits that can be 1.
    bits: Vec<u64>,
    known: FxHashMap<WordOp, Word>,
    /// Of one-bit words that are the parity of masked words: those words and masks.
    pub(super) parities: FxHashMap<Word, Box<[(Word, u64)]>>,
    /// Entries of all tables in a row.
    pub(super) tables: Vec<u64>,
    /// Where each table begins.
    pub(super) known_tables: FxHashMap<Box<[u64]>, u32>,
    /// A deliberate mistake.
    pub(super) mutation: Option<Mutation>,
}

impl Words {
    /// No words yet; `mutation` is a mistake to make.
    pub fn new(mutation: Option<Mutation>) -> Self {
        Self { mutation, ..Self::default() }
    }

    /// Number of words.
    pub fn len(&self) -> usize {
        self.ops.len()
    }

    pub fn op(&self, word: Word) -> WordOp {
        self.ops[word.index()]
    }

    /// The bits of a word that can be 1.
    pub fn bits(&self, word: Word) -> u64 {
        self.bits[word.index()]
    }

    /// The value of a constant.
    pub fn as_constant(&self, word: Word) -> Option<u64> {
        match self.op(word) {
            WordOp::Const(value) => Some(value),
            _ => None,
        }
    }

    /// The operands of the comparison that a word is the complement of.
    pub fn complemented(&self, word: Word) -> Option<[Word; 2]> {
        match self.op(word) {
            WordOp::Xor(a, b) if self.as_constant(b) == Some(1) => match self.op(a) {
                WordOp::Equal(x, y) | WordOp::Less(x, y) => Some([x, y]),
                _ => None,
            },
            _ => None,
        }
    }

    pub fn constant(&mut self, value: u64) -> Word {
        self.intern(WordOp::Const(value), value)
    }

    pub fn zero(&mut self) -> Word {
        self.constant(0)
    }

    /// The state's word at `at`, of which only `bits` are used.
    pub fn load(&mut self, at: u32, bits: u64) -> Word {
        self.intern(WordOp::Load(at), bits)
    }

    /// Word `word` of a memory word; `bits` are those that a memory word has there.
    pub fn read(&mut self, memory: u32, address: Word, word: u32, bits: u64) -> Word {
        self.intern(WordOp::Read { memory, address, word }, bits)
    }

    /// The operation, without simplification; `bits` are those that can be 1.
    pub(super) fn intern(&mut self, op: WordOp, bits: u64) -> Word {
        if bits == 0 && op != WordOp::Const(0) {
            return self.zero();
        }
        if let Some(word) = self.known.get(&op) {
            return *word;
        }
        let word = Word(self.ops.len() as u32);
        self.known.insert(op, word);
        self.ops.push(op);
        self.bits.push(bits);
        word
    }
}

/// The low `width` bits, at most 64.
#[inline]
pub(super) fn mask(width: u32) -> u64 {
    match width {
        0 => 0,
        1..=63 => (1 << width) - 1,
        _ => u64::MAX,
    }
}

/// The bits of word `index` of a value of `width` bits.
#[inline]
pub(super) fn word_mask(width: u32, index: usize) -> u64 {
    mask(width.saturating_sub(64 * index as u32))
}
