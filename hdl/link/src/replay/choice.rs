//! What the next LTP is (chapter 10, 4.1 rule 4 and 4.2).

use flitforge_hdl_prim::prelude::*;

/// Chooses in the clock before `decide`, into registers of which at most one is 1: the .1 of a pair under way, a
/// RetryReq pair, a RetrainRetryReq pair, an answer, in INIT its pair, in MARK the RetryMrkr pair, the pad, a slot,
/// an original; none of them is a filler. Keeps what was decided until the LTP is opened.
#[block("replay_choice")]
pub struct ReplayChoice {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Nothing is decided, no pair is under way.
    reset: In<Bit>,
    /// Strobe: what was chosen is decided.
    decide: In<Bit>,
    /// The decided LTP is opened on this edge.
    opened: In<Bit>,
    /// The Init exchange is over.
    init_done: In<Bit>,
    /// The receiver wants a RetryReq pair.
    request_valid: In<Bit>,
    /// A RetrainRetryReq pair is to be sent.
    retrain_due: In<Bit>,
    /// A RndTripMrkr is to be answered.
    answer_due: In<Bit>,
    /// State MARK.
    is_mark: In<Bit>,
    /// State REPLAY.
    is_replay: In<Bit>,
    /// An original may be sent.
    may_write: In<Bit>,
    /// A filler of a pad is due.
    pads: In<Bit>,
    /// Chosen: the .1 of the pair under way.
    second: Out<Bit>,
    /// Chosen: RetryReq.0.
    request: Out<Bit>,
    /// Chosen: RetrainRetryReq.0.
    retrain: Out<Bit>,
    /// Chosen: RndTripMrkr.0, reply.
    answer: Out<Bit>,
    /// Chosen: the .0 of a pair of INIT.
    init: Out<Bit>,
    /// Chosen: RetryMrkr.0.
    marker: Out<Bit>,
    /// Chosen: a filler of a pad.
    pad: Out<Bit>,
    /// Chosen: a slot again.
    replay: Out<Bit>,
    /// Chosen: an original.
    original: Out<Bit>,
    /// The .1 of a RetryMrkr pair is next.
    marking: Out<Bit>,
    /// An LTP is decided and not yet opened.
    decided: Out<Bit>,
    /// The decided LTP is a Null LTP.
    next_null: Out<Bit>,
    /// The decided LTP is a slot.
    next_replay: Out<Bit>,
    /// The decided LTP is an original.
    next_original: Out<Bit>,

    chose_second: Reg<Bit>,
    chose_request: Reg<Bit>,
    chose_retrain: Reg<Bit>,
    chose_answer: Reg<Bit>,
    chose_init: Reg<Bit>,
    chose_marker: Reg<Bit>,
    chose_pad: Reg<Bit>,
    chose_replay: Reg<Bit>,
    chose_original: Reg<Bit>,
    second_due: Reg<Bit>,
    marker_out: Reg<Bit>,
    valid: Reg<Bit>,
    is_null: Reg<Bit>,
    is_slot: Reg<Bit>,
    is_new: Reg<Bit>,
}

#[logic]
impl ReplayChoice {
    fn update(&mut self) {
        let asks = init_done & request_valid;
        chose_second = second_due;
        chose_request = !second_due & asks;
        chose_retrain = !second_due & !asks & retrain_due;
        chose_answer = !second_due & !asks & !retrain_due & answer_due;
        let free = !second_due & !asks & !retrain_due & !answer_due;
        chose_init = free & !init_done;
        chose_marker = free & is_mark;
        chose_pad = free & pads;
        chose_replay = free & is_replay & !pads;
        chose_original = free & may_write & !pads;

        if opened | reset {
            valid = false;
            is_null = false;
            is_slot = false;
            is_new = false;
        }
        if decide & !reset {
            second_due = chose_request | chose_retrain | chose_answer | chose_init | chose_marker;
            marker_out = chose_marker;
            valid = true;
            is_null = !chose_replay & !chose_original;
            is_slot = chose_replay;
            is_new = chose_original;
        }
        if reset {
            second_due = false;
            marker_out = false;
        }

        second = chose_second;
        request = chose_request;
        retrain = chose_retrain;
        answer = chose_answer;
        init = chose_init;
        marker = chose_marker;
        pad = chose_pad;
        replay = chose_replay;
        original = chose_original;
        marking = marker_out;
        decided = valid;
        next_null = is_null;
        next_replay = is_slot;
        next_original = is_new;
    }
}
