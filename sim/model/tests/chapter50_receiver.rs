//! Chapter 50, 4.6: every row of the receiver's table by itself, E12, coalescing, what a PDU carries, freeze and open.

#![allow(clippy::expect_used, reason = "in tests, helper functions included")]

use flitforge_model::sue::{
    Acknowledgment, BodyCheck, ConfigError, ConnectionKey, Due, Endpoint, GapRow, OpenAnswer, Psn, Receiver,
    ReceiverConfig, Renack, Room, SenderConfig, Verdict,
};

const KEY: ConnectionKey = ConnectionKey { port: 0, peer: 5, vc: 0 };

/// A receiver that expects `exp` and has accepted what is before it.
fn expecting(exp: u16, config: ReceiverConfig) -> Receiver {
    let mut receiver = Receiver::new(config).expect("a good configuration");
    let before = Psn::new(exp).minus(1);
    assert_eq!(receiver.open(KEY, before), OpenAnswer::Opened(before));
    assert_eq!(put(&mut receiver, before.value(), 0), Verdict::Accepted);
    assert_eq!(receiver.carry(KEY), Acknowledgment::Ack(before));
    receiver
}

fn put(receiver: &mut Receiver, psn: u16, now: u64) -> Verdict {
    receiver.receive(KEY, Psn::new(psn), Room::Free, BodyCheck::Good, now)
}

fn put_full(receiver: &mut Receiver, psn: u16) -> Verdict {
    receiver.receive(KEY, Psn::new(psn), Room::Full, BodyCheck::Good, 0)
}

/// What is sent by itself right after.
fn answer(receiver: &mut Receiver, now: u64) -> Option<(char, u16)> {
    receiver.ack_only(KEY, now).map(|acknowledgment| match acknowledgment {
        Acknowledgment::None => ('-', 0),
        Acknowledgment::Ack(psn) => ('A', psn.value()),
        Acknowledgment::Nack(psn) => ('N', psn.value()),
    })
}

fn exp(receiver: &Receiver) -> u16 {
    receiver.connection(KEY).expect("it had traffic").exp().value()
}

fn silent() -> ReceiverConfig {
    ReceiverConfig { renack: Renack::Silent, ..ReceiverConfig::default() }
}

#[test]
fn e12_serial_numbers() {
    let mut receiver = expecting(0xFFFF, ReceiverConfig::default());
    let mut step = |psn| (put(&mut receiver, psn, 0), answer(&mut receiver, 0));
    assert_eq!(step(0xFFFF), (Verdict::Accepted, None));
    assert_eq!(step(0x0000), (Verdict::Accepted, None));
    assert_eq!(step(0x0002), (Verdict::Gap(GapRow::First), Some(('N', 1))));
    assert_eq!(step(0x0003), (Verdict::Gap(GapRow::Following), None));
    assert_eq!(step(0x0002), (Verdict::Gap(GapRow::NewAttempt), Some(('N', 1))));
    assert_eq!(step(0x0001), (Verdict::Accepted, None));
    assert_eq!(step(0xFFFF), (Verdict::Duplicate, Some(('A', 1))));
}

#[test]
fn a_body_in_order_is_accepted_and_closes_the_gap() {
    let mut receiver = expecting(7, ReceiverConfig::default());
    put(&mut receiver, 9, 0);
    assert_eq!(receiver.connection(KEY).and_then(|one| one.gap()), Some(Psn::new(9)));
    assert_eq!(put(&mut receiver, 7, 0), Verdict::Accepted);
    assert_eq!(receiver.connection(KEY).and_then(|one| one.gap()), None);
    assert_eq!((exp(&receiver), receiver.counters().body_rx), (8, 2));
    assert_eq!(answer(&mut receiver, 0), None, "the NACK that was due is void");
}

#[test]
fn a_body_without_room_is_refused_at_each_attempt() {
    for config in [ReceiverConfig::default(), silent()] {
        let mut receiver = expecting(7, config);
        for attempt in 1..=300 {
            assert_eq!(put_full(&mut receiver, 7), Verdict::RxFull);
            assert_eq!(answer(&mut receiver, 0), Some(('N', 7)), "attempt {attempt}");
            // what followed it in the same attempt
            assert_eq!(put(&mut receiver, 8, 0), Verdict::Gap(GapRow::Following));
            assert_eq!(put_full(&mut receiver, 9), Verdict::Gap(GapRow::Following));
            assert_eq!(answer(&mut receiver, 0), None);
        }
        assert_eq!(put(&mut receiver, 7, 0), Verdict::Accepted);
        assert_eq!((receiver.counters().rx_full, receiver.counters().gap), (300, 600));
    }
}

#[test]
fn the_rows_of_a_body_ahead_of_its_turn() {
    for (far, renack) in [(1, true), (32767, true), (1, false), (32767, false)] {
        let config = if renack { ReceiverConfig::default() } else { silent() };
        let mut receiver = expecting(0xFFF0, config);
        let psn = 0xFFF0_u16.wrapping_add(far);
        assert_eq!(put(&mut receiver, psn, 0), Verdict::Gap(GapRow::First));
        assert_eq!(answer(&mut receiver, 0), Some(('N', 0xFFF0)));
        assert_eq!(answer(&mut receiver, 0), None, "one NACK for it");
        // not after the last one: a new attempt
        assert_eq!(put(&mut receiver, psn, 0), Verdict::Gap(GapRow::NewAttempt));
        assert_eq!(answer(&mut receiver, 0), renack.then_some(('N', 0xFFF0)));
        assert_eq!(exp(&receiver), 0xFFF0);
    }
    let mut receiver = expecting(0, ReceiverConfig::default());
    put(&mut receiver, 2, 0);
    answer(&mut receiver, 0);
    assert_eq!(put(&mut receiver, 5, 0), Verdict::Gap(GapRow::Following), "after the last one");
    assert_eq!(put(&mut receiver, 4, 0), Verdict::Gap(GapRow::NewAttempt), "the last one was 5");
    assert_eq!(answer(&mut receiver, 0), Some(('N', 0)));
    assert_eq!(put(&mut receiver, 5, 0), Verdict::Gap(GapRow::Following), "the last one was 4");
}

#[test]
fn a_body_from_before_is_dropped_and_acknowledged_at_once() {
    for behind in [1, 2, 32768] {
        let mut receiver = expecting(3, ReceiverConfig::default());
        assert_eq!(put(&mut receiver, 3_u16.wrapping_sub(behind), 0), Verdict::Duplicate);
        assert_eq!(receiver.next_due(0, 0), Some((KEY, Due::Duplicate)));
        assert_eq!(answer(&mut receiver, 0), Some(('A', 2)));
        assert_eq!((exp(&receiver), receiver.counters().dup), (3, 1));
    }
}

#[test]
fn an_ack_is_due_after_one_to_eight_bodies_or_the_timer() {
    for coalesce in 1..=8 {
        let config = ReceiverConfig { ack_coalesce: coalesce, ..ReceiverConfig::default() };
        let mut receiver = expecting(0xFFFD, config);
        for index in 1..=u16::from(coalesce) * 3 {
            put(&mut receiver, 0xFFFC_u16.wrapping_add(index), 50);
            let expected = (index % u16::from(coalesce) == 0).then_some(Due::Coalesced);
            assert_eq!(receiver.next_due(0, 50).map(|(_, due)| due), expected, "{coalesce} {index}");
            assert_eq!(answer(&mut receiver, 50).is_some(), expected.is_some());
        }
        assert_eq!(receiver.counters().ack_only_tx, 3);
    }
    let mut receiver = expecting(10, ReceiverConfig::default());
    put(&mut receiver, 10, 1000);
    put(&mut receiver, 11, 1100);
    assert_eq!(receiver.next_deadline(), Some(1128), "128 clocks after the first");
    assert_eq!(answer(&mut receiver, 1127), None);
    assert_eq!(answer(&mut receiver, 1128), Some(('A', 11)));
    assert_eq!((receiver.next_deadline(), receiver.counters().ack_only_timer), (None, 1));
}

#[test]
fn a_pdu_carries_nack_before_ack_before_nothing_and_clears_it() {
    let mut receiver = Receiver::<16>::new(ReceiverConfig::default()).expect("the defaults");
    assert_eq!(receiver.carry(KEY), Acknowledgment::None);
    assert_eq!(put(&mut receiver, 1, 0), Verdict::Gap(GapRow::First));
    assert_eq!(receiver.carry(KEY), Acknowledgment::Nack(Psn::ZERO));
    assert_eq!(receiver.carry(KEY), Acknowledgment::None, "nothing was accepted so far");
    put(&mut receiver, 0, 0);
    put(&mut receiver, 5, 0);
    assert_eq!(receiver.carry(KEY), Acknowledgment::Nack(Psn::new(1)));
    assert_eq!(receiver.carry(KEY), Acknowledgment::Ack(Psn::ZERO));
    assert_eq!(answer(&mut receiver, 1_000_000), None, "the NACK acknowledged body 0");
    let counters = receiver.counters();
    assert_eq!((counters.none_tx, counters.nack_tx, counters.ack_tx), (2, 2, 1));
}

#[test]
fn a_violation_consumes_its_psn_and_delivers_nothing() {
    let mut receiver = expecting(0, ReceiverConfig::default());
    let mut put = |psn, check| receiver.receive(KEY, Psn::new(psn), Room::Free, check, 0);
    assert_eq!(put(0, BodyCheck::Partition), Verdict::PartitionViolation);
    assert_eq!(put(1, BodyCheck::Malformed), Verdict::Malformed);
    assert_eq!(put(1, BodyCheck::Malformed), Verdict::Duplicate, "the PSN is looked at first");
    let counters = *receiver.counters();
    assert_eq!((counters.part_viol, counters.body_bad, counters.body_rx, counters.dup), (1, 1, 3, 1));
    assert_eq!(receiver.carry(KEY), Acknowledgment::Ack(Psn::new(1)));
}

#[test]
fn an_ack_only_pdu_consumes_nothing_and_is_not_acknowledged() {
    let (sender, receiver) = (SenderConfig::default(), ReceiverConfig { ack_coalesce: 1, ..silent() });
    let mut ends =
        [5, 7].map(|xpu| Endpoint::<u8>::new(xpu, sender, receiver).expect("a good configuration"));
    ends[0].accept(ConnectionKey { port: 0, peer: 7, vc: 0 }, 1, 0).expect("window and slots");
    let body = ends[0].transmit(0, 0, 0).expect("a body");
    ends[1].receive(body, Room::Free, BodyCheck::Good, 0);
    let acknowledgment = ends[1].transmit(0, 0, 0).expect("an ACK");
    for _ in 0..10 {
        ends[0].receive(acknowledgment, Room::Free, BodyCheck::Good, 0);
        assert_eq!(ends[0].transmit(0, 1_000_000, 0), None, "no ACK of an ACK");
    }
    assert_eq!((ends[0].receiver().counters().ack_only_rx, ends[0].receiver().counters().body_rx), (10, 0));
    assert_eq!(ends[0].sender().counters().ack_rx, 10);
}

#[test]
fn freeze_drops_bodies_and_open_never_goes_back() {
    let mut receiver = expecting(7, ReceiverConfig::default());
    assert_eq!((receiver.freeze(KEY), receiver.freeze(KEY)), (Psn::new(7), Psn::new(7)));
    put(&mut receiver, 9, 0);
    assert_eq!(put(&mut receiver, 7, 0), Verdict::Frozen);
    assert_eq!((answer(&mut receiver, 1_000_000), receiver.counters().frozen), (None, 2));
    assert_eq!(receiver.open(KEY, Psn::new(12)), OpenAnswer::Opened(Psn::new(12)));
    assert_eq!(put(&mut receiver, 12, 0), Verdict::Accepted);
    // the same OPEN_REQ again, late
    assert_eq!(receiver.open(KEY, Psn::new(12)), OpenAnswer::Behind(Psn::new(13)));
    assert_eq!(put(&mut receiver, 12, 0), Verdict::Duplicate);
    receiver.clear();
    assert_eq!(put(&mut receiver, 0, 0), Verdict::Accepted);
    let no_coalescing = ReceiverConfig { ack_coalesce: 0, ..ReceiverConfig::default() };
    assert_eq!(Receiver::<16>::new(no_coalescing).err(), Some(ConfigError::Coalesce));
}
