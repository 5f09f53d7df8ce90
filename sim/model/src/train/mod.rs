//! Link training at the granularity of training sets (chapter 10, 4.6).
//!
//! | part | is |
//! |---|---|
//! | [`ArrivedSet`], [`LaneLock`], [`deskew`] | one lane's receiver: polarity, identity, lock, skew |
//! | [`choose_mode`] | the CRC mode of a direction |
//! | [`LinkTrain`] | the state machine of one end |
//! | [`TrainPair`] | two ends, crossed and inverted lanes between them, retry above |
//! | [`LaneWatch`], [`lane_fault`] | noise on single lanes, and the search for them |
//! | `probation` | PRBS on lanes that are not used, and their way back |
//! | [`check`] | exhaustive check of both ends |
//!
//! One step is the time of one training set: eight words on every lane, about the time of an LTP on four lanes.

mod check;
mod config;
mod fault;
mod io;
mod lane;
mod machine;
mod mode;
mod pair;
mod probation;
mod watch;

pub use check::{check, CheckBounds, CheckError, Checked};
pub use config::{Announce, TrainConfig, TrainConfigError, TrainMutation, TrainTimes};
pub use fault::{lane_fault, LaneFaultError, LaneFaultParameters, LaneFaultReport, Removal, Return};
pub use io::{Direction, LaneOutput, TrainEvent, TrainInput};
pub use lane::{deskew, inverted, ArrivedSet, LaneLock};
pub use machine::LinkTrain;
pub use mode::{choose_mode, ModeOffer};
pub(crate) use pair::{event_of, is_first_request, tossed};
pub use pair::{Cable, TrainPair};
pub use watch::LaneWatch;
pub(crate) use watch::{words_of, OnLanes};
