//! The parts of an HFI's time side, wired.

use super::{PulsePerSecond, TimeHfiConfig, TimeMerge};
use crate::config::ConfigError;
use crate::link::position::{POSITION_BITS, WORD_COUNT_BITS};
use crate::prim::stream::{FlowIn, FlowOut, StreamOut};
use crate::time::device::TimeDevice;
use crate::time::generator::BEAT_BITS;
use crate::time::inject::{REQUEST_BITS, RESPONSE_BITS};
use crate::time::link_delay::{DELAY_BITS, EPOCHS_BITS};
use crate::time::page::{TimePortPage, EVENT_BITS, PAGE_WORD_BITS, PORT_COUNTERS};
use crate::time::port::{TimeTap, FILL_BITS};
use crate::time::servo::STATE_BITS;
use crate::time::slave::TIME_WORD_BITS;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::time_servo::SYNC_EPOCH_BITS;

/// Time side of an HFI whose link has `F` flits per beat, `FLITS_W` = 65 F; `BEAT`, `PHY` and `DDMTD` as PHASE_SRC says; it can follow the trees 0 to
/// `TREES` - 1. See the [module](super).
#[derive(LogicBlock)]
pub struct TimeHfi<
    const F: usize,
    const FLITS_W: usize,
    const BEAT: usize,
    const PHY: usize,
    const TREES: usize,
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
    /// State of the link, as its STATUS has it.
    pub link_state: Signal<In, Bits<3>>,
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
    /// What becomes of `time_in` while `tx_open` is low, for the link: 0 DROP, 1 HOLD.
    pub time_mode: Signal<Out, Bit>,
    /// Register bus: word of the page.
    pub addr: Signal<In, Bits<PAGE_WORD_BITS>>,
    /// Register bus: value of a write.
    pub wdata: Signal<In, Bits<64>>,
    /// Register bus: asks for a write.
    pub we: Signal<In, Bit>,
    /// Register bus: asks for a read.
    pub re: Signal<In, Bit>,
    /// Register bus: with `ack` of a read, the value.
    pub rdata: Signal<Out, Bits<64>>,
    /// Register bus: the request is done.
    pub ack: Signal<Out, Bit>,
    /// Some event of EVENT_MASK has happened.
    pub interrupt: Signal<Out, Bit>,
    /// LocalTime, 64.32 ns.
    pub local: Signal<Out, Bits<TIME_WORD_BITS>>,
    /// SyncTime, 64.32 ns.
    pub sync: Signal<Out, Bits<TIME_WORD_BITS>>,
    /// SYNC_EPOCH.
    pub sync_epoch: Signal<Out, Bits<SYNC_EPOCH_BITS>>,
    /// Servo state, coded as in SERVO_STAT.
    pub state: Signal<Out, Bits<STATE_BITS>>,
    /// The servo is in TRACK.
    pub locked: Signal<Out, Bit>,
    /// A pulse behind every second of SyncTime.
    pub pps: Signal<Out, Bit>,
    tap: TimeTap<F, FLITS_W, BEAT, PHY, DDMTD>,
    merge: TimeMerge<F, FLITS_W>,
    device: TimeDevice<TREES>,
    window: TimePortPage,
    second: PulsePerSecond,
}

impl<
        const F: usize,
        const FLITS_W: usize,
        const BEAT: usize,
        const PHY: usize,
        const TREES: usize,
        const DDMTD: usize,
    > TimeHfi<F, FLITS_W, BEAT, PHY, TREES, DDMTD>
{
    /// With one port, or the reason why not.
    pub fn new(config: &TimeHfiConfig) -> Result<Self, ConfigError> {
        config.check()?;
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
            link_state: Default::default(),
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
            time_mode: Default::default(),
            addr: Default::default(),
            wdata: Default::default(),
            we: Default::default(),
            re: Default::default(),
            rdata: Default::default(),
            ack: Default::default(),
            interrupt: Default::default(),
            local: Default::default(),
            sync: Default::default(),
            sync_epoch: Default::default(),
            state: Default::default(),
            locked: Default::default(),
            pps: Default::default(),
            tap: TimeTap::new(&config.port)?,
            merge: TimeMerge::new()?,
            device: TimeDevice::at_link(&config.page(), config.fifo_depth, config.port.flits)?,
            window: TimePortPage::new(config.page().started)?,
            second: PulsePerSecond::new(config.pulse_clocks)?,
        })
    }
}

impl<
        const F: usize,
        const FLITS_W: usize,
        const BEAT: usize,
        const PHY: usize,
        const TREES: usize,
        const DDMTD: usize,
    > Logic for TimeHfi<F, FLITS_W, BEAT, PHY, TREES, DDMTD>
{
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, tap, merge, device, window, second);
        self.tap.clear.next = self.clear.val();
        self.merge.clear.next = self.clear.val();
        self.device.clear.next = self.clear.val();
        self.window.clear.next = self.clear.val();
        self.second.clear.next = self.clear.val();

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
        self.tap.state.next = self.link_state.val();
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
        self.time_mode.next = self.window.advance.val();

        // Registers of the port.
        self.tap.up_en.next = self.device.slave_en.val();
        self.tap.advance.next = self.window.advance.val();
        self.tap.hold_on_epoch.next = self.window.hold_on_epoch.val();
        self.tap.rx_corr.next = self.window.rx_corr.val();
        self.tap.ldm_start.next = self.window.ldm_start.val();
        self.tap.ldm_auto.next = self.window.ldm_auto.val();
        self.tap.ldm_adjust.next = self.window.ldm_adjust.val();
        self.tap.ldm_rounds.next = self.window.ldm_rounds.val();
        self.tap.ldm_timeout.next = self.window.ldm_timeout.val();
        self.tap.asymmetry.next = self.window.asymmetry.val();
        self.tap.acknowledged.next = self.window.acknowledged.val();
        self.tap.locked.next = self.device.locked.val();
        self.tap.inc_f.next = self.device.inc_f.val();
        FlowOut::<Bits<EPOCHS_BITS>>::join(&mut self.window.epoch_write, &mut self.tap.epoch_write);
        self.window.is_upstream.next = self.device.slave_en.val().any();
        self.window.done.next = self.tap.done.val();
        self.window.failed.next = self.tap.failed.val();
        self.window.rounds.next = self.tap.rounds.val();
        self.window.mean.next = self.tap.mean.val();
        self.window.min.next = self.tap.min.val();
        self.window.max.next = self.tap.max.val();
        self.window.link_epoch.next = self.tap.link_epoch.val();
        self.window.measured_epoch.next = self.tap.measured_epoch.val();
        self.window.rx_lag.next = self.tap.rx_lag.val();
        self.window.tx_lag.next = self.tap.tx_lag.val();
        self.window.fixed.next = self.tap.fixed.val();
        self.window.phase_ok.next = self.tap.phase_ok.val();
        FlowOut::<Bits<DELAY_BITS>>::join(&mut self.tap.rx_corr_new, &mut self.window.rx_corr_new);

        // The bus, and the window of port 0.
        self.device.addr.next = self.addr.val();
        self.device.wdata.next = self.wdata.val();
        self.device.we.next = self.we.val();
        self.device.re.next = self.re.val();
        self.rdata.next = self.device.rdata.val();
        self.ack.next = self.device.ack.val();
        self.interrupt.next = self.device.interrupt.val();
        self.window.request.next = self.device.to_port.val() & !self.device.port.val().any();
        self.window.word.next = self.device.word.val();
        self.window.write.next = self.device.write.val();
        self.window.data.next = self.device.data.val();
        FlowOut::<Bits<64>>::join(&mut self.window.answer, &mut self.device.port_answer);
        self.device.ring_answer.valid.next = false;
        self.device.ring_answer.data.next = 0.into();
        self.device.port_refused.next = self.window.refused.val();
        self.device.epoch_changed.next = self.tap.changed.val();
        self.device.ldm_done.next = self.tap.finished.val();

        // Times and time flits.
        FlowOut::<Bits<48>>::join(&mut self.tap.low, &mut self.device.low);
        FlowOut::<Bits<48>>::join(&mut self.tap.high, &mut self.device.high);
        self.device.lag.next = self.tap.tx_lag.val();
        self.merge.advance.next = self.window.advance.val();
        self.merge.hold.next = self.tap.hold.val();
        self.merge.tx_open.next = self.tx_open.val();
        StreamOut::<Bits<BEAT_BITS>>::join(&mut self.device.time_out, &mut self.merge.generated);
        StreamOut::<Bits<REQUEST_BITS>>::join(&mut self.tap.request, &mut self.merge.request);
        StreamOut::<Bits<RESPONSE_BITS>>::join(&mut self.tap.response, &mut self.merge.response);
        StreamOut::<Bits<FLITS_W>>::join(&mut self.merge.time_out, &mut self.tap.beats);
        self.local.next = self.device.local.val();
        self.sync.next = self.device.sync.val();
        self.sync_epoch.next = self.device.sync_epoch.val();
        self.state.next = self.device.state.val();
        self.locked.next = self.device.locked.val();
        self.second.sync.next = self.device.sync.val();
        self.second.epoch.next = self.device.sync_epoch.val();
        self.pps.next = self.second.pps.val();

        // Events.
        for i in 0..11 {
            self.window.events[i].next = 0.into();
        }
        self.window.events[0].next = bit_cast::<EVENT_BITS, F>(self.tap.extracted.val());
        self.window.events[1].next = bit_cast::<EVENT_BITS, F>(self.tap.not_upstream.val());
        self.window.events[2].next = bit_cast::<EVENT_BITS, F>(self.tap.phase_invalid.val());
        self.window.events[3].next = bit_cast::<EVENT_BITS, 2>(self.tap.saturated.val());
        self.window.events[4].next = bit_cast::<EVENT_BITS, F>(self.tap.unknown.val());
        self.window.events[6].next = bit_cast::<EVENT_BITS, 2>(self.merge.injected.val());
        self.window.events[8].next = bit_cast::<EVENT_BITS, 2>(self.merge.epoch_hold.val());
        self.window.events[9].next = bit_cast::<EVENT_BITS, 1>(self.tap.retry.val().into());
        self.window.events[10].next = bit_cast::<EVENT_BITS, 1>(self.merge.advanced.val().into());
    }

    fn timing(&self) -> Vec<TimingInfo> {
        let source = crate::time::port::source_label(BEAT, PHY, DDMTD);
        block_label(
            "time_hfi",
            &[("f", F.to_string()), ("source", source.into()), ("trees", TREES.to_string())],
        )
    }
}

drive_ports!(impl[const F: usize, const FLITS_W: usize, const BEAT: usize, const PHY: usize, const TREES: usize, const DDMTD: usize] TimeHfi<F, FLITS_W, BEAT, PHY, TREES, DDMTD> {
    clock, clear, tx_clock, rx_clock, helper_clock, tx_phase, rx_phase, tx_fill, rx_fill, link_state, tx_mode, tx_lanes, rx_lanes, tx_last_lane, tx_idle, tx_position, tx_words, rx_position, rx_words, spc_out, tx_open, time_in, time_mode, addr, wdata, we, re, rdata, ack, interrupt, local, sync, sync_epoch, state, locked, pps,
});

const _: () = assert!(PORT_COUNTERS == 11);
