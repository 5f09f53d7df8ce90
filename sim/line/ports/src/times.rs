//! Times that the ports of the bench are built with, from the figures of chapter 10.

use flitforge_protocol::lane_word::TRAINING_SET_WORDS;
use flitforge_protocol::ltp::{ltp_words, CrcMode};
use flitforge_protocol::retry::INIT_SILENCE_LTPS;
use flitforge_protocol::training::NO_VIEW_SETS;

/// Words of the longest LTP: 16 flits of 68 bits.
pub const LTP_WORDS: u32 = ltp_words(CrcMode::PerLane) as u32;
/// Places of a bit boundary that `phy_ecp5` tries, and words at each of them (4.7, `phy_ecp5` 3).
const BOUNDARIES: u32 = 20;
const WORDS_PER_BOUNDARY: u32 = 64;
/// Training-set times in which the other lanes are waited for, POLL_WAIT: `phy_ecp5` tries all boundaries, and a quarter more.
pub const POLL_WAIT_SETS: u32 = BOUNDARIES * WORDS_PER_BOUNDARY / TRAINING_SET_WORDS as u32 * 5 / 4;
/// Training-set times of one try to come up: lanes lock, and three times an end sees nothing that fits (4.6, 7).
pub const TRY_SETS: u32 = POLL_WAIT_SETS + 3 * NO_VIEW_SETS;
/// Training-set times in which Training and Retraining must agree: the peer may stand in Init without a row for INIT_SILENCE_LTPS, on
/// one lane as long as this end trains on one; then it tries. The chapter's 2^20 clocks are longer in the same way.
pub const AGREE_SETS: u32 = INIT_SILENCE_LTPS * LTP_WORDS / TRAINING_SET_WORDS as u32 + TRY_SETS;
/// LTPs beyond the round trip before a slot is reused: for widths of 4 out and 1 back (4.2, 8).
pub const GUARD_LTPS: u32 = 16;
