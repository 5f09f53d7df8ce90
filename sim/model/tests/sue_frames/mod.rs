//! What the tests of chapter 50 share: the commands and PDUs of its worked examples.

#![allow(clippy::expect_used, reason = "in tests, helper functions included")]

use flitforge_model::sue::format::network::{
    Fid, Framing, InternetVersion, Network, NetworkConfig, Route, SecondEthertype, Shim, Tagging,
};
use flitforge_model::sue::format::{BodyRules, Command, Payload, Pdu, ReliabilityHeader, TypeTable};
use flitforge_protocol::sue::class::ClassUse;
use flitforge_protocol::sue::command::CommandType;
use flitforge_protocol::sue::esun::EsunPayload;
use flitforge_protocol::sue::reliability::Operation;
use flitforge_protocol::sue::{MIN_FRAME_BYTES, PACK_MAX};

/// Octets written in hexadecimal; blanks do not count.
pub fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.chars().filter_map(|c| c.to_digit(16)).map(|digit| digit as u8).collect();
    digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

/// The 14 control octets of E1: address, id, four zeros.
pub const E1_CONTROL: &str = "00 00 00 01 23 45 67 80 00 2A 00 00 00 00";

/// E1.
pub fn write() -> Command {
    Command {
        kind: CommandType::Write,
        control: hex(E1_CONTROL),
        payload: Payload::Data((0..0x20).collect()),
    }
}

/// The octets of E1 as the chapter has them.
pub fn write_octets() -> Vec<u8> {
    [hex("87 1F"), hex(E1_CONTROL), (0..0x20).collect()].concat()
}

/// The header of E2.
pub const E2_HEADER: ReliabilityHeader = ReliabilityHeader {
    operation: Operation::Ack,
    source: 5,
    psn: 0x10,
    vc: 0,
    partition: 1,
    acknowledged: 0x0F,
};

/// E2: the PDU as the chapter has it.
pub fn e2_octets() -> Vec<u8> {
    [hex("00 05 00 10 00 01 00 0F"), write_octets(), hex("04 01 8E 5B")].concat()
}

/// E2 as a PDU.
pub fn e2() -> Pdu {
    Pdu { header: E2_HEADER, body: write_octets() }
}

/// Port 0 of an XPU.
pub fn port_of(xpu: u16, framing: Framing) -> Network {
    Network::new(NetworkConfig::new(framing, Fid { xpu, port: 0 })).expect("settings")
}

/// Sender XPU 5 and receiver XPU 7.
pub fn ends(framing: Framing) -> [Network; 2] {
    [5, 7].map(|xpu| port_of(xpu, framing))
}

/// From XPU 5 to XPU 7, VC 0.
pub const TO_7: Route = Route { peer: 7, vc: 0, class: ClassUse::Requests };

/// Bodies with reset values.
pub fn rules(framing: Framing) -> BodyRules {
    let limit = if framing == Framing::Lite { 1024 } else { PACK_MAX };
    BodyRules::new(TypeTable::default(), limit, MIN_FRAME_BYTES, framing).expect("rules")
}

/// Every format with every option.
pub fn framings() -> Vec<Framing> {
    let mut all = vec![Framing::AfhGen2, Framing::AfhGen2Compressed, Framing::Lite];
    for tagging in [Tagging::Untagged, Tagging::Tagged] {
        all.extend(
            [InternetVersion::V4, InternetVersion::V6].map(|version| Framing::Standard { version, tagging }),
        );
        for second in [SecondEthertype::Absent, SecondEthertype::Present] {
            all.extend([Shim::Absent, Shim::Present].map(|shim| Framing::AfhGen1 { tagging, second, shim }));
        }
    }
    all.extend(EsunPayload::ALL.iter().map(|&payload| Framing::Esun { payload }));
    all
}
