//! Chapter 20, section 7 and T17: the manager library on memory and on simulated devices.

#![allow(clippy::expect_used, reason = "in tests, helper functions included")]
use flitforge_fabric::fabric::Fabric;
use flitforge_fabric::manager::program::{Generation, Manager, PortPlan};
use flitforge_fabric::manager::software_servo::SoftwareServo;
use flitforge_fabric::manager::tables::{
    disagreements, measure_link, ring_table, LinkDelays, LinkMeasurement, RingCycles,
};
use flitforge_fabric::manager::tree::TreePolicy;
use flitforge_fabric::manager::{AccessError, ManagerError, RegisterAccess};
use flitforge_fabric::network::{Network, NetworkConfig};
use flitforge_fabric::topology::{DeviceId, DeviceKind, Port, Topology};
use flitforge_model::time::delay::RingShape;
use flitforge_model::time::{ServoConfig, TimeConfig};
use flitforge_protocol::time_registers as regs;
use flitforge_protocol::time_servo::ServoState;
use std::collections::BTreeMap;

/// INC_NOM of 156.25 MHz.
const INC: u64 = 0x06_6666_6666;
const SHAPE: RingShape = RingShape { stops: 12, hop_registers: 1, ratio: 2 };
const GENERATION: Generation = Generation { period: 1, phase: 0, high_every: 10, quality: 0 };

/// A write: device, port window, offset, value.
type Write = (DeviceId, u64, u32, u64);

/// Registers that are memory, a log of what was written, and a device that does not answer.
#[derive(Default)]
struct Memory {
    values: BTreeMap<(DeviceId, u64, u32), u64>,
    log: Vec<Write>,
    silent: Option<DeviceId>,
    /// A register that keeps its old value.
    stuck: Option<u32>,
}

impl Memory {
    /// Registers of the port window belong to the port that is selected.
    fn key(&self, device: DeviceId, offset: u32) -> (DeviceId, u64, u32) {
        let window = (regs::PORT..regs::TREE_PRIO).contains(&offset);
        let port = self.values.get(&(device, 0, regs::PORT_SEL)).copied().unwrap_or(0);
        (device, if window { port + 1 } else { 0 }, offset)
    }
}

impl RegisterAccess for Memory {
    fn read(&mut self, device: DeviceId, offset: u32) -> Result<u64, AccessError> {
        if self.silent == Some(device) {
            return Err(AccessError { device, offset, problem: "no answer" });
        }
        Ok(self.values.get(&self.key(device, offset)).copied().unwrap_or(0))
    }

    fn write(&mut self, device: DeviceId, offset: u32, value: u64) -> Result<(), AccessError> {
        self.read(device, offset)?;
        let key = self.key(device, offset);
        if self.stuck != Some(offset) {
            self.values.insert(key, value);
        }
        self.log.push((key.0, key.1, key.2, value));
        Ok(())
    }

    fn wait_us(&mut self, _: u64) {}
}

/// The clock tree of figures 10a and 10b: master 0, backup 1, switches 2, 3, 4 (1006, 1008, 1010), slaves 5, 6.
fn figure() -> Manager {
    let mut topology = Topology::new();
    let [master, backup] = [(); 2].map(|()| topology.add(DeviceKind::Hfi));
    let [first, second, third] = [(); 3].map(|()| topology.add(DeviceKind::Switch(SHAPE)));
    let [near, far] = [(); 2].map(|()| topology.add(DeviceKind::Hfi));
    let port = |device, port| Port { device, port };
    let links = [
        ((master, 0), (first, 0), 41250),
        ((first, 3), (second, 0), 65525),
        ((second, 5), (near, 0), 39875),
        ((second, 2), (third, 0), 70100),
        ((third, 6), (far, 0), 40500),
        ((backup, 0), (first, 2), 53025),
    ];
    let delays: Vec<i64> = links.iter().map(|(.., hundredths)| hundredths * 256 / 100).collect();
    for ((a, a_port), (b, b_port), _) in links {
        topology.connect(port(a, a_port), port(b, b_port)).expect("free ports");
    }
    let mut manager = Manager::new(topology, INC, TreePolicy::ShortestDelay);
    for (link, delay) in delays.into_iter().enumerate() {
        manager.links_mut().set(link as u32, Some(LinkDelays { by_end: [delay; 2] }));
    }
    manager
}

#[test]
fn vector_8_comes_out_of_the_library() {
    let manager = figure();
    let offsets = |master| {
        let plan = manager.plan(master, 0).expect("a tree");
        plan.offsets.rows.iter().copied().collect::<BTreeMap<_, _>>()
    };
    let (with_master, with_backup) = (offsets(0), offsets(1));
    assert_eq!((with_master[&5], with_master[&6]), (0x6274D, 0x9175A));
    assert_eq!((with_backup[&5], with_backup[&6]), (0x696A6, 0x986B3));
    assert_eq!(with_master.len(), 6, "the backup is a slave too");
}

#[test]
fn vector_8_is_written_in_the_order_of_the_chapter() {
    let manager = figure();
    let mut memory = Memory::default();
    let plan = manager.plan(0, 1).expect("a tree");
    manager.start(&mut memory, &plan, 3, &GENERATION).expect("written");
    assert_eq!(memory.values[&(5, 0, regs::tree(1) + 0x40)], 0x6274D, "era 3 is bank 1");
    let at = |wanted: &dyn Fn(&Write) -> bool| -> Vec<usize> {
        memory.log.iter().enumerate().filter(|(_, entry)| wanted(entry)).map(|(place, _)| place).collect()
    };
    let offsets = at(&|entry| entry.2 == regs::tree(1) + 0x40);
    let paths = at(&|entry| entry.2 == regs::PATH);
    let (down, up) =
        (at(&|e| e.2 == regs::ROLE && e.3 & 0xF0 != 0), at(&|e| e.2 == regs::ROLE && e.3 & 0xF != 0));
    let start = at(&|entry| entry.2 == regs::MSTR_CTL);
    let in_order = [&offsets, &paths, &down, &up, &start];
    assert!(in_order.iter().all(|group| !group.is_empty()));
    assert!(in_order.windows(2).all(|pair| pair[0].last() < pair[1].first()));
    let switches: Vec<DeviceId> = down.iter().map(|place| memory.log[*place].0).collect();
    assert!(switches.first() == Some(&4) && switches.last() == Some(&2), "from the leaves up: {switches:?}");
    // GEN_EN, tree 1, era 3, index 0.
    assert_eq!(memory.values[&(0, 0, regs::MSTR_CTL)], 1 | 1 << 1 | 3 << 3);
}

#[test]
fn a_change_writes_only_what_differs_and_every_offset() {
    let manager = figure();
    let mut memory = Memory::default();
    let (old, new) = (manager.plan(0, 0).expect("a tree"), manager.plan(1, 0).expect("a tree"));
    manager.start(&mut memory, &old, 0, &GENERATION).expect("written");
    memory.log.clear();
    manager.change(&mut memory, (&old, &new), 1, &GENERATION, true).expect("written");
    assert_eq!(memory.log[0], (0, 0, regs::MSTR_CTL, 0), "the old master stops first");
    let banks: Vec<_> = memory.log.iter().filter(|entry| entry.2 == regs::CLOCK_OFFSET1).collect();
    assert_eq!(banks.len(), 6, "all slaves, those that do not move too");
    let roles: Vec<_> = memory.log.iter().filter(|entry| entry.2 == regs::ROLE).collect();
    assert!(roles.iter().all(|entry| entry.0 == 2), "only the first switch changes: {roles:?}");
    assert_eq!(new.ports[&Port { device: 2, port: 3 }], PortPlan::Down { source: 2, ring: 0 });
    let slaves = |device| memory.values[&(device, 0, regs::TREE_PRIO)] >> 8 & 1;
    assert_eq!((slaves(0), slaves(1)), (1, 0), "the new master does not follow its own tree");
}

#[test]
fn refusals_and_silent_devices_are_reported() {
    let manager = figure();
    let plan = manager.plan(0, 0).expect("a tree");
    let mut stuck = Memory { stuck: Some(regs::ROLE), ..Memory::default() };
    let error = manager.start(&mut stuck, &plan, 0, &GENERATION).expect_err("ROLE is stuck");
    assert!(matches!(error, ManagerError::Refused { offset: regs::ROLE, .. }), "{error}");
    let mut silent = Memory { silent: Some(3), ..Memory::default() };
    let error = manager.start(&mut silent, &plan, 0, &GENERATION).expect_err("device 3 is silent");
    assert!(error.to_string().contains("device 3"), "{error}");
    assert!(matches!(manager.plan(99, 0), Err(ManagerError::Master { .. })));
    let mut lost = figure();
    lost.set_alive(0, false);
    assert!(matches!(lost.plan(0, 0), Err(ManagerError::Master { .. })));
    lost.set_alive(0, true);
    lost.set_alive(3, false);
    let plan = lost.plan(0, 0).expect("what is left");
    assert_eq!(lost.unreached(&plan), [3, 4, 5, 6]);
}

/// Two ways of equal delay: the lower device number wins; a dead one sends the tree the other way.
#[test]
fn ties_go_to_the_lowest_device_and_losses_round_it() {
    let chain = Topology::ladder(3, &TimeConfig::default()).expect("a ladder");
    let mut manager = Manager::new(chain.topology.clone(), INC, TreePolicy::FewestHops);
    for link in 0..chain.topology.links().len() {
        manager.links_mut().set(link as u32, Some(LinkDelays { by_end: [100; 2] }));
    }
    let upstream = |manager: &Manager, device: DeviceId| {
        let plan = manager.plan(chain.master, 0).expect("a tree");
        plan.tree.upstream[device as usize].map(|upstream| upstream.from)
    };
    let [a0, b0, a1, b1, ..] = chain.switches[..] else { panic!("six switches") };
    // b1 is two switches away over a1 and over b0, over b0 with the shorter rings: one link less to turn.
    let over = upstream(&manager, b1).expect("reached");
    assert!(over == a1 || over == b0);
    assert_eq!((upstream(&manager, a1), upstream(&manager, b0)), (Some(a0), Some(a0)));
    manager.set_alive(over, false);
    let other = if over == a1 { b0 } else { a1 };
    assert_eq!(upstream(&manager, b1), Some(other));
}

#[test]
fn ring_tables_agree_with_tokens_or_the_switch_is_not_used() {
    let rows = ring_table(&SHAPE, INC);
    assert_eq!(rows.len(), 132);
    let longest = rows.iter().max_by_key(|row| row.delay).expect("rows");
    assert_eq!((longest.path.clocks, longest.delay), (9, 14746)); // 57.6 ns
    let mut measured: Vec<RingCycles> = rows
        .iter()
        .map(|row| RingCycles {
            from: row.path.from,
            to: row.path.to,
            report: row.path.ring_cycles,
            token: row.path.ring_cycles,
        })
        .collect();
    assert_eq!(disagreements(&SHAPE, &measured), []);
    measured[7].token += 1;
    assert_eq!(disagreements(&SHAPE, &measured), [measured[7]]);
}

#[test]
fn links_are_measured_from_both_ends_and_asymmetry_raises_an_alarm() {
    let chain = Topology::chain(1, &TimeConfig::default()).expect("a chain");
    let config = NetworkConfig { max_ppb: 0, delay_ps: (500_000, 500_000), ..NetworkConfig::default() };
    let mut network = Network::new(chain.topology.clone(), chain.master, config).expect("a network");
    let how = LinkMeasurement { rounds_log2: 4, asymmetry: 0, tolerance: 51 };
    let measured = measure_link(&mut network, &chain.topology, 0, &how).expect("measured");
    // 500 ns of line and 20 words of 6.241 ns of nominal lags.
    let expected = (500_000 + 20 * 6_241) * 256 / 1000;
    for delay in measured.by_end {
        assert!((delay - expected).abs() <= 1638 / 64, "{delay} of {expected} (T/64)");
    }
    // Told of an asymmetry that is not there, both ends are off by half of it, in opposite directions.
    let wrong = LinkMeasurement { asymmetry: 512, ..how };
    let [there, back] = measure_link(&mut network, &chain.topology, 0, &wrong).expect("measured").by_end;
    assert!((there - back - 512).abs() <= 1, "{there} {back}");
    let strict = LinkMeasurement { tolerance: -1, ..how };
    let error = measure_link(&mut network, &chain.topology, 0, &strict).expect_err("alarm");
    assert!(matches!(error, ManagerError::Asymmetry { link: 0, .. }), "{error}");
    network.set_link(0, false);
    let error = measure_link(&mut network, &chain.topology, 0, &how).expect_err("no link");
    assert!(error.to_string().contains("link 0"), "{error}");
}

/// T17: hardware and software servo find the same drift; the slave stays within a clock.
#[test]
fn t17_the_software_servo_agrees_with_the_hardware() {
    let chain = Topology::chain(2, &TimeConfig::default()).expect("a chain");
    let config = NetworkConfig { gen_period: 95, ..NetworkConfig::default() };
    let fabric = Fabric::start(chain.topology, chain.master, config).expect("up");
    let mut network = fabric.network;
    let slave = chain.slaves[1];
    let frequency = |network: &mut Network| {
        let f_acc = (network.read(slave, regs::F_ACC).expect("there") << 10) as i64 >> 10;
        (i128::from(f_acc) << 16) / i128::from(INC)
    };
    network.run_periods(64);
    let hardware = frequency(&mut network);
    let servo = ServoConfig::new(95, INC).expect("99.6 ms");
    while network.read(slave, regs::SMP_POP).expect("there") == 1 {}
    let mut software = SoftwareServo::new(&mut network, slave, 0, servo).expect("taken over");
    let mut samples = 0;
    for period in 0..100 {
        network.run_periods(1);
        samples += software.poll(&mut network).expect("polled");
        let error = network.error_fs(slave);
        assert!(period < 16 || error.abs() <= 6_400_000, "period {period}: {error} fs");
    }
    assert!(samples >= 99 && software.state() == ServoState::Track, "{samples} {:?}", software.state());
    let fitted = i128::from(software.fitted_drift().expect("64 samples"));
    let last = i128::from(software.drift().expect("two samples"));
    // 1 ppb is 4.3 in 2^-32. Two samples alone are good to the nanoseconds they are read in: 20 ppb.
    println!("drift in 2^-32: hardware {hardware}, software {fitted}, last two samples {last}");
    assert!((hardware - fitted).abs() <= 4, "{hardware} {fitted}");
    assert!((frequency(&mut network) - fitted).abs() <= 4, "F_ACC of the software servo");
    assert!((hardware - last).abs() <= 90, "{hardware} {last}");
}

#[test]
fn offsets_of_a_hundred_thousand_slaves_take_less_than_a_second() {
    let fabric = Topology::tree(3, 47, &TimeConfig::default()).expect("103,823 slaves");
    let mut manager = Manager::new(fabric.topology.clone(), INC, TreePolicy::ShortestDelay);
    for link in 0..fabric.topology.links().len() {
        manager.links_mut().set(link as u32, Some(LinkDelays { by_end: [100_000 + link as i64; 2] }));
    }
    let start = std::time::Instant::now();
    let plan = manager.plan(fabric.master, 0).expect("a tree");
    println!("tree, offsets and roles of {} slaves: {:?}", fabric.slaves.len(), start.elapsed());
    assert_eq!(plan.offsets.rows.len(), fabric.topology.devices().len() - 1);
    assert!(manager.unreached(&plan).is_empty());
}
