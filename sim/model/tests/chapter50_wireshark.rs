//! Frames of chapter 50 in tshark with the dissector of `docs/reference/sue.lua`: what it shows is what was encoded.

#![allow(clippy::expect_used, reason = "in tests, helper functions included")]

use crate::shark::{check, sealed, Expected, BAD, GOOD, NOT_PRESENT};
use crate::sue_frames::{e2_octets, framings, hex, rules, write, E1_CONTROL};
use flitforge_model::sue::format::network::{
    Fid, Generation, InternetVersion, SecondEthertype, Shim, Tagging, Transport,
};
use flitforge_model::sue::format::{
    CmRecord, Command, Framing, Network, NetworkConfig, Payload, Pdu, ReliabilityHeader, Route,
};
use flitforge_protocol::sue::class::ClassUse;
use flitforge_protocol::sue::command::CommandType;
use flitforge_protocol::sue::esun::EsunPayload;
use flitforge_protocol::sue::network::HeaderFormat;
use flitforge_protocol::sue::reliability::{CmCode, Operation};

/// The XPU and the port that send in these tests, and the peer; 10 bits and 4 bits.
pub const OWN: Fid = Fid { xpu: 0x155, port: 9 };
pub const PEER: u16 = 0x2A6;
pub const ROUTE: Route = Route { peer: PEER, vc: 2, class: ClassUse::Vc2 };
/// TC, PCP of class VC2 (chapter 50, 3.6).
const TC: u64 = 0x48;
const PCP: u64 = 2;
/// {vc, destination XPU} (chapter 50, 3.5).
const ENTROPY: u64 = 0x22A6;
/// Generation 19 of five bits.
const GG: u64 = 19 << 3;
pub const HEADER: ReliabilityHeader = ReliabilityHeader {
    operation: Operation::Nack,
    source: OWN.xpu,
    psn: 0xFEDC,
    vc: 2,
    partition: 0x2A5,
    acknowledged: 0x8001,
};

pub fn port(framing: Framing) -> Network {
    let mut config = NetworkConfig::new(framing, OWN);
    if framing.format() != HeaderFormat::AfhGen2Compressed {
        config.generation = Generation::new(19, 5).expect("fits");
    }
    config.machine_partition = 0xC0DE;
    config.vid = 0x123;
    config.hop = 11;
    Network::new(config).expect("settings")
}

/// Commands of every kind of data area, the last one with an odd number of data octets.
pub fn commands() -> Vec<Command> {
    let strobed = Payload::Strobed { strobes: vec![0x5A, 0x01], data: (0x40..0x49).collect() };
    vec![
        write(),
        Command { kind: CommandType::Barrier, control: vec![], payload: Payload::None },
        Command { kind: CommandType::WriteStrobes, control: vec![1, 2, 3, 4], payload: strobed },
        Command { kind: CommandType::UserC, control: vec![9, 8], payload: Payload::Data(vec![7]) },
    ]
}

/// The frame of commands, without FCS.
pub fn frame_of(framing: Framing, body: Vec<u8>) -> Vec<u8> {
    let pdu = match framing.transport() {
        Transport::Reliable => Pdu { header: HEADER, body }.encode().expect("a PDU"),
        Transport::Lite => body,
    };
    port(framing).encapsulate(ROUTE, &pdu).expect("a frame")
}

/// FIDs of both ends.
fn fids(expected: Expected) -> Expected {
    expected
        .number("sue.dst.xpu", PEER)
        .number("sue.dst.port", OWN.port)
        .number("sue.src.xpu", OWN.xpu)
        .number("sue.src.port", OWN.port)
}

/// MAC addresses made of the configuration.
fn macs(expected: Expected) -> Expected {
    fids(expected)
        .number("sue.da.generation", GG)
        .number("sue.sa.generation", GG)
        .number("sue.da.machine_partition", 0xC0DE_u64)
        .number("sue.sa.machine_partition", 0xC0DE_u64)
        .octets("eth.dst", vec![[hex("02 98 C0 DE"), hex("2A 69")].concat()])
}

/// IP and UDP headers.
fn internet(expected: Expected, version: InternetVersion) -> Expected {
    let expected = expected.number("udp.dstport", 3333_u64).number("udp.srcport", 0xC000 | ENTROPY);
    match version {
        InternetVersion::V4 => expected
            .number("ip.checksum.status", GOOD)
            .number("ip.dsfield", TC)
            .number("udp.checksum.status", NOT_PRESENT),
        InternetVersion::V6 => expected.number("ipv6.flow", ENTROPY).number("ipv6.tclass", TC),
    }
}

/// 802.1Q tag.
fn tag(expected: Expected, tagging: Tagging) -> Expected {
    match tagging {
        Tagging::Untagged => expected.numbers("vlan.id", []),
        Tagging::Tagged => expected.number("vlan.id", 0x123_u64).number("vlan.priority", PCP),
    }
}

/// What the network header shows.
fn network_fields(framing: Framing) -> Expected {
    let expected = Expected::default();
    match framing {
        Framing::Standard { version, tagging } => {
            tag(internet(expected, version), tagging).number("eth.fcs.status", GOOD)
        }
        Framing::AfhGen1 { tagging, second, shim } => {
            let expected = tag(macs(expected), tagging).number("sue.fcs.status", GOOD);
            let values = if second == SecondEthertype::Present { vec![0x88B6] } else { vec![] };
            let expected = expected.numbers("sue.ethertype.value", values);
            match shim {
                Shim::Absent => expected.numbers("sue.shim.entropy", []),
                Shim::Present => expected
                    .number("sue.shim.entropy", ENTROPY)
                    .number("sue.shim.hop_limit", 11_u64)
                    .number("sue.shim.traffic_class", TC),
            }
        }
        Framing::AfhGen2 => fids(expected)
            .number("sue.afh2.generation", GG)
            .number("sue.afh2.source_generation", GG)
            .number("sue.afh2.hop", 11_u64)
            .number("sue.afh2.entropy", 0xA6_u64 ^ 0x22)
            .number("sue.tc.dscp", TC >> 2)
            .number("sue.fcs.status", GOOD),
        Framing::AfhGen2Compressed | Framing::Lite => fids(expected)
            .number("sue.key.w", 1_u64)
            .number("sue.afh2c.traffic_class", TC)
            .number("sue.fcs.status", GOOD),
        Framing::Esun { payload } => {
            let expected = macs(expected)
                .number("sue.esun.flow_label", ENTROPY)
                .number("sue.esun.cos", PCP)
                .number("sue.esun.ttl", 11_u64)
                .number("sue.fcs.status", GOOD);
            match payload {
                EsunPayload::ReliabilityHeader => expected,
                EsunPayload::Ipv4 => internet(expected, InternetVersion::V4),
                EsunPayload::Ipv6 => internet(expected, InternetVersion::V6),
            }
        }
    }
}

/// What the reliability header shows.
fn header_fields(expected: Expected, header: ReliabilityHeader) -> Expected {
    expected
        .number("sue.rh.ver", 0_u64)
        .number("sue.rh.op", header.operation.code())
        .number("sue.rh.xpuid", header.source)
        .number("sue.rh.npsn", header.psn)
        .number("sue.rh.vc", header.vc)
        .number("sue.rh.partition", header.partition)
        .number("sue.rh.apsn", header.acknowledged)
        .number("sue.r_crc.status", GOOD)
}

#[test]
fn every_encapsulation_shows_what_was_encoded() {
    let cases: Vec<_> = framings()
        .into_iter()
        .map(|framing| {
            let body = rules(framing).build(&commands()).expect("a body");
            let wire = sealed(&frame_of(framing, body));
            let expected = network_fields(framing)
                .numbers("sue.command.kind", commands().iter().map(|command| command.kind.code().into()))
                .octets("sue.command.control", vec![hex(E1_CONTROL), vec![1, 2, 3, 4], vec![9, 8]])
                .octets("sue.command.strobes", vec![vec![0x5A, 0x01]])
                .octets("sue.command.data", vec![(0..0x20).collect(), (0x40..0x49).collect(), vec![7]])
                .numbers("sue.command.data_bytes", [32, 9, 1])
                .numbers("sue.body.malformed", [])
                .numbers("sue.header.bad", []);
            let expected = match framing.transport() {
                Transport::Reliable => header_fields(expected, HEADER),
                Transport::Lite => expected.numbers("sue.rh.xpuid", []).numbers("sue.r_crc", []),
            };
            (format!("{framing:?}"), wire, expected)
        })
        .collect();
    check(&cases, &[]);
}

/// What E2 shows in every format (chapter 50, 8).
fn e2_fields() -> Expected {
    Expected::default()
        .number("sue.rh.op", 0_u64)
        .number("sue.rh.xpuid", 5_u64)
        .number("sue.rh.npsn", 0x10_u64)
        .number("sue.rh.apsn", 0x0F_u64)
        .number("sue.rh.vc", 0_u64)
        .number("sue.rh.partition", 1_u64)
        .number("sue.r_crc", 0x5B8E_0104_u64)
        .number("sue.r_crc.status", GOOD)
        .number("sue.command.kind", 8_u64)
        .number("sue.command.clen", 7_u64)
        .number("sue.command.dlen", 0x1F_u64)
        .octets("sue.command.data", vec![(0..0x20).collect()])
}

/// A worked example: header, PDU, FCS.
fn example(header: &str, pdu: &[u8], fcs: &str) -> Vec<u8> {
    [hex(header), pdu.to_vec(), hex(fcs)].concat()
}

#[test]
fn worked_examples_with_e2() {
    let pdu = e2_octets();
    let macs = "02 00 00 00 00 70 02 00 00 00 00 50";
    let gen2 = |expected: Expected| {
        expected.number("sue.dst.xpu", 7_u64).number("sue.src.xpu", 5_u64).number("sue.fcs.status", GOOD)
    };
    let e3 = example("02 68 00 00 00 70 42 07 00 00 00 50 88 B6", &pdu, "E3 2D 75 95");
    let e3_generation = example("02 68 18 00 00 70 42 07 18 00 00 50 88 B6", &pdu, "07 1A 01 62");
    let e3_sequence = example("02 68 00 00 00 70 42 07 00 00 00 50 88 B6", &pdu, "49 DF 46 3D");
    let e4 = example("82 68 00 70 00 50 88 B6", &pdu, "BB 99 29 A7");
    let ip = "81 00 60 00 08 00 45 68 00 58 00 00 40 00 40 11 26 22 0A 00 00 05 0A 00 00 07 C0 07 0D 05 00 44 00 00";
    let e7 = example(&format!("{macs} {ip}"), &pdu, "E2 50 C3 35");
    let e8 = example(&format!("{macs} 88 B6 92 68 00 07 04 01 00 3C"), &pdu, "8E 66 5B A9");
    let e8_bare = example(&format!("{macs} 81 00 60 00 88 B6"), &pdu, "81 56 44 FF");
    let cases = [
        ("E3", e3, gen2(e2_fields()).number("sue.afh2.hop", 4_u64).number("sue.afh2.entropy", 7_u64)),
        ("E3, generation 3", e3_generation, gen2(e2_fields()).number("sue.afh2.generation", 0x18_u64)),
        ("E3, LLR_FCS_SEQ", e3_sequence, e2_fields().number("sue.fcs.status", BAD)),
        ("E4", e4, gen2(e2_fields())),
        (
            "E7",
            e7,
            e2_fields()
                .number("eth.fcs.status", GOOD)
                .number("ip.checksum", 0x2622_u64)
                .number("ip.checksum.status", GOOD)
                .number("udp.length", 0x44_u64)
                .number("vlan.priority", 3_u64),
        ),
        ("E8", e8, gen2(e2_fields()).number("sue.shim.pdu_bytes", 60_u64).number("sue.entropy.xpu", 7_u64)),
        ("E8, bare", e8_bare, gen2(e2_fields()).number("vlan.priority", 3_u64)),
    ];
    check(&cases.map(|(name, wire, expected)| (name.to_owned(), wire, expected)), &[]);
}

#[test]
fn worked_examples_without_commands_of_data() {
    let e5_pdu = [hex("10 07 01 23 00 01 00 11"), vec![0; 34], hex("A2 F9 05 39")].concat();
    let e5 = example("02 B8 00 00 00 50 42 05 00 00 00 70 88 B6", &e5_pdu, "B4 6C CC C8");
    let e6_body = [hex("17 00"), hex(E1_CONTROL), vec![0; 52 - 16]].concat();
    let e6 = example("82 68 00 70 00 50 88 B5", &e6_body, "3A FA 2C EE");
    let e9_pdu =
        [hex("30 05 00 00 00 01 00 00 23 00 01 00 00 00 00 00"), vec![0; 26], hex("96 42 0F 8C")].concat();
    let e9 = sealed(&example("02 B8 00 00 00 70 42 07 00 00 00 50 88 B6", &e9_pdu, ""));
    let open =
        CmRecord { code: CmCode::OpenRequest, port: 3, vc: 1, psn: 0xBEEF }.command().expect("a record");
    let header = ReliabilityHeader { operation: Operation::ConnectionManagement, ..HEADER };
    let body = rules(Framing::AfhGen2).build(&[open]).expect("a body");
    let pdu = Pdu { header, body }.encode().expect("a PDU");
    let open = sealed(&port(Framing::AfhGen2).encapsulate(ROUTE, &pdu).expect("a frame"));
    let good = || Expected::default().number("sue.fcs.status", GOOD).numbers("sue.body.malformed", []);
    let cases = [
        (
            "E5",
            e5,
            good()
                .number("sue.rh.op", 1_u64)
                .number("sue.rh.npsn", 0x123_u64)
                .number("sue.rh.apsn", 0x11_u64)
                .number("sue.r_crc", 0x3905_F9A2_u64)
                .number("sue.r_crc.status", GOOD)
                .number("sue.ack_only", 1_u64)
                .octets("sue.end", vec![vec![0; 34]])
                .numbers("sue.command.kind", []),
        ),
        (
            "E6",
            e6,
            good()
                .number("sue.command.kind", 1_u64)
                .octets("sue.command.control", vec![hex(E1_CONTROL)])
                .numbers("sue.r_crc", []),
        ),
        (
            "E9",
            e9,
            good()
                .number("sue.rh.op", 3_u64)
                .number("sue.r_crc", 0x8C0F_4296_u64)
                .number("sue.r_crc.status", GOOD)
                .number("sue.cm.code", 1_u64)
                .number("sue.cm.psn", 0_u64),
        ),
        (
            "OPEN_REQ",
            open,
            header_fields(good(), header)
                .number("sue.cm.code", 3_u64)
                .number("sue.cm.port", 3_u64)
                .number("sue.cm.vc", 1_u64)
                .number("sue.cm.psn", 0xBEEF_u64),
        ),
    ];
    check(&cases.map(|(name, wire, expected)| (name.to_owned(), wire, expected)), &[]);
}
