//! The toss rule: what happens to each LTP (the table of chapter 10, 4.3).

use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::retry::IsolateAction;

/// States NORMAL and TOSS, NxtRx, and how far cur and the end of a replay are from where they lead. There are at least
/// 4 clocks from one verdict to the next; `accepting` and `late` are ready for it.
///
/// Sequence numbers are kept as distances: NxtRx - cur, which only a marker and a duplicate change, and the number of
/// replayed LTPs that are still to come.
#[block("ltp_rx_toss")]
pub struct LtpRxToss {
    /// Rising edge counts.
    clock: In<Clock>,
    /// TOSS, and nothing is awaited or kept; NxtRx stays.
    clear: In<Bit>,
    /// With `clear`: NxtRx is 0.
    fresh: In<Bit>,
    /// Every good reliable LTP is accepted from the next clock on.
    open: In<Bit>,
    /// No LTP is accepted in the next clock.
    blocked: In<Bit>,
    /// Verdict: a good LTP.
    good: In<Bit>,
    /// Verdict: a bad LTP.
    bad: In<Bit>,
    /// With `good`: a Null LTP.
    null_ltp: In<Bit>,
    /// With `null_ltp`: a RetryMrkr.
    marker: In<Bit>,
    /// With `marker`: the .1.
    second: In<Bit>,
    /// With `null_ltp`: a RetrainRetryReq that was not just read.
    retrain: In<Bit>,
    /// From the clock after a marker's verdict on: its first replayed LTP.
    marker_first: In<Bits<16>>,
    /// As `marker_first`: its NxtWr.
    marker_write: In<Bits<16>>,
    /// With a verdict: sequence state of the LTP.
    state: In<Bits<2>>,
    /// A good reliable LTP is delivered.
    accepting: Out<Bit>,
    /// In the clock before the verdict: if it is accepted, it is a replayed one.
    late: Out<Bit>,
    /// With the verdict: the LTP is taken for a RetryMrkr.1, whatever it is.
    second_half: Out<Bit>,
    /// TOSS, not NORMAL.
    tossing: Out<Bit>,
    /// NxtRx.
    next_rx: Out<Bits<16>>,
    /// With the verdict: NxtRx moves on.
    delivers: Out<Bit>,
    /// With the verdict: a good Null LTP that stands for itself.
    alone: Out<Bit>,
    /// With the verdict: it asks for a replay.
    asks: Out<Bit>,
    /// With the verdict: bad in TOSS; it asks if it is the second of two.
    bad_in_toss: Out<Bit>,
    /// Event: a reliable or bad LTP was tossed in TOSS.
    tossed: Out<Bit>,
    /// Event: a good LTP behind NxtRx was tossed.
    duplicate: Out<Bit>,
    /// Event: a good LTP ahead of NxtRx.
    gap: Out<Bit>,
    /// Event: a RetryMrkr in NORMAL.
    unexpected: Out<Bit>,
    /// Event: what the isolation has to do.
    iso_valid: Out<Bit>,
    /// With `iso_valid`: code of the action.
    iso_action: Out<Bits<2>>,
    /// With `iso_valid`: sequence state of the LTP to latch or compare, else 0.
    iso_state: Out<Bits<2>>,

    normal: Reg<Bit>,
    next_number: Reg<Bits<16>>,
    /// NxtRx - cur.
    distance: Reg<Bits<16>>,
    at_next: Reg<Bit>,
    behind: Reg<Bit>,
    late_left: Reg<Bits<16>>,
    any_late: Reg<Bit>,
    marker_open: Reg<Bit>,
    obeyed: Reg<Bit>,
    latched: Reg<Bit>,
    accepts: Reg<Bit>,
    event_tossed: Reg<Bit>,
    event_duplicate: Reg<Bit>,
    event_gap: Reg<Bit>,
    event_unexpected: Reg<Bit>,
    event_iso: Reg<Bit>,
    action: Reg<Bits<2>>,
    action_state: Reg<Bits<2>>,

    #[init(IsolateAction::Latch)]
    latch: Constant<Bits<2>>,
    #[init(IsolateAction::Compare)]
    compare: Constant<Bits<2>>,
    #[init(IsolateAction::Unknown)]
    unknown: Constant<Bits<2>>,
    #[init(IsolateAction::Discard)]
    discard: Constant<Bits<2>>,
}

#[logic]
impl LtpRxToss {
    fn update(&mut self) {
        // Which row of the table it is. `clear` undoes it at the end: it comes late.
        let after_first = (good | bad) & marker_open;
        let single = good & null_ltp & !marker_open;
        let reliable = good & !null_ltp & !marker_open;
        let taken = reliable & accepts;
        let repeated = reliable & normal & behind;
        let breaks = bad & normal & !marker_open;
        bad_in_toss = bad & !normal & !marker_open;
        let restarts = single & retrain;
        let obeys = after_first | (single & marker & second);
        event_tossed = (reliable & !normal) | (bad & !normal & !marker_open);
        event_duplicate = repeated;
        event_gap = reliable & normal & !behind & !at_next;
        event_unexpected = obeys & normal;
        event_iso = false;
        action_state = 0;

        self.move_numbers(single, taken, repeated, breaks, restarts, obeys);

        // Ready for the next verdict.
        at_next = !distance.any();
        behind = distance.any() & !distance[15];
        any_late = late_left.any();
        accepts = open | (normal & at_next & !marker_open & !blocked & !clear);

        accepting = accepts;
        late = any_late;
        second_half = after_first;
        tossing = !normal;
        next_rx = next_number;
        delivers = taken;
        alone = single;
        asks = breaks | restarts;
        tossed = event_tossed;
        duplicate = event_duplicate;
        gap = event_gap;
        unexpected = event_unexpected;
        iso_valid = event_iso;
        iso_action = action;
        iso_state = action_state;
    }

    /// What becomes of the numbers.
    fn move_numbers(
        &mut self,
        single: Bit,
        taken: Bit,
        repeated: Bit,
        breaks: Bit,
        restarts: Bit,
        obeys: Bit,
    ) {
        if good | bad {
            marker_open = single & marker & !second;
        }
        if (taken | repeated) & any_late {
            late_left = late_left - 1;
        }
        if taken {
            next_number = next_number + 1;
            event_iso = latched;
            action = compare;
            action_state = state;
            latched = false;
        }
        if repeated {
            distance = distance - 1;
        }
        if breaks | restarts {
            normal = false;
            late_left = 0;
        }
        if breaks & at_next {
            event_iso = true;
            action = latch;
            action_state = state;
            latched = true;
        }
        obeyed = obeys;
        if obeys {
            normal = true;
        }
        if obeyed {
            distance = next_number - marker_first;
            late_left = marker_write - marker_first;
            if latched & (marker_write == next_number) {
                event_iso = true;
                action = unknown;
                latched = false;
            }
        }
        if clear {
            normal = false;
            distance = 0;
            late_left = 0;
            marker_open = false;
            obeyed = false;
            event_iso = latched;
            action = discard;
            action_state = 0;
            latched = false;
            event_tossed = false;
            event_duplicate = false;
            event_gap = false;
            event_unexpected = false;
            next_number = next_number;
            if fresh {
                next_number = 0;
            }
        }
    }
}
