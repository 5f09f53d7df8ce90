//! Which lane a word rides (chapter 10, 3.6).

use flitforge_protocol::lane_word::{group_lane, sequence_state, transfer_group, MAX_LANES};
use thiserror::Error;

/// Round-robin dealing of words to lanes, starting at lane `state`.
///
/// With state 0 the lane is the *transfer group*; with the LTP's sequence state it is the logical lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Stripe {
    lanes: usize,
    state: usize,
}

/// A number of lanes the link does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("link of {lanes} lanes: expected 1 to {MAX_LANES}")]
pub struct LaneCountError {
    /// Lanes asked for.
    pub lanes: usize,
}

impl Stripe {
    /// The stripe of transfer groups.
    pub const fn groups(lanes: usize) -> Result<Self, LaneCountError> {
        if lanes == 0 || lanes > MAX_LANES {
            return Err(LaneCountError { lanes });
        }
        Ok(Stripe { lanes, state: 0 })
    }

    /// The stripe of an LTP with this sequence state.
    #[must_use]
    pub const fn in_state(self, state: usize) -> Self {
        Stripe { lanes: self.lanes, state: state % self.lanes }
    }

    /// The stripe of LTP number n since the start row, of `ltp_words` words.
    #[must_use]
    pub const fn of_ltp(self, ltp_words: usize, ltp_number: u64) -> Self {
        self.in_state(sequence_state(ltp_words, self.lanes, ltp_number))
    }

    /// Number of lanes, L.
    #[must_use]
    pub const fn lanes(self) -> usize {
        self.lanes
    }

    /// The sequence state.
    #[must_use]
    pub const fn state(self) -> usize {
        self.state
    }

    /// The lane (or, in state 0, the transfer group) of a word of the LTP.
    #[must_use]
    pub const fn lane(self, word: usize) -> usize {
        group_lane(self.lanes, transfer_group(self.lanes, word), self.state)
    }
}
