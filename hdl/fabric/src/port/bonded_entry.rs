//! Registry entry of `fab_bonded_port`.

use super::entry::{by_lane, SUBLAYER_CLOCKS};
use super::{FabBondedPort1, FabBondedPort2, FabPortConfig};
use crate::credit::CREDIT_BITS;
use flitforge_hdl_link::bonded::BOND_CLOCKS;
use flitforge_hdl_link::lane::lane_interface;
use flitforge_hdl_link::port::PortConfig;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::beat::beats_per_ltp;
use flitforge_protocol::packet::{BYTES_PER_BODY, MAX_PAYLOAD_BYTES, MIN_MTU};

/// Links of the types there are.
const LINKS: usize = 2;

/// Registry entry.
pub const BONDED_ENTRY: BlockEntry = BlockEntry {
    name: "fab_bonded_port",
    chapter: "10-link",
    summary: "packets on virtual lanes over two links as one: fab_port with link_bonded_port below it",
    parameters: &[
        ParameterInfo::new(
            "f",
            2,
            Allowed::OneOf(&[1, 2]),
            "flits per beat of a link: F = 1 has one lane, F = 2 has four",
        ),
        ParameterInfo::new("r", 128, Allowed::PowerOfTwo(16, 256), "replay slots of a link"),
        ParameterInfo::new(
            "vl_buf",
            16_384,
            Allowed::PowerOfTwo(512, 1 << 19),
            "bytes of receive buffer of each of four virtual lanes, VL_BUF",
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
            values: &[("f", 1), ("r", 16), ("vl_buf", 1_024), ("mtu", 256), ("short", 1)],
        },
    ],
    build,
};

/// Virtual lanes of the types there are.
const VLS: usize = 4;

fn config(settings: &Settings) -> Result<FabPortConfig, ConfigError> {
    let (flits, slots, buffer) = (settings.size("f")?, settings.size("r")?, settings.size("vl_buf")?);
    let lanes = if flits == 1 { 1 } else { 4 };
    let base = match settings.get("short")? {
        0 => PortConfig::new(flits, lanes, slots),
        _ => PortConfig::short(flits, lanes, slots),
    };
    let link = PortConfig { guid: settings.get("guid")?, ..base };
    Ok(FabPortConfig::new(link, VLS, buffer).with_mtu(settings.size("mtu")?).bonding(LINKS))
}

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    config(settings)?.check()?;
    match settings.get("f")? {
        1 => shapes! {
            settings: (r, vl_buf) => build_bonded_1_as of fabric::port [
                log2(r),
                log2(r * beats_per_ltp(1)),
                log2(r * beats_per_ltp(1)) + 1,
                VLS,
                VLS + 1,
                CREDIT_BITS * VLS,
                log2(vl_buf / (LINKS * BYTES_PER_BODY)),
                log2(vl_buf / (LINKS * BYTES_PER_BODY)) + 1
            ];
            presets { (16, 1024) }
        },
        _ => shapes! {
            settings: (r, vl_buf) => build_bonded_2_as of fabric::port [
                log2(r),
                log2(r * beats_per_ltp(2)),
                log2(r * beats_per_ltp(2)) + 1,
                VLS,
                VLS + 1,
                CREDIT_BITS * VLS,
                log2(vl_buf / (2 * LINKS * BYTES_PER_BODY)),
                log2(vl_buf / (2 * LINKS * BYTES_PER_BODY)) + 1
            ];
            presets { (128, 16384) }
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
builder!(build_bonded_1_as, FabBondedPort1, [SLOT_W, ADDRESS_W, C, N, M, VIEW_W, B, D]);
builder!(build_bonded_2_as, FabBondedPort2, [SLOT_W, ADDRESS_W, C, N, M, VIEW_W, B, D]);

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
