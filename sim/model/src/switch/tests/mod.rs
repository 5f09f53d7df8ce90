mod bench;
mod faults;
mod grants;
mod registers;
mod traffic;

use super::*;
use crate::packet::{Header, Packet, PacketRules};

/// A switch of so many ports with an MTU of 1024 bytes, two flits per beat and two lanes.
fn small(ports: usize) -> SwitchRules {
    let packets = PacketRules { flits: 2, mtu: 1024, lanes: 2, management: false };
    SwitchRules { buffer_bytes: 2048, ..SwitchRules::new(ports, packets) }
}

/// Flits of a packet to this address on this lane.
fn packet(dst: u16, vl: u8, bytes: usize, tag: u16) -> Vec<Flit> {
    let payload = (0..bytes).map(|index| index as u8 ^ tag as u8).collect();
    Packet { header: Header { dst, vl, ..Header::default() }, payload, tag }.encode().expect("a packet")
}

#[test]
fn switches_that_nobody_builds_are_refused() {
    assert_eq!(SwitchRules::default().check(), Ok(()));
    assert_eq!(SwitchRules::default().buffer_units(), 256, "16,384 bytes");
    assert_eq!(SwitchRules::default().packet_units(10_240), 161, "chapter 10, 4.11");
    let refused = |rules: SwitchRules| match rules.check() {
        Err(SwitchError::Parameter { parameter, .. }) => parameter,
        other => panic!("{other:?}"),
    };
    for ports in [1, 17] {
        assert_eq!(refused(SwitchRules { ports, ..small(2) }), "PORTS");
    }
    for address_bits in [5, 15] {
        assert_eq!(refused(SwitchRules { address_bits, ..small(2) }), "ADDR_W");
    }
    // A packet of 1024 bytes has 130 flits: 17 AU.
    for buffer_bytes in [16 * 64, 17 * 64 + 8] {
        assert_eq!(refused(SwitchRules { buffer_bytes, ..small(2) }), "VL_BUF");
    }
    assert_eq!(SwitchRules { buffer_bytes: 17 * 64, ..small(2) }.check(), Ok(()));
    let mut rules = small(2);
    rules.interleave.lanes.pop();
    assert_eq!(refused(rules), "NUM_VLS");
    let mut rules = small(2);
    rules.packets.flits = 3;
    assert!(matches!(rules.check(), Err(SwitchError::Packets(_))));
    assert!(matches!(SwitchRules { v_au: 0, ..small(2) }.check(), Err(SwitchError::Credit(_))));
    assert!(Switch::new(SwitchRules { ports: 1, ..small(2) }).is_err());
}

#[test]
fn route_entries_have_the_fields_of_the_register() {
    let entry = RouteEntry { port: 3, alt: 16, use_alt: true, adapt: true, valid: true };
    // [4:0] port, [9:5] alt, [10] use alt, [11] adapt, [15] valid.
    assert_eq!(entry.encode(), 1 << 15 | 1 << 11 | 1 << 10 | 16 << 5 | 3);
    assert_eq!(RouteEntry::decode(entry.encode()), entry);
    assert!(!RouteEntry::decode(0x7FFF & !entry.encode()).valid);
    let mut table = RouteTable::new(6);
    assert_eq!(table.set(64, entry), Err(SwitchError::NoRoute { index: 64, entries: 64 }));
    assert_eq!(table.set(63, entry), Ok(()));
    assert_eq!((table.find(63), table.find(62), table.find(63 + 64)), (Some(entry), None, None));
}

#[test]
fn ports_that_are_not_there_are_an_error() {
    let mut switch = Switch::new(small(2)).expect("rules");
    let missing = |port| Err(SwitchError::NoPort { port, ports: 2 });
    assert_eq!(switch.set_link(2, true), missing(2));
    assert_eq!(switch.arrive(2, &[Flit::IDLE; 2]).map(|_| ()), missing(2));
    assert_eq!(switch.send(3).map(|_| ()), missing(3));
    assert!(matches!(switch.arrive(0, &[Flit::IDLE]), Err(SwitchError::Lanes(_))));
}
