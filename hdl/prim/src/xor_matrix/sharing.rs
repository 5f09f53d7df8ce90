//! Sums that several rows of a matrix over GF(2) have in common.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Most rows that are looked through for common sums.
const MOST_ROWS: usize = 128;
/// Terms of a look-up table.
const TABLE: usize = 4;

/// A matrix over GF(2) as sums of at most four terms: a term below the number of inputs is an input, another one an earlier sum.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sharing {
    /// Terms of each common sum.
    pub sums: Vec<Vec<usize>>,
    /// Terms of each row.
    pub rows: Vec<Vec<usize>>,
}

/// Rows by term, and what is left of them.
struct Search {
    /// By term, the rows it is in.
    places: Vec<u128>,
}

impl Search {
    fn terms(&self, rows: u128) -> Vec<usize> {
        (0..self.places.len()).filter(|term| self.places[*term] & rows == rows).collect()
    }

    /// From `seed` on, term by term, the one of `terms` that the most rows have, up to `size` of them; with the rows that have all.
    fn grown(&self, seed: usize, terms: &[usize], size: usize) -> (Vec<usize>, u128) {
        let (mut chosen, mut rows) = (vec![seed], self.places[seed]);
        while chosen.len() < size {
            let rest = terms.iter().filter(|term| !chosen.contains(term));
            let Some(next) = rest.max_by_key(|term| (self.places[**term] & rows).count_ones()) else { break };
            rows &= self.places[*next];
            chosen.push(*next);
        }
        chosen.sort_unstable();
        (chosen, rows)
    }

    /// The common sum that saves the most, in thirds of a look-up table, with its rows.
    fn best(&self, count: usize) -> Option<(Vec<usize>, u128)> {
        let mut best: Option<(i64, Vec<usize>, u128)> = None;
        for first in 0..count {
            for second in first + 1..count {
                let common = self.terms(1 << first | 1 << second);
                if common.len() < 2 {
                    continue;
                }
                for seed in [common[0], common[common.len() / 2], common[common.len() - 1]] {
                    for size in 2..=TABLE.min(common.len()) {
                        let (terms, rows) = self.grown(seed, &common, size);
                        let saved = i64::from(rows.count_ones()) * (terms.len() as i64 - 1) - 3;
                        if saved > best.as_ref().map_or(0, |best| best.0) {
                            best = Some((saved, terms, rows));
                        }
                    }
                }
            }
        }
        best.map(|(_, terms, rows)| (terms, rows))
    }
}

/// What was found before, by rows and inputs.
type Known = BTreeMap<(usize, Vec<Vec<usize>>), Arc<Sharing>>;

impl Sharing {
    /// [`Sharing::of`], found once for each matrix.
    pub fn known(rows: &[Vec<usize>], inputs: usize) -> Arc<Self> {
        static KNOWN: Mutex<Known> = Mutex::new(BTreeMap::new());
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let found = known.entry((inputs, rows.to_vec()));
        Arc::clone(found.or_insert_with(|| Arc::new(Self::of(rows, inputs))))
    }

    /// Takes sums out of the rows as long as that saves look-up tables of four inputs; the same for the same rows. A matrix of more than 128
    /// rows stays as it is.
    pub fn of(rows: &[Vec<usize>], inputs: usize) -> Self {
        let mut left: Vec<Vec<usize>> = rows.iter().map(|row| odd_terms(row)).collect();
        if rows.len() > MOST_ROWS {
            return Self { sums: vec![], rows: left };
        }
        let mut search = Search { places: vec![0; inputs] };
        for (index, row) in left.iter().enumerate() {
            row.iter().for_each(|term| search.places[*term] |= 1 << index);
        }
        let mut sums = vec![];
        while let Some((terms, covered)) = search.best(rows.len()) {
            terms.iter().for_each(|term| search.places[*term] &= !covered);
            search.places.push(covered);
            sums.push(terms);
        }
        for (index, row) in left.iter_mut().enumerate() {
            *row = search.terms(1 << index);
            // Sums first, the last ones before all: what is deep joins late.
            row.reverse();
        }
        Self { sums, rows: left }
    }
}

/// A term that is there twice is not there.
fn odd_terms(row: &[usize]) -> Vec<usize> {
    let mut terms: Vec<usize> = vec![];
    for term in row {
        match terms.iter().position(|there| there == term) {
            Some(at) => drop(terms.swap_remove(at)),
            None => terms.push(*term),
        }
    }
    terms
}
