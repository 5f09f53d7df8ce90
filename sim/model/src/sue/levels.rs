//! Thresholds of the packer's queues (chapter 50, 4.1 rule 2).

use super::QueueKey;
use std::collections::BTreeMap;

/// How full each queue is, and whether its XPU is to hold back.
#[derive(Clone, Debug)]
pub struct QueueLevels {
    high: u32,
    low: u32,
    levels: BTreeMap<QueueKey, (u32, bool)>,
}

impl QueueLevels {
    /// Empty queues with QHI and QLO in cells.
    #[must_use]
    pub fn new(high: u32, low: u32) -> Self {
        Self { high, low, levels: BTreeMap::new() }
    }

    /// A command of so many cells is in its queue; whether its XPU is to hold back, if that has changed.
    pub fn arrive(&mut self, key: QueueKey, cells: u32) -> Option<bool> {
        self.change(key, |level| level + cells)
    }

    /// A cell of the queue was read; whether its XPU is to hold back, if that has changed. An empty queue stays so.
    pub fn leave(&mut self, key: QueueKey) -> Option<bool> {
        self.change(key, |level| level.saturating_sub(1))
    }

    fn change(&mut self, key: QueueKey, to: impl Fn(u32) -> u32) -> Option<bool> {
        let (level, on) = self.levels.entry(key).or_default();
        *level = to(*level);
        let before = std::mem::replace(on, *level >= self.high || *on && *level > self.low);
        (*on != before).then_some(*on)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_queue_crosses_its_thresholds_once_each_way() {
        let key = QueueKey { destination: 3, vc: 1 };
        let mut levels = QueueLevels::new(4, 2);
        assert_eq!([3, 1, 1].map(|cells| levels.arrive(key, cells)), [None, Some(true), None]);
        assert_eq!([0; 4].map(|_| levels.leave(key)), [None, None, Some(false), None]);
        let mut equal = QueueLevels::new(2, 2);
        assert_eq!([equal.arrive(key, 2), equal.arrive(key, 1)], [Some(true), None]);
        assert_eq!([0; 3].map(|_| equal.leave(key)), [None, Some(false), None]);
    }
}
