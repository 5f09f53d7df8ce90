//! `eth_llr`: link-layer retry of one port, `eth_llr_tx` and `eth_llr_rx` side by side (chapter 50, 4.7).
//!
//! Frames of the arbiter go to the MAC, frames of the MAC to the demultiplexer; `control_out` has all ordered sets that the MAC sends, CF_Update of
//! `credits_in` included, and `control_in` all that it has received. Rules and figures are those of the two blocks. Off (`enable` low), frames
//! have the standard preamble, and ordered sets of flow control go their ways all the same.

use crate::frame::{FramePreamble, FrameVerdict, FrameWord};
use crate::llr_rx::{EthLlrRx, LlrFrameVerdict, LlrRxEvents, LlrRxSettings, LlrRxState};
use crate::llr_tx::{EthLlrTx, LlrFlush, LlrTxEvents, LlrTxSettings, LlrTxState, FRAMES_BITS};
use flitforge_hdl_prim::prelude::*;

/// Both directions with a replay buffer of 2^`A` words; `P` = `A` + 1. See the [module](self).
#[block("eth_llr", new, words = 1usize << A)]
pub struct EthLlr<const A: usize, const P: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets everything.
    clear: In<Bit>,
    /// Link-layer retry is on (P_CTRL).
    enable: In<Bit>,
    /// The sender starts anew.
    restart: In<Bit>,
    /// Frames without `bypass` are sent with a number, or not at all (SUE Lite).
    mandatory: In<Bit>,
    /// The PCS has its link.
    pcs_up: In<Bit>,
    /// What the registers say to the sender.
    pub settings_tx: LlrTxSettings,
    /// What the registers say to the receiver.
    pub settings_rx: LlrRxSettings,
    /// Frames to be sent.
    pub frame: StreamIn<FrameWord>,
    /// Class of the frame.
    class: In<Bits<3>>,
    /// The frame has the standard preamble whatever its class.
    bypass: In<Bit>,
    /// CF_Update to be sent.
    pub credits_in: StreamIn<Bits<64>>,
    /// Frames to the MAC.
    pub frames_out: StreamOut<FrameWord>,
    /// Their preamble; it holds through the frame.
    preamble_out: Out<FramePreamble>,
    /// Ordered sets to the MAC.
    pub control_out: StreamOut<Bits<64>>,
    /// Frames of the MAC.
    pub frames_in: FlowIn<FrameWord>,
    /// Their preamble; it holds through the frame.
    preamble_in: In<FramePreamble>,
    /// What the MAC has found, one per frame.
    pub verdicts_in: FlowIn<FrameVerdict>,
    /// Ordered sets of the MAC.
    pub control_in: FlowIn<Bits<64>>,
    /// Frames that came.
    pub received: FlowOut<FrameWord>,
    /// Whether they count, one per frame.
    pub verdicts_out: FlowOut<LlrFrameVerdict>,
    /// CF_Update that came.
    pub credits_out: FlowOut<Bits<64>>,
    /// State of the sender.
    state_tx: Out<LlrTxState>,
    /// State of the receiver.
    state_rx: Out<LlrRxState>,
    /// A frame without `bypass` may begin, or is dropped.
    is_open: Out<Bit>,
    /// No frame is without acknowledgment.
    empty: Out<Bit>,
    /// Frames that their peer has.
    pub acknowledged: FlowOut<Bits<FRAMES_BITS>>,
    /// A link failure.
    pub flushed: FlowOut<LlrFlush>,
    /// What else happened at the sender.
    pub events_tx: LlrTxEvents,
    /// What else happened at the receiver.
    pub events_rx: LlrRxEvents,

    #[wire(clock, clear, enable, restart, mandatory, pcs_up, class, bypass)]
    tx: EthLlrTx<A, P>,
    #[wire(clock, clear, enable, preamble = preamble_in)]
    rx: EthLlrRx,
}

#[logic]
impl<const A: usize, const P: usize> EthLlr<A, P> {
    /// A port whose link-layer retry is OFF.
    pub fn new() -> Result<Self, ConfigError> {
        Ok(Self { tx: EthLlrTx::new()?, rx: EthLlrRx::new()?, .. })
    }

    fn update(&mut self) {
        link(settings_tx, tx.settings);
        link(settings_rx, rx.settings);
        link(frame, tx.frame);
        link(credits_in, tx.credits);
        link(frames_out, tx.frames);
        link(control_out, tx.control);
        link(acknowledged, tx.acknowledged);
        link(flushed, tx.flushed);
        link(events_tx, tx.events);
        link(frames_in, rx.frames_in);
        link(verdicts_in, rx.verdicts_in);
        link(control_in, rx.control);
        link(received, rx.frames_out);
        link(verdicts_out, rx.verdicts_out);
        link(credits_out, rx.credits);
        link(events_rx, rx.events);
        join(rx.sets, tx.sets);
        join(rx.answers, tx.answers);
        Out { preamble: preamble_out, state: state_tx, is_open, empty } = tx;
        Out { state: state_rx } = rx;
    }
}

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "eth_llr",
    chapter: "50-sue",
    summary: "link-layer retry of an Ethernet port",
    parameters: &[ParameterInfo::new(
        "words",
        2048,
        Allowed::PowerOfTwo(64, 4096),
        "replay buffer in words of 8 octets, a power of two",
    )],
    presets: &[Preset { name: "default", values: &[] }],
    build,
};

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    shapes! {
        settings: (words) => build_as [log2(words), log2(words) + 1];
        presets { (2048) }
    }
}

/// Builds the block with these const parameters; see [`EthLlr`].
pub fn build_as<const A: usize, const P: usize>(_: &Settings) -> Result<BuiltBlock, ConfigError> {
    let streams = [
        ("frame", StreamSink),
        ("credits_in", StreamSink),
        ("frames_out", StreamSource),
        ("control_out", StreamSource),
        ("frames_in", FlowSink),
        ("verdicts_in", FlowSink),
        ("control_in", FlowSink),
        ("received", FlowSource),
        ("verdicts_out", FlowSource),
        ("credits_out", FlowSource),
        ("acknowledged", FlowSource),
        ("flushed", FlowSource),
    ];
    let interface = InterfaceInfo::clocked(&streams, Some(1), "transfer at frame to frames_out.valid");
    Ok(BuiltBlock::new(EthLlr::<A, P>::new()?, interface))
}
