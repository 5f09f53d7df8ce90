//! The report of the time rings (chapter 20, section 9): how fast each hop is once it is placed, and how long a value takes
//! between every two stops, found in three ways that know nothing of each other.
//!
//! | module | does |
//! |---|---|
//! | [`columns`] | ring cycles of all pairs: registers of the design, its simulation, tokens |
//! | [`floorplan`] | where the stops are put |
//! | [`seed`] | one placement: the slowest path of every hop |
//! | [`campaign`] | placements of several rings and seeds, with a record |
//! | [`report`] | the six parts, from placements and columns |
//! | [`markdown`], [`picture`] | the report as text and as a picture |

pub mod campaign;
pub mod columns;
pub mod floorplan;
pub mod markdown;
pub mod picture;
pub mod report;
pub mod seed;
mod unshare;

pub use campaign::{RingCampaign, RING_TOOLS};
pub use columns::{Column, ColumnError, Columns};
pub use floorplan::Floorplan;
pub use report::{RingReport, RingRequest};
pub use seed::{measure_seed, RingSource, SeedKey, SeedRow};

use flitforge_protocol::time_ring::RingDirection;

/// A ring's name, as ports and reports have it.
#[must_use]
pub const fn ring_name(ring: RingDirection) -> &'static str {
    match ring {
        RingDirection::Clockwise => "cw",
        RingDirection::CounterClockwise => "ccw",
    }
}

/// The stop that a slot goes to next.
#[must_use]
pub const fn next_stop(ring: RingDirection, stops: u32, stop: u32) -> u32 {
    match ring {
        RingDirection::Clockwise => (stop + 1) % stops,
        RingDirection::CounterClockwise => (stop + stops - 1) % stops,
    }
}
