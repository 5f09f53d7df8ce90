//! Parameters of the credit blocks.

use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::beat::{flit_beat_bits, FLITS_PER_BEAT};
use flitforge_protocol::flit::MAX_VLS;
use flitforge_protocol::link::allocation_unit_bytes;

/// Largest vAU.
const MOST_V_AU: u32 = 7;

/// How the credits of a port are built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CreditConfig {
    /// NUM_VLS.
    pub lanes: usize,
    /// Bytes of receive buffer of each lane, VL_BUF.
    pub buffer: usize,
    /// Bits that count its AU.
    pub bits: usize,
}

impl Default for CreditConfig {
    /// The parameters of chapter 10, 4 and 4.11.
    fn default() -> Self {
        Self { lanes: 4, buffer: 16_384, bits: 12 }
    }
}

impl CreditConfig {
    /// Refuses what cannot be counted.
    pub fn check(&self, block: &str, flits: usize, flits_bits: usize) -> Result<(), ConfigError> {
        check_one_of(block, "flits", flits as u64, &FLITS_PER_BEAT.map(|f| f as u64))?;
        check_derived(block, "FLITS_W", flits_bits as u64, "65 F", flit_beat_bits(flits) as u64)?;
        check_range(block, "lanes", self.lanes as u64, 1, MAX_VLS as u64)?;
        check_range(block, "bits", self.bits as u64, 9, 16)?;
        // One AU at the largest, and no more than the counters hold at the smallest.
        let (smallest, largest) = (allocation_unit_bytes(0), allocation_unit_bytes(MOST_V_AU));
        let most = ((1 << self.bits) - 1) * smallest;
        check_range(block, "buffer", self.buffer as u64, largest as u64, most as u64)
    }

    /// AU of the buffer at each vAU.
    #[must_use]
    pub fn sizes(&self) -> Vec<u64> {
        (0..=MOST_V_AU).map(|v_au| (self.buffer / allocation_unit_bytes(v_au)) as u64).collect()
    }
}
