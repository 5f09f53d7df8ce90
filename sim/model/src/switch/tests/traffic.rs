//! Random traffic between all ports of one switch.

use super::super::scale::host::Host;
use super::super::scale::ledger::Ledger;
use super::super::*;
use super::small;
use crate::packet::PacketRules;

/// Endpoints at every port of one switch, over links without delay; the credits are added up at every clock.
fn random_traffic(rules: SwitchRules, load: u32, payload: usize, clocks: u64, seed: u64) -> u64 {
    let ports = rules.ports;
    let mut switch = Switch::new(rules.clone()).expect("rules");
    let mut hosts: Vec<Host> = (0..ports).map(|port| Host::new(port, &rules, seed).expect("rules")).collect();
    let mut ledger = Ledger::new(ports, rules.packets.lanes, true, payload, seed);
    for port in 0..ports {
        switch.set_link(port, true).expect("a port");
        switch.routes_mut().set(port, RouteEntry::to(port)).expect("an entry");
    }
    let mut clock = 0;
    while clock < clocks || ledger.delivered < ledger.sent {
        for (port, host) in hosts.iter_mut().enumerate() {
            host.clock(if clock < clocks { load } else { 0 }, ports, &mut ledger).expect("packets");
            if let Some(sent) = host.send().expect("a turn") {
                switch.arrive(port, &sent.flits).expect("a beat");
            }
        }
        switch.clock().expect("a clock");
        for (port, host) in hosts.iter_mut().enumerate() {
            if let Some(sent) = switch.send(port).expect("a turn") {
                host.arrive(&sent.flits, &mut ledger)
                    .unwrap_or_else(|error| panic!("seed {seed}: {error:?}"));
            }
            for vl in 0..rules.packets.lanes {
                let (held, pending) = switch.buffer(port, vl).expect("a port");
                let into = host.transmit.available(vl) + held + pending;
                let out = switch.available(port, vl).expect("a port")
                    + host.credit.occupied(vl)
                    + host.credit.pending(vl);
                assert_eq!(
                    (into, out),
                    (rules.buffer_units(), rules.buffer_units()),
                    "seed {seed}, clock {clock}"
                );
            }
        }
        clock += 1;
        assert!(clock < 20 * clocks, "seed {seed}: stuck, {} of {}", ledger.delivered, ledger.sent);
    }
    assert!(switch.is_empty());
    assert_eq!(switch.counters().no_route.iter().chain(&switch.counters().life_drop).sum::<u64>(), 0);
    ledger.delivered
}

/// Chapter 10, 9, point 15: 4 and 16 ports, exact delivery, order of each lane.
#[test]
fn every_packet_comes_once_and_in_order() {
    let wide = |ports, flits, lanes| {
        let packets = PacketRules { flits, mtu: 1024, lanes, management: false };
        SwitchRules { buffer_bytes: 4096, ..SwitchRules::new(ports, packets) }
    };
    let mut packets = 0;
    for (seed, rules) in
        [small(4), wide(4, 1, 4), wide(4, 4, 2), wide(16, 2, 4), wide(2, 2, 16)].into_iter().enumerate()
    {
        for load in [30, 100] {
            packets += random_traffic(rules.clone(), load, 300, 2_000, seed as u64);
        }
    }
    println!("{packets} packets");
    assert!(packets > 5_000);
}

/// The order is kept although lanes interrupt each other.
#[test]
fn priorities_change_nothing_about_it() {
    let packets = PacketRules { flits: 2, mtu: 1024, lanes: 4, management: false };
    let mut rules = SwitchRules { buffer_bytes: 2048, ..SwitchRules::new(4, packets) };
    for (vl, lane) in rules.interleave.lanes.iter_mut().enumerate() {
        lane.priority = vl as u8;
        lane.preempt = vl > 1;
    }
    assert!(random_traffic(rules, 90, 600, 5_000, 7) > 300);
}
