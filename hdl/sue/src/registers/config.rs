//! What was built, as the registers show it.

use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::registers::PageBuild;
use flitforge_protocol::register::{Register as Row, RegisterValue};
use flitforge_protocol::sue::class::VCS;
use flitforge_protocol::sue::command::COMMAND_CELL_BYTES;
use flitforge_protocol::sue_registers::{self as page, Sizes, MAX_PORTS};

/// What was built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SueRegsConfig {
    /// Ports, slots, cells.
    pub sizes: Sizes,
    /// log2 of PEERS.
    pub peer_bits: u64,
    /// DW.
    pub data_bits: u64,
    /// IW.
    pub interface_bits: u64,
    /// PSN_PER_VC.
    pub psn_per_vc: bool,
    /// Counters start here: 0 but in tests of what happens at the end.
    pub started: u64,
}

impl Default for SueRegsConfig {
    /// The defaults of chapter 50.
    fn default() -> Self {
        Self {
            sizes: Sizes { ports: 1, slots: 32, slot_bytes: 2048, cells: 1024, lite: false },
            peer_bits: 6,
            data_bits: 64,
            interface_bits: 64,
            psn_per_vc: true,
            started: 0,
        }
    }
}

impl SueRegsConfig {
    /// Refuses what chapter 50 does not know.
    pub fn check(&self) -> Result<(), ConfigError> {
        let name = "sue_regs";
        let Sizes { ports, slots, slot_bytes, cells, .. } = self.sizes;
        check_range(name, "ports", ports, 1, MAX_PORTS as u64)?;
        check_power_of_two(name, "ports", ports, 1, MAX_PORTS as u64)?;
        check_power_of_two(name, "slots", slots, 4, 256)?;
        check_power_of_two(name, "slot_bytes", slot_bytes, 512, 4096)?;
        check_power_of_two(name, "cells", cells, 64, 4096)?;
        check_range(name, "peer_bits", self.peer_bits, 1, page::XPU_BITS as u64)?;
        check_one_of(name, "data_bits", self.data_bits, &[64, 128])?;
        check_one_of(name, "interface_bits", self.interface_bits, &[64, 128, 256])
    }
}

impl PageBuild for SueRegsConfig {
    fn power_on(&self, register: &Row) -> u64 {
        // What was checked always fits.
        match register.offset {
            page::ID => page::id::Value {
                lite: self.sizes.lite.into(),
                version: page::PAGE_VERSION,
                magic: page::PAGE_ID,
            }
            .encode()
            .unwrap_or_default(),
            page::CAP => page::cap::Value {
                ports: self.sizes.ports,
                virtual_channels: VCS as u64,
                peer_bits: self.peer_bits,
                slots: self.sizes.slots - 1,
                slot_cells: self.sizes.slot_bytes / COMMAND_CELL_BYTES as u64,
                data_octets: self.data_bits / 8,
                interface_octets: self.interface_bits / 8,
                psn_per_vc: self.psn_per_vc.into(),
            }
            .encode()
            .unwrap_or_default(),
            _ => self.sizes.power_on(register),
        }
    }
}
