//! Frames of SUE Lite: their header is checked and taken away (chapter 50, 3.5 and 4.8).
//!
//! | a frame | what happens |
//! |---|---|
//! | with a good header | its body, with what goes with it |
//! | with a wrong key | no word; `afh_bad` |
//! | with another destination, port of the sender, Ethertype, a TC of no virtual channel or an unknown sender; shorter than 10 octets | no word; `header_bad` |
//! | with `error` | its body with `error`; no pulse, since it is counted where the error was found |
//! | that comes while `off` is high, also in part | nothing; `off` lasts 4 clocks at least |
//! | that is torn by `port_off` | if its body has begun, it ends at once, with `error`; the next word is the first of a frame |
//!
//! - Three clocks at least lie between the last word of a body and the first of the next: what comes sooner waits in a FIFO of 16 words. If that is full, a word is lost,
//!   and its frame has `error`. A port never brings frames so close.
//! - Latency 3 clocks from word to word, if nothing waits.

use super::entry::{LiteAddresses, LiteFid, LiteTrafficClass};
use crate::frame::{FrameWord, ReceivedHead};
use crate::network::NetworkSettings;
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::SmallFifo;
use flitforge_protocol::sue::network::KEY_COMPRESSED;

const KEY: usize = KEY_COMPRESSED as usize;
/// Clocks without a word after the last one of a body, before the next header.
const PAUSE: usize = 2;

/// What is wrong with a header.
#[packed]
pub struct LiteFaults {
    /// The key.
    key: Bit,
    /// Anything else.
    foreign: Bit,
}

/// Bodies of frames from 2^`N` XPUs. See the [module](self).
#[block("sue_lite_reader", new, peers = 1usize << N)]
pub struct LiteReader<const N: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets frames under way: the next word is the first of one.
    clear: In<Bit>,
    /// Registers.
    settings: In<NetworkSettings>,
    /// Number of the own port.
    port: In<Bits<4>>,
    /// Partition of all commands.
    partition: In<Bits<10>>,
    /// Frames go away.
    off: In<Bit>,
    /// The port is off: a frame under way has no end.
    port_off: In<Bit>,
    /// Frames without FCS.
    pub frame: FlowIn<FrameWord>,
    /// Words of bodies.
    pub body: FlowOut<FrameWord>,
    /// What goes with the body, from its first word to its last.
    head: Out<ReceivedHead>,
    /// A frame was foreign or wrong: HDR_BAD.
    header_bad: Out<Bit>,
    /// A frame had a wrong key: AFH_BAD.
    afh_bad: Out<Bit>,

    #[wire(clock, clear = clear | port_off)]
    words: SmallFifo<FrameWord, 4, 5>,
    /// A word of the frame that comes was lost.
    #[wire(clear = clear | port_off)]
    lost: Register<Bit>,
    #[init(true)]
    #[wire(clear = clear | port_off)]
    at_header: Register<Bit>,
    pause: Register<Bits<2>>,
    /// The frame is taken: `off` was low.
    taken: Register<Bit>,
    faults: Reg<LiteFaults>,
    source: Reg<ReceivedHead>,
    word: Reg<FrameWord>,
    word_valid: Register<Bit>,
    /// A body is under way at the output.
    open: Register<Bit>,
    /// A frame has ended, in its header.
    ended: Register<Bit>,
    ended_short: Reg<Bit>,
    out_word: Reg<FrameWord>,
    out_head: Reg<ReceivedHead>,
    out_valid: Register<Bit>,
    header_pulse: Register<Bit>,
    afh_pulse: Register<Bit>,
}

#[logic]
impl<const N: usize> LiteReader<N> {
    /// A reader without frames.
    pub fn new() -> Result<Self, ConfigError> {
        check_range("sue_lite_reader", "N", N as u64, 1, 10)?;
        Ok(Self { words: SmallFifo::new()?, .. })
    }

    fn update(&mut self) {
        let arrives = frame.data;
        let marked = FrameWord { error: arrives.error | (arrives.last & lost), ..arrives };
        words.words_in = In { data: marked, valid: frame.valid };
        lost.enable = frame.valid;
        lost = !words.words_in.ready | (lost & !arrives.last);

        let front = words.words_out.data;
        let may = !at_header | !pause.any();
        words.words_out.ready = may;
        let moves = words.words_out.valid & may;
        at_header.enable = moves;
        at_header = front.last;
        pause.enable = pause.any() | (moves & front.last);
        pause = if moves & front.last { PAUSE } else { pause - 1 };
        let begins = moves & at_header;
        taken = !off & (begins | taken);
        if begins {
            let found = Self::addresses(front.data);
            let sender: LiteFid = found.source_fid.into();
            let xpu = sender.xpu;
            faults = Self::judge(settings, port, front.data, found);
            let channel = Self::channel_of(settings, found.traffic_class);
            source = ReceivedHead { source: xpu[0..10], vc: channel[0..2], port: port[0..2], partition };
        }
        word = front;
        word_valid = moves & !at_header;
        ended = moves & front.last;
        ended_short = at_header;

        // What is said of a frame comes with the last word of its body.
        let wanted = taken & !off & !port_off;
        let bad = faults.key | faults.foreign;
        let passes = word_valid & wanted & !bad;
        let breaks = open & port_off;
        open = !off & !breaks & ((open & !passes) | (passes & !word.last));
        out_word = FrameWord { last: word.last | breaks, error: word.error | breaks, ..word };
        out_head = source;
        out_valid = passes | breaks;
        body = In { data: out_word, valid: out_valid };
        head = out_head;
        let tells = ended & wanted & !word.error;
        afh_pulse = tells & faults.key;
        header_pulse = tells & !faults.key & (faults.foreign | ended_short);
        afh_bad = afh_pulse;
        header_bad = header_pulse;
    }

    /// The header ahead of the Ethertype.
    fn addresses(data: Bits<64>) -> LiteAddresses {
        let low: Bits<24> = cat(data[40..48], data[32..40], data[24..32]);
        let high: Bits<24> = cat(data[16..24], data[8..16], data[0..8]);
        let all: Bits<48> = cat(low, high);
        let read: LiteAddresses = all.into();
        read
    }

    /// What is wrong with it.
    fn judge(of: NetworkSettings, port: Bits<4>, data: Bits<64>, found: LiteAddresses) -> LiteFaults {
        let own = LiteFid { port, xpu: of.own_xpu };
        let own_fid: Bits<16> = own.into();
        let sender: LiteFid = found.source_fid.into();
        let xpu = sender.xpu;
        let known = bit_cast::<12, N>(xpu.bits::<N>(0)) == xpu;
        let kind: Bits<16> = cat(data[56..64], data[48..56]);
        let channel = Self::channel_of(of, found.traffic_class);
        let other = (found.fid != own_fid) | (sender.port != port);
        let foreign = other | (kind != of.lite_ethertype) | !known | channel[2];
        LiteFaults { key: found.key != KEY, foreign }
    }

    /// The virtual channel whose class has the DSCP of this TC; bit 2: none.
    fn channel_of(of: NetworkSettings, octet: Bits<8>) -> Bits<3> {
        let mark: LiteTrafficClass = octet.into();
        let dscp = mark.dscp;
        let first = of.class_0;
        let second = of.class_1;
        let third = of.class_2;
        let fourth = of.class_3;
        let is_first = first.dscp == dscp;
        let is_second = second.dscp == dscp;
        let is_third = third.dscp == dscp;
        let is_fourth = fourth.dscp == dscp;
        let low = !is_first & (is_second | !is_third);
        let high = !is_first & !is_second;
        cat(low, high, !(is_first | is_second | is_third | is_fourth))
    }
}
