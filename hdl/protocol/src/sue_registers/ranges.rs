//! What a write of an instance's registers may hold, and what they hold after power-on where that depends on what was built.

use super::*;
use crate::field_range::FieldRange;
use crate::register::Register;
use crate::sue::class::VCS;
use crate::sue::command::MAX_COMMAND_BYTES;
use crate::sue::esun::{self, EsunPayload};
use crate::sue::network::{HeaderFormat, HOP, TTL};
use crate::sue::{MAX_BODY_BYTES, MAX_LITE_BODY_BYTES, PACK_MAX};

/// Registers that are written only while CTRL.enable is 0: their values hold still while there are frames.
pub const LOCKED: &[u32] = &[
    LOCAL, PACK, REL0, REL1, FMT, ETYPE, IP_BASE, IP6_HI, IP6_MID, REST, CLASS0, CLASS1, CLASS2, CLASS3,
    CLASS4, CLASS5, TYPE_CFG0, TYPE_CFG1, QTH,
];

/// What was built, as far as ranges depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// Ports.
    pub ports: u64,
    /// Replay slots.
    pub slots: u64,
    /// Octets of a slot.
    pub slot_bytes: u64,
    /// Cells.
    pub cells: u64,
    /// SUE Lite.
    pub lite: bool,
}

impl Sizes {
    /// Largest PACK_MAX.
    #[must_use]
    pub const fn pack_most(&self) -> u64 {
        let most = if self.lite { MAX_LITE_BODY_BYTES } else { MAX_BODY_BYTES } as u64;
        if self.slot_bytes < most {
            self.slot_bytes
        } else {
            most
        }
    }

    /// PACK_MAX after power-on.
    #[must_use]
    pub const fn pack_default(&self) -> u64 {
        if self.pack_most() < PACK_MAX as u64 {
            self.pack_most()
        } else {
            PACK_MAX as u64
        }
    }

    /// Initial credits after power-on, and the most: cells that each virtual channel may have.
    #[must_use]
    pub const fn credits(&self) -> u64 {
        self.cells / VCS as u64 - CELLS_KEPT
    }

    /// FMT after power-on.
    #[must_use]
    pub const fn format_default(&self) -> u64 {
        let format = if self.lite { HeaderFormat::AfhGen2Compressed } else { HeaderFormat::AfhGen2 };
        format as u64
            | (HOP as u64) << fmt::hop::LOW
            | (TTL as u64) << fmt::ttl::LOW
            | (esun::ETHERTYPE as u64) << fmt::esun_ethertype::LOW
    }

    /// Value of a register after power-on.
    #[must_use]
    pub const fn power_on(&self, register: &Register) -> u64 {
        match register.offset {
            PACK => self.pack_default() | 1 << 16 | 1 << 24 | 1 << 32 | 1 << 40,
            FMT => self.format_default(),
            QTH => QUEUE_THRESHOLDS.0 | QUEUE_THRESHOLDS.1 << 16 | self.credits() << 32,
            _ => match register.reset {
                Reset::Value(value) => value,
                Reset::Build | Reset::Undescribed => 0,
            },
        }
    }

    /// What fields may hold; those that are not here may hold anything.
    #[must_use]
    pub fn ranges(&self) -> Vec<FieldRange> {
        let formats = match self.lite {
            true => (HeaderFormat::AfhGen2Compressed as u64, HeaderFormat::AfhGen2Compressed as u64),
            false => (0, HeaderFormat::Esun as u64),
        };
        let most = u64::MAX;
        vec![
            FieldRange::new(LOCAL, "xpu", 0, (1 << XPU_BITS) - 1),
            FieldRange::new(PACK, "most", MAX_COMMAND_BYTES as u64, self.pack_most()),
            FieldRange::new(PACK, "weight_0", 1, most),
            FieldRange::new(PACK, "weight_1", 1, most),
            FieldRange::new(PACK, "weight_2", 1, most),
            FieldRange::new(PACK, "weight_3", 1, most),
            FieldRange::new(REL0, "window", 1, most),
            FieldRange::new(REL0, "acknowledgment_coalesce", 1, most),
            FieldRange::new(REL0, "slot_min", 1, self.slots / VCS as u64),
            FieldRange::new(REL1, "timeout", 1, most),
            FieldRange::new(REL1, "management_timeout", 1, most),
            FieldRange::new(REL1, "management_tries", 1, most),
            FieldRange::new(FMT, "format", formats.0, formats.1),
            FieldRange::new(FMT, "esun_payload", 0, EsunPayload::Ipv6 as u64),
            FieldRange::new(FMT, "esun_ethertype", ETHERTYPE_MIN, most),
            FieldRange::new(ETYPE, "afh1", ETHERTYPE_MIN, most),
            FieldRange::new(ETYPE, "sue", ETHERTYPE_MIN, most),
            FieldRange::new(ETYPE, "lite", ETHERTYPE_MIN, most),
            FieldRange::new(TYPE_CFG0, "type_0", 0, 0),
            FieldRange::new(QTH, "initial_credits", 1, self.credits()),
            FieldRange::new(TBL_ADDR, "table", 0, Table::Reach as u64),
            FieldRange::new(INJ_CTL, "octets", 0, MANAGEMENT_BYTES as u64),
            FieldRange::new(INJ_CTL, "port", 0, self.ports - 1),
            FieldRange::new(INJ_GAP, "clocks", INJECT_GAP, most),
        ]
    }
}
