//! One port of a switch's time side.

use super::entry::{RingEntry, INSERT_BITS};
use crate::link_delay::COUNT_BITS;
use crate::page::{TimePortPage, WindowBuild, WORD_BITS};
use crate::port::{TimePort, TimePortConfig, FILL_BITS};
use crate::ring::{CONTROL_BITS, TREES, VALUE_BITS};
use flitforge_hdl_link_types::position::{POSITION_BITS, WORD_COUNT_BITS};
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::time_registers::role;
use flitforge_protocol::time_servo::{INC_BITS, PERIOD_BITS};

/// `time_port` with its window and its entry to the rings: all that stands at one stop; parameters as of [`TimePort`].
///
/// - R to insertion 3 clocks, `copy` to the offer 1 clock later: those of the parts. Exact.
/// - Trees of DN_EN are copied from the ring of RING_SEL; with `SINGLE` 1 only tree 0 is.
/// - `clear` as of the parts.
#[block(new)]
pub struct SwitchPort<
    const F: usize,
    const FLITS_W: usize,
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
    /// What becomes of `time_in` while `tx_open` is low, for the link.
    time_mode: Out<Bit>,
    /// Window: a request for this port; none other until `answer`.
    request: In<Bit>,
    /// Window: word of it, until `answer`.
    word: In<Bits<WORD_BITS>>,
    /// Window: it is a write, until `answer`.
    write: In<Bit>,
    /// Window: value of a write, until `answer`.
    data: In<Bits<64>>,
    /// Window: done; the value of a read, else 0.
    pub answer: FlowOut<Bits<64>>,
    /// Event: a write was refused.
    refused: Out<Bit>,
    /// SyncTime of the device is locked.
    locked: In<Bit>,
    /// INC_F, 2^-32 ns per clock.
    inc_f: In<Bits<INC_BITS>>,
    /// RPER, 6.20 ns.
    rper: In<Bits<PERIOD_BITS>>,
    /// WPER, 6.20 ns.
    wper: In<Bits<PERIOD_BITS>>,
    /// Insertions, clockwise and counter-clockwise.
    pub insert: [StreamOut<Bits<INSERT_BITS>>; 2],
    /// Trees copied from each ring.
    trees: [Out<Bits<TREES>>; 2],
    /// Data of copies.
    pub copy: [FlowIn<Bits<VALUE_BITS>>; 2],
    /// Their control bits.
    copy_control: [In<Bits<CONTROL_BITS>>; 2],
    /// UP_EN.
    upstream: Out<Bits<4>>,
    /// Event: a Low, a High was dropped before the ring, see [`RingEntry`].
    dropped: Out<Bits<4>>,
    /// Event by ring: RING_PARITY.
    ring_parity: Out<Bits<2>>,
    /// Event: the link changed.
    changed: Out<Bit>,
    /// Event: a run of the link delay has ended.
    finished: Out<Bit>,
    #[wire(clock, clear)]
    time: TimePort<F, FLITS_W, VALUE_BITS, BEAT, PHY, SINGLE, DDMTD>,
    #[wire(clock, clear)]
    page: TimePortPage,
    #[wire(clock, clear)]
    entry: RingEntry,
    /// Trees that are there.
    built: Constant<Bits<TREES>>,
}

#[logic]
impl<
        const F: usize,
        const FLITS_W: usize,
        const BEAT: usize,
        const PHY: usize,
        const SINGLE: usize,
        const DDMTD: usize,
    > SwitchPort<F, FLITS_W, BEAT, PHY, SINGLE, DDMTD>
{
    /// For a port of `F` flits per beat, counters at `started` or none built, or the reason why not.
    pub fn new(config: &TimePortConfig, started: Option<u32>) -> Result<Self, ConfigError> {
        Ok(Self {
            time: TimePort::new(config)?,
            page: TimePortPage::new(&WindowBuild::counting(started))?,
            built: Constant::new(if SINGLE == 1 { 1 } else { (1 << TREES) - 1 }.into()),
            ..
        })
    }

    fn update(&mut self) {
        // The link.
        time = In { tx_clock, rx_clock };
        for i in 0..DDMTD {
            time.helper_clock[i] = helper_clock[i];
        }
        link(tx_phase, time.tx_phase);
        link(rx_phase, time.rx_phase);
        time = In { tx_fill, rx_fill, state, tx_mode, tx_lanes, rx_lanes, tx_last_lane, tx_idle };
        time = In { tx_position, tx_words, rx_position, rx_words };
        link(spc_out, time.spc_out);
        time.tx_open = tx_open;
        link(time_in, time.time_in);
        time_mode = time.time_mode;

        // Registers.
        page.bus = In { request, address: word, write, wdata: data };
        answer = In { valid: page.bus.ack, data: page.bus.rdata };
        // No tree is upstream and downstream at once.
        let clash = data[role::up_en] & data[role::dn_en];
        page.role_permit = !clash.any();
        refused = page.role_refused;
        time.up_en = page.role_up_en;
        time.sources = cat(page.path_source0, page.path_source1, page.path_source2, page.path_source3);
        time = In { tx_wait_max: page.tx_wait_max, advance: page.role_advance };
        time = In { hold_on_epoch: page.role_hold_on_epoch, rx_corr: page.rx_corr };
        page = In { rx_corr_load: time.rx_corr_new.valid, rx_corr_loaded: time.rx_corr_new.data };
        time = In { ldm_start: page.ldm_ctl_start, ldm_auto: page.ldm_ctl_auto_run };
        time.ldm_adjust = page.ldm_ctl_adj_en & page.role_up_en.any();
        time = In { ldm_rounds: page.ldm_ctl_rounds, ldm_timeout: page.ldm_ctl_timeout };
        time = In { asymmetry: page.ldm_asym, acknowledged: page.ldm_ack };
        time.epoch_write.valid = page.epoch_written;
        time.epoch_write.data = cat(page.epoch_link_new, page.epoch_measured_new);
        page = In { epoch_link: time.link_epoch, epoch_measured: time.measured_epoch };
        page = In { ldm_mean_mean: time.mean, ldm_mean_done: time.done, ldm_mean_fail: time.failed };
        page = In { ldm_mean_rounds: bit_cast::<16, COUNT_BITS>(time.rounds), ldm_range_min: time.min };
        page = In { ldm_range_max: time.max, lag_rx: time.rx_lag, lag_tx: time.tx_lag };
        page = In { lag_fixed: time.fixed, lag_phase_ok: time.phase_ok, extracted: time.events[0] };
        page = In { not_upstream: time.events[1], phase_invalid: time.events[2], lag_sat: time.events[3] };
        page = In { unknown_sub: time.events[4], wrong_src: time.events[5], injected: time.events[6] };
        page = In { tx_wait_over: time.events[7], epoch_hold: time.events[8], ldm_retry: time.events[9] };
        page.advanced = time.events[10];
        time = In { locked, inc_f, rper, wper };

        // The rings.
        join(time.low, entry.low);
        join(time.high, entry.high);
        let down = page.role_dn_en & built;
        let select: Bits<TREES> = cat(page.path_ring0, page.path_ring1, page.path_ring2, page.path_ring3);
        trees[0] = down & !select;
        trees[1] = down & select;
        for i in 0..2 {
            link(insert[i], entry.insert[i]);
            link(copy[i], time.copy[i]);
            time.copy_control[i] = copy_control[i];
        }

        // Events.
        upstream = page.role_up_en;
        dropped = entry.dropped;
        Out { ring_parity, changed, finished } = time;
    }

    fn timing(&self) -> Vec<TimingInfo> {
        let source = crate::port::source_label(BEAT, PHY, DDMTD);
        block_label(
            "switch_port",
            &[("f", F.to_string()), ("source", source.into()), ("single", SINGLE.to_string())],
        )
    }
}
