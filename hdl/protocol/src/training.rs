//! Numbers of link training (chapter 10, 4.6).
//!
//! The chapter gives the long timeouts in core clocks. A training set is eight words on every lane; by the clock rule
//! (chapter 10, 2) that takes at most eight clocks, so that a count of training sets is at most an eighth of them.

/// Consecutive good training sets that lock a lane.
pub const LOCK_SETS: u32 = 8;
/// Sets that a locked lane may lose, more than have come good, before its lock is gone.
pub const HOLD_SETS: u32 = 7;
/// Training sets with unchanged masks of the peer before TS2 is sent.
pub const STABLE_SETS: u32 = 8;
/// TS2 with unchanged masks to be seen on every lane used.
pub const TS2_SEEN: u32 = 8;
/// TS2 to be sent at least.
pub const TS2_SENT: u32 = 16;
/// Consecutive training sets that call an Active end to Retraining.
pub const CALL_SETS: u32 = 2;
/// POLL_WAIT in clocks: how long the other lanes are waited for after the first.
pub const POLL_WAIT_CLOCKS: u32 = 65_536;
/// Clocks in which Training and Retraining must agree.
pub const AGREE_CLOCKS: u32 = 1 << 20;
/// Tries of Training before Down.
pub const TRAINING_TRIES: u32 = 8;
/// Clocks of a training set.
pub const CLOCKS_PER_SET: u32 = 8;
/// Words of the deskew FIFO of each lane.
pub const DESKEW_WORDS: u32 = 16;
/// Words by which a lane may be early or late: tolerance +-7.
pub const SKEW_WORDS: u32 = 7;

/// Training-set times for which lanes may be too far apart, everything else being agreed, before one is left out (4.6
/// rule 2).
pub const APART_SETS: u32 = 8;
/// Training-set times without a common view of the peer after which the lanes are locked anew: one of those asked for has died
/// (4.6, Retraining).
pub const NO_VIEW_SETS: u32 = 16;
/// Core clocks for which a lane's PHY may take no training word before training goes on without the lane (4.6 rule 6).
pub const STUCK_CLOCKS: u32 = 64;

/// Highest number of a request (4.6 rule 9); after it comes 1 again.
pub const LAST_REQUEST: u8 = 15;

/// The number of the request after this one.
#[must_use]
pub const fn next_request(request: u8) -> u8 {
    request % LAST_REQUEST + 1
}

coded_enum! {
    /// Why the state of link training changed last, as `link_train` shows it.
    TrainReason: u8, {
        Cleared = 0, "cleared", "power-on or clear";
        Enabled = 1, "enabled", "CTRL.ENABLE: Down to Polling";
        LanesFound = 2, "lanes found", "all lanes locked, or POLL_WAIT behind the first: to Training";
        Agreed = 3, "agreed", "8 TS2 with the same masks, lined up: to Init";
        InitDone = 4, "init done", "round trip known and InitAck seen: to Active or Degraded";
        Disabled = 5, "disabled", "CTRL.DISABLE";
        GivenUp = 6, "given up", "REINIT_LIMIT";
        NoAgreement = 7, "no agreement", "2^20 clocks without agreement, or no lane left in a direction";
        SidebandChange = 8, "sideband change", "a change to or from mode 1 needs Down";
        Asked = 9, "asked", "CTRL.RETRAIN, or a fault of retry, deskew, a FIFO or a lane's signal";
        Restored = 10, "restored", "CTRL.RESTORE, or lanes that were clean in probation";
        LaneRemoved = 11, "lane removed", "a lane costs more than it carries";
        PeerTrains = 12, "peer trains", "training sets on lanes in use, two in a row";
        StartMismatch = 13, "start mismatch", "the start row names another lane, CRC mode or L";
        BistStarted = 14, "lane test", "chapter 30's lane test takes the lanes";
        BistEnded = 15, "lane test over", "the lane test is over";
    }
}
