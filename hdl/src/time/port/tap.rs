//! The part of a port's time side that every port has: meters, extraction, link delay.

use super::{TimePortConfig, FILL_BITS};
use crate::config::{check_derived, ConfigError};
use crate::link::position::{POSITION_BITS, WORD_COUNT_BITS};
use crate::prim::stream::{FlowIn, FlowOut, StreamIn, StreamOut};
use crate::prim::{ClearedDelay, Delay};
use crate::time::extract::TimeExtract;
use crate::time::inject::{REQUEST_BITS, RESPONSE_BITS};
use crate::time::lag_meter::{LagMeter, RX_CLOCKS};
use crate::time::link_delay::{
    LinkDelay, COUNT_BITS, DELAY_BITS, EPOCHS_BITS, EPOCH_BITS, LANES_BITS, ROUNDS_LOG2_BITS, TIMEOUT_BITS,
};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::link::LinkState;
use flitforge_protocol::time::{PhaseSource, LAG_BITS};
use flitforge_protocol::time_servo::INC_BITS;

/// Meters of both directions, `time_extract` behind the clocks of the rx meter, `link_delay`, and the gate at plane X; `BEAT`,
/// `PHY` and `DDMTD` as PHASE_SRC says. See the [module](super).
///
/// - `spc_out` to `low` 10 clocks, to `high` 11: [`RX_CLOCKS`] to plane R, then those of `time_extract`. Exact.
/// - `beats` go to `time_in` without a register, in clocks in which the tx lag is that of the beat which X takes, or in which the
///   link discards what it takes.
/// - INC_F of `link_delay` is `inc_f`, 1 clock behind, and holds still while a round is out or an answer is due.
#[derive(LogicBlock)]
pub struct TimeTap<
    const F: usize,
    const FLITS_W: usize,
    const BEAT: usize,
    const PHY: usize,
    const DDMTD: usize = 0,
> {
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// Word clock sent with: BEAT, DDMTD.
    pub tx_clock: Signal<In, Clock>,
    /// Word clock received with: BEAT, DDMTD.
    pub rx_clock: Signal<In, Clock>,
    /// Helper clock of both meters: there with DDMTD.
    pub helper_clock: [Signal<In, Clock>; DDMTD],
    /// Fraction of a word sent, 1/256: PHY.
    pub tx_phase: FlowIn<Bits<8>>,
    /// Fraction of a word received, 1/256: PHY.
    pub rx_phase: FlowIn<Bits<8>>,
    /// Words in the PHY's FIFO of the first lane, sender.
    pub tx_fill: Signal<In, Bits<FILL_BITS>>,
    /// Words in the PHY's FIFO of the first lane, receiver.
    pub rx_fill: Signal<In, Bits<FILL_BITS>>,
    /// State of the link, as STATUS has it.
    pub state: Signal<In, Bits<3>>,
    /// CRC mode sent in.
    pub tx_mode: Signal<In, Bits<2>>,
    /// Lanes sent on.
    pub tx_lanes: Signal<In, Bits<4>>,
    /// Lanes received on.
    pub rx_lanes: Signal<In, Bits<4>>,
    /// L - 1 sent on.
    pub tx_last_lane: Signal<In, Bits<2>>,
    /// No beat goes to the lanes.
    pub tx_idle: Signal<In, Bit>,
    /// Position of the beat that X takes in this clock.
    pub tx_position: Signal<In, Bits<POSITION_BITS>>,
    /// Words sent.
    pub tx_words: Signal<In, Bits<WORD_COUNT_BITS>>,
    /// Position of the beat on `spc_out`.
    pub rx_position: Signal<In, Bits<POSITION_BITS>>,
    /// Words received.
    pub rx_words: Signal<In, Bits<WORD_COUNT_BITS>>,
    /// Special flits received.
    pub spc_out: FlowIn<Bits<FLITS_W>>,
    /// `tx_open` of the link.
    pub tx_open: Signal<In, Bit>,
    /// Beats of time flits for the link, made with `tx_lag`.
    pub beats: StreamIn<Bits<FLITS_W>>,
    /// The same, for `time_in` of the link.
    pub time_in: StreamOut<Bits<FLITS_W>>,
    /// UP_EN; at an endpoint SLAVE_EN.
    pub up_en: Signal<In, Bits<4>>,
    /// ADVANCE.
    pub advance: Signal<In, Bit>,
    /// HOLD_ON_EPOCH.
    pub hold_on_epoch: Signal<In, Bit>,
    /// RX_CORR, signed, 1/16 ns.
    pub rx_corr: Signal<In, Bits<32>>,
    /// A run of the link delay begins.
    pub ldm_start: Signal<In, Bit>,
    /// AUTO.
    pub ldm_auto: Signal<In, Bit>,
    /// ADJ_EN of an upstream port.
    pub ldm_adjust: Signal<In, Bit>,
    /// K.
    pub ldm_rounds: Signal<In, Bits<ROUNDS_LOG2_BITS>>,
    /// LDM_TIMEOUT less 1, clocks.
    pub ldm_timeout: Signal<In, Bits<TIMEOUT_BITS>>,
    /// ASYM, signed, 1/256 ns.
    pub asymmetry: Signal<In, Bits<DELAY_BITS>>,
    /// LDM_ACK, 1/256 ns.
    pub acknowledged: Signal<In, Bits<DELAY_BITS>>,
    /// Register EPOCH is written.
    pub epoch_write: FlowIn<Bits<EPOCHS_BITS>>,
    /// SyncTime of the device is locked.
    pub locked: Signal<In, Bit>,
    /// INC_F, 2^-32 ns per clock; may move at any time.
    pub inc_f: Signal<In, Bits<INC_BITS>>,
    /// Payload of a MasterTimeLow, corrected.
    pub low: FlowOut<Bits<48>>,
    /// Payload of a MasterTimeHigh.
    pub high: FlowOut<Bits<48>>,
    /// Tag of a DelayReq.
    pub request: StreamOut<Bits<REQUEST_BITS>>,
    /// Payload of a DelayResp.
    pub response: StreamOut<Bits<RESPONSE_BITS>>,
    /// tx lag of a beat taken three clocks later, signed, 1/256 ns.
    pub tx_lag: Signal<Out, Bits<LAG_BITS>>,
    /// rx lag at plane R, signed, 1/256 ns.
    pub rx_lag: Signal<Out, Bits<LAG_BITS>>,
    /// Both meters are valid.
    pub phase_ok: Signal<Out, Bit>,
    /// The phase of both is static.
    pub fixed: Signal<Out, Bit>,
    /// Lows and Highs are to be removed: the link is to be measured first, or the tx lag is not known.
    pub hold: Signal<Out, Bit>,
    /// The last run of the link delay has a result.
    pub done: Signal<Out, Bit>,
    /// It had too many void rounds.
    pub failed: Signal<Out, Bit>,
    /// Rounds of the result.
    pub rounds: Signal<Out, Bits<COUNT_BITS>>,
    /// Mean delay to the peer, signed, 1/256 ns.
    pub mean: Signal<Out, Bits<DELAY_BITS>>,
    /// Smallest.
    pub min: Signal<Out, Bits<DELAY_BITS>>,
    /// Largest.
    pub max: Signal<Out, Bits<DELAY_BITS>>,
    /// LINK_EPOCH.
    pub link_epoch: Signal<Out, Bits<EPOCH_BITS>>,
    /// MEASURED_EPOCH.
    pub measured_epoch: Signal<Out, Bits<EPOCH_BITS>>,
    /// New RX_CORR (ADJ_EN), signed, 1/16 ns.
    pub rx_corr_new: FlowOut<Bits<DELAY_BITS>>,
    /// Event: the link changed.
    pub changed: Signal<Out, Bit>,
    /// Event: a run of the link delay has ended.
    pub finished: Signal<Out, Bit>,
    /// Event: LDM_RETRY.
    pub retry: Signal<Out, Bit>,
    /// Event: LAG_SAT, tx and rx.
    pub saturated: Signal<Out, Bits<2>>,
    /// Event by slot: EXTRACTED.
    pub extracted: Signal<Out, Bits<F>>,
    /// Event by slot: NOT_UPSTREAM.
    pub not_upstream: Signal<Out, Bits<F>>,
    /// Event by slot: PHASE_INVALID.
    pub phase_invalid: Signal<Out, Bits<F>>,
    /// Event by slot: UNKNOWN_SUB.
    pub unknown: Signal<Out, Bits<F>>,

    tx_meter: LagMeter<1, BEAT, PHY, DDMTD>,
    rx_meter: LagMeter<0, BEAT, PHY, DDMTD>,
    special: Delay<Bits<FLITS_W>>,
    at_r: DFF<Bits<FLITS_W>>,
    special_valid: ClearedDelay<Bit>,
    extract: TimeExtract<F, FLITS_W>,
    delay: LinkDelay,
    run: DFF<Bit>,
    frequency: DFF<Bits<INC_BITS>>,
    is_up: Signal<Local, Bit>,
    tx_ok: Signal<Local, Bit>,
    rx_ok: Signal<Local, Bit>,
    passes: Signal<Local, Bit>,
    no_source: Constant<Bit>,
    active: Constant<Bits<3>>,
    degraded: Constant<Bits<3>>,
}

impl<const F: usize, const FLITS_W: usize, const BEAT: usize, const PHY: usize, const DDMTD: usize>
    TimeTap<F, FLITS_W, BEAT, PHY, DDMTD>
{
    /// For a port of `F` flits per beat, or the reason why not.
    pub fn new(config: &TimePortConfig) -> Result<Self, ConfigError> {
        config.check()?;
        check_derived("time_port", "F", F as u64, "f", config.flits as u64)?;
        let waits = RX_CLOCKS - 1;
        let code = |state: LinkState| Constant::new(u64::from(state.code()).into());
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            tx_clock: Default::default(),
            rx_clock: Default::default(),
            helper_clock: defaults(),
            tx_phase: Default::default(),
            rx_phase: Default::default(),
            tx_fill: Default::default(),
            rx_fill: Default::default(),
            state: Default::default(),
            tx_mode: Default::default(),
            tx_lanes: Default::default(),
            rx_lanes: Default::default(),
            tx_last_lane: Default::default(),
            tx_idle: Default::default(),
            tx_position: Default::default(),
            tx_words: Default::default(),
            rx_position: Default::default(),
            rx_words: Default::default(),
            spc_out: Default::default(),
            tx_open: Default::default(),
            beats: Default::default(),
            time_in: Default::default(),
            up_en: Default::default(),
            advance: Default::default(),
            hold_on_epoch: Default::default(),
            rx_corr: Default::default(),
            ldm_start: Default::default(),
            ldm_auto: Default::default(),
            ldm_adjust: Default::default(),
            ldm_rounds: Default::default(),
            ldm_timeout: Default::default(),
            asymmetry: Default::default(),
            acknowledged: Default::default(),
            epoch_write: Default::default(),
            locked: Default::default(),
            inc_f: Default::default(),
            low: Default::default(),
            high: Default::default(),
            request: Default::default(),
            response: Default::default(),
            tx_lag: Default::default(),
            rx_lag: Default::default(),
            phase_ok: Default::default(),
            fixed: Default::default(),
            hold: Default::default(),
            done: Default::default(),
            failed: Default::default(),
            rounds: Default::default(),
            mean: Default::default(),
            min: Default::default(),
            max: Default::default(),
            link_epoch: Default::default(),
            measured_epoch: Default::default(),
            rx_corr_new: Default::default(),
            changed: Default::default(),
            finished: Default::default(),
            retry: Default::default(),
            saturated: Default::default(),
            extracted: Default::default(),
            not_upstream: Default::default(),
            phase_invalid: Default::default(),
            unknown: Default::default(),
            tx_meter: LagMeter::new(&config.meter(false))?,
            rx_meter: LagMeter::new(&config.meter(true))?,
            special: if config.block_ram { Delay::in_block_ram(waits)? } else { Delay::new(waits)? },
            at_r: Default::default(),
            special_valid: ClearedDelay::new(RX_CLOCKS)?,
            extract: if config.block_ram { TimeExtract::in_block_ram()? } else { TimeExtract::new()? },
            delay: Default::default(),
            run: Default::default(),
            frequency: Default::default(),
            is_up: Default::default(),
            tx_ok: Default::default(),
            rx_ok: Default::default(),
            passes: Default::default(),
            no_source: Constant::new(config.phase_source == PhaseSource::None),
            active: code(LinkState::Active),
            degraded: code(LinkState::Degraded),
        })
    }
}

impl<const F: usize, const FLITS_W: usize, const BEAT: usize, const PHY: usize, const DDMTD: usize> Logic
    for TimeTap<F, FLITS_W, BEAT, PHY, DDMTD>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, run, frequency, at_r);
        clock!(self, clock, tx_meter, rx_meter, special, special_valid, extract, delay);
        self.tx_meter.clear.next = self.clear.val();
        self.rx_meter.clear.next = self.clear.val();
        self.special_valid.clear.next = self.clear.val();
        self.extract.clear.next = self.clear.val();
        self.delay.clear.next = self.clear.val();
        self.is_up.next = (self.state.val() == self.active.val()) | (self.state.val() == self.degraded.val());
        self.run.d.next = self.is_up.val();

        // The line.
        self.tx_meter.word_clock.next = self.tx_clock.val();
        self.tx_meter.phase.next = self.tx_phase.data.val();
        self.tx_meter.phase_valid.next = self.tx_phase.valid.val();
        self.tx_meter.run.next = self.run.q.val();
        self.tx_meter.words.next = self.tx_words.val();
        self.tx_meter.fill.next = self.tx_fill.val();
        self.tx_meter.position.next = self.tx_position.val();
        self.tx_meter.wide.next = self.tx_mode.val().get_bit(1);
        self.tx_meter.last_lane.next = self.tx_last_lane.val();
        self.tx_meter.stopped.next = self.tx_idle.val();
        self.rx_meter.word_clock.next = self.rx_clock.val();
        for i in 0..DDMTD {
            self.tx_meter.helper_clock[i].next = self.helper_clock[i].val();
            self.rx_meter.helper_clock[i].next = self.helper_clock[i].val();
        }
        self.rx_meter.phase.next = self.rx_phase.data.val();
        self.rx_meter.phase_valid.next = self.rx_phase.valid.val();
        self.rx_meter.run.next = self.run.q.val();
        self.rx_meter.words.next = self.rx_words.val();
        self.rx_meter.fill.next = self.rx_fill.val();
        self.rx_meter.position.next = self.rx_position.val();
        self.rx_meter.wide.next = false;
        self.rx_meter.last_lane.next = 0.into();
        self.rx_meter.stopped.next = false;
        self.tx_ok.next = self.tx_meter.phase_ok.val() | self.no_source.val();
        self.rx_ok.next = self.rx_meter.phase_ok.val() | self.no_source.val();
        self.tx_lag.next = self.tx_meter.lag.val();
        self.saturated.next = bit_cast::<2, 1>(self.tx_meter.saturated.val().into())
            | (bit_cast::<2, 1>(self.rx_meter.saturated.val().into()) << 1);
        self.rx_lag.next = self.rx_meter.lag.val();
        self.phase_ok.next = self.tx_ok.val() & self.rx_ok.val();
        self.fixed.next = self.tx_meter.fixed.val() & self.rx_meter.fixed.val();

        // Plane R stands where the rx lag does.
        self.special.d.next = self.spc_out.data.val();
        self.special_valid.d.next = self.spc_out.valid.val();
        self.at_r.d.next = self.special.q.val();
        self.extract.spc_out.data.next = self.at_r.q.val();
        self.extract.spc_out.valid.next = self.special_valid.q.val();
        self.extract.lag.next = self.rx_meter.lag.val();
        self.extract.phase_ok.next = self.rx_ok.val();
        self.extract.up_en.next = self.up_en.val();
        self.extract.rx_corr.next = self.rx_corr.val();
        FlowOut::<Bits<48>>::link(&mut self.low, &mut self.extract.low);
        FlowOut::<Bits<48>>::link(&mut self.high, &mut self.extract.high);
        self.extracted.next = self.extract.extracted.val();
        self.not_upstream.next = self.extract.not_upstream.val();
        self.phase_invalid.next = self.extract.phase_invalid.val();
        self.unknown.next = self.extract.unknown.val();

        // The link's delay.
        self.delay.marker.valid.next = self.extract.marker.valid.val();
        self.delay.marker.data.next = self.extract.marker.data.val();
        self.delay.rx_lag.next = self.rx_meter.lag.val();
        self.delay.tx_lag.next = self.tx_meter.lag.val();
        self.delay.phase_ok.next = self.tx_ok.val() & self.rx_ok.val();
        self.delay.locked.next = self.locked.val();
        if !self.delay.busy.val() {
            self.frequency.d.next = self.inc_f.val();
        }
        self.delay.inc_f.next = self.frequency.q.val();
        self.delay.start.next = self.ldm_start.val();
        self.delay.auto_run.next = self.ldm_auto.val();
        self.delay.adjust.next = self.ldm_adjust.val();
        self.delay.rounds_log2.next = self.ldm_rounds.val();
        self.delay.timeout.next = self.ldm_timeout.val();
        self.delay.asymmetry.next = self.asymmetry.val();
        self.delay.acknowledged.next = self.acknowledged.val();
        self.delay.active.next = self.is_up.val();
        self.delay.lanes.next = bit_cast::<LANES_BITS, 4>(self.tx_lanes.val())
            | (bit_cast::<LANES_BITS, 4>(self.rx_lanes.val()) << 4);
        self.delay.hold_on_epoch.next = self.hold_on_epoch.val();
        FlowIn::<Bits<EPOCHS_BITS>>::link(&mut self.epoch_write, &mut self.delay.epoch_write);
        StreamOut::<Bits<REQUEST_BITS>>::link(&mut self.request, &mut self.delay.request);
        StreamOut::<Bits<RESPONSE_BITS>>::link(&mut self.response, &mut self.delay.response);
        FlowOut::<Bits<DELAY_BITS>>::link(&mut self.rx_corr_new, &mut self.delay.rx_corr);
        self.hold.next = self.delay.hold.val() | !self.tx_ok.val();
        self.done.next = self.delay.done.val();
        self.failed.next = self.delay.failed.val();
        self.rounds.next = self.delay.rounds.val();
        self.mean.next = self.delay.mean.val();
        self.min.next = self.delay.min.val();
        self.max.next = self.delay.max.val();
        self.link_epoch.next = self.delay.link_epoch.val();
        self.measured_epoch.next = self.delay.measured_epoch.val();
        self.changed.next = self.delay.changed.val();
        self.finished.next = self.delay.finished.val();
        self.retry.next = self.delay.retry.val();

        // Plane X: nothing goes whose lag is not that of its beat, unless the link discards it.
        self.passes.next = self.tx_meter.exact.val() | (!self.tx_open.val() & !self.advance.val());
        self.time_in.valid.next = self.beats.valid.val() & self.passes.val();
        self.time_in.data.next = self.beats.data.val();
        self.beats.ready.next = self.time_in.ready.val() & self.passes.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        let source = super::source_label(BEAT, PHY, DDMTD);
        block_label("time_tap", &[("f", F.to_string()), ("source", source.into())])
    }
}

drive_ports!(impl[const F: usize, const FLITS_W: usize, const BEAT: usize, const PHY: usize, const DDMTD: usize] TimeTap<F, FLITS_W, BEAT, PHY, DDMTD> {
    clock, clear, tx_clock, rx_clock, helper_clock, tx_phase, rx_phase, tx_fill, rx_fill, state, tx_mode, tx_lanes, rx_lanes, tx_last_lane, tx_idle,
    tx_position, tx_words, rx_position, rx_words, spc_out, tx_open, beats, time_in, up_en, advance, hold_on_epoch, rx_corr,
    ldm_start, ldm_auto, ldm_adjust, ldm_rounds, ldm_timeout, asymmetry, acknowledged, epoch_write, locked, inc_f, low, high, request,
    response, tx_lag, rx_lag, phase_ok, fixed, hold, done, failed, rounds, mean, min, max, link_epoch, measured_epoch, rx_corr_new, changed,
    finished, retry, saturated, extracted, not_upstream, phase_invalid, unknown,
});
