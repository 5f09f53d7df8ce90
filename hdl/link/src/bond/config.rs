//! Parameters and registry entry of `link_bond`.

use super::{LinkBond1, LinkBond2, LinkBond4};
use flitforge_hdl_prim::prelude::*;
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

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "link_bond",
    chapter: "10-link",
    summary: "two to four ports as one 8x, 12x or 16x link",
    parameters: &[
        ParameterInfo::new("links", 2, Allowed::OneOf(&[2, 3, 4]), "ports, B"),
        ParameterInfo::new("f", 2, Allowed::OneOf(&[1, 2, 4]), "flits per beat of a port"),
        ParameterInfo::new(
            "slots",
            128,
            Allowed::PowerOfTwo(16, 256),
            "replay slots of a port, R: its FIFO holds 16 R / F + 2 shares",
        ),
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

fn config(settings: &Settings) -> Result<BondConfig, ConfigError> {
    Ok(BondConfig {
        links: settings.size("links")?,
        flits: settings.size("f")?,
        slots: settings.size("slots")?,
    })
}

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    config(settings)?.check()?;
    match settings.get("f")? {
        1 => shapes! {
            settings: (links, slots) => build_1_as of link::bond
                [links, links * flit_beat_bits(1), log2(slots * beats_per_ltp(1)), log2(slots * beats_per_ltp(1)) + 1];
            presets { (4, 16) }
        },
        2 => shapes! {
            settings: (links, slots) => build_2_as of link::bond
                [links, links * flit_beat_bits(2), log2(slots * beats_per_ltp(2)), log2(slots * beats_per_ltp(2)) + 1];
            presets { (2, 128) }
        },
        _ => shapes! {
            settings: (links, slots) => build_4_as of link::bond
                [links, links * flit_beat_bits(4), log2(slots * beats_per_ltp(4)), log2(slots * beats_per_ltp(4)) + 1];
            presets { (3, 128) }
        },
    }
}

macro_rules! builder {
    ($name:ident, $block:ident) => {
        /// Builds the block with these const parameters, which are those of its type.
        pub fn $name<const B: usize, const W: usize, const A: usize, const C: usize>(
            settings: &Settings,
        ) -> Result<BuiltBlock, ConfigError> {
            Ok(BuiltBlock::new($block::<B, W, A, C>::new(&config(settings)?)?, interface(B)))
        }
    };
}
builder!(build_1_as, LinkBond1);
builder!(build_2_as, LinkBond2);
builder!(build_4_as, LinkBond4);
