#![allow(clippy::unwrap_used, clippy::expect_used)] // tests

use super::*;
use crate::retry::{Arrival, LinkLtp, Origin, Payload, RetryConfig, RetryPort};
use flitforge_protocol::beat::beats_per_ltp;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

const FORCE: Flit = Flit::control(Opcode::ForceIdle, 0);

#[test]
fn wide_beats_are_dealt_in_order_and_idles_vanish() {
    let body = |number| Flit::body(number);
    let wide = [body(1), body(2), Flit::IDLE, Flit::IDLE, Flit::IDLE, body(3)];
    let shares = deal(&wide, 3, 2).unwrap().unwrap();
    assert_eq!(shares, [vec![body(1), body(2)], vec![FORCE, FORCE], vec![Flit::IDLE, body(3)]]);
    // Idles with a payload are Idles.
    let idle = Flit::control(Opcode::Idle, 77);
    assert_eq!(deal(&[idle, Flit::IDLE, Flit::IDLE, idle], 2, 2), Ok(None));
    assert_eq!(
        deal(&[FORCE, FORCE], 2, 1).unwrap().unwrap(),
        [[FORCE], [FORCE]],
        "a ForceIdle is not dropped"
    );
}

#[test]
fn what_cannot_be_is_refused() {
    assert_eq!(deal(&[Flit::IDLE; 5], 5, 1), Err(BondError::Links { links: 5 }));
    assert_eq!(deal(&[Flit::IDLE; 5], 2, 2), Err(BondError::Flits { found: 5, expected: 4 }));
    assert!(matches!(BondReceiver::new(&[0], 4), Err(BondError::Links { links: 1 })));
    assert!(matches!(BondReceiver::new(&[0, 0, 1], 4), Err(BondError::Order { .. })));
    assert!(matches!(BondReceiver::new(&[1, 2], 4), Err(BondError::Order { .. })));
    let mut receiver = BondReceiver::new(&[0, 1], 2).unwrap();
    receiver.push(1, &[Flit::body(1)]).unwrap();
    receiver.push(1, &[Flit::body(2)]).unwrap();
    assert_eq!(receiver.push(1, &[Flit::body(3)]), Err(BondError::Overflow { port: 1, room: 2 }));
}

#[test]
fn crossed_cables_are_sorted_and_shares_wait_for_each_other() {
    let mut receiver = BondReceiver::new(&[2, 0, 1], 8).unwrap();
    let wide = [Flit::body(1), Flit::IDLE, Flit::body(3)];
    let shares = deal(&wide, 3, 1).unwrap().unwrap();
    receiver.push(0, &shares[2]).unwrap();
    receiver.push(2, &shares[1]).unwrap();
    assert_eq!(receiver.pop(), None);
    receiver.push(0, &shares[2]).unwrap();
    receiver.push(1, &shares[0]).unwrap();
    assert_eq!(receiver.fill(), [2, 1, 1]);
    assert_eq!(receiver.pop().unwrap(), wide);
    assert_eq!((receiver.fill(), receiver.largest()), (vec![1, 0, 0], 2));
}

#[test]
fn shares_at_the_ingresses_are_forgotten_by_a_fall_and_counted() {
    assert_eq!(BondSender::new(1, 2).unwrap_err(), BondError::Links { links: 1 });
    for flits in [1, 2, 4] {
        let mut sender = BondSender::new(3, flits).unwrap();
        assert_eq!(sender.take(&vec![Flit::IDLE; 3 * flits]), Ok(false));
        assert_eq!(sender.fall(), [false; 3], "nothing waits");
        let wide: Vec<Flit> = (0..3 * flits as u64).map(Flit::body).collect();
        let mut taken = 0;
        while sender.is_open() {
            assert_eq!(sender.take(&wide), Ok(true));
            taken += 1;
        }
        assert_eq!(taken, INGRESS_SHARES);
        assert!(taken <= beats_per_ltp(flits), "one LTP holds the shares of an ingress");
        assert_eq!(sender.give(1).unwrap(), wide[flits..2 * flits]);
        assert!(!sender.is_open(), "two ports have no room");
        sender.give(0).unwrap();
        sender.give(0).unwrap();
        assert_eq!(sender.give(0), None);
        assert_eq!(sender.fall(), [false, true, true]);
        assert_eq!((sender.fall(), sender.give(2)), (vec![false; 3], None));
    }
}

/// Name of an original LTP of a port: its shares are in the port's list.
#[derive(Clone)]
struct Name(usize);

impl Payload for Name {
    fn beats(&self, _: usize) -> u64 {
        0
    }

    fn strip_time_flits(&mut self) -> u64 {
        0
    }
}

/// One port and the one at its other end, with `DELAY` LTP times either way.
struct Line {
    ends: [RetryPort<Name>; 2],
    inbox: [VecDeque<(u64, Arrival<Name>)>; 2],
    /// Shares of each original LTP from end 0.
    sent: Vec<Vec<Vec<Flit>>>,
    error_rate: f64,
}

const DELAY: u64 = 3;

impl Line {
    fn new(config: RetryConfig, error_rate: f64) -> Self {
        let end = || {
            let mut port = RetryPort::new(config, 1).expect("parameters");
            port.start_init();
            port
        };
        Line { ends: [end(), end()], inbox: Default::default(), sent: vec![], error_rate }
    }

    /// What has arrived at end 1, and whether end 0 opens an original LTP now.
    fn tick(&mut self, now: u64, random: &mut ChaCha8Rng) -> (Option<usize>, bool) {
        let mut delivered = None;
        for end in 0..2 {
            while self.inbox[end].front().is_some_and(|(time, _)| *time <= now) {
                let (_, arrival) = self.inbox[end].pop_front().expect("there");
                let reception = self.ends[end].receive(now, arrival);
                assert_eq!(reception.fault, None, "the rate is too low for Retraining");
                delivered = reception.delivered.filter(|_| end == 1).map(|ltp| ltp.payload.0).or(delivered);
            }
        }
        let (next, mut opens) = (self.sent.len(), false);
        for end in 0..2 {
            let turn = self.ends[end].send(now, || Name(next));
            assert_eq!(turn.fault, None, "the rate is too low for Retraining");
            let Some(sent) = turn.sent else { continue };
            if end == 0 && matches!(sent.origin, Origin::Original(_)) {
                self.sent.push(vec![]);
                opens = true;
            }
            // Init is over before errors begin.
            let is_null = matches!(sent.ltp, LinkLtp::Null(_));
            let damaged = now > 200 && !is_null && random.random_bool(self.error_rate);
            let arrival = if damaged { Arrival::Bad } else { Arrival::Good(sent.ltp) };
            self.inbox[1 - end].push_back((now + 1 + DELAY, arrival));
        }
        (delivered, opens)
    }
}

/// LTP times of a run; `FLITFORGE_FULL=1` makes it ten times as long.
fn ltp_times() -> u64 {
    if std::env::var("FLITFORGE_FULL").is_ok_and(|value| value == "1") {
        60_000
    } else {
        6_000
    }
}

/// Runs a bond of ports with these error rates; every wide beat comes, in order. Returns BOND_SKEW.
fn lossy_bond(rates: &[f64], flits: usize, slots: usize, seed: u64) -> usize {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let config = RetryConfig { slots, flits_per_beat: flits, ..RetryConfig::default() };
    let mut lines: Vec<Line> = rates.iter().map(|rate| Line::new(config, *rate)).collect();
    let links = rates.len();
    let ltp_shares = beats_per_ltp(flits);
    let indices: Vec<usize> = (0..links).map(|port| (port + 1) % links).collect();
    let mut receiver = BondReceiver::new(&indices, slots * ltp_shares + INGRESS_SHARES).expect("bond");
    let mut sender = BondSender::new(links, flits).expect("bond");
    let mut expected = VecDeque::new();
    let (mut number, mut checked) = (0, 0);
    let ltp_times = ltp_times();
    for now in 0..ltp_times {
        // The line at port p of the receiving end comes from the sender's port indices[p].
        let mut open = vec![false; links];
        for (port, index) in indices.iter().enumerate() {
            let line = &mut lines[*index];
            let (delivered, opens) = line.tick(now, &mut random);
            open[*index] = opens;
            for share in delivered.map(|ltp| line.sent[ltp].clone()).unwrap_or_default() {
                receiver.push(port, &share).expect("the FIFOs are deep enough");
            }
        }
        for _ in 0..ltp_shares {
            if now < ltp_times - 1_000 && sender.is_open() {
                let wide: Vec<Flit> = (0..links * flits)
                    .map(|_| {
                        number += 1;
                        if random.random_bool(0.5) {
                            Flit::IDLE
                        } else {
                            Flit::body(number)
                        }
                    })
                    .collect();
                if sender.take(&wide).expect("legal") {
                    expected.push_back(wide);
                }
            }
            for (port, line) in lines.iter_mut().enumerate().filter(|(port, _)| open[*port]) {
                line.sent.last_mut().expect("open").extend(sender.give(port));
            }
        }
        while let Some(wide) = receiver.pop() {
            assert_eq!(Some(wide), expected.pop_front());
            checked += 1;
        }
    }
    assert!(expected.is_empty(), "{} wide beats never came", expected.len());
    assert!(checked > ltp_times - 1_000, "{checked} wide beats");
    receiver.largest()
}

#[test]
fn shares_stay_in_step_over_ports_with_errors_of_their_own() {
    let without = lossy_bond(&[0.0; 2], 2, 16, 1);
    assert!(without <= beats_per_ltp(2), "ports are served in turn, an LTP at a time: {without}");
    for (seed, rates, flits) in
        [(2, &[0.0, 0.02][..], 1), (3, &[0.02, 0.0, 0.01], 2), (4, &[0.01, 0.02, 0.0, 0.03], 4)]
    {
        let skew = lossy_bond(rates, flits, 16, seed);
        println!("{rates:?}, F = {flits}, R = 16: BOND_SKEW {skew} of {}", 16 * beats_per_ltp(flits));
        assert!(skew > beats_per_ltp(flits), "the errors make some ports wait for others: {skew}");
        assert!(skew <= 16 * beats_per_ltp(flits), "more than R LTPs ahead: {skew}");
    }
}
