//! Parameters and presets of the instance.

use super::SueTop;
use flitforge_hdl_prim::prelude::*;

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "sue_top",
    chapter: "50-sue",
    summary: "an instance of Scale-Up Ethernet",
    parameters: &[
        ParameterInfo::new("peers", 64, Allowed::PowerOfTwo(4, 1024), "XPUs, a power of two"),
        ParameterInfo::new("ports", 1, Allowed::OneOf(&[1, 2, 4]), "ports"),
        ParameterInfo::new("slots", 32, Allowed::PowerOfTwo(16, 256), "replay slots, a power of two"),
        ParameterInfo::new("slot_bytes", 2048, Allowed::PowerOfTwo(512, 4096), "octets of a slot"),
        ParameterInfo::new("cells", 1024, Allowed::PowerOfTwo(64, 4096), "cells of 64 octets of the packer"),
        ParameterInfo::new("receive_bytes", 32_768, Allowed::PowerOfTwo(4096, 65_536), "receive buffer"),
        ParameterInfo::new(
            "replay_words",
            2048,
            Allowed::PowerOfTwo(64, 4096),
            "link-layer replay buffer, words of 8",
        ),
    ],
    presets: &[
        Preset { name: "default", values: &[] },
        Preset {
            name: "small",
            values: &[
                ("peers", 4),
                ("slots", 16),
                ("slot_bytes", 512),
                ("cells", 64),
                ("receive_bytes", 4096),
            ],
        },
        Preset {
            name: "two",
            values: &[
                ("peers", 4),
                ("ports", 2),
                ("slots", 16),
                ("slot_bytes", 512),
                ("cells", 64),
                ("receive_bytes", 4096),
            ],
        },
    ],
    build,
};

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    let (n, s) = (log2(settings.size("peers")?), log2(settings.size("slots")?));
    let (w, c) = (log2(settings.size("slot_bytes")? / 8), log2(settings.size("cells")?));
    let (b, y) = (log2(settings.size("receive_bytes")? / 8), log2(settings.size("replay_words")?));
    let k = settings.size("ports")?;
    let (h, u) = if k == 1 { (2, 7) } else { (4, 10) };
    shapes! {
        settings: (n = n, s = s, w = w, c = c, b = b, y = y, k = k, h = h, u = u) =>
            build_as [
                n, n + 2, n + 1, n + 3, n + 4, s, s + 1, w, s + w, w + 1, c, c + 3, b, b - 2, b - 4, b - 3, y, y + 1, k, k + 1, h, u
            ];
        presets { (6, 5, 8, 10, 12, 11, 1, 2, 7) (2, 4, 6, 6, 9, 11, 1, 2, 7) (2, 4, 6, 6, 9, 11, 2, 4, 10) }
    }
}

/// Builds the block with these const parameters; see [`SueTop`].
pub fn build_as<
    const N: usize,
    const A: usize,
    const D: usize,
    const L: usize,
    const F: usize,
    const S: usize,
    const T: usize,
    const W: usize,
    const R: usize,
    const X: usize,
    const C: usize,
    const V: usize,
    const B: usize,
    const E: usize,
    const G: usize,
    const Q: usize,
    const Y: usize,
    const Z: usize,
    const K: usize,
    const J: usize,
    const H: usize,
    const U: usize,
>(
    _: &Settings,
) -> Result<BuiltBlock, ConfigError> {
    let mut streams = vec![
        ("newer".to_owned(), StreamSink),
        ("commands".to_owned(), StreamSink),
        ("credits".to_owned(), FlowSource),
        ("queue_xoff".to_owned(), FlowSource),
        ("dispatches".to_owned(), FlowSource),
        ("completions".to_owned(), FlowSource),
        ("commands_out".to_owned(), StreamSource),
    ];
    streams.extend((0..K).map(|port| (format!("out_credits[{port}]"), FlowSink)));
    let streams: Vec<_> = streams.iter().map(|(name, role)| (name.as_str(), *role)).collect();
    let interface = InterfaceInfo::clocked(&streams, None, "see the blocks it is made of");
    Ok(BuiltBlock::new(
        SueTop::<N, A, D, L, F, S, T, W, R, X, C, V, B, E, G, Q, Y, Z, K, J, H, U>::new()?,
        interface,
    ))
}
