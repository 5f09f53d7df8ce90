//! Registry entries.

use super::{PacketConfig, PacketRx1, PacketRx2, PacketRx4, PacketTx1, PacketTx2, PacketTx4};
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::packet::{MAX_PAYLOAD_BYTES, MIN_MTU};

const FLITS: ParameterInfo = ParameterInfo::new("f", 2, Allowed::OneOf(&[1, 2, 4]), "flits per beat");
const MTU: ParameterInfo = ParameterInfo::new(
    "mtu",
    MAX_PAYLOAD_BYTES as u64,
    Allowed::Range(MIN_MTU as u64, MAX_PAYLOAD_BYTES as u64),
    "largest payload, bytes",
);

/// Registry entry of the sender.
pub const TX_ENTRY: BlockEntry = BlockEntry {
    name: "fab_packet_tx",
    chapter: "10-link",
    summary: "packets in, beats of flits with packet CRC out",
    parameters: &[
        FLITS,
        MTU,
        ParameterInfo::new("lanes", 4, Allowed::Range(1, 16), "virtual lanes, NUM_VLS"),
        ParameterInfo::new(
            "management",
            0,
            Allowed::OneOf(&[0, 1]),
            "1: the highest lane takes source-routed management only",
        ),
    ],
    presets: &[
        Preset { name: "default", values: &[] },
        Preset { name: "f1", values: &[("f", 1)] },
        Preset { name: "f4", values: &[("f", 4)] },
        Preset { name: "management", values: &[("mtu", 256), ("management", 1)] },
    ],
    build: build_tx,
};

/// Registry entry of the receiver.
pub const RX_ENTRY: BlockEntry = BlockEntry {
    name: "fab_packet_rx",
    chapter: "10-link",
    summary: "beats of flits in, packets checked by length, order and CRC out",
    parameters: &[FLITS, MTU],
    presets: &[
        Preset { name: "default", values: &[] },
        Preset { name: "f1", values: &[("f", 1)] },
        Preset { name: "f4", values: &[("f", 4)] },
        Preset { name: "small", values: &[("mtu", 256)] },
    ],
    build: build_rx,
};

fn build_tx(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    let config = PacketConfig {
        mtu: settings.size("mtu")?,
        lanes: settings.size("lanes")?,
        management: settings.get("management")? == 1,
    };
    let streams = [
        ("header_in", StreamSink),
        ("words_in", StreamSink),
        ("beats_out", StreamSource),
        ("refused", FlowSource),
    ];
    let interface = InterfaceInfo::clocked(&streams, Some(5), "header taken to its beat, no beat before it");
    Ok(match settings.get("f")? {
        1 => BuiltBlock::new(PacketTx1::new(&config)?, interface),
        2 => BuiltBlock::new(PacketTx2::new(&config)?, interface),
        4 => BuiltBlock::new(PacketTx4::new(&config)?, interface),
        _ => return Err(settings.unsupported("f", "1, 2 or 4")),
    })
}

fn build_rx(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    let config = PacketConfig { mtu: settings.size("mtu")?, ..PacketConfig::default() };
    let streams = [
        ("beats_in", StreamSink),
        ("header_out", StreamSource),
        ("words_out", StreamSource),
        ("end_out", StreamSource),
    ];
    let interface = InterfaceInfo::clocked(&streams, Some(5), "beat taken to its header, nothing before it");
    Ok(match settings.get("f")? {
        1 => BuiltBlock::new(PacketRx1::new(&config)?, interface),
        2 => BuiltBlock::new(PacketRx2::new(&config)?, interface),
        4 => BuiltBlock::new(PacketRx4::new(&config)?, interface),
        _ => return Err(settings.unsupported("f", "1, 2 or 4")),
    })
}
