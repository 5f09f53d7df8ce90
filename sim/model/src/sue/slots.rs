//! The replay slots that all connections share (chapter 50, 4.5 rule 2).

use super::config::SenderConfig;

/// How many slots each VC uses. Each has SLOT_MIN of its own; the rest is common.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SlotPool {
    slots: usize,
    slot_min: usize,
    used: Vec<usize>,
    /// Freed slots that a frame still reads: when it has left, and the VC.
    leaving: Vec<(u64, u8)>,
}

impl SlotPool {
    pub(super) fn new(config: &SenderConfig) -> Self {
        SlotPool {
            slots: config.slots,
            slot_min: config.slot_min,
            used: vec![0; config.vcs.into()],
            leaving: Vec::new(),
        }
    }

    /// Slots that `vc` uses at this time, those that are still being read included.
    pub(super) fn used(&self, vc: u8, now: u64) -> usize {
        let left = self.leaving.iter().filter(|&&(leaves, of)| of == vc && leaves <= now).count();
        self.used.get(usize::from(vc)).map_or(0, |used| used - left)
    }

    /// True if `vc` can have one more slot.
    pub(super) fn has_slot(&self, vc: u8, now: u64) -> bool {
        if usize::from(vc) >= self.used.len() {
            return false;
        }
        let used = |vc| self.used(vc, now);
        let all = 0..self.used.len() as u8;
        let common: usize = all.map(|vc| used(vc).saturating_sub(self.slot_min)).sum();
        used(vc) < self.slot_min || common < self.slots - self.slot_min * self.used.len()
    }

    pub(super) fn take(&mut self, vc: u8, now: u64) {
        let used = &mut self.used;
        self.leaving.retain(|&(leaves, of)| {
            let left = leaves <= now;
            if let (true, Some(used)) = (left, used.get_mut(usize::from(of))) {
                *used -= 1;
            }
            !left
        });
        if let Some(used) = self.used.get_mut(usize::from(vc)) {
            *used += 1;
        }
    }

    /// Frees a slot of `vc`, which a frame reads until `leaves`.
    pub(super) fn free(&mut self, vc: u8, leaves: u64) {
        self.leaving.push((leaves, vc));
    }

    /// Every slot is free.
    pub(super) fn clear(&mut self) {
        self.used.iter_mut().for_each(|used| *used = 0);
        self.leaving.clear();
    }
}
