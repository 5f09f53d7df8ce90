//! When a removed lane comes back (chapter 10, 4.5): after a window of clean LTP times, longer after every further removal.

use flitforge_protocol::degrade::{window_ltps, PROBATION_DOUBLINGS};
use flitforge_protocol::lane_word::MAX_LANES;

/// A lane, by the sender's number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Lane {
    /// It is allowed and not used.
    waits: bool,
    /// It was used, or asked for, when the direction was last Active.
    wanted: bool,
    /// Times it was lost since Down or CTRL.restore.
    removals: u32,
    /// LTP times in a row without a bad word.
    clean: u64,
}

/// The lanes that one end could receive on, and does not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probation {
    enabled: bool,
    window: u8,
    lanes: [Lane; MAX_LANES],
}

impl Probation {
    /// With the window of register DEGRADE, WIN; without `enabled`, DEGRADE.enable, no lane comes back.
    #[must_use]
    pub fn new(enabled: bool, window: u8) -> Self {
        Probation { enabled, window, lanes: [Lane::default(); MAX_LANES] }
    }

    /// The direction starts on the lanes `used`, of those `allowed`: the others wait. A lane that was used before, or had just come
    /// back and did not lock, is lost once more.
    pub fn start(&mut self, used: u8, allowed: u8) {
        for (number, lane) in self.lanes.iter_mut().enumerate() {
            let is_used = used >> number & 1 == 1;
            lane.removals += u32::from(lane.wanted && !is_used);
            lane.wanted = is_used;
            lane.waits = !is_used && allowed >> number & 1 == 1;
            lane.clean = 0;
        }
    }

    /// Down, or CTRL.restore: nothing is held against any lane.
    pub fn forget(&mut self) {
        self.lanes = [Lane::default(); MAX_LANES];
    }

    /// LTP times in a row that bring a lane back while the direction has `used` lanes.
    #[must_use]
    pub fn window(&self, lane: usize, used: usize) -> u64 {
        let removals = self.lanes.get(lane).map_or(0, |lane| lane.removals);
        let window = window_ltps(self.window, used).map_or(u64::MAX, u64::from);
        window << removals.saturating_sub(1).min(PROBATION_DOUBLINGS)
    }

    /// An LTP time of a direction with `used` lanes; bit l of `good`: all words of lane l were good. The lanes that come back.
    pub fn ltp_time(&mut self, used: usize, good: u8) -> u8 {
        let mut back = 0;
        for number in 0..MAX_LANES {
            let window = self.window(number, used);
            let lane = &mut self.lanes[number];
            lane.clean = if good >> number & 1 == 1 { lane.clean + 1 } else { 0 };
            if self.enabled && lane.waits && lane.clean >= window {
                *lane = Lane { waits: false, wanted: true, clean: 0, ..*lane };
                back |= 1 << number;
            }
        }
        back
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three of four lanes used, WIN 0: 0x408 x 3/4 LTPs.
    const WINDOW: u64 = 774;

    fn without_lane_2() -> Probation {
        let mut probation = Probation::new(true, 0);
        probation.start(0b1111, 0b1111);
        probation.start(0b1011, 0b1111);
        probation
    }

    /// LTP times until lanes come back, and which.
    fn back(probation: &mut Probation, used: usize, good: u8) -> (u64, u8) {
        (1..1_000_000)
            .find_map(|time| Some((time, probation.ltp_time(used, good))).filter(|(_, back)| *back != 0))
            .unwrap_or_default()
    }

    #[test]
    fn the_window_is_exact_and_a_bad_word_begins_it_again() {
        let mut probation = without_lane_2();
        assert!((1..WINDOW).all(|_| probation.ltp_time(3, 0b0100) == 0));
        assert_eq!(probation.ltp_time(3, 0), 0, "one bad LTP time at the very end");
        assert_eq!(back(&mut probation, 3, 0b0100), (WINDOW, 0b0100));
        assert_eq!(back(&mut probation, 3, 0b0100), (0, 0), "it is asked for once");
    }

    #[test]
    fn every_further_removal_doubles_the_window_up_to_64_times() {
        let mut probation = without_lane_2();
        for factor in [1, 2, 4, 8, 16, 32, 64, 64, 64] {
            assert_eq!(back(&mut probation, 3, 0b0100), (factor * WINDOW, 0b0100));
            probation.start(0b1111, 0b1111);
            probation.start(0b1011, 0b1111);
        }
        probation.forget(); // CTRL.restore
        probation.start(0b1111, 0b1111);
        probation.start(0b1011, 0b1111);
        assert_eq!(back(&mut probation, 3, 0b0100), (WINDOW, 0b0100));
        probation.start(0b1011, 0b1111); // it did not lock
        assert_eq!(back(&mut probation, 3, 0b0100), (2 * WINDOW, 0b0100));
    }

    #[test]
    fn lanes_that_are_used_or_not_allowed_do_not_wait_and_nothing_returns_while_disabled() {
        let mut probation = without_lane_2();
        probation.start(0b0011, 0b0111);
        assert_eq!(back(&mut probation, 2, 0b1111), (516, 0b0100), "lane 3 is not allowed, 0 and 1 are used");
        let mut disabled = Probation::new(false, 0);
        disabled.start(0b1011, 0b1111);
        assert_eq!(back(&mut disabled, 3, 0b1111), (0, 0));
    }
}
