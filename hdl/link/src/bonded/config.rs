//! Parameters and registry entry of `link_bonded_port`.

use super::{LinkBondedPort1, LinkBondedPort2};
use crate::bond::BondConfig;
use crate::lane::lane_interface;
use crate::port::PortConfig;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::beat::beats_per_ltp;

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
        ParameterInfo::new(
            "f",
            2,
            Allowed::OneOf(&[1, 2]),
            "flits per beat of a link: F = 1 has one lane, F = 2 has four",
        ),
        ParameterInfo::new("r", 128, Allowed::PowerOfTwo(16, 256), "replay slots of a link"),
        ParameterInfo::new("guid", 0, Allowed::Range(0, u64::MAX), "GUID"),
        ParameterInfo::new("short", 0, Allowed::Range(0, 1), "1: short timeouts of training, for simulation"),
    ],
    presets: &[
        Preset { name: "default", values: &[] },
        Preset { name: "small", values: &[("f", 1), ("r", 16), ("short", 1)] },
    ],
    build,
};

fn config(settings: &Settings) -> Result<BondedConfig, ConfigError> {
    let (flits, slots) = (settings.size("f")?, settings.size("r")?);
    let lanes = if flits == 1 { 1 } else { 4 };
    let base = match settings.get("short")? {
        0 => PortConfig::new(flits, lanes, slots),
        _ => PortConfig::short(flits, lanes, slots),
    };
    Ok(BondedConfig { links: 2, port: PortConfig { guid: settings.get("guid")?, ..base } })
}

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    config(settings)?.check()?;
    match settings.get("f")? {
        1 => shapes! {
            settings: (r) => build_1_as of link::bonded
                [log2(r), log2(r * beats_per_ltp(1)), log2(r * beats_per_ltp(1)) + 1];
            presets { (16) }
        },
        _ => shapes! {
            settings: (r) => build_2_as of link::bonded
                [log2(r), log2(r * beats_per_ltp(2)), log2(r * beats_per_ltp(2)) + 1];
            presets { (128) }
        },
    }
}

macro_rules! builder {
    ($name:ident, $block:ident) => {
        /// Builds the block with these const parameters, which are those of its type.
        // A stack frame holds one of these big blocks and not all of them.
        #[inline(never)]
        pub fn $name<const SLOT_W: usize, const ADDRESS_W: usize, const C: usize>(
            settings: &Settings,
        ) -> Result<BuiltBlock, ConfigError> {
            let config = config(settings)?;
            Ok(BuiltBlock::new($block::<SLOT_W, ADDRESS_W, C>::new(&config)?, interface(&config)))
        }
    };
}
builder!(build_1_as, LinkBondedPort1);
builder!(build_2_as, LinkBondedPort2);

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
