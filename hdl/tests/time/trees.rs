//! Hot standby on compiled hardware: a slave of two trees, whose masters are two other devices (chapter 20, 4.7 rule 6, section 7 rule 6).
//!
//! Device 0 is the master of tree 0; device 1 follows it and is the master of tree 1; device 2 follows tree 0, else tree 1. They stand at delay lines
//! without meter errors, programmed over their register buses.

use crate::time::device::Device;
use crate::time::support::payload;
use flitforge_model::time::correction::lag_sixteenths;
use flitforge_model::time::{TimeFlit, TimeLow};
use flitforge_protocol::time::FINE_BITS;
use flitforge_protocol::time_registers::{
    self as regs, event, gen_cfg, lock_cfg, mstr_ctl, servo_stat, smp_stat, tree_prio,
};
use flitforge_protocol::time_servo::ServoState;
use flitforge_protocol::Field;
use flitforge_testkit::{Clocked, Pins, RegisterBus, Several};
use std::collections::VecDeque;

const CORE_PS: u64 = 51_200;
const PERIOD_PS: u64 = 1_048_576_000;
/// Offsets of the oscillators, parts per billion.
const PPB: [i64; 3] = [150_001, -200_002, 50_003];
/// Lines: from, to, ps.
const LINES: [(usize, usize, u64); 3] = [(0, 1, 412_500), (0, 2, 300_250), (1, 2, 207_125)];
/// GEN_PHASE of the two masters, 2^12 ns: at least 64 us apart.
const PHASES: [u64; 2] = [0, 64];
const HOLD_N: u64 = 4;
const BACKUP: usize = 1;
const SLAVE: usize = 2;
/// A bit of EVENT.
const TREE_CHANGE: u64 = 1 << event::tree::LOW;

struct Net {
    devices: Vec<Device>,
    /// By device: flits on their way to it, in the order of their arrival.
    arriving: Vec<VecDeque<(u64, [Option<TimeFlit>; 2])>>,
    high: Vec<Option<TimeFlit>>,
    was_given: Vec<bool>,
}

fn put(word: u64, field: Field, value: u64) -> u64 {
    field.set(word.into(), value) as u64
}

impl Several for Net {
    fn pins_of(&mut self, index: usize) -> &mut dyn Pins {
        self.devices[index].pins()
    }

    fn edge(&mut self) -> Option<usize> {
        Some(self.step())
    }
}

impl Net {
    fn new() -> Self {
        let trees = [1, 1, 2];
        let device = |index: usize| Device::of_trees(CORE_PS, PPB[index], 1, trees[index]);
        Self {
            devices: (0..3).map(device).collect(),
            arriving: vec![VecDeque::new(); 3],
            high: vec![None; 3],
            was_given: vec![false; 3],
        }
    }

    /// The edge that comes first; says whose it was.
    fn step(&mut self) -> usize {
        let index = (0..3).min_by_key(|index| self.devices[*index].edge).expect("some");
        let edge = self.devices[index].edge;
        if let Some(beat) = self.devices[index].flits() {
            for (_, to, delay) in LINES.into_iter().filter(|(from, _, _)| *from == index) {
                let line = &mut self.arriving[to];
                let place = line.partition_point(|(time, _)| *time <= edge + delay);
                line.insert(place, (edge + delay, beat));
            }
        }
        let mut inputs = [("low.valid", 0), ("low.data", 0), ("high.valid", 0), ("high.data", 0)];
        if let Some(high) = self.high[index].take() {
            (inputs[2].1, inputs[3].1) = (1, payload(high));
        }
        let due = |(time, _): &(u64, [Option<TimeFlit>; 2])| *time <= edge;
        if self.arriving[index].front().is_some_and(due) {
            let (time, [first, second]) = self.arriving[index].pop_front().expect("it is there");
            if let Some(TimeFlit::Low(low)) = first {
                self.high[index] = second;
                let lag = ((edge - time) << FINE_BITS) / 1000;
                let value = low.value.plus(lag_sixteenths(lag as i32));
                (inputs[0].1, inputs[1].1) = (1, payload(TimeFlit::Low(TimeLow { value, ..low })));
            }
        }
        let gives = inputs[0].1 + inputs[2].1 > 0;
        if gives || self.was_given[index] {
            self.devices[index].set_all(&inputs);
        }
        self.was_given[index] = gives;
        self.devices[index].clock();
        index
    }

    fn request(&mut self, index: usize, offset: u32, write: Option<u64>) -> u64 {
        RegisterBus::new().ask(&mut self.one(index), offset, write).value
    }

    fn read(&mut self, index: usize, offset: u32) -> u64 {
        self.request(index, offset, None)
    }

    fn write(&mut self, index: usize, offset: u32, value: u64) {
        self.request(index, offset, Some(value));
    }

    /// The device follows tree `tree` of the master at the other end of this line, in all eras.
    fn follow(&mut self, index: usize, tree: u32, delay_ps: u64) {
        let window = regs::tree(tree) - regs::TREE;
        for bank in [regs::CLOCK_OFFSET0, regs::CLOCK_OFFSET1] {
            self.write(index, window + bank, (delay_ps << FINE_BITS) / 1000);
        }
        self.write(index, window + regs::SMP_STAT, put(0, smp_stat::valid::FIELD, 3));
        let prio = self.read(index, regs::TREE_PRIO);
        let enabled = tree_prio::slave_en::FIELD.get(prio.into()) | 1 << tree;
        self.write(index, regs::TREE_PRIO, put(prio, tree_prio::slave_en::FIELD, enabled));
        let lock = self.read(index, regs::LOCK_CFG);
        self.write(index, regs::LOCK_CFG, put(lock, lock_cfg::hold::FIELD, HOLD_N));
    }

    fn generate(&mut self, index: usize, tree: u64, era: u64) {
        let config = [
            (gen_cfg::period::FIELD, 1),
            (gen_cfg::phase::FIELD, PHASES[index]),
            (gen_cfg::high_every::FIELD, 3),
        ];
        let config = config.into_iter().fold(0, |word, (field, value)| put(word, field, value));
        self.write(index, regs::GEN_CFG, config);
        let control = put(
            put(put(0, mstr_ctl::tree::FIELD, tree), mstr_ctl::era::FIELD, era),
            mstr_ctl::gen_en::FIELD,
            1,
        );
        self.write(index, regs::MSTR_CTL, control);
    }

    /// SyncTime of a device less that of device 0 at one time, in ps.
    fn error_ps(&self, index: usize) -> i64 {
        let picoseconds = |device: &Device| ((device.sync() * 1000) >> 32) as i64 - device.edge as i64;
        picoseconds(&self.devices[index]) - picoseconds(&self.devices[0])
    }

    /// The largest |error| of the slave over so many periods, looked at a hundred times in each.
    fn run(&mut self, periods: u64) -> i64 {
        let mut worst = 0;
        for _ in 0..100 * periods {
            let end = self.devices[SLAVE].edge + PERIOD_PS / 100;
            while self.devices[SLAVE].edge < end {
                self.step();
            }
            worst = worst.max(self.error_ps(SLAVE).abs());
        }
        worst
    }

    /// Servo state and tree followed of the slave.
    fn status(&mut self) -> (ServoState, u64) {
        let status = u128::from(self.read(SLAVE, regs::SERVO_STAT));
        let state = ServoState::from_code(servo_stat::state::FIELD.get(status) as u8).expect("a state");
        (state, servo_stat::tree::FIELD.get(status))
    }

    fn steps(&mut self) -> u64 {
        self.read(SLAVE, regs::CORE_COUNTERS.offset_of("STEPS").expect("a counter"))
    }
}

/// All three at work, the slave locked to tree 0.
fn started() -> Net {
    let mut net = Net::new();
    net.write(0, regs::SET_TIME, 1_700_000_000_000_000_000);
    net.write(0, regs::SET_CMD, 1);
    for (from, to, delay) in LINES {
        net.follow(to, from as u32, delay);
    }
    // A device is master or slave of a tree, and device 1 is built for tree 0 alone.
    net.generate(0, 0, 1);
    net.generate(BACKUP, 1, 2);
    net.write(0, regs::TREE_PRIO, 0);
    let prio = net.read(SLAVE, regs::TREE_PRIO);
    let order = [
        (tree_prio::first::FIELD, 0),
        (tree_prio::second::FIELD, 1),
        (tree_prio::third::FIELD, 2),
        (tree_prio::fourth::FIELD, 3),
    ];
    let prio = order.into_iter().fold(prio, |word, (field, tree)| put(word, field, tree));
    net.write(SLAVE, regs::TREE_PRIO, prio);
    net.run(24);
    assert_eq!(net.status(), (ServoState::Track, 0));
    net
}

/// T15 on hardware: the first master falls silent, the slave follows the second one, and goes back when the first returns in its next era;
/// SyncTime is stepped by neither and stays within a clock of the first master's.
#[test]
fn t15_a_slave_changes_to_the_hot_backup_and_back() {
    let mut net = started();
    assert_eq!(regs::time_id::trees::FIELD.get(net.read(SLAVE, regs::TIME_ID).into()), 2);
    let locked = net.run(8);
    net.write(SLAVE, regs::EVENT, 0xff);
    let steps = net.steps();
    // Samples of both trees are there for software, while one feeds the servo.
    for tree in 0..2 {
        let status = net.read(SLAVE, regs::tree(tree)).into();
        assert_eq!(
            (smp_stat::level::FIELD.get(status), smp_stat::era_known::FIELD.get(status)),
            (8, 1),
            "tree {tree}"
        );
    }

    net.write(0, regs::MSTR_CTL, 0);
    let silent = net.run(HOLD_N - 1);
    assert_eq!((net.status().1, net.read(SLAVE, regs::EVENT) & TREE_CHANGE), (0, 0), "not yet");
    let changing = net.run(6);
    assert_eq!(net.status(), (ServoState::Track, 1));
    assert_eq!(net.read(SLAVE, regs::EVENT) & TREE_CHANGE, TREE_CHANGE);
    let backup = net.run(6);

    net.write(SLAVE, regs::EVENT, 0xff);
    net.generate(0, 0, 2);
    let returned = net.run(8);
    assert_eq!(net.status(), (ServoState::Track, 0));
    assert_eq!(net.read(SLAVE, regs::EVENT) & TREE_CHANGE, TREE_CHANGE);
    assert_eq!(net.steps(), steps, "no step");
    println!(
        "worst error in ps: {locked} locked, {silent} without a master, {changing} through the change, {backup} behind the backup, {returned} through the return"
    );
    assert!([locked, silent, changing, backup, returned].iter().all(|worst| *worst < CORE_PS as i64));
}

/// A backup that stands first in the list is followed although the other master is alive; SLAVE_EN takes it out again.
#[test]
fn the_order_of_tree_prio_decides() {
    let mut net = started();
    let prio = net.read(SLAVE, regs::TREE_PRIO);
    let turned = put(put(prio, tree_prio::first::FIELD, 1), tree_prio::second::FIELD, 0);
    net.write(SLAVE, regs::TREE_PRIO, turned);
    net.run(2);
    assert_eq!(net.status(), (ServoState::Track, 1));
    net.write(SLAVE, regs::TREE_PRIO, put(turned, tree_prio::slave_en::FIELD, 1));
    let worst = net.run(4);
    assert_eq!(net.status(), (ServoState::Track, 0));
    assert!(worst < CORE_PS as i64, "{worst}");
}
