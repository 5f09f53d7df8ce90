//! T6: what goes wrong at a switch.

use crate::time_switch::model::PORTS;
use crate::time_switch::rig::{Build, Rig};
use flitforge_model::time::{TimeFlit, TimeHigh, TimeLow, TimeValue};
use flitforge_protocol::link::LinkState;
use flitforge_protocol::time_registers::{role, ROLE};
use flitforge_protocol::time_ring::{RingDirection, MAX_RING_RATIO};
use flitforge_testkit::Clocked;

const LOW: TimeLow = TimeLow { value: TimeValue::new(0x67_89AB_CDEF, 10), tree: 1, era: 2 };
const HIGH: TimeHigh = TimeHigh { time: 0x0123_4567, index: 0x2C, tree: 1, era: 2, quality: 1 };
const TREE: usize = 1;

/// Tree 1 from port 0 to ports 1 and 3.
fn tree() -> Rig {
    tree_of(Build::Full)
}

fn tree_of(build: Build) -> Rig {
    let mut rig = Rig::of(build);
    rig.role(0, TREE, true, None);
    rig.role(1, TREE, false, Some((0, RingDirection::Clockwise)));
    rig.role(3, TREE, false, Some((0, RingDirection::CounterClockwise)));
    rig
}

#[test]
fn a_port_that_is_not_upstream_takes_no_time() {
    let mut rig = tree();
    rig.send(2, TimeFlit::Low(LOW));
    rig.send(0, TimeFlit::Low(TimeLow { tree: 2, ..LOW }));
    rig.run(60);
    assert_eq!(rig.taken, [0; PORTS]);
    assert_eq!((rig.port_counter(2, "NOT_UPSTREAM"), rig.port_counter(0, "NOT_UPSTREAM")), (1, 1));
    assert_eq!((rig.port_counter(2, "EXTRACTED"), rig.port_counter(0, "EXTRACTED")), (0, 0));
}

/// Two upstream ports of one tree: the copies of the one that PATH does not name are dropped.
#[test]
fn the_second_upstream_port_of_a_tree_is_not_believed() {
    second_upstream_port(tree());
}

/// The same with rings of two edges per core clock.
#[test]
fn the_second_upstream_port_of_a_tree_on_fast_rings_is_not_believed() {
    second_upstream_port(tree_of(Build::Fast(2)));
}

fn second_upstream_port(mut rig: Rig) {
    rig.role(2, TREE, true, None);
    for wrong in 1..=5 {
        rig.send(2, TimeFlit::Low(LOW));
        rig.send(2, TimeFlit::High(HIGH));
        rig.run(60);
        assert_eq!(rig.taken, [0; PORTS]);
        assert_eq!(rig.port_counter(1, "WRONG_SRC"), 2 * wrong);
        assert_eq!(rig.port_counter(3, "WRONG_SRC"), 2 * wrong);
        assert_eq!(u64::from(rig.model.rings.counters.wrong_src), 4 * wrong);
    }
    rig.send(0, TimeFlit::Low(LOW));
    rig.run(60);
    assert_eq!(rig.taken, [0, 1, 0, 1], "the right one is");
}

/// Three trees that come to a port at once, on rings of four edges per core clock: more copies than can land or wait. Those that come through
/// are right, and the others are counted.
#[test]
fn copies_that_find_no_place_are_counted() {
    let mut rig = Rig::of(Build::Fast(4));
    let ups = 1..PORTS;
    for up in ups.clone() {
        rig.role(up, up, true, None);
        rig.role(0, up, false, Some((up, RingDirection::Clockwise)));
    }
    let sent = ups.len() as u64;
    for round in 1..=20 {
        let tree = |port: usize| ups.contains(&port).then_some(port as u8);
        rig.clock_with(
            &(0..PORTS).map(|port| Some(TimeFlit::Low(TimeLow { tree: tree(port)?, ..LOW }))).collect(),
        );
        rig.clock_with(
            &(0..PORTS).map(|port| Some(TimeFlit::High(TimeHigh { tree: tree(port)?, ..HIGH }))).collect(),
        );
        rig.run(60);
        let dropped = rig.model.dropped[0];
        assert!(dropped >= round && rig.model.late >= round, "{dropped} dropped, {} late", rig.model.late);
        assert_eq!(rig.ring_counter("RING_WAIT_OVER"), dropped);
        assert_eq!(rig.taken[0] + dropped, 2 * sent * round);
    }
}

/// ROLE with a tree in both directions is refused and counted.
#[test]
fn a_port_cannot_be_both_ends_of_a_tree() {
    let mut rig = tree();
    let refused = flitforge_protocol::time_registers::CORE_COUNTERS.offset_of("REFUSED").expect("a counter");
    let before = rig.port_read(1, ROLE);
    rig.port_write(1, ROLE, 3 << role::up_en::LOW | 2 << role::dn_en::LOW);
    assert_eq!((rig.port_read(1, ROLE), rig.read(refused)), (before, 1));
    rig.write(refused, 7);
    assert_eq!(rig.read(refused), 1, "only 0 is taken");
    rig.write(refused, 0);
    assert_eq!(rig.read(refused), 0);
}

/// `clear` at every clock of a transfer: nothing comes after it, and what is sent then comes as ever; counters and configuration stay.
#[test]
fn clear_in_the_middle_of_a_transfer() {
    clear_in_the_middle(tree());
}

/// The same with rings of two to four edges per core clock: `clear` is one core clock long.
#[test]
fn clear_in_the_middle_of_a_transfer_on_fast_rings() {
    (2..=MAX_RING_RATIO).for_each(|ratio| clear_in_the_middle(tree_of(Build::Fast(ratio))));
}

fn clear_in_the_middle(mut rig: Rig) {
    for clocks in 0..24 {
        rig.send(0, TimeFlit::Low(LOW));
        rig.send(0, TimeFlit::High(HIGH));
        rig.run(clocks);
        rig.clear();
        let taken = rig.taken.clone();
        rig.run(40);
        assert_eq!(rig.taken, taken, "cleared {clocks} clocks later");
        rig.send(0, TimeFlit::Low(LOW));
        rig.run(40);
        assert_eq!(rig.taken, [taken[0], taken[1] + 1, taken[2], taken[3] + 1]);
    }
    let extracted = rig.port_counter(0, "EXTRACTED");
    rig.clear();
    assert!(extracted > 24);
    assert_eq!(rig.port_counter(0, "EXTRACTED"), extracted);
    assert_eq!(rig.port_read(0, ROLE), 2);
}

/// A downstream port whose link is down counts EPOCH_HOLD once it is to be measured again, and the others go on.
#[test]
fn a_link_that_went_down_holds_time_back() {
    let mut rig = tree();
    let now = rig.port_read(1, ROLE);
    rig.port_write(1, ROLE, now | 1 << role::hold_on_epoch::LOW);
    rig.alone = true;
    rig.set("state[1]", LinkState::Down.code().into());
    rig.run(10);
    rig.set("state[1]", LinkState::Active.code().into());
    rig.run(10);
    rig.send(0, TimeFlit::Low(LOW));
    rig.send(0, TimeFlit::High(HIGH));
    rig.run(60);
    assert_eq!(rig.taken, [0, 0, 0, 2]);
    assert_eq!(rig.port_counter(1, "EPOCH_HOLD"), 2);
    let epoch = rig.port_read(1, flitforge_protocol::time_registers::EPOCH);
    rig.port_write(1, flitforge_protocol::time_registers::EPOCH, epoch & 0xFFFF | (epoch & 0xFFFF) << 16);
    rig.send(0, TimeFlit::Low(LOW));
    rig.run(60);
    assert_eq!(rig.taken, [0, 1, 0, 3], "the manager says it was measured");
}
