//! The parts of a switch's port, wired.

use super::{TimePortConfig, TimeTap, FILL_BITS};
use crate::inject::{TimeInject, TimeInjectSingle};
use crate::link_delay::{COUNT_BITS, DELAY_BITS, EPOCHS_BITS, EPOCH_BITS, ROUNDS_LOG2_BITS, TIMEOUT_BITS};
use crate::page::{EVENT_BITS, PORT_COUNTERS};
use crate::ring::{CONTROL_BITS, TREES};
use flitforge_hdl_link_types::position::{POSITION_BITS, WORD_COUNT_BITS};
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::time::{LAG_BITS, TX_WAIT_BITS};
use flitforge_protocol::time_ring::Embed;
use flitforge_protocol::time_servo::{INC_BITS, PERIOD_BITS};

/// Time side of a port of `F` flits per beat, `FLITS_W` = 65 F, at rings with `W` bits of data; `BEAT`, `PHY` and `DDMTD` as PHASE_SRC says;
/// `SINGLE` 1 for tree 0 alone, 0 for four trees. See the [module](super).
#[block(new)]
pub struct TimePort<
    const F: usize,
    const FLITS_W: usize,
    const W: usize,
    const BEAT: usize,
    const PHY: usize,
    const SINGLE: usize = 0,
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
    /// Beats of time flits, for `time_in` of the link.
    pub time_in: StreamOut<Bits<FLITS_W>>,
    /// UP_EN.
    up_en: In<Bits<4>>,
    /// EXP_SRC of each tree, six bits.
    sources: In<Bits<24>>,
    /// TX_WAIT_MAX, clocks.
    tx_wait_max: In<Bits<TX_WAIT_BITS>>,
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
    /// INC_F, 2^-32 ns per clock.
    inc_f: In<Bits<INC_BITS>>,
    /// RPER, 6.20 ns.
    rper: In<Bits<PERIOD_BITS>>,
    /// WPER, 6.20 ns.
    wper: In<Bits<PERIOD_BITS>>,
    /// Data of copies, clockwise and counter-clockwise.
    pub copy: [FlowIn<Bits<W>>; 2],
    /// Their control bits.
    copy_control: [In<Bits<CONTROL_BITS>>; 2],
    /// What becomes of `time_in` while `tx_open` is low, for the link.
    time_mode: Out<Bit>,
    /// Payload of a MasterTimeLow, corrected, for both rings.
    pub low: FlowOut<Bits<48>>,
    /// Payload of a MasterTimeHigh.
    pub high: FlowOut<Bits<48>>,
    /// tx lag of a beat taken three clocks later, signed, 1/256 ns.
    tx_lag: Out<Bits<LAG_BITS>>,
    /// rx lag at plane R, signed, 1/256 ns.
    rx_lag: Out<Bits<LAG_BITS>>,
    /// Both meters are valid.
    phase_ok: Out<Bit>,
    /// The phase of both is static.
    fixed: Out<Bit>,
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
    /// Event by ring: RING_PARITY.
    ring_parity: Out<Bits<2>>,
    /// Events of each of the port's counters, in the order of the page: every 1 counts.
    events: [Out<Bits<EVENT_BITS>>; PORT_COUNTERS],

    #[wire(clock, clear)]
    tap: TimeTap<F, FLITS_W, BEAT, PHY, DDMTD>,
    /// One for four trees, none for one.
    inject: Vec<TimeInject<F, FLITS_W, W>>,
    /// One for one tree.
    single: Vec<TimeInjectSingle<FLITS_W, W>>,
    wrong: Local<Bits<2>>,
    went: Local<Bits<2>>,
    late: Local<Bits<4>>,
}

#[logic]
impl<
        const F: usize,
        const FLITS_W: usize,
        const W: usize,
        const BEAT: usize,
        const PHY: usize,
        const SINGLE: usize,
        const DDMTD: usize,
    > TimePort<F, FLITS_W, W, BEAT, PHY, SINGLE, DDMTD>
{
    /// For rings that carry values, or the reason why not.
    pub fn new(config: &TimePortConfig) -> Result<Self, ConfigError> {
        Ok(Self {
            tap: TimeTap::new(config)?,
            inject: (SINGLE..1).map(|_| TimeInject::new(Embed::Value)).collect::<Result<_, _>>()?,
            single: (0..SINGLE).map(|_| TimeInjectSingle::new(Embed::Value)).collect::<Result<_, _>>()?,
            ..
        })
    }

    fn update(&mut self) {
        // The link.
        tap = In { tx_clock, rx_clock };
        for i in 0..DDMTD {
            tap.helper_clock[i] = helper_clock[i];
        }
        link(tx_phase, tap.tx_phase);
        link(rx_phase, tap.rx_phase);
        tap = In { tx_fill, rx_fill, state, tx_mode, tx_lanes, rx_lanes, tx_last_lane, tx_idle, tx_position };
        tap = In { tx_words, rx_position, rx_words, tx_open };
        link(spc_out, tap.spc_out);
        link(time_in, tap.time_in);

        // Registers.
        tap = In { up_en, advance, hold_on_epoch, rx_corr, ldm_start, ldm_auto, ldm_adjust, ldm_rounds };
        tap = In { ldm_timeout, asymmetry, acknowledged, locked, inc_f };
        link(epoch_write, tap.epoch_write);
        Out { tx_lag, rx_lag, phase_ok, fixed, done, failed, rounds, mean, min, max, link_epoch } = tap;
        Out { measured_epoch, changed, finished } = tap;
        link(rx_corr_new, tap.rx_corr_new);
        link(low, tap.low);
        link(high, tap.high);

        // From the rings to plane X.
        for _i in SINGLE..1 {
            inject[0] = In { clock, clear };
            link(copy[0], inject[0].copy[0]);
            link(copy[1], inject[0].copy[1]);
            inject[0].copy_control[0] = copy_control[0];
            inject[0].copy_control[1] = copy_control[1];
            inject[0] = In { sources, rper, wper, lag: tap.tx_lag, advance, hold: tap.hold, tx_wait_max };
            inject[0].tx_open = tx_open;
            time_mode = inject[0].time_mode;
            join(tap.request, inject[0].request);
            join(tap.response, inject[0].response);
            join(inject[0].time_out, tap.beats);
            Out { ring_parity, wrong_source: wrong, injected: went } = inject[0];
            events[7] = inject[0].wait_over;
            events[8] = inject[0].epoch_hold;
            late = inject[0].advanced;
        }
        for _i in 0..SINGLE {
            single[0] = In { clock, clear };
            link(copy[0], single[0].copy[0]);
            link(copy[1], single[0].copy[1]);
            single[0].copy_control[0] = copy_control[0];
            single[0].copy_control[1] = copy_control[1];
            single[0] = In { sources, rper, wper, lag: tap.tx_lag, advance, hold: tap.hold, tx_wait_max };
            single[0].tx_open = tx_open;
            time_mode = single[0].time_mode;
            join(tap.request, single[0].request);
            join(tap.response, single[0].response);
            join(single[0].time_out, tap.beats);
            Out { ring_parity, wrong_source: wrong, injected: went } = single[0];
            events[7] = single[0].wait_over;
            events[8] = single[0].epoch_hold;
            late = single[0].advanced;
        }

        // Events.
        events[0] = bit_cast::<EVENT_BITS, F>(tap.extracted);
        events[1] = bit_cast::<EVENT_BITS, F>(tap.not_upstream);
        events[2] = bit_cast::<EVENT_BITS, F>(tap.phase_invalid);
        events[3] = bit_cast::<EVENT_BITS, 2>(tap.saturated);
        events[4] = bit_cast::<EVENT_BITS, F>(tap.unknown);
        events[9] = bit_cast::<EVENT_BITS, 1>(tap.retry.into());
        events[5] = bit_cast::<EVENT_BITS, 2>(wrong);
        events[6] = bit_cast::<EVENT_BITS, 2>(went);
        events[10] = bit_cast::<EVENT_BITS, 4>(late);
    }

    fn timing(&self) -> Vec<TimingInfo> {
        let source = super::source_label(BEAT, PHY, DDMTD);
        let trees = if SINGLE == 1 { 1 } else { TREES };
        block_label(
            "time_port",
            &[("f", F.to_string()), ("source", source.into()), ("trees", trees.to_string())],
        )
    }
}
