//! Bytes by address.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// A memory shared by agents and test; bytes that were never written read as a pattern of their address.
#[derive(Clone, Debug, Default)]
pub struct AxiMemory {
    bytes: Rc<RefCell<HashMap<u64, u8>>>,
}

impl AxiMemory {
    /// An empty memory.
    pub fn new() -> Self {
        Self::default()
    }

    /// One byte.
    pub fn byte(&self, address: u64) -> u8 {
        let written = self.bytes.borrow().get(&address).copied();
        // Any spread of the address will do, as long as neighbours differ.
        written.unwrap_or((address ^ (address >> 8)).wrapping_mul(167) as u8)
    }

    /// Writes one byte.
    pub fn set_byte(&self, address: u64, byte: u8) {
        self.bytes.borrow_mut().insert(address, byte);
    }

    /// The bus word of `bytes` bytes that holds `address`, byte 0 at the word's own address.
    pub fn word(&self, address: u64, bytes: u64) -> u64 {
        let base = address & !(bytes - 1);
        (0..bytes).fold(0, |word, lane| word | u64::from(self.byte(base + lane)) << (8 * lane))
    }

    /// Writes the bytes of a bus word whose strobes are 1.
    pub fn set_word(&self, address: u64, bytes: u64, word: u64, strobes: u64) {
        let base = address & !(bytes - 1);
        for lane in (0..bytes).filter(|lane| strobes >> lane & 1 == 1) {
            self.set_byte(base + lane, (word >> (8 * lane)) as u8);
        }
    }
}

/// Strobes of the lanes that a beat at `address` of `size` bytes may use on a bus of `bytes` bytes.
pub(super) fn lanes(address: u64, size: u64, bytes: u64) -> u64 {
    let first = address & (bytes - 1);
    let end = (address & !(size - 1) & (bytes - 1)) + size;
    (first..end).fold(0, |strobes, lane| strobes | 1 << lane)
}
