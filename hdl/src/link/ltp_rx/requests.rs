//! When a replay is asked for again, and when that is no use any more (chapter 10, 4.2 rules 4 and 5, 4.3).

use crate::prim::stream::StreamOut;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;

/// The waiting RetryReq pair, its limit, the timer TOSS_LTPS and the run of bad LTPs. In one clock what happens
/// counts in this order: the pair is taken, the timer, the verdict.
#[derive(LogicBlock, Default)]
pub struct LtpRxRequests {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Nothing is asked for, no request is offered until `activate`.
    pub clear: Signal<In, Bit>,
    /// The link is Active: requests are offered from the next clock on.
    pub activate: Signal<In, Bit>,
    /// An LTP time of the own transmit direction has gone by; never in two clocks in a row.
    pub ltp_time: Signal<In, Bit>,
    /// LTP times in TOSS before the request is repeated.
    pub toss_ltps: Signal<In, Bits<16>>,
    /// Requests for an unchanged NxtRx.
    pub retry_limit: Signal<In, Bits<8>>,
    /// Consecutive bad LTPs that mean lost framing.
    pub bad_run: Signal<In, Bits<8>>,
    /// Verdict: a good LTP.
    pub good: Signal<In, Bit>,
    /// Verdict: a bad LTP.
    pub bad: Signal<In, Bit>,
    /// With the verdict: it asks for a replay.
    pub asks: Signal<In, Bit>,
    /// With `bad`: in TOSS; every second consecutive bad LTP asks.
    pub bad_in_toss: Signal<In, Bit>,
    /// NxtRx moves on.
    pub delivers: Signal<In, Bit>,
    /// State TOSS.
    pub tossing: Signal<In, Bit>,
    /// NxtRx.
    pub next_rx: Signal<In, Bits<16>>,
    /// RetryReq pairs to send; the payload is NxtRx of this clock.
    pub retry_req: StreamOut<Bits<16>>,
    /// Requests are offered.
    pub active: Signal<Out, Bit>,
    /// Event: two consecutive bad LTPs.
    pub double_bad: Signal<Out, Bit>,
    /// Event: `bad_run` consecutive bad LTPs.
    pub framing_lost: Signal<Out, Bit>,
    /// Event: a request beyond `retry_limit`.
    pub request_limit: Signal<Out, Bit>,

    activated: DFF<Bit>,
    waiting: DFF<Bit>,
    requests: DFF<Bits<8>>,
    timer: DFF<Bits<16>>,
    /// The timer starts anew; what it has counted counts no more.
    anew: DFF<Bit>,
    toss_last: DFF<Bits<16>>,
    /// `timer` has reached `toss_last`.
    due: DFF<Bit>,
    /// `toss_last` is 0.
    due_at_once: DFF<Bit>,
    bad_count: DFF<Bits<8>>,
    bad_last: DFF<Bits<8>>,
    odd: DFF<Bit>,
    event_double: DFF<Bit>,
    event_framing: DFF<Bit>,
    event_limit: DFF<Bit>,

    still_waiting: Signal<Local, Bit>,
    ask: Signal<Local, Bit>,
    expired: Signal<Local, Bit>,
    at_limit: Signal<Local, Bit>,
    counts: Signal<Local, Bit>,
    counted: Signal<Local, Bits<16>>,
}

impl Logic for LtpRxRequests {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, activated, waiting, requests, timer, anew, toss_last, due, due_at_once);
        dff_setup!(self, clock, bad_count, bad_last, odd, event_double, event_framing, event_limit);

        // The run of bad LTPs.
        self.counts.next = self.bad.val() & !self.bad_count.q.val().all();
        self.bad_last.d.next = self.bad_run.val() - 1;
        self.event_double.d.next = self.bad.val() & self.bad_count.q.val().any();
        self.event_framing.d.next = self.counts.val() & (self.bad_count.q.val() == self.bad_last.q.val());
        if self.counts.val() {
            self.bad_count.d.next = self.bad_count.q.val() + 1;
        }
        if self.bad.val() {
            self.odd.d.next = !self.odd.q.val();
        }
        if self.good.val() {
            self.bad_count.d.next = 0.into();
            self.odd.d.next = false;
        }

        // The timer.
        self.toss_last.d.next = self.toss_ltps.val() - 1;
        if !self.toss_ltps.val().any() {
            self.toss_last.d.next = 0.into();
        }
        self.expired.next =
            self.ltp_time.val() & self.tossing.val() & self.activated.q.val() & self.due.q.val();
        self.due_at_once.d.next = !self.toss_last.q.val().any();
        self.due.d.next = self.timer.q.val() >= self.toss_last.q.val();
        self.counted.next = self.timer.q.val();
        if self.anew.q.val() {
            self.counted.next = 0.into();
            self.due.d.next = self.due_at_once.q.val();
        }
        self.timer.d.next = self.counted.val();
        if self.ltp_time.val() {
            self.timer.d.next = self.counted.val() + 1;
        }
        self.anew.d.next = !self.tossing.val() | !self.activated.q.val();

        // The request: at most one waits, and asking again while it waits changes nothing.
        self.ask.next = self.asks.val() | (self.bad_in_toss.val() & self.odd.q.val()) | self.expired.val();
        self.at_limit.next = self.requests.q.val() >= self.retry_limit.val();
        self.still_waiting.next =
            self.waiting.q.val() & !(self.retry_req.ready.val() & self.activated.q.val());
        self.waiting.d.next = self.still_waiting.val() | (self.ask.val() & !self.at_limit.val());
        self.event_limit.d.next = self.ask.val() & !self.still_waiting.val() & self.at_limit.val();
        if self.ask.val() {
            self.anew.d.next = true;
            self.due.d.next = self.due_at_once.q.val();
            if !self.still_waiting.val() & !self.at_limit.val() {
                self.requests.d.next = self.requests.q.val() + 1;
            }
        }
        if self.delivers.val() {
            self.requests.d.next = 0.into();
        }
        if self.activate.val() {
            self.activated.d.next = true;
        }
        if self.clear.val() {
            self.activated.d.next = false;
            self.waiting.d.next = false;
            self.requests.d.next = 0.into();
            self.anew.d.next = true;
            self.due.d.next = self.due_at_once.q.val();
            self.bad_count.d.next = 0.into();
            self.odd.d.next = false;
            self.event_double.d.next = false;
            self.event_framing.d.next = false;
            self.event_limit.d.next = false;
        }

        self.retry_req.valid.next = self.waiting.q.val() & self.activated.q.val();
        self.retry_req.data.next = self.next_rx.val();
        self.active.next = self.activated.q.val();
        self.double_bad.next = self.event_double.q.val();
        self.framing_lost.next = self.event_framing.q.val();
        self.request_limit.next = self.event_limit.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("ltp_rx_requests", &[])
    }
}

drive_ports!(impl[] LtpRxRequests { clock, clear, activate, ltp_time, toss_ltps, retry_limit, bad_run, good, bad, asks, bad_in_toss, delivers, tossing, next_rx, retry_req, active, double_bad, framing_lost, request_limit });
