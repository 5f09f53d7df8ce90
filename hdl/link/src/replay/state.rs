//! The state of the transmit side (chapter 10, 4.2) and what may change it.

use super::STATE_BITS;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::retry::RetryState;

/// OFF to FREEZE. Strobes come from [`ReplaySequencer`](super::ReplaySequencer), one at a time; what they mean here is
/// for the other parts to follow: `request_ok`, `freeze`, `marked`, `load`.
#[block("replay_state")]
pub struct ReplayState {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Synchronous clear: OFF.
    clear: In<Bit>,
    /// Strobe: enter INIT.
    start: In<Bit>,
    /// Strobe: enter OFF.
    stop: In<Bit>,
    /// Strobe: enter MARK from INIT, if `pointer_ok`.
    activate: In<Bit>,
    /// Strobe: the events count.
    event: In<Bit>,
    /// Strobe: the next LTP is decided.
    decide: In<Bit>,
    /// With `event`: a RetryReq.
    is_request: In<Bit>,
    /// With `event`: two or more consecutive bad LTPs.
    is_double_bad: In<Bit>,
    /// With `event`: the peer has shown that it is Active.
    is_peer_active: In<Bit>,
    /// The pointer named is in the buffer.
    pointer_ok: In<Bit>,
    /// The request is one too many for its pointer.
    over_limit: In<Bit>,
    /// With `decide`: the .1 of a RetryMrkr pair.
    marker_second: In<Bit>,
    /// With `decide`: the RetrainRetryReq pair begins.
    retrain_first: In<Bit>,
    /// With `decide`: a slot is sent again.
    replays: In<Bit>,
    /// With `decide`: timer FREEZE_LTPS has run out.
    timer_over: In<Bit>,
    /// The marker's .0 has gone out and its .1 not yet.
    marking: In<Bit>,
    /// A pointer waits.
    waits: In<Bit>,
    /// NxtTx = NxtWr.
    is_empty: In<Bit>,
    /// NxtTx + 1 = NxtWr.
    ends: In<Bit>,
    /// Code of the state, that of the protocol crate's `RetryState`.
    state: Out<Bits<STATE_BITS>>,
    /// State OFF.
    is_off: Out<Bit>,
    /// State NORMAL, and the peer is Active.
    may_write: Out<Bit>,
    /// State NORMAL or REPLAY.
    may_pad: Out<Bit>,
    /// State MARK.
    is_mark: Out<Bit>,
    /// State REPLAY.
    is_replay: Out<Bit>,
    /// State FREEZE, its pair on the way.
    is_waiting: Out<Bit>,
    /// The Init exchange is over.
    init_done: Out<Bit>,
    /// The RetrainRetryReq pair has to be sent.
    retrain_wanted: Out<Bit>,
    /// Not OFF and not INIT.
    is_alive: Out<Bit>,
    /// A request is obeyed on this edge.
    request_ok: Out<Bit>,
    /// FREEZE is entered on this edge.
    freeze: Out<Bit>,
    /// The RetryMrkr pair is out: a pointer that waits becomes NxtTx.
    marked: Out<Bit>,
    /// REPLAY is entered on this edge.
    load: Out<Bit>,

    code: Reg<Bits<STATE_BITS>>,
    /// What `code` is: not OFF; neither OFF nor INIT; FREEZE.
    awake: Reg<Bit>,
    alive: Reg<Bit>,
    freezing: Reg<Bit>,
    done: Reg<Bit>,
    peer_active: Reg<Bit>,
    freeze_wanted: Reg<Bit>,
    retrain: Reg<Bit>,
    reset: Local<Bit>,
    #[init(RetryState::Off)]
    code_off: Constant<Bits<STATE_BITS>>,
    #[init(RetryState::Init)]
    code_init: Constant<Bits<STATE_BITS>>,
    #[init(RetryState::Normal)]
    code_normal: Constant<Bits<STATE_BITS>>,
    #[init(RetryState::Mark)]
    code_mark: Constant<Bits<STATE_BITS>>,
    #[init(RetryState::Replay)]
    code_replay: Constant<Bits<STATE_BITS>>,
    #[init(RetryState::Freeze)]
    code_freeze: Constant<Bits<STATE_BITS>>,
}

#[logic]
impl ReplayState {
    fn update(&mut self) {
        let mut next_code = code;
        let obeys = event & is_request & alive & pointer_ok & !over_limit;
        let double_bad = event & is_double_bad & alive & !freezing;
        let finishes = decide & marker_second;
        // While the marker pair goes out a freeze waits for its .1.
        let freezes = (double_bad & !marking) | (finishes & freeze_wanted);

        load = false;
        if decide & replays & ends {
            next_code = code_normal;
        }
        if finishes & !freeze_wanted & !waits {
            if is_empty {
                next_code = code_normal;
            } else {
                next_code = code_replay;
                load = true;
            }
        }
        if (obeys & !marking) | (activate & pointer_ok) {
            next_code = code_mark;
        }
        if freezes {
            next_code = code_freeze;
        }

        if decide & timer_over {
            retrain = true;
        }
        if obeys | (decide & retrain_first) {
            retrain = false;
        }
        if freezes {
            retrain = true;
        }
        done = done | activate;
        peer_active = peer_active | (event & is_peer_active);
        if start | stop | clear {
            next_code = code_off;
            done = false;
            peer_active = false;
            retrain = false;
        }
        if start & !clear {
            next_code = code_init;
        }

        code = next_code;
        // OFF is left by `start` alone and INIT by `activate` alone, so these two need not wait for the code.
        reset = start | stop | clear;
        freeze_wanted = (freeze_wanted | (double_bad & marking)) & !(obeys | freezes | reset);
        awake = (awake & !reset) | (start & !clear);
        alive = (alive | (activate & pointer_ok)) & !reset;
        freezing = next_code == code_freeze;
        state = code;
        is_off = !awake;
        may_write = (code == code_normal) & peer_active;
        is_mark = code == code_mark;
        is_replay = code == code_replay;
        may_pad = (code == code_normal) | (code == code_replay);
        is_waiting = freezing & !retrain;
        init_done = done;
        retrain_wanted = retrain;
        is_alive = alive;
        request_ok = obeys;
        freeze = freezes;
        marked = finishes & !freeze_wanted;
    }
}
