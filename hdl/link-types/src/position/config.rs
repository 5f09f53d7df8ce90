//! Parameters and registry entry of `link_position`.

use super::LinkPosition;
use crate::lane::lane_interface;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::beat::FLITS_PER_BEAT;
use flitforge_protocol::lane_word::MAX_LANES;

const NAME: &str = "link_position";

/// Build-time choice of a `link_position`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PositionConfig {
    /// Flits per beat, F.
    pub flits: usize,
    /// Physical lanes.
    pub lanes: usize,
}

impl PositionConfig {
    /// Refuses what chapter 10 does not know.
    pub fn check(&self) -> Result<(), ConfigError> {
        check_one_of(NAME, "f", self.flits as u64, &FLITS_PER_BEAT.map(|f| f as u64))?;
        check_range(NAME, "lanes", self.lanes as u64, 1, MAX_LANES as u64)
    }

    /// Refuses a type of another number of lanes.
    pub(super) fn check_type(&self, lanes: usize) -> Result<(), ConfigError> {
        check_derived(NAME, "LANES", lanes as u64, "lanes", self.lanes as u64)
    }
}

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "link_position",
    chapter: "10-link",
    summary: "line positions of beats and word counts of a port, for lag meters",
    parameters: &[
        ParameterInfo::new("f", 2, Allowed::OneOf(&[1, 2, 4]), "flits per beat"),
        ParameterInfo::new("lanes", 4, Allowed::Range(1, 4), "physical lanes"),
    ],
    presets: &[
        Preset { name: "default", values: &[] },
        Preset { name: "one_lane", values: &[("f", 1), ("lanes", 1)] },
        Preset { name: "four_flits", values: &[("f", 4)] },
    ],
    build,
};

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    shapes! {
        settings: (lanes) => build_as of link::position [lanes];
        presets { (4) (1) }
    }
}

/// Builds the block for `N` lanes.
pub fn build_as<const N: usize>(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    let config = PositionConfig { flits: settings.size("f")?, lanes: N };
    let per_lane = [("tx", FlowSink), ("rx", FlowSink)];
    let interface = lane_interface(&[], &per_lane, N, 0, "what is given belongs to its clock");
    Ok(BuiltBlock::new(LinkPosition::<N>::new(&config)?, interface))
}
