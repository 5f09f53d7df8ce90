//! What a block says no to, as an error of the bench.

use flitforge_sim::SimError;

/// What a block says no to.
pub fn refused(block: &str, reason: &dyn std::fmt::Display) -> SimError {
    SimError::Elaborate { block: block.into(), reason: reason.to_string() }
}
