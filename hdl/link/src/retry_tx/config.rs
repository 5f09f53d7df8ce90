//! Registry entry of `link_retry_tx`.

use super::LinkRetryTx;
use crate::ltp_wide::{window_bits, CrcModes, ALL_CAPS, CRC_MODES};
use crate::replay::{EVENT_STREAMS, PARAMETERS, PRESETS};
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::beat::{beats_per_ltp, flit_beat_bits, max_wire_beat_bits, WIRE_BITS_PER_FLIT_1056};
use flitforge_protocol::crc::{BITS14, STANDARD};
use flitforge_protocol::ltp::SIDEBAND_BITS;

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "link_retry_tx",
    chapter: "10-link",
    summary: "transmit side of the link layer: link_ltp_tx with retry",
    parameters: &[PARAMETERS[0], PARAMETERS[1], PARAMETERS[2], CRC_MODES],
    presets: &[
        PRESETS[0],
        PRESETS[1],
        PRESETS[2],
        PRESETS[3],
        Preset { name: "all_modes", values: &[("crc_modes", ALL_CAPS)] },
    ],
    build,
};

/// The sender's streams.
const SENDER_STREAMS: [(&str, StreamRole); 4] = [
    ("flits_in", StreamRole::StreamSink),
    ("time_in", StreamRole::StreamSink),
    ("side_in", StreamRole::FlowSink),
    ("wire_out", StreamRole::StreamSource),
];

fn modes(settings: &Settings) -> Result<CrcModes, ConfigError> {
    CrcModes::from_caps(ENTRY.name, settings.get("crc_modes")?)
}

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    let modes = modes(settings)?;
    shapes! {
        settings: (f, r, wide = modes.wide()) => build_as of link::retry_tx [
            f,
            flit_beat_bits(f),
            WIRE_BITS_PER_FLIT_1056 * f,
            max_wire_beat_bits(f),
            log2(beats_per_ltp(f)),
            STANDARD.width() * f,
            BITS14.width() * f,
            WIRE_BITS_PER_FLIT_1056 * f + SIDEBAND_BITS,
            log2(r),
            log2(r * beats_per_ltp(f)),
            if wide == 1 { window_bits(f) } else { 1 },
            wide
        ];
        presets { (2, 128, 0) (2, 16, 0) (1, 128, 0) (4, 128, 0) (2, 128, 1) }
    }
}

/// Builds the block with these const parameters; see [`LinkRetryTx`].
pub fn build_as<
    const F: usize,
    const FLITS_W: usize,
    const BEAT_W: usize,
    const WIRE_W: usize,
    const INDEX_W: usize,
    const PARTS16: usize,
    const PARTS14: usize,
    const WORD_W: usize,
    const SLOT_W: usize,
    const ADDRESS_W: usize,
    const WINDOW_W: usize,
    const WIDE: usize,
>(
    settings: &Settings,
) -> Result<BuiltBlock, ConfigError> {
    let guard = settings.get("guard")? as u32;
    let streams: Vec<_> = EVENT_STREAMS.into_iter().chain(SENDER_STREAMS).collect();
    let (latency, note) = match modes(settings)? {
        CrcModes::Standard | CrcModes::Narrow => (3, "beat taken to its wire beat transferred"),
        CrcModes::All => {
            (5, "beat taken to its wire beat transferred, in modes 2 and 3; in modes 0 and 1 3 clocks")
        }
    };
    let block: LinkRetryTx<
        F,
        FLITS_W,
        BEAT_W,
        WIRE_W,
        INDEX_W,
        PARTS16,
        PARTS14,
        WORD_W,
        SLOT_W,
        ADDRESS_W,
        WINDOW_W,
        WIDE,
    > = LinkRetryTx::new(guard)?;
    Ok(BuiltBlock::new(block, InterfaceInfo::clocked(&streams, Some(latency), note)))
}
