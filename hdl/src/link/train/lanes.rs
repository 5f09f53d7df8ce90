//! The lane side of a port.

use super::machine::REASON_BITS;
use super::transmit::OFFER_BITS;
use super::{label, LinkTrain, LinkTrainConfig};
use crate::config::ConfigError;
use crate::link::lane::{LinkLaneRx, LinkLaneTx, LANE_BITS, LANE_IN_BITS, ROW_BITS};
use crate::link::ltp_wide::copies;
use crate::link::probation::LinkProbation;
use crate::prim::stream::{FlowIn, FlowOut, StreamIn, StreamOut};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;

/// [`LinkTrain`], [`LinkLaneTx`] and [`LinkLaneRx`] together: rows on one side, lane PHYs on the other; with `PROBATION` 1
/// [`LinkProbation`], too.
#[derive(LogicBlock)]
pub struct LinkLanes<const LANES: usize, const PROBATION: usize = 0> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear: Down, epoch 0.
    pub clear: Signal<In, Bit>,
    /// CTRL.ENABLE; 0 is CTRL.DISABLE.
    pub enable: Signal<In, Bit>,
    /// LANES.allowed: lanes that may be used.
    pub allowed: Signal<In, Bits<4>>,
    /// What the training sets announce: word 1 of the layout in the protocol crate, without `fresh`.
    pub offer: Signal<In, Bits<OFFER_BITS>>,
    /// Bond index.
    pub bond_index: Signal<In, Bits<2>>,
    /// `NxtRxLTP`.
    pub next_rx: Signal<In, Bits<16>>,
    /// GUID, low half.
    pub guid_low: Signal<In, Bits<32>>,
    /// GUID, high half.
    pub guid_high: Signal<In, Bits<32>>,
    /// Pulse: REINIT_LIMIT; Down, and up again.
    pub give_up: Signal<In, Bit>,
    /// Pulse: the bucket of `remove_lane` (sender's number) is full.
    pub remove: Signal<In, Bit>,
    /// That lane.
    pub remove_lane: Signal<In, Bits<2>>,
    /// Pulse: CTRL.RESTORE.
    pub restore: Signal<In, Bit>,
    /// Pulse: CTRL.RETRAIN, a fault of retry, the timeout of Init, or a FIFO's over- or underflow.
    pub retrain: Signal<In, Bit>,
    /// With probation, pulse: an LTP was received, good or bad.
    pub ltp: [Signal<In, Bit>; PROBATION],
    /// With probation: register DEGRADE.
    pub degrade_cfg: [Signal<In, Bits<11>>; PROBATION],
    /// Pulse: round trip known and InitAck seen.
    pub init_done: Signal<In, Bit>,
    /// Pulse: chapter 30's lane test takes the lanes.
    pub bist_start: Signal<In, Bit>,
    /// Pulse: it is over.
    pub bist_end: Signal<In, Bit>,
    /// Lanes on which the PHY has a signal.
    pub signal_ok: Signal<In, Bits<4>>,
    /// Lanes on which the PHY has found the word boundary itself.
    pub lane_lock: Signal<In, Bits<4>>,
    /// Lanes the PHY is to invert.
    pub invert: Signal<Out, Bits<4>>,
    /// Pulse per lane: the PHY is to move the word boundary by one bit.
    pub slip: Signal<Out, Bits<4>>,
    /// State, as register STATUS shows it.
    pub state: Signal<Out, Bits<3>>,
    /// Why it changed last.
    pub reason: Signal<Out, Bits<REASON_BITS>>,
    /// Init, Active, Degraded or Bist: rows may move. While it is 0, gearbox and LTP blocks are to be cleared.
    pub running: Signal<Out, Bit>,
    /// Nothing is known from before: until Active.
    pub fresh: Signal<Out, Bit>,
    /// Times the end came out of Down.
    pub epoch: Signal<Out, Bits<16>>,
    /// Lanes, by the peer's numbers, that the peer is asked to use.
    pub rx_ok: Signal<Out, Bits<4>>,
    /// Lanes sent on.
    pub tx_lanes: Signal<Out, Bits<4>>,
    /// Lanes received on, by the sender's numbers.
    pub rx_lanes: Signal<Out, Bits<4>>,
    /// CRC mode sent in.
    pub tx_mode: Signal<Out, Bits<2>>,
    /// CRC mode received in.
    pub rx_mode: Signal<Out, Bits<2>>,
    /// What the peer announced last, as `offer`.
    pub peer_offer: Signal<Out, Bits<OFFER_BITS>>,
    /// Bond index that the peer names.
    pub peer_bond: Signal<Out, Bits<2>>,
    /// The peer was fresh.
    pub peer_fresh: Signal<Out, Bit>,
    /// The peer's epoch.
    pub peer_epoch: Signal<Out, Bits<16>>,
    /// The peer's GUID, low half.
    pub peer_guid_low: Signal<Out, Bits<32>>,
    /// The peer's GUID, high half.
    pub peer_guid_high: Signal<Out, Bits<32>>,
    /// Rows to send; two at most wait here, one before the start row.
    pub rows_in: StreamIn<Bits<ROW_BITS>>,
    /// Rows received: word i (logical lane i) in bits 32i..32i+31; words L and up are 0.
    pub rows_out: FlowOut<Bits<ROW_BITS>>,
    /// With a row. Bit i: word i is a control word or was marked bad by the PHY.
    pub row_error: Signal<Out, Bits<4>>,
    /// The peer's start row has come; before the first row.
    pub row_start: Signal<Out, Bit>,
    /// Where each of the sender's lanes comes in.
    pub source: [Signal<Out, Bits<2>>; LANES],
    /// The receiver waits for start rows.
    pub rx_clear: Signal<Out, Bit>,
    /// L - 1 of the direction sent in.
    pub tx_last_lane: Signal<Out, Bits<2>>,
    /// L - 1 of the direction received in.
    pub rx_last_lane: Signal<Out, Bits<2>>,
    /// Pulse, counter DESKEW_LOST.
    pub deskew_lost: Signal<Out, Bit>,
    /// Pulse per lane (sender's number), counters of code errors.
    pub code_errors: Signal<Out, Bits<4>>,
    /// To the PHY: word in bits 31..0, ctl in bit 32.
    pub tx: [StreamOut<Bits<LANE_BITS>>; LANES],
    /// From the PHY: word in bits 31..0, ctl in bit 32, code_err in bit 33.
    pub rx: [FlowIn<Bits<LANE_IN_BITS>>; LANES],

    train: LinkTrain<LANES, PROBATION>,
    sender: LinkLaneTx<LANES, PROBATION>,
    receiver: LinkLaneRx<LANES>,
    probation: [LinkProbation<LANES>; PROBATION],
}

impl<const LANES: usize, const PROBATION: usize> LinkLanes<LANES, PROBATION> {
    /// Training as configured; `config.lanes` must be `LANES`.
    pub fn new(config: LinkTrainConfig) -> Result<Self, ConfigError> {
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            enable: Default::default(),
            allowed: Default::default(),
            offer: Default::default(),
            bond_index: Default::default(),
            next_rx: Default::default(),
            guid_low: Default::default(),
            guid_high: Default::default(),
            give_up: Default::default(),
            remove: Default::default(),
            remove_lane: Default::default(),
            restore: Default::default(),
            retrain: Default::default(),
            ltp: defaults(),
            degrade_cfg: defaults(),
            init_done: Default::default(),
            bist_start: Default::default(),
            bist_end: Default::default(),
            signal_ok: Default::default(),
            lane_lock: Default::default(),
            invert: Default::default(),
            slip: Default::default(),
            state: Default::default(),
            reason: Default::default(),
            running: Default::default(),
            fresh: Default::default(),
            epoch: Default::default(),
            rx_ok: Default::default(),
            tx_lanes: Default::default(),
            rx_lanes: Default::default(),
            tx_mode: Default::default(),
            rx_mode: Default::default(),
            peer_offer: Default::default(),
            peer_bond: Default::default(),
            peer_fresh: Default::default(),
            peer_epoch: Default::default(),
            peer_guid_low: Default::default(),
            peer_guid_high: Default::default(),
            rows_in: Default::default(),
            rows_out: Default::default(),
            row_error: Default::default(),
            row_start: Default::default(),
            source: defaults(),
            rx_clear: Default::default(),
            tx_last_lane: Default::default(),
            rx_last_lane: Default::default(),
            deskew_lost: Default::default(),
            code_errors: Default::default(),
            tx: defaults(),
            rx: defaults(),
            train: LinkTrain::new(config)?,
            sender: LinkLaneTx::new()?,
            receiver: LinkLaneRx::new()?,
            probation: copies("link_lanes", LinkProbation::new)?,
        })
    }
}

impl<const LANES: usize, const PROBATION: usize> Logic for LinkLanes<LANES, PROBATION> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, train, sender, receiver);
        self.train.clear.next = self.clear.val();
        self.train.enable.next = self.enable.val();
        self.train.allowed.next = self.allowed.val();
        self.train.offer.next = self.offer.val();
        self.train.bond_index.next = self.bond_index.val();
        self.train.next_rx.next = self.next_rx.val();
        self.train.guid_low.next = self.guid_low.val();
        self.train.guid_high.next = self.guid_high.val();
        self.train.give_up.next = self.give_up.val();
        self.train.remove.next = self.remove.val();
        self.train.remove_lane.next = self.remove_lane.val();
        self.train.restore.next = self.restore.val();
        self.train.retrain.next = self.retrain.val();
        self.train.init_done.next = self.init_done.val();
        self.train.bist_start.next = self.bist_start.val();
        self.train.bist_end.next = self.bist_end.val();
        self.train.signal_ok.next = self.signal_ok.val();
        self.train.lane_lock.next = self.lane_lock.val();
        self.train.row_start.next = self.receiver.row_start.val();
        self.train.start_mismatch.next = self.receiver.start_mismatch.val();
        self.train.row_waits.next = self.sender.row_waits.val();
        self.train.deskew_lost.next = self.receiver.deskew_lost.val();

        self.sender.clear.next = self.train.tx_clear.val();
        self.sender.start.next = self.train.tx_start.val();
        self.sender.active.next = self.train.tx_lanes.val();
        self.sender.crc_mode.next = self.train.tx_mode.val();
        self.sender.bond_index.next = self.bond_index.val();
        self.tx_last_lane.next = self.sender.last_lane.val();
        // The sender is cleared a clock behind `clear`.
        self.sender.rows.data.next = self.rows_in.data.val();
        self.sender.rows.valid.next = self.rows_in.valid.val() & !self.clear.val();
        self.rows_in.ready.next = self.sender.rows.ready.val() & !self.clear.val();

        self.receiver.clear.next = self.train.rx_clear.val();
        self.rx_clear.next = self.train.rx_clear.val();
        self.receiver.active.next = self.train.rx_lanes.val();
        self.receiver.crc_mode.next = self.train.rx_mode.val();
        self.rx_last_lane.next = self.receiver.last_lane.val();
        FlowOut::<Bits<ROW_BITS>>::link(&mut self.rows_out, &mut self.receiver.rows);
        self.row_error.next = self.receiver.row_error.val();
        self.row_start.next = self.receiver.row_start.val();
        self.deskew_lost.next = self.receiver.deskew_lost.val();
        self.code_errors.next = self.receiver.code_errors.val();

        for i in 0..LANES {
            StreamOut::<Bits<LANE_BITS>>::join(&mut self.train.training[i], &mut self.sender.training[i]);
            StreamOut::<Bits<LANE_BITS>>::link(&mut self.tx[i], &mut self.sender.lanes[i]);
            self.receiver.source[i].next = self.train.source[i].val();
            self.source[i].next = self.train.source[i].val();
            self.receiver.lanes[i].valid.next = self.rx[i].valid.val();
            self.receiver.lanes[i].data.next = self.rx[i].data.val();
            self.train.lanes[i].valid.next = self.rx[i].valid.val();
            self.train.lanes[i].data.next = self.rx[i].data.val();
        }
        for i in 0..PROBATION {
            self.probation[i].clock.next = self.clock.val();
            self.probation[i].clear.next = self.clear.val();
            self.probation[i].state.next = self.train.state.val();
            self.probation[i].allowed.next = self.allowed.val();
            self.probation[i].tx_lanes.next = self.train.tx_lanes.val();
            self.probation[i].rx_lanes.next = self.train.rx_lanes.val();
            self.probation[i].restore.next = self.restore.val();
            self.probation[i].ltp.next = self.ltp[i].val();
            self.probation[i].enabled.next = self.degrade_cfg[i].val().get_bit(0);
            self.probation[i].threshold.next = self.degrade_cfg[i].val().get_bits::<3>(3);
            self.probation[i].safe.next = self.degrade_cfg[i].val().get_bits::<3>(8);
            for j in 0..LANES {
                self.probation[i].source[j].next = self.train.source[j].val();
                self.probation[i].lanes[j].valid.next = self.rx[j].valid.val();
                self.probation[i].lanes[j].data.next = self.rx[j].data.val();
            }
            self.sender.probe[i].next = self.probation[i].probe.val();
            self.train.returned[i].next = self.probation[i].returned.val();
            self.train.retrain.next = self.retrain.val() | self.probation[i].retrain.val();
        }
        self.invert.next = self.train.invert.val();
        self.slip.next = self.train.slip.val();
        self.state.next = self.train.state.val();
        self.reason.next = self.train.reason.val();
        self.running.next = self.train.running.val();
        self.fresh.next = self.train.fresh.val();
        self.epoch.next = self.train.epoch.val();
        self.rx_ok.next = self.train.rx_ok.val();
        self.tx_lanes.next = self.train.tx_lanes.val();
        self.rx_lanes.next = self.train.rx_lanes.val();
        self.tx_mode.next = self.train.tx_mode.val();
        self.rx_mode.next = self.train.rx_mode.val();
        self.peer_offer.next = self.train.peer_offer.val();
        self.peer_bond.next = self.train.peer_bond.val();
        self.peer_fresh.next = self.train.peer_fresh.val();
        self.peer_epoch.next = self.train.peer_epoch.val();
        self.peer_guid_low.next = self.train.peer_guid_low.val();
        self.peer_guid_high.next = self.train.peer_guid_high.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        label("link_lanes", LANES, PROBATION)
    }
}

drive_ports!(impl[const LANES: usize, const PROBATION: usize] LinkLanes<LANES, PROBATION> {
    clock, clear, enable, allowed, offer, bond_index, next_rx, guid_low, guid_high, give_up, remove,
    remove_lane, restore, retrain, ltp, degrade_cfg, init_done, bist_start, bist_end, signal_ok, lane_lock, invert, slip, state,
    reason, running, fresh, epoch, rx_ok, tx_lanes, rx_lanes, tx_mode, rx_mode, peer_offer, peer_bond, peer_fresh,
    peer_epoch, peer_guid_low, peer_guid_high, rows_in, rows_out, row_error, row_start, source, rx_clear, tx_last_lane,
    rx_last_lane, deskew_lost, code_errors, tx, rx,
});
