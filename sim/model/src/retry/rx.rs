//! Receive side of retry, the toss rule (chapter 10, 4.3).

use super::config::{Mutation, RetryConfig};
use super::ltp::{Arrival, LinkLtp, Payload};
use crate::control::{Control, Half};
use crate::counters::Counters;
use crate::pair::moved;
use flitforge_protocol::counter::LinkCounter;
use flitforge_protocol::flit::RetrainKind;
use flitforge_protocol::retry::{is_behind, PAIR_LTPS};

/// State of the receiver.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RxState {
    /// Reliable LTPs are taken and numbered.
    Normal,
    /// Everything reliable is tossed until a RetryMrkr.
    Toss,
}

/// A row of the table in 4.3: what an LTP, or the passing of time, did to the receiver.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum RxRow {
    /// NORMAL, good reliable LTP, cur = NxtRx: delivered.
    Deliver,
    /// NORMAL, good reliable LTP, cur before NxtRx: tossed, `RX_DUP`.
    Duplicate,
    /// NORMAL, cur ahead of NxtRx: `RX_GAP`, Retraining.
    Gap,
    /// NORMAL, bad LTP: RetryReq pair, TOSS.
    Bad,
    /// TOSS, reliable LTP, good or bad: tossed, `RX_TOSSED`.
    Toss,
    /// A good Null that none of the rows below names.
    Null,
    /// Good RetryMrkr.0: the next LTP is the .1.
    MarkerFirst,
    /// The LTP after a good RetryMrkr.0, whatever its CRC: cur = a, NORMAL.
    MarkerSecond,
    /// Good RetryMrkr.1 without .0: cur = a, NORMAL.
    MarkerAlone,
    /// TOSS, every second consecutive bad LTP: RetryReq pair again.
    TossBadPair,
    /// TOSS, timer TOSS_LTPS: RetryReq pair again.
    TossTimer,
    /// Good RetrainRetryReq: RetryReq pair, TOSS.
    RetrainRequest,
    /// BAD_RUN consecutive bad LTPs: framing lost, Retraining.
    BadRun,
}

impl RxRow {
    /// Number of rows.
    pub const COUNT: usize = RxRow::ALL.len();
    /// Every row, in the order of the table.
    pub const ALL: [RxRow; 13] = [
        RxRow::Deliver,
        RxRow::Duplicate,
        RxRow::Gap,
        RxRow::Bad,
        RxRow::Toss,
        RxRow::Null,
        RxRow::MarkerFirst,
        RxRow::MarkerSecond,
        RxRow::MarkerAlone,
        RxRow::TossBadPair,
        RxRow::TossTimer,
        RxRow::RetrainRequest,
        RxRow::BadRun,
    ];

    /// As the table has it, with the register that counts it.
    pub const fn name(self) -> &'static str {
        match self {
            RxRow::Deliver => "delivered",
            RxRow::Duplicate => "tossed, had before (RX_DUP)",
            RxRow::Gap => "ahead of NxtRx (RX_GAP)",
            RxRow::Bad => "bad, asked again (RX_BAD)",
            RxRow::Toss => "tossed until the replay (RX_TOSSED)",
            RxRow::Null => "Null",
            RxRow::MarkerFirst => "RetryMrkr.0",
            RxRow::MarkerSecond => "RetryMrkr.1",
            RxRow::MarkerAlone => "RetryMrkr.1 without .0",
            RxRow::TossBadPair => "bad while tossing, asked again",
            RxRow::TossTimer => "TOSS_LTPS over, asked again",
            RxRow::RetrainRequest => "RetrainRetryReq, asked again",
            RxRow::BadRun => "BAD_RUN bad in a row, Retraining",
        }
    }
}

/// Why a link leaves Active for Retraining (chapter 10, 4.2, 4.3, 4.6 and 6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fault {
    /// RETRY_LIMIT own requests for one pointer without progress.
    RequestLimit,
    /// RETRY_LIMIT requests of the peer for one pointer, or repeats of the RetrainRetryReq pair, without progress.
    ReplayLimit,
    /// A request for an LTP outside the replay buffer.
    BadPointer,
    /// A sequence number ahead of NxtRx.
    Gap,
    /// BAD_RUN consecutive bad LTPs.
    BadRun,
    /// State Init took too long.
    InitTimeout,
}

/// What the isolation latch does with an LTP (chapter 10, 4.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LatchAction {
    /// Keep the group CRCs and the state of this bad LTP, in place of what was kept.
    Latch,
    /// Compare this good LTP with what is kept: it is the replay of the same sequence number.
    Compare,
    /// There is no replay to compare with: the bad LTP was a Null. `ISO_UNKNOWN`.
    Unknown,
}

/// A delivered LTP.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivered<P> {
    /// Its content, time flits of a replayed LTP turned into Idle.
    pub payload: P,
    /// Its sequence number.
    pub sequence: u16,
    /// It was replayed: its beats carry `late`.
    pub late: bool,
}

/// A good Null the transmit side has to act on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NullEvent {
    /// RetryReq: replay from this pointer.
    RetryRequest(u16),
    /// RndTripMrkr without reply bit: answer with this token.
    RoundTrip(u8),
    /// RndTripMrkr with reply bit.
    RoundTripReply(u8),
    /// InitReq or InitAck.
    Init {
        /// InitAck: the peer has seen our InitReq or InitAck.
        ack: bool,
        /// The peer keeps no state.
        fresh: bool,
        /// The peer's NxtRx.
        next_rx: u16,
    },
}

/// What one LTP led to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reception<P> {
    /// The row of 4.3.
    pub row: RxRow,
    /// The LTP that leaves.
    pub delivered: Option<Delivered<P>>,
    /// What the transmit side has to act on.
    pub event: Option<NullEvent>,
    /// This was the second or a later of consecutive bad LTPs: a pair may be lost (4.2 rule 2).
    pub double_bad: bool,
    /// What the isolation latch does.
    pub latch: Option<LatchAction>,
    /// Why the link has to be retrained.
    pub fault: Option<Fault>,
}

impl<P> Reception<P> {
    const fn of(row: RxRow) -> Self {
        Reception { row, delivered: None, event: None, double_bad: false, latch: None, fault: None }
    }
}

/// A RetryMrkr that was read: first replayed LTP and NxtWr at that moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Marker {
    first: u16,
    next_write: u16,
}

/// The receive side: one [`RetryRx::receive`] for each LTP, one [`RetryRx::tick`] for each LTP time.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RetryRx {
    config: RetryConfig,
    round_trip: u32,
    state: RxState,
    /// Requests may be sent: the link is Active.
    active: bool,
    current: u16,
    next: u16,
    /// NxtWr of the last marker while `current` is before it: those LTPs are replayed ones.
    replay_end: Option<u16>,
    /// A good RetryMrkr.0 was the last LTP.
    marker: Option<Marker>,
    /// The last LTP, if it was the first of a pair that counts once.
    first_of_pair: Option<Control>,
    bad_run: u32,
    request: bool,
    requests: u32,
    toss_timer: u32,
    latched: bool,
    counters: Counters,
    rows: [u64; RxRow::COUNT],
}

impl RetryRx {
    /// A receiver that has seen nothing: TOSS, NxtRx = 0.
    #[must_use]
    pub const fn new(config: RetryConfig) -> Self {
        RetryRx {
            config,
            round_trip: 0,
            state: RxState::Toss,
            active: false,
            current: 0,
            next: 0,
            replay_end: None,
            marker: None,
            first_of_pair: None,
            bad_run: 0,
            request: false,
            requests: 0,
            toss_timer: 0,
            latched: false,
            counters: Counters::new(),
            rows: [0; RxRow::COUNT],
        }
    }

    /// Leaves Active: what was asked for and kept is void, NxtRx stays. Until [`RetryRx::activate`]
    /// no request is sent.
    pub fn reset_exchange(&mut self) {
        *self = RetryRx {
            next: self.next,
            counters: self.counters.clone(),
            rows: self.rows,
            ..RetryRx::new(self.config)
        };
    }

    /// Starts at sequence number 0 (4.6 rule 5, fresh).
    pub fn restart(&mut self) {
        self.next = 0;
        self.reset_exchange();
    }

    /// Enters Active: from now on requests are sent, one that came up in Init first. `round_trip` sets the timer.
    pub fn activate(&mut self, round_trip: u32) {
        self.round_trip = round_trip;
        self.active = true;
        self.toss_timer = 0;
    }

    /// NxtRx.
    #[must_use]
    pub const fn next(&self) -> u16 {
        self.next
    }

    /// NORMAL or TOSS.
    #[must_use]
    pub const fn state(&self) -> RxState {
        self.state
    }

    /// The pointer of the RetryReq pair that waits to be sent: NxtRx as of now (4.2 rule 4).
    #[must_use]
    pub fn pending_request(&self) -> Option<u16> {
        (self.request && self.active).then_some(self.next)
    }

    /// The pair is on its way.
    pub fn request_sent(&mut self) {
        self.request = false;
    }

    /// Its counters.
    #[must_use]
    pub const fn counters(&self) -> &Counters {
        &self.counters
    }

    /// How often each row of 4.3 was taken, in the order of [`RxRow::ALL`].
    #[must_use]
    pub const fn rows(&self) -> &[u64; RxRow::COUNT] {
        &self.rows
    }

    /// Takes one LTP.
    pub fn receive<P: Payload>(&mut self, arrival: Arrival<P>) -> Reception<P> {
        let first_of_pair = self.first_of_pair.take();
        let reception = match arrival {
            Arrival::Bad => self.receive_bad(),
            Arrival::Good(ltp) => {
                self.bad_run = 0;
                self.counters.count(LinkCounter::RxGood);
                match (self.marker.take(), ltp) {
                    (Some(marker), ltp) => self.marker_second(marker, Some(&ltp)),
                    (None, LinkLtp::Null(null)) => self.receive_null(null, first_of_pair),
                    (None, LinkLtp::Reliable(payload)) => self.receive_reliable(payload),
                }
            }
        };
        self.rows[reception.row as usize] += 1;
        reception
    }

    /// One LTP time of the transmit direction went by. A fault if the timer's request is one too many.
    pub fn tick(&mut self) -> Option<Fault> {
        if self.state == RxState::Normal || !self.active {
            self.toss_timer = 0;
            return None;
        }
        self.toss_timer += 1;
        if self.toss_timer < self.config.toss_time(self.round_trip) {
            return None;
        }
        self.rows[RxRow::TossTimer as usize] += 1;
        self.ask()
    }

    /// Asks for a replay from NxtRx. At most one pair waits; asking again while it waits changes nothing (4.2 rule 4).
    fn ask(&mut self) -> Option<Fault> {
        self.toss_timer = 0;
        if self.request {
            return None;
        }
        if self.requests >= self.config.retry_limit {
            return Some(Fault::RequestLimit);
        }
        self.requests += 1;
        self.request = true;
        None
    }

    fn receive_bad<P>(&mut self) -> Reception<P> {
        self.counters.count(LinkCounter::RxBad);
        self.bad_run += 1;
        let mut reception = self.bad_by_state();
        reception.double_bad = self.bad_run >= PAIR_LTPS;
        if self.bad_run == self.config.bad_run {
            reception = Reception { row: RxRow::BadRun, fault: Some(Fault::BadRun), ..reception };
        }
        reception
    }

    fn bad_by_state<P>(&mut self) -> Reception<P> {
        if let Some(marker) = self.marker.take() {
            if !self.config.lacks(Mutation::MarkerSecondMustBeGood) {
                return self.marker_second(marker, None::<&LinkLtp<P>>);
            }
        }
        if self.state == RxState::Normal {
            // Our reading: only the LTP with sequence NxtRx is kept for the comparison. A bad duplicate would be
            // compared with another LTP.
            let latch = (self.current == self.next).then_some(LatchAction::Latch);
            self.latched |= latch.is_some();
            self.state = RxState::Toss;
            self.replay_end = None;
            return Reception { latch, fault: self.ask(), ..Reception::of(RxRow::Bad) };
        }
        self.counters.count(LinkCounter::RxTossed);
        if self.bad_run % PAIR_LTPS == 0 {
            Reception { fault: self.ask(), ..Reception::of(RxRow::TossBadPair) }
        } else {
            Reception::of(RxRow::Toss)
        }
    }

    fn receive_reliable<P: Payload>(&mut self, mut payload: P) -> Reception<P> {
        if self.state == RxState::Toss {
            self.counters.count(LinkCounter::RxTossed);
            return Reception::of(RxRow::Toss);
        }
        let sequence = self.current;
        let duplicate = is_behind(sequence, self.next);
        if sequence != self.next && !duplicate {
            self.counters.count(LinkCounter::RxGap);
            return Reception { fault: Some(Fault::Gap), ..Reception::of(RxRow::Gap) };
        }
        let late = self.replay_end.is_some();
        self.current = sequence.wrapping_add(1);
        if self.replay_end == Some(self.current) {
            self.replay_end = None;
        }
        if duplicate {
            self.counters.count(LinkCounter::RxDup);
            let row = Reception::of(RxRow::Duplicate);
            if !self.config.lacks(Mutation::NoDuplicateToss) {
                return row;
            }
            return Reception { delivered: Some(Delivered { payload, sequence, late }), ..row };
        }
        self.next = self.current;
        self.requests = 0;
        self.counters.count(LinkCounter::RxAccepted);
        if late {
            self.counters.add(LinkCounter::LateBeats, payload.beats(self.config.flits_per_beat));
            if !self.config.lacks(Mutation::NoTimeStrip) {
                self.counters.add(LinkCounter::TimeStale, payload.strip_time_flits());
            }
        }
        let latch = std::mem::take(&mut self.latched).then_some(LatchAction::Compare);
        let delivered = Some(Delivered { payload, sequence, late });
        Reception { delivered, latch, ..Reception::of(RxRow::Deliver) }
    }

    fn receive_null<P>(&mut self, null: Control, first_of_pair: Option<Control>) -> Reception<P> {
        let again = first_of_pair == Some(null);
        let event = |event| Reception { event, ..Reception::of(RxRow::Null) };
        match null {
            Control::RetryMrkr { half, first_replayed, next_write_ltp } => {
                let marker = Marker { first: first_replayed, next_write: next_write_ltp };
                match half {
                    Half::First => {
                        self.marker = Some(marker);
                        Reception::of(RxRow::MarkerFirst)
                    }
                    Half::Second => self.obey(marker, RxRow::MarkerAlone),
                }
            }
            Control::RetryReq { half, next_rx_ltp } => {
                self.expect_second(half, Control::RetryReq { half: Half::Second, next_rx_ltp });
                event((!again).then_some(NullEvent::RetryRequest(next_rx_ltp)))
            }
            Control::RndTripMrkr { half, token, reply } => {
                self.expect_second(half, Control::RndTripMrkr { half: Half::Second, token, reply });
                let meaning = if reply { NullEvent::RoundTripReply } else { NullEvent::RoundTrip };
                event((!again).then_some(meaning(token)))
            }
            Control::Retrain { kind, half, fresh, next_rx_ltp } => {
                self.expect_second(half, Control::Retrain { kind, half: Half::Second, fresh, next_rx_ltp });
                let init = |ack| NullEvent::Init { ack, fresh, next_rx: next_rx_ltp };
                match RetrainKind::from_code(kind) {
                    Some(RetrainKind::Filler) => event(None),
                    Some(RetrainKind::InitReq) => event(Some(init(false))),
                    Some(RetrainKind::InitAck) => event(Some(init(true))),
                    Some(RetrainKind::RetrainRetryReq) => self.retrain_request(again),
                    None => self.illegal_null(),
                }
            }
            _ => self.illegal_null(),
        }
    }

    /// Remembers the .1 that would be the same message as the .0 just read.
    fn expect_second(&mut self, half: Half, second: Control) {
        self.first_of_pair = (half == Half::First).then_some(second);
    }

    fn illegal_null<P>(&mut self) -> Reception<P> {
        self.counters.count(LinkCounter::IllegalNull);
        Reception::of(RxRow::Null)
    }

    /// Row "RetrainRetryReq". Our reading: a .1 directly after a good .0 is the same request, as with RetryReq.
    fn retrain_request<P>(&mut self, again: bool) -> Reception<P> {
        if again {
            return Reception::of(RxRow::Null);
        }
        self.state = RxState::Toss;
        self.replay_end = None;
        Reception { fault: self.ask(), ..Reception::of(RxRow::RetrainRequest) }
    }

    /// The LTP after a good RetryMrkr.0; `None` if it is bad. A good one that is no matching .1 is counted and
    /// still taken for it.
    fn marker_second<P>(&mut self, marker: Marker, ltp: Option<&LinkLtp<P>>) -> Reception<P> {
        let (first_replayed, next_write_ltp) = (marker.first, marker.next_write);
        let expected = Control::RetryMrkr { half: Half::Second, first_replayed, next_write_ltp };
        if ltp.is_some_and(|ltp| !matches!(ltp, LinkLtp::Null(null) if *null == expected)) {
            self.counters.count(LinkCounter::IllegalNull);
        }
        self.obey(marker, RxRow::MarkerSecond)
    }

    /// cur = a, NORMAL. In NORMAL nobody asked: `UNEXP_MRKR`.
    fn obey<P>(&mut self, marker: Marker, row: RxRow) -> Reception<P> {
        if self.state == RxState::Normal {
            self.counters.count(LinkCounter::UnexpMrkr);
        }
        self.state = RxState::Normal;
        self.current = marker.first;
        self.replay_end = (marker.first != marker.next_write).then_some(marker.next_write);
        // What the peer has not sent yet cannot have been the bad LTP: that was a Null.
        let unknown = self.latched && marker.next_write == self.next;
        self.latched &= !unknown;
        Reception { latch: unknown.then_some(LatchAction::Unknown), ..Reception::of(row) }
    }

    /// Nothing is asked for, awaited or kept.
    pub(super) const fn is_settled(&self) -> bool {
        !self.request && self.marker.is_none() && !self.latched && self.replay_end.is_none()
    }

    /// The same receiver with its numbers moved and what a proof does not need cut off: counters, the retry limit, and
    /// how long a run of bad LTPs is beyond its being at least a pair and odd or even.
    pub(super) fn fold(&mut self, data: u16, requests: u16) {
        self.current = self.current.wrapping_sub(data);
        self.next = self.next.wrapping_sub(data);
        self.replay_end = self.replay_end.map(|end| end.wrapping_sub(data));
        self.marker = self.marker.map(|marker| Marker {
            first: marker.first.wrapping_sub(data),
            next_write: marker.next_write.wrapping_sub(data),
        });
        self.first_of_pair = self.first_of_pair.map(|null| moved(null, data, requests));
        if self.state == RxState::Toss {
            self.current = 0; // read again only after a marker
        }
        if self.bad_run > PAIR_LTPS {
            self.bad_run = PAIR_LTPS + self.bad_run % PAIR_LTPS;
        }
        self.requests = 0;
        self.counters = Counters::new();
        self.rows = [0; RxRow::COUNT];
    }
}
