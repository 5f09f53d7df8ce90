//! A slave that follows its master over a link: lock, error, the second.

use crate::time_hfi::rig::{Rig, CORE, EPOCH_NS, PERIOD_CLOCKS, PULSE_CLOCKS};
use flitforge_protocol::time_registers as regs;
use flitforge_protocol::time_servo::ServoState;
use flitforge_testkit::Clocked;

/// A nanosecond, 2^-32 ns.
const NS: i128 = 1 << 32;

/// T13, T12 at one hop: a slave whose clock is 100 ppm off in INC_NOM locks within 12 periods, with packets on the link, and then |error| <= T
/// and |mean error| < 1 ns.
#[test]
fn a_slave_locks_and_stays_within_a_clock_of_its_master() {
    for (delays, ppm) in [([3, 3], 100), ([9, 9], -150)] {
        follow(Rig::new("lock", delays), delays, ppm);
    }
}

/// The same with a master that has no slave in it, and a slave without generator.
#[test]
fn a_slave_alone_follows_a_master_alone() {
    follow(Rig::of_roles("roles", [4, 4]), [4, 4], 100);
}

fn follow(mut rig: Rig, delays: [u64; 2], ppm: i64) {
    rig.come_up();
    let nominal = rig.register(1, regs::INC_NOM);
    assert_eq!(nominal, 50 << 32);
    rig.put(1, regs::INC_NOM, nominal.wrapping_add_signed(nominal as i64 / 1_000_000 * ppm));
    rig.start(EPOCH_NS, 2);
    for way in &mut rig.ways {
        way.pace = 0.5;
    }
    let periods = rig.lock(12);
    rig.run(8 * PERIOD_CLOCKS);
    rig.compare();
    rig.run(16 * PERIOD_CLOCKS);
    let (least, most, mean) = rig.differences();
    let picoseconds = [least, most, mean].map(|difference| difference * 1000 / NS);
    println!("{delays:?} words, {ppm} ppm: TRACK after {periods} periods, then slave less master {picoseconds:?} ps (least, most, mean)");
    assert!(least >= -CORE && most <= CORE && mean.abs() < NS, "{picoseconds:?} ps");
    assert_eq!(rig.state(1), ServoState::Track);
    assert_eq!(rig.get("locked[1]"), 1);
    rig.drain();
}

/// Both ends' `pps` rises 2 clocks after the first SyncTime at or past a second, in the same clock or one beside it.
#[test]
fn the_pulses_of_both_ends_agree() {
    let mut rig = Rig::new("second", [5, 5]);
    rig.come_up();
    // 20 periods to the next second.
    rig.start(EPOCH_NS + 1_000_000_000 - 20 * (1 << 20), 1);
    rig.lock(12);
    assert!(rig.pulses.iter().all(Vec::is_empty), "{:?}", rig.pulses);
    rig.run(20 * PERIOD_CLOCKS);
    for end in 0..2 {
        println!("end {end}: {:?}", rig.pulses[end]);
        assert_eq!(rig.pulses[end].len(), 1, "one second has begun");
        let (_, at) = rig.pulses[end][0];
        assert!((EPOCH_NS + 1_000_000_000..EPOCH_NS + 1_000_000_051).contains(&at), "{at}");
        assert_eq!(rig.high_for[end], PULSE_CLOCKS);
    }
    assert!(rig.pulses[0][0].0.abs_diff(rig.pulses[1][0].0) <= 1, "{:?}", rig.pulses);
}
