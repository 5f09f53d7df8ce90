//! When a removed lane comes back (chapter 10, 4.5): once it has worked off a debt, a larger one after every further removal.

use flitforge_protocol::degrade::{probation_charge, threshold_ltps, PROBATION_DOUBLINGS};
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
    /// LTP times to go.
    debt: u32,
}

/// The lanes that one end could receive on, and does not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probation {
    enabled: bool,
    threshold: u8,
    safe: u8,
    lanes: [Lane; MAX_LANES],
}

impl Probation {
    /// With TH and SAFE of register DEGRADE; without `enabled`, DEGRADE.enable, no lane comes back.
    #[must_use]
    pub fn new(enabled: bool, threshold: u8, safe: u8) -> Self {
        Probation { enabled, threshold, safe, lanes: [Lane::default(); MAX_LANES] }
    }

    /// The direction starts on the lanes `used`, of those `allowed`: the others wait. A lane that was used before, or had just come
    /// back and did not lock, is lost once more. A lane that waited already goes on where it was.
    pub fn start(&mut self, used: u8, allowed: u8) {
        for number in 0..MAX_LANES {
            let lane = &mut self.lanes[number];
            let (is_used, waited) = (used >> number & 1 == 1, lane.waits);
            let is_lost = lane.wanted && !is_used;
            lane.removals += u32::from(is_lost);
            lane.wanted = is_used;
            lane.waits = !is_used && allowed >> number & 1 == 1;
            if is_lost || !waited {
                self.lanes[number].debt = self.first_debt(number);
            }
        }
    }

    /// Down, or CTRL.restore: nothing is held against any lane.
    pub fn forget(&mut self) {
        self.lanes = [Lane::default(); MAX_LANES];
    }

    /// LTP times that a lane has to work off from its last loss on: TH, twice as many for every further loss, at most 2^6 times.
    #[must_use]
    pub fn first_debt(&self, lane: usize) -> u32 {
        let removals = self.lanes.get(lane).map_or(0, |lane| lane.removals);
        threshold_ltps(self.threshold) << removals.saturating_sub(1).min(PROBATION_DOUBLINGS)
    }

    /// An LTP time of one lane, which does not come back by it: what is done when a receiver that visits its lanes one after the other
    /// leaves Active meanwhile.
    pub fn work_off(&mut self, lane: usize, good: bool) {
        let (most, charge) = (self.first_debt(lane), probation_charge(self.threshold, self.safe));
        if let Some(lane) = self.lanes.get_mut(lane) {
            lane.debt = if good { lane.debt.saturating_sub(1) } else { (lane.debt + charge).min(most) };
        }
    }

    /// An LTP time of the direction; bit l of `good`: all words of lane l were good. The lanes that come back.
    pub fn ltp_time(&mut self, good: u8) -> u8 {
        let mut back = 0;
        for number in 0..MAX_LANES {
            self.work_off(number, good >> number & 1 == 1);
            let lane = &mut self.lanes[number];
            if self.enabled && lane.waits && lane.debt == 0 {
                *lane = Lane { waits: false, wanted: true, ..*lane };
                back |= 1 << number;
            }
        }
        back
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TH 0: 1,024 LTP times, and a bad one costs 16.
    const DEBT: u64 = 1024;

    fn without_lane_2() -> Probation {
        let mut probation = Probation::new(true, 0, 0);
        probation.start(0b1111, 0b1111);
        probation.start(0b1011, 0b1111);
        probation
    }

    /// LTP times until lanes come back, and which.
    fn back(probation: &mut Probation, good: u8) -> (u64, u8) {
        (1..1_000_000)
            .find_map(|time| Some((time, probation.ltp_time(good))).filter(|(_, back)| *back != 0))
            .unwrap_or_default()
    }

    #[test]
    fn the_debt_is_exact_and_a_bad_time_adds_to_it() {
        let mut probation = without_lane_2();
        assert!((1..DEBT).all(|_| probation.ltp_time(0b0100) == 0));
        assert_eq!(probation.ltp_time(0), 0, "one bad LTP time at the very end");
        assert_eq!(back(&mut probation, 0b0100), (17, 0b0100));
        assert_eq!(back(&mut probation, 0b0100), (0, 0), "it is asked for once");
    }

    #[test]
    fn a_hopeless_lane_owes_no_more_than_it_started_with() {
        let mut probation = without_lane_2();
        assert!((0..10_000).all(|_| probation.ltp_time(0) == 0));
        assert_eq!(back(&mut probation, 0b0100), (DEBT, 0b0100));
    }

    #[test]
    fn a_lane_with_less_than_one_bad_time_in_sixteen_comes_back_and_with_more_never() {
        let cycles = |every: u64| {
            let mut probation = without_lane_2();
            (1..1_000_000).find(|time| probation.ltp_time(if time % every == 0 { 0 } else { 0b0100 }) != 0)
        };
        // of 20 times 19 work off, one adds 16: 3 in 20
        assert!(cycles(20).is_some_and(|time| (6 * DEBT..7 * DEBT).contains(&time)), "{:?}", cycles(20));
        assert_eq!(cycles(15), None);
    }

    #[test]
    fn every_further_removal_doubles_the_debt_up_to_64_times() {
        let mut probation = without_lane_2();
        for factor in [1, 2, 4, 8, 16, 32, 64, 64, 64] {
            assert_eq!(back(&mut probation, 0b0100), (factor * DEBT, 0b0100));
            probation.start(0b1111, 0b1111);
            probation.start(0b1011, 0b1111);
        }
        probation.forget(); // CTRL.restore
        probation.start(0b1111, 0b1111);
        probation.start(0b1011, 0b1111);
        assert_eq!(back(&mut probation, 0b0100), (DEBT, 0b0100));
        probation.start(0b1011, 0b1111); // it did not lock
        assert_eq!(back(&mut probation, 0b0100), (2 * DEBT, 0b0100));
    }

    #[test]
    fn a_start_leaves_the_debt_of_a_lane_that_waits() {
        let mut probation = without_lane_2();
        assert!((0..1_000).all(|_| probation.ltp_time(0b0100) == 0));
        probation.start(0b1011, 0b1111);
        assert_eq!(back(&mut probation, 0b0100), (DEBT - 1_000, 0b0100));
    }

    #[test]
    fn lanes_that_are_used_or_not_allowed_do_not_wait_and_nothing_returns_while_disabled() {
        let mut probation = without_lane_2();
        probation.start(0b0011, 0b0111);
        assert_eq!(back(&mut probation, 0b1111), (DEBT, 0b0100), "lane 3 is not allowed, 0 and 1 are used");
        let mut disabled = Probation::new(false, 0, 0);
        disabled.start(0b1011, 0b1111);
        assert_eq!(back(&mut disabled, 0b1111), (0, 0));
    }

    #[test]
    fn safe_charges_a_bad_time_as_it_does_a_verdict() {
        let mut probation = Probation::new(true, 4, 3);
        probation.start(0b1111, 0b1111);
        probation.start(0b1011, 0b1111);
        (0..10_000).for_each(|_| assert_eq!(probation.ltp_time(0b0100), 0));
        assert_eq!(probation.ltp_time(0), 0);
        assert_eq!(back(&mut probation, 0b0100), (16_384 - 10_000 + 1_024, 0b0100));
    }
}
