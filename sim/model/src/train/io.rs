//! What goes into the state machine of one end, and what comes out.

use super::lane::ArrivedSet;
use crate::training::{StartWord, TrainingSet};
use flitforge_protocol::lane_word::MAX_LANES;
use flitforge_protocol::ltp::CrcMode;

/// What came in during one training-set time. Lanes by the receiver's own numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TrainInput {
    /// Good training sets.
    pub sets: [Option<ArrivedSet>; MAX_LANES],
    /// The start row came on the lanes used.
    pub start: Option<StartWord>,
    /// What state Init, an Active link or software wants.
    pub event: Option<TrainEvent>,
}

/// Events from outside the lanes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TrainEvent {
    /// CTRL.ENABLE is set.
    Enable,
    /// CTRL.DISABLE.
    Disable,
    /// CTRL.RETRAIN, or a fault of retry, deskew or a FIFO.
    Retrain,
    /// CTRL.RESTORE: removed lanes are tried again.
    Restore,
    /// The bucket of this lane (sender's number) is full.
    RemoveLane(u8),
    /// These lanes (sender's numbers, bit l = lane l) have been clean in probation.
    ReturnLanes(u8),
    /// Retries did not help (REINIT_LIMIT): Down.
    GiveUp,
    /// Init: round trip known and InitAck seen.
    InitDone,
    /// Init took 2^16 LTPs.
    InitTimeout,
    /// Chapter 30's lane test takes the lanes.
    BistStart,
    /// It is done, or its watchdog ran out.
    BistEnd,
}

/// What one lane sends in one training-set time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LaneOutput {
    /// Nothing.
    Quiet,
    /// A training set.
    Set(TrainingSet),
    /// The start row.
    Start(StartWord),
    /// Words of LTPs, or of a lane test.
    Data,
    /// Words of the lane's PRBS: a lane in probation.
    Prbs,
}

/// Lanes and mode of one direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Direction {
    /// Lanes by the sender's numbers, bit l = lane l.
    pub lanes: u8,
    /// CRC mode.
    pub mode: CrcMode,
}

impl Direction {
    /// Number of lanes, L.
    #[must_use]
    pub const fn count(self) -> usize {
        self.lanes.count_ones() as usize
    }
}
