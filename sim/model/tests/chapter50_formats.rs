//! Worked examples of chapter 50, section 8: E1 to E9, E13 and E14, encode and decode, octet for octet.

#![allow(clippy::expect_used, reason = "in tests, helper functions included")]

use crate::sue_frames::{
    e2, e2_octets, ends, framings, hex, port_of, rules, write, write_octets, E1_CONTROL, E2_HEADER, TO_7,
};
use flitforge_model::sue::format::body::{minimum_body, walk};
use flitforge_model::sue::format::frame::{open, seal, FrameState};
use flitforge_model::sue::format::network::{
    Fid, Generation, InternetVersion, Marking, SecondEthertype, Shim, Tagging,
};
use flitforge_model::sue::format::overhead::{goodput, packed, wire_bytes, CommandSize};
use flitforge_model::sue::format::reliability::{has_r_crc_residue, r_crc_of};
use flitforge_model::sue::format::{
    demultiplex, CmRecord, Command, FcsCover, FrameFor, Framing, Network, NetworkConfig, Payload, Pdu,
    ReliabilityHeader, Route, Sequence, TypeTable,
};
use flitforge_protocol::sue::class::ClassUse;
use flitforge_protocol::sue::command::CommandType;
use flitforge_protocol::sue::esun::EsunPayload;
use flitforge_protocol::sue::reliability::{CmCode, Operation};
use flitforge_protocol::sue::MIN_FRAME_BYTES;

/// A frame both ways: `header` and `fcs` are the chapter's, `bytes` its length.
fn both_ways(ends: &[Network; 2], route: Route, header: &str, pdu: &[u8], bytes: usize, fcs: &str) {
    let expected = [hex(header), pdu.to_vec()].concat();
    assert_eq!(expected.len(), bytes, "octets of the example");
    assert_eq!(ends[0].encapsulate(route, pdu).expect("a frame"), expected);
    let wire = [expected.clone(), hex(fcs)].concat();
    assert_eq!(seal(&expected, FcsCover::Frame, FrameState::Good).expect("sealed"), wire);
    let frame = open(&wire, FcsCover::Frame).expect("a good FCS");
    assert_eq!(demultiplex(frame, &ends[1]), Ok(FrameFor::Decapsulation));
    let received = ends[1].decapsulate(frame).expect("a good header");
    assert_eq!(received.source, ends[0].config().own);
    assert_eq!(received.pdu, pdu);
}

#[test]
fn e1_write() {
    assert_eq!(write().encode(&TypeTable::default()).expect("a command"), write_octets());
    assert_eq!(write().bytes(), 48);
    assert_eq!(Command::decode(&write_octets(), &TypeTable::default()), Ok((write(), 48)));
    assert_eq!(rules(Framing::AfhGen2).build(&[write()]).expect("a body"), write_octets());
}

#[test]
fn e2_pdu() {
    assert_eq!(E2_HEADER.encode().expect("a header"), hex("00 05 00 10 00 01 00 0F"));
    assert_eq!(e2().encode().expect("a PDU"), e2_octets());
    assert_eq!(Pdu::decode(&e2_octets()), Ok(e2()));
    assert_eq!(r_crc_of(&e2_octets()[..56]), 0x5B8E_0104);
    assert!(has_r_crc_residue(&e2_octets()) && !e2().is_ack_only());
}

#[test]
fn e3_gen_2_normal() {
    let header = "02 68 00 00 00 70 42 07 00 00 00 50 88 B6";
    both_ways(&ends(Framing::AfhGen2), TO_7, header, &e2_octets(), 74, "E3 2D 75 95");
}

#[test]
fn e3_with_generation_3() {
    let ends = [5, 7].map(|xpu| {
        let mut config = NetworkConfig::new(Framing::AfhGen2, Fid { xpu, port: 0 });
        config.generation = Generation::new(3, 5).expect("fits in GEN_W");
        Network::new(config).expect("settings")
    });
    let header = "02 68 18 00 00 70 42 07 18 00 00 50 88 B6";
    both_ways(&ends, TO_7, header, &e2_octets(), 74, "07 1A 01 62");
}

#[test]
fn e3_with_the_sequence_number_under_the_fcs() {
    let frame = ends(Framing::AfhGen2)[0].encapsulate(TO_7, &e2_octets()).expect("a frame");
    let sequence = Sequence::new(0x12345).expect("20 bits");
    let cover = FcsCover::SequenceAndFrame { sequence, flags: 0 };
    let wire = seal(&frame, cover, FrameState::Good).expect("sealed");
    assert_eq!(wire, [frame.clone(), hex("49 DF 46 3D")].concat());
    assert_eq!(open(&wire, cover), Ok(frame.as_slice()));
    assert!(open(&wire, FcsCover::SequenceAndFrame { sequence: sequence.next(), flags: 0 }).is_err());
    assert!(open(&wire, FcsCover::Frame).is_err());
}

#[test]
fn e4_gen_2_compressed() {
    let header = "82 68 00 70 00 50 88 B6";
    both_ways(&ends(Framing::AfhGen2Compressed), TO_7, header, &e2_octets(), 68, "BB 99 29 A7");
}

#[test]
fn e5_acknowledgment_only() {
    let [five, seven] = ends(Framing::AfhGen2);
    let header = ReliabilityHeader {
        operation: Operation::Nack,
        source: 7,
        psn: 0x0123,
        vc: 0,
        partition: 1,
        acknowledged: 0x0011,
    };
    let pdu = Pdu { header, body: rules(Framing::AfhGen2).ack_only() };
    assert!(pdu.is_ack_only());
    let octets = [hex("10 07 01 23 00 01 00 11"), vec![0; 34], hex("A2 F9 05 39")].concat();
    assert_eq!(r_crc_of(&octets[..42]), 0x3905_F9A2);
    assert_eq!(pdu.encode().expect("a PDU"), octets);
    assert_eq!(Pdu::decode(&octets), Ok(pdu));
    let route = Route { peer: 5, vc: 0, class: ClassUse::Acknowledgments };
    let network = "02 B8 00 00 00 50 42 05 00 00 00 70 88 B6";
    both_ways(&[seven, five], route, network, &octets, 60, "B4 6C CC C8");
}

#[test]
fn e6_lite_read() {
    let read = Command { kind: CommandType::Read, control: hex(E1_CONTROL), payload: Payload::None };
    let body = rules(Framing::Lite).build(std::slice::from_ref(&read)).expect("a body");
    assert_eq!(body, [hex("17 00"), hex(E1_CONTROL), vec![0; 36]].concat());
    assert_eq!(body.len(), 52);
    let ends = ends(Framing::Lite);
    both_ways(&ends, TO_7, "82 68 00 70 00 50 88 B5", &body, 60, "3A FA 2C EE");
    let frame = ends[0].encapsulate(TO_7, &body).expect("a frame");
    let received = ends[1].decapsulate(&frame).expect("a good header");
    assert_eq!((received.lite_vc, received.marking), (Some(0), Marking::TrafficClass(0x68)));
    assert_eq!(walk(received.pdu, &TypeTable::default()).expect("a body").commands, [read]);
}

#[test]
fn e7_standard_ipv4_with_tag() {
    let ends = ends(Framing::Standard { version: InternetVersion::V4, tagging: Tagging::Tagged });
    let header = "02 00 00 00 00 70 02 00 00 00 00 50 81 00 60 00 08 00 45 68 00 58 00 00 40 00 40 11 26 22 \
                  0A 00 00 05 0A 00 00 07 C0 07 0D 05 00 44 00 00";
    both_ways(&ends, TO_7, header, &e2_octets(), 106, "E2 50 C3 35");
}

/// Not in the chapter: the header is written here by hand from 3.5.
#[test]
fn standard_ipv6() {
    let framing = Framing::Standard { version: InternetVersion::V6, tagging: Tagging::Untagged };
    let ends = [5, 7].map(|xpu| {
        let mut config = NetworkConfig::new(framing, Fid { xpu, port: 0 });
        (config.internet.high, config.internet.middle) = (0x20010DB8_00000000, 0x0000ABCD);
        Network::new(config).expect("settings")
    });
    let header = "02 00 00 00 00 70 02 00 00 00 00 50 86 DD 66 80 10 07 00 44 11 40 \
                  20 01 0D B8 00 00 00 00 00 00 AB CD 0A 00 00 05 20 01 0D B8 00 00 00 00 00 00 AB CD 0A 00 00 07 \
                  D0 07 0D 05 00 44 00 00";
    let frame = ends[0].encapsulate(Route { vc: 1, ..TO_7 }, &e2_octets()).expect("a frame");
    assert_eq!(frame, [hex(header), e2_octets()].concat());
    assert_eq!(ends[1].decapsulate(&frame).expect("a good header").pdu, e2_octets());
}

#[test]
fn e8_gen_1() {
    let gen1 = |tagging, shim| ends(Framing::AfhGen1 { tagging, second: SecondEthertype::Absent, shim });
    let header = "02 00 00 00 00 70 02 00 00 00 00 50 88 B6 92 68 00 07 04 01 00 3C";
    both_ways(&gen1(Tagging::Untagged, Shim::Present), TO_7, header, &e2_octets(), 82, "8E 66 5B A9");
    let header = "02 00 00 00 00 70 02 00 00 00 00 50 81 00 60 00 88 B6";
    both_ways(&gen1(Tagging::Tagged, Shim::Absent), TO_7, header, &e2_octets(), 78, "81 56 44 FF");
}

#[test]
fn e9_freeze_request() {
    let record = CmRecord { code: CmCode::FreezeRequest, port: 0, vc: 0, psn: 0 };
    let body = rules(Framing::AfhGen2).build(&[record.command().expect("a command")]).expect("a body");
    assert_eq!(body, [hex("23 00 01 00 00 00 00 00"), vec![0; 26]].concat());
    let header = ReliabilityHeader {
        operation: Operation::ConnectionManagement,
        source: 5,
        psn: 0,
        vc: 0,
        partition: 1,
        acknowledged: 0,
    };
    let octets = Pdu { header, body: body.clone() }.encode().expect("a PDU");
    assert_eq!(octets[..8], hex("30 05 00 00 00 01 00 00"));
    assert_eq!(octets[octets.len() - 4..], 0x8C0F_4296_u32.to_le_bytes());
    assert_eq!(Pdu::decode(&octets).expect("a PDU").header, header);
    assert_eq!(CmRecord::from_body(&body), Ok(record));
}

/// The ESUN header of our own table: ECN 0, CoS 3, F 0, label 0x0007, TTL 4, UD 0, Rev 0.
#[test]
fn esun_header() {
    let ends = ends(Framing::Esun { payload: EsunPayload::ReliabilityHeader });
    let header = "02 00 00 00 00 70 02 00 00 00 00 50 88 B6 18 00 1D 00";
    let frame = ends[0].encapsulate(TO_7, &e2_octets()).expect("a frame");
    assert_eq!(frame, [hex(header), e2_octets()].concat());
    assert_eq!(ends[1].decapsulate(&frame).expect("good").marking, Marking::ClassOfService(3));
}

#[test]
fn header_octets_of_the_chapter() {
    let untagged = Tagging::Untagged;
    let gen1 = |shim| Framing::AfhGen1 { tagging: untagged, second: SecondEthertype::Absent, shim };
    let with_header = |framing: Framing| framing.header_bytes() + 8;
    assert_eq!(with_header(Framing::Standard { version: InternetVersion::V4, tagging: untagged }), 50);
    assert_eq!((with_header(gen1(Shim::Present)), with_header(gen1(Shim::Absent))), (30, 22));
    assert_eq!((with_header(Framing::AfhGen2), with_header(Framing::AfhGen2Compressed)), (22, 16));
    assert_eq!(Framing::Lite.header_bytes(), 8);
    for framing in framings() {
        let frame = port_of(5, framing).encapsulate(TO_7, &[]).expect("a frame");
        assert_eq!(frame.len(), framing.header_bytes(), "{framing:?}");
    }
}

/// E13: five commands for four peers take four frames; C and E share one.
#[test]
fn e13_bodies() {
    let rules = rules(Framing::AfhGen2);
    let single = rules.build(&[write()]).expect("a body");
    let pair = rules.build(&[write(), write()]).expect("a body");
    assert_eq!((single.len(), pair.len()), (48, 96));
    assert_eq!(walk(&pair, &TypeTable::default()).expect("a body").commands, [write(), write()]);
    let on_wire = |bytes| wire_bytes(Framing::AfhGen2, bytes, MIN_FRAME_BYTES);
    // A frame costs 8 + 14 + 8 + 4 + 4 + 12 = 50 octets beyond its body.
    assert_eq!(3 * on_wire(48) + on_wire(96), 5 * 48 + 4 * 50);
}

/// For 32, 64, 128 and 256 octets of data: commands packed, percent packed, percent single.
type Cells = [(usize, f64, f64); 4];

#[test]
fn e14_goodput() {
    let standard = Framing::Standard { version: InternetVersion::V4, tagging: Tagging::Untagged };
    let rows: [(Framing, usize, Cells); 5] = [
        (standard, 2048, [(42, 64.18, 25.40), (25, 77.00, 40.51), (14, 85.58, 57.66), (7, 90.41, 73.14)]),
        (
            Framing::AfhGen2,
            2048,
            [(42, 65.05, 32.65), (25, 78.05, 49.23), (14, 86.74, 65.98), (7, 91.71, 79.50)],
        ),
        (
            Framing::AfhGen2,
            4096,
            [(85, 65.86, 32.65), (51, 79.03, 49.23), (28, 87.80, 65.98), (15, 92.98, 79.50)],
        ),
        (
            Framing::AfhGen2Compressed,
            2048,
            [(42, 65.24, 34.78), (25, 78.28, 51.61), (14, 86.99, 68.09), (7, 91.99, 81.01)],
        ),
        (Framing::Lite, 1024, [(21, 64.62, 38.10), (12, 77.42, 57.14), (7, 86.15, 72.73), (3, 90.57, 84.21)]),
    ];
    for (framing, pack_max, cells) in rows {
        for (data, (commands, many, one)) in [32, 64, 128, 256].into_iter().zip(cells) {
            let size = CommandSize { overhead: 16, data };
            assert_eq!(packed(size, pack_max), commands, "{framing:?} {data}");
            for (commands, percent) in [(commands, many), (1, one)] {
                let efficiency = 100.0 * goodput(framing, size, commands, MIN_FRAME_BYTES).efficiency();
                assert!(
                    (efficiency - percent).abs() < 0.005_001,
                    "{framing:?} {data}: {efficiency} {percent}"
                );
            }
        }
    }
}

#[test]
fn least_bodies() {
    assert_eq!(minimum_body(MIN_FRAME_BYTES, Framing::AfhGen2), 34);
    assert_eq!(minimum_body(MIN_FRAME_BYTES, Framing::AfhGen2Compressed), 40);
    assert_eq!(minimum_body(MIN_FRAME_BYTES, Framing::Lite), 52);
    assert_eq!(minimum_body(8, Framing::AfhGen2), 0);
    assert_eq!(minimum_body(59, Framing::Lite), 52, "an odd frame is padded to an even body");
}
