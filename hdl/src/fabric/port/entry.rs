//! Registry entry of `fab_port`.

use super::{FabPort1, FabPort2, FabPortConfig};
use crate::config::ConfigError;
use crate::link::lane::lane_interface;
use crate::link::port::PortConfig;
use crate::registry::StreamRole::{self, FlowSink, FlowSource, StreamSink, StreamSource};
use crate::registry::{Allowed, BlockEntry, BuiltBlock, InterfaceInfo, ParameterInfo, Preset, Settings};
use flitforge_protocol::packet::{MAX_PAYLOAD_BYTES, MIN_MTU};

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "fab_port",
    chapter: "10-link",
    summary: "packets on virtual lanes over one link: packets, lanes and credits in front of link_port",
    parameters: &[
        ParameterInfo { name: "f", default: 2, allowed: Allowed::OneOf(&[1, 2]), doc: "flits per beat" },
        ParameterInfo { name: "lanes", default: 4, allowed: Allowed::OneOf(&[1, 4]), doc: "physical lanes" },
        ParameterInfo { name: "r", default: 128, allowed: Allowed::OneOf(&[16, 128]), doc: "replay slots" },
        ParameterInfo {
            name: "vls",
            default: 4,
            allowed: Allowed::OneOf(&[2, 4]),
            doc: "virtual lanes, NUM_VLS",
        },
        ParameterInfo {
            name: "vl_buf",
            default: 16_384,
            allowed: Allowed::OneOf(&[1_024, 16_384]),
            doc: "bytes of receive buffer of each virtual lane, VL_BUF",
        },
        ParameterInfo {
            name: "mtu",
            default: MAX_PAYLOAD_BYTES as u64,
            allowed: Allowed::Range(MIN_MTU as u64, MAX_PAYLOAD_BYTES as u64),
            doc: "largest payload, bytes",
        },
        ParameterInfo { name: "guid", default: 0, allowed: Allowed::Range(0, u64::MAX), doc: "GUID" },
        ParameterInfo {
            name: "short",
            default: 0,
            allowed: Allowed::Range(0, 1),
            doc: "1: short timeouts of training, for simulation",
        },
    ],
    presets: &[
        Preset { name: "default", values: &[] },
        Preset {
            name: "small",
            values: &[
                ("f", 1),
                ("lanes", 1),
                ("r", 16),
                ("vls", 2),
                ("vl_buf", 1_024),
                ("mtu", 256),
                ("short", 1),
            ],
        },
    ],
    build,
};

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    let (flits, lanes, slots) = (settings.size("f")?, settings.size("lanes")?, settings.size("r")?);
    let base = match settings.get("short")? {
        0 => PortConfig::new(flits, lanes, slots),
        _ => PortConfig::short(flits, lanes, slots),
    };
    let link = PortConfig { guid: settings.get("guid")?, ..base };
    let (vls, buffer) = (settings.size("vls")?, settings.size("vl_buf")?);
    let config = FabPortConfig::new(link, vls, buffer).with_mtu(settings.size("mtu")?);
    match (flits, lanes, slots, vls, buffer) {
        (1, 1, 16, 2, 1_024) => built(FabPort1::<1, 4, 8, 2, 3, 32, 7, 8>::new, &config),
        (2, 4, 16, 4, 1_024) => built(FabPort2::<4, 4, 7, 4, 5, 64, 6, 7>::new, &config),
        (2, 4, 128, 4, 16_384) => built(FabPort2::<4, 7, 10, 4, 5, 64, 10, 11>::new, &config),
        _ => Err(settings
            .unsupported("f, lanes, r, vls and vl_buf", "1/1/16/2/1024, 2/4/16/4/1024 or 2/4/128/4/16384")),
    }
}

// A function of its own, so that a stack frame holds one of these big blocks and not all of them.
#[inline(never)]
fn built<B: flitforge_elaborate::drive::DriveBlock + 'static>(
    make: impl FnOnce(&FabPortConfig) -> Result<B, ConfigError>,
    config: &FabPortConfig,
) -> Result<BuiltBlock, ConfigError> {
    Ok(BuiltBlock::new(make(config)?, interface(config)))
}

/// Streams of the packets, by virtual lane.
pub fn by_lane(config: &FabPortConfig) -> Vec<(String, StreamRole)> {
    let named = [
        ("header_in", StreamSink),
        ("words_in", StreamSink),
        ("refused", FlowSource),
        ("header_out", StreamSource),
        ("words_out", StreamSource),
        ("end_out", StreamSource),
    ];
    let of_lane = |name: &'static str| (0..config.link.vls).map(move |vl| format!("{name}[{vl}]"));
    named.iter().flat_map(|(name, role)| of_lane(name).map(move |name| (name, *role))).collect()
}

fn interface(config: &FabPortConfig) -> InterfaceInfo {
    let names = by_lane(config);
    let mut streams: Vec<_> = names.iter().map(|(name, role)| (name.as_str(), *role)).collect();
    streams.extend([
        ("time_in", StreamSink),
        ("spc_out", FlowSource),
        ("test_rows_in", StreamSink),
        ("test_rows_out", FlowSource),
    ]);
    let per_lane = [("tx", StreamSource), ("rx", FlowSink)];
    let latency = config.link.to_lane_clocks() + config.link.from_lane_clocks();
    let note = "header in to header out, nominal, without the PHY, idle";
    lane_interface(&streams, &per_lane, config.link.lanes, latency as u32 + SUBLAYER_CLOCKS, note)
}

/// Clocks of a header on its way through the sublayer: 5 to its beat, 2 of `fab_vl_tx`, 1 of `fab_credit_rx`, 3 of `fab_vl_rx`, 1 of the buffer,
/// 5 from its beat.
pub const SUBLAYER_CLOCKS: u32 = 5 + 2 + 1 + 3 + 1 + 5;
