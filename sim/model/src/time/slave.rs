//! `time_slave` (chapter 20, 4.7): joins, checks eras, keeps samples, chooses the tree.

use super::flits::{TimeHigh, TimeLow};
use super::join::join;
use super::source::Time96;
use super::TimeConfigError;
use flitforge_protocol::time::{FIFO_DEPTH, FINE_BITS, FRAC_BITS, MAX_TREES};
use flitforge_protocol::time_servo::{INC_FRAC, TIME_BITS};
use std::collections::VecDeque;

/// A stored sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sample {
    /// The Low, corrected by the rx lag.
    pub low: TimeLow,
    /// The High it was joined with, or the last one.
    pub high: Option<TimeHigh>,
    /// Joined time, ns; `None` for a sample that is not full.
    pub full: Option<u64>,
    /// LocalTime of the R edge.
    pub local: Time96,
    /// Phase error, 1/256 ns; 0 if not full or without offset.
    pub error: i32,
}

/// What a Low led to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SampleVerdict {
    /// Full, of the current era: the difference for the servo, and whether the era changed with it.
    Use {
        /// V + ClockOffset - SyncTime in 1/256 ns, whole; e is this, saturated.
        difference: i128,
        /// ERA_CUR moved on.
        new_era: bool,
    },
    /// Stored without use: no High of its tree and era yet, or the overlap bytes disagree.
    NotFull,
    /// Dropped: the era before the current one, from a master that was replaced.
    OldEra,
    /// Dropped: an era too far away, or one whose offset is not known.
    BadEra,
}

/// Counters of a tree, 32 bits, saturating.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SlaveCounters {
    /// SMP_OK.
    pub ok: u32,
    /// SMP_OVER: samples lost because nobody read the FIFO.
    pub over: u32,
    /// OVERLAP_BAD.
    pub overlap_bad: u32,
    /// OLD_ERA.
    pub old_era: u32,
    /// BAD_ERA.
    pub bad_era: u32,
    /// NO_HIGH.
    pub no_high: u32,
}

fn count(counter: &mut u32) {
    *counter = counter.saturating_add(1);
}

/// One tree of a slave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeSlave {
    high: Option<(TimeHigh, Time96)>,
    samples: VecDeque<Sample>,
    depth: usize,
    era: Option<u8>,
    offsets: [Option<i64>; 2],
    /// Counters.
    pub counters: SlaveCounters,
}

impl TreeSlave {
    /// With a FIFO of `depth` samples, 4 to 64.
    pub fn new(depth: usize) -> Result<Self, TimeConfigError> {
        if !(FIFO_DEPTH.0..=FIFO_DEPTH.2).contains(&depth) {
            let expected = format!("{} to {}", FIFO_DEPTH.0, FIFO_DEPTH.2);
            return Err(TimeConfigError::new("FIFO_DEPTH", depth, expected));
        }
        let counters = SlaveCounters::default();
        Ok(Self { high: None, samples: VecDeque::new(), depth, era: None, offsets: [None; 2], counters })
    }

    /// `clear`: no High, no samples, era unknown. Offsets and counters stay.
    pub fn clear(&mut self) {
        self.high = None;
        self.samples.clear();
        self.era = None;
    }

    /// Writes CLOCK_OFFSET of a bank in 1/256 ns and makes it valid; `None` makes it invalid.
    pub fn set_offset(&mut self, bank: usize, offset: Option<i64>) {
        self.offsets[bank & 1] = offset;
    }

    /// CLOCK_OFFSET of a bank; `None` if it is not valid.
    #[must_use]
    pub const fn offset(&self, bank: usize) -> Option<i64> {
        self.offsets[bank & 1]
    }

    /// ERA_CUR, `None` while it is not known.
    #[must_use]
    pub const fn era(&self) -> Option<u8> {
        self.era
    }

    /// Samples in the FIFO.
    #[must_use]
    pub fn level(&self) -> usize {
        self.samples.len()
    }

    /// SMP_POP: the oldest sample.
    pub fn pop(&mut self) -> Option<Sample> {
        self.samples.pop_front()
    }

    /// A High, received with this LocalTime.
    pub fn receive_high(&mut self, high: TimeHigh, local: Time96) {
        self.high = Some((high, local));
    }

    /// A Low, corrected by the rx lag, with LocalTime and SyncTime of its R edge.
    pub fn receive_low(&mut self, low: TimeLow, local: Time96, sync: Time96) -> SampleVerdict {
        let (verdict, sample) = self.judge(low, local, sync);
        if let Some(sample) = sample {
            self.store(sample);
        }
        verdict
    }

    /// What a Low leads to, and the sample to be stored.
    pub fn judge(&mut self, low: TimeLow, local: Time96, sync: Time96) -> (SampleVerdict, Option<Sample>) {
        let full = self.joined(low, local);
        let verdict = self.verdict(low, full, sync);
        let error = match verdict {
            SampleVerdict::OldEra | SampleVerdict::BadEra => return (verdict, None),
            SampleVerdict::Use { difference, .. } => saturate(difference),
            SampleVerdict::NotFull => 0,
        };
        let high = self.high.map(|(high, _)| high);
        (verdict, Some(Sample { low, high, full, local, error }))
    }

    /// Stores a sample; a full FIFO loses its oldest (rule 5). True if it did.
    pub fn store(&mut self, sample: Sample) -> bool {
        let full = self.samples.len() == self.depth;
        if full {
            self.samples.pop_front();
            count(&mut self.counters.over);
        }
        self.samples.push_back(sample);
        full
    }

    /// Rule 2; counts NO_HIGH and OVERLAP_BAD.
    fn joined(&mut self, low: TimeLow, local: Time96) -> Option<u64> {
        let fits = |(high, _): &(TimeHigh, Time96)| high.tree == low.tree && high.era == low.era;
        let Some((high, since)) = self.high.filter(fits) else {
            count(&mut self.counters.no_high);
            return None;
        };
        // Both cut to nanoseconds: the fractions would cost a third more of subtractor for less than 1 ns.
        let age = ((local >> INC_FRAC) as u64).wrapping_sub((since >> INC_FRAC) as u64);
        let full = join(high.time, age, low.value.nanoseconds());
        if full.is_none() {
            count(&mut self.counters.overlap_bad);
        }
        full
    }

    /// Rules 3 and 4.
    fn verdict(&mut self, low: TimeLow, full: Option<u64>, sync: Time96) -> SampleVerdict {
        let offset = self.offsets[usize::from(low.era & 1)];
        let distance = self.era.map_or(0, |era| low.era.wrapping_sub(era) % 4);
        if distance == 3 {
            count(&mut self.counters.old_era);
            return SampleVerdict::OldEra;
        }
        let Some(offset) = offset.filter(|_| distance < 2) else {
            count(&mut self.counters.bad_era);
            return SampleVerdict::BadEra;
        };
        let new_era = distance == 1;
        self.era = Some(low.era);
        let Some(full) = full else { return SampleVerdict::NotFull };
        count(&mut self.counters.ok);
        SampleVerdict::Use { difference: phase_difference(full, low.value.frac(), offset, sync), new_era }
    }
}

/// V + ClockOffset - SyncTime in 1/256 ns, SyncTime cut to that unit, as a signed number of 72 bits (rule 4).
#[must_use]
pub const fn phase_difference(full_ns: u64, frac: u8, offset: i64, sync: Time96) -> i128 {
    let value = ((full_ns as i128) << FINE_BITS) | ((frac as i128) << (FINE_BITS - FRAC_BITS));
    let now = (sync >> (INC_FRAC - FINE_BITS)) as i128;
    // Both are modulo 2^64 ns: the difference is the signed remainder.
    let unused = 128 - (TIME_BITS + FINE_BITS);
    ((value + offset as i128 - now) << unused) >> unused
}

/// The phase error e of a difference: 32 bits, saturating (rule 4).
#[must_use]
pub fn saturate(difference: i128) -> i32 {
    difference.clamp(i32::MIN.into(), i32::MAX.into()) as i32
}

/// TREE_PRIO: which tree feeds the servo (rule 6).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeSelector {
    order: [u8; MAX_TREES],
    enabled: [bool; MAX_TREES],
    age: [Option<u64>; MAX_TREES],
    hold_clocks: u64,
    followed: Option<u8>,
    changes: u32,
}

impl TreeSelector {
    /// Trees in order of priority, those enabled by tree number, and HOLD_N periods in core clocks.
    #[must_use]
    pub const fn new(order: [u8; MAX_TREES], enabled: [bool; MAX_TREES], hold_clocks: u64) -> Self {
        Self { order, enabled, age: [None; MAX_TREES], hold_clocks, followed: None, changes: 0 }
    }

    /// TREE_PRIO or HOLD_N were written: order, enabled trees and hold time come from `other`; what is followed stays.
    pub fn reconfigure(&mut self, other: &Self) {
        (self.order, self.enabled, self.hold_clocks) = (other.order, other.enabled, other.hold_clocks);
    }

    /// The tree that is followed.
    #[must_use]
    pub const fn followed(&self) -> Option<u8> {
        self.followed
    }

    /// Changes of the tree so far; the first choice is none.
    #[must_use]
    pub const fn changes(&self) -> u32 {
        self.changes
    }

    /// `clocks` core clocks went by.
    pub fn elapse(&mut self, clocks: u64) {
        self.elapse_around(clocks, None);
    }

    /// `clocks` core clocks went by, at the end of which the sample of a tree came.
    pub fn elapse_around(&mut self, clocks: u64, sampled: Option<u8>) {
        for (tree, age) in self.age.iter_mut().enumerate() {
            let is_new = self.enabled[tree] && sampled == Some(tree as u8);
            if let Some(age) = age.as_mut().filter(|_| !is_new) {
                *age = age.saturating_add(clocks);
            }
        }
    }

    /// A usable sample of `tree`. `None` if another tree feeds the servo, else whether this one is new to it.
    pub fn sample(&mut self, tree: u8) -> Option<bool> {
        let index = usize::from(tree) % MAX_TREES;
        if !self.enabled[index] {
            return None;
        }
        self.age[index] = Some(0);
        let alive = |tree: &u8| {
            let index = usize::from(*tree) % MAX_TREES;
            self.enabled[index] && self.age[index].is_some_and(|age| age <= self.hold_clocks)
        };
        if self.order.iter().copied().find(alive) != Some(tree) {
            return None;
        }
        let changed = self.followed.is_some_and(|followed| followed != tree);
        self.followed = Some(tree);
        self.changes += u32::from(changed);
        Some(changed)
    }
}
