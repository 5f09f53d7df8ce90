//! A function cut into pieces that compile fast, with every store where it can do no harm.
//!
//! A next value is stored as soon as it is known if nothing reads the old one any more; otherwise it goes to a
//! shadow word in the scratch row and is copied at the end. Few values are then alive at any time, which is
//! what compile time depends on.

use super::guard::Scope;
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
    /// Copies a word of the state into the scratch row.
    Save { from: u32, to: u32 },
    /// Copies a word of the scratch row into the state.
    Copy { from: u32, to: u32 },
    /// Writes a memory word.
    Write { memory: u32, address: Word, enable: Word, data: Value },
    /// Does the one or the other.
    Branch { condition: Word, then: Vec<Action>, otherwise: Vec<Action> },
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
    /// Branches.
    pub branches: usize,
}

impl Plan {
    /// Plans the roots in `scope`; the first `reserved` words of the scratch row are theirs.
    pub fn new(words: &Words, roots: &[Root], scope: &Scope, reserved: u32, piece: usize) -> Self {
        let steps = order(words, roots, scope);
        let shadowed = shadowed(words, roots, &steps);
        let pieces = pieces(&steps, piece);
        let (kept, scratch) = crossing(words, roots, (&steps, &pieces), reserved);
        let plan = Self { pieces: vec![Piece::default()], scratch, operations: 0, shadows: 0, branches: 0 };
        let mut planner =
            Planner { words, roots, kept, plan, here: FxHashSet::default(), copies: FxHashMap::default() };
        planner.shadow(shadowed);
        planner.run((&steps, &pieces), piece)
    }
}

/// The number of the piece of each step: a step is not cut.
fn pieces(steps: &[Step], piece: usize) -> Vec<usize> {
    let (mut number, mut filled) = (0, 0);
    let mut place = |step: &Step| {
        let weight = step.weight();
        if filled > 0 && filled + weight > piece {
            (number, filled) = (number + 1, 0);
        }
        filled += weight;
        number
    };
    steps.iter().map(&mut place).collect()
}

/// Calls `visit` with every step and those in it, in order; a branch comes before what is in it.
fn for_steps<'s>(steps: &'s [Step], visit: &mut dyn FnMut(&'s Step)) {
    for step in steps {
        visit(step);
        if let Step::Branch { then, otherwise, .. } = step {
            for_steps(then, visit);
            for_steps(otherwise, visit);
        }
    }
}

/// The words of the state whose old value is read after a step that stores them, with whether such a step stands in a
/// branch.
fn shadowed(words: &Words, roots: &[Root], steps: &[Step]) -> Vec<(u32, bool)> {
    let mut last: FxHashMap<u32, usize> = FxHashMap::default();
    let mut position = 0;
    for_steps(steps, &mut |step| {
        let mut read = |word| {
            if let WordOp::Load(at) = words.op(word) {
                last.insert(at, position);
            }
        };
        for_operands(words, roots, step, &mut read);
        let forgotten = words.mutation == Some(Mutation::EarlyStoreBeforeOpposite);
        if let (Step::Compute(word), false) = (step, forgotten) {
            // the emitter may write these as the opposite comparison, which reads its operands here again
            words.complemented(*word).into_iter().flatten().for_each(read);
        }
        position += 1;
    });
    let top: FxHashSet<usize> = steps
        .iter()
        .filter_map(|step| if let Step::Deliver(root) = step { Some(*root) } else { None })
        .collect();
    let (mut position, mut out) = (0, vec![]);
    for_steps(steps, &mut |step| {
        if let Step::Deliver(root) = step {
            if let Root::State { at, .. } = &roots[*root] {
                if last.get(at).is_some_and(|last| *last > position) {
                    out.push((*at, !top.contains(root)));
                }
            }
        }
        position += 1;
    });
    out
}

/// The words that are used in another piece than where they are computed, with places in the scratch row.
fn crossing(
    words: &Words,
    roots: &[Root],
    (steps, pieces): (&[Step], &[usize]),
    reserved: u32,
) -> (FxHashMap<Word, u32>, u32) {
    let mut computed: FxHashMap<Word, usize> = FxHashMap::default();
    let mut kept = FxHashMap::default();
    let mut next = reserved;
    for (step, number) in steps.iter().zip(pieces) {
        for_steps(std::slice::from_ref(step), &mut |step| {
            for_operands(words, roots, step, |word| {
                if computed.get(&word).is_some_and(|origin| origin != number) {
                    kept.entry(word).or_insert_with(|| {
                        next += 1;
                        next - 1
                    });
                }
            });
            if let Step::Compute(word) = step {
                computed.insert(*word, *number);
            }
        });
    }
    (kept, next)
}

fn for_operands(words: &Words, roots: &[Root], step: &Step, mut visit: impl FnMut(Word)) {
    match step {
        Step::Compute(word) => words.op(*word).operands().into_iter().flatten().for_each(visit),
        Step::Deliver(root) => roots[*root].for_words(visit),
        Step::Branch { condition, .. } => visit(*condition),
    }
}

struct Planner<'a> {
    words: &'a Words,
    roots: &'a [Root],
    kept: FxHashMap<Word, u32>,
    plan: Plan,
    /// Words computed in the current piece.
    here: FxHashSet<Word>,
    /// Shadow words by the words of the state that they are for.
    copies: FxHashMap<u32, u32>,
}

impl Planner<'_> {
    /// Gives shadow words; those that are stored in a branch hold the old value where it is not taken.
    fn shadow(&mut self, shadowed: Vec<(u32, bool)>) {
        if self.words.mutation == Some(Mutation::EarlyStore) {
            return;
        }
        let mut saved = FxHashSet::default();
        for (at, in_branch) in shadowed {
            let to = match self.copies.get(&at) {
                Some(to) => *to,
                None => {
                    let to = self.plan.scratch;
                    self.copies.insert(at, to);
                    self.plan.scratch += 1;
                    self.plan.shadows += 1;
                    to
                }
            };
            if in_branch && saved.insert(at) && self.words.mutation != Some(Mutation::StaleShadow) {
                self.plan.pieces[0].actions.push(Action::Save { from: at, to });
            }
        }
    }

    fn run(mut self, (steps, pieces): (&[Step], &[usize]), piece: usize) -> Plan {
        for (step, number) in steps.iter().zip(pieces) {
            while self.plan.pieces.len() <= *number {
                self.plan.pieces.push(Piece::default());
                self.here.clear();
            }
            let mut actions = vec![];
            self.step(step, &mut actions);
            self.current().actions.extend(actions);
        }
        let mut copies: Vec<(u32, u32)> = self.copies.drain().collect();
        copies.sort_unstable();
        for copies in copies.chunks(piece) {
            if self.current().actions.len() + copies.len() > piece.saturating_mul(2) {
                self.plan.pieces.push(Piece::default());
            }
            let copies = copies.iter().map(|(at, from)| Action::Copy { from: *from, to: *at });
            self.current().actions.extend(copies);
        }
        self.plan
    }

    fn step(&mut self, step: &Step, actions: &mut Vec<Action>) {
        self.fetch(step);
        match step {
            Step::Compute(word) => self.compute(*word, actions),
            Step::Deliver(root) => actions.push(self.deliver(*root)),
            Step::Branch { condition, then, otherwise } => {
                self.plan.branches += 1;
                let mut side = |steps: &[Step]| {
                    let mut actions = vec![];
                    steps.iter().for_each(|step| self.step(step, &mut actions));
                    actions
                };
                let (mut then, mut otherwise) = (side(then), side(otherwise));
                if self.words.mutation == Some(Mutation::SwappedBranch) {
                    std::mem::swap(&mut then, &mut otherwise);
                }
                actions.push(Action::Branch { condition: *condition, then, otherwise });
            }
        }
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

    fn compute(&mut self, word: Word, actions: &mut Vec<Action>) {
        self.here.insert(word);
        self.plan.operations += 1;
        actions.push(Action::Compute(word));
        actions.extend(self.kept.get(&word).map(|at| Action::Keep { at: *at, value: word }));
    }

    fn deliver(&self, root: usize) -> Action {
        match &self.roots[root] {
            Root::State { at, value } => match self.copies.get(at) {
                Some(shadow) => Action::Keep { at: *shadow, value: *value },
                None => Action::Store { at: *at, value: *value },
            },
            Root::Scratch { at, value } => Action::Keep { at: *at, value: *value },
            Root::Write { memory, address, enable, data } => {
                let (memory, address, enable) = (*memory, *address, *enable);
                Action::Write { memory, address, enable, data: data.clone() }
            }
        }
    }
}
