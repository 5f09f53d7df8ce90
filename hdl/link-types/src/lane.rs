//! Lane words as streams between blocks.

use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::lane_word::LANE_WORD_BITS;

/// Bits of a lane word towards the PHY: {ctl, word}.
pub const LANE_BITS: usize = LANE_WORD_BITS;
/// Bits of a lane word from the PHY: {code_err, ctl, word}.
pub const LANE_IN_BITS: usize = LANE_WORD_BITS + 1;

/// The interface with `streams` and, for each lane, the arrays `per_lane`.
pub fn lane_interface(
    streams: &[(&str, StreamRole)],
    per_lane: &[(&str, StreamRole)],
    lanes: usize,
    latency: u32,
    note: &str,
) -> InterfaceInfo {
    let names: Vec<(String, StreamRole)> = per_lane
        .iter()
        .flat_map(|(name, role)| (0..lanes).map(move |lane| (format!("{name}[{lane}]"), *role)))
        .collect();
    let all: Vec<(&str, StreamRole)> =
        streams.iter().copied().chain(names.iter().map(|(name, role)| (name.as_str(), *role))).collect();
    InterfaceInfo::clocked(&all, Some(latency), note)
}
