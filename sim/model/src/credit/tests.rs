use super::*;
use crate::ltp::Sideband;
use crate::sideband::SidebandMessage;
use crate::vl::CameFlits;
use flitforge_protocol::packet::{packet_flits, MAX_PAYLOAD_BYTES};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::VecDeque;

/// Gives lane 0 this many AU.
fn give(sender: &mut CreditSender, rules: &CreditRules, mut units: u32) {
    while units > 0 {
        let (code, part) = rules.largest_code(units);
        sender.give(0, code).expect("fits");
        units -= part;
    }
}

#[test]
fn settings_that_cannot_work_are_refused() {
    let good = CreditRules::new(vec![256; 4]);
    assert_eq!(good.check(4), Ok(()));
    let refused = |rules: CreditRules, flits| rules.check(flits).unwrap_err();
    assert!(matches!(
        refused(CreditRules { buffers: vec![], ..good.clone() }, 2),
        CreditError::Lanes { lanes: 0 }
    ));
    assert!(matches!(refused(CreditRules::new(vec![1; 17]), 2), CreditError::Lanes { lanes: 17 }));
    assert!(matches!(refused(CreditRules { v_au: 8, ..good.clone() }, 2), CreditError::Unit { .. }));
    // An AU of 16 bytes holds a beat of two flits, but none of four.
    assert_eq!(CreditRules { v_au: 1, ..good.clone() }.check(2), Ok(()));
    assert!(matches!(refused(CreditRules { v_au: 1, ..good.clone() }, 4), CreditError::Unit { .. }));
    let table = |units| refused(CreditRules { units, ..good.clone() }, 2);
    assert!(matches!(table([1, 1, 2, 4, 8, 16, 32, 64]), CreditError::Units { .. }));
    assert!(matches!(table([0, 2, 2, 4, 8, 16, 32, 64]), CreditError::Units { .. }));
    assert!(matches!(refused(CreditRules::new(vec![1, 65_536]), 2), CreditError::Buffer { vl: 1, .. }));
}

/// A packet of n flits costs ceil(8 n / AU), in whatever beats it comes; no beat costs more than one AU.
#[test]
fn a_packet_costs_its_flits_in_whole_units() {
    for v_au in 0..8 {
        for flits in [1, 2, 4] {
            let rules = CreditRules { v_au, ..CreditRules::new(vec![60_000]) };
            if rules.check(flits).is_err() {
                continue;
            }
            let mut sender = CreditSender::new(rules.clone(), flits).expect("rules");
            for len in [0, 1, 8, 40, 48, 49, 500, MAX_PAYLOAD_BYTES] {
                let before = sender.available()[0];
                give(&mut sender, &rules, 2_000);
                let all = packet_flits(len);
                let mut sent = 0;
                while sent < all {
                    let beat = flits.min(all - sent);
                    assert!(sender.send(0, beat, sent + beat == all).expect("credit") <= 1);
                    sent += beat;
                }
                let cost = before + 2_000 - sender.available()[0];
                assert_eq!(cost as usize, (8 * all).div_ceil(8 << v_au), "vAU {v_au}, {len} bytes");
            }
        }
    }
}

#[test]
fn the_mtu_packet_of_the_switch_takes_161_units() {
    // Chapter 10, 4.11: 10,256 bytes = 161 AU.
    let rules = CreditRules::new(vec![256]);
    assert_eq!(Progress::default().units(packet_flits(MAX_PAYLOAD_BYTES), rules.unit_flits()), 161);
}

#[test]
fn the_largest_code_goes_first_and_everything_is_returned() {
    let rules = CreditRules::new(vec![256]);
    let first = [0, 1, 3, 4, 63, 64, 200].map(|pending| rules.largest_code(pending));
    assert_eq!(first, [(0, 0), (1, 1), (2, 2), (3, 4), (6, 32), (7, 64), (7, 64)]);
    for pending in 0..500 {
        let mut rest = pending;
        while rest > 0 {
            let (_, units) = rules.largest_code(rest);
            assert!(units > 0, "{rest} of {pending} AU stay");
            rest -= units;
        }
    }
}

#[test]
fn a_sender_starts_without_credit_and_gets_the_whole_buffer() {
    let rules = CreditRules::new(vec![100, 7]);
    let mut sender = CreditSender::new(rules.clone(), 2).expect("rules");
    let mut receiver = CreditReceiver::new(rules, 2).expect("rules");
    assert_eq!(sender.may_send(0, 2), Ok(false));
    assert_eq!(sender.send(0, 2, false), Err(CreditError::NoCredit { vl: 0, needed: 1, available: 0 }));
    let mut flits = 0;
    for _ in 0..1_000 {
        receiver.clock();
        if let Some(codes) = receiver.take_codes() {
            flits += 1;
            sender.give_all(&codes).expect("fits");
        }
    }
    assert_eq!(sender.available(), [100, 7]);
    // 64 + 32 at once, the last 4 after the delay; 4 + 2 + 1 beside them.
    assert_eq!(flits, 3 + 1);
    assert!(matches!(sender.may_send(2, 1), Err(CreditError::NoLane { vl: 2, lanes: 2 })));
}

#[test]
fn a_small_return_waits_for_the_delay_and_a_large_one_does_not() {
    let rules = CreditRules::new(vec![80]);
    let mut receiver = CreditReceiver::new(rules, 2).expect("rules");
    while receiver.pending(0) > 0 {
        receiver.clock();
        receiver.take_codes();
    }
    receiver.arrive(0, 8 * 20, false).expect("room");
    assert_eq!(receiver.occupied(0), 20);
    receiver.release(0, 9).expect("occupied");
    let mut clocks = 0;
    while receiver.take_codes().is_none() {
        receiver.clock();
        clocks += 1;
    }
    // 9 of 80: 8 at once by code; fewer than a tenth remain.
    assert_eq!((clocks, receiver.pending(0)), (64, 1));
    receiver.release(0, 9).expect("occupied");
    assert!(receiver.is_due(0), "10 of 80 are an eighth");
    let too_much = receiver.release(0, 3);
    assert_eq!(too_much, Err(CreditError::Overflow { vl: 0, units: 1 }));
}

#[test]
fn a_buffer_that_is_overrun_says_so() {
    let rules = CreditRules::new(vec![4]);
    let mut receiver = CreditReceiver::new(rules.clone(), 2).expect("rules");
    assert_eq!(receiver.arrive(0, 8, false), Err(CreditError::Overflow { vl: 0, units: 1 }));
    let mut sender = CreditSender::new(rules.clone(), 2).expect("rules");
    give(&mut sender, &rules, 65_500);
    assert_eq!(sender.give(0, 7), Err(CreditError::Overflow { vl: 0, units: 29 }));
    assert_eq!(sender.available(), [65_500]);
}

/// Of a packet that is tossed everything is free at once; whatever sequence comes, the sender's count and the receiver's are the same.
#[test]
fn flits_that_are_tossed_give_back_what_they_cost() {
    let rules = CreditRules::new(vec![200; 4]);
    let mut random = ChaCha8Rng::seed_from_u64(7);
    for _ in 0..300 {
        let mut receiver = CreditReceiver::new(rules.clone(), 4).expect("rules");
        while receiver.pending(1) > 0 {
            receiver.clock();
            receiver.take_codes();
        }
        let mut sent = Progress::default();
        let (mut spent, mut kept) = (0, 0);
        for _ in 0..30 {
            let mut came = CameFlits {
                vl: 1,
                flits: 4,
                opens: random.random_bool(0.2),
                ends: false,
                tossed: 0,
                cut: false,
            };
            came.ends = random.random_bool(0.2);
            match random.random_range(0..3) {
                0 => came.tossed = 4,
                1 => (came.tossed, came.cut) = (3, true),
                _ => {}
            }
            if came.opens {
                sent = Progress::default();
            }
            let cost = sent.units(4, rules.unit_flits());
            sent.advance(4, came.ends);
            spent += cost;
            let before = receiver.occupied(1);
            assert_eq!(receiver.come(&came), Ok(cost));
            let more = receiver.occupied(1) - before;
            assert!(more <= cost && (came.tossed < 4 || more == 0) && (came.tossed > 0 || more == cost));
            kept += more;
            assert_eq!(receiver.occupied(1) + receiver.pending(1), spent);
        }
        assert!(kept < spent);
    }
}

/// Chapter 10, section 8: VL 2 code 3 is 11, 00, 01, 00 as (c1, c0) of four LTPs.
#[test]
fn a_message_travels_in_four_ltps_and_is_applied_with_the_fourth() {
    let (mut sender, mut receiver) = (SidebandSender::default(), SidebandReceiver::default());
    let message = SidebandMessage::new(2, 3).expect("fits");
    let expected = [(true, true), (false, false), (false, true), (false, false)];
    for (k, (c1, c0)) in expected.into_iter().enumerate() {
        let bits = sender.bits(65_532 + k as u16, || message);
        assert_eq!(bits, Sideband { c0, c1 });
        let came = receiver.accept(65_532 + k as u16, bits);
        assert_eq!(came, (k == 3).then_some(message));
    }
    (0..4).for_each(|sequence| {
        let bits = sender.bits(sequence, || SidebandMessage::NOTHING);
        assert_eq!(receiver.accept(sequence, bits), None);
    });
}

/// How credits come back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Flits,
    Sideband,
}

/// Both ends, and everything that is between them.
struct Link {
    way: Way,
    rules: CreditRules,
    random: ChaCha8Rng,
    flits: usize,
    size: Vec<u32>,
    sender: CreditSender,
    receiver: CreditReceiver,
    /// Flits left of the packet of each lane.
    packets: Vec<usize>,
    /// (arrival, lane, flits, ends, AU).
    beats: VecDeque<(u64, usize, usize, bool, u32)>,
    /// (arrival, codes).
    returns: VecDeque<(u64, Codes)>,
    // The sideband: bits of every original LTP, messages on their way, LTPs on their way with whether they are lost.
    bits: (SidebandSender, SidebandReceiver),
    sent: Vec<Sideband>,
    messages: VecDeque<SidebandMessage>,
    ltps: VecDeque<(u64, usize, bool)>,
    next: (usize, usize),
    seen: [u64; 4],
}

const DELAY: u64 = 30;

impl Link {
    fn new(way: Way, seed: u64) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let flits = [1, 2, 4][random.random_range(0..3)];
        let size: Vec<u32> = (0..random.random_range(1..=8)).map(|_| random.random_range(1..300)).collect();
        let rules = CreditRules { v_au: random.random_range(2..5), ..CreditRules::new(size.clone()) };
        Link {
            way,
            random,
            flits,
            sender: CreditSender::new(rules.clone(), flits).expect("rules"),
            receiver: CreditReceiver::new(rules.clone(), flits).expect("rules"),
            rules,
            packets: vec![0; size.len()],
            size,
            beats: VecDeque::new(),
            returns: VecDeque::new(),
            bits: Default::default(),
            sent: vec![],
            messages: VecDeque::new(),
            ltps: VecDeque::new(),
            next: (0, 0),
            seen: [0; 4],
        }
    }

    fn clock(&mut self, clock: u64) {
        self.send_beat(clock);
        while self.beats.front().is_some_and(|beat| beat.0 <= clock) {
            let (_, vl, flits, ends, units) = self.beats.pop_front().expect("looked at");
            assert_eq!(self.receiver.arrive(vl, flits, ends), Ok(units), "an overrun");
        }
        for vl in 0..self.size.len() {
            // A reader that is quick, slow, or stands still.
            let rate = [0.5, 0.05, 0.0][(clock / 5_000 % 3) as usize];
            if self.receiver.occupied(vl) > 0 && self.random.random_bool(rate) {
                self.receiver.release(vl, 1).expect("occupied");
            }
        }
        self.receiver.clock();
        let short = self.way == Way::Sideband && self.receiver.sideband_is_short();
        if self.way == Way::Flits || short {
            if let Some(codes) = self.receiver.take_codes() {
                self.returns.push_back((clock + DELAY, codes));
                self.seen[0] += 1;
            }
        }
        while self.returns.front().is_some_and(|codes| codes.0 <= clock) {
            let (_, codes) = self.returns.pop_front().expect("looked at");
            self.sender.give_all(&codes).expect("fits");
        }
        if self.way == Way::Sideband && clock % 8 == 0 {
            self.ltp(clock);
        }
        self.audit(clock);
    }

    fn send_beat(&mut self, clock: u64) {
        let vl = self.random.random_range(0..self.size.len());
        if self.packets[vl] == 0 {
            self.packets[vl] = packet_flits(self.random.random_range(0..900));
        }
        let flits = self.flits.min(self.packets[vl]);
        if self.sender.may_send(vl, flits) != Ok(true) {
            self.seen[1] += 1;
            return;
        }
        self.packets[vl] -= flits;
        let ends = self.packets[vl] == 0;
        let units = self.sender.send(vl, flits, ends).expect("credit");
        self.beats.push_back((clock + DELAY, vl, flits, ends, units));
    }

    /// One LTP leaves and one arrives; a lost one makes the sender go back, and all after it are tossed.
    fn ltp(&mut self, clock: u64) {
        if self.next.0 == self.sent.len() {
            let (receiver, messages) = (&mut self.receiver, &mut self.messages);
            let bits = self.bits.0.bits(self.next.0 as u16, || {
                let message = receiver.take_message();
                messages.extend((message != SidebandMessage::NOTHING).then_some(message));
                message
            });
            self.sent.push(bits);
        }
        self.ltps.push_back((clock + DELAY, self.next.0, self.random.random_bool(0.05)));
        self.next.0 += 1;
        while self.ltps.front().is_some_and(|ltp| ltp.0 <= clock) {
            let (_, number, lost) = self.ltps.pop_front().expect("looked at");
            if lost {
                continue;
            }
            if number > self.next.1 {
                // A gap: what is on its way is of no use.
                self.ltps.clear();
                self.next.0 = self.next.1;
                self.seen[2] += 1;
                return;
            }
            self.next.1 += 1;
            if let Some(message) = self.bits.1.accept(number as u16, self.sent[number]) {
                assert_eq!(self.messages.pop_front(), Some(message), "a message lost or made up");
                self.sender.give(message.vl().into(), message.code()).expect("fits");
                self.seen[3] += 1;
            }
        }
    }

    /// Sender, in flight both ways, occupied and pending: the buffer.
    fn audit(&self, clock: u64) {
        let rules = &self.rules;
        for (vl, size) in self.size.iter().enumerate() {
            let beats: u32 = self.beats.iter().filter(|beat| beat.1 == vl).map(|beat| beat.4).sum();
            let codes: u32 = self.returns.iter().map(|(_, codes)| rules.units_of(codes[vl])).sum();
            let of_lane = self.messages.iter().filter(|message| usize::from(message.vl()) == vl);
            let messages: u32 = of_lane.map(|message| rules.units_of(message.code())).sum();
            let places = [
                self.sender.available()[vl],
                beats,
                self.receiver.occupied(vl),
                self.receiver.pending(vl),
                codes,
                messages,
            ];
            assert_eq!(places.iter().sum::<u32>(), *size, "lane {vl}, clock {clock}: {places:?}");
        }
    }
}

/// Chapter 10, section 9, test 14, by the model.
#[test]
fn the_sum_is_the_buffer_at_every_clock() {
    for way in [Way::Flits, Way::Sideband] {
        let mut seen = [0; 4];
        for seed in 0..10 {
            let mut link = Link::new(way, seed);
            (0..100_000).for_each(|clock| link.clock(clock));
            (0..4).for_each(|index| seen[index] += link.seen[index]);
        }
        let [flits, waits, gaps, messages] = seen;
        println!("{way:?}: {flits} CrdtRet, {messages} messages, {gaps} gaps, {waits} waits for credit");
        assert!(flits > 1_000 && waits > 10_000, "{way:?}");
        assert_eq!(way == Way::Sideband, messages > 1_000 && gaps > 100, "{way:?}");
    }
}
