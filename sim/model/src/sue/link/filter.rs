//! CTL_TWICE: ordered sets have no CRC, so two equal ones can be asked for (chapter 50, 0).

use super::super::format::OrderedSet;
use flitforge_protocol::sue::link_control::OrderedSetType;
use std::collections::BTreeMap;

/// The register CTL_TWICE. Both ends have to have the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum CtlTwice {
    /// Each ordered set is sent once, and one with a good window check moves state (the default).
    #[default]
    Once,
    /// Each is sent twice, and two equal ones of a type move state.
    Twice {
        /// Most clocks between the two: the round-trip time.
        within: u64,
    },
}

impl CtlTwice {
    /// How often an ordered set is sent.
    #[must_use]
    pub const fn copies(self) -> usize {
        match self {
            CtlTwice::Once => 1,
            CtlTwice::Twice { .. } => 2,
        }
    }
}

/// Lets ordered sets through that may move state.
#[derive(Debug, Clone, Default)]
pub struct OrderedSetFilter {
    twice: CtlTwice,
    /// By type: one that has not been repeated, and when it came.
    single: BTreeMap<OrderedSetType, (OrderedSet, u64)>,
    /// Ordered sets that were replaced or came too late, and so never counted.
    pub unconfirmed: u64,
}

impl OrderedSetFilter {
    /// A filter.
    #[must_use]
    pub fn new(twice: CtlTwice) -> Self {
        OrderedSetFilter { twice, ..Self::default() }
    }

    /// The ordered set, if it may move state now.
    pub fn pass(&mut self, set: OrderedSet, now: u64) -> Option<OrderedSet> {
        let CtlTwice::Twice { within } = self.twice else { return Some(set) };
        match self.single.remove(&set.kind()) {
            Some((first, since)) if first == set && now.saturating_sub(since) <= within => Some(set),
            other => {
                self.unconfirmed += u64::from(other.is_some());
                self.single.insert(set.kind(), (set, now));
                None
            }
        }
    }
}
