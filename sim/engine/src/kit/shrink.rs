//! The smallest stimulus that fails, found by proptest.

use super::random::Rng;
use crate::error::SimError;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use rand::RngCore;
use std::fmt;

/// A stimulus that fails, and that no simpler one of its neighbours does.
#[derive(Debug)]
pub struct ShrunkFailure<V> {
    /// The stimulus.
    pub stimulus: V,
    /// Why it fails.
    pub error: SimError,
    /// Which of the tried stimuli failed first; the first is 0.
    pub case: u32,
    /// Runs spent on making it smaller.
    pub shrinks: u32,
    /// Seed of the search.
    pub seed: u64,
}

impl<V: fmt::Debug> fmt::Display for ShrunkFailure<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.error)?;
        writeln!(f, "  smallest failing stimulus: {:?}", self.stimulus)?;
        let Self { case, shrinks, seed, .. } = self;
        write!(f, "  (case {case}, {shrinks} runs to shrink it); repeat with FLITFORGE_SEED={seed:#x}")
    }
}

impl<V: fmt::Debug> std::error::Error for ShrunkFailure<V> {}

/// Tries `cases` stimuli from `strategy` on `run`. The first that fails is made smaller as long as it fails, with at
/// most `shrinks` more runs, and returned with its error; `None` if all pass. The same seed tries the same
/// stimuli. A strategy that refuses to make one is an error.
pub fn find_failure<S: Strategy>(
    strategy: &S,
    cases: u32,
    shrinks: u32,
    seed: u64,
    mut run: impl FnMut(&S::Value) -> Result<(), SimError>,
) -> Result<Option<ShrunkFailure<S::Value>>, SimError> {
    let mut runner = runner(seed);
    for case in 0..cases {
        let mut tree = strategy.new_tree(&mut runner).map_err(|reason| SimError::Format {
            what: "stimulus strategy".into(),
            problem: format!("makes no stimulus: {reason}"),
        })?;
        let stimulus = tree.current();
        if let Err(error) = run(&stimulus) {
            let mut failure = ShrunkFailure { stimulus, error, case, shrinks: 0, seed };
            shrink(&mut tree, &mut failure, shrinks, &mut run);
            return Ok(Some(failure));
        }
    }
    Ok(None)
}

/// Simplifies while it fails; what passes is taken back by the tree.
fn shrink<T: ValueTree>(
    tree: &mut T,
    failure: &mut ShrunkFailure<T::Value>,
    limit: u32,
    run: &mut impl FnMut(&T::Value) -> Result<(), SimError>,
) {
    let mut moved = tree.simplify();
    while moved && failure.shrinks < limit {
        failure.shrinks += 1;
        let stimulus = tree.current();
        moved = match run(&stimulus) {
            Err(error) => {
                failure.stimulus = stimulus;
                failure.error = error;
                tree.simplify()
            }
            Ok(()) => tree.complicate(),
        };
    }
}

fn runner(seed: u64) -> TestRunner {
    let mut bytes = [0; 32];
    let mut random: Rng = super::random::rng(seed, "shrink");
    random.fill_bytes(&mut bytes);
    let config = Config { failure_persistence: None, ..Config::default() };
    TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &bytes))
}
