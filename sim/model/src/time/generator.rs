//! `time_gen`, the master (chapter 20, 4.6).

use super::config::check_generation;
use super::correction::lag_sixteenths;
use super::flits::{TimeHigh, TimeLow};
use super::source::Time96;
use super::{TimeConfigError, TimeValue};
use flitforge_protocol::time::{FRAC_BITS, GEN_PERIOD_SHIFT, GEN_PHASE_SHIFT};
use flitforge_protocol::time_servo::{INC_FRAC, TIME_BITS};

/// MSTR_CTL and GEN_CFG.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GeneratorConfig {
    /// GEN_PERIOD, 2^20 ns; 0 = off.
    pub period: u64,
    /// GEN_PHASE, 2^12 ns.
    pub phase: u64,
    /// HIGH_EVERY: one High for so many Lows.
    pub high_every: u64,
    /// HIGH_MODE 1: High in a beat of its own before Low.
    pub separate: bool,
    /// Tree, 0 to 3.
    pub tree: u8,
    /// Master index.
    pub index: u8,
    /// Quality code.
    pub quality: u8,
}

/// A beat offered to the link in this clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GeneratorBeat {
    /// The Low.
    pub low: Option<TimeLow>,
    /// The High.
    pub high: Option<TimeHigh>,
}

/// The generator of one tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Generator {
    config: GeneratorConfig,
    enabled: bool,
    era: u8,
    next: Option<u64>,
    lows_since_high: Option<u64>,
    low_pending: bool,
    high_pending: bool,
    /// GEN_LOW and GEN_HIGH.
    counters: (u32, u32),
}

/// Bits of the period count P\[63:20\].
const COUNT_BITS: u32 = TIME_BITS as u32 - GEN_PERIOD_SHIFT;

impl Generator {
    /// Disabled, era 0. An impossible configuration is refused.
    pub fn new(config: GeneratorConfig) -> Result<Self, TimeConfigError> {
        check_generation(config.period, config.high_every)?;
        Ok(Self {
            config,
            enabled: false,
            era: 0,
            next: None,
            lows_since_high: None,
            low_pending: false,
            high_pending: false,
            counters: (0, 0),
        })
    }

    /// GEN_EN = 1: starts with this era; the first Low goes one period later and has a High.
    pub fn start(&mut self, era: u8) {
        (self.enabled, self.era) = (true, era % 4);
        (self.next, self.lows_since_high) = (None, None);
    }

    /// GEN_EN = 0: stops at once.
    pub fn stop(&mut self) {
        (self.enabled, self.low_pending, self.high_pending) = (false, false, false);
    }

    /// The master's SyncTime was stepped by SET_CMD: the era rises and the next Low is a period away.
    pub fn stepped(&mut self) {
        if self.enabled {
            self.start(self.era.wrapping_add(1));
        }
    }

    /// The era that goes out.
    #[must_use]
    pub const fn era(&self) -> u8 {
        self.era
    }

    /// Whole nanoseconds of SyncTime at which the next Low is due; `None` while stopped or before the first clock.
    #[must_use]
    pub const fn due(&self) -> Option<u64> {
        match self.next {
            Some(next) if self.enabled && self.config.period > 0 => {
                Some((next << GEN_PERIOD_SHIFT).wrapping_add(self.config.phase << GEN_PHASE_SHIFT))
            }
            _ => None,
        }
    }

    /// GEN_LOW and GEN_HIGH.
    #[must_use]
    pub const fn counters(&self) -> (u32, u32) {
        self.counters
    }

    /// `clear`: what waits is dropped, and the next Low has a High. The generator runs on.
    pub fn drop_pending(&mut self) {
        (self.low_pending, self.high_pending, self.lows_since_high) = (false, false, None);
    }

    /// Time made a jump: the next Low is a period away.
    pub fn rearm(&mut self) {
        self.next = None;
    }

    /// One core clock: SyncTime of this edge, the tx lag of a flit taken in it (1/256 ns), and whether the link takes
    /// what is offered. Gives the beat that is offered in this clock.
    pub fn clock(&mut self, sync: Time96, lag: i32, ready: bool) -> Option<GeneratorBeat> {
        self.trigger(sync);
        self.offer(sync, lag, ready)
    }

    /// The beat offered at an edge with this SyncTime, tx lag and readiness of the link.
    pub fn offer(&mut self, sync: Time96, lag: i32, ready: bool) -> Option<GeneratorBeat> {
        let now = sync_sixteenths(sync).wrapping_add(lag_sixteenths(lag) as u128);
        let with_low = self.low_pending && !(self.config.separate && self.high_pending);
        let low = with_low.then(|| TimeLow {
            value: TimeValue::from_sixteenths(now as u64),
            tree: self.config.tree,
            era: self.era,
        });
        let high = self.high_pending.then_some(TimeHigh {
            time: (now >> (32 + FRAC_BITS)) as u32,
            index: self.config.index,
            tree: self.config.tree,
            era: self.era,
            quality: self.config.quality,
        });
        if low.is_none() && high.is_none() {
            return None;
        }
        if ready {
            self.taken(low.is_some(), high.is_some());
        }
        Some(GeneratorBeat { low, high })
    }

    fn taken(&mut self, low: bool, high: bool) {
        self.low_pending &= !low;
        self.high_pending &= !high;
        self.counters.0 = self.counters.0.saturating_add(low.into());
        self.counters.1 = self.counters.1.saturating_add(high.into());
    }

    /// Rule 1: when a Low is due. Rule 3: whether a High goes with it.
    pub fn trigger(&mut self, sync: Time96) {
        if !self.enabled || self.config.period == 0 {
            return;
        }
        let shifted = ((sync >> INC_FRAC) as u64).wrapping_sub(self.config.phase << GEN_PHASE_SHIFT);
        let count = shifted >> GEN_PERIOD_SHIFT;
        let next = *self.next.get_or_insert(wrap(count + self.config.period));
        // Counts wrap: the sign of the difference says which is ahead.
        if wrap(count.wrapping_sub(next)) >> (COUNT_BITS - 1) == 1 {
            return;
        }
        self.next = Some(wrap(next + self.config.period));
        self.low_pending = true;
        let due = self.lows_since_high.is_none_or(|lows| lows + 1 >= self.config.high_every);
        self.high_pending |= due;
        self.lows_since_high = Some(if due { 0 } else { self.lows_since_high.unwrap_or(0) + 1 });
    }
}

const fn wrap(count: u64) -> u64 {
    count & ((1 << COUNT_BITS) - 1)
}

/// SyncTime in 1/16 ns, rounded half up (4.6 rule 2).
#[must_use]
pub const fn sync_sixteenths(sync: Time96) -> u128 {
    (sync + (1 << (INC_FRAC - FRAC_BITS - 1))) >> (INC_FRAC - FRAC_BITS)
}
