//! Link-layer retry of chapter 50 under faults: section 9 point 9, and the timers and limits of section 0.

#![allow(clippy::expect_used, reason = "in tests, helper functions included")]

use crate::chapter50_llr::short;
use crate::sue_link::{is_data, quiet, with_llr, Harness, BREAK};
use crate::support::{count, random};
use flitforge_model::sue::format::{OrderedSet, Profile, Sequence};
use flitforge_model::sue::link::{
    Abandoned, AckCheck, CtlTwice, Fault, FlushCause, FrameCheck, Link, LlrRefusal, LlrRx, LlrRxConfig,
    LlrRxState, LlrSetting, LlrTx, LlrTxConfig, LlrTxEvent, LlrTxState, LlrVerdict, Offered,
    OrderedSetFilter, Pcs, Port, PortConfig, Reinit, ReplayLimit, WaitingFrames, WireItem,
};
use flitforge_protocol::sue::class::ClassUse;
use rand::Rng;
use std::collections::BTreeSet;

const CLASS: ClassUse = ClassUse::Requests;
const TWICE: CtlTwice = CtlTwice::Twice { within: 40 };

fn sequence(value: u32) -> Sequence {
    Sequence::new(value).expect("20 bits")
}

/// Timers of tens of clocks, five frames of buffer.
fn tiny(twice: CtlTwice) -> PortConfig {
    let tx = LlrTxConfig {
        first: sequence(0xFFFFD),
        init_interval: 60,
        replay_timer: 90,
        frames_max: 5,
        ..LlrTxConfig::default()
    };
    PortConfig { twice, ..with_llr(Profile::Ue103, tx) }
}

/// Seven frames each way, the second half later; faults by sending port and number of the item. Gives the items sent and
/// the states that were seen.
fn window(
    config: PortConfig,
    fault: impl Fn(usize, u64, &WireItem) -> Fault,
) -> ([u64; 2], BTreeSet<(u8, u8)>) {
    let mut harness = Harness::new(config, 3);
    let (mut sent, mut states) = ([0; 2], BTreeSet::new());
    let mut done = false;
    for clock in 0..6000_u64 {
        if clock < 400 && clock % 50 == 0 && clock != 200 {
            (0..2).for_each(|end| harness.offer(end, CLASS, 64));
        }
        harness.step(|end, number, item| {
            sent[end] = number + 1;
            fault(end, number, item)
        });
        for port in &mut harness.link.ports {
            let rx = port.llr_rx().expect("retry").state() as u8;
            states.insert((port.llr_tx().expect("retry").state() as u8, rx));
        }
        if clock > 400 && harness.is_at_rest() {
            done = true;
            break;
        }
    }
    assert!(done, "not at rest: {:?}", harness.received);
    assert_eq!(harness.flushes(), 0);
    (sent, states)
}

/// Every pair of losses within the run, which takes both ends through all states but FLUSH.
#[test]
fn loss_of_any_two_items_recovers() {
    for twice in [CtlTwice::Once, TWICE] {
        let (sent, _) = window(tiny(twice), quiet);
        let items: Vec<(usize, u64)> =
            (0..2).flat_map(|end| (0..sent[end] + 8).map(move |number| (end, number))).collect();
        let mut states = BTreeSet::new();
        for (place, first) in items.iter().enumerate() {
            for second in &items[place..] {
                let lost = [*first, *second];
                let fault = |end, number, _: &WireItem| {
                    if lost.contains(&(end, number)) {
                        Fault::Lose
                    } else {
                        Fault::None
                    }
                };
                states.append(&mut window(tiny(twice), fault).1);
            }
        }
        let seen = |pick: fn(&(u8, u8)) -> u8| states.iter().map(pick).collect::<BTreeSet<u8>>();
        let tx = [LlrTxState::Init, LlrTxState::Advance, LlrTxState::Replay].map(|state| state as u8);
        let rx = [LlrRxState::Off, LlrRxState::SendAcks, LlrRxState::NackSent].map(|state| state as u8);
        assert!(tx.iter().all(|state| seen(|pair| pair.0).contains(state)));
        assert!(rx.iter().all(|state| seen(|pair| pair.1).contains(state)));
        println!("{twice:?}: {} items, {states:?}", items.len());
    }
}

/// Every single item duplicated, every frame broken, every bit of every ordered set inverted.
#[test]
fn duplication_and_corruption_of_any_one_item_recovers() {
    for twice in [CtlTwice::Once, TWICE] {
        let (sent, _) = window(tiny(twice), quiet);
        for (end, number) in (0..2).flat_map(|end| (0..sent[end]).map(move |number| (end, number))) {
            let one = |fault| {
                move |from, place, _: &WireItem| {
                    if (from, place) == (end, number) {
                        fault
                    } else {
                        Fault::None
                    }
                }
            };
            window(tiny(twice), one(Fault::Duplicate));
            for bit in 0..64 {
                window(tiny(twice), one(Fault::Corrupt { bit }));
            }
        }
    }
}

/// CTL_TWICE: a frame is lost and any bit of any ordered set is inverted, too; an acknowledgment cannot free what is lost.
#[test]
fn twice_withstands_a_corrupted_acknowledgment_beside_a_loss() {
    let (sent, _) = window(tiny(TWICE), quiet);
    for lost in 3..sent[0] {
        for corrupted in 0..sent[1] {
            for bit in (16..36).step_by(3) {
                window(tiny(TWICE), |end, number, _| match (end, number) {
                    (0, number) if number == lost => Fault::Lose,
                    (1, number) if number == corrupted => Fault::Corrupt { bit },
                    _ => Fault::None,
                });
            }
        }
    }
}

#[test]
fn one_in_a_thousand_frames_leaves_no_loss_above() {
    for &profile in Profile::ALL {
        let mut random = random("one_in_a_thousand_frames_leaves_no_loss_above");
        let mut harness = Harness::new(with_llr(profile, LlrTxConfig::default()), 40);
        let frames = count(20_000, 1_000_000);
        let mut broken = 0;
        for _ in 0..frames {
            let bytes = random.random_range(64..200);
            (0..2).for_each(|end| harness.offer(end, CLASS, bytes));
        }
        let fault = |_, _, item: &WireItem| match random.random_bool(1e-3) {
            true if is_data(item) => {
                broken += 1;
                BREAK
            }
            true => Fault::Lose,
            false => Fault::None,
        };
        assert!(harness.run(frames * 80, fault, Harness::is_complete), "{:?}", harness.link.now());
        assert_eq!(harness.flushes(), 0);
        println!("{broken} frames broken in {} clocks", harness.link.now());
        assert!(broken > frames / 1000);
    }
}

/// Three times through all 2^20 sequence numbers, without the wire.
#[test]
fn sequence_numbers_wrap() {
    let mut tx = LlrTx::<u32>::new(LlrTxConfig::default(), 0);
    let mut rx = LlrRx::new(LlrRxConfig::new(Profile::Ue103));
    tx.enable(0);
    assert!(tx.ordered_set(0).is_some());
    rx.receive_init(sequence(0), 1);
    let Some(OrderedSet::LlrInitEcho { sequence: first, data }) = rx.ordered_set(0) else {
        panic!("no echo")
    };
    tx.receive_echo(first, data, 0);
    let mut expected = 0;
    for number in 0..3 * (1 << 20) + 5_u32 {
        let now = u64::from(number);
        assert_eq!(tx.offer(&number, 64, now), Ok(Offered::Stored(sequence(number % (1 << 20)))));
        let lost = number % 1009 == 5 || number % (1 << 20) == (1 << 20) - 1;
        if !lost {
            let verdict = rx.receive(sequence(number % (1 << 20)), FrameCheck::Good);
            expected += u32::from(verdict == LlrVerdict::Delivered);
        }
        match rx.ordered_set(now) {
            Some(OrderedSet::LlrAck(named)) => assert_eq!(tx.receive_ack(named, now).0, AckCheck::Taken),
            Some(OrderedSet::LlrNack(named)) => assert_eq!(tx.receive_nack(named, now).0, AckCheck::Taken),
            other => assert_eq!(other, None),
        }
        while let Some((named, frame, _)) = tx.replay(now) {
            assert_eq!((named.value(), frame), (expected % (1 << 20), expected));
            assert_eq!(rx.receive(named, FrameCheck::Good), LlrVerdict::Delivered);
            expected += 1;
        }
    }
    assert_eq!((rx.counters().llr_dup, tx.counters().llr_flush, tx.counters().ctlos_bad), (0, 0, 0));
    assert!(expected > 3 << 20);
}

/// A sender in ADVANCE that has sent `frames` frames at clock 0.
fn running(config: LlrTxConfig, frames: u8) -> LlrTx<u8> {
    let mut tx = LlrTx::new(config, 0);
    tx.enable(0);
    tx.receive_echo(config.first, 1, 0);
    (0..frames).for_each(|frame| assert!(tx.offer(&frame, 100, 0).is_ok()));
    tx
}

#[test]
fn age_and_pcs_loss_flush() {
    let config = LlrTxConfig { age: Some(500), pcs_lost: Some(300), ..short() };
    let mut tx = running(config, 3);
    assert_eq!(tx.expire(399), None);
    assert!(matches!(tx.expire(400), Some(LlrTxEvent::Replaying { .. })));
    assert_eq!(tx.expire(499), None);
    let flushed = |frames, cause| Some(LlrTxEvent::Flushed(Abandoned { frames, cause }));
    assert_eq!(tx.expire(500), flushed(3, FlushCause::Age));
    let mut tx = running(config, 2);
    tx.set_pcs(Pcs::Down { since: 10 });
    tx.set_pcs(Pcs::Down { since: 200 });
    assert_eq!(tx.expire(309), None);
    assert_eq!(tx.expire(310), flushed(2, FlushCause::PcsLost));
    let mut tx = running(config, 2);
    tx.set_pcs(Pcs::Down { since: 10 });
    tx.set_pcs(Pcs::Up);
    assert_eq!(tx.expire(399), None, "the PCS came back in time");
    assert_eq!(tx.disable(), flushed(2, FlushCause::Host));
    assert_eq!(tx.state(), LlrTxState::Off);
}

#[test]
fn replays_without_limit_never_flush() {
    let mut tx = running(LlrTxConfig { replay_limit: ReplayLimit::from_register(255), ..short() }, 1);
    for now in 0..400 * 1000 {
        assert!(!matches!(tx.expire(now), Some(LlrTxEvent::Flushed(_))));
        while tx.replay(now).is_some() {}
    }
    assert_eq!(tx.counters().llr_replay, 999);
}

#[test]
fn buffer_limits_and_waiting_frames() {
    let config = LlrTxConfig { frames_max: 3, bytes_max: 250, ..short() };
    let mut tx = running(config, 2);
    assert_eq!(tx.offer(&9, 51, 0), Err(LlrRefusal::Full), "octets");
    assert_eq!(tx.offer(&9, 251, 0), Err(LlrRefusal::TooLong { bytes: 251, bytes_max: 250 }));
    assert!(tx.offer(&9, 50, 0).is_ok());
    assert_eq!(tx.offer(&9, 1, 0), Err(LlrRefusal::Full), "frames");
    assert_eq!(tx.receive_nack(sequence(1), 5).1.len(), 2);
    assert_eq!(tx.offer(&9, 1, 5), Err(LlrRefusal::Replaying));
    for (waiting, expected) in [
        (WaitingFrames::Block, Err(LlrRefusal::NotRunning)),
        (WaitingFrames::BestEffort, Ok(Offered::Unprotected)),
        (WaitingFrames::Discard, Ok(Offered::Discarded)),
    ] {
        let mut tx = running(LlrTxConfig { waiting, age: Some(1), ..short() }, 1);
        assert!(tx.expire(1).is_some());
        assert_eq!((tx.state(), tx.offer(&1, 64, 2)), (LlrTxState::Flush, expected));
        tx.reinit(3);
        assert_eq!((tx.state(), tx.offer(&1, 64, 3)), (LlrTxState::Init, expected));
    }
}

#[test]
fn acknowledgments_outside_the_window_are_ignored_and_counted() {
    let mut tx = running(LlrTxConfig { first: sequence(0xFFFFE), ..short() }, 4);
    let (ack, nack) = (
        |tx: &mut LlrTx<u8>, at| tx.receive_ack(sequence(at), 1).0,
        |tx: &mut LlrTx<u8>, at| tx.receive_nack(sequence(at), 1).0,
    );
    for at in [0xFFFFC, 2, 0x80000] {
        assert_eq!(ack(&mut tx, at), AckCheck::Ignored);
        assert_eq!(nack(&mut tx, at + 1), AckCheck::Ignored);
    }
    assert_eq!((tx.counters().ctlos_bad, tx.outstanding()), (6, 4));
    assert_eq!(ack(&mut tx, 0xFFFFD), AckCheck::Taken, "the one before the first says nothing new");
    assert_eq!(nack(&mut tx, 2), AckCheck::Taken);
    assert_eq!((tx.state(), tx.outstanding()), (LlrTxState::Advance, 0), "nothing is left to replay");
    assert_eq!(tx.receive_echo(sequence(0), 1, 1).0, AckCheck::Ignored);
}

#[test]
fn filter_of_two_equal_sets() {
    let mut filter = OrderedSetFilter::new(CtlTwice::Twice { within: 10 });
    let (five, six) = (OrderedSet::LlrAck(sequence(5)), OrderedSet::LlrAck(sequence(6)));
    let other = OrderedSet::LlrNack(sequence(5));
    assert_eq!(filter.pass(five, 0), None);
    assert_eq!(filter.pass(other, 1), None, "types are kept apart");
    assert_eq!(filter.pass(five, 10), Some(five));
    assert_eq!(filter.pass(five, 20), None);
    assert_eq!(filter.pass(five, 31), None, "too late");
    assert_eq!(filter.pass(six, 32), None);
    assert_eq!(filter.pass(six, 32), Some(six));
    assert_eq!(filter.unconfirmed, 2);
}

/// One end starts anew four times, with the same nonce or with another: what its peer has outstanding is lost with an
/// event, and then frames flow again, both ways.
#[test]
fn one_end_starts_anew() {
    for (twice, nonce) in [(CtlTwice::Once, 0), (CtlTwice::Once, 7), (TWICE, 0)] {
        let tx = LlrTxConfig { reinit: Reinit::Automatic, ..short() };
        let config = PortConfig { twice, ..with_llr(Profile::Ue103, tx) };
        let mut harness = Harness::new(config, 5);
        let offer = |harness: &mut Harness| {
            (0..2).for_each(|end| (0..10).for_each(|_| harness.offer(end, CLASS, 64)));
        };
        for round in 0..=4_u16 {
            if round > 0 {
                let llr = config.llr.map(|llr| LlrSetting { nonce: nonce * round, ..llr });
                let fresh = Port::new(PortConfig { llr, ..config }).expect("settings");
                let [first, _] = &mut harness.link.ports;
                *first = fresh;
                offer(&mut harness);
                // four expiries of 400 clocks, then LLR_INIT
                harness.run(5000, quiet, |_| false);
                assert_eq!(harness.flushes(), usize::from(round));
            }
            offer(&mut harness);
            harness.run(2000, quiet, |_| false);
            let came = [0, 1].map(|end: usize| harness.received[end][0].len() as u64);
            let rounds = u64::from(round);
            assert_eq!(came, [10 + 10 * rounds, 10 + 20 * rounds], "{twice:?} {nonce} {round}");
        }
    }
}

#[test]
fn a_cut_wire_flushes_and_comes_back() {
    let tx = LlrTxConfig { reinit: Reinit::Automatic, pcs_lost: Some(200), ..short() };
    let mut harness = Harness::new(with_llr(Profile::Sue1, tx), 30);
    (0..30).for_each(|_| harness.offer(0, CLASS, 64));
    harness.run(500, quiet, |harness| harness.received[1][0].len() == 10);
    Link::cut(&mut harness.link);
    assert!(harness.run(1000, quiet, |harness| harness.flushes() > 0));
    harness.run(1000, quiet, |_| false);
    assert_eq!(harness.link.ports[0].llr_tx().expect("retry").state(), LlrTxState::Flush, "the PCS is down");
    harness.link.join();
    harness.offer(0, CLASS, 64);
    assert!(harness.run(5000, quiet, |harness| harness.received[1][0].last() == Some(&30)));
}

/// A receiver that has accepted frames 0 to 4 of the start with nonce 9.
fn receiver() -> LlrRx {
    let mut rx = LlrRx::new(LlrRxConfig::new(Profile::Ue103));
    assert_eq!(rx.receive(sequence(0), FrameCheck::Good), LlrVerdict::Off);
    rx.receive_init(sequence(0), 9);
    assert_eq!(rx.ordered_set(0), Some(OrderedSet::LlrInitEcho { sequence: sequence(0), data: 9 }));
    for number in 0..5 {
        assert_eq!(rx.receive(sequence(number), FrameCheck::Good), LlrVerdict::Delivered);
    }
    assert_eq!(rx.ordered_set(0), Some(OrderedSet::LlrAck(sequence(4))));
    rx
}

/// A running receiver starts anew only by two equal LLR_INIT with no frame in between, of the same nonce or another.
#[test]
fn one_stray_init_does_not_move_a_running_receiver() {
    for nonce in [9, 10] {
        let mut rx = receiver();
        rx.receive_init(sequence(0), nonce);
        assert_eq!((rx.expected(), rx.ordered_set(1)), (sequence(5), None));
        assert_eq!(rx.receive(sequence(5), FrameCheck::Good), LlrVerdict::Delivered);
        assert_eq!(rx.ordered_set(1), Some(OrderedSet::LlrAck(sequence(5))));
        rx.receive_init(sequence(0), nonce);
        assert_eq!((rx.expected(), rx.ordered_set(1)), (sequence(6), None), "a frame came in between");
        rx.receive_init(sequence(3), nonce);
        assert_eq!((rx.expected(), rx.ordered_set(1)), (sequence(6), None), "another one");
        rx.receive_init(sequence(3), nonce);
        assert_eq!((rx.expected(), rx.state()), (sequence(3), LlrRxState::SendAcks));
        let echo = OrderedSet::LlrInitEcho { sequence: sequence(3), data: nonce };
        assert_eq!(rx.ordered_set(2), Some(echo));
        // the sender asks again because the echo was lost: answered at once
        rx.receive_init(sequence(3), nonce);
        assert_eq!((rx.ordered_set(3), rx.ordered_set(4)), (Some(echo), None));
    }
}

/// The receiver's table of 4.7, row by row.
#[test]
fn rows_of_the_receiver() {
    let mut rx = receiver();
    assert_eq!(rx.receive(sequence(2), FrameCheck::Good), LlrVerdict::Duplicate);
    assert_eq!(rx.ordered_set(1), Some(OrderedSet::LlrAck(sequence(4))), "a duplicate wants an LLR_ACK");
    assert_eq!(rx.receive(sequence(7), FrameCheck::Good), LlrVerdict::Ahead);
    assert_eq!(rx.state(), LlrRxState::SendNack);
    assert_eq!(rx.ordered_set(10), Some(OrderedSet::LlrNack(sequence(5))));
    assert_eq!(rx.state(), LlrRxState::NackSent);
    for (number, check, verdict) in [
        (8, FrameCheck::Good, LlrVerdict::Ahead),
        (5, FrameCheck::Bad, LlrVerdict::BadFcs),
        (4, FrameCheck::Good, LlrVerdict::Duplicate),
        (9, FrameCheck::Poisoned, LlrVerdict::Ahead),
    ] {
        assert_eq!(rx.receive(sequence(number), check), verdict);
        assert_eq!(rx.ordered_set(11), None, "once, and no LLR_ACK");
    }
    // NACK_T is 3200
    rx.expire(3209);
    assert_eq!(rx.ordered_set(3209), None);
    rx.expire(3210);
    assert_eq!(rx.ordered_set(3210), Some(OrderedSet::LlrNack(sequence(5))));
    assert_eq!(rx.receive(sequence(5), FrameCheck::Poisoned), LlrVerdict::Poisoned);
    assert_eq!((rx.state(), rx.expected()), (LlrRxState::SendAcks, sequence(6)));
    assert_eq!(rx.ordered_set(3211), Some(OrderedSet::LlrAck(sequence(5))));
    // the expected frame voids an LLR_NACK that has not been sent
    assert_eq!(rx.receive(sequence(6), FrameCheck::Bad), LlrVerdict::BadFcs);
    assert_eq!(rx.receive(sequence(6), FrameCheck::Good), LlrVerdict::Delivered);
    assert_eq!(rx.ordered_set(3212), Some(OrderedSet::LlrAck(sequence(6))));
    let counters = rx.counters();
    assert_eq!((counters.llr_seq, counters.llr_dup, counters.fcs, counters.llr_poison), (4, 2, 2, 1));
}
