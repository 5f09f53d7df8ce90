//! Parameters and registry entry of `link_bond`.

use super::{LinkBond1, LinkBond2, LinkBond4};
use crate::config::{check_derived, check_one_of, ConfigError};
use crate::registry::StreamRole::{FlowSink, FlowSource, StreamSink, StreamSource};
use crate::registry::{Allowed, BlockEntry, BuiltBlock, InterfaceInfo, ParameterInfo, Preset, Settings};
use flitforge_protocol::beat::{beats_per_ltp, flit_beat_bits, FLITS_PER_BEAT};
use flitforge_protocol::link::{BOND_LINKS, REPLAY_LTPS};

/// Parameters of a bond.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BondConfig {
    /// B: ports.
    pub links: usize,
    /// F: flits per beat of a port.
    pub flits: usize,
    /// R: replay slots of a port.
    pub slots: usize,
}

impl BondConfig {
    /// Refuses what chapter 10 does not know.
    pub fn check(&self) -> Result<(), ConfigError> {
        let one_of = |parameter, value: usize, allowed: &[usize]| {
            let allowed: Vec<u64> = allowed.iter().map(|value| *value as u64).collect();
            check_one_of("link_bond", parameter, value as u64, &allowed)
        };
        one_of("links", self.links, &BOND_LINKS)?;
        one_of("f", self.flits, &FLITS_PER_BEAT)?;
        one_of("slots", self.slots, &REPLAY_LTPS)
    }

    /// Shares in R LTPs.
    #[must_use]
    pub const fn depth(&self) -> usize {
        self.slots * beats_per_ltp(self.flits)
    }

    /// Refuses a type `[B, W, A, C]` for ports of `flits` flits per beat that is not that of these parameters.
    pub(super) fn check_type(&self, [b, w, a, c]: [usize; 4], flits: usize) -> Result<(), ConfigError> {
        let derived = |parameter, value: usize, formula, expected: usize| {
            check_derived("link_bond", parameter, value as u64, formula, expected as u64)
        };
        derived("flits", flits, "f", self.flits)?;
        derived("B", b, "links", self.links)?;
        derived("W", w, "65 * links * f", self.links * flit_beat_bits(self.flits))?;
        derived("A", a, "log2(16 * slots / f)", self.depth().ilog2() as usize)?;
        derived("C", c, "A + 1", a + 1)
    }
}

const UNSUPPORTED: &str = "links 2, 3 or 4 with f 1, 2 or 4 and slots 128, or links 4 with f 1 and slots 16";

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "link_bond",
    chapter: "10-link",
    summary: "two to four ports as one 8x, 12x or 16x link",
    parameters: &[
        ParameterInfo { name: "links", default: 2, allowed: Allowed::OneOf(&[2, 3, 4]), doc: "ports, B" },
        ParameterInfo {
            name: "f",
            default: 2,
            allowed: Allowed::OneOf(&[1, 2, 4]),
            doc: "flits per beat of a port",
        },
        ParameterInfo {
            name: "slots",
            default: 128,
            allowed: Allowed::OneOf(&[16, 128]),
            doc: "replay slots of a port, R: its FIFO holds 16 R / F + 2 shares",
        },
    ],
    presets: &[
        Preset { name: "default", values: &[] },
        Preset { name: "twelve", values: &[("links", 3), ("f", 4)] },
        Preset { name: "sixteen", values: &[("links", 4), ("f", 1), ("slots", 16)] },
    ],
    build,
};

fn interface(links: usize) -> InterfaceInfo {
    let by_port = [("shares_out", StreamSource), ("shares_in", FlowSink), ("side_in", FlowSink)];
    let by_port = by_port
        .into_iter()
        .flat_map(|(name, role)| (0..links).map(move |port| (format!("{name}[{port}]"), role)));
    let whole = [("flits_in", StreamSink), ("flits_out", FlowSource), ("side_out", FlowSource)];
    let streams: Vec<_> =
        whole.map(|(name, role)| (name.to_owned(), role)).into_iter().chain(by_port).collect();
    let streams: Vec<_> = streams.iter().map(|(name, role)| (name.as_str(), *role)).collect();
    InterfaceInfo::clocked(&streams, Some(6), "last share to its wide beat")
}

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    let config = BondConfig {
        links: settings.size("links")?,
        flits: settings.size("f")?,
        slots: settings.size("slots")?,
    };
    let interface = interface(config.links);
    Ok(match (config.links, config.flits, config.slots) {
        (2, 1, 128) => BuiltBlock::new(LinkBond1::<2, 130, 11, 12>::new(&config)?, interface),
        (3, 1, 128) => BuiltBlock::new(LinkBond1::<3, 195, 11, 12>::new(&config)?, interface),
        (4, 1, 128) => BuiltBlock::new(LinkBond1::<4, 260, 11, 12>::new(&config)?, interface),
        (2, 2, 128) => BuiltBlock::new(LinkBond2::<2, 260, 10, 11>::new(&config)?, interface),
        (3, 2, 128) => BuiltBlock::new(LinkBond2::<3, 390, 10, 11>::new(&config)?, interface),
        (4, 2, 128) => BuiltBlock::new(LinkBond2::<4, 520, 10, 11>::new(&config)?, interface),
        (2, 4, 128) => BuiltBlock::new(LinkBond4::<2, 520, 9, 10>::new(&config)?, interface),
        (3, 4, 128) => BuiltBlock::new(LinkBond4::<3, 780, 9, 10>::new(&config)?, interface),
        (4, 4, 128) => BuiltBlock::new(LinkBond4::<4, 1040, 9, 10>::new(&config)?, interface),
        (4, 1, 16) => BuiltBlock::new(LinkBond1::<4, 260, 8, 9>::new(&config)?, interface),
        _ => return Err(settings.unsupported("slots", UNSUPPORTED)),
    })
}
