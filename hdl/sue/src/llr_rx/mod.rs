//! `eth_llr_rx`: the receiver of link-layer retry, between the MAC and the demultiplexer (chapter 50, 0, 3.7, 4.7).
//!
//! | state | what becomes of a numbered frame | leaves on |
//! |---|---|---|
//! | OFF | dropped | first LLR_INIT → SEND_ACKS |
//! | SEND_ACKS | good and expected: delivered, LLR_ACK due; an earlier one: dropped, LLR_ACK due | bad, or ahead → SEND_NACK |
//! | SEND_NACK | as NACK_SENT | LLR_NACK handed over → NACK_SENT |
//! | NACK_SENT | all but the expected one are dropped | the expected one comes → SEND_ACKS; NACK_T → SEND_NACK |
//!
//! - Words go on at once, without a register. The verdict of each frame follows 1 clock after that of the MAC, in the same order; one verdict per 2
//!   clocks (a frame has a preamble and at least one word), each 2 clocks or more after the last word of its frame.
//! - Frames that are not numbered are delivered if they are good, in all states. A preamble that cannot be read has to come as a bad numbered frame.
//! - LLR_INIT starts a receiver that is OFF. At a running one it is answered while nothing was accepted since; any other counts only when it
//!   comes twice with nothing accepted in between. Two in neighbouring clocks count as one. Nonce 0 is ignored.
//! - `answers` takes what is to be sent one by one: LLR_INIT_ECHO before LLR_NACK before LLR_ACK. What it has taken stands until it is sent, and
//!   names what was known then.
//! - `sets` gives LLR_ACK, LLR_NACK and LLR_INIT_ECHO to `eth_llr_tx`, `credits` gives CF_Update to flow control, 2 clocks after they came.
//! - A poisoned frame at the expected place is accepted and not delivered with `accepts_poison` (`ue103`), else it is a bad one (`sue1`).
//! - `clear` forgets everything and goes to OFF; the MAC is to be cleared with it.

mod filter;
mod settings;

pub use settings::*;

use crate::frame::{FramePreamble, FrameVerdict, FrameWord};
use crate::llr_set::{LlrSet, LlrSetKind};
use filter::LlrFilter;
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::ram::{LutRam, RamConfig};
use flitforge_protocol::sue::link_control::SEQUENCE_BITS;

/// Width of a place among the frames that wait for their verdict: twice as many as there may be.
const PLACE_BITS: usize = 3;
/// Clocks from the MAC's verdict to the one given.
pub const LATENCY: u32 = 1;

/// The receiver; see the [module](self).
#[block("eth_llr_rx", new)]
pub struct EthLlrRx {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets everything.
    clear: In<Bit>,
    /// Link-layer retry is on (P_CTRL).
    enable: In<Bit>,
    /// What the registers say.
    pub settings: LlrRxSettings,
    /// Frames of the MAC.
    pub frames_in: FlowIn<FrameWord>,
    /// Their preamble; it holds through the frame.
    preamble: In<FramePreamble>,
    /// What the MAC has found, one per frame.
    pub verdicts_in: FlowIn<FrameVerdict>,
    /// Ordered sets from the MAC, octet 0 in bits 7:0.
    pub control: FlowIn<Bits<64>>,
    /// The frames, at once.
    pub frames_out: FlowOut<FrameWord>,
    /// Whether they count, one per frame.
    pub verdicts_out: FlowOut<LlrFrameVerdict>,
    /// Ordered sets to be sent.
    pub answers: StreamOut<LlrSet>,
    /// Ordered sets of link-layer retry that came.
    pub sets: FlowOut<LlrSet>,
    /// CF_Update that came, octet 0 in bits 7:0.
    pub credits: FlowOut<Bits<64>>,
    /// The state.
    state: Out<LlrRxState>,
    /// What else happened.
    pub events: LlrRxEvents,

    #[wire(clock, clear, twice = settings.twice, within = settings.twice_within)]
    filter: LlrFilter,
    mode: Register<LlrRxState>,
    /// Preambles of frames that wait for their verdict.
    #[wire(clock)]
    heads: LutRam<FramePreamble, PLACE_BITS>,
    head_in: Register<Bits<PLACE_BITS>>,
    head_out: Register<Bits<PLACE_BITS>>,
    expected: Reg<Bits<SEQUENCE_BITS>>,
    /// The one before it, a clock late.
    #[wire(d = _)]
    previous: Reg<Bits<SEQUENCE_BITS>>,
    /// What waits for its verdict next, against `expected`, a clock late.
    #[wire(d = _)]
    at_expected: Reg<Bit>,
    #[wire(d = _)]
    ahead: Reg<Bit>,
    /// `expected` has moved, or was set by LLR_INIT.
    moved: Register<Bit>,
    jumped: Register<Bit>,
    ack_due: Register<Bit>,
    echo_due: Register<Bit>,
    nack_timer: Register<Bits<17>>,
    /// An LLR_INIT to be judged, and which parts of it are those of the one in force and of the one seen once.
    init: Reg<LlrSet>,
    init_valid: Register<Bit>,
    init_as_start: Reg<Bits<4>>,
    init_as_candidate: Reg<Bits<4>>,
    start: Reg<LlrSet>,
    candidate: Reg<LlrSet>,
    candidate_valid: Register<Bit>,
    /// Nothing was accepted since `start`.
    untouched: Reg<Bit>,
    answer: Reg<LlrSet>,
    answer_valid: Register<Bit>,
    #[wire(d = _)]
    verdict: Reg<LlrFrameVerdict>,
    verdict_valid: Register<Bit>,
    init_ignored: Register<Bit>,
    acked: Register<Bit>,
    nacked: Register<Bit>,
    echoed: Register<Bit>,
    closed: Register<Bit>,
}

#[logic]
impl EthLlrRx {
    /// A receiver that is OFF.
    pub fn new() -> Result<Self, ConfigError> {
        let heads = LutRam::new(RamConfig::distributed(1 << PLACE_BITS))?;
        Ok(Self { filter: LlrFilter::new()?, heads, .. })
    }

    fn update(&mut self) {
        link(control, filter.control);
        link(credits, filter.credits);
        let set = filter.sets.data;
        sets = In { data: set, valid: filter.sets.valid & (set.kind != LlrSetKind::Init) };
        frames_out = In { data: frames_in.data, valid: frames_in.valid };

        let runs = enable & (mode != LlrRxState::Off);
        let in_order = mode == LlrRxState::SendAcks;
        let judges = self.follow_frames();
        let (accepts, asks, repeats) = self.judge(judges, runs);
        let jumps = self.take_init(set, judges, runs, accepts);
        let (nacks, acks) = self.answer_peer(in_order);

        if jumps {
            expected = init.sequence;
        } else if accepts {
            expected = expected + 1;
        }
        moved = accepts | jumps;
        jumped = jumps;
        ack_due =
            if !enable | jumps | asks { false } else { accepts | (repeats & in_order) | (ack_due & !acks) };
        nack_timer.enable = nacks | !nack_timer[16];
        nack_timer = if nacks { cat(settings.nack_timer, false) } else { nack_timer - 1 };
        mode = if !enable {
            LlrRxState::Off
        } else if accepts | jumps {
            LlrRxState::SendAcks
        } else if asks & in_order {
            LlrRxState::SendNack
        } else if nacks {
            LlrRxState::NackSent
        } else if (mode == LlrRxState::NackSent) & nack_timer[16] {
            LlrRxState::SendNack
        } else {
            mode
        };
        state = mode;
        closed = accepts & !in_order;
        self.tell(set);
    }

    /// Preambles wait for the verdicts of their frames.
    fn follow_frames(&mut self) -> Bit {
        let frame = frames_in.data;
        let ends = frames_in.valid & frame.last;
        heads =
            In { write_address: head_in, write_data: preamble, write_enable: ends, read_address: head_out };
        head_in.enable = ends;
        head_in = head_in + 1;
        let judges = verdicts_in.valid & (head_in != head_out);
        head_out.enable = judges;
        head_out = head_out + 1;
        let waiting = heads.read_data;
        let distance = waiting.sequence - expected;
        at_expected = waiting.sequence == expected;
        ahead = !distance[19];
        previous = expected - 1;
        judges
    }

    /// The row of the table. It accepts, asks for a replay, or has come before.
    fn judge(&mut self, judges: Bit, runs: Bit) -> (Bit, Bit, Bit) {
        let first = heads.read_data;
        let found = verdicts_in.data;
        let is_poison = found.poisoned & !found.runt & !found.long & !found.code & settings.accepts_poison;
        let readable = found.good | is_poison;
        // An LLR_INIT has just come: what was compared is of before.
        let counts = first.numbered & runs & !jumped;
        let accepts = judges & counts & readable & at_expected;
        let asks = judges & counts & (!readable | (!at_expected & ahead));
        let repeats = judges & counts & readable & !at_expected & !ahead;
        let word = if !first.numbered | (!enable & !found.good) {
            if found.good {
                LlrVerdict::Delivered
            } else {
                LlrVerdict::Bad
            }
        } else if !counts {
            LlrVerdict::Off
        } else if !readable {
            LlrVerdict::Bad
        } else if at_expected {
            if found.good {
                LlrVerdict::Delivered
            } else {
                LlrVerdict::Poisoned
            }
        } else if ahead {
            LlrVerdict::Ahead
        } else {
            LlrVerdict::Duplicate
        };
        let delivers = found.good & (!first.numbered | (counts & at_expected));
        verdict = LlrFrameVerdict { delivers, verdict: word };
        verdict_valid = judges;
        verdicts_out = In { data: verdict, valid: verdict_valid };
        (accepts, asks, repeats)
    }

    /// LLR_INIT; says whether the receiver starts anew.
    fn take_init(&mut self, set: LlrSet, judges: Bit, runs: Bit, accepts: Bit) -> Bit {
        let init_comes = filter.sets.valid & (set.kind == LlrSetKind::Init);
        if init_comes {
            init = set;
            init_as_start = Self::compare(set, start);
            init_as_candidate = Self::compare(set, candidate);
        }
        let is_fresh = runs & untouched & init_as_start.all();
        let is_second = candidate_valid & init_as_candidate.all();
        // It waits while a frame is judged.
        let judged = init_valid & !judges;
        let nonce = init.data;
        let valid = judged & enable & nonce.any();
        let known = valid & (!runs | is_fresh | is_second);
        let jumps = known & !is_fresh;
        init_valid = init_comes | (init_valid & judges);
        init_ignored = judged & !valid;
        if known {
            start = init;
        }
        if valid & !known {
            candidate = init;
        }
        candidate_valid = ((candidate_valid & !known) | (valid & !known)) & enable & !accepts;
        if jumps {
            untouched = true;
        }
        if accepts {
            untouched = false;
        }
        let echoes = !answer_valid & echo_due;
        echo_due = (known | (echo_due & !echoes)) & enable;
        echoed = echoes;
        jumps
    }

    /// What is to be sent, one by one.
    fn answer_peer(&mut self, in_order: Bit) -> (Bit, Bit) {
        let free = !answer_valid & !echo_due;
        let nacks = free & (mode == LlrRxState::SendNack);
        let acks = free & in_order & ack_due & !moved;
        let loads = (!answer_valid & echo_due) | nacks | acks;
        if !answer_valid {
            let kind = if echo_due {
                LlrSetKind::Echo
            } else if in_order {
                LlrSetKind::Ack
            } else {
                LlrSetKind::Nack
            };
            let named = if in_order { previous } else { expected };
            let sequence = if echo_due { start.sequence } else { named };
            let data = if echo_due { start.data } else { bits::<16>(0) };
            answer = LlrSet { kind, sequence, data };
        }
        answer_valid = loads | (answer_valid & !answers.ready);
        answers = In { data: answer, valid: answer_valid };
        nacked = nacks;
        acked = acks;
        (nacks, acks)
    }

    fn tell(&mut self, set: LlrSet) {
        let passes = filter.sets.valid;
        let is_ack = set.kind == LlrSetKind::Ack;
        let is_nack = set.kind == LlrSetKind::Nack;
        let is_init = set.kind == LlrSetKind::Init;
        let is_echo = set.kind == LlrSetKind::Echo;
        events = In { control_bad: filter.bad, init_bad: init_ignored, replay_seen: closed };
        events = In { ack_received: passes & is_ack, nack_received: passes & is_nack };
        events = In { init_received: passes & is_init, echo_received: passes & is_echo };
        events = In { ack_sent: acked, nack_sent: nacked, echo_sent: echoed };
    }

    /// By parts, whether two LLR_INIT are equal.
    fn compare(one: LlrSet, other: LlrSet) -> Bits<4> {
        let sequence = one.sequence;
        let named = other.sequence;
        let data = one.data;
        let nonce = other.data;
        cat(
            sequence[0..10] == named[0..10],
            sequence[10..20] == named[10..20],
            data[0..8] == nonce[0..8],
            data[8..16] == nonce[8..16],
        )
    }
}

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "eth_llr_rx",
    chapter: "50-sue",
    summary: "link-layer retry of Ethernet, receiver",
    parameters: &[],
    presets: &[Preset { name: "default", values: &[] }],
    build,
};

fn build(_: &Settings) -> Result<BuiltBlock, ConfigError> {
    let streams = [
        ("frames_in", FlowSink),
        ("verdicts_in", FlowSink),
        ("control", FlowSink),
        ("frames_out", FlowSource),
        ("verdicts_out", FlowSource),
        ("answers", StreamSource),
        ("sets", FlowSource),
        ("credits", FlowSource),
    ];
    let interface = InterfaceInfo::clocked(&streams, Some(LATENCY), "verdicts_in to verdicts_out");
    Ok(BuiltBlock::new(EthLlrRx::new()?, interface))
}
