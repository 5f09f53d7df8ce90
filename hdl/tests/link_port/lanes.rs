//! Lanes that fail in traffic: 4 -> 3 -> 2 -> 1, refused at MIN_LANES, and back.

use crate::link_port::rig::Rig;
use crate::link_port::{short, wide};
use flitforge_protocol::counter::LinkCounter;
use flitforge_protocol::link::LinkState;
use flitforge_protocol::link_registers::{ctrl, degrade, event, lanes, CTRL, DEGRADE, EVENT, LANE, LANES};
use flitforge_sim::kit::seed;
use flitforge_testkit::{Clocked, Noise};

/// DEGRADE with the chapter's TH and STAND_OUT and this MIN_LANES.
pub fn degrade(min_lanes: u64) -> u64 {
    1 | (min_lanes - 1) << degrade::min_lanes::LOW
        | 2 << degrade::threshold::LOW
        | 2 << degrade::stand_out::LOW
}

/// One lane of the direction from end 0 is noisy until it is removed.
pub fn break_lane(rig: &mut Rig, lane: u64) {
    let before = rig.widths(1).1;
    rig.noise[0] = Noise { bit: 0.02, lanes: 1 << lane, ..Noise::default() };
    let gone =
        rig.run_until(100_000, |rig| rig.is_up(0) && rig.is_up(1) && rig.get("rx_lanes[1]") >> lane & 1 == 0);
    rig.noise[0] = Noise::default();
    assert!(gone.is_some(), "lane {lane} is removed");
    assert_eq!((rig.widths(1), rig.widths(0)), ((4, before - 1), (before - 1, 4)));
    rig.run(2_000);
    rig.drain("a lane less");
    assert_eq!(rig.ends[0].lost + rig.ends[1].lost, 0);
    println!("lane {lane} removed after {} clocks", gone.unwrap_or_default());
}

#[test]
fn lanes_go_one_by_one_and_traffic_is_exactly_once() {
    for (what, program) in [("R = 128", wide()), ("R = 16", short())] {
        let mut rig = Rig::up(program, seed(0x10_89), 0.9);
        for end in 0..2 {
            rig.write(end, DEGRADE, degrade(2));
        }
        break_lane(&mut rig, 2);
        assert_eq!(rig.read(1, EVENT) >> event::lane_removed::LOW & 1, 1, "{what}");
        break_lane(&mut rig, 0);
        assert_eq!(rig.read(1, LANES) >> lanes::removed::LOW & 0xF, 0b0101, "{what}");
        // At MIN_LANES the removal is refused, and traffic goes on.
        rig.noise[0] = Noise { bit: 0.02, lanes: 0b1000, ..Noise::default() };
        let refused = |rig: &mut Rig| rig.count(1, LinkCounter::RemoveRefused) > 0;
        assert!(rig.run_until(100_000, refused).is_some(), "{what}: refused");
        rig.noise[0] = Noise::default();
        assert_eq!(rig.widths(1), (4, 2));
        rig.write(1, DEGRADE, degrade(1));
        break_lane(&mut rig, 3);
        assert_eq!([rig.state(0), rig.state(1)], [LinkState::Degraded; 2], "{what}");
        assert_eq!(rig.get("rx_lanes[1]"), 0b0010, "{what}");
        let errors = [0, 1, 2, 3].map(|lane| rig.read(1, LANE + 8 * lane) & 0xFFFF_FFFF);
        println!("{what}: LANE_ERR {errors:?}");
        assert_eq!(errors[1], 0, "{what}: the good lane is never charged");
        assert!([0, 2, 3].iter().all(|lane| errors[*lane] >= 4), "{what}: {errors:?}");
        // All of them come back.
        rig.write(1, CTRL, 1 << ctrl::enable::LOW | 1 << ctrl::restore::LOW);
        rig.run(200);
        rig.come_up("restored");
        rig.run(1_000);
        rig.drain("restored");
        assert_eq!([rig.state(0), rig.state(1)], [LinkState::Active; 2], "{what}");
        assert_eq!(rig.widths(1), (4, 4), "{what}");
        assert_eq!(rig.ends[0].lost + rig.ends[1].lost, 0, "{what}");
    }
}

#[test]
fn both_directions_lose_different_lanes() {
    let mut rig = Rig::up(wide(), seed(0x10_8A), 0.9);
    rig.noise = [
        Noise { bit: 0.02, lanes: 0b0001, ..Noise::default() },
        Noise { bit: 0.02, lanes: 0b1000, ..Noise::default() },
    ];
    let gone = |rig: &mut Rig| rig.get("rx_lanes[1]") == 0b1110 && rig.get("rx_lanes[0]") == 0b0111;
    assert!(rig.run_until(200_000, gone).is_some());
    rig.noise = Default::default();
    rig.come_up("both directions");
    rig.run(2_000);
    rig.drain("both directions");
    assert_eq!((rig.widths(0), rig.widths(1)), ((3, 3), (3, 3)));
    assert_eq!(rig.ends[0].lost + rig.ends[1].lost, 0);
}

#[test]
fn only_allowed_lanes_are_used() {
    let mut rig = Rig::new(wide(), seed(0x10_8B));
    rig.write(0, LANES, 0b0101 << lanes::allowed::LOW);
    rig.write(1, LANES, 0b1101 << lanes::allowed::LOW);
    rig.pace(0.9);
    rig.enable(0);
    rig.enable(1);
    rig.come_up("allowed lanes");
    rig.run(2_000);
    rig.drain("allowed lanes");
    assert_eq!(rig.read(0, LANES) & 0xFF, 0b0101_0101);
    assert_eq!(rig.read(1, LANES) & 0xFF, 0b0101_0101);
}
