//! The state of the transmit side (chapter 10, 4.2) and what may change it.

use super::STATE_BITS;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::retry::RetryState;

/// OFF to FREEZE. Strobes come from [`ReplaySequencer`](super::ReplaySequencer), one at a time; what they mean here is
/// for the other parts to follow: `request_ok`, `freeze`, `marked`, `load`.
#[derive(LogicBlock)]
pub struct ReplayState {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear: OFF.
    pub clear: Signal<In, Bit>,
    /// Strobe: enter INIT.
    pub start: Signal<In, Bit>,
    /// Strobe: enter OFF.
    pub stop: Signal<In, Bit>,
    /// Strobe: enter MARK from INIT, if `pointer_ok`.
    pub activate: Signal<In, Bit>,
    /// Strobe: the events count.
    pub event: Signal<In, Bit>,
    /// Strobe: the next LTP is decided.
    pub decide: Signal<In, Bit>,
    /// With `event`: a RetryReq.
    pub is_request: Signal<In, Bit>,
    /// With `event`: two or more consecutive bad LTPs.
    pub is_double_bad: Signal<In, Bit>,
    /// With `event`: the peer has shown that it is Active.
    pub is_peer_active: Signal<In, Bit>,
    /// The pointer named is in the buffer.
    pub pointer_ok: Signal<In, Bit>,
    /// The request is one too many for its pointer.
    pub over_limit: Signal<In, Bit>,
    /// With `decide`: the .1 of a RetryMrkr pair.
    pub marker_second: Signal<In, Bit>,
    /// With `decide`: the RetrainRetryReq pair begins.
    pub retrain_first: Signal<In, Bit>,
    /// With `decide`: a slot is sent again.
    pub replays: Signal<In, Bit>,
    /// With `decide`: timer FREEZE_LTPS has run out.
    pub timer_over: Signal<In, Bit>,
    /// The marker's .0 has gone out and its .1 not yet.
    pub marking: Signal<In, Bit>,
    /// A pointer waits.
    pub waits: Signal<In, Bit>,
    /// NxtTx = NxtWr.
    pub is_empty: Signal<In, Bit>,
    /// NxtTx + 1 = NxtWr.
    pub ends: Signal<In, Bit>,
    /// Code of the state, that of the protocol crate's `RetryState`.
    pub state: Signal<Out, Bits<STATE_BITS>>,
    /// State OFF.
    pub is_off: Signal<Out, Bit>,
    /// State NORMAL, and the peer is Active.
    pub may_write: Signal<Out, Bit>,
    /// State NORMAL or REPLAY.
    pub may_pad: Signal<Out, Bit>,
    /// State MARK.
    pub is_mark: Signal<Out, Bit>,
    /// State REPLAY.
    pub is_replay: Signal<Out, Bit>,
    /// State FREEZE, its pair on the way.
    pub is_waiting: Signal<Out, Bit>,
    /// The Init exchange is over.
    pub init_done: Signal<Out, Bit>,
    /// The RetrainRetryReq pair has to be sent.
    pub retrain_wanted: Signal<Out, Bit>,
    /// Not OFF and not INIT.
    pub is_alive: Signal<Out, Bit>,
    /// A request is obeyed on this edge.
    pub request_ok: Signal<Out, Bit>,
    /// FREEZE is entered on this edge.
    pub freeze: Signal<Out, Bit>,
    /// The RetryMrkr pair is out: a pointer that waits becomes NxtTx.
    pub marked: Signal<Out, Bit>,
    /// REPLAY is entered on this edge.
    pub load: Signal<Out, Bit>,

    code: DFF<Bits<STATE_BITS>>,
    /// What `code` is: not OFF; neither OFF nor INIT; FREEZE.
    awake: DFF<Bit>,
    alive: DFF<Bit>,
    freezing: DFF<Bit>,
    done: DFF<Bit>,
    peer_active: DFF<Bit>,
    freeze_wanted: DFF<Bit>,
    retrain: DFF<Bit>,
    reset: Signal<Local, Bit>,
    next_code: Signal<Local, Bits<STATE_BITS>>,
    obeys: Signal<Local, Bit>,
    double_bad: Signal<Local, Bit>,
    finishes: Signal<Local, Bit>,
    freezes: Signal<Local, Bit>,
    code_off: Constant<Bits<STATE_BITS>>,
    code_init: Constant<Bits<STATE_BITS>>,
    code_normal: Constant<Bits<STATE_BITS>>,
    code_mark: Constant<Bits<STATE_BITS>>,
    code_replay: Constant<Bits<STATE_BITS>>,
    code_freeze: Constant<Bits<STATE_BITS>>,
}

impl Default for ReplayState {
    fn default() -> Self {
        let code = |state: RetryState| Constant::new(u64::from(state.code()).into());
        Self {
            clock: Default::default(),
            clear: Default::default(),
            start: Default::default(),
            stop: Default::default(),
            activate: Default::default(),
            event: Default::default(),
            decide: Default::default(),
            is_request: Default::default(),
            is_double_bad: Default::default(),
            is_peer_active: Default::default(),
            pointer_ok: Default::default(),
            over_limit: Default::default(),
            marker_second: Default::default(),
            retrain_first: Default::default(),
            replays: Default::default(),
            timer_over: Default::default(),
            marking: Default::default(),
            waits: Default::default(),
            is_empty: Default::default(),
            ends: Default::default(),
            state: Default::default(),
            is_off: Default::default(),
            may_write: Default::default(),
            may_pad: Default::default(),
            is_mark: Default::default(),
            is_replay: Default::default(),
            is_waiting: Default::default(),
            init_done: Default::default(),
            retrain_wanted: Default::default(),
            is_alive: Default::default(),
            request_ok: Default::default(),
            freeze: Default::default(),
            marked: Default::default(),
            load: Default::default(),
            code: Default::default(),
            awake: Default::default(),
            done: Default::default(),
            peer_active: Default::default(),
            freeze_wanted: Default::default(),
            retrain: Default::default(),
            alive: Default::default(),
            freezing: Default::default(),
            reset: Default::default(),
            next_code: Default::default(),
            obeys: Default::default(),
            double_bad: Default::default(),
            finishes: Default::default(),
            freezes: Default::default(),
            code_off: code(RetryState::Off),
            code_init: code(RetryState::Init),
            code_normal: code(RetryState::Normal),
            code_mark: code(RetryState::Mark),
            code_replay: code(RetryState::Replay),
            code_freeze: code(RetryState::Freeze),
        }
    }
}

impl Logic for ReplayState {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, code, awake, alive, freezing, done, peer_active, freeze_wanted, retrain);
        self.next_code.next = self.code.q.val();
        self.obeys.next = self.event.val()
            & self.is_request.val()
            & self.alive.q.val()
            & self.pointer_ok.val()
            & !self.over_limit.val();
        self.double_bad.next =
            self.event.val() & self.is_double_bad.val() & self.alive.q.val() & !self.freezing.q.val();
        self.finishes.next = self.decide.val() & self.marker_second.val();
        // While the marker pair goes out a freeze waits for its .1.
        self.freezes.next = (self.double_bad.val() & !self.marking.val())
            | (self.finishes.val() & self.freeze_wanted.q.val());

        self.load.next = false;
        if self.decide.val() & self.replays.val() & self.ends.val() {
            self.next_code.next = self.code_normal.val();
        }
        if self.finishes.val() & !self.freeze_wanted.q.val() & !self.waits.val() {
            if self.is_empty.val() {
                self.next_code.next = self.code_normal.val();
            } else {
                self.next_code.next = self.code_replay.val();
                self.load.next = true;
            }
        }
        if (self.obeys.val() & !self.marking.val()) | (self.activate.val() & self.pointer_ok.val()) {
            self.next_code.next = self.code_mark.val();
        }
        if self.freezes.val() {
            self.next_code.next = self.code_freeze.val();
        }

        if self.decide.val() & self.timer_over.val() {
            self.retrain.d.next = true;
        }
        if self.obeys.val() | (self.decide.val() & self.retrain_first.val()) {
            self.retrain.d.next = false;
        }
        if self.freezes.val() {
            self.retrain.d.next = true;
        }
        self.done.d.next = self.done.q.val() | self.activate.val();
        self.peer_active.d.next = self.peer_active.q.val() | (self.event.val() & self.is_peer_active.val());
        if self.start.val() | self.stop.val() | self.clear.val() {
            self.next_code.next = self.code_off.val();
            self.done.d.next = false;
            self.peer_active.d.next = false;
            self.retrain.d.next = false;
        }
        if self.start.val() & !self.clear.val() {
            self.next_code.next = self.code_init.val();
        }

        self.code.d.next = self.next_code.val();
        // OFF is left by `start` alone and INIT by `activate` alone, so these two need not wait for the code.
        self.reset.next = self.start.val() | self.stop.val() | self.clear.val();
        self.freeze_wanted.d.next = (self.freeze_wanted.q.val()
            | (self.double_bad.val() & self.marking.val()))
            & !(self.obeys.val() | self.freezes.val() | self.reset.val());
        self.awake.d.next = (self.awake.q.val() & !self.reset.val()) | (self.start.val() & !self.clear.val());
        self.alive.d.next =
            (self.alive.q.val() | (self.activate.val() & self.pointer_ok.val())) & !self.reset.val();
        self.freezing.d.next = self.next_code.val() == self.code_freeze.val();
        self.state.next = self.code.q.val();
        self.is_off.next = !self.awake.q.val();
        self.may_write.next = (self.code.q.val() == self.code_normal.val()) & self.peer_active.q.val();
        self.is_mark.next = self.code.q.val() == self.code_mark.val();
        self.is_replay.next = self.code.q.val() == self.code_replay.val();
        self.may_pad.next =
            (self.code.q.val() == self.code_normal.val()) | (self.code.q.val() == self.code_replay.val());
        self.is_waiting.next = self.freezing.q.val() & !self.retrain.q.val();
        self.init_done.next = self.done.q.val();
        self.retrain_wanted.next = self.retrain.q.val();
        self.is_alive.next = self.alive.q.val();
        self.request_ok.next = self.obeys.val();
        self.freeze.next = self.freezes.val();
        self.marked.next = self.finishes.val() & !self.freeze_wanted.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("replay_state", &[])
    }
}

drive_ports!(impl[] ReplayState { clock, clear, start, stop, activate, event, decide, is_request, is_double_bad, is_peer_active, pointer_ok, over_limit, marker_second, retrain_first, replays, timer_over, marking, waits, is_empty, ends, state, is_off, may_write, may_pad, is_mark, is_replay, is_waiting, init_done, retrain_wanted, is_alive, request_ok, freeze, marked, load });
