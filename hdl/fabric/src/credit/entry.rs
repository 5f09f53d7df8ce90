//! Registry entries.

use super::{CreditRx, CreditTx, CREDIT_BITS};
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::beat::flit_beat_bits;
use flitforge_protocol::flit::MAX_VLS;

const FLITS: ParameterInfo = ParameterInfo::new("f", 2, Allowed::OneOf(&[1, 2, 4]), "flits per beat");
const LANES: ParameterInfo =
    ParameterInfo::new("lanes", 4, Allowed::Range(1, MAX_VLS as u64), "virtual lanes, NUM_VLS");
const PRESETS: &[Preset] = &[
    Preset { name: "default", values: &[] },
    Preset { name: "f1", values: &[("f", 1)] },
    Preset { name: "f4", values: &[("f", 4)] },
    Preset { name: "one", values: &[("lanes", 1)] },
    Preset { name: "two", values: &[("lanes", 2)] },
    Preset { name: "eight", values: &[("lanes", 8)] },
];

/// Registry entry of the end that spends.
pub const TX_ENTRY: BlockEntry = BlockEntry {
    name: "fab_credit_tx",
    chapter: "10-link",
    summary: "credits of the virtual lanes that a port sends on",
    parameters: &[FLITS, LANES],
    presets: PRESETS,
    build: build_tx,
};

/// Registry entry of the end that gives back.
pub const RX_ENTRY: BlockEntry = BlockEntry {
    name: "fab_credit_rx",
    chapter: "10-link",
    summary: "buffers of the virtual lanes that a port receives on, and their credits given back",
    parameters: &[
        FLITS,
        LANES,
        ParameterInfo::new(
            "buffer",
            16_384,
            Allowed::Range(1_024, 32_760),
            "receive buffer of each lane, VL_BUF, bytes",
        ),
    ],
    presets: PRESETS,
    build: build_rx,
};

fn build_tx(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    shapes! {
        settings: (f, lanes) => build_tx_as of fabric::credit [f, flit_beat_bits(f), lanes, CREDIT_BITS * lanes];
        presets { (2, 4) (1, 4) (4, 4) (2, 1) (2, 2) (2, 8) }
    }
}

/// Builds the end that counts, with these const parameters; see [`CreditTx`].
pub fn build_tx_as<const F: usize, const FLITS_W: usize, const N: usize, const VIEW_W: usize>(
    _: &Settings,
) -> Result<BuiltBlock, ConfigError> {
    let streams = [("beats_in", FlowSink), ("side_in", FlowSink)];
    let interface = InterfaceInfo::clocked(&streams, Some(4), "CrdtRet received to credit");
    Ok(BuiltBlock::new(CreditTx::<F, FLITS_W, N, VIEW_W>::new()?, interface))
}

fn build_rx(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    shapes! {
        settings: (f, lanes) => build_rx_as of fabric::credit [f, flit_beat_bits(f), lanes, CREDIT_BITS * lanes];
        presets { (2, 4) (1, 4) (4, 4) (2, 1) (2, 2) (2, 8) }
    }
}

/// Builds the end that gives back, with these const parameters; see [`CreditRx`].
pub fn build_rx_as<const F: usize, const FLITS_W: usize, const N: usize, const VIEW_W: usize>(
    settings: &Settings,
) -> Result<BuiltBlock, ConfigError> {
    let streams = [
        ("arrived", FlowSink),
        ("beats_in", StreamSink),
        ("beats_out", StreamSource),
        ("side_out", FlowSource),
    ];
    let interface = InterfaceInfo::clocked(&streams, Some(1), "beat taken to beats_out.valid");
    Ok(BuiltBlock::new(CreditRx::<F, FLITS_W, N, VIEW_W, 12>::new(settings.size("buffer")?)?, interface))
}
