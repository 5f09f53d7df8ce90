//! Every field of a page, written and read over the bus: its port moves as its access says, and no other.

use flitforge_elaborate::drive::DriveBlock;
use flitforge_hdl::registers::{PageBuild, PageField, PortUse, RegisterPage};
use flitforge_protocol::register::{Page, BYTES};
use flitforge_sim::{Bench, PortKind};
use std::collections::BTreeMap;

/// Most clocks to an `ack`.
const PATIENCE: u32 = 64;

/// Inputs whose names end so.
pub fn inputs<'a>(bench: &'a dyn Bench, end: &'static str) -> impl Iterator<Item = &'a str> {
    let ports = bench.ports().list().iter().filter(|port| port.kind == PortKind::Input);
    ports.map(|port| port.path.as_str()).filter(move |path| path.ends_with(end))
}

/// A page of its own on a bench.
pub struct Access {
    bench: Box<dyn Bench>,
    base: u32,
    /// Values of outputs that are not 0, clock by clock.
    recorded: BTreeMap<String, Vec<u64>>,
    /// Strobes of writes: what takes longer is stored and done a clock after them.
    strobes: Vec<String>,
    /// It is not.
    pub hold_done: bool,
}

impl Access {
    pub fn new(name: &str, block: Box<dyn DriveBlock>, base: u32) -> Self {
        let bench = flitforge_sim::open(name, block).expect("a bench");
        let outputs = bench.ports().list().iter().filter(|port| port.kind == PortKind::Output);
        let strobes = outputs.map(|port| port.path.clone()).filter(|path| path.ends_with("_write")).collect();
        Access { bench, base, recorded: BTreeMap::new(), strobes, hold_done: false }
    }

    pub fn has(&self, path: &str) -> bool {
        self.bench.port(path).is_ok()
    }

    pub fn set(&mut self, path: &str, value: u64) {
        let port = self.bench.port(path).expect("a port");
        self.bench.set_u64(port, value);
    }

    pub fn get(&mut self, path: &str) -> u64 {
        self.bench.settle().expect("settles");
        self.bench.get_u64(self.bench.port(path).expect("a port"))
    }

    /// From now on these outputs are written down.
    pub fn record(&mut self, paths: &[&str]) {
        self.recorded = paths.iter().map(|path| ((*path).to_owned(), vec![])).collect();
    }

    /// What an output had that was not 0.
    pub fn recorded(&self, path: &str) -> &[u64] {
        &self.recorded[path]
    }

    /// So many clocks.
    pub fn run(&mut self, clocks: u32) {
        for _ in 0..clocks {
            self.bench.settle().expect("settles");
            for (path, values) in &mut self.recorded {
                let value = self.bench.get_u64(self.bench.port(path).expect("a port"));
                values.extend((value != 0).then_some(value));
            }
            let strobes: Vec<(String, u64)> =
                self.strobes.iter().map(|path| (path.clone(), self.peek(path))).collect();
            self.bench.step().expect("steps");
            self.set("bus.request", 0);
            if self.hold_done || !self.has("done") {
                continue;
            }
            self.set("done", u64::from(strobes.iter().any(|(_, high)| *high == 1)));
            for (path, high) in strobes {
                let store = path.replace("_write", "_store");
                if self.has(&store) {
                    self.set(&store, high);
                }
            }
        }
    }

    fn peek(&self, path: &str) -> u64 {
        self.bench.get_u64(self.bench.port(path).expect("a port"))
    }

    /// Begins a request, without waiting for its `ack`.
    pub fn start(&mut self, write: bool, offset: u32, value: u64) {
        self.set("bus.request", 1);
        self.set("bus.write", write.into());
        self.set("bus.address", u64::from((offset - self.base) / BYTES));
        self.set("bus.wdata", value);
    }

    fn request(&mut self, write: bool, offset: u32, value: u64) -> (u32, u64) {
        self.start(write, offset, value);
        for clock in 0..PATIENCE {
            let (ack, shown) = (self.get("bus.ack"), self.get("bus.rdata"));
            assert!(ack == 1 || shown == 0, "{offset:#x}: rdata without ack");
            assert!(!write || shown == 0, "{offset:#x}: rdata on a write");
            self.run(1);
            if ack == 1 {
                return (clock, shown);
            }
        }
        panic!("{offset:#x}: no ack");
    }

    /// Writes, and returns after how many clocks it was done.
    pub fn write(&mut self, offset: u32, value: u64) -> u32 {
        self.request(true, offset, value).0
    }

    pub fn read(&mut self, offset: u32) -> u64 {
        self.request(false, offset, 0).1
    }
}

type Make = Box<dyn Fn() -> Box<dyn DriveBlock>>;

/// A page made of a table.
pub struct Made {
    pub base: u32,
    pub fields: Vec<PageField>,
    make: Make,
    power_on: BTreeMap<u32, u64>,
    writable: BTreeMap<u32, u64>,
}

/// The pages of one table.
pub struct Pages {
    pub page: Page,
    pub made: Vec<Made>,
}

impl Pages {
    pub fn new(page: Page) -> Self {
        Pages { page, made: vec![] }
    }

    /// A page of the table.
    pub fn page<P: RegisterPage>(
        mut self,
        base: u32,
        built: &'static dyn PageBuild,
        make: fn(&dyn PageBuild) -> Box<dyn DriveBlock>,
    ) -> Self {
        let registers = P::FIELDS.iter().map(|field| field.register);
        let power_on =
            registers.clone().map(|register| (register.offset, built.power_on(&register))).collect();
        let writable = registers.map(|register| (register.offset, built.writable(&register))).collect();
        let fields = P::FIELDS.to_vec();
        self.made.push(Made { base, fields, make: Box::new(move || make(built)), power_on, writable });
        self
    }
}

/// What every field should be.
struct Expected<'a> {
    made: &'a Made,
    fields: &'a [PageField],
    values: Vec<u64>,
}

fn port_new(field: &PageField) -> String {
    format!("{}_new", field.port)
}

fn strobe(field: &PageField) -> String {
    format!("{}_write", field.module)
}

impl Expected<'_> {
    /// What a port has of its field.
    fn port(page: &mut Access, field: &PageField) -> u64 {
        page.get(field.port) >> field.at & field.field.ones()
    }

    /// Drives a field's bits of its port.
    fn drive(page: &mut Access, field: &PageField, value: u64) {
        let others = page.get(field.port) & !(field.field.ones() << field.at);
        page.set(field.port, others | value << field.at);
    }

    /// What a read of a register shows.
    fn shown(&self, offset: u32) -> u64 {
        let hidden = self.fields.iter().filter(|field| field.register.offset == offset && !field.read);
        hidden.fold(self.word(offset, None), |word, field| word & !(field.field.mask() as u64))
    }

    /// The word of a field's register, with another value of the field.
    fn word(&self, offset: u32, other: Option<(usize, u64)>) -> u64 {
        let fields = self.fields.iter().enumerate().filter(|(_, field)| field.register.offset == offset);
        fields.fold(0, |word: u128, (index, field)| {
            let value =
                other.filter(|(which, _)| *which == index).map_or(self.values[index], |(_, value)| value);
            field.field.set(word, value)
        }) as u64
    }

    /// Every port and every read.
    fn compare(&self, page: &mut Access, what: &str) -> Result<(), String> {
        for (field, expected) in self.fields.iter().zip(&self.values) {
            if matches!(field.uses, PortUse::Kept | PortUse::KeptDown) && Self::port(page, field) != *expected
            {
                return Err(format!("{what}: port {} is not {expected:#x}", field.port));
            }
        }
        let mut offsets: Vec<u32> = self.fields.iter().map(|field| field.register.offset).collect();
        offsets.dedup();
        for offset in offsets {
            let (found, expected) = (page.read(offset), self.shown(offset));
            if found != expected {
                return Err(format!("{what}: {offset:#x} reads {found:#x}, not {expected:#x}"));
            }
        }
        Ok(())
    }

    /// Writes a value of one field beside the others, and looks at what their ports say meanwhile.
    fn write(&mut self, page: &mut Access, index: usize, value: u64) -> Result<(), String> {
        let field = &self.fields[index];
        let offset = field.register.offset;
        let pulses: Vec<&str> =
            self.fields.iter().filter(|f| f.uses == PortUse::Pulse).map(|field| field.port).collect();
        let mut strobes: Vec<String> = self
            .fields
            .iter()
            .filter(|field| matches!(field.uses, PortUse::Given | PortUse::Strobe))
            .map(strobe)
            .collect();
        strobes.dedup();
        page.record(&pulses.iter().copied().chain(strobes.iter().map(String::as_str)).collect::<Vec<_>>());
        let word = self.word(offset, Some((index, value)));
        page.start(true, offset, word);
        let mut given = None;
        let path = if field.uses == PortUse::Given { port_new(field) } else { field.port.to_owned() };
        for _ in 0..PATIENCE {
            if matches!(field.uses, PortUse::Given | PortUse::Strobe) && page.get(&strobe(field)) == 1 {
                given = Some(page.get(&path));
            }
            let acked = page.get("bus.ack") == 1;
            page.run(1);
            if acked {
                break;
            }
        }
        page.run(2);
        for (name, seen) in page.recorded.clone() {
            let mine = (field.uses == PortUse::Pulse && name == field.port && value == 1)
                || self.fields.iter().any(|other| {
                    other.register.offset == offset
                        && matches!(other.uses, PortUse::Given | PortUse::Strobe)
                        && name == strobe(other)
                });
            if seen.len() != usize::from(mine) {
                return Err(format!("{name} was {} clocks high after a write of {}", seen.len(), field.port));
            }
        }
        if matches!(field.uses, PortUse::Given | PortUse::Strobe) && given != Some(value) {
            return Err(format!("{path} gave {given:x?}, not {value:#x}"));
        }
        Ok(())
    }

    /// One field with one value.
    fn field(&mut self, page: &mut Access, index: usize, value: u64) -> Result<(), String> {
        let field = self.fields[index];
        let offset = field.register.offset;
        let writable = field.field.get(self.made.writable.get(&offset).copied().unwrap_or(0).into());
        match field.uses {
            PortUse::Kept => {
                self.write(page, index, value)?;
                self.values[index] = value & writable;
            }
            PortUse::KeptDown => {
                self.write(page, index, value)?;
                self.compare(page, "without `down`")?;
                page.set("down", 1);
                self.write(page, index, value)?;
                page.set("down", 0);
                self.values[index] = value & writable;
            }
            PortUse::Shown => {
                Self::drive(page, &field, value);
                self.values[index] = value;
                self.write(page, index, !value & field.field.ones())?;
            }
            PortUse::Given => {
                Self::drive(page, &field, value);
                self.values[index] = value;
                self.compare(page, "given")?;
                self.write(page, index, !value & field.field.ones())?;
            }
            PortUse::Constant => {
                page.write(offset, value);
            }
            PortUse::Pulse | PortUse::Strobe => self.write(page, index, value)?,
            PortUse::Event | PortUse::Sticky => {
                let keeps = u64::from(field.uses == PortUse::Sticky);
                Self::drive(page, &field, 1);
                page.run(1);
                Self::drive(page, &field, 0);
                self.values[index] = 1;
                self.compare(page, "event")?;
                self.write(page, index, keeps)?;
                self.compare(page, "kept")?;
                self.write(page, index, 1 - keeps)?;
                self.values[index] = 0;
            }
        }
        self.compare(page, &format!("{} with {value:#x}", field.port))
    }
}

/// Every field, the one of number `first` first, with ones, with noise and with 0; what `fields` says is expected.
pub fn check(made: &Made, fields: &[PageField], first: usize) -> Result<(), String> {
    let mut page = Access::new("page", (made.make)(), made.base);
    let permits: Vec<String> = inputs(page.bench.as_ref(), "_permit").map(ToOwned::to_owned).collect();
    permits.iter().for_each(|path| page.set(path, 1));
    let value = |field: &PageField| match field.uses {
        PortUse::Kept | PortUse::KeptDown | PortUse::Constant => {
            field.field.get(made.power_on.get(&field.register.offset).copied().unwrap_or(0).into())
        }
        _ => 0,
    };
    if let Some(field) = fields.iter().find(|field| field.uses != PortUse::Constant && !page.has(field.port))
    {
        return Err(format!("no port {}", field.port));
    }
    let mut expected = Expected { made, fields, values: fields.iter().map(value).collect() };
    expected.compare(&mut page, "power-on")?;
    for index in (first..fields.len()).chain(0..first) {
        let ones = fields[index].field.ones();
        for value in [ones, 0x9E37_79B9_7F4A_7C15 & ones, 0] {
            expected.field(&mut page, index, value)?;
        }
    }
    Ok(())
}
