//! Numbers of lane removal (chapter 10, 4.5 and register DEGRADE of 5).

/// Good LTPs of a window at four lanes, by the register's field WIN.
pub const WINDOW_LTPS: [u32; 8] =
    [0x408, 0x1008, 0x1_0008, 0x8_0004, 0xF_F000, 0x40_0008, 0x80_0004, 0xFF_FFFC];
/// Default of WIN.
pub const WINDOW: u8 = 2;
/// Default of TRIG: bucket level that removes a lane.
pub const TRIGGER: u8 = 4;
/// Largest level of a bucket, and largest TRIG: three bits.
pub const BUCKET_MAX: u8 = 7;
/// Default of MIN_LANES.
pub const MIN_LANES: u8 = 1;
/// Times the window of a lane's probation is doubled at most: once for each removal but the first.
pub const PROBATION_DOUBLINGS: u32 = 6;
/// Lanes for which [`WINDOW_LTPS`] is written.
pub const WINDOW_LANES: u32 = 4;

/// Good LTPs of a window on `lanes` lanes: the table's value x L/4. `None` if `window` is not 0 to 7.
#[must_use]
pub fn window_ltps(window: u8, lanes: usize) -> Option<u32> {
    let ltps = *WINDOW_LTPS.get(usize::from(window))?;
    Some(ltps / WINDOW_LANES * lanes as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_scale_with_the_lanes_without_rounding() {
        assert!(WINDOW_LTPS.iter().all(|ltps| ltps % WINDOW_LANES == 0));
        assert_eq!([1, 2, 3, 4].map(|lanes| window_ltps(0, lanes)), [258, 516, 774, 1032].map(Some));
        assert_eq!((window_ltps(7, 4), window_ltps(8, 4)), (Some(0xFF_FFFC), None));
    }
}
