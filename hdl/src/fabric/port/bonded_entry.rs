//! Registry entry of `fab_bonded_port`.

use super::entry::{by_lane, SUBLAYER_CLOCKS};
use super::{FabBondedPort1, FabBondedPort2, FabPortConfig};
use crate::config::ConfigError;
use crate::link::bonded::BOND_CLOCKS;
use crate::link::lane::lane_interface;
use crate::link::port::PortConfig;
use crate::registry::StreamRole::{FlowSink, FlowSource, StreamSink, StreamSource};
use crate::registry::{Allowed, BlockEntry, BuiltBlock, InterfaceInfo, ParameterInfo, Preset, Settings};
use flitforge_protocol::packet::{MAX_PAYLOAD_BYTES, MIN_MTU};

/// Links of the types there are.
const LINKS: usize = 2;

/// Registry entry.
pub const BONDED_ENTRY: BlockEntry = BlockEntry {
    name: "fab_bonded_port",
    chapter: "10-link",
    summary: "packets on virtual lanes over two links as one: fab_port with link_bonded_port below it",
    parameters: &[
        ParameterInfo {
            name: "f",
            default: 2,
            allowed: Allowed::OneOf(&[1, 2]),
            doc: "flits per beat of a link: F = 1 has one lane, F = 2 has four",
        },
        ParameterInfo {
            name: "r",
            default: 128,
            allowed: Allowed::OneOf(&[16, 128]),
            doc: "replay slots of a link",
        },
        ParameterInfo {
            name: "vl_buf",
            default: 16_384,
            allowed: Allowed::OneOf(&[1_024, 16_384]),
            doc: "bytes of receive buffer of each of four virtual lanes, VL_BUF",
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
            values: &[("f", 1), ("r", 16), ("vl_buf", 1_024), ("mtu", 256), ("short", 1)],
        },
    ],
    build,
};

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    let (flits, slots, buffer) = (settings.size("f")?, settings.size("r")?, settings.size("vl_buf")?);
    let lanes = if flits == 1 { 1 } else { 4 };
    let base = match settings.get("short")? {
        0 => PortConfig::new(flits, lanes, slots),
        _ => PortConfig::short(flits, lanes, slots),
    };
    let link = PortConfig { guid: settings.get("guid")?, ..base };
    let config = FabPortConfig::new(link, 4, buffer).with_mtu(settings.size("mtu")?).bonding(LINKS);
    match (flits, slots, buffer) {
        (1, 16, 1_024) => built(FabBondedPort1::<4, 8, 9, 4, 5, 64, 6, 7>::new, &config),
        (2, 128, 16_384) => built(FabBondedPort2::<7, 10, 11, 4, 5, 64, 9, 10>::new, &config),
        _ => Err(settings.unsupported("f, r and vl_buf", "1/16/1024 or 2/128/16384")),
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

fn interface(config: &FabPortConfig) -> InterfaceInfo {
    let mut names = by_lane(config);
    for link in 0..config.links {
        names.push((format!("time_in[{link}]"), StreamSink));
        names.push((format!("spc_out[{link}]"), FlowSource));
    }
    let streams: Vec<_> = names.iter().map(|(name, role)| (name.as_str(), *role)).collect();
    let per_lane = [("tx", StreamSource), ("rx", FlowSink)];
    let link = config.link.to_lane_clocks() + config.link.from_lane_clocks() + BOND_CLOCKS;
    let note = "header in to header out, nominal, without the PHY, idle";
    lane_interface(&streams, &per_lane, config.links * config.link.lanes, link as u32 + SUBLAYER_CLOCKS, note)
}
