//! The parts of `link_replay`, wired.

use super::{
    ReplayChoice, ReplayConfig, ReplayEvents, ReplayInit, ReplayLimits, ReplayMemory, ReplayNulls,
    ReplayPointers, ReplayRoundTrip, ReplaySequencer, ReplayState, ReplayTimers, INIT_BITS, LIMIT_BITS,
    LOST_BITS, POINTER_BITS, STATE_BITS, TOKEN_BITS,
};
use crate::config::ConfigError;
use crate::link::ltp_tx::NULL_BITS;
use crate::prim::stream::{FlowIn, FlowOut, StreamIn};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::beat::beats_per_ltp;

/// Beats of an LTP in which the next one is decided.
const DECISION_BEATS: usize = 4;

/// Replay buffer and retry protocol; see the [module](super) and [`ReplayConfig`] for the parameters.
#[derive(LogicBlock)]
pub struct LinkReplay<
    const F: usize,
    const FLITS_W: usize,
    const WORD_W: usize,
    const INDEX_W: usize,
    const SLOT_W: usize,
    const ADDRESS_W: usize,
> {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// The link is in Init, Active or Degraded; low: OFF as soon as the LTP under way is finished.
    pub run: Signal<In, Bit>,
    /// This end keeps no state; taken when INIT is entered.
    pub fresh: Signal<In, Bit>,
    /// RETRY_LIMIT, 1 to 255.
    pub retry_limit: Signal<In, Bits<LIMIT_BITS>>,
    /// REINIT_LIMIT, 1 to 255.
    pub reinit_limit: Signal<In, Bits<LIMIT_BITS>>,
    /// FREEZE_LTPS, LTP times; 0 = 2 RTT_LTP + 16.
    pub freeze_ltps: Signal<In, Bits<16>>,

    /// The receiver wants a RetryReq pair; the payload is NxtRx and may change while it waits.
    pub retry_req: StreamIn<Bits<POINTER_BITS>>,
    /// NxtRx, for InitReq and InitAck.
    pub next_rx: Signal<In, Bits<POINTER_BITS>>,
    /// A good RetryReq, a pair once: its pointer.
    pub request_in: FlowIn<Bits<POINTER_BITS>>,
    /// A good RndTripMrkr to be answered, a pair once: its token.
    pub answer_in: FlowIn<Bits<TOKEN_BITS>>,
    /// A good answer to a RndTripMrkr: its token.
    pub reply_in: FlowIn<Bits<TOKEN_BITS>>,
    /// A good InitReq or InitAck: {ack, fresh, NxtRx}.
    pub init_in: FlowIn<Bits<INIT_BITS>>,
    /// Event: two or more consecutive bad LTPs.
    pub double_bad: Signal<In, Bit>,
    /// Event: a good LTP of a kind that only an Active end sends, RetrainRetryReq among them.
    pub peer_active: Signal<In, Bit>,
    /// Beats are written with wrong parity, for tests of the fault row of chapter 10, 6.
    pub damage: Signal<In, Bit>,

    /// Beats of originals, from the sender.
    pub stored: FlowIn<Bits<FLITS_W>>,
    /// Place of the beat in its LTP.
    pub stored_place: Signal<In, Bits<INDEX_W>>,
    /// Sideband of that LTP.
    pub stored_side: Signal<In, Bits<2>>,
    /// Place of the beat that the sender takes next.
    pub ltp_place: Signal<In, Bits<INDEX_W>>,
    /// The sender opens an LTP on this edge.
    pub ltp_opened: Signal<In, Bit>,
    /// It is an original.
    pub ltp_start: Signal<In, Bit>,
    /// Its sequence number.
    pub tx_seq: Signal<In, Bits<POINTER_BITS>>,
    /// The sender takes `replay_beat` on this edge.
    pub replay_take: Signal<In, Bit>,
    /// To the sender: no LTP is to be opened.
    pub hold: Signal<Out, Bit>,
    /// To the sender: what is under way goes nowhere.
    pub drain: Signal<Out, Bit>,
    /// To the sender: the next LTP is an original.
    pub original_next: Signal<Out, Bit>,
    /// To the sender: the next LTP is a Null LTP.
    pub null_next: Signal<Out, Bit>,
    /// It: payload [47:0], opcode [55:48].
    pub null_flit: Signal<Out, Bits<NULL_BITS>>,
    /// To the sender: the next LTP is a slot.
    pub replay_next: Signal<Out, Bit>,
    /// Beat of the slot.
    pub replay_beat: Signal<Out, Bits<FLITS_W>>,
    /// Sideband of the slot.
    pub replay_side: Signal<Out, Bits<2>>,
    /// The beat taken last has a parity error.
    pub replay_spoil: Signal<Out, Bit>,
    /// Numbers start at 0, on this edge: for the receiver and the sender.
    pub restart: Signal<Out, Bit>,

    /// The exchange of INIT is over: the link may become Active. Stays until `run` is low.
    pub init_done: Signal<Out, Bit>,
    /// Retraining is asked for; stays until `run` is low.
    pub retrain: Signal<Out, Bit>,
    /// With `retrain`: REINIT_LIMIT is reached, the link has to go Down.
    pub down: Signal<Out, Bit>,
    /// Code of the state, that of the protocol crate's `RetryState`.
    pub state: Signal<Out, Bits<STATE_BITS>>,
    /// NxtTx.
    pub next_tx: Signal<Out, Bits<POINTER_BITS>>,
    /// NxtWr.
    pub next_write: Signal<Out, Bits<POINTER_BITS>>,
    /// RTT_LTP; 0 before it is known.
    pub round_trip: Signal<Out, Bits<16>>,
    /// Round trip in core clocks; holds while it is known.
    pub round_trip_clocks: Signal<Out, Bits<32>>,
    /// Fillers of a pad.
    pub pad: Signal<Out, Bits<16>>,
    /// Event: an LTP time of this direction has gone by.
    pub ltp_time: Signal<Out, Bit>,
    /// Event: a RetryReq pair is sent.
    pub retry_tx: Signal<Out, Bit>,
    /// Event: a RetryReq has come, the exchange of INIT being over.
    pub retry_rx: Signal<Out, Bit>,
    /// Event: FREEZE is entered.
    pub frozen: Signal<Out, Bit>,
    /// Event: a pointer that is not in the buffer.
    pub bad_pointer: Signal<Out, Bit>,
    /// Event: an LTP with a parity error is sent.
    pub replay_parity: Signal<Out, Bit>,
    /// Event: LTPs that may be lost by a restart.
    pub lost: FlowOut<Bits<LOST_BITS>>,

    events: ReplayEvents,
    sequencer: ReplaySequencer,
    control: ReplayState,
    choice: ReplayChoice,
    nulls: ReplayNulls,
    pointers: ReplayPointers,
    timers: ReplayTimers,
    limits: ReplayLimits,
    exchange: ReplayInit,
    trip: ReplayRoundTrip,
    store: ReplayMemory<F, FLITS_W, WORD_W, INDEX_W, SLOT_W, ADDRESS_W>,
    answer_due: DFF<Bit>,
    answer_token: DFF<Bits<TOKEN_BITS>>,
    event_request: DFF<Bit>,
    event_asked: DFF<Bit>,
    event_frozen: DFF<Bit>,
    at_boundary: Signal<Local, Bit>,
    in_init: Signal<Local, Bit>,
    /// `in_init` of the clock before: no step follows on one within two clocks.
    was_init: DFF<Bit>,
    reset: Signal<Local, Bit>,
    decide: Signal<Local, Bit>,
    /// The pointer that is named: in INIT by the peer's Init, a clock late as `was_init`, else by a request.
    named: DFF<Bits<POINTER_BITS>>,
    requests: Signal<Local, Bit>,
    requested: Signal<Local, Bit>,
    activates: Signal<Local, Bit>,
    sends: Signal<Local, Bit>,
    writes: Signal<Local, Bit>,
    restarts: Signal<Local, Bit>,
    late_place: Constant<Bits<INDEX_W>>,
}

impl<
        const F: usize,
        const FLITS_W: usize,
        const WORD_W: usize,
        const INDEX_W: usize,
        const SLOT_W: usize,
        const ADDRESS_W: usize,
    > LinkReplay<F, FLITS_W, WORD_W, INDEX_W, SLOT_W, ADDRESS_W>
{
    /// A transmit side that is OFF, or the reason why not. `guard` is GUARD_LTPS, 6 to 64.
    pub fn new(guard: u32) -> Result<Self, ConfigError> {
        let slots = 1usize << SLOT_W;
        ReplayConfig {
            flits: F,
            slots,
            guard,
            flits_bits: FLITS_W,
            word_bits: WORD_W,
            index_bits: INDEX_W,
            slot_bits: SLOT_W,
            address_bits: ADDRESS_W,
        }
        .check()?;
        let late_place = beats_per_ltp(F).saturating_sub(DECISION_BEATS).max(1);
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            run: Default::default(),
            fresh: Default::default(),
            retry_limit: Default::default(),
            reinit_limit: Default::default(),
            freeze_ltps: Default::default(),
            retry_req: Default::default(),
            next_rx: Default::default(),
            request_in: Default::default(),
            answer_in: Default::default(),
            reply_in: Default::default(),
            init_in: Default::default(),
            double_bad: Default::default(),
            peer_active: Default::default(),
            damage: Default::default(),
            stored: Default::default(),
            stored_place: Default::default(),
            stored_side: Default::default(),
            ltp_place: Default::default(),
            ltp_opened: Default::default(),
            ltp_start: Default::default(),
            tx_seq: Default::default(),
            replay_take: Default::default(),
            hold: Default::default(),
            drain: Default::default(),
            original_next: Default::default(),
            null_next: Default::default(),
            null_flit: Default::default(),
            replay_next: Default::default(),
            replay_beat: Default::default(),
            replay_side: Default::default(),
            replay_spoil: Default::default(),
            restart: Default::default(),
            init_done: Default::default(),
            retrain: Default::default(),
            down: Default::default(),
            state: Default::default(),
            next_tx: Default::default(),
            next_write: Default::default(),
            round_trip: Default::default(),
            round_trip_clocks: Default::default(),
            pad: Default::default(),
            ltp_time: Default::default(),
            retry_tx: Default::default(),
            retry_rx: Default::default(),
            frozen: Default::default(),
            bad_pointer: Default::default(),
            replay_parity: Default::default(),
            lost: Default::default(),
            events: Default::default(),
            sequencer: Default::default(),
            control: Default::default(),
            choice: Default::default(),
            nulls: Default::default(),
            pointers: ReplayPointers::new(slots),
            timers: ReplayTimers::new(slots, guard),
            limits: ReplayLimits::new(slots),
            exchange: Default::default(),
            trip: Default::default(),
            store: Default::default(),
            answer_due: Default::default(),
            answer_token: Default::default(),
            event_request: Default::default(),
            event_asked: Default::default(),
            event_frozen: Default::default(),
            at_boundary: Default::default(),
            in_init: Default::default(),
            was_init: Default::default(),
            reset: Default::default(),
            decide: Default::default(),
            named: Default::default(),
            requests: Default::default(),
            requested: Default::default(),
            activates: Default::default(),
            sends: Default::default(),
            writes: Default::default(),
            restarts: Default::default(),
            late_place: Constant::new((late_place as u64).into()),
        })
    }
}

impl<
        const F: usize,
        const FLITS_W: usize,
        const WORD_W: usize,
        const INDEX_W: usize,
        const SLOT_W: usize,
        const ADDRESS_W: usize,
    > Logic for LinkReplay<F, FLITS_W, WORD_W, INDEX_W, SLOT_W, ADDRESS_W>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            was_init,
            named,
            answer_due,
            answer_token,
            event_request,
            event_asked,
            event_frozen
        );
        clock!(self, clock, events, sequencer, control, choice, nulls, pointers);
        clock!(self, clock, timers, limits, exchange, trip, store);
        self.reset.next = self.sequencer.start.val() | self.sequencer.stop.val() | self.clear.val();
        self.decide.next = self.sequencer.decide.val();
        self.in_init.next =
            !self.control.is_off.val() & !self.control.is_alive.val() & !self.control.init_done.val();

        // What the receiver has found.
        self.events.clear.next = self.clear.val();
        self.events.running.next = self.sequencer.running.val();
        FlowIn::<Bits<POINTER_BITS>>::link(&mut self.request_in, &mut self.events.request_in);
        FlowIn::<Bits<TOKEN_BITS>>::link(&mut self.answer_in, &mut self.events.answer_in);
        FlowIn::<Bits<TOKEN_BITS>>::link(&mut self.reply_in, &mut self.events.reply_in);
        FlowIn::<Bits<INIT_BITS>>::link(&mut self.init_in, &mut self.events.init_in);
        self.events.double_bad_in.next = self.double_bad.val();
        self.events.peer_active_in.next = self.peer_active.val();
        self.events.take.next = self.sequencer.pick_event.val();

        // One step at a time.
        self.at_boundary.next = !self.ltp_place.val().any();
        self.sequencer.clear.next = self.clear.val();
        self.sequencer.run.next = self.run.val();
        self.sequencer.is_off.next = self.control.is_off.val();
        self.sequencer.drained.next = self.at_boundary.val() & !self.choice.decided.val();
        self.sequencer.pending.next = self.events.pending.val();
        self.sequencer.init_over.next = self.exchange.over.val();
        self.sequencer.due.next = !self.choice.decided.val()
            & (self.at_boundary.val() | (self.ltp_place.val() >= self.late_place.val()));

        // A register, because what is compared with it comes late.
        self.was_init.d.next = self.in_init.val();
        self.named.d.next = self.events.data_next.val().get_bits::<POINTER_BITS>(0);
        if self.in_init.val() {
            self.named.d.next = self.exchange.pointer.val();
        }
        self.activates.next = self.sequencer.activate.val();
        self.requests.next =
            self.sequencer.event.val() & self.events.is_request.val() & !self.was_init.q.val();
        self.requested.next = self.requests.val() & self.control.is_alive.val();

        self.control.clear.next = self.clear.val();
        self.control.start.next = self.sequencer.start.val();
        self.control.stop.next = self.sequencer.stop.val();
        self.control.activate.next = self.activates.val();
        self.control.event.next = self.sequencer.event.val();
        self.control.decide.next = self.decide.val();
        self.control.is_request.next = self.events.is_request.val();
        self.control.is_double_bad.next = self.events.is_double_bad.val();
        self.control.is_peer_active.next = self.events.is_peer_active.val();
        self.control.pointer_ok.next = self.pointers.pointer_ok.val();
        self.control.over_limit.next = self.limits.over_limit.val();
        self.control.marker_second.next = self.choice.second.val() & self.choice.marking.val();
        self.control.retrain_first.next = self.choice.retrain.val();
        self.control.replays.next = self.choice.replay.val();
        self.control.timer_over.next = self.timers.timer_over.val();
        self.control.marking.next = self.choice.marking.val();
        self.control.waits.next = self.pointers.waits.val();
        self.control.is_empty.next = self.pointers.is_empty.val();
        self.control.ends.next = self.pointers.ends.val();

        // Which LTP is next.
        self.choice.reset.next = self.reset.val();
        self.choice.decide.next = self.decide.val();
        self.choice.opened.next = self.ltp_opened.val();
        self.choice.init_done.next = self.control.init_done.val();
        self.choice.request_valid.next = self.retry_req.valid.val();
        self.choice.retrain_due.next = self.control.retrain_wanted.val() | self.timers.timer_over.val();
        self.choice.answer_due.next = self.answer_due.q.val();
        self.choice.is_mark.next = self.control.is_mark.val();
        self.choice.is_replay.next = self.control.is_replay.val();
        self.choice.may_write.next = self.control.may_write.val();
        self.choice.pads.next = self.control.may_pad.val() & self.timers.pads.val();
        self.retry_req.ready.next = self.decide.val() & self.choice.request.val() & !self.clear.val();
        if self.decide.val() & self.choice.answer.val() {
            self.answer_due.d.next = false;
        }
        if self.sequencer.event.val() & self.events.is_answer.val() {
            self.answer_due.d.next = true;
            self.answer_token.d.next = self.events.data.val().get_bits::<TOKEN_BITS>(0);
        }
        if self.reset.val() {
            self.answer_due.d.next = false;
        }

        self.nulls.decide.next = self.decide.val();
        self.nulls.second.next = self.choice.second.val();
        self.nulls.request.next = self.choice.request.val();
        self.nulls.retrain.next = self.choice.retrain.val();
        self.nulls.answer.next = self.choice.answer.val();
        self.nulls.init.next = self.choice.init.val();
        self.nulls.marker.next = self.choice.marker.val();
        self.nulls.request_pointer.next = self.retry_req.data.val();
        self.nulls.answer_token.next = self.answer_token.q.val();
        self.nulls.measures.next = self.trip.measures.val();
        self.nulls.token.next = self.trip.token.val();
        self.nulls.acknowledges.next = self.exchange.acknowledges.val();
        self.nulls.fresh.next = self.exchange.is_fresh.val();
        self.nulls.next_rx.next = self.next_rx.val();
        self.nulls.next_tx.next = self.pointers.next_tx.val();
        self.nulls.next_write.next = self.pointers.next_write.val();

        // Sequence numbers.
        self.sends.next = self.decide.val() & (self.choice.replay.val() | self.choice.original.val());
        self.writes.next = self.decide.val() & self.choice.original.val();
        self.restarts.next = self.exchange.restart.val();
        self.pointers.clear.next = self.clear.val();
        self.pointers.pointer.next = self.named.q.val();
        self.pointers.reset.next = self.sequencer.start.val() | self.sequencer.stop.val();
        self.pointers.restart.next = self.restarts.val();
        self.pointers.mark.next = (self.control.request_ok.val() & !self.choice.marking.val())
            | (self.activates.val() & self.pointers.pointer_ok.val());
        self.pointers.wait_mark.next = self.control.request_ok.val() & self.choice.marking.val();
        self.pointers.forget.next = self.control.freeze.val();
        self.pointers.marked.next = self.control.marked.val();
        self.pointers.send.next = self.sends.val();
        self.pointers.original.next = self.choice.original.val();

        self.timers.round_trip.next = self.trip.ltps.val();
        self.timers.freeze_ltps.next = self.freeze_ltps.val();
        self.timers.decide.next = self.decide.val();
        self.timers.is_waiting.next = self.control.is_waiting.val();
        self.timers.pad_start.next = self.sends.val() & self.pointers.at_last.val();
        self.timers.pad_step.next = self.choice.pad.val();
        self.timers.pad_cancel.next =
            self.control.request_ok.val() | self.control.freeze.val() | self.reset.val();

        self.limits.clear.next = self.clear.val();
        self.limits.retry_limit.next = self.retry_limit.val();
        self.limits.reinit_limit.next = self.reinit_limit.val();
        self.limits.reset.next = self.sequencer.start.val() | self.sequencer.stop.val();
        self.limits.fresh.next = self.sequencer.start.val() & self.fresh.val();
        self.limits.restart.next = self.restarts.val();
        self.limits.request.next = self.requested.val() | self.activates.val();
        self.limits.activates.next = self.activates.val();
        self.limits.pointer.next = self.named.q.val();
        self.limits.pointer_ok.next = self.pointers.pointer_ok.val();
        self.limits.timer_over.next = self.decide.val() & self.timers.timer_over.val();
        self.limits.init_timeout.next = self.exchange.timeout.val();
        self.limits.write.next = self.writes.val();
        self.limits.next_tx.next = self.pointers.next_tx.val();
        self.limits.next_write.next = self.pointers.next_write.val();

        // The exchange of INIT.
        self.exchange.clear.next = self.clear.val();
        self.exchange.start.next = self.sequencer.start.val();
        self.exchange.fresh.next = self.fresh.val();
        self.exchange.in_init.next = self.was_init.q.val();
        self.exchange.event.next = self.sequencer.event.val();
        self.exchange.is_init.next = self.events.is_init.val();
        self.exchange.is_peer_active.next = self.events.is_peer_active.val();
        self.exchange.data.next = self.events.data.val();
        self.exchange.decide.next = self.decide.val();
        self.exchange.round_trip_known.next = self.trip.known.val();
        self.trip.reset.next = self.reset.val();
        self.trip.in_init.next = self.was_init.q.val();
        self.trip.heard.next = self.exchange.acknowledges.val();
        self.trip.decide.next = self.decide.val();
        self.trip.init_pair.next = self.choice.init.val();
        self.trip.opened.next = self.ltp_opened.val();
        self.trip.event.next = self.sequencer.event.val();
        self.trip.is_reply.next = self.events.is_reply.val();
        self.trip.reply_token.next = self.events.data.val().get_bits::<TOKEN_BITS>(0);

        // The RAM.
        self.store.clear.next = self.clear.val();
        // Long before it is opened; the last beat of the LTP before is stored with the first of these clocks.
        self.store.original_start.next = self.at_boundary.val();
        self.store.original_number.next = self.tx_seq.val();
        FlowIn::<Bits<FLITS_W>>::link(&mut self.stored, &mut self.store.stored);
        self.store.stored_place.next = self.stored_place.val();
        self.store.stored_side.next = self.stored_side.val();
        self.store.damage.next = self.damage.val();
        self.store.load.next = self.control.load.val();
        self.store.load_number.next = self.pointers.next_tx.val();
        self.store.take.next = self.replay_take.val();

        // To the sender, link_train and the registers.
        self.hold.next = !self.choice.decided.val();
        self.drain.next = !self.sequencer.running.val();
        self.original_next.next = self.choice.next_original.val();
        self.null_next.next = self.choice.next_null.val();
        self.replay_next.next = self.choice.next_replay.val();
        self.null_flit.next = self.nulls.flit.val();
        self.replay_beat.next = self.store.beat.val();
        self.replay_side.next = self.store.side.val();
        self.replay_spoil.next = self.store.spoil.val();
        self.restart.next = self.restarts.val();
        self.init_done.next = self.control.init_done.val();
        self.retrain.next = self.limits.retrain.val();
        self.down.next = self.limits.down.val();
        self.state.next = self.control.state.val();
        self.next_tx.next = self.pointers.next_tx.val();
        self.next_write.next = self.pointers.next_write.val();
        self.round_trip.next = self.trip.ltps.val();
        self.round_trip_clocks.next = self.trip.clocks.val();
        self.pad.next = self.timers.pad.val();
        self.ltp_time.next = self.decide.val();
        self.event_request.d.next = self.requests.val() & !self.clear.val();
        self.event_asked.d.next = self.decide.val() & self.choice.request.val() & !self.clear.val();
        self.event_frozen.d.next = self.control.freeze.val() & !self.clear.val();
        self.retry_rx.next = self.event_request.q.val();
        self.retry_tx.next = self.event_asked.q.val();
        self.frozen.next = self.event_frozen.q.val();
        self.bad_pointer.next = self.limits.bad_pointer.val();
        self.replay_parity.next = self.store.parity_error.val();
        FlowOut::<Bits<LOST_BITS>>::link(&mut self.lost, &mut self.pointers.lost);
    }

    fn timing(&self) -> Vec<TimingInfo> {
        let guard = self.timers.guard_ltps().to_string();
        let slots = (1usize << SLOT_W).to_string();
        block_label("link_replay", &[("f", F.to_string()), ("r", slots), ("guard", guard)])
    }
}

drive_ports!(impl[const F: usize, const FLITS_W: usize, const WORD_W: usize, const INDEX_W: usize, const SLOT_W: usize, const ADDRESS_W: usize] LinkReplay<F, FLITS_W, WORD_W, INDEX_W, SLOT_W, ADDRESS_W> {
    clock, clear, run, fresh, retry_limit, reinit_limit, freeze_ltps, retry_req, next_rx, request_in, answer_in, reply_in, init_in, double_bad, peer_active, damage,
    stored, stored_place, stored_side, ltp_place, ltp_opened, ltp_start, tx_seq, replay_take, hold, drain, original_next, null_next, null_flit, replay_next, replay_beat, replay_side, replay_spoil, restart,
    init_done, retrain, down, state, next_tx, next_write, round_trip, round_trip_clocks, pad, ltp_time, retry_tx, retry_rx, frozen, bad_pointer, replay_parity, lost,
});
