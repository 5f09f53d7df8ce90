//! Everything that a receiver of chapter 50 refuses, and where it counts it.

#![allow(clippy::expect_used, reason = "in tests, helper functions included")]

use crate::sue_frames::{e2, e2_octets, ends, framings, hex, port_of, rules, write, E2_HEADER, TO_7};
use flitforge_model::sue::format::body::{walk, BodyError, BodyRules};
use flitforge_model::sue::format::frame::{open, seal, FrameState};
use flitforge_model::sue::format::network::{
    ConfigError, EncapsulateError, Fid, Generation, InternetVersion, SecondEthertype, Shim, Tagging,
};
use flitforge_model::sue::format::type_table::{TypeRule, TypeTableError};
use flitforge_model::sue::format::DropCounter::{AfhBad, GenerationDrop, HeaderBad};
use flitforge_model::sue::format::{
    demultiplex, CmRecord, CmRecordError, Command, CommandError, DropCounter, FcsCover, FrameFor, Framing,
    HeaderRefusal, Network, NetworkConfig, Payload, Pdu, PduError, Route, TypeTable,
};
use flitforge_protocol::sue::class::ClassUse;
use flitforge_protocol::sue::command::CommandType;
use flitforge_protocol::sue::esun::EsunPayload;

const GEN_1: Framing =
    Framing::AfhGen1 { tagging: Tagging::Untagged, second: SecondEthertype::Absent, shim: Shim::Present };
const V4: Framing = Framing::Standard { version: InternetVersion::V4, tagging: Tagging::Tagged };
const V6: Framing = Framing::Standard { version: InternetVersion::V6, tagging: Tagging::Untagged };

/// What happens to the frame of E2 in this framing if octets of it are replaced.
fn refusal(framing: Framing, changes: &[(usize, u8)]) -> HeaderRefusal {
    let ends = ends(framing);
    let mut frame = ends[0].encapsulate(TO_7, &e2_octets()).expect("a frame");
    changes.iter().for_each(|&(place, octet)| frame[place] = octet);
    ends[1].decapsulate(&frame).expect_err("refused")
}

/// Octets replaced, by place; the beginning of the refusal's text; its counter.
type Row<'a> = (&'a [(usize, u8)], &'a str, DropCounter);

fn check(framing: Framing, rows: &[Row]) {
    for (changes, begin, counter) in rows {
        let found = refusal(framing, changes);
        assert!(found.to_string().starts_with(begin), "{changes:?}: {found}");
        assert_eq!(found.counter(), *counter, "{found}");
    }
}

#[test]
fn standard_headers() {
    check(
        V4,
        &[
            (&[(0, 0x06)], "destination", HeaderBad),
            (&[(1, 0x18)], "destination", HeaderBad),
            (&[(5, 0x80)], "destination", HeaderBad),
            (&[(11, 0x51)], "source port", HeaderBad),
            (&[(15, 0x01)], "VLAN 1", HeaderBad),
            (&[(16, 0x86), (17, 0xDD)], "Ethertype", HeaderBad),
            (&[(18, 0x46)], "IP version 4, header length 6", HeaderBad),
            (&[(18, 0x65)], "IP version 6", HeaderBad),
            (&[(28, 0x27)], "IPv4 checksum 0x2722: the header gives 0x2622", HeaderBad),
            (&[(21, 0x59), (29, 0x21)], "IP length 89", HeaderBad),
            (&[(24, 0x60), (28, 0x06)], "IPv4 fragment", HeaderBad),
            (&[(25, 0x01), (29, 0x21)], "IPv4 fragment", HeaderBad),
            (&[(27, 0x06), (29, 0x2D)], "IP protocol 6", HeaderBad),
            (&[(37, 0x08), (29, 0x21)], "IP destination", HeaderBad),
            (&[(41, 0x06)], "UDP port 3334", HeaderBad),
            (&[(43, 0x45)], "UDP length 69", HeaderBad),
        ],
    );
    check(
        V6,
        &[
            (&[(14, 0x46)], "IP version 4", HeaderBad),
            (&[(19, 0x45)], "IP length 69", HeaderBad),
            (&[(20, 0x06)], "IP protocol 6", HeaderBad),
            (&[(38, 0x01)], "IP destination", HeaderBad),
            (&[(53, 0x08)], "IP destination", HeaderBad),
            (&[(57, 0x06)], "UDP port", HeaderBad),
            (&[(59, 0x45)], "UDP length", HeaderBad),
        ],
    );
}

#[test]
fn ai_fabric_headers() {
    check(
        GEN_1,
        &[
            (&[(12, 0x08)], "Ethertype", HeaderBad),
            (&[(14, 0x82)], "AFH Gen 1 shim: `version`", AfhBad),
            (&[(14, 0x93)], "AFH Gen 1 shim: `words`", AfhBad),
            (&[(16, 0x40)], "AFH Gen 1 shim: `reserved`", AfhBad),
            (&[(19, 0x02)], "AFH Gen 1 shim: `next`", AfhBad),
            (&[(21, 0x3D)], "AFH Gen 1 shim: `pdu_bytes`", AfhBad),
        ],
    );
    check(
        Framing::AfhGen2,
        &[
            (&[(0, 0x03)], "AFH key 0x03: multicast", AfhBad),
            (&[(0, 0x82)], "AFH key 0x82", AfhBad),
            (&[(0, 0x42)], "AFH key 0x42", AfhBad),
            (&[(0, 0x22)], "AFH key 0x22", AfhBad),
            (&[(0, 0x0A)], "AFH key 0x0a", AfhBad),
            (&[(0, 0x06)], "AFH key 0x06", AfhBad),
            (&[(0, 0x00)], "AFH key 0x00", AfhBad),
            (&[(3, 0x01)], "AFH Gen 2, normal: `reserved`", AfhBad),
            (&[(9, 0x01)], "AFH Gen 2, normal: `source_reserved`", AfhBad),
            (&[(6, 0x43)], "AFH octet 6", AfhBad),
            (&[(2, 0x18)], "destination", HeaderBad),
            (&[(5, 0x71)], "destination", HeaderBad),
            (&[(11, 0x51)], "source port", HeaderBad),
            (&[(13, 0xB5)], "Ethertype", HeaderBad),
        ],
    );
    for framing in [Framing::AfhGen2Compressed, Framing::Lite] {
        check(
            framing,
            &[
                (&[(0, 0x83)], "AFH key 0x83: multicast", AfhBad),
                (&[(0, 0x02)], "AFH key 0x02", AfhBad),
                (&[(0, 0xC2)], "AFH key 0xc2", AfhBad),
                (&[(3, 0x80)], "destination", HeaderBad),
                (&[(5, 0x51)], "source port", HeaderBad),
                (&[(6, 0x88), (7, 0xB7)], "Ethertype", HeaderBad),
            ],
        );
    }
    assert_eq!(refusal(Framing::Lite, &[(1, 0xB8)]), HeaderRefusal::Class { found: 0xB8 });
    let esun = Framing::Esun { payload: EsunPayload::ReliabilityHeader };
    assert_eq!(refusal(esun, &[(17, 0x02)]), HeaderRefusal::EsunRevision { found: 2 });
}

#[test]
fn another_generation_is_dropped_last() {
    for framing in [V4, GEN_1, Framing::AfhGen2] {
        let mut config = NetworkConfig::new(framing, Fid { xpu: 5, port: 0 });
        config.generation = Generation::new(3, 5).expect("fits");
        let sender = Network::new(config.clone()).expect("settings");
        let frame = sender.encapsulate(TO_7, &e2_octets()).expect("a frame");
        config.own.xpu = 7;
        assert!(Network::new(config.clone()).expect("settings").decapsulate(&frame).is_ok());
        config.generation = Generation::new(4, 5).expect("fits");
        let newer = Network::new(config).expect("settings");
        let refused = newer.decapsulate(&frame).expect_err("refused");
        assert_eq!(refused, HeaderRefusal::Generation { found: 0x18, own: 0x20 });
        assert_eq!(refused.counter(), GenerationDrop);
        let mut wrong = frame;
        wrong[11] = 0x51;
        assert_eq!(newer.decapsulate(&wrong).expect_err("refused").counter(), HeaderBad);
    }
}

#[test]
fn frames_that_end_in_their_header() {
    for framing in framings() {
        let ends = ends(framing);
        let frame = ends[0].encapsulate(TO_7, &[]).expect("a frame");
        for end in 0..frame.len() {
            let refused = ends[1].decapsulate(&frame[..end]).expect_err("refused");
            assert!(matches!(refused.counter(), HeaderBad), "{framing:?} {end}: {refused}");
        }
    }
}

#[test]
fn tags_are_taken_where_none_is_sent() {
    for untagged in [
        Framing::Standard { version: InternetVersion::V4, tagging: Tagging::Untagged },
        Framing::AfhGen1 { tagging: Tagging::Untagged, second: SecondEthertype::Present, shim: Shim::Absent },
    ] {
        let mut frame = ends(untagged)[0].encapsulate(TO_7, &e2_octets()).expect("a frame");
        frame.splice(12..12, hex("81 00 70 00"));
        assert_eq!(port_of(7, untagged).decapsulate(&frame).expect("taken").pdu, e2_octets());
    }
}

#[test]
fn pdus() {
    assert_eq!(
        Pdu::decode(&e2_octets()[..11]).expect_err("short").counter(),
        DropCounter::ReliabilityHeaderBad
    );
    let mut wrong = e2_octets();
    wrong[0] |= 0x40;
    assert_eq!(Pdu::decode(&wrong), Err(PduError::Version { found: 1 }));
    let mut reserved = e2_octets();
    reserved[0] |= 0x0C;
    let refused = Pdu::decode(&reserved).expect_err("the R-CRC covers reserved bits");
    assert_eq!(refused.counter(), DropCounter::RCrc);
    let received = ends(Framing::AfhGen2);
    let frame = received[0].encapsulate(TO_7, &e2_octets()).expect("a frame");
    let received = received[1].decapsulate(&frame).expect("a good header");
    assert_eq!(received.check_source(&E2_HEADER), Ok(()));
    let mut other = E2_HEADER;
    other.source = 6;
    assert_eq!(received.check_source(&other), Err(HeaderRefusal::SourceXpu { address: 5, header: 6 }));
    let mut pdu = e2();
    pdu.header.partition = 1024;
    assert!(pdu.encode().is_err());
}

fn body_error(octets: &[u8]) -> BodyError {
    walk(octets, &TypeTable::default()).expect_err("malformed")
}

fn command_error(octets: &[u8]) -> CommandError {
    match body_error(octets) {
        BodyError::Command { source, .. } => source,
        other => panic!("{other}"),
    }
}

#[test]
fn malformed_bodies() {
    assert_eq!(
        command_error(&hex("20 01 00 00")),
        CommandError::DataLength { kind: CommandType::Message, dlen: 1 }
    );
    assert_eq!(command_error(&hex("01 00")), CommandError::End { header: 0x0100 });
    assert!(matches!(command_error(&hex("82 01 00 00")), CommandError::CutOff(_)));
    assert!(matches!(command_error(&hex("80 03 00 00")), CommandError::CutOff(_)));
    assert_eq!(body_error(&hex("80 00 11")), BodyError::Odd { bytes: 3 }, "padding is missing");
    assert_eq!(body_error(&hex("30 00 40")), BodyError::Odd { bytes: 3 }, "half a header");
    assert_eq!(
        command_error(&hex("80 00 11 01")),
        CommandError::Padding { kind: CommandType::Write, found: 1 }
    );
    let good_then_bad = [write().encode(&TypeTable::default()).expect("a command"), hex("20 01")].concat();
    assert!(matches!(body_error(&good_then_bad), BodyError::Command { at: 48, .. }));
    assert_eq!(body_error(&hex("30 00 00 00 00 01")), BodyError::AfterEnd { at: 5, found: 1 });
    assert_eq!(body_error(&hex("00 00 00 80")).counter(), DropCounter::BodyBad);
    assert_eq!(body_error(&hex("30 00 00 00 00")), BodyError::Odd { bytes: 5 });
    let walked = walk(&hex("20 00 30 00 20 00 00 00"), &TypeTable::default()).expect("well-formed");
    assert_eq!((walked.commands.len(), walked.nops, walked.used), (1, 2, 6));
    assert_eq!(walk(&[], &TypeTable::default()), Ok(Default::default()));
}

#[test]
fn types_are_checked_both_ways() {
    let types = TypeTable::default().with(CommandType::Write, TypeRule::Pinned(8)).expect("a table");
    let pinned = CommandError::Pinned { kind: CommandType::Write, pinned: 8, found: 7 };
    assert_eq!(write().encode(&types), Err(pinned.clone()));
    assert_eq!(walk(&hex("87 00"), &types), Err(BodyError::Command { at: 0, source: pinned }));
    let types = types.with(CommandType::Message, TypeRule::Disabled).expect("a table");
    assert!(matches!(walk(&hex("21 00 00 00"), &types), Err(BodyError::Command { .. })));
    assert_eq!(walk(&hex("20 00"), &types).expect("NOP is the transport's own").nops, 1);
    assert_eq!(TypeTable::from_octets(types.to_octets().expect("fits")), Ok(types));
    let mut octets = [0x40; 16];
    assert_eq!(TypeTable::from_octets(octets), Err(TypeTableError::End));
    octets[0] = 0;
    assert_eq!(TypeTable::from_octets(octets), Ok(TypeTable::default()));
    octets[3] = 0x80;
    assert_eq!(TypeTable::from_octets(octets), Err(TypeTableError::Reserved { kind: 3, octet: 0x80 }));
    assert!(TypeTable::default().with(CommandType::Read, TypeRule::Pinned(16)).is_err());
}

#[test]
fn commands_that_cannot_be_sent() {
    let encode = |kind, control: usize, payload| {
        Command { kind, control: vec![0; control], payload }.encode(&TypeTable::default())
    };
    let data = |bytes| Payload::Data(vec![1; bytes]);
    let strobed = |strobes, bytes| Payload::Strobed { strobes: vec![1; strobes], data: vec![1; bytes] };
    assert!(matches!(encode(CommandType::End, 0, Payload::None), Err(CommandError::End { .. })));
    for control in [1, 32] {
        let refused = encode(CommandType::Read, control, Payload::None);
        assert_eq!(refused, Err(CommandError::ControlBytes { kind: CommandType::Read, bytes: control }));
    }
    for bytes in [0, 257] {
        let refused = encode(CommandType::Write, 0, data(bytes));
        assert_eq!(refused, Err(CommandError::DataBytes { kind: CommandType::Write, bytes }));
    }
    let refused = encode(CommandType::WriteStrobes, 0, strobed(1, 9));
    assert_eq!(refused, Err(CommandError::StrobeBytes { found: 1, expected: 2 }));
    for (kind, payload) in [
        (CommandType::Read, data(1)),
        (CommandType::Write, Payload::None),
        (CommandType::Write, strobed(1, 1)),
        (CommandType::WriteStrobes, data(1)),
    ] {
        assert!(matches!(encode(kind, 0, payload), Err(CommandError::WrongPayload { .. })));
    }
    assert_eq!(encode(CommandType::WriteStrobes, 30, strobed(32, 256)).expect("the largest").len(), 320);
}

#[test]
fn bodies_and_frames_that_cannot_be_sent() {
    let rules_of = |limit, min, framing| BodyRules::new(TypeTable::default(), limit, min, framing);
    assert!(matches!(rules_of(319, 60, Framing::AfhGen2), Err(BodyError::Limit { largest: 4096, .. })));
    assert!(matches!(rules_of(2048, 60, Framing::Lite), Err(BodyError::Limit { largest: 1024, .. })));
    assert!(matches!(rules_of(2048, 61, Framing::AfhGen2), Err(BodyError::MinFrame { bytes: 61 })));
    let rules = rules(Framing::AfhGen2);
    assert_eq!(rules.build(&[]), Err(BodyError::Empty));
    let bytes = 43 * 48;
    assert_eq!(rules.build(&vec![write(); 43]), Err(BodyError::TooLong { bytes, limit: 2048 }));
    let sender = port_of(5, Framing::AfhGen2);
    let long = sender.encapsulate(TO_7, &vec![0; 9199]);
    assert_eq!(long, Err(EncapsulateError::TooLong { bytes: 9217 }));
    let far = Route { peer: 4096, ..TO_7 };
    assert!(matches!(sender.encapsulate(far, &[]), Err(EncapsulateError::Field(_))));
    assert!(sender.encapsulate(Route { vc: 4, class: ClassUse::Vc3, ..TO_7 }, &[]).is_err());
}

#[test]
fn cm_records_that_are_refused() {
    let refused = |text: &str| CmRecord::from_body(&hex(text)).expect_err("refused");
    assert_eq!(refused("00 00"), CmRecordError::Commands { found: 0 });
    assert_eq!(refused("23 00 01 00 00 00 00 00 30 00"), CmRecordError::Commands { found: 2 });
    assert!(matches!(refused("33 00 01 00 00 00 00 00"), CmRecordError::Shape { control_bytes: 6, .. }));
    assert_eq!(refused("23 00 05 00 00 00 00 00"), CmRecordError::Code { found: 5 });
    assert!(matches!(refused("23 00 01 00"), CmRecordError::Body(_)));
}

#[test]
fn settings_that_are_refused() {
    let config = |framing| NetworkConfig::new(framing, Fid { xpu: 5, port: 0 });
    let refused = |config: NetworkConfig| Network::new(config).expect_err("refused");
    for framing in [Framing::AfhGen2Compressed, Framing::Lite] {
        let generation = Generation::On(0);
        assert_eq!(
            refused(NetworkConfig { generation, ..config(framing) }),
            ConfigError::GenerationInCompressed
        );
    }
    let mut taken = config(Framing::AfhGen2);
    taken.ethertypes.sue = 0x88B5;
    assert!(matches!(refused(taken), ConfigError::EthertypeTaken { ethertype: 0x88B5, .. }));
    for change in [
        |config: &mut NetworkConfig| config.own.xpu = 1024,
        |config: &mut NetworkConfig| config.own.port = 16,
        |config: &mut NetworkConfig| config.vid = 4096,
        |config: &mut NetworkConfig| config.hop = 16,
    ] {
        let mut wrong = config(Framing::AfhGen2);
        change(&mut wrong);
        assert!(matches!(refused(wrong), ConfigError::Field(_)));
    }
    assert!(
        Generation::new(32, 5).is_err() && Generation::new(0, 0).is_err() && Generation::new(0, 9).is_err()
    );
}

#[test]
fn the_first_octet_decides_where_the_ethertype_is() {
    let to = |framing, text: &str| demultiplex(&hex(text), &port_of(7, framing));
    let gen2 = Framing::AfhGen2;
    // A compressed frame whose payload looks like ET_EVT at octets 12 and 13.
    assert_eq!(to(Framing::Lite, "82 68 00 70 00 50 88 B5 17 00 00 00 88 B5"), Ok(FrameFor::Decapsulation));
    assert_eq!(to(Framing::Lite, "02 00 00 00 00 70 02 00 00 00 00 50 88 B5"), Ok(FrameFor::Events));
    assert_eq!(to(gen2, "02 68 00 00 00 70 42 07 00 00 00 50 88 B6"), Ok(FrameFor::Decapsulation));
    assert_eq!(to(gen2, "82 68 00 70 00 50 88 B6"), Ok(FrameFor::Decapsulation), "counted there, AFH_BAD");
    assert_eq!(to(gen2, "01 80 C2 00 00 01 02 00 00 00 00 50 88 08"), Ok(FrameFor::FlowControl));
    assert_eq!(to(gen2, "02 00 00 00 00 70 02 00 00 00 00 50 08 06"), Ok(FrameFor::Extraction));
    assert_eq!(to(V4, "02 00 00 00 00 70 02 00 00 00 00 50 81 00 60 00 08 00"), Ok(FrameFor::Decapsulation));
    assert!(to(gen2, "").is_err() && to(gen2, "82 68 00 70 00 50 88").is_err());
}

/// The frame of E3 with any single bit wrong never yields its PDU: the FCS refuses it; and without FCS, what the header does
/// not refuse and what is not a field of the way (TC, hop count, entropy, XPU and generation of the source) the R-CRC does.
#[test]
fn every_wrong_bit_of_e3_is_refused() {
    let ends = ends(Framing::AfhGen2);
    let frame = ends[0].encapsulate(TO_7, &e2_octets()).expect("a frame");
    let wire = seal(&frame, FcsCover::Frame, FrameState::Good).expect("sealed");
    let flipped = |octets: &[u8], bit: usize| {
        let mut wrong = octets.to_vec();
        wrong[bit / 8] ^= 1 << (bit % 8);
        wrong
    };
    assert!((0..8 * wire.len()).all(|bit| open(&flipped(&wire, bit), FcsCover::Frame).is_err()));
    let accepted = (0..8 * frame.len()).filter(|&bit| {
        let wrong = flipped(&frame, bit);
        let Ok(received) = ends[1].decapsulate(&wrong) else { return false };
        Pdu::decode(received.pdu).is_ok_and(|pdu| received.check_source(&pdu.header).is_ok())
    });
    // TC, hop, entropy, gg of the source: 8 + 4 + 8 + 8 bits that no rule of the receiver reads.
    let unread = (8..16).chain(52..56).chain(56..64).chain(64..72);
    assert_eq!(accepted.collect::<Vec<_>>(), unread.collect::<Vec<_>>());
}
