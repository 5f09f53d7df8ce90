//! Parameters of link training.

use super::mode::ModeOffer;
use flitforge_protocol::lane_word::MAX_LANES;
use flitforge_protocol::training::{
    AGREE_CLOCKS, CALL_SETS, CLOCKS_PER_SET, HOLD_SETS, LOCK_SETS, POLL_WAIT_CLOCKS, STABLE_SETS,
    TRAINING_TRIES, TS2_SEEN, TS2_SENT,
};
use thiserror::Error;

/// Counts and timeouts of 4.6, in training sets. Other values are for proofs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TrainTimes {
    /// Consecutive good sets that lock a lane.
    pub lock: u32,
    /// Sets that a locked lane may lose, more than have come good, before its lock is gone.
    pub hold: u32,
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
            hold: HOLD_SETS,
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

/// Fields of the training sets that training itself does not act on (chapter 10, 3.6, word 1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Announce {
    /// Bond index, 0 to 3.
    pub bond: u8,
    /// log2 of `FLITS_PER_BEAT`, 0 to 2.
    pub log2_flits_per_beat: u8,
    /// log2 of the replay slots, 4 to 8.
    pub log2_replay_slots: u8,
    /// vAU, 0 to 7.
    pub v_au: u8,
    /// Number of virtual lanes minus 1, 0 to 15.
    pub vls_minus_1: u8,
}

impl Default for Announce {
    /// The defaults of chapter 10, 4: F = 2, R = 128, vAU 3, 4 VLs.
    fn default() -> Self {
        Announce { bond: 0, log2_flits_per_beat: 1, log2_replay_slots: 7, v_au: 3, vls_minus_1: 3 }
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
    /// What else the training sets say.
    pub announce: Announce,
    /// Lanes that are not used carry PRBS, and come back once they are clean (chapter 10, 4.5).
    pub probation: bool,
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
    /// TS2 count although they answer an earlier request (rule 9).
    AnyAnswerCounts,
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
            announce: Announce::default(),
            probation: false,
            times: TrainTimes::default(),
            mutation: None,
        }
    }
}

impl TrainConfig {
    /// A lane that carries PRBS when it is not used.
    pub(super) const fn is_on_probation(&self, lane: usize) -> bool {
        self.probation && self.allowed >> lane & 1 == 1
    }

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
        let Announce { bond, log2_flits_per_beat, log2_replay_slots, v_au, vls_minus_1 } = self.announce;
        for (parameter, value, range, expected) in [
            ("bond index", bond, 0..=3, "0 to 3"),
            ("log2 of FLITS_PER_BEAT", log2_flits_per_beat, 0..=2, "0 to 2"),
            ("log2 of REPLAY_LTPS", log2_replay_slots, 4..=8, "4 to 8"),
            ("vAU", v_au, 0..=7, "0 to 7"),
            ("NUM_VLS - 1", vls_minus_1, 0..=15, "0 to 15"),
        ] {
            if !range.contains(&value) {
                return refuse(parameter, value.into(), expected);
            }
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
