//! Chapter 50, 4.4 rules 4 and 5 and section 0: ports that die, one end that starts anew, with PSNs of 8 bits.

#![allow(clippy::expect_used, reason = "in tests, helper functions included")]

use crate::chapter50_channel::seed;
use flitforge_model::sue::{
    BodyCheck, ConnectionKey, Content, Endpoint, OpenAnswer, Opening, Pdu, Psn, ReceiverConfig, Room,
    SenderConfig, SenderEvent, Status, Verdict,
};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::VecDeque;

type End = Endpoint<u64, 8>;

fn ends() -> [End; 2] {
    let sender = SenderConfig { rto: 50, ..SenderConfig::default() };
    let receiver = ReceiverConfig { ack_timer: 5, ..ReceiverConfig::default() };
    [0, 1].map(|xpu| Endpoint::new(xpu, sender, receiver).expect("a good configuration"))
}

/// How XPU `end` names its connection on VC 0 of a port.
fn key(end: u16, port: u8) -> ConnectionKey {
    ConnectionKey { port, peer: 1 - end, vc: 0 }
}

/// FREEZE and OPEN through another port, at once.
fn fail_over(ends: &mut [End; 2], port: u8) -> (Vec<SenderEvent<u64, 8>>, Vec<u64>) {
    ends[0].sender_mut().freeze(key(0, port));
    let psn = ends[1].receiver_mut().freeze(key(1, port));
    ends[0].sender_mut().freeze_response(key(0, port), psn).expect("inside the window")
}

fn open(ends: &mut [End; 2], port: u8) -> usize {
    for asked in 1..10 {
        let psn = ends[0].sender().open_request(key(0, port)).expect("it is closed");
        let (OpenAnswer::Opened(answer) | OpenAnswer::Behind(answer)) =
            ends[1].receiver_mut().open(key(1, port), psn);
        let opening = ends[0].sender_mut().open_response(key(0, port), answer);
        if opening == Ok(Opening::Open) {
            return asked;
        }
    }
    panic!("a silent stall")
}

/// Bodies from end 0 to end 1 over the port in use, with losses, and old PDUs of a dead port that come late.
struct Run {
    ends: [End; 2],
    random: ChaCha8Rng,
    now: u64,
    waiting: VecDeque<u64>,
    offered: u64,
    delivered: u64,
    completed: Vec<u64>,
    late: Vec<Pdu<u64, 8>>,
}

impl Run {
    fn completes(&mut self, events: Vec<SenderEvent<u64, 8>>) {
        for event in events {
            match event {
                SenderEvent::Completed { body, status: Status::Delivered, .. } => self.completed.push(body),
                SenderEvent::TimedOut { .. } | SenderEvent::GenerationSkew { .. } => {}
                other => panic!("{other:?}"),
            }
        }
    }

    fn arrive(&mut self, pdu: Pdu<u64, 8>) {
        let reception = self.ends[1].receive(pdu, Room::Free, BodyCheck::Good, self.now);
        if let (Some(Verdict::Accepted), Content::Body(body)) = (reception.verdict, pdu.content) {
            assert_eq!(body, self.delivered, "exactly once and in order across ports");
            self.delivered += 1;
        }
    }

    /// What was given back comes first, then new bodies.
    fn slot(&mut self, port: u8) {
        if self.waiting.is_empty() {
            self.waiting.push_back(self.offered);
            self.offered += 1;
        }
        if let Some(body) = self.waiting.pop_front() {
            if let Err(refused) = self.ends[0].accept(key(0, port), body, self.now) {
                self.waiting.push_front(refused.body);
            }
        }
        let events = self.ends[0].expire(self.now);
        self.completes(events);
        if let Some(pdu) = self.ends[0].transmit(port, self.now, self.now) {
            match self.random.random_range(0..10) {
                0 => {}
                1 => self.late.push(pdu),
                _ => self.arrive(pdu),
            }
        }
        if let Some(pdu) = self.ends[1].transmit(port, self.now, self.now) {
            if self.random.random_bool(0.9) {
                let events = self.ends[0].receive(pdu, Room::Free, BodyCheck::Good, self.now).events;
                self.completes(events);
            }
        }
        self.now += 1;
    }
}

#[test]
fn a_port_killed_a_thousand_times_loses_and_doubles_nothing() {
    let mut run = Run {
        ends: ends(),
        random: ChaCha8Rng::seed_from_u64(seed()),
        now: 0,
        waiting: VecDeque::new(),
        offered: 0,
        delivered: 0,
        completed: Vec::new(),
        late: Vec::new(),
    };
    for kill in 0..1000 {
        let port = (kill % 2) as u8;
        for _ in 0..run.random.random_range(1..60) {
            run.slot(port);
        }
        let (events, rest) = fail_over(&mut run.ends, port);
        run.completes(events);
        rest.into_iter().rev().for_each(|body| run.waiting.push_front(body));
        // what was late on the frozen connection
        let late = std::mem::take(&mut run.late);
        late.into_iter().for_each(|pdu| run.arrive(pdu));
        // the port returns while the other one is in use
        assert_eq!(open(&mut run.ends, port), 1, "the receiver expects at most nxt");
    }
    assert_eq!(run.completed, (0..run.delivered).collect::<Vec<_>>(), "all of them, in order");
    assert!(run.delivered > 3 * 256 * 2 && run.delivered + 33 > run.offered, "{}", run.delivered);
    assert_eq!(run.ends[0].sender().counters().failover, 1000);
}

/// Section 0: reconnect of one end only, four times, never a silent stall; either end forgets everything.
#[test]
fn one_end_that_starts_anew_reconnects() {
    let mut ends = ends();
    let exchange = |ends: &mut [End; 2], bodies: u64| {
        for body in 0..bodies {
            ends[0].accept(key(0, 0), body, 0).expect("window and slots");
            let pdu = ends[0].transmit(0, 0, 0).expect("a body");
            let reception = ends[1].receive(pdu, Room::Free, BodyCheck::Good, 0);
            assert_eq!(reception.delivered, Some(body));
            if let Some(answer) = ends[1].transmit(0, 1000, 1000) {
                ends[0].receive(answer, Room::Free, BodyCheck::Good, 0);
            }
        }
        assert_eq!(ends[0].sender().connection(key(0, 0)).map(|one| one.outstanding()), Some(0));
    };
    exchange(&mut ends, 150);
    for again in 0..4 {
        ends[0].sender_mut().clear();
        ends[0].sender_mut().reconnect(key(0, 0), Psn::ZERO);
        let asked = open(&mut ends, 0);
        assert!(asked <= 2, "{asked}");
        exchange(&mut ends, 30 + again);
        ends[1].receiver_mut().clear();
        let psn = ends[0].sender().connection(key(0, 0)).expect("it had traffic").nxt();
        ends[0].sender_mut().reconnect(key(0, 0), psn);
        assert!(open(&mut ends, 0) <= 2);
        exchange(&mut ends, 40 + again);
    }
}
