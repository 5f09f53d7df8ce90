//! Retries without progress, and what asks for Retraining or Down (chapter 10, 4.2 rule 5).

use super::{LIMIT_BITS, POINTER_BITS};
use flitforge_hdl_prim::prelude::*;

/// Counts requests for one pointer and repeats of the RetrainRetryReq pair up to RETRY_LIMIT, and the Retrainings that
/// these and BAD_POINTER lead to, for one LTP, up to REINIT_LIMIT. An LTP makes progress when its slot is overwritten.
///
/// `retrain` comes 3 clocks after what leads to it, `down` with it; both stay until the next start. Faults while
/// `retrain` is up change nothing.
#[block(new)]
pub struct ReplayLimits {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// RETRY_LIMIT, 1 to 255.
    retry_limit: In<Bits<LIMIT_BITS>>,
    /// REINIT_LIMIT, 1 to 255.
    reinit_limit: In<Bits<LIMIT_BITS>>,
    /// INIT or OFF is entered: the retries begin anew, the Retrainings do not.
    reset: In<Bit>,
    /// With `reset`: INIT is entered, and nothing is kept from before.
    fresh: In<Bit>,
    /// Numbers start at 0.
    restart: In<Bit>,
    /// Strobe: a request, or with `activates` the pointer of Init, is looked at.
    request: In<Bit>,
    /// With `request`: it is the pointer of Init, which is no request.
    activates: In<Bit>,
    /// Its pointer.
    pointer: In<Bits<POINTER_BITS>>,
    /// The pointer is in the buffer.
    pointer_ok: In<Bit>,
    /// Strobe: timer FREEZE_LTPS has run out.
    timer_over: In<Bit>,
    /// Strobe: Init has taken too long.
    init_timeout: In<Bit>,
    /// Strobe: the original `next_tx` is written.
    write: In<Bit>,
    /// NxtTx.
    next_tx: In<Bits<POINTER_BITS>>,
    /// NxtWr.
    next_write: In<Bits<POINTER_BITS>>,
    /// A request for `pointer` would be one too many.
    over_limit: Out<Bit>,
    /// The link has to be retrained.
    retrain: Out<Bit>,
    /// With `retrain`: it has to go Down.
    down: Out<Bit>,
    /// Event: a pointer that is not in the buffer.
    bad_pointer: Out<Bit>,

    named: Reg<Bits<POINTER_BITS>>,
    named_valid: Reg<Bit>,
    retries: Reg<Bits<LIMIT_BITS>>,
    at_limit: Reg<Bit>,
    same: Reg<Bit>,
    hits_named: Reg<Bit>,
    fault: Reg<Bit>,
    /// A fault that counts towards REINIT_LIMIT.
    counts: Reg<Bit>,
    counted: Reg<Bit>,
    asked: Reg<Bit>,
    stuck: Reg<Bits<POINTER_BITS>>,
    stuck_count: Reg<Bits<LIMIT_BITS>>,
    hits_stuck: Reg<Bit>,
    gives_up: Reg<Bit>,
    event_pointer: Reg<Bit>,
    #[init(1)]
    one: Constant<Bits<LIMIT_BITS>>,
    slot_mask: Constant<Bits<POINTER_BITS>>,
}

#[logic]
impl ReplayLimits {
    /// Nothing counted, a buffer of `slots` LTPs.
    pub fn new(slots: usize) -> Self {
        Self { slot_mask: Constant::new((slots as u64 - 1).into()), .. }
    }

    fn update(&mut self) {
        // Comparisons, ahead of the step that needs them.
        at_limit = retries >= retry_limit;
        same = named_valid & (named == pointer);
        hits_named = !((named ^ next_tx) & slot_mask).any();
        hits_stuck = !((stuck ^ next_tx) & slot_mask).any();
        let over = same & at_limit;
        let bad = request & !pointer_ok;
        let limit = (request & pointer_ok & !activates & over) | (timer_over & at_limit);

        // Requests for one pointer.
        if request & pointer_ok & !activates & !over {
            named = pointer;
            named_valid = true;
            retries = one;
            if same {
                retries = retries + one;
            }
        }
        if timer_over & !at_limit {
            retries = retries + one;
        }
        if write & hits_named & named_valid {
            named_valid = false;
            retries = 0;
        }

        // Retrainings for one LTP: of the pointer that the last request named, else of the next LTP.
        counts = (bad | limit) & !fault;
        counted = counts;
        fault = fault | bad | limit | init_timeout;
        let mut concerned = next_write;
        if named_valid {
            concerned = named;
        }
        if write & hits_stuck {
            stuck_count = 0;
        }
        if counts {
            stuck = concerned;
            stuck_count = one;
            if stuck == concerned {
                stuck_count = stuck_count + one;
            }
        }
        gives_up = gives_up | (counted & (stuck_count >= reinit_limit));
        // As long as the count takes, so that `down` is there with `retrain`.
        asked = fault & !counts;

        event_pointer = bad & !clear;
        if reset {
            retries = 0;
            fault = false;
            counts = false;
            counted = false;
            asked = false;
            gives_up = false;
        }
        if restart | clear {
            named_valid = false;
            retries = 0;
        }
        if (reset & fresh) | clear {
            stuck = 0;
            stuck_count = 0;
        }
        if clear {
            fault = false;
            counts = false;
            counted = false;
            asked = false;
            gives_up = false;
        }

        over_limit = over;
        retrain = asked;
        down = gives_up;
        bad_pointer = event_pointer;
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("replay_limits", &[("r", (self.slot_mask.val().index() + 1).to_string())])
    }
}
