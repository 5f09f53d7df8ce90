//! `time_device`: the manager library on compiled hardware, through the register bus.

use crate::support::build;
use crate::time::support::payload;
use flitforge_fabric::manager::program::{Generation, Manager};
use flitforge_fabric::manager::software_servo::{read_sample, SoftwareServo};
use flitforge_fabric::manager::tables::LinkDelays;
use flitforge_fabric::manager::tree::TreePolicy;
use flitforge_fabric::manager::{AccessError, RegisterAccess};
use flitforge_fabric::topology::{DeviceId, DeviceKind, Port, Topology};
use flitforge_model::time::config::increment;
use flitforge_model::time::correction::lag_sixteenths;
use flitforge_model::time::delay::RingShape;
use flitforge_model::time::{ServoConfig, TimeFlit, TimeLow};
use flitforge_protocol::time::FINE_BITS;
use flitforge_protocol::time_registers as regs;
use flitforge_protocol::time_servo::{ServoState, F_ACC_BITS};
use flitforge_sim::cosim::Depth;
use flitforge_sim::kit::{rng, seed, Oscillator};
use flitforge_sim::PortHandle;
use flitforge_testkit::flits::flit_of;
use flitforge_testkit::wide::wide;
use flitforge_testkit::{depth, BenchBlock, Clocked, Pins, RegisterBus, Several};
use rand::Rng;
use std::collections::{BTreeMap, VecDeque};

/// A compiled device and the time of its coming edge.
pub struct Device {
    bench: BenchBlock,
    beat: [PortHandle; 2],
    edges: Oscillator,
    pub edge: u64,
}

impl Clocked for Device {
    fn pins(&mut self) -> &mut dyn Pins {
        &mut self.bench
    }

    fn clock(&mut self) {
        self.bench.clock();
        self.edge = self.edges.next().expect("an edge");
        self.bench.settle();
    }
}

impl Device {
    fn new(core_ps: u64, ppb: i64, period: u64) -> Self {
        Self::of_trees(core_ps, ppb, period, 1)
    }

    pub fn of_trees(core_ps: u64, ppb: i64, period: u64, trees: u64) -> Self {
        let inc = increment(core_ps * 1000);
        let settings = [("inc_nom", inc), ("period", period), ("trees", trees)];
        let block = build("time_device", &settings).block;
        let mut bench = BenchBlock::boxed("time_device", block);
        bench.set("time_out.ready", 1);
        let beat = ["time_out.valid", "time_out.data"].map(|path| bench.port(path));
        let mut edges =
            Oscillator::new(core_ps, 100_000 + ppb.unsigned_abs() % 1000, 1, "core").offset_ppb(ppb);
        let edge = edges.next().expect("an edge");
        Device { bench, beat, edges, edge }
    }

    /// A request of a device that stands alone.
    fn request(&mut self, offset: u32, write: Option<u64>) -> u64 {
        RegisterBus::new().ask(self, offset, write).value
    }

    pub fn sync(&self) -> u128 {
        wide(&self.bench.0.get(self.bench.port("sync")))
    }

    /// The flits of the beat offered in this clock.
    pub fn flits(&self) -> Option<[Option<TimeFlit>; 2]> {
        if !self.bench.0.get_bit(self.beat[0]) {
            return None;
        }
        let beat = self.bench.0.get(self.beat[1]);
        Some([0, 1].map(|slot| TimeFlit::decode(flit_of(&beat, slot))))
    }
}

/// Device 0, a master, and device 1, a slave, over a delay line without meter errors: what a Low waits for the slave's edge
/// is added to its value, as `time_extract` adds a lag.
struct Pair {
    devices: [Device; 2],
    delay_ps: u64,
    line: VecDeque<(u64, [Option<TimeFlit>; 2])>,
    high: Option<TimeFlit>,
    /// Something was given to the slave in its last clock.
    was_given: bool,
}

impl Pair {
    fn new(core_ps: u64, period: u64) -> Self {
        let devices = [Device::new(core_ps, 150_001, period), Device::new(core_ps, -200_002, period)];
        Pair { devices, delay_ps: 412_500, line: VecDeque::new(), high: None, was_given: false }
    }

    /// The edge that comes first; says whose it was.
    fn step(&mut self) -> usize {
        let [master, slave] = &mut self.devices;
        if master.edge <= slave.edge {
            if let Some(beat) = master.flits() {
                self.line.push_back((master.edge + self.delay_ps, beat));
            }
            master.clock();
            return 0;
        }
        let arrives = self.high.is_some() || self.line.front().is_some_and(|(time, _)| *time <= slave.edge);
        if !arrives && !self.was_given {
            slave.clock();
            return 1;
        }
        self.was_given = arrives;
        let mut inputs = [("low.valid", 0), ("low.data", 0), ("high.valid", 0), ("high.data", 0)];
        if let Some(high) = self.high.take() {
            (inputs[2].1, inputs[3].1) = (1, payload(high));
        }
        if self.line.front().is_some_and(|(time, _)| *time <= slave.edge) {
            let (time, [first, second]) = self.line.pop_front().expect("it is there");
            if let Some(TimeFlit::Low(low)) = first {
                self.high = second;
                let lag = ((slave.edge - time) << FINE_BITS) / 1000;
                let value = low.value.plus(lag_sixteenths(lag as i32));
                (inputs[0].1, inputs[1].1) = (1, payload(TimeFlit::Low(TimeLow { value, ..low })));
            }
        }
        slave.set_all(&inputs);
        slave.clock();
        1
    }

    fn request(&mut self, device: DeviceId, offset: u32, write: Option<u64>) -> Result<u64, AccessError> {
        RegisterBus::new().access(&mut self.one(device as usize), device, offset, write)
    }

    fn run_periods(&mut self, periods: u64, units: u64) {
        let end = self.devices[1].edge + periods * units * 1_048_576_000;
        while self.devices[1].edge < end {
            self.step();
        }
    }

    /// F_ACC of the slave over INC_NOM, in 2^-32.
    fn frequency(&mut self) -> i128 {
        let f_acc = self.request(1, regs::F_ACC, None).expect("there");
        let inc = self.request(1, regs::INC_NOM, None).expect("there");
        let signed = (f_acc << (64 - F_ACC_BITS)) as i64 >> (64 - F_ACC_BITS);
        (i128::from(signed) << 16) / i128::from(inc)
    }

    fn state(&mut self) -> ServoState {
        self.request(1, regs::LOCAL_TIME, None).expect("there");
        let info = self.request(1, regs::SYNC_INFO, None).expect("there");
        let state = regs::sync_info::state::FIELD.get(info.into()) as u8;
        let status = self.request(1, regs::SERVO_STAT, None).expect("there");
        assert_eq!(regs::servo_stat::state::FIELD.get(status.into()) as u8, state);
        ServoState::from_code(state).expect("a state")
    }
}

impl Several for Pair {
    fn pins_of(&mut self, index: usize) -> &mut dyn Pins {
        self.devices[index].pins()
    }

    fn edge(&mut self) -> Option<usize> {
        Some(self.step())
    }
}

impl RegisterAccess for Pair {
    fn read(&mut self, device: DeviceId, offset: u32) -> Result<u64, AccessError> {
        self.request(device, offset, None)
    }

    fn write(&mut self, device: DeviceId, offset: u32, value: u64) -> Result<(), AccessError> {
        self.request(device, offset, Some(value)).map(|_| ())
    }

    fn wait_us(&mut self, microseconds: u64) {
        let end = self.devices[1].edge + microseconds * 1_000_000;
        while self.devices[1].edge < end {
            self.step();
        }
    }
}

/// A master and a slave, programmed by the manager.
fn started(core_ps: u64, period: u64) -> Pair {
    let mut topology = Topology::new();
    let [master, slave] = [(); 2].map(|()| topology.add(DeviceKind::Hfi));
    let link =
        topology.connect(Port { device: master, port: 0 }, Port { device: slave, port: 0 }).expect("free");
    let mut manager = Manager::new(topology, increment(core_ps * 1000), TreePolicy::ShortestDelay);
    let mut pair = Pair::new(core_ps, period);
    let delay = ((pair.delay_ps << FINE_BITS) / 1000) as i64;
    manager.links_mut().set(link, Some(LinkDelays { by_end: [delay; 2] }));
    let plan = manager.plan(master, 0).expect("a tree");
    pair.write(0, regs::SET_TIME, 1_700_000_000_000_000_000).expect("there");
    pair.write(0, regs::SET_CMD, 1).expect("there");
    let generation = Generation { period, phase: 0, high_every: 3, quality: 1 };
    manager.start(&mut pair, &plan, 2, &generation).expect("programmed");
    pair
}

/// T17 on hardware: the manager programs a master and a slave; hardware and software servo find the same drift.
#[test]
fn t17_manager_and_servos_agree_on_compiled_hardware() {
    let (core_ps, period, most) = match depth() {
        Depth::Quick => (51_200, 1, 13),
        _ => (51_200, 8, 4),
    };
    let mut pair = started(core_ps, period);
    let mut periods = 0;
    while pair.state() != ServoState::Track {
        pair.run_periods(1, period);
        periods += 1;
        assert!(periods <= 12, "{:?}", pair.state());
    }
    pair.run_periods(16, period);
    let mut hardware = 0;
    for _ in 0..64 {
        pair.run_periods(1, period);
        hardware += pair.frequency();
    }
    let hardware = hardware / 64;
    // The FIFO of 8 was not read for long: the oldest are gone, and that is said.
    let status = pair.read(1, regs::SMP_STAT).expect("there");
    assert_eq!(
        (regs::smp_stat::level::FIELD.get(status.into()), regs::smp_stat::overflow::FIELD.get(status.into())),
        (8, 1)
    );
    assert!(pair.read(1, regs::TREE_COUNTERS.offset_of("SMP_OVER").expect("a counter")).expect("there") > 60);
    while let Some(sample) = read_sample(&mut pair, 1, 0).expect("there") {
        let low = pair.read(1, regs::MASTER_LOW).expect("there");
        let high = pair.read(1, regs::MASTER_HIGH).expect("there");
        assert_eq!(sample.master_ns & ((1 << 40) - 1), regs::master_low::time::FIELD.get(low.into()));
        assert_eq!(sample.master_ns >> 40, regs::master_high::time::FIELD.get(high.into()) >> 8);
        assert_eq!(regs::master_high::quality::FIELD.get(high.into()), 1);
    }
    let servo = ServoConfig::new(period, increment(core_ps * 1000)).expect("a period");
    let mut software = SoftwareServo::new(&mut pair, 1, 0, servo).expect("taken over");
    let (mut sum, mut samples) = (0, 0);
    for round in 0..96 {
        pair.run_periods(1, period);
        samples += software.poll(&mut pair).expect("polled");
        if round >= 32 {
            sum += pair.frequency();
        }
    }
    let fitted = i128::from(software.fitted_drift().expect("64 samples"));
    let by_software = sum / 64;
    println!("TRACK after {periods} periods; drift in 2^-32: hardware {hardware}, software {by_software}, fitted {fitted}");
    assert!(samples >= 95 && software.state() == ServoState::Track, "{samples} {:?}", software.state());
    // 1 ppb is 4.3 in 2^-32; the oscillators are 150,001 ppb fast and 200,002 ppb slow.
    let truth = (i128::from(150_001 + 200_002) << 32) / (1_000_000_000 - 200_002);
    assert!((hardware - truth).abs() <= 4, "{hardware} {truth}");
    // Samples are read in whole nanoseconds: over 64 short periods the fit is good to 3 ppb.
    assert!((hardware - by_software).abs() <= 4, "{hardware} {by_software}");
    assert!((hardware - fitted).abs() <= most, "{hardware} {fitted}");
    assert_eq!(pair.read(0, regs::CORE_COUNTERS.offset_of("STEPS").expect("a counter")).expect("there"), 1);
}

/// SET_CMD on a generating master raises its era (4.6 rule 4): the Low that follows has the next one.
#[test]
fn a_set_command_on_a_master_raises_the_era() {
    let mut pair = started(51_200, 1);
    pair.run_periods(3, 1);
    let era = |pair: &mut Pair| {
        while read_sample(pair, 1, 0).expect("there").is_some() {}
        pair.run_periods(2, 1);
        assert_eq!(pair.read(1, regs::SMP_POP).expect("there"), 1);
        regs::master_low::era::FIELD.get(pair.read(1, regs::MASTER_LOW).expect("there").into())
    };
    // Both banks, so that both eras are stored.
    pair.write(1, regs::SMP_STAT, 3 << 11).expect("there");
    assert_eq!(era(&mut pair), 2);
    pair.write(0, regs::SET_CMD, 2).expect("there");
    pair.run_periods(2, 1);
    assert_eq!(era(&mut pair), 3);
}

/// Section 8, example 8: equation (1), written by the library into the registers of two compiled slaves.
#[test]
fn vector_8_reaches_the_registers() {
    struct Mixed(BTreeMap<(DeviceId, u32), u64>, BTreeMap<DeviceId, Device>);
    impl RegisterAccess for Mixed {
        fn read(&mut self, device: DeviceId, offset: u32) -> Result<u64, AccessError> {
            let memory = self.0.get(&(device, offset)).copied().unwrap_or(0);
            Ok(self.1.get_mut(&device).map_or(memory, |compiled| compiled.request(offset, None)))
        }
        fn write(&mut self, device: DeviceId, offset: u32, value: u64) -> Result<(), AccessError> {
            match self.1.get_mut(&device) {
                Some(compiled) => drop(compiled.request(offset, Some(value))),
                None => drop(self.0.insert((device, offset), value)),
            }
            Ok(())
        }
        fn wait_us(&mut self, _: u64) {}
    }
    let mut topology = Topology::new();
    let shape = RingShape { stops: 12, hop_registers: 1, ratio: 2 };
    let master = topology.add(DeviceKind::Hfi);
    let [first, second, third] = [(); 3].map(|()| topology.add(DeviceKind::Switch(shape)));
    let [near, far] = [(); 2].map(|()| topology.add(DeviceKind::Hfi));
    let links = [
        ((master, 0), (first, 0), 41_250),
        ((first, 3), (second, 0), 65_525),
        ((second, 5), (near, 0), 39_875),
        ((second, 2), (third, 0), 70_100),
        ((third, 6), (far, 0), 40_500),
    ];
    let port = |(device, port)| Port { device, port };
    for (a, b, _) in links {
        topology.connect(port(a), port(b)).expect("free ports");
    }
    let mut manager = Manager::new(topology, increment(6_400_000), TreePolicy::ShortestDelay);
    for (link, (.., hundredths)) in links.into_iter().enumerate() {
        manager.links_mut().set(link as u32, Some(LinkDelays { by_end: [hundredths * 256 / 100; 2] }));
    }
    let compiled = [near, far].map(|device| (device, Device::new(6_400, 0, 95)));
    let mut access = Mixed(BTreeMap::new(), compiled.into_iter().collect());
    let plan = manager.plan(master, 0).expect("a tree");
    let generation = Generation { period: 95, phase: 0, high_every: 10, quality: 0 };
    manager.start(&mut access, &plan, 1, &generation).expect("written");
    for (device, offset) in [(near, 0x6274D), (far, 0x9175A)] {
        let registers = [regs::CLOCK_OFFSET1, regs::CLOCK_OFFSET0, regs::SMP_STAT, regs::TREE_PRIO];
        let found = registers.map(|register| access.read(device, register).expect("there"));
        assert_eq!(found, [offset, 0, 2 << 11, 0x100], "era 1 is bank 1");
    }
}

/// Section 8, example 9 at period 1: gains after power-on, and what e = 3.5 ns does in TRACK.
#[test]
fn vector_9_on_the_registers() {
    let mut device = Device::new(6_400, 0, 1);
    assert_eq!(device.request(regs::GAIN, None), 0x666666 | 0xCCCCD << 32);
    assert_eq!(device.request(regs::GAIN_ACQ, None), 0x666666 | 163_840 << 32);
    assert_eq!(device.request(regs::SLEW_CNT, None), 81_920 << 32);
    // One sample within LOCK_THR locks.
    let lock = device.request(regs::LOCK_CFG, None);
    device.request(regs::LOCK_CFG, Some(regs::lock_cfg::samples::FIELD.set(lock.into(), 1) as u64));
    device.request(regs::SMP_STAT, Some(1 << 11));
    let sample = |device: &mut Device, error: u64| {
        // The Low is SyncTime of its clock in 1/16 ns; the offset makes up for what is cut off, which comes again every five clocks.
        let cut = |device: &Device| (device.sync() >> 24 & 15) as u64;
        let rest = cut(device);
        device.request(regs::CLOCK_OFFSET0, Some(error + rest));
        while cut(device) != rest {
            device.clock();
        }
        let sixteenths = device.sync() >> 28;
        let low = (sixteenths >> 4 & ((1 << 40) - 1)) as u64 | ((sixteenths & 15) as u64) << 44;
        device.set_all(&[("low.valid", 1), ("low.data", low)]);
        device.clock();
        let high = (sixteenths >> 36) as u64;
        device.set_all(&[("low.valid", 0), ("high.valid", 1), ("high.data", high)]);
        device.clock();
        device.set_all(&[("high.valid", 0)]);
        (0..163_840 - 40).for_each(|_| device.clock());
    };
    sample(&mut device, 0);
    sample(&mut device, 0);
    sample(&mut device, 0);
    let status = device.request(regs::SERVO_STAT, None);
    assert_eq!(status, u64::from(ServoState::Track.code()) << 32, "no error, TRACK, tree 0");
    let before = device.request(regs::F_ACC, None);
    assert_eq!(before, 0, "no error moved it");
    sample(&mut device, 896);
    assert_eq!(device.request(regs::SERVO_STAT, None) & 0xFFFF_FFFF, 896);
    assert_eq!(device.request(regs::SLEW_P, None), 91_750);
    assert_eq!(device.request(regs::F_ACC, None), 751_619_456);
    assert_eq!(device.request(regs::EVENT, None) & 1, 1, "lock");
}

/// T8: reads of LOCAL_TIME and the shadow after it are of one edge: LocalTime and SyncTime differ by what a step left, whatever goes on.
#[test]
fn t08_shadow_reads_over_the_bus_are_never_torn() {
    // Four registers each: a million of them in the full run.
    let reads = match depth() {
        Depth::Quick => 5_000,
        _ => 250_000,
    };
    let mut random = rng(seed(0x50C3), "bus");
    let mut device = Device::new(6_400, 0, 1);
    device.request(regs::SET_TIME, Some((1 << 40) - 1));
    device.request(regs::SET_CMD, Some(1));
    (0..20).for_each(|_| device.clock());
    let read = |device: &mut Device, wait: u64| {
        let local = device.request(regs::LOCAL_TIME, None);
        (0..wait).for_each(|_| device.clock());
        let [local_frac, sync, info] =
            [regs::LOCAL_FRAC, regs::SYNC_TIME, regs::SYNC_INFO].map(|offset| device.request(offset, None));
        assert_eq!(regs::sync_info::epoch::FIELD.get(info.into()), 1);
        let whole = |ns: u64, frac: u64| u128::from(ns) << 32 | u128::from(frac & 0xFFFF_FFFF);
        (local, whole(sync, info).wrapping_sub(whole(local, local_frac)))
    };
    let (mut before, first) = read(&mut device, 1);
    for _ in 0..reads {
        let (local, difference) = read(&mut device, random.random_range(0..4));
        assert_eq!(difference, first);
        assert!(local > before, "{local} after {before}");
        before = local;
    }
    assert_eq!(first >> 64, u128::from(((1_u64 << 40) - 1) >> 32));
}
