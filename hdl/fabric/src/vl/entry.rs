//! Registry entries.

use super::{VlRx, VlTx};
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::beat::flit_beat_bits;
use flitforge_protocol::flit::MAX_VLS;
use flitforge_protocol::packet::{lane_beat, word_count_bits};

const PARAMETERS: &[ParameterInfo] = &[
    ParameterInfo::new("f", 2, Allowed::OneOf(&[1, 2, 4]), "flits per beat"),
    ParameterInfo::new("lanes", 4, Allowed::Range(1, MAX_VLS as u64), "virtual lanes, NUM_VLS"),
];
const PRESETS: &[Preset] = &[
    Preset { name: "default", values: &[] },
    Preset { name: "f1", values: &[("f", 1)] },
    Preset { name: "f4", values: &[("f", 4)] },
    Preset { name: "one", values: &[("lanes", 1)] },
    Preset { name: "sixteen", values: &[("lanes", 16)] },
];

/// Registry entry of the sender.
pub const TX_ENTRY: BlockEntry = BlockEntry {
    name: "fab_vl_tx",
    chapter: "10-link",
    summary: "virtual lanes take turns on the beats of a link",
    parameters: PARAMETERS,
    presets: PRESETS,
    build: build_tx,
};

/// Registry entry of the receiver.
pub const RX_ENTRY: BlockEntry = BlockEntry {
    name: "fab_vl_rx",
    chapter: "10-link",
    summary: "beats of a link sorted by virtual lane, sequences that no sender makes found",
    parameters: PARAMETERS,
    presets: PRESETS,
    build: build_rx,
};

fn build_tx(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    shapes! {
        settings: (f, lanes) => build_tx_as of fabric::vl [f, flit_beat_bits(f), lanes];
        presets { (2, 4) (1, 4) (4, 4) (2, 1) (2, 16) }
        others { (2, 2) in "hdl/tests/fabric/vl_tx.rs" (2, 8) in "hdl/tests/fabric/vl_tx.rs" }
    }
}

/// Builds the sender with these const parameters; see [`VlTx`].
pub fn build_tx_as<const F: usize, const FLITS_W: usize, const N: usize>(
    _: &Settings,
) -> Result<BuiltBlock, ConfigError> {
    let names: Vec<String> = (0..N).map(|lane| format!("lanes_in[{lane}]")).collect();
    let mut streams: Vec<_> = names.iter().map(|name| (name.as_str(), StreamSink)).collect();
    streams.push(("beats_out", StreamSource));
    let interface = InterfaceInfo::clocked(&streams, Some(2), "beat taken to beats_out.valid");
    Ok(BuiltBlock::new(VlTx::<F, FLITS_W, N>::new()?, interface))
}

fn build_rx(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    shapes! {
        settings: (f, lanes) => build_rx_as of fabric::vl [
            f,
            flit_beat_bits(f),
            flit_beat_bits(f) + lane_beat::WIDTH,
            word_count_bits(f),
            lanes,
            lanes + 1
        ];
        presets { (2, 4) (1, 4) (4, 4) (2, 1) (2, 16) }
        others { (2, 2) in "hdl/tests/fabric/vl_rx.rs" (2, 8) in "hdl/tests/fabric/vl_rx.rs" }
    }
}

/// Builds the receiver with these const parameters; see [`VlRx`].
pub fn build_rx_as<
    const F: usize,
    const FLITS_W: usize,
    const OUT_W: usize,
    const BYTES_W: usize,
    const N: usize,
    const M: usize,
>(
    _: &Settings,
) -> Result<BuiltBlock, ConfigError> {
    let streams = [("beats_in", StreamSink), ("beats_out", StreamSource), ("arrived", FlowSource)];
    let interface = InterfaceInfo::clocked(&streams, Some(3), "beat taken to beats_out.valid");
    Ok(BuiltBlock::new(VlRx::<F, FLITS_W, OUT_W, BYTES_W, N, M>::new()?, interface))
}
