//! When a lane is removed: a leaky bucket for each lane (chapter 10, 4.5).

use crate::counters::Counters;
use flitforge_protocol::counter::LinkCounter;
use flitforge_protocol::degrade::{window_ltps, BUCKET_MAX, MIN_LANES, TRIGGER, WINDOW, WINDOW_LTPS};
use flitforge_protocol::lane_word::MAX_LANES;
use thiserror::Error;

/// Register DEGRADE.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DegradeConfig {
    /// Lanes are removed at all. Buckets fill and leak either way.
    pub enabled: bool,
    /// Lanes below which none is removed, 1 to 4.
    pub min_lanes: u8,
    /// Bucket level that removes a lane, 1 to 7.
    pub trigger: u8,
    /// Number of the window length, 0 to 7.
    pub window: u8,
}

/// A value of register DEGRADE that cannot work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("link degrade, {field} = {value}: expected {expected}")]
pub struct DegradeConfigError {
    /// Name of the field.
    pub field: &'static str,
    /// Its value.
    pub value: u8,
    /// What is allowed.
    pub expected: &'static str,
}

impl Default for DegradeConfig {
    fn default() -> Self {
        DegradeConfig { enabled: true, min_lanes: MIN_LANES, trigger: TRIGGER, window: WINDOW }
    }
}

impl DegradeConfig {
    /// Refuses values outside their ranges.
    pub fn check(&self) -> Result<(), DegradeConfigError> {
        let refuse = |field, value, expected| Err(DegradeConfigError { field, value, expected });
        if self.min_lanes == 0 || usize::from(self.min_lanes) > MAX_LANES {
            return refuse("MIN_LANES", self.min_lanes, "1 to 4");
        }
        if self.trigger == 0 || self.trigger > BUCKET_MAX {
            return refuse("TRIG", self.trigger, "1 to 7");
        }
        if usize::from(self.window) >= WINDOW_LTPS.len() {
            return refuse("WIN", self.window, "0 to 7");
        }
        Ok(())
    }
}

/// What a full bucket leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DegradeAction {
    /// The lane's rx_ok bit is cleared; the link goes to Retraining.
    Remove(usize),
    /// `REMOVE_REFUSED`: no lane may go. The bucket starts again at 0.
    Refused(usize),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
struct Bucket {
    level: u8,
    /// Good LTPs since the last verdict on the lane or the last leak.
    good_ltps: u32,
}

/// The buckets of the lanes that one end receives on. Lanes carry the sender's numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Degrade {
    config: DegradeConfig,
    active: [bool; MAX_LANES],
    buckets: [Bucket; MAX_LANES],
    counters: Counters,
}

impl Degrade {
    /// Empty buckets, these lanes (bit l = lane l) active.
    pub fn new(config: DegradeConfig, lanes: u8) -> Result<Self, DegradeConfigError> {
        config.check()?;
        let mut degrade = Degrade {
            config,
            active: [false; MAX_LANES],
            buckets: [Bucket::default(); MAX_LANES],
            counters: Counters::new(),
        };
        degrade.set_lanes(lanes);
        Ok(degrade)
    }

    /// Active is entered on these lanes. A lane that was not active before starts with an empty bucket.
    pub fn set_lanes(&mut self, lanes: u8) {
        for lane in 0..MAX_LANES {
            let active = lanes >> lane & 1 == 1;
            if !active || !self.active[lane] {
                self.buckets[lane] = Bucket::default();
            }
            self.active[lane] = active;
        }
    }

    /// Bit l = lane l is received on.
    #[must_use]
    pub fn lanes(&self) -> u8 {
        (0..MAX_LANES).filter(|&lane| self.active[lane]).fold(0, |mask, lane| mask | 1 << lane)
    }

    /// Level of a lane's bucket, `ev` of register LANE.
    #[must_use]
    pub fn level(&self, lane: usize) -> u8 {
        self.buckets.get(lane).map_or(0, |bucket| bucket.level)
    }

    /// Its counters.
    #[must_use]
    pub const fn counters(&self) -> &Counters {
        &self.counters
    }

    /// A good LTP; `verdict` names the lane that its comparison charged. The LTP of a verdict is not in the lane's
    /// next window.
    pub fn good_ltp(&mut self, verdict: Option<usize>) -> Option<DegradeAction> {
        let lanes = self.active.iter().filter(|active| **active).count();
        let window = window_ltps(self.config.window, lanes).unwrap_or(u32::MAX);
        for lane in (0..MAX_LANES).filter(|&lane| Some(lane) != verdict) {
            let bucket = &mut self.buckets[lane];
            if self.active[lane] {
                bucket.good_ltps += 1;
                if bucket.good_ltps >= window {
                    *bucket = Bucket { level: bucket.level.saturating_sub(1), good_ltps: 0 };
                }
            }
        }
        self.verdict(verdict?)
    }

    /// A verdict on a lane, from the comparison or, in mode 3, from the CRC of the bad LTP itself.
    pub fn verdict(&mut self, lane: usize) -> Option<DegradeAction> {
        if !self.active.get(lane).is_some_and(|active| *active) {
            return None;
        }
        let level = (self.buckets[lane].level + 1).min(BUCKET_MAX);
        self.buckets[lane] = Bucket { level, good_ltps: 0 };
        if level < self.config.trigger || !self.config.enabled {
            return None;
        }
        self.buckets[lane] = Bucket::default();
        if self.lanes().count_ones() <= self.config.min_lanes.into() {
            self.counters.count(LinkCounter::RemoveRefused);
            return Some(DegradeAction::Refused(lane));
        }
        self.active[lane] = false;
        Some(DegradeAction::Remove(lane))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_out_of_range_are_refused_by_name() {
        let refused = |config: DegradeConfig| Degrade::new(config, 0xF).expect_err("refused").field;
        let good = DegradeConfig::default();
        assert_eq!(refused(DegradeConfig { min_lanes: 0, ..good }), "MIN_LANES");
        assert_eq!(refused(DegradeConfig { min_lanes: 5, ..good }), "MIN_LANES");
        assert_eq!(refused(DegradeConfig { trigger: 0, ..good }), "TRIG");
        assert_eq!(refused(DegradeConfig { trigger: 8, ..good }), "TRIG");
        assert_eq!(refused(DegradeConfig { window: 8, ..good }), "WIN");
    }

    #[test]
    fn a_verdict_on_a_lane_that_is_not_there_changes_nothing() {
        let mut degrade =
            Degrade::new(DegradeConfig { trigger: 1, ..DegradeConfig::default() }, 0b0111).expect("good");
        assert_eq!((degrade.verdict(3), degrade.verdict(9), degrade.lanes()), (None, None, 0b0111));
    }

    #[test]
    fn a_disabled_bucket_fills_to_seven_and_removes_nothing() {
        let mut degrade =
            Degrade::new(DegradeConfig { enabled: false, ..DegradeConfig::default() }, 0xF).expect("good");
        assert!((0..20).all(|_| degrade.verdict(2).is_none()));
        assert_eq!((degrade.level(2), degrade.lanes()), (7, 0xF));
    }
}
