//! What a link's rate makes of an LTP: its time on the line and its share of flit data (chapter 10, 9, point 18).

use flitforge_protocol::flit::DATA_BITS;
use flitforge_protocol::ltp::FLITS_PER_LTP;

/// Picoseconds in a second.
const PICOSECONDS: u128 = 1_000_000_000_000;

/// Time of an LTP of so many bits on a link of so many bits per second, in picoseconds; `None` if that is no whole number.
#[must_use]
pub fn ltp_picoseconds(ltp_bits: usize, bits_per_second: u64) -> Option<u64> {
    let bits = ltp_bits as u128 * PICOSECONDS;
    let rate = u128::from(bits_per_second);
    if rate == 0 || bits % rate != 0 {
        return None;
    }
    u64::try_from(bits / rate).ok()
}

/// Flit data bits of an LTP of so many bits, and its bits, in lowest terms.
#[must_use]
pub const fn flit_efficiency(ltp_bits: usize) -> (usize, usize) {
    let data = FLITS_PER_LTP * DATA_BITS;
    let (mut divisor, mut rest) = (data, ltp_bits);
    while rest != 0 {
        (divisor, rest) = (rest, divisor % rest);
    }
    (data / divisor, ltp_bits / divisor)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link_config::size_replay;
    use flitforge_protocol::ltp::{BITS_1056, BITS_1088};

    /// The published figures at 200 Gb/s: 5.28 ns and 5.44 ns, 16 x 64 bits of 1056 and of 1088.
    #[test]
    fn time_and_efficiency_are_the_published_ones() {
        const RATE: u64 = 200_000_000_000;
        assert_eq!(ltp_picoseconds(BITS_1056, RATE), Some(5_280));
        assert_eq!(ltp_picoseconds(BITS_1088, RATE), Some(5_440));
        for (bits, numerator, denominator) in [(BITS_1056, 32, 33), (BITS_1088, 16, 17)] {
            assert_eq!(flit_efficiency(bits), (numerator, denominator));
            assert_eq!(numerator * bits, denominator * 16 * 64, "16 x 64 / {bits}");
        }
    }

    #[test]
    fn what_is_no_whole_number_is_refused() {
        assert_eq!(ltp_picoseconds(BITS_1056, 0), None);
        assert_eq!(ltp_picoseconds(BITS_1056, 7_000_000_000), None);
        assert_eq!(ltp_picoseconds(BITS_1056, 1), Some(1056 * 1_000_000_000_000));
    }

    /// 1 km both ways at 5 ns/m is 10 us, 1893.9 LTPs of 5280 ps; twice 23 clocks of 132 bits, slowed by 1.005, are 5.7.
    #[test]
    fn the_replay_buffer_is_sized_with_the_same_time() {
        let cable = 10_000_000.0 / ltp_picoseconds(BITS_1056, 200_000_000_000).expect("whole") as f64;
        let clocks = 46.0 * 132.0 / 1.005 / 1056.0;
        let expected = (cable + clocks).ceil() as u32;
        assert_eq!(expected, 1_900);
        assert_eq!(size_replay(1_000, 50_000_000_000, 4).expect("a size").round_trip, expected);
    }
}
