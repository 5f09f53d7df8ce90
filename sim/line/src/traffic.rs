//! Numbered beats, and what becomes of them.

use crate::failure::{Failure, FailureKind};

/// Words of the widest beat: four flits.
pub const BEAT_WORDS: usize = 5;
/// Bits of a beat's number.
const NUMBER_BITS: u32 = 48;
const FLIT_BITS: usize = 65;

/// A beat's words.
pub type Beat = [u64; BEAT_WORDS];

fn mixed(end: usize, number: u64, flit: usize) -> u64 {
    let mut value = number.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ ((flit as u64) << 57) ^ end as u64;
    for _ in 0..2 {
        value = (value ^ value >> 31).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    }
    value ^ value >> 32
}

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

    /// Beats on their way, or lost at the end.
    pub fn outstanding(&self) -> u64 {
        self.sent - self.next
    }

    /// Beats that never came, if nothing is on its way any more.
    pub fn lost(&self) -> u64 {
        self.sent - self.received
    }

    /// The sender loses what is inside it, and its counters: what is lost up to here is not told.
    pub fn forgive_all(&mut self) {
        self.forgiven = self.lost();
    }

    /// The sender loses what is inside it.
    pub fn forgive_inside(&mut self) {
        self.forgiven += self.outstanding();
    }
}
