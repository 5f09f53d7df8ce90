//! How a switch is built and set, and what cannot be.

use crate::credit::{CreditError, CreditRules};
use crate::packet::{PacketRules, RulesError};
use crate::vl::{InterleaveRules, VlError, VlRules};
use flitforge_protocol::link_registers::{AGE, MIN_RUN, V_AU};
use flitforge_protocol::packet::{packet_flits, MAX_PAYLOAD_BYTES};
use flitforge_protocol::switch::{
    ADDRESS_BITS, LIFE_CLOCKS, MAX_ADDRESS_BITS, MAX_PORTS, MIN_ADDRESS_BITS, MIN_PORTS, PORTS,
    VL_BUFFER_BYTES,
};
use thiserror::Error;

/// How a switch is built; the same for all of its ports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SwitchRules {
    /// PORTS, without the internal one.
    pub ports: usize,
    /// ADDR_W.
    pub address_bits: usize,
    /// VL_BUF: bytes of buffer for each input and virtual lane.
    pub buffer_bytes: usize,
    /// F, MTU, NUM_VLS.
    pub packets: PacketRules,
    /// vAU.
    pub v_au: u32,
    /// The interleaver of each output.
    pub interleave: InterleaveRules,
}

impl SwitchRules {
    /// As the registers of ports are at reset.
    #[must_use]
    pub fn new(ports: usize, packets: PacketRules) -> Self {
        let interleave = InterleaveRules {
            lanes: vec![VlRules::default(); packets.lanes],
            min_run: MIN_RUN as u8,
            age: AGE as u16,
        };
        SwitchRules {
            ports,
            address_bits: ADDRESS_BITS,
            buffer_bytes: VL_BUFFER_BYTES,
            packets,
            v_au: V_AU as u32,
            interleave,
        }
    }

    /// Refuses what no hardware is built for.
    pub fn check(&self) -> Result<(), SwitchError> {
        let wrong = |parameter, value, expected: &str| {
            Err(SwitchError::Parameter { parameter, value, expected: expected.into() })
        };
        if !(MIN_PORTS..=MAX_PORTS).contains(&self.ports) {
            return wrong("PORTS", self.ports, "2 to 16");
        }
        if !(MIN_ADDRESS_BITS..=MAX_ADDRESS_BITS).contains(&self.address_bits) {
            return wrong("ADDR_W", self.address_bits, "6 to 14");
        }
        self.packets.check()?;
        self.interleave.check()?;
        if self.interleave.lanes.len() != self.packets.lanes {
            let expected = format!("settings of {} lanes", self.packets.lanes);
            return wrong("NUM_VLS", self.interleave.lanes.len(), &expected);
        }
        self.credits().check(self.packets.flits)?;
        let needed = self.packet_units(self.packets.mtu) as usize * self.unit_bytes();
        if self.buffer_bytes < needed || self.buffer_bytes % self.unit_bytes() != 0 {
            let expected = format!(
                "whole AU of {} bytes, {needed} bytes or more: a packet of the MTU",
                self.unit_bytes()
            );
            return wrong("VL_BUF", self.buffer_bytes, &expected);
        }
        Ok(())
    }

    /// Bytes of an AU.
    #[must_use]
    pub fn unit_bytes(&self) -> usize {
        flitforge_protocol::link::allocation_unit_bytes(self.v_au)
    }

    /// AU of the buffer of an input and lane.
    #[must_use]
    pub fn buffer_units(&self) -> u32 {
        (self.buffer_bytes / self.unit_bytes()) as u32
    }

    /// Credits of a link with such a switch behind it.
    #[must_use]
    pub fn credits(&self) -> CreditRules {
        CreditRules { v_au: self.v_au, ..CreditRules::new(vec![self.buffer_units(); self.packets.lanes]) }
    }

    /// AU of a packet of `len` bytes.
    #[must_use]
    pub fn packet_units(&self, len: usize) -> u32 {
        packet_flits(len).div_ceil(self.credits().unit_flits()) as u32
    }
}

impl Default for SwitchRules {
    fn default() -> Self {
        let packets = PacketRules { flits: 2, mtu: MAX_PAYLOAD_BYTES, lanes: 4, management: true };
        SwitchRules::new(PORTS, packets)
    }
}

/// Registers of the switch page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SwitchSettings {
    /// LIFE, clocks; 0: packets live for ever.
    pub life: u64,
    /// ADAPT_VL: lanes that may take the alternative path.
    pub adapt_lanes: u16,
    /// MARK_AU; 0: off.
    pub mark_units: u16,
}

impl Default for SwitchSettings {
    fn default() -> Self {
        SwitchSettings { life: LIFE_CLOCKS, adapt_lanes: 0, mark_units: 0 }
    }
}

/// A switch nobody builds, or input that does not belong to it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SwitchError {
    /// A parameter out of range.
    #[error("switch: {parameter} = {value}; give {expected}")]
    Parameter {
        /// Its name.
        parameter: &'static str,
        /// Given.
        value: usize,
        /// What is allowed.
        expected: String,
    },
    /// A port that is not there.
    #[error("switch: port {port} of {ports}")]
    NoPort {
        /// Given.
        port: usize,
        /// PORTS.
        ports: usize,
    },
    /// A route beyond the table.
    #[error("switch: route {index}; the table has {entries} entries")]
    NoRoute {
        /// Given.
        index: usize,
        /// Size of the table.
        entries: usize,
    },
    /// F, MTU or NUM_VLS.
    #[error(transparent)]
    Packets(#[from] RulesError),
    /// Virtual lanes.
    #[error(transparent)]
    Lanes(#[from] VlError),
    /// Credits: CREDIT_OVF, after which the link has to start afresh.
    #[error(transparent)]
    Credit(#[from] CreditError),
}
