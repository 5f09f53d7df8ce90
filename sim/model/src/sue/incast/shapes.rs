//! What SUE-Sim has published of its runs, beside ours with its values (chapter 50, 9, point 19).

use super::{IncastError, IncastReport};
use serde::Serialize;

/// Least share of full bodies.
const LEAST_FULL: f64 = 0.8;
/// Most transactions in a body.
const MOST: usize = 8;

/// Shapes of a run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SueSimShapes {
    /// Most transactions of a body.
    pub most_in_body: usize,
    /// Share of the bodies with 8.
    pub full: f64,
    /// Share of the bodies with one.
    pub single: f64,
    /// Least and most credits of a virtual channel.
    pub credits: (u16, u16),
    /// Frames dropped.
    pub dropped: Option<u64>,
}

/// As read from the published plots; they do not say how the load was set.
pub const PUBLISHED: SueSimShapes =
    SueSimShapes { most_in_body: MOST, full: 0.86, single: 0.065, credits: (77, 85), dropped: None };

/// Where the two differ.
pub const DIFFERENCES: &str = "SUE-Sim serves the queue that has waited longest, ours go in order of arrival with a turn for each virtual channel. \
    It drops when a queue of 30 KB is full; ours makes the XPU wait, with as many commands in the packer. It numbers PSNs per client and never \
    sends a body again end to end. Its XPU has 8 ports, ours one. One frame is one credit in both; in our hardware a cell is 2,048 octets at most, so that a \
    full body of 8 * 272 octets costs two. Its plots give no configuration, so only shapes are compared.";

impl SueSimShapes {
    /// The shapes of a run with SUE-Sim's values.
    #[must_use]
    pub fn of(report: &IncastReport) -> Self {
        SueSimShapes {
            most_in_body: report.most_in_body(),
            full: report.share_of(MOST),
            single: report.share_of(1),
            credits: (report.credits_least.unwrap_or(0), report.parameters.limit),
            dropped: Some(report.dropped),
        }
    }

    /// Refuses shapes that the chapter does not allow.
    pub fn verdict(&self) -> Result<(), IncastError> {
        if self.most_in_body > MOST {
            return Err(IncastError::Shapes("a body holds more than 8 transactions"));
        }
        if self.full < LEAST_FULL {
            return Err(IncastError::Shapes("fewer than 80 % of the bodies are full"));
        }
        if self.dropped.is_some_and(|dropped| dropped > 0) {
            return Err(IncastError::Shapes("frames were dropped"));
        }
        Ok(())
    }
}
