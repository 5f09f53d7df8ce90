//! A pair at work: both register buses, numbered flits both ways, errors on the line, what the times of both ends are apart.

use crate::time_hfi::pair::HfiPair;
use flitforge_fabric::manager::program::{Generation, Manager};
use flitforge_fabric::manager::tables::LinkMeasurement;
use flitforge_fabric::manager::tree::TreePolicy;
use flitforge_fabric::manager::{AccessError, RegisterAccess};
use flitforge_fabric::topology::{DeviceId, DeviceKind, Port, Topology};
use flitforge_hdl::time::hfi::{TimeHfiConfig, TimeRole};
use flitforge_model::time::config::increment;
use flitforge_protocol::flit::SpcSubtype;
use flitforge_protocol::link::LinkState;
use flitforge_protocol::link_registers::{ctrl, CTRL};
use flitforge_protocol::time_registers as regs;
use flitforge_protocol::time_servo::ServoState;
use flitforge_sim::compiled::{Compiled, Handle};
use flitforge_sim::kit::{rng, seed, Rng as KitRng};
use flitforge_testkit::{
    compiled, Clocked, CompiledBlock, ErrorPorts, FlitWay, Pins, RegisterBus, WordError,
};
use rand::Rng;
use std::cell::Cell;
use std::sync::{Arc, OnceLock};

/// Core and word clock: 50 ns, so that a period has few clocks.
pub const CORE_FS: u64 = 50_000_000;
/// A core clock, 2^-32 ns.
pub const CORE: i128 = 50 << 32;
/// Core clocks of a period of 2^20 ns, and a few more.
pub const PERIOD_CLOCKS: u64 = (1 << 20) / 50 + 3;
/// Core clocks of a pulse.
pub const PULSE_CLOCKS: u64 = 20;
/// SyncTime of the master where a test begins: far enough from a second.
pub const EPOCH_NS: u64 = 1_700_000_000_000_000_000;

thread_local! {
    /// The test of this thread has a pair whose end 0 is built as a master, and end 1 as a slave.
    static BUILT_FOR_A_ROLE: Cell<bool> = const { Cell::new(false) };
}

fn program() -> &'static Arc<Compiled> {
    static PROGRAMS: [OnceLock<Arc<Compiled>>; 2] = [OnceLock::new(), OnceLock::new()];
    let roles = match BUILT_FOR_A_ROLE.get() {
        true => [TimeRole::Master, TimeRole::Slave],
        false => [TimeRole::Both; 2],
    };
    PROGRAMS[usize::from(BUILT_FOR_A_ROLE.get())].get_or_init(|| {
        let config =
            |role| TimeHfiConfig { pulse_clocks: PULSE_CLOCKS, role, ..TimeHfiConfig::small(CORE_FS, 1) };
        let mut pair = HfiPair::new([&config(roles[0]), &config(roles[1])]);
        rust_hdl::prelude::Block::connect_all(&mut pair);
        compiled("hfi_pair", &pair)
    })
}

pub fn handle(name: &str) -> Handle {
    flitforge_testkit::handle(program(), name)
}

/// One direction's traffic, by the end it starts from.
#[derive(Clone, Copy, Default)]
pub struct Way {
    /// Chance per clock that a flit is offered.
    pub pace: f64,
    /// Chance per clock of a wrong bit.
    pub errors: f64,
}

pub struct Rig {
    pub block: CompiledBlock,
    pub clock: u64,
    pub random: KitRng,
    pub ways: [Way; 2],
    flits: [FlitWay; 2],
    errors: [ErrorPorts; 2],
    /// By end.
    pps: [Handle; 2],
    sync: [Handle; 2],
    /// By end: clocks in which `pps` rose, with SyncTime 2 clocks before in whole ns, and how long it was high last.
    pub pulses: [Vec<(u64, u64)>; 2],
    pub high_for: [u64; 2],
    before: [[u64; 3]; 2],
    /// SyncTime of end 1 less that of end 0, 2^-32 ns: smallest, largest, sum and number since it was begun.
    pub apart: Option<(i128, i128, i128, i128)>,
}

impl Clocked for Rig {
    fn pins(&mut self) -> &mut dyn Pins {
        &mut self.block
    }

    fn clock(&mut self) {
        for end in 0..2 {
            let Way { pace, errors } = self.ways[end];
            let new = pace > 0.0 && self.random.random_bool(pace);
            self.flits[end].drive(&mut self.block.instance, new);
            let wrong = errors > 0.0 && self.random.random_bool(errors);
            let error = wrong.then(|| WordError { lanes: 1, mask: 1 << self.random.random_range(0..32) });
            self.errors[end].drive(&mut self.block.instance, error.unwrap_or_default());
        }
        for end in 0..2 {
            self.flits[end].take(&mut self.block.instance);
            self.flits[1 - end].receive(&mut self.block.instance);
            self.watch_pulse(end);
        }
        if self.apart.is_some() {
            let apart = self.sync(1) - self.sync(0);
            self.apart = self.apart.map(|(least, most, sum, clocks)| {
                (least.min(apart), most.max(apart), sum + apart, clocks + 1)
            });
        }
        self.block.step();
        self.clock += 1;
    }
}

impl Rig {
    /// A pair of which end 0 is built as a master, and end 1 as a slave.
    pub fn of_roles(name: &str, delays: [u64; 2]) -> Self {
        BUILT_FOR_A_ROLE.set(true);
        Self::new(name, delays)
    }

    pub fn new(name: &str, delays: [u64; 2]) -> Self {
        let mut rig = Self {
            block: CompiledBlock::new(program()),
            clock: 0,
            random: rng(seed(0x4F1), name),
            ways: Default::default(),
            flits: FlitWay::both(program()),
            errors: [0, 1].map(|end| ErrorPorts::of(program(), end)),
            pps: [0, 1].map(|end| handle(&format!("pps[{end}]"))),
            sync: [0, 1].map(|end| handle(&format!("sync[{end}]"))),
            pulses: Default::default(),
            high_for: Default::default(),
            before: Default::default(),
            apart: None,
        };
        for (end, delay) in delays.into_iter().enumerate() {
            rig.set(&format!("delay[{end}]"), delay);
            rig.set(&format!("clear_time[{end}]"), 1);
        }
        rig.pulse("clear");
        for end in 0..2 {
            rig.set(&format!("clear_time[{end}]"), 0);
        }
        rig.run(40);
        rig
    }

    /// SyncTime of an end, 2^-32 ns.
    pub fn sync(&mut self, end: usize) -> i128 {
        let words = self.block.instance.words(self.sync[end]);
        i128::from(words[0]) | i128::from(words[1]) << 64
    }

    pub fn state(&mut self, end: usize) -> ServoState {
        ServoState::from_code(self.get(&format!("state[{end}]")) as u8).expect("a state")
    }

    /// CTRL of a link: enabled, and what else.
    fn control(&mut self, end: usize, more: u64) {
        self.set(&format!("link_addr[{end}]"), u64::from(CTRL / 8));
        self.set(&format!("link_wdata[{end}]"), 1 << ctrl::enable::LOW | more);
        self.pulse(&format!("link_we[{end}]"));
        self.run(20);
    }

    pub fn retrain(&mut self, end: usize) {
        self.control(end, 1 << ctrl::retrain::LOW);
    }

    pub fn is_up(&mut self, end: usize) -> bool {
        self.get(&format!("link_state[{end}]")) == u64::from(LinkState::Active.code())
    }

    /// Both links enabled and Active.
    pub fn come_up(&mut self) {
        (0..2).for_each(|end| self.control(end, 0));
        self.until("Active", 400_000, |rig| rig.is_up(0) && rig.is_up(1));
    }

    fn watch_pulse(&mut self, end: usize) {
        let whole = (self.sync(end) >> 32) as u64;
        let high = self.block.instance.get(self.pps[end]) == 1;
        let [two_before, one_before, was_high] = self.before[end];
        if high && was_high == 0 {
            self.pulses[end].push((self.clock, two_before));
            self.high_for[end] = 0;
        }
        self.high_for[end] += u64::from(high);
        self.before[end] = [one_before, whole, u64::from(high)];
    }

    /// Begins to compare the two SyncTimes in every clock.
    pub fn compare(&mut self) {
        self.apart = Some((i128::MAX, i128::MIN, 0, 0));
    }

    /// Smallest, largest and mean difference, 2^-32 ns, since `compare`.
    pub fn differences(&mut self) -> (i128, i128, i128) {
        let (least, most, sum, clocks) = self.apart.take().expect("begun");
        (least, most, sum / clocks)
    }

    fn request(&mut self, end: usize, offset: u32, write: Option<u64>) -> Result<u64, AccessError> {
        RegisterBus::of(end).access(self, end as DeviceId, offset, write)
    }

    /// A register of an end; of the port's window that of port 0.
    pub fn register(&mut self, end: usize, offset: u32) -> u64 {
        self.request(end, offset, None).expect("acknowledged")
    }

    pub fn put(&mut self, end: usize, offset: u32, value: u64) {
        self.request(end, offset, Some(value)).expect("acknowledged");
    }

    /// A counter of the port's window.
    pub fn counter(&mut self, end: usize, name: &str) -> u64 {
        self.register(end, regs::PORT_COUNTERS.offset_of(name).expect("a counter"))
    }

    /// A counter of the device.
    pub fn core_counter(&mut self, end: usize, name: &str) -> u64 {
        self.register(end, regs::CORE_COUNTERS.offset_of(name).expect("a counter"))
    }

    /// The beat that plane X of an end takes in this clock is a Low.
    pub fn low_taken(&mut self, end: usize) -> bool {
        let subtype = self.block.instance.words(handle(&format!("taken[{end}].data")))[0] >> 48 & 0xFF;
        subtype == u64::from(SpcSubtype::MasterTimeLow.code())
    }

    /// Everything sent has come, once and in order.
    pub fn drain(&mut self) {
        for way in &mut self.ways {
            (way.pace, way.errors) = (0.0, 0.0);
        }
        self.run(20_000);
        self.flits.iter().for_each(FlitWay::check_done);
    }

    /// The manager measures the link from both ends, programs end 0 as master with this time and end 1 as its slave, and lets it begin.
    pub fn start(&mut self, master_ns: u64, era: u8) {
        let mut topology = Topology::new();
        let [master, slave] = [(); 2].map(|()| topology.add(DeviceKind::Hfi));
        let port = |device| Port { device, port: 0 };
        topology.connect(port(master), port(slave)).expect("free");
        let mut manager = Manager::new(topology, increment(CORE_FS), TreePolicy::ShortestDelay);
        // T/32 of section 7 rule 3.
        let how = LinkMeasurement { rounds_log2: 4, asymmetry: 0, tolerance: 50 * 256 / 32 };
        manager.measure(self, &how).expect("measured");
        let plan = manager.plan(master, 0).expect("a tree");
        self.put(0, regs::SET_TIME, master_ns);
        self.put(0, regs::SET_CMD, 1);
        let generation = Generation { period: 1, phase: 0, high_every: 3, quality: 1 };
        manager.start(self, &plan, era, &generation).expect("programmed");
    }

    /// Periods until the slave is in TRACK.
    pub fn lock(&mut self, most: u64) -> u64 {
        for periods in 1..=most {
            self.run(PERIOD_CLOCKS);
            if self.state(1) == ServoState::Track {
                return periods;
            }
        }
        panic!("{:?} after {most} periods", self.state(1));
    }
}

impl RegisterAccess for Rig {
    fn read(&mut self, device: DeviceId, offset: u32) -> Result<u64, AccessError> {
        self.request(device as usize, offset, None)
    }

    fn write(&mut self, device: DeviceId, offset: u32, value: u64) -> Result<(), AccessError> {
        self.request(device as usize, offset, Some(value)).map(|_| ())
    }

    fn wait_us(&mut self, microseconds: u64) {
        self.run(microseconds * 1_000_000_000 / CORE_FS);
    }
}
