//! An agent that acts when a bit is 1.

use flitforge_sim::kit::{Agent, Coverage};
use flitforge_sim::{Bench, PortHandle, SimError};

/// Calls an action on every clock in which an output or input of one bit is 1.
pub struct OnBit<A> {
    port: PortHandle,
    action: A,
}

impl<A: FnMut(u64) -> Result<(), SimError>> OnBit<A> {
    /// The port at `path`; the action gets the number of the clock.
    pub fn new(bench: &dyn Bench, path: &str, action: A) -> Result<Self, SimError> {
        Ok(OnBit { port: bench.port(path)?, action })
    }
}

impl<A: FnMut(u64) -> Result<(), SimError>> Agent for OnBit<A> {
    fn observe(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        if bench.get_bit(self.port) {
            (self.action)(clock)?;
        }
        Ok(())
    }

    fn coverage(&self, _: &mut Coverage) {}
}
