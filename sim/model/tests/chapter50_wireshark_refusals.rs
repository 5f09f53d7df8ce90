//! Damaged, foreign and malformed frames of chapter 50 in tshark: what is wrong is shown, and nothing fails.

#![allow(clippy::expect_used, reason = "in tests, helper functions included")]

use crate::chapter50_wireshark::{commands, frame_of, port, HEADER, ROUTE};
use crate::shark::{check, fields, sealed, tshark, tshark_beginnings, Expected, BAD, GOOD, POISONED};
use crate::sue_frames::{e2_octets, framings, hex, rules};
use flitforge_model::sue::format::body::walk;
use flitforge_model::sue::format::frame::{seal, FrameState};
use flitforge_model::sue::format::network::{Ethertypes, InternetVersion, Tagging, Transport};
use flitforge_model::sue::format::{FcsCover, Framing, Network, Pdu, TypeTable};
use flitforge_protocol::sue::esun::EsunPayload;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Names of cases with their frames and what they show.
type Cases = Vec<(String, Vec<u8>, Expected)>;

/// A frame of every format without FCS.
fn frames() -> Vec<(Framing, Vec<u8>)> {
    let body = |framing| rules(framing).build(&commands()).expect("a body");
    framings().into_iter().map(|framing| (framing, frame_of(framing, body(framing)))).collect()
}

fn reliable_frames() -> Vec<(Framing, Vec<u8>)> {
    frames().into_iter().filter(|(framing, _)| framing.transport() == Transport::Reliable).collect()
}

#[test]
fn a_wrong_r_crc_is_bad() {
    let is_guessed =
        |framing: &Framing| *framing != Framing::Esun { payload: EsunPayload::ReliabilityHeader };
    let damaged = |(framing, mut frame): (Framing, Vec<u8>)| {
        let place = frame.len() - 10;
        frame[place] ^= 0x04;
        let expected = Expected::default()
            .number("sue.r_crc.status", BAD)
            .number("sue.rh.npsn", HEADER.psn)
            .numbers("sue.fcs.status", if is_standard(framing) { vec![] } else { vec![GOOD] });
        (format!("{framing:?}"), sealed(&frame), expected)
    };
    let (guessed, told): (Vec<_>, Vec<_>) =
        reliable_frames().into_iter().partition(|(framing, _)| is_guessed(framing));
    check(&guessed.into_iter().map(damaged).collect::<Cases>(), &[]);
    // Without its R-CRC, nothing tells this format from AFH Gen 1.
    check(&told.into_iter().map(damaged).collect::<Cases>(), &["-o", "sue.format:esun"]);
}

fn is_standard(framing: Framing) -> bool {
    matches!(framing, Framing::Standard { .. })
}

#[test]
fn comments_and_verdicts_are_fields() {
    let good = frame_of(Framing::AfhGen2, rules(Framing::AfhGen2).build(&commands()).expect("a body"));
    let mut bad = good.clone();
    bad[20] ^= 1;
    let (good, bad) = (sealed(&good), sealed(&bad));
    let names = ["sue.r_crc.status", "frame.comment"];
    let Some(rows) = fields(&[good, bad], &names, &[]) else { return };
    assert_eq!(rows, [["1", "frame 0"], ["0", "frame 1"]]);
}

#[test]
fn only_frames_with_a_bad_r_crc_pass_its_filter() {
    let good = frame_of(Framing::AfhGen2, rules(Framing::AfhGen2).build(&commands()).expect("a body"));
    let mut bad = good.clone();
    bad[20] ^= 1;
    let frames = [sealed(&good), sealed(&bad), sealed(&good)];
    let arguments = ["-Y", "sue.r_crc.bad", "-T", "fields", "-e", "frame.number"];
    let Some(text) = tshark(&frames, &arguments) else { return };
    assert_eq!(text.trim(), "2");
}

#[test]
fn poisoned_and_damaged_frames() {
    let mut cases = Cases::new();
    for (framing, frame) in frames().into_iter().filter(|(framing, _)| !is_standard(*framing)) {
        let poisoned = seal(&frame, FcsCover::Frame, FrameState::Poisoned).expect("sealed");
        let expected = Expected::default().number("sue.fcs.status", POISONED);
        cases.push((format!("{framing:?}, poisoned"), poisoned, expected));
        let mut wire = sealed(&frame);
        let last = wire.len() - 1;
        wire[last] ^= 0x80;
        cases.push((format!("{framing:?}"), wire, Expected::default().number("sue.fcs.status", BAD)));
    }
    check(&cases, &[]);
}

#[test]
fn frames_captured_without_fcs() {
    let cases: Cases = reliable_frames()
        .into_iter()
        .map(|(framing, frame)| {
            let expected = Expected::default()
                .number("sue.r_crc.status", GOOD)
                .number("sue.rh.apsn", HEADER.acknowledged)
                .numbers("sue.fcs", []);
            (format!("{framing:?}"), frame, expected)
        })
        .collect();
    check(&cases, &[]);
    check(&cases, &["-o", "sue.fcs:absent"]);
}

#[test]
fn settings_move_ethertypes_and_the_udp_port() {
    let moved = |framing| {
        let mut config = port(framing).config().clone();
        config.ethertypes =
            Ethertypes { afh1: 0x9001, sue: 0x9002, lite: 0x9003, event: 0x9004, esun: 0x9005 };
        config.udp_port = 4444;
        Network::new(config).expect("settings")
    };
    let cases: Cases = reliable_frames()
        .into_iter()
        .map(|(framing, _)| {
            let frame = moved(framing).encapsulate(ROUTE, &e2_octets()).expect("a frame");
            let expected =
                Expected::default().number("sue.rh.npsn", 0x10_u64).number("sue.r_crc.status", GOOD);
            (format!("{framing:?}"), sealed(&frame), expected)
        })
        .collect();
    let ethertypes = ["sue.et_afh1:36865", "sue.et_sue:36866", "sue.et_lite:36867", "sue.et_esun:36869"];
    let settings: Vec<&str> =
        ethertypes.into_iter().chain(["sue.udp_port:4444"]).flat_map(|setting| ["-o", setting]).collect();
    check(&cases, &settings);
}

#[test]
fn checksums_of_ip_are_checked() {
    let framing = Framing::Standard { version: InternetVersion::V4, tagging: Tagging::Untagged };
    let mut frame = port(framing).encapsulate(ROUTE, &e2_octets()).expect("a frame");
    // Octet 8 of the IPv4 header, TTL.
    frame[14 + 8] ^= 1;
    let expected = Expected::default().number("ip.checksum.status", BAD).number("eth.fcs.status", GOOD);
    check(&[("TTL".to_owned(), sealed(&frame), expected)], &[]);
}

#[test]
fn headers_that_are_refused() {
    let frame = |framing| port(framing).encapsulate(ROUTE, &e2_octets()).expect("a frame");
    let with = |framing, place: usize, octet: u8| {
        let mut frame = frame(framing);
        frame[place] = octet;
        sealed(&frame)
    };
    let cases = [
        ("multicast", with(Framing::AfhGen2, 0, 0x03)),
        ("reserved octet", with(Framing::AfhGen2Compressed, 0, 0x8A)),
        ("V", with(Framing::AfhGen2Compressed, 0, 0xC2)),
        ("ESUN revision", with(Framing::Esun { payload: EsunPayload::ReliabilityHeader }, 17, 0xC1)),
    ];
    let frames: Vec<_> = cases.iter().map(|case| case.1.clone()).collect();
    let Some(rows) = fields(&frames, &["_ws.expert.message"], &[]) else { return };
    for ((name, _), row) in cases.iter().zip(rows) {
        assert!(row[0].contains("Bad header: "), "{name}: {row:?}");
    }
}

#[test]
fn other_frames_are_left_to_ethernet() {
    let arp = hex(
        "FF FF FF FF FF FF 02 00 00 00 00 50 08 06 00 01 08 00 06 04 00 01 02 00 00 00 00 50 0A 00 00 05 \
                   00 00 00 00 00 00 0A 00 00 07",
    );
    let arp = sealed(&[arp, vec![0; 18]].concat());
    let pause = hex("01 80 C2 00 00 01 02 00 00 00 00 50 88 08 01 01 00 08");
    let pause = sealed(&[pause, vec![0; 42]].concat());
    let event = sealed(&[hex("02 00 00 00 00 70 02 00 00 00 00 50 88 B5"), vec![0; 46]].concat());
    let ethernet = |kind: u64| {
        Expected::default().number("eth.type", kind).number("eth.fcs.status", GOOD).numbers("sue.rh.op", [])
    };
    let cases = [
        ("ARP".to_owned(), arp, ethernet(0x0806).number("arp.opcode", 1_u64)),
        ("PFC".to_owned(), pause, ethernet(0x8808)),
        ("event".to_owned(), event, ethernet(0x88B5)),
    ];
    check(&cases, &[]);
}

/// Bodies that are commands, damaged in up to three octets, with good CRCs.
fn random_bodies(count: usize) -> Vec<Vec<u8>> {
    let mut random = ChaCha8Rng::seed_from_u64(50);
    let good = rules(Framing::AfhGen2).build(&commands()).expect("a body");
    (0..count)
        .map(|_| {
            let mut body = good.clone();
            for _ in 0..random.random_range(0..=3) {
                let place = random.random_range(0..body.len());
                body[place] = if random.random_bool(0.5) { 0 } else { random.random() };
            }
            body.truncate(random.random_range(body.len() - 3..=body.len()));
            body
        })
        .collect()
}

#[test]
fn malformed_bodies_are_those_that_the_model_refuses() {
    let mut bodies = random_bodies(400);
    bodies.extend([vec![], vec![0], hex("00 01"), hex("00 00 00 01"), hex("10 01"), hex("8F FF"), hex("20")]);
    bodies.push(hex("80 00 55 01"));
    let is_malformed: Vec<bool> =
        bodies.iter().map(|body| walk(body, &TypeTable::default()).is_err()).collect();
    assert!(is_malformed.iter().filter(|bad| **bad).count() > 100 && is_malformed.iter().any(|bad| !bad));
    for framing in [Framing::AfhGen2, Framing::Lite] {
        let frames: Vec<Vec<u8>> =
            bodies.iter().map(|body| sealed(&frame_of(framing, body.clone()))).collect();
        let Some(rows) = fields(&frames, &["_ws.expert.message", "sue.r_crc.status"], &[]) else { return };
        for ((row, body), is_malformed) in rows.iter().zip(&bodies).zip(&is_malformed) {
            let is_empty_lite = framing == Framing::Lite && body.is_empty();
            if is_empty_lite {
                continue;
            }
            let found = row[0].contains("Malformed body");
            assert_eq!(found, *is_malformed, "{framing:?}, {body:02x?}: {row:?}");
            assert!(!row[0].contains("Lua"), "{row:?}");
            assert_eq!(row[1] == "1", framing == Framing::AfhGen2, "{row:?}");
        }
    }
}

#[test]
fn frames_of_every_length_make_no_errors_of_lua() {
    let mut wires = Vec::new();
    for (_, frame) in frames() {
        for bytes in 1..frame.len() {
            wires.push(sealed(&frame[..bytes]));
            wires.push(frame[..bytes].to_vec());
        }
    }
    let Some(text) = tshark(&wires, &["-V"]) else { return };
    assert!(text.contains("Too short") && text.contains("Malformed body"));
    assert!(!text.contains("Lua"), "{:?}", text.lines().find(|line| line.contains("Lua")));
}

#[test]
fn beginnings_of_frames_are_no_errors() {
    let wires: Vec<Vec<u8>> = frames().into_iter().map(|(_, frame)| sealed(&frame)).collect();
    for octets in [12, 16, 30, 70, 100] {
        let arguments =
            ["-T", "fields", "-e", "_ws.expert.message", "-e", "sue.r_crc.status", "-e", "sue.fcs"];
        let cut: Vec<_> = wires.iter().filter(|wire| wire.len() > octets).cloned().collect();
        let Some(text) = tshark_beginnings(&cut, octets, &arguments) else { return };
        for line in text.lines() {
            let verdicts = ["Malformed body", "Bad R-CRC", "Bad FCS", "Bad header", "Lua", "\t0", "\t1"];
            assert!(verdicts.iter().all(|verdict| !line.contains(verdict)), "{octets}: {line}");
        }
        let found = text.lines().filter(|line| line.contains("\t2\t")).count();
        assert!(octets != 70 || found > 14, "{octets}: {found} unverified");
    }
}

#[test]
fn random_octets_make_no_errors_of_lua() {
    let mut random = ChaCha8Rng::seed_from_u64(51);
    let starts: Vec<Vec<u8>> = frames().into_iter().map(|(_, frame)| frame[..20].to_vec()).collect();
    let wires: Vec<Vec<u8>> = (0..1000)
        .map(|count: usize| {
            let mut frame = starts[count % starts.len()].clone();
            let kept = random.random_range(0..=frame.len());
            frame.truncate(kept.max(8));
            frame.extend((0..random.random_range(0..200)).map(|_| random.random::<u8>()));
            let pdu = Pdu { header: HEADER, body: frame[8..].to_vec() }.encode().expect("a PDU");
            if count % 2 == 0 {
                sealed(&frame)
            } else {
                sealed(&[&frame[..8], &pdu].concat())
            }
        })
        .collect();
    let Some(text) = tshark(&wires, &["-V"]) else { return };
    assert!(!text.contains("Lua"), "{:?}", text.lines().find(|line| line.contains("Lua")));
}
