//! The golden pages: what registers hold, which writes are refused, events and counters. Made from the data of the tables.

use flitforge_hdl_sue::registers::SueRegsConfig;
use flitforge_protocol::field_range::FieldRange;
use flitforge_protocol::register::{Access, Page, Register, Reset};
use flitforge_protocol::sue::class::CLASSES;
use flitforge_protocol::sue_port_registers as port;
use flitforge_protocol::sue_registers::{self as instance, Table};
use std::collections::{BTreeMap, VecDeque};

/// Value at which a counter stays.
pub const COUNTER_MAX: u64 = flitforge_protocol::counter::COUNTER_MAX;

/// Which page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Instance,
    Port,
}

/// Registers of a page, without time.
pub struct Golden {
    pub kind: Kind,
    pub page: Page,
    pub kept: BTreeMap<u32, u64>,
    constants: BTreeMap<u32, u64>,
    ranges: Vec<FieldRange>,
}

impl Golden {
    pub fn instance(config: &SueRegsConfig) -> Self {
        use flitforge_hdl_prim::registers::PageBuild;
        let page = instance::PAGE;
        let mut golden = Self::new(Kind::Instance, page, config.sizes.ranges());
        for register in page.registers {
            let value = match register.offset {
                // What was built is told by the block's own configuration; its bits are checked in a test of its own.
                instance::ID | instance::CAP => {
                    golden.constants.insert(register.offset, config.power_on(register));
                    continue;
                }
                _ => config.sizes.power_on(register),
            };
            golden.kept.insert(register.offset, value & register.mask(Access::is_kept));
        }
        golden
    }

    pub fn port() -> Self {
        let mut golden = Self::new(Kind::Port, port::PAGE, port::ranges());
        for register in port::PAGE.registers {
            if let Reset::Value(value) = register.reset {
                golden.kept.insert(register.offset, value & register.mask(Access::is_kept));
            }
        }
        golden
    }

    fn new(kind: Kind, page: Page, ranges: Vec<FieldRange>) -> Self {
        Self { kind, page, kept: BTreeMap::new(), constants: BTreeMap::new(), ranges }
    }

    pub fn register(&self, offset: u32) -> Option<&'static Register> {
        self.page.register_at(offset).map(|(register, _)| register)
    }

    /// Ranges of the fields of a register.
    pub fn ranges_of(&self, offset: u32) -> Vec<FieldRange> {
        self.ranges.iter().copied().filter(|range| range.offset == offset).collect()
    }

    /// What is kept of a field, by names.
    pub fn field(&self, offset: u32, name: &str) -> u64 {
        self.of(offset, name, self.kept[&offset])
    }

    fn of(&self, offset: u32, name: &str, word: u64) -> u64 {
        let register = self.register(offset).expect("a register");
        let field = register.layout.fields.iter().find(|field| field.name == name);
        field.unwrap_or_else(|| panic!("{} has no {name}", register.name)).get(word.into())
    }

    pub fn is_enabled(&self) -> bool {
        self.kept[&if self.kind == Kind::Port { port::P_CTRL } else { instance::CTRL }] & 1 == 1
    }

    /// The value may be written.
    pub fn allows(&self, offset: u32, value: u64, injecting: bool) -> bool {
        let in_range = self.ranges_of(offset).iter().all(|range| {
            let found = self.of(offset, range.field, value);
            (range.least..=range.most).contains(&found)
        });
        let locked = match self.kind {
            Kind::Port => port::LOCKED,
            Kind::Instance => instance::LOCKED,
        };
        let closed = self.is_enabled() && locked.contains(&offset);
        in_range
            && !closed
            && match self.kind {
                Kind::Port => self.port_allows(offset, value),
                Kind::Instance => self.instance_allows(offset, value, injecting),
            }
    }

    /// All fields but these are as they are, or the page is not enabled.
    fn control_allows(&self, offset: u32, value: u64, live: &[&str]) -> bool {
        let fields = self.register(offset).expect("a register").layout.fields.iter();
        let fixed = fields.filter(|field| !live.contains(&field.name));
        !self.is_enabled()
            || fixed.into_iter().all(|field| field.get(value.into()) == field.get(self.kept[&offset].into()))
    }

    fn instance_allows(&self, offset: u32, value: u64, injecting: bool) -> bool {
        let new = |name: &str| self.of(offset, name, value);
        match offset {
            instance::CTRL => {
                let mixed = new("generation_enable") == 1 && self.field(instance::FMT, "format") == 4;
                self.control_allows(offset, value, &["enable"]) && !mixed
            }
            instance::FMT => !(new("format") == 4 && self.field(instance::CTRL, "generation_enable") == 1),
            instance::PACK => new("most") % 2 == 0,
            instance::QTH => new("low") <= new("high"),
            instance::CLASS0..=instance::CLASS5 => {
                let mut words: Vec<u64> =
                    (0..CLASSES as u32).map(|i| self.kept[&(instance::CLASS0 + 8 * i)]).collect();
                words[((offset - instance::CLASS0) / 8) as usize] = value;
                let [pcp, vc] =
                    ["pcp", "cbfc_vc"].map(|name| [0, 4].map(|class| self.of(offset, name, words[class])));
                words.iter().filter(|word| **word & 1 == 1).count() >= 2 && pcp[0] != pcp[1] && vc[0] != vc[1]
            }
            instance::CMD => !(new("fail_over") == 1 && new("open") == 1),
            instance::INJ_CTL => new("go") == 0 || (!injecting && new("octets") >= 14),
            instance::TBL_DATA => self.table().is_some_and(Table::is_writable),
            _ => true,
        }
    }

    fn port_allows(&self, offset: u32, value: u64) -> bool {
        let new = |name: &str| self.of(offset, name, value);
        match offset {
            port::P_CTRL => self.control_allows(offset, value, &["enable", "retry", "retry_restart"]),
            port::P_CELL => (-16..=127).contains(&(new("overhead") as u8 as i8)),
            port::P_PFC0 => (0..4).all(|class| new(&format!("xon_{class}")) <= new(&format!("xoff_{class}"))),
            port::P_PFC1 => (4..6).all(|class| new(&format!("xon_{class}")) <= new(&format!("xoff_{class}"))),
            _ => true,
        }
    }

    /// The table that TBL_ADDR names.
    pub fn table(&self) -> Option<Table> {
        Table::from_code(self.field(instance::TBL_ADDR, "table") as u8)
    }

    /// A write that is not refused.
    pub fn write(&mut self, offset: u32, value: u64) {
        let Some(register) = self.register(offset) else { return };
        let mut mask = register.mask(Access::is_kept);
        if (self.kind, offset) == (Kind::Instance, instance::INJ_CTL) {
            mask &= !(1 << 31);
        }
        if let (Some(kept), true) = (self.kept.get_mut(&offset), mask != 0) {
            *kept = value & mask;
        }
    }

    /// What a read shows of what is kept or was built.
    pub fn read(&self, offset: u32) -> u64 {
        let kept = self.kept.get(&offset).copied().unwrap_or(0);
        self.constants.get(&offset).copied().unwrap_or(0) | kept
    }
}

/// EVENT and the capture registers, clock by clock.
#[derive(Default)]
pub struct GoldenEvents {
    pub held: u64,
    before: Option<(u64, [u64; 5])>,
    /// Cause and details: has header, port, connection, PSN, header.
    pub captured: Option<(u64, [u64; 5])>,
    pub missed: u64,
    pub anew: u64,
}

impl GoldenEvents {
    /// A clock with these events; `cleared` of a write that is carried out in it, `freed` of one that was carried out in the one before.
    pub fn clock(&mut self, happened: u64, details: [u64; 5], cleared: u64, freed: u64) {
        self.held = self.held & !cleared | happened;
        let arrived = self.before.replace((happened, details)).filter(|(events, _)| *events != 0);
        let frees = self.captured.is_some_and(|(cause, _)| freed >> cause & 1 == 1);
        if self.captured.is_none() || frees {
            self.anew += u64::from(frees && arrived.is_some());
            self.captured = arrived.map(|(events, details)| (events.trailing_zeros().into(), details));
            self.missed = 0;
        } else if arrived.is_some() {
            self.missed = (self.missed + 1).min(0xFFFF);
        }
    }
}

/// A counter whose events show a fixed number of clocks later.
#[derive(Clone)]
pub struct GoldenCounter {
    total: u64,
    late: VecDeque<u64>,
}

impl GoldenCounter {
    pub fn new(started: u64, clocks: usize) -> Self {
        Self { total: started, late: std::iter::repeat_n(0, clocks).collect() }
    }

    /// Events of a clock.
    pub fn clock(&mut self, events: u64) {
        self.late.push_back(events);
        self.total = (self.total + self.late.pop_front().unwrap_or(0)).min(COUNTER_MAX);
    }

    /// With every event up to so many clocks ago.
    pub fn shown(&self) -> u64 {
        self.total
    }

    pub fn zero(&mut self) {
        self.total = 0;
    }
}
