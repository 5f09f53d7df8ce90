//! A clock stop that can follow two trees: hot standby (chapter 20, 7 rule 6) and Lows that land together.

use crate::time_switch::clock::{Rig, PERIOD_CLOCKS, SIXTEENTH, TWO_TREES};
use flitforge_protocol::time_registers::{
    self as page, gain, gain_acq, lock_cfg, servo_stat, slew_cnt, tree_prio,
};
use flitforge_protocol::time_servo::ServoState;
use flitforge_testkit::Clocked;

/// Port upstream for trees 0 and 1: both are one hop from the clock stop, on different rings.
const UPSTREAM: [usize; 2] = [0, 2];
/// Periods without a sample before a tree counts as lost.
const HOLD_N: u64 = 4;

/// Both trees enabled, tree 0 first.
fn started() -> Rig {
    let mut rig = Rig::new(TWO_TREES);
    (0..2).for_each(|tree| rig.follow(tree, UPSTREAM[tree as usize]));
    let fields = [
        (tree_prio::first::FIELD, 0),
        (tree_prio::second::FIELD, 1),
        (tree_prio::third::FIELD, 2),
        (tree_prio::fourth::FIELD, 3),
        (tree_prio::slave_en::FIELD, 3),
    ];
    let prio = fields.into_iter().fold(0, |word, (field, value)| field.set(word, value));
    rig.write(page::TREE_PRIO, prio as u64);
    // 4.9's gains for a period of so many clocks: HOLD_N counts them.
    let rounded = |divisor: u64| ((1 << 40) + divisor / 2) / divisor;
    let slew = PERIOD_CLOCKS / 2;
    rig.write(page::SLEW_CNT, slew << slew_cnt::length::LOW);
    rig.write(page::GAIN, rounded(2 * slew) | rounded(8 * PERIOD_CLOCKS) << gain::ki::LOW);
    rig.write(page::GAIN_ACQ, rounded(PERIOD_CLOCKS) | PERIOD_CLOCKS << gain_acq::nclk::LOW);
    let lock = rig.request(page::LOCK_CFG, None);
    rig.write(page::LOCK_CFG, lock_cfg::hold::FIELD.set(lock.into(), HOLD_N) as u64);
    // The period that has begun is of the length it was built for.
    rig.clear();
    rig
}

/// A period with a High and a Low of each of these trees, a quarter of it apart.
fn period(rig: &mut Rig, trees: &[u8]) {
    for tree in 0..2 {
        if trees.contains(&tree) {
            let high = rig.high(tree);
            rig.give(&[(UPSTREAM[usize::from(tree)], high)]);
            rig.run(99);
            let low = rig.low(tree);
            rig.give(&[(UPSTREAM[usize::from(tree)], low)]);
        } else {
            rig.run(101);
        }
        rig.run(PERIOD_CLOCKS / 4 - 101);
    }
    rig.run(PERIOD_CLOCKS / 2);
}

/// Servo state and tree that is followed.
fn status(rig: &mut Rig) -> (ServoState, u64) {
    let status = rig.request(page::SERVO_STAT, None).into();
    let state = ServoState::from_code(servo_stat::state::FIELD.get(status) as u8).expect("a state");
    (state, servo_stat::tree::FIELD.get(status))
}

fn samples(rig: &mut Rig, tree: u32) -> u64 {
    let counter = page::TREE_COUNTERS.offset_of("SMP_OK").expect("a counter");
    rig.request(counter + page::tree(tree) - page::TREE, None)
}

/// T15: the master of tree 0 falls silent, tree 1 is followed HOLD_N periods later, and tree 0 again when it is back; SyncTime stays.
#[test]
fn t15_a_clock_stop_changes_to_the_hot_backup_and_back() {
    let mut rig = started();
    (0..8).for_each(|_| period(&mut rig, &[0, 1]));
    assert_eq!(status(&mut rig), (ServoState::Track, 0));
    let mut worst = 0;
    for (trees, periods, followed) in [(&[1][..], HOLD_N + 4, 1), (&[0, 1], 6, 0)] {
        for _ in 0..periods {
            period(&mut rig, trees);
            worst = worst.max(rig.error().abs());
        }
        assert_eq!(status(&mut rig), (ServoState::Track, followed));
    }
    println!("worst error through change and return: {} ps", (worst * 1000) >> 32);
    assert!(worst <= SIXTEENTH, "{worst}");
}

/// Lows, or Highs, of both trees that land in one clock: the counter-clockwise ring's is dropped and counted, and the other one is right.
#[test]
fn of_flits_that_land_together_one_is_dropped_and_counted() {
    let mut rig = started();
    (0..8).for_each(|_| period(&mut rig, &[0, 1]));
    let over = page::RING_COUNTERS.offset_of("RING_WAIT_OVER").expect("a counter");
    let before = [samples(&mut rig, 0), samples(&mut rig, 1), rig.request(over, None)];
    let highs = [rig.high(0), rig.high(1)];
    rig.give(&[(UPSTREAM[0], highs[0]), (UPSTREAM[1], highs[1])]);
    rig.run(PERIOD_CLOCKS / 2);
    let lows = [rig.low(0), rig.low(1)];
    rig.give(&[(UPSTREAM[0], lows[0]), (UPSTREAM[1], lows[1])]);
    rig.run(PERIOD_CLOCKS / 2);
    let after = [samples(&mut rig, 0), samples(&mut rig, 1), rig.request(over, None)];
    // Port 0 is one hop counter-clockwise from the clock stop: tree 0's are dropped.
    assert_eq!([0, 1, 2].map(|at| after[at] - before[at]), [0, 1, 2]);
    assert!(rig.error().abs() <= SIXTEENTH);
}
