//! When a lane is removed: a debt for each lane, in LTP times (chapter 10, 4.5).

use crate::counters::Counters;
use flitforge_protocol::counter::LinkCounter;
use flitforge_protocol::degrade::{
    safe_ltps, stand_out_factor, threshold_ltps, DEBT_UNIT, FAULT_VERDICTS, MIN_LANES, PENDING_MAX,
    REQUEST_LTPS, SAFE, SAFE_MAX, SAFE_SETTING, SAFE_SETTING_THRESHOLD, STAND_OUT, STAND_OUT_MAX, THRESHOLD,
    THRESHOLD_MAX, VERDICTS_MAX,
};
use flitforge_protocol::lane_word::MAX_LANES;
use thiserror::Error;

/// Register DEGRADE.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DegradeConfig {
    /// Lanes are removed at all. Debts rise and fall either way.
    pub enabled: bool,
    /// Lanes below which none is removed, 1 to 4.
    pub min_lanes: u8,
    /// TH, 0 to 7: a debt of 2^(10 + TH) LTP times removes a lane.
    pub threshold: u8,
    /// STAND_OUT, 0 to 3: a lane needs more than 2^n times the verdicts of the one that has the fewest; 0: not looked at.
    pub stand_out: u8,
    /// SAFE, 0 to 7: a verdict is charged 2^(7 + SAFE) LTP times at least; 0: what it has cost.
    pub safe: u8,
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
        DegradeConfig {
            enabled: true,
            min_lanes: MIN_LANES,
            threshold: THRESHOLD,
            stand_out: STAND_OUT,
            safe: SAFE,
        }
    }
}

impl DegradeConfig {
    /// The safe setting: fewer undetected LTPs instead of more goodput.
    #[must_use]
    pub fn safe_setting() -> Self {
        DegradeConfig { threshold: SAFE_SETTING_THRESHOLD, safe: SAFE_SETTING, ..DegradeConfig::default() }
    }

    /// Refuses values outside their ranges.
    pub fn check(&self) -> Result<(), DegradeConfigError> {
        let refuse = |field, value, expected| Err(DegradeConfigError { field, value, expected });
        if self.min_lanes == 0 || usize::from(self.min_lanes) > MAX_LANES {
            return refuse("MIN_LANES", self.min_lanes, "1 to 4");
        }
        if self.threshold > THRESHOLD_MAX {
            return refuse("TH", self.threshold, "0 to 7");
        }
        if self.stand_out > STAND_OUT_MAX {
            return refuse("STAND_OUT", self.stand_out, "0 to 3");
        }
        if self.safe > SAFE_MAX {
            return refuse("SAFE", self.safe, "0 to 7");
        }
        Ok(())
    }
}

/// What a debt of TH, or a fault of retry, leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DegradeAction {
    /// The lane's rx_ok bit is cleared; the link goes to Retraining.
    Remove(usize),
    /// `REMOVE_REFUSED`: no lane may go. Debt and verdicts start again at 0.
    Refused(usize),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
struct Lane {
    debt: u32,
    verdicts: u8,
}

/// The lanes that one end receives on, by the sender's numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Degrade {
    config: DegradeConfig,
    active: [bool; MAX_LANES],
    lanes: [Lane; MAX_LANES],
    /// LTP times that retries have cost since the last verdict on a lane.
    pending: u32,
    /// The lane that goes with a fault, as of the last LTP.
    worst: Option<usize>,
    counters: Counters,
}

impl Degrade {
    /// No debts, these lanes (bit l = lane l) active.
    pub fn new(config: DegradeConfig, lanes: u8) -> Result<Self, DegradeConfigError> {
        config.check()?;
        let mut degrade = Degrade {
            config,
            active: [false; MAX_LANES],
            lanes: [Lane::default(); MAX_LANES],
            pending: 0,
            worst: None,
            counters: Counters::new(),
        };
        degrade.set_lanes(lanes);
        Ok(degrade)
    }

    /// Active is entered on these lanes. A lane that was not active before starts without debt.
    pub fn set_lanes(&mut self, lanes: u8) {
        self.worst = None;
        for number in 0..MAX_LANES {
            let active = lanes >> number & 1 == 1;
            if !active || !self.active[number] {
                self.lanes[number] = Lane::default();
            }
            self.active[number] = active;
        }
    }

    /// Down: nothing is held against any lane, and none is active.
    pub fn forget(&mut self) {
        self.set_lanes(0);
        self.pending = 0;
    }

    /// Bit l = lane l is received on.
    #[must_use]
    pub fn lanes(&self) -> u8 {
        self.in_use().fold(0, |mask, lane| mask | 1 << lane)
    }

    fn in_use(&self) -> impl Iterator<Item = usize> + '_ {
        (0..MAX_LANES).filter(|&lane| self.active[lane])
    }

    /// Debt of a lane in LTP times.
    #[must_use]
    pub fn debt(&self, lane: usize) -> u32 {
        self.lanes.get(lane).map_or(0, |lane| lane.debt)
    }

    /// The same in units of 1,024, as register LANE has it.
    #[must_use]
    pub fn debt_units(&self, lane: usize) -> u32 {
        self.debt(lane) / DEBT_UNIT
    }

    /// Verdicts on a lane, halved every now and then.
    #[must_use]
    pub fn verdicts(&self, lane: usize) -> u8 {
        self.lanes.get(lane).map_or(0, |lane| lane.verdicts)
    }

    /// LTP times for the next lane that is named.
    #[must_use]
    pub const fn pending(&self) -> u32 {
        self.pending
    }

    /// Its counters.
    #[must_use]
    pub const fn counters(&self) -> &Counters {
        &self.counters
    }

    /// An LTP time: an LTP was received, good or bad. `tossed`: it was, in TOSS (`RX_TOSSED`). `verdict` names the lane that it
    /// brought a verdict on: by its comparison or, in mode 3, by its own CRC.
    pub fn ltp(&mut self, tossed: bool, verdict: Option<usize>) -> Option<DegradeAction> {
        let verdict = verdict.filter(|&lane| self.active.get(lane).is_some_and(|active| *active));
        for (number, lane) in self.lanes.iter_mut().enumerate().filter(|(number, _)| verdict != Some(*number))
        {
            debug_assert!(self.active[number] || lane.debt == 0);
            lane.debt = lane.debt.saturating_sub(1);
        }
        self.pend(u32::from(tossed));
        let is_due = verdict.is_some_and(|lane| self.charge(lane));
        self.worst = self.find_worst();
        let halves = self.lanes.iter().any(|lane| lane.verdicts > VERDICTS_MAX);
        let action = verdict.filter(|lane| is_due && self.stands_out(*lane)).and_then(|lane| self.goes(lane));
        if halves {
            self.lanes.iter_mut().for_each(|lane| lane.verdicts /= 2);
        }
        action
    }

    /// A RetryReq pair goes out.
    pub fn request(&mut self) {
        self.pend(REQUEST_LTPS);
    }

    fn pend(&mut self, ltps: u32) {
        self.pending = (self.pending + ltps).min(PENDING_MAX);
    }

    /// A verdict on a lane; true if its debt is TH.
    fn charge(&mut self, number: usize) -> bool {
        let cost = self.lanes().count_ones() * std::mem::take(&mut self.pending);
        let threshold = threshold_ltps(self.config.threshold);
        let lane = &mut self.lanes[number];
        let debt = lane.debt + cost.max(safe_ltps(self.config.safe));
        (lane.debt, lane.verdicts) = (debt.min(threshold), lane.verdicts + 1);
        debt >= threshold
    }

    /// The end goes to Retraining since RETRY_LIMIT or BAD_RUN was reached: the lane goes that would have at the last LTP.
    pub fn fault(&mut self) -> Option<DegradeAction> {
        self.worst.and_then(|lane| self.goes(lane))
    }

    /// The lane with the largest debt, if it has the verdicts to go with a fault.
    fn find_worst(&self) -> Option<usize> {
        let worst = self.in_use().max_by_key(|&lane| (self.lanes[lane].debt, MAX_LANES - lane))?;
        (self.lanes[worst].verdicts >= FAULT_VERDICTS && self.stands_out(worst)).then_some(worst)
    }

    /// It has many more verdicts than the lane that has the fewest.
    fn stands_out(&self, number: usize) -> bool {
        let fewest = self.in_use().map(|lane| self.lanes[lane].verdicts).min().unwrap_or(0);
        stand_out_factor(self.config.stand_out)
            .is_none_or(|factor| u32::from(self.lanes[number].verdicts) > factor * u32::from(fewest))
    }

    fn goes(&mut self, number: usize) -> Option<DegradeAction> {
        if !self.config.enabled {
            return None;
        }
        self.worst = None;
        let may_go = self.lanes().count_ones() > self.config.min_lanes.into();
        self.lanes[number] = Lane::default();
        if may_go {
            self.active[number] = false;
            return Some(DegradeAction::Remove(number));
        }
        self.counters.count(LinkCounter::RemoveRefused);
        Some(DegradeAction::Refused(number))
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
        assert_eq!(refused(DegradeConfig { threshold: 8, ..good }), "TH");
        assert_eq!(refused(DegradeConfig { stand_out: 4, ..good }), "STAND_OUT");
        assert_eq!(refused(DegradeConfig { safe: 8, ..good }), "SAFE");
    }

    #[test]
    fn a_verdict_on_a_lane_that_is_not_there_leaves_what_is_pending() {
        let mut degrade = Degrade::new(DegradeConfig::default(), 0b0111).expect("good");
        degrade.request();
        assert_eq!((degrade.ltp(true, Some(3)), degrade.ltp(true, Some(9))), (None, None));
        assert_eq!((degrade.pending(), degrade.lanes()), (7, 0b0111));
    }

    #[test]
    fn a_disabled_one_keeps_its_debt_at_the_threshold_and_removes_nothing() {
        let config = DegradeConfig { enabled: false, ..DegradeConfig::default() };
        let mut degrade = Degrade::new(config, 0xF).expect("good");
        for _ in 0..1_000 {
            (0..5).for_each(|_| assert_eq!(degrade.ltp(true, None), None));
            assert_eq!(degrade.ltp(true, Some(2)), None);
        }
        assert_eq!((degrade.debt(2), degrade.debt_units(2), degrade.lanes()), (4096, 4, 0xF));
    }
}
