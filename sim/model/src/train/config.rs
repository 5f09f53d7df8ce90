//! Parameters of link training.

use super::mode::ModeOffer;
use flitforge_protocol::lane_word::MAX_LANES;
use flitforge_protocol::training::{
    AGREE_CLOCKS, CALL_SETS, CLOCKS_PER_SET, LOCK_SETS, POLL_WAIT_CLOCKS, STABLE_SETS, TRAINING_TRIES,
    TS2_SEEN, TS2_SENT,
};
use thiserror::Error;

/// Counts and timeouts of 4.6, in training sets. Other values are for proofs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TrainTimes {
    /// Consecutive good sets that lock a lane.
    pub lock: u32,
    /// Sets with unchanged masks before TS2.
    pub stable: u32,
    /// TS2 seen before the start row.
    pub ts2_seen: u32,
    /// TS2 sent before the start row.
    pub ts2_sent: u32,
    /// Sets in a row that call to Retraining.
    pub call: u32,
    /// POLL_WAIT.
    pub poll_wait: u32,
    /// Time in which Training and Retraining must agree.
    pub agree: u32,
    /// Tries of Training before Down.
    pub tries: u32,
}

impl Default for TrainTimes {
    fn default() -> Self {
        TrainTimes {
            lock: LOCK_SETS,
            stable: STABLE_SETS,
            ts2_seen: TS2_SEEN,
            ts2_sent: TS2_SENT,
            call: CALL_SETS,
            poll_wait: POLL_WAIT_CLOCKS / CLOCKS_PER_SET,
            agree: AGREE_CLOCKS / CLOCKS_PER_SET,
            tries: TRAINING_TRIES,
        }
    }
}

/// Parameters of one end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TrainConfig {
    /// Lanes built, 1 to 4. With fewer the link is Degraded.
    pub lanes: usize,
    /// Lanes that may be used, LANES.allowed; bit l = lane l.
    pub allowed: u8,
    /// CRC modes.
    pub modes: ModeOffer,
    /// GUID.
    pub guid: u64,
    /// Counts and timeouts.
    pub times: TrainTimes,
    /// A rule left out on purpose, for tests that must notice it; `None` is the protocol.
    pub mutation: Option<TrainMutation>,
}

/// A rule of training that is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TrainMutation {
    /// Retraining clears `fresh` although the end was never Active since Down.
    RetrainingForgetsFresh,
}

/// A parameter that cannot work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("link training, {parameter} = {value}: expected {expected}")]
pub struct TrainConfigError {
    /// Name.
    pub parameter: &'static str,
    /// Value.
    pub value: u64,
    /// What is allowed.
    pub expected: &'static str,
}

impl Default for TrainConfig {
    fn default() -> Self {
        TrainConfig {
            lanes: MAX_LANES,
            allowed: 0xF,
            modes: ModeOffer { capabilities: 7, preferred: 1, bonded: false },
            guid: 0,
            times: TrainTimes::default(),
            mutation: None,
        }
    }
}

impl TrainConfig {
    /// Refuses what cannot work.
    pub fn check(&self) -> Result<(), TrainConfigError> {
        let refuse = |parameter, value, expected| Err(TrainConfigError { parameter, value, expected });
        if !(1..=MAX_LANES).contains(&self.lanes) {
            return refuse("LANES", self.lanes as u64, "1 to 4");
        }
        if self.allowed == 0 || u32::from(self.allowed) >> self.lanes != 0 {
            return refuse(
                "LANES.allowed",
                self.allowed.into(),
                "at least one of the lanes built, and no other",
            );
        }
        if self.modes.capabilities > 7 {
            return refuse("CRC capabilities", self.modes.capabilities.into(), "three bits");
        }
        if self.modes.preferred > 7 {
            return refuse("preferred CRC mode", self.modes.preferred.into(), "three bits");
        }
        if self.modes.bonded && self.modes.capabilities & 1 == 0 {
            return refuse(
                "bonded, CRC capabilities",
                self.modes.capabilities.into(),
                "mode 1 built in (bit 0)",
            );
        }
        Ok(())
    }
}
