//! Answers to an address with a memory.

use super::{I2cDevice, I2cLevels, I2cPulls};
use crate::kit::random::{rng, Rng};
use crate::kit::Coverage;
use rand::Rng as _;
use std::ops::RangeInclusive;

/// Where in a transfer the target is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Not spoken to.
    Idle,
    Address,
    Write,
    Read,
}

/// A target with 256 octets of memory: the first octet of a write sets the pointer, further ones are stored there, and
/// reads go on from it. It may stretch the clock after every octet.
pub struct I2cTarget {
    address: u8,
    memory: Vec<u8>,
    pointer: u8,
    pointed: bool,
    phase: Phase,
    /// Rising edges of this octet, the acknowledge's among them.
    rises: u32,
    shift: u8,
    refused: bool,
    last: I2cLevels,
    pulls: I2cPulls,
    stretch: RangeInclusive<u32>,
    left: u32,
    rng: Rng,
    stretched: u64,
}

impl I2cTarget {
    /// A target with a 7-bit address.
    pub fn new(address: u8, seed: u64) -> Self {
        Self {
            address,
            memory: vec![0; 256],
            pointer: 0,
            pointed: false,
            phase: Phase::Idle,
            rises: 0,
            shift: 0,
            refused: false,
            last: I2cLevels { scl: true, sda: true },
            pulls: I2cPulls::default(),
            stretch: 0..=0,
            left: 0,
            rng: rng(seed, "i2c target"),
            stretched: 0,
        }
    }

    /// Holds the clock low for so many clocks of the bench after every octet.
    pub fn stretching(mut self, clocks: RangeInclusive<u32>) -> Self {
        self.stretch = clocks;
        self
    }

    /// An octet of the memory.
    pub fn octet(&self, at: u8) -> u8 {
        self.memory[usize::from(at)]
    }

    fn rise(&mut self, sda: bool) {
        self.rises += 1;
        match (self.phase, self.rises) {
            (Phase::Address | Phase::Write, 1..=8) => self.shift = self.shift << 1 | u8::from(sda),
            (Phase::Read, 9) => self.refused = sda,
            _ => {}
        }
    }

    fn fall(&mut self) {
        match (self.phase, self.rises) {
            (Phase::Address, 8) if self.shift >> 1 != self.address => self.phase = Phase::Idle,
            (Phase::Address, 8) => self.pulls.sda = true,
            (Phase::Write, 8) => {
                self.store();
                self.pulls.sda = true;
            }
            (Phase::Read, 8) => self.pulls.sda = false,
            (_, 9) => self.next_octet(),
            (Phase::Read, rises @ 1..=7) => self.pulls.sda = self.shift >> (7 - rises) & 1 == 0,
            _ => {}
        }
        if self.rises == 8 && self.phase != Phase::Idle {
            let (low, high) = (*self.stretch.start(), *self.stretch.end());
            self.left = self.rng.random_range(low..=high.max(low));
            self.stretched += u64::from(self.left > 0);
        }
    }

    fn store(&mut self) {
        if self.pointed {
            self.memory[usize::from(self.pointer)] = self.shift;
            self.pointer = self.pointer.wrapping_add(1);
        } else {
            (self.pointer, self.pointed) = (self.shift, true);
        }
    }

    fn next_octet(&mut self) {
        self.rises = 0;
        self.pulls.sda = false;
        self.phase = match (self.phase, self.shift & 1 == 1) {
            (Phase::Address, true) => Phase::Read,
            (Phase::Address, false) => Phase::Write,
            (Phase::Read, _) if self.refused => Phase::Idle,
            (phase, _) => phase,
        };
        if self.phase == Phase::Read {
            self.shift = self.octet(self.pointer);
            self.pointer = self.pointer.wrapping_add(1);
            self.pulls.sda = self.shift >> 7 == 0;
        }
    }
}

impl I2cDevice for I2cTarget {
    fn tick(&mut self, levels: I2cLevels) -> I2cPulls {
        let last = std::mem::replace(&mut self.last, levels);
        let both_high = last.scl && levels.scl;
        match (both_high, last.sda, levels.sda) {
            (true, true, false) => {
                (self.phase, self.rises, self.pointed) = (Phase::Address, 0, false);
                self.pulls.sda = false;
            }
            (true, false, true) => self.phase = Phase::Idle,
            _ if !last.scl && levels.scl => self.rise(levels.sda),
            _ if last.scl && !levels.scl => self.fall(),
            _ => {}
        }
        if self.phase == Phase::Idle {
            self.pulls.sda = false;
        }
        self.pulls.scl = self.left > 0;
        self.left = self.left.saturating_sub(1);
        self.pulls
    }

    fn coverage(&self, name: &str, into: &mut Coverage) {
        into.add(format!("{name}.octets_stretched"), self.stretched);
    }
}
