//! What tests of the link's blocks have in common: words of frames as their ports have them, agents, errors.

use flitforge_elaborate::Value;
use flitforge_sim::kit::{Agent, Coverage};
use flitforge_sim::{Bench, SimError};
use std::cell::RefCell;
use std::rc::Rc;

/// Bits of a word of a frame.
pub(super) const WORD_BITS: u32 = 70;

/// A word as its port has it.
pub(super) fn value_of(word: u128) -> Value {
    Value::from_words(WORD_BITS, &[word as u64, (word >> 64) as u64])
}

/// Calls an action in every clock, with the bench settled.
pub(super) struct EachClock<F>(pub(super) F);

impl<F: FnMut(u64, &mut dyn Bench) -> Result<(), SimError>> Agent for EachClock<F> {
    fn observe(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        (self.0)(clock, bench)
    }

    fn coverage(&self, _: &mut Coverage) {}
}

/// What is shared by agents.
pub(super) fn shared<T>(value: T) -> Rc<RefCell<T>> {
    Rc::new(RefCell::new(value))
}

/// An error of a check.
pub(super) fn wrong(clock: u64, problem: impl Into<String>) -> SimError {
    SimError::Check { clock, problem: problem.into() }
}
