//! Numbers of the retry protocol (chapter 10, 4.2, 4.3 and register RETRY_CFG of 5).
//!
//! Sequence numbers are 16 bits and wrap; the slot of a sequence number is its value modulo R. All times are in LTP
//! times: the time one LTP takes on the wire of the transmit direction.

use crate::link::REPLAY_LTPS;

coded_enum! {
    /// State of the transmit side of retry (chapter 10, 4.2).
    RetryState: u8, {
        Off = 0, "OFF", "sends nothing";
        Init = 1, "INIT", "InitReq or InitAck, RndTripMrkr, filler";
        Normal = 2, "NORMAL", "original LTPs";
        Mark = 3, "MARK", "RetryMrkr pair";
        Replay = 4, "REPLAY", "slots from the named pointer to NxtWr";
        Freeze = 5, "FREEZE", "RetrainRetryReq pair, then filler; no slot is written";
    }
}

coded_enum! {
    /// What the isolation has to do with the LTP a receiver has just judged (chapter 10, 4.3 and 4.4).
    IsolateAction: u8, {
        Latch = 0, "latch", "keep group CRCs and state of this bad LTP, in place of what was kept";
        Compare = 1, "compare", "compare this good LTP with what is kept: it is the replay of the same sequence number";
        Unknown = 2, "unknown", "the bad LTP was a Null: there is no replay to compare with";
        Discard = 3, "discard", "forget what is kept: the exchange starts again";
    }
}

/// LTPs beyond the round trip that must have gone by before a slot is reused (`GUARD_LTPS`, chapter 10, 4.2 rule 1).
pub const GUARD_LTPS: u32 = 8;
/// Smallest `GUARD_LTPS` that may be configured (chapter 10, section 10).
pub const GUARD_LTPS_MIN: u32 = 6;
/// Largest `GUARD_LTPS` that may be configured (chapter 10, section 10).
pub const GUARD_LTPS_MAX: u32 = 64;
/// Default of RETRY_LIMIT: requests for one pointer before Retraining (chapter 10, 4.2 rule 5).
pub const RETRY_LIMIT: u32 = 32;
/// Default of REINIT_LIMIT: Retrainings without progress before Down (chapter 10, 4.2 rule 5).
pub const REINIT_LIMIT: u32 = 16;
/// Default of BAD_RUN: consecutive bad LTPs that mean lost framing (chapter 10, 4.3).
pub const BAD_RUN: u32 = 8;
/// Largest value of RETRY_LIMIT, REINIT_LIMIT and BAD_RUN: the registers have 8 bits.
pub const LIMIT_MAX: u32 = 255;
/// Consecutive bad LTPs in which a whole pair of Null LTPs can be lost (chapter 10, 4.2 rule 2).
pub const PAIR_LTPS: u32 = 2;
/// Largest value of TOSS_LTPS and FREEZE_LTPS: the registers have 16 bits.
pub const TIMER_LTPS_MAX: u32 = 0xFFFF;
/// LTPs that state Init may take (chapter 10, 4.6).
pub const INIT_LTPS: u32 = 1 << 16;
/// LTPs after which an unanswered RndTripMrkr is sent again with another token. Our reading: beyond any round trip
/// the model and the replay buffer are sized for.
pub const ROUND_TRIP_TIMEOUT_LTPS: u32 = 1024;
/// LTP times without a row of the peer after which an end in Init trains again: its start row was lost (chapter 10, 4.6
/// rule 5). As long as a RndTripMrkr is waited for, since a start row takes no longer than a round trip.
pub const INIT_SILENCE_LTPS: u32 = ROUND_TRIP_TIMEOUT_LTPS;

/// LTP times without a row of the peer after which an Active end takes the line for silent, as if two LTPs had been bad: it
/// freezes (chapter 10, 4.2 rule 2). A pair of Null LTPs takes two; an LTP has at least eight rows.
pub const SILENCE_LTPS: u32 = 3;
/// LTP times without a row of the peer after which an Active end trains again (chapter 10, 4.13).
pub const LONG_SILENCE_LTPS: u32 = 64;
/// Core clocks without an LTP of its own after which an end in Init, Active or Degraded trains again: a lane's PHY takes no
/// words (chapter 10, 4.13). The longest LTP, 34 words on one lane, takes 272 clocks at the slowest lanes there may be.
pub const STALL_CLOCKS: u32 = 2048;

/// True if sequence number `a` is behind `b`: `b - a` modulo 65536 is 1 to 32767 (chapter 10, 4.3).
#[must_use]
pub const fn is_behind(a: u16, b: u16) -> bool {
    let distance = b.wrapping_sub(a);
    distance >= 1 && distance <= 0x7FFF
}

/// Slot of a sequence number: its value modulo R.
#[must_use]
pub const fn slot(sequence: u16, slots: usize) -> usize {
    sequence as usize % slots
}

/// Filler LTPs of one pad: RTT_LTP + guard - R, or none (chapter 10, 4.2 rule 1).
#[must_use]
pub const fn pad_ltps(round_trip: u32, guard: u32, slots: usize) -> u32 {
    (round_trip + guard).saturating_sub(slots as u32)
}

/// FREEZE_LTPS by formula: 2 RTT_LTP + 16 (chapter 10, 4.2).
#[must_use]
pub const fn freeze_ltps(round_trip: u32) -> u32 {
    2 * round_trip + 16
}

/// TOSS_LTPS by formula: 2 RTT_LTP + R/4 + 16 (chapter 10, 4.3).
#[must_use]
pub const fn toss_ltps(round_trip: u32, slots: usize) -> u32 {
    2 * round_trip + slots as u32 / 4 + 16
}

/// True for an allowed number of replay slots, R.
#[must_use]
pub fn is_replay_ltps(slots: usize) -> bool {
    REPLAY_LTPS.contains(&slots)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn behind_wraps_and_is_never_both_ways() {
        assert!(is_behind(0xFFFF, 0) && is_behind(0, 0x7FFF) && !is_behind(0, 0x8000));
        for a in [0u16, 1, 0x7FFF, 0x8000, 0xFFFF] {
            assert!(!is_behind(a, a));
            assert!((0..=0xFFFF).all(|b| !(is_behind(a, b) && is_behind(b, a))));
        }
    }

    #[test]
    fn pads_and_timers_follow_the_chapter() {
        assert_eq!((pad_ltps(8, 8, 16), pad_ltps(9, 8, 16), pad_ltps(79, 8, 16)), (0, 1, 71));
        assert_eq!((freeze_ltps(10), toss_ltps(10, 128)), (36, 68));
    }
}
