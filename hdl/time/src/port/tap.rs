//! The part of a port's time side that every port has: meters, extraction, link delay.

use super::{TimePortConfig, FILL_BITS};
use crate::extract::TimeExtract;
use crate::inject::{REQUEST_BITS, RESPONSE_BITS};
use crate::lag_meter::{LagMeter, RX_CLOCKS};
use crate::link_delay::{
    LinkDelay, COUNT_BITS, DELAY_BITS, EPOCHS_BITS, EPOCH_BITS, LANES_BITS, ROUNDS_LOG2_BITS, TIMEOUT_BITS,
};
use flitforge_hdl_link_types::position::{POSITION_BITS, WORD_COUNT_BITS};
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::{ClearedDelay, Delay};
use flitforge_protocol::link::LinkState;
use flitforge_protocol::time::{PhaseSource, LAG_BITS};
use flitforge_protocol::time_servo::INC_BITS;

/// Meters of both directions, `time_extract` after the clocks of the rx meter, `link_delay`, and the gate at plane X; `BEAT`,
/// `PHY` and `DDMTD` as PHASE_SRC says. See the [module](super).
///
/// - `spc_out` to `low` 10 clocks, to `high` 11: [`RX_CLOCKS`] to plane R, then those of `time_extract`. Exact.
/// - `beats` go to `time_in` without a register, in clocks in which the tx lag is that of the beat which X takes, or in which the
///   link discards what it takes.
/// - INC_F of `link_delay` is `inc_f`, 1 clock later, and holds still while a round is out or an answer is due.
#[block(new)]
pub struct TimeTap<
    const F: usize,
    const FLITS_W: usize,
    const BEAT: usize,
    const PHY: usize,
    const DDMTD: usize = 0,
> {
    /// Core clock.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// Word clock sent with: BEAT, DDMTD.
    tx_clock: In<Clock>,
    /// Word clock received with: BEAT, DDMTD.
    rx_clock: In<Clock>,
    /// Helper clock of both meters: there with DDMTD.
    helper_clock: [In<Clock>; DDMTD],
    /// Fraction of a word sent, 1/256: PHY.
    pub tx_phase: FlowIn<Bits<8>>,
    /// Fraction of a word received, 1/256: PHY.
    pub rx_phase: FlowIn<Bits<8>>,
    /// Words in the PHY's FIFO of the first lane, sender.
    tx_fill: In<Bits<FILL_BITS>>,
    /// Words in the PHY's FIFO of the first lane, receiver.
    rx_fill: In<Bits<FILL_BITS>>,
    /// State of the link, as STATUS has it.
    state: In<Bits<3>>,
    /// CRC mode sent in.
    tx_mode: In<Bits<2>>,
    /// Lanes sent on.
    tx_lanes: In<Bits<4>>,
    /// Lanes received on.
    rx_lanes: In<Bits<4>>,
    /// L - 1 sent on.
    tx_last_lane: In<Bits<2>>,
    /// No beat goes to the lanes.
    tx_idle: In<Bit>,
    /// Position of the beat that X takes in this clock.
    tx_position: In<Bits<POSITION_BITS>>,
    /// Words sent.
    tx_words: In<Bits<WORD_COUNT_BITS>>,
    /// Position of the beat on `spc_out`.
    rx_position: In<Bits<POSITION_BITS>>,
    /// Words received.
    rx_words: In<Bits<WORD_COUNT_BITS>>,
    /// Special flits received.
    pub spc_out: FlowIn<Bits<FLITS_W>>,
    /// `tx_open` of the link.
    tx_open: In<Bit>,
    /// Beats of time flits for the link, made with `tx_lag`.
    pub beats: StreamIn<Bits<FLITS_W>>,
    /// The same, for `time_in` of the link.
    pub time_in: StreamOut<Bits<FLITS_W>>,
    /// UP_EN; at an endpoint SLAVE_EN.
    up_en: In<Bits<4>>,
    /// ADVANCE.
    advance: In<Bit>,
    /// HOLD_ON_EPOCH.
    hold_on_epoch: In<Bit>,
    /// RX_CORR, signed, 1/16 ns.
    rx_corr: In<Bits<32>>,
    /// A run of the link delay begins.
    ldm_start: In<Bit>,
    /// AUTO.
    ldm_auto: In<Bit>,
    /// ADJ_EN of an upstream port.
    ldm_adjust: In<Bit>,
    /// K.
    ldm_rounds: In<Bits<ROUNDS_LOG2_BITS>>,
    /// LDM_TIMEOUT less 1, clocks.
    ldm_timeout: In<Bits<TIMEOUT_BITS>>,
    /// ASYM, signed, 1/256 ns.
    asymmetry: In<Bits<DELAY_BITS>>,
    /// LDM_ACK, 1/256 ns.
    acknowledged: In<Bits<DELAY_BITS>>,
    /// Register EPOCH is written.
    pub epoch_write: FlowIn<Bits<EPOCHS_BITS>>,
    /// SyncTime of the device is locked.
    locked: In<Bit>,
    /// INC_F, 2^-32 ns per clock; may move at any time.
    inc_f: In<Bits<INC_BITS>>,
    /// Payload of a MasterTimeLow, corrected.
    pub low: FlowOut<Bits<48>>,
    /// Payload of a MasterTimeHigh.
    pub high: FlowOut<Bits<48>>,
    /// Tag of a DelayReq.
    pub request: StreamOut<Bits<REQUEST_BITS>>,
    /// Payload of a DelayResp.
    pub response: StreamOut<Bits<RESPONSE_BITS>>,
    /// tx lag of a beat taken three clocks later, signed, 1/256 ns.
    tx_lag: Out<Bits<LAG_BITS>>,
    /// rx lag at plane R, signed, 1/256 ns.
    rx_lag: Out<Bits<LAG_BITS>>,
    /// Both meters are valid.
    phase_ok: Out<Bit>,
    /// The phase of both is static.
    fixed: Out<Bit>,
    /// Lows and Highs are to be removed: the link is to be measured first, or the tx lag is not known.
    hold: Out<Bit>,
    /// The last run of the link delay has a result.
    done: Out<Bit>,
    /// It had too many void rounds.
    failed: Out<Bit>,
    /// Rounds of the result.
    rounds: Out<Bits<COUNT_BITS>>,
    /// Mean delay to the peer, signed, 1/256 ns.
    mean: Out<Bits<DELAY_BITS>>,
    /// Smallest.
    min: Out<Bits<DELAY_BITS>>,
    /// Largest.
    max: Out<Bits<DELAY_BITS>>,
    /// LINK_EPOCH.
    link_epoch: Out<Bits<EPOCH_BITS>>,
    /// MEASURED_EPOCH.
    measured_epoch: Out<Bits<EPOCH_BITS>>,
    /// New RX_CORR (ADJ_EN), signed, 1/16 ns.
    pub rx_corr_new: FlowOut<Bits<DELAY_BITS>>,
    /// Event: the link changed.
    changed: Out<Bit>,
    /// Event: a run of the link delay has ended.
    finished: Out<Bit>,
    /// Event: LDM_RETRY.
    retry: Out<Bit>,
    /// Event: LAG_SAT, tx and rx.
    saturated: Out<Bits<2>>,
    /// Event by slot: EXTRACTED.
    extracted: Out<Bits<F>>,
    /// Event by slot: NOT_UPSTREAM.
    not_upstream: Out<Bits<F>>,
    /// Event by slot: PHASE_INVALID.
    phase_invalid: Out<Bits<F>>,
    /// Event by slot: UNKNOWN_SUB.
    unknown: Out<Bits<F>>,

    #[wire(clock, clear)]
    tx_meter: LagMeter<1, BEAT, PHY, DDMTD>,
    #[wire(clock, clear)]
    rx_meter: LagMeter<0, BEAT, PHY, DDMTD>,
    #[wire(clock)]
    special: Delay<Bits<FLITS_W>>,
    at_r: Reg<Bits<FLITS_W>>,
    #[wire(clock, clear)]
    special_valid: ClearedDelay<Bit>,
    #[wire(clock, clear)]
    extract: TimeExtract<F, FLITS_W>,
    #[wire(clock, clear)]
    delay: LinkDelay,
    run: Reg<Bit>,
    frequency: Reg<Bits<INC_BITS>>,
    no_source: Constant<Bit>,
    active: Constant<Bits<3>>,
    degraded: Constant<Bits<3>>,
}

#[logic]
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
            tx_meter: LagMeter::new(&config.meter(false))?,
            rx_meter: LagMeter::new(&config.meter(true))?,
            special: if config.block_ram { Delay::in_block_ram(waits)? } else { Delay::new(waits)? },
            special_valid: ClearedDelay::new(RX_CLOCKS)?,
            extract: if config.block_ram { TimeExtract::in_block_ram()? } else { TimeExtract::new()? },
            no_source: Constant::new(config.phase_source == PhaseSource::None),
            active: code(LinkState::Active),
            degraded: code(LinkState::Degraded),
            ..
        })
    }

    fn update(&mut self) {
        let is_up = (state == active) | (state == degraded);
        run = is_up;

        // The line.
        tx_meter = In { word_clock: tx_clock, phase: tx_phase.data, phase_valid: tx_phase.valid, run };
        tx_meter = In { words: tx_words, fill: tx_fill, position: tx_position, wide: tx_mode[1] };
        tx_meter = In { last_lane: tx_last_lane, stopped: tx_idle };
        rx_meter.word_clock = rx_clock;
        for i in 0..DDMTD {
            tx_meter.helper_clock[i] = helper_clock[i];
            rx_meter.helper_clock[i] = helper_clock[i];
        }
        rx_meter = In { phase: rx_phase.data, phase_valid: rx_phase.valid, run, words: rx_words };
        rx_meter = In { fill: rx_fill, position: rx_position, wide: false, last_lane: 0, stopped: false };
        let tx_ok = tx_meter.phase_ok | no_source;
        let rx_ok = rx_meter.phase_ok | no_source;
        tx_lag = tx_meter.lag;
        saturated =
            bit_cast::<2, 1>(tx_meter.saturated.into()) | (bit_cast::<2, 1>(rx_meter.saturated.into()) << 1);
        rx_lag = rx_meter.lag;
        phase_ok = tx_ok & rx_ok;
        fixed = tx_meter.fixed & rx_meter.fixed;

        // Plane R stands where the rx lag does.
        special.d = spc_out.data;
        special_valid.d = spc_out.valid;
        at_r = special.q;
        extract.spc_out = In { data: at_r, valid: special_valid.q };
        extract = In { lag: rx_meter.lag, phase_ok: rx_ok, up_en, rx_corr };
        link(low, extract.low);
        link(high, extract.high);
        Out { extracted, not_upstream, phase_invalid, unknown } = extract;

        // The link's delay.
        delay.marker = In { valid: extract.marker.valid, data: extract.marker.data };
        delay = In { rx_lag: rx_meter.lag, tx_lag: tx_meter.lag, phase_ok: tx_ok & rx_ok, locked };
        if !delay.busy {
            frequency = inc_f;
        }
        delay = In { inc_f: frequency, start: ldm_start, auto_run: ldm_auto, adjust: ldm_adjust };
        delay = In { rounds_log2: ldm_rounds, timeout: ldm_timeout, asymmetry, acknowledged, active: is_up };
        delay.lanes = bit_cast::<LANES_BITS, 4>(tx_lanes) | (bit_cast::<LANES_BITS, 4>(rx_lanes) << 4);
        delay.hold_on_epoch = hold_on_epoch;
        link(epoch_write, delay.epoch_write);
        link(request, delay.request);
        link(response, delay.response);
        link(rx_corr_new, delay.rx_corr);
        hold = delay.hold | !tx_ok;
        Out { done, failed, rounds, mean, min, max, link_epoch, measured_epoch, changed, finished } = delay;
        retry = delay.retry;

        // Plane X: nothing goes whose lag is not that of its beat, unless the link discards it.
        let passes = tx_meter.exact | (!tx_open & !advance);
        time_in = In { valid: beats.valid & passes, data: beats.data };
        beats.ready = time_in.ready & passes;
    }

    fn timing(&self) -> Vec<TimingInfo> {
        let source = super::source_label(BEAT, PHY, DDMTD);
        block_label("time_tap", &[("f", F.to_string()), ("source", source.into())])
    }
}
