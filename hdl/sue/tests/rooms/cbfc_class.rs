//! CBFC-05 to CBFC-07 of the SONiC scale-up test standard at two whole instances: frames of each class carry its mark, and their credits come back for that class,
//! whatever DEI and ECN say. A frame in a wrong class would leave its own without credits, and CC_Update would have to heal them.

use super::bad_input::begin_with;
use super::bad_input::wire::{alter, newest, reseal, OnWire, LENGTH};
use super::top::end::{End, Setup, IDLE};
use super::top::{Line, PLAIN};
use flitforge_model::sue::format::classes::{Class, ClassTable};
use flitforge_model::sue::format::network::{InternetVersion, Tagging};
use flitforge_model::sue::format::{Framing, Profile, ReliabilityHeader};
use flitforge_protocol::sue::class::ClassUse;
use flitforge_protocol::sue::network::IPV4_BYTES;
use flitforge_protocol::sue::reliability::{Operation, HEADER_BYTES};
use flitforge_protocol::sue_port_registers::{self as port_page, FlowControl, PortCounter};
use flitforge_protocol::sue_registers::{self as page, SueCounter};
use flitforge_sim::kit::seed;
use std::collections::VecDeque;

/// Octets of the largest frame: a slot and the longest header.
const LARGEST: u64 = 600;
/// Where the tag or the internet header begins, behind addresses and Ethertype.
const BEHIND: usize = 14;

/// One mark: how it is read, and what must not change it.
struct Case {
    framing: Framing,
    of_class: fn(&Class) -> u8,
    of_frame: fn(&[u8]) -> u8,
    alter: fn(&mut Vec<u8>),
}

/// The class that a frame must have: that of its virtual channel, or of acknowledgments.
fn class_of(frame: &OnWire, framing: Framing) -> Option<usize> {
    let at = framing.header_bytes();
    // Frames of flow control go to a group.
    if frame.octets[0] & 1 == 1 {
        return None;
    }
    let header = ReliabilityHeader::decode(frame.octets.get(at..)?).ok()?;
    let body = frame.octets.get(at + HEADER_BYTES..at + HEADER_BYTES + 2)?;
    let managed = header.operation == Operation::ConnectionManagement || body == [0, 0];
    Some(if managed { ClassUse::ALL.len() - 2 } else { usize::from(header.vc) })
}

fn configure(end: &mut End, profile: Profile) {
    let port = page::port_page(0);
    let control = end.read(port + port_page::P_CTRL);
    end.write(port + port_page::P_CTRL, control & !1);
    let overhead = port_page::p_cell::overhead::LOW;
    let cell = end.read(port + port_page::P_CELL);
    let signed = u64::from(profile.packet_overhead() as u8);
    end.write(port + port_page::P_CELL, cell & !(0xFF << overhead) | signed << overhead);
    let largest = port_page::p_control::largest::LOW;
    let more = end.read(port + port_page::P_CONTROL);
    end.write(port + port_page::P_CONTROL, more & !(0x3FFF << largest) | LARGEST << largest);
    let newer = u64::from(profile == Profile::Ue103) << port_page::p_ctrl::profile::LOW;
    end.write(port + port_page::P_CTRL, control & !1 | newer);
    end.write(port + port_page::P_CTRL, control | 1 | newer);
}

fn classes_keep_their_credits(case: &Case, profile: Profile) {
    let setup = Setup { flow: FlowControl::Credits, rto: 100_000, ..PLAIN };
    let mut line = Line::new(setup, 0.0, seed(0xCBC5));
    line.settle(3_000);
    line.wires = [0, 1].map(|_| VecDeque::from(vec![IDLE; LENGTH]));
    let tagged = case.framing.tagging() == Tagging::Tagged;
    let of = |value: &mut page::fmt::Value| {
        value.format = u64::from(case.framing.format().code());
        value.vlan = tagged.into();
    };
    line.ends.iter_mut().for_each(|end| begin_with(end, of, |end| configure(end, profile)));
    line.connect(40_000);
    let delivered = line.ends.each_ref().map(|end| end.delivered);
    let classes = ClassTable::default();
    let mut seen = [0_u64; 6];
    for clock in 0..60_000 {
        if clock % 150 == 0 && clock < 45_000 {
            let vc = clock / 150 % 4;
            line.ends.iter_mut().for_each(|end| end.offer(vc, 40 + clock % 111));
        }
        line.clock();
        for index in 0..2 {
            let Some(mut frame) = newest(&line.wires[index]) else { continue };
            let Some(class) = class_of(&frame, case.framing) else { continue };
            let wanted = (case.of_class)(&classes.class(ClassUse::ALL[class]));
            assert_eq!((case.of_frame)(&frame.octets), wanted, "class {class}");
            seen[class] += 1;
            (case.alter)(&mut frame.octets);
            reseal(&mut frame.octets);
            alter(&mut line.wires[index], &frame);
        }
    }
    assert!(seen[..5].iter().all(|frames| *frames > 20), "{seen:?}");
    for (end, delivered) in line.ends.iter_mut().zip(delivered) {
        assert_eq!(end.delivered, delivered + 300);
        let [bad, again] = [SueCounter::NetworkBad, SueCounter::Replay].map(|counter| end.count(counter));
        assert_eq!((bad, again, end.failed), (0, 0, 0));
        assert_eq!(end.port_count(PortCounter::ConsumedHeal), 0);
        assert!(end.port_count(PortCounter::FreedRx) > 0);
    }
}

fn both_profiles(case: &Case) {
    for &profile in Profile::ALL {
        classes_keep_their_credits(case, profile);
    }
}

/// The checksum of the internet header is right again.
fn checksum(frame: &mut [u8]) {
    let header = &mut frame[BEHIND..BEHIND + IPV4_BYTES];
    header[10..12].fill(0);
    let sum: u32 = header.chunks(2).map(|pair| u32::from(pair[0]) << 8 | u32::from(pair[1])).sum();
    let folded = (sum & 0xFFFF) + (sum >> 16);
    let folded = (folded & 0xFFFF) + (folded >> 16);
    header[10..12].copy_from_slice(&(!(folded as u16)).to_be_bytes());
}

#[test]
fn cbfc_05_vlan_priority_and_dei() {
    for version in [InternetVersion::V4, InternetVersion::V6] {
        both_profiles(&Case {
            framing: Framing::Standard { version, tagging: Tagging::Tagged },
            of_class: |class| class.pcp,
            of_frame: |frame| frame[BEHIND] >> 5,
            alter: |frame| frame[BEHIND] |= 0x10,
        });
    }
}

#[test]
fn cbfc_06_ipv4_dscp() {
    both_profiles(&Case {
        framing: Framing::Standard { version: InternetVersion::V4, tagging: Tagging::Untagged },
        of_class: |class| class.dscp,
        of_frame: |frame| frame[BEHIND + 1] >> 2,
        alter: |frame| {
            frame[BEHIND + 1] |= 3;
            checksum(frame);
        },
    });
}

#[test]
fn cbfc_07_ipv6_dscp() {
    both_profiles(&Case {
        framing: Framing::Standard { version: InternetVersion::V6, tagging: Tagging::Untagged },
        of_class: |class| class.dscp,
        of_frame: |frame| (frame[BEHIND] & 0xF) << 2 | frame[BEHIND + 1] >> 6,
        alter: |frame| frame[BEHIND + 1] |= 0x30,
    });
}
