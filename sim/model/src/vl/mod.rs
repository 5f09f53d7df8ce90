//! Virtual lanes on one link (chapter 10, 4.9): packets of several lanes share the beats of a link, beat by beat.
//!
//! Both ends keep a stack of the lanes that have a packet in progress; Body and Tail flits belong to the top. A Head
//! pushes its lane, a Tail pops it, a VlMrkr moves a lane that is in the stack to the top. [`VlSender`] decides which lane
//! has the next beat; [`VlReceiver`] sorts beats by lane again and finds every sequence no sender makes, flit by flit;
//! [`VlBeatReceiver`] does so beat by beat.

mod beats;
mod receiver;
mod sender;
#[cfg(test)]
mod tests;

pub use beats::{BeatReceived, CameFlits, LaneBeat, VlBeatReceiver};
pub use receiver::{Received, VlReceiver};
pub use sender::{Grant, InterleaveRules, Offer, VlRules, VlSender, TOP_PRIORITY};

use thiserror::Error;

pub use flitforge_protocol::link_registers::MAX_VLS;

/// A setting or an input that cannot be.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum VlError {
    /// NUM_VLS out of range.
    #[error("virtual lanes: {lanes} lanes; give 1 to {MAX_VLS}")]
    Lanes {
        /// Given.
        lanes: usize,
    },
    /// PRIO out of range.
    #[error("virtual lane {vl}: PRIO {priority}; give 0 to {TOP_PRIORITY}")]
    Priority {
        /// Lane.
        vl: usize,
        /// Given.
        priority: u8,
    },
    /// Not one offer per lane.
    #[error("virtual lanes: {found} offers, expected one for each of {expected} lanes")]
    Offers {
        /// Given.
        found: usize,
        /// NUM_VLS.
        expected: usize,
    },
    /// A head within a packet, or something else outside one.
    #[error("virtual lane {vl}: its next beat begins a packet within one, or goes on with none begun")]
    OutOfOrder {
        /// Lane.
        vl: usize,
    },
    /// Flits per beat and per group that do not go together.
    #[error("virtual lanes: {flits} flits in a beat, {group} in a group; give 1, 2 or 4, and no more in a beat than in a group")]
    Group {
        /// Flits per beat.
        flits: usize,
        /// AL.
        group: usize,
    },
}
