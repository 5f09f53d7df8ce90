//! Many cases on all cores.

use crate::case::{Case, Choice};
use crate::run::{run, Outcome};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc;

/// What to run.
#[derive(Clone, Copy, Debug)]
pub struct Campaign {
    /// Seed.
    pub seed: u64,
    /// Number of the first case.
    pub first: u64,
    /// Cases.
    pub cases: u64,
    /// Cases at a time.
    pub jobs: usize,
    /// What of the cases is fixed.
    pub choice: Choice,
    /// Ends with the first failure.
    pub stop: bool,
}

impl Campaign {
    /// Case `number` of them.
    pub fn case(&self, number: u64) -> Case {
        Case::new(self.seed, self.first + number, &self.choice)
    }

    /// Runs the cases; every outcome is given to `each` as soon as it is there.
    pub fn run(&self, each: &mut dyn FnMut(&Case, Outcome)) {
        let (next, stopped) = (AtomicU64::new(0), AtomicBool::new(false));
        let (results, outcomes) = mpsc::channel();
        std::thread::scope(|scope| {
            for _ in 0..self.jobs.max(1) {
                let results = results.clone();
                let (next, stopped) = (&next, &stopped);
                scope.spawn(move || loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= self.cases || stopped.load(Ordering::Relaxed) {
                        break;
                    }
                    let case = self.case(number);
                    let outcome = run(&case);
                    if self.stop && outcome.failure.is_some() {
                        stopped.store(true, Ordering::Relaxed);
                    }
                    if results.send((case, outcome)).is_err() {
                        break;
                    }
                });
            }
            drop(results);
            for (case, outcome) in outcomes {
                each(&case, outcome);
            }
        });
    }
}
