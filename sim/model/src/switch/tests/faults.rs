//! Fault rows of chapter 10, 6 and 4.11 that concern the switch.

use super::bench::Bench;
use super::*;
use flitforge_protocol::flit::BadReason;

/// Sends a good packet each way, to show that no lane is stuck and no credit lost.
fn still_works(bench: &mut Bench) {
    let ports = bench.rules().ports;
    let before: Vec<usize> = (0..ports).map(|port| bench.good(port).len()).collect();
    for vl in 0..2 {
        (0..ports)
            .for_each(|port| bench.send(port, vl, &packet(((port + 1) % ports) as u16, vl as u8, 1000, 9)));
    }
    bench.run(600);
    for (port, before) in before.into_iter().enumerate() {
        assert_eq!(bench.good(port).len(), before + 2, "port {port}");
    }
    bench.audit();
    assert!(bench.switch.is_empty());
}

#[test]
fn what_has_no_way_is_taken_off() {
    let mut bench = Bench::new(small(3));
    let too_far = RouteEntry { port: 4, ..RouteEntry::to(0) };
    bench.switch.routes_mut().set(40, too_far).expect("an entry");
    bench.set_link(2, false);
    let mut too_long = packet(1, 0, 1000, 1);
    too_long[0] = Header { dst: 1, ..Header::default() }.encode(1025).expect("a head");
    let cases = [
        packet(30, 0, 1000, 1),
        packet(1 + (1 << 10), 0, 1000, 2),
        packet(40, 0, 1000, 3),
        packet(2, 0, 1000, 4),
        too_long,
    ];
    for (count, flits) in cases.iter().enumerate() {
        bench.send(0, 0, flits);
        bench.run(300);
        assert_eq!(bench.switch.counters().no_route, [count as u64 + 1, 0, 0, 0], "case {count}");
        bench.audit();
    }
    assert!((0..3).all(|port| bench.peers[port].packets.is_empty()));
    bench.set_link(2, true);
    bench.run(300);
    still_works(&mut bench);
}

/// A lane that is not built has no credit: its flits are thrown away as they come.
#[test]
fn a_lane_that_is_not_built_counts() {
    let mut bench = Bench::new(small(2));
    for beat in packet(1, 2, 40, 1).chunks(2) {
        let beat = [beat[0], beat.get(1).copied().unwrap_or(Flit::IDLE)];
        bench.switch.arrive(0, &beat).expect("a beat");
    }
    assert_eq!(bench.switch.counters().no_route, [1, 0, 0]);
    still_works(&mut bench);
}

/// Chapter 10, 9, point 15: link kill in mid-packet yields TailBad and no stuck lane; at every beat of the packet.
#[test]
fn an_input_that_dies_ends_its_packets() {
    for clocks in 1..70 {
        let mut bench = Bench::new(small(3));
        for vl in 0..2 {
            bench.send(0, vl, &packet(1, vl as u8, 200, 1));
        }
        bench.run(clocks);
        let begun = bench.peers[1].flits > 0 || !bench.switch.is_empty();
        let whole = bench.peers[0].queues.iter().filter(|queue| queue.is_empty()).count();
        let none = bench.peers[0].queues.iter().filter(|queue| queue.len() == 14).count();
        bench.set_link(0, false);
        bench.run(50);
        assert_eq!(bench.good(1).len(), whole, "{clocks} clocks");
        let expected = vec![BadReason::InputLinkDown.code(); 2 - whole - none];
        assert_eq!((bench.reasons(1), begun), (expected, none < 2), "{clocks} clocks");
        assert!(bench.switch.is_empty());
        bench.set_link(0, true);
        bench.run(300);
        still_works(&mut bench);
    }
}

/// The input dies while its packet waits for credit after another: what is there of it goes, with its end.
#[test]
fn an_input_that_dies_before_the_grant_ends_its_packet_too() {
    let mut bench = Bench::new(small(3));
    bench.peers[1].reads = false;
    (0..3).for_each(|tag| bench.send(0, 0, &packet(1, 0, 1000, tag)));
    bench.run(190);
    assert_eq!((bench.good(1).len(), bench.peers[0].queues[0].is_empty()), (2, false));
    bench.set_link(0, false);
    bench.run(50);
    assert!(!bench.switch.is_empty());
    // The link is back and its buffer not empty: only what is free is given.
    bench.set_link(0, true);
    bench.run(300);
    bench.audit();
    let (held, _) = bench.switch.buffer(0, 0).expect("a port");
    assert!(held > 0);
    bench.peers[1].credit.release(0, 32).expect("occupied");
    bench.peers[1].reads = true;
    bench.run(300);
    assert_eq!(bench.reasons(1), [BadReason::InputLinkDown.code()]);
    still_works(&mut bench);
}

/// The rest of a packet whose output dies is taken off; other packets of its lane go on.
#[test]
fn an_output_that_dies_frees_its_inputs() {
    let mut bench = Bench::new(small(3));
    bench.send(0, 0, &packet(1, 0, 1000, 1));
    bench.send(0, 0, &packet(2, 0, 100, 2));
    bench.run(30);
    assert!(bench.peers[1].flits > 0);
    bench.set_link(1, false);
    bench.run(200);
    assert_eq!(bench.switch.counters().no_route, [1, 0, 0, 0]);
    assert_eq!((bench.good(2).len(), bench.peers[1].packets.len()), (1, 0));
    bench.set_link(1, true);
    bench.run(300);
    still_works(&mut bench);
}

/// A packet at the front is dropped at the clock LIFE, not before.
#[test]
fn a_packet_that_waits_too_long_is_dropped() {
    const LIFE: u64 = 500;
    for clocks in [LIFE - 1, LIFE] {
        let mut bench = Bench::new(small(2));
        bench.peers[1].reads = false;
        (0..2).for_each(|tag| bench.send(0, 0, &packet(1, 0, 1000, tag)));
        bench.run(300);
        bench.switch.settings_mut().life = LIFE;
        bench.send(0, 0, &packet(1, 0, 1000, 3));
        bench.run(clocks as usize);
        let dropped = u64::from(clocks == LIFE);
        assert_eq!(bench.switch.counters().life_drop, [dropped, 0, 0], "{clocks} clocks");
        bench.peers[1].credit.release(0, 32).expect("occupied");
        bench.peers[1].reads = true;
        bench.run(300);
        assert_eq!(bench.good(1).len() as u64, 3 - dropped);
        still_works(&mut bench);
    }
}

/// LIFE 0 is no limit.
#[test]
fn without_life_packets_wait() {
    let mut bench = Bench::new(small(2));
    bench.switch.settings_mut().life = 0;
    bench.peers[1].ready = false;
    bench.send(0, 0, &packet(1, 0, 1000, 3));
    bench.run(5_000);
    bench.peers[1].ready = true;
    bench.run(300);
    assert_eq!(bench.good(1).len(), 1);
}

/// A packet that has begun and whose rest does not come, or that cannot leave: TailBad of reason 6.
#[test]
fn a_packet_that_stands_still_is_ended() {
    for stands_at_output in [false, true] {
        let mut bench = Bench::new(small(3));
        bench.switch.settings_mut().life = 400;
        bench.send(0, 0, &packet(1, 0, 1000, 1));
        bench.run(20);
        match stands_at_output {
            true => bench.peers[1].ready = false,
            false => bench.peers[0].sends = false,
        }
        bench.run(390);
        assert_eq!(bench.switch.counters().life_drop, [0, 0, 0, 0]);
        bench.run(20);
        assert_eq!(bench.switch.counters().life_drop, [1, 0, 0, 0]);
        // The lane is free for others, the rest of the packet is taken off as it comes.
        bench.peers[1].ready = true;
        bench.send(2, 0, &packet(1, 0, 100, 2));
        bench.run(100);
        assert_eq!(bench.reasons(1), [BadReason::LifetimeExpired.code()]);
        assert_eq!(bench.good(1).len(), 1);
        bench.peers[0].sends = true;
        bench.run(200);
        still_works(&mut bench);
    }
}

/// A sender that does not keep to its credits: the error names lane and AU, and nothing is stored.
#[test]
fn an_overrun_is_an_error() {
    let mut bench = Bench::new(small(2));
    bench.peers[1].reads = false;
    bench.peers[0].sends = false;
    let beats: Vec<Vec<Flit>> = packet(1, 0, 1000, 1).chunks(2).map(<[Flit]>::to_vec).collect();
    let mut result = Ok(());
    for _ in 0..5 {
        for beat in &beats {
            let beat = [beat[0], beat.get(1).copied().unwrap_or(Flit::IDLE)];
            result = result.and(bench.switch.arrive(0, &beat).map(|_| ()));
            bench.clock();
        }
    }
    let error = crate::credit::CreditError::Overflow { vl: 0, units: 1 };
    assert_eq!(result, Err(SwitchError::Credit(error)));
    // The link starts afresh.
    bench.peers[1].credit.release(0, 32).expect("occupied");
    bench.peers[1].reads = true;
    bench.set_link(0, false);
    bench.run(300);
    bench.set_link(0, true);
    bench.run(300);
    still_works(&mut bench);
}
