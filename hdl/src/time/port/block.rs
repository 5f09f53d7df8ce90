//! The parts of a switch's port, wired.

use super::{TimePortConfig, TimeTap, FILL_BITS};
use crate::config::ConfigError;
use crate::link::position::{POSITION_BITS, WORD_COUNT_BITS};
use crate::prim::stream::{FlowIn, FlowOut, StreamOut};
use crate::time::inject::{TimeInject, TimeInjectSingle, REQUEST_BITS, RESPONSE_BITS};
use crate::time::link_delay::{
    COUNT_BITS, DELAY_BITS, EPOCHS_BITS, EPOCH_BITS, ROUNDS_LOG2_BITS, TIMEOUT_BITS,
};
use crate::time::page::{EVENT_BITS, PORT_COUNTERS};
use crate::time::ring::{CONTROL_BITS, TREES};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::time::{LAG_BITS, TX_WAIT_BITS};
use flitforge_protocol::time_ring::Embed;
use flitforge_protocol::time_servo::{INC_BITS, PERIOD_BITS};

/// Time side of a port of `F` flits per beat, `FLITS_W` = 65 F, at rings with `W` bits of data; `BEAT`, `PHY` and `DDMTD` as PHASE_SRC says;
/// `SINGLE` 1 for tree 0 alone, 0 for four trees. See the [module](super).
#[derive(LogicBlock)]
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
    /// Beats of time flits, for `time_in` of the link.
    pub time_in: StreamOut<Bits<FLITS_W>>,
    /// UP_EN.
    pub up_en: Signal<In, Bits<4>>,
    /// EXP_SRC of each tree, six bits.
    pub sources: Signal<In, Bits<24>>,
    /// TX_WAIT_MAX, clocks.
    pub tx_wait_max: Signal<In, Bits<TX_WAIT_BITS>>,
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
    /// INC_F, 2^-32 ns per clock.
    pub inc_f: Signal<In, Bits<INC_BITS>>,
    /// RPER, 6.20 ns.
    pub rper: Signal<In, Bits<PERIOD_BITS>>,
    /// WPER, 6.20 ns.
    pub wper: Signal<In, Bits<PERIOD_BITS>>,
    /// Data of copies, clockwise and counter-clockwise.
    pub copy: [FlowIn<Bits<W>>; 2],
    /// Their control bits.
    pub copy_control: [Signal<In, Bits<CONTROL_BITS>>; 2],
    /// What becomes of `time_in` while `tx_open` is low, for the link.
    pub time_mode: Signal<Out, Bit>,
    /// Payload of a MasterTimeLow, corrected, for both rings.
    pub low: FlowOut<Bits<48>>,
    /// Payload of a MasterTimeHigh.
    pub high: FlowOut<Bits<48>>,
    /// tx lag of a beat taken three clocks later, signed, 1/256 ns.
    pub tx_lag: Signal<Out, Bits<LAG_BITS>>,
    /// rx lag at plane R, signed, 1/256 ns.
    pub rx_lag: Signal<Out, Bits<LAG_BITS>>,
    /// Both meters are valid.
    pub phase_ok: Signal<Out, Bit>,
    /// The phase of both is static.
    pub fixed: Signal<Out, Bit>,
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
    /// Event by ring: RING_PARITY.
    pub ring_parity: Signal<Out, Bits<2>>,
    /// Events of each of the port's counters, in the order of the page: every 1 counts.
    pub events: [Signal<Out, Bits<EVENT_BITS>>; PORT_COUNTERS],

    tap: TimeTap<F, FLITS_W, BEAT, PHY, DDMTD>,
    /// One for four trees, none for one.
    inject: Vec<TimeInject<F, FLITS_W, W>>,
    /// One for one tree.
    single: Vec<TimeInjectSingle<FLITS_W, W>>,
    wrong: Signal<Local, Bits<2>>,
    went: Signal<Local, Bits<2>>,
    late: Signal<Local, Bits<4>>,
}

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
            time_in: Default::default(),
            up_en: Default::default(),
            sources: Default::default(),
            tx_wait_max: Default::default(),
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
            rper: Default::default(),
            wper: Default::default(),
            copy: Default::default(),
            copy_control: Default::default(),
            time_mode: Default::default(),
            low: Default::default(),
            high: Default::default(),
            tx_lag: Default::default(),
            rx_lag: Default::default(),
            phase_ok: Default::default(),
            fixed: Default::default(),
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
            ring_parity: Default::default(),
            events: Default::default(),
            tap: TimeTap::new(config)?,
            inject: (SINGLE..1).map(|_| TimeInject::new(Embed::Value)).collect::<Result<_, _>>()?,
            single: (0..SINGLE).map(|_| TimeInjectSingle::new(Embed::Value)).collect::<Result<_, _>>()?,
            wrong: Default::default(),
            went: Default::default(),
            late: Default::default(),
        })
    }
}

impl<
        const F: usize,
        const FLITS_W: usize,
        const W: usize,
        const BEAT: usize,
        const PHY: usize,
        const SINGLE: usize,
        const DDMTD: usize,
    > Logic for TimePort<F, FLITS_W, W, BEAT, PHY, SINGLE, DDMTD>
{
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, tap);
        self.tap.clear.next = self.clear.val();

        // The link.
        self.tap.tx_clock.next = self.tx_clock.val();
        self.tap.rx_clock.next = self.rx_clock.val();
        for i in 0..DDMTD {
            self.tap.helper_clock[i].next = self.helper_clock[i].val();
        }
        FlowIn::<Bits<8>>::link(&mut self.tx_phase, &mut self.tap.tx_phase);
        FlowIn::<Bits<8>>::link(&mut self.rx_phase, &mut self.tap.rx_phase);
        self.tap.tx_fill.next = self.tx_fill.val();
        self.tap.rx_fill.next = self.rx_fill.val();
        self.tap.state.next = self.state.val();
        self.tap.tx_mode.next = self.tx_mode.val();
        self.tap.tx_lanes.next = self.tx_lanes.val();
        self.tap.rx_lanes.next = self.rx_lanes.val();
        self.tap.tx_last_lane.next = self.tx_last_lane.val();
        self.tap.tx_idle.next = self.tx_idle.val();
        self.tap.tx_position.next = self.tx_position.val();
        self.tap.tx_words.next = self.tx_words.val();
        self.tap.rx_position.next = self.rx_position.val();
        self.tap.rx_words.next = self.rx_words.val();
        self.tap.tx_open.next = self.tx_open.val();
        FlowIn::<Bits<FLITS_W>>::link(&mut self.spc_out, &mut self.tap.spc_out);
        StreamOut::<Bits<FLITS_W>>::link(&mut self.time_in, &mut self.tap.time_in);

        // Registers.
        self.tap.up_en.next = self.up_en.val();
        self.tap.advance.next = self.advance.val();
        self.tap.hold_on_epoch.next = self.hold_on_epoch.val();
        self.tap.rx_corr.next = self.rx_corr.val();
        self.tap.ldm_start.next = self.ldm_start.val();
        self.tap.ldm_auto.next = self.ldm_auto.val();
        self.tap.ldm_adjust.next = self.ldm_adjust.val();
        self.tap.ldm_rounds.next = self.ldm_rounds.val();
        self.tap.ldm_timeout.next = self.ldm_timeout.val();
        self.tap.asymmetry.next = self.asymmetry.val();
        self.tap.acknowledged.next = self.acknowledged.val();
        self.tap.locked.next = self.locked.val();
        self.tap.inc_f.next = self.inc_f.val();
        FlowIn::<Bits<EPOCHS_BITS>>::link(&mut self.epoch_write, &mut self.tap.epoch_write);
        self.tx_lag.next = self.tap.tx_lag.val();
        self.rx_lag.next = self.tap.rx_lag.val();
        self.phase_ok.next = self.tap.phase_ok.val();
        self.fixed.next = self.tap.fixed.val();
        self.done.next = self.tap.done.val();
        self.failed.next = self.tap.failed.val();
        self.rounds.next = self.tap.rounds.val();
        self.mean.next = self.tap.mean.val();
        self.min.next = self.tap.min.val();
        self.max.next = self.tap.max.val();
        self.link_epoch.next = self.tap.link_epoch.val();
        self.measured_epoch.next = self.tap.measured_epoch.val();
        self.changed.next = self.tap.changed.val();
        self.finished.next = self.tap.finished.val();
        FlowOut::<Bits<DELAY_BITS>>::link(&mut self.rx_corr_new, &mut self.tap.rx_corr_new);
        FlowOut::<Bits<48>>::link(&mut self.low, &mut self.tap.low);
        FlowOut::<Bits<48>>::link(&mut self.high, &mut self.tap.high);

        // From the rings to plane X.
        for _i in SINGLE..1 {
            self.inject[0].clock.next = self.clock.val();
            self.inject[0].clear.next = self.clear.val();
            FlowIn::<Bits<W>>::link(&mut self.copy[0], &mut self.inject[0].copy[0]);
            FlowIn::<Bits<W>>::link(&mut self.copy[1], &mut self.inject[0].copy[1]);
            self.inject[0].copy_control[0].next = self.copy_control[0].val();
            self.inject[0].copy_control[1].next = self.copy_control[1].val();
            self.inject[0].sources.next = self.sources.val();
            self.inject[0].rper.next = self.rper.val();
            self.inject[0].wper.next = self.wper.val();
            self.inject[0].lag.next = self.tap.tx_lag.val();
            self.inject[0].advance.next = self.advance.val();
            self.inject[0].hold.next = self.tap.hold.val();
            self.inject[0].tx_wait_max.next = self.tx_wait_max.val();
            self.inject[0].tx_open.next = self.tx_open.val();
            self.time_mode.next = self.inject[0].time_mode.val();
            StreamOut::<Bits<REQUEST_BITS>>::join(&mut self.tap.request, &mut self.inject[0].request);
            StreamOut::<Bits<RESPONSE_BITS>>::join(&mut self.tap.response, &mut self.inject[0].response);
            StreamOut::<Bits<FLITS_W>>::join(&mut self.inject[0].time_out, &mut self.tap.beats);
            self.ring_parity.next = self.inject[0].ring_parity.val();
            self.wrong.next = self.inject[0].wrong_source.val();
            self.went.next = self.inject[0].injected.val();
            self.events[7].next = self.inject[0].wait_over.val();
            self.events[8].next = self.inject[0].epoch_hold.val();
            self.late.next = self.inject[0].advanced.val();
        }
        for _i in 0..SINGLE {
            self.single[0].clock.next = self.clock.val();
            self.single[0].clear.next = self.clear.val();
            FlowIn::<Bits<W>>::link(&mut self.copy[0], &mut self.single[0].copy[0]);
            FlowIn::<Bits<W>>::link(&mut self.copy[1], &mut self.single[0].copy[1]);
            self.single[0].copy_control[0].next = self.copy_control[0].val();
            self.single[0].copy_control[1].next = self.copy_control[1].val();
            self.single[0].sources.next = self.sources.val();
            self.single[0].rper.next = self.rper.val();
            self.single[0].wper.next = self.wper.val();
            self.single[0].lag.next = self.tap.tx_lag.val();
            self.single[0].advance.next = self.advance.val();
            self.single[0].hold.next = self.tap.hold.val();
            self.single[0].tx_wait_max.next = self.tx_wait_max.val();
            self.single[0].tx_open.next = self.tx_open.val();
            self.time_mode.next = self.single[0].time_mode.val();
            StreamOut::<Bits<REQUEST_BITS>>::join(&mut self.tap.request, &mut self.single[0].request);
            StreamOut::<Bits<RESPONSE_BITS>>::join(&mut self.tap.response, &mut self.single[0].response);
            StreamOut::<Bits<FLITS_W>>::join(&mut self.single[0].time_out, &mut self.tap.beats);
            self.ring_parity.next = self.single[0].ring_parity.val();
            self.wrong.next = self.single[0].wrong_source.val();
            self.went.next = self.single[0].injected.val();
            self.events[7].next = self.single[0].wait_over.val();
            self.events[8].next = self.single[0].epoch_hold.val();
            self.late.next = self.single[0].advanced.val();
        }

        // Events.
        self.events[0].next = bit_cast::<EVENT_BITS, F>(self.tap.extracted.val());
        self.events[1].next = bit_cast::<EVENT_BITS, F>(self.tap.not_upstream.val());
        self.events[2].next = bit_cast::<EVENT_BITS, F>(self.tap.phase_invalid.val());
        self.events[3].next = bit_cast::<EVENT_BITS, 2>(self.tap.saturated.val());
        self.events[4].next = bit_cast::<EVENT_BITS, F>(self.tap.unknown.val());
        self.events[9].next = bit_cast::<EVENT_BITS, 1>(self.tap.retry.val().into());
        self.events[5].next = bit_cast::<EVENT_BITS, 2>(self.wrong.val());
        self.events[6].next = bit_cast::<EVENT_BITS, 2>(self.went.val());
        self.events[10].next = bit_cast::<EVENT_BITS, 4>(self.late.val());
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

drive_ports!(impl[const F: usize, const FLITS_W: usize, const W: usize, const BEAT: usize, const PHY: usize, const SINGLE: usize, const DDMTD: usize] TimePort<F, FLITS_W, W, BEAT, PHY, SINGLE, DDMTD> {
    clock, clear, tx_clock, rx_clock, helper_clock, tx_phase, rx_phase, tx_fill, rx_fill, state, tx_mode, tx_lanes, rx_lanes, tx_last_lane, tx_idle, tx_position, tx_words, rx_position, rx_words, spc_out, tx_open, time_in, up_en, sources, tx_wait_max, advance, hold_on_epoch, rx_corr, ldm_start, ldm_auto, ldm_adjust, ldm_rounds, ldm_timeout, asymmetry, acknowledged, epoch_write, locked, inc_f, rper, wper, copy, copy_control, time_mode, low, high, tx_lag, rx_lag, phase_ok, fixed, done, failed, rounds, mean, min, max, link_epoch, measured_epoch, rx_corr_new, changed, finished, ring_parity, events,
});
