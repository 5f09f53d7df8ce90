//! The tree at work: Lows of a master whose time is the clock, what comes to the slaves, and the registers for the manager.

use super::block::TimeTree;
use flitforge_fabric::manager::{AccessError, RegisterAccess};
use flitforge_fabric::topology::DeviceId;
use flitforge_model::time::{RingContent, RingSlot, TimeHigh, TimeLow, TimeValue};
use flitforge_protocol::link::LinkState;
use flitforge_protocol::link_registers::{ctrl, CTRL};
use flitforge_protocol::register::BYTES;
use flitforge_protocol::time_registers::{self as page, mstr_ctl};
use flitforge_protocol::time_ring::{Embed, SlotKind};
use flitforge_sim::compiled::Compiled;
use flitforge_sim::kit::{rng, seed, Rng as KitRng};
use flitforge_testkit::{compiled, Clocked, CompiledBlock, Pins, RegisterBus, MAX_BUS_CLOCKS};
use rand::Rng;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

/// Core and word clock: 6.25 ns.
pub const CORE_FS: u64 = 6_250_000;
/// INC_NOM of it, 6.32 ns, and RPER, 6.20 ns.
pub const INC_NOM: u64 = 0x6_4000_0000;
const PERIOD: u64 = 0x64_0000;
/// A clock in 1/16 and in 1/256 ns.
const CLOCK_SIXTEENTHS: u64 = 100;
pub const CLOCK_FINE: i64 = 1600;
/// Clocks from a copy to the plane X that its value is for, and from plane R to a Low that has come.
const COPY_TO_X: i64 = 2;
const R_TO_LOW: i64 = 3;
/// Clocks between two Lows.
const LOW_EVERY: u64 = 400;
/// Clocks for which the manager waits before it asks again.
const WAIT_CLOCKS: u64 = 2_000;

/// Devices of the topology: the ends in the order of their ports, and the switches.
pub const MASTER: DeviceId = 0;
pub const SWITCHES: [DeviceId; 2] = [1, 2];
pub const SLAVES: [DeviceId; 2] = [3, 4];

fn program() -> &'static Arc<Compiled> {
    static PROGRAM: OnceLock<Arc<Compiled>> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let mut tree = TimeTree::new(CORE_FS, INC_NOM);
        rust_hdl::prelude::Block::connect_all(&mut tree);
        compiled("time_tree", &tree)
    })
}

pub struct Rig {
    block: CompiledBlock,
    pub clock: u64,
    random: KitRng,
    /// Registers of the ends that no hardware has here.
    memory: BTreeMap<(DeviceId, u32), u64>,
    /// Chance per clock and line of a wrong bit.
    pub errors: f64,
    pub lows_sent: u64,
    /// By slave: Lows since, each V less the master's time at plane R, 1/256 ns.
    pub found: [Vec<i64>; 2],
    pub highs: [u64; 2],
    /// Packet flits that came to the slaves.
    pub flits: u64,
}

impl Clocked for Rig {
    fn pins(&mut self) -> &mut dyn Pins {
        &mut self.block
    }

    fn clock(&mut self) {
        self.send();
        if self.errors > 0.0 {
            for line in 0..8 {
                let wrong = self.random.random_bool(self.errors);
                self.set(&format!("error_enable[{line}]"), wrong.into());
            }
            let bit = self.random.random_range(0..32);
            self.set("error_mask", 1 << bit);
        }
        (0..2).for_each(|slave| self.take(slave));
        self.block.step();
        self.clock += 1;
    }
}

impl Rig {
    /// Links that run over lines of so many words.
    pub fn new(name: &str, delays: [u64; 8]) -> Self {
        let mut rig = Self {
            block: CompiledBlock::new(program()),
            clock: 0,
            random: rng(seed(0x5319), name),
            memory: BTreeMap::new(),
            errors: 0.0,
            lows_sent: 0,
            found: Default::default(),
            highs: [0; 2],
            flits: 0,
        };
        for (line, delay) in delays.into_iter().enumerate() {
            rig.set(&format!("delay[{line}]"), delay);
        }
        rig.set("increment", INC_NOM);
        rig.set("period", PERIOD);
        rig.pulse("clear");
        rig.run(40);
        rig.set("link_addr", u64::from(CTRL / BYTES));
        rig.pulse("link_we");
        rig
    }

    /// All links that there are, Active.
    pub fn come_up(&mut self) {
        let ends = (0..3).map(|end| format!("end_state[{end}]"));
        let names: Vec<_> = ends.chain((0..5).map(|port| format!("switch_state[{port}]"))).collect();
        for _ in 0..400 {
            if names.iter().all(|name| self.get(name) == u64::from(LinkState::Active.code())) {
                return;
            }
            self.run(100);
        }
        panic!("not up: {:?}", names.iter().map(|name| self.get(name)).collect::<Vec<_>>());
    }

    /// No wrong bit any more.
    pub fn quiet(&mut self) {
        self.errors = 0.0;
        for line in 0..8 {
            self.set(&format!("error_enable[{line}]"), 0);
        }
    }

    /// What the master's generator offers: its time is the clock.
    fn send(&mut self) {
        let control = u128::from(self.memory.get(&(MASTER, page::MSTR_CTL)).copied().unwrap_or(0));
        let era = mstr_ctl::era::FIELD.get(control) as u8;
        let enabled = mstr_ctl::gen_en::FIELD.get(control) == 1;
        let content = match self.clock % LOW_EVERY {
            0 if enabled => {
                self.lows_sent += 1;
                let value = TimeValue::from_sixteenths(self.clock * CLOCK_SIXTEENTHS);
                Some(RingContent::Low(TimeLow { value, tree: 0, era }))
            }
            1 if enabled => {
                Some(RingContent::High(TimeHigh { time: 0x1234, index: 9, tree: 0, era, quality: 1 }))
            }
            _ => None,
        };
        self.set("copy.valid", content.is_some().into());
        let Some(content) = content else { return };
        let bits = RingSlot::new(content, 0, 0).encode(Embed::Value).expect("fits");
        let data = bits & ((1 << Embed::Value.data_bits()) - 1);
        self.set("copy.data", data as u64);
        self.set("copy_control", (bits >> Embed::Value.data_bits()) as u64);
    }

    fn take(&mut self, slave: usize) {
        self.flits += self.get(&format!("arrived[{slave}]"));
        if self.get(&format!("low[{slave}]")) == 0 {
            return;
        }
        let payload = self.get(&format!("payload[{slave}]"));
        if payload & 3 != u64::from(SlotKind::Low.code()) {
            self.highs[slave] += 1;
            return;
        }
        let (time, frac) = (payload >> 5 & ((1 << 40) - 1), payload >> 45 & 15);
        let value = ((time << 4 | frac) << 4) as i64;
        let at_r = (self.clock as i64 - R_TO_LOW - COPY_TO_X) * CLOCK_FINE;
        self.found[slave].push(value - at_r);
    }

    /// SyncTime less the master's of each Low that came to a slave, with the ClockOffset that the manager wrote, 1/256 ns.
    pub fn errors_of(&mut self, slave: usize, bank: u32) -> Vec<i64> {
        let register = [page::CLOCK_OFFSET0, page::CLOCK_OFFSET1][bank as usize];
        let offset = self.memory[&(SLAVES[slave], register)] as i64;
        std::mem::take(&mut self.found[slave]).into_iter().map(|found| found + offset).collect()
    }

    /// A request over the bus of a switch.
    fn bus(&mut self, switch: usize, offset: u32, write: Option<u64>) -> Option<u64> {
        let bus = RegisterBus::named(|port| match port {
            "wdata" => port.to_string(),
            _ => format!("{port}[{switch}]"),
        });
        bus.held().request(self, offset, write).map(|answer| answer.value)
    }

    /// A request to the window of an end's port.
    fn window(&mut self, end: usize, offset: u32, write: Option<u64>) -> Option<u64> {
        self.set("word", u64::from((offset - page::PORT) / BYTES));
        self.set("wdata", write.unwrap_or(0));
        self.set("write", write.is_some().into());
        self.pulse(&format!("request[{end}]"));
        let (valid, data) = (format!("answer[{end}].valid"), format!("answer[{end}].data"));
        self.run_until(MAX_BUS_CLOCKS, |rig| rig.get(&valid) == 1)?;
        let value = self.get(&data);
        self.clock();
        Some(value)
    }

    fn request(&mut self, device: DeviceId, offset: u32, write: Option<u64>) -> Result<u64, AccessError> {
        let answer = match [MASTER, SLAVES[0], SLAVES[1]].iter().position(|end| *end == device) {
            None => self.bus(usize::from(device == SWITCHES[1]), offset, write),
            Some(end) if (page::PORT..page::TREE_PRIO).contains(&offset) => self.window(end, offset, write),
            Some(_) => {
                let known = self.memory.entry((device, offset)).or_default();
                *known = write.unwrap_or(*known);
                Some(*known)
            }
        };
        answer.ok_or(AccessError { device, offset, problem: "no ack" })
    }
}

impl RegisterAccess for Rig {
    fn read(&mut self, device: DeviceId, offset: u32) -> Result<u64, AccessError> {
        self.request(device, offset, None)
    }

    fn write(&mut self, device: DeviceId, offset: u32, value: u64) -> Result<(), AccessError> {
        self.request(device, offset, Some(value)).map(|_| ())
    }

    fn wait_us(&mut self, _: u64) {
        self.run(WAIT_CLOCKS);
    }
}

const _: () = assert!(ctrl::enable::LOW == 0);
