//! The counters of a port (chapter 10, 5).

use flitforge_protocol::counter::{LinkCounter, COUNTER_MAX, LINK_COUNTERS};
use std::fmt;

/// One value for each counter of a port. Counters saturate at 48 bits.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Counters([u64; LINK_COUNTERS]);

impl Counters {
    /// All zero.
    #[must_use]
    pub const fn new() -> Self {
        Counters([0; LINK_COUNTERS])
    }

    /// Counts one event.
    pub fn count(&mut self, counter: LinkCounter) {
        self.add(counter, 1);
    }

    /// Counts `events` events.
    pub fn add(&mut self, counter: LinkCounter, events: u64) {
        let value = &mut self.0[usize::from(counter.code())];
        *value = value.saturating_add(events).min(COUNTER_MAX);
    }

    /// The value of a counter.
    #[must_use]
    pub fn get(&self, counter: LinkCounter) -> u64 {
        self.0[usize::from(counter.code())]
    }

    /// Adds the values of another set, as when blocks of one port count into one page.
    pub fn merge(&mut self, other: &Counters) {
        self.0.iter_mut().zip(other.0).for_each(|(sum, value)| *sum = (*sum + value).min(COUNTER_MAX));
    }

    /// Name and value of every counter that is not zero, in the order of the registers.
    pub fn nonzero(&self) -> impl Iterator<Item = (&'static str, u64)> + '_ {
        LinkCounter::ALL
            .iter()
            .map(|&counter| (counter.name(), self.get(counter)))
            .filter(|&(_, value)| value > 0)
    }
}

impl Default for Counters {
    fn default() -> Self {
        Counters::new()
    }
}

impl fmt::Debug for Counters {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_map().entries(self.nonzero()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_saturate_at_48_bits() {
        let mut counters = Counters::new();
        counters.add(LinkCounter::RxBad, COUNTER_MAX - 1);
        counters.count(LinkCounter::RxBad);
        counters.count(LinkCounter::RxBad);
        counters.merge(&counters.clone());
        assert_eq!(counters.get(LinkCounter::RxBad), COUNTER_MAX);
        assert_eq!(format!("{counters:?}"), r#"{"RX_BAD": 281474976710655}"#);
    }
}
