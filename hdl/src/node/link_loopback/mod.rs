//! `link_loopback`: a whole link on one device: test traffic through LTPs, gearbox, lanes and back.
//!
//! ```text
//! PatternSource > Skid > LtpTx2 > LinkGearboxTx > LinkLaneTx > PhyLoop > LinkLaneRx > LinkGearboxRx > LtpRx2 > PatternChecker
//! ```
//!
//! The skid buffer keeps the source's logic out of the path of the sender's `ready`. Two flits per beat, one to
//! four lanes, CRC mode 0 or 1; no training and no retry (they are in [`port_loopback`](super::port_loopback)), so an LTP hit by an error is counted bad and its beats
//! are missing at the checker, which counts one gap (none if the LTP held only Idle).
//!
//! - After `clear`, and after a pulse on `restart`, everything is cleared for [`CLEAR_CLOCKS`] clocks; `lanes` and
//!   `mode` are taken meanwhile; then the start row goes out and traffic begins.
//! - A receiver that loses its lanes restarts the link by itself.
//! - `inject` asks for one error: the next word on lane 0 arrives with one bit flipped. Requests that come before
//!   that count as one. If that word is one of the rare alignment words, no LTP is hit.
//! - All outputs are pulses of one clock.

use super::pattern::{PatternChecker, PatternSource, BEAT_BITS};
use crate::config::ConfigError;
use crate::link::gearbox::{LinkGearboxRx, LinkGearboxTx, ROW_BITS, WIRE_BITS_2};
use crate::link::lane::{LinkLaneRx, LinkLaneTx, LANE_BITS, LANE_IN_BITS};
use crate::link::ltp_rx::LtpRx2;
use crate::link::ltp_tx::LtpTx2;
use crate::link::phy_loop::PhyLoop;
use crate::prim::stream::{FlowOut, StreamOut};
use crate::prim::Skid;
use crate::registry::{BlockEntry, BuiltBlock, InterfaceInfo, Preset};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;

/// Clocks that everything stays cleared.
pub const CLEAR_CLOCKS: u64 = 32;
/// The bit of a lane word that an injected error flips.
const ERROR_BIT: usize = 9;

/// See the [module](self).
#[derive(LogicBlock)]
pub struct LinkLoopback {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// Start again with new `lanes` and `mode`.
    pub restart: Signal<In, Bit>,
    /// Lanes in use minus one.
    pub lanes: Signal<In, Bits<2>>,
    /// CRC mode, 0 or 1.
    pub mode: Signal<In, Bits<2>>,
    /// Ask for one error on lane 0.
    pub inject: Signal<In, Bit>,
    /// A good LTP arrived.
    pub ltp_good: Signal<Out, Bit>,
    /// A bad LTP arrived.
    pub ltp_bad: Signal<Out, Bit>,
    /// The checker's beat has the right content.
    pub beat_good: Signal<Out, Bit>,
    /// The checker's beat has another content.
    pub beat_wrong: Signal<Out, Bit>,
    /// The checker missed beats.
    pub beat_gap: Signal<Out, Bit>,
    /// The link restarts.
    pub restarted: Signal<Out, Bit>,
    /// Lanes in use minus one, as taken.
    pub lanes_now: Signal<Out, Bits<2>>,
    /// CRC mode, as taken.
    pub mode_now: Signal<Out, Bits<2>>,

    source: PatternSource,
    beat_skid: Skid<Bits<BEAT_BITS>>,
    ltp_tx: LtpTx2,
    gearbox_tx: LinkGearboxTx,
    lane_tx: LinkLaneTx<4>,
    phy: PhyLoop<4>,
    lane_rx: LinkLaneRx<4>,
    gearbox_rx: LinkGearboxRx,
    ltp_rx: LtpRx2,
    checker: PatternChecker,

    hold: DFF<Bits<6>>,
    /// Stages of the pipeline are cleared one clock after the other: no register drives them all.
    cleared: DFF<Bit>,
    lanes_cleared: DFF<Bit>,
    arrivals_cleared: DFF<Bit>,
    delivery_cleared: DFF<Bit>,
    begin: DFF<Bit>,
    lanes_taken: DFF<Bits<2>>,
    mode_taken: DFF<Bits<2>>,
    active: DFF<Bits<4>>,
    inject_waiting: DFF<Bit>,
    full_hold: Constant<Bits<6>>,
    error_mask: Constant<Bits<LANE_IN_BITS>>,
    lane_numbers: [Constant<Bits<2>>; 4],
    again: Signal<Local, Bit>,
}

impl LinkLoopback {
    /// A link, or the reason why a block of it cannot be built.
    pub fn new() -> Result<Self, ConfigError> {
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            restart: Default::default(),
            lanes: Default::default(),
            mode: Default::default(),
            inject: Default::default(),
            ltp_good: Default::default(),
            ltp_bad: Default::default(),
            beat_good: Default::default(),
            beat_wrong: Default::default(),
            beat_gap: Default::default(),
            restarted: Default::default(),
            lanes_now: Default::default(),
            mode_now: Default::default(),
            source: Default::default(),
            beat_skid: Default::default(),
            ltp_tx: LtpTx2::new()?,
            gearbox_tx: Default::default(),
            lane_tx: LinkLaneTx::new()?,
            phy: PhyLoop::new()?,
            lane_rx: LinkLaneRx::new()?,
            gearbox_rx: Default::default(),
            ltp_rx: LtpRx2::new()?,
            checker: Default::default(),
            hold: Default::default(),
            cleared: Default::default(),
            lanes_cleared: Default::default(),
            arrivals_cleared: Default::default(),
            delivery_cleared: Default::default(),
            begin: Default::default(),
            lanes_taken: Default::default(),
            mode_taken: Default::default(),
            active: Default::default(),
            inject_waiting: Default::default(),
            full_hold: Constant::new(CLEAR_CLOCKS.into()),
            error_mask: Constant::new(Bits::<LANE_IN_BITS>::default().replace_bit(ERROR_BIT, true)),
            lane_numbers: std::array::from_fn(|lane| Constant::new((lane as u64).into())),
            again: Default::default(),
        })
    }
}

impl Logic for LinkLoopback {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, hold, cleared, lanes_cleared, arrivals_cleared, delivery_cleared, begin);
        dff_setup!(self, clock, lanes_taken, mode_taken, active, inject_waiting);
        clock!(
            self, clock, source, beat_skid, ltp_tx, gearbox_tx, lane_tx, phy, lane_rx, gearbox_rx, ltp_rx,
            checker
        );

        // Start and restart.
        self.again.next = self.clear.val() | self.restart.val() | self.lane_rx.deskew_lost.val();
        self.cleared.d.next = self.again.val() | self.hold.q.val().any();
        self.lanes_cleared.d.next = self.cleared.q.val();
        self.arrivals_cleared.d.next = self.lanes_cleared.q.val();
        self.delivery_cleared.d.next = self.arrivals_cleared.q.val();
        self.begin.d.next = self.lanes_cleared.q.val() & !self.cleared.q.val();
        if self.hold.q.val().any() {
            self.hold.d.next = self.hold.q.val() - 1;
            self.lanes_taken.d.next = self.lanes.val();
            self.mode_taken.d.next = self.mode.val();
        }
        if self.again.val() {
            self.hold.d.next = self.full_hold.val();
        }
        self.source.clear.next = self.cleared.q.val();
        self.beat_skid.clear.next = self.cleared.q.val();
        self.ltp_tx.clear.next = self.cleared.q.val();
        self.gearbox_tx.clear.next = self.lanes_cleared.q.val();
        self.lane_tx.clear.next = self.lanes_cleared.q.val();
        self.phy.clear.next = self.arrivals_cleared.q.val();
        self.lane_rx.clear.next = self.arrivals_cleared.q.val();
        self.gearbox_rx.clear.next = self.arrivals_cleared.q.val();
        self.ltp_rx.clear.next = self.delivery_cleared.q.val();
        self.checker.clear.next = self.delivery_cleared.q.val();

        // Configuration.
        self.active.d.next = 1.into();
        match self.lanes_taken.q.val().index() {
            1 => self.active.d.next = 3.into(),
            2 => self.active.d.next = 7.into(),
            3 => self.active.d.next = 15.into(),
            _ => self.active.d.next = 1.into(),
        }
        self.ltp_tx.mode.next = self.mode_taken.q.val();
        self.ltp_tx.active.next = true;
        self.ltp_tx.time_mode.next = false;
        self.gearbox_tx.wide.next = false;
        self.gearbox_tx.last_lane.next = self.lane_tx.last_lane.val();
        self.lane_tx.start.next = self.begin.q.val();
        self.lane_tx.active.next = self.active.q.val();
        self.lane_tx.crc_mode.next = self.mode_taken.q.val();
        self.lane_tx.bond_index.next = 0.into();
        self.lane_rx.active.next = self.active.q.val();
        self.lane_rx.crc_mode.next = self.mode_taken.q.val();
        self.gearbox_rx.wide.next = false;
        self.gearbox_rx.last_lane.next = self.lane_rx.last_lane.val();
        self.ltp_rx.mode.next = self.mode_taken.q.val();
        self.ltp_rx.lanes.next = self.lanes_taken.q.val();

        // Sender.
        StreamOut::<Bits<BEAT_BITS>>::join(&mut self.source.beats, &mut self.beat_skid.words_in);
        StreamOut::<Bits<BEAT_BITS>>::join(&mut self.beat_skid.words_out, &mut self.ltp_tx.flits_in);
        self.ltp_tx.time_in.valid.next = false;
        self.ltp_tx.time_in.data.next = 0.into();
        self.ltp_tx.null_in.valid.next = false;
        self.ltp_tx.null_in.data.next = 0.into();
        self.ltp_tx.side_in.valid.next = false;
        self.ltp_tx.side_in.data.next = 0.into();
        self.ltp_tx.replay_next.next = false;
        self.ltp_tx.replay_beat.next = 0.into();
        self.ltp_tx.replay_side.next = 0.into();
        self.ltp_tx.replay_spoil.next = false;
        self.ltp_tx.hold.next = false;
        self.ltp_tx.drain.next = false;
        self.ltp_tx.restart.next = false;
        StreamOut::<Bits<WIRE_BITS_2>>::join(&mut self.ltp_tx.wire_out, &mut self.gearbox_tx.wire_in);
        StreamOut::<Bits<ROW_BITS>>::join(&mut self.gearbox_tx.rows, &mut self.lane_tx.rows);

        // Lanes and errors.
        for i in 0..4 {
            self.lane_tx.training[i].valid.next = false;
            self.lane_tx.training[i].data.next = 0.into();
            StreamOut::<Bits<LANE_BITS>>::join(&mut self.lane_tx.lanes[i], &mut self.phy.tx[i]);
            self.phy.delay[i].next = 0.into();
            self.lane_rx.source[i].next = self.lane_numbers[i].val();
            FlowOut::<Bits<LANE_IN_BITS>>::join(&mut self.phy.rx[i], &mut self.lane_rx.lanes[i]);
        }
        self.phy.error_lanes.next = 1.into();
        self.phy.error_mask.next = self.error_mask.val();
        self.phy.error_enable.next = self.inject_waiting.q.val();
        if self.lane_tx.lanes[0].valid.val() {
            self.inject_waiting.d.next = false;
        }
        if self.inject.val() {
            self.inject_waiting.d.next = true;
        }
        if self.clear.val() {
            self.inject_waiting.d.next = false;
        }

        // Receiver.
        FlowOut::<Bits<ROW_BITS>>::join(&mut self.lane_rx.rows, &mut self.gearbox_rx.rows);
        self.gearbox_rx.row_error.next = self.lane_rx.row_error.val();
        self.gearbox_rx.row_start.next = self.lane_rx.row_start.val();
        FlowOut::<Bits<WIRE_BITS_2>>::join(&mut self.gearbox_rx.wire_out, &mut self.ltp_rx.wire_in);
        self.ltp_rx.code_err.next = self.gearbox_rx.code_err.val();
        self.ltp_rx.frame_start.next = self.gearbox_rx.frame_start.val();
        self.ltp_rx.retry.next = false;
        self.ltp_rx.reset_exchange.next = false;
        self.ltp_rx.fresh.next = false;
        self.ltp_rx.activate.next = false;
        self.ltp_rx.ltp_time.next = false;
        self.ltp_rx.toss_ltps.next = 0.into();
        self.ltp_rx.retry_limit.next = 0.into();
        self.ltp_rx.bad_run.next = 0.into();
        self.ltp_rx.retry_req.ready.next = false;
        FlowOut::<Bits<BEAT_BITS>>::join(&mut self.ltp_rx.flits_out, &mut self.checker.beats);

        self.ltp_good.next = self.ltp_rx.rx_good.val();
        self.ltp_bad.next = self.ltp_rx.rx_bad.val();
        self.beat_good.next = self.checker.good.val();
        self.beat_wrong.next = self.checker.wrong.val();
        self.beat_gap.next = self.checker.gap.val();
        self.restarted.next = self.begin.q.val();
        self.lanes_now.next = self.lanes_taken.q.val();
        self.mode_now.next = self.mode_taken.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("link_loopback", &[])
    }
}

drive_ports!(impl[] LinkLoopback {
    clock, clear, restart, lanes, mode, inject, ltp_good, ltp_bad, beat_good, beat_wrong, beat_gap, restarted,
    lanes_now, mode_now,
});

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "link_loopback",
    chapter: "10-link",
    summary: "a whole link on one device with test traffic, one to four lanes",
    parameters: &[],
    presets: &[Preset { name: "default", values: &[] }],
    build: |_| {
        let interface = InterfaceInfo::clocked(&[], None, "see the blocks it is made of");
        Ok(BuiltBlock::new(LinkLoopback::new()?, interface))
    },
};
