//! A function cut into pieces that compile fast, with every store where it can do no harm.
//!
//! A next value is stored as soon as it is known if nothing reads the old one any more; otherwise it goes to a
//! shadow word in the scratch row and is copied at the end. Few values are then alive at any time, which is
//! what compile time depends on.

use super::mutation::Mutation;
use super::order::{order, Step};
use super::roots::Root;
use super::wide::Value;
use super::word::{Word, WordOp, Words};
use rustc_hash::{FxHashMap, FxHashSet};

/// Actions of one piece: beyond some thousands, compile time grows faster than the piece.
pub(super) const PIECE: usize = 4000;

/// One action of a piece.
#[derive(Clone, Debug)]
pub(super) enum Action {
    /// Computes a word.
    Compute(Word),
    /// Stores a word into the state.
    Store { at: u32, value: Word },
    /// Stores a word into the scratch row.
    Keep { at: u32, value: Word },
    /// Copies a word of the scratch row into the state.
    Copy { from: u32, to: u32 },
    /// Writes a memory word.
    Write { memory: u32, address: Word, enable: Word, data: Value },
}

/// One piece of a function.
#[derive(Clone, Debug, Default)]
pub(super) struct Piece {
    pub actions: Vec<Action>,
    /// Words that an earlier piece computed and kept in the scratch row.
    pub given: FxHashMap<Word, u32>,
}

/// A whole function.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub pieces: Vec<Piece>,
    /// Words of the scratch row.
    pub scratch: u32,
    /// Words computed.
    pub operations: usize,
    /// Next values stored through a shadow word.
    pub shadows: usize,
}

impl Plan {
    /// Plans `roots`; the first `reserved` words of the scratch row are theirs.
    pub fn new(words: &Words, roots: &[Root], reserved: u32, piece: usize) -> Self {
        let steps = order(words, roots);
        let last_use = last_uses(words, roots, &steps);
        let (kept, scratch) = crossing(words, roots, &steps, reserved, piece);
        let planner = Planner {
            words,
            roots,
            last_use,
            kept,
            plan: Self { pieces: vec![Piece::default()], scratch, operations: 0, shadows: 0 },
            piece,
            here: FxHashSet::default(),
            copies: vec![],
        };
        planner.run(&steps)
    }
}

/// The position of the last step that reads each word of the state.
fn last_uses(words: &Words, roots: &[Root], steps: &[Step]) -> FxHashMap<u32, usize> {
    let mut last = FxHashMap::default();
    for (position, step) in steps.iter().enumerate() {
        let mut read = |word| {
            if let WordOp::Load(at) = words.op(word) {
                last.insert(at, position);
            }
        };
        for_operands(words, roots, step, &mut read);
        if let Step::Compute(word) = step {
            // the emitter may write these as the opposite comparison, which reads its operands here again
            words.complemented(*word).into_iter().flatten().for_each(read);
        }
    }
    last
}

/// The words that are used in another piece than where they are computed, with places in the scratch row.
fn crossing(
    words: &Words,
    roots: &[Root],
    steps: &[Step],
    reserved: u32,
    piece: usize,
) -> (FxHashMap<Word, u32>, u32) {
    let mut computed: FxHashMap<Word, usize> = FxHashMap::default();
    let mut kept = FxHashMap::default();
    let mut next = reserved;
    for (position, step) in steps.iter().enumerate() {
        let number = position / piece;
        for_operands(words, roots, step, |word| {
            if computed.get(&word).is_some_and(|origin| *origin != number) {
                kept.entry(word).or_insert_with(|| {
                    next += 1;
                    next - 1
                });
            }
        });
        if let Step::Compute(word) = step {
            computed.insert(*word, number);
        }
    }
    (kept, next)
}

fn for_operands(words: &Words, roots: &[Root], step: &Step, visit: impl FnMut(Word)) {
    match step {
        Step::Compute(word) => words.op(*word).operands().into_iter().flatten().for_each(visit),
        Step::Deliver(root) => roots[*root].for_words(visit),
    }
}

struct Planner<'a> {
    words: &'a Words,
    roots: &'a [Root],
    last_use: FxHashMap<u32, usize>,
    kept: FxHashMap<Word, u32>,
    plan: Plan,
    piece: usize,
    /// Words computed in the current piece.
    here: FxHashSet<Word>,
    /// Shadow words and where they belong.
    copies: Vec<(u32, u32)>,
}

impl Planner<'_> {
    fn run(mut self, steps: &[Step]) -> Plan {
        for (position, step) in steps.iter().enumerate() {
            if position > 0 && position % self.piece == 0 {
                self.plan.pieces.push(Piece::default());
                self.here.clear();
            }
            self.fetch(step);
            match step {
                Step::Compute(word) => self.compute(*word),
                Step::Deliver(root) => self.deliver(*root, position),
            }
        }
        for copies in std::mem::take(&mut self.copies).chunks(self.piece) {
            if self.current().actions.len() + copies.len() > self.piece.saturating_mul(2) {
                self.plan.pieces.push(Piece::default());
            }
            let copies = copies.iter().map(|(from, to)| Action::Copy { from: *from, to: *to });
            self.current().actions.extend(copies);
        }
        self.plan
    }

    fn current(&mut self) -> &mut Piece {
        if self.plan.pieces.is_empty() {
            self.plan.pieces.push(Piece::default());
        }
        let last = self.plan.pieces.len() - 1;
        &mut self.plan.pieces[last]
    }

    /// Notes the operands that come from earlier pieces.
    fn fetch(&mut self, step: &Step) {
        let (words, roots) = (self.words, self.roots);
        for_operands(words, roots, step, |word| {
            if !words.op(word).is_leaf() && !self.here.contains(&word) {
                let at = self.kept[&word];
                self.current().given.insert(word, at);
            }
        });
    }

    fn compute(&mut self, word: Word) {
        self.here.insert(word);
        self.plan.operations += 1;
        let kept = self.kept.get(&word).map(|at| Action::Keep { at: *at, value: word });
        let actions = &mut self.current().actions;
        actions.push(Action::Compute(word));
        actions.extend(kept);
    }

    fn deliver(&mut self, root: usize, position: usize) {
        let roots = self.roots;
        let action = match &roots[root] {
            Root::State { at, value } => {
                let needed = self.last_use.get(at).is_some_and(|last| *last > position);
                match needed && self.words.mutation != Some(Mutation::EarlyStore) {
                    true => {
                        let from = self.plan.scratch;
                        self.plan.scratch += 1;
                        self.plan.shadows += 1;
                        self.copies.push((from, *at));
                        Action::Keep { at: from, value: *value }
                    }
                    false => Action::Store { at: *at, value: *value },
                }
            }
            Root::Scratch { at, value } => Action::Keep { at: *at, value: *value },
            Root::Write { memory, address, enable, data } => {
                let (memory, address, enable) = (*memory, *address, *enable);
                Action::Write { memory, address, enable, data: data.clone() }
            }
        };
        self.current().actions.push(action);
    }
}
