//! Training of one end: the parts together.

use super::machine::REASON_BITS;
use super::transmit::OFFER_BITS;
use super::{
    label, LinkTrainConfig, TrainEvents, TrainLocks, TrainMachine, TrainMode, TrainSetRx, TrainSetTx,
    TrainView,
};
use crate::config::{check_derived, ConfigError};
use crate::link::lane::{LANE_BITS, LANE_IN_BITS};
use crate::prim::stream::{FlowIn, StreamOut};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;

/// Link training; see the [module](super).
#[derive(LogicBlock)]
pub struct LinkTrain<const LANES: usize, const PROBATION: usize = 0> {
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
    /// If lanes come back from probation, with `retrain`: these do, by the sender's numbers; until the state is another.
    pub returned: [Signal<In, Bits<4>>; PROBATION],
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
    /// Bond index that the sets of the first lane in use named when all lanes agreed.
    pub peer_bond: Signal<Out, Bits<2>>,
    /// The peer was fresh.
    pub peer_fresh: Signal<Out, Bit>,
    /// The peer's epoch.
    pub peer_epoch: Signal<Out, Bits<16>>,
    /// The peer's GUID, low half.
    pub peer_guid_low: Signal<Out, Bits<32>>,
    /// The peer's GUID, high half.
    pub peer_guid_high: Signal<Out, Bits<32>>,
    /// Pulse, from `link_lane_rx`: a start row has come.
    pub row_start: Signal<In, Bit>,
    /// Pulse, from `link_lane_rx`: it is not as agreed.
    pub start_mismatch: Signal<In, Bit>,
    /// Pulse, from `link_lane_rx`.
    pub deskew_lost: Signal<In, Bit>,
    /// From `link_lane_tx`: a row waits there, for which the start row waits.
    pub row_waits: Signal<In, Bit>,
    /// To `link_lane_rx`: where each of the sender's lanes comes in.
    pub source: [Signal<Out, Bits<2>>; LANES],
    /// To `link_lane_rx`: its `clear`, a clock behind what leads to it.
    pub rx_clear: Signal<Out, Bit>,
    /// To `link_lane_tx`: its `start`, while the lanes have the last word of the last set.
    pub tx_start: Signal<Out, Bit>,
    /// To `link_lane_tx`: its `clear`, one clock when rows must stop, a clock behind what leads to it.
    pub tx_clear: Signal<Out, Bit>,
    /// Lane words: word in bits 31..0, ctl in bit 32, code_err in bit 33.
    pub lanes: [FlowIn<Bits<LANE_IN_BITS>>; LANES],
    /// Training words, to `link_lane_tx`.
    pub training: [StreamOut<Bits<LANE_BITS>>; LANES],

    sets_out: TrainSetTx<LANES>,
    sets_in: [TrainSetRx; LANES],
    kept_bond: DFF<Bits<2>>,
    named_bond: Signal<Local, Bits<2>>,
    named: Signal<Local, Bit>,
    view: TrainView,
    locks: TrainLocks,
    events: TrainEvents,
    mode: TrainMode,
    machine: TrainMachine<PROBATION>,
    idle: DFF<Bits<6>>,
    has_called: DFF<Bit>,
    has_called_by_ts1: DFF<Bit>,
    from: [DFF<Bits<2>>; LANES],
    wires: DFF<Bits<4>>,
    rx_cleared: DFF<Bit>,
    tx_cleared: DFF<Bit>,
    ran: DFF<Bit>,
    /// What the sets say of this end; of one clock, so that no set mixes two states.
    shows_send: DFF<Bits<4>>,
    shows_ts2: DFF<Bits<4>>,
    shows_rx_ok: DFF<Bits<4>>,
    shows_request: DFF<Bits<4>>,
    shows_answer: DFF<Bits<4>>,
    shows_fresh: DFF<Bit>,
    /// A tick, a clock late: what ends a set is a long path.
    ticked: DFF<Bit>,
    present: Signal<Local, Bits<4>>,
    came: Signal<Local, Bits<4>>,
    is_ts2: Signal<Local, Bits<4>>,
    turned: Signal<Local, Bits<4>>,
    slips: Signal<Local, Bits<4>>,
    to_send: Signal<Local, Bits<4>>,
    second: Signal<Local, Bits<4>>,
    signal_lost: Signal<Local, Bit>,
}

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
            returned: defaults(),
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
            kept_bond: Default::default(),
            named_bond: Default::default(),
            named: Default::default(),
            peer_epoch: Default::default(),
            peer_guid_low: Default::default(),
            peer_guid_high: Default::default(),
            row_start: Default::default(),
            start_mismatch: Default::default(),
            deskew_lost: Default::default(),
            row_waits: Default::default(),
            source: defaults(),
            rx_clear: Default::default(),
            tx_start: Default::default(),
            tx_clear: Default::default(),
            lanes: defaults(),
            training: defaults(),
            sets_out: TrainSetTx::new()?,
            sets_in,
            view: TrainView::new()?,
            locks: TrainLocks::new(&config),
            events: Default::default(),
            mode: Default::default(),
            machine: TrainMachine::new(&config),
            idle: Default::default(),
            has_called: Default::default(),
            has_called_by_ts1: Default::default(),
            from: defaults(),
            wires: Default::default(),
            rx_cleared: Default::default(),
            tx_cleared: Default::default(),
            ran: Default::default(),
            shows_send: Default::default(),
            shows_ts2: Default::default(),
            shows_rx_ok: Default::default(),
            shows_request: Default::default(),
            shows_answer: Default::default(),
            shows_fresh: Default::default(),
            ticked: Default::default(),
            present: Default::default(),
            came: Default::default(),
            is_ts2: Default::default(),
            turned: Default::default(),
            slips: Default::default(),
            to_send: Default::default(),
            second: Default::default(),
            signal_lost: Default::default(),
        })
    }
}

impl<const LANES: usize, const PROBATION: usize> Logic for LinkTrain<LANES, PROBATION> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            idle,
            ticked,
            has_called,
            has_called_by_ts1,
            wires,
            rx_cleared,
            tx_cleared,
            ran
        );
        dff_setup!(
            self,
            clock,
            kept_bond,
            shows_send,
            shows_ts2,
            shows_rx_ok,
            shows_request,
            shows_answer,
            shows_fresh
        );
        clock!(self, clock, sets_out, view, locks, events, mode, machine);

        // The lanes' last sets, all together.
        self.present.next = 0.into();
        self.came.next = 0.into();
        self.is_ts2.next = 0.into();
        self.turned.next = 0.into();
        self.slips.next = 0.into();
        for i in 0..4 {
            self.view.number[i].next = 0.into();
            self.view.count[i].next = 0.into();
            self.view.behind[i].next = 0.into();
            self.view.word[i].next = 0.into();
        }
        for i in 0..LANES {
            self.sets_in[i].clock.next = self.clock.val();
            self.sets_in[i].clear.next = self.clear.val();
            self.sets_in[i].may_turn.next = self.machine.training.val();
            self.sets_in[i].signal_ok.next = self.signal_ok.val().get_bit(i);
            self.sets_in[i].lane_lock.next = self.lane_lock.val().get_bit(i);
            self.sets_in[i].hold.next = self.view.hold.val();
            self.sets_in[i].read_word.next = self.view.read_word.val();
            FlowIn::<Bits<LANE_IN_BITS>>::link(&mut self.lanes[i], &mut self.sets_in[i].lane);
            self.present.next = self.present.val().replace_bit(i, self.sets_in[i].present.val());
            self.came.next = self.came.val().replace_bit(i, self.sets_in[i].came.val());
            self.is_ts2.next = self.is_ts2.val().replace_bit(i, self.sets_in[i].is_ts2.val());
            self.turned.next = self.turned.val().replace_bit(i, self.sets_in[i].invert.val());
            self.slips.next = self.slips.val().replace_bit(i, self.sets_in[i].slip.val());
            self.view.number[i].next = self.sets_in[i].number.val();
            self.view.count[i].next = self.sets_in[i].count.val();
            self.view.behind[i].next = self.sets_in[i].behind.val();
            self.view.word[i].next = self.sets_in[i].word.val();
        }
        self.invert.next = self.turned.val();
        self.slip.next = self.slips.val();

        // A step when a set ends; at the latest after 65 clocks, so that a PHY that stands still holds nothing up.
        self.ticked.d.next = self.sets_out.set_end.val() | self.idle.q.val().all();
        self.idle.d.next = self.idle.q.val() + 1;
        if self.ticked.q.val() {
            self.idle.d.next = 0.into();
        }
        self.view.clear.next = self.clear.val();
        self.view.tick.next = self.ticked.q.val();
        self.view.present.next = self.present.val();
        self.view.came.next = self.came.val();
        self.view.is_ts2.next = self.is_ts2.val();
        self.view.rx_ok.next = self.machine.rx_ok.val();
        self.view.request.next = self.machine.request.val();
        self.view.keep.next = self.machine.keep.val();

        self.locks.forget.next = self.clear.val() | self.machine.unlock.val();
        self.locks.step.next = (self.view.phase.val() == 5) & self.machine.training.val();
        self.locks.valid.next = self.view.valid.val();
        self.has_called.d.next = false;
        self.has_called_by_ts1.d.next = false;
        for i in 0..4 {
            self.locks.numbers[i].next = self.view.numbers[i].val();
            if self.view.valid.val().get_bit(i)
                & self.machine.rx_lanes.val().get_bit(self.view.numbers[i].val().index())
            {
                self.has_called.d.next = true;
                if self.view.ts1.val().get_bit(i) {
                    self.has_called_by_ts1.d.next = true;
                }
            }
        }

        self.signal_lost.next =
            self.machine.running.val() & (self.wires.q.val() & !self.signal_ok.val()).any();
        self.events.clear.next = self.clear.val();
        self.events.take.next = self.view.phase.val() == 3;
        self.events.confirming.next = self.machine.confirming.val();
        self.events.heeded.next = self.machine.heeded.val();
        self.events.give_up.next = self.give_up.val();
        self.events.remove.next = self.remove.val();
        self.events.remove_lane.next = self.remove_lane.val();
        self.events.restore.next = self.restore.val();
        self.events.retrain.next = (self.retrain.val() | self.deskew_lost.val()) | self.signal_lost.val();
        self.events.init_done.next = self.init_done.val();
        self.events.bist_end.next = self.bist_end.val();
        self.events.bist_start.next = self.bist_start.val();

        self.to_send.next = self.view.asked.val() & self.allowed.val();
        self.mode.mine.next = self.offer.val().get_bits::<7>(0);
        self.mode.yours.next = self.view.offer.val().get_bits::<7>(0);
        self.mode.tx_lanes.next = self.to_send.val();
        self.mode.rx_lanes.next = self.view.used.val();

        self.machine.clear.next = self.clear.val();
        self.machine.phase.next = self.view.phase.val();
        self.machine.enable.next = self.enable.val();
        self.machine.allowed.next = self.allowed.val();
        self.machine.event.next = self.events.event.val();
        self.machine.event_retrains.next = self.events.retrains.val();
        self.machine.event_lane.next = self.events.lane.val();
        for i in 0..PROBATION {
            self.machine.returned[i].next = self.returned[i].val();
        }
        self.machine.locked.next = self.locks.locked.val();
        self.machine.called.next = self.has_called.q.val();
        self.machine.called_by_ts1.next = self.has_called_by_ts1.q.val();
        self.machine.row_start.next = self.row_start.val();
        self.machine.start_mismatch.next = self.start_mismatch.val();
        self.machine.agreed.next = self.view.agreed.val();
        self.machine.all_ts2.next = self.view.all_ts2.val();
        self.machine.answered.next = self.view.answered.val();
        self.machine.peer_request.next = self.view.peer_request.val();
        self.machine.same.next = self.view.same.val();
        self.machine.lined_up.next = self.view.lined_up.val();
        self.machine.used.next = self.view.used.val();
        self.machine.to_send.next = self.to_send.val();
        self.machine.mode_possible.next = self.mode.possible.val();
        self.machine.mode_to_send.next = self.mode.tx_mode.val();
        self.machine.mode_to_receive.next = self.mode.rx_mode.val();
        self.machine.late.next = self.view.late.val();
        self.machine.row_waits.next = self.row_waits.val();
        self.machine.at_set_end.next = self.sets_out.at_end.val();

        self.sets_out.clear.next = self.clear.val();
        self.shows_send.d.next = self.machine.send.val();
        self.sets_out.send.next = self.shows_send.q.val();
        self.second.next = 0.into();
        if self.machine.announces.val() {
            self.second.next = self.machine.tx_lanes.val();
        }
        self.shows_ts2.d.next = self.second.val();
        self.sets_out.ts2.next = self.shows_ts2.q.val();
        self.sets_out.offer.next = self.offer.val();
        self.shows_fresh.d.next = self.machine.fresh.val();
        self.sets_out.fresh.next = self.shows_fresh.q.val();
        self.sets_out.tx_mask.next = self.allowed.val();
        self.shows_rx_ok.d.next = self.machine.told_rx_ok.val();
        self.sets_out.rx_ok.next = self.shows_rx_ok.q.val();
        self.shows_request.d.next = self.machine.request.val();
        self.sets_out.request.next = self.shows_request.q.val();
        self.shows_answer.d.next = self.machine.told_answer.val();
        self.sets_out.answer.next = self.shows_answer.q.val();
        self.sets_out.epoch.next = self.machine.epoch.val();
        self.sets_out.bond_index.next = self.bond_index.val();
        self.sets_out.next_rx.next = self.next_rx.val();
        self.sets_out.guid_low.next = self.guid_low.val();
        self.sets_out.guid_high.next = self.guid_high.val();

        // To the lane blocks.
        for i in 0..LANES {
            self.from[i].clock.next = self.clock.val();
            self.from[i].d.next = self.from[i].q.val();
            if self.machine.agree.val() {
                self.from[i].d.next = self.view.source[i].val();
            }
            self.source[i].next = self.from[i].q.val();
            StreamOut::<Bits<LANE_BITS>>::link(&mut self.training[i], &mut self.sets_out.training[i]);
        }
        self.named_bond.next = 0.into();
        self.named.next = false;
        for i in 0..LANES {
            if self.view.used_wires.val().get_bit(i) & !self.named.val() {
                self.named_bond.next = self.sets_in[i].bond.val();
                self.named.next = true;
            }
        }
        if self.machine.agree.val() {
            self.wires.d.next = self.view.used_wires.val();
            self.kept_bond.d.next = self.named_bond.val();
        }
        self.peer_bond.next = self.kept_bond.q.val();
        self.rx_cleared.d.next =
            !(self.machine.confirming.val() | self.machine.running.val()) | self.clear.val();
        self.rx_clear.next = self.rx_cleared.q.val();
        self.ran.d.next = self.machine.running.val();
        self.tx_cleared.d.next = (self.ran.q.val() & !self.machine.running.val()) | self.clear.val();
        self.tx_clear.next = self.tx_cleared.q.val();
        self.tx_start.next = self.machine.start.val();

        self.state.next = self.machine.state.val();
        self.reason.next = self.machine.reason.val();
        self.running.next = self.machine.running.val();
        self.fresh.next = self.machine.fresh.val();
        self.epoch.next = self.machine.epoch.val();
        self.rx_ok.next = self.machine.rx_ok.val();
        self.tx_lanes.next = self.machine.tx_lanes.val();
        self.rx_lanes.next = self.machine.rx_lanes.val();
        self.tx_mode.next = self.machine.tx_mode.val();
        self.rx_mode.next = self.machine.rx_mode.val();
        self.peer_offer.next = self.view.peer_offer.val();
        self.peer_fresh.next = self.view.peer_fresh.val();
        self.peer_epoch.next = self.view.peer_epoch.val();
        self.peer_guid_low.next = self.view.peer_guid_low.val();
        self.peer_guid_high.next = self.view.peer_guid_high.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        label("link_train", LANES, PROBATION)
    }
}

drive_ports!(impl[const LANES: usize, const PROBATION: usize] LinkTrain<LANES, PROBATION> {
    clock, clear, enable, allowed, offer, bond_index, next_rx, guid_low, guid_high, give_up, remove,
    remove_lane, restore, retrain, returned, init_done, bist_start, bist_end, signal_ok, lane_lock, invert, slip, state,
    reason, running, fresh, epoch, rx_ok, tx_lanes, rx_lanes, tx_mode, rx_mode, peer_offer, peer_bond, peer_fresh,
    peer_epoch, peer_guid_low, peer_guid_high, row_start, start_mismatch, deskew_lost, row_waits, source, rx_clear,
    tx_start, tx_clear, lanes, training,
});
