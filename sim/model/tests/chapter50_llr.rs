//! Link-layer retry of chapter 50: the ten cases of the SONiC scale-up test standard, draft v0.4 of 2 June 2026
//! (`doc/SONiC-ScaleUp-Test-Standard.md`, section 4.1), in both profiles.
//!
//! | case | goal in the standard | what is special here |
//! |---|---|---|
//! | LLR-01 | sequence numbers and ACK, N = 100 | |
//! | LLR-02 | one frame dropped: one NACK, one retry | |
//! | LLR-03 | replay timer, REPLAY_COUNT_MAX 3, ACKs blocked or frozen: FLUSH | MAX is 3 replays; the fourth expiry flushes |
//! | LLR-04 | NACK by a bad CRC and by a gap, N = 1000 | EXPECTED_SEQ_BAD is FCS |
//! | LLR-05 | poisoned CRC: no NACK, no replay | `ue103`; `sue1` has 4.7 as written: NACK, and FLUSH |
//! | LLR-06 | OUTSTANDING_FRAMES_MAX 4, discard | |
//! | LLR-07 | buffer capacity at 500 m | the standard's "500m RTT" read as 5 us, 1000 clocks of 200 MHz |
//! | LLR-08 | RE_INIT_ON_FLUSH | |
//! | LLR-09 | frame sizes | |
//! | LLR-10 | LLR and other frames on one port | latency of both is equal to the clock |

#![allow(clippy::expect_used, reason = "in tests, helper functions included")]

use crate::sue_link::{is_data, plain, quiet, sizes, with_llr, Harness, BREAK};
use crate::support::random;
use flitforge_model::sue::format::{OrderedSet, Profile, Sequence};
use flitforge_model::sue::link::{
    Abandoned, Eligibility, Fault, FlushCause, FrameCheck, LlrRxState, LlrTx, LlrTxConfig, LlrTxEvent,
    LlrTxState, Offered, PortEvent, Reinit, ReplayLimit, WaitingFrames, WireItem,
};
use flitforge_protocol::sue::class::ClassUse;
use flitforge_protocol::sue::link_control::OrderedSetType;
use rand::Rng;

const CLASS: ClassUse = ClassUse::Requests;

pub fn short() -> LlrTxConfig {
    LlrTxConfig { init_interval: 400, replay_timer: 400, ..LlrTxConfig::default() }
}

fn harness(profile: Profile, tx: LlrTxConfig) -> Harness {
    Harness::new(with_llr(profile, tx), 20)
}

fn offer(harness: &mut Harness, count: usize) {
    (0..count).for_each(|_| harness.offer(0, CLASS, 64));
}

fn is_ack(item: &WireItem) -> bool {
    let WireItem::Set(octets) = item else { return false };
    OrderedSet::decode(*octets).is_ok_and(|set| set.kind() == OrderedSetType::LlrAck)
}

/// A fault for the `place`th data frame that port 0 sends.
fn at_frame(place: u64, fault: Fault) -> impl FnMut(usize, u64, &WireItem) -> Fault {
    let mut count = 0;
    move |end, _, item| {
        if end == 0 && is_data(item) {
            count += 1;
            if count == place + 1 {
                return fault;
            }
        }
        Fault::None
    }
}

#[test]
fn llr_01_sequence_and_ack() {
    for &profile in Profile::ALL {
        let mut harness = harness(profile, short());
        offer(&mut harness, 100);
        assert!(harness.run(10_000, quiet, Harness::is_complete));
        harness.run(1000, quiet, |_| false);
        let [tester, dut] = &mut harness.link.ports;
        let rx = *dut.llr_rx().expect("retry").counters();
        let tx = tester.llr_tx().expect("retry");
        assert_eq!((tx.counters().frames_tx, rx.expected), (100, 100));
        assert!(rx.llr_ack_tx > 0 && rx.llr_ack_tx == tx.counters().llr_ack_rx);
        assert_eq!((tx.counters().llr_nack_rx, rx.llr_nack_tx, tx.counters().llr_replay), (0, 0, 0));
        assert_eq!((tx.state(), tx.outstanding(), tx.outstanding_bytes()), (LlrTxState::Advance, 0, 0));
        assert_eq!(dut.llr_rx().expect("retry").state(), LlrRxState::SendAcks);
        assert_eq!(dut.llr_rx().expect("retry").expected().value(), 100);
    }
}

#[test]
fn llr_02_retry_by_nack() {
    for &profile in Profile::ALL {
        let mut harness = harness(profile, short());
        offer(&mut harness, 100);
        assert!(harness.run(10_000, at_frame(40, Fault::Lose), Harness::is_complete));
        let [tester, dut] = &mut harness.link.ports;
        let tx = tester.llr_tx().expect("retry").counters();
        assert_eq!((tx.llr_nack_rx, tx.llr_replay), (1, 1));
        assert!(tx.frames_replayed >= 1);
        assert_eq!(dut.llr_rx().expect("retry").counters().replay_rx, 1);
    }
}

#[test]
fn llr_03_replay_timer() {
    for &profile in Profile::ALL {
        let waiting = WaitingFrames::Discard;
        // the replay timer has to be longer than the buffer takes on the line
        let mut harness = harness(profile, LlrTxConfig { waiting, replay_timer: 1600, ..short() });
        harness.run(200, quiet, |_| false);
        offer(&mut harness, 100);
        let blocked =
            |end, _, item: &WireItem| if end == 1 && is_ack(item) { Fault::Lose } else { Fault::None };
        assert!(harness.run(20_000, blocked, |harness| harness.flushes() == 1));
        harness.run(100, blocked, |_| false);
        let tx = harness.link.ports[0].llr_tx().expect("retry");
        let counters = *tx.counters();
        assert_eq!(tx.state(), LlrTxState::Flush);
        // 64 frames fit; the rest waits for the buffer and is discarded in FLUSH
        assert_eq!((counters.llr_replay, counters.frames_tx, counters.frames_replayed), (3, 64, 3 * 64));
        assert_eq!((counters.llr_flush, counters.discarded), (64, 36));
        let abandoned = Abandoned { frames: 64, cause: FlushCause::Replays };
        assert!(harness.events.contains(&(0, PortEvent::Llr(LlrTxEvent::Flushed(abandoned)))));
    }
    frozen_acks_flush();
}

/// Scenario B: the sequence number of the ACKs stands still.
fn frozen_acks_flush() {
    let mut tx = LlrTx::<u8>::new(short(), 6);
    tx.enable(0);
    let init = tx.ordered_set(0).expect("LLR_INIT");
    assert_eq!(init, OrderedSet::LlrInit { sequence: Sequence::default(), data: 7 });
    assert_eq!(tx.receive_echo(Sequence::default(), 7, 40).1, [LlrTxEvent::Started]);
    for frame in 0..10 {
        let sequence = Sequence::new(frame.into()).expect("20 bits");
        assert_eq!(tx.offer(&frame, 64, 40), Ok(Offered::Stored(sequence)));
    }
    let frozen = Sequence::new(3).expect("20 bits");
    let mut now = 50;
    let mut causes = Vec::new();
    while tx.state() != LlrTxState::Flush {
        tx.receive_ack(frozen, now);
        causes.extend(tx.expire(now));
        while tx.replay(now).is_some() {}
        now += 10;
        assert!(now < 10_000);
    }
    // progress once at 50, then four times the timer of 400
    assert_eq!(
        (tx.counters().llr_replay, tx.counters().frames_replayed, tx.counters().llr_flush),
        (3, 18, 6)
    );
    assert_eq!((causes.len(), now), (4, 50 + 4 * 400 + 10));
}

#[test]
fn llr_04_nack_generation() {
    for &profile in Profile::ALL {
        for (fault, bad) in [(BREAK, 1), (Fault::Lose, 0)] {
            let mut harness = harness(profile, short());
            offer(&mut harness, 1000);
            assert!(harness.run(50_000, at_frame(500, fault), Harness::is_complete));
            let rx = harness.link.ports[1].llr_rx().expect("retry").counters();
            assert_eq!((rx.fcs, rx.llr_nack_tx, rx.replay_rx), (bad, 1, 1));
        }
    }
}

#[test]
fn llr_05_poisoned_crc() {
    for &profile in Profile::ALL {
        let mut harness = harness(profile, short());
        for number in 0..100 {
            let check = if number == 50 { FrameCheck::Poisoned } else { FrameCheck::Good };
            harness.offer_checked(0, CLASS, 64, check);
        }
        harness.run(20_000, quiet, |harness| harness.received[1][0].len() == 99 || harness.flushes() > 0);
        let replays = harness.link.ports[0].llr_tx().expect("retry").counters().llr_replay;
        let rx = *harness.link.ports[1].llr_rx().expect("retry").counters();
        match profile {
            Profile::Ue103 => {
                assert_eq!((rx.llr_poison, rx.llr_nack_tx, rx.replay_rx, replays), (1, 0, 0, 0));
                assert_eq!(harness.received[1][0].len(), 99);
                assert_eq!(rx.expected, 100);
            }
            // the frame in the buffer stays poisoned
            Profile::Sue1 => {
                assert_eq!((rx.llr_poison, replays, harness.flushes()), (0, 3, 1));
                assert_eq!(harness.received[1][0].len(), 50);
            }
        }
    }
}

#[test]
fn llr_06_outstanding_frames() {
    for &profile in Profile::ALL {
        let tx = LlrTxConfig { frames_max: 4, waiting: WaitingFrames::Discard, ..short() };
        let mut harness = harness(profile, tx);
        harness.run(200, quiet, |_| false);
        offer(&mut harness, 100);
        let blocked =
            |end, _, item: &WireItem| if end == 1 && is_ack(item) { Fault::Lose } else { Fault::None };
        harness.run(5_000, blocked, |_| false);
        let [tester, dut] = &mut harness.link.ports;
        let tx = tester.llr_tx().expect("retry");
        assert_eq!(tx.state(), LlrTxState::Flush);
        let counters = tx.counters();
        assert_eq!((counters.frames_tx, counters.frames_replayed, counters.llr_flush), (4, 12, 4));
        assert_eq!(counters.discarded, 96);
        let rx = dut.llr_rx().expect("retry").counters();
        assert_eq!((rx.expected, rx.llr_dup), (4, 12));
    }
}

/// Share of the line rate of `count` frames, with 500 clocks each way.
fn share(profile: Profile, bytes: usize, count: usize, bytes_max: usize) -> f64 {
    let tx = LlrTxConfig { frames_max: 128, bytes_max, replay_timer: 6000, ..LlrTxConfig::default() };
    let mut harness = Harness::new(with_llr(profile, tx), 500);
    harness.run(1100, quiet, |_| false);
    let start = harness.link.now();
    (0..count).for_each(|_| harness.offer(0, CLASS, bytes));
    assert!(harness.run(10_000_000, quiet, Harness::is_complete));
    let counters = harness.link.ports[0].llr_tx().expect("retry").counters();
    assert_eq!(counters.llr_replay, 0);
    // preamble 8 and gap 12 octets, 8 octets a clock
    let ideal = (count * (bytes + 20)) as f64 / 8.0;
    ideal / (harness.link.now() - start - 500) as f64
}

#[test]
fn llr_07_buffer_capacity() {
    for &profile in Profile::ALL {
        for (bytes, count) in [(9216, 100), (64, 5000)] {
            // RTT · rate + two of the largest frames
            let full = share(profile, bytes, count, 1000 * 8 + 2 * 9216);
            assert!(full > 0.99, "{bytes}: {full}");
        }
        let stalled = share(profile, 9216, 20, 16 * 1024);
        assert!(stalled < 0.6, "a buffer below the chapter's rule stalls: {stalled}");
    }
}

#[test]
fn llr_08_flush_recovery() {
    for (&profile, reinit) in Profile::ALL
        .iter()
        .flat_map(|profile| [Reinit::Automatic, Reinit::ByHost].map(|reinit| (profile, reinit)))
    {
        let mut harness = harness(profile, LlrTxConfig { reinit, ..short() });
        offer(&mut harness, 10);
        let blocked =
            |end, _, item: &WireItem| if end == 1 && is_ack(item) { Fault::Lose } else { Fault::None };
        assert!(harness.run(20_000, blocked, |harness| harness.flushes() == 1));
        offer(&mut harness, 10);
        let back = harness.run(5_000, quiet, Harness::is_complete);
        assert_eq!(back, reinit == Reinit::Automatic);
        if reinit == Reinit::ByHost {
            let now = harness.link.now();
            assert_eq!(harness.link.ports[0].llr_tx().expect("retry").reinit(now), None);
            assert!(harness.run(5_000, quiet, Harness::is_complete));
        }
        assert_eq!(harness.link.ports[1].llr_rx().expect("retry").expected().value(), 10);
    }
}

#[test]
fn llr_09_frame_sizes() {
    for &profile in Profile::ALL {
        let mut random = random("llr_09_frame_sizes");
        let tx = LlrTxConfig { bytes_max: 64 * 1024, replay_timer: 3000, ..short() };
        let mut harness = harness(profile, tx);
        for bytes in (0..4).flat_map(|_| sizes()) {
            (0..2).for_each(|end| harness.offer(end, CLASS, bytes));
        }
        let fault = |_, _, _: &WireItem| if random.random_bool(0.02) { BREAK } else { Fault::None };
        assert!(harness.run(1_000_000, fault, Harness::is_complete));
        assert_eq!((harness.flushes(), sizes().len()), (0, 22));
    }
}

#[test]
fn llr_10_llr_and_other_frames() {
    for &profile in Profile::ALL {
        let mut random = random("llr_10_llr_and_other_frames");
        let mut config = with_llr(profile, short());
        config.eligible[ClassUse::Vc2 as usize] = Eligibility::Standard;
        for rate in [0.0, 0.05] {
            let mut harness = Harness::new(config, 20);
            for _ in 0..1000 {
                harness.offer(0, CLASS, 64);
                harness.offer(0, ClassUse::Vc2, 64);
            }
            let mut broken = 0;
            let fault = |end, _, item: &WireItem| match item {
                WireItem::Data(_, frame) if end == 0 && random.random_bool(rate) => {
                    broken += u64::from(frame.class == ClassUse::Vc2);
                    BREAK
                }
                _ => Fault::None,
            };
            let all = |harness: &Harness| {
                harness.received[1][0].len() == 1000 && harness.link.ports[0].waiting(ClassUse::Vc2) == 0
            };
            assert!(harness.run(200_000, fault, all));
            harness.run(200, quiet, |_| false);
            assert_eq!(harness.received[1][2].len() as u64, 1000 - broken);
            assert_eq!(broken > 0, rate > 0.0);
            assert_eq!(harness.link.ports[1].counters().fcs, broken);
        }
        let latency = |class| {
            let mut harness = Harness::new(config, 20);
            harness.run(1000, quiet, |_| false);
            harness.offer(0, class, 256);
            let start = harness.link.now();
            assert!(harness.run(1000, quiet, Harness::is_complete));
            harness.link.now() - start
        };
        assert_eq!(latency(CLASS), latency(ClassUse::Vc2));
    }
}

/// Without link-layer retry, frames have the standard preamble and losses stay.
#[test]
fn a_port_without_retry() {
    let mut harness = Harness::new(plain(Profile::Sue1), 20);
    offer(&mut harness, 100);
    harness.run(3_000, at_frame(7, BREAK), |_| false);
    assert_eq!(harness.received[1][0].len(), 99);
    let mut off = LlrTx::<u8>::new(short(), 0);
    assert_eq!(off.offer(&0, 64, 0), Ok(Offered::Unprotected));
    assert_eq!(ReplayLimit::from_register(255), ReplayLimit::Unlimited);
    assert_eq!(ReplayLimit::from_register(3), ReplayLimit::Max(3));
}
