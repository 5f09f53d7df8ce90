//! Packets between all far ends, exactly once and in the order of their lane; registers; latency.

use crate::switch_node::rig::Rig;
use crate::switch_node::star::{PORTS, VLS};
use flitforge_protocol::counter::LinkCounter;
use flitforge_protocol::link_registers::{self, counter_offset};
use flitforge_protocol::switch_registers;
use flitforge_sim::cosim::Depth;
use flitforge_sim::kit::seed;
use flitforge_testkit::{depth, Clocked};
use rand::Rng as _;

/// Clocks of a run: few, or many.
fn clocks(quick: u64) -> u64 {
    match depth() {
        Depth::Quick => quick,
        Depth::Full => 10 * quick,
        Depth::Campaign => 1_000_000,
    }
}

#[test]
fn packets_come_exactly_once_under_errors_on_all_links() {
    let mut rig = Rig::new(seed(0x10_D0));
    rig.pace(0.5);
    rig.noise = 1e-3;
    for round in 0..clocks(24_000) / 1_000 {
        for index in 0..PORTS * VLS {
            rig.sources[index].pace = [0.5, 0.02, 0.002][rig.rng.random_range(0..3)];
            rig.sinks[index].pace = [1.0, 0.5, 0.02][rig.rng.random_range(0..3)];
            // Now and then all to one port.
            let all = (0..PORTS).filter(|to| *to != index / VLS).collect();
            rig.sources[index].to = if round % 6 == 5 && index / VLS != 1 { vec![1] } else { all };
        }
        rig.run(1_000);
    }
    rig.noise = 0.0;
    rig.drain("traffic");
    let bad: u64 = (0..PORTS).map(|port| rig.read(port, counter_offset(LinkCounter::RxBad))).sum();
    println!("{} packets in {} clocks, {bad} bad LTPs at the switch", rig.board.good, rig.clock);
    assert!(rig.board.good > 200 && bad > 20 && rig.board.lost == 0);
    for port in 0..PORTS {
        for counter in [LinkCounter::StackErr, LinkCounter::CreditOvf, LinkCounter::LostOnReset] {
            assert_eq!(rig.read(port, counter_offset(counter)), 0, "port {port}: {}", counter.name());
        }
    }
    for input in 0..=PORTS as u32 {
        for first in [switch_registers::NO_ROUTE, switch_registers::LIFE_DROP] {
            assert_eq!(rig.read(PORTS, first + 8 * input), 0, "{first:x}, input {input}");
        }
    }
}

#[test]
fn pages_stand_behind_one_another() {
    let mut rig = Rig::new(seed(0x10_D1));
    let link = rig.read(0, link_registers::ID) & 0xFFFF_FFFF;
    assert_eq!(link, 0x464C_4E4B, "FLNK");
    for port in 0..PORTS {
        assert_eq!(rig.read(port, link_registers::ID) & 0xFFFF_FFFF, link, "port {port}");
        rig.write(port, link_registers::VL_ARB, 3 + port as u64);
    }
    for port in 0..PORTS {
        assert_eq!(rig.read(port, link_registers::VL_ARB), 3 + port as u64);
    }
    assert_eq!(rig.read(PORTS, switch_registers::ID), 0x464C_5357, "FLSW");
    rig.write(PORTS, switch_registers::LIFE, 12_345);
    assert_eq!(rig.read(PORTS, switch_registers::LIFE), 12_345);
    assert_eq!(rig.read(PORTS, switch_registers::NO_ROUTE), 0);
    for beyond in [PORTS + 1, 31] {
        rig.write(beyond, link_registers::VL_ARB, 9);
        assert_eq!(rig.read(beyond, link_registers::ID), 0, "no page {beyond}");
    }
}

/// From a head after the receiving link to the same before the sending one: 3 clocks of `fab_vl_rx`, 6 of the switch, 1 of `fab_credit_rx`.
#[test]
fn a_head_passes_in_ten_clocks() {
    let mut rig = Rig::new(seed(0x10_D2));
    rig.run(2_000);
    let mut seen = vec![];
    for round in 0..8 {
        let (from, to) = (round % 4, (round + 1) % 4);
        rig.sources[from * VLS].to = vec![to];
        rig.sources[from * VLS].pace = 1.0;
        let is_head = |rig: &mut Rig, path: String| {
            let head = 1 << 63;
            let data = rig.block.instance.peek(&format!("{path}.data")).expect("a signal");
            rig.block.peek(&format!("{path}.valid")) == 1 && data.words()[0] & head != 0 && !data.bit(64)
        };
        let came =
            rig.run_until(400, |rig| is_head(rig, format!("node.links[{from}].port.flits_out"))).is_some();
        rig.sources[from * VLS].pace = 0.0;
        let at = rig.clock;
        let went =
            rig.run_until(400, |rig| is_head(rig, format!("node.links[{to}].port.flits_in"))).is_some();
        assert!(came && went, "round {round}");
        seen.push(rig.clock - at);
        rig.drain("latency");
        rig.run(200);
    }
    println!("head of flits_out to head of flits_in: {seen:?} clocks");
    assert_eq!(seen, [10; 8]);
}
