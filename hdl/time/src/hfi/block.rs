//! The parts of an HFI's time side, wired.

use super::{PulsePerSecond, TimeHfiConfig, TimeMerge};
use crate::device::TimeDevice;
use crate::link_delay::COUNT_BITS;
use crate::page::{TimePortPage, WindowBuild, EVENT_BITS, PAGE_WORD_BITS};
use crate::port::{TimeTap, FILL_BITS};
use crate::servo::STATE_BITS;
use crate::slave::TIME_WORD_BITS;
use flitforge_hdl_link_types::position::{POSITION_BITS, WORD_COUNT_BITS};
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::time_registers::role;
use flitforge_protocol::time_servo::SYNC_EPOCH_BITS;

/// Time side of an HFI whose link has `F` flits per beat, `FLITS_W` = 65 F; `BEAT`, `PHY` and `DDMTD` as PHASE_SRC says; it can follow the trees 0 to
/// `TREES` - 1. See the [module](super).
#[block(new)]
pub struct TimeHfi<
    const F: usize,
    const FLITS_W: usize,
    const BEAT: usize,
    const PHY: usize,
    const TREES: usize,
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
    /// State of the link, as its STATUS has it.
    link_state: In<Bits<3>>,
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
    /// What becomes of `time_in` while `tx_open` is low, for the link: 0 DROP, 1 HOLD.
    time_mode: Out<Bit>,
    /// Register bus: word of the page.
    addr: In<Bits<PAGE_WORD_BITS>>,
    /// Register bus: value of a write.
    wdata: In<Bits<64>>,
    /// Register bus: asks for a write.
    we: In<Bit>,
    /// Register bus: asks for a read.
    re: In<Bit>,
    /// Register bus: with `ack` of a read, the value.
    rdata: Out<Bits<64>>,
    /// Register bus: the request is done.
    ack: Out<Bit>,
    /// Some event of EVENT_MASK has happened.
    interrupt: Out<Bit>,
    /// LocalTime, 64.32 ns.
    local: Out<Bits<TIME_WORD_BITS>>,
    /// SyncTime, 64.32 ns.
    sync: Out<Bits<TIME_WORD_BITS>>,
    /// SYNC_EPOCH.
    sync_epoch: Out<Bits<SYNC_EPOCH_BITS>>,
    /// Servo state, coded as in SERVO_STAT.
    state: Out<Bits<STATE_BITS>>,
    /// The servo is in TRACK.
    locked: Out<Bit>,
    /// A pulse after every second of SyncTime.
    pps: Out<Bit>,
    #[wire(clock, clear)]
    tap: TimeTap<F, FLITS_W, BEAT, PHY, DDMTD>,
    #[wire(clock, clear)]
    merge: TimeMerge<F, FLITS_W>,
    #[wire(clock, clear)]
    device: TimeDevice<TREES>,
    #[wire(clock, clear)]
    window: TimePortPage,
    #[wire(clock, clear)]
    second: PulsePerSecond,
}

#[logic]
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
            tap: TimeTap::new(&config.port)?,
            merge: TimeMerge::new()?,
            device: TimeDevice::at_link(&config.page(), config.fifo_depth, config.port.flits)?,
            window: TimePortPage::new(&WindowBuild::counting(config.page().started))?,
            second: PulsePerSecond::new(config.pulse_clocks)?,
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
        tap = In { tx_fill, rx_fill, state: link_state, tx_mode, tx_lanes, rx_lanes, tx_last_lane, tx_idle };
        tap = In { tx_position, tx_words, rx_position, rx_words, tx_open };
        link(spc_out, tap.spc_out);
        link(time_in, tap.time_in);
        time_mode = window.role_advance;

        // Registers of the port.
        tap = In { up_en: device.slave_en, advance: window.role_advance };
        tap = In { hold_on_epoch: window.role_hold_on_epoch, rx_corr: window.rx_corr };
        window = In { rx_corr_load: tap.rx_corr_new.valid, rx_corr_loaded: tap.rx_corr_new.data };
        tap = In { ldm_start: window.ldm_ctl_start, ldm_auto: window.ldm_ctl_auto_run };
        // The port of an endpoint that follows a tree is upstream without UP_EN.
        tap.ldm_adjust = window.ldm_ctl_adj_en & (device.slave_en.any() | window.role_up_en.any());
        tap = In { ldm_rounds: window.ldm_ctl_rounds, ldm_timeout: window.ldm_ctl_timeout };
        tap = In { asymmetry: window.ldm_asym, acknowledged: window.ldm_ack, locked: device.locked };
        tap.inc_f = device.inc_f;
        tap.epoch_write.valid = window.epoch_written;
        tap.epoch_write.data = cat(window.epoch_link_new, window.epoch_measured_new);
        window = In { epoch_link: tap.link_epoch, epoch_measured: tap.measured_epoch };
        window = In { ldm_mean_mean: tap.mean, ldm_mean_done: tap.done, ldm_mean_fail: tap.failed };
        window = In { ldm_mean_rounds: bit_cast::<16, COUNT_BITS>(tap.rounds), ldm_range_min: tap.min };
        window = In { ldm_range_max: tap.max, lag_rx: tap.rx_lag, lag_tx: tap.tx_lag, lag_fixed: tap.fixed };
        window.lag_phase_ok = tap.phase_ok;

        // The bus, and the window of port 0.
        device = In { addr, wdata, we, re };
        Out { rdata, ack, interrupt } = device;
        window.bus = In { request: device.to_port & !device.port.any(), address: device.word };
        window.bus = In { write: device.write, wdata: device.data };
        device.port_answer = In { valid: window.bus.ack, data: window.bus.rdata };
        // No tree is upstream and downstream at once.
        let written = device.data;
        let clash = written[role::up_en] & written[role::dn_en];
        window.role_permit = !clash.any();
        device.ring_answer = In { valid: false, data: 0 };
        device = In { port_refused: window.role_refused, epoch_changed: tap.changed, ldm_done: tap.finished };

        // Times and time flits.
        join(tap.low, device.low);
        join(tap.high, device.high);
        device.lag = tap.tx_lag;
        merge = In { advance: window.role_advance, hold: tap.hold, tx_open };
        join(device.time_out, merge.generated);
        join(tap.request, merge.request);
        join(tap.response, merge.response);
        join(merge.time_out, tap.beats);
        Out { local, sync, sync_epoch, state, locked } = device;
        second = In { sync: device.sync, epoch: device.sync_epoch };
        pps = second.pps;

        // Events.
        window.extracted = bit_cast::<EVENT_BITS, F>(tap.extracted);
        window.not_upstream = bit_cast::<EVENT_BITS, F>(tap.not_upstream);
        window.phase_invalid = bit_cast::<EVENT_BITS, F>(tap.phase_invalid);
        window.lag_sat = bit_cast::<EVENT_BITS, 2>(tap.saturated);
        window = In { unknown_sub: bit_cast::<EVENT_BITS, F>(tap.unknown), wrong_src: 0 };
        window = In { injected: bit_cast::<EVENT_BITS, 2>(merge.injected), tx_wait_over: 0 };
        window.epoch_hold = bit_cast::<EVENT_BITS, 2>(merge.epoch_hold);
        window.ldm_retry = bit_cast::<EVENT_BITS, 1>(tap.retry.into());
        window.advanced = bit_cast::<EVENT_BITS, 1>(merge.advanced.into());
    }

    fn timing(&self) -> Vec<TimingInfo> {
        let source = crate::port::source_label(BEAT, PHY, DDMTD);
        block_label(
            "time_hfi",
            &[("f", F.to_string()), ("source", source.into()), ("trees", TREES.to_string())],
        )
    }
}
