//! Numbers of link training (chapter 10, 4.6).
//!
//! The chapter gives the long timeouts in core clocks. A training set is eight words on every lane; by the clock rule
//! (chapter 10, 2) that takes at most eight clocks, so that a count of training sets is at most an eighth of them.

/// Consecutive good training sets that lock a lane.
pub const LOCK_SETS: u32 = 8;
/// Training sets with unchanged masks of the peer before TS2 is sent.
pub const STABLE_SETS: u32 = 8;
/// TS2 with unchanged masks to be seen on every lane used.
pub const TS2_SEEN: u32 = 8;
/// TS2 to be sent at least.
pub const TS2_SENT: u32 = 16;
/// Consecutive training sets that call an Active end to Retraining.
pub const CALL_SETS: u32 = 2;
/// POLL_WAIT in clocks: how long the other lanes are waited for behind the first.
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
