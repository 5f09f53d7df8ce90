//! Both sides of retry of one end, and the exchange of state Init.

use super::config::{RetryConfig, RetryConfigError};
use super::init::InitExchange;
use super::ltp::{Arrival, LinkLtp, Payload};
use super::rx::{Fault, NullEvent, Reception, RetryRx, RxRow};
use super::tx::{RetryTx, Sent};
use crate::control::{Control, Half};
use crate::counters::Counters;
use crate::pair::Numbered;
use flitforge_protocol::counter::LinkCounter;
use flitforge_protocol::flit::RetrainKind;
use flitforge_protocol::retry::RetryState;

/// What the end is doing.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Phase {
    /// Lanes are down or in training.
    Off,
    /// State Init.
    Init(InitExchange),
    /// State Active or Degraded.
    Active,
}

/// Retry of one end: [`RetryPort::receive`] for each LTP that comes in, [`RetryPort::send`] for each that goes out.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RetryPort<P> {
    config: RetryConfig,
    ltp_time: u64,
    phase: Phase,
    tx: RetryTx<P>,
    rx: RetryRx,
    /// No state is kept, and the peer may not know yet: from the start, or Down, until Active.
    fresh: bool,
    stuck: [Stuck; 2],
    counters: Counters,
}

/// Retrainings for one LTP that does not get through (4.2 rule 5, REINIT_LIMIT).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
struct Stuck {
    /// Number of the LTP since the counters were cleared.
    ltp: u64,
    retrainings: u32,
}

impl Stuck {
    fn again(&mut self, ltp: u64) -> u32 {
        let retrainings = if self.ltp == ltp { self.retrainings + 1 } else { 1 };
        *self = Stuck { ltp, retrainings };
        retrainings
    }
}

/// An LTP to send, or why the link has to be retrained.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn<P> {
    /// The LTP; `None` while OFF.
    pub sent: Option<Sent<P>>,
    /// A timer found this.
    pub fault: Option<Fault>,
}

impl<P: Payload> RetryPort<P> {
    /// An end that is OFF. `ltp_time` is the time of one LTP of its transmit direction in the unit of `now`.
    pub fn new(config: RetryConfig, ltp_time: u64) -> Result<Self, RetryConfigError> {
        config.check()?;
        if ltp_time == 0 {
            return Err(RetryConfigError { parameter: "LTP time", value: 0, expected: "at least 1" });
        }
        Ok(RetryPort::unchecked(config, ltp_time))
    }

    /// As [`RetryPort::new`], but with any number of slots, for proofs on small buffers.
    #[must_use]
    pub(crate) fn unchecked(config: RetryConfig, ltp_time: u64) -> Self {
        RetryPort {
            config,
            ltp_time,
            phase: Phase::Off,
            tx: RetryTx::new(config),
            rx: RetryRx::new(config),
            fresh: true,
            stuck: [Stuck::default(); 2],
            counters: Counters::new(),
        }
    }

    /// The transmit side.
    #[must_use]
    pub const fn tx(&self) -> &RetryTx<P> {
        &self.tx
    }

    /// The receive side.
    #[must_use]
    pub const fn rx(&self) -> &RetryRx {
        &self.rx
    }

    /// The transmit side, to damage a slot of its buffer.
    pub fn tx_mut(&mut self) -> &mut RetryTx<P> {
        &mut self.tx
    }

    /// True in Active and Degraded.
    #[must_use]
    pub const fn is_active(&self) -> bool {
        matches!(self.phase, Phase::Active)
    }

    /// True in OFF: Down, Polling, Training, Retraining.
    #[must_use]
    pub const fn is_off(&self) -> bool {
        matches!(self.phase, Phase::Off)
    }

    /// The counters of both sides.
    #[must_use]
    pub fn counters(&self) -> Counters {
        let mut sum = self.counters.clone();
        sum.merge(self.tx.counters());
        sum.merge(self.rx.counters());
        sum
    }

    /// How often each row of 4.3 was taken.
    #[must_use]
    pub const fn rows(&self) -> &[u64; RxRow::COUNT] {
        self.rx.rows()
    }

    /// The LTP time changes, as when lanes are removed. Takes effect with the next Init.
    pub fn set_ltp_time(&mut self, ltp_time: u64) {
        self.ltp_time = ltp_time.max(1);
    }

    /// Leaves Active for Retraining, because of `fault` of this end or (`None`) of the peer: OFF, pointers and buffer
    /// stay. False if these were REINIT_LIMIT Retrainings without progress (4.2 rule 5): the link goes Down.
    #[must_use]
    pub fn retrain(&mut self, fault: Option<Fault>) -> bool {
        self.counters.count(LinkCounter::Reinit);
        let retrainings = match fault {
            Some(Fault::RequestLimit) => self.stuck[0].again(self.rx.counters().get(LinkCounter::RxAccepted)),
            Some(Fault::ReplayLimit | Fault::BadPointer) => self.stuck[1].again(self.tx.requested()),
            _ => 0,
        };
        self.off();
        retrainings < self.config.reinit_limit
    }

    /// Goes Down: nothing is kept but counters; what was not acknowledged is lost.
    pub fn shut_down(&mut self) {
        self.off();
        self.restart();
        self.stuck = [Stuck::default(); 2];
        self.fresh = true;
    }

    fn off(&mut self) {
        self.phase = Phase::Off;
        self.tx.reset_exchange(RetryState::Off);
        self.rx.reset_exchange();
    }

    fn restart(&mut self) {
        self.tx.restart();
        self.rx.restart();
    }

    /// Enters Init. An end that has not been Active since it lost its state says so, however often training was
    /// repeated meanwhile: otherwise the peer would go on from pointers that mean nothing any more.
    pub fn start_init(&mut self) {
        if self.fresh {
            self.restart();
        }
        self.tx.reset_exchange(RetryState::Init);
        self.rx.reset_exchange();
        self.phase = Phase::Init(InitExchange::new(self.fresh, self.ltp_time));
    }

    /// True from the start, or from Down, until Active: training sets carry it.
    #[must_use]
    pub const fn is_fresh(&self) -> bool {
        self.fresh
    }

    /// Takes an LTP whose last bit and CRC verdict are there at `now`.
    pub fn receive(&mut self, now: u64, arrival: Arrival<P>) -> Reception<P> {
        if !self.is_off() && shows_active(&arrival) {
            self.tx.peer_is_active();
            if let Phase::Init(exchange) = &mut self.phase {
                exchange.peer_is_active();
            }
        }
        let mut reception = self.rx.receive(arrival);
        let fault = match &mut self.phase {
            Phase::Off => None,
            Phase::Init(_) => {
                self.receive_in_init(now, reception.event);
                None
            }
            Phase::Active => self.receive_in_active(&reception),
        };
        reception.fault = reception.fault.or(fault);
        reception
    }

    fn receive_in_init(&mut self, now: u64, event: Option<NullEvent>) {
        let Phase::Init(exchange) = &mut self.phase else { return };
        let restart = match event {
            Some(NullEvent::RoundTrip(token)) => {
                self.tx.answer(token);
                false
            }
            Some(event) => exchange.receive(event, now),
            None => false,
        };
        if restart {
            self.restart();
        }
    }

    fn receive_in_active(&mut self, reception: &Reception<P>) -> Option<Fault> {
        if reception.double_bad {
            self.tx.double_bad();
        }
        match reception.event {
            Some(NullEvent::RetryRequest(pointer)) => self.tx.request(pointer).err(),
            Some(NullEvent::RoundTrip(token)) => {
                self.tx.answer(token);
                None
            }
            _ => None,
        }
    }

    /// An LTP boundary at `now`: what goes out. `original` is called for the content of an original LTP.
    pub fn send(&mut self, now: u64, original: impl FnOnce() -> P) -> Turn<P> {
        let mut fault = self.enter_active();
        let sent = match &mut self.phase {
            Phase::Off => None,
            Phase::Init(exchange) => {
                fault = fault.or(exchange.tick().then_some(Fault::InitTimeout));
                let pair = (!self.tx.has_work()).then(|| exchange.next_pair(now, self.rx.next()));
                Some(self.tx.send_init(pair))
            }
            Phase::Active => {
                fault = fault.or(self.rx.tick()).or(self.tx.tick());
                let request = self.rx.pending_request();
                let sent = self.tx.send(request, original);
                if is_first_request(&sent) {
                    self.rx.request_sent();
                }
                Some(sent)
            }
        };
        Turn { sent, fault }
    }

    /// Init -> Active as soon as everything is known.
    fn enter_active(&mut self) -> Option<Fault> {
        let Phase::Init(exchange) = &self.phase else { return None };
        let result = exchange.result()?;
        self.phase = Phase::Active;
        self.fresh = false;
        self.rx.activate(result.round_trip);
        self.tx.activate(result.round_trip, result.pointer).err()
    }
}

impl RetryPort<Numbered> {
    /// Nothing is asked for, awaited or waiting on either side.
    pub(crate) const fn is_settled(&self) -> bool {
        self.tx.is_settled() && self.rx.is_settled()
    }

    /// The same end with the numbers of the LTPs it sends moved by `sent` and of those it receives by `received`, and
    /// with what a proof does not need cut off.
    pub(crate) fn fold(&mut self, sent: u16, received: u16) {
        self.tx.fold(sent, received);
        self.rx.fold(received, sent);
        self.stuck = [Stuck::default(); 2];
        self.counters = Counters::new();
    }
}

/// A RetryReq.0: the receiver's request has been taken.
fn is_first_request<P>(sent: &Sent<P>) -> bool {
    matches!(sent.ltp, LinkLtp::Null(Control::RetryReq { half: Half::First, .. }))
}

/// Only an Active end sends this.
fn shows_active<P>(arrival: &Arrival<P>) -> bool {
    match arrival {
        Arrival::Bad => false,
        Arrival::Good(LinkLtp::Reliable(_)) => true,
        Arrival::Good(LinkLtp::Null(null)) => match *null {
            Control::RetryMrkr { .. } | Control::RetryReq { .. } => true,
            Control::Retrain { kind, .. } => kind == RetrainKind::RetrainRetryReq.code(),
            _ => false,
        },
    }
}
