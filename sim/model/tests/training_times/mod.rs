//! Timeouts of training for tests.

use flitforge_model::train::TrainTimes;

/// The chapter's counts, its long timeouts shortened.
pub const TIMES: TrainTimes = TrainTimes {
    lock: 8,
    hold: 7,
    stable: 8,
    ts2_seen: 8,
    ts2_sent: 16,
    call: 2,
    poll_wait: 40,
    agree: 400,
    tries: 8,
};
