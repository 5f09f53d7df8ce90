//! What must come beside what came.

use flitforge_sim::SimError;
use std::collections::VecDeque;
use std::fmt::Debug;

/// An error of a test.
pub fn failed(clock: u64, problem: String) -> SimError {
    SimError::Check { clock, problem }
}

/// Two lists that must become equal, whichever is ahead: what must come, and what came.
#[derive(Clone, Debug)]
pub struct Compare<T> {
    what: &'static str,
    expected: VecDeque<T>,
    came: VecDeque<T>,
    equal: u64,
}

impl<T: PartialEq + Debug> Compare<T> {
    /// Nothing yet; `what` stands in messages.
    pub fn new(what: &'static str) -> Self {
        Self { what, expected: VecDeque::new(), came: VecDeque::new(), equal: 0 }
    }

    /// This must come, next after those before.
    pub fn expect(&mut self, item: T) {
        self.expected.push_back(item);
    }

    /// This came.
    pub fn came(&mut self, item: T) {
        self.came.push_back(item);
    }

    /// Compares what is known on both sides.
    pub fn check(&mut self, clock: u64) -> Result<(), SimError> {
        while !self.expected.is_empty() && !self.came.is_empty() {
            let (expected, came) = (self.expected.pop_front(), self.came.pop_front());
            if expected != came {
                let problem = format!("{} {}: {came:x?}, expected {expected:x?}", self.what, self.equal);
                return Err(failed(clock, problem));
            }
            self.equal += 1;
        }
        Ok(())
    }

    /// Everything that must come has come, and nothing else.
    #[track_caller]
    pub fn finish(&self) {
        assert!(self.expected.is_empty(), "{}: {} never came", self.what, self.expected.len());
        assert!(self.came.is_empty(), "{}: {} came unasked", self.what, self.came.len());
    }

    /// Forgets what waits on either side.
    pub fn clear(&mut self) {
        (self.expected, self.came) = Default::default();
    }
}

#[cfg(test)]
mod tests {
    use super::Compare;

    #[test]
    fn either_side_may_be_ahead() {
        let mut compare = Compare::new("word");
        compare.expect(1);
        assert!(compare.check(0).is_ok());
        compare.came(1);
        compare.came(2);
        assert!(compare.check(1).is_ok());
        compare.expect(3);
        let error = compare.check(2).expect_err("2 came").to_string();
        assert!(error.contains("word 1: Some(2), expected Some(3)"), "{error}");
    }

    #[test]
    #[should_panic(expected = "word: 1 never came")]
    fn what_never_came_fails() {
        let mut compare = Compare::new("word");
        compare.expect(1);
        compare.finish();
    }
}
