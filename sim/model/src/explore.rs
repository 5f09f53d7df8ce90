//! Exhaustive search through the states of a model, with a bound on how much goes wrong at a time.
//!
//! States are told apart by a 128-bit hash. Two different states with one hash would hide one of them; for ten million
//! states the chance is 10^-25.

use std::collections::hash_map::DefaultHasher;
use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use thiserror::Error;

/// A model that can be searched.
pub trait System: Clone + Hash {
    /// A broken promise.
    type Violation;

    /// What can go wrong in one step: everything but the quiet step.
    fn troubles(&self) -> usize;
    /// Weight of trouble number `trouble` against the bound; 0 lets it happen any number of times.
    fn weight(&self, trouble: usize) -> usize;
    /// One step, with this trouble or quiet.
    fn step(&mut self, trouble: Option<usize>) -> Result<(), Self::Violation>;
    /// Nothing is left of any trouble: from here the bound starts again.
    fn is_at_rest(&self) -> bool;
    /// The state is one the quiet steps may end in.
    fn is_good(&self) -> bool;
}

/// What the search found out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Explored {
    /// Different states.
    pub states: usize,
    /// Steps between them.
    pub steps: usize,
    /// Most quiet steps from any state to good ones.
    pub longest_recovery: usize,
}

/// Why the search failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum ExploreError<V> {
    /// A promise was broken.
    #[error("{0}")]
    Violation(V),
    /// The quiet steps from a state end in a circle that is not good.
    #[error("no way back to good states, although nothing more goes wrong")]
    Stuck,
    /// The limit was reached.
    #[error("more than {limit} states; raise the limit or lower the bound of troubles")]
    TooMany {
        /// The limit.
        limit: usize,
    },
}

#[derive(Debug, Clone, Copy)]
struct Known {
    next: u128,
    good: bool,
    spent: usize,
}

fn fingerprint(system: &impl Hash) -> u128 {
    let half = |salt: u64| {
        let mut hasher = DefaultHasher::new();
        salt.hash(&mut hasher);
        system.hash(&mut hasher);
        u128::from(hasher.finish())
    };
    half(1) << 64 | half(2)
}

/// Visits every state that troubles of at most weight `bound` can lead to, from `start` and from every state at rest,
/// and follows the quiet steps from each. `visit` sees every state once or more. At most `limit` states.
pub fn explore<S: System>(
    start: S,
    bound: usize,
    limit: usize,
    mut visit: impl FnMut(&S),
) -> Result<Explored, ExploreError<S::Violation>> {
    let mut known: HashMap<u128, Known> = HashMap::new();
    let mut queues = vec![Vec::new(); bound + 1];
    queues[0].push(start);
    let mut steps = 0;
    while let Some(queue) = queues.iter().position(|queue| !queue.is_empty()) {
        let Some(state) = queues[queue].pop() else { continue };
        let spent = if state.is_at_rest() { 0 } else { queue };
        let mark = fingerprint(&state);
        if known.get(&mark).is_some_and(|known| known.spent <= spent) {
            continue;
        }
        if known.len() >= limit {
            return Err(ExploreError::TooMany { limit });
        }
        visit(&state);
        let mut quiet = state.clone();
        quiet.step(None).map_err(ExploreError::Violation)?;
        known.insert(mark, Known { next: fingerprint(&quiet), good: state.is_good(), spent });
        queues[spent].push(quiet);
        steps += 1;
        for trouble in 0..state.troubles() {
            let spent = spent + state.weight(trouble);
            if spent <= bound {
                let mut next = state.clone();
                next.step(Some(trouble)).map_err(ExploreError::Violation)?;
                queues[spent].push(next);
                steps += 1;
            }
        }
    }
    let longest_recovery = longest_recovery(&known).ok_or(ExploreError::Stuck)?;
    Ok(Explored { states: known.len(), steps, longest_recovery })
}

/// Follows the quiet steps: all must end in a circle of good states. The longest way to the last state that is not
/// good; `None` if a circle is not good.
fn longest_recovery(known: &HashMap<u128, Known>) -> Option<usize> {
    let mut distance: HashMap<u128, usize> = HashMap::new();
    for &mark in known.keys() {
        let mut path = Vec::new();
        let mut on_path = HashMap::new();
        let mut at = mark;
        while !distance.contains_key(&at) && !on_path.contains_key(&at) {
            on_path.insert(at, path.len());
            path.push(at);
            at = known[&at].next;
        }
        if let Some(&circle) = on_path.get(&at) {
            if path[circle..].iter().any(|mark| !known[mark].good) {
                return None;
            }
            path.drain(circle..).for_each(|mark| {
                distance.insert(mark, 0);
            });
        }
        let mut steps = distance[&at];
        for &mark in path.iter().rev() {
            if steps > 0 || !known[&mark].good {
                steps += 1;
            }
            distance.insert(mark, steps);
        }
    }
    Some(distance.into_values().max().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts modulo 10; trouble adds 3; 7 is forbidden.
    #[derive(Clone, Hash)]
    struct Count {
        value: u8,
        sticky: bool,
    }

    impl System for Count {
        type Violation = u8;

        fn troubles(&self) -> usize {
            1
        }

        fn weight(&self, _: usize) -> usize {
            1
        }

        fn step(&mut self, trouble: Option<usize>) -> Result<(), u8> {
            self.value = match trouble {
                Some(_) => self.value + 3,
                None if self.sticky => self.value,
                None => self.value.saturating_sub(1),
            };
            if self.value == 7 {
                Err(7)
            } else {
                Ok(())
            }
        }

        fn is_at_rest(&self) -> bool {
            self.value == 0
        }

        fn is_good(&self) -> bool {
            self.value == 0
        }
    }

    #[test]
    fn violations_and_dead_ends_are_found_within_the_bound() {
        let count = |sticky| Count { value: 0, sticky };
        let explored = explore(count(false), 2, 100, |_| ()).expect("0 to 6 only");
        assert_eq!((explored.states, explored.longest_recovery), (7, 6));
        assert_eq!(explore(count(false), 3, 100, |_| ()), Err(ExploreError::Violation(7)));
        assert_eq!(explore(count(true), 1, 100, |_| ()), Err(ExploreError::Stuck));
        assert_eq!(explore(count(false), 2, 3, |_| ()), Err(ExploreError::TooMany { limit: 3 }));
    }
}
