//! The hardware beside the golden model: an end of a link of which the transmit side is `link_retry_tx` and, in step with
//! it, [`RetryPort`]; the receive side is the model's. The other end is a model alone.
//!
//! Transaction-exact: the model is called where the hardware takes its steps. At each of them state, NxtTx and NxtWr must
//! be equal, and every LTP on the wire must be the one that the model sent: flit 0 of a Null LTP, the same sixteen
//! flits and sideband whenever an LTP is sent again, a wrong CRC exactly where the model corrupts it.

use crate::link_replay::hardware::{Hardware, Picks};
use flitforge_model::control::{Control, Half};
use flitforge_model::ltp::Sideband;
use flitforge_model::retry::{
    Arrival, Fault, LinkLtp, NullEvent, Reception, RetryConfig, RetryPort, Sent, Token,
};
use flitforge_model::wire::LtpBits;
use flitforge_model::{Flit, Ltp, LtpFormat};
use flitforge_protocol::flit::RetrainKind;
use flitforge_protocol::ltp::CrcMode;
use flitforge_protocol::retry::slot;
use flitforge_sim::kit::{rng, Rng};
use flitforge_testkit::Clocked;
use rand::Rng as _;
use std::collections::VecDeque;

/// Clocks between two LTPs that the receiver hands over: 8.25 on four lanes.
const ARRIVAL_CLOCKS: u64 = 8;
/// Clocks after which an event has counted.
const EVENT_CLOCKS: u64 = 6;

/// When `run` falls after the model has left Init or Active.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stop {
    No,
    /// When the event that the fault came with has counted.
    Event,
    /// When the LTP that the model has sent is decided.
    Decide,
    /// In so many clocks.
    In(u64),
    /// It has fallen; OFF is to come.
    Fallen,
}

pub struct Rig {
    pub hardware: Hardware,
    /// The model of the hardware's end.
    pub near: RetryPort<Token>,
    config: RetryConfig,
    format: LtpFormat,
    mode1: bool,
    pub rng: Rng,
    pub clock: u64,
    decisions: u64,
    /// Originals that the model has sent; those of before a restart included.
    pub originals: u64,
    /// Index of the original that has sequence number 0.
    pub first: u64,
    /// Sent by the model and not yet on the wire.
    expected: VecDeque<Sent<Token>>,
    /// Content of the originals, from the first time they were on the wire; `None` if a restart came first.
    content: Vec<Option<Ltp>>,
    /// Beats taken, and sidebands by original, that have not been on the wire.
    taken: VecDeque<[Flit; 2]>,
    sides: VecDeque<u64>,
    offer: Option<[Flit; 2]>,
    /// Chance of a beat on offer, and of a ready wire.
    pub load: f64,
    pub ready: f64,
    request: Option<u16>,
    entering: bool,
    /// A decision was picked in the clock before.
    deciding: bool,
    leaving: bool,
    stop: Stop,
    expect_retrain: Option<bool>,
    saw_retrain: Option<bool>,
    arrivals: VecDeque<Arrival<Token>>,
    last_arrival: u64,
    damage: bool,
    /// The originals opened from now on are damaged.
    pub damages: bool,
    pub faults: Vec<Fault>,
    pub downs: u64,
}

impl Rig {
    pub fn new(config: RetryConfig, mode1: bool, seed: u64) -> Self {
        let mut hardware = Hardware::new(config.slots);
        hardware.set("retry_limit", config.retry_limit.into());
        hardware.set("reinit_limit", config.reinit_limit.into());
        hardware.set("freeze_ltps", config.freeze_ltps.into());
        hardware.set("mode", u64::from(mode1));
        hardware.set("side_in.valid", 1);
        let mode = if mode1 { CrcMode::Bits14 } else { CrcMode::Standard };
        Self {
            hardware,
            near: RetryPort::new(config, 2).expect("valid"),
            config,
            format: LtpFormat::new(mode, 4).expect("four lanes"),
            mode1,
            rng: rng(seed, "rig"),
            clock: 0,
            decisions: 0,
            originals: 0,
            first: 0,
            expected: VecDeque::new(),
            content: vec![],
            taken: VecDeque::new(),
            sides: VecDeque::new(),
            offer: None,
            load: 0.9,
            ready: 0.97,
            request: None,
            entering: false,
            deciding: false,
            leaving: false,
            stop: Stop::No,
            expect_retrain: None,
            saw_retrain: None,
            arrivals: VecDeque::new(),
            last_arrival: 0,
            damage: false,
            damages: false,
            faults: vec![],
            downs: 0,
        }
    }

    /// The link enters Init.
    pub fn start(&mut self) {
        assert!(self.is_off(), "OFF");
        self.hardware.set("fresh", u64::from(self.near.is_fresh()));
        self.hardware.set("run", 1);
    }

    /// The link leaves Init or Active because of the other end, as soon as all events have counted.
    pub fn retrain(&mut self) {
        self.leaving |= !self.near.is_off();
    }

    /// The receiver has taken an LTP.
    pub fn arrive(&mut self, arrival: Arrival<Token>) {
        self.arrivals.push_back(arrival);
    }

    /// Both are OFF.
    pub fn is_off(&self) -> bool {
        self.near.is_off() && self.stop == Stop::No
    }

    /// Every LTP that has come has counted.
    pub fn is_quiet(&self) -> bool {
        self.arrivals.is_empty() && self.clock > self.last_arrival + EVENT_CLOCKS
    }

    /// A decision was picked in the clock before.
    pub fn has_just_decided(&self) -> bool {
        self.deciding
    }

    /// The RetryMrkr.0 is decided, its .1 not yet.
    pub fn is_marking(&self) -> bool {
        let last = self.expected.back().map(|sent| &sent.ltp);
        matches!(last, Some(LinkLtp::Null(Control::RetryMrkr { half: Half::First, .. })))
    }

    /// Clears the hardware and begins with another model.
    pub fn clear(&mut self) {
        self.hardware.set("run", 0);
        self.hardware.set("clear", 1);
        self.hardware.step();
        self.hardware.set("clear", 0);
        self.hardware.bench.settle();
        self.hardware.cut();
        self.near = RetryPort::new(self.config, 2).expect("valid");
        self.expected.clear();
        self.arrivals.clear();
        self.forget();
        (self.request, self.entering, self.deciding, self.damage) = (None, false, false, false);
    }

    /// One clock; the LTP that left, if one did.
    pub fn step(&mut self) -> Option<Sent<Token>> {
        self.offer_beats();
        self.hardware.bench.settle();
        let picks = self.hardware.picks();
        if !self.deciding {
            self.hardware.set("next_rx", self.near.rx().next().into());
        }
        self.follow(picks);
        // What the receiver wants because of this clock's LTP comes after this clock's decision.
        self.offer_request();
        self.receive();
        if self.leaving && self.stop == Stop::No && !self.entering && self.is_quiet() {
            self.leaving = false;
            self.leave(None, Stop::In(0));
        }
        self.stop_when_due();
        self.hardware.bench.settle();
        self.observe();
        self.clock += 1;
        self.hardware.step().map(|bits| self.check(&bits))
    }

    fn offer_beats(&mut self) {
        if self.offer.is_none() && self.rng.random_bool(self.load) {
            let first = Flit::body(self.rng.random());
            let second = if self.rng.random_bool(0.9) { Flit::body(self.rng.random()) } else { Flit::IDLE };
            self.offer = Some([first, second]);
        }
        self.hardware.set("flits_in.valid", u64::from(self.offer.is_some()));
        if let Some(beat) = self.offer {
            self.hardware.set_beat("flits_in.data", beat);
        }
        let ready = self.rng.random_bool(self.ready);
        self.hardware.set("wire_out.ready", u64::from(ready));
        let side = self.rng.random_range(0..4);
        self.hardware.set("side_in.data", side);
        self.hardware.set("damage", u64::from(self.damage));
        for name in ["request_in.valid", "answer_in.valid", "reply_in.valid", "init_in.valid"] {
            self.hardware.set(name, 0);
        }
        self.hardware.set("double_bad", 0);
        self.hardware.set("peer_active", 0);
    }

    /// The model takes the step that the hardware takes.
    fn follow(&mut self, picks: Picks) {
        self.deciding = picks.decide;
        if picks.start {
            if self.near.is_fresh() {
                self.forget();
            }
            self.near.start_init();
        }
        if picks.activate || (picks.decide && !self.entering) {
            self.compare();
            self.send(picks.activate);
        }
        self.entering = picks.activate || (self.entering && !picks.decide);
        if (picks.event && self.stop == Stop::Event) || (picks.decide && self.stop == Stop::Decide) {
            self.stop = Stop::In(2);
        }
    }

    /// State and pointers before a decision.
    fn compare(&mut self) {
        let tx = self.near.tx();
        let model = [u64::from(tx.state().code()), tx.next_tx().into(), tx.next_write().into()];
        let hardware = ["state", "next_tx", "next_write"].map(|name| self.hardware.get(name));
        assert_eq!(hardware, model, "clock {}: state, NxtTx, NxtWr", self.clock);
        if self.near.is_active() {
            let model = [tx.round_trip(), tx.pad()].map(u64::from);
            let hardware = ["round_trip", "pad"].map(|name| self.hardware.get(name));
            assert_eq!(hardware, model, "clock {}: RTT_LTP, pad", self.clock);
        }
    }

    fn send(&mut self, activates: bool) {
        let token = Token::new(0, self.originals, 0);
        let mut original = false;
        let turn = self.near.send(2 * self.decisions, || {
            original = true;
            token
        });
        self.decisions += 1;
        self.originals += u64::from(original);
        let sent = turn.sent.expect("not OFF");
        if let LinkLtp::Null(Control::RetryReq { half: Half::First, next_rx_ltp }) = sent.ltp {
            self.request = Some(next_rx_ltp);
        }
        self.expected.push_back(sent);
        if let Some(fault) = turn.fault {
            self.leave(Some(fault), if activates { Stop::Decide } else { Stop::In(2) });
        }
    }

    fn receive(&mut self) {
        if self.near.is_off() {
            self.arrivals.clear();
        }
        if self.leaving || self.clock < self.last_arrival + ARRIVAL_CLOCKS {
            return;
        }
        let Some(arrival) = self.arrivals.pop_front() else { return };
        self.last_arrival = self.clock;
        let shows_active = shows_active(&arrival);
        let before = self.near.tx().next_write();
        let reception = self.near.receive((2 * self.decisions).saturating_sub(1), arrival);
        if before != 0 && self.near.tx().next_write() == 0 {
            self.forget();
        }
        self.tell(&reception, shows_active);
        if let Some(fault) = reception.fault {
            let tells = shows_active || reception.double_bad || reception.event.is_some();
            let stop = match (tells, self.entering) {
                (_, true) => Stop::Decide,
                (true, false) => Stop::Event,
                (false, false) => Stop::In(0),
            };
            self.leave(Some(fault), stop);
        }
    }

    /// What the receiver has found, as the hardware hears it.
    fn tell(&mut self, reception: &Reception<Token>, shows_active: bool) {
        let hardware = &mut self.hardware;
        hardware.set("peer_active", shows_active.into());
        hardware.set("double_bad", reception.double_bad.into());
        let (valid, data, value) = match reception.event {
            None => return,
            Some(NullEvent::RetryRequest(pointer)) => ("request_in.valid", "request_in.data", pointer.into()),
            Some(NullEvent::RoundTrip(token)) => ("answer_in.valid", "answer_in.data", token.into()),
            Some(NullEvent::RoundTripReply(token)) => ("reply_in.valid", "reply_in.data", token.into()),
            Some(NullEvent::Init { ack, fresh, next_rx }) => {
                let value = u64::from(ack) << 17 | u64::from(fresh) << 16 | u64::from(next_rx);
                ("init_in.valid", "init_in.data", value)
            }
        };
        hardware.set(valid, 1);
        hardware.set(data, value);
    }

    fn offer_request(&mut self) {
        let waits = self.near.rx().pending_request().filter(|_| !self.entering);
        let offered = self.request.or(waits);
        self.hardware.set("retry_req.valid", u64::from(offered.is_some()));
        self.hardware.set("retry_req.data", offered.unwrap_or_default().into());
    }

    /// The model leaves Init or Active.
    fn leave(&mut self, fault: Option<Fault>, stop: Stop) {
        if self.stop != Stop::No {
            return;
        }
        self.leaving = false;
        let down = !self.near.retrain(fault);
        if matches!(fault, Some(Fault::ReplayLimit | Fault::BadPointer | Fault::InitTimeout)) {
            self.expect_retrain = Some(down);
        }
        self.faults.extend(fault);
        if down {
            self.near.shut_down();
            self.downs += 1;
        }
        self.stop = stop;
    }

    fn stop_when_due(&mut self) {
        match self.stop {
            Stop::In(0) => {
                self.hardware.set("run", 0);
                self.stop = Stop::Fallen;
            }
            Stop::In(clocks) => self.stop = Stop::In(clocks - 1),
            Stop::Fallen if self.hardware.get("state") == 0 => {
                assert_eq!(
                    self.saw_retrain.take(),
                    self.expect_retrain.take(),
                    "retrain, down: {:?}",
                    self.faults
                );
                (self.stop, self.request) = (Stop::No, None);
                self.expected.clear();
                self.hardware.cut();
            }
            _ => (),
        }
    }

    /// What the hardware does in this clock, settled.
    fn observe(&mut self) {
        if self.hardware.get("retrain") == 1 {
            assert!(self.stop != Stop::No, "clock {}: the model does not ask for Retraining", self.clock);
            self.saw_retrain = Some(self.hardware.get("down") == 1);
        }
        if self.hardware.get("retry_req.ready") == 1 {
            assert!(self.request.take().is_some(), "clock {}: the model sends no RetryReq", self.clock);
        }
        if self.hardware.get("flits_in.ready") == 1 {
            self.taken.extend(self.offer.take());
        }
        let starts = self.hardware.get("ltp_start") == 1;
        if starts {
            let side = self.hardware.get("side_in.data");
            self.sides.push_back(side);
        }
        self.damage = starts && self.damages;
        if self.damage {
            let number = slot(self.hardware.get("tx_seq") as u16, self.config.slots);
            self.near.tx_mut().damage_slot(number);
        }
    }

    /// A restart: originals that have not been on the wire never will be.
    fn forget(&mut self) {
        self.first = self.originals;
        self.content.resize(self.originals as usize, None);
        self.taken.clear();
        self.sides.clear();
    }

    /// The LTP on the wire is the one that the model sent.
    fn check(&mut self, bits: &LtpBits) -> Sent<Token> {
        let sent = self.expected.pop_front().expect("the model has sent an LTP");
        let received = self.format.decode(bits).expect("an LTP");
        assert_eq!(received.is_good(), !sent.corrupted, "clock {}: CRC of {sent:?}", self.clock);
        match sent.ltp {
            LinkLtp::Null(control) => {
                let null = received.ltp.null().expect("a Null LTP");
                assert_eq!(Control::decode(null.flit()), Ok(control), "clock {}", self.clock);
            }
            LinkLtp::Reliable(token) => {
                let index = token.index as usize;
                if index == self.content.len() {
                    self.check_content(&received.ltp);
                    self.content.push(Some(received.ltp));
                }
                assert_eq!(self.content[index], Some(received.ltp), "clock {}: {sent:?}", self.clock);
            }
        }
        sent
    }

    /// An original on the wire for the first time is made of the beats taken.
    fn check_content(&mut self, ltp: &Ltp) {
        for beat in ltp.flits.chunks(2).filter(|beat| beat.iter().any(|flit| !flit.is_idle())) {
            assert_eq!(self.taken.pop_front().as_ref().map(|taken| &taken[..]), Some(beat), "beat");
        }
        let side = self.sides.pop_front().expect("an original was opened");
        if self.mode1 {
            assert_eq!(ltp.sideband, Sideband { c0: side & 1 == 1, c1: side >> 1 == 1 });
        }
    }

    fn idle(&mut self, clocks: u64) {
        for _ in 0..clocks {
            self.step();
        }
    }

    /// Runs until nothing is under way and compares the counters.
    pub fn finish(&mut self) {
        self.retrain();
        while self.leaving || !self.is_off() {
            self.step();
        }
        if self.near.is_fresh() {
            // What Down has lost the hardware counts when it starts again.
            self.start();
            self.idle(20);
            self.retrain();
            while self.leaving || !self.is_off() {
                self.step();
            }
        }
        self.idle(20);
        let model = self.near.counters();
        for counter in Hardware::counters() {
            assert_eq!(self.hardware.count(counter), model.get(counter), "{}", counter.name());
        }
    }
}

/// Only an Active end sends this.
fn shows_active(arrival: &Arrival<Token>) -> bool {
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
