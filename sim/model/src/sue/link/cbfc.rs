//! `eth_fc`: credit-based flow control (CBFC), both ends (chapter 50, 4.7 and 0). Counts are cells modulo 2^15.

use super::super::format::link_control::CreditCount;
use super::super::format::overhead::CellRule;
use super::serial::{cells_after, cells_between};
use flitforge_protocol::sue::link_control::{CBFC_VCS, CREDIT_BITS};
use thiserror::Error;

/// Largest LIMIT: half of the counts less one, so that used and overrun stay apart.
pub const LIMIT_MAX: u16 = (1 << (CREDIT_BITS - 1)) - 1;

/// LIMIT.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CreditLimit {
    /// Cells of each virtual channel; 0: the virtual channel is not used.
    PerVc([u16; CBFC_VCS]),
    /// Cells of the port, shared by all virtual channels.
    Pool(u16),
}

/// Settings of both ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CreditSettings {
    /// CELL and PKT_OVHD.
    pub rule: CellRule,
    /// LIMIT.
    pub limit: CreditLimit,
    /// CELL_BATCH: freed cells that make a CF_Update due.
    pub cell_batch: u16,
    /// CF_TIMER, MAC clocks: a CF_Update of every virtual channel at least so often.
    pub cf_timer: u64,
    /// CC_TIMER, MAC clocks.
    pub cc_timer: u64,
}

/// Settings that cannot be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum CreditConfigError {
    /// LIMIT too large.
    #[error("LIMIT {limit} of virtual channel {vc}: at most {LIMIT_MAX} cells")]
    Limit {
        /// Virtual channel; 0 with a pool.
        vc: usize,
        /// Cells.
        limit: u16,
    },
    /// A CELL_BATCH or a timer of 0.
    #[error("CELL_BATCH, CF_TIMER and CC_TIMER must not be 0")]
    Zero,
}

impl CreditSettings {
    /// Reset values with this rule and LIMIT: CELL_BATCH 4, CF_TIMER 1024, CC_TIMER 64 · 1024.
    #[must_use]
    pub const fn new(rule: CellRule, limit: CreditLimit) -> Self {
        CreditSettings { rule, limit, cell_batch: 4, cf_timer: 1024, cc_timer: 64 * 1024 }
    }

    fn check(&self) -> Result<(), CreditConfigError> {
        if self.cell_batch == 0 || self.cf_timer == 0 || self.cc_timer == 0 {
            return Err(CreditConfigError::Zero);
        }
        let over = |(vc, limit): (usize, u16)| match limit {
            0..=LIMIT_MAX => Ok(()),
            limit => Err(CreditConfigError::Limit { vc, limit }),
        };
        match self.limit {
            CreditLimit::PerVc(limits) => limits.into_iter().enumerate().try_for_each(over),
            CreditLimit::Pool(limit) => over((0, limit)),
        }
    }

    /// Cells of a frame of `bytes` octets with its FCS.
    #[must_use]
    pub fn cells(&self, bytes: usize) -> u16 {
        u16::try_from(self.rule.cells(bytes)).unwrap_or(u16::MAX)
    }

    fn limit_of(&self, vc: usize) -> u16 {
        match self.limit {
            CreditLimit::PerVc(limits) => limits.get(vc).copied().unwrap_or(0),
            CreditLimit::Pool(limit) => limit,
        }
    }

    /// The virtual channels that have credits.
    fn vcs(&self) -> impl Iterator<Item = usize> + '_ {
        (0..CBFC_VCS).filter(|vc| self.limit_of(*vc) > 0)
    }
}

/// Why a frame may not be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum CreditRefusal {
    /// Too few credits now.
    #[error("virtual channel {vc}: the frame costs {cells} cells, {available} are available; it waits")]
    Short {
        /// Virtual channel.
        vc: u8,
        /// Cost.
        cells: u16,
        /// Credits.
        available: u16,
    },
    /// More cells than LIMIT.
    #[error("virtual channel {vc}: the frame costs {cells} cells, LIMIT is {limit}; it can never be sent")]
    Never {
        /// Virtual channel.
        vc: u8,
        /// Cost.
        cells: u16,
        /// LIMIT.
        limit: u16,
    },
}

/// Counters, by the names of the chapter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct CreditCounters {
    /// CF tx: CF_Update sent.
    pub cf_tx: u64,
    /// CF rx: CF_Update taken.
    pub cf_rx: u64,
    /// CC_Update sent.
    pub cc_tx: u64,
    /// CC_Update taken.
    pub cc_rx: u64,
    /// CC heal: cells of lost frames given back.
    pub cc_heal: u64,
    /// CTLOS_BAD: counts of CF_Update that would move backward or beyond what was consumed.
    pub ctlos_bad: u64,
    /// Counts of CC_Update that would move backward or by more than LIMIT.
    pub cc_bad: u64,
}

/// The sender: consumed CC and, as the receiver has said, freed CF.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreditSender {
    settings: CreditSettings,
    consumed: [u16; CBFC_VCS],
    freed: [u16; CBFC_VCS],
    last_cc: u64,
    counters: CreditCounters,
}

impl CreditSender {
    /// A sender with all credits.
    pub fn new(settings: CreditSettings) -> Result<Self, CreditConfigError> {
        settings.check()?;
        let zero = [0; CBFC_VCS];
        Ok(CreditSender {
            settings,
            consumed: zero,
            freed: zero,
            last_cc: 0,
            counters: CreditCounters::default(),
        })
    }

    /// CC of a virtual channel.
    #[must_use]
    pub fn consumed(&self, vc: u8) -> u16 {
        self.consumed.get(usize::from(vc)).copied().unwrap_or(0)
    }

    /// CF of a virtual channel as far as it is known here.
    #[must_use]
    pub fn freed(&self, vc: u8) -> u16 {
        self.freed.get(usize::from(vc)).copied().unwrap_or(0)
    }

    /// Cells of a virtual channel in use: (CC - CF) modulo 2^15.
    #[must_use]
    pub fn used(&self, vc: u8) -> u16 {
        cells_between(self.consumed(vc), self.freed(vc))
    }

    /// Credits of a virtual channel, or of the pool: LIMIT less what is in use.
    #[must_use]
    pub fn available(&self, vc: u8) -> u16 {
        let used = match self.settings.limit {
            CreditLimit::PerVc(_) => self.used(vc),
            CreditLimit::Pool(_) => (0..CBFC_VCS).map(|vc| self.used(vc as u8)).fold(0, u16::saturating_add),
        };
        self.settings.limit_of(vc.into()).saturating_sub(used)
    }

    /// The counters.
    #[must_use]
    pub const fn counters(&self) -> &CreditCounters {
        &self.counters
    }

    /// Whether a frame of `bytes` octets with its FCS may be sent; gives its cells.
    pub fn check(&self, vc: u8, bytes: usize) -> Result<u16, CreditRefusal> {
        let (cells, limit) = (self.settings.cells(bytes), self.settings.limit_of(vc.into()));
        if cells > limit {
            return Err(CreditRefusal::Never { vc, cells, limit });
        }
        match self.available(vc) {
            available if cells > available => Err(CreditRefusal::Short { vc, cells, available }),
            _ => Ok(cells),
        }
    }

    /// A frame is sent the first time: its cells are consumed. A replay costs nothing.
    pub fn send(&mut self, vc: u8, bytes: usize) -> Result<u16, CreditRefusal> {
        let cells = self.check(vc, bytes)?;
        if let Some(consumed) = self.consumed.get_mut(usize::from(vc)) {
            *consumed = cells_after(*consumed, cells);
        }
        Ok(cells)
    }

    /// CF_Update came. A count that would take CF backward, or beyond CC, is ignored (section 0).
    pub fn receive_cf(&mut self, counts: [CreditCount; 2]) {
        self.counters.cf_rx += 1;
        for count in counts {
            let step = cells_between(count.cells, self.freed(count.vc));
            if step > self.used(count.vc) {
                self.counters.ctlos_bad += 1;
            } else if let Some(freed) = self.freed.get_mut(usize::from(count.vc)) {
                *freed = count.cells;
            }
        }
    }

    /// Whether CC_TIMER has run out.
    #[must_use]
    pub const fn is_cc_due(&self, now: u64) -> bool {
        now.saturating_sub(self.last_cc) >= self.settings.cc_timer
    }

    /// The counts of CC_Update, all 32. It may leave only while no frame of link-layer retry is outstanding: one that
    /// is still to be replayed is not lost.
    pub fn cc_update(&mut self, now: u64) -> Vec<CreditCount> {
        self.last_cc = now;
        self.counters.cc_tx += 1;
        (0_u8..).zip(self.consumed).map(|(vc, cells)| CreditCount { vc, cells }).collect()
    }
}

/// What a CC_Update did to one virtual channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Healing {
    /// Virtual channel.
    pub vc: u8,
    /// Cells given back.
    pub cells: u16,
}

/// The receiver: freed CF, and consumed as far as it has seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreditReceiver {
    settings: CreditSettings,
    seen: [u16; CBFC_VCS],
    freed: [u16; CBFC_VCS],
    /// CF as last sent, and when.
    told: [u16; CBFC_VCS],
    told_at: [u64; CBFC_VCS],
    counters: CreditCounters,
}

impl CreditReceiver {
    /// A receiver whose buffer is empty.
    pub fn new(settings: CreditSettings) -> Result<Self, CreditConfigError> {
        settings.check()?;
        let (zero, told_at) = ([0; CBFC_VCS], [0; CBFC_VCS]);
        let counters = CreditCounters::default();
        Ok(CreditReceiver { settings, seen: zero, freed: zero, told: zero, told_at, counters })
    }

    /// Cells of the frames that came, and of those that CC_Update has shown to be lost.
    #[must_use]
    pub fn consumed(&self, vc: u8) -> u16 {
        self.seen.get(usize::from(vc)).copied().unwrap_or(0)
    }

    /// CF.
    #[must_use]
    pub fn freed(&self, vc: u8) -> u16 {
        self.freed.get(usize::from(vc)).copied().unwrap_or(0)
    }

    /// Cells in the buffer.
    #[must_use]
    pub fn occupied(&self, vc: u8) -> u16 {
        cells_between(self.consumed(vc), self.freed(vc))
    }

    /// The counters.
    #[must_use]
    pub const fn counters(&self) -> &CreditCounters {
        &self.counters
    }

    /// A frame of `bytes` octets with its FCS goes into the buffer.
    pub fn receive(&mut self, vc: u8, bytes: usize) {
        if let Some(seen) = self.seen.get_mut(usize::from(vc)) {
            *seen = cells_after(*seen, self.settings.cells(bytes));
        }
    }

    /// A frame leaves the buffer. More than is in it is never freed.
    pub fn free(&mut self, vc: u8, bytes: usize) {
        let cells = self.settings.cells(bytes).min(self.occupied(vc));
        if let Some(freed) = self.freed.get_mut(usize::from(vc)) {
            *freed = cells_after(*freed, cells);
        }
    }

    /// CC_Update came: what was consumed and has not been seen is lost, and is given back.
    pub fn receive_cc(&mut self, counts: &[CreditCount]) -> Vec<Healing> {
        self.counters.cc_rx += 1;
        let mut healed = Vec::new();
        for &CreditCount { vc, cells } in counts {
            let place = usize::from(vc);
            let (Some(seen), Some(freed)) = (self.seen.get_mut(place), self.freed.get_mut(place)) else {
                continue;
            };
            let lost = cells_between(cells, *seen);
            if lost > self.settings.limit_of(place) {
                self.counters.cc_bad += 1;
            } else if lost > 0 {
                (*seen, *freed) = (cells, cells_after(*freed, lost));
                self.counters.cc_heal += u64::from(lost);
                healed.push(Healing { vc, cells: lost });
            }
        }
        healed
    }

    /// The counts of the CF_Update that is due, if one is: CELL_BATCH cells were freed, or CF_TIMER has run out. The second
    /// virtual channel is the next one that is due, or the one that was told longest ago.
    pub fn cf_update(&mut self, now: u64) -> Option<[CreditCount; 2]> {
        let is_due = |vc: &usize| {
            let news = cells_between(self.freed[*vc], self.told[*vc]);
            news >= self.settings.cell_batch
                || now.saturating_sub(self.told_at[*vc]) >= self.settings.cf_timer
        };
        let longest = |vc: &usize| self.told_at[*vc];
        let first = self.settings.vcs().filter(is_due).min_by_key(longest)?;
        let others = || self.settings.vcs().filter(|vc| *vc != first);
        let second = others().filter(is_due).min_by_key(longest).or_else(|| others().min_by_key(longest));
        self.counters.cf_tx += 1;
        Some([first, second.unwrap_or(first)].map(|vc| {
            (self.told[vc], self.told_at[vc]) = (self.freed[vc], now);
            CreditCount { vc: vc as u8, cells: self.freed[vc] }
        }))
    }
}
