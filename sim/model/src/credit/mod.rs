//! Credits (chapter 10, 4.10): nobody sends what the other end has no buffer for.
//!
//! Buffers and credits are counted in allocation units (AU). [`CreditSender`] knows how many AU of each virtual lane it may still
//! fill; [`CreditReceiver`] knows how many are filled and how many are free and not yet returned, and decides when to
//! return them. On the way they are codes: in CrdtRet flits, or in the two sideband bits of LTPs of mode 1 ([`SidebandSender`],
//! [`SidebandReceiver`]). The sum of all four places is the buffer, always.

mod receiver;
mod sender;
mod sideband;
#[cfg(test)]
mod tests;

pub use receiver::CreditReceiver;
pub use sender::CreditSender;
pub use sideband::{SidebandReceiver, SidebandSender};

use flitforge_protocol::flit::MAX_VLS;
use flitforge_protocol::link::{allocation_unit_bytes, CREDIT_UNITS};
use flitforge_protocol::link_registers::{CREDIT_DELAY, V_AU};
use flitforge_protocol::packet::BYTES_PER_BODY;
use thiserror::Error;

/// Most AU a sender can have of one lane.
pub const MAX_CREDIT: u32 = 65_535;
/// Most lanes whose returns are left to the sideband of mode 1.
pub const SIDEBAND_LANES: usize = 2;

/// Credit codes of one CrdtRet flit, by lane.
pub type Codes = [u8; MAX_VLS];

/// Settings of both ends of one direction (registers CREDIT and CU), and the buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreditRules {
    /// vAU: an AU is 8 * 2^vAU bytes.
    pub v_au: u32,
    /// CU: AU of each credit code.
    pub units: [u8; 8],
    /// CRDT_DELAY in clocks.
    pub delay: u64,
    /// AU of buffer of each lane, NUM_VLS of them.
    pub buffers: Vec<u32>,
}

impl CreditRules {
    /// As registers are at reset.
    #[must_use]
    pub fn new(buffers: Vec<u32>) -> Self {
        CreditRules { v_au: V_AU as u32, units: CREDIT_UNITS, delay: CREDIT_DELAY, buffers }
    }

    /// Refuses what cannot work with `flits` flits per beat.
    pub fn check(&self, flits: usize) -> Result<(), CreditError> {
        if !(1..=MAX_VLS).contains(&self.buffers.len()) {
            return Err(CreditError::Lanes { lanes: self.buffers.len() });
        }
        if self.v_au > 7 || self.unit_flits() < flits {
            return Err(CreditError::Unit { v_au: self.v_au, flits });
        }
        if self.units[0] != 0 || !self.units.contains(&1) {
            return Err(CreditError::Units { units: self.units });
        }
        match self.buffers.iter().position(|units| *units > MAX_CREDIT) {
            Some(vl) => Err(CreditError::Buffer { vl, units: self.buffers[vl] }),
            None => Ok(()),
        }
    }

    /// Flits of an AU.
    #[must_use]
    pub fn unit_flits(&self) -> usize {
        allocation_unit_bytes(self.v_au) / BYTES_PER_BODY
    }

    /// AU of a credit code.
    #[must_use]
    pub fn units_of(&self, code: u8) -> u32 {
        self.units.get(usize::from(code)).copied().unwrap_or(0).into()
    }

    /// The code that returns most of `pending` AU, and its AU; code 0 if there is nothing to return.
    #[must_use]
    pub fn largest_code(&self, pending: u32) -> (u8, u32) {
        let fitting = self.units.iter().enumerate().filter(|(_, units)| u32::from(**units) <= pending);
        // Of codes of equal size the first.
        let (code, units) = fitting.rev().max_by_key(|(_, units)| **units).unwrap_or((0, &0));
        match units {
            0 => (0, 0),
            units => (code as u8, (*units).into()),
        }
    }
}

/// A setting or an input that cannot be.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CreditError {
    /// NUM_VLS out of range.
    #[error("credits: buffers of {lanes} lanes; give 1 to {MAX_VLS}")]
    Lanes {
        /// Given.
        lanes: usize,
    },
    /// An AU that is smaller than a beat, or no AU.
    #[error(
        "credits: vAU {v_au} with {flits} flits per beat; give 0 to 7, and an AU no smaller than a beat"
    )]
    Unit {
        /// Given.
        v_au: u32,
        /// Flits per beat.
        flits: usize,
    },
    /// A credit table that cannot return every number.
    #[error("credits: table {units:?}; the first entry must be 0 and one must be 1, so that every number can be returned")]
    Units {
        /// Given.
        units: [u8; 8],
    },
    /// More buffer than a sender can count.
    #[error("credits of virtual lane {vl}: buffer of {units} AU; give at most {MAX_CREDIT}")]
    Buffer {
        /// Lane.
        vl: usize,
        /// Given.
        units: u32,
    },
    /// A lane that is not there.
    #[error("credits: virtual lane {vl} of {lanes}")]
    NoLane {
        /// Given.
        vl: usize,
        /// NUM_VLS.
        lanes: usize,
    },
    /// Flits sent without credit for them.
    #[error("credits of virtual lane {vl}: {needed} AU needed, {available} there")]
    NoCredit {
        /// Lane.
        vl: usize,
        /// AU of the flits.
        needed: u32,
        /// AU there are.
        available: u32,
    },
    /// More credits than there can be (CREDIT_OVF); the counter stays where it was.
    #[error("credits of virtual lane {vl}: {units} AU more than there can be")]
    Overflow {
        /// Lane.
        vl: usize,
        /// AU too many.
        units: u32,
    },
}

/// How far the packets of a lane are in their current AU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Progress {
    flits: usize,
}

impl Progress {
    /// AU that `flits` more flits of the packet begin: one at its flits 0, AU/8, 2 AU/8, ...
    fn units(self, flits: usize, unit_flits: usize) -> u32 {
        let begun = |flits: usize| flits.div_ceil(unit_flits);
        (begun(self.flits + flits) - begun(self.flits)) as u32
    }

    fn advance(&mut self, flits: usize, ends: bool) {
        self.flits = if ends { 0 } else { self.flits + flits };
    }
}
