//! Registry entry.

use super::VlTx;
use crate::config::ConfigError;
use crate::registry::StreamRole::{StreamSink, StreamSource};
use crate::registry::{Allowed, BlockEntry, BuiltBlock, InterfaceInfo, ParameterInfo, Preset, Settings};

/// Registry entry of the sender.
pub const TX_ENTRY: BlockEntry = BlockEntry {
    name: "fab_vl_tx",
    chapter: "10-link",
    summary: "virtual lanes take turns on the beats of a link",
    parameters: &[
        ParameterInfo { name: "f", default: 2, allowed: Allowed::OneOf(&[1, 2, 4]), doc: "flits per beat" },
        ParameterInfo {
            name: "lanes",
            default: 4,
            allowed: Allowed::OneOf(&[1, 2, 4, 8, 16]),
            doc: "virtual lanes, NUM_VLS; other than 4 with two flits per beat",
        },
    ],
    presets: &[
        Preset { name: "default", values: &[] },
        Preset { name: "f1", values: &[("f", 1)] },
        Preset { name: "f4", values: &[("f", 4)] },
        Preset { name: "one", values: &[("lanes", 1)] },
        Preset { name: "sixteen", values: &[("lanes", 16)] },
    ],
    build,
};

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    match (settings.get("f")?, settings.get("lanes")?) {
        (1, 4) => build_lanes::<1, 65, 4>(),
        (4, 4) => build_lanes::<4, 260, 4>(),
        (2, 1) => build_lanes::<2, 130, 1>(),
        (2, 2) => build_lanes::<2, 130, 2>(),
        (2, 4) => build_lanes::<2, 130, 4>(),
        (2, 8) => build_lanes::<2, 130, 8>(),
        (2, 16) => build_lanes::<2, 130, 16>(),
        _ => Err(settings.unsupported("lanes", "4, or f = 2")),
    }
}

fn build_lanes<const F: usize, const FLITS_W: usize, const N: usize>() -> Result<BuiltBlock, ConfigError> {
    let names: Vec<String> = (0..N).map(|lane| format!("lanes_in[{lane}]")).collect();
    let mut streams: Vec<_> = names.iter().map(|name| (name.as_str(), StreamSink)).collect();
    streams.push(("beats_out", StreamSource));
    let interface = InterfaceInfo::clocked(&streams, Some(1), "beat taken to beats_out.valid");
    Ok(BuiltBlock::new(VlTx::<F, FLITS_W, N>::new()?, interface))
}
