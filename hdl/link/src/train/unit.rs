//! Training of one end: the parts together.

use super::machine::{Agreement, PeerView, REASON_BITS};
use super::transmit::OFFER_BITS;
use super::{
    label, LinkTrainConfig, TrainEvents, TrainLocks, TrainMachine, TrainMode, TrainSetRx, TrainSetTx,
    TrainView,
};
use crate::lane::{LANE_BITS, LANE_IN_BITS};
use flitforge_hdl_prim::prelude::*;

/// Link training; see the [module](super).
#[block(new)]
pub struct LinkTrain<const LANES: usize, const PROBATION: usize = 0> {
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
    /// If lanes come back from probation, with `retrain`: these do, by the sender's numbers; until the state is another.
    returned: [In<Bits<4>>; PROBATION],
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
    /// Bond index that the sets of the first lane in use named when all lanes agreed.
    peer_bond: Out<Bits<2>>,
    /// The peer was fresh.
    peer_fresh: Out<Bit>,
    /// The peer's epoch.
    peer_epoch: Out<Bits<16>>,
    /// The peer's GUID, low half.
    peer_guid_low: Out<Bits<32>>,
    /// The peer's GUID, high half.
    peer_guid_high: Out<Bits<32>>,
    /// Pulse, from `link_lane_rx`: a start row has come.
    row_start: In<Bit>,
    /// Pulse, from `link_lane_rx`: it is not as agreed.
    start_mismatch: In<Bit>,
    /// Pulse, from `link_lane_rx`.
    deskew_lost: In<Bit>,
    /// From `link_lane_tx`: a row waits there, for which the start row waits.
    row_waits: In<Bit>,
    /// To `link_lane_rx`: where each of the sender's lanes comes in.
    source: [Out<Bits<2>>; LANES],
    /// To `link_lane_rx`: its `clear`, a clock after what leads to it.
    rx_clear: Out<Bit>,
    /// To `link_lane_tx`: its `start`, while the lanes have the last word of the last set.
    tx_start: Out<Bit>,
    /// To `link_lane_tx`: its `clear`, one clock when rows must stop, a clock after what leads to it.
    tx_clear: Out<Bit>,
    /// Lane words: word in bits 31..0, ctl in bit 32, code_err in bit 33.
    pub lanes: [FlowIn<Bits<LANE_IN_BITS>>; LANES],
    /// Training words, to `link_lane_tx`.
    pub training: [StreamOut<Bits<LANE_BITS>>; LANES],

    #[wire(clock, clear)]
    sets_out: TrainSetTx<LANES>,
    #[wire(clock, clear)]
    sets_in: [TrainSetRx; LANES],
    kept_bond: Reg<Bits<2>>,
    named_bond: Local<Bits<2>>,
    named: Local<Bit>,
    #[wire(clock, clear)]
    view: TrainView,
    #[wire(clock)]
    locks: TrainLocks,
    #[wire(clock, clear)]
    events: TrainEvents,
    #[wire(clock)]
    mode: TrainMode,
    #[wire(clock, clear, enable)]
    machine: TrainMachine<PROBATION>,
    idle: Reg<Bits<6>>,
    has_called: Reg<Bit>,
    has_called_by_ts1: Reg<Bit>,
    #[wire(d = _)]
    from: [Reg<Bits<2>>; LANES],
    wires: Reg<Bits<4>>,
    rx_cleared: Reg<Bit>,
    tx_cleared: Reg<Bit>,
    ran: Reg<Bit>,
    /// What the sets say of this end; of one clock, so that no set mixes two states.
    shows_send: Reg<Bits<4>>,
    shows_ts2: Reg<Bits<4>>,
    shows_rx_ok: Reg<Bits<4>>,
    shows_request: Reg<Bits<4>>,
    shows_answer: Reg<Bits<4>>,
    shows_fresh: Reg<Bit>,
    /// A tick, a clock late: what ends a set is a long path.
    ticked: Reg<Bit>,
    present: Local<Bits<4>>,
    received: Local<Bits<4>>,
    is_ts2: Local<Bits<4>>,
    turned: Local<Bits<4>>,
    slips: Local<Bits<4>>,
    to_send: Local<Bits<4>>,
    second: Local<Bits<4>>,
}

#[logic]
impl<const LANES: usize, const PROBATION: usize> LinkTrain<LANES, PROBATION> {
    /// Training as configured; `config.lanes` must be `LANES`.
    pub fn new(config: LinkTrainConfig) -> Result<Self, ConfigError> {
        config.check()?;
        check_derived("link_train", "LANES", LANES as u64, "lanes", config.lanes as u64)?;
        let sets_in: Vec<TrainSetRx> = (0..LANES).map(|_| TrainSetRx::new()).collect::<Result<_, _>>()?;
        let sets_in = sets_in
            .try_into()
            .map_err(|_| ConfigError::new("link_train", "lanes", LANES, "1 to 4", "choose 1 to 4"))?;
        Ok(Self {
            sets_out: TrainSetTx::new()?,
            sets_in,
            view: TrainView::new()?,
            locks: TrainLocks::new(&config),
            machine: TrainMachine::new(&config),
            ..
        })
    }

    fn update(&mut self) {
        self.gather_sets();

        // A step when a set ends; at the latest after 65 clocks, so that a PHY that stands still holds nothing up.
        ticked = sets_out.set_end | idle.all();
        idle = idle + 1;
        if ticked {
            idle = 0;
        }
        view = In { tick: ticked, present, received, is_ts2, rx_ok: machine.rx_ok, request: machine.request };
        view.keep = machine.keep;

        locks = In { forget: clear | machine.unlock, step: (view.phase == 5) & machine.training };
        locks.valid = view.valid;
        let in_use = machine.agreement;
        let lanes_in_use = in_use.rx_lanes;
        has_called = false;
        has_called_by_ts1 = false;
        for i in 0..4 {
            locks.numbers[i] = view.numbers[i];
            if view.valid[i] & lanes_in_use[view.numbers[i]] {
                has_called = true;
                if view.ts1[i] {
                    has_called_by_ts1 = true;
                }
            }
        }

        let signal_lost = machine.running & (wires & !signal_ok).any();
        events =
            In { take: view.phase == 3, confirming: machine.confirming, event_enable: machine.event_enable };
        events = In { give_up, remove, remove_lane, restore, retrain: (retrain | deskew_lost) | signal_lost };
        events = In { init_done, bist_end, bist_start };

        to_send = view.asked & allowed;
        mode = In { mine: offer.bits::<7>(0), yours: view.offer.bits::<7>(0), tx_lanes: to_send };
        mode.rx_lanes = view.used;

        machine = In { phase: view.phase, allowed, event: events.event, event_retrains: events.retrains };
        machine.event_lane = events.lane;
        for i in 0..PROBATION {
            machine.returned[i] = returned[i];
        }
        machine = In { locked: locks.locked, called: has_called, called_by_ts1: has_called_by_ts1 };
        machine = In { row_start, start_mismatch, row_waits, at_set_end: sets_out.at_end };
        let offered = Agreement {
            tx_lanes: to_send,
            rx_lanes: view.used,
            tx_mode: mode.tx_mode,
            rx_mode: mode.rx_mode,
        };
        machine.peer = PeerView {
            agreed: view.agreed,
            all_ts2: view.all_ts2,
            answered: view.answered,
            same: view.same,
            lined_up: view.lined_up,
            mode_possible: mode.possible,
            request: view.peer_request,
            late: view.late,
            offer: offered,
        };

        self.show_sets(in_use);
        self.serve_lanes();

        Out { state, reason, running, fresh, epoch, rx_ok } = machine;
        tx_lanes = in_use.tx_lanes;
        rx_lanes = in_use.rx_lanes;
        tx_mode = in_use.tx_mode;
        rx_mode = in_use.rx_mode;
        Out { peer_offer, peer_fresh, peer_epoch, peer_guid_low, peer_guid_high } = view;
    }

    /// The lanes' last sets, all together.
    fn gather_sets(&mut self) {
        present = 0;
        received = 0;
        is_ts2 = 0;
        turned = 0;
        slips = 0;
        for i in 0..4 {
            view.number[i] = 0;
            view.count[i] = 0;
            view.words_after[i] = 0;
            view.word[i] = 0;
        }
        for i in 0..LANES {
            sets_in[i] = In { may_turn: machine.training, signal_ok: signal_ok[i], lane_lock: lane_lock[i] };
            sets_in[i] = In { hold: view.hold, read_word: view.read_word };
            link(lanes[i], sets_in[i].lane);
            present = present.with(i, sets_in[i].present);
            received = received.with(i, sets_in[i].received);
            is_ts2 = is_ts2.with(i, sets_in[i].is_ts2);
            turned = turned.with(i, sets_in[i].invert);
            slips = slips.with(i, sets_in[i].slip);
            view.number[i] = sets_in[i].number;
            view.count[i] = sets_in[i].count;
            view.words_after[i] = sets_in[i].words_after;
            view.word[i] = sets_in[i].word;
        }
        invert = turned;
        slip = slips;
    }

    /// What the sets say of this end, a clock late.
    fn show_sets(&mut self, in_use: Agreement) {
        shows_send = machine.send;
        sets_out.send = shows_send;
        second = 0;
        if machine.announces {
            second = in_use.tx_lanes;
        }
        shows_ts2 = second;
        sets_out = In { ts2: shows_ts2, offer };
        shows_fresh = machine.fresh;
        sets_out = In { fresh: shows_fresh, tx_mask: allowed };
        shows_rx_ok = machine.sent_rx_ok;
        sets_out.rx_ok = shows_rx_ok;
        shows_request = machine.request;
        sets_out.request = shows_request;
        shows_answer = machine.sent_answer;
        sets_out = In { answer: shows_answer, epoch: machine.epoch, bond_index, next_rx, guid_low };
        sets_out.guid_high = guid_high;
    }

    /// To the lane blocks.
    fn serve_lanes(&mut self) {
        for i in 0..LANES {
            from[i] = from[i];
            if machine.agree {
                from[i] = view.source[i];
            }
            source[i] = from[i];
            link(training[i], sets_out.training[i]);
        }
        named_bond = 0;
        named = false;
        for i in 0..LANES {
            if view.used_wires[i] & !named {
                named_bond = sets_in[i].bond;
                named = true;
            }
        }
        if machine.agree {
            wires = view.used_wires;
            kept_bond = named_bond;
        }
        peer_bond = kept_bond;
        rx_cleared = !(machine.confirming | machine.running) | clear;
        rx_clear = rx_cleared;
        ran = machine.running;
        tx_cleared = (ran & !machine.running) | clear;
        tx_clear = tx_cleared;
        tx_start = machine.start;
    }

    fn timing(&self) -> Vec<TimingInfo> {
        label("link_train", LANES, PROBATION)
    }
}
