//! Parameters of the packet blocks.

use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::beat::{flit_beat_bits, FLITS_PER_BEAT};
use flitforge_protocol::flit::MAX_VLS;
use flitforge_protocol::packet::{word_bits, word_count_bits, word_data_bits, MAX_PAYLOAD_BYTES, MIN_MTU};

/// How a port that sends and receives packets is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketConfig {
    /// MTU in bytes.
    pub mtu: usize,
    /// NUM_VLS.
    pub lanes: usize,
    /// Management is built in: the highest lane is its own.
    pub management: bool,
}

impl Default for PacketConfig {
    /// The common parameters of chapter 10, 4.
    fn default() -> Self {
        Self { mtu: MAX_PAYLOAD_BYTES, lanes: 4, management: false }
    }
}

impl PacketConfig {
    /// Refuses what chapter 10 does not know.
    pub fn check(&self, block: &str) -> Result<(), ConfigError> {
        check_range(block, "mtu", self.mtu as u64, MIN_MTU as u64, MAX_PAYLOAD_BYTES as u64)?;
        check_range(block, "lanes", self.lanes as u64, if self.management { 2 } else { 1 }, MAX_VLS as u64)
    }
}

/// Widths that follow from the flits per beat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketWidths {
    /// Flits per beat, `F`.
    pub flits: usize,
    /// Bits of a beat, `FLITS_W`.
    pub flits_bits: usize,
    /// Data bits of a word, `DATA_W`.
    pub data_bits: usize,
    /// Bits of a word, `WORD_W`.
    pub word_bits: usize,
    /// Bits that count a word's bytes, `BYTES_W`.
    pub bytes_bits: usize,
}

impl PacketWidths {
    /// Refuses derived widths that do not fit.
    pub fn check(&self, block: &str) -> Result<(), ConfigError> {
        let f = self.flits;
        check_one_of(block, "flits", f as u64, &FLITS_PER_BEAT.map(|f| f as u64))?;
        let derived = |parameter, value: usize, formula, derived: usize| {
            check_derived(block, parameter, value as u64, formula, derived as u64)
        };
        derived("FLITS_W", self.flits_bits, "65 F", flit_beat_bits(f))?;
        derived("DATA_W", self.data_bits, "64 F", word_data_bits(f))?;
        derived("WORD_W", self.word_bits, "64 F + BYTES_W + 1", word_bits(f))?;
        derived("BYTES_W", self.bytes_bits, "log2(8 F) + 1", word_count_bits(f))
    }
}
