//! The lane side of a port.

use super::machine::REASON_BITS;
use super::transmit::OFFER_BITS;
use super::{label, LinkTrain, LinkTrainConfig};
use crate::lane::{LinkLaneRx, LinkLaneTx, LANE_BITS, LANE_IN_BITS, ROW_BITS};
use crate::ltp_wide::copies;
use crate::probation::LinkProbation;
use flitforge_hdl_prim::prelude::*;

/// [`LinkTrain`], [`LinkLaneTx`] and [`LinkLaneRx`] together: rows on one side, lane PHYs on the other; with `PROBATION` 1
/// [`LinkProbation`], too.
#[block(new)]
pub struct LinkLanes<const LANES: usize, const PROBATION: usize = 0> {
    /// Clock.
    clock: In<Clock>,
    /// Synchronous clear: Down, epoch 0.
    clear: In<Bit>,
    /// CTRL.ENABLE; 0 is CTRL.DISABLE.
    enable: In<Bit>,
    /// LANES.allowed: lanes that may be used.
    allowed: In<Bits<4>>,
    /// What the training sets announce: word 1 of the layout in the protocol crate, without `fresh`.
    offer: In<Bits<OFFER_BITS>>,
    /// Bond index.
    bond_index: In<Bits<2>>,
    /// `NxtRxLTP`.
    next_rx: In<Bits<16>>,
    /// GUID, low half.
    guid_low: In<Bits<32>>,
    /// GUID, high half.
    guid_high: In<Bits<32>>,
    /// Pulse: REINIT_LIMIT; Down, and up again.
    give_up: In<Bit>,
    /// Pulse: the bucket of `remove_lane` (sender's number) is full.
    remove: In<Bit>,
    /// That lane.
    remove_lane: In<Bits<2>>,
    /// Pulse: CTRL.RESTORE.
    restore: In<Bit>,
    /// Pulse: CTRL.RETRAIN, a fault of retry, the timeout of Init, or a FIFO's over- or underflow.
    retrain: In<Bit>,
    /// With probation, pulse: an LTP was received, good or bad.
    ltp: [In<Bit>; PROBATION],
    /// With probation: register DEGRADE.
    degrade_cfg: [In<Bits<11>>; PROBATION],
    /// Pulse: round trip known and InitAck seen.
    init_done: In<Bit>,
    /// Pulse: chapter 30's lane test takes the lanes.
    bist_start: In<Bit>,
    /// Pulse: it is over.
    bist_end: In<Bit>,
    /// Lanes on which the PHY has a signal.
    signal_ok: In<Bits<4>>,
    /// Lanes on which the PHY has found the word boundary itself.
    lane_lock: In<Bits<4>>,
    /// Lanes the PHY is to invert.
    invert: Out<Bits<4>>,
    /// Pulse per lane: the PHY is to move the word boundary by one bit.
    slip: Out<Bits<4>>,
    /// State, as register STATUS shows it.
    state: Out<Bits<3>>,
    /// Why it changed last.
    reason: Out<Bits<REASON_BITS>>,
    /// Init, Active, Degraded or Bist: rows may move. While it is 0, gearbox and LTP blocks are to be cleared.
    running: Out<Bit>,
    /// Nothing is known from before: until Active.
    fresh: Out<Bit>,
    /// Times the end came out of Down.
    epoch: Out<Bits<16>>,
    /// Lanes, by the peer's numbers, that the peer is asked to use.
    rx_ok: Out<Bits<4>>,
    /// Lanes sent on.
    tx_lanes: Out<Bits<4>>,
    /// Lanes received on, by the sender's numbers.
    rx_lanes: Out<Bits<4>>,
    /// CRC mode sent in.
    tx_mode: Out<Bits<2>>,
    /// CRC mode received in.
    rx_mode: Out<Bits<2>>,
    /// What the peer announced last, as `offer`.
    peer_offer: Out<Bits<OFFER_BITS>>,
    /// Bond index that the peer names.
    peer_bond: Out<Bits<2>>,
    /// The peer was fresh.
    peer_fresh: Out<Bit>,
    /// The peer's epoch.
    peer_epoch: Out<Bits<16>>,
    /// The peer's GUID, low half.
    peer_guid_low: Out<Bits<32>>,
    /// The peer's GUID, high half.
    peer_guid_high: Out<Bits<32>>,
    /// Rows to send; two at most wait here, one before the start row.
    pub rows_in: StreamIn<Bits<ROW_BITS>>,
    /// Rows received: word i (logical lane i) in bits 32i..32i+31; words L and up are 0.
    pub rows_out: FlowOut<Bits<ROW_BITS>>,
    /// With a row. Bit i: word i is a control word or was marked bad by the PHY.
    row_error: Out<Bits<4>>,
    /// The peer's start row has come; before the first row.
    row_start: Out<Bit>,
    /// Where each of the sender's lanes comes in.
    source: [Out<Bits<2>>; LANES],
    /// The receiver waits for start rows.
    rx_clear: Out<Bit>,
    /// L - 1 of the direction sent in.
    tx_last_lane: Out<Bits<2>>,
    /// L - 1 of the direction received in.
    rx_last_lane: Out<Bits<2>>,
    /// Pulse, counter DESKEW_LOST.
    deskew_lost: Out<Bit>,
    /// Pulse per lane (sender's number), counters of code errors.
    code_errors: Out<Bits<4>>,
    /// To the PHY: word in bits 31..0, ctl in bit 32.
    pub tx: [StreamOut<Bits<LANE_BITS>>; LANES],
    /// From the PHY: word in bits 31..0, ctl in bit 32, code_err in bit 33.
    pub rx: [FlowIn<Bits<LANE_IN_BITS>>; LANES],

    #[wire(clock, clear, enable)]
    train: LinkTrain<LANES, PROBATION>,
    #[wire(clock)]
    sender: LinkLaneTx<LANES, PROBATION>,
    #[wire(clock)]
    receiver: LinkLaneRx<LANES>,
    #[wire(clock, clear)]
    probation: [LinkProbation<LANES>; PROBATION],
}

#[logic]
impl<const LANES: usize, const PROBATION: usize> LinkLanes<LANES, PROBATION> {
    /// Training as configured; `config.lanes` must be `LANES`.
    pub fn new(config: LinkTrainConfig) -> Result<Self, ConfigError> {
        Ok(Self {
            train: LinkTrain::new(config)?,
            sender: LinkLaneTx::new()?,
            receiver: LinkLaneRx::new()?,
            probation: copies("link_lanes", LinkProbation::new)?,
            ..
        })
    }

    fn update(&mut self) {
        train = In { allowed, offer, bond_index, next_rx, guid_low, guid_high, give_up, remove, remove_lane };
        train = In { restore, retrain, init_done, bist_start, bist_end, signal_ok, lane_lock };
        train = In { row_start: receiver.row_start, start_mismatch: receiver.start_mismatch };
        train = In { row_waits: sender.row_waits, deskew_lost: receiver.deskew_lost };

        sender = In { clear: train.tx_clear, start: train.tx_start, active: train.tx_lanes };
        sender = In { crc_mode: train.tx_mode, bond_index };
        tx_last_lane = sender.last_lane;
        // The sender is cleared a clock after `clear`.
        sender.rows = In { data: rows_in.data, valid: rows_in.valid & !clear };
        rows_in.ready = sender.rows.ready & !clear;

        receiver.clear = train.rx_clear;
        rx_clear = train.rx_clear;
        receiver = In { active: train.rx_lanes, crc_mode: train.rx_mode };
        rx_last_lane = receiver.last_lane;
        link(rows_out, receiver.rows);
        Out { row_error, row_start, deskew_lost, code_errors } = receiver;

        for i in 0..LANES {
            join(train.training[i], sender.training[i]);
            link(tx[i], sender.lanes[i]);
            receiver.source[i] = train.source[i];
            source[i] = train.source[i];
            receiver.lanes[i] = In { valid: rx[i].valid, data: rx[i].data };
            train.lanes[i] = In { valid: rx[i].valid, data: rx[i].data };
        }
        for i in 0..PROBATION {
            probation[i] = In { state: train.state, allowed, tx_lanes: train.tx_lanes };
            probation[i] = In { rx_lanes: train.rx_lanes, restore, ltp: ltp[i], enabled: degrade_cfg[i][0] };
            probation[i] = In { threshold: degrade_cfg[i].bits::<3>(3), safe: degrade_cfg[i].bits::<3>(8) };
            for j in 0..LANES {
                probation[i].source[j] = train.source[j];
                probation[i].lanes[j] = In { valid: rx[j].valid, data: rx[j].data };
            }
            sender.probe[i] = probation[i].probe;
            train.returned[i] = probation[i].returned;
            train.retrain = retrain | probation[i].retrain;
        }
        Out { invert, slip, state, reason, running, fresh, epoch, rx_ok, tx_lanes, rx_lanes } = train;
        Out { tx_mode, rx_mode, peer_offer, peer_bond, peer_fresh, peer_epoch, peer_guid_low } = train;
        peer_guid_high = train.peer_guid_high;
    }

    fn timing(&self) -> Vec<TimingInfo> {
        label("link_lanes", LANES, PROBATION)
    }
}
