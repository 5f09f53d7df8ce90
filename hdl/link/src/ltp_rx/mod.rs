//! `link_ltp_rx`: LTPs in, beats out, and the receive side of retry (chapter 10, 4.3 and 3.5).
//!
//! Every wire beat is cut into a data beat and written, with the kinds of its flits, into one of two LTP buffers in LUT RAM;
//! nothing of an LTP leaves before its CRC is known.
//!
//! An LTP is bad if its CRC does not end at 0 or a beat of it carries `code_err`. Of a good one, flit 0 tells whether it is a
//! Null LTP (`null_out`) or a reliable one; a reliable one is delivered if the toss rule says so.
//!
//! Delivery: illegal flits become Idle; SPC flits go to `spc_out` and are Idle on `flits_out`; time flits of a
//! `late` LTP become Idle on `spc_out` too; a beat left with Idles alone is not given (`valid` low), one with
//! ForceIdle is.
//!
//! The toss rule of 4.3, while `retry` is 1: states NORMAL and TOSS, NxtRx, duplicates, gaps, RetryMrkr pairs, the
//! waiting RetryReq pair (`retry_req`), the timer TOSS_LTPS, BAD_RUN and RETRY_LIMIT. With `retry` 0 every good
//! reliable LTP is delivered, none is late, and nothing is asked for: a link without a way back.
//!
//! | input | does, from the next clock on |
//! |---|---|
//! | `reset_exchange` | TOSS; what was asked for, awaited and kept for the isolation is void; NxtRx stays. High outside Init and Active |
//! | `fresh` | the same, and NxtRx is 0 (4.6 rule 5) |
//! | `activate` | the link is Active: requests are offered, the timer runs, until `reset_exchange`, `fresh` or `clear` |
//! | `ltp_time` | one LTP time of the own transmit direction has gone by; never in two clocks in a row |
//!
//! The verdict stands in one clock, V, with `rx_good`, `rx_bad`, `rx_accepted`, `ltp_state`, `side_out` and `null_out`.
//! Every other event comes in V + 1, registered, `iso` in V + 1 (latch, compare) or V + 2 (unknown). `next_rx` in V is
//! the sequence number of the LTP that is accepted in V. A pair of RetryReq, RndTripMrkr or RetrainRetryReq counts once.
//! `retry_req` carries NxtRx of each clock: 4.2 rule 4 wants it as of the moment of sending.
//!
//! Limits are plain inputs, as RETRY_CFG has them but for the timer, which is in force as it stands (0 counts as 1):
//! `toss_ltps`, `retry_limit`, `bad_run` (0: never). They may change at any time.
//!
//! Framing: the wire beat of the clock with `frame_start`, or the next one if there is none in that clock, is
//! beat 0 of LTP 0. Before the first `frame_start` wire beats are ignored; an LTP cut short by `frame_start`
//! vanishes without verdict.
//!
//! Modes 2 and 3 are built on request ([`CrcModes`]): [`LtpRxWide`] then stands beside [`LtpRxFraming`], and bit 1 of `mode`
//! chooses. It may change, and `lanes` too, when 16/F + 8 clocks without wire beats have gone by; `frame_start` follows.
//!
//! - Latency: 11 clocks at F = 2 (16/F + 3; in modes 2 and 3 16/F + 4) from the edge that takes wire beat 0 to the edge after which data
//!   beat 0 stands on `flits_out` (plane R), if wire beats come without gaps; the verdict stands one clock
//!   before plane R.
//! - Throughput: one beat per clock. Delivery of an LTP has no gaps but its dropped all-Idle beats.
//! - `clear`: what is in the buffers is lost, `frame_start` is needed again, NxtRx is 0. It takes one clock.

mod config;
mod delivery;
mod framing;
mod nulls;
mod requests;
mod toss;
mod verdict;
mod wide;

pub use config::{LtpRxConfig, ENTRY};
pub use delivery::LtpRxDelivery;
pub use framing::LtpRxFraming;
pub use nulls::LtpRxNulls;
pub use requests::LtpRxRequests;
pub use toss::LtpRxToss;
pub use verdict::LtpRxVerdict;
pub use wide::LtpRxWide;

use super::flit_codec::FlitCodec;
use super::ltp_tx::NULL_BITS;
use super::ltp_wide::{copies, CrcModes};
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::flit::FLIT_BITS;

/// One flit per beat.
pub type LtpRx1 = LtpRx<1, 65, 66, 68, 82, 4, 5, 4>;
/// Two flits per beat.
pub type LtpRx2 = LtpRx<2, 130, 132, 136, 148, 3, 4, 8>;
/// Four flits per beat.
pub type LtpRx4 = LtpRx<4, 260, 264, 272, 280, 2, 3, 16>;
/// One flit per beat, all modes.
pub type LtpRxAll1 = LtpRx<1, 65, 66, 68, 82, 4, 5, 4, 176, 1>;
/// One flit per beat, LTP buffers in block RAM; see [`LtpRxDelivery`].
pub type LtpRxBlock1<const WIDE: usize> = LtpRx<1, 65, 66, 68, 82, 4, 5, 4, 176, WIDE, 1>;
/// Two flits per beat, all modes.
pub type LtpRxAll2 = LtpRx<2, 130, 132, 136, 148, 3, 4, 8, 240, 1>;
/// Four flits per beat, all modes.
pub type LtpRxAll4 = LtpRx<4, 260, 264, 272, 280, 2, 3, 16, 368, 1>;

/// LTPs in, beats out; see the [module](self) and [`LtpRxConfig`] for the parameters.
#[block(new)]
pub struct LtpRx<
    const F: usize,
    const FLITS_W: usize,
    const BEAT_W: usize,
    const WIRE_W: usize,
    const JOINT_W: usize,
    const INDEX_W: usize,
    const ADDR_W: usize,
    const FLAGS_W: usize,
    const WINDOW_W: usize = 1,
    const WIDE: usize = 0,
    const BLOCK: usize = 0,
> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// LTP mode; bit 0 of modes 0 and 1 is sampled with beat 0. If they are not built, 2 and 3 count as 0.
    mode: In<Bits<2>>,
    /// Active lanes of this direction minus one; gives `beat_state`. Mode 3 on fewer than three lanes is taken for mode 2.
    lanes: In<Bits<2>>,
    /// This wire beat, or the next one, is beat 0 of LTP 0.
    frame_start: In<Bit>,
    /// Wire beats; modes 0 and 1 use the low 66F bits, modes 2 and 3 all 68F.
    pub wire_in: FlowIn<Bits<WIRE_W>>,
    /// With `wire_in`: a word of this beat had a code or disparity error.
    code_err: In<Bit>,
    /// The toss rule is on; changes in Down only.
    retry: In<Bit>,
    /// The exchange of retry starts again; NxtRx stays.
    reset_exchange: In<Bit>,
    /// The exchange starts again with NxtRx 0.
    fresh: In<Bit>,
    /// The link is Active: requests are offered.
    activate: In<Bit>,
    /// An LTP time of the own transmit direction has gone by.
    ltp_time: In<Bit>,
    /// LTP times in TOSS before the request is repeated, 1 to 65535.
    toss_ltps: In<Bits<16>>,
    /// Requests for an unchanged NxtRx before `request_limit`, 1 to 255.
    retry_limit: In<Bits<8>>,
    /// Consecutive bad LTPs before `framing_lost`, 1 to 255.
    bad_run: In<Bits<8>>,
    /// Beats with at least one flit that is not Idle, SPC flits taken out.
    pub flits_out: FlowOut<Bits<FLITS_W>>,
    /// Beats with at least one SPC flit, all others Idle; same clock as `flits_out`.
    pub spc_out: FlowOut<Bits<FLITS_W>>,
    /// With `flits_out` and `spc_out`: the beat comes from a replayed LTP.
    beat_late: Out<Bit>,
    /// With `flits_out` and `spc_out`: place of the beat in its LTP.
    beat_index: Out<Bits<4>>,
    /// With `flits_out` and `spc_out`: sequence state of the LTP (chapter 10, 3.6).
    beat_state: Out<Bits<2>>,
    /// Sideband {c1, c0} of an accepted LTP in mode 1.
    pub side_out: FlowOut<Bits<2>>,
    /// Good Null LTPs of known kinds, each of a pair: payload [47:0], opcode [55:48].
    pub null_out: FlowOut<Bits<NULL_BITS>>,
    /// RetryReq pairs to send; the payload is NxtRx.
    pub retry_req: StreamOut<Bits<16>>,
    /// RetryReq of the peer: its NxtRx.
    pub peer_request: FlowOut<Bits<16>>,
    /// RndTripMrkr of the peer: token [7:0], reply [8].
    pub round_trip: FlowOut<Bits<9>>,
    /// InitReq or InitAck of the peer: its NxtRx [15:0], fresh [16], InitAck [17].
    pub init: FlowOut<Bits<18>>,
    /// For `link_isolate`: sequence state [1:0] of the LTP to latch or compare, `IsolateAction` [3:2].
    pub iso: FlowOut<Bits<4>>,
    /// NxtRx.
    next_rx: Out<Bits<16>>,
    /// In Active: state TOSS.
    tossing: Out<Bit>,
    /// Verdict and event: a good LTP, Null or reliable.
    rx_good: Out<Bit>,
    /// Verdict and event: a bad LTP.
    rx_bad: Out<Bit>,
    /// With a verdict: sequence state of the LTP.
    ltp_state: Out<Bits<2>>,
    /// If all modes are built, with a verdict: the CRCs A to D that failed in mode 2, the groups whose CRC failed in mode 3.
    failed: [Out<Bits<4>>; WIDE],
    /// Event: a reliable LTP was accepted.
    rx_accepted: Out<Bit>,
    /// Event: an LTP was tossed in TOSS, good and reliable or bad.
    rx_tossed: Out<Bit>,
    /// Event: a good LTP behind NxtRx was tossed.
    rx_dup: Out<Bit>,
    /// Event and reason to retrain: a good LTP ahead of NxtRx.
    rx_gap: Out<Bit>,
    /// Event: a RetryMrkr in NORMAL.
    unexp_mrkr: Out<Bit>,
    /// Event: two consecutive bad LTPs, a pair may be lost; the transmit side freezes.
    double_bad: Out<Bit>,
    /// Event and reason to retrain: `bad_run` consecutive bad LTPs.
    framing_lost: Out<Bit>,
    /// Event and reason to retrain: a request beyond `retry_limit`.
    request_limit: Out<Bit>,
    /// Event: an LTP that only an Active peer sends.
    peer_active: Out<Bit>,
    /// Event: a good Null LTP of a kind that chapter 10 does not define, which is ignored; or a good LTP after a
    /// RetryMrkr.0 that is not its .1, which is taken for it.
    illegal_null: Out<Bit>,
    /// Event, one bit per slot, with the beat: an illegal flit of an accepted LTP became Idle.
    illegal_flit: Out<Bits<F>>,
    /// Event, with the beat: a beat of a late LTP that held more than Idles.
    late_beats: Out<Bit>,
    /// Event, one bit per slot, with the beat: a time flit of a late LTP became Idle.
    time_stale: Out<Bits<F>>,

    #[wire(clock, clear)]
    framing: LtpRxFraming<F, FLITS_W, BEAT_W, WIRE_W, JOINT_W, INDEX_W>,
    #[wire(clock, clear)]
    wide: [LtpRxWide<F, FLITS_W, WIRE_W, INDEX_W, WINDOW_W>; WIDE],
    codec: FlitCodec<F, FLITS_W>,
    #[wire(clock, clear)]
    verdict: LtpRxVerdict,
    #[wire(clock)]
    nulls: LtpRxNulls,
    #[wire(clock)]
    toss: LtpRxToss,
    #[wire(clock)]
    requests: LtpRxRequests,
    #[wire(clock, clear)]
    delivery: LtpRxDelivery<F, FLITS_W, INDEX_W, ADDR_W, FLAGS_W, BLOCK>,
    bits14: Reg<Bit>,
    bank: Reg<Bit>,
    side: Reg<Bits<2>>,
    state: Reg<Bits<2>>,
    late: Reg<Bit>,
    held: Reg<Bit>,
    fresh_held: Reg<Bit>,
    failed_held: [Reg<Bits<4>>; WIDE],
}

#[logic]
impl<
        const F: usize,
        const FLITS_W: usize,
        const BEAT_W: usize,
        const WIRE_W: usize,
        const JOINT_W: usize,
        const INDEX_W: usize,
        const ADDR_W: usize,
        const FLAGS_W: usize,
        const WINDOW_W: usize,
        const WIDE: usize,
        const BLOCK: usize,
    > LtpRx<F, FLITS_W, BEAT_W, WIRE_W, JOINT_W, INDEX_W, ADDR_W, FLAGS_W, WINDOW_W, WIDE, BLOCK>
{
    /// A receiver, or the reason why not.
    pub fn new() -> Result<Self, ConfigError> {
        LtpRxConfig {
            flits: F,
            flits_bits: FLITS_W,
            beat_bits: BEAT_W,
            wire_bits: WIRE_W,
            joint_bits: JOINT_W,
            index_bits: INDEX_W,
            address_bits: ADDR_W,
            flags_bits: FLAGS_W,
            window_bits: WINDOW_W,
            wide: WIDE,
        }
        .check()?;
        Ok(Self {
            framing: LtpRxFraming::new()?,
            wide: copies("link_ltp_rx", LtpRxWide::new)?,
            codec: FlitCodec::new()?,
            ..
        })
    }

    fn update(&mut self) {
        framing = In { mode, lanes, frame_start };
        link(wire_in, framing.wire_in);
        framing.code_err = code_err;
        codec.beat = framing.beat.data;

        verdict.first = framing.beat.valid & !framing.beat_place.any();
        verdict.first_flit = framing.beat.data.bits::<FLIT_BITS>(0);
        verdict = In { first_is_null: codec.link_transfer[0], check: framing.check };
        verdict.check_good = framing.check_good;
        if framing.check {
            Out { check_bits14: bits14, check_bank: bank, check_side: side, check_state: state } = framing;
            late = toss.late & retry;
        }
        for i in 0..WIDE {
            wide[i] = In { per_lane: mode[0], lanes, frame_start };
            wide[i].wire_in = In { data: wire_in.data, valid: wire_in.valid & mode[1] };
            wide[i].code_err = code_err;
            failed_held[i] = wide[i].check_failed;
            failed[i] = 0;
            if mode[1] {
                failed[i] = failed_held[i];
                codec.beat = wide[i].beat.data;
                verdict.first = wide[i].beat.valid & !wide[i].beat_place.any();
                verdict = In { first_flit: wide[i].beat.data.bits::<FLIT_BITS>(0), check: wide[i].check };
                verdict.check_good = wide[i].check_good;
                bits14 = false;
                bank = bank;
                state = state;
                late = late;
                if wide[i].check {
                    Out { check_bank: bank, check_state: state } = wide[i];
                    late = toss.late & retry;
                }
            }
        }
        let accepted = verdict.reliable & toss.accepting & !clear;
        Out { good: rx_good, bad: rx_bad } = verdict;
        rx_accepted = accepted;
        ltp_state = state;
        verdict.unknown = nulls.is_unknown;
        link(null_out, verdict.null_out);
        side_out = In { data: side, valid: accepted & bits14 };

        self.wire_exchange(accepted);
    }

    /// The exchange of retry.
    fn wire_exchange(&mut self, accepted: Bit) {
        held = reset_exchange | fresh | !retry;
        fresh_held = fresh;
        let blocked = reset_exchange | fresh | held;
        let exchange_clear = clear | held;
        nulls = In { clear: exchange_clear, request: verdict.null_out.data, good: verdict.good };
        nulls = In { bad: verdict.bad, null_ltp: verdict.null_ltp, alone: toss.alone };
        nulls.second_half = toss.second_half;
        toss = In { clear: exchange_clear, fresh: clear | fresh_held, open: !retry, blocked };
        toss = In { good: verdict.good, bad: verdict.bad, null_ltp: verdict.null_ltp };
        toss = In { marker: nulls.is_marker, second: nulls.second, retrain: nulls.retrain };
        toss = In { marker_first: nulls.marker_first, marker_write: nulls.marker_write, state };
        requests = In { clear: exchange_clear, activate, ltp_time, toss_ltps, retry_limit, bad_run };
        requests = In { good: verdict.good, bad: verdict.bad, asks: toss.asks };
        requests = In { bad_in_toss: toss.bad_in_toss, delivers: toss.delivers, tossing: toss.tossing };
        requests.next_rx = toss.next_rx;
        link(retry_req, requests.retry_req);
        link(peer_request, nulls.peer_request);
        link(round_trip, nulls.round_trip);
        link(init, nulls.init);
        iso.valid = toss.iso_valid;
        iso.data = bit_cast::<4, 2>(toss.iso_state) | (bit_cast::<4, 2>(toss.iso_action) << 2);
        next_rx = toss.next_rx;
        tossing = toss.tossing & requests.active;
        Out { tossed: rx_tossed, duplicate: rx_dup, gap: rx_gap, unexpected: unexp_mrkr } = toss;
        Out { double_bad, framing_lost, request_limit } = requests;
        Out { peer_active, illegal_null } = nulls;

        delivery.beat = In { data: framing.beat.data, valid: framing.beat.valid };
        delivery = In { beat_place: framing.beat_place, beat_bank: framing.beat_bank };
        for i in 0..WIDE {
            if mode[1] {
                delivery.beat = In { data: wide[i].beat.data, valid: wide[i].beat.valid };
                delivery = In { beat_place: wide[i].beat_place, beat_bank: wide[i].beat_bank };
            }
        }
        delivery = In { carried: codec.carried, illegal: codec.illegal, special: codec.special };
        delivery = In { time_flits: codec.time_flits, start: accepted, bank, late, state };
        link(flits_out, delivery.flits_out);
        link(spc_out, delivery.spc_out);
        Out { out_late: beat_late, out_index: beat_index, out_state: beat_state, illegal_flit } = delivery;
        Out { late_beats, time_stale } = delivery;
    }

    fn timing(&self) -> Vec<TimingInfo> {
        match WIDE {
            0 => block_label("link_ltp_rx", &[("f", F.to_string())]),
            _ => block_label(
                "link_ltp_rx",
                &[("f", F.to_string()), ("modes", CrcModes::All.caps().to_string())],
            ),
        }
    }
}
