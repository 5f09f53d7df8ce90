//! Latency, throughput, grants, marks, ways.

use crate::switch::rig::{Rig, DEFAULT, SMALL, SMALL_F1};
use flitforge_hdl::fabric::switch::FabSwitch;
use flitforge_model::packet::Header;
use flitforge_model::switch::RouteEntry;
use flitforge_model::{Flit, Packet};
use flitforge_protocol::packet::packet_flits;
use flitforge_protocol::switch::MAX_LATENCY_CLOCKS;
use flitforge_protocol::switch_registers::ADAPT;
use flitforge_sim::kit::seed;
use flitforge_testkit::Clocked;

/// Flits of a packet to this address.
pub fn packet(dst: u16, vl: u8, bytes: usize, tag: u16) -> Vec<Flit> {
    let payload = (0..bytes).map(|index| index as u8 ^ tag as u8).collect();
    Packet { header: Header { dst, vl, ..Header::default() }, payload, tag }.encode().expect("a packet")
}

#[test]
fn switches_that_nobody_builds_are_refused() {
    type Small<const P: usize, const Q: usize, const A: usize, const B: usize, const C: usize> =
        FabSwitch<2, 130, 139, 135, 144, 2, 32, P, Q, A, B, C>;
    assert!(Small::<2, 3, 6, 5, 6>::new(256).is_ok());
    let refused = |error: Option<flitforge_hdl::config::ConfigError>| error.expect("refused").parameter;
    assert_eq!(refused(Small::<1, 2, 6, 5, 6>::new(256).err()), "ports");
    assert_eq!(refused(Small::<17, 18, 6, 5, 6>::new(256).err()), "ports");
    assert_eq!(refused(Small::<2, 3, 5, 5, 6>::new(256).err()), "addr_w");
    assert_eq!(refused(Small::<2, 3, 15, 5, 6>::new(256).err()), "addr_w");
    assert_eq!(refused(Small::<2, 3, 6, 5, 6>::new(255).err()), "mtu");
    // 1024 bytes are 17 AU, 68 beats.
    assert_eq!(refused(Small::<2, 3, 6, 6, 7>::new(1024).err()), "beats of VL_BUF");
    assert!(Small::<2, 3, 6, 7, 8>::new(1024).is_ok());
    assert_eq!(refused(Small::<2, 4, 6, 5, 6>::new(256).err()), "Q");
    assert_eq!(refused(FabSwitch::<2, 130, 140, 135, 144, 2, 32, 2, 3, 6, 5, 6>::new(256).err()), "W");
}

/// Chapter 10, 4.11: six clocks in an idle switch.
#[test]
fn a_head_passes_in_six_clocks() {
    for preset in [SMALL, SMALL_F1, DEFAULT] {
        let mut rig = Rig::new(preset, seed(1));
        for (vl, from) in [(0, 0), (1, 1), (1, 0)] {
            rig.send(from, vl, &packet(1, vl as u8, 200, 7), 0);
            rig.run(60);
            let clocks = rig.sinks[1].head_at - rig.sources[from].head_at;
            println!("{}: {clocks} clocks from lanes_in to beats_out", preset.name);
            assert_eq!(clocks, MAX_LATENCY_CLOCKS);
        }
        assert_eq!(rig.good(1).len(), 3);
    }
}

/// Long packets of one input to one output: a beat per clock.
#[test]
fn beats_follow_each_other() {
    let mut rig = Rig::new(DEFAULT, seed(2));
    rig.sinks[1].reads = 1.0;
    (0..20).for_each(|tag| rig.send(0, 0, &packet(1, 0, 4_000, tag), 0));
    rig.run(100);
    let before = rig.sinks[1].flits;
    rig.run(4_000);
    let share = (rig.sinks[1].flits - before) as f64 / (2.0 * 4_000.0);
    println!("packets of 4000 bytes: {share:.4} of the beats");
    assert!(share > 0.97);
    // Two lanes fill each other's gaps.
    let mut rig = Rig::new(DEFAULT, seed(2));
    (0..60).for_each(|tag| (0..2).for_each(|vl| rig.send(vl, vl, &packet(2, vl as u8, 500, tag), 0)));
    rig.run(100);
    let before = rig.sinks[2].flits;
    rig.run(2_000);
    let share = (rig.sinks[2].flits - before) as f64 / (2.0 * 2_000.0);
    println!("packets of 500 bytes, two inputs on two lanes: {share:.4} of the flits' room");
    assert!(share > 0.95);
}

/// 256 bytes are 34 flits, 5 AU, of 8: with 4 left the head waits, and with the fifth all of it goes.
#[test]
fn a_packet_waits_until_there_is_credit_for_all_of_it() {
    let mut rig = Rig::new(SMALL, seed(3));
    rig.sinks[1].reads = 0.0;
    (0..2).for_each(|tag| rig.send(0, 0, &packet(1, 0, 256, tag), 0));
    rig.run(300);
    assert_eq!((rig.sinks[1].flits, rig.sinks[1].available[0]), (packet_flits(256), 3));
    for units in [4, 5] {
        (rig.sinks[1].held[0], rig.sinks[1].available[0]) = (8 - units, units);
        rig.run(100);
        let packets = if units == 4 { 1 } else { 2 };
        assert_eq!(rig.sinks[1].flits, packets * packet_flits(256), "{units} AU");
    }
    assert_eq!(rig.good(1).len(), 2);
}

#[test]
fn inputs_take_turns() {
    let mut rig = Rig::new(DEFAULT, seed(4));
    for tag in 0..30 {
        (0..4).for_each(|port| rig.send(port, 0, &packet(3, 0, 200, port as u16 * 100 + tag), 0));
        rig.send(4, 0, &packet(0, 0, 200, 400 + tag), 3);
    }
    rig.run(3_000);
    let order: Vec<u16> = rig.good(3).iter().map(|packet| packet.tag / 100).collect();
    assert_eq!(order.len(), 150);
    for five in order.chunks_exact(5) {
        let mut five = five.to_vec();
        five.sort_unstable();
        assert_eq!(five, [0, 1, 2, 3, 4], "{order:?}");
    }
}

/// Four packets of 4 AU wait after an output without credit; each leaves with its mark if more than MARK_AU are held then.
#[test]
fn fecn_is_set_exactly_above_the_mark() {
    for mark in [0, 3, 4, 7, 8, 12, 15, 16] {
        let mut rig = Rig::new(DEFAULT, seed(5));
        rig.write(ADAPT, mark << 16);
        (rig.sinks[1].available[0], rig.sinks[1].held[0], rig.sinks[1].reads) = (0, 256, 0.0);
        (0..4).for_each(|tag| rig.send(0, 0, &packet(1, 0, 200, tag), 0));
        rig.run(200);
        (rig.sinks[1].available[0], rig.sinks[1].held[0]) = (256, 0);
        rig.run(200);
        let good = rig.good(1);
        let marks: Vec<bool> = good.iter().map(|packet| packet.header.fecn).collect();
        let expected: Vec<bool> = [16, 12, 8, 4].iter().map(|held| mark > 0 && *held > mark).collect();
        assert_eq!(marks, expected, "MARK_AU {mark}");
        let set = expected.iter().filter(|marked| **marked).count() as u64;
        assert_eq!(rig.counts[3], [set, 0, 0, 0, 0]);
    }
}

#[test]
fn two_equal_ways_carry_half_each_under_load() {
    for lanes in [0b01, 0b10] {
        let mut rig = Rig::new(DEFAULT, seed(6));
        rig.write(ADAPT, lanes);
        rig.route(9, RouteEntry { alt: 3, adapt: true, ..RouteEntry::to(2) });
        for tag in 0..300 {
            (0..2).for_each(|port| rig.send(port, 0, &packet(9, 0, 200, tag), 0));
        }
        rig.drain();
        let counts = [2, 3].map(|port| rig.good(port).len());
        println!("{counts:?}");
        assert_eq!(counts[0] + counts[1], 600);
        assert_eq!(rig.counts[2].iter().sum::<u64>(), counts[1] as u64, "ALT_TAKEN");
        match lanes {
            0b01 => assert!(counts.iter().all(|count| (270..=330).contains(count)), "50 +- 5 %: {counts:?}"),
            _ => assert_eq!(counts, [600, 0], "the lane is not in ADAPT_VL"),
        }
    }
}

#[test]
fn another_port_stands_in_while_a_link_is_down() {
    let mut rig = Rig::new(DEFAULT, seed(7));
    rig.route(9, RouteEntry { alt: 3, use_alt: true, ..RouteEntry::to(2) });
    rig.send(0, 0, &packet(9, 0, 100, 1), 0);
    rig.run(100);
    rig.set("up", 0b1011);
    rig.send(0, 0, &packet(9, 0, 100, 2), 0);
    rig.run(100);
    rig.set("up", 0b1111);
    rig.send(0, 0, &packet(9, 0, 100, 3), 0);
    rig.run(100);
    let tags = [2, 3].map(|port| rig.good(port).iter().map(|packet| packet.tag).collect::<Vec<_>>());
    assert_eq!(tags, [vec![1, 3], vec![2]]);
}
