//! Who goes, when, where and with what mark.

use super::bench::Bench;
use super::*;
use crate::control::Control;
use flitforge_protocol::packet::packet_flits;

#[test]
fn a_head_leaves_before_its_tail_has_come() {
    let mut bench = Bench::new(small(2));
    bench.send(0, 0, &packet(1, 0, 1000, 1));
    let before = bench.peers[1].flits;
    bench.run(10);
    assert!(!bench.peers[0].queues[0].is_empty(), "it is still being sent");
    assert!(bench.peers[1].flits > before);
    bench.run(200);
    assert_eq!(bench.good(1).len(), 1);
    bench.audit();
}

/// 1000 bytes are 127 flits, 16 AU, of a buffer of 32: the third packet waits whole, until one AU is missing no more.
#[test]
fn a_packet_waits_until_there_is_credit_for_all_of_it() {
    let mut bench = Bench::new(small(2));
    bench.peers[1].reads = false;
    (0..3).for_each(|tag| bench.send(0, 0, &packet(1, 0, 1000, tag)));
    bench.run(600);
    assert_eq!(bench.peers[1].flits, 2 * packet_flits(1000));
    assert_eq!(bench.switch.available(1, 0), Ok(0));
    // 15 AU come back: not enough, and not a single flit goes.
    bench.peers[1].credit.release(0, 15).expect("occupied");
    bench.run(300);
    assert_eq!((bench.switch.available(1, 0), bench.peers[1].flits), (Ok(15), 2 * packet_flits(1000)));
    bench.peers[1].credit.release(0, 1).expect("occupied");
    bench.run(300);
    assert_eq!((bench.switch.available(1, 0), bench.peers[1].flits), (Ok(0), 3 * packet_flits(1000)));
    assert_eq!(bench.good(1).len(), 3);
}

#[test]
fn inputs_take_turns() {
    let mut bench = Bench::new(small(4));
    for tag in 0..40 {
        (0..3).for_each(|port| bench.send(port, 0, &packet(3, 0, 200, port as u16 * 100 + tag)));
    }
    bench.run(1_500);
    let order: Vec<u16> = bench.good(3).iter().map(|packet| packet.tag / 100).collect();
    assert!(order.len() > 60, "{}", order.len());
    for three in order.chunks_exact(3) {
        assert_eq!(three.iter().sum::<u16>(), 3, "one of each: {order:?}");
        assert!(three[0] != three[1] && three[1] != three[2], "{order:?}");
    }
}

/// Two packets of different inputs on different lanes share an output beat by beat.
#[test]
fn lanes_share_an_output() {
    let mut rules = small(4);
    rules.interleave.lanes[1].priority = 1;
    rules.interleave.lanes[1].preempt = true;
    let mut bench = Bench::new(rules);
    bench.send(0, 0, &packet(3, 0, 1000, 1));
    bench.run(20);
    bench.send(1, 1, &packet(3, 1, 100, 2));
    bench.run(200);
    let tags: Vec<u16> = bench.good(3).iter().map(|packet| packet.tag).collect();
    assert_eq!(tags, [2, 1], "the one that began later has overtaken");
    bench.audit();
}

#[test]
fn fecn_is_set_exactly_above_the_mark() {
    // Packets of 200 bytes: 27 flits, 4 AU. The output stands until so many are in the buffer.
    for waiting in 1..=5 {
        for mark in [0, 3, 4, 7, 8, 12, 20] {
            let mut bench = Bench::new(small(2));
            bench.switch.settings_mut().mark_units = mark;
            bench.peers[1].reads = false;
            // No credit: two packets of 16 AU take it all.
            (0..2).for_each(|tag| bench.send(0, 0, &packet(1, 0, 1000, tag)));
            bench.run(300);
            let before = bench.switch.counters().fecn_set;
            (0..waiting).for_each(|tag| bench.send(0, 0, &packet(1, 0, 200, 10 + tag)));
            bench.run(300);
            assert_eq!(bench.switch.buffer(0, 0).map(|(held, _)| held), Ok(4 * u32::from(waiting)));
            bench.peers[1].credit.release(0, 32).expect("occupied");
            bench.run(300);
            let marks: Vec<bool> = bench
                .good(1)
                .iter()
                .filter(|packet| packet.tag >= 10)
                .map(|packet| packet.header.fecn)
                .collect();
            // As many are held as have not left, the one that leaves among them.
            let expected: Vec<bool> = (1..=waiting).rev().map(|left| mark > 0 && 4 * left > mark).collect();
            assert_eq!(marks, expected, "{waiting} packets, MARK_AU {mark}");
            let set = expected.iter().filter(|marked| **marked).count() as u64;
            assert_eq!(bench.switch.counters().fecn_set - before, set);
        }
    }
}

/// Two inputs, each with a switch's worth of traffic, two equal ways.
#[test]
fn two_equal_ways_carry_half_each_under_load() {
    let run = |lanes: u16| {
        let mut bench = Bench::new(small(4));
        bench.switch.settings_mut().adapt_lanes = lanes;
        let entry = RouteEntry { alt: 3, adapt: true, ..RouteEntry::to(2) };
        bench.switch.routes_mut().set(5, entry).expect("an entry");
        for tag in 0..400 {
            (0..2).for_each(|port| bench.send(port, 0, &packet(5, 0, 200, tag)));
        }
        bench.run(12_000);
        let counts = [2, 3].map(|port| bench.good(port).len());
        assert_eq!(counts[0] + counts[1], 800);
        assert_eq!(bench.switch.counters().alt_taken, counts[1] as u64);
        counts
    };
    let counts = run(0b01);
    println!("{counts:?}");
    assert!(counts.iter().all(|count| (360..=440).contains(count)), "50 +- 5 %: {counts:?}");
    assert_eq!(run(0b10), [800, 0], "the lane is not in ADAPT_VL");
}

#[test]
fn another_port_stands_in_while_a_link_is_down() {
    let mut bench = Bench::new(small(4));
    let entry = RouteEntry { alt: 3, use_alt: true, ..RouteEntry::to(2) };
    bench.switch.routes_mut().set(5, entry).expect("an entry");
    bench.send(0, 0, &packet(5, 0, 100, 1));
    bench.run(100);
    bench.set_link(2, false);
    bench.send(0, 0, &packet(5, 0, 100, 2));
    bench.run(100);
    bench.set_link(2, true);
    bench.run(300);
    bench.send(0, 0, &packet(5, 0, 100, 3));
    bench.run(100);
    let tags = [2, 3].map(|port| bench.good(port).iter().map(|packet| packet.tag).collect::<Vec<_>>());
    assert_eq!(tags, [vec![1, 3], vec![2]]);
    assert_eq!(bench.switch.counters().alt_taken, 1);
}

#[test]
fn management_goes_to_the_agent_and_back_where_the_agent_says() {
    let mut bench = Bench::new(small(3));
    let mut request = packet(999, 1, 96, 7);
    request[0] = Header { dst: 999, vl: 1, ptype: 2, ..Header::default() }.encode(96).expect("a head");
    bench.send(2, 1, &request);
    bench.run(100);
    let came: Vec<Flit> = bench.agent.iter().flat_map(|beat| beat.flits.clone()).collect();
    assert_eq!(came, request);
    assert!(bench.agent.iter().all(|beat| beat.from == Some(2) && beat.vl == Some(1)));
    for beat in request.chunks(2) {
        while !bench.switch.inject(1, beat, 0).expect("a beat") {
            bench.clock();
        }
    }
    bench.run(100);
    assert_eq!(bench.peers[0].packets, [(1, request.clone())]);
    // An output that is not there.
    assert_eq!(bench.switch.inject(1, &packet(0, 1, 0, 1), 4), Ok(true));
    bench.run(10);
    assert_eq!(bench.switch.counters().no_route, [0, 0, 0, 1]);
    bench.audit();
}

/// Marked by the source or on the way: passed on, so that nothing stops in mid-packet.
#[test]
fn bad_packets_pass() {
    let mut bench = Bench::new(small(2));
    let mut broken = packet(1, 0, 100, 1);
    broken[3] = Control::BodyBad { reason: 3 }.encode().expect("a flit");
    let head = Control::HeadBad { dst: 1, src: 0, vl: 0, ptype: 0, reason: 3 }.encode().expect("a flit");
    let ended = Control::TailBad { reason: 7, vl: 0 }.encode().expect("a flit");
    let headless = [&[head], &packet(1, 0, 100, 2)[1..]].concat();
    let given_up = [&packet(1, 0, 100, 3)[..6], &[ended]].concat();
    for flits in [&broken, &headless, &given_up, &packet(1, 0, 100, 4)] {
        bench.send(0, 0, flits);
    }
    bench.run(300);
    let came: Vec<_> = bench.peers[1].packets.iter().map(|(_, flits)| flits.clone()).collect();
    assert_eq!(came, [broken, headless, given_up, packet(1, 0, 100, 4)]);
    bench.audit();
}
