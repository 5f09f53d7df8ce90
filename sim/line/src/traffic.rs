//! Numbered beats, and what becomes of them.

use crate::content::{mixed, NUMBER_BITS};
use crate::failure::{Failure, FailureKind};
use crate::packets::Packets;

pub use crate::content::{Beat, BEAT_WORDS};

const FLIT_BITS: usize = 65;

/// Beat `number` of `end`: Body flits, the first of which carries the number.
pub fn beat(end: usize, number: u64, flits: usize) -> Beat {
    let mut words = [0; BEAT_WORDS];
    for flit in 0..flits {
        let mut data = mixed(end, number, flit);
        if flit == 0 {
            data = data << NUMBER_BITS | number;
        }
        let value = 1u128 << 64 | u128::from(data);
        let (low, place) = (FLIT_BITS * flit % 64, FLIT_BITS * flit / 64);
        words[place] |= (value << low) as u64;
        words[place + 1] |= (value << low >> 64) as u64;
    }
    words
}

/// One direction's beats.
#[derive(Clone, Debug)]
pub struct Traffic {
    end: usize,
    flits: usize,
    /// Chance per clock that a beat is offered.
    pub pace: f64,
    /// A beat is offered.
    pub offered: bool,
    /// Beats taken from the sender; the number of the one offered.
    pub sent: u64,
    /// That beat.
    pub beat: Beat,
    /// Beats delivered.
    pub received: u64,
    /// Number that is to come next.
    pub next: u64,
    /// Beats that may be lost without being told: the sender was cleared or lost power with them inside.
    pub forgiven: u64,
    /// In place of beats.
    pub packets: Option<Packets>,
}

impl Traffic {
    /// Beats of `end`.
    pub fn new(end: usize, flits: usize) -> Self {
        Self {
            end,
            flits,
            pace: 0.0,
            offered: false,
            sent: 0,
            beat: beat(end, 0, flits),
            received: 0,
            next: 0,
            forgiven: 0,
            packets: None,
        }
    }

    /// The beat offered is taken.
    #[inline]
    pub fn taken(&mut self) {
        self.offered = false;
        self.sent += 1;
        self.beat = beat(self.end, self.sent, self.flits);
    }

    /// A beat comes out at the other end.
    pub fn delivered(&mut self, words: &[u64]) -> Result<(), Failure> {
        let number = words[0] & ((1 << NUMBER_BITS) - 1);
        let expected = beat(self.end, number, self.flits);
        let from = self.end;
        if number >= self.sent || words != &expected[..words.len()] {
            let text = format!(
                "a beat came that end {from} never sent: {words:x?}; expected were beats {} to {}",
                self.next, self.sent
            );
            return Err(Failure::new(FailureKind::Altered, text));
        }
        if number < self.next {
            let text = format!("beat {number} of end {from} came again; expected was {}", self.next);
            return Err(Failure::new(FailureKind::Twice, text));
        }
        self.received += 1;
        self.next = number + 1;
        Ok(())
    }

    /// Beats or packets on their way, or lost at the end.
    pub fn outstanding(&self) -> u64 {
        self.packets.as_ref().map_or(self.sent - self.next, Packets::outstanding)
    }

    /// Beats or packets delivered.
    pub fn arrived(&self) -> u64 {
        self.packets.as_ref().map_or(self.received, |packets| packets.received)
    }

    /// Something is offered.
    pub fn is_offering(&self) -> bool {
        self.packets.as_ref().map_or(self.offered, Packets::is_offering)
    }

    /// Beats that never came, if nothing is on its way any more.
    pub fn lost(&self) -> u64 {
        self.packets.as_ref().map_or(self.sent, |packets| packets.sent) - self.arrived()
    }

    /// The sender loses what is inside it, and its counters: what is lost up to here is not told.
    pub fn forgive_all(&mut self) {
        self.forgiven = self.lost();
    }

    /// The sender loses what is inside it.
    pub fn forgive_inside(&mut self) {
        self.forgiven += self.outstanding();
    }

    /// The receiver is cleared: packets lie in its buffers.
    pub fn forgive_buffers(&mut self) {
        if let Some(packets) = &mut self.packets {
            packets.forget_receiver();
            self.forgiven += packets.outstanding();
        }
    }

    /// The sender is cleared or without power: nothing is offered.
    pub fn forget_offer(&mut self) {
        self.offered = false;
        if let Some(packets) = &mut self.packets {
            packets.forget_sender();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(beats: u64) -> Traffic {
        let mut traffic = Traffic::new(1, 2);
        (0..beats).for_each(|_| traffic.taken());
        traffic
    }

    #[test]
    fn what_comes_wrong_is_noticed() {
        let mut traffic = sent(5);
        traffic.delivered(&beat(1, 0, 2)).expect("as sent");
        traffic.delivered(&beat(1, 3, 2)).expect("two are missing");
        assert_eq!((traffic.outstanding(), traffic.lost()), (1, 3));
        for number in [0, 2, 3] {
            let again = traffic.delivered(&beat(1, number, 2)).expect_err("again, or after a later one");
            assert_eq!(again.kind, FailureKind::Twice);
        }
        let mut altered = beat(1, 4, 2);
        altered[1] ^= 1 << 40;
        for wrong in [altered, beat(1, 5, 2), beat(0, 4, 2)] {
            assert_eq!(traffic.delivered(&wrong).expect_err("never sent").kind, FailureKind::Altered);
        }
    }
}
