//! What was built, and the memory image that follows from the description of the page.

use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::registers::PageBuild;
use flitforge_protocol::beat::FLITS_PER_BEAT;
use flitforge_protocol::counter::{LinkCounter, COUNTER_MAX};
use flitforge_protocol::lane_word::MAX_LANES;
use flitforge_protocol::link::REPLAY_LTPS;
use flitforge_protocol::link_registers::{self as page, cap, counter_offset, PAGE};
use flitforge_protocol::register::{Access, Register, RegisterValue, Reset, BYTES};

/// Bits of a word of the memory: a register and what a write may do to it.
pub const RAM_BITS: usize = 67;
/// Bits that address the memory.
pub const RAM_ADDRESS_BITS: usize = 8;
/// Words of the memory: the page, then the masks of the page.
pub const IMAGE_WORDS: u32 = 2 * page::PAGE_BYTES / BYTES;
/// Bit of a mask: writes are allowed.
const WRITABLE: usize = 64;
/// Bit of a mask: writes are allowed in Down.
const WRITABLE_DOWN: usize = 65;
/// Bit of a mask: writing 0 clears.
const CLEARED_BY_ZERO: usize = 66;

/// What was built, as registers CAP and GUID show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkRegsConfig {
    /// CRC modes built in besides mode 0: bit 0 mode 1, bit 1 mode 2, bit 2 mode 3.
    pub crc_modes: u64,
    /// Flits per beat, F.
    pub flits: u64,
    /// Lanes.
    pub lanes: u64,
    /// Replay slots, R.
    pub slots: u64,
    /// Virtual lanes.
    pub vls: u64,
    /// MTU in bytes.
    pub mtu: u64,
    /// GUID after power-on.
    pub guid: u64,
    /// Words of counters that do not start at 0, by byte offset, for tests of saturation.
    pub started: Vec<(u32, u64)>,
}

impl Default for LinkRegsConfig {
    /// The defaults of chapter 10.
    fn default() -> Self {
        Self { crc_modes: 7, flits: 2, lanes: 4, slots: 128, vls: 4, mtu: 10_240, guid: 0, started: vec![] }
    }
}

impl PageBuild for LinkRegsConfig {
    fn power_on(&self, register: &Register) -> u64 {
        self.reset(register)
    }
}

impl LinkRegsConfig {
    /// Refuses what chapter 10 does not know.
    pub fn check(&self) -> Result<(), ConfigError> {
        let name = "link_regs";
        check_range(name, "crc_modes", self.crc_modes, 0, 7)?;
        check_one_of(name, "flits", self.flits, &FLITS_PER_BEAT.map(|f| f as u64))?;
        check_range(name, "lanes", self.lanes, 1, MAX_LANES as u64)?;
        check_one_of(name, "slots", self.slots, &REPLAY_LTPS.map(|slots| slots as u64))?;
        check_range(name, "vls", self.vls, 1, page::MAX_VLS as u64)?;
        check_range(name, "mtu", self.mtu, 256, 10_240)?;
        self.started.iter().try_for_each(|(offset, value)| {
            let lane = PAGE.register_at(*offset).map(|(register, _)| register);
            let most = match lane.filter(|register| register.access == Access::Counter) {
                Some(register) => register.mask(|access| access == Access::Counter),
                None if PAGE.counter_at(*offset).is_some() => COUNTER_MAX,
                None => {
                    let fix = "name the offset of a counter or of LANE";
                    return Err(ConfigError::new(name, "started", format!("{offset:#x}"), "a counter", fix));
                }
            };
            match value & !most {
                0 => Ok(()),
                _ => check_range(name, "started", *value, 0, most),
            }
        })
    }

    /// Power-on values of the registers that say what was built, by byte offset.
    pub fn built(&self) -> Vec<(u32, u64)> {
        let cap = cap::Value {
            crc: self.crc_modes,
            log2_flits: self.flits.ilog2().into(),
            lanes: self.lanes,
            log2_slots: self.slots.ilog2().into(),
            vls: self.vls,
            mtu: self.mtu,
        };
        vec![(page::CAP, cap.encode().unwrap_or_default()), (page::GUID, self.guid)]
    }

    /// Power-on value of a register.
    fn reset(&self, register: &Register) -> u64 {
        match register.reset {
            Reset::Value(value) => value,
            Reset::Undescribed => 0,
            Reset::Build => {
                let found = self.built().into_iter().find(|(offset, _)| *offset == register.offset);
                found.map_or(0, |(_, value)| value)
            }
        }
    }

    /// Power-on value of the register at this byte offset; 0 where there is none.
    pub(crate) fn power_on(&self, offset: u32) -> u64 {
        PAGE.registers
            .iter()
            .find(|register| register.offset == offset)
            .map_or(0, |register| self.reset(register))
    }

    /// The memory after power-on: values, then masks.
    pub(super) fn image(&self) -> Vec<Bits<RAM_BITS>> {
        let mut image = vec![Bits::<RAM_BITS>::default(); IMAGE_WORDS as usize];
        let word = |value: u64| bit_cast::<RAM_BITS, 64>(Bits::<64>::from(value));
        let (values, masks) = image.split_at_mut(IMAGE_WORDS as usize / 2);
        for register in PAGE.registers {
            for index in 0..register.count {
                let place = (register.offset_of(index) / BYTES) as usize;
                values[place] = word(self.reset(register));
                masks[place] = word(stored_mask(register));
                for (bit, set) in flags(register) {
                    masks[place] = masks[place].replace_bit(bit, set);
                }
            }
        }
        for counter in LinkCounter::ALL {
            let place = (counter_offset(*counter) / BYTES) as usize;
            masks[place] = masks[place].replace_bit(CLEARED_BY_ZERO, true);
        }
        for (offset, value) in &self.started {
            values[(offset / BYTES) as usize] = word(*value);
        }
        image
    }
}

/// Bits of a register that the memory keeps. CTRL keeps its enable bit in a register, as `disable` clears it.
pub(super) fn stored_mask(register: &Register) -> u64 {
    match register.offset {
        page::CTRL => 0,
        _ => register.mask(Access::is_kept),
    }
}

/// What a write to the register may do.
fn flags(register: &Register) -> [(usize, bool); 3] {
    let has = |wanted: Access| register.mask(|access| access == wanted) != 0;
    let always = [Access::ReadWrite, Access::Write, Access::WriteOneClears, Access::SelfClearing];
    [
        (WRITABLE, always.into_iter().any(has)),
        (WRITABLE_DOWN, has(Access::ReadWriteDown)),
        (CLEARED_BY_ZERO, has(Access::Counter)),
    ]
}
