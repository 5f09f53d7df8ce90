//! The host on the bus of a page, and all that stands around the page; every clock against the golden page.

mod choice;

use super::golden::{Golden, GoldenCounter, GoldenEvents, Kind};
use super::load::Load;
use super::shown::{self, Output};
use flitforge_elaborate::drive::FromValue;
use flitforge_hdl_sue::registers::{EventDetails, TableAnswer, TableRequest};
use flitforge_protocol::register::{Access, BYTES};
use flitforge_protocol::sue_port_registers as port;
use flitforge_protocol::sue_registers as instance;
use flitforge_sim::kit::{rng, Agent, Coverage, Rng};
use flitforge_sim::{Bench, PortHandle, SimError};
use flitforge_testkit::failed;
use rand::Rng as _;
use rust_hdl::prelude::*;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

type DetailBits = Bits<{ <EventDetails as Synth>::BITS }>;
type RequestBits = Bits<{ <TableRequest as Synth>::BITS }>;
type AnswerBits = Bits<{ <TableAnswer as Synth>::BITS }>;

/// Clocks within which every register answers.
const MOST_CLOCKS: u64 = 62;

/// A request under way.
#[derive(Clone, Copy, Debug)]
struct Op {
    start: u64,
    write: bool,
    offset: u32,
    value: u64,
    /// What a read has to show.
    expected: u64,
    injecting: bool,
    /// Clock of its `ack`, once that is known.
    ack: Option<u64>,
    /// A table is to answer in this clock.
    table: Option<u64>,
}

/// See the [module](self).
pub struct Host {
    golden: Golden,
    lite: bool,
    events: GoldenEvents,
    load: Load,
    counters: Vec<GoldenCounter>,
    random: Rng,
    ports: BTreeMap<String, PortHandle>,
    outputs: Vec<Output>,
    pulses: &'static [&'static str],
    seen: Rc<RefCell<Coverage>>,
    // What is driven.
    input: BTreeMap<&'static str, u64>,
    clear: bool,
    asks: Option<(bool, u32, u64)>,
    happened: u64,
    details: [u64; 5],
    /// Another page has refused a write.
    others_refuse: bool,
    // What is known.
    op: Option<Op>,
    rests: u64,
    scheduled: BTreeMap<(u64, &'static str), u128>,
    refusals: BTreeSet<u64>,
    cleared: u64,
    freed: u64,
    interrupt: bool,
    changed: u64,
}

const INSTANCE_PULSES: &[&str] =
    &["fail_over", "open", "flush_all", "inject_words.valid", "inject.valid", "extract_taken", "table.valid"];
const PORT_PULSES: &[&str] = &["retry_restart", "refused"];

impl Host {
    pub fn new(
        bench: &dyn Bench,
        seed: u64,
        golden: Golden,
        lite: bool,
        load: Load,
        seen: Rc<RefCell<Coverage>>,
    ) -> Self {
        let kind = golden.kind;
        let ports = bench
            .ports()
            .list()
            .iter()
            .map(|port| (port.path.clone(), bench.port(&port.path).expect("a port")));
        let counters = load.counters();
        Self {
            lite,
            events: GoldenEvents::default(),
            counters,
            load,
            random: rng(seed, "host"),
            ports: ports.collect(),
            outputs: shown::outputs(kind),
            pulses: if kind == Kind::Port { PORT_PULSES } else { INSTANCE_PULSES },
            seen,
            input: shown::inputs(kind).into_iter().map(|(path, _)| (path, 0)).collect(),
            clear: false,
            asks: None,
            happened: 0,
            details: [0; 5],
            others_refuse: false,
            op: None,
            rests: 3,
            scheduled: BTreeMap::new(),
            refusals: BTreeSet::new(),
            cleared: 0,
            freed: 0,
            interrupt: false,
            changed: 0,
            golden,
        }
    }

    fn port(&self, path: &str) -> PortHandle {
        *self.ports.get(path).unwrap_or_else(|| panic!("no port {path}"))
    }

    fn hit(&self, what: impl Into<String>) {
        self.seen.borrow_mut().hit(what);
    }

    fn name(&self, offset: u32) -> &'static str {
        self.golden.register(offset).map_or("unknown", |register| register.name)
    }

    /// What a read shows in this clock.
    fn show(&self, offset: u32) -> u64 {
        let input = |path: &str| self.input[path];
        let mut value = self.golden.read(offset) | shown::shown(self.golden.kind, offset, &input);
        if self.golden.kind == Kind::Instance {
            let (cause, details) = self.events.captured.unwrap_or((0, [0; 5]));
            let [has_header, port, connection, psn, header] = details;
            let full = u64::from(self.events.captured.is_some());
            value |= match offset {
                instance::EVENT => self.events.held,
                instance::CAPTURE_HEADER => header,
                instance::CAPTURE_PORT => port | connection << 16 | psn << 32,
                instance::CAPTURE_CAUSE => cause | has_header << 8 | full << 63,
                instance::CAPTURE_MISSED => self.events.missed,
                _ => 0,
            };
        }
        value
    }

    /// Captured details count only while there are some.
    fn matters(&self, offset: u32) -> bool {
        let of_capture = [instance::CAPTURE_HEADER, instance::CAPTURE_PORT];
        self.golden.kind == Kind::Port || self.events.captured.is_some() || !of_capture.contains(&offset)
    }

    fn schedule(&mut self, clock: u64, pulse: &'static str, value: u64) {
        if value != 0 {
            self.scheduled.insert((clock, pulse), value.into());
        }
    }

    /// The clock in which a request is carried out.
    fn carry_out(&mut self, op: &mut Op) {
        let (offset, value, now) = (op.offset, op.value, op.start + 2);
        let is_instance = self.golden.kind == Kind::Instance;
        if is_instance && offset == instance::TBL_DATA {
            self.ask_table(op);
            return;
        }
        op.ack = Some(op.start + 4);
        if !op.write {
            return;
        }
        if is_instance && offset == instance::EVENT {
            self.cleared = value;
        }
        let Some(register) = self.golden.register(offset) else { return };
        if register.mask(Access::is_writable) == 0 || self.load.place_of(offset).is_some() {
            return;
        }
        if !self.golden.allows(offset, value, op.injecting) {
            self.hit(format!("{} refused", register.name));
            if is_instance {
                self.refusals.insert(now + 2);
            } else {
                self.schedule(now + 2, "refused", 1);
            }
            return;
        }
        self.hit(format!("{} written", register.name));
        self.golden.write(offset, value);
        self.changed = now;
        match (self.golden.kind, offset) {
            (Kind::Instance, instance::CMD) => {
                self.schedule(now + 1, "fail_over", value & 1);
                self.schedule(now + 1, "open", value >> 1 & 1);
                self.schedule(now + 1, "flush_all", value >> 2 & 1);
            }
            (Kind::Instance, instance::INJ_DATA) => {
                self.scheduled.insert((now, "inject_words.valid"), 1 | u128::from(value) << 1);
            }
            (Kind::Instance, instance::INJ_CTL) if value >> 31 & 1 == 1 => {
                self.schedule(now + 1, "inject.valid", 1 | (value & 0xFFFF) << 1);
            }
            (Kind::Port, port::P_CTRL) => self.schedule(now + 1, "retry_restart", value >> 6 & 1),
            _ => (),
        }
    }

    fn ask_table(&mut self, op: &mut Op) {
        let now = op.start + 2;
        if self.clear {
            return;
        }
        if op.write && !self.golden.allows(instance::TBL_DATA, op.value, false) {
            self.hit("unwritable");
            self.refusals.insert(now + 3);
            op.ack = Some(now + 2);
            return;
        }
        let [table, index] = ["table", "index"].map(|name| self.golden.field(instance::TBL_ADDR, name));
        let request = u64::from(op.write) | table << 1 | index << 4;
        self.scheduled
            .insert((now, "table.valid"), 1 | u128::from(request) << 1 | u128::from(op.value) << 21);
        op.table = Some(now + self.random.random_range(1..7));
    }

    /// What a pulse says beside that it is there.
    fn pulse(&self, path: &str, bench: &dyn Bench) -> u128 {
        let valid = u128::from(bench.get_u64(self.port(path)));
        let data = |path: &str| bench.get(self.port(path));
        match path {
            _ if valid == 0 => 0,
            "inject_words.valid" => valid | u128::from(data("inject_words.data").low_u64()) << 1,
            "inject.valid" => valid | u128::from(data("inject.data").low_u64()) << 1,
            "table.valid" => {
                let request: TableRequest = RequestBits::from_value(&data("table.data")).into();
                let head =
                    u64::from(request.write) | u64::from(request.table) << 1 | u64::from(request.index) << 4;
                valid | u128::from(head) << 1 | u128::from(u64::from(request.data)) << 21
            }
            _ => valid,
        }
    }

    fn drive_inputs(&mut self, bench: &mut dyn Bench) {
        for (path, width) in shown::inputs(self.golden.kind) {
            if self.random.random_bool(0.05) {
                let value = self.random.random::<u64>() & (u64::MAX >> (64 - width));
                self.input.insert(path, value);
                bench.set_u64(self.port(path), value);
                if path == "minimum" {
                    self.changed = u64::MAX;
                }
            }
        }
        if self.golden.kind == Kind::Port {
            return;
        }
        for port in 0..4 {
            let refuses = self.random.random_bool(0.003);
            bench.set_u64(self.port(&format!("refused[{port}]")), refuses.into());
            self.others_refuse |= refuses;
        }
        // An event beside a write of EVENT, and now and then.
        let beside = self.op.is_some_and(|op| op.write && op.offset == instance::EVENT);
        self.happened = match self.random.random_bool(if beside { 0.5 } else { 0.03 }) {
            true => self.random.random::<u64>() & self.random.random::<u64>() & 0x3FFF,
            false => 0,
        };
        bench.set_u64(self.port("happened"), self.happened);
        if self.happened != 0 || self.random.random_bool(0.1) {
            let r: u64 = self.random.random();
            self.details = [r & 1, r >> 1 & 15, r >> 5 & 0xFFF, r >> 17 & 0xFFFF, self.random.random()];
            let [has_header, port, connection, psn, header] = self.details;
            let details = EventDetails {
                has_header: has_header == 1,
                port: port.into(),
                connection: connection.into(),
                psn: psn.into(),
                header: header.into(),
            };
            let bits: DetailBits = details.into();
            bench.set(self.port("details"), &bits.to_value());
        }
    }

    fn drive_table(&mut self, clock: u64, bench: &mut dyn Bench) {
        if self.golden.kind == Kind::Port {
            return;
        }
        let answers = self.op.is_some_and(|op| op.table == Some(clock));
        bench.set_u64(self.port("table_answer.valid"), answers.into());
        if !answers {
            return;
        }
        let (refused, data) = (self.random.random_bool(0.3), self.random.random::<u64>());
        let bits: AnswerBits = TableAnswer { refused, data: data.into() }.into();
        bench.set(self.port("table_answer.data"), &bits.to_value());
        let Some(op) = &mut self.op else { return };
        (op.expected, op.ack) = (data, Some(clock + 1));
        if self.clear {
            return;
        }
        let what = if !op.write {
            "table read"
        } else if refused {
            "table refused"
        } else {
            "table written"
        };
        if op.write && refused {
            self.refusals.insert(clock + 2);
        }
        self.hit(what);
    }

    /// Steps of the request under way.
    fn step(&mut self, clock: u64) {
        let Some(mut op) = self.op else { return };
        match clock - op.start {
            1 => op.injecting = self.input.get("injecting").is_some_and(|high| *high == 1),
            2 if self.load.place_of(op.offset).is_none() => self.carry_out(&mut op),
            3 if op.ack.is_some() && op.table.is_none() => {
                op.expected = self.show(op.offset);
                let takes =
                    (self.golden.kind, op.offset) == (Kind::Instance, instance::EXT_DATA) && !op.write;
                if takes && self.clear {
                    self.hit("EXT_DATA cleared");
                } else if takes {
                    self.schedule(clock + 1, "extract_taken", self.input["extract_valid"]);
                }
            }
            _ => (),
        }
        self.op = Some(op);
    }

    fn check_ack(&mut self, clock: u64, bench: &dyn Bench) -> Result<(), SimError> {
        let [ack, rdata] = ["bus.ack", "bus.rdata"].map(|path| bench.get_u64(self.port(path)));
        let wrong = |problem: String| Err(failed(clock, problem));
        let Some(op) = self.op.filter(|_| ack == 1) else {
            let late = self.op.is_some_and(|op| op.ack == Some(clock) || clock > op.start + MOST_CLOCKS);
            return match (ack, rdata, late) {
                (0, 0, false) => Ok(()),
                _ => wrong(format!("ack {ack}, rdata {rdata:#x} of {:x?}", self.op)),
            };
        };
        let place = self.load.place_of(op.offset);
        let expected = match place {
            Some(place) => self.counters[place].shown(),
            None => op.expected,
        };
        let expected = if op.write { 0 } else { expected };
        let counts = op.write || place.is_some() || self.matters(op.offset);
        if (place.is_none() && op.ack != Some(clock)) || (counts && rdata != expected) {
            return wrong(format!("{} reads {rdata:#x}, not {expected:#x}: {op:x?}", self.name(op.offset)));
        }
        if let (Some(place), true, 0) = (place, op.write, op.value) {
            self.counters[place].zero();
            self.hit("a counter zeroed");
        }
        if !op.write {
            self.hit(format!("{} read", self.name(op.offset)));
        }
        self.op = None;
        self.rests = self.random.random_range(0..4);
        Ok(())
    }
}

impl Agent for Host {
    fn drive(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        // More often in the clock that decides whether a word was read.
        let reads = |op: &Op| op.offset == instance::EXT_DATA && !op.write && clock == op.start + 3;
        let decides = self.golden.kind == Kind::Instance && self.op.as_ref().is_some_and(reads);
        self.clear = self.random.random_bool(if decides { 0.3 } else { 0.01 });
        bench.set_u64(self.port("clear"), self.clear.into());
        self.drive_inputs(bench);
        self.load.drive(&mut self.random, bench, &self.ports);
        self.drive_table(clock, bench);
        self.asks = None;
        if self.op.is_none() {
            self.rests = self.rests.saturating_sub(1);
            if self.rests == 0 {
                let (write, offset, value) = self.choose();
                self.asks = Some((write, offset, value));
                bench.set_u64(self.port("bus.write"), write.into());
                bench.set_u64(self.port("bus.address"), (offset / BYTES).into());
                bench.set_u64(self.port("bus.wdata"), value);
            }
        }
        // A request may be held, or withdrawn once it was taken.
        let holds = self.op.is_some() && !self.clear && self.random.random_bool(0.5);
        bench.set_u64(self.port("bus.request"), (self.asks.is_some() || holds).into());
        Ok(())
    }

    fn observe(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        let wrong = |problem: String| Err(failed(clock, problem));
        if clock % 8 == 0 || self.op.is_some_and(|op| clock - op.start == 3) {
            shown::check(&self.golden, &self.outputs, self.lite, bench).or_else(wrong)?;
        }
        if self.golden.kind == Kind::Instance {
            let found = bench.get_u64(self.port("interrupt")) == 1;
            if found != self.interrupt {
                return wrong(format!("interrupt is {found}"));
            }
            self.interrupt = self.events.held & self.golden.kept[&instance::EVENT_EN] != 0;
        }
        if self.asks.is_some() && self.clear {
            self.hit("clear 0 clocks after a request");
        }
        if let (Some((write, offset, value)), false) = (self.asks, self.clear) {
            let op = Op {
                start: clock,
                write,
                offset,
                value,
                expected: 0,
                injecting: false,
                ack: None,
                table: None,
            };
            self.op = Some(op);
        }
        if let Some(op) = self.op.filter(|_| self.clear) {
            self.hit(format!("clear {} clocks after a request", (clock - op.start).min(5)));
        }
        if self.clear && self.op.is_some_and(|op| clock == op.start + 1) {
            self.op = None;
        }
        self.step(clock);
        for path in self.pulses {
            let expected = self.scheduled.remove(&(clock, *path)).unwrap_or(0);
            let found = self.pulse(path, bench);
            if found != expected {
                return wrong(format!("{path} is {found:#x}, not {expected:#x}"));
            }
        }
        self.check_ack(clock, bench)?;
        if std::mem::take(&mut self.others_refuse) {
            self.refusals.insert(clock + 1);
            self.hit("refused elsewhere");
        }
        let refused = u64::from(self.refusals.remove(&clock)) << 14;
        let happened = self.happened | refused;
        if happened & self.cleared != 0 {
            self.hit("an event in the clock of its clearing");
        }
        let anew = self.events.anew;
        self.events.clock(happened, self.details, self.cleared, self.freed);
        (self.freed, self.cleared) = (self.cleared, 0);
        if self.events.anew > anew {
            self.hit("captured anew");
        }
        if self.events.missed > 0 {
            self.hit("missed");
        }
        self.load.count(&mut self.counters);
        if self.clear {
            self.op = None;
            self.rests = self.random.random_range(1..4);
        }
        Ok(())
    }
}
