//! What each lane did over the last samples, and what that proposes.
//!
//! A port removes a lane by itself when verdicts come faster than its bucket leaks. A lane that is noisy at a lower rate costs a
//! replay now and then for ever: the manager sees it over many samples.

use super::sample::PortSample;
use super::PortId;
use flitforge_protocol::lane_word::MAX_LANES;
use std::collections::VecDeque;
use std::fmt;

/// Doublings of [`LaneRules::restore_after`], at most.
const MAX_DOUBLINGS: u32 = 8;

/// When lanes are proposed for removal and for restoring.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaneRules {
    /// Samples that are remembered.
    pub samples: usize,
    /// LTPs that must have come before a rate counts.
    pub min_ltps: u64,
    /// A lane with more verdicts than this per million LTPs is proposed for removal.
    pub remove_per_million: u64,
    /// Samples before a lane that was removed is tried again; twice as many after every try.
    pub restore_after: u32,
}

impl Default for LaneRules {
    /// 16 samples; a million LTPs; 1,000 verdicts per million, which the safe setting of DEGRADE keeps a lane for; 8 samples.
    fn default() -> Self {
        LaneRules { samples: 16, min_ltps: 1_000_000, remove_per_million: 1_000, restore_after: 8 }
    }
}

/// What is done to a lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Not used any more.
    Remove,
    /// Used again.
    Restore,
}

/// Something that the manager would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// Port.
    pub port: PortId,
    /// Lane, by the sender's number.
    pub lane: usize,
    /// What.
    pub action: Action,
    /// Verdicts on the lane in its history.
    pub verdicts: u64,
    /// LTPs of that time.
    pub ltps: u64,
}

impl fmt::Display for Proposal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Proposal { port, lane, action, verdicts, ltps } = self;
        match action {
            Action::Remove => write!(f, "{port}: remove lane {lane}: {verdicts} verdicts in {ltps} LTPs"),
            Action::Restore => write!(f, "{port}: restore lane {lane}"),
        }
    }
}

/// The history of a lane.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LaneHistory {
    /// Verdicts and LTPs of the last samples in which the lane was in use, the newest last.
    samples: VecDeque<(u64, u64)>,
    /// It was in use at some time.
    used: bool,
    /// Removed by the manager.
    taken: bool,
    /// Samples since it is out of use.
    gone: u32,
    /// Times it was restored by the manager.
    restored: u32,
}

impl LaneHistory {
    pub(super) fn add(&mut self, sample: &PortSample, lane: usize, rules: &LaneRules) {
        let now = &sample.lanes[lane];
        if !sample.status.is_up() {
            return;
        }
        if now.active {
            (self.used, self.taken, self.gone) = (true, false, 0);
            self.samples.push_back((now.verdicts, sample.ltps()));
            let surplus = self.samples.len().saturating_sub(rules.samples);
            self.samples.drain(..surplus);
        } else if self.used && (now.removed || self.taken) {
            self.gone = self.gone.saturating_add(1);
            self.samples.clear();
        }
    }

    /// The manager does not allow it.
    pub(super) fn take(&mut self) {
        self.taken = true;
    }

    pub(super) fn acted(&mut self, action: Action) {
        match action {
            Action::Remove => self.take(),
            Action::Restore => (self.gone, self.restored) = (0, self.restored.saturating_add(1)),
        }
    }

    /// Verdicts and LTPs of the last samples, the newest last.
    pub fn samples(&self) -> impl DoubleEndedIterator<Item = (u64, u64)> + '_ {
        self.samples.iter().copied()
    }

    /// Verdicts and LTPs of all of them.
    #[must_use]
    pub fn totals(&self) -> (u64, u64) {
        self.samples.iter().fold((0, 0), |sum, (verdicts, ltps)| (sum.0 + verdicts, sum.1 + ltps))
    }

    /// Verdicts per million LTPs; `None` while fewer than [`LaneRules::min_ltps`] have come.
    #[must_use]
    pub fn rate_per_million(&self, rules: &LaneRules) -> Option<u64> {
        let (verdicts, ltps) = self.totals();
        let rate = u128::from(verdicts) * 1_000_000 / u128::from(ltps.max(1));
        (ltps >= rules.min_ltps.max(1)).then(|| u64::try_from(rate).unwrap_or(u64::MAX))
    }

    /// Samples since the lane is out of use; 0 if it is in use.
    #[must_use]
    pub fn gone(&self) -> u32 {
        self.gone
    }

    fn may_return(&self, rules: &LaneRules) -> bool {
        let wait = u64::from(rules.restore_after) << self.restored.min(MAX_DOUBLINGS);
        u64::from(self.gone) >= wait
    }
}

/// The worst lane above the rate, unless it is the last one; and every lane that has been out of use for long enough.
pub(super) fn proposals(
    port: PortId,
    sample: &PortSample,
    lanes: &[LaneHistory; MAX_LANES],
    rules: &LaneRules,
) -> Vec<Proposal> {
    let propose = |lane: usize, action| {
        let (verdicts, ltps) = lanes[lane].totals();
        Proposal { port, lane, action, verdicts, ltps }
    };
    let active = (0..MAX_LANES).filter(|lane| sample.lanes[*lane].active);
    let rates = active.clone().filter_map(|lane| Some((lanes[lane].rate_per_million(rules)?, lane)));
    let worst = rates.filter(|(rate, _)| *rate > rules.remove_per_million).max_by_key(|(rate, _)| *rate);
    let worst = worst.filter(|_| active.count() > 1);
    let removed = worst.map(|(_, lane)| propose(lane, Action::Remove));
    let back = (0..MAX_LANES).filter(|lane| lanes[*lane].may_return(rules));
    removed.into_iter().chain(back.map(|lane| propose(lane, Action::Restore))).collect()
}
