//! Which results only matter under a condition, so that what computes them stands in a branch.
//!
//! A register with an enable holds its value on most clocks: `enable ? next : held`. Registers with the same enable
//! form a branch, and all that only their next values need is computed there and nowhere else. Branches lie in
//! branches: `load ? data : (count ? next : held)`. What it saves is counted in word operations; a branch that saves
//! little costs more than it saves, because processors guess wrong.

use super::roots::Root;
use super::word::{Word, WordOp, Words};
use rustc_hash::{FxHashMap, FxHashSet};

/// Operations that are looked through on the way from a register's next value to its held one.
const DEPTH: u32 = 6;
/// Conditions that are noted for one word at most.
const TAGS: usize = 6;

/// A condition and the value under which something matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Tag {
    condition: Word,
    holds: bool,
}

/// What stands in one place: results, and branches.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    /// Numbers of roots.
    pub roots: Vec<usize>,
    pub branches: Vec<Branch>,
}

impl Scope {
    /// So many roots without a branch.
    pub fn flat(roots: usize) -> Self {
        Self { roots: (0..roots).collect(), branches: vec![] }
    }
}

/// Two places of which a condition chooses one.
#[derive(Clone, Debug)]
pub(super) struct Branch {
    pub condition: Word,
    pub then: Scope,
    pub otherwise: Scope,
}

/// Sorts roots into branches that save at least `least` operations. A root that lies in a branch is replaced by one
/// root for each side on which its word changes.
pub(super) fn guard(words: &mut Words, roots: Vec<Root>, least: usize) -> (Vec<Root>, Scope) {
    if least == usize::MAX {
        let scope = Scope::flat(roots.len());
        return (roots, scope);
    }
    let tagged = Tagged::new(words, &roots);
    let mut sorter = Sorter { words, tagged, least, roots: vec![] };
    let (mut held, mut plain) = (vec![], vec![]);
    for root in roots {
        match root {
            Root::State { at, value } => held.push((at, value)),
            other => plain.push(other),
        }
    }
    let mut scope = sorter.sort(held, &mut vec![]);
    for root in plain {
        scope.roots.push(sorter.roots.len());
        sorter.roots.push(root);
    }
    (sorter.roots, scope)
}

/// The words that matter under certain conditions only.
struct Tagged {
    tags: Vec<Vec<Tag>>,
    by_tag: FxHashMap<Tag, Vec<Word>>,
}

impl Tagged {
    fn new(words: &Words, roots: &[Root]) -> Self {
        let steps = path_steps(words, roots);
        // `None`: no user seen yet
        let mut tags: Vec<Option<Vec<Tag>>> = vec![None; words.len()];
        for root in roots {
            root.for_words(|word| tags[word.index()] = Some(vec![]));
        }
        for index in (0..words.len()).rev() {
            let Some(own) = tags[index].clone() else { continue };
            let word = Word(index as u32);
            for (place, operand) in words.op(word).operands().into_iter().enumerate() {
                let Some(operand) = operand else { continue };
                let mut offered = own.clone();
                offered.extend(steps.get(&(word, place)).filter(|_| own.len() < TAGS));
                let known = &mut tags[operand.index()];
                match known {
                    None => *known = Some(offered),
                    Some(known) => known.retain(|tag| offered.contains(tag)),
                }
            }
        }
        let tags: Vec<Vec<Tag>> = tags.into_iter().map(Option::unwrap_or_default).collect();
        let mut by_tag: FxHashMap<Tag, Vec<Word>> = FxHashMap::default();
        for (index, list) in tags.iter().enumerate() {
            let word = Word(index as u32);
            if !words.op(word).is_leaf() {
                list.iter().for_each(|tag| by_tag.entry(*tag).or_default().push(word));
            }
        }
        Self { tags, by_tag }
    }

    /// Operations that matter only under these conditions and `tag`.
    fn saved(&self, tag: Tag, within: &[Tag]) -> usize {
        let inside = |word: &&Word| within.iter().all(|outer| self.tags[word.index()].contains(outer));
        self.by_tag.get(&tag).map_or(0, |list| list.iter().filter(inside).count())
    }
}

/// The operands that only matter under a condition because a register holds its value otherwise: of every word on the
/// way from a register's next value to its held one that nothing else uses.
fn path_steps(words: &Words, roots: &[Root]) -> FxHashMap<(Word, usize), Tag> {
    let mut uses = vec![0u32; words.len()];
    let mut seen = vec![false; words.len()];
    let mut open = vec![];
    roots.iter().for_each(|root| root.for_words(|word| open.push(word)));
    open.iter().for_each(|word| uses[word.index()] += 1);
    while let Some(word) = open.pop() {
        if !std::mem::replace(&mut seen[word.index()], true) {
            for operand in words.op(word).operands().into_iter().flatten() {
                uses[operand.index()] += 1;
                open.push(operand);
            }
        }
    }
    let mut steps = FxHashMap::default();
    for root in roots {
        if let Root::State { at, value } = root {
            walk(words, *at, *value, DEPTH, &|word| uses[word.index()] == 1, &mut steps);
        }
    }
    steps
}

/// True if `word` leads to the held word at `at`; notes the steps on the way. Words that are not `inside` end it.
fn walk(
    words: &Words,
    at: u32,
    word: Word,
    depth: u32,
    inside: &dyn Fn(Word) -> bool,
    steps: &mut FxHashMap<(Word, usize), Tag>,
) -> bool {
    if words.op(word) == WordOp::Load(at) {
        return true;
    }
    if depth == 0 || !inside(word) {
        return false;
    }
    let depth = depth - 1;
    match words.op(word) {
        WordOp::Select(condition, then, otherwise) => {
            let then_held = walk(words, at, then, depth, inside, steps);
            let otherwise_held = walk(words, at, otherwise, depth, inside, steps);
            match (then_held, otherwise_held) {
                (false, true) => steps.insert((word, 1), Tag { condition, holds: true }),
                (true, false) => steps.insert((word, 2), Tag { condition, holds: false }),
                _ => None,
            };
            then_held || otherwise_held
        }
        WordOp::And(a, b) | WordOp::Or(a, b) => {
            walk(words, at, a, depth, inside, steps) | walk(words, at, b, depth, inside, steps)
        }
        _ => false,
    }
}

struct Sorter<'a> {
    words: &'a mut Words,
    tagged: Tagged,
    least: usize,
    roots: Vec<Root>,
}

impl Sorter<'_> {
    /// Sorts next values of words of the state, which stand under the conditions `within` already.
    fn sort(&mut self, mut held: Vec<(u32, Word)>, within: &mut Vec<Tag>) -> Scope {
        let mut scope = Scope::default();
        while let Some(condition) = self.best(&held, within) {
            let (inside, outside) =
                held.into_iter().partition(|(at, value)| self.depends(*at, *value, condition));
            held = outside;
            let mut side = |holds| {
                let values = self.under(&inside, condition, holds);
                within.push(Tag { condition, holds });
                let side = self.sort(values, within);
                within.pop();
                side
            };
            let (then, otherwise) = (side(true), side(false));
            scope.branches.push(Branch { condition, then, otherwise });
        }
        for (at, value) in held {
            scope.roots.push(self.roots.len());
            self.roots.push(Root::State { at, value });
        }
        scope
    }

    /// The condition that saves most.
    fn best(&self, held: &[(u32, Word)], within: &[Tag]) -> Option<Word> {
        let mut tags = FxHashSet::default();
        for (at, value) in held {
            tags.extend(self.path(*at, *value));
        }
        let saved = |tag: Tag| (self.tagged.saved(tag, within), tag);
        let best = tags.into_iter().map(saved).max()?;
        (best.0 >= self.least).then_some(best.1.condition)
    }

    fn path(&self, at: u32, value: Word) -> impl Iterator<Item = Tag> {
        let mut steps = FxHashMap::default();
        walk(self.words, at, value, DEPTH, &|_| true, &mut steps);
        steps.into_values()
    }

    fn depends(&self, at: u32, value: Word, condition: Word) -> bool {
        self.path(at, value).any(|tag| tag.condition == condition)
    }

    /// The values where a condition is known, without those that are held.
    fn under(&mut self, held: &[(u32, Word)], condition: Word, holds: bool) -> Vec<(u32, Word)> {
        let known = held.iter().map(|(at, value)| (*at, self.words.given(*value, condition, holds, DEPTH)));
        let known: Vec<(u32, Word)> = known.collect();
        known.into_iter().filter(|(at, value)| self.words.op(*value) != WordOp::Load(*at)).collect()
    }
}

impl Words {
    /// `word` where a condition is known, looking through so many operations.
    fn given(&mut self, word: Word, condition: Word, holds: bool, depth: u32) -> Word {
        if word == condition {
            return self.constant(u64::from(holds));
        }
        if depth == 0 {
            return word;
        }
        let depth = depth - 1;
        match self.op(word) {
            WordOp::Select(chosen, then, otherwise) if chosen == condition => {
                let side = if holds { then } else { otherwise };
                self.given(side, condition, holds, depth)
            }
            WordOp::Select(other, then, otherwise) => {
                let then = self.given(then, condition, holds, depth);
                let otherwise = self.given(otherwise, condition, holds, depth);
                self.select(other, then, otherwise)
            }
            WordOp::And(a, b) => {
                let (a, b) = (self.given(a, condition, holds, depth), self.given(b, condition, holds, depth));
                self.and(a, b)
            }
            WordOp::Or(a, b) => {
                let (a, b) = (self.given(a, condition, holds, depth), self.given(b, condition, holds, depth));
                self.or(a, b)
            }
            _ => word,
        }
    }
}
