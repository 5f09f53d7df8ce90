//! When a replay is asked for again, and when that is no use any more (chapter 10, 4.2 rules 4 and 5, 4.3).

use flitforge_hdl_prim::prelude::*;

/// The waiting RetryReq pair, its limit, the timer TOSS_LTPS and the run of bad LTPs. In one clock what happens
/// counts in this order: the pair is taken, the timer, the verdict.
#[block("ltp_rx_requests")]
pub struct LtpRxRequests {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Nothing is asked for, no request is offered until `activate`.
    clear: In<Bit>,
    /// The link is Active: requests are offered from the next clock on.
    activate: In<Bit>,
    /// An LTP time of the own transmit direction has gone by; never in two clocks in a row.
    ltp_time: In<Bit>,
    /// LTP times in TOSS before the request is repeated.
    toss_ltps: In<Bits<16>>,
    /// Requests for an unchanged NxtRx.
    retry_limit: In<Bits<8>>,
    /// Consecutive bad LTPs that mean lost framing.
    bad_run: In<Bits<8>>,
    /// Verdict: a good LTP.
    good: In<Bit>,
    /// Verdict: a bad LTP.
    bad: In<Bit>,
    /// With the verdict: it asks for a replay.
    asks: In<Bit>,
    /// With `bad`: in TOSS; every second consecutive bad LTP asks.
    bad_in_toss: In<Bit>,
    /// NxtRx moves on.
    delivers: In<Bit>,
    /// State TOSS.
    tossing: In<Bit>,
    /// NxtRx.
    next_rx: In<Bits<16>>,
    /// RetryReq pairs to send; the payload is NxtRx of this clock.
    pub retry_req: StreamOut<Bits<16>>,
    /// Requests are offered.
    active: Out<Bit>,
    /// Event: two consecutive bad LTPs.
    double_bad: Out<Bit>,
    /// Event: `bad_run` consecutive bad LTPs.
    framing_lost: Out<Bit>,
    /// Event: a request beyond `retry_limit`.
    request_limit: Out<Bit>,

    activated: Reg<Bit>,
    waiting: Reg<Bit>,
    requests: Reg<Bits<8>>,
    timer: Reg<Bits<16>>,
    /// The timer starts anew; what it has counted counts no more.
    anew: Reg<Bit>,
    toss_last: Reg<Bits<16>>,
    /// `timer` has reached `toss_last`.
    due: Reg<Bit>,
    /// `toss_last` is 0.
    due_at_once: Reg<Bit>,
    bad_count: Reg<Bits<8>>,
    bad_last: Reg<Bits<8>>,
    odd: Reg<Bit>,
    event_double: Reg<Bit>,
    event_framing: Reg<Bit>,
    event_limit: Reg<Bit>,

    still_waiting: Local<Bit>,
    ask: Local<Bit>,
    expired: Local<Bit>,
    at_limit: Local<Bit>,
}

#[logic]
impl LtpRxRequests {
    fn update(&mut self) {
        // The run of bad LTPs.
        let counts = bad & !bad_count.all();
        bad_last = bad_run - 1;
        event_double = bad & bad_count.any();
        event_framing = counts & (bad_count == bad_last);
        if counts {
            bad_count = bad_count + 1;
        }
        if bad {
            odd = !odd;
        }
        if good {
            bad_count = 0;
            odd = false;
        }

        // The timer.
        toss_last = toss_ltps - 1;
        if !toss_ltps.any() {
            toss_last = 0;
        }
        expired = ltp_time & tossing & activated & due;
        due_at_once = !toss_last.any();
        due = timer >= toss_last;
        let mut counted = timer;
        if anew {
            counted = 0;
            due = due_at_once;
        }
        timer = counted;
        if ltp_time {
            timer = counted + 1;
        }
        anew = !tossing | !activated;

        // The request: at most one waits, and asking again while it waits changes nothing.
        ask = asks | (bad_in_toss & odd) | expired;
        at_limit = requests >= retry_limit;
        still_waiting = waiting & !(retry_req.ready & activated);
        waiting = still_waiting | (ask & !at_limit);
        event_limit = ask & !still_waiting & at_limit;
        if ask {
            anew = true;
            due = due_at_once;
            if !still_waiting & !at_limit {
                requests = requests + 1;
            }
        }
        if delivers {
            requests = 0;
        }
        if activate {
            activated = true;
        }
        if clear {
            activated = false;
            waiting = false;
            requests = 0;
            anew = true;
            due = due_at_once;
            bad_count = 0;
            odd = false;
            event_double = false;
            event_framing = false;
            event_limit = false;
        }

        retry_req = In { valid: waiting & activated, data: next_rx };
        active = activated;
        double_bad = event_double;
        framing_lost = event_framing;
        request_limit = event_limit;
    }
}
