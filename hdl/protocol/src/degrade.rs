//! Numbers of lane removal (chapter 10, 4.5 and register DEGRADE of 5).
//!
//! All times are LTP times of the direction: one LTP received, good or bad.

/// Default of MIN_LANES.
pub const MIN_LANES: u8 = 1;
/// Default of TH: a debt of 4,096 LTP times removes a lane.
pub const THRESHOLD: u8 = 2;
/// Largest TH.
pub const THRESHOLD_MAX: u8 = 7;
/// log2 of the debt of TH 0.
pub const THRESHOLD_LOG2: u32 = 10;
/// Default of STAND_OUT: 4 times the verdicts of the lane that has the fewest.
pub const STAND_OUT: u8 = 2;
/// Largest STAND_OUT.
pub const STAND_OUT_MAX: u8 = 3;
/// Default of SAFE: a verdict costs what it has cost, however little.
pub const SAFE: u8 = 0;
/// Largest SAFE.
pub const SAFE_MAX: u8 = 7;
/// log2 of half the least charge of SAFE 1.
pub const SAFE_LOG2: u32 = 7;
/// The safe setting of chapter 10, 4.5: TH = 16,384.
pub const SAFE_SETTING_THRESHOLD: u8 = 4;
/// The safe setting of chapter 10, 4.5: a verdict is charged 1,024 LTP times at least.
pub const SAFE_SETTING: u8 = 3;
/// What a retry costs besides the LTPs that are tossed: the bad one, the RetryMrkr pair and, in the other direction, the RetryReq
/// pair.
pub const REQUEST_LTPS: u32 = 5;
/// Most that can be pending: 8 bits, where the count stays. So no single verdict can cost a lane.
pub const PENDING_MAX: u32 = 0xFF;
/// Most verdicts a lane can have: six bits. One more halves those of all lanes.
pub const VERDICTS_MAX: u8 = 63;
/// Verdicts that a lane needs to go with a fault of retry.
pub const FAULT_VERDICTS: u8 = 3;
/// LTP times of a unit of register LANE, `debt`.
pub const DEBT_UNIT: u32 = 1 << THRESHOLD_LOG2;
/// A bad LTP time of a lane in probation costs 2^-6 of TH.
pub const PROBATION_CHARGE_LOG2: u32 = 6;
/// Times the debt that a lane in probation starts with is doubled at most: once for each removal but the first.
pub const PROBATION_DOUBLINGS: u32 = 6;

/// Debt that removes a lane, in LTP times, for TH 0 to 7: 2^(10 + TH).
#[must_use]
pub const fn threshold_ltps(threshold: u8) -> u32 {
    1 << (THRESHOLD_LOG2 + threshold as u32)
}

/// How many times the verdicts of the lane that has the fewest a lane must have more than, for STAND_OUT 0 to 3: 2^STAND_OUT.
/// `None` for 0: not looked at.
#[must_use]
pub const fn stand_out_factor(stand_out: u8) -> Option<u32> {
    match stand_out {
        0 => None,
        code => Some(1 << code),
    }
}

/// Least charge of a verdict in LTP times, for SAFE 0 to 7: 2^(7 + SAFE), 0 for 0.
#[must_use]
pub const fn safe_ltps(safe: u8) -> u32 {
    match safe {
        0 => 0,
        code => 1 << (SAFE_LOG2 + code as u32),
    }
}

/// What a bad LTP time of a lane in probation costs: a 64th of TH, the least charge of a verdict at least.
#[must_use]
pub const fn probation_charge(threshold: u8, safe: u8) -> u32 {
    let (share, least) = (threshold_ltps(threshold) >> PROBATION_CHARGE_LOG2, safe_ltps(safe));
    if share > least {
        share
    } else {
        least
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_powers_of_two() {
        assert_eq!(
            [0, THRESHOLD, SAFE_SETTING_THRESHOLD, 7].map(threshold_ltps),
            [1024, 4096, 16_384, 131_072]
        );
        assert_eq!([0, 1, STAND_OUT, 3].map(stand_out_factor), [None, Some(2), Some(4), Some(8)]);
        assert_eq!([SAFE, 1, SAFE_SETTING, 7].map(safe_ltps), [0, 256, 1024, 16_384]);
    }

    #[test]
    fn a_bad_time_in_probation_costs_a_64th_of_the_debt_or_the_least_charge() {
        assert_eq!(
            [(2, 0), (0, 0), (4, 3), (7, 1)].map(|(th, safe)| probation_charge(th, safe)),
            [64, 16, 1024, 2048]
        );
    }
}
