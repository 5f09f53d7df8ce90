//! Registry entries.

use super::{VlRx, VlTx};
use crate::config::ConfigError;
use crate::registry::StreamRole::{FlowSource, StreamSink, StreamSource};
use crate::registry::{Allowed, BlockEntry, BuiltBlock, InterfaceInfo, ParameterInfo, Preset, Settings};

const PARAMETERS: &[ParameterInfo] = &[
    ParameterInfo { name: "f", default: 2, allowed: Allowed::OneOf(&[1, 2, 4]), doc: "flits per beat" },
    ParameterInfo {
        name: "lanes",
        default: 4,
        allowed: Allowed::OneOf(&[1, 2, 4, 8, 16]),
        doc: "virtual lanes, NUM_VLS; other than 4 with two flits per beat",
    },
];
const PRESETS: &[Preset] = &[
    Preset { name: "default", values: &[] },
    Preset { name: "f1", values: &[("f", 1)] },
    Preset { name: "f4", values: &[("f", 4)] },
    Preset { name: "one", values: &[("lanes", 1)] },
    Preset { name: "sixteen", values: &[("lanes", 16)] },
];

/// Registry entry of the sender.
pub const TX_ENTRY: BlockEntry = BlockEntry {
    name: "fab_vl_tx",
    chapter: "10-link",
    summary: "virtual lanes take turns on the beats of a link",
    parameters: PARAMETERS,
    presets: PRESETS,
    build: build_tx,
};

/// Registry entry of the receiver.
pub const RX_ENTRY: BlockEntry = BlockEntry {
    name: "fab_vl_rx",
    chapter: "10-link",
    summary: "beats of a link sorted by virtual lane, sequences that no sender makes found",
    parameters: PARAMETERS,
    presets: PRESETS,
    build: build_rx,
};

fn build_tx(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    match (settings.get("f")?, settings.get("lanes")?) {
        (1, 4) => build_tx_lanes::<1, 65, 4>(),
        (4, 4) => build_tx_lanes::<4, 260, 4>(),
        (2, 1) => build_tx_lanes::<2, 130, 1>(),
        (2, 2) => build_tx_lanes::<2, 130, 2>(),
        (2, 4) => build_tx_lanes::<2, 130, 4>(),
        (2, 8) => build_tx_lanes::<2, 130, 8>(),
        (2, 16) => build_tx_lanes::<2, 130, 16>(),
        _ => Err(settings.unsupported("lanes", "4, or f = 2")),
    }
}

fn build_tx_lanes<const F: usize, const FLITS_W: usize, const N: usize>() -> Result<BuiltBlock, ConfigError> {
    let names: Vec<String> = (0..N).map(|lane| format!("lanes_in[{lane}]")).collect();
    let mut streams: Vec<_> = names.iter().map(|name| (name.as_str(), StreamSink)).collect();
    streams.push(("beats_out", StreamSource));
    let interface = InterfaceInfo::clocked(&streams, Some(2), "beat taken to beats_out.valid");
    Ok(BuiltBlock::new(VlTx::<F, FLITS_W, N>::new()?, interface))
}

fn build_rx(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    match (settings.get("f")?, settings.get("lanes")?) {
        (1, 4) => build_rx_lanes::<1, 65, 74, 4, 4, 5>(),
        (4, 4) => build_rx_lanes::<4, 260, 269, 6, 4, 5>(),
        (2, 1) => build_rx_lanes::<2, 130, 139, 5, 1, 2>(),
        (2, 2) => build_rx_lanes::<2, 130, 139, 5, 2, 3>(),
        (2, 4) => build_rx_lanes::<2, 130, 139, 5, 4, 5>(),
        (2, 8) => build_rx_lanes::<2, 130, 139, 5, 8, 9>(),
        (2, 16) => build_rx_lanes::<2, 130, 139, 5, 16, 17>(),
        _ => Err(settings.unsupported("lanes", "4, or f = 2")),
    }
}

fn build_rx_lanes<
    const F: usize,
    const FLITS_W: usize,
    const OUT_W: usize,
    const BYTES_W: usize,
    const N: usize,
    const M: usize,
>() -> Result<BuiltBlock, ConfigError> {
    let streams = [("beats_in", StreamSink), ("beats_out", StreamSource), ("arrived", FlowSource)];
    let interface = InterfaceInfo::clocked(&streams, Some(3), "beat taken to beats_out.valid");
    Ok(BuiltBlock::new(VlRx::<F, FLITS_W, OUT_W, BYTES_W, N, M>::new()?, interface))
}
