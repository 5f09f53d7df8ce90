//! AXI-Stream to columns of XGMII.

use crate::frame::{FramePreamble, FrameWord};
use crate::mac_tx::{EthMacTx, LATENCY};
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::Skid;

/// Clocks from a word to its column.
pub const TRANSMIT_LATENCY: u32 = LATENCY + 1;
/// `tkeep` of a word that is full.
const FULL: u64 = 0xFF;

/// AXI-Stream to columns of XGMII. See the [module](super).
#[block("eth_mac_axi_tx", new)]
pub struct EthMacAxiTx {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets everything; the line is idle.
    clear: In<Bit>,
    /// MINF: shorter frames are padded with zeros to this many octets, without FCS, 8 to 60. Holds still while there are frames.
    minimum: In<Bits<6>>,
    /// IPG: octets between frames on the average, at least 8. Holds still while there are frames.
    gap: In<Bits<6>>,
    /// Octets of the frame, octet 0 in bits 7:0.
    s_axis_tdata: In<Bits<64>>,
    /// Which of them belong to it.
    s_axis_tkeep: In<Bits<8>>,
    /// There is a word.
    s_axis_tvalid: In<Bit>,
    /// It is taken.
    s_axis_tready: Out<Bit>,
    /// It is the last of its frame.
    s_axis_tlast: In<Bit>,
    /// With `tlast`: the frame is bad.
    s_axis_tuser: In<Bit>,
    /// Octets of a column, octet 0 in bits 7:0.
    txd: Out<Bits<64>>,
    /// Which of them are control characters.
    txc: Out<Bits<8>>,
    /// A frame was sent: its octets with padding and FCS.
    pub sent: FlowOut<Bits<14>>,
    /// A frame broke off: a word was missing.
    underrun: Out<Bit>,
    /// The last word of a frame came, and some `tkeep` in it was not as it should be.
    malformed: Out<Bit>,

    /// A word of the frame so far was wrong.
    broken: Register<Bit>,
    was_malformed: Register<Bit>,
    #[wire(clock, clear)]
    slice: Skid<FrameWord>,
    #[wire(clock, clear)]
    mac: EthMacTx,
}

#[logic]
impl EthMacAxiTx {
    /// A MAC that has sent nothing.
    pub fn new() -> Result<Self, ConfigError> {
        Ok(Self { mac: EthMacTx::new()?, .. })
    }

    fn update(&mut self) {
        let is_last = s_axis_tlast;
        let wrong = if is_last { Self::has_holes(s_axis_tkeep) } else { !(s_axis_tkeep == FULL) };
        let any_wrong = broken | wrong;
        let bytes = if is_last { Self::count(s_axis_tkeep) } else { 8 };
        let word = FrameWord {
            data: s_axis_tdata,
            bytes,
            last: is_last,
            error: is_last & (s_axis_tuser | any_wrong),
        };
        slice.words_in = In { data: word, valid: s_axis_tvalid };
        s_axis_tready = slice.words_in.ready;
        let taken = s_axis_tvalid & slice.words_in.ready;
        broken.enable = taken;
        broken = any_wrong & !is_last;
        was_malformed = taken & is_last & any_wrong;
        malformed = was_malformed;

        join(mac.frames, slice.words_out);
        mac.preamble = FramePreamble { numbered: false, sequence: 0 };
        mac.control = In { data: 0, valid: false };
        mac.settings = In { minimum, gap, fcs_over_sequence: false, control_in_frame: false };
        Out { txd, txc, underrun } = mac;
        link(sent, mac.sent);
    }

    /// Octets up to the highest one; 1 if there is none.
    fn count(keep: Bits<8>) -> Bits<4> {
        if keep[7] {
            8
        } else if keep[6] {
            7
        } else if keep[5] {
            6
        } else if keep[4] {
            5
        } else if keep[3] {
            4
        } else if keep[2] {
            3
        } else if keep[1] {
            2
        } else {
            1
        }
    }

    /// The octets are not those from octet 0 to some other.
    fn has_holes(keep: Bits<8>) -> Bit {
        let above: Bits<7> = keep[1..8];
        let below: Bits<7> = keep[0..7];
        !keep[0] | (above & !below).any()
    }
}

/// Registry entry.
pub const TRANSMIT_ENTRY: BlockEntry = BlockEntry {
    name: "eth_mac_axi_tx",
    chapter: "50-sue",
    summary: "AXI-Stream to XGMII with 64 bits: preamble, padding, FCS and gap",
    parameters: &[],
    presets: &[Preset { name: "default", values: &[] }],
    build,
};

fn build(_: &Settings) -> Result<BuiltBlock, ConfigError> {
    let interface =
        InterfaceInfo::clocked(&[("sent", FlowSource)], Some(TRANSMIT_LATENCY), "word to its column on txd");
    Ok(BuiltBlock::new(EthMacAxiTx::new()?, interface))
}
