//! Registry entry.

use super::FabSwitch;
use crate::config::ConfigError;
use crate::registry::StreamRole::{StreamSink, StreamSource};
use crate::registry::{Allowed, BlockEntry, BuiltBlock, InterfaceInfo, ParameterInfo, Preset, Settings};
use flitforge_protocol::packet::{MAX_PAYLOAD_BYTES, MIN_MTU};

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "fab_switch",
    chapter: "10-link",
    summary: "packets from every port to every port, cut through virtually",
    parameters: &[
        ParameterInfo { name: "f", default: 2, allowed: Allowed::OneOf(&[1, 2]), doc: "flits per beat" },
        ParameterInfo {
            name: "ports",
            default: 4,
            allowed: Allowed::OneOf(&[2, 4, 16]),
            doc: "PORTS, without the internal one; 16 with the other values of `small`",
        },
        ParameterInfo {
            name: "lanes",
            default: 4,
            allowed: Allowed::OneOf(&[2, 4]),
            doc: "virtual lanes, NUM_VLS",
        },
        ParameterInfo {
            name: "vl_buf",
            default: 16_384,
            allowed: Allowed::OneOf(&[512, 16_384]),
            doc: "bytes of buffer for each input and lane, VL_BUF; 512 for packets of 256 bytes",
        },
    ],
    presets: &[
        Preset { name: "default", values: &[] },
        Preset { name: "small", values: &[("ports", 2), ("lanes", 2), ("vl_buf", 512)] },
        Preset { name: "small_f1", values: &[("f", 1), ("ports", 2), ("lanes", 2), ("vl_buf", 512)] },
    ],
    build,
};

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    let sizes = (settings.get("f")?, settings.get("ports")?, settings.get("lanes")?, settings.get("vl_buf")?);
    let block =
        match sizes {
            (2, 4, 4, 16_384) => BuiltBlock::new(
                FabSwitch::<2, 130, 139, 135, 144, 4, 64, 4, 5, 10, 10, 11>::new(MAX_PAYLOAD_BYTES)?,
                interface(4, 4),
            ),
            (2, 2, 2, 512) => BuiltBlock::new(
                FabSwitch::<2, 130, 139, 135, 144, 2, 32, 2, 3, 6, 5, 6>::new(MIN_MTU)?,
                interface(2, 2),
            ),
            (2, 16, 2, 512) => BuiltBlock::new(
                FabSwitch::<2, 130, 139, 135, 144, 2, 32, 16, 17, 6, 5, 6>::new(MIN_MTU)?,
                interface(16, 2),
            ),
            (1, 2, 2, 512) => BuiltBlock::new(
                FabSwitch::<1, 65, 74, 70, 79, 2, 32, 2, 3, 6, 6, 7>::new(MIN_MTU)?,
                interface(2, 2),
            ),
            _ => return Err(settings.unsupported(
                "vl_buf",
                "16384 with 4 ports and lanes and f = 2, or 512 with 2 lanes and 2 ports, or 16 and f = 2",
            )),
        };
    Ok(block)
}

fn interface(ports: usize, lanes: usize) -> InterfaceInfo {
    let names =
        |name: &str, count: usize| (0..count).map(|index| format!("{name}[{index}]")).collect::<Vec<_>>();
    let (lanes_in, beats_out, agent_out) =
        (names("lanes_in", ports), names("beats_out", ports), names("agent_out", lanes));
    let mut streams: Vec<_> = lanes_in.iter().map(|name| (name.as_str(), StreamSink)).collect();
    streams.push(("agent_in", StreamSink));
    streams.extend(beats_out.iter().chain(&agent_out).map(|name| (name.as_str(), StreamSource)));
    InterfaceInfo::clocked(&streams, Some(6), "head taken to beats_out.valid, switch idle")
}
