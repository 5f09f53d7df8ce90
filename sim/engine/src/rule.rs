//! The rules of streams (chapter 00, "Conventions of every block").

use std::fmt;

/// The rules of streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Rule {
    /// `valid` holds until the transfer.
    ValidHolds,
    /// The payload holds until the transfer.
    PayloadHolds,
    /// `valid` never waits for `ready`.
    ValidIgnoresReady,
    /// `ready` is low while the block is cleared.
    ReadyLowWhileCleared,
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ValidHolds => "valid holds until the transfer",
            Self::PayloadHolds => "the payload holds until the transfer",
            Self::ValidIgnoresReady => "valid never waits for ready",
            Self::ReadyLowWhileCleared => "ready is low while the block is cleared",
        })
    }
}
