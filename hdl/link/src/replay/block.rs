//! The parts of `link_replay`, wired.

use super::{
    ReplayChoice, ReplayConfig, ReplayEvents, ReplayInit, ReplayLimits, ReplayMemory, ReplayNulls,
    ReplayPointers, ReplayRoundTrip, ReplaySequencer, ReplayState, ReplayTimers, INIT_BITS, LIMIT_BITS,
    LOST_BITS, POINTER_BITS, STATE_BITS, TOKEN_BITS,
};
use crate::ltp_tx::NULL_BITS;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::beat::beats_per_ltp;

/// Beats of an LTP in which the next one is decided.
const DECISION_BEATS: usize = 4;

/// Replay buffer and retry protocol; see the [module](super) and [`ReplayConfig`] for the parameters.
#[block(new)]
pub struct LinkReplay<
    const F: usize,
    const FLITS_W: usize,
    const WORD_W: usize,
    const INDEX_W: usize,
    const SLOT_W: usize,
    const ADDRESS_W: usize,
> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// The link is in Init, Active or Degraded; low: OFF as soon as the LTP under way is finished.
    run: In<Bit>,
    /// This end keeps no state; taken when INIT is entered.
    fresh: In<Bit>,
    /// RETRY_LIMIT, 1 to 255.
    retry_limit: In<Bits<LIMIT_BITS>>,
    /// REINIT_LIMIT, 1 to 255.
    reinit_limit: In<Bits<LIMIT_BITS>>,
    /// FREEZE_LTPS, LTP times; 0 = 2 RTT_LTP + 16.
    freeze_ltps: In<Bits<16>>,

    /// The receiver wants a RetryReq pair; the payload is NxtRx and may change while it waits.
    pub retry_req: StreamIn<Bits<POINTER_BITS>>,
    /// NxtRx, for InitReq and InitAck.
    next_rx: In<Bits<POINTER_BITS>>,
    /// A good RetryReq, a pair once: its pointer.
    pub request_in: FlowIn<Bits<POINTER_BITS>>,
    /// A good RndTripMrkr to be answered, a pair once: its token.
    pub answer_in: FlowIn<Bits<TOKEN_BITS>>,
    /// A good answer to a RndTripMrkr: its token.
    pub reply_in: FlowIn<Bits<TOKEN_BITS>>,
    /// A good InitReq or InitAck: {ack, fresh, NxtRx}.
    pub init_in: FlowIn<Bits<INIT_BITS>>,
    /// Event: two or more consecutive bad LTPs.
    double_bad: In<Bit>,
    /// Event: a good LTP of a kind that only an Active end sends, RetrainRetryReq among them.
    peer_active: In<Bit>,
    /// Beats are written with wrong parity, for tests of the fault row of chapter 10, 6.
    damage: In<Bit>,

    /// Beats of originals, from the sender.
    pub stored: FlowIn<Bits<FLITS_W>>,
    /// Place of the beat in its LTP.
    stored_place: In<Bits<INDEX_W>>,
    /// Sideband of that LTP.
    stored_side: In<Bits<2>>,
    /// Place of the beat that the sender takes next.
    ltp_place: In<Bits<INDEX_W>>,
    /// The sender opens an LTP on this edge.
    ltp_opened: In<Bit>,
    /// It is an original.
    ltp_start: In<Bit>,
    /// Its sequence number.
    tx_seq: In<Bits<POINTER_BITS>>,
    /// The sender takes `replay_beat` on this edge.
    replay_take: In<Bit>,
    /// To the sender: no LTP is to be opened.
    hold: Out<Bit>,
    /// To the sender: what is under way goes nowhere.
    drain: Out<Bit>,
    /// To the sender: the next LTP is an original.
    original_next: Out<Bit>,
    /// To the sender: the next LTP is a Null LTP.
    null_next: Out<Bit>,
    /// It: payload [47:0], opcode [55:48].
    null_flit: Out<Bits<NULL_BITS>>,
    /// To the sender: the next LTP is a slot.
    replay_next: Out<Bit>,
    /// Beat of the slot.
    replay_beat: Out<Bits<FLITS_W>>,
    /// Sideband of the slot.
    replay_side: Out<Bits<2>>,
    /// The beat taken last has a parity error.
    replay_corrupt: Out<Bit>,
    /// Numbers start at 0, on this edge: for the receiver and the sender.
    restart: Out<Bit>,

    /// The exchange of INIT is over: the link may become Active. Stays until `run` is low.
    init_done: Out<Bit>,
    /// Retraining is asked for; stays until `run` is low.
    retrain: Out<Bit>,
    /// With `retrain`: REINIT_LIMIT is reached, the link has to go Down.
    down: Out<Bit>,
    /// Code of the state, that of the protocol crate's `RetryState`.
    state: Out<Bits<STATE_BITS>>,
    /// NxtTx.
    next_tx: Out<Bits<POINTER_BITS>>,
    /// NxtWr.
    next_write: Out<Bits<POINTER_BITS>>,
    /// RTT_LTP; 0 before it is known.
    round_trip: Out<Bits<16>>,
    /// Round trip in core clocks; holds while it is known.
    round_trip_clocks: Out<Bits<32>>,
    /// Fillers of a pad.
    pad: Out<Bits<16>>,
    /// Event: an LTP time of this direction has gone by.
    ltp_time: Out<Bit>,
    /// Event: a RetryReq pair is sent.
    retry_tx: Out<Bit>,
    /// Event: a RetryReq has come, the exchange of INIT being over.
    retry_rx: Out<Bit>,
    /// Event: FREEZE is entered.
    frozen: Out<Bit>,
    /// Event: a pointer that is not in the buffer.
    bad_pointer: Out<Bit>,
    /// Event: an LTP with a parity error is sent.
    replay_parity: Out<Bit>,
    /// Event: LTPs that may be lost by a restart.
    pub lost: FlowOut<Bits<LOST_BITS>>,

    #[wire(clock, clear)]
    events: ReplayEvents,
    #[wire(clock, clear)]
    sequencer: ReplaySequencer,
    #[wire(clock, clear)]
    control: ReplayState,
    #[wire(clock)]
    choice: ReplayChoice,
    #[wire(clock)]
    nulls: ReplayNulls,
    #[wire(clock, clear)]
    pointers: ReplayPointers,
    #[wire(clock)]
    timers: ReplayTimers,
    #[wire(clock, clear)]
    limits: ReplayLimits,
    #[wire(clock, clear)]
    exchange: ReplayInit,
    #[wire(clock)]
    trip: ReplayRoundTrip,
    #[wire(clock, clear)]
    store: ReplayMemory<F, FLITS_W, WORD_W, INDEX_W, SLOT_W, ADDRESS_W>,
    answer_due: Reg<Bit>,
    answer_token: Reg<Bits<TOKEN_BITS>>,
    event_request: Reg<Bit>,
    event_asked: Reg<Bit>,
    event_frozen: Reg<Bit>,
    at_boundary: Local<Bit>,
    in_init: Local<Bit>,
    /// `in_init` of the clock before: no step follows on one within two clocks.
    was_init: Reg<Bit>,
    reset: Local<Bit>,
    decide: Local<Bit>,
    /// The pointer that is named: in INIT by the peer's Init, a clock late as `was_init`, else by a request.
    named: Reg<Bits<POINTER_BITS>>,
    requests: Local<Bit>,
    requested: Local<Bit>,
    late_place: Constant<Bits<INDEX_W>>,
}

#[logic]
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
            pointers: ReplayPointers::new(slots),
            timers: ReplayTimers::new(slots, guard),
            limits: ReplayLimits::new(slots),
            late_place: Constant::new((late_place as u64).into()),
            ..
        })
    }

    fn update(&mut self) {
        reset = sequencer.start | sequencer.stop | clear;
        decide = sequencer.decide;
        in_init = !control.is_off & !control.is_alive & !control.init_done;

        self.wire_events();

        // One step at a time.
        at_boundary = !ltp_place.any();
        sequencer = In { run, is_off: control.is_off, drained: at_boundary & !choice.decided };
        sequencer = In { pending: events.pending, init_over: exchange.over };
        sequencer.due = !choice.decided & (at_boundary | (ltp_place >= late_place));

        // A register, because what is compared with it comes late.
        was_init = in_init;
        named = events.data_next.bits::<POINTER_BITS>(0);
        if in_init {
            named = exchange.pointer;
        }
        let activates = sequencer.activate;
        requests = sequencer.event & events.is_request & !was_init;
        requested = requests & control.is_alive;

        control = In { start: sequencer.start, stop: sequencer.stop, activate: activates };
        control = In { event: sequencer.event, decide, is_request: events.is_request };
        control = In { is_double_bad: events.is_double_bad, is_peer_active: events.is_peer_active };
        control = In { pointer_ok: pointers.pointer_ok, over_limit: limits.over_limit };
        control = In { marker_second: choice.second & choice.marking, retrain_first: choice.retrain };
        control = In { replays: choice.replay, timer_over: timers.timer_over, marking: choice.marking };
        control = In { waits: pointers.waits, is_empty: pointers.is_empty, ends: pointers.ends };

        self.choose();
        let restarts = self.number_ltps(activates);

        // The exchange of INIT.
        exchange = In { start: sequencer.start, fresh, in_init: was_init, event: sequencer.event };
        exchange = In { is_init: events.is_init, is_peer_active: events.is_peer_active, data: events.data };
        exchange = In { decide, round_trip_known: trip.known };
        trip = In { reset, in_init: was_init, heard: exchange.acknowledges, decide, init_pair: choice.init };
        trip = In { opened: ltp_opened, event: sequencer.event, is_reply: events.is_reply };
        trip.reply_token = events.data.bits::<TOKEN_BITS>(0);

        // The RAM.
        // Long before it is opened; the last beat of the LTP before is stored with the first of these clocks.
        store = In { original_start: at_boundary, original_number: tx_seq };
        link(stored, store.stored);
        store = In { stored_place, stored_side, damage, load: control.load, load_number: pointers.next_tx };
        store.take = replay_take;

        self.tell(restarts);
    }

    /// What the receiver has found.
    fn wire_events(&mut self) {
        events.running = sequencer.running;
        link(request_in, events.request_in);
        link(answer_in, events.answer_in);
        link(reply_in, events.reply_in);
        link(init_in, events.init_in);
        events = In { double_bad_in: double_bad, peer_active_in: peer_active, take: sequencer.pick_event };
    }

    /// Which LTP is next.
    fn choose(&mut self) {
        choice = In { reset, decide, opened: ltp_opened, init_done: control.init_done };
        choice.request_valid = retry_req.valid;
        choice = In { retrain_due: control.retrain_wanted | timers.timer_over, answer_due };
        choice = In { is_mark: control.is_mark, is_replay: control.is_replay, may_write: control.may_write };
        choice.pads = control.may_pad & timers.pads;
        retry_req.ready = decide & choice.request & !clear;
        if decide & choice.answer {
            answer_due = false;
        }
        if sequencer.event & events.is_answer {
            answer_due = true;
            answer_token = events.data.bits::<TOKEN_BITS>(0);
        }
        if reset {
            answer_due = false;
        }

        nulls = In { decide, second: choice.second, request: choice.request, retrain: choice.retrain };
        nulls = In { answer: choice.answer, init: choice.init, marker: choice.marker };
        nulls = In { request_pointer: retry_req.data, answer_token, measures: trip.measures };
        nulls = In { token: trip.token, acknowledges: exchange.acknowledges, fresh: exchange.is_fresh };
        nulls = In { next_rx, next_tx: pointers.next_tx, next_write: pointers.next_write };
    }

    /// Sequence numbers.
    fn number_ltps(&mut self, activates: Bit) -> Bit {
        let sends = decide & (choice.replay | choice.original);
        let writes = decide & choice.original;
        let restarts = exchange.restart;
        pointers = In { pointer: named, reset: sequencer.start | sequencer.stop, restart: restarts };
        pointers.mark = (control.request_ok & !choice.marking) | (activates & pointers.pointer_ok);
        pointers = In { wait_mark: control.request_ok & choice.marking, forget: control.freeze };
        pointers = In { marked: control.marked, send: sends, original: choice.original };

        timers = In { round_trip: trip.ltps, freeze_ltps, decide, is_waiting: control.is_waiting };
        timers = In { pad_start: sends & pointers.at_last, pad_step: choice.pad };
        timers.pad_cancel = control.request_ok | control.freeze | reset;

        limits = In { retry_limit, reinit_limit, reset: sequencer.start | sequencer.stop };
        limits = In { fresh: sequencer.start & fresh, restart: restarts, request: requested | activates };
        limits = In { activates, pointer: named, pointer_ok: pointers.pointer_ok };
        limits = In { timer_over: decide & timers.timer_over, init_timeout: exchange.timeout, write: writes };
        limits = In { next_tx: pointers.next_tx, next_write: pointers.next_write };
        restarts
    }

    /// To the sender, link_train and the registers.
    fn tell(&mut self, restarts: Bit) {
        hold = !choice.decided;
        drain = !sequencer.running;
        Out { next_original: original_next, next_null: null_next, next_replay: replay_next } = choice;
        null_flit = nulls.flit;
        Out { beat: replay_beat, side: replay_side, corrupt: replay_corrupt } = store;
        restart = restarts;
        init_done = control.init_done;
        Out { retrain, down } = limits;
        state = control.state;
        Out { next_tx, next_write } = pointers;
        Out { ltps: round_trip, clocks: round_trip_clocks } = trip;
        pad = timers.pad;
        ltp_time = decide;
        event_request = requests & !clear;
        event_asked = decide & choice.request & !clear;
        event_frozen = control.freeze & !clear;
        retry_rx = event_request;
        retry_tx = event_asked;
        frozen = event_frozen;
        bad_pointer = limits.bad_pointer;
        replay_parity = store.parity_error;
        link(lost, pointers.lost);
    }

    fn timing(&self) -> Vec<TimingInfo> {
        let guard = self.timers.guard_ltps().to_string();
        let slots = (1usize << SLOT_W).to_string();
        block_label("link_replay", &[("f", F.to_string()), ("r", slots), ("guard", guard)])
    }
}
