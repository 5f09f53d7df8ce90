//! How long the way to the peer and back takes (chapter 10, 4.2 rule 6).

use super::TOKEN_BITS;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::retry::ROUND_TRIP_TIMEOUT_LTPS;

/// Measures the round trip in core clocks and in LTP times.
///
/// The clocks are counted from the last beat of the RndTripMrkr.0 to its answer. RTT_LTP, their number over the clocks
/// of an LTP, rounded up, needs no division: an LTP time is what the own LTPs take, and those decided since the marker
/// are counted. As an LTP is decided a few beats before it is opened, the result may be one more, never less.
#[derive(LogicBlock)]
pub struct ReplayRoundTrip {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Nothing is known or under way.
    pub reset: Signal<In, Bit>,
    /// In INIT, the exchange not yet over.
    pub in_init: Signal<In, Bit>,
    /// The peer's InitReq or InitAck has come: it answers.
    pub heard: Signal<In, Bit>,
    /// Strobe: an LTP is decided.
    pub decide: Signal<In, Bit>,
    /// With `decide`: it is a pair of INIT.
    pub init_pair: Signal<In, Bit>,
    /// A decided LTP is opened.
    pub opened: Signal<In, Bit>,
    /// Strobe: the events count.
    pub event: Signal<In, Bit>,
    /// With `event`: an answer.
    pub is_reply: Signal<In, Bit>,
    /// Token of the answer.
    pub reply_token: Signal<In, Bits<TOKEN_BITS>>,
    /// A pair of INIT is a RndTripMrkr.
    pub measures: Signal<Out, Bit>,
    /// Its token.
    pub token: Signal<Out, Bits<TOKEN_BITS>>,
    /// The round trip is known.
    pub known: Signal<Out, Bit>,
    /// RTT_LTP; 0 before it is known.
    pub ltps: Signal<Out, Bits<16>>,
    /// Core clocks.
    pub clocks: Signal<Out, Bits<32>>,

    is_known: DFF<Bit>,
    result: DFF<Bits<16>>,
    under_way: DFF<Bit>,
    sent_token: DFF<Bits<TOKEN_BITS>>,
    next_token: DFF<Bits<TOKEN_BITS>>,
    same_token: DFF<Bit>,
    count: DFF<Bits<16>>,
    late: DFF<Bit>,
    marker_decided: DFF<Bit>,
    marker_open: DFF<Bit>,
    /// The LTP behind the marker's .0 was opened in the clock before.
    begun: DFF<Bit>,
    running: DFF<Bit>,
    clock_count: DFF<Bits<32>>,
    starts: Signal<Local, Bit>,
    begins: Signal<Local, Bit>,
    timeout: Constant<Bits<16>>,
}

impl Default for ReplayRoundTrip {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            in_init: Default::default(),
            heard: Default::default(),
            decide: Default::default(),
            init_pair: Default::default(),
            opened: Default::default(),
            event: Default::default(),
            is_reply: Default::default(),
            reply_token: Default::default(),
            measures: Default::default(),
            token: Default::default(),
            known: Default::default(),
            ltps: Default::default(),
            clocks: Default::default(),
            is_known: Default::default(),
            result: Default::default(),
            under_way: Default::default(),
            sent_token: Default::default(),
            next_token: Default::default(),
            same_token: Default::default(),
            count: Default::default(),
            late: Default::default(),
            marker_decided: Default::default(),
            marker_open: Default::default(),
            begun: Default::default(),
            running: Default::default(),
            clock_count: Default::default(),
            starts: Default::default(),
            begins: Default::default(),
            timeout: Constant::new(u64::from(ROUND_TRIP_TIMEOUT_LTPS).into()),
        }
    }
}

impl Logic for ReplayRoundTrip {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, is_known, result, under_way, sent_token, next_token, same_token, count);
        dff_setup!(self, clock, late, marker_decided, marker_open, begun, running, clock_count);
        self.starts.next =
            (!self.is_known.q.val() & self.heard.val()) & (!self.under_way.q.val() | self.late.q.val());
        self.begins.next = self.decide.val() & self.init_pair.val() & self.starts.val();
        self.same_token.d.next = self.under_way.q.val() & (self.sent_token.q.val() == self.reply_token.val());
        // Decisions since the marker's; one more than that is the LTP being decided.
        self.late.d.next = self.count.q.val() > self.timeout.val();

        if self.decide.val() {
            self.count.d.next = self.count.q.val() + 1;
            self.marker_decided.d.next = self.begins.val();
        }
        if self.begins.val() {
            self.count.d.next = 0.into();
            self.under_way.d.next = true;
            self.sent_token.d.next = self.next_token.q.val();
            self.next_token.d.next = self.next_token.q.val() + 1;
        }

        // The clocks, from the opening of the LTP behind the marker's .0.
        if self.opened.val() {
            self.marker_open.d.next = self.marker_decided.q.val();
        }
        if self.running.q.val() {
            self.clock_count.d.next = self.clock_count.q.val() + 1;
        }
        self.begun.d.next = self.opened.val() & self.marker_open.q.val();
        if self.begun.q.val() {
            self.running.d.next = true;
            self.clock_count.d.next = 1.into();
        }
        if self.event.val()
            & self.is_reply.val()
            & self.in_init.val()
            & self.same_token.q.val()
            & !self.is_known.q.val()
        {
            self.is_known.d.next = true;
            self.result.d.next = self.count.q.val();
            self.under_way.d.next = false;
            self.running.d.next = false;
        }
        if self.reset.val() {
            self.is_known.d.next = false;
            self.result.d.next = 0.into();
            self.under_way.d.next = false;
            self.next_token.d.next = 0.into();
            self.marker_decided.d.next = false;
            self.marker_open.d.next = false;
            self.begun.d.next = false;
            self.running.d.next = false;
        }
        self.measures.next = self.starts.val();
        self.token.next = self.next_token.q.val();
        self.known.next = self.is_known.q.val();
        self.ltps.next = self.result.q.val();
        self.clocks.next = self.clock_count.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("replay_round_trip", &[])
    }
}

drive_ports!(impl[] ReplayRoundTrip { clock, reset, in_init, heard, decide, init_pair, opened, event, is_reply, reply_token, measures, token, known, ltps, clocks });
