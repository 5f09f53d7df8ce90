//! `link_ltp_rx`: LTPs in, beats out, and the receive side of retry (chapter 10, 4.3 and 3.5).
//!
//! Every wire beat is cut into a data beat and written, with the kinds of its flits, into one of two LTP
//! buffers in LUT RAM; nothing of an LTP leaves before its CRC is known. An LTP is bad if its CRC does not end
//! at 0 or a beat of it carries `code_err`. Of a good one, flit 0 tells whether it is a Null LTP (`null_out`)
//! or a reliable one; a reliable one is delivered if the toss rule says so.
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
//! - Latency: 11 clocks at F = 2 (16/F + 3; in modes 2 and 3 16/F + 4) from the edge that takes wire beat 0 to the edge behind which data
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
use crate::config::ConfigError;
use crate::prim::stream::{FlowIn, FlowOut, StreamOut};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
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
#[derive(LogicBlock)]
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
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// LTP mode; bit 0 of modes 0 and 1 is sampled with beat 0. If they are not built, 2 and 3 count as 0.
    pub mode: Signal<In, Bits<2>>,
    /// Active lanes of this direction minus one; gives `beat_state`. Mode 3 on fewer than three lanes is taken for mode 2.
    pub lanes: Signal<In, Bits<2>>,
    /// This wire beat, or the next one, is beat 0 of LTP 0.
    pub frame_start: Signal<In, Bit>,
    /// Wire beats; modes 0 and 1 use the low 66F bits, modes 2 and 3 all 68F.
    pub wire_in: FlowIn<Bits<WIRE_W>>,
    /// With `wire_in`: a word of this beat had a code or disparity error.
    pub code_err: Signal<In, Bit>,
    /// The toss rule is on; changes in Down only.
    pub retry: Signal<In, Bit>,
    /// The exchange of retry starts again; NxtRx stays.
    pub reset_exchange: Signal<In, Bit>,
    /// The exchange starts again with NxtRx 0.
    pub fresh: Signal<In, Bit>,
    /// The link is Active: requests are offered.
    pub activate: Signal<In, Bit>,
    /// An LTP time of the own transmit direction has gone by.
    pub ltp_time: Signal<In, Bit>,
    /// LTP times in TOSS before the request is repeated, 1 to 65535.
    pub toss_ltps: Signal<In, Bits<16>>,
    /// Requests for an unchanged NxtRx before `request_limit`, 1 to 255.
    pub retry_limit: Signal<In, Bits<8>>,
    /// Consecutive bad LTPs before `framing_lost`, 1 to 255.
    pub bad_run: Signal<In, Bits<8>>,
    /// Beats with at least one flit that is not Idle, SPC flits taken out.
    pub flits_out: FlowOut<Bits<FLITS_W>>,
    /// Beats with at least one SPC flit, all others Idle; same clock as `flits_out`.
    pub spc_out: FlowOut<Bits<FLITS_W>>,
    /// With `flits_out` and `spc_out`: the beat comes from a replayed LTP.
    pub beat_late: Signal<Out, Bit>,
    /// With `flits_out` and `spc_out`: place of the beat in its LTP.
    pub beat_index: Signal<Out, Bits<4>>,
    /// With `flits_out` and `spc_out`: sequence state of the LTP (chapter 10, 3.6).
    pub beat_state: Signal<Out, Bits<2>>,
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
    pub next_rx: Signal<Out, Bits<16>>,
    /// In Active: state TOSS.
    pub tossing: Signal<Out, Bit>,
    /// Verdict and event: a good LTP, Null or reliable.
    pub rx_good: Signal<Out, Bit>,
    /// Verdict and event: a bad LTP.
    pub rx_bad: Signal<Out, Bit>,
    /// With a verdict: sequence state of the LTP.
    pub ltp_state: Signal<Out, Bits<2>>,
    /// If all modes are built, with a verdict: the CRCs A to D that failed in mode 2, the groups whose CRC failed in mode 3.
    pub failed: [Signal<Out, Bits<4>>; WIDE],
    /// Event: a reliable LTP was accepted.
    pub rx_accepted: Signal<Out, Bit>,
    /// Event: an LTP was tossed in TOSS, good and reliable or bad.
    pub rx_tossed: Signal<Out, Bit>,
    /// Event: a good LTP behind NxtRx was tossed.
    pub rx_dup: Signal<Out, Bit>,
    /// Event and reason to retrain: a good LTP ahead of NxtRx.
    pub rx_gap: Signal<Out, Bit>,
    /// Event: a RetryMrkr in NORMAL.
    pub unexp_mrkr: Signal<Out, Bit>,
    /// Event: two consecutive bad LTPs, a pair may be lost; the transmit side freezes.
    pub double_bad: Signal<Out, Bit>,
    /// Event and reason to retrain: `bad_run` consecutive bad LTPs.
    pub framing_lost: Signal<Out, Bit>,
    /// Event and reason to retrain: a request beyond `retry_limit`.
    pub request_limit: Signal<Out, Bit>,
    /// Event: an LTP that only an Active peer sends.
    pub peer_active: Signal<Out, Bit>,
    /// Event: a good Null LTP of a kind that chapter 10 does not define, which is ignored; or a good LTP behind a
    /// RetryMrkr.0 that is not its .1, which is taken for it.
    pub illegal_null: Signal<Out, Bit>,
    /// Event, one bit per slot, with the beat: an illegal flit of an accepted LTP became Idle.
    pub illegal_flit: Signal<Out, Bits<F>>,
    /// Event, with the beat: a beat of a late LTP that held more than Idles.
    pub late_beats: Signal<Out, Bit>,
    /// Event, one bit per slot, with the beat: a time flit of a late LTP became Idle.
    pub time_stale: Signal<Out, Bits<F>>,

    framing: LtpRxFraming<F, FLITS_W, BEAT_W, WIRE_W, JOINT_W, INDEX_W>,
    wide: [LtpRxWide<F, FLITS_W, WIRE_W, INDEX_W, WINDOW_W>; WIDE],
    codec: FlitCodec<F, FLITS_W>,
    verdict: LtpRxVerdict,
    nulls: LtpRxNulls,
    toss: LtpRxToss,
    requests: LtpRxRequests,
    delivery: LtpRxDelivery<F, FLITS_W, INDEX_W, ADDR_W, FLAGS_W, BLOCK>,
    bits14: DFF<Bit>,
    bank: DFF<Bit>,
    side: DFF<Bits<2>>,
    state: DFF<Bits<2>>,
    late: DFF<Bit>,
    held: DFF<Bit>,
    fresh_held: DFF<Bit>,
    failed_held: [DFF<Bits<4>>; WIDE],
    accepted: Signal<Local, Bit>,
    blocked: Signal<Local, Bit>,
    exchange_clear: Signal<Local, Bit>,
}

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
            clock: Default::default(),
            clear: Default::default(),
            mode: Default::default(),
            lanes: Default::default(),
            frame_start: Default::default(),
            wire_in: Default::default(),
            code_err: Default::default(),
            retry: Default::default(),
            reset_exchange: Default::default(),
            fresh: Default::default(),
            activate: Default::default(),
            ltp_time: Default::default(),
            toss_ltps: Default::default(),
            retry_limit: Default::default(),
            bad_run: Default::default(),
            flits_out: Default::default(),
            spc_out: Default::default(),
            beat_late: Default::default(),
            beat_index: Default::default(),
            beat_state: Default::default(),
            side_out: Default::default(),
            null_out: Default::default(),
            retry_req: Default::default(),
            peer_request: Default::default(),
            round_trip: Default::default(),
            init: Default::default(),
            iso: Default::default(),
            next_rx: Default::default(),
            tossing: Default::default(),
            rx_good: Default::default(),
            rx_bad: Default::default(),
            ltp_state: Default::default(),
            failed: defaults(),
            rx_accepted: Default::default(),
            rx_tossed: Default::default(),
            rx_dup: Default::default(),
            rx_gap: Default::default(),
            unexp_mrkr: Default::default(),
            double_bad: Default::default(),
            framing_lost: Default::default(),
            request_limit: Default::default(),
            peer_active: Default::default(),
            illegal_null: Default::default(),
            illegal_flit: Default::default(),
            late_beats: Default::default(),
            time_stale: Default::default(),
            framing: LtpRxFraming::new()?,
            wide: copies("link_ltp_rx", LtpRxWide::new)?,
            codec: FlitCodec::new()?,
            verdict: Default::default(),
            nulls: Default::default(),
            toss: Default::default(),
            requests: Default::default(),
            delivery: Default::default(),
            bits14: Default::default(),
            bank: Default::default(),
            side: Default::default(),
            state: Default::default(),
            late: Default::default(),
            held: Default::default(),
            fresh_held: Default::default(),
            failed_held: defaults(),
            accepted: Default::default(),
            blocked: Default::default(),
            exchange_clear: Default::default(),
        })
    }
}

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
    > Logic for LtpRx<F, FLITS_W, BEAT_W, WIRE_W, JOINT_W, INDEX_W, ADDR_W, FLAGS_W, WINDOW_W, WIDE, BLOCK>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, bits14, bank, side, state, late, held, fresh_held);
        clock!(self, clock, framing, verdict, nulls, toss, requests, delivery);
        self.framing.clear.next = self.clear.val();
        self.framing.mode.next = self.mode.val();
        self.framing.lanes.next = self.lanes.val();
        self.framing.frame_start.next = self.frame_start.val();
        FlowIn::<Bits<WIRE_W>>::link(&mut self.wire_in, &mut self.framing.wire_in);
        self.framing.code_err.next = self.code_err.val();
        self.codec.beat.next = self.framing.beat.data.val();

        self.verdict.clear.next = self.clear.val();
        self.verdict.first.next = self.framing.beat.valid.val() & !self.framing.beat_place.val().any();
        self.verdict.first_flit.next = self.framing.beat.data.val().get_bits::<FLIT_BITS>(0);
        self.verdict.first_is_null.next = self.codec.link_transfer.val().get_bit(0);
        self.verdict.check.next = self.framing.check.val();
        self.verdict.check_good.next = self.framing.check_good.val();
        if self.framing.check.val() {
            self.bits14.d.next = self.framing.check_bits14.val();
            self.bank.d.next = self.framing.check_bank.val();
            self.side.d.next = self.framing.check_side.val();
            self.state.d.next = self.framing.check_state.val();
            self.late.d.next = self.toss.late.val() & self.retry.val();
        }
        for i in 0..WIDE {
            self.wide[i].clock.next = self.clock.val();
            self.wide[i].clear.next = self.clear.val();
            self.wide[i].per_lane.next = self.mode.val().get_bit(0);
            self.wide[i].lanes.next = self.lanes.val();
            self.wide[i].frame_start.next = self.frame_start.val();
            self.wide[i].wire_in.data.next = self.wire_in.data.val();
            self.wide[i].wire_in.valid.next = self.wire_in.valid.val() & self.mode.val().get_bit(1);
            self.wide[i].code_err.next = self.code_err.val();
            self.failed_held[i].clock.next = self.clock.val();
            self.failed_held[i].d.next = self.wide[i].check_failed.val();
            self.failed[i].next = 0.into();
            if self.mode.val().get_bit(1) {
                self.failed[i].next = self.failed_held[i].q.val();
                self.codec.beat.next = self.wide[i].beat.data.val();
                self.verdict.first.next =
                    self.wide[i].beat.valid.val() & !self.wide[i].beat_place.val().any();
                self.verdict.first_flit.next = self.wide[i].beat.data.val().get_bits::<FLIT_BITS>(0);
                self.verdict.check.next = self.wide[i].check.val();
                self.verdict.check_good.next = self.wide[i].check_good.val();
                self.bits14.d.next = false;
                self.bank.d.next = self.bank.q.val();
                self.state.d.next = self.state.q.val();
                self.late.d.next = self.late.q.val();
                if self.wide[i].check.val() {
                    self.bank.d.next = self.wide[i].check_bank.val();
                    self.state.d.next = self.wide[i].check_state.val();
                    self.late.d.next = self.toss.late.val() & self.retry.val();
                }
            }
        }
        self.accepted.next = self.verdict.reliable.val() & self.toss.accepting.val() & !self.clear.val();
        self.rx_good.next = self.verdict.good.val();
        self.rx_bad.next = self.verdict.bad.val();
        self.rx_accepted.next = self.accepted.val();
        self.ltp_state.next = self.state.q.val();
        self.verdict.unknown.next = self.nulls.is_unknown.val();
        FlowOut::<Bits<NULL_BITS>>::link(&mut self.null_out, &mut self.verdict.null_out);
        self.side_out.data.next = self.side.q.val();
        self.side_out.valid.next = self.accepted.val() & self.bits14.q.val();

        // The exchange of retry.
        self.held.d.next = self.reset_exchange.val() | self.fresh.val() | !self.retry.val();
        self.fresh_held.d.next = self.fresh.val();
        self.blocked.next = self.reset_exchange.val() | self.fresh.val() | self.held.q.val();
        self.exchange_clear.next = self.clear.val() | self.held.q.val();
        self.nulls.clear.next = self.exchange_clear.val();
        self.nulls.request.next = self.verdict.null_out.data.val();
        self.nulls.good.next = self.verdict.good.val();
        self.nulls.bad.next = self.verdict.bad.val();
        self.nulls.null_ltp.next = self.verdict.null_ltp.val();
        self.nulls.alone.next = self.toss.alone.val();
        self.nulls.second_half.next = self.toss.second_half.val();
        self.toss.clear.next = self.exchange_clear.val();
        self.toss.fresh.next = self.clear.val() | self.fresh_held.q.val();
        self.toss.open.next = !self.retry.val();
        self.toss.blocked.next = self.blocked.val();
        self.toss.good.next = self.verdict.good.val();
        self.toss.bad.next = self.verdict.bad.val();
        self.toss.null_ltp.next = self.verdict.null_ltp.val();
        self.toss.marker.next = self.nulls.is_marker.val();
        self.toss.second.next = self.nulls.second.val();
        self.toss.retrain.next = self.nulls.retrain.val();
        self.toss.marker_first.next = self.nulls.marker_first.val();
        self.toss.marker_write.next = self.nulls.marker_write.val();
        self.toss.state.next = self.state.q.val();
        self.requests.clear.next = self.exchange_clear.val();
        self.requests.activate.next = self.activate.val();
        self.requests.ltp_time.next = self.ltp_time.val();
        self.requests.toss_ltps.next = self.toss_ltps.val();
        self.requests.retry_limit.next = self.retry_limit.val();
        self.requests.bad_run.next = self.bad_run.val();
        self.requests.good.next = self.verdict.good.val();
        self.requests.bad.next = self.verdict.bad.val();
        self.requests.asks.next = self.toss.asks.val();
        self.requests.bad_in_toss.next = self.toss.bad_in_toss.val();
        self.requests.delivers.next = self.toss.delivers.val();
        self.requests.tossing.next = self.toss.tossing.val();
        self.requests.next_rx.next = self.toss.next_rx.val();
        StreamOut::<Bits<16>>::link(&mut self.retry_req, &mut self.requests.retry_req);
        FlowOut::<Bits<16>>::link(&mut self.peer_request, &mut self.nulls.peer_request);
        FlowOut::<Bits<9>>::link(&mut self.round_trip, &mut self.nulls.round_trip);
        FlowOut::<Bits<18>>::link(&mut self.init, &mut self.nulls.init);
        self.iso.valid.next = self.toss.iso_valid.val();
        self.iso.data.next =
            bit_cast::<4, 2>(self.toss.iso_state.val()) | (bit_cast::<4, 2>(self.toss.iso_action.val()) << 2);
        self.next_rx.next = self.toss.next_rx.val();
        self.tossing.next = self.toss.tossing.val() & self.requests.active.val();
        self.rx_tossed.next = self.toss.tossed.val();
        self.rx_dup.next = self.toss.duplicate.val();
        self.rx_gap.next = self.toss.gap.val();
        self.unexp_mrkr.next = self.toss.unexpected.val();
        self.double_bad.next = self.requests.double_bad.val();
        self.framing_lost.next = self.requests.framing_lost.val();
        self.request_limit.next = self.requests.request_limit.val();
        self.peer_active.next = self.nulls.peer_active.val();
        self.illegal_null.next = self.nulls.illegal_null.val();

        self.delivery.clear.next = self.clear.val();
        self.delivery.beat.data.next = self.framing.beat.data.val();
        self.delivery.beat.valid.next = self.framing.beat.valid.val();
        self.delivery.beat_place.next = self.framing.beat_place.val();
        self.delivery.beat_bank.next = self.framing.beat_bank.val();
        for i in 0..WIDE {
            if self.mode.val().get_bit(1) {
                self.delivery.beat.data.next = self.wide[i].beat.data.val();
                self.delivery.beat.valid.next = self.wide[i].beat.valid.val();
                self.delivery.beat_place.next = self.wide[i].beat_place.val();
                self.delivery.beat_bank.next = self.wide[i].beat_bank.val();
            }
        }
        self.delivery.carried.next = self.codec.carried.val();
        self.delivery.illegal.next = self.codec.illegal.val();
        self.delivery.special.next = self.codec.special.val();
        self.delivery.time_flits.next = self.codec.time_flits.val();
        self.delivery.start.next = self.accepted.val();
        self.delivery.bank.next = self.bank.q.val();
        self.delivery.late.next = self.late.q.val();
        self.delivery.state.next = self.state.q.val();
        FlowOut::<Bits<FLITS_W>>::link(&mut self.flits_out, &mut self.delivery.flits_out);
        FlowOut::<Bits<FLITS_W>>::link(&mut self.spc_out, &mut self.delivery.spc_out);
        self.beat_late.next = self.delivery.out_late.val();
        self.beat_index.next = self.delivery.out_index.val();
        self.beat_state.next = self.delivery.out_state.val();
        self.illegal_flit.next = self.delivery.illegal_flit.val();
        self.late_beats.next = self.delivery.late_beats.val();
        self.time_stale.next = self.delivery.time_stale.val();
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

drive_ports!(impl[const F: usize, const FLITS_W: usize, const BEAT_W: usize, const WIRE_W: usize, const JOINT_W: usize, const INDEX_W: usize, const ADDR_W: usize, const FLAGS_W: usize, const WINDOW_W: usize, const WIDE: usize, const BLOCK: usize] LtpRx<F, FLITS_W, BEAT_W, WIRE_W, JOINT_W, INDEX_W, ADDR_W, FLAGS_W, WINDOW_W, WIDE, BLOCK> {
    clock, clear, mode, lanes, frame_start, wire_in, code_err, retry, reset_exchange, fresh, activate, ltp_time,
    toss_ltps, retry_limit, bad_run, flits_out, spc_out, beat_late, beat_index, beat_state, side_out, null_out,
    retry_req, peer_request, round_trip, init, iso, next_rx, tossing, rx_good, rx_bad, ltp_state, failed, rx_accepted,
    rx_tossed, rx_dup, rx_gap, unexp_mrkr, double_bad, framing_lost, request_limit, peer_active, illegal_null,
    illegal_flit, late_beats, time_stale,
});
