//! An instance made of its tables: what its registers keep and refuse, its tables, frames and events. No hardware, and no time.

#![allow(clippy::expect_used, reason = "in tests, helper functions included")]

use flitforge_protocol::field_range::FieldRange;
use flitforge_protocol::register::{Access, AccessError, DeviceId, Page, RegisterAccess, Reset};
use flitforge_protocol::sue_port_registers as port;
use flitforge_protocol::sue_registers::{self as page, port_page, Event, Sizes, Table};
use std::collections::{BTreeMap, VecDeque};

/// What it was built as.
pub const SIZES: Sizes = Sizes { ports: 2, slots: 32, slot_bytes: 2048, cells: 1024, lite: false };
/// log2 of its PEERS.
pub const PEER_BITS: u64 = 6;

/// The instance.
pub struct Double {
    /// By offset: instance and ports.
    pub kept: BTreeMap<u32, u64>,
    /// Tables that were built, by number, and their entries.
    pub tables: BTreeMap<u64, BTreeMap<u64, u64>>,
    /// All writes, in order.
    pub writes: Vec<(u32, u64)>,
    /// Entries of tables that were written, in order.
    pub entries: Vec<(u64, u64, u64)>,
    /// Words of INJ_DATA that wait.
    words: Vec<u64>,
    /// Frames that were injected, by port.
    pub injected: Vec<(u64, Vec<u8>)>,
    /// Times that INJ_CTL.go still reads 1.
    pub busy: u32,
    /// Frames to be extracted, by port; octets that have been read of the first.
    pub waiting: VecDeque<(u64, Vec<u8>)>,
    read: usize,
    /// The capture registers: cause, port register, header.
    pub captured: Option<(u64, u64, Option<u64>)>,
    /// CMD, with TBL_ADDR.
    pub commands: Vec<(u64, u64)>,
}

impl Double {
    pub fn new() -> Self {
        let mut kept = BTreeMap::new();
        for register in page::PAGE.registers {
            kept.insert(register.offset, SIZES.power_on(register));
        }
        let cap =
            SIZES.ports | 4 << 4 | PEER_BITS << 8 | (SIZES.slots - 1) << 16 | (SIZES.slot_bytes / 64) << 24;
        kept.extend([(page::ID, page::PAGE_ID << 32 | page::PAGE_VERSION << 16), (page::CAP, cap)]);
        for number in 0..SIZES.ports as u32 {
            for register in port::PAGE.registers {
                let Reset::Value(reset) = register.reset else { continue };
                kept.insert(port_page(number) + register.offset, reset);
            }
        }
        let built = [Table::Partitions, Table::PeerMac, Table::PeerIp, Table::StrictMap, Table::Reach];
        Double {
            kept,
            tables: built.map(|table| (table as u64, BTreeMap::new())).into(),
            writes: vec![],
            entries: vec![],
            words: vec![],
            injected: vec![],
            busy: 0,
            waiting: VecDeque::new(),
            read: 0,
            captured: None,
            commands: vec![],
        }
    }

    /// An event happens; the first one is captured.
    pub fn happen(&mut self, event: Event, at: u64, header: Option<u64>) {
        *self.kept.entry(page::EVENT).or_default() |= 1 << event.code();
        self.captured.get_or_insert((event.code().into(), at, header));
    }

    fn bad(&mut self) {
        self.happen(Event::ConfigurationBad, 0, None);
    }

    fn may(
        &self,
        of: &Page,
        base: u32,
        offset: u32,
        value: u64,
        ranges: &[FieldRange],
        locked: &[u32],
    ) -> bool {
        let register = of.register_at(offset).expect("a register").0;
        let field = |name: &str, word: u64| {
            let fields = register.layout.fields.iter();
            fields.into_iter().find(|field| field.name == name).map_or(0, |field| field.get(word.into()))
        };
        let control = if base == 0 { page::CTRL } else { base + port::P_CTRL };
        let is_on = self.kept[&control] & 1 == 1;
        let in_range = ranges
            .iter()
            .filter(|range| range.offset == offset)
            .all(|range| (range.least..=range.most).contains(&field(range.field, value)));
        let live: &[&str] = if base == 0 { &["enable"] } else { port::LIVE };
        let changes = |name: &&str| field(name, value) != field(name, self.kept[&control]);
        let names = register.layout.fields.iter().map(|field| field.name);
        let of_control = base + offset != control || !is_on;
        in_range
            && !(is_on && locked.contains(&offset))
            && (of_control
                || !names.into_iter().filter(|name| !live.contains(name)).any(|name| changes(&name)))
    }

    fn write_instance(&mut self, offset: u32, value: u64) -> bool {
        let address = self.kept[&page::TBL_ADDR];
        match offset {
            page::EVENT => {
                *self.kept.entry(page::EVENT).or_default() &= !value;
                self.captured = self.captured.filter(|(cause, ..)| value >> cause & 1 == 0);
            }
            page::TBL_DATA => {
                let (table, index) = (address >> 28, address & 0xFFFF);
                let Some(entries) = self.tables.get_mut(&table) else { return false };
                entries.insert(index, value);
                self.entries.push((table, index, value));
            }
            page::CMD if value & 3 == 3 => return false,
            page::CMD => self.commands.push((value, address)),
            page::INJ_DATA => self.words.push(value),
            page::INJ_CTL if value >> 31 & 1 == 1 => {
                let octets = (value & 0xFFF) as usize;
                if self.busy > 0 || octets < 14 || self.words.len() * 8 < octets {
                    return false;
                }
                let words = std::mem::take(&mut self.words);
                let frame = words.iter().flat_map(|word| word.to_le_bytes()).take(octets).collect();
                self.injected.push((value >> 12 & 15, frame));
                self.busy = 3;
            }
            _ => {
                let register = page::PAGE.register_at(offset).expect("a register").0;
                self.kept.insert(offset, value & register.mask(Access::is_kept));
            }
        }
        true
    }
}

impl RegisterAccess for Double {
    fn read(&mut self, _: DeviceId, offset: u32) -> Result<u64, AccessError> {
        let first = self.waiting.front();
        Ok(match offset {
            page::INJ_CTL => {
                self.busy = self.busy.saturating_sub(1);
                u64::from(self.busy > 0) << 31
            }
            page::EXT_CTL => first.map_or(0, |(port, frame)| frame.len() as u64 | port << 12 | 1 << 31),
            page::EXT_DATA => {
                let Some((_, frame)) = first else { return Ok(0) };
                let mut word = [0xEE; 8];
                let left = &frame[self.read..frame.len().min(self.read + 8)];
                word[..left.len()].copy_from_slice(left);
                self.read += 8;
                if self.read >= frame.len() {
                    self.read = 0;
                    self.waiting.pop_front();
                }
                u64::from_le_bytes(word)
            }
            page::CAPTURE_CAUSE => self
                .captured
                .map_or(0, |(cause, _, header)| cause | u64::from(header.is_some()) << 8 | 1 << 63),
            page::CAPTURE_PORT => self.captured.map_or(0, |(_, at, _)| at),
            page::CAPTURE_HEADER => self.captured.and_then(|(.., header)| header).unwrap_or(0),
            _ => self.kept.get(&offset).copied().unwrap_or(0),
        })
    }

    fn write(&mut self, device: DeviceId, offset: u32, value: u64) -> Result<(), AccessError> {
        self.writes.push((offset, value));
        let base = (0..SIZES.ports as u32).map(port_page).rfind(|base| *base <= offset).unwrap_or(0);
        let (of, ranges, locked) = match base {
            0 => (page::PAGE, SIZES.ranges(), page::LOCKED),
            _ => (port::PAGE, port::ranges(), port::LOCKED),
        };
        if of.register_at(offset - base).is_none() {
            return Err(AccessError { device, offset, problem: "no such register" });
        }
        if !self.may(&of, base, offset - base, value, &ranges, locked) {
            self.bad();
        } else if base != 0 {
            self.kept.insert(offset, value);
        } else if !self.write_instance(offset, value) {
            self.bad();
        }
        Ok(())
    }

    fn wait_us(&mut self, _: u64) {}
}
