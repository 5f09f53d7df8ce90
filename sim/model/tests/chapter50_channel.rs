//! Chapter 50, section 9 points 2 to 4: two ends over channels that lose, duplicate, delay and corrupt.

#![allow(clippy::expect_used, reason = "in tests, helper functions included")]

use flitforge_model::sue::{
    Acknowledgment, BodyCheck, ConnectionKey, Content, Counters, Endpoint, Pdu, ReceiverConfig, Renack, Room,
    SenderConfig, SenderEvent, Status, Verdict,
};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;

/// The seed of a random test, printed; `FLITFORGE_SEED` replays another.
pub fn seed() -> u64 {
    let seed = match std::env::var("FLITFORGE_SEED") {
        Ok(text) => text.parse().expect("FLITFORGE_SEED: a number"),
        Err(_) => 50,
    };
    println!("FLITFORGE_SEED={seed}");
    seed
}

/// VC and number of a body.
type Body = (u8, u64);

/// What a channel does, as probabilities for each PDU; `delay` adds 1 to 40 slots.
#[derive(Debug, Clone, Copy)]
pub struct Faults {
    pub lose: f64,
    pub duplicate: f64,
    pub delay: f64,
    pub corrupt: f64,
    /// Of finding the RX buffer full.
    pub full: f64,
}

impl Faults {
    pub const NONE: Self = Faults { lose: 0.0, duplicate: 0.0, delay: 0.0, corrupt: 0.0, full: 0.0 };
}

/// PDUs by what they carry: body or empty, then ACK, NACK or nothing.
type Tally = [u64; 6];

fn class<const BITS: u32>(pdu: &Pdu<Body, BITS>) -> usize {
    let content = match pdu.content {
        Content::Body(_) => 0,
        Content::Empty => 3,
    };
    content
        + match pdu.acknowledgment {
            Acknowledgment::Ack(_) => 0,
            Acknowledgment::Nack(_) => 1,
            Acknowledgment::None => 2,
        }
}

/// One direction.
struct Channel<const BITS: u32> {
    latency: u64,
    /// By time of arrival and number; `None` if corrupted.
    flying: BTreeMap<(u64, u64), Option<Pdu<Body, BITS>>>,
    count: u64,
    lost: Tally,
    duplicated: Tally,
    corrupted: Tally,
}

impl<const BITS: u32> Channel<BITS> {
    fn new(latency: u64) -> Self {
        let (lost, duplicated, corrupted) = ([0; 6], [0; 6], [0; 6]);
        Channel { latency, flying: BTreeMap::new(), count: 0, lost, duplicated, corrupted }
    }

    fn put(&mut self, pdu: Pdu<Body, BITS>, now: u64, faults: Faults, random: &mut ChaCha8Rng) {
        let copies = if random.random_bool(faults.duplicate) { 2 } else { 1 };
        self.duplicated[class(&pdu)] += copies - 1;
        for _ in 0..copies {
            let late = if random.random_bool(faults.delay) { random.random_range(1..=40) } else { 0 };
            if random.random_bool(faults.lose) {
                self.lost[class(&pdu)] += 1;
                continue;
            }
            let corrupted = random.random_bool(faults.corrupt);
            self.corrupted[class(&pdu)] += u64::from(corrupted);
            let content = (!corrupted).then_some(pdu);
            self.flying.insert((now + self.latency + late, self.count), content);
            self.count += 1;
        }
    }

    fn take(&mut self, now: u64) -> Option<Option<Pdu<Body, BITS>>> {
        self.flying.first_entry().filter(|entry| entry.key().0 <= now).map(|entry| entry.remove())
    }
}

/// Two ends, XPUs 0 and 1, a PDU per slot and direction.
struct Pair<const BITS: u32> {
    ends: [Endpoint<Body, BITS>; 2],
    /// From end 0, from end 1.
    channels: [Channel<BITS>; 2],
    random: ChaCha8Rng,
    now: u64,
    /// By sending end and VC: bodies offered, consumed by the peer, completed.
    offered: [[u64; 4]; 2],
    consumed: [[u64; 4]; 2],
    completed: [[u64; 4]; 2],
    timeouts: [u64; 2],
    stuck: u64,
}

/// Some bodies are of a foreign partition, some malformed.
fn check((_, number): Body) -> BodyCheck {
    match number {
        number if number % 97 == 5 => BodyCheck::Partition,
        number if number % 89 == 3 => BodyCheck::Malformed,
        _ => BodyCheck::Good,
    }
}

const fn key(end: usize, vc: u8) -> ConnectionKey {
    ConnectionKey { port: 0, peer: 1 - end as u16, vc }
}

impl<const BITS: u32> Pair<BITS> {
    fn new(sender: SenderConfig, receiver: ReceiverConfig, latency: [u64; 2], seed: u64) -> Self {
        let zero = [[0; 4]; 2];
        Pair {
            ends: [0, 1].map(|xpu| Endpoint::new(xpu, sender, receiver).expect("a good configuration")),
            channels: latency.map(Channel::new),
            random: ChaCha8Rng::seed_from_u64(seed),
            now: 0,
            offered: zero,
            consumed: zero,
            completed: zero,
            timeouts: [0; 2],
            stuck: 0,
        }
    }

    fn offer(&mut self, end: usize, vc: u8) -> bool {
        let number = &mut self.offered[end][usize::from(vc)];
        let taken = self.ends[end].accept(key(end, vc), (vc, *number), self.now).is_ok();
        *number += u64::from(taken);
        taken
    }

    fn completes(&mut self, end: usize, events: Vec<SenderEvent<Body, BITS>>) {
        for event in events {
            match event {
                SenderEvent::Completed { key, body: (vc, number), status: Status::Delivered, .. } => {
                    let vc = usize::from(vc);
                    assert_eq!((usize::from(key.vc), number), (vc, self.completed[end][vc]), "in order");
                    assert!(number < self.consumed[end][vc], "completed before it arrived");
                    self.completed[end][vc] += 1;
                }
                SenderEvent::TimedOut { .. } | SenderEvent::GenerationSkew { .. } => self.timeouts[end] += 1,
                SenderEvent::Stuck { .. } => self.stuck += 1,
                other => panic!("end {end} at {}: {other:?}", self.now),
            }
        }
    }

    fn receive(&mut self, end: usize, pdu: Pdu<Body, BITS>, faults: Faults) {
        let room = if self.random.random_bool(faults.full) { Room::Full } else { Room::Free };
        let found = match pdu.content {
            Content::Body(body) => check(body),
            Content::Empty => BodyCheck::Good,
        };
        let reception = self.ends[end].receive(pdu, room, found, self.now);
        self.completes(end, reception.events);
        let (Some(verdict), Content::Body((vc, number))) = (reception.verdict, pdu.content) else { return };
        let consumed = &mut self.consumed[1 - end][usize::from(vc)];
        if matches!(verdict, Verdict::Accepted | Verdict::PartitionViolation | Verdict::Malformed) {
            assert_eq!(number, *consumed, "VC {vc} to end {end}: exactly once and in order");
            assert_eq!(reception.delivered.is_some(), check((vc, number)) == BodyCheck::Good);
            *consumed += 1;
        } else {
            assert_eq!(reception.delivered, None);
        }
    }

    /// One slot: arrivals, timers, then one PDU from each end.
    fn slot(&mut self, faults: [Faults; 2]) {
        for end in 0..2 {
            while let Some(arrival) = self.channels[1 - end].take(self.now) {
                match arrival {
                    Some(pdu) => self.receive(end, pdu, faults[1 - end]),
                    None => self.ends[end].receive_corrupted(),
                }
            }
            let events = self.ends[end].expire(self.now);
            self.completes(end, events);
        }
        for (end, faults) in faults.into_iter().enumerate() {
            if let Some(pdu) = self.ends[end].transmit(0, self.now, self.now + 1) {
                self.channels[end].put(pdu, self.now, faults, &mut self.random);
            }
        }
        self.now += 1;
    }

    fn is_quiet(&self) -> bool {
        let empty = self.channels.iter().all(|channel| channel.flying.is_empty());
        let acked = self.ends.iter().all(|end| end.receiver().next_deadline().is_none());
        empty && acked && self.completed == self.offered
    }

    /// Runs without faults and new bodies until nothing is left to do.
    fn settle(&mut self) {
        let limit = self.now + 200_000;
        while !self.is_quiet() {
            assert!(self.now < limit, "no rest: {:?} of {:?}", self.completed, self.offered);
            self.slot([Faults::NONE; 2]);
        }
    }

    /// After rest: every fault of the channel from `end` is in the counters, by kind of PDU, and nothing else is.
    fn assert_accounts(&self, end: usize) {
        let (from, to) = (&self.ends[end], &self.ends[1 - end]);
        let channel = &self.channels[end];
        let sum = |tally: &Tally, kinds: &[usize]| kinds.iter().map(|&kind| tally[kind]).sum::<u64>();
        let arrived = |sent: u64, kinds: &[usize]| {
            sent + sum(&channel.duplicated, kinds)
                - sum(&channel.lost, kinds)
                - sum(&channel.corrupted, kinds)
        };
        let (tx, rx): (&Counters, &Counters) = (from.sender().counters(), to.receiver().counters());
        let (acks, seen) = (from.receiver().counters(), to.sender().counters());
        assert_eq!(rx.rcrc, channel.corrupted.iter().sum::<u64>());
        let bodies = arrived(tx.body_tx + tx.replay, &[0, 1, 2]);
        assert_eq!(bodies, rx.body_rx + rx.gap + rx.rx_full + rx.dup, "{rx:?}");
        assert_eq!(arrived(acks.ack_only_tx, &[3, 4, 5]), rx.ack_only_rx);
        assert_eq!(arrived(acks.ack_tx, &[0, 3]), seen.ack_rx);
        assert_eq!(arrived(acks.nack_tx, &[1, 4]), seen.nack_rx);
        assert_eq!(arrived(acks.none_tx, &[2, 5]), seen.none_rx);
        assert_eq!(acks.ack_tx + acks.nack_tx + acks.none_tx, tx.body_tx + tx.replay + acks.ack_only_tx);
        let offered: u64 = self.offered[end].iter().sum();
        assert_eq!((tx.body_tx, rx.body_rx), (offered, offered), "sent first once, accepted once");
        let count = |wanted| -> u64 {
            let of_vc =
                |&offered: &u64| (0..offered).filter(|&number| check((0, number)) == wanted).count() as u64;
            self.offered[end].iter().map(of_vc).sum()
        };
        assert_eq!((rx.part_viol, rx.body_bad), (count(BodyCheck::Partition), count(BodyCheck::Malformed)));
        assert_eq!((tx.rto_cnt, seen.ack_wild), (self.timeouts[end], 0));
    }
}

fn config(bits: u32) -> (SenderConfig, ReceiverConfig) {
    let sender =
        SenderConfig { rto: 300, window: if bits == 8 { 16 } else { 12 }, ..SenderConfig::default() };
    (sender, ReceiverConfig { ack_timer: 20, ..ReceiverConfig::default() })
}

/// Random two-way traffic on four VCs until each has had `bodies`, then rest and the accounts.
fn run_random(faults: Faults, bodies: u64, seed: u64) -> u64 {
    let (sender, receiver) = config(8);
    let mut pair = Pair::<8>::new(sender, receiver, [6, 9], seed);
    let mut stall = 0;
    while pair.consumed.iter().flatten().any(|&consumed| consumed < bodies) {
        for end in 0..2 {
            let vc = pair.random.random_range(0..4_u8);
            if pair.offered[end][usize::from(vc)] < bodies && pair.random.random_bool(0.9) {
                pair.offer(end, vc);
            }
        }
        // now and then the RX buffers stay full for a time
        stall = if stall == 0 && pair.random.random_bool(0.0005) { 400 } else { stall.max(1) - 1 };
        let full = if stall > 0 && faults.full > 0.0 { 1.0 } else { faults.full };
        pair.slot([Faults { full, ..faults }; 2]);
        assert!(pair.now < 40 * bodies + 100_000, "no progress: {:?}", pair.consumed);
    }
    pair.settle();
    (0..2).for_each(|end| pair.assert_accounts(end));
    pair.now
}

/// PSNs of 8 bits: 2000 bodies on each connection are seven wraps.
#[test]
fn exactly_once_in_order_and_every_fault_accounted_for() {
    let seed = seed();
    let all = |rate| Faults { lose: rate, duplicate: rate, delay: rate, corrupt: rate, full: rate };
    let only = [
        Faults { lose: 0.02, ..Faults::NONE },
        Faults { duplicate: 0.02, ..Faults::NONE },
        Faults { delay: 0.02, ..Faults::NONE },
        Faults { corrupt: 0.02, ..Faults::NONE },
        Faults { full: 0.02, ..Faults::NONE },
    ];
    for (index, faults) in (0..).zip(only.into_iter().chain([1e-4, 1e-3, 1e-2, 5e-2].map(all))) {
        let slots = run_random(faults, 2_000, seed + index);
        println!("{faults:?}: {slots} slots");
    }
    println!("no faults: {} slots", run_random(Faults::NONE, 2_000, seed));
}

/// Section 9 point 8: coalescing bounds the ack-only PDUs, which exist only where no body carries the ACK.
#[test]
fn ack_only_pdus_are_bounded_by_coalescing_and_timers() {
    for coalesce in 1..=8 {
        let (sender, receiver) = config(16);
        let receiver = ReceiverConfig { ack_coalesce: coalesce, ..receiver };
        let mut pair = Pair::<16>::new(sender, receiver, [3, 3], 1);
        for slot in 0..20_000_u64 {
            if slot % 7 < 4 {
                pair.offer(0, (slot % 3) as u8);
            }
            pair.slot([Faults::NONE; 2]);
        }
        pair.settle();
        let counters = pair.ends[1].receiver().counters();
        assert!(counters.ack_only_tx <= counters.body_rx / u64::from(coalesce) + counters.ack_only_timer);
        assert_eq!(pair.ends[0].receiver().counters().ack_only_tx, 0, "no ACK of an ACK");
        assert!(counters.ack_only_tx > 1000);
    }
}

/// Section 0: a live peer without room for a long time never fails, with either RENACK; STUCK is an event only.
#[test]
fn storms_of_rx_full_never_fail_a_live_peer() {
    for renack in [Renack::Answer, Renack::Silent] {
        let (sender, receiver) = config(16);
        let mut pair = Pair::<16>::new(sender, ReceiverConfig { renack, ..receiver }, [6, 9], seed());
        // losses besides, so that NACKs are missing too
        let storm = Faults { full: 1.0, lose: 0.05, ..Faults::NONE };
        for slot in 0..300_000 {
            pair.offer(0, (slot % 4) as u8);
            pair.slot([storm, Faults { lose: 0.05, ..Faults::NONE }]);
        }
        assert!(pair.consumed[0] == [0; 4] && pair.stuck == 4, "one STUCK per connection: {}", pair.stuck);
        pair.settle();
        pair.assert_accounts(0);
    }
}

/// WIN 32767 across the wrap at 1 % loss: 100,000 bodies are one wrap and a half.
#[test]
fn the_largest_window_crosses_the_wrap() {
    let sender = SenderConfig {
        window: 32767,
        slots: 33_000,
        slot_min: 1,
        vcs: 1,
        rto: 80_000,
        ..SenderConfig::default()
    };
    let receiver = ReceiverConfig { ack_timer: 20, ..ReceiverConfig::default() };
    let mut pair = Pair::<16>::new(sender, receiver, [40, 40], seed());
    // first fill the window with nothing arriving, then let losses begin
    while pair.offer(0, 0) {}
    assert_eq!(pair.offered[0][0], 32767);
    let lossy = Faults { lose: 0.01, ..Faults::NONE };
    while pair.consumed[0][0] < 100_000 {
        while pair.offered[0][0] < 100_000 && pair.offer(0, 0) {}
        pair.slot([lossy; 2]);
        assert!(pair.now < 2_000_000, "{}", pair.consumed[0][0]);
    }
    pair.settle();
    pair.assert_accounts(0);
    println!("{} slots", pair.now);
}

/// E15: delivered per slot when a lost PDU's replay starts `distance` slots after it.
fn goodput(distance: u64, loss: f64, slots: u64, renack: Renack) -> f64 {
    let sender = SenderConfig {
        window: 64,
        slots: 64,
        slot_min: 1,
        vcs: 1,
        rto: 4 * distance,
        ..SenderConfig::default()
    };
    let receiver = ReceiverConfig { ack_coalesce: 1, ack_timer: 1, renack, mutation: None };
    // the NACK is caused by the PDU after the lost one
    let mut pair =
        Pair::<16>::new(sender, receiver, [distance / 2, distance - 1 - distance / 2], seed() + distance);
    let faults = [Faults { lose: loss, ..Faults::NONE }, Faults::NONE];
    while pair.now < slots {
        pair.offer(0, 0);
        pair.slot(faults);
    }
    pair.consumed[0][0] as f64 / slots as f64
}

#[test]
fn e15_goodput_follows_the_closed_form() {
    for distance in [4, 8, 16] {
        for (loss, slots) in [(1e-4, 1_000_000), (1e-3, 1_000_000), (1e-2, 400_000)] {
            let expected = (1.0 - loss) / (1.0 - loss + distance as f64 * loss);
            let measured = goodput(distance, loss, slots, Renack::Answer);
            println!("N = {distance}, p = {loss}: {measured:.5}, closed form {expected:.5}");
            assert!((measured / expected - 1.0).abs() < 0.05);
            // what is lost of it, within four standard deviations of the number of losses and 2 % of model
            let spread = 4.0 / (slots as f64 * loss).sqrt() + 0.02;
            assert!(((1.0 - measured) / (1.0 - expected) - 1.0).abs() < spread);
        }
    }
}

/// The slot-level model that the chapter quotes below E15, at p = 1e-2.
#[test]
fn e15_at_one_percent_with_both_values_of_renack() {
    for (distance, with, without) in [(4, 0.96118, 0.96016), (8, 0.92597, 0.92447), (16, 0.86204, 0.85834)] {
        for (renack, expected) in [(Renack::Answer, with), (Renack::Silent, without)] {
            let measured = goodput(distance, 1e-2, 400_000, renack);
            println!("N = {distance}, {renack:?}: {measured:.5}, chapter {expected:.5}");
            assert!((measured / expected - 1.0).abs() < 0.01);
        }
    }
}
