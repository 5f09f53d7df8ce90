//! Registry entry of `fab_port`.

use super::{FabPort1, FabPort2, FabPort4, FabPortConfig};
use crate::credit::CREDIT_BITS;
use flitforge_hdl_link::lane::lane_interface;
use flitforge_hdl_link::port::PortConfig;
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_registry::StreamRole;
use flitforge_protocol::beat::beats_per_ltp;
use flitforge_protocol::flit::MAX_VLS;
use flitforge_protocol::packet::{BYTES_PER_BODY, MAX_PAYLOAD_BYTES, MIN_MTU};

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "fab_port",
    chapter: "10-link",
    summary: "packets on virtual lanes over one link: packets, lanes and credits in front of link_port",
    parameters: &[
        ParameterInfo::new("f", 2, Allowed::OneOf(&[1, 2, 4]), "flits per beat"),
        ParameterInfo::new("lanes", 4, Allowed::Range(1, 4), "physical lanes"),
        ParameterInfo::new("r", 128, Allowed::PowerOfTwo(16, 256), "replay slots"),
        ParameterInfo::new("vls", 4, Allowed::Range(1, MAX_VLS as u64), "virtual lanes, NUM_VLS"),
        ParameterInfo::new(
            "vl_buf",
            16_384,
            Allowed::PowerOfTwo(512, 1 << 19),
            "bytes of receive buffer of each virtual lane, VL_BUF",
        ),
        ParameterInfo::new(
            "mtu",
            MAX_PAYLOAD_BYTES as u64,
            Allowed::Range(MIN_MTU as u64, MAX_PAYLOAD_BYTES as u64),
            "largest payload, bytes",
        ),
        ParameterInfo::new("guid", 0, Allowed::Range(0, u64::MAX), "GUID"),
        ParameterInfo::new("short", 0, Allowed::Range(0, 1), "1: short timeouts of training, for simulation"),
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

fn config(settings: &Settings) -> Result<FabPortConfig, ConfigError> {
    let (flits, lanes, slots) = (settings.size("f")?, settings.size("lanes")?, settings.size("r")?);
    let base = match settings.get("short")? {
        0 => PortConfig::new(flits, lanes, slots),
        _ => PortConfig::short(flits, lanes, slots),
    };
    let link = PortConfig { guid: settings.get("guid")?, ..base };
    let (vls, buffer) = (settings.size("vls")?, settings.size("vl_buf")?);
    Ok(FabPortConfig::new(link, vls, buffer).with_mtu(settings.size("mtu")?))
}

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    config(settings)?.check()?;
    match settings.get("f")? {
        1 => shapes! {
            settings: (lanes, r, vls, vl_buf) => build_1_as of fabric::port [
                lanes,
                log2(r),
                log2(r * beats_per_ltp(1)),
                vls,
                vls + 1,
                CREDIT_BITS * vls,
                log2(vl_buf / BYTES_PER_BODY),
                log2(vl_buf / BYTES_PER_BODY) + 1
            ];
            presets { (1, 16, 2, 1024) }
        },
        2 => shapes! {
            settings: (lanes, r, vls, vl_buf) => build_2_as of fabric::port [
                lanes,
                log2(r),
                log2(r * beats_per_ltp(2)),
                vls,
                vls + 1,
                CREDIT_BITS * vls,
                log2(vl_buf / (2 * BYTES_PER_BODY)),
                log2(vl_buf / (2 * BYTES_PER_BODY)) + 1
            ];
            presets { (4, 128, 4, 16384) }
        },
        _ => shapes! {
            settings: (lanes, r, vls, vl_buf) => build_4_as of fabric::port [
                lanes,
                log2(r),
                log2(r * beats_per_ltp(4)),
                vls,
                vls + 1,
                CREDIT_BITS * vls,
                log2(vl_buf / (4 * BYTES_PER_BODY)),
                log2(vl_buf / (4 * BYTES_PER_BODY)) + 1
            ];
            presets {}
        },
    }
}

macro_rules! builder {
    ($name:ident, $block:ident, [$($part:ident),*]) => {
        /// Builds the block with these const parameters, which are those of its type.
        // A stack frame holds one of these big blocks and not all of them.
        #[inline(never)]
        pub fn $name<$(const $part: usize),*>(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
            let config = config(settings)?;
            Ok(BuiltBlock::new($block::<$($part),*>::new(&config)?, interface(&config)))
        }
    };
}
builder!(build_1_as, FabPort1, [LANES, SLOT_W, ADDRESS_W, N, M, VIEW_W, B, C]);
builder!(build_2_as, FabPort2, [LANES, SLOT_W, ADDRESS_W, N, M, VIEW_W, B, C]);
builder!(build_4_as, FabPort4, [LANES, SLOT_W, ADDRESS_W, N, M, VIEW_W, B, C]);

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
