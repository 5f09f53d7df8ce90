//! `eth_demux`: received frames to flow control, to the management, or to the network header (chapter 50, 2 and 4.7).
//!
//! | destination | Ethertype | kind |
//! |---|---|---|
//! | 01-80-C2-00-00-01 | MAC control, with the opcode of PFC or CC_OPC | flow control |
//! | any other, or another opcode | MAC control | stray: no word leaves |
//! | 01-80-C2-00-00-00 to -0F, which no bridge forwards | LLDP | `management` |
//! | any other | LLDP, or anything else | `data` |
//!
//! - `control` has all words at once, and `control_verdicts` a bit for each frame: PFC and CBFC see for themselves which frames are theirs, and no clock is
//!   lost on the way to a pause. It costs no register.
//! - Words of `data` and `management` leave as they come, but for the last one: it waits for the verdict of its frame, and has `error` if the frame does not
//!   count. Who takes them drops what has `error`; `dropped` counts it here.
//! - A frame of fewer than 16 octets has no opcode: without an Ethertype it is data, and MAC control is stray.
//!
//! | event | means |
//! |---|---|
//! | `dropped` | a frame of `data` or `management` left with `error` |
//! | `stray` | a good frame of MAC control that nobody takes |
//! | `overrun` | a word was lost, since verdicts stay away for too long; its frame gets `error` |
//!
//! Latency: a word leaves 4 clocks after it came, 3 after a gap; the last word 3 clocks after its verdict. Throughput: a word per clock.
//! 24 or 25 words may wait for verdicts, and four last ones beyond them. A verdict without a frame is ignored. `clear` forgets all frames.

use crate::frame::{FrameWord, VERDICTS};
use crate::llr_rx::LlrFrameVerdict;
use crate::mac_control::{DESTINATION, ETHERTYPE};
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::ram::LutRam;
use flitforge_protocol::sue::link_control::{LLDP_ETHERTYPE, MAC_CONTROL_DESTINATION, PFC_OPCODE};

/// Clocks from a verdict to the last word of its frame.
pub const LATENCY: u32 = 3;
/// The first five octets and half of the sixth of addresses that no bridge forwards (IEEE 802.1Q), as they stand in a frame; the half is 0.
const RESERVED: u64 = (MAC_CONTROL_DESTINATION >> 8 << 24).swap_bytes();
/// LLDP as it stands in its two octets.
const LLDP: u64 = LLDP_ETHERTYPE.swap_bytes() as u64;
/// PFC as it stands in its two octets.
const PFC: u64 = PFC_OPCODE.swap_bytes() as u64;
/// Octets of the second word with an Ethertype, and with an opcode.
const TYPE_OCTETS: usize = 6;
const OPCODE_OCTETS: usize = 8;
/// Kinds of frames.
const DATA: usize = 0;
const MANAGEMENT: usize = 1;
const CONTROL: usize = 2;
const STRAY: usize = 3;
/// Frames whose verdict may be due, and more.
const FRAMES: usize = 8;

const _: () = assert!(VERDICTS < FRAMES);

/// Received frames by their kind; see the [module](self).
#[block("eth_demux")]
pub struct EthDemux {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets frames.
    clear: In<Bit>,
    /// CC_OPC.
    credit_opcode: In<Bits<16>>,
    /// Received frames without FCS.
    pub frames: FlowIn<FrameWord>,
    /// Whether a frame counts, once for each in their order, after its last word.
    pub verdicts: FlowIn<LlrFrameVerdict>,
    /// All words, for PFC and CBFC.
    pub control: FlowOut<FrameWord>,
    /// Whether a frame counts, for PFC and CBFC.
    pub control_verdicts: FlowOut<Bit>,
    /// Frames with a network header.
    pub data: FlowOut<FrameWord>,
    /// Frames for the management.
    pub management: FlowOut<FrameWord>,
    /// A frame left with `error`.
    dropped: Out<Bit>,
    /// A frame of MAC control that nobody takes.
    stray: Out<Bit>,
    /// A word was lost.
    overrun: Out<Bit>,

    #[wire(d = _)]
    word: Reg<FrameWord>,
    #[wire(enable = true)]
    arrived: Register<Bit>,
    /// Words of the frame that have come, at most 2.
    place: Register<Bits<2>>,
    /// Its destination is that of MAC control; no bridge forwards it.
    is_control_address: Register<Bit>,
    is_reserved: Register<Bit>,
    /// A word of the frame was lost.
    lost: Register<Bit>,
    /// 24 words waited a clock ago.
    #[wire(enable = true)]
    nearly_full: Register<Bit>,
    #[wire(clock)]
    ring: LutRam<FrameWord, 5>,
    written: Register<Bits<6>>,
    read: Register<Bits<6>>,
    /// Kinds of frames by number.
    #[wire(clock)]
    kinds: LutRam<Bits<2>, 3>,
    /// Numbers of the next frame whose kind gets known, that ends, that is judged, and that leaves.
    known: Register<Bits<3>>,
    ended: Register<Bits<3>>,
    judged: Register<Bits<3>>,
    leaves: Register<Bits<3>>,
    #[wire(enable = true)]
    comes: Register<Bit>,
    #[wire(d = _)]
    is_good: Reg<Bit>,
    /// Verdicts of frames by number.
    good: Reg<Bits<FRAMES>>,
    #[wire(d = _)]
    shown: Reg<FrameWord>,
    #[wire(enable = true)]
    to_data: Register<Bit>,
    #[wire(enable = true)]
    to_management: Register<Bit>,
    #[wire(enable = true)]
    to_nobody: Register<Bit>,
    #[wire(enable = true)]
    overruns: Register<Bit>,
}

#[logic]
impl EthDemux {
    fn update(&mut self) {
        let verdict = verdicts.data;
        control = In { data: frames.data, valid: frames.valid };
        control_verdicts = In { data: verdict.delivers, valid: verdicts.valid };
        word = frames.data;
        arrived = frames.valid;
        self.tell_kind();
        self.write();
        self.judge();
        self.leave();
    }

    /// The kind of a frame: by its second word, or by its first if it has no more.
    fn tell_kind(&mut self) {
        let octets = word.data;
        let bytes = word.bytes;
        let begins = place == 0;
        let last = word.last;
        is_control_address.enable = arrived & begins;
        is_control_address = octets[0..48] == DESTINATION;
        is_reserved.enable = arrived & begins;
        let top: Bits<4> = octets[44..48];
        is_reserved = (octets[0..40] == RESERVED) & !top.any();

        let kind_octets: Bits<16> = octets[32..48];
        let opcode: Bits<16> = octets[48..64];
        let turned: Bits<16> = cat(credit_opcode[8..16], credit_opcode[0..8]);
        let full = !last | (bytes >= OPCODE_OCTETS);
        let is_asked = full & ((opcode == PFC) | (opcode == turned));
        let has_type = !begins & (!last | (bytes >= TYPE_OCTETS));
        let kind: Bits<2> = if has_type & (kind_octets == ETHERTYPE) {
            if is_control_address & is_asked {
                bits::<2>(CONTROL)
            } else {
                bits::<2>(STRAY)
            }
        } else if has_type & (kind_octets == LLDP) & is_reserved {
            bits::<2>(MANAGEMENT)
        } else {
            bits::<2>(DATA)
        };
        let tells = arrived & ((place == 1) | (begins & last));
        kinds = In { write_enable: tells, write_address: known, write_data: kind };
        known.enable = tells;
        known = known + 1;
        place.enable = arrived;
        place = if last {
            0
        } else if place[1] {
            place
        } else {
            place + 1
        };
    }

    /// Words into the ring. If it is nearly full only last words go, so that frames keep their ends. Where a lost one
    /// is written another one follows.
    fn write(&mut self) {
        let fill = written - read;
        nearly_full = fill[5] | (fill[4] & fill[3]);
        let loses = arrived & nearly_full & !word.last;
        let enters = arrived & !loses;
        ring = In {
            write_enable: arrived,
            write_address: written[0..5],
            write_data: FrameWord { error: word.error | (word.last & lost), ..word },
        };
        written.enable = enters;
        written = written + 1;
        lost.enable = arrived;
        lost = !word.last & (lost | loses);
        overruns = loses;
        overrun = overruns;
    }

    /// Verdicts, a clock later: the frame has ended by then.
    fn judge(&mut self) {
        let verdict_now = verdicts.data;
        comes = verdicts.valid;
        is_good = verdict_now.delivers;
        ended.enable = arrived & word.last;
        ended = ended + 1;
        let judges = comes & (ended != judged);
        judged.enable = judges;
        judged = judged + 1;
        let mut good_now = good;
        for i in 0..FRAMES {
            if judges & (judged == i) {
                good_now = good_now.with(i, is_good);
            }
        }
        good = good_now;
    }

    /// The next word, if it may leave.
    fn leave(&mut self) {
        ring.read_address = read[0..5];
        kinds.read_address = leaves;
        let head = ring.read_data;
        let head_kind = kinds.read_data;
        let may_end = !head.last | (judged != leaves);
        let goes = (written != read) & (known != leaves) & may_end;
        let counts = good[leaves];
        let error = head.last & (head.error | !counts);
        read.enable = goes;
        read = read + 1;
        leaves.enable = goes & head.last;
        leaves = leaves + 1;
        let is_data = head_kind == DATA;
        let is_management = head_kind == MANAGEMENT;
        shown = FrameWord { error, ..head };
        to_data = goes & is_data;
        to_management = goes & is_management;
        to_nobody = goes & (head_kind == STRAY);
        data = In { data: shown, valid: to_data };
        management = In { data: shown, valid: to_management };
        dropped = (to_data | to_management) & shown.error;
        stray = to_nobody & shown.last & !shown.error;
    }
}

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "eth_demux",
    chapter: "50-sue",
    summary: "received frames by their kind: flow control, management, data",
    parameters: &[],
    presets: &[Preset { name: "default", values: &[] }],
    build,
};

fn build(_: &Settings) -> Result<BuiltBlock, ConfigError> {
    let streams = [
        ("frames", FlowSink),
        ("verdicts", FlowSink),
        ("control", FlowSource),
        ("control_verdicts", FlowSource),
        ("data", FlowSource),
        ("management", FlowSource),
    ];
    let interface = InterfaceInfo::clocked(&streams, Some(LATENCY), "verdict to the last word");
    Ok(BuiltBlock::new(EthDemux::default(), interface))
}
