//! Coverage of one thing.

use std::cell::Cell;
use std::rc::Rc;

/// How often a model saw one thing happen; clones count together. [`Seen`](crate::Seen) has many by name.
#[derive(Clone, Debug, Default)]
pub struct Count(Rc<Cell<u64>>);

impl Count {
    /// Counts so many.
    pub fn add(&self, times: u64) {
        self.0.set(self.0.get() + times);
    }

    /// Fails if there were fewer.
    #[track_caller]
    pub fn at_least(&self, least: u64, what: &str) {
        assert!(self.0.get() >= least, "{what}: {} times, expected {least} at least", self.0.get());
    }
}

#[cfg(test)]
mod tests {
    use super::Count;

    #[test]
    #[should_panic(expected = "words: 3 times, expected 4 at least")]
    fn too_few_fail() {
        let count = Count::default();
        count.clone().add(2);
        count.add(1);
        count.at_least(3, "words");
        count.at_least(4, "words");
    }
}
