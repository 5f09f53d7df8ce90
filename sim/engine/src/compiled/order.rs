//! The order in which a function computes: operands before users, and registers that read others before those
//! they read, so that most next values can be stored at once.

use super::roots::Root;
use super::word::{Word, WordOp, Words};
use rustc_hash::FxHashMap;

/// One step of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Computes a word.
    Compute(Word),
    /// Delivers the root of this number.
    Deliver(usize),
}

/// All steps for `roots`. Writes to memories come last, behind every read.
pub(super) fn order(words: &Words, roots: &[Root]) -> Vec<Step> {
    let natural: Vec<usize> = (0..roots.len()).collect();
    let pressure = pressure(words);
    let mut walk = Walk::new(words, roots, &pressure);
    walk.run(&natural);
    let better = readers_first(roots, &walk.readers);
    let mut walk = Walk::new(words, roots, &pressure);
    walk.run(&better);
    let is_write = |number: &usize| matches!(roots[*number], Root::Write { .. });
    // two writes to one word: the last one counts, so they keep their order
    walk.steps.extend(natural.into_iter().filter(is_write).map(Step::Deliver));
    walk.steps
}

/// How many words are alive at once while a word is computed, if nothing is shared (Sethi and Ullman's numbers).
fn pressure(words: &Words) -> Vec<u8> {
    let mut pressure: Vec<u8> = vec![0; words.len()];
    for index in 0..words.len() {
        let mut needs = words.op(Word(index as u32)).operands().map(|operand| match operand {
            Some(operand) => pressure[operand.index()],
            None => 0,
        });
        needs.sort_unstable();
        // the most demanding operand first; every result waits while the next is computed
        let [third, second, first] = needs;
        pressure[index] = first.max(second.saturating_add(1)).max(third.saturating_add(2)).max(1);
        if words.op(Word(index as u32)).is_leaf() {
            pressure[index] = 0;
        }
    }
    pressure
}

struct Walk<'a> {
    words: &'a Words,
    roots: &'a [Root],
    pressure: &'a [u8],
    done: Vec<bool>,
    steps: Vec<Step>,
    /// Which root stores a word of the state.
    owners: FxHashMap<u32, usize>,
    /// By root: roots that read what it stores.
    readers: Vec<Vec<usize>>,
}

impl<'a> Walk<'a> {
    fn new(words: &'a Words, roots: &'a [Root], pressure: &'a [u8]) -> Self {
        let owner = |(number, root): (usize, &Root)| match root {
            Root::State { at, .. } => Some((*at, number)),
            _ => None,
        };
        Self {
            words,
            roots,
            pressure,
            done: vec![false; words.len()],
            steps: vec![],
            owners: roots.iter().enumerate().filter_map(owner).collect(),
            readers: vec![vec![]; roots.len()],
        }
    }

    /// Everything but the writes themselves; their operands come last.
    fn run(&mut self, numbers: &[usize]) {
        let is_write = |root: &Root| matches!(root, Root::Write { .. });
        for writes in [false, true] {
            for number in numbers.iter().copied().filter(|number| is_write(&self.roots[*number]) == writes) {
                let mut values = vec![];
                self.roots[number].for_words(|word| values.push(word));
                values.into_iter().for_each(|word| self.compute(word, number));
                if !writes {
                    self.steps.push(Step::Deliver(number));
                }
            }
        }
    }

    fn compute(&mut self, word: Word, root: usize) {
        let mut open = vec![word];
        while let Some(top) = open.last().copied() {
            let op = self.words.op(top);
            if self.done[top.index()] || op.is_leaf() {
                self.reads(op, root);
                open.pop();
                continue;
            }
            let before = open.len();
            for operand in op.operands().into_iter().flatten() {
                if self.words.op(operand).is_leaf() {
                    self.reads(self.words.op(operand), root);
                } else if !self.done[operand.index()] {
                    open.push(operand);
                }
            }
            // the last one is computed first
            let pressure = self.pressure;
            open[before..].sort_by_key(|word| pressure[word.index()]);
            if open.len() == before {
                self.done[top.index()] = true;
                self.steps.push(Step::Compute(top));
                open.pop();
            }
        }
    }

    fn reads(&mut self, op: WordOp, root: usize) {
        let WordOp::Load(at) = op else { return };
        match self.owners.get(&at) {
            Some(owner) if *owner != root && self.readers[*owner].last() != Some(&root) => {
                self.readers[*owner].push(root);
            }
            _ => {}
        }
    }
}

/// The roots in an order in which readers stand before what they read, as far as there are no cycles.
fn readers_first(roots: &[Root], readers: &[Vec<usize>]) -> Vec<usize> {
    let mut seen = vec![false; roots.len()];
    let mut out = vec![];
    for start in 0..roots.len() {
        let mut open = vec![(start, 0)];
        if std::mem::replace(&mut seen[start], true) {
            continue;
        }
        while let Some((root, next)) = open.last_mut() {
            match readers[*root].get(*next) {
                Some(reader) => {
                    *next += 1;
                    if !std::mem::replace(&mut seen[*reader], true) {
                        open.push((*reader, 0));
                    }
                }
                None => {
                    out.push(*root);
                    open.pop();
                }
            }
        }
    }
    out
}
