//! Many sums of bits at once: a word whose bits are exclusive-ors of bits of other words.
//!
//! CRCs and scramblers are matrices over bits. Row by row, every bit costs a mask, a count and its way to its place.
//! Per word that is read, two forms take all rows together, and the cheaper one is used:
//!
//! - *diagonals*: all input bits that have the same distance to the output bits they go to, with one mask and shift;
//! - *tables*: a group of neighbouring input bits is the index of a table of what these bits add to the output.

use super::mutation::Mutation;
use super::word::{mask, Word, WordOp, Words};
use std::collections::BTreeMap;

/// What an entry of a table costs in instructions: it takes room in the first cache.
const ENTRIES_PER_INSTRUCTION: usize = 50;

/// Output bits that each bit of an input word goes to.
type Columns = [u64; 64];

impl Words {
    /// The word with these one-bit words at these places.
    pub(super) fn linear_word(&mut self, bits: &[(u32, Word)]) -> Word {
        let zero = self.zero();
        let mut plain = 0;
        let mut inputs: BTreeMap<Word, Columns> = BTreeMap::new();
        for (place, bit) in bits {
            let terms = self.bit_terms(*bit);
            plain += 2 * terms.len() + 3;
            for (word, mask) in terms {
                let columns = inputs.entry(word).or_insert([0; 64]);
                for (index, column) in columns.iter_mut().enumerate() {
                    *column ^= (mask >> index & 1) << place;
                }
            }
        }
        let forms: Vec<(Word, Columns, Form)> =
            inputs.into_iter().map(|(word, columns)| (word, columns, Form::best(&columns))).collect();
        if forms.iter().map(|(_, _, form)| form.cost).sum::<usize>() < plain {
            return forms.into_iter().fold(zero, |sum, (word, columns, form)| {
                let part = self.linear_part(word, &columns, form.group);
                self.xor(sum, part)
            });
        }
        bits.iter().fold(zero, |out, (place, bit)| {
            let moved = self.shift_left(*bit, *place);
            self.or(out, moved)
        })
    }

    /// What one input word adds.
    fn linear_part(&mut self, word: Word, columns: &Columns, group: Option<u32>) -> Word {
        let mut sum = self.zero();
        let Some(size) = group else {
            for (distance, mask) in diagonals(columns) {
                let kept = self.and_constant(word, mask);
                let moved = match distance {
                    0.. => self.shift_left(kept, distance as u32),
                    _ => self.shift_right(kept, distance.unsigned_abs()),
                };
                sum = self.xor(sum, moved);
            }
            return sum;
        };
        for low in groups(columns, size) {
            let size = size.min(64 - low);
            let index = self.field(word, low, mask(size));
            let part = self.lookup(index, &columns[low as usize..(low + size) as usize]);
            sum = self.xor(sum, part);
        }
        sum
    }

    /// The sum of the columns whose bits in `index` are 1.
    fn lookup(&mut self, index: Word, columns: &[u64]) -> Word {
        let entry = |index: u64| {
            let chosen = columns.iter().enumerate().filter(|(bit, _)| index >> bit & 1 == 1);
            chosen.fold(0, |sum, (_, column)| sum ^ column)
        };
        if let Some(index) = self.as_constant(index) {
            return self.constant(entry(index));
        }
        let mut table: Box<[u64]> = (0..1 << columns.len()).map(entry).collect();
        if self.mutation == Some(Mutation::WrongTable) {
            table[1] ^= 1;
        }
        let possible = columns.iter().fold(0, |all, column| all | column);
        let at = match self.known_tables.get(&table) {
            Some(at) => *at,
            None => {
                let at = self.tables.len() as u32;
                self.tables.extend_from_slice(&table);
                self.known_tables.insert(table, at);
                at
            }
        };
        self.intern(WordOp::Lookup { index, at }, possible)
    }
}

/// How one input word is treated.
struct Form {
    /// Size of the groups for tables; `None` for diagonals.
    group: Option<u32>,
    /// In instructions.
    cost: usize,
}

impl Form {
    fn best(columns: &Columns) -> Self {
        let by_diagonals = Self { group: None, cost: 3 * diagonals(columns).len() };
        let by_tables = (3..=8).map(|size| {
            let count = groups(columns, size).len();
            Self { group: Some(size), cost: 3 * count + (count << size) / ENTRIES_PER_INSTRUCTION }
        });
        let forms = std::iter::once(by_diagonals).chain(by_tables);
        forms
            .reduce(|best, form| if form.cost < best.cost { form } else { best })
            .unwrap_or(Self { group: None, cost: 0 })
    }
}

/// Input bits by the distance to the output bits they go to.
fn diagonals(columns: &Columns) -> BTreeMap<i32, u64> {
    let mut diagonals = BTreeMap::new();
    for (index, column) in (0i32..).zip(columns) {
        for place in (0i32..64).filter(|place| column >> place & 1 == 1) {
            *diagonals.entry(place - index).or_insert(0) |= 1u64 << index;
        }
    }
    diagonals
}

/// Lowest bits of groups of `size` neighbouring input bits that cover all used ones.
fn groups(columns: &Columns, size: u32) -> Vec<u32> {
    let mut lows = vec![];
    let mut covered = 0;
    for (index, column) in (0u32..).zip(columns) {
        if *column != 0 && index >= covered {
            lows.push(index);
            covered = index + size;
        }
    }
    lows
}
