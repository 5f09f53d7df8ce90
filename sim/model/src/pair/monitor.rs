//! Watches what a link pair delivers, with knowledge that no end has.

use crate::retry::Token;
use thiserror::Error;

/// A promise of the link that was broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Violation {
    /// LTPs were left out.
    #[error("time {time}, from end {from}: LTP {found} delivered where {expected} was due: {} lost", found - expected)]
    Lost {
        /// Time.
        time: u64,
        /// End that sent it.
        from: usize,
        /// Index that was due.
        expected: u64,
        /// Index delivered.
        found: u64,
    },
    /// An LTP came twice, or after a later one.
    #[error("time {time}, from end {from}: LTP {found} delivered again where {expected} was due")]
    Repeated {
        /// Time.
        time: u64,
        /// End that sent it.
        from: usize,
        /// Index that was due.
        expected: u64,
        /// Index delivered.
        found: u64,
    },
    /// An LTP's content is not what was sent.
    #[error("time {time}, from end {from}: LTP {expected} delivered with other content")]
    Altered {
        /// Time.
        time: u64,
        /// End that sent it.
        from: usize,
        /// Index that was due.
        expected: u64,
    },
    /// A slot was written over before the peer had its LTP.
    #[error("time {time}, from end {from}: the slot of LTP {overwritten} is reused, but the peer has only {accepted}")]
    Overwritten {
        /// Time.
        time: u64,
        /// End whose slot it is.
        from: usize,
        /// Index of the LTP in the slot.
        overwritten: u64,
        /// LTPs the peer has accepted.
        accepted: u64,
    },
    /// A time flit of a replayed LTP was delivered.
    #[error("time {time}, from end {from}: time flit of replayed LTP {index} delivered")]
    StaleTime {
        /// Time.
        time: u64,
        /// End that sent it.
        from: usize,
        /// Index of the LTP.
        index: u64,
    },
}

/// One direction of the link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Monitor {
    from: usize,
    slots: u64,
    /// Originals sent.
    sent: u64,
    /// LTPs delivered in order; the index due next.
    due: u64,
    /// LTPs given up when the link started afresh.
    pub lost_on_reset: u64,
    first: Option<Violation>,
    violations: u64,
    overwrites: u64,
}

impl Monitor {
    /// A monitor of what end `from` sends out of a buffer of `slots` slots.
    #[must_use]
    pub const fn new(from: usize, slots: usize) -> Self {
        let slots = slots as u64;
        Monitor { from, slots, sent: 0, due: 0, lost_on_reset: 0, first: None, violations: 0, overwrites: 0 }
    }

    /// Index of the next original.
    #[must_use]
    pub const fn sent(&self) -> u64 {
        self.sent
    }

    /// LTPs delivered, or given up on a reset.
    #[must_use]
    pub const fn delivered(&self) -> u64 {
        self.due - self.lost_on_reset
    }

    /// The first broken promise.
    #[must_use]
    pub const fn first(&self) -> Option<Violation> {
        self.first
    }

    /// Broken promises.
    #[must_use]
    pub const fn violations(&self) -> u64 {
        self.violations
    }

    /// Slots written over before their LTP was accepted.
    #[must_use]
    pub const fn overwrites(&self) -> u64 {
        self.overwrites
    }

    fn report(&mut self, violation: Violation) {
        self.violations += 1;
        self.first.get_or_insert(violation);
    }

    /// An original LTP takes a slot. What the slot held must be at the peer.
    pub fn original(&mut self, time: u64) {
        let (from, accepted) = (self.from, self.due);
        if self.sent >= accepted + self.slots {
            self.overwrites += 1;
            let overwritten = self.sent - self.slots;
            self.report(Violation::Overwritten { time, from, overwritten, accepted });
        }
        self.sent += 1;
    }

    /// The peer delivered this; `late` if from a replayed LTP.
    pub fn deliver(&mut self, time: u64, token: &Token, late: bool) {
        let (from, expected, found) = (self.from, self.due, token.index);
        if late && token.time_flits > 0 {
            self.report(Violation::StaleTime { time, from, index: found });
        }
        if token.check != Token::new(from, found, 0).check {
            self.report(Violation::Altered { time, from, expected });
        } else if found > expected {
            self.report(Violation::Lost { time, from, expected, found });
            self.due = found; // one report for one gap
        } else if found < expected {
            self.report(Violation::Repeated { time, from, expected, found });
            return;
        }
        self.due += 1;
    }

    /// The link starts afresh: what was sent and not delivered is gone.
    pub fn reset(&mut self) {
        self.lost_on_reset += self.sent - self.due;
        self.due = self.sent;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn deliver(indices: &[u64]) -> Monitor {
        let mut monitor = Monitor::new(1, 16);
        indices.iter().for_each(|&index| monitor.deliver(9, &Token::new(1, index, 0), false));
        monitor
    }

    #[test]
    fn every_kind_of_failure_is_seen() {
        assert_eq!(deliver(&[0, 1, 2]).first(), None);
        let lost = deliver(&[0, 2, 3]);
        assert_eq!(lost.first(), Some(Violation::Lost { time: 9, from: 1, expected: 1, found: 2 }));
        assert_eq!(lost.violations(), 1);
        assert!(matches!(deliver(&[0, 1, 1]).first(), Some(Violation::Repeated { found: 1, .. })));
        let mut altered = Monitor::new(1, 16);
        altered.deliver(0, &Token::new(0, 0, 0), false);
        assert!(matches!(altered.first(), Some(Violation::Altered { .. })), "the other direction's token");
        let mut stale = Monitor::new(1, 16);
        stale.deliver(0, &Token::new(1, 0, 2), true);
        assert!(matches!(stale.first(), Some(Violation::StaleTime { .. })));
    }

    #[test]
    fn a_slot_may_be_reused_only_when_its_ltp_is_there() {
        let mut monitor = Monitor::new(0, 16);
        (0..16).for_each(|time| monitor.original(time));
        assert_eq!(monitor.first(), None);
        monitor.deliver(16, &Token::new(0, 0, 0), false);
        monitor.original(17);
        assert_eq!(monitor.first(), None);
        monitor.original(18);
        let overwritten = Violation::Overwritten { time: 18, from: 0, overwritten: 1, accepted: 1 };
        assert_eq!((monitor.first(), monitor.overwrites()), (Some(overwritten), 1));
    }
}
