//! What the next LTP is (chapter 10, 4.1 rule 4 and 4.2).

use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;

/// Chooses in the clock before `decide`, into registers of which at most one is 1: the .1 of a pair under way, a
/// RetryReq pair, a RetrainRetryReq pair, an answer, in INIT its pair, in MARK the RetryMrkr pair, the pad, a slot,
/// an original; none of them is a filler. Keeps what was decided until the LTP is opened.
#[derive(LogicBlock, Default)]
pub struct ReplayChoice {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Nothing is decided, no pair is under way.
    pub reset: Signal<In, Bit>,
    /// Strobe: what was chosen is decided.
    pub decide: Signal<In, Bit>,
    /// The decided LTP is opened on this edge.
    pub opened: Signal<In, Bit>,
    /// The Init exchange is over.
    pub init_done: Signal<In, Bit>,
    /// The receiver wants a RetryReq pair.
    pub request_valid: Signal<In, Bit>,
    /// A RetrainRetryReq pair is to be sent.
    pub retrain_due: Signal<In, Bit>,
    /// A RndTripMrkr is to be answered.
    pub answer_due: Signal<In, Bit>,
    /// State MARK.
    pub is_mark: Signal<In, Bit>,
    /// State REPLAY.
    pub is_replay: Signal<In, Bit>,
    /// An original may be sent.
    pub may_write: Signal<In, Bit>,
    /// A filler of a pad is due.
    pub pads: Signal<In, Bit>,
    /// Chosen: the .1 of the pair under way.
    pub second: Signal<Out, Bit>,
    /// Chosen: RetryReq.0.
    pub request: Signal<Out, Bit>,
    /// Chosen: RetrainRetryReq.0.
    pub retrain: Signal<Out, Bit>,
    /// Chosen: RndTripMrkr.0, reply.
    pub answer: Signal<Out, Bit>,
    /// Chosen: the .0 of a pair of INIT.
    pub init: Signal<Out, Bit>,
    /// Chosen: RetryMrkr.0.
    pub marker: Signal<Out, Bit>,
    /// Chosen: a filler of a pad.
    pub pad: Signal<Out, Bit>,
    /// Chosen: a slot again.
    pub replay: Signal<Out, Bit>,
    /// Chosen: an original.
    pub original: Signal<Out, Bit>,
    /// The .1 of a RetryMrkr pair is next.
    pub marking: Signal<Out, Bit>,
    /// An LTP is decided and not yet opened.
    pub decided: Signal<Out, Bit>,
    /// The decided LTP is a Null LTP.
    pub next_null: Signal<Out, Bit>,
    /// The decided LTP is a slot.
    pub next_replay: Signal<Out, Bit>,
    /// The decided LTP is an original.
    pub next_original: Signal<Out, Bit>,

    chose_second: DFF<Bit>,
    chose_request: DFF<Bit>,
    chose_retrain: DFF<Bit>,
    chose_answer: DFF<Bit>,
    chose_init: DFF<Bit>,
    chose_marker: DFF<Bit>,
    chose_pad: DFF<Bit>,
    chose_replay: DFF<Bit>,
    chose_original: DFF<Bit>,
    second_due: DFF<Bit>,
    marker_out: DFF<Bit>,
    valid: DFF<Bit>,
    is_null: DFF<Bit>,
    is_slot: DFF<Bit>,
    is_new: DFF<Bit>,
    asks: Signal<Local, Bit>,
    free: Signal<Local, Bit>,
}

impl Logic for ReplayChoice {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, chose_second, chose_request, chose_retrain, chose_answer, chose_init);
        dff_setup!(self, clock, chose_marker, chose_pad, chose_replay, chose_original, second_due);
        dff_setup!(self, clock, marker_out, valid, is_null, is_slot, is_new);

        self.asks.next = self.init_done.val() & self.request_valid.val();
        self.chose_second.d.next = self.second_due.q.val();
        self.chose_request.d.next = !self.second_due.q.val() & self.asks.val();
        self.chose_retrain.d.next = !self.second_due.q.val() & !self.asks.val() & self.retrain_due.val();
        self.chose_answer.d.next =
            !self.second_due.q.val() & !self.asks.val() & !self.retrain_due.val() & self.answer_due.val();
        self.free.next =
            !self.second_due.q.val() & !self.asks.val() & !self.retrain_due.val() & !self.answer_due.val();
        self.chose_init.d.next = self.free.val() & !self.init_done.val();
        self.chose_marker.d.next = self.free.val() & self.is_mark.val();
        self.chose_pad.d.next = self.free.val() & self.pads.val();
        self.chose_replay.d.next = self.free.val() & self.is_replay.val() & !self.pads.val();
        self.chose_original.d.next = self.free.val() & self.may_write.val() & !self.pads.val();

        if self.opened.val() | self.reset.val() {
            self.valid.d.next = false;
            self.is_null.d.next = false;
            self.is_slot.d.next = false;
            self.is_new.d.next = false;
        }
        if self.decide.val() & !self.reset.val() {
            self.second_due.d.next = self.chose_request.q.val()
                | self.chose_retrain.q.val()
                | self.chose_answer.q.val()
                | self.chose_init.q.val()
                | self.chose_marker.q.val();
            self.marker_out.d.next = self.chose_marker.q.val();
            self.valid.d.next = true;
            self.is_null.d.next = !self.chose_replay.q.val() & !self.chose_original.q.val();
            self.is_slot.d.next = self.chose_replay.q.val();
            self.is_new.d.next = self.chose_original.q.val();
        }
        if self.reset.val() {
            self.second_due.d.next = false;
            self.marker_out.d.next = false;
        }

        self.second.next = self.chose_second.q.val();
        self.request.next = self.chose_request.q.val();
        self.retrain.next = self.chose_retrain.q.val();
        self.answer.next = self.chose_answer.q.val();
        self.init.next = self.chose_init.q.val();
        self.marker.next = self.chose_marker.q.val();
        self.pad.next = self.chose_pad.q.val();
        self.replay.next = self.chose_replay.q.val();
        self.original.next = self.chose_original.q.val();
        self.marking.next = self.marker_out.q.val();
        self.decided.next = self.valid.q.val();
        self.next_null.next = self.is_null.q.val();
        self.next_replay.next = self.is_slot.q.val();
        self.next_original.next = self.is_new.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("replay_choice", &[])
    }
}

drive_ports!(impl[] ReplayChoice { clock, reset, decide, opened, init_done, request_valid, retrain_due, answer_due, is_mark, is_replay, may_write, pads, second, request, retrain, answer, init, marker, pad, replay, original, marking, decided, next_null, next_replay, next_original });
