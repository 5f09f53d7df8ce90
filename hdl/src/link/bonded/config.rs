//! Parameters and registry entry of `link_bonded_port`.

use super::{LinkBondedPort1, LinkBondedPort2};
use crate::config::{check_derived, ConfigError};
use crate::link::bond::BondConfig;
use crate::link::lane::lane_interface;
use crate::link::port::PortConfig;
use crate::registry::StreamRole::{FlowSink, FlowSource, StreamSink, StreamSource};
use crate::registry::{Allowed, BlockEntry, BuiltBlock, InterfaceInfo, ParameterInfo, Preset, Settings};

const NAME: &str = "link_bonded_port";
/// Clocks of the bond: a wide beat to its shares, the last share to its wide beat.
pub const BOND_CLOCKS: u64 = 1 + 6;

/// Build-time choice of a bonded port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BondedConfig {
    /// B: links.
    pub links: usize,
    /// What each link is; its bond index is its number.
    pub port: PortConfig,
}

impl BondedConfig {
    /// Refuses what chapter 10 does not know.
    pub fn check(&self) -> Result<(), ConfigError> {
        self.bond().check()?;
        self.link(0).check()
    }

    /// Refuses a type that was made for something else.
    pub(super) fn check_type(&self, links: usize, lanes: usize) -> Result<(), ConfigError> {
        check_derived(NAME, "links of the type", links as u64, "links", self.links as u64)?;
        check_derived(NAME, "lanes of the type", lanes as u64, "port.lanes", self.port.lanes as u64)
    }

    /// The bond in front of the links.
    pub fn bond(&self) -> BondConfig {
        BondConfig { links: self.links, flits: self.port.flits, slots: self.port.slots }
    }

    /// Link `index` of it.
    pub fn link(&self, index: usize) -> PortConfig {
        PortConfig { bond: Some(index), ..self.port }
    }
}

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "link_bonded_port",
    chapter: "10-link",
    summary: "two ports as one: link_bond joined to them, one register page each",
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
        Preset { name: "small", values: &[("f", 1), ("r", 16), ("short", 1)] },
    ],
    build,
};

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    let (flits, slots) = (settings.size("f")?, settings.size("r")?);
    let lanes = if flits == 1 { 1 } else { 4 };
    let base = match settings.get("short")? {
        0 => PortConfig::new(flits, lanes, slots),
        _ => PortConfig::short(flits, lanes, slots),
    };
    let config = BondedConfig { links: 2, port: PortConfig { guid: settings.get("guid")?, ..base } };
    match (flits, slots) {
        (1, 16) => built(LinkBondedPort1::<4, 8, 9>::new, &config),
        (2, 128) => built(LinkBondedPort2::<7, 10, 11>::new, &config),
        _ => Err(settings.unsupported("f and r", "1/16 and 2/128")),
    }
}

// A function of its own, so that a stack frame holds one of these big blocks and not all of them.
#[inline(never)]
fn built<B: flitforge_elaborate::drive::DriveBlock + 'static>(
    make: impl FnOnce(&BondedConfig) -> Result<B, ConfigError>,
    config: &BondedConfig,
) -> Result<BuiltBlock, ConfigError> {
    Ok(BuiltBlock::new(make(config)?, interface(config)))
}

fn interface(config: &BondedConfig) -> InterfaceInfo {
    let by_link =
        |name: &str| -> Vec<String> { (0..config.links).map(|link| format!("{name}[{link}]")).collect() };
    let (time_in, spc_out) = (by_link("time_in"), by_link("spc_out"));
    let whole = [
        ("flits_in", StreamSink),
        ("flits_out", FlowSource),
        ("side_in", FlowSink),
        ("side_out", FlowSource),
    ];
    let time = time_in.iter().map(|name| (name.as_str(), StreamSink));
    let streams: Vec<_> =
        whole.into_iter().chain(time).chain(spc_out.iter().map(|name| (name.as_str(), FlowSource))).collect();
    let per_lane = [("tx", StreamSource), ("rx", FlowSink)];
    let latency = config.port.to_lane_clocks() + config.port.from_lane_clocks() + BOND_CLOCKS;
    let note = "wide beat in to wide beat out, nominal, without the PHY";
    lane_interface(&streams, &per_lane, config.links * config.port.lanes, latency as u32, note)
}
