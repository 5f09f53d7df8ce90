//! The rig and a model at the other end, with delay and errors in both directions.

use crate::link_replay::rig::Rig;
use flitforge_model::retry::{Arrival, Fault, RetryConfig, RetryPort, Sent, Token};
use flitforge_protocol::retry::LIMIT_MAX;
use rand::Rng as _;
use std::collections::VecDeque;

/// Clocks between two LTPs of the far end.
const FAR_LTP_CLOCKS: u64 = 9;
/// Clocks in Retraining.
const TRAINING_CLOCKS: u64 = 60;

pub struct Pair {
    pub rig: Rig,
    pub far: RetryPort<Token>,
    /// Clocks from one end to the other.
    delay: u64,
    /// Chance of a bad LTP, near to far and far to near.
    pub bad: [f64; 2],
    to_far: VecDeque<(u64, Arrival<Token>)>,
    to_near: VecDeque<(u64, Arrival<Token>)>,
    far_sent: u64,
    far_next: u64,
    off_since: u64,
    /// LTPs that the far end has delivered, and the index of the next one.
    pub delivered: u64,
    next_index: u64,
    pub retrainings: u64,
}

impl Pair {
    pub fn new(config: RetryConfig, mode1: bool, delay: u64, seed: u64) -> Self {
        Self {
            rig: Rig::new(config, mode1, seed),
            far: RetryPort::new(
                RetryConfig { mutation: None, retry_limit: LIMIT_MAX, ..config },
                FAR_LTP_CLOCKS,
            )
            .expect("valid"),
            delay,
            bad: [0.0; 2],
            to_far: VecDeque::new(),
            to_near: VecDeque::new(),
            far_sent: 0,
            far_next: 0,
            off_since: 0,
            delivered: 0,
            next_index: 0,
            retrainings: 0,
        }
    }

    pub fn step(&mut self) {
        let was_on = !self.rig.near.is_off();
        if let Some(sent) = self.rig.step() {
            let arrival = self.corrupt(sent, 0);
            self.to_far.push_back((self.rig.clock + self.delay, arrival));
        }
        self.next_index = self.next_index.max(self.rig.first);
        if was_on && self.rig.near.is_off() {
            self.leave();
        }
        if self.far.is_off() {
            self.train();
            return;
        }
        self.far_receive();
        self.far_send();
    }

    fn corrupt(&mut self, sent: Sent<Token>, direction: usize) -> Arrival<Token> {
        if sent.corrupted || self.rig.rng.random_bool(self.bad[direction]) {
            Arrival::Bad
        } else {
            Arrival::Good(sent.ltp)
        }
    }

    fn far_receive(&mut self) {
        let now = self.rig.clock;
        while self.to_far.front().is_some_and(|(due, _)| *due <= now) {
            let Some((_, arrival)) = self.to_far.pop_front() else { return };
            let reception = self.far.receive(now, arrival);
            if let Some(delivered) = reception.delivered {
                let index = delivered.payload.index;
                assert_eq!(index, self.next_index, "clock {now}: delivered out of order, lost or twice");
                self.next_index += 1;
                self.delivered += 1;
            }
            self.far_fault(reception.fault);
        }
        while self.to_near.front().is_some_and(|(due, _)| *due <= now) {
            self.rig.arrive(self.to_near.pop_front().expect("there is one").1);
        }
    }

    fn far_send(&mut self) {
        let now = self.rig.clock;
        if self.far.is_off() || now < self.far_next {
            return;
        }
        self.far_next = now + FAR_LTP_CLOCKS;
        let token = Token::new(1, self.far_sent, 0);
        let mut original = false;
        let turn = self.far.send(now, || {
            original = true;
            token
        });
        self.far_sent += u64::from(original);
        if let Some(sent) = turn.sent {
            let arrival = self.corrupt(sent, 1);
            self.to_near.push_back((now + self.delay, arrival));
        }
        self.far_fault(turn.fault);
    }

    fn far_fault(&mut self, fault: Option<Fault>) {
        if fault.is_none() || self.far.is_off() {
            return;
        }
        if !self.far.retrain(fault) {
            self.far.shut_down();
        }
        self.rig.retrain();
        self.clear_lanes();
    }

    /// The near end has left.
    fn leave(&mut self) {
        if !self.far.is_off() && !self.far.retrain(None) {
            self.far.shut_down();
        }
        self.clear_lanes();
    }

    fn clear_lanes(&mut self) {
        self.to_far.clear();
        self.to_near.clear();
        self.retrainings += 1;
        self.off_since = self.rig.clock;
    }

    /// Both ends enter Init some time after both are OFF.
    fn train(&mut self) {
        self.to_far.clear();
        if !self.rig.is_off() {
            self.off_since = self.rig.clock;
        }
        if self.rig.clock > self.off_since + TRAINING_CLOCKS {
            self.rig.start();
            self.far.start_init();
        }
    }

    /// Runs until the far end has delivered so many LTPs.
    pub fn run(&mut self, ltps: u64) {
        let most = self.rig.clock + ltps * 400 + 100_000;
        while self.delivered < ltps {
            self.step();
            assert!(self.rig.clock < most, "{} of {ltps} LTPs: {:?}", self.delivered, self.rig.faults);
        }
    }
}
