//! `link_ltp_rx`: LTPs in, beats out (chapter 10, 4.3 without the retry protocol, modes 0 and 1 of 3.5).
//!
//! Every wire beat is cut into a data beat and written, with the kinds of its flits, into one of two LTP
//! buffers in LUT RAM; nothing of an LTP leaves before its CRC is known. An LTP is bad if its CRC does not end
//! at 0 or a beat of it carries `code_err`. Of a good one, flit 0 tells whether it is a Null LTP (`null_out`)
//! or a reliable one; a reliable one is delivered if `accept` says so in the clock of its verdict.
//!
//! Delivery: illegal flits become Idle; SPC flits go to `spc_out` and are Idle on `flits_out`; time flits of a
//! `late` LTP become Idle on `spc_out` too; a beat left with Idles alone is not given (`valid` low), one with
//! ForceIdle is.
//!
//! `accept` and `late` are the place of the toss rule: the verdict (`rx_good`, `rx_bad`, `rx_reliable`,
//! `ltp_state`, `null_out`) is registered, and `accept` and `late` answer it in the same clock. Without a retry
//! protocol `accept` is 1 and `late` 0.
//!
//! Framing: the wire beat of the clock with `frame_start`, or the next one if there is none in that clock, is
//! beat 0 of LTP 0. Before the first `frame_start` wire beats are ignored; an LTP cut short by `frame_start`
//! vanishes without verdict.
//!
//! - Latency: 11 clocks at F = 2 (16/F + 3) from the edge that takes wire beat 0 to the edge behind which data
//!   beat 0 stands on `flits_out` (plane R), if wire beats come without gaps; the verdict stands one clock
//!   before plane R.
//! - Throughput: one beat per clock. Delivery of an LTP has no gaps but its dropped all-Idle beats.
//! - `clear`: what is in the buffers is lost; `frame_start` is needed again. It takes one clock.

mod config;
mod delivery;
mod framing;
#[cfg(test)]
mod tests;
mod verdict;

pub use config::{LtpRxConfig, ENTRY};
pub use delivery::LtpRxDelivery;
pub use framing::LtpRxFraming;
pub use verdict::LtpRxVerdict;

use super::flit_codec::FlitCodec;
use super::ltp_tx::NULL_BITS;
use crate::config::ConfigError;
use crate::prim::stream::{FlowIn, FlowOut};
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::flit::FLIT_BITS;
use rust_hdl::prelude::*;

/// One flit per beat.
pub type LtpRx1 = LtpRx<1, 65, 66, 68, 82, 4, 5, 4>;
/// Two flits per beat.
pub type LtpRx2 = LtpRx<2, 130, 132, 136, 148, 3, 4, 8>;
/// Four flits per beat.
pub type LtpRx4 = LtpRx<4, 260, 264, 272, 280, 2, 3, 16>;

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
> {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// LTP mode, 0 or 1 (2 and 3 count as 0); sampled with beat 0.
    pub mode: Signal<In, Bits<2>>,
    /// Active lanes of this direction minus one; gives `beat_state`.
    pub lanes: Signal<In, Bits<2>>,
    /// This wire beat, or the next one, is beat 0 of LTP 0.
    pub frame_start: Signal<In, Bit>,
    /// Wire beats; modes 0 and 1 use the low 66F bits.
    pub wire_in: FlowIn<Bits<WIRE_W>>,
    /// With `wire_in`: a word of this beat had a code or disparity error.
    pub code_err: Signal<In, Bit>,
    /// Answers `rx_reliable` in the same clock: deliver the LTP.
    pub accept: Signal<In, Bit>,
    /// With `accept`: the LTP is a replayed one.
    pub late: Signal<In, Bit>,
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
    /// Good Null LTPs: payload [47:0], opcode [55:48].
    pub null_out: FlowOut<Bits<NULL_BITS>>,
    /// Verdict and event: a good LTP, Null or reliable.
    pub rx_good: Signal<Out, Bit>,
    /// Verdict and event: a bad LTP.
    pub rx_bad: Signal<Out, Bit>,
    /// Verdict: a good reliable LTP; asks for `accept`.
    pub rx_reliable: Signal<Out, Bit>,
    /// With a verdict: sequence state of the LTP.
    pub ltp_state: Signal<Out, Bits<2>>,
    /// Event: a reliable LTP was accepted.
    pub rx_accepted: Signal<Out, Bit>,
    /// Event: a good Null LTP of a kind that chapter 10 does not define; it is ignored.
    pub illegal_null: Signal<Out, Bit>,
    /// Event, one bit per slot, with the beat: an illegal flit of an accepted LTP became Idle.
    pub illegal_flit: Signal<Out, Bits<F>>,
    /// Event, with the beat: a beat of a late LTP that held more than Idles.
    pub late_beats: Signal<Out, Bit>,
    /// Event, one bit per slot, with the beat: a time flit of a late LTP became Idle.
    pub time_stale: Signal<Out, Bits<F>>,

    framing: LtpRxFraming<F, FLITS_W, BEAT_W, WIRE_W, JOINT_W, INDEX_W>,
    codec: FlitCodec<F, FLITS_W>,
    verdict: LtpRxVerdict,
    delivery: LtpRxDelivery<F, FLITS_W, INDEX_W, ADDR_W, FLAGS_W>,
    bits14: DFF<Bit>,
    bank: DFF<Bit>,
    side: DFF<Bits<2>>,
    state: DFF<Bits<2>>,
    accepted: Signal<Local, Bit>,
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
    > LtpRx<F, FLITS_W, BEAT_W, WIRE_W, JOINT_W, INDEX_W, ADDR_W, FLAGS_W>
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
            accept: Default::default(),
            late: Default::default(),
            flits_out: Default::default(),
            spc_out: Default::default(),
            beat_late: Default::default(),
            beat_index: Default::default(),
            beat_state: Default::default(),
            side_out: Default::default(),
            null_out: Default::default(),
            rx_good: Default::default(),
            rx_bad: Default::default(),
            rx_reliable: Default::default(),
            ltp_state: Default::default(),
            rx_accepted: Default::default(),
            illegal_null: Default::default(),
            illegal_flit: Default::default(),
            late_beats: Default::default(),
            time_stale: Default::default(),
            framing: LtpRxFraming::new()?,
            codec: FlitCodec::new()?,
            verdict: Default::default(),
            delivery: Default::default(),
            bits14: Default::default(),
            bank: Default::default(),
            side: Default::default(),
            state: Default::default(),
            accepted: Default::default(),
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
    > Logic for LtpRx<F, FLITS_W, BEAT_W, WIRE_W, JOINT_W, INDEX_W, ADDR_W, FLAGS_W>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, bits14, bank, side, state);
        clock!(self, clock, framing, verdict, delivery);
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
        }
        self.accepted.next = self.verdict.reliable.val() & self.accept.val() & !self.clear.val();
        self.rx_good.next = self.verdict.good.val();
        self.rx_bad.next = self.verdict.bad.val();
        self.rx_reliable.next = self.verdict.reliable.val();
        self.rx_accepted.next = self.accepted.val();
        self.ltp_state.next = self.state.q.val();
        self.illegal_null.next = self.verdict.illegal_null.val();
        FlowOut::<Bits<NULL_BITS>>::link(&mut self.null_out, &mut self.verdict.null_out);
        self.side_out.data.next = self.side.q.val();
        self.side_out.valid.next = self.accepted.val() & self.bits14.q.val();

        self.delivery.clear.next = self.clear.val();
        self.delivery.beat.data.next = self.framing.beat.data.val();
        self.delivery.beat.valid.next = self.framing.beat.valid.val();
        self.delivery.beat_place.next = self.framing.beat_place.val();
        self.delivery.beat_bank.next = self.framing.beat_bank.val();
        self.delivery.carried.next = self.codec.carried.val();
        self.delivery.illegal.next = self.codec.illegal.val();
        self.delivery.special.next = self.codec.special.val();
        self.delivery.time_flits.next = self.codec.time_flits.val();
        self.delivery.start.next = self.accepted.val();
        self.delivery.bank.next = self.bank.q.val();
        self.delivery.late.next = self.late.val();
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
        block_label("link_ltp_rx", &[("f", F.to_string())])
    }
}

drive_ports!(impl[const F: usize, const FLITS_W: usize, const BEAT_W: usize, const WIRE_W: usize, const JOINT_W: usize, const INDEX_W: usize, const ADDR_W: usize, const FLAGS_W: usize] LtpRx<F, FLITS_W, BEAT_W, WIRE_W, JOINT_W, INDEX_W, ADDR_W, FLAGS_W> { clock, clear, mode, lanes, frame_start, wire_in, code_err, accept, late, flits_out, spc_out, beat_late, beat_index, beat_state, side_out, null_out, rx_good, rx_bad, rx_reliable, ltp_state, rx_accepted, illegal_null, illegal_flit, late_beats, time_stale });
