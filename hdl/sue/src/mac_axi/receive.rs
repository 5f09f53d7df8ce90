//! Columns of XGMII to AXI-Stream.

use crate::frame::{FrameVerdict, FrameWord};
use crate::mac_rx::{EthMacRx, LATENCY};
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::{ClearedDelay, Delay};

/// Clocks from the last word of a frame to its verdict in the MAC, at the most: 5 if an ordered set stands before the last octets. At the least 3.
const VERDICT_AFTER_WORD: usize = 5;
/// Clocks from a column to the word before it.
pub const RECEIVE_LATENCY: u32 = LATENCY + VERDICT_AFTER_WORD as u32 + 1;

/// Columns of XGMII to AXI-Stream. See the [module](super).
#[block("eth_mac_axi_rx", new)]
pub struct EthMacAxiRx {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets everything.
    clear: In<Bit>,
    /// MINF: octets of the shortest frame without FCS, 8 to 60. Holds still while there are frames.
    minimum: In<Bits<6>>,
    /// Octets of a column, octet 0 in bits 7:0.
    rxd: In<Bits<64>>,
    /// Which of them are control characters.
    rxc: In<Bits<8>>,
    /// Octets of the frame, octet 0 in bits 7:0; those that `tkeep` leaves out say nothing.
    m_axis_tdata: Out<Bits<64>>,
    /// Which of them belong to it.
    m_axis_tkeep: Out<Bits<8>>,
    /// There is a word.
    m_axis_tvalid: Out<Bit>,
    /// It is the last of its frame.
    m_axis_tlast: Out<Bit>,
    /// With `tlast`: the frame is bad.
    m_axis_tuser: Out<Bit>,
    /// What is found of a frame, with its last word.
    pub verdicts: FlowOut<FrameVerdict>,
    /// With a verdict: octets of the frame with FCS.
    octets: Out<Bits<14>>,
    /// A frame too short to have words.
    fragment: Out<Bit>,

    #[wire(clock, clear, rxd, rxc)]
    mac: EthMacRx,
    /// Words wait here for the verdict.
    #[wire(clock)]
    words: Delay<FrameWord>,
    #[wire(clock, clear)]
    there: ClearedDelay<Bit>,
    #[wire(d = _)]
    data: Reg<Bits<64>>,
    #[wire(d = _)]
    keep: Reg<Bits<8>>,
    is_valid: Register<Bit>,
    #[wire(d = _)]
    is_last: Reg<Bit>,
    #[wire(d = _)]
    is_bad: Reg<Bit>,
    /// What was found of a frame whose last word is still to come, for at most 2 clocks: no verdict of the next frame comes before the second.
    is_kept: Register<Bit>,
    kept: Reg<FrameVerdict>,
    kept_octets: Reg<Bits<14>>,
    verdict_valid: Register<Bit>,
    #[wire(d = _)]
    verdict: Reg<FrameVerdict>,
    #[wire(d = _)]
    verdict_octets: Reg<Bits<14>>,
}

#[logic]
impl EthMacAxiRx {
    /// A MAC that has received nothing.
    pub fn new() -> Result<Self, ConfigError> {
        Ok(Self {
            mac: EthMacRx::new()?,
            words: Delay::compact(VERDICT_AFTER_WORD)?,
            there: ClearedDelay::new(VERDICT_AFTER_WORD)?,
            ..
        })
    }

    fn update(&mut self) {
        mac.settings = In { minimum, fcs_over_sequence: false };
        words.d = mac.frames.data;
        there.d = mac.frames.valid;
        let word = words.q;
        let ends = there.q & word.last;
        let is_found = mac.verdicts.valid;
        if is_found {
            kept = mac.verdicts.data;
            kept_octets = mac.octets;
        }
        is_kept = if ends { is_kept & is_found } else { is_kept | is_found };
        let found = if is_kept { kept } else { mac.verdicts.data };

        data = word.data;
        keep = Self::octets_of(word.bytes);
        is_valid = there.q;
        is_last = word.last;
        is_bad = ends & !found.good;
        m_axis_tdata = data;
        m_axis_tkeep = keep;
        m_axis_tvalid = is_valid;
        m_axis_tlast = is_last;
        m_axis_tuser = is_bad;

        verdict_valid = ends;
        verdict = found;
        verdict_octets = if is_kept { kept_octets } else { mac.octets };
        verdicts = In { data: verdict, valid: verdict_valid };
        octets = verdict_octets;
        fragment = mac.fragment;
    }

    /// The first so many octets of a word.
    fn octets_of(bytes: Bits<4>) -> Bits<8> {
        let low: Bits<4> = cat(bytes > 0, bytes > 1, bytes > 2, bytes > 3);
        let high: Bits<4> = cat(bytes > 4, bytes > 5, bytes > 6, bytes > 7);
        cat(low, high)
    }
}

/// Registry entry.
pub const RECEIVE_ENTRY: BlockEntry = BlockEntry {
    name: "eth_mac_axi_rx",
    chapter: "50-sue",
    summary: "XGMII with 64 bits to AXI-Stream, each frame with what is found of it",
    parameters: &[],
    presets: &[Preset { name: "default", values: &[] }],
    build,
};

fn build(_: &Settings) -> Result<BuiltBlock, ConfigError> {
    let interface = InterfaceInfo::clocked(
        &[("verdicts", FlowSource)],
        Some(RECEIVE_LATENCY),
        "column to the word before it",
    );
    Ok(BuiltBlock::new(EthMacAxiRx::new()?, interface))
}
