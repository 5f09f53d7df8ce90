//! The additive scrambler of data words (chapter 10, 3.6).

use flitforge_protocol::lane_word::scrambler::{OUTPUT_BIT, SEEDS, TAP_MASK, WIDTH};
use flitforge_protocol::lane_word::MAX_LANES;
use thiserror::Error;

/// The scrambler's register. Scrambling and descrambling are the same operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scrambler {
    register: u32,
    taps: u32,
}

/// A physical lane without a seed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("scrambler of physical lane {lane}: lanes are 0 to {}", MAX_LANES - 1)]
pub struct LaneError {
    /// The lane asked for.
    pub lane: usize,
}

impl Scrambler {
    /// The scrambler of a physical lane as the start row loads it.
    pub fn new(lane: usize) -> Result<Self, LaneError> {
        let register = *SEEDS.get(lane).ok_or(LaneError { lane })?;
        Ok(Scrambler { register, taps: TAP_MASK })
    }

    /// The same register with other taps (a mask of register bits), to study other sequences.
    #[must_use]
    pub const fn with_taps(self, taps: u32) -> Self {
        Scrambler { register: self.register, taps }
    }

    /// The sequence after the last bits of a word of it, whatever lane's it is; `None` if they are all 0, which no 23
    /// bits of it are.
    #[must_use]
    pub fn after(word: u32) -> Option<Self> {
        // Bit k of the sequence's next 23 bits is bit 22 - k of the register.
        let last = word >> (u32::BITS as usize - WIDTH);
        let register = (0..WIDTH).fold(0, |register, bit| register | (last >> bit & 1) << (WIDTH - 1 - bit));
        let mut scrambler = Scrambler { register, taps: TAP_MASK };
        for _ in 0..WIDTH {
            scrambler.next_bit();
        }
        (register != 0).then_some(scrambler)
    }

    /// The next bit of the sequence.
    pub const fn next_bit(&mut self) -> bool {
        let out = self.register >> OUTPUT_BIT & 1 == 1;
        let new = (self.register & self.taps).count_ones() & 1;
        self.register = (self.register << 1 | new) & ((1 << WIDTH) - 1);
        out
    }

    /// The next 32 bits, the first in bit 0.
    pub fn next_word(&mut self) -> u32 {
        (0..32).fold(0, |word, bit| word | u32::from(self.next_bit()) << bit)
    }

    /// A data word scrambled or descrambled.
    pub fn apply(&mut self, word: u32) -> u32 {
        word ^ self.next_word()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flitforge_protocol::lane_word::scrambler::PERIOD;

    #[test]
    fn the_period_is_maximal() {
        let start = Scrambler::new(0).expect("lane 0");
        let mut running = start;
        let mut period = 0;
        loop {
            running.next_bit();
            period += 1;
            if running == start {
                break;
            }
            assert!(period <= PERIOD, "longer than the period");
        }
        assert_eq!(period, PERIOD);
    }

    #[test]
    fn lane_4_does_not_exist() {
        assert_eq!(Scrambler::new(4), Err(LaneError { lane: 4 }));
    }
}
