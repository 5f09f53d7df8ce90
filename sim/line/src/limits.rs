//! What a case may take, from the figures of chapter 10: each limit with what has to fit into it.
//!
//! What is the bench's own choice, and not a figure of the chapter, is in `docs/line-bench.md` with its reason.

use crate::setup::Setup;
use crate::times::TRY_SETS;
use flitforge_protocol::code_8b10b::SILENT_WORDS;
use flitforge_protocol::lane_word::{MAX_LANES, TRAINING_SET_WORDS};
use flitforge_protocol::retry::{
    toss_ltps, INIT_SILENCE_LTPS, LONG_SILENCE_LTPS, ROUND_TRIP_TIMEOUT_LTPS, STALL_CLOCKS,
};
use flitforge_protocol::training::SKEW_WORDS;

pub use crate::times::{AGREE_SETS, GUARD_LTPS, LTP_WORDS, POLL_WAIT_SETS};

/// Core clocks of a step of training at most (4.6, 6).
pub const STEP_CLOCKS: u64 = 65;
/// Most core clocks per word: a training set has to fit a step.
pub const MOST_CLOCKS_PER_WORD: u64 = 8;
/// Most core clocks in which a cell notices that a signal comes or goes: the bench's own.
pub const MOST_NOTICE: u64 = 200;
/// Clocks in which the register bus has to answer; `link_regs` takes 4 (5), a bond and a fabric port a few more: the bench's own.
pub const ACK_CLOCKS: u64 = 64;

/// Words between lanes that training lines up (4.6, 2), less what the phases of clocks and FIFOs may add.
pub const LINED_UP: i64 = 2 * SKEW_WORDS as i64 - 2;
/// Words between lanes from which on one is left out: more than that by what they may take away.
pub const TOO_LATE: i64 = 2 * SKEW_WORDS as i64 + 3;

/// Steps beyond those that a limit of training counts: those at its beginning and its end.
const SPARE_STEPS: u64 = 8;
/// Core clocks in which an enabled end leaves Down: two steps of training after a request of the bus, twice.
pub const DOWN_CLOCKS: u64 = 2 * (2 * STEP_CLOCKS + ACK_CLOCKS);
/// Core clocks in which an end leaves Active and Degraded when nothing comes from the peer any more: it stalls, its PHY counts
/// idle words, the cell notices, and training looks (4.7, `phy_ecp5` 2; 4.13, 10).
pub const GONE_CLOCKS: u64 =
    STALL_CLOCKS as u64 + SILENT_WORDS as u64 * MOST_CLOCKS_PER_WORD + MOST_NOTICE + 4 * STEP_CLOCKS;
/// Entries to Retraining after the last fault: each end notices the fault, obeys CTRL.restore, and is called by its peer; and one lane
/// after the other, but the last, is left out.
pub const MOST_RETRAININGS: u64 = 2 + 2 + 1 + (MAX_LANES as u64 - 1);
/// Tries of lanes that are good after the last fault.
const TRIES: u64 = 4;
/// Of the beats that the lanes could carry, one in so many has to come. R = 16 and the longest cables halve the rate (4.2, 1), lanes
/// that have just come back and replays of what was lost do so again; half of that is left over.
pub const LEAST_SHARE: f64 = 8.0;
/// Core clocks through two ports and PHYs and back, without the cable and the wait for an LTP's end (4.12), and as many again.
const PORT_CLOCKS: f64 = 200.0;

/// Core clocks in which Training and Retraining agree or are left.
pub fn agree_clocks() -> u64 {
    (u64::from(AGREE_SETS) + SPARE_STEPS) * STEP_CLOCKS
}

/// Core clocks in which Init is left on so many lanes: without a row, or by a RndTripMrkr that is answered only the second time.
pub fn init_clocks(setup: &Setup, lanes: u32) -> u64 {
    let ltps = INIT_SILENCE_LTPS + ROUND_TRIP_TIMEOUT_LTPS + LONG_SILENCE_LTPS;
    (f64::from(ltps) * setup.ltp_clocks(lanes)) as u64 + GONE_CLOCKS
}

/// Core clocks without a change in which the link has to be up on so many lanes at least: an end that sends nothing, or to which nothing
/// comes, would train again meanwhile (4.13, 10), and a quarter more.
pub fn stable_clocks(setup: &Setup, lanes: u32) -> u64 {
    let silence = f64::from(LONG_SILENCE_LTPS) * setup.ltp_clocks(lanes);
    u64::from(STALL_CLOCKS).max(silence as u64) * 5 / 4
}

/// Core clocks, those of Init not counted, in which the link is up for good after the last fault: a few tries, the longest
/// silence before the first of them, and the time in which it has to stay up.
pub fn settle_clocks(setup: &Setup) -> u64 {
    let step =
        (TRAINING_SET_WORDS as f64 * setup.clocks_per_word()).clamp(8.0, STEP_CLOCKS as f64) as u64 + 1;
    let slowest = u64::from(LONG_SILENCE_LTPS * LTP_WORDS) * MOST_CLOCKS_PER_WORD;
    TRIES * u64::from(TRY_SETS) * step + slowest + GONE_CLOCKS + stable_clocks(setup, 1)
}

/// Core clocks without a delivery after which nothing is on its way any more: the receiver asks again for what it misses every
/// TOSS_LTPS, on one lane as on all, and a quarter more.
pub fn quiet_clocks(setup: &Setup) -> u64 {
    let word_bits = setup.phy.bits_per_word().max(1) as f64;
    let there_and_back = (setup.late[0] + setup.late[1]) as f64 / word_bits * setup.clocks_per_word();
    let toss = |lanes: u32| {
        let ltp = setup.ltp_clocks(lanes);
        let round_trip = ((there_and_back + PORT_CLOCKS) / ltp).ceil() as u32 + 2;
        f64::from(toss_ltps(round_trip, setup.shape.slots)) * ltp
    };
    (toss(1).max(toss(MAX_LANES as u32)) * 1.25) as u64
}

/// Core clocks in which everything has arrived: all replay slots on one lane, with three more tries of each, and quiet after each.
pub fn drain_clocks(setup: &Setup) -> u64 {
    let replay = setup.shape.slots as f64 * setup.ltp_clocks(1);
    TRIES * (replay as u64 + quiet_clocks(setup))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::{Case, Choice};

    #[test]
    fn what_has_to_fit_fits() {
        assert_eq!((POLL_WAIT_SETS, AGREE_SETS), (200, 4_600));
        assert_eq!((LINED_UP, TOO_LATE), (12, 17));
        for number in 0..400 {
            let setup = Case::new(3, number, &Choice::default()).setup;
            let lanes = setup.shape.lanes as u32;
            let silence = f64::from(INIT_SILENCE_LTPS) * setup.ltp_clocks(1);
            let agree = f64::from(AGREE_SETS) * TRAINING_SET_WORDS as f64 * setup.clocks_per_word();
            assert!(agree > silence, "{setup}");
            assert!(stable_clocks(&setup, lanes) > u64::from(STALL_CLOCKS), "{setup}");
            assert!(settle_clocks(&setup) > 2 * stable_clocks(&setup, 1), "{setup}");
            assert!(drain_clocks(&setup) > 3 * quiet_clocks(&setup), "{setup}");
            assert!(setup.notice < MOST_NOTICE, "{setup}");
        }
    }
}
