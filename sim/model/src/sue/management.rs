//! Frames that the host injects and extracts (chapter 50, 4.8).

use super::format::frame::{demultiplex, FrameFor};
use super::format::network::Network;
use flitforge_protocol::sue::network::addresses;
use flitforge_protocol::sue_registers::{MANAGEMENT_BYTES, MANAGEMENT_BYTES_MIN};
use thiserror::Error;

/// Octets of a word of INJ_DATA and EXT_DATA.
const WORD_BYTES: usize = 8;
/// Octets of a MAC address.
const ADDRESS_BYTES: usize = addresses::WIDTH / 16;

/// Why a frame is not injected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Error)]
pub enum InjectRefusal {
    /// No Ethernet frame, or larger than the FIFO.
    #[error("a frame of {octets} octets: {MANAGEMENT_BYTES_MIN} to {MANAGEMENT_BYTES}")]
    Length {
        /// Octets of the frame.
        octets: usize,
    },
    /// The frame before has not left.
    #[error("the frame before has not left")]
    Busy,
    /// Not all of it was written.
    #[error("a frame of {octets} octets, but {words} words were written")]
    Short {
        /// Octets of the frame.
        octets: usize,
        /// Words that were written for it.
        words: usize,
    },
}

/// The frame that the host makes of words: one at a time, one per INJ_GAP clocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Injector {
    gap: u64,
    words: Vec<u64>,
    frame: Option<Vec<u8>>,
    token_at: u64,
}

impl Injector {
    /// Without words; the first token is there. INJ_GAP is refused below 20,000 where it is written.
    #[must_use]
    pub const fn new(gap: u64) -> Self {
        Self { gap, words: vec![], frame: None, token_at: 0 }
    }

    /// INJ_GAP is written; it counts from the next frame on.
    pub const fn set_gap(&mut self, gap: u64) {
        self.gap = gap;
    }

    /// INJ_DATA: a word of the next frame, octet 0 in bits 7:0.
    pub fn word(&mut self, word: u64) {
        self.words.push(word);
    }

    /// INJ_CTL.go: the words so far are a frame of so many octets; those beyond go away. A refused one keeps its words.
    pub fn order(&mut self, octets: usize) -> Result<(), InjectRefusal> {
        if self.frame.is_some() {
            return Err(InjectRefusal::Busy);
        }
        if !(MANAGEMENT_BYTES_MIN..=MANAGEMENT_BYTES).contains(&octets) {
            return Err(InjectRefusal::Length { octets });
        }
        let words = self.words.len();
        if words * WORD_BYTES < octets {
            return Err(InjectRefusal::Short { octets, words });
        }
        let written = std::mem::take(&mut self.words);
        self.frame = Some(written.iter().flat_map(|word| word.to_le_bytes()).take(octets).collect());
        Ok(())
    }

    /// The frame that begins to leave at this clock, if there is one and a token.
    pub fn leave(&mut self, now: u64) -> Option<Vec<u8>> {
        let frame = self.frame.take_if(|_| now >= self.token_at)?;
        self.token_at = now + self.gap;
        Some(frame)
    }

    /// Forgets words and frame; the token stays away as long as before.
    pub fn clear(&mut self) {
        self.words.clear();
        self.frame = None;
    }
}

/// Whether a good frame without FCS is for the host: neither a PDU, nor an event frame, nor MAC control; its address is that of this port, or a group.
#[must_use]
pub fn is_extracted(frame: &[u8], network: &Network) -> bool {
    let own = network.own_mac().map(|mac| mac.to_be_bytes());
    let destination = frame.get(..ADDRESS_BYTES);
    let is_own = own.is_ok_and(|own| destination == Some(&own[own.len() - ADDRESS_BYTES..]));
    let is_group = destination.is_some_and(|octets| octets[0] & 1 == 1);
    (is_own || is_group) && demultiplex(frame, network) == Ok(FrameFor::Extraction)
}
