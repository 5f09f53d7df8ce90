//! The order in which a function computes: operands before users, words in the branch that alone needs them, and
//! registers that read others before those they read, so that most next values can be stored at once.

use super::guard::Scope;
use super::roots::Root;
use super::word::{Word, WordOp, Words};
use rustc_hash::FxHashMap;

/// One step of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Computes a word.
    Compute(Word),
    /// Delivers the root of this number.
    Deliver(usize),
    /// Does the one or the other.
    Branch { condition: Word, then: Vec<Step>, otherwise: Vec<Step> },
}

impl Step {
    /// Steps in it, itself included.
    pub fn weight(&self) -> usize {
        match self {
            Self::Branch { then, otherwise, .. } => {
                1 + then.iter().chain(otherwise).map(Self::weight).sum::<usize>()
            }
            _ => 1,
        }
    }
}

/// All steps for the roots in `scope`. Writes to memories come last, after every read.
pub(super) fn order(words: &Words, roots: &[Root], scope: &Scope) -> Vec<Step> {
    let pressure = pressure(words);
    let tree = Tree::new(words, roots, scope);
    let mut walk = Walk::new(words, roots, &pressure, &tree);
    walk.scope(0);
    let better = tree.readers_first(&walk.reads);
    let better = Tree { units: better, ..tree };
    let mut walk = Walk::new(words, roots, &pressure, &better);
    let mut steps = walk.scope(0);
    steps.extend(walk.writes());
    steps
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

/// What is done at one place in one go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Unit {
    Root(usize),
    Branch(usize),
}

/// The scopes by number, 0 the outermost; a scope has a smaller number than those in it.
struct Tree {
    /// The scope around each, and its depth; the outermost lies in itself.
    outer: Vec<(usize, usize)>,
    /// Which branch each scope is a side of; of no meaning for the outermost.
    branch_of: Vec<usize>,
    /// Condition and sides of each branch.
    branches: Vec<(Word, [usize; 2])>,
    /// Scope of each branch and root.
    scope_of: FxHashMap<Unit, usize>,
    /// By scope: what is done there, without writes to memories.
    units: Vec<Vec<Unit>>,
    /// By word: the innermost scope that holds all its users; none for a word that nothing uses.
    place: Vec<Option<usize>>,
}

impl Tree {
    fn new(words: &Words, roots: &[Root], scope: &Scope) -> Self {
        let mut tree = Self {
            outer: vec![],
            branch_of: vec![],
            branches: vec![],
            scope_of: FxHashMap::default(),
            units: vec![],
            place: vec![None; words.len()],
        };
        tree.add(roots, scope, (0, 0), 0);
        for (number, root) in roots.iter().enumerate() {
            let scope = tree.scope_of.get(&Unit::Root(number)).copied().unwrap_or(0);
            root.for_words(|word| tree.needed(word, scope));
        }
        for number in 0..tree.branches.len() {
            let scope = tree.scope_of[&Unit::Branch(number)];
            tree.needed(tree.branches[number].0, scope);
        }
        for index in (0..words.len()).rev() {
            if let Some(scope) = tree.place[index] {
                let operands = words.op(Word(index as u32)).operands().into_iter().flatten();
                operands.for_each(|operand| tree.needed(operand, scope));
            }
        }
        tree
    }

    fn add(&mut self, roots: &[Root], scope: &Scope, outer: (usize, usize), branch: usize) -> usize {
        let number = self.outer.len();
        self.outer.push(outer);
        self.branch_of.push(branch);
        self.units.push(vec![]);
        for root in &scope.roots {
            self.scope_of.insert(Unit::Root(*root), number);
            if !matches!(roots[*root], Root::Write { .. }) {
                self.units[number].push(Unit::Root(*root));
            }
        }
        for branch in &scope.branches {
            let own = self.branches.len();
            self.branches.push((branch.condition, [0; 2]));
            self.scope_of.insert(Unit::Branch(own), number);
            self.units[number].push(Unit::Branch(own));
            for (side, scope) in [&branch.then, &branch.otherwise].into_iter().enumerate() {
                self.branches[own].1[side] = self.add(roots, scope, (number, outer.1 + 1), own);
            }
        }
        number
    }

    fn needed(&mut self, word: Word, scope: usize) {
        let place = self.place[word.index()];
        self.place[word.index()] = Some(place.map_or(scope, |known| self.common(known, scope)));
    }

    /// The innermost scope around two.
    fn common(&self, mut a: usize, mut b: usize) -> usize {
        while a != b {
            match self.outer[a].1 >= self.outer[b].1 {
                true => a = self.outer[a].0,
                false => b = self.outer[b].0,
            }
        }
        a
    }

    /// What holds a unit in a scope around it.
    fn lifted(&self, mut unit: Unit, scope: usize) -> Unit {
        while self.scope_of[&unit] != scope {
            unit = Unit::Branch(self.branch_of[self.scope_of[&unit]]);
        }
        unit
    }

    /// By scope: its units in an order in which readers stand before what they read, as far as there are no cycles.
    fn readers_first(&self, reads: &[(Unit, Unit)]) -> Vec<Vec<Unit>> {
        let mut readers: FxHashMap<Unit, Vec<Unit>> = FxHashMap::default();
        for (reader, owner) in reads {
            let scope = self.common(self.scope_of[reader], self.scope_of[owner]);
            let (reader, owner) = (self.lifted(*reader, scope), self.lifted(*owner, scope));
            let list = readers.entry(owner).or_default();
            if reader != owner && list.last() != Some(&reader) {
                list.push(reader);
            }
        }
        self.units.iter().map(|units| sorted(units, &readers)).collect()
    }
}

fn sorted(units: &[Unit], readers: &FxHashMap<Unit, Vec<Unit>>) -> Vec<Unit> {
    let mut seen = rustc_hash::FxHashSet::default();
    let mut out = vec![];
    for start in units {
        let mut open = vec![(*start, 0)];
        if !seen.insert(*start) {
            continue;
        }
        while let Some((unit, next)) = open.last_mut() {
            match readers.get(unit).and_then(|list| list.get(*next)) {
                Some(reader) => {
                    *next += 1;
                    if seen.insert(*reader) {
                        open.push((*reader, 0));
                    }
                }
                None => {
                    out.push(*unit);
                    open.pop();
                }
            }
        }
    }
    out
}

struct Walk<'a> {
    words: &'a Words,
    roots: &'a [Root],
    pressure: &'a [u8],
    tree: &'a Tree,
    done: Vec<bool>,
    /// By word: the branch before which it was looked through last.
    passed: Vec<usize>,
    /// Which roots store a word of the state.
    owners: FxHashMap<u32, Vec<Unit>>,
    /// What reads a word of the state, and what stores it.
    reads: Vec<(Unit, Unit)>,
}

impl<'a> Walk<'a> {
    fn new(words: &'a Words, roots: &'a [Root], pressure: &'a [u8], tree: &'a Tree) -> Self {
        let mut owners: FxHashMap<u32, Vec<Unit>> = FxHashMap::default();
        for (number, root) in roots.iter().enumerate() {
            if let Root::State { at, .. } = root {
                owners.entry(*at).or_default().push(Unit::Root(number));
            }
        }
        let (done, passed) = (vec![false; words.len()], vec![usize::MAX; words.len()]);
        Self { words, roots, pressure, tree, done, passed, owners, reads: vec![] }
    }

    /// The steps of a scope. What is around it is computed already.
    fn scope(&mut self, scope: usize) -> Vec<Step> {
        let mut steps = vec![];
        for unit in &self.tree.units[scope] {
            match *unit {
                Unit::Root(number) => {
                    self.root(number, *unit, &mut steps);
                    steps.push(Step::Deliver(number));
                }
                Unit::Branch(number) => {
                    let (condition, [then, otherwise]) = self.tree.branches[number];
                    self.compute(condition, *unit, &mut steps);
                    self.before(number, scope, *unit, &mut steps);
                    let (then, otherwise) = (self.scope(then), self.scope(otherwise));
                    steps.push(Step::Branch { condition, then, otherwise });
                }
            }
        }
        steps
    }

    /// Operands of the writes to memories, then the writes in their order: of two to one word the last one counts.
    fn writes(&mut self) -> Vec<Step> {
        let roots = self.roots;
        let is_write = |number: &usize| matches!(roots[*number], Root::Write { .. });
        let numbers: Vec<usize> = (0..roots.len()).filter(is_write).collect();
        let mut steps = vec![];
        numbers.iter().for_each(|number| self.root(*number, Unit::Root(*number), &mut steps));
        steps.extend(numbers.into_iter().map(Step::Deliver));
        steps
    }

    fn root(&mut self, number: usize, unit: Unit, steps: &mut Vec<Step>) {
        let mut values = vec![];
        self.roots[number].for_words(|word| values.push(word));
        values.into_iter().for_each(|word| self.compute(word, unit, steps));
    }

    /// Computes what a branch needs and others too.
    fn before(&mut self, branch: usize, scope: usize, unit: Unit, steps: &mut Vec<Step>) {
        let mut open = vec![];
        let mut branches = vec![branch];
        while let Some(inner) = branches.pop() {
            for side in self.tree.branches[inner].1 {
                for inner in &self.tree.units[side] {
                    match inner {
                        Unit::Root(number) => self.roots[*number].for_words(|word| open.push(word)),
                        Unit::Branch(number) => {
                            open.push(self.tree.branches[*number].0);
                            branches.push(*number);
                        }
                    }
                }
            }
        }
        while let Some(word) = open.pop() {
            let index = word.index();
            if self.done[index] || std::mem::replace(&mut self.passed[index], branch) == branch {
                continue;
            }
            match self.tree.place[index] == Some(scope) {
                true => self.compute(word, unit, steps),
                false => open.extend(self.words.op(word).operands().into_iter().flatten()),
            }
        }
    }

    fn compute(&mut self, word: Word, unit: Unit, steps: &mut Vec<Step>) {
        let mut open = vec![word];
        while let Some(top) = open.last().copied() {
            let op = self.words.op(top);
            if self.done[top.index()] || op.is_leaf() {
                self.reads(op, unit);
                open.pop();
                continue;
            }
            let before = open.len();
            for operand in op.operands().into_iter().flatten() {
                if self.words.op(operand).is_leaf() {
                    self.reads(self.words.op(operand), unit);
                } else if !self.done[operand.index()] {
                    open.push(operand);
                }
            }
            // the last one is computed first
            let pressure = self.pressure;
            open[before..].sort_by_key(|word| pressure[word.index()]);
            if open.len() == before {
                self.done[top.index()] = true;
                steps.push(Step::Compute(top));
                open.pop();
            }
        }
    }

    fn reads(&mut self, op: WordOp, unit: Unit) {
        let WordOp::Load(at) = op else { return };
        for owner in self.owners.get(&at).into_iter().flatten() {
            if *owner != unit && self.reads.last() != Some(&(unit, *owner)) {
                self.reads.push((unit, *owner));
            }
        }
    }
}
