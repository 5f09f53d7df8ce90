//! Registry entry of `link_retry_tx`.

use super::LinkRetryTx;
use crate::config::ConfigError;
use crate::link::ltp_wide::{CrcModes, ALL_CAPS, CRC_MODES};
use crate::link::replay::{EVENT_STREAMS, PARAMETERS, PRESETS};
use crate::registry::{BlockEntry, BuiltBlock, InterfaceInfo, Preset, Settings, StreamRole};

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

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    let guard = settings.get("guard")? as u32;
    let streams: Vec<_> = EVENT_STREAMS.into_iter().chain(SENDER_STREAMS).collect();
    if CrcModes::from_caps(ENTRY.name, settings.get("crc_modes")?)? == CrcModes::All {
        return all_modes(settings, guard, &streams);
    }
    let interface = InterfaceInfo::clocked(&streams, Some(3), "beat taken to its wire beat transferred");
    Ok(match (settings.get("f")?, settings.get("r")?) {
        (1, 16) => BuiltBlock::new(LinkRetryTx::<1, 65, 66, 68, 4, 16, 14, 68, 4, 8>::new(guard)?, interface),
        (1, 32) => BuiltBlock::new(LinkRetryTx::<1, 65, 66, 68, 4, 16, 14, 68, 5, 9>::new(guard)?, interface),
        (1, 64) => {
            BuiltBlock::new(LinkRetryTx::<1, 65, 66, 68, 4, 16, 14, 68, 6, 10>::new(guard)?, interface)
        }
        (1, 128) => {
            BuiltBlock::new(LinkRetryTx::<1, 65, 66, 68, 4, 16, 14, 68, 7, 11>::new(guard)?, interface)
        }
        (1, 256) => {
            BuiltBlock::new(LinkRetryTx::<1, 65, 66, 68, 4, 16, 14, 68, 8, 12>::new(guard)?, interface)
        }
        (2, 16) => {
            BuiltBlock::new(LinkRetryTx::<2, 130, 132, 136, 3, 32, 28, 134, 4, 7>::new(guard)?, interface)
        }
        (2, 32) => {
            BuiltBlock::new(LinkRetryTx::<2, 130, 132, 136, 3, 32, 28, 134, 5, 8>::new(guard)?, interface)
        }
        (2, 64) => {
            BuiltBlock::new(LinkRetryTx::<2, 130, 132, 136, 3, 32, 28, 134, 6, 9>::new(guard)?, interface)
        }
        (2, 128) => {
            BuiltBlock::new(LinkRetryTx::<2, 130, 132, 136, 3, 32, 28, 134, 7, 10>::new(guard)?, interface)
        }
        (2, 256) => {
            BuiltBlock::new(LinkRetryTx::<2, 130, 132, 136, 3, 32, 28, 134, 8, 11>::new(guard)?, interface)
        }
        (4, 16) => {
            BuiltBlock::new(LinkRetryTx::<4, 260, 264, 272, 2, 64, 56, 266, 4, 6>::new(guard)?, interface)
        }
        (4, 32) => {
            BuiltBlock::new(LinkRetryTx::<4, 260, 264, 272, 2, 64, 56, 266, 5, 7>::new(guard)?, interface)
        }
        (4, 64) => {
            BuiltBlock::new(LinkRetryTx::<4, 260, 264, 272, 2, 64, 56, 266, 6, 8>::new(guard)?, interface)
        }
        (4, 128) => {
            BuiltBlock::new(LinkRetryTx::<4, 260, 264, 272, 2, 64, 56, 266, 7, 9>::new(guard)?, interface)
        }
        (4, 256) => {
            BuiltBlock::new(LinkRetryTx::<4, 260, 264, 272, 2, 64, 56, 266, 8, 10>::new(guard)?, interface)
        }
        _ => return Err(settings.unsupported("f and r", "1, 2 or 4 and 16 to 256")),
    })
}

/// As `build`, with modes 2 and 3.
fn all_modes(
    settings: &Settings,
    guard: u32,
    streams: &[(&'static str, StreamRole)],
) -> Result<BuiltBlock, ConfigError> {
    let note = "beat taken to its wire beat transferred, in modes 2 and 3; in modes 0 and 1 3 clocks";
    let interface = InterfaceInfo::clocked(streams, Some(5), note);
    Ok(match (settings.get("f")?, settings.get("r")?) {
        (1, 128) => {
            type Sender = LinkRetryTx<1, 65, 66, 68, 4, 16, 14, 68, 7, 11, 176, 1>;
            BuiltBlock::new(Sender::new(guard)?, interface)
        }
        (2, 16) => {
            type Sender = LinkRetryTx<2, 130, 132, 136, 3, 32, 28, 134, 4, 7, 240, 1>;
            BuiltBlock::new(Sender::new(guard)?, interface)
        }
        (2, 128) => {
            type Sender = LinkRetryTx<2, 130, 132, 136, 3, 32, 28, 134, 7, 10, 240, 1>;
            BuiltBlock::new(Sender::new(guard)?, interface)
        }
        (4, 128) => {
            type Sender = LinkRetryTx<4, 260, 264, 272, 2, 64, 56, 266, 7, 9, 368, 1>;
            BuiltBlock::new(Sender::new(guard)?, interface)
        }
        _ => return Err(settings.unsupported("f and r", "1/128, 2/16, 2/128 or 4/128 with all CRC modes")),
    })
}
